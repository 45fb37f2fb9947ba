/* Files, pictures and windows while a TS steps */
#include "imageimpl.h" /*I "plexgpuview.h" I*/

/* One monitor of a TS */
typedef struct {
  PetscObject source; /* what is drawn, referenced; NULL: the DM of the TS */
  PlexImage   image;  /* NULL: a file of VTKHDF is written */
  PetscViewer window; /* of a picture; NULL: to files */
  char        path[PETSC_MAX_PATH_LEN];
  PetscInt    every, last, count; /* steps, 0: at the end alone; the one that was written last; states written */
} *PlexMonitor;

PetscErrorCode PlexOptionsFile_Private(MPI_Comm comm, PetscOptions options, const char prefix[], const char option[],
                                       PetscInt usual, char file[PETSC_MAX_PATH_LEN], PetscInt *every, PetscBool *set)
{
  char *colon;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(options, prefix, option, file, PETSC_MAX_PATH_LEN, set));
  *every = usual;
  if (!*set) PetscFunctionReturn(PETSC_SUCCESS);
  colon = strrchr(file, ':');
  if (colon && colon[1] && strspn(colon + 1, "0123456789") == strlen(colon + 1)) {
    PetscCall(PetscOptionsStringToInt(colon + 1, every));
    *colon = 0;
  }
  PetscCheck(file[0], comm, PETSC_ERR_ARG_WRONG, "Option %s has no name of a file: %s FILE or FILE:STEPS", option,
             option);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexImageName_Private(MPI_Comm comm, const char file[], PetscInt number, char name[PETSC_MAX_PATH_LEN])
{
  const char *percent = strchr(file, '%'), *d = percent ? percent + 1 : NULL;
  char        digits[32];
  int         width;

  PetscFunctionBegin;
  if (!percent) {
    PetscCall(PetscStrncpy(name, file, PETSC_MAX_PATH_LEN));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  d += strspn(d, "0123456789");
  PetscCheck(*d == 'd' && d - percent < 4 && !strchr(d, '%'), comm, PETSC_ERR_ARG_WRONG,
             "The name %s has to have one %%d or %%05d for the number of a picture, or none", file);
  width = atoi(percent + 1);
  (void)snprintf(digits, sizeof(digits), percent[1] == '0' ? "%0*d" : "%*d", width, (int)number);
  PetscCall(PetscSNPrintf(name, PETSC_MAX_PATH_LEN, "%.*s%s%s", (int)(percent - file), file, digits, d + 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexMonitorWrite(PlexMonitor m, TS ts, PetscReal t, Vec U)
{
  PetscObject source = m->source;
  char        name[PETSC_MAX_PATH_LEN];
  PetscDraw   draw;
  DM          dm;

  PetscFunctionBegin;
  PetscCall(TSGetDM(ts, &dm));
  if (!source) source = (PetscObject)dm;
  if (!m->image) {
    PetscCall(PlexWriteVTKHDF_Private(dm, U, m->path, (PetscBool)(m->count > 0), t, t));
  } else if (m->window) {
    PetscCall(PetscViewerDrawGetDraw(m->window, 0, &draw));
    PetscCall(PlexImageDraw(m->image, source, U, t, draw));
  } else {
    PetscCall(PlexImageName_Private(PetscObjectComm(source), m->path, m->count, name));
    PetscCall(PlexImageWrite(m->image, source, U, t, name));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexMonitorStep(TS ts, PetscInt step, PetscReal t, Vec U, void *ctx)
{
  PlexMonitor       m = (PlexMonitor)ctx;
  TSConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(TSGetConvergedReason(ts, &reason));
  if (step < m->last) m->last = -1; /* another run */
  if (step < 0 || step == m->last || !(reason || (m->every && step % m->every == 0)))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexMonitorWrite(m, ts, t, U));
  m->last = step;
  ++m->count;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexMonitorDestroy(PetscCtxRt ctx)
{
  PlexMonitor m = *(PlexMonitor *)ctx;

  PetscFunctionBegin;
  PetscCall(PlexImageDestroy(&m->image));
  PetscCall(PetscObjectDestroy(&m->source));
  PetscCall(PetscViewerDestroy(&m->window));
  PetscCall(PetscFree(m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexMonitorCreate(TS ts, const char file[], PetscInt every, PlexMonitor *monitor)
{
  PlexMonitor m = NULL;

  PetscFunctionBegin;
  PetscCheck(every >= 0, PetscObjectComm((PetscObject)ts), PETSC_ERR_ARG_OUTOFRANGE,
             "Nothing can be written every %" PetscInt_FMT " steps: 0 is at the end alone", every);
  PetscCall(PetscNew(&m));
  m->every = every;
  m->last  = -1;
  if (file) PetscCall(PetscStrncpy(m->path, file, sizeof(m->path)));
  PetscCall(TSMonitorSet(ts, PlexMonitorStep, m, PlexMonitorDestroy));
  *monitor = m;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexTSMonitorSolution - Has a `TS` of finite elements write its states to a file for ParaView while it steps

  Collective

  Input Parameters:
+ ts    - the time stepper, with a `DM` of type `DMPLEX`
. file  - name of the file, which ends in .vtkhdf; one that is there is replaced
- every - every so many steps and at the end; 0 for at the end alone

  Options Database Key:
. -plex_assembly_monitor_solution file[:n] - likewise, of a `TS` that assembles with PlexGPU; n is 1 by default

  Level: beginner

  Note:
  `PlexDGMonitorSolution()` does so for nodal DG.

.seealso: `PlexVecWriteVTKHDF()`, `PlexTSMonitorImage()`, `PlexDGMonitorSolution()`
@*/
PetscErrorCode PlexTSMonitorSolution(TS ts, const char file[], PetscInt every)
{
  PlexMonitor m = NULL;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(ts, TS_CLASSID, 1);
  PetscAssertPointer(file, 2);
  PetscCall(PlexMonitorCreate(ts, file, every, &m));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexTSMonitorImage - Has a `TS` write pictures of its states, or draw them into a window, while it steps

  Collective

  Input Parameters:
+ ts     - the time stepper
. source - the `PlexDG` whose state it has; `NULL`: the `DM` of the `TS`, with finite elements
. image  - which field, and how, see `PlexImageWrite()`; `NULL`: what options say
. file   - names of the files, with a %d or %05d for their numbers, 0, 1, ...; without, each picture replaces the one
           before. `NULL`: a window, see `PlexImageDraw()`
- every  - every so many steps and at the end; 0 for at the end alone

  Options Database Keys:
+ -plex_dg_monitor_image file[:n]       - likewise, of a `TS` that `PlexDGSetTS()` was given; n is 1 by default
. -plex_dg_monitor_draw [n]             - into a window
- -plex_assembly_monitor_image file[:n] - of a `TS` that assembles with PlexGPU

  Level: beginner

.seealso: `PlexImage`, `PlexImageWrite()`, `PlexImageDraw()`, `PlexTSMonitorSolution()`
@*/
PetscErrorCode PlexTSMonitorImage(TS ts, PetscObject source, PlexImage image, const char file[], PetscInt every)
{
  MPI_Comm    comm = PetscObjectComm((PetscObject)ts);
  const char *prefix;
  char        name[PETSC_MAX_PATH_LEN];
  PlexMonitor m = NULL;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(ts, TS_CLASSID, 1);
  if (file) PetscCall(PlexImageName_Private(comm, file, 0, name)); /* a wrong one is an error now */
  PetscCall(PlexMonitorCreate(ts, file, every, &m));
  if (source) PetscCall(PetscObjectReference(source));
  m->source = source;
  if (image) {
    PetscCall(PetscObjectReference((PetscObject)image));
    m->image = image;
  } else {
    PetscCall(PetscObjectGetOptionsPrefix(source ? source : (PetscObject)ts, &prefix));
    PetscCall(PlexImageCreateFromOptions_Private(comm, prefix, &m->image));
  }
  if (!file)
    PetscCall(PetscViewerDrawOpen(comm, NULL, "", PETSC_DECIDE, PETSC_DECIDE, (int)m->image->w, (int)m->image->h,
                                  &m->window));
  PetscFunctionReturn(PETSC_SUCCESS);
}
