/*
  The plan of shared_nz and shared_row, in steps (cuda/assembly/shared_plan.h), a batch of parts at a time:

    sizes   shared memory, and from it parts of the mesh nodes
    items   elements around each part, or ranges of their rows
    passes  items that are in shared memory together, one after the other where they do not fit
    lists   of a pass: targets, and the positions in shared memory that each of them sums

  Targets are summed by the part that owns their row.
*/
#include "shared.h"
#include "../../plan/rows.h"
#include <assembly/shared_plan.h>

#define PLEX_SHARED_FEW 64 /* elements around a part, at least, where a team works on an element: few fit at a time */

typedef struct {
  PlexAssembly       asm_;
  PlexProduct       *product;
  PlexSharedPlan    *plan;
  PetscInt           length; /* entries of a row of element data */
  PlexRowsPlanner    w;
  PlexSteps          steps;
  PlexSharedPlanArgs p;
  double             covered;                                           /* targets that are summed */
  PlexPlanPieces     ids, start, passes, items, lists, positions, rows; /* PlexSharedArgs */
} PlexSharedBuild;

#define PlexSharedRun(s, name, n)   ((s)->p.rows = (s)->w.p, PlexStepsRun((s)->steps, PLEX_STEP_OF(name), (n), &(s)->p))
#define PlexSharedNew(s, n, member) PlexPlannerNew_Private(&(s)->w.planner, n, sizeof(*(s)->p.member), &(s)->p.member)
#define PlexSharedPiece(s, piece, n, member) \
  PlexPlannerPiece_Private(&(s)->w.planner, &(s)->piece, n, sizeof(*(s)->p.member), &(s)->p.member)

/* More shared memory a block means larger parts, and fewer elements computed twice; less means more blocks a processor,
   which hide each other's waiting: a third of a processor's, or more where little room is left beside the teams' work
   areas. A thread an element takes all elements around a part in one pass. A team an element is for larger elements, of
   which few fit: passes of a larger part, as elements computed twice lie on its surface. */
static PetscErrorCode PlexSharedChooseSizes(PlexSharedBuild *s)
{
  PlexAssembly      asm_    = s->asm_;
  PlexProduct      *product = s->product;
  PlexSharedPlan   *plan    = s->plan;
  const PetscInt    ef = asm_->elements->ef, region = (ef * s->length) | 1, team = product->team;
  const size_t      real = PlexAssemblyRealSize(asm_), least = real * (size_t)(s->length > 1 ? s->length | 1 : region);
  size_t            budget, work;
  PlexBackendLimits limits;
  PetscInt          n;

  PetscFunctionBegin;
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  while (product->block > PetscMax(32, team) &&
         product->work * (size_t)(product->block / team) > limits.sharedPerProcessor / 6)
    product->block -= 32;
  work   = product->work * (size_t)(product->block / team);
  budget = PetscMin((size_t)PetscMax(0, asm_->owner->sharedMemory), limits.sharedPerBlock);
  for (size_t blocks = 3; blocks > 0 && asm_->owner->sharedMemory <= 0; --blocks) {
    /* a block costs a KiB of its own */
    budget = PetscMin(limits.sharedPerBlock, limits.sharedPerProcessor / blocks - 1024);
    if (budget >= work + PetscMax(least, budget / 8)) break;
  }
  PetscCheck(budget >= work + least, PetscObjectComm((PetscObject)asm_), PETSC_ERR_SUP,
             "Quadrature data (%zu bytes) and one row of element data (%zu) need more shared memory than the %zu bytes "
             "that a block may have here: use -plex_assembly_precision single, a larger -plex_assembly_shared_memory, "
             "or a strategy that keeps element data elsewhere, e.g. -plex_assembly_type local_row",
             work, least, budget);
  plan->sharedBytes = budget;
  plan->capacity    = (PetscInt)((budget - work) / real);
  plan->chunked     = (PetscBool)(product->kind == PLEX_JACOBIAN && (team > 1 || region > plan->capacity));
  plan->rows        = plan->chunked ? PetscMax(1, plan->capacity / (product->block / team) / (ef + 1)) : ef;
  n                 = plan->capacity / region;
  if (team > 1) n = PetscMax(n, PLEX_SHARED_FEW);
  n = PetscMin(n, PetscMax(16, asm_->elements->Ne / PetscMax(1, limits.multiprocessors))); /* parts for all of them */
  if (!asm_->blockSize && team == 1 && n >= 512) product->block = 256;
  plan->maxElements = asm_->partitionSize > 0 ? asm_->partitionSize : PetscMax(1, n);
  s->p.chunked      = plan->chunked;
  s->p.most         = (int)plan->rows;
  s->p.capacity     = (int)plan->capacity;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Items of the batch's parts, and passes of them */
static PetscErrorCode PlexSharedMakePasses(PlexSharedBuild *s, int *passes)
{
  PlexPlanner    *planner = &s->w.planner;
  const PetscInt  n = planner->nblocks, elements = s->w.p.cut.elements;
  PlexSharedPlan *plan  = s->plan;
  int             items = 0, rows = 0, *to;

  PetscFunctionBegin;
  PetscCall(PlexSharedNew(s, elements + 1, itemTo));
  PetscCall(PlexSharedRun(s, plex_shared_count_items, elements));
  PetscCall(PlexPlannerSum_Private(planner, elements, s->p.itemTo, &items));
  PetscCheck(items < PETSC_INT32_MAX - plan->nitems, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "More than 2^31 items of shared memory: distribute the mesh over more ranks");
  PetscCall(PlexSharedPiece(s, items, items, items));
  PetscCall(PlexSharedRun(s, plex_shared_items, elements));
  PetscCall(PlexSharedNew(s, items + 1, itemRows));
  PetscCall(PlexSharedRun(s, plex_shared_item_rows, items));
  PetscCall(PlexPlannerSum_Private(planner, items, s->p.itemRows, &rows));
  s->p.passes = NULL;
  PetscCall(PlexSharedNew(s, n + 1, passTo));
  PetscCall(PlexSharedRun(s, plex_shared_passes, n));
  PetscCall(PlexPlannerSum_Private(planner, n, s->p.passTo, passes));
  PetscCall(PlexSharedPiece(s, passes, *passes, passes));
  PetscCall(PlexSharedNew(s, items, passOf));
  PetscCall(PlexSharedRun(s, plex_shared_passes, n));
  PetscCall(PetscMalloc1(n + 1, &to));
  PetscCall(PlexBackendCopyOut(planner->where, to, s->p.passTo, sizeof(int) * (size_t)(n + 1)));
  for (PetscInt b = 0; b < n; ++b) plan->mostPasses = PetscMax(plan->mostPasses, to[b + 1] - to[b]);
  PetscCall(PetscFree(to));
  PetscCall(PlexPlannerKeepStarts_Private(planner, &s->start, n, s->p.passTo, &plan->passes));
  plan->parts += n;
  plan->nitems += items;
  plan->elements += elements;
  plan->nrows += (double)rows;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of each pass, and what they sum */
static PetscErrorCode PlexSharedMakeRows(PlexSharedBuild *s, int passes)
{
  PlexPlanner        *planner = &s->w.planner;
  PlexSharedPlanArgs *p       = &s->p;
  PlexPlanRows       *rows    = &s->w.p;
  int                 places  = 0;

  PetscFunctionBegin;
  rows->itemTo = p->itemTo;
  rows->item   = (const int *)p->items;
  rows->passOf = p->passOf;
  rows->passTo = p->passTo;
  p->blockDof  = rows->cut.rowDof;
  p->blockRow  = rows->cut.rowStart;
  PetscCall(PlexSharedNew(s, planner->nblocks + 1, candidateTo));
  PetscCall(PlexSharedRun(s, plex_shared_candidates, planner->nblocks));
  PetscCall(PlexPlannerSum_Private(planner, planner->nblocks, p->candidateTo, &places));
  PetscCall(PlexSharedNew(s, places + 1, inPass));
  PetscCall(PlexSharedRun(s, plex_shared_mark, places));
  PetscCall(PlexPlannerSum_Private(planner, places, p->inPass, &rows->cut.rows));
  PetscCall(PlexSharedNew(s, rows->cut.rows, rowDof));
  PetscCall(PlexSharedRun(s, plex_shared_rows, places));
  PetscCall(PlexSharedNew(s, passes + 1, passRow));
  PetscCall(PlexSharedRun(s, plex_shared_pass_rows, passes + 1));
  rows->cut.rowDof = p->rowDof;
  rows->groups     = passes;
  rows->groupRow   = p->passRow;
  PetscCall(PlexRowsPlannerFill_Private(&s->w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lists of each pass */
static PetscErrorCode PlexSharedMakeLists(PlexSharedBuild *s, int passes)
{
  PlexPlanner        *planner = &s->w.planner;
  PlexSharedPlanArgs *p       = &s->p;
  const PetscInt      rows    = s->w.p.cut.rows;
  int                 lists = 0, terms = 0, fresh = 0;
  PetscInt            groups;

  PetscFunctionBegin;
  s->w.p.inOrder = s->plan->row;
  PetscCall(PlexRowsPlannerList_Private(&s->w, 0, &groups, &lists, &terms));
  PetscCheck(lists + passes < PETSC_INT32_MAX - p->firstList, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "More than 2^31 sums in shared memory: distribute the mesh over more ranks");
  PetscCall(PlexSharedNew(s, lists + 1, positionTo));
  PetscCall(PlexSharedNew(s, lists + 1, fresh));
  PetscCall(PlexSharedRun(s, plex_shared_lengths, lists));
  PetscCall(PlexPlannerSum_Private(planner, lists, p->positionTo, NULL));
  PetscCall(PlexPlannerSum_Private(planner, lists, p->fresh, &fresh));
  PetscCall(PlexSharedPiece(s, lists, lists + passes, lists));
  PetscCall(PlexSharedPiece(s, positions, terms, positions));
  if (s->plan->row) PetscCall(PlexSharedPiece(s, rows, rows + passes, rowLists));
  PetscCall(PlexSharedRun(s, plex_shared_lists, lists));
  if (s->plan->row) PetscCall(PlexSharedRun(s, plex_shared_row_lists, rows));
  PetscCall(PlexSharedRun(s, plex_shared_ends, passes));
  s->covered += (double)fresh;
  s->product->bytes += 8.0 * fresh + 16.0 * (lists - fresh);
  p->firstItem = (int)s->plan->nitems;
  p->firstList += lists + passes;
  p->firstRow += (int)rows + passes;
  p->firstPosition += terms;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The plan to where kernels read it, and what they read in a launch */
static PetscErrorCode PlexSharedEnd(PlexSharedBuild *s)
{
  PlexSharedPlan    *plan   = s->plan;
  PlexSharedArgs    *d      = &plan->device;
  const PlexElements el     = s->asm_->elements;
  const double       around = plan->elements / PetscMax(1, el->Ne); /* parts that read an element */

  PetscFunctionBegin;
  PetscCall(PlexSharedPiece(s, ids, el->Ne * (el->Nv + el->ef), ids));
  PetscCall(PlexSharedRun(s, plex_shared_ids, el->Ne));
  PetscCall(PlexPlannerKeepEnd_Private(&s->w.planner, &s->start, plan->passes));
  plan->listed = (double)(s->lists.bytes + s->positions.bytes + s->rows.bytes);
  s->product->bytes += plan->listed + (double)s->passes.bytes + (double)s->items.bytes +
                       (4.0 * (double)(el->Nv + el->ef) + 12.0 * (double)el->ea) * (double)plan->nitems +
                       8.0 * around * ((double)el->Nx * el->dim + el->Nl);
  PetscCall(PlexRowsPlannerJoin_Private(&s->w, &s->ids, &d->ids));
  PetscCall(PlexRowsPlannerJoin_Private(&s->w, &s->start, &d->start));
  PetscCall(PlexRowsPlannerJoin_Private(&s->w, &s->passes, &d->passes));
  PetscCall(PlexRowsPlannerJoin_Private(&s->w, &s->items, &d->items));
  PetscCall(PlexRowsPlannerJoin_Private(&s->w, &s->lists, &d->lists));
  PetscCall(PlexRowsPlannerJoin_Private(&s->w, &s->positions, &d->positions));
  PetscCall(PlexRowsPlannerJoin_Private(&s->w, &s->rows, &d->rows));
  PetscCall(PlexStepsDestroy(&s->steps));
  PetscCall(PlexRowsPlannerDestroy_Private(&s->w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexSharedPlanCreate_Private(PlexAssembly asm_, PlexProduct *product, PlexSharedPlan *plan)
{
  const PetscBool matrix  = (PetscBool)(product->kind == PLEX_JACOBIAN);
  PetscBool       left    = PETSC_TRUE;
  PlexSharedBuild s       = {.asm_ = asm_, .product = product, .plan = plan, .length = matrix ? asm_->elements->ef : 1};
  PlexPlanner    *planner = &s.w.planner;

  PetscFunctionBegin;
  product->bytes     = 0.0; /* added to as the lists are made */
  product->symmetric = PETSC_FALSE;
  product->nd        = asm_->elements->ef * s.length;
  PetscCall(PlexSharedChooseSizes(&s));
  PetscCall(PlexRowsPlannerCreate_Private(asm_, product, PETSC_TRUE, &s.w));
  PetscCall(PlexStepsCreate(planner->where, "assembly/shared_plan.h", &s.steps));
  while (1) {
    int passes = 0;

    PetscCall(PlexPlannerBegin_Private(planner, &left));
    if (!left) break;
    PetscCall(PlexPlannerCutElements_Private(planner, plan->maxElements));
    PetscCall(PlexPlannerListElements_Private(planner));
    PetscCall(PlexPlannerListRows_Private(planner, PETSC_TRUE));
    PetscCall(PlexSharedMakePasses(&s, &passes));
    PetscCall(PlexSharedMakeRows(&s, passes));
    PetscCall(PlexSharedMakeLists(&s, passes));
    PetscCall(PlexPlannerEnd_Private(planner));
  }
  PetscCall(PlexSharedEnd(&s));
  plan->zero = (PetscBool)(s.covered < (double)(product->Nt - (matrix ? asm_->pattern->unused : 0)));
  if (plan->zero) product->bytes += 8.0 * product->Nt;
  product->flops = PlexAssemblyCountFlops(asm_, product, (double)plan->nitems * PlexAssemblyPoints(asm_, product),
                                          plan->nrows, 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}
