/* shared_nz by partial sums: element matrices of parts of the mesh, each computed once. cuda/assembly/partial.cuh has the idea */
#pragma once

#include "../common/blocks.h"
#include "../../integrate/lines.h"
#include <assembly/partial_args.h>

typedef struct {
  PlexBlocks      blocks;
  PlexLineTables  tables;
  PetscInt        halves;                  /* of a part, of PLEX_PARTIAL_LANES elements each */
  size_t          shared;                  /* bytes of shared memory of a block */
  PetscInt        places;                  /* of entries in it, of each half */
  PetscBool       zero;                    /* some targets are written by nobody */
  double          complete, written, sums; /* targets that one part sums alone, and those of rows of several parts; partial sums */
  double          codes, conflicts;        /* bytes that say what is summed; reads of shared memory over those that there would be without bank conflicts */
  PetscInt        nrows, nunits;           /* rows of partial sums, and units of chunks of them; */
  double          heads, shapes;           /* bytes that say which they are, and of what they have in common */
  PlexPartialArgs device;
  void           *partial; /* [sums] */
  PlexKernel      reduce;
  PetscInt        reduceGrid;
} PlexPartial;

/* What is summed, on the host, while it is made: partialparts.c, partialrows.c */
typedef struct {
  PlexAssembly          asm_;
  const PlexBlocks     *blocks;
  PetscInt              elements; /* of a part, most */
  PetscInt              places;   /* of entries in shared memory, of each half of a part */
  const unsigned short *place;    /* [ef][ef] of an entry */
  const unsigned char  *shift;    /* [ef][ef] by what the elements of a half are shifted there, */
  const unsigned char  *turn;     /* and then turned: element k is in lane ((k + shift) % PLEX_PARTIAL_LANES) ^ turn */
  unsigned short        zero;     /* code of a number that is zero */
} PlexPartialLayout;

/* What a part has of a row: partial sums side by side */
typedef struct {
  int l;     /* local dof */
  int first; /* partial sum; until the part is complete, from the first of its class on */
  int n, at; /* so many, and where their targets are, counted in the row */
  int class;
} PlexPartialRun;

/* Chunks and codes of all parts, and the rows to which several of them add; *serves false: there are too many */
PETSC_INTERN PetscErrorCode PlexPartialFill_Private(const PlexPartialLayout *, PlexPartial *, PetscBool *serves);
/* Those rows; *serves false: one has too many runs */
PETSC_INTERN PetscErrorCode PlexPartialFillRows_Private(PlexAssembly, PetscInt nruns, const PlexPartialRun[], const unsigned short places[], PlexPartial *, PetscBool *serves);

/* Whether this way serves a product, and the plan with its kernels if it does; else nothing is done */
PETSC_INTERN PetscErrorCode PlexPartialCreate_Private(PlexAssembly, PlexProduct *, PetscBool *serves, PlexPartial *);
PETSC_INTERN PetscErrorCode PlexPartialLaunch_Private(PlexAssembly, PlexProduct *, PlexPartial *, PlexKernel, const void *args);
PETSC_INTERN PetscErrorCode PlexPartialDestroy_Private(PlexAssembly, PlexPartial *);
PETSC_INTERN PetscErrorCode PlexPartialView_Private(const PlexPartial *, PetscInt Ne, PetscViewer);
