// Good conductors at the boundary and thin sheets inside, after a right-hand side or a stage: impedance.h. The kernels of
// these know a resistance at the boundary, and nothing of sheets.
//
// A block has an element of the list. A node of a side reads 48 bytes, of a sheet 48 more of the other side, of a conductor with m
// poles 24 m, and, in a stage, reads and writes 48 m more; an element reads and writes 48 NP bytes, in a stage twice.
// Sizes are known at run time alone: there are few such elements.
#define PLEX_IMPEDANCE_FUNCTION static __device__ __forceinline__
#include "../plex.cuh"
#include "impedance.h"

extern "C" __global__ void plex_dg_impedance(PlexDGImpedanceArgs args, PlexDGImpedanceStage stage)
{
  PLEX_DYNAMIC_SHARED(double, flux);

  plex_impedance_flux(&args, &stage, (int)blockIdx.x, (int)threadIdx.x, (int)blockDim.x, flux);
  __syncthreads();
  if (stage.r) plex_impedance_lift(&args, &stage, (int)blockIdx.x, (int)threadIdx.x, (int)blockDim.x, flux);
}
PLEX_EXPORT_KERNEL(plex_dg_impedance)
