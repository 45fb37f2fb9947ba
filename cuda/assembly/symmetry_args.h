/* The plan of local_row by symmetry classes, as its kernels read it (local_row_symmetry.cu), and what it is made from.
   One layout for host C and device C++. */
#ifndef PLEX_SYMMETRY_ARGS_H
#define PLEX_SYMMETRY_ARGS_H

#define PLEX_SYMMETRY_HEAD 96 /* words of a task's head */

#define PLEX_CLASSES_MOST      12 /* classes, each compiled: rows of element data that a kernel holds */
#define PLEX_CLASSES_DOFS      40 /* dofs an element, most, */
#define PLEX_CLASSES_NODES     27 /* coordinate nodes, */
#define PLEX_CLASSES_ROTATIONS 24 /* and rotations of its cell */

/* Symmetry classes of an element's dofs: those that rotations of the cell take to each other */
typedef struct {
  int n, nrotations;

  int           first[PLEX_CLASSES_MOST]; /* dof that a class's rows are computed as */
  unsigned char of[PLEX_CLASSES_DOFS];    /* class of a dof */
  /* that a rotation takes dofs and coordinate nodes to */
  unsigned char dofs[PLEX_CLASSES_ROTATIONS][PLEX_CLASSES_DOFS], nodes[PLEX_CLASSES_ROTATIONS][PLEX_CLASSES_NODES];
  /* the rotations that make a dof its class's first, so many */
  unsigned char candidates[PLEX_CLASSES_DOFS][PLEX_CLASSES_ROTATIONS], ncandidates[PLEX_CLASSES_DOFS];
  int           fixed[PLEX_CLASSES_MOST]; /* coordinate nodes that all elements around a dof of the class share: bits */
} PlexDofClasses;

/* A record: items of so many bits each, none of which goes on in another word */
typedef struct {
  int bits, n;
  int at[PLEX_CLASSES_DOFS]; /* first bit of each */
} PlexRecordItems;
typedef struct {
  PlexRecordItems nodes, dofs, places;
  int             words;
} PlexRecord;

/* First coordinate node, dof and task of a block */
typedef struct {
  int node, dof, task;
} PlexSymmetryBlock;

/* First line of 16 bytes of the nodal data of block b, whose lists begin at *block */
#define PLEX_SYMMETRY_LINE(real, cdim, block, b) \
  ((long long)(real) * ((long long)(cdim) * (block)->node + 2LL * (block)->dof) / 16 + (b))
/* Bytes of n nodes and m dofs, in whole lines */
#define PLEX_SYMMETRY_BYTES(real, cdim, n, m) (((real) * ((cdim) * (n) + 2 * (m)) + 15) / 16 * 16)

typedef struct {
  const PlexSymmetryBlock *blocks;       /* [blocks+1] */
  const int               *nodes, *dofs; /* coordinate nodes and local dofs of all blocks */
  /* nodal data of each block, in lines of 16 bytes: of its nodes x and y, then z, of its dofs the solution, then its
     time derivative */
  char *places;
  /* [tasks][3][32], what a warp sums at a time. First group of records, segments, groups, longest row, columns as a
     power of two, parts of a row, 0, 0, and of each segment groups << 5 | class; of each lane the first target; of each
     lane its targets (0: no row, or another thread's) << 16 | column of sums << 8 | part of a row */
  const int      *tasks;
  const unsigned *records; /* [groups][words][32] */
} PlexSymmetryArgs;

#endif
