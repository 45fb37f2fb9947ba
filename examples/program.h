/*
  What every example and benchmark begins with: help, defaults of options, where the files of this folder are, and meshes
  that are refined and distributed.
*/
#ifndef PLEX_PROGRAM_H
#define PLEX_PROGRAM_H

#include <plexgpu.h>

/* Prints a program's own help, and says so, when it is called with -h or --help; -help prints PETSc's options as
   well */
static inline PetscBool ExampleHelp(int argc, char **argv, const char help[])
{
  for (int i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help")) {
      fputs(help, stdout);
      return PETSC_TRUE;
    }
  }
  return PETSC_FALSE;
}

/* Puts an option in the database unless the user has given it */
static inline PetscErrorCode ExampleDefault(const char name[], const char value[])
{
  PetscBool given;

  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(NULL, NULL, name, &given));
  if (!given) PetscCall(PetscOptionsSetValue(NULL, name, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Matrix and vectors on the GPU where there is one and PlexGPU is to use it */
static inline PetscErrorCode ExampleDefaultTypes(void)
{
  char      backend[64] = PLEXBACKENDAUTO;
  PetscBool cuda, isauto, iscuda;

  PetscFunctionBegin;
  PetscCall(PlexGPUInitializePackage());
  PetscCall(PetscOptionsGetString(NULL, NULL, "-plex_assembly_backend", backend, sizeof(backend), NULL));
  PetscCall(PetscStrcmp(backend, PLEXBACKENDAUTO, &isauto));
  PetscCall(PetscStrcmp(backend, PLEXBACKENDCUDA, &iscuda));
  PetscCall(PlexBackendIsAvailable(PLEXBACKENDCUDA, &cuda));
  if (cuda && (isauto || iscuda)) {
    PetscCall(ExampleDefault("-dm_mat_type", MATAIJCUSPARSE));
    PetscCall(ExampleDefault("-dm_vec_type", VECCUDA));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A file of this folder: under PLEXGPU_EXAMPLES_DIR when the build gives it, else examples/, else the working
   directory */
static inline PetscErrorCode ExampleFindFile(const char name[], char path[], size_t len, PetscBool *found)
{
  const char *folders[] = {
#if defined(PLEXGPU_EXAMPLES_DIR)
    PLEXGPU_EXAMPLES_DIR,
#endif
    "examples", "."};

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  for (size_t i = 0; i < PETSC_STATIC_ARRAY_LENGTH(folders) && !*found; ++i) {
    PetscCall(PetscSNPrintf(path, len, "%s/%s", folders[i], name));
    PetscCall(PetscTestFile(path, 'r', found));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Shares a mesh out over the processes */
static inline PetscErrorCode ExampleDistribute(DM *dm)
{
  DM distributed;

  PetscFunctionBegin;
  PetscCall(DMPlexDistribute(*dm, 0, NULL, &distributed));
  if (distributed) {
    PetscCall(DMDestroy(dm));
    *dm = distributed;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Refines a mesh, each cell in 2^dim, so many times */
static inline PetscErrorCode ExampleRefine(PetscInt times, DM *dm)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < times; ++k) {
    DM refined;

    PetscCall(DMPlexSetRefinementUniform(*dm, PETSC_TRUE));
    PetscCall(DMRefine(*dm, PetscObjectComm((PetscObject)*dm), &refined));
    PetscCall(DMDestroy(dm));
    *dm = refined;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
