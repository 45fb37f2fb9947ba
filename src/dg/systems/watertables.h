/* What the tables of all nonlinear systems of water begin and end with: behind dg_system.h */
static const char *const PlexFields[] = {"eta", "qx", "qy", "qz"};
/* in the order of dg_boundary() */
static const char *const PlexKinds[] = {"wall", "open", "prescribed", "elevation", "incoming", "discharge", "no_slip"};

/* clang-format off */
#define PLEX_WATER_CONSTANTS                                                                                           \
  {"gravity", 1, {9.81}}, {"elevation", 1, {0.}}, {"velocity", 3, {0., 0., 0.}}, {"frequency", 1, {0.}},               \
  {"dry", 1, {0.}}, {"shore", 1, {1e30}}
#define PLEX_WATER_LAST_CONSTANTS {"entropy", 1, {1.}}, {"viscosity", 1, {0.}}

#define PLEX_WATER_GRAVITY_BOUND {"gravity", 0., PETSC_INFINITY, PETSC_TRUE, NULL}
#define PLEX_WATER_LAST_BOUNDS                                                                                         \
  {"entropy", 0., 1., PETSC_FALSE, NULL}, {"viscosity", 0., PETSC_INFINITY, PETSC_FALSE, PlexViscosityNote}
/* clang-format on */

/* How viscosity makes a run unstable: PlexDGBound.unstable */
static const char PlexViscosityNote[] = "viscosity asks for steps like the square of an element's size over it";
