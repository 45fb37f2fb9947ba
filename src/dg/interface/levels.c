/* Levels of elements, of time steps of their own: what programs set and get of them. ../core/levels.c finds them */
#include "dgimpl.h" /*I "plexgpudg.h" I*/

#define PLEX_LEVELS_MOST 12

/*@
  PlexDGSetLevels - Sets how many levels of time steps elements may have, each with steps half as long as those of the
  level before

  Logically Collective

  Input Parameters:
+ dg     - the operator, of nodal DG
- levels - at most so many, 1 to 12; 1, one step for all elements, if it is not set

  Options Database Key:
. -plex_dg_levels levels - likewise

  Level: intermediate

  Notes:
  It makes the order of elements, and of the values in vectors: elements of a level are consecutive, on each process. A
  `TS` of type `TSPLEXMULTIRATE` takes steps of their own for them; all others take one step, that of
  `PlexDGComputeTimeStep()`, as without levels.

  Levels follow from the elements' sizes, speeds and rates of decay at set-up: the largest step of an element's level is
  at most that with which `PlexDGComputeTimeStep()` says it is stable. There may be fewer levels than were asked for.

.seealso: `PlexDG`, `PlexDGGetLevels()`, `PlexDGGetLevelSizes()`, `TSPLEXMULTIRATE`
@*/
PetscErrorCode PlexDGSetLevels(PlexDG dg, PetscInt levels)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscCheck(levels >= 1 && levels <= PLEX_LEVELS_MOST, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_OUTOFRANGE,
             "There may be 1 to %d levels of time steps, not %" PetscInt_FMT ": see -plex_dg_levels", PLEX_LEVELS_MOST,
             levels);
  if (levels != dg->maxlevels) PetscCall(PlexDGReset(dg));
  dg->maxlevels = levels;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGGetLevels - Gets how many levels of time steps elements may have

  Not Collective

  Input Parameter:
. dg - the operator

  Output Parameter:
. levels - at most so many

  Level: intermediate

.seealso: `PlexDG`, `PlexDGSetLevels()`, `PlexDGGetLevelSizes()`
@*/
PetscErrorCode PlexDGGetLevels(PlexDG dg, PetscInt *levels)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscAssertPointer(levels, 2);
  *levels = dg->maxlevels;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGGetLevelSizes - Gets the levels of time steps that there are, and how many elements each has

  Collective

  Input Parameter:
. dg - the operator

  Output Parameters:
+ levels   - levels
. elements - [levels, 12 at most] elements of each, of all processes, those of the longest steps first; or `NULL`
- factor   - the longest step over that of `PlexDGComputeTimeStep()`; or `NULL`

  Level: intermediate

.seealso: `PlexDG`, `PlexDGSetLevels()`
@*/
PetscErrorCode PlexDGGetLevelSizes(PlexDG dg, PetscInt *levels, PetscInt64 elements[], PetscReal *factor)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscAssertPointer(levels, 2);
  PetscCall(PlexDGSetUp(dg));
  *levels = dg->levels ? dg->levels->n : 1;
  for (PetscInt l = 0; elements && l < *levels; ++l)
    elements[l] = dg->levels ? dg->levels->elements[l] : dg->parts[0] ? 0 : dg->mesh->NeGlobal;
  for (PetscInt k = 0; elements && dg->parts[0] && k < 2; ++k) elements[0] += dg->parts[k]->mesh->NeGlobal;
  if (factor) *factor = dg->levels ? dg->levels->factor : 1.;
  PetscFunctionReturn(PETSC_SUCCESS);
}
