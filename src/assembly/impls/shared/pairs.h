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
  PetscInt  number[PLEX_PAIR_NUMBERS];
  PetscReal factor, coefficient[PLEX_PAIR_NUMBERS]; /* the first one is 1 */
  PetscReal C[16];                  /* by gradients, [vertices][vertices]; the first that is not zero is 1 */
  PetscReal table[PLEX_PAIR_TABLE]; /* of points C of each pair of their dofs, [dofs[0]][dofs[1]][numbers] */
} PlexPairKind;

typedef struct {
  PlexPairsKept   kept;
  PlexPairsTables t; /* as steps read them */
  /* dofs of auxiliary fields that an element reads: the first one, which is listed, and those that follow it */
  PetscInt     auxiliary;
  PetscInt     of[PLEX_PAIR_NUMBERS][2]; /* of Gamma_ab, a <= b */
  PlexPairKind kind[PLEX_PAIR_KINDS];
  PetscInt     nturns; /* a multiple of 4 */
  unsigned    *turns;  /* [nturns] as the kernel reads them */
} PlexPairKinds;

/* A coefficient without the rounding that keeps it from 1 or -1, which are no factors to the compiler */
static inline PetscReal PlexPairWhole(PetscReal c)
{
  return PetscAbsReal(PetscAbsReal(c) - 1.) < PLEX_PAIR_ROUNDING ? (c < 0. ? -1. : 1.) : c;
}

/* Words of turns of kind k; of one term there are none, as its items are numbers */
static inline PetscInt PlexPairTurnWords(const PlexPairsTables *t, PetscInt k)
{
  return t->terms[k] > 1 ? t->symmetries * ((t->terms[k] + 1) / 2) : 0;
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
  /* of all blocks */
  double elements, nodes, rows, pairs, items, groups;
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

/* A simplex whose pairs are sorted into kinds */
typedef struct {
  PlexElements el;
  PlexTensor   tensor;
  PetscInt     n;               /* vertices */
  int         *dofs, *vertices; /* [symmetries][ef], [symmetries][n] that these are taken to */
  PetscReal    P[12];           /* [dim][n] with G = P Gamma P^T */
} PlexPairCell;

/* Its P */
PETSC_INTERN void PlexPairCellSet_Private(PlexPairCell *);
/* C of the pair of dofs (i, j), [n (n + 1) / 2]; others: of numbers with a < b alone */
PETSC_INTERN void PlexPairCoefficients_Private(const PlexPairCell *, PetscInt i, PetscInt j, PetscBool others,
                                               PetscReal C[]);
/* C of the pair of nodes (i, j) by gradients, [n][n] */
PETSC_INTERN void PlexPairGradients_Private(const PlexPairCell *, PetscInt i, PetscInt j, PetscReal C[]);

/* The points of an element, where they have few enough dofs and one has several */
PETSC_INTERN PetscBool PlexPairPointsGet_Private(PlexElements, PlexPairPoints *);
/* tables: of hexahedra. turns[] is the caller's to free */
PETSC_INTERN PetscErrorCode PlexPairKindsCreate_Private(PlexAssembly, PlexProduct *, PlexPairsKept,
                                                        const PlexLineTables *tables, PlexPairKinds *,
                                                        PetscBool            *serves);
/* Blocks of at most so many bytes of shared memory but for turns, and at least so many of them; *serves false: a mesh
   node has no room */
PETSC_INTERN PetscErrorCode PlexPairsFill_Private(PlexAssembly, PlexProduct *, const PlexPairKinds *, size_t budget,
                                                  PetscInt least, PlexPairs *, PetscBool *serves);

/* What it would keep of an element of a Jacobian as it is integrated */
PETSC_INTERN PetscErrorCode PlexPairsServe_Private(PlexAssembly, PlexProduct *, PlexPairsKept *);
/* The plan with its kernel compiled; *serves false: nothing is done */
PETSC_INTERN PetscErrorCode PlexPairsCreate_Private(PlexAssembly, PlexProduct *, PetscBool *serves, PlexPairs *);
PETSC_INTERN PetscErrorCode PlexPairsLaunch_Private(PlexAssembly, PlexProduct *, PlexPairs *, PlexKernel,
                                                    const void *args);
PETSC_INTERN PetscErrorCode PlexPairsView_Private(const PlexPairs *, PetscInt Ne, PetscViewer);
