// global_row where the element data lie element by element, PLEX_ND numbers each, a half of a symmetric form's: how the first kernel writes them, and the second
// kernel, which sums rows. Either half of an element matrix is read from the same numbers, most of them from the L1 cache: a block has rows that lie together in the
// mesh. Sums are in registers (seats.cuh) or in shared memory (here).
#pragma once

#include "assembly/packed_args.h"
#include "assembly/seats.cuh"

// ---- Writes: 32 elements of a warp, from the threads that have their numbers

// Number k of a lane in the warp's part of shared memory: half a warp meets in no bank, nor does it where it reads those of two lanes
PLEX_DEVICE int plex_packed_stage(int lane, int k)
{
  return lane * PLEX_PACKED_CHUNK + (k ^ lane / 2 % PLEX_PACKED_CHUNK);
}

// v[PLEX_PACKED_CHUNK] of each lane's element to `to`, where they belong in the first lane's; stage: [32 PLEX_PACKED_CHUNK]
PLEX_DEVICE void plex_packed_put(plex_real *stage, const plex_real v[], plex_real *to)
{
  constexpr int per  = 32 / PLEX_PACKED_CHUNK; // elements that a warp writes at a time
  const int     lane = threadIdx.x % 32, e = lane / PLEX_PACKED_CHUNK, k = lane % PLEX_PACKED_CHUNK;

  _Pragma("unroll")
  for (int m = 0; m < PLEX_PACKED_CHUNK; ++m) stage[plex_packed_stage(lane, m)] = v[m];
  __syncwarp(0xffffffffu);
  _Pragma("unroll")
  for (int m = 0; m < PLEX_PACKED_CHUNK; ++m) to[(m * per + e) * PLEX_ND + k] = stage[plex_packed_stage(m * per + e, k)];
  __syncwarp(0xffffffffu);
}

// ---- Sums in shared memory

#if !PLEX_SEATS
  #if PLEX_PLACE_BYTES == 1
typedef unsigned char plex_place;
  #else
typedef unsigned short plex_place;
  #endif

  #define PLEX_PACKED_PARTS ((PLEX_EF + 31) / 32) // entries of a contribution that a lane has
  #define PLEX_PACKED_AHEAD 4                     // contributions that are on their way together, most
  #define PLEX_PACKED_WARPS (PLEX_REDUCE_BLOCK / 32)
  #define PLEX_PACKED_SUMS  ((PLEX_LONGEST + 63) / 64 * 64) // of a row, two of each lane at a time

  // Places in shared memory by their addresses there, which the compiler would put together from the block's for each access
  #if defined(__CUDA_ARCH__)
typedef unsigned plex_shared;

PLEX_DEVICE plex_shared plex_shared_begin(plex_scalar *sum)
{
  return (unsigned)__cvta_generic_to_shared(sum);
}
PLEX_DEVICE plex_scalar plex_shared_read(plex_shared sum, int k)
{
  plex_scalar v;

  asm volatile("ld.shared.f64 %0, [%1];" : "=d"(v) : "r"(sum + (unsigned)(k * (int)sizeof(plex_scalar))) : "memory");
  return v;
}
PLEX_DEVICE void plex_shared_write(plex_shared sum, int k, plex_scalar v)
{
  asm volatile("st.shared.f64 [%0], %1;" ::"r"(sum + (unsigned)(k * (int)sizeof(plex_scalar))), "d"(v) : "memory");
}
PLEX_DEVICE void plex_shared_zero_two(plex_shared sum, int k)
{
  asm volatile("st.shared.v2.f64 [%0], {%1, %1};" ::"r"(sum + (unsigned)(k * (int)sizeof(plex_scalar))), "d"(0.0) : "memory");
}
  #else
typedef plex_scalar *plex_shared;

PLEX_DEVICE plex_shared plex_shared_begin(plex_scalar *sum)
{
  return sum;
}
PLEX_DEVICE plex_scalar plex_shared_read(plex_shared sum, int k)
{
  return sum[k];
}
PLEX_DEVICE void plex_shared_write(plex_shared sum, int k, plex_scalar v)
{
  sum[k] = v;
}
PLEX_DEVICE void plex_shared_zero_two(plex_shared sum, int k)
{
  sum[k] = sum[k + 1] = 0;
}
  #endif

// Adds n contributions, of which lanes `at` to at + n - 1 have the items; places: this lane's of the first one
template <int n>
PLEX_DEVICE void plex_packed_add(const plex_real *G, const unsigned short *order, unsigned items, int at, const plex_place *places, plex_shared sum)
{
  const int lane = threadIdx.x % 32;
  plex_real v[n][PLEX_PACKED_PARTS];
  int       place[n][PLEX_PACKED_PARTS];

  _Pragma("unroll")
  for (int m = 0; m < n; ++m) {
    const unsigned   item = __shfl_sync(0xffffffffu, items, at + m);
    const plex_real *from = G + (plex_index)(item >> PLEX_PACKED_DOF_BITS) * PLEX_ND;

    _Pragma("unroll")
    for (int part = 0; part < PLEX_PACKED_PARTS; ++part) {
      place[m][part] = PLEX_LONGEST;
      if (lane + 32 * part >= PLEX_EF) continue;
      place[m][part] = places[m * PLEX_EF + 32 * part];
      v[m][part]     = from[order[(int)(item & ((1u << PLEX_PACKED_DOF_BITS) - 1)) * PLEX_EF + lane + 32 * part]];
    }
  }
  _Pragma("unroll")
  for (int m = 0; m < n; ++m) {
    _Pragma("unroll")
    for (int part = 0; part < PLEX_PACKED_PARTS; ++part)
      if (place[m][part] != PLEX_LONGEST) plex_shared_write(sum, place[m][part], plex_shared_read(sum, place[m][part]) + (plex_scalar)v[m][part]);
    __syncwarp(0xffffffffu);
  }
}

// All contributions of a row, whose record begins there; items: the lane's word of it
PLEX_DEVICE void plex_packed_sum(const plex_real *G, const unsigned short *order, const unsigned *record, unsigned items, int count, plex_shared sum)
{
  const int         lane   = threadIdx.x % 32;
  const plex_place *places = (const plex_place *)(record + 2 + count) + lane;

  _Pragma("unroll 1")
  for (int c = 0, at = 2; c < count;) {
    int n;

    if (at == 32) { // more than were read with the head
      items = c + lane < count ? record[2 + c + lane] : 0;
      at    = 0;
    }
    n = count - c < 32 - at ? count - c : 32 - at;
    if (n >= PLEX_PACKED_AHEAD) {
      plex_packed_add<PLEX_PACKED_AHEAD>(G, order, items, at, places, sum);
      n = PLEX_PACKED_AHEAD;
    } else if (n >= 2) {
      plex_packed_add<2>(G, order, items, at, places, sum);
      n = 2;
    } else {
      plex_packed_add<1>(G, order, items, at, places, sum);
    }
    c += n;
    at += n;
    places += n * PLEX_EF;
  }
}

  // Entries of a row that a lane moves together
  #define PLEX_PACKED_MOVED (PLEX_LONGEST > 128 ? 4 : (PLEX_LONGEST + 31) / 32)

// Sums of a row to where it lies
PLEX_DEVICE void plex_packed_write(plex_shared sum, int length, plex_scalar *to)
{
  const int lane = threadIdx.x % 32;

  _Pragma("unroll 1")
  for (int first = 0; first < (PLEX_LONGEST > 128 ? length : 1); first += 32 * PLEX_PACKED_MOVED) {
    _Pragma("unroll")
    for (int m = 0; m < PLEX_PACKED_MOVED; ++m) {
      const int k = first + 32 * m + lane;

      if (k < length) to[k] = plex_shared_read(sum, k);
    }
  }
}

// The first words of a row's record, of a lane each
PLEX_DEVICE unsigned plex_packed_head(const PlexPackedArgs &rows, const int *starts, int r, int n)
{
  const int lane = threadIdx.x % 32;

  return r < n && lane < starts[r + 1] - starts[r] ? rows.records[starts[r] + lane] : 0;
}

// A warp sums a row in shared memory; the head of the record of its next one is on its way meanwhile. Rows from `fresh` on start from what an earlier pass has left.
// Reads of a contribution 4 + PLEX_PLACE_BYTES EF bytes and EF numbers, of a row 12 bytes; writes 8 bytes a target.
extern "C" __global__ void __launch_bounds__(PLEX_REDUCE_BLOCK, PLEX_REDUCE_RESIDENT) plex_reduce(PlexArgs args, const plex_real *G, PlexPackedArgs rows, int nrows, int fresh)
{
  PLEX_DYNAMIC_SHARED(plex_scalar, shared);
  __shared__ int            starts[PLEX_REDUCE_ROWS + 1];
  __shared__ unsigned short order[PLEX_EF * PLEX_EF];
  const int                 lane = threadIdx.x % 32, warp = plex_warp(), first = blockIdx.x * PLEX_REDUCE_ROWS, n = nrows - first < PLEX_REDUCE_ROWS ? nrows - first : PLEX_REDUCE_ROWS;
  const PlexTarget          target = plex_target(args);
  const plex_shared         sum    = plex_shared_begin(shared + warp * PLEX_PACKED_SUMS);
  unsigned                  next;

  _Pragma("unroll 1")
  for (int k = threadIdx.x; k <= n; k += PLEX_REDUCE_BLOCK) starts[k] = rows.start[first + k];
  _Pragma("unroll 1")
  for (int k = threadIdx.x; k < PLEX_EF * PLEX_EF; k += PLEX_REDUCE_BLOCK) order[k] = rows.order[k];
  __syncthreads();
  next = plex_packed_head(rows, starts, warp, n);
  _Pragma("unroll 1")
  for (int r = warp; r < n; r += PLEX_PACKED_WARPS) {
    const unsigned items = next, shape = __shfl_sync(0xffffffffu, items, 1);
    const int      length = (int)(shape & 0xffff), count = (int)(shape >> 16);
    plex_scalar   *to = target + (plex_index)(int)__shfl_sync(0xffffffffu, items, 0);

    next = plex_packed_head(rows, starts, r + PLEX_PACKED_WARPS, n);
    _Pragma("unroll 1")
    for (int k = 0; k < length; k += 64) plex_shared_zero_two(sum, k + 2 * lane);
    __syncwarp(0xffffffffu);
    if (first + r >= fresh) {
      _Pragma("unroll 1")
      for (int k = lane; k < length; k += 32) plex_shared_write(sum, k, to[k]);
      __syncwarp(0xffffffffu);
    }
    plex_packed_sum(G, order, rows.records + starts[r], items, count, sum);
    plex_packed_write(sum, length, to);
    __syncwarp(0xffffffffu);
  }
}
PLEX_EXPORT_KERNEL(plex_reduce)
#endif
