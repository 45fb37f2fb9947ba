/* Sums of the element matrices of a part of the mesh (partial.cuh). One layout for host C and device C++. */
#ifndef PLEX_PARTIAL_ARGS_H
#define PLEX_PARTIAL_ARGS_H

/* Elements of a half of a part, most: one of each lane */
#define PLEX_PARTIAL_LANES 32
/* Codes of a line */
#define PLEX_PARTIAL_LINE 32
/* Targets of a batch: four of each lane, whose codes lie side by side */
#define PLEX_PARTIAL_BATCH 128
/* No partial sum */
#define PLEX_PARTIAL_NONE 0xffff
/* Lowest bits of the code of a partial sum, which are the run; the others are its place there */
#define PLEX_PARTIAL_RUN_BITS 5
/* Runs of a row of which that is not so: pairs but the first one are where a partial sum is */
#define PLEX_PARTIAL_APART 0xff
/* A target of many numbers is a partial sum */
#define PLEX_PARTIAL_SUM 0x80000000u
/* Chunks of rows that a warp sums together, a unit */
#define PLEX_PARTIAL_CHUNKS 4

/* What a part sums: batches of partial sums of one number or two, batches of four chunks of 32 targets of the matrix, of at most one number or two, and 32 targets of either kind
   of up to four numbers, and of more */
enum {
  PLEX_PARTIAL_SUMS_1,
  PLEX_PARTIAL_SUMS_2,
  PLEX_PARTIAL_TARGETS_1,
  PLEX_PARTIAL_TARGETS_2,
  PLEX_PARTIAL_FEW,
  PLEX_PARTIAL_MANY,
  PLEX_PARTIAL_KINDS
};

/* A part. A code says where a number is in shared memory. Those of one kind after the other lie [batch][lane][4][1 or 2] or, of few and many, [32] targets of 32 bits and then
   [lane][4], or of many as often as it takes [lane][8]. Of a batch of partial sums, which lie side by side, kind by kind, number j of a lane is the one at
   64 (j / 2) + 2 lane + j % 2; of a batch of targets it is the lane's of chunk j */
typedef struct {
  unsigned       codes;   /* its first line, */
  unsigned       lines;   /* and how many there are */
  int            partial; /* its first partial sum */
  int            heads;   /* where its heads begin: of each chunk of targets the first of them; then of many the first line, from those of the part on, and how often there are [lane][8] */
  unsigned short n[PLEX_PARTIAL_KINDS];
  unsigned short unused[2];
} PlexPartialPart;

/* Up to 32 targets of a row to which several parts add. Codes are those of all rows whose parts have the same of its targets */
typedef struct {
  int            first; /* target of the matrix */
  unsigned       codes; /* their first line; pairs lie one behind the other */
  int            bases; /* where the runs of partial sums begin is there in `bases` */
  unsigned char  n, runs;
  unsigned short pairs;
} PlexPartialChunk;

typedef struct {
  const PlexPartialPart  *parts;
  const unsigned short   *codes;
  const int              *heads;
  const PlexPartialChunk *chunks; /* a multiple of PLEX_PARTIAL_CHUNKS */
  const unsigned short   *shapes;
  const int              *bases;
} PlexPartialArgs;

#endif
