/* The plan of shared_nz and shared_row, as their kernels read it. One layout for host C and device C++.

   Block b owns a part of the mesh nodes, and works through the passes start[b] .. start[b+1]. A pass is the items that
   are in shared memory together. An item is an element, or a range of rows of its element data. */
#ifndef PLEX_SHARED_ARGS_H
#define PLEX_SHARED_ARGS_H

typedef struct {
  int element;
  int base;     /* where its data begins in shared memory */
  int first, n; /* rows of element data */
} PlexSharedItem;

/* The positions of a pass from `start` to that of the next list are summed into `target`; or into -target - 1, to which
   an earlier pass has written */
typedef struct {
  int target, start;
} PlexSharedList;

typedef struct {
  long long positions;   /* first in positions[] */
  int       item, items; /* first in items[], how many */
  int       list, lists; /* first in lists[]; one more follows, where the last one ends */
  int       row, rows;   /* shared_row: first in rows[]; one more follows likewise */
} PlexSharedPass;

typedef struct {
  const int            *ids;   /* [Ne][NV + EF] coordinate nodes and dofs of each element */
  const int            *start; /* [parts+1] passes */
  const PlexSharedPass *passes;
  const PlexSharedItem *items;
  const PlexSharedList *lists;
  const int            *positions; /* in shared memory */
  const int            *rows;      /* first list of a row, among those of its pass */
} PlexSharedArgs;

#endif
