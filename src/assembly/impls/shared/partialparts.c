/*
  What parts of the mesh sum, one after the other (shared_nz by partial sums).

  A part has a row alone if it has all elements around its dof. Other rows are owned by the last of their parts. What a
  part receives lies there sender by sender: sums of one number, of two, then of more, each in the order of rows, so
  that what is received of a row is in up to three runs from each sender.
*/
#include "partialimpl.h"
#include "../../../dm/elementsimpl.h" /* PlexPatternLength() */

#define PLEX_PARTIAL_LINES ((size_t)PETSC_INT32_MAX) /* of codes, most */
/* sums of a class from one sender take a multiple of so many: a line of the cache */
#define PLEX_PARTIAL_PLACES 16

/* What a part receives of a row from one sender: partial sums side by side */
typedef struct {
  int first; /* among all that it receives */
  int n, at; /* so many, and where their targets are, counted in the row */
  int next;  /* run of the row, or -1 */
} PlexPartialRun;

typedef struct {
  int part, next;
} PlexPartialSender;

/* A row that is sent, or one that the part has: owner -1 if alone; its first target */
typedef struct {
  int owner, d, first;
} PlexPartialRow;

/* A partial sum: of a dof of the part, which of the row's targets, and its codes */
typedef struct {
  int d, target, n, codes;
} PlexPartialSum;

/* While the plan is made */
typedef struct {
  const PlexPartialLayout *layout;
  PlexPartial             *plan;
  PlexPartialLists         lists;
  PetscInt                 ef;
  int                     *count;               /* [Nl] elements around a dof */
  int                     *owner;               /* [Nl] last part that has one of them */
  int                     *number;              /* [Nl] of a part's dofs, -1 between parts */
  PetscInt                 ndofs;               /* dofs of the part that have rows, */
  int                     *dofs;                /* [elements ef] */
  int                     *rowStart, *rowItems; /* rows of element matrices of each: element ef + dof */
  int                     *slots;               /* [elements][ef][ef] */
  unsigned short          *codes;               /* [elements][ef][ef] of targets, one after the other */
  PlexPartialRow          *sent, *kept;         /* [elements ef] */
  PlexPartialSum          *partial;             /* [elements][ef][ef] */

  int               *nreceived; /* [parts] places of what each receives; */
  int               *sender;    /* [parts] from whom: the last one in `senders`, or -1 */
  PlexPartialSender *senders;
  size_t             nsenders, maxSenders;
  int               *run; /* [Nl] the last run of what the owner receives of a row, or -1 */
  PlexPartialRun    *runs;
  size_t             nruns, maxRuns;
  unsigned short    *places; /* of all runs the targets */
  size_t             nplaces, maxPlaces;
  int               *sums; /* of the present targets the partial sums, one after the other */
  int               *from; /* [parts] senders of the part */
  size_t             maxSums;
  /* [targets + 1] of rows that are neighbours: where the codes of each target begin, and its partial sums */
  int   *targetStart, *sumStart;
  size_t maxTargets, maxSumTargets;
} PlexPartialBuild;

/* Room for n things of so many bytes; *most: for how many there is */
static PetscErrorCode PlexPartialGrow(size_t n, size_t bytes, size_t *most, void *things)
{
  PetscFunctionBegin;
  if (n <= *most) PetscFunctionReturn(PETSC_SUCCESS);
  *most = 2 * n;
  PetscCall(PetscRealloc(bytes * *most, (void **)things));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A part */

/* Its dofs with rows, and the rows of element matrices that each has; slots of its elements */
static PetscErrorCode PlexPartialBeginPart(PlexPartialBuild *build, PetscInt part)
{
  const PlexPartialLayout *layout = build->layout;
  PlexElements             el     = layout->asm_->elements;
  const PlexBlocks        *blocks = layout->blocks;
  const PetscInt first = blocks->elementStart[part], n = blocks->elementStart[part + 1] - first, ef = build->ef;

  PetscFunctionBegin;
  build->ndofs = 0;
  PlexPartialListsBegin_Private(&build->lists);
  PetscCall(PetscArrayzero(build->rowStart, layout->elements * ef + 1));
  for (PetscInt k = 0; k < n; ++k) {
    const PetscInt e = blocks->elements[first + k];

    if (e < 0) continue;
    PetscCall(PlexPatternGetElementSlots(layout->asm_->pattern, e, &build->slots[k * ef * ef]));
    for (PetscInt i = 0; i < ef; ++i) {
      const int l = el->dofs[e * ef + i];

      if (layout->asm_->pattern->row[l] < 0) continue;
      if (build->number[l] < 0) {
        build->number[l]            = (int)build->ndofs;
        build->dofs[build->ndofs++] = l;
      }
      build->rowStart[build->number[l] + 1]++;
    }
  }
  for (PetscInt d = 0; d < build->ndofs; ++d) build->rowStart[d + 1] += build->rowStart[d];
  for (PetscInt k = 0; k < n; ++k) {
    const PetscInt e = blocks->elements[first + k];

    for (PetscInt i = 0; e >= 0 && i < ef; ++i) {
      const int d = build->number[el->dofs[e * ef + i]];

      if (d >= 0) build->rowItems[build->rowStart[d]++] = (int)(k * ef + i);
    }
  }
  for (PetscInt d = build->ndofs; d > 0; --d) build->rowStart[d] = build->rowStart[d - 1];
  build->rowStart[0] = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Codes of each target of a row, in the order of elements: those of target t are codes[start[t] .. start[t + 1]) */
static PetscErrorCode PlexPartialRowCodes(PlexPartialBuild *build, PetscInt d, PetscInt length, int start[],
                                          unsigned short codes[])
{
  const PlexPartialLayout *layout  = build->layout;
  PlexPattern              pattern = layout->asm_->pattern;
  const PetscInt           ef = build->ef, begin = pattern->i[pattern->row[build->dofs[d]]];

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(start, length + 1));
  for (PetscInt pass = 0; pass < 2; ++pass) {
    for (PetscInt r = build->rowStart[d]; r < build->rowStart[d + 1]; ++r) {
      const int      item  = build->rowItems[r];
      const int     *slots = &build->slots[(PetscInt)item * ef];
      const PetscInt k = item / ef, i = item % ef;

      for (PetscInt j = 0; j < ef; ++j) {
        if (slots[j] < 0) continue;
        if (!pass) start[slots[j] - begin + 1]++;
        else
          codes[start[slots[j] - begin]++] = (unsigned short)((k / PLEX_PARTIAL_LANES * layout->places +
                                                               layout->place[i * ef + j]) *
                                                                PLEX_PARTIAL_LANES +
                                                              ((k + layout->shift[i * ef + j]) % PLEX_PARTIAL_LANES ^
                                                               layout->turn[i * ef + j]));
      }
    }
    if (!pass)
      for (PetscInt t = 0; t < length; ++t) start[t + 1] += start[t];
  }
  for (PetscInt t = length; t > 0; --t) start[t] = start[t - 1];
  start[0] = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Targets of rows that the part has alone, 32 of them at most; start[]: of their codes */
static PetscErrorCode PlexPartialAddAlone(PlexPartialBuild *build, PetscInt first, PetscInt n, const int start[])
{
  const unsigned short *codes = build->codes;
  PetscBool             some  = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) {
    const PetscInt m = start[k + 1] - start[k];

    build->plan->alone += m > 0;
    if (m > 2) {
      unsigned *rest;

      PetscCall(PlexPartialAddRest_Private(&build->lists.rest, (unsigned)(first + k), -1, m, &rest));
      for (PetscInt c = 0; c < m; ++c) rest[c] = codes[start[k] + c];
    } else if (m) some = PETSC_TRUE;
  }
  if (!some) PetscFunctionReturn(PETSC_SUCCESS);
  PlexPartialAddChunk_Private(&build->lists, PLEX_PARTIAL_ALONE, (int)first, -1);
  for (PetscInt k = 0; k < n; ++k)
    if (start[k + 1] - start[k] <= 2)
      PlexPartialPutCodes_Private(&build->lists, PLEX_PARTIAL_ALONE, k, start[k + 1] - start[k], &codes[start[k]],
                                  PLEX_PARTIAL_NONE);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Partial sums of the n rows of one owner */
static PetscErrorCode PlexPartialSendRows(PlexPartialBuild *build, PetscInt part, PetscInt n,
                                          const PlexPartialRow rows[])
{
  PlexPattern pattern = build->layout->asm_->pattern;
  const int   owner   = rows[0].owner;
  PetscInt    nsums = 0, ncodes = 0;

  PetscFunctionBegin;
  for (PetscInt r = 0; r < n; ++r) {
    const PetscInt d = rows[r].d, length = PlexPatternLength(pattern, pattern->row[build->dofs[d]]);
    int           *start;

    PetscCall(PlexPartialGrow((size_t)length + 1, sizeof(*build->targetStart), &build->maxTargets,
                              &build->targetStart));
    start = build->targetStart;
    PetscCall(PlexPartialRowCodes(build, d, length, start, &build->codes[ncodes]));
    for (PetscInt k = 0; k < length; ++k)
      if (start[k + 1] > start[k])
        build->partial[nsums++] = (PlexPartialSum){(int)d, (int)k, start[k + 1] - start[k], (int)ncodes + start[k]};
    ncodes += start[length];
  }
  build->plan->sums += (double)nsums;
  PetscCall(PlexPartialGrow(build->nplaces + (size_t)nsums, sizeof(*build->places), &build->maxPlaces, &build->places));
  PetscCall(PlexPartialGrow(build->nruns + (size_t)(PLEX_PARTIAL_CLASSES * n), sizeof(*build->runs), &build->maxRuns,
                            &build->runs));
  for (PetscInt class = 0; class < PLEX_PARTIAL_CLASSES; ++class) {
    const int first = build->nreceived[owner];
    int       at = first, d = -1;

    for (PetscInt k = 0; k < nsums; ++k) {
      const PlexPartialSum *sum  = &build->partial[k];
      const unsigned short *from = &build->codes[sum->codes];

      if (PetscMin(sum->n, PLEX_PARTIAL_CLASSES) != class + 1) continue;
      if (class < PLEX_PARTIAL_CLASSES - 1) {
        if ((at - first) % PLEX_PARTIAL_LINE == 0)
          PlexPartialAddChunk_Private(&build->lists, PLEX_PARTIAL_SENT_1 + class, at, owner);
        PlexPartialPutCodes_Private(&build->lists, PLEX_PARTIAL_SENT_1 + class, (at - first) % PLEX_PARTIAL_LINE,
                                    sum->n, from, PLEX_PARTIAL_NONE);
      } else {
        unsigned *rest;

        PetscCall(PlexPartialAddRest_Private(&build->lists.rest, PLEX_PARTIAL_SUM | (unsigned)at, owner, sum->n,
                                             &rest));
        for (PetscInt c = 0; c < sum->n; ++c) rest[c] = from[c];
      }
      if (sum->d != d) {
        const int l = build->dofs[sum->d];

        d                         = sum->d;
        build->runs[build->nruns] = (PlexPartialRun){at, 0, (int)build->nplaces, build->run[l]};
        build->run[l]             = (int)build->nruns++;
      }
      build->runs[build->nruns - 1].n++;
      build->places[build->nplaces++] = (unsigned short)sum->target;
      ++at;
    }
    build->nreceived[owner] += (at - first + PLEX_PARTIAL_PLACES - 1) / PLEX_PARTIAL_PLACES * PLEX_PARTIAL_PLACES;
  }
  PetscCall(PlexPartialGrow(build->nsenders + 1, sizeof(*build->senders), &build->maxSenders, &build->senders));
  build->senders[build->nsenders] = (PlexPartialSender){(int)part, build->sender[owner]};
  build->sender[owner]            = (int)build->nsenders++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of each target of a row which partial sums the part receives: sums[start[target] .. start[target + 1]), behind
   `first` others */
static PetscErrorCode PlexPartialReceived(PlexPartialBuild *build, int l, PetscInt length, PetscInt first, int start[])
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(start, length + 1));
  for (int r = build->run[l]; r >= 0; r = build->runs[r].next)
    for (int k = 0; k < build->runs[r].n; ++k) start[build->places[build->runs[r].at + k] + 1]++;
  start[0] = (int)first;
  for (PetscInt t = 0; t < length; ++t) start[t + 1] += start[t];
  PetscCall(PlexPartialGrow((size_t)start[length], sizeof(*build->sums), &build->maxSums, &build->sums));
  for (int r = build->run[l]; r >= 0; r = build->runs[r].next)
    for (int k = 0; k < build->runs[r].n; ++k)
      build->sums[start[build->places[build->runs[r].at + k]]++] = build->runs[r].first + k;
  for (PetscInt t = length; t > 0; --t) start[t] = start[t - 1];
  start[0] = (int)first;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Targets of rows that the part owns, 32 of them at most; start[], sumStart[]: of their codes, and of their partial
   sums */
static PetscErrorCode PlexPartialAddOwned(PlexPartialBuild *build, PetscInt first, PetscInt n, const int start[],
                                          const int sumStart[])
{
  const unsigned short *codes = build->codes;
  const int            *sums  = build->sums;
  PetscBool             fits[PLEX_PARTIAL_LINE];
  PetscBool             some = PETSC_FALSE;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) {
    const PetscInt numbers = start[k + 1] - start[k], received = sumStart[k + 1] - sumStart[k];

    build->plan->owned += numbers + received > 0;
    fits[k] = (PetscBool)(numbers + received > 0 && numbers <= 2 && received <= 1 &&
                          (!received || sums[sumStart[k]] < PLEX_PARTIAL_NONE));
    if (fits[k]) some = PETSC_TRUE;
    else if (numbers + received) {
      unsigned *mixed;

      build->plan->mixed++;
      PetscCall(PlexPartialAddRest_Private(&build->lists.mixed, (unsigned)(first + k), -1, numbers + received, &mixed));
      for (PetscInt c = 0; c < numbers; ++c) mixed[c] = codes[start[k] + c];
      for (PetscInt c = 0; c < received; ++c) mixed[numbers + c] = PLEX_PARTIAL_SUM | (unsigned)sums[sumStart[k] + c];
    }
  }
  if (!some) PetscFunctionReturn(PETSC_SUCCESS);
  PlexPartialAddChunk_Private(&build->lists, PLEX_PARTIAL_OWNED, (int)first, -1);
  for (PetscInt k = 0; k < n; ++k)
    if (fits[k])
      PlexPartialPutCodes_Private(&build->lists, PLEX_PARTIAL_OWNED, k, start[k + 1] - start[k], &codes[start[k]],
                                  (unsigned short)(sumStart[k + 1] > sumStart[k] ? sums[sumStart[k]]
                                                                                 : PLEX_PARTIAL_NONE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int PlexPartialCompareRows(const void *a, const void *b)
{
  const PlexPartialRow *p = (const PlexPartialRow *)a, *q = (const PlexPartialRow *)b;

  return p->owner != q->owner ? (p->owner < q->owner ? -1 : 1) : (p->first > q->first) - (p->first < q->first);
}

/* Rows whose targets are neighbours, all alone or all owned: chunks know nothing of where a row ends */
static PetscErrorCode PlexPartialAddNeighbours(PlexPartialBuild *build, PetscInt n, const PlexPartialRow rows[])
{
  PlexPattern     pattern  = build->layout->asm_->pattern;
  const PetscBool alone    = (PetscBool)(rows[0].owner < 0);
  PetscInt        ntargets = 0, ncodes = 0, nsums = 0;

  PetscFunctionBegin;
  for (PetscInt r = 0; r < n; ++r) {
    const int      l      = build->dofs[rows[r].d];
    const PetscInt length = PlexPatternLength(pattern, pattern->row[l]);
    int           *start;

    PetscCall(PlexPartialGrow((size_t)(ntargets + length + 1), sizeof(*build->targetStart), &build->maxTargets,
                              &build->targetStart));
    start = &build->targetStart[ntargets];
    PetscCall(PlexPartialRowCodes(build, rows[r].d, length, start, &build->codes[ncodes]));
    for (PetscInt t = 0; t <= length; ++t) start[t] += (int)ncodes;
    ncodes = start[length];
    if (!alone) {
      PetscCall(PlexPartialGrow((size_t)(ntargets + length + 1), sizeof(*build->sumStart), &build->maxSumTargets,
                                &build->sumStart));
      PetscCall(PlexPartialReceived(build, l, length, nsums, &build->sumStart[ntargets]));
      nsums = build->sumStart[ntargets + length];
    }
    ntargets += length;
  }
  for (PetscInt first = 0; first < ntargets; first += PLEX_PARTIAL_LINE) {
    const PetscInt some = PetscMin(PLEX_PARTIAL_LINE, ntargets - first);

    if (alone) PetscCall(PlexPartialAddAlone(build, rows[0].first + first, some, &build->targetStart[first]));
    else
      PetscCall(PlexPartialAddOwned(build, rows[0].first + first, some, &build->targetStart[first],
                                    &build->sumStart[first]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows that the part has alone or owns, and what it sends of the others */
static PetscErrorCode PlexPartialAddRows(PlexPartialBuild *build, PetscInt part)
{
  PlexPattern pattern = build->layout->asm_->pattern;
  PetscInt    nsent = 0, nkept = 0;

  PetscFunctionBegin;
  for (PetscInt d = 0; d < build->ndofs; ++d) {
    const int       l = build->dofs[d], first = (int)pattern->i[pattern->row[l]];
    const PetscBool alone = (PetscBool)(build->rowStart[d + 1] - build->rowStart[d] == build->count[l]);

    if (build->owner[l] == part) build->kept[nkept++] = (PlexPartialRow){alone ? -1 : build->owner[l], (int)d, first};
    else build->sent[nsent++] = (PlexPartialRow){build->owner[l], (int)d, first};
  }
  qsort(build->kept, (size_t)nkept, sizeof(*build->kept), PlexPartialCompareRows);
  for (PetscInt k = 0, end; k < nkept; k = end) {
    for (end = k + 1; end < nkept && build->kept[end].owner == build->kept[k].owner; ++end) {
      const PetscInt row = pattern->row[build->dofs[build->kept[end - 1].d]];

      if (build->kept[end].first != build->kept[end - 1].first + PlexPatternLength(pattern, row) ||
          build->kept[end].first == pattern->nA)
        break;
    }
    PetscCall(PlexPartialAddNeighbours(build, end - k, &build->kept[k]));
  }
  qsort(build->sent, (size_t)nsent, sizeof(*build->sent), PlexPartialCompareRows);
  for (PetscInt k = 0, end; k < nsent; k = end) {
    for (end = k; end < nsent && build->sent[end].owner == build->sent[k].owner; ++end);
    PetscCall(PlexPartialSendRows(build, part, end - k, &build->sent[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexPartialEndPart(PlexPartialBuild *build, PetscInt p, PlexPartialPart *part)
{
  PetscInt n = 0;

  PetscFunctionBegin;
  for (int k = build->sender[p]; k >= 0; k = build->senders[k].next) build->from[n++] = build->senders[k].part;
  PetscCall(PlexPartialListsEnd_Private(&build->lists, n, build->from, part));
  part->received  = (int)build->plan->room;
  part->nreceived = build->nreceived[p];
  build->plan->room += (double)build->nreceived[p];
  for (PetscInt d = 0; d < build->ndofs; ++d) build->number[build->dofs[d]] = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- All of it */

static PetscErrorCode PlexPartialBuildCreate(const PlexPartialLayout *layout, PlexPartial *plan,
                                             PlexPartialBuild *build)
{
  const PlexBlocks *blocks = layout->blocks;
  PlexElements      el     = layout->asm_->elements;
  const PetscInt    ef = el->ef, rows = layout->elements * ef, all = rows * ef, nparts = PetscMax(1, blocks->nblocks);

  PetscFunctionBegin;
  *build = (PlexPartialBuild){.layout = layout, .plan = plan, .ef = ef};
  PetscCall(PlexPartialListsCreate_Private(layout, &build->lists));
  PetscCall(PetscCalloc1(el->Nl, &build->count));
  PetscCall(PetscMalloc3(el->Nl, &build->owner, el->Nl, &build->number, el->Nl, &build->run));
  for (PetscInt l = 0; l < el->Nl; ++l) build->owner[l] = build->number[l] = build->run[l] = -1;
  for (PetscInt k = 0; k < el->Ne * ef; ++k) build->count[el->dofs[k]]++;
  for (PetscInt p = 0; p < blocks->nblocks; ++p)
    for (PetscInt k = blocks->elementStart[p]; k < blocks->elementStart[p + 1]; ++k)
      for (PetscInt i = 0; blocks->elements[k] >= 0 && i < ef; ++i)
        build->owner[el->dofs[blocks->elements[k] * ef + i]] = (int)p;
  PetscCall(PetscMalloc5(rows, &build->dofs, rows + 1, &build->rowStart, rows, &build->rowItems, rows, &build->sent,
                         rows, &build->kept));
  PetscCall(PetscMalloc3(all, &build->slots, all, &build->codes, all, &build->partial));
  PetscCall(PetscCalloc1(nparts, &build->nreceived));
  PetscCall(PetscMalloc2(nparts, &build->sender, nparts, &build->from));
  for (PetscInt p = 0; p < nparts; ++p) build->sender[p] = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexPartialBuildDestroy(PlexPartialBuild *build)
{
  PetscFunctionBegin;
  PetscCall(PlexPartialListsDestroy_Private(&build->lists));
  PetscCall(PetscFree(build->count));
  PetscCall(PetscFree3(build->owner, build->number, build->run));
  PetscCall(PetscFree5(build->dofs, build->rowStart, build->rowItems, build->sent, build->kept));
  PetscCall(PetscFree3(build->slots, build->codes, build->partial));
  PetscCall(PetscFree(build->targetStart));
  PetscCall(PetscFree(build->sumStart));
  PetscCall(PetscFree(build->nreceived));
  PetscCall(PetscFree2(build->sender, build->from));
  PetscCall(PetscFree(build->senders));
  PetscCall(PetscFree(build->runs));
  PetscCall(PetscFree(build->places));
  PetscCall(PetscFree(build->sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPartialFill_Private(const PlexPartialLayout *layout, PlexPartial *plan, PetscBool *serves)
{
  PlexAssembly     asm_   = layout->asm_;
  const PetscInt   nparts = layout->blocks->nblocks;
  PlexPartialBuild build;
  PlexPartialPart *parts;
  unsigned        *sent;

  PetscFunctionBegin;
  PetscCall(PlexPartialBuildCreate(layout, plan, &build));
  PetscCall(PetscMalloc1(PetscMax(1, nparts), &parts));
  *serves = PETSC_TRUE;
  for (PetscInt part = 0; part < nparts && *serves; ++part) {
    PetscCall(PlexPartialBeginPart(&build, part));
    PetscCall(PlexPartialAddRows(&build, part));
    PetscCall(PlexPartialEndPart(&build, part, &parts[part]));
    *serves = (PetscBool)(build.lists.nlines < PLEX_PARTIAL_LINES &&
                          build.lists.nheads - parts[part].heads <= PETSC_UINT16_MAX &&
                          plan->room < PETSC_INT32_MAX / 2 && build.nplaces < PETSC_INT32_MAX / 2);
  }
  if (*serves) {
    plan->codes     = (double)(sizeof(*build.lists.stream) * PLEX_PARTIAL_LINE * build.lists.nlines +
                               sizeof(int) * (size_t)build.lists.nheads + sizeof(*parts) * (size_t)nparts);
    plan->conflicts = build.lists.turns / PetscMax(1., build.lists.reads);
    plan->zero      = (PetscBool)(plan->alone + plan->owned < (double)asm_->pattern->nnz);
    PetscCall(PlexPartialListsUpload_Private(&build.lists, parts, &plan->device));
    PetscCall(PlexBackendUpload(asm_->backend, parts, sizeof(*parts) * (size_t)nparts, (void **)&plan->device.parts));
    PetscCall(PetscCalloc1(PetscMax(1, nparts), &sent));
    PetscCall(PlexBackendUpload(asm_->backend, sent, sizeof(*sent) * (size_t)nparts, (void **)&plan->device.sent));
    PetscCall(PlexBackendUpload(asm_->backend, sent, sizeof(*sent), (void **)&plan->device.ticket));
    PetscCall(PetscFree(sent));
  }
  PetscCall(PetscFree(parts));
  PetscCall(PlexPartialBuildDestroy(&build));
  PetscFunctionReturn(PETSC_SUCCESS);
}
