// Memory variables of fields, in those elements alone that have some: a thread a value of the fields, every
// gridDim.x * blockDim.x-th one. With m variables a stage reads forcing, and reads and writes residual and next state, and
// m values and residuals: 40 + 32 m bytes a value in double precision, where matrices vary by node 8 (m + 1) (m + 2) more,
// and with an error estimate 16 (m + 1); 4 (m + 1)^2 flops. A rate reads the state and m values, and reads and writes
// rates.
#define PLEX_MEMORY_FUNCTION static __device__ __forceinline__
#include "../plex.cuh"
#include "memory.h"

extern "C" __global__ void plex_dg_memory_stage(PlexDGMemoryArgs args, PlexDGMemoryValues values,
                                                PlexDGDecayStage stage)
{
  plex_memory_stage(&args, &values, &stage, (long long)blockIdx.x * blockDim.x + threadIdx.x,
                    (long long)args.n * args.NP, (long long)gridDim.x * blockDim.x);
}
PLEX_EXPORT_KERNEL(plex_dg_memory_stage)

extern "C" __global__ void plex_dg_memory_add(PlexDGMemoryArgs args, PlexDGMemoryValues values, const void *u, void *r,
                                              double factor, void *next, double weight, int single)
{
  const long long n = (long long)args.n * args.NP;

  for (long long k = (long long)blockIdx.x * blockDim.x + threadIdx.x; k < n; k += (long long)gridDim.x * blockDim.x)
    plex_memory_add_node(&args, &values, u, r, factor, next, weight, single, k);
}
PLEX_EXPORT_KERNEL(plex_dg_memory_add)

// The exponentials of a stage's duration h: a thread a matrix
extern "C" __global__ void plex_dg_memory_exponential(PlexDGMemoryArgs args, double h, double share, double *table)
{
  for (long long k = (long long)blockIdx.x * blockDim.x + threadIdx.x; k < args.nmatrices;
       k += (long long)gridDim.x * blockDim.x)
    plex_memory_exponential(&args, h, share, table, k);
}
PLEX_EXPORT_KERNEL(plex_dg_memory_exponential)
