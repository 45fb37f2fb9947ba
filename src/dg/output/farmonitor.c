/* Far fields that a TS makes, and the options that ask for them */
#include "farfieldimpl.h" /*I "plexgpudg.h" I*/

#define PLEX_DG_OPTION_FREQUENCIES 256 /* of -plex_dg_farfield_frequencies, at most */

typedef struct {
  PlexDGFarField x;
  char           path[PETSC_MAX_PATH_LEN];
  PetscBool      written;
} PlexDGFarMonitor;

/* The far field again, of an operator that was changed */
static PetscErrorCode PlexDGFarMonitorRenew(PlexDGFarMonitor *m)
{
  PlexDGFarField old = m->x;

  PetscFunctionBegin;
  PetscCall(PlexDGFarFieldCreate(old->dg, old->label, old->value, old->nf, old->frequencies, &m->x));
  m->x->every  = old->every;
  m->x->start  = old->start;
  m->x->angles = old->angles;
  m->x->halves = old->halves;
  PetscCall(PlexDGFarFieldDestroy(&old));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGFarMonitorStep(TS ts, PetscInt step, PetscReal t, Vec U, void *ctx)
{
  PlexDGFarMonitor *m       = (PlexDGFarMonitor *)ctx;
  PetscBool         stepped = PETSC_FALSE;
  TSConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(PlexDGIsStepped_Private(m->x->dg, ts, &stepped));
  if (!stepped) PetscFunctionReturn(PETSC_SUCCESS);
  if (!step && m->x->resets != m->x->dg->resets) PetscCall(PlexDGFarMonitorRenew(m));
  PetscCall(PlexDGFarFieldSee_Private(m->x, ts, step, t, U));
  PetscCall(TSGetConvergedReason(ts, &reason));
  if (!reason || m->x->total < 2) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGFarFieldWrite(m->x, m->x->angles, m->x->halves, m->path));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGFarMonitorDestroy(PetscCtxRt ctx)
{
  PlexDGFarMonitor *m = *(PlexDGFarMonitor **)ctx;

  PetscFunctionBegin;
  PetscCall(PlexDGFarFieldDestroy(&m->x));
  PetscCall(PetscFree(m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGMonitorFarField - Has a `TS` transform the fields on a closed surface while it steps, and write the far field at the
  end

  Collective

  Input Parameters:
+ dg          - the operator, of `maxwell` in three dimensions
. ts          - the time stepper, which was given the operator
. label       - a label of the mesh; see `PlexDGFarFieldCreate()`
. value       - its value; `PETSC_DETERMINE` for any
. nf          - number of frequencies
. frequencies - [nf] angular
. file        - name of the file, a table as text; see `PlexDGFarFieldWrite()`
- every       - steps from one sample to the next, 1 or more

  Options Database Keys:
+ -plex_dg_farfield file[:n]                 - likewise, a sample every step where n is not given
. -plex_dg_farfield_label name[:value]       - the surface
. -plex_dg_farfield_frequencies a,b,...      - frequencies; from:to:n are n of them at equal distances
. -plex_dg_farfield_angles angles[,halves]   - directions: 91 angles in the planes of the electric and magnetic field by
                                               default
- -plex_dg_farfield_start time               - samples before this are left out

  Level: beginner

  Notes:
  One run has all frequencies that the incident wave's spectrum has: a pulse of -plex_dg_wave_width, until its fields have
  left. Of a wave that goes on for ever the samples are to be those of whole periods, from -plex_dg_farfield_start on.

  Checkpoints have the sums, with which `PlexDGLoadCheckpoint()` continues.

.seealso: `PlexDG`, `PlexDGFarField`, `PlexDGFarFieldCreate()`, `PlexDGFarFieldWrite()`, `PlexDGSetTotalField()`
@*/
PetscErrorCode PlexDGMonitorFarField(PlexDG dg, TS ts, const char label[], PetscInt value, PetscInt nf,
                                     const PetscReal frequencies[], const char file[], PetscInt every)
{
  PlexDGFarMonitor *m;
  const char       *prefix;
  PetscInt          angles[2] = {91, 0}, n = 2;
  PetscReal         start = PETSC_MIN_REAL;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscValidHeaderSpecific(ts, TS_CLASSID, 2);
  PetscAssertPointer(file, 7);
  prefix = ((PetscObject)dg)->prefix;
  PetscCheck(every >= 1, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_OUTOFRANGE,
             "A far field has a sample every 1 steps or more, not %" PetscInt_FMT ": see -plex_dg_farfield", every);
  PetscCall(PetscOptionsGetIntArray(((PetscObject)dg)->options, prefix, "-plex_dg_farfield_angles", angles, &n, NULL));
  PetscCheck(angles[0] >= 1 && angles[1] >= 0, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_OUTOFRANGE,
             "-plex_dg_farfield_angles %" PetscInt_FMT ",%" PetscInt_FMT
             " is no number of angles, 1 or more, and of half-planes, 0 for those of the fields or more",
             angles[0], angles[1]);
  PetscCall(PetscOptionsGetReal(((PetscObject)dg)->options, prefix, "-plex_dg_farfield_start", &start, NULL));
  PetscCall(PetscNew(&m));
  PetscCall(PetscStrncpy(m->path, file, sizeof(m->path)));
  PetscCall(PlexDGFarFieldCreate(dg, label, value, nf, frequencies, &m->x));
  m->x->every  = every;
  m->x->start  = start;
  m->x->angles = angles[0];
  m->x->halves = angles[1];
  PetscCall(TSMonitorSet(ts, PlexDGFarMonitorStep, m, PlexDGFarMonitorDestroy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of -plex_dg_farfield_frequencies: numbers, or from:to:n */
static PetscErrorCode PlexDGFarFrequencies(PlexDG dg, PetscInt *n, PetscReal frequencies[])
{
  MPI_Comm  comm = PetscObjectComm((PetscObject)dg);
  char      text[256];
  double    from, to;
  int       count, end = 0;
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(((PetscObject)dg)->options, ((PetscObject)dg)->prefix,
                                  "-plex_dg_farfield_frequencies", text, sizeof(text), &set));
  PetscCheck(set, comm, PETSC_ERR_ARG_WRONG,
             "Option -plex_dg_farfield needs frequencies, angular ones: -plex_dg_farfield_frequencies a,b,... or "
             "from:to:n");
  if (sscanf(text, "%lf:%lf:%d%n", &from, &to, &count, &end) == 3 && !text[end]) {
    PetscCheck(count >= 1 && count <= PLEX_DG_OPTION_FREQUENCIES, comm, PETSC_ERR_ARG_OUTOFRANGE,
               "-plex_dg_farfield_frequencies %s has %d frequencies, and may have 1 to %d", text, count,
               PLEX_DG_OPTION_FREQUENCIES);
    *n = count;
    for (int k = 0; k < count; ++k) frequencies[k] = count > 1 ? from + (to - from) * k / (count - 1) : from;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  *n = PLEX_DG_OPTION_FREQUENCIES;
  PetscCall(PetscOptionsGetRealArray(((PetscObject)dg)->options, ((PetscObject)dg)->prefix,
                                     "-plex_dg_farfield_frequencies", frequencies, n, &set));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGMonitorFarFieldFromOptions_Private(PlexDG dg, TS ts, const char file[], PetscInt every)
{
  PetscReal frequencies[PLEX_DG_OPTION_FREQUENCIES];
  char      label[256];
  PetscInt  n, value;
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PlexDGFarFrequencies(dg, &n, frequencies));
  PetscCall(PlexDGLabelOption_Private(dg, "-plex_dg_farfield_label", sizeof(label), label, &value, &set));
  PetscCheck(set, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_WRONG,
             "Option -plex_dg_farfield needs a surface: -plex_dg_farfield_label NAME or NAME:VALUE of facets, or of "
             "cells "
             "inside");
  PetscCall(PlexDGMonitorFarField(dg, ts, label, value, n, frequencies, file, every));
  PetscFunctionReturn(PETSC_SUCCESS);
}
