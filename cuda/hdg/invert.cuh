// The inverse of a small positive definite matrix a[n][n] in shared memory by Gauss-Jordan elimination without pivoting,
// by all threads of a block; row[n] and column[n] are its room. 2 n^3 flops.
#pragma once

template <int n>
PLEX_DEVICE void plex_hdg_invert_block(double *a, double *row, double *column)
{
  __syncthreads();
  for (int p = 0; p < n; ++p) {
    const double pivot = 1. / a[p * n + p];

    for (int k = (int)threadIdx.x; k < n; k += (int)blockDim.x) {
      row[k]    = k == p ? pivot : pivot * a[p * n + k];
      column[k] = a[k * n + p];
    }
    __syncthreads();
    for (int k = (int)threadIdx.x; k < n * n; k += (int)blockDim.x) {
      const int i = k / n, j = k % n;

      a[k] = i == p ? row[j] : (j == p ? 0. : a[k]) - column[i] * row[j];
    }
    __syncthreads();
  }
}
