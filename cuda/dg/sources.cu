// Sources that do not depend on the state, after a right-hand side or a stage: sources.h. The kernels of these know
// nothing of them.
//
// A block has an element of the list, of which it reads the positions of the nodes of its sides, 8 NFP DIM bytes each, and
// reads and writes 8 NF NP, twice in a stage.
#include "source.cuh"
#include "sources_args.h"
#include "sources.h"

extern "C" __global__ void plex_dg_sources(PlexDGArgs args, PlexDGSourceArgs s, PlexDGSourceTarget to)
{
  __shared__ plex_real flux[PLEX_DG_NF * PLEX_DG_FACES * PLEX_DG_NFP];

  plex_source_flux(&args, &s, (int)blockIdx.x, PLEX_DG_NFP, (int)threadIdx.x, (int)blockDim.x, flux);
  __syncthreads();
  plex_source_lift(&args, &s, &to, (int)blockIdx.x, PLEX_DG_NP, PLEX_DG_NFP, (int)threadIdx.x, (int)blockDim.x, flux);
}
PLEX_EXPORT_KERNEL(plex_dg_sources)

extern "C" __global__ void plex_dg_source_points(PlexDGArgs args, PlexDGSourceArgs s, PlexDGSourceTarget to)
{
  plex_source_points(&args, &s, &to, (int)blockIdx.x, PLEX_DG_NP, (int)threadIdx.x, (int)blockDim.x);
}
PLEX_EXPORT_KERNEL(plex_dg_source_points)
