/* The plan of shared_nz and shared_row, as their kernels read it. One layout for host C and device C++.

   Block b works through the passes start[b] .. start[b+1] of its part. A pass fills shared memory with items; an item is an element,
   or a run of rows of its element data. Item k's region of shared memory holds its nodal data first (coordinates [NV][dim], u [EF],
   u_t [EF]) and then its element data. Packed arrays are column-major with a row a thread (Cecka, figures 6 and 9); those of a pass
   follow each other: scatter of coordinates, scatter of dofs, then for shared_nz the two reductions. */
#ifndef PLEX_SHARED_ARGS_H
#define PLEX_SHARED_ARGS_H

typedef struct {
  long long entries;     /* first of the pass in entries[] */
  long long lists;       /* first of the pass in lists[] */
  int       item, items; /* first in items[] and elements[], how many */
  int       coordinates; /* packed entries a thread: scatter of coordinate nodes, */
  int       dofs;        /* of local dofs, */
  int       store;       /* reduction into targets that the block has not written yet, */
  int       add;         /* into targets that it has */
  int       slice, slices;
} PlexSharedPass;

/* Rows that a warp sums side by side: 32 / PLEX_LANES */
typedef struct {
  int start;   /* in the pass's lists */
  int sources; /* rows of items that the longest of them sums */
} PlexSharedSlice;

typedef struct {
  const int             *start; /* [parts+1] passes */
  const PlexSharedPass  *passes;
  const int             *items;    /* [items][2] where the region begins, first row + 65536 * rows; where items are runs of rows */
  const int             *elements; /* [items] which element; where it is needed */
  const int             *entries;  /* packed arrays */
  const unsigned short  *lists;    /* shared_row, see shared_row.cu */
  const PlexSharedSlice *slices;
  const int             *rows;     /* [slices][32 / PLEX_LANES] where the row's sums begin: in shared memory or the matrix; -1: padding */
  const int             *outStart; /* [parts+1] */
  const int             *out;      /* [][3] first target of an owned row, its sums in shared memory, their number */
} PlexSharedArgs;

#endif
