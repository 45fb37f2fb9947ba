/*
  Output that options ask for of solvers whose functions are PlexGPU's: -plex_assembly_monitor_solution and
  -plex_assembly_monitor_image, of a TS while it steps, of a SNES after each solve.

  A SNES within a TS, or within another SNES, writes nothing.
*/
#include <plexgpu/private/assemblyimpl.h> /*I "plexgpuassembly.h" I*/
#include "../../view/viewimpl.h"
#include "assemblyimpl.h"
#include <petsc/private/dmimpl.h>
#include <petsc/private/snesimpl.h>
#include <petsc/private/tsimpl.h>

/* What a SNES has written; attached to it */
typedef struct {
  PetscInt      count; /* solves */
  PetscObjectId mesh;  /* of the DM that they were on */
} *PlexWritten;

/* Options have the prefix of the DM, or none */
static PetscErrorCode PlexAssemblyOutputOption(DM dm, const char option[], char file[PETSC_MAX_PATH_LEN],
                                               PetscInt *every, PetscBool *set)
{
  const char *prefix;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetOptionsPrefix((PetscObject)dm, &prefix));
  PetscCall(PlexOptionsFindPrefix_Private(prefix, option, &prefix));
  PetscCall(PlexOptionsFile_Private(PetscObjectComm((PetscObject)dm), NULL, prefix, option, 1, file, every, set));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyCreateImage(DM dm, PlexImage *image)
{
  const char *prefix;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetOptionsPrefix((PetscObject)dm, &prefix));
  PetscCall(PlexOptionsFindPrefix_Private(prefix, "-plex_assembly_monitor_image", &prefix));
  PetscCall(PlexImageCreateFromOptions_Private(PetscObjectComm((PetscObject)dm), prefix, image));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyMonitorTS_Private(TS ts)
{
  char      file[PETSC_MAX_PATH_LEN];
  PetscInt  every;
  PetscBool set;
  PlexImage image;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyOutputOption(ts->dm, "-plex_assembly_monitor_solution", file, &every, &set));
  if (set) PetscCall(PlexTSMonitorSolution(ts, file, every));
  PetscCall(PlexAssemblyOutputOption(ts->dm, "-plex_assembly_monitor_image", file, &every, &set));
  if (!set) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexAssemblyCreateImage(ts->dm, &image));
  PetscCall(PlexTSMonitorImage(ts, NULL, image, file, every));
  PetscCall(PlexImageDestroy(&image));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyMonitorSNES_Private(SNES snes)
{
  char          file[PETSC_MAX_PATH_LEN], name[PETSC_MAX_PATH_LEN];
  PetscInt      every;
  PetscBool     set[2];
  PetscObjectId mesh;
  PlexWritten   written;
  PlexImage     image;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyOutputOption(snes->dm, "-plex_assembly_monitor_solution", file, &every, &set[0]));
  PetscCall(PlexAssemblyOutputOption(snes->dm, "-plex_assembly_monitor_image", name, &every, &set[1]));
  if (!set[0] && !set[1]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectContainerQuery((PetscObject)snes, "PlexGPU written", &written));
  if (!written) {
    PetscCall(PetscNew(&written));
    PetscCall(PetscObjectContainerCompose((PetscObject)snes, "PlexGPU written", written, PetscCtxDestroyDefault));
  }
  PetscCall(PetscObjectGetId((PetscObject)snes->dm, &mesh));
  if (mesh != written->mesh) written->count = 0; /* states of one mesh go to one file */
  written->mesh = mesh;
  /* PETSc's time of essential conditions where there is none */
  if (set[0])
    PetscCall(PlexWriteVTKHDF_Private(snes->dm, snes->vec_sol, file, (PetscBool)(written->count > 0), PETSC_MIN_REAL,
                                      written->count));
  if (set[1]) {
    PetscCall(PlexAssemblyCreateImage(snes->dm, &image));
    PetscCall(PlexAssemblyOutputOption(snes->dm, "-plex_assembly_monitor_image", file, &every, &set[1]));
    PetscCall(PlexImageName_Private(PetscObjectComm((PetscObject)snes), file, written->count, name));
    PetscCall(PlexImageWrite_Private(image, (PetscObject)snes->dm, snes->vec_sol, PETSC_MIN_REAL, written->count,
                                     name));
    PetscCall(PlexImageDestroy(&image));
  }
  ++written->count;
  PetscFunctionReturn(PETSC_SUCCESS);
}
