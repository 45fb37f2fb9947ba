/* Files of this user or root alone, read without following links and written at once or not at all. own: the folder,
   too, has to be theirs alone, and nobody else may write to it */
#pragma once

#include <petscsys.h>

typedef enum {
  PLEX_FILE_GOOD,
  PLEX_FILE_ABSENT,
  PLEX_FILE_REFUSED,   /* it belongs to another user, or others may write to it, or it is a link */
  PLEX_FILE_UNREADABLE /* no permission, a folder, ... */
} PlexFileState;
typedef struct {
  const void *bytes;
  size_t      n;
} PlexFilePart;
#define PLEX_FILE_WHY 256
/* *folder -1: see the state */
PETSC_INTERN PetscErrorCode PlexFolderOpen(const char path[], PetscBool own, int *folder, PlexFileState *,
                                           char why[PLEX_FILE_WHY]);
/* bytes[n] is 0; *bytes NULL: see the state */
PETSC_INTERN PetscErrorCode PlexFileRead(const char path[], PetscBool own, char **bytes, size_t *n, PlexFileState *,
                                         char why[PLEX_FILE_WHY]);
PETSC_INTERN PetscBool      PlexFileWriteParts(int file, int nparts, const PlexFilePart[]);
PETSC_INTERN PetscErrorCode PlexFileWrite(const char path[], PetscBool own, int nparts, const PlexFilePart[],
                                          PetscBool *written);
/* close() gives it back; -1: there is none */
PETSC_INTERN PetscErrorCode PlexFileLock(const char path[], PetscBool own, int *lock);
