/* Blocks of a sequence of items, with lists of what they touch */
#pragma once

#include <plexgpu/private/assemblyimpl.h>

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

/* number[x]: place of x in the list of block b */
static inline void PlexCutNumber(const PlexCut *cut, PetscInt q, PetscInt b, int number[])
{
  const int *items = PlexCutItems(cut, q, b), n = (int)PlexCutCount(cut, q, b);

  for (int k = 0; k < n; ++k) number[items[k]] = k;
}
