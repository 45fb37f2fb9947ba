/* Maxwell's equations in linear, isotropic media: cuda/dg/systems/maxwell.h */
#define PLEX_DG_POINTWISE "dg/systems/maxwell.h"
#include <plexgpu/dg_system.h>
#include "../interface/dgimpl.h"

static const char *const     PlexFields[]       = {"Ex", "Ey", "Ez", "Hx", "Hy", "Hz"};
static const char *const     PlexKinds[]        = {"pec", "pmc", "absorbing", "incident", "scatterer"}; /* in the order of dg_boundary() */
static const PlexDGParameter PlexCoefficients[] = {
  {"epsilon", 1, {1.}},
  {"mu",      1, {1.}},
  {"sigma",   1, {0.}}
};
static const PlexDGParameter PlexConstants[] = {
  {"alpha",             1, {1.}        },
  {"direction",         3, {1., 0., 0.}},
  {"polarization",      3, {0., 0., 1.}},
  {"frequency",         1, {1.}        },
  {"current",           3, {0., 0., 0.}}, /* maxwell_current.h */
  {"current_center",    3, {0., 0., 0.}},
  {"current_radius",    1, {0.}        },
  {"current_frequency", 1, {0.}        },
  {"current_delay",     1, {0.}        },
  {"current_width",     1, {0.}        }
};

/* Where there is no current, none is computed */
static PetscErrorCode PlexDGSystemChoose_Maxwell(PlexDGSystem system, const PetscReal constants[])
{
  const PetscReal *J       = &constants[plex_dg_host[0][0]->NC];
  const PetscBool  current = (PetscBool)(J[0] != 0. || J[1] != 0. || J[2] != 0.);

  PetscFunctionBegin;
  system->source = current ? "dg/systems/maxwell_current.h" : PLEX_DG_POINTWISE;
  system->host   = current ? PlexDGMaxwellCurrentHost_Private(system->dim) : plex_dg_host[system->dim - 2];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGSystemCreate_Maxwell(PlexDGSystem system)
{
  PetscFunctionBegin;
  PLEX_DG_SYSTEM_SET(system, PlexFields, PlexKinds, PlexConstants, PlexCoefficients);
  system->choose = PlexDGSystemChoose_Maxwell;
  PetscFunctionReturn(PETSC_SUCCESS);
}
