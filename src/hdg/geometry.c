/* The maps from the reference cell to the elements of a hybridized DG method: affine where all of them are, else by the
   coordinates' own finite element. */
#include "hdgimpl.h"
#include "../dm/elementsimpl.h" /* PlexCofactors(), PlexGetCoordinateFE(), PlexCoordinateTabulate() */

void PlexHDGMeshMap_Private(PlexHDGMesh mesh, PetscInt e, const PetscReal xi[], const PetscReal shape[],
                            const PetscReal dshape[], PetscReal x[], PetscReal J[3][3])
{
  const PetscInt   dim   = mesh->dim;
  const PetscReal *nodes = &mesh->x[(size_t)e * mesh->Nv * dim];

  for (PetscInt d = 0; d < dim; ++d) {
    x[d] = mesh->affine ? nodes[d] : 0.;
    for (PetscInt a = 0; a < dim; ++a) J[d][a] = mesh->affine ? 0.5 * (nodes[(a + 1) * dim + d] - nodes[d]) : 0.;
    for (PetscInt a = 0; mesh->affine && a < dim; ++a) x[d] += J[d][a] * (1. + xi[a]);
    for (PetscInt v = 0; !mesh->affine && v < mesh->Nv; ++v) {
      x[d] += shape[v] * nodes[v * dim + d];
      for (PetscInt a = 0; a < dim; ++a) J[d][a] += dshape[v * dim + a] * nodes[v * dim + d];
    }
  }
}

/* Of an element: points where det J is negative, zero; the last of them, and det J there; whether J is the same at all
   points */
typedef struct {
  PetscInt  reversed, flat;
  PetscReal x[3], det;
  PetscBool affine;
} PlexHDGMeshFlaws;

static void PlexHDGMeshExamine(PlexHDGMesh mesh, PlexHDGReference R, PetscInt e, const PetscReal shape[],
                               const PetscReal dshape[], PlexHDGMeshFlaws *flaws)
{
  const PetscInt dim         = mesh->dim;
  PetscReal      first[3][3] = {{0.}}, J[3][3], C[3][3], x[3] = {0., 0., 0.}, det, size, change;

  *flaws = (PlexHDGMeshFlaws){.affine = PETSC_TRUE};
  for (PetscInt q = 0; q < R->Nq; ++q) {
    PetscReal volume = 1.;

    PlexHDGMeshMap_Private(mesh, e, NULL, &shape[q * mesh->Nv], &dshape[q * mesh->Nv * dim], x, J);
    size = change = 0.;
    for (PetscInt d = 0; d < dim; ++d) {
      for (PetscInt a = 0; a < dim; ++a) {
        if (!q) first[d][a] = J[d][a];
        size   = PetscMax(size, PetscAbsReal(J[d][a]));
        change = PetscMax(change, PetscAbsReal(J[d][a] - first[d][a]));
      }
    }
    if (change > 1e-11 * size) flaws->affine = PETSC_FALSE;
    for (PetscInt d = 0; d < dim; ++d) volume *= size;
    det = PlexCofactors(dim, J, C);
    if (det < -PETSC_MACHINE_EPSILON * volume) ++flaws->reversed;
    else if (!(det > PETSC_MACHINE_EPSILON * volume)) ++flaws->flat;
    else continue;
    for (PetscInt d = 0; d < 3; ++d) flaws->x[d] = x[d];
    flaws->det = det;
  }
}

/* An error where determinants of an element are not positive */
static PetscErrorCode PlexHDGMeshCheck(PlexHDGMesh mesh, PlexHDGReference R, PetscInt e, const PlexHDGMeshFlaws *flaws)
{
  const PetscReal *x = flaws->x;

  PetscFunctionBegin;
  PetscCheck(flaws->reversed < R->Nq, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "Cell %" PetscInt_FMT
             ", at (%g, %g, %g), has its vertices in the reverse order (clockwise, in 2D): call DMPlexOrientPoint(dm, "
             "c, -1) for each such cell c of the DM before it is given to PlexHDGCreate()",
             mesh->cells[e], (double)x[0], (double)x[1], (double)x[2]);
  PetscCheck(!flaws->reversed && !flaws->flat, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Cell %" PetscInt_FMT " is %s: its Jacobian determinant is %g at (%g, %g, %g). Correct the mesh",
             mesh->cells[e], flaws->reversed ? "folded over" : "flat", (double)flaws->det, (double)x[0], (double)x[1],
             (double)x[2]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a simplex with straight edges is far from flat: det J by the first point's derivatives dshape[Nv][dim] */
static PetscBool PlexHDGMeshIsGood(PlexHDGMesh mesh, PetscInt e, const PetscReal dshape[])
{
  const PetscInt   dim    = mesh->dim;
  const PetscReal *nodes  = &mesh->x[(size_t)e * (dim + 1) * dim];
  PetscReal        volume = 1., size = 0., J[3][3], C[3][3];

  for (PetscInt d = 0; d < dim; ++d) {
    for (PetscInt a = 0; a < dim; ++a) {
      J[d][a] = 0.;
      for (PetscInt v = 0; v <= dim; ++v) J[d][a] += dshape[v * dim + a] * nodes[v * dim + d];
      size = PetscMax(size, PetscAbsReal(J[d][a]));
    }
  }
  for (PetscInt d = 0; d < dim; ++d) volume *= size;
  return (PetscBool)(PlexCofactors(dim, J, C) > 1e-6 * volume);
}

/* What loops over elements read and find */
typedef struct {
  PlexHDGMesh      mesh;
  PlexHDGReference R;
  const PetscReal *shape, *dshape;
  PetscBool        straight; /* simplices with straight edges */
  PlexCount        curved;   /* elements that are not affine */
  PlexLowest       wrong;    /* the first element that is an error */
  PetscReal       *vertices; /* [Ne][dim + 1][dim] */
} PlexHDGGeometry;

static void PlexHDGMeshExamineLoop(void *ctx, PetscInt begin, PetscInt end)
{
  PlexHDGGeometry *g      = (PlexHDGGeometry *)ctx;
  PetscInt         curved = 0;
  PlexHDGMeshFlaws flaws;

  for (PetscInt e = begin; e < end; ++e) {
    if (g->straight && PlexHDGMeshIsGood(g->mesh, e, g->dshape)) continue;
    PlexHDGMeshExamine(g->mesh, g->R, e, g->shape, g->dshape, &flaws);
    if (!flaws.affine) ++curved;
    if (flaws.reversed || flaws.flat) PlexLowestPut(&g->wrong, e);
  }
  PlexCountAdd(&g->curved, curved);
}

/* Positive determinants, and whether the map of all elements is affine */
static PetscErrorCode PlexHDGMeshExamineAll(PlexHDGGeometry *g, PetscBool *affine)
{
  PlexHDGMeshFlaws flaws;
  PetscInt         e;

  PetscFunctionBegin;
  PlexCountInit(&g->curved);
  PlexLowestInit(&g->wrong, g->mesh->Ne);
  PetscCall(PlexThreadsRun(g->mesh->Ne, PLEX_THREADS_LEAST, PlexHDGMeshExamineLoop, g));
  e = PlexLowestGet(&g->wrong);
  if (e < g->mesh->Ne) {
    PlexHDGMeshExamine(g->mesh, g->R, e, g->shape, g->dshape, &flaws);
    PetscCall(PlexHDGMeshCheck(g->mesh, g->R, e, &flaws));
  }
  *affine = (PetscBool)(PlexCountGet(&g->curved) == 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void PlexHDGMeshMakeAffineLoop(void *ctx, PetscInt begin, PetscInt end)
{
  PlexHDGGeometry *g   = (PlexHDGGeometry *)ctx;
  const PetscInt   dim = g->mesh->dim;

  for (PetscInt e = begin; e < end; ++e) {
    PetscReal *v = &g->vertices[(size_t)e * (dim + 1) * dim], J[3][3], x[3];

    PlexHDGMeshMap_Private(g->mesh, e, NULL, g->shape, g->dshape, x, J);
    for (PetscInt d = 0; d < dim; ++d) {
      for (PetscInt a = 0; a < dim; ++a) x[d] -= J[d][a] * (1. + g->R->points[a]);
      v[d] = x[d];
      for (PetscInt a = 0; a < dim; ++a) v[(a + 1) * dim + d] = x[d] + 2. * J[d][a];
    }
  }
}

/* In place of the nodes vertex 0 and those at the ends of the axes: where the map takes them */
static PetscErrorCode PlexHDGMeshMakeAffine(PlexHDGGeometry *g)
{
  PlexHDGMesh mesh = g->mesh;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)mesh->Ne * (mesh->dim + 1) * mesh->dim, &g->vertices));
  PetscCall(PlexThreadsRun(mesh->Ne, PLEX_THREADS_LEAST, PlexHDGMeshMakeAffineLoop, g));
  PetscCall(PetscFree(mesh->x));
  mesh->x      = g->vertices;
  mesh->Nv     = mesh->dim + 1;
  mesh->affine = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGMeshGetNodes_Private(PlexHDGMesh mesh)
{
  PetscInt Nb, n, e;

  PetscFunctionBegin;
  PetscCall(PlexGetCoordinateFE(mesh->dm, mesh->cell, &mesh->fe));
  PetscCall(PetscFEGetDimension(mesh->fe, &Nb));
  mesh->Nv = Nb / mesh->dim;
  PetscCall(PetscMalloc1((size_t)mesh->Ne * Nb, &mesh->x));
  PetscCall(PlexGatherCoordinates(mesh->dm, mesh->Ne, mesh->cells, Nb, mesh->x, &e, &n));
  PetscCheck(e < 0, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
             "Cell %" PetscInt_FMT " has %" PetscInt_FMT
             " coordinates, and the coordinates' finite element %" PetscInt_FMT,
             mesh->cells[e], n, Nb);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGMeshSetGeometry_Private(PlexHDGMesh mesh, PlexHDGReference R, PetscBool affine)
{
  /* the Jacobian of a simplex with straight edges is the same at all points */
  const PetscBool straight = (PetscBool)(mesh->faces == mesh->dim + 1 && mesh->Nv == mesh->dim + 1);
  PlexHDGGeometry g        = {.mesh = mesh, .R = R, .straight = straight};
  PetscReal      *shape, *dshape;
  PetscBool       all = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(R->Nq * mesh->Nv, &shape, R->Nq * mesh->Nv * mesh->dim, &dshape));
  PetscCall(PlexCoordinateTabulate(mesh->fe, mesh->Nv, R->Nq, R->points, shape, dshape));
  g.shape  = shape;
  g.dshape = dshape;
  PetscCall(PlexHDGMeshExamineAll(&g, &all));
  affine = (PetscBool)(affine && all);
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &affine, 1, MPI_C_BOOL, MPI_LAND, PetscObjectComm((PetscObject)mesh->dm)));
  if (affine) PetscCall(PlexHDGMeshMakeAffine(&g));
  PetscCall(PetscFree2(shape, dshape));
  PetscFunctionReturn(PETSC_SUCCESS);
}
