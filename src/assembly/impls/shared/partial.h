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
  PetscInt        nrows, ngroups; /* rows of partial sums, and groups of those with the same parts; */
  PetscInt        mostUnits;      /* units of all groups of a part, most; */
  double          heads, shapes;  /* bytes that say which rows there are, and of what they have in common */
  PlexPartialArgs device;
  void           *partial; /* [sums] */
} PlexPartial;

/* What is summed, on the host, while it is made: partialparts.c, partialrows.c */
typedef struct {
  PlexAssembly          asm_;
  const PlexBlocks     *blocks;
  const unsigned short *place; /* [ef][ef] of an entry in shared memory, divided by the elements */
  const unsigned char  *turn;  /* [ef][ef] by what its elements are turned there */
  unsigned short        zero;  /* code of a number that is zero */
} PlexPartialLayout;

/* Dofs to which several parts add, and the groups of those with the same parts: partialgroups.c */
typedef struct {
  PetscInt  n, ngroups;
  int      *group;      /* [Nl] of a dof, -1: one part has all its elements, or it has no row */
  PetscInt *dofs;       /* [n] those dofs, group by group and in their order */
  PetscInt *start;      /* [ngroups + 1] of each group in dofs */
  PetscInt *partStart;  /* [ngroups + 1] and of its parts in */
  PetscInt *parts;      /* which they are, ascending */
} PlexPartialGroups;

/* What a part has of a row: partial sums side by side */
typedef struct {
  int l;     /* local dof */
  int first; /* partial sum; until the part is complete, from the first of its class on */
  int n, at; /* so many, and where their targets are, counted in the row */
  int class;
} PlexPartialRun;

PETSC_INTERN PetscErrorCode PlexPartialGroupsCreate_Private(PlexAssembly, const PlexBlocks *, PlexPartialGroups *);
PETSC_INTERN PetscErrorCode PlexPartialGroupsDestroy_Private(PlexPartialGroups *);
/* Codes of all parts, and the rows to which several of them add; *serves false: there are too many */
PETSC_INTERN PetscErrorCode PlexPartialFill_Private(const PlexPartialLayout *, PlexPartial *, PetscBool *serves);
/* Those rows */
PETSC_INTERN PetscErrorCode PlexPartialFillRows_Private(PlexAssembly, const PlexPartialGroups *, PetscInt nparts, PlexPartialPart parts[], PetscInt nruns, const PlexPartialRun[], const unsigned short places[], PlexPartial *, PetscBool *serves);

/* Whether this way serves a product, and the plan with its kernels if it does; else nothing is done */
PETSC_INTERN PetscErrorCode PlexPartialCreate_Private(PlexAssembly, PlexProduct *, PetscBool *serves, PlexPartial *);
PETSC_INTERN PetscErrorCode PlexPartialLaunch_Private(PlexAssembly, PlexProduct *, PlexPartial *, PlexKernel, const void *args);
PETSC_INTERN PetscErrorCode PlexPartialDestroy_Private(PlexAssembly, PlexPartial *);
PETSC_INTERN PetscErrorCode PlexPartialView_Private(const PlexPartial *, PetscInt Ne, PetscViewer);
