// Sums of the element matrices of a part of the mesh, each of which is computed once: from shared memory, where they are, a lane sums a target, straight into the matrix
// where no other part adds to its row; of other rows partial sums go to memory, side by side, and a second kernel adds those of all parts.
//
// Of hexahedra of order 2 in a part of 4 x 4 x 4 of a box 307 of an element's 512 targets are of rows that the part sums alone, and there are 254 partial sums: in the place of 378
// numbers of each element, which two rows each read again, these are written and read once. Most targets are one number: there is a list of those, one of sums of two, and two of
// the few others.
#pragma once

#include "assembly/partial_args.h"

#define PLEX_PARTIAL_ZERO (32 * PLEX_PARTIAL_PLACES * PLEX_PARTIAL_HALVES) // code of a number that is zero

#define PLEX_PARTIAL_WARPS (PLEX_BLOCK / 32)

// Codes of a lane of a batch, as they are read
template <int codes>
struct alignas(8 * codes) PlexPartialCodes {
  unsigned of[2 * codes];
};
struct alignas(16) PlexPartialTwo {
  plex_scalar of[2];
};

template <int codes>
PLEX_DEVICE PlexPartialCodes<codes> plex_partial_codes(const unsigned short *lines, int b)
{
  return ((const PlexPartialCodes<codes> *)lines)[b * 32 + threadIdx.x % 32];
}

// Number j of a lane, of a batch of one code each or of two; whether there is one, or it is the zero behind all numbers
template <int codes>
PLEX_DEVICE unsigned plex_partial_code(const PlexPartialCodes<codes> &c, int j)
{
  return codes == 1 ? c.of[j / 2] >> 16 * (j % 2) & 0xffff : c.of[j % (2 * codes)] & 0xffff;
}
template <int codes>
PLEX_DEVICE plex_scalar plex_partial_number(const plex_real *numbers, const PlexPartialCodes<codes> &c, int j)
{
  const plex_scalar first = (plex_scalar)numbers[plex_partial_code<codes>(c, j)];

  return codes == 1 ? first : first + (plex_scalar)numbers[c.of[j % (2 * codes)] >> 16];
}

// Some batches of partial sums, which lie side by side from `to` on, and a batch of targets by their heads, of which lane `at` has the first one. What is read of all comes before
// what is written, as the compiler leaves reads behind writes where they are
template <int codes, int n>
PLEX_DEVICE void plex_partial_put(const PlexPartialCodes<codes> c[], const plex_real *numbers, plex_scalar *to)
{
  const int   lane = threadIdx.x % 32;
  plex_scalar v[n][4];

  _Pragma("unroll")
  for (int k = 0; k < n; ++k) _Pragma("unroll")
  for (int j = 0; j < 4; ++j) v[k][j] = plex_partial_number<codes>(numbers, c[k], j);
  _Pragma("unroll")
  for (int k = 0; k < n; ++k) _Pragma("unroll")
  for (int h = 0; h < 2; ++h) ((PlexPartialTwo *)(to + k * PLEX_PARTIAL_BATCH))[32 * h + lane] = PlexPartialTwo{v[k][2 * h], v[k][2 * h + 1]};
}
template <int codes>
PLEX_DEVICE void plex_partial_put(const PlexPartialCodes<codes> &c, const plex_real *numbers, int heads, int at, const PlexTarget &target)
{
  plex_scalar v[4];
  int         first[4];

  _Pragma("unroll")
  for (int j = 0; j < 4; ++j) first[j] = __shfl_sync(0xffffffffu, heads, at + j);
  _Pragma("unroll")
  for (int j = 0; j < 4; ++j) v[j] = plex_partial_number<codes>(numbers, c, j);
  _Pragma("unroll")
  for (int j = 0; j < 4; ++j)
    if (plex_partial_code<codes>(c, j) != PLEX_PARTIAL_ZERO) (target + first[j])[threadIdx.x % 32] = v[j];
}

// Batches of a warp that are on their way together, of each kind
#define PLEX_PARTIAL_AHEAD_SUMS_1    8
#define PLEX_PARTIAL_AHEAD_SUMS_2    3
#define PLEX_PARTIAL_AHEAD_TARGETS_1 4
#define PLEX_PARTIAL_AHEAD_TARGETS_2 4

// Some batches of a warp, and of targets their heads, of a lane each
template <int codes, int ahead>
struct PlexPartialSome {
  PlexPartialCodes<codes> of[ahead];
  int                     heads;
};

// The batches of n that are this warp's
struct PlexPartialRange {
  int begin, end;
};
PLEX_DEVICE PlexPartialRange plex_partial_range(int n)
{
  const int warp = plex_warp();

  return PlexPartialRange{n * warp / PLEX_PARTIAL_WARPS, n * (warp + 1) / PLEX_PARTIAL_WARPS};
}

// Those from b on; heads NULL: of partial sums
template <int codes, int ahead>
PLEX_DEVICE void plex_partial_load(const PlexPartialRange &range, int b, const unsigned short *lines, const int *heads, PlexPartialSome<codes, ahead> &to)
{
  const int lane = threadIdx.x % 32;

  _Pragma("unroll")
  for (int k = 0; k < ahead; ++k)
    if (b + k < range.end) to.of[k] = plex_partial_codes<codes>(lines, b + k);
  if (heads && lane < 4 * ahead && b + lane / 4 < range.end) to.heads = heads[4 * b + lane];
}

// Those of a warp from b on, two at a time
template <int codes, int ahead>
PLEX_DEVICE void plex_partial_put_some(const PlexPartialRange &range, int b, const PlexPartialSome<codes, ahead> &some, const plex_real *numbers, plex_scalar *to)
{
  _Pragma("unroll")
  for (int k = 0; k < ahead; k += 2) {
    if (k + 1 < ahead && b + k + 1 < range.end) plex_partial_put<codes, 2>(&some.of[k], numbers, to + (b + k) * PLEX_PARTIAL_BATCH);
    else if (b + k < range.end) plex_partial_put<codes, 1>(&some.of[k], numbers, to + (b + k) * PLEX_PARTIAL_BATCH);
  }
}

// All batches of a kind, of which the first ones are there: those after them are on their way. In turns of two names, as a copy of what is on its way waits for it
template <int codes, int ahead>
PLEX_DEVICE void plex_partial_all_sums(int n, const unsigned short *lines, PlexPartialSome<codes, ahead> &a, const plex_real *numbers, plex_scalar *to)
{
  const PlexPartialRange        range = plex_partial_range(n);
  PlexPartialSome<codes, ahead> next;

  _Pragma("unroll 1")
  for (int b = range.begin; b < range.end; b += 2 * ahead) {
    plex_partial_load(range, b + ahead, lines, NULL, next);
    plex_partial_put_some<codes, ahead>(range, b, a, numbers, to);
    plex_partial_load(range, b + 2 * ahead, lines, NULL, a);
    plex_partial_put_some<codes, ahead>(range, b + ahead, next, numbers, to);
  }
}
template <int codes, int ahead>
PLEX_DEVICE void plex_partial_all_targets(int n, const unsigned short *lines, const int *heads, PlexPartialSome<codes, ahead> &a, const plex_real *numbers, const PlexTarget &target)
{
  const PlexPartialRange        range = plex_partial_range(n);
  PlexPartialSome<codes, ahead> next;

  _Pragma("unroll 1")
  for (int b = range.begin; b < range.end; b += 2 * ahead) {
    plex_partial_load(range, b + ahead, lines, heads, next);
    _Pragma("unroll")
    for (int k = 0; k < ahead; ++k)
      if (b + k < range.end) plex_partial_put<codes>(a.of[k], numbers, a.heads, 4 * k, target);
    plex_partial_load(range, b + 2 * ahead, lines, heads, a);
    _Pragma("unroll")
    for (int k = 0; k < ahead; ++k)
      if (b + ahead + k < range.end) plex_partial_put<codes>(next.of[k], numbers, next.heads, 4 * k, target);
  }
}

// A target of more than two numbers
PLEX_DEVICE void plex_partial_put(unsigned to, plex_scalar sum, const PlexTarget &target, plex_scalar *partial)
{
  if (to == 0xffffffffu) return;
  if (to & PLEX_PARTIAL_SUM) partial[to & ~PLEX_PARTIAL_SUM] = sum;
  else *(target + (plex_index)to) = sum;
}

// One of up to four numbers: where it goes, and the codes
struct PlexPartialFew {
  unsigned            to;
  PlexPartialCodes<1> codes;
};
PLEX_DEVICE PlexPartialFew plex_partial_few(const unsigned short *lines, int c)
{
  const unsigned short *from = lines + c * 6 * PLEX_PARTIAL_LINE;

  return PlexPartialFew{((const unsigned *)from)[threadIdx.x % 32], plex_partial_codes<1>(from + 2 * PLEX_PARTIAL_LINE, 0)};
}
PLEX_DEVICE void plex_partial_all_few(int n, const unsigned short *lines, PlexPartialFew few, const plex_real *numbers, const PlexTarget &target, plex_scalar *partial)
{
  _Pragma("unroll 1")
  for (int c = plex_warp(); c < n; c += PLEX_PARTIAL_WARPS) {
    plex_scalar sum = 0;

    _Pragma("unroll")
    for (int j = 0; j < 4; ++j) sum += plex_partial_number<1>(numbers, few.codes, j);
    plex_partial_put(few.to, sum, target, partial);
    if (c + PLEX_PARTIAL_WARPS < n) few = plex_partial_few(lines, c + PLEX_PARTIAL_WARPS);
  }
}

// One of more of them, of which [lane][8] there are several times
PLEX_DEVICE void plex_partial_all_many(int n, const unsigned short *lines, const int *heads, const plex_real *numbers, const PlexTarget &target, plex_scalar *partial)
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

// What a part's sums read, to the L2 cache meanwhile, by one thread
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
  PlexPartialPart                                  part;
  const unsigned short                            *lines[PLEX_PARTIAL_KINDS];
  const int                                       *heads;
  PlexPartialSome<1, PLEX_PARTIAL_AHEAD_SUMS_1>    s1;
  PlexPartialSome<2, PLEX_PARTIAL_AHEAD_SUMS_2>    s2;
  PlexPartialSome<1, PLEX_PARTIAL_AHEAD_TARGETS_1> t1;
  PlexPartialSome<2, PLEX_PARTIAL_AHEAD_TARGETS_2> t2;
  PlexPartialFew                                   few;
};
PLEX_DEVICE void plex_partial_begin(const PlexPartialArgs &args, int block, PlexPartialPlan &p)
{
  p.part                          = args.parts[block];
  p.lines[PLEX_PARTIAL_SUMS_1]    = args.codes + (plex_index)p.part.codes * PLEX_PARTIAL_LINE;
  p.lines[PLEX_PARTIAL_SUMS_2]    = p.lines[PLEX_PARTIAL_SUMS_1] + p.part.n[PLEX_PARTIAL_SUMS_1] * 4 * PLEX_PARTIAL_LINE;
  p.lines[PLEX_PARTIAL_TARGETS_1] = p.lines[PLEX_PARTIAL_SUMS_2] + p.part.n[PLEX_PARTIAL_SUMS_2] * 8 * PLEX_PARTIAL_LINE;
  p.lines[PLEX_PARTIAL_TARGETS_2] = p.lines[PLEX_PARTIAL_TARGETS_1] + p.part.n[PLEX_PARTIAL_TARGETS_1] * 4 * PLEX_PARTIAL_LINE;
  p.lines[PLEX_PARTIAL_FEW]       = p.lines[PLEX_PARTIAL_TARGETS_2] + p.part.n[PLEX_PARTIAL_TARGETS_2] * 8 * PLEX_PARTIAL_LINE;
  p.heads                         = args.heads + p.part.heads;
  if (plex_warp() < p.part.n[PLEX_PARTIAL_FEW]) p.few = plex_partial_few(p.lines[PLEX_PARTIAL_FEW], plex_warp());
  const PlexPartialRange t2 = plex_partial_range(p.part.n[PLEX_PARTIAL_TARGETS_2]), s1 = plex_partial_range(p.part.n[PLEX_PARTIAL_SUMS_1]);

  plex_partial_load(t2, t2.begin, p.lines[PLEX_PARTIAL_TARGETS_2], p.heads + 4 * p.part.n[PLEX_PARTIAL_TARGETS_1], p.t2);
  plex_partial_load(s1, s1.begin, p.lines[PLEX_PARTIAL_SUMS_1], NULL, p.s1);
}

// All sums of a part, by all warps of the block
PLEX_DEVICE void plex_partial_sums(const PlexArgs &args, PlexPartialPlan &p, const plex_real *numbers, plex_scalar *partial)
{
  const PlexTarget       target = plex_target(args);
  const PlexPartialRange t1 = plex_partial_range(p.part.n[PLEX_PARTIAL_TARGETS_1]), s2 = plex_partial_range(p.part.n[PLEX_PARTIAL_SUMS_2]);
  const int             *later = p.heads + 4 * p.part.n[PLEX_PARTIAL_TARGETS_1], *many = later + 4 * p.part.n[PLEX_PARTIAL_TARGETS_2];
  plex_scalar           *to = partial + p.part.partial;

  // those of many numbers, of which few warps have any, first
  plex_partial_all_many(p.part.n[PLEX_PARTIAL_MANY], p.lines[PLEX_PARTIAL_SUMS_1], many, numbers, target, partial);
  plex_partial_all_few(p.part.n[PLEX_PARTIAL_FEW], p.lines[PLEX_PARTIAL_FEW], p.few, numbers, target, partial);
  plex_partial_all_targets(p.part.n[PLEX_PARTIAL_TARGETS_2], p.lines[PLEX_PARTIAL_TARGETS_2], later, p.t2, numbers, target);
  plex_partial_load(t1, t1.begin, p.lines[PLEX_PARTIAL_TARGETS_1], p.heads, p.t1);
  plex_partial_load(s2, s2.begin, p.lines[PLEX_PARTIAL_SUMS_2], NULL, p.s2);
  plex_partial_all_sums(p.part.n[PLEX_PARTIAL_SUMS_1], p.lines[PLEX_PARTIAL_SUMS_1], p.s1, numbers, to);
  plex_partial_all_targets(p.part.n[PLEX_PARTIAL_TARGETS_1], p.lines[PLEX_PARTIAL_TARGETS_1], p.heads, p.t1, numbers, target);
  plex_partial_all_sums(p.part.n[PLEX_PARTIAL_SUMS_2], p.lines[PLEX_PARTIAL_SUMS_2], p.s2, numbers, to + p.part.n[PLEX_PARTIAL_SUMS_1] * PLEX_PARTIAL_BATCH);
}

// ---- Rows to which several parts add

// As many bytes as a chunk
struct alignas(16) PlexPartialHead {
  int      first;
  unsigned codes;
  int      bases;
  unsigned sizes;
};
static_assert(sizeof(PlexPartialChunk) == sizeof(PlexPartialHead), "as it is read");

// Of the chunks of a unit the codes of their first pairs, and where each lane's run begins
struct PlexPartialUnit {
  unsigned code[PLEX_PARTIAL_CHUNKS];
  int      base[PLEX_PARTIAL_CHUNKS];
};
PLEX_DEVICE const unsigned *plex_partial_shape(const PlexPartialArgs &parts, unsigned line)
{
  return (const unsigned *)(parts.shapes + (plex_index)line * PLEX_PARTIAL_LINE) + threadIdx.x % 32;
}
PLEX_DEVICE void plex_partial_unit(const PlexPartialArgs &parts, const PlexPartialHead *heads, PlexPartialUnit &u)
{
  const int lane = threadIdx.x % 32;

  _Pragma("unroll")
  for (int k = 0; k < PLEX_PARTIAL_CHUNKS; ++k) {
    const int runs = (int)(heads[k].sizes >> 8 & 0xff);

    u.code[k] = *plex_partial_shape(parts, heads[k].codes);
    u.base[k] = lane < runs && runs != PLEX_PARTIAL_APART ? parts.bases[heads[k].bases + lane] : 0;
  }
}

// The partial sum of a code; base: where the lane's run begins
PLEX_DEVICE plex_scalar plex_partial_read(const plex_scalar *partial, int base, unsigned code)
{
  const int run = __shfl_sync(0xffffffffu, base, (int)(code & ((1u << PLEX_PARTIAL_RUN_BITS) - 1)));

  return code == PLEX_PARTIAL_NONE ? 0 : partial[run + (int)(code >> PLEX_PARTIAL_RUN_BITS)];
}

// What the pairs of a chunk but the first one add
PLEX_DEVICE plex_scalar plex_partial_others(const PlexPartialArgs &parts, const plex_scalar *partial, unsigned line, unsigned sizes, int base, plex_scalar sum)
{
  const int pairs = (int)(sizes >> 16);

  _Pragma("unroll 1")
  for (int k = 1; k < pairs; ++k) {
    const unsigned code = plex_partial_shape(parts, line)[32 * k];

    if ((sizes >> 8 & 0xff) == PLEX_PARTIAL_APART) {
      if (code != 0xffffffffu) sum += partial[code];
    } else {
      const plex_scalar v = plex_partial_read(partial, base, code & 0xffff), w = plex_partial_read(partial, base, code >> 16);

      sum += v;
      sum += w;
    }
  }
  return sum;
}

// A warp sums units one after the other, the codes of the next one on their way; the heads of all of a block's come first. Reads of a chunk 16 bytes, 4 bytes a run and codes, of a
// partial sum 8 bytes; writes 8 bytes a target
extern "C" __global__ void __launch_bounds__(PLEX_REDUCE_BLOCK, PLEX_REDUCE_RESIDENT) plex_reduce(PlexArgs args, const plex_scalar *partial, PlexPartialArgs parts, int units)
{
  __shared__ PlexPartialHead heads[PLEX_REDUCE_UNITS * PLEX_PARTIAL_CHUNKS];
  constexpr int              step = PLEX_REDUCE_BLOCK / 32;
  const int                  lane = threadIdx.x % 32, begin = blockIdx.x * PLEX_REDUCE_UNITS, n = units - begin < PLEX_REDUCE_UNITS ? units - begin : PLEX_REDUCE_UNITS;
  const PlexTarget           target = plex_target(args);
  PlexPartialUnit            u, next;

  for (int k = threadIdx.x; k < n * PLEX_PARTIAL_CHUNKS; k += PLEX_REDUCE_BLOCK) heads[k] = ((const PlexPartialHead *)parts.chunks)[begin * PLEX_PARTIAL_CHUNKS + k];
  __syncthreads();
  if (plex_warp() < n) plex_partial_unit(parts, heads + plex_warp() * PLEX_PARTIAL_CHUNKS, u);
  _Pragma("unroll 1")
  for (int c = plex_warp(); c < n; c += step) {
    const PlexPartialHead *head = heads + c * PLEX_PARTIAL_CHUNKS;
    plex_scalar            v[PLEX_PARTIAL_CHUNKS], w[PLEX_PARTIAL_CHUNKS];

    _Pragma("unroll")
    for (int k = 0; k < PLEX_PARTIAL_CHUNKS; ++k) {
      v[k] = plex_partial_read(partial, u.base[k], u.code[k] & 0xffff);
      w[k] = plex_partial_read(partial, u.base[k], u.code[k] >> 16);
    }
    if (c + step < n) plex_partial_unit(parts, head + step * PLEX_PARTIAL_CHUNKS, next);
    _Pragma("unroll")
    for (int k = 0; k < PLEX_PARTIAL_CHUNKS; ++k) {
      const unsigned sizes = head[k].sizes;
      plex_scalar    sum   = v[k] + w[k];

      if (sizes >> 16 > 1) sum = plex_partial_others(parts, partial, head[k].codes, sizes, u.base[k], sum);
      if (lane < (int)(sizes & 0xff)) (target + head[k].first)[lane] = sum;
    }
    u = next;
  }
}
PLEX_EXPORT_KERNEL(plex_reduce)
