/* The tsunami model with Manning's n as a field: cuda/dg/systems/tsunami_manning.h */
#define PLEX_DG_POINTWISE "dg/systems/tsunami_manning.h"
#include <plexgpu/dg_system.h>

#define PLEX_TSUNAMI_CREATE PlexDGSystemCreate_TsunamiManning
#define PLEX_TSUNAMI_FIELD
#define PLEX_TSUNAMI_MANNING       {"manning_factor", 1, {1.}}
#define PLEX_TSUNAMI_MANNING_BOUND {"manning_factor", 0., PETSC_INFINITY, PETSC_FALSE, NULL}

#include "tsunamitables.h"
