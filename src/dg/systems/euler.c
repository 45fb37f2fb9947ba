/* The flow of an ideal gas: cuda/dg/systems/euler.h */
#define PLEX_DG_POINTWISE "dg/systems/euler.h"
#include <plexgpu/dg_system.h>

static const char *const     PlexFields2[]   = {"rho", "mx", "my", "E"};
static const char *const     PlexFields3[]   = {"rho", "mx", "my", "mz", "E"};
static const char *const     PlexKinds[]     = {"wall", "open", "farfield"}; /* in the order of dg_boundary() */
static const PlexDGParameter PlexConstants[] = {
  {"gamma",    1, {1.4}       },
  {"density",  1, {1.}        },
  {"velocity", 3, {0., 0., 0.}},
  {"pressure", 1, {1.}        }
};

static const PlexDGBound PlexBounds[] = {
  {"gamma",    1., PETSC_INFINITY, PETSC_TRUE, NULL},
  {"density",  0., PETSC_INFINITY, PETSC_TRUE, NULL},
  {"pressure", 0., PETSC_INFINITY, PETSC_TRUE, NULL}
};

/* Also for systems of a user's own that add a function of the boundary to the header: docs/dgquadrature.md */
PetscErrorCode PlexDGSystemCreate_Euler(PlexDGSystem system)
{
  PetscFunctionBegin;
  PLEX_DG_SYSTEM_SET(system, PlexFields2, PlexKinds, PlexConstants, PLEX_DG_NONE);
  PLEX_DG_SYSTEM_SET_BOUNDS(system, PlexBounds);
  if (system->dim == 3) system->fields = PlexFields3;
  system->gas = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
