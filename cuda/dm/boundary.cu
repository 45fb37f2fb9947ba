// Essential boundary values put into a local vector: x[dofs[k]] = values[k].
//
// A thread a value. It reads 4 + 8 bytes and writes 8, to places that differ, and does no arithmetic.
#include "plex.cuh"

extern "C" __global__ void plex_insert(int n, const int *dofs, const plex_scalar *values, plex_scalar *x)
{
  const int k = blockIdx.x * blockDim.x + threadIdx.x;

  if (k < n) x[dofs[k]] = values[k];
}
PLEX_EXPORT_KERNEL(plex_insert)
