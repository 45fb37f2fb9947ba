/* shared_nz by pairs of nodes: cuda/assembly/shared_nz_pairs.cu has the idea, of matrices of hexahedra too; of several components and by gradients, shared_nz_gradients.cu */
#pragma once

#include <plexgpu/impl.h>
#include <plex_args.h>
#include <assembly/pairs_args.h>
#include "../../integrate/lines.h"

/* What is kept of an element */
typedef enum {
  PLEX_PAIRS_NONE,      /* this way does not serve */
  PLEX_PAIRS_NUMBERS,   /* those of order 1, of a scalar form by tensors */
  PLEX_PAIRS_GRADIENTS, /* those of its barycentric coordinates; pairs are of nodes, and of all their components */
  PLEX_PAIRS_MATRIX     /* its matrix off the diagonal, of trilinear hexahedra by quadrature: cuda/integrate/trilinear.cuh */
} PlexPairsKept;

#define PLEX_PAIR_DOFS              40   /* dofs an element, most */
#define PLEX_PAIR_KINDS             96   /* kinds of pairs, most: each is compiled */
#define PLEX_PAIR_NUMBERS           10   /* numbers of an element, most */
#define PLEX_PAIR_TERMS             7    /* of a kind, most */
#define PLEX_PAIR_GRADIENT_NODES    10   /* nodes an element, most, of pairs by gradients: a lane sums dim^2 numbers of each */
#define PLEX_PAIR_GRADIENT_KINDS    16   /* and kinds */
#define PLEX_PAIR_COMPONENTS        3    /* and components */
#define PLEX_PAIR_STRIDE            1023 /* and places from a row to the next one, see PlexPairsArgs */
#define PLEX_PAIR_NONE              0xffff
#define PLEX_PAIR_ROUNDING          1e-11                  /* of the largest of a kind's numbers: less is zero, and as near to 1 is 1 */
#define PLEX_PAIR_ELEMENT_BITS(dim) ((dim) == 2 ? 13 : 11) /* of an item's 16: the others are for 6 or 24 symmetries */

/* A kind of pairs (i, j) of an element's dofs: A_ij = factor sum_t coefficient[t] Gamma_number[t], the element read as a symmetry says. By gradients of its
   nodes: int grad phi_i (x) grad phi_j = factor sum_ab C[a][b] |J| grad lambda_a (x) grad lambda_b. Of matrices (i, j) is one of the numbers, entry[], and (i, i)
   less the sum of those of row i, which is read as symmetry i */
typedef struct {
  PetscInt  terms, number[PLEX_PAIR_NUMBERS];
  PetscReal factor, coefficient[PLEX_PAIR_NUMBERS]; /* the first one is 1 */
  PetscReal C[16];                                  /* by gradients, [vertices][vertices]; the first that is not zero is 1 */
} PlexPairKind;

typedef struct {
  PlexPairsKept  kept;
  PetscBool      rowSums;                           /* a diagonal entry is what makes its row's sum zero, where all entries of the row are there */
  PetscInt       numbers, of[PLEX_PAIR_NUMBERS][2]; /* of an element: Gamma_ab, a <= b; by gradients their number alone */
  PetscInt       kinds, symmetries;
  PlexPairKind   kind[PLEX_PAIR_KINDS];
  unsigned char *kindOf, *symmetryOf; /* [ef][ef] or [Nn][Nn] of a pair; PLEX_PAIR_KINDS: its entry is zero */
  unsigned char *reversed;            /* [Nn][Nn] by gradients: it is (j, i) that is of this kind and symmetry, and (i, j) is of none */
  unsigned char *entry;               /* [ef][ef] of a matrix the number that is an entry */
  unsigned char *turned;              /* [symmetries][numbers] the number that one becomes */
  unsigned char *composed;            /* [symmetries][symmetries] one behind the other */
  PetscBool      reflects[24];        /* [symmetries] |J| has the other sign then */
  unsigned char  symmetry[256];       /* that takes vertex v to the one in bits 2 v and 2 v + 1 */
  PetscInt       nturns;              /* a multiple of 4 */
  unsigned      *turns;               /* [nturns] as the kernel reads them */
} PlexPairKinds;

/* A coefficient without the rounding that keeps it from 1 or -1, which are no factors to the compiler */
static inline PetscReal PlexPairWhole(PetscReal c)
{
  return PetscAbsReal(PetscAbsReal(c) - 1.) < PLEX_PAIR_ROUNDING ? (c < 0. ? -1. : 1.) : c;
}

/* Words of a kind's turns; of one term there are none, as its items are numbers */
static inline PetscInt PlexPairTurnWords(const PlexPairKinds *p, const PlexPairKind *kind)
{
  return kind->terms > 1 ? p->symmetries * ((kind->terms + 1) / 2) : 0;
}

typedef struct {
  PlexPairsKept kept;
  PetscBool     rowSums;
  PetscInt      nblocks;
  PetscInt      kinds, numbers;
  size_t        shared;                                             /* bytes of shared memory a block, but for turns */
  double        elements, nodes, rows, pairs, items, groups, lines; /* of all blocks; lines of 16 bytes of coordinates */
  double        turns[2];                                           /* in which lanes read numbers, and coordinates, that could do so at once */

  PlexPairsArgs    device;
  PlexLineTables   tables; /* of hexahedra */
  PlexKernel       gather;
  PetscBool        gathered; /* the coordinates, of the state */
  PetscObjectState coordinateState;
} PlexPairs;

PETSC_INTERN PetscErrorCode PlexPairKindsCreate_Private(PlexAssembly, PlexProduct *, PlexPairKinds *, PetscBool *serves);
PETSC_INTERN PetscErrorCode PlexPairKindsCreateGradients_Private(PlexAssembly, PlexProduct *, PlexPairKinds *, PetscBool *serves);
PETSC_INTERN PetscErrorCode PlexPairKindsCreateMatrix_Private(PlexAssembly, const PlexLineTables *, PlexPairKinds *);
PETSC_INTERN PetscErrorCode PlexPairKindsDestroy_Private(PlexPairKinds *);
/* Their tables of symmetries of a cell with n vertices: vertices[symmetries][n] that vertices are taken to */
PETSC_INTERN PetscErrorCode PlexPairKindsCompose_Private(PlexPairKinds *, PetscInt n, const int vertices[]);
/* P[dim][n] with G = P Gamma P^T, from the gradients of a simplex's n barycentric coordinates on the reference cell, D[n][dim] */
PETSC_INTERN void PlexPairInverse_Private(PetscInt dim, PetscInt n, const PetscReal D[], PetscReal P[]);
/* Blocks of at most so many bytes of shared memory but for turns, and at least so many of them; *serves false: a mesh node has no room */
PETSC_INTERN PetscErrorCode PlexPairsFill_Private(PlexAssembly, const PlexPairKinds *, size_t budget, PetscInt least, PlexPairs *, PetscBool *serves);

/* What it would keep of an element of a Jacobian as it is integrated */
PETSC_INTERN PetscErrorCode PlexPairsServe_Private(PlexAssembly, PlexProduct *, PlexPairsKept *);
/* The plan with its kernel compiled; *serves false: nothing is done */
PETSC_INTERN PetscErrorCode PlexPairsCreate_Private(PlexAssembly, PlexProduct *, PetscBool *serves, PlexPairs *);
PETSC_INTERN PetscErrorCode PlexPairsLaunch_Private(PlexAssembly, PlexProduct *, PlexPairs *, PlexKernel, const void *args);
PETSC_INTERN PetscErrorCode PlexPairsDestroy_Private(PlexAssembly, PlexPairs *);
PETSC_INTERN PetscErrorCode PlexPairsView_Private(const PlexPairs *, PetscInt Ne, PetscViewer);
