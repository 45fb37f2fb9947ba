/*
  The pressure of a state of Navier-Stokes equations, of its velocity and its time alone.

  A step in time ends with the pressure of its last stage, which is one for the whole stage: of order 1 where convection is
  explicit. But u at a time determines p at that time: a step of implicit Euler's method of size d, with explicit convection
  as it is at u, has it but for a part of the order of d, and a velocity that is as near to u. Known velocities and sources are
  those of d later: what the fluid at a boundary gains in speed belongs to p. d is a thousandth of the last stage's.
*/
#include "navier.h" /*I "plexgpuhdg.h" I*/

/*@
  PlexHDGComputeStatePressure - Computes the pressure of a state from its velocity

  Collective

  Input Parameters:
+ hdg - the discretization, of `PLEX_HDG_NAVIER_STOKES`
- X   - a state at the end of a step in time, of `PlexHDGCreateStateVec()`

  Output Parameter:
. X - with the same velocity and trace, and the pressure that belongs to them

  Level: intermediate

  Note:
  With `PLEX_HDG_TRANSPORT_EXPLICIT` the pressure at the end of a step has order 1 in time, and after this the order of the
  velocity. It costs a matrix and factors for another size of steps, and those of the next step in time: call it where a
  pressure is wanted, not after each step.

  Example:
.vb
  PetscCall(TSSolve(ts, X));
  PetscCall(PlexHDGComputeStatePressure(hdg, X));
  PetscCall(PlexHDGSetState(hdg, X));
  PetscCall(PlexHDGGetPressure(hdg, &p));
.ve

.seealso: `PlexHDG`, `PlexHDGSetTransport()`, `PlexHDGSetState()`, `PlexHDGGetPressure()`
@*/
PetscErrorCode PlexHDGComputeStatePressure(PlexHDG hdg, Vec X)
{
  const PetscScalar *from;
  PetscScalar       *to;
  PetscReal          shift, time;
  PCFailedReason     failed;
  PC                 pc;
  Vec                slope, F, change, rate, Y;
  size_t             first, last;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscValidHeaderSpecific(X, VEC_CLASSID, 2);
  PetscCall(PlexHDGCheckSystem_Private(hdg, PLEX_HDG_NAVIER_STOKES, "PlexHDGComputeStatePressure()"));
  PetscCheck(hdg->setUp && hdg->args.shift != 0., PetscObjectComm((PetscObject)hdg), PETSC_ERR_ORDER,
             "PlexHDGComputeStatePressure() is for a state after steps in time: call TSSolve() first (PlexHDGSetTS())");
  shift = hdg->args.shift;
  time  = hdg->time ? *hdg->time : 0.;
  PetscCall(PlexHDGNavierSetUp_Private(hdg));
  PetscCall(VecDuplicate(X, &slope));
  PetscCall(VecDuplicate(X, &F));
  PetscCall(VecDuplicate(X, &change));
  PetscCall(VecZeroEntries(slope));
  if (hdg->transport == PLEX_HDG_TRANSPORT_EXPLICIT) {
    PetscCall(PlexHDGNavierExplicit_Private(hdg, X, slope));
    PetscCall(VecScale(slope, -1.));
  }
  PetscCall(VecDuplicate(X, &Y));
  PetscCall(VecDuplicate(X, &rate));
  PetscCall(VecCopy(X, Y));
  PetscCall(PCCreate(PetscObjectComm((PetscObject)hdg), &pc)); /* which says that a solve has failed */
  PetscCall(PlexHDGSetTime_Private(hdg, time + 1e-3 / shift));
  PetscCall(PlexHDGNavierJacobian_Private(hdg, PETSC_INT_MAX, X, 1e3 * shift));
  for (int k = 0; k < 3;
       ++k) { /* again: what flows through a boundary is little beside the rest of a right-hand side */
    PetscCall(VecWAXPY(rate, -1., X, Y));
    PetscCall(VecAYPX(rate, 1e3 * shift, slope));
    PetscCall(PlexHDGNavierResidual_Private(hdg, Y, rate, F));
    PetscCall(PlexHDGNavierApply_Private(hdg, pc, F, change));
    PetscCall(PCGetFailedReason(pc, &failed));
    PetscCheck(failed == PC_NOERROR, PetscObjectComm((PetscObject)hdg), PETSC_ERR_NOT_CONVERGED,
               "The solver of PlexHDGComputeStatePressure() does not converge: see -plex_hdg_ksp_monitor");
    PetscCall(VecAXPY(Y, -1., change));
  }
  PetscCall(PCDestroy(&pc));
  first = PlexHDGNavierPlaceP(hdg);
  last  = PlexHDGNavierPlaceTrace(hdg);
  PetscCall(VecGetArrayRead(Y, &from));
  PetscCall(VecGetArray(X, &to));
  for (size_t k = first; k < last; ++k) to[k] = from[k];
  PetscCall(VecRestoreArray(X, &to));
  PetscCall(VecRestoreArrayRead(Y, &from));
  PetscCall(VecDestroy(&Y));
  PetscCall(VecDestroy(&rate));
  PetscCall(VecDestroy(&slope));
  PetscCall(VecDestroy(&F));
  PetscCall(VecDestroy(&change));
  PetscCall(PlexHDGSetTime_Private(hdg, time));
  hdg->args.shift = shift; /* that of steps; K is not of it */
  hdg->assembled  = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
