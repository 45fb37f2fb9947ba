/* Elastic waves in linear, isotropic media, fluids among them: cuda/dg/systems/elastic.h */
#define PLEX_DG_POINTWISE "dg/systems/elastic.h"
#include <plexgpu/dg_system.h>

static const char *const     PlexFields2[] = {"vx", "vy", "sxx", "syy", "sxy"};
static const char *const     PlexFields3[] = {"vx", "vy", "vz", "sxx", "syy", "szz", "sxy", "sxz", "syz"};
static const char *const     PlexKinds[]   = {"free", "wall", "roller", "absorbing", "incident"}; /* of dg_boundary() */
static const PlexDGParameter PlexCoefficients[] = {
  {"rho", 1, {1.} },
  {"cp",  1, {1.} },
  {"cs",  1, {0.5}}
};
static const PlexDGParameter PlexConstants[] = {
  {"alpha",        1, {1.}        },
  {"direction",    3, {1., 0., 0.}},
  {"polarization", 3, {1., 0., 0.}},
  {"frequency",    1, {1.}        }
};

static const char *const PlexAmplitudes[] = {"polarization", NULL};

/* How other values than the defaults make a run unstable: PlexDGBound.unstable */
static const char PlexAlphaNote[] = "a flux with alpha less than 1 damps what is not resolved less, or not at all";

static const PlexDGBound PlexBounds[] = {
  {"rho",   0., PETSC_INFINITY, PETSC_TRUE,  NULL         },
  {"cp",    0., PETSC_INFINITY, PETSC_TRUE,  NULL         },
  {"cs",    0., PETSC_INFINITY, PETSC_FALSE, NULL         },
  {"alpha", 0., 1.,             PETSC_FALSE, PlexAlphaNote}
};

/* Energy is positive where lambda + 2 mu/dim is: cp^2 > (2 - 2/dim) cs^2 */
static PetscErrorCode PlexDGSystemCheckElement_Elastic(PlexDGSystem system, const PetscReal k[], size_t size,
                                                       char wrong[])
{
  const PetscReal ratio = PetscSqrtReal(2. - 2. / system->dim);

  PetscFunctionBegin;
  if (k[1] > ratio * k[2]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(wrong, size,
                          "speeds cp %g of P waves and cs %g of S waves, and with cp at most %s cs the medium yields "
                          "energy when it is compressed: cs has to be less than %g",
                          (double)k[1], (double)k[2], system->dim == 2 ? "1" : "sqrt(4/3)", (double)(k[1] / ratio)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define PLEX_DG_WAVE 1e-5 /* what numbers of six digits may be off */

/* The incident wave, where a boundary has it: along a unit vector and, in two dimensions, in the plane */
static PetscErrorCode PlexDGSystemCheck_Elastic(PlexDG dg, const PetscInt facets[])
{
  MPI_Comm         comm = PetscObjectComm((PetscObject)dg);
  const PetscReal *d = &dg->constants[1], *P = &dg->constants[4];
  const PetscReal  length = PetscSqrtReal(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]),
                   size   = PetscSqrtReal(P[0] * P[0] + P[1] * P[1] + P[2] * P[2]);

  PetscFunctionBegin;
  if (!facets[4]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(length > 0., comm, PETSC_ERR_ARG_OUTOFRANGE,
             "The incident wave of %" PetscInt_FMT " facets goes nowhere: -plex_dg_direction is (%g, %g, %g)",
             facets[4], (double)d[0], (double)d[1], (double)d[2]);
  PetscCheck(PetscAbsReal(length - 1.) <= PLEX_DG_WAVE, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "The direction of the incident wave is (%g, %g, %g), of length %g, and has to be a unit vector, else the "
             "wave has not the speed of the material: use -plex_dg_direction %.9g,%.9g,%.9g",
             (double)d[0], (double)d[1], (double)d[2], (double)length, (double)(d[0] / length), (double)(d[1] / length),
             (double)(d[2] / length));
  PetscCheck(dg->system->dim == 3 || (PetscAbsReal(d[2]) <= PLEX_DG_WAVE && PetscAbsReal(P[2]) <= PLEX_DG_WAVE * size),
             comm, PETSC_ERR_ARG_OUTOFRANGE,
             "The incident wave goes along (%g, %g, %g) with polarization (%g, %g, %g), and in two dimensions nothing "
             "moves along z: -plex_dg_direction and -plex_dg_polarization have to be in the plane",
             (double)d[0], (double)d[1], (double)d[2], (double)P[0], (double)P[1], (double)P[2]);
  PetscCheck(size > 0., comm, PETSC_ERR_ARG_OUTOFRANGE,
             "The incident wave of %" PetscInt_FMT " facets is zero: see -plex_dg_polarization", facets[4]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PETSC_EXTERN PetscErrorCode PlexDGSystemCreate_Elastic(PlexDGSystem);

PetscErrorCode PlexDGSystemCreate_Elastic(PlexDGSystem system)
{
  PetscFunctionBegin;
  PLEX_DG_SYSTEM_SET(system, system->dim == 2 ? PlexFields2 : PlexFields3, PlexKinds, PlexConstants, PlexCoefficients);
  PLEX_DG_SYSTEM_SET_BOUNDS(system, PlexBounds);
  system->linear       = PETSC_TRUE;
  system->homogeneous  = 15u; /* free, wall, roller, absorbing */
  system->amplitudes   = PlexAmplitudes;
  system->check        = PlexDGSystemCheck_Elastic;
  system->checkelement = PlexDGSystemCheckElement_Elastic;
  PetscFunctionReturn(PETSC_SUCCESS);
}
