/* Maxwell's equations in linear, isotropic media: cuda/dg/systems/maxwell.h */
#define PLEX_DG_POINTWISE "dg/systems/maxwell.h"
#include <plexgpu/dg_system.h>
#include "systemsimpl.h"

static const char *const PlexFields[] = {"Ex", "Ey", "Ez", "Hx", "Hy", "Hz"};
/* in the order of dg_boundary() */
static const char *const PlexKinds[] = {"pec", "pmc", "absorbing", "incident", "scatterer", "impedance", "conductor"};
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
  {"wave_phase",        1, {0.}        }, /* maxwell_pulse.h */
  {"wave_delay",        1, {0.}        },
  {"wave_width",        1, {0.}        },
  {"wave_ramp",         1, {0.}        },
  {"current",           3, {0., 0., 0.}}, /* maxwell_current.h */
  {"current_center",    3, {0., 0., 0.}},
  {"current_radius",    1, {0.}        },
  {"current_frequency", 1, {0.}        },
  {"current_delay",     1, {0.}        },
  {"current_width",     1, {0.}        }
};

static const char *const PlexAmplitudes[] = {"polarization", "current", NULL};

/* How other values than the defaults make a run unstable: PlexDGBound.unstable */
static const char PlexAlpha[] = "a flux with alpha less than 1 damps what is not resolved less, or not at all";
static const char
  PlexSigma[] = "conductivity sigma damps at the rate sigma/epsilon, which the time step has to follow "
                "unless the method takes it exactly, as -ts_type lowstorage does with its default scheme";

static const PlexDGBound PlexBounds[] = {
  {"epsilon",        0., PETSC_INFINITY, PETSC_TRUE,  NULL     },
  {"mu",             0., PETSC_INFINITY, PETSC_TRUE,  NULL     },
  {"sigma",          0., PETSC_INFINITY, PETSC_FALSE, PlexSigma},
  {"alpha",          0., 1.,             PETSC_FALSE, PlexAlpha},
  {"wave_width",     0., PETSC_INFINITY, PETSC_FALSE, NULL     },
  {"wave_ramp",      0., PETSC_INFINITY, PETSC_FALSE, NULL     },
  {"current_radius", 0., PETSC_INFINITY, PETSC_FALSE, NULL     },
  {"current_width",  0., PETSC_INFINITY, PETSC_FALSE, NULL     }
};

/* Where there is no current, none is computed, where the wave is a cosine no more than that, and without resistances
   kernels know of none */
static PetscErrorCode PlexDGSystemChoose_Maxwell(PlexDGSystem system, const PetscReal constants[])
{
  const PetscReal *wave = &constants[plex_dg_host[0][0]->NC], *J = &wave[4];
  const PetscBool  current = (PetscBool)(J[0] != 0. || J[1] != 0. || J[2] != 0.),
                   pulse   = (PetscBool)(wave[0] != 0. || wave[1] != 0. || wave[2] != 0. || wave[3] != 0.);

  PetscFunctionBegin;
  /* here, as a system with a header of its own, which leaves this out, may have others */
  system->amplitudes = PlexAmplitudes;
  if (system->nresistances) {
    system->source = current ? "dg/systems/maxwell_impedance_current.h" : "dg/systems/maxwell_impedance.h";
    system->host   = current ? PlexDGMaxwellImpedanceCurrentHost_Private(system->dim)
                             : PlexDGMaxwellImpedanceHost_Private(system->dim);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  system->source = current ? "dg/systems/maxwell_current.h" : pulse ? "dg/systems/maxwell_pulse.h" : PLEX_DG_POINTWISE;
  system->host   = current ? PlexDGMaxwellCurrentHost_Private(system->dim)
                 : pulse   ? PlexDGMaxwellPulseHost_Private(system->dim)
                           : plex_dg_host[system->dim - 2];
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define PLEX_DG_WAVE 1e-5 /* what numbers of six digits may be off */

/* The incident wave, where a boundary has it: along a unit vector, of the plane in two dimensions, and transverse */
static PetscErrorCode PlexDGSystemCheck_Maxwell(PlexDG dg, const PetscInt facets[])
{
  MPI_Comm         comm = PetscObjectComm((PetscObject)dg);
  const PetscReal *d = &dg->constants[1], *P = &dg->constants[4];
  const PetscReal  length = PetscSqrtReal(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]),
                   size   = PetscSqrtReal(P[0] * P[0] + P[1] * P[1] + P[2] * P[2]),
                   along  = d[0] * P[0] + d[1] * P[1] + d[2] * P[2];

  PetscFunctionBegin;
  if (!facets[3] && !facets[4] && !dg->totalLabel) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(length > 0., comm, PETSC_ERR_ARG_OUTOFRANGE,
             "The incident wave of %" PetscInt_FMT " facets%s goes nowhere: -plex_dg_direction is (%g, %g, %g)",
             facets[3] + facets[4], dg->totalLabel ? " and a total field" : "", (double)d[0], (double)d[1],
             (double)d[2]);
  PetscCheck(PetscAbsReal(length - 1.) <= PLEX_DG_WAVE, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "The direction of the incident wave is (%g, %g, %g), of length %g, and has to be a unit vector, else the "
             "wave has not the speed of the material: use -plex_dg_direction %.9g,%.9g,%.9g",
             (double)d[0], (double)d[1], (double)d[2], (double)length, (double)(d[0] / length), (double)(d[1] / length),
             (double)(d[2] / length));
  PetscCheck(dg->system->dim == 3 || PetscAbsReal(d[2]) <= PLEX_DG_WAVE, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "The incident wave goes along (%g, %g, %g), and in two dimensions nothing depends on z: "
             "-plex_dg_direction has to be in the plane",
             (double)d[0], (double)d[1], (double)d[2]);
  PetscCheck(size > 0., comm, PETSC_ERR_ARG_OUTOFRANGE,
             "The incident wave of %" PetscInt_FMT " facets is zero: see -plex_dg_polarization", facets[3] + facets[4]);
  PetscCheck(PetscAbsReal(along) <= PLEX_DG_WAVE * size, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "The incident wave has polarization (%g, %g, %g), which is not at right angles to its direction (%g, %g, "
             "%g): use -plex_dg_polarization %.9g,%.9g,%.9g, or another direction",
             (double)P[0], (double)P[1], (double)P[2], (double)d[0], (double)d[1], (double)d[2],
             (double)(P[0] - along * d[0]), (double)(P[1] - along * d[1]), (double)(P[2] - along * d[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGSystemCreate_Maxwell(PlexDGSystem system)
{
  PetscFunctionBegin;
  PLEX_DG_SYSTEM_SET(system, PlexFields, PlexKinds, PlexConstants, PlexCoefficients);
  PLEX_DG_SYSTEM_SET_BOUNDS(system, PlexBounds);
  system->electric    = 3;
  system->linear      = PETSC_TRUE;
  system->homogeneous = 39u; /* pec, pmc, absorbing, impedance */
  system->resistive   = 5;
  system->conducting  = 6;
  system->check       = PlexDGSystemCheck_Maxwell;
  system->choose      = PlexDGSystemChoose_Maxwell;
  PetscFunctionReturn(PETSC_SUCCESS);
}
