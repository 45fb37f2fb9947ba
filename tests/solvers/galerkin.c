/*
  Galerkin's products P^T A P by blocks of P's columns and in threads, beside PETSc's: blocks of all compiled numbers and
  others, of which some are not full; new values; products of products; what else a matrix is multiplied with.
*/
#include <petscmat.h>
#include <plexgpu.h>
#include <plexgpu/private/util.h>
#include "report.h"

static const char help[] = "Galerkin's products on the host\n";

#define ROWS 240

/* About `each` entries in a row, or blocks of b columns, one of whose columns may be missing */
static PetscErrorCode CreateMatrix(PetscRandom random, PetscInt m, PetscInt n, PetscInt b, PetscInt each, Mat *A)
{
  PetscFunctionBegin;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, m, n, each * b + 1, NULL, A));
  PetscCall(MatSetBlockSizes(*A, 1, b));
  for (PetscInt i = 0; i < m; ++i) {
    for (PetscInt e = 0; e < each; ++e) {
      PetscReal x;
      PetscInt  J;

      PetscCall(PetscRandomGetValueReal(random, &x));
      J = PetscMin((PetscInt)(x * (PetscReal)(n / b)), n / b - 1);
      for (PetscInt c = 0; c < b; ++c) {
        PetscScalar value;

        PetscCall(PetscRandomGetValue(random, &value));
        if (b > 1 && c == (i + e) % (3 * b)) continue;
        PetscCall(MatSetValue(*A, i, J * b + c, value, INSERT_VALUES));
      }
    }
    if (m == n && b == 1) PetscCall(MatSetValue(*A, i, i, 2.0, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckSame(const char name[], const char what[], Mat C, Mat expected)
{
  Mat       D;
  PetscReal norm, difference;

  PetscFunctionBegin;
  PetscCall(MatDuplicate(C, MAT_COPY_VALUES, &D));
  PetscCall(MatAXPY(D, -1.0, expected, DIFFERENT_NONZERO_PATTERN));
  PetscCall(MatNorm(D, NORM_FROBENIUS, &difference));
  PetscCall(MatNorm(expected, NORM_FROBENIUS, &norm));
  PetscCall(PlexTestReportOf((PetscBool)(norm > 0 && difference <= 100 * PETSC_MACHINE_EPSILON * norm), name, what,
                             "differs by %g of %g", (double)difference, (double)norm));
  PetscCall(MatDestroy(&D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same values to the last bit, in the same pattern */
static PetscErrorCode CheckBits(const char name[], const char what[], Mat C, Mat expected)
{
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(MatEqual(C, expected, &same));
  PetscCall(PlexTestReportOf(same, name, what, "other bits"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckOthers(const char name[], Mat A, Mat plain, Mat P)
{
  Mat C, expected;

  PetscFunctionBegin;
  PetscCall(MatMatMult(A, P, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &C));
  PetscCall(MatMatMult(plain, P, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &expected));
  PetscCall(CheckBits(name, "A P", C, expected));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&expected));
  PetscCall(MatTransposeMatMult(P, A, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &C));
  PetscCall(MatTransposeMatMult(P, plain, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &expected));
  PetscCall(CheckBits(name, "P^T A", C, expected));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&expected));
  PetscCall(MatMatMult(A, A, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &C));
  PetscCall(MatMatMult(plain, plain, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &expected));
  PetscCall(CheckBits(name, "A A", C, expected));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&expected));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckBlocks(PetscRandom random, PetscInt b)
{
  Mat  plain, A, P, Q, C, D, one, expected, below;
  char name[32];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "blocks of %" PetscInt_FMT, b));
  PetscCall(CreateMatrix(random, ROWS, ROWS, 1, 9, &plain));
  PetscCall(CreateMatrix(random, ROWS, 20 * b, b, 3, &P));
  PetscCall(CreateMatrix(random, 20 * b, 5 * b, b, 2, &Q));
  PetscCall(MatDuplicate(plain, MAT_COPY_VALUES, &A));
  PetscCall(PlexGalerkinSet(A));
  PetscCall(PetscOptionsSetValue(NULL, "-plexgpu_threads", "1"));
  PetscCall(MatPtAP(A, P, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &one));
  PetscCall(PetscOptionsSetValue(NULL, "-plexgpu_threads", "3"));
  PetscCall(MatPtAP(A, P, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &C));
  PetscCall(MatPtAP(plain, P, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &expected));
  PetscCall(CheckSame(name, "P^T A P", C, expected));
  PetscCall(CheckBits(name, "three threads beside one", C, one));
  PetscCall(MatPtAP(C, Q, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &D));
  PetscCall(MatPtAP(expected, Q, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &below));
  PetscCall(CheckSame(name, "the product's product", D, below));

  PetscCall(MatScale(P, 0.5));
  PetscCall(MatShift(plain, 3.0));
  PetscCall(MatCopy(plain, A, SAME_NONZERO_PATTERN));
  PetscCall(MatPtAP(A, P, MAT_REUSE_MATRIX, PETSC_DETERMINE, &C));
  PetscCall(MatPtAP(plain, P, MAT_REUSE_MATRIX, PETSC_DETERMINE, &expected));
  PetscCall(CheckSame(name, "new values", C, expected));
  PetscCall(MatPtAP(C, Q, MAT_REUSE_MATRIX, PETSC_DETERMINE, &D));
  PetscCall(MatPtAP(expected, Q, MAT_REUSE_MATRIX, PETSC_DETERMINE, &below));
  PetscCall(CheckSame(name, "new values, the product's product", D, below));
  PetscCall(CheckOthers(name, A, plain, P));
  PetscCall(MatDestroy(&below));
  PetscCall(MatDestroy(&expected));
  PetscCall(MatDestroy(&D));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&one));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&Q));
  PetscCall(MatDestroy(&P));
  PetscCall(MatDestroy(&plain));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the option says so, products are PETSc's, to the bit; else those of here differ by rounding, or the comparison
   above would look at PETSc's alone */
static PetscErrorCode CheckOption(PetscRandom random, PetscBool host)
{
  Mat       plain, A, P, C, expected;
  PetscBool same;

  PetscFunctionBegin;
  if (!host) PetscCall(PetscOptionsSetValue(NULL, "-matptap_backend_cpu", "false"));
  PetscCall(CreateMatrix(random, ROWS, ROWS, 1, 9, &plain));
  PetscCall(CreateMatrix(random, ROWS, 60, 6, 3, &P));
  PetscCall(MatDuplicate(plain, MAT_COPY_VALUES, &A));
  PetscCall(PlexGalerkinSet(A));
  PetscCall(MatPtAP(A, P, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &C));
  PetscCall(MatPtAP(plain, P, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &expected));
  PetscCall(MatEqual(C, expected, &same));
  PetscCall(PlexTestReport((PetscBool)(same == !host), host ? "a product of its own" : "-matptap_backend_cpu false",
                           "its bits are %s", same ? "PETSc's" : "others than PETSc's"));
  PetscCall(MatDestroy(&expected));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&P));
  PetscCall(MatDestroy(&plain));
  if (!host) PetscCall(PetscOptionsClearValue(NULL, "-matptap_backend_cpu"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PetscInt blocks[] = {1, 2, 3, 4, 6};
  PetscRandom    random;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexGPUInitializePackage());
  PetscCall(PetscOptionsSetValue(NULL, "-plexgpu_threads_least", "1"));
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
  PetscCall(PetscRandomSetInterval(random, 0.0, 1.0));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(blocks); ++k) PetscCall(CheckBlocks(random, blocks[k]));
  PetscCall(CheckOption(random, PETSC_TRUE));
  PetscCall(CheckOption(random, PETSC_FALSE));
  PetscCall(PetscRandomDestroy(&random));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
