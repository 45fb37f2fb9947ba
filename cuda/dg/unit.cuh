// Products of small matrices by a warp, on tensor cores: C[16][8] += A[16][K] B[K][8], K = PLEX_UNIT_K.
//
// In double precision one instruction of 16 x 8 x 4, which runs at twice the rate of those of 8 x 8 x 4 (66 against 33
// TFLOP/s on an H200). In single precision three of 16 x 8 x 8 in tf32: each factor is the sum of two numbers of 11
// bits, and the product of both small ones is left out, an error of 2^-22 of the product. Tensor cores cut sums off,
// always toward zero: long sums are taken outside, where they are rounded.
//
// What a lane holds: of A rows lane / 4 and lane / 4 + 8, columns lane % 4 (+ 4); of B the column lane / 4, rows lane %
// 4 (+ 4); of C [2 h + c] row lane / 4 + 8 h, column 2 (lane % 4) + c.
#pragma once

#include "instructions.cuh"

#if PLEX_SINGLE
  #define PLEX_UNIT_K 8
typedef struct {
  unsigned high[4], low[4];
} PlexUnitA;
typedef float4 PlexUnitB; // high parts of rows lane % 4 and that + 4, then low ones

// Numbers of B from a matrix in memory, which all blocks read: they are to stay in the caches
PLEX_DEVICE PlexUnitB plex_unit_get(const PlexUnitB *from)
{
  return plex_load_kept(from);
}

PLEX_DEVICE PlexUnitA plex_unit_split(const unsigned v[])
{
  PlexUnitA a;

  _Pragma("unroll")
  for (int k = 0; k < 4; ++k) {
    a.high[k] = v[k] & 0xffffe000u;
    a.low[k]  = __float_as_uint(__uint_as_float(v[k]) - __uint_as_float(a.high[k]));
  }
  return a;
}

// Rows of A are `stride` apart, a multiple of 4; row: the one of lane / 4; aligned: it begins at a multiple of 16 bytes
template <int stride, bool aligned = true>
PLEX_DEVICE PlexUnitA plex_unit_load(const float *row)
{
  unsigned v[4];

  if constexpr (!aligned) {
    const float *w = row + threadIdx.x % 4;

    _Pragma("unroll")
    for (int k = 0; k < 4; ++k) v[k] = __float_as_uint(w[k / 2 * 4 + k % 2 * 8 * stride]);
  } else {
    // Four matrices of 8 rows, 16 bytes each: lanes 8 k ... 8 k + 7 say where the rows of matrix k are, and a lane gets
    // of each what it has to hold
    const int lane = threadIdx.x % 32;

    plex_ldmatrix_4(v, row + (lane % 16 - lane / 4) * stride + lane / 16 * 4);
  }
  return plex_unit_split(v);
}

// Numbers of A one by one: get(h, k) is that of row lane / 4 + 8 h, column k
template <class Get>
PLEX_DEVICE PlexUnitA plex_unit_make(Get get)
{
  const int      k    = threadIdx.x % 4;
  const unsigned v[4] = {__float_as_uint(get(0, k)), __float_as_uint(get(1, k)), __float_as_uint(get(0, k + 4)),
                         __float_as_uint(get(1, k + 4))};

  return plex_unit_split(v);
}

// Numbers of B: get(k) is that of row k, of the lane's column
template <class Get>
PLEX_DEVICE PlexUnitB plex_unit_make_rows(Get get)
{
  const float first = get(threadIdx.x % 4), second = get(threadIdx.x % 4 + 4),
              high  = __uint_as_float(__float_as_uint(first) & 0xffffe000u),
              above = __uint_as_float(__float_as_uint(second) & 0xffffe000u);

  return make_float4(high, above, first - high, second - above);
}

// Columns of A are those of a C, in the order 0, 2, 4, 6, 1, 3, 5, 7: step s of them
PLEX_DEVICE PlexUnitA plex_unit_of(const float c[], int)
{
  const unsigned v[4] = {__float_as_uint(c[0]), __float_as_uint(c[2]), __float_as_uint(c[1]), __float_as_uint(c[3])};

  return plex_unit_split(v);
}

PLEX_DEVICE PlexUnitB plex_unit_negative(PlexUnitB b)
{
  return make_float4(-b.x, -b.y, -b.z, -b.w);
}

PLEX_DEVICE void plex_unit_add(float c[], const PlexUnitA &a, PlexUnitB b)
{
  float d[4] = {0, 0, 0, 0};

  plex_mma_tf32_16x8x8(d, a.low, b.x, b.y);
  plex_mma_tf32_16x8x8(d, a.high, b.z, b.w);
  plex_mma_tf32_16x8x8(d, a.high, b.x, b.y);
  _Pragma("unroll")
  for (int k = 0; k < 4; ++k) c[k] += d[k];
}
#else
  #define PLEX_UNIT_K 4
typedef struct {
  double value[2];
} PlexUnitA;
typedef double PlexUnitB;

PLEX_DEVICE PlexUnitB plex_unit_get(const PlexUnitB *from)
{
  return plex_load_kept(from);
}

// Likewise those of A, one beside the other
PLEX_DEVICE PlexUnitA plex_unit_get_pair(const double *from)
{
  const double2 w = plex_load_kept((const double2 *)from);

  return PlexUnitA{
    {w.x, w.y}
  };
}

template <int stride, bool aligned = true>
PLEX_DEVICE PlexUnitA plex_unit_load(const double *row)
{
  const int column = threadIdx.x % 4;
  PlexUnitA a      = {
    {row[column], row[column + 8 * stride]}
  };
  return a;
}

template <class Get>
PLEX_DEVICE PlexUnitA plex_unit_make(Get get)
{
  const int k = threadIdx.x % 4;

  return PlexUnitA{
    {get(0, k), get(1, k)}
  };
}

template <class Get>
PLEX_DEVICE PlexUnitB plex_unit_make_rows(Get get)
{
  return get(threadIdx.x % 4);
}

PLEX_DEVICE PlexUnitA plex_unit_of(const double c[], int s)
{
  return PlexUnitA{
    {c[s], c[2 + s]}
  };
}

PLEX_DEVICE PlexUnitB plex_unit_negative(PlexUnitB b)
{
  return -b;
}

PLEX_DEVICE void plex_unit_add(double c[], const PlexUnitA &a, PlexUnitB b)
{
  #if PLEX_ARCH >= 900
  plex_mma_f64_16x8x4(c, a.value, b);
  #else // two halves
  _Pragma("unroll")
  for (int h = 0; h < 2; ++h) plex_mma_f64_8x8x4(c + 2 * h, a.value[h], b);
  #endif
}
#endif
