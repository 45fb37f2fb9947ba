/*
  The inside of PlexGPU: what an assembly strategy or a backend is made of. Include this to write one of your own.

  Index spaces, used throughout:
    e in [0, Ne)    element (a cell that is integrated)
    i, j in [0, ef) element dof, PETSc's closure order: (field f, node n, component c) -> offset[f] + n*Nc[f] + c
    l in [0, Nl)    local dof: entry of a local vector, constrained dofs included
    r in [0, m)     matrix row (constrained dofs have none)
    s in [0, nnz)   slot: position in the matrix's CSR values, or behind them in those of the interface rows of a distributed matrix
*/
#pragma once

#include <plexgpu.h>
#include <plexgpu/util.h>
#include <petsc/private/petscimpl.h>
#include <petscsf.h>

/* ------------------------------------------------------------------------------------------------------------------
   Backend: memory, modules of compiled kernels, launches. src/backend/
   ------------------------------------------------------------------------------------------------------------------ */

typedef struct _n_PlexModule *PlexModule; /* compiled device source */
typedef struct _n_PlexKernel *PlexKernel; /* one kernel of a module; lives as long as the module */

typedef struct {
  char     name[256];          /* "NVIDIA H200" */
  char     arch[32];           /* "sm_90" */
  size_t   memory;             /* bytes of device memory */
  size_t   memoryFree;         /* bytes free when last asked */
  size_t   sharedPerBlock;     /* bytes of shared memory that one block may have (opt-in limit) */
  size_t   sharedPerProcessor; /* bytes of shared memory of one multiprocessor */
  size_t   cacheL2;            /* bytes */
  PetscInt multiprocessors;
  PetscInt threadsPerBlock; /* most threads of a block */
  PetscInt warpSize;
} PlexBackendLimits;

typedef struct {
  PetscInt registers;       /* a thread */
  PetscInt threadsPerBlock; /* most threads a block of this kernel may have */
  size_t   localBytes;      /* local memory a thread: spilled registers and indexed arrays */
  size_t   sharedBytes;     /* static shared memory a block */
} PlexKernelAttributes;

/* Launches, copies and zeroing go to one queue at a time, and wait there for what was given to it before. A device works on both at
   once; without a device there is no difference. */
typedef enum {
  PLEX_QUEUE_MAIN, /* PETSc's own work is there too: what it is to see ends there */
  PLEX_QUEUE_SIDE
} PlexQueue;

/* C = beta C + alpha A B, in the backend's memory and of one precision; first index slowest */
typedef struct {
  PetscInt    rows, columns, inner;
  double      alpha, beta;
  const void *A; /* [inner][rows] */
  const void *B; /* [columns][inner] */
  void       *C; /* [columns][rows] */
} PlexGemm;

typedef struct _PlexBackendOps *PlexBackendOps;
struct _PlexBackendOps {
  PetscErrorCode (*destroy)(PlexBackend);
  PetscErrorCode (*getlimits)(PlexBackend, PlexBackendLimits *);
  PetscErrorCode (*malloc)(PlexBackend, size_t, void **);
  PetscErrorCode (*free)(PlexBackend, void *);
  PetscErrorCode (*copyin)(PlexBackend, void *, const void *, size_t);  /* device <- host */
  PetscErrorCode (*copyout)(PlexBackend, void *, const void *, size_t); /* host <- device */
  PetscErrorCode (*copy)(PlexBackend, void *, const void *, size_t);    /* device <- device */
  PetscErrorCode (*zero)(PlexBackend, void *, size_t);
  PetscErrorCode (*compile)(PlexBackend, const char[], PetscInt, const char *const[], const char[], PlexModule);
  PetscErrorCode (*moduledestroy)(PlexModule);
  PetscErrorCode (*getkernel)(PlexModule, const char[], PlexKernel);
  PetscErrorCode (*getvariable)(PlexModule, const char[], void **, size_t *); /* in the backend's memory; NULL: there is none */
  PetscErrorCode (*launch)(PlexKernel, PetscInt, PetscInt, size_t, void **);
  PetscErrorCode (*attributes)(PlexKernel, PlexKernelAttributes *);
  PetscErrorCode (*setqueue)(PlexBackend, PlexQueue, PetscBool); /* NULL: one queue */
  PetscErrorCode (*synchronize)(PlexBackend);
  PetscErrorCode (*timerbegin)(PlexBackend);                            /* of place `timers` */
  PetscErrorCode (*timerend)(PlexBackend, PetscLogDouble *);            /* seconds of device time since timerbegin of that place; waits */
  PetscErrorCode (*gemm)(PlexBackend, PlexPrecision, const PlexGemm *); /* NULL: none */
};

struct _p_PlexBackend {
  PETSCHEADER(struct _PlexBackendOps);
  PetscBool         device;    /* memory is apart from the host's: pointers are not dereferenced on the host */
  PetscBool         kernels;   /* compiles and launches kernels (host does not) */
  double            bandwidth; /* copy bandwidth in B/s, read plus written; 0 until measured */
  double            recalled;  /* likewise, as PlexBackendRecallCopyBandwidth() found it; 0 until then */
  void             *data;
  PlexBackendLimits limits; /* as found when created; PlexBackendGetLimits() asks again for the free memory */
  PetscInt          timers; /* timers that have begun, and not ended: each has its own place in what a backend keeps of them */
  PlexBackend       next;   /* list of this process's backends: one a type */
};

/* A PlexModule holds its backend and the backend's own handle; likewise a kernel. */
struct _n_PlexModule {
  PlexBackend backend;
  char       *name; /* for messages and the cache's file name */
  void       *handle;
  PlexKernel  kernels;   /* list of those asked for */
  PetscBool   fromCache; /* found on disk */
};
struct _n_PlexKernel {
  PlexModule module;
  char      *name;
  void      *handle;
  size_t     sharedLimit; /* dynamic shared memory granted so far, bytes */
  PlexKernel next;
};

PETSC_EXTERN PetscErrorCode PlexBackendRegisterAll(void);
PETSC_EXTERN PetscErrorCode PlexBackendFinalize(void);
PETSC_EXTERN PetscErrorCode PlexBackendGetLimits(PlexBackend, PlexBackendLimits *);
PETSC_EXTERN PetscErrorCode PlexBackendMalloc(PlexBackend, size_t, void **); /* error names needed and free bytes */
PETSC_EXTERN PetscErrorCode PlexBackendFree(PlexBackend, void **);
PETSC_EXTERN PetscErrorCode PlexBackendCopyIn(PlexBackend, void *, const void *, size_t);
PETSC_EXTERN PetscErrorCode PlexBackendCopyOut(PlexBackend, void *, const void *, size_t);
PETSC_EXTERN PetscErrorCode PlexBackendCopy(PlexBackend, void *, const void *, size_t);
PETSC_EXTERN PetscErrorCode PlexBackendZero(PlexBackend, void *, size_t);
PETSC_EXTERN PetscErrorCode PlexBackendUpload(PlexBackend, const void *, size_t, void **); /* malloc and copy in; no bytes: NULL */
/* A list of arrays in a backend's memory, all freed at once: empty if it is zero */
typedef struct {
  void   **arrays; /* [allocated], of them n */
  PetscInt n, allocated;
  double   bytes; /* of all */
} PlexMemory;
PETSC_EXTERN PetscErrorCode PlexMemoryUpload(PlexBackend, PlexMemory *, const void *, size_t, const void **); /* PlexBackendUpload() */
PETSC_EXTERN PetscErrorCode PlexMemoryAllocate(PlexBackend, PlexMemory *, size_t, void **);                   /* PlexBackendMalloc() */
PETSC_EXTERN PetscErrorCode PlexMemoryFree(PlexBackend, PlexMemory *);
/* Memory of the host that a device copies to and from without a detour: pinned where PETSc has CUDA */
PETSC_EXTERN PetscErrorCode PlexBackendStagingMalloc(size_t n, PetscScalar **);
PETSC_EXTERN PetscErrorCode PlexBackendStagingFree(PetscScalar **);
/* The queue of all that follows; after: it waits for what the other one was given so far */
PETSC_EXTERN PetscErrorCode PlexBackendSetQueue(PlexBackend, PlexQueue, PetscBool after);
PETSC_EXTERN PetscErrorCode PlexBackendSynchronize(PlexBackend); /* waits for the present queue */
/* By the library of the backend; does not wait */
PETSC_EXTERN PetscErrorCode PlexBackendGemm(PlexBackend, PlexPrecision, const PlexGemm *);
/* Matrices [rows][columns] in the order in which a warp's tensor units read them (PlexUnitB of cuda/dg/unit.cuh), fragments[tiles][steps][matrices][32 lanes], of 8 rows a tile and 4
   columns a step, or 8 in single precision, and a few of zeros behind the last; PetscFree() it. In single precision a lane has four numbers: a number is the sum of
   two of 11 bits, and the high ones of both its columns come before the low ones */
PETSC_EXTERN PetscErrorCode PlexFragmentsCreate(PlexPrecision, PetscInt tiles, PetscInt nmatrices, const PetscReal matrices[], PetscInt rows, PetscInt columns, size_t *n, PetscReal *fragments[]);
PETSC_EXTERN PetscInt       PlexFragmentColumns(PlexPrecision);            /* of a step */
PETSC_EXTERN PetscInt       PlexFragmentStride(PlexPrecision, PetscInt n); /* between rows of n numbers in shared memory, as many as fill steps, that lanes read the other factor's from: they meet in no bank */
PETSC_EXTERN PetscBool      PlexBackendHasUnits(PlexBackend);              /* kernels of a backend may use these units: compute capability 8.0 on, or no GPU */

#define PLEX_MAX_TIMERS 8 /* one within the other */
PETSC_EXTERN PetscErrorCode PlexBackendTimerBegin(PlexBackend);
PETSC_EXTERN PetscErrorCode PlexBackendTimerEnd(PlexBackend, PetscLogDouble *);
PETSC_EXTERN PetscErrorCode PlexBackendGetCopyBandwidth(PlexBackend, double *);
PETSC_EXTERN PetscErrorCode PlexBackendRecallCopyBandwidth(PlexBackend, double *);

/* Compiles `source` (C++ text that may #include "..." files of the folder cuda/) with -D definitions; cached on disk. */
PETSC_EXTERN PetscErrorCode PlexBackendCompile(PlexBackend, const char name[], PetscInt ndefines, const char *const defines[], const char source[], PlexModule *);
/* Compiles with NVRTC for "sm_90" and the like, which needs no GPU; cached on disk like any kernel. Says the cubin's bytes. */
PETSC_EXTERN PetscErrorCode PlexCompileOnly_CUDA(const char name[], PetscInt ndefines, const char *const defines[], const char source[], const char arch[], size_t *cubinSize);
PETSC_EXTERN PetscErrorCode PlexModuleDestroy(PlexModule *);
PETSC_EXTERN PetscErrorCode PlexModuleGetKernel(PlexModule, const char[], PlexKernel *);
PETSC_EXTERN PetscErrorCode PlexModuleGetVariable(PlexModule, const char[], void **, size_t *bytes); /* a PLEX_MODULE_VARIABLES of the source */
PETSC_EXTERN PetscErrorCode PlexKernelLaunch(PlexKernel, PetscInt grid, PetscInt block, size_t sharedBytes, void *args[]);
PETSC_EXTERN PetscErrorCode PlexKernelGetAttributes(PlexKernel, PlexKernelAttributes *);

/* Arrays of PETSc's objects in the backend's memory: in place where the object lives there, through a mirror where not. */
typedef enum {
  PLEX_READ,
  PLEX_WRITE, /* what is there is not kept, every entry is to be written */
  PLEX_CHANGE /* read and written */
} PlexAccess;
typedef struct {
  PetscObject      object;
  PetscScalar     *array;  /* in the backend's memory */
  PetscScalar     *mirror; /* allocated here when the object's values live on the other side, else NULL; kept between uses */
  PetscObjectId    id;     /* 0, or of the vector that was last copied to the mirror, */
  PetscObjectState state;  /* as it was then: it is not copied again before it changes */
  PetscInt         n;      /* entries */
  PlexAccess       access;
  PetscBool        inPlace;
} PlexArray;
PETSC_EXTERN PetscErrorCode PlexBackendVecGet(PlexBackend, Vec, PlexAccess, PlexArray *);
PETSC_EXTERN PetscErrorCode PlexBackendVecRestore(PlexBackend, PlexArray *);
PETSC_EXTERN PetscErrorCode PlexBackendMatGet(PlexBackend, Mat, PlexArray *); /* values of a sequential AIJ matrix, all to be written */
PETSC_EXTERN PetscErrorCode PlexBackendMatRestore(PlexBackend, PlexArray *);
/* The pattern i[m+1], j[nnz] of a sequential AIJ matrix where the backend's memory has it, else NULL */
PETSC_EXTERN PetscErrorCode PlexBackendMatGetRows(PlexBackend, Mat, const int **i, const int **j);
PETSC_EXTERN PetscErrorCode PlexBackendMatRestoreRows(PlexBackend, Mat, const int **i, const int **j);
PETSC_EXTERN PetscErrorCode PlexArrayReset(PlexBackend, PlexArray *); /* frees the mirror */

/* ------------------------------------------------------------------------------------------------------------------
   Elements: all that assembly reads of a DM, extracted once. Arrays on the host. src/dm/
   ------------------------------------------------------------------------------------------------------------------ */

#define PLEX_MAX_FIELDS 8
#define PLEX_MAX_AUX    8 /* auxiliary fields */
#define PLEX_MAX_BOTH   (PLEX_MAX_FIELDS + PLEX_MAX_AUX)

/* What an assembly integrates: the cells of a region (those of one PetscDS), or the facets of a natural boundary condition; and where
   its pointwise functions are found, a weak form's key. */
typedef struct {
  PetscInt  region;             /* number of the PetscDS; facets: 0 */
  PetscBool facets;             /* of boundary condition `boundary` of the PetscDS, where its label has `value` */
  PetscInt  boundary;           /* its number */
  DMLabel   label;              /* not owned; NULL: no label, all cells */
  PetscInt  value, part;        /* of the key; part 100 is the explicit one of an IMEX method */
  PetscInt  field;              /* facets: the only test field */
  PetscBool explicitPart;       /* the fields with PetscDSSetImplicit() false in place of the others */
  PetscBool preconditioner;     /* the functions of the Jacobian preconditioner in place of those of the Jacobian */
  PetscBool residual, jacobian; /* which of the two products there is */
  PetscInt  auxValue[2];        /* of the key of the auxiliary vector; residual, Jacobian */
} PlexIntegral;

/* Geometry of a quadrature point of a facet, numbers of PETSc's own: position, outward normal, weight times surface element, the
   constant detJ 2^dim, inverse Jacobian of the cell for the fields, and for the gradients of a residual's test functions */
#define PLEX_FACET_SIZE(dim) (2 * (dim) + 2 + 2 * (dim) * (dim))

typedef struct _n_PlexElements *PlexElements;
struct _n_PlexElements {
  DM             dm; /* not owned */
  PetscDS        ds; /* not owned */
  PetscInt       refct;
  PlexIntegral   integral;
  DMPolytopeType cellType;
  PetscInt       dim;  /* of the reference cell */
  PetscInt       cdim; /* of the coordinates; equals dim here */

  PetscInt  Ne;
  PetscInt *cells; /* [Ne] DMPlex points, in the DM's order, or along a curve where they come in none (src/dm/order.c) */

  PetscInt  Nf;
  PetscInt  NfAux;                 /* auxiliary field k is number Nf + k in Nc, Nn, offset, phi and dphi */
  PetscInt  Nc[PLEX_MAX_BOTH];     /* components of field f */
  PetscInt  Nn[PLEX_MAX_BOTH];     /* nodes of field f an element */
  PetscInt  offset[PLEX_MAX_BOTH]; /* first element dof of field f; those of auxiliary fields begin at ef */
  PetscInt  ef;                    /* element dofs, all fields */
  PetscInt  Nl;                    /* local dofs */
  int      *dofs;                  /* [Ne][ef] local dof of each element dof: the location matrix L */
  int      *node;                  /* [Nl] the mesh node a local dof sits on: dofs of one DMPlex point share it; NULL for facets */
  PetscInt  Nnodes;                /* number of those mesh nodes that hold dofs, in the order of these */
  PetscBool permuted;              /* the DM's section has its points in an order of their own */

  PetscObjectId auxId;   /* of the DM of the auxiliary vector; 0: there are no auxiliary fields */
  PetscInt      ea;      /* auxiliary dofs an element, all auxiliary fields */
  PetscInt      NlAux;   /* entries of the auxiliary vector */
  int          *dofsAux; /* [Ne][ea] entry of the auxiliary vector */

  PetscInt   faces;     /* 1, or local faces of a cell: an element is a facet of a cell, and cells[e] that cell */
  int       *face;      /* [Ne] local face; NULL where elements are cells */
  PetscInt  *faceStart; /* [faces + 1] elements are in the order of their local faces */
  PetscInt  *points;    /* [Ne] DMPlex points of the facets */
  PetscReal *facet;     /* [Ne][Nq][PLEX_FACET_SIZE(dim)]; there are no coordinate nodes then, Nv is 0 */

  PetscBool  affine;   /* the map to the reference cell is affine in each element (simplices with straight sides) */
  PetscInt   Nv;       /* coordinate nodes an element */
  PetscInt   Nx;       /* coordinate nodes in all */
  int       *vertices; /* [Ne][Nv] coordinate node */
  PetscReal *x;        /* [Nx][cdim] */
  int       *place;    /* [Nx] where in x a node of the DM's coordinate vectors is; NULL: in the same order */

  PetscInt   Nq;
  PetscReal *weights;             /* [Nq] */
  PetscReal *phi[PLEX_MAX_BOTH];  /* [faces][Nq][Nn] basis of one component at the quadrature points */
  PetscReal *dphi[PLEX_MAX_BOTH]; /* [faces][Nq][Nn][dim] reference gradients */
  PetscReal *psi;                 /* [Nq][Nv] coordinate basis */
  PetscReal *dpsi;                /* [Nq][Nv][dim] */

  PlexElements nextRegion; /* not owned: the cells of another PetscDS, whose entries the matrix has too */
};

/* Why a DM, or a form on it, cannot be assembled here: *reason is NULL where it can, else a static or composed text
   that names the feature ("hanging nodes", "finite volume field 1"); freed with PetscFree(). */
PETSC_EXTERN PetscErrorCode PlexElementsSupported(DM, char **reason);
PETSC_EXTERN PetscErrorCode PlexElementsCreate(DM, PlexElements *);
/* What the integral runs over: with PlexElementsCreate() the cells of the first PetscDS. No elements: *elements is NULL. */
PETSC_EXTERN PetscErrorCode PlexElementsCreateIntegral(DM, const PlexIntegral *, PlexElements *);
/* The cells of the PetscDS number `region`, with the key that DMPlexSNESComputeResidualFEM() and the like give them */
PETSC_EXTERN PetscErrorCode PlexIntegralSetRegion(DM, PetscInt region, PlexIntegral *);
/* The auxiliary vector of an integral's key, NULL where there is none */
PETSC_EXTERN PetscErrorCode PlexIntegralGetAuxiliary(DM, const PlexIntegral *, PetscInt kind, Vec *);
PETSC_EXTERN PetscErrorCode PlexElementsDestroy(PlexElements *);
/* SETERRQ naming the first element with a non-positive Jacobian determinant at a quadrature point, and its centroid */
PETSC_EXTERN PetscErrorCode PlexElementsFindInverted(PlexElements, char **text);
/* Reads the coordinates again (a moved mesh) into x, or facet; needed when the state has changed */
PETSC_EXTERN PetscErrorCode PlexElementsUpdateCoordinates(PlexElements);
PETSC_EXTERN PetscErrorCode PlexGetCoordinateState(DM, PetscObjectState *);
/* An error unless the DM is a DMPLEX of dimension 2 or 3 that fills its space and has faces and edges; method: "Nodal DG", say */
PETSC_EXTERN PetscErrorCode PlexCellsSupported(DM, const char method[]);
/* The cells that are this process's own, ascending; PetscFree() them */
PETSC_EXTERN PetscErrorCode PlexCellsGetOwned(DM, PetscInt *n, PetscInt **cells);
/* Collective. Combines what processes know of points, values[pEnd - pStart] */
PETSC_EXTERN PetscErrorCode PlexPointsCombine(DM, MPI_Op, MPI_Datatype unit, void *values);
/* Whether a point has a value in a label, any where that is PETSC_DETERMINE; no label: false */
PETSC_EXTERN PetscErrorCode PlexLabelHolds(DMLabel, PetscInt value, PetscInt point, PetscBool *);

/* Rotations of the reference cell under which the fields' and the coordinates' bases are permuted, with `quadrature` the points as well:
   an element's dofs may be taken in the order dofs[k][0..ef) if its coordinate nodes are in the order vertices[k][0..Nv). None: n = 0 */
PETSC_EXTERN PetscErrorCode PlexElementsGetRotations(PlexElements, PetscBool quadrature, PetscInt *n, int **dofs, int **vertices);
/* Likewise with the reflections of the cell */
PETSC_EXTERN PetscErrorCode PlexElementsGetSymmetries(PlexElements, PetscInt *n, int **dofs, int **vertices);
PETSC_EXTERN PetscErrorCode PlexElementsRestoreRotations(int **dofs, int **vertices);
/* conn[Ne][k]: distinct mesh nodes (node[]) of each element; k is the most that any has, shorter lists repeat their last */
PETSC_EXTERN PetscErrorCode PlexElementsGetNodes(PlexElements, PetscInt *k, int **conn);
/* Every mesh node has one dof, of the same number: conn may be the elements' dofs */
PETSC_EXTERN PetscBool PlexElementsDofsAreNodes(PlexElements);
/* As DMCreateMatrix(), values zero; faster where the matrix is sequential AIJ */
PETSC_EXTERN PetscErrorCode PlexElementsCreateMatrix(PlexElements, Mat *);

/*
  Rows of a distributed matrix that several processes add to, as one process sees them. Interface rows are those it owns to which
  others add or which have columns elsewhere, ascending, and then those of others to which its elements add, ascending too, hence
  owner by owner. Each is whole in a side array of values B: [of own rows | of others' rows | received], the part of others' rows
  being what is sent, and what is received lying sender by sender. In the end each value of the matrix's interface rows is a sum of
  entries of B.
*/
typedef struct _n_PlexHalo *PlexHalo;
struct _n_PlexHalo {
  PetscInt     n, nown;                             /* interface rows, of which owned here */
  PetscInt    *rows;                                /* [n] global row */
  PetscInt     own, sent, received;                 /* entries of the parts of B */
  PetscMPIInt  nto, nfrom;                          /* processes sent to, received from */
  PetscMPIInt *to, *from;                           /* [nto], [nfrom] ascending */
  PetscInt     nreceived;                           /* rows received, of all senders */
  PetscInt    *receivedRow, *receivedI, *receivedJ; /* [nreceived] global row, [nreceived+1], [received] global columns */
  PetscSF      sf;                                  /* roots: entries sent; leaves: entries received */
  PetscInt     nsums;                               /* values of interface rows in both blocks of the matrix */
  int         *sumStart, *sumItems;                 /* [nsums+1], [own+received] entries of B that a value sums */
  int         *sumTarget;                           /* [nsums] s >= 0: value s of the diagonal block, else value -s - 1 of the off-diagonal one */
};

typedef struct _n_PlexPattern *PlexPattern;
struct _n_PlexPattern {
  PlexElements     elements; /* not owned */
  PlexElements    *all;      /* [nall] not owned, while it is made: all that add to the matrix */
  PetscInt         nall;
  Mat              mat;                   /* not owned; AIJ or AIJCUSPARSE, or IS with such local matrices */
  Mat              diagonal, offdiagonal; /* not owned; its blocks: PlexMatGetBlocks() */
  PetscBool        subdomain;             /* mat is of type IS: rows and columns are those of its local matrix, and there is no halo */
  PetscInt         rstart;                /* first owned row */
  PetscInt         m;                     /* rows: owned ones, then the interface rows of the halo */
  PetscInt         mA, nA;                /* of the diagonal block: rows, values. Slots below nA are its values, the others those of B */
  PetscInt         nnz;                   /* slots */
  PetscInt         unused;                /* slots of owned interface rows in the diagonal block, which no element writes */
  PetscInt        *i, *j;                 /* [m+1], [nnz] CSR pattern, global columns, ascending in a row */
  int             *row;                   /* [Nl] row of a local dof, -1 where constrained, or owned by others and in no element */
  PetscInt        *column;                /* [Nl] global column of a local dof, -1 where constrained */
  PlexHalo         halo;                  /* NULL on one process */
  PetscBool        view;                  /* the arrays are another pattern's, of the same matrix */
  char            *missing;               /* an entry that elements add to and the matrix has not, in words, the same on all processes; NULL: there is none */
  PetscObjectId    id;                    /* of mat: a later matrix may have its address */
  PetscObjectState nonzerostate;
};
/* Sequential matrices with the values of this process: of AIJ the diagonal and the off-diagonal block, with the global columns of the
   latter; on one process the matrix itself and NULL, and likewise the local matrix of type IS. garray may be NULL. */
PETSC_EXTERN PetscErrorCode PlexMatGetBlocks(Mat, Mat *diagonal, Mat *offdiagonal, const PetscInt **garray);
/* Whether a matrix can be written in place: by its exact type, and those of its blocks */
PETSC_EXTERN PetscErrorCode PlexMatIsWritten(Mat, PetscBool *);
/* Takes the matrix's pattern, inserting explicit zeros first where the matrix was only preallocated. */
PETSC_EXTERN PetscErrorCode PlexPatternCreate(PlexElements, Mat, PlexPattern *);
/* Likewise where several sets of elements of one DM add to the matrix: the pattern is that of the first, and has what all of them couple. A matrix
   that lacks entries of theirs is no error here: pattern->missing says so, and nothing may be assembled with the pattern */
PETSC_EXTERN PetscErrorCode PlexPatternCreateForAll(PetscInt n, PlexElements[], Mat, PlexPattern *);
/* The same matrix for other elements of the same DM; the arrays stay the first pattern's, which must live as long */
PETSC_EXTERN PetscErrorCode PlexPatternCreateView(PlexElements, PlexPattern, PlexPattern *);
PETSC_EXTERN PetscErrorCode PlexPatternDestroy(PlexPattern *);
/* slots[ef][ef] of element e: position in the CSR values of A(L(e,i),L(e,j)), -1 where either dof is constrained. Slots from nA on
   are of the side array of interface rows; a row's slots are always consecutive. */
PETSC_EXTERN PetscErrorCode PlexPatternGetElementSlots(PlexPattern, PetscInt e, int slots[]);
/* Those of all elements, found by a kernel, interleaved [positions][ef][ef] in the backend's memory. plan, there too, is interleaved
   [positions][items]: item 0 negative marks padding, an element's dofs begin at item `first`. */
PETSC_EXTERN PetscErrorCode PlexPatternGetSlots(PlexPattern, PlexBackend, size_t positions, PetscInt interleave, const int plan[], PetscInt items, PetscInt first, int **slots);

/* The nonlinear solve that is under way, as far as values that hold within one are concerned */
typedef struct {
  PetscInt64 id;        /* another one for each solve; 0: none, or nothing is to be kept */
  PetscInt   iteration; /* of a solver whose user changes things between iterations (SNESSetUpdate()), else 0 */
} PlexSolve;

/* Essential boundary values of a DM, put into local vectors in the backend's memory */
typedef struct _n_PlexBoundaryPoints *PlexBoundaryPoints; /* where they are evaluated */
typedef struct {
  PlexBoundaryPoints points;       /* NULL: PETSc evaluates them */
  PetscInt64         state;        /* of what the points depend on */
  PetscInt           n;            /* values */
  int               *dofs;         /* [n] local dofs */
  PetscScalar       *values;       /* [n] */
  int               *dofsDevice;   /* [n] the same in the backend's memory, where it has kernels */
  PetscScalar       *valuesDevice; /* [n] */
  PlexSolve          solve;        /* when they were evaluated: in which solve, */
  PetscReal          t;            /* at what time, */
  PetscObjectState   coordinates;  /* and with which coordinates */
} PlexBoundarySet;
typedef struct _n_PlexBoundary *PlexBoundary;
struct _n_PlexBoundary {
  DM              dm; /* not owned */
  PlexBackend     backend;
  PlexModule      module;
  PetscObjectId   section;     /* of the local section that all of this is for */
  PetscInt        n, most;     /* constrained dofs here, and the most of a process */
  PetscInt       *constrained; /* [n] local dofs */
  Vec             work;        /* [Nl] on the host, where PETSc inserts */
  PlexBoundarySet set[2];      /* of the solution, and of its time derivative */
  PetscInt        evaluations; /* insertions that called the user's functions */
};
PETSC_EXTERN PetscErrorCode PlexBoundaryCreate(DM, PlexBackend, PlexBoundary *);
PETSC_EXTERN PetscErrorCode PlexBoundarySupported(DM, Vec locX, PetscBool *);
/* What the first insertion would make first, but for the time derivative's; collective */
PETSC_EXTERN PetscErrorCode PlexBoundarySetUp(PlexBoundary);
PETSC_EXTERN PetscErrorCode PlexBoundaryInsert(PlexBoundary, PlexSolve, PetscReal t, Vec locX, Vec locX_t);
PETSC_EXTERN PetscErrorCode PlexBoundaryDestroy(PlexBoundary *);

/* ------------------------------------------------------------------------------------------------------------------
   Partitions of a mesh
   ------------------------------------------------------------------------------------------------------------------ */

typedef enum {
  PLEX_PARTITIONER_AUTO, /* METIS for small meshes, the curve for large ones */
  PLEX_PARTITIONER_METIS,
  PLEX_PARTITIONER_CURVE
} PlexPartitioner;

/* Partitions of a mesh, kept so that residual and Jacobian share them where their limits agree */
typedef struct {
  int      *order;         /* [Ne] elements along a curve, where that is how the mesh is cut */
  PetscInt  maxElements;   /* the limit that elements was made with; 0: there is none yet */
  PlexLists elements;      /* parts of the elements */
  PetscInt  maxAround;     /* likewise for nodes and around */
  PlexLists nodes, around; /* parts of the mesh nodes, and of each the elements around them */
  PlexLists touching;      /* of each mesh node the elements around it, in the order of the curve where there is one */
  int      *nodeOrder;     /* [Nnodes] mesh nodes as elements along the curve come to them, or NULL */
} PlexParts;

/* ------------------------------------------------------------------------------------------------------------------
   Forms: the pointwise functions of a PetscDS, by kind, with their names. src/assembly/integrate/
   ------------------------------------------------------------------------------------------------------------------ */

typedef struct {
  PetscInt      n;     /* functions of one key; several add up */
  PetscVoidFn **fn;    /* [n] */
  char        **names; /* [n] symbols, NULL where none was found */
} PlexFunctions;

typedef struct _n_PlexForm *PlexForm;
struct _n_PlexForm {
  PetscInt      Nf;
  PetscInt      numConstants;
  PetscBool     hasPreconditioner;                      /* there are functions of a Jacobian preconditioner, not in here, */
  PetscBool     hasDynamic;                             /* of a dynamic Jacobian */
  PlexFunctions f[2][PLEX_MAX_FIELDS];                  /* f0, f1 of test field I */
  PlexFunctions g[4][PLEX_MAX_FIELDS][PLEX_MAX_FIELDS]; /* g0..g3 of test field I, trial field J */
  PlexFunctions d[4][PLEX_MAX_FIELDS][PLEX_MAX_FIELDS]; /* likewise of the dynamic Jacobian, which is multiplied by the shift */
};
PETSC_EXTERN PetscErrorCode PlexFormCreate(PetscDS, PlexForm *);
/* The functions of an integral's key, and of its products alone */
PETSC_EXTERN PetscErrorCode PlexFormCreateIntegral(DM, const PlexIntegral *, PlexForm *);
PETSC_EXTERN PetscErrorCode PlexFormDestroy(PlexForm *);
/* The symbol at an address: dladdr(), and for static functions the .symtab of the file that holds it; *name NULL where none. Names: all
   symbols there, with the source files of static functions. */
PETSC_EXTERN PetscErrorCode PlexSymbolName(PetscVoidFn *, char **name);
PETSC_EXTERN PetscErrorCode PlexSymbolNames(PetscVoidFn *, PetscInt *n, char ***names, char ***files);
PETSC_EXTERN PetscErrorCode PlexSymbolNamesAdd(PetscInt *n, char ***names, char ***files, const char name[], const char file[]);
PETSC_EXTERN PetscErrorCode PlexSymbolNamesDestroy(PetscInt n, char ***names, char ***files);
PETSC_EXTERN PetscErrorCode PlexSymbolVariable(PetscVoidFn *, const char name[], const char file[], void **address, size_t *size, PetscBool *absent);

/* ------------------------------------------------------------------------------------------------------------------
   Sources: from the application's files to what a kernel is compiled with. src/assembly/source/
   ------------------------------------------------------------------------------------------------------------------ */

typedef struct _n_PlexProgram   *PlexProgram;   /* the files, preprocessed and split into declarations */
typedef struct _n_PlexExtract   *PlexExtract;   /* the functions that a kernel calls and all they reach; one at a time of a program */
typedef struct _n_PlexVariables *PlexVariables; /* the variables they read, whose values are copied to a module before launches */
PETSC_EXTERN PetscErrorCode      PlexProgramCreate(const char files[], const char prefix[], PlexProgram *);
PETSC_EXTERN PetscErrorCode      PlexProgramReference(PlexProgram, PlexProgram *);
PETSC_EXTERN PetscErrorCode      PlexProgramDestroy(PlexProgram *);
PETSC_EXTERN PetscErrorCode      PlexExtractCreate(PlexProgram, PlexExtract *);
PETSC_EXTERN PetscErrorCode      PlexExtractAddFunction(PlexExtract, PetscVoidFn *, const char name[], PetscBool *found, char text[], size_t);
PETSC_EXTERN PetscErrorCode      PlexExtractWrite(PlexExtract, PetscBool single, FILE *);
PETSC_EXTERN PetscErrorCode      PlexExtractGetVariables(PlexExtract, PetscBool single, PlexVariables *);
PETSC_EXTERN PetscErrorCode      PlexExtractDestroy(PlexExtract *);
PETSC_EXTERN PetscErrorCode      PlexVariablesUpdate(PlexVariables, PlexModule);
PETSC_EXTERN PetscErrorCode      PlexVariablesDestroy(PlexVariables *);

/* What a pointwise function may read: bits of PlexFacts.reads. Sizes and offsets (dim, Nf, NfAux, uOff, ...) are no arguments here. */
#define PLEX_READS_U         1u
#define PLEX_READS_U_T       2u
#define PLEX_READS_U_X       4u
#define PLEX_READS_A         8u
#define PLEX_READS_A_T       16u
#define PLEX_READS_A_X       32u
#define PLEX_READS_T         64u
#define PLEX_READS_SHIFT     128u  /* u_tShift */
#define PLEX_READS_X         256u  /* the position */
#define PLEX_READS_NORMAL    512u  /* of a facet */
#define PLEX_READS_VOLUME    1024u /* constants[numConstants+2]: PETSc puts the element's volume there */
#define PLEX_READS_FIELDS    2048u /* constants[numConstants+0] and +1: the fields that are integrated */
#define PLEX_READS_CONSTANTS 4096u /* constants[0] to constants[numConstants-1] */
#define PLEX_READS_VARIABLES 8192u /* variables of the file that are not const */
#define PLEX_READS_ALL       16383u

/* The sizes that a pointwise function is called with */
typedef struct {
  PetscInt        dim, Nf, NfAux;
  const PetscInt *uOff, *uOff_x; /* [Nf+1], or NULL: not known */
  const PetscInt *aOff, *aOff_x; /* [NfAux+1], or NULL */
  PetscInt        numConstants;
  PetscInt        fieldI, fieldJ; /* constants[numConstants+0] and +1 */
  PetscInt        n;              /* entries of the result */
  PetscBool       facets;         /* it has the argument n[] */
  PetscBool       jacobian;       /* it has the argument u_tShift */
} PlexFactsSizes;

/* What is proven of a pointwise function from its source, for these sizes */
typedef struct {
  PetscBool   known;  /* all that it reaches was found and understood as far as `reads` needs it; else reads is PLEX_READS_ALL */
  unsigned    reads;  /* it neither depends on nor touches anything else */
  PetscBool  *readsA; /* [NfAux] it may read a[] of the auxiliary field; all where not known */
  int        *value;  /* [n] of the result, which is zero before the call. 0: the entry is zero after it, whatever the arguments. Entries of
                         one positive number are equal, whatever the arguments, but for the sign of a zero and for products and sums that a
                         compiler contracts. NULL: not known */
  const char *why;    /* what was not understood, NULL: nothing; static */
} PlexFacts;
PETSC_EXTERN PetscErrorCode PlexProgramGetFacts(PlexProgram, PetscVoidFn *, const char name[], const PlexFactsSizes *, PlexFacts *);
PETSC_EXTERN PetscErrorCode PlexFactsReset(PlexFacts *);

/* ------------------------------------------------------------------------------------------------------------------
   Assembly. src/assembly/interface/
   ------------------------------------------------------------------------------------------------------------------ */

/* Residual and Jacobian are the same computation [A F] = S G on different element data, so a strategy sees a "product": the
   rows of element data that an element computes and the targets they are summed into.
     PLEX_RESIDUAL  element data [ef]       targets: entries of the local residual vector
     PLEX_JACOBIAN  element data [ef][ef]   targets: slots of the matrix
   When symmetric, only j <= i is computed and stored: element data [ef*(ef+1)/2], entry i*(i+1)/2 + j. */
typedef enum {
  PLEX_RESIDUAL,
  PLEX_JACOBIAN,
  PLEX_PRODUCTS
} PlexProductKind;

/* Tensor integration of a Jacobian (src/assembly/integrate/tensor.c): A^e_ij = sum_k sum_ab K[i][k][ab][j] G_k[ab] */
typedef struct _n_PlexTensor *PlexTensor;
struct _n_PlexTensor {
  PetscInt     degree;    /* of the polynomials in which coefficients are expanded */
  PetscBool    symmetric; /* G is, of one scalar field: ab runs over a <= b */
  PetscBool    oneValue;  /* g3 is one tensor an element, of the constants and auxiliary fields alone; where it is not the same in all elements, entry (c,d,k,l) is (d,c,l,k) */
  PetscInt     nab;       /* pairs ab of parts of the test and trial functions */
  PlexElements at;        /* the elements, with bases at the nodes of the polynomials in the place of quadrature points; weights 1 */
  PetscInt     n;
  PetscReal   *K; /* [n] of the fields fi, fj from offset on: [Nn[fi]][at->Nq][nab][Nn[fj]] */
  PetscInt     offset[PLEX_MAX_FIELDS][PLEX_MAX_FIELDS];
};

typedef struct {
  PlexProductKind kind;
  PetscBool       setUp;
  PlexTensor      tensor;         /* NULL: by quadrature */
  char            why[192];       /* this integration */
  PetscBool       solutionUnread; /* the functions of the Jacobian do not read u, u_t and u_x, */
  PetscBool       pointUnread;    /* nor auxiliary fields and the position */
  PetscBool      *zero;           /* [nzero] entries of the functions that are zero at all points: see traits.h */
  PetscInt        nzero;          /* 0: nothing is known of them */
  PetscBool       equal;          /* G is symmetric, of one scalar field */
  PetscBool       watched;        /* by tensors, on the host: as long as the functions read nothing of a point but auxiliary fields, which is watched */
  PlexTensor      constant;       /* on the host, by quadrature and where it is watched: the tensor for elements in which the functions' values are the same at all points, or NULL */
  const void     *lines;          /* the strategy's own, where it sums along lines of points: PlexLineTables of src/assembly/integrate/lines.h, or NULL */
  PetscBool       units;          /* the strategy says so: element vectors on tensor units, 16 elements a warp, cuda/integrate/units_vector.cuh */
  PetscBool       moments;        /* the strategy says so: element matrices by moments, cuda/integrate/moments.cuh */
  PetscBool       symmetric;      /* PLEX_JACOBIAN only: the form is known symmetric, and this strategy uses it */
  PetscBool       turned;         /* the strategy says so: the kernel computes a few rows, which the compiler knows, and larger tables are compiled in */
  PetscBool       early;          /* the strategy says so: compute sums the rows that are sent in the side queue, before and beside all else */
  PetscInt        nd;             /* entries of element data an element */
  PetscInt        Nt;             /* targets: Nl or the pattern's nnz */
  PetscInt        team;           /* threads that work on one element together: 1, or a power of two up to a warp */
  PetscInt        block;          /* threads a block */
  size_t          work;           /* bytes of shared memory that a team needs for quadrature data; 0 when team is 1 */
  PlexModule      module;
  PlexVariables   variables;             /* that the module reads, or NULL */
  void           *plan;                  /* the strategy's own */
  void           *tables;                /* basis tables in the backend's memory, in the precision of the element data, where not compiled in */
  PetscInt        rows;                  /* rows of element data that a team computes together */
  double          bytes;                 /* moved through device memory a launch, as the plan counts them */
  double          flops;                 /* a launch */
  double          planTime, compileTime; /* seconds */
  double          time;                  /* seconds of device time, all launches */
  PetscInt        launches;
} PlexProduct;

#define PLEX_TENSOR_DEGREE 8 /* most, of the polynomials in which coefficients are expanded */

/* The assembly that is under way, as the program asked for it */
typedef struct {
  Vec       locX, locX_t; /* locX_t NULL: there is none */
  PetscReal t, shift;
} PlexMoment;
typedef struct _n_PlexFormTraits *PlexFormTraits; /* src/assembly/integrate/traits.h */
typedef struct _n_PlexCall       *PlexCall;       /* src/assembly/integrate/traits.c */

typedef struct _n_PlexExchange *PlexExchange;
typedef struct _n_PlexTuner    *PlexTuner; /* src/assembly/tune/ */

typedef struct _PlexAssemblyOps *PlexAssemblyOps;
struct _PlexAssemblyOps { /* a product has operations and asm->data of its own, also where both are of one type */
  /* Builds product->plan and compiles; the pattern is there when kind is PLEX_JACOBIAN. Not collective, and like compute not called
     on a process without elements */
  PetscErrorCode (*setup)(PlexAssembly, PlexProduct *);
  /* Launches; every target is written or zeroed */
  PetscErrorCode (*compute)(PlexAssembly, PlexProduct *, const void *args /* PlexArgs */);
  PetscErrorCode (*resetproduct)(PlexAssembly, PlexProduct *);      /* frees product->plan */
  PetscErrorCode (*view)(PlexAssembly, PlexProduct *, PetscViewer); /* may be NULL: a line or two about the plan */
  PetscErrorCode (*destroy)(PlexAssembly);                          /* may be NULL: frees what asm->data refers to */
};

/* What computes a product. While it does, its operations, data and sizes are the assembly's own, where a strategy finds them */
typedef struct {
  struct _PlexAssemblyOps ops;
  void                   *data;   /* the strategy's own, if any: freed with its type by PetscFree() */
  char                   *type;   /* NULL: still to be chosen */
  PetscBool               chosen; /* was not asked for, and may be chosen anew */
  char                   *why;    /* this type, for the view */
  PetscBool               tuned;  /* tuning has found sizes, which take the place of the assembly's: */
  PetscInt                block, team, partition;
} PlexStrategy;

struct _p_PlexAssembly {
  PETSCHEADER(struct _PlexAssemblyOps); /* operations of the strategy at work; the type's name is that of the Jacobian's */
  DM              dm;
  PlexBackend     backend;
  char           *backendType; /* as asked for; NULL: auto */
  PlexIntegration integration;
  PetscInt        tensorDegree;   /* of coefficients' polynomials; < 0: not asked for */
  PetscBool       unsteady;       /* functions were found to read more in some elements than at the point where they were looked at */
  unsigned        declared;       /* PLEX_READS_..., most that the Jacobian's functions read as the program says */
  PetscBool       affineElements; /* the elements at hand are affine, whatever their cell type */
  PlexPrecision   precision;
  char           *source;        /* files of pointwise functions, comma separated */
  PlexProgram     program;       /* the same, read when a kernel is first compiled */
  PetscBool3      symmetric;     /* PETSC_BOOL3_UNKNOWN: as the matrix says */
  PetscInt64      memory;        /* most bytes of device memory for element data; <= 0: half of what is free */
  PetscInt        blockSize;     /* <= 0: the strategy's choice */
  PetscInt        teamSize;      /* <= 0: chosen from the element's size */
  PetscInt        partitionSize; /* elements a partition; <= 0: what fits */
  PlexPartitioner partitioner;
  PetscInt        sharedMemory; /* bytes of shared memory a block, shared_*; <= 0: a third of a multiprocessor's */
  PetscBool3      rowSums;      /* shared_nz by pairs of nodes takes diagonals from the sums of rows; PETSC_BOOL3_UNKNOWN: where that is faster */
  PetscBool       fallback;
  PetscBool       dummy;    /* element data without integration, of no use but to be timed (cuda/integrate/dummy.cuh) */
  PetscReal       check;    /* relative tolerance of -plex_assembly_check; <= 0: off */
  PetscBool       repeated; /* some element has a dof twice (a periodic mesh of very few cells) */
  PetscBool       borrowed; /* dm owns this assembly, and is not owned by it */
  PetscBool       timing;   /* device time of every launch is taken, for the view */
  PetscBool       setUp;
  PetscBool       typesOpen; /* set up but for types */
  PlexTuner       tuner;     /* NULL: nothing is tuned */

  /* A residual or matrix is a sum of integrals, each an assembly with its own elements, form and products. The user's is the first. */
  PlexIntegral integral;
  PlexAssembly next;           /* the further terms of the same residual and matrix, which add to what the first one wrote; owned */
  PlexAssembly preconditioner; /* the first of a preconditioner matrix of its own, or NULL; owned */
  PlexAssembly explicitPart;   /* the first of the right-hand side of an IMEX method, or NULL; owned */
  PetscBool    integralsMade;  /* next and preconditioner are there; explicitPart is made when it is first asked for */
  PetscBool    inner;          /* is one of these */
  PetscBool    additive;       /* adds to its targets, in place of writing them */

  PlexElements      elements;
  PlexPattern       pattern; /* of the matrix last assembled into */
  PlexForm          form;
  PlexFormTraits    traits; /* what the source of the form's functions says; NULL: not looked at */
  PlexCall          call;   /* for calls of the form's functions at a point; made when first needed */
  const PlexMoment *moment; /* NULL outside of an assembly */
  PlexParts         parts;
  PlexProduct       product[PLEX_PRODUCTS];
  PlexStrategy      strategy[PLEX_PRODUCTS];                            /* of each product */
  PlexProductKind   selected;                                           /* the product whose strategy is at work */
  PlexArray         arrayX, arrayX_t, arrayF, arrayA, arrayO, arrayAux; /* O: off-diagonal block */
  PlexExchange      exchange;                                           /* of the pattern's interface rows; NULL on one process */
  double            exchangeTime;                                       /* seconds, all exchanges */
  PetscObjectState  coordinateState;
  PetscReal        *xDevice;     /* [Nx][cdim] coordinate nodes in the backend's memory */
  PetscReal        *facetDevice; /* of the elements, likewise: facet, face, dofsAux */
  int              *faceDevice, *auxDevice;
  PetscScalar      *constants; /* [numConstants+3] as last uploaded */
  PetscScalar      *constantsDevice;
  PetscInt          counts[2][2]; /* [residual, Jacobian][here, left to PETSc] */
  PlexBoundary      boundary;
  PetscInt          insertions[2]; /* of essential values: here, left to PETSc */
  PetscInt          evaluations;   /* of essential values, those of earlier set-ups included */
  PetscInt64        state;         /* of the DM and its form when set up */
  PlexAssembly      live;          /* list of this process's assemblies that DMs own */
  char             *reason;        /* why PETSc's host path is used, or NULL */
  PetscBool         inverted;      /* that is so because of cells that are inside out, for these coordinates */
  void             *data;          /* of the strategy at work */
};

/* Element e's data as a strategy that builds lists needs it: target[nd] of each entry (-1: dropped), and for a symmetric product
   mirror[nd] the target of the transposed entry (-1 on the diagonal); mirror may be NULL */
PETSC_EXTERN PetscErrorCode PlexAssemblyGetElementTargets(PlexAssembly, PlexProduct *, PetscInt e, int target[], int mirror[]);
/* Zeroes all targets of a product, wherever they are (args is PlexArgs) */
PETSC_EXTERN PetscErrorCode PlexAssemblyZeroTargets(PlexAssembly, PlexProduct *, const void *args);
/* Compiles cuda/assembly/<file>, or the file of an absolute path, behind the generated prelude (sizes, tables, pointwise functions)
   and further definitions */
PETSC_EXTERN PetscErrorCode PlexAssemblyCompile(PlexAssembly, PlexProduct *, const char file[], PetscInt ndefines, const char *const defines[]);
/* Points of an element at which a product evaluates the pointwise functions */
PETSC_EXTERN PetscInt PlexAssemblyPoints(PlexAssembly, PlexProduct *);
/* Flops of a launch that evaluates `points` of these points and computes `rows` rows of element data, or `entries` one by one */
PETSC_EXTERN double PlexAssemblyCountFlops(PlexAssembly, PlexProduct *, double points, double rows, double entries);
/* Elements of the last Jacobian that tensors served, where the host looks for those in which the functions have one value; else -1 */
PETSC_EXTERN PetscErrorCode PlexAssemblyGetConstantElements_Private(PlexAssembly, PetscInt *);
/* Bytes of one entry of element data */
PETSC_EXTERN size_t PlexAssemblyRealSize(PlexAssembly);
/* Chooses team, block and work of a product from the element's sizes and the options */
PETSC_EXTERN PetscErrorCode PlexAssemblyChooseTeam(PlexAssembly, PlexProduct *);

PETSC_EXTERN PetscLogEvent PLEX_SetUp, PLEX_Plan, PLEX_Compile, PLEX_Residual, PLEX_Jacobian, PLEX_Integrate, PLEX_Reduce, PLEX_Boundary, PLEX_Exchange, PLEX_Tune;
