/*
  Points and tables of DG with quadrature (M. Henry de Frahan, Discontinuous Galerkin method on graphics processing units, 2011, 2.2): the basis and its
  derivatives at the points of the reference element, and at those of a face, equations 2.8, 2.9 and 2.17.

  Where a map is of degree m, products of two basis functions and det J are of degree 2 N + 2 (m - 1), and so are the fluxes of a linear system through the
  faces: all integrals of a linear system with constant coefficients are then exact, and its energy cannot grow.
*/
#include <plexgpu/dg.h>
#include "quadratureimpl.h"

static PetscErrorCode PlexDGQuadratureCopy(PetscQuadrature q, PetscInt dim, PetscInt *n, PetscReal **points, PetscReal **weights)
{
  const PetscReal *x, *w;

  PetscFunctionBegin;
  PetscCall(PetscQuadratureGetData(q, NULL, NULL, n, &x, &w));
  PetscCall(PetscMalloc1(*n * dim, points));
  PetscCall(PetscMalloc1(*n, weights));
  PetscCall(PetscArraycpy(*points, x, *n * dim));
  PetscCall(PetscArraycpy(*weights, w, *n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void PlexDGFacePoints_Private(PlexDGReference R, PetscInt f, PetscInt n, const PetscReal s[], PetscReal points[])
{
  static const PetscReal corners[2][4][2] = {
    {{-1., -1.}, {1., -1.}, {-1., 1.}, {0., 0.} },
    {{-1., -1.}, {1., -1.}, {1., 1.},  {-1., 1.}}
  };
  PetscInt v[3];

  PlexDGFaceVertices(R->dim, R->tensor, f, v);
  for (PetscInt g = 0; g < n; ++g)
    for (PetscInt a = 0; a < 2; ++a) points[2 * g + a] = 0.5 * ((1. - s[g]) * corners[R->tensor][v[0]][a] + (1. + s[g]) * corners[R->tensor][v[1]][a]);
}

/* psi: the basis functions of the nodes of face 0 at its points; on other faces they are the same, and the others are zero */
static PetscErrorCode PlexDGQuadratureTabulateFace(PlexDGQuadrature Q, PlexDGReference R)
{
  PetscReal *points, *B;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(Q->MG * R->dim, &points, Q->MG * R->Np, &B));
  PetscCall(PetscMalloc1(Q->MG * R->Nfp, &Q->psi));
  PlexDGFacePoints_Private(R, 0, Q->MG, Q->facePoints, points);
  PetscCall(PlexDGReferenceInterpolate(R, Q->MG, points, B));
  for (PetscInt g = 0; g < Q->MG; ++g)
    for (PetscInt m = 0; m < R->Nfp; ++m) Q->psi[g * R->Nfp + m] = B[g * R->Np + R->faceNodes[m]];
  PetscCall(PetscFree2(points, B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGQuadratureCreate(PlexDGMesh mesh, PlexDGReference R, PetscInt degree, PlexDGQuadrature *quadrature)
{
  PlexDGQuadrature Q;
  PetscQuadrature  q;
  PetscSpace       space;

  PetscFunctionBegin;
  PetscCall(PetscNew(&Q));
  *quadrature = Q;
  PetscCall(PetscFEGetBasisSpace(mesh->fe, &space));
  PetscCall(PetscSpaceGetDegree(space, &Q->order, NULL));
  Q->degree = degree == PETSC_DETERMINE ? 2 * R->N + 2 * (Q->order - 1) : degree;
  PetscCall(PetscDTGaussTensorQuadrature(R->dim - 1, 1, Q->degree / 2 + 1, -1., 1., &q));
  PetscCall(PlexDGQuadratureCopy(q, R->dim - 1, &Q->MG, &Q->facePoints, &Q->faceWeights));
  PetscCall(PetscQuadratureDestroy(&q));
  if (R->tensor) PetscCall(PetscDTGaussTensorQuadrature(R->dim, 1, Q->degree / 2 + 1, -1., 1., &q));
  else PetscCall(PetscDTSimplexQuadrature(R->dim, Q->degree, PETSCDTSIMPLEXQUAD_DEFAULT, &q));
  PetscCall(PlexDGQuadratureCopy(q, R->dim, &Q->NG, &Q->points, &Q->weights));
  PetscCall(PetscQuadratureDestroy(&q));
  PetscCall(PetscMalloc2(Q->NG * R->Np, &Q->phi, R->dim * Q->NG * R->Np, &Q->dphi));
  PetscCall(PlexDGReferenceTabulate(R, Q->NG, Q->points, Q->phi, Q->dphi));
  PetscCall(PlexDGQuadratureTabulateFace(Q, R));
  PetscCall(PlexDGQuadratureSetGeometry_Private(Q, mesh, R));
  PetscCall(PlexDGQuadratureSetMass_Private(Q, mesh, R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGQuadratureDestroy(PlexDGQuadrature *quadrature)
{
  PlexDGQuadrature Q = *quadrature;

  PetscFunctionBegin;
  if (!Q) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree(Q->points));
  PetscCall(PetscFree(Q->weights));
  PetscCall(PetscFree(Q->facePoints));
  PetscCall(PetscFree(Q->faceWeights));
  PetscCall(PetscFree2(Q->phi, Q->dphi));
  PetscCall(PetscFree(Q->psi));
  PetscCall(PetscFree4(Q->C, Q->detJ, Q->normals, Q->rate));
  PetscCall(PetscFree(Q->Minv));
  PetscCall(PetscFree(*quadrature));
  PetscFunctionReturn(PETSC_SUCCESS);
}
