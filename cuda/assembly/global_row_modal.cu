// global_row where a thread computes all rows of an element (integrate/modal_element.cuh). Element matrices lie row by row in global memory,
// G[position][EF][EF], so that the second kernel reads a row of one from EF neighbouring numbers.
#include "assembly/async.cuh"
#include "assembly/blocks.cuh"
#include "assembly/rows.cuh"
#include "integrate/modal_element.cuh"
#if PLEX_MOMENTS
  #include "integrate/moments.cuh"
#endif

#define PLEX_AHEAD 6 // contributions to a row that are on their way together

// Two numbers of a row are moved together, where rows have as many
#define PLEX_TOGETHER (PLEX_EF % 2 ? 1 : 2)
struct alignas(PLEX_TOGETHER * sizeof(plex_real)) PlexTogether {
  plex_real of[PLEX_TOGETHER];
};
#define PLEX_PIECES (PLEX_EF / PLEX_TOGETHER)
#define PLEX_STAGE  (PLEX_PIECES | 1) // pieces of a row in shared memory: threads that write one each use different banks

#define PLEX_CONN (32 * PLEX_BLOCK_K) // numbers of a warp's elements

// These are on their way to shared memory
PLEX_DEVICE void plex_ask_conn(const PlexBlocksArgs &b, int p, unsigned short *conn)
{
  const char *from = (const char *)&b.conn[plex_interleaved(p, PLEX_BLOCK_K, 0)];

  _Pragma("unroll")
  for (int first = 0; first < PLEX_CONN / 8; first += 32) {
    const int k = first + (int)threadIdx.x % 32;

    if (k < PLEX_CONN / 8) plex_copy_line(conn + 8 * k, from + 16 * k);
  }
  plex_copy_batch();
}

// The lane's element; one of the padding has the numbers of the first
PLEX_DEVICE void plex_load_from(const PlexArgs &args, const PlexBlocksArgs &b, const PlexPrefetched &s, const unsigned short *conn, int p, PlexNodal &nodal)
{
  const int lane = conn[threadIdx.x % 32] == PLEX_PADDING ? 0 : (int)threadIdx.x % 32;

#if PLEX_ELEMENT_NUMBERS
  plex_load_numbered(args, nodal, b.elements[p + lane]);
#endif
  conn += lane;
  _Pragma("unroll")
  for (int k = 0; k < PLEX_NV * PLEX_DIM; ++k) nodal.x[k] = s.x[(int)conn[k / PLEX_DIM * 32] * PLEX_DIM + k % PLEX_DIM];
#if PLEX_SOLUTION
  _Pragma("unroll")
  for (int k = 0; k < PLEX_EF; ++k) nodal.u[k] = s.u[conn[(PLEX_NV + k) * 32]];
  if (args.u_t) {
    _Pragma("unroll")
    for (int k = 0; k < PLEX_EF; ++k) nodal.ut[k] = s.ut[conn[(PLEX_NV + k) * 32]];
  }
#endif
}

// A warp computes 32 elements, and writes a row of all of them together. Padding has an element's numbers, which nothing reads. Of an element it
// reads 2 (NV + EF) bytes of numbers, and its share of 8 bytes a nodal value and 4 bytes an index of those; it writes EF^2 numbers.
extern "C" __global__ void __launch_bounds__(PLEX_BLOCK) plex_integrate(PlexArgs args, PlexBlocksArgs b, int firstBlock, plex_real *G)
{
  PLEX_DYNAMIC_SHARED(PlexTogether, shared);
  const int           block = firstBlock + blockIdx.x, lane = threadIdx.x % 32, warp = plex_warp();
  const PlexBlockHead head = plex_block_head(b, block);
  const int           end = b.elementStart[block + 1], first = b.elementStart[firstBlock], begin = b.elementStart[block] + 32 * warp;
  PlexTogether       *stage = shared + 32 * warp * PLEX_STAGE;
  unsigned short     *conn  = (unsigned short *)(shared + PLEX_BLOCK * PLEX_STAGE) + warp * PLEX_CONN;
  PlexPrefetched      s;

  if (begin < end) plex_ask_conn(b, begin, conn);
  s = plex_prefetch(args, b, head, (plex_real *)((unsigned short *)(shared + PLEX_BLOCK * PLEX_STAGE) + PLEX_BLOCK / 32 * PLEX_CONN));
  for (int p = begin; p < end; p += PLEX_BLOCK) {
    PlexNodal nodal;

    plex_copy_wait<0>();
    __syncwarp(0xffffffffu);
    plex_load_from(args, b, s, conn, p, nodal);
    const auto take = [&](int i, const plex_real row[]) {
      _Pragma("unroll")
      for (int j = 0; j < PLEX_EF; ++j) stage[lane * PLEX_STAGE + j / PLEX_TOGETHER].of[j % PLEX_TOGETHER] = row[j];
      __syncwarp(0xffffffffu);
      _Pragma("unroll")
      for (int m = 0; m < PLEX_PIECES; ++m) {
        const int k = 32 * m + lane, e = k / PLEX_PIECES, j = k % PLEX_PIECES;

        ((PlexTogether *)G)[((plex_index)(p - first + e) * PLEX_EF + i) * PLEX_PIECES + j] = stage[e * PLEX_STAGE + j];
      }
      __syncwarp(0xffffffffu);
    };
#if PLEX_MOMENTS
    plex_moments_element(args, nodal, [&](PlexNodal &again) { plex_load_from(args, b, s, conn, p, again); }, take);
#else
    plex_modal_element(args, nodal, take);
#endif
    if (p + PLEX_BLOCK < end) plex_ask_conn(b, p + PLEX_BLOCK, conn);
  }
}
PLEX_EXPORT_KERNEL(plex_integrate)

// A group of threads, at least EF, sums a row of the matrix. Rows from `fresh` on start from what an earlier pass has left. Reads of a row of element data 4
// bytes, 2 EF bytes of places and EF numbers.
extern "C" __global__ void __launch_bounds__(PLEX_BLOCK) plex_reduce(PlexArgs args, const plex_real *G, PlexRowsArgs rows, int nrows, int fresh)
{
  PLEX_DYNAMIC_SHARED(plex_scalar, shared);
  const PlexTarget target = plex_target(args);
  const int        r = blockIdx.x * PLEX_GROUPS + threadIdx.x / PLEX_GROUP, j = threadIdx.x % PLEX_GROUP;
  // one thread has the lists of a block's rows that comes about when this one ends fetched to the L2 cache
  const int  later   = (blockIdx.x + PLEX_LATER) * PLEX_GROUPS;
  const bool fetches = PLEX_BULK && threadIdx.x == 0 && later + PLEX_GROUPS <= nrows;

  if (r >= nrows) return;
  plex_scalar *sum   = shared + (threadIdx.x / PLEX_GROUP) * PLEX_LONGEST;
  const int    first = rows.start[r], end = rows.start[r + 1], id = rows.ids[r], length = rows.length[r];

  for (int k = j; k < length; k += PLEX_GROUP) sum[k] = r >= fresh ? target[id + k] : (plex_scalar)0;
  plex_group_sync();
  if (fetches) {
    const int from = rows.start[later], to = rows.start[later + PLEX_GROUPS];

    plex_bulk_prefetch(rows.items + from, 4 * (to - from));
    plex_bulk_prefetch(rows.place + (plex_index)from * PLEX_EF, 2 * PLEX_EF * (to - from));
    plex_bulk_prefetch(rows.start + later + PLEX_LATER * PLEX_GROUPS, 4 * PLEX_GROUPS);
    plex_bulk_prefetch(rows.ids + later, 4 * PLEX_GROUPS);
    plex_bulk_prefetch(rows.length + later, 4 * PLEX_GROUPS);
  }
  for (int c = first; c < end; c += PLEX_AHEAD) {
    plex_real v[PLEX_AHEAD];
    int       place[PLEX_AHEAD];

    _Pragma("unroll")
    for (int k = 0; k < PLEX_AHEAD; ++k) {
      v[k]     = 0;
      place[k] = PLEX_DROPPED;
      if (j >= PLEX_EF || c + k >= end) continue;
      v[k]     = G[(plex_index)rows.items[c + k] * PLEX_EF + j];
      place[k] = rows.place[(plex_index)(c + k) * PLEX_EF + j];
    }
    _Pragma("unroll")
    for (int k = 0; k < PLEX_AHEAD; ++k) {
      if (place[k] != PLEX_DROPPED) sum[place[k]] += (plex_scalar)v[k];
      plex_group_sync();
    }
  }
  for (int k = j; k < length; k += PLEX_GROUP) target[id + k] = sum[k];
}
PLEX_EXPORT_KERNEL(plex_reduce)
