/*
  shared_nz:partial, interface reduction on a partition of the elements. cuda/assembly/partial.cuh has the idea

    partial.c     the variant: whether it serves, its sizes, kernel and launch
    structured.c  blocks of elements that are structured boxes, as far as the mesh is structured
    plan.c        rows and entries of each block, what it sends and receives, and its index lists: in the steps of
                  cuda/assembly/partial_plan.h
*/
#pragma once

#include "../../plan/blocks.h"
#include "../../integrate/lines.h"
#include <assembly/partial_plan.h>

/* halves of a block, where they have room; it then has a multiprocessor alone, and else two share one */
#define PLEX_PARTIAL_HALVES_MOST 2

typedef struct {
  PetscInt         elements; /* of a block, most */
  PetscInt         places;   /* of each half of a block */
  unsigned short   zero;     /* code of a number that is zero */
  PlexPartialPlace of[27 * 27];
} PlexPartialLayout;

typedef struct {
  PlexBlocks        blocks;
  PlexLineTables    tables;
  PlexPartialLayout layout;
  PetscInt          halves;  /* of a block, of PLEX_PARTIAL_LANES elements each */
  size_t            shared;  /* bytes of shared memory of a block */
  PetscBool         zero;    /* some entries of the matrix are written by nobody */
  double            written; /* entries of the matrix that are, */
  double            rest;    /* and entries that are in no batch */
  double            sums;    /* partial sums sent */
  double            room;    /* places of partial sums */
  double            codes;   /* bytes of index lists */
  double            made;    /* bytes of memory that the plan was made in */
  PlexPartialArgs   device;
  void             *partial; /* [room] */
  PlexKernel        kernel;
  unsigned          launches;
} PlexPartial;

/* Blocks of at most so many elements, at most PLEX_PARTIAL_HALVES_MOST PLEX_PARTIAL_LANES: structured.c */
PETSC_INTERN PetscErrorCode PlexPartialStructured_Private(PlexElements, const PlexLineTables *, PetscInt most,
                                                          PlexLists *blocks);

/* plan.c: what the blocks parts->items sum, send and receive, for a plan whose layout is known, on the device. *fit
   false: they have no room in shared memory; *serves false: there is too much of it, or the partial sums take more than
   so many bytes */
PETSC_INTERN PetscErrorCode PlexPartialPlan_Private(PlexAssembly, PlexProduct *, PlexPartial *, const PlexLists *parts,
                                                    double memory, PetscBool *fit, PetscBool *serves);
