// Traces that are sent to other processes, next to each other: out[g][Nf][Nfp] of the traces sent[g], n values in all.
//
// A thread copies a value.
#include "../plex.cuh"

extern "C" __global__ void plex_dg_pack(const double *u, double *out, const int *sent, const int *faceNodes, int n, int Nf, int Np, int Nfp, int faces)
{
  const int k = (int)(blockIdx.x * blockDim.x + threadIdx.x);

  if (k < n) {
    const int m = k % Nfp, field = k / Nfp % Nf, trace = sent[k / Nfp / Nf];

    out[k] = u[((plex_index)(trace / faces) * Nf + field) * Np + faceNodes[trace % faces * Nfp + m]];
  }
}
PLEX_EXPORT_KERNEL(plex_dg_pack)
