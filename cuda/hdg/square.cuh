// Squares of 8 x 8 numbers in a warp's registers, products of them on tensor cores.
//
// A lane holds of a square row lane / 4, columns 2 (lane % 4) and that + 1. This is how the unit holds what it sums up. It is also how factors may be held: of A B^T =
// sum_k A[.][k] B[.][k] a step takes four k in any order, so even ones are one step, odd ones the other. What one product leaves is a factor of the next one, and nothing
// moves between lanes.
//
// In memory a square is 64 numbers in rows, or, of a factor, it is one of a pair, one below the other: [2 steps][32 lanes][upper, lower], as a step takes them.
#pragma once

#include "../dg/unit.cuh"

#define PLEX_HDG_SQUARE 64 // numbers

// Of a pair as the unit sums it up: numbers 0, 1 of the upper square, 2, 3 of the lower one
typedef double PlexHDGPair[4];

// A step of a pair as a factor
PLEX_DEVICE PlexUnitA plex_hdg_pair_load(const double *pair, int step)
{
  const double2 w = *(const double2 *)(pair + step * 64 + threadIdx.x % 32 * 2);
  PlexUnitA     a = {
    {w.x, w.y}
  };

  return a;
}

PLEX_DEVICE void plex_hdg_pair_store(double *pair, const double *c)
{
  double *mine = pair + threadIdx.x % 32 * 2;

  *(double2 *)mine        = make_double2(c[0], c[2]);
  *(double2 *)(mine + 64) = make_double2(c[1], c[3]);
}

PLEX_DEVICE double2 plex_hdg_square_load(const double *square)
{
  return *(const double2 *)(square + threadIdx.x % 32 * 2);
}

PLEX_DEVICE double plex_hdg_reciprocal(double x)
{
#if defined(PLEX_EMULATE)
  return 1 / x;
#else
  double y, e; // 20 bits, then three times as many

  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  e = fma(-x, y, 1.0);
  return fma(y, fma(e, e, e), y);
#endif
}

PLEX_DEVICE double plex_hdg_reciprocal_root(double x)
{
#if defined(PLEX_EMULATE)
  return rsqrt(x);
#else
  double y, e;

  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  e = fma(-x * y, y, 1.0);
  return fma(fma(0.375, e, 0.5), y * e, y);
#endif
}

// X = L^-1 of the symmetric square z = L L^T, z all of it; where `lower` is not NULL L goes there. false in some lane: a pivot is not positive.
//
// Rows are eliminated in place: left of column k stands the unit triangle's inverse, right of it what is left of the square; pivots stay on the diagonal.
PLEX_DEVICE bool plex_hdg_square_invert(double2 *z, double2 *lower)
{
  const unsigned all  = 0xffffffffu;
  const int      lane = threadIdx.x % 32, row = lane / 4, c = lane % 4;
  double         x = z->x, y = z->y, pivot, scale, own[8] = {};

  _Pragma("unroll")
  for (int k = 0; k < 7; ++k) {
    const double mine = k % 2 ? y : x;
    const double d = __shfl_sync(all, mine, 4 * k + k / 2), below = __shfl_sync(all, mine, (lane & ~3) + k / 2);
    const double u = __shfl_sync(all, x, 4 * k + c), v = __shfl_sync(all, y, 4 * k + c);
    const double factor = row > k ? below * plex_hdg_reciprocal(d) : 0;
    const bool   here   = c == k / 2 && row > k;

    own[k] = below;
    x      = fma(-factor, u, x);
    y      = fma(-factor, v, y);
    if (k % 2) y = here ? -factor : y;
    else x = here ? -factor : x;
  }
  pivot = __shfl_sync(all, row % 2 ? y : x, 4 * row + row / 2);
  scale = plex_hdg_reciprocal_root(pivot);
  if (lower) {
    double2 l = make_double2(0, 0);

    own[7] = __shfl_sync(all, y, (lane & ~3) + 3);
    _Pragma("unroll")
    for (int k = 0; k < 8; ++k) {
      const double value = own[k] * __shfl_sync(all, scale, 4 * k);

      if (k <= row && k == 2 * c) l.x = value;
      if (k <= row && k == 2 * c + 1) l.y = value;
    }
    *lower = l;
  }
  z->x = 2 * c < row ? x * scale : 2 * c == row ? scale : 0;
  z->y = 2 * c + 1 < row ? y * scale : 2 * c + 1 == row ? scale : 0;
  return pivot > 0;
}
