/* The problem of examples/unmodified/rocks.hh, for programs in C: its fields, and functions that have the names of its
   pointwise functions and compute nothing */
#pragma once

#include <petscdmplex.h>

#define PLEX_TEST_ROCKS PLEXGPU_EXAMPLES_DIR "/unmodified/rocks.hh"

PetscErrorCode PlexTestRocksCreate(PetscInt dim, DM *dm);
