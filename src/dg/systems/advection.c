/* Advection with a constant velocity: cuda/dg/systems/advection.h */
#define PLEX_DG_POINTWISE "dg/systems/advection.h"
#include <plexgpu/dg_system.h>

static const char *const     PlexFields[]    = {"u"};
static const char *const     PlexKinds[]     = {"inflow", "outflow"}; /* in the order of dg_boundary() */
static const PlexDGParameter PlexConstants[] = {
  {"velocity", 3, {1., 0., 0.}},
  {"alpha",    1, {1.}        }
};

static const PlexDGBound PlexBounds[] = {
  {"alpha", 0., 1., PETSC_FALSE, "a flux with alpha less than 1 damps what is not resolved less, or not at all"}
};

PETSC_EXTERN PetscErrorCode PlexDGSystemCreate_Advection(PlexDGSystem);

PetscErrorCode PlexDGSystemCreate_Advection(PlexDGSystem system)
{
  PetscFunctionBegin;
  PLEX_DG_SYSTEM_SET(system, PlexFields, PlexKinds, PlexConstants, PLEX_DG_NONE);
  PLEX_DG_SYSTEM_SET_BOUNDS(system, PlexBounds);
  system->linear      = PETSC_TRUE;
  system->homogeneous = 3u; /* both */
  PetscFunctionReturn(PETSC_SUCCESS);
}
