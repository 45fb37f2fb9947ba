/*
  Lists of what a part of the mesh sums (shared_nz by partial sums): batches of four chunks, whose codes lie as
  cuda/assembly/partial_args.h says, and targets of more numbers than these have codes for.
*/
#include "partialimpl.h"
#include "../../../dm/elementsimpl.h" /* PlexPatternLongest() */

#define PLEX_PARTIAL_BANKS 16 /* numbers that half a warp reads at once */

/* Codes of a target of a batch */
static PetscInt PlexPartialEach(PetscInt kind)
{
  return kind == PLEX_PARTIAL_SENT_1 ? 1 : 2;
}

PetscErrorCode PlexPartialListsCreate_Private(const PlexPartialLayout *layout, PlexPartialLists *lists)
{
  /* sent, of one target at least; of rows */
  const PetscInt ef = layout->asm_->elements->ef, rows = layout->elements * ef,
                 chunks = PetscMax(rows * ef,
                                   rows * (PlexPatternLongest(layout->asm_->pattern) / PLEX_PARTIAL_LINE + 1));
  const size_t   room   = (size_t)(chunks + PLEX_PARTIAL_CHUNKS) * PLEX_PARTIAL_LINE;

  PetscFunctionBegin;
  *lists = (PlexPartialLists){.layout = layout};
  for (PetscInt kind = 0; kind < PLEX_PARTIAL_FEW; ++kind) {
    PetscCall(PetscMalloc1(room * (size_t)PlexPartialEach(kind), &lists->lines[kind]));
    PetscCall(PetscMalloc1(chunks, &lists->heads[kind]));
  }
  PetscCall(PetscMalloc1(room, &lists->received));
  PetscCall(PetscSegBufferCreate(sizeof(PlexPartialHead), 1024, &lists->headBuffer));
  PetscCall(PetscSegBufferCreate(sizeof(PlexPartialPatch), 1024, &lists->patches));
  PetscCall(PetscHMapICreate(&lists->known));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPartialListsDestroy_Private(PlexPartialLists *lists)
{
  PetscFunctionBegin;
  for (PetscInt kind = 0; kind < PLEX_PARTIAL_FEW; ++kind) {
    PetscCall(PetscFree(lists->lines[kind]));
    PetscCall(PetscFree(lists->heads[kind]));
  }
  PetscCall(PetscFree(lists->received));
  PetscCall(PetscFree(lists->rest.targets));
  PetscCall(PetscFree(lists->mixed.targets));
  PetscCall(PetscFree(lists->rest.codes));
  PetscCall(PetscFree(lists->mixed.codes));
  PetscCall(PetscFree(lists->stream));
  PetscCall(PetscSegBufferDestroy(&lists->headBuffer));
  PetscCall(PetscSegBufferDestroy(&lists->patches));
  PetscCall(PetscHMapIDestroy(&lists->known));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void PlexPartialListsBegin_Private(PlexPartialLists *lists)
{
  for (PetscInt kind = 0; kind < PLEX_PARTIAL_KINDS; ++kind) lists->n[kind] = 0;
  for (PetscInt kind = 0; kind < PLEX_PARTIAL_FEW; ++kind) lists->nchunks[kind] = 0;
  lists->rest.n = lists->rest.ncodes = lists->mixed.n = lists->mixed.ncodes = 0;
}

/* ---- Batches */

void PlexPartialAddChunk_Private(PlexPartialLists *lists, PetscInt kind, int first, int owner)
{
  const PetscInt chunk = lists->nchunks[kind]++, each = PlexPartialEach(kind), batch = chunk / PLEX_PARTIAL_CHUNKS;

  lists->heads[kind][chunk] = (PlexPartialHead){first, owner};
  if (batch < lists->n[kind]) return;
  for (PetscInt k = 0; k < PLEX_PARTIAL_BATCH * each; ++k)
    lists->lines[kind][batch * PLEX_PARTIAL_BATCH * each + k] = lists->layout->zero;
  if (kind == PLEX_PARTIAL_OWNED)
    for (PetscInt k = 0; k < PLEX_PARTIAL_BATCH; ++k)
      lists->received[batch * PLEX_PARTIAL_BATCH + k] = PLEX_PARTIAL_NONE;
  lists->n[kind]++;
}

void PlexPartialPutCodes_Private(PlexPartialLists *lists, PetscInt kind, PetscInt k, PetscInt n,
                                 const unsigned short codes[], unsigned short received)
{
  const PetscInt chunk = lists->nchunks[kind] - 1, each = PlexPartialEach(kind),
                 at = chunk / PLEX_PARTIAL_CHUNKS * PLEX_PARTIAL_BATCH + k * PLEX_PARTIAL_CHUNKS +
                      chunk % PLEX_PARTIAL_CHUNKS;

  for (PetscInt m = 0; m < n; ++m) lists->lines[kind][at * each + m] = codes[m];
  if (kind == PLEX_PARTIAL_OWNED) lists->received[at] = received;
}

PetscErrorCode PlexPartialAddRest_Private(PlexPartialRest *rest, unsigned to, int owner, PetscInt n, unsigned **codes)
{
  PetscFunctionBegin;
  if (rest->ncodes + n > rest->maxCodes) {
    rest->maxCodes = 2 * (rest->ncodes + n);
    PetscCall(PetscRealloc(sizeof(*rest->codes) * (size_t)rest->maxCodes, &rest->codes));
  }
  if (rest->n == rest->max) {
    rest->max = 2 * rest->max + PLEX_PARTIAL_LINE;
    PetscCall(PetscRealloc(sizeof(*rest->targets) * (size_t)rest->max, &rest->targets));
  }
  rest->targets[rest->n++] = (PlexPartialTarget){to, owner, (int)rest->ncodes, (int)n};
  *codes                   = &rest->codes[rest->ncodes];
  rest->ncodes += n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Codes of all parts */

/* Some lines of codes behind all others, until more are asked for */
static PetscErrorCode PlexPartialGetLines(PlexPartialLists *lists, PetscInt n, unsigned short **to)
{
  const size_t all = (lists->nlines + (size_t)n) * PLEX_PARTIAL_LINE;

  PetscFunctionBegin;
  if (all > lists->maxStream) {
    lists->maxStream = 2 * all;
    PetscCall(PetscRealloc(sizeof(*lists->stream) * lists->maxStream, &lists->stream));
  }
  *to = &lists->stream[lists->nlines * PLEX_PARTIAL_LINE];
  lists->nlines += (size_t)n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexPartialAddHeads(PlexPartialLists *lists, PetscInt n, PlexPartialHead **heads)
{
  PetscFunctionBegin;
  PetscCall(PetscSegBufferGet(lists->headBuffer, n, heads));
  lists->nheads += n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Half a warp reads numbers, some of a bank one after the other; stride: from the code of a lane to that of the next
   one */
static void PlexPartialCountTurns(PlexPartialLists *lists, PetscInt stride, const unsigned short codes[])
{
  PetscInt load[PLEX_PARTIAL_BANKS] = {0}, most = 0;

  for (PetscInt k = 0; k < PLEX_PARTIAL_BANKS; ++k) {
    const unsigned short code = codes[k * stride];

    if (code == lists->layout->zero) continue;
    load[code % PLEX_PARTIAL_BANKS]++;
    most = PetscMax(most, load[code % PLEX_PARTIAL_BANKS]);
  }
  lists->turns += (double)most;
  lists->reads += most > 0;
}

/* Codes of 32 lanes, `each` of one of them side by side */
static void PlexPartialCountBatch(PlexPartialLists *lists, PetscInt each, const unsigned short codes[])
{
  for (PetscInt j = 0; j < each; ++j)
    for (PetscInt half = 0; half < 2; ++half)
      PlexPartialCountTurns(lists, each, &codes[half * PLEX_PARTIAL_BANKS * each + j]);
}

/* The last n lines, or others that are the same in their place; of two with the same hash the later ones are found */
static PetscErrorCode PlexPartialShare(PlexPartialLists *lists, PetscInt n, unsigned *line)
{
  const size_t first = lists->nlines - (size_t)n, size = sizeof(*lists->stream) * PLEX_PARTIAL_LINE * (size_t)n;
  const unsigned short *codes = &lists->stream[first * PLEX_PARTIAL_LINE];
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
  if (found >= 0 && (size_t)(found + n) <= first &&
      !memcmp(&lists->stream[(size_t)found * PLEX_PARTIAL_LINE], codes, size)) {
    lists->nlines = first;
    *line         = (unsigned)found;
  } else PetscCall(PetscHMapISet(lists->known, key, (PetscInt)first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexPartialEndBatches(PlexPartialLists *lists, PetscInt kind, PlexPartialPart *part)
{
  const PetscInt   n = lists->n[kind], size = PlexPartialEach(kind) * PLEX_PARTIAL_BATCH,
                   extra = kind == PLEX_PARTIAL_OWNED ? PLEX_PARTIAL_BATCH : 0;
  unsigned short  *codes = NULL;
  PlexPartialHead *heads;

  PetscFunctionBegin;
  part->of[kind] = (PlexPartialKind){(unsigned)lists->nlines, (unsigned short)n,
                                     (unsigned short)(lists->nheads - part->heads)};
  PetscCall(PlexPartialGetLines(lists, n * (size + extra) / PLEX_PARTIAL_LINE, &codes));
  for (PetscInt k = 0; k < n; ++k, codes += size + extra) {
    PetscCall(PetscArraycpy(codes, &lists->lines[kind][k * size], size));
    if (extra) PetscCall(PetscArraycpy(codes + size, &lists->received[k * extra], extra));
    PlexPartialCountBatch(lists, size / PLEX_PARTIAL_LINE, codes);
  }
  PetscCall(PlexPartialShare(lists, n * (size + extra) / PLEX_PARTIAL_LINE, &part->of[kind].line));
  PetscCall(PlexPartialAddHeads(lists, n * PLEX_PARTIAL_CHUNKS, &heads));
  for (PetscInt k = 0; k < n * PLEX_PARTIAL_CHUNKS; ++k)
    heads[k] = k < lists->nchunks[kind] ? lists->heads[kind][k] : (PlexPartialHead){0, -1};
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int PlexPartialCompareTargets(const void *a, const void *b)
{
  const PlexPartialTarget *p = (const PlexPartialTarget *)a, *q = (const PlexPartialTarget *)b;

  return p->n != q->n ? (p->n > q->n ? -1 : 1) : p->start < q->start ? -1 : p->start > q->start;
}

/* Targets first to end - 1 in chunks of a kind: `each` codes of a lane together, of so many bytes */
static PetscErrorCode PlexPartialEndChunks(PlexPartialLists *lists, const PlexPartialRest *rest, PetscInt begin,
                                           PetscInt end, PetscInt kind, PetscInt each, size_t bytes,
                                           PlexPartialPart *part)
{
  PetscFunctionBegin;
  part->of[kind] = (PlexPartialKind){(unsigned)lists->nlines, 0, (unsigned short)(lists->nheads - part->heads)};
  for (PetscInt first = begin; first < end; first += PLEX_PARTIAL_LINE) {
    const PlexPartialTarget *t = &rest->targets[first];
    const PetscInt           n = PetscMin(PLEX_PARTIAL_LINE, end - first), times = (t[0].n + each - 1) / each;
    const size_t             at    = lists->nlines * PLEX_PARTIAL_LINE * sizeof(unsigned short) / sizeof(unsigned);
    unsigned short          *codes = NULL;
    unsigned                *to;

    if (kind == PLEX_PARTIAL_MANY || kind == PLEX_PARTIAL_MORE) {
      PlexPartialHead *head;

      PetscCall(PlexPartialAddHeads(lists, 2, &head));
      head[0] = (PlexPartialHead){(int)lists->nlines, -1};
      head[1] = (PlexPartialHead){(int)times, -1};
    }
    part->of[kind].n++;
    PetscCall(PlexPartialGetLines(lists, 2 + times * each * (PetscInt)(bytes / sizeof(unsigned short)), &codes));
    to = (unsigned *)codes;
    codes += 2 * PLEX_PARTIAL_LINE;
    for (PetscInt lane = 0; lane < PLEX_PARTIAL_LINE; ++lane) {
      to[lane] = lane < n ? t[lane].to : 0xffffffffu;
      if (lane < n && t[lane].owner >= 0) {
        PlexPartialPatch *patch;

        PetscCall(PetscSegBufferGet(lists->patches, 1, &patch));
        *patch = (PlexPartialPatch){at + (size_t)lane, t[lane].owner};
        lists->npatches++;
      }
      for (PetscInt m = 0; m < times * each; ++m) {
        const PetscInt place = (m / each * PLEX_PARTIAL_LINE + lane) * each + m % each;
        const unsigned code  = lane < n && m < t[lane].n ? rest->codes[t[lane].start + m] : lists->layout->zero;

        if (bytes == sizeof(code)) ((unsigned *)codes)[place] = code;
        else codes[place] = (unsigned short)code;
      }
    }
    for (PetscInt m = 0; m < times && bytes < sizeof(unsigned); ++m)
      PlexPartialCountBatch(lists, each, &codes[m * PLEX_PARTIAL_LINE * each]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Targets of up to four codes, which lie one behind the other, then those of more; those of most first */
static PetscInt PlexPartialOrderRest(PlexPartialRest *rest)
{
  PetscInt many = 0;

  qsort(rest->targets, (size_t)rest->n, sizeof(*rest->targets), PlexPartialCompareTargets);
  while (many < rest->n && rest->targets[many].n > 4) ++many;
  return many;
}

PetscErrorCode PlexPartialListsEnd_Private(PlexPartialLists *lists, PetscInt nsenders, const int senders[],
                                           PlexPartialPart *part)
{
  const PetscInt   many = PlexPartialOrderRest(&lists->rest), more = PlexPartialOrderRest(&lists->mixed);
  PlexPartialHead *heads;

  PetscFunctionBegin;
  *part = (PlexPartialPart){.heads = (int)lists->nheads, .nsenders = (int)nsenders};
  for (PetscInt kind = 0; kind < PLEX_PARTIAL_FEW; ++kind) PetscCall(PlexPartialEndBatches(lists, kind, part));
  PetscCall(PlexPartialEndChunks(lists, &lists->rest, many, lists->rest.n, PLEX_PARTIAL_FEW, 4, sizeof(unsigned short),
                                 part));
  PetscCall(PlexPartialEndChunks(lists, &lists->mixed, more, lists->mixed.n, PLEX_PARTIAL_MIXED, 4, sizeof(unsigned),
                                 part));
  PetscCall(PlexPartialEndChunks(lists, &lists->rest, 0, many, PLEX_PARTIAL_MANY, 8, sizeof(unsigned short), part));
  PetscCall(PlexPartialEndChunks(lists, &lists->mixed, 0, more, PLEX_PARTIAL_MORE, 4, sizeof(unsigned), part));
  part->senders = (int)lists->nheads;
  PetscCall(PlexPartialAddHeads(lists, nsenders, &heads));
  for (PetscInt k = 0; k < nsenders; ++k) heads[k] = (PlexPartialHead){senders[k], -1};
  if (lists->nheads % 4) { /* the next part's are read by four */
    const PetscInt fill = 4 - lists->nheads % 4;

    PetscCall(PlexPartialAddHeads(lists, fill, &heads));
    for (PetscInt k = 0; k < fill; ++k) heads[k] = (PlexPartialHead){0, -1};
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPartialListsUpload_Private(PlexPartialLists *lists, const PlexPartialPart parts[],
                                              PlexPartialArgs *device)
{
  PlexBackend       backend = lists->layout->asm_->backend;
  PlexPartialHead  *heads;
  PlexPartialPatch *patches;
  int              *firsts;

  PetscFunctionBegin;
  PetscCall(PetscSegBufferExtractInPlace(lists->headBuffer, &heads));
  PetscCall(PetscSegBufferExtractInPlace(lists->patches, &patches));
  PetscCall(PetscMalloc1(PetscMax(1, lists->nheads), &firsts));
  for (PetscInt k = 0; k < lists->nheads; ++k)
    firsts[k] = heads[k].first + (heads[k].owner < 0 ? 0 : parts[heads[k].owner].received);
  for (PetscInt k = 0; k < lists->npatches; ++k)
    ((unsigned *)lists->stream)[patches[k].at] += (unsigned)parts[patches[k].owner].received;
  PetscCall(PlexBackendUpload(backend, lists->stream, sizeof(*lists->stream) * PLEX_PARTIAL_LINE * lists->nlines,
                              (void **)&device->codes));
  PetscCall(PlexBackendUpload(backend, firsts, sizeof(*firsts) * (size_t)lists->nheads, (void **)&device->heads));
  PetscCall(PetscFree(firsts));
  PetscFunctionReturn(PETSC_SUCCESS);
}
