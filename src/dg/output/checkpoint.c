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
    /pml           [elements][rows][Np]       where there is a perfectly matched layer, its variables, 0 of other elements; with
                                              the attributes pml, of its profile, and pml_variables
    /memory        [elements][most][Np]       where fields have memory variables (dispersive media), at most `most` in an
                                              element, with the attribute memory_variables, that number
    /conductors/                              of boundaries that are conductors: impedancecheckpoint.c
    /farfield<k>/                             far fields: farcheckpoint.c
    /quadrilaterals/vertices, state, extrema  of a mesh of triangles and quadrilaterals, whose other arrays are those of
                                              triangles, version 4; with the attribute quadrilaterals, their number

  Elements are known by their vertices, not by numbers that depend on processes. A state is double between steps, in
  single precision too, where the narrowed numbers are those that were widened; and a low-storage scheme begins each
  step with 0 times its residual. So there is nothing else to keep.
*/
#include "outputimpl.h" /*I "plexgpudg.h" I*/

#define PLEX_DG_CHECKPOINT         "PlexDG checkpoint"
#define PLEX_DG_CHECKPOINT_VERSION 3
#define PLEX_DG_CHECKPOINT_MIXED   4 /* of triangles and quadrilaterals */
#define PLEX_DG_CHECKPOINT_OLDEST  2
#define PLEX_DG_CHECKPOINT_GROUP   "quadrilaterals"
#define PLEX_DG_CHECKPOINT_MEMORY  "memory_variables"

/* The array of part k */
static PetscErrorCode PlexDGCheckpointName(PetscInt k, const char array[], size_t size, char name[])
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, size, "%s%s%s", k ? PLEX_DG_CHECKPOINT_GROUP : "", k ? "/" : "", array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Writing */

static PetscErrorCode PlexDGCheckpointWriteHead(PlexDG dg, TS ts, PlexH5 *h)
{
  PlexDG         parts[2];
  const PetscInt n         = PlexDGGetParts(dg, parts);
  const PetscInt numbers[] = {n > 1 ? PLEX_DG_CHECKPOINT_MIXED : PLEX_DG_CHECKPOINT_VERSION,
                              parts[0]->mesh->dim,
                              dg->degree,
                              parts[0]->mesh->NeGlobal,
                              dg->system->Nf,
                              parts[0]->mesh->nv};
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
  if (n > 1) {
    PetscCall(PlexH5SetNumbers(h, "/", PLEX_DG_CHECKPOINT_GROUP, PLEX_H5_INDEX, 0, &parts[1]->mesh->NeGlobal));
    PetscCall(PlexH5Group(h, PLEX_DG_CHECKPOINT_GROUP));
  }
  PetscCall(PlexH5SetNumbers(h, "/", "step", PLEX_H5_INDEX, 0, &step));
  PetscCall(PlexH5SetNumbers(h, "/", "time", PLEX_H5_DOUBLE, 0, &t));
  PetscCall(PlexH5SetNumbers(h, "/", "time_step", PLEX_H5_DOUBLE, 0, &dt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An array of part k: values[Ne][size[0]][size[1]] */
static PetscErrorCode PlexDGCheckpointWriteArray(PlexDG part, PetscInt k, PlexH5 *h, const char array[],
                                                 const PetscInt size[2], const PetscReal values[])
{
  char name[64];

  PetscFunctionBegin;
  PetscCall(PlexDGCheckpointName(k, array, sizeof(name), name));
  PetscCall(PlexH5CreateArray(h, name, PLEX_H5_DOUBLE, part->mesh->NeGlobal, 2, size, PETSC_FALSE));
  PetscCall(PlexH5WriteRows(h, name, PLEX_H5_DOUBLE, 0, part->mesh->Ne, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values [Ne][fields][Np] of the parts, one behind the other */
static PetscErrorCode PlexDGCheckpointWriteValues(PlexDG dg, PlexH5 *h, const char array[], PetscInt fields,
                                                  const PetscReal values[])
{
  PlexDG         parts[2];
  const PetscInt n = PlexDGGetParts(dg, parts);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) {
    const PetscInt size[] = {fields, parts[k]->reference->Np};

    PetscCall(PlexDGCheckpointWriteArray(parts[k], k, h, array, size, values));
    values += (size_t)parts[k]->mesh->Ne * size[0] * size[1];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGCheckpointWriteExtrema(PlexDG dg, TS ts, PlexH5 *h)
{
  PetscBool watched = PETSC_FALSE, started = PETSC_FALSE;
  PetscReal threshold = 0., *values;

  PetscFunctionBegin;
  PetscCall(PlexDGExtremaAre_Private(dg, ts, &watched, &started, &threshold));
  if (!started) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1((size_t)(PlexDGGetLocalSize(dg) / dg->system->Nf) * PLEX_DG_EXTREMA, &values));
  PetscCall(PlexDGExtremaGet_Private(dg, values));
  PetscCall(PlexH5SetNumbers(h, "/", "extrema_threshold", PLEX_H5_DOUBLE, 0, &threshold));
  PetscCall(PlexDGCheckpointWriteValues(dg, h, "extrema", PLEX_DG_EXTREMA, values));
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Variables of a perfectly matched layer */
static PetscErrorCode PlexDGCheckpointWritePML(PlexDG dg, PlexH5 *h)
{
  char       hash[32];
  PetscReal *values;

  PetscFunctionBegin;
  if (!dg->pml) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGHashPML_Private(dg, hash));
  PetscCall(PlexH5SetText(h, "/", "pml", hash));
  PetscCall(PlexH5SetNumbers(h, "/", "pml_variables", PLEX_H5_INDEX, 0, &dg->pml->rows));
  PetscCall(PetscMalloc1((size_t)dg->mesh->Ne * dg->pml->rows * dg->reference->Np, &values));
  PetscCall(PlexDGPMLGet_Private(dg, values));
  PetscCall(PlexDGCheckpointWriteValues(dg, h, "pml", dg->pml->rows, values));
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGCheckpointWriteMemory(PlexDG dg, PlexH5 *h)
{
  PetscInt   most;
  PetscReal *values;

  PetscFunctionBegin;
  if (!PlexDGRemembers_Private(dg)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGMemoryGetMost_Private(dg, &most));
  PetscCall(PetscMalloc1((size_t)(PlexDGGetLocalSize(dg) / dg->system->Nf) * (size_t)most, &values));
  PetscCall(PlexDGMemoryGet_Private(dg, most, values));
  PetscCall(PlexH5SetNumbers(h, "/", PLEX_DG_CHECKPOINT_MEMORY, PLEX_H5_INDEX, 0, &most));
  PetscCall(PlexDGCheckpointWriteValues(dg, h, "memory", most, values));
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
  All but large arrays goes through the first process, in pieces; these, too, where HDF5 has no MPI-IO.

.seealso: `PlexDG`, `PlexDGLoadCheckpoint()`, `PlexDGRestartFromOptions()`, `PlexDGMonitorCheckpoint()`
@*/
PetscErrorCode PlexDGSaveCheckpoint(PlexDG dg, TS ts, Vec U, const char file[])
{
  MPI_Comm           comm = PetscObjectComm((PetscObject)dg);
  char               part[PETSC_MAX_PATH_LEN];
  const PetscScalar *u;
  PlexH5             h;
  PlexDG             parts[2];
  PetscInt           n;
  PetscBool          changed, another = PETSC_FALSE;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  if (ts) PetscValidHeaderSpecific(ts, TS_CLASSID, 2);
  PetscValidHeaderSpecific(U, VEC_CLASSID, 3);
  PetscAssertPointer(file, 4);
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexDGCheckVec_Private(dg, U));
  if (ts) PetscCall(PlexDGIsAnother_Private(dg, ts, U, &changed, &another));
  if (another) PetscCall(PlexDGZeroVariables_Private(dg)); /* as the first step would */
  PetscCall(PetscSNPrintf(part, sizeof(part), "%s.part", file));
  PetscCall(PlexH5Open(comm, part, PLEX_H5_CREATE, &h));
  PetscCall(PlexDGCheckpointWriteHead(dg, ts, &h));
  PetscCall(PlexDGCheckpointWriteSettings_Private(dg, &h));
  n = PlexDGGetParts(dg, parts);
  for (PetscInt k = 0; k < n; ++k) {
    PlexDGMesh     mesh   = parts[k]->mesh;
    const PetscInt size[] = {mesh->nv, mesh->dim};

    PetscCall(PlexDGCheckpointWriteArray(parts[k], k, &h, "vertices", size, mesh->x));
  }
  PetscCall(VecGetArrayRead(U, &u));
  PetscCall(PlexDGCheckpointWriteValues(dg, &h, "state", dg->system->Nf, u));
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCall(PlexDGCheckpointWriteExtrema(dg, ts, &h));
  PetscCall(PlexDGCheckpointWritePML(dg, &h));
  PetscCall(PlexDGCheckpointWriteMemory(dg, &h));
  PetscCall(PlexDGCheckpointWriteConductors_Private(dg, &h));
  PetscCall(PlexDGCheckpointWriteFarFields_Private(dg, &h));
  PetscCall(PlexH5Close(&h));
  PetscCall(PlexDGRename_Private(comm, part, file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Reading */

static PetscErrorCode PlexDGCheckpointCheck(PlexDG dg, PlexH5 *h)
{
  MPI_Comm  comm = h->comm;
  char      format[64], system[256];
  PlexDG    parts[2];
  int       version, dim, degree, fields, corners;
  PetscInt  n, elements, quadrilaterals = 0;
  PetscBool same, mixed = PETSC_FALSE;

  PetscFunctionBegin;
  n = PlexDGGetParts(dg, parts);
  PetscCall(PlexH5GetText(h, "/", "format", sizeof(format), format));
  PetscCall(PetscStrcmp(format, PLEX_DG_CHECKPOINT, &same));
  PetscCall(PlexH5GetNumbers(h, "/", "version", PLEX_H5_INT, 0, &version));
  PetscCheck(same && version >= PLEX_DG_CHECKPOINT_OLDEST && version <= PLEX_DG_CHECKPOINT_MIXED, comm,
             PETSC_ERR_FILE_UNEXPECTED, "File %s is no checkpoint of version %d to %d but of format %s, version %d",
             h->path, PLEX_DG_CHECKPOINT_OLDEST, PLEX_DG_CHECKPOINT_MIXED, format, version);
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
  PetscCall(PlexH5HasAttribute(h, "/", PLEX_DG_CHECKPOINT_GROUP, &mixed));
  if (mixed) PetscCall(PlexH5GetNumbers(h, "/", PLEX_DG_CHECKPOINT_GROUP, PLEX_H5_INDEX, 0, &quadrilaterals));
  PetscCheck(mixed == (PetscBool)(n > 1), comm, PETSC_ERR_FILE_UNEXPECTED,
             "Checkpoint %s is of a mesh of %s, and this one has %s: use the mesh that it was written with", h->path,
             mixed ? "triangles and quadrilaterals" : "one kind of cell",
             mixed ? "one kind of cell" : "triangles and quadrilaterals");
  PetscCheck(corners == parts[0]->mesh->nv, comm, PETSC_ERR_FILE_UNEXPECTED,
             "Checkpoint %s is of elements with %d corners, and those of this mesh have %" PetscInt_FMT
             ": use the mesh that it was written with",
             h->path, corners, parts[0]->mesh->nv);
  PetscCheck(dim == parts[0]->mesh->dim && elements == parts[0]->mesh->NeGlobal &&
               (!mixed || quadrilaterals == parts[1]->mesh->NeGlobal),
             comm, PETSC_ERR_FILE_UNEXPECTED,
             "Checkpoint %s is of a mesh of %" PetscInt_FMT " elements in dimension %d, and this one has %" PetscInt_FMT
             " in dimension %" PetscInt_FMT ": use the mesh that it was written with",
             h->path, elements + quadrilaterals, dim, PlexDGCountElements_Private(dg), parts[0]->mesh->dim);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* rows[Ne]: the file's row of each own element. keys[n]: of the rows that this process has read */
static PetscErrorCode PlexDGCheckpointFind(PlexDG dg, const char file[], PetscInt n, const PetscInt64 keys[],
                                           PetscInt rows[])
{
  PlexDGMesh  mesh = dg->mesh;
  PetscInt64 *mine;
  PetscInt    missing;
  int         lost, anylost;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(mesh->Ne, &mine));
  PetscCall(PlexDGGetKeys_Private(dg, mine));
  PetscCall(PlexDGCheckpointFindKeys_Private(PetscObjectComm((PetscObject)dg), mesh->NeGlobal, n, keys, mesh->Ne, mine,
                                             rows, &missing));
  PetscCall(PetscFree(mine));
  lost = missing >= 0;
  PetscCallMPI(MPIU_Allreduce(&lost, &anylost, 1, MPI_INT, MPI_MAX, PetscObjectComm((PetscObject)dg)));
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

/* u[Ne][Nf][Np] of an array, of part k */
static PetscErrorCode PlexDGCheckpointReadPart(PlexDG dg, PetscInt k, PlexH5 *h, const char array[], PetscInt Nf,
                                               PetscReal u[])
{
  PlexDGMesh     mesh = dg->mesh;
  const PetscInt dim = mesh->dim, each = mesh->nv * dim, size = Nf * dg->reference->Np;
  PetscLayout    layout;
  PetscSF        sf;
  PetscInt       first, n, *rows;
  PetscInt64    *keys;
  PetscReal     *x, *state, *vertices;
  char           name[64];

  PetscFunctionBegin;
  PetscCall(PetscLayoutCreateFromSizes(h->comm, PETSC_DECIDE, mesh->NeGlobal, 1, &layout));
  PetscCall(PetscLayoutGetRange(layout, &first, &n));
  n -= first;
  PetscCall(PetscMalloc4(n * each, &x, n, &keys, mesh->Ne, &rows, mesh->Ne * each, &vertices));
  PetscCall(PlexDGCheckpointName(k, "vertices", sizeof(name), name));
  PetscCall(PlexH5ReadRows(h, name, PLEX_H5_DOUBLE, first, n, x));
  PlexDGComputeKeys_Private(dim, mesh->nv, n, x, keys);
  PetscCall(PlexDGCheckpointFind(dg, h->path, n, keys, rows));
  PetscCall(PetscSFCreate(h->comm, &sf));
  PetscCall(PetscSFSetGraphLayout(sf, layout, mesh->Ne, NULL, PETSC_COPY_VALUES, rows));
  PetscCall(PlexDGCheckpointSend_Private(sf, each, x, vertices));
  PetscCall(PetscMalloc1((size_t)n * size, &state));
  PetscCall(PlexDGCheckpointName(k, array, sizeof(name), name));
  PetscCall(PlexH5ReadRows(h, name, PLEX_H5_DOUBLE, first, n, state));
  PetscCall(PlexDGCheckpointSend_Private(sf, size, state, u));
  PetscCall(PlexDGCheckpointArrange(dg, h->path, vertices, Nf, u));
  PetscCall(PetscFree(state));
  PetscCall(PetscFree4(x, keys, rows, vertices));
  PetscCall(PetscSFDestroy(&sf));
  PetscCall(PetscLayoutDestroy(&layout));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of all parts, one behind the other */
static PetscErrorCode PlexDGCheckpointRead(PlexDG dg, PlexH5 *h, const char array[], PetscInt Nf, PetscReal u[])
{
  PlexDG         parts[2];
  const PetscInt n = PlexDGGetParts(dg, parts);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(PlexDGCheckpointReadPart(parts[k], k, h, array, Nf, u));
    u += (size_t)parts[k]->mesh->Ne * Nf * parts[k]->reference->Np;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Extrema of the steps before, or what of them would be lost, which is added to `differences` unless an option accepts
   it */
static PetscErrorCode PlexDGCheckpointReadExtrema(PlexDG dg, TS ts, PlexH5 *h, size_t size, char differences[])
{
  PetscBool changed = PETSC_FALSE, has = PETSC_FALSE, watched = PETSC_FALSE, started = PETSC_FALSE;
  PetscReal threshold = 0., was = 0., *values = NULL;
  PetscInt  step = 0;
  PlexDG    parts[2];

  PetscFunctionBegin;
  PetscCall(PlexDGExtremaAre_Private(dg, ts, &watched, &started, &threshold));
  PetscCall(PlexH5HasAttribute(h, "/", "extrema_threshold", &has));
  PetscCall(PlexH5GetNumbers(h, "/", "step", PLEX_H5_INDEX, 0, &step));
  PetscCall(PetscOptionsGetBool(((PetscObject)dg)->options, ((PetscObject)dg)->prefix, "-plex_dg_restart_changed",
                                &changed, NULL));
  if (has) PetscCall(PlexH5GetNumbers(h, "/", "extrema_threshold", PLEX_H5_DOUBLE, 0, &was));
  if (watched && !changed && !has && step)
    PetscCall(PlexDGAddClause_Private(
      differences, size, "it kept no extrema (-plex_dg_extrema), and those of the steps before are unknown"));
  if (watched && !changed && has && was != threshold)
    PetscCall(PlexDGAddClause_Private(differences, size, "-plex_dg_extrema_threshold was %g and is %g", (double)was,
                                      (double)threshold));
  if (differences[0]) PetscFunctionReturn(PETSC_SUCCESS);
  (void)PlexDGGetParts(dg, parts);
  if (has && dg->system->water && parts[0]->variables) {
    PetscCall(PetscMalloc1((size_t)(PlexDGGetLocalSize(dg) / dg->system->Nf) * PLEX_DG_EXTREMA + 1, &values));
    PetscCall(PlexDGCheckpointRead(dg, h, "extrema", PLEX_DG_EXTREMA, values));
  }
  PetscCall(PlexDGExtremaSet_Private(dg, ts, was, values));
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Variables of a perfectly matched layer, or what is different about it, which is added to `differences` unless an option
   accepts it: then they begin at 0 */
static PetscErrorCode PlexDGCheckpointReadPML(PlexDG dg, PlexH5 *h, size_t size, char differences[])
{
  PetscBool  changed = PETSC_FALSE, has = PETSC_FALSE, same = PETSC_FALSE;
  char       was[32] = "", is[32] = "";
  PetscInt   variables = 0;
  PetscReal *values;

  PetscFunctionBegin;
  PetscCall(PlexH5HasAttribute(h, "/", "pml", &has));
  if (has) {
    PetscCall(PlexH5GetText(h, "/", "pml", sizeof(was), was));
    PetscCall(PlexH5GetNumbers(h, "/", "pml_variables", PLEX_H5_INDEX, 0, &variables));
  }
  if (dg->pml) PetscCall(PlexDGHashPML_Private(dg, is));
  PetscCall(PetscStrcmp(was, is, &same));
  PetscCall(PetscOptionsGetBool(((PetscObject)dg)->options, ((PetscObject)dg)->prefix, "-plex_dg_restart_changed",
                                &changed, NULL));
  if (!same && !changed)
    PetscCall(PlexDGAddClause_Private(differences, size, "it has %s perfectly matched layer%s (-plex_dg_pml)",
                                      !has      ? "no"
                                      : dg->pml ? "another"
                                                : "a",
                                      !dg->pml ? ", and there is none now" : ""));
  PetscCall(PlexDGPMLZero_Private(dg));
  if (!same || !dg->pml || variables != dg->pml->rows || differences[0]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1((size_t)dg->mesh->Ne * variables * dg->reference->Np, &values));
  PetscCall(PlexDGCheckpointRead(dg, h, "pml", variables, values));
  PetscCall(PlexDGPMLSet_Private(dg, values));
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Memory variables, or that there were others, which is added to `differences` unless an option accepts it: then these
   are zero */
static PetscErrorCode PlexDGCheckpointReadMemory(PlexDG dg, PlexH5 *h, size_t size, char differences[])
{
  PetscBool  changed = PETSC_FALSE, has;
  PetscInt   most = 0, was = 0;
  PetscReal *values;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetBool(((PetscObject)dg)->options, ((PetscObject)dg)->prefix, "-plex_dg_restart_changed",
                                &changed, NULL));
  PetscCall(PlexH5HasAttribute(h, "/", PLEX_DG_CHECKPOINT_MEMORY, &has));
  if (has) PetscCall(PlexH5GetNumbers(h, "/", PLEX_DG_CHECKPOINT_MEMORY, PLEX_H5_INDEX, 0, &was));
  if (PlexDGRemembers_Private(dg)) PetscCall(PlexDGMemoryGetMost_Private(dg, &most));
  if (was != most && !changed)
    PetscCall(PlexDGAddClause_Private(differences, size,
                                      "elements had up to %" PetscInt_FMT " memory variables and have %" PetscInt_FMT
                                      ", of dispersive media",
                                      was, most));
  if (differences[0]) PetscFunctionReturn(PETSC_SUCCESS);
  if (was != most) PetscCall(PlexDGMemorySet_Private(dg, most, NULL));
  if (was != most || !most) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1((size_t)(PlexDGGetLocalSize(dg) / dg->system->Nf) * (size_t)most, &values));
  PetscCall(PlexDGCheckpointRead(dg, h, "memory", most, values));
  PetscCall(PlexDGMemorySet_Private(dg, most, values));
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

  Memory variables of dispersive media, `PlexDGAddDispersion()`, go on. Where the checkpoint has others, that is such an
  error, and with -plex_dg_restart_changed they begin with zero.

  Extrema that `PlexDGMonitorExtrema()` keeps go on, too. Where the checkpoint has none, or of another threshold, that is
  such an error, and with -plex_dg_restart_changed they begin at the checkpoint, or go on with the new threshold. Far
  fields, `PlexDGFarFieldCreate()`, that the operator has now go on likewise.

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
  PetscCall(PlexDGCheckVec_Private(dg, U));
  PetscCall(PlexH5Open(PetscObjectComm((PetscObject)dg), file, PLEX_H5_READ, &h));
  PetscCall(PlexDGCheckpointCheck(dg, &h));
  PetscCall(PlexH5GetNumbers(&h, "/", "step", PLEX_H5_INDEX, 0, &step));
  PetscCall(PlexH5GetNumbers(&h, "/", "time", PLEX_H5_DOUBLE, 0, &t));
  PetscCall(PlexH5GetNumbers(&h, "/", "time_step", PLEX_H5_DOUBLE, 0, &dt));
  PetscCall(VecGetArrayWrite(U, &u));
  PetscCall(PlexDGCheckpointRead(dg, &h, "state", dg->system->Nf, u));
  PetscCall(VecRestoreArrayWrite(U, &u));
  PetscCall(PlexDGCheckpointCompare_Private(dg, &h, sizeof(differences), differences));
  PetscCall(PlexDGCheckpointReadExtrema(dg, ts, &h, sizeof(differences), differences));
  PetscCall(PlexDGCheckpointReadPML(dg, &h, sizeof(differences), differences));
  PetscCall(PlexDGCheckpointReadMemory(dg, &h, sizeof(differences), differences));
  PetscCall(PlexDGCheckpointReadConductors_Private(dg, &h, differences));
  PetscCall(PlexDGCheckpointReadFarFields_Private(dg, &h, sizeof(differences), differences));
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
  PetscCall(PlexDGLeave_Private(dg, 0, t, U));
  PetscCall(PlexDGVecNorm(U, PETSC_BLAS_INT_MAX, &dg->norm)); /* of the stability check's last look */
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
