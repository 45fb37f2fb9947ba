// Functions of one nodal space at the nodes of another one on the same mesh, and the transpose of that, for multigrid of
// degrees: y_k = sum_j S[k][j] x_j in each element, S by rows without zeros (src/assembly/multigrid/transfer.c).
//
// `from` and `to` are local dofs of the first components of nodes, [elements][Nfrom] and [elements][Nto], the latter -1
// where another element computes the node. places: of local dofs in y, -1: none; NULL: y is a local vector.
#include "plex.cuh"

// A thread a node that is computed: number items[i] = element Nto + k, with first dof nodes[i]. It reads up to 12 Nfrom
// bytes and as much of S, which stays in the caches, and writes 8, a component.
extern "C" __global__ void plex_transfer(int n, int Nc, int Nfrom, int Nto, const int *items, const int *nodes,
                                         const int *rows, const int *columns, const plex_scalar *S, const int *from,
                                         const int *places, const plex_scalar *x, plex_scalar *y)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i >= n) return;
  const int  e = items[i] / Nto, k = items[i] - e * Nto;
  const int *dofs = from + (size_t)e * Nfrom;

  for (int c = 0; c < Nc; ++c) {
    const int   place = places ? places[nodes[i] + c] : nodes[i] + c;
    plex_scalar sum   = 0;

    if (place < 0) continue;
    for (int s = rows[k]; s < rows[k + 1]; ++s) sum += S[s] * x[dofs[columns[s]] + c];
    y[place] = sum;
  }
}
PLEX_EXPORT_KERNEL(plex_transfer)

// A thread a node of the first space, with first dof nodes[i]: of its elements, numbers list[] = element Nfrom + j from
// first[i] on, it sums what they compute. S by columns. Sums have an order, so they are the same bits in each run.
extern "C" __global__ void plex_transfer_transpose(int n, int Nc, int Nfrom, int Nto, const int *first, const int *list,
                                                   const int *nodes, const int *columns, const int *rows,
                                                   const plex_scalar *S, const int *to, const int *places,
                                                   const plex_scalar *y, plex_scalar *x)
{
  const int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i >= n) return;
  for (int c = 0; c < Nc; ++c) {
    plex_scalar sum = 0;

    for (int l = first[i]; l < first[i + 1]; ++l) {
      const int  e = list[l] / Nfrom, j = list[l] - e * Nfrom;
      const int *own = to + (size_t)e * Nto;

      for (int s = columns[j]; s < columns[j + 1]; ++s) {
        const int node = own[rows[s]], place = node < 0 ? -1 : places[node + c];

        if (place >= 0) sum += S[s] * y[place];
      }
    }
    x[nodes[i] + c] = sum;
  }
}
PLEX_EXPORT_KERNEL(plex_transfer_transpose)
