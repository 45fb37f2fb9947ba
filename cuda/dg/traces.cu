// Traces that are sent to other processes, next to each other: out[g][Nf][Nfp] of the traces sent[g], n values in all.
//
// A thread copies a value.
#include "../plex.cuh"

extern "C" __global__ void plex_dg_pack(const void *u, double *out, const int *sent, const int *faceNodes, int n,
                                        int Nf, int Np, int Nfp, int faces, int single)
{
  const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);

  if (k < n) {
    const int m = k % Nfp, field = k / Nfp % Nf, trace = sent[k / Nfp / Nf];

    const plex_index at = ((plex_index)(trace / faces) * Nf + field) * Np + faceNodes[trace % faces * Nfp + m];

    out[k] = single ? ((const float *)u)[at] : ((const double *)u)[at];
  }
}
PLEX_EXPORT_KERNEL(plex_dg_pack)
