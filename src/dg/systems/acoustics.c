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

/* How other values than the defaults make a run unstable: PlexDGBound.unstable */
static const char PlexAlphaNote[] = "a flux with alpha less than 1 damps what is not resolved less, or not at all";

static const PlexDGBound PlexBounds[] = {
  {"rho",   0., PETSC_INFINITY, PETSC_TRUE,  NULL         },
  {"kappa", 0., PETSC_INFINITY, PETSC_TRUE,  NULL         },
  {"alpha", 0., 1.,             PETSC_FALSE, PlexAlphaNote}
};

PETSC_EXTERN PetscErrorCode PlexDGSystemCreate_Acoustics(PlexDGSystem);

PetscErrorCode PlexDGSystemCreate_Acoustics(PlexDGSystem system)
{
  PetscFunctionBegin;
  PLEX_DG_SYSTEM_SET(system, PlexFields, PlexKinds, PlexConstants, PlexCoefficients);
  PLEX_DG_SYSTEM_SET_BOUNDS(system, PlexBounds);
  system->linear      = PETSC_TRUE;
  system->homogeneous = 7u; /* all */
  PetscFunctionReturn(PETSC_SUCCESS);
}
