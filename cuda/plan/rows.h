/*
  Rows of the matrix, or entries of the residual, and what each of them sums; and lists of what single targets sum,
  packed for the threads of blocks. Made in steps, rows_steps.h, which src/assembly/plan/rows.c runs for a batch of rows
  at a time.

  Index spaces besides those of blocks.h:
    r in [0, rows)           row of the batch, cut.rows
    c in [0, contributions)  contribution: a row of the data of an element, of row r start[r] .. start[r+1]-1, by
                             ascending positions of elements
    t in [0, entries)        target of the batch: entry of row r rowAt[r] + its place in the row
    s in [0, terms)          what t sums: number[t] .. number[t+1]-1
    l in [0, lists)          targets that sum anything
    b in [0, nblocks)        block of threads that sums some lists

  Packed lists are those of Cecka, Lew and Darve 2011, 4.2.3, figure 6. Four lists of 3, 2, 2 and 1 terms for two
  threads, with marks where they end (a..d), padded with 0:

    thread 0:  a a a d        packed[] = a b a b a c d c
    thread 1:  b b c c        (the threads of a block read neighbouring words)

  Longest processing time first (LPT): lists by descending length, each to the least loaded thread. Threads of one load
  wait in a queue, so that of lists of one length neighbouring threads have neighbouring ones.
*/
#ifndef PLEX_PLAN_ROWS_H
#define PLEX_PLAN_ROWS_H

#include "blocks.h"

typedef struct {
  PlexPlanBlocks cut;
  int            length; /* of a row of element data: ef, or 1 */

  /* ---- In shared memory */
  const int *itemTo; /* [elements+1] items before; NULL: elements are not there */
  const int *item;   /* [items][4] element, where its data begins, first row of it, rows */
  const int *passOf; /* [items] pass, */
  const int *passTo; /* [nblocks+1] those of the blocks before */

  /* ---- Rows. Their elements are numbered in their block, or have positions, of which those from cut.firstPosition on
     count, as many as `positions` */
  int             positions;
  int             groups;        /* of rows: blocks, or passes, which have rows of their own */
  const int      *groupRow;      /* [groups+1] */
  int            *start;         /* [rows+1] */
  int            *items;         /* [contributions] element * ef + row of its data */
  int            *of;            /* [contributions] element of the mesh */
  unsigned short *place;         /* [contributions][length] in the row; 0xffff: that dof is constrained */
  int            *ids, *lengths; /* [rows] first target, and targets */
  int            *error;         /* [1] element + 1 of an entry that the matrix lacks */

  /* ---- Rows of a pass over some of the positions */
  int      *in;   /* [Nl+1] the row is one of them; then how many are before it */
  int      *seen; /* [Nl] a pass before has written it */
  int       run;  /* 0: rows as they are in the matrix; else by their last elements, runs of so many by their number */
  plex_key *rowKeys; /* [rows] */
  int      *rowDofs; /* [rows] */

  /* ---- Lists */
  int  symmetric, nd;     /* entries of element data, of a symmetric matrix one half */
  int  interleave;        /* of element data */
  int  halves;            /* an entry and its transposed one are in one list, that of the lesser target */
  int  inOrder;           /* lists of a block are by ascending targets, not by descending length */
  int  entries;           /* targets, of which others are not listed */
  int *rowAt;             /* [rows+1] */
  int *number;            /* [entries+2] while terms are counted and filled in from [1] on */
  int *source;            /* [terms] of element data */
  int *transposed;        /* [entries] target, or -1 */
  int *listTo;            /* [entries+1] */
  int *listEntry;         /* [lists] t */
  int *most;              /* [1] terms of a list */
  int  longest;           /* its terms */
  int *targets, *mirrors; /* [lists] */

  /* ---- Packed */
  int       threads, perBlock; /* of a block; its targets, of all that there are, 0: it has those of its rows */
  int      *blockList;         /* [nblocks+1] */
  plex_key *keys;              /* [lists] block, descending length */
  int      *order;             /* [lists] */
  int      *queues;            /* [nblocks][threads + 2 (longest + 3)] work */
  int      *thread, *load;     /* [lists] */
  int      *packTo;            /* [nblocks+1] rows of packed[][threads] */
  int      *packed;
} PlexPlanRows;

/* Row m of the data of element e, if it is where rows of group g find it, else -1 */
PLEX_HOST_DEVICE int plex_rows_item(const PlexPlanRows *p, int g, int e, int m)
{
  const int at = p->cut.position ? p->cut.position[e] - p->cut.firstPosition : 0, ef = p->cut.ef;
  int       b, t;

  if (p->cut.position) return at >= 0 && at < p->positions ? at * ef + m : -1;
  b = p->itemTo ? plex_list_of(p->cut.nblocks, p->passTo, g) : g;
  t = plex_plan_number(&p->cut, b, e);
  if (!p->itemTo) return (t - p->cut.elementStart[b]) * ef + m;
  for (int k = p->itemTo[t]; k < p->itemTo[t + 1]; ++k) {
    const int *item = &p->item[4 * k];

    if (m >= item[2] && m < item[2] + item[3]) return p->passOf[k] == g ? item[1] + (m - item[2]) * p->length : -1;
  }
  return -1;
}

/* The rows of the data of elements around dof l: the next one behind m of element e, the a-th; if that is not the one
   before, m is -1 */
PLEX_HOST_DEVICE int plex_rows_next(const PlexPlanBlocks *cut, int l, int a, int m)
{
  const int *dofs = &cut->dofs[(plex_index)cut->around[a] * cut->ef];

  if (a == cut->aroundStart[l] || cut->around[a - 1] != cut->around[a]) m = -1;
  do ++m;
  while (dofs[m] != l);
  return m;
}

/* The number of rows of elements' data that a dof's row sums */
PLEX_HOST_DEVICE int plex_rows_around(const PlexPlanRows *p, int g, int l)
{
  const PlexPlanBlocks *cut = &p->cut;
  int                   n   = 0;

  for (int a = cut->aroundStart[l], m = -1; a < cut->aroundStart[l + 1]; ++a) {
    m = plex_rows_next(cut, l, a, m);
    n += plex_rows_item(p, g, cut->around[a], m) >= 0;
  }
  return n;
}

/* The entry j of contribution c is none of a row's: its column is none, or it is in the list of the transposed one */
PLEX_HOST_DEVICE int plex_rows_transposed(const PlexPlanRows *p, int c, int j)
{
  const PlexPlanBlocks *cut  = &p->cut;
  const int            *dofs = &cut->dofs[(plex_index)p->of[c] * cut->ef];
  const int             i = p->items[c] % cut->ef, row = cut->row[dofs[j]];
  const plex_int       *first = row < 0 ? 0 : &cut->j[cut->i[row]];
  const int found = row < 0 || i == j ? -1
                                      : plex_find_column(plex_plan_length(cut, dofs[j]), first, cut->column[dofs[i]]);

  return found < 0 ? -1 : (int)cut->i[row] + found;
}

/* Target t to which entry j of contribution c of row r adds, or -1 */
PLEX_HOST_DEVICE int plex_rows_entry(const PlexPlanRows *p, int r, int c, int j)
{
  const int place = p->place[(plex_index)c * p->length + j], t = p->rowAt[r] + place;

  if (place == 0xffff || t < 0 || t >= p->entries) return -1;
  if (p->halves) {
    const int transposed = plex_rows_transposed(p, c, j);

    if (transposed >= 0 && transposed < p->ids[r] + place) return -1;
    p->transposed[t] = transposed;
  }
  return t;
}

/* Where that is in the element data */
PLEX_HOST_DEVICE int plex_rows_source(const PlexPlanRows *p, int c, int j)
{
  const int ef = p->cut.ef, i = p->items[c] % ef;
  const int more = i > j ? i : j, less = i > j ? j : i;
  const int d = p->length == 1 ? i : p->symmetric ? more * (more + 1) / 2 + less : i * ef + j;

  if (p->itemTo) return p->items[c] + j;
  return (int)plex_plan_interleaved(p->interleave, p->items[c] / ef, p->nd, d);
}

PLEX_HOST_DEVICE int plex_rows_terms(const PlexPlanRows *p, int l)
{
  return p->number[p->listEntry[l] + 1] - p->number[p->listEntry[l]];
}

/* The block of threads that sums a list */
PLEX_HOST_DEVICE int plex_rows_block(const PlexPlanRows *p, int l)
{
  if (p->perBlock) return p->listEntry[l] / p->perBlock;
  return plex_list_of(p->groups, p->groupRow, plex_list_of(p->cut.rows, p->rowAt, p->listEntry[l]));
}

#endif
