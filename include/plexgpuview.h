/*
  Looking at fields: files for ParaView, pictures and windows of finite elements, nodal DG and hybridized DG.
*/
#pragma once

#include <petscdmplex.h>
#include <petscdraw.h>
#include <petscts.h>

/* MANSEC = PlexGPU */

/*S
  PlexImage - how pictures of a field are drawn: which field, of what part of the domain, with which colours and size

  Level: beginner

.seealso: `PlexImageCreate()`, `PlexImageWrite()`, `PlexTSMonitorImage()`
S*/
typedef struct _p_PlexImage *PlexImage;

PETSC_EXTERN PetscClassId PLEXIMAGE_CLASSID;

PETSC_EXTERN PetscErrorCode PlexVecWriteVTKHDF(Vec, const char[], PetscBool, PetscReal);
PETSC_EXTERN PetscErrorCode PlexTSMonitorSolution(TS, const char[], PetscInt);

PETSC_EXTERN PetscErrorCode PlexImageCreate(MPI_Comm, PlexImage *);
PETSC_EXTERN PetscErrorCode PlexImageSetOptionsPrefix(PlexImage, const char[]);
PETSC_EXTERN PetscErrorCode PlexImageSetFromOptions(PlexImage);
PETSC_EXTERN PetscErrorCode PlexImageSetField(PlexImage, const char[], PetscInt);
PETSC_EXTERN PetscErrorCode PlexImageSetRange(PlexImage, PetscReal, PetscReal);
PETSC_EXTERN PetscErrorCode PlexImageSetSize(PlexImage, PetscInt, PetscInt);
PETSC_EXTERN PetscErrorCode PlexImageSetWindow(PlexImage, PetscReal, PetscReal, PetscReal, PetscReal);
PETSC_EXTERN PetscErrorCode PlexImageSetPlane(PlexImage, const PetscReal[], const PetscReal[]);
PETSC_EXTERN PetscErrorCode PlexImageWrite(PlexImage, PetscObject, Vec, PetscReal, const char[]);
PETSC_EXTERN PetscErrorCode PlexImageDraw(PlexImage, PetscObject, Vec, PetscReal, PetscDraw);
PETSC_EXTERN PetscErrorCode PlexImageDestroy(PlexImage *);
PETSC_EXTERN PetscErrorCode PlexTSMonitorImage(TS, PetscObject, PlexImage, const char[], PetscInt);
