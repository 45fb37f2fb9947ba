/* Settings of tuning: what is asked for, and their options */
#include "tuneimpl.h"                            /*I "plexgpuassembly.h" I*/
#include "../../backend/interface/backendimpl.h" /* PlexCacheGetFile() */

const char *const PlexTunes[] = {"none", "quick", "full", "PlexTune", "PLEX_TUNE_", NULL};

#define PLEX_TUNE_TIME_QUICK 30.0  /* seconds: every type of a mesh of some millions of elements */
#define PLEX_TUNE_TIME_FULL  300.0 /* and their sizes */

PetscErrorCode PlexAssemblyGetTuner_Private(PlexAssembly asm_, PlexTuner *tuner)
{
  PetscFunctionBegin;
  if (!asm_->tuner) {
    PetscCall(PetscNew(&asm_->tuner));
    asm_->tuner->mode = PLEX_TUNE_NONE;
    asm_->tuner->time = -1.0;
  }
  *tuner = asm_->tuner;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTunerDestroy_Private(PlexTuner *tuner)
{
  PetscFunctionBegin;
  if (!*tuner) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree((*tuner)->archive));
  PetscCall(PetscFree(*tuner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of PlexAssemblyReset(): what comes is tuned anew */
PetscErrorCode PlexTunerRestore_Private(PlexAssembly asm_)
{
  PlexTuner tuner = asm_->tuner;

  PetscFunctionBegin;
  if (!tuner) PetscFunctionReturn(PETSC_SUCCESS);
  tuner->done = PETSC_FALSE;
  for (PetscInt k = 0; k < PLEX_PRODUCTS; ++k) asm_->strategy[k].tuned = PETSC_FALSE;
  if (!tuner->applied) PetscFunctionReturn(PETSC_SUCCESS);
  asm_->integration   = tuner->integration;
  asm_->blockSize     = tuner->block;
  asm_->teamSize      = tuner->team;
  asm_->partitionSize = tuner->partition;
  tuner->applied      = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscReal PlexTunerGetTime_Private(PlexTuner tuner)
{
  if (tuner->time >= 0) return tuner->time;
  return tuner->mode == PLEX_TUNE_FULL ? PLEX_TUNE_TIME_FULL : PLEX_TUNE_TIME_QUICK;
}

/* path is empty where nothing can be kept */
PetscErrorCode PlexTunerGetArchive_Private(PlexTuner tuner, char path[PETSC_MAX_PATH_LEN])
{
  PetscFunctionBegin;
  if (tuner->archive) PetscCall(PetscStrncpy(path, tuner->archive, PETSC_MAX_PATH_LEN));
  else PetscCall(PlexCacheGetFile("tuning.txt", path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblySetTune - Has ways to assemble timed on the user's own mesh, and the fastest taken

  Logically Collective

  Input Parameters:
+ asm  - the assembly
- tune - `PLEX_TUNE_NONE`, `PLEX_TUNE_QUICK` or `PLEX_TUNE_FULL`

  Options Database Key:
. -plex_assembly_tune (none|quick|full) - likewise

  Level: intermediate

  Notes:
  Candidates are types, ways to integrate, and sizes of blocks, teams and partitions. What was asked for, by
  `PlexAssemblySetType()` or an option, stays, and the rest is tuned. The measure is the device time of a launch over
  the cells of the first region, on the slowest process; residual and Jacobian each have the candidate that is fastest
  for them.

  It happens with the first Jacobian, at its state; in a program that computes none, with the third residual, for
  residuals. The user's vectors are read and the matrix gives its pattern; the results of the launches go to memory of
  their own, as large as the matrix.

  A result is kept (`PlexAssemblySetTuneArchive()`), and found again at set-up by runs with the same device, elements
  and functions on a mesh of about the same size.

.seealso: `PlexAssembly`, `PlexAssemblyGetTune()`, `PlexTune`, `PlexAssemblySetTuneTime()`,
         `PlexAssemblySetTuneArchive()`, `PlexAssemblyView()`
@*/
PetscErrorCode PlexAssemblySetTune(PlexAssembly asm_, PlexTune tune)
{
  PlexTuner tuner = NULL;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscCall(PlexAssemblyGetTuner_Private(asm_, &tuner));
  if (tune != tuner->mode) PetscCall(PlexAssemblyReset(asm_));
  tuner->mode = tune;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyGetTune - Gets whether ways to assemble are timed, and how many

  Not Collective

  Input Parameter:
. asm - the assembly

  Output Parameter:
. tune - `PLEX_TUNE_NONE`, `PLEX_TUNE_QUICK` or `PLEX_TUNE_FULL`

  Level: intermediate

.seealso: `PlexAssembly`, `PlexAssemblySetTune()`
@*/
PetscErrorCode PlexAssemblyGetTune(PlexAssembly asm_, PlexTune *tune)
{
  PlexTuner tuner = NULL;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscAssertPointer(tune, 2);
  PetscCall(PlexAssemblyGetTuner_Private(asm_, &tuner));
  *tune = tuner->mode;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblySetTuneTime - Limits the time that tuning takes

  Logically Collective

  Input Parameters:
+ asm     - the assembly
- seconds - the limit; `PETSC_DECIDE` for 30 with `PLEX_TUNE_QUICK` and 300 with `PLEX_TUNE_FULL`

  Options Database Key:
. -plex_assembly_tune_time seconds - likewise

  Level: intermediate

  Note:
  The first candidate, what would have been chosen without tuning, is always measured. Another one is skipped where its
  plan, compilation and launches can be expected to take more than what is left; the view says how many were.

.seealso: `PlexAssembly`, `PlexAssemblyGetTuneTime()`, `PlexAssemblySetTune()`
@*/
PetscErrorCode PlexAssemblySetTuneTime(PlexAssembly asm_, PetscReal seconds)
{
  PlexTuner tuner = NULL;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscCheck(seconds >= 0 || seconds == (PetscReal)PETSC_DECIDE, PetscObjectComm((PetscObject)asm_),
             PETSC_ERR_ARG_OUTOFRANGE,
             "-plex_assembly_tune_time %g: the time for tuning must not be negative (PETSC_DECIDE, -1: a default)",
             (double)seconds);
  PetscCall(PlexAssemblyGetTuner_Private(asm_, &tuner));
  tuner->time = seconds;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyGetTuneTime - Gets the limit of the time that tuning takes

  Not Collective

  Input Parameter:
. asm - the assembly

  Output Parameter:
. seconds - the limit; `PETSC_DECIDE` where that is left to `PlexTune`

  Level: intermediate

.seealso: `PlexAssembly`, `PlexAssemblySetTuneTime()`
@*/
PetscErrorCode PlexAssemblyGetTuneTime(PlexAssembly asm_, PetscReal *seconds)
{
  PlexTuner tuner = NULL;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscAssertPointer(seconds, 2);
  PetscCall(PlexAssemblyGetTuner_Private(asm_, &tuner));
  *seconds = tuner->time;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblySetTuneArchive - Names the file that keeps results of tuning

  Logically Collective

  Input Parameters:
+ asm  - the assembly
- path - a file of text, which is made if there is none; `NULL` for tuning.txt in the folder of compiled kernels

  Options Database Key:
. -plex_assembly_tune_archive file - likewise

  Level: intermediate

  Notes:
  Several processes may read and write the file at the same time. Of one that is damaged, what can be read is used, and
  it is put aside under another name, with a line that says so. One that belongs to another user, that others may write
  to, that is a link or an HDF5 file of an earlier version is not used and not changed.

  `benchmarks/tuning.py` draws the results, `benchmarks/model` compares the cost model with them.

.seealso: `PlexAssembly`, `PlexAssemblyGetTuneArchive()`, `PlexAssemblySetTune()`
@*/
PetscErrorCode PlexAssemblySetTuneArchive(PlexAssembly asm_, const char path[])
{
  PlexTuner tuner = NULL;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscCall(PlexAssemblyGetTuner_Private(asm_, &tuner));
  PetscCall(PlexAssemblyReset(asm_));
  PetscCall(PetscFree(tuner->archive));
  PetscCall(PetscStrallocpy(path, &tuner->archive));
  tuner->warned = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyGetTuneArchive - Gets the file that keeps results of tuning

  Not Collective

  Input Parameter:
. asm - the assembly

  Output Parameter:
. path - the file; `NULL`: the one in the folder of compiled kernels

  Level: intermediate

.seealso: `PlexAssembly`, `PlexAssemblySetTuneArchive()`
@*/
PetscErrorCode PlexAssemblyGetTuneArchive(PlexAssembly asm_, const char **path)
{
  PlexTuner tuner = NULL;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscAssertPointer(path, 2);
  PetscCall(PlexAssemblyGetTuner_Private(asm_, &tuner));
  *path = tuner->archive;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTunerSetFromOptions_Private(PlexAssembly asm_, PetscOptionItems PetscOptionsObject)
{
  PlexTuner tuner   = asm_->tuner;
  PlexTune  tune    = tuner ? tuner->mode : PLEX_TUNE_NONE;
  PetscReal seconds = tuner ? tuner->time : -1.0;
  char      path[PETSC_MAX_PATH_LEN];
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsEnum("-plex_assembly_tune", "Time ways to assemble and take the fastest", "PlexAssemblySetTune",
                             PlexTunes, (PetscEnum)tune, (PetscEnum *)&tune, &set));
  if (set) PetscCall(PlexAssemblySetTune(asm_, tune));
  PetscCall(PetscOptionsReal("-plex_assembly_tune_time", "Most seconds for tuning", "PlexAssemblySetTuneTime", seconds,
                             &seconds, &set));
  if (set) PetscCall(PlexAssemblySetTuneTime(asm_, seconds));
  PetscCall(PetscOptionsString("-plex_assembly_tune_archive", "File of results of tuning", "PlexAssemblySetTuneArchive",
                               tuner && tuner->archive ? tuner->archive : "", path, sizeof(path), &set));
  if (set) PetscCall(PlexAssemblySetTuneArchive(asm_, path));
  PetscFunctionReturn(PETSC_SUCCESS);
}
