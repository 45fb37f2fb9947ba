/* HDF5 files of several processes */
#pragma once

#include <petscsys.h>

/* Numbers in arrays and attributes */
typedef enum {
  PLEX_H5_DOUBLE,
  PLEX_H5_INT,
  PLEX_H5_INT64,
  PLEX_H5_UCHAR
} PlexH5Type;
#define PLEX_H5_INDEX (PetscDefined(USE_64BIT_INDICES) ? PLEX_H5_INT64 : PLEX_H5_INT) /* a PetscInt */

/*
  An HDF5 file of several processes. The first one alone opens it, with a serial or a parallel library alike; rows of the others come to it
  in pieces. Functions are collective. What fails is remembered, and an error on all processes when the file is closed, or at once where something is read.

  With a parallel library, and a file that all processes see, rows of large arrays go from each process to the file, by
  MPI-IO: hdf5parallel.c.
*/
typedef struct {
  MPI_Comm    comm;
  PetscMPIInt rank, size;
  char        path[PETSC_MAX_PATH_LEN];
  int64_t     file; /* HDF5's number for it on the first process; -1 */
  PetscBool   good;
  PetscBool   writes;   /* not PLEX_H5_READ */
  PetscInt64  parallel; /* bytes of an array from which on all processes move their own rows; PETSC_INT64_MAX: never */
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
/* An array without dimensions, 0 */
PETSC_INTERN PetscErrorCode PlexH5CreateNumber(PlexH5 *, const char name[], PlexH5Type type);
PETSC_INTERN PetscErrorCode PlexH5GetRows(PlexH5 *, const char name[], PetscInt64 *rows);
PETSC_INTERN PetscErrorCode PlexH5GetShape(PlexH5 *, const char name[], PetscInt *rank, PetscInt64 size[PLEX_H5_RANK]);
/* n rows of each process, one process's after another's, from row `first` on; the array grows where it has to */
PETSC_INTERN PetscErrorCode PlexH5WriteRows(PlexH5 *, const char name[], PlexH5Type type, PetscInt64 first,
                                            PetscInt64 n, const void *values);
PETSC_INTERN PetscErrorCode PlexH5ReadRows(PlexH5 *, const char name[], PlexH5Type type, PetscInt64 first, PetscInt64 n,
                                           void *values);
