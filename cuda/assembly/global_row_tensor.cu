// global_row of large elements by tensors, of a scalar field and symmetric: half of 32 element matrices at a time by a warp's tensor units, G [elements][numbers] times
// K [numbers][entries], which lie element by element (packed.cuh).
//
// Of an element it reads 2 NV bytes of numbers, and its share of 8 bytes a nodal value and 4 bytes an index of those; it writes PLEX_ND numbers. K comes from the L1
// cache, 8 entries at a time.
#include "assembly/blocks.cuh"
#include "assembly/packed.cuh"
#include "dg/unit.cuh"

static_assert(PLEX_TEAM == 1 && PLEX_TENSOR_SYMMETRIC && PLEX_NF == 1 && PLEX_NC == 1, "half an element matrix");

#define PLEX_NUMBERS      (PLEX_NQ * PLEX_NAB) // of G, an element
#define PLEX_STEPS        ((PLEX_NUMBERS + PLEX_UNIT_K - 1) / PLEX_UNIT_K)
#define PLEX_STEP_NUMBERS (PLEX_STEPS * PLEX_UNIT_K)
#define PLEX_STRIDE       (PLEX_STEP_NUMBERS / 4 % 2 ? PLEX_STEP_NUMBERS : PLEX_STEP_NUMBERS + 4) // lanes that read A meet in no bank
static_assert(PLEX_STRIDE == PLEX_PACKED_STRIDE, "as src/assembly/impls/global/packed.c has it");

// G of an element, a <= b, to its row of A
PLEX_DEVICE void plex_packed_numbers(const PlexArgs &args, const PlexNodal &nodal, plex_real *row)
{
  _Pragma("unroll")
  for (int q = 0; q < PLEX_NQ; ++q) {
    plex_real G[PLEX_POINT_SIZE];

    plex_point_data(args, nodal, q, G);
    _Pragma("unroll")
    for (int a = 0, ab = 0; a < PLEX_KT; ++a) _Pragma("unroll")
    for (int b = a; b < PLEX_KU; ++b, ++ab) row[q * PLEX_NAB + ab] = G[a * PLEX_JU + b];
  }
  _Pragma("unroll")
  for (int k = PLEX_NUMBERS; k < PLEX_STEP_NUMBERS; ++k) row[k] = 0;
}

// Two entries in one write
struct alignas(2 * sizeof(plex_real)) PlexEntries {
  plex_real of[2];
};

// A warp computes 32 elements. Padding has an element's numbers, which nothing reads. K: [PLEX_ND / 8][PLEX_STEPS][32]
extern "C" __global__ void __launch_bounds__(PLEX_BLOCK) plex_integrate(PlexArgs args, PlexBlocksArgs b, int firstBlock, plex_real *G, const PlexUnitB *K)
{
  PLEX_DYNAMIC_SHARED(plex_real, shared);
  const int      block = firstBlock + blockIdx.x, lane = threadIdx.x % 32, warp = plex_warp(), end = b.elementStart[block + 1], first = b.elementStart[firstBlock];
  plex_real     *rows = shared + warp * 32 * PLEX_STRIDE;
  PlexPrefetched s    = plex_prefetch(args, b, block, shared + PLEX_BLOCK * PLEX_STRIDE);

  _Pragma("unroll 1")
  for (int p = b.elementStart[block] + 32 * warp; p < end; p += PLEX_BLOCK) {
    plex_real *to = G + (plex_index)(p - first + lane / 4) * PLEX_ND + 2 * (lane % 4);
    PlexNodal  nodal;
    PlexUnitA  A[2][PLEX_STEPS];

    plex_load_prefetched(args, b, s, plex_is_padding(b, p + lane) ? p : p + lane, nodal);
    plex_packed_numbers(args, nodal, rows + lane * PLEX_STRIDE);
    __syncwarp(0xffffffffu);
    _Pragma("unroll")
    for (int half = 0; half < 2; ++half) _Pragma("unroll")
    for (int k = 0; k < PLEX_STEPS; ++k) A[half][k] = plex_unit_load<PLEX_STRIDE>(rows + (16 * half + lane / 4) * PLEX_STRIDE + k * PLEX_UNIT_K);
    _Pragma("unroll 2")
    for (int tile = 0; tile < PLEX_ND / 8; ++tile) {
      PlexUnitB B[PLEX_STEPS];

      _Pragma("unroll")
      for (int k = 0; k < PLEX_STEPS; ++k) B[k] = plex_unit_get(K + (tile * PLEX_STEPS + k) * 32 + lane);
      _Pragma("unroll")
      for (int half = 0; half < 2; ++half) {
        plex_real C[4] = {0, 0, 0, 0};

        _Pragma("unroll")
        for (int k = 0; k < PLEX_STEPS; ++k) plex_unit_add(C, A[half][k], B[k]);
        _Pragma("unroll")
        for (int h = 0; h < 2; ++h)
          *(PlexEntries *)(to + (16 * half + 8 * h) * PLEX_ND + 8 * tile) = PlexEntries{
            {C[2 * h], C[2 * h + 1]}
          };
      }
    }
    __syncwarp(0xffffffffu);
  }
}
PLEX_EXPORT_KERNEL(plex_integrate)
