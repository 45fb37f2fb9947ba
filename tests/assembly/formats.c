static char
  help[] = "Jacobians in matrices of other formats than CSR: PETSc's values, in each format, and what they do to "
           "a vector.\n"
           "The environment variable PLEXGPU_TEST_BACKENDS is the list of backends: default "
           "host,emulate.\n\n";

#include <plexgpu/impl.h>
#include "meshes.h"
#include "problem.h"
#include "report.h"

/* A space. With all components of a vertex free or held, matrices have blocks of so many rows */
typedef struct {
  const char    *name;
  DMPolytopeType cell;
  PetscInt       degree, components;
  PetscBool      whole;
} Space;

static const Space spaces[] = {
  {.name = "tri P2 vector, single rows", .cell = DM_POLYTOPE_TRIANGLE, .degree = 2, .components = 2},
  {.name       = "quad Q1, blocks of 3",
   .cell       = DM_POLYTOPE_QUADRILATERAL,
   .degree     = 1,
   .components = 3,
   .whole      = PETSC_TRUE},
  {.name = "tet P1, blocks of 3", .cell = DM_POLYTOPE_TETRAHEDRON, .degree = 1, .components = 3, .whole = PETSC_TRUE}
};

typedef struct {
  const char *type, *local; /* local: of a matrix of type IS, else NULL */
} Format;

static const Format formats[] = {
  {MATBAIJ,    NULL      },
  {MATSBAIJ,   NULL      },
  {MATAIJPERM, NULL      },
  {MATAIJSELL, NULL      },
  {MATAIJCRL,  NULL      },
  {MATDENSE,   NULL      },
  {MATIS,      MATBAIJ   },
  {MATIS,      MATSBAIJ  },
  {MATIS,      MATAIJPERM}
};

static PetscErrorCode CreateDM(const Space *s, const Format *f, PetscBool preconditioner, DM *dm)
{
  const PlexTestProblem problem = {.cell       = s->cell,
                                   .degree     = s->degree,
                                   .components = s->components,
                                   .form       = PLEX_TEST_GENERAL,
                                   .whole      = s->whole};
  PetscDS               ds;
  PetscPointJacFn      *g[4];

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, s->cell, 0, dm));
  PetscCall(PlexTestProblemShare(&problem, 0, dm));
  PetscCall(DMGetDS(*dm, &ds));
  PetscCall(PetscDSGetJacobian(ds, 0, 0, &g[0], &g[1], &g[2], &g[3]));
  if (preconditioner) PetscCall(PetscDSSetJacobianPreconditioner(ds, 0, 0, g[0], NULL, NULL, g[3]));
  PetscCall(DMSetMatType(*dm, f->type));
  if (f->local) PetscCall(PetscOptionsSetValue(NULL, "-mat_is_localmat_type", f->local));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateAssembly(DM dm, const char backend[], PlexAssembly *assembly)
{
  PetscBool host;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(backend, PLEXBACKENDHOST, &host));
  PetscCall(PlexAssemblyCreate(dm, assembly));
  PetscCall(PlexAssemblySetFromOptions(*assembly));
  PetscCall(PlexAssemblySetBackend(*assembly, backend));
  if (!host) PetscCall(PlexAssemblySetType(*assembly, PLEXASSEMBLYGLOBALROW));
  PetscCall(PlexAssemblySetPointwiseSource(*assembly, PLEX_TEST_FORMS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's MatDuplicate() serves no AIJCRL, and its MatAXPY() adds a part of the values of blocks of MPISBAIJ */
static PetscErrorCode HasDuplicates(Mat A, PetscBool *has)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, has, MATSEQAIJCRL, MATMPIAIJCRL, MATMPISBAIJ, ""));
  *has = (PetscBool)!*has;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the values of A, and of what A does to a vector, against B */
static PetscErrorCode Compare(DM dm, Mat A, Mat B, PetscReal error[2])
{
  PetscBool is, has;
  PetscReal size;
  Mat       a = A, b = B, difference;
  Vec       X, x, y[2];

  PetscFunctionBegin;
  PetscCall(PlexTestLocalVector(dm, 2, &X));
  PetscCall(DMCreateGlobalVector(dm, &x));
  PetscCall(DMLocalToGlobal(dm, X, INSERT_VALUES, x));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(VecDuplicate(x, &y[k]));
    PetscCall(MatMult(k ? B : A, x, y[k]));
  }
  PetscCall(PlexTestVecError(y[0], y[1], &error[1]));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(VecDestroy(&y[k]));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&X));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATIS, &is));
  error[0] = 0.;
  PetscCall(HasDuplicates(A, &has));
  if (!has) PetscFunctionReturn(PETSC_SUCCESS);
  if (is) PetscCall(MatISGetLocalMat(A, &a));
  if (is) PetscCall(MatISGetLocalMat(B, &b));
  PetscCall(MatDuplicate(a, MAT_COPY_VALUES, &difference));
  PetscCall(MatAXPY(difference, -1., b, SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(b, NORM_FROBENIUS, &size));
  PetscCall(MatNorm(difference, NORM_FROBENIUS, &error[0]));
  error[0] = size > 0. ? error[0] / size : PETSC_INFINITY;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, error, 1, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  PetscCall(MatDestroy(&difference));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A new matrix, the same one again with other values before, a duplicate; and a Jacobian beside a preconditioner's
   matrix */
static PetscErrorCode LookAtFormat(const Space *s, const Format *f, const char backend[])
{
  PlexAssemblyCounts counts;
  PlexAssembly       assembly;
  Vec                X[2];
  Mat                J, K, D = NULL, P, Q;
  PetscReal          error[5][2];
  PetscMPIInt        size;
  PetscBool          good = PETSC_TRUE, has, left;
  char               name[256];
  DM                 dm;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s %s, %s%s%s on %d", backend, s->name, f->type, f->local ? " of " : "",
                          f->local ? f->local : "", size));
  PetscCall(CreateDM(s, f, PETSC_TRUE, &dm));
  PetscCall(CreateAssembly(dm, backend, &assembly));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(PlexTestLocalVector(dm, k + 1, &X[k]));
  PetscCall(DMCreateMatrix(dm, &J));
  PetscCall(DMCreateMatrix(dm, &K));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(PlexAssemblyComputeJacobian(assembly, X[k], NULL, 0., 0., J, J));
    PetscCall(DMPlexSNESComputeJacobianFEM(dm, X[k], K, K, NULL));
    PetscCall(Compare(dm, J, K, error[k]));
  }
  PetscCall(HasDuplicates(J, &has));
  if (has) PetscCall(MatDuplicate(J, MAT_COPY_VALUES, &D));
  else PetscCall(DMCreateMatrix(dm, &D));
  PetscCall(PlexAssemblyComputeJacobian(assembly, X[0], NULL, 0., 0., D, D));
  PetscCall(Compare(dm, J, K, error[2])); /* as it was */
  PetscCall(DMPlexSNESComputeJacobianFEM(dm, X[0], K, K, NULL));
  PetscCall(Compare(dm, D, K, error[3]));
  PetscCall(MatDestroy(&D));
  PetscCall(DMCreateMatrix(dm, &P));
  PetscCall(DMCreateMatrix(dm, &Q));
  PetscCall(PlexAssemblyComputeJacobian(assembly, X[1], NULL, 0., 0., J, P));
  PetscCall(DMPlexSNESComputeJacobianFEM(dm, X[1], K, Q, NULL));
  PetscCall(Compare(dm, J, K, error[4]));
  for (PetscInt k = 0; k < 5; ++k) good = (PetscBool)(good && error[k][0] <= 1e-12 && error[k][1] <= 1e-12);
  PetscCall(Compare(dm, P, Q, error[4]));
  good = (PetscBool)(good && error[4][0] <= 1e-12 && error[4][1] <= 1e-12);
  PetscCall(PlexAssemblyGetCounts(assembly, &counts));
  PetscCall(PetscObjectTypeCompare((PetscObject)J, MATMPISBAIJ, &left)); /* left to PETSc before 3.26 */
  left = (PetscBool)(left && PETSC_VERSION_LT(3, 26, 0));
  PetscCall(PlexTestReport((PetscBool)(good && counts.jacobians == (left ? 0 : 4) && (left || !counts.jacobiansLeft)),
                           name,
                           "relative errors of values and products: %.3g %.3g, again %.3g %.3g, after a duplicate %.3g "
                           "%.3g, of that %.3g %.3g, preconditioner %.3g %.3g; %" PetscInt_FMT
                           " Jacobians here, %" PetscInt_FMT " left to PETSc",
                           (double)error[0][0], (double)error[0][1], (double)error[1][0], (double)error[1][1],
                           (double)error[2][0], (double)error[2][1], (double)error[3][0], (double)error[3][1],
                           (double)error[4][0], (double)error[4][1], counts.jacobians, counts.jacobiansLeft));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(VecDestroy(&X[k]));
  PetscCall(MatDestroy(&J));
  PetscCall(MatDestroy(&K));
  PetscCall(MatDestroy(&P));
  PetscCall(MatDestroy(&Q));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A matrix that is only preallocated gets its entries. One that lacks entries is left to PETSc, which drops values or, of
   several processes, ends with an error */
static PetscErrorCode LookAtPatterns(const char backend[])
{
  const Format       baij = {MATBAIJ, NULL};
  PlexAssemblyCounts counts;
  PlexAssembly       assembly;
  PetscReal          error[2];
  Vec                X;
  Mat                J, K, small;
  PetscInt           n;
  PetscMPIInt        size;
  DM                 dm;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(CreateDM(&spaces[0], &baij, PETSC_FALSE, &dm));
  PetscCall(CreateAssembly(dm, backend, &assembly));
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(DMCreateMatrix(dm, &K));
  PetscCall(DMPlexSNESComputeJacobianFEM(dm, X, K, K, NULL));
  PetscCall(DMSetMatrixPreallocateOnly(dm, PETSC_TRUE));
  PetscCall(DMCreateMatrix(dm, &J));
  PetscCall(PlexAssemblyComputeJacobian(assembly, X, NULL, 0., 0., J, J));
  PetscCall(Compare(dm, J, K, error));
  PetscCall(MatGetLocalSize(K, &n, NULL));
  PetscCall(MatCreateBAIJ(PETSC_COMM_WORLD, 1, n, n, PETSC_DETERMINE, PETSC_DETERMINE, 1, NULL, 0, NULL, &small));
  for (PetscInt r = 0; r < n && size == 1; ++r) PetscCall(MatSetValue(small, r, r, 1., INSERT_VALUES));
  PetscCall(MatAssemblyBegin(small, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(small, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(small, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
  if (size == 1) PetscCall(PlexAssemblyComputeJacobian(assembly, X, NULL, 0., 0., small, small));
  PetscCall(PlexAssemblyGetCounts(assembly, &counts));
  PetscCall(PlexTestReportOf((PetscBool)(error[0] <= 1e-12 && counts.jacobians == 1 &&
                                         counts.jacobiansLeft == (size == 1)),
                             backend, "patterns",
                             "preallocated alone: relative error %.3g; %" PetscInt_FMT " Jacobians here, %" PetscInt_FMT
                             " left to PETSc",
                             (double)error[0], counts.jacobians, counts.jacobiansLeft));
  PetscCall(MatDestroy(&small));
  PetscCall(MatDestroy(&J));
  PetscCall(MatDestroy(&K));
  PetscCall(VecDestroy(&X));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestQuickKernels());
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) {
    PetscBool host;

    PetscCall(PetscStrcmp(backends[b], PLEXBACKENDHOST, &host));
    for (size_t s = 0; s < PETSC_STATIC_ARRAY_LENGTH(spaces); ++s)
      for (size_t f = 0; f < PETSC_STATIC_ARRAY_LENGTH(formats); ++f)
        if (host || s == 1) PetscCall(LookAtFormat(&spaces[s], &formats[f], backends[b]));
    PetscCall(LookAtPatterns(backends[b]));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
