/* The stages of statically condensed continuous elements, as those of hybridized DG are in src/hdg/solve.c */
#include "cgimpl.h"

static PetscErrorCode PlexHDGCGGetArgs(PlexHDGCG cg, PlexHDGCGArgs *args)
{
  PetscFunctionBegin;
  *args         = cg->args;
  args->e       = cg->hdg->args;
  args->e.begin = 0;
  args->e.end   = (int)cg->hdg->mesh->Ne;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGCGCondense(PlexHDGCG cg)
{
  PlexHDGCGKernels *k = (PlexHDGCGKernels *)cg->data;
  PlexHDGCGArgs     args;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(PLEX_HDGCGLocal, cg->hdg, 0, 0, 0));
  PetscCall(PlexHDGCGGetArgs(cg, &args));
  PetscCall(PlexHDGStageBegin_Private(cg->hdg));
  if (k) PetscCall(PlexHDGKernelLaunch_Private(&k->condense, &args.e, &args));
  else PetscCall(PlexHDGCGCondense_Host(cg, &args));
  PetscCall(PlexHDGStageEnd_Private(cg->hdg));
  PetscCall(PetscLogEventEnd(PLEX_HDGCGLocal, cg->hdg, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values on a device go by way of the host where PETSc's vector is distributed: VECMPICUDA, 3.26.1, reads them as if they were
   the host's */
static PetscErrorCode PlexHDGCGAssembleVector(PlexHDGCG cg)
{
  const size_t n      = (size_t)cg->hdg->mesh->Ne * cg->Nb;
  double      *values = NULL;
  PetscMPIInt  size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)cg->rhs), &size));
  if (size == 1 || !cg->hdg->backend->device) {
    PetscCall(VecSetValuesCOO(cg->rhs, cg->args.b, INSERT_VALUES));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(n, &values));
  PetscCall(PlexBackendCopyOut(cg->hdg->backend, values, cg->args.b, n * sizeof(double)));
  PetscCall(VecSetValuesCOO(cg->rhs, values, INSERT_VALUES));
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGCGAssemble(PlexHDGCG cg)
{
  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(PLEX_HDGCGAssemble, cg->hdg, 0, 0, 0));
  PetscCall(MatSetValuesCOO(cg->A, cg->args.K, INSERT_VALUES));
  PetscCall(PlexHDGCGAssembleVector(cg));
  PetscCall(PlexBackendSynchronize(cg->hdg->backend));
  PetscCall(PetscLogEventEnd(PLEX_HDGCGAssemble, cg->hdg, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGCGSolve(PlexHDGCG cg)
{
  PlexBackend        b = cg->hdg->backend;
  PlexHDGCGKernels  *k = (PlexHDGCGKernels *)cg->data;
  PlexHDGCGArgs      args;
  KSPConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(PlexHDGCGCondense(cg));
  PetscCall(PlexHDGCGAssemble(cg));
  PetscCall(PetscLogEventBegin(PLEX_HDGCGSolve, cg->hdg, 0, 0, 0));
  PetscCall(KSPSetOperators(cg->ksp, cg->A, cg->A));
  PetscCall(KSPSolve(cg->ksp, cg->rhs, cg->x));
  PetscCall(PetscLogEventEnd(PLEX_HDGCGSolve, cg->hdg, 0, 0, 0));
  PetscCall(KSPGetConvergedReason(cg->ksp, &reason));
  PetscCheck(reason > 0, PetscObjectComm((PetscObject)cg->hdg), PETSC_ERR_NOT_CONVERGED,
             "The equations of the continuous elements are not solved: %s. See -plex_hdg_cg_ksp_monitor, "
             "-plex_hdg_cg_ksp_max_it and -plex_hdg_cg_pc_type",
             KSPConvergedReasons[reason]);
  PetscCall(PetscLogEventBegin(PLEX_HDGCGRecover, cg->hdg, 0, 0, 0));
  PetscCall(VecScatterBegin(cg->scatter, cg->x, cg->local, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(cg->scatter, cg->x, cg->local, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(PlexBackendVecGet(b, cg->local, PLEX_READ, &cg->arrayX));
  PetscCall(PlexBackendVecGet(b, cg->u, PLEX_WRITE, &cg->arrayU));
  PetscCall(PlexHDGCGGetArgs(cg, &args));
  args.unknown = cg->arrayX.array;
  args.e.u     = cg->arrayU.array;
  PetscCall(PlexHDGStageBegin_Private(cg->hdg));
  if (k) PetscCall(PlexHDGKernelLaunch_Private(&k->recover, &args.e, &args));
  else PetscCall(PlexHDGCGRecover_Host(cg, &args));
  PetscCall(PlexHDGStageEnd_Private(cg->hdg));
  PetscCall(PlexBackendVecRestore(b, &cg->arrayX));
  PetscCall(PlexBackendVecRestore(b, &cg->arrayU));
  PetscCall(PetscLogEventEnd(PLEX_HDGCGRecover, cg->hdg, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGCGComputeError(PlexHDGCG cg, PlexHDGFn *u, void *ctx, PetscReal *most, PetscReal *L2)
{
  const PlexHDGSolution solution = {cg->u, NULL, NULL};
  PetscReal             sum[3], largest[3];

  PetscFunctionBegin;
  PetscCall(PlexHDGComputeErrors_Private(cg->hdg, &solution, u, NULL, ctx, sum, largest));
  *most = largest[0];
  *L2   = PetscSqrtReal(sum[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}
