/* Limiting after a stage: no depth of water is negative */
#include "dgimpl.h" /*I "plexgpudg.h" I*/

/*@
  PlexDGLimit - Makes no depth of water negative: what wetting and drying does with a state after each stage

  Collective

  Input Parameter:
. dg - the operator

  Input/Output Parameter:
. U - the state

  Level: advanced

  Notes:
  Does nothing unless constant `dry` of system `shallow_water` or `tsunami` is positive. The mean of the elevation in
  each element stays, and those of the discharges except in water that is less deep than `dry`.

  A `TS` that has been given to `PlexDGSetTS()`, of type `TSRK` or `TSPLEXLOWSTORAGE`, calls this by itself.

.seealso: `PlexDG`, `PlexDGSetTS()`, `PlexDGProject()`
@*/
PetscErrorCode PlexDGLimit(PlexDG dg, Vec U)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscValidHeaderSpecific(U, VEC_CLASSID, 2);
  PetscCall(PlexDGSetUp(dg));
  if (!dg->shore) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGCheckVec_Private(dg, U));
  PetscCall(PlexBackendVecGet(dg->backend, U, PLEX_CHANGE, &dg->arrayU));
  PetscCall(PlexDGShoreLimit_Private(dg, dg->arrayU.array, PETSC_FALSE));
  PetscCall(PlexBackendVecRestore(dg->backend, &dg->arrayU));
  PetscFunctionReturn(PETSC_SUCCESS);
}
