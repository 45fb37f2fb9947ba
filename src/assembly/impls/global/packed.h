/* global_row where element data lie element by element, of a symmetric form half of them: cuda/assembly/packed.cuh has the idea */
#pragma once

#include "../common/blocks.h"
#include "../../integrate/lines.h"
#include "seats.h"
#include <assembly/packed_args.h>

typedef enum {
  PLEX_PACKED_NONE,
  PLEX_PACKED_LINES, /* hexahedra of order 2, by sums over one direction after the other */
  PLEX_PACKED_TENSOR /* large elements by tensors, on tensor units */
} PlexPackedKind;

typedef struct {
  PlexPackedKind  kind;
  PlexLineTables  tables;     /* of lines */
  PetscInt        registers;  /* of a lane that rows are summed in; 0: they are in shared memory */
  PetscInt        longest;    /* there: targets of the longest row */
  PetscInt        placeBytes; /* and of the place of an entry in its row */
  unsigned short *order;      /* and on the device that of PlexPackedArgs */
  void           *K;          /* of tensors: fragments of K[entries][numbers of G] on the device */
} PlexPacked;

/* Rows of a pass */
typedef struct {
  PetscInt       nrows, fresh; /* rows, or parts of them, and the first one that adds to what an earlier pass has left */
  PetscInt       grid;         /* blocks that sum them */
  double         bytes;        /* read, but for element data */
  PlexPackedArgs device;
  PlexSeatsArgs  seats; /* in its place, if sums are in registers */
} PlexPackedRows;

/* Whether this way serves a product, and with it the sizes of the product; else nothing is done */
PETSC_INTERN PetscErrorCode PlexPackedChoose_Private(PlexAssembly, PlexProduct *, PlexPacked *);
PETSC_INTERN PetscErrorCode PlexPackedDestroy_Private(PlexAssembly, PlexPacked *);
/* Elements of a block, whose numbers and nodal data have room */
PETSC_INTERN PetscInt PlexPackedElements_Private(PlexAssembly, PlexProduct *, const PlexPacked *, size_t budget);
/* Rows dofs[nrows] as the blocks b0 .. b1-1 contribute to them; those from `fresh` on add to what an earlier pass has left */
PETSC_INTERN PetscErrorCode PlexPackedRowsCreate_Private(PlexAssembly, PlexProduct *, PlexPacked *, const PlexBlocks *, PetscInt b0, PetscInt b1, PetscInt nrows, PetscInt fresh, const int dofs[], PlexPackedRows *);
PETSC_INTERN PetscErrorCode PlexPackedRowsDestroy_Private(PlexAssembly, PlexPackedRows *);
/* The kernels. shared: bytes that the first one needs; sums: the second one; block: threads of the second one */
PETSC_INTERN PetscErrorCode PlexPackedCompile_Private(PlexAssembly, PlexProduct *, const PlexPacked *, const PlexBlocks *, size_t *shared, size_t *sums, PetscInt *block);
/* Operations of all elements */
PETSC_INTERN PetscErrorCode PlexPackedCountFlops_Private(PlexAssembly, PlexProduct *, const PlexPacked *, double *flops);
