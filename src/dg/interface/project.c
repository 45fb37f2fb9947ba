/*
  States and functions of x and t: interpolation at the nodes, error in L2. On the host, where the functions are.
*/
#include <plexgpu/dg.h> /*I "plexgpu.h" I*/
#include "points.h"

/*@C
  PlexDGProject - Sets a state to the values that a function has at the nodes

  Collective

  Input Parameters:
+ dg   - the operator
. t    - time
. func - the function, of all fields
- ctx  - given to it

  Output Parameter:
. U - the state, of `PlexDGCreateVec()`

  Level: beginner

.seealso: `PlexDG`, `PlexDGCreateVec()`, `PlexDGComputeL2Error()`
@*/
PetscErrorCode PlexDGProject(PlexDG dg, PetscReal t, PlexDGFn *func, void *ctx, Vec U)
{
  PlexDGReference R;
  PetscScalar    *u, values[PLEX_DG_MAX_FIELDS];
  PetscReal       x[3];
  PetscInt        Nf;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscValidHeaderSpecific(U, VEC_CLASSID, 5);
  PetscCall(PlexDGSetUp(dg));
  R  = dg->reference;
  Nf = dg->system->Nf;
  PetscCall(VecGetArrayWrite(U, &u));
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e) {
    for (PetscInt i = 0; i < R->Np; ++i) {
      PetscCall(PlexDGGetPosition_Private(dg, e, &R->lambda[i * (R->dim + 1)], x));
      PetscCall(PetscArrayzero(values, Nf));
      PetscCall((*func)(R->dim, t, x, Nf, values, ctx));
      for (PetscInt k = 0; k < Nf; ++k) u[((size_t)e * Nf + k) * R->Np + i] = values[k];
    }
  }
  PetscCall(VecRestoreArrayWrite(U, &u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGPointsCreate_Private(PlexDGReference R, PlexDGPoints *p)
{
  PetscQuadrature  quadrature;
  const PetscReal *points, *weights;

  PetscFunctionBegin;
  PetscCall(PetscDTStroudConicalQuadrature(R->dim, 1, R->N + 2, -1., 1., &quadrature));
  PetscCall(PetscQuadratureGetData(quadrature, NULL, NULL, &p->Nq, &points, &weights));
  PetscCall(PetscMalloc3(p->Nq * R->Np, &p->B, p->Nq * (R->dim + 1), &p->lambda, p->Nq, &p->weights));
  PetscCall(PlexDGReferenceInterpolate(R, p->Nq, points, p->B));
  PetscCall(PetscArraycpy(p->weights, weights, p->Nq));
  for (PetscInt q = 0; q < p->Nq; ++q) {
    PetscReal *lambda = &p->lambda[q * (R->dim + 1)];

    lambda[0] = 1.;
    for (PetscInt a = 0; a < R->dim; ++a) lambda[0] -= lambda[a + 1] = 0.5 * (1. + points[q * R->dim + a]);
  }
  PetscCall(PetscQuadratureDestroy(&quadrature));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGPointsDestroy_Private(PlexDGPoints *p)
{
  PetscFunctionBegin;
  PetscCall(PetscFree3(p->B, p->lambda, p->weights));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void PlexDGPointsInterpolate_Private(const PlexDGPoints *p, PetscInt q, PetscInt Nf, PetscInt Np, const PetscScalar u[], PetscReal v[])
{
  for (PetscInt k = 0; k < Nf; ++k) {
    v[k] = 0.;
    for (PetscInt i = 0; i < Np; ++i) v[k] += p->B[q * Np + i] * PetscRealPart(u[k * Np + i]);
  }
}

/*@C
  PlexDGComputeL2Error - Computes the distance in L2 of a state from a function, all fields together

  Collective

  Input Parameters:
+ dg   - the operator
. t    - time
. func - the function, of all fields
. ctx  - given to it
- U    - the state

  Output Parameter:
. error - square root of the integral of the sum of squares

  Level: intermediate

  Note:
  By a quadrature that is exact for polynomials of twice the degree and two more.

.seealso: `PlexDG`, `PlexDGProject()`, `PlexDGComputeEnergy()`
@*/
PetscErrorCode PlexDGComputeL2Error(PlexDG dg, PetscReal t, PlexDGFn *func, void *ctx, Vec U, PetscReal *error)
{
  PlexDGReference    R;
  PlexDGPoints       p;
  const PetscScalar *u;
  PetscScalar        exact[PLEX_DG_MAX_FIELDS];
  PetscReal          x[3], v[PLEX_DG_MAX_FIELDS], sum = 0.;
  PetscInt           Nf;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscValidHeaderSpecific(U, VEC_CLASSID, 5);
  PetscAssertPointer(error, 6);
  PetscCall(PlexDGSetUp(dg));
  R  = dg->reference;
  Nf = dg->system->Nf;
  PetscCall(PlexDGPointsCreate_Private(R, &p));
  PetscCall(VecGetArrayRead(U, &u));
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e) {
    for (PetscInt q = 0; q < p.Nq; ++q) {
      PetscCall(PlexDGGetPosition_Private(dg, e, &p.lambda[q * (R->dim + 1)], x));
      PlexDGPointsInterpolate_Private(&p, q, Nf, R->Np, &u[(size_t)e * Nf * R->Np], v);
      PetscCall(PetscArrayzero(exact, Nf));
      PetscCall((*func)(R->dim, t, x, Nf, exact, ctx));
      for (PetscInt k = 0; k < Nf; ++k) sum += p.weights[q] * dg->mesh->detJ[e] * PetscSqr(v[k] - PetscRealPart(exact[k]));
    }
  }
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCall(PlexDGPointsDestroy_Private(&p));
  PetscCallMPI(MPIU_Allreduce(&sum, error, 1, MPIU_REAL, MPI_SUM, PetscObjectComm((PetscObject)dg)));
  *error = PetscSqrtReal(*error);
  PetscFunctionReturn(PETSC_SUCCESS);
}
