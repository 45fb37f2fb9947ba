/*
  Cells of a NetCDF file, ugrid.c: n x n of each element of one kind, their corners, and means of polynomials in them
*/
#include "ugrid.h"

/* corners[nv][2] of cell c: of a triangle first those that are as it is, then those upside down */
static void PlexUGRIDCell(PetscBool tensor, PetscInt n, PetscInt c, PetscReal corners[])
{
  static const PetscInt square[4][2] =
    {
      {0, 0},
      {1, 0},
      {1, 1},
      {0, 1}
  },
                        up[3][2] = {{0, 0}, {1, 0}, {0, 1}}, down[3][2] = {{1, 0}, {1, 1}, {0, 1}};
  const PetscBool upside = (PetscBool)(!tensor && c >= n * (n + 1) / 2);
  PetscInt        row = 0, length = tensor ? n : upside ? n - 1 : n;

  if (upside) c -= n * (n + 1) / 2;
  for (; c >= length; ++row) {
    c -= length;
    if (!tensor) --length;
  }
  for (PetscInt v = 0; v < (tensor ? 4 : 3); ++v) {
    const PetscInt *at = tensor ? square[v] : upside ? down[v] : up[v];

    corners[2 * v]     = -1. + 2. * (c + at[0]) / (PetscReal)n;
    corners[2 * v + 1] = -1. + 2. * (row + at[1]) / (PetscReal)n;
  }
}

/* Points of all cells, and of theirs all corners */
static PetscErrorCode PlexUGRIDSetPoints(PlexUGRIDPart *g, PetscInt n)
{
  PlexDG           dg     = g->dg;
  PlexDGReference  R      = dg->reference;
  PlexDGMesh       mesh   = dg->mesh;
  const PetscInt   degree = R->N + (dg->scaled ? 2 * R->N : 0) + (dg->curved ? 2 * dg->curved->order - 2 : 0) +
                            (dg->quadrature ? 2 * dg->quadrature->order - (R->tensor ? 1 : 2) : 0);
  PlexDGPoints    *p      = &g->points;
  PetscQuadrature  quadrature;
  const PetscReal *own, *weights;
  PetscReal       *corners, *points;

  PetscFunctionBegin;
  if (R->tensor) PetscCall(PetscDTGaussTensorQuadrature(2, 1, degree / 2 + 1, -1., 1., &quadrature));
  else PetscCall(PetscDTStroudConicalQuadrature(2, 1, degree / 2 + 1, -1., 1., &quadrature));
  PetscCall(PetscQuadratureGetData(quadrature, NULL, NULL, &g->nq, &own, &weights));
  p->Nq = g->ncells * g->nq;
  PetscCall(PetscMalloc4(p->Nq * R->Np, &p->B, p->Nq * mesh->nx, &p->shapes, p->Nq * mesh->nx * 2, &p->dshapes, p->Nq,
                         &p->weights));
  PetscCall(PetscMalloc2(g->ncells * g->nv * 2, &corners, p->Nq * 2, &points));
  for (PetscInt c = 0; c < g->ncells; ++c) {
    const PetscReal *x = &corners[c * g->nv * 2];

    PlexUGRIDCell(R->tensor, n, c, &corners[c * g->nv * 2]);
    for (PetscInt q = 0; q < g->nq; ++q) {
      for (PetscInt d = 0; d < 2; ++d)
        points[(c * g->nq + q) * 2 + d] = x[d] + 0.5 * (1. + own[q * 2]) * (x[2 + d] - x[d]) +
                                          0.5 * (1. + own[q * 2 + 1]) * (x[(g->nv - 1) * 2 + d] - x[d]);
      p->weights[c * g->nq + q] = weights[q];
    }
  }
  PetscCall(PlexDGReferenceInterpolate(R, p->Nq, points, p->B));
  PetscCall(PlexDGMeshTabulate(mesh, p->Nq, points, p->shapes, p->dshapes));
  PetscCall(PetscMalloc1(g->ncells * g->nv * mesh->nx, &g->shapes));
  PetscCall(PlexDGMeshTabulate(mesh, g->ncells * g->nv, corners, g->shapes, NULL));
  PetscCall(PetscFree2(corners, points));
  PetscCall(PetscQuadratureDestroy(&quadrature));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexUGRIDPartCreate_Private(PlexDG dg, PetscInt n, PlexUGRIDPart *g)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(g, sizeof(*g)));
  g->dg     = dg;
  g->nv     = dg->mesh->tensor ? 4 : 3;
  g->ncells = n * n;
  PetscCall(PlexUGRIDSetPoints(g, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexUGRIDPartDestroy_Private(PlexUGRIDPart *g)
{
  PetscFunctionBegin;
  PetscCall(PlexDGPointsDestroy_Private(&g->points));
  PetscCall(PetscFree(g->shapes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void PlexUGRIDPartMeans_Private(const PlexUGRIDPart *g, const PetscScalar values[], PetscInt nrows, PetscInt k,
                                PetscReal means[])
{
  const PetscInt Np = g->dg->reference->Np;

  for (PetscInt e = 0; e < g->dg->mesh->Ne; ++e)
    for (PetscInt c = 0; c < g->ncells; ++c) {
      PetscReal sum = 0., area = 0.;

      for (PetscInt q = c * g->nq; q < (c + 1) * g->nq; ++q) {
        const PetscReal weight = g->points.weights[q] *
                                 PetscAbsReal(PlexDGPointsDeterminant_Private(g->dg, &g->points, e, q));
        PetscReal       value;

        PlexDGPointsInterpolate_Private(&g->points, q, 1, Np, &values[((size_t)e * nrows + k) * Np], &value);
        sum += weight * value;
        area += weight;
      }
      means[e * g->ncells + c] = sum / area;
    }
}

PetscErrorCode PlexUGRIDPartCorners_Private(const PlexUGRIDPart *g, PetscInt width, PetscReal x[])
{
  PlexDGMesh mesh = g->dg->mesh;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < mesh->Ne; ++e)
    for (PetscInt i = 0; i < g->ncells * width; ++i) {
      const PetscInt c = i / width, v = i % width;
      PetscReal     *at = &x[((size_t)e * g->ncells * width + i) * 2];

      if (v < g->nv) PetscCall(PlexDGMeshGetPosition(mesh, e, &g->shapes[(c * g->nv + v) * mesh->nx], at));
      else at[0] = at[1] = (PetscReal)NAN;
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}
