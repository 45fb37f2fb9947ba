/* The tsunami model with Manning's n as a field: cuda/dg/systems/tsunami_manning.h */
#define PLEX_DG_POINTWISE "dg/systems/tsunami_manning.h"
#include <plexgpu/dg_system.h>

static const char *const PlexFields[] = {"eta", "qx", "qy", "qz"};
/* in the order of dg_boundary() */
static const char *const     PlexKinds[]        = {"wall", "open", "prescribed", "elevation", "incoming", "discharge"};
static const PlexDGParameter PlexCoefficients[] = {
  {"depth",    1, {1.}},
  {"coriolis", 1, {0.}},
  {"scale",    1, {1.}},
  {"manning",  1, {0.}}
};
static const PlexDGParameter PlexConstants[] = {
  {"gravity",        1, {9.81}      },
  {"elevation",      1, {0.}        },
  {"velocity",       3, {0., 0., 0.}},
  {"frequency",      1, {0.}        },
  {"dry",            1, {0.}        },
  {"shore",          1, {1e30}      },
  {"linear",         1, {0.}        },
  {"drag_linear",    1, {0.}        },
  {"drag_quadratic", 1, {0.}        },
  {"manning_factor", 1, {1.}        },
  {"drag_depth",     1, {0.1}       },
  {"drag_rate",      1, {0.}        }, /* by default that of the time step: timestep.c */
  {"entropy",        1, {1.}        },
  {"viscosity",      1, {0.}        }
};

/* How other values than the defaults make a run unstable: PlexDGBound.unstable */
static const char PlexLinearNote[]    = "friction drag_linear damps at that rate, which the time step has to follow";
static const char PlexQuadraticNote[] = "friction drag_quadratic is stiff in thin water: see drag_depth, drag_rate";

static const char PlexViscosityNote[] = "viscosity asks for steps like the square of an element's size over it";

static const PlexDGBound PlexBounds[] = {
  {"gravity",        0., PETSC_INFINITY, PETSC_TRUE,  NULL             },
  {"linear",         0., 1.,             PETSC_FALSE, NULL             },
  {"drag_linear",    0., PETSC_INFINITY, PETSC_FALSE, PlexLinearNote   },
  {"drag_quadratic", 0., PETSC_INFINITY, PETSC_FALSE, PlexQuadraticNote},
  {"manning_factor", 0., PETSC_INFINITY, PETSC_FALSE, NULL             },
  {"drag_depth",     0., PETSC_INFINITY, PETSC_TRUE,  NULL             },
  {"drag_rate",      0., PETSC_INFINITY, PETSC_FALSE, NULL             },
  {"entropy",        0., 1.,             PETSC_FALSE, NULL             },
  {"viscosity",      0., PETSC_INFINITY, PETSC_FALSE, PlexViscosityNote}
};

PETSC_EXTERN PetscErrorCode PlexDGSystemCreate_TsunamiManning(PlexDGSystem);

PetscErrorCode PlexDGSystemCreate_TsunamiManning(PlexDGSystem system)
{
  PetscFunctionBegin;
  PLEX_DG_SYSTEM_SET(system, PlexFields, PlexKinds, PlexConstants, PlexCoefficients);
  PLEX_DG_SYSTEM_SET_BOUNDS(system, PlexBounds);
  system->water  = PETSC_TRUE;
  system->given  = 3;
  system->shared = 5;
  system->scale  = 2;
  PetscFunctionReturn(PETSC_SUCCESS);
}
