// Rows of the matrix whose sums are in a warp's registers (PLEX_SEATS: of a lane, most), of elements of up to 32 dofs whose data lie element by element (packed.cuh).
//
// Each target of a row has a seat, a lane and one of its registers, so that no two entries of a row of an element matrix are in one lane, wherever there is room for it
// (src/assembly/impls/global/seats.c): a lane reads the entry that it adds, and neither shared memory nor other lanes have to do with sums. Where there is no room,
// the row of an element matrix is read twice, with some of its entries each time. Registers of one number have neighbouring targets, and are written together.
//
// Rows that see the same around them have one shape, which comes from the L1 cache.
#pragma once

#include "assembly/seats_args.h"

#if PLEX_SEATS
  #define PLEX_SEATS_WARPS (PLEX_REDUCE_BLOCK / 32)
  #define PLEX_SEATS_WORDS ((int)(sizeof(PlexSeatsPart) / sizeof(unsigned)))
  #define PLEX_SEATS_COUNT 1 // word of a part
  #define PLEX_SEATS_SHAPE 2
  #define PLEX_SEATS_MORE  3
  #define PLEX_SEATS_ITEM  4 // the first one
static_assert(sizeof(PlexSeatsPart) == (PLEX_SEATS_ITEM + PLEX_SEATS_AHEAD) * sizeof(unsigned) && sizeof(PlexSeatsTargets) == sizeof(PlexSeat), "as a lane reads them");

// As many bytes in two words
struct alignas(8) PlexSeatsWords {
  unsigned of[2];
};

// Adds v to one of the sums
PLEX_DEVICE void plex_seats_add_if(plex_scalar &sum, int own, int g, plex_scalar v)
{
  #if defined(__CUDA_ARCH__)
  asm volatile("{\n.reg .pred p;\nsetp.eq.s32 p, %2, %3;\n@p add.f64 %0, %0, %1;\n}" : "+d"(sum) : "d"(v), "r"(own), "r"(g));
  #else
  if (own == g) sum += v;
  #endif
}

// The words of a part of a row, of a lane each
PLEX_DEVICE unsigned plex_seats_words(const PlexSeatsArgs &rows, int r, int end)
{
  const int lane = threadIdx.x % 32;

  return r < end && lane < PLEX_SEATS_WORDS ? ((const unsigned *)rows.parts)[r * PLEX_SEATS_WORDS + lane] : 0;
}

// The lane's first seats of it
PLEX_DEVICE const PlexSeatsWords *plex_seats_shape(const PlexSeatsArgs &rows, unsigned words)
{
  return (const PlexSeatsWords *)rows.seats + (__shfl_sync(0xffffffffu, words, PLEX_SEATS_SHAPE) + threadIdx.x % 32);
}

// What the lane reads of n items at most, which lanes `at` on have
PLEX_DEVICE void plex_seats_read(int n, const plex_real *G, unsigned items, int at, PlexSeatsWords seats, plex_real v[])
{
  _Pragma("unroll")
  for (int m = 0; m < PLEX_SEATS_AHEAD; ++m) {
    const unsigned item = __shfl_sync(0xffffffffu, items, at + m);

    if (m < n) v[m] = G[item + (seats.of[m / 2] >> 16 * (m % 2) & ((1u << PLEX_SEAT_ENTRY_BITS) - 1))];
  }
}

// Adds them
template <int groups>
PLEX_DEVICE void plex_seats_add(int n, const plex_real v[], PlexSeatsWords seats, plex_scalar sums[])
{
  _Pragma("unroll")
  for (int m = 0; m < PLEX_SEATS_AHEAD; ++m) {
    const int own = (int)(seats.of[m / 2] >> (16 * (m % 2) + PLEX_SEAT_ENTRY_BITS) & 7);

    if (m >= n) break;
    _Pragma("unroll")
    for (int g = 0; g < groups; ++g) plex_seats_add_if(sums[g], own, g, (plex_scalar)v[m]);
  }
}

PLEX_DEVICE unsigned plex_seats_target(PlexSeatsWords targets, int g)
{
  return targets.of[g / 4] >> 8 * (g % 4) & 255;
}

// A part of a row: what an earlier pass has left there, if it is added to, and its items, of whose first ones there is what the lane reads
template <int groups>
PLEX_DEVICE void plex_seats_sum(const PlexSeatsArgs &rows, const plex_real *G, unsigned words, PlexSeatsWords seats, const plex_real first[], int count, plex_scalar *to, bool onto)
{
  const PlexSeatsWords *shape   = plex_seats_shape(rows, words);
  const PlexSeatsWords  targets = shape[-32];
  plex_scalar           sums[groups];

  _Pragma("unroll")
  for (int g = 0; g < groups; ++g) sums[g] = 0;
  if (onto) {
    _Pragma("unroll")
    for (int g = 0; g < groups; ++g)
      if (plex_seats_target(targets, g) != 255) sums[g] = to[plex_seats_target(targets, g)];
  }
  plex_seats_add<groups>(count, first, seats, sums);
  if (count > PLEX_SEATS_AHEAD) {
    const int       lane = threadIdx.x % 32, others = count - PLEX_SEATS_AHEAD;
    const unsigned *from  = rows.items + (__shfl_sync(0xffffffffu, words, PLEX_SEATS_MORE) + lane);
    unsigned        items = 0;

    _Pragma("unroll 1")
    for (int c = 0; c < others; c += PLEX_SEATS_AHEAD) {
      plex_real v[PLEX_SEATS_AHEAD];

      shape += 32;
      seats = *shape;
      if (c % 32 == 0 && c + lane < others) items = from[c];
      plex_seats_read(others - c, G, items, c % 32, seats, v);
      plex_seats_add<groups>(others - c, v, seats, sums);
    }
  }
  _Pragma("unroll")
  for (int g = 0; g < groups; ++g)
    if (plex_seats_target(targets, g) != 255) to[plex_seats_target(targets, g)] = sums[g];
}

PLEX_DEVICE int plex_seats_count(unsigned words)
{
  return (int)(__shfl_sync(0xffffffffu, words, PLEX_SEATS_COUNT) >> PLEX_SEATS_GROUP_BITS);
}

// A warp sums one part of a row after the other; meanwhile what it reads of the next one is on its way, the seats of that after it, and the words of the third. Parts from
// `fresh` on start from what an earlier pass has left. Reads of an item 4 bytes and 64 of its shape, and EF numbers, of a part 16 bytes and 256 of its shape; writes
// 8 bytes a target.
extern "C" __global__ void __launch_bounds__(PLEX_REDUCE_BLOCK, PLEX_REDUCE_RESIDENT) plex_reduce(PlexArgs args, const plex_real *G, PlexSeatsArgs rows, int parts, int fresh)
{
  constexpr int    step  = PLEX_SEATS_WARPS;
  const int        first = blockIdx.x * PLEX_REDUCE_ROWS, end = parts - first < PLEX_REDUCE_ROWS ? parts : first + PLEX_REDUCE_ROWS;
  const PlexTarget target = plex_target(args);
  int              r      = first + plex_warp();
  unsigned         words[3];
  PlexSeatsWords   seats[2];
  plex_real        v[PLEX_SEATS_AHEAD];

  _Pragma("unroll")
  for (int k = 0; k < 3; ++k) words[k] = plex_seats_words(rows, r + k * step, end);
  _Pragma("unroll")
  for (int k = 0; k < 2; ++k) seats[k] = *plex_seats_shape(rows, words[k]);
  plex_seats_read(plex_seats_count(words[0]), G, words[0], PLEX_SEATS_ITEM, seats[0], v);
  _Pragma("unroll 1")
  for (; r < end; r += step) {
    const unsigned       third = plex_seats_words(rows, r + 3 * step, end), head = __shfl_sync(0xffffffffu, words[0], PLEX_SEATS_COUNT);
    const PlexSeatsWords second = *plex_seats_shape(rows, words[2]);
    const int            groups = (int)(head & ((1u << PLEX_SEATS_GROUP_BITS) - 1)), count = (int)(head >> PLEX_SEATS_GROUP_BITS);
    plex_scalar         *to   = target + (plex_index)(int)__shfl_sync(0xffffffffu, words[0], 0);
    const bool           onto = r >= fresh;
    plex_real            next[PLEX_SEATS_AHEAD];

    plex_seats_read(plex_seats_count(words[1]), G, words[1], PLEX_SEATS_ITEM, seats[1], next);
    if (PLEX_SEATS <= 2 || groups <= 2) plex_seats_sum<2>(rows, G, words[0], seats[0], v, count, to, onto);
    else if (PLEX_SEATS <= 4 || groups <= 4) plex_seats_sum<4>(rows, G, words[0], seats[0], v, count, to, onto);
    else plex_seats_sum<PLEX_SEATS>(rows, G, words[0], seats[0], v, count, to, onto);
    words[0] = words[1];
    words[1] = words[2];
    words[2] = third;
    seats[0] = seats[1];
    seats[1] = second;
    _Pragma("unroll")
    for (int m = 0; m < PLEX_SEATS_AHEAD; ++m) v[m] = next[m];
  }
}
PLEX_EXPORT_KERNEL(plex_reduce)
#endif
