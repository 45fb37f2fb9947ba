/* VTKHDF files of Lagrange cells: their nodes, and what all discretizations write of their cells */
#pragma once

#include "hdf5file.h"

/* Nodes of a Lagrange simplex of degree N: (N + dim choose dim) */
PETSC_INTERN PetscInt PlexVTKSize_Private(PetscInt dim, PetscInt N);
/* VTK's order of these nodes: multi-indices m[Np][4] of sum N, the weights of the vertices */
PETSC_INTERN PetscErrorCode PlexVTKGetNodes_Private(PetscInt dim, PetscInt N, PetscInt m[][4]);
/* Where VTK's nodes of a simplex, or a quadrilateral or hexahedron (tensor), are in the reference cell, whose coordinates go from -1 to 1: points[Np][dim] */
PETSC_INTERN PetscErrorCode PlexVTKGetPoints_Private(PetscInt dim, PetscBool tensor, PetscInt N, PetscReal points[]);
/* Elements of one kind in a file: triangles or tetrahedra, quadrilaterals or hexahedra (tensor); on this process Ne with
   n points each */
typedef struct {
  PetscBool tensor;
  PetscInt  Ne, n;
} PlexVTKElements;

/* The groups, and the cells of all processes: elements of one kind, then those of the next one, each with points of its
   own, x[points][3]; vtkcells.c */
PETSC_INTERN PetscErrorCode PlexVTKCreateCells_Private(PlexH5 *, PetscInt dim, PetscInt nkinds,
                                                       const PlexVTKElements kinds[], const PetscReal x[]);
/* Likewise N^2 triangles, or quadrilaterals (tensor), between the nodes of each element of degree N in the plane, in the
   order of PlexDGReference: numbers at the nodes are drawn as they are */
PETSC_INTERN PetscErrorCode PlexVTKCreateParts_Private(PlexH5 *, PetscInt N, PetscInt nkinds,
                                                       const PlexVTKElements kinds[], const PetscReal x[]);
