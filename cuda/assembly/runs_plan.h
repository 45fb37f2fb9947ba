/* The plan of global_row where a warp computes a run of elements, in steps, which src/assembly/impls/global/runs.c runs:
   records of runs, and batches of rows (runs_args.h) */
#ifndef PLEX_RUNS_PLAN_H
#define PLEX_RUNS_PLAN_H

#include "plan/rows.h"
#include "assembly/runs_args.h"

typedef struct {
  PlexPlanRows rows;

  /* ---- Runs: blocks of PLEX_RUN positions */
  int                   recordBytes, nodeRoom, dofRoom;
  const int            *nodeStart, *nodes, *dofStart, *dofs;
  const unsigned short *numbers;
  char                 *records;

  /* ---- Rows of a pass */
  int   abreast, placeBytes, itemsAt, placesAt, batchBytes;
  int   tasks, fresh; /* rows from that one on are added to what is there */
  int  *batchTo;      /* [tasks+1] batches behind the first ones of the tasks before */
  int  *sums;         /* [1] of a task, most */
  char *batches;
} PlexRunsPlan;

/* Item of a run */
PLEX_STEP(plex_runs_record, PlexRunsPlan)
{
  const int       K = p->rows.cut.Nv + p->rows.cut.ef, nodes = p->nodeStart[i + 1] - p->nodeStart[i];
  const int       dofs    = p->dofStart[i + 1] - p->dofStart[i];
  int            *head    = (int *)(p->records + i * p->recordBytes);
  unsigned short *numbers = (unsigned short *)(head + 4 + p->nodeRoom + p->dofRoom);

  head[0] = nodes;
  head[1] = dofs;
  for (int k = 0; k < nodes; ++k) head[4 + k] = p->nodes[p->nodeStart[i] + k];
  for (int k = 0; k < dofs; ++k) head[4 + p->nodeRoom + k] = p->dofs[p->dofStart[i] + k];
  for (int k = 0; k < PLEX_RUN * K; ++k) numbers[k] = p->numbers[i * PLEX_RUN * K + k];
}

/* Item of a task */
PLEX_STEP(plex_runs_count, PlexRunsPlan)
{
  const int first = (int)i * p->abreast;
  int       sums  = 0;

  for (int r = first; r < first + p->abreast && r < p->rows.cut.rows; ++r) {
    const int n = (p->rows.start[r + 1] - p->rows.start[r] - 1) / PLEX_RUNS_DEPTH;

    if (n > p->batchTo[i]) p->batchTo[i] = n;
    sums += p->rows.lengths[r];
  }
  plex_raise(p->sums, sums);
}

/* Contribution c of row r, or c = -1 for none, as contribution k of row `at` of a batch */
PLEX_PLAN void plex_runs_contribution(const PlexRunsPlan *p, int c, int at, int k, char *batch)
{
  const int ef = p->rows.cut.ef;

  ((int *)(batch + p->itemsAt))[at * PLEX_RUNS_DEPTH + k] = -1;
  if (c >= 0) {
    const int position = p->rows.items[c] / ef, row = p->rows.items[c] % ef;

    ((int *)(batch + p->itemsAt))[at * PLEX_RUNS_DEPTH + k] = (position / PLEX_RUN * ef + row) * PLEX_RUN +
                                                              position % PLEX_RUN;
  }
  for (int j = 0; j < ef; ++j) {
    const int place = c < 0 ? 0xffff : p->rows.place[(plex_index)c * ef + j], to = (at * ef + j) * PLEX_RUNS_DEPTH + k;

    /* of 0xffff as well */
    if (p->placeBytes == 1) ((unsigned char *)(batch + p->placesAt))[to] = (unsigned char)place;
    else ((unsigned short *)(batch + p->placesAt))[to] = (unsigned short)place;
  }
}

/* Item of a task: its batches */
PLEX_STEP(plex_runs_batches, PlexRunsPlan)
{
  const int more = p->batchTo[i + 1] - p->batchTo[i], first = (int)i * p->abreast;

  for (int b = 0; b <= more; ++b) {
    char         *batch = p->batches + (plex_index)(b ? p->tasks + p->batchTo[i] + b - 1 : (int)i) * p->batchBytes;
    PlexRunsHead *head  = (PlexRunsHead *)batch;
    PlexRunsRow  *rows  = (PlexRunsRow *)(head + 1);
    int           sums  = 0;

    head->next = b < more ? p->tasks + p->batchTo[i] + b : -1;
    for (int at = 0; at < p->abreast; ++at) {
      const int r = first + at, is = r < p->rows.cut.rows, c = is ? p->rows.start[r] + b * PLEX_RUNS_DEPTH : 0;
      const int end = is ? p->rows.start[r + 1] : 0;

      if (is) {
        rows[at].id     = p->rows.ids[r];
        rows[at].first  = (unsigned short)sums;
        rows[at].length = (unsigned short)p->rows.lengths[r];
        if (r >= p->fresh) head->onto |= 1 << at;
        sums += p->rows.lengths[r];
      }
      for (int k = 0; k < PLEX_RUNS_DEPTH; ++k) plex_runs_contribution(p, c + k < end ? c + k : -1, at, k, batch);
    }
  }
}

#endif
