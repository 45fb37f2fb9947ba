/*
  PETSc's own functions that assemble a whole DM. Where libplexgpu_preload.so stands before their names, these lead to
  interpose.c from within this library too: what is left to PETSc, or compared with PETSc, is called by PlexPetsc.
*/
#if !defined(_GNU_SOURCE)
  #define _GNU_SOURCE
#endif
#include <plexgpu/private/assemblyimpl.h>
#include "assemblyimpl.h"
#include <dlfcn.h>
#include <petscts.h>

PlexPetscFunctions PlexPetsc;

static PetscBool PlexInterposes = PETSC_FALSE; /* libplexgpu_preload.so is there */
static PetscInt  PlexWithin     = 0;           /* calls that are under way */
static PetscInt  PlexOwn        = 0;           /* calls of PETSc's residual that are PETSc's in all parts */

/* Called by libplexgpu_preload.so, which looks it up */
PETSC_EXTERN PetscErrorCode PlexInterposeBegin_Private(void);

/* PETSc's function of this name, whoever stands before it: of the library that defines TSInitializePackage(), or one
   that it is linked with. named: what the name leads to, where no such library is found */
static PetscVoidFn *PlexPetscFind(const char name[], PetscVoidFn *named)
{
  PetscVoidFn *found = NULL;
  void        *library;
  Dl_info      info;

  if (!dladdr((void *)&TSInitializePackage, &info) || !info.dli_fname) return named;
  library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (!library) return named;
  *(void **)&found = dlsym(library, name);
  (void)dlclose(library); /* it stays, as this library is linked with it */
  return found ? found : named;
}

#define PLEX_PETSC(member, Function) \
  PlexPetsc.member = (__typeof__(PlexPetsc.member))PlexPetscFind(#Function, (PetscVoidFn *)Function)

PetscErrorCode PlexInterposeInitialize_Private(void)
{
  PetscFunctionBegin;
  PLEX_PETSC(function, DMPlexSNESComputeResidualFEM);
  PLEX_PETSC(jacobian, DMPlexSNESComputeJacobianFEM);
  PLEX_PETSC(ifunction, DMPlexTSComputeIFunctionFEM);
  PLEX_PETSC(ijacobian, DMPlexTSComputeIJacobianFEM);
  PLEX_PETSC(rhsfunction, DMPlexTSComputeRHSFunctionFEM);
  PLEX_PETSC(cohesivefunction, DMPlexComputeResidualHybridByKey);
  PLEX_PETSC(cohesivejacobian, DMPlexComputeJacobianHybridByKey);
  PLEX_PETSC(massmatrix, DMCreateMassMatrix);
  PLEX_PETSC(masslumped, DMCreateMassMatrixLumped);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexInterposeFinalize_Private(void)
{
  PetscFunctionBegin;
  PlexInterposes = PETSC_FALSE;
  PlexWithin     = 0;
  PlexOwn        = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexInterposeBegin_Private(void)
{
  PetscFunctionBegin;
  PlexInterposes = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void PlexInterposeEnter_Private(PetscInt calls)
{
  PlexWithin += calls;
}

PetscBool PlexInterposes_Private(PetscBool *within)
{
  if (within) *within = (PetscBool)(PlexWithin > 0);
  return PlexInterposes;
}

/* PETSc calls DMPlexComputeResidualHybridByKey() by its name here */
PetscErrorCode PlexPetscFunction_Private(DM dm, Vec locX, Vec locF)
{
  PetscErrorCode ierr;

  PetscFunctionBegin;
  ++PlexOwn;
  ierr = (*PlexPetsc.function)(dm, locX, locF, NULL);
  --PlexOwn;
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool PlexIsPetscs_Private(void)
{
  return (PetscBool)(PlexOwn > 0);
}
