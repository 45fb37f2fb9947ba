/* Sound in a medium at rest: cuda/dg/systems/acoustics.h */
#define PLEX_DG_POINTWISE "dg/systems/acoustics.h"
#include <plexgpu/dg_system.h>

static const char *const     PlexFields[]       = {"p", "vx", "vy", "vz"};
static const char *const     PlexKinds[]        = {"wall", "free", "absorbing"}; /* in the order of dg_boundary() */
static const PlexDGParameter PlexCoefficients[] = {
  {"rho",   1, {1.}},
  {"kappa", 1, {1.}}
};
static const PlexDGParameter PlexConstants[] = {
  {"alpha", 1, {1.}}
};

PETSC_EXTERN PetscErrorCode PlexDGSystemCreate_Acoustics(PlexDGSystem);

PetscErrorCode PlexDGSystemCreate_Acoustics(PlexDGSystem system)
{
  PetscFunctionBegin;
  PLEX_DG_SYSTEM_SET(system, PlexFields, PlexKinds, PlexConstants, PlexCoefficients);
  PetscFunctionReturn(PETSC_SUCCESS);
}
