/*
  Rows of local_row where elements are products of lines: of each block they are sorted by what their threads do, put
  into warps so that half a warp reads different banks, and written as records.
*/
#include "banks.h"
#include "lines.h"
#include "../../../dm/elementsimpl.h" /* PlexPatternFind() */

#define PLEX_LINES_WINDOW 256 /* rows of which one is taken */

typedef struct {
  PlexAssembly     asm_;
  const PlexLists *touching; /* of a local dof, the elements that have it */
  PlexLines       *lines;
  PetscInt         targets; /* of all rows so far */
  /* of an element's dof, its node: numbers along the lines in four bits each; for matrices as bits, the first line's
     the highest */
  PetscInt node[64];
  int     *where; /* [Ne] an element's number in the block */
  int     *stamp; /* [Ne] the last half warp that reads it */
  int      half;  /* half warps so far */
} PlexLinesWalk;

/* A row */
typedef struct {
  int l, count, length, parts, at;
} PlexLinesRow;

static int PlexLinesCompare(const void *a, const void *b)
{
  const PlexLinesRow *p = (const PlexLinesRow *)a, *q = (const PlexLinesRow *)b;

  if (p->parts != q->parts) return q->parts - p->parts;
  if (p->count != q->count) return q->count - p->count;
  if (p->length != q->length) return q->length - p->length;
  return p->at - q->at;
}

typedef struct {
  PlexPackBuffer warpStart, warps, rows, records;
} PlexLinesBuffers;

/* Numbers of a column: the row's, one behind it, and as many as fill a chunk of those that are written at a time */
PetscInt PlexLinesColumn_Private(const PlexLines *lines, PetscInt length)
{
  return (length + lines->chunk) / lines->chunk * lines->chunk;
}

/* Columns of so many rows, as a power of two */
PetscInt PlexLinesColumns_Private(const PlexLines *lines, PetscInt rows)
{
  PetscInt columns = lines->chunk == 8 ? 2 : 3;

  while (1 << columns < rows) ++columns;
  return columns;
}

/* Threads that a row is shared out to, so that the sums of a full warp have room */
static PetscInt PlexLinesParts(const PlexLines *lines, PetscInt length)
{
  PetscInt parts = 1;

  while (parts < PLEX_LINES_PARTS &&
         PlexLinesColumn_Private(lines, length) << PlexLinesColumns_Private(lines, 32 / parts) > lines->sums)
    parts *= 2;
  return parts;
}

/* The node of each element dof */
static void PlexLinesSee(PlexLinesWalk *w)
{
  const PlexLineTables *t = &w->lines->tables;

  for (PetscInt k = 0; k < w->asm_->elements->ef; ++k) {
    PetscInt *node = &w->node[t->dof[k]];

    *node = 0;
    if (w->lines->matrix) *node = k;
    else
      for (PetscInt d = t->dim - 1, n = k; d >= 0; --d, n /= t->N) *node |= n % t->N << 4 * d;
  }
}

/* Which of an element's dofs l is */
static PetscInt PlexLinesFind(PlexElements el, PetscInt e, PetscInt l)
{
  PetscInt i = 0;

  while (el->dofs[e * el->ef + i] != l) ++i;
  return i;
}

static void PlexLinesSetPlace(const PlexLines *lines, unsigned *record, PetscInt j, PetscInt place)
{
  const PetscInt bit = j * lines->places;

  record[32 * (1 + bit / 32)] |= (unsigned)place << bit % 32; /* words of a record are a warp apart */
}

/* What local dof l's row sums of element e, for lane 0 of a group */
static PetscErrorCode PlexLinesRecord(PlexLinesWalk *w, PetscInt e, PetscInt l, PetscInt dropped, unsigned *record)
{
  PlexElements    el      = w->asm_->elements;
  PlexPattern     pattern = w->asm_->pattern;
  const PetscInt *dof     = w->lines->tables.dof;
  const PetscInt  row = pattern->row[l], node = w->node[PlexLinesFind(el, e, l)];

  PetscFunctionBegin;
  /* nodes have coordinates that are negative as bits there */
  if (w->lines->matrix) record[0] = (unsigned)w->where[e] << 16 | PlexTrilinearClasses_Private(7 - node);
  else record[0] = (unsigned)w->where[e] | (unsigned)node << 16;
  for (PetscInt j = 0; j < el->ef; ++j) {
    const int      m      = el->dofs[e * el->ef + dof[w->lines->matrix ? node ^ j : j]];
    const PetscInt column = pattern->column[m], slot = column < 0 ? -1 : PlexPatternFind(pattern, row, column);

    PetscCheck(column < 0 || slot >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
               "The matrix has no entry (%" PetscInt_FMT ", %" PetscInt_FMT "), which element %" PetscInt_FMT
               " adds to: make it with DMCreateMatrix() or PlexAssemblyCreateMatrix()",
               row, column, e);
    PlexLinesSetPlace(w->lines, record, j, column < 0 ? dropped : slot - pattern->i[row]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows whose elements the threads of half a warp read: those of its threads, or where rows are shared out the whole
   warp's, as threads that add together, a part of each row, are next to each other */
static PetscInt PlexLinesHalf(PetscInt parts)
{
  return parts == 1 ? PLEX_BANKS : 32 / parts;
}

/* What the threads of half a warp read, which are `parts` of each of the n rows, in each step: slot[groups][16], -1:
   nothing. taken: items that are read already */
static PetscErrorCode PlexLinesOrder(PlexLinesWalk *w, PetscInt n, const PlexLinesRow rows[], PetscInt parts,
                                     PetscInt groups, PetscBool taken[], int slot[])
{
  PetscInt start[PLEX_BANKS + 1] = {0}, passes;
  int      number[PLEX_BANKS * PLEX_LINES_MOST];

  PetscFunctionBegin;
  for (PetscInt r = 0; r < n; ++r) {
    const PetscInt first = w->touching->start[rows[r].l];

    start[r + 1] = start[r] + rows[r].count;
    for (PetscInt t = 0; t < rows[r].count; ++t) number[start[r] + t] = w->where[w->touching->items[first + t]];
  }
  PlexBanksOrder_Private((PetscBool)!w->lines->matrix, n, parts, groups, start, number, taken, slot, &passes);
  w->lines->passes += (double)passes;
  w->lines->halves += (double)groups;
  for (PetscInt k = 0; k < groups * PLEX_BANKS; ++k) {
    const PetscInt r = k % (PLEX_BANKS / parts);

    if (slot[k] >= 0) slot[k] = w->touching->items[w->touching->start[rows[r].l] + slot[k] - start[r]];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The records of a warp: as many groups as the thread with most of them needs */
static PetscErrorCode PlexLinesRecords(PlexLinesWalk *w, PetscInt n, const PlexLinesRow rows[], PetscInt longest,
                                       PetscInt groups, PlexLinesBuffers *b)
{
  const size_t   words = (size_t)w->lines->words;
  const PetscInt parts = PetscMax(1, rows[0].parts / 2); /* of half a warp */
  PetscBool      taken[PLEX_BANKS * PLEX_LINES_MOST];
  int            slot[PLEX_LINES_MOST * PLEX_BANKS];
  unsigned      *records;

  PetscFunctionBegin;
  PetscCall(PlexPackBufferExtend(&b->records, (size_t)groups * 32 * words, (int **)&records));
  PetscCall(PetscArrayzero(taken, PETSC_STATIC_ARRAY_LENGTH(taken)));
  for (PetscInt half = 0; half < 2; ++half) {
    const PetscInt first = rows[0].parts == 1 ? half * PLEX_BANKS : 0,
                   m     = PetscMin(PlexLinesHalf(rows[0].parts), n - first);

    if (m <= 0) break;
    if (rows[0].parts == 1) PetscCall(PetscArrayzero(taken, PETSC_STATIC_ARRAY_LENGTH(taken)));
    PetscCall(PlexLinesOrder(w, m, &rows[first], parts, groups, taken, slot));
    for (PetscInt k = 0; k < groups * PLEX_BANKS; ++k) {
      const PetscInt r = k % (PLEX_BANKS / parts);
      unsigned *record = &records[(size_t)(k / PLEX_BANKS) * 32 * words + (size_t)(half * PLEX_BANKS + k % PLEX_BANKS)];

      if (slot[k] >= 0) PetscCall(PlexLinesRecord(w, slot[k], rows[first + r].l, longest, record));
      else
        for (PetscInt j = 0; j < w->asm_->elements->ef; ++j) PlexLinesSetPlace(w->lines, record, j, longest);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A warp of n rows */
static PetscErrorCode PlexLinesWarp(PlexLinesWalk *w, PetscInt n, const PlexLinesRow rows[], PlexLinesBuffers *b)
{
  const size_t   first   = b->records.n / (size_t)(32 * w->lines->words);
  const PetscInt parts   = rows[0].parts;
  PetscInt       longest = 0, groups = 0;
  int           *warp, *ids;

  PetscFunctionBegin;
  PetscCall(PlexPackBufferExtend(&b->rows, 96, &ids));
  for (PetscInt k = 0; k < 32; ++k) {
    ids[64 + k] = 0xff; /* no part, and nothing added */
    if (k % (32 / parts) < n) ids[64 + k] = (int)(k % (32 / parts)) << 8 | (int)(k / (32 / parts));
    if (k >= n) continue;
    ids[k]      = (int)w->asm_->pattern->i[w->asm_->pattern->row[rows[k].l]];
    ids[32 + k] = rows[k].length;
    longest     = PetscMax(longest, rows[k].length);
    groups      = PetscMax(groups, (rows[k].count + parts - 1) / parts);
  }
  PetscCall(PlexLinesRecords(w, n, rows, longest, groups, b));
  PetscCall(PlexPackBufferExtend(&b->warps, 5, &warp));
  warp[0] = (int)first;
  warp[1] = (int)groups;
  warp[2] = (int)longest;
  warp[3] = (int)PlexLinesColumns_Private(w->lines, n);
  warp[4] = (int)parts;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows for a warp, shared out alike, whose sums have room */
static PetscInt PlexLinesWarpRows(const PlexLines *lines, PetscInt n, const PlexLinesRow rows[])
{
  PetscInt longest = rows[0].length, m = 1;

  while (m < n && rows[m].parts == rows[0].parts && (m + 1) * rows[0].parts <= 32) {
    longest = PetscMax(longest, rows[m].length);
    if (PlexLinesColumn_Private(lines, longest) << PlexLinesColumns_Private(lines, m + 1) > lines->sums) break;
    ++m;
  }
  return m;
}

/* Rows in warps, warps[nwarps+1] */
static PetscInt PlexLinesSplit(const PlexLines *lines, PetscInt nrows, const PlexLinesRow rows[], PetscInt warps[])
{
  PetscInt nwarps = 0;

  for (warps[0] = 0; warps[nwarps] < nrows; ++nwarps)
    warps[nwarps + 1] = warps[nwarps] + PlexLinesWarpRows(lines, nrows - warps[nwarps], &rows[warps[nwarps]]);
  return nwarps;
}

/* The rows of dofs[n] */
static PetscInt PlexLinesListRows(PlexLinesWalk *w, PetscInt n, const int dofs[], PlexLinesRow rows[])
{
  PetscInt nrows = 0;

  for (PetscInt d = 0; d < n; ++d) {
    const PetscInt l = dofs[d], count = w->touching->start[l + 1] - w->touching->start[l];
    PlexLinesRow  *row = &rows[nrows];

    if (!PlexPatternLength(w->asm_->pattern, w->asm_->pattern->row[l])) continue;
    *row       = (PlexLinesRow){.l      = (int)l,
                                .count  = (int)count,
                                .length = (int)PlexPatternLength(w->asm_->pattern, w->asm_->pattern->row[l]),
                                .at     = (int)((unsigned)nrows * 2654435769u >> 1)};
    row->parts = (int)PlexLinesParts(w->lines, row->length);
    w->lines->contributions += (double)count;
    w->targets += row->length;
    ++nrows;
  }
  w->lines->rows += (double)nrows;
  qsort(rows, (size_t)nrows, sizeof(*rows), PlexLinesCompare);
  return nrows;
}

/* Whether the half warp at hand reads element e already, and all its threads read an element's numbers in one order */
static PetscBool PlexLinesReads(const PlexLinesWalk *w, PetscInt e)
{
  return (PetscBool)(!w->lines->matrix && w->stamp[e] == w->half);
}

/* Elements that row adds to those that are read, and reads that each meets in its bank */
static PetscInt PlexLinesCost(const PlexLinesWalk *w, const PlexLinesRow *row, const PetscInt load[])
{
  const int *elements = &w->touching->items[w->touching->start[row->l]];
  PetscInt   cost     = 0;

  for (PetscInt t = 0; t < row->count; ++t)
    if (!PlexLinesReads(w, elements[t])) cost += 1 + 2 * load[w->where[elements[t]] % PLEX_BANKS];
  return cost;
}

/* Puts rows that are alike into an order in which those of half a warp, one after the other, read few elements, or
   about as many of each bank */
static PetscErrorCode PlexLinesArrange(PlexLinesWalk *w, PetscInt n, PlexLinesRow rows[])
{
  PetscInt load[PLEX_BANKS], half = 0;

  PetscFunctionBegin;
  for (PetscInt r = 0; r < n; ++r, ++half) {
    PetscInt     best = r, least = PETSC_INT_MAX;
    PlexLinesRow row;

    if (r && rows[r].parts != rows[r - 1].parts) half = 0; /* another warp */
    if (half % PlexLinesHalf(rows[r].parts) == 0) {
      PetscCall(PetscArrayzero(load, PLEX_BANKS));
      ++w->half;
    }
    for (PetscInt k = r; k < PetscMin(n, r + PLEX_LINES_WINDOW) && least; ++k) {
      PetscInt cost;

      if (rows[k].parts != rows[r].parts || rows[k].count != rows[r].count) break;
      cost = PlexLinesCost(w, &rows[k], load);
      if (cost >= least) continue;
      least = cost;
      best  = k;
    }
    row        = rows[best];
    rows[best] = rows[r];
    rows[r]    = row;
    for (PetscInt t = 0; t < row.count; ++t) {
      const PetscInt e = w->touching->items[w->touching->start[row.l] + t];

      if (!PlexLinesReads(w, e)) load[w->where[e] % PLEX_BANKS]++;
      w->stamp[e] = w->half;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers the n elements of a block, elements[n], and puts them into the order of their numbers; rows in warps,
   warps[nwarps+1] */
static PetscErrorCode PlexLinesNumber(PlexLinesWalk *w, PetscInt n, int elements[], const PlexLinesRow rows[],
                                      PetscInt nwarps, const PetscInt warps[])
{
  PetscInt *start, nhalves = 0, total = 0;
  int      *items, *number, *old;

  PetscFunctionBegin;
  for (PetscInt r = 0; r < warps[nwarps]; ++r) total += rows[r].count;
  PetscCall(PetscMalloc4(2 * nwarps + 1, &start, total, &items, n, &number, n, &old));
  for (PetscInt k = 0; k < n; ++k) w->where[elements[k]] = (int)k;
  total = start[0] = 0;
  ++w->half;
  for (PetscInt v = 0; v < nwarps; ++v) {
    for (PetscInt r = warps[v]; r < warps[v + 1]; ++r) {
      const PetscInt first = w->touching->start[rows[r].l];

      for (PetscInt t = 0; t < rows[r].count; ++t) {
        const PetscInt e = w->touching->items[first + t];

        if (!PlexLinesReads(w, e)) items[total++] = w->where[e];
        w->stamp[e] = w->half;
      }
      if (r + 1 < warps[v + 1] && (r + 1 - warps[v]) % PlexLinesHalf(rows[r].parts)) continue;
      start[++nhalves] = total;
      ++w->half;
    }
  }
  PetscCall(PlexBanksNumber_Private(nhalves, start, items, n, number));
  PetscCall(PetscArraycpy(old, elements, n));
  for (PetscInt k = 0; k < n; ++k) {
    elements[number[k]] = old[k];
    w->where[old[k]]    = number[k];
  }
  PetscCall(PetscFree4(start, items, number, old));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Appends a block of dofs[ndofs] with the elements around them, which are put into another order; rows[], warps[] are
   work */
static PetscErrorCode PlexLinesBlock(PlexLinesWalk *w, PetscInt ndofs, const int dofs[], PetscInt n, int elements[],
                                     PlexLinesRow rows[], PetscInt warps[], PlexLinesBuffers *b)
{
  const PetscInt nrows = PlexLinesListRows(w, ndofs, dofs, rows);
  PetscInt       nwarps;
  int           *to;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) w->where[elements[k]] = (int)k;
  PetscCall(PlexLinesArrange(w, nrows, rows));
  nwarps = PlexLinesSplit(w->lines, nrows, rows, warps);
  PetscCall(PlexLinesNumber(w, n, elements, rows, nwarps, warps));
  if (!w->lines->matrix) { /* much is read of an element: rows once more, now that the numbers are known */
    PetscCall(PlexLinesArrange(w, nrows, rows));
    nwarps = PlexLinesSplit(w->lines, nrows, rows, warps);
  }
  PetscCall(PlexPackBufferExtend(&b->warpStart, 1, &to));
  *to                 = (int)(b->warps.n / 5);
  w->lines->mostWarps = PetscMax(w->lines->mostWarps, nwarps);
  for (PetscInt k = 0; k < nwarps; ++k) PetscCall(PlexLinesWarp(w, warps[k + 1] - warps[k], &rows[warps[k]], b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexLinesFill_Private(PlexAssembly asm_, PlexProduct *product, const PlexLists *touching,
                                     PlexLines *lines)
{
  PlexElements     el = asm_->elements;
  PlexLinesWalk    w  = {.asm_ = asm_, .touching = touching, .lines = lines};
  PlexLinesBuffers b;
  PlexLinesRow    *rows;
  PlexLists       *around = &asm_->parts.around;
  PetscInt        *start, *warps, most = 0;
  int             *order, *part, *elements, *to;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(&b, sizeof(b)));
  PlexLinesSee(&w);
  PetscCall(PlexPartDofs_Private(asm_, product, &asm_->parts.nodes, &start, &order, &part));
  PetscCall(PetscMalloc1(around->n, &elements));
  for (PetscInt k = 0; k < around->n; ++k) {
    const PetscInt n = around->start[k + 1] - around->start[k];

    elements[k]     = (int)n;
    most            = PetscMax(most, start[k + 1] - start[k]);
    lines->elements = PetscMax(lines->elements, (n + PLEX_BANKS - 1) / PLEX_BANKS * PLEX_BANKS);
  }
  lines->computed = (double)around->start[around->n];
  PetscCall(PetscCalloc1(el->Ne, &w.stamp));
  PetscCall(PetscMalloc3(el->Ne, &w.where, most, &rows, most + 1, &warps));
  for (PetscInt k = 0; k < around->n; ++k)
    PetscCall(PlexLinesBlock(&w, start[k + 1] - start[k], &order[start[k]], around->start[k + 1] - around->start[k],
                             &around->items[around->start[k]], rows, warps, &b));
  PetscCall(PlexPackBufferExtend(&b.warpStart, 1, &to));
  *to           = (int)(b.warps.n / 5);
  lines->zero   = (PetscBool)(w.targets < product->Nt - asm_->pattern->unused);
  lines->nwarps = *to;
  lines->groups = b.records.n / (size_t)(32 * lines->words);
  PetscCall(PlexBackendUpload(asm_->backend, elements, sizeof(int) * (size_t)around->n,
                              (void **)&lines->device.elements));
  PetscCall(PetscFree(elements));
  PetscCall(PlexBlocksUploadBuffer_Private(asm_, &b.warpStart, &lines->device.warpStart));
  PetscCall(PlexBlocksUploadBuffer_Private(asm_, &b.warps, &lines->device.warps));
  PetscCall(PlexBlocksUploadBuffer_Private(asm_, &b.rows, &lines->device.rows));
  PetscCall(PlexBlocksUploadBuffer_Private(asm_, &b.records, &lines->device.records));
  PetscCall(PetscFree(w.stamp));
  PetscCall(PetscFree3(w.where, rows, warps));
  PetscCall(PetscFree(start));
  PetscCall(PetscFree(order));
  PetscCall(PetscFree(part));
  PetscFunctionReturn(PETSC_SUCCESS);
}
