/*
  Type separate: the kernels of Kloeckner, Warburton, Bridge and Hesthaven (2009), sections 4 and 5, one after the other

    gather         flux = Fscale times equation 5 at the nodes of all faces
    reference      in flux form: fluxes along the reference coordinates
    differentiate  volume = derivatives of the fields; in flux form, of the reference fluxes, summed
    lift           lifted = L flux
    update         r from volume, lifted and sources; or a stage of a low-storage scheme

  and the choices that each of them leaves, which their Table 3 lists.
*/
#pragma once

#include <plexgpu/private/dgimpl.h>
#include <dg/separate_args.h>

typedef enum {
  PLEX_DG_GATHER,
  PLEX_DG_REFERENCE, /* of nonlinear systems alone */
  PLEX_DG_DIFFERENTIATE,
  PLEX_DG_LIFT,
  PLEX_DG_UPDATE,
  PLEX_DG_PARTS
} PlexDGPartKind;
PETSC_INTERN const char *const PlexDGPartNames_Private[PLEX_DG_PARTS];

typedef enum {
  PLEX_DG_GATHER_FACES, /* each face by itself */
  PLEX_DG_GATHER_BLOCKS /* Algorithm 3: pairs of faces in blocks of elements */
} PlexDGGatherWay;
PETSC_INTERN const char *const PlexDGGatherWays_Private[];

typedef enum {
  PLEX_DG_PARTITION_METIS,
  PLEX_DG_PARTITION_GREEDY, /* Algorithm 2 */
  PLEX_DG_PARTITION_CURVE   /* runs of the elements in their order, which is along a curve */
} PlexDGPartition;
PETSC_INTERN const char *const PlexDGPartitions_Private[];

typedef enum {
  PLEX_DG_SHARED_FIELD, /* Algorithm 1 */
  PLEX_DG_SHARED_MATRIX /* Algorithm 4 */
} PlexDGShared;
PETSC_INTERN const char *const PlexDGSharedWays_Private[];

/* How differentiation or lifting is split: what is in shared memory, and w_p, w_i, w_s units in parallel, inline and in
   sequence */
typedef struct {
  PlexDGShared shared;
  PetscInt     parallel, inlined, sequential;
  PetscInt     rows; /* of a segment of the matrix; 0: as many as fit */
} PlexDGWork;

/* A line of Table 3 */
typedef struct {
  PetscInt        microblock; /* K_M, elements of a microblock */
  PetscInt        align;      /* 16 or 32: of what microblocks are padded to a multiple */
  PlexDGGatherWay gather;
  PlexDGPartition partition;
  PetscInt        microblocks; /* M_B, of a block of the gather */
  PetscInt        pairs;       /* w_p of the gather: pairs of faces at a time */
  PlexDGWork      differentiate, lift;
} PlexDGTable;

/* Whether an option has set a choice, which tuning then leaves alone */
typedef struct {
  PetscBool microblock, gather, microblocks, partition, pairs;
  PetscBool shared[2], workers[2]; /* of differentiation and lift */
  char      text[512];
} PlexDGFixed;

/* Elements that are computed by one launch, and the microblocks where they are */
typedef struct {
  PetscInt first, end;  /* elements */
  PetscInt begin, stop; /* microblocks */
} PlexDGRange;

typedef struct {
  PlexDGTable        table;
  PetscInt           NPM, NFM, NGM;                      /* padded sizes of units */
  PetscInt           nM;                                 /* microblocks */
  PlexDGRange        range[2];                           /* elements without, and with, faces of other processes */
  PetscInt           interior, exterior, boundary, most; /* pairs of each kind in all blocks; of a block at most */
  PetscInt           nblocks;
  int               *element; /* in the backend's memory, these and the following, as PlexDGSeparateArgs has them */
  PlexDGPair        *pairs;
  PlexDGGatherBlock *blocks;
  void              *normals, *flux, *reference, *volume, *lifted;
  PlexModule         module[PLEX_DG_PARTS][2]; /* of right-hand sides, and of stages */
  PlexKernel         kernel[PLEX_DG_PARTS][2];
  char               tuned[256]; /* for the view; empty: not tuned */
} PlexDGSeparate;

/* ---- table.c: choices that nobody has made, and those of the options */
PETSC_INTERN PetscErrorCode PlexDGTableSetDefault_Private(PlexDG, PlexDGTable *);
PETSC_INTERN PetscErrorCode PlexDGTableSetFromOptions_Private(PlexDG, PlexDGTable *);
PETSC_INTERN PetscErrorCode PlexDGTableGetFixed_Private(PlexDG, PlexDGFixed *);
/* The smallest number of elements whose padding to a multiple of align is less than 5 % */
PETSC_INTERN PetscInt PlexDGMicroblockSize_Private(PetscInt Np, PetscInt align);

/* ---- blocks.c: elements of a range in blocks of at most `most`. order[n], start[nblocks + 1]; both PetscFree()d */
PETSC_INTERN PetscErrorCode PlexDGPartitionRange_Private(PlexDG, PlexDGPartition, PetscInt first, PetscInt end,
                                                         PetscInt most, PetscInt *nblocks, PetscInt **start,
                                                         int **order);

/* ---- layout.c: microblocks, pairs of faces and arrays, by the table */
PETSC_INTERN PetscErrorCode PlexDGLayoutSetUp_Private(PlexDG, PlexDGSeparate *);
PETSC_INTERN PetscErrorCode PlexDGLayoutReset_Private(PlexDG, PlexDGSeparate *);

/* ---- parts.c: kernels */
PETSC_INTERN PetscBool      PlexDGPartExists_Private(PlexDG, PlexDGPartKind);
PETSC_INTERN PetscErrorCode PlexDGPartCompile_Private(PlexDG, PlexDGSeparate *, PlexDGPartKind, PetscBool stage);
PETSC_INTERN PetscErrorCode PlexDGPartLaunch_Private(PlexDG, PlexDGSeparate *, PlexDGPartKind, const PlexDGRange *,
                                                     const PlexDGArgs *, const PlexDGStage *);
PETSC_INTERN PetscErrorCode PlexDGPartReset_Private(PlexDGSeparate *, PlexDGPartKind);
/* Whether a launch has the shared memory and threads that it needs */
PETSC_INTERN PetscErrorCode PlexDGPartFits_Private(PlexDG, PlexDGSeparate *, PlexDGPartKind, PetscBool *fits,
                                                   char why[], size_t size);
/* Bytes and flops of a part for all elements, in one right-hand side */
PETSC_INTERN PetscErrorCode PlexDGPartCost_Private(PlexDG, PlexDGSeparate *, PlexDGPartKind, double *bytes,
                                                   double *flops);

/* ---- tune.c: the fastest line of the table, from an archive or measured, if -plex_dg_tune asks for it; sets up by
   it */
PETSC_INTERN PetscErrorCode PlexDGTune_Private(PlexDG, PlexDGSeparate *);
