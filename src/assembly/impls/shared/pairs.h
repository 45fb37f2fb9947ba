/* shared_nz by pairs of nodes: cuda/assembly/shared_nz_pairs.cu has the idea, of matrices of hexahedra too; of several
   components and by gradients, shared_nz_gradients.cu; of all dofs of a point of the mesh at once,
   shared_nz_points.cu */
#pragma once

#include <plexgpu/private/assemblyimpl.h>
#include <plex_args.h>
#include <assembly/pairs_args.h>
#include <assembly/pairs_sizes.h>
#include "../../integrate/lines.h"

/* What is kept of an element */
typedef enum {
  PLEX_PAIRS_NONE,      /* this way does not serve */
  PLEX_PAIRS_NUMBERS,   /* those of order 1, of a scalar form by tensors */
  PLEX_PAIRS_POINTS,    /* the same; pairs are of DMPlex points, and of all their dofs */
  PLEX_PAIRS_GRADIENTS, /* those of its barycentric coordinates; pairs are of nodes, and of all their components */
  /* its matrix off the diagonal, of trilinear hexahedra by quadrature: cuda/integrate/trilinear.cuh */
  PLEX_PAIRS_MATRIX
} PlexPairsKept;

#define PLEX_PAIR_TERMS     7 /* of a kind, most */
#define PLEX_PAIR_AUXILIARY 8 /* dofs of auxiliary fields an element, most */
/* nodes an element, most, of pairs by gradients: a lane sums dim^2 numbers of each */
#define PLEX_PAIR_GRADIENT_NODES 10
#define PLEX_PAIR_GRADIENT_KINDS 16 /* and kinds */
#define PLEX_PAIR_COMPONENTS     3  /* and components */
#define PLEX_PAIR_POINT_KINDS    32 /* kinds of pairs of them, */
#define PLEX_PAIR_TABLE          54 /* numbers of a kind, */
/* of the largest of a kind's numbers: less is zero, and as near to 1 is 1 */
#define PLEX_PAIR_ROUNDING          1e-11
#define PLEX_PAIR_ELEMENT_BITS(dim) ((dim) == 2 ? 13 : 11) /* of an item's 16: the others are for 6 or 24 symmetries */

/* A kind of pairs (i, j) of an element's dofs: A_ij = factor sum_t coefficient[t] Gamma_number[t], the element read as
   a symmetry says. By gradients of its nodes: int grad phi_i (x) grad phi_j = factor sum_ab C[a][b] |J| grad lambda_a
   (x) grad lambda_b. Of matrices (i, j) is one of the numbers, entry[], and (i, i) less the sum of those of row i,
   which is read as symmetry i */
typedef struct {
  PetscInt  terms, number[PLEX_PAIR_NUMBERS];
  PetscReal factor, coefficient[PLEX_PAIR_NUMBERS]; /* the first one is 1 */
  /* by gradients, [vertices][vertices]; the first that is not zero is 1 */
  PetscReal C[16];
  PetscInt  dofs[2];                /* of points, how many the first and the second one have, */
  PetscReal table[PLEX_PAIR_TABLE]; /* and C of each pair of them, [dofs[0]][dofs[1]][numbers] */
} PlexPairKind;

/* The dofs of an element by the DMPlex points they sit on */
typedef struct {
  PetscInt      n, size[PLEX_PAIR_POINTS], dof[PLEX_PAIR_POINTS][PLEX_PAIR_POINT_DOFS];
  unsigned char of[PLEX_PAIR_DOFS]; /* a dof's point */
} PlexPairPoints;

typedef struct {
  PlexPairsKept kept;
  /* a diagonal entry is what makes its row's sum zero, where all entries of the row are there */
  PetscBool rowSums;
  /* dofs of auxiliary fields that an element reads: the first one, which is listed, and those that follow it */
  PetscInt auxiliary;
  /* of an element: Gamma_ab, a <= b; by gradients their number alone */
  PetscInt     numbers, of[PLEX_PAIR_NUMBERS][2];
  PetscInt     kinds, symmetries;
  PlexPairKind kind[PLEX_PAIR_KINDS];
  /* [ef][ef], [Nn][Nn] or [points][points] of a pair; PLEX_PAIR_KINDS: its entry is zero */
  unsigned char *kindOf, *symmetryOf;
  /* [Nn][Nn] by gradients, [points][points]: it is (j, i) that is of this kind and symmetry, and (i, j) is of none */
  unsigned char *reversed;
  PlexPairPoints points;
  PetscInt       nlabels[PLEX_PAIR_POINTS * PLEX_PAIR_POINTS];
  PlexPairLabel *labels;        /* [points][points][PLEX_PAIR_LABELS] of pairs that are not reversed */
  unsigned char *entry;         /* [ef][ef] of a matrix the number that is an entry */
  unsigned char *turned;        /* [symmetries][numbers] the number that one becomes */
  unsigned char *composed;      /* [symmetries][symmetries] one behind the other */
  PetscBool      reflects[24];  /* [symmetries] |J| has the other sign then */
  unsigned char  symmetry[256]; /* that takes vertex v to the one in bits 2 v and 2 v + 1 */
  PetscInt       nturns;        /* a multiple of 4 */
  unsigned      *turns;         /* [nturns] as the kernel reads them */
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

/* Place of Gamma_ab among those of an element with n vertices: a < b row by row, then a = b */
static inline PetscInt PlexPairNumber(PetscInt n, PetscInt a, PetscInt b)
{
  if (a == b) return n * (n - 1) / 2 + a;
  if (a > b) return b * (2 * n - b - 1) / 2 + a - b - 1;
  return a * (2 * n - a - 1) / 2 + b - a - 1;
}

typedef struct {
  PlexPairsKept what;
  PetscBool     rowSums;
  PetscInt      nblocks;
  PetscInt      kinds, numbers;
  size_t        shared; /* bytes of shared memory a block, but for turns */
  /* of all blocks; lines of 16 bytes of coordinates */
  double elements, nodes, rows, pairs, items, groups, lines;
  /* of points: that the items have, of element matrices */
  double entries;
  /* bytes of the plan, and of what it was made from besides */
  double kept, made;
  /* in which lanes read numbers, and coordinates, that could do so at once */
  double turns[2];

  PlexPairsArgs    device;
  PlexLineTables   tables; /* of hexahedra */
  PlexKernel       gather;
  PetscBool        gathered; /* the coordinates, of the state */
  PetscObjectState coordinateState;
} PlexPairs;

PETSC_INTERN PetscErrorCode PlexPairKindsCreate_Private(PlexAssembly, PlexProduct *, PlexPairKinds *,
                                                        PetscBool *serves);
PETSC_INTERN PetscErrorCode PlexPairKindsCreateGradients_Private(PlexAssembly, PlexProduct *, PlexPairKinds *,
                                                                 PetscBool *serves);
PETSC_INTERN PetscErrorCode PlexPairKindsCreateMatrix_Private(PlexAssembly, const PlexLineTables *, PlexPairKinds *);
/* The points of an element, where they have few enough dofs and one has several */
PETSC_INTERN PetscBool      PlexPairPointsGet_Private(PlexElements, PlexPairPoints *);
PETSC_INTERN PetscErrorCode PlexPairKindsCreatePoints_Private(PlexAssembly, PlexProduct *, PlexPairKinds *,
                                                              PetscBool *serves);
PETSC_INTERN PetscErrorCode PlexPairKindsDestroy_Private(PlexPairKinds *);

/* A simplex whose pairs are sorted into kinds */
typedef struct {
  PlexElements el;
  PlexTensor   tensor;
  PetscInt     n;               /* vertices */
  int         *dofs, *vertices; /* [symmetries][ef], [symmetries][n] that these are taken to */
  PetscReal    P[12];           /* [dim][n] with G = P Gamma P^T */
} PlexPairCell;

/* The kind of (i, j) and of all pairs like it, unless that is known; false: there are too many */
typedef PetscBool (*PlexPairAdd)(PlexPairKinds *, const PlexPairCell *, PetscInt i, PetscInt j);
/* How the kernel reads an element as each symmetry has it: p->turns */
typedef PetscErrorCode (*PlexPairTurns)(PlexPairKinds *, const PlexPairCell *);

/* Kinds of pairs of N things, none yet, of so many numbers; the kinds of all pairs, at most so many; their turns and
   tables of symmetries */
PETSC_INTERN PetscErrorCode PlexPairKindsBegin_Private(PlexAssembly, PlexProduct *, PlexPairsKept, PetscInt N,
                                                       PetscInt numbers, PlexPairKinds *, PlexPairCell *);
PETSC_INTERN PetscErrorCode PlexPairKindsEnd_Private(PlexPairKinds *, PlexPairCell *, PetscInt N, PetscInt most,
                                                     PlexPairAdd, PlexPairTurns, PetscBool *serves);
/* C of the pair of dofs (i, j), numbers with a < b alone */
PETSC_INTERN void PlexPairOthers_Private(const PlexPairCell *, PetscInt i, PetscInt j, PetscReal C[]);
/* Blocks of at most so many bytes of shared memory but for turns, and at least so many of them; *serves false: a mesh
   node has no room */
PETSC_INTERN PetscErrorCode PlexPairsFill_Private(PlexAssembly, const PlexPairKinds *, size_t budget, PetscInt least,
                                                  PlexPairs *, PetscBool *serves);

/* What it would keep of an element of a Jacobian as it is integrated */
PETSC_INTERN PetscErrorCode PlexPairsServe_Private(PlexAssembly, PlexProduct *, PlexPairsKept *);
/* The plan with its kernel compiled; *serves false: nothing is done */
PETSC_INTERN PetscErrorCode PlexPairsCreate_Private(PlexAssembly, PlexProduct *, PetscBool *serves, PlexPairs *);
PETSC_INTERN PetscErrorCode PlexPairsLaunch_Private(PlexAssembly, PlexProduct *, PlexPairs *, PlexKernel,
                                                    const void *args);
PETSC_INTERN PetscErrorCode PlexPairsDestroy_Private(PlexAssembly, PlexPairs *);
PETSC_INTERN PetscErrorCode PlexPairsView_Private(const PlexPairs *, PetscInt Ne, PetscViewer);
