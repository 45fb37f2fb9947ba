/*
  Operations of DMPLEX that are replaced in each DM that is created after PlexGPU has started.

  DMPLEX is registered again, with a create routine that calls PETSc's and then puts ours in the place of these
  operations: the order of dofs (renumber.c), and what a layer above asks for. DMClone() and DMSetFromOptions(), which may
  replace the mesh of a DM, set all operations to DMPLEX's own: ours are put back after the latter, and after the
  former but for the order of dofs, of which PETSc does not tell a clone either.
*/
#include "elementsimpl.h"
#include <petsc/private/dmimpl.h>

static PetscErrorCode (*PlexCreatePETSc)(DM)  = NULL;
static PetscErrorCode (*PlexTakeMore)(DM, DM) = NULL; /* of a layer above */
static struct _DMOps PlexOpsPETSc;                    /* DMPLEX's own */

PetscErrorCode PlexGetOperations_Private(struct _DMOps *ops)
{
  PetscFunctionBegin;
  *ops = PlexOpsPETSc;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode DMClone_PlexGPU(DM, DM *);

PetscErrorCode PlexTake_Private(DM dm, DM from)
{
  PetscFunctionBegin;
  if (dm->ops->clone == PlexOpsPETSc.clone) dm->ops->clone = DMClone_PlexGPU;
  PetscCall((*PlexTakeMore)(dm, from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode DMClone_PlexGPU(DM dm, DM *clone)
{
  PetscFunctionBegin;
  PetscCall((*PlexOpsPETSc.clone)(dm, clone));
  PetscCall(PlexTake_Private(*clone, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexTakeAgain(PetscObject dm, PetscOptionItems PetscOptionsObject, void *ctx)
{
  PetscFunctionBegin;
  (void)PetscOptionsObject;
  (void)ctx;
  PetscCall(PlexTakeSection_Private((DM)dm));
  PetscCall(PlexTake_Private((DM)dm, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode DMCreate_PlexGPU(DM dm)
{
  PetscFunctionBegin;
  PetscCall((*PlexCreatePETSc)(dm));
  PetscCall(PlexTakeSection_Private(dm));
  PetscCall(PlexTake_Private(dm, NULL));
  PetscCall(PetscObjectAddOptionsHandler((PetscObject)dm, PlexTakeAgain, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTakeRegister_Private(PetscErrorCode (*more)(DM, DM))
{
  PetscErrorCode (*create)(DM);
  DM plex;

  PetscFunctionBegin;
  PetscCall(PetscFunctionListFind(DMList, DMPLEX, &create));
  if (create == DMCreate_PlexGPU) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMCreate(PETSC_COMM_SELF, &plex));
  PetscCall(DMSetType(plex, DMPLEX));
  PlexOpsPETSc = *plex->ops;
  PetscCall(DMDestroy(&plex));
  PlexCreatePETSc = create;
  PlexTakeMore    = more;
  PetscCall(DMRegister(DMPLEX, DMCreate_PlexGPU));
  PetscFunctionReturn(PETSC_SUCCESS);
}
