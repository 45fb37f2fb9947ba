/* Advection with a constant velocity: cuda/dg/systems/advection.h */
#define PLEX_DG_POINTWISE "dg/systems/advection.h"
#include <plexgpu/dg_system.h>

static const char *const     PlexFields[]    = {"u"};
static const char *const     PlexKinds[]     = {"inflow", "outflow"}; /* in the order of dg_boundary() */
static const PlexDGParameter PlexConstants[] = {
  {"velocity", 3, {1., 0., 0.}},
  {"alpha",    1, {1.}        }
};

PETSC_EXTERN PetscErrorCode PlexDGSystemCreate_Advection(PlexDGSystem);

PetscErrorCode PlexDGSystemCreate_Advection(PlexDGSystem system)
{
  PetscFunctionBegin;
  PLEX_DG_SYSTEM_SET(system, PlexFields, PlexKinds, PlexConstants, PLEX_DG_NONE);
  PetscFunctionReturn(PETSC_SUCCESS);
}
