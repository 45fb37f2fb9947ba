/*
  The plan of local_row by sum factorization, in steps (lines_plan_steps.h): blocks of mesh nodes along a curve, and of
  each block its elements, coordinate nodes and dofs, its rows in warps, and the records that these sum, as lines_args.h
  has them. src/assembly/impls/local/linesplan.c runs them for a batch of blocks at a time.

  A row is shared out to 1, 2, 4 or 8 lanes, its parts, so that the sums of a full warp have room: 32 / parts rows.

  Index spaces besides those of plan/blocks.h:
    q in [0, rows)       row: by block, parts and elements around it, most first; those of a warp are chosen
    s in [0, 4 nblocks)  segment: rows of block s / 4 with 8 >> s % 4 parts
    w in [0, nwarps)     warp, segment by segment
    g in [0, groups)     group of 32 records, warp by warp
*/
#ifndef PLEX_LINES_PLAN_H
#define PLEX_LINES_PLAN_H

#include "../plan/blocks.h"
#include "lines_args.h"
#include "../plan/lanes.h"

#define PLEX_LINES_PARTS 8  /* lanes that a row is shared out to, most */
#define PLEX_LINES_BANKS 16 /* lanes that read 8 bytes at once: half a warp */
#define PLEX_LINES_TRIES 32 /* rows of which one is chosen */

/* What is the same in all blocks */
typedef struct {
  int            sums;     /* numbers that a warp sums in; */
  int            chunk;    /* of a column of these that are written at a time */
  int            words;    /* of a record, */
  int            places;   /* with so many bits of a place */
  int            together; /* lanes that read one element read the same number of it */
  int            k;        /* numbers of an element in conn[] */
  unsigned char  dof[64];  /* of node k along the lines the element's dof; */
  unsigned char  flip[64]; /* of the element's dof: entry j of its row is that of node j ^ flip, */
  unsigned short head[64]; /* and what its records begin with besides the element */
} PlexLinesLayout;

typedef struct {
  PlexPlanBlocks  cut;
  PlexLinesLayout layout;
  int             most;    /* elements of a block */
  int            *longest; /* [4] row whose elements allow for 1, 2, 4, 8 parts */

  int             nwarps, groups;
  int            *vertex, *number; /* [elements][Nv], [elements][ef] their numbers in the block */
  plex_key       *keys;            /* [rows] segment << 6 | 63 - elements, sorted */
  int            *order;           /* [rows] row q as plan/blocks.h has it: r */
  int            *itemStart;       /* [rows+1] of r */
  unsigned short *items;           /* of a row its elements, by number in the block */
  int            *warpTo;          /* [4 nblocks+1] warps of segments before */
  int            *groupTo;         /* [nwarps+1] */
  plex_key       *slot;            /* [groups][32] (r + 1) << 16 | element in the block; 0: none */
  int            *reads, *turns;   /* statistics: [4 nblocks] */
  char           *in;              /* [elements][4] whether lanes read an element */
  char           *lanes;           /* work of each thread that puts rows to lanes, */
  size_t          laneBytes;       /* so much */

  int             firstNode, firstDof, firstElement, firstWarp, firstGroup; /* of what earlier batches have */
  int            *nodeStart, *dofStart;                                     /* [nblocks+1], the latter or NULL */
  PlexLinesBlock *blocks;
  unsigned short *conn;
  PlexLinesWarp  *warps;
  int            *rows;
  unsigned       *records;
} PlexLinesPlan;

/* Numbers of a column of sums: the row's, one behind it, and as many as fill a chunk */
PLEX_PLAN int plex_lines_column(int chunk, int length)
{
  return (length + chunk) / chunk * chunk;
}

/* Columns of so many rows, as a power of two: a chunk of all columns has a number for each lane at least */
PLEX_PLAN int plex_lines_columns(int chunk, int rows)
{
  int columns = chunk == 8 ? 2 : 3;

  while (1 << columns < rows) ++columns;
  return columns;
}

/* Numbers that a full warp of rows of this length and parts sums in */
PLEX_PLAN int plex_lines_sums(int chunk, int length, int parts)
{
  return plex_lines_column(chunk, length) << plex_lines_columns(chunk, 32 / parts);
}

#endif
