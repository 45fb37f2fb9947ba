// A perfectly matched layer, in its elements alone, on tensor cores (unit.cuh): a block has a batch of 16 elements that are
// stretched along the same axes, a warp one of their fields. Rows of products are the elements, so that a lane has two
// neighbouring nodes, or points, of a tile of 8, of two elements; what a tile of points has becomes the left factor of the
// projection where it is. Where one axis is stretched a warp shares nothing with others:
//
//   1. w = u - alpha p, or u - q, at the nodes; p takes its stage
//   2. a tile of points at a time: w there, times sigma, and from there sums of the nodes
//   3. q takes its stage; rates to the residual, in the first stage to the next state too
//
// Where several are, 1 has u alone, and the variables are at the points of 2. In a radial layer, PLEX_PML_ROUND, fields of
// a point meet in shared memory.
//
// In double precision a stage reads and writes each variable and its residual, 32 bytes, and reads the state and reads and
// writes its residual, 24 bytes, of each node and field: 56 NP NF bytes, and 8 a number of NQ points, made a multiple of 8;
// next states 16 NP NF more in the first stage alone. With one axis and six fields an element moves, for N = 1 ... 6,
//
//   1.4, 3.5, 6.9, 12.1, 19.5 and 29.6 kB,   and 4 NP NQ NF flops are 0.4, 3.4, 12, 39, 109 and 339 thousand
//
// At 4 TB/s and 60 TFLOP/s the bytes would take 1.3 times as long as the flops at the sixth degree, more at others: bytes are the
// floor, and each is moved once. Matrices come from the L1 cache.
//
// An element of a layer around a box costs as much as 2.4, 2.6, 2.5, 2.9, 3.4 and 3.7 others, which type fused computes, for
// N = 1 ... 6 on an H200: for N = 4 memory has something to do in less than a third of the time, as a warp waits for numbers
// from the caches and from memory more than half of its own, and there are few, with sums of all nodes in registers.
//
// Sizes: PLEX_DIM, PLEX_SINGLE, PLEX_PML_NP, PLEX_PML_NQ, PLEX_PML_NF, PLEX_PML_ROUND; PLEX_PML_RESIDENT blocks at once on a
// multiprocessor.
#include "../plex.cuh"
#define PLEX_PML_THREADS (32 * PLEX_PML_NF)
#include "pml.cuh"

#if PLEX_PML_ROUND
// All fields of a tile of points, [NF][16][8] of shared memory
PLEX_DEVICE void plex_pml_meet(const PlexDGPMLArgs &args, const PlexDGPMLStage &s, const PlexDGPMLBatch &batch, int q,
                               plex_real *tile)
{
  for (int k = threadIdx.x; k < PLEX_PML_TILE; k += PLEX_PML_THREADS)
    plex_pml_radial(&args, &s, (const plex_real *)args.numbers + batch.at + PLEX_PML_TILE * q + k, tile + k,
                    PLEX_PML_TILE, batch.first + PLEX_PML_TILE * q + k, PLEX_PML_APART);
}
#endif

template <class S>
PLEX_DEVICE void plex_pml_batch(const PlexDGPMLArgs &args, const PlexDGPMLStage &s)
{
  PLEX_DYNAMIC_SHARED(plex_real, memory);
  const PlexDGPMLBatch batch = args.batches[blockIdx.x];
  const int            f     = threadIdx.x / 32;
  PlexPMLUnit<S>       x;
  PlexPMLNodes         w;

  plex_pml_unit(args, s, (int)blockIdx.x, f, memory, &x, &w);
  plex_pml_ask(args, x, (int)blockIdx.x);
#if PLEX_PML_ROUND
  plex_real *tile                         = memory + PLEX_PML_THREADS * PLEX_PML_NODE_TILES * 4;
  plex_real  sums[PLEX_PML_NODE_TILES][4] = {};

  plex_pml_begin<false>(s, x, 0, false, w);
  plex_pml_multiply(
    args, w, sums, [](int, plex_real *) { },
    [&](int q, plex_real *at, const plex_real *) {
      _Pragma("unroll")
      for (int c = 0; c < 4; ++c) tile[f * PLEX_PML_TILE + x.point(0, c / 2) + c % 2] = at[c];
      __syncthreads();
      plex_pml_meet(args, s, batch, q, tile);
      __syncthreads();
      _Pragma("unroll")
      for (int c = 0; c < 4; ++c) at[c] = tile[f * PLEX_PML_TILE + x.point(0, c / 2) + c % 2];
    });
  plex_pml_end<false>(args, s, x, false, sums);
#else
  if (plex_pml_is_nodal(batch.kind)) plex_pml_axes<S, true>(args, s, batch.kind, f, x, w);
  else plex_pml_axes<S, false>(args, s, batch.kind, f, x, w);
#endif
}

extern "C" __global__ void __launch_bounds__(32 * PLEX_PML_NF, PLEX_PML_RESIDENT)
  plex_dg_pml(PlexDGPMLArgs args, PlexDGPMLStage stage)
{
#if PLEX_SINGLE
  if (stage.single) plex_pml_batch<float>(args, stage);
  else
#endif
    plex_pml_batch<double>(args, stage);
}
PLEX_EXPORT_KERNEL(plex_dg_pml)
