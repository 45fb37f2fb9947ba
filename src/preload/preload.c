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

PETSC_EXTERN PetscErrorCode DMCreate(MPI_Comm comm, DM *dm)
{
  PetscErrorCode (*next)(MPI_Comm, DM *) = NULL;

  PetscFunctionBegin;
  PetscCall(PlexPreloadFind("DMCreate", &next));
  PetscCall(PlexPreloadStart());
  PetscCall((*next)(comm, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PETSC_EXTERN PetscErrorCode SNESCreate(MPI_Comm comm, SNES *snes)
{
  PetscErrorCode (*next)(MPI_Comm, SNES *) = NULL;

  PetscFunctionBegin;
  PetscCall(PlexPreloadFind("SNESCreate", &next));
  PetscCall(PlexPreloadStart());
  PetscCall((*next)(comm, snes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PETSC_EXTERN PetscErrorCode TSCreate(MPI_Comm comm, TS *ts)
{
  PetscErrorCode (*next)(MPI_Comm, TS *) = NULL;

  PetscFunctionBegin;
  PetscCall(PlexPreloadFind("TSCreate", &next));
  PetscCall(PlexPreloadStart());
  PetscCall((*next)(comm, ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}
