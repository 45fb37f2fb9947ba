/* A growing text */
#pragma once

#include <petscsys.h>

typedef struct {
  char  *text;
  size_t length, allocated;
} PlexText;
PETSC_INTERN PetscErrorCode PlexTextAppend(PlexText *, const char[], size_t);
PETSC_INTERN PetscErrorCode PlexTextPrintf(PlexText *, const char[], ...) PETSC_ATTRIBUTE_FORMAT(2, 3);
