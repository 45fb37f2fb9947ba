/*
  Statically condensed continuous elements on the mesh of a PlexHDG, of the same degree, with its coefficients, source
  and Dirichlet's conditions: what King and others (2014) compare with. In 2D, on one process.
*/
#pragma once

#include <plexgpu/private/hdgimpl.h>
#include "cg_args.h"

typedef struct _n_PlexHDGCG *PlexHDGCG;
struct _n_PlexHDGCG {
  PlexHDG       hdg;           /* set up; not owned */
  PetscInt      Ni, Nb;        /* nodes inside an element, and on its boundary: vertices, then edges */
  PetscInt      nfree, nfixed; /* nodes of the mesh's vertices and edges, without and with known value */
  int          *nodes;         /* [Ne][Nb] */
  PetscReal    *points;        /* [Np][2] of the reference element's nodes */
  PetscReal    *C;             /* [Np][Np] as in PlexHDGCGArgs */
  PlexHDGCGArgs args;          /* but for K */
  PlexMemory    memory;
  PetscInt      nnz;
  /* [nnz + 1], entries of the elements' matrices that an entry of A sums, in the backend's memory */
  const int *start, *sources;
  const int *startRow, *sourcesRow; /* [nfree + 1], entries of their right-hand sides likewise */
  void      *data;                  /* kernels */
  Mat        A;
  Vec        x, rhs, u; /* u of elements, as of PlexHDGCreateVecs() */
  KSP        ksp;       /* prefix plex_hdg_cg_ */
  PlexArray  arrayA, arrayX, arrayRHS, arrayU;
};
PETSC_EXTERN PetscErrorCode PlexHDGCGCreate(PlexHDG, PlexHDGCG *);
PETSC_EXTERN PetscErrorCode PlexHDGCGCondense(PlexHDGCG); /* matrices and right-hand sides of all elements */
PETSC_EXTERN PetscErrorCode PlexHDGCGAssemble(PlexHDGCG); /* their sums, A and rhs */
PETSC_EXTERN PetscErrorCode PlexHDGCGSolve(PlexHDGCG);    /* both, A x = rhs by the KSP, u */
PETSC_EXTERN PetscErrorCode PlexHDGCGComputeError(PlexHDGCG, PlexHDGFn *, void *, PetscReal *largest, PetscReal *L2);
PETSC_EXTERN PetscErrorCode PlexHDGCGDestroy(PlexHDGCG *);
