/* Groups of elements of one type and degree, each a part with settings of the whole, and their set-up: groups.h */
#include "groups.h"
#include "trace.h"
#include "stokes.h"             /* PlexHDGFactorSize() */
#include "../dm/elementsimpl.h" /* PlexGetCones() */

/* What is known of this process's own elements and of faces, by point - pStart, before there are groups */
typedef struct {
  PetscInt     Ne, *cells;
  PetscInt    *degree; /* [Ne] */
  PetscInt    *trace;  /* [Ne] largest degree of the traces of an element's faces */
  PetscInt     pStart, pEnd;
  PetscMPIInt *owner; /* of a face's unknowns: of the processes with an element beside it the least rank */
  PetscInt    *sides; /* elements beside it */
  PetscInt    *face;  /* degree of its trace */
} PlexHDGElements;

static PetscErrorCode PlexHDGElementsCreate(PlexHDG hdg, PlexHDGElements *E)
{
  PetscInt    cStart, n;
  PetscMPIInt rank;
  PlexCones   cones;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)hdg), &rank));
  PetscCall(DMPlexGetHeightStratum(hdg->dm, 0, &cStart, NULL));
  PetscCall(DMPlexGetChart(hdg->dm, &E->pStart, &E->pEnd));
  PetscCall(PlexCellsGetOwned(hdg->dm, &E->Ne, &E->cells));
  PetscCall(PlexGetCones(hdg->dm, &cones));
  n = E->pEnd - E->pStart;
  PetscCall(PetscMalloc5(E->Ne, &E->degree, E->Ne, &E->trace, n, &E->owner, n, &E->sides, n, &E->face));
  for (PetscInt p = 0; p < n; ++p) {
    E->owner[p] = PETSC_MPI_INT_MAX;
    E->sides[p] = E->face[p] = 0;
  }
  for (PetscInt pass = 0; pass < 2; ++pass) { /* what elements say of faces, and these of elements */
    for (PetscInt e = 0; e < E->Ne; ++e) {
      DMPolytopeType cell;
      PetscInt       at = PlexConesAt(&cones, E->cells[e]), faces;

      PetscCall(DMPlexGetCellType(hdg->dm, E->cells[e], &cell));
      faces        = DMPolytopeTypeGetConeSize(cell);
      E->degree[e] = hdg->degrees ? hdg->degrees[E->cells[e] - cStart] : hdg->degree;
      if (!pass) E->trace[e] = E->degree[e];
      for (PetscInt f = 0; f < faces; ++f) {
        const PetscInt p = cones.points[at + f] - E->pStart;

        if (pass) {
          E->trace[e] = PetscMax(E->trace[e], E->face[p]);
          continue;
        }
        E->owner[p] = rank;
        ++E->sides[p];
        E->face[p] = PetscMax(E->face[p], E->degree[e]);
      }
    }
    if (pass) break;
    PetscCall(PlexPointsCombine(hdg->dm, MPI_MIN, MPI_INT, E->owner));
    PetscCall(PlexPointsCombine(hdg->dm, MPI_SUM, MPIU_INT, E->sides));
    PetscCall(PlexPointsCombine(hdg->dm, MPI_MAX, MPIU_INT, E->face));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGElementsDestroy(PlexHDGElements *E)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(E->cells));
  PetscCall(PetscFree5(E->degree, E->trace, E->owner, E->sides, E->face));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A part with settings of the whole. What it borrows goes back before it is destroyed */
static PetscErrorCode PlexHDGPartCreate(PlexHDG hdg, PetscInt degree, PlexHDG *newpart)
{
  PlexHDG     part;
  PlexBackend backend;

  PetscFunctionBegin;
  PetscCall(PlexHDGCreate(hdg->dm, &part));
  *newpart    = part;
  part->whole = hdg;
  PetscCall(PetscObjectSetOptionsPrefix((PetscObject)part, ((PetscObject)hdg)->prefix));
  part->degree           = degree;
  part->keep             = hdg->keep;
  part->mapped           = hdg->mapped;
  part->tauGiven         = hdg->tauGiven;
  part->tau              = hdg->tau;
  part->tauFactor        = hdg->tauFactor;
  part->stabilization    = hdg->stabilization;
  part->stabilizationCtx = hdg->stabilizationCtx;
  part->coefficient      = hdg->coefficient;
  part->coefficientCtx   = hdg->coefficientCtx;
  part->kappa            = hdg->kappa;
  part->reaction         = hdg->reaction;
  part->kappaForced      = hdg->kappaForced;
  part->reactionForced   = hdg->reactionForced;
  part->point            = hdg->point;
  part->pointCtx         = hdg->pointCtx;
  part->convects         = hdg->convects;
  part->convection       = hdg->convection;
  part->convectionCtx    = hdg->convectionCtx;
  part->convectionForm   = hdg->convectionForm;
  part->time             = hdg->time;
  part->source           = hdg->source;
  part->sourceCtx        = hdg->sourceCtx;
  part->conditions       = hdg->conditions;
  part->nconditions      = hdg->nconditions;
  PetscCall(PetscArraycpy(part->velocity, hdg->velocity, 3));
  PetscCall(PetscStrallocpy(PLEXBACKENDHOST, &part->backendType));
  PetscCall(PlexHDGGetBackend(part, &backend));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGPartDestroy(PlexHDG *part)
{
  PetscFunctionBegin;
  if (!*part) PetscFunctionReturn(PETSC_SUCCESS);
  (*part)->conditions  = NULL;
  (*part)->nconditions = 0;
  PetscCall(PlexHDGDestroy(part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cells of one type, degree and largest degree of traces, where there are any on some process */
#define PLEX_HDG_DEGREES (PLEX_HDG_MAX_DEGREE + 1)

static PetscErrorCode PlexHDGGroupsSort(PlexHDG hdg, const PlexHDGElements *E, const PetscInt types[2])
{
  const PetscInt n = PLEX_HDG_DEGREES * PLEX_HDG_DEGREES;
  PlexHDGGroups  G = hdg->groups;
  PetscInt      *count;
  PetscBool     *occurs;
  int           *key;

  PetscFunctionBegin;
  PetscCall(PetscCalloc3(2 * n, &count, 2 * n, &occurs, E->Ne, &key));
  for (PetscInt e = 0; e < E->Ne; ++e) {
    DMPolytopeType cell;

    PetscCall(DMPlexGetCellType(hdg->dm, E->cells[e], &cell));
    key[e] = (int)((((PetscInt)cell != types[0]) * PLEX_HDG_DEGREES + E->degree[e]) * PLEX_HDG_DEGREES + E->trace[e]);
    ++count[key[e]];
    occurs[key[e]] = PETSC_TRUE;
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, occurs, 2 * n, MPI_C_BOOL, MPI_LOR, PetscObjectComm((PetscObject)hdg)));
  for (PetscInt k = 0; k < 2 * n; ++k) G->n += occurs[k];
  PetscCall(PetscCalloc1(G->n, &G->group));
  for (PetscInt k = 0, g = 0; k < 2 * n; ++k) {
    const DMPolytopeType cell = (DMPolytopeType)types[k / n];
    PetscInt            *cells, at = 0;

    if (!occurs[k]) continue;
    PetscCall(PlexHDGPartCreate(hdg, k % n / PLEX_HDG_DEGREES, &G->group[g].part));
    PetscCall(PetscMalloc1(count[k], &cells));
    for (PetscInt e = 0; e < E->Ne; ++e)
      if (key[e] == k) cells[at++] = E->cells[e];
    PetscCall(PlexHDGMeshCreatePart_Private(G->group[g++].part, cell, k % PLEX_HDG_DEGREES, at, cells));
    hdg->mesh->faces = PetscMax(hdg->mesh->faces, DMPolytopeTypeGetConeSize(cell)); /* most of an element */
  }
  PetscCall(PetscFree3(count, occurs, key));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The length in the default of tau, and the largest velocity, which are those of the whole */
static PetscErrorCode PlexHDGGroupsMeasure(PlexHDG hdg)
{
  PetscReal           sum[2] = {0., 0.}, own[2];
  PlexHDGCenterPoints P;

  PetscFunctionBegin;
  hdg->speed      = 0.;
  hdg->circulates = PETSC_TRUE;
  for (PetscInt g = 0; g < hdg->groups->n; ++g) {
    PlexHDG part = hdg->groups->group[g].part;

    PetscCall(PlexHDGCenterPointsCreate_Private(part, &P));
    PetscCall(PlexHDGMeasure_Private(part, &P, own));
    PetscCall(PlexHDGCenterPointsDestroy_Private(&P));
    sum[0] += own[0];
    sum[1] += own[1];
    PetscCall(PlexHDGSetConvection_Private(part));
    hdg->speed      = PetscMax(hdg->speed, part->speed);
    hdg->circulates = (PetscBool)(hdg->circulates && part->circulates);
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, sum, 2, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)hdg)));
  hdg->length = PlexHDGLengthOf_Private(hdg->mesh->dim, sum);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* kappa, lambda, tau and the source of all elements, tables, and places of traces and fluxes */
static PetscErrorCode PlexHDGGroupSetUpData(PlexHDGGroup *g)
{
  PlexHDG        part = g->part;
  PlexHDGMesh    mesh = part->mesh;
  const PetscInt rows = mesh->Ne * mesh->faces;
  int           *identity;

  PetscFunctionBegin;
  PetscCall(PlexHDGUpload(part, mesh->x, sizeof(double) * PlexHDGMeshSizeX(mesh), (const void **)&part->args.x));
  PetscCall(PlexHDGSetUpCoefficients_Private(part));
  PetscCall(PlexHDGSetSource_Private(part));
  PetscCall(PlexHDGUploadTables_Private(part));
  PetscCall(PlexHDGUpload(part, mesh->turns, sizeof(int) * rows, (const void **)&part->args.turns));
  PetscCall(PetscMalloc1(rows, &identity)); /* traces are there element by element */
  for (PetscInt r = 0; r < rows; ++r) identity[r] = (int)r;
  PetscCall(PlexHDGUpload(part, identity, sizeof(int) * rows, (const void **)&part->args.faces));
  PetscCall(PetscFree(identity));
  PetscCall(PlexHDGAllocate(part, sizeof(int), (void **)&part->args.bad));
  PetscCall(PetscCalloc2(rows * part->reference->Nf, &g->trace, rows * part->reference->Nf, &g->flux));
  part->args.nown  = (int)rows;
  part->args.owned = g->trace;
  part->args.b     = g->flux;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What local problems are is the same in all parts; their stages, and factors that are kept */
static PetscErrorCode PlexHDGGroupsSetUpStages(PlexHDG hdg)
{
  PlexHDGGroups G = hdg->groups;

  PetscFunctionBegin;
  hdg->reacts = hdg->indefinite = hdg->kept = PETSC_FALSE;
  hdg->tauRange[0]                          = PETSC_MAX_REAL;
  hdg->tauRange[1]                          = 0.;
  for (PetscInt g = 0; g < G->n; ++g) {
    PlexHDG part = G->group[g].part;

    PetscCall(PlexHDGGroupSetUpData(&G->group[g]));
    hdg->reacts      = (PetscBool)(hdg->reacts || part->reacts);
    hdg->indefinite  = (PetscBool)(hdg->indefinite || part->indefinite);
    hdg->tauRange[0] = PetscMin(hdg->tauRange[0], part->tauRange[0]);
    hdg->tauRange[1] = PetscMax(hdg->tauRange[1], part->tauRange[1]);
  }
  for (PetscInt g = 0; g < G->n; ++g) {
    PlexHDG     part = G->group[g].part;
    PlexHDGMesh mesh = part->mesh;

    part->indefinite = hdg->indefinite;
    part->nkept      = PlexHDGIsGeneral(part) || part->keep == PETSC_BOOL3_TRUE ? mesh->Ne
                     : part->keep == PETSC_BOOL3_UNKNOWN                        ? mesh->nmapped
                                                                                : 0;
    part->kept       = (PetscBool)(part->nkept > 0);
    if (part->nkept)
      PetscCall(PlexHDGAllocate(part, sizeof(double) * (size_t)part->nkept * (size_t)PlexHDGFactorSize(part),
                                (void **)&part->args.factor));
    if (part->nkept) hdg->kept = PETSC_TRUE;
    PetscCall(PlexHDGCreate_Host(part));
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &hdg->kept, 1, MPI_C_BOOL, MPI_LOR, PetscObjectComm((PetscObject)hdg)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGGroupsCheck(PlexHDG hdg, const PetscInt types[2])
{
  const char *const what = hdg->degrees ? "of several degrees" : "of several types";
  MPI_Comm          comm = PetscObjectComm((PetscObject)hdg);

  PetscFunctionBegin;
  PetscCheck(types[0] == types[1] || (types[0] == DM_POLYTOPE_TRIANGLE && types[1] == DM_POLYTOPE_QUADRILATERAL), comm,
             PETSC_ERR_SUP,
             "Hybridized DG is on meshes of one type of cell, or of triangles and quadrilaterals, and this one has %s "
             "and "
             "%s: -dm_refine 1 -dm_plex_transform_type refine_tobox makes hexahedra of all",
             DMPolytopeTypes[types[0]], DMPolytopeTypes[types[1]]);
  PetscCheck(hdg->system == PLEX_HDG_DIFFUSION, comm, PETSC_ERR_SUP,
             "Elements %s are for the system diffusion, and this discretization is one of %s, for meshes of one type "
             "of "
             "cell and one degree: %s",
             what, PlexHDGSystems[hdg->system],
             hdg->degrees ? "call PlexHDGSetDegree(), or leave -plex_hdg_degrees_label out"
                          : "-dm_refine 1 -dm_plex_transform_type refine_tosimplex makes triangles of triangles and "
                            "quadrilaterals");
  PetscCheck(!hdg->nonlinear, comm, PETSC_ERR_SUP,
             "kappa depends on u, by PlexHDGSetPointwise() or PlexHDGSetKappaPoint(), and elements %s are for linear "
             "problems: give all of them "
             "one type and one degree, PlexHDGSetDegree()",
             what);
  PetscCheck(!hdg->backend->kernels, comm, PETSC_ERR_SUP,
             "Elements %s have no kernels: they are computed with -plex_hdg_backend host, which is the default for "
             "them "
             "(PlexHDGSetBackend())%s",
             what,
             hdg->degrees ? "" : ", or -dm_refine 1 -dm_plex_transform_type refine_tosimplex makes triangles of all");
  PetscCheck(hdg->lines != PETSC_BOOL3_TRUE, comm, PETSC_ERR_SUP,
             "-plex_hdg_lines is for elements of one type and one degree, and these are %s: leave the option out",
             what);
  PetscCheck(!hdg->sell, comm, PETSC_ERR_SUP,
             "-plex_hdg_sell is for elements of one type and one degree, and these are %s: leave the option out", what);
  PetscCall(PlexHDGTraceChoose_Private(hdg, NULL));
  PetscCheck(!hdg->without, comm, PETSC_ERR_SUP,
             "-plex_hdg_trace elements is for elements of one type and one degree, and these are %s: leave the option "
             "out",
             what);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGGroupsSetUp_Private(PlexHDG hdg)
{
  PetscInt        types[2];
  PlexHDGElements E;

  PetscFunctionBegin;
  PetscCall(PlexHDGGetTypes_Private(hdg, types));
  PetscCall(PlexHDGGroupsCheck(hdg, types));
  PetscCall(PlexCellsSupported(hdg->dm, "Hybridized DG"));
  PetscCall(PetscLogEventBegin(PLEX_HDGMesh, hdg, 0, 0, 0));
  PetscCall(PetscNew(&hdg->groups));
  PetscCall(PetscNew(&hdg->mesh));
  hdg->mesh->dm   = hdg->dm;
  hdg->mesh->cell = types[0] == types[1] ? (DMPolytopeType)types[0] : DM_POLYTOPE_UNKNOWN;
  PetscCall(DMGetDimension(hdg->dm, &hdg->mesh->dim));
  PetscCall(DMGetCoordinatesLocalSetUp(hdg->dm));
  PetscCall(DMGetCellCoordinatesLocalSetUp(hdg->dm));
  PetscCall(PlexHDGElementsCreate(hdg, &E));
  PetscCall(PlexHDGGroupsSort(hdg, &E, types));
  PetscCall(PlexHDGGroupsSetFaces_Private(hdg, E.owner, E.sides, E.face));
  PetscCall(PlexHDGElementsDestroy(&E));
  PetscCall(PetscLogEventEnd(PLEX_HDGMesh, hdg, 0, 0, 0));
  PetscCall(PetscLogEventBegin(PLEX_HDGData, hdg, 0, 0, 0));
  PetscCall(PlexHDGGroupsMeasure(hdg));
  PetscCall(PlexHDGGroupsSetUpStages(hdg));
  PetscCall(PlexHDGGroupsSetBoundary_Private(hdg));
  PetscCall(PlexHDGIsSingular_Private(hdg, &hdg->singular));
  PetscCall(PlexHDGGroupsCreateMatrix_Private(hdg));
  PetscCall(PetscLogEventEnd(PLEX_HDGData, hdg, 0, 0, 0));
  hdg->stale = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGGroupsDestroy_Private(PlexHDG hdg)
{
  PlexHDGGroups G = hdg->groups;

  PetscFunctionBegin;
  if (!G) PetscFunctionReturn(PETSC_SUCCESS);
  if (hdg->ksp) { /* PETSc's PCVPBJACOBI keeps arrays of the sizes that it began with */
    PC        pc;
    PetscBool is;

    PetscCall(KSPGetPC(hdg->ksp, &pc));
    PetscCall(PetscObjectTypeCompare((PetscObject)pc, PCVPBJACOBI, &is));
    if (is) {
      PetscCall(PCSetType(pc, PCNONE));
      PetscCall(PCSetType(pc, PCVPBJACOBI));
    }
  }
  for (PetscInt g = 0; G->group && g < G->n; ++g) {
    PetscCall(PetscFree2(G->group[g].trace, G->group[g].flux));
    PetscCall(PlexHDGPartDestroy(&G->group[g].part));
  }
  PetscCall(PetscFree(G->group));
  PetscCall(PetscFree2(G->degree, G->start));
  PetscCall(PetscFree(G->number));
  PetscCall(PetscFree2(G->trace, G->natural));
  PetscCall(PetscFree(G->robin));
  PetscCall(PetscFree(G->matrices));
  PetscCall(VecDestroy(&G->local));
  PetscCall(VecScatterDestroy(&G->scatter));
  PetscCall(PetscFree(hdg->groups));
  PetscFunctionReturn(PETSC_SUCCESS);
}
