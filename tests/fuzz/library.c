/* Libraries of functions: written on the first process, compiled with the library's own C compiler, loaded by all. */
#include "fuzz.h"
#include <dlfcn.h>
#include <sys/stat.h>

/* Written and compiled under names of its own and renamed: another fuzzer may be at the same one */
static PetscErrorCode Compile(const char folder[], PlexFuzzLibrary *library, const char object[])
{
  char  command[4 * PETSC_MAX_PATH_LEN];
  FILE *out;

  PetscFunctionBegin;
  PetscCall(PetscMkdir(folder));
  out = fopen(library->source, "w");
  PetscCheck(out, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot write %s", library->source);
  PlexFuzzWrite(out, library);
  PetscCheck(!fclose(out), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "Cannot write %s", library->source);
  PetscCall(PetscSNPrintf(command, sizeof(command), "%s %s -O1 -w -fPIC -shared %s -o %s %s", PLEXGPU_CC,
                          PLEXGPU_CC_FLAGS, getenv("PLEX_FUZZ_FLAGS") ? getenv("PLEX_FUZZ_FLAGS") : "", object,
                          library->source));
  PetscCheck(!system(command), PETSC_COMM_SELF, PETSC_ERR_SYS, "This does not compile: %s", command);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexFuzzCanCompile(PetscBool *can)
{
  char        command[4 * PETSC_MAX_PATH_LEN];
  PetscMPIInt rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  *can = PETSC_FALSE;
  PetscCall(PetscSNPrintf(command, sizeof(command),
                          "echo '#include <petsc.h>' | %s %s -fsyntax-only -w -x c - >/dev/null 2>&1", PLEXGPU_CC,
                          PLEXGPU_CC_FLAGS));
  if (!rank) *can = (PetscBool)!system(command);
  PetscCallMPI(MPI_Bcast(can, 1, MPI_C_BOOL, 0, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexFuzzLibraryLoad(const char folder[], uint64_t number, PlexFuzzLibrary *library)
{
  char        object[PETSC_MAX_PATH_LEN];
  PetscMPIInt rank, size;
  FILE       *nowhere;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscMemzero(library, sizeof(*library)));
  library->number = number;
  PetscCall(PetscSNPrintf(library->source, sizeof(library->source), "%s/functions%llu-%d.c", folder,
                          (unsigned long long)number, (int)size));
  PetscCall(PetscSNPrintf(object, sizeof(object), "%s%s/functions%llu-%d.so", folder[0] == '/' ? "" : "./", folder,
                          (unsigned long long)number, (int)size));
  if (!rank) PetscCall(Compile(folder, library, object));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  if (rank) { /* what the functions are */
    nowhere = fopen("/dev/null", "w");
    PetscCheck(nowhere, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot write /dev/null");
    PlexFuzzWrite(nowhere, library);
    fclose(nowhere);
  }
  library->handle = dlopen(object, RTLD_NOW | RTLD_LOCAL);
  PetscCheck(library->handle, PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", dlerror());
  *(void **)&library->setScale = dlsym(library->handle, "fuzz_set_scale");
  for (PetscInt k = 0; k < library->n; ++k) {
    *(void **)&library->functions[k].fn = dlsym(library->handle, library->functions[k].name);
    PetscCheck(library->functions[k].fn, PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", dlerror());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The object stays: PlexGPU may have its symbols */
PetscErrorCode PlexFuzzLibraryClose(PlexFuzzLibrary *library)
{
  PetscFunctionBegin;
  library->n = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexFuzzLibraryPrint(const PlexFuzzLibrary *library, PetscInt function)
{
  char        line[4096], begin[64];
  PetscMPIInt rank;
  PetscBool   in = PETSC_FALSE;
  FILE       *file;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (rank) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(begin, sizeof(begin), "void %s(", library->functions[function].name));
  file = fopen(library->source, "r");
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot read %s", library->source);
  while (fgets(line, sizeof(line), file)) {
    if (!strncmp(line, begin, strlen(begin))) in = PETSC_TRUE;
    if (in) PetscCall(PetscPrintf(PETSC_COMM_SELF, "#   %s", line));
    if (line[0] == '}') in = PETSC_FALSE;
  }
  fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}
