/* Seats of the targets of rows, and the shapes that rows have in common: cuda/assembly/seats.cuh has the idea */
#pragma once

#include <petscsys.h>
#include <assembly/seats_args.h>

/* A part of a row, of one shape with those of other rows */
typedef struct {
  PetscInt  first; /* target of the row, with which it begins */
  unsigned  count; /* as PlexSeatsPart has them */
  unsigned  shape;
  PetscInt  nitems;
  PetscInt *items; /* [nitems] contribution, in the order of the row, that each is of */
} PlexSeatedPart;

typedef struct {
  PetscInt        nparts;
  PlexSeatedPart *parts;
  const PetscInt *order; /* [count] which contribution comes first, and so on; until the next row */
} PlexSeatedRow;

typedef struct PlexSeats_ *PlexSeats;

/* order[ef][ef]: number of the entry (i, j) among those of an element; ef is at most 32 */
PETSC_EXTERN PetscErrorCode PlexSeatsCreate_Private(PetscInt ef, const unsigned short order[], PlexSeats *);
PETSC_EXTERN PetscErrorCode PlexSeatsDestroy_Private(PlexSeats *);
/* A row of `length` targets, to which contribution c, row items[c] % ef of an element, adds its entry j at place[c ef + j], or nowhere if that is 0xffff; no contribution
   has a place twice. row->parts is there until the seats are destroyed */
PETSC_EXTERN PetscErrorCode PlexSeatsGetRow_Private(PlexSeats, PetscInt length, PetscInt count, const int items[], const unsigned short place[], PlexSeatedRow *row);
/* Seats of all shapes so far, and how many registers of a lane they need at most */
PETSC_EXTERN PetscErrorCode PlexSeatsGetShapes_Private(PlexSeats, size_t *n, const PlexSeat **shapes, PetscInt *registers);
