/* Kinds of shared_nz by pairs of nodes, as its plan reads them, and their limits */
#ifndef PLEX_PAIRS_SIZES_H
#define PLEX_PAIRS_SIZES_H

#define PLEX_PAIR_DOFS       40 /* dofs an element, most */
#define PLEX_PAIR_KINDS      96 /* kinds of pairs, most: each is compiled */
#define PLEX_PAIR_POINTS     15 /* DMPlex points with dofs of an element, most */
#define PLEX_PAIR_POINT_DOFS 3  /* dofs of a point, most */
#define PLEX_PAIR_MATCHES    6  /* matches of a pair with its kind, most */
#define PLEX_PAIR_SYMMETRIES 24
#define PLEX_PAIR_NUMBERS    10   /* numbers of an element, most */
#define PLEX_PAIR_STRIDE     1023 /* stride of the rows of a pair, most, see PlexPairsArgs */
#define PLEX_PAIR_NONE       0xffff
#define PLEX_PAIR_NODES      32767 /* nodes of a block, most */
/* elements of a pair, from which on two lanes share it; from twice as many on four */
#define PLEX_PAIR_MANY    10
#define PLEX_PAIR_LONGEST 127 /* words of items that a lane has, most */

/* A pair of points matches its kind by a symmetry, which maps the kind's dofs to dof[]. There may be several such
   orders of the dofs */
typedef struct {
  unsigned char symmetry, dof[2][PLEX_PAIR_POINT_DOFS];
} PlexPairMatch;

/* The dofs of an element by the entities that pairs are of: dofs, nodes, or DMPlex points */
typedef struct {
  int           n;
  unsigned char size[PLEX_PAIR_DOFS];                      /* [n] dofs of an entity */
  unsigned char dof[PLEX_PAIR_DOFS][PLEX_PAIR_POINT_DOFS]; /* [n][size] its dofs */
  unsigned char of[PLEX_PAIR_DOFS];                        /* [ef] the entity of a dof */
} PlexPairPoints;

/* Kinds of the pairs of an element's entities (src/assembly/impls/shared/pairs.h) */
typedef struct {
  PlexPairPoints entities;
  int            multiDof, byPoints; /* entities have several dofs; are DMPlex points */
  int            byEntries;          /* numbers are entries of an element matrix */
  /* diagonal entries are minus the sums of the other entries of their rows, where the matrix has all of these */
  int zeroRowSums;
  int numbers, kinds, symmetries; /* numbers stored of an element */

  /* [entities][entities], of pair (i, j): its kind, PLEX_PAIR_KINDS where the entry is zero; the symmetry that maps the
     kind's pair to it; 1 where kind and symmetry are those of (j, i); by entries which number the entry is */
  unsigned char kindOf[PLEX_PAIR_DOFS * PLEX_PAIR_DOFS];
  unsigned char symmetryOf[PLEX_PAIR_DOFS * PLEX_PAIR_DOFS];
  unsigned char reversed[PLEX_PAIR_DOFS * PLEX_PAIR_DOFS];
  unsigned char entry[PLEX_PAIR_DOFS * PLEX_PAIR_DOFS];
  /* [kinds]: terms; number of the first term; by points: dofs of the first and of the second point */
  unsigned char terms[PLEX_PAIR_KINDS], number[PLEX_PAIR_KINDS], dofs[PLEX_PAIR_KINDS][2];
  /* [symmetries][symmetries] the product of two; [symmetries][numbers] the image of a number */
  unsigned char composed[PLEX_PAIR_SYMMETRIES * PLEX_PAIR_SYMMETRIES];
  unsigned char permuted[PLEX_PAIR_SYMMETRIES * PLEX_PAIR_NUMBERS];
  unsigned char symmetry[256];                  /* that maps vertex v to the one in bits 2 v and 2 v + 1 of the index */
  unsigned char reflects[PLEX_PAIR_SYMMETRIES]; /* [symmetries] 1: |J| changes its sign */
  /* [points][points] and [points][points][PLEX_PAIR_MATCHES], of pairs that are not reversed */
  unsigned char nmatches[PLEX_PAIR_POINTS * PLEX_PAIR_POINTS];
  PlexPairMatch matches[PLEX_PAIR_POINTS * PLEX_PAIR_POINTS * PLEX_PAIR_MATCHES];
} PlexPairsTables;

#endif
