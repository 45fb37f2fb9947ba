/*
  The type of DG with quadrature, and its ways, which option -plex_dg_gemm chooses from
*/
#include "quadratureimpl.h"

PETSC_EXTERN PetscErrorCode PlexDGCreate_Quadrature(PlexDG);

PetscErrorCode PlexDGCreate_Quadrature(PlexDG dg)
{
  const char *const ways[] = {"kernels", "blas", "fused"};
  /* elements in 3D are large for a block's shared memory */
  PetscInt  way = !dg->backend->kernels                                                            ? 1
                : dg->mesh->dim == 3 || (dg->backend->device && !PlexBackendHasUnits(dg->backend)) ? 0
                                                                                                   : 2;
  PetscBool set;

  PetscFunctionBegin;
  PetscObjectOptionsBegin((PetscObject)dg);
  PetscCall(PetscOptionsEList("-plex_dg_gemm", "How DG with quadrature is computed", "PlexDGSetDiscretization", ways, 3,
                              ways[way], &way, &set));
  PetscOptionsEnd();
  PetscCheck(dg->backend->kernels || way == 1, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_INCOMP,
             "-plex_dg_gemm %s needs kernels, and backend %s has none: use -plex_dg_backend cuda or emulate, or "
             "-plex_dg_gemm blas",
             ways[way], ((PetscObject)dg->backend)->type_name);
  if (!dg->backend->kernels) PetscCall(PlexDGCreateQuadrature_Host_Private(dg));
  else if (way == 2) PetscCall(PlexDGCreateQuadrature_Fused_Private(dg));
  else PetscCall(PlexDGCreateQuadrature_Kernels_Private(dg, (PetscBool)(way == 1)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
