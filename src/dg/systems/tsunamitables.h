/* The tables of the tsunami model, once for each system: behind dg_system.h. PLEX_TSUNAMI_MANNING, its bound
   PLEX_TSUNAMI_MANNING_BOUND: the constant of Manning's friction; PLEX_TSUNAMI_FIELD: n is a coefficient, too;
   PLEX_TSUNAMI_CREATE: the function that sets the system up */
#include "watertables.h"

static const PlexDGParameter PlexCoefficients[] = {
  {"depth",    1, {1.}},
  {"coriolis", 1, {0.}},
  {"scale",    1, {1.}},
#ifdef PLEX_TSUNAMI_FIELD
  {"manning",  1, {0.}}
#endif
};
/* clang-format off */
static const PlexDGParameter PlexConstants[] = {
  PLEX_WATER_CONSTANTS,
  {"linear",         1, {0.} },
  {"drag_linear",    1, {0.} },
  {"drag_quadratic", 1, {0.} },
  PLEX_TSUNAMI_MANNING,
  {"drag_depth",     1, {0.1}},
  {"drag_rate",      1, {0.} }, /* by default that of the time step: timestep.c */
  PLEX_WATER_LAST_CONSTANTS
};
/* clang-format on */

/* How other values than the defaults make a run unstable: PlexDGBound.unstable */
static const char PlexLinearNote[]    = "friction drag_linear damps at that rate, which the time step has to follow";
static const char PlexQuadraticNote[] = "friction drag_quadratic is stiff in thin water: see drag_depth, drag_rate";

static const PlexDGBound PlexBounds[] = {
  PLEX_WATER_GRAVITY_BOUND,
  {"linear",         0., 1.,             PETSC_FALSE, NULL             },
  {"drag_linear",    0., PETSC_INFINITY, PETSC_FALSE, PlexLinearNote   },
  {"drag_quadratic", 0., PETSC_INFINITY, PETSC_FALSE, PlexQuadraticNote},
  PLEX_TSUNAMI_MANNING_BOUND,
  {"drag_depth",     0., PETSC_INFINITY, PETSC_TRUE,  NULL             },
  {"drag_rate",      0., PETSC_INFINITY, PETSC_FALSE, NULL             },
  PLEX_WATER_LAST_BOUNDS
};

PETSC_EXTERN PetscErrorCode PLEX_TSUNAMI_CREATE(PlexDGSystem);

PetscErrorCode PLEX_TSUNAMI_CREATE(PlexDGSystem system)
{
  PetscFunctionBegin;
  PLEX_DG_SYSTEM_SET(system, PlexFields, PlexKinds, PlexConstants, PlexCoefficients);
  PLEX_DG_SYSTEM_SET_BOUNDS(system, PlexBounds);
  system->water  = PETSC_TRUE;
  system->given  = 3;
  system->shared = 5;
  system->scale  = 2;
  PetscFunctionReturn(PETSC_SUCCESS);
}
