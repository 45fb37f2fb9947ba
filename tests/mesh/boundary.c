static char help[] = "Essential boundary values put into local vectors: those that PETSc puts there, to rounding, and "
                     "no more calls of the user's functions than needed.\n\n";

#include <plexgpu/impl.h>
#include "meshes.h"
#include "problem.h"
#include "report.h"

static PetscInt  calls;       /* of the functions below, for values and for time derivatives */
static PetscInt  callsPETSc;  /* those for PETSc's own insertion */
static PetscReal factor = 1.; /* what a program may change as it goes */

static PetscErrorCode Value(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nc, PetscScalar *u, void *ctx)
{
  const PetscReal time = t == PETSC_MIN_REAL ? 0. : t;

  ++calls;
  for (PetscInt c = 0; c < Nc; ++c) u[c] = factor * PetscSinReal(3. * x[0] + x[dim - 1] * (c + 1) + time);
  return PETSC_SUCCESS;
}

static PetscErrorCode Derivative(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nc, PetscScalar *u, void *ctx)
{
  ++calls;
  for (PetscInt c = 0; c < Nc; ++c) u[c] = factor * PetscCosReal(3. * x[0] + x[dim - 1] * (c + 1) + t);
  return PETSC_SUCCESS;
}

/* A function for a vector field, and what it means to a scalar one */
static PetscErrorCode ValueOfAll(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nc, PetscScalar *u, void *ctx)
{
  for (PetscInt d = 0; d < dim; ++d) u[d] = 1. + x[d];
  return PETSC_SUCCESS;
}

static PetscErrorCode ValueOfOne(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nc, PetscScalar *u, void *ctx)
{
  u[0] = 1. + x[0];
  return PETSC_SUCCESS;
}

static void OfSolution(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                       const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                       const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                       PetscReal t, const PetscReal x[], PetscInt numConstants, const PetscScalar constants[],
                       PetscScalar f[])
{
  f[0] = 0.5 * u[0] + x[0];
}

/* The boundary conditions of a problem of problem.h, with other functions; derivative may be NULL */
static PetscErrorCode SetBoundaries(DM dm, DMBoundaryConditionType type, PetscVoidFn *value, PetscVoidFn *derivative)
{
  PetscDS  ds;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSGetNumBoundary(ds, &n));
  for (PetscInt b = 0; b < n; ++b) {
    const char     *name;
    DMLabel         label;
    PetscInt        Nv, field, Nc;
    const PetscInt *values, *comps;
    char            keptName[64];
    PetscInt        keptValues[4], keptComps[4]; /* the PetscDS frees its own before it reads these */

    PetscCall(PetscDSGetBoundary(ds, b, NULL, NULL, &name, &label, &Nv, &values, &field, &Nc, &comps, NULL, NULL,
                                 NULL));
    PetscCall(PetscStrncpy(keptName, name, sizeof(keptName)));
    PetscCall(PetscArraycpy(keptValues, values, Nv));
    PetscCall(PetscArraycpy(keptComps, comps, Nc));
    PetscCall(PetscDSUpdateBoundary(ds, b, type, keptName, label, Nv, keptValues, field, Nc, keptComps, value,
                                    derivative, NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same to rounding, which positions on simplices differ by: PETSc maps them from a corner, and here coordinate
   nodes are summed */
static PetscErrorCode Same(Vec a, Vec b, PetscBool *same)
{
  const PetscScalar *x, *y;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(a, &n));
  PetscCall(VecGetArrayRead(a, &x));
  PetscCall(VecGetArrayRead(b, &y));
  *same = PETSC_TRUE;
  for (PetscInt k = 0; k < n; ++k) {
    if (!(PetscAbsScalar(x[k] - y[k]) <= 1e-14 * (1. + PetscAbsScalar(x[k])))) *same = PETSC_FALSE;
  }
  PetscCall(VecRestoreArrayRead(a, &x));
  PetscCall(VecRestoreArrayRead(b, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Inserts into vectors of numbers, as PETSc does and as we do; *inserted: PETSc changed something */
static PetscErrorCode Compare(PlexBoundary boundary, PlexSolve solve, PetscReal t, PetscBool *same, PetscBool *inserted)
{
  DM        dm = boundary->dm;
  Vec       X[2], Y[2], Z;
  PetscBool each;

  PetscFunctionBegin;
  for (PetscInt s = 0; s < 2; ++s) {
    PetscCall(PlexTestLocalVector(dm, 5 + s, &X[s]));
    PetscCall(VecDuplicate(X[s], &Y[s]));
    PetscCall(VecCopy(X[s], Y[s]));
  }
  PetscCall(VecDuplicate(X[0], &Z));
  PetscCall(VecCopy(X[0], Z));
  /* PETSc may still be copying X to the GPU, whose host values are about to change */
  PetscCall(PlexBackendSynchronize(boundary->backend));
  calls = 0;
  PetscCall(DMPlexTSComputeBoundary(dm, t, X[0], X[1], NULL));
  callsPETSc = calls;
  calls      = 0;
  PetscCall(PlexBoundaryInsert(boundary, solve, t, Y[0], Y[1]));
  *same = PETSC_TRUE;
  for (PetscInt s = 0; s < 2; ++s) {
    PetscCall(Same(X[s], Y[s], &each));
    if (!each) *same = PETSC_FALSE;
  }
  PetscCall(Same(X[0], Z, &each));
  *inserted = (PetscBool)!each;
  for (PetscInt s = 0; s < 2; ++s) {
    PetscCall(VecDestroy(&X[s]));
    PetscCall(VecDestroy(&Y[s]));
  }
  PetscCall(VecDestroy(&Z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtValues(const char name[], PlexBackend backend, const PlexTestProblem *problem)
{
  const PlexSolve none = {0, 0};
  PlexBoundary    boundary;
  PetscBool       same, inserted;
  DM              dm;

  PetscFunctionBegin;
  PetscCall(PlexTestProblemCreate(problem, &dm));
  PetscCall(SetBoundaries(dm, DM_BC_ESSENTIAL, (PetscVoidFn *)Value, (PetscVoidFn *)Derivative));
  PetscCall(PlexBoundaryCreate(dm, backend, &boundary));
  PetscCall(Compare(boundary, none, 0.25, &same, &inserted));
  PetscCall(PlexTestReportOf((PetscBool)(same && inserted && calls), name, "values and time derivatives",
                             "same %d, PETSc inserted %d, %" PetscInt_FMT " calls", (int)same, (int)inserted, calls));
  PetscCall(PlexTestReportOf((PetscBool)(boundary->set[0].points && calls <= 2 * boundary->n && calls < callsPETSc),
                             name, "fewer calls than PETSc",
                             "%" PetscInt_FMT " calls for %" PetscInt_FMT
                             " constrained dofs, PETSc's insertion makes %" PetscInt_FMT,
                             calls, boundary->n, callsPETSc));
  PetscCall(SetBoundaries(dm, DM_BC_ESSENTIAL, (PetscVoidFn *)Value, NULL));
  PetscCall(Compare(boundary, none, 0.5, &same, &inserted));
  PetscCall(PlexTestReportOf((PetscBool)(same && inserted), name, "no function of the time derivative",
                             "same %d, PETSc inserted %d, %" PetscInt_FMT " calls by PETSc, %" PetscInt_FMT " by us",
                             (int)same, (int)inserted, callsPETSc, calls));
  PetscCall(PlexBoundaryDestroy(&boundary));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Inserts and says whether the functions were called, and whether the result is PETSc's */
static PetscErrorCode Expect(PlexBoundary boundary, PlexSolve solve, PetscReal t, PetscBool called, const char what[])
{
  PetscBool same, inserted;

  PetscFunctionBegin;
  PetscCall(Compare(boundary, solve, t, &same, &inserted));
  PetscCall(PlexTestReport((PetscBool)(same && inserted && called == (PetscBool)(calls > 0)), what,
                           "same %d, PETSc inserted %d, %" PetscInt_FMT " calls", (int)same, (int)inserted, calls));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtCalls(PlexBackend backend)
{
  const PlexTestProblem problem = {.cell       = DM_POLYTOPE_TRIANGLE,
                                   .degree     = 2,
                                   .components = 2,
                                   .form       = PLEX_TEST_GENERAL};
  PlexBoundary          boundary;
  PlexSolve             solve = {1, 0}, none = {0, 0};
  Vec                   coordinates;
  DM                    dm;

  PetscFunctionBegin;
  PetscCall(PlexTestProblemCreate(&problem, &dm));
  PetscCall(SetBoundaries(dm, DM_BC_ESSENTIAL, (PetscVoidFn *)Value, (PetscVoidFn *)Derivative));
  PetscCall(PlexBoundaryCreate(dm, backend, &boundary));
  PetscCall(Expect(boundary, solve, 0.5, PETSC_TRUE, "functions are called in a new solve"));
  PetscCall(Expect(boundary, solve, 0.5, PETSC_FALSE, "and not again in it"));
  PetscCall(Expect(boundary, solve, 0.75, PETSC_TRUE, "but at another time"));
  solve.iteration = 1;
  PetscCall(Expect(boundary, solve, 0.75, PETSC_TRUE, "and in another iteration where things change"));
  factor   = 1.5;
  solve.id = 2;
  PetscCall(Expect(boundary, solve, 0.75, PETSC_TRUE, "and in the next solve"));
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(VecScale(coordinates, 1.25));
  PetscCall(Expect(boundary, solve, 0.75, PETSC_TRUE, "and on a mesh that has moved"));
  PetscCall(Expect(boundary, none, 0.75, PETSC_TRUE, "and outside of solves"));
  factor = 2.;
  PetscCall(Expect(boundary, none, 0.75, PETSC_TRUE, "each time"));
  PetscCall(PlexBoundaryDestroy(&boundary));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A function that writes more numbers than its field has components: nothing else is written over */
static PetscErrorCode LookAtExcess(PlexBackend backend)
{
  const PlexTestProblem problem = {.cell       = DM_POLYTOPE_TETRAHEDRON,
                                   .degree     = 1,
                                   .components = 1,
                                   .form       = PLEX_TEST_GENERAL};
  const PlexSolve       none    = {0, 0};
  PlexBoundary          boundary;
  Vec                   X, Y;
  PetscErrorCode        memory;
  PetscBool             same;
  DM                    dm;

  PetscFunctionBegin;
  PetscCall(PlexTestProblemCreate(&problem, &dm));
  PetscCall(PlexTestLocalVector(dm, 5, &X));
  PetscCall(PlexTestLocalVector(dm, 5, &Y));
  PetscCall(SetBoundaries(dm, DM_BC_ESSENTIAL, (PetscVoidFn *)ValueOfOne, NULL));
  PetscCall(DMPlexTSComputeBoundary(dm, 0.25, X, NULL, NULL));
  PetscCall(SetBoundaries(dm, DM_BC_ESSENTIAL, (PetscVoidFn *)ValueOfAll, NULL));
  PetscCall(PlexBoundaryCreate(dm, backend, &boundary));
  PetscCall(PlexBoundaryInsert(boundary, none, 0.25, Y, NULL));
  PetscCall(Same(X, Y, &same));
  memory = PetscMallocValidate(__LINE__, PETSC_FUNCTION_NAME, __FILE__);
  PetscCall(PlexTestReport((PetscBool)(same && boundary->n && !memory), "a function with more numbers than components",
                           "same %d, %" PetscInt_FMT " constrained dofs, memory error %d", (int)same, boundary->n,
                           (int)memory));
  PetscCall(PlexBoundaryDestroy(&boundary));
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&Y));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Degrees of freedom that are moments of the normal component: PETSc's projection says their values */
static PetscErrorCode LookAtMoments(PlexBackend backend)
{
  const PlexSolve none = {0, 0};
  const PetscInt  one  = 1;
  PlexBoundary    boundary;
  PetscFE         fe;
  DMLabel         label;
  PetscBool       same, inserted;
  DM              dm;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, "-m_petscspace_degree 1 -m_petscdualspace_type bdm"));
  PetscCall(PlexTestMesh(PETSC_COMM_SELF, DM_POLYTOPE_TRIANGLE, 0, &dm));
  PetscCall(PetscFECreateDefault(PETSC_COMM_SELF, 2, 2, PETSC_TRUE, "m_", PETSC_DETERMINE, &fe));
  PetscCall(DMAddField(dm, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMCreateDS(dm));
  PetscCall(DMGetLabel(dm, "boundary", &label));
  PetscCall(DMAddBoundary(dm, DM_BC_ESSENTIAL, "wall", label, 1, &one, 0, 0, NULL, (PetscVoidFn *)Value,
                          (PetscVoidFn *)Derivative, NULL, NULL));
  PetscCall(PlexBoundaryCreate(dm, backend, &boundary));
  PetscCall(Compare(boundary, none, 0.25, &same, &inserted));
  PetscCall(PlexTestReport((PetscBool)(same && inserted && !boundary->set[0].points), "moments are evaluated by PETSc",
                           "same %d, PETSc inserted %d, points %d", (int)same, (int)inserted,
                           boundary->set[0].points ? 1 : 0));
  PetscCall(PlexBoundaryDestroy(&boundary));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtNone(PlexBackend backend)
{
  const PlexSolve  none = {0, 0};
  PlexBoundary     boundary;
  PetscFE          fe;
  Vec              X;
  PetscObjectState before, after;
  DM               dm;

  PetscFunctionBegin;
  PetscCall(DMPlexCreateDoublet(PETSC_COMM_SELF, 2, PETSC_TRUE, PETSC_TRUE, 0., &dm));
  PetscCall(PetscFECreateLagrange(PETSC_COMM_SELF, 2, 1, PETSC_TRUE, 2, PETSC_DETERMINE, &fe));
  PetscCall(DMAddField(dm, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMCreateDS(dm));
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(PlexBoundaryCreate(dm, backend, &boundary));
  PetscCall(PetscObjectStateGet((PetscObject)X, &before));
  PetscCall(PlexBoundaryInsert(boundary, none, 0., X, NULL));
  PetscCall(PetscObjectStateGet((PetscObject)X, &after));
  PetscCall(PlexTestReport((PetscBool)(before == after && !boundary->evaluations),
                           "no boundary condition: nothing happens",
                           "the vector was written, or %" PetscInt_FMT " evaluations", boundary->evaluations));
  PetscCall(PlexBoundaryDestroy(&boundary));
  PetscCall(VecDestroy(&X));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values that depend on the solution: PETSc's own insertion, through the callback that SNES has */
static PetscErrorCode LookAtFields(void)
{
  const PlexTestProblem problem = {.cell       = DM_POLYTOPE_TRIANGLE,
                                   .degree     = 1,
                                   .components = 1,
                                   .form       = PLEX_TEST_SYMMETRIC};
  PetscErrorCode (*insert)(DM, Vec, void *);
  PlexAssembly assembly;
  Vec          X, Y;
  void        *ctx;
  PetscBool    same, changed;
  DM           dm;

  PetscFunctionBegin;
  PetscCall(PlexTestProblemCreate(&problem, &dm));
  PetscCall(SetBoundaries(dm, DM_BC_ESSENTIAL_FIELD, (PetscVoidFn *)OfSolution, NULL));
  PetscCall(PlexAssemblySetSNESLocal(dm, NULL));
  PetscCall(PlexAssemblyGetFromDM(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, PLEXBACKENDHOST));
  PetscCall(DMSNESGetBoundaryLocal(dm, &insert, &ctx));
  PetscCall(DMGetLocalVector(dm, &X));
  PetscCall(DMGetLocalVector(dm, &Y));
  PetscCall(VecSet(X, 2.));
  PetscCall(VecSet(Y, 2.));
  PetscCall(DMPlexSNESComputeBoundaryFEM(dm, X, NULL));
  PetscCall(Same(X, Y, &changed));
  PetscCall((*insert)(dm, Y, ctx));
  PetscCall(Same(X, Y, &same));
  PetscCall(PlexTestReport((PetscBool)(same && !changed && assembly->insertions[1] == 1),
                           "values that depend on the solution are left to PETSc",
                           "same %d, PETSc changed nothing %d, left to PETSc %" PetscInt_FMT " times", (int)same,
                           (int)changed, assembly->insertions[1]));
  PetscCall(DMRestoreLocalVector(dm, &X));
  PetscCall(DMRestoreLocalVector(dm, &Y));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A mesh on several processes: constrained dofs of others' points have values too */
static PetscErrorCode LookAtParallel(const char type[], PetscBool device, DMPolytopeType cell)
{
  const PlexTestProblem problem = {.cell = cell, .degree = 2, .components = 2, .form = PLEX_TEST_GENERAL};
  const PlexSolve       none    = {0, 0};
  PlexBoundary          boundary;
  PlexBackend           backend;
  PetscBool             same, inserted, good;
  DM                    dm, parallel;
  char                  name[256];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "%ss on several processes, %s%s", DMPolytopeTypes[cell], type,
                          device ? ", vectors on the GPU" : ""));
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, cell, 0, &dm));
  PetscCall(DMPlexDistribute(dm, 0, NULL, &parallel));
  PetscCheck(parallel, PETSC_COMM_WORLD, PETSC_ERR_WRONG_MPI_SIZE, "-parallel takes more than one process");
  PetscCall(DMDestroy(&dm));
  if (device) PetscCall(DMSetVecType(parallel, VECCUDA));
  PetscCall(PlexTestProblemSetUp(parallel, &problem));
  PetscCall(SetBoundaries(parallel, DM_BC_ESSENTIAL, (PetscVoidFn *)Value, (PetscVoidFn *)Derivative));
  PetscCall(PlexBackendCreate(type, &backend));
  PetscCall(PlexBoundaryCreate(parallel, backend, &boundary));
  PetscCall(Compare(boundary, none, 0.25, &same, &inserted));
  good = (PetscBool)(same && (inserted || !boundary->n)); /* a process may have no boundary */
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_C_BOOL, MPI_LAND, PETSC_COMM_WORLD));
  PetscCall(PlexTestReport(good, name, "the values are others than PETSc's on some process"));
  PetscCall(PlexBoundaryDestroy(&boundary));
  PetscCall(PlexBackendDestroy(&backend));
  PetscCall(DMDestroy(&parallel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtBackendParallel(const char type[], PetscBool device)
{
  PetscFunctionBegin;
  PetscCall(LookAtParallel(type, device, DM_POLYTOPE_TRIANGLE));
  PetscCall(LookAtParallel(type, device, DM_POLYTOPE_HEXAHEDRON));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtBackend(const char type[], PetscBool device)
{
  const struct {
    const char     *name;
    PlexTestProblem problem;
  } cases[] = {
    {"tri P2 scalar",  {.cell = DM_POLYTOPE_TRIANGLE, .degree = 2, .components = 1, .form = PLEX_TEST_GENERAL}     },
    {"quad Q3 vector", {.cell = DM_POLYTOPE_QUADRILATERAL, .degree = 3, .components = 2, .form = PLEX_TEST_GENERAL}},
    {"tet P1 vector",  {.cell = DM_POLYTOPE_TETRAHEDRON, .degree = 1, .components = 3, .form = PLEX_TEST_GENERAL}  },
    {"hex Q2, mixed",  {.cell = DM_POLYTOPE_HEXAHEDRON, .degree = 2, .components = 3, .form = PLEX_TEST_MIXED}     }
  };
  PlexBackend backend;
  char        name[256];

  PetscFunctionBegin;
  PetscCall(PlexBackendCreate(type, &backend));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) {
    PlexTestProblem problem = cases[k].problem;

    problem.device = device;
    PetscCall(PetscSNPrintf(name, sizeof(name), "%s, %s%s", cases[k].name, type, device ? ", vectors on the GPU" : ""));
    PetscCall(LookAtValues(name, backend, &problem));
  }
  PetscCall(LookAtCalls(backend));
  PetscCall(LookAtExcess(backend));
  PetscCall(LookAtMoments(backend));
  PetscCall(LookAtNone(backend));
  PetscCall(PlexBackendDestroy(&backend));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;
  PetscBool          parallel = PETSC_FALSE;

  /* PETSc then knows when memory beside an array was written */
  PetscCall(PetscOptionsSetValue(NULL, "-malloc_dump", NULL));
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-parallel", &parallel, NULL));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt k = 0; k < n; ++k) {
    PetscBool cuda;

    PetscCall(PetscStrcmp(backends[k], PLEXBACKENDCUDA, &cuda));
    for (PetscInt device = 0; device <= (PetscInt)cuda; ++device)
      PetscCall(parallel ? LookAtBackendParallel(backends[k], (PetscBool)device)
                         : LookAtBackend(backends[k], (PetscBool)device));
  }
  if (!parallel) PetscCall(LookAtFields());
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
