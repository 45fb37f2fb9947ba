/* What the kernel of element matrices alone reads and writes. One layout for host C and device C++: passed by value. */
#ifndef PLEX_BATCH_ARGS_H
#define PLEX_BATCH_ARGS_H

typedef struct {
  /* [n][PLEX_NG] tensors of the elements, in the precision of the matrices; or NULL: from coordinates */
  const void   *G;
  void         *A;        /* [n][PLEX_ND] element matrices, row by row */
  const int    *vertices; /* [n][PLEX_NV] coordinate nodes; used where there is no G */
  const double *x;        /* coordinate nodes [PLEX_DIM] */
  int           n;        /* elements */
} PlexBatchArgs;

#endif
