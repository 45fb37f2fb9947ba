/*
  What is written while a TS steps: monitors, and the options that ask for them
*/
#include "outputimpl.h" /*I "plexgpudg.h" I*/

#define PLEX_DG_OPTION_POINTS 256  /* of -plex_dg_probes, at most */
#define PLEX_DG_ARRIVAL       0.01 /* -plex_dg_extrema_threshold by default: a centimetre, where lengths are metres */

/* One monitor of a TS. `write` is called at every so many steps, and at the last one. */
typedef struct _PlexDGOutput *PlexDGOutput;
struct _PlexDGOutput {
  PlexDG   dg; /* referenced */
  char     path[PETSC_MAX_PATH_LEN];
  PetscInt every; /* steps; 0: at the end alone */
  PetscInt last;  /* step that was written last; -1: none */
  PetscInt count; /* states written */
  /* of probes */
  PetscInt     n;
  PetscReal   *points; /* [n][dim] */
  PetscReal   *values; /* [n][Nf] */
  PlexDGProbes probes;
  /* of tables */
  FILE *csv; /* of the first process */
  PetscErrorCode (*write)(PlexDGOutput, TS, PetscInt step, PetscReal t, Vec U);
};

PetscErrorCode PlexDGIsStepped_Private(PlexDG dg, TS ts, PetscBool *stepped)
{
  PetscObject own;

  PetscFunctionBegin;
  PetscCall(PetscObjectQuery((PetscObject)ts, PLEX_DG_OF_TS, &own));
  *stepped = (PetscBool)(!own || own == (PetscObject)dg);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGOutputMonitor(TS ts, PetscInt step, PetscReal t, Vec U, void *ctx)
{
  PlexDGOutput      o       = (PlexDGOutput)ctx;
  PetscBool         stepped = PETSC_FALSE;
  TSConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(PlexDGIsStepped_Private(o->dg, ts, &stepped));
  if (!stepped) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(TSGetConvergedReason(ts, &reason));
  if (step < o->last) o->last = -1; /* another run */
  if (step < 0 || step == o->last || !(reason || (o->every && step % o->every == 0)))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall((*o->write)(o, ts, step, t, U));
  o->last = step;
  ++o->count;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGOutputDestroy(PetscCtxRt ctx)
{
  PlexDGOutput o = *(PlexDGOutput *)ctx;

  PetscFunctionBegin;
  PetscCall(PlexDGProbesDestroy(&o->probes));
  PetscCall(PetscFree(o->points));
  PetscCall(PetscFree(o->values));
  PetscCall(PlexDGDestroy(&o->dg));
  if (o->csv) (void)fclose(o->csv);
  PetscCall(PetscFree(o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a monitor that may do more at each step than PlexDGOutputMonitor() */
static PetscErrorCode PlexDGOutputCreateSeeing(PlexDG dg, TS ts, const char path[], PetscInt every,
                                               PetscErrorCode (*monitor)(TS, PetscInt, PetscReal, Vec, void *),
                                               PetscErrorCode (*write)(PlexDGOutput, TS, PetscInt, PetscReal, Vec),
                                               PlexDGOutput *output)
{
  PlexDGOutput o;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscValidHeaderSpecific(ts, TS_CLASSID, 2);
  PetscAssertPointer(path, 3);
  PetscCheck(every >= 0, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_OUTOFRANGE,
             "%s cannot be written every %" PetscInt_FMT " steps: 0 is at the end alone", path, every);
  PetscCall(PetscNew(&o));
  PetscCall(PetscObjectReference((PetscObject)dg));
  o->dg    = dg;
  o->every = every;
  o->last  = -1;
  o->write = write;
  PetscCall(PetscStrncpy(o->path, path, sizeof(o->path)));
  PetscCall(TSMonitorSet(ts, monitor, o, PlexDGOutputDestroy));
  if (output) *output = o;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGOutputCreate(PlexDG dg, TS ts, const char path[], PetscInt every,
                                         PetscErrorCode (*write)(PlexDGOutput, TS, PetscInt, PetscReal, Vec),
                                         PlexDGOutput *output)
{
  PetscFunctionBegin;
  PetscCall(PlexDGOutputCreateSeeing(dg, ts, path, every, PlexDGOutputMonitor, write, output));
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

static PetscErrorCode PlexDGOutputWriteUGRID(PlexDGOutput o, TS ts, PetscInt step, PetscReal t, Vec U)
{
  PetscFunctionBegin;
  (void)ts;
  (void)step;
  PetscCall(PlexDGWriteUGRID(o->dg, o->path, (PetscBool)(o->count > 0), t, U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGMonitorUGRID - Has a `TS` write its states to a NetCDF file with UGRID conventions while it steps

  Collective

  Input Parameters:
+ dg    - the operator, of a mesh of dimension 2
. ts    - the time stepper
. file  - name of the file, which ends in .nc; one that is there is replaced
- every - every so many steps and at the end; 0 for at the end alone

  Options Database Key:
. -plex_dg_monitor_ugrid file[:n] - likewise, every step where n is not given; more options: `PlexDGWriteUGRID()`

  Level: beginner

.seealso: `PlexDG`, `PlexDGWriteUGRID()`, `PlexDGMonitorSolution()`
@*/
PetscErrorCode PlexDGMonitorUGRID(PlexDG dg, TS ts, const char file[], PetscInt every)
{
  PetscFunctionBegin;
  PetscCall(PlexDGOutputCreate(dg, ts, file, every, PlexDGOutputWriteUGRID, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Extrema */

/* Every state that a step ends with, but one beyond the end of the run, where TSInterpolate() makes the last one out of
   it: step -1 */
static PetscErrorCode PlexDGOutputMonitorExtrema(TS ts, PetscInt step, PetscReal t, Vec U, void *ctx)
{
  PlexDGOutput           o = (PlexDGOutput)ctx;
  TSExactFinalTimeOption final;
  PetscReal              end;
  PetscBool              stepped = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PlexDGIsStepped_Private(o->dg, ts, &stepped));
  if (!stepped) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(TSGetExactFinalTime(ts, &final));
  PetscCall(TSGetMaxTime(ts, &end));
  if (step >= 0 && final == TS_EXACTFINALTIME_INTERPOLATE && t > end) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGExtremaSee_Private(o->dg, step, t, U));
  if (step >= 0) PetscCall(PlexDGOutputMonitor(ts, step, t, U, ctx));
  else {
    PetscCall(TSGetStepNumber(ts, &step));
    PetscCall((*o->write)(o, ts, step, t, U));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGOutputWriteExtrema(PlexDGOutput o, TS ts, PetscInt step, PetscReal t, Vec U)
{
  PetscFunctionBegin;
  (void)U;
  PetscCall(PlexDGWriteExtrema_Private(o->dg, ts, o->path, step, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGMonitorExtrema - Has a `TS` keep the greatest elevation and speed of water and its arrival time at each node, and
  write them to a file

  Collective

  Input Parameters:
+ dg        - the operator, of system `shallow_water` or `tsunami`
. ts        - the time stepper
. threshold - the change of elevation with which the water arrives; `PETSC_DETERMINE`: that of the option, or 0.01
. file      - name of the file, which ends in .vtkhdf; one that is there is replaced
- every     - every so many steps and at the end; 0 for at the end alone

  Options Database Keys:
+ -plex_dg_extrema file[:n]         - likewise, at the end alone where n is not given
- -plex_dg_extrema_threshold number - the threshold

  Level: intermediate

  Notes:
  Every step counts, whatever `every` is: the state at its end, that with which the run begins too; stages do not, nor
  steps that a `TSAdapt` rejects. The extrema are kept where the state is.

  The file has, at the nodes of `PlexDGGetNodes()`, `highest`, the greatest elevation eta; `fastest`, the greatest
  |q|/(d + eta), of water deeper than constant `dry` (of the linear equations |q|/d); `arrival`, the first time at the
  end of a step at which |eta - eta0| is more than the threshold, eta0 being the elevation at the beginning, and NaN
  where that never was; `deepest`, the greatest depth d + eta. On land that stays dry `highest` is the height of the
  ground and `deepest` 0.

  An operator has one threshold. Checkpoints have the extrema up to them, with which `PlexDGLoadCheckpoint()` continues.

.seealso: `PlexDG`, `PlexDGGetExtrema()`, `PlexDGMonitorSolution()`, `PlexDGSaveCheckpoint()`
@*/
PetscErrorCode PlexDGMonitorExtrema(PlexDG dg, TS ts, PetscReal threshold, const char file[], PetscInt every)
{
  PlexDGOutput o;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscValidHeaderSpecific(ts, TS_CLASSID, 2);
  if (threshold == (PetscReal)PETSC_DETERMINE) {
    threshold = PLEX_DG_ARRIVAL;
    PetscCall(PetscOptionsGetReal(((PetscObject)dg)->options, ((PetscObject)dg)->prefix, "-plex_dg_extrema_threshold",
                                  &threshold, NULL));
  }
  PetscCall(PlexDGExtremaWatch_Private(dg, ts, threshold));
  PetscCall(PlexDGOutputCreateSeeing(dg, ts, file, every, PlexDGOutputMonitorExtrema, PlexDGOutputWriteExtrema, &o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Tables as text */

/* The file of a table, open and with its first line, where there is none yet */
static PetscErrorCode PlexDGOutputOpenTable(PlexDGOutput o, const char head[])
{
  MPI_Comm    comm = PetscObjectComm((PetscObject)o->dg);
  PetscMPIInt rank;
  int         good = 1;

  PetscFunctionBegin;
  if (o->count) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) {
    o->csv = fopen(o->path, "w");
    good   = o->csv && fprintf(o->csv, "%s\n", head) > 0;
  }
  PetscCallMPI(MPI_Bcast(&good, 1, MPI_INT, 0, comm));
  PetscCheck(good, comm, PETSC_ERR_FILE_OPEN, "File %s cannot be created", o->path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lines that are written can be read at once */
static PetscErrorCode PlexDGOutputFlush(PlexDGOutput o)
{
  PetscFunctionBegin;
  if (o->csv)
    PetscCheck(!fflush(o->csv) && !ferror(o->csv), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE,
               "File %s cannot be written: is there space left?", o->path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGOutputWriteEnergy(PlexDGOutput o, TS ts, PetscInt step, PetscReal t, Vec U)
{
  PetscReal energy;

  PetscFunctionBegin;
  (void)ts;
  PetscCall(PlexDGOutputOpenTable(o, "step,time,energy"));
  PetscCall(PlexDGComputeEnergy(o->dg, U, &energy));
  if (o->csv) fprintf(o->csv, "%" PetscInt_FMT ",%.17g,%.17g\n", step, (double)t, (double)energy);
  PetscCall(PlexDGOutputFlush(o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGMonitorEnergy - Has a `TS` write the energy of its states to a file while it steps

  Collective

  Input Parameters:
+ dg    - the operator
. ts    - the time stepper
. file  - name of the file, a table as text: step,time,energy
- every - every so many steps and at the end; 0 for at the end alone

  Options Database Key:
. -plex_dg_monitor_energy file[:n] - likewise, every step where n is not given

  Level: beginner

  Note:
  The energy is computed on the host, with all of the state: not often, on a GPU.

.seealso: `PlexDG`, `PlexDGComputeEnergy()`
@*/
PetscErrorCode PlexDGMonitorEnergy(PlexDG dg, TS ts, const char file[], PetscInt every)
{
  PetscFunctionBegin;
  PetscCall(PlexDGOutputCreate(dg, ts, file, every, PlexDGOutputWriteEnergy, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Probes */

static PetscErrorCode PlexDGOutputWriteProbesTable(PlexDGOutput o, PetscInt step, PetscReal t)
{
  PlexDGSystem   system = o->dg->system;
  const PetscInt dim    = o->dg->system->dim;
  char           head[1024];

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(head, dim == 2 ? "step,time,point,x,y" : "step,time,point,x,y,z", sizeof(head)));
  for (PetscInt k = 0; k < system->Nf; ++k) {
    PetscCall(PetscStrlcat(head, ",", sizeof(head)));
    PetscCall(PetscStrlcat(head, system->fields[k], sizeof(head)));
  }
  PetscCall(PlexDGOutputOpenTable(o, head));
  for (PetscInt p = 0; o->csv && p < o->n; ++p) {
    fprintf(o->csv, "%" PetscInt_FMT ",%.17g,%" PetscInt_FMT, step, (double)t, p);
    for (PetscInt d = 0; d < dim; ++d) fprintf(o->csv, ",%.17g", (double)o->points[p * dim + d]);
    for (PetscInt k = 0; k < system->Nf; ++k) fprintf(o->csv, ",%.17g", (double)o->values[p * system->Nf + k]);
    fprintf(o->csv, "\n");
  }
  PetscCall(PlexDGOutputFlush(o));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* /points [n][dim], /step [times], /time [times], /values [times][n][fields], with the fields' names in an attribute */
static PetscErrorCode PlexDGOutputWriteProbesH5(PlexDGOutput o, PetscInt step, PetscReal t)
{
  PlexDGSystem   system = o->dg->system;
  const PetscInt dim = o->dg->system->dim, columns[2] = {o->n, system->Nf};
  char           names[1024];
  PlexH5         h;

  PetscFunctionBegin;
  PetscCall(PlexH5Open(PetscObjectComm((PetscObject)o->dg), o->path, o->count ? PLEX_H5_CHANGE : PLEX_H5_CREATE, &h));
  if (!o->count) {
    PetscCall(PlexDGJoinNames_Private(system->Nf, system->fields, sizeof(names), names));
    PetscCall(PlexH5CreateArray(&h, "points", PLEX_H5_DOUBLE, o->n, 1, &dim, PETSC_FALSE));
    PetscCall(PlexH5CreateArray(&h, "step", PLEX_H5_INDEX, 0, 0, NULL, PETSC_TRUE));
    PetscCall(PlexH5CreateArray(&h, "time", PLEX_H5_DOUBLE, 0, 0, NULL, PETSC_TRUE));
    PetscCall(PlexH5CreateArray(&h, "values", PLEX_H5_DOUBLE, 0, 2, columns, PETSC_TRUE));
    PetscCall(PlexH5SetText(&h, "values", "fields", names));
    PetscCall(PlexH5WriteRows(&h, "points", PLEX_H5_DOUBLE, 0, h.rank ? 0 : o->n, o->points));
  }
  PetscCall(PlexH5WriteRows(&h, "step", PLEX_H5_INDEX, o->count, !h.rank, &step));
  PetscCall(PlexH5WriteRows(&h, "time", PLEX_H5_DOUBLE, o->count, !h.rank, &t));
  PetscCall(PlexH5WriteRows(&h, "values", PLEX_H5_DOUBLE, o->count, !h.rank, o->values));
  PetscCall(PlexH5Close(&h));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGOutputWriteProbes(PlexDGOutput o, TS ts, PetscInt step, PetscReal t, Vec U)
{
  PetscBool h5, hdf5;

  PetscFunctionBegin;
  (void)ts;
  if (!PlexDGProbesFit_Private(o->probes)) { /* the operator was changed */
    PetscCall(PlexDGProbesDestroy(&o->probes));
    PetscCall(PlexDGProbesCreate(o->dg, o->n, o->points, NULL, &o->probes));
  }
  PetscCall(PlexDGProbesEvaluate(o->probes, U, o->values));
  PetscCall(PetscStrendswith(o->path, ".h5", &h5));
  PetscCall(PetscStrendswith(o->path, ".hdf5", &hdf5));
  if (h5 || hdf5) PetscCall(PlexDGOutputWriteProbesH5(o, step, t));
  else PetscCall(PlexDGOutputWriteProbesTable(o, step, t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGMonitorProbes - Has a `TS` write the fields at points to a file while it steps

  Collective

  Input Parameters:
+ dg     - the operator
. ts     - the time stepper
. n      - number of points, the same on all processes
. points - [n][dim] coordinates, the same on all processes; each has to be in the mesh
. file   - name of the file: HDF5 where it ends in .h5 or .hdf5, else a table as text, a line for each step and point:
           step,time,point,x,y,z and the fields
- every  - every so many steps and at the end; 0 for at the end alone

  Options Database Keys:
+ -plex_dg_probes x,y,z,x,y,z,...    - points
- -plex_dg_monitor_probes file[:n] - likewise, every step where n is not given

  Level: beginner

  Note:
  The HDF5 file has points [n][dim], step and time [states], and values [states][n][fields] with the fields' names as
  attribute `fields`.

.seealso: `PlexDG`, `PlexDGProbesCreate()`, `PlexDGMonitorSolution()`
@*/
PetscErrorCode PlexDGMonitorProbes(PlexDG dg, TS ts, PetscInt n, const PetscReal points[], const char file[],
                                   PetscInt every)
{
  PlexDGProbes probes;
  PlexDGOutput o = NULL;
  PetscInt     dim;

  PetscFunctionBegin;
  PetscCall(PlexDGProbesCreate(dg, n, points, NULL, &probes));
  PetscCall(PlexDGOutputCreate(dg, ts, file, every, PlexDGOutputWriteProbes, &o));
  PetscCall(DMGetDimension(dg->dm, &dim));
  o->n      = n;
  o->probes = probes;
  PetscCall(PetscMalloc1(n * dim, &o->points));
  PetscCall(PetscMalloc1(n * dg->system->Nf, &o->values));
  PetscCall(PetscArraycpy(o->points, points, n * dim));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Options */

/* Those of probes, whose points are an option of their own */
static PetscErrorCode PlexDGMonitorProbesFromOptions(PlexDG dg, TS ts, const char file[], PetscInt every)
{
  PetscReal points[PLEX_DG_OPTION_POINTS * 3];
  PetscInt  n = PETSC_STATIC_ARRAY_LENGTH(points), dim;
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dg->dm, &dim));
  PetscCall(PetscOptionsGetRealArray(((PetscObject)dg)->options, ((PetscObject)dg)->prefix, "-plex_dg_probes", points,
                                     &n, &set));
  PetscCheck(set && n && n % dim == 0, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_SIZ,
             "Option -plex_dg_monitor_probes needs points, %" PetscInt_FMT
             " numbers each and at most %d, and there are %" PetscInt_FMT " numbers: -plex_dg_probes %s",
             dim, PLEX_DG_OPTION_POINTS, set ? n : 0, dim == 2 ? "x,y,x,y,..." : "x,y,z,x,y,z,...");
  PetscCall(PlexDGMonitorProbes(dg, ts, n / dim, points, file, every));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGOutputOption(PlexDG dg, const char option[], PetscInt usual, char file[], PetscInt *every,
                                         PetscBool *set)
{
  PetscFunctionBegin;
  PetscCall(PlexOptionsFile_Private(PetscObjectComm((PetscObject)dg), ((PetscObject)dg)->options,
                                    ((PetscObject)dg)->prefix, option, usual, file, every, set));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* -plex_dg_monitor_draw, or with a number of steps */
static PetscErrorCode PlexDGMonitorDrawFromOptions(PlexDG dg, TS ts)
{
  PetscOptions options = ((PetscObject)dg)->options;
  const char  *prefix  = ((PetscObject)dg)->prefix;
  PetscInt     every   = 1;
  PetscBool    set, number;
  char         text[32];

  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(options, prefix, "-plex_dg_monitor_draw", &set));
  if (!set) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsGetString(options, prefix, "-plex_dg_monitor_draw", text, sizeof(text), &number));
  if (number && text[0]) PetscCall(PetscOptionsGetInt(options, prefix, "-plex_dg_monitor_draw", &every, NULL));
  PetscCall(PlexTSMonitorImage(ts, (PetscObject)dg, NULL, NULL, every));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGMonitorsSetFromOptions_Private(PlexDG dg, TS ts)
{
  char          file[PETSC_MAX_PATH_LEN];
  PetscInt      every;
  PetscBool     set;
  PetscObjectId id;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetId((PetscObject)ts, &id));
  if (id == dg->monitored) PetscFunctionReturn(PETSC_SUCCESS); /* PlexDGSetTS() once more, after a change */
  dg->monitored = id;
  PetscCall(PlexDGOutputOption(dg, "-plex_dg_monitor_solution", 1, file, &every, &set));
  if (set) PetscCall(PlexDGMonitorSolution(dg, ts, file, every));
  PetscCall(PlexDGOutputOption(dg, "-plex_dg_monitor_image", 1, file, &every, &set));
  if (set) PetscCall(PlexTSMonitorImage(ts, (PetscObject)dg, NULL, file, every));
  PetscCall(PlexDGMonitorDrawFromOptions(dg, ts));
  PetscCall(PlexDGOutputOption(dg, "-plex_dg_monitor_ugrid", 1, file, &every, &set));
  if (set) PetscCall(PlexDGMonitorUGRID(dg, ts, file, every));
  PetscCall(PlexDGOutputOption(dg, "-plex_dg_monitor_probes", 1, file, &every, &set));
  if (set) PetscCall(PlexDGMonitorProbesFromOptions(dg, ts, file, every));
  PetscCall(PlexDGOutputOption(dg, "-plex_dg_monitor_energy", 1, file, &every, &set));
  if (set) PetscCall(PlexDGMonitorEnergy(dg, ts, file, every));
  PetscCall(PlexDGOutputOption(dg, "-plex_dg_extrema", 0, file, &every, &set));
  if (set) PetscCall(PlexDGMonitorExtrema(dg, ts, PETSC_DETERMINE, file, every));
  PetscCall(PlexDGOutputOption(dg, "-plex_dg_farfield", 1, file, &every, &set));
  if (set) PetscCall(PlexDGMonitorFarFieldFromOptions_Private(dg, ts, file, every));
  PetscCall(PlexDGOutputOption(dg, "-plex_dg_checkpoint", 0, file, &every, &set));
  if (set) PetscCall(PlexDGMonitorCheckpoint(dg, ts, file, every));
  PetscFunctionReturn(PETSC_SUCCESS);
}
