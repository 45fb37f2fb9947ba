/*
  What the hybridized DG method reads of a DM: elements, and the faces between them with numbers.

  A face is known by its DMPlex point. Of the processes that have an element beside it the one of least rank has its
  unknowns. Own faces are numbered as elements come to them, so that those of neighbours lie near each other.
*/
#include "navier.h"
#include "../dm/elementsimpl.h" /* PlexGetCones() */

static PetscErrorCode PlexHDGMeshSetCells(PlexHDGMesh mesh, DMPolytopeType cell, PetscInt Ne, PetscInt *cells)
{
  PetscFunctionBegin;
  mesh->Ne    = Ne;
  mesh->cells = cells;
  mesh->cell  = cell;
  mesh->faces = DMPolytopeTypeGetConeSize(mesh->cell);
  PetscCallMPI(MPIU_Allreduce(&mesh->Ne, &mesh->NeGlobal, 1, MPIU_INT, MPI_SUM,
                              PetscObjectComm((PetscObject)mesh->dm)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The cells that are this process's own, of one type */
static PetscErrorCode PlexHDGMeshGetCells(PlexHDG hdg, PlexHDGMesh mesh)
{
  PetscInt type[2], Ne, *cells;

  PetscFunctionBegin;
  PetscCall(PlexHDGGetTypes_Private(hdg, type));
  PetscCheck(type[0] == type[1], PetscObjectComm((PetscObject)mesh->dm), PETSC_ERR_SUP,
             "Hybridized DG is on meshes of one type of cell, and this one has %s and %s: -dm_refine 1 "
             "-dm_plex_transform_type %s",
             DMPolytopeTypes[type[0]], DMPolytopeTypes[type[1]],
             mesh->dim == 2 ? "refine_tosimplex makes triangles of all" : "refine_tobox makes hexahedra of all");
  PetscCall(PlexCellsGetOwned(mesh->dm, &Ne, &cells));
  PetscCall(PlexHDGMeshSetCells(mesh, (DMPolytopeType)type[0], Ne, cells));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PlexHDGMesh mesh;
  PetscReal  *centers; /* [Ne][dim] */
  int        *order;   /* [Ne] */
  PetscInt   *cells;   /* in that order */
  PetscReal  *x;
} PlexHDGOrder;

static void PlexHDGOrderCentersLoop(void *ctx, PetscInt begin, PetscInt end)
{
  PlexHDGOrder  *o   = (PlexHDGOrder *)ctx;
  const PetscInt dim = o->mesh->dim, Nv = o->mesh->Nv, n = Nv * dim;

  for (PetscInt c = begin; c < end; ++c) {
    for (PetscInt d = 0; d < dim; ++d) {
      PetscReal sum = 0.;

      for (PetscInt v = 0; v < Nv; ++v) sum += o->mesh->x[(size_t)c * n + v * dim + d] * dim / n;
      o->centers[c * dim + d] = sum;
    }
  }
}

static void PlexHDGOrderCellsLoop(void *ctx, PetscInt begin, PetscInt end)
{
  PlexHDGOrder  *o    = (PlexHDGOrder *)ctx;
  PlexHDGMesh    mesh = o->mesh;
  const PetscInt n    = mesh->Nv * mesh->dim;

  for (PetscInt c = begin; c < end; ++c) {
    o->cells[c] = mesh->cells[o->order[c]];
    for (PetscInt k = 0; k < n; ++k) o->x[(size_t)c * n + k] = mesh->x[(size_t)o->order[c] * n + k];
  }
}

/* Puts cells, and their nodes, in the order of a curve through their centers */
static PetscErrorCode PlexHDGMeshOrder(PlexHDGMesh mesh)
{
  PlexHDGOrder o = {.mesh = mesh};

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(mesh->Ne * mesh->dim, &o.centers, mesh->Ne, &o.order));
  PetscCall(PlexThreadsRun(mesh->Ne, PLEX_THREADS_LEAST, PlexHDGOrderCentersLoop, &o));
  if (mesh->Ne) PetscCall(PlexCurveOrder(mesh->Ne, mesh->dim, o.centers, o.order));
  PetscCall(PetscMalloc1(mesh->Ne, &o.cells));
  PetscCall(PetscMalloc1((size_t)mesh->Ne * mesh->Nv * mesh->dim, &o.x));
  PetscCall(PlexThreadsRun(mesh->Ne, PLEX_THREADS_LEAST, PlexHDGOrderCellsLoop, &o));
  PetscCall(PetscFree2(o.centers, o.order));
  PetscCall(PetscFree(mesh->cells));
  PetscCall(PetscFree(mesh->x));
  mesh->cells = o.cells;
  mesh->x     = o.x;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What all processes know of points, by point - pStart */
typedef struct {
  PetscInt     pStart, pEnd;
  PetscMPIInt *owner;           /* of the processes with an element beside the face the least rank */
  PetscInt    *sides;           /* elements beside it */
  PetscInt    *first;           /* the least own row e faces + f beside it; PETSC_INT_MAX: none */
  PetscInt    *number, *global; /* number l, -1: none yet; of all processes, -1: none */
  PetscInt64  *record;          /* of the side whose unknowns another process has: its rank and place in sent[] */
  PetscInt    *faces;           /* [Ne][faces] the elements' faces, points - pStart */
  /* what loops over elements read besides */
  PlexHDGMesh mesh;
  PetscMPIInt rank;
  PetscInt    zero; /* the turn of PETSc's orientation 0 */
  PlexCones   cones;
  PlexLowest  crowded; /* the least row beside a face of more than two cells */
} PlexHDGPoints;

static void PlexHDGPointsInitLoop(void *ctx, PetscInt begin, PetscInt end)
{
  PlexHDGPoints *P = (PlexHDGPoints *)ctx;

  for (PetscInt p = begin; p < end; ++p) {
    P->owner[p]  = PETSC_MPI_INT_MAX;
    P->sides[p]  = 0;
    P->first[p]  = PETSC_INT_MAX;
    P->number[p] = P->global[p] = -1;
    P->record[p]                = -1;
  }
}

/* Faces of elements, how these see them, and what they are to them */
static void PlexHDGPointsFacesLoop(void *ctx, PetscInt begin, PetscInt end)
{
  PlexHDGPoints *P     = (PlexHDGPoints *)ctx;
  PlexHDGMesh    mesh  = P->mesh;
  const PetscInt faces = mesh->faces;

  for (PetscInt e = begin; e < end; ++e) {
    const PetscInt offset = PlexConesAt(&P->cones, mesh->cells[e]);

    if (e + PLEX_FETCH_AHEAD < end) {
      const PetscInt ahead = PlexConesAt(&P->cones, mesh->cells[e + PLEX_FETCH_AHEAD]);

      PlexFetch(&P->cones.points[ahead]);
      PlexFetch(&P->cones.orientations[ahead]);
    }
    for (PetscInt f = 0; f < faces; ++f) {
      const PetscInt row = e * faces + f, p = P->cones.points[offset + f] - P->pStart;
      PetscInt       first = __atomic_load_n(&P->first[p], __ATOMIC_RELAXED);

      P->faces[row]    = p;
      mesh->turns[row] = (int)(P->cones.orientations[offset + f] + P->zero);
      __atomic_store_n(&P->owner[p], P->rank, __ATOMIC_RELAXED);
      (void)__atomic_fetch_add(&P->sides[p], 1, __ATOMIC_RELAXED);
      while (row < first &&
             !__atomic_compare_exchange_n(&P->first[p], &first, row, PETSC_FALSE, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        continue;
    }
  }
}

static PetscErrorCode PlexHDGPointsCreate(PlexHDGMesh mesh, PlexHDGReference R, PlexHDGPoints *P)
{
  const PetscInt rows = mesh->Ne * mesh->faces;
  PetscInt       n;

  PetscFunctionBegin;
  P->mesh = mesh;
  P->zero = R->allTurns / 2;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)mesh->dm), &P->rank));
  PetscCall(DMPlexGetChart(mesh->dm, &P->pStart, &P->pEnd));
  PetscCall(PlexGetCones(mesh->dm, &P->cones));
  n = P->pEnd - P->pStart;
  PetscCall(PetscMalloc7(n, &P->owner, n, &P->sides, n, &P->first, n, &P->number, n, &P->global, n, &P->record, rows,
                         &P->faces));
  PetscCall(PetscMalloc2(rows, &mesh->turns, rows, &mesh->face));
  PetscCall(PlexThreadsRun(n, PLEX_THREADS_LEAST, PlexHDGPointsInitLoop, P));
  PetscCall(PlexThreadsRun(mesh->Ne, PLEX_THREADS_LEAST, PlexHDGPointsFacesLoop, P));
  PetscCall(PlexPointsCombine(mesh->dm, MPI_MIN, MPI_INT, P->owner));
  PetscCall(PlexPointsCombine(mesh->dm, MPI_SUM, MPIU_INT, P->sides));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void PlexHDGPointsCrowdedLoop(void *ctx, PetscInt begin, PetscInt end)
{
  PlexHDGPoints *P = (PlexHDGPoints *)ctx;

  for (PetscInt p = begin; p < end; ++p)
    if (P->sides[p] > 2) PlexLowestPut(&P->crowded, P->first[p]);
}

/* A face has two cells at most: else an error that names the first element beside one that has more */
static PetscErrorCode PlexHDGPointsCheck(PlexHDGPoints *P)
{
  PetscInt row;

  PetscFunctionBegin;
  PlexLowestInit(&P->crowded, PETSC_INT_MAX);
  PetscCall(PlexThreadsRun(P->pEnd - P->pStart, PLEX_THREADS_LEAST, PlexHDGPointsCrowdedLoop, P));
  row = PlexLowestGet(&P->crowded);
  if (row < PETSC_INT_MAX)
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP,
            "Face %" PetscInt_FMT " is one of more than two cells, cell %" PetscInt_FMT
            " among them: hybridized DG needs a manifold",
            P->pStart + P->faces[row], P->mesh->cells[row / P->mesh->faces]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Facets of the boundary and their conditions; number l of those with known trace is -2 - (place among these) for
   now */
static PetscErrorCode PlexHDGMeshSetBoundary(PlexHDG hdg, PlexHDGMesh mesh, PlexHDGPoints *P)
{
  const PetscInt n = P->pEnd - P->pStart;
  PetscInt      *points, *rows, at = 0;

  PetscFunctionBegin;
  PetscCall(PlexHDGPointsCheck(P));
  for (PetscInt p = 0; p < n; ++p) mesh->nboundary += P->sides[p] == 1 && P->first[p] < PETSC_INT_MAX;
  PetscCall(PetscMalloc2(mesh->nboundary, &mesh->boundary, mesh->nboundary, &mesh->condition));
  PetscCall(PetscMalloc2(mesh->nboundary, &points, mesh->nboundary, &rows));
  for (PetscInt p = 0; p < n; ++p)
    if (P->sides[p] == 1 && P->first[p] < PETSC_INT_MAX) rows[at++] = P->first[p];
  PetscCall(PetscSortInt(mesh->nboundary, rows));
  for (PetscInt b = 0; b < mesh->nboundary; ++b) {
    mesh->boundary[b] = (int)rows[b];
    points[b]         = P->pStart + P->faces[rows[b]];
  }
  PetscCall(PlexHDGConditionsFind_Private(hdg, mesh->nboundary, points, mesh->condition));
  for (PetscInt b = 0; b < mesh->nboundary; ++b) {
    if (hdg->conditions[mesh->condition[b]].kind == PLEX_HDG_DIRICHLET)
      P->number[points[b] - P->pStart] = -2 - mesh->nfixed++;
  }
  PetscCall(PetscFree2(points, rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Own faces, then those of others ascending in their global number, then those of known trace */
static PetscErrorCode PlexHDGMeshNumber(PlexHDGMesh mesh, PlexHDGPoints *P)
{
  const PetscInt nfaces = mesh->Ne * mesh->faces;
  PetscInt      *ghosts, *points, last = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(nfaces, &ghosts, nfaces, &points));
  for (PetscInt r = 0; r < nfaces; ++r) {
    const PetscInt p = P->faces[r];

    if (r + PLEX_FETCH_AHEAD < nfaces) {
      PlexFetch(&P->owner[P->faces[r + PLEX_FETCH_AHEAD]]);
      PlexFetch(&P->number[P->faces[r + PLEX_FETCH_AHEAD]]);
    }
    if (P->owner[p] == P->rank && P->number[p] == -1) P->number[p] = mesh->nown++;
  }
  PetscCallMPI(MPI_Scan(&mesh->nown, &last, 1, MPIU_INT, MPI_SUM, PetscObjectComm((PetscObject)mesh->dm)));
  PetscCallMPI(MPIU_Allreduce(&mesh->nown, &mesh->nownGlobal, 1, MPIU_INT, MPI_SUM,
                              PetscObjectComm((PetscObject)mesh->dm)));
  mesh->first = last - mesh->nown;
  for (PetscInt p = 0; p < P->pEnd - P->pStart; ++p)
    if (P->number[p] >= 0) P->global[p] = mesh->first + P->number[p];
  PetscCall(PlexPointsCombine(mesh->dm, MPI_MAX, MPIU_INT, P->global));
  for (PetscInt p = 0; p < P->pEnd - P->pStart; ++p) {
    if (P->first[p] == PETSC_INT_MAX || P->owner[p] == P->rank) continue;
    ghosts[mesh->nghost]   = P->global[p];
    points[mesh->nghost++] = p;
  }
  PetscCall(PetscSortIntWithArray(mesh->nghost, ghosts, points));
  PetscCall(PetscMalloc2(mesh->nown + mesh->nghost + mesh->nfixed, &mesh->facePoint, mesh->nown + mesh->nghost,
                         &mesh->faceGlobal));
  for (PetscInt g = 0; g < mesh->nghost; ++g) P->number[points[g]] = mesh->nown + g;
  for (PetscInt p = 0; p < P->pEnd - P->pStart; ++p) {
    if (P->number[p] <= -2) P->number[p] = mesh->nown + mesh->nghost - 2 - P->number[p];
    if (P->number[p] < 0) continue;
    mesh->facePoint[P->number[p]] = P->pStart + p;
    if (P->number[p] < mesh->nown + mesh->nghost) mesh->faceGlobal[P->number[p]] = P->global[p];
  }
  PetscCall(PetscFree2(ghosts, points));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* turns[Ne][faces] become numbers of the ways that occur on some process; a segment's are both kept, as kernels tell
   them by signs */
static PetscErrorCode PlexHDGMeshNumberTurns(PlexHDGMesh mesh, PlexHDGReference R)
{
  PetscBool occurs[8];
  int       number[8];

  PetscFunctionBegin;
  for (PetscInt t = 0; t < R->allTurns; ++t) occurs[t] = (PetscBool)(R->face == DM_POLYTOPE_SEGMENT);
  for (PetscInt k = 0; k < mesh->Ne * mesh->faces; ++k) occurs[mesh->turns[k]] = PETSC_TRUE;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, occurs, R->allTurns, MPI_C_BOOL, MPI_LOR,
                              PetscObjectComm((PetscObject)mesh->dm)));
  PetscCall(PlexHDGReferenceSetTurns(R, occurs, number));
  for (PetscInt k = 0; k < mesh->Ne * mesh->faces; ++k) mesh->turns[k] = number[mesh->turns[k]];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void PlexHDGMeshFacesLoop(void *ctx, PetscInt begin, PetscInt end)
{
  PlexHDGPoints *P = (PlexHDGPoints *)ctx;

  for (PetscInt r = begin; r < end; ++r) P->mesh->face[r] = (int)P->number[P->faces[r]];
}

static PetscErrorCode PlexHDGMeshSetFaces(PlexHDGMesh mesh, PlexHDGReference R, PlexHDGPoints *P)
{
  PetscFunctionBegin;
  PetscCall(PlexThreadsRun(mesh->Ne * mesh->faces, PLEX_THREADS_LEAST, PlexHDGMeshFacesLoop, P));
  PetscCall(PlexHDGMeshNumberTurns(mesh, R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Global numbers of an element's faces, -1 where the trace is known */
static void PlexHDGMeshGetColumns(PlexHDGMesh mesh, PetscInt e, PetscInt columns[])
{
  for (PetscInt f = 0; f < mesh->faces; ++f) {
    const PetscInt l = mesh->face[e * mesh->faces + f];

    columns[f] = l < mesh->nown + mesh->nghost ? mesh->faceGlobal[l] : -1;
  }
}

/* Block rows that travel. The process with the unknowns learns from the face's point who has the other side, and then
   of its columns */
static PetscErrorCode PlexHDGMeshSetExchange(PlexHDGMesh mesh, PlexHDGPoints *P)
{
  PetscInt    *columns;
  PetscSFNode *remote;
  MPI_Datatype unit;
  PetscMPIInt  rank, count;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)mesh->dm), &rank));
  PetscCall(PetscMalloc1(mesh->nghost, &mesh->sent));
  for (PetscInt g = 0; g < mesh->nghost; ++g) {
    const PetscInt p = mesh->facePoint[mesh->nown + g] - P->pStart;

    P->record[p]              = ((PetscInt64)rank << 32) | mesh->nsent;
    mesh->sent[mesh->nsent++] = (int)P->first[p];
  }
  PetscCall(PlexPointsCombine(mesh->dm, MPI_MAX, MPIU_INT64, P->record));
  for (PetscInt l = 0; l < mesh->nown; ++l) mesh->nreceived += P->record[mesh->facePoint[l] - P->pStart] >= 0;
  PetscCall(PetscMalloc2(mesh->nreceived, &mesh->receivedFace, mesh->nreceived * mesh->faces, &mesh->receivedFaces));
  PetscCall(PetscMalloc1(mesh->nreceived, &remote));
  mesh->nreceived = 0;
  for (PetscInt l = 0; l < mesh->nown; ++l) {
    const PetscInt64 record = P->record[mesh->facePoint[l] - P->pStart];

    if (record < 0) continue;
    remote[mesh->nreceived].rank          = (PetscMPIInt)(record >> 32);
    remote[mesh->nreceived].index         = (PetscInt)(record & 0xffffffff);
    mesh->receivedFace[mesh->nreceived++] = (int)l;
  }
  PetscCall(PetscSFCreate(PetscObjectComm((PetscObject)mesh->dm), &mesh->sf));
  PetscCall(PetscSFSetGraph(mesh->sf, mesh->nsent, mesh->nreceived, NULL, PETSC_OWN_POINTER, remote,
                            PETSC_OWN_POINTER));
  PetscCall(PetscMalloc1(mesh->nsent * mesh->faces, &columns));
  for (PetscInt s = 0; s < mesh->nsent; ++s)
    PlexHDGMeshGetColumns(mesh, mesh->sent[s] / mesh->faces, &columns[s * mesh->faces]);
  PetscCall(PetscMPIIntCast(mesh->faces, &count));
  PetscCallMPI(MPI_Type_contiguous(count, MPIU_INT, &unit));
  PetscCallMPI(MPI_Type_commit(&unit));
  PetscCall(PetscSFBcastBegin(mesh->sf, unit, columns, mesh->receivedFaces, MPI_REPLACE));
  PetscCall(PetscSFBcastEnd(mesh->sf, unit, columns, mesh->receivedFaces, MPI_REPLACE));
  PetscCallMPI(MPI_Type_free(&unit));
  PetscCall(PetscFree(columns));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGCheckSizes(PlexHDGReference R, PetscInt Ne)
{
  static const char *const what[]    = {"the trace on its faces", "q", "post-processed u"};
  const PetscInt           numbers[] = {R->Nt, R->dim * R->Np, R->Npost};

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(numbers); ++k)
    PetscCheck((PetscInt64)Ne * numbers[k] < PETSC_INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "%" PetscInt_FMT " elements of degree %" PetscInt_FMT ", each with %" PetscInt_FMT
               " numbers of %s, are too many for one process: use more processes",
               Ne, R->P, numbers[k], what[k]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGMeshCreate_Private(PlexHDG hdg)
{
  PlexHDGMesh   mesh;
  PlexHDGPoints P;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(PLEX_HDGMesh, hdg, 0, 0, 0));
  PetscCall(PlexCellsSupported(hdg->dm, "Hybridized DG"));
  PetscCall(PetscNew(&mesh));
  hdg->mesh = mesh;
  mesh->dm  = hdg->dm;
  PetscCall(DMGetDimension(mesh->dm, &mesh->dim));
  PetscCall(DMGetCoordinatesLocalSetUp(mesh->dm));
  PetscCall(DMGetCellCoordinatesLocalSetUp(mesh->dm));
  PetscCall(PlexHDGMeshGetCells(hdg, mesh));
  PetscCall(PlexHDGMeshGetNodes_Private(mesh));
  PetscCall(PlexHDGMeshOrder(mesh));
  PetscCall(PlexHDGReferenceCreate(mesh->cell, hdg->degree, &hdg->reference));
  PetscCall(PlexHDGCheckSizes(hdg->reference, mesh->Ne));
  PetscCall(PlexHDGMeshSetGeometry_Private(mesh, hdg->reference, (PetscBool)(!hdg->point && !hdg->mapped)));
  PetscCall(PlexHDGPointsCreate(mesh, hdg->reference, &P));
  PetscCall(PlexHDGMeshSetBoundary(hdg, mesh, &P));
  PetscCall(PlexHDGMeshNumber(mesh, &P));
  PetscCall(PlexHDGMeshSetFaces(mesh, hdg->reference, &P));
  PetscCall(PlexHDGMeshSetExchange(mesh, &P));
  if (mesh->nmapped < mesh->Ne) PetscCall(PlexHDGReferenceSetTables(hdg->reference, mesh->Ne, mesh->turns));
  if (hdg->system != PLEX_HDG_DIFFUSION) PetscCall(PlexHDGElasticCreate_Private(hdg));
  if (PlexHDGIsFluid(hdg)) PetscCall(PlexHDGStokesCreate_Private(hdg));
  if (hdg->system == PLEX_HDG_NAVIER_STOKES) PetscCall(PlexHDGNavierCreate_Private(hdg));
  PetscCall(PetscFree7(P.owner, P.sides, P.first, P.number, P.global, P.record, P.faces));
  PetscCall(PetscLogEventEnd(PLEX_HDGMesh, hdg, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGMeshCreatePart_Private(PlexHDG hdg, DMPolytopeType cell, PetscInt trace, PetscInt Ne,
                                             PetscInt *cells)
{
  PlexHDGMesh mesh;
  PlexCones   cones;

  PetscFunctionBegin;
  PetscCall(PetscNew(&mesh));
  hdg->mesh = mesh;
  mesh->dm  = hdg->dm;
  PetscCall(DMGetDimension(mesh->dm, &mesh->dim));
  PetscCall(PlexHDGMeshSetCells(mesh, cell, Ne, cells));
  PetscCall(PlexHDGMeshGetNodes_Private(mesh));
  PetscCall(PlexHDGMeshOrder(mesh));
  PetscCall(PlexHDGReferenceCreateTrace(cell, hdg->degree, trace, &hdg->reference));
  PetscCall(PlexHDGCheckSizes(hdg->reference, Ne));
  PetscCall(PlexHDGMeshSetGeometry_Private(mesh, hdg->reference, (PetscBool)(!hdg->point && !hdg->mapped)));
  PetscCall(PlexGetCones(mesh->dm, &cones));
  PetscCall(PetscMalloc2(Ne * mesh->faces, &mesh->turns, Ne * mesh->faces, &mesh->face));
  for (PetscInt r = 0; r < Ne * mesh->faces; ++r) {
    const PetscInt at = PlexConesAt(&cones, mesh->cells[r / mesh->faces]) + r % mesh->faces;

    mesh->face[r]  = (int)cones.points[at];
    mesh->turns[r] = (int)(cones.orientations[at] + hdg->reference->allTurns / 2);
  }
  PetscCall(PlexHDGMeshNumberTurns(mesh, hdg->reference));
  if (mesh->nmapped < Ne) PetscCall(PlexHDGReferenceSetTables(hdg->reference, Ne, mesh->turns));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGMeshDestroy_Private(PlexHDGMesh *newmesh)
{
  PlexHDGMesh mesh = *newmesh;

  PetscFunctionBegin;
  if (!mesh) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree(mesh->cells));
  PetscCall(PetscFree(mesh->x));
  PetscCall(PetscFree2(mesh->turns, mesh->face));
  PetscCall(PetscFree2(mesh->facePoint, mesh->faceGlobal));
  PetscCall(PetscFree2(mesh->boundary, mesh->condition));
  PetscCall(PetscFree(mesh->sent));
  PetscCall(PetscFree2(mesh->receivedFace, mesh->receivedFaces));
  PetscCall(PetscSFDestroy(&mesh->sf));
  PetscCall(PetscFEDestroy(&mesh->fe));
  PetscCall(PetscFree(*newmesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* vertices[nv] of face point p, in its own order: a segment's ends, else where its edges begin */
PetscErrorCode PlexHDGMeshFaceVertices_Private(PlexHDGMesh mesh, PetscInt p, PetscInt nv, PetscInt vertices[])
{
  const PetscInt *edges, *orientations, *ends;

  PetscFunctionBegin;
  PetscCall(DMPlexGetCone(mesh->dm, p, &edges));
  if (mesh->dim == 3) PetscCall(DMPlexGetConeOrientation(mesh->dm, p, &orientations));
  for (PetscInt v = 0; v < nv; ++v) {
    if (mesh->dim == 2) vertices[v] = edges[v];
    else {
      PetscCall(DMPlexGetCone(mesh->dm, edges[v], &ends));
      vertices[v] = ends[orientations[v] < 0];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
