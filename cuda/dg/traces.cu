// Traces that are sent to other processes, next to each other: out[g][Nf][Nfp] of the traces sent[g], n values in all,
// float where `half`, else double. single: the state is of float.
//
// A thread copies a value.
#include "../plex.cuh"

extern "C" __global__ void plex_dg_pack(const void *u, void *out, const int *sent, const int *faceNodes, plex_index n,
                                        int Nf, int Np, int Nfp, int faces, int single, int half)
{
  const plex_index k = (plex_index)blockIdx.x * blockDim.x + threadIdx.x;

  if (k < n) {
    const plex_index row = k / Nfp;
    const int        m = (int)(k - row * Nfp), field = (int)(row % Nf), trace = sent[row / Nf];
    const plex_index at = ((plex_index)(trace / faces) * Nf + field) * Np + faceNodes[trace % faces * Nfp + m];

    if (half) ((float *)out)[k] = single ? ((const float *)u)[at] : (float)((const double *)u)[at];
    else ((double *)out)[k] = single ? (double)((const float *)u)[at] : ((const double *)u)[at];
  }
}
PLEX_EXPORT_KERNEL(plex_dg_pack)
