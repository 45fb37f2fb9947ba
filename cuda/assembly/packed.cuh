// global_row where the element data lie element by element, PLEX_ND numbers each, a half of a symmetric form's: how the first kernel writes them, and the second
// kernel, which sums rows. Either half of an element matrix is read from the same numbers, most of them from the L1 cache: a block has rows that lie together in the
// mesh.
#pragma once

#include "assembly/packed_args.h"

#if PLEX_PLACE_BYTES == 1
typedef unsigned char plex_place;
#else
typedef unsigned short plex_place;
#endif

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

// ---- Sums

// A group of threads has a row, 32 or 16; several groups of a warp go in step, those whose row is done as well
#define PLEX_PACKED_PARTS ((PLEX_EF + PLEX_GROUP - 1) / PLEX_GROUP)          // entries of a contribution that a thread has
#define PLEX_PACKED_AHEAD (PLEX_PACKED_PARTS > 1 || PLEX_GROUP < 32 ? 4 : 8) // contributions that are on their way together, most
#define PLEX_PACKED_WARPS (PLEX_REDUCE_BLOCK / 32)
#define PLEX_PACKED_PER   (32 / PLEX_GROUP)                                                       // rows of a warp
#define PLEX_PACKED_SUMS  ((PLEX_LONGEST + 2 * PLEX_GROUP) / (2 * PLEX_GROUP) * (2 * PLEX_GROUP)) // of a row, and one for what is dropped: two of each thread at a time

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

// The most of a number of all groups
PLEX_DEVICE int plex_packed_most(int v)
{
  _Pragma("unroll")
  for (int k = PLEX_GROUP; k < 32; k *= 2) {
    const int other = __shfl_xor_sync(0xffffffffu, v, k);

    v = other > v ? other : v;
  }
  return v;
}

// Number of entry (i, lane + 32 part) among those of an element
PLEX_DEVICE int plex_packed_entry(const unsigned short *order, int i, int j)
{
#if PLEX_PACKED_WHOLE
  (void)order;
  return i * PLEX_EF + j;
#else
  return order[i * PLEX_EF + j];
#endif
}

// Adds n contributions, of which the group has `count`; threads `at` to at + n - 1 have their items; places: this thread's of the first one
template <int n>
PLEX_DEVICE void plex_packed_add(const plex_real *G, const unsigned short *order, unsigned items, int at, int count, const plex_place *places, plex_shared sum)
{
  const int lane = threadIdx.x % PLEX_GROUP;
  plex_real v[n][PLEX_PACKED_PARTS];
  int       place[n][PLEX_PACKED_PARTS];
  unsigned  item[n];

  _Pragma("unroll")
  for (int m = 0; m < n; ++m) item[m] = __shfl_sync(0xffffffffu, items, at + m, PLEX_GROUP);
  _Pragma("unroll")
  for (int part = 0; part < PLEX_PACKED_PARTS; ++part) {
    const int j = lane + PLEX_GROUP * part;

    if (j >= PLEX_EF) continue;
    _Pragma("unroll")
    for (int m = 0; m < n; ++m) {
      const plex_real *from = G + (plex_index)(item[m] >> PLEX_PACKED_DOF_BITS) * PLEX_ND;

      if (PLEX_PACKED_PER > 1 && m >= count) continue;
      place[m][part] = places[m * PLEX_EF + PLEX_GROUP * part];
      v[m][part]     = from[plex_packed_entry(order, (int)(item[m] & ((1u << PLEX_PACKED_DOF_BITS) - 1)), j)];
    }
  }
  _Pragma("unroll")
  for (int m = 0; m < n; ++m) {
    _Pragma("unroll")
    for (int part = 0; part < PLEX_PACKED_PARTS; ++part)
      if (lane + PLEX_GROUP * part < PLEX_EF && (PLEX_PACKED_PER == 1 || m < count)) plex_shared_write(sum, place[m][part], plex_shared_read(sum, place[m][part]) + (plex_scalar)v[m][part]);
    __syncwarp(0xffffffffu);
  }
}

// All contributions of a row, whose record begins there; items: the group's words of it
PLEX_DEVICE void plex_packed_sum(const plex_real *G, const unsigned short *order, const unsigned *record, unsigned items, int count, plex_shared sum)
{
  const int         lane = threadIdx.x % PLEX_GROUP, most = plex_packed_most(count);
  const plex_place *places = (const plex_place *)(record + 2 + count) + lane;

  _Pragma("unroll 1")
  for (int c = 0, at = 2; c < most;) {
    int n;

    if (at == PLEX_GROUP) { // more than were read with the head
      items = c + lane < count ? record[2 + c + lane] : 0;
      at    = 0;
    }
    n = most - c < PLEX_GROUP - at ? most - c : PLEX_GROUP - at;
    if (n >= PLEX_PACKED_AHEAD) {
      plex_packed_add<PLEX_PACKED_AHEAD>(G, order, items, at, count - c, places, sum);
      n = PLEX_PACKED_AHEAD;
    } else if (PLEX_PACKED_AHEAD > 4 && n >= 4) {
      plex_packed_add<4>(G, order, items, at, count - c, places, sum);
      n = 4;
    } else if (n >= 2) {
      plex_packed_add<2>(G, order, items, at, count - c, places, sum);
      n = 2;
    } else {
      plex_packed_add<1>(G, order, items, at, count - c, places, sum);
    }
    c += n;
    at += n;
    places += n * PLEX_EF;
  }
}

// Entries of a row that a thread moves together
#define PLEX_PACKED_MOVED (PLEX_LONGEST > 4 * PLEX_GROUP ? 4 : (PLEX_LONGEST + PLEX_GROUP - 1) / PLEX_GROUP)

// Sums of a row to where it lies
PLEX_DEVICE void plex_packed_write(plex_shared sum, int length, plex_scalar *to)
{
  const int lane = threadIdx.x % PLEX_GROUP;

  _Pragma("unroll 1")
  for (int first = 0; first < (PLEX_LONGEST > 4 * PLEX_GROUP ? length : 1); first += PLEX_GROUP * PLEX_PACKED_MOVED) {
    _Pragma("unroll")
    for (int m = 0; m < PLEX_PACKED_MOVED; ++m) {
      const int k = first + PLEX_GROUP * m + lane;

      if (k < length) to[k] = plex_shared_read(sum, k);
    }
  }
}

// The first words of a row's record, of a thread each
PLEX_DEVICE unsigned plex_packed_head(const PlexPackedArgs &rows, const int *starts, int r, int n)
{
  const int lane = threadIdx.x % PLEX_GROUP;

  return r < n && lane < starts[r + 1] - starts[r] ? rows.records[starts[r] + lane] : 0;
}

// A group sums a row in shared memory; the head of the record of its next one is on its way meanwhile. Rows from `fresh` on start from what an earlier pass has left.
// Reads of a contribution 4 + PLEX_PLACE_BYTES EF bytes and EF numbers, of a row 12 bytes; writes 8 bytes a target.
extern "C" __global__ void __launch_bounds__(PLEX_REDUCE_BLOCK, 1024 / PLEX_REDUCE_BLOCK) plex_reduce(PlexArgs args, const plex_real *G, PlexPackedArgs rows, int nrows, int fresh)
{
  PLEX_DYNAMIC_SHARED(plex_scalar, shared);
  __shared__ int            starts[PLEX_REDUCE_ROWS + 1];
  __shared__ unsigned short order[PLEX_PACKED_WHOLE ? 1 : PLEX_EF * PLEX_EF];
  const int                 lane = threadIdx.x % PLEX_GROUP, warp = plex_warp(), own = threadIdx.x % 32 / PLEX_GROUP, first = blockIdx.x * PLEX_REDUCE_ROWS, n = nrows - first < PLEX_REDUCE_ROWS ? nrows - first : PLEX_REDUCE_ROWS;
  const PlexTarget          target = plex_target(args);
  const plex_shared         sum    = plex_shared_begin(shared + threadIdx.x / PLEX_GROUP * PLEX_PACKED_SUMS);
  unsigned                  next;

  _Pragma("unroll 1")
  for (int k = threadIdx.x; k <= n; k += PLEX_REDUCE_BLOCK) starts[k] = rows.start[first + k];
  _Pragma("unroll 1")
  for (int k = threadIdx.x; k < PLEX_EF * PLEX_EF && !PLEX_PACKED_WHOLE; k += PLEX_REDUCE_BLOCK) order[k] = rows.order[k];
  __syncthreads();
  next = plex_packed_head(rows, starts, warp * PLEX_PACKED_PER + own, n);
  _Pragma("unroll 1")
  for (int r0 = warp * PLEX_PACKED_PER; r0 < n; r0 += PLEX_PACKED_WARPS * PLEX_PACKED_PER) {
    const int      r     = r0 + own;
    const unsigned items = next, shape = __shfl_sync(0xffffffffu, items, 1, PLEX_GROUP);
    const int      length = (int)(shape & 0xffff), count = (int)(shape >> 16); // none, if there is no row
    plex_scalar   *to = target + (plex_index)(int)__shfl_sync(0xffffffffu, items, 0, PLEX_GROUP);

    next = plex_packed_head(rows, starts, r + PLEX_PACKED_WARPS * PLEX_PACKED_PER, n);
    _Pragma("unroll")
    for (int k = 0; k < PLEX_PACKED_SUMS; k += 2 * PLEX_GROUP) plex_shared_zero_two(sum, k + 2 * lane);
    __syncwarp(0xffffffffu);
    if (first + r >= fresh) {
      _Pragma("unroll 1")
      for (int k = lane; k < length; k += PLEX_GROUP) plex_shared_write(sum, k, to[k]);
    }
    __syncwarp(0xffffffffu);
    plex_packed_sum(G, order, rows.records + starts[r < n ? r : 0], items, count, sum);
    plex_packed_write(sum, length, to);
    __syncwarp(0xffffffffu);
  }
}
PLEX_EXPORT_KERNEL(plex_reduce)
