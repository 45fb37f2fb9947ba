// Sums by faces. Nobody adds to what another thread adds to, and orders are fixed: the same bits in every run.
#include "../plex.cuh"
#include "hdg_args.h"

// Values of K: a thread an entry of a block (Algorithm 2 of King and others 2014). Reads at most two entries of elements' matrices, 8 bytes each in rows of NF, writes 8
// bytes in rows of NF
extern "C" __global__ void plex_hdg_assemble(const PlexHDGBlock *blocks, long long n, const double *K, const double *robin, double *A, double *B)
{
  const long long at = (long long)blockIdx.x * blockDim.x + threadIdx.x;

  if (at < n) {
    const PlexHDGBlock b = blocks[at / (PLEX_HDG_NF * PLEX_HDG_NF)];
    const int          i = (int)(at % (PLEX_HDG_NF * PLEX_HDG_NF)) / PLEX_HDG_NF, j = (int)(at % PLEX_HDG_NF);
    double             sum = K[b.source[0] + i * PLEX_HDG_NT + j];

    if (b.source[1] >= 0) sum += K[b.source[1] + i * PLEX_HDG_NT + j];
    if (b.robin >= 0) sum += robin[b.robin + i * PLEX_HDG_NF + j];
    (b.part ? B : A)[b.target + i * b.stride + j] = sum;
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

// Block rows that another process adds up: a thread a number
extern "C" __global__ void plex_hdg_pack(const int *rows, long long n, int width, const double *from, double *to)
{
  const long long k = (long long)blockIdx.x * blockDim.x + threadIdx.x;

  if (k < n) to[k] = from[(long long)rows[k / width] * width + k % width];
}
PLEX_EXPORT_KERNEL(plex_hdg_pack)
