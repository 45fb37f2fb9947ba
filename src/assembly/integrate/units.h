/* Element vectors of larger elements on tensor units: cuda/integrate/units_vector.cuh */
#pragma once

#include <plexgpu/private/assemblyimpl.h>

#define PLEX_UNITS_ELEMENTS 16  /* of a warp */
#define PLEX_UNITS_BLOCK    128 /* threads, unless asked otherwise */

/* *serves: element vectors of this residual can be computed so, and a team would have an element otherwise. Then
   product->units, ->team, ->work and ->block are set */
PETSC_INTERN PetscErrorCode PlexUnitsChoose_Private(PlexAssembly, PlexProduct *, PetscBool *serves);
/* What args.tables is then, n numbers; definitions for the kernel */
PETSC_INTERN PetscErrorCode PlexUnitsCreateTables_Private(PlexAssembly, PetscInt *n, PetscReal *tables[]);
PETSC_INTERN PetscErrorCode PlexUnitsWrite_Private(PlexAssembly, FILE *);
/* Operations of one element's, those on padding not counted */
PETSC_INTERN double PlexUnitsFlops_Private(PlexAssembly, PlexProduct *);
