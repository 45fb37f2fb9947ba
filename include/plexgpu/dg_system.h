/*
  The host's side of a system: loops over elements around the pointwise functions of a header, for both dimensions and precisions, so that
  the functions are inlined. In a file of C of its own:

    #define PLEX_DG_POINTWISE "dg/systems/maxwell.h"
    #include <plexgpu/dg_system.h>

  defines plex_dg_host[dim - 2][precision], and plex_dg_host[dim - 2] is what a PlexDGSystem points to. docs/dg.md says what the header has to define.
*/
#pragma once

#include <plexgpu/dg.h>
#include <tgmath.h> /* sqrt() and the like in the precision of what they are given */

#ifndef PLEX_DG_POINTWISE
  #error PLEX_DG_POINTWISE has to be the header of the pointwise functions, in quotes
#endif

#pragma GCC diagnostic ignored "-Wunused-parameter" /* of the pointwise functions, which all have the same ones */
#define PLEX_DG_FUNCTION static inline

#define PLEX_DG_NAME(name) name##_2d
#define PLEX_DIM           2
#define plex_real          double
#include <plexgpu/dg_loops.h>
#undef plex_real
#undef PLEX_DG_NAME
#define PLEX_DG_NAME(name) name##_2s
#define plex_real          float
#include <plexgpu/dg_loops.h>
#undef plex_real
#undef PLEX_DIM
#undef PLEX_DG_NAME
#define PLEX_DG_NAME(name) name##_3d
#define PLEX_DIM           3
#define plex_real          double
#include <plexgpu/dg_loops.h>
#undef plex_real
#undef PLEX_DG_NAME
#define PLEX_DG_NAME(name) name##_3s
#define plex_real          float
#include <plexgpu/dg_loops.h>
#undef plex_real
#undef PLEX_DIM
#undef PLEX_DG_NAME

static const PlexDGHost *const plex_dg_host[2][2] = {
  {&plex_dg_host_2d, &plex_dg_host_2s},
  {&plex_dg_host_3d, &plex_dg_host_3s}
};
