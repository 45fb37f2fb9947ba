// An error estimate of a low-storage scheme: the sum of its residuals times weights, double, of residuals in either
// precision.
//
// A thread takes every gridDim.x * blockDim.x-th entry; 24 or 20 bytes an entry, 16 or 12 where the sum begins.
#include "../plex.cuh"

extern "C" __global__ void plex_dg_accumulate(const void *residual, double *sum, double weight, plex_index n,
                                              int single, int begin)
{
  for (plex_index k = (plex_index)blockIdx.x * blockDim.x + threadIdx.x; k < n;
       k += (plex_index)gridDim.x * blockDim.x) {
    const double value = weight * (single ? (double)((const float *)residual)[k] : ((const double *)residual)[k]);

    sum[k] = begin ? value : sum[k] + value;
  }
}
PLEX_EXPORT_KERNEL(plex_dg_accumulate)
