/*
  Steps of plans (src/backend/arrays/steps.h): functions of an index, which run as loops in threads of the host, as C,
  and as a thread an item on a device, as C++. A step writes what is its item's alone; where two write the same, it is
  the same value.
*/
#ifndef PLEX_STEPS_H
#define PLEX_STEPS_H

#ifdef __cplusplus
  #include "plex.cuh"
  #ifdef __CUDA_ARCH__
    #define PLEX_STEP_ARGS const __grid_constant__
  #else
    #define PLEX_STEP_ARGS const
  #endif
  #define PLEX_HOST_DEVICE PLEX_DEVICE
  #define PLEX_STEP(name, Args) \
    static __device__ void     name##_at(const Args *p, plex_index i); \
    extern "C" __global__ void __launch_bounds__(128) name(plex_index n, PLEX_STEP_ARGS Args args) \
    { \
      const plex_index i = (plex_index)blockIdx.x * blockDim.x + threadIdx.x; \
\
      if (i < n) name##_at(&args, i); \
    } \
    PLEX_EXPORT_KERNEL(name) \
    static __device__ void name##_at(const Args *p, plex_index i)
typedef unsigned long long plex_key;
  #if PLEX_INT64
typedef long long plex_int;
  #else
typedef int plex_int;
  #endif
#else
  #include <petscsys.h>
  #define PLEX_HOST_DEVICE static inline
  #define PLEX_STEP(name, Args) \
    static void name##_at(const Args *p, plex_index i); \
    static void name(plex_index first, plex_index end, const void *args) \
    { \
      for (plex_index i = first; i < end; ++i) name##_at((const Args *)args, i); \
    } \
    static void name##_at(const Args *p, plex_index i)
typedef long long plex_index;
typedef uint64_t  plex_key;
typedef PetscInt  plex_int;
#endif

/* A step whose items are shared: lane 0 to lanes - 1 each do a part, those of an item side by side on a device, so that
   they read neighbours; a single one on the host */
#define PLEX_STEP_LANES 8
#ifdef __cplusplus
  #define PLEX_STEP_SHARED(name, Args) \
    static __device__ void name##_by(const Args *p, plex_index i, int lane, int lanes); \
    PLEX_STEP(name, Args) \
    { \
      name##_by(p, i / PLEX_STEP_LANES, (int)(i % PLEX_STEP_LANES), PLEX_STEP_LANES); \
    } \
    static __device__ void name##_by(const Args *p, plex_index i, int lane, int lanes)
#else
  #define PLEX_STEP_SHARED(name, Args) \
    static inline void name##_by(const Args *p, plex_index i, int lane, int lanes); \
    PLEX_STEP(name, Args) \
    { \
      name##_by(p, i, 0, 1); \
    } \
    static inline void name##_by(const Args *p, plex_index i, int lane, int lanes)
#endif

/* Adds to a sum of the item, to which its other lanes add as well */
PLEX_HOST_DEVICE void plex_add_shared(int *sum, int x)
{
#ifdef __cplusplus
  if (x) (void)atomicAdd(sum, x);
#else
  *sum += x;
#endif
}

/* The least i of 0 .. n with a[i] >= x; a[n] ascending. Without branches, which would be taken at random; and three
   items are compared at a time, as a thread waits as long for three as for one */
#define PLEX_LOWER(Index, Item, name) \
  PLEX_HOST_DEVICE Index name(Index n, const Item a[], Item x) \
  { \
    Index first = 0; \
\
    while (n >= 8) { \
      const Index part = n / 4; \
\
      first += part * ((a[first + part - 1] < x) + (a[first + 2 * part - 1] < x) + (a[first + 3 * part - 1] < x)); \
      n -= 3 * part; \
    } \
    while (n > 1) { \
      const Index half = n / 2; \
\
      first += a[first + half - 1] < x ? half : 0; \
      n -= half; \
    } \
    return n > 0 && a[first] < x ? first + 1 : first; \
  }
PLEX_LOWER(int, int, plex_lower)
PLEX_LOWER(int, plex_int, plex_lower_column)
PLEX_LOWER(plex_index, plex_key, plex_lower_key)

/* The list of start[n + 1] that holds item i, where empty ones hold none */
PLEX_HOST_DEVICE int plex_list_of(int n, const int start[], int i)
{
  return plex_lower(n + 1, start, i + 1) - 1;
}

/* Place of column c in the n columns of a row, -1: it has none */
PLEX_HOST_DEVICE int plex_find_column(int n, const plex_int columns[], plex_int c)
{
  const int at = plex_lower_column(n, columns, c);

  return at < n && columns[at] == c ? at : -1;
}

/* Adds to a counter that other items add to as well; returns what it was */
PLEX_HOST_DEVICE int plex_count_up(int *counter)
{
#ifdef __cplusplus
  return atomicAdd(counter, 1);
#else
  return __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
#endif
}

/* Makes a number, which other items raise as well, at least x */
PLEX_HOST_DEVICE void plex_raise(int *most, int x)
{
#ifdef __cplusplus
  if (*(volatile int *)most < x) atomicMax(most, x);
#else
  int now = __atomic_load_n(most, __ATOMIC_RELAXED);

  while (now < x && !__atomic_compare_exchange_n(most, &now, x, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) continue;
#endif
}

/* Adds to a sum that other items add to as well */
PLEX_HOST_DEVICE void plex_add_key(plex_key *sum, plex_key x)
{
#ifdef __cplusplus
  atomicAdd(sum, x);
#else
  (void)__atomic_fetch_add(sum, x, __ATOMIC_RELAXED);
#endif
}

PLEX_HOST_DEVICE int plex_bits_set(plex_key x)
{
#if defined(__CUDA_ARCH__)
  return __popcll(x);
#else
  return __builtin_popcountll(x);
#endif
}

/* Number of the lowest bit of x that is set; x is not 0 */
PLEX_HOST_DEVICE int plex_bits_first(plex_key x)
{
#if defined(__CUDA_ARCH__)
  return __ffsll((long long)x) - 1;
#else
  return __builtin_ctzll(x);
#endif
}

#endif
