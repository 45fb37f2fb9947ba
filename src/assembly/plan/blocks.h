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
  size_t         sharedBytes; /* nodal data of the largest block */
  double         bytes;       /* read by all blocks together */
  PlexBlocksArgs device;
} PlexBlocks;

/* Nodes and dofs of blocks, and the elements' numbers among those of their block: the arrays of PlexBlocksArgs, on the
   host */
typedef struct {
  PlexCut         cut; /* has the lists */
  const PetscInt *nodeStart, *dofStart;
  const int      *nodes, *dofs;
  unsigned short *conn;
} PlexBlockLists;

/* parts->items are elements; an element may be in several parts. The blocks but for what is on the device */
PETSC_INTERN PetscErrorCode PlexBlockListsCreate_Private(PlexAssembly, PlexProduct *, const PlexLists *parts,
                                                         PlexBlocks *, PlexBlockLists *);
PETSC_INTERN PetscErrorCode PlexBlockListsDestroy_Private(PlexBlockLists *);
/* The same on the device */
PETSC_INTERN PetscErrorCode PlexBlocksCreate_Private(PlexAssembly, PlexProduct *, const PlexLists *parts, PlexBlocks *);
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

/* Rows and what they sum, on the host: the arrays of PlexRowsArgs, as its names say */
typedef struct {
  PetscInt        nrows, longest;
  int            *start, *items, *ids, *length;
  unsigned short *place;
} PlexRowLists;

/* Rows dofs[0..nrows) (local dofs) as the blocks b0 .. b1-1 contribute to them; with part[] given, block b contributes
   to the rows of part b alone and items count from the block's first element, else from the first of block b0 */
PETSC_INTERN PetscErrorCode PlexRowListsCreate_Private(PlexAssembly, PlexProduct *, const PlexBlocks *, PetscInt b0,
                                                       PetscInt b1, PetscInt nrows, const int dofs[], const int part[],
                                                       PlexRowLists *);
PETSC_INTERN PetscErrorCode PlexRowListsDestroy_Private(PlexRowLists *);

typedef struct {
  PetscInt     nrows;
  PetscInt     longest; /* targets of the longest row */
  PetscInt     contributions;
  double       bytes; /* of lists, read in a launch */
  PlexRowsArgs device;
} PlexRows;

/* The same on the device */
PETSC_INTERN PetscErrorCode PlexRowsCreate_Private(PlexAssembly, PlexProduct *, const PlexBlocks *, PetscInt b0,
                                                   PetscInt b1, PetscInt nrows, const int dofs[], const int part[],
                                                   PlexRows *);
PETSC_INTERN PetscErrorCode PlexRowsDestroy_Private(PlexAssembly, PlexRows *);
/* Copies list q of all blocks to the device; it is empty where blocks have none */
PETSC_INTERN PetscErrorCode PlexCutUpload_Private(PlexAssembly, const PlexCut *, PetscInt q, const int **start,
                                                  const int **items);
/* Copies a buffer to the device, and destroys it here */
PETSC_INTERN PetscErrorCode PlexBlocksUploadBuffer_Private(PlexAssembly, PlexPackBuffer *, void *device);
