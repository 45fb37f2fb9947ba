// A perfectly matched layer, in its elements alone: a thread a node with all fields, every gridDim.x * blockDim.x-th one.
// Of Maxwell's equations in 3D a node has 6, 8 or 12 memory variables where one, two or three axes are stretched, 8 in a
// radial layer. In double precision a stage reads and writes each and its residual, 32 bytes, and reads the state and
// reads and writes the residual, 24 bytes a field; next states 16 more in the first stage alone. A rate for each axis: 8
// bytes. Where one axis is stretched that is 344 bytes a node and some 60 flops.
#define PLEX_PML_FUNCTION static __device__ __forceinline__
#include "../plex.cuh"
#include "pml.h"

extern "C" __global__ void plex_dg_pml(PlexDGPMLArgs args, PlexDGPMLStage stage)
{
  const long long n = (long long)args.n * args.NP;

  for (long long k = (long long)blockIdx.x * blockDim.x + threadIdx.x; k < n; k += (long long)gridDim.x * blockDim.x)
    plex_pml_node(&args, &stage, k);
}
PLEX_EXPORT_KERNEL(plex_dg_pml)
