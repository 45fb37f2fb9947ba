static char help[] = "Pattern: element matrices added by slot, compared with DMPlexMatSetClosure().\n\n";

#include <plexgpu/private/meshimpl.h>
#include "meshes.h"
#include "report.h"

static PetscErrorCode zero(PetscInt dim, PetscReal time, const PetscReal x[], PetscInt Nc, PetscScalar *u, void *ctx)
{
  for (PetscInt c = 0; c < Nc; ++c) u[c] = 0.;
  return PETSC_SUCCESS;
}

/* Nf fields of falling degree, the first a vector; constrained: all of it or, for a vector, all but its last
   component */
static PetscErrorCode CreateProblem(DMPolytopeType ct, PetscInt degree, PetscInt Nf, PetscInt Nc, PetscBool constrained,
                                    DM *dm)
{
  const PetscInt dim = DMPolytopeTypeGetDim(ct), one = 1, comps[3] = {0, 1, 2};
  DMLabel        label;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_SELF, ct, degree, dm));
  for (PetscInt f = 0; f < Nf; ++f) {
    PetscFE fe;

    PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, dim, f ? 1 : Nc, ct, degree - f, degree + 1, &fe));
    PetscCall(DMSetField(*dm, f, NULL, (PetscObject)fe));
    PetscCall(PetscFEDestroy(&fe));
  }
  PetscCall(DMCreateDS(*dm));
  PetscCall(DMSetMatType(*dm, MATAIJ));
  if (constrained) {
    PetscCall(DMGetLabel(*dm, "boundary", &label));
    PetscCall(DMAddBoundary(*dm, DM_BC_ESSENTIAL, "wall", label, 1, &one, 0, PetscMax(1, Nc - 1), comps,
                            (PetscVoidFn *)zero, NULL, NULL, NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A: element matrices by DMPlexMatSetClosure(); B: by slot; whole numbers, so that the order of summation does not
   show */
static PetscErrorCode CheckSlots(DM dm, Mat A, Mat B, const char name[])
{
  PlexElements el;
  PlexPattern  pattern;
  PetscScalar *b, *entries;
  int         *slots;
  PetscInt     mapped = 0, n;
  PetscBool    equal;

  PetscFunctionBegin;
  PetscCall(PlexElementsCreate(dm, &el));
  PetscCall(PlexPatternCreate(el, B, &pattern));
  n = el->ef * el->ef;
  PetscCall(PetscMalloc2(n, &entries, n, &slots));
  PetscCall(MatZeroEntries(A));
  PetscCall(MatZeroEntries(B));
  PetscCall(MatSeqAIJGetArray(B, &b));
  for (PetscInt e = 0; e < el->Ne; ++e) {
    for (PetscInt k = 0; k < n; ++k) entries[k] = (e * 31 + k * 7) % 1009;
    PetscCall(DMPlexMatSetClosure(dm, NULL, NULL, A, el->cells[e], entries, ADD_VALUES));
    PetscCall(PlexPatternGetElementSlots(pattern, e, slots));
    for (PetscInt k = 0; k < n; ++k) {
      if (slots[k] >= 0) b[slots[k]] += entries[k];
      mapped += slots[k] >= 0;
    }
  }
  PetscCall(MatSeqAIJRestoreArray(B, &b));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatEqual(A, B, &equal));
  PetscCall(PlexTestReportOf(equal && mapped ? PETSC_TRUE : PETSC_FALSE, name, "slots", "differs"));
  PetscCall(PetscFree2(entries, slots));
  PetscCall(PlexPatternDestroy(&pattern));
  PetscCall(PlexElementsDestroy(&el));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PlexElementsCreateMatrix() beside A of DMCreateMatrix(): the same rows, columns, blocks and zeros */
static PetscErrorCode CheckMatrix(DM dm, Mat A, const char name[])
{
  PlexElements    el;
  Mat             B;
  MatInfo         a, b;
  const PetscInt *blocksA, *blocksB;
  PetscInt        bsA, bsB, nA, nB;
  PetscBool       equal, same;

  PetscFunctionBegin;
  PetscCall(MatZeroEntries(A));
  PetscCall(PlexElementsCreate(dm, &el));
  PetscCall(PlexElementsCreateMatrix(el, &B));
  PetscCall(MatEqual(A, B, &equal));
  PetscCall(MatGetInfo(A, MAT_LOCAL, &a));
  PetscCall(MatGetInfo(B, MAT_LOCAL, &b));
  PetscCall(MatGetBlockSize(A, &bsA));
  PetscCall(MatGetBlockSize(B, &bsB));
  PetscCall(MatGetVariableBlockSizes(A, &nA, &blocksA));
  PetscCall(MatGetVariableBlockSizes(B, &nB, &blocksB));
  same = (PetscBool)(nA == nB && bsA == bsB && a.nz_used == b.nz_used && a.nz_used > 0);
  if (same) PetscCall(PetscArraycmp(blocksA, blocksB, nA, &same));
  PetscCall(PlexTestReportOf((PetscBool)(equal && same), name, "matrix from elements", "differs"));
  PetscCall(MatDestroy(&B));
  PetscCall(PlexElementsDestroy(&el));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestSlots(DMPolytopeType ct, PetscInt degree, PetscInt Nf, PetscInt Nc, PetscBool constrained)
{
  DM   dm;
  Mat  A, B;
  char name[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name),
                          "%s degree %" PetscInt_FMT " fields %" PetscInt_FMT " components %" PetscInt_FMT "%s",
                          DMPolytopeTypes[ct], degree, Nf, Nc, constrained ? " constrained" : ""));
  PetscCall(CreateProblem(ct, degree, Nf, Nc, constrained, &dm));
  PetscCall(DMCreateMatrix(dm, &A));
  PetscCall(DMCreateMatrix(dm, &B));
  PetscCall(CheckSlots(dm, A, B, name));
  PetscCall(CheckMatrix(dm, A, name));
  PetscCall(MatDestroy(&B));
  PetscCall(DMDestroy(&dm));
  /* one that was only preallocated, and one that was assembled like that */
  for (PetscInt assemble = 0; assemble < 2; ++assemble) {
    PetscCall(CreateProblem(ct, degree, Nf, Nc, constrained, &dm));
    PetscCall(DMSetMatrixPreallocateOnly(dm, PETSC_TRUE));
    PetscCall(DMCreateMatrix(dm, &B));
    if (assemble) {
      PetscCall(MatSetOption(B, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
      PetscCall(MatSetOption(B, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
      PetscCall(MatAssemblyBegin(B, MAT_FINAL_ASSEMBLY));
      PetscCall(MatAssemblyEnd(B, MAT_FINAL_ASSEMBLY));
    }
    PetscCall(PetscStrlcat(name, assemble ? " and assembled" : " preallocated", sizeof(name)));
    PetscCall(CheckSlots(dm, A, B, name));
    PetscCall(MatDestroy(&B));
    PetscCall(DMDestroy(&dm));
  }
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PlexElements elements;
  Mat          mat;
  int         *slots;
} Attempt;

static PetscErrorCode TryPattern(void *ctx)
{
  Attempt       *attempt = (Attempt *)ctx;
  PlexPattern    pattern;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PlexPatternCreate(attempt->elements, attempt->mat, &pattern));
  ierr = PlexPatternGetElementSlots(pattern, 0, attempt->slots);
  PetscCall(PlexPatternDestroy(&pattern));
  PetscFunctionReturn(ierr);
}

/* A matrix with a diagonal only, a matrix too small, a matrix of another type */
static PetscErrorCode TestErrors(void)
{
  const char *const    what[3]  = {"missing entry", "too few rows", "dense matrix"};
  const PetscErrorCode codes[3] = {PETSC_ERR_ARG_WRONG, PETSC_ERR_ARG_SIZ, PETSC_ERR_SUP};
  DM                   dm;
  Mat                  mats[3], A;
  PlexElements         el;
  int                 *slots;
  PetscInt             m;

  PetscFunctionBegin;
  PetscCall(CreateProblem(DM_POLYTOPE_TRIANGLE, 2, 1, 1, PETSC_FALSE, &dm));
  PetscCall(PlexElementsCreate(dm, &el));
  PetscCall(PetscMalloc1(el->ef * el->ef, &slots));
  PetscCall(DMCreateMatrix(dm, &A));
  PetscCall(MatGetSize(A, &m, NULL));
  PetscCall(MatDestroy(&A));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, m - k, m - k, 1, NULL, &mats[k]));
    for (PetscInt r = 0; r < m - k; ++r) PetscCall(MatSetValue(mats[k], r, r, 1., INSERT_VALUES));
    PetscCall(MatAssemblyBegin(mats[k], MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(mats[k], MAT_FINAL_ASSEMBLY));
  }
  PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, m, m, NULL, &mats[2]));
  for (PetscInt k = 0; k < 3; ++k) {
    Attempt        attempt = {el, mats[k], slots};
    PetscErrorCode ierr;
    char           text[512];

    PetscCall(PlexTestTry(TryPattern, &attempt, &ierr, text, sizeof(text)));
    PetscCall(PlexTestReportOf(ierr == codes[k] && text[0] ? PETSC_TRUE : PETSC_FALSE, what[k], text, "differs"));
    PetscCall(MatDestroy(&mats[k]));
  }
  PetscCall(PetscFree(slots));
  PetscCall(PlexElementsDestroy(&el));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const DMPolytopeType types[4] = {DM_POLYTOPE_TRIANGLE, DM_POLYTOPE_QUADRILATERAL, DM_POLYTOPE_TETRAHEDRON,
                                   DM_POLYTOPE_HEXAHEDRON};

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  for (PetscInt k = 0; k < 4; ++k) {
    for (PetscInt degree = 1; degree <= 3; ++degree) {
      for (PetscInt constrained = 0; constrained < 2; ++constrained)
        PetscCall(TestSlots(types[k], degree, 1, degree == 2 ? 2 : 1, (PetscBool)constrained));
    }
    PetscCall(TestSlots(types[k], 2, 2, DMPolytopeTypeGetDim(types[k]), PETSC_TRUE));
  }
  PetscCall(TestErrors());
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
