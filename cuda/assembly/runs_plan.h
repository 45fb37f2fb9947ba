/* The plan of global_row where a warp computes a run of elements, in steps, which src/assembly/impls/global/runs.c
   runs: records of runs, and chunks of rows (runs_args.h) */
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
  int   taskRows, offsetBytes, itemsAt, offsetsAt, chunkBytes;
  int   tasks, fresh; /* rows from `fresh` on are added to the values of the matrix */
  int  *chunkTo;      /* [tasks+1] chunks of the tasks before, without the first ones */
  int  *sums;         /* [1] of a task, most */
  char *chunks;
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
  const int first = (int)i * p->taskRows;
  int       sums  = 0;

  for (int r = first; r < first + p->taskRows && r < p->rows.cut.rows; ++r) {
    const int n = (p->rows.start[r + 1] - p->rows.start[r] - 1) / PLEX_RUNS_CONTRIBUTIONS;

    if (n > p->chunkTo[i]) p->chunkTo[i] = n;
    sums += p->rows.lengths[r];
  }
  plex_raise(p->sums, sums);
}

/* Writes contribution c, or none if c = -1, as contribution k of row `at` of a chunk */
PLEX_HOST_DEVICE void plex_runs_contribution(const PlexRunsPlan *p, int c, int at, int k, char *chunk)
{
  const int ef = p->rows.cut.ef;

  ((int *)(chunk + p->itemsAt))[at * PLEX_RUNS_CONTRIBUTIONS + k] = -1;
  if (c >= 0) {
    const int position = p->rows.items[c] / ef, row = p->rows.items[c] % ef;

    ((int *)(chunk + p->itemsAt))[at * PLEX_RUNS_CONTRIBUTIONS + k] = (position / PLEX_RUN * ef + row) * PLEX_RUN +
                                                                      position % PLEX_RUN;
  }
  for (int j = 0; j < ef; ++j) {
    const int offset = c < 0 ? 0xffff : p->rows.place[(plex_index)c * ef + j],
              to     = (at * ef + j) * PLEX_RUNS_CONTRIBUTIONS + k;

    /* 0xffff becomes 0xff */
    if (p->offsetBytes == 1) ((unsigned char *)(chunk + p->offsetsAt))[to] = (unsigned char)offset;
    else ((unsigned short *)(chunk + p->offsetsAt))[to] = (unsigned short)offset;
  }
}

/* Item of a task: its chunks */
PLEX_STEP(plex_runs_chunks, PlexRunsPlan)
{
  const int more = p->chunkTo[i + 1] - p->chunkTo[i], first = (int)i * p->taskRows;

  for (int b = 0; b <= more; ++b) {
    char         *chunk = p->chunks + (plex_index)(b ? p->tasks + p->chunkTo[i] + b - 1 : (int)i) * p->chunkBytes;
    PlexRunsHead *head  = (PlexRunsHead *)chunk;
    PlexRunsRow  *rows  = (PlexRunsRow *)(head + 1);
    int           sums  = 0;

    head->next = b < more ? p->tasks + p->chunkTo[i] + b : -1;
    for (int at = 0; at < p->taskRows; ++at) {
      const int r = first + at, is = r < p->rows.cut.rows, c = is ? p->rows.start[r] + b * PLEX_RUNS_CONTRIBUTIONS : 0;
      const int end = is ? p->rows.start[r + 1] : 0;

      if (is) {
        rows[at].id     = p->rows.ids[r];
        rows[at].first  = (unsigned short)sums;
        rows[at].length = (unsigned short)p->rows.lengths[r];
        if (r >= p->fresh) head->accumulate |= 1 << at;
        sums += p->rows.lengths[r];
      }
      for (int k = 0; k < PLEX_RUNS_CONTRIBUTIONS; ++k)
        plex_runs_contribution(p, c + k < end ? c + k : -1, at, k, chunk);
    }
  }
}

#endif
