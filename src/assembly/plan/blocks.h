/* Blocks of elements with prefetched nodal data */
#pragma once

#include <plexgpu/private/assemblyimpl.h>
#include <plex_args.h>

typedef struct {
  PetscInt       nblocks;
  PetscInt       interleave;   /* 32 with a thread an element, else 1 */
  int           *elementStart; /* [nblocks+1] positions */
  size_t         positions;
  PetscInt       mostNodes, mostDofs; /* of a block */
  size_t         sharedBytes;         /* nodal data of the largest block */
  double         bytes;               /* read by all blocks together */
  PlexBlocksArgs device;
} PlexBlocks;

/* Elements of a block so that their nodal data fits in `budget` bytes even where they share nothing */
PETSC_INTERN PetscInt PlexBlocksElements_Private(PlexAssembly, PlexProduct *, size_t budget);

/* Parts of the elements, by METIS or runs along a curve: into asm->parts, unless they are there */
PETSC_INTERN PetscErrorCode PlexElementParts_Private(PlexAssembly, PetscInt maxElements);
