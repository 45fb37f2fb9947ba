/* Actions of a Jacobian by stored coefficients: plans. integrate/stored.h has the mathematics */
#pragma once

#include "../../integrate/host.h"
#include "../../integrate/stored.h"
#include <assembly/stored_args.h>

/* Coefficients of the elements of an integral, of one or both of A v and A^T v */
typedef struct {
  PetscInt         refct;
  PetscInt64       state;    /* number of the state that they are of; 0: of none yet */
  PetscObjectId    auxId;    /* and of this auxiliary vector, 0: there is none */
  PetscObjectState auxState; /* at this state of it */
  double           bytes;
  void            *C;        /* in the backend's memory */
  void            *physical; /* [n] D of factors, in the precision of the element data; in the host's memory */
  void            *memory;   /* on the host: what was allocated, C is within */
  PetscInt         times;    /* evaluated so far */
  PetscBool        ordered;  /* kernels have elements in blocks: [Ne] an order of theirs, or NULL, the mesh's */
  int             *order;
} PlexStoredData;

/* Elements with sums along lines, in a block and in shared memory: lines.c */
typedef struct {
  PetscInt elements;
  PetscInt row, plane, team; /* numbers from one row, plane, and element or copy to the next */
  size_t   bytes;            /* of a block */
} PlexStoredLines;

/* Elements in blocks on tensor cores (cuda/assembly/stored_blocks.cu): blocks.c. Tables of an element that is its own image
   when two coordinates are exchanged are of sums and differences of dofs at nodes that are exchanged, and of even and odd
   modes; else all is even */
typedef struct {
  PetscInt    elements, blocks;    /* of a block, all of them */
  PetscInt    split;               /* 1: it is its own image */
  PetscInt    modes[2], groups[2]; /* even and odd modes, or points, and groups of four */
  PetscInt    batch[2];            /* groups that are computed together, a divisor */
  PetscInt   *columns;             /* [Nf][2] sums and differences of a field's nodes */
  PetscInt  **node;                /* [Nf] [Nn] first nodes of pairs, those without, second nodes */
  PetscReal **table;               /* [2 Nf] sums, differences: [even, then odd modes of groups][1 + dim][columns] */
  PetscInt   *even, *odd;          /* [NC] sums and differences of a component */
  PetscInt   *at, *word, *sum;     /* [NC] its first place in an element's vector; fours and eights of both before it */
  PetscInt    stride, words, sums; /* of all components */
  PetscInt   *start;               /* [Nf][2 even, odd modes][2 sums, differences][2 jets, back] first right factor */
  PetscBool   keep;                /* dofs of 16 elements stay in registers */
  PetscBool   staged;              /* C of a block is copied to shared memory */
  PetscInt    warps, resident;     /* of a multiprocessor at a time, by registers; blocks of it, for the compiler */
  PetscInt    grid;                /* blocks of threads */
  double      dofs, shared;        /* of all blocks, those that other blocks have too */
  double      bytes;               /* of lists and numbers */
  const int  *order;               /* that of the coefficients */
  const int  *rows, *targets;      /* in local and global vectors */
} PlexStoredBlocks;

/* How kernels have elements: PLEX_STORED_... of cuda/assembly/stored_args.h */
typedef struct {
  PlexStored              s;
  PlexStoredData         *data;
  struct _PlexAssemblyOps ops; /* of the type, which are back when the product is reset */
  /* host */
  PlexHostBatch  batch;
  PlexHostStored host;
  /* on one process, of an action that is this integral alone: numbers of the elements' dofs in global vectors, -1 of
     essential ones; direct: of the product that is under way the vectors are these */
  int      *global;       /* [Ne][ef], or NULL */
  PetscBool direct, zero; /* zero: F is */
  /* kernels */
  PetscInt          layout, W; /* elements that are interleaved, or those of a block */
  PetscInt          runs, *first, *n;
  PetscInt          positions, points; /* points: in the order of the layout */
  PlexStoredArgs    args;
  size_t            shared;
  PlexStoredLines   lines;
  PlexStoredBlocks *blocks;
  PlexModule        module; /* of products; that of coefficients is the product's */
  PlexKernel        store, physical, apply;
  double           *D; /* [n] on the device, of factors */
} PlexStoredPlan;

/* Whether an action is computed so: then the product has a plan, with the entries alone, and its operations are these.
   Not collective. An error where it was asked for and cannot be done */
PETSC_INTERN PetscErrorCode PlexStoredChoose_Private(PlexAssembly, PlexProduct *);
/* Resets an action, which was set up so, where functions are known to be others now */
PETSC_INTERN PetscErrorCode PlexStoredRefresh_Private(PlexAssembly, PlexProduct *, PetscBool *current);
/* An action whose sum is this one may read and add to global vectors. Begin, if it may, and end of one that does;
   zero: that which is added to is */
PETSC_INTERN PetscBool      PlexStoredIsDirect_Private(PlexAssembly);
PETSC_INTERN PetscErrorCode PlexStoredDirectBegin_Private(PlexAssembly, PetscBool zero, PetscBool *can);
PETSC_INTERN PetscErrorCode PlexStoredDirectEnd_Private(PlexAssembly);
/* Bytes of coefficients of the actions of an assembly */
PETSC_INTERN PetscErrorCode PlexStoredGetBytes_Private(PlexAssembly owner, double *bytes);

PETSC_INTERN PetscErrorCode PlexStoredSetUpHost_Private(PlexAssembly, PlexProduct *);
PETSC_INTERN PetscErrorCode PlexStoredResetHost_Private(PlexStoredPlan *);
PETSC_INTERN PetscErrorCode PlexStoredStoreHost_Private(PlexAssembly, PlexStoredPlan *, const PlexArgs *);
PETSC_INTERN PetscErrorCode PlexStoredApplyHost_Private(PlexAssembly, PlexStoredPlan *, const PlexArgs *);
/* dim, bytes of a number, most bytes of a block */
PETSC_INTERN void PlexStoredChooseLines_Private(PlexStored, PetscInt, size_t, size_t, PlexStoredLines *);
/* Whether kernels have elements in blocks; then *blocks is what there is to know before elements are ordered */
PETSC_INTERN PetscBool      PlexStoredBlocksServe_Private(PlexAssembly, PlexStored);
PETSC_INTERN PetscErrorCode PlexStoredBlocksCreate_Private(PlexAssembly, PlexStored, PlexStoredBlocks **);
PETSC_INTERN PetscErrorCode PlexStoredBlocksDestroy_Private(PlexStored, PlexStoredBlocks **);
/* An order of the elements; tables, dofs of blocks and lists, to the device */
PETSC_INTERN PetscErrorCode PlexStoredBlocksOrder_Private(PlexElements, PlexStoredData *, PlexStoredBlocks *);
PETSC_INTERN PetscErrorCode PlexStoredBlocksUploadTables_Private(PlexAssembly, PlexProduct *, PlexStoredPlan *);
PETSC_INTERN PetscErrorCode PlexStoredBlocksUpload_Private(PlexAssembly, PlexProduct *, PlexStoredPlan *);
PETSC_INTERN PetscErrorCode PlexStoredBlocksWrite_Private(PlexStoredPlan *, FILE *);
PETSC_INTERN PetscErrorCode PlexStoredBlocksChooseThreads_Private(PlexAssembly, PlexProduct *, PlexStoredPlan *);
PETSC_INTERN PetscErrorCode PlexStoredBlocksChooseGrid_Private(PlexAssembly, const PlexProduct *, PlexStoredPlan *);
/* static __device__ constexpr int plex_stored_NAME(int k), of n values */
PETSC_INTERN void PlexStoredWriteFunction_Private(FILE *, const char name[], PetscInt n, const PetscInt values[]);
/* Numbers, to the device in the precision of the element data; they are changed */
PETSC_INTERN PetscErrorCode PlexStoredUploadReals_Private(PlexAssembly, PlexProduct *, PetscInt n, double numbers[],
                                                          const void **);
/* Points of an element in memory: blocks on tensor cores have groups of four */
PETSC_INTERN PetscInt PlexStoredPadded_Private(PlexAssembly, PlexStored);
/* Whether kernels have room for an element */
PETSC_INTERN PetscBool      PlexStoredFits_Private(PlexAssembly, PlexStored);
PETSC_INTERN PetscErrorCode PlexStoredSetUpKernels_Private(PlexAssembly, PlexProduct *);
PETSC_INTERN PetscErrorCode PlexStoredResetKernels_Private(PlexStoredPlan *);
PETSC_INTERN PetscErrorCode PlexStoredStoreKernels_Private(PlexAssembly, PlexProduct *, const PlexArgs *);
PETSC_INTERN PetscErrorCode PlexStoredApplyKernels_Private(PlexProduct *, const PlexArgs *);
