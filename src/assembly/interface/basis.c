/*
  The basis transform of a DM. PETSc transforms local vectors on the host, in DMGlobalToLocal() and DMLocalToGlobal(),
  and vectors on a GPU would go down and up again. Here hooks of these functions hide the transform from PETSc, and
  transform vectors where they live:

    DMGlobalToLocal    begin: hide                     end: locX = T^T locX, show
    DMLocalToGlobal    begin: locF = T locF, hide      end: locF is what it was, show

  They do so where the assembly of the DM has kernels.
*/
#include <plexgpu/private/assemblyimpl.h>
#include "assemblyimpl.h"
#include <petsc/private/dmimpl.h> /* transform */

#define PLEX_BASIS_HOOKS "PlexGPU basis"      /* attached to a DM that has them */
#define PLEX_BASIS_KEPT  "PlexGPU basis kept" /* attached to locF: what it was */

typedef struct {
  Vec      transform; /* what is hidden, */
  PetscInt calls;     /* by so many calls that have begun and not ended */
} PlexBasisHooks;

/* What transforms vectors in the place of PETSc; NULL: nothing does */
static PetscErrorCode PlexBasisFind(DM dm, const PlexBasisHooks *hooks, PlexBasis *basis)
{
  Vec          transform = hooks->calls ? hooks->transform : dm->transform;
  PlexAssembly asm_;
  PetscBool    is = PETSC_FALSE;

  PetscFunctionBegin;
  *basis = NULL;
  PetscCall(PetscObjectQuery((PetscObject)dm, "PlexAssembly", (PetscObject *)&asm_));
  if (asm_ && asm_->basis) PetscCall(PlexBasisIsOf(asm_->basis, transform, &is));
  if (is) *basis = asm_->basis;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void PlexBasisHide(DM dm, PlexBasisHooks *hooks)
{
  if (hooks->calls++) return;
  hooks->transform = dm->transform;
  dm->transform    = NULL;
}

static void PlexBasisShow(DM dm, PlexBasisHooks *hooks)
{
  if (--hooks->calls) return;
  dm->transform    = hooks->transform;
  hooks->transform = NULL;
}

static PetscErrorCode PlexBasisBeginGlobalToLocal(DM dm, Vec g, InsertMode mode, Vec l, void *ctx)
{
  PlexBasisHooks *hooks = (PlexBasisHooks *)ctx;
  PlexBasis       basis;

  PetscFunctionBegin;
  (void)g, (void)mode, (void)l;
  PetscCall(PlexBasisFind(dm, hooks, &basis));
  if (basis) PlexBasisHide(dm, hooks);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBasisEndGlobalToLocal(DM dm, Vec g, InsertMode mode, Vec l, void *ctx)
{
  PlexBasisHooks *hooks = (PlexBasisHooks *)ctx;
  PlexBasis       basis;
  Vec             hidden;

  PetscFunctionBegin;
  (void)g, (void)mode;
  if (!hooks->calls) PetscFunctionReturn(PETSC_SUCCESS); /* PETSc has done it */
  PetscCall(PlexBasisFind(dm, hooks, &basis));
  hidden = hooks->transform;
  PlexBasisShow(dm, hooks);
  if (basis) PetscCall(PlexBasisTransformVec(basis, PETSC_FALSE, l));
  else {
    Vec shown = dm->transform; /* the assembly is gone since the call began */

    dm->transform = hidden;
    PetscCall(DMPlexGlobalToLocalBasis(dm, l));
    dm->transform = shown;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBasisBeginLocalToGlobal(DM dm, Vec l, InsertMode mode, Vec g, void *ctx)
{
  PlexBasisHooks *hooks = (PlexBasisHooks *)ctx;
  PlexBasis       basis;
  Vec             kept;

  PetscFunctionBegin;
  (void)g, (void)mode;
  PetscCall(PlexBasisFind(dm, hooks, &basis));
  if (!basis) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMGetLocalVector(dm, &kept));
  PetscCall(VecCopy(l, kept));
  PetscCall(PetscObjectCompose((PetscObject)l, PLEX_BASIS_KEPT, (PetscObject)kept));
  PetscCall(PlexBasisTransformVec(basis, PETSC_TRUE, l));
  PlexBasisHide(dm, hooks);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc calls it with the vectors in another order */
static PetscErrorCode PlexBasisEndLocalToGlobal(DM dm, Vec a, InsertMode mode, Vec b, void *ctx)
{
  PlexBasisHooks *hooks = (PlexBasisHooks *)ctx;
  Vec             kept[2], v[2] = {a, b};

  PetscFunctionBegin;
  (void)mode;
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(PetscObjectQuery((PetscObject)v[k], PLEX_BASIS_KEPT, (PetscObject *)&kept[k]));
    if (!kept[k]) continue;
    PlexBasisShow(dm, hooks);
    PetscCall(VecCopy(kept[k], v[k]));
    PetscCall(PetscObjectReference((PetscObject)kept[k]));
    PetscCall(PetscObjectCompose((PetscObject)v[k], PLEX_BASIS_KEPT, NULL));
    PetscCall(PetscObjectDereference((PetscObject)kept[k]));
    PetscCall(DMRestoreLocalVector(dm, &kept[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes the transform, after the backend; PlexElementsSupported() says that it can be made */
PetscErrorCode PlexAssemblySetUpBasis_Private(PlexAssembly asm_)
{
  DM              dm = asm_->dm;
  PlexBasisHooks *hooks;
  char           *reason = NULL;

  PetscFunctionBegin;
  PetscCall(PlexBasisCreate(dm, asm_->backend, &asm_->basis, &reason));
  PetscCheck(!reason, PetscObjectComm((PetscObject)asm_), PETSC_ERR_PLIB, "%s", reason);
  if (!asm_->basis || !asm_->backend->kernels) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectContainerQuery((PetscObject)dm, PLEX_BASIS_HOOKS, &hooks));
  if (hooks) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscNew(&hooks));
  PetscCall(PetscObjectContainerCompose((PetscObject)dm, PLEX_BASIS_HOOKS, hooks, PetscCtxDestroyDefault));
  PetscCall(DMGlobalToLocalHookAdd(dm, PlexBasisBeginGlobalToLocal, PlexBasisEndGlobalToLocal, hooks));
  PetscCall(DMLocalToGlobalHookAdd(dm, PlexBasisBeginLocalToGlobal, PlexBasisEndLocalToGlobal, hooks));
  PetscFunctionReturn(PETSC_SUCCESS);
}
