/* Whether what a program asks of PETSc is to be done here: takeover.c, interpose.c and project.c ask */
#include <plexgpu/private/assemblyimpl.h> /*I "plexgpuassembly.h" I*/
#include "assemblyimpl.h"

static PetscBool PlexTakesOver = PETSC_FALSE;

/*@
  PlexGPUSetTakeOver - Says whether `SNES` and `TS` on any `DMPLEX` assemble with PlexGPU where the program asks for
  PETSc's own finite element assembly

  Logically Collective

  Input Parameter:
. flg - `PETSC_TRUE`: as if each `DMPlexSetSNESLocalFEM()` were `PlexAssemblySetSNESLocal()`, and likewise for `TS`

  Options Database Key:
. -plex_assembly (true|false) - likewise; with the prefix of a `DM` in front, for that one

  Level: intermediate

  Notes:
  It is off in a program that is linked with PlexGPU, which says itself what is to be assembled with it, and on where
  the library is loaded with `-dll_append` or through `libplexgpu_preload.so`.

  Callbacks are replaced when a `SNES` or `TS` is set from options, set up, or solves. Those of the program's own are
  left alone, as is a `DM` of another type. Where `libplexgpu_preload.so` is loaded, functions of PETSc's that a program
  calls by name, as `DMPlexSNESComputeResidualFEM()`, are taken over as well. A type of `SNES` or `TS` that the program
  registers itself does not take part.

.seealso: `PlexAssembly`, `PlexAssemblySetSNESLocal()`, `PlexAssemblySetTSLocal()`
@*/
PetscErrorCode PlexGPUSetTakeOver(PetscBool flg)
{
  PetscFunctionBegin;
  PetscCall(PlexGPUInitializePackage());
  PlexTakesOver = flg;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void PlexTakeOverForget_Private(void)
{
  PlexTakesOver = PETSC_FALSE;
}

/* Whether a DM is to be taken over: the option with its prefix, else the option, else what was set */
PetscErrorCode PlexTakeOverWanted_Private(DM dm, PetscBool *wanted)
{
  const char *prefix;

  PetscFunctionBegin;
  *wanted = PlexTakesOver;
  PetscCall(PetscObjectGetOptionsPrefix((PetscObject)dm, &prefix));
  PetscCall(PlexOptionsFindPrefix_Private(prefix, "-plex_assembly", &prefix));
  PetscCall(PetscOptionsGetBool(NULL, prefix, "-plex_assembly", wanted, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}
