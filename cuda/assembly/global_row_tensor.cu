// global_row of large simplices by tensors, where the form is symmetric: a thread computes half an element matrix, which lies element by element (packed.cuh).
//
// Dofs come in tiles of three, as many as an edge or a face of order 4 has, from the first behind those of the cell on; of each pair of tiles all entries, or half of
// them if it is one tile and itself. Those of a row that lie in one tile are neighbours then, or nearly so, whichever of both dofs comes first.
#include "assembly/blocks.cuh"
#include "assembly/packed.cuh"

static_assert(PLEX_TEAM == 1 && PLEX_UNROLLED && PLEX_TABLES_COMPILED && PLEX_TENSOR_SYMMETRIC && PLEX_NF == 1 && PLEX_NC == 1, "half an element matrix by a thread");

#define PLEX_TILE 3

// The dofs of all entries in their order
struct PlexTilePairs {
  unsigned char i[PLEX_ND], j[PLEX_ND];
  int           n;
};
PLEX_DEVICE constexpr PlexTilePairs plex_tile_all_pairs()
{
  PlexTilePairs pairs = {};

  for (int t = 0; t < PLEX_EF; t += PLEX_TILE)
    for (int u = t; u < PLEX_EF; u += PLEX_TILE)
      for (int i = t; i < PLEX_EF && i < t + PLEX_TILE; ++i)
        for (int j = t == u ? i : u; j < PLEX_EF && j < u + PLEX_TILE; ++j) {
          pairs.i[pairs.n]   = (unsigned char)((i + PLEX_TILE_FIRST) % PLEX_EF);
          pairs.j[pairs.n++] = (unsigned char)((j + PLEX_TILE_FIRST) % PLEX_EF);
        }
  return pairs;
}
static __device__ constexpr PlexTilePairs plex_tile_pairs = plex_tile_all_pairs();
static_assert((plex_tile_pairs.n + PLEX_PACKED_CHUNK - 1) / PLEX_PACKED_CHUNK * PLEX_PACKED_CHUNK == PLEX_ND, "as src/assembly/impls/global/packed.c has it");

// Has the compiler take a number as it is, and not know that it was the same before: products of G with numbers of K that come again in other entries would
// all be kept
PLEX_DEVICE void plex_keep_number(plex_real &number)
{
#if defined(__CUDA_ARCH__) && !PLEX_SINGLE
  asm volatile("" : "+d"(number));
#elif defined(__CUDA_ARCH__)
  asm volatile("" : "+f"(number));
#else
  (void)number;
#endif
}

// The entries from number k on, of the elements of a warp whose data begin at `to`; one after the other, as they are too many for the compiler to unroll a loop
template <int k>
PLEX_DEVICE void plex_tile_entries(const PlexArgs &args, plex_real G[], plex_real *stage, plex_real *to)
{
  plex_real v[PLEX_PACKED_CHUNK];

  _Pragma("unroll")
  for (int m = 0; m < PLEX_NQ * PLEX_POINT_SIZE; ++m) plex_keep_number(G[m]);
  _Pragma("unroll")
  for (int m = 0; m < PLEX_PACKED_CHUNK; ++m) {
    if (k + m < plex_tile_pairs.n) v[m] = plex_tensor_entry(args, G, 0, plex_tile_pairs.i[k + m], 0, 0, plex_tile_pairs.j[k + m], 0);
    else v[m] = 0;
  }
  plex_packed_put(stage, v, to + k);
  if constexpr (k + PLEX_PACKED_CHUNK < PLEX_ND) plex_tile_entries<k + PLEX_PACKED_CHUNK>(args, G, stage, to);
}

// A warp computes 32 elements. Padding has an element's numbers, which nothing reads. Of an element it reads 2 NV bytes of numbers, and its share of 8 bytes a nodal
// value and 4 bytes an index of those; it writes PLEX_ND numbers.
extern "C" __global__ void __launch_bounds__(PLEX_BLOCK, 512 / PLEX_BLOCK) plex_integrate(PlexArgs args, PlexBlocksArgs b, int firstBlock, plex_real *G)
{
  PLEX_DYNAMIC_SHARED(plex_real, shared);
  const int      block = firstBlock + blockIdx.x, lane = threadIdx.x % 32, warp = plex_warp(), end = b.elementStart[block + 1], first = b.elementStart[firstBlock];
  plex_real     *stage = shared + warp * 32 * PLEX_PACKED_CHUNK;
  PlexPrefetched s     = plex_prefetch(args, b, block, shared + PLEX_BLOCK * PLEX_PACKED_CHUNK);

  _Pragma("unroll 1")
  for (int p = b.elementStart[block] + 32 * warp; p < end; p += PLEX_BLOCK) {
    PlexNodal nodal;
    plex_real point[PLEX_NQ * PLEX_POINT_SIZE];

    plex_load_prefetched(args, b, s, plex_is_padding(b, p + lane) ? p : p + lane, nodal);
    _Pragma("unroll")
    for (int q = 0; q < PLEX_NQ; ++q) plex_point_data(args, nodal, q, &point[q * PLEX_POINT_SIZE]);
    plex_tile_entries<0>(args, point, stage, G + (plex_index)(p - first) * PLEX_ND);
  }
}
PLEX_EXPORT_KERNEL(plex_integrate)
