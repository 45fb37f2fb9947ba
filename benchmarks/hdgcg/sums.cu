// Sums of entries of elements' matrices or vectors by lists, in an order that is always the same.
#include "plex.cuh"

// A thread a sum: 4 bytes of the list and 8 of the entry each, 8 written
extern "C" __global__ void plex_hdg_sums(const int *start, const int *sources, int n, const double *from, double *to)
{
  const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);

  if (k < n) {
    double sum = 0;

    for (int s = start[k]; s < start[k + 1]; ++s) sum += from[sources[s]];
    to[k] = sum;
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_sums)
