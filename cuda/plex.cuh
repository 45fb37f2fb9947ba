// What every kernel starts from: number types, teams of threads, PETSc's names for the pointwise functions.
//
// A team is PLEX_TEAM threads that work on one element (or row) together: one thread, a power of two of a warp's
// threads, or the whole block. Sizes come as definitions from the library; see prelude.c for the list.
#pragma once

#ifndef PLEX_EMULATE
  #define PLEX_DYNAMIC_SHARED(T, name) \
    extern __shared__ double plex_dynamic_shared[]; \
    T                       *name = (T *)plex_dynamic_shared
  #define PLEX_EXPORT_KERNEL(name)
  // bytes in a memory (__constant__ or __device__) that the host writes before launches
  #define PLEX_MODULE_VARIABLES(memory, name, bytes) \
    extern "C" { \
    __align__(16) memory unsigned char name[bytes]; \
    }
  #ifndef NULL
    #define NULL 0
  #endif
#endif

#include "plex_args.h"

#if PLEX_SINGLE
typedef float plex_real; // arithmetic and element data
#else
typedef double plex_real;
#endif
typedef double    plex_scalar; // entries of Vec and Mat
typedef long long plex_index;  // positions in arrays that may pass 2^31

#define PLEX_DEVICE   static __device__ __forceinline__
#define PLEX_FUNCTION static __device__ inline // of the application

#include "warp.cuh"
#include "instructions.cuh"

// Where results go: target[s] is the residual's entry or the matrix's slot s. Rows of the matrix that several processes
// add to are in an array of their own, behind the matrix's own values in the numbering of slots; a row is in one of the
// two, so target + s is the address of a row that begins at slot s.
#if PLEX_PARALLEL
struct PlexTarget {
  plex_scalar *A, *B;
  int          nA;

  __device__ __forceinline__ plex_scalar *operator+(plex_index s) const { return s < nA ? A + s : B + (s - nA); }
  __device__ __forceinline__ plex_scalar &operator[](plex_index s) const { return *(*this + s); }
};
#else
typedef plex_scalar *PlexTarget;
#endif
PLEX_DEVICE PlexTarget plex_target(const PlexArgs &args)
{
#if PLEX_PARALLEL
  return PlexTarget{args.A, args.B, args.nA};
#elif PLEX_JACOBIAN
  return args.A;
#else
  return args.F;
#endif
}

#define PLEX_LANE       ((int)(threadIdx.x % PLEX_TEAM)) // of the team
#define PLEX_TEAM_INDEX ((int)(threadIdx.x / PLEX_TEAM)) // of the block
#define PLEX_TEAMS      (PLEX_BLOCK / PLEX_TEAM)         // teams of the block

// The team's threads see each other's writes to shared memory after this.
PLEX_DEVICE void plex_team_sync()
{
#if PLEX_TEAM > 32
  __syncthreads();
#elif PLEX_TEAM == 32
  plex_lanes_sync();
#elif PLEX_TEAM > 1
  plex_lanes_sync<PLEX_TEAM>();
#endif
}

// Loops over an element's dofs, nodes and points: unrolled where one thread holds a small element in registers.
#if PLEX_TEAM == 1 && (PLEX_EF * PLEX_NQ <= PLEX_MOST_COMPILED || PLEX_TENSOR && PLEX_EF * PLEX_EF * PLEX_NQ <= 144)
  #define PLEX_UNROLL   _Pragma("unroll")
  #define PLEX_UNROLLED 1
#else
  #define PLEX_UNROLL   _Pragma("unroll 1")
  #define PLEX_UNROLLED 0
#endif

// Index arrays of elements are interleaved so that neighbouring threads read neighbouring words: item k of K of the
// element at position p. A team of one reads with a stride of a warp, a larger team along the element (Cecka, figures 4
// and 5).
#if PLEX_TEAM == 1
  #define PLEX_INTERLEAVE 32
#else
  #define PLEX_INTERLEAVE 1
#endif
PLEX_DEVICE plex_index plex_interleaved(plex_index p, int K, int k)
{
  return ((p / PLEX_INTERLEAVE) * K + k) * PLEX_INTERLEAVE + p % PLEX_INTERLEAVE;
}
