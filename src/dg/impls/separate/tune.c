/* Tuning of type separate: looks a result up in the archive; else measures one, applies it and keeps it */
#include "tune.h"
#include "../../../util/progress.h"
#include <plexgpuversion.h>
#include "../../../backend/interface/backendimpl.h" /* PlexCacheGetFile() */
#include <time.h>

typedef struct {
  PetscBool tune;
  PetscReal seconds;
  char      archive[PETSC_MAX_PATH_LEN];
} PlexDGTuneSettings;

static PetscErrorCode PlexDGTuneSetFromOptions(PlexDG dg, PlexDGTuneSettings *s)
{
  PetscFunctionBegin;
  s->tune    = PETSC_FALSE;
  s->seconds = 60.;
  PetscCall(PlexCacheGetFile("tuning.txt", s->archive));
  PetscObjectOptionsBegin((PetscObject)dg);
  PetscCall(PetscOptionsBool("-plex_dg_tune", "Time the choices of type separate, and take the fastest", "PlexDG",
                             s->tune, &s->tune, NULL));
  PetscCall(PetscOptionsReal("-plex_dg_tune_time", "Seconds that this may take", "PlexDG", s->seconds, &s->seconds,
                             NULL));
  PetscCheck(s->seconds > 0., PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_OUTOFRANGE,
             "-plex_dg_tune_time %g is not positive", (double)s->seconds);
  PetscCall(PetscOptionsString("-plex_dg_tune_archive", "File of results", "PlexDG", s->archive, s->archive,
                               sizeof(s->archive), NULL));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGTuneKeySet(PlexDG dg, const PlexDGFixed *fixed, PlexDGTuneKey *key)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(key, sizeof(*key)));
  PetscCall(PetscStrncpy(key->device, dg->backend->limits.name, sizeof(key->device)));
  PetscCall(PetscStrncpy(key->backend, ((PetscObject)dg->backend)->type_name, sizeof(key->backend)));
  PetscCall(PetscStrncpy(key->version, PLEXGPU_VERSION, sizeof(key->version)));
  PetscCall(PetscStrncpy(key->precision, PlexPrecisions[dg->precision], sizeof(key->precision)));
  PetscCall(PetscStrncpy(key->system, dg->system->name, sizeof(key->system)));
  PetscCall(PetscStrncpy(key->fixed, fixed->text, sizeof(key->fixed)));
  key->dim    = dg->mesh->dim;
  key->degree = dg->degree;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective: what the first process finds */
static PetscErrorCode PlexDGTuneFind(PlexDG dg, const PlexDGTuneSettings *s, PlexDGTuneResult *r, PetscBool *found)
{
  MPI_Comm    comm = PetscObjectComm((PetscObject)dg);
  PetscMPIInt rank;

  PetscFunctionBegin;
  *found = PETSC_FALSE;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) {
    const PlexDGTuneKey key = r->key;

    PetscCall(PlexDGArchiveFind_Private(s->archive, &key, r->elements, r, found));
  }
  PetscCallMPI(MPI_Bcast(found, 1, MPI_C_BOOL, 0, comm));
  if (!*found) PetscFunctionReturn(PETSC_SUCCESS);
  {
    PlexDGCandidate *candidates = r->candidates;

    PetscCallMPI(MPI_Bcast(r, (PetscMPIInt)sizeof(*r), MPI_BYTE, 0, comm));
    if (rank) PetscCall(PetscMalloc1(r->n, &candidates));
    r->candidates = candidates;
    PetscCallMPI(MPI_Bcast(r->candidates, (PetscMPIInt)(sizeof(PlexDGCandidate) * (size_t)r->n), MPI_BYTE, 0, comm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective: the first process writes, and knows whether that has worked */
static PetscErrorCode PlexDGTuneKeep(PlexDG dg, const PlexDGTuneSettings *s, PlexDGTuneResult *r, PetscBool *written)
{
  const time_t now = time(NULL);
  const char  *why = "";
  PetscMPIInt  rank;

  PetscFunctionBegin;
  *written = PETSC_FALSE;
  (void)strftime(r->date, sizeof(r->date), "%Y-%m-%d %H:%M:%S", gmtime(&now));
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)dg), &rank));
  if (rank || !s->archive[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGArchiveAdd_Private(s->archive, r, &why, written));
  if (!*written)
    PetscCall(PetscPrintf(PETSC_COMM_SELF,
                          "PlexGPU: what tuning has measured is not kept: %s %s; name another file with "
                          "-plex_dg_tune_archive\n",
                          s->archive, why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGTune_Private(PlexDG dg, PlexDGSeparate *way)
{
  MPI_Comm           comm = PetscObjectComm((PetscObject)dg);
  PlexDGTuneSettings settings;
  PlexDGTuneResult   r = {0};
  PlexDGFixed        fixed;
  PlexDGTable        table   = way->table;
  double             seconds = 0.;
  PetscErrorCode     ierr;
  int                level;
  PetscBool          found, best, kept = PETSC_TRUE;
  PetscMPIInt        size;

  PetscFunctionBegin;
  PetscCall(PlexDGTuneSetFromOptions(dg, &settings));
  if (!settings.tune) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PlexDGTableGetFixed_Private(dg, &fixed));
  PetscCall(PlexDGTuneKeySet(dg, &fixed, &r.key));
  r.elements = (double)dg->mesh->NeGlobal / size;
  PetscCall(PlexDGTuneFind(dg, &settings, &r, &found));
  if (!found) {
    r.budget    = settings.seconds;
    r.processes = size;
    level       = PlexProgressBegin_Private("tuning of type separate (-plex_dg_tune)");
    ierr        = PlexDGSearch_Private(dg, way, &fixed, &r);
    PlexProgressEnd_Private(level);
    PetscCall(ierr);
  }
  PetscCall(PlexDGTuneBest_Private(dg, &r, &table, &seconds, &best));
  PetscCheck(best, comm, PETSC_ERR_SUP,
             "None of the %" PetscInt_FMT " candidates of type separate of nodal DG runs here: leave out "
             "-plex_dg_tune, or set fewer sizes by options",
             r.n);
  if (!found) PetscCall(PlexDGTuneKeep(dg, &settings, &r, &kept));
  way->table = table;
  PetscCall(PetscSNPrintf(way->tuned, sizeof(way->tuned),
                          "tuned %.10s, %.4g ms; %" PetscInt_FMT " candidates in %.3g s, no time for %" PetscInt_FMT
                          "; %s %s",
                          r.date, 1e3 * seconds, r.n, r.spent, r.skipped,
                          found  ? "found in"
                          : kept ? "measured now, kept in"
                                 : "measured now, not kept in",
                          settings.archive));
  PetscCall(PetscFree(r.candidates));
  PetscFunctionReturn(PETSC_SUCCESS);
}
