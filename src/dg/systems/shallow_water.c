/* Shallow water over a bottom of varying depth: cuda/dg/systems/shallow_water.h */
#define PLEX_DG_POINTWISE "dg/systems/shallow_water.h"
#include <plexgpu/dg_system.h>

static const char *const PlexFields[] = {"eta", "qx", "qy", "qz"};
/* in the order of dg_boundary() */
static const char *const PlexKinds[] = {"wall", "open", "prescribed", "elevation", "incoming", "discharge", "no_slip"};
static const PlexDGParameter PlexCoefficients[] = {
  {"depth", 1, {1.}}
};
static const PlexDGParameter PlexConstants[] = {
  {"gravity",   1, {9.81}      },
  {"elevation", 1, {0.}        },
  {"velocity",  3, {0., 0., 0.}},
  {"frequency", 1, {0.}        },
  {"dry",       1, {0.}        },
  {"shore",     1, {1e30}      },
  {"entropy",   1, {1.}        },
  {"viscosity", 1, {0.}        }
};

static const char PlexViscosityNote[] = "viscosity asks for steps like the square of an element's size over it";

static const PlexDGBound PlexBounds[] = {
  {"gravity",   0., PETSC_INFINITY, PETSC_TRUE,  NULL             },
  {"entropy",   0., 1.,             PETSC_FALSE, NULL             },
  {"viscosity", 0., PETSC_INFINITY, PETSC_FALSE, PlexViscosityNote}
};

PETSC_EXTERN PetscErrorCode PlexDGSystemCreate_ShallowWater(PlexDGSystem);

PetscErrorCode PlexDGSystemCreate_ShallowWater(PlexDGSystem system)
{
  PetscFunctionBegin;
  PLEX_DG_SYSTEM_SET(system, PlexFields, PlexKinds, PlexConstants, PlexCoefficients);
  PLEX_DG_SYSTEM_SET_BOUNDS(system, PlexBounds);
  system->water  = PETSC_TRUE;
  system->given  = 3;
  system->shared = 5;
  PetscFunctionReturn(PETSC_SUCCESS);
}
