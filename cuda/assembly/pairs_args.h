/* The plan of shared_nz by pairs of nodes, as its kernels read it (shared_nz_pairs.cu, shared_nz_points.cu,
   shared_nz_gradients.cu). One layout for host C and device C++.

   A quad is 16 bytes, the unit in which blocks copy to shared memory. A record is 256 bytes: two words for each lane of
   a warp. An offset counts sums of a block from its first one. */
#ifndef PLEX_PAIRS_ARGS_H
#define PLEX_PAIRS_ARGS_H

/* Bytes of one access of shared memory across all banks. A block's numbers are stored as [numbers][stride]; the stride
   is a multiple of this, and the entries from `elements` on are zero */
#define PLEX_PAIRS_BANK_BYTES 128
#define PLEX_PAIRS_STRIDE(elements, realBytes) \
  ((elements) / (PLEX_PAIRS_BANK_BYTES / (int)(realBytes)) * (PLEX_PAIRS_BANK_BYTES / (int)(realBytes)) + \
   PLEX_PAIRS_BANK_BYTES / (int)(realBytes))

/* Of each list the first entry, and how many the block has */
typedef struct {
  int coordinate, coordinateQuads; /* quads of coordinates[] */
  int node, nodes;                 /* coordinate nodes, of nodes[] */
  int conn, elements;              /* first word of conn[]; elements */
  int list, listQuads;             /* quads of lists[] */
  int tasks, spans;                /* spans: rows that are contiguous in the matrix */
  int record, records;             /* of records[] */
  int sums, zeroSumRows;           /* pairs of two sums; rows whose diagonal makes their sum zero */
  int unused[2];
} PlexPairsBlock;

/* A row whose diagonal entry makes its sum zero */
typedef struct {
  int entries;  /* offset of its first entry | number of entries << 16 */
  int diagonal; /* offset of its diagonal entry */
} PlexPairsRow;

/* How 32 pairs of two sums, 2 k and 2 k + 1, are written: bit k of a mask is pair k. A span begins in a pair of its
   own, at an offset that is even where its first target is. So of its first and last pair one sum may belong to no
   span */
typedef struct {
  unsigned begins; /* pairs in which a span begins */
  int      before; /* number of spans that begin before these 32 pairs */
  unsigned second; /* pairs of which the second sum alone is written */
  unsigned first;  /* pairs of which the first sum alone is written */
} PlexPairsWrites;

/*
  A task is what a warp sums at a time: pairs of one kind, two pairs a lane, or one by points and by gradients.

    bits     of the task's word
    0 - 12   its first record, counted from the block's
    13 - 15  terms of the kind; by points: dofs of the second point
    16 - 22  kind; by points: kind | (dofs of the first point - 1) << 5
    23 - 24  s: a pair's elements are shared out to 2^s lanes
    25 - 31  words: records of items; by points: items of a lane. 0: the task writes zeros

  Its first record has the targets, the others have the items. By dofs a lane has a word for each of its two pairs:

    bits     targets                       items
    0 - 15   offset of entry (i, j)        one item
    16 - 31  offset of entry (j, i)        the next one

  An offset of 0xffff is no target. An item is the index of a number in shared memory, where the kind has one term; else
  it is element | symmetry << PLEX_ELEMENT_BITS. By points and by gradients a lane has one pair. Both words have items,
  so four of them, and the targets are:

    bits     first word                                 second word, by gradients    second word, by points
    0 - 15   offset of the first entry of block (i, j)  0 - 9    stride of (i, j)    0 - 9    stride of (i, j)
    16 - 31  offset of the first entry of block (j, i)  10 - 12  rows of i           10 - 19  stride of (j, i)
                                                        13 - 15  rows of j           20 - 25  order of the dofs of i
                                                        16 - 25  stride of (j, i)    26 - 31  order of the dofs of j
                                                        26 - 28  columns of i
                                                        29 - 31  columns of j

  The stride is the difference of the offsets of two rows of the block. Rows and columns: a bit for each component that
  has one. Order: two bits for each dof, in the order of the kind, with its position in the matrix.
*/
typedef struct {
  const PlexPairsBlock *blocks;
  const int            *nodes; /* coordinate nodes of all blocks */
  /* their coordinates, in quads: of each block x and y of its nodes, then z */
  char *coordinates;
  /* of a block [words][elements]: coordinate nodes, as numbers in the block, two a word; the last word's highest bit is
     set if the nodes are in an order in which |J| changes its sign. One more word where auxiliary fields are read:
     their first dof */
  const unsigned *conn;
  /* of each block, each list in whole quads: words of tasks; of each span the slot of its first target less the offset
     of its first sum; PlexPairsWrites; PlexPairsRow */
  const int *lists;
  /* [records][32][2] */
  const unsigned *records;
  /* By dofs, of each kind of several terms, [symmetries][(terms + 1) / 2]: the number that each term takes of an
     element so permuted, two a word. By gradients [symmetries]: the images of the vertices, a byte each. By points
     [symmetries][2]: those of the numbers */
  const unsigned *permutations;
} PlexPairsArgs;

#endif
