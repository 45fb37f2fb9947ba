/* Linear shallow water: cuda/dg/systems/shallow_water_linear.h */
#define PLEX_DG_POINTWISE "dg/systems/shallow_water_linear.h"
#include <plexgpu/dg_system.h>

static const char *const     PlexFields[]    = {"eta", "vx", "vy", "vz"};
static const char *const     PlexKinds[]     = {"wall", "open", "prescribed"}; /* in the order of dg_boundary() */
static const PlexDGParameter PlexConstants[] = {
  {"depth",     1, {1.}        },
  {"gravity",   1, {1.}        },
  {"alpha",     1, {1.}        },
  {"elevation", 1, {0.}        },
  {"velocity",  3, {0., 0., 0.}},
  {"frequency", 1, {0.}        }
};

static const char *const PlexAmplitudes[] = {"elevation", "velocity", NULL};

/* How other values than the defaults make a run unstable: PlexDGBound.unstable */
static const char PlexAlphaNote[] = "a flux with alpha less than 1 damps what is not resolved less, or not at all";

static const PlexDGBound PlexBounds[] = {
  {"depth",   0., PETSC_INFINITY, PETSC_TRUE,  NULL         },
  {"gravity", 0., PETSC_INFINITY, PETSC_TRUE,  NULL         },
  {"alpha",   0., 1.,             PETSC_FALSE, PlexAlphaNote}
};

PETSC_EXTERN PetscErrorCode PlexDGSystemCreate_ShallowWaterLinear(PlexDGSystem);

PetscErrorCode PlexDGSystemCreate_ShallowWaterLinear(PlexDGSystem system)
{
  PetscFunctionBegin;
  PLEX_DG_SYSTEM_SET(system, PlexFields, PlexKinds, PlexConstants, PLEX_DG_NONE);
  PLEX_DG_SYSTEM_SET_BOUNDS(system, PlexBounds);
  system->linear      = PETSC_TRUE;
  system->homogeneous = 3u; /* wall, open */
  system->amplitudes  = PlexAmplitudes;
  PetscFunctionReturn(PETSC_SUCCESS);
}
