/* The plan of local_row by sum factorization, as its kernel reads it (local_row_lines.cu). One layout for host C and
   device C++. */
#ifndef PLEX_LINES_ARGS_H
#define PLEX_LINES_ARGS_H

typedef struct {
  int node, nodes;       /* its coordinate nodes: first in nodes[], how many */
  int dof, dofs;         /* its local dofs, where the solution is read: first in dofs[], how many */
  int element, elements; /* first in conn[], how many */
  int warp, warps;       /* first in warps[], how many */
} PlexLinesBlock;

/* Rows that a warp sums at a time */
typedef struct {
  int group, groups; /* of records: first, how many */
  int longest;       /* row */
  int columns;       /* of sums, as a power of two */
  int parts;         /* threads of a row */
} PlexLinesWarp;

typedef struct {
  const PlexLinesBlock *blocks;
  const int            *nodes, *dofs; /* of all blocks */
  /* interleaved by 32 [elements of all blocks][Nv, and ef where the solution is read]: numbers in the block */
  const unsigned short *conn;
  const PlexLinesWarp  *warps;
  /* [warps][3][32]: first target, targets (0: no row, or another thread's), column of sums << 8 | part of a row */
  const int      *rows;
  const unsigned *records; /* [groups][words][32] */
} PlexLinesArgs;

/* What is the same in all blocks, as the plan reads it */
typedef struct {
  int            sums;     /* numbers that a warp sums in; */
  int            chunk;    /* of a column of these that are written at a time */
  int            words;    /* of a record, */
  int            places;   /* with so many bits of a place */
  int            k;        /* numbers of an element in conn[] */
  unsigned char  dof[64];  /* of node k along the lines the element's dof; */
  unsigned short head[64]; /* of the element's dof: what its records begin with besides the element */
} PlexLinesLayout;

#endif
