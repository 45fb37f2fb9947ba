/*
  What is written while a TS steps: monitors, and the options that ask for them
*/
#include "outputimpl.h" /*I "plexgpu.h" I*/
#include "../interface/dgimpl.h"

/* One monitor of a TS. `write` is called at every so many steps, and at the last one. */
typedef struct _PlexDGOutput *PlexDGOutput;
struct _PlexDGOutput {
  PlexDG   dg; /* not owned, as in PlexDGSetTS() */
  char     path[PETSC_MAX_PATH_LEN];
  PetscInt every; /* steps; 0: at the end alone */
  PetscInt last;  /* step that was written last; -1: none */
  PetscInt count; /* states written */
  PetscErrorCode (*write)(PlexDGOutput, TS, PetscInt step, PetscReal t, Vec U);
};

static PetscErrorCode PlexDGOutputMonitor(TS ts, PetscInt step, PetscReal t, Vec U, void *ctx)
{
  PlexDGOutput      o = (PlexDGOutput)ctx;
  TSConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(TSGetConvergedReason(ts, &reason));
  if (step < 0 || step == o->last || !(reason || (o->every && step % o->every == 0))) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall((*o->write)(o, ts, step, t, U));
  o->last = step;
  ++o->count;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGOutputDestroy(PetscCtxRt ctx)
{
  PlexDGOutput o = *(PlexDGOutput *)ctx;

  PetscFunctionBegin;
  PetscCall(PetscFree(o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGOutputCreate(PlexDG dg, TS ts, const char path[], PetscInt every, PetscErrorCode (*write)(PlexDGOutput, TS, PetscInt, PetscReal, Vec), PlexDGOutput *output)
{
  PlexDGOutput o;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscValidHeaderSpecific(ts, TS_CLASSID, 2);
  PetscAssertPointer(path, 3);
  PetscCheck(every >= 0, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_OUTOFRANGE, "%s cannot be written every %" PetscInt_FMT " steps: 0 is at the end alone", path, every);
  PetscCall(PetscNew(&o));
  o->dg    = dg;
  o->every = every;
  o->last  = -1;
  o->write = write;
  PetscCall(PetscStrncpy(o->path, path, sizeof(o->path)));
  PetscCall(TSMonitorSet(ts, PlexDGOutputMonitor, o, PlexDGOutputDestroy));
  if (output) *output = o;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGOutputWriteCheckpoint(PlexDGOutput o, TS ts, PetscInt step, PetscReal t, Vec U)
{
  PetscFunctionBegin;
  (void)step;
  (void)t;
  PetscCall(PlexDGSaveCheckpoint(o->dg, ts, U, o->path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGMonitorCheckpoint - Has a `TS` write checkpoints while it steps

  Collective

  Input Parameters:
+ dg    - the operator
. ts    - the time stepper
. file  - name of the file, which has the latest checkpoint
- every - every so many steps and at the end; 0 for at the end alone

  Options Database Key:
. -plex_dg_checkpoint file[:n] - likewise

  Level: intermediate

.seealso: `PlexDG`, `PlexDGSaveCheckpoint()`, `PlexDGLoadCheckpoint()`
@*/
PetscErrorCode PlexDGMonitorCheckpoint(PlexDG dg, TS ts, const char file[], PetscInt every)
{
  PetscFunctionBegin;
  PetscCall(PlexDGOutputCreate(dg, ts, file, every, PlexDGOutputWriteCheckpoint, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGOutputWriteSolution(PlexDGOutput o, TS ts, PetscInt step, PetscReal t, Vec U)
{
  PetscFunctionBegin;
  (void)ts;
  (void)step;
  PetscCall(PlexDGWriteVTKHDF(o->dg, o->path, (PetscBool)(o->count > 0), t, U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGMonitorSolution - Has a `TS` write its states to a file for ParaView while it steps

  Collective

  Input Parameters:
+ dg    - the operator
. ts    - the time stepper
. file  - name of the file, which ends in .vtkhdf; one that is there is replaced
- every - every so many steps and at the end; 0 for at the end alone

  Options Database Key:
. -plex_dg_monitor_solution file[:n] - likewise, every step where n is not given

  Level: beginner

.seealso: `PlexDG`, `PlexDGWriteVTKHDF()`, `PlexDGMonitorProbes()`
@*/
PetscErrorCode PlexDGMonitorSolution(PlexDG dg, TS ts, const char file[], PetscInt every)
{
  PetscFunctionBegin;
  PetscCall(PlexDGOutputCreate(dg, ts, file, every, PlexDGOutputWriteSolution, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An option "file" or "file:steps" */
static PetscErrorCode PlexDGOutputOption(PlexDG dg, const char option[], PetscInt usual, char file[], PetscInt *every, PetscBool *set)
{
  char *colon;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(((PetscObject)dg)->options, ((PetscObject)dg)->prefix, option, file, PETSC_MAX_PATH_LEN, set));
  *every = usual;
  if (!*set) PetscFunctionReturn(PETSC_SUCCESS);
  colon = strrchr(file, ':');
  if (colon && colon[1] && strspn(colon + 1, "0123456789") == strlen(colon + 1)) {
    PetscCall(PetscOptionsStringToInt(colon + 1, every));
    *colon = 0;
  }
  PetscCheck(file[0], PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_WRONG, "Option %s has no name of a file: %s FILE or FILE:STEPS", option, option);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGMonitorsSetFromOptions_Private(PlexDG dg, TS ts)
{
  char      file[PETSC_MAX_PATH_LEN];
  PetscInt  every;
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PlexDGOutputOption(dg, "-plex_dg_monitor_solution", 1, file, &every, &set));
  if (set) PetscCall(PlexDGMonitorSolution(dg, ts, file, every));
  PetscCall(PlexDGOutputOption(dg, "-plex_dg_checkpoint", 0, file, &every, &set));
  if (set) PetscCall(PlexDGMonitorCheckpoint(dg, ts, file, every));
  PetscFunctionReturn(PETSC_SUCCESS);
}
