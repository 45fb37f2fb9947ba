/*
  Rows to which several parts add: chunks of 32 targets each, and the codes of what they sum, which all rows have in common whose parts have the same of their targets
  (shared_nz by partial sums).
*/
#include "partial.h"
#include "../../../dm/elementsimpl.h" /* PlexPatternLength() */
#include <petsc/private/hashmapi.h>

#define PLEX_PARTIAL_RUNS       (1 << PLEX_PARTIAL_RUN_BITS)                 /* runs of a row that have codes, most, */
#define PLEX_PARTIAL_MOST       (PLEX_PARTIAL_NONE >> PLEX_PARTIAL_RUN_BITS) /* and places of a run */
#define PLEX_PARTIAL_MOST_PAIRS 65535                                        /* pairs of a chunk */

/* Codes that are known, by a number that follows from what they are; of two with the same number the later one is found */
typedef struct {
  PetscHMapI      known;
  size_t          n, max; /* lines */
  unsigned short *lines;
  PetscInt        maxPairs;
  unsigned short *shape; /* [maxPairs][lane][2] of the present chunk */
} PlexPartialShapes;

/* A run of the present row; next: its first sum that no chunk has yet */
typedef struct {
  const PlexPartialRun *run;
  const unsigned short *place;
  PetscInt              next;
} PlexPartialOrdered;

/* By targets, so that the codes of a row follow from what its parts have alone */
static int PlexPartialCompare(const void *a, const void *b)
{
  const PlexPartialOrdered *p = (const PlexPartialOrdered *)a, *q = (const PlexPartialOrdered *)b;

  for (PetscInt k = 0; k < PetscMin(p->run->n, q->run->n); ++k)
    if (p->place[k] != q->place[k]) return p->place[k] < q->place[k] ? -1 : 1;
  if (p->run->n != q->run->n) return p->run->n < q->run->n ? -1 : 1;
  return p->run->first < q->run->first ? -1 : p->run->first > q->run->first;
}

/* Codes of the targets first to first + 31 of a row, in pairs; *pairs: of a target, most */
static void PlexPartialMakeShape(PetscInt first, PetscInt nruns, PlexPartialOrdered runs[], PetscInt *pairs, unsigned short shape[])
{
  PetscInt filled[PLEX_PARTIAL_LINE] = {0};

  *pairs = 0;
  for (PetscInt r = 0; r < nruns; ++r) {
    for (; runs[r].next < runs[r].run->n && runs[r].place[runs[r].next] < first + PLEX_PARTIAL_LINE; ++runs[r].next) {
      const PetscInt lane = runs[r].place[runs[r].next] - first, k = filled[lane]++;

      if (k / 2 == *pairs) {
        memset(&shape[2 * PLEX_PARTIAL_LINE * *pairs], 0xff, sizeof(*shape) * 2 * PLEX_PARTIAL_LINE);
        ++*pairs;
      }
      shape[2 * (k / 2 * PLEX_PARTIAL_LINE + lane) + k % 2] = (unsigned short)(runs[r].next << PLEX_PARTIAL_RUN_BITS | r);
    }
  }
  if (!*pairs) { /* targets that nobody adds to */
    memset(shape, 0xff, sizeof(*shape) * 2 * PLEX_PARTIAL_LINE);
    *pairs = 1;
  }
}

/* The same of a row of more runs: of each target where its partial sums are, behind a pair of none */
static void PlexPartialMakeApart(PetscInt first, PetscInt nruns, PlexPartialOrdered runs[], PetscInt *pairs, unsigned shape[])
{
  PetscInt filled[PLEX_PARTIAL_LINE] = {0};

  *pairs = 1;
  memset(shape, 0xff, sizeof(*shape) * PLEX_PARTIAL_LINE * (size_t)(nruns + 1));
  for (PetscInt r = 0; r < nruns; ++r) {
    for (; runs[r].next < runs[r].run->n && runs[r].place[runs[r].next] < first + PLEX_PARTIAL_LINE; ++runs[r].next) {
      const PetscInt lane = runs[r].place[runs[r].next] - first, k = ++filled[lane];

      shape[k * PLEX_PARTIAL_LINE + lane] = (unsigned)(runs[r].run->first + runs[r].next);
      *pairs                              = PetscMax(*pairs, k + 1);
    }
  }
}

/* Where so many lines of codes are */
static PetscErrorCode PlexPartialFindShape(PlexPartialShapes *s, PetscInt lines, unsigned *place)
{
  const size_t size = sizeof(*s->lines) * PLEX_PARTIAL_LINE * (size_t)lines;
  uint64_t     hash = (uint64_t)lines, eight;
  PetscInt     key, found;

  PetscFunctionBegin;
  for (size_t k = 0; k < size; k += sizeof(eight)) {
    memcpy(&eight, (char *)s->shape + k, sizeof(eight));
    hash = (hash ^ eight) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29;
  }
  key = (PetscInt)(hash & PETSC_INT32_MAX);
  PetscCall(PetscHMapIGet(s->known, key, &found));
  if (found < 0 || (size_t)(found + lines) > s->n || memcmp(&s->lines[(size_t)found * PLEX_PARTIAL_LINE], s->shape, size)) {
    if (s->n + (size_t)lines > s->max) {
      s->max = 2 * s->max + (size_t)lines;
      PetscCall(PetscRealloc(sizeof(*s->lines) * PLEX_PARTIAL_LINE * s->max, &s->lines));
    }
    PetscCheck(s->n + (size_t)lines < PETSC_INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP, "More than 2^31 lines of codes of rows: distribute the mesh over more ranks");
    memcpy(&s->lines[s->n * PLEX_PARTIAL_LINE], s->shape, size);
    found = (PetscInt)s->n;
    s->n += (size_t)lines;
    PetscCall(PetscHMapISet(s->known, key, found));
  }
  *place = (unsigned)found;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The row of the runs order[0..n) */
static PetscErrorCode PlexPartialAddRow(PlexPattern pattern, PetscInt n, const PlexPartialRun runs[], const PetscInt order[], const unsigned short places[], PlexPartialShapes *shapes, PetscSegBuffer chunks, PetscSegBuffer bases, PetscInt nbases)
{
  const PetscInt     r = pattern->row[runs[order[0]].l], length = PlexPatternLength(pattern, r);
  const PetscBool    apart = (PetscBool)(n > PLEX_PARTIAL_RUNS);
  PlexPartialOrdered few[PLEX_PARTIAL_RUNS], *ordered = few;
  int               *base;

  PetscFunctionBegin;
  if (apart) PetscCall(PetscMalloc1(n, &ordered));
  if (n + 1 > shapes->maxPairs) {
    shapes->maxPairs = 2 * n + PLEX_PARTIAL_RUNS;
    PetscCall(PetscFree(shapes->shape));
    PetscCall(PetscMalloc1(2 * PLEX_PARTIAL_LINE * shapes->maxPairs, &shapes->shape));
  }
  for (PetscInt k = 0; k < n; ++k) ordered[k] = (PlexPartialOrdered){&runs[order[k]], &places[runs[order[k]].at], 0};
  qsort(ordered, (size_t)n, sizeof(*ordered), PlexPartialCompare);
  PetscCall(PetscSegBufferGet(bases, n, &base));
  for (PetscInt k = 0; k < n; ++k) base[k] = ordered[k].run->first;
  for (PetscInt first = 0; first < length; first += PLEX_PARTIAL_LINE) {
    PlexPartialChunk *chunk;
    PetscInt          pairs;

    if (apart) PlexPartialMakeApart(first, n, ordered, &pairs, (unsigned *)shapes->shape);
    else PlexPartialMakeShape(first, n, ordered, &pairs, shapes->shape);
    PetscCall(PetscSegBufferGet(chunks, 1, &chunk));
    *chunk = (PlexPartialChunk){.first = (int)(pattern->i[r] + first), .bases = (int)nbases, .n = (unsigned char)PetscMin(PLEX_PARTIAL_LINE, length - first), .runs = (unsigned char)(apart ? PLEX_PARTIAL_APART : n), .pairs = (unsigned short)pairs};
    PetscCall(PlexPartialFindShape(shapes, 2 * pairs, &chunk->codes));
  }
  if (apart) PetscCall(PetscFree(ordered));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPartialFillRows_Private(PlexAssembly asm_, PetscInt nruns, const PlexPartialRun runs[], const unsigned short places[], PlexPartial *plan, PetscBool *serves)
{
  const PetscInt     Nl = asm_->elements->Nl;
  PlexPartialShapes *shapes;
  PetscInt          *start, *order, nbases = 0;
  PetscSegBuffer     chunks, bases;
  PetscCount         nchunks;
  void              *array;

  PetscFunctionBegin;
  PetscCall(PetscNew(&shapes));
  PetscCall(PetscHMapICreate(&shapes->known));
  PetscCall(PetscCalloc1(Nl + 1, &start));
  PetscCall(PetscMalloc1(PetscMax(1, nruns), &order));
  PetscCall(PetscSegBufferCreate(sizeof(PlexPartialChunk), 1024, &chunks));
  PetscCall(PetscSegBufferCreate(sizeof(int), 1024, &bases));
  for (PetscInt k = 0; k < nruns; ++k) {
    start[runs[k].l + 1]++;
    if (runs[k].n > PLEX_PARTIAL_MOST) *serves = PETSC_FALSE;
  }
  for (PetscInt l = 0; l < Nl; ++l) {
    if (start[l + 1] >= PLEX_PARTIAL_MOST_PAIRS) *serves = PETSC_FALSE;
    start[l + 1] += start[l];
  }
  for (PetscInt k = 0; k < nruns; ++k) order[start[runs[k].l]++] = k;
  for (PetscInt l = Nl; l > 0; --l) start[l] = start[l - 1];
  start[0] = 0;
  for (PetscInt k = 0; k < nruns && *serves; ++k) { /* in the order in which parts come to them */
    const PetscInt first = start[runs[k].l], n = start[runs[k].l + 1] - first;

    if (order[first] != k) continue; /* the row is there */
    PetscCall(PlexPartialAddRow(asm_->pattern, n, runs, &order[first], places, shapes, chunks, bases, nbases));
    nbases += n;
    plan->nrows++;
    plan->written += (double)PlexPatternLength(asm_->pattern, asm_->pattern->row[runs[k].l]);
  }
  PetscCall(PetscSegBufferGetSize(chunks, &nchunks));
  for (; nchunks % PLEX_PARTIAL_CHUNKS; ++nchunks) { /* the last ones write nothing */
    PlexPartialChunk *chunk;

    PetscCall(PetscSegBufferGet(chunks, 1, &chunk));
    *chunk = (PlexPartialChunk){.runs = 0, .pairs = 1};
  }
  plan->nunits = (PetscInt)(nchunks / PLEX_PARTIAL_CHUNKS);
  plan->shapes = (double)(sizeof(*shapes->lines) * PLEX_PARTIAL_LINE * shapes->n);
  plan->heads  = (double)sizeof(PlexPartialChunk) * (double)nchunks + (double)sizeof(int) * (double)nbases;
  PetscCall(PetscSegBufferExtractInPlace(chunks, &array));
  PetscCall(PlexBackendUpload(asm_->backend, array, sizeof(PlexPartialChunk) * (size_t)nchunks, (void **)&plan->device.chunks));
  PetscCall(PetscSegBufferExtractInPlace(bases, &array));
  PetscCall(PlexBackendUpload(asm_->backend, array, sizeof(int) * (size_t)nbases, (void **)&plan->device.bases));
  PetscCall(PlexBackendUpload(asm_->backend, shapes->lines, (size_t)plan->shapes, (void **)&plan->device.shapes));
  PetscCall(PetscSegBufferDestroy(&chunks));
  PetscCall(PetscSegBufferDestroy(&bases));
  PetscCall(PetscHMapIDestroy(&shapes->known));
  PetscCall(PetscFree(shapes->lines));
  PetscCall(PetscFree(shapes->shape));
  PetscCall(PetscFree(shapes));
  PetscCall(PetscFree(start));
  PetscCall(PetscFree(order));
  PetscFunctionReturn(PETSC_SUCCESS);
}
