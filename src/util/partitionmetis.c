/*
  Partitions by METIS, where PlexGPU was built with it. METIS cuts the graph of items that share things; it balances, and
  knows nothing of limits. So

    cut(items): p = the number of parts that the limits suggest
                METIS into p parts, again with more while many of them break a limit
                parts within the limits are done; each other one is cut in turn, as is each piece when p was capped

  The cap keeps METIS affordable: the cost of a k-way cut grows with the number of parts, so 5 million triangles go into
  some hundred pieces first and each piece into its own parts. The ratio of parts made to parts
  suggested by one piece is the first guess for the next one.
*/
#include "partition.h"

PetscBool PlexHasMetis(void)
{
  return (PetscBool)(PLEXGPU_METIS != 0);
}

#if PLEXGPU_METIS
  #include <metis.h>

  #define PARTITION_CAP   256 /* most parts of one METIS call */
  #define PARTITION_TRIES 2   /* METIS calls on one set of items */
/* parts of fewer items than this are halved again and again: METIS dislikes many tiny parts */
  #define PARTITION_FEW 8

/* Distinct things that a set of items touches */
static PetscInt PartitionTouched(PlexPartition *p, PetscInt n, const int items[])
{
  PetscInt touched = 0;

  ++p->stamps;
  for (PetscInt i = 0; i < n; ++i) {
    for (PetscInt t = p->start[items[i]]; t < p->start[items[i] + 1]; ++t) {
      const int thing = p->touch[t];

      if (thing < 0 || p->stamp[thing] == p->stamps) continue;
      p->stamp[thing] = p->stamps;
      ++touched;
    }
  }
  return touched;
}

/* How full a part is: above 1 it breaks a limit */
static double PartitionFill(PlexPartition *p, PetscInt n, const int items[])
{
  const double byItems = (double)n / (double)p->maxItems;

  if (n == 1 && p->alone) return PetscMin(1., byItems);
  return PetscMax(byItems, (double)PartitionTouched(p, n, items) / (double)p->maxTouched);
}

static PetscErrorCode PartitionEmit(PlexPartition *p, PetscInt n, const int items[])
{
  PetscFunctionBegin;
  if (p->nparts == p->allocated) {
    p->allocated = PetscMax(2 * p->allocated, 64);
    PetscCall(PetscRealloc((p->allocated + 1) * sizeof(PetscInt), &p->partStart));
  }
  PetscCall(PetscArraycpy(&p->items[p->partStart[p->nparts]], items, n));
  p->partStart[p->nparts + 1] = p->partStart[p->nparts] + n;
  ++p->nparts;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Neighbours of an item: those it shares the most things with. Of triangles or hexahedra that share nodes these are the
  ones across a face, and the many that meet at an edge or vertex only are left out: a face weighs more than 60 % of the
  most that either of the two shares with anybody. Two sweeps of the same counting: what is the most, then who has
  enough.
*/
static PetscErrorCode PartitionGraph(PlexPartition *p, const PlexLists *touching)
{
  /* [n] most shared; [n] things shared with the current item; [nfound] items that share any */
  int     *most, *shared, *found;
  PetscInt allocated = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(p->n, &most, p->n, &shared));
  PetscCall(PetscMalloc1(p->n, &found));
  PetscCall(PetscMalloc1(p->n + 1, &p->adjStart));
  p->adjStart[0] = 0;
  for (PetscInt sweep = 0; sweep < 2; ++sweep) {
    for (PetscInt a = 0; a < p->n; ++a) {
      PetscInt nfound = 0, nadj = sweep ? p->adjStart[a] : 0;

      for (PetscInt t = p->start[a]; t < p->start[a + 1]; ++t) {
        const int thing = p->touch[t];

        if (thing < 0) continue;
        for (PetscInt b = touching->start[thing]; b < touching->start[thing + 1]; ++b) {
          const int item = touching->items[b];

          if (item >= 0 && item != a && !shared[item]++) found[nfound++] = item;
        }
      }
      if (sweep && nadj + nfound > allocated) {
        PetscCheck(nadj < PETSC_INT32_MAX - nfound, PETSC_COMM_SELF, PETSC_ERR_INT_OVERFLOW,
                   "The graph to partition has more edges than METIS can count: use more ranks");
        allocated = (PetscInt)PetscMin((PetscInt64)PETSC_INT32_MAX,
                                       PetscMax(2 * (PetscInt64)allocated, (PetscInt64)nadj + nfound + 8 * p->n));
        PetscCall(PetscRealloc(allocated * sizeof(int), &p->adj));
      }
      for (PetscInt f = 0; f < nfound; ++f) {
        const int b = found[f];

        if (!sweep) most[a] = PetscMax(most[a], shared[b]);
        else if (10 * shared[b] > 6 * PetscMin(most[a], most[b])) p->adj[nadj++] = b;
        shared[b] = 0;
      }
      if (sweep) p->adjStart[a + 1] = nadj;
    }
  }
  PetscCall(PetscFree2(most, shared));
  PetscCall(PetscFree(found));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Runs METIS on the graph of a set of items: part[n] in [0, nparts). Parts follow the items' order if there is nothing
   to choose or METIS fails */
static PetscErrorCode PartitionMetis(PlexPartition *p, PetscInt n, const int items[], PetscInt nparts, idx_t part[])
{
  idx_t nvtxs = (idx_t)n, ncon = 1, np = (idx_t)nparts, cut, options[METIS_NOPTIONS], *xadj, *adjncy, *weight;
  idx_t nadj = 0, heaviest = 1, total = 0;
  int   ierr = METIS_ERROR;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) p->local[items[i]] = (int)i;
  for (PetscInt i = 0; i < n; ++i) nadj += (idx_t)(p->adjStart[items[i] + 1] - p->adjStart[items[i]]);
  PetscCall(PetscMalloc3(n + 1, &xadj, nadj, &adjncy, n, &weight));
  nadj    = 0;
  xadj[0] = 0;
  for (PetscInt i = 0; i < n; ++i) {
    for (PetscInt a = p->adjStart[items[i]]; a < p->adjStart[items[i] + 1]; ++a)
      if (p->local[p->adj[a]] >= 0) adjncy[nadj++] = p->local[p->adj[a]];
    xadj[i + 1] = nadj;
    weight[i]   = p->alone ? (idx_t)(p->start[items[i] + 1] - p->start[items[i]]) : 1; /* nodes weigh what they touch */
    heaviest    = PetscMax(heaviest, weight[i]);
    total += weight[i];
  }
  for (PetscInt i = 0; i < n; ++i) p->local[items[i]] = -1;
  if (nadj && n > 3) {
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED]  = 1;
    options[METIS_OPTION_NITER] = 4;
    /* imbalance: 3 %, or a vertex where parts are that small */
    options[METIS_OPTION_UFACTOR] = PetscMax(30, (idx_t)(1000. * heaviest * np / total));
    if (nparts > 8)
      ierr = METIS_PartGraphKway(&nvtxs, &ncon, xadj, adjncy, weight, NULL, NULL, &np, NULL, NULL, options, &cut, part);
    if (ierr != METIS_OK)
      ierr = METIS_PartGraphRecursive(&nvtxs, &ncon, xadj, adjncy, weight, NULL, NULL, &np, NULL, NULL, options, &cut,
                                      part);
    if (ierr != METIS_OK)
      PetscCall(PetscInfo(NULL, "METIS fails (%d) to cut %" PetscInt_FMT " vertices into %" PetscInt_FMT " parts\n",
                          ierr, n, nparts));
  }
  if (ierr != METIS_OK)
    for (PetscInt i = 0; i < n; ++i) part[i] = (idx_t)((PetscInt64)i * nparts / n);
  PetscCall(PetscFree3(xadj, adjncy, weight));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Brings items into the order of their parts, ascending in each; start[nparts+1] */
static PetscErrorCode PartitionSort(PetscInt n, const int items[], const idx_t part[], PetscInt nparts,
                                    PetscInt start[], int sorted[])
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(start, nparts + 1));
  for (PetscInt i = 0; i < n; ++i) ++start[part[i] + 1];
  for (PetscInt k = 0; k < nparts; ++k) start[k + 1] += start[k];
  for (PetscInt i = 0; i < n; ++i) sorted[start[part[i]]++] = items[i];
  for (PetscInt k = nparts; k > 0; --k) start[k] = start[k - 1];
  start[0] = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Parts there will be once those that break a limit are cut in turn */
static PetscInt PartitionForesee(PlexPartition *p, PetscInt nparts, const PetscInt start[], const int sorted[],
                                 PetscInt *over, double *mean, double *most)
{
  PetscInt foreseen = 0;

  *over = 0;
  *mean = 0.;
  *most = 0.;
  for (PetscInt k = 0; k < nparts; ++k) {
    const double fill = PartitionFill(p, start[k + 1] - start[k], &sorted[start[k]]);

    if (fill > 1.) ++*over;
    *mean += fill / (double)nparts;
    *most = PetscMax(*most, fill);
    foreseen += (PetscInt)PetscMax(1., ceil(fill));
  }
  return foreseen;
}

/* Cuts items by METIS: start[nparts+1], sorted[n]. If the number is capped, into nparts. Else into nparts and then into
   more, and the try that predicts the fewest parts is taken */
static PetscErrorCode PartitionTry(PlexPartition *p, PetscInt n, const int items[], PetscBool capped, PetscInt *nparts,
                                   PetscInt start[], int sorted[])
{
  const PetscInt limit = PetscMax(2, PetscMin(n / PARTITION_FEW, 2 * PARTITION_CAP));
  PetscInt       np = *nparts, fewest = PETSC_INT_MAX, worse = 0;
  idx_t         *part, *best;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &part, n, &best));
  for (PetscInt tries = 0; tries < PARTITION_TRIES && worse < 2; ++tries) {
    PetscInt over, foreseen;
    double   mean, most;

    PetscCall(PartitionMetis(p, n, items, np, part));
    PetscCall(PartitionSort(n, items, part, np, start, sorted));
    if (capped) break;
    foreseen = PartitionForesee(p, np, start, sorted, &over, &mean, &most);
    if (foreseen < fewest) {
      fewest  = foreseen;
      *nparts = np;
      PetscCall(PetscArraycpy(best, part, n));
      worse = 0;
    } else ++worse;
    if (!over || np == limit) break;
    if (2 * over > np) np = (PetscInt)PetscMax(np + 1., np * mean * sqrt(mean)); /* smaller parts have more border */
    else np += 1 + PetscMin(over / 4, (PetscInt)(np * (most - 1.)));
    np = PetscMin(np, limit);
  }
  if (!capped) PetscCall(PartitionSort(n, items, best, *nparts, start, sorted));
  PetscCall(PetscFree2(part, best));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PartitionCut(PlexPartition *p, PetscInt n, const int items[])
{
  PetscInt  nparts, *start;
  int      *sorted;
  double    suggested;
  PetscBool capped;

  PetscFunctionBegin;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  suggested = PartitionFill(p, n, items);
  if (suggested <= 1.) {
    PetscCall(PartitionEmit(p, n, items));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCheck(n > 1, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
             "Element %d alone has more than the %" PetscInt_FMT
             " nodes that a part may hold: choose a strategy that needs no partition, e.g. local_nz",
             items[0], p->maxTouched);
  suggested *= p->overhead;
  capped = suggested > PARTITION_CAP ? PETSC_TRUE : PETSC_FALSE;
  nparts = capped ? (PetscInt)PetscMin(PARTITION_CAP, ceil(suggested / (PARTITION_CAP / 4)))
                  : (PetscInt)ceil(suggested);
  nparts = PetscMax(2, PetscMin(nparts, n / PARTITION_FEW));
  PetscCall(PetscMalloc2(2 * PARTITION_CAP + 1, &start, n, &sorted));
  PetscCall(PartitionTry(p, n, items, capped, &nparts, start, sorted));
  /* 0.995 lets it shrink again */
  if (!capped && nparts >= 16) p->overhead *= 0.995 * PetscMax(0.9, (double)nparts / suggested);
  for (PetscInt k = 0; k < nparts; ++k) {
    const PetscInt nk = start[k + 1] - start[k];

    if (nk < n) {
      PetscCall(PartitionCut(p, nk, &sorted[start[k]]));
    } else { /* METIS left all in one piece */
      PetscCall(PartitionCut(p, n / 2, items));
      PetscCall(PartitionCut(p, n - n / 2, &items[n / 2]));
    }
  }
  PetscCall(PetscFree2(start, sorted));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Parts in the order of their first items, so that neighbouring parts read neighbouring memory where the numbering
   allows it */
static PetscErrorCode PartitionFinish(PlexPartition *p, PlexLists *parts)
{
  PetscInt *at; /* [n] part that begins with this item, else -1 */

  PetscFunctionBegin;
  parts->n = p->nparts;
  PetscCall(PetscMalloc1(p->n, &at));
  for (PetscInt i = 0; i < p->n; ++i) at[i] = -1;
  for (PetscInt k = 0; k < p->nparts; ++k) at[p->items[p->partStart[k]]] = k;
  PetscCall(PetscMalloc1(p->nparts + 1, &parts->start));
  PetscCall(PetscMalloc1(p->n, &parts->items));
  parts->start[0] = 0;
  for (PetscInt i = 0, k = 0; i < p->n; ++i) {
    PetscInt n;

    if (at[i] < 0) continue;
    n = p->partStart[at[i] + 1] - p->partStart[at[i]];
    PetscCall(PetscArraycpy(&parts->items[parts->start[k]], &p->items[p->partStart[at[i]]], n));
    parts->start[k + 1] = parts->start[k] + n;
    ++k;
  }
  PetscCall(PetscFree(at));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* touching: the items that touch each thing */
PetscErrorCode PlexPartitionByMetis_Private(PlexPartition *p, const PlexLists *touching, PlexLists *parts)
{
  int *all;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(p->n, &p->local, p->n, &all, p->n, &p->items, p->ntouch, &p->stamp));
  PetscCall(PetscArrayzero(p->stamp, p->ntouch));
  PetscCall(PetscCalloc1(1, &p->partStart));
  for (PetscInt i = 0; i < p->n; ++i) {
    p->local[i] = -1;
    all[i]      = (int)i;
  }
  p->overhead = 1.;
  PetscCall(PartitionGraph(p, touching));
  PetscCall(PartitionCut(p, p->n, all));
  PetscCall(PartitionFinish(p, parts));
  PetscCall(PetscFree(p->adjStart));
  PetscCall(PetscFree(p->adj));
  PetscCall(PetscFree(p->partStart));
  PetscCall(PetscFree4(p->local, all, p->items, p->stamp));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#else

/* Runs of the items in their order */
PetscErrorCode PlexPartitionByMetis_Private(PlexPartition *p, const PlexLists *touching, PlexLists *parts)
{
  int *order;

  PetscFunctionBegin;
  (void)touching;
  PetscCall(PetscMalloc1(p->n, &order));
  for (PetscInt i = 0; i < p->n; ++i) order[i] = (int)i;
  PetscCall(PlexPartitionRuns_Private(p, order, parts));
  PetscCall(PetscFree(order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
