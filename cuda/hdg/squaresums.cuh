// S and R^T of affine elements, of all elements of a block, as sums of the reference element's matrices: the first half
// of squarecondense.cu.
//
//   S = sum_c a_c S_c,     R^T = sum_c b_c R^T_c
//
// The matrices S_c and R^T_c are those of the reference element, the coefficients a_c and b_c those of an element. So
// this is a product [entries][c] [c][elements] on tensor cores. It writes -S and -R^T of all elements to shared memory,
// and reads 8 bytes times c for each entry, once a block. An instruction has 16 entries, a row of two adjacent squares,
// and eight elements.
#pragma once

#include "squarenumbers.cuh"

#define PLEX_HDG_TILES ((PLEX_HDG_TEAMS + 7) / 8) // elements, eight of each
static_assert(PLEX_HDG_SQUARE * PLEX_HDG_SQUARES_ALL + PLEX_HDG_TURNED <= PLEX_HDG_WORK, "workspace");

// Coefficients are prefetched to the L2 cache this many elements ahead, more than run at the same time
#define PLEX_HDG_AHEAD 2048

// Writes an entry of the lane's two elements of tile h
PLEX_DEVICE void plex_hdg_put(double *to, int h, double x, double y)
{
  const int first = 8 * h + (int)threadIdx.x % 4 * 2;

  if (first < PLEX_HDG_TEAMS) to[8 * h * PLEX_HDG_WORK] = x;
  if (first + 1 < PLEX_HDG_TEAMS) to[(8 * h + 1) * PLEX_HDG_WORK] = y;
}

// Computes a row of squares 2 p and, if `both`, 2 p + 1 of all elements: the product of table a and coefficients b.
// first, second: where the rows begin in memory
template <int steps>
PLEX_DEVICE void plex_hdg_sum(const PlexUnitA *a, const PlexUnitB (*b)[steps], double *to, int first, int second,
                              bool both)
{
  _Pragma("unroll")
  for (int h = 0; h < PLEX_HDG_TILES; ++h) {
    double sum[4] = {};

    _Pragma("unroll")
    for (int s = 0; s < steps; ++s) plex_unit_add(sum, a[s], b[h][s]);
    plex_hdg_put(to + first, h, sum[0], sum[1]);
    if (both) plex_hdg_put(to + second, h, sum[2], sum[3]);
  }
}

// A row of S, or of R^T below it, in the tables: all its pairs of squares
struct PlexHDGRow {
  PlexUnitA a[(PLEX_HDG_SQUARES_S + 1) / 2][PLEX_HDG_STEPS];
};

PLEX_DEVICE void plex_hdg_row_get(const PlexHDGArgs &args, int row, PlexHDGRow *t)
{
  constexpr int pairs = (PLEX_HDG_SQUARES_S + 1) / 2;
  const int     lane  = threadIdx.x % 32;

  if (row < 8 * PLEX_HDG_SQUARES_S) {
    const double *table = args.squareS + (row * pairs * PLEX_HDG_STEPS * 32 + lane) * 2;

    _Pragma("unroll")
    for (int p = 0; p < pairs; ++p) {
      if (2 * p > row / 8) break;
      _Pragma("unroll")
      for (int s = 0; s < PLEX_HDG_STEPS; ++s) t->a[p][s] = plex_unit_get_pair(table + (p * PLEX_HDG_STEPS + s) * 64);
    }
  } else if (row < 8 * PLEX_HDG_SQUARES) {
    const double *table = args.squareR + ((row - 8 * PLEX_HDG_SQUARES_S) * pairs * 32 + lane) * 2;

    _Pragma("unroll")
    for (int p = 0; p < pairs; ++p) t->a[p][0] = plex_unit_get_pair(table + p * 64);
  }
}

// Computes a row of all elements; b: coefficients of S; r: of R^T, of each face
PLEX_DEVICE void plex_hdg_row_put(int row, const PlexHDGRow                    &t, const PlexUnitB (*b)[PLEX_HDG_STEPS],
                                  const PlexUnitB (*r)[PLEX_HDG_FACES], double *to)
{
  constexpr int pairs = (PLEX_HDG_SQUARES_S + 1) / 2;

  if (row < 8 * PLEX_HDG_SQUARES_S) {
    _Pragma("unroll")
    for (int p = 0; p < pairs; ++p) {
      if (2 * p > row / 8) break;
      plex_hdg_sum<PLEX_HDG_STEPS>(t.a[p], b, to, plex_hdg_column(2 * p) - 2 * p * PLEX_HDG_SQUARE + row * 8,
                                   plex_hdg_column(2 * p + 1) - (2 * p + 1) * PLEX_HDG_SQUARE + row * 8,
                                   2 * p < row / 8);
    }
  } else if (row < 8 * PLEX_HDG_SQUARES) {
    const int f = plex_hdg_face(row - 8 * PLEX_HDG_SQUARES_S);
    PlexUnitB w[PLEX_HDG_TILES][1];

    _Pragma("unroll")
    for (int h = 0; h < PLEX_HDG_TILES; ++h) {
      w[h][0] = r[h][0];
      _Pragma("unroll")
      for (int k = 1; k < PLEX_HDG_FACES; ++k) w[h][0] = f == k ? r[h][k] : w[h][0];
    }
    _Pragma("unroll")
    for (int p = 0; p < pairs; ++p)
      plex_hdg_sum<1>(t.a[p], w, to, plex_hdg_column(2 * p) - 2 * p * PLEX_HDG_SQUARE + row * 8,
                      plex_hdg_column(2 * p + 1) - (2 * p + 1) * PLEX_HDG_SQUARE + row * 8,
                      2 * p + 1 < PLEX_HDG_SQUARES_S);
  }
}

// -S of all elements of the block, and -R^T of unturned faces below. A warp computes a row at a time, while it loads the tables of the
// next two rows. It prefetches the coefficients of a later block
PLEX_DEVICE void plex_hdg_squares(const PlexHDGArgs &args, double *shared)
{
  constexpr int lambda = PLEX_HDG_NAB + PLEX_HDG_FACES, depth = 3; // lambda: index of coefficient det
  const int     lane = threadIdx.x % 32, c = lane % 4, first = threadIdx.x / 32,
                begin = args.begin + (int)blockIdx.x * PLEX_HDG_TEAMS;
  /* of element lane / 4 of each tile */
  PlexUnitB  b[PLEX_HDG_TILES][PLEX_HDG_STEPS], r[PLEX_HDG_TILES][PLEX_HDG_FACES];
  double    *to = shared + 2 * c * PLEX_HDG_WORK + lane / 4;
  PlexHDGRow t[depth];

  _Pragma("unroll")
  for (int d = 0; d < depth - 1; ++d) plex_hdg_row_get(args, first + d * PLEX_HDG_TEAMS, t + d);
  _Pragma("unroll")
  for (int h = 0; h < PLEX_HDG_TILES; ++h) {
    const int e = min(begin + min(lane / 4 + 8 * h, PLEX_HDG_TEAMS - 1), args.end - 1), at = (unsigned)e % 8;
    const PlexHDGNumbers *g = (const PlexHDGNumbers *)args.numbers + (unsigned)e / 8;

    _Pragma("unroll")
    for (int s = 0; s < PLEX_HDG_STEPS; ++s) b[h][s] = g->S[at][c][s];
    _Pragma("unroll")
    for (int f = 0; f < PLEX_HDG_FACES; ++f) r[h][f] = g->R[f][at][c];
    if (c == lambda % PLEX_UNIT_K) b[h][lambda / PLEX_UNIT_K] *= args.reaction[e] + args.shift;
  }
  if (first == 0 && begin + PLEX_HDG_AHEAD + PLEX_HDG_TEAMS <= args.end) {
    const PlexHDGNumbers *g = (const PlexHDGNumbers *)args.numbers + (unsigned)(begin + PLEX_HDG_AHEAD) / 8;

    for (int k = lane * 64; k < (int)sizeof(PlexHDGNumbers); k += 32 * 64) plex_prefetch_L2((const char *)g + k);
    if (lane == 31) plex_prefetch_L2(args.reaction + begin + PLEX_HDG_AHEAD);
    if (lane == 30) plex_prefetch_L2(args.turns + (plex_index)(begin + PLEX_HDG_AHEAD) * PLEX_HDG_FACES);
  }
  for (int row = first; row < 8 * PLEX_HDG_SQUARES; row += depth * PLEX_HDG_TEAMS) {
    _Pragma("unroll")
    for (int d = 0; d < depth; ++d) {
      plex_hdg_row_get(args, row + (d + depth - 1) * PLEX_HDG_TEAMS, t + (d + depth - 1) % depth);
      plex_hdg_row_put(row + d * PLEX_HDG_TEAMS, t[d], b, r, to);
    }
  }
}
