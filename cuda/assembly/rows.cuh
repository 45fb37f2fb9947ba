// Rows of the matrix (or entries of the residual) summed by groups of PLEX_GROUP threads: global_row and local_row.
//
// struct PlexRowsArgs (plex_args.h) lists what a row sums. The sums are kept in shared memory, PLEX_LONGEST a row,
// where PLEX_ROW_SHARED says that they fit, else in the matrix itself.
#pragma once

#define PLEX_LENGTH  (PLEX_JACOBIAN ? PLEX_EF : 1) // entries of a row of element data
#define PLEX_DROPPED 0xffff
#define PLEX_GROUPS  (PLEX_BLOCK / PLEX_GROUP)

// The threads of a group see each other's sums after this
PLEX_DEVICE void plex_group_sync()
{
#if PLEX_GROUP > 32
  __syncthreads();
#elif PLEX_GROUP == 32
  plex_lanes_sync();
#elif PLEX_GROUP > 1
  plex_lanes_sync<PLEX_GROUP>();
#endif
}

// Where the group's row is summed, zeroed; `shared` is the block's room for sums
PLEX_DEVICE plex_scalar *plex_row_begin(const PlexRowsArgs &rows, PlexTarget target, int r, plex_scalar *shared)
{
#if PLEX_ROW_SHARED
  plex_scalar *sum = shared + (threadIdx.x / PLEX_GROUP) * PLEX_LONGEST;
#else
  plex_scalar *sum = target + rows.ids[r];
#endif

  for (int k = threadIdx.x % PLEX_GROUP; k < rows.length[r]; k += PLEX_GROUP) sum[k] = 0;
  plex_group_sync();
  return sum;
}

PLEX_DEVICE void plex_row_add(const PlexRowsArgs &rows, plex_scalar *sum, plex_index c, int j, plex_real v)
{
  const int k = rows.place[c * PLEX_LENGTH + j];

  if (k != PLEX_DROPPED) sum[k] += (plex_scalar)v;
}

PLEX_DEVICE void plex_row_end(const PlexRowsArgs &rows, PlexTarget target, int r, const plex_scalar *sum)
{
#if PLEX_ROW_SHARED
  for (int k = threadIdx.x % PLEX_GROUP; k < rows.length[r]; k += PLEX_GROUP) target[rows.ids[r] + k] = sum[k];
  plex_group_sync();
#endif
}
