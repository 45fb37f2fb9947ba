// Sums of the matrix entries that several processes add to: a thread a value of the diagonal block A or the
// off-diagonal block O.
//
// X holds this process's own sums of such rows and then what others sent, sender by sender. Value k sums
// X[items[start[k] .. start[k+1])], in this order, so the result repeats bit by bit; it belongs at A[s] for
// s = target[k] >= 0, else at O[-s - 1], or is added to what is there (adds). Reads 12 bytes and 12 a term, writes 8 a value.
#include "plex.cuh"

extern "C" __global__ void __launch_bounds__(128)
  plex_sum(const plex_scalar *X, const int *start, const int *items, const int *target, plex_scalar *A, plex_scalar *O,
           int n, int adds)
{
  const int k = blockIdx.x * 128 + threadIdx.x;

  if (k >= n) return;
  plex_scalar *to = target[k] >= 0 ? A + target[k] : O + (-target[k] - 1);
  plex_scalar  t  = 0;

  for (int i = start[k]; i < start[k + 1]; ++i) t += X[items[i]];
  *to = adds ? *to + t : t;
}
PLEX_EXPORT_KERNEL(plex_sum)
