// Elements' matrices as trace_args.h has them: places of their numbers.
#pragma once

#include "../plex.cuh"
#include "trace_args.h"

#define PLEX_HDG_PACKED (PLEX_HDG_NT * (PLEX_HDG_NT + 1) / 2) // numbers of an element

// Where the numbers of a block row begin
PLEX_DEVICE constexpr int plex_hdg_block_row(int I)
{
  return I * (I - 1) / 2 * PLEX_HDG_TILE * PLEX_HDG_TILE + I * (PLEX_HDG_TILE * (PLEX_HDG_TILE + 1) / 2);
}

// Entry (r, c), r >= c
PLEX_DEVICE int plex_hdg_packed_lower(int r, int c)
{
  const int I = r / PLEX_HDG_TILE, i = r % PLEX_HDG_TILE, j = c - I * PLEX_HDG_TILE;

  if (j < 0) return plex_hdg_block_row(I) + c * PLEX_HDG_TILE + i;
  return plex_hdg_block_row(I) + I * PLEX_HDG_TILE * PLEX_HDG_TILE + j * PLEX_HDG_TILE - j * (j - 1) / 2 + i - j;
}

PLEX_DEVICE double plex_hdg_packed_entry(const double *packed, int e, int r, int c)
{
  const int k = r < c ? plex_hdg_packed_lower(c, r) : plex_hdg_packed_lower(r, c);

  return packed[((plex_index)(e / PLEX_HDG_WIDTH) * PLEX_HDG_PACKED + k) * PLEX_HDG_WIDTH + e % PLEX_HDG_WIDTH];
}

// x of function m of face l, own or another process's
PLEX_DEVICE double plex_hdg_trace_value(const PlexHDGTraceArgs &args, int l, int m)
{
  return l < args.nown ? args.owned[(plex_index)l * PLEX_HDG_BLOCK + m]
                       : args.ghosts[(plex_index)(l - args.nown) * PLEX_HDG_BLOCK + m];
}
