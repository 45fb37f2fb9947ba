/* Options of an object with a prefix: whether one is given with the prefix, or without */
#include "prefix.h"

PetscErrorCode PlexOptionsFindPrefix_Private(const char prefix[], const char name[], const char *found[])
{
  PetscBool set = PETSC_FALSE;

  PetscFunctionBegin;
  if (prefix && prefix[0]) PetscCall(PetscOptionsHasName(NULL, prefix, name, &set));
  *found = set ? prefix : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}
