/* Blocks, rows and packed lists: see rows.h */
#include "rows.h"
#include "../../dm/elementsimpl.h" /* PlexPatternLongest() */
#include <plan/rows_steps.h>

#define PLEX_ROWS_BATCH 262144 /* elements of a batch of blocks of elements, about */

#define PlexRowsRun(w, name, n)   PlexStepsRun((w)->steps, PLEX_STEP_OF(name), (n), &(w)->p)
#define PlexRowsNew(w, n, member) PlexPlannerNew_Private(&(w)->planner, n, sizeof(*(w)->p.member), &(w)->p.member)
#define PlexRowsGet(w, n, member) /* of which a step writes all */ \
  PlexArraysGet((w)->planner.arrays, (size_t)PetscMax(1, n) * sizeof(*(w)->p.member), &(w)->p.member)

PetscErrorCode PlexRowsPlannerCreate_Private(PlexAssembly asm_, PlexProduct *product, PetscBool nodes,
                                             PlexRowsPlanner *w)
{
  const PetscInt  ef     = asm_->elements->ef;
  const PetscBool matrix = (PetscBool)(product->kind == PLEX_JACOBIAN);

  PetscFunctionBegin;
  *w = (PlexRowsPlanner){.asm_ = asm_, .product = product, .longest = matrix ? PlexPatternLongest(asm_->pattern) : 1};
  PetscCheck(w->longest < 65535, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "A row of the matrix has %" PetscInt_FMT
             " non-zeros, and 65534 can be numbered: use -plex_assembly_type %s",
             w->longest, PLEXASSEMBLYELEMENTATOMIC);
  w->p.cut.residual = !matrix;
  w->p.length       = matrix ? (int)ef : 1;
  w->p.symmetric    = product->symmetric;
  w->p.nd           = (int)product->nd;
  w->p.threads      = (int)product->block;
  if (nodes) PetscCall(PlexPlannerCreate_Private(asm_, &w->p.cut, &w->planner));
  else {
    PetscCall(PlexPlannerCreateMesh_Private(asm_, &w->p.cut, &w->planner));
    PetscCall(PlexPlannerListAround_Private(&w->planner));
    PetscCall(PlexPlannerNewWhole_Private(&w->planner, asm_->elements->Ne, sizeof(int), &w->p.cut.position));
    PetscCall(PlexPlannerNewWhole_Private(&w->planner, asm_->elements->Nl, sizeof(int), &w->p.seen));
  }
  PetscCall(PlexStepsCreate(w->planner.where, "plan/rows_steps.h", &w->steps));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexRowsPlannerDestroy_Private(PlexRowsPlanner *w)
{
  PlexPlanPieces *rest[] = {&w->elementStart, &w->at,       &w->numbers, &w->nodeStart,
                            &w->nodeItems,    &w->dofStart, &w->dofItems};

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(rest); ++k)
    PetscCall(PlexPlannerJoin_Private(&w->planner, rest[k], NULL));
  PetscCall(PlexStepsDestroy(&w->steps));
  PetscCall(PlexPlannerDestroy_Private(&w->planner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexRowsPlannerJoin_Private(PlexRowsPlanner *w, PlexPlanPieces *pieces, void *array)
{
  const size_t bytes = pieces->bytes;

  PetscFunctionBegin;
  PetscCall(PlexPlannerJoin_Private(&w->planner, pieces, array));
  if (bytes) PetscCall(PlexMemoryAdd(&w->product->memory, bytes, *(void **)array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Blocks ---- */

/* The largest block's nodal data */
static PetscErrorCode PlexRowsMeasure(PlexRowsPlanner *w, const PlexPlanList *nodes, const PlexPlanList *dofs,
                                      PlexBlocks *blocks)
{
  const PetscInt n    = w->planner.nblocks;
  const size_t   real = PlexAssemblyRealSize(w->asm_), all = sizeof(int) * (size_t)(n + 1);
  int           *node, *dof;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n + 1, &node, n + 1, &dof));
  PetscCall(PlexBackendCopyOut(w->planner.where, node, nodes->start, all));
  PetscCall(PlexBackendCopyOut(w->planner.where, dof, dofs->start, all));
  for (PetscInt b = 0; b < n; ++b) {
    const PetscInt nn = node[b + 1] - node[b], nd = dof[b + 1] - dof[b];
    const size_t   bytes = real * (size_t)(w->asm_->elements->dim * nn + 2 * nd);

    PetscCheck(nn < 65535 && nd < 65535, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "A block of elements has %" PetscInt_FMT " nodes and %" PetscInt_FMT
               " dofs, and 65534 can be numbered: use a smaller -plex_assembly_partition_size",
               nn, nd);
    blocks->mostNodes   = PetscMax(blocks->mostNodes, nn);
    blocks->mostDofs    = PetscMax(blocks->mostDofs, nd);
    blocks->sharedBytes = PetscMax(blocks->sharedBytes, (bytes + 15) / 16 * 16);
  }
  PetscCall(PetscFree2(node, dof));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexRowsPlannerBlocks_Private(PlexRowsPlanner *w, PlexBlocks *blocks)
{
  PlexPlanner    *planner = &w->planner;
  PlexPlanBlocks *p       = &w->p.cut;
  PetscInt        before  = p->firstPosition;
  PlexPlanList    nodes, dofs;
  int             positions;

  PetscFunctionBegin;
  blocks->interleave = w->product->team == 1 ? 32 : 1;
  PetscCall(PlexPlannerSetPositions_Private(planner, blocks->interleave, &w->numbers, &w->at, &positions));
  PetscCall(PlexPlannerConnect_Private(planner, p->Nv, p->vertices, 0, &nodes));
  PetscCall(PlexPlannerConnect_Private(planner, p->ef, p->dofs, p->Nv, &dofs));
  PetscCall(PlexRowsMeasure(w, &nodes, &dofs, blocks));
  PetscCall(PlexPlannerKeep_Private(planner, &w->nodeItems, nodes.n, sizeof(int), nodes.items));
  PetscCall(PlexPlannerKeep_Private(planner, &w->dofItems, dofs.n, sizeof(int), dofs.items));
  PetscCall(PlexPlannerKeepStarts_Private(planner, &w->nodeStart, planner->nblocks, nodes.start, &w->nodes));
  PetscCall(PlexPlannerKeepStarts_Private(planner, &w->dofStart, planner->nblocks, dofs.start, &w->dofs));
  PetscCall(PlexPlannerKeepStarts_Private(planner, &w->elementStart, planner->nblocks, p->positionStart, &before));
  blocks->nblocks += planner->nblocks;
  blocks->positions += (size_t)positions;
  p->firstPosition += positions;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexRowsPlannerCutElements_Private(PlexRowsPlanner *w, const PlexLists *parts, PlexBlocks *blocks)
{
  PlexPlanBlocks *p = &w->p.cut;
  const int      *items;
  int            *start;

  PetscFunctionBegin;
  PetscCall(PlexPlannerInput_Private(&w->planner, parts->items, sizeof(int) * (size_t)parts->start[parts->n],
                                     (const void **)&items));
  PetscCall(PetscMalloc1(parts->n + 1, &start));
  for (PetscInt first = 0, b; first < parts->n; first = b) {
    const PetscInt begins = parts->start[first];

    for (b = first; b < parts->n && (b == first || parts->start[b + 1] - begins <= PLEX_ROWS_BATCH); ++b)
      start[b - first] = (int)(parts->start[b] - begins);
    p->nblocks         = (int)(b - first);
    p->elements        = (int)(parts->start[b] - begins);
    p->element         = (int *)items + begins;
    w->planner.nblocks = b - first;
    start[b - first]   = p->elements;
    PetscCall(PlexPlannerNew_Private(&w->planner, b - first + 1, sizeof(int), &p->elementStart));
    PetscCall(PlexBackendCopyIn(w->planner.where, p->elementStart, start, sizeof(int) * (size_t)(b - first + 1)));
    PetscCall(PlexRowsPlannerBlocks_Private(w, blocks));
    PetscCall(PlexArraysGiveBack(w->planner.arrays, NULL));
  }
  PetscCall(PetscFree(start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexRowsPlannerEndBlocks_Private(PlexRowsPlanner *w, PlexBlocks *blocks)
{
  const PlexElements el      = w->asm_->elements;
  PlexPlanner       *planner = &w->planner;
  PlexBlocksArgs    *d       = &blocks->device;

  PetscFunctionBegin;
  blocks->bytes = 2.0 * (double)(blocks->positions * (size_t)(el->Nv + el->ef)) +
                  (4.0 + 8.0 * (double)el->dim) * (double)w->nodes + (4.0 + 8.0) * (double)w->dofs;
  PetscCall(PlexPlannerKeepEnd_Private(planner, &w->elementStart, (PetscInt)blocks->positions));
  PetscCall(PlexPlannerKeepEnd_Private(planner, &w->nodeStart, w->nodes));
  PetscCall(PlexPlannerKeepEnd_Private(planner, &w->dofStart, w->dofs));
  PetscCall(PlexRowsPlannerJoin_Private(w, &w->elementStart, &d->elementStart));
  PetscCall(PlexRowsPlannerJoin_Private(w, &w->nodeStart, &d->nodeStart));
  PetscCall(PlexRowsPlannerJoin_Private(w, &w->nodeItems, &d->nodes));
  PetscCall(PlexRowsPlannerJoin_Private(w, &w->dofStart, &d->dofStart));
  PetscCall(PlexRowsPlannerJoin_Private(w, &w->dofItems, &d->dofs));
  PetscCall(PlexRowsPlannerJoin_Private(w, &w->numbers, &d->conn));
  if (!el->ea && !el->vectors) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexRowsPlannerJoin_Private(w, &w->at, &d->elements));
  blocks->bytes += (4.0 + 12.0 * (double)el->ea) * (double)blocks->positions;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Rows ---- */

PetscErrorCode PlexRowsPlannerPass_Private(PlexRowsPlanner *w, PetscInt first, PetscInt n, PetscInt run,
                                           PetscInt *fresh)
{
  PlexPlanRows  *p      = &w->p;
  PlexArrays     arrays = w->planner.arrays;
  const PetscInt Nl     = w->asm_->elements->Nl;
  PetscInt       before;

  PetscFunctionBegin;
  PetscCall(PlexArraysGiveBack(arrays, NULL));
  p->cut.firstPosition = (int)first;
  p->positions         = (int)n;
  p->run               = (int)run;
  PetscCall(PlexRowsNew(w, Nl + 1, in));
  PetscCall(PlexArraysSum(arrays, Nl, p->seen, p->in, &before));
  PetscCall(PlexRowsRun(w, plex_rows_mark, Nl));
  PetscCall(PlexBackendZero(w->planner.where, &p->in[Nl], sizeof(int)));
  PetscCall(PlexPlannerSum_Private(&w->planner, Nl, p->in, &p->cut.rows));
  PetscCall(PlexRowsGet(w, p->cut.rows, rowKeys));
  PetscCall(PlexRowsGet(w, p->cut.rows, rowDofs));
  PetscCall(PlexRowsRun(w, plex_rows_list, Nl));
  PetscCall(PlexArraysSort(arrays, p->cut.rows, 0, 33, p->rowKeys, p->rowDofs, PETSC_FALSE));
  if (run) {
    PetscCall(PlexRowsRun(w, plex_rows_run_keys, p->cut.rows));
    PetscCall(PlexArraysSort(arrays, p->cut.rows, 0, 44, p->rowKeys, p->rowDofs, PETSC_FALSE));
  }
  p->cut.rowDof      = p->rowDofs;
  w->planner.nblocks = 1; /* groups of rows */
  PetscCall(PlexPlannerNew_Private(&w->planner, 2, sizeof(int), &p->cut.rowStart));
  PetscCall(PlexBackendCopyIn(w->planner.where, &p->cut.rowStart[1], &p->cut.rows, sizeof(int)));
  if (!fresh) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexRowsRun(w, plex_rows_see, p->cut.rows));
  PetscCall(PlexArraysSum(arrays, Nl, p->seen, p->in, fresh));
  *fresh -= before;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexRowsPlannerFill_Private(PlexRowsPlanner *w)
{
  PlexPlanRows  *p    = &w->p;
  const PetscInt rows = p->cut.rows;
  int            n    = 0, error;

  PetscFunctionBegin;
  if (!p->itemTo) p->groups = (int)w->planner.nblocks;
  if (!p->itemTo) p->groupRow = p->cut.rowStart;
  PetscCall(PlexRowsNew(w, rows + 1, start));
  PetscCall(PlexRowsRun(w, plex_rows_count, rows));
  PetscCall(PlexPlannerSum_Private(&w->planner, rows, p->start, &n));
  w->contributions = n;
  PetscCall(PlexRowsGet(w, n, items));
  PetscCall(PlexRowsGet(w, n, of));
  PetscCall(PlexRowsGet(w, (size_t)n * (size_t)p->length, place));
  PetscCall(PlexRowsGet(w, rows, ids));
  PetscCall(PlexRowsGet(w, rows, lengths));
  PetscCall(PlexRowsNew(w, 1, error));
  PetscCall(PlexRowsRun(w, plex_rows_fill, rows));
  PetscCall(PlexRowsRun(w, plex_rows_place, rows));
  PetscCall(PlexBackendCopyOut(w->planner.where, &error, p->error, sizeof(error)));
  if (error) { /* it has the message */
    int *slots;

    PetscCall(PetscMalloc1(p->length * p->length, &slots));
    PetscCall(PlexPatternGetElementSlots(w->asm_->pattern, error - 1, slots));
    PetscCall(PetscFree(slots));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexRowsPlannerKeep_Private(PlexRowsPlanner *w)
{
  PlexPlanner   *planner = &w->planner;
  PlexPlanRows  *p       = &w->p;
  const PetscInt rows = p->cut.rows, n = w->contributions;

  PetscFunctionBegin;
  PetscCall(PlexPlannerKeepStarts_Private(planner, &w->start, rows, p->start, &w->kept));
  PetscCall(PlexPlannerKeep_Private(planner, &w->items, n, sizeof(int), p->items));
  PetscCall(PlexPlannerKeep_Private(planner, &w->place, n, sizeof(*p->place) * (size_t)p->length, p->place));
  PetscCall(PlexPlannerKeep_Private(planner, &w->ids, rows, sizeof(int), p->ids));
  PetscCall(PlexPlannerKeep_Private(planner, &w->lengths, rows, sizeof(int), p->lengths));
  if (!p->cut.position)
    PetscCall(PlexPlannerKeepStarts_Private(planner, &w->rowStart, planner->nblocks, p->cut.rowStart, &w->rows));
  else w->rows += rows;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexRowsPlannerEndRows_Private(PlexRowsPlanner *w, PlexRows *rows)
{
  PlexRowsArgs *d = &rows->device;

  PetscFunctionBegin;
  rows->nrows         = w->rows;
  rows->longest       = w->longest;
  rows->contributions = w->kept;
  PetscCall(PlexPlannerKeepEnd_Private(&w->planner, &w->start, w->kept));
  rows->bytes = (double)(w->start.bytes + w->items.bytes + w->place.bytes + w->ids.bytes + w->lengths.bytes);
  PetscCall(PlexRowsPlannerJoin_Private(w, &w->start, &d->start));
  PetscCall(PlexRowsPlannerJoin_Private(w, &w->items, &d->items));
  PetscCall(PlexRowsPlannerJoin_Private(w, &w->place, &d->place));
  PetscCall(PlexRowsPlannerJoin_Private(w, &w->ids, &d->ids));
  PetscCall(PlexRowsPlannerJoin_Private(w, &w->lengths, &d->length));
  if (w->rowStart.n) PetscCall(PlexPlannerKeepEnd_Private(&w->planner, &w->rowStart, w->rows));
  PetscCall(PlexRowsPlannerJoin_Private(w, &w->rowStart, &rows->rowStart));
  w->rows = w->kept = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Packed lists ---- */

/* Targets that sum anything, and what; *terms in all */
static PetscErrorCode PlexRowsListTerms(PlexRowsPlanner *w, int *lists, int *terms)
{
  PlexPlanner   *planner = &w->planner;
  PlexPlanRows  *p       = &w->p;
  const PetscInt rows    = p->cut.rows;

  PetscFunctionBegin;
  p->entries = (int)w->product->Nt;
  PetscCall(PlexRowsNew(w, rows + 1, rowAt));
  PetscCall(PlexRowsRun(w, plex_rows_lengths, rows));
  if (!p->perBlock) PetscCall(PlexPlannerSum_Private(planner, rows, p->rowAt, &p->entries));
  PetscCall(PlexRowsNew(w, p->entries + 2, number));
  if (p->halves) PetscCall(PlexRowsGet(w, p->entries, transposed));
  PetscCall(PlexRowsRun(w, plex_rows_count_terms, rows));
  PetscCall(PlexPlannerSum_Private(planner, p->entries, p->number + 1, terms));
  PetscCall(PlexRowsGet(w, *terms, source));
  PetscCall(PlexRowsRun(w, plex_rows_fill_terms, rows));
  PetscCall(PlexRowsNew(w, p->entries + 1, listTo));
  PetscCall(PlexRowsNew(w, 1, most));
  PetscCall(PlexRowsRun(w, plex_rows_mark_lists, p->entries));
  PetscCall(PlexPlannerSum_Private(planner, p->entries, p->listTo, lists));
  PetscCall(PlexBackendCopyOut(planner->where, &p->longest, p->most, sizeof(int)));
  PetscCall(PlexRowsGet(w, *lists, listEntry));
  PetscCall(PlexRowsRun(w, plex_rows_list_lists, p->entries));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexRowsPlannerList_Private(PlexRowsPlanner *w, PetscInt perBlock, PetscInt *blocks, int *lists,
                                           int *terms)
{
  PlexPlanRows *p = &w->p;
  PetscInt      bits;

  PetscFunctionBegin;
  p->perBlock   = (int)perBlock;
  p->halves     = !perBlock && p->symmetric;
  p->interleave = perBlock ? p->cut.interleave : 1;
  PetscCall(PlexRowsListTerms(w, lists, terms));
  *blocks = perBlock ? (p->entries + perBlock - 1) / perBlock : p->groups;
  PetscCall(PlexRowsGet(w, *blocks + 1, blockList));
  PetscCall(PlexRowsGet(w, *lists, keys));
  PetscCall(PlexRowsGet(w, *lists, order));
  PetscCall(PlexRowsRun(w, plex_rows_list_keys, *lists));
  for (bits = 1; p->longest >> bits;) ++bits;
  for (PetscInt n = *blocks; n; n >>= 1) ++bits;
  PetscCall(PlexArraysSort(w->planner.arrays, *lists, 0, bits, p->keys, p->order, PETSC_TRUE));
  PetscCall(PlexRowsRun(w, plex_rows_block_lists, *blocks + 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexRowsPlannerPack_Private(PlexRowsPlanner *w, PetscInt perBlock)
{
  PlexPlanner  *planner = &w->planner;
  PlexPlanRows *p       = &w->p;
  PetscInt      blocks;
  int           lists = 0, terms = 0, rows = 0;

  PetscFunctionBegin;
  PetscCall(PlexRowsPlannerList_Private(w, perBlock, &blocks, &lists, &terms));
  PetscCall(PlexRowsGet(w, (size_t)blocks * (size_t)(p->threads + 2 * (p->longest + 3)), queues));
  PetscCall(PlexRowsGet(w, lists, thread));
  PetscCall(PlexRowsGet(w, lists, load));
  PetscCall(PlexRowsNew(w, blocks + 1, packTo));
  PetscCall(PlexRowsRun(w, plex_rows_pack, blocks));
  PetscCall(PlexPlannerSum_Private(planner, blocks, p->packTo, &rows));
  PetscCall(PlexPlannerPiece_Private(planner, &w->packed, rows, sizeof(int) * (size_t)p->threads, &p->packed));
  PetscCall(PlexRowsRun(w, plex_rows_packed, lists));
  PetscCall(PlexPlannerKeepStarts_Private(planner, &w->packTo, blocks, p->packTo, &w->packedRows));
  w->terms += (double)terms;
  w->marks += (double)lists;
  if (perBlock) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexPlannerPiece_Private(planner, &w->targets, lists, sizeof(int), &p->targets));
  if (p->halves) PetscCall(PlexPlannerPiece_Private(planner, &w->mirrors, lists, sizeof(int), &p->mirrors));
  PetscCall(PlexRowsRun(w, plex_rows_targets, lists));
  PetscCall(PlexPlannerKeepStarts_Private(planner, &w->targetStart, blocks, p->blockList, &w->lists));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexRowsPlannerEndPacked_Private(PlexRowsPlanner *w, PlexPacked *packed)
{
  PetscFunctionBegin;
  PetscCall(PlexPlannerKeepEnd_Private(&w->planner, &w->packTo, w->packedRows));
  packed->terms   = w->terms;
  packed->bytes   = (double)(w->packed.bytes + w->targets.bytes + w->mirrors.bytes);
  packed->padding = w->packed.bytes ? 1.0 - 4.0 * (w->terms + w->marks) / (double)w->packed.bytes : 0.0;
  PetscCall(PlexRowsPlannerJoin_Private(w, &w->packTo, &packed->rowStart));
  PetscCall(PlexRowsPlannerJoin_Private(w, &w->packed, &packed->entries));
  if (w->targets.n) PetscCall(PlexPlannerKeepEnd_Private(&w->planner, &w->targetStart, w->lists));
  PetscCall(PlexRowsPlannerJoin_Private(w, &w->targetStart, &packed->targetStart));
  PetscCall(PlexRowsPlannerJoin_Private(w, &w->targets, &packed->targets));
  PetscCall(PlexRowsPlannerJoin_Private(w, &w->mirrors, &packed->mirrors));
  w->terms = w->marks = 0;
  w->packedRows = w->lists = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}
