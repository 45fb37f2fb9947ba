/*
  Far fields in a checkpoint, so that their sums go on bit for bit:

    /                     attribute farfields, their number; of far field k attributes farfield<k>_label, _frequencies,
                          _spectrum, and _state: samples so far, whether one waits, its time and that of the one before
    /farfield<k>/vertices [sides][3][3]              of the sides of its surface, in the order of the side
    /farfield<k>/inside   [sides]                    1 where the element of the side is inside, else 0
    /farfield<k>/sums     [sides][2 nf + 1][6 Nfp]   the sums, and the sample that waits

  Far fields are numbered as they were made.
*/
#include "farfieldimpl.h"

#define PLEX_FAR_STATE 4

static PetscErrorCode PlexDGFarName(PetscInt k, const char what[], size_t size, char name[])
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, size, "farfield%" PetscInt_FMT "%s", k, what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The operator's far fields in the order in which they were made: all[n], which the caller frees */
static PetscErrorCode PlexDGFarList(PlexDG dg, PetscInt *n, PlexDGFarField **all)
{
  PetscInt count = 0;

  PetscFunctionBegin;
  for (PlexDGFarField x = dg->farfields; x; x = x->next) ++count;
  *n = count;
  PetscCall(PetscMalloc1(count, all));
  for (PlexDGFarField x = dg->farfields; x; x = x->next) (*all)[--count] = x;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGFarLabel(PlexDGFarField x, size_t size, char text[])
{
  PetscFunctionBegin;
  if (x->value == PETSC_DETERMINE) PetscCall(PetscStrncpy(text, x->label, size));
  else PetscCall(PetscSNPrintf(text, size, "%s:%" PetscInt_FMT, x->label, x->value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of own sides: vertices[sides][3][3], inside[sides] */
static PetscErrorCode PlexDGFarSides(PlexDGFarField x, PetscReal vertices[], PetscReal inside[])
{
  PlexDGMesh mesh = x->dg->mesh;
  PetscInt   corners[4];

  PetscFunctionBegin;
  for (PetscInt s = 0; s < x->surface.n; ++s) {
    const PetscInt e = x->surface.traces[s] / mesh->faces;

    PlexDGFaceVertices(3, PETSC_FALSE, x->surface.traces[s] % mesh->faces, corners);
    for (int v = 0; v < 3; ++v)
      PetscCall(PetscArraycpy(&vertices[9 * s + 3 * v], &mesh->x[(e * mesh->nv + corners[v]) * 3], 3));
    inside[s] = x->surface.signs[s] > 0;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a side is known by: its facet's vertices, and on which side of it it is */
static void PlexDGFarKeys(PetscInt n, const PetscReal vertices[], const PetscReal inside[], PetscInt64 keys[])
{
  PlexDGComputeKeys_Private(3, 3, n, vertices, keys);
  for (PetscInt s = 0; s < n; ++s) keys[s] = (keys[s] & ~(PetscInt64)1) | (inside[s] > 0.5);
}

/* rows[sides][2 nf + 1][6 Nfp] of sums[nf][2][n] and sample[n], or the other way round */
static void PlexDGFarRows(PlexDGFarField x, PetscBool toRows, double rows[], double sums[], double sample[])
{
  const size_t each = 6 * (size_t)x->dg->reference->Nfp, n = (size_t)x->n, columns = 2 * (size_t)x->nf + 1;

  for (size_t s = 0; s < (size_t)x->surface.n; ++s)
    for (size_t f = 0; f < columns; ++f) {
      double *row = &rows[(s * columns + f) * each], *at = (f + 1 < columns ? &sums[f * n] : sample) + s * each;

      if (toRows) memcpy(row, at, sizeof(double) * each);
      else memcpy(at, row, sizeof(double) * each);
    }
}

/* Copies of what is in the backend's memory, or back to it */
static PetscErrorCode PlexDGFarCopy(PlexDGFarField x, PetscBool out, double sums[], double sample[])
{
  const size_t n = (size_t)x->n;
  double      *at;

  PetscFunctionBegin;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  at = x->samples + (size_t)x->first * n;
  if (out) {
    PetscCall(PlexBackendCopyOut(x->backend, sums, x->sums, sizeof(double) * 2 * n * (size_t)x->nf));
    PetscCall(PetscArrayzero(sample, n));
    if (x->count) PetscCall(PlexBackendCopyOut(x->backend, sample, at, sizeof(double) * n));
  } else {
    PetscCall(PlexBackendCopyIn(x->backend, x->sums, sums, sizeof(double) * 2 * n * (size_t)x->nf));
    PetscCall(PlexBackendCopyIn(x->backend, at, sample, sizeof(double) * n));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Writing */

static PetscErrorCode PlexDGFarWriteArrays(PlexDGFarField x, PetscInt k, PlexH5 *h)
{
  const PetscInt n = x->surface.n, corners[2] = {3, 3}, columns[2] = {2 * x->nf + 1, 6 * x->dg->reference->Nfp};
  PetscReal     *vertices, *inside;
  double        *rows, *sums, *sample;
  PetscInt       all = n;
  char           name[64];

  PetscFunctionBegin;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &all, 1, MPIU_INT, MPI_SUM, h->comm));
  PetscCall(PetscMalloc5(9 * n, &vertices, n, &inside, (size_t)n * (size_t)columns[0] * (size_t)columns[1], &rows,
                         2 * (size_t)x->nf * (size_t)x->n, &sums, x->n, &sample));
  PetscCall(PlexDGFarSides(x, vertices, inside));
  PetscCall(PlexDGFarCopy(x, PETSC_TRUE, sums, sample));
  PlexDGFarRows(x, PETSC_TRUE, rows, sums, sample);
  PetscCall(PlexDGFarName(k, "", sizeof(name), name));
  PetscCall(PlexH5Group(h, name));
  PetscCall(PlexH5SetNumbers(h, name, "sides", PLEX_H5_INDEX, 0, &all));
  PetscCall(PlexDGFarName(k, "/vertices", sizeof(name), name));
  PetscCall(PlexH5CreateArray(h, name, PLEX_H5_DOUBLE, all, 2, corners, PETSC_FALSE));
  PetscCall(PlexH5WriteRows(h, name, PLEX_H5_DOUBLE, 0, n, vertices));
  PetscCall(PlexDGFarName(k, "/inside", sizeof(name), name));
  PetscCall(PlexH5CreateArray(h, name, PLEX_H5_DOUBLE, all, 0, NULL, PETSC_FALSE));
  PetscCall(PlexH5WriteRows(h, name, PLEX_H5_DOUBLE, 0, n, inside));
  PetscCall(PlexDGFarName(k, "/sums", sizeof(name), name));
  PetscCall(PlexH5CreateArray(h, name, PLEX_H5_DOUBLE, all, 2, columns, PETSC_FALSE));
  PetscCall(PlexH5WriteRows(h, name, PLEX_H5_DOUBLE, 0, n, rows));
  PetscCall(PetscFree5(vertices, inside, rows, sums, sample));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGCheckpointWriteFarFields_Private(PlexDG dg, PlexH5 *h)
{
  PlexDGFarField *all;
  PetscInt        n;
  char            name[64], label[300];

  PetscFunctionBegin;
  PetscCall(PlexDGFarList(dg, &n, &all));
  if (n) PetscCall(PlexH5SetNumbers(h, "/", "farfields", PLEX_H5_INDEX, 0, &n));
  for (PetscInt k = 0; k < n; ++k) {
    PlexDGFarField x                   = all[k];
    PetscReal      now[PLEX_FAR_STATE] = {(PetscReal)x->total, 0., 0., 0.};

    PetscCall(PlexDGFarFieldCheck_Private(x));
    PetscCall(PlexDGFarFieldFlush_Private(x));
    now[1] = (PetscReal)x->count;
    if (x->count) now[2] = x->times[0];
    if (x->count) now[3] = x->before;
    PetscCall(PlexDGFarLabel(x, sizeof(label), label));
    PetscCall(PlexDGFarName(k, "_label", sizeof(name), name));
    PetscCall(PlexH5SetText(h, "/", name, label));
    PetscCall(PlexDGFarName(k, "_nfrequencies", sizeof(name), name));
    PetscCall(PlexH5SetNumbers(h, "/", name, PLEX_H5_INDEX, 0, &x->nf));
    PetscCall(PlexDGFarName(k, "_frequencies", sizeof(name), name));
    PetscCall(PlexH5SetNumbers(h, "/", name, PLEX_H5_DOUBLE, x->nf, x->frequencies));
    PetscCall(PlexDGFarName(k, "_spectrum", sizeof(name), name));
    PetscCall(PlexH5SetNumbers(h, "/", name, PLEX_H5_DOUBLE, 2 * x->nf, x->spectrum));
    PetscCall(PlexDGFarName(k, "_state", sizeof(name), name));
    PetscCall(PlexH5SetNumbers(h, "/", name, PLEX_H5_DOUBLE, PLEX_FAR_STATE, now));
    PetscCall(PlexDGFarWriteArrays(x, k, h));
  }
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Reading */

/* Whether far field k of the file is that of the run; else why not is added to differences[] */
static PetscErrorCode PlexDGFarCompare(PlexDGFarField x, PetscInt k, PlexH5 *h, size_t size, char differences[])
{
  char       name[64], label[300], was[300];
  PetscReal *frequencies;
  PetscInt   nf = 0;
  PetscBool  same;

  PetscFunctionBegin;
  PetscCall(PlexDGFarLabel(x, sizeof(label), label));
  PetscCall(PlexDGFarName(k, "_label", sizeof(name), name));
  PetscCall(PlexH5GetText(h, "/", name, sizeof(was), was));
  PetscCall(PetscStrcmp(label, was, &same));
  if (!same)
    PetscCall(PlexDGAddClause_Private(differences, size, "a far field was that of %s and is of %s", was, label));
  PetscCall(PlexDGFarName(k, "_nfrequencies", sizeof(name), name));
  PetscCall(PlexH5GetNumbers(h, "/", name, PLEX_H5_INDEX, 0, &nf));
  same = (PetscBool)(nf == x->nf);
  PetscCall(PetscMalloc1(nf, &frequencies));
  PetscCall(PlexDGFarName(k, "_frequencies", sizeof(name), name));
  PetscCall(PlexH5GetNumbers(h, "/", name, PLEX_H5_DOUBLE, nf, frequencies));
  for (PetscInt f = 0; f < nf && same; ++f) same = (PetscBool)(frequencies[f] == x->frequencies[f]);
  PetscCall(PetscFree(frequencies));
  if (!same) PetscCall(PlexDGAddClause_Private(differences, size, "a far field had other frequencies"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nodes of own side s in the order of its own vertices, from the file's order of vertices */
static PetscErrorCode PlexDGFarTurn(PlexDGFarField x, const PetscReal own[], const PetscReal file[], PetscInt columns,
                                    double row[])
{
  PlexDGReference R    = x->dg->reference;
  const PetscInt  Nfp  = R->Nfp;
  PetscInt        p[4] = {-1, -1, -1, 0}, turn;
  double         *copy;

  PetscFunctionBegin;
  for (int v = 0; v < 3; ++v)
    for (int w = 0; w < 3; ++w)
      if (own[3 * v] == file[3 * w] && own[3 * v + 1] == file[3 * w + 1] && own[3 * v + 2] == file[3 * w + 2]) p[v] = w;
  PetscCheck(p[0] >= 0 && p[1] >= 0 && p[2] >= 0, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "The checkpoint's far field is of another surface: use the mesh that it was written with");
  turn = PlexDGTurnNumber(3, p);
  PetscCall(PetscMalloc1(Nfp, &copy));
  for (PetscInt k = 0; k < 6 * columns; ++k) {
    PetscCall(PetscArraycpy(copy, &row[k * Nfp], Nfp));
    for (PetscInt m = 0; m < Nfp; ++m) row[k * Nfp + m] = copy[R->turn[turn * Nfp + m]];
  }
  PetscCall(PetscFree(copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* rows of own sides, from the file's */
static PetscErrorCode PlexDGFarReadRows(PlexDGFarField x, PetscInt k, PlexH5 *h, PetscInt all, double rows[])
{
  const PetscInt columns = 2 * x->nf + 1, each = columns * 6 * x->dg->reference->Nfp, mine = x->surface.n;
  PetscLayout    layout;
  PetscSF        sf;
  PetscInt       first, n, *row, missing;
  PetscInt64    *keys, *own;
  PetscReal     *vertices, *inside, *file, *in;
  double        *read, *restored;
  char           name[64];

  PetscFunctionBegin;
  PetscCall(PetscLayoutCreateFromSizes(h->comm, PETSC_DECIDE, all, 1, &layout));
  PetscCall(PetscLayoutGetRange(layout, &first, &n));
  n -= first;
  PetscCall(PetscMalloc5(9 * mine, &vertices, mine, &inside, mine, &row, mine, &own, 9 * mine, &file));
  PetscCall(PetscMalloc4(9 * n, &in, n, &read, n, &keys, (size_t)n * (size_t)each, &restored));
  PetscCall(PlexDGFarName(k, "/vertices", sizeof(name), name));
  PetscCall(PlexH5ReadRows(h, name, PLEX_H5_DOUBLE, first, n, in));
  PetscCall(PlexDGFarName(k, "/inside", sizeof(name), name));
  PetscCall(PlexH5ReadRows(h, name, PLEX_H5_DOUBLE, first, n, read));
  PlexDGFarKeys(n, in, read, keys);
  PetscCall(PlexDGFarSides(x, vertices, inside));
  PlexDGFarKeys(mine, vertices, inside, own);
  PetscCall(PlexDGCheckpointFindKeys_Private(h->comm, all, n, keys, mine, own, row, &missing));
  PetscCheck(missing < 0, PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "Checkpoint %s has no sums of a facet at (%g, %g, %g) of the far field's surface: use the mesh that it "
             "was "
             "written with",
             h->path, (double)vertices[9 * missing], (double)vertices[9 * missing + 1],
             (double)vertices[9 * missing + 2]);
  PetscCall(PetscSFCreate(h->comm, &sf));
  PetscCall(PetscSFSetGraphLayout(sf, layout, mine, NULL, PETSC_COPY_VALUES, row));
  PetscCall(PlexDGCheckpointSend_Private(sf, 9, in, file));
  PetscCall(PlexDGFarName(k, "/sums", sizeof(name), name));
  PetscCall(PlexH5ReadRows(h, name, PLEX_H5_DOUBLE, first, n, restored));
  PetscCall(PlexDGCheckpointSend_Private(sf, each, restored, rows));
  for (PetscInt s = 0; s < mine; ++s)
    PetscCall(PlexDGFarTurn(x, &vertices[9 * s], &file[9 * s], columns, &rows[(size_t)s * (size_t)each]));
  PetscCall(PetscFree5(vertices, inside, row, own, file));
  PetscCall(PetscFree4(in, read, keys, restored));
  PetscCall(PetscSFDestroy(&sf));
  PetscCall(PetscLayoutDestroy(&layout));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGFarRead(PlexDGFarField x, PetscInt k, PlexH5 *h)
{
  PetscReal state[PLEX_FAR_STATE];
  double   *rows, *sums, *sample;
  PetscInt  all = x->surface.n, was;
  char      name[64];

  PetscFunctionBegin;
  PetscCall(PlexDGFarFieldCheck_Private(x));
  PetscCall(PlexDGFarFieldReset(x));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &all, 1, MPIU_INT, MPI_SUM, h->comm));
  PetscCall(PlexDGFarName(k, "", sizeof(name), name));
  PetscCall(PlexH5GetNumbers(h, name, "sides", PLEX_H5_INDEX, 0, &was));
  PetscCheck(was == all, h->comm, PETSC_ERR_FILE_UNEXPECTED,
             "Checkpoint %s has a far field of %" PetscInt_FMT
             " sides of facets, and that of the run has %" PetscInt_FMT
             ": use the mesh and labels that it was written with",
             h->path, was, all);
  PetscCall(PlexDGFarName(k, "_spectrum", sizeof(name), name));
  PetscCall(PlexH5GetNumbers(h, "/", name, PLEX_H5_DOUBLE, 2 * x->nf, x->spectrum));
  PetscCall(PlexDGFarName(k, "_state", sizeof(name), name));
  PetscCall(PlexH5GetNumbers(h, "/", name, PLEX_H5_DOUBLE, PLEX_FAR_STATE, state));
  x->total    = (PetscInt)state[0];
  x->count    = (PetscInt)state[1];
  x->times[0] = state[2];
  x->before   = state[3];
  PetscCall(PetscMalloc3((size_t)x->n * (2 * (size_t)x->nf + 1), &rows, 2 * (size_t)x->nf * (size_t)x->n, &sums, x->n,
                         &sample));
  PetscCall(PlexDGFarReadRows(x, k, h, all, rows));
  PlexDGFarRows(x, PETSC_FALSE, rows, sums, sample);
  PetscCall(PlexDGFarCopy(x, PETSC_FALSE, sums, sample));
  PetscCall(PetscFree3(rows, sums, sample));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGCheckpointReadFarFields_Private(PlexDG dg, PlexH5 *h, size_t size, char differences[])
{
  PlexDGFarField *all;
  PetscInt        n, was = 0, step = 0;
  PetscBool       has, changed = PETSC_FALSE;
  char            own[4096] = "";

  PetscFunctionBegin;
  PetscCall(PlexDGFarList(dg, &n, &all));
  PetscCall(PlexH5HasAttribute(h, "/", "farfields", &has));
  if (has) PetscCall(PlexH5GetNumbers(h, "/", "farfields", PLEX_H5_INDEX, 0, &was));
  PetscCall(PlexH5GetNumbers(h, "/", "step", PLEX_H5_INDEX, 0, &step));
  PetscCall(PetscOptionsGetBool(((PetscObject)dg)->options, ((PetscObject)dg)->prefix, "-plex_dg_restart_changed",
                                &changed, NULL));
  /* a run may go on without far fields */
  if (n && n != was && step)
    PetscCall(PlexDGAddClause_Private(own, sizeof(own),
                                      "it kept %" PetscInt_FMT " far fields (-plex_dg_farfield) and the run has "
                                      "%" PetscInt_FMT ", whose samples of the steps before are unknown",
                                      was, n));
  for (PetscInt k = 0; k < n && n == was; ++k) PetscCall(PlexDGFarCompare(all[k], k, h, sizeof(own), own));
  if (own[0] && !changed) PetscCall(PlexDGAddClause_Private(differences, size, "%s", own));
  for (PetscInt k = 0; k < n && !differences[0]; ++k) {
    if (own[0] || n != was) PetscCall(PlexDGFarFieldReset(all[k])); /* they begin here */
    else PetscCall(PlexDGFarRead(all[k], k, h));
  }
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}
