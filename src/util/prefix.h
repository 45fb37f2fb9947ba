/* Options of objects that may have a prefix */
#pragma once

#include <petscsys.h>

/* The prefix under which an option is to be read: the object's own, where the option is given with it, else none */
PETSC_INTERN PetscErrorCode PlexOptionsFindPrefix_Private(const char prefix[], const char name[], const char *found[]);
