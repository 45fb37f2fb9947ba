// local_row where elements are products of lines (integrate/lines.cuh), by quadrature: the numbers D_q of each element
// of a block are computed once, kept in shared memory, and read by the rows of all its nodes.
//
// A block has a part of the mesh nodes, and all elements around them. First threads compute points, a line of an
// element's each. Then a warp sums rows: a thread computes one row of an element after the other and adds them to a row
// of the matrix, which lies in a column of the warp's sums (columns.cuh). A row of the matrix that is long is shared
// out to several threads, which add in turns, so that there are fewer columns; those that add together are next to each
// other. Warps take the next rows of their block as they come to them.
//
// A contribution is a record of PLEX_WORDS words, interleaved by warps: number of the element in the block | the node's
// numbers along the lines << 16, four bits each, and the place in the row of each of the EF entries, in PLEX_PLACE_BITS
// each, in the order of the nodes; one place behind the row takes what is dropped. Number k of point
// q of element e of the block is at (q NUMBERS + k) ELEMENTS + e: threads of half a warp have the same element or, as
// far as that goes, elements in different banks. Reads 2 (NV + EF) bytes an element of a block, 4 PLEX_WORDS a
// contribution and 12 a row; writes 8 bytes a target.
#undef PLEX_SOLUTION
#define PLEX_SOLUTION PLEX_LINES_SOLUTION
#include "integrate/lines.cuh"
#include "assembly/blocks.cuh"
#include "assembly/gather.cuh"
#define PLEX_CHUNK_WORDS 4
#include "assembly/columns.cuh"
#include "assembly/lines_args.h"
#define PLEX_LINES_ENTRIES (PLEX_NQ * PLEX_LINES_NUMBERS)

#define PLEX_LINES_K     (PLEX_NV + (PLEX_SOLUTION ? PLEX_EF : 0)) // numbers of an element
#define PLEX_LINES_BYTES ((PLEX_LINES_ENTRIES * PLEX_LINES_ELEMENTS * (int)sizeof(plex_real) + 15) / 16 * 16)

// Nodal data of the block
PLEX_DEVICE PlexPrefetched plex_gather_block(const PlexArgs &args, const PlexLinesArgs &plan,
                                             const PlexLinesBlock &block, plex_real *shared)
{
  PlexPrefetched s;

  s.x = shared;
  s.u = s.ut = NULL;
  plex_gather<PLEX_DIM>(block.nodes, plan.nodes + block.node, args.x, s.x);
#if PLEX_SOLUTION
  s.u  = s.x + block.nodes * PLEX_DIM;
  s.ut = s.u + block.dofs;
  plex_gather<1>(block.dofs, plan.dofs + block.dof, args.u, s.u);
  if (args.u_t) plex_gather<1>(block.dofs, plan.dofs + block.dof, args.u_t, s.ut);
#endif
  return s;
}

// Few warps have room: what they are to read later is fetched, so that they do not wait for one thing after the other.
// Here the connectivity of the block's elements, in lines of 128 bytes
PLEX_DEVICE void plex_fetch_elements(const PlexLinesArgs &plan, const PlexLinesBlock &block)
{
  const char *from = (const char *)&plan.conn[plex_interleaved(block.element / 32 * 32, PLEX_LINES_K, 0)];
  const int   n    = ((block.element % 32 + block.elements + 31) / 32 * PLEX_LINES_K * 64 + 127) / 128;

  for (int k = threadIdx.x; k < n; k += PLEX_BLOCK) plex_fetch(from + k * 128);
}

// Fetches a warp's records and rows
PLEX_DEVICE void plex_fetch_warp(const PlexLinesArgs &plan, const PlexLinesWarp &warp, int w)
{
  const unsigned *records = plan.records + (plex_index)warp.group * 32 * PLEX_WORDS;

  for (int k = threadIdx.x % 32; k < warp.groups * PLEX_WORDS; k += 32) plex_fetch(records + 32 * k);
  if (threadIdx.x % 32 < 3) plex_fetch(plan.rows + 96 * w + 32 * (threadIdx.x % 32));
}

// Place of entry j of a record's row
PLEX_DEVICE int plex_line_place(const unsigned words[], int j)
{
  return plex_item(words, 32 + j * PLEX_PLACE_BITS, PLEX_PLACE_BITS);
}

// Numbers D_q of the block's elements. Most warps have points of one line
PLEX_DEVICE void plex_block_points(const PlexArgs &args, const PlexLinesArgs &plan, const PlexLinesBlock &block,
                                   const PlexPrefetched &s, plex_real *points)
{
  constexpr int lines = PLEX_LINES_Q * PLEX_LINES_QZ;
  const int     n     = block.elements;
  const float   part  = 1.0f / (float)n;

  _Pragma("unroll 1")
  for (int k = threadIdx.x; k < lines * n; k += PLEX_BLOCK) {
    const int           line  = (int)(((float)k + 0.5f) * part); // of numbers this small, k / n
    const int           e     = k - line * n;
    const PlexLineNodal nodal = {s.x, s.u, s.ut, &plan.conn[plex_interleaved(block.element + e, PLEX_LINES_K, 0)]};

    plex_line_points(args, nodal, line / PLEX_LINES_QZ, line % PLEX_LINES_QZ, points + e);
  }
  __syncthreads();
}

PLEX_DEVICE void plex_read_record(const unsigned *records, unsigned words[])
{
  _Pragma("unroll")
  for (int w = 0; w < PLEX_WORDS; ++w) words[w] = records[32 * w];
}

// Adds a row of element data to the column that begins at `sum`; threads that share a row take turns, those without a
// row have no part
PLEX_DEVICE void plex_add_row(const unsigned words[], const plex_real row[], char *sum, int stride, int part, int parts)
{
  _Pragma("unroll 1")
  for (int p = 0; p < parts; ++p) {
    if (p == part) {
      plex_scalar v[PLEX_EF];

      // all reads before all writes
      _Pragma("unroll")
      for (int j = 0; j < PLEX_EF; ++j)
        v[j] = *(plex_scalar *)(sum + plex_line_place(words, j) * stride) + (plex_scalar)row[j];
      _Pragma("unroll")
      for (int j = 0; j < PLEX_EF; ++j) *(plex_scalar *)(sum + plex_line_place(words, j) * stride) = v[j];
    }
    if (parts > 1) plex_lanes_sync();
  }
}

// A thread's part of a row
PLEX_DEVICE void plex_sum_row(const plex_real *points, const PlexLineFunction functions[], const unsigned *records,
                              int groups, char *sum, int stride, int part, int parts)
{
  unsigned next[PLEX_WORDS];

  if (groups > 0) plex_read_record(records, next);
  _Pragma("unroll 1")
  for (int g = 0; g < groups; ++g) {
    unsigned  words[PLEX_WORDS];
    plex_real row[PLEX_EF];

    _Pragma("unroll")
    for (int w = 0; w < PLEX_WORDS; ++w) words[w] = next[w];
    plex_line_row(points + (words[0] & 0xffff), functions, words[0] >> 16, row);
    plex_add_row(words, row, sum, stride, part, parts);
    if (g + 1 < groups) plex_read_record(records += 32 * PLEX_WORDS, next);
  }
}

extern "C" __global__ void __launch_bounds__(PLEX_BLOCK, PLEX_RESIDENT) plex_assemble(PlexArgs args, PlexLinesArgs plan)
{
  PLEX_DYNAMIC_SHARED(char, shared);
  /* of the plan: those that are taken, and what they are */
  __shared__ int              taken;
  __shared__ PlexLinesWarp    warps[PLEX_LINES_WARPS];
  __shared__ PlexLineFunction functions[PLEX_LINES_N * PLEX_LINES_Q];
  const PlexLinesBlock        block = plan.blocks[blockIdx.x];
  const int                   lane = threadIdx.x % 32, n = block.warps;
  const PlexTarget            target = plex_target(args);
  plex_real                  *points = (plex_real *)shared;
  /* where nodal data were */
  plex_scalar *sums = (plex_scalar *)(shared + PLEX_LINES_BYTES) + PLEX_SUMS_WARP * (threadIdx.x / 32);

  if (threadIdx.x == 0) taken = PLEX_WARPS;
  plex_fetch_elements(plan, block);
  const PlexPrefetched nodal = plex_gather_block(args, plan, block, (plex_real *)(shared + PLEX_LINES_BYTES));

  plex_line_functions(functions);
  for (int k = threadIdx.x; k < 5 * n; k += PLEX_BLOCK) ((int *)warps)[k] = ((const int *)&plan.warps[block.warp])[k];
  __syncthreads();

  if ((int)threadIdx.x / 32 < n) plex_fetch_warp(plan, warps[threadIdx.x / 32], block.warp + threadIdx.x / 32);
  plex_block_points(args, plan, block, nodal, points);
  for (int w = threadIdx.x / 32; w < n;) {
    const PlexLinesWarp &warp    = warps[w];
    const int           *rows    = plan.rows + 96 * (block.warp + w) + lane;
    const int            columns = warp.columns, id = rows[0], length = rows[32], column = rows[64] >> 8;
    const int            longest = warp.longest;
    const unsigned      *records = plan.records + (plex_index)warp.group * 32 * PLEX_WORDS + lane;

    for (int k = lane; k < PLEX_CHUNKED(longest + 1) << columns; k += 32) sums[k] = 0;
    plex_lanes_sync();
    plex_sum_row(points, functions, records, warp.groups, (char *)(sums + column), (int)sizeof(plex_scalar) << columns,
                 rows[64] & 0xff, warp.parts);
    plex_lanes_sync();
    if (lane == 0) w = atomicAdd(&taken, 1);
    w = plex_lane_get(w, 0);
    if (w < n) plex_fetch_warp(plan, warps[w], block.warp + w);
    if (columns == 5) plex_write_rows<5>(target, sums, longest, id, length);
    else if (columns == 4) plex_write_rows<4>(target, sums, longest, id, length);
    else if (columns == 3 || PLEX_CHUNK < 8) plex_write_rows<3>(target, sums, longest, id, length);
    else plex_write_rows<PLEX_CHUNK == 8 ? 2 : 3>(target, sums, longest, id, length);
  }
}
PLEX_EXPORT_KERNEL(plex_assemble)
