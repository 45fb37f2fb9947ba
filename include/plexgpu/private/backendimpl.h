/*
  The inside of the class PlexBackend: memory, modules of compiled kernels, launches. Include this to write a backend of
  your own. src/backend/
*/
#pragma once

#include <plexgpubackend.h>
#include <petscmat.h>
#include <petsc/private/petscimpl.h>

/* A line of a kernel's source that lists names, blanks between, which its machine code does not depend on */
#define PLEX_NAMES_LINE "// plex names: "

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
  /* threads, 32-bit registers and blocks that a multiprocessor has room for; 0: not known */
  PetscInt threadsPerProcessor, registersPerProcessor, blocksPerProcessor;
} PlexBackendLimits;

typedef struct {
  PetscInt registers;       /* a thread */
  PetscInt threadsPerBlock; /* most threads a block of this kernel may have */
  size_t   localBytes;      /* local memory a thread: spilled registers and indexed arrays */
  size_t   sharedBytes;     /* static shared memory a block */
} PlexKernelAttributes;

/* Launches of kernels, and products by the library, since a program set PlexBackend->launches to this */
typedef struct {
  PetscInt       n;
  PetscLogDouble seconds; /* of the host, in the calls of the driver or library */
  PlexKernel     kernel;  /* that was launched, NULL: none, or several; with its last block of threads */
  PetscInt       block;
  size_t         sharedBytes; /* dynamic shared memory a block */
} PlexLaunches;

/* Launches, copies and zeroing go to one queue at a time, and wait there for what was given to it before. A device
   works on both at once; without a device there is no difference. */
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
  /* in the backend's memory; NULL: there is none */
  PetscErrorCode (*getvariable)(PlexModule, const char[], void **, size_t *);
  PetscErrorCode (*launch)(PlexKernel, PetscInt, PetscInt, size_t, void **);
  PetscErrorCode (*attributes)(PlexKernel, PlexKernelAttributes *);
  PetscErrorCode (*occupancy)(PlexKernel, PetscInt, size_t, PetscInt *); /* NULL: there are no multiprocessors */
  PetscErrorCode (*setqueue)(PlexBackend, PlexQueue, PetscBool);         /* NULL: one queue */
  PetscErrorCode (*synchronize)(PlexBackend);
  PetscErrorCode (*timerbegin)(PlexBackend); /* of place `timers` */
  /* seconds of device time since timerbegin of that place; waits */
  PetscErrorCode (*timerend)(PlexBackend, PetscLogDouble *);
  /* NULL: none */
  PetscErrorCode (*gemm)(PlexBackend, PlexPrecision, const PlexGemm *);
};

struct _p_PlexBackend {
  PETSCHEADER(struct _PlexBackendOps);
  PetscBool         device;  /* memory is apart from the host's: pointers are not dereferenced on the host */
  PetscBool         apart;   /* a device that PETSc knows nothing of: its objects are on the host, or another device */
  PetscBool         kernels; /* compiles and launches kernels (host does not) */
  double            bandwidth; /* copy bandwidth in B/s, read plus written; 0 until measured */
  double            recalled;  /* likewise, as PlexBackendRecallCopyBandwidth() found it; 0 until then */
  void             *data;
  PlexBackendLimits limits; /* as found when created; PlexBackendGetLimits() asks again for the free memory */
  /* timers that have begun, and not ended: each has its own place in what a backend keeps of them */
  PetscInt      timers;
  PlexLaunches *launches; /* where launches are recorded, or NULL */
  PlexBackend   next;     /* list of this process's backends: one a type */
};

/* A PlexModule holds its backend and the backend's own handle; likewise a kernel. */
struct _n_PlexModule {
  PlexBackend backend;
  char       *name; /* for messages and the cache's file name */
  void       *handle;
  PlexKernel  kernels;   /* list of those asked for */
  PetscBool   fromCache; /* found on disk, */
  PetscBool   installed; /* among what was compiled when the library was installed */
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
/* malloc and copy in; no bytes: NULL */
PETSC_EXTERN PetscErrorCode PlexBackendUpload(PlexBackend, const void *, size_t, void **);
/* A list of arrays in a backend's memory, all freed at once: empty if it is zero */
typedef struct {
  void   **arrays; /* [allocated], of them n */
  PetscInt n, allocated;
  double   bytes; /* of all */
} PlexMemory;
/* PlexBackendUpload() */
PETSC_EXTERN PetscErrorCode PlexMemoryUpload(PlexBackend, PlexMemory *, const void *, size_t, const void **);
PETSC_EXTERN PetscErrorCode PlexMemoryAllocate(PlexBackend, PlexMemory *, size_t, void **); /* PlexBackendMalloc() */
/* Kernels have lists on a process as int, PETSc's indices may have 64 bits: n of them, none larger than int holds */
PETSC_EXTERN PetscErrorCode PlexMemoryUploadInts(PlexBackend, PlexMemory *, PetscInt n, const PetscInt[], const int **);
PETSC_EXTERN PetscErrorCode PlexBackendCopyOutInts(PlexBackend, PetscInt n, PetscInt to[], const int from[]);
PETSC_EXTERN PetscErrorCode PlexMemoryAdd(PlexMemory *, size_t, void *); /* an array that is there already */
PETSC_EXTERN PetscErrorCode PlexMemoryFree(PlexBackend, PlexMemory *);
/* Memory of the host that a device copies to and from without a detour: pinned where PETSc has CUDA */
PETSC_EXTERN PetscErrorCode PlexBackendStagingMalloc(size_t n, PetscScalar **);
PETSC_EXTERN PetscErrorCode PlexBackendStagingFree(PetscScalar **);
/* The queue of all that follows; after: it waits for what the other one was given so far */
PETSC_EXTERN PetscErrorCode PlexBackendSetQueue(PlexBackend, PlexQueue, PetscBool after);
PETSC_EXTERN PetscErrorCode PlexBackendSynchronize(PlexBackend); /* waits for the present queue */
/* By the library of the backend; does not wait */
PETSC_EXTERN PetscErrorCode PlexBackendGemm(PlexBackend, PlexPrecision, const PlexGemm *);
/* Matrices [rows][columns] in the order in which a warp's tensor units read them (PlexUnitB of cuda/dg/unit.cuh),
   fragments[tiles][steps][matrices][32 lanes], of 8 rows a tile and 4 columns a step, or 8 in single precision, and a
   few of zeros behind the last; PetscFree() it. In single precision a lane has four numbers: a number is the sum of two
   of 11 bits, and the high ones of both its columns come before the low ones */
PETSC_EXTERN PetscErrorCode PlexFragmentsCreate(PlexPrecision, PetscInt tiles, PetscInt nmatrices,
                                                const PetscReal matrices[], PetscInt rows, PetscInt columns, size_t *n,
                                                PetscReal *fragments[]);
PETSC_EXTERN PetscInt       PlexFragmentColumns(PlexPrecision); /* of a step */
/* between rows of n numbers in shared memory, as many as fill steps, that lanes read the other factor's from: they meet
   in no bank */
PETSC_EXTERN PetscInt PlexFragmentStride(PlexPrecision, PetscInt n);
/* kernels of a backend may use these units: compute capability 8.0 on, or no GPU */
PETSC_EXTERN PetscBool PlexBackendHasUnits(PlexBackend);

#define PLEX_MAX_TIMERS 8 /* one within the other */
PETSC_EXTERN PetscErrorCode PlexBackendTimerBegin(PlexBackend);
PETSC_EXTERN PetscErrorCode PlexBackendTimerEnd(PlexBackend, PetscLogDouble *);
PETSC_EXTERN PetscErrorCode PlexBackendGetCopyBandwidth(PlexBackend, double *);
PETSC_EXTERN PetscErrorCode PlexBackendRecallCopyBandwidth(PlexBackend, double *);

/* Compiles `source` (C++ text that may #include "..." files of the folder cuda/) with -D definitions; cached on
   disk. */
PETSC_EXTERN PetscErrorCode PlexBackendCompile(PlexBackend, const char name[], PetscInt ndefines,
                                               const char *const defines[], const char source[], PlexModule *);
/* Compiles a file of cuda/ that is listed in PlexKernelFiles, which NULL ends: its kernels are the same for every
   problem, and compiled when the library is installed */
PETSC_EXTERN const char *const PlexKernelFiles[];
PETSC_EXTERN PetscErrorCode    PlexBackendCompileFile(PlexBackend, const char file[], PlexModule *);
/* Compiles such a file for "sm_90" and the like into a folder to be installed; path: of its file there, which is kept
   where it is what would be compiled now. *made: it was not. Needs no GPU */
PETSC_EXTERN PetscErrorCode PlexPrecompile_CUDA(const char file[], const char arch[], const char folder[],
                                                char path[PETSC_MAX_PATH_LEN], PetscBool *made);
/* why[len]: why not, or empty: kernels can be compiled for an architecture */
PETSC_EXTERN PetscErrorCode PlexCanCompileFor_CUDA(const char arch[], char why[], size_t len);
/* Compiles with NVRTC for "sm_90" and the like, which needs no GPU; cached on disk like any kernel. Says the cubin's
   bytes. */
PETSC_EXTERN PetscErrorCode PlexCompileOnly_CUDA(const char name[], PetscInt ndefines, const char *const defines[],
                                                 const char source[], const char arch[], size_t *cubinSize);
/* The same with hiprtc for "gfx90a" and the like */
PETSC_EXTERN PetscErrorCode PlexCanCompileFor_HIP(const char arch[], char why[], size_t len);
PETSC_EXTERN PetscErrorCode PlexCompileOnly_HIP(const char name[], PetscInt ndefines, const char *const defines[],
                                                const char source[], const char arch[], size_t *size);
/* out[size]: "TEXT (one of) auto cuda ...", for -help */
PETSC_INTERN PetscErrorCode PlexBackendHelp_Private(const char text[], size_t size, char out[]);
/* Something was computed, or left to PETSc, where the user asked for this type of backend; for a hint at the end */
PETSC_INTERN void           PlexBackendRan_Private(PlexBackend, PlexBackendType asked, PetscBool left);
PETSC_EXTERN PetscErrorCode PlexModuleDestroy(PlexModule *);
PETSC_EXTERN PetscErrorCode PlexModuleGetKernel(PlexModule, const char[], PlexKernel *);
/* a PLEX_MODULE_VARIABLES of the source */
PETSC_EXTERN PetscErrorCode PlexModuleGetVariable(PlexModule, const char[], void **, size_t *bytes);
PETSC_EXTERN PetscErrorCode PlexKernelLaunch(PlexKernel, PetscInt grid, PetscInt block, size_t sharedBytes,
                                             void *args[]);
PETSC_EXTERN PetscErrorCode PlexKernelGetAttributes(PlexKernel, PlexKernelAttributes *);
/* Blocks of so many threads and so much dynamic shared memory that a multiprocessor of a device has at the same time,
   and their warps over those it has room for */
PETSC_EXTERN PetscErrorCode PlexKernelGetOccupancy(PlexKernel, PetscInt block, size_t sharedBytes, PetscInt *blocks,
                                                   PetscReal *occupancy);

/* Arrays of PETSc's objects in the backend's memory: in place where the object lives there, through a mirror where
   not. */
typedef enum {
  PLEX_READ,
  PLEX_WRITE, /* what is there is not kept, every entry is to be written */
  PLEX_CHANGE /* read and written */
} PlexAccess;
/* Types of vectors and matrices whose values are in the backend's memory, where PETSc has such types, else on the
   host */
PETSC_EXTERN VecType PlexBackendVecType(PlexBackend);
PETSC_EXTERN MatType PlexBackendMatType(PlexBackend);
typedef struct {
  PetscObject  object;
  PetscScalar *array; /* in the backend's memory */
  /* allocated here when the object's values live on the other side, else NULL; kept between uses */
  PetscScalar     *mirror;
  PetscObjectId    id;    /* 0, or of the vector that was last copied to the mirror, */
  PetscObjectState state; /* as it was then: it is not copied again before it changes */
  PetscInt         n;     /* entries */
  PlexAccess       access;
  PetscBool        inPlace;
} PlexArray;
PETSC_EXTERN PetscErrorCode PlexBackendVecGet(PlexBackend, Vec, PlexAccess, PlexArray *);
/* The array of a vector on the host is written to without PETSc's knowledge: it is read again at each use */
PETSC_EXTERN PetscErrorCode PlexVecShare(Vec);
PETSC_EXTERN PetscErrorCode PlexBackendVecRestore(PlexBackend, PlexArray *);
/* values of a sequential AIJ matrix, of PLEX_WRITE or PLEX_CHANGE */
PETSC_EXTERN PetscErrorCode PlexBackendMatGet(PlexBackend, Mat, PlexAccess, PlexArray *);
PETSC_EXTERN PetscErrorCode PlexBackendMatRestore(PlexBackend, PlexArray *);
/* The pattern i[m+1], j[nnz] of a sequential AIJ matrix where the backend's memory has it as int, else NULL */
PETSC_EXTERN PetscErrorCode PlexBackendMatGetRows(PlexBackend, Mat, const int **i, const int **j);
PETSC_EXTERN PetscErrorCode PlexBackendMatRestoreRows(PlexBackend, Mat, const int **i, const int **j);
PETSC_EXTERN PetscErrorCode PlexArrayReset(PlexBackend, PlexArray *); /* frees the mirror */

/* Events of all classes, registered by src/plexgpu.c */
PETSC_EXTERN PetscLogEvent PLEX_SetUp, PLEX_Plan, PLEX_Compile, PLEX_Residual, PLEX_Jacobian, PLEX_Action;
PETSC_EXTERN PetscLogEvent PLEX_Integrate, PLEX_Reduce, PLEX_Boundary, PLEX_Exchange, PLEX_Tune;
