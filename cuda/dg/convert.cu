// States between PETSc's vectors and operators in single precision
#include "../plex.cuh"

extern "C" __global__ void plex_dg_narrow(const double *from, float *to, plex_index n)
{
  for (plex_index k = (plex_index)blockIdx.x * blockDim.x + threadIdx.x; k < n; k += (plex_index)gridDim.x * blockDim.x)
    to[k] = (float)from[k];
}
PLEX_EXPORT_KERNEL(plex_dg_narrow)

extern "C" __global__ void plex_dg_widen(const float *from, double *to, plex_index n)
{
  for (plex_index k = (plex_index)blockIdx.x * blockDim.x + threadIdx.x; k < n; k += (plex_index)gridDim.x * blockDim.x)
    to[k] = (double)from[k];
}
PLEX_EXPORT_KERNEL(plex_dg_widen)
