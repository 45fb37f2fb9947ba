// Copies to shared memory that a thread puts on its way, while it goes on
#pragma once

#include "instructions.cuh"

// 4, 8 or 16 bytes; the last ones past the L1 cache
template <int bytes>
PLEX_DEVICE void plex_copy_piece(void *to, const void *from)
{
#if defined(__CUDA_ARCH__)
  const unsigned at = (unsigned)__cvta_generic_to_shared(to);

  if (bytes == 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from));
  else asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(from), "n"(bytes == 16 ? 8 : bytes));
#else
  plex_cp_async<bytes>(to, from);
#endif
}
PLEX_DEVICE void plex_copy_line(void *to, const void *from)
{
  plex_copy_piece<16>(to, from);
}

// What the thread copied since the last call is one batch
PLEX_DEVICE void plex_copy_batch(void)
{
#if defined(__CUDA_ARCH__)
  asm volatile("cp.async.commit_group;");
#else
  plex_cp_async_commit();
#endif
}

// Waits for all batches of the thread but the last n
template <int n>
PLEX_DEVICE void plex_copy_wait(void)
{
#if defined(__CUDA_ARCH__)
  asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory");
#else
  plex_cp_async_wait<n>();
#endif
}

// ---- In bulk, from compute capability 9 on: one thread puts on its way what all wait for

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  #define PLEX_BULK 1
#else
  #define PLEX_BULK 0
#endif

// Where all threads of a block wait for copies, once
typedef unsigned long long PlexBulkBarrier;

// By one thread, before a barrier of the block: `bytes` will come
PLEX_DEVICE void plex_bulk_expect(PlexBulkBarrier *barrier, int bytes)
{
#if PLEX_BULK
  const unsigned at = (unsigned)__cvta_generic_to_shared(barrier);

  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(bytes) : "memory");
#else
  (void)barrier, (void)bytes;
#endif
}

// To shared memory, in lines of 16 bytes: by the same thread, or by all where there is no such copy
PLEX_DEVICE void plex_bulk_copy(PlexBulkBarrier *barrier, char *to, const char *from, int bytes)
{
#if PLEX_BULK
  if (bytes)
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
                   "r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(from), "r"(bytes), "r"((unsigned)__cvta_generic_to_shared(barrier))
                 : "memory");
#else
  (void)barrier;
  for (int k = 16 * (int)threadIdx.x; k < bytes; k += 16 * PLEX_BLOCK) plex_copy_line(to + k, from + k);
#endif
}

// By all, behind a barrier of the block
PLEX_DEVICE void plex_bulk_wait(PlexBulkBarrier *barrier)
{
#if PLEX_BULK
  unsigned done = 0;

  while (!done)
    asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(done)
                 : "r"((unsigned)__cvta_generic_to_shared(barrier))
                 : "memory");
#else
  (void)barrier;
  plex_copy_batch();
  plex_copy_wait<0>();
  __syncthreads();
#endif
}

// To the L2 cache, for blocks that come later
PLEX_DEVICE void plex_bulk_prefetch(const void *from, long long bytes)
{
#if PLEX_BULK
  const unsigned long long first = (unsigned long long)from & ~15ull,
                           end   = ((unsigned long long)from + (unsigned long long)bytes) & ~15ull;

  if (end > first)
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(first), "r"((unsigned)(end - first)) : "memory");
#else
  (void)from, (void)bytes;
#endif
}
