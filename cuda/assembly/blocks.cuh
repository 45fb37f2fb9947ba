// Blocks of elements whose nodal data is prefetched to shared memory, each node once (Cecka 4.2.2, figures 5 and 7).
//
// struct PlexBlocksArgs (plex_args.h) says which; its conn holds 16-bit numbers into the block's shared arrays.
#pragma once

#include "assembly/gather.cuh"

#define PLEX_PADDING 0xffff
#define PLEX_BLOCK_K (PLEX_NV + PLEX_EF)

// What is to be read later is on its way
PLEX_DEVICE void plex_fetch(const void *p)
{
  plex_prefetch_L1(p);
}

// The warp's number in the block, of which the compiler knows that all its lanes have the same
PLEX_DEVICE int plex_warp()
{
  return plex_lane_get((int)threadIdx.x / 32, 0);
}

// Where a block keeps its nodal data, behind the teams' work areas
struct PlexPrefetched {
  plex_real *x, *u, *ut;
};

PLEX_DEVICE bool plex_is_padding(const PlexBlocksArgs &b, plex_index p)
{
  return b.conn[plex_interleaved(p, PLEX_BLOCK_K, 0)] == PLEX_PADDING;
}

// Where a block's nodes and dofs begin in their lists, and how many they are
struct PlexBlockHead {
  int node, nodes, dof, dofs;
};

PLEX_DEVICE PlexBlockHead plex_block_head(const PlexBlocksArgs &b, int block)
{
  const int n0 = plex_read(&b.nodeStart[block]), n1 = plex_read(&b.nodeStart[block + 1]),
            d0 = plex_read(&b.dofStart[block]), d1 = plex_read(&b.dofStart[block + 1]);

  return PlexBlockHead{n0, n1 - n0, d0, d1 - d0};
}

// All threads of the block; ends in a barrier
PLEX_DEVICE PlexPrefetched plex_prefetch(const PlexArgs &args, const PlexBlocksArgs &b, const PlexBlockHead &head,
                                         plex_real *shared)
{
  PlexPrefetched s;

  s.x  = shared;
  s.u  = shared + head.nodes * PLEX_DIM;
  s.ut = s.u + head.dofs;
#if PLEX_SOLUTION
  plex_gather_both(head.nodes, b.nodes + head.node, args.x, s.x, head.dofs, b.dofs + head.dof, args.u, s.u);
  if (args.u_t) plex_gather<1>(head.dofs, b.dofs + head.dof, args.u_t, s.ut);
#else
  plex_gather<PLEX_DIM>(head.nodes, b.nodes + head.node, args.x, s.x);
#endif
  __syncthreads();
  return s;
}
PLEX_DEVICE PlexPrefetched plex_prefetch(const PlexArgs &args, const PlexBlocksArgs &b, int block, plex_real *shared)
{
  return plex_prefetch(args, b, plex_block_head(b, block), shared);
}

// The team's element from the block's shared arrays; the team is in step afterwards
PLEX_DEVICE void plex_load_prefetched(const PlexArgs &args, const PlexBlocksArgs &b, const PlexPrefetched &s,
                                      plex_index p, PlexNodal &nodal)
{
#if PLEX_ELEMENT_NUMBERS
  plex_load_numbered(args, nodal, b.elements[p]);
#endif
  PLEX_UNROLL
  for (int k = PLEX_LANE; k < PLEX_NV * PLEX_DIM; k += PLEX_TEAM)
    nodal.x[k] = s.x[(int)b.conn[plex_interleaved(p, PLEX_BLOCK_K, k / PLEX_DIM)] * PLEX_DIM + k % PLEX_DIM];
#if PLEX_SOLUTION
  PLEX_UNROLL
  for (int k = PLEX_LANE; k < PLEX_EF; k += PLEX_TEAM)
    nodal.u[k] = s.u[b.conn[plex_interleaved(p, PLEX_BLOCK_K, PLEX_NV + k)]];
  if (args.u_t) {
    PLEX_UNROLL
    for (int k = PLEX_LANE; k < PLEX_EF; k += PLEX_TEAM)
      nodal.ut[k] = s.ut[b.conn[plex_interleaved(p, PLEX_BLOCK_K, PLEX_NV + k)]];
  }
#endif
  plex_team_sync();
}
