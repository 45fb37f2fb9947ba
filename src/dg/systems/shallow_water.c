/* Shallow water over a bottom of varying depth: cuda/dg/systems/shallow_water.h */
#define PLEX_DG_POINTWISE "dg/systems/shallow_water.h"
#include <plexgpu/dg_system.h>
#include "watertables.h"

static const PlexDGParameter PlexCoefficients[] = {
  {"depth", 1, {1.}}
};
static const PlexDGParameter PlexConstants[] = {PLEX_WATER_CONSTANTS, PLEX_WATER_LAST_CONSTANTS};

static const PlexDGBound PlexBounds[] = {PLEX_WATER_GRAVITY_BOUND, PLEX_WATER_LAST_BOUNDS};

PETSC_EXTERN PetscErrorCode PlexDGSystemCreate_ShallowWater(PlexDGSystem);

PetscErrorCode PlexDGSystemCreate_ShallowWater(PlexDGSystem system)
{
  PetscFunctionBegin;
  PLEX_DG_SYSTEM_SET(system, PlexFields, PlexKinds, PlexConstants, PlexCoefficients);
  PLEX_DG_SYSTEM_SET_BOUNDS(system, PlexBounds);
  system->water  = PETSC_TRUE;
  system->given  = 3;
  system->shared = 5;
  PetscFunctionReturn(PETSC_SUCCESS);
}
