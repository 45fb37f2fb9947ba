/* Maxwell's equations with an incident pulse: cuda/dg/systems/maxwell_pulse.h */
#define PLEX_DG_POINTWISE "dg/systems/maxwell_pulse.h"
#include <plexgpu/dg_system.h>
#include "systemsimpl.h"

const PlexDGHost *const *PlexDGMaxwellPulseHost_Private(PetscInt dim)
{
  return plex_dg_host[dim - 2];
}
