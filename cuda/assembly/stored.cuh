// What kernels of stored coefficients have in common: C times the jets of a point, by its entries or in factors, and sums
// into a vector.
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

// D of C = w |J| P^T D P (integrate/stored.h of the library), among a kernel's arguments: an instruction reads it from the
// constant bank
struct PlexStoredPhysical {
  plex_real D[PLEX_STORED_FACTORS ? PLEX_STORED_N : 1];
};

// V = M U or M^T U of entries m(k), of copies for each of them
template <class Entry>
PLEX_DEVICE void plex_stored_entries(Entry m, const plex_real U[], plex_real V[])
{
  _Pragma("unroll")
  for (int k = 0; k < PLEX_JETS; ++k) V[k] = 0;
  _Pragma("unroll")
  for (int k = 0; k < PLEX_STORED_N; ++k) {
    const plex_real M = m(k);

    _Pragma("unroll")
    for (int first = 0; first < PLEX_JETS; first += PLEX_STORED_JETS) {
      const int i = first + plex_stored_row[k], j = first + plex_stored_column[k];

      if (!PLEX_TRANSPOSED || PLEX_SYMMETRIC) V[i] += M * U[j];
      if (PLEX_SYMMETRIC ? i != j : PLEX_TRANSPOSED) V[j] += M * U[i];
    }
  }
}

// V = C U, or C^T U; numbers of a point by c(k): entries of C, or of factors w |J| and J^-1
template <class Number>
PLEX_DEVICE void plex_stored_multiply(Number c, const PlexStoredPhysical &physical, const plex_real U[], plex_real V[])
{
#if PLEX_STORED_FACTORS
  plex_real own[PLEX_STORED_NUMBERS], G[PLEX_JETS], Y[PLEX_JETS];

  _Pragma("unroll")
  for (int k = 0; k < PLEX_STORED_NUMBERS; ++k) own[k] = c(k);
  _Pragma("unroll")
  for (int k = 0; k < PLEX_NC; ++k) _Pragma("unroll")
  for (int a = 0; a <= PLEX_DIM; ++a) {
    const plex_real *u = &U[k * (1 + PLEX_DIM)];
    plex_real        sum;

    if (!plex_stored_uses(plex_stored_in(k), a)) continue;
    if (a == 0) sum = u[0];
    else {
      sum = own[PLEX_STORED_NUMBERS > 1 ? a : 0] * u[1];
      _Pragma("unroll")
      for (int b = 1; b < PLEX_DIM && PLEX_STORED_NUMBERS > 1; ++b) sum += own[b * PLEX_DIM + a] * u[1 + b];
    }
    G[k * (1 + PLEX_DIM) + a] = sum;
  }
  plex_stored_entries([&](int k) { return physical.D[k]; }, G, Y);
  _Pragma("unroll")
  for (int k = 0; k < PLEX_JETS; ++k) Y[k] *= own[0];
  _Pragma("unroll")
  for (int k = 0; k < PLEX_NC; ++k) _Pragma("unroll")
  for (int a = 0; a <= PLEX_DIM; ++a) {
    const plex_real *y = &Y[k * (1 + PLEX_DIM)];
    plex_real        sum;

    if (!plex_stored_uses(plex_stored_back(k), a)) sum = 0;
    else if (a == 0) sum = y[0];
    else {
      sum = own[PLEX_STORED_NUMBERS > 1 ? 1 + (a - 1) * PLEX_DIM : 0] * y[1];
      _Pragma("unroll")
      for (int b = 1; b < PLEX_DIM && PLEX_STORED_NUMBERS > 1; ++b) sum += own[1 + (a - 1) * PLEX_DIM + b] * y[1 + b];
    }
    V[k * (1 + PLEX_DIM) + a] = sum;
  }
#else
  (void)physical;
  plex_stored_entries(c, U, V);
#endif
}
