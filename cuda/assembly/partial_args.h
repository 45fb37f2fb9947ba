/* Sums of the element matrices of a part of the mesh (partial.cuh). One layout for host C and device C++. */
#ifndef PLEX_PARTIAL_ARGS_H
#define PLEX_PARTIAL_ARGS_H

/* Elements of a part, most: one of each lane */
#define PLEX_PARTIAL_ELEMENTS 32
/* Numbers of a chunk that says how many lanes add in a step; the last one is that of all later steps */
#define PLEX_PARTIAL_STEPS 7
/* Bytes of which PlexPartialChunk's `at` counts */
#define PLEX_PARTIAL_ALIGN 8
/* Lowest bits of the code of a partial sum, which are its place in the run; the others are the run */
#define PLEX_PARTIAL_PLACE_BITS 11
#define PLEX_PARTIAL_RUNS       32
#define PLEX_PARTIAL_NONE       0xffff
/* Targets of a row, most: of each 32 of them a lane has the number of steps */
#define PLEX_PARTIAL_TARGETS 1024
/* Runs of a row that its record has */
#define PLEX_PARTIAL_BASES 9

/* Up to 32 targets that a part sums, which lie side by side from `first` on: targets of the matrix, or partial sums. In step s the first lanes[s] lanes add a number
   each; what they add is in the part's codes, at PLEX_PARTIAL_ALIGN `at`: of each lane one byte, which of the targets it has, then of one step after the other where each
   lane's number is in shared memory, two bytes a lane */
typedef struct {
  int           first;
  unsigned      at;
  unsigned char lanes[PLEX_PARTIAL_STEPS], steps;
} PlexPartialChunk;

/* A row to which several parts add. Its shape is that of all rows whose parts have the same of its targets: 32 numbers of steps, of each 32 targets, and then of these
   targets and of one step after the other the code of the partial sum that a lane adds */
typedef struct {
  int            first; /* target of the matrix */
  unsigned       shape; /* its place in `shapes`, divided by 32 */
  unsigned short length, runs;
  int            base[PLEX_PARTIAL_BASES]; /* where the runs begin; of more of them base[0] is where that is in `bases` */
} PlexPartialRow;

typedef struct {
  const int              *chunkStart; /* [parts][2], and one more: chunks of each part, first those of rows that it sums alone, then those of partial sums */
  const PlexPartialChunk *chunks;
  const unsigned char    *codes;
  const PlexPartialRow   *rows;
  const unsigned short   *shapes;
  const int              *bases;
} PlexPartialArgs;

#endif
