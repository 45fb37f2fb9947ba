#include "kernel.h"
#include "report.h"
#include <unistd.h>

PetscErrorCode UnitFolderCreate(char folder[PETSC_MAX_PATH_LEN])
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(folder, PETSC_MAX_PATH_LEN, "%s/plexgpu-test-XXXXXX",
                          getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp"));
  PetscCheck(mkdtemp(folder), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot make %s", folder);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnitFolderDestroy(const char folder[])
{
  char command[PETSC_MAX_PATH_LEN + 16];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(command, sizeof(command), "rm -rf %s", folder));
  if (system(command)) PetscCall(PetscPrintf(PETSC_COMM_SELF, "# %s is left\n", folder));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnitProgramCreate(const char folder[], const char name[], const char text[], PlexProgram *program)
{
  char path[2 * PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s/%s", folder, name));
  PetscCall(PlexTestWriteFile(path, text, strlen(text)));
  PetscCall(PlexProgramCreate(path, NULL, program));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnitExtract(PlexProgram program, const char wanted[], PetscBool single, char name[256], char **out)
{
  char       *written = NULL;
  PlexExtract extract;
  PetscBool   found;
  size_t      n = 0;
  FILE       *stream;

  PetscFunctionBegin;
  PetscCall(PlexExtractCreate(program, &extract));
  PetscCall(PlexExtractAddFunction(extract, NULL, wanted, &found, name, 256));
  PetscCheck(found, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "'%s' was not found", wanted);
  stream = open_memstream(&written, &n);
  PetscCall(PlexExtractWrite(extract, single, stream));
  fclose(stream);
  PetscCall(PetscStrallocpy(written, out));
  free(written);
  PetscCall(PlexExtractDestroy(&extract));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode UnitKernel(const char text[], const char name[], PetscBool single, char **all)
{
  const size_t n = strlen(text) + 4096;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, all));
  PetscCall(PetscSNPrintf(*all, n,
                          "#define PLEX_SINGLE %d\n#define PLEX_DIM 2\n#define PLEX_NF 2\n#define PLEX_INT64 0\n"
                          "#define PLEX_TEAM 1\n#define PLEX_EF 3\n#define PLEX_NQ 1\n#define PLEX_BLOCK 32\n"
                          "#include \"plex.cuh\"\n#include \"petsc.cuh\"\n"
                          "static __device__ constexpr PetscInt plex_uOff[] = {0, 1, 2};\n"
                          "static __device__ constexpr PetscInt plex_uOff_x[] = {0, 2, 4};\n%s\n"
                          "#line 1 \"kernel\"\nextern \"C\" __global__ void unit_kernel(const PetscScalar *u, "
                          "PetscScalar *f) { %s(PLEX_DIM, PLEX_NF, 0, plex_uOff, plex_uOff_x, u, 0, u, plex_uOff, "
                          "plex_uOff_x, u, u, u, (PetscReal)1, u, 2, u, f); }\nPLEX_EXPORT_KERNEL(unit_kernel)\n",
                          (int)single, text, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}
