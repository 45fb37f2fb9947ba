/* local_row where elements can be turned: cuda/assembly/local_row_orbits.cu has the idea */
#pragma once

#include "../common/blocks.h"

typedef struct {
  PetscInt       nblocks, nwarps, norbits;
  PetscInt       words;      /* of a record */
  PetscInt       windows;    /* of the matrix, one after the other */
  PetscInt       pieces;     /* of a row, summed one by one */
  PetscInt       components; /* of a node, whose rows a thread sums together */
  PetscInt       sums;       /* numbers that a warp sums in, most */
  size_t         groups;     /* of 32 records */
  size_t         shared;     /* bytes of shared memory a block */
  double         rows, contributions, chains;
  double         nodes;    /* read by all blocks together */
  PetscBool      solution; /* nodal data has it */
  PlexOrbitsArgs device;

  PlexKernel       gather;
  PetscBool        gathered; /* nodal data has coordinates, of the state */
  PetscObjectState coordinateState;
} PlexOrbits;

#define PLEX_ORBITS_MOST 12 /* orbits, each compiled: rows of element data that a kernel holds */
#define PLEX_ORBITS_DOFS 40 /* dofs an element, most */

typedef struct {
  PetscInt n;                       /* orbits */
  PetscInt first[PLEX_ORBITS_MOST]; /* dof that an orbit's rows are computed as */
  int     *orbit;                   /* [ef] of a dof */
  PetscInt nturns;                  /* rotations */
  int     *dofs, *vertices;         /* of the rotations */
  int     *candidates;              /* [ef][nturns] the rotations that make a dof its orbit's first, */
  int     *ncandidates;             /* [ef] so many */
  unsigned fixed[PLEX_ORBITS_MOST]; /* coordinate nodes that all elements around a dof of the orbit share, as bits */

  PetscBool linked[PLEX_ORBITS_MOST];                     /* whether one element can follow another so that */
  int       nodesFrom[PLEX_ORBITS_MOST][8];               /* coordinate node v is what node nodesFrom[v] was before (-1: one that was not), and */
  int       dofsFrom[PLEX_ORBITS_MOST][PLEX_ORBITS_DOFS]; /* dof j what dof dofsFrom[j] was */
} PlexTurns;

/* States of a chain by their keys */
typedef struct {
  int *heads, *others; /* [mask+1] first state whose key has these last digits; [states] the next one with the same, or -1 */
} PlexChainTable;

/* Contributions to a row, ordered so that one follows another where it can */
typedef struct {
  PetscInt  most;            /* contributions of a row */
  int      *element, *dof;   /* [most] in: of a contribution, its element and the row's dof in that */
  int      *order, *turn;    /* [most] out: contributions in order, and their rotations */
  char     *first;           /* [most] out: whether one does not follow the one before */
  char     *taken;           /* [most] */
  int      *start;           /* [most+1] of a contribution, its states: the ways to turn it */
  int      *of, *stateTurn;  /* of a state, its contribution and rotation, */
  int      *next, *previous; /* what follows it and what it follows, -1: nothing, -2: not looked for, */
  uint64_t *in, *out;        /* and numbers that are the same where one follows another; */
  PetscBool still;           /* both are the same numbers, as what is shared stays in its place */
  PetscInt  mask;            /* one less than a power of two */

  PlexChainTable byIn, byOut;
} PlexChain;

PETSC_INTERN PetscErrorCode PlexChainCreate_Private(PetscInt most, PetscInt nturns, PlexChain *);
PETSC_INTERN PetscErrorCode PlexChainOrder_Private(PlexElements, PlexTurns *, PetscInt o, PetscInt n, PlexChain *);
PETSC_INTERN PetscErrorCode PlexChainDestroy_Private(PlexChain *);

PETSC_INTERN PetscErrorCode PlexTurnsCreate_Private(PlexAssembly, PlexProduct *, PlexTurns *);
PETSC_INTERN PetscErrorCode PlexTurnsDestroy_Private(PlexTurns *);
/* Whether what plans have in common is kept from now on, as while tuning makes many of them; false frees it */
PETSC_EXTERN PetscErrorCode PlexOrbitsKeep_Private(PlexAssembly, PetscBool keep);
/* Whether the rows of a product are such that a kernel may know each orbit's; that its elements can be turned is another matter */
PETSC_INTERN PetscBool PlexOrbitsServe_Private(PlexAssembly, PlexProduct *);
/* Whether this way serves a Jacobian, and the plan of it with its kernel compiled; *serves false: nothing is done */
PETSC_INTERN PetscErrorCode PlexOrbitsCreate_Private(PlexAssembly, PlexProduct *, PetscBool *serves, PlexOrbits *);
PETSC_INTERN PetscErrorCode PlexOrbitsLaunch_Private(PlexAssembly, PlexProduct *, PlexOrbits *, PlexKernel, const void *args);
PETSC_INTERN PetscErrorCode PlexOrbitsDestroy_Private(PlexAssembly, PlexOrbits *);

#define PLEX_WINDOWS_NUMBERED 1024 /* coordinate nodes of a block where rows are written in windows: they are less close, and still numbered in 10 bits */
/* Mesh nodes order[Nnodes] of a curve brought into windows of the matrix, where that moves fewer bytes: numbered, most coordinate nodes of a block,
   which may become more; touching: the elements of each dof; dofsOf: the dofs of each mesh node; solution: nodal data has it */
PETSC_INTERN PetscErrorCode PlexWindowsOrder_Private(PlexAssembly, const PlexLists *touching, const PlexLists *dofsOf, PetscBool solution, PetscInt *numbered, int order[], PetscInt *windows);
