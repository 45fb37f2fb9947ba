// global_row where a thread computes all rows of an element (integrate/modal_element.cuh), and a warp all those of a
// run of elements (assembly/runs.cuh). Rows of element matrices lie run by run in global memory, G[run][row][element of
// the run][EF], so that the first kernel writes a row of all its elements in whole lines, and the second one reads a
// row of one from EF neighbouring numbers.
#include "assembly/runs.cuh"
#include "integrate/modal_element.cuh"
#if PLEX_MOMENTS
  #include "integrate/moments.cuh"
#endif

// Two numbers of a row are moved together, where rows have as many
#define PLEX_TOGETHER (PLEX_EF % 2 ? 1 : 2)
struct alignas(PLEX_TOGETHER * sizeof(plex_real)) PlexTogether {
  plex_real of[PLEX_TOGETHER];
};
#define PLEX_PIECES (PLEX_EF / PLEX_TOGETHER)
/* pieces of a row in shared memory: threads that write one each use different banks */
#define PLEX_STAGE      (PLEX_PIECES | 1)
#define PLEX_RUN_STAGES (PLEX_RUN * PLEX_STAGE * (int)sizeof(PlexTogether))

// A thread computes an element, of which it reads 2 (NV + EF) bytes of numbers, and its share of 8 bytes a nodal value
// and 4 bytes an index of those; it writes EF^2 numbers. Padding has an element's numbers, which nothing reads
extern "C" __global__ void __launch_bounds__(PLEX_BLOCK) plex_integrate(PlexArgs args, PlexRunsArgs runs, plex_real *G)
{
  PLEX_DYNAMIC_SHARED(char, shared);
  char *own = shared + plex_warp() * (PLEX_RUN_SHARED + PLEX_RUN_STAGES);

  plex_runs(args, runs, own, [&](int run, int k) {
    PlexTogether *stage = (PlexTogether *)(own + PLEX_RUN_SHARED),
                 *to    = (PlexTogether *)G + (plex_index)run * (PLEX_EF * PLEX_RUN * PLEX_PIECES);
    const int lane      = threadIdx.x % 32;
    PlexNodal nodal;

    const auto take = [&](int i, const plex_real row[]) {
      _Pragma("unroll")
      for (int j = 0; j < PLEX_EF; ++j) stage[lane * PLEX_STAGE + j / PLEX_TOGETHER].of[j % PLEX_TOGETHER] = row[j];
      __syncwarp(0xffffffffu);
      _Pragma("unroll")
      for (int m = 0; m < PLEX_PIECES; ++m) {
        const int n = 32 * m + lane;

        to[i * PLEX_RUN * PLEX_PIECES + n] = stage[n / PLEX_PIECES * PLEX_STAGE + n % PLEX_PIECES];
      }
      __syncwarp(0xffffffffu);
    };

    plex_run_load(args, runs, run, own, k, nodal);
#if PLEX_MOMENTS
    plex_moments_element(args, nodal, take);
#else
    plex_modal_element(args, nodal, take);
#endif
  });
}
PLEX_EXPORT_KERNEL(plex_integrate)

// ---- Rows

#if PLEX_PLACE_BYTES == 1
typedef unsigned char PlexPlace;
#else
typedef unsigned short PlexPlace;
#endif
#define PLEX_DROPPED     (int)(PlexPlace)~0u
#define PLEX_ABREAST     (32 / PLEX_EF) // rows of a batch, of EF threads each
#define PLEX_LINES(n)    (((n) + 15) / 16 * 16)
#define PLEX_BATCH_ITEMS PLEX_LINES((int)sizeof(PlexRunsHead) + PLEX_ABREAST * (int)sizeof(PlexRunsRow))
#define PLEX_BATCH_PLACE (PLEX_BATCH_ITEMS + PLEX_ABREAST * PLEX_RUNS_DEPTH * (int)sizeof(int))
#define PLEX_BATCH (PLEX_BATCH_PLACE + PLEX_LINES(PLEX_ABREAST * PLEX_EF * PLEX_RUNS_DEPTH * (int)sizeof(PlexPlace)))

// What a thread reads at once
struct alignas(16) PlexItems {
  int of[PLEX_RUNS_DEPTH];
};
#define PLEX_WORD_PLACES (4 / (int)sizeof(PlexPlace)) // of a word
struct alignas(8) PlexPlaces {
  unsigned of[PLEX_RUNS_DEPTH / PLEX_WORD_PLACES];
};
PLEX_DEVICE int plex_place(const PlexPlaces &places, int c)
{
  return (int)(places.of[c / PLEX_WORD_PLACES] >> 8 * (int)sizeof(PlexPlace) * (c % PLEX_WORD_PLACES)) & PLEX_DROPPED;
}

// Has the compiler keep a number or an address, where it would compute it again
PLEX_DEVICE void plex_keep(int &number)
{
#if defined(__CUDA_ARCH__)
  asm volatile("" : "+r"(number));
#else
  (void)number;
#endif
}
PLEX_DEVICE void plex_keep(const char *&address)
{
#if defined(__CUDA_ARCH__)
  asm volatile("" : "+l"(address));
  __builtin_assume(__isGlobal(address));
#else
  (void)address;
#endif
}

// EF threads sum a row of the matrix, several rows a warp. Reads of a row of element data 4 bytes, EF places and EF
// numbers.
extern "C" __global__ void __launch_bounds__(PLEX_BLOCK)
  plex_reduce(PlexArgs args, const plex_real *G, PlexRunsRowsArgs list)
{
  PLEX_DYNAMIC_SHARED(plex_scalar, shared);
  const PlexTarget target = plex_target(args);
  const int        lane = threadIdx.x % 32, task = blockIdx.x * (PLEX_BLOCK / 32) + plex_warp(),
                   later = (blockIdx.x + PLEX_LATER) * (PLEX_BLOCK / 32);
  int              r = lane / PLEX_EF, j = lane % PLEX_EF, next = task, first = plex_warp() * list.sums;
  PlexRunsRow      row = {0, 0, 0};

  // the block's that comes about when this one ends are fetched to the L2 cache
  if (threadIdx.x == 0 && later + PLEX_BLOCK / 32 <= list.tasks)
    plex_bulk_prefetch(list.batches + (plex_index)later * PLEX_BATCH, PLEX_BLOCK / 32 * PLEX_BATCH);
  if (task >= list.tasks) return;
  const char *data = (const char *)(G + j);

  plex_keep(r);
  plex_keep(j);
  plex_keep(data);
  do {
    const char        *batch  = list.batches + (plex_index)next * PLEX_BATCH;
    const PlexRunsHead head   = *(const PlexRunsHead *)batch;
    PlexItems          items  = {};
    PlexPlaces         places = {};
    plex_real          v[PLEX_RUNS_DEPTH];

    if (r < PLEX_ABREAST) {
      row    = ((const PlexRunsRow *)(batch + sizeof(PlexRunsHead)))[r];
      items  = ((const PlexItems *)(batch + PLEX_BATCH_ITEMS))[r];
      places = ((const PlexPlaces *)(batch + PLEX_BATCH_PLACE))[lane];
    } else {
      _Pragma("unroll")
      for (int c = 0; c < PLEX_RUNS_DEPTH; ++c) items.of[c] = -1;
    }
    if (next == task) {
      first += row.first;
      _Pragma("unroll 1")
      for (int m = j; m < row.length; m += PLEX_EF) shared[first + m] = 0;
      _Pragma("unroll 1")
      for (int m = head.onto >> r & 1 ? j : row.length; m < row.length; m += PLEX_EF)
        shared[first + m] = target[row.id + m];
    }
    _Pragma("unroll")
    for (int c = 0; c < PLEX_RUNS_DEPTH; ++c)
      v[c] = items.of[c] >= 0
             ? *(const plex_real *)(data + (plex_index)items.of[c] * (PLEX_EF * (int)sizeof(plex_real)))
             : (plex_real)0;
    __syncwarp(0xffffffffu);
    _Pragma("unroll")
    for (int c = 0; c < PLEX_RUNS_DEPTH; ++c) {
      const int place = plex_place(places, c);

      if (items.of[c] >= 0 && place != PLEX_DROPPED) shared[first + place] += (plex_scalar)v[c];
      __syncwarp(0xffffffffu);
    }
    next = head.next;
  } while (next >= 0);
  _Pragma("unroll 1")
  for (int m = j; m < row.length; m += PLEX_EF) target[row.id + m] = shared[first + m];
}
PLEX_EXPORT_KERNEL(plex_reduce)
