/*
  Checkpoints: an HDF5 file with a state and where its TS stands, from which a run continues bit for bit.

    /              attributes format, version, system, dim, degree, elements, fields; time, time_step, step; and, from
                   version 3 on, what the run depended on: constants, boundary, the numbers of facets of each kind,
                   boundary_hash, of which kind lies where, boundary_values, of values in time where there are any,
                   and coefficients, two sums of each
    /vertices      [elements][corners][dim]   of the elements, in the order of the reference element
    /state         [elements][fields][Np]
    /extrema       [elements][4][Np]          where the run keeps extrema of water, with the attribute extrema_threshold:
                                              initial elevation, greatest elevation and speed, arrival

  Elements are known by their vertices, not by numbers that depend on processes. A state is double between steps, in
  single precision too, where the narrowed numbers are those that were widened; and a low-storage scheme begins each
  step with 0 times its residual. So there is nothing else to keep.
*/
#include "outputimpl.h" /*I "plexgpudg.h" I*/
#include <inttypes.h>

#define PLEX_DG_CHECKPOINT         "PlexDG checkpoint"
#define PLEX_DG_CHECKPOINT_VERSION 3
#define PLEX_DG_CHECKPOINT_OLDEST  2

/* ---- Keys of elements */

static PetscInt64 PlexDGMix(uint64_t z) /* of splitmix64 */
{
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return (PetscInt64)((z ^ (z >> 31)) >> 1); /* not negative */
}

/* Sums over the vertices, whose order then does not matter */
void PlexDGComputeKeys_Private(PetscInt dim, PetscInt nv, PetscInt n, const PetscReal x[], PetscInt64 keys[])
{
  for (PetscInt e = 0; e < n; ++e) {
    uint64_t sum = 0;

    for (PetscInt v = 0; v < nv; ++v) {
      uint64_t vertex = 0x9e3779b97f4a7c15ULL;

      for (PetscInt d = 0; d < dim; ++d) {
        const PetscReal at = x[(e * nv + v) * dim + d] + 0.; /* -0 is 0 */
        uint64_t        bits;

        memcpy(&bits, &at, sizeof(bits));
        vertex = (uint64_t)PlexDGMix(vertex ^ bits) * 0x9e3779b97f4a7c15ULL + (uint64_t)d;
      }
      sum += (uint64_t)PlexDGMix(vertex);
    }
    keys[e] = PlexDGMix(sum);
  }
}

PetscErrorCode PlexDGGetKeys_Private(PlexDG dg, PetscInt64 keys[])
{
  PetscFunctionBegin;
  PlexDGComputeKeys_Private(dg->mesh->dim, dg->mesh->nv, dg->mesh->Ne, dg->mesh->x, keys);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What a run depends on beside its state: constants, coefficients, boundary conditions */

#define PLEX_DG_CHECKPOINT_SAME 1e-9 /* relative difference of sums that are rounded otherwise on other processes */

/* Sums over all elements of weight times mean, and of weight times mean square, of the values at the nodes: sums[2 NK],
   and their sizes. Weights in [0, 1) are made of the elements' vertices, so that values that trade places do not go
   unseen */
static PetscErrorCode PlexDGSumCoefficients(PlexDG dg, PetscReal sums[])
{
  PlexDGMesh     mesh = dg->mesh;
  const PetscInt NK = dg->system->ncoefficients, Np = dg->variables ? dg->reference->Np : 1;
  PetscInt64    *keys;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(mesh->Ne, &keys));
  PetscCall(PlexDGGetKeys_Private(dg, keys));
  PetscCall(PetscArrayzero(sums, 2 * NK));
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    const PetscReal weight = (PetscReal)keys[e] / 9223372036854775808.; /* 2^63 */

    for (PetscInt k = 0; k < NK; ++k) {
      const PetscReal *value = dg->variables ? &dg->variables[((size_t)e * NK + k) * Np]
                                             : &dg->coefficients[e * NK + k];

      for (PetscInt i = 0; i < Np; ++i) {
        sums[2 * k] += weight * value[i] / Np;
        sums[2 * k + 1] += weight * value[i] * value[i] / Np;
      }
    }
  }
  PetscCall(PetscFree(keys));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, sums, (PetscMPIInt)(2 * NK), MPIU_REAL, MPI_SUM,
                              PetscObjectComm((PetscObject)dg)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "8 facets pec, 4 facets pmc", and a number, as text, of which facet, known by its vertices, has which kind */
static PetscErrorCode PlexDGHashBoundary(PlexDG dg, size_t size, char text[], char hash[32])
{
  PlexDGMesh     mesh = dg->mesh;
  const PetscInt dim = mesh->dim, nf = PlexDGFaceSize(dim, mesh->tensor), nkinds = dg->system->nkinds;
  uint64_t       sum = 0;
  PetscInt      *count, vertices[4];
  char           part[128];

  PetscFunctionBegin;
  text[0] = 0;
  PetscCall(PetscMalloc1(nkinds, &count));
  PetscCall(PlexDGConditionsCount_Private(dg, count));
  for (PetscInt k = 0; k < nkinds; ++k) {
    if (!count[k]) continue;
    PetscCall(PetscSNPrintf(part, sizeof(part), "%s%" PetscInt_FMT " facets %s", text[0] ? ", " : "", count[k],
                            dg->system->kinds[k]));
    PetscCall(PetscStrlcat(text, part, size));
  }
  PetscCall(PetscFree(count));
  for (PetscInt b = 0; b < mesh->nfacets; ++b) {
    const PetscInt e = mesh->facet[b] / mesh->faces;
    PetscReal      x[12];
    PetscInt64     key;

    PlexDGFaceVertices(dim, mesh->tensor, mesh->facet[b] % mesh->faces, vertices);
    for (PetscInt v = 0; v < nf; ++v)
      PetscCall(PetscArraycpy(&x[v * dim], &mesh->x[(e * mesh->nv + vertices[v]) * dim], dim));
    PlexDGComputeKeys_Private(dim, nf, 1, x, &key);
    sum += (uint64_t)PlexDGMix((uint64_t)key + 0x9e3779b97f4a7c15ULL * (uint64_t)(dg->kinds[b] + 1));
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_UINT64_T, MPI_SUM, PetscObjectComm((PetscObject)dg)));
  PetscCall(PetscSNPrintf(hash, 32, "%016" PRIx64, sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static uint64_t PlexDGHashNumbers(uint64_t hash, PetscInt n, const PetscReal values[])
{
  for (PetscInt k = 0; k < n; ++k) {
    uint64_t bits;

    memcpy(&bits, &values[k], sizeof(bits));
    hash = (uint64_t)PlexDGMix(hash * 31 + bits);
  }
  return hash;
}

/* Of all values in time of boundaries, as text */
static PetscErrorCode PlexDGHashSeries(PlexDG dg, char hash[32])
{
  uint64_t sum = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < dg->nseries; ++k) {
    const PlexDGSeries *s = &dg->series[k];
    char                where[256];

    PetscCall(PlexDGSeriesName_Private(s, sizeof(where), where));
    for (const char *c = where; *c; ++c) sum = sum * 31 + (unsigned char)*c;
    sum = PlexDGHashNumbers(sum, s->n, s->t);
    sum = PlexDGHashNumbers(sum, 2 * s->n, s->values);
    sum = PlexDGHashNumbers(sum, 3 * s->ntides, s->tides);
  }
  PetscCall(PetscSNPrintf(hash, 32, "%016" PRIx64, sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt PlexDGCountConstants(PlexDG dg)
{
  PetscInt n = 0;

  for (PetscInt k = 0; k < dg->system->nconstants; ++k) n += dg->system->constants[k].n;
  return n;
}

/* ---- Writing */

static PetscErrorCode PlexDGCheckpointWriteSettings(PlexDG dg, PlexH5 *h)
{
  const PetscInt n = PlexDGCountConstants(dg), NK = dg->system->ncoefficients;
  PetscReal      sums[2 * PLEX_DG_MAX_FIELDS];
  char           text[512], hash[32];

  PetscFunctionBegin;
  PetscCall(PlexH5SetNumbers(h, "/", "nconstants", PLEX_H5_INDEX, 0, &n));
  if (n) PetscCall(PlexH5SetNumbers(h, "/", "constants", PLEX_H5_DOUBLE, n, dg->constants));
  PetscCall(PlexDGHashBoundary(dg, sizeof(text), text, hash));
  PetscCall(PlexH5SetText(h, "/", "boundary", text));
  PetscCall(PlexH5SetText(h, "/", "boundary_hash", hash));
  PetscCall(PlexDGHashSeries(dg, hash));
  if (dg->nseries) PetscCall(PlexH5SetText(h, "/", "boundary_values", hash));
  PetscCall(PlexDGSumCoefficients(dg, sums));
  if (NK) PetscCall(PlexH5SetNumbers(h, "/", "coefficients", PLEX_H5_DOUBLE, 2 * NK, sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGCheckpointWriteHead(PlexDG dg, TS ts, PlexH5 *h)
{
  const PetscInt numbers[] = {PLEX_DG_CHECKPOINT_VERSION, dg->mesh->dim,  dg->degree,
                              dg->mesh->NeGlobal,         dg->system->Nf, dg->mesh->nv};
  const char    *names[]   = {"version", "dim", "degree", "elements", "fields", "corners"};
  PetscReal      t = 0., dt = 0.;
  PetscInt       step = 0;

  PetscFunctionBegin;
  if (ts) {
    PetscCall(TSGetTime(ts, &t));
    PetscCall(TSGetTimeStep(ts, &dt));
    PetscCall(TSGetStepNumber(ts, &step));
  }
  PetscCall(PlexH5SetText(h, "/", "format", PLEX_DG_CHECKPOINT));
  PetscCall(PlexH5SetText(h, "/", "system", dg->system->name));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(numbers); ++k)
    PetscCall(PlexH5SetNumbers(h, "/", names[k], PLEX_H5_INDEX, 0, &numbers[k]));
  PetscCall(PlexH5SetNumbers(h, "/", "step", PLEX_H5_INDEX, 0, &step));
  PetscCall(PlexH5SetNumbers(h, "/", "time", PLEX_H5_DOUBLE, 0, &t));
  PetscCall(PlexH5SetNumbers(h, "/", "time_step", PLEX_H5_DOUBLE, 0, &dt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGCheckpointWriteExtrema(PlexDG dg, TS ts, PlexH5 *h)
{
  const PetscInt size[]  = {PLEX_DG_EXTREMA, dg->reference->Np};
  PetscBool      watched = PETSC_FALSE, started = PETSC_FALSE;
  PetscReal      threshold = 0., *values;

  PetscFunctionBegin;
  PetscCall(PlexDGExtremaAre_Private(dg, ts, &watched, &started, &threshold));
  if (!started) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1((size_t)dg->mesh->Ne * PLEX_DG_EXTREMA * dg->reference->Np, &values));
  PetscCall(PlexDGExtremaGet_Private(dg, values));
  PetscCall(PlexH5SetNumbers(h, "/", "extrema_threshold", PLEX_H5_DOUBLE, 0, &threshold));
  PetscCall(PlexH5CreateArray(h, "extrema", PLEX_H5_DOUBLE, dg->mesh->NeGlobal, 2, size, PETSC_FALSE));
  PetscCall(PlexH5WriteRows(h, "extrema", PLEX_H5_DOUBLE, 0, dg->mesh->Ne, values));
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The file `part` gets its name once it is complete */
PetscErrorCode PlexDGRename_Private(MPI_Comm comm, const char part[], const char file[])
{
  PetscMPIInt rank;
  int         failed = 0;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (!rank) failed = rename(part, file);
  PetscCallMPI(MPI_Bcast(&failed, 1, MPI_INT, 0, comm));
  PetscCheck(!failed, comm, PETSC_ERR_FILE_WRITE, "The file %s cannot be called %s: is that a folder?", part, file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGSaveCheckpoint - Writes a state, and where a `TS` stands, to an HDF5 file from which `PlexDGLoadCheckpoint()`
  continues

  Collective

  Input Parameters:
+ dg   - the operator
. ts   - the time stepper, between two steps, whose time, time step and number of steps are kept; or `NULL`
. U    - the state
- file - name of the file; one that is there is replaced once the new one is complete

  Options Database Key:
. -plex_dg_checkpoint file[:n] - every so many steps of the `TS` that `PlexDGSetTS()` was given and at the end, or at
                                 the end alone

  Level: intermediate

  Note:
  All of it goes through the first process, in pieces.

.seealso: `PlexDG`, `PlexDGLoadCheckpoint()`, `PlexDGRestartFromOptions()`, `PlexDGMonitorCheckpoint()`
@*/
PetscErrorCode PlexDGSaveCheckpoint(PlexDG dg, TS ts, Vec U, const char file[])
{
  MPI_Comm           comm = PetscObjectComm((PetscObject)dg);
  char               part[PETSC_MAX_PATH_LEN];
  const PetscScalar *u;
  PlexH5             h;
  PetscInt           vertices[2], state[2];

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  if (ts) PetscValidHeaderSpecific(ts, TS_CLASSID, 2);
  PetscValidHeaderSpecific(U, VEC_CLASSID, 3);
  PetscAssertPointer(file, 4);
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexDGCheckOneKind_Private(dg, "A checkpoint"));
  PetscCall(PlexDGCheckVec_Private(dg, U));
  PetscCall(PetscSNPrintf(part, sizeof(part), "%s.part", file));
  PetscCall(PlexH5Open(comm, part, PLEX_H5_CREATE, &h));
  PetscCall(PlexDGCheckpointWriteHead(dg, ts, &h));
  PetscCall(PlexDGCheckpointWriteSettings(dg, &h));
  vertices[0] = dg->mesh->nv;
  vertices[1] = dg->mesh->dim;
  state[0]    = dg->system->Nf;
  state[1]    = dg->reference->Np;
  PetscCall(PlexH5CreateArray(&h, "vertices", PLEX_H5_DOUBLE, dg->mesh->NeGlobal, 2, vertices, PETSC_FALSE));
  PetscCall(PlexH5CreateArray(&h, "state", PLEX_H5_DOUBLE, dg->mesh->NeGlobal, 2, state, PETSC_FALSE));
  PetscCall(PlexH5WriteRows(&h, "vertices", PLEX_H5_DOUBLE, 0, dg->mesh->Ne, dg->mesh->x));
  PetscCall(VecGetArrayRead(U, &u));
  PetscCall(PlexH5WriteRows(&h, "state", PLEX_H5_DOUBLE, 0, dg->mesh->Ne, u));
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCall(PlexDGCheckpointWriteExtrema(dg, ts, &h));
  PetscCall(PlexH5Close(&h));
  PetscCall(PlexDGRename_Private(comm, part, file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Reading */

static PetscErrorCode PlexDGAddDifference(char text[], size_t size, const char format[], ...)
{
  char    part[1200];
  va_list arguments;

  PetscFunctionBegin;
  va_start(arguments, format);
  PetscCall(PetscVSNPrintf(part, sizeof(part), format, NULL, arguments));
  va_end(arguments);
  if (text[0]) PetscCall(PetscStrlcat(text, "; ", size));
  PetscCall(PetscStrlcat(text, part, size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGCompareConstants(PlexDG dg, PlexH5 *h, size_t size, char text[])
{
  PlexDGSystem   system = dg->system;
  const PetscInt n      = PlexDGCountConstants(dg);
  PetscReal     *was;
  PetscInt       at = 0;
  int            number;

  PetscFunctionBegin;
  PetscCall(PlexH5GetNumbers(h, "/", "nconstants", PLEX_H5_INT, 0, &number));
  if (number != n) {
    PetscCall(PlexDGAddDifference(text, size, "the system had %d constants and has %" PetscInt_FMT, number, n));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(n, &was));
  PetscCall(PlexH5GetNumbers(h, "/", "constants", PLEX_H5_DOUBLE, n, was));
  for (PetscInt k = 0; k < system->nconstants; ++k)
    for (PetscInt i = 0; i < system->constants[k].n; ++i, ++at)
      if (was[at] != dg->constants[at])
        PetscCall(PlexDGAddDifference(text, size, "constant %s was %g and is %g", system->constants[k].name,
                                      (double)was[at], (double)dg->constants[at]));
  PetscCall(PetscFree(was));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGCompareCoefficients(PlexDG dg, PlexH5 *h, size_t size, char text[])
{
  const PetscInt NK = dg->system->ncoefficients;
  PetscReal      was[2 * PLEX_DG_MAX_FIELDS], is[2 * PLEX_DG_MAX_FIELDS];

  PetscFunctionBegin;
  if (!NK) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGSumCoefficients(dg, is));
  PetscCall(PlexH5GetNumbers(h, "/", "coefficients", PLEX_H5_DOUBLE, 2 * NK, was));
  for (PetscInt k = 0; k < NK; ++k) {
    const PetscReal squares = PetscMax(was[2 * k + 1], is[2 * k + 1]),
                    size1   = PetscSqrtReal(squares * dg->mesh->NeGlobal);

    if (PetscAbsReal(was[2 * k] - is[2 * k]) > PLEX_DG_CHECKPOINT_SAME * size1 ||
        PetscAbsReal(was[2 * k + 1] - is[2 * k + 1]) > PLEX_DG_CHECKPOINT_SAME * squares)
      PetscCall(PlexDGAddDifference(text, size, "coefficient %s was another one, root mean square %g and now %g",
                                    dg->system->coefficients[k].name,
                                    (double)PetscSqrtReal(2. * was[2 * k + 1] / dg->mesh->NeGlobal),
                                    (double)PetscSqrtReal(2. * is[2 * k + 1] / dg->mesh->NeGlobal)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGCompareBoundary(PlexDG dg, PlexH5 *h, size_t size, char text[])
{
  char      was[512], is[512], hash[2][32];
  PetscBool same, there;

  PetscFunctionBegin;
  PetscCall(PlexDGHashBoundary(dg, sizeof(is), is, hash[0]));
  PetscCall(PlexH5GetText(h, "/", "boundary", sizeof(was), was));
  PetscCall(PlexH5GetText(h, "/", "boundary_hash", sizeof(hash[1]), hash[1]));
  PetscCall(PetscStrcmp(was, is, &same));
  PetscCall(PetscStrcmp(hash[0], hash[1], &there));
  if (!same)
    PetscCall(PlexDGAddDifference(text, size, "the boundary had %s and has %s", was[0] ? was : "no facets",
                                  is[0] ? is : "no facets"));
  else if (!there) PetscCall(PlexDGAddDifference(text, size, "the boundary has %s as before, but elsewhere", is));
  PetscCall(PlexH5HasAttribute(h, "/", "boundary_values", &there));
  PetscCall(PlexDGHashSeries(dg, hash[0]));
  if (there) PetscCall(PlexH5GetText(h, "/", "boundary_values", sizeof(hash[1]), hash[1]));
  PetscCall(PetscStrcmp(hash[0], hash[1], &same));
  if (there ? !same : dg->nseries > 0)
    PetscCall(PlexDGAddDifference(text, size, "the boundary had other values in time, series or tides"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is different from what the run began with: one that goes on so is another run. Nothing where an option accepts
   it */
static PetscErrorCode PlexDGCheckpointCompare(PlexDG dg, PlexH5 *h, size_t size, char text[])
{
  PetscBool changed = PETSC_FALSE;
  int       version;

  PetscFunctionBegin;
  text[0] = 0;
  PetscCall(PlexH5GetNumbers(h, "/", "version", PLEX_H5_INT, 0, &version));
  if (version < 3) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscOptionsGetBool(((PetscObject)dg)->options, ((PetscObject)dg)->prefix, "-plex_dg_restart_changed",
                                &changed, NULL));
  if (changed) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGCompareConstants(dg, h, size, text));
  PetscCall(PlexDGCompareCoefficients(dg, h, size, text));
  PetscCall(PlexDGCompareBoundary(dg, h, size, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGCheckpointCheck(PlexDG dg, PlexH5 *h)
{
  MPI_Comm  comm = h->comm;
  char      format[64], system[256];
  int       version, dim, degree, fields, corners;
  PetscInt  elements;
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(PlexH5GetText(h, "/", "format", sizeof(format), format));
  PetscCall(PetscStrcmp(format, PLEX_DG_CHECKPOINT, &same));
  PetscCall(PlexH5GetNumbers(h, "/", "version", PLEX_H5_INT, 0, &version));
  PetscCheck(same && version >= PLEX_DG_CHECKPOINT_OLDEST && version <= PLEX_DG_CHECKPOINT_VERSION, comm,
             PETSC_ERR_FILE_UNEXPECTED, "File %s is no checkpoint of version %d to %d but of format %s, version %d",
             h->path, PLEX_DG_CHECKPOINT_OLDEST, PLEX_DG_CHECKPOINT_VERSION, format, version);
  PetscCall(PlexH5GetText(h, "/", "system", sizeof(system), system));
  PetscCall(PlexH5GetNumbers(h, "/", "dim", PLEX_H5_INT, 0, &dim));
  PetscCall(PlexH5GetNumbers(h, "/", "degree", PLEX_H5_INT, 0, &degree));
  PetscCall(PlexH5GetNumbers(h, "/", "elements", PLEX_H5_INDEX, 0, &elements));
  PetscCall(PlexH5GetNumbers(h, "/", "fields", PLEX_H5_INT, 0, &fields));
  PetscCall(PlexH5GetNumbers(h, "/", "corners", PLEX_H5_INT, 0, &corners));
  PetscCall(PetscStrcmp(system, dg->system->name, &same));
  PetscCheck(same && fields == dg->system->Nf, comm, PETSC_ERR_FILE_UNEXPECTED,
             "Checkpoint %s is of system %s with %d fields, and the operator has %s with %" PetscInt_FMT
             ": use -plex_dg_system %s",
             h->path, system, fields, dg->system->name, dg->system->Nf, system);
  PetscCheck(degree == dg->degree, comm, PETSC_ERR_FILE_UNEXPECTED,
             "Checkpoint %s is of degree %d, and the operator has degree %" PetscInt_FMT ": use -plex_dg_degree %d",
             h->path, degree, dg->degree, degree);
  PetscCheck(corners == dg->mesh->nv, comm, PETSC_ERR_FILE_UNEXPECTED,
             "Checkpoint %s is of elements with %d corners, and those of this mesh have %" PetscInt_FMT
             ": use the mesh that it was written with",
             h->path, corners, dg->mesh->nv);
  PetscCheck(dim == dg->mesh->dim && elements == dg->mesh->NeGlobal, comm, PETSC_ERR_FILE_UNEXPECTED,
             "Checkpoint %s is of a mesh of %" PetscInt_FMT " elements in dimension %d, and this one has %" PetscInt_FMT
             " in dimension %" PetscInt_FMT ": use the mesh that it was written with",
             h->path, elements, dim, dg->mesh->NeGlobal, dg->mesh->dim);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static int PlexDGCompareKeys(const void *a, const void *b, void *ctx)
{
  const PetscInt64 x = *(const PetscInt64 *)a, y = *(const PetscInt64 *)b;

  (void)ctx;
  return x < y ? -1 : x > y;
}

/* rows[Ne]: the file's row of each own element. keys[n]: of the rows that this process has read; the keys of all rows
   are gathered, 16 bytes each. */
static PetscErrorCode PlexDGCheckpointFind(PlexDG dg, const char file[], PetscInt n, const PetscInt64 keys[],
                                           PetscInt rows[])
{
  MPI_Comm     comm = PetscObjectComm((PetscObject)dg);
  PlexDGMesh   mesh = dg->mesh;
  PetscInt64  *all, *mine;
  PetscInt    *row, missing = -1;
  PetscMPIInt *counts, *starts, size, count;
  int          lost, anylost;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscMPIIntCast(n, &count));
  PetscCall(PetscMalloc5(mesh->NeGlobal, &all, mesh->NeGlobal, &row, mesh->Ne, &mine, size, &counts, size, &starts));
  PetscCallMPI(MPI_Allgather(&count, 1, MPI_INT, counts, 1, MPI_INT, comm));
  starts[0] = 0;
  for (PetscMPIInt r = 1; r < size; ++r) starts[r] = starts[r - 1] + counts[r - 1];
  PetscCallMPI(MPI_Allgatherv(keys, count, MPIU_INT64, all, counts, starts, MPIU_INT64, comm));
  for (PetscInt k = 0; k < mesh->NeGlobal; ++k) row[k] = k;
  PetscCall(PetscTimSortWithArray(mesh->NeGlobal, all, sizeof(*all), row, sizeof(*row), PlexDGCompareKeys, NULL));
  PetscCall(PlexDGGetKeys_Private(dg, mine));
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    PetscInt low = 0, high = mesh->NeGlobal;

    while (high - low > 1) {
      const PetscInt middle = low + (high - low) / 2;

      if (all[middle] <= mine[e]) low = middle;
      else high = middle;
    }
    rows[e] = row[low];
    if (all[low] != mine[e]) missing = e;
  }
  lost = missing >= 0;
  PetscCall(PetscFree5(all, row, mine, counts, starts));
  PetscCallMPI(MPIU_Allreduce(&lost, &anylost, 1, MPI_INT, MPI_MAX, comm));
  if (lost) {
    const PetscReal *x = &mesh->x[missing * mesh->nv * mesh->dim];

    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
            "Checkpoint %s is of another mesh, it has no element with the vertices of cell %" PetscInt_FMT
            ", the first at (%g, %g, %g): use the mesh that it was written with",
            file, mesh->cells[missing], (double)x[0], (double)x[1], (double)(mesh->dim == 3 ? x[2] : 0.));
  }
  PetscCheck(!anylost, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "Checkpoint %s is of another mesh, as another process says", file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Own vertex v is vertex p[v] of the file; whether each is one */
static PetscBool PlexDGCheckpointMatch(PetscInt dim, PetscInt nv, const PetscReal own[], const PetscReal file[],
                                       PetscInt p[])
{
  for (PetscInt v = 0; v < nv; ++v) {
    p[v] = -1;
    for (PetscInt w = 0; w < nv && p[v] < 0; ++w) {
      PetscBool same = PETSC_TRUE;

      for (PetscInt d = 0; d < dim; ++d) same = (PetscBool)(same && own[v * dim + d] == file[w * dim + d]);
      if (same) p[v] = w;
    }
    if (p[v] < 0) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* node[i]: the file's node at own node i, where vertices are permuted; index[Np][dim + 1] multi-indices */
static void PlexDGCheckpointTurn(PetscInt dim, PetscInt Np, const PetscInt index[], const PetscInt p[], PetscInt node[])
{
  for (PetscInt i = 0; i < Np; ++i) {
    for (PetscInt j = 0; j < Np; ++j) {
      PetscBool same = PETSC_TRUE;

      for (PetscInt v = 0; v <= dim; ++v)
        same = (PetscBool)(same && index[j * (dim + 1) + p[v]] == index[i * (dim + 1) + v]);
      if (same) node[i] = j;
    }
  }
}

/* Likewise of quadrilaterals and hexahedra, r[Np][dim] */
static void PlexDGCheckpointTurnTensor(PetscInt dim, PetscInt Np, const PetscReal r[], const PetscInt p[],
                                       PetscInt node[])
{
  for (PetscInt i = 0; i < Np; ++i) {
    PetscReal at[3] = {0., 0., 0.}, corner[3], other[3];

    for (PetscInt v = 0; v < 1 << dim; ++v) {
      PetscReal weight = 1.;

      PlexDGVertex(dim, PETSC_TRUE, v, corner);
      PlexDGVertex(dim, PETSC_TRUE, p[v], other);
      for (PetscInt a = 0; a < dim; ++a) weight *= 0.5 * (1. + corner[a] * r[dim * i + a]);
      for (PetscInt a = 0; a < dim; ++a) at[a] += weight * other[a];
    }
    for (PetscInt j = 0; j < Np; ++j) {
      PetscReal far = 0.;

      for (PetscInt a = 0; a < dim; ++a) far += PetscAbsReal(at[a] - r[dim * j + a]);
      if (far < 1e-6) node[i] = j;
    }
  }
}

/* Own elements' values u[Ne][Nf][Np], from what came out of the file for them: vertices as they are there, and values
   in u */
static PetscErrorCode PlexDGCheckpointArrange(PlexDG dg, const char file[], const PetscReal vertices[], PetscInt Nf,
                                              PetscReal u[])
{
  PlexDGReference R   = dg->reference;
  const PetscInt  dim = R->dim, Np = R->Np, nv = dg->mesh->nv, each = nv * dim;
  PetscReal      *lambda;
  PetscInt       *index, *node, p[8];
  PetscScalar    *copy;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(Np * (dim + 1), &lambda, Np * (dim + 1), &index, Np, &node, Np, &copy));
  if (!R->tensor) PetscCall(PlexDGNodes(dim, R->N, lambda, index));
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e) {
    PetscBool same;

    PetscCheck(PlexDGCheckpointMatch(dim, nv, &dg->mesh->x[e * each], &vertices[e * each], p), PETSC_COMM_SELF,
               PETSC_ERR_FILE_UNEXPECTED,
               "Checkpoint %s is of another mesh, it has no element with the vertices of cell %" PetscInt_FMT
               ": use the mesh that it was written with",
               file, dg->mesh->cells[e]);
    same = PETSC_TRUE;
    for (PetscInt v = 0; v < nv; ++v) same = (PetscBool)(same && p[v] == v);
    if (same) continue;
    if (R->tensor) PlexDGCheckpointTurnTensor(dim, Np, R->r, p, node);
    else PlexDGCheckpointTurn(dim, Np, index, p, node);
    for (PetscInt k = 0; k < Nf; ++k) {
      PetscScalar *field = &u[((size_t)e * Nf + k) * Np];

      PetscCall(PetscArraycpy(copy, field, Np));
      for (PetscInt i = 0; i < Np; ++i) field[i] = copy[node[i]];
    }
  }
  PetscCall(PetscFree4(lambda, index, node, copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each process reads a share of the rows. Then rows of n numbers go to the processes that own their elements: from[] as
   read, to[] by own element */
static PetscErrorCode PlexDGCheckpointSend(PetscSF sf, PetscInt n, const PetscReal from[], PetscReal to[])
{
  MPI_Datatype unit;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Type_contiguous((PetscMPIInt)n, MPIU_REAL, &unit));
  PetscCallMPI(MPI_Type_commit(&unit));
  PetscCall(PetscSFBcastBegin(sf, unit, from, to, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(sf, unit, from, to, MPI_REPLACE));
  PetscCallMPI(MPI_Type_free(&unit));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u[Ne][Nf][Np] of an array */
static PetscErrorCode PlexDGCheckpointRead(PlexDG dg, PlexH5 *h, const char name[], PetscInt Nf, PetscReal u[])
{
  PlexDGMesh     mesh = dg->mesh;
  const PetscInt dim = mesh->dim, each = mesh->nv * dim, size = Nf * dg->reference->Np;
  PetscLayout    layout;
  PetscSF        sf;
  PetscInt       first, n, *rows;
  PetscInt64    *keys;
  PetscReal     *x, *state, *vertices;

  PetscFunctionBegin;
  PetscCall(PetscLayoutCreateFromSizes(h->comm, PETSC_DECIDE, mesh->NeGlobal, 1, &layout));
  PetscCall(PetscLayoutGetRange(layout, &first, &n));
  n -= first;
  PetscCall(PetscMalloc4(n * each, &x, n, &keys, mesh->Ne, &rows, mesh->Ne * each, &vertices));
  PetscCall(PlexH5ReadRows(h, "vertices", PLEX_H5_DOUBLE, first, n, x));
  PlexDGComputeKeys_Private(dim, mesh->nv, n, x, keys);
  PetscCall(PlexDGCheckpointFind(dg, h->path, n, keys, rows));
  PetscCall(PetscSFCreate(h->comm, &sf));
  PetscCall(PetscSFSetGraphLayout(sf, layout, mesh->Ne, NULL, PETSC_COPY_VALUES, rows));
  PetscCall(PlexDGCheckpointSend(sf, each, x, vertices));
  PetscCall(PetscMalloc1((size_t)n * size, &state));
  PetscCall(PlexH5ReadRows(h, name, PLEX_H5_DOUBLE, first, n, state));
  PetscCall(PlexDGCheckpointSend(sf, size, state, u));
  PetscCall(PlexDGCheckpointArrange(dg, h->path, vertices, Nf, u));
  PetscCall(PetscFree(state));
  PetscCall(PetscFree4(x, keys, rows, vertices));
  PetscCall(PetscSFDestroy(&sf));
  PetscCall(PetscLayoutDestroy(&layout));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Extrema of the steps before, or what of them would be lost, which is added to `differences` unless an option accepts
   it */
static PetscErrorCode PlexDGCheckpointReadExtrema(PlexDG dg, TS ts, PlexH5 *h, size_t size, char differences[])
{
  PetscBool changed = PETSC_FALSE, has = PETSC_FALSE, watched = PETSC_FALSE, started = PETSC_FALSE;
  PetscReal threshold = 0., was = 0., *values = NULL;
  PetscInt  step = 0;

  PetscFunctionBegin;
  PetscCall(PlexDGExtremaAre_Private(dg, ts, &watched, &started, &threshold));
  PetscCall(PlexH5HasAttribute(h, "/", "extrema_threshold", &has));
  PetscCall(PlexH5GetNumbers(h, "/", "step", PLEX_H5_INDEX, 0, &step));
  PetscCall(PetscOptionsGetBool(((PetscObject)dg)->options, ((PetscObject)dg)->prefix, "-plex_dg_restart_changed",
                                &changed, NULL));
  if (has) PetscCall(PlexH5GetNumbers(h, "/", "extrema_threshold", PLEX_H5_DOUBLE, 0, &was));
  if (watched && !changed && !has && step)
    PetscCall(PlexDGAddDifference(differences, size,
                                  "it kept no extrema (-plex_dg_extrema), and those of the steps before are unknown"));
  if (watched && !changed && has && was != threshold)
    PetscCall(PlexDGAddDifference(differences, size, "-plex_dg_extrema_threshold was %g and is %g", (double)was,
                                  (double)threshold));
  if (differences[0]) PetscFunctionReturn(PETSC_SUCCESS);
  if (has && dg->system->water && dg->variables) {
    PetscCall(PetscMalloc1((size_t)dg->mesh->Ne * PLEX_DG_EXTREMA * dg->reference->Np + 1, &values));
    PetscCall(PlexDGCheckpointRead(dg, h, "extrema", PLEX_DG_EXTREMA, values));
  }
  PetscCall(PlexDGExtremaSet_Private(dg, ts, was, values));
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGLoadCheckpoint - Reads a state, and where a `TS` stood, from a file of `PlexDGSaveCheckpoint()`

  Collective

  Input Parameters:
+ dg   - the operator: of the same system and degree, on the same mesh, as the one that was written
. ts   - the time stepper, whose time, time step and number of steps are set; or `NULL`
- file - name of the file

  Output Parameter:
. U - the state, of `PlexDGCreateVec()`

  Options Database Key:
. -plex_dg_restart_changed - with other constants, coefficients or boundary conditions, too

  Level: intermediate

  Notes:
  Call it last before `TSSolve()`, which then continues: on the same number of processes with the same bits as a run
  that was not interrupted, if the options are the same and the method needs nothing of earlier steps but the state, as
  Runge-Kutta methods of one step do. `-ts_max_steps` counts the steps from the beginning, `-ts_run_steps` those of this
  run.

  On another number of processes the same values are read, wherever their elements are now.

  A checkpoint knows constants, coefficients and boundary conditions; others than those of `dg` are an error that names
  what differs, unless -plex_dg_restart_changed says that the run is to go on with the new ones. Those that were written
  before PlexGPU kept these are read as they are.

  Extrema that `PlexDGMonitorExtrema()` keeps go on, too. Where the checkpoint has none, or of another threshold, that is
  such an error, and with -plex_dg_restart_changed they begin at the checkpoint, or go on with the new threshold.

.seealso: `PlexDG`, `PlexDGSaveCheckpoint()`, `PlexDGRestartFromOptions()`
@*/
PetscErrorCode PlexDGLoadCheckpoint(PlexDG dg, TS ts, const char file[], Vec U)
{
  PlexH5       h;
  PetscReal    t, dt;
  PetscInt     step;
  PetscScalar *u;
  char         differences[4096];

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  if (ts) PetscValidHeaderSpecific(ts, TS_CLASSID, 2);
  PetscAssertPointer(file, 3);
  PetscValidHeaderSpecific(U, VEC_CLASSID, 4);
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexDGCheckOneKind_Private(dg, "A checkpoint"));
  PetscCall(PlexDGCheckVec_Private(dg, U));
  PetscCall(PlexH5Open(PetscObjectComm((PetscObject)dg), file, PLEX_H5_READ, &h));
  PetscCall(PlexDGCheckpointCheck(dg, &h));
  PetscCall(PlexH5GetNumbers(&h, "/", "step", PLEX_H5_INDEX, 0, &step));
  PetscCall(PlexH5GetNumbers(&h, "/", "time", PLEX_H5_DOUBLE, 0, &t));
  PetscCall(PlexH5GetNumbers(&h, "/", "time_step", PLEX_H5_DOUBLE, 0, &dt));
  PetscCall(VecGetArrayWrite(U, &u));
  PetscCall(PlexDGCheckpointRead(dg, &h, "state", dg->system->Nf, u));
  PetscCall(VecRestoreArrayWrite(U, &u));
  PetscCall(PlexDGCheckpointCompare(dg, &h, sizeof(differences), differences));
  PetscCall(PlexDGCheckpointReadExtrema(dg, ts, &h, sizeof(differences), differences));
  PetscCall(PlexH5Close(&h));
  PetscCheck(!differences[0], h.comm, PETSC_ERR_FILE_UNEXPECTED,
             "Checkpoint %s is of a run with other settings: %s. Give the run those of the checkpoint, or continue "
             "with these by -plex_dg_restart_changed",
             file, differences);
  if (ts) {
    PetscReal set;

    PetscCall(TSGetTimeStep(ts, &set));
    if (set == dg->given) dg->given = dt; /* else it was set by the program, and steps stay: PlexDGSetTS() */
    PetscCall(TSSetTime(ts, t));
    PetscCall(TSSetTimeStep(ts, dt));
    PetscCall(TSSetStepNumber(ts, step));
  }
  PetscCall(VecNorm(U, NORM_2, &dg->norm)); /* of the stability check's last look */
  dg->base = dg->least = dg->norm;
  dg->growths = dg->steady = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGRestartFromOptions - Continues from the checkpoint that an option names, if it is given

  Collective

  Input Parameters:
+ dg - the operator
. ts - the time stepper
- U  - its solution; left as it is where the option is not given

  Output Parameter:
. restarted - whether it was; or `NULL`

  Options Database Key:
+ -plex_dg_restart file    - a checkpoint
- -plex_dg_restart_changed - though constants, coefficients or boundary conditions are others than its own

  Level: beginner

  Note:
  Call it last before `TSSolve()`; see `PlexDGLoadCheckpoint()`.

.seealso: `PlexDG`, `PlexDGLoadCheckpoint()`, `PlexDGSaveCheckpoint()`
@*/
PetscErrorCode PlexDGRestartFromOptions(PlexDG dg, TS ts, Vec U, PetscBool *restarted)
{
  char      file[PETSC_MAX_PATH_LEN];
  PetscBool set;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscCall(PetscOptionsGetString(((PetscObject)dg)->options, ((PetscObject)dg)->prefix, "-plex_dg_restart", file,
                                  sizeof(file), &set));
  if (set) PetscCall(PlexDGLoadCheckpoint(dg, ts, file, U));
  if (restarted) *restarted = set;
  PetscFunctionReturn(PETSC_SUCCESS);
}
