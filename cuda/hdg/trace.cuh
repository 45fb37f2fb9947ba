// Elements' matrices as trace_args.h has them: places of their numbers, and their halves.
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

PLEX_DEVICE int plex_hdg_upper(double v)
{
  return __double2hiint(v) + (int)((unsigned)__double2loint(v) >> 31);
}

// The number of two halves, and of the upper one alone
PLEX_DEVICE double plex_hdg_number(int upper, int lower)
{
  return __hiloint2double(upper - (int)((unsigned)lower >> 31), lower);
}
PLEX_DEVICE double plex_hdg_number(int upper)
{
  return __hiloint2double(upper, 0);
}

PLEX_DEVICE double plex_hdg_packed_entry(const PlexHDGTraceArgs &args, int e, int r, int c)
{
  const int        k  = r < c ? plex_hdg_packed_lower(c, r) : plex_hdg_packed_lower(r, c);
  const plex_index at = ((plex_index)(e / PLEX_HDG_WIDTH) * PLEX_HDG_PACKED + k) * PLEX_HDG_WIDTH + e % PLEX_HDG_WIDTH;

  return plex_hdg_number(args.upper[at], args.lower[at]);
}

// x of function m of face l, own or another process's
PLEX_DEVICE double plex_hdg_trace_value(const PlexHDGTraceArgs &args, int l, int m)
{
  const double *from = l < args.nown ? args.owned : args.ghosts - (plex_index)args.nown * PLEX_HDG_BLOCK;

  return from[(plex_index)l * PLEX_HDG_BLOCK + m];
}
