/* Items of each part, in passes; the scatter arrays that bring their nodal data (Cecka 4.3.1). */
#include "shared.h"

#define PLEX_SHARED_GAP 6 /* rows of other parts that end a run: about what the quadrature points of another one cost */

PetscErrorCode PlexSharedGetSlots(PlexSharedBuild *build, PetscInt e)
{
  PetscFunctionBegin;
  if (build->slotsOf != e) PetscCall(PlexPatternGetElementSlots(build->asm_->pattern, e, build->slots));
  build->slotsOf = e;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cuts lists longer than `most` entries, so that few long ones do not keep the block waiting: a source is then fetched
   again. Lists begin[nl+1], sources[nl] become start[], pieces[]; returns their number */
static PetscInt PlexSharedCutLists(PetscInt nl, const PetscInt begin[], const int sources[], PetscInt most,
                                   PetscInt start[], int pieces[])
{
  PetscInt n = 0;

  start[0] = 0;
  for (PetscInt l = 0; l < nl; ++l) {
    for (PetscInt k = begin[l]; k < begin[l + 1]; k += most) {
      pieces[n]  = sources[l];
      start[++n] = PetscMin(k + most, begin[l + 1]);
    }
  }
  return n;
}

/*
  Source k, a coordinate node or dof, goes to place target[k]. Lists by source in ascending order, so that neighbouring
  threads fetch neighbouring numbers; in a list the order of k.
*/
static PetscErrorCode PlexSharedScatter(PlexSharedBuild *build, PetscInt n, const int source[], const int target[],
                                        int *rows, PetscInt *nsources)
{
  const PetscInt block  = build->product->block;
  int           *number = build->number, *sources, *targets, *pieces;
  PetscInt       ns     = 0, np, packed, *begin, *start;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(n, &targets, n, &pieces, n + 1, &begin, n + 1, &start));
  sources = build->sources;
  for (PetscInt k = 0; k < n; ++k) { /* whether it was there before is too irregular to branch on */
    sources[ns] = source[k];
    ns += number[source[k]] < 0;
    number[source[k]] = 0;
  }
  PlexSortInts(ns, sources, &sources[ns]);
  for (PetscInt s = 0; s < ns; ++s) number[sources[s]] = (int)s;
  PetscCall(PetscArrayzero(begin, ns + 1));
  for (PetscInt k = 0; k < n; ++k) ++begin[number[source[k]] + 1];
  for (PetscInt s = 0; s < ns; ++s) begin[s + 1] += begin[s];
  for (PetscInt k = 0; k < n; ++k) targets[begin[number[source[k]]]++] = target[k];
  for (PetscInt s = ns; s > 0; --s) begin[s] = begin[s - 1];
  begin[0] = 0;
  np       = PlexSharedCutLists(ns, begin, sources, PetscMax(3, (n + ns) / block), start, pieces);
  PetscCall(PlexPackScatter(np, start, targets, pieces, block, &build->entries, &packed));
  for (PetscInt s = 0; s < ns; ++s) number[sources[s]] = -1;
  build->plan->padding += (double)packed * block - n - np;
  *rows     = (int)packed;
  *nsources = ns;
  PetscCall(PetscFree4(targets, pieces, begin, start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexSharedScatters(PlexSharedBuild *build, PlexSharedPass *pass)
{
  PlexElements   elements = build->asm_->elements;
  const PetscInt NV = elements->Nv, EF = elements->ef, dim = elements->cdim, stride = build->plan->stride;
  PetscInt       n = 0, ns;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < build->nitem; ++k) {
    for (PetscInt v = 0; v < NV; ++v, ++n) {
      build->key[n]   = elements->vertices[build->item[k].e * NV + v];
      build->value[n] = (int)(build->item[k].base + v * dim * stride);
    }
  }
  PetscCall(PlexSharedScatter(build, n, build->key, build->value, &pass->coordinates, &ns));
  build->product->bytes += 8.0 * dim * ns;
  n = 0;
  for (PetscInt k = 0; k < build->nitem; ++k) {
    for (PetscInt i = 0; i < EF; ++i, ++n) {
      build->key[n]   = elements->dofs[build->item[k].e * EF + i];
      build->value[n] = (int)(build->item[k].base + (NV * dim + i) * stride);
    }
  }
  PetscCall(PlexSharedScatter(build, n, build->key, build->value, &pass->dofs, &ns));
  build->product->bytes += 8.0 * ns;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The items gathered so far become a pass */
static PetscErrorCode PlexSharedEndPass(PlexSharedBuild *build)
{
  PlexSharedPlan *plan = build->plan;
  PlexSharedPass *pass;
  int            *records;

  PetscFunctionBegin;
  if (!build->nitem) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(plan->passes < PETSC_INT32_MAX && plan->nitems + build->nitem < PETSC_INT32_MAX, PETSC_COMM_SELF,
             PETSC_ERR_SUP, "More than 2^31 items of shared memory: distribute the mesh over more ranks");
  PetscCall(PetscSegBufferGet(build->passes, 1, &pass));
  PetscCall(PetscMemzero(pass, sizeof(*pass)));
  pass->entries = (long long)build->entries.n;
  pass->lists   = build->nlists;
  pass->slice   = (int)build->nslices;
  pass->items   = (int)build->nitem;
  pass->item    = (int)plan->nitems;
  if (build->asm_->elements->ea) {
    PetscCall(PetscSegBufferGet(build->elements, build->nitem, &records));
    for (PetscInt k = 0; k < build->nitem; ++k) records[k] = (int)build->item[k].e;
    build->product->bytes += (4.0 + 12.0 * build->asm_->elements->ea) * build->nitem;
  }
  if (plan->chunked) {
    PetscCall(PetscSegBufferGet(build->items, build->nitem, &records));
    for (PetscInt k = 0; k < build->nitem; ++k) {
      records[2 * k]     = (int)build->item[k].base;
      records[2 * k + 1] = (int)(build->item[k].first + 65536 * build->item[k].n);
    }
  }
  PetscCall(PlexSharedScatters(build, pass));
  if (build->row) PetscCall(PlexSharedRows(build, pass));
  else PetscCall(PlexSharedReduction(build, pass));
  ++plan->passes;
  plan->nitems += build->nitem;
  plan->used   = PetscMax(plan->used, build->used);
  build->nitem = build->used = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexSharedAddItem(PlexSharedBuild *build, PetscInt e, PetscInt first, PetscInt n)
{
  PlexSharedPlan *plan        = build->plan;
  const PetscBool interleaved = (PetscBool)(plan->stride > 1);
  const PetscInt  size        = plan->chunked ? PetscMax(plan->nodal, n * build->asm_->elements->ef) : plan->region;
  PlexSharedItem *item;

  PetscFunctionBegin;
  if (build->nitem == plan->items || (!interleaved && build->used + size > plan->capacity))
    PetscCall(PlexSharedEndPass(build));
  item        = &build->item[build->nitem];
  item->e     = e;
  item->first = first;
  item->n     = n;
  item->base  = interleaved ? build->nitem : build->used;
  ++build->nitem;
  build->used = interleaved ? plan->stride * plan->region : build->used + size;
  plan->nrows += (double)n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The element, or as many runs of its rows as hold those that the part owns */
static PetscErrorCode PlexSharedAddElement(PlexSharedBuild *build, PetscInt e)
{
  const PetscInt EF    = build->asm_->elements->ef;
  const int     *dofs  = &build->asm_->elements->dofs[e * EF];
  PetscInt       first = -1, last = -1, owned = 0;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < EF; ++i) {
    if (build->part[dofs[i]] != build->b) continue;
    ++owned;
    if (first >= 0 && build->plan->chunked && (i - last > PLEX_SHARED_GAP || i - first >= build->plan->rows)) {
      PetscCall(PlexSharedAddItem(build, e, first, last + 1 - first));
      first = -1;
    }
    if (first < 0) first = i;
    last = i;
  }
  if (owned) build->plan->elements += 1;
  if (owned && build->plan->chunked) PetscCall(PlexSharedAddItem(build, e, first, last + 1 - first));
  else if (owned) PetscCall(PlexSharedAddItem(build, e, 0, EF));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of the part as they are written when all passes are done */
static PetscErrorCode PlexSharedAddOut(PlexSharedBuild *build)
{
  const PetscInt b = build->b;
  int           *out;

  PetscFunctionBegin;
  PetscCall(PetscSegBufferGet(build->out, build->dofStart[b + 1] - build->dofStart[b], &out));
  for (PetscInt o = build->dofStart[b]; o < build->dofStart[b + 1]; ++o, out += 3) {
    out[0] = (int)PlexSharedFirst(build, build->order[o]);
    out[1] = build->local[build->order[o]];
    out[2] = (int)PlexSharedLength(build, build->order[o]);
  }
  build->covered += (double)build->targets[b];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fetches what is read of the dofs of parts that come later, and of the rows of the next one, whose places have come by
   now */
static void PlexSharedFetchParts(const PlexSharedBuild *build)
{
  const PlexPattern pattern = build->product->kind == PLEX_JACOBIAN ? build->asm_->pattern : NULL;
  const PetscInt   *start = build->dofStart, b = build->b, last = build->plan->parts;

  for (PetscInt o = start[PetscMin(b + 1, last)]; pattern && o < start[PetscMin(b + 2, last)]; ++o) {
    const PetscInt *i = &pattern->i[pattern->row[build->order[o]]];

    PlexFetch(&pattern->j[i[0]]);
    PlexFetch(&pattern->j[i[1] - 1]);
  }
  for (PetscInt o = start[PetscMin(b + 2, last)]; pattern && o < start[PetscMin(b + 3, last)]; ++o)
    PlexFetch(&pattern->i[pattern->row[build->order[o]]]);
  for (PetscInt o = start[PetscMin(b + 3, last)]; o < start[PetscMin(b + 4, last)]; ++o) {
    const int l = build->order[o];

    PlexFetch(&build->part[l]);
    PlexFetch(&build->local[l]);
    if (!pattern) continue;
    PlexFetch(&pattern->row[l]);
    PlexFetch(&pattern->column[l]);
  }
}

PetscErrorCode PlexSharedBuildPasses(PlexSharedBuild *build)
{
  PlexSharedPlan *plan = build->plan;

  PetscFunctionBegin;
  build->start[0] = build->outStart[0] = 0;
  for (build->b = 0; build->b < plan->parts; ++build->b) {
    const PetscInt b = build->b, passes = plan->passes;

    PetscCall(PetscArrayzero(build->seen, build->targets[b]));
    build->again = PETSC_FALSE;
    PlexSharedFetchParts(build);
    for (PetscInt k = build->around.start[b]; k < build->around.start[b + 1]; ++k) {
      if (k + PLEX_FETCH_AHEAD < build->around.start[plan->parts]) {
        PlexFetch(&build->asm_->elements->dofs[(size_t)build->around.items[k + PLEX_FETCH_AHEAD] *
                                               build->asm_->elements->ef]);
        PlexFetch(&build->asm_->elements->vertices[(size_t)build->around.items[k + PLEX_FETCH_AHEAD] *
                                                   build->asm_->elements->Nv]);
      }
      PetscCall(PlexSharedAddElement(build, build->around.items[k]));
    }
    PetscCall(PlexSharedEndPass(build));
    if (plan->sums) PetscCall(PlexSharedAddOut(build));
    build->start[b + 1]    = (int)plan->passes;
    build->outStart[b + 1] = (int)build->dofStart[b + 1];
    plan->mostPasses       = PetscMax(plan->mostPasses, plan->passes - passes);
  }
  plan->zero   = (PetscBool)((build->row && !plan->sums) ||
                             build->covered <
                               (double)(build->product->Nt -
                                        (build->product->kind == PLEX_JACOBIAN ? build->asm_->pattern->unused : 0)));
  plan->packed = (double)build->entries.n;
  PetscFunctionReturn(PETSC_SUCCESS);
}
