/* Limiting after a stage: shocks, and depths of water */
#include "dgimpl.h" /*I "plexgpudg.h" I*/

PetscBool PlexDGLimits_Private(PlexDG dg)
{
  PlexDG parts[2];

  (void)PlexDGGetParts(dg, parts);
  return (PetscBool)(parts[0]->shock || parts[0]->shore);
}

PetscErrorCode PlexDGLimit_Private(PlexDG dg, void *u, PetscBool isSingle)
{
  PlexDG         parts[2];
  const PetscInt n = PlexDGGetParts(dg, parts);

  PetscFunctionBegin;
  if (parts[0]->shock) PetscCall(PlexDGShockLimit_Private(dg, u, isSingle));
  for (PetscInt k = 0; k < n; ++k)
    if (parts[k]->shore)
      PetscCall(PlexDGShoreLimit_Private(parts[k], PlexDGPartsGetArray(parts, k, u, isSingle), isSingle));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGLimit - What shock capturing, and wetting and drying, do with a state after each stage

  Collective

  Input Parameter:
. dg - the operator

  Input/Output Parameter:
. U - the state

  Level: advanced

  Notes:
  Does nothing unless `PlexDGSetShockCapturing()` says so, or constant `dry` of system `shallow_water` or `tsunami` is
  positive. Shock capturing keeps the means of all fields, and density and pressure of a gas positive where its means are. Wetting and drying makes no depth negative; the mean of the
  elevation in each element stays, and those of the discharges except in water that is less deep than `dry`.

  A `TS` that has been given to `PlexDGSetTS()`, of type `TSRK` or `TSPLEXLOWSTORAGE`, calls this by itself.

.seealso: `PlexDG`, `PlexDGSetTS()`, `PlexDGSetShockCapturing()`, `PlexDGProject()`
@*/
PetscErrorCode PlexDGLimit(PlexDG dg, Vec U)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscValidHeaderSpecific(U, VEC_CLASSID, 2);
  PetscCall(PlexDGSetUp(dg));
  if (!PlexDGLimits_Private(dg)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGCheckVec_Private(dg, U));
  PetscCall(PlexBackendVecGet(dg->backend, U, PLEX_CHANGE, &dg->arrayU));
  PetscCall(PlexDGLimit_Private(dg, dg->arrayU.array, PETSC_FALSE));
  PetscCall(PlexBackendVecRestore(dg->backend, &dg->arrayU));
  PetscFunctionReturn(PETSC_SUCCESS);
}
