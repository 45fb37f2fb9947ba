/*
  Element matrices alone, by the contraction of tensors in batches of elements (Knepley and Terrel 2011): the kernel of
  their paper and its parameters, for study. Assembly itself integrates where it sums. batch.c, batch.cu
*/
#pragma once

#include <plexgpu/private/backendimpl.h>

/* A bilinear form on affine simplices: A^e[k] = sum_g K[k][g] G^e[g], k over the entries of an element matrix, row by
   row */
typedef struct {
  PetscInt  dim;
  PetscInt  rows;      /* of an element matrix: nodes times components, node by node */
  PetscInt  nd;        /* rows^2 */
  PetscBool symmetric; /* of G only the entries a <= b are kept */
  PetscInt  ng;        /* numbers of G: dim^2, or dim (dim + 1)/2 */
  PetscReal K[3600];   /* [nd][ng] */
  PetscInt  nv;        /* coordinate nodes: dim + 1 */
  PetscReal dpsi[12];  /* [nv][dim] gradients of the coordinates' basis on the reference cell */
} PlexBatchForm;

/* Where G comes from */
typedef enum {
  PLEX_GEOMETRY_SHARED,     /* read to shared memory by the block, as in the paper */
  PLEX_GEOMETRY_PREFETCH,   /* likewise, that of the next batch while this one is computed */
  PLEX_GEOMETRY_DIRECT,     /* read by each thread */
  PLEX_GEOMETRY_COORDINATES /* not read: computed from the vertices */
} PlexBatchGeometry;
PETSC_EXTERN const char *const PlexBatchGeometries[];

/* How a matrix goes to memory */
typedef enum {
  PLEX_STORES_DIRECT, /* each thread writes its entries */
  PLEX_STORES_SHARED, /* through shared memory, so that consecutive threads write consecutive numbers */
  PLEX_STORES_BULK    /* through shared memory, from where the machine copies them by itself */
} PlexBatchStores;
PETSC_EXTERN const char *const PlexBatchStoresNames[];

#define PLEX_BLOCKS_RESIDENT (-1)

typedef struct {
  PetscInt  elementBatch; /* elements that a block takes at a time */
  PetscInt  concurrent;   /* of them computed side by side; divides elementBatch */
  PetscInt  entries;      /* a thread: divides nd; 0: all of a matrix */
  PetscBool interleave;   /* entries are stored as they are computed, else at the end of a batch */
  PetscBool unroll;       /* loops are straight-line code */
  /* that take the batches in turn; PLEX_BLOCKS_RESIDENT: as many as the device holds; 0: a block a batch */
  PetscInt          blocks;
  PlexBatchGeometry geometry;
  PlexBatchStores   stores;
} PlexBatchParameters;

typedef struct _n_PlexBatch *PlexBatch;
struct _n_PlexBatch {
  PlexBackend          backend; /* that the kernel is compiled for */
  PlexBatchForm        form;
  PlexBatchParameters  p; /* entries is not 0 */
  PlexPrecision        precision;
  PetscBool            serial; /* the host's: one thread, whose loops stand for blocks and threads */
  PetscInt             threads;
  size_t               sharedBytes;
  PlexKernelAttributes attributes;
  PetscInt             resident; /* blocks that the device holds at a time; as PLEX_BLOCKS_RESIDENT has it */
  PetscLogDouble       compileTime;
  PlexModule           module;
  PlexKernel           kernel;
};

/* Lagrange elements of `degree` on simplices with Nc components: the Laplacian (equation 7); of vectors the tensor of
   equation 14 */
PETSC_EXTERN PetscErrorCode PlexBatchFormInitialize(PetscInt dim, PetscInt degree, PetscInt Nc, PetscBool symmetric,
                                                    PlexBatchForm *);
/* G[ng] of an element with the nodes x[nv][dim]; its Jacobian determinant has to be positive */
PETSC_EXTERN PetscErrorCode PlexBatchFormGetGeometry(const PlexBatchForm *, const PetscReal x[], PetscReal G[]);
/* The parameters of the paper's best Laplacian, then what the options -plex_assembly_element_batch and so on say */
PETSC_EXTERN PetscErrorCode PlexBatchParametersDefault(PlexBatchParameters *);
PETSC_EXTERN PetscErrorCode PlexBatchParametersSetFromOptions(const char prefix[], PlexBatchParameters *);
/* What is wrong with the parameters, in words, or an empty text */
PETSC_EXTERN PetscErrorCode PlexBatchParametersCheck(const PlexBatchForm *, PlexPrecision, const PlexBatchParameters *,
                                                     const PlexBackendLimits *, char why[], size_t size);
/* Compiles the kernel. The host backend's is compiled by the C++ compiler that the backend emulate uses, without
   emulating anything */
PETSC_EXTERN PetscErrorCode PlexBatchCreate(PlexBackend, const PlexBatchForm *, PlexPrecision,
                                            const PlexBatchParameters *, PlexBatch *);
/* A[n][nd] from G[n][ng], in the precision of the kernel, or from vertices[n][nv] and x[][dim]; all in the backend's
   memory */
PETSC_EXTERN PetscErrorCode PlexBatchIntegrate(PlexBatch, PetscInt n, const void *G, const int vertices[],
                                               const double x[], void *A);
PETSC_EXTERN PetscErrorCode PlexBatchDestroy(PlexBatch *);
