// Blocks of elements whose nodal data is prefetched to shared memory, each node once (Cecka 4.2.2, figures 5 and 7).
//
// struct PlexBlocksArgs (plex_args.h) says which; its conn holds 16-bit numbers into the block's shared arrays.
#pragma once

#define PLEX_PADDING 0xffff
#define PLEX_BLOCK_K (PLEX_NV + PLEX_EF)

// The warp's number in the block, of which the compiler knows that all its lanes have the same
PLEX_DEVICE int plex_warp()
{
  return __shfl_sync(0xffffffffu, (int)threadIdx.x / 32, 0);
}

// Where a block keeps its nodal data, behind the teams' work areas
struct PlexPrefetched {
  plex_real *x, *u, *ut;
};

PLEX_DEVICE bool plex_is_padding(const PlexBlocksArgs &b, plex_index p)
{
  return b.conn[plex_interleaved(p, PLEX_BLOCK_K, 0)] == PLEX_PADDING;
}

// All threads of the block; ends in a barrier
PLEX_DEVICE PlexPrefetched plex_prefetch(const PlexArgs &args, const PlexBlocksArgs &b, int block, plex_real *shared)
{
  const int      n0 = b.nodeStart[block], nn = b.nodeStart[block + 1] - n0, d0 = b.dofStart[block], nd = b.dofStart[block + 1] - d0;
  PlexPrefetched s;

  s.x  = shared;
  s.u  = shared + nn * PLEX_DIM;
  s.ut = s.u + nd;
  for (int k = threadIdx.x; k < nn * PLEX_DIM; k += PLEX_BLOCK) s.x[k] = (plex_real)args.x[(plex_index)b.nodes[n0 + k / PLEX_DIM] * PLEX_DIM + k % PLEX_DIM];
#if PLEX_SOLUTION
  for (int k = threadIdx.x; k < nd; k += PLEX_BLOCK) s.u[k] = (plex_real)args.u[b.dofs[d0 + k]];
  if (args.u_t)
    for (int k = threadIdx.x; k < nd; k += PLEX_BLOCK) s.ut[k] = (plex_real)args.u_t[b.dofs[d0 + k]];
#endif
  __syncthreads();
  return s;
}

// The team's element from the block's shared arrays; the team is in step afterwards
PLEX_DEVICE void plex_load_prefetched(const PlexArgs &args, const PlexBlocksArgs &b, const PlexPrefetched &s, plex_index p, PlexNodal &nodal)
{
#if PLEX_ELEMENT_NUMBERS
  plex_load_numbered(args, nodal, b.elements[p]);
#endif
  PLEX_UNROLL
  for (int k = PLEX_LANE; k < PLEX_NV * PLEX_DIM; k += PLEX_TEAM) nodal.x[k] = s.x[(int)b.conn[plex_interleaved(p, PLEX_BLOCK_K, k / PLEX_DIM)] * PLEX_DIM + k % PLEX_DIM];
#if PLEX_SOLUTION
  PLEX_UNROLL
  for (int k = PLEX_LANE; k < PLEX_EF; k += PLEX_TEAM) nodal.u[k] = s.u[b.conn[plex_interleaved(p, PLEX_BLOCK_K, PLEX_NV + k)]];
  if (args.u_t) {
    PLEX_UNROLL
    for (int k = PLEX_LANE; k < PLEX_EF; k += PLEX_TEAM) nodal.ut[k] = s.ut[b.conn[plex_interleaved(p, PLEX_BLOCK_K, PLEX_NV + k)]];
  }
#endif
  plex_team_sync();
}
