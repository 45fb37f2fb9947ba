/* Plans of methods in steps: batches.h */
#include "batches.h"

PetscErrorCode PlexBatchesCreate_Private(PlexAssembly asm_, PlexProduct *product, const char file[], PetscBool curve,
                                         void *plan, PlexBatches *b)
{
  PlexPlanBlocks *cut = (PlexPlanBlocks *)plan;

  PetscFunctionBegin;
  *b = (PlexBatches){.plan = plan, .memory = &product->memory};
  if (curve) PetscCall(PlexPlannerCreate_Private(asm_, cut, &b->planner));
  else PetscCall(PlexPlannerCreateMesh_Private(asm_, cut, &b->planner));
  PetscCall(PlexStepsCreate(b->planner.where, file, &b->steps));
  PetscCall(PlexPlannerNewWhole_Private(&b->planner, 1, sizeof(int), &cut->missing));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBatchesDestroy_Private(PlexBatches *b)
{
  PetscFunctionBegin;
  PetscCall(PlexBatchesDrop_Private(b));
  PetscCall(PlexStepsDestroy(&b->steps));
  PetscCall(PlexPlannerDestroy_Private(&b->planner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBatchesNext_Private(PlexBatches *b, PlexStep cut, PetscBool *left)
{
  PetscFunctionBegin;
  PetscCall(PlexPlannerBegin_Private(&b->planner, left));
  if (!*left) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexPlannerCut_Private(&b->planner, b->steps, cut, b->plan));
  PetscCall(PlexArraysGetMark(b->planner.arrays, &b->cut));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBatchesSplit_Private(PlexBatches *b, const PetscBool fits[], PetscBool *again, PetscBool *fit)
{
  PetscFunctionBegin;
  PetscCall(PlexPlannerSplit_Private(&b->planner, fits, again, fit));
  if (*again) PetscCall(PlexArraysGiveBack(b->planner.arrays, &b->cut));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBatchesSum_Private(PlexBatches *b, PlexStep step, PetscInt n, int **sums, int *all)
{
  PetscFunctionBegin;
  PetscCall(PlexPlannerNew_Private(&b->planner, n + 1, sizeof(int), sums));
  PetscCall(PlexStepsRun(b->steps, step, n, b->plan));
  PetscCall(PlexPlannerSum_Private(&b->planner, n, *sums, all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBatchesBegins_Private(PlexBatches *b, PlexStep step, PetscInt m, PetscInt n, int **sums,
                                         int **begins, int *all)
{
  PetscFunctionBegin;
  PetscCall(PlexPlannerNew_Private(&b->planner, n + 1, sizeof(int), sums));
  PetscCall(PlexStepsRun(b->steps, step, m, b->plan));
  PetscCall(PlexPlannerSum_Private(&b->planner, n, *sums, all));
  PetscCall(PlexPlannerNew_Private(&b->planner, *all + 1, sizeof(int), begins));
  PetscCall(PlexPlannerListBegins_Private(&b->planner, n, *sums, *begins));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBatchesPiece_Private(PlexBatches *b, PetscInt k, PetscInt n, size_t size, void *piece, int *before)
{
  PetscFunctionBegin;
  if (before) *before = (int)(b->pieces[k].bytes / size);
  PetscCall(PlexPlannerPiece_Private(&b->planner, &b->pieces[k], n, size, piece));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBatchesKeep_Private(PlexBatches *b, PetscInt k, const PlexPlanList *list, int *before)
{
  void *piece = NULL;

  PetscFunctionBegin;
  PetscCall(PlexBatchesPiece_Private(b, k, list->n, sizeof(int), &piece, before));
  PetscCall(PlexBackendCopy(b->planner.where, piece, list->items, sizeof(int) * (size_t)list->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBatchesJoin_Private(PlexBatches *b, PetscInt first, PetscInt n, void *args)
{
  void **array = (void **)args;

  PetscFunctionBegin;
  PetscCall(PlexPlannerFree_Private(&b->planner));
  for (PetscInt k = 0; k < n; ++k) {
    PlexPlanPieces *pieces = &b->pieces[first + k];
    const size_t    bytes  = pieces->bytes;

    if (!bytes) continue;
    PetscCall(PlexPlannerJoin_Private(&b->planner, pieces, &array[k]));
    PetscCall(PlexMemoryAdd(b->memory, bytes, array[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBatchesAllocate_Private(PlexBatches *b, size_t bytes, void *array)
{
  PetscFunctionBegin;
  PetscCall(PlexMemoryAllocate(b->planner.asm_->backend, b->memory, bytes, (void **)array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBatchesDrop_Private(PlexBatches *b)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < PLEX_BATCHES_ARRAYS; ++k)
    PetscCall(PlexPlannerJoin_Private(&b->planner, &b->pieces[k], NULL));
  b->planner.p->first = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBatchesCheck_Private(PlexBatches *b)
{
  const PlexPlanner *planner = &b->planner;
  const size_t       ef      = (size_t)planner->p->ef;
  int                missing, *slots;

  PetscFunctionBegin;
  PetscCall(PlexBackendCopyOut(planner->where, &missing, planner->p->missing, sizeof(missing)));
  if (!missing) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(ef * ef, &slots));
  PetscCall(PlexPatternGetElementSlots(planner->asm_->pattern, missing - 1, slots)); /* it has the message */
  PetscCall(PetscFree(slots));
  PetscFunctionReturn(PETSC_SUCCESS);
}
