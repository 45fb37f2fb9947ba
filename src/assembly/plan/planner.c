/* Blocks of a plan that is made in steps */
#include "planner.h"
#include <plan/blocks_steps.h>

#define PLEX_PLAN_PILOT 4096    /* mesh nodes of the first batch, from which the sizes of blocks are known */
#define PLEX_PLAN_BATCH 131072  /* of others, at most, and about as many as have */
#define PLEX_PLAN_NNZ   3200000 /* non-zeros: what is kept of a batch grows with them */
#define PLEX_PLAN_KEYS  2097152 /* that are sorted at a time */

#define PlexBlocksRun(w, name, n)   PlexStepsRun((w)->steps, PLEX_STEP_OF(name), (n), (w)->p)
#define PlexBlocksNew(w, n, member) PlexPlannerNew_Private(w, n, sizeof(*(w)->p->member), &(w)->p->member)

/* Where plans are made: where the kernels are, if that is a device */
static PetscErrorCode PlexPlannerBackend(PlexAssembly asm_, PlexBackend *where)
{
  const PetscBool3 asked   = asm_->owner->planOnDevice;
  const PetscBool  kernels = asked == PETSC_BOOL3_UNKNOWN ? asm_->backend->device : PetscBool3ToBool(asked);

  PetscFunctionBegin;
  *where = asm_->backend;
  if (!kernels) PetscCall(PlexBackendCreate(PLEXBACKENDHOST, where));
  else PetscCall(PetscObjectReference((PetscObject)*where));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPlannerInput_Private(PlexPlanner *w, const void *from, size_t bytes, const void **to)
{
  PetscFunctionBegin;
  *to = from;
  if (w->where->device) PetscCall(PlexMemoryUpload(w->where, &w->whole, from, bytes, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPlannerNew_Private(PlexPlanner *w, PetscInt n, size_t size, void *array)
{
  PetscFunctionBegin;
  PetscCall(PlexArraysGet(w->arrays, (size_t)PetscMax(1, n) * size, array));
  PetscCall(PlexBackendZero(w->where, *(void **)array, (size_t)PetscMax(1, n) * size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPlannerNewWhole_Private(PlexPlanner *w, PetscInt n, size_t size, void *array)
{
  PetscFunctionBegin;
  PetscCall(PlexMemoryAllocate(w->where, &w->whole, (size_t)PetscMax(1, n) * size, (void **)array));
  PetscCall(PlexBackendZero(w->where, *(void **)array, (size_t)PetscMax(1, n) * size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPlannerSum_Private(PlexPlanner *w, PetscInt n, int array[], int *total)
{
  PetscInt all = 0;

  PetscFunctionBegin;
  PetscCall(PlexArraysSum(w->arrays, n + 1, array, array, total ? &all : NULL));
  if (total) *total = (int)all;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt PlexPlannerBits_Private(const PlexPlanner *w, PetscInt shift)
{
  PetscInt bits = shift;

  while ((PetscInt64)1 << (bits - shift) <= w->nblocks) ++bits;
  return bits;
}

PetscErrorCode PlexPlannerList_Private(PlexPlanner *w, PetscInt n, PetscInt each, const int in[], PetscInt nlists,
                                       int starts[], int lists[])
{
  PlexPlanBlocks *p = w->p;

  PetscFunctionBegin;
  p->in     = in;
  p->each   = (int)each;
  p->starts = starts + 1;
  p->lists  = lists;
  PetscCall(PlexBlocksRun(w, plex_blocks_count_in, n));
  PetscCall(PlexPlannerSum_Private(w, nlists, starts + 1, NULL));
  PetscCall(PlexBlocksRun(w, plex_blocks_list_in, n)); /* each start of starts + 1 moves to the next one */
  p->starts = starts;
  PetscCall(PlexBlocksRun(w, plex_blocks_sort_lists, nlists));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPlannerListBegins_Private(PlexPlanner *w, PetscInt n, const int sums[], int begins[])
{
  PetscFunctionBegin;
  w->p->in     = sums;
  w->p->each   = (int)n;
  w->p->starts = begins;
  PetscCall(PlexBlocksRun(w, plex_blocks_begins, n + 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Turns "thing i / each is in list in[i]" around, for n of these: of each list its things, ascending */
static PetscErrorCode PlexPlannerInvert(PlexPlanner *w, PetscInt n, PetscInt each, const int in[], PetscInt nlists,
                                        int **starts, int **lists)
{
  PetscFunctionBegin;
  PetscCall(PlexPlannerNewWhole_Private(w, nlists + 2, sizeof(int), starts));
  PetscCall(PlexPlannerNewWhole_Private(w, n, sizeof(int), lists));
  PetscCall(PlexPlannerList_Private(w, n, each, in, nlists, *starts, *lists));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What steps read of elements and pattern */
static PetscErrorCode PlexPlannerSetMesh(PlexPlanner *w)
{
  PlexElements    el      = w->asm_->elements;
  PlexPattern     pattern = w->asm_->pattern;
  PlexPlanBlocks *p       = w->p;
  const size_t    Ne = (size_t)el->Ne, Nl = (size_t)el->Nl, ef = (size_t)el->ef;
  PetscBool       same = PETSC_FALSE;

  PetscFunctionBegin;
  p->ef    = (int)el->ef;
  p->Nv    = (int)el->Nv;
  p->cdim  = (int)el->dim;
  p->nodes = (int)el->Nnodes;
  PetscCall(PlexPlannerInput_Private(w, el->dofs, sizeof(int) * Ne * ef, (const void **)&p->dofs));
  if (el->Nv == el->ef) PetscCall(PlexThreadsCompare(el->Ne, sizeof(int) * ef, el->vertices, el->dofs, &same));
  if (same) p->vertices = p->dofs;
  else
    PetscCall(PlexPlannerInput_Private(w, el->vertices, sizeof(int) * Ne * (size_t)el->Nv,
                                       (const void **)&p->vertices));
  PetscCall(PlexPlannerInput_Private(w, el->x, sizeof(PetscReal) * (size_t)(el->Nx * el->dim), (const void **)&p->x));
  PetscCall(PlexPlannerInput_Private(w, el->node, sizeof(int) * Nl, (const void **)&p->nodeOf));
  if (p->residual) PetscFunctionReturn(PETSC_SUCCESS);
  p->nA = pattern->nA;
  PetscCall(PlexPlannerInput_Private(w, pattern->row, sizeof(int) * Nl, (const void **)&p->row));
  PetscCall(PlexPlannerInput_Private(w, pattern->column, sizeof(PetscInt) * Nl, (const void **)&p->column));
  if (w->where->device && !pattern->halo && sizeof(PetscInt) == sizeof(int))
    PetscCall(PlexBackendMatGetRows(w->where, pattern->mat, &w->i, &w->j));
  p->i = (const PetscInt *)w->i;
  p->j = (const PetscInt *)w->j;
  if (w->i) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexPlannerInput_Private(w, pattern->i, sizeof(PetscInt) * (size_t)(pattern->m + 1), (const void **)&p->i));
  PetscCall(PlexPlannerInput_Private(w, pattern->j, sizeof(PetscInt) * (size_t)pattern->nnz, (const void **)&p->j));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The most elements around a dof */
static PetscErrorCode PlexPlannerGetMost(PlexPlanner *w)
{
  int most;

  PetscFunctionBegin;
  PetscCall(PlexPlannerNewWhole_Private(w, 1, sizeof(int), &w->p->mostAround));
  PetscCall(PlexBlocksRun(w, plex_blocks_most_around, w->asm_->elements->Nl));
  PetscCall(PlexBackendCopyOut(w->where, &most, w->p->mostAround, sizeof(int)));
  w->around = most;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What follows from the order of mesh nodes */
static PetscErrorCode PlexPlannerRank(PlexPlanner *w)
{
  PlexPlanBlocks *p = w->p;

  PetscFunctionBegin;
  PetscCall(PlexBlocksRun(w, plex_blocks_rank, p->nodes));
  PetscCall(PlexBlocksRun(w, plex_blocks_rank_dofs, w->asm_->elements->Nl));
  PetscCall(PlexBlocksRun(w, plex_blocks_count_rows, p->nodes));
  PetscCall(PlexPlannerSum_Private(w, p->nodes, p->rowsTo, NULL));
  PetscCall(PlexPlannerSum_Private(w, p->nodes, p->entriesTo, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Mesh nodes along a Hilbert curve, of 32 cells between neighbours of evenly spread points, as far as the key's bits
   allow */
static PetscErrorCode PlexPlannerOrder(PlexPlanner *w)
{
  PlexElements    el = w->asm_->elements;
  PlexPlanBlocks *p  = w->p;
  PetscReal       low[3], high[3], side = 0;
  PlexArraysMark  mark;

  PetscFunctionBegin;
  p->bits = 5;
  for (double cells = 1; cells < (double)p->nodes; cells *= (double)(1 << p->cdim)) ++p->bits;
  p->bits = PetscMin(p->bits, 62 / p->cdim);
  PlexCurveGetBox(el->Nx, el->dim, el->x, low, high);
  for (PetscInt d = 0; d < el->dim; ++d) {
    p->low[d] = (double)(el->Nv * low[d]); /* points are sums of so many coordinate nodes */
    side      = PetscMax(side, high[d] - low[d]);
  }
  p->scale = side > 0 ? (double)((1u << p->bits) - 1) / (double)(el->Nv * side) : 0;
  PetscCall(PlexPlannerNewWhole_Private(w, p->nodes, sizeof(int), &p->node));
  PetscCall(PlexPlannerNewWhole_Private(w, p->nodes, sizeof(int), &p->lead));
  PetscCall(PlexPlannerNewWhole_Private(w, p->nodes, sizeof(int), &p->rankOf));
  PetscCall(PlexPlannerNewWhole_Private(w, el->Nl, sizeof(int), &p->rank));
  PetscCall(PlexArraysGetMark(w->arrays, &mark));
  PetscCall(PlexBlocksNew(w, p->nodes, curve));
  PetscCall(PlexBlocksRun(w, plex_blocks_curve, p->nodes));
  PetscCall(PlexArraysSort(w->arrays, p->nodes, 0, p->bits * p->cdim, p->curve, p->node, PETSC_TRUE));
  PetscCall(PlexArraysGiveBack(w->arrays, &mark));
  PetscCall(PlexPlannerNewWhole_Private(w, p->nodes + 1, sizeof(int), &p->rowsTo));
  PetscCall(PlexPlannerNewWhole_Private(w, p->nodes + 1, sizeof(int), &p->entriesTo));
  PetscCall(PlexPlannerRank(w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPlannerSortNodes_Private(PlexPlanner *w, PetscInt bits, uint64_t keys[])
{
  PetscFunctionBegin;
  PetscCall(PlexArraysSort(w->arrays, w->p->nodes, 0, bits, keys, w->p->node, PETSC_FALSE));
  PetscCall(PlexPlannerRank(w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPlannerCreateMesh_Private(PlexAssembly asm_, PlexPlanBlocks *p, PlexPlanner *w)
{
  PetscFunctionBegin;
  *w = (PlexPlanner){.asm_ = asm_, .p = p};
  PetscCall(PlexPlannerBackend(asm_, &w->where));
  PetscCall(PlexArraysCreate(w->where, &w->arrays));
  PetscCall(PlexStepsCreate(w->where, "plan/blocks.cu", &w->steps));
  PetscCall(PlexPlannerSetMesh(w));
  w->batch = (PetscInt)PetscClipInterval(PLEX_PLAN_NNZ * (double)p->nodes / PetscMax(1., (double)p->nA),
                                         (double)PLEX_PLAN_PILOT, (double)PLEX_PLAN_BATCH);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPlannerListAround_Private(PlexPlanner *w)
{
  PlexElements    el = w->asm_->elements;
  PlexPlanBlocks *p  = w->p;

  PetscFunctionBegin;
  PetscCall(PlexPlannerInvert(w, el->Ne * el->ef, el->ef, p->dofs, el->Nl, &p->aroundStart, &p->around));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPlannerCreate_Private(PlexAssembly asm_, PlexPlanBlocks *p, PlexPlanner *w)
{
  PetscFunctionBegin;
  PetscCall(PlexPlannerCreateMesh_Private(asm_, p, w));
  PetscCall(PlexPlannerInvert(w, asm_->elements->Nl, 1, p->nodeOf, p->nodes, &p->dofStart, &p->dofItems));
  PetscCall(PlexPlannerListAround_Private(w));
  PetscCall(PlexPlannerGetMost(w));
  PetscCall(PlexPlannerOrder(w));
  PetscCall(PetscMalloc1(2 * PetscMin(p->nodes, w->batch) + 1, &w->first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPlannerFree_Private(PlexPlanner *w)
{
  PetscFunctionBegin;
  if (w->i) PetscCall(PlexBackendMatRestoreRows(w->where, w->asm_->pattern->mat, &w->i, &w->j));
  PetscCall(PetscFree(w->first));
  PetscCall(PlexMemoryFree(w->where, &w->whole));
  PetscCall(PlexArraysDestroy(&w->arrays));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPlannerDestroy_Private(PlexPlanner *w)
{
  PetscFunctionBegin;
  PetscCall(PlexPlannerFree_Private(w));
  PetscCall(PlexStepsDestroy(&w->steps));
  PetscCall(PlexBackendDestroy(&w->where));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A batch ---- */

PetscErrorCode PlexPlannerBegin_Private(PlexPlanner *w, PetscBool *left)
{
  PlexPlanBlocks *p     = w->p;
  int             total = 0;

  PetscFunctionBegin;
  *left = (PetscBool)(p->first < p->nodes);
  if (!*left) PetscFunctionReturn(PETSC_SUCCESS);
  p->count = (int)PetscMin(p->first ? w->batch : PLEX_PLAN_PILOT, p->nodes - p->first);
  p->last  = p->first + p->count;
  PetscCall(PlexBlocksNew(w, p->count + 1, aroundTo));
  PetscCall(PlexBlocksRun(w, plex_blocks_around, p->count));
  PetscCall(PlexPlannerSum_Private(w, p->count, p->aroundTo, &total));
  PetscCall(PlexBlocksNew(w, total, before));
  PetscCall(PlexBlocksNew(w, total + 1, number));
  PetscCall(PlexBlocksNew(w, p->count, next));
  PetscCall(PlexBlocksRun(w, plex_blocks_before, p->count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A block that ends where the batch does is left to the next one, unless it is the first one, or the last of all.
   Without kernels the step runs for ranks where blocks begin alone */
PetscErrorCode PlexPlannerCut_Private(PlexPlanner *w, PlexSteps steps, PlexStep step, const void *args)
{
  const PlexPlanBlocks *p       = w->p;
  const PetscBool       kernels = w->where->kernels;
  int                  *next;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(p->count, &next));
  if (kernels) PetscCall(PlexStepsRun(steps, step, p->count, args));
  if (kernels) PetscCall(PlexBackendCopyOut(w->where, next, p->next, sizeof(int) * (size_t)p->count));
  w->nblocks  = 0;
  w->first[0] = p->first;
  for (int s = p->first; s < p->last; s = w->first[w->nblocks]) {
    int end;

    if (!kernels) step.host(s - p->first, s - p->first + 1, args);
    end = (kernels ? next : p->next)[s - p->first];
    PetscCheck(end > s && end <= p->last, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A block of %d mesh nodes", end - s);
    if (end == p->last && p->last < p->nodes && w->nblocks) break;
    w->first[++w->nblocks] = end;
  }
  PetscCall(PetscFree(next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPlannerCutElements_Private(PlexPlanner *w, PetscInt most)
{
  PetscFunctionBegin;
  w->p->most = (int)most;
  PetscCall(PlexPlannerCut_Private(w, w->steps, PLEX_STEP_OF(plex_blocks_cut), w->p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPlannerSplit_Private(PlexPlanner *w, const PetscBool fits[], PetscBool *again, PetscBool *fit)
{
  PetscInt n = 0;
  int     *first;

  PetscFunctionBegin;
  *fit = PETSC_TRUE;
  PetscCall(PetscMalloc1(2 * w->nblocks + 1, &first));
  for (PetscInt b = 0; b < w->nblocks; ++b) {
    const int begin = w->first[b], end = w->first[b + 1];

    first[n++] = begin;
    if (fits[b]) continue;
    if (end == begin + 1) *fit = PETSC_FALSE;
    else first[n++] = begin + (end - begin) / 2;
  }
  *again   = (PetscBool)(n > w->nblocks);
  first[n] = w->first[w->nblocks];
  PetscCall(PetscArraycpy(w->first, first, n + 1));
  w->nblocks = n;
  PetscCall(PetscFree(first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPlannerListElements_Private(PlexPlanner *w)
{
  PlexPlanBlocks *p     = w->p;
  const PetscInt  n     = w->nblocks;
  int             total = 0;
  int            *first;

  PetscFunctionBegin;
  p->nblocks = (int)n;
  p->count   = w->first[n] - p->first;
  PetscCall(PlexPlannerNew_Private(w, n + 1, sizeof(int), &first));
  PetscCall(PlexBackendCopyIn(w->where, first, w->first, sizeof(int) * (size_t)(n + 1)));
  p->blockFirst = first;
  PetscCall(PlexBlocksNew(w, n + 1, elementStart));
  PetscCall(PlexBlocksNew(w, n + 1, rowStart));
  PetscCall(PlexBackendCopyOut(w->where, &total, &p->aroundTo[p->count], sizeof(int)));
  PetscCall(PlexBackendZero(w->where, &p->number[total], sizeof(int)));
  PetscCall(PlexBlocksRun(w, plex_blocks_new_elements, p->count));
  PetscCall(PlexPlannerSum_Private(w, total, p->number, &p->elements));
  PetscCall(PlexBlocksNew(w, p->elements, element));
  PetscCall(PlexBlocksRun(w, plex_blocks_list_elements, p->count));
  PetscCall(PlexBlocksRun(w, plex_blocks_starts, n + 1));
  PetscCall(PlexBackendCopyOut(w->where, &p->rows, &p->rowStart[n], sizeof(int)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of n blocks */
static PetscErrorCode PlexPlannerListPart(PlexPlanner *w, PetscInt n)
{
  PlexPlanBlocks *p = w->p;
  PlexArraysMark  mark;
  int             things = 0;

  PetscFunctionBegin;
  PetscCall(PlexArraysGetMark(w->arrays, &mark));
  PetscCall(PlexBlocksNew(w, p->partKeys, keys));
  PetscCall(PlexBlocksNew(w, p->partKeys, order));
  PetscCall(PlexBlocksNew(w, p->partKeys + 1, thingsTo));
  PetscCall(PlexBlocksRun(w, plex_blocks_thing_keys, p->partKeys / p->k));
  PetscCall(PlexArraysSort(w->arrays, p->partKeys, 0, PlexPlannerBits_Private(w, 32), p->keys, p->order, PETSC_TRUE));
  PetscCall(PlexBlocksRun(w, plex_blocks_new_things, p->partKeys));
  PetscCall(PlexPlannerSum_Private(w, p->partKeys, p->thingsTo, &things));
  PetscCall(PlexBlocksRun(w, plex_blocks_thing_starts, n + 1));
  PetscCall(PlexBlocksRun(w, plex_blocks_list_things, p->partKeys));
  PetscCall(PlexArraysGiveBack(w->arrays, &mark));
  p->partThing += things;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPlannerListThings_Private(PlexPlanner *w, PetscInt k, const int conn[], PlexPlanList *list)
{
  PlexPlanBlocks *p = w->p;
  int            *start;

  PetscFunctionBegin;
  p->k         = (int)k;
  p->conn      = conn;
  p->partThing = 0;
  PetscCall(PlexBlocksNew(w, w->nblocks + 1, thingStart));
  PetscCall(PlexBlocksNew(w, p->elements * k, thing));
  PetscCall(PlexBlocksNew(w, p->elements * k, things)); /* of fewer */
  PetscCall(PetscMalloc1(w->nblocks + 1, &start));
  PetscCall(PlexBackendCopyOut(w->where, start, p->elementStart, sizeof(int) * (size_t)(w->nblocks + 1)));
  for (PetscInt b = 0, end; b < w->nblocks; b = end) {
    for (end = b + 1; end < w->nblocks && k * (start[end + 1] - start[b]) <= PLEX_PLAN_KEYS;) ++end;
    p->partBlock   = (int)b;
    p->partElement = start[b];
    p->partKeys    = (int)k * (start[end] - start[b]);
    PetscCall(PlexPlannerListPart(w, end - b));
  }
  PetscCall(PetscFree(start));
  list->n      = p->partThing;
  list->start  = p->thingStart;
  list->items  = p->things;
  list->number = p->thing;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPlannerConnect_Private(PlexPlanner *w, PetscInt k, const int conn[], PetscInt first,
                                          PlexPlanList *list)
{
  PetscFunctionBegin;
  PetscCall(PlexPlannerListThings_Private(w, k, conn, list));
  w->p->firstThing = (int)first;
  PetscCall(PlexBlocksRun(w, plex_blocks_connect, w->p->elements));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPlannerSetPositions_Private(PlexPlanner *w, PetscInt interleave, PlexPlanPieces *numbers,
                                               PlexPlanPieces *elements, int *positions)
{
  PlexPlanBlocks *p = w->p;

  PetscFunctionBegin;
  p->interleave = (int)interleave;
  PetscCall(PlexBlocksNew(w, w->nblocks + 1, positionStart));
  PetscCall(PlexBlocksRun(w, plex_blocks_round_up, w->nblocks));
  PetscCall(PlexPlannerSum_Private(w, w->nblocks, p->positionStart, positions));
  PetscCheck(*positions < PETSC_INT32_MAX - p->firstPosition, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "More than 2^31 elements in blocks: distribute the mesh over more ranks");
  PetscCall(PlexPlannerPiece_Private(w, numbers, *positions, 2 * (size_t)(p->Nv + p->ef), &p->numbers));
  PetscCall(PlexPlannerPiece_Private(w, elements, *positions, sizeof(int), &p->at));
  PetscCall(PlexBlocksRun(w, plex_blocks_pad, *positions));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPlannerListRows_Private(PlexPlanner *w, PetscBool sort)
{
  PlexPlanBlocks *p = w->p;

  PetscFunctionBegin;
  PetscCall(PlexBlocksNew(w, p->rows, rowDof));
  PetscCall(PlexBlocksNew(w, p->rows, keys));
  PetscCall(PlexBlocksRun(w, plex_blocks_list_rows, p->count));
  if (sort)
    PetscCall(PlexArraysSort(w->arrays, p->rows, 0, PlexPlannerBits_Private(w, 32), p->keys, p->rowDof, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPlannerEnd_Private(PlexPlanner *w)
{
  PetscFunctionBegin;
  w->p->first = w->first[w->nblocks];
  PetscCall(PlexArraysGiveBack(w->arrays, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Pieces ---- */

PetscErrorCode PlexPlannerPiece_Private(PlexPlanner *w, PlexPlanPieces *a, PetscInt n, size_t size, void *piece)
{
  const size_t bytes = (size_t)n * size;

  PetscFunctionBegin;
  if (a->n == a->allocated) {
    a->allocated = PetscMax(16, 2 * a->allocated);
    PetscCall(PetscRealloc(sizeof(*a->of) * (size_t)a->allocated, &a->of));
  }
  a->of[a->n].bytes = bytes;
  PetscCall(PlexBackendMalloc(w->where, PetscMax(1, bytes), &a->of[a->n].data));
  PetscCall(PlexBackendZero(w->where, a->of[a->n].data, bytes));
  *(void **)piece = a->of[a->n].data;
  a->bytes += bytes;
  ++a->n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPlannerKeep_Private(PlexPlanner *w, PlexPlanPieces *a, PetscInt n, size_t size, const void *from)
{
  void *to = NULL;

  PetscFunctionBegin;
  PetscCall(PlexPlannerPiece_Private(w, a, n, size, &to));
  PetscCall(PlexBackendCopy(w->where, to, from, (size_t)n * size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPlannerKeepStarts_Private(PlexPlanner *w, PlexPlanPieces *a, PetscInt n, const int starts[],
                                             PetscInt *before)
{
  int total;

  PetscFunctionBegin;
  PetscCall(PlexBackendCopyOut(w->where, &total, &starts[n], sizeof(int)));
  PetscCheck(total < PETSC_INT32_MAX - *before, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "More than 2^31 entries of a list of the plan: distribute the mesh over more ranks");
  PetscCall(PlexPlannerPiece_Private(w, a, n, sizeof(int), &w->p->lists));
  w->p->in   = starts;
  w->p->each = (int)*before;
  PetscCall(PlexBlocksRun(w, plex_blocks_shift, n));
  *before += total;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPlannerKeepEnd_Private(PlexPlanner *w, PlexPlanPieces *a, PetscInt end)
{
  const int last = (int)end;
  void     *to   = NULL;

  PetscFunctionBegin;
  PetscCall(PlexPlannerPiece_Private(w, a, 1, sizeof(int), &to));
  PetscCall(PlexBackendCopyIn(w->where, to, &last, sizeof(int)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Copies all pieces to a backend's memory, unless that is NULL, and frees them */
static PetscErrorCode PlexPlannerTake(PlexPlanner *w, PlexPlanPieces *a, PlexBackend backend, char *to)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < a->n; ++k) {
    const size_t bytes = a->of[k].bytes;

    if (to && (w->where->device || backend == w->where)) PetscCall(PlexBackendCopy(backend, to, a->of[k].data, bytes));
    else if (to) PetscCall(PlexBackendCopyIn(backend, to, a->of[k].data, bytes));
    if (to) to += bytes;
    PetscCall(PlexBackendFree(w->where, &a->of[k].data));
  }
  PetscCall(PetscFree(a->of));
  a->n = a->allocated = 0;
  a->bytes            = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPlannerJoin_Private(PlexPlanner *w, PlexPlanPieces *a, void *array)
{
  PlexBackend backend = w->asm_->backend;
  char       *to      = NULL;

  PetscFunctionBegin;
  if (a->bytes && array) PetscCall(PlexBackendMalloc(backend, a->bytes, (void **)&to));
  PetscCall(PlexPlannerTake(w, a, backend, to));
  if (array) *(void **)array = to;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPlannerJoinWhole_Private(PlexPlanner *w, PlexPlanPieces *a, void *array)
{
  PetscFunctionBegin;
  PetscCall(PlexPlannerNewWhole_Private(w, (PetscInt)(a->bytes / 4), 4, array));
  PetscCall(PlexPlannerTake(w, a, w->where, *(char **)array));
  PetscFunctionReturn(PETSC_SUCCESS);
}
