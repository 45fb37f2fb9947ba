/* Points of a quadrature in all elements, and values of the fields there */
#include "points.h"
#include "../../dm/elementsimpl.h" /* PlexCofactors() */

PetscErrorCode PlexDGPointsCreate_Private(PlexDG dg, PlexDGPoints *p)
{
  PlexDGReference  R    = dg->reference;
  PlexDGMesh       mesh = dg->mesh;
  const PetscInt   n = R->N + 2 + (dg->curved ? (R->dim - 1) * (dg->curved->order - 1) : 0) +
                       (dg->quadrature ? (R->dim == 2 || dg->quadrature->affine ? 1 : 2) * (dg->quadrature->order - 1)
                                       : 0);
  PetscQuadrature  quadrature;
  const PetscReal *points, *weights;

  PetscFunctionBegin;
  if (R->tensor) PetscCall(PetscDTGaussTensorQuadrature(R->dim, 1, n, -1., 1., &quadrature));
  else PetscCall(PetscDTStroudConicalQuadrature(R->dim, 1, n, -1., 1., &quadrature));
  PetscCall(PetscQuadratureGetData(quadrature, NULL, NULL, &p->Nq, &points, &weights));
  PetscCall(PetscMalloc4(p->Nq * R->Np, &p->B, p->Nq * mesh->nx, &p->shapes, p->Nq * mesh->nx * R->dim, &p->dshapes,
                         p->Nq, &p->weights));
  PetscCall(PlexDGReferenceInterpolate(R, p->Nq, points, p->B));
  PetscCall(PetscArraycpy(p->weights, weights, p->Nq));
  PetscCall(PlexDGMeshTabulate(mesh, p->Nq, points, p->shapes, p->dshapes));
  PetscCall(PetscQuadratureDestroy(&quadrature));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGPointsDestroy_Private(PlexDGPoints *p)
{
  PetscFunctionBegin;
  PetscCall(PetscFree4(p->B, p->shapes, p->dshapes, p->weights));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* det J at point q of element e */
PetscReal PlexDGPointsDeterminant_Private(PlexDG dg, const PlexDGPoints *p, PetscInt e, PetscInt q)
{
  PlexDGMesh       mesh    = dg->mesh;
  const PetscReal *dshapes = &p->dshapes[q * mesh->nx * mesh->dim];
  PetscReal        J[3][3] = {{0.}}, C[3][3];

  if (!dg->quadrature && (!dg->curved || PlexDGMeshCurvedIndex(mesh, e) < 0)) return mesh->detJ[e];
  if (dg->quadrature && dg->quadrature->affine) return dg->quadrature->detJ[e];
  for (PetscInt v = 0; v < mesh->nx; ++v)
    for (PetscInt d = 0; d < mesh->dim; ++d)
      for (PetscInt a = 0; a < mesh->dim; ++a)
        J[d][a] += mesh->nodes[(e * mesh->nx + v) * mesh->dim + d] * dshapes[v * mesh->dim + a];
  return PlexCofactors(mesh->dim, J, C) *
         (dg->scaled ? PetscSqr(PlexDGGetScale_Private(dg, e, &p->B[q * dg->reference->Np])) : 1.);
}

void PlexDGPointsInterpolate_Private(const PlexDGPoints *p, PetscInt q, PetscInt Nf, PetscInt Np, const PetscScalar u[],
                                     PetscReal v[])
{
  for (PetscInt k = 0; k < Nf; ++k) {
    v[k] = 0.;
    for (PetscInt i = 0; i < Np; ++i) v[k] += p->B[q * Np + i] * PetscRealPart(u[k * Np + i]);
  }
}
