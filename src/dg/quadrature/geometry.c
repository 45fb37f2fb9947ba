/*
  Jacobians at the points of elements and faces (equations 2.13, 2.14, 2.19). With J = dx/dr and its cofactors
  C[a][d] = det J dr_a/dx_d, fluxes along the reference coordinates times det J are C F, and the normal of a face times
  the Jacobian of its parameter is n[d] = sum_a N[a] C[a][d], N that of the reference element's face: so both sides of a
  curved face have the same normals to rounding.
*/
#include "../../dm/elementsimpl.h" /* PlexCofactors() */
#include "quadratureimpl.h"

#define PLEX_DG_AFFINE 1e-12 /* Jacobians of an element that differ by less are one */

/* C[dim][dim] and det J at a point, dB[nx][dim] the derivatives of the coordinates' basis */
static PetscReal PlexDGCofactors(PetscInt dim, PetscInt nx, const PetscReal nodes[], const PetscReal dB[],
                                 PetscReal C[3][3])
{
  PetscReal J[3][3] = {{0.}};

  for (PetscInt v = 0; v < nx; ++v)
    for (PetscInt d = 0; d < dim; ++d)
      for (PetscInt a = 0; a < dim; ++a) J[d][a] += nodes[v * dim + d] * dB[v * dim + a];
  return PlexCofactors(dim, J, C);
}

static PetscErrorCode PlexDGBadJacobian(PlexDGMesh mesh, PetscInt e, PetscReal det)
{
  PetscReal x[3] = {0., 0., 0.};

  PetscFunctionBegin;
  for (PetscInt v = 0; v < mesh->nv; ++v)
    for (PetscInt d = 0; d < mesh->dim; ++d) x[d] += mesh->x[(e * mesh->nv + v) * mesh->dim + d] / mesh->nv;
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
          "Cell %" PetscInt_FMT " is inverted somewhere, or flat: a Jacobian determinant of it is %g, centroid (%g, "
          "%g, %g). Correct the mesh, or bend it less",
          mesh->cells[e], (double)det, (double)x[0], (double)x[1], (double)x[2]);
}

/* Whether the Jacobian of element e is the same everywhere: C of all points, [dim][dim][NG] */
static PetscBool PlexDGIsAffine(PetscInt n, PetscInt NG, const PetscReal C[])
{
  PetscReal largest = 0., most = 0.;

  for (PetscInt k = 0; k < n; ++k)
    for (PetscInt g = 0; g < NG; ++g) {
      largest = PetscMax(largest, PetscAbsReal(C[k * NG + g]));
      most    = PetscMax(most, PetscAbsReal(C[k * NG + g] - C[k * NG]));
    }
  return (PetscBool)(most <= PLEX_DG_AFFINE * largest);
}

/* Normals of all faces, [faces][dim][MG], and the length or area of all together */
static void PlexDGSetNormals(PlexDGQuadrature Q, PlexDGMesh mesh, PetscInt e, const PetscReal dB[], PetscReal normals[],
                             PetscReal *length)
{
  const PetscInt dim = mesh->dim, nx = mesh->nx, MG = Q->MG;
  PetscReal      C[3][3], N[3];

  *length = 0.;
  for (PetscInt f = 0; f < mesh->faces; ++f) {
    PlexDGReferenceNormal_Private(dim, mesh->tensor, f, N);
    for (PetscInt g = 0; g < MG; ++g) {
      PetscReal sum = 0.;

      (void)PlexDGCofactors(dim, nx, &mesh->nodes[e * nx * dim], &dB[(f * MG + g) * nx * dim], C);
      for (PetscInt d = 0; d < dim; ++d) {
        PetscReal n = 0.;

        for (PetscInt a = 0; a < dim; ++a) n += N[a] * C[a][d];
        normals[(f * dim + d) * MG + g] = n;
        sum += n * n;
      }
      *length += Q->faceWeights[g] * PetscSqrtReal(sum);
    }
  }
}

/* C[dim][dim][NG] and det[NG] of element e, and their least */
static PetscErrorCode PlexDGSetJacobians(PlexDGQuadrature Q, PlexDGMesh mesh, PetscInt e, const PetscReal dB[],
                                         PetscReal C[], PetscReal det[], PetscReal *least)
{
  const PetscInt dim = mesh->dim, nx = mesh->nx, NG = Q->NG;
  PetscReal      c[3][3], scale = 0.;

  PetscFunctionBegin;
  *least = PETSC_MAX_REAL;
  for (PetscInt g = 0; g < NG; ++g) {
    det[g] = PlexDGCofactors(dim, nx, &mesh->nodes[e * nx * dim], &dB[g * nx * dim], c);
    for (PetscInt a = 0; a < dim; ++a)
      for (PetscInt d = 0; d < dim; ++d) {
        C[(a * dim + d) * NG + g] = c[a][d];
        scale                     = PetscMax(scale, PetscAbsReal(c[a][d]));
      }
    *least = PetscMin(*least, det[g]);
  }
  /* C is as large as J^(dim-1) */
  if (!(*least > PETSC_MACHINE_EPSILON * PetscPowReal(scale, (PetscReal)dim / (dim - 1))))
    PetscCall(PlexDGBadJacobian(mesh, e, *least));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Affine elements keep one Jacobian, divided by det J */
static PetscErrorCode PlexDGShrinkGeometry(PlexDGQuadrature Q, PlexDGMesh mesh)
{
  const PetscInt dim = mesh->dim, Ne = mesh->Ne, faces = mesh->faces;
  PetscReal     *C, *detJ, *normals, *rate;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(Ne * dim * dim, &C, Ne, &detJ, Ne * faces * dim, &normals, Ne, &rate));
  for (PetscInt e = 0; e < Ne; ++e) {
    detJ[e] = Q->detJ[(size_t)e * Q->NG];
    rate[e] = Q->rate[e];
    for (PetscInt k = 0; k < dim * dim; ++k) C[e * dim * dim + k] = Q->C[((size_t)e * dim * dim + k) * Q->NG] / detJ[e];
    for (PetscInt k = 0; k < faces * dim; ++k)
      normals[e * faces * dim + k] = Q->normals[((size_t)e * faces * dim + k) * Q->MG] / detJ[e];
  }
  PetscCall(PetscFree4(Q->C, Q->detJ, Q->normals, Q->rate));
  Q->C       = C;
  Q->detJ    = detJ;
  Q->normals = normals;
  Q->rate    = rate;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGQuadratureSetJacobians_Private(PlexDGQuadrature Q, PlexDGMesh mesh, PlexDGReference R)
{
  const PetscInt  dim = mesh->dim, nx = mesh->nx, NG = Q->NG, MG = Q->MG, faces = mesh->faces;
  const PetscReal area = mesh->tensor ? PetscPowInt(2, dim) : dim == 2 ? 2. : 4. / 3.;
  PetscReal      *B, *dB, *dBf, *points, least, length;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(PetscMax(NG, MG) * nx, &B, NG * nx * dim, &dB, faces * MG * nx * dim, &dBf, MG * dim,
                         &points));
  PetscCall(PlexDGMeshTabulate(mesh, NG, Q->points, B, dB));
  for (PetscInt f = 0; f < faces; ++f) {
    PlexDGFacePoints_Private(R, f, MG, Q->facePoints, points);
    PetscCall(PlexDGMeshTabulate(mesh, MG, points, B, &dBf[f * MG * nx * dim]));
  }
  PetscCall(PetscMalloc4((size_t)mesh->Ne * dim * dim * NG, &Q->C, (size_t)mesh->Ne * NG, &Q->detJ,
                         (size_t)mesh->Ne * faces * dim * MG, &Q->normals, mesh->Ne, &Q->rate));
  Q->affine = PETSC_TRUE;
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    PetscReal *C = &Q->C[(size_t)e * dim * dim * NG];

    PetscCall(PlexDGSetJacobians(Q, mesh, e, dB, C, &Q->detJ[(size_t)e * NG], &least));
    PlexDGSetNormals(Q, mesh, e, dBf, &Q->normals[(size_t)e * faces * dim * MG], &length);
    /* perimeter over twice the area, or area over three times the volume, were it as small everywhere as at the worst
       point */
    Q->rate[e] = length / (dim * area * least);
    Q->affine  = (PetscBool)(Q->affine && PlexDGIsAffine(dim * dim, NG, C));
  }
  PetscCall(PetscFree4(B, dB, dBf, points));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGQuadratureSetGeometry_Private(PlexDGQuadrature Q, PlexDGMesh mesh, PlexDGReference R)
{
  PetscFunctionBegin;
  PetscCall(PlexDGQuadratureSetJacobians_Private(Q, mesh, R));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &Q->affine, 1, MPI_C_BOOL, MPI_LAND,
                              PetscObjectComm((PetscObject)mesh->dm)));
  if (Q->affine) PetscCall(PlexDGShrinkGeometry(Q, mesh));
  PetscFunctionReturn(PETSC_SUCCESS);
}
