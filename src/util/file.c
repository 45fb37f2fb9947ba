/*
  Files that hold code, or decide what is run: they are opened only where nobody but their owner, who is this user,
  root or the owner of this library, can have written them, and without following links. All is done relative to the descriptor of a folder that has
  been looked at, so that what is checked is what is used.
*/
#define _GNU_SOURCE
#include "file.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLEX_FILE_MOST ((off_t)1 << 31) /* bytes; nothing that is kept here is near it */

/* Whom this library belongs to: of an installation perhaps an account for software, whose code runs anyway; root where
   that is not known */
static uid_t PlexFileLibraryOwner(void)
{
  static const char here = 0;
  struct stat       status;
  Dl_info           info;

  return dladdr(&here, &info) && info.dli_fname && !stat(info.dli_fname, &status) ? status.st_uid : 0;
}

/* Whether an open file belongs to this user, root or the library's owner, and nobody else can write to it; why[] says
   what is wrong */
static PetscBool PlexFileIsOwn(const struct stat *status, char why[], size_t size)
{
  if (status->st_uid != geteuid() && status->st_uid != 0 && status->st_uid != PlexFileLibraryOwner())
    (void)snprintf(why, size, "it belongs to another user (number %ld)", (long)status->st_uid);
  else if (status->st_mode & (S_IWGRP | S_IWOTH))
    (void)snprintf(why, size, "%s may write to it (mode %04o)", status->st_mode & S_IWOTH ? "everybody" : "its group",
                   (unsigned)(status->st_mode & 07777));
  else return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Splits a path; folder is "." where there is none */
static PetscErrorCode PlexFileSplit(const char path[], char folder[PETSC_MAX_PATH_LEN], const char **name)
{
  const char *slash = strrchr(path, '/');

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(folder, path, PETSC_MAX_PATH_LEN));
  *name = slash ? slash + 1 : path;
  if (!slash) PetscCall(PetscStrncpy(folder, ".", PETSC_MAX_PATH_LEN));
  else folder[slash == path ? 1 : slash - path] = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A descriptor of a folder, -1 where there is none; with `own`, only of one that is this user's alone */
PetscErrorCode PlexFolderOpen(const char path[], PetscBool own, int *folder, PlexFileState *state,
                              char why[PLEX_FILE_WHY])
{
  struct stat status;

  PetscFunctionBegin;
  why[0]  = 0;
  *folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
  *state  = *folder >= 0 ? PLEX_FILE_GOOD : errno == ENOENT ? PLEX_FILE_ABSENT : PLEX_FILE_UNREADABLE;
  if (*state == PLEX_FILE_UNREADABLE) PetscCall(PetscStrncpy(why, strerror(errno), PLEX_FILE_WHY));
  if (*folder < 0 || !own) PetscFunctionReturn(PETSC_SUCCESS);
  if (fstat(*folder, &status) || PlexFileIsOwn(&status, why, PLEX_FILE_WHY)) PetscFunctionReturn(PETSC_SUCCESS);
  *state = PLEX_FILE_REFUSED;
  (void)close(*folder);
  *folder = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The descriptor of a file in a folder that is a regular one and this user's alone; -1: *state and why[] say why not */
static int PlexFileOpenOwn(int folder, const char name[], int flags, off_t *size, PlexFileState *state,
                           char why[PLEX_FILE_WHY])
{
  struct stat status;
  int         file = openat(folder, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);

  why[0] = 0;
  *size  = 0;
  *state = file >= 0       ? PLEX_FILE_GOOD
         : errno == ENOENT ? PLEX_FILE_ABSENT
         : errno == ELOOP  ? PLEX_FILE_REFUSED
                           : PLEX_FILE_UNREADABLE;
  if (file < 0) {
    (void)snprintf(why, PLEX_FILE_WHY, "%s", *state == PLEX_FILE_REFUSED ? "it is a link" : strerror(errno));
    return -1;
  }
  if (fstat(file, &status) || !S_ISREG(status.st_mode) || status.st_size > PLEX_FILE_MOST) {
    *state = PLEX_FILE_UNREADABLE;
    (void)snprintf(why, PLEX_FILE_WHY, "it is no regular file, or too large");
  } else if (!PlexFileIsOwn(&status, why, PLEX_FILE_WHY)) *state = PLEX_FILE_REFUSED;
  *size = status.st_size;
  if (*state == PLEX_FILE_GOOD) return file;
  (void)close(file);
  return -1;
}

/* Reads a file; PetscFree() *bytes. *bytes NULL: *state says why. own: its folder, too, has to be this user's alone */
PetscErrorCode PlexFileRead(const char path[], PetscBool own, char **bytes, size_t *n, PlexFileState *state,
                            char why[PLEX_FILE_WHY])
{
  char        parent[PETSC_MAX_PATH_LEN];
  const char *name;
  off_t       size;
  ssize_t     got = 1;
  int         folder, file = -1;

  PetscFunctionBegin;
  *bytes = NULL;
  *n     = 0;
  PetscCall(PlexFileSplit(path, parent, &name));
  PetscCall(PlexFolderOpen(parent, own, &folder, state, why));
  if (folder < 0) PetscFunctionReturn(PETSC_SUCCESS);
  file = PlexFileOpenOwn(folder, name, O_RDONLY, &size, state, why);
  (void)close(folder);
  if (file < 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1((size_t)size + 1, bytes));
  while (*n < (size_t)size && got > 0) {
    got = read(file, *bytes + *n, (size_t)size - *n);
    if (got > 0) *n += (size_t)got;
    else if (got < 0 && errno == EINTR) got = 1;
  }
  (void)close(file);
  (*bytes)[*n] = 0;
  if (got >= 0) PetscFunctionReturn(PETSC_SUCCESS);
  *state = PLEX_FILE_UNREADABLE;
  PetscCall(PetscStrncpy(why, strerror(errno), PLEX_FILE_WHY));
  PetscCall(PetscFree(*bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Writes all parts to a descriptor. A file beyond this process's size limit is an error, not a signal */
PetscBool PlexFileWriteParts(int file, int nparts, const PlexFilePart parts[])
{
  const struct timespec now  = {0, 0};
  PetscBool             good = PETSC_TRUE;
  sigset_t              limit, before;

  (void)sigemptyset(&limit);
  (void)sigaddset(&limit, SIGXFSZ);
  (void)pthread_sigmask(SIG_BLOCK, &limit, &before);
  for (int k = 0; k < nparts && good; ++k) {
    for (size_t done = 0; done < parts[k].n && good;) {
      const ssize_t wrote = write(file, (const char *)parts[k].bytes + done, parts[k].n - done);

      if (wrote > 0) done += (size_t)wrote;
      else good = (PetscBool)(wrote < 0 && errno == EINTR);
    }
  }
  if (!good && sigismember(&before, SIGXFSZ) == 0) (void)sigtimedwait(&limit, NULL, &now);
  (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
  return good;
}

/* A new file in a folder, under a name that nobody can guess; -1: there is none */
static int PlexFileCreateTemporary(int folder, char name[64])
{
  unsigned long long number[2];

  for (int tries = 0; tries < 16; ++tries) {
    int file;

    if (getrandom(number, sizeof(number), 0) != (ssize_t)sizeof(number)) return -1;
    (void)snprintf(name, 64, ".plexgpu-%016llx%016llx.tmp", number[0], number[1]);
    file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (file >= 0) {
      (void)fchmod(file, 0644); /* whatever umask says: what others may write to is not read again */
      return file;
    }
    if (errno != EEXIST) return -1;
  }
  return -1;
}

/* Writes beside the file and renames: other processes see the old file or the whole new one, and one that ends on the
   way leaves the old one. *written is false where that cannot be done: there is then no new file */
PetscErrorCode PlexFileWrite(const char path[], PetscBool own, int nparts, const PlexFilePart parts[],
                             PetscBool *written)
{
  char          parent[PETSC_MAX_PATH_LEN], temporary[64], why[PLEX_FILE_WHY];
  const char   *name;
  PlexFileState state;
  int           folder, file;

  PetscFunctionBegin;
  *written = PETSC_FALSE;
  PetscCall(PlexFileSplit(path, parent, &name));
  PetscCall(PlexFolderOpen(parent, own, &folder, &state, why));
  if (folder < 0) PetscFunctionReturn(PETSC_SUCCESS);
  file = PlexFileCreateTemporary(folder, temporary);
  if (file >= 0) {
    const PetscBool good = PlexFileWriteParts(file, nparts, parts);

    *written = (PetscBool)(!close(file) && good && !renameat(folder, temporary, folder, name));
    if (!*written) (void)unlinkat(folder, temporary, 0);
  }
  (void)close(folder);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Waits for the lock of path, a file path.lock; *lock is -1 where nothing can be locked, or somebody else's file is in
   the way. A process that ends gives its locks back. */
PetscErrorCode PlexFileLock(const char path[], PetscBool own, int *lock)
{
  char          parent[PETSC_MAX_PATH_LEN], file[PETSC_MAX_PATH_LEN], why[PLEX_FILE_WHY];
  const char   *name;
  PlexFileState state;
  off_t         size;
  int           folder;

  PetscFunctionBegin;
  *lock = -1;
  PetscCall(PlexFileSplit(path, parent, &name));
  PetscCall(PetscSNPrintf(file, sizeof(file), "%s.lock", name));
  PetscCall(PlexFolderOpen(parent, own, &folder, &state, why));
  if (folder < 0) PetscFunctionReturn(PETSC_SUCCESS);
  *lock = PlexFileOpenOwn(folder, file, O_RDWR | O_CREAT, &size, &state, why);
  (void)close(folder);
  while (*lock >= 0 && flock(*lock, LOCK_EX) && errno == EINTR) continue;
  PetscFunctionReturn(PETSC_SUCCESS);
}
