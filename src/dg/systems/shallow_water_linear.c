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
  system->Nf         = 1 + system->dim;
  system->fields     = PlexFields;
  system->nconstants = PETSC_STATIC_ARRAY_LENGTH(PlexConstants);
  system->constants  = PlexConstants;
  system->nkinds     = PETSC_STATIC_ARRAY_LENGTH(PlexKinds);
  system->kinds      = PlexKinds;
  system->source     = PLEX_DG_POINTWISE;
  system->host       = plex_dg_host[system->dim - 2];
  PetscFunctionReturn(PETSC_SUCCESS);
}
