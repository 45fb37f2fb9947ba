/*
  The plan of local_row by sum factorization. Its steps (cuda/assembly/lines_plan_steps.h) run where the kernels are, or
  on the host, a batch of blocks at a time.
*/
#include "lines.h"
#include <assembly/lines_plan_steps.h>

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

PetscErrorCode PlexLinesPlannerCreate_Private(PlexAssembly asm_, PlexProduct *product, int longest[4],
                                              PlexLinesPlanner *w)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(w, sizeof(*w)));
  PetscCall(PlexBatchesCreate_Private(asm_, product, "assembly/lines_plan.cu", PETSC_TRUE, &w->p, &w->b));
  PetscCall(PlexPlanWhole(w, 4, longest));
  PetscCall(PlexPlanRun(w, plex_lines_longest, asm_->elements->Nl));
  PetscCall(PlexBackendCopyOut(w->b.planner.where, longest, w->p.longest, 4 * sizeof(int)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

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
static PetscErrorCode PlexLinesRecords(PlexLinesPlanner *w, PlexLines *lines)
{
  PlexLinesPlan *p        = &w->p;
  const PetscInt segments = 4 * w->b.planner.nblocks;

  PetscFunctionBegin;
  p->laneBytes = PLEX_LANE_BYTES(PLEX_LINES_BANKS, PLEX_LINES_BANKS, w->b.planner.around + 1);
  PetscCall(PlexPlannerNew_Private(&w->b.planner, segments, p->laneBytes, &p->lanes));
  PetscCall(PlexPlanNew(w, 4 * p->cut.elements, in));
  PetscCall(PlexPlanNew(w, 32 * p->groups, slot));
  PetscCall(PlexPlanNew(w, segments, reads));
  PetscCall(PlexPlanNew(w, segments, turns));
  PetscCall(PlexPlanPiece(w, WARPS, p->nwarps, warps, &p->firstWarp));
  PetscCall(PlexPlanPiece(w, ROWS, 96 * p->nwarps, rows, NULL));
  PetscCall(PlexBatchesPiece_Private(&w->b, RECORDS, p->groups, (size_t)(128 * p->layout.words), &p->records,
                                     &p->firstGroup));
  PetscCall(PlexPlanRun(w, plex_lines_lanes, segments));
  PetscCall(PlexPlanRun(w, plex_lines_records, 32 * p->groups));
  PetscCall(PlexBatchesTotal_Private(&w->b, segments, p->reads, &lines->reads));
  PetscCall(PlexBatchesTotal_Private(&w->b, segments, p->turns, &lines->turns));
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

PetscErrorCode PlexLinesPlannerBatch_Private(PlexLinesPlanner *w, PlexLines *lines, PetscBool *left)
{
  PetscFunctionBegin;
  PetscCall(PlexBatchesNext_Private(&w->b, PLEX_STEP_OF(plex_lines_cut), left));
  if (!*left) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexLinesElements(w));
  PetscCall(PlexLinesWarps(w, lines));
  PetscCall(PlexLinesRecords(w, lines));
  PetscCall(PlexLinesBlocks(w, lines));
  PetscCall(PlexPlannerEnd_Private(&w->b.planner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexLinesPlannerJoin_Private(PlexLinesPlanner *w, PlexLines *lines)
{
  PetscFunctionBegin;
  PetscCall(PlexBatchesCheck_Private(&w->b));
  for (PetscInt k = 0; k < ARRAYS; ++k) lines->bytes += (double)w->b.pieces[k].bytes;
  lines->bytes += 2. * (double)(w->p.cut.cdim * w->b.pieces[NODES].bytes + w->b.pieces[DOFS].bytes);
  PetscCall(PlexBatchesJoin_Private(&w->b, 0, ARRAYS, &lines->device));
  PetscFunctionReturn(PETSC_SUCCESS);
}
