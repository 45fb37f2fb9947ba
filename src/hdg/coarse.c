/*
  The coarse space of the trace's preconditioner: continuous functions of degree 1, by their values at the vertices of
  the mesh, as traces on all faces.

  P takes values at vertices to traces. A face has the same rows W[vertex][function] of P whatever its shape, since its
  functions live on the reference face. Vertices of faces with known trace are left out. The coarse matrix is A = P^T K
  P: for kappa that is the same in an element it is that of continuous elements of degree 1 and kappa, as these have a
  local problem's solution of every degree (Cockburn, Dubois, Gopalakrishnan and Tan 2014, section 3).

  An entry of A is summed of parts, one for each face l, vertex v of it and vertex w of a face that K couples with l:

    sum over blocks (l, l') of K with w in l', and functions m, n, of  W[v][m] K[l, m][l', n] W[w][n]

  Of elasticity each component is such a function, and the coarse matrix that of continuous elements of degree 1; it is
  made by a product of PETSc's.

  A (face, w) is a pair below. On one process parts are sorted by their entries, coarseplan.c; on several those of other
  processes' rows are sent by MatSetValuesCOO().
*/
#include "elastic.h"
#include <plexgpu/private/util.h>
#include "groups.h"
#include "trace.h"

/* weights[nv][Nf]: functions of vertices in those of the face, which are orthonormal on the reference face */
PetscErrorCode PlexHDGVertexWeights_Private(DMPolytopeType face, PetscInt P, PetscReal values[])
{
  const PetscInt dim = DMPolytopeTypeGetDim(face), Nf = PlexHDGBasisSize(face, P),
                 nv = DMPolytopeTypeGetNumVertices(face);
  PetscInt       Nq;
  PetscReal     *points, *weights, *psi, N[4];

  PetscFunctionBegin;
  PetscCall(PlexHDGQuadrature(face, P + 1, &Nq, &points, &weights));
  PetscCall(PetscMalloc1(Nq * Nf, &psi));
  PetscCall(PetscArrayzero(values, nv * Nf));
  PetscCall(PlexHDGBasis(face, P, Nq, points, psi, NULL));
  for (PetscInt q = 0; q < Nq; ++q) {
    PlexHDGFaceWeights(face, &points[q * dim], N);
    for (PetscInt v = 0; v < nv; ++v)
      for (PetscInt m = 0; m < Nf; ++m) values[v * Nf + m] += weights[q] * N[v] * psi[q * Nf + m];
  }
  PetscCall(PetscFree(psi));
  PetscCall(PetscFree(points));
  PetscCall(PetscFree(weights));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGCoarseSetWeights(PlexHDG hdg, PlexHDGCoarse c)
{
  PlexHDGReference R  = hdg->reference;
  const PetscInt   Nf = R->Nf;

  PetscFunctionBegin;
  c->nv = DMPolytopeTypeGetNumVertices(R->face);
  PetscCall(PetscCalloc2(c->nv * Nf, &c->weights, Nf, &c->modes));
  PetscCall(PlexHDGVertexWeights_Private(R->face, R->P, c->weights));
  for (PetscInt m = 0; m < Nf; ++m) {
    PetscReal largest = 0.;

    for (PetscInt v = 0; v < c->nv; ++v) largest = PetscMax(largest, PetscAbsReal(c->weights[v * Nf + m]));
    if (largest > 1e-12) c->modes[c->nmodes++] = (int)m;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* number[p - pStart]: global number of vertex p, -1: none. A vertex belongs to the least rank that has unknowns of a
   face there */
PetscErrorCode PlexHDGCoarseNumber_Private(PlexHDG hdg, PlexHDGCoarse c, PetscInt **number)
{
  PlexHDGMesh    mesh = hdg->mesh;
  const PetscInt nall = mesh->nown + mesh->nghost + mesh->nfixed;
  MPI_Comm       comm = PetscObjectComm((PetscObject)hdg);
  PetscInt       pStart, pEnd, last = 0, vertices[4], *known;
  PetscMPIInt    rank, *owner;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCall(DMPlexGetChart(mesh->dm, &pStart, &pEnd));
  PetscCall(PetscMalloc1(pEnd - pStart, number));
  PetscCall(PetscCalloc2(pEnd - pStart, &known, pEnd - pStart, &owner));
  for (PetscInt p = 0; p < pEnd - pStart; ++p) {
    (*number)[p] = -1;
    owner[p]     = PETSC_MPI_INT_MAX;
  }
  for (PetscInt l = 0; l < nall; ++l) {
    if (l >= mesh->nown && l < mesh->nown + mesh->nghost) continue;
    PetscCall(PlexHDGMeshFaceVertices_Private(mesh, mesh->facePoint[l], c->nv, vertices));
    for (PetscInt v = 0; v < c->nv; ++v) {
      if (l < mesh->nown) owner[vertices[v] - pStart] = rank;
      else known[vertices[v] - pStart] = 1;
    }
  }
  PetscCall(PlexPointsCombine(mesh->dm, MPI_MIN, MPI_INT, owner));
  PetscCall(PlexPointsCombine(mesh->dm, MPI_MAX, MPIU_INT, known));
  for (PetscInt l = 0; l < mesh->nown; ++l) {
    PetscCall(PlexHDGMeshFaceVertices_Private(mesh, mesh->facePoint[l], c->nv, vertices));
    for (PetscInt v = 0; v < c->nv; ++v) {
      const PetscInt p = vertices[v] - pStart;

      if (owner[p] == rank && !known[p] && (*number)[p] < 0) (*number)[p] = c->n++;
    }
  }
  PetscCallMPI(MPI_Scan(&c->n, &last, 1, MPIU_INT, MPI_SUM, comm));
  PetscCallMPI(MPIU_Allreduce(&c->n, &c->N, 1, MPIU_INT, MPI_SUM, comm));
  for (PetscInt p = 0; p < pEnd - pStart; ++p)
    if ((*number)[p] >= 0) (*number)[p] += last - c->n;
  PetscCall(PlexPointsCombine(mesh->dm, MPI_MAX, MPIU_INT, *number));
  PetscCall(PetscFree2(known, owner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vertices of the faces that K has columns of: own[nown][nv], and other[nother][nv] of faces[nother] of other
   processes, ascending */
typedef struct {
  PetscInt *own, nother, *faces, *other;
  PetscInt *number; /* [points] global numbers of vertices of the mesh, -1: none */
} PlexHDGVertices;

static PetscErrorCode PlexHDGVerticesCreate(PlexHDG hdg, PlexHDGCoarse c, PlexHDGVertices *V)
{
  PlexHDGMesh    mesh = hdg->mesh;
  const PetscInt nv   = c->nv;
  MPI_Comm       comm = PetscObjectComm((PetscObject)hdg);
  PetscInt       pStart, pEnd, *number;
  PetscMPIInt    count;
  PetscLayout    layout;
  PetscSF        sf;
  MPI_Datatype   unit;

  PetscFunctionBegin;
  PetscCall(PlexHDGCoarseNumber_Private(hdg, c, &number));
  PetscCall(DMPlexGetChart(mesh->dm, &pStart, &pEnd));
  PetscCall(PetscMalloc1(mesh->nown * nv, &V->own));
  for (PetscInt l = 0; l < mesh->nown; ++l) {
    PetscCall(PlexHDGMeshFaceVertices_Private(mesh, mesh->facePoint[l], nv, &V->own[l * nv]));
    for (PetscInt v = 0; v < nv; ++v) V->own[l * nv + v] = number[V->own[l * nv + v] - pStart];
  }
  V->number = number;
  V->nother = 0;
  for (PetscInt k = 0; k < hdg->nblocks; ++k)
    V->nother += hdg->blockColumn[k] < mesh->first || hdg->blockColumn[k] >= mesh->first + mesh->nown;
  PetscCall(PetscMalloc1(V->nother, &V->faces));
  V->nother = 0;
  for (PetscInt k = 0; k < hdg->nblocks; ++k)
    if (hdg->blockColumn[k] < mesh->first || hdg->blockColumn[k] >= mesh->first + mesh->nown)
      V->faces[V->nother++] = hdg->blockColumn[k];
  PetscCall(PetscSortRemoveDupsInt(&V->nother, V->faces));
  PetscCall(PetscMalloc1(V->nother * nv, &V->other));
  PetscCall(PetscLayoutCreateFromSizes(comm, mesh->nown, PETSC_DETERMINE, 1, &layout));
  PetscCall(PetscSFCreate(comm, &sf));
  PetscCall(PetscSFSetGraphLayout(sf, layout, V->nother, NULL, PETSC_OWN_POINTER, V->faces));
  PetscCall(PetscMPIIntCast(nv, &count));
  PetscCallMPI(MPI_Type_contiguous(count, MPIU_INT, &unit));
  PetscCallMPI(MPI_Type_commit(&unit));
  PetscCall(PetscSFBcastBegin(sf, unit, V->own, V->other, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(sf, unit, V->own, V->other, MPI_REPLACE));
  PetscCallMPI(MPI_Type_free(&unit));
  PetscCall(PetscSFDestroy(&sf));
  PetscCall(PetscLayoutDestroy(&layout));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGVerticesDestroy(PlexHDGVertices *V)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(V->number));
  PetscCall(PetscFree(V->own));
  PetscCall(PetscFree(V->faces));
  PetscCall(PetscFree(V->other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The vertices of the column of block k of K */
static PetscErrorCode PlexHDGVerticesOf(PlexHDG hdg, PlexHDGCoarse c, const PlexHDGVertices *V, PetscInt k,
                                        const PetscInt **vertices)
{
  const PetscInt face = hdg->blockColumn[k] - hdg->mesh->first;
  PetscInt       at;

  PetscFunctionBegin;
  if (face >= 0 && face < hdg->mesh->nown) *vertices = &V->own[face * c->nv];
  else {
    PetscCall(PetscFindInt(hdg->blockColumn[k], V->nother, V->faces, &at));
    PetscCheck(at >= 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Face %" PetscInt_FMT " of another process is not known",
               hdg->blockColumn[k]);
    *vertices = &V->other[at * c->nv];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of components that are known, though their face has unknowns, are those of the others: K does not couple them, and
   no column is empty */
static PetscErrorCode PlexHDGCoarseCreateP(PlexHDG hdg, PlexHDGCoarse c, const PetscInt own[])
{
  const PetscInt nv = c->nv, Nf = hdg->reference->Nf, components = PlexHDGComponents(hdg),
                 rows = hdg->mesh->nown * Nf * components;
  PetscInt      *i, *j;
  PetscScalar   *values;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(rows + 1, &i, rows * nv, &j, rows * nv, &values));
  i[0] = 0;
  for (PetscInt r = 0; r < rows; ++r) {
    const PetscInt  k        = r / Nf % components;
    const PetscInt *vertices = &own[r / (Nf * components) * nv];
    PetscInt        at       = i[r];

    for (PetscInt v = 0; v < nv; ++v) {
      if (vertices[v] < 0 || PetscAbsReal(c->weights[v * Nf + r % Nf]) < 1e-12) continue;
      j[at]        = vertices[v] * components + k;
      values[at++] = c->weights[v * Nf + r % Nf];
    }
    if (at > i[r] + 1) PetscCall(PetscSortIntWithScalarArray(at - i[r], &j[i[r]], &values[i[r]]));
    i[r + 1] = at;
  }
  PetscCall(MatCreate(PetscObjectComm((PetscObject)hdg), &c->P));
  PetscCall(MatSetSizes(c->P, rows, c->n * components, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetBlockSizes(c->P, 1, components));
  PetscCall(MatSetType(c->P, PlexBackendMatType(hdg->backend)));
  PetscCall(PlexHDGMatSetRows_Private(c->P, i, j, values));
  /* cuSPARSE's products with a transpose that is not there add in any order; MatPtAP() of elasticity is left as it was measured */
  if (hdg->backend->device && (!hdg->elastic || hdg->elements))
    PetscCall(MatSetOption(c->P, MAT_FORM_EXPLICIT_TRANSPOSE, PETSC_TRUE));
  PetscCall(PetscObjectSetName((PetscObject)c->P, "P"));
  PetscCall(PetscFree3(i, j, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A = P^T K P. MatPtAP() has the product in its symbolic phase where it believes K's values to be current on both sides, and for
   a K that the device alone has it takes K P from where nothing was written (PETSc 3.26.1, aijcusparse): the result is 0 */
static PetscErrorCode PlexHDGCoarseMultiply(Mat K, Mat P, Mat *A)
{
  PetscBool mine[PLEX_HOST_PRODUCTS];

  PetscFunctionBegin;
  PetscCall(MatProductCreate(K, P, NULL, A));
  PetscCall(MatProductSetType(*A, MATPRODUCT_PtAP));
  PetscCall(PlexHostProductsBegin(mine));
  PetscCall(MatProductSetFromOptions(*A));
  PetscCall(MatProductSymbolic(*A));
  PetscCall(PlexHostProductsEnd(mine));
  PetscCall(MatProductNumeric(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the coarse matrix of elasticity is, and its rigid motions */
static PetscErrorCode PlexHDGCoarseSetMotions(PlexHDG hdg, PlexHDGCoarse c)
{
  PlexHDGMesh    mesh = hdg->mesh;
  const PetscInt dim = mesh->dim, n = PlexHDGMotions(hdg);
  PetscInt       first, last, vertices[4];
  Vec            modes[PLEX_HDG_MAX_MODES];
  PetscScalar   *a[PLEX_HDG_MAX_MODES];

  PetscFunctionBegin;
  PetscCall(MatSetBlockSize(c->A, dim));
  PetscCall(MatSetOption(c->A, MAT_SYMMETRIC, hdg->navier ? PETSC_FALSE : PETSC_TRUE));
  PetscCall(MatSetOption(c->A, MAT_SPD, hdg->singular || hdg->navier ? PETSC_FALSE : PETSC_TRUE));
  PetscCall(MatSetOption(c->A, MAT_SPD_ETERNAL, PETSC_TRUE));
  PetscCall(MatGetOwnershipRange(c->A, &first, &last));
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(MatCreateVecs(c->A, &modes[k], NULL));
    PetscCall(VecSet(modes[k], 0.));
    PetscCall(VecGetArray(modes[k], &a[k]));
  }
  for (PetscInt l = 0; l < mesh->nown; ++l) {
    PetscCall(PlexHDGMeshFaceVertices_Private(mesh, mesh->facePoint[l], c->nv, vertices));
    for (PetscInt v = 0; v < c->nv; ++v) {
      const PetscInt at = c->vertices[l * c->nv + v] * dim - first; /* the place of the first component */
      PetscReal      x[3], u[3];

      if (c->vertices[l * c->nv + v] < 0 || at < 0 || at >= last - first) continue;
      PetscCall(PlexHDGGetCenter_Private(mesh->dm, vertices[v], x));
      for (PetscInt k = 0; k < n; ++k) {
        PlexHDGElasticMotion_Private(hdg->elastic, dim, k, x, u);
        for (PetscInt d = 0; d < dim; ++d) a[k][at + d] = u[d];
      }
    }
  }
  for (PetscInt k = 0; k < n; ++k) PetscCall(VecRestoreArray(modes[k], &a[k]));
  PetscCall(PlexHDGElasticSetSpaces_Private(hdg, c->A, modes));
  for (PetscInt k = 0; k < n; ++k) PetscCall(VecDestroy(&modes[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The coarse matrix of elasticity */
PetscErrorCode PlexHDGCoarseUpdateElastic_Private(PlexHDG hdg, PlexHDGCoarse c)
{
  PetscFunctionBegin;
  if (c->A) PetscCall(MatProductNumeric(c->A));
  else {
    PetscCall(PlexHDGCoarseMultiply(hdg->A, c->P, &c->A));
    PetscCall(PlexHDGCoarseSetMotions(hdg, c));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Pairs of own face l, up to `most`: column[] their vertices, and of each block of the face and vertex of its column
   the pair it belongs to, -1: none */
static PetscErrorCode PlexHDGCoarseGetPairs(PlexHDG hdg, PlexHDGCoarse c, const PlexHDGVertices *V, PetscInt l,
                                            PetscInt *n, PetscInt column[], int pair[])
{
  const PetscInt nv = c->nv;

  PetscFunctionBegin;
  *n = 0;
  for (PetscInt k = hdg->blockStart[l]; k < hdg->blockStart[l + 1]; ++k) {
    const PetscInt *vertices = NULL;

    PetscCall(PlexHDGVerticesOf(hdg, c, V, k, &vertices));
    for (PetscInt v = 0; v < nv; ++v) {
      PetscInt at = 0;

      while (at < *n && column[at] != vertices[v]) ++at;
      if (vertices[v] >= 0 && at == *n) column[(*n)++] = vertices[v];
      pair[(k - hdg->blockStart[l]) * nv + v] = vertices[v] < 0 ? -1 : (int)at;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The pairs, what each of them sums, and the pattern of A */
static PetscErrorCode PlexHDGCoarsePlan(PlexHDG hdg, PlexHDGCoarse c, const PlexHDGVertices *V)
{
  PlexHDGMesh    mesh = hdg->mesh;
  const PetscInt nv   = c->nv;
  PetscInt       column[8 * PLEX_HDG_MAX_FACES], n, nitems = 0, *i, *j;
  int            pair[8 * PLEX_HDG_MAX_FACES], *start, *items, *diagonal;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(hdg->nblocks * nv, &items));
  PetscCall(PetscMalloc1(hdg->nblocks * nv + 1, &start)); /* more than there are pairs */
  PetscCall(PetscMalloc2(hdg->nblocks * nv * nv, &i, hdg->nblocks * nv * nv, &j));
  PetscCall(PetscMalloc1(mesh->nown, &diagonal));
  start[0] = 0;
  for (PetscInt l = 0; l < mesh->nown; ++l) {
    const PetscInt first = hdg->blockStart[l], entries = (hdg->blockStart[l + 1] - first) * nv;

    diagonal[l] = -1;
    for (PetscInt k = first; k < hdg->blockStart[l + 1]; ++k)
      if (hdg->blockColumn[k] == mesh->first + l) diagonal[l] = (int)k;
    PetscCall(PlexHDGCoarseGetPairs(hdg, c, V, l, &n, column, pair));
    for (PetscInt p = 0; p < n; ++p) {
      for (PetscInt s = 0; s < entries; ++s)
        if (pair[s] == p) items[nitems++] = (int)(first * nv + s);
      for (PetscInt v = 0; v < nv; ++v) {
        i[c->npairs * nv + v] = V->own[l * nv + v];
        j[c->npairs * nv + v] = column[p];
      }
      start[++c->npairs] = (int)nitems;
    }
  }
  PetscCall(MatCreate(PetscObjectComm((PetscObject)hdg), &c->A));
  PetscCall(MatSetSizes(c->A, c->n, c->n, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(c->A, PlexBackendMatType(hdg->backend)));
  c->nparts = c->npairs * nv;
  PetscCall(MatSetPreallocationCOO(c->A, c->nparts, i, j));
  PetscCall(PlexMemoryUpload(hdg->backend, &c->memory, start, sizeof(*start) * (c->npairs + 1),
                             (const void **)&c->start));
  PetscCall(PlexMemoryUpload(hdg->backend, &c->memory, items, sizeof(*items) * nitems, (const void **)&c->items));
  PetscCall(PlexMemoryUpload(hdg->backend, &c->memory, diagonal, sizeof(*diagonal) * mesh->nown,
                             (const void **)&c->diagonal));
  PetscCall(PlexMemoryAllocate(hdg->backend, &c->memory, sizeof(double) * c->nparts, (void **)&c->parts));
  PetscCall(PetscFree(items));
  PetscCall(PetscFree(start));
  PetscCall(PetscFree2(i, j));
  PetscCall(PetscFree(diagonal));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Entries of A as sums over elements, and its pattern */
static PetscErrorCode PlexHDGCoarsePlanElements(PlexHDG hdg, PlexHDGCoarse c, const PetscInt number[])
{
  const PetscInt n = c->n * PlexHDGComponents(hdg);
  PetscInt      *i, *j;
  PetscMPIInt    size;

  PetscFunctionBegin;
  PetscCall(PlexHDGTracePlanParts_Private(hdg, c, number, &i, &j));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)hdg), &size));
  if (size == 1) PetscCall(PlexHDGCoarsePlanEntries_Private(hdg, c, i, j));
  else {
    PetscCall(MatCreate(PetscObjectComm((PetscObject)hdg), &c->A));
    PetscCall(MatSetSizes(c->A, n, n, PETSC_DETERMINE, PETSC_DETERMINE));
    PetscCall(MatSetType(c->A, PlexBackendMatType(hdg->backend)));
    PetscCall(MatSetPreallocationCOO(c->A, c->nparts, i, j));
  }
  PetscCall(PetscFree2(i, j));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGCoarseCreate_Private(PlexHDG hdg, PlexHDGCoarse *coarse)
{
  PlexHDGCoarse   c;
  PlexHDGVertices V;
  MatNullSpace    space;
  PetscMPIInt     size;

  PetscFunctionBegin;
  PetscCheck(!hdg->elements || !hdg->elastic || !PlexHDGElasticIsDirect(hdg), PetscObjectComm((PetscObject)hdg),
             PETSC_ERR_SUP,
             "With lambda > 20 mu the solver is a direct one, which takes the values of K, and with -plex_hdg_trace "
             "elements there is no K: leave it out");
  PetscCall(PetscNew(&c));
  *coarse = c;
  if (hdg->elastic && PlexHDGElasticIsDirect(hdg)) {
    c->direct = PETSC_TRUE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (hdg->groups) {
    PetscCall(PlexHDGGroupsCreateCoarse_Private(hdg, c));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)hdg), &size));
  PetscCall(PlexHDGCoarseSetWeights(hdg, c));
  if (hdg->backend->kernels && (!hdg->elastic || hdg->elements)) PetscCall(PlexHDGCoarseCompile_Private(hdg, c));
  PetscCall(PlexHDGVerticesCreate(hdg, c, &V));
  PetscCall(PlexHDGCoarseCreateP(hdg, c, V.own));
  if (hdg->elements) PetscCall(PlexHDGCoarsePlanElements(hdg, c, V.number));
  if (hdg->elastic) {
    c->vertices = V.own;
    V.own       = NULL;
    PetscCall(PlexHDGVerticesDestroy(&V));
    if (hdg->elements) PetscCall(PlexHDGCoarseSetMotions(hdg, c));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (hdg->elements) PetscCall(PetscInfo(hdg, "The coarse matrix is a sum over elements\n"));
  else if (size == 1) PetscCall(PlexHDGCoarsePlanSorted_Private(hdg, c, V.own));
  else PetscCall(PlexHDGCoarsePlan(hdg, c, &V));
  PetscCall(PlexHDGVerticesDestroy(&V));
  PetscCall(MatSetOption(c->A, MAT_SYMMETRIC, PlexHDGIsUnsymmetric(hdg) ? PETSC_FALSE : PETSC_TRUE));
  PetscCall(MatSetOption(c->A, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  PetscCall(MatSetOption(c->A, MAT_SPD, hdg->singular || PlexHDGIsGeneral(hdg) ? PETSC_FALSE : PETSC_TRUE));
  PetscCall(MatSetOption(c->A, MAT_SPD_ETERNAL, PETSC_TRUE));
  if (hdg->singular) { /* values that are all the same */
    PetscCall(MatNullSpaceCreate(PetscObjectComm((PetscObject)hdg), PETSC_TRUE, 0, NULL, &space));
    PetscCall(PlexHDGSetConstants_Private(c->A, &space));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGCoarseDestroy_Private(PlexHDG hdg, PlexHDGCoarse *coarse)
{
  PlexHDGCoarse c = *coarse;

  PetscFunctionBegin;
  if (!c) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexArrayReset(hdg->backend, &c->arrayA));
  PetscCall(PlexArrayReset(hdg->backend, &c->arrayB));
  PetscCall(PlexArrayReset(hdg->backend, &c->arrayW));
  PetscCall(PlexArrayReset(hdg->backend, &c->arrayX));
  PetscCall(PlexHDGLinesDestroy_Private(&c->lines));
  PetscCall(PlexMemoryFree(hdg->backend, &c->memory));
  PetscCall(PlexModuleDestroy(&c->module));
  PetscCall(PetscFree2(c->weights, c->modes));
  PetscCall(PetscFree(c->vertices));
  PetscCall(MatDestroy(&c->P));
  PetscCall(MatDestroy(&c->A));
  PetscCall(PetscFree(*coarse));
  PetscFunctionReturn(PETSC_SUCCESS);
}
