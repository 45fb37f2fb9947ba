/*
  Galerkin's products P^T A P by blocks of P's columns and in threads, beside PETSc's: blocks of all compiled numbers and
  others, of which some are not full; new values, and new patterns; products of products; what else a matrix is
  multiplied with; options.
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

/* A B C, where M has the functions of here and plain has not */
static PetscErrorCode CheckTriple(const char name[], const char what[], Mat A, Mat B, Mat C, Mat M, Mat plain)
{
  Mat                 D, expected;
  MatProductAlgorithm algorithm;
  PetscBool           none;

  PetscFunctionBegin;
  PetscCall(MatMatMatMult(A, B, C, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &D));
  PetscCall(MatMatMatMult(A == M ? plain : A, B == M ? plain : B, C == M ? plain : C, MAT_INITIAL_MATRIX,
                          PETSC_DETERMINE, &expected));
  PetscCall(CheckBits(name, what, D, expected));
  PetscCall(MatDestroy(&expected));
  PetscCall(MatDestroy(&D));
  PetscCall(MatProductCreate(A, B, C, &D));
  PetscCall(MatProductSetType(D, MATPRODUCT_ABC));
  PetscCall(MatProductSetFromOptions(D));
  PetscCall(MatProductGetAlgorithm(D, &algorithm));
  PetscCall(PetscStrcmp(algorithm, MATPRODUCTALGORITHMDEFAULT, &none));
  PetscCall(PlexTestReportOf((PetscBool)!none, name, what, "no algorithm is set: the type's function was not called"));
  PetscCall(MatDestroy(&D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckTriples(const char name[], Mat A, Mat plain, Mat P)
{
  Mat R, C, expected;

  PetscFunctionBegin;
  PetscCall(MatTranspose(P, MAT_INITIAL_MATRIX, &R));
  PetscCall(CheckTriple(name, "A A P", A, A, P, A, plain));
  PetscCall(CheckTriple(name, "R A P", R, A, P, A, plain));
  PetscCall(CheckTriple(name, "R A A, the first one PETSc's", R, plain, A, A, plain));
  PetscCall(MatRARt(A, R, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &C));
  PetscCall(MatRARt(plain, R, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &expected));
  PetscCall(CheckBits(name, "R A R^T", C, expected));
  PetscCall(MatDestroy(&expected));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckOthers(const char name[], Mat A, Mat plain, Mat P)
{
  Mat C, expected;

  PetscFunctionBegin;
  PetscCall(CheckTriples(name, A, plain, P));
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
  Mat              plain, A, P, Q, C, D, one, expected, below;
  PetscObjectState before, after;
  char             name[32];

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
  PetscCall(MatGetNonzeroState(C, &before));
  PetscCall(MatPtAP(A, P, MAT_REUSE_MATRIX, PETSC_DETERMINE, &C));
  PetscCall(MatGetNonzeroState(C, &after));
  PetscCall(PlexTestReportOf((PetscBool)(before == after), name, "the pattern stays", "it was made again"));
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

typedef struct {
  Mat A, P, C;
} Product;

static PetscErrorCode Reuse(void *ctx)
{
  Product *p = (Product *)ctx;

  PetscFunctionBegin;
  PetscCall(MatPtAP(p->A, p->P, MAT_REUSE_MATRIX, PETSC_DETERMINE, &p->C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckReuse(const char what[], Product *p)
{
  Mat plain, expected;

  PetscFunctionBegin;
  PetscCall(Reuse(p));
  PetscCall(MatDuplicate(p->A, MAT_COPY_VALUES, &plain));
  PetscCall(MatPtAP(plain, p->P, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &expected));
  PetscCall(CheckSame("used again", what, p->C, expected));
  PetscCall(MatDestroy(&expected));
  PetscCall(MatDestroy(&plain));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* MAT_REUSE_MATRIX with matrices that have more entries, or elsewhere, than those that the product was made for */
static PetscErrorCode CheckPatterns(PetscRandom random)
{
  Product p;
  Mat     wide, narrow;

  PetscFunctionBegin;
  PetscCall(CreateMatrix(random, ROWS, ROWS, 1, 4, &p.A));
  PetscCall(CreateMatrix(random, ROWS, 60, 3, 2, &p.P));
  PetscCall(PlexGalerkinSet(p.A));
  PetscCall(MatPtAP(p.A, p.P, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &p.C));
  PetscCall(MatSetOption(p.A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  for (PetscInt i = 0; i < ROWS; ++i) PetscCall(MatSetValue(p.A, i, ROWS - 1 - i, 5.0, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(p.A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(p.A, MAT_FINAL_ASSEMBLY));
  PetscCall(CheckReuse("A has got entries", &p));
  PetscCall(MatDestroy(&p.A));
  PetscCall(CreateMatrix(random, ROWS, ROWS, 1, 9, &p.A));
  PetscCall(PlexGalerkinSet(p.A));
  PetscCall(CheckReuse("another A", &p));
  PetscCall(MatDestroy(&p.P));
  PetscCall(CreateMatrix(random, ROWS, 60, 3, 5, &p.P));
  PetscCall(CheckReuse("another P", &p));
  PetscCall(MatScale(p.C, 0.0));
  PetscCall(MatEliminateZeros(p.C, PETSC_FALSE));
  PetscCall(CheckReuse("the product has lost its entries", &p));
  wide = p.P;
  PetscCall(CreateMatrix(random, ROWS, 30, 3, 3, &narrow));
  p.P = narrow;
  EXPECT("P with fewer columns", Reuse, &p, "30", "MAT_INITIAL_MATRIX");
  EXPECT("again", Reuse, &p, "30", "MAT_INITIAL_MATRIX");
  p.P = wide;
  PetscCall(CheckReuse("after an error", &p));
  PetscCall(MatDestroy(&p.C));
  PetscCall(MatDestroy(&narrow));
  PetscCall(MatDestroy(&p.P));
  PetscCall(MatDestroy(&p.A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Columns of P in blocks of six, of which a row has one: the product has no entries but PETSc's */
static PetscErrorCode CheckSparse(PetscRandom random)
{
  Mat      plain, A, P, C, expected;
  MatInfo  info[2];
  PetscInt b;

  PetscFunctionBegin;
  PetscCall(CreateMatrix(random, ROWS, ROWS, 1, 2, &plain));
  PetscCall(CreateMatrix(random, ROWS, 120, 1, 1, &P));
  PetscCall(MatSetBlockSizes(P, 1, 6));
  PetscCall(MatDuplicate(plain, MAT_COPY_VALUES, &A));
  PetscCall(PlexGalerkinSet(A));
  PetscCall(MatPtAP(A, P, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &C));
  PetscCall(MatPtAP(plain, P, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &expected));
  PetscCall(CheckSame("blocks that are mostly zeros", "P^T A P", C, expected));
  PetscCall(MatGetInfo(C, MAT_LOCAL, &info[0]));
  PetscCall(MatGetInfo(expected, MAT_LOCAL, &info[1]));
  PetscCall(MatGetBlockSize(C, &b));
  PetscCall(PlexTestReport((PetscBool)(info[0].nz_used == info[1].nz_used && b == 6), "blocks that are mostly zeros",
                           "%g entries, PETSc's has %g; blocks of %" PetscInt_FMT, (double)info[0].nz_used,
                           (double)info[1].nz_used, b));
  PetscCall(MatDestroy(&expected));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&P));
  PetscCall(MatDestroy(&plain));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where options or the program say so, products are PETSc's, to the bit; else those of here differ by rounding, or the
   comparison above would look at PETSc's alone. algorithm NULL: the program names none */
static PetscErrorCode CheckOption(PetscRandom random, const char options[], const char algorithm[], PetscBool own)
{
  const char *const all[] = {"-matptap_backend_cpu", "-part_matptap_backend_cpu", "-matptap_via",
                             "-mat_product_algorithm"};
  Mat               plain, A, P, C, expected;
  PetscBool         same;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(CreateMatrix(random, ROWS, ROWS, 1, 9, &plain));
  PetscCall(CreateMatrix(random, ROWS, 60, 6, 3, &P));
  PetscCall(MatDuplicate(plain, MAT_COPY_VALUES, &A));
  PetscCall(MatSetOptionsPrefix(A, "part_"));
  PetscCall(PlexGalerkinSet(A));
  if (algorithm) {
    PetscCall(MatProductCreate(A, P, NULL, &C));
    PetscCall(MatProductSetType(C, MATPRODUCT_PtAP));
    PetscCall(MatProductSetAlgorithm(C, algorithm));
    PetscCall(MatProductSetFromOptions(C));
    PetscCall(MatProductSymbolic(C));
    PetscCall(MatProductNumeric(C));
  } else PetscCall(MatPtAP(A, P, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &C));
  PetscCall(MatPtAP(plain, P, MAT_INITIAL_MATRIX, PETSC_DETERMINE, &expected));
  PetscCall(MatEqual(C, expected, &same));
  PetscCall(PlexTestReportOf((PetscBool)(same == !own), own ? "a product of its own" : "PETSc's",
                             algorithm ? algorithm : options, "its bits are %s",
                             same ? "PETSc's" : "others than PETSc's"));
  PetscCall(MatDestroy(&expected));
  PetscCall(MatDestroy(&C));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&P));
  PetscCall(MatDestroy(&plain));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(all); ++k) PetscCall(PetscOptionsClearValue(NULL, all[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CheckOptions(PetscRandom random)
{
  PetscFunctionBegin;
  PetscCall(CheckOption(random, "", NULL, PETSC_TRUE));
  PetscCall(CheckOption(random, "-matptap_backend_cpu false", NULL, PETSC_FALSE));
  PetscCall(CheckOption(random, "-part_matptap_backend_cpu false", NULL, PETSC_FALSE));
  PetscCall(CheckOption(random, "-matptap_backend_cpu false -part_matptap_backend_cpu true", NULL, PETSC_TRUE));
  PetscCall(CheckOption(random, "-matptap_via scalable", NULL, PETSC_FALSE));
  PetscCall(CheckOption(random, "-mat_product_algorithm scalable", MATPRODUCTALGORITHMDEFAULT, PETSC_FALSE));
  PetscCall(CheckOption(random, "", MATPRODUCTALGORITHMDEFAULT, PETSC_TRUE));
  PetscCall(CheckOption(random, "", "scalable", PETSC_FALSE));
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
  PetscCall(CheckPatterns(random));
  PetscCall(CheckSparse(random));
  PetscCall(CheckOptions(random));
  PetscCall(PetscRandomDestroy(&random));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
