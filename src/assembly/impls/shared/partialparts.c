/*
  What parts of the mesh sum: chunks of targets and their codes, of one part after the other, and then the rows of partial sums.

  A part sums a row alone if it has all elements around its dof. The targets of a row that it adds to lie in their order, in the matrix or among the partial sums, where
  those of one row are a run. Chunks are 32 of them that lie side by side, of the runs of a part also across rows. Within a chunk lanes take
  targets in any order: those of most elements first, so that lanes of a step are the first ones, and then so that half a warp meets in few banks.
*/
#include "partial.h"
#include "../../../dm/elementsimpl.h" /* PlexPatternLength() */
#include <petsc/private/hashmapi.h>

#define PLEX_PARTIAL_LANES 32
#define PLEX_PARTIAL_BANKS 16  /* numbers that half a warp reads at once */
#define PLEX_PARTIAL_END   256 /* bytes behind all codes */
#define PLEX_PARTIAL_MOST  255 /* elements of a part that add to a target, most */

typedef struct {
  PetscInt n;                      /* targets */
  PetscInt start[PLEX_PARTIAL_LANES + 1]; /* of each in codes */
  PetscInt position[PLEX_PARTIAL_LANES];  /* of each from the chunk's first on */
} PlexPartialTargets;

typedef struct {
  int l;     /* local dof */
  int first; /* partial sum */
  int n;     /* so many, and where their targets are */
  int at;
} PlexPartialRun;

/* While the plan is made */
typedef struct {
  const PlexPartialLayout *layout;
  PlexPartial             *plan;
  PetscInt                 ef;
  int                     *count;  /* [Nl] elements around a dof */
  int                     *number; /* [Nl] of a part's dofs, -1 between parts */
  PetscInt                 ndofs;  /* dofs of the part that have rows, */
  int                     *dofs;   /* [PLEX_PARTIAL_ELEMENTS ef] */
  int                     *rowStart, *rowItems; /* rows of element matrices of each: element ef + dof */
  int                     *slots;               /* [PLEX_PARTIAL_ELEMENTS][ef][ef] */
  unsigned short          *codes;               /* [2][PLEX_PARTIAL_ELEMENTS][ef][ef] of a row's targets, one after the other */
  int                     *targetStart;         /* [PLEX_PARTIAL_TARGETS + 1] */
  PetscSegBuffer           chunks, stream, runs, places;
  PetscInt                 nchunks, nplaces, nruns;
  size_t                   nstream;
  double                   reads, turns; /* half warps that read shared memory, and turns in which they do */
  PetscBool                serves;
} PlexPartialBuild;

/* Moves a growing array of entries of `size` bytes to the backend */
static PetscErrorCode PlexPartialUpload(PlexAssembly asm_, PetscSegBuffer buffer, size_t size, void **device)
{
  PetscCount n;
  void      *host;

  PetscFunctionBegin;
  PetscCall(PetscSegBufferGetSize(buffer, &n));
  PetscCall(PetscSegBufferExtractInPlace(buffer, &host));
  PetscCall(PlexBackendUpload(asm_->backend, host, size * (size_t)n, device));
  PetscCall(PetscSegBufferDestroy(&buffer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A chunk */

/* What a chunk's lanes read in each step, by banks */
typedef struct {
  unsigned char load[PLEX_PARTIAL_STEPS][2][PLEX_PARTIAL_BANKS];
} PlexPartialLoads;

static PetscInt PlexPartialBank(unsigned short code)
{
  return code % PLEX_PARTIAL_BANKS;
}

/* How often a target's banks are taken already, in one half of the warp */
static PetscInt PlexPartialMeets(const PlexPartialLoads *loads, PetscInt half, PetscInt n, const unsigned short codes[])
{
  PetscInt meets = 0;

  for (PetscInt s = 0; s < PetscMin(n, PLEX_PARTIAL_STEPS); ++s) meets += loads->load[s][half][PlexPartialBank(codes[s])];
  return meets;
}

/* Lanes of a chunk's targets: target[lane] */
static void PlexPartialSeat(const PlexPartialTargets *t, const unsigned short codes[], PetscInt target[], PlexPartialLoads *loads)
{
  PetscInt order[PLEX_PARTIAL_LANES], n = 0, most = 0;

  for (PetscInt k = 0; k < t->n; ++k) most = PetscMax(most, t->start[k + 1] - t->start[k]);
  for (PetscInt m = most; m > 0; --m)
    for (PetscInt k = 0; k < t->n; ++k)
      if (t->start[k + 1] - t->start[k] == m) order[n++] = k;
  for (PetscInt lane = 0; lane < t->n; ++lane) target[lane] = -1;
  for (PetscInt first = 0, end; first < t->n; first = end) { /* those of as many elements share a run of lanes */
    const PetscInt m       = t->start[order[first] + 1] - t->start[order[first]];
    PetscInt       next[2] = {first, PetscMax(first, PLEX_PARTIAL_LANES / 2)}, last[2];

    for (end = first; end < t->n && t->start[order[end] + 1] - t->start[order[end]] == m;) ++end;
    last[0] = PetscMin(end, PLEX_PARTIAL_LANES / 2);
    last[1] = end;
    for (PetscInt k = first; k < end; ++k) {
      const unsigned short *own  = &codes[t->start[order[k]]];
      PetscInt              half = next[0] < last[0] ? 0 : 1;

      if (half == 0 && next[1] < last[1] && PlexPartialMeets(loads, 1, m, own) < PlexPartialMeets(loads, 0, m, own)) half = 1;
      target[next[half]++] = order[k];
      for (PetscInt s = 0; s < PetscMin(m, PLEX_PARTIAL_STEPS); ++s) loads->load[s][half][PlexPartialBank(own[s])]++;
    }
  }
}

static PetscErrorCode PlexPartialAddChunk(PlexPartialBuild *build, PetscInt first, const PlexPartialTargets *t, const unsigned short codes[])
{
  PlexPartialLoads  loads = {0};
  PetscInt          target[PLEX_PARTIAL_LANES], steps = 0, lanes = t->n, total = 0;
  PlexPartialChunk *chunk;
  unsigned char    *to;
  unsigned short   *at;
  size_t            bytes;

  PetscFunctionBegin;
  PlexPartialSeat(t, codes, target, &loads);
  steps = t->start[target[0] + 1] - t->start[target[0]];
  if (steps > PLEX_PARTIAL_MOST) build->serves = PETSC_FALSE;
  if (!build->serves) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSegBufferGet(build->chunks, 1, &chunk));
  PetscCall(PetscMemzero(chunk, sizeof(*chunk)));
  chunk->first = (int)first;
  chunk->at    = (unsigned)(build->nstream / PLEX_PARTIAL_ALIGN);
  chunk->steps = (unsigned char)steps;
  for (PetscInt s = 0; s < steps; ++s) { /* lanes of a step; all later ones have those of the first of them, and add zero */
    while (s < PLEX_PARTIAL_STEPS && t->start[target[lanes - 1] + 1] - t->start[target[lanes - 1]] <= s) --lanes;
    if (s < PLEX_PARTIAL_STEPS) chunk->lanes[s] = (unsigned char)lanes;
    total += lanes;
  }
  bytes = (PLEX_PARTIAL_LANES + sizeof(*at) * (size_t)total + PLEX_PARTIAL_ALIGN - 1) / PLEX_PARTIAL_ALIGN * PLEX_PARTIAL_ALIGN;
  PetscCall(PetscSegBufferGet(build->stream, bytes, &to));
  PetscCall(PetscMemzero(to, bytes));
  for (PetscInt lane = 0; lane < t->n; ++lane) to[lane] = (unsigned char)t->position[target[lane]];
  at = (unsigned short *)(to + PLEX_PARTIAL_LANES);
  for (PetscInt s = 0; s < steps; ++s) {
    const PetscInt n = chunk->lanes[PetscMin(s, PLEX_PARTIAL_STEPS - 1)];

    for (PetscInt lane = 0; lane < n; ++lane) {
      const PetscInt k = t->start[target[lane]] + s;

      *at++ = k < t->start[target[lane] + 1] ? codes[k] : build->layout->zero;
    }
  }
  for (PetscInt s = 0; s < PetscMin(steps, PLEX_PARTIAL_STEPS); ++s) {
    for (PetscInt half = 0; half < 2; ++half) {
      PetscInt most = 0;

      for (PetscInt b = 0; b < PLEX_PARTIAL_BANKS; ++b) most = PetscMax(most, loads.load[s][half][b]);
      build->turns += (double)most;
      build->reads += most > 0;
    }
  }
  build->nstream += bytes;
  ++build->nchunks;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A part */

/* Its dofs with rows, and the rows of element matrices that each has; slots of its elements */
static PetscErrorCode PlexPartialBeginPart(PlexPartialBuild *build, PetscInt part)
{
  const PlexPartialLayout *layout = build->layout;
  PlexElements             el     = layout->asm_->elements;
  const PlexBlocks        *blocks = layout->blocks;
  const PetscInt           first = blocks->elementStart[part], n = blocks->elementStart[part + 1] - first, ef = build->ef;

  PetscFunctionBegin;
  build->ndofs = 0;
  PetscCall(PetscArrayzero(build->rowStart, PLEX_PARTIAL_ELEMENTS * ef + 1));
  for (PetscInt k = 0; k < n; ++k) {
    const PetscInt e = blocks->elements[first + k];

    if (e < 0) continue;
    PetscCall(PlexPatternGetElementSlots(layout->asm_->pattern, e, &build->slots[k * ef * ef]));
    for (PetscInt i = 0; i < ef; ++i) {
      const int l = el->dofs[e * ef + i];

      if (layout->asm_->pattern->row[l] < 0) continue;
      if (build->number[l] < 0) {
        build->number[l]           = (int)build->ndofs;
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

static void PlexPartialEndPart(PlexPartialBuild *build)
{
  for (PetscInt d = 0; d < build->ndofs; ++d) build->number[build->dofs[d]] = -1;
}

/* Codes of each target of a row, in the order of elements: those of target t are targetStart[t] to targetStart[t + 1] - 1 */
static PetscErrorCode PlexPartialRowCodes(PlexPartialBuild *build, PetscInt d, PetscInt length, unsigned short codes[])
{
  const PlexPartialLayout *layout  = build->layout;
  PlexPattern              pattern = layout->asm_->pattern;
  const PetscInt           ef = build->ef, begin = pattern->i[pattern->row[build->dofs[d]]];
  int                     *start = build->targetStart;

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
        else codes[start[slots[j] - begin]++] = (unsigned short)(layout->place[i * ef + j] * PLEX_PARTIAL_ELEMENTS + (k ^ layout->turn[i * ef + j]));
      }
    }
    if (!pass)
      for (PetscInt t = 0; t < length; ++t) start[t + 1] += start[t];
  }
  for (PetscInt t = length; t > 0; --t) start[t] = start[t - 1];
  start[0] = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows that the part sums alone */
static PetscErrorCode PlexPartialCompleteRows(PlexPartialBuild *build)
{
  PlexPattern pattern = build->layout->asm_->pattern;

  PetscFunctionBegin;
  for (PetscInt d = 0; d < build->ndofs && build->serves; ++d) {
    const int      l     = build->dofs[d];
    const PetscInt begin = pattern->i[pattern->row[l]], length = PlexPatternLength(pattern, pattern->row[l]);

    if (build->rowStart[d + 1] - build->rowStart[d] < build->count[l]) continue;
    PetscCall(PlexPartialRowCodes(build, d, length, build->codes));
    for (PetscInt first = 0; first < length && build->serves; first += PLEX_PARTIAL_LANES) {
      PlexPartialTargets t = {0};

      for (PetscInt k = first; k < PetscMin(length, first + PLEX_PARTIAL_LANES); ++k) {
        if (build->targetStart[k] == build->targetStart[k + 1]) continue; /* no element has it */
        t.start[t.n]      = build->targetStart[k];
        t.start[t.n + 1]  = build->targetStart[k + 1]; /* where the next one begins, too: nothing lies between */
        t.position[t.n++] = k - first;
      }
      if (t.n) PetscCall(PlexPartialAddChunk(build, begin + first, &t, build->codes));
      build->plan->complete += (double)t.n;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Partial sums of the others, 32 of them a chunk whatever row they are of */
static PetscErrorCode PlexPartialOtherRows(PlexPartialBuild *build)
{
  PlexPattern        pattern = build->layout->asm_->pattern;
  PlexPartialTargets t       = {0};
  unsigned short    *row = build->codes + PLEX_PARTIAL_ELEMENTS * build->ef * build->ef, *codes = build->codes; /* those of a row, and of the chunk */
  PetscInt           sums = (PetscInt)build->plan->sums;

  PetscFunctionBegin;
  for (PetscInt d = 0; d < build->ndofs && build->serves; ++d) {
    const int       l      = build->dofs[d];
    const PetscInt  length = PlexPatternLength(pattern, pattern->row[l]);
    PlexPartialRun *run;
    unsigned short *place;

    if (build->rowStart[d + 1] - build->rowStart[d] == build->count[l]) continue;
    PetscCall(PlexPartialRowCodes(build, d, length, row));
    PetscCall(PetscSegBufferGet(build->runs, 1, &run));
    *run = (PlexPartialRun){.l = l, .first = (int)(sums + t.n), .n = 0, .at = (int)build->nplaces};
    ++build->nruns;
    for (PetscInt k = 0; k < length && build->serves; ++k) {
      const PetscInt n = build->targetStart[k + 1] - build->targetStart[k];

      if (!n) continue;
      PetscCall(PetscArraycpy(&codes[t.start[t.n]], &row[build->targetStart[k]], n));
      t.start[t.n + 1] = t.start[t.n] + n;
      t.position[t.n]  = t.n;
      ++t.n;
      ++run->n;
      PetscCall(PetscSegBufferGet(build->places, 1, &place));
      *place = (unsigned short)k;
      ++build->nplaces;
      if (t.n < PLEX_PARTIAL_LANES) continue;
      PetscCall(PlexPartialAddChunk(build, sums, &t, codes));
      sums += t.n;
      t.n = 0;
    }
  }
  if (t.n && build->serves) PetscCall(PlexPartialAddChunk(build, sums, &t, codes));
  sums              = (sums + t.n + 3) / 4 * 4; /* each part's from a sector of memory on */
  build->plan->sums = (double)sums;
  PetscCheck(sums < PETSC_INT32_MAX - PLEX_PARTIAL_ELEMENTS * build->ef * build->ef && build->nplaces < PETSC_INT32_MAX - PLEX_PARTIAL_ELEMENTS * build->ef * build->ef, PETSC_COMM_SELF, PETSC_ERR_SUP, "More than 2^31 partial sums: use -plex_assembly_type %s, or distribute the mesh over more ranks", PLEXASSEMBLYGLOBALROW);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Rows of partial sums */

/* Of runs with the same targets comes first that of the first part: the shape of a row depends on what its parts have alone */
typedef struct {
  const PlexPartialRun *run;
  const unsigned short *place;
} PlexPartialOrdered;

static int PlexPartialCompare(const void *a, const void *b)
{
  const PlexPartialOrdered *p = (const PlexPartialOrdered *)a, *q = (const PlexPartialOrdered *)b;

  for (PetscInt k = 0; k < PetscMin(p->run->n, q->run->n); ++k)
    if (p->place[k] != q->place[k]) return p->place[k] < q->place[k] ? -1 : 1;
  if (p->run->n != q->run->n) return p->run->n < q->run->n ? -1 : 1;
  return p->run->first < q->run->first ? -1 : p->run->first > q->run->first;
}

/* shape[]: 32 numbers of steps, and the codes; *n: numbers of it */
static void PlexPartialMakeShape(PetscInt length, PetscInt nruns, const PlexPartialOrdered runs[], PetscInt *n, unsigned short shape[])
{
  PetscInt at[PLEX_PARTIAL_RUNS] = {0};

  memset(shape, 0, sizeof(*shape) * PLEX_PARTIAL_LANES);
  *n = PLEX_PARTIAL_LANES;
  for (PetscInt first = 0; first < length; first += PLEX_PARTIAL_LANES) {
    PetscInt filled[PLEX_PARTIAL_LANES] = {0}, steps = 0;

    for (PetscInt r = 0; r < nruns; ++r) {
      for (; at[r] < runs[r].run->n && runs[r].place[at[r]] < first + PLEX_PARTIAL_LANES; ++at[r]) {
        const PetscInt lane = runs[r].place[at[r]] - first;

        if (filled[lane] == steps) {
          for (PetscInt k = 0; k < PLEX_PARTIAL_LANES; ++k) shape[*n + steps * PLEX_PARTIAL_LANES + k] = PLEX_PARTIAL_NONE;
          ++steps;
        }
        shape[*n + filled[lane]++ * PLEX_PARTIAL_LANES + lane] = (unsigned short)(r << PLEX_PARTIAL_PLACE_BITS | at[r]);
      }
    }
    shape[first / PLEX_PARTIAL_LANES] = (unsigned short)steps;
    *n += steps * PLEX_PARTIAL_LANES;
  }
}

/* Numbers of a shape, most */
#define PLEX_PARTIAL_SHAPE (PLEX_PARTIAL_LANES + (PLEX_PARTIAL_TARGETS / PLEX_PARTIAL_LANES) * PLEX_PARTIAL_RUNS * PLEX_PARTIAL_LANES)

/* Shapes that are known, by a number that follows from what they are; of two with the same number the later one is found */
typedef struct {
  PetscHMapI      known;
  size_t          n, max; /* of 32 numbers each */
  unsigned short *shapes;
  unsigned short  shape[PLEX_PARTIAL_SHAPE];
} PlexPartialShapes;

/* Where a row's shape is */
static PetscErrorCode PlexPartialFindShape(PlexPartialShapes *s, PetscInt n, unsigned *place)
{
  const size_t lines = (size_t)n / PLEX_PARTIAL_LANES;
  uint64_t     hash  = (uint64_t)n;
  PetscInt     key, found;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) hash = (hash ^ s->shape[k]) * 0x100000001b3ULL;
  key = (PetscInt)((hash ^ hash >> 33) & PETSC_INT32_MAX);
  PetscCall(PetscHMapIGet(s->known, key, &found));
  if (found < 0 || (size_t)found + lines > s->n || memcmp(&s->shapes[(size_t)found * PLEX_PARTIAL_LANES], s->shape, sizeof(*s->shape) * (size_t)n)) {
    if (s->n + lines > s->max) {
      s->max = 2 * s->max + lines;
      PetscCall(PetscRealloc(sizeof(*s->shapes) * PLEX_PARTIAL_LANES * s->max, &s->shapes));
    }
    PetscCheck(s->n + lines < PETSC_INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP, "More than 2^31 lines of shapes of rows: distribute the mesh over more ranks");
    memcpy(&s->shapes[s->n * PLEX_PARTIAL_LANES], s->shape, sizeof(*s->shape) * (size_t)n);
    found = (PetscInt)s->n;
    s->n += lines;
    PetscCall(PetscHMapISet(s->known, key, found));
  }
  *place = (unsigned)found;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The row of the runs order[0..n), and where more of them begin than it has room for */
static PetscErrorCode PlexPartialAddRow(PlexPartialBuild *build, PetscInt n, const PlexPartialRun runs[], const PetscInt order[], const unsigned short places[], PlexPartialShapes *shapes, PetscSegBuffer rows, PetscSegBuffer bases, PetscInt *nbases)
{
  PlexPattern        pattern = build->layout->asm_->pattern;
  const PetscInt     r = pattern->row[runs[order[0]].l], length = PlexPatternLength(pattern, r);
  PlexPartialOrdered ordered[PLEX_PARTIAL_RUNS];
  PlexPartialRow    *row;
  PetscInt           size;
  int               *base;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) ordered[k] = (PlexPartialOrdered){&runs[order[k]], &places[runs[order[k]].at]};
  qsort(ordered, (size_t)n, sizeof(*ordered), PlexPartialCompare);
  PlexPartialMakeShape(length, n, ordered, &size, shapes->shape);
  PetscCall(PetscSegBufferGet(rows, 1, &row));
  *row = (PlexPartialRow){.first = (int)pattern->i[r], .length = (unsigned short)length, .runs = (unsigned short)n};
  PetscCall(PlexPartialFindShape(shapes, size, &row->shape));
  base = row->base;
  if (n > PLEX_PARTIAL_BASES) {
    row->base[0] = (int)*nbases;
    *nbases += n;
    PetscCall(PetscSegBufferGet(bases, n, &base));
  }
  for (PetscInt k = 0; k < n; ++k) base[k] = ordered[k].run->first;
  build->plan->written += (double)length;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows in the order in which parts come to them */
static PetscErrorCode PlexPartialRows(PlexPartialBuild *build)
{
  PlexAssembly       asm_ = build->layout->asm_;
  const PetscInt     Nl   = asm_->elements->Nl;
  PlexPartial       *plan = build->plan;
  PlexPartialShapes *shapes;
  PlexPartialRun    *runs;
  unsigned short    *places;
  PetscInt          *start, *order, nbases = 0;
  PetscSegBuffer     rows, bases;

  PetscFunctionBegin;
  PetscCall(PetscSegBufferExtractInPlace(build->runs, &runs));
  PetscCall(PetscSegBufferExtractInPlace(build->places, &places));
  PetscCall(PetscNew(&shapes));
  PetscCall(PetscHMapICreate(&shapes->known));
  PetscCall(PetscCalloc1(Nl + 1, &start));
  PetscCall(PetscMalloc1(PetscMax(1, build->nruns), &order));
  PetscCall(PetscSegBufferCreate(sizeof(PlexPartialRow), 1024, &rows));
  PetscCall(PetscSegBufferCreate(sizeof(int), 64, &bases));
  for (PetscInt k = 0; k < build->nruns; ++k) start[runs[k].l + 1]++;
  for (PetscInt l = 0; l < Nl; ++l) {
    if (start[l + 1] > PLEX_PARTIAL_RUNS || (start[l + 1] && PlexPatternLength(asm_->pattern, asm_->pattern->row[l]) > PLEX_PARTIAL_TARGETS)) build->serves = PETSC_FALSE;
    start[l + 1] += start[l];
  }
  for (PetscInt k = 0; k < build->nruns; ++k) order[start[runs[k].l]++] = k;
  for (PetscInt l = Nl; l > 0; --l) start[l] = start[l - 1];
  start[0] = 0;
  for (PetscInt k = 0; k < build->nruns && build->serves; ++k) {
    const PetscInt first = start[runs[k].l];

    if (order[first] != k) continue; /* the row is there */
    PetscCall(PlexPartialAddRow(build, start[runs[k].l + 1] - first, runs, &order[first], places, shapes, rows, bases, &nbases));
    ++plan->nrows;
  }
  plan->shapes = (double)(sizeof(*shapes->shapes) * PLEX_PARTIAL_LANES * shapes->n);
  PetscCall(PlexPartialUpload(asm_, rows, sizeof(PlexPartialRow), (void **)&plan->device.rows));
  PetscCall(PlexPartialUpload(asm_, bases, sizeof(int), (void **)&plan->device.bases));
  PetscCall(PlexBackendUpload(asm_->backend, shapes->shapes, (size_t)plan->shapes, (void **)&plan->device.shapes));
  PetscCall(PetscHMapIDestroy(&shapes->known));
  PetscCall(PetscFree(shapes->shapes));
  PetscCall(PetscFree(shapes));
  PetscCall(PetscFree(start));
  PetscCall(PetscFree(order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- All of it */

static PetscErrorCode PlexPartialBuildCreate(const PlexPartialLayout *layout, PlexPartial *plan, PlexPartialBuild *build)
{
  PlexElements   el = layout->asm_->elements;
  const PetscInt ef = el->ef, rows = PLEX_PARTIAL_ELEMENTS * ef;

  PetscFunctionBegin;
  *build = (PlexPartialBuild){.layout = layout, .plan = plan, .ef = ef, .serves = PETSC_TRUE};
  PetscCall(PetscCalloc1(el->Nl, &build->count));
  PetscCall(PetscMalloc1(el->Nl, &build->number));
  for (PetscInt l = 0; l < el->Nl; ++l) build->number[l] = -1;
  for (PetscInt k = 0; k < el->Ne * ef; ++k) build->count[el->dofs[k]]++;
  PetscCall(PetscMalloc5(rows, &build->dofs, rows + 1, &build->rowStart, rows, &build->rowItems, rows * ef, &build->slots, 2 * rows * ef, &build->codes));
  PetscCall(PetscMalloc1(PetscMax(1, PlexPatternLongest(layout->asm_->pattern)) + 1, &build->targetStart));
  PetscCall(PetscSegBufferCreate(sizeof(PlexPartialChunk), 1024, &build->chunks));
  PetscCall(PetscSegBufferCreate(1, 65536, &build->stream));
  PetscCall(PetscSegBufferCreate(sizeof(PlexPartialRun), 1024, &build->runs));
  PetscCall(PetscSegBufferCreate(sizeof(unsigned short), 65536, &build->places));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexPartialBuildDestroy(PlexPartialBuild *build)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(build->count));
  PetscCall(PetscFree(build->number));
  PetscCall(PetscFree5(build->dofs, build->rowStart, build->rowItems, build->slots, build->codes));
  PetscCall(PetscFree(build->targetStart));
  PetscCall(PetscSegBufferDestroy(&build->chunks));
  PetscCall(PetscSegBufferDestroy(&build->stream));
  PetscCall(PetscSegBufferDestroy(&build->runs));
  PetscCall(PetscSegBufferDestroy(&build->places));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPartialFill_Private(const PlexPartialLayout *layout, PlexPartial *plan, PetscBool *serves)
{
  PlexAssembly     asm_   = layout->asm_;
  const PetscInt   nparts = layout->blocks->nblocks;
  PlexPartialBuild build;
  int             *start;
  void            *end;

  PetscFunctionBegin;
  PetscCall(PlexPartialBuildCreate(layout, plan, &build));
  PetscCall(PetscMalloc1(2 * nparts + 1, &start));
  start[0] = 0;
  for (PetscInt part = 0; part < nparts && build.serves; ++part) {
    PetscCall(PlexPartialBeginPart(&build, part));
    PetscCall(PlexPartialCompleteRows(&build));
    start[2 * part + 1] = (int)build.nchunks;
    PetscCall(PlexPartialOtherRows(&build));
    start[2 * part + 2] = (int)build.nchunks;
    PlexPartialEndPart(&build);
    if (build.nstream / PLEX_PARTIAL_ALIGN > PETSC_INT32_MAX) build.serves = PETSC_FALSE;
  }
  if (build.serves) PetscCall(PlexPartialRows(&build));
  *serves = build.serves;
  if (*serves) {
    PetscCall(PetscSegBufferGet(build.stream, PLEX_PARTIAL_END, &end)); /* lanes without a code read what lies behind */
    PetscCall(PetscMemzero(end, PLEX_PARTIAL_END));
    plan->codes     = (double)build.nstream + (double)sizeof(PlexPartialChunk) * (double)build.nchunks;
    plan->conflicts = build.turns / PetscMax(1., build.reads);
    plan->zero      = (PetscBool)(plan->complete + plan->written < (double)asm_->pattern->nnz);
    PetscCall(PlexBackendUpload(asm_->backend, start, sizeof(int) * (size_t)(2 * nparts + 1), (void **)&plan->device.chunkStart));
    PetscCall(PlexPartialUpload(asm_, build.chunks, sizeof(PlexPartialChunk), (void **)&plan->device.chunks));
    PetscCall(PlexPartialUpload(asm_, build.stream, 1, (void **)&plan->device.codes));
    build.chunks = build.stream = NULL;
  }
  PetscCall(PetscFree(start));
  PetscCall(PlexPartialBuildDestroy(&build));
  PetscFunctionReturn(PETSC_SUCCESS);
}
