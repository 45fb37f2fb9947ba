// Running Fourier transforms of values on a surface: sums[f][2][n] += sum over samples k of weights[k][f][2] times
// samples[(first + k) % places][n].
//
// A thread takes one of n values, and reads its samples once. It reads and writes 16 bytes a frequency, so that a batch of
// samples costs not much more than one.
#include "../plex.cuh"

#define PLEX_DFT_SAMPLES 8 // at most, src/dg/output/farfield.c

extern "C" __global__ void plex_dg_dft(const double *samples, const double *weights, double *sums, int n, int nf,
                                       int count, int first, int places)
{
  const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  double    v[PLEX_DFT_SAMPLES];

  if (i < n) {
    for (int k = 0; k < PLEX_DFT_SAMPLES; ++k)
      v[k] = k < count ? samples[(plex_index)((first + k) % places) * n + i] : 0;
    for (int f = 0; f < nf; ++f) {
      double *at = sums + (plex_index)f * 2 * n + i, re = at[0], im = at[n];

      for (int k = 0; k < PLEX_DFT_SAMPLES; ++k) {
        if (k >= count) break;
        re = fma(weights[(k * nf + f) * 2], v[k], re);
        im = fma(weights[(k * nf + f) * 2 + 1], v[k], im);
      }
      at[0] = re;
      at[n] = im;
    }
  }
}
PLEX_EXPORT_KERNEL(plex_dg_dft)
