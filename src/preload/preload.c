/*
  libplexgpu_preload.so: PlexGPU for a program that cannot be given options, put before it by LD_PRELOAD or linked before PETSc.

  It stands before DMCreate(), SNESCreate() and TSCreate(), through which every mesh, nonlinear solver and time stepper comes into being, whatever the
  language of the program and be it made by PETSc itself. The first of them starts PlexGPU and tells it to take over; all that
  follows is what -dll_append does. Settings come from the environment variable PLEXGPU_OPTIONS.
*/
#define _GNU_SOURCE
#include <plexgpu.h>
#include <dlfcn.h>

static PetscErrorCode PlexPreloadStart(void)
{
  static PetscBool started = PETSC_FALSE;

  PetscFunctionBegin;
  if (started) PetscFunctionReturn(PETSC_SUCCESS);
  started = PETSC_TRUE; /* starting makes solvers' lists, and may make solvers */
  PetscCall(PlexGPUSetTakeOver(PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's function of this name */
static PetscErrorCode PlexPreloadFind(const char name[], void *next)
{
  void *found = dlsym(RTLD_NEXT, name);

  PetscFunctionBegin;
  PetscCheck(found, PETSC_COMM_SELF, PETSC_ERR_LIB, "%s() of PETSc's shared library is not found behind libplexgpu_preload.so: load the library with LD_PRELOAD, or link it before PETSc", name);
  memcpy(next, &found, sizeof(found));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A create routine of PETSc's, before which PlexGPU starts */
#define PLEX_PRELOAD_BEFORE(Create, Type) \
  PETSC_EXTERN PetscErrorCode Create(MPI_Comm comm, Type *object) \
  { \
    PetscErrorCode (*next)(MPI_Comm, Type *) = NULL; \
\
    PetscFunctionBegin; \
    PetscCall(PlexPreloadFind(#Create, &next)); \
    PetscCall(PlexPreloadStart()); \
    PetscCall((*next)(comm, object)); \
    PetscFunctionReturn(PETSC_SUCCESS); \
  }

PLEX_PRELOAD_BEFORE(DMCreate, DM)
PLEX_PRELOAD_BEFORE(SNESCreate, SNES)
PLEX_PRELOAD_BEFORE(TSCreate, TS)
