/*
  Rows of local_row by sum factorization: of each block they are sorted by what their threads do, put into warps so that
  half a warp reads different banks, and written as records.
*/
#include "banks.h"
#include "lines.h"
#include "../common/warps.h"

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
} PlexLinesBuild;

typedef struct {
  PlexPackBuffer warpStart, warps, rows, records;
} PlexLinesBuffers;

/* Columns of so many rows, as a power of two */
PetscInt PlexLinesColumns_Private(const PlexLines *lines, PetscInt rows)
{
  return PlexWarpColumns(rows, lines->chunk == 8 ? 2 : 3);
}

/* Threads that a row is shared out to, so that the sums of a full warp have room */
static PetscInt PlexLinesParts(const PlexLines *lines, PetscInt length)
{
  PetscInt parts = 1;

  while (parts < PLEX_LINES_PARTS &&
         PlexWarpColumn(length, lines->chunk) << PlexLinesColumns_Private(lines, 32 / parts) > lines->sums)
    parts *= 2;
  return parts;
}

/* The node of each element dof */
static void PlexLinesSee(PlexLinesBuild *w)
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
static PetscErrorCode PlexLinesRecord(PlexLinesBuild *w, const PlexMatrixRow *row, PetscInt e, PetscInt l,
                                      unsigned *record)
{
  PlexElements    el   = w->asm_->elements;
  const PetscInt *dof  = w->lines->tables.dof;
  const PetscInt  node = w->node[PlexLinesFind(el, e, l)];

  PetscFunctionBegin;
  /* nodes have coordinates that are negative as bits there */
  if (w->lines->matrix) record[0] = (unsigned)w->where[e] << 16 | PlexTrilinearClasses_Private(7 - node);
  else record[0] = (unsigned)w->where[e] | (unsigned)node << 16;
  for (PetscInt j = 0; j < el->ef; ++j) {
    const int      m     = el->dofs[e * el->ef + dof[w->lines->matrix ? node ^ j : j]];
    const PetscInt place = PlexMatrixRowPlace(w->asm_->pattern, row, m);

    if (place < 0) PetscCall(PlexMatrixRowCheck_Private(w->asm_, row->row, e));
    PlexLinesSetPlace(w->lines, record, j, place);
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
static PetscErrorCode PlexLinesOrder(PlexLinesBuild *w, PetscInt n, const PlexWarpRow rows[], PetscInt parts,
                                     PetscInt groups, PetscBool taken[], int slot[])
{
  PetscInt start[PLEX_BANKS + 1] = {0}, passes;
  int      number[PLEX_BANKS * PLEX_LINES_MOST];

  PetscFunctionBegin;
  for (PetscInt r = 0; r < n; ++r) {
    const PetscInt first = w->touching->start[rows[r].l];

    start[r + 1] = start[r] + rows[r].each;
    for (PetscInt t = 0; t < rows[r].each; ++t) number[start[r] + t] = w->where[w->touching->items[first + t]];
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
static PetscErrorCode PlexLinesRecords(PlexLinesBuild *w, PetscInt n, const PlexWarpRow rows[], PetscInt longest,
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

      if (slot[k] >= 0) {
        const PlexMatrixRow row = PlexMatrixRowGet(w->asm_->pattern, rows[first + r].l, longest);

        PetscCall(PlexLinesRecord(w, &row, slot[k], rows[first + r].l, record));
      } else
        for (PetscInt j = 0; j < w->asm_->elements->ef; ++j) PlexLinesSetPlace(w->lines, record, j, longest);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A warp of n rows */
static PetscErrorCode PlexLinesWarp(PlexLinesBuild *w, PetscInt n, const PlexWarpRow rows[], PlexLinesBuffers *b)
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
    groups      = PetscMax(groups, (rows[k].each + parts - 1) / parts);
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
static PetscInt PlexLinesWarpRows(const PlexLines *lines, PetscInt n, const PlexWarpRow rows[])
{
  PetscInt longest = rows[0].length, m = 1;

  while (m < n && rows[m].parts == rows[0].parts && (m + 1) * rows[0].parts <= 32) {
    longest = PetscMax(longest, rows[m].length);
    if (PlexWarpColumn(longest, lines->chunk) << PlexLinesColumns_Private(lines, m + 1) > lines->sums) break;
    ++m;
  }
  return m;
}

/* The rows of dofs[n] */
static void PlexLinesListRows(PlexLinesBuild *w, PetscInt n, const int dofs[], PlexWarpRows *list)
{
  list->n = 0;
  for (PetscInt d = 0; d < n; ++d) {
    const PetscInt l = dofs[d], count = w->touching->start[l + 1] - w->touching->start[l],
                   length = PlexPatternLength(w->asm_->pattern, w->asm_->pattern->row[l]);

    if (!length) continue;
    list->rows[list->n++] = (PlexWarpRow){.l      = (int)l,
                                          .each   = (int)count,
                                          .length = (int)length,
                                          .parts  = (int)PlexLinesParts(w->lines, length)};
    w->lines->contributions += (double)count;
    w->targets += length;
  }
  w->lines->rows += (double)list->n;
}

/* Whether the half warp at hand reads element e already, and all its threads read an element's numbers in one order */
static PetscBool PlexLinesReads(const PlexLinesBuild *w, PetscInt e)
{
  return (PetscBool)(!w->lines->matrix && w->stamp[e] == w->half);
}

/* Elements that row adds to those that are read, and reads that each meets in its bank */
static PetscInt PlexLinesCost(const PlexLinesBuild *w, const PlexWarpRow *row, const PetscInt load[])
{
  const int *elements = &w->touching->items[w->touching->start[row->l]];
  PetscInt   cost     = 0;

  for (PetscInt t = 0; t < row->each; ++t)
    if (!PlexLinesReads(w, elements[t])) cost += 1 + 2 * load[w->where[elements[t]] % PLEX_BANKS];
  return cost;
}

/* Puts rows that are alike into an order in which those of half a warp, one after the other, read few elements, or
   about as many of each bank */
static PetscErrorCode PlexLinesArrange(PlexLinesBuild *w, PetscInt n, PlexWarpRow rows[])
{
  PetscInt load[PLEX_BANKS], half = 0;

  PetscFunctionBegin;
  for (PetscInt r = 0; r < n; ++r, ++half) {
    PetscInt    best = r, least = PETSC_INT_MAX;
    PlexWarpRow row;

    if (r && rows[r].parts != rows[r - 1].parts) half = 0; /* another warp */
    if (half % PlexLinesHalf(rows[r].parts) == 0) {
      PetscCall(PetscArrayzero(load, PLEX_BANKS));
      ++w->half;
    }
    for (PetscInt k = r; k < PetscMin(n, r + PLEX_LINES_WINDOW) && least; ++k) {
      PetscInt cost;

      if (rows[k].parts != rows[r].parts || rows[k].each != rows[r].each) break;
      cost = PlexLinesCost(w, &rows[k], load);
      if (cost >= least) continue;
      least = cost;
      best  = k;
    }
    row        = rows[best];
    rows[best] = rows[r];
    rows[r]    = row;
    for (PetscInt t = 0; t < row.each; ++t) {
      const PetscInt e = w->touching->items[w->touching->start[row.l] + t];

      if (!PlexLinesReads(w, e)) load[w->where[e] % PLEX_BANKS]++;
      w->stamp[e] = w->half;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Appends a block of dofs[ndofs] with the elements around them */
static PetscErrorCode PlexLinesBlock(PlexLinesBuild *w, PetscInt ndofs, const int dofs[], PetscInt n,
                                     const int elements[], PlexWarpRows *list, PlexLinesBuffers *b)
{
  PetscInt nwarps = 0;
  int     *to;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) w->where[elements[k]] = (int)k;
  PlexLinesListRows(w, ndofs, dofs, list);
  PlexWarpRowsSort_Private(list, PETSC_TRUE);
  PetscCall(PlexLinesArrange(w, list->n, list->rows));
  PetscCall(PlexPackBufferExtend(&b->warpStart, 1, &to));
  *to = (int)(b->warps.n / 5);
  for (PetscInt k = 0, m; k < list->n; k += m, ++nwarps) {
    m = PlexLinesWarpRows(w->lines, list->n - k, &list->rows[k]);
    PetscCall(PlexLinesWarp(w, m, &list->rows[k], b));
  }
  w->lines->mostWarps = PetscMax(w->lines->mostWarps, nwarps);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexLinesFill_Private(PlexAssembly asm_, PlexProduct *product, const PlexLists *touching,
                                     PlexLines *lines)
{
  PlexElements     el = asm_->elements;
  PlexLinesBuild   w  = {.asm_ = asm_, .touching = touching, .lines = lines};
  PlexLinesBuffers b;
  PlexWarpRows     list;
  PlexLists       *around = &asm_->parts.around;
  PetscInt        *start, most = 0;
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
  PetscCall(PetscMalloc1(el->Ne, &w.where));
  PetscCall(PlexWarpRowsCreate_Private(most, &list));
  for (PetscInt k = 0; k < around->n; ++k)
    PetscCall(PlexLinesBlock(&w, start[k + 1] - start[k], &order[start[k]], around->start[k + 1] - around->start[k],
                             &around->items[around->start[k]], &list, &b));
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
  PetscCall(PetscFree(w.where));
  PetscCall(PlexWarpRowsDestroy_Private(&list));
  PetscCall(PetscFree(start));
  PetscCall(PetscFree(order));
  PetscCall(PetscFree(part));
  PetscFunctionReturn(PETSC_SUCCESS);
}
