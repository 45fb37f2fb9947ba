/* A solution: by the stages of a linear problem (solve.c) or by Navier-Stokes equations' iteration (navierstate.c), and
   by how much its flux jumps */
#include "groups.h"
#include "navier.h" /*I "plexgpuhdg.h" I*/

/*@
  PlexHDGSolve - Solves the problem: local matrices, K, the trace, u, q and post-processed u

  Collective

  Input Parameter:
. hdg - the discretization

  Level: beginner

  Notes:
  K is computed unless there is one for the present coefficients: after another source, or other values of Dirichlet's
  and Neumann's conditions, it stays, with its preconditioner.

  An error where the trace's solver does not converge.

  Of `PLEX_HDG_NAVIER_STOKES` this finds a steady flow by the solver of `PlexHDGGetSNES()`, from the last solution, or
  from a fluid at rest; an error where it does not converge.

  With Neumann's condition on all of the boundary, and lambda 0 everywhere, u is known but for a constant; sources and
  fluxes have to be in balance.

.seealso: `PlexHDG`, `PlexHDGGetSolution()`, `PlexHDGGetKSP()`, `PlexHDGComputeL2Error()`
@*/
PetscErrorCode PlexHDGSolve(PlexHDG hdg)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscCheck(!hdg->nonlinear, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ORDER,
             "kappa depends on u: use PlexHDGSetSNES() and SNESSolve() in the place of PlexHDGSolve()");
  PetscCall(PlexHDGSetUp(hdg));
  if (hdg->navier) {
    PetscCall(PlexHDGNavierSolve_Private(hdg));
    PetscCall(PlexHDGMonitorImage_Private(hdg));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexHDGCreateSolution_Private(hdg));
  if (!hdg->assembled || hdg->args.shift != 0.) { /* of a time step before */
    hdg->args.shift = 0.;
    PetscCall(PlexHDGAssemble(hdg, NULL));
  }
  PetscCall(PlexHDGComputeRHS(hdg, hdg->rhs));
  PetscCall(PlexHDGSolveTrace(hdg, hdg->rhs, hdg->trace));
  PetscCall(PlexHDGRecover(hdg, hdg->trace, hdg->u, hdg->q));
  if (hdg->star) PetscCall(PlexHDGPostprocess(hdg, hdg->u, hdg->q, hdg->star));
  PetscCall(PlexHDGMonitorImage_Private(hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGGetSolution - Gets what `PlexHDGSolve()` has computed

  Not Collective

  Input Parameter:
. hdg - the discretization

  Output Parameters:
+ trace - see `PlexHDGCreateVecs()`; `NULL`: not wanted, as for the others. None is to be destroyed
. u     - the solution
. q     - its flux kappa grad u, the stress of elasticity, or the gradient of a velocity
- star  - post-processed u, of degree P + 1; `NULL` of elasticity and Stokes's equations, whose u has that degree

  Level: beginner

.seealso: `PlexHDG`, `PlexHDGSolve()`, `PlexHDGCreateVecs()`
@*/
PetscErrorCode PlexHDGGetSolution(PlexHDG hdg, Vec *trace, Vec *u, Vec *q, Vec *star)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscCheck(hdg->trace, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ORDER,
             "There is no solution yet: call PlexHDGSolve()");
  if (trace) *trace = hdg->trace;
  if (u) *u = hdg->u;
  if (q) *q = hdg->q;
  if (star) *star = hdg->star;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGComputeFluxJump - Computes by how much the flux of a solution jumps between elements

  Collective

  Input Parameter:
. hdg - the discretization, after `PlexHDGSolve()`

  Output Parameter:
. jump - the largest moment of a jump of the numerical flux (equation 5d) through a face between two elements, over the
         largest moment of a flux

  Level: intermediate

  Note:
  Zero but for rounding and the tolerance of the trace's solver: that is the condition by which the trace is found
  (equation 6b).

.seealso: `PlexHDG`, `PlexHDGSolve()`
@*/
PetscErrorCode PlexHDGComputeFluxJump(PlexHDG hdg, PetscReal *jump)
{
  PlexHDGMesh        mesh;
  const PetscScalar *sums;
  PetscInt           Nf, n;
  PetscReal         *b, largest[2] = {0., 0.};
  PetscBool         *outer;
  Vec                rhs;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscAssertPointer(jump, 2);
  PetscCheck(hdg->trace, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ORDER,
             "There is no solution yet: call PlexHDGSolve()");
  if (hdg->groups) {
    PetscCall(PlexHDGGroupsComputeFluxJump_Private(hdg, jump));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  mesh = hdg->mesh;
  Nf   = PlexHDGBlockSize(hdg);
  n    = mesh->Ne * mesh->faces * Nf;
  PetscCall(VecDuplicate(hdg->trace, &rhs));
  if (hdg->navier) PetscCall(PlexHDGNavierFluxes_Private(hdg));
  else PetscCall(PlexHDGSolveLocal_Private(hdg, hdg->trace, NULL, NULL, PETSC_TRUE));
  PetscCall(PlexHDGGather_Private(hdg, rhs));
  PetscCall(PetscMalloc2(n, &b, mesh->nown, &outer));
  if (n) PetscCall(PlexBackendCopyOut(hdg->backend, b, hdg->args.b, sizeof(*b) * n));
  for (PetscInt k = 0; k < n; ++k) largest[1] = PetscMax(largest[1], PetscAbsReal(b[k]));
  for (PetscInt l = 0; l < mesh->nown; ++l) outer[l] = PETSC_FALSE;
  for (PetscInt k = 0; k < mesh->nboundary; ++k)
    if (mesh->face[mesh->boundary[k]] < mesh->nown) outer[mesh->face[mesh->boundary[k]]] = PETSC_TRUE;
  PetscCall(VecGetArrayRead(rhs, &sums));
  for (PetscInt k = 0; k < mesh->nown * Nf; ++k)
    if (!outer[k / Nf]) largest[0] = PetscMax(largest[0], PetscAbsScalar(sums[k]));
  PetscCall(VecRestoreArrayRead(rhs, &sums));
  PetscCall(PetscFree2(b, outer));
  PetscCall(VecDestroy(&rhs));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, largest, 2, MPIU_REAL, MPIU_MAX, PetscObjectComm((PetscObject)hdg)));
  *jump = largest[1] > 0. ? largest[0] / largest[1] : 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}
