/*
  Parts of a matrix whose pattern was made from the elements, beside those of a copy of it, which are PETSc's: sorted and
  unsorted rows and columns, new values, one thread and several.
*/
#include <plexgpu/private/meshimpl.h>
#include <plexgpu/private/util.h>
#include "meshes.h"
#include "problem.h"
#include "report.h"

static const char help[] = "MatCreateSubMatrix() in threads\n";

/* Every step-th number from first on, or what is not of these; backwards: descending */
static PetscErrorCode CreateIS(PetscInt n, PetscInt first, PetscInt step, PetscBool others, PetscBool backwards, IS *is)
{
  PetscInt *numbers, count = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &numbers));
  for (PetscInt k = 0; k < n; ++k)
    if (((k % step == first) ? PETSC_TRUE : PETSC_FALSE) != others) numbers[count++] = k;
  for (PetscInt k = 0; k < count / 2 && backwards; ++k) {
    const PetscInt own = numbers[k];

    numbers[k]             = numbers[count - 1 - k];
    numbers[count - 1 - k] = own;
  }
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, count, numbers, PETSC_COPY_VALUES, is));
  PetscCall(PetscFree(numbers));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetValues(Mat A, Mat plain, PetscScalar first)
{
  PetscScalar *a;
  MatInfo      info;

  PetscFunctionBegin;
  PetscCall(MatGetInfo(A, MAT_LOCAL, &info));
  PetscCall(MatSeqAIJGetArray(A, &a));
  for (PetscInt k = 0; k < (PetscInt)info.nz_used; ++k) a[k] = first + (PetscScalar)(k % 1013);
  PetscCall(MatSeqAIJRestoreArray(A, &a));
  PetscCall(MatCopy(A, plain, SAME_NONZERO_PATTERN));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckPart(const char name[], Mat A, Mat plain, IS rows, IS columns)
{
  const char *const threads[] = {"1", "5"};
  Mat               C, expected;
  PetscBool         same;

  PetscFunctionBegin;
  PetscCall(SetValues(A, plain, 1.0));
  PetscCall(MatCreateSubMatrix(plain, rows, columns, MAT_INITIAL_MATRIX, &expected));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(threads); ++k) {
    PetscCall(PetscOptionsSetValue(NULL, "-plexgpu_threads", threads[k]));
    PetscCall(MatCreateSubMatrix(A, rows, columns, MAT_INITIAL_MATRIX, &C));
    PetscCall(MatEqual(C, expected, &same));
    PetscCall(PlexTestReportOf(same, name, k ? "five threads" : "one thread", "another part"));
    if (!k) PetscCall(MatDestroy(&C));
  }
  PetscCall(SetValues(A, plain, -7.0));
  PetscCall(MatCreateSubMatrix(plain, rows, columns, MAT_REUSE_MATRIX, &expected));
  PetscCall(MatCreateSubMatrix(A, rows, columns, MAT_REUSE_MATRIX, &C));
  PetscCall(MatEqual(C, expected, &same));
  PetscCall(PlexTestReportOf(same, name, "new values", "another part"));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&expected));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  Mat A, C;
  IS  rows, columns;
} Other;

static PetscErrorCode ReuseOther(void *ctx)
{
  Other *o = (Other *)ctx;

  PetscFunctionBegin;
  PetscCall(MatCreateSubMatrix(o->A, o->rows, o->columns, MAT_REUSE_MATRIX, &o->C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A part of as many rows with other entries is an error */
static PetscErrorCode CheckOther(Mat A, PetscInt n)
{
  Other o = {.A = A};

  PetscFunctionBegin;
  PetscCall(CreateIS(n, 0, 3, PETSC_FALSE, PETSC_FALSE, &o.rows));
  PetscCall(MatCreateSubMatrix(A, o.rows, o.rows, MAT_INITIAL_MATRIX, &o.C));
  PetscCall(CreateIS(n, 1, 3, PETSC_FALSE, PETSC_FALSE, &o.columns));
  EXPECT("a part with other entries", ReuseOther, &o, "other entries");
  PetscCall(MatDestroy(&o.C));
  PetscCall(ISDestroy(&o.rows));
  PetscCall(ISDestroy(&o.columns));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One entry of a row in both parts, so that lengths of rows do not tell: with two columns, of which the row has the first
   or the second one, and with another number of columns */
static PetscErrorCode CheckColumns(Mat A)
{
  PetscInt        row = -1, n, nz, at = 0, none[2], columns[2][2];
  const PetscInt *j;
  Other           o = {.A = A};

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &n, NULL));
  do { /* a row with columns before one of its entries, and after it, where it has none */
    PetscCall(MatGetRow(A, ++row, &nz, &j, NULL));
    none[0] = none[1] = -1;
    for (PetscInt e = 0; e + 1 < nz; ++e) {
      if (j[e + 1] == j[e] + 1) continue;
      if (none[0] < 0) {
        none[0] = j[e] + 1;
        at      = j[e + 1];
      } else if (none[1] < 0) none[1] = j[e] + 1;
    }
    PetscCall(MatRestoreRow(A, row, &nz, &j, NULL));
  } while (row + 1 < n && none[1] < 0);
  PetscCall(PlexTestReport((PetscBool)(none[0] >= 0 && none[0] < at && at < none[1]), "a row with gaps", "row %d",
                           (int)row));
  columns[0][0] = columns[1][1] = at;
  columns[0][1]                 = none[1];
  columns[1][0]                 = none[0];
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, 1, &row, PETSC_COPY_VALUES, &o.rows));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, 2, columns[0], PETSC_COPY_VALUES, &o.columns));
  PetscCall(MatCreateSubMatrix(A, o.rows, o.columns, MAT_INITIAL_MATRIX, &o.C));
  PetscCall(ISDestroy(&o.columns));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, 2, columns[1], PETSC_COPY_VALUES, &o.columns));
  EXPECT("a part with its entry in another column", ReuseOther, &o, "Cannot reuse matrix", "MAT_INITIAL_MATRIX");
  PetscCall(ISDestroy(&o.columns));
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, 1, columns[0], PETSC_COPY_VALUES, &o.columns));
  EXPECT("a part with fewer columns", ReuseOther, &o, "Cannot reuse matrix", "wrong size");
  PetscCall(ISDestroy(&o.columns));
  PetscCall(ISDestroy(&o.rows));
  PetscCall(MatDestroy(&o.C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PlexTestProblem problem = {.cell = DM_POLYTOPE_TRIANGLE, .degree = 2, .components = 2};
  DM                    dm;
  PlexElements          el;
  Mat                   A, plain;
  IS                    first, rest, back, stride;
  PetscInt              n;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexGPUInitializePackage());
  PetscCall(PetscOptionsSetValue(NULL, "-plexgpu_threads_least", "1"));
  PetscCall(PlexTestMesh(PETSC_COMM_SELF, problem.cell, 0, &dm));
  PetscCall(PlexTestProblemSetUp(dm, &problem));
  PetscCall(PlexElementsCreate(dm, &el));
  PetscCall(PlexElementsCreateMatrix(el, &A));
  PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &plain));
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(CreateIS(n, 1, 4, PETSC_FALSE, PETSC_FALSE, &first));
  PetscCall(CreateIS(n, 1, 4, PETSC_TRUE, PETSC_FALSE, &rest));
  PetscCall(CreateIS(n, 1, 4, PETSC_TRUE, PETSC_TRUE, &back));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, n / 2, n / 3, 1, &stride));
  PetscCall(CheckPart("diagonal block", A, plain, rest, rest));
  PetscCall(CheckPart("block beside the diagonal", A, plain, first, rest));
  PetscCall(CheckPart("contiguous columns", A, plain, rest, stride));
  PetscCall(CheckPart("rows backwards", A, plain, back, first));
  PetscCall(CheckPart("columns backwards", A, plain, first, back));
  PetscCall(CheckOther(A, n));
  PetscCall(CheckColumns(A));
  PetscCall(ISDestroy(&first));
  PetscCall(ISDestroy(&rest));
  PetscCall(ISDestroy(&back));
  PetscCall(ISDestroy(&stride));
  PetscCall(MatDestroy(&plain));
  PetscCall(MatDestroy(&A));
  PetscCall(PlexElementsDestroy(&el));
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
