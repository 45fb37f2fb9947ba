/* Sound in a medium at rest: cuda/dg/systems/acoustics.h */
#define PLEX_DG_POINTWISE "dg/systems/acoustics.h"
#include <plexgpu/dg_system.h>

static const char *const     PlexFields[]       = {"p", "vx", "vy", "vz"};
static const char *const     PlexKinds[]        = {"wall", "free", "absorbing"}; /* in the order of dg_boundary() */
static const PlexDGParameter PlexCoefficients[] = {
  {"rho",   1, {1.}},
  {"kappa", 1, {1.}}
};
static const PlexDGParameter PlexConstants[] = {
  {"alpha", 1, {1.}}
};

PETSC_EXTERN PetscErrorCode PlexDGSystemCreate_Acoustics(PlexDGSystem);

PetscErrorCode PlexDGSystemCreate_Acoustics(PlexDGSystem system)
{
  PetscFunctionBegin;
  system->Nf            = 1 + system->dim;
  system->fields        = PlexFields;
  system->ncoefficients = PETSC_STATIC_ARRAY_LENGTH(PlexCoefficients);
  system->coefficients  = PlexCoefficients;
  system->nconstants    = PETSC_STATIC_ARRAY_LENGTH(PlexConstants);
  system->constants     = PlexConstants;
  system->nkinds        = PETSC_STATIC_ARRAY_LENGTH(PlexKinds);
  system->kinds         = PlexKinds;
  system->source        = PLEX_DG_POINTWISE;
  system->host          = plex_dg_host[system->dim - 2];
  PetscFunctionReturn(PETSC_SUCCESS);
}
