/* Sparse products on the host; products.c */
#pragma once

#include <petscsys.h>

#define PLEX_PRODUCTS 8 /* options */

/* Between the two, products of sparse matrices that lie on a device are set up to be computed on the host, if the options
   do not say otherwise. mine[PLEX_PRODUCTS]: what the second one takes back */
PETSC_INTERN PetscErrorCode PlexHostProductsBegin(PetscBool mine[PLEX_PRODUCTS]);
PETSC_INTERN PetscErrorCode PlexHostProductsEnd(const PetscBool mine[PLEX_PRODUCTS]);
