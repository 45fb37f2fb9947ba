/* Pointwise functions of a hybridized DG method that kernels evaluate: shared by points.c and its like */
#pragma once

#include "hdgimpl.h"
#include <plexgpu/private/sourceimpl.h>
#include <hdg/points_args.h>

/* A module has all functions of the program and the kernels that call them; one for elements that are not affine, one for
   those that are */
struct _n_PlexHDGFunctions {
  PlexProgram   program;
  PlexModule    module[2];
  PlexVariables variables[2]; /* that the functions read besides their arguments */
  PlexMemory    memory;
  /* what the modules were made for */
  PetscPointFn *func[PLEX_HDG_POINTS], *slope;
  PetscInt      n[PLEX_HDG_POINTS];
  PetscBool     complete;     /* all of it is there: a compilation that failed leaves a part */
  PetscBool     coefficients; /* the kernel of elements' values is among theirs */
  PetscInt      nconditions;
  PetscBdPointFn        *
    *conditionFunc;     /* [nconditions] of each, NULL: zero, and the number of its constants; NULL: there is */
  PetscInt *conditionN; /* no kernel of boundary values */
  /* constants of all, and where those of each begin */
  PetscInt     nconstants, offset[PLEX_HDG_POINTS], *conditionOffset;
  PetscScalar *constants;      /* [nconstants] as they are in the backend's memory; NULL: not there yet */
  PetscInt     sourceElements; /* of a block */

  PlexHDGSourceArgs source;
  PlexHDGPointsArgs args;
  PlexHDGFacetsArgs facets;
  PlexHDGFacet     *table; /* [nboundary] as it is in the backend's memory */
};

/* pointcalls.c: functions that call pointwise ones, in the place of those of the program */
PETSC_INTERN PlexHDGFn            PlexHDGCallSource_Private;
PETSC_INTERN PlexHDGCoefficientFn PlexHDGCallCoefficients_Private;
PETSC_INTERN PlexHDGPointFn       PlexHDGCallKappa_Private;
PETSC_INTERN PlexHDGConvectionFn  PlexHDGCallVelocity_Private;
/* Whether a function is evaluated by kernels; kappa, lambda and tau of elements, boundary values are */
PETSC_INTERN PetscBool PlexHDGPointRuns_Private(PlexHDG, PlexHDGPointRole);
PETSC_INTERN PetscBool PlexHDGPointRunsCoefficients_Private(PlexHDG);
PETSC_INTERN PetscBool PlexHDGPointRunsBoundary_Private(PlexHDG);
/* pointmodule.c: modules of the present functions, their tables, the constants. Collective */
PETSC_INTERN PetscErrorCode PlexHDGPointsSetUp_Private(PlexHDG);
/* The host's evaluation of an element, of kappa(u) with u[Np], or of a facet, for an error that says at which point */
typedef PetscErrorCode PlexHDGCheckFn(PlexHDG, PetscInt, const PetscScalar u[]);
/* pointdata.c: what kernels evaluate, by the name of what the host does */
PETSC_INTERN PetscErrorCode PlexHDGPointSource_Private(PlexHDG, PlexHDGCheckFn *);
PETSC_INTERN PetscErrorCode PlexHDGPointConvection_Private(PlexHDG, PlexHDGCheckFn *);
PETSC_INTERN PetscErrorCode PlexHDGPointCoefficients_Private(PlexHDG, PlexHDGCheckFn *, PetscBool tau);
PETSC_INTERN PetscErrorCode PlexHDGPointKappa_Private(PlexHDG, PlexHDGCheckFn *, const PetscScalar u[],
                                                      PetscBool slope);
PETSC_INTERN PetscErrorCode PlexHDGPointRenewTau_Private(PlexHDG, PlexHDGCheckFn *);
PETSC_INTERN PetscErrorCode PlexHDGPointBoundary_Private(PlexHDG, PlexHDGCheckFn *, PetscBool *changed);
