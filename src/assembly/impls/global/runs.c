/*
  Runs of elements, of which global_row computes whole element matrices, and the rows that are summed from them. A pass
  is some of the runs.
*/
#include "runs.h"
#include <assembly/runs_plan.h>
#include "../../integrate/integrate.h"
#include "../../../dm/elementsimpl.h" /* PlexPatternLongest() */

/* blocks of a multiprocessor that compute runs, with as many registers a thread as there can be */
#define PLEX_RUNS_RESIDENT 2
#define PLEX_RUNS_THREADS  1280 /* of a multiprocessor that sum rows, about */
#define PLEX_RUN_NODES     16   /* room for nodes and dofs is a multiple of these, as kernels are compiled for it */
#define PLEX_RUN_DOFS      32

static PetscInt PlexRunsRoundUp(PetscInt n, PetscInt step)
{
  return PetscMax(1, (n + step - 1) / step) * step;
}

PetscErrorCode PlexRunsServe_Private(PlexAssembly asm_, PlexProduct *product, PetscBool *serves)
{
  PetscFunctionBegin;
  *serves = (PetscBool)(product->kind == PLEX_JACOBIAN && !asm_->repeated && asm_->teamSize <= 1 &&
                        asm_->elements->ef <= PLEX_RUN);
  if (*serves) PetscCall(PlexModalServesElement_Private(asm_, product, serves));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Records of the runs */
static PetscErrorCode PlexRunsRecord(PlexRowsPlanner *w, PlexSteps steps, PlexRuns *runs, PlexRunsPlan *p)
{
  PlexPlanner   *planner = &w->planner;
  PlexPlanPieces records = {0};

  PetscFunctionBegin;
  p->recordBytes = (int)runs->recordBytes;
  p->nodeRoom    = (int)runs->nodes;
  p->dofRoom     = (int)runs->dofs;
  PetscCall(PlexPlannerKeepEnd_Private(planner, &w->nodeStart, w->nodes));
  PetscCall(PlexPlannerKeepEnd_Private(planner, &w->dofStart, w->dofs));
  PetscCall(PlexPlannerJoinWhole_Private(planner, &w->nodeStart, &p->nodeStart));
  PetscCall(PlexPlannerJoinWhole_Private(planner, &w->nodeItems, &p->nodes));
  PetscCall(PlexPlannerJoinWhole_Private(planner, &w->dofStart, &p->dofStart));
  PetscCall(PlexPlannerJoinWhole_Private(planner, &w->dofItems, &p->dofs));
  PetscCall(PlexPlannerJoinWhole_Private(planner, &w->numbers, &p->numbers));
  PetscCall(PlexPlannerPiece_Private(planner, &records, runs->n, runs->recordBytes, &p->records));
  PetscCall(PlexStepsRun(steps, PLEX_STEP_OF(plex_runs_record), runs->n, p));
  PetscCall(PlexRowsPlannerJoin_Private(w, &records, &runs->records));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexRunsCreate_Private(PlexRowsPlanner *w, PlexBlocks *blocks, PlexRuns *runs)
{
  PlexElements   el      = w->asm_->elements;
  const PetscInt staging = el->ef % 2 ? el->ef : 2 * (el->ef / 2 | 1);
  PlexRunsPlan   p       = {.rows = w->p};

  PetscFunctionBegin;
  *runs             = (PlexRuns){.n = blocks->nblocks};
  runs->nodes       = PlexRunsRoundUp(blocks->mostNodes, PLEX_RUN_NODES);
  runs->dofs        = PlexRunsRoundUp(blocks->mostDofs, PLEX_RUN_DOFS);
  runs->recordBytes = sizeof(int) * (size_t)(4 + runs->nodes + runs->dofs) +
                      sizeof(short) * (size_t)(PLEX_RUN * (el->Nv + el->ef));
  /* PLEX_RUN_SHARED and PLEX_STAGING_BYTES of cuda/assembly/ */
  runs->shared      = 3 * runs->recordBytes + 2 * sizeof(double) * (size_t)(el->dim * runs->nodes + 2 * runs->dofs) +
                      PlexAssemblyRealSize(w->asm_) * (size_t)(PLEX_RUN * staging);
  runs->offsetBytes = PlexPatternLongest(w->asm_->pattern) < 255 ? 1 : 2;
  runs->taskRows    = 32 / el->ef;
  PetscCall(PlexStepsCreate(w->planner.where, "assembly/runs_plan.h", &runs->steps));
  PetscCall(PlexRunsRecord(w, runs->steps, runs, &p));
  PetscCall(PlexRowsPlannerEndBlocks_Private(w, blocks));
  runs->elements = blocks->device.elements;
  blocks->bytes += (double)runs->recordBytes * (double)runs->n -
                   2.0 * (double)(blocks->positions * (size_t)(el->Nv + el->ef)) - 4.0 * (double)(w->nodes + w->dofs);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexRunsCompile_Private(PlexAssembly asm_, PlexProduct *product, const PlexRuns *runs)
{
  const PetscInt ahead = PLEX_RUNS_THREADS / product->block *
                         (PetscInt)PetscMax(1, asm_->backend->limits.multiprocessors);

  PetscFunctionBegin;
  PetscCall(PlexAssemblyCompileSizes(asm_, product, "global_row_modal.cu", 4,
                                     (PlexSize[]){
                                       {"PLEX_OFFSET_BYTES",      runs->offsetBytes},
                                       {"PLEX_RUN_NODES",         runs->nodes      },
                                       {"PLEX_RUN_DOFS",          runs->dofs       },
                                       {"PLEX_PREFETCH_DISTANCE", ahead            }
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Rows ---- */

static int PlexRunsRoundUp16(size_t bytes)
{
  return (int)((bytes + 15) / 16 * 16);
}

PetscErrorCode PlexRunsPass_Private(PlexRowsPlanner *w, const PlexRuns *runs, PetscInt fresh, PlexRunsPass *pass)
{
  const PetscInt ef = w->asm_->elements->ef, warps = w->product->block / 32, first = w->p.cut.firstPosition / PLEX_RUN;
  const PetscInt n = w->p.positions / PLEX_RUN, tasks = (w->p.cut.rows + runs->taskRows - 1) / runs->taskRows;
  PlexPlanPieces chunks = {0};
  PlexRunsPlan   p      = {.rows = w->p, .taskRows = (int)runs->taskRows, .offsetBytes = (int)runs->offsetBytes};
  int            more   = 0;

  PetscFunctionBegin;
  *pass        = (PlexRunsPass){.first = first};
  pass->blocks = PetscMin((n + warps - 1) / warps,
                          PLEX_RUNS_RESIDENT * PetscMax(1, w->asm_->backend->limits.multiprocessors));
  pass->grid   = (tasks + warps - 1) / warps;
  p.tasks      = (int)tasks;
  p.fresh      = (int)fresh;
  /* as in cuda/assembly/global_row_modal.cu */
  p.itemsAt    = PlexRunsRoundUp16(sizeof(PlexRunsHead) + sizeof(PlexRunsRow) * (size_t)runs->taskRows);
  p.offsetsAt  = p.itemsAt + (int)(sizeof(int) * (size_t)(runs->taskRows * PLEX_RUNS_CONTRIBUTIONS));
  p.chunkBytes = p.offsetsAt +
                 PlexRunsRoundUp16((size_t)(runs->taskRows * ef * PLEX_RUNS_CONTRIBUTIONS * runs->offsetBytes));
  PetscCall(PlexPlannerNew_Private(&w->planner, tasks + 1, sizeof(int), &p.chunkTo));
  PetscCall(PlexPlannerNew_Private(&w->planner, 1, sizeof(int), &p.sums));
  PetscCall(PlexStepsRun(runs->steps, PLEX_STEP_OF(plex_runs_count), tasks, &p));
  PetscCall(PlexPlannerSum_Private(&w->planner, tasks, p.chunkTo, &more));
  PetscCall(PlexPlannerPiece_Private(&w->planner, &chunks, tasks + more, (size_t)p.chunkBytes, &p.chunks));
  PetscCall(PlexStepsRun(runs->steps, PLEX_STEP_OF(plex_runs_chunks), tasks, &p));
  PetscCall(PlexBackendCopyOut(w->planner.where, &pass->rows.sums, p.sums, sizeof(int)));
  pass->bytes           = (double)chunks.bytes;
  pass->rows.tasks      = (int)tasks;
  pass->device.records  = runs->records + runs->recordBytes * (size_t)first;
  pass->device.elements = runs->elements ? runs->elements + PLEX_RUN * first : NULL;
  pass->device.runs     = (int)n;
  PetscCall(PlexRowsPlannerJoin_Private(w, &chunks, &pass->rows.chunks));
  PetscFunctionReturn(PETSC_SUCCESS);
}
