// Rows of essential values, which a program keeps in its vectors and matrices.
//
// A thread a dof or an entry, at places that differ, so nothing is added. dofs[k]: a local dof whose row this process
// owns, or -1 - dof of one that another process owns. values: a local vector, or NULL where all are zero.
#include "plex.cuh"

// The solution at these dofs: 4 + 8 bytes read, 8 written
extern "C" __global__ void plex_essential_solution(int n, const int *dofs, const plex_scalar *values, plex_scalar *x)
{
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  int       l;

  if (k >= n) return;
  l    = dofs[k] < 0 ? -1 - dofs[k] : dofs[k];
  x[l] = values ? values[l] : 0;
}
PLEX_EXPORT_KERNEL(plex_essential_solution)

// The residual there, x - values once among all processes; x NULL: zero. 4 + 16 bytes read, 8 written
extern "C" __global__ void plex_essential_residual(int n, const int *dofs, const plex_scalar *values,
                                                   const plex_scalar *x, plex_scalar *F)
{
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  int       l;

  if (k >= n) return;
  l    = dofs[k] < 0 ? -1 - dofs[k] : dofs[k];
  F[l] = x && dofs[k] >= 0 ? x[l] - (values ? values[l] : 0) : 0;
}
PLEX_EXPORT_KERNEL(plex_essential_residual)

// Entries of a matrix: zero at entry at[k], one at entry -1 - at[k]. 4 bytes read, 8 written
extern "C" __global__ void plex_essential_entries(int n, const int *at, plex_scalar *A)
{
  const int k = blockIdx.x * blockDim.x + threadIdx.x;

  if (k < n) A[at[k] < 0 ? -1 - at[k] : at[k]] = at[k] < 0 ? 1 : 0;
}
PLEX_EXPORT_KERNEL(plex_essential_entries)
