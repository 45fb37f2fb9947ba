/*
  Statically condensed continuous elements on the mesh of a PlexHDG, of the same degree, with its coefficients, source
  and Dirichlet's conditions: what King and others (2014) compare with. On triangles, quadrilaterals and tetrahedra.
*/
#pragma once

#include <plexgpu/private/hdgimpl.h>
#include "cg_args.h"

typedef struct _n_PlexHDGCG *PlexHDGCG;
struct _n_PlexHDGCG {
  PlexHDG       hdg;           /* set up; not owned */
  PetscInt      Ni, Nb;        /* nodes inside an element, and on its boundary */
  PetscInt      nfree, nfixed; /* nodes on the boundary of own elements, without and with known value */
  PetscInt      nown;          /* own unknowns, out of those of all processes */
  int          *nodes;         /* [Ne][Nb] */
  PetscInt     *global;        /* [nfree] numbers of all processes */
  int          *weights; /* [Nb][4] of the vertices that a node on the boundary lies between; their sum is the degree */
  PetscReal    *points;  /* [Np][dim] of the reference element's nodes */
  PetscReal    *C;       /* [Np][Np] as in PlexHDGCGArgs */
  PlexHDGCGArgs args;
  PlexMemory    memory;
  void         *data; /* kernels */
  Mat           A;
  Vec           x, rhs, u; /* u of elements, as of PlexHDGCreateVecs() */
  Vec           local;     /* [nfree] of x */
  VecScatter    scatter;
  KSP           ksp; /* prefix plex_hdg_cg_ */
  PlexArray     arrayX, arrayU;
};
PETSC_EXTERN PetscErrorCode PlexHDGCGCreate(PlexHDG, PlexHDGCG *);
PETSC_EXTERN PetscErrorCode PlexHDGCGCondense(PlexHDGCG); /* matrices and right-hand sides of all elements */
PETSC_EXTERN PetscErrorCode PlexHDGCGAssemble(PlexHDGCG); /* their sums, A and rhs */
PETSC_EXTERN PetscErrorCode PlexHDGCGSolve(PlexHDGCG);    /* both, A x = rhs by the KSP, u */
PETSC_EXTERN PetscErrorCode PlexHDGCGComputeError(PlexHDGCG, PlexHDGFn *, void *, PetscReal *largest, PetscReal *L2);
PETSC_EXTERN PetscErrorCode PlexHDGCGDestroy(PlexHDGCG *);
