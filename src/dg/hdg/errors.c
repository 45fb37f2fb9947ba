#include "hdgimpl.h"               /*I "plexgpu.h" I*/
#include "../../dm/elementsimpl.h" /* PlexCofactors() */

/* Points where errors are integrated, and what the functions are there */
typedef struct {
  PetscInt   Nq;
  PetscReal *points, *weights, *phi, *phiPost, *shape, *dshape;
} PlexHDGErrorPoints;

static PetscErrorCode PlexHDGErrorPointsCreate(PlexHDG hdg, PlexHDGErrorPoints *P)
{
  PlexHDGReference R    = hdg->reference;
  PlexHDGMesh      mesh = hdg->mesh;

  PetscFunctionBegin;
  PetscCall(PlexHDGQuadrature(R->cell, R->P + 4, &P->Nq, &P->points, &P->weights));
  PetscCall(PetscMalloc4(P->Nq * R->Np, &P->phi, P->Nq * R->Npost, &P->phiPost, P->Nq * mesh->Nv, &P->shape, P->Nq * mesh->Nv * mesh->dim, &P->dshape));
  PetscCall(PlexHDGBasis(R->cell, R->P, P->Nq, P->points, P->phi, NULL));
  PetscCall(PlexHDGBasis(R->cell, R->P + 1, P->Nq, P->points, P->phiPost, NULL));
  if (!mesh->affine) PetscCall(PlexHDGMeshTabulate_Private(mesh, P->Nq, P->points, P->shape, P->dshape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscReal PlexHDGDifference(PetscInt n, const PetscReal phi[], const PetscScalar c[], PetscScalar exact)
{
  PetscReal sum = -PetscRealPart(exact);

  for (PetscInt i = 0; i < n; ++i) sum += phi[i] * PetscRealPart(c[i]);
  return sum * sum;
}

/*@C
  PlexHDGComputeL2Error - Computes the errors of a solution in L2

  Collective

  Input Parameters:
+ hdg - the discretization, after `PlexHDGSolve()`
. u   - gives the exact solution, one number, at a point
. q   - gives its flux kappa grad u, as many numbers as dimensions; `NULL`: not wanted
- ctx - the context of both

  Output Parameter:
. error - of u, of q (zero where it is not wanted), of post-processed u: three numbers

  Level: intermediate

  Note:
  By a quadrature that is exact to degree 2 P + 7, on the host.

.seealso: `PlexHDG`, `PlexHDGSolve()`
@*/
PetscErrorCode PlexHDGComputeL2Error(PlexHDG hdg, PlexHDGFn *u, PlexHDGFn *q, void *ctx, PetscReal error[])
{
  PlexHDGReference   R;
  PlexHDGMesh        mesh;
  PlexHDGErrorPoints P;
  const PetscScalar *U, *Q, *S;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscAssertPointer(error, 5);
  PetscCheck(hdg->trace, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ORDER, "There is no solution yet: call PlexHDGSolve()");
  R    = hdg->reference;
  mesh = hdg->mesh;
  PetscCall(PlexHDGErrorPointsCreate(hdg, &P));
  PetscCall(VecGetArrayRead(hdg->u, &U));
  PetscCall(VecGetArrayRead(hdg->q, &Q));
  PetscCall(VecGetArrayRead(hdg->star, &S));
  error[0] = error[1] = error[2] = 0.;
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    for (PetscInt p = 0; p < P.Nq; ++p) {
      PetscReal   x[3], J[3][3], C[3][3], w;
      PetscScalar exact[3] = {0., 0., 0.};

      PlexHDGMeshMap_Private(mesh, e, &P.points[p * R->dim], &P.shape[p * mesh->Nv], &P.dshape[p * mesh->Nv * R->dim], x, J);
      w = P.weights[p] * PlexCofactors(R->dim, J, C);
      PetscCall((*u)(R->dim, x, 1, exact, ctx));
      error[0] += w * PlexHDGDifference(R->Np, &P.phi[p * R->Np], &U[(size_t)e * R->Np], exact[0]);
      error[2] += w * PlexHDGDifference(R->Npost, &P.phiPost[p * R->Npost], &S[(size_t)e * R->Npost], exact[0]);
      if (!q) continue;
      PetscCall((*q)(R->dim, x, R->dim, exact, ctx));
      for (PetscInt d = 0; d < R->dim; ++d) error[1] += w * PlexHDGDifference(R->Np, &P.phi[p * R->Np], &Q[((size_t)e * R->dim + d) * R->Np], exact[d]);
    }
  }
  PetscCall(VecRestoreArrayRead(hdg->u, &U));
  PetscCall(VecRestoreArrayRead(hdg->q, &Q));
  PetscCall(VecRestoreArrayRead(hdg->star, &S));
  PetscCall(PetscFree4(P.phi, P.phiPost, P.shape, P.dshape));
  PetscCall(PetscFree(P.points));
  PetscCall(PetscFree(P.weights));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, error, 3, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)hdg)));
  for (int k = 0; k < 3; ++k) error[k] = PetscSqrtReal(error[k]);
  PetscFunctionReturn(PETSC_SUCCESS);
}
