// global_row where a thread computes all rows of an element matrix (integrate/modal_element.cuh), and a warp those of a
// run of 32 elements (assembly/runs.cuh). Global memory has G[run][row][element of the run][EF]. So the first kernel
// writes a row of 32 elements to contiguous memory, and the second one reads a row of an element matrix as EF
// contiguous numbers.
#include "assembly/runs.cuh"
#include "integrate/modal_element.cuh"
#if PLEX_MOMENTS
  #include "integrate/moments.cuh"
#endif

// A load or store is of two numbers of a row, if EF is even
#define PLEX_VECTOR (PLEX_EF % 2 ? 1 : 2)
struct alignas(PLEX_VECTOR * sizeof(plex_real)) PlexVector {
  plex_real of[PLEX_VECTOR];
};
#define PLEX_ROW_VECTORS (PLEX_EF / PLEX_VECTOR)
/* odd, so that threads that write a vector of a row each use different banks */
#define PLEX_STAGING_STRIDE (PLEX_ROW_VECTORS | 1)
#define PLEX_STAGING_BYTES  (PLEX_RUN * PLEX_STAGING_STRIDE * (int)sizeof(PlexVector))

// A thread computes an element. Reads 2 (NV + EF) bytes of numbers of an element, and its share of 8 bytes a nodal
// value and 4 bytes an index of these. Writes EF^2 numbers. Padding elements repeat another element; nothing reads
// their rows
extern "C" __global__ void __launch_bounds__(PLEX_BLOCK) plex_integrate(PlexArgs args, PlexRunsArgs runs, plex_real *G)
{
  PLEX_DYNAMIC_SHARED(char, shared);
  char *warpShared = shared + plex_warp() * (PLEX_RUN_SHARED + PLEX_STAGING_BYTES);

  plex_runs(args, runs, warpShared, [&](int run, int k) {
    PlexVector *staging = (PlexVector *)(warpShared + PLEX_RUN_SHARED),
               *to      = (PlexVector *)G + (plex_index)run * (PLEX_EF * PLEX_RUN * PLEX_ROW_VECTORS);
    const int lane      = threadIdx.x % 32;
    PlexNodal nodal;

    const auto store = [&](int i, const plex_real row[]) {
      _Pragma("unroll")
      for (int j = 0; j < PLEX_EF; ++j)
        staging[lane * PLEX_STAGING_STRIDE + j / PLEX_VECTOR].of[j % PLEX_VECTOR] = row[j];
      plex_lanes_sync();
      _Pragma("unroll")
      for (int m = 0; m < PLEX_ROW_VECTORS; ++m) {
        const int n = 32 * m + lane;

        to[i * PLEX_RUN * PLEX_ROW_VECTORS + n] = staging[n / PLEX_ROW_VECTORS * PLEX_STAGING_STRIDE +
                                                          n % PLEX_ROW_VECTORS];
      }
      plex_lanes_sync();
    };

    plex_run_load(args, runs, run, warpShared, k, nodal);
#if PLEX_MOMENTS
    plex_moments_element(args, nodal, store);
#else
    plex_modal_element(args, nodal, store);
#endif
  });
}
PLEX_EXPORT_KERNEL(plex_integrate)

// ---- Rows

#if PLEX_OFFSET_BYTES == 1
typedef unsigned char PlexOffset;
#else
typedef unsigned short PlexOffset;
#endif
#define PLEX_DROPPED        (int)(PlexOffset)~0u
#define PLEX_TASK_ROWS      (32 / PLEX_EF) // EF threads sum a row
#define PLEX_ROUND_UP_16(n) (((n) + 15) / 16 * 16)
#define PLEX_CHUNK_ITEMS    PLEX_ROUND_UP_16((int)sizeof(PlexRunsHead) + PLEX_TASK_ROWS * (int)sizeof(PlexRunsRow))
#define PLEX_CHUNK_OFFSETS  (PLEX_CHUNK_ITEMS + PLEX_TASK_ROWS * PLEX_RUNS_CONTRIBUTIONS * (int)sizeof(int))
#define PLEX_CHUNK_BYTES \
  (PLEX_CHUNK_OFFSETS + PLEX_ROUND_UP_16(PLEX_TASK_ROWS * PLEX_EF * PLEX_RUNS_CONTRIBUTIONS * (int)sizeof(PlexOffset)))

// Items, and offsets, of a row in a chunk (PlexRunsRowsArgs)
struct alignas(16) PlexItems {
  int of[PLEX_RUNS_CONTRIBUTIONS];
};
#define PLEX_WORD_OFFSETS (4 / (int)sizeof(PlexOffset))
struct alignas(8) PlexOffsets {
  unsigned of[PLEX_RUNS_CONTRIBUTIONS / PLEX_WORD_OFFSETS];
};
PLEX_DEVICE int plex_offset(const PlexOffsets &offsets, int c)
{
  return (int)(offsets.of[c / PLEX_WORD_OFFSETS] >> 8 * (int)sizeof(PlexOffset) * (c % PLEX_WORD_OFFSETS)) &
         PLEX_DROPPED;
}

// Keeps the compiler from computing a number or an address again where it is used
PLEX_DEVICE void plex_keep(int &number)
{
  plex_opaque(number);
}
PLEX_DEVICE void plex_keep(const char *&address)
{
  plex_opaque_global(address);
}

// EF threads sum a row of the matrix. A warp has a task: PLEX_TASK_ROWS rows, whose contributions come in chunks of
// PLEX_RUNS_CONTRIBUTIONS each (runs_args.h). Reads of a contribution 4 bytes, EF offsets and EF numbers.
extern "C" __global__ void __launch_bounds__(PLEX_BLOCK)
  plex_reduce(PlexArgs args, const plex_real *G, PlexRunsRowsArgs list)
{
  PLEX_DYNAMIC_SHARED(plex_scalar, shared);
  const PlexTarget target = plex_target(args);
  const int        lane = threadIdx.x % 32, task = blockIdx.x * (PLEX_BLOCK / 32) + plex_warp(),
                   ahead = (blockIdx.x + PLEX_PREFETCH_DISTANCE) * (PLEX_BLOCK / 32);
  int              r = lane / PLEX_EF, j = lane % PLEX_EF, next = task, first = plex_warp() * list.sums;
  PlexRunsRow      row = {0, 0, 0};

  // prefetches to the L2 cache the first chunks of a later block
  if (threadIdx.x == 0 && ahead + PLEX_BLOCK / 32 <= list.tasks)
    plex_bulk_prefetch(list.chunks + (plex_index)ahead * PLEX_CHUNK_BYTES, PLEX_BLOCK / 32 * PLEX_CHUNK_BYTES);
  if (task >= list.tasks) return;
  const char *data = (const char *)(G + j);

  plex_keep(r);
  plex_keep(j);
  plex_keep(data);
  do {
    const char        *chunk   = list.chunks + (plex_index)next * PLEX_CHUNK_BYTES;
    const PlexRunsHead head    = *(const PlexRunsHead *)chunk;
    PlexItems          items   = {};
    PlexOffsets        offsets = {};
    plex_real          v[PLEX_RUNS_CONTRIBUTIONS];

    if (r < PLEX_TASK_ROWS) {
      row     = ((const PlexRunsRow *)(chunk + sizeof(PlexRunsHead)))[r];
      items   = ((const PlexItems *)(chunk + PLEX_CHUNK_ITEMS))[r];
      offsets = ((const PlexOffsets *)(chunk + PLEX_CHUNK_OFFSETS))[lane];
    } else {
      _Pragma("unroll")
      for (int c = 0; c < PLEX_RUNS_CONTRIBUTIONS; ++c) items.of[c] = -1;
    }
    if (next == task) {
      first += row.first;
      _Pragma("unroll 1")
      for (int m = j; m < row.length; m += PLEX_EF) shared[first + m] = 0;
      _Pragma("unroll 1")
      for (int m = head.accumulate >> r & 1 ? j : row.length; m < row.length; m += PLEX_EF)
        shared[first + m] = target[row.id + m];
    }
    _Pragma("unroll")
    for (int c = 0; c < PLEX_RUNS_CONTRIBUTIONS; ++c)
      v[c] = items.of[c] >= 0
             ? *(const plex_real *)(data + (plex_index)items.of[c] * (PLEX_EF * (int)sizeof(plex_real)))
             : (plex_real)0;
    plex_lanes_sync();
    _Pragma("unroll")
    for (int c = 0; c < PLEX_RUNS_CONTRIBUTIONS; ++c) {
      const int offset = plex_offset(offsets, c);

      if (items.of[c] >= 0 && offset != PLEX_DROPPED) shared[first + offset] += (plex_scalar)v[c];
      plex_lanes_sync();
    }
    next = head.next;
  } while (next >= 0);
  _Pragma("unroll 1")
  for (int m = j; m < row.length; m += PLEX_EF) target[row.id + m] = shared[first + m];
}
PLEX_EXPORT_KERNEL(plex_reduce)
