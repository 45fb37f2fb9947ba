/*
  The type of DG with quadrature, and its ways, which option -plex_dg_gemm chooses from
*/
#include "quadratureimpl.h"

PetscErrorCode PlexDGCompilePoints_Private(PlexDG dg, const char file[], PetscInt ndefines, const char *const defines[],
                                           PlexModule *module)
{
  char        text[3][48];
  const char *all[16] = {text[0], text[1], text[2]};

  PetscFunctionBegin;
  PetscCheck(ndefines <= 13, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " definitions", ndefines);
  PetscCall(PetscSNPrintf(text[0], sizeof(text[0]), "PLEX_DG_NG=%" PetscInt_FMT, dg->quadrature->NG));
  PetscCall(PetscSNPrintf(text[1], sizeof(text[1]), "PLEX_DG_MG=%" PetscInt_FMT, dg->quadrature->MG));
  PetscCall(PetscSNPrintf(text[2], sizeof(text[2]), "PLEX_DG_AFFINE=%d", (int)dg->quadrature->affine));
  for (PetscInt k = 0; k < ndefines; ++k) all[3 + k] = defines[k];
  PetscCall(PlexDGCompile(dg, file, 3 + ndefines, all, module));
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
  PetscFunctionReturn(PETSC_SUCCESS);
}

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
