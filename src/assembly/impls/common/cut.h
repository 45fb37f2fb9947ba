/* An order of the mesh nodes along a curve, and blocks of such an order with lists of what they touch */
#pragma once

#include <plexgpu/private/assemblyimpl.h>

/* Mesh nodes along a Hilbert curve */
typedef struct {
  PetscInt  n;        /* mesh nodes */
  int      *nodes;    /* [n] in their order */
  int      *lead;     /* [n] a dof of nodes[k] that has a row and elements, which all its dofs share; -1: none */
  PlexLists dofs;     /* of a mesh node its local dofs */
  PlexLists elements; /* of a local dof the elements that have it, ascending */
} PlexNodeOrder;

PETSC_INTERN PetscErrorCode PlexNodeOrderCreate_Private(PlexAssembly, PlexNodeOrder *);
/* Sorts by keys[n], which belong to nodes[0], nodes[1], ... and are sorted too; equal ones stay in their order */
PETSC_INTERN PetscErrorCode PlexNodeOrderSort_Private(PlexNodeOrder *, int keys[]);
PETSC_INTERN PetscErrorCode PlexNodeOrderDestroy_Private(PlexNodeOrder *);

/* Fetches what rows of later mesh nodes are made of, each level of it when the one before has come */
static inline void PlexNodeOrderFetch(const PlexNodeOrder *order, PlexAssembly asm_, PetscInt k)
{
  const PlexElements el    = asm_->elements;
  const PetscInt    *start = order->elements.start;
  PetscInt           n, l;

  if (k + 3 * PLEX_FETCH_AHEAD >= order->n) return;
  n = order->nodes[k + 3 * PLEX_FETCH_AHEAD];
  l = PetscMax(0, order->lead[k + 3 * PLEX_FETCH_AHEAD]);
  PlexFetch(&order->dofs.start[n]);
  PlexFetch(&start[l]);
  PlexFetch(&asm_->pattern->row[l]);
  n = order->nodes[k + 2 * PLEX_FETCH_AHEAD];
  l = PetscMax(0, order->lead[k + 2 * PLEX_FETCH_AHEAD]);
  PlexFetch(&order->dofs.items[order->dofs.start[n]]);
  PlexFetch(&order->elements.items[start[l]]);
  PlexFetch(&asm_->pattern->i[PetscMax(0, asm_->pattern->row[l])]);
  l = PetscMax(0, order->lead[k + PLEX_FETCH_AHEAD]);
  for (PetscInt t = start[l]; t < start[l + 1]; ++t)
    PlexFetch(&el->vertices[(size_t)order->elements.items[t] * (size_t)el->Nv]);
}

/* What a block lists without repetition, in the order in which its items come to it */
typedef struct {
  PetscInt   k;         /* things of an element, */
  const int *conn;      /* [Ne][k]; NULL: the elements themselves */
  PetscInt  *start;     /* [nblocks+1] */
  int       *items;     /* of all blocks */
  PetscInt   allocated; /* items */
  int       *stamp;     /* of a thing: the last block that lists it */
} PlexCutList;

#define PLEX_CUT_LISTS 3

/* Blocks: runs of n items, each with the elements around it */
typedef struct {
  PetscInt         n;
  const int       *item;   /* [n] list of `around`, or -1: no elements */
  const PlexLists *around; /* NULL: an item is an element */
  PetscInt         nblocks, allocated;
  PetscInt        *start; /* [nblocks+1] into item */
  int              mark;  /* of the last block in the lists' stamps */
  PetscInt         nlists;
  PlexCutList      list[PLEX_CUT_LISTS]; /* the first one: elements, only counted where they are the items */
} PlexCut;

/* Whether items first .. end-1 may be a block, with so many things in each list */
typedef PetscBool (*PlexCutFits)(const PlexCut *, PetscInt first, PetscInt end, const PetscInt counts[], void *ctx);

PETSC_INTERN PetscErrorCode PlexCutCreate_Private(PetscInt n, const int item[], const PlexLists *around, PetscInt Ne,
                                                  PlexCut *);
/* Has blocks list the things conn[Ne][k], out of n, of their elements too */
PETSC_INTERN PetscErrorCode PlexCutAddList_Private(PlexCut *, PetscInt k, const int conn[], PetscInt n);
/* One block more: up to `end`, or as long as it fits, but at least one item. fits NULL: it does */
PETSC_INTERN PetscErrorCode PlexCutNext_Private(PlexCut *, PetscInt end, PlexCutFits fits, void *ctx);
PETSC_INTERN PetscErrorCode PlexCutDestroy_Private(PlexCut *);

/* Things of block b in list q */
static inline PetscInt PlexCutCount(const PlexCut *cut, PetscInt q, PetscInt b)
{
  return cut->list[q].start[b + 1] - cut->list[q].start[b];
}

static inline int *PlexCutItems(const PlexCut *cut, PetscInt q, PetscInt b)
{
  return &cut->list[q].items[cut->list[q].start[b]];
}

/* The most things of a block */
static inline PetscInt PlexCutMost(const PlexCut *cut, PetscInt q)
{
  PetscInt most = 0;

  for (PetscInt b = 0; b < cut->nblocks; ++b) most = PetscMax(most, PlexCutCount(cut, q, b));
  return most;
}

/* number[x]: place of x in the list of block b */
static inline void PlexCutNumber(const PlexCut *cut, PetscInt q, PetscInt b, int number[])
{
  const int *items = PlexCutItems(cut, q, b), n = (int)PlexCutCount(cut, q, b);

  for (int k = 0; k < n; ++k) number[items[k]] = k;
}
