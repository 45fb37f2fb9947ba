/*
  The host's side of a system: loops over elements around the pointwise functions of a header, for both dimensions and precisions, so that
  the functions are inlined. In a file of C of its own:

    #define PLEX_DG_POINTWISE "dg/systems/maxwell.h"
    #include <plexgpu/dg_system.h>

  defines plex_dg_host[dim - 2][precision], and plex_dg_host[dim - 2] is what a PlexDGSystem points to. docs/dg.md says what the header has
  to define. Compile with -O3 -fno-math-errno: else roots keep loops out of vector registers.
*/
#pragma once

#include <plexgpu/dg.h>
#include <tgmath.h> /* sqrt() and the like in the precision of what they are given */

#ifndef PLEX_DG_POINTWISE
  #error PLEX_DG_POINTWISE has to be the header of the pointwise functions, in quotes
#endif

#pragma GCC diagnostic ignored "-Wunused-parameter" /* of the pointwise functions, which all have the same ones */
#define PLEX_DG_FUNCTION static inline __attribute__((always_inline))

/* Loops for the vector registers that the processor has, chosen when the program starts */
#if defined(__x86_64__) && defined(__GNUC__) && __GNUC__ >= 12 && !defined(__clang__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  #define PLEX_DG_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
  #define PLEX_DG_CLONES
#endif
#define PLEX_DG_MAX_FACE_NODES 55 /* degree 9 */

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
