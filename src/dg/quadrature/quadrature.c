/*
  Points and tables of DG with quadrature (M. Henry de Frahan, Discontinuous Galerkin method on graphics processing
  units, 2011, 2.2): the basis and its derivatives at the points of the reference element, and at those of a face,
  equations 2.8, 2.9 and 2.17.

  Where a map is of degree m, products of two basis functions and det J are of degree 2 N + 2 (m - 1) in 2D, and so are
  the fluxes of a linear system through the faces: all integrals of a linear system with constant coefficients are then
  exact, and its energy cannot grow. In 3D det J is of degree 3 (m - 1), of hexahedra 3 m - 1 in each coordinate,
  cofactors of 2 (m - 1), and 2 m - 1 where it matters: along a face.
*/
#include <plexgpu/private/dgimpl.h>
#include "quadratureimpl.h"

static PetscErrorCode PlexDGQuadratureCopy(PetscQuadrature q, PetscInt dim, PetscInt *n, PetscReal **points,
                                           PetscReal **weights)
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

/* psi: the basis functions of the nodes of face 0 at its points; on other faces they are the same, and the others are
   zero */
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

/* The points, and all tables that depend on them */
static PetscErrorCode PlexDGQuadratureReset(PlexDGQuadrature Q)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(Q->points));
  PetscCall(PetscFree(Q->weights));
  PetscCall(PetscFree(Q->facePoints));
  PetscCall(PetscFree(Q->faceWeights));
  PetscCall(PetscFree2(Q->phi, Q->dphi));
  PetscCall(PetscFree(Q->psi));
  PetscCall(PetscFree4(Q->C, Q->detJ, Q->normals, Q->rate));
  PetscCall(PetscFree2(Q->flatC, Q->flatNormals));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGRule(PetscInt dim, PetscBool tensor, PetscInt degree, PetscInt *n, PetscReal **points,
                                 PetscReal **weights)
{
  PetscQuadrature q;

  PetscFunctionBegin;
  if (tensor || dim == 1) PetscCall(PetscDTGaussTensorQuadrature(dim, 1, degree / 2 + 1, -1., 1., &q));
  else PetscCall(PetscDTSimplexQuadrature(dim, degree, PETSCDTSIMPLEXQUAD_DEFAULT, &q));
  PetscCall(PlexDGQuadratureCopy(q, dim, n, points, weights));
  PetscCall(PetscQuadratureDestroy(&q));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGQuadratureSetRules_Private(PlexDGQuadrature Q, PlexDGReference R, PetscInt faceDegree)
{
  PetscFunctionBegin;
  PetscCall(PlexDGRule(R->dim - 1, R->tensor, faceDegree, &Q->MG, &Q->facePoints, &Q->faceWeights));
  PetscCall(PlexDGRule(R->dim, R->tensor, Q->degree, &Q->NG, &Q->points, &Q->weights));
  PetscCall(PetscMalloc2((size_t)Q->NG * R->Np, &Q->phi, (size_t)R->dim * Q->NG * R->Np, &Q->dphi));
  PetscCall(PlexDGReferenceTabulate(R, Q->NG, Q->points, Q->phi, Q->dphi));
  PetscCall(PlexDGQuadratureTabulateFace(Q, R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Points of elements and faces, the bases and the geometry there */
static PetscErrorCode PlexDGQuadratureSetPoints(PlexDGQuadrature Q, PlexDGMesh mesh, PlexDGReference R,
                                                PetscInt faceDegree)
{
  PetscFunctionBegin;
  PetscCall(PlexDGQuadratureReset(Q));
  PetscCall(PlexDGQuadratureSetRules_Private(Q, R, faceDegree));
  PetscCall(PlexDGQuadratureSetGeometry_Private(Q, mesh, R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGQuadratureCreate(PlexDGMesh mesh, PlexDGReference R, PetscInt degree, PlexDGQuadrature *quadrature)
{
  PlexDGQuadrature Q;
  PetscSpace       space;
  PetscInt         plane, solid;

  PetscFunctionBegin;
  PetscCall(PetscNew(&Q));
  *quadrature = Q;
  PetscCall(PetscFEGetBasisSpace(mesh->fe, &space));
  PetscCall(PetscSpaceGetDegree(space, &Q->order, NULL));
  plane     = degree == PETSC_DETERMINE ? 2 * R->N + 2 * (Q->order - 1) : degree; /* of faces, and of elements in 2D */
  solid     = degree == PETSC_DETERMINE ? 2 * R->N + (R->tensor ? 3 * Q->order - 1 : 3 * (Q->order - 1)) : degree;
  Q->degree = plane;
  PetscCall(PlexDGQuadratureSetPoints(Q, mesh, R, plane));
  if (R->dim == 3 && !Q->affine && solid > plane) {
    Q->degree = solid;
    PetscCall(PlexDGQuadratureSetPoints(Q, mesh, R, plane));
  }
  PetscCall(PlexDGQuadratureSetMass_Private(Q, mesh, R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGQuadratureDestroy(PlexDGQuadrature *quadrature)
{
  PlexDGQuadrature Q = *quadrature;

  PetscFunctionBegin;
  if (!Q) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGQuadratureReset(Q));
  PetscCall(PetscFree(Q->Minv));
  PetscCall(PetscFree(*quadrature));
  PetscFunctionReturn(PETSC_SUCCESS);
}
