// Instructions of the GPU that CUDA C++ has no words for: a function each and nothing else. Whoever calls one says what
// for. All statements in PTX are here.
//
// plain.cuh has the same functions without PTX, for GPUs that have none. The emulation has them in
// src/backend/emulate/emulate.h, those of a warp lane by lane with the layout that the PTX ISA gives, so that all text
// but this one is what runs there, too; with 64 threads a warp it takes those of plain.cuh. tests/backend/instructions.c
// compares all with what the PTX ISA says.
#pragma once

#if defined(PLEX_EMULATE) || defined(__HIP__)
  #define PLEX_PTX 0
#else
  #define PLEX_PTX 1
#endif

// Copies in bulk to shared memory; barriers of some of the block's threads. Where there are none a kernel does without
#if PLEX_PTX && __CUDA_ARCH__ >= 900
  #define PLEX_BULK 1
#else
  #define PLEX_BULK 0
#endif
#ifndef PLEX_PLAIN
  #define PLEX_PLAIN 0
#endif
#define PLEX_NUMBERED_BARRIERS (!PLEX_PLAIN)

#if !PLEX_PTX
  #include "plain.cuh"
#else
  #define PLEX_ARCH __CUDA_ARCH__ // 900: compute capability 9.0

// ---- What the compiler is not to see through: it does not know that a number or an address is still the same

PLEX_DEVICE void plex_opaque(int &v)
{
  asm volatile("" : "+r"(v));
}
PLEX_DEVICE void plex_opaque(float &v)
{
  asm volatile("" : "+f"(v));
}
PLEX_DEVICE void plex_opaque(double &v)
{
  asm volatile("" : "+d"(v));
}
template <typename T>
PLEX_DEVICE void plex_opaque(T *&p)
{
  asm volatile("" : "+l"(p));
}
// An address in global memory, which the compiler does know
template <typename T>
PLEX_DEVICE void plex_opaque_global(T *&p)
{
  plex_opaque(p);
  __builtin_assume(__isGlobal(p));
}
// One that may be left out or moved
PLEX_DEVICE int plex_opaque_number(int v)
{
  asm("" : "+r"(v));
  return v;
}

// ---- Loads and stores

// Reads that stay in the order in which they are written; plex_reads_end(): and before what is written behind this
PLEX_DEVICE int plex_read(const int *from)
{
  int v;

  asm volatile("ld.global.b32 %0, [%1];" : "=r"(v) : "l"(from));
  return v;
}
PLEX_DEVICE double plex_read(const double *from)
{
  double v;

  asm volatile("ld.global.f64 %0, [%1];" : "=d"(v) : "l"(from));
  return v;
}
PLEX_DEVICE void plex_reads_end()
{
  asm volatile("" ::: "memory");
}
// Without a branch
PLEX_DEVICE void plex_store_if(bool wanted, double *to, double value)
{
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %0, 0; @p st.global.f64 [%1], %2; }" ::"r"((int)wanted), "l"(to),
               "d"(value)
               : "memory");
}
// Two numbers by one instruction, to a multiple of 16 bytes
PLEX_DEVICE void plex_store_pair(double *to, double x, double y)
{
  asm volatile("st.v2.f64 [%0], {%1, %2};" ::"l"(to), "d"(x), "d"(y) : "memory");
}

PLEX_DEVICE unsigned plex_shared_address(const void *p)
{
  return (unsigned)__cvta_generic_to_shared(p);
}

// ---- Tensor cores: C += A B, all lanes of a warp. A kernel that has them says with __launch_bounds__ how many blocks
// a multiprocessor has at least: without that ptxas (seen of CUDA 13.0) may keep a kernel to 32 registers, for which it
// has no right machine code of m16n8k4, and says nothing; with it it refuses

  #if PLEX_ARCH >= 900
PLEX_DEVICE void plex_mma_f64_16x8x4(double c[], const double a[], double b)
{
  asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0]), "d"(a[1]), "d"(b));
}
  #endif
PLEX_DEVICE void plex_mma_f64_8x8x4(double c[], double a, double b)
{
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};"
      : "+d"(c[0]), "+d"(c[1])
      : "d"(a), "d"(b));
}
PLEX_DEVICE void plex_mma_tf32_16x8x8(float c[], const unsigned a[], float b0, float b1)
{
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(__float_as_uint(b0)), "r"(__float_as_uint(b1)));
}

// Four matrices of 8 rows of 16 bytes in shared memory: lane 8 m + r says where row r of matrix m is, and gets of
// matrix m word lane % 4 of row lane / 4
PLEX_DEVICE void plex_ldmatrix_4(unsigned v[], const void *row)
{
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3])
               : "r"(plex_shared_address(row)));
}

// ---- Barriers of some of the block's threads

template <int number, int threads>
PLEX_DEVICE void plex_bar_sync()
{
  asm volatile("bar.sync %0, %1;" ::"n"(number), "n"(threads) : "memory");
}
template <int threads>
PLEX_DEVICE void plex_bar_sync(int number)
{
  asm volatile("bar.sync %0, %1;" ::"r"(number), "n"(threads) : "memory");
}
template <int number, int threads>
PLEX_DEVICE void plex_bar_arrive()
{
  asm volatile("bar.arrive %0, %1;" ::"n"(number), "n"(threads) : "memory");
}

// ---- Copies to shared memory, of 4, 8 or 16 bytes, or of 16 past the L1 cache

template <int bytes>
PLEX_DEVICE void plex_cp_async(void *to, const void *from)
{
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(plex_shared_address(to)), "l"(from), "n"(bytes)
               : "memory");
}
PLEX_DEVICE void plex_cp_async_line(void *to, const void *from)
{
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(plex_shared_address(to)), "l"(from) : "memory");
}
PLEX_DEVICE void plex_cp_async_commit()
{
  asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int n>
PLEX_DEVICE void plex_cp_async_wait()
{
  asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory");
}
PLEX_DEVICE void plex_cp_async_wait_all()
{
  asm volatile("cp.async.wait_all;" ::: "memory");
}

// The same, of which other reads and writes may be moved before or behind it
template <int bytes>
PLEX_DEVICE void plex_cp_async_free(void *to, const void *from)
{
  const unsigned at = plex_shared_address(to);

  if (bytes == 16) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from));
  else asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(from), "n"(bytes == 16 ? 8 : bytes));
}
PLEX_DEVICE void plex_cp_async_commit_free()
{
  asm volatile("cp.async.commit_group;");
}

// ---- In bulk, by one thread: `bytes` will come, which all wait for at a barrier in shared memory, once

  #if PLEX_BULK
PLEX_DEVICE void plex_mbarrier_expect(unsigned long long *barrier, int bytes)
{
  const unsigned at = plex_shared_address(barrier);

  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(bytes) : "memory");
}
PLEX_DEVICE void plex_bulk_load(unsigned long long *barrier, void *to, const void *from, int bytes)
{
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
                 "r"(plex_shared_address(to)),
               "l"(from), "r"(bytes), "r"(plex_shared_address(barrier))
               : "memory");
}
PLEX_DEVICE unsigned plex_mbarrier_done(unsigned long long *barrier)
{
  unsigned done;

  asm volatile("{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\nselp.u32 %0, 1, 0, p;\n}"
               : "=r"(done)
               : "r"(plex_shared_address(barrier))
               : "memory");
  return done;
}
  #endif

// ---- From shared memory, multiples of 16 bytes, by one thread; wait_read<n>(): all but the last n batches have been
// read; fence(): by all who have written what is copied, before the block's barrier

  #if PLEX_ARCH >= 900
PLEX_DEVICE void plex_bulk_store(void *to, const void *from, unsigned bytes)
{
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(plex_shared_address(from)),
               "r"(bytes)
               : "memory");
}
PLEX_DEVICE void plex_bulk_store_commit()
{
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
template <int n>
PLEX_DEVICE void plex_bulk_store_wait_read()
{
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(n) : "memory");
}
PLEX_DEVICE void plex_bulk_store_wait_all()
{
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
PLEX_DEVICE void plex_bulk_store_fence()
{
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
  #endif

// ---- Words that other blocks write and wait for

PLEX_DEVICE unsigned plex_load_acquire(const unsigned *from)
{
  unsigned v;

  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(from) : "memory");
  return v;
}
PLEX_DEVICE void plex_add_relaxed(unsigned *to, unsigned v)
{
  asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(to), "r"(v) : "memory");
}

// ---- Hints for the caches

// What all blocks read and nobody writes: it is to stay
PLEX_DEVICE float4 plex_load_kept(const float4 *from)
{
  float4 b;

  asm("ld.global.nc.L1::evict_last.v4.f32 {%0,%1,%2,%3}, [%4];"
      : "=f"(b.x), "=f"(b.y), "=f"(b.z), "=f"(b.w)
      : "l"(from));
  return b;
}
PLEX_DEVICE double2 plex_load_kept(const double2 *from)
{
  double2 b;

  asm("ld.global.nc.L1::evict_last.v2.f64 {%0,%1}, [%2];" : "=d"(b.x), "=d"(b.y) : "l"(from));
  return b;
}
PLEX_DEVICE double plex_load_kept(const double *from)
{
  double b;

  asm("ld.global.nc.L1::evict_last.f64 %0, [%1];" : "=d"(b) : "l"(from));
  return b;
}
// What another block reads soon
PLEX_DEVICE void plex_store_kept(double *to, double v)
{
  #if PLEX_ARCH >= 800
  unsigned long long policy;

  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  asm volatile("st.global.L2::cache_hint.f64 [%0], %1, %2;" ::"l"(to), "d"(v), "l"(policy) : "memory");
  #else
  *to = v;
  #endif
}
PLEX_DEVICE void plex_prefetch_L1(const void *at)
{
  asm volatile("prefetch.global.L1 [%0];" ::"l"(at));
}
PLEX_DEVICE void plex_prefetch_L2(const void *at)
{
  asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
}
// Multiples of 16 bytes, some, by one thread
PLEX_DEVICE void plex_prefetch_L2_bulk(const void *from, unsigned bytes)
{
  #if PLEX_ARCH >= 900
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes) : "memory");
  #endif
}
// 128 bytes that nobody reads any more
PLEX_DEVICE void plex_discard_line(void *line)
{
  #if PLEX_ARCH >= 800
  asm volatile("discard.global.L2 [%0], 128;" ::"l"(line) : "memory");
  #endif
}

// ---- Twenty bits of 1 / x and of 1 / sqrt(x)

PLEX_DEVICE double plex_rcp_approximate(double x)
{
  double y;

  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  return y;
}
PLEX_DEVICE double plex_rsqrt_approximate(double x)
{
  double y;

  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  return y;
}
#endif
