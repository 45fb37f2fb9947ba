// A block of elements of a kernel that computes all of a stage in shared memory: what the faces of an element meet,
// numbers that come to shared memory by themselves, and bytes that are asked for before they are read. PLEX_DG_BLOCK
// threads.
#pragma once

#include "rows.cuh"
#include "fused_args.h"

// What lies across a face
struct PlexDGFace {
  int at;   // neighbour; received trace; facet of the boundary
  int meet; // >= 0: where its nodes are in the table of meeting nodes; -1: boundary; -2 - turn: received
};

PLEX_DEVICE PlexDGFace plex_dg_face_of(const PlexDGArgs &args, int e, int f)
{
  const PlexDGAcross a = plex_dg_across(args, e, f, PLEX_DG_NF);
  PlexDGFace         face;

  face.at   = a.facet >= 0 ? a.facet : a.face < PLEX_DG_FACES ? a.element : a.element - args.Ne;
  face.meet = a.facet >= 0           ? -1
            : a.face < PLEX_DG_FACES ? (a.face * PLEX_DG_TURNS + a.turn) * PLEX_DG_NFP
                                     : -2 - a.turn;
  return face;
}

// Bytes of an element's record, an odd multiple of 16: what lies across its faces, then PLEX_DG_RECORD_REALS reals
#define PLEX_DG_RECORD_BYTES (PLEX_DG_FACES * (int)sizeof(PlexDGFace) + PLEX_DG_RECORD_REALS * (int)sizeof(plex_real))
#define PLEX_DG_RECORD       (((PLEX_DG_RECORD_BYTES + 15) / 16 | 1) * 16)

/* shorts of the table of meeting nodes, an even number */
#define PLEX_DG_MEET ((PLEX_DG_FACES * (PLEX_DG_TURNS + 1) * PLEX_DG_NFP + 1) / 2 * 2)

// size bytes, 4, 8 or 16, which arrive until plex_dg_fetched()
template <int size>
PLEX_DEVICE void plex_dg_copy(void *to, const void *from)
{
  plex_cp_async<size>(to, from);
}

PLEX_DEVICE void plex_dg_fetch(plex_real *to, const plex_state *from)
{
  if constexpr (sizeof(plex_real) == sizeof(plex_state)) plex_dg_copy<sizeof(plex_real)>(to, from);
  else *to = (plex_real)*from;
}

// What was asked for until now is waited for by plex_dg_committed(), what is asked for behind is not
PLEX_DEVICE void plex_dg_commit()
{
  plex_cp_async_commit();
}

PLEX_DEVICE void plex_dg_committed()
{
  plex_cp_async_commit();
  plex_cp_async_wait<1>();
}

PLEX_DEVICE void plex_dg_fetched()
{
  plex_cp_async_wait_all();
}

// Asks for bytes of a block's part of an array, which are read soon
PLEX_DEVICE void plex_dg_prefetch(const void *array, size_t first, unsigned bytes)
{
  plex_prefetch_L2_bulk((const void *)(((size_t)array + first) & ~(size_t)15), bytes & ~15u);
}

// Of an element's row of n numbers, what stands behind them up to the last column that products read is zero, as 0
// times it has to be. Rows of elements that there are not may hold anything: nothing of them is stored.
template <int n, int stride>
PLEX_DEVICE void plex_dg_clear_rest(plex_real *array, int rows)
{
  constexpr int rest = PLEX_DG_STEPS(n) * PLEX_UNIT_K - n;

  if constexpr (rest > 0)
    for (int i = threadIdx.x; i < rows * rest; i += PLEX_DG_BLOCK) array[i / rest * stride + n + i % rest] = 0;
}

// Fields of elements first ... first + n - 1 to shared memory, [NF][PLEX_DG_ELEMENTS][stride]
template <int stride>
PLEX_DEVICE void plex_dg_load_fields(plex_real *to, const plex_state *u, int first, int n)
{
  const plex_state *from = u + (plex_index)first * (PLEX_DG_NF * PLEX_DG_NP);

  _Pragma("unroll 4")
  for (int i = threadIdx.x; i < n * PLEX_DG_NF * PLEX_DG_NP; i += PLEX_DG_BLOCK) {
    const int row = i / PLEX_DG_NP, e = row / PLEX_DG_NF, k = row - e * PLEX_DG_NF;

    plex_dg_fetch(to + (k * PLEX_DG_ELEMENTS + e) * stride + i - row * PLEX_DG_NP, from + i);
  }
}

// Records of elements first ... first + n - 1, and the table of meeting nodes
PLEX_DEVICE void plex_dg_load_records(char *to, short *meet, const void *records, const void *meetings, int first,
                                      int n)
{
  const char *from = (const char *)records + (size_t)first * PLEX_DG_RECORD;

  for (int i = threadIdx.x; i < n * (PLEX_DG_RECORD / 16); i += PLEX_DG_BLOCK)
    plex_dg_copy<16>(to + 16 * i, from + 16 * i);
  for (int i = threadIdx.x; i < PLEX_DG_MEET / 2; i += PLEX_DG_BLOCK)
    plex_dg_copy<4>(meet + 2 * i, (const short *)meetings + 2 * i);
}

#ifdef PLEX_DG_BEHIND // part of a mixed mesh whose states begin at any number
  #define PLEX_DG_LOAD_BYTES (int)sizeof(plex_real)
#else
  #define PLEX_DG_LOAD_BYTES 16
#endif

// States of a block's elements, n numbers each, to rows of shared memory
template <int n, int stride>
PLEX_DEVICE void plex_dg_load_block(plex_real *to, const plex_state *u, int first, int elements)
{
  constexpr int most = PLEX_DG_LOAD_BYTES / (int)sizeof(plex_real),
                wide = sizeof(plex_real) == sizeof(plex_state) && n % most == 0 && stride % most == 0 ? most : 1;

  const plex_state *from = u + (plex_index)first * n;

  _Pragma("unroll")
  for (int t = 0; t < (PLEX_DG_ELEMENTS * n / wide + PLEX_DG_BLOCK - 1) / PLEX_DG_BLOCK; ++t) {
    const int  i  = (t * PLEX_DG_BLOCK + threadIdx.x) * wide;
    plex_real *at = to + i + i / n * (stride - n);

    if (i >= elements * n) break;
    if constexpr (wide > 1) plex_dg_copy<16>(at, from + i);
    else plex_dg_fetch(at, from + i);
  }
}

// What becomes of the states u of a block's elements, n numbers each, in rows of shared memory; rate(e, j): that of
// number j of its element e
template <int n, int stride, class Rate>
PLEX_DEVICE void plex_dg_update_block(const PlexDGArgs &args, const PlexDGStage &stage, int first, int elements,
                                      const plex_real *u, Rate rate)
{
  const plex_index begin = (plex_index)first * n;

  for (int from = threadIdx.x; from < elements * n; from += 4 * PLEX_DG_BLOCK) {
    plex_real residual[4];

    _Pragma("unroll")
    for (int h = 0; h < 4; ++h)
      if (from + h * PLEX_DG_BLOCK < elements * n)
        residual[h] = plex_dg_residual(stage, begin + from + h * PLEX_DG_BLOCK);
    _Pragma("unroll")
    for (int h = 0; h < 4; ++h) {
      const int i = from + h * PLEX_DG_BLOCK, e = i / n, j = i - e * n;

      if (i < elements * n) plex_dg_store(args, stage, begin + i, u[e * stride + j], residual[h], rate(e, j));
    }
  }
}
