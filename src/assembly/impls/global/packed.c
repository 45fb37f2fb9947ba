/*
  Packed element data of global_row. The numbers of an element are half its matrix, in the order in which the first kernel has them: order[i][j] says where
  the second one finds entry (i, j), whichever half it is in. Of each row it reads a record with all that it sums.
*/
#include "packed.h"
#include "../local/lines.h"
#include "../../interface/assemblyimpl.h"

#define PLEX_PACKED_REDUCE    512                         /* threads of a block of rows */
#define PLEX_PACKED_ROWS      256                         /* its rows */
#define PLEX_PACKED_LEAST     20                          /* dofs of a simplex, least: smaller ones have pairs of nodes, which need no element data */
#define PLEX_PACKED_MOST      40                          /* and most */
#define PLEX_PACKED_WORK      6400                        /* multiplications of an element that are compiled, most: its dofs squared times numbers of G */
#define PLEX_PACKED_LANES     32                          /* hexahedra of a block */
#define PLEX_PACKED_TILE      3                           /* PLEX_TILE of cuda/assembly/global_row_tensor.cu */
#define PLEX_PACKED_DOFS      (1 << PLEX_PACKED_DOF_BITS) /* dofs of an element that can be numbered, most */
#define PLEX_PACKED_WHOLE     (32 - PLEX_PACKED_DOF_BITS) /* bits that number an element */
#define PLEX_PACKED_REGISTERS 168                         /* of a thread with lines, about */

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

/* Number of the pair i <= j of three */
static PetscInt PlexPackedPair(PetscInt i, PetscInt j)
{
  return 3 * i - i * (i - 1) / 2 + j - i;
}

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
  const PetscBool same = (PetscBool)(i[0] == j[0]), half = (PetscBool)(same && i[1] == j[1]);
  PetscInt        at = 0, pair, x;

  if (i[0] > j[0] || (same && i[1] > j[1]) || (half && i[2] > j[2])) return PlexPackedLineEntry(j, i);
  pair = same ? PlexPackedPair(i[1], j[1]) : 3 * i[1] + j[1];
  x    = same ? i[0] : i[0] + j[0] - 1; /* (0, 1), (0, 2), (1, 2) */
  for (PetscInt u = 0; u < (PetscInt)PETSC_STATIC_ARRAY_LENGTH(PlexUnits); ++u) {
    const PetscInt size = PlexPackedPad(PlexPackedEntries(PlexUnits[u].same, PlexUnits[u].first, PlexUnits[u].first + PlexUnits[u].n));

    if (PlexUnits[u].same == same && pair >= PlexUnits[u].first && pair < PlexUnits[u].first + PlexUnits[u].n) return at + x * size + PlexPackedEntries(same, PlexUnits[u].first, pair) + (half ? PlexPackedPair(i[2], j[2]) : 3 * i[2] + j[2]);
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

/* Numbers of V, cuda/integrate/lines_matrix.cuh, of a point (y, z), and the sums over them that an entry (iy, jy) is */
static void PlexPackedLineNumbers(PlexAssembly asm_, PetscInt *V, PetscInt *sums)
{
  PlexJets jets;
  PetscInt KT, across;

  PlexFormGetJets_Private(asm_->form, PLEX_JACOBIAN, &jets);
  KT     = jets.testValue + 3 * jets.testGrad;
  across = KT - jets.testGrad; /* parts without a derivative along x */
  *V     = 3 * KT * (KT + 1) / 2 + 3 * (across * (across + 1) / 2 + 2 * across * jets.testGrad + jets.testGrad);
  *sums  = KT * KT;
}

static size_t PlexPackedLineBytes(PlexAssembly asm_, const PlexLineTables *t)
{
  PetscInt V, sums;

  PlexPackedLineNumbers(asm_, &V, &sums);
  return PlexAssemblyRealSize(asm_) * (size_t)(PLEX_PACKED_LANES * V * t->Q * t->Q);
}

/* ---- Simplices */

/* As PlexTilePairs of cuda/assembly/global_row_tensor.cu */
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

/* ---- Both */

/* Bytes of the sums of a block of rows: PLEX_PACKED_SUMS of cuda/assembly/packed.cuh */
static size_t PlexPackedSums(const PlexPacked *packed)
{
  return sizeof(PetscScalar) * (size_t)((packed->longest + 64) / 64 * 64 * (PLEX_PACKED_REDUCE / 32));
}

static PetscErrorCode PlexPackedFind(PlexAssembly asm_, PlexProduct *product, PlexPacked *packed)
{
  PlexElements      el = asm_->elements;
  PlexBackendLimits limits;
  PetscFE           fe;
  PetscDualSpace    dual;
  PetscBool         serves;

  PetscFunctionBegin;
  packed->kind = PLEX_PACKED_NONE;
  if (product->kind != PLEX_JACOBIAN || el->ef > PLEX_PACKED_DOFS || asm_->repeated || asm_->teamSize > 1 || asm_->dummy || el->integral.facets || el->NfAux || el->Nf != 1 || el->Nc[0] != 1) PetscFunctionReturn(PETSC_SUCCESS);
  if (product->tensor) {
    const PetscInt points = product->tensor->at->Nq;

    if (!el->affine || el->Nv != el->dim + 1 || el->ef < PLEX_PACKED_LEAST || el->ef > PLEX_PACKED_MOST || el->ef * points > PLEX_MOST_COMPILED || el->ef * el->ef * points * product->tensor->nab > 2 * PLEX_PACKED_WORK)
      PetscFunctionReturn(PETSC_SUCCESS);
    if (!product->tensor->symmetric || !PlexTablesCompiledTurned_Private(asm_, product)) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PetscDSGetDiscretization(el->ds, 0, (PetscObject *)&fe));
    PetscCall(PetscFEGetDualSpace(fe, &dual));
    PetscCall(PetscDualSpaceGetInteriorDimension(dual, &packed->first)); /* they come first */
    packed->kind = PLEX_PACKED_TENSOR;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (el->dim != 3 || !PlexLinesIsSymmetric_Private(asm_, product)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexLinesServe_Private(asm_, product, &packed->tables, &serves));
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  if (serves && packed->tables.N == 3 && PlexPackedLineBytes(asm_, &packed->tables) <= limits.sharedPerBlock * 9 / 10) packed->kind = PLEX_PACKED_LINES;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPackedChoose_Private(PlexAssembly asm_, PlexProduct *product, PlexPacked *packed)
{
  const PetscInt    ef = asm_->elements->ef;
  unsigned short    order[PLEX_PACKED_DOFS * PLEX_PACKED_DOFS];
  PlexBackendLimits limits;

  PetscFunctionBegin;
  PetscCall(PlexPackedFind(asm_, product, packed));
  if (packed->kind == PLEX_PACKED_NONE) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt r = 0; r < asm_->pattern->m; ++r) packed->longest = PetscMax(packed->longest, asm_->pattern->i[r + 1] - asm_->pattern->i[r]);
  packed->placeBytes = packed->longest < 256 ? 1 : 2; /* the longest row's length says that an entry is dropped */
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  if (packed->longest >= 65535 || PlexPackedSums(packed) > limits.sharedPerBlock / 2) {
    packed->kind = PLEX_PACKED_NONE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (packed->kind == PLEX_PACKED_LINES) {
    PlexPackedOrderLines(&packed->tables, order);
    product->nd    = PlexPackedLineSize();
    product->block = asm_->blockSize ? asm_->blockSize : 192;
    product->lines = &packed->tables;
  } else {
    product->nd     = PlexPackedPad(PlexPackedOrderTiles(ef, packed->first, order));
    product->block  = asm_->blockSize ? asm_->blockSize : 128;
    product->turned = PETSC_TRUE;
  }
  product->symmetric = PETSC_TRUE;
  product->team      = 1;
  product->rows      = 1;
  product->work      = 0;
  PetscCall(PlexBackendUpload(asm_->backend, order, sizeof(*order) * (size_t)(ef * ef), (void **)&packed->order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPackedDestroy_Private(PlexAssembly asm_, PlexPacked *packed)
{
  PetscFunctionBegin;
  PetscCall(PlexBackendFree(asm_->backend, (void **)&packed->order));
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

PetscErrorCode PlexPackedRowsCreate_Private(PlexAssembly asm_, PlexProduct *product, const PlexPacked *packed, const PlexBlocks *blocks, PetscInt b0, PetscInt b1, PetscInt nrows, const int dofs[], PlexPackedRows *rows)
{
  const PetscInt ef    = asm_->elements->ef;
  PetscInt64     words = 0;
  PlexRowLists   lists;
  unsigned      *records;
  int           *start;

  PetscFunctionBegin;
  PetscCheck((blocks->elementStart[b1] - blocks->elementStart[b0]) >> PLEX_PACKED_WHOLE == 0, PETSC_COMM_SELF, PETSC_ERR_SUP, "More than 2^%d elements at once: use a smaller -plex_assembly_memory, or distribute the mesh over more ranks", PLEX_PACKED_WHOLE);
  PetscCall(PlexRowListsCreate_Private(asm_, product, blocks, b0, b1, nrows, dofs, NULL, &lists));
  PetscCall(PetscMalloc1(nrows + 1, &start));
  for (PetscInt k = 0; k < nrows; ++k) {
    const PetscInt count = lists.start[k + 1] - lists.start[k];

    PetscCheck(count <= 65535, PETSC_COMM_SELF, PETSC_ERR_SUP, "%" PetscInt_FMT " elements meet at a dof, and 65535 can be numbered: use -plex_assembly_type %s", count, PLEXASSEMBLYGLOBALNZ);
    start[k] = (int)words;
    words += 2 + count + (count * ef * packed->placeBytes + 3) / 4;
    PetscCheck(words < PETSC_INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP, "More than 2^31 words of what rows sum: use a smaller -plex_assembly_memory, or distribute the mesh over more ranks");
  }
  start[nrows] = (int)words;
  PetscCall(PetscMalloc1(words, &records));
  for (PetscInt k = 0; k < nrows; ++k) {
    if (start[k + 1] > start[k]) records[start[k + 1] - 1] = 0; /* of which not all bytes may be places */
    PlexPackedRecord(packed, &lists, k, ef, &records[start[k]]);
  }
  *rows = (PlexPackedRows){.nrows = nrows, .grid = (nrows + PLEX_PACKED_ROWS - 1) / PLEX_PACKED_ROWS, .bytes = 4. * (double)words + 4. * (double)nrows};
  PetscCall(PlexBackendUpload(asm_->backend, start, sizeof(int) * (size_t)(nrows + 1), (void **)&rows->device.start));
  PetscCall(PlexBackendUpload(asm_->backend, records, sizeof(*records) * (size_t)words, (void **)&rows->device.records));
  rows->device.order = packed->order;
  PetscCall(PetscFree(records));
  PetscCall(PetscFree(start));
  PetscCall(PlexRowListsDestroy_Private(&lists));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPackedRowsDestroy_Private(PlexAssembly asm_, PlexPackedRows *rows)
{
  PetscFunctionBegin;
  PetscCall(PlexBackendFree(asm_->backend, (void **)&rows->device.start));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&rows->device.records));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPackedCompile_Private(PlexAssembly asm_, PlexProduct *product, const PlexPacked *packed, const PlexBlocks *blocks, size_t *shared, size_t *sums, PetscInt *block)
{
  const size_t      stage = PlexAssemblyRealSize(asm_) * (size_t)(product->block * PLEX_PACKED_CHUNK);
  const PetscBool   lines = (PetscBool)(packed->kind == PLEX_PACKED_LINES);
  PlexBackendLimits limits;
  PetscInt          resident;
  char              text[7][64];
  const char       *defines[PETSC_STATIC_ARRAY_LENGTH(text)];

  PetscFunctionBegin;
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  *block  = PLEX_PACKED_REDUCE;
  *sums   = PlexPackedSums(packed);
  *shared = lines ? PlexPackedLineBytes(asm_, &packed->tables) + PetscMax(stage, blocks->sharedBytes) : stage + blocks->sharedBytes;
  PetscCheck(*shared <= limits.sharedPerBlock, PETSC_COMM_SELF, PETSC_ERR_SUP, "A block of elements takes %zu bytes of shared memory, and there are %zu: use a smaller -plex_assembly_block_size or -plex_assembly_partition_size", *shared, limits.sharedPerBlock);
  resident = PetscMin(65536 / (PLEX_PACKED_REGISTERS * product->block), (PetscInt)(limits.sharedPerProcessor / (*shared + 1024)));
  PetscCall(PetscSNPrintf(text[0], sizeof(text[0]), "PLEX_PLACE_BYTES=%d", (int)packed->placeBytes));
  PetscCall(PetscSNPrintf(text[1], sizeof(text[1]), "PLEX_LONGEST=%d", (int)packed->longest));
  PetscCall(PetscSNPrintf(text[2], sizeof(text[2]), "PLEX_REDUCE_BLOCK=%d", PLEX_PACKED_REDUCE));
  PetscCall(PetscSNPrintf(text[3], sizeof(text[3]), "PLEX_REDUCE_ROWS=%d", PLEX_PACKED_ROWS));
  PetscCall(PetscSNPrintf(text[4], sizeof(text[4]), lines ? "PLEX_RESIDENT=%d" : "PLEX_TILE_FIRST=%d", (int)(lines ? PetscMax(1, resident) : packed->first)));
  PetscCall(PetscSNPrintf(text[5], sizeof(text[5]), "PLEX_LINES_SYMMETRIC=1"));
  PetscCall(PetscSNPrintf(text[6], sizeof(text[6]), "PLEX_LINES_SOLUTION=%d", product->nzero ? 0 : 1)); /* else the functions do not depend on it */
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(text); ++k) defines[k] = text[k];
  PetscCall(PlexAssemblyCompile(asm_, product, lines ? "global_row_lines.cu" : "global_row_tensor.cu", lines ? 7 : 5, defines));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPackedCountFlops_Private(PlexAssembly asm_, PlexProduct *product, const PlexPacked *packed, double *flops)
{
  PlexElements el = asm_->elements;
  const double Ne = (double)el->Ne, Q = (double)packed->tables.Q;
  PetscInt     V, sums;

  PetscFunctionBegin;
  *flops = PlexAssemblyCountFlops(asm_, product, Ne * PlexAssemblyPoints(asm_, product), packed->kind == PLEX_PACKED_LINES ? 0. : .5 * Ne * (el->ef + 1), 0.);
  if (packed->kind == PLEX_PACKED_LINES) { /* V; of 45 pairs their sums over y; 4 products an entry and point of 378 */
    PlexPackedLineNumbers(asm_, &V, &sums);
    *flops += Ne * 2. * (V * Q * Q * Q + 45. * sums * Q * Q + 378. * 4. * Q);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
