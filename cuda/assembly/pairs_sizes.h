/* Limits of shared_nz by pairs of nodes, for its kinds (src/assembly/impls/shared/pairs.h) and its plan */
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

#endif
