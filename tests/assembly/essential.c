static char
  help[] = "Rows of essential values that stay in vectors and matrices: PETSc's residual at the solution with "
           "these values, and what MatZeroRowsColumns() makes of its Jacobian.\n"
           "The environment variable PLEXGPU_TEST_BACKENDS is the list of backends: default "
           "host,emulate.\n\n";

#include <plexgpu/impl.h>
#include "meshes.h"
#include "problem.h"
#include "report.h"

typedef struct {
  const char    *name; /* of the cell */
  DMPolytopeType cell;
  PetscInt       degree, components;
  const char    *type; /* strategy, where the backend has some; of these sums are repeatable */
  PlexTestForm   form;
  const char    *mat; /* type of the matrix */
  PetscBool      dynamic, left;
  PetscBool      parallel; /* on several processes too */
} Case;

static const Case cases[] = {
  {"tri P2 vector", DM_POLYTOPE_TRIANGLE, 2, 2, PLEXASSEMBLYSHAREDNZ, PLEX_TEST_GENERAL, MATAIJ,
   .parallel = PETSC_TRUE},
  {"tri P1 linear", DM_POLYTOPE_TRIANGLE, 1, 1, PLEXASSEMBLYSHAREDNZ, PLEX_TEST_LINEAR, MATAIJ, .left = PETSC_FALSE},
  {"quad Q1 dynamic", DM_POLYTOPE_QUADRILATERAL, 1, 1, PLEXASSEMBLYLOCALROW, PLEX_TEST_GENERAL, MATAIJ,
   .dynamic = PETSC_TRUE, .parallel = PETSC_TRUE},
  {"tet P1 linear", DM_POLYTOPE_TETRAHEDRON, 1, 1, PLEXASSEMBLYLOCALROW, PLEX_TEST_LINEAR, MATAIJ,
   .parallel = PETSC_TRUE},
  {"tri P1 symmetric", DM_POLYTOPE_TRIANGLE, 1, 1, PLEXASSEMBLYGLOBALNZ, PLEX_TEST_SYMMETRIC, MATSBAIJ,
   .left = PETSC_FALSE},
  {"tri P2 mixed", DM_POLYTOPE_TRIANGLE, 2, 2, PLEXASSEMBLYGLOBALROW, PLEX_TEST_MIXED, MATBAIJ, .left = PETSC_FALSE},
  {"tri P1 left to PETSc", DM_POLYTOPE_TRIANGLE, 1, 1, PLEXASSEMBLYELEMENTCOLOR, PLEX_TEST_GENERAL, MATAIJ,
   .left = PETSC_TRUE},
  {"tri P1 subdomains", DM_POLYTOPE_TRIANGLE, 1, 1, PLEXASSEMBLYELEMENTCOLOR, PLEX_TEST_GENERAL, MATIS,
   .parallel = PETSC_TRUE},
};

/* A problem with rows of essential values, and where it is looked at */
typedef struct {
  const Case  *c;
  DM           dm;
  PlexAssembly assembly;
  IS           rows;
  Vec          X, X_t;   /* global */
  Vec          g, g_t;   /* values at the rows, and other numbers elsewhere */
  Vec          locX[2];  /* local: of X and X_t, */
  Vec          locXg[2]; /* and of these with the values */
  PetscInt     nrows;
  PetscReal    t;
  char         name[128];
} Problem;

static PetscErrorCode CreateDM(const Case *c, PetscBool device, DM *dm)
{
  const PlexTestProblem problem = {.cell       = c->cell,
                                   .degree     = c->degree,
                                   .components = c->components,
                                   .form       = c->form,
                                   .device     = device};

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, c->cell, 0, dm));
  PetscCall(PlexTestProblemShare(&problem, 0, dm));
  if (!device) PetscCall(DMSetMatType(*dm, c->mat));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every fifth row, those of the next process: rows need not be a process's own */
static PetscErrorCode CreateRows(Problem *p)
{
  MPI_Comm        comm = PetscObjectComm((PetscObject)p->X);
  const PetscInt *ranges;
  PetscMPIInt     rank, size;
  PetscInt        n = 0, *rows;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(VecGetOwnershipRanges(p->X, &ranges));
  rank = (rank + 1) % size;
  PetscCall(PetscMalloc1(ranges[rank + 1] - ranges[rank], &rows));
  for (PetscInt r = ranges[rank]; r < ranges[rank + 1]; ++r)
    if (r % 5 == 2) rows[n++] = r;
  PetscCall(ISCreateGeneral(comm, n, rows, PETSC_OWN_POINTER, &p->rows));
  PetscCall(ISGetSize(p->rows, &p->nrows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y at the rows is that of x; add: or minus it */
static PetscErrorCode AtRows(const Problem *p, Vec x, Vec y)
{
  const PetscScalar *a;
  PetscScalar       *b;
  PetscInt           begin, end;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(x, &begin, &end));
  PetscCall(VecGetArrayRead(x, &a));
  PetscCall(VecGetArray(y, &b));
  for (PetscInt r = begin; r < end; ++r)
    if (r % 5 == 2) b[r - begin] = a[r - begin];
  PetscCall(VecRestoreArray(y, &b));
  PetscCall(VecRestoreArrayRead(x, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Local vector of x, with some numbers at the constrained dofs; with g at the rows unless it is NULL */
static PetscErrorCode GetLocal(const Problem *p, Vec x, Vec g, Vec *local)
{
  Vec y;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(x, &y));
  PetscCall(VecCopy(x, y));
  if (g) PetscCall(AtRows(p, g, y));
  if (!*local) {
    PetscCall(DMCreateLocalVector(p->dm, local));
    PetscCall(VecSet(*local, 0.125));
  }
  PetscCall(DMGlobalToLocal(p->dm, y, INSERT_VALUES, *local));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetLocals(Problem *p)
{
  PetscFunctionBegin;
  PetscCall(GetLocal(p, p->X, NULL, &p->locX[0]));
  PetscCall(GetLocal(p, p->X, p->g, &p->locXg[0]));
  if (!p->c->dynamic) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GetLocal(p, p->X_t, NULL, &p->locX[1]));
  PetscCall(GetLocal(p, p->X_t, p->g_t, &p->locXg[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateAssembly(const Problem *p, const char backend[], PlexAssembly *assembly)
{
  PetscBool host;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(backend, PLEXBACKENDHOST, &host));
  PetscCall(PlexAssemblyCreate(p->dm, assembly));
  PetscCall(PlexAssemblySetFromOptions(*assembly));
  PetscCall(PlexAssemblySetBackend(*assembly, backend));
  if (!host) PetscCall(PlexAssemblySetType(*assembly, p->c->type));
  if (!p->c->left) PetscCall(PlexAssemblySetPointwiseSource(*assembly, PLEX_TEST_FORMS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ProblemCreate(const Case *c, const char backend[], PetscBool device, Problem *p)
{
  PetscRandom random;
  PetscMPIInt size;

  PetscFunctionBegin;
  *p = (Problem){.c = c, .t = c->dynamic ? 0.3 : 0.};
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscSNPrintf(p->name, sizeof(p->name), "%s %s on %d", backend, c->name, size));
  PetscCall(CreateDM(c, device, &p->dm));
  PetscCall(DMCreateGlobalVector(p->dm, &p->X));
  PetscCall(PetscRandomCreate(PETSC_COMM_WORLD, &random));
  PetscCall(PetscRandomSetFromOptions(random));
  for (PetscInt k = 0; k < 4; ++k) {
    Vec *v = k == 0 ? &p->X : k == 1 ? &p->X_t : k == 2 ? &p->g : &p->g_t;

    if (k) PetscCall(VecDuplicate(p->X, v));
    PetscCall(VecSetRandom(*v, random));
  }
  PetscCall(PetscRandomDestroy(&random));
  PetscCall(CreateRows(p));
  PetscCall(GetLocals(p));
  PetscCall(CreateAssembly(p, backend, &p->assembly));
  PetscCall(PlexAssemblySetEssentialRows(p->assembly, p->rows, p->g, c->dynamic ? p->g_t : NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ProblemDestroy(Problem *p)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyDestroy(&p->assembly));
  PetscCall(ISDestroy(&p->rows));
  PetscCall(VecDestroy(&p->X));
  PetscCall(VecDestroy(&p->X_t));
  PetscCall(VecDestroy(&p->g));
  PetscCall(VecDestroy(&p->g_t));
  for (PetscInt s = 0; s < 2; ++s) {
    PetscCall(VecDestroy(&p->locX[s]));
    PetscCall(VecDestroy(&p->locXg[s]));
  }
  PetscCall(DMDestroy(&p->dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Residuals as global vectors: of the assembly at X, and PETSc's at X with the values */
static PetscErrorCode GetResiduals(const Problem *p, Vec *F, Vec *reference)
{
  Vec local;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(p->X, F));
  PetscCall(VecDuplicate(p->X, reference));
  PetscCall(DMCreateLocalVector(p->dm, &local));
  PetscCall(PlexAssemblyComputeFunction(p->assembly, p->locX[0], p->locX[1], p->t, local));
  PetscCall(VecSet(*F, 0.));
  PetscCall(DMLocalToGlobal(p->dm, local, ADD_VALUES, *F));
  PetscCall(VecSet(local, 0.));
  if (p->c->dynamic) PetscCall(DMPlexTSComputeIFunctionFEM(p->dm, p->t, p->locXg[0], p->locXg[1], local, NULL));
  else PetscCall(DMPlexSNESComputeResidualFEM(p->dm, p->locXg[0], local, NULL));
  PetscCall(VecSet(*reference, 0.));
  PetscCall(DMLocalToGlobal(p->dm, local, ADD_VALUES, *reference));
  PetscCall(VecWAXPY(p->g_t, -1., p->g, p->X)); /* X - g; not needed any more */
  PetscCall(AtRows(p, p->g_t, *reference));
  PetscCall(VecDestroy(&local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PetscJacobian(const Problem *p, const Vec x[2], Mat J)
{
  PetscFunctionBegin;
  if (p->c->dynamic) PetscCall(DMPlexTSComputeIJacobianFEM(p->dm, p->t, x[0], x[1], 2., J, J, NULL));
  else PetscCall(DMPlexSNESComputeJacobianFEM(p->dm, x[0], J, J, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest difference of the products with two vectors, over the largest entry: of matrices of any format */
static PetscErrorCode ProductError(Mat A, Mat B, PetscReal *error)
{
  Vec       x, y, z;
  PetscReal one;

  PetscFunctionBegin;
  *error = 0.;
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecDuplicate(y, &z));
  for (PetscInt k = 0; k < 2; ++k) {
    if (k) PetscCall(VecSet(x, 1.));
    else PetscCall(VecSetRandom(x, NULL));
    PetscCall(MatMult(A, x, y));
    PetscCall(MatMult(B, x, z));
    PetscCall(PlexTestVecError(y, z, &one));
    *error = PetscMax(*error, one);
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(VecDestroy(&z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtResidual(Problem *p)
{
  Vec       F, reference;
  PetscReal error;

  PetscFunctionBegin;
  PetscCall(GetResiduals(p, &F, &reference));
  PetscCall(PlexTestVecError(F, reference, &error));
  PetscCall(PlexTestReportOf((PetscBool)(error <= 1e-13), p->name, "residual", "relative error %.3g", (double)error));
  PetscCall(VecDestroy(&F));
  PetscCall(VecDestroy(&reference));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The Jacobian against PETSc's; the same bits as the assembly's own after MatZeroRowsColumns(); again in a matrix that
   MatZeroRowsColumns() and MatZeroRows() have changed; and without the rows again */
static PetscErrorCode LookAtJacobian(Problem *p, const char backend[])
{
  PlexAssemblyCounts counts;
  PlexAssembly       plain;
  Mat                J, K, R;
  PetscReal          error, again, gone;
  PetscBool          same, is, aij, host;

  PetscFunctionBegin;
  PetscCall(DMCreateMatrix(p->dm, &J));
  PetscCall(DMCreateMatrix(p->dm, &K));
  PetscCall(DMCreateMatrix(p->dm, &R));
  PetscCall(PetscObjectTypeCompare((PetscObject)J, MATIS, &is));
  PetscCall(PetscStrcmp(backend, PLEXBACKENDHOST, &host));
  PetscCall(PlexAssemblyComputeJacobian(p->assembly, p->locX[0], p->locX[1], p->t, p->c->dynamic ? 2. : 0., J, J));
  PetscCall(PetscJacobian(p, p->locXg, R));
  PetscCall(MatZeroRowsColumnsIS(R, p->rows, 1., NULL, NULL));
  PetscCall(ProductError(J, R, &error));
  PetscCall(CreateAssembly(p, backend, &plain));
  PetscCall(PlexAssemblyComputeJacobian(plain, p->locXg[0], p->locXg[1], p->t, p->c->dynamic ? 2. : 0., K, K));
  PetscCall(MatZeroRowsColumnsIS(K, p->rows, 1., NULL, NULL));
  if (is) {
    PetscCall(ProductError(K, J, &again));
    same = (PetscBool)(again <= 1e-14);
  } else PetscCall(MatEqual(J, K, &same));
  PetscCall(PlexTestReportOf((PetscBool)(error <= 1e-13 && same), p->name, "Jacobian",
                             "relative error of products %.3g, %s bits", (double)error, same ? "the same" : "other"));
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)J, &aij, MATSEQAIJ, MATMPIAIJ, ""));
  if (aij) {
    PetscCall(MatSetOption(J, MAT_KEEP_NONZERO_PATTERN, PETSC_TRUE));
    PetscCall(MatZeroRowsIS(J, p->rows, 3., NULL, NULL));
  }
  PetscCall(PlexAssemblyComputeJacobian(p->assembly, p->locX[0], p->locX[1], p->t, p->c->dynamic ? 2. : 0., J, J));
  PetscCall(ProductError(J, R, &error));
  /* K as MatZeroRowsColumns() has left it */
  PetscCall(PlexAssemblyComputeJacobian(plain, p->locXg[0], p->locXg[1], p->t, p->c->dynamic ? 2. : 0., K, K));
  PetscCall(PetscJacobian(p, p->locXg, R));
  PetscCall(ProductError(K, R, &again));
  PetscCall(PlexAssemblySetEssentialRows(p->assembly, NULL, NULL, NULL));
  PetscCall(PlexAssemblyComputeJacobian(p->assembly, p->locXg[0], p->locXg[1], p->t, p->c->dynamic ? 2. : 0., J, J));
  PetscCall(ProductError(J, R, &gone));
  PetscCall(PlexAssemblyGetCounts(p->assembly, &counts));
  PetscCall(PlexTestReportOf((PetscBool)(error <= 1e-13 && again <= 1e-13 && gone <= 1e-13 &&
                                         !counts.jacobiansLeft == (host || !p->c->left)),
                             p->name, "later Jacobians",
                             "relative errors of products: after MatZeroRows() %.3g, after MatZeroRowsColumns() %.3g, "
                             "without rows %.3g; %" PetscInt_FMT " left to PETSc",
                             (double)error, (double)again, (double)gone, counts.jacobiansLeft));
  PetscCall(PlexAssemblyDestroy(&plain));
  PetscCall(MatDestroy(&J));
  PetscCall(MatDestroy(&K));
  PetscCall(MatDestroy(&R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A linear problem at zero: matrix and right-hand side as MatZeroRowsColumns() makes them of PETSc's */
static PetscErrorCode LookAtLinear(Problem *p)
{
  Vec       b, local, reference;
  Mat       A;
  PetscReal error;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(p->X, &b));
  PetscCall(VecDuplicate(p->X, &reference));
  PetscCall(DMCreateLocalVector(p->dm, &local));
  PetscCall(VecSet(p->X, 0.));
  PetscCall(GetLocals(p));
  PetscCall(PlexAssemblyComputeFunction(p->assembly, p->locX[0], NULL, p->t, local));
  PetscCall(VecSet(b, 0.));
  PetscCall(DMLocalToGlobal(p->dm, local, ADD_VALUES, b));
  PetscCall(VecScale(b, -1.));
  PetscCall(VecSet(local, 0.));
  PetscCall(DMPlexSNESComputeResidualFEM(p->dm, p->locX[0], local, NULL));
  PetscCall(VecSet(reference, 0.));
  PetscCall(DMLocalToGlobal(p->dm, local, ADD_VALUES, reference));
  PetscCall(VecScale(reference, -1.));
  PetscCall(DMCreateMatrix(p->dm, &A));
  PetscCall(PetscJacobian(p, p->locX, A));
  PetscCall(MatZeroRowsColumnsIS(A, p->rows, 1., p->g, reference));
  PetscCall(PlexTestVecError(b, reference, &error));
  PetscCall(PlexTestReportOf((PetscBool)(error <= 1e-13), p->name, "right-hand side", "relative error %.3g",
                             (double)error));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&reference));
  PetscCall(VecDestroy(&local));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtCase(const Case *c, const char backend[], PetscBool device)
{
  Problem p;

  PetscFunctionBegin;
  PetscCall(ProblemCreate(c, backend, device, &p));
  if (c->form == PLEX_TEST_LINEAR) PetscCall(LookAtLinear(&p));
  PetscCall(LookAtResidual(&p));
  PetscCall(VecScale(p.g, 2.)); /* values that change are noticed */
  if (c->dynamic) {
    PetscCall(VecShift(p.g_t, 1.));
    PetscCall(VecScale(p.X_t, 0.5));
  }
  PetscCall(GetLocals(&p));
  PetscCall(LookAtResidual(&p));
  if (c->dynamic) PetscCall(GetLocals(&p)); /* g_t has changed on the way */
  PetscCall(LookAtJacobian(&p, backend));
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Newton's method: values at the rows, no residual in the other ones, and the same steps as in quadratic convergence */
static PetscErrorCode LookAtNewton(const Case *c, const char backend[], PetscBool device)
{
  Problem             p;
  SNES                snes;
  Vec                 F, reference;
  PlexAssembly        assembly;
  PetscReal           norm, error;
  PetscInt            its;
  SNESConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(ProblemCreate(c, backend, device, &p));
  PetscCall(VecScale(p.g, 0.1));
  PetscCall(PlexAssemblySetSNESLocal(p.dm, NULL));
  PetscCall(PlexAssemblyGetFromDM(p.dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, backend));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_FORMS));
  PetscCall(PlexAssemblySetEssentialRows(assembly, p.rows, p.g, NULL));
  PetscCall(SNESCreate(PETSC_COMM_WORLD, &snes));
  PetscCall(SNESSetDM(snes, p.dm));
  PetscCall(SNESSetTolerances(snes, 1e-12, 1e-12, 0., 12, 1000));
  PetscCall(PetscOptionsSetValue(NULL, "-ksp_rtol", "1e-13"));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(VecSet(p.X, 0.));
  PetscCall(SNESSolve(snes, NULL, p.X));
  PetscCall(SNESGetConvergedReason(snes, &reason));
  PetscCall(SNESGetIterationNumber(snes, &its));
  PetscCall(SNESDestroy(&snes));
  PetscCall(VecSet(p.locX[0], 0.));
  PetscCall(DMPlexInsertBoundaryValues(p.dm, PETSC_TRUE, p.locX[0], 0., NULL, NULL, NULL));
  PetscCall(VecCopy(p.locX[0], p.locXg[0]));
  PetscCall(GetLocals(&p));
  PetscCall(GetResiduals(&p, &F, &reference));
  PetscCall(VecNorm(reference, NORM_INFINITY, &norm));
  PetscCall(VecNorm(p.X, NORM_INFINITY, &error));
  PetscCall(PlexTestReportOf((PetscBool)(reason > 0 && its <= 8 && norm <= 1e-10 && error > 1e-3), p.name,
                             "Newton's method",
                             "%s after %" PetscInt_FMT " iterations; PETSc's residual there %.3g, solution %.3g",
                             SNESConvergedReasons[reason], its, (double)norm, (double)error));
  PetscCall(VecDestroy(&F));
  PetscCall(VecDestroy(&reference));
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compute(void *ctx)
{
  Problem *p = (Problem *)ctx;
  Vec      local;

  PetscFunctionBegin;
  PetscCall(DMCreateLocalVector(p->dm, &local));
  PetscCall(PlexAssemblyComputeFunction(p->assembly, p->locX[0], NULL, 0., local));
  PetscCall(VecDestroy(&local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtErrors(void)
{
  Problem  p;
  IS       rows;
  Vec      v[2];
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(ProblemCreate(&cases[1], PLEXBACKENDHOST, PETSC_FALSE, &p));
  PetscCall(PlexAssemblyGetEssentialRows(p.assembly, &rows, &v[0], &v[1]));
  PetscCall(PlexTestReport((PetscBool)(rows == p.rows && v[0] == p.g && !v[1]), "rows and values are given back", " "));
  PetscCall(VecGetSize(p.X, &n));
  PetscCall(ISCreateStride(PETSC_COMM_WORLD, 1, n, 1, &rows));
  PetscCall(PlexAssemblySetEssentialRows(p.assembly, rows, NULL, NULL));
  EXPECT("a row that is none", Compute, &p, "Essential row", "have rows 0 to");
  PetscCall(ISDestroy(&rows));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, n + 1, &v[0]));
  PetscCall(PlexAssemblySetEssentialRows(p.assembly, p.rows, v[0], NULL));
  EXPECT("values of another size", Compute, &p, "essential values has", "global vectors have");
  PetscCall(VecDestroy(&v[0]));
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;
  PetscMPIInt        size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestQuickKernels());
  PetscCall(PlexGPUInitializePackage()); /* before a solver gets its type */
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) {
    PetscBool device;

    PetscCall(PetscStrcmp(backends[b], PLEXBACKENDCUDA, &device));
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) {
      const Case *c = &cases[k];

      if (size > 1 && !c->parallel) continue;
      PetscCall(LookAtCase(c, backends[b], PETSC_FALSE));
      if (device && !strcmp(c->mat, MATAIJ)) PetscCall(LookAtCase(c, backends[b], PETSC_TRUE));
    }
    PetscCall(LookAtNewton(&cases[0], backends[b], device));
  }
  if (size == 1) PetscCall(LookAtErrors());
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
