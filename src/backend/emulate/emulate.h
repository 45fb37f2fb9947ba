/*
  CUDA on the processor, for one block at a time: what the device sources of cuda/ use of CUDA, in terms of fibres. A thread of a block
  is a fibre; a barrier or a warp operation gives the processor to the next one. The runtime behind it is fibre.c.

  This text is put in front of every emulated module. Hundreds of modules are compiled in a test run, so it includes little.
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
  PLEX_WARP_SYNC,    /* waits only */
  PLEX_WARP_SHUFFLE, /* gives the value of lane `source` */
  PLEX_WARP_BALLOT   /* gives a bit for each lane whose value is not zero */
} PlexEmulateWarp;

/* The thread that runs now, and the runtime's services to it */
typedef struct {
  PlexEmulateIndex threadIdx, blockIdx, blockDim, gridDim;
  char            *shared; /* the block's dynamic shared memory, 128 bytes aligned, all bytes 0xff when the block starts */
  void (*block)(void);     /* __syncthreads() */
  unsigned long long (*warp)(PlexEmulateWarp, unsigned mask, unsigned long long value, unsigned source);
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
  #define warpSize  32

// Barriers and warp operations
static inline void __syncthreads()
{
  plex_emulate->block();
}
static inline void __syncwarp(unsigned mask = 0xffffffffu)
{
  plex_emulate->warp(PLEX_WARP_SYNC, mask, 0, 0);
}
static inline unsigned __ballot_sync(unsigned mask, int predicate)
{
  return (unsigned)plex_emulate->warp(PLEX_WARP_BALLOT, mask, predicate ? 1 : 0, 0);
}
static inline int __any_sync(unsigned mask, int predicate)
{
  return __ballot_sync(mask, predicate) != 0;
}
static inline int __all_sync(unsigned mask, int predicate)
{
  return __ballot_sync(mask, !predicate) == 0;
}
template <typename T>
static inline T plex_shuffle(unsigned mask, T value, unsigned source)
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
static inline T __shfl_sync(unsigned mask, T value, int source, int width = 32)
{
  unsigned lane = threadIdx.x % 32;
  return plex_shuffle(mask, value, (lane & ~(unsigned)(width - 1)) | ((unsigned)source & (unsigned)(width - 1)));
}
template <typename T>
static inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32)
{
  unsigned lane = threadIdx.x % 32, k = lane & (unsigned)(width - 1);
  return plex_shuffle(mask, value, k >= delta ? lane - delta : lane);
}
template <typename T>
static inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32)
{
  unsigned lane = threadIdx.x % 32, k = lane & (unsigned)(width - 1);
  return plex_shuffle(mask, value, k + delta < (unsigned)width ? lane + delta : lane);
}
template <typename T>
static inline T __shfl_xor_sync(unsigned mask, T value, int with, int width = 32)
{
  unsigned lane = threadIdx.x % 32, source = lane ^ (unsigned)with;
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
static inline int __ffs(int a)
{
  return __builtin_ffs(a);
}
static inline int __clz(int a)
{
  return a ? __builtin_clz((unsigned)a) : 32;
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
