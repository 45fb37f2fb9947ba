/*
  The archive's file. Who changes it holds a lock, changes a copy, and puts that in its place at once: readers need no lock and see the old
  file or the new one, and a process that ends on the way leaves the old one. The lock is a file beside it that stays there.
*/
#include "tuneimpl.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

static PetscErrorCode PlexFileCopy(const char from[], const char to[], PetscBool *copied)
{
  FILE  *in = fopen(from, "rb"), *out = fopen(to, "wb");
  char   buffer[65536];
  size_t n;

  PetscFunctionBegin;
  *copied = (PetscBool)(in && out);
  while (*copied && (n = fread(buffer, 1, sizeof(buffer), in)) > 0) *copied = (PetscBool)(fwrite(buffer, 1, n, out) == n);
  if (in && ferror(in)) *copied = PETSC_FALSE;
  if (in) (void)fclose(in);
  if (out && fclose(out)) *copied = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Waits for others. *exists: there is an archive, whose copy is to be changed */
PetscErrorCode PlexArchiveBegin_Private(const char path[], PlexArchiveFile *file, PetscBool *exists)
{
  char name[PETSC_MAX_PATH_LEN], host[64];

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(file->path, path, sizeof(file->path)));
  PetscCall(PetscGetHostName(host, sizeof(host))); /* the folder may be shared by machines */
  PetscCall(PetscSNPrintf(file->temporary, sizeof(file->temporary), "%s.%s.%ld", path, host, (long)getpid()));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s.lock", path));
  file->lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  while (file->lock >= 0 && flock(file->lock, LOCK_EX) && errno == EINTR) continue;
  *exists = (PetscBool)!access(path, F_OK);
  if (*exists) PetscCall(PlexFileCopy(path, file->temporary, exists));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* FILE.damaged, or FILE.damaged.2 and so on: nothing is overwritten. kept[] is empty where that did not work */
PetscErrorCode PlexArchivePutAside_Private(PlexArchiveFile *file, char kept[PETSC_MAX_PATH_LEN])
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(kept, PETSC_MAX_PATH_LEN, "%s.damaged", file->path));
  for (int k = 2; !access(kept, F_OK); ++k) PetscCall(PetscSNPrintf(kept, PETSC_MAX_PATH_LEN, "%s.damaged.%d", file->path, k));
  if (rename(file->path, kept)) kept[0] = 0;
  (void)unlink(file->temporary);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexArchiveEnd_Private(PlexArchiveFile *file, PetscBool good, PetscBool *written)
{
  PetscFunctionBegin;
  *written = (PetscBool)(good && !rename(file->temporary, file->path));
  if (!*written) (void)unlink(file->temporary);
  if (file->lock >= 0) (void)close(file->lock); /* gives the lock back */
  PetscFunctionReturn(PETSC_SUCCESS);
}
