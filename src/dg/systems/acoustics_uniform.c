/* Sound in a uniform medium at rest, in flux form: the equations of linear shallow water with kappa in the place of the
   depth and 1/rho in that of gravity */
#define PLEX_DG_POINTWISE "dg/systems/shallow_water_linear.h"
#include <plexgpu/dg_system.h>

static const char *const     PlexFields[]    = {"p", "vx", "vy", "vz"};
static const char *const     PlexKinds[]     = {"wall", "absorbing", "prescribed"}; /* in the order of dg_boundary() */
static const PlexDGParameter PlexConstants[] = {
  {"kappa",     1, {1.}        },
  {"volume",    1, {1.}        }, /* 1/rho */
  {"alpha",     1, {1.}        },
  {"pressure",  1, {0.}        },
  {"velocity",  3, {0., 0., 0.}},
  {"frequency", 1, {0.}        }
};

static const char *const PlexAmplitudes[] = {"pressure", "velocity", NULL};

/* How other values than the defaults make a run unstable: PlexDGBound.unstable */
static const char PlexAlphaNote[] = "a flux with alpha less than 1 damps what is not resolved less, or not at all";

static const PlexDGBound PlexBounds[] = {
  {"kappa",  0., PETSC_INFINITY, PETSC_TRUE,  NULL         },
  {"volume", 0., PETSC_INFINITY, PETSC_TRUE,  NULL         },
  {"alpha",  0., 1.,             PETSC_FALSE, PlexAlphaNote}
};

PETSC_EXTERN PetscErrorCode PlexDGSystemCreate_AcousticsUniform(PlexDGSystem);

PetscErrorCode PlexDGSystemCreate_AcousticsUniform(PlexDGSystem system)
{
  PetscFunctionBegin;
  PLEX_DG_SYSTEM_SET(system, PlexFields, PlexKinds, PlexConstants, PLEX_DG_NONE);
  PLEX_DG_SYSTEM_SET_BOUNDS(system, PlexBounds);
  system->linear      = PETSC_TRUE;
  system->homogeneous = 3u; /* wall, absorbing */
  system->amplitudes  = PlexAmplitudes;
  PetscFunctionReturn(PETSC_SUCCESS);
}
