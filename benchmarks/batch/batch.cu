// Element matrices alone, as a contraction of tensors: for each element and each entry k of its matrix, row by row,
//
//   A[k] = sum_g K[k][g] G[g]        (Knepley and Terrel 2011, equations 1 to 15 and section 4)
//
// A block works on batches of PLEX_BATCH elements: it takes their G to shared memory, then PLEX_CONCURRENT sets of
// threads compute an element each, PLEX_ROUNDS times. A thread computes PLEX_EACH consecutive entries, of which it
// keeps the K: with one, as in the paper, a block's threads write consecutive numbers; with all of them a set is one
// thread, K is in the program's text, and matrices go through shared memory so that consecutive threads write
// consecutive 16 bytes again.
//
// Reads sizeof(plex_real) PLEX_NG bytes an element (PLEX_COORDINATES: 4 PLEX_NV and its share of the coordinates),
// writes sizeof(plex_real) PLEX_ND; 2 PLEX_ND PLEX_NG flops, as the paper counts, zeros of K included.
//
// The same text is the processor's: with PLEX_SERIAL the kernel is called once, by one thread, and its loops over
// threads and batches are loops.
#include "plex.cuh"
#include "instructions.cuh"
#include "batch_args.h"

#define PLEX_SET     (PLEX_ND / PLEX_EACH)                      // threads of one element
#define PLEX_THREADS (PLEX_CONCURRENT * PLEX_SET)               // of a block
#define PLEX_ROUNDS  (PLEX_BATCH / PLEX_CONCURRENT)             // elements of a thread in a batch, one after the other
#define PLEX_PART    (PLEX_INTERLEAVE_STORES ? 1 : PLEX_ROUNDS) // rounds between stores
#define PLEX_BYTES16 (16 / (int)sizeof(plex_real))

// What a thread does between two barriers
#if PLEX_SERIAL
  #define PLEX_FOR_THREADS(t) for (int t = 0; t < PLEX_THREADS; ++t)
  #define PLEX_BLOCK_SYNC()
#else
  #define PLEX_FOR_THREADS(t) for (int t = threadIdx.x, once = 1; once; once = 0)
  #define PLEX_BLOCK_SYNC()   __syncthreads()
#endif
#if defined(PLEX_EMULATE) // GCC and Clang have another word for it
  #define PLEX_STRAIGHT _Pragma("GCC unroll 1024")
  #define PLEX_BY_FOUR  _Pragma("GCC unroll 4")
  #define PLEX_NOT      _Pragma("GCC unroll 1")
#else
  #define PLEX_STRAIGHT _Pragma("unroll")
  #define PLEX_BY_FOUR  _Pragma("unroll 4")
  #define PLEX_NOT      _Pragma("unroll 1")
#endif
#if !PLEX_UNROLL_LOOPS
  #define PLEX_LOOP        PLEX_NOT
  #define PLEX_LOOP_ROUNDS PLEX_NOT
#else
  #define PLEX_LOOP PLEX_STRAIGHT
  #if !PLEX_STAGED && !PLEX_INTERLEAVE_STORES // the entries of all rounds are in registers
    #define PLEX_LOOP_ROUNDS PLEX_STRAIGHT
  #elif PLEX_EACH * PLEX_NG <= 36
    #define PLEX_LOOP_ROUNDS PLEX_BY_FOUR
  #else
    #define PLEX_LOOP_ROUNDS PLEX_NOT
  #endif
#endif

static __device__ constexpr plex_real plex_K[PLEX_ND * PLEX_NG] = {PLEX_K_TABLE};
#if PLEX_COORDINATES
static __device__ constexpr plex_real plex_dpsi[PLEX_NV * PLEX_DIM] = {PLEX_DPSI_TABLE};
#endif

template <int n>
struct alignas(n * sizeof(plex_real)) PlexVector {
  plex_real v[n];
};

// The compiler's own type of as many numbers, whose loads and stores are one instruction
template <int n>
struct PlexWide;
template <>
struct PlexWide<1> {
  typedef plex_real type;
};
#if PLEX_SINGLE
template <>
struct PlexWide<2> {
  typedef float2 type;
};
template <>
struct PlexWide<4> {
  typedef float4 type;
};
#else
template <>
struct PlexWide<2> {
  typedef double2 type;
};
#endif

// n numbers by all threads, `vector` at a time; consecutive threads take consecutive ones
template <int vector>
PLEX_DEVICE void plex_copy(plex_real *__restrict__ to, const plex_real *__restrict__ from, int n, int t)
{
  PLEX_BY_FOUR
  for (int k = t; k < n / vector; k += PLEX_THREADS)
    ((PlexVector<vector> *)to)[k] = ((const PlexVector<vector> *)from)[k];
}

// ---- G ----

// The tensor of an element from its vertices: G = J^-1 J^-T |J|, with J the gradient of the affine map
PLEX_DEVICE void plex_geometry(const PlexBatchArgs &args, plex_index e, plex_real *G)
{
#if PLEX_COORDINATES
  const int    *v                     = args.vertices + e * PLEX_NV;
  const double *x0                    = args.x + (plex_index)v[0] * PLEX_DIM;
  plex_real     J[PLEX_DIM][PLEX_DIM] = {}, C[PLEX_DIM][PLEX_DIM], det = 0;

  PLEX_STRAIGHT
  for (int n = 1; n < PLEX_NV; ++n) {
    const double *x = args.x + (plex_index)v[n] * PLEX_DIM;

    PLEX_STRAIGHT
    for (int d = 0; d < PLEX_DIM; ++d) {
      const plex_real edge = (plex_real)(x[d] - x0[d]);

      PLEX_STRAIGHT
      for (int a = 0; a < PLEX_DIM; ++a) {
        if (plex_dpsi[n * PLEX_DIM + a] != 0) J[d][a] += edge * plex_dpsi[n * PLEX_DIM + a];
      }
    }
  }
  // C = |J| J^-1: cofactors
  #if PLEX_DIM == 2
  C[0][0] = J[1][1];
  C[0][1] = -J[0][1];
  C[1][0] = -J[1][0];
  C[1][1] = J[0][0];
  #else
  PLEX_STRAIGHT
  for (int a = 0; a < 3; ++a) {
    PLEX_STRAIGHT
    for (int d = 0; d < 3; ++d)
      C[a][d] = J[(d + 1) % 3][(a + 1) % 3] * J[(d + 2) % 3][(a + 2) % 3] -
                J[(d + 1) % 3][(a + 2) % 3] * J[(d + 2) % 3][(a + 1) % 3];
  }
  #endif
  PLEX_STRAIGHT
  for (int d = 0; d < PLEX_DIM; ++d) det += J[d][0] * C[0][d];
  det   = 1 / det;
  int g = 0;
  PLEX_STRAIGHT
  for (int a = 0; a < PLEX_DIM; ++a) {
    PLEX_STRAIGHT
    for (int b = PLEX_SYMMETRIC_G ? a : 0; b < PLEX_DIM; ++b) {
      plex_real sum = 0;

      PLEX_STRAIGHT
      for (int d = 0; d < PLEX_DIM; ++d) sum += C[a][d] * C[b][d];
      G[g++] = sum * det;
    }
  }
#else
  const plex_real *from = (const plex_real *)args.G + e * PLEX_NG;

  PLEX_STRAIGHT
  for (int g = 0; g < PLEX_NG / PLEX_VECTOR_G; ++g)
    *(PlexVector<PLEX_VECTOR_G> *)(G + g * PLEX_VECTOR_G) = ((const PlexVector<PLEX_VECTOR_G> *)from)[g];
#endif
}

// G of a batch to shared memory
PLEX_DEVICE void plex_load(const PlexBatchArgs &args, plex_index first, int count, plex_real *G, int t)
{
#if PLEX_COORDINATES
  for (int e = t; e < count; e += PLEX_THREADS) plex_geometry(args, first + e, G + e * PLEX_NG);
#else
  const plex_real *from = (const plex_real *)args.G + first * PLEX_NG;

  if (count == PLEX_BATCH) plex_copy<PLEX_VECTOR_LOAD>(G, from, PLEX_BATCH * PLEX_NG, t);
  else plex_copy<1>(G, from, count * PLEX_NG, t);
#endif
}

// The same, without waiting for it
PLEX_DEVICE void plex_prefetch(const PlexBatchArgs &args, plex_index first, int count, plex_real *G, int t)
{
#if PLEX_PREFETCH
  if (count == PLEX_BATCH) {
    const plex_real *from = (const plex_real *)args.G + first * PLEX_NG;

    for (int k = t; k < PLEX_BATCH * PLEX_NG / PLEX_BYTES16; k += PLEX_THREADS)
      plex_cp_async_line(G + k * PLEX_BYTES16, from + k * PLEX_BYTES16);
  } else plex_load(args, first, count, G, t);
  plex_cp_async_commit();
#else
  if (count > 0) plex_load(args, first, count, G, t);
#endif
}
PLEX_DEVICE void plex_prefetch_wait()
{
#if PLEX_PREFETCH
  plex_cp_async_wait_all();
#endif
}

// ---- The contraction ----

// E[w] of entries w of a thread. K: theirs, [PLEX_EACH][PLEX_NG]
PLEX_DEVICE void plex_contract(const plex_real *K, const plex_real *G, plex_real *E)
{
  PLEX_LOOP
  for (int w = 0; w < PLEX_EACH; ++w) {
    plex_real sum = 0;

    PLEX_LOOP
    for (int g = 0; g < PLEX_NG; ++g) {
      if (PLEX_SET == 1 && PLEX_UNROLL_LOOPS && K[w * PLEX_NG + g] == 0) continue; // known to the compiler
      sum += K[w * PLEX_NG + g] * G[g];
    }
    E[w] = sum;
  }
}

// A thread's entries of its element in a round of a batch
PLEX_DEVICE void plex_entries(const PlexBatchArgs &args, plex_index first, int e, const plex_real *K,
                              const plex_real *shared, plex_real *E)
{
#if PLEX_SHARED_G && !PLEX_UNROLL_LOOPS
  plex_contract(K, shared + e * PLEX_NG, E);
#else
  alignas(16) plex_real G[PLEX_NG];

  #if PLEX_SHARED_G
  PLEX_STRAIGHT
  for (int g = 0; g < PLEX_NG / PLEX_VECTOR_G; ++g)
    *(PlexVector<PLEX_VECTOR_G> *)(G +
                                   g * PLEX_VECTOR_G) = ((const PlexVector<PLEX_VECTOR_G> *)(shared + e * PLEX_NG))[g];
  #else
  plex_geometry(args, first + e, G);
  #endif
  plex_contract(K, G, E);
#endif
}

// ---- Stores ----

// A thread's own entries, straight to memory
PLEX_DEVICE void plex_store(plex_real *A, const plex_real *E)
{
  PLEX_LOOP
  for (int k = 0; k < PLEX_EACH; k += PLEX_VECTOR) {
    PlexVector<PLEX_VECTOR> v;

    PLEX_STRAIGHT
    for (int i = 0; i < PLEX_VECTOR; ++i) v.v[i] = E[k + i];
    __stcs((PlexWide<PLEX_VECTOR>::type *)(A + k), *(const PlexWide<PLEX_VECTOR>::type *)v.v);
  }
}

#if PLEX_STAGED
  #define PLEX_CHUNKS (PLEX_ND / PLEX_VECTOR) // of a matrix

// Where chunk c of a part's matrix e is in shared memory. Threads that write the same chunk of their matrices would
// meet in few of the 32 banks where PLEX_CHUNKS is a power of two: the order of the chunks differs from matrix to
// matrix then; else, if even, a chunk is left free. What is copied by the machine itself has to lie as in memory.
PLEX_DEVICE int plex_place(int e, int c)
{
  #if PLEX_STAGED == 2
  return e * PLEX_CHUNKS + c;
  #elif (PLEX_CHUNKS & (PLEX_CHUNKS - 1)) == 0
  return e * PLEX_CHUNKS +
         (c ^ ((PLEX_CHUNKS >= 8 ? e : e * PLEX_CHUNKS / 8) & (PLEX_CHUNKS < 8 ? PLEX_CHUNKS - 1 : 7)));
  #else
  return e * (PLEX_CHUNKS | 1) + c;
  #endif
}

PLEX_DEVICE void plex_stage(PlexVector<PLEX_VECTOR> *stage, int e, const plex_real *E)
{
  PLEX_STRAIGHT
  for (int c = 0; c < PLEX_CHUNKS; ++c) {
    PlexVector<PLEX_VECTOR> v;

    PLEX_STRAIGHT
    for (int i = 0; i < PLEX_VECTOR; ++i) v.v[i] = E[c * PLEX_VECTOR + i];
    stage[plex_place(e, c)] = v;
  }
}

// The first `count` matrices of a part from shared memory to A, by all threads. PLEX_STAGED 2: by one bulk copy, while
// the block goes on
PLEX_DEVICE void plex_unstage(plex_real *A, const PlexVector<PLEX_VECTOR> *stage, int count, int t)
{
  #if PLEX_STAGED == 2
  if (t == 0) {
    plex_bulk_store(A, stage, (unsigned)(count * PLEX_ND * sizeof(plex_real)));
    plex_bulk_store_commit();
  }
  #else
  PLEX_BY_FOUR
  for (int k = t; k < count * PLEX_CHUNKS; k += PLEX_THREADS)
    __stcs((PlexWide<PLEX_VECTOR>::type *)A + k,
           *(const PlexWide<PLEX_VECTOR>::type *)stage[plex_place(k / PLEX_CHUNKS, k % PLEX_CHUNKS)].v);
  #endif
}

// Before a part is staged: the buffer's last copy has read it. After: the copy sees what was staged
PLEX_DEVICE void plex_stage_begin(int t)
{
  #if PLEX_STAGED == 2
  if (t == 0) plex_bulk_store_wait_read<PLEX_STAGES - 1>();
  #endif
}
PLEX_DEVICE void plex_stage_end()
{
  #if PLEX_STAGED == 2
  plex_bulk_store_fence();
  #endif
}
PLEX_DEVICE void plex_stages_finish(int t)
{
  #if PLEX_STAGED == 2
  if (t == 0) plex_bulk_store_wait_all();
  #endif
}
#endif

// ---- A batch ----

#if PLEX_STAGED
// In parts: computed into shared memory, then copied
template <bool whole>
PLEX_DEVICE void plex_batch_compute(const PlexBatchArgs &args, plex_index first, int count, const plex_real *K,
                                    const plex_real *G, PlexVector<PLEX_VECTOR> *stages, int &stage)
{
  plex_real *A = (plex_real *)args.A + first * PLEX_ND;

  for (int r = 0; r < PLEX_ROUNDS; r += PLEX_PART) {
    PlexVector<PLEX_VECTOR> *to   = stages + stage * PLEX_STAGE_SIZE;
    const int                e0   = r * PLEX_CONCURRENT,
                             left = whole ? PLEX_PART * PLEX_CONCURRENT : min(count - e0, PLEX_PART * PLEX_CONCURRENT);

    if (!whole && left <= 0) break;
    PLEX_FOR_THREADS(t) plex_stage_begin(t);
    PLEX_BLOCK_SYNC();
    PLEX_FOR_THREADS(t)
    {
      PLEX_LOOP_ROUNDS
      for (int e = t; e < PLEX_PART * PLEX_CONCURRENT; e += PLEX_CONCURRENT) {
        plex_real E[PLEX_EACH];

        if (!whole && e >= left) break;
        plex_entries(args, first, e0 + e, plex_K, G, E);
        plex_stage(to, e, E);
      }
      plex_stage_end();
    }
    PLEX_BLOCK_SYNC();
    PLEX_FOR_THREADS(t) plex_unstage(A + (plex_index)e0 * PLEX_ND, to, left, t);
    stage = (stage + 1) % PLEX_STAGES;
  }
}
#else
// Each thread for itself: stored at once, or all at the end
template <bool whole>
PLEX_DEVICE void plex_batch_compute(const PlexBatchArgs &args, plex_index first, int count, const plex_real *mine,
                                    const plex_real *G)
{
  PLEX_FOR_THREADS(t)
  {
    const int        entry = t % PLEX_SET * PLEX_EACH;
    const plex_real *K     = PLEX_SET == 1 || PLEX_SERIAL ? plex_K + entry * PLEX_NG : mine;
    plex_real       *A     = (plex_real *)args.A + first * PLEX_ND + entry;
    plex_real        E[PLEX_PART][PLEX_EACH];

    PLEX_LOOP_ROUNDS
    for (int r = 0; r < PLEX_ROUNDS; ++r) {
      const int e = r * PLEX_CONCURRENT + t / PLEX_SET;

      if (!whole && e >= count) break;
      plex_entries(args, first, e, K, G, E[r % PLEX_PART]);
      if (PLEX_INTERLEAVE_STORES) plex_store(A + (plex_index)e * PLEX_ND, E[0]);
    }
    if (!PLEX_INTERLEAVE_STORES) {
      PLEX_LOOP_ROUNDS
      for (int r = 0; r < PLEX_ROUNDS; ++r) {
        const int e = r * PLEX_CONCURRENT + t / PLEX_SET;

        if (!whole && e >= count) break;
        plex_store(A + (plex_index)e * PLEX_ND, E[r % PLEX_PART]);
      }
    }
  }
}
#endif

extern "C" __global__ void __launch_bounds__(PLEX_THREADS) plex_batch(PlexBatchArgs args)
{
  PLEX_DYNAMIC_SHARED(plex_real, shared); // G of a batch, twice where it is prefetched; then the stages
  const int  batches = (args.n + PLEX_BATCH - 1) / PLEX_BATCH;
  plex_real *G       = shared;
#if PLEX_SHARED_G
  plex_real *next = shared + (PLEX_PREFETCH ? PLEX_SHARED_G_SIZE : 0);
#endif
#if PLEX_STAGED
  PlexVector<PLEX_VECTOR> *stages = (PlexVector<PLEX_VECTOR> *)(shared + PLEX_SHARED_G * (1 + PLEX_PREFETCH) *
                                                                           PLEX_SHARED_G_SIZE);
  int                      stage  = 0;
#endif
  plex_real K[PLEX_EACH * PLEX_NG];

#if PLEX_SET > 1 && !PLEX_SERIAL
  PLEX_LOOP
  for (int k = 0; k < PLEX_EACH * PLEX_NG; ++k) K[k] = plex_K[threadIdx.x % PLEX_SET * PLEX_EACH * PLEX_NG + k];
#endif
#if PLEX_PREFETCH
  PLEX_FOR_THREADS(t)
  plex_prefetch(args, (plex_index)blockIdx.x * PLEX_BATCH, min(PLEX_BATCH, args.n - (int)blockIdx.x * PLEX_BATCH), G,
                t);
#endif
  for (int b = blockIdx.x; b < batches; b += gridDim.x) {
    const plex_index first = (plex_index)b * PLEX_BATCH;
    const int        count = min(PLEX_BATCH, (int)(args.n - first));

#if PLEX_PREFETCH
    plex_prefetch_wait();
    PLEX_BLOCK_SYNC();
    PLEX_FOR_THREADS(t)
    plex_prefetch(args, first + (plex_index)gridDim.x * PLEX_BATCH,
                  min(PLEX_BATCH, max(0, (int)(args.n - first - gridDim.x * PLEX_BATCH))), next, t);
#elif PLEX_SHARED_G
    PLEX_FOR_THREADS(t) plex_load(args, first, count, G, t);
    PLEX_BLOCK_SYNC();
#endif
#if PLEX_STAGED
    if (count == PLEX_BATCH) plex_batch_compute<true>(args, first, count, K, G, stages, stage);
    else plex_batch_compute<false>(args, first, count, K, G, stages, stage);
#else
    if (count == PLEX_BATCH) plex_batch_compute<true>(args, first, count, K, G);
    else plex_batch_compute<false>(args, first, count, K, G);
#endif
#if PLEX_PREFETCH
    plex_real *swap = G;
    G               = next;
    next            = swap;
#elif PLEX_SHARED_G
    PLEX_BLOCK_SYNC(); // G has been read
#endif
  }
#if PLEX_STAGED
  PLEX_FOR_THREADS(t) plex_stages_finish(t);
#endif
}
PLEX_EXPORT_KERNEL(plex_batch)
