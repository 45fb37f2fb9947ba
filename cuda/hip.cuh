// CUDA's names that HIP lacks or has with another meaning. PLEX_WARP is what the GPU runs in step: 64 threads of CDNA,
// 32 of RDNA.
#pragma once

// Functions without a word are the device's, as NVRTC has them with -default-device
#pragma clang force_cuda_host_device begin

#define PLEX_PLAIN 1

// CUDA's second number is of blocks a multiprocessor, HIP's of warps a SIMD unit: it is left to the compiler
#undef __launch_bounds__
#define __launch_bounds__(threads, ...) __attribute__((amdgpu_flat_work_group_size(1, threads)))

// ---- Lanes of a warp. They run in step, so that nothing has to be waited for, but memory has to be seen. The mask says
// nothing: a lane that is read from takes part

PLEX_DEVICE void plex_hip_syncwarp()
{
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}
#undef __syncwarp
#undef __ballot_sync
#undef __any_sync
#undef __shfl_sync
#undef __shfl_up_sync
#undef __shfl_xor_sync
#define __syncwarp(mask)                      plex_hip_syncwarp()
#define __ballot_sync(mask, is)               ((plex_mask)__ballot(is) & (mask))
#define __any_sync(mask, is)                  (__ballot_sync(mask, is) != 0)
#define __shfl_sync(mask, v, lane, width)     __shfl(v, lane, width)
#define __shfl_up_sync(mask, v, delta)        __shfl_up(v, delta, PLEX_WARP)
#define __shfl_xor_sync(mask, v, with, width) __shfl_xor(v, with, width)

// ---- Words that other blocks write and wait for

PLEX_DEVICE unsigned plex_load_acquire(const unsigned *from)
{
  return __hip_atomic_load(from, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
}
PLEX_DEVICE void plex_add_relaxed(unsigned *to, unsigned v)
{
  (void)__hip_atomic_fetch_add(to, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

// ---- Loads and stores of what is not read again soon

template <typename T>
PLEX_DEVICE T __ldcs(const T *from)
{
  return __builtin_nontemporal_load(from);
}
template <typename T>
PLEX_DEVICE void __stcs(T *to, T v)
{
  __builtin_nontemporal_store(v, to);
}
// Two numbers, which are a struct here, as the compiler's own vectors
typedef double plex_two_double __attribute__((ext_vector_type(2)));
typedef float  plex_two_float __attribute__((ext_vector_type(2)));

PLEX_DEVICE double2 __ldcs(const double2 *from)
{
  const plex_two_double v = __builtin_nontemporal_load((const plex_two_double *)from);

  return make_double2(v.x, v.y);
}
PLEX_DEVICE float2 __ldcs(const float2 *from)
{
  const plex_two_float v = __builtin_nontemporal_load((const plex_two_float *)from);

  return make_float2(v.x, v.y);
}
PLEX_DEVICE void __stcs(double2 *to, double2 v)
{
  const plex_two_double two = {v.x, v.y};

  __builtin_nontemporal_store(two, (plex_two_double *)to);
}
PLEX_DEVICE void __stcs(float2 *to, float2 v)
{
  const plex_two_float two = {v.x, v.y};

  __builtin_nontemporal_store(two, (plex_two_float *)to);
}
