/* The plan of shared_nz by pairs of nodes, as its kernels read it (shared_nz_pairs.cu, shared_nz_gradients.cu). One
   layout for host C and device C++. */
#ifndef PLEX_PAIRS_ARGS_H
#define PLEX_PAIRS_ARGS_H

/* Bytes of a line across all banks of shared memory. A block's numbers lie [numbers][stride], in whole lines of
   elements; those behind the block's own are zero */
#define PLEX_PAIRS_LINE 128
#define PLEX_PAIRS_STRIDE(elements, real) \
  ((elements) / (PLEX_PAIRS_LINE / (int)(real)) * (PLEX_PAIRS_LINE / (int)(real)) + PLEX_PAIRS_LINE / (int)(real))

typedef struct {
  int place, lines;   /* the block's coordinates: first line of 16 bytes in places[], lines */
  int node, nodes;    /* its coordinate nodes: first in nodes[], how many */
  int conn, elements; /* its elements: first word in conn[], how many */
  int list, heads;    /* its tasks and rows: first line of 16 bytes in lists[], lines */
  int tasks, runs;    /* how many; runs of rows that lie one behind the other in the matrix */
  int group, groups;  /* first group of records, how many */
  int sums, complete; /* lines of sums; rows whose diagonal makes their sum zero */
  int unused[2];
} PlexPairsBlock;

/* A row whose diagonal entry makes its sum zero */
typedef struct {
  int place;    /* of its first entry in the block's sums | their number << 16 */
  int diagonal; /* place of that entry */
} PlexPairsRow;

/* Of 32 lines of a block's sums, as bits where there are several. A run of rows begins in a line of two places of its
   own, at a place as odd or even as its first target, so that one place of its first line and of its last one may be
   none of its own */
typedef struct {
  unsigned begins; /* lines in which a run begins */
  int      before; /* runs that begin in lines before */
  unsigned second; /* lines of which the second place alone is written */
  unsigned first;  /* ... the first place alone */
} PlexPairsLines;

typedef struct {
  const PlexPairsBlock *blocks;
  const int            *nodes; /* coordinate nodes of all blocks */
  /* their coordinates, block by block in lines of 16 bytes: x and y of its nodes, then z */
  char *places;
  /* of a block [words][elements]: numbers of coordinate nodes in the block, two a word; and the last word's highest
     bit, if they come in an order in which |J| has the other sign; then the first dof of auxiliary fields, where
     these are read */
  const unsigned *conn;
  /* block by block in lines of 16 bytes. Tasks, what a warp sums at a time: up to 64 pairs of a kind, two a lane; first
     group of the block's | terms << 13 | kind << 16 | split << 23 | words << 25, where a pair is shared out to 2^split
     lanes; of points dofs of the second in the place of terms, and kind | dofs of the first but one << 5. In lines of
     their own of each run of rows what its targets are more than their places; PlexPairsLines of each 32 lines of sums;
     PlexPairsRow */
  const int *lists;
  /* [groups][32][2]. Of a task a group of targets, then `words` of items, for two pairs a lane. Targets: places of
     sums, two a word, 0xffff where there is none. Items, two a word: the number that is added, or, of a kind of several
     terms, the element | symmetry << PLEX_ELEMENT_BITS. By gradients one pair a lane, and two words of items: targets
     are the places of the first entries of (i, j) and (j, i), 0xffff where there are none, and places from a row of i
     to the next | components of i that have a row << 10 | of j << 13 | places from a row of j to the next <<
     16 | components of i that have a column << 26 | of j << 29. Of points likewise, as many items as words; places from
     a row of i to the next | from a row of j << 10 | of each dof of i, in the order of the kind, which one it is, two
     bits each, << 20 | of j << 26 */
  const unsigned *records;
  /* of each kind of several terms [symmetries][(terms + 1) / 2] of each term the element's number that it takes, two a
     word. By gradients [symmetries] the vertices that it takes vertices to, a byte each, of points [symmetries][2]
     numbers */
  const unsigned *turns;
} PlexPairsArgs;

#endif
