// Moments of a source that is a pointwise function, src/hdg/source.c: a block has PLEX_HDG_SOURCE_ELEMENTS elements.
// First a thread has a point of one, and keeps the source times the weight there in shared memory; then a function of
// one, whose moment it sums over the points. An element reads 8 NV DIM bytes and writes 8 NP, with NQ evaluations and 2
// NP NQ flops; tables come from the caches.
#include "hdg_args.h"

#define PLEX_HDG_SOURCE_SIZE (PLEX_HDG_NV * PLEX_DIM)

// Where point q of an element with these nodes lies, and the determinant of the map's Jacobian there
PLEX_DEVICE double plex_hdg_point(const PlexHDGSourceArgs &args, const double *nodes, int q, double *x)
{
  double J[PLEX_DIM][PLEX_DIM];

  for (int d = 0; d < PLEX_DIM; ++d) {
#if PLEX_HDG_AFFINE
    x[d] = nodes[d];
    for (int a = 0; a < PLEX_DIM; ++a) {
      J[d][a] = 0.5 * (nodes[(a + 1) * PLEX_DIM + d] - nodes[d]);
      x[d] += J[d][a] * (1 + args.points[q * PLEX_DIM + a]);
    }
#else
    x[d] = 0;
    for (int a = 0; a < PLEX_DIM; ++a) J[d][a] = 0;
    for (int v = 0; v < PLEX_HDG_NV; ++v) {
      x[d] += args.shape[q * PLEX_HDG_NV + v] * nodes[v * PLEX_DIM + d];
      for (int a = 0; a < PLEX_DIM; ++a)
        J[d][a] += args.dshape[(q * PLEX_HDG_NV + v) * PLEX_DIM + a] * nodes[v * PLEX_DIM + d];
    }
#endif
  }
#if PLEX_DIM == 2
  return J[0][0] * J[1][1] - J[1][0] * J[0][1];
#else
  return J[0][0] * (J[1][1] * J[2][2] - J[1][2] * J[2][1]) + J[1][0] * (J[2][1] * J[0][2] - J[2][2] * J[0][1]) +
         J[2][0] * (J[0][1] * J[1][2] - J[0][2] * J[1][1]);
#endif
}

extern "C" __global__ void plex_hdg_source(PlexHDGSourceArgs args)
{
  PLEX_DYNAMIC_SHARED(double, values); // [elements][NQ]
  const int first = (int)blockIdx.x * PLEX_HDG_SOURCE_ELEMENTS, n = min(PLEX_HDG_SOURCE_ELEMENTS, args.Ne - first);

  for (int k = (int)threadIdx.x; k < n * PLEX_HDG_NQ; k += (int)blockDim.x) {
    const int   e = first + k / PLEX_HDG_NQ, q = k % PLEX_HDG_NQ;
    double      x[3] = {}, det;
    PetscScalar f[1] = {0};

    det = plex_hdg_point(args, args.x + (plex_index)e * PLEX_HDG_SOURCE_SIZE, q, x);
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
