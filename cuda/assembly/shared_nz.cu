// shared_nz: a block owns a part of the mesh nodes, computes all elements around them into shared memory, and sums from there, a
// thread a non-zero at a time (Cecka 4.3, figure 10). Elements that do not fit together come in passes.
//
// Per item, of E elements in all parts together for Ne in the mesh: reads 4 bytes of plan per node and dof of the element (packed
// scatter array, 4.3.1) and per entry of element data (packed reduction array, 4.3.2), and its share of 8 (dim nodes + dofs) bytes of
// nodal data, each node once a pass. Writes 8 bytes a target once; a target of several passes is read and written again.
// Computes E / Ne times the flops of the elements.
#include "assembly/shared.cuh"

// Sums and stores (Cecka, algorithm 5): a thread goes down its row of the packed array; i > 0 adds source i - 1, i < 0 stores the sum
// at target -i - 1. A second target behind the first gets the same sum: the mirrored entry of a symmetric matrix.
template <bool add>
PLEX_DEVICE const int *plex_reduce(const int *entries, int n, const plex_real *S, PlexTarget target)
{
  plex_scalar sum   = 0;
  bool        begun = false;

  _Pragma("unroll 4")
  for (int k = 0; k < n; ++k, entries += PLEX_BLOCK) {
    const int i = *entries;

    if (i > 0) {
      sum   = (begun ? sum : 0) + (plex_scalar)S[i - 1];
      begun = true;
    } else if (i < 0) {
      target[-i - 1] = (add ? target[-i - 1] : 0) + sum;
      begun          = false;
    }
  }
  return entries;
}

extern "C" __global__ void __launch_bounds__(PLEX_BLOCK) plex_assemble(PlexArgs args, PlexSharedArgs plan)
{
  plex_real *S      = (plex_real *)plex_behind_work();
  PlexTarget target = plex_target(args);

  for (int p = plan.start[blockIdx.x]; p < plan.start[blockIdx.x + 1]; ++p) {
    const PlexSharedPass pass    = plan.passes[p];
    const int           *entries = plex_scatter(args, pass, plan.entries + pass.entries + threadIdx.x, S);

    __syncthreads();
    plex_integrate(args, plan, pass, S);
    __syncthreads();
    entries = plex_reduce<false>(entries, pass.store, S, target);
    plex_reduce<true>(entries, pass.add, S, target);
    __syncthreads();
  }
}
PLEX_EXPORT_KERNEL(plex_assemble)
