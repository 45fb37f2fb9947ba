// Slots of all element matrices: where A(L(e,i), L(e,j)) is among the values of a matrix in CSR form.
//
// A thread a slot, in the order in which they are written. It finds the column in its row by halves: neighbouring
// threads look in one row, so most of what is read is in the caches. It reads 4 bytes of plan, row and column twice
// each, and 4 for each halving, and writes 4; columns of a PETSc with 64-bit indices are 8.
#include "plan/steps.h" // plex_int

// plan: interleaved [positions][K], dofs from item `first` on, item 0 negative: padding. row[l], column[l] of local dof
// l, -1: dropped. i, j: the pattern. slots: interleaved [positions][EF][EF], n in all; -1: dropped. missing: set where
// the pattern lacks an entry.
extern "C" __global__ void plex_find_slots(const int *plan, int K, int first, int EF, int interleave, plex_index n,
                                           const int *row, const plex_int *column, const plex_int *i, const plex_int *j,
                                           int *slots, int *missing)
{
  const plex_index t = (plex_index)blockIdx.x * blockDim.x + threadIdx.x, run = t / interleave;
  const int        k    = (int)(run % ((plex_index)EF * EF)); // entry of the element matrix
  const int       *from = plan + run / ((plex_index)EF * EF) * K * interleave + t % interleave;
  int              slot = -1;

  if (t >= n) return;
  if (from[0] >= 0) {
    const int      r = row[from[(plex_index)(first + k / EF) * interleave]];
    const plex_int c = column[from[(plex_index)(first + k % EF) * interleave]];

    if (r >= 0 && c >= 0) {
      int length = (int)(i[r + 1] - i[r]);

      slot = (int)i[r];
      while (length > 1) {
        const int half = length / 2;

        slot += j[slot + half] <= c ? half : 0;
        length -= half;
      }
      if (!length || j[slot] != c) {
        *missing = 1;
        slot     = -1;
      }
    }
  }
  slots[t] = slot;
}
PLEX_EXPORT_KERNEL(plex_find_slots)
