/*
  What parts of the mesh sum, of one part after the other: targets and partial sums in batches, and their codes.

  A part sums a row alone if it has all elements around its dof. Such a row's targets lie where the matrix has them, and a chunk is 32 of them. Partial sums lie where it
  suits: of a part those of one number first, then those of two, then of more, each in the order of rows. What a part has of a row is then in up to three runs.
*/
#include "partial.h"
#include "../../../dm/elementsimpl.h" /* PlexPatternLength() */

#define PLEX_PARTIAL_BANKS   16                        /* numbers that half a warp reads at once */
#define PLEX_PARTIAL_CLASSES 3                         /* of partial sums: of one number, of two, of more */
#define PLEX_PARTIAL_LINES   ((size_t)PETSC_INT32_MAX) /* of codes, most */

/* A target of more than two numbers: codes[start .. start + n) of the part; to: as the kernel reads it, but that a partial sum is counted from the first of its class on */
typedef struct {
  unsigned to;
  int      start, n;
} PlexPartialTarget;

/* While the plan is made */
typedef struct {
  const PlexPartialLayout *layout;
  PlexPartial             *plan;
  PetscInt                 ef;
  int                     *count;               /* [Nl] elements around a dof */
  int                     *number;              /* [Nl] of a part's dofs, -1 between parts */
  PetscInt                 ndofs;               /* dofs of the part that have rows, */
  int                     *dofs;                /* [elements ef] */
  int                     *rowStart, *rowItems; /* rows of element matrices of each: element ef + dof */
  int                     *slots;               /* [elements][ef][ef] */
  unsigned short          *codes;               /* [elements][ef][ef] of a row's targets, one after the other */
  int                     *targetStart;         /* [targets + 1] of the longest row */

  PetscInt           n[PLEX_PARTIAL_KINDS];   /* of the part: batches of each kind, */
  unsigned short    *lines[PLEX_PARTIAL_FEW]; /* and their codes; room for those of a part */
  PetscInt           nchunks[2];              /* chunks of targets of one number or two, */
  int               *heads[2];                /* and the first one of each */
  PetscInt           nsums[PLEX_PARTIAL_CLASSES];
  PlexPartialTarget *many;
  PetscInt           nmany, nmanyCodes;
  unsigned short    *manyCodes;

  PlexPartialRun *partRuns;
  PetscInt        nPartRuns;

  unsigned short *stream, *places; /* codes of all parts, and where the targets of runs are in their rows */
  size_t          maxStream, maxPlaces;
  PetscSegBuffer  headBuffer, runs;
  PetscInt        nheads, nplaces, nruns;
  size_t          nlines;
  double          reads, turns; /* half warps that read shared memory, and turns in which they do */
  PetscBool       serves;
} PlexPartialBuild;

/* ---- Batches of a part */

/* The batch of a kind in which number n of it is, 32 targets of each lane's j-th code; the first number of a batch makes it, of codes that are those of zero */
static unsigned short *PlexPartialBatch(PlexPartialBuild *build, PetscInt kind, PetscInt each, PetscInt n)
{
  const PetscInt  size = each * PLEX_PARTIAL_BATCH;
  unsigned short *at   = &build->lines[kind][n / PLEX_PARTIAL_BATCH * size];

  if (n / PLEX_PARTIAL_BATCH == build->n[kind]) {
    for (PetscInt k = 0; k < size; ++k) at[k] = build->layout->zero;
    build->n[kind]++;
  }
  return at;
}

static void PlexPartialAddMany(PlexPartialBuild *build, unsigned to, PetscInt n, const unsigned short codes[])
{
  build->many[build->nmany++] = (PlexPartialTarget){to, (int)build->nmanyCodes, (int)n};
  memcpy(&build->manyCodes[build->nmanyCodes], codes, sizeof(*codes) * (size_t)n);
  build->nmanyCodes += n;
}

/* Targets of a row that the part sums alone, 32 of them at most; start[]: of their codes */
static void PlexPartialAddTargets(PlexPartialBuild *build, PetscInt first, PetscInt n, const int start[])
{
  const unsigned short *codes = build->codes;
  PetscInt              most  = 0, class, chunk, kind;
  unsigned short       *at;

  for (PetscInt k = 0; k < n; ++k) {
    const PetscInt m = start[k + 1] - start[k];

    if (m > 2) PlexPartialAddMany(build, (unsigned)(first + k), m, &codes[start[k]]);
    else most = PetscMax(most, m);
    build->plan->complete += m > 0;
  }
  if (!most) return;
  class                      = most - 1;
  kind                       = PLEX_PARTIAL_TARGETS_1 + class;
  chunk                      = build->nchunks[class]++;
  build->heads[class][chunk] = (int)first;
  at                         = PlexPartialBatch(build, kind, most, chunk * PLEX_PARTIAL_LINE);
  for (PetscInt k = 0; k < n; ++k)
    for (PetscInt m = 0; m < start[k + 1] - start[k] && start[k + 1] - start[k] <= 2; ++m) at[(k * PLEX_PARTIAL_CHUNKS + chunk % PLEX_PARTIAL_CHUNKS) * most + m] = codes[start[k] + m];
}

/* A partial sum, the next one of its class */
static void PlexPartialAddSum(PlexPartialBuild *build, PetscInt n, const unsigned short codes[])
{
  const PetscInt  class = PetscMin(n, PLEX_PARTIAL_CLASSES) - 1, k = build->nsums[class]++, in = k % PLEX_PARTIAL_BATCH, lane = in % 64 / 2, j = in / 64 * 2 + in % 2;
  unsigned short *at;

  if (class == PLEX_PARTIAL_CLASSES - 1) {
    PlexPartialAddMany(build, PLEX_PARTIAL_SUM | (unsigned)k, n, codes);
    return;
  }
  at = PlexPartialBatch(build, PLEX_PARTIAL_SUMS_1 + class, n, k);
  for (PetscInt m = 0; m < n; ++m) at[(lane * 4 + j) * n + m] = codes[m];
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
  build->ndofs = build->nchunks[0] = build->nchunks[1] = build->nmany = build->nmanyCodes = build->nPartRuns = 0;
  for (PetscInt k = 0; k < PLEX_PARTIAL_KINDS; ++k) build->n[k] = 0;
  for (PetscInt k = 0; k < PLEX_PARTIAL_CLASSES; ++k) build->nsums[k] = 0;
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
        else codes[start[slots[j] - begin]++] = (unsigned short)((k / PLEX_PARTIAL_LANES * layout->places + layout->place[i * ef + j]) * PLEX_PARTIAL_LANES + ((k + layout->shift[i * ef + j]) % PLEX_PARTIAL_LANES ^ layout->turn[i * ef + j]));
      }
    }
    if (!pass)
      for (PetscInt t = 0; t < length; ++t) start[t + 1] += start[t];
  }
  for (PetscInt t = length; t > 0; --t) start[t] = start[t - 1];
  start[0] = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Room for n numbers; *most: for how many there is */
static PetscErrorCode PlexPartialGrow(size_t n, size_t *most, unsigned short **numbers)
{
  PetscFunctionBegin;
  if (n <= *most) PetscFunctionReturn(PETSC_SUCCESS);
  *most = 2 * n;
  PetscCall(PetscRealloc(sizeof(**numbers) * *most, numbers));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Partial sums of a row, whose targets have codes */
static PetscErrorCode PlexPartialAddRuns(PlexPartialBuild *build, int l, PetscInt length)
{
  const int *start = build->targetStart;

  PetscFunctionBegin;
  PetscCall(PlexPartialGrow((size_t)(build->nplaces + length), &build->maxPlaces, &build->places));
  for (PetscInt class = 0; class < PLEX_PARTIAL_CLASSES; ++class) {
    PlexPartialRun run = {.l = l, .first = (int)build->nsums[class], .n = 0, .at = (int)build->nplaces, .class = (int)class};

    for (PetscInt k = 0; k < length; ++k) {
      const PetscInt n = start[k + 1] - start[k];

      if (PetscMin(n, PLEX_PARTIAL_CLASSES) != class + 1) continue;
      PlexPartialAddSum(build, n, &build->codes[start[k]]);
      build->places[build->nplaces++] = (unsigned short)k;
      ++run.n;
    }
    if (run.n) build->partRuns[build->nPartRuns++] = run;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows that the part sums alone, and partial sums of the others */
static PetscErrorCode PlexPartialAddRows(PlexPartialBuild *build)
{
  PlexPattern pattern = build->layout->asm_->pattern;

  PetscFunctionBegin;
  for (PetscInt d = 0; d < build->ndofs; ++d) {
    const int      l     = build->dofs[d];
    const PetscInt begin = pattern->i[pattern->row[l]], length = PlexPatternLength(pattern, pattern->row[l]);

    PetscCall(PlexPartialRowCodes(build, d, length, build->codes));
    if (build->rowStart[d + 1] - build->rowStart[d] < build->count[l]) PetscCall(PlexPartialAddRuns(build, l, length));
    else
      for (PetscInt first = 0; first < length; first += PLEX_PARTIAL_LINE) PlexPartialAddTargets(build, begin + first, PetscMin(PLEX_PARTIAL_LINE, length - first), &build->targetStart[first]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int PlexPartialCompareMany(const void *a, const void *b)
{
  const PlexPartialTarget *p = (const PlexPartialTarget *)a, *q = (const PlexPartialTarget *)b;

  return p->n != q->n ? (p->n > q->n ? -1 : 1) : p->start < q->start ? -1 : p->start > q->start;
}

/* Some lines of codes behind all others, until more are asked for */
static PetscErrorCode PlexPartialGetLines(PlexPartialBuild *build, PetscInt n, unsigned short **to)
{
  PetscFunctionBegin;
  PetscCall(PlexPartialGrow((build->nlines + (size_t)n) * PLEX_PARTIAL_LINE, &build->maxStream, &build->stream));
  *to = &build->stream[build->nlines * PLEX_PARTIAL_LINE];
  build->nlines += (size_t)n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Half a warp reads numbers, some of a bank one after the other; stride: from the code of a lane to that of the next one */
static void PlexPartialCountTurns(PlexPartialBuild *build, PetscInt stride, const unsigned short codes[])
{
  PetscInt load[PLEX_PARTIAL_BANKS] = {0}, most = 0;

  for (PetscInt k = 0; k < PLEX_PARTIAL_BANKS; ++k) {
    const unsigned short code = codes[k * stride];

    if (code == build->layout->zero) continue;
    load[code % PLEX_PARTIAL_BANKS]++;
    most = PetscMax(most, load[code % PLEX_PARTIAL_BANKS]);
  }
  build->turns += (double)most;
  build->reads += most > 0;
}

/* Codes of 32 lanes, `each` of one of them side by side */
static void PlexPartialCountBatch(PlexPartialBuild *build, PetscInt each, const unsigned short codes[])
{
  for (PetscInt j = 0; j < each; ++j)
    for (PetscInt half = 0; half < 2; ++half) PlexPartialCountTurns(build, each, &codes[half * PLEX_PARTIAL_BANKS * each + j]);
}

/* Targets of more than two numbers, those of most first; base: what the number of a partial sum is counted from */
static PetscErrorCode PlexPartialEndMany(PlexPartialBuild *build, size_t firstLine, PetscInt base, PlexPartialPart *part)
{
  PetscInt few = 0;

  PetscFunctionBegin;
  qsort(build->many, (size_t)build->nmany, sizeof(*build->many), PlexPartialCompareMany);
  while (few < build->nmany && build->many[build->nmany - 1 - few].n <= 4) ++few;
  for (PetscInt pass = 0; pass < 2; ++pass) { /* those of up to four first, as they lie one behind the other */
    const PetscInt begin = pass ? 0 : build->nmany - few, end = pass ? build->nmany - few : build->nmany, each = pass ? 8 : 4;

    for (PetscInt first = begin; first < end; first += PLEX_PARTIAL_LINE) {
      const PlexPartialTarget *t = &build->many[first];
      const PetscInt           n = PetscMin(PLEX_PARTIAL_LINE, end - first), times = (t[0].n + each - 1) / each;
      unsigned short          *codes = NULL;
      unsigned                *to;
      int                     *head;

      if (pass) {
        PetscCall(PetscSegBufferGet(build->headBuffer, 2, &head));
        head[0] = (int)(build->nlines - firstLine);
        head[1] = (int)times;
        build->nheads += 2;
      }
      part->n[pass ? PLEX_PARTIAL_MANY : PLEX_PARTIAL_FEW]++;
      PetscCall(PlexPartialGetLines(build, 2 + times * each, &codes));
      to = (unsigned *)codes;
      codes += 2 * PLEX_PARTIAL_LINE;
      for (PetscInt lane = 0; lane < PLEX_PARTIAL_LINE; ++lane) {
        to[lane] = lane >= n ? 0xffffffffu : t[lane].to & PLEX_PARTIAL_SUM ? PLEX_PARTIAL_SUM | (unsigned)(base + (PetscInt)(t[lane].to & ~PLEX_PARTIAL_SUM)) : t[lane].to;
        for (PetscInt m = 0; m < times * each; ++m) codes[(m / each * PLEX_PARTIAL_LINE + lane) * each + m % each] = lane < n && m < t[lane].n ? build->manyCodes[t[lane].start + m] : build->layout->zero;
      }
      for (PetscInt m = 0; m < times; ++m) PlexPartialCountBatch(build, each, &codes[m * PLEX_PARTIAL_LINE * each]);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All that was collected of a part */
static PetscErrorCode PlexPartialEndPart(PlexPartialBuild *build, PlexPartialPart *part)
{
  const size_t    firstLine = build->nlines;
  PetscInt        sums      = (PetscInt)build->plan->sums, base[PLEX_PARTIAL_CLASSES];
  PlexPartialRun *runs;

  PetscFunctionBegin;
  base[0] = sums;
  base[1] = base[0] + build->n[PLEX_PARTIAL_SUMS_1] * PLEX_PARTIAL_BATCH;
  base[2] = base[1] + build->n[PLEX_PARTIAL_SUMS_2] * PLEX_PARTIAL_BATCH;
  *part   = (PlexPartialPart){.codes = (unsigned)firstLine, .partial = (int)sums, .heads = (int)build->nheads};
  for (PetscInt kind = 0; kind < PLEX_PARTIAL_FEW; ++kind) {
    const PetscInt  each = kind == PLEX_PARTIAL_SUMS_2 || kind == PLEX_PARTIAL_TARGETS_2 ? 2 : 1, n = build->n[kind], size = each * PLEX_PARTIAL_BATCH;
    unsigned short *codes = NULL;
    int            *head;

    part->n[kind] = (unsigned short)n;
    PetscCall(PlexPartialGetLines(build, n * size / PLEX_PARTIAL_LINE, &codes));
    PetscCall(PetscArraycpy(codes, build->lines[kind], n * size));
    for (PetscInt k = 0; k < n; ++k) PlexPartialCountBatch(build, 4 * each, &codes[k * size]);
    if (kind < PLEX_PARTIAL_TARGETS_1) continue;
    PetscCall(PetscSegBufferGet(build->headBuffer, n * PLEX_PARTIAL_CHUNKS, &head));
    for (PetscInt k = 0; k < n * PLEX_PARTIAL_CHUNKS; ++k) head[k] = k < build->nchunks[each - 1] ? build->heads[each - 1][k] : 0;
    build->nheads += n * PLEX_PARTIAL_CHUNKS;
  }
  PetscCall(PlexPartialEndMany(build, firstLine, base[2], part));
  if (build->nheads % 4) { /* the next part's are read by four */
    int *fill;

    PetscCall(PetscSegBufferGet(build->headBuffer, 2, &fill));
    fill[0] = fill[1] = 0;
    build->nheads += 2;
  }
  part->lines       = (unsigned)(build->nlines - firstLine);
  build->plan->sums = (double)((base[2] + build->nsums[2] + 3) / 4 * 4); /* the next part's from a sector of memory on */
  build->serves     = (PetscBool)(build->nlines < PLEX_PARTIAL_LINES && build->plan->sums < PETSC_INT32_MAX / 2 && build->nplaces < PETSC_INT32_MAX / 2);
  PetscCall(PetscSegBufferGet(build->runs, build->nPartRuns, &runs));
  for (PetscInt k = 0; k < build->nPartRuns; ++k) {
    runs[k] = build->partRuns[k];
    runs[k].first += (int)base[runs[k].class];
  }
  build->nruns += build->nPartRuns;
  for (PetscInt d = 0; d < build->ndofs; ++d) build->number[build->dofs[d]] = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- All of it */

static PetscErrorCode PlexPartialBuildCreate(const PlexPartialLayout *layout, PlexPartial *plan, PlexPartialBuild *build)
{
  PlexElements   el = layout->asm_->elements;
  const PetscInt ef = el->ef, rows = layout->elements * ef, all = rows * ef;

  PetscFunctionBegin;
  *build = (PlexPartialBuild){.layout = layout, .plan = plan, .ef = ef, .serves = PETSC_TRUE};
  PetscCall(PetscCalloc1(el->Nl, &build->count));
  PetscCall(PetscMalloc1(el->Nl, &build->number));
  for (PetscInt l = 0; l < el->Nl; ++l) build->number[l] = -1;
  for (PetscInt k = 0; k < el->Ne * ef; ++k) build->count[el->dofs[k]]++;
  PetscCall(PetscMalloc5(rows, &build->dofs, rows + 1, &build->rowStart, rows, &build->rowItems, all, &build->slots, all, &build->codes));
  PetscCall(PetscMalloc4(PetscMax(1, PlexPatternLongest(layout->asm_->pattern)) + 1, &build->targetStart, all, &build->many, all, &build->manyCodes, PLEX_PARTIAL_CLASSES * rows, &build->partRuns));
  /* a chunk of targets has one at least, of sums all batches but the last one are full */
  for (PetscInt kind = 0; kind < PLEX_PARTIAL_FEW; ++kind) PetscCall(PetscMalloc1((all + PLEX_PARTIAL_CHUNKS) * 2 * PLEX_PARTIAL_LINE, &build->lines[kind]));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(PetscMalloc1(all, &build->heads[k]));
  PetscCall(PetscSegBufferCreate(sizeof(int), 1024, &build->headBuffer));
  PetscCall(PetscSegBufferCreate(sizeof(PlexPartialRun), 1024, &build->runs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexPartialBuildDestroy(PlexPartialBuild *build)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(build->count));
  PetscCall(PetscFree(build->number));
  PetscCall(PetscFree5(build->dofs, build->rowStart, build->rowItems, build->slots, build->codes));
  PetscCall(PetscFree4(build->targetStart, build->many, build->manyCodes, build->partRuns));
  for (PetscInt kind = 0; kind < PLEX_PARTIAL_FEW; ++kind) PetscCall(PetscFree(build->lines[kind]));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(PetscFree(build->heads[k]));
  PetscCall(PetscFree(build->stream));
  PetscCall(PetscSegBufferDestroy(&build->headBuffer));
  PetscCall(PetscSegBufferDestroy(&build->runs));
  PetscCall(PetscFree(build->places));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPartialFill_Private(const PlexPartialLayout *layout, PlexPartial *plan, PetscBool *serves)
{
  PlexAssembly     asm_   = layout->asm_;
  const PetscInt   nparts = layout->blocks->nblocks;
  PlexPartialBuild build;
  PlexPartialPart *parts;
  PlexPartialRun  *runs;
  int             *heads;

  PetscFunctionBegin;
  PetscCall(PlexPartialBuildCreate(layout, plan, &build));
  PetscCall(PetscMalloc1(PetscMax(1, nparts), &parts));
  for (PetscInt part = 0; part < nparts && build.serves; ++part) {
    PetscCall(PlexPartialBeginPart(&build, part));
    PetscCall(PlexPartialAddRows(&build));
    PetscCall(PlexPartialEndPart(&build, &parts[part]));
  }
  *serves = build.serves;
  if (*serves) {
    PetscCall(PetscSegBufferExtractInPlace(build.runs, &runs));
    PetscCall(PlexPartialFillRows_Private(asm_, build.nruns, runs, build.places, plan, serves));
    PetscCall(PetscSegBufferExtractInPlace(build.headBuffer, &heads));
    plan->codes     = (double)(sizeof(*build.stream) * PLEX_PARTIAL_LINE * build.nlines + sizeof(int) * (size_t)build.nheads + sizeof(*parts) * (size_t)nparts);
    plan->conflicts = build.turns / PetscMax(1., build.reads);
    plan->zero      = (PetscBool)(plan->complete + plan->written < (double)asm_->pattern->nnz);
    PetscCall(PlexBackendUpload(asm_->backend, parts, sizeof(*parts) * (size_t)nparts, (void **)&plan->device.parts));
    PetscCall(PlexBackendUpload(asm_->backend, build.stream, sizeof(*build.stream) * PLEX_PARTIAL_LINE * build.nlines, (void **)&plan->device.codes));
    PetscCall(PlexBackendUpload(asm_->backend, heads, sizeof(int) * (size_t)build.nheads, (void **)&plan->device.heads));
  }
  PetscCall(PetscFree(parts));
  PetscCall(PlexPartialBuildDestroy(&build));
  PetscFunctionReturn(PETSC_SUCCESS);
}
