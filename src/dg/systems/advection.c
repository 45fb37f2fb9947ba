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
  system->Nf         = 1;
  system->fields     = PlexFields;
  system->nconstants = PETSC_STATIC_ARRAY_LENGTH(PlexConstants);
  system->constants  = PlexConstants;
  system->nkinds     = PETSC_STATIC_ARRAY_LENGTH(PlexKinds);
  system->kinds      = PlexKinds;
  system->source     = PLEX_DG_POINTWISE;
  system->host       = plex_dg_host[system->dim - 2];
  PetscFunctionReturn(PETSC_SUCCESS);
}
