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

PETSC_EXTERN PetscErrorCode PlexDGSystemCreate_ShallowWaterLinear(PlexDGSystem);

PetscErrorCode PlexDGSystemCreate_ShallowWaterLinear(PlexDGSystem system)
{
  PetscFunctionBegin;
  PLEX_DG_SYSTEM_SET(system, PlexFields, PlexKinds, PlexConstants, PLEX_DG_NONE);
  PetscFunctionReturn(PETSC_SUCCESS);
}
