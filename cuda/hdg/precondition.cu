// The preconditioner of the trace's equations: inverses of the faces' blocks of K, products with them, and the coarse
// matrix. src/hdg/precondition.c, coarse.c
#include "../plex.cuh"
#include "hdg_args.h"
#include "invert.cuh"

// D[l][j][i] = omega times entry (i, j) of the inverse of face l's block. A block of threads a face, by Gauss-Jordan
// elimination in shared memory; positive definite blocks need no pivoting. Reads and writes 8 NF^2 bytes a face; 2 NF^3
// flops
extern "C" __global__ void plex_hdg_invert(const PlexHDGBlock *blocks, const int *diagonal, const double *A,
                                           double omega, double *D)
{
  PLEX_DYNAMIC_SHARED(double, shared);
  double            *a = shared, *row = a + PLEX_HDG_NF * PLEX_HDG_NF, *column = row + PLEX_HDG_NF;
  const PlexHDGBlock b    = blocks[diagonal[blockIdx.x]];
  double            *mine = D + (plex_index)blockIdx.x * PLEX_HDG_NF * PLEX_HDG_NF;

  for (int k = (int)threadIdx.x; k < PLEX_HDG_NF * PLEX_HDG_NF; k += (int)blockDim.x)
    a[k] = A[b.target + k / PLEX_HDG_NF * b.stride + k % PLEX_HDG_NF];
  plex_hdg_invert_block<PLEX_HDG_NF>(a, row, column);
  for (int k = (int)threadIdx.x; k < PLEX_HDG_NF * PLEX_HDG_NF; k += (int)blockDim.x)
    mine[k] = omega * a[k % PLEX_HDG_NF * PLEX_HDG_NF + k / PLEX_HDG_NF];
}
PLEX_EXPORT_KERNEL(plex_hdg_invert)

// x = D b, or x + D (b - w) with w = K x, if w is not NULL. A thread a function of a face. It reads 8 NF bytes of D;
// neighbouring threads read neighbouring numbers
extern "C" __global__ void plex_hdg_smooth(const double *D, int n, const double *b, const double *w, double *x)
{
  const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);

  if (k < n) {
    const int        i     = k % PLEX_HDG_NF;
    const plex_index first = k - i;
    const double    *mine  = D + first * PLEX_HDG_NF + i;
    double           sum   = 0;

    for (int j = 0; j < PLEX_HDG_NF; ++j)
      sum += mine[j * PLEX_HDG_NF] * (w ? b[first + j] - w[first + j] : b[first + j]);
    x[k] = w ? x[k] + sum : sum;
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_smooth)

// Contributions to the entries of the coarse matrix: a thread sums one, of a vertex of a face and a pair. Reads MODES^2
// values of K and 24 bytes of a block for each item, writes 8 bytes
extern "C" __global__ void plex_hdg_coarse(const PlexHDGBlock *blocks, const int *start, const int *items, int n,
                                           const double *A, const double *B, double *parts)
{
  const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);

  if (k < n) {
    const int pair = k / PLEX_HDG_VERTICES, v = k % PLEX_HDG_VERTICES;
    double    sum = 0;

    for (int s = start[pair]; s < start[pair + 1]; ++s) {
      const PlexHDGBlock b = blocks[items[s] / PLEX_HDG_VERTICES];
      const int          w = items[s] % PLEX_HDG_VERTICES;
      const double      *K = (b.part ? B : A) + b.target;

      for (int m = 0; m < PLEX_HDG_MODES; ++m)
        for (int o = 0; o < PLEX_HDG_MODES; ++o)
          sum += plex_hdg_weights[v][m] * K[plex_hdg_modes[m] * b.stride + plex_hdg_modes[o]] * plex_hdg_weights[w][o];
    }
    parts[k] = sum;
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_coarse)

// Pairs of the coarse matrix (src/hdg/coarseplan.c) of face l: found[] gets the vertices of the faces that K couples
// with it, each once, and *items their number with repetitions. Returns the number of pairs
#define PLEX_HDG_MOST_VERTICES ((2 * PLEX_HDG_FACES - 1) * PLEX_HDG_VERTICES)
PLEX_DEVICE int plex_hdg_find_pairs(const PlexHDGPairArgs &args, int l, int *found, int *items)
{
  int n = 0;

  *items = 0;
  for (int k = args.blockStart[l]; k < args.blockStart[l + 1]; ++k) {
    for (int v = 0; v < PLEX_HDG_VERTICES; ++v) {
      const int w  = args.vertices[(plex_index)args.columns[k] * PLEX_HDG_VERTICES + v];
      int       at = 0;

      if (w < 0) continue;
      while (at < n && found[at] != w) ++at;
      ++*items;
      if (at == n) found[n++] = w;
    }
  }
  return n;
}

extern "C" __global__ void plex_hdg_count_pairs(PlexHDGPairArgs args)
{
  const int l = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  int       found[PLEX_HDG_MOST_VERTICES], items;

  if (l < args.nown) {
    args.pairs[l]  = plex_hdg_find_pairs(args, l, found, &items);
    args.counts[l] = items;
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_count_pairs)

// After exclusive sums of pairs[] and counts[]: the first item of each pair, its items, and the keys of its
// contributions
extern "C" __global__ void plex_hdg_write_pairs(PlexHDGPairArgs args)
{
  const int l = (int)(blockIdx.x * blockDim.x + threadIdx.x);
  int       found[PLEX_HDG_MOST_VERTICES], items;

  if (l < args.nown) {
    const int n  = plex_hdg_find_pairs(args, l, found, &items);
    int       to = args.counts[l];

    for (int k = args.blockStart[l]; k < args.blockStart[l + 1]; ++k)
      if (args.columns[k] == l) args.diagonal[l] = k;
    for (int p = 0; p < n; ++p) {
      const plex_index pair = args.pairs[l] + p;

      args.start[pair] = to;
      for (int k = args.blockStart[l]; k < args.blockStart[l + 1]; ++k)
        for (int v = 0; v < PLEX_HDG_VERTICES; ++v)
          if (args.vertices[(plex_index)args.columns[k] * PLEX_HDG_VERTICES + v] == found[p])
            args.items[to++] = k * PLEX_HDG_VERTICES + v;
      for (int v = 0; v < PLEX_HDG_VERTICES; ++v) {
        const int row = args.vertices[(plex_index)l * PLEX_HDG_VERTICES + v];

        args.keys[pair * PLEX_HDG_VERTICES + v] = row < 0 ? (unsigned long long)args.none << args.bits
                                                          : (unsigned long long)row << args.bits | found[p];
      }
    }
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_write_pairs)

// The key of each entry of the coarse matrix, a thread an entry
extern "C" __global__ void plex_hdg_distinct(const unsigned long long *keys, const int *entry, int n,
                                             unsigned long long *to)
{
  const int s = (int)(blockIdx.x * blockDim.x + threadIdx.x);

  if (s < n) to[s] = keys[entry[s]];
}
PLEX_EXPORT_KERNEL(plex_hdg_distinct)

// Entries of the coarse matrix: a thread sums one, about 4 contributions of 8 bytes each
extern "C" __global__ void plex_hdg_sum_parts(const int *entry, const int *order, int n, const double *parts, double *A)
{
  const int s = (int)(blockIdx.x * blockDim.x + threadIdx.x);

  if (s < n) {
    double sum = 0;

    for (int t = entry[s]; t < entry[s + 1]; ++t) sum += parts[order[t]];
    A[s] = sum;
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_sum_parts)
