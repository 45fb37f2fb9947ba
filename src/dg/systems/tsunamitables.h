/* The tables of the tsunami model, once for each system: behind dg_system.h. PLEX_TSUNAMI_MANNING, its bound
   PLEX_TSUNAMI_MANNING_BOUND: the constant of Manning's friction; PLEX_TSUNAMI_FIELD: n is a coefficient, too;
   PLEX_TSUNAMI_CREATE: the function that sets the system up */
static const char *const PlexFields[] = {"eta", "qx", "qy", "qz"};
/* in the order of dg_boundary() */
static const char *const PlexKinds[] = {"wall", "open", "prescribed", "elevation", "incoming", "discharge", "no_slip"};
static const PlexDGParameter PlexCoefficients[] = {
  {"depth",    1, {1.}},
  {"coriolis", 1, {0.}},
  {"scale",    1, {1.}},
#ifdef PLEX_TSUNAMI_FIELD
  {"manning",  1, {0.}}
#endif
};
static const PlexDGParameter PlexConstants[] = {
  {"gravity",        1, {9.81}      },
  {"elevation",      1, {0.}        },
  {"velocity",       3, {0., 0., 0.}},
  {"frequency",      1, {0.}        },
  {"dry",            1, {0.}        },
  {"shore",          1, {1e30}      },
  {"linear",         1, {0.}        },
  {"drag_linear",    1, {0.}        },
  {"drag_quadratic", 1, {0.}        },
  PLEX_TSUNAMI_MANNING,
  {"drag_depth",     1, {0.1}       },
  {"drag_rate",      1, {0.}        }, /* by default that of the time step: timestep.c */
  {"entropy",        1, {1.}        },
  {"viscosity",      1, {0.}        }
};

/* How other values than the defaults make a run unstable: PlexDGBound.unstable */
static const char PlexLinearNote[]    = "friction drag_linear damps at that rate, which the time step has to follow";
static const char PlexQuadraticNote[] = "friction drag_quadratic is stiff in thin water: see drag_depth, drag_rate";
static const char PlexViscosityNote[] = "viscosity asks for steps like the square of an element's size over it";

static const PlexDGBound PlexBounds[] = {
  {"gravity",        0., PETSC_INFINITY, PETSC_TRUE,  NULL             },
  {"linear",         0., 1.,             PETSC_FALSE, NULL             },
  {"drag_linear",    0., PETSC_INFINITY, PETSC_FALSE, PlexLinearNote   },
  {"drag_quadratic", 0., PETSC_INFINITY, PETSC_FALSE, PlexQuadraticNote},
  PLEX_TSUNAMI_MANNING_BOUND,
  {"drag_depth",     0., PETSC_INFINITY, PETSC_TRUE,  NULL             },
  {"drag_rate",      0., PETSC_INFINITY, PETSC_FALSE, NULL             },
  {"entropy",        0., 1.,             PETSC_FALSE, NULL             },
  {"viscosity",      0., PETSC_INFINITY, PETSC_FALSE, PlexViscosityNote}
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
