/* Blocks of elements with prefetched nodal data, rows and what they sum: shared by the global_* and local_*
   strategies */
#pragma once

#include "cut.h"
#include <plex_args.h>

typedef struct {
  PetscInt       nblocks;
  PetscInt       interleave;   /* 32 with a thread an element, else 1 */
  int           *elementStart; /* [nblocks+1] positions */
  int           *elements;     /* [positions] element, -1: padding */
  size_t         positions;
  PetscInt       mostNodes, mostDofs; /* of a block */
  size_t         sharedBytes;         /* nodal data of the largest block */
  double         bytes;               /* read by all blocks together */
  PlexBlocksArgs device;
} PlexBlocks;

PETSC_INTERN PetscErrorCode PlexBlocksDestroy_Private(PlexAssembly, PlexBlocks *);
/* Elements of a block so that their nodal data fits in `budget` bytes even where they share nothing */
PETSC_INTERN PetscInt PlexBlocksElements_Private(PlexAssembly, PlexProduct *, size_t budget);

/* Parts of the elements, and parts of the mesh nodes with the elements around each: into asm->parts, unless they are
   there */
PETSC_INTERN PetscErrorCode PlexElementParts_Private(PlexAssembly, PetscInt maxElements);
PETSC_INTERN PetscErrorCode PlexNodeParts_Private(PlexAssembly, PetscInt maxElements);
PETSC_INTERN PetscErrorCode PlexPartsReset_Private(PlexParts *);
/* order[]: local dofs by part, start[nparts+1]; for a Jacobian only those that have a row. part[Nl]: part of a dof, or
   -1. start and order NULL: part alone */
PETSC_INTERN PetscErrorCode PlexPartDofs_Private(PlexAssembly, PlexProduct *, const PlexLists *nodes, PetscInt **start,
                                                 int **order, int **part);

/* Copies list q of all blocks to the device; it is empty where blocks have none */
PETSC_INTERN PetscErrorCode PlexCutUpload_Private(PlexAssembly, const PlexCut *, PetscInt q, const int **start,
                                                  const int **items);
/* Copies a buffer to the device, and destroys it here */
PETSC_INTERN PetscErrorCode PlexBlocksUploadBuffer_Private(PlexAssembly, PlexPackBuffer *, void *device);
