/*
  The host's side of a system: loops over elements around the pointwise functions of a header, for both dimensions and
  precisions, so that the functions are inlined. In a file of C of its own:

    #define PLEX_DG_POINTWISE "dg/systems/maxwell.h"
    #include <plexgpu/dg_system.h>

  defines plex_dg_host[dim - 2][precision], and plex_dg_host[dim - 2] is what a PlexDGSystem points to;
  PLEX_DG_SYSTEM_SET() fills such a system in. docs/dgsystem.md says what the header has to define. Compile with -O3
  -fno-math-errno: else roots keep loops out of vector registers.

  PLEX_DG_ONLY, 2 or 3, before the include: the header is of this dimension alone. A mesh of the other one is then an
  error.
*/
#pragma once

#include <plexgpu/private/dgimpl.h>
#include <tgmath.h> /* sqrt() and the like in the precision of what they are given */

#ifndef PLEX_DG_POINTWISE
  #error PLEX_DG_POINTWISE has to be the header of the pointwise functions, in quotes
#endif

#pragma GCC diagnostic ignored "-Wunused-parameter" /* of the pointwise functions, which all have the same ones */
#define PLEX_DG_FUNCTION static inline __attribute__((always_inline))
#define PLEX_DG_DRIVEN \
  1 /* kernels: only where boundaries have values in time, so that others need no registers for it */

/* Loops for the vector registers that the processor has, chosen when the program starts */
#if defined(__x86_64__) && defined(__GNUC__) && __GNUC__ >= 12 && !defined(__clang__) && defined(__gnu_linux__) && \
  !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  #define PLEX_DG_CLONES __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
  #define PLEX_DG_CLONES
#endif
#define PLEX_DG_MAX_FACE_NODES 55                           /* degree 9 */
#define PLEX_DG_MAX_NODES      (PLEX_DIM == 2 ? 121 : 1331) /* degree 10 */

#if !defined(PLEX_DG_ONLY) || PLEX_DG_ONLY == 2
  #define PLEX_DG_NAME(name) name##_2d
  #define PLEX_DIM           2
  #define plex_real          double
  #define PLEX_DG_DOUBLE
  #include <plexgpu/dg_loops.h>
  #undef PLEX_DG_DOUBLE
  #undef plex_real
  #undef PLEX_DG_NAME
  #define PLEX_DG_NAME(name) name##_2s
  #define plex_real          float
  #include <plexgpu/dg_loops.h>
  #undef plex_real
  #undef PLEX_DIM
  #undef PLEX_DG_NAME
  #define PLEX_DG_HOST_2 &plex_dg_host_2d, &plex_dg_host_2s
#else
  #define PLEX_DG_HOST_2 NULL, NULL
#endif
#if !defined(PLEX_DG_ONLY) || PLEX_DG_ONLY == 3
  #define PLEX_DG_NAME(name) name##_3d
  #define PLEX_DIM           3
  #define plex_real          double
  #define PLEX_DG_DOUBLE
  #include <plexgpu/dg_loops.h>
  #undef PLEX_DG_DOUBLE
  #undef plex_real
  #undef PLEX_DG_NAME
  #define PLEX_DG_NAME(name) name##_3s
  #define plex_real          float
  #include <plexgpu/dg_loops.h>
  #undef plex_real
  #undef PLEX_DIM
  #undef PLEX_DG_NAME
  #define PLEX_DG_HOST_3 &plex_dg_host_3d, &plex_dg_host_3s
#else
  #define PLEX_DG_HOST_3 NULL, NULL
#endif

static const PlexDGHost *const plex_dg_host[2][2] = {{PLEX_DG_HOST_2}, {PLEX_DG_HOST_3}};

/* In the place of an array of which a system has nothing */
static const PlexDGParameter PLEX_DG_NONE[0] __attribute__((unused));

static inline void plex_dg_system_set(PlexDGSystem system, const char base[], const char *const fields[],
                                      const char *const kinds[], const PlexDGParameter *constants,
                                      const PlexDGParameter *coefficients)
{
  system->fields       = fields;
  system->kinds        = kinds;
  system->constants    = constants;
  system->coefficients = coefficients;
  system->source       = PLEX_DG_POINTWISE;
  system->base         = base;
  system->host         = plex_dg_host[system->dim - 2];
  system->Nf           = system->host[0] ? system->host[0]->Nf : 0;
}

/* What the numbers of the system have to be, an array of PlexDGBound */
#define PLEX_DG_SYSTEM_SET_BOUNDS(system, array) \
  do { \
    (system)->nbounds = PETSC_STATIC_ARRAY_LENGTH(array); \
    (system)->bounds  = (array); \
  } while (0)

/* Fills in a PlexDGSystem: names of its fields, names of the kinds of boundaries in the order of dg_boundary(),
   constants and coefficients in the order in which the header reads them, of type PlexDGParameter. They are static
   arrays, or PLEX_DG_NONE; further members are set behind this */
#define PLEX_DG_SYSTEM_SET(system, fields, kinds, constants, coefficients) \
  do { \
    (system)->nkinds        = PETSC_STATIC_ARRAY_LENGTH(kinds); \
    (system)->nconstants    = PETSC_STATIC_ARRAY_LENGTH(constants); \
    (system)->ncoefficients = PETSC_STATIC_ARRAY_LENGTH(coefficients); \
    plex_dg_system_set(system, __FILE__, fields, kinds, constants, coefficients); \
  } while (0)
