// What instructions.cuh has in PTX, in plain C++: for the emulation, and for GPUs that have no PTX. Nothing is computed
// differently but for rounding; what only makes a kernel faster does nothing.
#pragma once

// ---- What the compiler is not to see through, loads and stores: everywhere without PTX

template <typename T>
PLEX_DEVICE void plex_opaque(T &)
{
}
template <typename T>
PLEX_DEVICE void plex_opaque_global(T *&)
{
}
PLEX_DEVICE int plex_opaque_number(int v)
{
  return v;
}
template <typename T>
PLEX_DEVICE T plex_read(const T *from)
{
  return *from;
}
PLEX_DEVICE void plex_reads_end() { }
PLEX_DEVICE void plex_store_if(bool wanted, double *to, double value)
{
  if (wanted) *to = value;
}
PLEX_DEVICE void plex_store_pair(double *to, double x, double y)
{
  *(double2 *)to = make_double2(x, y);
}
PLEX_DEVICE void plex_prefetch_L1(const void *) { }

#if PLEX_PLAIN
  #define PLEX_ARCH 0 // no instructions of a compute capability

// ---- Products: C += A B, all 32 lanes. Which numbers a lane holds is said in src/backend/emulate/emulate.h. A lane
// gets a row of A from the four lanes that have it, and its two columns of B from four lanes each

PLEX_DEVICE void plex_mma_f64_8x8x4(double c[], double a, double b)
{
  const int row = threadIdx.x % 32 / 4 * 4, column = threadIdx.x % 4 * 8;

  _Pragma("unroll")
  for (int k = 0; k < 4; ++k) {
    const double v = plex_lane_get(a, row + k), b0 = plex_lane_get(b, column + k),
                 b1 = plex_lane_get(b, column + 4 + k);

    c[0] += v * b0;
    c[1] += v * b1;
  }
}
PLEX_DEVICE void plex_mma_f64_16x8x4(double c[], const double a[], double b)
{
  plex_mma_f64_8x8x4(c, a[0], b);
  plex_mma_f64_8x8x4(c + 2, a[1], b);
}
PLEX_DEVICE void plex_mma_tf32_16x8x8(float c[], const unsigned a[], float b0, float b1)
{
  const int row = threadIdx.x % 32 / 4 * 4, column = threadIdx.x % 4 * 8;

  _Pragma("unroll")
  for (int k = 0; k < 8; ++k) {
    const float upper = __uint_as_float(plex_lane_get(a[k / 4 * 2], row + k % 4)),
                lower = __uint_as_float(plex_lane_get(a[k / 4 * 2 + 1], row + k % 4)),
                left  = plex_lane_get(k < 4 ? b0 : b1, column + k % 4),
                right = plex_lane_get(k < 4 ? b0 : b1, column + 4 + k % 4);

    c[0] += upper * left;
    c[1] += upper * right;
    c[2] += lower * left;
    c[3] += lower * right;
  }
}
PLEX_DEVICE void plex_ldmatrix_4(unsigned v[], const void *row)
{
  const int lane = threadIdx.x % 32;

  _Pragma("unroll")
  for (int m = 0; m < 4; ++m)
    v[m] = ((const unsigned *)plex_lane_get((unsigned long long)row, 8 * m + lane / 4))[lane % 4];
}

// ---- Copies, done at once

template <int bytes>
struct alignas(bytes) PlexPiece {
  unsigned of[bytes / 4];
};
template <int bytes>
PLEX_DEVICE void plex_cp_async(void *to, const void *from)
{
  *(PlexPiece<bytes> *)to = *(const PlexPiece<bytes> *)from;
}
PLEX_DEVICE void plex_cp_async_line(void *to, const void *from)
{
  plex_cp_async<16>(to, from);
}
PLEX_DEVICE void plex_cp_async_commit() { }
template <int n>
PLEX_DEVICE void plex_cp_async_wait()
{
}
PLEX_DEVICE void plex_cp_async_wait_all() { }
PLEX_DEVICE void plex_bulk_store(void *to, const void *from, unsigned bytes)
{
  for (unsigned k = 0; k < bytes; k += 16) plex_cp_async<16>((char *)to + k, (const char *)from + k);
}
PLEX_DEVICE void plex_bulk_store_commit() { }
template <int n>
PLEX_DEVICE void plex_bulk_store_wait_read()
{
}
PLEX_DEVICE void plex_bulk_store_wait_all() { }
PLEX_DEVICE void plex_bulk_store_fence() { }

// ---- Hints for the caches

template <typename T>
PLEX_DEVICE T plex_load_kept(const T *from)
{
  return *from;
}
PLEX_DEVICE void plex_store_kept(double *to, double v)
{
  *to = v;
}
PLEX_DEVICE void plex_prefetch_L2(const void *) { }
PLEX_DEVICE void plex_prefetch_L2_bulk(const void *, unsigned) { }
PLEX_DEVICE void plex_discard_line(void *) { }

// ---- 1 / x and 1 / sqrt(x)

PLEX_DEVICE double plex_rcp_approximate(double x)
{
  return 1. / x;
}
PLEX_DEVICE double plex_rsqrt_approximate(double x)
{
  return rsqrt(x);
}
#endif

// ---- Copies of which other reads and writes may be moved before or behind them

template <int bytes>
PLEX_DEVICE void plex_cp_async_free(void *to, const void *from)
{
  plex_cp_async<bytes>(to, from);
}
PLEX_DEVICE void plex_cp_async_commit_free()
{
  plex_cp_async_commit();
}
