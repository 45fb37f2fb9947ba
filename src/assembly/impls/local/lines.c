/*
  local_row where elements are products of lines, of order 2 and more: sizes of blocks, which are parts of the mesh nodes
  with the elements around them, and the kernel. The steps of its plan (cuda/assembly/lines_plan.h) run where the kernels are, or on
  the host, a batch of blocks at a time.
*/
#include "lines.h"
#include "../../plan/batches.h"
#include "../../integrate/integrate.h"
#include <assembly/lines_plan.h>

#define PLEX_LINES_SUMS   1280  /* numbers that a warp sums in, unless a row is so long that it takes more */
#define PLEX_LINES_LARGE  1024  /* bytes of an element's numbers from which a block takes a multiprocessor alone */
#define PLEX_LINES_STATIC 3072  /* bytes of shared memory for what warps do: more than it takes */
#define PLEX_LINES_ENOUGH 64    /* elements of a block that leave their sums as much room as they take */
#define PLEX_LINES_PLACES 65535 /* targets of a row */
#define PLEX_LINES_MOST   32    /* elements around a node, most */

/* ---- Sizes ---- */

/* Columns, places and records, from the longest rows of each number of parts */
static PetscErrorCode PlexLinesLayOut(PlexAssembly asm_, PlexProduct *product, const int longest[4],
                                      const PlexLines *lines, PlexLinesLayout *l)
{
  const PlexLineTables *t    = &lines->tables;
  const int             ef   = (int)asm_->elements->ef;
  int                   most = 1;

  PetscFunctionBegin;
  l->chunk = PlexPlannerChunk(asm_, product);
  l->sums  = PLEX_LINES_SUMS;
  for (PetscInt k = 0; k < 4; ++k) { /* a part has something to do */
    most = PetscMax(most, longest[k]);
    if (longest[k]) l->sums = PetscMax(l->sums, plex_lines_sums(l->chunk, longest[k], 1 << k));
  }
  PetscCheck(most < PLEX_LINES_PLACES, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "A row of the matrix has %d non-zeros, and %d can be numbered: use -plex_assembly_type %s", most,
             PLEX_LINES_PLACES - 1, PLEXASSEMBLYELEMENTATOMIC);
  l->sums   = PetscMin(l->sums, plex_lines_sums(l->chunk, most, 1));
  l->places = most < 256 ? 8 : 16;
  l->words  = 1 + (ef * l->places + 31) / 32;
  l->k      = (int)asm_->elements->Nv + (product->solutionUnread ? 0 : ef);
  for (int k = 0; k < ef; ++k) {
    l->dof[k] = (unsigned char)t->dof[k];
    for (PetscInt d = t->dim - 1, n = k; d >= 0; --d, n /= t->N)
      l->head[t->dof[k]] |= (unsigned short)(n % t->N << 4 * d);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bytes of an element's numbers */
static size_t PlexLinesNumbers(PlexAssembly asm_, const PlexLines *lines)
{
  PlexJets jets;
  PetscInt KT, KU, numbers;

  PlexFormGetJets_Private(asm_->form, PLEX_JACOBIAN, &jets);
  KT      = jets.testValue + asm_->elements->dim * jets.testGrad;
  KU      = jets.trialValue + asm_->elements->dim * jets.trialGrad;
  numbers = asm_->elements->Nq * (lines->symmetric ? KT * (KT + 1) / 2 : KT * KU);
  return PlexAssemblyRealSize(asm_) * (size_t)numbers;
}

/* Registers that a thread takes, about, as they were found for an H200: more blocks than have room are not asked for,
   which would be spills */
static PetscInt PlexLinesRegisters(const PlexLines *lines)
{
  return lines->tables.dim == 3 ? 255 : lines->tables.N == 3 ? 128 : 168;
}

/* Bytes of the sums of a block's warps */
static size_t PlexLinesSums(const PlexLines *lines, PetscInt block)
{
  return sizeof(PetscScalar) * (size_t)(lines->layout.sums * (block / 32));
}

/* Elements whose numbers, nodal data and sums of rows have room, a multiple of 16 */
static PetscInt PlexLinesFit(PlexAssembly asm_, PlexProduct *product, const PlexLines *lines, size_t room,
                             PetscInt block)
{
  const size_t one = PlexLinesNumbers(asm_, lines), sums = PlexLinesSums(lines, block);
  /* nodal data of an element whose neighbours have most of its nodes too, before there are sums in their place */
  const size_t nodal = PlexAssemblyRealSize(asm_) *
                       (size_t)(1.5 * (double)(asm_->elements->dim +
                                               (product->solutionUnread
                                                  ? 0
                                                  : 2 * PetscPowInt(lines->tables.N - 1, lines->tables.dim))));

  return sums > room
         ? 0
         : (PetscInt)(PetscMin((room - sums) / one, room / (one + nodal)) / PLEX_LINES_BANKS * PLEX_LINES_BANKS);
}

/* Elements of a block, threads, and how many blocks share a multiprocessor: what is large has one to itself, as fewer
   elements are then in several blocks; else there are two or three, so that one computes while the other waits. least:
   as many as meet at a node; this way does not serve if these have no room */
static PetscErrorCode PlexLinesChooseSizes(PlexAssembly asm_, PlexProduct *product, PlexLines *lines, PetscInt least,
                                           PetscInt *most)
{
  PetscInt          n = PlexLinesNumbers(asm_, lines) < PLEX_LINES_LARGE ? 2 : 1;
  PlexBackendLimits limits;
  size_t            room;

  PetscFunctionBegin;
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  for (; n > 0; --n) {
    room           = PetscMin(limits.sharedPerBlock, limits.sharedPerProcessor / (size_t)n - 1024) - PLEX_LINES_STATIC;
    product->block = asm_->blockSize ? asm_->blockSize : lines->tables.N > 3 ? 128 : 256;
    while (!asm_->blockSize && product->block > 32) { /* few elements, where sums take most of the room */
      lines->fit = PlexLinesFit(asm_, product, lines, room, product->block);
      if (lines->fit >= least && (lines->fit >= PLEX_LINES_ENOUGH || PlexLinesSums(lines, product->block) <= room / 2))
        break;
      product->block -= 32;
    }
    lines->fit = PlexLinesFit(asm_, product, lines, room, product->block);
    if (lines->fit >= least) break;
  }
  *most = PetscMin(lines->fit, PetscMax(64, asm_->elements->Ne / (n * PetscMax(1, limits.multiprocessors))) / 16 * 16);
  if (asm_->partitionSize) *most = asm_->partitionSize;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bytes of shared memory that warps take turns with, beside those of `shared` */
static size_t PlexLinesStatic(const PlexLines *lines)
{
  return 20 * (size_t)lines->warps + 64;
}

static PetscErrorCode PlexLinesCompile(PlexAssembly asm_, PlexProduct *product, PlexLines *lines)
{
  const size_t   shared   = asm_->backend->limits.sharedPerProcessor / (lines->shared + PlexLinesStatic(lines) + 1024);
  const PetscInt resident = PetscMin(65536 / (PlexLinesRegisters(lines) * product->block), (PetscInt)shared);

  PetscFunctionBegin;
  PetscCall(PlexAssemblyCompileSizes(asm_, product, "local_row_lines.cu", 9,
                                     (PlexSize[]){
                                       {"PLEX_LINES_SYMMETRIC", lines->symmetric},
                                       {"PLEX_LINES_ELEMENTS", lines->elements},
                                       {"PLEX_WORDS", lines->layout.words},
                                       {"PLEX_PLACE_BITS", lines->layout.places},
                                       {"PLEX_SUMS_WARP", lines->layout.sums},
                                       {"PLEX_CHUNK", lines->layout.chunk},
                                       {"PLEX_RESIDENT", PetscMax(1, resident)},
                                       {"PLEX_LINES_SOLUTION", !product->solutionUnread}, /* else it is not read */
                                       {"PLEX_LINES_WARPS", PetscMax(1, lines->warps)}
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Blocks ---- */

typedef struct {
  PlexBatches   b;
  PlexLinesPlan p;
} PlexLinesPlanner;

/* Arrays, in the order of PlexLinesArgs */
enum {
  BLOCKS,
  NODES,
  DOFS,
  CONN,
  WARPS,
  ROWS,
  RECORDS,
  ARRAYS
};

/* Elements of the batch's blocks, with their nodes and dofs */
static PetscErrorCode PlexLinesElements(PlexLinesPlanner *w)
{
  PlexLinesPlan *p = &w->p;
  PlexPlanList   list;

  PetscFunctionBegin;
  PetscCall(PlexPlannerListElements_Private(&w->b.planner));
  PetscCall(PlexPlannerListThings_Private(&w->b.planner, p->cut.Nv, p->cut.vertices, &list));
  PetscCall(PlexBatchesKeep_Private(&w->b, NODES, &list, &p->firstNode));
  p->vertex    = list.number;
  p->nodeStart = list.start;
  if (p->layout.k > p->cut.Nv) {
    PetscCall(PlexPlannerListThings_Private(&w->b.planner, p->cut.ef, p->cut.dofs, &list));
    PetscCall(PlexBatchesKeep_Private(&w->b, DOFS, &list, &p->firstDof));
    p->number   = list.number;
    p->dofStart = list.start;
  }
  PetscCall(PlexBatchesPiece_Private(&w->b, CONN, (p->cut.elements + 31) / 32, (size_t)(64 * p->layout.k), &p->conn,
                                     &p->firstElement));
  p->firstElement *= 32;
  PetscCall(PlexPlanRun(w, plex_lines_connect, p->cut.elements));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows in warps */
static PetscErrorCode PlexLinesWarps(PlexLinesPlanner *w, PlexLines *lines)
{
  PlexLinesPlan *p       = &w->p;
  PlexPlanner   *planner = &w->b.planner;
  const PetscInt rows    = p->cut.rows;
  int            items;

  PetscFunctionBegin;
  PetscCall(PlexPlannerListRows_Private(planner, PETSC_FALSE));
  PetscCall(PlexPlanNew(w, rows, keys));
  PetscCall(PlexPlanNew(w, rows, order));
  PetscCall(PlexPlanSum(w, plex_lines_count, rows, itemStart, &items));
  PetscCall(PlexPlanNew(w, items, items));
  PetscCall(PlexPlanRun(w, plex_lines_items, rows));
  PetscCall(PlexArraysSort(planner->arrays, rows, 0, PlexPlannerBits_Private(planner, 8), p->keys, p->order,
                           PETSC_TRUE));
  PetscCall(PlexPlanSum(w, plex_lines_segments, 4 * planner->nblocks, warpTo, &p->nwarps));
  PetscCall(PlexPlanSum(w, plex_lines_groups, p->nwarps, groupTo, &p->groups));
  lines->rows += rows;
  lines->contributions += items;
  lines->groups += p->groups;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows in lanes, and records */
static PetscErrorCode PlexLinesRecords(PlexLinesPlanner *w)
{
  PlexLinesPlan *p        = &w->p;
  const PetscInt segments = 4 * w->b.planner.nblocks;

  PetscFunctionBegin;
  p->laneBytes = PLEX_LANE_BYTES(PLEX_LINES_BANKS, PLEX_LINES_BANKS, w->b.planner.around + 1);
  PetscCall(PlexPlannerNew_Private(&w->b.planner, segments, p->laneBytes, &p->lanes));
  PetscCall(PlexPlanNew(w, 4 * p->cut.elements, in));
  PetscCall(PlexPlanNew(w, 32 * p->groups, slot));
  PetscCall(PlexPlanPiece(w, WARPS, p->nwarps, warps, &p->firstWarp));
  PetscCall(PlexPlanPiece(w, ROWS, 96 * p->nwarps, rows, NULL));
  PetscCall(PlexBatchesPiece_Private(&w->b, RECORDS, p->groups, (size_t)(128 * p->layout.words), &p->records,
                                     &p->firstGroup));
  PetscCall(PlexStepsRun(w->b.steps, PLEX_STEP_OF_LONG(plex_lines_lanes), segments, &w->p));
  PetscCall(PlexPlanRun(w, plex_lines_records, 32 * p->groups));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The batch's blocks, and the most that one of all has */
static PetscErrorCode PlexLinesBlocks(PlexLinesPlanner *w, PlexLines *lines)
{
  const PetscInt  n = w->b.planner.nblocks;
  PlexLinesBlock *block;

  PetscFunctionBegin;
  PetscCall(PlexPlanPiece(w, BLOCKS, n, blocks, NULL));
  PetscCall(PlexPlanRun(w, plex_lines_blocks, n));
  PetscCall(PetscMalloc1(n, &block));
  PetscCall(PlexBackendCopyOut(w->b.planner.where, block, w->p.blocks, sizeof(*block) * (size_t)n));
  for (PetscInt b = 0; b < n; ++b) {
    const PetscInt elements = (block[b].elements + PLEX_LINES_BANKS - 1) / PLEX_LINES_BANKS * PLEX_LINES_BANKS;

    lines->elements = PetscMax(lines->elements, elements);
    lines->warps    = PetscMax(lines->warps, block[b].warps);
    lines->nodal    = PetscMax(lines->nodal, w->p.cut.cdim * block[b].nodes + 2 * block[b].dofs);
  }
  PetscCall(PetscFree(block));
  lines->nblocks += n;
  lines->computed += (double)w->p.cut.elements;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bytes of shared memory of a block, as far as blocks are known */
static size_t PlexLinesShared(PlexAssembly asm_, PlexProduct *product, const PlexLines *lines)
{
  const size_t real = PlexAssemblyRealSize(asm_), nodal = (real * (size_t)lines->nodal + 15) / 16 * 16;

  return (PlexLinesNumbers(asm_, lines) * (size_t)lines->elements + 15) / 16 * 16 +
         PetscMax(nodal, PlexLinesSums(lines, product->block));
}

/* Blocks of at most so many elements, or of fewer if the nodal data or the warps of one of them take more room than was
   foreseen */
static PetscErrorCode PlexLinesCut(PlexAssembly asm_, PlexProduct *product, PetscInt least, PetscInt most,
                                   PlexLinesPlanner *w, PlexLines *lines)
{
  const PlexLines empty = *lines;
  const size_t    all   = asm_->backend->limits.sharedPerBlock;
  PetscBool       left;
  plex_key        counted[2];

  PetscFunctionBegin;
  w->p.layout = lines->layout;
  PetscCall(PlexPlanWhole(w, 2, counted));
  for (;;) {
    w->p.most = (int)most;
    PetscCall(PlexBatchesNext_Private(&w->b, PLEX_STEP_OF(plex_lines_cut), &left));
    if (!left) break;
    PetscCall(PlexLinesElements(w));
    PetscCall(PlexLinesWarps(w, lines));
    PetscCall(PlexLinesRecords(w));
    PetscCall(PlexLinesBlocks(w, lines));
    PetscCall(PlexPlannerEnd_Private(&w->b.planner));
    lines->shared = PlexLinesShared(asm_, product, lines);
    if (lines->shared + PlexLinesStatic(lines) <= all) continue;
    PetscCheck(!asm_->partitionSize && most > least, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "The points of %" PetscInt_FMT " elements and sums of their rows take %zu bytes of shared memory, and a "
               "block has %zu: use -plex_assembly_partition_size %" PetscInt_FMT ", or -plex_assembly_type %s",
               lines->elements, lines->shared + PlexLinesStatic(lines), all, lines->fit, PLEXASSEMBLYELEMENTATOMIC);
    PetscCall(PlexBatchesDrop_Private(&w->b));
    PetscCall(PlexBackendZero(w->b.planner.where, w->p.counted, sizeof(counted)));
    *lines = empty;
    most   = PetscMax(least, (most - 1) / PLEX_LINES_BANKS * PLEX_LINES_BANKS);
  }
  PetscCall(PlexBatchesCheck_Private(&w->b));
  PetscCall(PlexBackendCopyOut(w->b.planner.where, counted, w->p.counted, sizeof(counted)));
  lines->reads = (double)counted[0];
  lines->turns = (double)counted[1];
  for (PetscInt k = 0; k < ARRAYS; ++k) lines->bytes += (double)w->b.pieces[k].bytes;
  lines->bytes += 2. * (double)(w->p.cut.cdim * w->b.pieces[NODES].bytes + w->b.pieces[DOFS].bytes);
  PetscCall(PlexBatchesJoin_Private(&w->b, 0, ARRAYS, &lines->device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sizes and blocks; *serves false: a node's elements have no room in one */
static PetscErrorCode PlexLinesPlanBlocks(PlexAssembly asm_, PlexProduct *product, PetscBool *serves, PlexLines *lines)
{
  const PetscInt   block = product->block;
  PetscInt         most  = 0, least;
  int              longest[4], entries;
  PlexLinesPlanner w;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(&w, sizeof(w)));
  PetscCall(PlexBatchesCreate_Private(asm_, product, "assembly/lines_plan.h", PETSC_TRUE, &w.p, &w.b));
  PetscCall(PlexPlanWhole(&w, 4, longest));
  PetscCall(PlexPlanRun(&w, plex_lines_longest, asm_->elements->Nl));
  PetscCall(PlexBackendCopyOut(w.b.planner.where, longest, w.p.longest, 4 * sizeof(int)));
  PetscCall(PlexBackendCopyOut(w.b.planner.where, &entries, &w.p.cut.entriesTo[w.p.cut.nodes], sizeof(int)));
  PetscCall(PlexLinesLayOut(asm_, product, longest, lines, &lines->layout));
  least = (w.b.planner.around + PLEX_LINES_BANKS - 1) / PLEX_LINES_BANKS * PLEX_LINES_BANKS;
  PetscCall(PlexLinesChooseSizes(asm_, product, lines, least, &most));
  *serves = (PetscBool)(w.b.planner.around <= PLEX_LINES_MOST && lines->fit >= least);
  if (*serves) PetscCall(PlexLinesCut(asm_, product, least, most, &w, lines));
  else product->block = block;
  lines->zero = (PetscBool)(entries < product->Nt - asm_->pattern->unused);
  PetscCall(PlexBatchesDestroy_Private(&w.b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexSumfactorServes_Private(PlexAssembly asm_, PlexProduct *product, PlexLineTables *tables,
                                           PetscBool *serves)
{
  PetscFunctionBegin;
  PetscCall(PlexLinesServe_Private(asm_, product, tables, serves));
  if (*serves) *serves = (PetscBool)(tables->N > 2);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexLinesCreate_Private(PlexAssembly asm_, PlexProduct *product, PetscBool *serves, PlexLines *lines)
{
  PlexElements el = asm_->elements;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(lines, sizeof(*lines)));
  PetscCall(PlexSumfactorServes_Private(asm_, product, &lines->tables, serves));
  if (!*serves) PetscFunctionReturn(PETSC_SUCCESS);
  lines->symmetric = PlexLinesIsSymmetric_Private(asm_, product);
  PetscCall(PlexLinesPlanBlocks(asm_, product, serves, lines));
  if (!*serves) PetscFunctionReturn(PETSC_SUCCESS);
  product->symmetric = PETSC_FALSE; /* a row is computed whole */
  product->nd        = el->ef * el->ef;
  product->team      = 1;
  product->rows      = 1;
  product->work      = 0;
  product->lines     = &lines->tables;
  product->flops     = PlexAssemblyCountFlops(asm_, product, lines->computed * el->Nq, 0, 0) +
                       lines->contributions * PlexLinesRowFlops_Private(asm_, &lines->tables);
  product->bytes     = lines->bytes + 8. * product->Nt;
  PetscCall(PlexLinesCompile(asm_, product, lines));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexLinesView_Private(const PlexLines *lines, PetscViewer viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(
    viewer,
    "sums along lines: %" PetscInt_FMT " points a line; blocks: %" PetscInt_FMT
    ", of %.4g rows and %.4g elements, %zu bytes of shared memory; an element is in %.3g blocks\n",
    lines->tables.Q, lines->nblocks, lines->rows / lines->nblocks, lines->computed / lines->nblocks, lines->shared,
    lines->computed / (lines->contributions / (double)PetscPowInt(lines->tables.N, lines->tables.dim))));
  PetscCall(PetscViewerASCIIPrintf(
    viewer, "records: %d bytes, %.3g %% padding; half a warp reads shared memory in %.3g passes\n",
    4 * lines->layout.words, 100 * (1.0 - lines->contributions / (32.0 * lines->groups)), lines->turns / lines->reads));
  PetscFunctionReturn(PETSC_SUCCESS);
}
