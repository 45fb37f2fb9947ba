/*
  Steps over arrays in a backend's memory, of which plans are made where their kernels are: exclusive sums, stable
  sorts, segments of equal keys. On a backend with kernels they are those of cuda/arrays/arrays.cu; on the host, loops
  that say what these do. Arrays have less than 2^31 entries.
*/
#pragma once

#include <plexgpu/private/backendimpl.h>

typedef struct _n_PlexArrays *PlexArrays;

/* The kernels of a backend. They are compiled when they are first asked for, and kept on disk */
PETSC_EXTERN PetscErrorCode PlexArraysCreate(PlexBackend, PlexArrays *);
PETSC_EXTERN PetscErrorCode PlexArraysDestroy(PlexArrays *);

/* Room for arrays of `bytes` bytes, which are there until the room is given back to a mark that was taken before, in one
   piece of memory as far as possible */
typedef struct {
  PetscInt piece;
  size_t   used;
} PlexArraysMark;
PETSC_EXTERN PetscErrorCode PlexArraysGet(PlexArrays, size_t bytes, void *array /* address of a pointer */);
PETSC_EXTERN PetscErrorCode PlexArraysGetMark(PlexArrays, PlexArraysMark *);
PETSC_EXTERN PetscErrorCode PlexArraysGiveBack(PlexArrays, const PlexArraysMark *); /* NULL: all */
PETSC_EXTERN PetscErrorCode PlexArraysGetMost(PlexArrays, size_t *bytes);           /* that were there at one time */

/* to[i] = values[0] + ... + values[i - 1], [n]; to may be values. total: the sum of all, NULL where nobody asks, which
   waits for it. Sums are less than 2^31 */
PETSC_EXTERN PetscErrorCode PlexArraysSum(PlexArrays, PetscInt n, const int values[], int to[], PetscInt *total);

/* keys[n] ascending by their bits from `first` to end - 1, equal ones in the order that there is, and values[n] with
   them; values NULL: none. order: values become 0, 1, ..., n - 1 first, that is, where each key was */
PETSC_EXTERN PetscErrorCode PlexArraysSort(PlexArrays, PetscInt n, PetscInt first, PetscInt end, uint64_t keys[],
                                           int values[], PetscBool order);

/* Where keys begin that differ from the one before in the bits from `shift` on: starts[segments + 1], the last one n,
   is the caller's to free with PlexBackendFree() */
PETSC_EXTERN PetscErrorCode PlexArraysSegments(PlexArrays, PetscInt n, PetscInt shift, const uint64_t keys[],
                                               PetscInt *segments, int **starts);
