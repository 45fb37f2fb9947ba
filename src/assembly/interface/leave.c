/* Leaves products to PETSc, and prints a line that says so: one line a run for each reason, not one for each level,
   refinement or step. */
#include <plexgpu/private/assemblyimpl.h>
#include "assemblyimpl.h"
#include "../../dm/elementsimpl.h" /* PlexAgreeOnText() */

typedef struct _n_PlexSaid *PlexSaid;
struct _n_PlexSaid {
  char    *line;
  PlexSaid next;
};
static PlexSaid PlexSaidAlready = NULL;

/* what: "Jacobians" or the like. detail: for errors and -info, such as the entry that a matrix lacks; not in the line,
   which would be another one for each detail */
PetscErrorCode PlexAssemblySayLeft_Private(PlexAssembly asm_, const char what[], const char reason[],
                                           const char detail[])
{
  MPI_Comm  comm = PetscObjectComm((PetscObject)asm_);
  char      line[1024];
  PetscBool same = PETSC_FALSE;
  PlexSaid  said;

  PetscFunctionBegin;
  PetscCheck(asm_->fallback, comm, PETSC_ERR_SUP,
             "PlexGPU cannot assemble this: %s%s%s. Without -plex_assembly_fallback false it is left to PETSc", reason,
             detail ? ": " : "", detail ? detail : "");
  PetscCall(PetscSNPrintf(line, sizeof(line), "PlexGPU: %s are left to PETSc: %s\n", what, reason));
  if (detail) PetscCall(PetscInfo(asm_, "%s are left to PETSc: %s\n", what, detail));
  for (said = PlexSaidAlready; said && !same; said = said->next) PetscCall(PetscStrcmp(said->line, line, &same));
  if (same) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFPrintf(comm, PETSC_STDERR, "%s", line)); /* what the program prints stays what it is */
  PetscCall(PetscNew(&said));
  PetscCall(PetscStrallocpy(line, &said->line));
  said->next      = PlexSaidAlready;
  PlexSaidAlready = said;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From now on all of this assembly, until it is reset */
PetscErrorCode PlexAssemblyLeave_Private(PlexAssembly asm_, const char reason[], const char detail[])
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblySayLeft_Private(asm_, "residuals and Jacobians", reason, detail));
  PetscCall(PetscFree(asm_->reason));
  PetscCall(PetscStrallocpy(reason, &asm_->reason));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyCheckGeometry_Private(PlexAssembly asm_, PlexAssembly first)
{
  char *text = NULL;

  PetscFunctionBegin;
  for (PlexAssembly term = first; term && !text; term = term->next)
    PetscCall(PlexElementsFindInverted(term->elements, &text));
  PetscCall(PlexAgreeOnText(PetscObjectComm((PetscObject)asm_->dm), &text));
  if (!text) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexAssemblyLeave_Private(asm_,
                                      "cells that are turned inside out or flat, which PETSc integrates with a "
                                      "negative volume (repair the mesh, or orient its cells before it is "
                                      "interpolated)",
                                      text));
  PetscCall(PetscFree(text));
  asm_->inverted = PETSC_TRUE;
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

/* Whether PETSc sets values of J besides those of P: if there are preconditioner functions, unless J is matrix-free */
static PetscErrorCode PlexIsFilled(PlexAssembly asm_, Mat J, Mat P, PetscBool *filled)
{
  PetscInt  Nds;
  PetscBool acts;

  PetscFunctionBegin;
  *filled = PETSC_FALSE;
  if (!J || J == P) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectTypeCompareAny((PetscObject)J, &acts, MATMFFD, MATSHELL, MATPLEXGPU, ""));
  PetscCall(DMGetNumDS(asm_->dm, &Nds));
  for (PetscInt s = 0; s < Nds && !*filled && !acts; ++s) {
    PetscDS ds;

    PetscCall(DMGetRegionNumDS(asm_->dm, s, NULL, NULL, &ds, NULL));
    PetscCall(PetscDSHasJacobianPreconditioner(ds, filled));
  }
  if (!*filled && !acts) PetscCall(PlexBoundariesPrecondition_Private(asm_->dm, filled));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With a basis transform, PETSc transforms the Jacobian of cells and not what they add to a matrix for the
   preconditioner */
static PetscErrorCode PlexIsTransformedInPart(PlexAssembly asm_, Mat J, Mat P, PetscBool *is)
{
  PetscInt Nds;

  PetscFunctionBegin;
  *is = PETSC_FALSE;
  if (!asm_->basis) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMGetNumDS(asm_->dm, &Nds));
  for (PetscInt s = 0; s < Nds && !*is; ++s) {
    PetscDS   ds;
    PetscBool jacobian, preconditioner;

    PetscCall(DMGetRegionNumDS(asm_->dm, s, NULL, NULL, &ds, NULL));
    PetscCall(PetscDSHasJacobian(ds, &jacobian));
    PetscCall(PetscDSHasJacobianPreconditioner(ds, &preconditioner));
    *is = (PetscBool)(preconditioner && !(jacobian && (!J || J == P)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether values are put into a matrix here: they are written in place, or copied */
static PetscErrorCode PlexMatIsTaken(Mat A, PetscBool *taken)
{
  PetscFunctionBegin;
  PetscCall(PlexMatIsWritten(A, taken));
  if (!*taken) PetscCall(PlexMatIsCopied(A, taken));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of hanging nodes: values are added to a matrix row by row, and compared */
static PetscErrorCode PlexLeaveAnchors(PlexAssembly asm_, Mat J, Mat P, PetscBool *leave)
{
  PetscBool filled, aij[2] = {PETSC_TRUE, PETSC_TRUE};

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)P, &aij[1], MATSEQAIJ, MATMPIAIJ, ""));
  PetscCall(PlexIsFilled(asm_, J, P, &filled));
  if (filled) PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)J, &aij[0], MATSEQAIJ, MATMPIAIJ, ""));
  *leave = (PetscBool)(!aij[0] || !aij[1]);
  if (*leave)
    PetscCall(PlexAssemblySayLeft_Private(asm_, "Jacobians",
                                          "hanging nodes and a matrix of another type than aij (-dm_mat_type aij)",
                                          NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a Jacobian goes to PETSc because of the matrices that it is to be put into */
PetscErrorCode PlexAssemblyLeaveJacobian_Private(PlexAssembly asm_, Mat J, Mat P, PetscBool *leave)
{
  char      reason[256];
  MatType   type, local;
  Mat       A = P, block, offdiagonal;
  PetscBool writable, filled, is;

  PetscFunctionBegin;
  PetscCall(PlexIsTransformedInPart(asm_, J, P, leave));
  if (*leave) {
    PetscCall(PlexAssemblySayLeft_Private(asm_, "Jacobians",
                                          "a matrix for the preconditioner of its own and a basis transform", NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (asm_->anchors) PetscCall(PlexLeaveAnchors(asm_, J, P, leave));
  if (asm_->anchors) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexMatIsTaken(P, &writable));
  if (writable) {
    PetscCall(PlexIsFilled(asm_, J, P, &filled));
    if (!filled) PetscFunctionReturn(PETSC_SUCCESS);
    A = J;
    PetscCall(PlexMatIsTaken(J, &writable));
    if (writable) PetscFunctionReturn(PETSC_SUCCESS);
  }
  *leave = PETSC_TRUE;
  PetscCall(MatGetType(A, &type));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATIS, &is));
  PetscCall(PlexMatGetBlocks(A, &block, &offdiagonal, NULL));
  PetscCall(MatGetType(block, &local));
  if (!is)
    PetscCall(PetscSNPrintf(reason, sizeof(reason), "a matrix of type %s (-dm_mat_type aij or aijcusparse would do)",
                            type));
  else
    PetscCall(PetscSNPrintf(reason, sizeof(reason),
                            "a matrix of type %s with local matrices of type %s (-mat_is_localmat_type aij or "
                            "aijcusparse would do)",
                            type, local));
  PetscCall(PlexAssemblySayLeft_Private(asm_, "Jacobians", reason, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* missing: an entry which the sum adds to, and a matrix lacks, on all processes */
static PetscErrorCode PlexLeaveMissing(PlexRequest *r, const char missing[])
{
  char detail[512];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(detail, sizeof(detail), "it has %s", missing));
  PetscCall(PlexAssemblySayLeft_Private(r->asm_, "Jacobians",
                                        "a matrix that lacks entries that cells contribute to (one of DMCreateMatrix() "
                                        "has them)",
                                        detail));
  r->leave = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Leaves to PETSc a matrix that lacks an entry which the sum adds to; all processes do */
PetscErrorCode PlexAssemblyLeavePattern_Private(PlexRequest *r)
{
  const char *missing = r->P ? r->first->pattern->missing : NULL;

  PetscFunctionBegin;
  if (missing) PetscCall(PlexLeaveMissing(r, missing));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Likewise a matrix that values are to be copied into */
PetscErrorCode PlexAssemblyLeaveCopy_Private(PlexRequest *r, PlexMatCopy copy)
{
  char *missing = NULL;

  PetscFunctionBegin;
  if (!copy || r->leave) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexMatCopySetUp(copy, &missing));
  if (missing) PetscCall(PlexLeaveMissing(r, missing));
  PetscCall(PetscFree(missing));
  PetscFunctionReturn(PETSC_SUCCESS);
}
