static char
  help[] = "K, which kernels do without by default, is asked for later: between solves of SNES, between stages, by "
           "another smoother, after other boundary conditions, during a solve.\n\n";

#include "hdgproblem.h"
#include "meshes.h"
#include "report.h"

static PetscErrorCode Load(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar f[], void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < n; ++d) f[d] = PetscSinReal(7. * x[0] + d) * PetscCosReal(5. * x[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A flow through the box, of a trace that is not zero */
static PetscErrorCode Known(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar g[],
                            void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < n; ++d) g[d] = d == 0 ? 1. + x[1] * x[1] : x[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateOn(DMPolytopeType cell, const char backend[], PlexHDGSystem system, PlexHDG *hdg)
{
  KSP ksp;
  DM  dm;

  PetscFunctionBegin;
  PetscCall(PlexTestHDGBox(PETSC_COMM_WORLD, cell, 4, &dm));
  PetscCall(PlexTestDistribute(&dm, 0, PETSC_FALSE));
  PetscCall(PlexHDGCreate(dm, hdg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexHDGSetSystem(*hdg, system));
  PetscCall(PlexHDGSetDegree(*hdg, 2));
  PetscCall(PlexHDGSetBackend(*hdg, backend));
  if (system == PLEX_HDG_DIFFUSION) PetscCall(PlexHDGSetDiffusion(*hdg, 1., 0.));
  else PetscCall(PlexHDGSetViscosity(*hdg, 1.));
  PetscCall(PlexHDGSetSource(*hdg, Load, NULL));
  PetscCall(PlexHDGAddBoundary(*hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, Known, NULL));
  PetscCall(PlexHDGGetKSP(*hdg, &ksp));
  PetscCall(KSPSetTolerances(ksp, 1e-11, 1e-50, PETSC_CURRENT, 1000));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(const char backend[], PlexHDGSystem system, PlexHDG *hdg)
{
  PetscFunctionBegin;
  PetscCall(CreateOn(DM_POLYTOPE_TRIANGLE, backend, system, hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A linear problem in SNES, solved again from zero after K was asked for, or after the program has taken another preconditioner; lags: the
   Jacobian is not asked for again */
static PetscErrorCode TestSNES(const char backend[], PetscBool asks, PetscBool lags)
{
  PetscBool before, after;
  PetscReal differ;
  PlexHDG   hdg;
  SNES      snes;
  KSP       ksp;
  PC        pc;
  Mat       K;
  Vec       X, first;

  PetscFunctionBegin;
  PetscCall(Create(backend, PLEX_HDG_DIFFUSION, &hdg));
  PetscCall(SNESCreate(PETSC_COMM_WORLD, &snes));
  PetscCall(PlexHDGSetSNES(hdg, snes));
  PetscCall(SNESSetTolerances(snes, 1e-30, 1e-9, 1e-13, 30, 1000));
  PetscCall(PlexHDGCreateStateVec(hdg, &X));
  PetscCall(VecZeroEntries(X));
  PetscCall(SNESSolve(snes, NULL, X));
  before = hdg->without;
  PetscCall(VecDuplicate(X, &first));
  PetscCall(VecCopy(X, first));
  if (lags) PetscCall(SNESSetLagJacobian(snes, -2));
  if (lags) PetscCall(SNESSolve(snes, NULL, X));
  if (asks) PetscCall(PlexHDGAssemble(hdg, &K));
  else {
    PetscCall(PlexHDGGetKSP(hdg, &ksp));
    PetscCall(KSPGetPC(ksp, &pc));
    PetscCall(PCSetType(pc, PCBJACOBI));
  }
  PetscCall(VecZeroEntries(X));
  PetscCall(SNESSolve(snes, NULL, X));
  after = hdg->without;
  PetscCall(PlexTestDifference(first, X, &differ));
  PetscCall(PlexTestReportOf((PetscBool)(before && !after && differ < 1e-7), backend,
                             lags   ? "SNES with a Jacobian that lags, after K was asked for"
                             : asks ? "SNES after K was asked for"
                                    : "SNES after another preconditioner was taken",
                             "without K before %d, after %d, difference %g", (int)before, (int)after, (double)differ));
  PetscCall(VecDestroy(&first));
  PetscCall(VecDestroy(&X));
  PetscCall(SNESDestroy(&snes));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Stages by hand, where K is asked for behind the right-hand side, beside PlexHDGSolve() */
static PetscErrorCode TestStages(const char backend[])
{
  PetscReal differ;
  PlexHDG   hdg;
  Mat       K;
  Vec       trace, own, rhs;

  PetscFunctionBegin;
  PetscCall(Create(backend, PLEX_HDG_STOKES, &hdg));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexHDGGetSolution(hdg, &trace, NULL, NULL, NULL));
  PetscCall(VecDuplicate(trace, &own));
  PetscCall(VecDuplicate(trace, &rhs));
  PetscCall(PlexHDGComputeRHS(hdg, rhs));
  PetscCall(PlexHDGAssemble(hdg, &K));
  PetscCall(PlexHDGSolveTrace(hdg, rhs, own));
  PetscCall(PlexTestDifference(trace, own, &differ));
  PetscCall(PlexTestReportOf((PetscBool)(differ < 1e-7), backend,
                             "Stokes's equations by stages, K behind the right-hand side", "difference %g",
                             (double)differ));
  PetscCall(VecDestroy(&own));
  PetscCall(VecDestroy(&rhs));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The finest level's smoother is the program's own after a solve, and stays so, as does the coarse level's; up: that behind the coarse
   level alone, which has another one; renewed: with other coefficients together, and once more */
static PetscErrorCode TestSmoother(const char backend[], PetscBool up, PetscBool renewed)
{
  PetscBool before, same, below;
  PetscReal differ;
  PlexHDG   hdg;
  KSP       ksp, smoother, coarse;
  PC        mg, pc;
  Vec       u, first;

  PetscFunctionBegin;
  PetscCall(Create(backend, PLEX_HDG_DIFFUSION, &hdg));
  PetscCall(PlexHDGSolve(hdg));
  before = hdg->without;
  PetscCall(PlexHDGGetSolution(hdg, NULL, &u, NULL, NULL));
  PetscCall(VecDuplicate(u, &first));
  PetscCall(VecCopy(u, first));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPGetPC(ksp, &mg));
  PetscCall((up ? PCMGGetSmootherUp : PCMGGetSmoother)(mg, 1, &smoother));
  PetscCall(KSPGetPC(smoother, &pc));
  PetscCall(PCSetType(pc, PCSOR));
  PetscCall(PCMGGetCoarseSolve(mg, &coarse));
  PetscCall(KSPGetPC(coarse, &pc));
  PetscCall(PCSetType(pc, PCSVD));
  for (int k = 0; k < (renewed ? 2 : 1); ++k) {
    if (renewed) PetscCall(PlexHDGUpdate(hdg));
    PetscCall(PlexHDGSolve(hdg));
  }
  PetscCall(PlexHDGGetSolution(hdg, NULL, &u, NULL, NULL));
  PetscCall(PlexTestDifference(first, u, &differ));
  PetscCall((up ? PCMGGetSmootherUp : PCMGGetSmoother)(mg, 1, &smoother));
  PetscCall(KSPGetPC(smoother, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCSOR, &same));
  PetscCall(PCMGGetCoarseSolve(mg, &coarse));
  PetscCall(KSPGetPC(coarse, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCSVD, &below));
  PetscCall(PlexTestReportOf((PetscBool)(before && !hdg->without && same && below && differ < 1e-7), backend,
                             up        ? "a smoother of the program's own behind the coarse level"
                             : renewed ? "a smoother of the program's own, after other coefficients"
                                       : "a smoother of the program's own",
                             "without K before %d, after %d, the program's smoother %d, coarse solver %d, difference "
                             "%g",
                             (int)before, (int)hdg->without, (int)same, (int)below, (double)differ));
  PetscCall(VecDestroy(&first));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The smoother behind the coarser level is looked at, which makes PETSc have another one of the same type: no K is needed, and no more
   iterations. The same with a preconditioner that was taken away and is there again */
static PetscErrorCode TestLook(const char backend[], DMPolytopeType cell, PetscBool again)
{
  PetscBool before;
  PetscInt  its[3];
  PlexHDG   hdg;
  KSP       ksp, smoother;
  PC        mg;
  char      name[128];

  PetscFunctionBegin;
  PetscCall(CreateOn(cell, backend, PLEX_HDG_DIFFUSION, &hdg));
  PetscCall(PlexTestHDGIterations(hdg, &its[0]));
  before = hdg->without;
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPGetPC(ksp, &mg));
  if (again) {
    PetscCall(PCSetType(mg, PCNONE));
    PetscCall(PlexHDGSolve(hdg));
    PetscCall(PCSetType(mg, PCMG));
  } else PetscCall(PCMGGetSmootherUp(mg, 1, &smoother));
  PetscCall(PlexTestHDGIterations(hdg, &its[1]));
  PetscCall(PlexHDGUpdate(hdg));
  PetscCall(PlexTestHDGIterations(hdg, &its[2]));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s, %s, %s", backend, DMPolytopeTypes[cell],
                          again ? "multigrid taken away and back" : "a smoother is looked at"));
  PetscCall(PlexTestReportOf((PetscBool)(hdg->without == before && its[1] == its[0] && its[2] == its[0]), name,
                             "as many iterations",
                             "%" PetscInt_FMT ", %" PetscInt_FMT ", %" PetscInt_FMT ", without K %d, %d", its[0],
                             its[1], its[2], (int)before, (int)hdg->without));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps and scale of a smoother, and the coarse level's iteration, which a program has set, stay after other coefficients */
static PetscErrorCode TestSettings(const char backend[])
{
  PetscBool same;
  PetscInt  steps, its[2];
  PlexHDG   hdg;
  KSP       ksp, smoother, coarse;
  PC        mg, pc;

  PetscFunctionBegin;
  PetscCall(Create(backend, PLEX_HDG_DIFFUSION, &hdg));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPGetPC(ksp, &mg));
  PetscCall(PCMGGetSmoother(mg, 1, &smoother));
  PetscCall(KSPGetPC(smoother, &pc));
  PetscCall(PCSetType(pc, PCSOR));
  PetscCall(KSPRichardsonSetScale(smoother, 1.1));
  PetscCall(KSPSetTolerances(smoother, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT, 4));
  PetscCall(PCMGGetCoarseSolve(mg, &coarse));
  PetscCall(KSPSetType(coarse, KSPFGMRES));
  PetscCall(PlexTestHDGIterations(hdg, &its[0]));
  PetscCall(PlexHDGUpdate(hdg));
  PetscCall(PlexTestHDGIterations(hdg, &its[1]));
  PetscCall(PCMGGetSmoother(mg, 1, &smoother));
  PetscCall(KSPGetTolerances(smoother, NULL, NULL, NULL, &steps));
  PetscCall(PCMGGetCoarseSolve(mg, &coarse));
  PetscCall(PetscObjectTypeCompare((PetscObject)coarse, KSPFGMRES, &same));
  PetscCall(PlexTestReportOf((PetscBool)(same && steps == 4 && its[0] == its[1]), backend,
                             "settings of the program's after other coefficients",
                             "coarse iteration %d, steps %" PetscInt_FMT ", iterations %" PetscInt_FMT
                             ", %" PetscInt_FMT,
                             (int)same, steps, its[0], its[1]));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Another smoother by an option that comes after a solve */
static PetscErrorCode TestOption(const char backend[])
{
  PetscBool same;
  PlexHDG   hdg;
  KSP       ksp, smoother;
  PC        mg, pc;

  PetscFunctionBegin;
  PetscCall(Create(backend, PLEX_HDG_DIFFUSION, &hdg));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_hdg_mg_levels_pc_type", PCSOR));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(PlexHDGUpdate(hdg));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PetscOptionsClearValue(NULL, "-plex_hdg_mg_levels_pc_type"));
  PetscCall(KSPGetPC(ksp, &mg));
  PetscCall(PCMGGetSmoother(mg, 1, &smoother));
  PetscCall(KSPGetPC(smoother, &pc));
  PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCSOR, &same));
  PetscCall(PlexTestReportOf(same, backend, "a smoother by an option after a solve", "%s", "another one"));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* K is asked for behind another condition, of which the trace has other unknowns */
static PetscErrorCode TestBoundary(const char backend[])
{
  PetscInt rows, n[2];
  PlexHDG  hdg;
  Mat      K;
  Vec      trace;

  PetscFunctionBegin;
  PetscCall(Create(backend, PLEX_HDG_DIFFUSION, &hdg));
  PetscCall(PlexHDGSetDiffusion(hdg, 1., 1.));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexHDGGetSolution(hdg, &trace, NULL, NULL, NULL));
  PetscCall(VecGetSize(trace, &n[0]));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_NEUMANN, NULL, NULL));
  PetscCall(PlexHDGAssemble(hdg, &K));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexHDGGetSolution(hdg, &trace, NULL, NULL, NULL));
  PetscCall(VecGetSize(trace, &n[1]));
  PetscCall(MatGetSize(K, &rows, NULL));
  PetscCall(PlexTestReportOf((PetscBool)(n[0] < n[1] && rows == n[1]), backend, "K behind another boundary condition",
                             "%" PetscInt_FMT " unknowns before, %" PetscInt_FMT " after, %" PetscInt_FMT " rows of K",
                             n[0], n[1], rows));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Ask(KSP ksp, PetscInt n, PetscReal norm, void *ctx)
{
  Mat K;

  PetscFunctionBegin;
  PetscCall(PlexHDGAssemble((PlexHDG)ctx, &K));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SolveAndAsk(void *ctx)
{
  PlexHDG hdg;
  KSP     ksp;

  PetscFunctionBegin;
  PetscCall(Create((const char *)ctx, PLEX_HDG_DIFFUSION, &hdg));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPMonitorSet(ksp, Ask, hdg, NULL));
  PetscCall(PlexHDGSolve(hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With K or without */
static PetscErrorCode TestSolver(const char backend[])
{
  PetscFunctionBegin;
  for (int again = 0; again < 2; ++again) {
    PetscCall(TestLook(backend, DM_POLYTOPE_TRIANGLE, (PetscBool)again));
    PetscCall(TestLook(backend, DM_POLYTOPE_QUADRILATERAL, (PetscBool)again));
  }
  PetscCall(TestSettings(backend));
  PetscCall(TestOption(backend));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestHost(void)
{
  PetscFunctionBegin;
  PetscCall(TestSolver(PLEXBACKENDHOST));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBackend(const char backend[])
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCall(TestSolver(backend));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(TestSNES(backend, PETSC_TRUE, PETSC_FALSE));
  PetscCall(TestSNES(backend, PETSC_TRUE, PETSC_TRUE));
  PetscCall(TestSNES(backend, PETSC_FALSE, PETSC_FALSE));
  PetscCall(TestStages(backend));
  PetscCall(TestSmoother(backend, PETSC_FALSE, PETSC_FALSE));
  PetscCall(TestSmoother(backend, PETSC_FALSE, PETSC_TRUE));
  PetscCall(TestSmoother(backend, PETSC_TRUE, PETSC_FALSE));
  PetscCall(TestBoundary(backend));
  if (size == 1)
    EXPECT("K during a solve", SolveAndAsk, (void *)backend, "PlexHDGAssemble() before", "-plex_hdg_trace aij");
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestQuickKernels());
  PetscCall(PlexTestEachBackend(TestBackend, TestHost));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
