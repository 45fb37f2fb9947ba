// Copies to shared memory that a thread puts on its way, while it goes on
#pragma once

#include "instructions.cuh"

// 4, 8 or 16 bytes; the last ones past the L1 cache
template <int bytes>
PLEX_DEVICE void plex_copy_piece(void *to, const void *from)
{
  plex_cp_async_free<bytes>(to, from);
}
PLEX_DEVICE void plex_copy_line(void *to, const void *from)
{
  plex_copy_piece<16>(to, from);
}

// What the thread copied since the last call is one batch
PLEX_DEVICE void plex_copy_batch(void)
{
  plex_cp_async_commit_free();
}

// Waits for all batches of the thread but the last n
template <int n>
PLEX_DEVICE void plex_copy_wait(void)
{
  plex_cp_async_wait<n>();
}

// ---- In bulk, from compute capability 9 on: one thread puts on its way what all wait for

// Where all threads of a block wait for copies, once
typedef unsigned long long PlexBulkBarrier;

// By one thread, before a barrier of the block: `bytes` will come
PLEX_DEVICE void plex_bulk_expect(PlexBulkBarrier *barrier, int bytes)
{
#if PLEX_BULK
  plex_mbarrier_expect(barrier, bytes);
#else
  (void)barrier, (void)bytes;
#endif
}

// To shared memory, in lines of 16 bytes: by the same thread, or by all where there is no such copy
PLEX_DEVICE void plex_bulk_copy(PlexBulkBarrier *barrier, char *to, const char *from, int bytes)
{
#if PLEX_BULK
  if (bytes) plex_bulk_load(barrier, to, from, bytes);
#else
  (void)barrier;
  for (int k = 16 * (int)threadIdx.x; k < bytes; k += 16 * PLEX_BLOCK) plex_copy_line(to + k, from + k);
#endif
}

// By all, behind a barrier of the block
PLEX_DEVICE void plex_bulk_wait(PlexBulkBarrier *barrier)
{
#if PLEX_BULK
  while (!plex_mbarrier_done(barrier)) continue;
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

  if (end > first) plex_prefetch_L2_bulk((const void *)first, (unsigned)(end - first));
#else
  (void)from, (void)bytes;
#endif
}
