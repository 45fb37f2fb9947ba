/*
  The plan of shared_nz:partial. Its steps (cuda/assembly/partial_plan.h) run where the kernels are, or on the host, for
  a batch of blocks at a time, three times over all blocks:

    blocks    nodes and dofs of each block, and the first and last block of each dof
    messages  rows of each block, and how many sums it sends to whom: where each owner receives them is then known
    lists     rows again, entries and their numbers, what is sent and received; index lists, equal ones once a batch
*/
#include "partial.h"
#include "../../../dm/elementsimpl.h" /* PlexPatternLongest() */
#include "../../plan/batches.h"
#include <assembly/partial_plan_steps.h>

#define PLEX_PARTIAL_ELEMENTS 32768 /* of a batch, about */

typedef struct {
  PlexPartial    *plan;
  PlexBatches     b;
  PlexPartialPlan p;
  PetscInt        longest;      /* row of the matrix */
  PetscInt        batch;        /* blocks of a batch */
  const int      *items;        /* elements of all blocks */
  int            *elementStart; /* [all+1] where those of each block begin, */
  int            *nodeStart, *dofStart;
  unsigned short *conn;
} PlexPartialPlanner;

/* Arrays: of PlexPartialArgs and PlexBlocksArgs, in their order, and messages before they are sorted */
enum {
  PARTS,
  CODES,
  HEADS,
  SENDERS,
  BLOCKS,
  NODES    = BLOCKS + 1,
  DOFS     = BLOCKS + 3,
  CONN     = BLOCKS + 6,
  MESSAGES = BLOCKS + 7,
  COUNTS
};

#define PlexPartialGet(w, n, member) /* of which a step writes all */ \
  PlexArraysGet((w)->b.planner.arrays, (size_t)(n) * sizeof(*(w)->p.member), &(w)->p.member)

/* ---- Batches ---- */

/* The batch's part of where something of all blocks begins, counted from its first one */
static PetscErrorCode PlexPartialSlice(PlexPartialPlanner *w, const int start[], void *to)
{
  const PetscInt n = w->p.cut.nblocks + 1, first = w->p.first;
  int           *slice;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &slice));
  for (PetscInt b = 0; b < n; ++b) slice[b] = start[first + b] - start[first];
  PetscCall(PlexPlannerNew_Private(&w->b.planner, n, sizeof(int), to));
  PetscCall(PlexBackendCopyIn(w->b.planner.where, *(void **)to, slice, sizeof(int) * (size_t)n));
  PetscCall(PetscFree(slice));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Batch k; returns the number of positions */
static PetscErrorCode PlexPartialBegin(PlexPartialPlanner *w, PetscInt k, PetscInt *positions)
{
  PlexPartialPlan *p     = &w->p;
  const int       *start = w->plan->blocks.elementStart;

  PetscFunctionBegin;
  PetscCall(PlexArraysGiveBack(w->b.planner.arrays, NULL));
  p->first             = (int)(k * w->batch);
  p->cut.nblocks       = (int)PetscMin(w->batch, p->all - p->first);
  p->cut.elements      = w->elementStart[p->first + p->cut.nblocks] - w->elementStart[p->first];
  p->cut.element       = (int *)w->items + w->elementStart[p->first];
  p->conn              = w->conn + (size_t)start[p->first] * (size_t)(p->cut.Nv + p->cut.ef);
  w->b.planner.nblocks = p->cut.nblocks;
  *positions           = start[p->first + p->cut.nblocks] - start[p->first];
  PetscCall(PlexPartialSlice(w, w->elementStart, &p->cut.elementStart));
  PetscCall(PlexPartialSlice(w, start, &p->positionStart));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Blocks ---- */

/* Things of the batch's elements: items, start[all + 1], and numbers from `at` on */
static PetscErrorCode PlexPartialListThings(PlexPartialPlanner *w, PetscInt k, const int conn[], PetscInt at,
                                            PetscInt array, int start[], PlexPlanList *list)
{
  PlexPartialPlan *p      = &w->p;
  const PetscInt   n      = p->cut.nblocks;
  const int        before = start[p->first];

  PetscFunctionBegin;
  PetscCall(PlexPlannerListThings_Private(&w->b.planner, k, conn, list));
  p->at = (int)at;
  PetscCall(PlexPlanRun(w, plex_partial_connect, p->cut.elements));
  PetscCall(PlexBatchesKeep_Private(&w->b, array, list, NULL));
  PetscCall(PlexBackendCopyOut(w->b.planner.where, &start[p->first], list->start, sizeof(int) * (size_t)(n + 1)));
  for (PetscInt b = 0; b <= n; ++b) {
    PetscCheck(b == n || start[p->first + b + 1] - start[p->first + b] < 65535, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "A block of elements has more than 65534 dofs: use a smaller -plex_assembly_partition_size");
    start[p->first + b] += before;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Positions of elements: each block's begin at a multiple of 32 */
static PetscErrorCode PlexPartialSetPositions(PlexPartialPlanner *w, const PlexLists *parts)
{
  PlexBlocks *blocks = &w->plan->blocks;

  PetscFunctionBegin;
  *blocks = (PlexBlocks){.nblocks = parts->n, .interleave = PLEX_PARTIAL_LANES};
  PetscCall(PetscMalloc3(parts->n + 1, &w->elementStart, parts->n + 1, &w->nodeStart, parts->n + 1, &w->dofStart));
  PetscCall(PetscMalloc1(parts->n + 1, &blocks->elementStart));
  for (PetscInt b = 0; b <= parts->n; ++b) {
    const PetscInt lanes = PLEX_PARTIAL_LANES, n = b < parts->n ? parts->start[b + 1] - parts->start[b] : 0;

    PetscCheck(blocks->positions < PETSC_INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "More than 2^31 elements in blocks: distribute the mesh over more ranks");
    w->elementStart[b]      = (int)parts->start[b];
    blocks->elementStart[b] = (int)blocks->positions;
    blocks->positions += (size_t)((n + lanes - 1) / lanes * lanes);
  }
  w->nodeStart[0] = w->dofStart[0] = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nodes and dofs of blocks, and the bytes of shared memory that they take */
static PetscErrorCode PlexPartialListBlocks(PlexPartialPlanner *w, PlexAssembly asm_, const PlexLists *parts)
{
  PlexElements     el     = asm_->elements;
  PlexBlocks      *blocks = &w->plan->blocks;
  const PetscInt   K = el->Nv + el->ef, real = (PetscInt)PlexAssemblyRealSize(asm_);
  PlexPartialPlan *p = &w->p;
  PlexPlanList     nodes, dofs;

  PetscFunctionBegin;
  p->all = (int)parts->n;
  PetscCall(PlexPartialSetPositions(w, parts));
  PetscCall(PlexPlannerInput_Private(&w->b.planner, parts->items, sizeof(int) * (size_t)parts->start[parts->n],
                                     (const void **)&w->items));
  PetscCall(PlexBatchesPiece_Private(&w->b, CONN, (PetscInt)blocks->positions, 2 * (size_t)K, &w->conn, NULL));
  PetscCall(PlexPlanWhole(w, el->Nl, last));
  PetscCall(PlexPlanWhole(w, el->Nl, ahead));
  w->longest = PlexPatternLongest(asm_->pattern);
  w->batch   = PetscMin(PLEX_PARTIAL_ELEMENTS, PETSC_INT32_MAX / (el->ef * PetscMax(1, w->longest)));
  w->batch   = PetscMax(1, w->batch / w->plan->layout.elements);
  for (PetscInt k = 0; k * w->batch < p->all; ++k) {
    PetscInt positions;

    PetscCall(PlexPartialBegin(w, k, &positions));
    PetscCall(PlexPlanRun(w, plex_partial_pad, positions * K));
    PetscCall(PlexPartialListThings(w, el->Nv, p->cut.vertices, 0, NODES, w->nodeStart, &nodes));
    PetscCall(PlexPartialListThings(w, el->ef, p->cut.dofs, el->Nv, DOFS, w->dofStart, &dofs));
    p->dofStart = dofs.start;
    p->dofs     = dofs.items;
    PetscCall(PlexPlanRun(w, plex_partial_owners, dofs.n));
  }
  for (PetscInt b = 0; b < p->all; ++b) {
    const PetscInt bytes = real * (el->dim * (w->nodeStart[b + 1] - w->nodeStart[b]) +
                                   2 * (w->dofStart[b + 1] - w->dofStart[b]));

    blocks->sharedBytes = PetscMax(blocks->sharedBytes, (size_t)((bytes + 15) / 16 * 16));
  }
  blocks->bytes = 2.0 * (double)blocks->positions * (double)K + (4.0 + 8.0 * (double)el->dim) * w->nodeStart[p->all] +
                  (4.0 + 8.0) * w->dofStart[p->all];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Rows ---- */

/* Rows of batch k, in their order, and where their entries begin */
static PetscErrorCode PlexPartialListRows(PlexPartialPlanner *w, PetscInt k)
{
  PlexPartialPlan *p = &w->p;
  const PetscInt   n = w->dofStart[p->first + p->cut.nblocks] - w->dofStart[p->first];

  PetscFunctionBegin;
  p->dofs = (int *)w->b.pieces[DOFS].of[k].data;
  PetscCall(PlexPartialSlice(w, w->dofStart, &p->dofStart));
  PetscCall(PlexPlanSum(w, plex_partial_count_rows, n, rowTo, &p->rows));
  PetscCall(PlexPartialGet(w, p->rows, keys));
  PetscCall(PlexPartialGet(w, p->rows, rowDof));
  PetscCall(PlexPlanRun(w, plex_partial_list_rows, n));
  PetscCall(PlexArraysSort(w->b.planner.arrays, p->rows, 0, PlexPlannerBits_Private(&w->b.planner, p->above), p->keys,
                           p->rowDof, PETSC_FALSE));
  PetscCall(PlexPlanNew(w, n, rowOf));
  PetscCall(PlexPartialGet(w, p->cut.nblocks + 1, blockRow));
  PetscCall(PlexPlanSum(w, plex_partial_row_lengths, p->rows, rowAt, &p->entries));
  PetscCall(PlexPlanRun(w, plex_partial_block_rows, p->cut.nblocks + 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How many numbers each entry has, and segments of rows */
static PetscErrorCode PlexPartialCount(PlexPartialPlanner *w, PetscInt positions)
{
  PlexPartialPlan *p  = &w->p;
  const PetscInt   ef = p->cut.ef;
  int              total;

  PetscFunctionBegin;
  PetscCall(PlexPartialGet(w, positions * ef, in));
  PetscCall(PlexPlanNew(w, p->rows + 2, itemTo));
  PetscCall(PlexPartialGet(w, positions * ef, items));
  PetscCall(PlexPlanRun(w, plex_partial_items, positions * ef));
  PetscCall(PlexPlannerList_Private(&w->b.planner, positions * ef, 1, p->in, p->rows, p->itemTo, p->items));
  PetscCall(PlexPartialGet(w, positions * ef * ef, found));
  PetscCall(PlexPlanNew(w, p->entries + 2, number));
  ++p->number; /* behind a zero: where codes begin, as each has moved to the next one when they are filled in */
  PetscCall(PlexPlanNew(w, p->rows + 1, sentTo));
  PetscCall(PlexPlanRunShared(w, plex_partial_count, p->rows));
  PetscCall(PlexPlanRunShared(w, plex_partial_count_sent, p->rows));
  PetscCall(PlexBatchesCheck_Private(&w->b));
  PetscCall(PlexPlanSumOf(w, p->rows, sentTo, &total));
  if (!p->slotOf) w->plan->sums += (double)total;
  PetscCall(PlexBatchesBegins_Private(&w->b, PLEX_STEP_OF(plex_partial_segments), p->rows, p->rows, &p->segmentTo,
                                      &p->segmentRow, &p->segments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Messages ---- */

static PetscErrorCode PlexPartialListMessages(PlexPartialPlanner *w)
{
  PetscFunctionBegin;
  PetscCall(PlexPlanPiece(w, MESSAGES, w->p.segments, messages, NULL));
  PetscCall(PlexPlanPiece(w, COUNTS, w->p.segments, counts, NULL));
  PetscCall(PlexPlanRun(w, plex_partial_list_messages, w->p.segments));
  w->p.nmessages += w->p.segments;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where each owner receives; *serves false: there are too many places */
static PetscErrorCode PlexPartialPlaceMessages(PlexPartialPlanner *w, PetscBool *serves)
{
  PlexPartialPlan *p = &w->p;
  const PetscInt   n = p->nmessages, all = p->all;
  PetscInt         bits = 32;
  int              room = 0;

  PetscFunctionBegin;
  *serves = (PetscBool)(w->longest < 65535 &&
                        w->plan->sums + (double)PLEX_PARTIAL_ALIGN * (double)n < PETSC_INT32_MAX / 2);
  if (!*serves) PetscFunctionReturn(PETSC_SUCCESS);
  while ((PetscInt64)1 << (bits - 32) <= all) ++bits;
  PetscCall(PlexArraysGiveBack(w->b.planner.arrays, NULL));
  PetscCall(PlexPlannerJoinWhole_Private(&w->b.planner, &w->b.pieces[MESSAGES], &p->messages));
  PetscCall(PlexPlannerJoinWhole_Private(&w->b.planner, &w->b.pieces[COUNTS], &p->counts));
  PetscCall(PlexPlanWhole(w, n, sorted));
  PetscCall(PlexPlanWhole(w, n + 1, placeTo));
  PetscCall(PlexPlanWhole(w, all + 1, messageTo));
  PetscCall(PlexPlanWhole(w, all + 1, receivedTo));
  PetscCall(PlexPlanPiece(w, SENDERS, n, senders, NULL));
  PetscCall(PlexArraysSort(w->b.planner.arrays, n, 0, bits, p->messages, p->sorted, PETSC_TRUE));
  PetscCall(PlexPlanRun(w, plex_partial_count_places, n));
  PetscCall(PlexPlanSumOf(w, n, placeTo, &room));
  PetscCall(PlexPlanRun(w, plex_partial_block_messages, all + 1));
  PetscCall(PlexPlanWhole(w, room, slotOf));
  w->plan->room = (double)room;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Entries ---- */

/* Numbers and sums of each entry, and in which list it is */
static PetscErrorCode PlexPartialListEntries(PlexPartialPlanner *w)
{
  PlexPartialPlan *p = &w->p;
  int              to[2], places, total;

  PetscFunctionBegin;
  PetscCall(PlexPlanSumOf(w, p->entries, number, &total));
  PetscCall(PlexPartialGet(w, total, code));
  PetscCall(PlexPlanRunShared(w, plex_partial_fill, p->rows));
  --p->number;
  PetscCall(PlexPartialGet(w, p->segments, base));
  PetscCall(PlexPlanRun(w, plex_partial_bases, p->segments));
  PetscCall(PlexPlanRun(w, plex_partial_send, p->rows));
  PetscCall(PlexBackendCopyOut(w->b.planner.where, &to[0], &p->receivedTo[p->first], sizeof(int)));
  PetscCall(PlexBackendCopyOut(w->b.planner.where, &to[1], &p->receivedTo[p->first + p->cut.nblocks], sizeof(int)));
  places = to[1] - to[0];
  PetscCall(PlexPartialGet(w, places, in));
  PetscCall(PlexPartialGet(w, places, received));
  PetscCall(PlexPlanNew(w, p->entries + 2, sum));
  PetscCall(PlexPlanRun(w, plex_partial_receive, places));
  PetscCall(PlexPlannerList_Private(&w->b.planner, places, 1, p->in, p->entries, p->sum, p->received));
  PetscCall(PlexPartialGet(w, p->entries, list));
  PetscCall(PlexPlanNew(w, p->rows + 1, restTo));
  PetscCall(PlexPlanNew(w, p->rows + 1, written));
  PetscCall(PlexPlanRunShared(w, plex_partial_kinds, p->rows));
  PetscCall(PlexPlanSumOf(w, p->rows, restTo, &p->nrest));
  PetscCall(PlexPlanSumOf(w, p->rows, written, &total));
  w->plan->written += (double)total;
  w->plan->rest += (double)p->nrest;
  PetscCall(PlexPartialGet(w, p->nrest, restKeys));
  PetscCall(PlexPartialGet(w, p->nrest, rest));
  PetscCall(PlexPlanRun(w, plex_partial_list_rest, p->rows));
  PetscCall(PlexArraysSort(w->b.planner.arrays, p->nrest, 0,
                           PlexPlannerBits_Private(&w->b.planner, PLEX_PARTIAL_TERM_BITS + 1), p->restKeys, p->rest,
                           PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Lists ---- */

/* Room for codes and heads of a list whose units are known */
static PetscErrorCode PlexPartialPlaceCodes(PlexPartialPlanner *w)
{
  PlexPartialPlan *p = &w->p;

  PetscFunctionBegin;
  PetscCall(PlexPartialGet(w, p->cut.nblocks + 1, lineTo));
  PetscCall(PlexPlanRun(w, plex_partial_block_lines, p->cut.nblocks + 1));
  PetscCall(PlexPartialGet(w, 16 * p->lines, codes));
  PetscCall(PlexPlanRun(w, plex_partial_no_codes, 16 * p->lines));
  PetscCall(PlexPlanPiece(w, HEADS, p->units * p->unitHeads, heads, &p->firstHead));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexPartialMakeBatches(PlexPartialPlanner *w)
{
  PlexPartialPlan *p      = &w->p;
  int              chunks = 0;

  PetscFunctionBegin;
  p->perUnit   = p->kind == PLEX_PARTIAL_OWNED ? PLEX_PARTIAL_OWNED_LINES : PLEX_PARTIAL_LINES;
  p->unitHeads = PLEX_PARTIAL_CHUNKS;
  PetscCall(PlexPlanSum(w, plex_partial_count_chunks, p->segments, chunkTo, &chunks));
  PetscCall(PlexPlanSum(w, plex_partial_count_batches, p->cut.nblocks, unitTo, &p->units));
  p->lines = p->units * p->perUnit;
  PetscCall(PlexPartialPlaceCodes(w));
  PetscCall(PlexPlanRunShared(w, plex_partial_batch_codes, p->rows));
  PetscCall(PlexPlanRun(w, plex_partial_batch_heads, chunks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexPartialMakeRest(PlexPartialPlanner *w)
{
  PlexPartialPlan *p = &w->p;

  PetscFunctionBegin;
  p->perUnit   = 0;
  p->unitHeads = 2 + PLEX_PARTIAL_LINE;
  PetscCall(PlexPlanSum(w, plex_partial_count_rest, p->cut.nblocks, unitTo, &p->units));
  PetscCall(PlexPlanSum(w, plex_partial_rest_lines, p->units, unitLine, &p->lines));
  PetscCall(PlexPartialPlaceCodes(w));
  PetscCall(PlexPlanRun(w, plex_partial_rest_heads, p->units));
  PetscCall(PlexPlanRun(w, plex_partial_rest_codes, p->nrest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The lines of a list, those of blocks that are alike once; *serves false: there are too many */
static PetscErrorCode PlexPartialKeep(PlexPartialPlanner *w, PetscBool *serves)
{
  PlexPartialPlan *p    = &w->p;
  int              kept = 0;

  PetscFunctionBegin;
  PetscCall(PlexPlanNew(w, p->cut.nblocks, hash));
  PetscCall(PlexPlanNew(w, p->cut.nblocks, differs));
  PetscCall(PlexPlanNew(w, PLEX_PARTIAL_TABLE, table));
  PetscCall(PlexPlanRun(w, plex_partial_hash, p->lines));
  PetscCall(PlexPlanRun(w, plex_partial_put_lines, p->cut.nblocks));
  PetscCall(PlexPlanRun(w, plex_partial_compare_lines, p->lines));
  PetscCall(PlexPlanSum(w, plex_partial_count_kept, p->cut.nblocks, keptTo, &kept));
  *serves = (PetscBool)((double)w->b.pieces[CODES].bytes / 64. + kept < PETSC_INT32_MAX &&
                        (double)w->b.pieces[HEADS].bytes / sizeof(int) < PETSC_INT32_MAX);
  if (!*serves) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBatchesPiece_Private(&w->b, CODES, kept, 16 * sizeof(*p->kept), &p->kept, &p->firstLine));
  PetscCall(PlexPlanRun(w, plex_partial_keep_lines, p->lines));
  PetscCall(PlexPlanRun(w, plex_partial_parts, p->cut.nblocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexPartialMakeLists(PlexPartialPlanner *w, PetscBool *serves)
{
  PlexPartialPlan *p = &w->p;
  PlexArraysMark   mark;

  PetscFunctionBegin;
  PetscCall(PlexArraysGetMark(w->b.planner.arrays, &mark));
  for (p->kind = 0; p->kind < PLEX_PARTIAL_KINDS && *serves; ++p->kind) {
    if (p->kind < PLEX_PARTIAL_REST) PetscCall(PlexPartialMakeBatches(w));
    else PetscCall(PlexPartialMakeRest(w));
    PetscCall(PlexPartialKeep(w, serves));
    PetscCall(PlexArraysGiveBack(w->b.planner.arrays, &mark));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- All of it ---- */

/* To where kernels read them; nothing has been sent, and no block has begun */
static PetscErrorCode PlexPartialUpload(PlexPartialPlanner *w)
{
  PlexBackend      backend = w->b.planner.asm_->backend;
  PlexBlocks      *blocks  = &w->plan->blocks;
  PlexPartialArgs *d       = &w->plan->device;
  const size_t starts = sizeof(int) * (size_t)(blocks->nblocks + 1), flags = sizeof(unsigned) * (size_t)blocks->nblocks;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < BLOCKS; ++k) w->plan->codes += (double)w->b.pieces[k].bytes;
  PetscCall(PlexBatchesJoin_Private(&w->b, 0, BLOCKS, d));
  PetscCall(PlexBatchesJoin_Private(&w->b, BLOCKS, MESSAGES - BLOCKS, &blocks->device));
  PetscCall(PlexMemoryUpload(backend, w->b.memory, w->nodeStart, starts, (const void **)&blocks->device.nodeStart));
  PetscCall(PlexMemoryUpload(backend, w->b.memory, w->dofStart, starts, (const void **)&blocks->device.dofStart));
  PetscCall(PlexMemoryUpload(backend, w->b.memory, blocks->elementStart, starts,
                             (const void **)&blocks->device.elementStart));
  PetscCall(PlexBatchesAllocate_Private(&w->b, flags, &d->sent));
  PetscCall(PlexBackendZero(backend, d->sent, flags));
  PetscCall(PlexBatchesAllocate_Private(&w->b, sizeof(unsigned), &d->ticket));
  PetscCall(PlexBackendZero(backend, d->ticket, sizeof(unsigned)));
  PetscCall(PlexBatchesAllocate_Private(&w->b, sizeof(PetscScalar) * (size_t)PetscMax(1., w->plan->room),
                                        &w->plan->partial));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What all blocks sum, send and receive; *serves false: there is too much of it */
static PetscErrorCode PlexPartialReduce(PlexPartialPlanner *w, double memory, PetscBool *serves)
{
  PlexPartialPlan         *p       = &w->p;
  const PlexPartialLayout *layout  = &w->plan->layout;
  PlexPattern              pattern = w->b.planner.asm_->pattern;
  PetscInt                 positions;
  size_t                   most;

  PetscFunctionBegin;
  p->places = (int)layout->places;
  p->zero   = layout->zero;
  while ((PetscInt64)1 << p->rowBits < pattern->m) ++p->rowBits;
  p->above = p->rowBits;
  while ((PetscInt64)1 << (p->above - p->rowBits) < p->all + PLEX_PARTIAL_OWNERS) ++p->above;
  PetscCall(PlexPlannerInput_Private(&w->b.planner, layout->of, sizeof(layout->of), (const void **)&p->of));
  PetscCall(PlexPlanPiece(w, PARTS, p->all, parts, NULL));
  for (PetscInt k = 0; k * w->batch < p->all; ++k) {
    PetscCall(PlexPartialBegin(w, k, &positions));
    PetscCall(PlexPartialListRows(w, k));
    PetscCall(PlexPartialCount(w, positions));
    PetscCall(PlexPartialListMessages(w));
  }
  PetscCall(PlexPartialPlaceMessages(w, serves));
  *serves = (PetscBool)(*serves && sizeof(PetscScalar) * w->plan->room <= memory);
  for (PetscInt k = 0; k * w->batch < p->all && *serves; ++k) {
    PetscCall(PlexPartialBegin(w, k, &positions));
    PetscCall(PlexPartialListRows(w, k));
    PetscCall(PlexPartialCount(w, positions));
    PetscCall(PlexPartialListEntries(w));
    PetscCall(PlexPartialMakeLists(w, serves));
  }
  if (!*serves) PetscFunctionReturn(PETSC_SUCCESS);
  w->plan->zero = (PetscBool)(w->plan->written < (double)pattern->nnz);
  PetscCall(PlexArraysGetMost(w->b.planner.arrays, &most));
  w->plan->made = (double)(most + w->b.planner.whole.bytes);
  PetscCall(PlexPartialUpload(w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPartialPlan_Private(PlexAssembly asm_, PlexProduct *product, PlexPartial *plan,
                                       const PlexLists *parts, double memory, PetscBool *fit, PetscBool *serves)
{
  PlexPartialPlanner w = {.plan = plan};
  PlexBackendLimits  limits;

  PetscFunctionBegin;
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  PetscCall(PlexBatchesCreate_Private(asm_, product, "assembly/partial_plan_steps.h", PETSC_FALSE, &w.p, &w.b));
  PetscCall(PlexPartialListBlocks(&w, asm_, parts));
  plan->shared += plan->blocks.sharedBytes;
  /* and the number of the block */
  *fit = (PetscBool)(plan->shared + sizeof(PlexPartialPart) + sizeof(int) <= limits.sharedPerBlock);
  if (*fit) PetscCall(PlexPartialReduce(&w, memory, serves));
  if (!*serves) PetscCall(PetscFree(plan->blocks.elementStart));
  PetscCall(PetscFree3(w.elementStart, w.nodeStart, w.dofStart));
  PetscCall(PlexBatchesDestroy_Private(&w.b));
  PetscFunctionReturn(PETSC_SUCCESS);
}
