// Interface reduction: sums of the element matrices of a block of elements, each of which is computed once: from shared
// memory, where they are, a lane sums a target, straight into the matrix where no other block adds to its row. Each
// other row is owned by the last of its blocks, to which the others send partial sums through memory; it adds them to
// its own numbers and writes the row.
//
// In a block of 4 x 4 x 4 hexahedra of order 2 in a box 307 of an element's 512 targets are of rows that the block has
// alone, and 140 partial sums are sent: in the place of 378 numbers of each element, which two rows each read again,
// these are written and read once. Most targets are one number, or one and a partial sum.
//
// A block waits for those before it alone. Thread blocks take blocks of elements in the order in which they begin, by a
// ticket each, as nothing is promised about the order of their numbers: what is waited for is under way or done, and
// waits for nobody itself before it sends. A block waits behind all else, when others have sent what they have.
#pragma once

#include "assembly/partial_args.h"
#include "instructions.cuh"

#define PLEX_PARTIAL_ZERO (32 * PLEX_PARTIAL_PLACES * PLEX_PARTIAL_HALVES) // code of a number that is zero

#define PLEX_PARTIAL_WARPS (PLEX_BLOCK / 32)

// Codes of a lane, as they are read: two of each chunk of a batch, of 16 bits, or four of the rest; and what each chunk
// receives, of 16 bits
struct alignas(16) PlexPartialCodes {
  unsigned of[4];
};
struct alignas(8) PlexPartialReceived {
  unsigned of[2];
};
template <typename Codes>
PLEX_DEVICE Codes plex_partial_codes(const unsigned short *lines)
{
  return ((const Codes *)lines)[threadIdx.x % 32];
}

// The j-th partial sum of a lane, or PLEX_PARTIAL_NONE
PLEX_DEVICE unsigned plex_partial_received(const PlexPartialReceived &c, int j)
{
  return c.of[j / 2] >> 16 * (j % 2) & 0xffff;
}

// Number j of a lane; whether there is one, or it is the zero behind all numbers, as the second one is then, too
PLEX_DEVICE plex_scalar plex_partial_number(const plex_real *numbers, const PlexPartialCodes &c, int j)
{
  return (plex_scalar)numbers[c.of[j] & 0xffff] + (plex_scalar)numbers[c.of[j] >> 16];
}
PLEX_DEVICE bool plex_partial_is(const PlexPartialCodes &c, int j)
{
  return c.of[j] != (PLEX_PARTIAL_ZERO | PLEX_PARTIAL_ZERO << 16);
}

// A block and where the codes and heads of all are; the block in shared memory, so that nothing of the kinds is in
// registers before it is needed
struct PlexPartialLists {
  const PlexPartialPart *part;
  const unsigned short  *codes;
  const int             *heads, *senders;
};

// A kind of it: batches or chunks, and where their codes and heads are
struct PlexPartialList {
  int                   n;
  const unsigned short *lines;
  const int            *heads;
};
PLEX_DEVICE PlexPartialList plex_partial_list(const PlexPartialLists &p, int kind)
{
  const PlexPartialKind k = p.part->of[kind];

  return PlexPartialList{k.n, p.codes + (plex_index)k.line * PLEX_PARTIAL_LINE, p.heads + k.head};
}

// Batches of a warp that are on their way together, of each kind, and of those the ones of which it is asked for what
// they receive; what the last warp, which waits for others meanwhile, has less than another one of the rows that the
// block has alone, in eighths
#define PLEX_PARTIAL_AHEAD_SENT  3
#define PLEX_PARTIAL_AHEAD_ALONE 4
#define PLEX_PARTIAL_AHEAD_OWNED 4
#define PLEX_PARTIAL_RECEIVED    3
#define PLEX_PARTIAL_LESS        6

// The batches of n that are this warp's; the last one has so many of 8 shares less
struct PlexPartialRange {
  int begin, end;
};
PLEX_DEVICE PlexPartialRange plex_partial_range(int n, int less)
{
  constexpr int warps = PLEX_PARTIAL_WARPS;
  const int     warp  = plex_warp();

  return PlexPartialRange{n * 8 * warp / (8 * warps - less),
                          warp == warps - 1 ? n : n * 8 * (warp + 1) / (8 * warps - less)};
}

// A batch: codes, in lanes 0 to 3 the heads, and of rows that are owned what is received
template <bool owned>
struct PlexPartialBatch {
  PlexPartialCodes    of;
  PlexPartialReceived received;
  int                 heads;
  plex_scalar         r[owned ? 4 : 1];
};

// Batch b, if it is this warp's
template <bool owned>
PLEX_DEVICE void plex_partial_load(const PlexPartialList &list, const PlexPartialRange &range, int b,
                                   PlexPartialBatch<owned> &to)
{
  constexpr int         lines = owned ? PLEX_PARTIAL_OWNED_LINES : PLEX_PARTIAL_LINES;
  const unsigned short *from  = list.lines + b * lines * PLEX_PARTIAL_LINE;

  if (b >= range.end) return;
  to.of = plex_partial_codes<PlexPartialCodes>(from);
  if (owned) to.received = plex_partial_codes<PlexPartialReceived>(from + PLEX_PARTIAL_LINES * PLEX_PARTIAL_LINE);
  if (threadIdx.x % 32 < PLEX_PARTIAL_CHUNKS) to.heads = list.heads[PLEX_PARTIAL_CHUNKS * b + threadIdx.x % 32];
}

// What it receives
template <bool owned>
PLEX_DEVICE void plex_partial_receive(const PlexPartialRange &range, int b, const plex_scalar *received,
                                      PlexPartialBatch<owned> &batch)
{
  if (!owned || b >= range.end) return;
  _Pragma("unroll")
  for (int j = 0; j < 4; ++j) {
    const unsigned code = plex_partial_received(batch.received, j);

    batch.r[owned ? j : 0] = code != PLEX_PARTIAL_NONE ? received[code] : 0;
  }
}

// The lane's place of a chunk, from targets on which are this lane's
#if PLEX_PARALLEL
PLEX_DEVICE PlexTarget plex_partial_lane(const PlexTarget &target)
{
  return PlexTarget{target.A + threadIdx.x % 32, target.B + threadIdx.x % 32, target.nA};
}
#endif
PLEX_DEVICE plex_scalar *plex_partial_lane(plex_scalar *target)
{
  return target + threadIdx.x % 32;
}

// A batch to its targets, which begin at this lane's. All numbers are read before the first target is written: else few
// are on their way
template <bool sent, bool owned, typename Target>
PLEX_DEVICE void plex_partial_put(const PlexPartialBatch<owned> &batch, const plex_real *numbers, const Target &target)
{
  plex_scalar v[4];
  int         first[4];

  _Pragma("unroll")
  for (int j = 0; j < 4; ++j) first[j] = plex_lane_get(batch.heads, j);
  _Pragma("unroll")
  for (int j = 0; j < 4; ++j) v[j] = plex_partial_number(numbers, batch.of, j);
  plex_lanes_sync();
  _Pragma("unroll")
  for (int j = 0; j < 4; ++j) {
    const bool is = plex_partial_is(batch.of, j) ||
                    (owned && plex_partial_received(batch.received, j) != PLEX_PARTIAL_NONE);

    if (is && sent) plex_store_kept(target + first[j], v[j]); // another block reads it soon
    else if (is) *(target + first[j]) = owned ? v[j] + batch.r[owned ? j : 0] : v[j];
  }
}

// Batches of a kind, n of which are on their way
template <int n, bool owned>
PLEX_DEVICE void plex_partial_first(const PlexPartialList &list, int less, PlexPartialBatch<owned> (&batch)[n])
{
  const PlexPartialRange range = plex_partial_range(list.n, less);

  _Pragma("unroll")
  for (int k = 0; k < n; ++k) plex_partial_load(list, range, range.begin + k, batch[k]);
}

// All of a warp, of which the first ones are there. What a batch receives is asked for `ahead` batches before. The
// first n turns of them are not in a loop, at whose beginning a warp waits for all that is on its way
template <bool sent, int turns, int n, bool owned, typename Target>
PLEX_DEVICE void plex_partial_all(const PlexPartialList &list, int less, PlexPartialBatch<owned> (&batch)[n],
                                  const plex_real *numbers, const plex_scalar *received, const Target &target)
{
  constexpr int          ahead = owned ? PLEX_PARTIAL_RECEIVED : 0;
  const PlexPartialRange range = plex_partial_range(list.n, less);
  const auto             at    = plex_partial_lane(target);

  _Pragma("unroll")
  for (int k = 0; k < ahead; ++k) plex_partial_receive(range, range.begin + k, received, batch[k]);
  _Pragma("unroll")
  for (int k = 0; k < turns * n; ++k) {
    const int b = range.begin + k;

    if (b >= range.end) return;
    if (owned) plex_partial_receive(range, b + ahead, received, batch[(k + ahead) % n]);
    plex_partial_put<sent>(batch[k % n], numbers, at);
    plex_partial_load(list, range, b + n, batch[k % n]);
  }
  _Pragma("unroll 1")
  for (int first = range.begin + turns * n; first < range.end; first += n) {
    _Pragma("unroll")
    for (int k = 0; k < n; ++k) {
      if (first + k >= range.end) return;
      if (owned) plex_partial_receive(range, first + k + ahead, received, batch[(k + ahead) % n]);
      plex_partial_put<sent>(batch[k], numbers, at);
      plex_partial_load(list, range, first + k + n, batch[k]);
    }
  }
}

// Targets that are in no batch, a chunk of 32: where they go, the first codes, where they are, and how often there are
// some
struct PlexPartialRest {
  unsigned              to;
  int                   times;
  const unsigned short *lines;
  PlexPartialCodes      codes;
};
PLEX_DEVICE PlexPartialRest plex_partial_rest(const PlexPartialList &list, int c)
{
  const unsigned short *lines = list.lines + (plex_index)list.heads[2 * c] * PLEX_PARTIAL_LINE;

  return PlexPartialRest{(unsigned)list.heads[2 * list.n + PLEX_PARTIAL_LINE * c + (int)threadIdx.x % 32],
                         list.heads[2 * c + 1], lines, plex_partial_codes<PlexPartialCodes>(lines)};
}

// A code has 32 bits and is a number or a partial sum that the block receives
PLEX_DEVICE plex_scalar plex_partial_sum(const PlexPartialCodes &c, const plex_real *numbers,
                                         const plex_scalar *received)
{
  plex_scalar v[PLEX_PARTIAL_REST_CODES];

  _Pragma("unroll")
  for (int j = 0; j < PLEX_PARTIAL_REST_CODES; ++j)
    v[j] = c.of[j] & PLEX_PARTIAL_SUM ? received[c.of[j] & ~PLEX_PARTIAL_SUM] : (plex_scalar)numbers[c.of[j]];
  return ((v[0] + v[1]) + v[2]) + v[3];
}

// All of a warp, of which the first one is there. They go to the matrix or are sent themselves
PLEX_DEVICE void plex_partial_all_rest(const PlexPartialList &list, PlexPartialRest rest, const plex_real *numbers,
                                       const plex_scalar *received, const PlexTarget &target, plex_scalar *partial)
{
  _Pragma("unroll 1")
  for (int c = plex_warp(); c < list.n; c += PLEX_PARTIAL_WARPS) {
    plex_scalar sum = 0;

    if (c >= PLEX_PARTIAL_WARPS) rest = plex_partial_rest(list, c);
    _Pragma("unroll 1")
    for (int k = 1; k < rest.times; ++k) {
      sum += plex_partial_sum(rest.codes, numbers, received);
      rest.codes = plex_partial_codes<PlexPartialCodes>(rest.lines + PLEX_PARTIAL_REST_LINES * k * PLEX_PARTIAL_LINE);
    }
    sum += plex_partial_sum(rest.codes, numbers, received);
    if (rest.to == 0xffffffffu) continue;
    if (rest.to & PLEX_PARTIAL_SUM) partial[rest.to & ~PLEX_PARTIAL_SUM] = sum;
    else *(target + (plex_index)rest.to) = sum;
  }
}

// To the L2 cache meanwhile, by one thread
PLEX_DEVICE void plex_partial_fetch(const void *from, unsigned bytes)
{
  if (bytes) plex_prefetch_L2_bulk(from, bytes);
}

// The codes of a kind
PLEX_DEVICE void plex_partial_fetch_codes(const PlexPartialArgs &args, int part, int kind)
{
  const PlexPartialKind k = args.parts[part].of[kind];

  plex_partial_fetch(args.codes + (plex_index)k.line * PLEX_PARTIAL_LINE,
                     k.lines * PLEX_PARTIAL_LINE * (unsigned)sizeof(unsigned short));
}

// The block's block: that of its ticket, which the last block sets back for the next launch. All threads; ends in a
// barrier
PLEX_DEVICE int plex_partial_take(unsigned *ticket)
{
  __shared__ int part;

  if (threadIdx.x == 0) part = (int)atomicInc(ticket, gridDim.x - 1);
  __syncthreads();
  return part;
}

// The block has sent all it has to send. Only the last warp waits for the others, and until what they wrote is where
// other blocks see it
PLEX_DEVICE void plex_partial_publish(unsigned *sent)
{
#if PLEX_NUMBERED_BARRIERS
  if (plex_warp() < PLEX_PARTIAL_WARPS - 1) plex_bar_arrive<3, PLEX_BLOCK>();
  else {
    plex_bar_sync<3, PLEX_BLOCK>();
    if (threadIdx.x % 32 == 0) {
      __threadfence();
      plex_add_relaxed(sent, 1);
    }
    plex_lanes_sync();
  }
#else
  __syncthreads();
  if (threadIdx.x == PLEX_BLOCK - 1) {
    __threadfence();
    plex_add_relaxed(sent, 1);
  }
#endif
}

// Until n senders have, in so many launches: the last warp sees to it, the others wait for that one
PLEX_DEVICE void plex_partial_wait(const unsigned *sent, const int *senders, int n, unsigned launches)
{
  if (plex_warp() == PLEX_PARTIAL_WARPS - 1) {
    for (int k = threadIdx.x % 32; k < n; k += 32)
      while ((int)(plex_load_acquire(sent + senders[k]) - launches) < 0);
    plex_lanes_sync();
  }
#if PLEX_NUMBERED_BARRIERS
  plex_bar_sync<4, PLEX_BLOCK>();
#else
  __syncthreads();
#endif
}

// What was received has been read, by all warps: it need not go to memory. A multiple of 128 bytes
PLEX_DEVICE void plex_partial_forget(plex_scalar *received, int n)
{
#if PLEX_ARCH >= 800
  constexpr int line = 128 / (int)sizeof(plex_scalar);

  __syncthreads();
  for (int k = threadIdx.x * line; k < n; k += PLEX_BLOCK * line) plex_discard_line(received + k);
#endif
}

// The first codes of a warp, which are read before there are numbers
struct PlexPartialFirst {
  PlexPartialBatch<false> sent[PLEX_PARTIAL_AHEAD_SENT];
  PlexPartialBatch<false> alone[PLEX_PARTIAL_AHEAD_ALONE];
  PlexPartialRest         rest;
};
PLEX_DEVICE void plex_partial_begin(const PlexPartialLists &p, PlexPartialFirst &first)
{
  const PlexPartialList rest = plex_partial_list(p, PLEX_PARTIAL_REST);

  if (plex_warp() < rest.n) first.rest = plex_partial_rest(rest, plex_warp());
  plex_partial_first(plex_partial_list(p, PLEX_PARTIAL_SENT), 0, first.sent);
  plex_partial_first(plex_partial_list(p, PLEX_PARTIAL_ALONE), PLEX_PARTIAL_LESS, first.alone);
}

// All sums of a block, by all warps of the block, in one of so many launches
PLEX_DEVICE void plex_partial_sums(const PlexArgs &args, const PlexPartialLists &p, unsigned *sent, int block,
                                   PlexPartialFirst &of, const plex_real *numbers, plex_scalar *partial,
                                   unsigned launches)
{
  const PlexTarget       target   = plex_target(args);
  plex_scalar           *received = partial + p.part->received;
  const PlexPartialList  rest     = plex_partial_list(p, PLEX_PARTIAL_REST_OWNED);
  PlexPartialBatch<true> owned[PLEX_PARTIAL_AHEAD_OWNED];
  PlexPartialRest        m;

  plex_partial_all_rest(plex_partial_list(p, PLEX_PARTIAL_REST), of.rest, numbers, received, target, partial);
  plex_partial_all<true, 1>(plex_partial_list(p, PLEX_PARTIAL_SENT), 0, of.sent, numbers, received, partial);
  plex_partial_publish(sent + block);
  if (threadIdx.x == 0) plex_partial_fetch(received, p.part->nreceived * (unsigned)sizeof(plex_scalar));
  plex_partial_first(plex_partial_list(p, PLEX_PARTIAL_OWNED), 0, owned);
  if (plex_warp() < rest.n) m = plex_partial_rest(rest, plex_warp());
  plex_partial_all<false, 2>(plex_partial_list(p, PLEX_PARTIAL_ALONE), PLEX_PARTIAL_LESS, of.alone, numbers, received,
                             target);
  plex_partial_wait(sent, p.senders + p.part->senders, p.part->nsenders, launches);
  plex_partial_all_rest(rest, m, numbers, received, target, partial);
  plex_partial_all<false, 1>(plex_partial_list(p, PLEX_PARTIAL_OWNED), 0, owned, numbers, received, target);
  plex_partial_forget(received, p.part->nreceived);
}
