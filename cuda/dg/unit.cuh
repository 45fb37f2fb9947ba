// Products of small matrices by a warp, on tensor cores: C[16][8] += A[16][K] B[K][8], K = PLEX_UNIT_K.
//
// In double precision one instruction of 16 x 8 x 4, which runs at twice the rate of those of 8 x 8 x 4 (66 against 33 TFLOP/s on an
// H200). In single precision three of 16 x 8 x 8 in tf32: each factor is the sum of two numbers of 11 bits, and the product of both
// small ones is left out, an error of 2^-22 of the product. Tensor cores cut sums off, always toward zero: long sums are taken outside, where
// they are rounded.
//
// What a lane holds: of A rows lane / 4 and lane / 4 + 8, columns lane % 4 (+ 4); of B the column lane / 4, rows lane % 4 (+ 4); of C
// [2 h + c] row lane / 4 + 8 h, column 2 (lane % 4) + c.
#pragma once

#if PLEX_SINGLE
  #define PLEX_UNIT_K 8
typedef struct {
  #if defined(PLEX_EMULATE)
  float value[4];
  #else
  unsigned high[4], low[4];
  #endif
} PlexUnitA;
typedef float4 PlexUnitB; // high parts of rows lane % 4 and that + 4, then low ones

// Numbers of B from a matrix in memory, which all blocks read: they are to stay in the caches
PLEX_DEVICE PlexUnitB plex_unit_get(const PlexUnitB *from)
{
  #if defined(PLEX_EMULATE)
  return *from;
  #else
  PlexUnitB b;

  asm("ld.global.nc.L1::evict_last.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(b.x), "=f"(b.y), "=f"(b.z), "=f"(b.w) : "l"(from));
  return b;
  #endif
}

  #if !defined(PLEX_EMULATE)
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
  #endif

// Rows of A are `stride` apart, a multiple of 4; row: the one of lane / 4; aligned: it begins at a multiple of 16 bytes
template <int stride, bool aligned = true>
PLEX_DEVICE PlexUnitA plex_unit_load(const float *row)
{
  PlexUnitA    a;
  const float *w = row + threadIdx.x % 4;

  #if defined(PLEX_EMULATE)
  for (int k = 0; k < 4; ++k) a.value[k] = w[k / 2 * 4 + k % 2 * 8 * stride];
  #else
  unsigned v[4];

  if constexpr (!aligned) {
    _Pragma("unroll")
    for (int k = 0; k < 4; ++k) v[k] = __float_as_uint(w[k / 2 * 4 + k % 2 * 8 * stride]);
  } else {
    // Four matrices of 8 rows, 16 bytes each: lanes 8 k ... 8 k + 7 say where the rows of matrix k are, and a lane gets of each what it has to hold
    const int      lane = threadIdx.x % 32;
    const unsigned at   = (unsigned)__cvta_generic_to_shared(row + (lane % 16 - lane / 4) * stride + lane / 16 * 4);

    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "r"(at));
  }
  a = plex_unit_split(v);
  #endif
  return a;
}

// Numbers of A one by one: get(h, k) is that of row lane / 4 + 8 h, column k
template <class Get>
PLEX_DEVICE PlexUnitA plex_unit_make(Get get)
{
  const int k = threadIdx.x % 4;
  #if defined(PLEX_EMULATE)
  return PlexUnitA{
    {get(0, k), get(1, k), get(0, k + 4), get(1, k + 4)}
  };
  #else
  const unsigned v[4] = {__float_as_uint(get(0, k)), __float_as_uint(get(1, k)), __float_as_uint(get(0, k + 4)), __float_as_uint(get(1, k + 4))};

  return plex_unit_split(v);
  #endif
}

// Columns of A are those of a C, in the order 0, 2, 4, 6, 1, 3, 5, 7: step s of them
PLEX_DEVICE PlexUnitA plex_unit_of(const float c[], int)
{
  #if defined(PLEX_EMULATE)
  return PlexUnitA{
    {c[0], c[2], c[1], c[3]}
  };
  #else
  const unsigned v[4] = {__float_as_uint(c[0]), __float_as_uint(c[2]), __float_as_uint(c[1]), __float_as_uint(c[3])};

  return plex_unit_split(v);
  #endif
}

PLEX_DEVICE PlexUnitB plex_unit_negative(PlexUnitB b)
{
  return make_float4(-b.x, -b.y, -b.z, -b.w);
}

  #if !defined(PLEX_EMULATE)
PLEX_DEVICE void plex_unit_tf32(float c[], const unsigned a[], float b0, float b1)
{
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(__float_as_uint(b0)), "r"(__float_as_uint(b1)));
}
  #endif

PLEX_DEVICE void plex_unit_add(float c[], const PlexUnitA &a, PlexUnitB b)
{
  #if defined(PLEX_EMULATE)
  const int lane = threadIdx.x % 32, row = lane & ~3, column = lane % 4 * 8;

  for (int k = 0; k < 4; ++k)
    for (int s = 0; s < 2; ++s) { // rows k and k + 4 of B
      const float value = s ? b.y + b.w : b.x + b.z, b0 = __shfl_sync(0xffffffffu, value, column + k), b1 = __shfl_sync(0xffffffffu, value, column + 4 + k);

      for (int h = 0; h < 2; ++h) {
        const float w = __shfl_sync(0xffffffffu, a.value[2 * s + h], row + k);

        c[2 * h] += w * b0;
        c[2 * h + 1] += w * b1;
      }
    }
  #else
  float d[4] = {0, 0, 0, 0};

  plex_unit_tf32(d, a.low, b.x, b.y);
  plex_unit_tf32(d, a.high, b.z, b.w);
  plex_unit_tf32(d, a.high, b.x, b.y);
  _Pragma("unroll")
  for (int k = 0; k < 4; ++k) c[k] += d[k];
  #endif
}
#else
  #define PLEX_UNIT_K 4
typedef struct {
  double value[2];
} PlexUnitA;
typedef double PlexUnitB;

PLEX_DEVICE PlexUnitB plex_unit_get(const PlexUnitB *from)
{
  #if defined(PLEX_EMULATE)
  return *from;
  #else
  PlexUnitB b;

  asm("ld.global.nc.L1::evict_last.f64 %0, [%1];" : "=d"(b) : "l"(from));
  return b;
  #endif
}

// Likewise those of A, one beside the other
PLEX_DEVICE PlexUnitA plex_unit_get_pair(const double *from)
{
  PlexUnitA a;

  #if defined(PLEX_EMULATE)
  a.value[0] = from[0];
  a.value[1] = from[1];
  #else
  asm("ld.global.nc.L1::evict_last.v2.f64 {%0,%1}, [%2];" : "=d"(a.value[0]), "=d"(a.value[1]) : "l"(from));
  #endif
  return a;
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
  #if defined(PLEX_EMULATE)
  const int lane = threadIdx.x % 32, row = lane & ~3, column = lane % 4 * 8;

  for (int k = 0; k < 4; ++k) {
    const double b0 = __shfl_sync(0xffffffffu, b, column + k), b1 = __shfl_sync(0xffffffffu, b, column + 4 + k);

    for (int h = 0; h < 2; ++h) {
      const double w = __shfl_sync(0xffffffffu, a.value[h], row + k);

      c[2 * h] += w * b0;
      c[2 * h + 1] += w * b1;
    }
  }
  #else
    #if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};" : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3]) : "d"(a.value[0]), "d"(a.value[1]), "d"(b));
    #else // two halves
  _Pragma("unroll")
  for (int h = 0; h < 2; ++h) asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};" : "+d"(c[2 * h]), "+d"(c[2 * h + 1]) : "d"(a.value[h]), "d"(b));
    #endif
  #endif
}
#endif
