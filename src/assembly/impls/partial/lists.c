/*
  Index lists of shared_nz:partial, in the form of cuda/assembly/partial_args.h: batches of four chunks of 32
  neighbouring entries each, of at most two numbers an entry; and entries of more numbers, 32 at a time.
*/
#include "partial.h"

#define PLEX_PARTIAL_BANKS 16 /* numbers that half a warp reads at once */

PetscErrorCode PlexPartialGrow_Private(size_t n, size_t bytes, size_t *most, void *things)
{
  PetscFunctionBegin;
  if (n <= *most) PetscFunctionReturn(PETSC_SUCCESS);
  *most = 2 * n;
  PetscCall(PetscRealloc(bytes * *most, (void **)things));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPartialListsDestroy_Private(PlexPartialLists *lists)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(lists->codes));
  PetscCall(PetscFree(lists->heads));
  PetscCall(PetscFree(lists->patches));
  PetscCall(PetscFree(lists->longs));
  PetscCall(PetscHMapIDestroy(&lists->known));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* n more lines */
static PetscErrorCode PlexPartialAddLines(PlexPartialLists *lists, PetscInt n, unsigned short **to)
{
  const size_t first = lists->nlines * PLEX_PARTIAL_LINE;

  PetscFunctionBegin;
  lists->nlines += (size_t)n;
  PetscCall(PlexPartialGrow_Private(lists->nlines * PLEX_PARTIAL_LINE, sizeof(*lists->codes), &lists->mostCodes,
                                    &lists->codes));
  *to = &lists->codes[first];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexPartialAddPatch(PlexPartialLists *lists, PetscInt owner, PetscInt head, size_t at)
{
  PetscFunctionBegin;
  PetscCall(PlexPartialGrow_Private(lists->npatches + 1, sizeof(*lists->patches), &lists->mostPatches,
                                    &lists->patches));
  lists->patches[lists->npatches++] = (PlexPartialPatch){owner, head, at};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPartialAddHead_Private(PlexPartialLists *lists, PetscInt value, PetscInt owner)
{
  PetscFunctionBegin;
  if (owner >= 0) PetscCall(PlexPartialAddPatch(lists, owner, (PetscInt)lists->nheads, 0));
  PetscCall(PlexPartialGrow_Private(lists->nheads + 1, sizeof(*lists->heads), &lists->mostHeads, &lists->heads));
  lists->heads[lists->nheads++] = (int)value;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Conflicts of 32 lanes that read `each` codes each, which lie side by side: half a warp reads at once, and numbers of
   one bank one after the other */
static void PlexPartialCountConflicts(PlexPartialLists *lists, PetscInt each, const unsigned short codes[])
{
  for (PetscInt read = 0; read < 2 * each; ++read) {
    const unsigned short *half                     = &codes[read % 2 * PLEX_PARTIAL_BANKS * each + read / 2];
    PetscInt              load[PLEX_PARTIAL_BANKS] = {0}, most = 0;

    for (PetscInt k = 0; k < PLEX_PARTIAL_BANKS; ++k) {
      const unsigned short code = half[k * each];

      if (code == lists->zero) continue;
      load[code % PLEX_PARTIAL_BANKS]++;
      most = PetscMax(most, load[code % PLEX_PARTIAL_BANKS]);
    }
    lists->turns += (double)most;
    lists->reads += most > 0;
  }
}

/* Lines from `first` on, the last ones, or others that are the same in their place; of two with the same hash the later
   ones are found */
static PetscErrorCode PlexPartialShare(PlexPartialLists *lists, size_t first, unsigned *line)
{
  const size_t          n = lists->nlines - first, size = sizeof(*lists->codes) * PLEX_PARTIAL_LINE * n;
  const unsigned short *codes = &lists->codes[first * PLEX_PARTIAL_LINE];
  uint64_t              hash  = (uint64_t)n, eight;
  PetscInt              key, found;

  PetscFunctionBegin;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  for (size_t k = 0; k < size; k += sizeof(eight)) {
    memcpy(&eight, (const char *)codes + k, sizeof(eight));
    hash = (hash ^ eight) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29;
  }
  key = (PetscInt)(hash & PETSC_INT32_MAX);
  PetscCall(PetscHMapIGet(lists->known, key, &found));
  if (found >= 0 && (size_t)found + n <= first &&
      !memcmp(&lists->codes[(size_t)found * PLEX_PARTIAL_LINE], codes, size)) {
    lists->nlines = first;
    *line         = (unsigned)found;
  } else PetscCall(PetscHMapISet(lists->known, key, (PetscInt)first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PlexPartialKind PlexPartialBegin(const PlexPartialLists *lists, const PlexPartialPart *part)
{
  return (PlexPartialKind){(unsigned)lists->nlines, 0, (unsigned short)(lists->nheads - (size_t)part->heads)};
}

/* ---- Batches of entries of at most two numbers */

/* Another batch: no entry has a code */
static PetscErrorCode PlexPartialAddBatch(PlexPartialLists *lists, PetscInt each, PetscBool receives)
{
  unsigned short *to = NULL;

  PetscFunctionBegin;
  PetscCall(PlexPartialAddLines(lists, (each + receives) * PLEX_PARTIAL_CHUNKS, &to));
  for (PetscInt k = 0; k < each * PLEX_PARTIAL_BATCH; ++k) to[k] = lists->zero;
  for (PetscInt k = 0; receives && k < PLEX_PARTIAL_BATCH; ++k) to[each * PLEX_PARTIAL_BATCH + k] = PLEX_PARTIAL_NONE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The entries of a list, of all segments. Entries of the matrix have the lane of their place in the segment; those that
   are sent come one after the other */
static PetscErrorCode PlexPartialAddBatches(PlexPartialLists *lists, const PlexPartialEntries *entries, PetscInt n,
                                            const PlexPartialSegment segments[], PetscInt list, PlexPartialPart *part)
{
  const PetscBool sent = (PetscBool)(list <= PLEX_PARTIAL_SENT_2), owned = (PetscBool)(list == PLEX_PARTIAL_OWNED);
  const PetscInt  each = list == PLEX_PARTIAL_SENT_1 ? 1 : 2, lines = (each + owned) * PLEX_PARTIAL_CHUNKS;
  const size_t    begin  = lists->nlines;
  const int      *start  = entries->start;
  PetscInt        chunks = 0;

  PetscFunctionBegin;
  part->of[list] = PlexPartialBegin(lists, part);
  for (const PlexPartialSegment *s = segments; s < segments + n; ++s) {
    PetscInt chunk = -1, count = 0;

    if (s->list != (sent ? PLEX_PARTIAL_SENT_1 : list)) continue;
    for (PetscInt t = s->begin; t < s->end; ++t) {
      const PetscInt  place = sent ? count : t - s->begin;
      unsigned short *batch;
      PetscInt        at;

      if (entries->list[t] != list) continue;
      ++count;
      if (place / PLEX_PARTIAL_LINE != chunk) {
        chunk = place / PLEX_PARTIAL_LINE;
        if (chunks++ % PLEX_PARTIAL_CHUNKS == 0) PetscCall(PlexPartialAddBatch(lists, each, owned));
        PetscCall(PlexPartialAddHead_Private(lists, s->first[list == PLEX_PARTIAL_SENT_2] + chunk * PLEX_PARTIAL_LINE,
                                             s->owner));
      }
      batch = &lists->codes[(lists->nlines - (size_t)lines) * PLEX_PARTIAL_LINE];
      at    = place % PLEX_PARTIAL_LINE * PLEX_PARTIAL_CHUNKS + (chunks - 1) % PLEX_PARTIAL_CHUNKS;
      if (start[t + 1] > start[t]) batch[at * each] = entries->codes[start[t]];
      if (start[t + 1] > start[t] + 1) batch[at * each + 1] = entries->codes[start[t] + 1];
      if (owned && entries->sumStart[t + 1] > entries->sumStart[t])
        batch[each * PLEX_PARTIAL_BATCH + at] = (unsigned short)entries->sums[entries->sumStart[t]];
    }
  }
  part->of[list].n = (unsigned short)((chunks + PLEX_PARTIAL_CHUNKS - 1) / PLEX_PARTIAL_CHUNKS);
  for (; chunks % PLEX_PARTIAL_CHUNKS; ++chunks) PetscCall(PlexPartialAddHead_Private(lists, 0, -1));
  for (size_t line = begin; line < lists->nlines; line += (size_t)lines)
    PlexPartialCountConflicts(lists, each * PLEX_PARTIAL_CHUNKS, &lists->codes[line * PLEX_PARTIAL_LINE]);
  PetscCall(PlexPartialShare(lists, begin, &part->of[list].line));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Entries of more numbers, 32 at a time */

/* By lists, those of most numbers first */
static int PlexPartialCompareLong(const void *a, const void *b)
{
  const PlexPartialLong *p = (const PlexPartialLong *)a, *q = (const PlexPartialLong *)b;

  if (p->list != q->list) return p->list < q->list ? -1 : 1;
  return p->n != q->n ? (p->n > q->n ? -1 : 1) : (p->entry > q->entry) - (p->entry < q->entry);
}

/* Those of all segments, of up to four numbers and of more */
static PetscErrorCode PlexPartialCollectLong(PlexPartialLists *lists, const PlexPartialEntries *entries,
                                             const PlexPartialSegment *s)
{
  int place = s->first[PLEX_PARTIAL_CLASSES - 1];

  PetscFunctionBegin;
  PetscCall(PlexPartialGrow_Private((size_t)entries->nlongs, sizeof(*lists->longs), &lists->mostLongs, &lists->longs));
  lists->nlongs = (size_t)entries->nlongs;
  for (PetscInt k = 0; k < entries->nlongs; ++k) {
    const int t = entries->longs[k],
              m = entries->start[t + 1] - entries->start[t] + entries->sumStart[t + 1] - entries->sumStart[t];

    while (t >= s->end) place = (++s)->first[PLEX_PARTIAL_CLASSES - 1];
    lists->longs[k] = (PlexPartialLong){.to    = s->owner >= 0 ? PLEX_PARTIAL_SUM | (unsigned)place++
                                                               : (unsigned)(s->first[0] + t - (int)s->begin),
                                        .owner = s->owner,
                                        .entry = t,
                                        .n     = m,
                                        .list  = entries->list[t] + (m > 4)};
  }
  if (lists->nlongs) qsort(lists->longs, lists->nlongs, sizeof(*lists->longs), PlexPartialCompareLong);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those of a list. A lane has `each` codes together, as often as the first entry takes; codes of mixed lists have
   32 bits */
static PetscErrorCode PlexPartialAddLong(PlexPartialLists *lists, const PlexPartialEntries *entries, PetscInt list,
                                         PlexPartialPart *part)
{
  const PetscBool        many = (PetscBool)(list == PLEX_PARTIAL_MANY || list == PLEX_PARTIAL_MORE);
  const PetscInt         wide = list == PLEX_PARTIAL_MIXED || list == PLEX_PARTIAL_MORE ? 2 : 1,
                         each = list == PLEX_PARTIAL_MANY ? 8 : 4;
  const PlexPartialLong *of = lists->longs, *end = lists->longs + lists->nlongs;

  PetscFunctionBegin;
  part->of[list] = PlexPartialBegin(lists, part);
  while (of < end && of->list < list) ++of;
  while (end > of && end[-1].list > list) --end;
  for (; of < end; of += PLEX_PARTIAL_LINE) {
    const PetscInt  times = (of->n + each - 1) / each;
    const size_t    at    = lists->nlines * PLEX_PARTIAL_LINE / 2;
    unsigned short *codes = NULL;

    if (many) PetscCall(PlexPartialAddHead_Private(lists, (PetscInt)lists->nlines, -1));
    if (many) PetscCall(PlexPartialAddHead_Private(lists, times, -1));
    part->of[list].n++;
    PetscCall(PlexPartialAddLines(lists, 2 + times * each * wide, &codes));
    for (PetscInt lane = 0; lane < PLEX_PARTIAL_LINE; ++lane) {
      const PlexPartialLong *t       = of + lane < end ? of + lane : NULL;
      const int              numbers = t ? entries->start[t->entry + 1] - entries->start[t->entry] : 0;

      ((unsigned *)codes)[lane] = t ? t->to : 0xffffffffu;
      if (t && t->owner >= 0) PetscCall(PlexPartialAddPatch(lists, t->owner, -1, at + (size_t)lane));
      for (PetscInt c = 0; c < times * each; ++c) {
        const PetscInt place = (c / each * PLEX_PARTIAL_LINE + lane) * each + c % each;
        unsigned       code  = lists->zero;

        if (t && c < numbers) code = entries->codes[entries->start[t->entry] + c];
        else if (t && c < t->n)
          code = PLEX_PARTIAL_SUM | (unsigned)entries->sums[entries->sumStart[t->entry] + c - numbers];
        if (wide == 2) ((unsigned *)codes)[PLEX_PARTIAL_LINE + place] = code;
        else codes[2 * PLEX_PARTIAL_LINE + place] = (unsigned short)code;
      }
    }
    for (PetscInt k = 0; k < times && wide == 1; ++k)
      PlexPartialCountConflicts(lists, each, &codes[(2 + k * each) * PLEX_PARTIAL_LINE]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPartialAddBlock_Private(PlexPartialLists *lists, const PlexPartialEntries *entries, PetscInt n,
                                           const PlexPartialSegment segments[], PlexPartialPart *part)
{
  PetscFunctionBegin;
  *part = (PlexPartialPart){.heads = (int)lists->nheads};
  for (PetscInt list = PLEX_PARTIAL_SENT_1; list <= PLEX_PARTIAL_OWNED; ++list)
    PetscCall(PlexPartialAddBatches(lists, entries, n, segments, list, part));
  PetscCall(PlexPartialCollectLong(lists, entries, segments));
  PetscCall(PlexPartialAddLong(lists, entries, PLEX_PARTIAL_FEW, part));
  PetscCall(PlexPartialAddLong(lists, entries, PLEX_PARTIAL_MIXED, part));
  PetscCall(PlexPartialAddLong(lists, entries, PLEX_PARTIAL_MANY, part));
  PetscCall(PlexPartialAddLong(lists, entries, PLEX_PARTIAL_MORE, part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPartialListsUpload_Private(PlexPartialLists *lists, PlexBackend backend,
                                              const PlexPartialPart parts[], PlexPartialArgs *device)
{
  PetscFunctionBegin;
  for (const PlexPartialPatch *p = lists->patches; p < lists->patches + lists->npatches; ++p) {
    if (p->head >= 0) lists->heads[p->head] += parts[p->owner].received;
    else ((unsigned *)lists->codes)[p->at] += (unsigned)parts[p->owner].received;
  }
  PetscCall(PlexBackendUpload(backend, lists->codes, sizeof(*lists->codes) * PLEX_PARTIAL_LINE * lists->nlines,
                              (void **)&device->codes));
  PetscCall(PlexBackendUpload(backend, lists->heads, sizeof(*lists->heads) * lists->nheads, (void **)&device->heads));
  PetscFunctionReturn(PETSC_SUCCESS);
}
