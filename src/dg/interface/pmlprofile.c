/*
  How a perfectly matched layer's rate grows from the inner side: with a power of the distance, or in steps at planes.

  A slab is a part of the layer along an axis between planes that no cell crosses: its ends are faces of the mesh. Where
  cells are not in sheets, a whole layer is one. In steps, the rate of a slab is the mean there of one that grows with the
  distance.
*/
#include "dgimpl.h"

typedef struct {
  PetscReal low, high;
} Interval;

static int PlexDGPMLCompare(const void *a, const void *b)
{
  const PetscReal x = ((const Interval *)a)->low, y = ((const Interval *)b)->low;

  return (x > y) - (x < y);
}

/* Intervals that overlap become one; gives how many are left */
static PetscInt PlexDGPMLMerge(PetscReal same, PetscInt n, Interval all[])
{
  PetscInt k = 0;

  if (!n) return 0;
  qsort(all, (size_t)n, sizeof(Interval), PlexDGPMLCompare);
  for (PetscInt i = 1; i < n; ++i) {
    if (all[i].low < all[k].high - same) all[k].high = PetscMax(all[k].high, all[i].high);
    else all[++k] = all[i];
  }
  return k + 1;
}

/* Slabs of intervals [n][2] of all processes, from the inner side on: planes[*nslabs + 1]. Of more than PLEX_PML_SLABS,
   neighbours are put together */
PetscErrorCode PlexDGPMLSetSlabs_Private(MPI_Comm comm, PetscReal same, PetscInt n, PetscReal intervals[],
                                         PetscInt *nslabs, PetscReal planes[])
{
  Interval   *mine = (Interval *)intervals, *all;
  PetscMPIInt size, *counts, *begins, own;
  PetscInt    total;

  PetscFunctionBegin;
  n = PlexDGPMLMerge(same, n, mine);
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscMalloc2(size, &counts, size + 1, &begins));
  PetscCall(PetscMPIIntCast(2 * n, &own));
  PetscCallMPI(MPI_Allgather(&own, 1, MPI_INT, counts, 1, MPI_INT, comm));
  begins[0] = 0;
  for (PetscMPIInt r = 0; r < size; ++r) begins[r + 1] = begins[r] + counts[r];
  total = begins[size] / 2;
  PetscCall(PetscMalloc1(total, &all));
  PetscCallMPI(MPI_Allgatherv(mine, own, MPIU_REAL, all, counts, begins, MPIU_REAL, comm));
  total   = PlexDGPMLMerge(same, total, all);
  *nslabs = PetscMin(total, PLEX_PML_SLABS);
  for (PetscInt k = 0; k < *nslabs; ++k) planes[k] = all[k * total / *nslabs].low;
  planes[*nslabs] = total ? all[total - 1].high : 0.;
  PetscCall(PetscFree(all));
  PetscCall(PetscFree2(counts, begins));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The slab at a distance d */
PetscInt PlexDGPMLGetSlab_Private(PetscInt nslabs, const PetscReal planes[], PetscReal d)
{
  PetscInt k = 0;

  while (k + 1 < nslabs && d > planes[k + 1]) ++k;
  return k;
}

PetscReal PlexDGPMLSigma_Private(PlexDG dg, PetscReal d, PetscReal L, PetscInt nslabs, const PetscReal planes[])
{
  const PetscInt  m   = dg->pml->power;
  const PetscReal all = -dg->pml->speed * PetscLogReal(dg->pmlReflection) / (2. * L); /* the mean over the layer */

  if (m == 0 && nslabs) {
    const PetscInt k = PlexDGPMLGetSlab_Private(nslabs, planes, d);

    return all * (planes[k] + planes[k + 1]) / L;
  }
  return all * (PetscReal)(m + 1) * PetscPowRealInt(PetscClipInterval(d / L, 0., 1.), m);
}
