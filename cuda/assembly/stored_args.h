/* What kernels of stored coefficients read and write: integrate/stored.h of the library. Elements are at positions, those of
   a run padded */
#ifndef PLEX_STORED_ARGS_H
#define PLEX_STORED_ARGS_H

/* Where number k of n that are kept of point q of NP of the element at position p is */
#define PLEX_STORED_THREADS 0 /* ((p / 32 NP + q) n + k) 32 + p % 32 */
#define PLEX_STORED_TEAMS   1 /* (p n + k) NP + q */
#define PLEX_STORED_LINES   2 /* ((((p / E) Q + g / S) n + k) E + p % E) S + g % S, g the point's number in the grid */
#define PLEX_STORED_BLOCKS  3 /* likewise, E = 16, S = 4, Q = NP / 4 rounded up; of one C an element S = Q = 1 */

typedef struct {
  void       *C;       /* in the precision of the element data */
  const int  *cells;   /* [positions][NV + 1] coordinate nodes, number of the element; -1: padding */
  const int  *dofs;    /* [positions][EF] local dofs, in the order of `place`; of THREADS interleaved by 32 */
  const int  *targets; /* likewise where they are in v and F; -1: nowhere, they are essential */
  const int  *place;   /* [EF] where an element dof is among these */
  const int  *point;   /* [NQ] number of a point in the grid, of LINES */
  const int  *from;    /* [entries] which number at a point an entry is, -1: none; then those of their mirror images */
  const void *tables;  /* of TEAMS: of each field [1 + dim][Nn][NQ], then [NQ][1 + dim][Nn]; of BLOCKS: right factors */
  const double *v;     /* [Nl], or a global vector */
  double       *F;     /* likewise */
  double        factor; /* of each of the numbers that an entry sums, or of w |J| */
  /* of BLOCKS. The dofs of a block are in slices of 32, those that no other block has first, and then by how many of its
     elements have them */
  int        places; /* for dofs of a block in shared memory: in place 0 is 0, and the first dof is in place 2 */
  int        terms;  /* of lists of a block, most */
  int        zero;   /* F is zero: dofs that no other block has are stored, not added */
  const int *starts; /* [blocks + 1][2] slices, terms */
  const int *rows;   /* [slices][32] where a dof is in v and F, -1: nowhere */
  const int *slices; /* [slices][2] where its lists begin, terms of each * 2 + whether other blocks have dofs of it */
  const unsigned short *lists; /* [terms][32] of each slice: numbers in the block's element vectors */
  const unsigned *words; /* [positions / 16][words][32] numbers of two elements' dofs in the block, low and high half */
} PlexStoredArgs;

#endif
