/*
  The plan of shared_nz by pairs of nodes. Its steps (cuda/assembly/pairs_plan.h) run where the kernels run, or on the
  host. A batch of blocks is made at a time. Estimates of the sizes of its blocks come from the batch before; blocks
  that turn out too large are cut in two.
*/
#include "pairs.h"
#include "../../plan/batches.h"
#include <assembly/pairs_plan.h>

#define PLEX_PAIRS_WORK ((size_t)128 << 20) /* bytes of PlexLanes of all threads that assign lists to lanes */

typedef struct {
  const PlexPairKinds *kinds;
  PlexBatches          b;
  PlexPairsPlan        p;
  PlexPairsBlock      *block;           /* of the batch, on the host */
  int                  coordinateQuads; /* of all blocks */
  size_t               shared;          /* bytes of shared memory, of the largest */
} PlexPairsPlanner;

/* Arrays, in the order of PlexPairsArgs */
enum {
  BLOCKS,
  NODES,
  COORDINATES,
  CONN,
  LISTS,
  RECORDS,
  ARRAYS
};

/* What is the same in all batches */
static PetscErrorCode PlexPairsBegin(PlexPairsPlanner *w, PlexAssembly asm_, PlexProduct *product)
{
  PlexElements   el = asm_->elements;
  PlexPairsPlan *p  = &w->p;

  PetscFunctionBegin;
  PetscCall(PlexBatchesCreate_Private(asm_, product, "assembly/pairs_plan.h", PETSC_TRUE, p, &w->b));
  p->auxDofs     = w->kinds->auxiliary ? (int)el->ea : 0;
  p->realBytes   = (int)PlexAssemblyRealSize(asm_);
  p->elementBits = PLEX_PAIR_ELEMENT_BITS(el->dim);
  /* of triangles it made plans take 1.5 times as long, and J 0.93 to 1.03 of the time */
  p->arranges        = el->dim == 3;
  p->steps           = (int)PetscMax(12, (w->b.planner.around + 3) / 4 + 4);
  p->workBytes       = PLEX_LANE_BYTES(64, 32, p->steps);
  p->recordsPerEntry = 0.02;
  p->nodesPerElement = 0.5;
  PetscCall(PlexPlannerInput_Private(&w->b.planner, &w->kinds->t, sizeof(w->kinds->t), (const void **)&p->tables));
  if (p->auxDofs)
    PetscCall(PlexPlannerInput_Private(&w->b.planner, el->dofsAux, sizeof(int) * (size_t)(el->Ne * el->ea),
                                       (const void **)&p->auxiliary));
  PetscCall(PlexPlanWhole(w, el->Nl, rowOffset));
  PetscCall(PlexPlanWhole(w, 1, irregular));
  PetscCall(PlexPlanWhole(w, PLEX_PAIRS_COUNTS, counted));
  if (!w->kinds->t.zeroRowSums) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexPlanWhole(w, el->Nl, incomplete));
  PetscCall(PlexPlanRun(w, plex_pairs_incomplete, el->Nl));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A batch ---- */

/* Elements, coordinate nodes and rows of the blocks, and offsets of the rows */
static PetscErrorCode PlexPairsListRows(PlexPairsPlanner *w, PlexPlanList *nodes)
{
  PlexPairsPlan *p       = &w->p;
  PlexPlanner   *planner = &w->b.planner;

  PetscFunctionBegin;
  PetscCall(PlexPlannerListElements_Private(planner));
  PetscCall(PlexPlannerListThings_Private(planner, p->cut.Nv, p->cut.vertices, nodes));
  p->vertex    = nodes->number;
  p->nodeStart = nodes->start;
  PetscCall(PlexPlannerListRows_Private(planner, PETSC_TRUE));
  PetscCall(PlexPlanNew(w, planner->nblocks + 1, spanStart));
  PetscCall(PlexPlanNew(w, planner->nblocks + 1, entryStart));
  PetscCall(PlexBatchesBegins_Private(&w->b, PLEX_STEP_OF(plex_pairs_mark_spans), p->cut.rows, p->cut.rows, &p->spanTo,
                                      &p->spanRow, &p->spans));
  PetscCall(PlexPlanSum(w, plex_pairs_lengths, p->cut.rows, lengthTo, NULL));
  PetscCall(PlexPlanSum(w, plex_pairs_span_sizes, p->spans, spanOffset, &p->entries));
  PetscCall(PlexPlanRun(w, plex_pairs_block_spans, planner->nblocks + 1));
  PetscCall(PlexPlanNew(w, p->entries, unwritten));
  PetscCall(PlexPlanRun(w, plex_pairs_row_offsets, p->cut.rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Pairs and how many items each has; *serves false: the entries of a pair have no stride */
static PetscErrorCode PlexPairsCount(PlexPairsPlanner *w, PetscBool *serves)
{
  PlexPairsPlan *p = &w->p;
  int            irregular;

  PetscFunctionBegin;
  PetscCall(PlexPlanNew(w, p->entries + 1, itemStart));
  PetscCall(PlexPlanNew(w, p->entries, transposed));
  PetscCall(PlexPlanNew(w, p->entries, base));
  PetscCall(PlexPlanNew(w, p->entries, layout));
  PetscCall(PlexPlanNew(w, p->entries, kind));
  PetscCall(PlexPlanNew(w, p->cut.rows, diagonal));
  PetscCall(PlexPlanRun(w, plex_pairs_count, p->cut.rows));
  PetscCall(PlexBatchesCheck_Private(&w->b));
  PetscCall(PlexBackendCopyOut(w->b.planner.where, &irregular, p->irregular, sizeof(irregular)));
  *serves = (PetscBool)!irregular;
  PetscCall(PlexPlanSumOf(w, p->entries, itemStart, &p->nitems));
  PetscCall(PlexPlanSum(w, plex_pairs_mark_zeros, p->entries, zeroTo, NULL));
  PetscCall(PlexBatchesBegins_Private(&w->b, PLEX_STEP_OF(plex_pairs_mark_pairs), p->entries, p->entries, &p->pairTo,
                                      &p->pair, &p->pairs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tasks, and sizes of blocks */
static PetscErrorCode PlexPairsListTasks(PlexPairsPlanner *w)
{
  PlexPairsPlan *p       = &w->p;
  PlexPlanner   *planner = &w->b.planner;
  const PetscInt n       = planner->nblocks;

  PetscFunctionBegin;
  PetscCall(PlexPlanNew(w, p->pairs, pairKeys));
  PetscCall(PlexPlanRun(w, plex_pairs_keys, p->pairs));
  PetscCall(PlexArraysSort(planner->arrays, p->pairs, 0, PlexPlannerBits_Private(planner, 13), p->pairKeys, p->pair,
                           PETSC_FALSE));
  PetscCall(PlexBatchesBegins_Private(&w->b, PLEX_STEP_OF(plex_pairs_segments), p->pairs, p->pairs, &p->segmentTo,
                                      &p->segmentPair, &p->segments));
  PetscCall(PlexPlanSum(w, plex_pairs_segment_tasks, p->segments, segmentTask, &p->tasks));
  PetscCall(PlexPlanSum(w, plex_pairs_task_records, p->tasks, recordTo, NULL));
  PetscCall(PlexPlanNew(w, n, blocks));
  PetscCall(PlexPlanNew(w, n + 1, blockTasks));
  PetscCall(PlexPlanRun(w, plex_pairs_sizes, n));
  PetscCall(PetscFree(w->block));
  PetscCall(PetscMalloc1(n, &w->block));
  PetscCall(PlexBackendCopyOut(planner->where, w->block, p->blocks, sizeof(*p->blocks) * (size_t)n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a block is within the limits of kernel and plan */
static PetscBool PlexPairsFits(const PlexPairsPlanner *w, const PlexPairsBlock *b)
{
  const PetscInt stride = PLEX_PAIRS_STRIDE(b->elements, w->p.realBytes);

  return (PetscBool)(plex_pair_shared(&w->kinds->t, w->p.realBytes, w->p.cut.cdim, b) <= w->p.budget &&
                     b->nodes <= PLEX_PAIR_NODES && stride <= 1 << w->p.elementBits &&
                     w->kinds->t.numbers * stride < PLEX_PAIR_NONE && 2 * b->sums < 65535);
}

/* Cuts blocks that do not fit in two; *again: there are such. *serves false: a block of a single mesh node does not
   fit. And estimates for the next batch. By points these are those of 9 of 10 blocks, as the largest would leave a
   sixth of the shared memory unused; else those of the largest block */
static PetscErrorCode PlexPairsSplit(PlexPairsPlanner *w, PetscBool *again, PetscBool *serves)
{
  const PetscInt  n      = w->b.planner.nblocks;
  const PetscBool points = (PetscBool)w->kinds->t.byPoints;
  PetscReal      *recordsPerEntry;
  PetscBool      *fits;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &recordsPerEntry, n, &fits));
  for (PetscInt b = 0; b < n; ++b) {
    const PlexPairsBlock *block = &w->block[b];

    fits[b]              = PlexPairsFits(w, block);
    recordsPerEntry[b]   = (PetscReal)(block->records - 2 * w->kinds->t.kinds) / PetscMax(1., 2. * block->sums);
    w->p.nodesPerElement = PetscMax(w->p.nodesPerElement,
                                    (double)(block->nodes - w->p.cut.Nv) / PetscMax(1., (double)block->elements));
  }
  PetscCall(PetscSortReal(n, recordsPerEntry));
  w->p.recordsPerEntry = PetscMax(points ? 0. : w->p.recordsPerEntry,
                                  (double)recordsPerEntry[points ? n * 9 / 10 : n - 1]);
  PetscCall(PlexBatchesSplit_Private(&w->b, fits, again, serves));
  *again = (PetscBool)(*again && *serves);
  PetscCall(PetscFree2(recordsPerEntry, fits));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Allocates the arrays of the blocks, and sets where each block's parts begin */
static PetscErrorCode PlexPairsAllocate(PlexPairsPlanner *w, const PlexPlanList *list)
{
  PlexPairsPlan *p     = &w->p;
  const PetscInt n     = w->b.planner.nblocks;
  const int      words = (p->cut.Nv + 1) / 2 + (p->auxDofs > 0);
  PlexPairsBlock next  = {.coordinate = w->coordinateQuads};

  PetscFunctionBegin;
  PetscCall(PlexPlanPiece(w, CONN, p->cut.elements * words, conn, &next.conn));
  PetscCall(PlexBatchesKeep_Private(&w->b, NODES, list, &next.node));
  next.list   = (int)(w->b.pieces[LISTS].bytes / 16);
  next.record = (int)(w->b.pieces[RECORDS].bytes / 256);
  for (PetscInt b = 0; b < n; ++b) {
    PlexPairsBlock *block = &w->block[b];

    block->coordinate = next.coordinate;
    block->conn       = next.conn;
    block->node       = next.node;
    block->list       = next.list;
    block->record     = next.record;
    w->shared         = PetscMax(w->shared, plex_pair_shared(&w->kinds->t, p->realBytes, p->cut.cdim, block));
    next.coordinate += block->coordinateQuads;
    next.conn += words * block->elements;
    next.node += block->nodes;
    next.list += block->listQuads;
    next.record += block->records;
  }
  w->coordinateQuads = next.coordinate;
  PetscCall(PlexBatchesPiece_Private(&w->b, LISTS, next.list - w->block[0].list, 16, &p->lists, &p->firstQuad));
  PetscCall(PlexBatchesPiece_Private(&w->b, RECORDS, next.record - w->block[0].record, 256, &p->records,
                                     &p->firstRecord));
  PetscCall(PlexPlanPiece(w, BLOCKS, n, blocks, NULL));
  PetscCall(PlexBackendCopyIn(w->b.planner.where, p->blocks, w->block, sizeof(PlexPairsBlock) * (size_t)n));
  PetscCall(PlexPlanSumOf(w, n, blockTasks, &p->tasks)); /* with those that write zeros */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Runs a step whose items are chunks, which step `count` counts. Each item needs workBytes: as many run at a time as
   fit into PLEX_PAIRS_WORK */
static PetscErrorCode PlexPairsRunLanes(PlexPairsPlanner *w, PlexStep count, PlexStep step, PetscInt n)
{
  PlexPairsPlan *p = &w->p;
  PetscInt       most;

  PetscFunctionBegin;
  PetscCall(PlexBatchesSum_Private(&w->b, count, n, &p->chunkTo, &p->chunks));
  most = PetscMax(1, PetscMin(p->chunks, (PetscInt)(PLEX_PAIRS_WORK / p->workBytes)));
  PetscCall(PlexPlannerNew_Private(&w->b.planner, most, p->workBytes, &p->work));
  for (PetscInt first = 0; first < p->chunks; first += most) {
    p->firstChunk = (int)first;
    PetscCall(PlexStepsRun(w->b.steps, step, PetscMin(most, p->chunks - first), p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Writes elements, items, tasks and rows of the blocks */
static PetscErrorCode PlexPairsWrite(PlexPairsPlanner *w)
{
  PlexPairsPlan *p       = &w->p;
  PlexPlanner   *planner = &w->b.planner;
  PlexElements   el      = planner->asm_->elements;

  PetscFunctionBegin;
  PetscCall(PlexPlanNew(w, p->nitems, items));
  PetscCall(PlexPlanNew(w, p->entries, cursor));
  PetscCall(PlexPlanNew(w, p->tasks, taskKeys));
  PetscCall(PlexPlanNew(w, PetscMax(p->pairs, p->cut.elements), banks));
  PetscCall(PlexPlanNew(w, p->cut.elements, arranged));
  PetscCall(PlexPlanNew(w, p->cut.elements, position));
  PetscCall(PlexPlanNew(w, p->cut.elements, orientation));
  /* for orders above 1 it would cost more time than it saves */
  if (p->arranges && w->kinds->stored != PLEX_PAIRS_MATRIX && el->Nn[0] == el->Nv)
    PetscCall(PlexPairsRunLanes(w, PLEX_STEP_OF(plex_pairs_element_chunks), PLEX_STEP_OF_LONG(plex_pairs_arrange),
                                planner->nblocks));
  else PetscCall(PlexPlanRun(w, plex_pairs_connect, p->cut.elements));
  PetscCall(PlexPlanRun(w, plex_pairs_fill, p->cut.rows));
  PetscCall(PlexPairsRunLanes(w, PLEX_STEP_OF(plex_pairs_task_chunks), PLEX_STEP_OF_LONG(plex_pairs_tasks),
                              p->segments));
  PetscCall(PlexPlanRun(w, plex_pairs_zero_tasks, planner->nblocks));
  PetscCall(PlexPlanRun(w, plex_pairs_zeros, p->entries));
  PetscCall(PlexArraysSort(planner->arrays, p->tasks, 0, PlexPlannerBits_Private(planner, 32), p->taskKeys, NULL,
                           PETSC_FALSE));
  PetscCall(PlexPlanRun(w, plex_pairs_list_tasks, p->tasks));
  PetscCall(PlexPlanRun(w, plex_pairs_list_offsets, planner->nblocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexPairsBatch(PlexPairsPlanner *w, PlexPairs *pairs, PetscBool *serves)
{
  PetscBool    again = PETSC_TRUE;
  PlexPlanList nodes;

  PetscFunctionBegin;
  while (again) {
    PetscCall(PlexPairsListRows(w, &nodes));
    PetscCall(PlexPairsCount(w, serves));
    if (!*serves) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(PlexPairsListTasks(w));
    PetscCall(PlexPairsSplit(w, &again, serves));
  }
  if (!*serves) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexPairsAllocate(w, &nodes));
  PetscCall(PlexPairsWrite(w));
  pairs->nblocks += w->b.planner.nblocks;
  pairs->pairs += (double)w->p.pairs;
  pairs->items += (double)w->p.nitems;
  pairs->elements += (double)w->p.cut.elements;
  pairs->rows += (double)w->p.cut.rows;
  PetscCall(PlexPlannerEnd_Private(&w->b.planner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- All batches ---- */

/* Joins the arrays of all batches in the backend's memory */
static PetscErrorCode PlexPairsEnd(PlexPairsPlanner *w, PlexPairs *pairs)
{
  PlexPairsArgs *d            = &pairs->device;
  const size_t   coordinates  = 16 * (size_t)w->coordinateQuads,
                 permutations = sizeof(unsigned) * (size_t)w->kinds->npermutations;
  size_t         most;
  plex_key       counted[PLEX_PAIRS_COUNTS];

  PetscFunctionBegin;
  PetscCall(PlexBackendCopyOut(w->b.planner.where, counted, w->p.counted, sizeof(counted)));
  PetscCall(PlexArraysGetMost(w->b.planner.arrays, &most));
  pairs->setupBytes = (double)most + w->b.planner.whole.bytes;
  pairs->planBytes  = (double)coordinates;
  pairs->nodes      = (double)w->b.pieces[NODES].bytes / sizeof(int);
  pairs->records    = (double)w->b.pieces[RECORDS].bytes / 256.;
  for (PetscInt k = 0; k < ARRAYS; ++k) pairs->planBytes += (double)w->b.pieces[k].bytes;
  pairs->entries = (double)counted[PLEX_PAIRS_ENTRIES];
  pairs->shared  = w->shared;
  for (PetscInt k = 0; k < 2; ++k)
    pairs->transactions[k] = (double)counted[PLEX_PAIRS_TRANSACTIONS + k] /
                             PetscMax(1., (double)counted[PLEX_PAIRS_READS + k]);
  PetscCall(PlexBatchesJoin_Private(&w->b, 0, ARRAYS, d));
  PetscCall(PlexBatchesAllocate_Private(&w->b, coordinates, &d->coordinates));
  PetscCall(PlexMemoryUpload(w->b.planner.asm_->backend, w->b.memory, w->kinds->permutations, permutations,
                             (const void **)&d->permutations));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPairsFill_Private(PlexAssembly asm_, PlexProduct *product, const PlexPairKinds *kinds, size_t budget,
                                     PetscInt least, PlexPairs *pairs, PetscBool *serves)
{
  PlexPairsPlanner w    = {.kinds = kinds};
  PetscBool        left = PETSC_TRUE;

  PetscFunctionBegin;
  w.p.budget       = budget;
  w.p.mostElements = (int)asm_->partitionSize;
  w.p.mostNodes    = (int)PetscMax(1, asm_->elements->Nnodes / PetscMax(1, least));
  PetscCall(PlexPairsBegin(&w, asm_, product));
  *serves = (PetscBool)(w.p.steps <= 4 * PLEX_PAIR_LONGEST);
  while (*serves) {
    PetscCall(PlexBatchesNext_Private(&w.b, PLEX_STEP_OF(plex_pairs_cut), &left));
    if (!left) break;
    PetscCall(PlexPairsBatch(&w, pairs, serves));
  }
  if (*serves) PetscCall(PlexPairsEnd(&w, pairs));
  PetscCall(PetscFree(w.block));
  PetscCall(PlexBatchesDestroy_Private(&w.b));
  PetscFunctionReturn(PETSC_SUCCESS);
}
