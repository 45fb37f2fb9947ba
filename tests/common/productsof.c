/* Products of a matrix of type plexgpu beside those of an assembled one, and words of an assembly's view */
#include "productsof.h"
#include "report.h"

PetscErrorCode PlexTestCompareProducts(Mat A, Mat B, PetscReal *most)
{
  const Mat mat[2] = {A, B};
  PetscReal norm, error;
  Vec       x, z, y[2];

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(B, &x, &y[0]));
  PetscCall(VecDuplicate(x, &y[1]));
  PetscCall(VecDuplicate(x, &z));
  PetscCall(VecSetRandom(x, NULL));
  PetscCall(VecSetRandom(z, NULL));
  *most = 0.;
  for (PetscInt what = 0; what < 5; ++what) {
    for (PetscInt k = 0; k < 2; ++k) {
      if (what == 0) PetscCall(MatMult(mat[k], x, y[k]));
      else if (what == 1) PetscCall(MatMultAdd(mat[k], x, z, y[k]));
      else if (what == 2) PetscCall(MatMultTranspose(mat[k], x, y[k]));
      else if (what == 3 && k == 0) PetscCall(MatMultTransposeAdd(mat[k], x, z, y[k]));
      else if (what ==
               3) { /* in place: of PETSc 3.26.1's aijcusparse the other one adds to what the vector had before */
        PetscCall(VecCopy(z, y[k]));
        PetscCall(MatMultTransposeAdd(mat[k], x, y[k], y[k]));
      } else PetscCall(MatGetDiagonal(mat[k], y[k]));
    }
    PetscCall(VecNorm(y[1], NORM_INFINITY, &norm));
    PetscCall(VecAXPY(y[0], -1., y[1]));
    PetscCall(VecNorm(y[0], NORM_INFINITY, &error));
    if (!(error / norm <= *most) && !PetscIsNanReal(*most)) *most = error / norm; /* NaN, too, which stays */
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&z));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(VecDestroy(&y[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ViewAssembly(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyView((PlexAssembly)ctx, PETSC_VIEWER_STDOUT_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestViewSays(PlexAssembly assembly, const char name[], const char words[], PetscBool has)
{
  PetscMPIInt size;
  char        text[16384], *found;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexTestCapture(ViewAssembly, assembly, text, sizeof(text)));
  PetscCall(PetscStrstr(text, words, &found));
  PetscCall(PlexTestReportOf((PetscBool)((found != NULL) == has), name,
                             has ? "the view says how coefficients are used" : "the view does not say so",
                             "'%s' in\n%s", words, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}
