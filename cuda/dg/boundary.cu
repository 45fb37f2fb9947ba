// What boundaries with values of their own add to the rates of a linear system, where the state is 0: sources.h. For local
// time steps, which take its changes in time apart from the rates of the state.
//
// A block has an element of the list, of which it reads the positions of the nodes of its facets, 8 NFP DIM bytes each, and
// reads and writes 8 NF NP.
#include "dg.cuh"
#include "sources_args.h"
#include "sources.h"

extern "C" __global__ void plex_dg_boundary(PlexDGArgs args, PlexDGSourceArgs s, PlexDGSourceTarget to)
{
  __shared__ plex_real flux[PLEX_DG_NF * PLEX_DG_FACES * PLEX_DG_NFP];

  plex_source_boundary(&args, &s, (int)blockIdx.x, PLEX_DG_NFP, (int)threadIdx.x, (int)blockDim.x, flux);
  __syncthreads();
  plex_source_lift(&args, &s, &to, (int)blockIdx.x, PLEX_DG_NP, PLEX_DG_NFP, (int)threadIdx.x, (int)blockDim.x, flux);
}
PLEX_EXPORT_KERNEL(plex_dg_boundary)
