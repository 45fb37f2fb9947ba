// Squares of 8 x 8 numbers in a warp's registers, products of them on tensor cores.
//
// A lane has columns c and c + 1 of row lane / 4 of a square, with c = 2 (lane % 4). This is the instruction's layout
// of accumulators. It also serves as a layout of factors: in A B^T = sum_k A[.][k] B[.][k] an instruction takes four k
// in any order, so the even ones are one step and the odd ones the other. So the result of a product can be a factor of
// the next one without exchanges between lanes.
//
// In memory a square is 64 numbers, row by row. Factors are stored in pairs, an upper and a lower square, in the order
// of the steps: [2 steps][32 lanes][upper, lower]. A lane's numbers of a pair have the same addresses in both layouts.
// So it can replace squares by factors in place, without waiting for other lanes.
#pragma once

#include "../dg/unit.cuh"

#define PLEX_HDG_SQUARE 64 // numbers

// A lane's accumulators of a pair: 0 and 1 of the upper square, 2 and 3 of the lower one
typedef double PlexHDGPair[4];

// Loads one step of a pair as a factor
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
  const double y = plex_rcp_approximate(x), e = fma(-x, y, 1.0); // y has 20 bits; the result has three times as many

  return fma(y, fma(e, e, e), y);
}

PLEX_DEVICE double plex_hdg_reciprocal_root(double x)
{
  const double y = plex_rsqrt_approximate(x), e = fma(-x * y, y, 1.0);

  return fma(fma(0.375, e, 0.5), y * e, y);
}

// Replaces z by -L^-1, where -z = L L^T is symmetric and z has both triangles; writes L to *lower unless it is NULL. If
// a pivot is not positive, numbers in its row are not finite.
//
// Eliminates two columns at a time in place, with 2 x 2 pivots D, which stay on the diagonal. To their left is the
// inverse N of the unit triangle, to their right the rest of the matrix. L^-1 is N with each pair of rows multiplied by
// the inverse of the Cholesky factor of D.
PLEX_DEVICE void plex_hdg_square_invert(double2 *z, double2 *lower)
{
  const int lane = threadIdx.x % 32, row = lane / 4, c = lane % 4, upper = 4 * (row & ~1);
  double    x = z->x, y = z->y, scale, left, right;
  /* the lane's columns of the row just before they were eliminated */
  double2 below = make_double2(0, 0);

  _Pragma("unroll")
  for (int k = 0; k < 3; ++k) {
    const double u0 = plex_lane_get(x, 8 * k + c), v0 = plex_lane_get(y, 8 * k + c),
                 u1 = plex_lane_get(x, 8 * k + 4 + c), v1 = plex_lane_get(y, 8 * k + 4 + c);
    /* lane k of a row: D is [u0 v0; u1 v1] */
    const double reciprocal = plex_hdg_reciprocal(fma(u0, v1, -v0 * u1)), factor = row > 2 * k + 1 ? reciprocal : 0;
    const double g0   = plex_lane_get(fma(y, u1, -x * v1) * factor, (lane & ~3) + k),
                 g1   = plex_lane_get(fma(x, v0, -y * u0) * factor, (lane & ~3) + k);
    const bool   here = c == k && row > 2 * k + 1;

    if (c == k) below = make_double2(x, y);
    x = here ? g0 : fma(g1, u1, fma(g0, u0, x));
    y = here ? g1 : fma(g1, v1, fma(g0, v0, y));
  }
  if (c == 3) below = make_double2(x, y);
  {
    const double d = plex_lane_get(x, upper + row / 2), e = plex_lane_get(y, upper + row / 2),
                 determinant = fma(d, plex_lane_get(y, upper + 4 + row / 2), -e * e);
    const double above0 = plex_lane_get(x, upper + c), above1 = plex_lane_get(y, upper + c);

    scale = plex_hdg_reciprocal_root(row % 2 ? -d * determinant : -d);
    left  = row % 2 ? -e * scale : -scale;
    right = row % 2 ? d * scale : 0;
    z->x  = c < row / 2 ? fma(left, above0, right * x) : c == row / 2 ? left : 0;
    z->y  = c < row / 2 ? fma(left, above1, right * y) : c == row / 2 ? right : 0;
    if (lower) {
      const double d00 = plex_lane_get(x, 9 * c), d01 = plex_lane_get(y, 9 * c);
      const double first = plex_lane_get(scale, 8 * c), second = plex_lane_get(scale, 8 * c + 4);

      lower->x = 2 * c <= row ? -below.x * first : 0;
      lower->y = 2 * c + 1 <= row ? fma(below.y, d00, -below.x * d01) * second : 0;
    }
  }
}
