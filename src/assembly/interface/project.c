/*
  Functions that programs project into a DM, with DMProjectFunction() or DMProjectFunctionLocal(): initial values, exact
  solutions, near-null spaces.

  The operation of DMPLEX that does so is replaced, in a DM that is assembled here and in its clones; where PlexGPU takes
  over, in each DM that is created. It evaluates the function at the nodes of Lagrange fields (src/dm/project.c), and
  leaves to PETSc what these are not.
*/
#include <plexgpu/private/assemblyimpl.h>
#include "assemblyimpl.h"
#include "../../dm/elementsimpl.h" /* PlexGetOperations_Private(), PlexTake_Private() */
#include "../../dm/project.h"
#include <petsc/private/dmimpl.h>

#define PLEX_PROJECTIONS "PlexGPU projections"

/* Attached to a DM that has this operation */
typedef struct {
  PetscBool   set;       /* the program has asked for assembly here */
  PetscInt    counts[2]; /* projections, and those that were left to PETSc; */
  const char *why;       /* of these the last */
} PlexProjections;

static PetscErrorCode (*PlexProjectPETSc)(DM, PetscReal, PetscSimplePointFn **, void **, InsertMode, Vec) = NULL;

/* Not collective, as projections are not */
static PetscErrorCode PlexProjectionsGet(DM dm, PlexProjections **p)
{
  PetscContainer container;

  PetscFunctionBegin;
  PetscCall(PetscObjectContainerQuery((PetscObject)dm, PLEX_PROJECTIONS, p));
  if (*p) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(p));
  PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
  PetscCall(PetscContainerSetPointer(container, *p));
  PetscCall(PetscContainerSetCtxDestroy(container, PetscCtxDestroyDefault));
  PetscCall(PetscObjectCompose((PetscObject)dm, PLEX_PROJECTIONS, (PetscObject)container));
  PetscCall(PetscContainerDestroy(&container));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether those of a DM are made here, and functions are called once a node */
static PetscErrorCode PlexProjectionsRead(DM dm, const PlexProjections *p, PetscBool *here, PetscBool *once)
{
  const char *prefix;
  char        text[64];
  PetscBool   set;

  PetscFunctionBegin;
  *once = PETSC_FALSE;
  *here = p->set;
  if (!*here) PetscCall(PlexTakeOverWanted_Private(dm, here));
  PetscCall(PetscObjectGetOptionsPrefix((PetscObject)dm, &prefix));
  PetscCall(PlexOptionsFindPrefix_Private(prefix, "-plex_assembly_project", &prefix));
  PetscCall(PetscOptionsGetString(NULL, prefix, "-plex_assembly_project", text, sizeof(text), &set));
  if (set) PetscCall(PetscStrcasecmp(text, "once", once));
  if (*once) *here = PETSC_TRUE;
  else if (set) PetscCall(PetscOptionsGetBool(NULL, prefix, "-plex_assembly_project", here, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In the place of DMPLEX's own operation */
static PetscErrorCode DMProjectFunctionLocal_PlexGPU(DM dm, PetscReal time, PetscSimplePointFn **funcs, void **ctxs,
                                                     InsertMode mode, Vec X)
{
  PlexProjections *p;
  PetscBool        here, once;
  const char      *why = NULL;

  PetscFunctionBegin;
  PetscCall(PlexProjectionsGet(dm, &p));
  PetscCall(PlexProjectionsRead(dm, p, &here, &once));
  if (here) PetscCall(PlexProjectFunctionLocal(dm, time, funcs, ctxs, mode, once, X, &why));
  if (why) PetscCall(PetscInfo(dm, "Left to PETSc is a projection of functions: %s\n", why));
  if (why) p->why = why;
  if (here) p->counts[why ? 1 : 0]++;
  if (!here || why) PetscCall((*PlexProjectPETSc)(dm, time, funcs, ctxs, mode, X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTakeProjectionNew_Private(DM dm, DM from)
{
  PlexProjections *p = NULL;
  struct _DMOps    ops;

  PetscFunctionBegin;
  PetscCall(PlexGetOperations_Private(&ops));
  PlexProjectPETSc = ops.projectfunctionlocal;
  if (dm->ops->projectfunctionlocal != PlexProjectPETSc) PetscFunctionReturn(PETSC_SUCCESS);
  dm->ops->projectfunctionlocal = DMProjectFunctionLocal_PlexGPU;
  if (from) PetscCall(PetscObjectContainerQuery((PetscObject)from, PLEX_PROJECTIONS, &p));
  if (p && p->set) PetscCall(PlexTakeProjection_Private(dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTakeProjection_Private(DM dm)
{
  PlexProjections *p;

  PetscFunctionBegin;
  PetscCall(PlexTake_Private(dm, NULL));
  PetscCall(PlexProjectionsGet(dm, &p));
  p->set = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexProjectionsView_Private(DM dm, PetscViewer viewer)
{
  PlexProjections *p;

  PetscFunctionBegin;
  PetscCall(PetscObjectContainerQuery((PetscObject)dm, PLEX_PROJECTIONS, &p));
  if (!p || (!p->counts[0] && !p->counts[1])) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "functions projected here: %" PetscInt_FMT " times; left to PETSc: %" PetscInt_FMT
                                   "%s%s%s\n",
                                   p->counts[0], p->counts[1], p->why ? " (" : "", p->why ? p->why : "",
                                   p->why ? ")" : ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}
