/* Maxwell's equations with boundaries that have a resistance: cuda/dg/systems/maxwell_impedance.h */
#define PLEX_DG_POINTWISE "dg/systems/maxwell_impedance.h"
#include <plexgpu/dg_system.h>
#include "systemsimpl.h"

const PlexDGHost *const *PlexDGMaxwellImpedanceHost_Private(PetscInt dim)
{
  return plex_dg_host[dim - 2];
}
