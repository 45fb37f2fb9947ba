// What kernels of stored coefficients have in common: C times the jets of a point, and sums into a vector.
#pragma once

#include "plex.cuh"
#include "assembly/stored_args.h"

#define PLEX_JETS (PLEX_NC * (1 + PLEX_DIM))
// Those that C has: of one component where it serves all of them, else of all
#define PLEX_STORED_JETS (PLEX_STORED_COPIES > 1 ? 1 + PLEX_DIM : PLEX_JETS)

// v at a target
PLEX_DEVICE plex_real plex_stored_load(const PlexStoredArgs &args, int target)
{
#if PLEX_STORED_GLOBAL
  if (target < 0) return 0;
#endif
  return (plex_real)args.v[target];
}

// Sums into a target: no element of a colour shares a dof with another one
PLEX_DEVICE void plex_stored_add(const PlexStoredArgs &args, int target, plex_real v)
{
#if PLEX_STORED_GLOBAL
  if (target < 0) return;
#endif
#if PLEX_ATOMIC
  atomicAdd(&args.F[target], (double)v);
#else
  args.F[target] += (double)v;
#endif
}

// Part a of the jets of component k, where they are used: bit 0 values, bit 1 gradients
PLEX_DEVICE constexpr bool plex_stored_uses(int parts, int a)
{
  return (parts & (a ? 2 : 1)) != 0;
}

// V = C U, or C^T U; C of a point by c(k), of copies for each of them
template <class Coefficient>
PLEX_DEVICE void plex_stored_multiply(Coefficient c, const plex_real U[], plex_real V[])
{
  _Pragma("unroll")
  for (int k = 0; k < PLEX_JETS; ++k) V[k] = 0;
  _Pragma("unroll")
  for (int k = 0; k < PLEX_STORED_N; ++k) {
    const plex_real C = c(k);

    _Pragma("unroll")
    for (int first = 0; first < PLEX_JETS; first += PLEX_STORED_JETS) {
      const int i = first + plex_stored_row[k], j = first + plex_stored_column[k];

      if (!PLEX_TRANSPOSED || PLEX_SYMMETRIC) V[i] += C * U[j];
      if (PLEX_SYMMETRIC ? i != j : PLEX_TRANSPOSED) V[j] += C * U[i];
    }
  }
}
