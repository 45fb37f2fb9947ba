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

/* to[k] = sum of from[sources[start[k] .. start[k + 1]]] */
static PetscErrorCode PlexHDGCGSum(PlexHDGCG cg, const int start[], const int sources[], PetscInt n,
                                   const double from[], double to[])
{
  PlexHDGCGKernels *k           = (PlexHDGCGKernels *)cg->data;
  int               count       = (int)n;
  void             *arguments[] = {(void *)&start, (void *)&sources, &count, (void *)&from, &to};
  PetscInt          blocks;

  PetscFunctionBegin;
  if (k && n) {
    PetscCall(PlexHDGBlocks_Private(n, &blocks));
    PetscCall(PlexKernelLaunch(k->sums, blocks, 128, 0, arguments));
  }
  for (PetscInt i = 0; !k && i < n; ++i) {
    to[i] = 0.;
    for (int s = start[i]; s < start[i + 1]; ++s) to[i] += from[sources[s]];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGCGAssemble(PlexHDGCG cg)
{
  PlexBackend b = cg->hdg->backend;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(PLEX_HDGCGAssemble, cg->hdg, 0, 0, 0));
  PetscCall(PlexBackendMatGet(b, cg->A, PLEX_WRITE, &cg->arrayA));
  PetscCall(PlexBackendVecGet(b, cg->rhs, PLEX_WRITE, &cg->arrayRHS));
  PetscCall(PlexHDGCGSum(cg, cg->start, cg->sources, cg->nnz, cg->args.K, cg->arrayA.array));
  PetscCall(PlexHDGCGSum(cg, cg->startRow, cg->sourcesRow, cg->nfree, cg->args.b, cg->arrayRHS.array));
  PetscCall(PlexBackendMatRestore(b, &cg->arrayA));
  PetscCall(PlexBackendVecRestore(b, &cg->arrayRHS));
  PetscCall(MatAssemblyBegin(cg->A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(cg->A, MAT_FINAL_ASSEMBLY));
  PetscCall(PlexBackendSynchronize(b));
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
  PetscCheck(reason > 0, PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED,
             "The equations of the continuous elements are not solved: %s. See -plex_hdg_cg_ksp_monitor, "
             "-plex_hdg_cg_ksp_max_it and -plex_hdg_cg_pc_type",
             KSPConvergedReasons[reason]);
  PetscCall(PetscLogEventBegin(PLEX_HDGCGRecover, cg->hdg, 0, 0, 0));
  PetscCall(PlexBackendVecGet(b, cg->x, PLEX_READ, &cg->arrayX));
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
