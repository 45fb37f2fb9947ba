/* Kinds of shared_nz by pairs of nodes, as its plan reads them, and their limits */
#ifndef PLEX_PAIRS_SIZES_H
#define PLEX_PAIRS_SIZES_H

#define PLEX_PAIR_DOFS       40 /* dofs an element, most */
#define PLEX_PAIR_KINDS      96 /* kinds of pairs, most: each is compiled */
#define PLEX_PAIR_POINTS     15 /* DMPlex points with dofs an element, most, */
#define PLEX_PAIR_POINT_DOFS 3  /* dofs of one, */
#define PLEX_PAIR_LABELS     6  /* and orders of the dofs of a pair in which it is of its kind */
#define PLEX_PAIR_SYMMETRIES 24
#define PLEX_PAIR_NUMBERS    10   /* numbers of an element, most */
#define PLEX_PAIR_STRIDE     1023 /* and places from a row to the next one, see PlexPairsArgs */
#define PLEX_PAIR_NONE       0xffff
#define PLEX_PAIR_NODES      32767 /* nodes of a block, most */
#define PLEX_PAIR_MANY       10    /* elements of a pair beyond which it is shared out to two lanes; twice: to four */
#define PLEX_PAIR_LONGEST    127   /* words of items that a lane has, most */

/* A symmetry that takes a kind's dofs to those of a pair of points, in one of the orders in which it is of that kind */
typedef struct {
  unsigned char symmetry, dof[2][PLEX_PAIR_POINT_DOFS];
} PlexPairLabel;

/* The dofs of an element by the entities that pairs are of: dofs, nodes, or DMPlex points */
typedef struct {
  int           n;
  unsigned char size[PLEX_PAIR_DOFS];                      /* of an entity its dofs, */
  unsigned char dof[PLEX_PAIR_DOFS][PLEX_PAIR_POINT_DOFS]; /* which they are; */
  unsigned char of[PLEX_PAIR_DOFS];                        /* of a dof its entity */
} PlexPairPoints;

/* Kinds of the pairs of an element's entities (src/assembly/impls/shared/pairs.h) */
typedef struct {
  PlexPairPoints entities;
  int            multiDof, byPoints; /* they have several dofs; are points */
  int            byEntries;          /* numbers are entries of an element matrix */
  /* a diagonal entry is what makes its row's sum zero, where all entries of the row are there */
  int rowSums;
  int numbers, kinds, symmetries; /* numbers of an element */

  /* of a pair [entities][entities]: its kind, PLEX_PAIR_KINDS where the entry is zero; the symmetry that takes the
     kind's pair to it; it is (j, i) that is of this kind and symmetry, and (i, j) is of none; of a matrix the number
     that is the entry */
  unsigned char kindOf[PLEX_PAIR_DOFS * PLEX_PAIR_DOFS];
  unsigned char symmetryOf[PLEX_PAIR_DOFS * PLEX_PAIR_DOFS];
  unsigned char reversed[PLEX_PAIR_DOFS * PLEX_PAIR_DOFS];
  unsigned char entry[PLEX_PAIR_DOFS * PLEX_PAIR_DOFS];
  /* of a kind its terms, and the number of the first; of points how many dofs the first and the second one have */
  unsigned char terms[PLEX_PAIR_KINDS], number[PLEX_PAIR_KINDS], dofs[PLEX_PAIR_KINDS][2];
  /* [symmetries][symmetries] one behind the other, [symmetries][numbers] the number that one becomes */
  unsigned char composed[PLEX_PAIR_SYMMETRIES * PLEX_PAIR_SYMMETRIES];
  unsigned char turned[PLEX_PAIR_SYMMETRIES * PLEX_PAIR_NUMBERS];
  unsigned char symmetry[256];                  /* that takes vertex v to the one in bits 2 v and 2 v + 1 */
  unsigned char reflects[PLEX_PAIR_SYMMETRIES]; /* |J| has the other sign then */
  /* [points][points] of pairs that are not reversed, the latter PLEX_PAIR_LABELS of each */
  unsigned char nlabels[PLEX_PAIR_POINTS * PLEX_PAIR_POINTS];
  PlexPairLabel labels[PLEX_PAIR_POINTS * PLEX_PAIR_POINTS * PLEX_PAIR_LABELS];
} PlexPairsTables;

#endif
