/*
  States and functions of x and t: interpolation at the nodes, error in L2. On the host, where the functions are.
*/
#include "points.h" /*I "plexgpudg.h" I*/

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
      PetscCall(PlexDGMeshGetPosition(dg->mesh, e, &dg->shapes[i * dg->mesh->nx], x));
      PetscCall(PetscArrayzero(values, Nf));
      PetscCall((*func)(R->dim, t, x, Nf, values, ctx));
      for (PetscInt k = 0; k < Nf; ++k) u[((size_t)e * Nf + k) * R->Np + i] = values[k];
    }
  }
  if (dg->shore) PlexDGShoreProject_Private(dg, u);
  PetscCall(VecRestoreArrayWrite(U, &u));
  PetscFunctionReturn(PETSC_SUCCESS);
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
  PetscCall(PlexDGPointsCreate_Private(dg, &p));
  PetscCall(VecGetArrayRead(U, &u));
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e) {
    for (PetscInt q = 0; q < p.Nq; ++q) {
      const PetscReal det = PlexDGPointsDeterminant_Private(dg, &p, e, q);

      PetscCall(PlexDGMeshGetPosition(dg->mesh, e, &p.shapes[q * dg->mesh->nx], x));
      PlexDGPointsInterpolate_Private(&p, q, Nf, R->Np, &u[(size_t)e * Nf * R->Np], v);
      PetscCall(PetscArrayzero(exact, Nf));
      PetscCall((*func)(R->dim, t, x, Nf, exact, ctx));
      for (PetscInt k = 0; k < Nf; ++k) sum += p.weights[q] * det * PetscSqr(v[k] - PetscRealPart(exact[k]));
    }
  }
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCall(PlexDGPointsDestroy_Private(&p));
  PetscCallMPI(MPIU_Allreduce(&sum, error, 1, MPIU_REAL, MPI_SUM, PetscObjectComm((PetscObject)dg)));
  *error = PetscSqrtReal(*error);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGComputeIntegrals - Computes the integral of each field

  Collective

  Input Parameters:
+ dg - the operator
- U  - the state

  Output Parameter:
. integrals - one for each field of the system

  Level: intermediate

  Note:
  By the quadrature of `PlexDGComputeL2Error()`, on the host. What a system conserves, such as the mass of water, keeps
  its integral to rounding.

.seealso: `PlexDG`, `PlexDGComputeEnergy()`, `PlexDGComputeL2Error()`
@*/
PetscErrorCode PlexDGComputeIntegrals(PlexDG dg, Vec U, PetscReal integrals[])
{
  PlexDGPoints       p;
  const PetscScalar *u;
  PetscReal          v[PLEX_DG_MAX_FIELDS], sums[PLEX_DG_MAX_FIELDS] = {0.};
  PetscInt           Nf, Np;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscValidHeaderSpecific(U, VEC_CLASSID, 2);
  PetscAssertPointer(integrals, 3);
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexDGCheckVec_Private(dg, U));
  Nf = dg->system->Nf;
  Np = dg->reference->Np;
  PetscCall(PlexDGPointsCreate_Private(dg, &p));
  PetscCall(VecGetArrayRead(U, &u));
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e) {
    for (PetscInt q = 0; q < p.Nq; ++q) {
      const PetscReal weight = p.weights[q] * PlexDGPointsDeterminant_Private(dg, &p, e, q);

      PlexDGPointsInterpolate_Private(&p, q, Nf, Np, &u[(size_t)e * Nf * Np], v);
      for (PetscInt k = 0; k < Nf; ++k) sums[k] += weight * v[k];
    }
  }
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCall(PlexDGPointsDestroy_Private(&p));
  PetscCallMPI(MPIU_Allreduce(sums, integrals, (PetscMPIInt)Nf, MPIU_REAL, MPI_SUM, PetscObjectComm((PetscObject)dg)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
