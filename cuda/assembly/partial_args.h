/* Sums of the element matrices of a block of the mesh (partial.cuh). One layout for host C and device C++. */
#ifndef PLEX_PARTIAL_ARGS_H
#define PLEX_PARTIAL_ARGS_H

/* Elements of a half of a block, most: one of each lane */
#define PLEX_PARTIAL_LANES 32
/* Codes of a line, and targets of a chunk, which are neighbours */
#define PLEX_PARTIAL_LINE 32
/* Chunks of a batch: a lane's codes of all of them lie side by side */
#define PLEX_PARTIAL_CHUNKS 4
#define PLEX_PARTIAL_BATCH  (PLEX_PARTIAL_CHUNKS * PLEX_PARTIAL_LINE)
/* No partial sum */
#define PLEX_PARTIAL_NONE 0xffff
/* A target is a partial sum, a number is one that the block receives */
#define PLEX_PARTIAL_SUM 0x80000000u

/* What a block sums, in batches: partial sums, which it sends to the block that owns their row, of one number or two;
   targets of rows that it has alone, of at most two numbers; targets of rows that it owns, of at most two numbers and a
   partial sum that it receives. Then the others, 32 at a time: targets of either of the first two kinds of up to four
   numbers, and of more; targets of rows that it owns, of up to four numbers or partial sums, and of more */
enum {
  PLEX_PARTIAL_SENT_1,
  PLEX_PARTIAL_SENT_2,
  PLEX_PARTIAL_ALONE,
  PLEX_PARTIAL_OWNED,
  PLEX_PARTIAL_FEW,
  PLEX_PARTIAL_MANY,
  PLEX_PARTIAL_MIXED,
  PLEX_PARTIAL_MORE,
  PLEX_PARTIAL_KINDS
};

/* A block. A code says where a number is in shared memory. Those of one kind after the other lie [batch][lane][chunk][1
   or 2]; of a batch of rows that are owned behind these [lane][chunk] which of the partial sums it is that the part
   receives. Of the others [32] targets of 32 bits and then [lane][4] codes, or of many as often as it takes [lane][8];
   of mixed ones [lane][4] codes of 32 bits, once or as often as it takes */
typedef struct {
  unsigned       line;    /* the first one, which blocks that are alike have in common; not of many and more */
  unsigned short n, head; /* batches or chunks, and the first head, from those of the block on */
} PlexPartialKind;

typedef struct {
  int received, nreceived; /* the first partial sum that it receives, and how many places there are */
  /* where its heads begin: of each chunk its first target, or where it is sent to; of many and more the first line and
     how often there are codes */
  int             heads;
  int             nsenders; /* the blocks that send it some, */
  int             senders;  /* and which they are, among the heads */
  PlexPartialKind of[PLEX_PARTIAL_KINDS];
} PlexPartialPart;

typedef struct {
  const PlexPartialPart *parts;
  const unsigned short  *codes;
  const int             *heads;
  unsigned              *sent;   /* [blocks] how often one has sent what it has to send */
  unsigned              *ticket; /* how many blocks of the present launch have begun; 0 between launches */
} PlexPartialArgs;

#endif
