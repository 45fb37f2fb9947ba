/* What kernels of stored coefficients read and write: integrate/stored.h of the library. Elements are at positions, those of
   a run padded */
#ifndef PLEX_STORED_ARGS_H
#define PLEX_STORED_ARGS_H

/* Where entry k of n of the coefficients at point q of NP of the element at position p is */
#define PLEX_STORED_THREADS 0 /* ((p / 32 NP + q) n + k) 32 + p % 32 */
#define PLEX_STORED_TEAMS   1 /* (p n + k) NP + q */
#define PLEX_STORED_LINES   2 /* ((((p / E) Q + g / S) n + k) E + p % E) S + g % S, g the point's number in the grid */

typedef struct {
  void         *C;       /* in the precision of the element data */
  const int    *cells;   /* [positions][NV + 1] coordinate nodes, number of the element; -1: padding */
  const int    *dofs;    /* [positions][EF] local dofs, in the order of `place`; of THREADS interleaved by 32 */
  const int    *targets; /* likewise where they are in v and F; -1: nowhere, they are essential */
  const int    *place;   /* [EF] where an element dof is among these */
  const int    *point;   /* [NQ] number of a point in the grid, of LINES */
  const int    *from;    /* [n] which numbers of D an entry is, -1: none; then [n] those of its mirror image */
  const void   *tables;  /* of TEAMS: of each field [1 + dim][Nn][NQ], then [NQ][1 + dim][Nn] */
  const double *v;       /* [Nl], or a global vector */
  double       *F;       /* likewise */
  double        factor;  /* of each of the numbers that an entry sums */
} PlexStoredArgs;

#endif
