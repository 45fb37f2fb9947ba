/*
  Shared objects loaded from memory: what the loader maps are the very bytes that were compiled, or read and checked,
  and no file that could change in between or afterwards.
*/
#define _GNU_SOURCE
#include "command.h"
#include "file.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

/* The path of a descriptor. The loader takes two objects of one path for the same: a number that has been an object's,
   and still is, is left out. */
static int PlexObjectName(int file, char path[64])
{
  void *other;
  int   next = file;

  (void)snprintf(path, 64, "/proc/self/fd/%d", file);
  while (next >= 0 && (other = dlopen(path, RTLD_LAZY | RTLD_NOLOAD))) {
    const int previous = next;

    (void)dlclose(other);
    next = fcntl(file, F_DUPFD_CLOEXEC, previous + 1);
    if (previous != file) (void)close(previous);
    (void)snprintf(path, 64, "/proc/self/fd/%d", next);
  }
  if (next != file) (void)close(file);
  return next;
}

/* From anonymous memory that nobody can change any more; NULL where the system does not have such */
static void *PlexObjectLoadMemory(const char name[], const char bytes[], size_t n)
{
  const PlexFilePart all = {bytes, n};
  char               path[64];
  void              *handle = NULL;
  int                file;

#if defined(MFD_EXEC)
  file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);
  if (file < 0)
#endif
    file = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return NULL;
  if (PlexFileWriteParts(file, 1, &all) &&
      !fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL)) {
    file = PlexObjectName(file, path);
    if (file >= 0) handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  }
  if (file >= 0) (void)close(file);
  return handle;
}

/* From a file in a folder of its own that only this user can enter, removed as soon as it is loaded */
static PetscErrorCode PlexObjectLoadFile(const char name[], const char bytes[], size_t n, void **handle)
{
  const PlexFilePart all = {bytes, n};
  PlexWorkplace      w;
  char               why[512] = "";
  PetscBool          good;
  int                file;

  PetscFunctionBegin;
  *handle = NULL;
  PetscCall(PlexWorkplaceCreate(&w, "none", "module.so"));
  file = open(w.object, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0700);
  good = (PetscBool)(file >= 0 && PlexFileWriteParts(file, 1, &all));
  if (file >= 0 && close(file)) good = PETSC_FALSE;
  if (!good)
    PetscCall(PetscSNPrintf(why, sizeof(why), "%s cannot be written; set TMPDIR to a folder with room", w.object));
  else {
    *handle = dlopen(w.object, RTLD_NOW | RTLD_LOCAL);
    if (!*handle) PetscCall(PetscSNPrintf(why, sizeof(why), "%s", dlerror()));
  }
  PetscCall(PlexWorkplaceDestroy(&w, PETSC_FALSE));
  PetscCheck(*handle, PETSC_COMM_SELF, PETSC_ERR_LIB, "Cannot load the compiled kernels %s: %s", name, why);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* dlclose() the handle */
PetscErrorCode PlexObjectLoad(const char name[], const void *bytes, size_t n, void **handle)
{
  PetscFunctionBegin;
  *handle = PlexObjectLoadMemory(name, (const char *)bytes, n);
  if (!*handle) PetscCall(PlexObjectLoadFile(name, (const char *)bytes, n, handle));
  PetscFunctionReturn(PETSC_SUCCESS);
}
