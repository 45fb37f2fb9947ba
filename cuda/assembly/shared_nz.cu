// shared_nz: a block owns a part of the mesh nodes, computes all elements around them into shared memory, and sums from
// there, a thread a non-zero at a time (Cecka 4.3, figure 10). Elements that do not fit together come in passes.
//
// Per item, of E elements in all parts together for Ne in the mesh: reads 4 bytes of plan per node and dof of the
// element and per entry of element data, and 8 (dim nodes + dofs) bytes of nodal data, which items have in common. Of a
// target reads 8 bytes of plan and writes 8 once; a target of several passes is read and written again. Computes E / Ne
// times the flops of the elements.
#include "assembly/shared.cuh"

extern "C" __global__ void __launch_bounds__(PLEX_BLOCK) plex_assemble(PlexArgs args, PlexSharedArgs plan)
{
  plex_real *S      = (plex_real *)plex_behind_work();
  PlexTarget target = plex_target(args);

  for (int p = plan.start[blockIdx.x]; p < plan.start[blockIdx.x + 1]; ++p) {
    const PlexSharedPass pass = plan.passes[p];

    plex_integrate(args, plan, pass, S);
    __syncthreads();
    for (int k = threadIdx.x; k < pass.lists; k += PLEX_BLOCK) plex_sum(plan, pass, k, S, target);
    __syncthreads();
  }
}
PLEX_EXPORT_KERNEL(plex_assemble)
