// The numbers that shared_nz stores of an element, [PLEX_NUMBERS][stride]: of simplices Gamma_ab; else
// (PLEX_LINES_MATRIX) the file that includes this one computes them.
#pragma once

#include "assembly/pairs.cuh"

PLEX_DEVICE void plex_pair_store(plex_real *numbers, int stride, int e, const plex_real out[])
{
  _Pragma("unroll")
  for (int n = 0; n < PLEX_NUMBERS; ++n) numbers[n * stride + e] = out[n];
}

#if !PLEX_LINES_MATRIX
static __device__ constexpr int plex_numbers_of[] = {PLEX_NUMBERS_OF}; // of each number, a and b

PLEX_DEVICE void plex_pair_element(const PlexArgs &args, const PlexNodal &nodal, plex_real *numbers, int stride, int e)
{
  plex_real G[PLEX_POINT_SIZE], out[PLEX_NUMBERS];

  plex_point_data(args, nodal, 0, G);
  _Pragma("unroll")
  for (int n = 0; n < PLEX_NUMBERS; ++n) {
    const int a = plex_numbers_of[2 * n], b = plex_numbers_of[2 * n + 1];

    out[n] = PLEX_NOTHING;
    _Pragma("unroll")
    for (int k = 0; k < PLEX_DIM; ++k) {
      _Pragma("unroll")
      for (int l = 0; l < PLEX_DIM; ++l) {
        const plex_real factor = PLEX_COORDINATE(args, 0, a, 1 + k) * PLEX_COORDINATE(args, 0, b, 1 + l);

        PLEX_ADD_PRODUCT(out[n], PLEX_KNOWN_ZERO(factor), factor, G[k < l ? k * PLEX_DIM + l : l * PLEX_DIM + k]);
      }
    }
  }
  plex_pair_store(numbers, stride, e, out);
}
#endif
