/* shared_nz by partial sums: element matrices of parts of the mesh, each computed once. cuda/assembly/partial.cuh has
   the idea */
#pragma once

#include "../common/blocks.h"
#include "../../integrate/lines.h"
#include <assembly/partial_args.h>

/* halves of a part, where they have room; a block then has a multiprocessor alone, and else two share it */
#define PLEX_PARTIAL_HALVES_MOST 2

typedef struct {
  PlexBlocks     blocks;
  PlexLineTables tables;
  PetscInt       halves; /* of a part, of PLEX_PARTIAL_LANES elements each */
  size_t         shared; /* bytes of shared memory of a block */
  PetscInt       places; /* of entries in it, of each half */
  PetscBool      zero;   /* some targets are written by nobody */
  /* targets of rows that one part has alone, and of rows of several parts; partial sums that are sent */
  double alone, owned, sums;
  double mixed; /* of `owned` those that are not one or two numbers and at most one partial sum */
  /* bytes that say what is summed; reads of shared memory over those that there would be without bank conflicts */
  double          codes, conflicts;
  double          room; /* places of partial sums */
  PlexPartialArgs device;
  void           *partial; /* [room] */
  unsigned        launches;
} PlexPartial;

/* Where entries are in shared memory */
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

/* Parts of at most so many elements, at most PLEX_PARTIAL_HALVES_MOST PLEX_PARTIAL_LANES, bricks as far as there are
   any: partialbricks.c */
PETSC_INTERN PetscErrorCode PlexPartialBricks_Private(PlexElements, const PlexLineTables *, PetscInt most,
                                                      PlexLists *parts);
/* What all parts sum; *serves false: there are too many codes */
PETSC_INTERN PetscErrorCode PlexPartialFill_Private(const PlexPartialLayout *, PlexPartial *, PetscBool *serves);

/* Whether this way serves a Jacobian, as far as that is known without a plan */
PETSC_INTERN PetscErrorCode PlexPartialServe_Private(PlexAssembly, PlexProduct *, PlexLineTables *, PetscBool *serves);
/* Whether this way serves a product, and the plan with its kernels if it does; else nothing is done */
PETSC_INTERN PetscErrorCode PlexPartialCreate_Private(PlexAssembly, PlexProduct *, PetscBool *serves, PlexPartial *);
PETSC_INTERN PetscErrorCode PlexPartialLaunch_Private(PlexAssembly, PlexProduct *, PlexPartial *, PlexKernel,
                                                      const void *args);
PETSC_INTERN PetscErrorCode PlexPartialDestroy_Private(PlexAssembly, PlexPartial *);
PETSC_INTERN PetscErrorCode PlexPartialView_Private(const PlexPartial *, PetscInt Ne, PetscViewer);
