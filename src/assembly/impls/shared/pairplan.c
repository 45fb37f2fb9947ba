/*
  The plan of shared_nz by pairs of nodes. Its steps (cuda/assembly/pairs_plan.h) run where the kernels are, or on the
  host. Blocks are cut and filled a batch at a time; what a batch lacks in room, and which sizes the next one's blocks
  will have, is known when its own are.
*/
#include "pairs.h"
#include "../../plan/planner.h"
#include <assembly/pairs_plan.h>

#define PLEX_PAIRS_LANES ((size_t)128 << 20) /* bytes of work for threads that put lists to lanes */

typedef struct {
  const PlexPairKinds *kinds;
  PlexPlanner          planner;
  PlexSteps            steps;
  PlexPairsTables     *tables; /* on the host; of the steps: p.tables */
  PlexPairsPlan        p;
  PlexPlanPieces       nodes, conn, lists, records, blocks;
  PlexPairsBlock      *block; /* of the batch, on the host */
  double               reads[2], turns[2];
} PlexPairsPlanner;

#define PlexPairsRun(w, name, n)     PlexStepsRun((w)->steps, PLEX_STEP_OF(name), (n), &(w)->p)
#define PlexPairsArray(w, n, member) PlexPlannerNew_Private(&(w)->planner, n, sizeof(*(w)->p.member), &(w)->p.member)

/* ---- Inputs ---- */

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
  PlexPairsSetThings(w->planner.asm_->elements, kinds, t);
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
  w->tables = t;
  PetscCall(PlexPlannerInput_Private(&w->planner, t, sizeof(*t), (const void **)&w->p.tables));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is the same in all batches */
static PetscErrorCode PlexPairsBegin(PlexPairsPlanner *w, PlexAssembly asm_)
{
  PlexElements   el = asm_->elements;
  PlexPairsPlan *p  = &w->p;

  PetscFunctionBegin;
  PetscCall(PlexPlannerCreate_Private(asm_, &p->cut, &w->planner));
  PetscCall(PlexStepsCreate(w->planner.where, "assembly/pairs_plan.cu", &w->steps));
  p->ea          = w->kinds->auxiliary ? (int)el->ea : 0;
  p->real        = (int)PlexAssemblyRealSize(asm_);
  p->elementBits = PLEX_PAIR_ELEMENT_BITS(el->dim);
  /* of triangles it took more than half as long again as the rest of a plan, and J took 0.93 to 1.03 of the time */
  p->arranges  = el->dim == 3;
  p->steps     = (int)PetscMax(12, (w->planner.around + 3) / 4 + 4);
  p->laneBytes = PLEX_LANE_BYTES(64, 32, p->steps);
  p->groups    = 0.02;
  /* four times as many would be read in 1.62-way conflicts in the place of 1.67-way ones, and take twice as long */
  p->chunkElements = 512;
  p->chunkTasks    = 8;
  p->ratio         = 0.5;
  PetscCall(PlexPairsSetTables(w));
  if (p->ea)
    PetscCall(PlexPlannerInput_Private(&w->planner, el->dofsAux, sizeof(int) * (size_t)(el->Ne * el->ea),
                                       (const void **)&p->auxiliary));
  PetscCall(PlexPlannerNewWhole_Private(&w->planner, el->Nl, sizeof(int), &p->place));
  if (w->kinds->rowSums) PetscCall(PlexPlannerNewWhole_Private(&w->planner, el->Nl, 1, &p->incomplete));
  if (w->kinds->rowSums) PetscCall(PlexPairsRun(w, plex_pairs_incomplete, el->Nl));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A batch ---- */

/* Places for the entries of rows */
static PetscErrorCode PlexPairsPlaceRows(PlexPairsPlanner *w)
{
  PlexPairsPlan *p    = &w->p;
  const PetscInt rows = p->cut.rows, n = w->planner.nblocks;

  PetscFunctionBegin;
  PetscCall(PlexPairsArray(w, rows + 1, runOf));
  PetscCall(PlexPairsArray(w, rows + 1, lengthTo));
  PetscCall(PlexPairsArray(w, n + 1, runStart));
  PetscCall(PlexPairsArray(w, n + 1, entryStart));
  PetscCall(PlexPairsRun(w, plex_pairs_runs, rows));
  PetscCall(PlexPlannerSum_Private(&w->planner, rows, p->runOf, &p->runs));
  PetscCall(PlexPlannerSum_Private(&w->planner, rows, p->lengthTo, NULL));
  PetscCall(PlexPairsArray(w, p->runs + 1, runRow));
  PetscCall(PlexPairsArray(w, p->runs + 1, runPlace));
  PetscCall(PlexPairsRun(w, plex_pairs_list_runs, rows));
  PetscCall(PlexPairsRun(w, plex_pairs_run_sizes, p->runs));
  PetscCall(PlexPlannerSum_Private(&w->planner, p->runs, p->runPlace, &p->entries));
  PetscCall(PlexPairsRun(w, plex_pairs_block_runs, n + 1));
  PetscCall(PlexPairsArray(w, p->entries, open));
  PetscCall(PlexPairsRun(w, plex_pairs_place_rows, rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An entry that the matrix lacks is an error; *serves false: the entries of a pair do not lie row behind row */
static PetscErrorCode PlexPairsLook(PlexPairsPlanner *w, PetscBool *serves)
{
  int error[3];

  PetscFunctionBegin;
  PetscCall(PlexBackendCopyOut(w->planner.where, error, w->p.error, sizeof(error)));
  if (error[0]) PetscCall(PlexMatrixRowCheck_Private(w->planner.asm_, error[0] - 1, error[1]));
  *serves = (PetscBool)!error[2];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Pairs and how many items each has, tasks, and sizes of blocks */
static PetscErrorCode PlexPairsCount(PlexPairsPlanner *w, PetscBool *serves)
{
  PlexPairsPlan *p = &w->p;

  PetscFunctionBegin;
  PetscCall(PlexPairsArray(w, p->entries + 1, itemStart));
  PetscCall(PlexPairsArray(w, p->entries, other));
  PetscCall(PlexPairsArray(w, p->entries, base));
  PetscCall(PlexPairsArray(w, p->entries, shape));
  PetscCall(PlexPairsArray(w, p->entries, kind));
  PetscCall(PlexPairsArray(w, p->entries + 1, pairTo));
  PetscCall(PlexPairsArray(w, p->entries + 1, zeroTo));
  PetscCall(PlexPairsArray(w, p->cut.rows, diagonal));
  PetscCall(PlexPairsArray(w, 3, error));
  PetscCall(PlexPairsRun(w, plex_pairs_count, p->cut.rows));
  PetscCall(PlexPairsLook(w, serves));
  if (!*serves) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexPlannerSum_Private(&w->planner, p->entries, p->itemStart, &p->nitems));
  PetscCall(PlexPairsRun(w, plex_pairs_mark_pairs, p->entries));
  PetscCall(PlexPlannerSum_Private(&w->planner, p->entries, p->pairTo, &p->pairs));
  PetscCall(PlexPlannerSum_Private(&w->planner, p->entries, p->zeroTo, NULL));
  PetscCall(PlexPairsArray(w, p->pairs, pair));
  PetscCall(PlexPairsArray(w, p->pairs, pairKeys));
  PetscCall(PlexPairsArray(w, p->pairs + 1, segmentTo));
  PetscCall(PlexPairsRun(w, plex_pairs_list_pairs, p->entries));
  PetscCall(PlexArraysSort(w->planner.arrays, p->pairs, 0, PlexPlannerBits_Private(&w->planner, 13), p->pairKeys,
                           p->pair, PETSC_FALSE));
  PetscCall(PlexPairsRun(w, plex_pairs_segments, p->pairs));
  PetscCall(PlexPlannerSum_Private(&w->planner, p->pairs, p->segmentTo, &p->segments));
  PetscCall(PlexPairsArray(w, p->segments + 1, segmentPair));
  PetscCall(PlexPairsArray(w, p->segments + 1, segmentTask));
  PetscCall(PlexPairsRun(w, plex_pairs_list_segments, p->pairs));
  PetscCall(PlexBackendCopyIn(w->planner.where, &p->segmentPair[p->segments], &p->pairs, sizeof(int)));
  PetscCall(PlexPairsRun(w, plex_pairs_segment_tasks, p->segments));
  PetscCall(PlexPlannerSum_Private(&w->planner, p->segments, p->segmentTask, &p->tasks));
  PetscCall(PlexPairsArray(w, p->tasks + 1, groupTo));
  PetscCall(PlexPairsRun(w, plex_pairs_task_groups, p->tasks));
  PetscCall(PlexPlannerSum_Private(&w->planner, p->tasks, p->groupTo, NULL));
  PetscCall(PlexPairsArray(w, w->planner.nblocks, blocks));
  PetscCall(PlexPairsArray(w, w->planner.nblocks + 1, blockTasks));
  PetscCall(PlexPairsArray(w, w->planner.nblocks + 1, blockGroups));
  PetscCall(PlexPairsArray(w, w->planner.nblocks + 1, blockLines));
  PetscCall(PlexPairsArray(w, w->planner.nblocks + 1, blockPlaces));
  PetscCall(PlexPairsRun(w, plex_pairs_sizes, w->planner.nblocks));
  PetscCall(PlexBackendCopyOut(w->planner.where, w->block, p->blocks, sizeof(*p->blocks) * (size_t)w->planner.nblocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a block is as small as kernel and plan need it */
static PetscBool PlexPairsFits(const PlexPairsPlanner *w, const PlexPairsBlock *b)
{
  const PetscInt stride = PLEX_PAIRS_STRIDE(b->elements, w->p.real);

  return (PetscBool)(plex_pair_shared(w->tables, w->p.real, w->p.cut.cdim, b) <= w->p.budget &&
                     b->nodes <= PLEX_PAIR_NODES && stride <= 1 << w->p.elementBits &&
                     w->tables->numbers * stride < PLEX_PAIR_NONE && 2 * b->sums < 65535);
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
  PetscCall(PetscMalloc1(PetscMax(1, w->planner.nblocks), &groups));
  for (PetscInt b = 0; b < w->planner.nblocks; ++b) {
    const PlexPairsBlock *block = &w->block[b];

    groups[b]  = (double)(block->groups - 2 * w->kinds->kinds) / PetscMax(1., 2. * block->sums);
    w->p.ratio = PetscMax(w->p.ratio, (double)(block->nodes - w->p.cut.Nv) / PetscMax(1., (double)block->elements));
  }
  qsort(groups, (size_t)w->planner.nblocks, sizeof(*groups), PlexPairsCompare);
  if (w->planner.nblocks) {
    const double now = PetscMax(0., groups[points ? w->planner.nblocks * 9 / 10 : w->planner.nblocks - 1]);

    w->p.groups = points ? now : PetscMax(w->p.groups, now);
  }
  PetscCall(PetscFree(groups));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks that have no room are cut in two; *again: there are such. *serves false: one of a single mesh node */
static PetscErrorCode PlexPairsSplit(PlexPairsPlanner *w, PetscBool *again, PetscBool *serves)
{
  const PetscInt n = w->planner.nblocks;
  PetscBool     *fits;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &fits));
  for (PetscInt b = 0; b < n; ++b) fits[b] = PlexPairsFits(w, &w->block[b]);
  PetscCall(PlexPlannerSplit_Private(&w->planner, fits, again, serves));
  *again = (PetscBool)(*again && *serves);
  PetscCall(PetscFree(fits));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the parts of blocks begin, and room for them */
static PetscErrorCode PlexPairsPlace(PlexPairsPlanner *w, const PlexPlanList *list)
{
  PlexPairsPlan *p     = &w->p;
  const PetscInt words = (p->cut.Nv + 1) / 2 + (p->ea > 0);
  const int      nodes = list->n;
  int            tasks = 0, groups = 0, lines = 0, places = 0;

  PetscFunctionBegin;
  PetscCall(PlexPlannerSum_Private(&w->planner, w->planner.nblocks, p->blockTasks, &tasks));
  PetscCall(PlexPlannerSum_Private(&w->planner, w->planner.nblocks, p->blockGroups, &groups));
  PetscCall(PlexPlannerSum_Private(&w->planner, w->planner.nblocks, p->blockLines, &lines));
  PetscCall(PlexPlannerSum_Private(&w->planner, w->planner.nblocks, p->blockPlaces, &places));
  PetscCall(PlexPairsRun(w, plex_pairs_blocks, w->planner.nblocks));
  PetscCall(PlexPairsArray(w, p->nitems, items));
  PetscCall(PlexPairsArray(w, p->entries, cursor));
  PetscCall(PlexPairsArray(w, tasks, taskKeys));
  PetscCall(PlexPlannerPiece_Private(&w->planner, &w->conn, p->cut.elements * words, sizeof(unsigned), &p->conn));
  PetscCall(PlexPlannerPiece_Private(&w->planner, &w->lists, 4 * lines, sizeof(int), &p->lists));
  PetscCall(PlexPlannerPiece_Private(&w->planner, &w->records, 64 * groups, sizeof(unsigned), &p->records));
  PetscCall(PlexPlannerKeep_Private(&w->planner, &w->nodes, nodes, sizeof(int), list->items));
  PetscCall(PlexPlannerKeep_Private(&w->planner, &w->blocks, w->planner.nblocks, sizeof(PlexPairsBlock), p->blocks));
  p->tasks = tasks; /* with those of zeros */
  p->firstConn += (int)(p->cut.elements * words);
  p->firstLine += lines;
  p->firstGroup += groups;
  p->firstPlace += places;
  p->firstNode += nodes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A step whose items are chunks of n lists, which another one counts; its threads have work of their own, and are as
   many at a time as there is room for */
static PetscErrorCode PlexPairsRunLanes(PlexPairsPlanner *w, PlexStep count, PlexStep step, PetscInt n, PetscInt which)
{
  PlexPlanner   *planner = &w->planner;
  PlexPairsPlan *p       = &w->p;
  PetscInt       most, all;

  PetscFunctionBegin;
  PetscCall(PlexPairsArray(w, n + 1, chunkTo));
  PetscCall(PlexStepsRun(w->steps, count, n, p));
  PetscCall(PlexPlannerSum_Private(planner, n, p->chunkTo, &p->chunks));
  most = PetscMax(1, PetscMin(p->chunks, (PetscInt)(PLEX_PAIRS_LANES / p->laneBytes)));
  PetscCall(PlexPlannerNew_Private(planner, most, p->laneBytes, &p->lanes));
  PetscCall(PlexPairsArray(w, p->chunks, reads));
  PetscCall(PlexPairsArray(w, p->chunks, turns));
  for (PetscInt first = 0; first < p->chunks; first += most) {
    p->offset = (int)first;
    PetscCall(PlexStepsRun(w->steps, step, PetscMin(most, p->chunks - first), p));
  }
  PetscCall(PlexArraysSum(planner->arrays, p->chunks, p->reads, p->reads, &all));
  w->reads[which] += (double)all;
  PetscCall(PlexArraysSum(planner->arrays, p->chunks, p->turns, p->turns, &all));
  w->turns[which] += (double)all;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements, items, tasks and rows of blocks */
static PetscErrorCode PlexPairsWrite(PlexPairsPlanner *w)
{
  PlexPairsPlan *p  = &w->p;
  PlexElements   el = w->planner.asm_->elements;

  PetscFunctionBegin;
  PetscCall(PlexPairsArray(w, PetscMax(p->pairs, p->cut.elements), banks));
  PetscCall(PlexPairsArray(w, p->cut.elements, arranged));
  PetscCall(PlexPairsArray(w, p->cut.elements, at));
  PetscCall(PlexPairsArray(w, p->cut.elements, turn));
  /* of other orders that gains less than it takes */
  if (p->arranges && w->kinds->kept != PLEX_PAIRS_MATRIX && el->Nn[0] == el->Nv)
    PetscCall(PlexPairsRunLanes(w, PLEX_STEP_OF(plex_pairs_element_chunks), PLEX_STEP_OF(plex_pairs_arrange),
                                w->planner.nblocks, 1));
  else PetscCall(PlexPairsRun(w, plex_pairs_connect, p->cut.elements));
  PetscCall(PlexPairsRun(w, plex_pairs_fill, p->cut.rows));
  PetscCall(PlexPairsRunLanes(w, PLEX_STEP_OF(plex_pairs_task_chunks), PLEX_STEP_OF(plex_pairs_tasks), p->segments, 0));
  PetscCall(PlexPairsRun(w, plex_pairs_zero_tasks, w->planner.nblocks));
  PetscCall(PlexPairsRun(w, plex_pairs_zeros, p->entries));
  PetscCall(PlexArraysSort(w->planner.arrays, p->tasks, 0, PlexPlannerBits_Private(&w->planner, 32), p->taskKeys, NULL,
                           PETSC_FALSE));
  PetscCall(PlexPairsRun(w, plex_pairs_list_tasks, p->tasks));
  PetscCall(PlexPairsRun(w, plex_pairs_list_offsets, w->planner.nblocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Counts of the batch */
static PetscErrorCode PlexPairsCountBatch(PlexPairsPlanner *w, PlexPairs *pairs)
{
  PlexPairsPlan *p   = &w->p;
  PetscInt       all = 0;

  PetscFunctionBegin;
  for (PetscInt b = 0; b < w->planner.nblocks; ++b)
    pairs->shared = PetscMax(pairs->shared, plex_pair_shared(w->tables, p->real, p->cut.cdim, &w->block[b]));
  if (w->kinds->kept == PLEX_PAIRS_POINTS) {
    PetscCall(PlexPairsArray(w, p->pairs, weights));
    PetscCall(PlexPairsRun(w, plex_pairs_weights, p->pairs));
    PetscCall(PlexArraysSum(w->planner.arrays, p->pairs, p->weights, p->weights, &all));
  }
  pairs->nblocks += w->planner.nblocks;
  pairs->entries += (double)all;
  pairs->pairs += (double)p->pairs;
  pairs->items += (double)p->nitems;
  pairs->elements += (double)p->cut.elements;
  pairs->rows += (double)p->cut.rows;
  pairs->lines = (double)p->firstPlace;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexPairsBatch(PlexPairsPlanner *w, PlexPairs *pairs, PetscBool *serves)
{
  PlexPlanner   *planner = &w->planner;
  PlexPairsPlan *p       = &w->p;
  PetscBool      again   = PETSC_TRUE;
  PlexArraysMark mark;
  PlexPlanList   nodes;

  PetscFunctionBegin;
  PetscCall(PlexPlannerCut_Private(planner, w->steps, PLEX_STEP_OF(plex_pairs_cut), p));
  PetscCall(PlexArraysGetMark(planner->arrays, &mark));
  while (again) {
    PetscCall(PlexPlannerListElements_Private(planner));
    PetscCall(PlexPlannerListThings_Private(planner, p->cut.Nv, p->cut.vertices, &nodes));
    p->vertex    = nodes.number;
    p->nodeStart = nodes.start;
    PetscCall(PlexPlannerListRows_Private(planner, PETSC_TRUE));
    PetscCall(PlexPairsPlaceRows(w));
    PetscCall(PetscFree(w->block));
    PetscCall(PetscMalloc1(planner->nblocks, &w->block));
    PetscCall(PlexPairsCount(w, serves));
    if (!*serves) break;
    PetscCall(PlexPairsForesee(w));
    PetscCall(PlexPairsSplit(w, &again, serves));
    if (again) PetscCall(PlexArraysGiveBack(planner->arrays, &mark));
  }
  if (*serves) PetscCall(PlexPairsPlace(w, &nodes));
  if (*serves) PetscCall(PlexPairsWrite(w));
  if (*serves) PetscCall(PlexPairsCountBatch(w, pairs));
  PetscCall(PlexPlannerEnd_Private(planner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The whole ---- */

/* All pieces to where kernels read them; `keep` false: they are freed */
static PetscErrorCode PlexPairsEnd(PlexPairsPlanner *w, PetscBool keep, PlexPairs *pairs)
{
  PlexPairsArgs *d = &pairs->device;
  size_t         most;

  PetscFunctionBegin;
  PetscCall(PlexArraysGetMost(w->planner.arrays, &most));
  pairs->made = (double)most + w->planner.whole.bytes;
  pairs->kept = (double)(w->blocks.bytes + w->nodes.bytes + w->conn.bytes + w->lists.bytes + w->records.bytes) +
                16. * pairs->lines;
  if (keep) {
    PetscCall(PlexBackendMalloc(w->planner.asm_->backend, (size_t)(16 * pairs->lines), (void **)&d->places));
    PetscCall(PlexBackendUpload(w->planner.asm_->backend, w->kinds->turns, sizeof(unsigned) * (size_t)w->kinds->nturns,
                                (void **)&d->turns));
    pairs->nodes  = (double)w->p.firstNode;
    pairs->groups = (double)w->p.firstGroup;
    for (PetscInt k = 0; k < 2; ++k) pairs->turns[k] = w->turns[k] / PetscMax(1., w->reads[k]);
  }
  PetscCall(PlexPlannerJoin_Private(&w->planner, &w->blocks, keep ? &d->blocks : NULL));
  PetscCall(PlexPlannerJoin_Private(&w->planner, &w->nodes, keep ? &d->nodes : NULL));
  PetscCall(PlexPlannerJoin_Private(&w->planner, &w->conn, keep ? &d->conn : NULL));
  PetscCall(PlexPlannerJoin_Private(&w->planner, &w->lists, keep ? &d->lists : NULL));
  PetscCall(PlexPlannerJoin_Private(&w->planner, &w->records, keep ? &d->records : NULL));
  PetscCall(PetscFree(w->block));
  PetscCall(PetscFree(w->tables));
  PetscCall(PlexStepsDestroy(&w->steps));
  PetscCall(PlexPlannerDestroy_Private(&w->planner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPairsFill_Private(PlexAssembly asm_, const PlexPairKinds *kinds, size_t budget, PetscInt least,
                                     PlexPairs *pairs, PetscBool *serves)
{
  PlexPairsPlanner w    = {.kinds = kinds};
  PetscBool        left = PETSC_TRUE;

  PetscFunctionBegin;
  w.p.budget       = budget;
  w.p.mostElements = (int)asm_->partitionSize;
  w.p.mostNodes    = (int)PetscMax(1, asm_->elements->Nnodes / PetscMax(1, least));
  PetscCall(PlexPairsBegin(&w, asm_));
  *serves = (PetscBool)(w.p.steps <= 4 * PLEX_PAIR_LONGEST);
  while (*serves) {
    PetscCall(PlexPlannerBegin_Private(&w.planner, &left));
    if (!left) break;
    PetscCall(PlexPairsBatch(&w, pairs, serves));
  }
  PetscCall(PlexPairsEnd(&w, *serves, pairs));
  PetscFunctionReturn(PETSC_SUCCESS);
}
