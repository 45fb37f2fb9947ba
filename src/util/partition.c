/*
  Partitions of elements and of nodes under limits on what a part holds and touches.

  Both are one problem: items (elements | nodes) touch things (nodes | elements); a part may hold at most maxItems items
  and touch at most maxTouched distinct things. METIS cuts the graph of items that share things: partitionmetis.c.

  Items that come in an order along a curve are cut into runs instead: no graph, no METIS, a part ends where the next
  item would break a limit.
*/
#include "partition.h"

PetscErrorCode PlexPartitionRuns_Private(PlexPartition *p, const int order[], PlexLists *parts)
{
  PetscInt first = 0, touched = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(p->ntouch, &p->stamp));
  PetscCall(PetscMalloc1(p->n + 1, &p->partStart));
  PetscCall(PetscMalloc1(p->n, &parts->items));
  p->stamps = 1;
  for (PetscInt k = 0; k < p->n; ++k) {
    const PetscInt *range = &p->start[order[k]];

    if (k + 3 * PLEX_FETCH_AHEAD < p->n) PlexFetch(&p->start[order[k + 3 * PLEX_FETCH_AHEAD]]);
    if (k + 2 * PLEX_FETCH_AHEAD < p->n) PlexFetch(&p->touch[p->start[order[k + 2 * PLEX_FETCH_AHEAD]]]);
    if (k + PLEX_FETCH_AHEAD < p->n)
      for (PetscInt t = p->start[order[k + PLEX_FETCH_AHEAD]]; t < p->start[order[k + PLEX_FETCH_AHEAD] + 1]; ++t)
        PlexFetch(&p->stamp[PetscMax(0, p->touch[t])]);
    for (PetscInt again = 0; again < 2; ++again) { /* the item of a new part is looked at anew */
      PetscInt more = 0;

      for (PetscInt t = range[0]; t < range[1]; ++t) more += p->touch[t] >= 0 && p->stamp[p->touch[t]] != p->stamps;
      if (k == first || (k - first < p->maxItems && touched + more <= p->maxTouched)) {
        PetscCheck(more <= p->maxTouched || k > first || p->alone, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
                   "Element %d alone has more than the %" PetscInt_FMT
                   " nodes that a part may hold: choose a strategy that needs no partition, e.g. local_nz",
                   order[k], p->maxTouched);
        touched += more;
        break;
      }
      p->partStart[p->nparts++] = first;
      first                     = k;
      touched                   = 0;
      ++p->stamps;
    }
    for (PetscInt t = range[0]; t < range[1]; ++t)
      if (p->touch[t] >= 0) p->stamp[p->touch[t]] = p->stamps;
    parts->items[k] = order[k];
  }
  if (p->n) p->partStart[p->nparts++] = first;
  p->partStart[p->nparts] = p->n;
  parts->n                = p->nparts;
  PetscCall(PetscMalloc1(p->nparts + 1, &parts->start));
  PetscCall(PetscArraycpy(parts->start, p->partStart, p->nparts + 1));
  PetscCall(PetscFree(p->partStart));
  PetscCall(PetscFree(p->stamp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The partition's own copy of conn, in which what an element names a second time is -1; start[e] = e*k */
static PetscErrorCode PartitionConnect(PetscInt Ne, PetscInt k, const int conn[], PetscInt n, PetscInt **start,
                                       int **distinct)
{
  int *last; /* [n] last element seen at a node */

  PetscFunctionBegin;
  PetscCheck(Ne <= (PETSC_INT32_MAX - 1) / PetscMax(1, k), PETSC_COMM_SELF, PETSC_ERR_INT_OVERFLOW,
             "%" PetscInt_FMT " elements of %" PetscInt_FMT " nodes are too many to partition: use more ranks", Ne, k);
  PetscCall(PetscMalloc1(Ne + 1, start));
  PetscCall(PetscMalloc1(Ne * k, distinct));
  PetscCall(PetscMalloc1(n, &last));
  for (PetscInt v = 0; v < n; ++v) last[v] = -1;
  for (PetscInt e = 0; e < Ne; ++e) {
    (*start)[e] = e * k;
    for (PetscInt i = e * k; i < (e + 1) * k; ++i) {
      (*distinct)[i] = conn[i] < 0 || last[conn[i]] == (int)e ? -1 : conn[i];
      if (conn[i] >= 0) last[conn[i]] = (int)e;
    }
  }
  (*start)[Ne] = Ne * k;
  PetscCall(PetscFree(last));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* nodes[n] in the order in which the elements first touch them; nodes that no element touches are last */
PetscErrorCode PlexNodesAlong(PetscInt Ne, PetscInt k, const int conn[], PetscInt n, const int order[], int **nodes)
{
  PetscInt   found = 0;
  PetscBool *seen;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, nodes));
  PetscCall(PetscCalloc1(n, &seen));
  for (PetscInt e = 0; e < Ne; ++e) {
    if (e + 2 * PLEX_FETCH_AHEAD < Ne) PlexFetch(&conn[(size_t)order[e + 2 * PLEX_FETCH_AHEAD] * k]);
    for (PetscInt i = 0; e + PLEX_FETCH_AHEAD < Ne && i < k; ++i)
      PlexFetch(&seen[PetscMax(0, conn[(size_t)order[e + PLEX_FETCH_AHEAD] * k + i])]);
    for (PetscInt i = 0; i < k; ++i) {
      const int node = conn[(size_t)order[e] * k + i];

      if (node < 0 || seen[node]) continue;
      seen[node]        = PETSC_TRUE;
      (*nodes)[found++] = node;
    }
  }
  for (PetscInt v = 0; v < n; ++v)
    if (!seen[v]) (*nodes)[found++] = (int)v;
  PetscCall(PetscFree(seen));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPartitionElements(PetscInt Ne, PetscInt k, const int conn[], PetscInt n, PetscInt maxElements,
                                     PetscInt maxNodes, const int order[], PlexLists *parts)
{
  PlexPartition p = {.n = Ne, .ntouch = n, .maxItems = maxElements, .maxTouched = maxNodes};
  PlexLists     touching;
  int          *distinct;

  PetscFunctionBegin;
  PetscCheck(maxElements > 0 && maxNodes > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Parts of at most %" PetscInt_FMT " elements and %" PetscInt_FMT " nodes cannot be", maxElements,
             maxNodes);
  PetscCall(PartitionConnect(Ne, k, conn, n, &p.start, &distinct));
  p.touch = distinct;
  if (order) PetscCall(PlexPartitionRuns_Private(&p, order, parts));
  else {
    PetscCall(PlexListsInvert(Ne, k, conn, n, &touching));
    PetscCall(PlexPartitionByMetis_Private(&p, &touching, parts));
    PetscCall(PlexListsDestroy(&touching));
  }
  PetscCall(PetscFree(p.start));
  PetscCall(PetscFree(distinct));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPartitionNodesAlong(PetscInt Ne, const PlexLists *touching, PetscInt maxElements, const int nodes[],
                                       PlexLists *parts)
{
  PlexPartition p = {.n          = touching->n,
                     .ntouch     = Ne,
                     .start      = touching->start,
                     .touch      = touching->items,
                     .maxItems   = PetscMax(1, touching->n),
                     .maxTouched = maxElements,
                     .alone      = PETSC_TRUE};

  PetscFunctionBegin;
  PetscCheck(maxElements > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Parts that touch at most %" PetscInt_FMT " elements cannot be", maxElements);
  PetscCall(PlexPartitionRuns_Private(&p, nodes, parts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPartitionNodes(PetscInt Ne, PetscInt k, const int conn[], PetscInt n, PetscInt maxElements,
                                  const int order[], PlexLists *parts)
{
  PlexPartition p = {.n = n, .ntouch = Ne, .maxItems = PetscMax(1, n), .maxTouched = maxElements, .alone = PETSC_TRUE};
  PlexLists     touched, nodes = {.n = Ne};
  int          *nodeOrder;

  PetscFunctionBegin;
  PetscCheck(maxElements > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Parts that touch at most %" PetscInt_FMT " elements cannot be", maxElements);
  PetscCall(PlexListsInvert(Ne, k, conn, n, &touched));
  p.start = touched.start;
  p.touch = touched.items;
  if (order) {
    PetscCall(PlexNodesAlong(Ne, k, conn, n, order, &nodeOrder));
    PetscCall(PlexPartitionNodesAlong(Ne, &touched, maxElements, nodeOrder, parts));
    PetscCall(PetscFree(nodeOrder));
  } else {
    PetscCall(PartitionConnect(Ne, k, conn, n, &nodes.start, &nodes.items));
    PetscCall(PlexPartitionByMetis_Private(&p, &nodes, parts));
    PetscCall(PlexListsDestroy(&nodes));
  }
  PetscCall(PlexListsDestroy(&touched));
  PetscFunctionReturn(PETSC_SUCCESS);
}
