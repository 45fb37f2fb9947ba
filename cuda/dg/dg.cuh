// What every kernel of a nodal DG operator starts from. Sizes and tables come from PlexDGCompile(),
// src/dg/core/compile.c:
//
//   PLEX_DIM, PLEX_SINGLE, PLEX_DG_DEGREE, PLEX_DG_NP nodes an element, PLEX_DG_NFP nodes a face, PLEX_DG_FACES,
//       PLEX_DG_TURNS
//   plex_dg_face_nodes[PLEX_DG_FACES][PLEX_DG_NFP], plex_dg_turn[PLEX_DG_TURNS][PLEX_DG_NFP],
//       plex_dg_lambda[PLEX_DG_NP][PLEX_DIM + 1]
//
// and PLEX_DG_NF fields, PLEX_DG_NK coefficients, PLEX_DG_NC constants from the system's header, which comes behind
// this.
#pragma once

#include "../plex.cuh"
#include "dg_args.h"
#include "roots.cuh"

#define PLEX_DG_FUNCTION   static __device__ __forceinline__
#define PLEX_DG_NAME(name) name

#define PLEX_DG_RECIPROCAL(x) plex_reciprocal(x)

// Whether constant i is positive: PLEX_DG_POSITIVE, where it is defined, are those of which that is known
#ifdef PLEX_DG_POSITIVE
  #define PLEX_DG_IS_POSITIVE(c, i) ((PLEX_DG_POSITIVE >> (i) & 1u) || (c)[i] > 0)
#endif

#define PLEX_DG_ROOT(x) plex_root(x)

#define PLEX_DG_INVERSE_CUBE_ROOT(x) plex_inverse_cube_root(x)

// Scaled outward normal of face f: n[DIM] of length 1, and its length before, Fscale
PLEX_DEVICE plex_real plex_dg_normal(const plex_real *rx, int f, plex_real *n)
{
  plex_real scale = 0;

  for (int d = 0; d < PLEX_DIM; ++d) {
    plex_real sum = 0;

    for (int a = 0; a < PLEX_DIM; ++a) sum += f == PLEX_DIM ? rx[a * PLEX_DIM + d] : f == a ? -rx[a * PLEX_DIM + d] : 0;
    n[d] = sum;
    scale += sum * sum;
  }
  scale = sqrt(scale);
  for (int d = 0; d < PLEX_DIM; ++d) n[d] *= 1 / scale;
  return scale;
}

// What lies across a face
struct PlexDGAcross {
  const void *u;      // the other element's state, or the received trace, which is plex_real; NULL: boundary
  plex_index  stride; // between fields
  int         face;   // of the other element; PLEX_DG_FACES: a received trace
  int         turn;
  int         element; // whose coefficients
  int         facet;   // of the boundary; -1: none

  // Value `at` of them
  __device__ __forceinline__ plex_real get(plex_index at) const
  {
    return face < PLEX_DG_FACES ? (plex_real)((const double *)u)[at] : ((const plex_real *)u)[at];
  }
};
PLEX_DEVICE PlexDGAcross plex_dg_across(const PlexDGArgs &args, int e, int f, int fields)
{
  const int    link = args.links[(plex_index)e * PLEX_DG_FACES + f], trace = link / PLEX_DG_TURNS,
               own = args.Ne * PLEX_DG_FACES;
  PlexDGAcross a;

  a.facet = -1;
  if (link < 0) {
    a.u       = NULL;
    a.stride  = 0;
    a.face    = 0;
    a.turn    = 0;
    a.element = e;
    a.facet   = -link - 1;
  } else if (trace < own) {
    a.element = trace / PLEX_DG_FACES;
    a.face    = trace % PLEX_DG_FACES;
    a.turn    = link % PLEX_DG_TURNS;
    a.stride  = PLEX_DG_NP;
    a.u       = args.u + (plex_index)a.element * fields * PLEX_DG_NP;
  } else {
    a.element = args.Ne + trace - own;
    a.face    = PLEX_DG_FACES;
    a.turn    = link % PLEX_DG_TURNS;
    a.stride  = PLEX_DG_NFP;
    a.u       = (const plex_real *)args.ghosts + (plex_index)(trace - own) * fields * PLEX_DG_NFP;
  }
  return a;
}
