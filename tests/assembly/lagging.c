static char help[] = "A Jacobian of type plexgpu that lags: it stays what it was where constants change, other "
                     "matrices of its assembly are "
                     "used, or the mesh is read; where the mesh moves or the form changes, what cannot be as before is "
                     "an error. And the "
                     "multigrid of degrees behind such changes.\n\n";

#include <plexgpu/impl.h>
#include "meshes.h"
#include "problem.h"
#include "productsof.h"
#include "weakform.h"
#include "report.h"

typedef struct {
  const char  *name;
  DM           dm;
  PlexAssembly assembly;
  Vec          X[2];
  Mat          J[2], B[2]; /* of type plexgpu, and as they were once, assembled */
} Problem;

static PetscErrorCode CreateProblem(const PlexTestProblem *problem, const char backend[], DM *dm,
                                    PlexAssembly *assembly)
{
  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, problem->cell, 0, dm));
  PetscCall(PlexTestProblemShare(problem, 0, dm));
  PetscCall(PlexAssemblySetSNESLocal(*dm, NULL));
  PetscCall(PlexAssemblyGetFromDM(*dm, assembly));
  PetscCall(PlexAssemblySetBackend(*assembly, backend));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(const char name[], const char backend[], PlexApply apply, Problem *p)
{
  const PlexTestProblem problem = {.cell       = DM_POLYTOPE_QUADRILATERAL,
                                   .degree     = 2,
                                   .components = 1,
                                   .form       = PLEX_TEST_GENERAL,
                                   .cells      = 6};

  PetscFunctionBegin;
  p->name = name;
  PetscCall(CreateProblem(&problem, backend, &p->dm, &p->assembly));
  PetscCall(PlexAssemblySetPointwiseSource(p->assembly, PLEX_TEST_FORMS));
  PetscCall(PlexAssemblySetApply(p->assembly, apply));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(PlexTestLocalVector(p->dm, 1 + k, &p->X[k]));
    PetscCall(DMSetMatType(p->dm, MATPLEXGPU));
    PetscCall(DMCreateMatrix(p->dm, &p->J[k]));
    PetscCall(DMSetMatType(p->dm, MATAIJ));
    PetscCall(DMCreateMatrix(p->dm, &p->B[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Destroy(Problem *p)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(VecDestroy(&p->X[k]));
    PetscCall(MatDestroy(&p->J[k]));
    PetscCall(MatDestroy(&p->B[k]));
  }
  PetscCall(DMDestroy(&p->dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Matrix k, and the assembled one beside it */
static PetscErrorCode Compute(Problem *p, PetscInt k)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyComputeJacobian(p->assembly, p->X[k], NULL, 0., 0., p->J[k], p->J[k]));
  PetscCall(PlexAssemblyComputeJacobian(p->assembly, p->X[k], NULL, 0., 0., p->B[k], p->B[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Same(Problem *p, PetscInt k, const char what[])
{
  PetscReal error = 0.;

  PetscFunctionBegin;
  PetscCall(PlexTestCompareProducts(p->J[k], p->B[k], &error));
  PetscCall(PlexTestReportOf((PetscBool)(error <= 1e-12), p->name, what, "error %.3g", (double)error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SameConverted(Problem *p, const char what[])
{
  Mat       C;
  PetscReal error, norm;

  PetscFunctionBegin;
  PetscCall(MatConvert(p->J[0], MATAIJ, MAT_INITIAL_MATRIX, &C));
  PetscCall(MatAXPY(C, -1., p->B[0], SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(C, NORM_FROBENIUS, &error));
  PetscCall(MatNorm(p->B[0], NORM_FROBENIUS, &norm));
  PetscCall(PlexTestReportOf((PetscBool)(error <= 1e-13 * norm), p->name, what, "error %.3g", (double)(error / norm)));
  PetscCall(MatDestroy(&C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MultiplyConstants(DM dm, PetscScalar by)
{
  PetscDS            ds;
  PetscInt           n;
  const PetscScalar *c;
  PetscScalar       *changed;

  PetscFunctionBegin;
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSGetConstants(ds, &n, &c));
  PetscCall(PetscMalloc1(n, &changed));
  for (PetscInt k = 0; k < n; ++k) changed[k] = by * c[k];
  PetscCall(PetscDSSetConstants(ds, n, changed));
  PetscCall(PetscFree(changed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MoveMesh(DM dm, PetscReal by)
{
  Vec x;

  PetscFunctionBegin;
  PetscCall(DMGetCoordinatesLocal(dm, &x));
  PetscCall(VecScale(x, by));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* J[0] lags behind new constants; J[1] has them */
static PetscErrorCode LookAtConstants(Problem *p)
{
  Mat                D;
  PetscDS            ds;
  PetscInt           n;
  const PetscScalar *c;
  PetscScalar        was;

  PetscFunctionBegin;
  PetscCall(Compute(p, 0)); /* without a product before the change */
  PetscCall(MultiplyConstants(p->dm, 3.));
  PetscCall(DMGetDS(p->dm, &ds));
  PetscCall(PetscDSGetConstants(ds, &n, &c));
  was = c[0];
  PetscCall(Same(p, 0, "constants that change before the first product"));
  PetscCall(Compute(p, 1));
  PetscCall(Same(p, 1, "another matrix with new constants"));
  PetscCall(Same(p, 0, "products after those of another matrix with new constants"));
  PetscCall(SameConverted(p, "conversion after constants have changed"));
  PetscCall(MatDuplicate(p->J[0], MAT_COPY_VALUES, &D));
  PetscCall(Compute(p, 1));
  PetscCall(MatDestroy(&p->J[0]));
  p->J[0] = D;
  PetscCall(Same(p, 0, "a copy after constants have changed"));
  PetscCall(PetscDSGetConstants(ds, &n, &c));
  PetscCall(PlexTestReportOf((PetscBool)(c[0] == was), p->name, "the PetscDS keeps its constants", "%g",
                             (double)PetscRealPart(c[0])));
  PetscCall(Compute(p, 0));
  PetscCall(Same(p, 0, "the Jacobian computed anew"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A factor, which the next state ends */
static PetscErrorCode LookAtScaled(Problem *p)
{
  Mat D;

  PetscFunctionBegin;
  PetscCall(Compute(p, 0));
  PetscCall(MatScale(p->J[0], -2.5));
  PetscCall(MatScale(p->B[0], -2.5));
  PetscCall(Same(p, 0, "MatScale()"));
  PetscCall(SameConverted(p, "MatScale(), converted"));
  PetscCall(MatDuplicate(p->J[0], MAT_COPY_VALUES, &D));
  PetscCall(MatDestroy(&p->J[0]));
  p->J[0] = D;
  PetscCall(Same(p, 0, "MatScale(), copied"));
  PetscCall(Compute(p, 0));
  PetscCall(Same(p, 0, "the next state is not scaled"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Multiply(void *ctx)
{
  Vec x, y;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs((Mat)ctx, &x, &y));
  PetscCall(VecSet(x, 1.));
  PetscCall(MatMult((Mat)ctx, x, y));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Convert(void *ctx)
{
  Mat C;

  PetscFunctionBegin;
  PetscCall(MatConvert((Mat)ctx, MATAIJ, MAT_INITIAL_MATRIX, &C));
  PetscCall(MatDestroy(&C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ConvertHalf(void *ctx)
{
  Mat C;

  PetscFunctionBegin;
  PetscCall(MatConvert((Mat)ctx, MATSBAIJ, MAT_INITIAL_MATRIX, &C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtMoved(Problem *p)
{
  Vec          x;
  PetscScalar *values;
  PetscMPIInt  size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(Compute(p, 0));
  PetscCall(DMGetCoordinatesLocal(p->dm, &x));
  PetscCall(VecGetArray(x, &values)); /* open to changes, without one */
  PetscCall(VecRestoreArray(x, &values));
  PetscCall(Same(p, 0, "coordinates that were read before the first product"));
  PetscCall(SameConverted(p, "conversion, too"));
  if (size == 1) EXPECT("no half of a matrix without symmetry", ConvertHalf, p->J[0], "symmetric", "MAT_SYMMETRIC");
  PetscCall(MoveMesh(p->dm, 2.));
  PetscCall(Same(p, 0, "products that were there before the mesh moved"));
  if (size == 1)
    EXPECT("no conversion after the mesh moved", Convert, p->J[0], "mesh has moved", "SNESComputeJacobian");
  PetscCall(Compute(p, 1));
  PetscCall(Same(p, 1, "another matrix on the moved mesh"));
  if (size == 1)
    EXPECT("no products on the mesh of another matrix", Multiply, p->J[0], "mesh has moved", "SNESComputeJacobian");
  PetscCall(MoveMesh(p->dm, 0.5));
  PetscCall(Compute(p, 0));
  PetscCall(Same(p, 0, "the Jacobian on the mesh as it was"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* g1 in the place of g2, which is of the same size */
static PetscErrorCode ChangeForm(DM dm)
{
  PetscDS          ds;
  PetscPointJacFn *g0, *g1, *g2, *g3;

  PetscFunctionBegin;
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSGetJacobian(ds, 0, 0, &g0, &g1, &g2, &g3));
  PetscCall(PetscDSSetJacobian(ds, 0, 0, g0, g1, g1, g3));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtForm(Problem *p)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(Compute(p, 0));
  PetscCall(Same(p, 0, "before the form changes"));
  PetscCall(ChangeForm(p->dm));
  if (size == 1) {
    EXPECT("no products after the form changed", Multiply, p->J[0], "have changed", "SNESComputeJacobian");
    EXPECT("no conversion after the form changed", Convert, p->J[0], "have changed", "SNESComputeJacobian");
  }
  PetscCall(Compute(p, 0));
  PetscCall(Same(p, 0, "the Jacobian of the new form"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtBackend(const char backend[])
{
  const char *const names[] = {"stored", "evaluated"};
  Problem           p;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(Create(names[k], backend, k ? PLEX_APPLY_EVALUATED : PLEX_APPLY_STORED, &p));
    PetscCall(LookAtConstants(&p));
    PetscCall(LookAtScaled(&p));
    PetscCall(LookAtMoved(&p));
    PetscCall(LookAtForm(&p));
    PetscCall(Destroy(&p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The multigrid behind it */

static PetscErrorCode CreateSolver(Problem *p, KSP *ksp)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, ksp));
  PetscCall(KSPSetType(*ksp, KSPGMRES));
  PetscCall(KSPSetTolerances(*ksp, 1e-10, PETSC_CURRENT, PETSC_CURRENT, 100));
  PetscCall(KSPGetPC(*ksp, &pc));
  PetscCall(PCSetType(pc, PCPLEXPMG));
  PetscCall(KSPSetDM(*ksp, p->dm));
  PetscCall(KSPSetDMActive(*ksp, KSP_DMACTIVE_ALL, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The solver as it is takes a matrix as well as a new one does */
static PetscErrorCode CompareSolvers(Problem *p, KSP ksp, PetscInt k, const char what[])
{
  KSP       own[2] = {ksp, NULL};
  PetscInt  its[2];
  PetscReal error, norm;
  Vec       b, x[2];

  PetscFunctionBegin;
  PetscCall(CreateSolver(p, &own[1]));
  PetscCall(MatCreateVecs(p->J[k], &b, NULL));
  PetscCall(VecSet(b, 1.));
  for (PetscInt j = 0; j < 2; ++j) {
    PetscCall(VecDuplicate(b, &x[j]));
    PetscCall(KSPSetOperators(own[j], p->J[k], p->J[k]));
    PetscCall(KSPSolve(own[j], b, x[j]));
    PetscCall(KSPGetIterationNumber(own[j], &its[j]));
  }
  PetscCall(VecAXPY(x[0], -1., x[1]));
  PetscCall(VecNorm(x[0], NORM_INFINITY, &error));
  PetscCall(VecNorm(x[1], NORM_INFINITY, &norm));
  PetscCall(PlexTestReportOf((PetscBool)(its[0] <= its[1] + 2 && its[1] < 40 && error <= 1e-6 * norm), "multigrid",
                             what, "%d iterations, of a new one %d, error %.3g", (int)its[0], (int)its[1],
                             (double)(error / norm)));
  PetscCall(VecDestroy(&b));
  for (PetscInt j = 0; j < 2; ++j) PetscCall(VecDestroy(&x[j]));
  PetscCall(KSPDestroy(&own[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetCoarse(KSP ksp, Mat *A, DM *dm)
{
  PC  pc;
  KSP coarse;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCMGGetCoarseSolve(pc, &coarse));
  if (A) PetscCall(KSPGetOperators(coarse, A, NULL));
  if (dm) PetscCall(KSPGetDM(coarse, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Null spaces come and go between set-ups, near ones too */
static PetscErrorCode LookAtNullSpaces(Problem *p, KSP ksp)
{
  MatNullSpace constant, has[2];
  Mat          A;

  PetscFunctionBegin;
  PetscCall(MatNullSpaceCreate(PETSC_COMM_WORLD, PETSC_TRUE, 0, NULL, &constant));
  for (PetscInt k = 0; k < 4; ++k) {
    const PetscBool set = (PetscBool)(k % 2);

    PetscCall(MatSetNullSpace(p->J[0], set ? constant : NULL));
    PetscCall(MatSetNearNullSpace(p->J[0], set ? constant : NULL));
    PetscCall(Compute(p, 0));
    PetscCall(KSPSetOperators(ksp, p->J[0], p->J[0]));
    PetscCall(KSPSetUp(ksp));
    PetscCall(GetCoarse(ksp, &A, NULL));
    PetscCall(MatGetNullSpace(A, &has[0]));
    PetscCall(MatGetNearNullSpace(A, &has[1]));
    PetscCall(PlexTestReportOf((PetscBool)(!has[0] == !set && !has[1] == !set), "multigrid",
                               set ? "null spaces that were set" : "none, or those taken away", "set-up %d: %d, %d",
                               (int)k, has[0] != NULL, has[1] != NULL));
  }
  PetscCall(MatSetNullSpace(p->J[0], NULL));
  PetscCall(MatSetNearNullSpace(p->J[0], NULL));
  PetscCall(MatNullSpaceDestroy(&constant));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A failure, and options, of the time before the next set-up */
static PetscErrorCode LookAtSetUps(Problem *p, KSP ksp)
{
  PC             pc;
  PCFailedReason reason;
  PetscInt       levels[2];
  PetscReal      error;
  Mat            A;

  PetscFunctionBegin;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetFailedReason(pc, PC_SUBPC_ERROR));
  PetscCall(Compute(p, 0));
  PetscCall(CompareSolvers(p, ksp, 0, "after a failure"));
  PetscCall(PCGetFailedReason(pc, &reason));
  PetscCall(PlexTestReportOf((PetscBool)(reason == PC_NOERROR), "multigrid", "a failure is forgotten", "%d",
                             (int)reason));
  PetscCall(PCMGGetLevels(pc, &levels[0]));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_plexpmg_degrees", "2"));
  PetscCall(PCSetFromOptions(pc));
  PetscCall(KSPSetUp(ksp));
  PetscCall(PCMGGetLevels(pc, &levels[1]));
  PetscCall(PetscOptionsClearValue(NULL, "-pc_plexpmg_degrees"));
  PetscCall(PlexTestReportOf((PetscBool)(levels[0] == 2 && levels[1] == 1), "multigrid",
                             "degrees that change between solves", "%d and %d levels", (int)levels[0], (int)levels[1]));
  PetscCall(MultiplyConstants(p->dm, 2.)); /* the matrix lags, and so does the assembled one of its only level */
  PetscCall(KSPReset(ksp));
  PetscCall(KSPSetOperators(ksp, p->J[0], p->J[0]));
  PetscCall(KSPSetUp(ksp));
  PetscCall(GetCoarse(ksp, &A, NULL));
  PetscCall(PlexTestCompareProducts(A, p->B[0], &error));
  PetscCall(PlexTestReportOf((PetscBool)(error <= 1e-13), "multigrid", "one level of a matrix that lags", "error %.3g",
                             (double)error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtMultigrid(void)
{
  Problem p;
  KSP     ksp;

  PetscFunctionBegin;
  PetscCall(Create("multigrid", PLEXBACKENDHOST, PLEX_APPLY_STORED, &p));
  PetscCall(CreateSolver(&p, &ksp));
  PetscCall(VecScale(p.X[0], 0.1));
  PetscCall(VecScale(p.X[1], 5.));
  PetscCall(Compute(&p, 0));
  PetscCall(Compute(&p, 1));
  PetscCall(CompareSolvers(&p, ksp, 0, "a first matrix"));
  PetscCall(CompareSolvers(&p, ksp, 1, "another matrix"));
  PetscCall(CompareSolvers(&p, ksp, 0, "the first one again"));
  PetscCall(MatScale(p.J[0], 100.));
  PetscCall(CompareSolvers(&p, ksp, 0, "a matrix that was scaled"));
  PetscCall(MultiplyConstants(p.dm, 1.5));
  PetscCall(CompareSolvers(&p, ksp, 1, "constants that changed later"));
  PetscCall(Compute(&p, 1));
  PetscCall(CompareSolvers(&p, ksp, 1, "new constants"));
  PetscCall(ChangeForm(p.dm));
  PetscCall(Compute(&p, 1));
  PetscCall(CompareSolvers(&p, ksp, 1, "another form"));
  PetscCall(LookAtNullSpaces(&p, ksp));
  PetscCall(LookAtSetUps(&p, ksp));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(Destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Coordinates of a periodic mesh are those of its cells: another vector of them gets to the levels */
static PetscErrorCode LookAtPeriodic(void)
{
  const PlexTestProblem problem    = {.cell       = DM_POLYTOPE_QUADRILATERAL,
                                      .degree     = 2,
                                      .components = 1,
                                      .form       = PLEX_TEST_GENERAL};
  const PetscInt        faces[]    = {5, 4};
  const DMBoundaryType  periodic[] = {DM_BOUNDARY_PERIODIC, DM_BOUNDARY_NONE};
  DMLabel               boundary;
  PlexAssembly          assembly;
  DM                    dm, coarse;
  Vec                   X, x[2], y;
  Mat                   J;
  KSP                   ksp;
  Problem               p = {.dm = NULL};

  PetscFunctionBegin;
  PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, 2, PETSC_FALSE, faces, NULL, NULL, periodic, PETSC_TRUE, 0,
                                PETSC_TRUE, &dm));
  PetscCall(DMCreateLabel(dm, "boundary"));
  PetscCall(DMGetLabel(dm, "boundary", &boundary));
  PetscCall(DMPlexMarkBoundaryFaces(dm, 1, boundary));
  PetscCall(PlexTestProblemShare(&problem, 0, &dm));
  PetscCall(PlexAssemblySetSNESLocal(dm, NULL));
  PetscCall(PlexAssemblyGetFromDM(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, PLEXBACKENDHOST));
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(DMSetMatType(dm, MATPLEXGPU));
  PetscCall(DMCreateMatrix(dm, &J));
  p.dm = dm;
  PetscCall(CreateSolver(&p, &ksp));
  PetscCall(KSPSetOperators(ksp, J, J));
  for (PetscInt k = 0; k < 2; ++k) {
    if (k) {
      PetscCall(DMGetCellCoordinatesLocal(dm, &x[0]));
      PetscCall(VecDuplicate(x[0], &x[1]));
      PetscCall(VecCopy(x[0], x[1]));
      PetscCall(VecScale(x[1], 1.5));
      PetscCall(DMSetCellCoordinatesLocal(dm, x[1]));
      PetscCall(VecDestroy(&x[1]));
    }
    PetscCall(PlexAssemblyComputeJacobian(assembly, X, NULL, 0., 0., J, J));
    PetscCall(KSPSetUp(ksp));
  }
  PetscCall(GetCoarse(ksp, NULL, &coarse));
  PetscCall(DMGetCellCoordinatesLocal(dm, &x[0]));
  PetscCall(DMGetCellCoordinatesLocal(coarse, &y));
  PetscCall(PlexTestReportOf((PetscBool)(x[0] && x[0] == y), "multigrid", "cellwise coordinates that were replaced",
                             "others"));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&J));
  PetscCall(VecDestroy(&X));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SameConstants(DM a, DM b, PetscBool *same)
{
  const DM           dm[2] = {a, b};
  const PetscScalar *c[2];
  PetscInt           n[2];
  PetscDS            ds;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(DMGetDS(dm[k], &ds));
    PetscCall(PetscDSGetConstants(ds, &n[k], &c[k]));
  }
  *same = PETSC_FALSE;
  if (n[0] == n[1] && n[0] > 0) PetscCall(PetscArraycmp(c[0], c[1], n[0], same));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The DM of one field gets constants of that of all fields at each set-up, as a block, whose state is not known. A problem
   of its own on such a DM keeps those that it has */
static PetscErrorCode LookAtBlock(PetscBool own)
{
  const PlexTestWeakForm form = {
    DM_POLYTOPE_QUADRILATERAL, 6, 2, {{2, 1, PLEX_TEST_LAGRANGE}, {2, 1, PLEX_TEST_LAGRANGE}},
       CONSTANT
  };
  const PetscInt field = 0;
  PetscBool      same[2];
  DM             dm, sub, coarse;
  PlexAssembly   assembly;
  Vec            X;
  Mat            A;
  KSP            ksp;
  PC             pc;
  Problem        p = {.dm = NULL};

  PetscFunctionBegin;
  PetscCall(PlexTestWeakFormCreate(&form, &dm));
  PetscCall(PlexAssemblySetSNESLocal(dm, NULL));
  PetscCall(DMCreateSubDM(dm, 1, &field, NULL, &sub));
  PetscCall(PlexAssemblyGetFromDM(sub, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, PLEXBACKENDHOST));
  PetscCall(DMSetMatType(sub, own ? MATPLEXGPU : MATAIJ));
  PetscCall(PlexAssemblyCreateMatrix(assembly, &A));
  PetscCall(MultiplyConstants(dm, 1.5));
  PetscCall(PlexTestLocalVector(sub, 1, &X));
  if (own) PetscCall(PlexAssemblyComputeJacobian(assembly, X, NULL, 0., 0., A, A));
  else {
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatShift(A, 1.));
  }
  p.dm = sub;
  PetscCall(CreateSolver(&p, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PetscOptionsSetValue(NULL, "-pc_plexpmg_linear", own ? "false" : "true"));
  PetscCall(PCSetFromOptions(pc));
  PetscCall(PetscOptionsClearValue(NULL, "-pc_plexpmg_linear"));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetUp(ksp));
  PetscCall(GetCoarse(ksp, NULL, &coarse));
  PetscCall(SameConstants(dm, coarse, &same[0]));
  PetscCall(SameConstants(sub, coarse, &same[1]));
  PetscCall(PlexTestReportOf((PetscBool)(same[0] != own && same[1]), "multigrid",
                             own ? "constants of a problem on the DM of a field" : "constants of a field's block",
                             "those of the whole %d, of the field %d", (int)same[0], (int)same[1]));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(VecDestroy(&X));
  PetscCall(DMDestroy(&sub));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The residual on a mesh with other coordinates, which are another vector with the number of states of the first one, or
   have been there before the first residual */
static PetscErrorCode ResidualOfMoved(PetscBool replaced, Vec *F)
{
  const PlexTestProblem problem = {.cell       = DM_POLYTOPE_QUADRILATERAL,
                                   .degree     = 2,
                                   .components = 1,
                                   .form       = PLEX_TEST_DIFFUSION};
  PlexAssembly          assembly;
  PetscObjectState      was, is;
  Vec                   x, y, X;
  SNES                  snes;
  DM                    dm;

  PetscFunctionBegin;
  PetscCall(CreateProblem(&problem, PLEXBACKENDHOST, &dm, &assembly));
  PetscCall(SNESCreate(PETSC_COMM_WORLD, &snes));
  PetscCall(SNESSetDM(snes, dm));
  PetscCall(SNESSetUp(snes));
  PetscCall(DMCreateGlobalVector(dm, &X));
  PetscCall(VecDuplicate(X, F));
  PetscCall(VecSet(X, 0.3));
  PetscCall(DMGetCoordinatesLocal(dm, &x));
  for (PetscInt k = 0; k < 20; ++k) PetscCall(PetscObjectStateIncrease((PetscObject)x));
  if (replaced) PetscCall(SNESComputeFunction(snes, X, *F));
  PetscCall(VecDuplicate(x, &y));
  PetscCall(VecCopy(x, y));
  PetscCall(VecScale(y, 1.5));
  PetscCall(PetscObjectStateGet((PetscObject)x, &was));
  PetscCall(PetscObjectStateGet((PetscObject)y, &is));
  for (; is < was; ++is) PetscCall(PetscObjectStateIncrease((PetscObject)y));
  PetscCall(DMSetCoordinatesLocal(dm, y));
  PetscCall(VecDestroy(&y));
  PetscCall(SNESComputeFunction(snes, X, *F));
  PetscCall(VecDestroy(&X));
  PetscCall(SNESDestroy(&snes));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtBoundary(void)
{
  PetscReal error, norm;
  Vec       F[2];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) PetscCall(ResidualOfMoved((PetscBool)k, &F[k]));
  PetscCall(VecNorm(F[0], NORM_INFINITY, &norm));
  PetscCall(VecAXPY(F[1], -1., F[0]));
  PetscCall(VecNorm(F[1], NORM_INFINITY, &error));
  PetscCall(PlexTestReportOf((PetscBool)(error <= 1e-12 * norm && norm > 0.), "boundary",
                             "values at coordinates that were replaced", "error %.3g of %.3g", (double)error,
                             (double)norm));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(VecDestroy(&F[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtHost(void)
{
  PetscFunctionBegin;
  PetscCall(LookAtBackend(PLEXBACKENDHOST));
  PetscCall(LookAtMultigrid());
  PetscCall(LookAtPeriodic());
  for (PetscInt own = 0; own < 2; ++own) PetscCall(LookAtBlock((PetscBool)own));
  PetscCall(LookAtBoundary());
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexGPUInitializePackage());
  PetscCall(PlexTestQuickKernels());
  PetscCall(PlexTestEachBackend(LookAtBackend, LookAtHost));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
