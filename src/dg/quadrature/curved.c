/*
  Curved elements of nodal DG: points, and geometry there. With the degree m of the maps, volume terms with constant
  states have degree N - 1 + (dim - 1)(m - 1), those of faces N + (dim - 1)(m - 1): points that integrate these
  exactly keep constant states, as the cofactors' divergence is zero. Energy asks for nothing, as in each equation
  derivatives are either all on the fields, or all on the test functions, or half of each: host.c of
  src/dg/impls/curved/. Masses ask for degree 2 N.
*/
#include <petscblaslapack.h>
#include "quadratureimpl.h"

#define PLEX_DG_SYMMETRIC \
  20 /* degree up to which rules on triangles are symmetric, so that both sides have the same points */

/* The curved elements as a mesh of their own: what the geometry reads of one */
static PetscErrorCode PlexDGCurvedMesh(PlexDGMesh mesh, struct _n_PlexDGMesh *part)
{
  const PetscInt n = mesh->ncurved[0] + mesh->ncurved[1], each = mesh->nx * mesh->dim, corners = mesh->nv * mesh->dim;

  PetscFunctionBegin;
  *part    = *mesh;
  part->Ne = n;
  PetscCall(PetscMalloc3(n, &part->cells, (size_t)n * each, &part->nodes, (size_t)n * corners, &part->x));
  for (PetscInt k = 0; k < n; ++k) {
    const PetscInt e = PlexDGMeshCurvedElement(mesh, k);

    part->cells[k] = mesh->cells[e];
    PetscCall(PetscArraycpy(&part->nodes[(size_t)k * each], &mesh->nodes[(size_t)e * each], each));
    PetscCall(PetscArraycpy(&part->x[(size_t)k * corners], &mesh->x[(size_t)e * corners], corners));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGQuadratureCreateCurved(PlexDGMesh mesh, PlexDGReference R, PlexDGQuadrature *quadrature)
{
  struct _n_PlexDGMesh part;
  PlexDGQuadrature     Q;
  const PetscInt       more = (R->dim - 1) * (mesh->shape->N - 1), face = PetscMax(2 * R->N, R->N + more);

  PetscFunctionBegin;
  PetscCall(PetscNew(&Q));
  *quadrature = Q;
  Q->order    = mesh->shape->N;
  Q->degree   = PetscMax(2 * R->N, R->N - 1 + more);
  PetscCall(PlexDGQuadratureSetRules_Private(Q, R, R->dim == 3 ? PetscMin(face, PLEX_DG_SYMMETRIC) : face));
  Q->affine = PETSC_TRUE;
  PetscCall(PlexDGQuadratureSetMass_Private(Q, mesh, R)); /* of the reference element */
  PetscCall(PlexDGCurvedMesh(mesh, &part));
  PetscCall(PlexDGQuadratureSetJacobians_Private(Q, &part, R));
  Q->affine = PETSC_FALSE;
  PetscCall(PetscFree3(part.cells, part.nodes, part.x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A[Np][Np] = sum_g w_g s_g phi(g) phi(g)^T; s NULL: 1 */
static void PlexDGWeightedMass(PlexDGQuadrature Q, PetscInt Np, const PetscReal det[], PetscReal A[])
{
  for (PetscInt k = 0; k < Np * Np; ++k) A[k] = 0.;
  for (PetscInt g = 0; g < Q->NG; ++g) {
    const PetscReal *phi = &Q->phi[g * Np], w = det ? Q->weights[g] / det[g] : Q->weights[g];

    for (PetscInt i = 0; i < Np; ++i)
      for (PetscInt j = 0; j < Np; ++j) A[i * Np + j] += w * phi[i] * phi[j];
  }
}

PetscErrorCode PlexDGCurvedGetNorm_Private(PlexDG dg, const PetscReal *norm[])
{
  PlexDGQuadrature Q  = dg->curved;
  const PetscInt   Np = dg->reference->Np, n = dg->mesh->ncurved[0] + dg->mesh->ncurved[1];
  PetscReal       *M, *A;
  PetscBLASInt     bNp, info;

  PetscFunctionBegin;
  *norm = dg->curvedNorm;
  if (dg->curvedNorm) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscBLASIntCast(Np, &bNp));
  PetscCall(PetscMalloc1((size_t)n * Np * Np + 1, &dg->curvedNorm));
  PetscCall(PetscMalloc2(Np * Np, &M, Np * Np, &A));
  PlexDGWeightedMass(Q, Np, NULL, M);
  for (PetscInt k = 0; k < n; ++k) {
    PetscReal *T = &dg->curvedNorm[(size_t)k * Np * Np];

    PlexDGWeightedMass(Q, Np, &Q->detJ[(size_t)k * Q->NG], A);
    for (PetscInt i = 0; i < Np; ++i)
      for (PetscInt j = 0; j < Np; ++j) T[i * Np + j] = M[i * Np + j];
    PetscCallBLAS("LAPACKpotrf", LAPACKpotrf_("L", &bNp, A, &bNp, &info));
    PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_MAT_LU_ZRPVT, "A mass matrix of a curved element is singular");
    PetscCallBLAS("LAPACKpotrs", LAPACKpotrs_("L", &bNp, &bNp, A, &bNp, T, &bNp, &info));
  }
  PetscCall(PetscFree2(M, A));
  *norm = dg->curvedNorm;
  PetscFunctionReturn(PETSC_SUCCESS);
}
