/* A stage of a hybridized DG method: launched, and an error that names the element whose matrix it could not factor */
#include "hdgimpl.h"

/* Stages say by args.bad which element's matrix they could not factor: before one of them, and after it */
PetscErrorCode PlexHDGStageBegin_Private(PlexHDG hdg)
{
  int bad = -1;

  PetscFunctionBegin;
  PetscCall(PlexBackendCopyIn(hdg->backend, hdg->args.bad, &bad, sizeof(bad)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGStageEnd_Private(PlexHDG hdg)
{
  int bad = -1;

  PetscFunctionBegin;
  PetscCall(PlexBackendCopyOut(hdg->backend, &bad, hdg->args.bad, sizeof(bad)));
  if (bad >= 0) {
    PetscReal x[3] = {0., 0., 0.};

    PetscCall(PlexHDGGetCenter_Private(hdg->dm, hdg->mesh->cells[bad], x));
    SETERRQ(
      PETSC_COMM_SELF, PETSC_ERR_MAT_CH_ZRPVT, "The local problem of cell %" PetscInt_FMT ", (%g, %g, %g), %s",
      hdg->mesh->cells[bad], (double)x[0], (double)x[1], (double)x[2],
      hdg->stokes
        ? "has no solution to rounding: its state or its velocity is not finite, viscosity and density are out of all "
          "proportion to the cell, or it is nearly flat"
      : PlexHDGHasPivots(hdg)
        ? "has no solution to rounding: kappa, lambda and the velocity are all zero there, lambda < 0 is minus an "
          "eigenvalue of the cell's diffusion with u = 0 around it (another mesh or degree moves it), or the cell "
          "is nearly flat"
        : "is not positive definite to rounding: tau, kappa and lambda there differ by too many orders of "
          "magnitude, or the cell is nearly flat");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGLaunch_Private(PlexHDG            hdg, PetscErrorCode (*stage)(PlexHDG, const PlexHDGArgs *),
                                     const PlexHDGArgs *args)
{
  PetscFunctionBegin;
  if (args->end == args->begin) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexHDGStageBegin_Private(hdg));
  PetscCall((*stage)(hdg, args));
  PetscCall(PlexHDGStageEnd_Private(hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}
