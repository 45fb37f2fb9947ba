/*
  Problems that differ in the source and in the values of Dirichlet's and Neumann's conditions alone: K t_k = b_k,
  k = 0 .. n - 1, with one K and one preconditioner

    b_k  by local problems with source and known trace of problem k, which are kept
    t_k  all together by KSPMatSolve() where the solver's type takes a block of right-hand sides, else one after the
         other
    u_k, q_k by local problems of t_k, with what was kept; u*_k of these
*/
#include "hdgimpl.h" /*I "plexgpuhdg.h" I*/

typedef struct {
  const double *f;     /* [Ne][Np] moments of the source; NULL: none */
  const double *fixed; /* [nfixed][Nf] known trace */
} PlexHDGProblem;

/* Source and boundary values of problem k, evaluated; an error where K would be another one */
static PetscErrorCode PlexHDGEvaluateProblem(PlexHDG hdg, PetscInt k, PlexHDGProblemFn *problem, void *ctx)
{
  PetscBool stays;

  PetscFunctionBegin;
  PetscCall((*problem)(hdg, k, ctx));
  stays = (PetscBool)(!k || (hdg->setUp && !(hdg->stale & PLEX_HDG_STALE_COEFFICIENTS)));
  hdg->stale |= PLEX_HDG_STALE_SOURCE | PLEX_HDG_STALE_BOUNDARY;
  PetscCheck(stays, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ARG_WRONGSTATE,
             "Problem %" PetscInt_FMT
             " changes coefficients, stabilization, degree or kinds of kappa, and with them K: "
             "PlexHDGSolveMany() solves problems that differ in source and boundary values; for others call "
             "PlexHDGSolve()",
             k);
  PetscCall(PlexHDGSetUp(hdg));
  if (!k && (!hdg->assembled || hdg->args.shift != 0.)) { /* of a time step before */
    hdg->args.shift = 0.;
    PetscCall(PlexHDGAssemble(hdg, NULL));
  }
  PetscCheck(hdg->assembled, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ARG_WRONGSTATE,
             "Problem %" PetscInt_FMT " changes alpha of Robin's condition, or the kind of a condition, and with it K: "
             "PlexHDGSolveMany() solves problems that differ in source and boundary values; for others call "
             "PlexHDGSolve()",
             k);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A copy in the backend's memory */
static PetscErrorCode PlexHDGKeep(PlexHDG hdg, PlexMemory *memory, const double *values, PetscInt n,
                                  const double **kept)
{
  void *copy = NULL;

  PetscFunctionBegin;
  *kept = NULL;
  if (!values || !n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexMemoryAllocate(hdg->backend, memory, sizeof(double) * (size_t)n, &copy));
  PetscCall(PlexBackendCopy(hdg->backend, copy, values, sizeof(double) * (size_t)n));
  *kept = (const double *)copy;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* B's columns, and what problems have to be kept for */
static PetscErrorCode PlexHDGComputeManyRHS(PlexHDG hdg, PetscInt n, PlexHDGProblemFn *problem, void *ctx,
                                            PlexMemory *memory, PlexHDGProblem problems[], Mat *B)
{
  Vec     column;
  VecType type;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(PlexHDGEvaluateProblem(hdg, k, problem, ctx));
    PetscCall(PlexHDGCreateSolution_Private(hdg));
    if (!k) {
      PetscCall(VecGetType(hdg->rhs, &type));
      PetscCall(MatCreateDenseFromVecType(PetscObjectComm((PetscObject)hdg), type, hdg->mesh->nown * hdg->reference->Nf,
                                          PETSC_DECIDE, PETSC_DECIDE, n, PETSC_DECIDE, NULL, B));
    }
    PetscCall(PlexHDGComputeRHS(hdg, hdg->rhs));
    PetscCall(MatDenseGetColumnVecWrite(*B, k, &column));
    PetscCall(VecCopy(hdg->rhs, column));
    PetscCall(MatDenseRestoreColumnVecWrite(*B, k, &column));
    PetscCall(PlexHDGKeep(hdg, memory, hdg->args.f, hdg->mesh->Ne * hdg->reference->Np, &problems[k].f));
    PetscCall(PlexHDGKeep(hdg, memory, hdg->args.fixed, hdg->mesh->nfixed * hdg->reference->Nf, &problems[k].fixed));
  }
  PetscCall(MatAssemblyBegin(*B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*B, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Traces into X's columns */
static PetscErrorCode PlexHDGSolveTraces(PlexHDG hdg, PetscInt n, Mat B, Mat X)
{
  PetscErrorCode     ierr;
  KSP                ksp;
  KSPConvergedReason reason;
  PetscBool          block;
  Vec                column;

  PetscFunctionBegin;
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(PetscLogEventBegin(PLEX_HDGSolve, hdg, 0, 0, 0));
  PetscCall(PlexHDGSetOperators_Private(hdg));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)ksp, &block, KSPPREONLY, KSPHPDDM, ""));
  if (hdg->singular) block = PETSC_FALSE; /* KSPSolve() takes the null space out of a right-hand side */
  if (block) {
    hdg->solving = PETSC_TRUE;
    ierr         = KSPMatSolve(ksp, B, X);
    hdg->solving = PETSC_FALSE;
    PetscCall(ierr);
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCheck(reason > 0, PetscObjectComm((PetscObject)hdg), PETSC_ERR_NOT_CONVERGED,
               "The equations of %" PetscInt_FMT " traces are not solved: %s. See -plex_hdg_ksp_monitor", n,
               KSPConvergedReasons[reason]);
  }
  for (PetscInt k = 0; !block && k < n; ++k) {
    PetscCall(MatDenseGetColumnVecRead(B, k, &column));
    PetscCall(VecCopy(column, hdg->rhs));
    PetscCall(MatDenseRestoreColumnVecRead(B, k, &column));
    PetscCall(PlexHDGSolveTrace(hdg, hdg->rhs, hdg->trace));
    PetscCall(MatDenseGetColumnVecWrite(X, k, &column));
    PetscCall(VecCopy(hdg->trace, column));
    PetscCall(MatDenseRestoreColumnVecWrite(X, k, &column));
  }
  PetscCall(PetscLogEventEnd(PLEX_HDGSolve, hdg, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u, q and u* of problem k, whose trace is in hdg->trace */
static PetscErrorCode PlexHDGRecoverProblem(PlexHDG hdg, const PlexHDGProblem *problem, PetscBool star)
{
  const double *f = hdg->args.f, *fixed = hdg->args.fixed;

  PetscFunctionBegin;
  hdg->args.f     = problem->f;
  hdg->args.fixed = problem->fixed;
  PetscCall(PlexHDGRecover(hdg, hdg->trace, hdg->u, hdg->q));
  hdg->args.f     = f;
  hdg->args.fixed = fixed;
  if (star) PetscCall(PlexHDGPostprocess(hdg, hdg->u, hdg->q, hdg->star));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGSolveMany - Solves problems that differ in their sources and boundary values, with one matrix and one
  preconditioner

  Collective

  Input Parameters:
+ hdg     - the discretization
. n       - number of problems, at least 1
. problem - `problem(hdg, k, ctx)` sets source and boundary values of problem k = 0 .. n - 1: by `PlexHDGSetSource()`
            and `PlexHDGAddBoundary()`, or by numbers that their functions read, which are called for each problem
- ctx     - its context

  Output Parameters:
+ trace - [n] vectors of `PlexHDGCreateVecs()`; `NULL`: not wanted, as for the others
. u     - [n] solutions
. q     - [n] their fluxes kappa grad u
- star  - [n] post-processed u

  Level: intermediate

  Notes:
  Set-up, K and the preconditioner are made once. A problem that would change K, by another kappa, lambda, tau, alpha or
  kind of condition, is an error.

  Solvers of type `preonly`, as with -plex_hdg_ksp_type preonly -plex_hdg_pc_type lu, and `hpddm`, where PETSc has it
  and the option is given, take all right-hand sides in one call of `KSPMatSolve()`. PETSc's conjugate gradients and
  GMRES have no such form: with them traces are solved for one after the other. Functions are called once a problem;
  moments of the source and known traces of all problems are kept until the end, 8 Np bytes an element for each.

  Afterwards `PlexHDGGetSolution()` has the last problem's solution, and its source and values hold.

.seealso: `PlexHDG`, `PlexHDGSolve()`, `PlexHDGUpdate()`, `PlexHDGSetSource()`, `PlexHDGAddBoundary()`, `KSPMatSolve()`
@*/
PetscErrorCode PlexHDGSolveMany(PlexHDG hdg, PetscInt n, PlexHDGProblemFn *problem, void *ctx, Vec trace[], Vec u[],
                                Vec q[], Vec star[])
{
  PlexHDGProblem *problems;
  PlexMemory      memory = {0};
  Mat             B, X;
  Vec             column;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscCheck(n >= 1, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " problems: PlexHDGSolveMany() takes at least one", n);
  PetscCall(PlexHDGCheckSystem_Private(hdg, PLEX_HDG_DIFFUSION, "PlexHDGSolveMany()"));
  PetscCall(PlexHDGCheckUniform_Private(hdg, "PlexHDGSolveMany()"));
  PetscCheck(!hdg->nonlinear, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ORDER,
             "kappa depends on u: use PlexHDGSetSNES() and SNESSolve() in the place of PlexHDGSolveMany()");
  PetscCall(PetscCalloc1(n, &problems));
  PetscCall(PlexHDGComputeManyRHS(hdg, n, problem, ctx, &memory, problems, &B));
  PetscCall(MatDuplicate(B, MAT_DO_NOT_COPY_VALUES, &X));
  PetscCall(PlexHDGSolveTraces(hdg, n, B, X));
  PetscCall(MatDestroy(&B));
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(MatDenseGetColumnVecRead(X, k, &column));
    PetscCall(VecCopy(column, hdg->trace));
    PetscCall(MatDenseRestoreColumnVecRead(X, k, &column));
    PetscCall(PlexHDGRecoverProblem(hdg, &problems[k], (PetscBool)(star || k == n - 1)));
    if (trace) PetscCall(VecCopy(hdg->trace, trace[k]));
    if (u) PetscCall(VecCopy(hdg->u, u[k]));
    if (q) PetscCall(VecCopy(hdg->q, q[k]));
    if (star) PetscCall(VecCopy(hdg->star, star[k]));
  }
  PetscCall(MatDestroy(&X));
  PetscCall(PlexMemoryFree(hdg->backend, &memory));
  PetscCall(PetscFree(problems));
  PetscFunctionReturn(PETSC_SUCCESS);
}
