/*
  The type of DG with quadrature: on the host by BLAS
*/
#include "quadratureimpl.h"

PETSC_EXTERN PetscErrorCode PlexDGCreate_Quadrature(PlexDG);

PetscErrorCode PlexDGCreate_Quadrature(PlexDG dg)
{
  PetscFunctionBegin;
  PetscCheck(!dg->backend->kernels, PetscObjectComm((PetscObject)dg), PETSC_ERR_SUP, "DG with quadrature runs on backend %s alone: use -plex_dg_backend %s", PLEXBACKENDHOST, PLEXBACKENDHOST);
  PetscCall(PlexDGCreateQuadrature_Host_Private(dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}
