/*
  Blocks of elements that lie next to each other in the mesh, of at most so many, for the flux gather (section 5.3 of
  Kloeckner, Warburton, Bridge and Hesthaven 2009): the more faces have both their elements in one block, the fewer
  traces are read twice.
*/
#include "separateimpl.h"

/* Across each face the element, counted from `first`, or -1 where there is none in the range: [n][faces] */
static PetscErrorCode PlexDGRangeGetNeighbours(PlexDG dg, PetscInt first, PetscInt end, int **neighbours)
{
  PlexDGMesh     mesh  = dg->mesh;
  const PetscInt faces = mesh->faces, turns = dg->reference->turns;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((end - first) * faces, neighbours));
  for (PetscInt k = 0; k < (end - first) * faces; ++k) {
    const int link  = mesh->links[first * faces + k];
    PetscInt  other = link < 0 ? -1 : link / turns / faces;

    (*neighbours)[k] = other >= first && other < end ? (int)(other - first) : -1;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* METIS on the graph of elements that share faces: each face is a thing that its elements touch */
static PetscErrorCode PlexDGPartitionMetis(PlexDG dg, PetscInt first, PetscInt n, const int neighbours[], PetscInt most,
                                           PlexLists *parts)
{
  const PetscInt faces   = dg->mesh->faces;
  PetscInt       nthings = 0;
  int           *things;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n * faces, &things));
  for (PetscInt t = 0; t < n * faces; ++t) {
    const PetscInt other = neighbours[t] < 0
                           ? -1
                           : dg->mesh->links[first * faces + t] / dg->reference->turns - first * faces;

    things[t] = other < 0 || other > t ? (int)nthings++ : things[other];
  }
  PetscCall(PlexPartitionElements(n, faces, things, nthings, most, most * faces, NULL, parts));
  PetscCall(PetscFree(things));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Algorithm 2. A queue has elements that are in no block, each once; shares[e]: faces of e that the block has */
typedef struct {
  PetscInt n;
  int     *items;  /* [n] the queue */
  int     *shares; /* [elements] */
  char    *state;  /* [elements] 0: free, 1: in the queue, 2: in a block */
} PlexDGQueue;

/* Of the elements that share most faces with the block the first one in the queue */
static int PlexDGQueueRemove(PlexDGQueue *q)
{
  PetscInt best = 0;
  int      e;

  for (PetscInt k = 1; k < q->n; ++k)
    if (q->shares[q->items[k]] > q->shares[q->items[best]]) best = k;
  e = q->items[best];
  for (PetscInt k = best; k + 1 < q->n; ++k) q->items[k] = q->items[k + 1];
  --q->n;
  return e;
}

/* Leaves the first entry, or none */
static void PlexDGQueueStartAnew(PlexDGQueue *q)
{
  for (PetscInt k = 0; k < q->n; ++k) {
    q->shares[q->items[k]] = 0;
    if (k) q->state[q->items[k]] = 0;
  }
  q->n = PetscMin(q->n, 1);
}

static PetscErrorCode PlexDGPartitionGreedy(PetscInt n, PetscInt faces, const int neighbours[], PetscInt most,
                                            PlexLists *parts)
{
  PlexDGQueue q    = {0};
  PetscInt    next = 0, done = 0, size = 0; /* all before `next` are in blocks; of the present block */

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(most * faces + 1, &q.items));
  PetscCall(PetscCalloc2(n, &q.shares, n, &q.state));
  PetscCall(PetscMalloc1(n + 1, &parts->start));
  PetscCall(PetscMalloc1(n, &parts->items));
  parts->n        = 0;
  parts->start[0] = 0;
  while (done < n) {
    int e;

    if (!q.n) { /* an arbitrary element */
      while (q.state[next] == 2) ++next;
      q.items[q.n++] = (int)next;
      q.state[next]  = 1;
    }
    e                    = PlexDGQueueRemove(&q);
    q.state[e]           = 2;
    q.shares[e]          = 0;
    parts->items[done++] = e;
    for (PetscInt f = 0; f < faces; ++f) {
      const int other = neighbours[e * faces + f];

      if (other < 0 || q.state[other] == 2) continue;
      ++q.shares[other];
      if (!q.state[other]) q.items[q.n++] = other;
      q.state[other] = 1;
    }
    if (++size == most || done == n) {
      parts->start[++parts->n] = done;
      size                     = 0;
      PlexDGQueueStartAnew(&q);
    }
  }
  PetscCall(PetscFree2(q.shares, q.state));
  PetscCall(PetscFree(q.items));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGPartitionCurve(PetscInt n, PetscInt most, PlexLists *parts)
{
  PetscFunctionBegin;
  parts->n = (n + most - 1) / most;
  PetscCall(PetscMalloc1(parts->n + 1, &parts->start));
  PetscCall(PetscMalloc1(n, &parts->items));
  for (PetscInt b = 0; b <= parts->n; ++b) parts->start[b] = PetscMin(b * most, n);
  for (PetscInt e = 0; e < n; ++e) parts->items[e] = (int)e;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGPartitionRange_Private(PlexDG dg, PlexDGPartition partition, PetscInt first, PetscInt end,
                                            PetscInt most, PetscInt *nblocks, PetscInt **start, int **order)
{
  const PetscInt n     = end - first;
  PlexLists      parts = {0};
  int           *neighbours;

  PetscFunctionBegin;
  PetscCall(PlexDGRangeGetNeighbours(dg, first, end, &neighbours));
  switch (partition) {
  case PLEX_DG_PARTITION_METIS:
    PetscCall(PlexDGPartitionMetis(dg, first, n, neighbours, most, &parts));
    break;
  case PLEX_DG_PARTITION_GREEDY:
    PetscCall(PlexDGPartitionGreedy(n, dg->mesh->faces, neighbours, most, &parts));
    break;
  case PLEX_DG_PARTITION_CURVE:
    PetscCall(PlexDGPartitionCurve(n, most, &parts));
    break;
  }
  for (PetscInt e = 0; e < n; ++e) parts.items[e] += (int)first;
  *nblocks = parts.n;
  *start   = parts.start;
  *order   = parts.items;
  PetscCall(PetscFree(neighbours));
  PetscFunctionReturn(PETSC_SUCCESS);
}
