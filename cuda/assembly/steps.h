/*
  Steps of plans (src/backend/arrays/steps.h): functions of an index, which run as loops on the host, as C, and as a
  thread an item on a device, as C++. A step writes what is its item's alone; where two write the same, it is the same
  value.
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
  #define PLEX_PLAN PLEX_DEVICE
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
  #define PLEX_PLAN static inline
  #define PLEX_STEP(name, Args) \
    static void name##_at(const Args *p, plex_index i); \
    static void name(plex_index n, const void *args) \
    { \
      for (plex_index i = 0; i < n; ++i) name##_at((const Args *)args, i); \
    } \
    static void name##_at(const Args *p, plex_index i)
typedef long long plex_index;
typedef uint64_t  plex_key;
typedef PetscInt  plex_int;
#endif

/* The least i of 0 .. n with a[i] >= x; a[n] ascending */
PLEX_PLAN int plex_lower(int n, const int a[], int x)
{
  int first = 0;

  while (n > 0) {
    const int half = n / 2;

    if (a[first + half] < x) {
      first += half + 1;
      n -= half + 1;
    } else n = half;
  }
  return first;
}

PLEX_PLAN plex_index plex_lower_key(plex_index n, const plex_key a[], plex_key x)
{
  plex_index first = 0;

  while (n > 0) {
    const plex_index half = n / 2;

    if (a[first + half] < x) {
      first += half + 1;
      n -= half + 1;
    } else n = half;
  }
  return first;
}

/* The list of start[n + 1] that holds item i, where empty ones hold none */
PLEX_PLAN int plex_list_of(int n, const int start[], int i)
{
  return plex_lower(n + 1, start, i + 1) - 1;
}

/* Place of column c in the n columns of a row, -1: it has none */
PLEX_PLAN int plex_find_column(int n, const plex_int columns[], plex_int c)
{
  int first = 0;

  while (n > 0) {
    const int half = n / 2;

    if (columns[first + half] == c) return first + half;
    if (columns[first + half] < c) {
      first += half + 1;
      n -= half + 1;
    } else n = half;
  }
  return -1;
}

/* Adds to a counter that other items add to as well; returns what it was */
PLEX_PLAN int plex_count_up(int *counter)
{
#ifdef __cplusplus
  return atomicAdd(counter, 1);
#else
  return (*counter)++;
#endif
}

/* Makes a number, which other items raise as well, at least x */
PLEX_PLAN void plex_raise(int *most, int x)
{
#ifdef __cplusplus
  if (*(volatile int *)most < x) atomicMax(most, x);
#else
  if (*most < x) *most = x;
#endif
}

PLEX_PLAN int plex_bits_set(plex_key x)
{
#if defined(__CUDA_ARCH__)
  return __popcll(x);
#else
  return __builtin_popcountll(x);
#endif
}

#endif
