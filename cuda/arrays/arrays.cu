// Steps over arrays that plans are made of, src/backend/arrays/arrays.c: exclusive sums, and stable sorts by the digits
// of keys.
//
// A block has a tile of PLEX_TILE values in a row. Sums read a value twice and write it once: sums of tiles, which are
// summed in the same way, and sums within a tile on top of those. A pass of a sort reads a key twice, and writes it
// once with its value: how many keys of each digit a tile has, summed over digits and tiles, and the places of a tile's
// keys.
#include "plex.cuh"
#include "arrays/arrays_sizes.h"

#define PLEX_TILE   (PLEX_ARRAYS_BLOCK * PLEX_ARRAYS_ITEMS)
#define PLEX_WARPS  (PLEX_ARRAYS_BLOCK / PLEX_WARP)
#define PLEX_DIGITS 256

static_assert(PLEX_ARRAYS_BLOCK == PLEX_DIGITS, "a thread a digit");

// The sum of v over the threads of the block before this one; total: of all
PLEX_DEVICE int plex_block_sum(int v, int *total)
{
  __shared__ int warps[PLEX_WARPS];
  const int      lane = threadIdx.x % PLEX_WARP, warp = threadIdx.x / PLEX_WARP;
  int            upTo = v, before = 0, all = 0;

  _Pragma("unroll")
  for (int d = 1; d < PLEX_WARP; d *= 2) {
    const int other = __shfl_up_sync(PLEX_ALL_LANES, upTo, d);

    if (lane >= d) upTo += other;
  }
  if (lane == PLEX_WARP - 1) warps[warp] = upTo;
  __syncthreads();
  _Pragma("unroll")
  for (int w = 0; w < PLEX_WARPS; ++w) {
    if (w < warp) before += warps[w];
    all += warps[w];
  }
  __syncthreads();
  *total = all;
  return before + upTo - v;
}

// sums[tile] of values[n]
extern "C" __global__ void __launch_bounds__(PLEX_ARRAYS_BLOCK)
  plex_sum_tiles(plex_index n, const int *values, int *sums)
{
  const plex_index first = (plex_index)blockIdx.x * PLEX_TILE + threadIdx.x;
  int              sum   = 0, total;

  _Pragma("unroll")
  for (int k = 0; k < PLEX_ARRAYS_ITEMS; ++k) {
    const plex_index i = first + k * PLEX_ARRAYS_BLOCK;

    if (i < n) sum += values[i];
  }
  (void)plex_block_sum(sum, &total);
  if (threadIdx.x == 0) sums[blockIdx.x] = total;
}
PLEX_EXPORT_KERNEL(plex_sum_tiles)

// to[i] = the sum of values[0 .. i); before[tile]: of the tiles before, NULL where there is one tile. May be in place
extern "C" __global__ void __launch_bounds__(PLEX_ARRAYS_BLOCK)
  plex_sum_within(plex_index n, const int *values, const int *before, int *to)
{
  __shared__ int   tile[PLEX_TILE];
  const plex_index first = (plex_index)blockIdx.x * PLEX_TILE;
  int              own[PLEX_ARRAYS_ITEMS], sum = 0, total;

  _Pragma("unroll")
  for (int k = 0; k < PLEX_ARRAYS_ITEMS; ++k) {
    const int at = k * PLEX_ARRAYS_BLOCK + (int)threadIdx.x;

    tile[at] = first + at < n ? values[first + at] : 0;
  }
  __syncthreads();
  _Pragma("unroll")
  for (int k = 0; k < PLEX_ARRAYS_ITEMS; ++k) { // a thread has values in a row
    own[k] = tile[(int)threadIdx.x * PLEX_ARRAYS_ITEMS + k];
    sum += own[k];
  }
  sum = plex_block_sum(sum, &total) + (before ? before[blockIdx.x] : 0);
  _Pragma("unroll")
  for (int k = 0; k < PLEX_ARRAYS_ITEMS; ++k) {
    tile[(int)threadIdx.x * PLEX_ARRAYS_ITEMS + k] = sum;
    sum += own[k];
  }
  __syncthreads();
  _Pragma("unroll")
  for (int k = 0; k < PLEX_ARRAYS_ITEMS; ++k) {
    const int at = k * PLEX_ARRAYS_BLOCK + (int)threadIdx.x;

    if (first + at < n) to[first + at] = tile[at];
  }
}
PLEX_EXPORT_KERNEL(plex_sum_within)

// mask: of the digit's bits, fewer than 8 of the last one
PLEX_DEVICE int plex_digit(unsigned long long key, int shift, int mask)
{
  return (int)(key >> shift) & mask;
}

// counts[digit][tile] of keys[n]
extern "C" __global__ void __launch_bounds__(PLEX_ARRAYS_BLOCK)
  plex_count_digits(plex_index n, const unsigned long long *keys, int shift, int mask, int *counts)
{
  __shared__ int   count[PLEX_DIGITS];
  const plex_index first = (plex_index)blockIdx.x * PLEX_TILE + threadIdx.x;

  count[threadIdx.x] = 0;
  __syncthreads();
  _Pragma("unroll")
  for (int k = 0; k < PLEX_ARRAYS_ITEMS; ++k) {
    const plex_index i = first + k * PLEX_ARRAYS_BLOCK;

    if (i < n) atomicAdd(&count[plex_digit(keys[i], shift, mask)], 1);
  }
  __syncthreads();
  counts[(plex_index)threadIdx.x * gridDim.x + blockIdx.x] = count[threadIdx.x];
}
PLEX_EXPORT_KERNEL(plex_count_digits)

// Lanes of the warp that have this digit, as bits
PLEX_DEVICE plex_mask plex_lanes_of(int digit)
{
  plex_mask lanes = PLEX_ALL_LANES;

  _Pragma("unroll")
  for (int b = 1; b < PLEX_DIGITS; b *= 2) {
    const plex_mask set = __ballot_sync(PLEX_ALL_LANES, (digit & b) != 0);

    lanes &= digit & b ? set : ~set;
  }
  return lanes;
}

// Keys, and values where there are any, to their places: first[digit][tile], and those of equal digit before in the
// tile. A warp has values in a row, PLEX_WARP at a time, so that equal digits stay in the order that there is
extern "C" __global__ void __launch_bounds__(PLEX_ARRAYS_BLOCK)
  plex_move_keys(plex_index n, const unsigned long long *keys, const int *values, int shift, int mask, const int *first,
                 unsigned long long *keysTo, int *valuesTo)
{
  __shared__ int     count[PLEX_WARPS][PLEX_DIGITS];
  const int          lane = threadIdx.x % PLEX_WARP, warp = threadIdx.x / PLEX_WARP;
  const plex_index   from = (plex_index)blockIdx.x * PLEX_TILE + warp * PLEX_WARP * PLEX_ARRAYS_ITEMS + lane;
  unsigned long long key[PLEX_ARRAYS_ITEMS];
  int                before[PLEX_ARRAYS_ITEMS]; // of the warp, with the same digit

  _Pragma("unroll")
  for (int w = 0; w < PLEX_WARPS; ++w) count[w][threadIdx.x] = 0;
  __syncthreads();
  _Pragma("unroll")
  for (int k = 0; k < PLEX_ARRAYS_ITEMS; ++k) {
    const bool is    = from + PLEX_WARP * k < n;
    const int  digit = (key[k] = is ? keys[from + PLEX_WARP * k] : ~0ull, plex_digit(key[k], shift, mask));
    // those behind the end are the last of their digit
    const plex_mask lanes = plex_lanes_of(digit), lower = lanes & (((plex_mask)1 << lane) - 1);

    before[k] = count[warp][digit] + plex_lanes_count(lower);
    __syncwarp(PLEX_ALL_LANES);
    if (!lower) count[warp][digit] += plex_lanes_count(lanes);
    __syncwarp(PLEX_ALL_LANES);
  }
  __syncthreads();
  int sum = first[(plex_index)threadIdx.x * gridDim.x + blockIdx.x];

  _Pragma("unroll")
  for (int w = 0; w < PLEX_WARPS; ++w) {
    const int own = count[w][threadIdx.x];

    count[w][threadIdx.x] = sum;
    sum += own;
  }
  __syncthreads();
  _Pragma("unroll")
  for (int k = 0; k < PLEX_ARRAYS_ITEMS; ++k) {
    if (from + PLEX_WARP * k < n) {
      const int to = count[warp][plex_digit(key[k], shift, mask)] + before[k];

      keysTo[to] = key[k];
      if (valuesTo) valuesTo[to] = values ? values[from + PLEX_WARP * k] : (int)(from + PLEX_WARP * k);
    }
  }
}
PLEX_EXPORT_KERNEL(plex_move_keys)

// is[i] = 1 where keys[i] differs from the key before in the bits from `shift` on, or has none before it
extern "C" __global__ void __launch_bounds__(PLEX_ARRAYS_BLOCK)
  plex_mark_segments(plex_index n, const unsigned long long *keys, int shift, int *is)
{
  const plex_index i = (plex_index)blockIdx.x * PLEX_ARRAYS_BLOCK + threadIdx.x;

  if (i < n) is[i] = i == 0 || keys[i] >> shift != keys[i - 1] >> shift;
}
PLEX_EXPORT_KERNEL(plex_mark_segments)

// starts[segment] = where it begins; number[i]: segments that begin before i
extern "C" __global__ void __launch_bounds__(PLEX_ARRAYS_BLOCK)
  plex_list_segments(plex_index n, const unsigned long long *keys, int shift, const int *number, int *starts)
{
  const plex_index i = (plex_index)blockIdx.x * PLEX_ARRAYS_BLOCK + threadIdx.x;

  if (i < n && (i == 0 || keys[i] >> shift != keys[i - 1] >> shift)) starts[number[i]] = (int)i;
}
PLEX_EXPORT_KERNEL(plex_list_segments)
