/* What a discretization of Stokes's equations keeps: made with its mesh, freed with it */
#include "solenoidal.h"

PetscErrorCode PlexHDGStokesCreate_Private(PlexHDG hdg)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(&hdg->stokes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGStokesDestroy_Private(PlexHDG hdg)
{
  PlexHDGStokes s = hdg->stokes;

  PetscFunctionBegin;
  if (!s) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexHDGSolenoidalDestroy_Private(hdg));
  PetscCall(PlexArrayReset(hdg->backend, &s->arrayMean));
  PetscCall(PlexArrayReset(hdg->backend, &s->arrayPressure));
  PetscCall(PetscFree4(s->known, s->weights, s->facetStart, s->facetElement));
  PetscCall(MatDestroy(&s->B));
  PetscCall(MatDestroy(&s->Bt));
  PetscCall(MatDestroy(&s->nest));
  PetscCall(VecDestroy(&s->mean));
  PetscCall(VecDestroy(&s->rhs));
  PetscCall(VecDestroy(&s->pressure));
  PetscCall(VecDestroy(&s->scale));
  PetscCall(VecDestroy(&s->work));
  PetscCall(KSPDestroy(&s->velocity));
  PetscCall(PetscFree(hdg->stokes));
  PetscFunctionReturn(PETSC_SUCCESS);
}
