/* Files of nodal DG operators: shared by the files of src/dg/output/ */
#pragma once

#include <plexgpu/dg.h>

/* Numbers in arrays and attributes */
typedef enum {
  PLEX_H5_DOUBLE,
  PLEX_H5_INT,
  PLEX_H5_INT64,
  PLEX_H5_UCHAR
} PlexH5Type;

/*
  An HDF5 file of several processes. The first one alone opens it, with a serial or a parallel library alike; rows of
  the others come to it in pieces. Functions are collective. What fails is remembered, and an error on all processes
  when the file is closed, or at once where something is read.
*/
typedef struct {
  MPI_Comm    comm;
  PetscMPIInt rank, size;
  char        path[PETSC_MAX_PATH_LEN];
  int64_t     file; /* HDF5's number for it on the first process; -1 */
  PetscBool   good;
} PlexH5;

#define PLEX_H5_RANK 4 /* dimensions of an array, at most */

typedef enum {
  PLEX_H5_READ,
  PLEX_H5_CHANGE,
  PLEX_H5_CREATE
} PlexH5Mode;

PETSC_INTERN PetscErrorCode PlexH5Open(MPI_Comm, const char path[], PlexH5Mode, PlexH5 *);
PETSC_INTERN PetscErrorCode PlexH5Close(PlexH5 *);
PETSC_INTERN PetscErrorCode PlexH5Group(PlexH5 *, const char name[]);
/* Attributes of an object: a text, n numbers (0: one, no array) */
PETSC_INTERN PetscErrorCode PlexH5SetText(PlexH5 *, const char object[], const char name[], const char text[]);
PETSC_INTERN PetscErrorCode PlexH5GetText(PlexH5 *, const char object[], const char name[], size_t size, char text[]);
PETSC_INTERN PetscErrorCode PlexH5SetNumbers(PlexH5 *, const char object[], const char name[], PlexH5Type type,
                                             PetscInt n, const void *values);
PETSC_INTERN PetscErrorCode PlexH5GetNumbers(PlexH5 *, const char object[], const char name[], PlexH5Type type,
                                             PetscInt n, void *values);
PETSC_INTERN PetscErrorCode PlexH5HasAttribute(PlexH5 *, const char object[], const char name[], PetscBool *);
/* Arrays [rows][columns[0]]..[columns[ncolumns - 1]]; growing: rows can be added later */
PETSC_INTERN PetscErrorCode PlexH5CreateArray(PlexH5 *, const char name[], PlexH5Type type, PetscInt64 rows,
                                              PetscInt ncolumns, const PetscInt columns[], PetscBool growing);
PETSC_INTERN PetscErrorCode PlexH5GetRows(PlexH5 *, const char name[], PetscInt64 *rows);
PETSC_INTERN PetscErrorCode PlexH5GetShape(PlexH5 *, const char name[], PetscInt *rank, PetscInt64 size[PLEX_H5_RANK]);
/* n rows of each process, one process's after another's, from row `first` on; the array grows where it has to */
PETSC_INTERN PetscErrorCode PlexH5WriteRows(PlexH5 *, const char name[], PlexH5Type type, PetscInt64 first,
                                            PetscInt64 n, const void *values);
PETSC_INTERN PetscErrorCode PlexH5ReadRows(PlexH5 *, const char name[], PlexH5Type type, PetscInt64 first, PetscInt64 n,
                                           void *values);

/* keys[Ne]: a number of each element that depends only on the positions of its vertices: the same on any number of
   processes */
PETSC_INTERN PetscErrorCode PlexDGGetKeys_Private(PlexDG, PetscInt64 keys[]);
/* keys[n] of elements with the vertices x[n][nv][dim], in whatever order */
PETSC_INTERN void PlexDGComputeKeys_Private(PetscInt dim, PetscInt nv, PetscInt n, const PetscReal x[],
                                            PetscInt64 keys[]);

/* VTK's order of the nodes of a Lagrange cell: multi-indices m[Np][4] of sum N, the weights of the vertices */
PETSC_INTERN PetscErrorCode PlexDGGetVTKNodes_Private(PetscInt dim, PetscInt N, PetscInt m[][4]);
/* Where VTK's nodes of a simplex, or a quadrilateral or hexahedron (tensor), are in the reference cell, whose
   coordinates go from -1 to 1: points[Np][dim] */
PETSC_INTERN PetscErrorCode PlexVTKGetPoints_Private(PetscInt dim, PetscBool tensor, PetscInt N, PetscReal points[]);
/* The groups, and the cells of all processes: Ne of this one with n nodes each at x[Ne][n][3]; vtkcells.c */
PETSC_INTERN PetscErrorCode PlexVTKCreateCells_Private(PlexH5 *, PetscInt dim, PetscBool tensor, PetscInt Ne,
                                                       PetscInt n, const PetscReal x[]);
