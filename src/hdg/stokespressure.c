/* The pressure of Stokes's equations: its constants in each element are unknowns besides the trace, the rest is of local
   problems. Where nothing but known velocities passes the boundary it has mean zero */
#include "stokes.h"             /*I "plexgpuhdg.h" I*/
#include "../dm/elementsimpl.h" /* PlexCofactors(), PlexCoordinateTabulate() */

PetscErrorCode PlexHDGStokesCreateVec_Private(PlexHDG hdg, PetscInt n, Vec *v)
{
  PetscFunctionBegin;
  PetscCall(VecCreate(PetscObjectComm((PetscObject)hdg), v));
  PetscCall(VecSetSizes(*v, n, PETSC_DETERMINE));
  PetscCall(VecSetType(*v, PlexBackendVecType(hdg->backend)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGStokesAllocate_Private(PlexHDG hdg)
{
  PlexHDGStokes  s  = hdg->stokes;
  const PetscInt Ne = hdg->mesh->Ne;

  PetscFunctionBegin;
  s->args.symmetric = hdg->symmetricStress;
  PetscCall(PlexHDGAllocate(hdg, sizeof(double) * (size_t)Ne * PlexHDGTraceSize(hdg), (void **)&s->args.net));
  PetscCall(PlexHDGAllocate(hdg, sizeof(double) * Ne, (void **)&s->args.volume));
  PetscCall(PlexHDGAllocate(hdg, sizeof(double) * Ne, (void **)&s->args.integral));
  PetscCall(PlexHDGStokesCreateVec_Private(hdg, Ne, &s->mean));
  PetscCall(VecDuplicate(s->mean, &s->rhs));
  PetscCall(VecDuplicate(s->mean, &s->scale));
  PetscCall(VecZeroEntries(s->mean));
  PetscCall(PlexHDGStokesCreateVec_Private(hdg, Ne * hdg->reference->Np, &s->pressure));
  PetscCall(VecSetBlockSize(s->pressure, hdg->reference->Np));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGStokesBeginLocal_Private(PlexHDG hdg, Vec trace, Vec u)
{
  PlexHDGStokes s = hdg->stokes;

  PetscFunctionBegin;
  s->args.mean = NULL;
  s->args.p    = NULL;
  if (!trace) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendVecGet(hdg->backend, s->mean, PLEX_READ, &s->arrayMean));
  s->args.mean = s->arrayMean.array;
  if (!u) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendVecGet(hdg->backend, s->pressure, PLEX_WRITE, &s->arrayPressure));
  s->args.p = s->arrayPressure.array;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGStokesCenter_Private(PlexHDG hdg)
{
  PlexHDGStokes  s  = hdg->stokes;
  const PetscInt Ne = hdg->mesh->Ne;
  PetscReal     *integral, sum = 0.;
  Vec            constants;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(Ne, &integral));
  if (Ne) PetscCall(PlexBackendCopyOut(hdg->backend, integral, s->args.integral, sizeof(double) * Ne));
  for (PetscInt e = 0; e < Ne; ++e) sum += integral[e];
  PetscCall(PetscFree(integral));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &sum, 1, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)hdg)));
  PetscCall(VecShift(s->mean, -sum / s->allVolume));
  PetscCall(VecDuplicate(s->mean, &constants));
  PetscCall(VecStrideGather(s->pressure, 0, constants, INSERT_VALUES));
  PetscCall(VecShift(constants, -sum / s->allVolume));
  PetscCall(VecStrideScatter(constants, 0, s->pressure, INSERT_VALUES));
  PetscCall(VecDestroy(&constants));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGStokesEndLocal_Private(PlexHDG hdg, Vec trace, Vec u)
{
  PlexHDGStokes s = hdg->stokes;

  PetscFunctionBegin;
  /* a process without elements has no array, and its part in what all do */
  if (trace) PetscCall(PlexBackendVecRestore(hdg->backend, &s->arrayMean));
  if (trace && u) PetscCall(PlexBackendVecRestore(hdg->backend, &s->arrayPressure));
  if (trace && u && s->closed) PetscCall(PlexHDGStokesCenter_Private(hdg));
  s->args.mean = NULL;
  s->args.p    = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGGetPressure - Gets the pressure that `PlexHDGSolve()` has computed

  Not Collective

  Input Parameter:
. hdg - the discretization, of `PLEX_HDG_STOKES` or `PLEX_HDG_NAVIER_STOKES`

  Output Parameter:
. p - the pressure, [element][function of degree P]; not to be destroyed

  Level: beginner

  Note:
  Where nothing but known velocities passes the boundary p is determined up to a constant, and has mean zero.

  Example:
.vb
  PetscCall(PlexHDGSetSystem(hdg, PLEX_HDG_STOKES));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexHDGGetPressure(hdg, &p));
  PetscCall(PlexHDGComputeNodeValues(hdg, 1, p, values)); // values[Ne][1][Np]
.ve

.seealso: `PlexHDG`, `PlexHDGSetSystem()`, `PlexHDGGetSolution()`, `PlexHDGComputePressureError()`,
         `PlexHDGComputeNodeValues()`
@*/
PetscErrorCode PlexHDGGetPressure(PlexHDG hdg, Vec *p)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscAssertPointer(p, 2);
  PetscCall(PlexHDGCheckFluid_Private(hdg, "PlexHDGGetPressure()"));
  PetscCheck(hdg->trace, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ORDER,
             "There is no solution yet: call PlexHDGSolve()");
  *p = hdg->stokes->pressure;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGComputePressureError - Computes the error of a pressure in L2

  Collective

  Input Parameters:
+ hdg - the discretization, of `PLEX_HDG_STOKES` or `PLEX_HDG_NAVIER_STOKES`, after `PlexHDGSolve()`
. p   - gives the exact pressure, one number, at a point
- ctx - its context

  Output Parameter:
. error - of the pressure; where it has a free constant, of that with the exact one's mean

  Level: intermediate

  Note:
  By a quadrature that is exact to degree 2 P + 7, on the host.

  Example:
.vb
  PetscErrorCode exact(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar p[], void *ctx);
  PetscCall(PlexHDGComputePressureError(hdg, exact, NULL, &error));
.ve

.seealso: `PlexHDG`, `PlexHDGGetPressure()`, `PlexHDGComputeL2Error()`
@*/
PetscErrorCode PlexHDGComputePressureError(PlexHDG hdg, PlexHDGFn *p, void *ctx, PetscReal *error)
{
  PlexHDGReference   R;
  PlexHDGMesh        mesh;
  const PetscScalar *c;
  PetscInt           Nq;
  PetscReal         *points, *weights, *phi, *shape, *dshape, sum[3] = {0., 0., 0.}; /* of 1, differences, squares */
  Vec                v;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscAssertPointer(error, 4);
  PetscCall(PlexHDGGetPressure(hdg, &v));
  R    = hdg->reference;
  mesh = hdg->mesh;
  PetscCall(PlexHDGQuadrature(R->cell, R->P + 4, &Nq, &points, &weights));
  PetscCall(PetscMalloc1(Nq * R->Np, &phi));
  PetscCall(PlexHDGBasis(R->cell, R->P, Nq, points, phi, NULL));
  PetscCall(PlexHDGTabulate_Private(mesh, Nq, points, &shape, &dshape));
  PetscCall(VecGetArrayRead(v, &c));
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    for (PetscInt q = 0; q < Nq; ++q) {
      PetscReal   x[3], J[3][3], C[3][3], w, difference;
      PetscScalar exact = 0.;

      PlexHDGMeshMap_Private(mesh, e, &points[q * R->dim], &shape[q * mesh->Nv], &dshape[q * mesh->Nv * R->dim], x, J);
      w = weights[q] * PlexCofactors(R->dim, J, C);
      PetscCall((*p)(R->dim, x, 1, &exact, ctx));
      difference = -PetscRealPart(exact);
      for (PetscInt i = 0; i < R->Np; ++i) difference += phi[q * R->Np + i] * PetscRealPart(c[(size_t)e * R->Np + i]);
      sum[0] += w;
      sum[1] += w * difference;
      sum[2] += w * PetscSqr(difference);
    }
  }
  PetscCall(VecRestoreArrayRead(v, &c));
  PetscCall(PetscFree2(shape, dshape));
  PetscCall(PetscFree(phi));
  PetscCall(PetscFree(points));
  PetscCall(PetscFree(weights));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, sum, 3, MPIU_REAL, MPIU_SUM, PetscObjectComm((PetscObject)hdg)));
  if (hdg->stokes->closed) sum[2] -= PetscSqr(sum[1]) / sum[0];
  *error = PetscSqrtReal(PetscMax(0., sum[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
