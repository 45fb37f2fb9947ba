/* Finite element fields at points of the reference cell; fesampler.c */
#pragma once

#include <petscdmplex.h>
#include <petscds.h>

/* Fields of a DMPLEX whose elements are Lagrange's, on cells of one type */
typedef struct _n_PlexFESampler *PlexFESampler;
struct _n_PlexFESampler {
  DM             dm;
  DMPolytopeType cell;
  PetscBool      tensor;    /* quadrilaterals or hexahedra */
  PetscInt       dim, cdim; /* of cells; of space */
  PetscInt       Ne, *cells;
  PetscInt       Nf;
  PetscInt      *Nc, *degree, *offset; /* [Nf] components; degree; where its values begin in those of a cell */
  char (*names)[64];                   /* [Nf] */
  PetscBool        continuous;         /* all fields, and the coordinates */
  PetscInt         coordinateDegree;
  Vec              local; /* values, with those of essential conditions */
  PetscSection     section;
  PetscFE          coordinateFE;
  PetscInt         Nv;    /* coordinate nodes of a cell */
  PetscInt         n;     /* points */
  PetscReal       *shape; /* [n][Nv] */
  PetscTabulation *T;     /* [Nf] */
};

/* u: a global vector; t: time of essential conditions. What cannot be sampled is an error that says why */
PETSC_INTERN PetscErrorCode PlexFESamplerCreate_Private(DM, Vec u, PetscReal t, PlexFESampler *);
PETSC_INTERN PetscErrorCode PlexFESamplerTabulate_Private(PlexFESampler, PetscInt n, const PetscReal points[]);
/* x[n][3] of cell e; v[n][Nc] of field f, real or imaginary parts */
PETSC_INTERN PetscErrorCode PlexFESamplerGetPositions_Private(PlexFESampler, PetscInt e, PetscReal x[]);
PETSC_INTERN PetscErrorCode PlexFESamplerGetValues_Private(PlexFESampler, PetscInt e, PetscInt f, PetscBool imaginary,
                                                           PetscReal v[]);
PETSC_INTERN PetscErrorCode PlexFESamplerDestroy_Private(PlexFESampler *);
