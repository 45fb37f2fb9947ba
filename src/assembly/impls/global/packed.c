/*
  Packed element data of global_row. The numbers of an element are half its matrix, in the order in which the first kernel has them: order[i][j] says where
  the second one finds entry (i, j), whichever half it is in. Of each row it reads a record with all that it sums; rows of hexahedra are summed in registers (seats.c).
*/
#include "packed.h"
#include "../../integrate/lines.h"
#include "../../integrate/integrate.h"
#include "../../../dm/elementsimpl.h" /* PlexPatternLongest() */

#define PLEX_PACKED_REDUCE        512 /* threads of a block of rows whose sums are in shared memory */
#define PLEX_PACKED_RESIDENT      3   /* such blocks of a multiprocessor, most */
#define PLEX_PACKED_ROWS          256 /* rows of one */
#define PLEX_SEATS_REDUCE         448 /* and of those whose sums are in registers: the more threads a block has, the more of what it reads is in the L1 cache */
#define PLEX_SEATS_RESIDENT       2
#define PLEX_SEATS_ROWS           224
#define PLEX_PACKED_LEAST         20                          /* dofs by tensors, least: smaller elements have pairs of nodes, which need no element data */
#define PLEX_PACKED_NUMBERS       32                          /* numbers of G an element, most, which a warp has in registers */
#define PLEX_PACKED_LANES         32                          /* hexahedra of a block */
#define PLEX_PACKED_TILE          3                           /* dofs of a tile */
#define PLEX_PACKED_DOFS          (1 << PLEX_PACKED_DOF_BITS) /* dofs of an element that can be numbered, most */
#define PLEX_PACKED_POSITION_BITS (32 - PLEX_PACKED_DOF_BITS) /* bits that number an element */
#define PLEX_PACKED_REGISTERS     168                         /* of a thread with lines, about */
#define PLEX_PACKED_TOO_MANY      "More than 2^31 words of what rows sum: use a smaller -plex_assembly_memory, or distribute the mesh over more ranks"

static PetscInt PlexPackedPad(PetscInt n)
{
  return (n + PLEX_PACKED_CHUNK - 1) / PLEX_PACKED_CHUNK * PLEX_PACKED_CHUNK;
}

/* ---- Hexahedra: the units of cuda/assembly/global_row_lines.cu */

static const struct {
  PetscBool same;     /* pairs ix = jx, or ix < jx */
  PetscInt  first, n; /* pairs (iy, jy) */
} PlexUnits[] = {
  {PETSC_FALSE, 0, 5},
  {PETSC_TRUE,  0, 6},
  {PETSC_FALSE, 5, 4}
};

/* Entries of the pairs `first` to k - 1 */
static PetscInt PlexPackedEntries(PetscBool same, PetscInt first, PetscInt k)
{
  PetscInt n = 0;

  for (PetscInt m = first; m < k; ++m) n += same && (m == 0 || m == 3 || m == 5) ? 6 : 9;
  return n;
}

/* Where the entry (i, j) is, i[3] and j[3] numbers of the nodes along the lines */
static PetscInt PlexPackedLineEntry(const PetscInt i[3], const PetscInt j[3])
{
  PetscBool      same;
  PetscInt       at = 0, x;
  const PetscInt m  = PlexLinesMatrixEntry_Private(i, j, &same, &x);

  for (size_t u = 0; u < PETSC_STATIC_ARRAY_LENGTH(PlexUnits); ++u) {
    const PetscInt begin = PlexPackedEntries(same, 0, PlexUnits[u].first), n = PlexPackedEntries(PlexUnits[u].same, PlexUnits[u].first, PlexUnits[u].first + PlexUnits[u].n), size = PlexPackedPad(n);

    if (PlexUnits[u].same == same && m >= begin && m < begin + n) return at + x * size + m - begin;
    at += 3 * size;
  }
  return -1; /* no unit has it */
}

static PetscInt PlexPackedLineSize(void)
{
  PetscInt n = 0;

  for (size_t u = 0; u < PETSC_STATIC_ARRAY_LENGTH(PlexUnits); ++u) n += 3 * PlexPackedPad(PlexPackedEntries(PlexUnits[u].same, PlexUnits[u].first, PlexUnits[u].first + PlexUnits[u].n));
  return n;
}

static void PlexPackedOrderLines(const PlexLineTables *t, unsigned short order[])
{
  for (PetscInt a = 0; a < 27; ++a) {
    for (PetscInt b = 0; b < 27; ++b) {
      const PetscInt i[3] = {a / 9, a / 3 % 3, a % 3}, j[3] = {b / 9, b / 3 % 3, b % 3};

      order[t->dof[a] * 27 + t->dof[b]] = (unsigned short)PlexPackedLineEntry(i, j);
    }
  }
}

static size_t PlexPackedLineBytes(PlexAssembly asm_, const PlexLineTables *t)
{
  PetscInt same, other; /* numbers V of a point (y, z) of each pair (ix, jx) */

  (void)PlexLinesMatrixNumbers_Private(asm_, &same, &other);
  return PlexAssemblyRealSize(asm_) * (size_t)(PLEX_PACKED_LANES * 3 * (same + other) * t->Q * t->Q);
}

/* ---- Tensors */

/* Dofs come in tiles of three, as many as an edge or a face of a tetrahedron of order 4 has, from the first behind those of the cell on, which come first; of each pair of
   tiles there are all entries, or half of them if it is one tile and itself. Those of a row that lie in one tile are neighbours then, or nearly so, whichever of both dofs
   comes first. order NULL: how many there are */
static PetscInt PlexPackedOrderTiles(PetscInt ef, PetscInt first, unsigned short order[])
{
  PetscInt n = 0;

  for (PetscInt t = 0; t < ef; t += PLEX_PACKED_TILE) {
    for (PetscInt u = t; u < ef; u += PLEX_PACKED_TILE) {
      for (PetscInt i = t; i < PetscMin(ef, t + PLEX_PACKED_TILE); ++i) {
        for (PetscInt j = t == u ? i : u; j < PetscMin(ef, u + PLEX_PACKED_TILE); ++j, ++n) {
          const PetscInt a = (i + first) % ef, b = (j + first) % ef;

          if (order) order[a * ef + b] = order[b * ef + a] = (unsigned short)n;
        }
      }
    }
  }
  return n;
}

static PetscErrorCode PlexPackedInterior(PlexElements el, PetscInt *n)
{
  PetscFE        fe;
  PetscDualSpace dual;

  PetscFunctionBegin;
  PetscCall(PetscDSGetDiscretization(el->ds, 0, (PetscObject *)&fe));
  PetscCall(PetscFEGetDualSpace(fe, &dual));
  PetscCall(PetscDualSpaceGetInteriorDimension(dual, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers of G an element */
static PetscInt PlexPackedNumbers(const PlexProduct *product)
{
  return product->tensor->at->Nq * product->tensor->nab;
}

/* K of each entry in their order */
static PetscErrorCode PlexPackedUploadTensor(PlexAssembly asm_, const PlexProduct *product, const unsigned short order[], void **at)
{
  const PetscInt ef = asm_->elements->ef, numbers = PlexPackedNumbers(product);
  PetscReal     *K, *fragments;
  float         *single;
  size_t         n;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(product->nd * numbers, &K));
  for (PetscInt i = 0; i < ef; ++i)
    for (PetscInt j = 0; j < ef; ++j)
      for (PetscInt k = 0; k < numbers; ++k) K[order[i * ef + j] * numbers + k] = product->tensor->K[(i * numbers + k) * ef + j];
  PetscCall(PlexFragmentsCreate(asm_->precision, product->nd / PLEX_PACKED_CHUNK, 1, K, product->nd, numbers, &n, &fragments));
  if (asm_->precision == PLEX_PRECISION_SINGLE) {
    PetscCall(PetscMalloc1(n, &single));
    for (size_t k = 0; k < n; ++k) single[k] = (float)fragments[k];
    PetscCall(PlexBackendUpload(asm_->backend, single, sizeof(float) * n, at));
    PetscCall(PetscFree(single));
  } else PetscCall(PlexBackendUpload(asm_->backend, fragments, sizeof(PetscReal) * n, at));
  PetscCall(PetscFree(fragments));
  PetscCall(PetscFree(K));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Both */

/* Bytes of the sums of a block of rows in shared memory: PLEX_PACKED_SUMS of cuda/assembly/packed.cuh */
static size_t PlexPackedSums(const PlexPacked *packed)
{
  return sizeof(PetscScalar) * (size_t)((packed->longest + 63) / 64 * 64 * (PLEX_PACKED_REDUCE / 32));
}

/* How rows are summed; no kind, if they are too long */
static PetscErrorCode PlexPackedSetRows(PlexAssembly asm_, PlexPacked *packed)
{
  PlexBackendLimits limits;

  PetscFunctionBegin;
  packed->registers = packed->kind == PLEX_PACKED_LINES; /* more, once rows are known */
  if (packed->registers) PetscFunctionReturn(PETSC_SUCCESS);
  packed->longest    = PlexPatternLongest(asm_->pattern);
  packed->placeBytes = packed->longest < 256 ? 1 : 2; /* the longest row's length says that an entry is dropped */
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  if (packed->longest >= 65535 || PlexPackedSums(packed) > limits.sharedPerBlock / 2) packed->kind = PLEX_PACKED_NONE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexPackedFind(PlexAssembly asm_, PlexProduct *product, PlexPacked *packed)
{
  PlexElements      el = asm_->elements;
  PlexBackendLimits limits;
  PetscBool         serves;

  PetscFunctionBegin;
  packed->kind = PLEX_PACKED_NONE;
  if (product->kind != PLEX_JACOBIAN || el->ef > PLEX_PACKED_DOFS || asm_->repeated || asm_->teamSize > 1 || asm_->dummy || el->integral.facets || el->Nf != 1 || el->Nc[0] != 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  if (product->tensor) {
    if (PlexBackendHasUnits(asm_->backend) && product->tensor->symmetric && el->ef >= PLEX_PACKED_LEAST && PlexPackedNumbers(product) <= PLEX_PACKED_NUMBERS) packed->kind = PLEX_PACKED_TENSOR;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (el->dim != 3 || !PlexLinesIsSymmetric_Private(asm_, product)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexLinesServe_Private(asm_, product, &packed->tables, &serves));
  if (serves && packed->tables.N == 3 && PlexPackedLineBytes(asm_, &packed->tables) <= limits.sharedPerBlock * 9 / 10) packed->kind = PLEX_PACKED_LINES;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPackedChoose_Private(PlexAssembly asm_, PlexProduct *product, PlexPacked *packed)
{
  const PetscInt ef = asm_->elements->ef;
  unsigned short order[PLEX_PACKED_DOFS * PLEX_PACKED_DOFS];
  PetscInt       interior;

  PetscFunctionBegin;
  PetscCall(PlexPackedFind(asm_, product, packed));
  if (packed->kind == PLEX_PACKED_NONE) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexPackedSetRows(asm_, packed));
  if (packed->kind == PLEX_PACKED_NONE) PetscFunctionReturn(PETSC_SUCCESS);
  product->symmetric = PETSC_TRUE;
  product->team      = 1;
  product->rows      = 1;
  product->work      = 0;
  if (packed->kind == PLEX_PACKED_LINES) {
    PlexPackedOrderLines(&packed->tables, order);
    product->nd    = PlexPackedLineSize();
    product->block = asm_->blockSize ? asm_->blockSize : 192;
    product->lines = &packed->tables;
  } else {
    PetscCall(PlexPackedInterior(asm_->elements, &interior));
    product->nd    = PlexPackedPad(PlexPackedOrderTiles(ef, interior, order));
    product->block = asm_->blockSize ? asm_->blockSize : 128;
    PetscCall(PlexPackedUploadTensor(asm_, product, order, &packed->K));
  }
  if (!packed->registers) PetscCall(PlexBackendUpload(asm_->backend, order, sizeof(*order) * (size_t)(ef * ef), (void **)&packed->order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPackedDestroy_Private(PlexAssembly asm_, PlexPacked *packed)
{
  PetscFunctionBegin;
  PetscCall(PlexBackendFree(asm_->backend, (void **)&packed->order));
  PetscCall(PlexBackendFree(asm_->backend, &packed->K));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt PlexPackedElements_Private(PlexAssembly asm_, PlexProduct *product, const PlexPacked *packed, size_t budget)
{
  const PetscInt most = PlexBlocksElements_Private(asm_, product, budget);

  return packed->kind == PLEX_PACKED_LINES ? PetscMin(PLEX_PACKED_LANES, asm_->partitionSize ? most : PLEX_PACKED_LANES) : most;
}

/* Row k's record */
static void PlexPackedRecord(const PlexPacked *packed, const PlexRowLists *lists, PetscInt k, PetscInt ef, unsigned record[])
{
  const PetscInt        count = lists->start[k + 1] - lists->start[k];
  const int            *items = &lists->items[lists->start[k]];
  const unsigned short *place = &lists->place[(size_t)lists->start[k] * (size_t)ef];

  record[0] = (unsigned)lists->ids[k];
  record[1] = (unsigned)lists->length[k] | (unsigned)count << 16;
  for (PetscInt c = 0; c < count; ++c) record[2 + c] = (unsigned)(items[c] / ef) << PLEX_PACKED_DOF_BITS | (unsigned)(items[c] % ef);
  for (PetscInt j = 0; j < count * ef; ++j) {
    const unsigned short at = place[j] == 0xffff ? (unsigned short)packed->longest : place[j];

    if (packed->placeBytes == 1) ((unsigned char *)&record[2 + count])[j] = (unsigned char)at;
    else ((unsigned short *)&record[2 + count])[j] = at;
  }
}

/* Rows whose sums are in shared memory */
static PetscErrorCode PlexPackedRecords(PlexAssembly asm_, const PlexPacked *packed, const PlexRowLists *lists, PlexPackedRows *rows)
{
  const PetscInt ef = asm_->elements->ef, nrows = lists->nrows;
  PetscInt64     words = 0;
  unsigned      *records;
  int           *start;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(nrows + 1, &start));
  for (PetscInt k = 0; k < nrows; ++k) {
    const PetscInt count = lists->start[k + 1] - lists->start[k];

    PetscCheck(count <= 65535, PETSC_COMM_SELF, PETSC_ERR_SUP, "%" PetscInt_FMT " elements meet at a dof, and 65535 can be numbered: use -plex_assembly_type %s", count, PLEXASSEMBLYGLOBALNZ);
    start[k] = (int)words;
    words += 2 + count + (count * ef * packed->placeBytes + 3) / 4;
    PetscCheck(words < PETSC_INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP, PLEX_PACKED_TOO_MANY);
  }
  start[nrows] = (int)words;
  PetscCall(PetscMalloc1(words, &records));
  for (PetscInt k = 0; k < nrows; ++k) {
    records[start[k + 1] - 1] = 0; /* of which not all bytes may be places */
    PlexPackedRecord(packed, lists, k, ef, &records[start[k]]);
  }
  rows->grid  = (nrows + PLEX_PACKED_ROWS - 1) / PLEX_PACKED_ROWS;
  rows->bytes = 4. * (double)words + 4. * (double)nrows;
  PetscCall(PlexBackendUpload(asm_->backend, start, sizeof(int) * (size_t)(nrows + 1), (void **)&rows->device.start));
  PetscCall(PlexBackendUpload(asm_->backend, records, sizeof(*records) * (size_t)words, (void **)&rows->device.records));
  rows->device.order = packed->order;
  PetscCall(PetscFree(records));
  PetscCall(PetscFree(start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows whose sums are in registers */
static PetscErrorCode PlexPackedSeats(PlexAssembly asm_, PlexProduct *product, PlexPacked *packed, const PlexRowLists *lists, PetscInt fresh, PlexPackedRows *rows)
{
  const PetscInt  ef = asm_->elements->ef;
  unsigned short  order[PLEX_PACKED_DOFS * PLEX_PACKED_DOFS];
  PetscInt        registers;
  size_t          nparts = 0, nitems = 0, nshapes;
  PlexSeats       seats;
  PetscSegBuffer  partBuffer, itemBuffer;
  PlexSeatsPart  *parts;
  unsigned       *items;
  const PlexSeat *shapes;

  PetscFunctionBegin;
  PlexPackedOrderLines(&packed->tables, order);
  PetscCall(PlexSeatsCreate_Private(ef, order, &seats));
  PetscCall(PetscSegBufferCreate(sizeof(*parts), (size_t)PetscMax(1, lists->nrows), &partBuffer));
  PetscCall(PetscSegBufferCreate(sizeof(*items), (size_t)PetscMax(1, lists->nrows), &itemBuffer));
  for (PetscInt k = 0; k < lists->nrows; ++k) {
    const PetscInt start = lists->start[k];
    PlexSeatedRow  row;

    if (k == fresh) rows->fresh = (PetscInt)nparts;
    PetscCall(PlexSeatsGetRow_Private(seats, lists->length[k], lists->start[k + 1] - start, &lists->items[start], &lists->place[(size_t)start * (size_t)ef], &row));
    for (PetscInt p = 0; p < row.nparts; ++p, ++nparts) {
      const PlexSeatedPart *seated = &row.parts[p];
      PlexSeatsPart        *part;

      PetscCall(PetscSegBufferGet(partBuffer, 1, &part));
      *part = (PlexSeatsPart){.first = (int)(lists->ids[k] + seated->first), .count = seated->count, .shape = seated->shape, .more = (unsigned)nitems};
      for (PetscInt m = 0; m < seated->nitems; ++m) {
        unsigned *item = &part->items[m];

        if (m >= PLEX_SEATS_AHEAD) {
          PetscCall(PetscSegBufferGet(itemBuffer, 1, &item));
          ++nitems;
        }
        *item = (unsigned)(lists->items[start + row.order[seated->items[m]]] / ef * product->nd);
      }
    }
    PetscCheck(nitems < PETSC_INT32_MAX && nparts < PETSC_INT32_MAX / 8, PETSC_COMM_SELF, PETSC_ERR_SUP, PLEX_PACKED_TOO_MANY);
  }
  if (fresh >= lists->nrows) rows->fresh = (PetscInt)nparts;
  rows->nrows = (PetscInt)nparts;
  PetscCall(PlexSeatsGetShapes_Private(seats, &nshapes, &shapes, &registers));
  PetscCall(PetscSegBufferExtractInPlace(partBuffer, &parts));
  PetscCall(PetscSegBufferExtractInPlace(itemBuffer, &items));
  packed->registers = PetscMax(packed->registers, registers);
  rows->grid        = (rows->nrows + PLEX_SEATS_ROWS - 1) / PLEX_SEATS_ROWS;
  rows->bytes       = (double)(sizeof(*parts) * nparts + sizeof(*items) * nitems + sizeof(*shapes) * nshapes);
  PetscCall(PlexBackendUpload(asm_->backend, parts, sizeof(*parts) * nparts, (void **)&rows->seats.parts));
  PetscCall(PlexBackendUpload(asm_->backend, items, sizeof(*items) * nitems, (void **)&rows->seats.items));
  PetscCall(PlexBackendUpload(asm_->backend, shapes, sizeof(*shapes) * nshapes, (void **)&rows->seats.seats));
  PetscCall(PetscSegBufferDestroy(&partBuffer));
  PetscCall(PetscSegBufferDestroy(&itemBuffer));
  PetscCall(PlexSeatsDestroy_Private(&seats));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPackedRowsCreate_Private(PlexAssembly asm_, PlexProduct *product, PlexPacked *packed, const PlexBlocks *blocks, PetscInt b0, PetscInt b1, PetscInt nrows, PetscInt fresh, const int dofs[], PlexPackedRows *rows)
{
  PlexRowLists lists;

  PetscFunctionBegin;
  PetscCheck(packed->registers || (blocks->elementStart[b1] - blocks->elementStart[b0]) >> PLEX_PACKED_POSITION_BITS == 0, PETSC_COMM_SELF, PETSC_ERR_SUP, "More than 2^%d elements at once: use a smaller -plex_assembly_memory, or distribute the mesh over more ranks", PLEX_PACKED_POSITION_BITS);
  PetscCall(PlexRowListsCreate_Private(asm_, product, blocks, b0, b1, nrows, dofs, NULL, &lists));
  *rows = (PlexPackedRows){.nrows = nrows, .fresh = fresh};
  if (packed->registers) PetscCall(PlexPackedSeats(asm_, product, packed, &lists, fresh, rows));
  else PetscCall(PlexPackedRecords(asm_, packed, &lists, rows));
  PetscCall(PlexRowListsDestroy_Private(&lists));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPackedRowsDestroy_Private(PlexAssembly asm_, PlexPackedRows *rows)
{
  PetscFunctionBegin;
  PetscCall(PlexBackendFree(asm_->backend, (void **)&rows->device.start));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&rows->device.records));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&rows->seats.parts));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&rows->seats.items));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&rows->seats.seats));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPackedCompile_Private(PlexAssembly asm_, PlexProduct *product, const PlexPacked *packed, const PlexBlocks *blocks, size_t *shared, size_t *sums, PetscInt *block)
{
  const char *const file[]   = {NULL, "global_row_lines.cu", "global_row_tensor.cu"};
  const PetscBool   lines    = (PetscBool)(packed->kind == PLEX_PACKED_LINES);
  const PetscInt    seated   = packed->registers;
  PetscInt          per      = PLEX_PACKED_CHUNK, resident;
  PetscInt          ndefines = 0;
  PlexBackendLimits limits;
  size_t            stage;
  char              text[9][64];
  const char       *defines[PETSC_STATIC_ARRAY_LENGTH(text)];

  PetscFunctionBegin;
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  if (packed->kind == PLEX_PACKED_TENSOR) per = PlexFragmentStride(asm_->precision, PlexPackedNumbers(product));
  stage   = PlexAssemblyRealSize(asm_) * (size_t)(product->block * per);
  *block  = seated ? PLEX_SEATS_REDUCE : PLEX_PACKED_REDUCE;
  *sums   = seated ? 0 : PlexPackedSums(packed);
  *shared = lines ? PlexPackedLineBytes(asm_, &packed->tables) + PetscMax(stage, blocks->sharedBytes) : stage + blocks->sharedBytes;
  PetscCheck(*shared <= limits.sharedPerBlock, PETSC_COMM_SELF, PETSC_ERR_SUP, "A block of elements takes %zu bytes of shared memory, and there are %zu: use a smaller -plex_assembly_block_size or -plex_assembly_partition_size", *shared, limits.sharedPerBlock);
  resident = PetscMin(65536 / (PLEX_PACKED_REGISTERS * product->block), (PetscInt)(limits.sharedPerProcessor / (*shared + 1024)));
  const struct {
    const char *name;
    PetscInt    value;
  } sizes[] = {
    {"SEATS", packed->registers},
    {"PLACE_BYTES", packed->placeBytes},
    {"LONGEST", packed->longest},
    {"REDUCE_BLOCK", *block},
    {"REDUCE_ROWS", seated ? PLEX_SEATS_ROWS : PLEX_PACKED_ROWS},
    {"REDUCE_RESIDENT", seated ? PLEX_SEATS_RESIDENT : PetscMax(1, PetscMin(PLEX_PACKED_RESIDENT, (PetscInt)(limits.sharedPerProcessor / (*sums + 8192))))},
    {"RESIDENT", PetscMax(1, resident)},
    {"PACKED_STRIDE", per},
    {"LINES_SOLUTION", product->solutionUnread ? 0 : 1}, /* else the functions do not depend on it */
  };

  for (; ndefines < (PetscInt)PETSC_STATIC_ARRAY_LENGTH(sizes); ++ndefines) {
    PetscCall(PetscSNPrintf(text[ndefines], sizeof(text[ndefines]), "PLEX_%s=%d", sizes[ndefines].name, (int)sizes[ndefines].value));
    defines[ndefines] = text[ndefines];
  }
  PetscCall(PlexAssemblyCompile(asm_, product, file[packed->kind], ndefines, defines));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPackedCountFlops_Private(PlexAssembly asm_, PlexProduct *product, const PlexPacked *packed, double *flops)
{
  PlexElements el = asm_->elements;
  const double Ne = (double)el->Ne;

  PetscFunctionBegin;
  *flops = PlexAssemblyCountFlops(asm_, product, Ne * PlexAssemblyPoints(asm_, product), packed->kind == PLEX_PACKED_LINES ? 0. : .5 * Ne * (el->ef + 1), 0.);
  if (packed->kind == PLEX_PACKED_LINES) *flops += Ne * PlexLinesMatrixFlops_Private(asm_, &packed->tables);
  PetscFunctionReturn(PETSC_SUCCESS);
}
