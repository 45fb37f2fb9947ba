/*
  The plan of local_row by sum factorization. Its steps (cuda/assembly/lines_plan_steps.h) run where the kernels are, or
  on the host, a batch of blocks at a time.
*/
#include "lines.h"
#include <assembly/lines_plan_steps.h>

#define PlexLinesRun(w, name, n)     PlexStepsRun((w)->steps, PLEX_STEP_OF(name), (n), &(w)->p)
#define PlexLinesArray(w, n, member) PlexPlannerNew_Private(&(w)->planner, n, sizeof(*(w)->p.member), &(w)->p.member)
#define PlexLinesPiece(w, k, n, member) \
  PlexPlannerPiece_Private(&(w)->planner, &(w)->pieces[k], n, sizeof(*(w)->p.member), &(w)->p.member)
/* Pieces, in the order of PlexLinesArgs */
enum {
  BLOCKS,
  NODES,
  DOFS,
  CONN,
  WARPS,
  ROWS,
  RECORDS
};

PetscErrorCode PlexLinesPlannerCreate_Private(PlexAssembly asm_, int longest[4], PlexLinesPlanner *w)
{
  PetscFunctionBegin;
  *w = (PlexLinesPlanner){.steps = NULL};
  PetscCall(PlexPlannerCreate_Private(asm_, &w->p.cut, &w->planner));
  PetscCall(PlexStepsCreate(w->planner.where, "assembly/lines_plan.cu", &w->steps));
  PetscCall(PlexPlannerNewWhole_Private(&w->planner, 4, sizeof(int), &w->p.longest));
  PetscCall(PlexLinesRun(w, plex_lines_longest, asm_->elements->Nl));
  PetscCall(PlexBackendCopyOut(w->planner.where, longest, w->p.longest, 4 * sizeof(int)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements of the batch's blocks, with their nodes and dofs */
static PetscErrorCode PlexLinesElements(PlexLinesPlanner *w)
{
  PlexLinesPlan *p = &w->p;
  PlexPlanList   list;

  PetscFunctionBegin;
  PetscCall(PlexPlannerListElements_Private(&w->planner));
  PetscCall(PlexPlannerListThings_Private(&w->planner, p->cut.Nv, p->cut.vertices, &list));
  PetscCall(PlexPlannerKeep_Private(&w->planner, &w->pieces[NODES], list.n, sizeof(int), list.items));
  p->vertex    = list.number;
  p->nodeStart = list.start;
  if (p->layout.k > p->cut.Nv) {
    PetscCall(PlexPlannerListThings_Private(&w->planner, p->cut.ef, p->cut.dofs, &list));
    PetscCall(PlexPlannerKeep_Private(&w->planner, &w->pieces[DOFS], list.n, sizeof(int), list.items));
    p->number   = list.number;
    p->dofStart = list.start;
  }
  PetscCall(PlexLinesPiece(w, CONN, (p->cut.elements + 31) / 32 * 32 * p->layout.k, conn));
  PetscCall(PlexLinesRun(w, plex_lines_connect, p->cut.elements));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows in warps */
static PetscErrorCode PlexLinesWarps(PlexLinesPlanner *w, PlexLines *lines)
{
  PlexLinesPlan *p    = &w->p;
  const PetscInt rows = p->cut.rows, segments = 4 * w->planner.nblocks;
  int            items;

  PetscFunctionBegin;
  PetscCall(PlexPlannerListRows_Private(&w->planner, PETSC_FALSE));
  PetscCall(PlexLinesArray(w, rows, keys));
  PetscCall(PlexLinesArray(w, rows, order));
  PetscCall(PlexLinesArray(w, rows + 1, itemStart));
  PetscCall(PlexLinesArray(w, segments + 1, warpTo));
  PetscCall(PlexLinesRun(w, plex_lines_count, rows));
  PetscCall(PlexPlannerSum_Private(&w->planner, rows, p->itemStart, &items));
  PetscCall(PlexLinesArray(w, items, items));
  PetscCall(PlexLinesRun(w, plex_lines_items, rows));
  PetscCall(PlexArraysSort(w->planner.arrays, rows, 0, PlexPlannerBits_Private(&w->planner, 8), p->keys, p->order,
                           PETSC_TRUE));
  PetscCall(PlexLinesRun(w, plex_lines_segments, segments));
  PetscCall(PlexPlannerSum_Private(&w->planner, segments, p->warpTo, &p->nwarps));
  PetscCall(PlexLinesArray(w, p->nwarps + 1, groupTo));
  PetscCall(PlexLinesRun(w, plex_lines_groups, p->nwarps));
  PetscCall(PlexPlannerSum_Private(&w->planner, p->nwarps, p->groupTo, &p->groups));
  lines->rows += rows;
  lines->contributions += items;
  lines->groups += p->groups;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows in lanes, and records */
static PetscErrorCode PlexLinesRecords(PlexLinesPlanner *w, PlexLines *lines)
{
  PlexLinesPlan *p        = &w->p;
  const PetscInt segments = 4 * w->planner.nblocks;
  PetscInt       reads, turns;
  int            error[2];

  PetscFunctionBegin;
  p->laneBytes = PLEX_LANE_BYTES(PLEX_LINES_BANKS, PLEX_LINES_BANKS, w->planner.around + 1);
  PetscCall(PlexPlannerNew_Private(&w->planner, segments, p->laneBytes, &p->lanes));
  PetscCall(PlexLinesArray(w, 4 * p->cut.elements, in));
  PetscCall(PlexLinesArray(w, 32 * p->groups, slot));
  PetscCall(PlexLinesArray(w, segments, reads));
  PetscCall(PlexLinesArray(w, segments, turns));
  PetscCall(PlexLinesArray(w, 2, error));
  PetscCall(PlexLinesPiece(w, WARPS, p->nwarps, warps));
  PetscCall(PlexLinesPiece(w, ROWS, 96 * p->nwarps, rows));
  PetscCall(PlexLinesPiece(w, RECORDS, (PetscInt)(32 * p->layout.words) * p->groups, records));
  PetscCall(PlexLinesRun(w, plex_lines_lanes, segments));
  PetscCall(PlexLinesRun(w, plex_lines_records, 32 * p->groups));
  PetscCall(PlexBackendCopyOut(w->planner.where, error, p->error, sizeof(error)));
  if (error[0]) PetscCall(PlexMatrixRowCheck_Private(w->planner.asm_, error[0] - 1, error[1]));
  PetscCall(PlexArraysSum(w->planner.arrays, segments, p->reads, p->reads, &reads));
  PetscCall(PlexArraysSum(w->planner.arrays, segments, p->turns, p->turns, &turns));
  lines->reads += (double)reads;
  lines->turns += (double)turns;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The batch's blocks, and the most that one of all has */
static PetscErrorCode PlexLinesBlocks(PlexLinesPlanner *w, PlexLines *lines)
{
  PlexLinesPlan  *p = &w->p;
  const PetscInt  n = w->planner.nblocks;
  PlexLinesBlock *block;

  PetscFunctionBegin;
  PetscCall(PlexLinesPiece(w, BLOCKS, n, blocks));
  PetscCall(PlexLinesRun(w, plex_lines_blocks, n));
  PetscCall(PetscMalloc1(n, &block));
  PetscCall(PlexBackendCopyOut(w->planner.where, block, p->blocks, sizeof(*block) * (size_t)n));
  for (PetscInt b = 0; b < n; ++b) {
    const PetscInt elements = (block[b].elements + PLEX_LINES_BANKS - 1) / PLEX_LINES_BANKS * PLEX_LINES_BANKS;

    lines->elements = PetscMax(lines->elements, elements);
    lines->warps    = PetscMax(lines->warps, block[b].warps);
    lines->nodal    = PetscMax(lines->nodal, p->cut.cdim * block[b].nodes + 2 * block[b].dofs);
  }
  p->firstNode    = block[n - 1].node + block[n - 1].nodes;
  p->firstDof     = block[n - 1].dof + block[n - 1].dofs;
  p->firstElement = (block[n - 1].element + block[n - 1].elements + 31) / 32 * 32;
  p->firstWarp    = block[n - 1].warp + block[n - 1].warps;
  p->firstGroup += p->groups;
  PetscCall(PetscFree(block));
  lines->nblocks += n;
  lines->computed += (double)p->cut.elements;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexLinesPlannerBatch_Private(PlexLinesPlanner *w, PlexLines *lines, PetscBool *left)
{
  PetscFunctionBegin;
  PetscCall(PlexPlannerBegin_Private(&w->planner, left));
  if (!*left) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexPlannerCut_Private(&w->planner, w->steps, PLEX_STEP_OF(plex_lines_cut), &w->p));
  PetscCall(PlexLinesElements(w));
  PetscCall(PlexLinesWarps(w, lines));
  PetscCall(PlexLinesRecords(w, lines));
  PetscCall(PlexLinesBlocks(w, lines));
  PetscCall(PlexPlannerEnd_Private(&w->planner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexLinesPlannerJoin_Private(PlexLinesPlanner *w, PlexLines *lines)
{
  PlexLinesPlan *p = &w->p;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < PLEX_LINES_ARRAYS; ++k) {
    if (lines) lines->bytes += (double)w->pieces[k].bytes;
    PetscCall(PlexPlannerJoin_Private(&w->planner, &w->pieces[k], lines ? PlexLinesArray_Private(lines, k) : NULL));
  }
  if (lines) lines->bytes += 8. * ((double)p->cut.cdim * p->firstNode + p->firstDof);
  p->cut.first = p->firstNode = p->firstDof = p->firstElement = p->firstWarp = p->firstGroup = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexLinesPlannerDestroy_Private(PlexLinesPlanner *w)
{
  PetscFunctionBegin;
  PetscCall(PlexStepsDestroy(&w->steps));
  PetscCall(PlexPlannerDestroy_Private(&w->planner));
  PetscFunctionReturn(PETSC_SUCCESS);
}
