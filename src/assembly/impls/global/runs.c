/*
  Runs of elements, of which global_row computes whole element matrices, and the rows that are summed from them. A pass
  is some of the runs.
*/
#include "runs.h"
#include "../../integrate/integrate.h"
#include "../../../dm/elementsimpl.h" /* PlexPatternLongest() */

/* blocks of a multiprocessor that compute runs: a thread has all registers that it can have */
#define PLEX_RUNS_RESIDENT 2
#define PLEX_RUNS_THREADS  1280 /* of a multiprocessor that sum rows, about */
#define PLEX_RUN_NODES     16   /* room for nodes and dofs comes in such steps: kernels are compiled for it */
#define PLEX_RUN_DOFS      32

static PetscInt PlexRunsUp(PetscInt n, PetscInt step)
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

PetscErrorCode PlexRunsCreate_Private(PlexAssembly asm_, PlexProduct *product, const PlexLists *parts,
                                      PlexBlocks *blocks, PlexRuns *runs)
{
  PlexElements   elements = asm_->elements;
  const PetscInt K = elements->Nv + elements->ef, stage = elements->ef % 2 ? elements->ef : 2 * (elements->ef / 2 | 1);
  PlexBlockLists lists;
  size_t         conn, bytes;
  char          *records;

  PetscFunctionBegin;
  *runs = (PlexRuns){0};
  PetscCall(PlexBlockListsCreate_Private(asm_, product, parts, blocks, &lists));
  for (PetscInt b = 0; b < parts->n; ++b) {
    runs->nodes = PetscMax(runs->nodes, lists.nodeStart[b + 1] - lists.nodeStart[b]);
    runs->dofs  = PetscMax(runs->dofs, lists.dofStart[b + 1] - lists.dofStart[b]);
  }
  runs->nodes       = PlexRunsUp(runs->nodes, PLEX_RUN_NODES);
  runs->dofs        = PlexRunsUp(runs->dofs, PLEX_RUN_DOFS);
  conn              = sizeof(int) * (size_t)(4 + runs->nodes + runs->dofs);
  runs->recordBytes = conn + sizeof(*lists.conn) * (size_t)(PLEX_RUN * K);
  /* PLEX_RUN_SHARED and PLEX_RUN_STAGES of cuda/assembly/ */
  runs->shared = 3 * runs->recordBytes + 2 * sizeof(double) * (size_t)(elements->cdim * runs->nodes + 2 * runs->dofs) +
                 PlexAssemblyRealSize(asm_) * (size_t)(PLEX_RUN * stage);
  bytes        = runs->recordBytes * (size_t)parts->n;
  PetscCall(PetscCalloc1(bytes, &records));
  for (PetscInt b = 0; b < parts->n; ++b) {
    char          *record = records + runs->recordBytes * (size_t)b;
    int           *head   = (int *)record;
    const PetscInt nodes  = lists.nodeStart[b + 1] - lists.nodeStart[b],
                   dofs   = lists.dofStart[b + 1] - lists.dofStart[b];

    head[0] = (int)nodes;
    head[1] = (int)dofs;
    PetscCall(PetscArraycpy(head + 4, &lists.nodes[lists.nodeStart[b]], nodes));
    PetscCall(PetscArraycpy(head + 4 + runs->nodes, &lists.dofs[lists.dofStart[b]], dofs));
    PetscCall(PetscMemcpy(record + conn, &lists.conn[(size_t)blocks->elementStart[b] * (size_t)K],
                          sizeof(*lists.conn) * (size_t)(PLEX_RUN * K)));
  }
  blocks->bytes = (double)bytes + 8.0 * elements->cdim * lists.nodeStart[parts->n] + 8.0 * lists.dofStart[parts->n];
  PetscCall(PlexProductUpload(asm_, product, records, bytes, &runs->records));
  if (elements->ea) {
    PetscCall(PlexBackendUpload(asm_->backend, blocks->elements, sizeof(int) * blocks->positions,
                                (void **)&blocks->device.elements));
    blocks->bytes += (4.0 + 12.0 * elements->ea) * (double)blocks->positions;
  }
  runs->placeBytes = PlexPatternLongest(asm_->pattern) < 255 ? 1 : 2;
  runs->abreast    = 32 / elements->ef;
  PetscCall(PetscFree(records));
  PetscCall(PlexBlockListsDestroy_Private(&lists));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexRunsCompile_Private(PlexAssembly asm_, PlexProduct *product, const PlexRuns *runs)
{
  const PetscInt later = PLEX_RUNS_THREADS / product->block *
                         (PetscInt)PetscMax(1, asm_->backend->limits.multiprocessors);

  PetscFunctionBegin;
  PetscCall(PlexAssemblyCompileSizes(asm_, product, "global_row_modal.cu", 4,
                                     (PlexSize[]){
                                       {"PLEX_PLACE_BYTES", runs->placeBytes},
                                       {"PLEX_RUN_NODES",   runs->nodes     },
                                       {"PLEX_RUN_DOFS",    runs->dofs      },
                                       {"PLEX_LATER",       later           }
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Rows: sizes are those of cuda/assembly/global_row_modal.cu */

static size_t PlexRunsLines(size_t bytes)
{
  return (bytes + 15) / 16 * 16;
}

static size_t PlexRunsItems(const PlexRuns *runs)
{
  return PlexRunsLines(sizeof(PlexRunsHead) + sizeof(PlexRunsRow) * (size_t)runs->abreast);
}

static size_t PlexRunsPlaces(const PlexRuns *runs)
{
  return PlexRunsItems(runs) + sizeof(int) * (size_t)(runs->abreast * PLEX_RUNS_DEPTH);
}

static size_t PlexRunsBatchBytes(const PlexRuns *runs, PetscInt ef)
{
  return PlexRunsPlaces(runs) + PlexRunsLines((size_t)(runs->abreast * ef * PLEX_RUNS_DEPTH * runs->placeBytes));
}

/* Contribution `from` of the lists, -1: none, as contribution c of row r of a batch */
static void PlexRunsContribution(const PlexRuns *runs, const PlexRowLists *lists, PetscInt from, PetscInt ef,
                                 PetscInt r, PetscInt c, char batch[])
{
  int *item = (int *)(batch + PlexRunsItems(runs)) + r * PLEX_RUNS_DEPTH + c;

  *item = -1;
  if (from >= 0) {
    const int p = lists->items[from] / (int)ef, i = lists->items[from] % (int)ef;

    *item = (p / PLEX_RUN * (int)ef + i) * PLEX_RUN + p % PLEX_RUN;
  }
  for (PetscInt j = 0; j < ef; ++j) {
    const unsigned short place = from < 0 ? 0xffff : lists->place[(size_t)from * (size_t)ef + (size_t)j];
    const PetscInt       at    = (r * ef + j) * PLEX_RUNS_DEPTH + c;

    /* of 0xffff as well */
    if (runs->placeBytes == 1) ((unsigned char *)(batch + PlexRunsPlaces(runs)))[at] = (unsigned char)place;
    else ((unsigned short *)(batch + PlexRunsPlaces(runs)))[at] = place;
  }
}

/* Batches of the rows from `first` on that are summed side by side */
static PetscInt PlexRunsBatches(const PlexRuns *runs, const PlexRowLists *lists, PetscInt first)
{
  PetscInt most = 1;

  for (PetscInt k = first; k < PetscMin(lists->nrows, first + runs->abreast); ++k)
    most = PetscMax(most, (lists->start[k + 1] - lists->start[k] + PLEX_RUNS_DEPTH - 1) / PLEX_RUNS_DEPTH);
  return most;
}

/* Batch b of these; *sums: how many they have */
static void PlexRunsBatch(const PlexRuns *runs, const PlexRowLists *lists, PetscInt first, PetscInt b, PetscInt next,
                          PetscInt fresh, PetscInt ef, char batch[], PetscInt *sums)
{
  PlexRunsHead *head = (PlexRunsHead *)batch;
  PlexRunsRow  *rows = (PlexRunsRow *)(head + 1);

  *head = (PlexRunsHead){.next = (int)next};
  *sums = 0;
  for (PetscInt k = 0; k < runs->abreast; ++k) {
    const PetscInt row = first + k, begin = row < lists->nrows ? lists->start[row] + b * PLEX_RUNS_DEPTH : 0,
                   end = row < lists->nrows ? lists->start[row + 1] : 0;

    rows[k] = (PlexRunsRow){0, 0, 0};
    if (row < lists->nrows) {
      rows[k] = (PlexRunsRow){lists->ids[row], (unsigned short)*sums, (unsigned short)lists->length[row]};
      if (row >= fresh) head->onto |= 1 << k;
      *sums += lists->length[row];
    }
    for (PetscInt c = 0; c < PLEX_RUNS_DEPTH; ++c)
      PlexRunsContribution(runs, lists, begin + c < end ? begin + c : -1, ef, k, c, batch);
  }
}

PetscErrorCode PlexRunsPassCreate_Private(PlexAssembly asm_, PlexProduct *product, const PlexRuns *runs,
                                          const PlexBlocks *blocks, PetscInt first, PetscInt n,
                                          const PlexRunsPassRows *rows, PlexRunsPass *pass)
{
  const PetscInt    ef = asm_->elements->ef, warps = product->block / 32,
                    tasks = (rows->n + runs->abreast - 1) / runs->abreast;
  const size_t      one   = PlexRunsBatchBytes(runs, ef);
  PetscInt          total = tasks, used = tasks;
  PlexBackendLimits limits;
  PlexRowLists      lists;
  char             *batches;

  PetscFunctionBegin;
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  PetscCall(PlexRowListsCreate_Private(asm_, product, blocks, first, first + n, rows->n, rows->dofs, NULL, &lists));
  *pass        = (PlexRunsPass){.first = first};
  pass->blocks = PetscMin((n + warps - 1) / warps, PLEX_RUNS_RESIDENT * PetscMax(1, limits.multiprocessors));
  pass->grid   = (tasks + warps - 1) / warps;
  for (PetscInt t = 0; t < tasks; ++t) total += PlexRunsBatches(runs, &lists, t * runs->abreast) - 1;
  PetscCall(PetscCalloc1(one * (size_t)total, &batches));
  for (PetscInt t = 0; t < tasks; ++t) {
    const PetscInt nb = PlexRunsBatches(runs, &lists, t * runs->abreast), more = used;
    PetscInt       sums;

    for (PetscInt b = 0; b < nb; ++b)
      PlexRunsBatch(runs, &lists, t * runs->abreast, b, b < nb - 1 ? more + b : -1, rows->fresh, ef,
                    batches + one * (size_t)(b ? more + b - 1 : t), &sums);
    used += nb - 1;
    pass->rows.sums = PetscMax(pass->rows.sums, (int)sums);
  }
  PetscCall(PlexProductUpload(asm_, product, batches, one * (size_t)total, &pass->rows.batches));
  pass->rows.tasks      = (int)tasks;
  pass->device.records  = runs->records + runs->recordBytes * (size_t)first;
  pass->device.elements = blocks->device.elements ? blocks->device.elements + PLEX_RUN * first : NULL;
  pass->device.runs     = (int)n;
  pass->bytes           = (double)one * (double)total;
  PetscCall(PetscFree(batches));
  PetscCall(PlexRowListsDestroy_Private(&lists));
  PetscFunctionReturn(PETSC_SUCCESS);
}
