/*
  What is left to PETSc, and the line that says so: once a run, however many levels, refinements or steps it holds for.
*/
#include <plexgpu/impl.h>
#include "assemblyimpl.h"

typedef struct _n_PlexSaid *PlexSaid;
struct _n_PlexSaid {
  char    *line;
  PlexSaid next;
};
static PlexSaid PlexSaidAlready = NULL;

/* what: "Jacobians" or the like */
PetscErrorCode PlexAssemblySayLeft_Private(PlexAssembly asm_, const char what[], const char reason[])
{
  char      line[1024];
  PetscBool same = PETSC_FALSE;
  PlexSaid  said;

  PetscFunctionBegin;
  PetscCheck(asm_->fallback, PetscObjectComm((PetscObject)asm_), PETSC_ERR_SUP, "PlexGPU cannot assemble this: %s. Without -plex_assembly_fallback false it is left to PETSc", reason);
  PetscCall(PetscSNPrintf(line, sizeof(line), "PlexGPU: %s are left to PETSc: %s\n", what, reason));
  for (said = PlexSaidAlready; said && !same; said = said->next) PetscCall(PetscStrcmp(said->line, line, &same));
  if (same) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscPrintf(PetscObjectComm((PetscObject)asm_), "%s", line));
  PetscCall(PetscNew(&said));
  PetscCall(PetscStrallocpy(line, &said->line));
  said->next      = PlexSaidAlready;
  PlexSaidAlready = said;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyLeftFinalize_Private(void)
{
  PetscFunctionBegin;
  while (PlexSaidAlready) {
    PlexSaid said = PlexSaidAlready;

    PlexSaidAlready = said->next;
    PetscCall(PetscFree(said->line));
    PetscCall(PetscFree(said));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether values can be written into a matrix in place */
PetscErrorCode PlexMatWritable_Private(Mat A, PetscBool *writable)
{
  Mat block, offdiagonal;

  PetscFunctionBegin;
  PetscCall(PlexMatGetBlocks(A, &block, &offdiagonal, NULL));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)block, MATSEQAIJ, writable));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether PETSc puts values into J besides P: where there are functions for the preconditioner, unless J only acts */
static PetscErrorCode PlexIsFilled(PlexAssembly asm_, Mat J, Mat P, PetscBool *filled)
{
  PetscInt  Nds;
  PetscBool acts;

  PetscFunctionBegin;
  *filled = PETSC_FALSE;
  if (!J || J == P) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompareAny((PetscObject)J, &acts, MATMFFD, MATSHELL, ""));
  PetscCall(DMGetNumDS(asm_->dm, &Nds));
  for (PetscInt s = 0; s < Nds && !*filled && !acts; ++s) {
    PetscDS ds;

    PetscCall(DMGetRegionNumDS(asm_->dm, s, NULL, NULL, &ds, NULL));
    PetscCall(PetscDSHasJacobianPreconditioner(ds, filled));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a Jacobian goes to PETSc because of the matrices that it is to be put into */
PetscErrorCode PlexAssemblyLeaveJacobian_Private(PlexAssembly asm_, Mat J, Mat P, PetscBool *leave)
{
  char      reason[256];
  MatType   type, local;
  Mat       A = P, block, offdiagonal;
  PetscBool writable, filled;

  PetscFunctionBegin;
  *leave = PETSC_FALSE;
  PetscCall(PlexMatWritable_Private(P, &writable));
  if (writable) {
    PetscCall(PlexIsFilled(asm_, J, P, &filled));
    if (!filled) PetscFunctionReturn(PETSC_SUCCESS);
    A = J;
    PetscCall(PlexMatWritable_Private(J, &writable));
    if (writable) PetscFunctionReturn(PETSC_SUCCESS);
  }
  *leave = PETSC_TRUE;
  PetscCall(MatGetType(A, &type));
  PetscCall(PlexMatGetBlocks(A, &block, &offdiagonal, NULL));
  PetscCall(MatGetType(block, &local));
  if (block == A) PetscCall(PetscSNPrintf(reason, sizeof(reason), "a matrix of type %s (-dm_mat_type aij or aijcusparse would do)", type));
  else PetscCall(PetscSNPrintf(reason, sizeof(reason), "a matrix of type %s with local matrices of type %s (-mat_is_localmat_type aij or aijcusparse would do)", type, local));
  PetscCall(PlexAssemblySayLeft_Private(asm_, "Jacobians", reason));
  PetscFunctionReturn(PETSC_SUCCESS);
}
