/*
  The plan of local_row where elements are products of lines. Blocks are parts of the mesh nodes with the elements around them; of each the
  rows are sorted by what their threads do, and put into warps with the records that they sum.
*/
#include "banks.h"
#include "lines.h"
#include "../../interface/assemblyimpl.h"
#include "../../../dm/elementsimpl.h" /* PlexPatternFind() */

#define PLEX_LINES_SUMS   1280 /* numbers that a warp sums in, unless a row is so long that it takes more */
#define PLEX_LINES_FEW    512  /* of order 1, whose elements' numbers are few as well */
#define PLEX_LINES_PARTS  8    /* threads that a row is shared out to, most */
#define PLEX_LINES_LARGE  1024 /* bytes of an element's numbers from which a block takes a multiprocessor alone */
#define PLEX_LINES_MOST   32   /* elements around a node, most: a thread's records */
#define PLEX_LINES_WINDOW 64   /* rows of which one is taken */
#define PLEX_LINES_STATIC 3072 /* bytes of shared memory for what warps do: more than it takes */
#define PLEX_LINES_TENSOR 4096 /* numbers of K from which tensors are not compiled row by row, see src/assembly/integrate/tables.c */
#define PLEX_LINES_PLACES 65535

typedef struct {
  PlexAssembly     asm_;
  const PlexLists *touching; /* of a local dof, the elements that have it */
  PlexLines       *lines;
  PetscInt         targets;                        /* of all rows so far */
  int             *where;                          /* [Ne] an element's number in the block */
  PetscInt         node[64], kind[64], mirror[64]; /* of an element's dof: its node, and what PlexLinesSee() says */
  PetscInt         seen[8][64];                    /* [ends][nodes] dof */
} PlexLinesWalk;

/* ---- Rows of a block, in warps ---- */

/* A row; kinds: classes of its nodes in its elements, as bits */
typedef struct {
  int l, kinds, count, length, parts, at;
} PlexLinesRow;

static int PlexLinesCompare(const void *a, const void *b)
{
  const PlexLinesRow *p = (const PlexLinesRow *)a, *q = (const PlexLinesRow *)b;

  if (p->parts != q->parts) return q->parts - p->parts;
  if (p->kinds != q->kinds) return p->kinds - q->kinds;
  if (p->count != q->count) return q->count - p->count;
  if (p->length != q->length) return q->length - p->length;
  return p->at - q->at;
}

typedef struct {
  PlexPackBuffer warpStart, warps, rows, records;
} PlexLinesBuffers;

static PetscInt PlexLinesLength(PlexAssembly asm_, PetscInt l)
{
  const PetscInt r = asm_->pattern->row[l];

  return r < 0 ? 0 : asm_->pattern->i[r + 1] - asm_->pattern->i[r];
}

/* Numbers of a column: the row's, one behind it, and as many as fill a chunk of those that are written at a time */
static PetscInt PlexLinesColumn(const PlexLines *lines, PetscInt length)
{
  return (length + lines->chunk) / lines->chunk * lines->chunk;
}

/* Columns of so many rows, as a power of two */
static PetscInt PlexLinesColumns(const PlexLines *lines, PetscInt rows)
{
  PetscInt columns = lines->chunk == 8 ? 2 : 3;

  while (1 << columns < rows) ++columns;
  return columns;
}

/* Threads that a row is shared out to, so that the sums of a full warp have room */
static PetscInt PlexLinesParts(const PlexLines *lines, PetscInt length)
{
  PetscInt parts = 1;

  while (parts < PLEX_LINES_PARTS && PlexLinesColumn(lines, length) << PlexLinesColumns(lines, 32 / parts) > lines->sums) parts *= 2;
  return parts;
}

/* Node (x, y, z) of each element dof, seen from those ends of its lines that it is nearer to: its class, and those ends as bits; and the
   element's dofs seen from any ends, in the order of their nodes */
static void PlexLinesSee(PlexLinesWalk *w)
{
  const PlexLineTables *t    = &w->lines->tables;
  const PetscInt        half = (t->N + 1) / 2, Nn = PetscPowInt(t->N, t->dim);

  for (PetscInt k = 0; k < Nn; ++k) {
    const PetscInt i = t->dof[k];
    PetscInt       x[3];

    for (PetscInt d = t->dim - 1, n = k; d >= 0; --d, n /= t->N) x[d] = n % t->N;
    w->node[i] = k;
    w->kind[i] = w->mirror[i] = 0;
    for (PetscInt d = 0; d < t->dim; ++d) {
      if (x[d] >= half) w->mirror[i] |= 1 << d;
      w->kind[i] = w->kind[i] * half + PetscMin(x[d], t->N - 1 - x[d]);
    }
    for (PetscInt mirror = 0; mirror < 8; ++mirror) {
      PetscInt at = 0;

      for (PetscInt d = 0; d < t->dim; ++d) at = at * t->N + (mirror >> d & 1 ? t->N - 1 - x[d] : x[d]);
      w->seen[mirror][k] = t->dof[at];
    }
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
  PlexElements   el      = w->asm_->elements;
  PlexPattern    pattern = w->asm_->pattern;
  const PetscInt row     = pattern->row[l];
  const PetscInt i = PlexLinesFind(el, e, l), *seen = w->seen[w->lines->matrix ? 0 : w->mirror[i]];

  PetscFunctionBegin;
  record[0] = (unsigned)w->where[e] | (unsigned)(w->lines->matrix ? w->node[i] : w->mirror[i] | w->kind[i] << 8) << 16;
  for (PetscInt j = 0; j < el->ef; ++j) {
    const int      m      = el->dofs[e * el->ef + seen[j]];
    const PetscInt column = pattern->column[m], slot = column < 0 ? -1 : PlexPatternFind(pattern, row, column);

    PetscCheck(column < 0 || slot >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP, "The matrix has no entry (%" PetscInt_FMT ", %" PetscInt_FMT "), which element %" PetscInt_FMT " adds to: make it with DMCreateMatrix() or PlexAssemblyCreateMatrix()", row, column, e);
    PlexLinesSetPlace(w->lines, record, j, column < 0 ? dropped : slot - pattern->i[row]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The order in which the threads of half a warp, which has n rows, read their elements: slot[groups][16], -1: none */
static PetscErrorCode PlexLinesOrder(PlexLinesWalk *w, PetscInt n, const PlexLinesRow rows[], PetscInt groups, int slot[])
{
  PetscInt start[PLEX_BANKS + 1] = {0};
  int      bank[PLEX_BANKS * PLEX_LINES_MOST];

  PetscFunctionBegin;
  for (PetscInt r = 0; r < n; ++r) {
    const PetscInt first = w->touching->start[rows[r].l];

    start[r + 1] = start[r] + rows[r].count;
    for (PetscInt t = 0; t < rows[r].count; ++t) bank[start[r] + t] = w->where[w->touching->items[first + t]] % PLEX_BANKS;
  }
  PlexBanksOrder_Private(n, rows[0].parts, groups, start, bank, slot);
  for (PetscInt k = 0; k < groups * PLEX_BANKS; ++k) {
    const PetscInt r = k % PLEX_BANKS / rows[0].parts;

    if (slot[k] >= 0) slot[k] = w->touching->items[w->touching->start[rows[r].l] + slot[k] - start[r]];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The records of a warp: as many groups as the thread with most of them needs */
static PetscErrorCode PlexLinesRecords(PlexLinesWalk *w, PetscInt n, const PlexLinesRow rows[], PetscInt longest, PetscInt groups, PlexLinesBuffers *b)
{
  const size_t   words = (size_t)w->lines->words;
  const PetscInt parts = rows[0].parts, half = PLEX_BANKS / parts;
  int            slot[PLEX_LINES_MOST * PLEX_BANKS];
  unsigned      *records;

  PetscFunctionBegin;
  PetscCall(PlexPackBufferExtend(&b->records, (size_t)groups * 32 * words, (int **)&records));
  for (PetscInt first = 0; first < n; first += half) {
    PetscCall(PlexLinesOrder(w, PetscMin(half, n - first), &rows[first], groups, slot));
    for (PetscInt g = 0; g < groups; ++g) {
      for (PetscInt k = 0; k < PetscMin(half, n - first) * parts; ++k) {
        unsigned *record = &records[(size_t)g * 32 * words + (size_t)(first * parts + k)];

        if (slot[g * PLEX_BANKS + k] >= 0) PetscCall(PlexLinesRecord(w, slot[g * PLEX_BANKS + k], rows[first + k / parts].l, longest, record));
        else
          for (PetscInt j = 0; j < w->asm_->elements->ef; ++j) PlexLinesSetPlace(w->lines, record, j, longest);
      }
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
    if (k / parts < n) ids[64 + k] = (int)(k / parts) << 8 | (int)(k % parts);
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
  warp[3] = (int)PlexLinesColumns(w->lines, n);
  warp[4] = (int)parts;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows for a warp, shared out alike, whose sums have room */
static PetscInt PlexLinesWarpRows(const PlexLines *lines, PetscInt n, const PlexLinesRow rows[])
{
  PetscInt longest = rows[0].length, m = 1;

  while (m < n && rows[m].parts == rows[0].parts && (m + 1) * rows[0].parts <= 32) {
    longest = PetscMax(longest, rows[m].length);
    if (PlexLinesColumn(lines, longest) << PlexLinesColumns(lines, m + 1) > lines->sums) break;
    ++m;
  }
  return m;
}

/* The rows of dofs[n] */
static PetscInt PlexLinesListRows(PlexLinesWalk *w, PetscInt n, const int dofs[], PlexLinesRow rows[])
{
  PlexElements el    = w->asm_->elements;
  PetscInt     nrows = 0;

  for (PetscInt d = 0; d < n; ++d) {
    const PetscInt l = dofs[d], first = w->touching->start[l], count = w->touching->start[l + 1] - first;
    PlexLinesRow  *row = &rows[nrows];

    if (!PlexLinesLength(w->asm_, l)) continue;
    *row = (PlexLinesRow){.l = (int)l, .count = (int)count, .length = (int)PlexLinesLength(w->asm_, l), .at = (int)((unsigned)nrows * 2654435769u >> 1)};
    for (PetscInt t = first; t < first + count; ++t) row->kinds |= 1 << w->kind[PlexLinesFind(el, w->touching->items[t], l)];
    row->parts = (int)PlexLinesParts(w->lines, row->length);
    w->lines->contributions += (double)count;
    w->targets += row->length;
    ++nrows;
  }
  w->lines->rows += (double)nrows;
  qsort(rows, (size_t)nrows, sizeof(*rows), PlexLinesCompare);
  return nrows;
}

/* What row adds to the reads of each bank, times those that there are */
static PetscInt PlexLinesCost(const PlexLinesWalk *w, const PlexLinesRow *row, const PetscInt load[])
{
  const int *elements = &w->touching->items[w->touching->start[row->l]];
  PetscInt   cost     = 0;

  for (PetscInt t = 0; t < row->count; ++t) cost += load[w->where[elements[t]] % PLEX_BANKS];
  return cost;
}

/* Puts rows that are alike into an order in which those of half a warp, one after the other, read about as many elements of each bank */
static PetscErrorCode PlexLinesArrange(const PlexLinesWalk *w, PetscInt n, PlexLinesRow rows[])
{
  PetscInt load[PLEX_BANKS], half = 0;

  PetscFunctionBegin;
  for (PetscInt r = 0; r < n; ++r, ++half) {
    PetscInt     best = r, least = PETSC_INT_MAX;
    PlexLinesRow row;

    if (r && rows[r].parts != rows[r - 1].parts) half = 0; /* another warp */
    if (half * rows[r].parts % PLEX_BANKS == 0) PetscCall(PetscArrayzero(load, PLEX_BANKS));
    for (PetscInt k = r; k < PetscMin(n, r + PLEX_LINES_WINDOW) && least; ++k) {
      PetscInt cost;

      if (rows[k].parts != rows[r].parts || rows[k].kinds != rows[r].kinds || rows[k].count != rows[r].count) break;
      cost = PlexLinesCost(w, &rows[k], load);
      if (cost >= least) continue;
      least = cost;
      best  = k;
    }
    row        = rows[best];
    rows[best] = rows[r];
    rows[r]    = row;
    for (PetscInt t = 0; t < row.count; ++t) load[w->where[w->touching->items[w->touching->start[row.l] + t]] % PLEX_BANKS]++;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers the n elements of a block, elements[n], and puts them into the order of their numbers; rows in warps, warps[nwarps+1] */
static PetscErrorCode PlexLinesNumber(PlexLinesWalk *w, PetscInt n, int elements[], const PlexLinesRow rows[], PetscInt nwarps, const PetscInt warps[])
{
  PetscInt *start, nhalves = 0, total = 0;
  int      *items, *number, *old;

  PetscFunctionBegin;
  for (PetscInt r = 0; r < warps[nwarps]; ++r) total += rows[r].count;
  PetscCall(PetscMalloc4(2 * nwarps + 1, &start, total, &items, n, &number, n, &old));
  for (PetscInt k = 0; k < n; ++k) w->where[elements[k]] = (int)k;
  total = start[0] = 0;
  for (PetscInt v = 0; v < nwarps; ++v) {
    for (PetscInt r = warps[v]; r < warps[v + 1]; ++r) {
      const PetscInt first = w->touching->start[rows[r].l];

      for (PetscInt t = 0; t < rows[r].count; ++t) items[total++] = w->where[w->touching->items[first + t]];
      if (r + 1 == warps[v + 1] || (r + 1 - warps[v]) * rows[r].parts % PLEX_BANKS == 0) start[++nhalves] = total;
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

/* Appends a block of dofs[ndofs] with the elements around them, which are put into another order; rows[], warps[] are work */
static PetscErrorCode PlexLinesBlock(PlexLinesWalk *w, PetscInt ndofs, const int dofs[], PetscInt n, int elements[], PlexLinesRow rows[], PetscInt warps[], PlexLinesBuffers *b)
{
  const PetscInt nrows  = PlexLinesListRows(w, ndofs, dofs, rows);
  PetscInt       nwarps = 0;
  int           *to;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) w->where[elements[k]] = (int)k;
  PetscCall(PlexLinesArrange(w, nrows, rows));
  warps[0] = 0;
  while (warps[nwarps] < nrows) {
    warps[nwarps + 1] = warps[nwarps] + PlexLinesWarpRows(w->lines, nrows - warps[nwarps], &rows[warps[nwarps]]);
    ++nwarps;
  }
  PetscCall(PlexLinesNumber(w, n, elements, rows, nwarps, warps));
  PetscCall(PlexPackBufferExtend(&b->warpStart, 1, &to));
  *to                 = (int)(b->warps.n / 5);
  w->lines->mostWarps = PetscMax(w->lines->mostWarps, nwarps);
  for (PetscInt k = 0; k < nwarps; ++k) PetscCall(PlexLinesWarp(w, warps[k + 1] - warps[k], &rows[warps[k]], b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The whole ---- */

/* Columns, places and records, from the lengths of the rows */
static PetscErrorCode PlexLinesLayOut(PlexAssembly asm_, PlexProduct *product, const PlexLists *touching, PlexLines *lines)
{
  PetscInt longest = 1;

  PetscFunctionBegin;
  lines->chunk = product->Nt <= 10 * asm_->pattern->m ? 4 : 8;
  lines->sums  = lines->tables.N == 2 ? PLEX_LINES_FEW : PLEX_LINES_SUMS;
  for (PetscInt l = 0; l < asm_->elements->Nl; ++l) {
    const PetscInt length = PlexLinesLength(asm_, l), count = touching->start[l + 1] - touching->start[l];
    PetscInt       parts = 1;

    if (!length) continue;
    while (parts < PLEX_LINES_PARTS && 2 * parts <= count) parts *= 2;
    longest     = PetscMax(longest, length);
    lines->sums = PetscMax(lines->sums, PlexLinesColumn(lines, length) << PlexLinesColumns(lines, 32 / parts)); /* a part has something to do */
  }
  PetscCheck(longest < PLEX_LINES_PLACES, PETSC_COMM_SELF, PETSC_ERR_SUP, "A row of the matrix has %" PetscInt_FMT " non-zeros, and %d can be numbered: use -plex_assembly_type %s", longest, PLEX_LINES_PLACES - 1, PLEXASSEMBLYELEMENTATOMIC);
  lines->sums   = PetscMin(lines->sums, 32 * PlexLinesColumn(lines, longest));
  lines->places = longest < 256 ? 8 : 16;
  lines->words  = 1 + (asm_->elements->ef * lines->places + 31) / 32;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bytes of an element's numbers */
static size_t PlexLinesNumbers(PlexAssembly asm_, const PlexLines *lines)
{
  const PetscInt ef = asm_->elements->ef;
  PlexJets       jets;
  PetscInt       KT, KU, numbers;

  PlexFormGetJets_Private(asm_->form, PLEX_JACOBIAN, &jets);
  KT      = jets.testValue + asm_->elements->dim * jets.testGrad;
  KU      = jets.trialValue + asm_->elements->dim * jets.trialGrad;
  numbers = asm_->elements->Nq * (lines->symmetric ? KT * (KT + 1) / 2 : KT * KU);
  return PlexAssemblyRealSize(asm_) * (size_t)(lines->matrix ? ef * (ef + 1) / 2 : numbers);
}

/* Registers that a thread takes, about, as they were found for an H200: more blocks than have room are not asked for, which would be spills */
static PetscInt PlexLinesRegisters(const PlexLines *lines)
{
  if (lines->matrix) return 224;
  if (lines->tables.dim == 2) return lines->tables.N == 2 ? 80 : lines->tables.N == 3 ? 128 : 168;
  return lines->tables.N == 2 ? 128 : lines->tables.N == 3 ? 168 : 255;
}

/* Elements of a block, threads, and how many blocks share a multiprocessor: what is large has one to itself, as fewer elements are then in
   several blocks; else there are two at least, so that one computes while the other waits */
static PetscErrorCode PlexLinesChooseSizes(PlexAssembly asm_, PlexProduct *product, PlexLines *lines, PetscInt *most)
{
  PlexBackendLimits limits;
  const size_t      one = PlexLinesNumbers(asm_, lines);
  const PetscInt    n   = one < PLEX_LINES_LARGE ? 2 : 1;
  size_t            room, sums, nodal;

  PetscFunctionBegin;
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  product->block = asm_->blockSize ? asm_->blockSize : lines->matrix || lines->tables.N > 3 ? 128 : lines->tables.dim == 3 && lines->tables.N == 3 ? 384 : 256;
  sums           = sizeof(PetscScalar) * (size_t)(lines->sums * (product->block / 32));
  room           = PetscMin(limits.sharedPerBlock, limits.sharedPerProcessor / (size_t)n - 1024) - PLEX_LINES_STATIC;
  /* nodal data of an element whose neighbours have most of its nodes too, before there are sums in their place */
  nodal = PlexAssemblyRealSize(asm_) * (size_t)(1.5 * (double)(asm_->elements->cdim + (product->nzero ? 0 : 2 * PetscPowInt(lines->tables.N - 1, lines->tables.dim))));
  *most = (PetscInt)PetscMin((room - PetscMin(room / 2, sums)) / one, room / (one + nodal));
  *most = PetscMax(16, PetscMin(*most, PetscMax(64, asm_->elements->Ne / (n * PetscMax(1, limits.multiprocessors)))) / 16 * 16);
  if (lines->matrix && *most > product->block) *most -= *most % product->block; /* a thread computes an element */
  if (asm_->partitionSize) *most = asm_->partitionSize;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexLinesCompile(PlexAssembly asm_, PlexProduct *product, PlexLines *lines)
{
  PlexBackendLimits limits;
  const size_t      one = PlexLinesNumbers(asm_, lines);
  char              text[10][64];
  const char       *defines[PETSC_STATIC_ARRAY_LENGTH(text)];
  size_t            fixed;

  PetscFunctionBegin;
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  lines->shared = (one * (size_t)lines->elements + 15) / 16 * 16 + PetscMax(lines->blocks.sharedBytes, sizeof(PetscScalar) * (size_t)(lines->sums * (product->block / 32)));
  fixed         = 20 * (size_t)lines->mostWarps + 64;
  PetscCheck(lines->shared + fixed <= limits.sharedPerBlock, PETSC_COMM_SELF, PETSC_ERR_SUP, "The points of %" PetscInt_FMT " elements and sums of their rows take %zu bytes of shared memory, and a block has %zu: use a smaller -plex_assembly_partition_size, or -plex_assembly_type %s",
             lines->elements, lines->shared, limits.sharedPerBlock, PLEXASSEMBLYELEMENTATOMIC);
  PetscCall(PetscSNPrintf(text[0], sizeof(text[0]), "PLEX_LINES_SYMMETRIC=%d", (int)lines->symmetric));
  PetscCall(PetscSNPrintf(text[1], sizeof(text[1]), "PLEX_LINES_ELEMENTS=%d", (int)lines->elements));
  PetscCall(PetscSNPrintf(text[2], sizeof(text[2]), "PLEX_WORDS=%d", (int)lines->words));
  PetscCall(PetscSNPrintf(text[3], sizeof(text[3]), "PLEX_PLACE_BITS=%d", (int)lines->places));
  PetscCall(PetscSNPrintf(text[4], sizeof(text[4]), "PLEX_SUMS_WARP=%d", (int)lines->sums));
  PetscCall(PetscSNPrintf(text[5], sizeof(text[5]), "PLEX_CHUNK=%d", (int)lines->chunk));
  PetscCall(PetscSNPrintf(text[6], sizeof(text[6]), "PLEX_RESIDENT=%d", (int)PetscMax(1, PetscMin(65536 / (PlexLinesRegisters(lines) * product->block), (PetscInt)(limits.sharedPerProcessor / (lines->shared + fixed + 1024))))));
  PetscCall(PetscSNPrintf(text[7], sizeof(text[7]), "PLEX_LINES_SOLUTION=%d", product->nzero ? 0 : 1)); /* else the functions do not depend on it */
  PetscCall(PetscSNPrintf(text[8], sizeof(text[8]), "PLEX_LINES_MATRIX=%d", (int)lines->matrix));
  PetscCall(PetscSNPrintf(text[9], sizeof(text[9]), "PLEX_LINES_WARPS=%d", (int)PetscMax(1, lines->mostWarps)));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(text); ++k) defines[k] = text[k];
  PetscCall(PlexAssemblyCompile(asm_, product, "local_row_lines.cu", PETSC_STATIC_ARRAY_LENGTH(text), defines));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexLinesUpload(PlexAssembly asm_, PlexPackBuffer *b, void *device)
{
  PetscFunctionBegin;
  PetscCall(PlexBackendUpload(asm_->backend, b->entries, sizeof(int) * b->n, (void **)device));
  PetscCall(PlexPackBufferDestroy(b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Warps and records of all blocks */
static PetscErrorCode PlexLinesFill(PlexAssembly asm_, PlexProduct *product, const PlexLists *touching, PlexLines *lines)
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
  PetscCall(PetscMalloc3(el->Ne, &w.where, most, &rows, most + 1, &warps));
  for (PetscInt k = 0; k < around->n; ++k) PetscCall(PlexLinesBlock(&w, start[k + 1] - start[k], &order[start[k]], around->start[k + 1] - around->start[k], &around->items[around->start[k]], rows, warps, &b));
  PetscCall(PlexPackBufferExtend(&b.warpStart, 1, &to));
  *to           = (int)(b.warps.n / 5);
  lines->zero   = (PetscBool)(w.targets < product->Nt - asm_->pattern->unused);
  lines->nwarps = *to;
  lines->groups = b.records.n / (size_t)(32 * lines->words);
  PetscCall(PlexBackendUpload(asm_->backend, elements, sizeof(int) * (size_t)around->n, (void **)&lines->device.elements));
  PetscCall(PetscFree(elements));
  PetscCall(PlexLinesUpload(asm_, &b.warpStart, &lines->device.warpStart));
  PetscCall(PlexLinesUpload(asm_, &b.warps, &lines->device.warps));
  PetscCall(PlexLinesUpload(asm_, &b.rows, &lines->device.rows));
  PetscCall(PlexLinesUpload(asm_, &b.records, &lines->device.records));
  PetscCall(PetscFree3(w.where, rows, warps));
  PetscCall(PetscFree(start));
  PetscCall(PetscFree(order));
  PetscCall(PetscFree(part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Multiplications and additions of a row: w_b, then the sums along lines */
static double PlexLinesRowFlops(PlexAssembly asm_, const PlexLines *lines)
{
  const double N = (double)lines->tables.N, Q = (double)lines->tables.Q;
  PlexJets     jets;
  double       KT, KU;

  PlexFormGetJets_Private(asm_->form, PLEX_JACOBIAN, &jets);
  KT = jets.testValue + lines->tables.dim * jets.testGrad;
  KU = jets.trialValue + lines->tables.dim * jets.trialGrad;
  if (lines->tables.dim == 2) return 2 * (Q * Q * KT * KU + Q * Q * N * KU + Q * N * N * 2);
  return 2 * (Q * Q * Q * KT * KU + Q * Q * Q * N * KU + Q * Q * N * N * 3 + Q * N * N * N * 2);
}

PetscErrorCode PlexLinesServe_Private(PlexAssembly asm_, PlexProduct *product, PlexLineTables *tables, PetscBool *serves)
{
  PlexElements el = asm_->elements;

  PetscFunctionBegin;
  *serves = PETSC_FALSE;
  if (product->kind == PLEX_RESIDUAL || product->tensor || el->integral.facets || el->NfAux || asm_->repeated || asm_->teamSize > 1 || asm_->dummy) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexLineTablesCreate_Private(el, tables, serves));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexLinesPreferred_Private(PlexAssembly asm_, PlexProduct *product, const PlexTensorPlan *plan, PetscBool *lines)
{
  PlexElements        el         = asm_->elements;
  const PlexStrategy *s          = &asm_->strategy[product->kind];
  PlexProduct         quadrature = {.kind = product->kind};
  PlexLineTables      tables;
  PlexJets            jets;
  double              nab, points;
  PetscBool           row = PETSC_TRUE;

  PetscFunctionBegin;
  *lines = PETSC_FALSE;
  if (!asm_->backend || !asm_->backend->kernels) PetscFunctionReturn(PETSC_SUCCESS);
  if (s->type && !s->chosen) PetscCall(PetscStrcmp(s->type, PLEXASSEMBLYLOCALROW, &row));
  PlexFormGetJets_Private(asm_->form, product->kind, &jets);
  nab    = (double)(jets.testValue + el->dim * jets.testGrad) * (double)(jets.trialValue + el->dim * jets.trialGrad);
  points = (double)PetscPowInt(plan->degree + 1, el->dim);
  if (!row || points * nab * (double)(el->ef * el->ef) <= PLEX_LINES_TENSOR) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexLinesServe_Private(asm_, &quadrature, &tables, lines));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexLinesCreate_Private(PlexAssembly asm_, PlexProduct *product, PetscBool *serves, PlexLines *lines)
{
  PlexElements el = asm_->elements;
  PlexLists    touching;
  PlexJets     jets;
  PetscInt     most, around = 0;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(lines, sizeof(*lines)));
  PetscCall(PlexLinesServe_Private(asm_, product, &lines->tables, serves));
  if (!*serves) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexListsInvert(el->Ne, el->ef, el->dofs, el->Nl, &touching));
  for (PetscInt l = 0; l < el->Nl; ++l) around = PetscMax(around, touching.start[l + 1] - touching.start[l]);
  if (around > PLEX_LINES_MOST) {
    *serves = PETSC_FALSE;
    PetscCall(PlexListsDestroy(&touching));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PlexFormGetJets_Private(asm_->form, PLEX_JACOBIAN, &jets);
  lines->symmetric   = (PetscBool)((product->symmetric || product->equal) && jets.testValue == jets.trialValue && jets.testGrad == jets.trialGrad);
  lines->matrix      = (PetscBool)(lines->symmetric && el->dim == 3 && lines->tables.N == 2 && lines->tables.Q == 2 && lines->tables.corners && !jets.testValue);
  product->symmetric = PETSC_FALSE; /* a row is computed whole */
  product->nd        = el->ef * el->ef;
  product->team      = 1;
  product->rows      = 1;
  product->work      = 0;
  product->lines     = &lines->tables;
  PetscCall(PlexLinesLayOut(asm_, product, &touching, lines));
  PetscCall(PlexLinesChooseSizes(asm_, product, lines, &most));
  PetscCall(PlexNodeParts_Private(asm_, most));
  PetscCall(PlexLinesFill(asm_, product, &touching, lines));
  PetscCall(PlexListsDestroy(&touching));
  PetscCall(PlexBlocksCreate_Private(asm_, product, &asm_->parts.around, &lines->blocks));
  product->flops = PlexAssemblyCountFlops(asm_, product, lines->computed * el->Nq, 0, 0) + lines->contributions * PlexLinesRowFlops(asm_, lines);
  product->bytes = 128.0 * (double)lines->groups * lines->words + (20.0 + 384.0) * lines->nwarps + lines->blocks.bytes + 8.0 * product->Nt;
  PetscCall(PlexLinesCompile(asm_, product, lines));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexLinesDestroy_Private(PlexAssembly asm_, PlexLines *lines)
{
  PetscFunctionBegin;
  PetscCall(PlexBackendFree(asm_->backend, (void **)&lines->device.elements));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&lines->device.warpStart));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&lines->device.warps));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&lines->device.rows));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&lines->device.records));
  PetscCall(PlexBlocksDestroy_Private(asm_, &lines->blocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexLinesView_Private(const PlexLines *lines, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer, "sums along lines: %" PetscInt_FMT " points a line; blocks: %" PetscInt_FMT ", of %.4g rows and %.4g elements, %zu bytes of shared memory; an element is in %.3g blocks\n", lines->tables.Q, lines->blocks.nblocks,
                                   lines->rows / lines->blocks.nblocks, lines->computed / lines->blocks.nblocks, lines->shared, lines->computed / (lines->contributions / (double)PetscPowInt(lines->tables.N, lines->tables.dim))));
  PetscCall(PetscViewerASCIIPrintf(viewer, "records: %" PetscInt_FMT " bytes, %.3g %% padding\n", 4 * lines->words, 100 * (1.0 - lines->contributions / (32.0 * (double)lines->groups))));
  PetscFunctionReturn(PETSC_SUCCESS);
}
