static char
  help[] = "Jacobians of solvers with the local vectors of residuals: taken at the same state, made again where "
           "anything is not as it was, the same bits in either case.\n\n";

#include <plexgpu/impl.h>
#include <petsc/private/snesimpl.h>
#include "meshes.h"
#include "report.h"
#include "problem.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* pointwise functions have more arguments than they use */
#include "reuse.h"

#define SOURCE "tests/solvers/reuse.h"

static PetscReal heat = 1.; /* a number that essential values depend on */

typedef struct {
  DM           dm;
  TS           ts;
  PlexAssembly assembly;
  Vec          X, Y, X_t, F;
  Mat          J, reference;
  const char  *backend;
} Case;

static PetscErrorCode Wall(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nc, PetscScalar *u, void *ctx)
{
  u[0] = heat * PetscCosReal(x[0]) + (t == PETSC_MIN_REAL ? 0. : t); /* that is a SNES's */
  return PETSC_SUCCESS;
}

static PetscErrorCode WallChange(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nc, PetscScalar *u, void *ctx)
{
  u[0] = heat;
  return PETSC_SUCCESS;
}

static PetscErrorCode SetAuxiliary(DM dm, PetscReal value)
{
  DM      aux;
  PetscFE fe;
  Vec     a;

  PetscFunctionBegin;
  PetscCall(DMGetAuxiliaryVec(dm, NULL, 0, 0, &a));
  if (a) PetscCall(VecSet(a, value));
  else {
    PetscCall(DMClone(dm, &aux));
    PetscCall(PetscFECreateLagrange(PETSC_COMM_SELF, 2, 1, PETSC_TRUE, 0, 2, &fe));
    PetscCall(DMSetField(aux, 0, NULL, (PetscObject)fe));
    PetscCall(DMCreateDS(aux));
    PetscCall(PetscFEDestroy(&fe));
    PetscCall(DMCreateLocalVector(aux, &a));
    PetscCall(VecSet(a, value));
    PetscCall(DMSetAuxiliaryVec(dm, NULL, 0, 0, a));
    PetscCall(VecDestroy(&a));
    PetscCall(DMDestroy(&aux));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateDM(DM *dm)
{
  const PetscScalar constant = 0.3;
  const PetscInt    one      = 1;
  PetscFE           fe;
  PetscDS           ds;
  DMLabel           label;
  PetscBool         device;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, DM_POLYTOPE_TRIANGLE, 0, dm));
  PetscCall(PlexTestDistributeDefault(dm, 0));
  PetscCall(PlexTestOnDevice(&device));
  if (device) PetscCall(PlexTestUseDevice(*dm));
  PetscCall(PetscFECreateLagrange(PETSC_COMM_SELF, 2, 1, PETSC_TRUE, 2, 2, &fe));
  PetscCall(DMSetField(*dm, 0, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMCreateDS(*dm));
  PetscCall(DMGetDS(*dm, &ds));
  PetscCall(PetscDSSetResidual(ds, 0, f0_reuse, f1_reuse));
  PetscCall(PetscDSSetJacobian(ds, 0, 0, g0_reuse, NULL, g2_reuse, g3_reuse));
  PetscCall(PetscDSSetConstants(ds, 1, (PetscScalar *)&constant));
  PetscCall(DMGetLabel(*dm, "boundary", &label));
  PetscCall(DMAddBoundary(*dm, DM_BC_ESSENTIAL, "wall", label, 1, &one, 0, 0, NULL, (PetscVoidFn *)Wall,
                          (PetscVoidFn *)WallChange, NULL, NULL));
  PetscCall(SetAuxiliary(*dm, 1.));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetAssembly(DM dm, const char backend[], PlexAssembly *assembly)
{
  PetscBool host;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(backend, PLEXBACKENDHOST, &host));
  PetscCall(PlexAssemblyGetFromDM(dm, assembly));
  PetscCall(PlexAssemblySetBackend(*assembly, backend));
  PetscCall(PlexAssemblySetPointwiseSource(*assembly, SOURCE));
  if (!host) PetscCall(PlexAssemblySetType(*assembly, PLEXASSEMBLYELEMENTCOLOR)); /* the same bits each time */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Computes J, and without local vectors of the residual what J should be. taken: it is to have taken them */
static PetscErrorCode Look(Case *c, SNES snes, PetscReal t, PetscBool taken, const char what[])
{
  const PetscInt before = c->assembly->reused;
  PetscBool      same, all = c->assembly->reuseSolution;
  PetscInt       reused;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    Mat A = k ? c->reference : c->J;

    if (k) c->assembly->reuseSolution = PETSC_FALSE;
    if (c->ts) PetscCall(TSComputeIJacobian(c->ts, t, c->X, c->X_t, 2., A, A, PETSC_FALSE));
    else PetscCall(SNESComputeJacobian(snes, c->X, A, A));
    if (!k) reused = c->assembly->reused - before;
  }
  c->assembly->reuseSolution = all;
  PetscCall(MatEqual(c->J, c->reference, &same));
  PetscCall(PlexTestReportOf((PetscBool)(same && reused == (taken ? 1 : 0) && c->assembly->reused == before + reused),
                             c->backend, what, "%s Jacobians, %" PetscInt_FMT " with the residual's vectors",
                             same ? "equal" : "other", reused));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Function(Case *c, SNES snes, PetscReal t)
{
  PetscFunctionBegin;
  if (c->ts) PetscCall(TSComputeIFunction(c->ts, t, c->X, c->X_t, c->F, PETSC_FALSE));
  else PetscCall(SNESComputeFunction(snes, c->X, c->F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode UseWork(DM dm)
{
  Vec work[3];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 3; ++k) PetscCall(DMGetLocalVector(dm, &work[k]));
  for (PetscInt k = 0; k < 3; ++k) PetscCall(VecSet(work[k], 7.));
  for (PetscInt k = 0; k < 3; ++k) PetscCall(DMRestoreLocalVector(dm, &work[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Hook(DM dm, Vec g, InsertMode mode, Vec l, void *ctx)
{
  PetscFunctionBegin;
  PetscCall(VecScale(l, 2.));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is other than at the residual, one thing after the other */
static PetscErrorCode LookAtChanges(Case *c, SNES snes)
{
  const PetscScalar constant = 0.7;
  const PetscReal   t        = 0.5;
  PetscDS           ds;
  Vec               X = c->X, coordinates;

  PetscFunctionBegin;
  PetscCall(Function(c, snes, t));
  PetscCall(Look(c, snes, t, PETSC_TRUE, "the same state"));
  PetscCall(Function(c, snes, t));
  PetscCall(VecShift(c->X, 0.25));
  PetscCall(Look(c, snes, t, PETSC_FALSE, "a changed vector"));
  PetscCall(Function(c, snes, t));
  c->X = c->Y;
  PetscCall(VecCopy(X, c->X));
  PetscCall(Look(c, snes, t, PETSC_FALSE, "another vector"));
  c->X = X;
  PetscCall(Function(c, snes, t));
  PetscCall(UseWork(c->dm));
  PetscCall(Look(c, snes, t, PETSC_FALSE, "work vectors that were written to"));
  PetscCall(Function(c, snes, t));
  PetscCall(DMGetDS(c->dm, &ds));
  PetscCall(PetscDSSetConstants(ds, 1, (PetscScalar *)&constant));
  PetscCall(Look(c, snes, t, PETSC_TRUE, "a changed constant"));
  PetscCall(Function(c, snes, t));
  PetscCall(SetAuxiliary(c->dm, 3.));
  PetscCall(Look(c, snes, t, PETSC_TRUE, "a changed auxiliary field"));
  PetscCall(Function(c, snes, t));
  PetscCall(DMGetCoordinatesLocal(c->dm, &coordinates));
  PetscCall(VecScale(coordinates, 1.5));
  PetscCall(Look(c, snes, t, PETSC_FALSE, "a moved mesh"));
  PetscCall(Function(c, snes, t));
  heat += 1.;
  PetscCall(SNESSetIterationNumber(snes, 1));
  PetscCall(Look(c, snes, t, PETSC_FALSE, "essential values of a later iteration"));
  PetscCall(Function(c, snes, t));
  PetscCall(PlexVecShare(c->X)); /* its entries may change without its state */
  PetscCall(Look(c, snes, t, PETSC_FALSE, "a vector whose memory is shared"));
  PetscCall(PetscObjectCompose((PetscObject)c->X, "PlexGPU shared", NULL));
  PetscCall(Function(c, snes, t));
  if (c->ts) {
    PetscCall(Look(c, snes, t + 1., PETSC_FALSE, "another time"));
    PetscCall(Function(c, snes, t));
    PetscCall(VecShift(c->X_t, 1.));
    PetscCall(Look(c, snes, t, PETSC_FALSE, "another time derivative"));
    PetscCall(Function(c, snes, t));
  }
  PetscCall(PlexAssemblyReset(c->assembly));
  PetscCall(Look(c, snes, t, PETSC_FALSE, "an assembly that was reset"));
  PetscCall(Function(c, snes, t)); /* for the next solve */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The solve of a SNES of type shell: in it, essential values hold */
static PetscErrorCode ShellSolve(SNES snes, Vec x)
{
  Case *c;

  PetscFunctionBegin;
  PetscCall(SNESShellGetContext(snes, &c));
  if (!c->reference) {
    PetscCall(MatDuplicate(c->J, MAT_DO_NOT_COPY_VALUES, &c->reference));
    PetscCall(LookAtChanges(c, snes));
  } else {
    heat += 1.;
    PetscCall(Look(c, snes, 0.5, PETSC_FALSE, "a residual of an earlier solve"));
    PetscCall(Function(c, snes, 0.5));
    PetscCall(DMGlobalToLocalHookAdd(c->dm, NULL, Hook, NULL));
    PetscCall(Look(c, snes, 0.5, PETSC_FALSE, "a hook of DMGlobalToLocal()"));
  }
  PetscCall(SNESSetConvergedReason(snes, SNES_CONVERGED_ITS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Update(SNES snes, PetscInt it)
{
  return PETSC_SUCCESS;
}

static PetscErrorCode LookAtStates(const char backend[], PetscBool time)
{
  char name[64];
  Case c = {.backend = name};
  SNES snes;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s %s", backend, time ? "TS" : "SNES"));
  heat = 1.;
  PetscCall(CreateDM(&c.dm));
  PetscCall(SNESCreate(PETSC_COMM_WORLD, &snes));
  PetscCall(SNESSetDM(snes, c.dm));
  PetscCall(SNESSetType(snes, SNESSHELL));
  PetscCall(SNESShellSetContext(snes, &c));
  PetscCall(SNESShellSetSolve(snes, ShellSolve));
  PetscCall(SNESSetUpdate(snes, Update));
  if (time) {
    PetscCall(TSCreate(PETSC_COMM_WORLD, &c.ts));
    PetscCall(TSSetDM(c.ts, c.dm));
    PetscCall(TSSetType(c.ts, TSBEULER));
    PetscCall(PlexAssemblySetTSLocal(c.dm, NULL));
    PetscCall(SetAssembly(c.dm, backend, &c.assembly));
    c.assembly->reuseSolution = PETSC_TRUE;
    PetscCall(TSSetUp(c.ts));
  } else {
    PetscCall(PlexAssemblySetSNESLocal(c.dm, NULL));
    PetscCall(SetAssembly(c.dm, backend, &c.assembly));
    c.assembly->reuseSolution = PETSC_TRUE;
  }
  PetscCall(DMCreateGlobalVector(c.dm, &c.X));
  PetscCall(VecDuplicate(c.X, &c.Y));
  PetscCall(VecDuplicate(c.X, &c.F));
  PetscCall(VecDuplicate(c.X, &c.X_t));
  PetscCall(VecSetRandom(c.X, NULL));
  PetscCall(VecSetRandom(c.X_t, NULL));
  PetscCall(DMCreateMatrix(c.dm, &c.J));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(SNESSolve(snes, NULL, c.Y));
  PetscCall(VecDestroy(&c.X));
  PetscCall(VecDestroy(&c.Y));
  PetscCall(VecDestroy(&c.F));
  PetscCall(VecDestroy(&c.X_t));
  PetscCall(MatDestroy(&c.J));
  PetscCall(MatDestroy(&c.reference));
  PetscCall(TSDestroy(&c.ts));
  PetscCall(SNESDestroy(&snes));
  PetscCall(DMDestroy(&c.dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A run with PETSc's solvers: *u, Jacobians, and those with vectors of residuals */
static PetscErrorCode Run(const char backend[], PetscBool time, const char search[], PetscBool reuse, Vec *u,
                          PetscInt counts[2])
{
  PlexAssembly assembly;
  SNES         snes;
  TS           ts = NULL;
  DM           dm;

  PetscFunctionBegin;
  heat = 1.;
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_reuse_solution", reuse ? "true" : "false"));
  PetscCall(PetscOptionsSetValue(NULL, "-snes_linesearch_type", search));
  PetscCall(CreateDM(&dm));
  if (time) {
    PetscCall(PlexAssemblySetTSLocal(dm, NULL));
    PetscCall(SetAssembly(dm, backend, &assembly));
    PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
    PetscCall(TSSetDM(ts, dm));
    PetscCall(TSSetType(ts, TSBEULER));
    PetscCall(TSSetTimeStep(ts, 0.1));
    PetscCall(TSSetMaxSteps(ts, 3));
    PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
    PetscCall(TSSetFromOptions(ts));
  } else {
    PetscCall(PlexAssemblySetSNESLocal(dm, NULL));
    PetscCall(SetAssembly(dm, backend, &assembly));
    PetscCall(SNESCreate(PETSC_COMM_WORLD, &snes));
    PetscCall(SNESSetDM(snes, dm));
    PetscCall(SNESSetFromOptions(snes));
  }
  PetscCall(DMCreateGlobalVector(dm, u));
  PetscCall(VecSet(*u, 0.5));
  if (time) PetscCall(TSSolve(ts, *u));
  else PetscCall(SNESSolve(snes, NULL, *u));
  counts[0] = assembly->counts[PLEX_JACOBIAN][0];
  counts[1] = assembly->reused;
  if (time) PetscCall(TSDestroy(&ts));
  else PetscCall(SNESDestroy(&snes));
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscOptionsClearValue(NULL, "-plex_assembly_reuse_solution"));
  PetscCall(PetscOptionsClearValue(NULL, "-snes_linesearch_type"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How many Jacobians take them: the first of a solve, whose line search copies vectors; all where it does not */
static PetscErrorCode LookAtSolvers(const char backend[], PetscBool time, const char search[], PetscBool all)
{
  char      name[128];
  Vec       u[2];
  PetscInt  counts[2][2], expected;
  PetscBool same;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) PetscCall(Run(backend, time, search, (PetscBool)!k, &u[k], counts[k]));
  PetscCall(VecEqual(u[0], u[1], &same));
  PetscCall(VecDestroy(&u[0]));
  PetscCall(VecDestroy(&u[1]));
  expected = all ? counts[0][0] : time ? 3 : 1;
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s: a %s with line search %s", backend, time ? "TS" : "SNES", search));
  PetscCall(PlexTestReport((PetscBool)(same && counts[0][0] == counts[1][0] && counts[0][0] > 1 + (time ? 3 : 0) &&
                                       counts[0][1] == expected && !counts[1][1]),
                           name,
                           "%s solutions; %" PetscInt_FMT " Jacobians, %" PetscInt_FMT
                           " with vectors of residuals; without: %" PetscInt_FMT ", %" PetscInt_FMT,
                           same ? "equal" : "other", counts[0][0], counts[0][1], counts[1][0], counts[1][1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestQuickKernels());
  PetscCall(PlexGPUInitializePackage()); /* before a solver gets its type */
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) {
    for (PetscInt time = 0; time < 2; ++time) {
      PetscCall(LookAtStates(backends[b], (PetscBool)time));
      PetscCall(LookAtSolvers(backends[b], (PetscBool)time, SNESLINESEARCHBT, PETSC_FALSE));
      PetscCall(LookAtSolvers(backends[b], (PetscBool)time, SNESLINESEARCHCP, PETSC_TRUE));
    }
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
