/* The plan of shared_nz and shared_row, as their kernels read it. One layout for host C and device C++.

   Block b owns a part of the mesh nodes, and computes the passes start[b] to start[b + 1] - 1. A pass is the items that
   are in shared memory at the same time. An item is an element, or a range of rows of its element data. */
#ifndef PLEX_SHARED_ARGS_H
#define PLEX_SHARED_ARGS_H

typedef struct {
  int element;
  int base;     /* position of its data in shared memory */
  int first, n; /* first row of element data, number of rows */
} PlexSharedItem;

/* target = sum of the shared memory at positions[start] to positions[start' - 1], with start' that of the next list of
   the pass. A negative one stands for target -target - 1, which an earlier pass has written: the sum is added to it */
typedef struct {
  int target, start;
} PlexSharedList;

typedef struct {
  long long positions;   /* first in positions[] */
  int       item, items; /* first in items[], how many */
  int       list, lists; /* first in lists[], how many; one more has the end of the last one */
  int       row, rows;   /* shared_row: first in rows[], how many; one more has the end of the last one */
} PlexSharedPass;

typedef struct {
  const int            *ids;   /* [Ne][NV + EF] coordinate nodes and dofs of each element */
  const int            *start; /* [parts+1] passes */
  const PlexSharedPass *passes;
  const PlexSharedItem *items;
  const PlexSharedList *lists;
  const int            *positions; /* in shared memory */
  const int            *rows;      /* of each row of a pass: its first list, counted from the pass's first */
} PlexSharedArgs;

#endif
