// A perfectly matched layer, in its elements alone: a block an element, every gridDim.x-th one, a thread a quadrature
// point and then a node, [NF][NQ] numbers of shared memory. Of Maxwell's equations in 3D a point has 6, 8 or 12 memory
// variables where one, two or three axes are stretched, 8 in a radial layer; points are a fifth more than nodes for degree 3.
// In double precision a stage reads and writes each variable and its residual, 32 bytes, and the rates of axes, 8 bytes;
// and of each node the state, and reads and writes the residual, 24 bytes a field; next states 16 more in the first stage
// alone. Interpolation and projection are 4 NP NQ NF flops an element, with matrices from the caches.
#define PLEX_PML_FUNCTION static __device__ __forceinline__
#include "../plex.cuh"
#include "pml.h"

extern "C" __global__ void plex_dg_pml(PlexDGPMLArgs args, PlexDGPMLStage stage)
{
  PLEX_DYNAMIC_SHARED(double, w);

  for (int item = (int)blockIdx.x; item < args.n; item += (int)gridDim.x) {
    for (int q = (int)threadIdx.x; q < args.NQ; q += (int)blockDim.x) plex_pml_point(&args, &stage, item, q, w);
    __syncthreads();
    for (int i = (int)threadIdx.x; i < args.NP; i += (int)blockDim.x) plex_pml_project(&args, &stage, item, i, w);
    __syncthreads();
  }
}
PLEX_EXPORT_KERNEL(plex_dg_pml)
