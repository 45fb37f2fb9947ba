/*
  precompile FOLDER sm_XX...: compiles the kernels that are the same for every problem for these architectures into
  FOLDER, where files that are no longer of use are removed. Called by `make precompiled`. No GPU is needed; without
  NVRTC, or with one that does not know an architecture, a line says so, and users' programs compile at their first run.
*/
#include <plexgpu/private/backendimpl.h>
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST 1024 /* files */

static char    *kept[MOST];
static int      nkept;
static double   bytes;
static PetscInt compiled;
static char     said[512]; /* why not, so far */

/* Compiles all files for an architecture */
static PetscErrorCode Compile(const char arch[], const char folder[])
{
  char        why[512], path[PETSC_MAX_PATH_LEN];
  struct stat status;
  PetscBool   made;

  PetscFunctionBegin;
  PetscCall(PlexCanCompileFor_CUDA(arch, why, sizeof(why)));
  if (why[0]) {
    if (strcmp(why, said)) printf("kernels: not compiled now, but by programs at their first run: %s\n", why);
    PetscCall(PetscStrncpy(said, why, sizeof(said)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (int k = 0; PlexKernelFiles[k]; ++k) {
    PetscCall(PlexPrecompile_CUDA(PlexKernelFiles[k], arch, folder, path, &made));
    PetscCheck(nkept < MOST && !stat(path, &status), PETSC_COMM_SELF, PETSC_ERR_FILE_READ, "Cannot read %s", path);
    PetscCall(PetscStrallocpy(strrchr(path, '/') + 1, &kept[nkept++]));
    bytes += (double)status.st_size;
    compiled += made;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Removes the files of the folder that are not kept */
static PetscErrorCode Clean(const char folder[])
{
  DIR           *directory = opendir(folder);
  struct dirent *entry;

  PetscFunctionBegin;
  PetscCheck(directory, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "There is no folder %s", folder);
  while ((entry = readdir(directory))) {
    PetscBool keep = (PetscBool)(entry->d_name[0] == '.');

    for (int k = 0; k < nkept && !keep; ++k) PetscCall(PetscStrcmp(entry->d_name, kept[k], &keep));
    if (!keep) (void)unlinkat(dirfd(directory), entry->d_name, 0);
  }
  (void)closedir(directory);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCheck(argc > 2, PETSC_COMM_SELF, PETSC_ERR_USER, "usage: precompile FOLDER sm_XX...");
  PetscCall(PlexGPUInitializePackage());
  for (int k = 2; k < argc; ++k) PetscCall(Compile(argv[k], argv[1]));
  PetscCall(Clean(argv[1]));
  if (nkept)
    printf("kernels: %d files in %s, %.1f MB, of them %d compiled now\n", nkept, argv[1], bytes * 1e-6, (int)compiled);
  for (int k = 0; k < nkept; ++k) PetscCall(PetscFree(kept[k]));
  PetscCall(PetscFinalize());
  return 0;
}
