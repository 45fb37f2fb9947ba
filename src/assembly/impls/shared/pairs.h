/* shared_nz by pairs of nodes: cuda/assembly/shared_nz_pairs.cu has the idea, of matrices of hexahedra too; of several
   components, by gradients, shared_nz_gradients.cu; of all dofs of a DMPlex point at once,
   shared_nz_points.cu */
#pragma once

#include <plexgpu/private/assemblyimpl.h>
#include <plex_args.h>
#include <assembly/pairs_args.h>
#include <assembly/pairs_sizes.h>
#include "../../integrate/lines.h"

/* What a block stores of an element in shared memory */
typedef enum {
  PLEX_PAIRS_NONE,      /* nothing: pairs cannot be used */
  PLEX_PAIRS_NUMBERS,   /* Gamma_ab (paircoefficients.c), of a scalar form by tensors; pairs are of dofs */
  PLEX_PAIRS_POINTS,    /* the same; pairs are of DMPlex points, and of all their dofs */
  PLEX_PAIRS_GRADIENTS, /* gradients of its barycentric coordinates; pairs are of nodes, and of all their components */
  /* entries of its matrix off the diagonal, of trilinear hexahedra by quadrature: cuda/integrate/trilinear.cuh */
  PLEX_PAIRS_MATRIX
} PlexPairsStored;

#define PLEX_PAIR_TERMS     7 /* of a kind, most */
#define PLEX_PAIR_AUXILIARY 8 /* dofs of auxiliary fields an element, most */
/* by gradients: nodes of an element, most; a lane sums dim^2 numbers of each */
#define PLEX_PAIR_GRADIENT_NODES 10
#define PLEX_PAIR_GRADIENT_KINDS 16 /* by gradients: kinds, most */
#define PLEX_PAIR_COMPONENTS     3  /* by gradients: components, most */
#define PLEX_PAIR_POINT_KINDS    32 /* by points: kinds, most */
#define PLEX_PAIR_TABLE          54 /* by points: coefficients of a kind, most */
/* relative to the largest coefficient of a kind: less is zero; a coefficient this close to 1 is 1 */
#define PLEX_PAIR_ROUNDING 1e-11
/* of the 16 bits of an item; the others have one of 6 or 24 symmetries */
#define PLEX_PAIR_ELEMENT_BITS(dim) ((dim) == 2 ? 13 : 11)

/* A kind of pairs (i, j). The element's vertices are permuted by the symmetry that maps the kind's pair to (i, j).
     by dofs         A_ij = factor sum_t coefficient[t] Gamma_number[t]
     by gradients    int grad phi_i (x) grad phi_j = factor sum_ab C[a][b] |J| grad lambda_a (x) grad lambda_b
     by matrices     (i, j), i != j, is number entry[], and (i, i) minus the sum of the numbers of row i; i is the
                     symmetry */
typedef struct {
  PetscInt  number[PLEX_PAIR_NUMBERS];
  PetscReal factor, coefficient[PLEX_PAIR_NUMBERS]; /* the first one is 1 */
  PetscReal C[16];                  /* by gradients, [vertices][vertices]; the first that is not zero is 1 */
  PetscReal table[PLEX_PAIR_TABLE]; /* of points C of each pair of their dofs, [dofs[0]][dofs[1]][numbers] */
} PlexPairKind;

typedef struct {
  PlexPairsStored stored;
  PlexPairsTables t; /* as steps read them */
  /* dofs of auxiliary fields that an element reads: the first one, which is listed, and those that follow it */
  PetscInt     auxiliary;
  PetscInt     of[PLEX_PAIR_NUMBERS][2]; /* of Gamma_ab, a <= b */
  PlexPairKind kind[PLEX_PAIR_KINDS];
  PetscInt     npermutations; /* a multiple of 4 */
  unsigned    *permutations;  /* [npermutations] as the kernel reads them */
} PlexPairKinds;

/* Rounds a coefficient close to 1 or -1, by which the compiler does not multiply */
static inline PetscReal PlexPairRound(PetscReal c)
{
  return PetscAbsReal(PetscAbsReal(c) - 1.) < PLEX_PAIR_ROUNDING ? (c < 0. ? -1. : 1.) : c;
}

/* Words of permutations[] of kind k; none if it has one term, as its items are numbers */
static inline PetscInt PlexPairPermutationWords(const PlexPairsTables *t, PetscInt k)
{
  return t->terms[k] > 1 ? t->symmetries * ((t->terms[k] + 1) / 2) : 0;
}

/* Index of Gamma_ab among the numbers of an element with n vertices: a < b row by row, then a = b */
static inline PetscInt PlexPairNumber(PetscInt n, PetscInt a, PetscInt b)
{
  if (a == b) return n * (n - 1) / 2 + a;
  if (a > b) return b * (2 * n - b - 1) / 2 + a - b - 1;
  return a * (2 * n - a - 1) / 2 + b - a - 1;
}

typedef struct {
  PlexPairsStored stored;
  PetscBool       zeroRowSums;
  PetscInt        nblocks;
  PetscInt        kinds, numbers;
  size_t          shared; /* bytes of shared memory of a block, first without permutations */
  /* of all blocks */
  double elements, nodes, rows, pairs, items, records;
  /* by points: entries of element matrices that all items have */
  double entries;
  /* bytes of the plan, and of the arrays that making it took */
  double planBytes, setupBytes;
  /* per read by a set of lanes (plan/lanes.h): of numbers, of coordinates; 1 without bank conflicts */
  double transactions[2];

  PlexPairsArgs    device;
  PlexLineTables   tables; /* of hexahedra */
  PlexKernel       gather;
  PetscBool        gathered; /* the coordinates, at coordinateState */
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

/* Sets P */
PETSC_INTERN void PlexPairCellSet_Private(PlexPairCell *);
/* C of the pair of dofs (i, j), [n (n + 1) / 2]; offDiagonal: with C_aa = 0 */
PETSC_INTERN void PlexPairCoefficients_Private(const PlexPairCell *, PetscInt i, PetscInt j, PetscBool offDiagonal,
                                               PetscReal C[]);
/* C of the pair of nodes (i, j) by gradients, [n][n] */
PETSC_INTERN void PlexPairGradients_Private(const PlexPairCell *, PetscInt i, PetscInt j, PetscReal C[]);

/* The DMPlex points of an element; true if one has several dofs, and none too many */
PETSC_INTERN PetscBool PlexPairPointsGet_Private(PlexElements, PlexPairPoints *);
/* tables: of hexahedra. permutations[] is the caller's to free */
PETSC_INTERN PetscErrorCode PlexPairKindsCreate_Private(PlexAssembly, PlexProduct *, PlexPairsStored,
                                                        const PlexLineTables *tables, PlexPairKinds *,
                                                        PetscBool            *serves);
/* Blocks of at most so many bytes of shared memory but for permutations, and at least so many of them; *serves false: a
   mesh node has no room */
PETSC_INTERN PetscErrorCode PlexPairsFill_Private(PlexAssembly, PlexProduct *, const PlexPairKinds *, size_t budget,
                                                  PetscInt least, PlexPairs *, PetscBool *serves);

/* What pairs would store of an element, by how a Jacobian is integrated */
PETSC_INTERN PetscErrorCode PlexPairsServe_Private(PlexAssembly, PlexProduct *, PlexPairsStored *);
/* Makes the plan and compiles the kernel; *serves false: nothing is done */
PETSC_INTERN PetscErrorCode PlexPairsCreate_Private(PlexAssembly, PlexProduct *, PetscBool *serves, PlexPairs *);
PETSC_INTERN PetscErrorCode PlexPairsLaunch_Private(PlexAssembly, PlexProduct *, PlexPairs *, PlexKernel,
                                                    const void *args);
PETSC_INTERN PetscErrorCode PlexPairsView_Private(const PlexPairs *, PetscInt Ne, PetscViewer);
