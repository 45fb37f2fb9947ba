/*
  A growing text: generated and flattened sources, lists in messages.
*/
#include "text.h"

/* Appends `length` characters; the text stays terminated by a null character. PetscFree(t->text) when done. */
PetscErrorCode PlexTextAppend(PlexText *t, const char s[], size_t length)
{
  PetscFunctionBegin;
  if (t->length + length + 1 > t->allocated) {
    char *larger;

    t->allocated = 2 * t->allocated + length + 1024;
    PetscCall(PetscMalloc1(t->allocated, &larger));
    PetscCall(PetscMemcpy(larger, t->text, t->length));
    PetscCall(PetscFree(t->text));
    t->text = larger;
  }
  PetscCall(PetscMemcpy(t->text + t->length, s, length));
  t->length += length;
  t->text[t->length] = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* At most 2 * PETSC_MAX_PATH_LEN characters a call */
PetscErrorCode PlexTextPrintf(PlexText *t, const char format[], ...)
{
  char    line[2 * PETSC_MAX_PATH_LEN];
  size_t  length;
  va_list args;

  PetscFunctionBegin;
  va_start(args, format);
  PetscCall(PetscVSNPrintf(line, sizeof(line), format, NULL, args));
  va_end(args);
  PetscCall(PetscStrlen(line, &length));
  PetscCall(PlexTextAppend(t, line, length));
  PetscFunctionReturn(PETSC_SUCCESS);
}
