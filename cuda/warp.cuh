// Warps. PLEX_WARP is the number of threads that the GPU runs in step, 32 or 64; the backend gives it where it is not
// 32.
//
// Plans, records and fragments of products have 32 lanes on every GPU, and "a warp" in the comments of kernels is those
// 32 threads of a block, 32 w to 32 w + 31. A warp of 64 threads holds two of them, its halves. They take different
// branches as two warps of 32 do, one branch after the other, with two restrictions:
//
// - both halves come to the same __syncthreads()
// - no half waits for something that the other one does
//
// The emulation with 64 threads a warp checks the first. The functions below are for the 32 lanes of a half; all of
// them call, except where a function says who does. Only what sorts (arrays/arrays.cu) uses all lanes of a warp.
#pragma once

#ifndef PLEX_WARP
  #define PLEX_WARP 32
#endif
static_assert(PLEX_WARP == 32 || PLEX_WARP == 64, "32 or 64 threads a warp");

#if PLEX_WARP == 64
typedef unsigned long long plex_mask; // lanes of a warp, a bit each
#else
typedef unsigned plex_mask;
#endif
#define PLEX_ALL_LANES (~(plex_mask)0)

#if defined(__HIP__)
  #include "hip.cuh"
#endif

// Lanes `lanes` of the own half, as lanes of the warp
PLEX_DEVICE plex_mask plex_lanes_of_warp(unsigned lanes)
{
#if PLEX_WARP == 64
  return (plex_mask)lanes << (threadIdx.x & 32);
#else
  return lanes;
#endif
}

// How many lanes of a warp are set
PLEX_DEVICE int plex_lanes_count(plex_mask lanes)
{
#if PLEX_WARP == 64
  return __popcll(lanes);
#else
  return __popc(lanes);
#endif
}

// Lanes see each other's writes after this
PLEX_DEVICE void plex_lanes_sync()
{
  __syncwarp(plex_lanes_of_warp(0xffffffffu));
}
// n neighbouring lanes, a power of two up to 32, that call
template <int n>
PLEX_DEVICE plex_mask plex_lanes_beside()
{
  return plex_lanes_of_warp((0xffffffffu >> (32 - n)) << (threadIdx.x % 32 / n * n));
}
template <int n>
PLEX_DEVICE void plex_lanes_sync()
{
  __syncwarp(plex_lanes_beside<n>());
}

// The value of a lane; of the lane `with` bits off; of the one `delta` before, or the own value where there is none
template <typename T>
PLEX_DEVICE T plex_lane_get(T v, int lane)
{
  return __shfl_sync(plex_lanes_of_warp(0xffffffffu), v, lane, 32);
}
template <typename T>
PLEX_DEVICE T plex_lane_xor(T v, int with)
{
  return __shfl_xor_sync(plex_lanes_of_warp(0xffffffffu), v, with, 32);
}

// Of n neighbouring lanes that call
template <int n, typename T>
PLEX_DEVICE T plex_lane_xor(T v, int with)
{
  return __shfl_xor_sync(plex_lanes_beside<n>(), v, with, 32);
}

// The largest number of all lanes
PLEX_DEVICE unsigned plex_lanes_most(unsigned v)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(0xffffffffu, v); // one instruction
#else
  for (int w = 16; w > 0; w /= 2) {
    const unsigned other = plex_lane_xor(v, w);

    v = v > other ? v : other;
  }
  return v;
#endif
}

// Whether any lane says so, of all and of n neighbouring ones that call
template <int n>
PLEX_DEVICE bool plex_lanes_any(bool is)
{
  return (__ballot_sync(plex_lanes_beside<n>(), is) & plex_lanes_beside<n>()) != 0;
}
PLEX_DEVICE bool plex_lanes_any(bool is)
{
#if PLEX_WARP == 64
  return __ballot_sync(plex_lanes_of_warp(0xffffffffu), is) != 0;
#else
  return __any_sync(0xffffffffu, is);
#endif
}
