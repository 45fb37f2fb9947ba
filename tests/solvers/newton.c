static char help[] = "Newton's method on -div((1 + u^2) grad u) = f: the same iterations and solution with PlexGPU's "
                     "assembly as with PETSc's.\n\n";

#include "meshes.h"
#include "problem.h"
#include "report.h"

#define LEVELS   3 /* of multigrid */
#define MOST_ITS 20

/* One solve */
typedef struct {
  const PlexTestProblem *problem;
  const char            *backend; /* NULL: PETSc's assembly */
  const char            *type;    /* NULL: the library's choice */
  PetscBool              multigrid;
  /* iterations of Newton's method and of the linear solver, entries of the history */
  PetscInt  its, linear, n;
  PetscReal history[MOST_ITS + 1]; /* norms of residuals */
  PetscReal error;                 /* of the solution, in L2 */
  PetscInt  jacobians[LEVELS];     /* computed on each level, finest first */
  Vec       u;
} Solve;

/* A refined mesh, which holds those it came of; all with the problem */
static PetscErrorCode CreateMesh(const Solve *s, DM *dm)
{
  DM coarse, fine;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_SELF, s->problem->cell, 0, &coarse));
  for (PetscInt level = 1; level < (s->multigrid ? LEVELS : 2); ++level) {
    PetscCall(DMPlexSetRefinementUniform(coarse, PETSC_TRUE));
    PetscCall(DMRefine(coarse, PETSC_COMM_SELF, &fine));
    if (s->multigrid) PetscCall(DMSetCoarseDM(fine, coarse));
    PetscCall(DMDestroy(&coarse));
    coarse = fine;
  }
  *dm = coarse;
  while (coarse) {
    if (s->problem->device) PetscCall(PlexTestUseDevice(coarse));
    PetscCall(PlexTestProblemSetUp(coarse, s->problem));
    PetscCall(DMGetCoarseDM(coarse, &coarse));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All levels are told alike, as options would */
static PetscErrorCode SetAssembly(const Solve *s, DM dm)
{
  PlexAssembly assembly;

  PetscFunctionBegin;
  PetscCall(PlexAssemblySetSNESLocal(dm, NULL));
  while (dm) {
    PetscCall(PlexAssemblyGetFromDM(dm, &assembly));
    PetscCall(PlexAssemblySetBackend(assembly, s->backend));
    if (s->type) PetscCall(PlexAssemblySetType(assembly, s->type));
    PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_FORMS));
    PetscCall(DMGetCoarseDM(dm, &dm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetJacobians(Solve *s, DM dm)
{
  PlexAssemblyCounts counts;
  PlexAssembly       assembly;

  PetscFunctionBegin;
  for (PetscInt level = 0; dm && level < LEVELS; ++level) {
    PetscCall(PlexAssemblyGetFromDM(dm, &assembly));
    PetscCall(PlexAssemblyGetCounts(assembly, &counts));
    s->jacobians[level] = counts.jacobians;
    PetscCall(DMGetCoarseDM(dm, &dm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunSolve(void *ctx)
{
  Solve *s = (Solve *)ctx;
  SNES   snes;
  KSP    ksp;
  PC     pc;
  DM     dm;
  PetscErrorCode (*solution[1])(PetscInt, PetscReal, const PetscReal[], PetscInt, PetscScalar *,
                                void *) = {PlexTestSolution};
  SNESConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(CreateMesh(s, &dm));
  PetscCall(SNESCreate(PETSC_COMM_SELF, &snes));
  PetscCall(SNESSetDM(snes, dm));
  if (s->backend) PetscCall(SetAssembly(s, dm));
  else PetscCall(DMPlexSetSNESLocalFEM(dm, PETSC_FALSE, NULL));
  PetscCall(SNESSetTolerances(snes, 1e-12, 1e-14, 0., MOST_ITS, PETSC_CURRENT));
  PetscCall(SNESSetConvergenceHistory(snes, s->history, NULL, MOST_ITS + 1, PETSC_TRUE));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(KSPSetTolerances(ksp, 1e-12, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, s->multigrid ? PCMG : PCILU));
  if (s->multigrid) {
    PetscCall(PCMGSetLevels(pc, LEVELS, NULL));
    PetscCall(PCMGSetGalerkin(pc, PC_MG_GALERKIN_NONE));
  }
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(DMCreateGlobalVector(dm, &s->u));
  PetscCall(VecSet(s->u, 0.));
  PetscCall(SNESSolve(snes, NULL, s->u));
  PetscCall(SNESGetConvergedReason(snes, &reason));
  PetscCheck(reason > 0, PETSC_COMM_SELF, PETSC_ERR_CONV_FAILED, "SNES ended with %s", SNESConvergedReasons[reason]);
  PetscCall(SNESGetIterationNumber(snes, &s->its));
  PetscCall(SNESGetLinearSolveIterations(snes, &s->linear));
  PetscCall(SNESGetConvergenceHistory(snes, NULL, NULL, &s->n));
  PetscCall(DMComputeL2Diff(dm, 0., solution, NULL, s->u, &s->error));
  if (s->backend) PetscCall(GetJacobians(s, dm));
  PetscCall(SNESDestroy(&snes));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r_(k+1) <= C (r_k / r_0)^2 r_0 once Newton's method has arrived, as far as rounding lets one see: the largest such
   C */
static PetscReal QuadraticConstant(const Solve *s)
{
  PetscReal C = 0.;

  for (PetscInt k = 0; k + 1 < s->n; ++k) {
    const PetscReal r = s->history[k] / s->history[0], next = s->history[k + 1] / s->history[0];

    if (r < 0.1 && next > 1e-13) C = PetscMax(C, next / (r * r));
  }
  return C;
}

static PetscErrorCode Compare(const char name[], const Solve *petsc, Solve *s)
{
  char           text[2048], line[256];
  PetscErrorCode ierr;
  PetscReal      difference = PETSC_INFINITY, norm, C;

  PetscFunctionBegin;
  PetscCall(PlexTestTry(RunSolve, s, &ierr, text, sizeof(text)));
  if (ierr) {
    PetscCall(PlexTestReport(PETSC_FALSE, name, "error %d: %s", (int)ierr, text));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscSNPrintf(line, sizeof(line), "%s: iterations", name));
  PetscCall(PlexTestReport((PetscBool)(s->its == petsc->its && s->linear == petsc->linear), line,
                           "%" PetscInt_FMT " of SNES and %" PetscInt_FMT
                           " of KSP, with PETSc's assembly %" PetscInt_FMT " and %" PetscInt_FMT,
                           s->its, s->linear, petsc->its, petsc->linear));
  PetscCall(VecNorm(petsc->u, NORM_INFINITY, &norm));
  PetscCall(VecAXPY(s->u, -1., petsc->u));
  PetscCall(VecNorm(s->u, NORM_INFINITY, &difference));
  PetscCall(PlexTestReportOf((PetscBool)(difference <= 1e-10 * norm), name, "solution",
                             "it differs from that with PETSc's assembly by %g of %g", (double)difference,
                             (double)norm));
  C = QuadraticConstant(s);
  PetscCall(PlexTestReportOf((PetscBool)(C > 0. && C <= 20.), name, "quadratic convergence",
                             "C = %g in r_(k+1) <= C r_k^2, %" PetscInt_FMT " norms from %g to %g", (double)C, s->n,
                             (double)s->history[0], (double)s->history[s->n - 1]));
  for (PetscInt level = 0; level < (s->multigrid ? LEVELS : 1); ++level) {
    PetscCall(PetscSNPrintf(line, sizeof(line), "%s: Jacobians of level %" PetscInt_FMT, name, level));
    PetscCall(PlexTestReport((PetscBool)(s->jacobians[level] == s->its), line,
                             "%" PetscInt_FMT " in %" PetscInt_FMT " iterations", s->jacobians[level], s->its));
  }
  PetscCall(VecDestroy(&s->u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* second: a strategy to try besides the library's choice */
static PetscErrorCode Look(const char what[], DMPolytopeType cell, PetscInt degree, PetscBool multigrid,
                           const char second[])
{
  PlexTestProblem    problem = {.cell = cell, .degree = degree, .components = 1, .form = PLEX_TEST_DIFFUSION};
  Solve              petsc   = {.problem = &problem, .multigrid = multigrid};
  char               name[256];
  const char *const *backends;
  PetscInt           n;
  PetscBool          host;

  PetscFunctionBegin;
  PetscCall(PlexTestOnDevice(&problem.device));
  PetscCall(RunSolve(&petsc));
  PetscCall(PlexTestReportOf((PetscBool)(petsc.error < (degree > 1 ? 0.005 : 0.05)), what, "error of the solution",
                             "%g", (double)petsc.error));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(PetscStrcmp(backends[k], PLEXBACKENDHOST, &host));
    for (PetscInt t = 0; t < (host ? 1 : 2); ++t) {
      Solve s = {.problem = &problem, .multigrid = multigrid, .backend = backends[k], .type = t ? second : NULL};

      PetscCall(PetscSNPrintf(name, sizeof(name), "%s, %s%s%s", what, backends[k], host ? "" : " ",
                              host ? ""
                              : t  ? second
                                   : "auto"));
      PetscCall(Compare(name, &petsc, &s));
    }
  }
  PetscCall(VecDestroy(&petsc.u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_fallback", "false"));
  PetscCall(Look("tri P2", DM_POLYTOPE_TRIANGLE, 2, PETSC_FALSE, PLEXASSEMBLYGLOBALNZ));
  PetscCall(Look("quad Q2", DM_POLYTOPE_QUADRILATERAL, 2, PETSC_FALSE, PLEXASSEMBLYELEMENTCOLOR));
  PetscCall(Look("tet P1", DM_POLYTOPE_TETRAHEDRON, 1, PETSC_FALSE, PLEXASSEMBLYSHAREDNZ));
  PetscCall(Look("hex Q1", DM_POLYTOPE_HEXAHEDRON, 1, PETSC_FALSE, PLEXASSEMBLYGLOBALROW));
  PetscCall(Look("tri P2 multigrid", DM_POLYTOPE_TRIANGLE, 2, PETSC_TRUE, PLEXASSEMBLYLOCALNZ));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
