// What each block of K sums, src/hdg/plan.c: a thread an own face. It reads the faces of its elements, at most two, and
// keeps their columns in order; all of it is a few hundred bytes a face. The first kernel counts, the second writes
// behind the exclusive sums of the counts.
#include "../plex.cuh"
#include "hdg_args.h"

#define PLEX_HDG_MOST (2 * PLEX_HDG_FACES) // columns of two elements

// Columns of face l ascending, with what their blocks sum; *other: of them those of the matrix's other part. Returns
// their number
PLEX_DEVICE int plex_hdg_columns(const PlexHDGPlanArgs &args, int l, int *columns, long long (*source)[2], int *other)
{
  int n = 0;

  *other = 0;
  for (int k = 0; k < 2; ++k) {
    const int r = args.sides[2 * l + k];

    for (int g = 0; r >= 0 && g < PLEX_HDG_FACES; ++g) {
      const long long from = ((long long)r * PLEX_HDG_FACES * PLEX_HDG_NF + g) * PLEX_HDG_NF;
      int             c, at = n;

      if (r >= args.rows) c = args.received[(plex_index)(r - args.rows) * PLEX_HDG_FACES + g];
      else {
        const int f = args.faces[(plex_index)(r / PLEX_HDG_FACES) * PLEX_HDG_FACES + g];

        c = f < args.nown ? args.first + f : f < args.nown + args.nghost ? args.ghosts[f - args.nown] : -1;
      }
      if (c < 0) continue;
      while (at > 0 && columns[at - 1] > c) --at;
      if (at > 0 && columns[at - 1] == c) {
        if (source[at - 1][1] >= 0) atomicMax(args.bad, l); // a block of more than two elements
        source[at - 1][1] = from;
        continue;
      }
      for (int b = n++; b > at; --b) {
        columns[b]   = columns[b - 1];
        source[b][0] = source[b - 1][0];
        source[b][1] = source[b - 1][1];
      }
      columns[at]   = c;
      source[at][0] = from;
      source[at][1] = -1;
      *other += c < args.first || c >= args.first + args.nown;
    }
  }
  return n;
}

extern "C" __global__ void plex_hdg_count_blocks(PlexHDGPlanArgs args)
{
  const int l = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  int       columns[PLEX_HDG_MOST], other;
  long long source[PLEX_HDG_MOST][2];

  if (l < args.nown) {
    args.start[l] = plex_hdg_columns(args, l, columns, source, &other);
    args.other[l] = other;
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_count_blocks)

extern "C" __global__ void plex_hdg_write_blocks(PlexHDGPlanArgs args)
{
  const int l = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  int       columns[PLEX_HDG_MOST], width[2], done[2] = {0, 0};
  long long source[PLEX_HDG_MOST][2];

  if (l < args.nown) {
    const int n = plex_hdg_columns(args, l, columns, source, &width[1]), at = args.start[l];
    const int before[2] = {at - args.other[l], args.other[l]};

    width[0] = n - width[1];
    for (int b = 0; b < n; ++b) {
      const int    c = columns[b], part = c < args.first || c >= args.first + args.nown;
      PlexHDGBlock block;

      block.part      = part;
      block.robin     = c == args.first + l && args.robin[l] >= 0 ? args.robin[l] * PLEX_HDG_NF * PLEX_HDG_NF : -1;
      block.target    = ((long long)before[part] * PLEX_HDG_NF + done[part]++) * PLEX_HDG_NF;
      block.stride    = (long long)width[part] * PLEX_HDG_NF;
      block.source[0] = source[b][0];
      block.source[1] = source[b][1];

      args.blocks[at + b]  = block;
      args.columns[at + b] = c;
    }
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_write_blocks)
