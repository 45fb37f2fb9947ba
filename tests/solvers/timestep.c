static char help[] = "TS on a reaction-diffusion problem: functions, Jacobian, steps and solution as with PETSc's "
                     "assembly.\n\n";

#include <plexgpu.h>
#include "meshes.h"
#include "report.h"
#include "problem.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* pointwise functions have more arguments than they use */
#include "forms_time.h"

#define FORMS "tests/solvers/forms_time.h"

/* How the callbacks come into the DM */
typedef enum {
  PETSC_OWN, /* PETSc's */
  ONE_LINE,  /* PlexAssemblySetTSLocal() */
  TAKEN_OVER /* PETSc's, taken over */
} Callbacks;

typedef struct {
  DMPolytopeType cell;
  PetscInt       degree;
  PetscBool      explicit;
  const char    *options;
} Problem;

/* One run: functions at a given point, then the solve */
typedef struct {
  const Problem *problem;
  Callbacks      callbacks;
  const char    *backend; /* NULL: none */
  Vec            F, G, u; /* implicit function, right-hand side, solution */
  Mat            J;
  PetscInt       steps, newton, linear, rejections, here[2], petsc[2];
} Run;

static PetscErrorCode Wall(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nc, PetscScalar *u, void *ctx)
{
  u[0] = 0.3 * PetscSinReal(2. * t + x[0]) * x[dim - 1];
  return PETSC_SUCCESS;
}

static PetscErrorCode WallChange(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nc, PetscScalar *u, void *ctx)
{
  u[0] = 0.6 * PetscCosReal(2. * t + x[0]) * x[dim - 1];
  return PETSC_SUCCESS;
}

static PetscErrorCode Start(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nc, PetscScalar *u, void *ctx)
{
  u[0] = PetscCosReal(3. * x[0]) * (1. + x[dim - 1]);
  return PETSC_SUCCESS;
}

static PetscErrorCode CreateProblem(const Problem *problem, DM *dm)
{
  const PetscScalar constants[2] = {0.1, 0.05};
  const PetscInt    one          = 1;
  PetscInt          dim;
  PetscFE           fe;
  PetscDS           ds;
  DMLabel           label;
  PetscBool         device;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, problem->cell, 0, dm));
  PetscCall(PlexTestDistributeDefault(dm, 0));
  PetscCall(PlexTestOnDevice(&device));
  if (device) PetscCall(PlexTestUseDevice(*dm));
  PetscCall(DMGetDimension(*dm, &dim));
  PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_WORLD, dim, 1, problem->cell, problem->degree, PETSC_DETERMINE,
                                        &fe));
  PetscCall(DMAddField(*dm, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMCreateDS(*dm));
  PetscCall(DMGetDS(*dm, &ds));
  if (problem->explicit) {
    PetscCall(PetscDSSetImplicit(ds, 0, PETSC_FALSE));
    PetscCall(PetscDSSetRHSResidual(ds, 0, f0_explicit, f1_explicit));
  } else {
    PetscCall(PetscDSSetResidual(ds, 0, f0_reaction, f1_conduction));
    PetscCall(PetscDSSetJacobian(ds, 0, 0, g0_reaction, NULL, g2_conduction, g3_conduction));
  }
  PetscCall(PetscDSSetConstants(ds, 2, (PetscScalar *)constants));
  PetscCall(DMGetLabel(*dm, "boundary", &label));
  PetscCall(DMAddBoundary(*dm, DM_BC_ESSENTIAL, "wall", label, 1, &one, 0, 0, NULL, (PetscVoidFn *)Wall,
                          (PetscVoidFn *)WallChange, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetCallbacks(const Run *run, DM dm)
{
  PlexAssembly assembly;

  PetscFunctionBegin;
  PetscCall(PlexGPUSetTakeOver((PetscBool)(run->callbacks == TAKEN_OVER)));
  if (run->callbacks == ONE_LINE) PetscCall(PlexAssemblySetTSLocal(dm, NULL));
  else {
    PetscCall(DMTSSetBoundaryLocal(dm, DMPlexTSComputeBoundary, NULL));
    if (run->problem->explicit) PetscCall(DMTSSetRHSFunctionLocal(dm, DMPlexTSComputeRHSFunctionFEM, NULL));
    else {
      PetscCall(DMTSSetIFunctionLocal(dm, DMPlexTSComputeIFunctionFEM, NULL));
      PetscCall(DMTSSetIJacobianLocal(dm, DMPlexTSComputeIJacobianFEM, NULL));
    }
  }
  if (run->problem->explicit) PetscCall(DMTSCreateRHSMassMatrix(dm));
  if (run->callbacks != PETSC_OWN) {
    PetscCall(PlexAssemblyGetFromDM(dm, &assembly));
    PetscCall(PlexAssemblySetBackend(assembly, run->backend));
    PetscCall(PlexAssemblySetPointwiseSource(assembly, FORMS));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers that look random, other ones for another seed */
static PetscErrorCode SetNumbers(Vec X, PetscInt seed)
{
  PetscScalar *x;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(X, &n));
  PetscCall(VecGetArrayWrite(X, &x));
  for (PetscInt k = 0; k < n; ++k) x[k] = 0.6 * PetscSinReal(12.9898 * (k + 1) + 78.233 * seed);
  PetscCall(VecRestoreArrayWrite(X, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Functions and Jacobian at some time, state, derivative and shift */
static PetscErrorCode Evaluate(Run *run, TS ts, DM dm)
{
  Vec       X, X_t;
  PetscReal t = 0.7, shift = 3.;

  PetscFunctionBegin;
  PetscCall(DMCreateGlobalVector(dm, &X));
  PetscCall(VecDuplicate(X, &X_t));
  PetscCall(VecDuplicate(X, &run->F));
  PetscCall(VecDuplicate(X, &run->G));
  PetscCall(DMCreateMatrix(dm, &run->J));
  PetscCall(SetNumbers(X, 1));
  PetscCall(SetNumbers(X_t, 2));
  PetscCall(VecSet(run->F, 1.)); /* where there is no such function */
  PetscCall(VecSet(run->G, 1.));
  PetscCall(MatShift(run->J, 1.));
  if (run->problem->explicit) PetscCall(TSComputeRHSFunction(ts, t, X, run->G));
  else {
    PetscCall(TSComputeIFunction(ts, t, X, X_t, run->F, PETSC_FALSE));
    PetscCall(TSComputeIJacobian(ts, t, X, X_t, shift, run->J, run->J, PETSC_FALSE));
  }
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&X_t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunProblem(void *ctx)
{
  Run               *run = (Run *)ctx;
  PlexAssemblyCounts counts;
  PlexAssembly       assembly;
  TS                 ts;
  DM                 dm;
  PetscErrorCode (*start[1])(PetscInt, PetscReal, const PetscReal[], PetscInt, PetscScalar *, void *) = {Start};

  PetscFunctionBegin;
  PetscCall(CreateProblem(run->problem, &dm));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetDM(ts, dm));
  PetscCall(SetCallbacks(run, dm));
  PetscCall(TSSetTimeStep(ts, 0.05));
  PetscCall(TSSetMaxTime(ts, 0.4));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(TSSetUp(ts));
  PetscCall(Evaluate(run, ts, dm));
  PetscCall(DMCreateGlobalVector(dm, &run->u));
  PetscCall(DMProjectFunction(dm, 0., start, NULL, INSERT_VALUES, run->u));
  PetscCall(TSSolve(ts, run->u));
  PetscCall(TSGetStepNumber(ts, &run->steps));
  PetscCall(TSGetStepRejections(ts, &run->rejections));
  PetscCall(TSGetSNESIterations(ts, &run->newton));
  PetscCall(TSGetKSPIterations(ts, &run->linear));
  if (run->callbacks != PETSC_OWN) {
    PetscCall(PlexAssemblyGetFromDM(dm, &assembly));
    PetscCall(PlexAssemblyGetCounts(assembly, &counts));
    run->here[0]  = counts.residuals;
    run->here[1]  = counts.jacobians;
    run->petsc[0] = counts.residualsLeft;
    run->petsc[1] = counts.jacobiansLeft;
  }
  if (run->problem->explicit) PetscCall(DMTSDestroyRHSMassMatrix(dm));
  PetscCall(TSDestroy(&ts));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Free(Run *run)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&run->F));
  PetscCall(VecDestroy(&run->G));
  PetscCall(VecDestroy(&run->u));
  PetscCall(MatDestroy(&run->J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MatDifference(Mat A, Mat B, PetscReal *difference)
{
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(MatNorm(B, NORM_FROBENIUS, &norm));
  PetscCall(MatAXPY(A, -1., B, SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(A, NORM_FROBENIUS, difference));
  *difference /= norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compare(const char name[], const Run *petsc, Run *run)
{
  char           text[2048];
  PetscErrorCode ierr;
  PetscReal      F, G, J, u;

  PetscFunctionBegin;
  PetscCall(PlexTestTry(RunProblem, run, &ierr, text, sizeof(text)));
  if (ierr) {
    PetscCall(PlexTestReport(PETSC_FALSE, name, "error %d: %s", (int)ierr, text));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexTestVecError(run->F, petsc->F, &F));
  PetscCall(PlexTestVecError(run->G, petsc->G, &G));
  PetscCall(MatDifference(run->J, petsc->J, &J));
  PetscCall(PlexTestReportOf((PetscBool)(F <= 1e-12 && G <= 1e-12 && J <= 1e-12), name, "functions and Jacobian",
                             "implicit function %g, right-hand side %g, Jacobian %g", (double)F, (double)G, (double)J));
  PetscCall(PlexTestReportOf((PetscBool)(run->steps == petsc->steps && run->rejections == petsc->rejections &&
                                         run->newton == petsc->newton && run->linear == petsc->linear),
                             name, "steps and iterations",
                             "%" PetscInt_FMT " steps, %" PetscInt_FMT " rejected, %" PetscInt_FMT " and %" PetscInt_FMT
                             " iterations; with PETSc's assembly %" PetscInt_FMT ", %" PetscInt_FMT ", %" PetscInt_FMT
                             " and %" PetscInt_FMT,
                             run->steps, run->rejections, run->newton, run->linear, petsc->steps, petsc->rejections,
                             petsc->newton, petsc->linear));
  PetscCall(PlexTestVecError(run->u, petsc->u, &u));
  PetscCall(PlexTestReportOf((PetscBool)(u <= 1e-10), name, "solution",
                             "it differs from that with PETSc's assembly by %g of its largest entry", (double)u));
  PetscCall(PlexTestReportOf((PetscBool)(run->here[0] > run->newton &&
                                         run->here[1] >= (run->problem->explicit ? 0 : run->steps) && !run->petsc[0] &&
                                         !run->petsc[1]),
                             name, "who did the work",
                             "here %" PetscInt_FMT " and %" PetscInt_FMT ", left to PETSc %" PetscInt_FMT
                             " and %" PetscInt_FMT,
                             run->here[0], run->here[1], run->petsc[0], run->petsc[1]));
  PetscCall(Free(run));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAt(const char what[], const Problem *problem)
{
  Run                petsc = {.problem = problem, .callbacks = PETSC_OWN};
  char               name[256];
  PetscOptions       options;
  const char *const *backends;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(PlexTestBackends(&n, &backends));
  PetscCall(PetscOptionsCreate(&options));
  PetscCall(PetscOptionsInsertString(options, problem->options));
  PetscCall(PetscOptionsInsertString(options, "-plex_assembly_fallback false -snes_rtol 1e-10 -snes_atol 1e-13 "
                                              "-ksp_rtol 1e-11 -mass_ksp_rtol 1e-12"));
  PetscCall(PetscOptionsPush(options));
  PetscCall(RunProblem(&petsc));
  for (PetscInt k = 0; k < n; ++k) {
    for (Callbacks callbacks = ONE_LINE; callbacks <= TAKEN_OVER; ++callbacks) {
      Run run = {.problem = problem, .callbacks = callbacks, .backend = backends[k]};

      PetscCall(PetscSNPrintf(name, sizeof(name), "%s, %s, %s", what, backends[k],
                              callbacks == ONE_LINE ? "one line" : "taken over"));
      PetscCall(Compare(name, &petsc, &run));
    }
  }
  PetscCall(PetscOptionsPop());
  PetscCall(PetscOptionsDestroy(&options));
  PetscCall(Free(&petsc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const struct {
    const char *name;
    Problem     problem;
  } cases[] = {
    {"backward Euler, tri P2",          {DM_POLYTOPE_TRIANGLE, 2, PETSC_FALSE, "-ts_type beuler"}                    },
    {"BDF 2, quad Q2",                  {DM_POLYTOPE_QUADRILATERAL, 2, PETSC_FALSE, "-ts_type bdf -ts_bdf_order 2"}  },
    {"theta method with endpoint, tet",
     {DM_POLYTOPE_TETRAHEDRON, 1, PETSC_FALSE, "-ts_type theta -ts_theta_theta 0.7 -ts_theta_endpoint"}              },
    {"Rosenbrock, hex Q1",              {DM_POLYTOPE_HEXAHEDRON, 1, PETSC_FALSE, "-ts_type rosw"}                    },
    {"ARKIMEX, tri P2",                 {DM_POLYTOPE_TRIANGLE, 2, PETSC_FALSE, "-ts_type arkimex -ts_arkimex_type 3"}},
    {"Runge-Kutta, quad Q1",
     {DM_POLYTOPE_QUADRILATERAL, 1, PETSC_TRUE, "-ts_type rk -ts_rk_type 3 -ts_time_step 0.01"}                      }
  };

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) PetscCall(LookAt(cases[k].name, &cases[k].problem));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
