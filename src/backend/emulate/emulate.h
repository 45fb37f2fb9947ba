/*
  CUDA on the processor, for one block at a time: what the device sources of cuda/ use of CUDA, in terms of fibres. A
  thread of a block is a fibre; a barrier or a warp operation gives the processor to the next one. The runtime behind it
  is fibre.c.

  This text is put in front of every emulated module. Hundreds of modules are compiled in a test run, so it includes
  little.
*/
#ifndef PLEX_EMULATE_H
#define PLEX_EMULATE_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  unsigned x, y, z;
} PlexEmulateIndex;

typedef enum {
  PLEX_WARP_SYNC,      /* waits only */
  PLEX_WARP_SHUFFLE,   /* gives the value of lane `source` */
  PLEX_WARP_BALLOT,    /* gives a bit for each lane whose value is not zero */
  PLEX_WARP_COLLECTIVE /* computes what all 32 lanes give and get */
} PlexEmulateWarp;

typedef void PlexEmulateCollect(void *const lanes[32]);

typedef enum {
  PLEX_COPY_ASK,   /* puts n bytes on their way to shared memory */
  PLEX_COPY_BATCH, /* what was asked for since the last one is a batch */
  PLEX_COPY_WAIT,  /* for all batches of the thread but the last n; ~0u: for all that it asked for */
  PLEX_BULK_ASK,   /* the same from shared memory, which are batches of their own */
  PLEX_BULK_BATCH,
  PLEX_BULK_WAIT
} PlexEmulateCopy;

/* The thread that runs now, and the runtime's services to it */
typedef struct {
  PlexEmulateIndex threadIdx, blockIdx, blockDim, gridDim;
  /* the block's dynamic shared memory, 128 bytes aligned, all bytes 0xff when the block starts */
  char *shared;
  void (*block)(const char *site);                              /* __syncthreads(), in this line of a file */
  void (*barrier)(unsigned number, unsigned threads, int wait); /* bar.sync, bar.arrive */
  unsigned long long (*warp)(PlexEmulateWarp, unsigned long long mask, unsigned long long value, unsigned source);
  void (*collective)(const char *name, PlexEmulateCollect *, void *mine); /* an error unless all 32 lanes come to it */
  void (*copy)(PlexEmulateCopy, void *to, const void *from, unsigned n);
  /* the thread has read a word; it waits when it reads the same again */
  void (*poll)(const void *word, unsigned value);
  void (*trap)(const char *message); /* does not return */
} PlexEmulateThread;

#ifdef __cplusplus
}
#endif

#ifndef PLEX_EMULATE_RUNTIME

  #include <assert.h>
  #include <math.h>
  #include <stdint.h>
  #include <stdio.h>
  #include <string.h>

  /* Threads a warp: 32, or 64, of which GPUs have other instructions: cuda/plain.cuh */
  #ifndef PLEX_WARP
    #define PLEX_WARP 32
  #endif
  #ifndef PLEX_PLAIN
    #define PLEX_PLAIN 0
  #endif

static PlexEmulateThread *plex_emulate;

  #define PLEX_EMULATE_EXTERN extern "C" __attribute__((visibility("default")))

PLEX_EMULATE_EXTERN void plex_emulate_bind(PlexEmulateThread *runtime)
{
  plex_emulate = runtime;
}

  // Words of CUDA. A shared variable is static: blocks run one after the other.
  #define __global__
  #define __device__
  #define __host__
  #define __constant__
  #define __managed__
  #define __shared__      static
  #define __forceinline__ inline __attribute__((always_inline))
  #define __noinline__    __attribute__((noinline))
  #define __launch_bounds__(...)
  #define __align__(n) __attribute__((aligned(n)))

  #define PLEX_DYNAMIC_SHARED(T, name) T *name = (T *)plex_emulate->shared

// Vector types
struct dim3 {
  unsigned x, y, z;
  dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) { }
};
typedef PlexEmulateIndex uint3;
  #define PLEX_VECTOR2(T, name) \
    struct __attribute__((aligned(2 * sizeof(T)))) name { \
      T x, y; \
    }; \
    static inline name make_##name(T x, T y) \
    { \
      name v = {x, y}; \
      return v; \
    }
  #define PLEX_VECTOR4(T, name) \
    struct __attribute__((aligned(16))) name { \
      T x, y, z, w; \
    }; \
    static inline name make_##name(T x, T y, T z, T w) \
    { \
      name v = {x, y, z, w}; \
      return v; \
    }
PLEX_VECTOR2(int, int2)
PLEX_VECTOR2(unsigned, uint2)
PLEX_VECTOR2(float, float2)
PLEX_VECTOR2(double, double2)
PLEX_VECTOR2(long long, longlong2)
PLEX_VECTOR4(int, int4)
PLEX_VECTOR4(unsigned, uint4)
PLEX_VECTOR4(float, float4)
PLEX_VECTOR4(double, double4)

  // Who a thread is
  #define threadIdx (plex_emulate->threadIdx)
  #define blockIdx  (plex_emulate->blockIdx)
  #define blockDim  (plex_emulate->blockDim)
  #define gridDim   (plex_emulate->gridDim)
  #define warpSize  PLEX_WARP

  // Barriers and warp operations
  #define PLEX_EMULATE_STRING(s) #s
  #define PLEX_EMULATE_LINE(n)   PLEX_EMULATE_STRING(n)
  #define __syncthreads()        plex_emulate->block(__FILE__ ":" PLEX_EMULATE_LINE(__LINE__))
  #if PLEX_WARP == 64
typedef unsigned long long plex_emulate_mask; /* a bit a lane */
  #else
typedef unsigned plex_emulate_mask;
  #endif
static inline void __syncwarp(plex_emulate_mask mask = ~(plex_emulate_mask)0)
{
  plex_emulate->warp(PLEX_WARP_SYNC, mask, 0, 0);
}
static inline plex_emulate_mask __ballot_sync(plex_emulate_mask mask, int predicate)
{
  return (plex_emulate_mask)plex_emulate->warp(PLEX_WARP_BALLOT, mask, predicate ? 1 : 0, 0);
}
static inline int __any_sync(plex_emulate_mask mask, int predicate)
{
  return __ballot_sync(mask, predicate) != 0;
}
static inline int __all_sync(plex_emulate_mask mask, int predicate)
{
  return __ballot_sync(mask, !predicate) == 0;
}
template <typename T>
static inline T plex_shuffle(plex_emulate_mask mask, T value, unsigned source)
{
  static_assert(sizeof(T) <= sizeof(unsigned long long), "a shuffle moves at most 8 bytes");
  unsigned long long bits = 0;
  memcpy(&bits, &value, sizeof(T));
  bits = plex_emulate->warp(PLEX_WARP_SHUFFLE, mask, bits, source);
  memcpy(&value, &bits, sizeof(T));
  return value;
}
// A warp is cut into segments of `width` lanes; a source outside the own segment means the own value
template <typename T>
static inline T __shfl_sync(plex_emulate_mask mask, T value, int source, int width = PLEX_WARP)
{
  unsigned lane = threadIdx.x % PLEX_WARP;
  return plex_shuffle(mask, value, (lane & ~(unsigned)(width - 1)) | ((unsigned)source & (unsigned)(width - 1)));
}
template <typename T>
static inline T __shfl_up_sync(plex_emulate_mask mask, T value, unsigned delta, int width = PLEX_WARP)
{
  unsigned lane = threadIdx.x % PLEX_WARP, k = lane & (unsigned)(width - 1);
  return plex_shuffle(mask, value, k >= delta ? lane - delta : lane);
}
template <typename T>
static inline T __shfl_down_sync(plex_emulate_mask mask, T value, unsigned delta, int width = PLEX_WARP)
{
  unsigned lane = threadIdx.x % PLEX_WARP, k = lane & (unsigned)(width - 1);
  return plex_shuffle(mask, value, k + delta < (unsigned)width ? lane + delta : lane);
}
template <typename T>
static inline T __shfl_xor_sync(plex_emulate_mask mask, T value, int with, int width = PLEX_WARP)
{
  unsigned lane = threadIdx.x % PLEX_WARP, source = lane ^ (unsigned)with;
  return plex_shuffle(mask, value, source <= (lane | (unsigned)(width - 1)) ? source : lane);
}
static inline void __threadfence() { }
static inline void __threadfence_block() { }
  #define __trap() plex_emulate->trap("__trap() was called")

// Atomics: a fibre gives the processor away at barriers only
template <typename T>
struct plex_same {
  typedef T type;
};
template <typename T>
static inline T atomicAdd(T *p, typename plex_same<T>::type v)
{
  T old = *p;
  *p    = old + v;
  return old;
}
template <typename T>
static inline T atomicSub(T *p, typename plex_same<T>::type v)
{
  T old = *p;
  *p    = old - v;
  return old;
}
template <typename T>
static inline T atomicMax(T *p, typename plex_same<T>::type v)
{
  T old = *p;
  if (old < v) *p = v;
  return old;
}
template <typename T>
static inline T atomicMin(T *p, typename plex_same<T>::type v)
{
  T old = *p;
  if (v < old) *p = v;
  return old;
}
template <typename T>
static inline T atomicOr(T *p, typename plex_same<T>::type v)
{
  T old = *p;
  *p    = old | v;
  return old;
}
template <typename T>
static inline T atomicAnd(T *p, typename plex_same<T>::type v)
{
  T old = *p;
  *p    = old & v;
  return old;
}
template <typename T>
static inline T atomicInc(T *p, typename plex_same<T>::type last)
{
  T old = *p;
  *p    = old >= last ? 0 : old + 1;
  return old;
}
template <typename T>
static inline T atomicExch(T *p, typename plex_same<T>::type v)
{
  T old = *p;
  *p    = v;
  return old;
}
template <typename T>
static inline T atomicCAS(T *p, typename plex_same<T>::type compare, typename plex_same<T>::type v)
{
  T old = *p;
  if (old == compare) *p = v;
  return old;
}

  // Loads and stores with a hint for the caches
  #define PLEX_LOAD(name) \
    template <typename T> \
    static inline T name(const T *p) \
    { \
      return *p; \
    }
  #define PLEX_STORE(name) \
    template <typename T> \
    static inline void name(T *p, typename plex_same<T>::type v) \
    { \
      *p = v; \
    }
PLEX_LOAD(__ldg)
PLEX_LOAD(__ldcg)
PLEX_LOAD(__ldca)
PLEX_LOAD(__ldcs)
PLEX_STORE(__stwb)
PLEX_STORE(__stcg)
PLEX_STORE(__stcs)
PLEX_STORE(__stwt)

  // Arithmetic that C++ does not have in the global namespace
  #define PLEX_MINMAX(T) \
    static inline T min(T a, T b) \
    { \
      return b < a ? b : a; \
    } \
    static inline T max(T a, T b) \
    { \
      return a < b ? b : a; \
    }
PLEX_MINMAX(int)
PLEX_MINMAX(unsigned)
PLEX_MINMAX(long)
PLEX_MINMAX(unsigned long)
PLEX_MINMAX(long long)
PLEX_MINMAX(unsigned long long)
  #define PLEX_MINMAX_REAL(A, B, T) \
    static inline T min(A a, B b) \
    { \
      return fmin((T)a, (T)b); \
    } \
    static inline T max(A a, B b) \
    { \
      return fmax((T)a, (T)b); \
    }
PLEX_MINMAX_REAL(float, float, float)
PLEX_MINMAX_REAL(float, double, double)
PLEX_MINMAX_REAL(double, float, double)
PLEX_MINMAX_REAL(double, double, double)
static inline double rsqrt(double a)
{
  return 1. / sqrt(a);
}
static inline float rsqrt(float a)
{
  return 1.f / sqrtf(a);
}
static inline float rsqrtf(float a)
{
  return 1.f / sqrtf(a);
}
static inline int __popc(unsigned a)
{
  return __builtin_popcount(a);
}
static inline int __popcll(unsigned long long a)
{
  return __builtin_popcountll(a);
}
static inline int __ffs(int a)
{
  return __builtin_ffs(a);
}
static inline int __clz(int a)
{
  return a ? __builtin_clz((unsigned)a) : 32;
}

// Numbers by their bits
template <typename To, typename From>
static inline To plex_emulate_bits(From from)
{
  static_assert(sizeof(To) == sizeof(From), "as many bits");
  To to;
  memcpy(&to, &from, sizeof(to));
  return to;
}
static inline unsigned __float_as_uint(float a)
{
  return plex_emulate_bits<unsigned>(a);
}
static inline float __uint_as_float(unsigned a)
{
  return plex_emulate_bits<float>(a);
}
static inline int __double2hiint(double a)
{
  return (int)(plex_emulate_bits<unsigned long long>(a) >> 32);
}
static inline int __double2loint(double a)
{
  return (int)(unsigned)plex_emulate_bits<unsigned long long>(a);
}
static inline double __hiloint2double(int high, int low)
{
  return plex_emulate_bits<double>((unsigned long long)(unsigned)high << 32 | (unsigned)low);
}

  /* ---- What cuda/instructions.cuh has of instructions that CUDA C++ has no words for */

  #if !PLEX_PLAIN /* else cuda/plain.cuh has them, with 64 threads a warp */

    #ifndef PLEX_ARCH
      #define PLEX_ARCH 900
    #endif

// Products of tensor cores: C[M][N] += A[M][K] B[K][N]. Lanes hold them in registers as the PTX ISA says ("Matrix
// fragments"). With g = lane / 4 and t = lane % 4 number i of a lane is, as (row, column)
//
//   m16n8k4, f64     a[i]: (g + 8 i, t)                      b: (t, g)             c[i]: (g + 8 (i / 2), 2 t + i % 2)
//   m8n8k4, f64      a: (g, t)                               b: (t, g)             c[i]: (g, 2 t + i)
//   m16n8k8, tf32    a[i]: (g + 8 (i % 2), t + 4 (i / 2))    b[i]: (t + 4 i, g)    c[i]: as in m16n8k4
struct PlexEmulateProduct {
  const void *a, *b;
  void       *c;
};
template <typename T, typename S, int M, int K, typename Get, typename Put>
static inline void plex_emulate_product(void *const lanes[], Get get, Put put)
{
  const int nA = M * K / 32, nB = K * 8 / 32, nC = M * 8 / 32;
  S         A[M][K], B[K][8], C[M][8]            = {};
  for (int lane = 0; lane < 32; ++lane) {
    const PlexEmulateProduct *p = (const PlexEmulateProduct *)lanes[lane];
    const int                 g = lane / 4, t = lane % 4;
    for (int i = 0; i < nA; ++i) A[g + 8 * (i % (M / 8))][t + 4 * (i / (M / 8))] = get(((const T *)p->a)[i]);
    for (int i = 0; i < nB; ++i) B[t + 4 * i][g] = get(((const T *)p->b)[i]);
    for (int i = 0; i < nC; ++i) C[g + 8 * (i / 2)][2 * t + i % 2] = ((const T *)p->c)[i];
  }
  for (int m = 0; m < M; ++m)
    for (int k = 0; k < K; ++k)
      for (int n = 0; n < 8; ++n) C[m][n] += A[m][k] * B[k][n];
  for (int lane = 0; lane < 32; ++lane) {
    const PlexEmulateProduct *p = (const PlexEmulateProduct *)lanes[lane];
    for (int i = 0; i < nC; ++i) ((T *)p->c)[i] = put(C[lane / 4 + 8 * (i / 2)][2 * (lane % 4) + i % 2]);
  }
}
static inline double plex_emulate_same(double v)
{
  return v;
}
// The unit does not read the last 13 bits of a factor, and cuts sums off
static inline double plex_emulate_tf32(float v)
{
  return __uint_as_float(__float_as_uint(v) & 0xffffe000u);
}
static inline float plex_emulate_cut(double v)
{
  const float f = (float)v;
  return fabs((double)f) > fabs(v) ? __uint_as_float(__float_as_uint(f) - 1) : f;
}
static void plex_emulate_f64_16x8x4(void *const lanes[])
{
  plex_emulate_product<double, double, 16, 4>(lanes, plex_emulate_same, plex_emulate_same);
}
static void plex_emulate_f64_8x8x4(void *const lanes[])
{
  plex_emulate_product<double, double, 8, 4>(lanes, plex_emulate_same, plex_emulate_same);
}
static void plex_emulate_tf32_16x8x8(void *const lanes[])
{
  plex_emulate_product<float, double, 16, 8>(lanes, plex_emulate_tf32, plex_emulate_cut);
}
static inline void plex_mma_f64_16x8x4(double c[], const double a[], double b)
{
  PlexEmulateProduct mine = {a, &b, c};
  plex_emulate->collective("mma.sync.m16n8k4.f64", plex_emulate_f64_16x8x4, &mine);
}
static inline void plex_mma_f64_8x8x4(double c[], double a, double b)
{
  PlexEmulateProduct mine = {&a, &b, c};
  plex_emulate->collective("mma.sync.m8n8k4.f64", plex_emulate_f64_8x8x4, &mine);
}
static inline void plex_mma_tf32_16x8x8(float c[], const unsigned a[], float b0, float b1)
{
  const float        b[2] = {b0, b1};
  PlexEmulateProduct mine = {a, b, c};
  plex_emulate->collective("mma.sync.m16n8k8.tf32", plex_emulate_tf32_16x8x8, &mine);
}

// Four matrices of 8 rows of 16 bytes: lane 8 m + r gives the address of row r of matrix m. Of each matrix a lane gets
// word lane % 4 of row lane / 4.
struct PlexEmulateMatrices {
  const void *row;
  unsigned   *v;
};
static void plex_emulate_ldmatrix(void *const lanes[])
{
  for (int lane = 0; lane < 32; ++lane)
    for (int m = 0; m < 4; ++m)
      memcpy(&((const PlexEmulateMatrices *)lanes[lane])->v[m],
             (const char *)((const PlexEmulateMatrices *)lanes[8 * m + lane / 4])->row + 4 * (lane % 4), 4);
}
static inline void plex_ldmatrix_4(unsigned v[], const void *row)
{
  PlexEmulateMatrices mine = {row, v};
  if ((uintptr_t)row % 16) plex_emulate->trap("ldmatrix: a row does not begin at a multiple of 16 bytes");
  plex_emulate->collective("ldmatrix.m8n8.x4", plex_emulate_ldmatrix, &mine);
}

// Barriers of some of the block's threads
template <int number, int threads>
static inline void plex_bar_sync()
{
  plex_emulate->barrier(number, threads, 1);
}
template <int threads>
static inline void plex_bar_sync(int number)
{
  plex_emulate->barrier(number, threads, 1);
}
template <int number, int threads>
static inline void plex_bar_arrive()
{
  plex_emulate->barrier(number, threads, 0);
}

// Copies to shared memory, and from it
template <int bytes>
static inline void plex_cp_async(void *to, const void *from)
{
  plex_emulate->copy(PLEX_COPY_ASK, to, from, bytes);
}
static inline void plex_cp_async_line(void *to, const void *from)
{
  plex_cp_async<16>(to, from);
}
static inline void plex_cp_async_commit()
{
  plex_emulate->copy(PLEX_COPY_BATCH, 0, 0, 0);
}
template <int n>
static inline void plex_cp_async_wait()
{
  plex_emulate->copy(PLEX_COPY_WAIT, 0, 0, n);
}
static inline void plex_cp_async_wait_all()
{
  plex_emulate->copy(PLEX_COPY_WAIT, 0, 0, ~0u);
}
static inline void plex_bulk_store(void *to, const void *from, unsigned bytes)
{
  plex_emulate->copy(PLEX_BULK_ASK, to, from, bytes);
}
static inline void plex_bulk_store_commit()
{
  plex_emulate->copy(PLEX_BULK_BATCH, 0, 0, 0);
}
template <int n>
static inline void plex_bulk_store_wait_read()
{
  plex_emulate->copy(PLEX_BULK_WAIT, 0, 0, n);
}
static inline void plex_bulk_store_wait_all()
{
  plex_emulate->copy(PLEX_BULK_WAIT, 0, 0, 0);
}
static inline void plex_bulk_store_fence() { }

// Hints for the caches; what is discarded holds no numbers
template <typename T>
static inline T plex_load_kept(const T *from)
{
  if ((uintptr_t)from % sizeof(T)) plex_emulate->trap("a vector of numbers does not begin at a multiple of its size");
  return *from;
}
static inline void plex_store_kept(double *to, double v)
{
  *to = v;
}
static inline void plex_prefetch_L2(const void *) { }
static inline void plex_prefetch_L2_bulk(const void *from, unsigned bytes)
{
  if ((uintptr_t)from % 16 || bytes % 16)
    plex_emulate->trap("cp.async.bulk.prefetch: address and bytes are multiples of 16");
}
static inline void plex_discard_line(void *line)
{
  if ((uintptr_t)line % 128) plex_emulate->trap("discard: a line does not begin at a multiple of 128 bytes");
  memset(line, 0xff, 128);
}

// Twenty bits of 1 / x and of 1 / sqrt(x)
static inline double plex_rcp_approximate(double x)
{
  return __hiloint2double(__double2hiint(1. / x), 0);
}
static inline double plex_rsqrt_approximate(double x)
{
  return __hiloint2double(__double2hiint(1. / sqrt(x)), 0);
}
  #endif /* PLEX_PLAIN */

// Words that other blocks write and wait for
static inline unsigned plex_load_acquire(const unsigned *from)
{
  const unsigned v = *from;
  plex_emulate->poll(from, v);
  return v;
}
static inline void plex_add_relaxed(unsigned *to, unsigned v)
{
  *to += v;
}

// The way in: plex_thunk_<kernel>(args) calls a kernel with the arguments that args[] points to
template <int... I>
struct plex_sequence { };
template <int N, int... I>
struct plex_make_sequence : plex_make_sequence<N - 1, N - 1, I...> { };
template <int... I>
struct plex_make_sequence<0, I...> {
  typedef plex_sequence<I...> type;
};
template <typename... P, int... I>
static inline void plex_call(void (*kernel)(P...), void **args, plex_sequence<I...>)
{
  kernel(*(P *)args[I]...);
}
template <typename... P>
static inline void plex_call(void (*kernel)(P...), void **args)
{
  plex_call(kernel, args, typename plex_make_sequence<sizeof...(P)>::type());
}
  #define PLEX_EXPORT_KERNEL(name) \
    PLEX_EMULATE_EXTERN void plex_thunk_##name(void **args) \
    { \
      plex_call(name, args); \
    }

  // Bytes of a module that the host writes before launches
  #define PLEX_MODULE_VARIABLES(memory, name, bytes) \
    extern "C" { \
    __attribute__((visibility("default"), aligned(16))) unsigned char name[bytes]; \
    extern __attribute__((visibility("default"))) const size_t        plex_size_##name; \
    const size_t                                                      plex_size_##name = bytes; \
    }

#endif /* PLEX_EMULATE_RUNTIME */
#endif /* PLEX_EMULATE_H */
