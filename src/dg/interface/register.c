/* The types of nodal DG and their registration */
#include "dgimpl.h" /*I "plexgpudg.h" I*/
#include "../../util/help.h"

static PetscFunctionList PlexDGList = NULL;

/*@C
  PlexDGRegister - Adds a way to compute the right-hand side of nodal discontinuous Galerkin operators

  Not Collective, No Fortran Support

  Input Parameters:
+ name   - the type's name, for `PlexDGSetType()` and `-plex_dg_type`
- create - sets the operations of a `PlexDG`: `setup`, `rhs`, and perhaps `stage`, `reset` and `view`

  Level: advanced

  Note:
  What a type is given and has to do is described in plexgpu/private/dgimpl.h.

.seealso: `PlexDG`, `PlexDGType`, `PlexDGSystemRegister()`
@*/
PetscErrorCode PlexDGRegister(const char name[], PetscErrorCode (*create)(PlexDG))
{
  PetscFunctionBegin;
  PetscCall(PlexGPUInitializePackage());
  PetscCall(PetscFunctionListAdd(&PlexDGList, name, create));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PETSC_INTERN PetscErrorCode PlexDGFinalize_Private(void);

PetscErrorCode PlexDGFinalize_Private(void)
{
  PetscFunctionBegin;
  PetscCall(PetscFunctionListDestroy(&PlexDGList));
  PetscCall(PlexDGSystemFinalize_Private());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGHelpTypes_Private(const char text[], size_t size, char out[])
{
  PetscFunctionBegin;
  PetscCall(PlexHelpChoices_Private(text, PLEXDGAUTO, PlexDGList, size, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGFindType_Private(PlexDG dg, PlexDGType type, PetscErrorCode (**create)(PlexDG))
{
  PetscFunctionBegin;
  PetscCall(PetscFunctionListFind(PlexDGList, type, create));
  if (!*create) {
    const char **names;
    char         known[512];
    int          n;

    PetscCall(PetscFunctionListGet(PlexDGList, &names, &n));
    PetscCall(PlexDGJoinNames_Private(n, names, sizeof(known), known));
    PetscCall(PetscFree(names));
    SETERRQ(PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_UNKNOWN_TYPE,
            "Unknown type of nodal DG %s. Known: auto, %s. PlexDGRegister() adds others", type, known);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGSetType - Chooses the way in which the right-hand side is computed

  Logically Collective

  Input Parameters:
+ dg   - the operator
- type - `PLEXDGAUTO` or the name of a way, see `PlexDGType`

  Options Database Key:
. -plex_dg_type type - likewise

  Level: intermediate

.seealso: `PlexDG`, `PlexDGType`, `PlexDGRegister()`
@*/
PetscErrorCode PlexDGSetType(PlexDG dg, PlexDGType type)
{
  PetscErrorCode (*create)(PlexDG);
  PetscBool isauto;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscAssertPointer(type, 2);
  PetscCall(PetscStrcmp(type, PLEXDGAUTO, &isauto));
  if (!isauto) PetscCall(PlexDGFindType_Private(dg, type, &create));
  PetscCall(PlexDGReset(dg));
  PetscCall(PetscFree(dg->asked));
  if (!isauto) PetscCall(PetscStrallocpy(type, &dg->asked));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGGetType - Gets the way in which the right-hand side is computed

  Not Collective

  Input Parameter:
. dg - the operator

  Output Parameter:
. type - the type; `PLEXDGAUTO` where it is still to be chosen, by `PlexDGSetUp()`

  Level: intermediate

.seealso: `PlexDG`, `PlexDGSetType()`
@*/
PetscErrorCode PlexDGGetType(PlexDG dg, PlexDGType *type)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscAssertPointer(type, 2);
  *type = ((PetscObject)dg)->type_name;
  if (!*type) *type = dg->asked ? dg->asked : PLEXDGAUTO;
  PetscFunctionReturn(PETSC_SUCCESS);
}
