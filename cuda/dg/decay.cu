// Fields that decay, in those elements alone that have a rate: a thread a value, every gridDim.x * blockDim.x-th one.
// A stage reads residual, forcing and next state, and writes residual and next state: 40 bytes a value in double
// precision, in the first stage as many, with an error estimate 16 more; some 40 flops, most of them the exponential's.
// A rate reads the state, and reads and writes rates and, in a stage, the next state: 24 or 40 bytes.
#define PLEX_DECAY_FUNCTION static __device__ __forceinline__
#include "../plex.cuh"
#include "decay.h"

extern "C" __global__ void plex_dg_decay_stage(PlexDGDecayArgs args, PlexDGDecayStage stage)
{
  const long long n = (long long)args.n * args.NP;

  for (long long k = (long long)blockIdx.x * blockDim.x + threadIdx.x; k < n; k += (long long)gridDim.x * blockDim.x)
    plex_decay_stage(&args, &stage, k);
}
PLEX_EXPORT_KERNEL(plex_dg_decay_stage)

extern "C" __global__ void plex_dg_decay_add(PlexDGDecayArgs args, const void *u, void *r, double factor, void *next,
                                             double weight, int single)
{
  const long long n = (long long)args.n * args.NP;

  for (long long k = (long long)blockIdx.x * blockDim.x + threadIdx.x; k < n; k += (long long)gridDim.x * blockDim.x)
    plex_decay_add(&args, u, r, factor, next, weight, single, k);
}
PLEX_EXPORT_KERNEL(plex_dg_decay_add)
