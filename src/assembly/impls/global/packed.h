/* global_row where element data lie element by element, of a symmetric form half of them: cuda/assembly/packed.cuh has the idea */
#pragma once

#include "../common/blocks.h"
#include "../../integrate/lines.h"
#include <assembly/packed_args.h>

typedef enum {
  PLEX_PACKED_NONE,
  PLEX_PACKED_LINES, /* hexahedra of order 2, by sums over one direction after the other */
  PLEX_PACKED_TENSOR /* large elements by tensors, on tensor units */
} PlexPackedKind;

typedef struct {
  PlexPackedKind  kind;
  PlexLineTables  tables;     /* of lines */
  PetscInt        longest;    /* targets of the longest row */
  PetscInt        placeBytes; /* of the place of an entry in its row */
  unsigned short *order;      /* on the device: PlexPackedArgs */
  void           *K;          /* of tensors: fragments of K[entries][numbers of G] on the device */
} PlexPacked;

/* Rows of a pass */
typedef struct {
  PetscInt       nrows, grid; /* grid: blocks that sum them */
  double         bytes;       /* read, but for element data */
  PlexPackedArgs device;
} PlexPackedRows;

/* Whether this way serves a product, and with it the sizes of the product; else nothing is done */
PETSC_INTERN PetscErrorCode PlexPackedChoose_Private(PlexAssembly, PlexProduct *, PlexPacked *);
PETSC_INTERN PetscErrorCode PlexPackedDestroy_Private(PlexAssembly, PlexPacked *);
/* Elements of a block, whose numbers and nodal data have room */
PETSC_INTERN PetscInt PlexPackedElements_Private(PlexAssembly, PlexProduct *, const PlexPacked *, size_t budget);
/* Rows dofs[nrows] as the blocks b0 .. b1-1 contribute to them */
PETSC_INTERN PetscErrorCode PlexPackedRowsCreate_Private(PlexAssembly, PlexProduct *, const PlexPacked *, const PlexBlocks *, PetscInt b0, PetscInt b1, PetscInt nrows, const int dofs[], PlexPackedRows *);
PETSC_INTERN PetscErrorCode PlexPackedRowsDestroy_Private(PlexAssembly, PlexPackedRows *);
/* The kernels. shared: bytes that the first one needs; sums: the second one; block: threads of the second one */
PETSC_INTERN PetscErrorCode PlexPackedCompile_Private(PlexAssembly, PlexProduct *, const PlexPacked *, const PlexBlocks *, size_t *shared, size_t *sums, PetscInt *block);
/* Operations of all elements */
PETSC_INTERN PetscErrorCode PlexPackedCountFlops_Private(PlexAssembly, PlexProduct *, const PlexPacked *, double *flops);
