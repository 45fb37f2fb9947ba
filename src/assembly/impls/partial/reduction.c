/*
  Interface reduction: what each block of elements sums, sends and receives (shared_nz:partial).

  A row is interior if one block has all elements around its dof. Other rows are owned by the last of their blocks, to
  which the others send their partial sums. Block by block:

    rows      its dofs: interior rows, rows that it owns, and those of each other owner, each in the order of the matrix
    entries   of these rows, and the codes of each one's numbers: count, scan, fill
    received  the partial sums of each entry, from the messages of the blocks before: count, scan, fill
    segments  entries side by side; in which list each entry is; messages to the owners

  A block receives sender by sender: sums of one number, of two, then of more, each in the order of the matrix.
*/
#include "partial.h"
#include "../../../dm/elementsimpl.h" /* PlexPatternLength() */

#define PLEX_PARTIAL_LINES ((size_t)PETSC_INT32_MAX) /* of codes, most */
/* sums of a class from one sender take a multiple of so many: a line of the cache */
#define PLEX_PARTIAL_PLACES 16

#define PLEX_ROWS_INTERIOR (-2)
#define PLEX_ROWS_OWNED    (-1)

typedef struct {
  int owner; /* block, of rows that are sent; else one of the above */
  int dof, first;
  int at; /* its first entry, among those of the block */
} PlexPartialRow;

/* Partial sums for an owner. Those of a class are of the entries[begin .. end) of the matrix, ascending, and are
   received side by side from `first` on */
typedef struct {
  int sender;
  struct {
    int begin, end, first;
  } of[PLEX_PARTIAL_CLASSES];
} PlexPartialMessage;

typedef struct {
  PlexAssembly asm_;
  PlexPartial *plan;
  PetscInt     ef;
  int         *around; /* [Nl] elements around a dof, */
  int         *owner;  /* [Nl] the last block that has one of them, */
  int         *row;    /* [Nl] and the number of its row in the present block, or -1 */
  /* to block b go the messages[messageStart[b] .. messageEnd[b]), by ascending senders */
  int                *messageStart, *messageEnd; /* [blocks + 1], [blocks] */
  PlexPartialMessage *messages;
  int                *nreceived; /* [blocks] places, so far */
  int                *sent;      /* [nsent] entries of all messages */
  size_t              nsent, mostSent;

  /* of the present block */
  PetscInt            nrows, nsegments;
  PlexPartialRow     *rows;     /* [elements ef] */
  PlexPartialSegment *segments; /* likewise */
  int                *slots;    /* [elements][ef][ef] */
  PlexPartialEntries  entries;
  size_t              mostEntries, mostSumEntries, mostLists, mostLongs, mostSums;
  PlexPartialLists    lists;
} PlexPartialBuild;

/* ---- Of all blocks: owners of rows, and how many messages each block receives */

static PetscErrorCode PlexPartialOwners(PlexPartialBuild *build)
{
  PlexElements      el     = build->asm_->elements;
  const PlexBlocks *blocks = &build->plan->blocks;
  const PetscInt    n = blocks->nblocks, ef = build->ef;
  int              *last; /* [blocks] the last one that sends to it */

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(el->Nl, &build->around));
  PetscCall(PetscMalloc2(el->Nl, &build->owner, el->Nl, &build->row));
  PetscCall(PetscCalloc2(n + 1, &build->messageStart, n + 1, &build->nreceived));
  PetscCall(PetscMalloc1(n, &build->messageEnd));
  PetscCall(PetscMalloc1(n, &last));
  for (PetscInt l = 0; l < el->Nl; ++l) build->owner[l] = build->row[l] = -1;
  for (PetscInt b = 0; b < n; ++b) last[b] = -1;
  for (PetscInt pass = 0; pass < 2; ++pass) {
    for (PetscInt b = 0; b < n; ++b) {
      for (PetscInt k = blocks->elementStart[b]; k < blocks->elementStart[b + 1]; ++k) {
        for (PetscInt i = 0; blocks->elements[k] >= 0 && i < ef; ++i) {
          const int l = el->dofs[blocks->elements[k] * ef + i], owner = build->owner[l];

          if (!pass) {
            build->around[l]++;
            build->owner[l] = (int)b;
          } else if (owner != b && build->asm_->pattern->row[l] >= 0 && last[owner] != b) {
            last[owner] = (int)b;
            build->messageStart[owner + 1]++;
          }
        }
      }
    }
  }
  for (PetscInt b = 0; b < n; ++b) build->messageStart[b + 1] += build->messageStart[b];
  PetscCall(PetscArraycpy(build->messageEnd, build->messageStart, n));
  PetscCall(PetscMalloc1(build->messageStart[n], &build->messages));
  PetscCall(PetscFree(last));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Rows of a block */

static int PlexPartialCompareRows(const void *a, const void *b)
{
  const PlexPartialRow *p = (const PlexPartialRow *)a, *q = (const PlexPartialRow *)b;

  return p->owner != q->owner ? (p->owner < q->owner ? -1 : 1) : (p->first > q->first) - (p->first < q->first);
}

static PetscErrorCode PlexPartialRows(PlexPartialBuild *build, PetscInt b)
{
  PlexElements        el      = build->asm_->elements;
  PlexPattern         pattern = build->asm_->pattern;
  const PlexBlocks   *blocks  = &build->plan->blocks;
  const PetscInt      first = blocks->elementStart[b], ef = build->ef;
  PlexPartialEntries *entries = &build->entries;
  PlexPartialRow     *rows    = build->rows;

  PetscFunctionBegin;
  build->nrows = 0;
  for (PetscInt k = 0; k < blocks->elementStart[b + 1] - first; ++k) {
    const PetscInt e = blocks->elements[first + k];

    if (e >= 0) PetscCall(PlexPatternGetElementSlots(pattern, e, &build->slots[k * ef * ef]));
    for (PetscInt i = 0; e >= 0 && i < ef; ++i) {
      const int l = el->dofs[e * ef + i];

      if (pattern->row[l] < 0) continue;
      if (build->row[l] < 0) {
        build->row[l]        = (int)build->nrows;
        rows[build->nrows++] = (PlexPartialRow){build->owner[l], l, (int)pattern->i[pattern->row[l]], 0};
      }
      rows[build->row[l]].at++; /* elements of the block around it */
    }
  }
  for (PetscInt r = 0; r < build->nrows; ++r)
    if (rows[r].owner == b)
      rows[r].owner = rows[r].at == build->around[rows[r].dof] ? PLEX_ROWS_INTERIOR : PLEX_ROWS_OWNED;
  qsort(rows, (size_t)build->nrows, sizeof(*rows), PlexPartialCompareRows);
  entries->n = 0;
  for (PetscInt r = 0; r < build->nrows; ++r) {
    build->row[rows[r].dof] = (int)r;
    rows[r].at              = (int)entries->n;
    entries->n += PlexPatternLength(pattern, pattern->row[rows[r].dof]);
  }
  PetscCall(PlexPartialGrow_Private((size_t)entries->n + 2, sizeof(int), &build->mostEntries, &entries->start));
  PetscCall(PlexPartialGrow_Private((size_t)entries->n + 2, sizeof(int), &build->mostSumEntries, &entries->sumStart));
  PetscCall(PlexPartialGrow_Private((size_t)entries->n + 2, 1, &build->mostLists, &entries->list));
  PetscCall(PlexPartialGrow_Private((size_t)entries->n + 2, sizeof(int), &build->mostLongs, &entries->longs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Entries: lists of n by count, scan and fill. Counts of list t are start[t + 2] and then, when the offsets of the
   lists are in their place, start[t + 1] moves from the beginning of list t to its end */

static void PlexPartialScan(PetscInt n, int start[])
{
  int sum = 0;

  for (PetscInt t = 0; t < n; ++t) start[t + 2] = sum += start[t + 2];
}

/* The codes of each entry, in the order of elements */
static PetscErrorCode PlexPartialNumbers(PlexPartialBuild *build, PetscInt b)
{
  PlexElements             el      = build->asm_->elements;
  const PlexBlocks        *blocks  = &build->plan->blocks;
  const PlexPartialLayout *layout  = &build->plan->layout;
  PlexPartialEntries      *entries = &build->entries;
  unsigned short          *codes   = entries->codes;
  const PetscInt           first = blocks->elementStart[b], n = blocks->elementStart[b + 1] - first, ef = build->ef;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(entries->start, entries->n + 2));
  for (PetscInt pass = 0; pass < 2; ++pass) {
    if (pass) PlexPartialScan(entries->n, entries->start);
    for (PetscInt k = 0; k < n; ++k) {
      const PetscInt e = blocks->elements[first + k], half = k / PLEX_PARTIAL_LANES * layout->places;

      for (PetscInt i = 0; e >= 0 && i < ef; ++i) {
        const int               r     = build->row[el->dofs[e * ef + i]];
        const int              *slots = &build->slots[(k * ef + i) * ef];
        const PlexPartialPlace *of    = &layout->of[i * ef];
        int                    *start;

        if (r < 0) continue;
        start = entries->start + build->rows[r].at - build->rows[r].first;
        for (PetscInt j = 0; !pass && j < ef; ++j)
          if (slots[j] >= 0) start[slots[j] + 2]++;
        for (PetscInt j = 0; pass && j < ef; ++j)
          if (slots[j] >= 0)
            codes[start[slots[j] + 1]++] = (unsigned short)((half + of[j].place) * PLEX_PARTIAL_LANES +
                                                            ((k + of[j].shift) % PLEX_PARTIAL_LANES ^ of[j].turn));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The partial sums of each entry that the block receives, those of the last sender first */
static PetscErrorCode PlexPartialReceived(PlexPartialBuild *build, PetscInt b)
{
  PlexPartialEntries   *entries = &build->entries;
  const PlexPartialRow *owned = build->rows, *end = build->rows + build->nrows;
  int                  *start = entries->sumStart;

  PetscFunctionBegin;
  while (owned < end && owned->owner == PLEX_ROWS_INTERIOR) ++owned;
  PetscCall(PetscArrayzero(start, entries->n + 2));
  for (PetscInt pass = 0; pass < 2; ++pass) {
    if (pass) {
      PlexPartialScan(entries->n, start);
      PetscCall(PlexPartialGrow_Private((size_t)start[entries->n + 1], sizeof(int), &build->mostSums, &entries->sums));
    }
    for (PetscInt m = build->messageEnd[b] - 1; m >= build->messageStart[b]; --m) {
      for (PetscInt class = 0; class < PLEX_PARTIAL_CLASSES; ++class) {
        const int             begin = build->messages[m].of[class].begin;
        const PlexPartialRow *row   = owned;

        for (int k = begin; k < build->messages[m].of[class].end; ++k) {
          int t;

          while (row + 1 < end && row[1].owner == PLEX_ROWS_OWNED && row[1].first <= build->sent[k]) ++row;
          t = build->sent[k] - row->first + row->at;
          if (!pass) start[t + 2]++;
          else entries->sums[start[t + 1]++] = build->messages[m].of[class].first + k - begin;
        }
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Segments, and in which list each entry is */

/* Entries that go to the matrix */
static void PlexPartialKeep(PlexPartialBuild *build, const PlexPartialSegment *s)
{
  const PetscBool     owned   = (PetscBool)(s->list == PLEX_PARTIAL_OWNED);
  PlexPartialEntries *entries = &build->entries;
  PetscInt            summed = 0, longs = entries->nlongs;

  for (PetscInt t = s->begin; t < s->end; ++t) {
    const int       n = entries->start[t + 1] - entries->start[t], sum = entries->sumStart[t],
                    received = entries->sumStart[t + 1] - sum;
    const PetscBool fits     = (PetscBool)(n <= 2 && received <= 1 &&
                                           (!received || entries->sums[sum] < PLEX_PARTIAL_NONE));

    summed += n + received > 0;
    entries->list[t] = (unsigned char)(n + received == 0 ? PLEX_PARTIAL_KINDS
                                       : fits            ? s->list
                                       : owned           ? PLEX_PARTIAL_MIXED
                                                         : PLEX_PARTIAL_FEW);
    if (!fits) entries->longs[entries->nlongs++] = (int)t;
  }
  *(owned ? &build->plan->owned : &build->plan->alone) += (double)summed;
  build->plan->mixed += owned ? (double)(entries->nlongs - longs) : 0.;
}

/* Entries that go to the owner of rows[n] */
static PetscErrorCode PlexPartialSend(PlexPartialBuild *build, PetscInt b, PetscInt n, const PlexPartialRow rows[],
                                      PlexPartialSegment *s)
{
  PlexPartialEntries *entries                     = &build->entries;
  PlexPartialMessage *message                     = &build->messages[build->messageEnd[s->owner]++];
  int                *place                       = &build->nreceived[s->owner];
  int                 count[PLEX_PARTIAL_CLASSES] = {0};

  PetscFunctionBegin;
  for (PetscInt t = s->begin; t < s->end; ++t) {
    const int m = entries->start[t + 1] - entries->start[t];

    entries->list[t] = (unsigned char)(m == 0   ? PLEX_PARTIAL_KINDS
                                       : m <= 2 ? PLEX_PARTIAL_SENT_1 + m - 1
                                                : PLEX_PARTIAL_FEW);
    if (m > 2) entries->longs[entries->nlongs++] = (int)t;
    if (m) ++count[PetscMin(m, PLEX_PARTIAL_CLASSES) - 1];
  }
  message->sender = (int)b;
  for (PetscInt class = 0; class < PLEX_PARTIAL_CLASSES; ++class) {
    s->first[class] = message->of[class].first = *place;
    message->of[class].begin = message->of[class].end = (int)build->nsent;
    build->nsent += (size_t)count[class];
    build->plan->sums += (double)count[class];
    *place += (count[class] + PLEX_PARTIAL_PLACES - 1) / PLEX_PARTIAL_PLACES * PLEX_PARTIAL_PLACES;
  }
  PetscCall(PlexPartialGrow_Private(build->nsent, sizeof(*build->sent), &build->mostSent, &build->sent));
  for (PetscInt r = 0, t = s->begin; r < n; ++r) {
    for (const PetscInt end = r + 1 < n ? rows[r + 1].at : s->end; t < end; ++t) {
      const int m = PetscMin(entries->start[t + 1] - entries->start[t], PLEX_PARTIAL_CLASSES);

      if (m) build->sent[message->of[m - 1].end++] = rows[r].first + (int)t - rows[r].at;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of the matrix go on where the row before ends, rows that are sent with the owner */
static PetscErrorCode PlexPartialSegments(PlexPartialBuild *build, PetscInt b)
{
  const PlexPartialRow *rows = build->rows;
  const PetscInt        nA   = build->asm_->pattern->nA; /* others lie elsewhere */

  PetscFunctionBegin;
  build->nsegments = build->entries.nlongs = 0;
  for (PetscInt r = 0, end; r < build->nrows; r = end) {
    const int           owner = rows[r].owner;
    PlexPartialSegment *s     = &build->segments[build->nsegments++];

    for (end = r + 1; end < build->nrows && rows[end].owner == owner; ++end)
      if (owner < 0 &&
          (rows[end].first - rows[end - 1].first != rows[end].at - rows[end - 1].at || rows[end].first == nA))
        break;
    *s      = (PlexPartialSegment){.begin = rows[r].at,
                                   .end   = end < build->nrows ? rows[end].at : build->entries.n,
                                   .first = {rows[r].first},
                                   .owner = PetscMax(-1, owner)};
    s->list = owner >= 0 ? PLEX_PARTIAL_SENT_1 : owner == PLEX_ROWS_OWNED ? PLEX_PARTIAL_OWNED : PLEX_PARTIAL_ALONE;
    if (owner >= 0) PetscCall(PlexPartialSend(build, b, end - r, &rows[r], s));
    else PlexPartialKeep(build, s);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- All of it */

static PetscErrorCode PlexPartialBlock(PlexPartialBuild *build, PetscInt b, PlexPartialPart *part)
{
  PlexPartialLists *lists = &build->lists;

  PetscFunctionBegin;
  PetscCall(PlexPartialRows(build, b));
  PetscCall(PlexPartialNumbers(build, b));
  PetscCall(PlexPartialReceived(build, b));
  PetscCall(PlexPartialSegments(build, b));
  PetscCall(PlexPartialAddBlock_Private(lists, &build->entries, build->nsegments, build->segments, part));
  part->received  = (int)build->plan->room;
  part->nreceived = build->nreceived[b];
  part->nsenders  = build->messageEnd[b] - build->messageStart[b];
  part->senders   = (int)lists->nheads;
  for (PetscInt m = build->messageEnd[b] - 1; m >= build->messageStart[b]; --m)
    PetscCall(PlexPartialAddHead_Private(lists, build->messages[m].sender, -1));
  while (lists->nheads % 4) PetscCall(PlexPartialAddHead_Private(lists, 0, -1)); /* the next block's are read by four */
  build->plan->room += (double)build->nreceived[b];
  for (PetscInt r = 0; r < build->nrows; ++r) build->row[build->rows[r].dof] = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexPartialBuildDestroy(PlexPartialBuild *build)
{
  PetscFunctionBegin;
  PetscCall(PlexPartialListsDestroy_Private(&build->lists));
  PetscCall(PetscFree(build->around));
  PetscCall(PetscFree2(build->owner, build->row));
  PetscCall(PetscFree2(build->messageStart, build->nreceived));
  PetscCall(PetscFree(build->messageEnd));
  PetscCall(PetscFree(build->messages));
  PetscCall(PetscFree(build->sent));
  PetscCall(PetscFree4(build->rows, build->segments, build->slots, build->entries.codes));
  PetscCall(PetscFree(build->entries.start));
  PetscCall(PetscFree(build->entries.sumStart));
  PetscCall(PetscFree(build->entries.sums));
  PetscCall(PetscFree(build->entries.list));
  PetscCall(PetscFree(build->entries.longs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The arrays of all blocks, and those of the waiting: nothing has been sent, no block has begun */
static PetscErrorCode PlexPartialUpload(PlexPartialBuild *build, const PlexPartialPart parts[])
{
  PlexPartial     *plan    = build->plan;
  PlexBackend      backend = build->asm_->backend;
  const size_t     n       = (size_t)plan->blocks.nblocks;
  PlexPartialArgs *device  = &plan->device;
  unsigned        *zero;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(PetscMax(1, n), &zero));
  PetscCall(PlexPartialListsUpload_Private(&build->lists, backend, parts, device));
  PetscCall(PlexBackendUpload(backend, parts, sizeof(*parts) * n, (void **)&device->parts));
  PetscCall(PlexBackendUpload(backend, zero, sizeof(*zero) * n, (void **)&device->sent));
  PetscCall(PlexBackendUpload(backend, zero, sizeof(*zero), (void **)&device->ticket));
  PetscCall(PetscFree(zero));
  plan->codes = (double)(sizeof(*build->lists.codes) * PLEX_PARTIAL_LINE * build->lists.nlines +
                         sizeof(*build->lists.heads) * build->lists.nheads + sizeof(*parts) * n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPartialReduce_Private(PlexAssembly asm_, PlexPartial *plan, PetscBool *serves)
{
  const PetscInt   n = plan->blocks.nblocks, ef = asm_->elements->ef, rows = plan->layout.elements * ef;
  PlexPartialBuild build = {.asm_ = asm_, .plan = plan, .ef = ef, .lists = {.zero = plan->layout.zero}};
  PlexPartialPart *parts;

  PetscFunctionBegin;
  PetscCall(PetscHMapICreate(&build.lists.known));
  PetscCall(PetscMalloc4(rows, &build.rows, rows, &build.segments, rows * ef, &build.slots, rows * ef,
                         &build.entries.codes));
  PetscCall(PetscMalloc1(PetscMax(1, n), &parts));
  PetscCall(PlexPartialOwners(&build));
  *serves = PETSC_TRUE;
  for (PetscInt b = 0; b < n && *serves; ++b) {
    PetscCall(PlexPartialBlock(&build, b, &parts[b]));
    *serves = (PetscBool)(build.lists.nlines < PLEX_PARTIAL_LINES &&
                          build.lists.nheads - (size_t)parts[b].heads <= PETSC_UINT16_MAX &&
                          plan->room < PETSC_INT32_MAX / 2 && build.nsent < PETSC_INT32_MAX / 2);
  }
  if (*serves) {
    plan->conflicts = build.lists.turns / PetscMax(1., build.lists.reads);
    plan->zero      = (PetscBool)(plan->alone + plan->owned < (double)asm_->pattern->nnz);
    PetscCall(PlexPartialUpload(&build, parts));
  }
  PetscCall(PetscFree(parts));
  PetscCall(PlexPartialBuildDestroy(&build));
  PetscFunctionReturn(PETSC_SUCCESS);
}
