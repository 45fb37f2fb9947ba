// Sums by faces. Nobody adds to what another thread adds to, and orders are fixed: the same bits in every run.
#include "../plex.cuh"
#include "hdg_args.h"

// Values of K: a thread an entry of a block (Algorithm 2 of King and others 2014). Reads at most two entries of
// elements' matrices, 8 bytes each in rows of NF, writes 8 bytes in rows of NF. Of elements in tiles entries low ..
// high are there; the first source of a block comes in the same tile as the second or in an earlier one, so that sums
// are the same numbers in the same order
extern "C" __global__ void plex_hdg_assemble(const PlexHDGBlock *blocks, long long n, const double *K, long long low,
                                             long long high, const double *robin, double *A, double *B)
{
  const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;

  if (at < n) {
    const PlexHDGBlock b = blocks[at / (PLEX_HDG_NF * PLEX_HDG_NF)];
    const int          i = (int)(at % (PLEX_HDG_NF * PLEX_HDG_NF)) / PLEX_HDG_NF, j = (int)(at % PLEX_HDG_NF);
    const bool first = b.source[0] >= low && b.source[0] < high, second = b.source[1] >= low && b.source[1] < high;
    double    *target = (b.part ? B : A) + b.target + i * b.stride + j, sum;

    if (!first && !second) return;
    sum = first ? K[b.source[0] - low + i * PLEX_HDG_NT + j] : *target;
    if (second) sum += K[b.source[1] - low + i * PLEX_HDG_NT + j];
    if (b.robin >= 0 && (second || b.source[1] < 0)) sum += robin[b.robin + i * PLEX_HDG_NF + j];
    *target = sum;
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_assemble)

// The right-hand side: a thread a function of a face
extern "C" __global__ void plex_hdg_gather(const int *sides, int n, const double *natural, const double *b, double *rhs)
{
  const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);

  if (k < n) {
    const int left = sides[k / PLEX_HDG_NF * 2], right = sides[k / PLEX_HDG_NF * 2 + 1], m = k % PLEX_HDG_NF;
    double    sum = natural[k] + b[(plex_index)left * PLEX_HDG_NF + m];

    if (right >= 0) sum += b[(plex_index)right * PLEX_HDG_NF + m];
    rhs[k] = sum;
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_gather)

// Block rows that another process adds up, of those from begin to end: a thread a number
extern "C" __global__ void plex_hdg_pack(const int *rows, long long n, int width, int begin, int end,
                                         const double *from, double *to)
{
  const long long k = (long long)blockIdx.x * blockDim.x + threadIdx.x;

  if (k < n) {
    const int row = rows[k / width];

    if (row >= begin && row < end) to[k] = from[(long long)(row - begin) * width + k % width];
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_pack)

// The residual of the trace: what flows out of its elements, of Robin's conditions alpha times the trace, less what
// conditions say. A thread a function of a face
extern "C" __global__ void plex_hdg_flow(const int *sides, const int *robinOf, int n, const double *natural,
                                         const double *robin, const double *b, const double *trace, double *r)
{
  const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);

  if (k < n) {
    const int l = k / PLEX_HDG_NF, left = sides[2 * l], right = sides[2 * l + 1], m = k % PLEX_HDG_NF;
    double    sum = -natural[k] - b[(plex_index)left * PLEX_HDG_NF + m];

    if (right >= 0) sum -= b[(plex_index)right * PLEX_HDG_NF + m];
    for (int j = 0; robinOf[l] >= 0 && j < PLEX_HDG_NF; ++j)
      sum += robin[((plex_index)robinOf[l] * PLEX_HDG_NF + m) * PLEX_HDG_NF + j] *
             trace[(plex_index)l * PLEX_HDG_NF + j];
    r[k] = sum;
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_flow)
