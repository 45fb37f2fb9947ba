// shared_row: as shared_nz, but PLEX_GROUP threads sum a row of the matrix, or one an entry of the residual (Cecka,
// Table III). Reads 4 bytes more of a row.
#include "assembly/shared.cuh"

extern "C" __global__ void __launch_bounds__(PLEX_BLOCK) plex_assemble(PlexArgs args, PlexSharedArgs plan)
{
  plex_real *S      = (plex_real *)plex_behind_work();
  PlexTarget target = plex_target(args);

  for (int p = plan.start[blockIdx.x]; p < plan.start[blockIdx.x + 1]; ++p) {
    const PlexSharedPass pass = plan.passes[p];

    plex_integrate(args, plan, pass, S);
    __syncthreads();
    for (int r = pass.row + threadIdx.x / PLEX_GROUP; r < pass.row + pass.rows; r += PLEX_BLOCK / PLEX_GROUP)
      for (int k = plan.rows[r] + threadIdx.x % PLEX_GROUP; k < plan.rows[r + 1]; k += PLEX_GROUP)
        plex_sum(plan, pass, k, S, target);
    __syncthreads();
  }
}
PLEX_EXPORT_KERNEL(plex_assemble)
