// Fields at points: values[p][Nf] = sum_i B[p][i] u[element[p]][field][i] of n points.
//
// A thread computes a value; it reads Np numbers of the state and as many of B.
#include "../plex.cuh"

extern "C" __global__ void plex_dg_probe(const double *u, const double *B, const int *element, double *values, int n,
                                         int Nf, int Np)
{
  const plex_index k = (plex_index)blockIdx.x * blockDim.x + threadIdx.x, p = k / Nf;

  if (p < n) {
    const double *b = B + p * Np, *v = u + ((plex_index)element[p] * Nf + k - p * Nf) * Np;
    double        sum = 0;

    for (int i = 0; i < Np; ++i) sum += b[i] * v[i];
    values[k] = sum;
  }
}
PLEX_EXPORT_KERNEL(plex_dg_probe)
