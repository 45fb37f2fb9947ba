/* shared_nz by partial sums: element matrices of parts of the mesh, each computed once. cuda/assembly/partial.cuh has the idea */
#pragma once

#include "../common/blocks.h"
#include "../../integrate/lines.h"
#include <assembly/partial_args.h>

typedef struct {
  PlexBlocks      blocks;
  PlexLineTables  tables;
  size_t          shared;         /* bytes of shared memory of a block */
  PetscInt        numbers;        /* places of entries in it, of 32 elements each */
  PetscBool       zero;           /* some targets are written by nobody */
  double          complete, written, sums; /* targets that one part sums alone, and those of rows of several parts; partial sums */
  double          codes, conflicts; /* bytes that say what is summed; reads of shared memory over those that there would be without bank conflicts */
  PetscInt        nrows;          /* rows of partial sums, */
  double          shapes;         /* and bytes of their shapes */
  PlexPartialArgs device;
  void           *partial; /* [sums] */
  PlexKernel      reduce;
  PetscInt        reduceBlock, reduceGrid;
} PlexPartial;

/* What is summed, on the host, while it is made: partialparts.c */
typedef struct {
  PlexAssembly          asm_;
  const PlexBlocks     *blocks;
  const unsigned short *place; /* [ef][ef] of an entry in shared memory, divided by the elements */
  const unsigned char  *turn;  /* [ef][ef] by what its elements are turned there */
  unsigned short        zero;  /* code of a number that is zero */
} PlexPartialLayout;

/* Chunks and codes of all parts; their partial sums row by row. *serves false: a row has too many parts, or a target too many elements */
PETSC_INTERN PetscErrorCode PlexPartialFill_Private(const PlexPartialLayout *, PlexPartial *, PetscBool *serves);

/* Whether this way serves a product, and the plan with its kernels if it does; else nothing is done */
PETSC_INTERN PetscErrorCode PlexPartialCreate_Private(PlexAssembly, PlexProduct *, PetscBool *serves, PlexPartial *);
PETSC_INTERN PetscErrorCode PlexPartialLaunch_Private(PlexAssembly, PlexProduct *, PlexPartial *, PlexKernel, const void *args);
PETSC_INTERN PetscErrorCode PlexPartialDestroy_Private(PlexAssembly, PlexPartial *);
PETSC_INTERN PetscErrorCode PlexPartialView_Private(const PlexPartial *, PetscInt Ne, PetscViewer);
