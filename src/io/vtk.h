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
/* Likewise n cells of one kind, whose points are shared: points[Ne][n], their numbers among those of all processes, of
   which this process has x[npoints][3], behind those of the processes before it */
PETSC_INTERN PetscErrorCode PlexVTKCreateShared_Private(PlexH5 *, PetscInt dim, const PlexVTKElements *,
                                                        const PetscInt64 points[], PetscInt64 npoints,
                                                        const PetscReal x[]);
/* Likewise N^2 triangles, or quadrilaterals (tensor), between the nodes of each element of degree N in the plane, in the
   order of PlexDGReference: numbers at the nodes are drawn as they are */
PETSC_INTERN PetscErrorCode PlexVTKCreateParts_Private(PlexH5 *, PetscInt N, PetscInt nkinds,
                                                       const PlexVTKElements kinds[], const PetscReal x[]);

/* States of one mesh, one behind another; vtksteps.c. Create: none yet, in a file that has cells. CreateField: of width
   1, or [points][width]. WriteField: n values of this process at its points, `all` being those of all processes. End:
   the state is complete. Count: states that are there, of a mesh with `all` points: else an error */
PETSC_INTERN PetscErrorCode PlexVTKCreateStates_Private(PlexH5 *);
PETSC_INTERN PetscErrorCode PlexVTKCreateField_Private(PlexH5 *, const char field[], PetscInt width);
PETSC_INTERN PetscErrorCode PlexVTKWriteField_Private(PlexH5 *, const char field[], PetscInt64 state, PetscInt64 all,
                                                      PetscInt64 n, const PetscReal values[]);
PETSC_INTERN PetscErrorCode PlexVTKEndState_Private(PlexH5 *, PetscInt64 state, PetscReal t);
PETSC_INTERN PetscErrorCode PlexVTKCountStates_Private(PlexH5 *, PetscInt64 all, const char mesh[], PetscInt64 *n);
