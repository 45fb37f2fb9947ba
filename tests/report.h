/* How a test says what it found: a line "ok NAME" or "not ok NAME (details)" for each thing looked at. */
#pragma once

#include <petscsys.h>

/* Prints the line; details, as for printf(), only when not ok. Of several processes the first one says which. */
PetscErrorCode PlexTestReport(PetscBool ok, const char name[], const char details[], ...) PETSC_ATTRIBUTE_FORMAT(3, 4);

/* Calls f(ctx) with PETSc's error handler put aside: *ierr is what it returns, and text[size] the message of the error, empty where
   there was none */
PetscErrorCode PlexTestTry(PetscErrorCode (*f)(void *), void *ctx, PetscErrorCode *ierr, char text[], size_t size);

/* Likewise for what is printed by PetscPrintf() and PETSc's standard viewers in the meantime */
PetscErrorCode PlexTestCapture(PetscErrorCode (*f)(void *), void *ctx, char text[], size_t size);

/* What main() returns: 1 where anything was not ok, 0 else */
int PlexTestStatus(void);
