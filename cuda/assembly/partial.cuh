// Sums of the element matrices of a part of the mesh, each of which is computed once: from shared memory, where they are, a lane sums a target, straight into the matrix
// where no other part adds to its row; of other rows partial sums go to memory, side by side, and a second kernel adds those of all parts.
//
// Of the entries of hexahedra of order 2 in a part of 4 x 4 x 2 half are of rows that the part sums alone, and of the others there are 0.6 of the matrix's: in the place of
// 378 numbers of each element, which two rows each read again, 300 to 360 partial sums are written and read once, in the order in which they lie.
#pragma once

#include "assembly/partial_args.h"

// As many bytes, read at once
struct alignas(16) PlexPartialHead {
  int      first;
  unsigned at, low, high;
};
static_assert(sizeof(PlexPartialHead) == sizeof(PlexPartialChunk) && PLEX_PARTIAL_STEPS == 7, "as it is read");

// What a lane needs of a chunk, as far as it is read ahead: its target, and where the numbers of the first two steps and one of the later ones are
struct PlexPartialCodes {
  unsigned target, first, second, later;
};

PLEX_DEVICE int plex_partial_steps(const PlexPartialHead &h)
{
  return (int)(h.high >> 24);
}
PLEX_DEVICE int plex_partial_lanes(const PlexPartialHead &h, int s)
{
  const int k = s < PLEX_PARTIAL_STEPS ? s : PLEX_PARTIAL_STEPS - 1;

  return (int)((k < 4 ? h.low >> 8 * k : h.high >> 8 * (k - 4)) & 255);
}
PLEX_DEVICE PlexPartialHead plex_partial_head(const PlexPartialArgs &parts, int c)
{
  return ((const PlexPartialHead *)parts.chunks)[c];
}
PLEX_DEVICE const unsigned short *plex_partial_steps_at(const PlexPartialArgs &parts, const PlexPartialHead &h)
{
  return (const unsigned short *)(parts.codes + (plex_index)h.at * PLEX_PARTIAL_ALIGN + 32);
}
PLEX_DEVICE PlexPartialCodes plex_partial_codes(const PlexPartialArgs &parts, const PlexPartialHead &h)
{
  const int             lane = threadIdx.x % 32, n0 = plex_partial_lanes(h, 0), n1 = plex_partial_lanes(h, 1);
  const unsigned short *steps = plex_partial_steps_at(parts, h);
  PlexPartialCodes      codes = {};

  codes.target = ((const unsigned char *)steps)[lane - 32];
  codes.first  = steps[lane];
  if (plex_partial_steps(h) > 1) codes.second = steps[n0 + lane];
  if (plex_partial_steps(h) > 2) codes.later = steps[n0 + n1 + lane];
  return codes;
}

// A chunk's sum of this lane
PLEX_DEVICE plex_scalar plex_partial_sum(const PlexPartialArgs &parts, const PlexPartialHead &h, const PlexPartialCodes &codes, const plex_real *numbers)
{
  const int   lane = threadIdx.x % 32, steps = plex_partial_steps(h), n0 = plex_partial_lanes(h, 0), n1 = plex_partial_lanes(h, 1);
  plex_scalar sum = 0;

  if (lane < n0) sum = (plex_scalar)numbers[codes.first];
  if (steps > 1 && lane < n1) sum += (plex_scalar)numbers[codes.second];
  _Pragma("unroll 1")
  for (int s = 2, begin = 0; s < steps; ++s) {
    const int n    = plex_partial_lanes(h, s);
    unsigned  code = __shfl_sync(0xffffffffu, codes.later, begin + lane < 32 ? begin + lane : 31);

    if (begin + lane >= 32 && lane < n) code = plex_partial_steps_at(parts, h)[n0 + n1 + begin + lane];
    if (lane < n) sum += (plex_scalar)numbers[code];
    begin += n;
  }
  return sum;
}

// All chunks of a part, by all warps of the block: what a lane needs of the next one is on its way, and the head of that after it
PLEX_DEVICE void plex_partial_sums(const PlexArgs &args, const PlexPartialArgs &parts, const plex_real *numbers, plex_scalar *partial, int part)
{
  constexpr int    step   = PLEX_BLOCK / 32;
  const int        begin  = parts.chunkStart[2 * part], others = parts.chunkStart[2 * part + 1], end = parts.chunkStart[2 * part + 2];
  const PlexTarget target = plex_target(args);
  int              c      = begin + plex_warp();
  PlexPartialHead  head, next;
  PlexPartialCodes codes;

  if (c >= end) return;
  head  = plex_partial_head(parts, c);
  next  = plex_partial_head(parts, c + step < end ? c + step : end - 1);
  codes = plex_partial_codes(parts, head);
  _Pragma("unroll 1")
  for (; c < end; c += step) {
    const PlexPartialHead  third = plex_partial_head(parts, c + 2 * step < end ? c + 2 * step : end - 1);
    const PlexPartialCodes later = plex_partial_codes(parts, next);
    const plex_scalar      sum   = plex_partial_sum(parts, head, codes, numbers);
    plex_scalar           *to    = c < others ? target + head.first : partial + head.first;

    if ((int)(threadIdx.x % 32) < plex_partial_lanes(head, 0)) to[codes.target] = sum;
    head  = next;
    next  = third;
    codes = later;
  }
}

// ---- Rows to which several parts add

#define PLEX_PARTIAL_WORDS ((int)(sizeof(PlexPartialRow) / sizeof(int)))

// The words of a row, of a lane each
PLEX_DEVICE unsigned plex_partial_words(const PlexPartialArgs &parts, int r, int end)
{
  const int lane = threadIdx.x % 32;

  return r < end && lane < PLEX_PARTIAL_WORDS ? ((const unsigned *)parts.rows)[(plex_index)r * PLEX_PARTIAL_WORDS + lane] : 0;
}
PLEX_DEVICE const unsigned short *plex_partial_shape(const PlexPartialArgs &parts, unsigned words)
{
  return parts.shapes + (plex_index)__shfl_sync(0xffffffffu, words, 1) * 32 + threadIdx.x % 32;
}

// The lane's partial sum, if there is one
PLEX_DEVICE plex_scalar plex_partial_read(const plex_scalar *partial, unsigned bases, unsigned code)
{
  const int base = (int)__shfl_sync(0xffffffffu, bases, (int)(code >> PLEX_PARTIAL_PLACE_BITS));

  return code == PLEX_PARTIAL_NONE ? 0 : partial[base + (int)(code & ((1u << PLEX_PARTIAL_PLACE_BITS) - 1))];
}

// A warp sums a row, of 32 targets at a time; the words of the two rows after it are on their way, and the steps of the next one. Reads of a row 48 bytes, and the codes
// of its shape; of a partial sum 8 bytes; writes 8 bytes a target
extern "C" __global__ void __launch_bounds__(PLEX_REDUCE_BLOCK, PLEX_REDUCE_RESIDENT) plex_reduce(PlexArgs args, const plex_scalar *partial, PlexPartialArgs parts, int rows)
{
  constexpr int    step   = PLEX_REDUCE_BLOCK / 32;
  const int        lane   = threadIdx.x % 32, first = blockIdx.x * PLEX_REDUCE_ROWS, end = rows - first < PLEX_REDUCE_ROWS ? rows : first + PLEX_REDUCE_ROWS;
  const PlexTarget target = plex_target(args);
  int              r      = first + plex_warp();
  unsigned         words = plex_partial_words(parts, r, end), next = plex_partial_words(parts, r + step, end), steps = *plex_partial_shape(parts, words);

  _Pragma("unroll 1")
  for (; r < end; r += step) {
    const unsigned        third = plex_partial_words(parts, r + 2 * step, end), later = *plex_partial_shape(parts, next);
    const unsigned        sizes = __shfl_sync(0xffffffffu, words, 2);
    const int             length = (int)(sizes & 0xffff), runs = (int)(sizes >> 16);
    const unsigned short *codes = plex_partial_shape(parts, words) + 32;
    plex_scalar          *to    = target + (plex_index)(int)__shfl_sync(0xffffffffu, words, 0);
    unsigned              bases = __shfl_sync(0xffffffffu, words, lane + 3 < 32 ? lane + 3 : 31);

    if (runs > PLEX_PARTIAL_BASES) bases = (unsigned)(lane < runs ? parts.bases[(int)__shfl_sync(0xffffffffu, bases, 0) + lane] : 0);
    _Pragma("unroll 1")
    for (int k = 0; k < length; k += 32) {
      const int   n   = (int)__shfl_sync(0xffffffffu, steps, k / 32);
      plex_scalar sum = 0;

      _Pragma("unroll 1")
      for (int s = 0; s < n; s += 2, codes += 64) {
        const unsigned    a = codes[0], b = s + 1 < n ? codes[32] : PLEX_PARTIAL_NONE;
        const plex_scalar v = plex_partial_read(partial, bases, a), w = plex_partial_read(partial, bases, b);

        sum += v;
        sum += w;
      }
      if (n % 2) codes -= 32;
      if (k + lane < length) to[k + lane] = sum;
    }
    words = next;
    next  = third;
    steps = later;
  }
}
PLEX_EXPORT_KERNEL(plex_reduce)
