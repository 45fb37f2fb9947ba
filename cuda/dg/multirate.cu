// Sums of local time steps: a thread a value, every gridDim.x * blockDim.x-th one. plex_dg_multirate_sum, of all elements
// once in each of their steps, reads at most 32 bytes a value and writes 8, 7 flops; the others are for elements at the
// borders of levels: keep reads and writes 32, evaluate reads 32 and writes 8 to 24, half reads 8 or 16 and writes 8. Of elements with sources
// drive reads 40 and writes 8, sample reads 16 and writes 8.
#define PLEX_MULTIRATE_FUNCTION static __device__ __forceinline__
#include "../plex.cuh"
#include "multirate.h"

extern "C" __global__ void plex_dg_multirate_sum(PlexDGMultirateSum sum)
{
  for (long long k = sum.begin + (long long)blockIdx.x * blockDim.x + threadIdx.x; k < sum.end;
       k += (long long)gridDim.x * blockDim.x)
    plex_multirate_sum(&sum, k);
}
PLEX_EXPORT_KERNEL(plex_dg_multirate_sum)

extern "C" __global__ void plex_dg_multirate_keep(PlexDGMultirateKept kept, const double *d0, const double *d1,
                                                  const double *d2, const double *d3)
{
  const double *const derivatives[PLEX_MULTIRATE_ORDER] = {d0, d1, d2, d3};
  const long long     n                                 = (long long)kept.n * kept.size;

  for (long long k = (long long)blockIdx.x * blockDim.x + threadIdx.x; k < n; k += (long long)gridDim.x * blockDim.x)
    plex_multirate_keep(&kept, derivatives, k);
}
PLEX_EXPORT_KERNEL(plex_dg_multirate_keep)

extern "C" __global__ void plex_dg_multirate_evaluate(PlexDGMultirateKept kept, PlexDGMultirateValues values)
{
  const long long n = (long long)kept.n * kept.size;

  for (long long k = (long long)blockIdx.x * blockDim.x + threadIdx.x; k < n; k += (long long)gridDim.x * blockDim.x)
    plex_multirate_evaluate(&kept, &values, k);
}
PLEX_EXPORT_KERNEL(plex_dg_multirate_evaluate)

extern "C" __global__ void plex_dg_multirate_half(PlexDGMultirateHalf half, double *mean, int ends)
{
  const long long n = (long long)half.n * half.size;

  for (long long k = (long long)blockIdx.x * blockDim.x + threadIdx.x; k < n; k += (long long)gridDim.x * blockDim.x)
    plex_multirate_half(&half, mean, ends, k);
}
PLEX_EXPORT_KERNEL(plex_dg_multirate_half)

extern "C" __global__ void plex_dg_multirate_drive(PlexDGMultirateDriven driven, PlexDGMultirateWeights weights,
                                                   double *to)
{
  const long long n = (long long)driven.n * driven.size;

  for (long long k = (long long)blockIdx.x * blockDim.x + threadIdx.x; k < n; k += (long long)gridDim.x * blockDim.x)
    plex_multirate_drive(&driven, &weights, to, k);
}
PLEX_EXPORT_KERNEL(plex_dg_multirate_drive)

extern "C" __global__ void plex_dg_multirate_sample(PlexDGMultirateDriven driven, const double *from, int j)
{
  const long long n = (long long)driven.n * driven.size;

  for (long long k = (long long)blockIdx.x * blockDim.x + threadIdx.x; k < n; k += (long long)gridDim.x * blockDim.x)
    plex_multirate_sample(&driven, from, j, k);
}
PLEX_EXPORT_KERNEL(plex_dg_multirate_sample)
