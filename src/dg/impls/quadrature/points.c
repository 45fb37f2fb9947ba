/* What the kernels of DG with quadrature share: sizes in their text, and what they read at points */
#include "quadratureimpl.h"

PetscErrorCode PlexDGCompilePoints_Private(PlexDG dg, const char file[], PetscInt ndefines, const char *const defines[],
                                           PlexModule *module)
{
  char        text[3][48];
  const char *all[17] = {text[0], text[1], text[2]};

  PetscFunctionBegin;
  PetscCheck(ndefines <= 13, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " definitions", ndefines);
  PetscCall(PetscSNPrintf(text[0], sizeof(text[0]), "PLEX_DG_NG=%" PetscInt_FMT, dg->quadrature->NG));
  PetscCall(PetscSNPrintf(text[1], sizeof(text[1]), "PLEX_DG_MG=%" PetscInt_FMT, dg->quadrature->MG));
  PetscCall(PetscSNPrintf(text[2], sizeof(text[2]), "PLEX_DG_AFFINE=%d", (int)dg->quadrature->affine));
  for (PetscInt k = 0; k < ndefines; ++k) all[3 + k] = defines[k];
  all[3 + ndefines] = "PLEX_DG_ENERGY=1"; /* is looked at */
  PetscCall(PlexDGCompile(dg, file, 3 + ndefines + (dg->entropy ? 1 : 0), all, module));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGUploadPointArgs_Private(PlexDG dg, PlexDGPointArgs *points)
{
  PlexDGQuadrature Q  = dg->quadrature;
  const size_t     Np = (size_t)dg->reference->Np;

  PetscFunctionBegin;
  PetscCall(PlexDGUploadGeometry_Private(dg, &points->C, &points->detJ, &points->normals, &points->x));
  PetscCall(PlexDGUploadVariables_Private(dg, &points->K, &points->KM, &points->KP));
  PetscCall(PlexDGUploadReals(dg, (Q->affine ? 1 : (size_t)dg->mesh->Ne) * Np * Np, Q->Minv, &points->Minv));
  PetscCall(PlexDGUploadEntropy_Private(dg, &points->energy));
  PetscFunctionReturn(PETSC_SUCCESS);
}
