/* Shallow water with what an ocean asks for: cuda/dg/systems/tsunami.h */
#define PLEX_DG_POINTWISE "dg/systems/tsunami.h"
#include <plexgpu/dg_system.h>

#define PLEX_TSUNAMI_CREATE        PlexDGSystemCreate_Tsunami
#define PLEX_TSUNAMI_MANNING       {"manning", 1, {0.}}
#define PLEX_TSUNAMI_MANNING_BOUND {"manning", 0., PETSC_INFINITY, PETSC_FALSE, PlexManningNote}

static const char PlexManningNote[] = "friction by manning is stiff in thin water: see drag_depth, drag_rate";

#include "tsunamitables.h"
