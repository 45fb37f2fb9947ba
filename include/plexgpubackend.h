/*
  PlexGPU: its start and end, backends, and what all classes share.
*/
#pragma once

#include <petscdm.h>
#include <petscviewer.h>
#include <plexgpuversion.h>

/* MANSEC = PlexGPU */

PETSC_EXTERN PetscErrorCode PlexGPUInitializePackage(void);
PETSC_EXTERN PetscErrorCode PlexGPUFinalizePackage(void);
PETSC_EXTERN PetscErrorCode PlexGPUGetVersion(char[], size_t);
PETSC_EXTERN PetscErrorCode PlexGPUGetVersionNumber(PetscInt *, PetscInt *, PetscInt *);

/*S
  PlexBackend - where assembly runs: memory, compiled kernels and their launches

  Level: intermediate

.seealso: `PlexBackendType`, `PlexAssemblySetBackend()`
S*/
typedef struct _p_PlexBackend *PlexBackend;

/*J
  PlexBackendType - name of a `PlexBackend`

  Values:
+ `PLEXBACKENDAUTO`    - `cuda` where a GPU is, else `host`
. `PLEXBACKENDCUDA`    - CUDA driver API, kernels compiled at run time with NVRTC and kept on disk
. `PLEXBACKENDHIP`     - HIP, kernels compiled at run time with hiprtc and kept on disk: only by this name, as no GPU of
  AMD has run it
. `PLEXBACKENDHOST`    - vectorized C on one core a rank, calling the application's pointwise functions directly
- `PLEXBACKENDEMULATE` - the CUDA kernels, compiled by the host's C++ compiler and run thread by thread: slow and exact,
  for tests

  Level: beginner

.seealso: `PlexAssemblySetBackend()`
J*/
typedef const char *PlexBackendType;
#define PLEXBACKENDAUTO    "auto"
#define PLEXBACKENDCUDA    "cuda"
#define PLEXBACKENDHIP     "hip"
#define PLEXBACKENDHOST    "host"
#define PLEXBACKENDEMULATE "emulate"

/*E
  PlexPrecision - arithmetic of a `PlexAssembly` or `PlexDG`, and their data in the backend's memory; PETSc's vectors
  and matrices stay `PetscScalar`

  Level: intermediate

.seealso: `PlexAssemblySetPrecision()`, `PlexDGSetPrecision()`
E*/
typedef enum {
  PLEX_PRECISION_DOUBLE,
  PLEX_PRECISION_SINGLE
} PlexPrecision;
PETSC_EXTERN const char *const PlexPrecisions[];

/*J
  PLEXREORDERHILBERT - an order of dofs for `DMReorderSectionSetType()`: the cells along a Hilbert curve, each followed
  by those points of its closure that no cell before it has

  Options Database Keys:
. -dm_reorder_section -dm_reorder_section_type hilbert - likewise, read by `DMSetFromOptions()`

  Level: intermediate

  Notes:
  Elements that are neighbours in space then have neighbouring entries in vectors and rows in matrices, whatever order
  the mesh was numbered in. Points of the mesh keep their numbers: what reads vectors through the `PetscSection` sees no
  difference, and what counts on the dofs of a point coming at the place of its number does.

  With `DMReorderSectionSetDefault(dm, DM_REORDER_DEFAULT_TRUE)`, for a `DM` of type `DMPLEX` that was created after
  `PlexGPUInitializePackage()`, or given to `PlexAssemblyCreate()`, `PlexAssemblySetSNESLocal()` or
  `PlexAssemblySetTSLocal()`, before its local section is made, which the first vector, matrix or `DMGetLocalSection()`
  does. A mesh without coordinates keeps its order.

.seealso: `PlexAssemblySetSNESLocal()`, `PlexGPUInitializePackage()`, `DMReorderSectionSetType()`,
`DMReorderSectionSetDefault()`
J*/
#define PLEXREORDERHILBERT "hilbert"

PETSC_EXTERN PetscClassId PLEXBACKEND_CLASSID;

PETSC_EXTERN PetscErrorCode PlexBackendCreate(PlexBackendType, PlexBackend *);
PETSC_EXTERN PetscErrorCode PlexBackendDestroy(PlexBackend *);
PETSC_EXTERN PetscErrorCode PlexBackendGetType(PlexBackend, PlexBackendType *);
PETSC_EXTERN PetscErrorCode PlexBackendView(PlexBackend, PetscViewer);
PETSC_EXTERN PetscErrorCode PlexBackendIsAvailable(PlexBackendType, PetscBool *);
PETSC_EXTERN PetscErrorCode PlexBackendRegister(const char[], PetscErrorCode (*)(PlexBackend));
