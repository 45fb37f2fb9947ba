/* Errors of a solution of hybridized DG, in L2 and the largest ones */
#include "groups.h"             /*I "plexgpuhdg.h" I*/
#include "../dm/elementsimpl.h" /* PlexCofactors(), PlexCoordinateTabulate() */

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
  PetscCall(PetscMalloc4(P->Nq * R->Np, &P->phi, P->Nq * R->Npost, &P->phiPost, P->Nq * mesh->Nv, &P->shape,
                         P->Nq * mesh->Nv * mesh->dim, &P->dshape));
  PetscCall(PlexHDGBasis(R->cell, R->P, P->Nq, P->points, P->phi, NULL));
  PetscCall(PlexHDGBasis(R->cell, R->P + 1, P->Nq, P->points, P->phiPost, NULL));
  if (mesh->nmapped) PetscCall(PlexCoordinateTabulate(mesh->fe, mesh->Nv, P->Nq, P->points, P->shape, P->dshape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscReal PlexHDGDifference(PetscInt n, const PetscReal phi[], const PetscScalar c[], PetscScalar exact)
{
  PetscReal sum = -PetscRealPart(exact);

  for (PetscInt i = 0; i < n; ++i) sum += phi[i] * PetscRealPart(c[i]);
  return PetscAbsReal(sum);
}

/* Squares of the differences of components c[][n] from exact[], sum; weights: of components, NULL: 1 */
static PetscReal PlexHDGSquares(PetscInt components, PetscInt n, const PetscReal phi[], const PetscScalar c[],
                                const PetscScalar exact[], const PetscReal weights[])
{
  PetscReal sum = 0.;

  for (PetscInt d = 0; d < components; ++d)
    sum += (weights ? weights[d] : 1.) * PetscSqr(PlexHDGDifference(n, phi, &c[d * n], exact[d]));
  return sum;
}

/* Components of sigma off the diagonal are there twice */
static const PetscReal PlexHDGStressWeights[2][6] = {
  {1., 2., 1.},
  {1., 2., 2., 1., 2., 1.}
};

/* Those of all groups */
static PetscErrorCode PlexHDGGroupsComputeErrors(PlexHDG hdg, const PlexHDGSolution *s, PlexHDGFn *u, PlexHDGFn *q,
                                                 void *ctx, PetscReal sum[], PetscReal largest[])
{
  PetscFunctionBegin;
  for (int k = 0; k < 3; ++k) sum[k] = largest[k] = 0.;
  for (PetscInt g = 0; g < hdg->groups->n; ++g) {
    const PlexHDGGroup *group = &hdg->groups->group[g];
    PlexHDGSolution     own;
    PetscReal           sums[3], most[3];

    PetscCall(PlexHDGGroupGetVec_Private(group, 0, s->u, &own.u));
    PetscCall(PlexHDGGroupGetVec_Private(group, 1, s->q, &own.q));
    PetscCall(PlexHDGGroupGetVec_Private(group, 2, s->star, &own.star));
    PetscCall(PlexHDGComputeErrors_Private(group->part, &own, u, q, ctx, sums, most));
    for (int k = 0; k < 3; ++k) {
      sum[k] += sums[k];
      largest[k] = PetscMax(largest[k], most[k]);
    }
    PetscCall(VecDestroy(&own.u));
    PetscCall(VecDestroy(&own.q));
    PetscCall(VecDestroy(&own.star));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGComputeErrors_Private(PlexHDG hdg, const PlexHDGSolution *s, PlexHDGFn *u, PlexHDGFn *q,
                                            void *ctx, PetscReal sum[], PetscReal largest[])
{
  PlexHDGReference   R    = hdg->reference;
  PlexHDGMesh        mesh = hdg->mesh;
  PlexHDGErrorPoints P;
  const PetscScalar *U, *Q = NULL, *S = NULL;
  const PetscBool    elastic = (PetscBool)(hdg->elastic != NULL);
  PetscInt           nu, nq, components, width;

  PetscFunctionBegin;
  if (hdg->groups) {
    PetscCall(PlexHDGGroupsComputeErrors(hdg, s, u, q, ctx, sum, largest));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  nu         = PlexHDGSizeU(hdg);
  nq         = PlexHDGSizeQ(hdg);
  components = PlexHDGComponents(hdg);
  width      = nq / R->Np;
  if (!s->q) q = NULL;
  PetscCall(PlexHDGErrorPointsCreate(hdg, &P));
  PetscCall(VecGetArrayRead(s->u, &U));
  if (s->q) PetscCall(VecGetArrayRead(s->q, &Q));
  if (s->star) PetscCall(VecGetArrayRead(s->star, &S));
  for (int k = 0; k < 3; ++k) sum[k] = largest[k] = 0.;
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    for (PetscInt p = 0; p < P.Nq; ++p) {
      PetscReal   x[3], J[3][3], C[3][3], w, error[3] = {0., 0., 0.}; /* of vectors their length */
      PetscScalar exact[9] = {0.};

      PlexHDGMeshMap_Private(mesh, e, &P.points[p * R->dim], &P.shape[p * mesh->Nv], &P.dshape[p * mesh->Nv * R->dim],
                             x, J);
      w = P.weights[p] * PlexCofactors(R->dim, J, C);
      PetscCall((*u)(R->dim, x, components, exact, ctx));
      error[0] = PetscSqrtReal(PlexHDGSquares(components, nu / components,
                                              elastic ? &P.phiPost[p * R->Npost] : &P.phi[p * R->Np],
                                              &U[(size_t)e * nu], exact, NULL));
      if (S) error[2] = PlexHDGDifference(R->Npost, &P.phiPost[p * R->Npost], &S[(size_t)e * R->Npost], exact[0]);
      if (q) {
        PetscCall((*q)(R->dim, x, width, exact, ctx));
        error[1] = PetscSqrtReal(PlexHDGSquares(width, R->Np, &P.phi[p * R->Np], &Q[(size_t)e * nq], exact,
                                                elastic && !hdg->stokes ? PlexHDGStressWeights[R->dim - 2] : NULL));
      }
      for (int k = 0; k < 3; ++k) {
        sum[k] += w * error[k] * error[k];
        largest[k] = PetscMax(largest[k], error[k]);
      }
    }
  }
  PetscCall(VecRestoreArrayRead(s->u, &U));
  if (s->q) PetscCall(VecRestoreArrayRead(s->q, &Q));
  if (s->star) PetscCall(VecRestoreArrayRead(s->star, &S));
  PetscCall(PetscFree4(P.phi, P.phiPost, P.shape, P.dshape));
  PetscCall(PetscFree(P.points));
  PetscCall(PetscFree(P.weights));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, sum, 3, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)hdg)));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, largest, 3, MPIU_REAL, MPIU_MAX, PetscObjectComm((PetscObject)hdg)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the solution that was computed last */
static PetscErrorCode PlexHDGSolutionErrors(PlexHDG hdg, PlexHDGFn *u, PlexHDGFn *q, void *ctx, PetscReal sum[],
                                            PetscReal largest[])
{
  const PlexHDGSolution solution = {hdg->u, hdg->q, hdg->star};

  PetscFunctionBegin;
  PetscCheck(hdg->trace, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ORDER,
             "There is no solution yet: call PlexHDGSolve()");
  PetscCall(PlexHDGComputeErrors_Private(hdg, &solution, u, q, ctx, sum, largest));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGComputeL2Error - Computes the errors of a solution in L2

  Collective

  Input Parameters:
+ hdg - the discretization, after `PlexHDGSolve()`
. u   - gives the exact solution, one number, at a point; of elasticity and Stokes's equations dim
. q   - gives its flux kappa grad u, as many numbers as dimensions; of elasticity the stress, dim (dim + 1)/2 numbers;
        of Stokes's equations the gradient, du_i/dx_j at [i][j]; `NULL`: not wanted
- ctx - the context of both

  Output Parameter:
. error - of u, of q (zero where it is not wanted), of post-processed u: three numbers. Of elasticity the third is zero

  Level: intermediate

  Note:
  By a quadrature that is exact to degree 2 P + 7, on the host.

.seealso: `PlexHDG`, `PlexHDGSolve()`, `PlexHDGComputeMaxError()`
@*/
PetscErrorCode PlexHDGComputeL2Error(PlexHDG hdg, PlexHDGFn *u, PlexHDGFn *q, void *ctx, PetscReal error[])
{
  PetscReal largest[3];

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscAssertPointer(error, 5);
  PetscCall(PlexHDGSolutionErrors(hdg, u, q, ctx, error, largest));
  for (int k = 0; k < 3; ++k) error[k] = PetscSqrtReal(error[k]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGComputeMaxError - Computes the largest errors of a solution

  Collective

  Input Parameters:
+ hdg - the discretization, after `PlexHDGSolve()`
. u   - gives the exact solution, one number, at a point; of elasticity and Stokes's equations dim
. q   - gives its flux kappa grad u, as many numbers as dimensions; of elasticity the stress, dim (dim + 1)/2 numbers;
        of Stokes's equations the gradient, du_i/dx_j at [i][j]; `NULL`: not wanted
- ctx - the context of both

  Output Parameter:
. error - of u, of q (zero where it is not wanted), of post-processed u: three numbers. Of elasticity the third is zero

  Level: intermediate

  Note:
  At the points of the quadrature of `PlexHDGComputeL2Error()`, (P + 4)^dim an element.

.seealso: `PlexHDG`, `PlexHDGSolve()`, `PlexHDGComputeL2Error()`
@*/
PetscErrorCode PlexHDGComputeMaxError(PlexHDG hdg, PlexHDGFn *u, PlexHDGFn *q, void *ctx, PetscReal error[])
{
  PetscReal sum[3];

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscAssertPointer(error, 5);
  PetscCall(PlexHDGSolutionErrors(hdg, u, q, ctx, sum, error));
  PetscFunctionReturn(PETSC_SUCCESS);
}
