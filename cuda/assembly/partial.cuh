// Sums of the element matrices of a part of the mesh, each of which is computed once: from shared memory, where they are, a lane sums a target, straight into the matrix
// where no other part adds to its row; of other rows partial sums go to memory, side by side, and a second kernel adds those of all parts.
//
// Of the entries of hexahedra of order 2 in a part of 4 x 4 x 2 half are of rows that the part sums alone, and of the others there are 0.6 of the matrix's: in the place of
// 378 numbers of each element, which two rows each read again, 300 to 360 partial sums are written and read once, in the order in which they lie. Two of three targets are one
// number: what says which has a list for those, one for sums of two, and one for the few others.
#pragma once

#include "assembly/partial_args.h"

#define PLEX_PARTIAL_WARPS (PLEX_BLOCK / 32)

// Codes of a lane of a batch, and the heads of its chunks, as they are read
template <int codes>
struct alignas(8 * codes) PlexPartialCodes {
  unsigned of[2 * codes];
};
struct alignas(16) PlexPartialHeads {
  int of[4];
};
struct alignas(16) PlexPartialTwo {
  plex_scalar of[2];
};

template <int codes>
PLEX_DEVICE PlexPartialCodes<codes> plex_partial_codes(const unsigned short *lines, int b)
{
  return ((const PlexPartialCodes<codes> *)lines)[b * 32 + threadIdx.x % 32];
}

// Number j of a lane, of a batch of one code each or of two; whether there is one
template <int codes>
PLEX_DEVICE plex_scalar plex_partial_number(const plex_real *numbers, const PlexPartialCodes<codes> &c, int j)
{
  return codes == 1 ? (plex_scalar)numbers[c.of[j / 2] >> 16 * (j % 2) & 0xffff] : (plex_scalar)numbers[c.of[j % (2 * codes)] & 0xffff] + (plex_scalar)numbers[c.of[j % (2 * codes)] >> 16];
}
template <int codes>
PLEX_DEVICE bool plex_partial_is(const PlexPartialCodes<codes> &c, int j)
{
  return (codes == 1 ? c.of[j / 2] >> 16 * (j % 2) & 0xffff : c.of[j % (2 * codes)] & 0xffff) != PLEX_PARTIAL_NONE;
}

// A batch: of partial sums, from `to` on; of targets, by their heads
template <int codes>
PLEX_DEVICE void plex_partial_put(const PlexPartialCodes<codes> &c, const plex_real *numbers, plex_scalar *to)
{
  const int lane = threadIdx.x % 32;

  _Pragma("unroll")
  for (int h = 0; h < 2; ++h) ((PlexPartialTwo *)to)[32 * h + lane] = PlexPartialTwo{plex_partial_number<codes>(numbers, c, 2 * h), plex_partial_number<codes>(numbers, c, 2 * h + 1)};
}
template <int codes>
PLEX_DEVICE void plex_partial_put(const PlexPartialCodes<codes> &c, const plex_real *numbers, const PlexPartialHeads &heads, const PlexTarget &target)
{
  plex_scalar v[4];

  _Pragma("unroll")
  for (int j = 0; j < 4; ++j)
    if (plex_partial_is<codes>(c, j)) v[j] = plex_partial_number<codes>(numbers, c, j);
  _Pragma("unroll")
  for (int j = 0; j < 4; ++j)
    if (plex_partial_is<codes>(c, j)) (target + heads.of[j])[threadIdx.x % 32] = v[j];
}

// All n batches of a kind: a warp has the codes of its next one on their way. In turns of two names, as a copy of what is on its way waits for it
template <int codes>
PLEX_DEVICE void plex_partial_all_sums(int n, const unsigned short *lines, PlexPartialCodes<codes> a, const plex_real *numbers, plex_scalar *to)
{
  constexpr int step = PLEX_PARTIAL_WARPS;

  _Pragma("unroll 1")
  for (int b = plex_warp(); b < n; b += 2 * step) {
    const PlexPartialCodes<codes> next = plex_partial_codes<codes>(lines, b + step < n ? b + step : n - 1);

    plex_partial_put<codes>(a, numbers, to + b * PLEX_PARTIAL_BATCH);
    a = plex_partial_codes<codes>(lines, b + 2 * step < n ? b + 2 * step : n - 1);
    if (b + step < n) plex_partial_put<codes>(next, numbers, to + (b + step) * PLEX_PARTIAL_BATCH);
  }
}
template <int codes>
PLEX_DEVICE void plex_partial_all_targets(int n, const unsigned short *lines, const PlexPartialHeads *heads, PlexPartialCodes<codes> a, PlexPartialHeads headsA, const plex_real *numbers, const PlexTarget &target)
{
  constexpr int step = PLEX_PARTIAL_WARPS;

  _Pragma("unroll 1")
  for (int b = plex_warp(); b < n; b += 2 * step) {
    const int                     second = b + step < n ? b + step : n - 1, third = b + 2 * step < n ? b + 2 * step : n - 1;
    const PlexPartialCodes<codes> next      = plex_partial_codes<codes>(lines, second);
    const PlexPartialHeads        headsNext = heads[second];

    plex_partial_put<codes>(a, numbers, headsA, target);
    a      = plex_partial_codes<codes>(lines, third);
    headsA = heads[third];
    if (b + step < n) plex_partial_put<codes>(next, numbers, headsNext, target);
  }
}

// A target of more than two numbers
PLEX_DEVICE void plex_partial_put(unsigned to, plex_scalar sum, const PlexTarget &target, plex_scalar *partial)
{
  if (to == 0xffffffffu) return;
  if (to & PLEX_PARTIAL_SUM) partial[to & ~PLEX_PARTIAL_SUM] = sum;
  else *(target + (plex_index)to) = sum;
}
PLEX_DEVICE void plex_partial_few(int n, const unsigned short *lines, const plex_real *numbers, const PlexTarget &target, plex_scalar *partial)
{
  _Pragma("unroll 1")
  for (int c = plex_warp(); c < n; c += PLEX_PARTIAL_WARPS) {
    const unsigned short     *from  = lines + c * 6 * PLEX_PARTIAL_LINE;
    const unsigned            to    = ((const unsigned *)from)[threadIdx.x % 32];
    const PlexPartialCodes<1> codes = plex_partial_codes<1>(from + 2 * PLEX_PARTIAL_LINE, 0);
    plex_scalar               sum   = 0;

    _Pragma("unroll")
    for (int j = 0; j < 4; ++j) sum += plex_partial_number<1>(numbers, codes, j);
    plex_partial_put(to, sum, target, partial);
  }
}
PLEX_DEVICE void plex_partial_many(int n, const unsigned short *lines, const int *heads, const plex_real *numbers, const PlexTarget &target, plex_scalar *partial)
{
  _Pragma("unroll 1")
  for (int c = plex_warp(); c < n; c += PLEX_PARTIAL_WARPS) {
    const unsigned short *from  = lines + heads[2 * c] * PLEX_PARTIAL_LINE;
    const int             times = heads[2 * c + 1];
    const unsigned        to    = ((const unsigned *)from)[threadIdx.x % 32];
    plex_scalar           sum   = 0;

    _Pragma("unroll 1")
    for (int k = 0; k < times; ++k) {
      const PlexPartialCodes<2> codes = plex_partial_codes<2>(from + 2 * PLEX_PARTIAL_LINE, k);

      _Pragma("unroll")
      for (int j = 0; j < 4; ++j) sum += plex_partial_number<2>(numbers, codes, j);
    }
    plex_partial_put(to, sum, target, partial);
  }
}

// What a part's sums read, to the L2 cache meanwhile
PLEX_DEVICE void plex_partial_fetch(const PlexPartialArgs &args, int part)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  const unsigned bytes = args.parts[part].lines * PLEX_PARTIAL_LINE * (unsigned)sizeof(unsigned short);

  if (bytes) asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(args.codes + (plex_index)args.parts[part].codes * PLEX_PARTIAL_LINE), "r"(bytes) : "memory");
#else
  (void)args, (void)part;
#endif
}

// Where the codes and heads of a part are, and the first ones of a warp, which are read before there are numbers
struct PlexPartialPlan {
  PlexPartialPart         part;
  const unsigned short   *lines[PLEX_PARTIAL_KINDS];
  const PlexPartialHeads *heads[2];
  PlexPartialCodes<1>     s1, t1;
  PlexPartialCodes<2>     s2, t2;
  PlexPartialHeads        h1, h2;
};
PLEX_DEVICE PlexPartialPlan plex_partial_begin(const PlexPartialArgs &args, int block)
{
  const int       warp = plex_warp();
  PlexPartialPlan p    = {};

  p.part                           = args.parts[block];
  p.lines[PLEX_PARTIAL_SUMS_1]     = args.codes + (plex_index)p.part.codes * PLEX_PARTIAL_LINE;
  p.lines[PLEX_PARTIAL_SUMS_2]     = p.lines[PLEX_PARTIAL_SUMS_1] + p.part.n[PLEX_PARTIAL_SUMS_1] * 4 * PLEX_PARTIAL_LINE;
  p.lines[PLEX_PARTIAL_TARGETS_1]  = p.lines[PLEX_PARTIAL_SUMS_2] + p.part.n[PLEX_PARTIAL_SUMS_2] * 8 * PLEX_PARTIAL_LINE;
  p.lines[PLEX_PARTIAL_TARGETS_2]  = p.lines[PLEX_PARTIAL_TARGETS_1] + p.part.n[PLEX_PARTIAL_TARGETS_1] * 4 * PLEX_PARTIAL_LINE;
  p.lines[PLEX_PARTIAL_FEW]        = p.lines[PLEX_PARTIAL_TARGETS_2] + p.part.n[PLEX_PARTIAL_TARGETS_2] * 8 * PLEX_PARTIAL_LINE;
  p.heads[0]                       = (const PlexPartialHeads *)(args.heads + p.part.heads);
  p.heads[1]                       = p.heads[0] + p.part.n[PLEX_PARTIAL_TARGETS_1];
  if (warp < p.part.n[PLEX_PARTIAL_SUMS_1]) p.s1 = plex_partial_codes<1>(p.lines[PLEX_PARTIAL_SUMS_1], warp);
  if (warp < p.part.n[PLEX_PARTIAL_SUMS_2]) p.s2 = plex_partial_codes<2>(p.lines[PLEX_PARTIAL_SUMS_2], warp);
  if (warp < p.part.n[PLEX_PARTIAL_TARGETS_1]) {
    p.t1 = plex_partial_codes<1>(p.lines[PLEX_PARTIAL_TARGETS_1], warp);
    p.h1 = p.heads[0][warp];
  }
  if (warp < p.part.n[PLEX_PARTIAL_TARGETS_2]) {
    p.t2 = plex_partial_codes<2>(p.lines[PLEX_PARTIAL_TARGETS_2], warp);
    p.h2 = p.heads[1][warp];
  }
  return p;
}

// All sums of a part, by all warps of the block
PLEX_DEVICE void plex_partial_sums(const PlexArgs &args, const PlexPartialPlan &p, const plex_real *numbers, plex_scalar *partial)
{
  const PlexTarget target = plex_target(args);
  plex_scalar     *to     = partial + p.part.partial;

  plex_partial_all_targets<2>(p.part.n[PLEX_PARTIAL_TARGETS_2], p.lines[PLEX_PARTIAL_TARGETS_2], p.heads[1], p.t2, p.h2, numbers, target);
  plex_partial_all_sums<1>(p.part.n[PLEX_PARTIAL_SUMS_1], p.lines[PLEX_PARTIAL_SUMS_1], p.s1, numbers, to);
  plex_partial_all_targets<1>(p.part.n[PLEX_PARTIAL_TARGETS_1], p.lines[PLEX_PARTIAL_TARGETS_1], p.heads[0], p.t1, p.h1, numbers, target);
  plex_partial_all_sums<2>(p.part.n[PLEX_PARTIAL_SUMS_2], p.lines[PLEX_PARTIAL_SUMS_2], p.s2, numbers, to + p.part.n[PLEX_PARTIAL_SUMS_1] * PLEX_PARTIAL_BATCH);
  plex_partial_few(p.part.n[PLEX_PARTIAL_FEW], p.lines[PLEX_PARTIAL_FEW], numbers, target, partial);
  plex_partial_many(p.part.n[PLEX_PARTIAL_MANY], p.lines[PLEX_PARTIAL_SUMS_1], (const int *)(p.heads[1] + p.part.n[PLEX_PARTIAL_TARGETS_2]), numbers, target, partial);
}

// ---- Rows to which several parts add

// As many bytes as a chunk, read at once
struct alignas(16) PlexPartialHead {
  int      first;
  unsigned codes;
  int      bases;
  unsigned sizes;
};
static_assert(sizeof(PlexPartialHead) == sizeof(PlexPartialChunk), "as it is read");

PLEX_DEVICE const unsigned *plex_partial_shape(const PlexPartialArgs &parts, const PlexPartialHead &h)
{
  return (const unsigned *)(parts.shapes + (plex_index)h.codes * PLEX_PARTIAL_LINE) + threadIdx.x % 32;
}

// The partial sum of a code; base: where the lane's run begins
PLEX_DEVICE plex_scalar plex_partial_read(const plex_scalar *partial, int base, unsigned code)
{
  const int run = __shfl_sync(0xffffffffu, base, (int)(code & ((1u << PLEX_PARTIAL_RUN_BITS) - 1)));

  return code == PLEX_PARTIAL_NONE ? 0 : partial[run + (int)(code >> PLEX_PARTIAL_RUN_BITS)];
}

// What the pairs of a chunk but the first one add
PLEX_DEVICE plex_scalar plex_partial_others(const PlexPartialArgs &parts, const plex_scalar *partial, const PlexPartialHead &h, int base, plex_scalar sum)
{
  const int pairs = (int)(h.sizes >> 16);

  _Pragma("unroll 1")
  for (int k = 1; k < pairs; ++k) {
    const unsigned code = plex_partial_shape(parts, h)[32 * k];

    if ((h.sizes >> 8 & 0xff) == PLEX_PARTIAL_APART) {
      if (code != 0xffffffffu) sum += partial[code];
    } else {
      const plex_scalar v = plex_partial_read(partial, base, code & 0xffff), w = plex_partial_read(partial, base, code >> 16);

      sum += v;
      sum += w;
    }
  }
  return sum;
}

// A warp sums some chunks at a time, what it reads of all of them on its way together: heads, then codes and bases, then partial sums. Reads of a chunk 16 bytes, 4 bytes a run and
// codes, of a partial sum 8 bytes; writes 8 bytes a target
extern "C" __global__ void __launch_bounds__(PLEX_REDUCE_BLOCK, PLEX_REDUCE_RESIDENT) plex_reduce(PlexArgs args, const plex_scalar *partial, PlexPartialArgs parts, int batches)
{
  constexpr int    chunks = PLEX_PARTIAL_CHUNKS, step = PLEX_REDUCE_BLOCK / 32;
  const int        lane = threadIdx.x % 32, begin = blockIdx.x * PLEX_REDUCE_BATCHES, end = batches - begin < PLEX_REDUCE_BATCHES ? batches : begin + PLEX_REDUCE_BATCHES;
  const PlexTarget target = plex_target(args);

  _Pragma("unroll 1")
  for (int b = begin + plex_warp(); b < end; b += step) {
    PlexPartialHead head[chunks];
    unsigned        code[chunks];
    int             base[chunks];
    plex_scalar     v[chunks], w[chunks];

    _Pragma("unroll")
    for (int k = 0; k < chunks; ++k) head[k] = ((const PlexPartialHead *)parts.chunks)[b * chunks + k];
    _Pragma("unroll")
    for (int k = 0; k < chunks; ++k) {
      const int runs = (int)(head[k].sizes >> 8 & 0xff);

      code[k] = *plex_partial_shape(parts, head[k]);
      base[k] = lane < runs && runs != PLEX_PARTIAL_APART ? parts.bases[head[k].bases + lane] : 0;
    }
    _Pragma("unroll")
    for (int k = 0; k < chunks; ++k) {
      v[k] = plex_partial_read(partial, base[k], code[k] & 0xffff);
      w[k] = plex_partial_read(partial, base[k], code[k] >> 16);
    }
    _Pragma("unroll")
    for (int k = 0; k < chunks; ++k) {
      plex_scalar sum = v[k] + w[k];

      if (head[k].sizes >> 16 > 1) sum = plex_partial_others(parts, partial, head[k], base[k], sum);
      if (lane < (int)(head[k].sizes & 0xff)) (target + head[k].first)[lane] = sum;
    }
  }
}
PLEX_EXPORT_KERNEL(plex_reduce)
