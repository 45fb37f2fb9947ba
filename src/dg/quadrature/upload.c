/* Geometry of DG with quadrature where the operator is */
#include "quadratureimpl.h"

/* x[Ne][NG][dim] */
static PetscErrorCode PlexDGUploadPoints(PlexDG dg, const void **at)
{
  PlexDGQuadrature Q    = dg->quadrature;
  PlexDGMesh       mesh = dg->mesh;
  const PetscInt   dim = mesh->dim, nx = mesh->nx;
  PetscReal       *B, *x;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(Q->NG * nx, &B, (size_t)mesh->Ne * Q->NG * dim, &x));
  PetscCall(PlexDGMeshTabulate(mesh, Q->NG, Q->points, B, NULL));
  for (PetscInt e = 0; e < mesh->Ne; ++e)
    for (PetscInt g = 0; g < Q->NG; ++g)
      PetscCall(PlexDGMeshGetPosition(mesh, e, &B[g * nx], &x[((size_t)e * Q->NG + g) * dim]));
  PetscCall(PlexDGUploadReals(dg, (size_t)mesh->Ne * Q->NG * dim, x, at));
  PetscCall(PetscFree2(B, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* x[nfacets][MG][dim] */
static PetscErrorCode PlexDGUploadFacets(PlexDG dg, const void **at)
{
  PlexDGQuadrature Q    = dg->quadrature;
  PlexDGMesh       mesh = dg->mesh;
  const PetscInt   dim = mesh->dim, nx = mesh->nx, MG = Q->MG;
  PetscReal       *B, *points, *x;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(mesh->faces * MG * nx, &B, MG * dim, &points, (size_t)mesh->nfacets * MG * dim, &x));
  for (PetscInt f = 0; f < mesh->faces; ++f) {
    PlexDGFacePoints_Private(dg->reference, f, MG, Q->facePoints, points);
    PetscCall(PlexDGMeshTabulate(mesh, MG, points, &B[f * MG * nx], NULL));
  }
  for (PetscInt b = 0; b < mesh->nfacets; ++b)
    for (PetscInt g = 0; g < MG; ++g)
      PetscCall(PlexDGMeshGetPosition(mesh, mesh->facet[b] / mesh->faces,
                                      &B[(mesh->facet[b] % mesh->faces * MG + g) * nx], &x[(b * MG + g) * dim]));
  PetscCall(PlexDGUploadReals(dg, (size_t)mesh->nfacets * MG * dim, x, at));
  PetscCall(PetscFree3(B, points, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGUploadFlatGeometry_Private(PlexDG dg, const void **C)
{
  const size_t Ne = (size_t)dg->mesh->Ne, dim = (size_t)dg->mesh->dim;

  PetscFunctionBegin;
  PetscCall(PlexDGUploadReals(dg, Ne * dim * dim, dg->quadrature->flatC, C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGUploadPositions_Private(PlexDG dg, const void **x)
{
  const PlexDGHost *host = dg->system->host[dg->precision];

  PetscFunctionBegin;
  *x = NULL;
  if (host->positions) PetscCall(PlexDGUploadFacets(dg, &dg->args.facets));
  if (host->positions && host->addsource) PetscCall(PlexDGUploadPoints(dg, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGUploadGeometry_Private(PlexDG dg, const void **C, const void **detJ, const void **normals,
                                            const void **x)
{
  PlexDGQuadrature Q    = dg->quadrature;
  PlexDGMesh       mesh = dg->mesh;
  const size_t     Ne = (size_t)mesh->Ne, dim = (size_t)mesh->dim;
  const size_t     perElement = Q->affine ? 1 : (size_t)Q->NG, perFace = Q->affine ? 1 : (size_t)Q->MG;

  PetscFunctionBegin;
  PetscCall(PlexDGUploadReals(dg, Ne * dim * dim * perElement, Q->C, C));
  PetscCall(PlexDGUploadReals(dg, Ne * (size_t)mesh->faces * dim * perFace, Q->normals, normals));
  *detJ = NULL;
  if (!Q->affine) PetscCall(PlexDGUploadReals(dg, Ne * perElement, Q->detJ, detJ));
  PetscCall(PlexDGUploadPositions_Private(dg, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}
