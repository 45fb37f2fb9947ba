/*
  A factor of lengths that varies, in the geometry: conformal maps of the sphere, of which lengths on the sphere are m
  times those on the plane, in 2 dimensions

    det J becomes m^2 det J, its cofactors C and normals of faces m times theirs

  so that integrals are those on the sphere and conserved quantities are those there. m is a polynomial in each element,
  as all coefficients that vary are.
*/
#include "quadratureimpl.h"

/* m where basis functions have the values basis[Np] */
PetscReal PlexDGGetScale_Private(PlexDG dg, PetscInt e, const PetscReal basis[])
{
  const size_t     row   = (size_t)e * dg->system->ncoefficients + dg->system->scale;
  const PetscReal *nodal = &dg->variables[row * dg->reference->Np];
  PetscReal        m     = 0.;

  for (PetscInt i = 0; i < dg->reference->Np; ++i) m += basis[i] * nodal[i];
  return m;
}

/* Affine elements have one Jacobian no more: geometry at each point. What there was, times det J, is kept */
static PetscErrorCode PlexDGExpandGeometry(PlexDGQuadrature Q, PlexDGMesh mesh)
{
  const PetscInt nC = mesh->dim * mesh->dim, nn = mesh->faces * mesh->dim, Ne = mesh->Ne;
  PetscReal     *C, *detJ, *normals, *rate;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4((size_t)Ne * nC * Q->NG, &C, (size_t)Ne * Q->NG, &detJ, (size_t)Ne * nn * Q->MG, &normals, Ne,
                         &rate));
  for (PetscInt e = 0; e < Ne; ++e) {
    rate[e] = Q->rate[e];
    for (PetscInt g = 0; g < Q->NG; ++g) {
      detJ[(size_t)e * Q->NG + g] = Q->detJ[e];
      for (PetscInt k = 0; k < nC; ++k) C[((size_t)e * nC + k) * Q->NG + g] = Q->C[e * nC + k] * Q->detJ[e];
    }
    for (PetscInt k = 0; k < nn; ++k)
      for (PetscInt g = 0; g < Q->MG; ++g)
        normals[((size_t)e * nn + k) * Q->MG + g] = Q->normals[e * nn + k] * Q->detJ[e];
  }
  PetscCall(PetscMalloc2(Ne * nC, &Q->flatC, Ne * nn, &Q->flatNormals));
  for (PetscInt e = 0; e < Ne; ++e) {
    for (PetscInt k = 0; k < nC; ++k) Q->flatC[e * nC + k] = Q->C[e * nC + k] * Q->detJ[e];
    for (PetscInt k = 0; k < nn; ++k) Q->flatNormals[e * nn + k] = Q->normals[e * nn + k] * Q->detJ[e];
  }
  PetscCall(PetscFree4(Q->C, Q->detJ, Q->normals, Q->rate));
  Q->C       = C;
  Q->detJ    = detJ;
  Q->normals = normals;
  Q->rate    = rate;
  Q->affine  = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGScaleElement(PlexDG dg, PetscInt e, const PetscReal face[])
{
  PlexDGQuadrature Q    = dg->quadrature;
  PlexDGMesh       mesh = dg->mesh;
  const PetscInt   Np = dg->reference->Np, dim = mesh->dim;
  PetscReal        least = PETSC_MAX_REAL;

  PetscFunctionBegin;
  for (PetscInt g = 0; g < Q->NG; ++g) {
    const PetscReal m = PlexDGGetScale_Private(dg, e, &Q->phi[g * Np]);

    least = PetscMin(least, m);
    Q->detJ[(size_t)e * Q->NG + g] *= m * m;
    for (PetscInt k = 0; k < dim * dim; ++k) Q->C[((size_t)e * dim * dim + k) * Q->NG + g] *= m;
  }
  PetscCheck(least > 0., PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Coefficient %s of system %s, which lengths are multiplied by, is %g in cell %" PetscInt_FMT
             ": it has to be positive",
             dg->system->coefficients[dg->system->scale].name, dg->system->name, (double)least, mesh->cells[e]);
  for (PetscInt f = 0; f < mesh->faces; ++f)
    for (PetscInt g = 0; g < Q->MG; ++g) {
      const PetscReal m = PlexDGGetScale_Private(dg, e, &face[(f * Q->MG + g) * Np]);

      for (PetscInt d = 0; d < dim; ++d) Q->normals[((size_t)(e * mesh->faces + f) * dim + d) * Q->MG + g] *= m;
    }
  Q->rate[e] /= least;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGScaleGeometry_Private(PlexDG dg)
{
  PlexDGQuadrature Q  = dg->quadrature;
  PlexDGReference  R  = dg->reference;
  const PetscInt   NK = dg->system->ncoefficients, Np = R->Np;
  PetscReal       *points, *face;

  PetscFunctionBegin;
  if (!Q || !dg->system->scale || !dg->variables) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e)
    for (PetscInt i = 0; i < Np; ++i)
      dg->scaled = (PetscBool)(dg->scaled || dg->variables[((size_t)e * NK + dg->system->scale) * Np + i] != 1.);
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &dg->scaled, 1, MPI_C_BOOL, MPI_LOR, PetscObjectComm((PetscObject)dg)));
  if (!dg->scaled) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(dg->mesh->dim == 2, PetscObjectComm((PetscObject)dg), PETSC_ERR_SUP,
             "Maps of the sphere have 2 dimensions, and this mesh has %" PetscInt_FMT ": leave -plex_dg_scale 1",
             dg->mesh->dim);
  if (Q->affine) PetscCall(PlexDGExpandGeometry(Q, dg->mesh));
  PetscCall(PetscMalloc2(R->faces * Q->MG * 2, &points, R->faces * Q->MG * Np, &face));
  for (PetscInt f = 0; f < R->faces; ++f) PlexDGFacePoints_Private(R, f, Q->MG, Q->facePoints, &points[f * Q->MG * 2]);
  PetscCall(PlexDGReferenceInterpolate(R, R->faces * Q->MG, points, face));
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e) PetscCall(PlexDGScaleElement(dg, e, face));
  PetscCall(PetscFree2(points, face));
  PetscCall(PetscFree(Q->Minv));
  PetscCall(PlexDGQuadratureSetMass_Private(Q, dg->mesh, R));
  PetscFunctionReturn(PETSC_SUCCESS);
}
