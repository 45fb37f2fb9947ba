/*
  Geography for simulations of tsunamis: how the ground moves where a fault slips, the stereographic projection of a
  sphere, and numbers on a grid, such as the depth of the sea. The library libplexgpugeo.so.0 needs PETSc, and nothing
  else of PlexGPU.
*/
#pragma once

#include <petscsys.h>

/* MANSEC = PlexGPU */

/*S
  PlexRaster - numbers on a grid of points in the plane, such as the depth of the sea, read from a file

  Level: intermediate

.seealso: `PlexRasterRead()`, `PlexRasterEvaluate()`, `PlexRasterGetRange()`
S*/
typedef struct _n_PlexRaster *PlexRaster;

/*S
  PlexSphere - the stereographic projection of a sphere: a plane that touches it at `center`, seen from the point
  opposite

  Level: intermediate

  Note:
  `radius` in m, that of the Earth is 6.37122e6; `center` longitude and latitude, degrees. On the plane x is the east
  and y the north of the center, m.

.seealso: `PlexSphereProject()`, `PlexSphereGetPosition()`, `PlexSphereGetScale()`, `PlexSphereGetEast()`
S*/
typedef struct {
  PetscReal radius;
  PetscReal center[2];
} PlexSphere;

/*S
  PlexFault - a rectangular fault in the ground that slips

  Level: intermediate

  Notes:
  `center` is the fault's center, east and north of the origin, and `depth` how deep it is, m. `length` is along the
  strike and `width` along the dip, m. `strike` is clockwise from the north, `dip` down from the horizontal to the right
  of the strike, and `rake` that of the slip of the upper side, from the strike toward up the dip, degrees. `slip` and
  `opening` are in m, and `poisson` is Poisson's ratio of the ground, 0.25 for rock.

.seealso: `PlexFaultDisplacement()`
S*/
typedef struct {
  PetscReal center[2], depth;
  PetscReal length, width;
  PetscReal strike, dip, rake;
  PetscReal slip, opening;
  PetscReal poisson;
} PlexFault;

PETSC_EXTERN PetscErrorCode PlexFaultDisplacement(const PlexFault *, const PetscReal[], PetscReal[]);
PETSC_EXTERN PetscErrorCode PlexSphereProject(const PlexSphere *, const PetscReal[], PetscReal[]);
PETSC_EXTERN PetscErrorCode PlexSphereGetPosition(const PlexSphere *, const PetscReal[], PetscReal[]);
PETSC_EXTERN PetscErrorCode PlexSphereGetScale(const PlexSphere *, const PetscReal[], PetscReal *);
PETSC_EXTERN PetscErrorCode PlexSphereGetEast(const PlexSphere *, const PetscReal[], PetscReal[]);
PETSC_EXTERN PetscErrorCode PlexRasterRead(MPI_Comm, const char[], const char[], const char[], const char[],
                                           PlexRaster *);
PETSC_EXTERN PetscErrorCode PlexRasterEvaluate(PlexRaster, const PetscReal[], PetscReal *);
PETSC_EXTERN PetscErrorCode PlexRasterGetRange(PlexRaster, PetscInt, PetscReal *, PetscReal *);
PETSC_EXTERN PetscErrorCode PlexRasterDestroy(PlexRaster *);
