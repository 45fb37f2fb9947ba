// Moments of a source that is a pointwise function, src/hdg/source.c: a block has PLEX_HDG_SOURCE_ELEMENTS elements.
// First a thread has a point of one, and keeps the source times the weight there in shared memory; then a function of
// one, whose moment it sums over the points. An element reads 8 NV DIM bytes and writes 8 NP, with NQ evaluations and 2
// NP NQ flops; tables come from the caches.
#include "hdg_args.h"
#include "points.cuh"

extern "C" __global__ void plex_hdg_source(PlexHDGSourceArgs args)
{
  PLEX_DYNAMIC_SHARED(double, values); // [elements][NQ]
  const int first = (int)blockIdx.x * PLEX_HDG_SOURCE_ELEMENTS, n = min(PLEX_HDG_SOURCE_ELEMENTS, args.Ne - first);

  for (int k = (int)threadIdx.x; k < n * PLEX_HDG_NQ; k += (int)blockDim.x) {
    const int   e = first + k / PLEX_HDG_NQ, q = k % PLEX_HDG_NQ;
    double      x[3] = {}, J[PLEX_DIM][PLEX_DIM], C[PLEX_DIM][PLEX_DIM], det;
    PetscScalar f[1] = {0};

    plex_hdg_map(args.x + (plex_index)e * PLEX_HDG_NODES, args.points, args.shape, args.dshape, q, x, J);
    det = plex_hdg_cofactors(J, C);
    PLEX_HDG_SOURCE(args, x, f);
    if (!isfinite(f[0])) atomicMax(args.bad, e);
    values[k] = args.weights[q] * det * f[0];
  }
  __syncthreads();
  for (int k = (int)threadIdx.x; k < n * PLEX_HDG_NP; k += (int)blockDim.x) {
    const double *own = &values[k / PLEX_HDG_NP * PLEX_HDG_NQ];
    double        sum = 0;

    for (int q = 0; q < PLEX_HDG_NQ; ++q) sum += own[q] * args.phi[q * PLEX_HDG_NP + k % PLEX_HDG_NP];
    args.moments[(plex_index)first * PLEX_HDG_NP + k] = sum;
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_source)
