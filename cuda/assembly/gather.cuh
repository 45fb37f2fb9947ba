// What a block of threads gathers in shared memory, several numbers of a thread on their way together.
#pragma once

#define PLEX_FETCHED 4 // numbers that a thread has on their way together

// to[k] = from[ids[k]] of K numbers each, by all threads of the block
template <int K>
PLEX_DEVICE void plex_gather(int n, const int *ids, const double *from, plex_real *to)
{
  for (int first = threadIdx.x; first < n; first += PLEX_FETCHED * PLEX_BLOCK) {
    plex_index id[PLEX_FETCHED];
    double     v[PLEX_FETCHED][K];

    _Pragma("unroll")
    for (int m = 0; m < PLEX_FETCHED; ++m)
      if (first + m * PLEX_BLOCK < n) id[m] = ids[first + m * PLEX_BLOCK];
    _Pragma("unroll")
    for (int m = 0; m < PLEX_FETCHED; ++m) {
      _Pragma("unroll")
      for (int k = 0; k < K; ++k)
        if (first + m * PLEX_BLOCK < n) v[m][k] = from[id[m] * K + k];
    }
    _Pragma("unroll")
    for (int m = 0; m < PLEX_FETCHED; ++m) {
      _Pragma("unroll")
      for (int k = 0; k < K; ++k)
        if (first + m * PLEX_BLOCK < n) to[(first + m * PLEX_BLOCK) * K + k] = (plex_real)v[m][k];
    }
  }
}
