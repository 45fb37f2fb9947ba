/*
  Matrices: those that an assembly makes, and how programs get them from DMCreateMatrix().

  The operation of DMPLEX that makes matrices is replaced in a DM whose Jacobian is assembled here, and in those that
  are coarser. It makes the pattern from the elements, which the assembly needs anyway, and leaves to PETSc what it does
  not know.
*/
#include <plexgpu/private/assemblyimpl.h> /*I "plexgpuassembly.h" I*/
#include "assemblyimpl.h"
#include "../../dm/elementsimpl.h" /* PlexElementsCreateMatrixBy_Private(), PlexGetOperations_Private() */
#include <petsc/private/dmimpl.h>

/* DMPLEX's own */
static PetscErrorCode (*PlexCreateMatrixPETSc)(DM, Mat *)                                 = NULL;
static PetscErrorCode (*PlexCreateSubDMPETSc)(DM, PetscInt, const PetscInt[], IS *, DM *) = NULL;

/* A matrix of type MATPLEXGPU: there is no pattern to be made. Blocks of several fields would be of no use, and PETSc's
   MatCreateSubMatrixVirtual() would ask for as many in a field's block */
static PetscErrorCode PlexCreateActions(DM dm, PetscErrorCode (*create)(DM, Mat *), Mat *mat)
{
  const PetscBool skip = dm->prealloc_skip;
  PetscInt        Nf;

  PetscFunctionBegin;
  PetscCall(DMSetMatrixPreallocateSkip(dm, PETSC_TRUE));
  PetscCall((*create)(dm, mat));
  PetscCall(DMSetMatrixPreallocateSkip(dm, skip));
  PetscCall(MatSetVecType(*mat, dm->vectype));
  PetscCall(DMGetNumFields(dm, &Nf));
  if (Nf > 1) PetscCall(MatSetBlockSize(*mat, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyCreateMatrix - Creates a matrix that an assembly can write into

  Collective

  Input Parameter:
. asm - the assembly

  Output Parameter:
. mat - the matrix, of the type and with the pattern, blocks and null spaces that `DMCreateMatrix()` gives it; values
        are zero

  Level: intermediate

  Note:
  With a type derived from `MATAIJ` this takes a fraction of the time of `DMCreateMatrix()`, which serves as well and is
  what happens elsewhere.

.seealso: `PlexAssembly`, `PlexAssemblyComputeJacobian()`, `DMCreateMatrix()`
@*/
PetscErrorCode PlexAssemblyCreateMatrix(PlexAssembly asm_, Mat *mat)
{
  PlexRequest r = {.asm_ = asm_};
  PetscBool   acts;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscAssertPointer(mat, 2);
  PetscCall(PetscStrcmp(asm_->dm->mattype, MATPLEXGPU, &acts));
  if (acts) {
    PetscCall(PlexCreateActions(asm_->dm, DMCreateMatrix, mat));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexAssemblyRefresh_Private(&r, PLEX_REFRESH_ELEMENTS, PLEX_REFRESH_ELEMENTS));
  if (r.leave || asm_->anchors) PetscCall(DMCreateMatrix(asm_->dm, mat));
  else PetscCall(PlexElementsCreateMatrix(asm_->elements, mat));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In the place of DMPLEX's own operation */
static PetscErrorCode DMCreateMatrix_PlexGPU(DM dm, Mat *mat)
{
  PlexRequest r      = {.asm_ = NULL};
  PetscBool   wanted = PETSC_TRUE, acts;
  const char *prefix;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetOptionsPrefix((PetscObject)dm, &prefix));
  PetscCall(PlexOptionsFindPrefix_Private(prefix, "-plex_assembly_create_matrix", &prefix));
  PetscCall(PetscOptionsGetBool(NULL, prefix, "-plex_assembly_create_matrix", &wanted, NULL));
  PetscCall(PetscStrcmp(dm->mattype, MATPLEXGPU, &acts));
  if (acts) {
    PetscCall(PlexCreateActions(dm, PlexCreateMatrixPETSc, mat));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!wanted || dm->prealloc_skip) {
    PetscCall((*PlexCreateMatrixPETSc)(dm, mat));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexAssemblyGetFromDM(dm, &r.asm_));
  PetscCall(PlexAssemblyRefresh_Private(&r, PLEX_REFRESH_ELEMENTS, PLEX_REFRESH_ELEMENTS));
  if (r.leave || r.asm_->anchors) PetscCall((*PlexCreateMatrixPETSc)(dm, mat));
  else PetscCall(PlexElementsCreateMatrixBy_Private(r.asm_->elements, PlexCreateMatrixPETSc, mat));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc copies constants once and auxiliary vectors never: multigrid of degrees takes them from the DM of all fields */
static PetscErrorCode DMCreateSubDM_PlexGPU(DM dm, PetscInt n, const PetscInt fields[], IS *is, DM *sub)
{
  PetscFunctionBegin;
  PetscCall((*PlexCreateSubDMPETSc)(dm, n, fields, is, sub));
  if (sub && *sub && n == 1) PetscCall(PetscObjectCompose((PetscObject)*sub, PLEX_DM_OF_FIELD, (PetscObject)dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexTakeMatrixCoarsen(DM fine, DM coarse, void *ctx)
{
  PetscFunctionBegin;
  (void)fine;
  (void)ctx;
  PetscCall(PlexAssemblyTakeMatrix_Private(coarse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lets DMCreateMatrix() make matrices from elements; a DM with an operation of its own keeps it */
PetscErrorCode PlexAssemblyTakeMatrix_Private(DM dm)
{
  struct _DMOps ops;

  PetscFunctionBegin;
  if (!PlexCreateMatrixPETSc) {
    PetscCall(PlexGetOperations_Private(&ops));
    PlexCreateMatrixPETSc = ops.creatematrix;
    PlexCreateSubDMPETSc  = ops.createsubdm;
  }
  if (dm->ops->creatematrix != PlexCreateMatrixPETSc) PetscFunctionReturn(PETSC_SUCCESS);
  dm->ops->creatematrix = DMCreateMatrix_PlexGPU;
  if (dm->ops->createsubdm == PlexCreateSubDMPETSc) dm->ops->createsubdm = DMCreateSubDM_PlexGPU;
  PetscCall(DMCoarsenHookAdd(dm, PlexTakeMatrixCoarsen, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}
