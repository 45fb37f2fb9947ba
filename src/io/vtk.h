/* VTKHDF files of Lagrange cells: their nodes, and what all discretizations write of their cells */
#pragma once

#include "hdf5file.h"

/* Nodes of a Lagrange simplex of degree N: (N + dim choose dim) */
PETSC_INTERN PetscInt PlexVTKSize_Private(PetscInt dim, PetscInt N);
/* VTK's order of these nodes: multi-indices m[Np][4] of sum N, the weights of the vertices */
PETSC_INTERN PetscErrorCode PlexVTKGetNodes_Private(PetscInt dim, PetscInt N, PetscInt m[][4]);
/* Where VTK's nodes of a simplex, or a quadrilateral or hexahedron (tensor), are in the reference cell, whose coordinates go from -1 to 1: points[Np][dim] */
PETSC_INTERN PetscErrorCode PlexVTKGetPoints_Private(PetscInt dim, PetscBool tensor, PetscInt N, PetscReal points[]);
/* The groups, and the cells of all processes: Ne of this one with n nodes each at x[Ne][n][3]; vtkcells.c */
PETSC_INTERN PetscErrorCode PlexVTKCreateCells_Private(PlexH5 *, PetscInt dim, PetscBool tensor, PetscInt Ne,
                                                       PetscInt n, const PetscReal x[]);
/* Likewise N^2 triangles, or quadrilaterals (tensor), between the nodes of each element of degree N in the plane, in the
   order of PlexDGReference: numbers at the nodes are drawn as they are */
PETSC_INTERN PetscErrorCode PlexVTKCreateParts_Private(PlexH5 *, PetscBool tensor, PetscInt N, PetscInt Ne,
                                                       const PetscReal x[]);
