/* Maxwell's equations in linear, isotropic media: cuda/dg/systems/maxwell.h */
#define PLEX_DG_POINTWISE "dg/systems/maxwell.h"
#include <plexgpu/dg_system.h>

static const char *const     PlexFields[]       = {"Ex", "Ey", "Ez", "Hx", "Hy", "Hz"};
static const char *const     PlexKinds[]        = {"pec", "pmc", "absorbing", "incident", "scatterer"}; /* in the order of dg_boundary() */
static const PlexDGParameter PlexCoefficients[] = {
  {"epsilon", 1, {1.}},
  {"mu",      1, {1.}},
  {"sigma",   1, {0.}}
};
static const PlexDGParameter PlexConstants[] = {
  {"alpha",        1, {1.}        },
  {"direction",    3, {1., 0., 0.}},
  {"polarization", 3, {0., 0., 1.}},
  {"frequency",    1, {1.}        }
};

PETSC_EXTERN PetscErrorCode PlexDGSystemCreate_Maxwell(PlexDGSystem);

PetscErrorCode PlexDGSystemCreate_Maxwell(PlexDGSystem system)
{
  PetscFunctionBegin;
  system->Nf            = 6;
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
