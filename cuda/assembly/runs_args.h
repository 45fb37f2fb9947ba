/* Runs of 32 elements (cuda/assembly/runs.cuh), and the rows that are summed from them. One layout for host C and
   device C++. */
#ifndef PLEX_RUNS_ARGS_H
#define PLEX_RUNS_ARGS_H

/* Elements of a run */
#define PLEX_RUN 32

typedef struct {
  /* of each run, padded to a multiple of 16 bytes:
       int            number of nodes, number of dofs, 0, 0
       int            nodes[], dofs[]: those of the run, as many as the largest run has
       unsigned short [NV + EF][PLEX_RUN]: nodes and dofs of each element, as indices of these; first 0xffff: padding */
  const char *records;
  const int  *elements; /* [runs][PLEX_RUN] which element; where it is needed */
  int         runs;
} PlexRunsArgs;

/* Contributions to a row that a chunk has. A contribution is a row of an element matrix */
#define PLEX_RUNS_CONTRIBUTIONS 8

/*
  A warp sums the rows of a task, EF threads a row. Their contributions are in one or more chunks, each the next of the
  one before. A chunk has, each part at a multiple of 16 bytes:

    PlexRunsHead, PlexRunsRow[rows]
    int      item[rows][PLEX_RUNS_CONTRIBUTIONS]: (run * EF + i) * PLEX_RUN + element, with i the row of the element
             matrix; -1: none
    offset[rows][EF][PLEX_RUNS_CONTRIBUTIONS], of 1 or 2 bytes: where each entry is added in its row of the matrix; all
             ones: nowhere, as its dof is constrained
*/
typedef struct {
  int next;       /* next chunk of the task, or -1 */
  int accumulate; /* bit r: row r is added to the values of the matrix */
} PlexRunsHead;
typedef struct {
  int            id;    /* first target */
  unsigned short first; /* of its sums, among those of the warp */
  unsigned short length;
} PlexRunsRow;

typedef struct {
  const char *chunks; /* first those of all tasks that come first */
  int         tasks;  /* number of them */
  int         sums;   /* of a task, most */
} PlexRunsRowsArgs;

#endif
