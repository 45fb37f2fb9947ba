// The preconditioner of the trace's equations: inverses of the faces' blocks of K, products with them, and the coarse
// matrix. src/hdg/precondition.c, coarse.c
#include "../plex.cuh"
#include "hdg_args.h"

// D[l][j][i] = omega (block of face l)^-1, entry (i, j): a block of threads a face, by Gauss and Jordan's method in
// shared memory without pivoting, which positive definite blocks do not need. Reads and writes 8 NF^2 bytes a face, in
// rows of NF; 2 NF^3 flops
extern "C" __global__ void plex_hdg_invert(const PlexHDGBlock *blocks, const int *diagonal, const double *A,
                                           double omega, double *D)
{
  PLEX_DYNAMIC_SHARED(double, shared);
  double            *a = shared, *row = a + PLEX_HDG_NF * PLEX_HDG_NF, *column = row + PLEX_HDG_NF;
  const PlexHDGBlock b    = blocks[diagonal[blockIdx.x]];
  double            *mine = D + (plex_index)blockIdx.x * PLEX_HDG_NF * PLEX_HDG_NF;

  for (int k = (int)threadIdx.x; k < PLEX_HDG_NF * PLEX_HDG_NF; k += (int)blockDim.x)
    a[k] = A[b.target + k / PLEX_HDG_NF * b.stride + k % PLEX_HDG_NF];
  __syncthreads();
  for (int p = 0; p < PLEX_HDG_NF; ++p) {
    const double pivot = 1. / a[p * PLEX_HDG_NF + p];

    for (int k = (int)threadIdx.x; k < PLEX_HDG_NF; k += (int)blockDim.x) {
      row[k]    = k == p ? pivot : pivot * a[p * PLEX_HDG_NF + k];
      column[k] = a[k * PLEX_HDG_NF + p];
    }
    __syncthreads();
    for (int k = (int)threadIdx.x; k < PLEX_HDG_NF * PLEX_HDG_NF; k += (int)blockDim.x) {
      const int i = k / PLEX_HDG_NF, j = k % PLEX_HDG_NF;

      a[k] = i == p ? row[j] : (j == p ? 0. : a[k]) - column[i] * row[j];
    }
    __syncthreads();
  }
  for (int k = (int)threadIdx.x; k < PLEX_HDG_NF * PLEX_HDG_NF; k += (int)blockDim.x)
    mine[k] = omega * a[k % PLEX_HDG_NF * PLEX_HDG_NF + k / PLEX_HDG_NF];
}
PLEX_EXPORT_KERNEL(plex_hdg_invert)

// x = D b, or x + D (b - w) where there is w = K x: a thread a function of a face; 8 NF bytes of D a thread, neighbours
// beside each other
extern "C" __global__ void plex_hdg_smooth(const double *D, int n, const double *b, const double *w, double *x)
{
  const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);

  if (k < n) {
    const int        i     = k % PLEX_HDG_NF;
    const plex_index first = k - i;
    const double    *mine  = D + first * PLEX_HDG_NF + i;
    double           sum   = 0;

    for (int j = 0; j < PLEX_HDG_NF; ++j)
      sum += mine[j * PLEX_HDG_NF] * (w ? b[first + j] - w[first + j] : b[first + j]);
    x[k] = w ? x[k] + sum : sum;
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_smooth)

// Parts of the coarse matrix's entries: a thread a vertex of a face and a pair. Reads MODES^2 values of K and 24 bytes
// of a block for each item, writes 8 bytes
extern "C" __global__ void plex_hdg_coarse(const PlexHDGBlock *blocks, const int *start, const int *items, int n,
                                           const double *A, const double *B, double *parts)
{
  const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);

  if (k < n) {
    const int pair = k / PLEX_HDG_VERTICES, v = k % PLEX_HDG_VERTICES;
    double    sum = 0;

    for (int s = start[pair]; s < start[pair + 1]; ++s) {
      const PlexHDGBlock b = blocks[items[s] / PLEX_HDG_VERTICES];
      const int          w = items[s] % PLEX_HDG_VERTICES;
      const double      *K = (b.part ? B : A) + b.target;

      for (int m = 0; m < PLEX_HDG_MODES; ++m)
        for (int o = 0; o < PLEX_HDG_MODES; ++o)
          sum += plex_hdg_weights[v][m] * K[plex_hdg_modes[m] * b.stride + plex_hdg_modes[o]] * plex_hdg_weights[w][o];
    }
    parts[k] = sum;
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_coarse)
