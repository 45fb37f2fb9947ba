/*
  The plan of shared_nz by pairs of nodes. Its steps (cuda/assembly/pairs_plan.h) run where the kernels are, or on the
  host. Blocks are cut and filled a batch at a time; what a batch lacks in room, and which sizes the next one's blocks
  will have, is known when its own are.
*/
#include "pairs.h"
#include "../common/warps.h"
#include "../../../backend/arrays/steps.h"
#include <assembly/pairs_plan.h>

#define PLEX_PAIRS_PILOT 4096                /* mesh nodes of the first batch, from which the sizes of blocks are known */
#define PLEX_PAIRS_BATCH 131072              /* of others */
#define PLEX_PAIRS_LANES ((size_t)64 << 20)  /* bytes of work for threads that put lists to lanes */

#define PLEX_PAIRS_NUMBER(name) STEP_##name,
#define PLEX_PAIRS_STEP(name)   {#name, name},
enum {
  PLEX_PAIRS_STEPS(PLEX_PAIRS_NUMBER) PLEX_PAIRS_STEP_COUNT
};
static const PlexStep PlexPairsSteps[] = {PLEX_PAIRS_STEPS(PLEX_PAIRS_STEP)};

/* What batches have made of an array of the plan, one behind the other */
typedef struct {
  PetscInt n, allocated;
  size_t   bytes;
  struct {
    void  *data;
    size_t bytes;
  } *of;
} PlexPairsPieces;

typedef struct {
  PlexAssembly         asm_;
  const PlexPairKinds *kinds;
  PlexBackend          where;
  PlexArrays           arrays;
  PlexSteps            steps;
  PlexMemory           inputs;
  PlexNodeOrder        order;
  PlexPairsPlan        p;
  PlexPairsPieces      nodes, conn, lists, records, blocks;
  PetscInt             nblocks;
  int                 *first; /* [nblocks+1] ranks, on the host */
  PlexPairsBlock      *block; /* [nblocks] of the batch, on the host */
  double               reads[2], turns[2];
} PlexPairsPlanner;

#define PlexPairsRun(w, name, n) PlexStepsRun((w)->steps, STEP_##name, (n), &(w)->p)

/* ---- Inputs ---- */

/* An array of the host's where the steps run */
static PetscErrorCode PlexPairsInput(PlexPairsPlanner *w, const void *from, size_t bytes, const void **to)
{
  PetscFunctionBegin;
  *to = from;
  if (w->where->device) PetscCall(PlexMemoryUpload(w->where, &w->inputs, from, bytes, to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The things of an element that pairs are of */
static void PlexPairsSetThings(PlexElements el, const PlexPairKinds *kinds, PlexPairsTables *t)
{
  t->byPoints = kinds->kept == PLEX_PAIRS_POINTS;
  t->several  = t->byPoints || kinds->kept == PLEX_PAIRS_GRADIENTS;
  t->things   = (int)(t->byPoints ? kinds->points.n : t->several ? el->Nn[0] : el->ef);
  for (PetscInt k = 0; k < t->things; ++k) {
    t->size[k] = (unsigned char)(t->byPoints ? kinds->points.size[k] : t->several ? el->Nc[0] : 1);
    for (PetscInt m = 0; m < t->size[k]; ++m) {
      t->dof[k][m]           = (unsigned char)(t->byPoints ? kinds->points.dof[k][m] : k * t->size[k] + m);
      t->thing[t->dof[k][m]] = (unsigned char)k;
    }
  }
}

static PetscErrorCode PlexPairsSetTables(PlexPairsPlanner *w)
{
  const PlexPairKinds *kinds = w->kinds;
  PlexPairsTables     *t;
  size_t               pairs, symmetries = (size_t)kinds->symmetries;

  PetscFunctionBegin;
  PetscCall(PetscNew(&t));
  PlexPairsSetThings(w->asm_->elements, kinds, t);
  pairs         = (size_t)(t->things * t->things);
  t->rowSums    = (int)kinds->rowSums;
  t->byEntries  = kinds->entry != NULL;
  t->numbers    = (int)kinds->numbers;
  t->kinds      = (int)kinds->kinds;
  t->symmetries = (int)symmetries;
  PetscCall(PetscMemcpy(t->kindOf, kinds->kindOf, pairs));
  PetscCall(PetscMemcpy(t->symmetryOf, kinds->symmetryOf, pairs));
  if (kinds->reversed) PetscCall(PetscMemcpy(t->reversed, kinds->reversed, pairs));
  if (kinds->entry) PetscCall(PetscMemcpy(t->entry, kinds->entry, pairs));
  PetscCall(PetscMemcpy(t->composed, kinds->composed, symmetries * symmetries));
  if (kinds->turned) PetscCall(PetscMemcpy(t->turned, kinds->turned, symmetries * (size_t)kinds->numbers));
  PetscCall(PetscMemcpy(t->symmetry, kinds->symmetry, sizeof(t->symmetry)));
  for (PetscInt s = 0; s < kinds->symmetries; ++s) t->reflects[s] = (unsigned char)kinds->reflects[s];
  for (PetscInt k = 0; k < kinds->kinds; ++k) {
    t->terms[k]  = (unsigned char)kinds->kind[k].terms;
    t->number[k] = (unsigned char)kinds->kind[k].number[0];
    for (PetscInt m = 0; m < 2; ++m) t->dofs[k][m] = (unsigned char)kinds->kind[k].dofs[m];
  }
  for (size_t k = 0; k < pairs && kinds->labels; ++k) t->nlabels[k] = (unsigned char)kinds->nlabels[k];
  if (kinds->labels) PetscCall(PetscMemcpy(t->labels, kinds->labels, sizeof(t->labels[0]) * pairs * PLEX_PAIR_LABELS));
  PetscCall(PlexMemoryUpload(w->where, &w->inputs, t, sizeof(*t), (const void **)&w->p.tables));
  PetscCall(PetscFree(t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Ranks of dofs, and the lists that steps read */
static PetscErrorCode PlexPairsSetMesh(PlexPairsPlanner *w)
{
  PlexElements   el      = w->asm_->elements;
  PlexPattern    pattern = w->asm_->pattern;
  PlexPairsPlan *p       = &w->p;
  const size_t   Ne = (size_t)el->Ne, Nl = (size_t)el->Nl, n = (size_t)w->order.n, m = (size_t)pattern->m;
  int           *rank, *of;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(Nl, &rank, n, &of));
  for (size_t k = 0; k < n; ++k) of[w->order.nodes[k]] = (int)k;
  for (size_t l = 0; l < Nl; ++l) rank[l] = of[el->node[l]];
  PetscCall(PlexMemoryUpload(w->where, &w->inputs, rank, sizeof(int) * Nl, (const void **)&p->rank));
  PetscCall(PetscFree2(rank, of));
  PetscCall(PlexPairsInput(w, el->dofs, sizeof(int) * Ne * (size_t)el->ef, (const void **)&p->dofs));
  PetscCall(PlexPairsInput(w, el->vertices, sizeof(int) * Ne * (size_t)el->Nv, (const void **)&p->vertices));
  if (p->ea) PetscCall(PlexPairsInput(w, el->dofsAux, sizeof(int) * Ne * (size_t)el->ea, (const void **)&p->auxiliary));
  PetscCall(PlexPairsInput(w, pattern->row, sizeof(int) * Nl, (const void **)&p->row));
  PetscCall(PlexPairsInput(w, pattern->column, sizeof(PetscInt) * Nl, (const void **)&p->column));
  PetscCall(PlexPairsInput(w, pattern->i, sizeof(PetscInt) * (m + 1), (const void **)&p->i));
  PetscCall(PlexPairsInput(w, pattern->j, sizeof(PetscInt) * (size_t)pattern->nnz, (const void **)&p->j));
  PetscCall(PlexPairsInput(w, w->order.nodes, sizeof(int) * n, (const void **)&p->node));
  PetscCall(PlexPairsInput(w, w->order.lead, sizeof(int) * n, (const void **)&p->lead));
  PetscCall(PlexPairsInput(w, w->order.dofs.start, sizeof(PetscInt) * (n + 1), (const void **)&p->dofStart));
  PetscCall(PlexPairsInput(w, w->order.dofs.items, sizeof(int) * Nl, (const void **)&p->dofItems));
  PetscCall(PlexPairsInput(w, w->order.elements.start, sizeof(PetscInt) * (Nl + 1), (const void **)&p->aroundStart));
  PetscCall(PlexPairsInput(w, w->order.elements.items, sizeof(int) * Ne * (size_t)el->ef, (const void **)&p->around));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An array of the planner: zeroed */
static PetscErrorCode PlexPairsNew(PlexPairsPlanner *w, size_t n, size_t size, void *array)
{
  PetscFunctionBegin;
  PetscCall(PlexArraysGet(w->arrays, PetscMax(1, n) * size, array));
  PetscCall(PlexBackendZero(w->where, *(void **)array, PetscMax(1, n) * size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same as for the whole plan, which is freed with the inputs */
static PetscErrorCode PlexPairsNewInput(PlexPairsPlanner *w, size_t n, size_t size, void *array)
{
  PetscFunctionBegin;
  PetscCall(PlexMemoryAllocate(w->where, &w->inputs, PetscMax(1, n) * size, (void **)array));
  PetscCall(PlexBackendZero(w->where, *(void **)array, PetscMax(1, n) * size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define PlexPairsArray(w, n, member)     PlexPairsNew(w, (size_t)(n), sizeof(*(w)->p.member), &(w)->p.member)
#define PlexPairsWholeArray(w, n, member) PlexPairsNewInput(w, (size_t)(n), sizeof(*(w)->p.member), &(w)->p.member)

/* Exclusive sums of an array of n items and one more, which becomes their total */
static PetscErrorCode PlexPairsSum(PlexPairsPlanner *w, PetscInt n, int array[], int *total)
{
  PetscInt all;

  PetscFunctionBegin;
  PetscCall(PlexArraysSum(w->arrays, n + 1, array, array, total ? &all : NULL));
  if (total) *total = (int)all;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The plan's steps where they run, and what is the same in all batches */
static PetscErrorCode PlexPairsBegin(PlexPairsPlanner *w)
{
  PlexElements   el     = w->asm_->elements;
  PlexPairsPlan *p      = &w->p;
  PetscInt       around = 0;

  PetscFunctionBegin;
  PetscCall(PlexNodeOrderCreate_Private(w->asm_, &w->order));
  for (PetscInt l = 0; l < el->Nl; ++l)
    around = PetscMax(around, w->order.elements.start[l + 1] - w->order.elements.start[l]);
  PetscCall(PlexArraysCreate(w->where, &w->arrays));
  PetscCall(PlexStepsCreate(w->where, "assembly/pairs_plan.cu", PLEX_PAIRS_STEP_COUNT, PlexPairsSteps, &w->steps));
  p->ef          = (int)el->ef;
  p->Nv          = (int)el->Nv;
  p->ea          = w->kinds->auxiliary ? (int)el->ea : 0;
  p->nodes       = (int)w->order.n;
  p->nA          = w->asm_->pattern->nA;
  p->real        = (int)PlexAssemblyRealSize(w->asm_);
  p->cdim        = (int)el->cdim;
  p->elementBits = PLEX_PAIR_ELEMENT_BITS(el->dim);
  /* of triangles it took more than half as long again as the rest of a plan, and J took 0.93 to 1.03 of the time */
  p->arranges  = el->dim == 3;
  p->steps     = (int)PetscMax(12, (around + 3) / 4 + 4);
  p->laneBytes = PLEX_PAIR_LANE_BYTES(p->steps);
  p->groups    = 0.02;
  p->ratio     = 0.5;
  PetscCall(PlexPairsSetTables(w));
  PetscCall(PlexPairsSetMesh(w));
  PetscCall(PlexPairsWholeArray(w, p->nodes + 1, rowsTo));
  PetscCall(PlexPairsWholeArray(w, p->nodes + 1, entriesTo));
  PetscCall(PlexPairsWholeArray(w, el->Nl, place));
  PetscCall(PlexPairsRun(w, plex_pairs_count_rows, p->nodes));
  PetscCall(PlexPairsSum(w, p->nodes, p->rowsTo, NULL));
  PetscCall(PlexPairsSum(w, p->nodes, p->entriesTo, NULL));
  if (w->kinds->rowSums) PetscCall(PlexPairsWholeArray(w, el->Nl, incomplete));
  if (w->kinds->rowSums) PetscCall(PlexPairsRun(w, plex_pairs_incomplete, el->Nl));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Pieces ---- */

/* Room for what a batch adds to an array: n things, zeroed */
static PetscErrorCode PlexPairsPiece(PlexPairsPlanner *w, PlexPairsPieces *a, size_t n, size_t size, void *piece)
{
  PetscFunctionBegin;
  if (a->n == a->allocated) {
    a->allocated = PetscMax(16, 2 * a->allocated);
    PetscCall(PetscRealloc(sizeof(*a->of) * (size_t)a->allocated, &a->of));
  }
  a->of[a->n].bytes = n * size;
  PetscCall(PlexBackendMalloc(w->where, PetscMax(1, n * size), &a->of[a->n].data));
  PetscCall(PlexBackendZero(w->where, a->of[a->n].data, n * size));
  *(void **)piece = a->of[a->n].data;
  a->bytes += n * size;
  ++a->n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All pieces one behind the other in the memory of the kernels; pieces are freed */
static PetscErrorCode PlexPairsJoin(PlexPairsPlanner *w, PlexPairsPieces *a, void *array)
{
  PlexBackend backend = w->asm_->backend;
  char       *to      = NULL;
  size_t      at      = 0;

  PetscFunctionBegin;
  if (a->bytes && array) PetscCall(PlexBackendMalloc(backend, a->bytes, (void **)&to));
  for (PetscInt k = 0; k < a->n; ++k) {
    if (array && w->where->device) PetscCall(PlexBackendCopy(backend, to + at, a->of[k].data, a->of[k].bytes));
    else if (array) PetscCall(PlexBackendCopyIn(backend, to + at, a->of[k].data, a->of[k].bytes));
    at += a->of[k].bytes;
    PetscCall(PlexBackendFree(w->where, &a->of[k].data));
  }
  PetscCall(PetscFree(a->of));
  a->n = a->allocated = 0;
  if (array) *(void **)array = to;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A batch ---- */

/* Blocks of the next ranks: those that end where the batch does are left to the next one, unless there are no more */
static PetscErrorCode PlexPairsCut(PlexPairsPlanner *w)
{
  PlexPairsPlan *p = &w->p;
  int           *next, total = 0;

  PetscFunctionBegin;
  p->count = PetscMin(p->first ? PLEX_PAIRS_BATCH : PLEX_PAIRS_PILOT, p->nodes - p->first);
  p->last  = p->first + p->count;
  PetscCall(PlexPairsArray(w, p->count + 1, aroundTo));
  PetscCall(PlexPairsRun(w, plex_pairs_around, p->count));
  PetscCall(PlexPairsSum(w, p->count, p->aroundTo, &total));
  PetscCall(PlexPairsArray(w, total, before));
  PetscCall(PlexPairsArray(w, total + 1, number));
  PetscCall(PlexPairsArray(w, p->count, next));
  PetscCall(PlexPairsRun(w, plex_pairs_before, p->count));
  PetscCall(PlexPairsRun(w, plex_pairs_cut, p->count));
  PetscCall(PetscMalloc1(p->count, &next));
  PetscCall(PlexBackendCopyOut(w->where, next, p->next, sizeof(int) * (size_t)p->count));
  w->nblocks  = 0;
  w->first[0] = p->first;
  for (int s = p->first; s < p->last; s = w->first[w->nblocks]) {
    PetscCheck(next[s - p->first] > s, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A block of no mesh node");
    if (next[s - p->first] == p->last && p->last < p->nodes && w->nblocks) break;
    w->first[++w->nblocks] = next[s - p->first];
  }
  PetscCall(PetscFree(next));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements and coordinate nodes of blocks */
static PetscErrorCode PlexPairsListElements(PlexPairsPlanner *w)
{
  PlexPairsPlan *p     = &w->p;
  const PetscInt Nb    = w->nblocks;
  int            total = 0;
  int           *first;
  PetscInt       keys, bits = 32;

  PetscFunctionBegin;
  p->nblocks = (int)Nb;
  p->count   = w->first[Nb] - p->first;
  PetscCall(PlexPairsNew(w, (size_t)(Nb + 1), sizeof(int), &first));
  PetscCall(PlexBackendCopyIn(w->where, first, w->first, sizeof(int) * (size_t)(Nb + 1)));
  p->blockFirst = first;
  PetscCall(PlexPairsArray(w, Nb + 1, elementStart));
  PetscCall(PlexPairsArray(w, Nb + 1, rowStart));
  PetscCall(PlexPairsArray(w, Nb + 1, nodeStart));
  PetscCall(PlexBackendCopyOut(w->where, &total, &p->aroundTo[p->count], sizeof(int)));
  PetscCall(PlexBackendZero(w->where, &p->number[total], sizeof(int)));
  PetscCall(PlexPairsRun(w, plex_pairs_new_elements, p->count));
  PetscCall(PlexPairsSum(w, total, p->number, &p->elements));
  PetscCall(PlexPairsArray(w, p->elements, element));
  PetscCall(PlexPairsRun(w, plex_pairs_list_elements, p->count));
  PetscCall(PlexPairsRun(w, plex_pairs_block_elements, Nb + 1));
  PetscCall(PlexBackendCopyOut(w->where, &p->rows, &p->rowStart[Nb], sizeof(int)));
  keys = p->elements * p->Nv;
  while ((PetscInt64)1 << (bits - 32) <= Nb) ++bits;
  PetscCall(PlexPairsArray(w, PetscMax(keys, p->rows), keys));
  PetscCall(PlexPairsArray(w, keys, order));
  PetscCall(PlexPairsArray(w, keys, vertex));
  PetscCall(PlexPairsArray(w, keys + 1, vertexTo));
  PetscCall(PlexPairsArray(w, p->elements, at));
  PetscCall(PlexPairsArray(w, p->elements, turn));
  PetscCall(PlexPairsRun(w, plex_pairs_vertex_keys, p->elements));
  PetscCall(PlexArraysSort(w->arrays, keys, 0, bits, p->keys, p->order, PETSC_TRUE));
  PetscCall(PlexPairsRun(w, plex_pairs_new_vertices, keys));
  PetscCall(PlexPairsSum(w, keys, p->vertexTo, &total));
  PetscCall(PlexPairsArray(w, total, nodesOf));
  PetscCall(PlexPairsRun(w, plex_pairs_block_nodes, Nb + 1));
  PetscCall(PlexPairsRun(w, plex_pairs_list_vertices, keys));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of blocks, and places for their entries */
static PetscErrorCode PlexPairsListRows(PlexPairsPlanner *w)
{
  PlexPairsPlan *p    = &w->p;
  PetscInt       bits = 32;

  PetscFunctionBegin;
  while ((PetscInt64)1 << (bits - 32) <= w->nblocks) ++bits;
  PetscCall(PlexPairsArray(w, p->rows, rowDof));
  PetscCall(PlexPairsArray(w, p->rows + 1, runOf));
  PetscCall(PlexPairsArray(w, p->rows + 1, lengthTo));
  PetscCall(PlexPairsArray(w, w->nblocks + 1, runStart));
  PetscCall(PlexPairsArray(w, w->nblocks + 1, entryStart));
  PetscCall(PlexPairsRun(w, plex_pairs_list_rows, p->count));
  PetscCall(PlexArraysSort(w->arrays, p->rows, 0, bits, p->keys, p->rowDof, PETSC_FALSE));
  PetscCall(PlexPairsRun(w, plex_pairs_runs, p->rows));
  PetscCall(PlexPairsSum(w, p->rows, p->runOf, &p->runs));
  PetscCall(PlexPairsSum(w, p->rows, p->lengthTo, NULL));
  PetscCall(PlexPairsArray(w, p->runs + 1, runRow));
  PetscCall(PlexPairsArray(w, p->runs + 1, runPlace));
  PetscCall(PlexPairsRun(w, plex_pairs_list_runs, p->rows));
  PetscCall(PlexPairsRun(w, plex_pairs_run_sizes, p->runs));
  PetscCall(PlexPairsSum(w, p->runs, p->runPlace, &p->entries));
  PetscCall(PlexPairsRun(w, plex_pairs_block_runs, w->nblocks + 1));
  PetscCall(PlexPairsArray(w, p->entries, open));
  PetscCall(PlexPairsRun(w, plex_pairs_place_rows, p->rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An entry that the matrix lacks is an error; *serves false: the entries of a pair do not lie row behind row */
static PetscErrorCode PlexPairsLook(PlexPairsPlanner *w, PetscBool *serves)
{
  int error[3];

  PetscFunctionBegin;
  PetscCall(PlexBackendCopyOut(w->where, error, w->p.error, sizeof(error)));
  if (error[0]) PetscCall(PlexMatrixRowCheck_Private(w->asm_, error[0] - 1, error[1]));
  *serves = (PetscBool)!error[2];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Pairs and how many items each has, tasks, and sizes of blocks */
static PetscErrorCode PlexPairsCount(PlexPairsPlanner *w, PetscBool *serves)
{
  PlexPairsPlan *p    = &w->p;
  PetscInt       bits = 13;

  PetscFunctionBegin;
  PetscCall(PlexPairsArray(w, p->entries + 1, itemStart));
  PetscCall(PlexPairsArray(w, p->entries, other));
  PetscCall(PlexPairsArray(w, p->entries, base));
  PetscCall(PlexPairsArray(w, p->entries, shape));
  PetscCall(PlexPairsArray(w, p->entries, kind));
  PetscCall(PlexPairsArray(w, p->entries + 1, pairTo));
  PetscCall(PlexPairsArray(w, p->entries + 1, zeroTo));
  PetscCall(PlexPairsArray(w, p->rows, diagonal));
  PetscCall(PlexPairsArray(w, 3, error));
  PetscCall(PlexPairsRun(w, plex_pairs_count, p->rows));
  PetscCall(PlexPairsLook(w, serves));
  if (!*serves) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexPairsSum(w, p->entries, p->itemStart, &p->nitems));
  PetscCall(PlexPairsRun(w, plex_pairs_mark_pairs, p->entries));
  PetscCall(PlexPairsSum(w, p->entries, p->pairTo, &p->pairs));
  PetscCall(PlexPairsSum(w, p->entries, p->zeroTo, NULL));
  PetscCall(PlexPairsArray(w, p->pairs, pair));
  PetscCall(PlexPairsArray(w, p->pairs, pairKeys));
  PetscCall(PlexPairsArray(w, p->pairs + 1, segmentTo));
  PetscCall(PlexPairsRun(w, plex_pairs_list_pairs, p->entries));
  while ((PetscInt64)1 << (bits - 13) <= w->nblocks) ++bits;
  PetscCall(PlexArraysSort(w->arrays, p->pairs, 0, bits, p->pairKeys, p->pair, PETSC_FALSE));
  PetscCall(PlexPairsRun(w, plex_pairs_segments, p->pairs));
  PetscCall(PlexPairsSum(w, p->pairs, p->segmentTo, &p->segments));
  PetscCall(PlexPairsArray(w, p->segments + 1, segmentPair));
  PetscCall(PlexPairsArray(w, p->segments + 1, segmentTask));
  PetscCall(PlexPairsRun(w, plex_pairs_list_segments, p->pairs));
  PetscCall(PlexBackendCopyIn(w->where, &p->segmentPair[p->segments], &p->pairs, sizeof(int)));
  PetscCall(PlexPairsRun(w, plex_pairs_segment_tasks, p->segments));
  PetscCall(PlexPairsSum(w, p->segments, p->segmentTask, &p->tasks));
  PetscCall(PlexPairsArray(w, p->tasks + 1, groupTo));
  PetscCall(PlexPairsRun(w, plex_pairs_task_groups, p->tasks));
  PetscCall(PlexPairsSum(w, p->tasks, p->groupTo, NULL));
  PetscCall(PlexPairsArray(w, w->nblocks, blocks));
  PetscCall(PlexPairsArray(w, w->nblocks + 1, blockTasks));
  PetscCall(PlexPairsArray(w, w->nblocks + 1, blockGroups));
  PetscCall(PlexPairsArray(w, w->nblocks + 1, blockLines));
  PetscCall(PlexPairsArray(w, w->nblocks + 1, blockPlaces));
  PetscCall(PlexPairsRun(w, plex_pairs_sizes, w->nblocks));
  PetscCall(PlexBackendCopyOut(w->where, w->block, p->blocks, sizeof(*p->blocks) * (size_t)w->nblocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a block is as small as kernel and plan need it */
static PetscBool PlexPairsFits(const PlexPairsPlanner *w, const PlexPairsTables *t, const PlexPairsBlock *b)
{
  const PetscInt stride = PLEX_PAIRS_STRIDE(b->elements, w->p.real);

  return (PetscBool)(plex_pair_shared(t, w->p.real, w->p.cdim, b) <= w->p.budget && b->nodes <= PLEX_PAIR_NODES &&
                     stride <= 1 << w->p.elementBits && t->numbers * stride < PLEX_PAIR_NONE && 2 * b->sums < 65535);
}

static int PlexPairsCompare(const void *a, const void *b)
{
  const double s = *(const double *)a, t = *(const double *)b;

  return s < t ? -1 : s > t;
}

/* Sizes for the next batch: of points those of most blocks, as all of them would leave a sixth of the room empty; of
   others the largest of all */
static PetscErrorCode PlexPairsForesee(PlexPairsPlanner *w)
{
  const PetscBool points = (PetscBool)(w->kinds->kept == PLEX_PAIRS_POINTS);
  double         *groups;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(PetscMax(1, w->nblocks), &groups));
  for (PetscInt b = 0; b < w->nblocks; ++b) {
    const PlexPairsBlock *block = &w->block[b];

    groups[b]  = (double)(block->groups - 2 * w->kinds->kinds) / PetscMax(1., 2. * block->sums);
    w->p.ratio = PetscMax(w->p.ratio, (double)(block->nodes - w->p.Nv) / PetscMax(1., (double)block->elements));
  }
  qsort(groups, (size_t)w->nblocks, sizeof(*groups), PlexPairsCompare);
  if (w->nblocks) {
    const double now = PetscMax(0., groups[points ? w->nblocks * 9 / 10 : w->nblocks - 1]);

    w->p.groups = points ? now : PetscMax(w->p.groups, now);
  }
  PetscCall(PetscFree(groups));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks that have no room are cut in two; *again: there are such. *serves false: one of a single mesh node */
static PetscErrorCode PlexPairsSplit(PlexPairsPlanner *w, PetscBool *again, PetscBool *serves)
{
  const PlexPairsTables t = {.several   = w->kinds->kept == PLEX_PAIRS_GRADIENTS || w->kinds->kept == PLEX_PAIRS_POINTS,
                             .byPoints  = w->kinds->kept == PLEX_PAIRS_POINTS,
                             .rowSums   = (int)w->kinds->rowSums,
                             .numbers   = (int)w->kinds->numbers};
  PetscInt              n = 0;
  int                  *first;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(2 * w->nblocks + 1, &first));
  for (PetscInt b = 0; b < w->nblocks; ++b) {
    const int begin = w->first[b], end = w->first[b + 1];

    first[n++] = begin;
    if (PlexPairsFits(w, &t, &w->block[b])) continue;
    if (end == begin + 1) *serves = PETSC_FALSE;
    else first[n++] = begin + (end - begin) / 2;
  }
  *again   = (PetscBool)(*serves && n > w->nblocks);
  first[n] = w->first[w->nblocks];
  PetscCall(PetscArraycpy(w->first, first, n + 1));
  w->nblocks = n;
  PetscCall(PetscFree(first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the parts of blocks begin, and room for them */
static PetscErrorCode PlexPairsPlace(PlexPairsPlanner *w)
{
  PlexPairsPlan *p     = &w->p;
  const PetscInt words = (p->Nv + 1) / 2 + (p->ea > 0);
  int            tasks = 0, groups = 0, lines = 0, places = 0, nodes;
  void          *to;

  PetscFunctionBegin;
  PetscCall(PlexPairsSum(w, w->nblocks, p->blockTasks, &tasks));
  PetscCall(PlexPairsSum(w, w->nblocks, p->blockGroups, &groups));
  PetscCall(PlexPairsSum(w, w->nblocks, p->blockLines, &lines));
  PetscCall(PlexPairsSum(w, w->nblocks, p->blockPlaces, &places));
  PetscCall(PlexPairsRun(w, plex_pairs_blocks, w->nblocks));
  PetscCall(PlexPairsArray(w, p->nitems, items));
  PetscCall(PlexPairsArray(w, p->entries, cursor));
  PetscCall(PlexPairsArray(w, tasks, taskKeys));
  PetscCall(PlexPairsPiece(w, &w->conn, (size_t)(p->elements * words), sizeof(unsigned), &p->conn));
  PetscCall(PlexPairsPiece(w, &w->lists, 4 * (size_t)lines, sizeof(int), &p->lists));
  PetscCall(PlexPairsPiece(w, &w->records, 64 * (size_t)groups, sizeof(unsigned), &p->records));
  PetscCall(PlexBackendCopyOut(w->where, &nodes, &p->nodeStart[w->nblocks], sizeof(int)));
  PetscCall(PlexPairsPiece(w, &w->nodes, (size_t)nodes, sizeof(int), &to));
  PetscCall(PlexBackendCopy(w->where, to, p->nodesOf, sizeof(int) * (size_t)nodes));
  PetscCall(PlexPairsPiece(w, &w->blocks, (size_t)w->nblocks, sizeof(PlexPairsBlock), &to));
  PetscCall(PlexBackendCopy(w->where, to, p->blocks, sizeof(PlexPairsBlock) * (size_t)w->nblocks));
  p->tasks = tasks; /* with those of zeros */
  p->firstConn += (int)(p->elements * words);
  p->firstLine += lines;
  p->firstGroup += groups;
  p->firstPlace += places;
  p->firstNode += nodes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A step whose threads have work of their own, as many at a time as there is room for */
static PetscErrorCode PlexPairsRunLanes(PlexPairsPlanner *w, PetscInt step, PetscInt n, PetscInt which)
{
  PlexPairsPlan *p    = &w->p;
  const PetscInt most = PetscMax(1, PetscMin(n, (PetscInt)(PLEX_PAIRS_LANES / p->laneBytes)));
  PetscInt       all;

  PetscFunctionBegin;
  PetscCall(PlexPairsNew(w, (size_t)most, p->laneBytes, &p->lanes));
  PetscCall(PlexPairsArray(w, n, reads));
  PetscCall(PlexPairsArray(w, n, turns));
  for (PetscInt first = 0; first < n; first += most) {
    p->offset = (int)first;
    PetscCall(PlexStepsRun(w->steps, step, PetscMin(most, n - first), p));
  }
  PetscCall(PlexArraysSum(w->arrays, n, p->reads, p->reads, &all));
  w->reads[which] += (double)all;
  PetscCall(PlexArraysSum(w->arrays, n, p->turns, p->turns, &all));
  w->turns[which] += (double)all;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements, items, tasks and rows of blocks */
static PetscErrorCode PlexPairsWrite(PlexPairsPlanner *w)
{
  PlexPairsPlan  *p    = &w->p;
  PlexElements    el   = w->asm_->elements;
  PetscInt        bits = 32;

  PetscFunctionBegin;
  PetscCall(PlexPairsArray(w, PetscMax(p->pairs, p->elements), banks));
  /* of other orders that gains less than it takes */
  if (p->arranges && w->kinds->kept != PLEX_PAIRS_MATRIX && el->Nn[0] == el->Nv)
    PetscCall(PlexPairsRunLanes(w, STEP_plex_pairs_arrange, w->nblocks, 1));
  else PetscCall(PlexPairsRun(w, plex_pairs_connect, p->elements));
  PetscCall(PlexPairsRun(w, plex_pairs_fill, p->rows));
  PetscCall(PlexPairsRunLanes(w, STEP_plex_pairs_tasks, p->segments, 0));
  PetscCall(PlexPairsRun(w, plex_pairs_zero_tasks, w->nblocks));
  PetscCall(PlexPairsRun(w, plex_pairs_zeros, p->entries));
  while ((PetscInt64)1 << (bits - 32) <= w->nblocks) ++bits;
  PetscCall(PlexArraysSort(w->arrays, p->tasks, 0, bits, p->taskKeys, NULL, PETSC_FALSE));
  PetscCall(PlexPairsRun(w, plex_pairs_list_tasks, p->tasks));
  PetscCall(PlexPairsRun(w, plex_pairs_list_offsets, w->nblocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Counts of the batch */
static PetscErrorCode PlexPairsCountBatch(PlexPairsPlanner *w, PlexPairs *pairs)
{
  const PlexPairsTables t   = {.numbers = (int)w->kinds->numbers};
  PlexPairsPlan        *p   = &w->p;
  PetscInt              all = 0;

  PetscFunctionBegin;
  for (PetscInt b = 0; b < w->nblocks; ++b)
    pairs->shared = PetscMax(pairs->shared, plex_pair_shared(&t, p->real, p->cdim, &w->block[b]));
  if (w->kinds->kept == PLEX_PAIRS_POINTS) {
    PetscCall(PlexPairsArray(w, p->pairs, weights));
    PetscCall(PlexPairsRun(w, plex_pairs_weights, p->pairs));
    PetscCall(PlexArraysSum(w->arrays, p->pairs, p->weights, p->weights, &all));
  }
  pairs->nblocks += w->nblocks;
  pairs->entries += (double)all;
  pairs->pairs += (double)p->pairs;
  pairs->items += (double)p->nitems;
  pairs->elements += (double)p->elements;
  pairs->rows += (double)p->rows;
  pairs->lines = (double)p->firstPlace;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexPairsBatch(PlexPairsPlanner *w, PlexPairs *pairs, PetscBool *serves)
{
  PlexPairsPlan *p = &w->p;
  PlexArraysMark mark;
  PetscBool      again = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(2 * PetscMin(PLEX_PAIRS_BATCH, p->nodes) + 1, &w->first));
  PetscCall(PetscMalloc1(2 * PetscMin(PLEX_PAIRS_BATCH, p->nodes) + 1, &w->block));
  PetscCall(PlexPairsCut(w));
  PetscCall(PlexArraysGetMark(w->arrays, &mark));
  while (again) {
    PetscCall(PlexPairsListElements(w));
    PetscCall(PlexPairsListRows(w));
    PetscCall(PlexPairsCount(w, serves));
    if (!*serves) break;
    PetscCall(PlexPairsForesee(w));
    PetscCall(PlexPairsSplit(w, &again, serves));
    if (again) PetscCall(PlexArraysGiveBack(w->arrays, &mark));
  }
  if (*serves) PetscCall(PlexPairsPlace(w));
  if (*serves) PetscCall(PlexPairsWrite(w));
  if (*serves) PetscCall(PlexPairsCountBatch(w, pairs));
  p->first = w->first[w->nblocks];
  PetscCall(PetscFree(w->first));
  PetscCall(PetscFree(w->block));
  PetscCall(PlexArraysGiveBack(w->arrays, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The whole ---- */

/* All pieces to where kernels read them; `keep` false: they are freed */
static PetscErrorCode PlexPairsEnd(PlexPairsPlanner *w, PetscBool keep, PlexPairs *pairs)
{
  PlexPairsArgs *d = &pairs->device;

  PetscFunctionBegin;
  if (keep) {
    PetscCall(PlexBackendMalloc(w->asm_->backend, (size_t)(16 * pairs->lines), (void **)&d->places));
    PetscCall(PlexBackendUpload(w->asm_->backend, w->kinds->turns, sizeof(unsigned) * (size_t)w->kinds->nturns,
                                (void **)&d->turns));
    pairs->nodes  = (double)w->p.firstNode;
    pairs->groups = (double)w->p.firstGroup;
    for (PetscInt k = 0; k < 2; ++k) pairs->turns[k] = w->turns[k] / PetscMax(1., w->reads[k]);
  }
  PetscCall(PlexPairsJoin(w, &w->blocks, keep ? &d->blocks : NULL));
  PetscCall(PlexPairsJoin(w, &w->nodes, keep ? &d->nodes : NULL));
  PetscCall(PlexPairsJoin(w, &w->conn, keep ? &d->conn : NULL));
  PetscCall(PlexPairsJoin(w, &w->lists, keep ? &d->lists : NULL));
  PetscCall(PlexPairsJoin(w, &w->records, keep ? &d->records : NULL));
  PetscCall(PlexMemoryFree(w->where, &w->inputs));
  PetscCall(PlexStepsDestroy(&w->steps));
  PetscCall(PlexArraysDestroy(&w->arrays));
  PetscCall(PlexNodeOrderDestroy_Private(&w->order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where plans are made: where the kernels are, if that is a device */
static PetscErrorCode PlexPlanBackend_Private(PlexAssembly asm_, PlexBackend *where)
{
  PetscBool kernels = asm_->backend->device;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetBool(((PetscObject)asm_)->options, ((PetscObject)asm_)->prefix, "-plex_assembly_plan_kernels",
                                &kernels, NULL));
  *where = asm_->backend;
  if (!kernels) PetscCall(PlexBackendCreate(PLEXBACKENDHOST, where));
  else PetscCall(PetscObjectReference((PetscObject)*where));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPairsFill_Private(PlexAssembly asm_, const PlexPairKinds *kinds, size_t budget, PetscInt least,
                                     PlexPairs *pairs, PetscBool *serves)
{
  PlexElements     el = asm_->elements;
  PlexPairsPlanner w  = {.asm_ = asm_, .kinds = kinds};

  PetscFunctionBegin;
  PetscCall(PlexPlanBackend_Private(asm_, &w.where));
  w.p.budget       = budget;
  w.p.mostElements = (int)asm_->partitionSize;
  w.p.mostNodes    = (int)PetscMax(1, el->Nnodes / PetscMax(1, least));
  PetscCall(PlexPairsBegin(&w));
  *serves = (PetscBool)(w.p.steps <= 4 * PLEX_PAIR_LONGEST);
  while (*serves && w.p.first < w.p.nodes) PetscCall(PlexPairsBatch(&w, pairs, serves));
  PetscCall(PlexPairsEnd(&w, *serves, pairs));
  PetscCall(PlexBackendDestroy(&w.where));
  PetscFunctionReturn(PETSC_SUCCESS);
}
