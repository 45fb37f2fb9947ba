/* Maxwell's equations with such boundaries and a current: cuda/dg/systems/maxwell_impedance_current.h */
#define PLEX_DG_POINTWISE "dg/systems/maxwell_impedance_current.h"
#include <plexgpu/dg_system.h>
#include "systemsimpl.h"

const PlexDGHost *const *PlexDGMaxwellImpedanceCurrentHost_Private(PetscInt dim)
{
  return plex_dg_host[dim - 2];
}
