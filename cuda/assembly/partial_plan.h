/*
  The plan of shared_nz:partial, in steps (partial_plan_steps.h): what each block of elements sums, sends and receives.
  src/assembly/impls/partial/plan.c runs them for a batch of blocks at a time.

  A row is interior if one block has all elements around its dof. Other rows are owned by the last of their blocks, to
  which the others send partial sums: a message. An owner receives message by message, by ascending senders, each in the
  order of the matrix and from a whole line of the cache on.

  Index spaces besides those of plan/blocks.h, of a batch of blocks:
    b in [0, nblocks)    block of the batch, block first + b of all
    p in [0, positions)  position of an element, as PlexBlocksArgs has them, counted from the batch's first one
    d in [0, dofs)       dof of a block, block by block
    r in [0, rows)       row of a block: sorted by block, then interior, owned and sent to each owner, then as in the
                         matrix
    t in [0, entries)    entry of a row, row by row
    s in [0, segments)   segment: rows of the matrix that are contiguous, or all rows that are sent to one owner
    q                    place of a partial sum, of all blocks
    u in [0, units)      batch of a list, or chunk of the rest; l in [0, lines): line of its codes
*/
#ifndef PLEX_PARTIAL_PLAN_H
#define PLEX_PARTIAL_PLAN_H

#include "../plan/blocks.h"
#include "partial_args.h"

/* sums from one sender take a multiple of so many: a line of the cache */
#define PLEX_PARTIAL_ALIGN 16
/* places of lists by a hash of what they hold */
#define PLEX_PARTIAL_TABLE (1 << 18)
/* bits of the number of terms of an entry */
#define PLEX_PARTIAL_TERM_BITS 24

/* Where the entries of element matrices are in shared memory: 32 numbers a place, in which that of element k of a half
   is number ((k + shift) % 32) ^ turn */
typedef struct {
  unsigned short place;
  unsigned char  shift, turn;
} PlexPartialPlace;

/* What entries are of: keys of rows have it above the row. Others: the owner + PLEX_PARTIAL_OWNERS */
enum {
  PLEX_PARTIAL_INTERIOR,
  PLEX_PARTIAL_OWN,
  PLEX_PARTIAL_OWNERS
};

typedef struct {
  PlexPlanBlocks          cut;
  const PlexPartialPlace *of;             /* [ef][ef] */
  int                     all, places;    /* blocks; places of a half of a block */
  int                     rowBits, above; /* bits of a row; of what is below the block in the keys of rows */
  unsigned                zero;           /* code of a number that is zero */

  /* ---- All blocks */
  int      *last, *ahead; /* [Nl] of a dof the last block + 1; all - the first block */
  plex_key *messages;     /* [nmessages] owner << 32 | sender, ascending; while they are counted: the batch's */
  int      *counts;       /* [nmessages] sums, unsorted, */
  int      *sorted;       /* [nmessages] where a message is among these */
  int      *placeTo;      /* [nmessages+1] where they are received */
  int      *senders;      /* [nmessages] */
  int      *messageTo;    /* [all+1] messages to the blocks before, */
  int      *receivedTo;   /* [all+1] and places */
  int      *slotOf;       /* [places of all] slot of a sum + 1; 0: none. NULL: messages are counted */
  int       nmessages;

  /* ---- The batch */
  PlexPartialPart *parts;
  int              first;
  const int       *positionStart; /* [nblocks+1] */
  const int       *dofStart;      /* [nblocks+1] */
  int             *dofs;          /* [dofs] local dofs */
  unsigned short  *conn;          /* interleaved, as PlexBlocksArgs has it */
  int              at;            /* the first of the things of an element that are put there */
  int              rows, entries, segments, nrest;
  int             *rowTo;    /* [dofs+1] rows before */
  plex_key        *keys;     /* [rows] (block, what, row) */
  int             *rowDof;   /* [rows] d */
  int             *rowOf;    /* [dofs] r + 1; 0: it has no row */
  int             *rowAt;    /* [rows+1] entries before */
  int             *blockRow; /* [nblocks+1] */
  int             *in;       /* [positions][ef] r, or -1. Then the entries of places, from the last one back */
  /* [rows+1] rows of elements that add to r: items[itemTo[r]] ..., of in[], ascending */
  int            *itemTo, *items;
  unsigned short *found;          /* [positions][ef][ef] place in the row, 0xffff: none */
  int            *number;         /* [entries+1] how many numbers an entry sums, then which they are: */
  unsigned short *code;           /* code[number[t]] ..., in the order of elements */
  int            *sum, *received; /* [entries+1] and the sums that it receives, items of in[] */
  int            *sentTo;         /* [rows+1] sums that the rows before send */
  int            *segmentTo;      /* [rows+1] */
  int            *segmentRow;     /* [segments+1] */
  int            *base;           /* [segments] place of a sum, less its number in sentTo[] */
  unsigned char  *list;           /* [entries] PLEX_PARTIAL_SENT ...; _KINDS: nothing is summed */
  int            *restTo;         /* [rows+1] entries of the rest before */
  int            *written;        /* [rows+1] entries of the matrix that the block writes, before */
  plex_key       *restKeys;       /* [nrest] (block, which rest, terms descending) */
  int            *rest;           /* [nrest] t */

  /* ---- A list of it */
  int       kind, perUnit, unitHeads; /* lines and heads of a unit; lines 0: they vary */
  int       units, lines, firstLine, firstHead;
  int      *chunkTo;  /* [segments+1] chunks before */
  int      *unitTo;   /* [nblocks+1] units before */
  int      *unitLine; /* [units+1] of the rest, lines before */
  int      *lineTo;   /* [nblocks+1] */
  unsigned *codes;    /* [lines][16] */
  int      *heads;    /* the batch's */
  plex_key *hash;     /* [nblocks] of the lines */
  int      *table;    /* [PLEX_PARTIAL_TABLE] nblocks less the first block with a hash */
  int      *differs;  /* [nblocks] its lines are not those of that block */
  int      *keptTo;   /* [nblocks+1] lines that are kept, of the blocks before */
  unsigned *kept;     /* these */
} PlexPartialPlan;

/* ---- Shared by steps ---- */

PLEX_HOST_DEVICE int plex_partial_row(const PlexPartialPlan *p, int r)
{
  return (int)(p->keys[r] & (((plex_key)1 << p->rowBits) - 1));
}

PLEX_HOST_DEVICE int plex_partial_block(const PlexPartialPlan *p, int r)
{
  return (int)(p->keys[r] >> p->above);
}

/* PLEX_PARTIAL_INTERIOR, _OWN, or the owner + _OWNERS */
PLEX_HOST_DEVICE int plex_partial_what(const PlexPartialPlan *p, int r)
{
  return (int)(p->keys[r] >> p->rowBits & (((plex_key)1 << (p->above - p->rowBits)) - 1));
}

/* The row's first slot */
PLEX_HOST_DEVICE int plex_partial_slot(const PlexPartialPlan *p, int r)
{
  return (int)p->cut.i[plex_partial_row(p, r)];
}

PLEX_HOST_DEVICE int plex_partial_segment(const PlexPartialPlan *p, int r)
{
  return p->segmentTo[r + 1] - 1;
}

/* Numbers of an entry, before their lists are there and afterwards; sums that it receives */
PLEX_HOST_DEVICE int plex_partial_numbers(const PlexPartialPlan *p, int t)
{
  return p->number[t + 1] - p->number[t];
}
PLEX_HOST_DEVICE int plex_partial_sums(const PlexPartialPlan *p, int t)
{
  return p->sum[t + 1] - p->sum[t];
}

/* Code of entry (i, j), number ij, of the element at a position of block b: the place in shared memory */
PLEX_HOST_DEVICE unsigned short plex_partial_code(const PlexPartialPlan *p, int b, int position, int ij)
{
  const int              at = position - p->positionStart[b];
  const PlexPartialPlace of = p->of[ij];

  return (unsigned short)((at / PLEX_PARTIAL_LANES * p->places + of.place) * PLEX_PARTIAL_LANES +
                          ((at + of.shift) % PLEX_PARTIAL_LANES ^ of.turn));
}

/* The k-th sum that it receives, those of the last sender first: its place among all that the block receives */
PLEX_HOST_DEVICE int plex_partial_sum_code(const PlexPartialPlan *p, int b, int t, int k)
{
  const int end = p->receivedTo[p->first + p->cut.nblocks];

  return end - 1 - p->received[p->sum[t] + k] - p->receivedTo[p->first + b];
}

/* The rest of a block: where it begins in restKeys[], in the list that is made */
PLEX_HOST_DEVICE int plex_partial_rest_begin(const PlexPartialPlan *p, int b, int owned)
{
  return (int)plex_lower_key(p->nrest, p->restKeys, (plex_key)(2 * b + owned) << PLEX_PARTIAL_TERM_BITS);
}

/* The block whose lines hold what those of block b do, if these are the same; it is the first one of its hash */
PLEX_HOST_DEVICE int plex_partial_alike(const PlexPartialPlan *p, int b)
{
  return p->lineTo[b + 1] == p->lineTo[b] ? b : p->cut.nblocks - p->table[p->hash[b] & (PLEX_PARTIAL_TABLE - 1)];
}
PLEX_HOST_DEVICE int plex_partial_same(const PlexPartialPlan *p, int b)
{
  return p->differs[b] ? b : plex_partial_alike(p, b);
}

#endif
