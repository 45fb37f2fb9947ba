/* Elements in runs of 32, one run of a warp after the other (cuda/assembly/runs.cuh), and the rows that are summed from
   them. One layout for host C and device C++. */
#ifndef PLEX_RUNS_ARGS_H
#define PLEX_RUNS_ARGS_H

/* Elements of a run */
#define PLEX_RUN 32

typedef struct {
  /* [runs][bytes], in lines of 16 bytes. int nodes, dofs, 0, 0; the nodes, the local dofs, as many as the largest run
     has; of each element its numbers among these, unsigned short [NV + EF][PLEX_RUN]; 0xffff in the first: padding */
  const char *records;
  const int  *elements; /* [runs][PLEX_RUN] which element; where it is needed */
  int         runs;
} PlexRunsArgs;

/* Contributions to a row that are summed at a time */
#define PLEX_RUNS_DEPTH 8

/* A warp sums some rows side by side, of EF threads each. What it reads are batches, one or, of rows with more
   contributions, several that lead to each other: one PlexRunsHead, the rows; of each row PLEX_RUNS_DEPTH items, int
   (run * EF + i) * PLEX_RUN + element, which is row i of an element matrix, -1: none; of each thread as many places in
   its row, of 1 or 2 bytes, of the entry that it adds: all ones: none, that dof is constrained. All these begin at
   multiples of 16 bytes */
typedef struct {
  int next; /* batch of the same rows, or -1 */
  int onto; /* rows, a bit each, that are added to what is there */
} PlexRunsHead;
typedef struct {
  int            id;    /* first target */
  unsigned short first; /* sum of the warp's that is the row's first */
  unsigned short length;
} PlexRunsRow;

typedef struct {
  const char *batches; /* first those that rows begin with */
  int         tasks;   /* as many */
  int         sums;    /* of a warp, most */
} PlexRunsRowsArgs;

#endif
