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

/* Lines of a batch, and of one with what is received */
#define PLEX_PARTIAL_LINES       8
#define PLEX_PARTIAL_OWNED_LINES 12
/* Codes of a target of the rest that are read together, and their lines */
#define PLEX_PARTIAL_REST_CODES 4
#define PLEX_PARTIAL_REST_LINES 8

/* What a block sums, in batches of at most two numbers a target: partial sums, which it sends to the block that owns
   their row; targets of rows that it has alone; targets of rows that it owns, with a partial sum that it receives. Then
   the rest, in chunks of 32: targets of the first two kinds of more numbers; and of rows that it owns */
enum {
  PLEX_PARTIAL_SENT,
  PLEX_PARTIAL_ALONE,
  PLEX_PARTIAL_OWNED,
  PLEX_PARTIAL_REST,
  PLEX_PARTIAL_REST_OWNED,
  PLEX_PARTIAL_KINDS
};

/* A kind of it. A code says where a number is in shared memory. Codes lie [batch][lane][chunk][2]; of a batch of
   rows that are owned behind these [lane][chunk] which of the partial sums it is that the block receives. Of a chunk of
   the rest, as often as it takes, [lane][4] codes of 32 bits: numbers, or with PLEX_PARTIAL_SUM what is received. Heads
   are the first target of each chunk of a batch, or where it is sent to; of the rest of each chunk its first line, from
   the kind's first one on, and how often there are codes, then [chunk][32] targets, with PLEX_PARTIAL_SUM where they
   are sent to, -1: none */
typedef struct {
  unsigned line, lines; /* the first one, which blocks that are alike have in common, and how many */
  int      n, head;     /* batches, or chunks of the rest; the first head */
} PlexPartialKind;

/* A block */
typedef struct {
  int             received, nreceived; /* the first partial sum that it receives, and how many places there are */
  int             senders, nsenders;   /* the first of the blocks that send it some, and how many they are */
  PlexPartialKind of[PLEX_PARTIAL_KINDS];
} PlexPartialPart;

typedef struct {
  const PlexPartialPart *parts;
  const unsigned short  *codes;
  const int             *heads;
  const int             *senders;
  unsigned              *sent;   /* [blocks] how often one has sent what it has to send */
  unsigned              *ticket; /* how many blocks of the present launch have begun; 0 between launches */
} PlexPartialArgs;

#endif
