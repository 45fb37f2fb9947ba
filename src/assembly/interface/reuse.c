/*
  Local vectors that a Jacobian takes from the residual at the same state.

  PETSc makes the local vector of the solution anew for each residual and each Jacobian: zero, essential values, values
  of other processes. A solver that computes F(x) and then J(x) of one and the same vector x needs it once. The callbacks
  of SNES and TS here stand before PETSc's global ones, which call the local ones:

    residual   PETSc's, whose local vectors are noted
    Jacobian   ours, with these vectors, where they are known to hold what PETSc would put into them; else PETSc's

  A vector is known by its number and its state. Both are as collective as the functions that change a vector, which
  VecNorm() relies on as well; all else that is asked here is agreed on by all processes.
*/
#include <plexgpu/private/assemblyimpl.h>
#include "assemblyimpl.h"
#include <petsc/private/dmimpl.h>
#include <petsc/private/snesimpl.h>
#include <petsc/private/tsimpl.h>

/* Of the DM, the callback that inserts essential values; NULL: there is none. PETSc has no call that gets that of a TS:
   it is the first entry of what DMTSSetBoundaryLocal() writes */
PetscErrorCode PlexGetBoundary_Private(DM dm, PetscBool ts, PetscVoidFn **boundary)
{
  PetscErrorCode (*snes)(DM, Vec, void *);
  void *ctx;

  PetscFunctionBegin;
  if (ts) memcpy(boundary, ((DMTS)dm->dmts)->data, sizeof(*boundary));
  else {
    PetscCall(DMSNESGetBoundaryLocal(dm, &snes, &ctx));
    *boundary = (PetscVoidFn *)snes;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A residual of a solver begins */
static PetscErrorCode PlexReuseBegin(PlexAssembly asm_, PetscBool ts, PetscReal t, Vec X, Vec X_t)
{
  PlexReuse *reuse = &asm_->reuse;

  PetscFunctionBegin;
  reuse->noted  = PETSC_FALSE;
  reuse->values = PETSC_FALSE;
  if (!asm_->reuseSolution) PetscFunctionReturn(PETSC_SUCCESS);
  reuse->active = PETSC_TRUE;
  reuse->t      = t;
  PetscCall(PlexSeenSet_Private(X, &reuse->global[0]));
  PetscCall(PlexSeenSet_Private(X_t, &reuse->global[1]));
  PetscCall(PlexGetBoundary_Private(asm_->dm, ts, &reuse->boundary));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* DMGlobalToLocal() does what it did: there are no constraints, basis transform or hooks, whose data could be others */
static PetscErrorCode PlexReuseIsPlain(DM dm, PetscBool *plain)
{
  Mat       constraints;
  PetscBool transform;

  PetscFunctionBegin;
  PetscCall(DMGetDefaultConstraints(dm, NULL, &constraints, NULL));
  PetscCall(DMHasBasisTransform(dm, &transform));
  *plain = (PetscBool)(!constraints && !transform && !dm->gtolhook);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether essential values would be those that the local vectors have */
static PetscErrorCode PlexReuseHasValues(PlexAssembly asm_, PetscBool ts, PetscBool *has)
{
  const PlexReuse *reuse    = &asm_->reuse;
  PetscVoidFn     *ours     = ts ? (PetscVoidFn *)PlexAssemblyTSBoundary_Private
                                 : (PetscVoidFn *)PlexAssemblySNESBoundary_Private;
  PetscVoidFn     *boundary = NULL;
  PlexSolve        solve;

  PetscFunctionBegin;
  PetscCall(PlexGetBoundary_Private(asm_->dm, ts, &boundary));
  *has = (PetscBool)(boundary == reuse->boundary);
  if (!*has || !boundary) PetscFunctionReturn(PETSC_SUCCESS);
  *has = (PetscBool)(boundary == ours && reuse->values && asm_->boundary &&
                     reuse->evaluations == PlexReuseEvaluations_Private(asm_));
  if (!*has) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexSolveGetCurrent_Private(&solve));
  PetscCall(PlexBoundaryHolds(asm_->boundary, solve, reuse->timeValue, (PetscBool)(reuse->local[1].id != 0), has));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a work vector of the DM is the one that was seen, unchanged, and nobody has it at present */
static PetscErrorCode PlexReuseFind(DM dm, PlexSeen seen, PetscBool *found)
{
  PetscFunctionBegin;
  *found = (PetscBool)!seen.id;
  for (PetscInt k = 0; k < DM_MAX_WORK_VECTORS && !*found; ++k)
    if (dm->localin[k]) PetscCall(PlexSeenIsSame_Private(dm->localin[k], seen, found));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Gets that work vector, which is there; NULL where none was seen */
static PetscErrorCode PlexReuseGet(DM dm, PlexSeen seen, Vec *v)
{
  Vec           others[DM_MAX_WORK_VECTORS];
  PetscObjectId id = 0;
  PetscInt      n  = 0;

  PetscFunctionBegin;
  *v = NULL;
  if (!seen.id) PetscFunctionReturn(PETSC_SUCCESS);
  while (1) {
    PetscCall(DMGetLocalVector(dm, v));
    PetscCall(PetscObjectGetId((PetscObject)*v, &id));
    if (id == seen.id) break;
    others[n++] = *v;
  }
  while (n) PetscCall(DMRestoreLocalVector(dm, &others[--n]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The local vectors of X and X_t at time t, if the last residual's are these: *taken */
static PetscErrorCode PlexReuseTake(PlexAssembly asm_, PetscBool ts, PetscReal t, Vec X, Vec X_t, Vec local[2],
                                    PetscBool *taken)
{
  const PlexReuse *reuse = &asm_->reuse;
  const Vec        v[2]  = {X, X_t};
  DM               dm    = asm_->dm;
  MPI_Comm         comm  = PetscObjectComm((PetscObject)dm);
  PetscBool        holds = (PetscBool)(asm_->reuseSolution && reuse->noted && asm_->setUp && t == reuse->t);
  PetscInt64       state;
  PetscMPIInt      size;

  PetscFunctionBegin;
  *taken = PETSC_FALSE;
  for (PetscInt k = 0; k < 2 && holds; ++k) PetscCall(PlexSeenIsSame_Private(v[k], reuse->global[k], &holds));
  if (!holds) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexReuseIsPlain(dm, &holds));
  if (holds) PetscCall(PlexReuseHasValues(asm_, ts, &holds));
  for (PetscInt k = 0; k < 2 && holds; ++k) PetscCall(PlexReuseFind(dm, reuse->local[k], &holds));
  if (holds) {
    PetscCall(PlexAssemblyGetState_Private(asm_, &state));
    holds = (PetscBool)(state == reuse->state);
  }
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (size > 1) PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &holds, 1, MPI_C_BOOL, MPI_LAND, comm));
  if (!holds) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < 2; ++k) PetscCall(PlexReuseGet(dm, reuse->local[k], &local[k]));
  asm_->reused++;
  *taken = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexReuseReturn(DM dm, Vec local[2])
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k)
    if (local[k]) PetscCall(DMRestoreLocalVector(dm, &local[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Callbacks before PETSc's global ones */

static PetscErrorCode PlexReuseSNESFunction(SNES snes, Vec X, Vec F, void *ctx)
{
  PlexAssembly   asm_;
  DM             dm;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(SNESGetDM(snes, &dm));
  PetscCall(PlexAssemblyGetFromDM(dm, &asm_));
  PetscCall(PlexReuseBegin(asm_, PETSC_FALSE, 0.0, X, NULL));
  ierr               = (*PlexGlobals.function)(snes, X, F, ctx);
  asm_->reuse.active = PETSC_FALSE;
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexReuseSNESJacobian(SNES snes, Vec X, Mat J, Mat P, void *ctx)
{
  PlexAssembly asm_;
  DM           dm;
  Vec          local[2];
  PetscBool    taken;

  PetscFunctionBegin;
  PetscCall(SNESGetDM(snes, &dm));
  PetscCall(PlexAssemblyGetFromDM(dm, &asm_));
  PetscCall(PlexReuseTake(asm_, PETSC_FALSE, 0.0, X, NULL, local, &taken));
  if (taken) {
    PetscCall(PlexAssemblySNESJacobian_Private(dm, local[0], J, P, NULL));
    PetscCall(PlexReuseReturn(dm, local));
  } else PetscCall((*PlexGlobals.jacobian)(snes, X, J, P, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexReuseTSIFunction(TS ts, PetscReal t, Vec X, Vec X_t, Vec F, void *ctx)
{
  PlexAssembly   asm_;
  DM             dm;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(TSGetDM(ts, &dm));
  PetscCall(PlexAssemblyGetFromDM(dm, &asm_));
  PetscCall(PlexReuseBegin(asm_, PETSC_TRUE, t, X, X_t));
  ierr               = (*PlexGlobals.ifunction)(ts, t, X, X_t, F, ctx);
  asm_->reuse.active = PETSC_FALSE;
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexReuseTSIJacobian(TS ts, PetscReal t, Vec X, Vec X_t, PetscReal shift, Mat J, Mat P, void *ctx)
{
  PlexAssembly asm_;
  DM           dm;
  Vec          local[2];
  PetscBool    taken;

  PetscFunctionBegin;
  PetscCall(TSGetDM(ts, &dm));
  PetscCall(PlexAssemblyGetFromDM(dm, &asm_));
  PetscCall(PlexReuseTake(asm_, PETSC_TRUE, t, X, X_t, local, &taken));
  if (taken) {
    PetscCall(PlexAssemblyTSIJacobian_Private(dm, t, local[0], local[1], shift, J, P, NULL));
    PetscCall(PlexReuseReturn(dm, local));
  } else PetscCall((*PlexGlobals.ijacobian)(ts, t, X, X_t, shift, J, P, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Which of PETSc's global callbacks ours stand before: those that call local callbacks of ours */

PetscErrorCode PlexReuseSNES_Private(DM dm)
{
  PetscErrorCode (*function)(DM, Vec, Vec, void *);
  PetscErrorCode (*jacobian)(DM, Vec, Mat, Mat, void *);
  SNESFunctionFn *F;
  SNESJacobianFn *J;
  void           *fctx, *jctx;

  PetscFunctionBegin;
  PetscCall(DMSNESGetFunctionLocal(dm, &function, &fctx));
  PetscCall(DMSNESGetJacobianLocal(dm, &jacobian, &jctx));
  PetscCall(DMSNESGetFunction(dm, &F, NULL));
  PetscCall(DMSNESGetJacobian(dm, &J, NULL));
  if (function != PlexAssemblySNESFunction_Private || jacobian != PlexAssemblySNESJacobian_Private)
    PetscFunctionReturn(PETSC_SUCCESS);
  /* the local ones are set again, so that the DM has data of its own where it shared those of another DM */
  if (F == PlexGlobals.function) {
    PetscCall(DMSNESSetFunctionLocal(dm, function, fctx));
    PetscCall(DMSNESSetFunction(dm, PlexReuseSNESFunction, ((DMSNES)dm->dmsnes)->data));
  }
  if (J == PlexGlobals.jacobian) {
    PetscCall(DMSNESSetJacobianLocal(dm, jacobian, jctx));
    PetscCall(DMSNESSetJacobian(dm, PlexReuseSNESJacobian, ((DMSNES)dm->dmsnes)->data));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexReuseTS_Private(DM dm)
{
  PetscErrorCode (*ifunction)(DM, PetscReal, Vec, Vec, Vec, void *);
  PetscErrorCode (*ijacobian)(DM, PetscReal, Vec, Vec, PetscReal, Mat, Mat, void *);
  TSIFunctionFn *F;
  TSIJacobianFn *J;
  void          *fctx, *jctx;

  PetscFunctionBegin;
  PetscCall(DMTSGetIFunctionLocal(dm, &ifunction, &fctx));
  PetscCall(DMTSGetIJacobianLocal(dm, &ijacobian, &jctx));
  PetscCall(DMTSGetIFunction(dm, &F, NULL));
  PetscCall(DMTSGetIJacobian(dm, &J, NULL));
  if (ifunction != PlexAssemblyTSIFunction_Private || ijacobian != PlexAssemblyTSIJacobian_Private)
    PetscFunctionReturn(PETSC_SUCCESS);
  if (F == PlexGlobals.ifunction) {
    PetscCall(DMTSSetIFunctionLocal(dm, ifunction, fctx));
    PetscCall(DMTSSetIFunction(dm, PlexReuseTSIFunction, ((DMTS)dm->dmts)->data));
  }
  if (J == PlexGlobals.ijacobian) {
    PetscCall(DMTSSetIJacobianLocal(dm, ijacobian, jctx));
    PetscCall(DMTSSetIJacobian(dm, PlexReuseTSIJacobian, ((DMTS)dm->dmts)->data));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether global callbacks, of those that are not NULL, call the local ones: PETSc's, or ours before these */
PetscBool PlexReuseCallsLocal_Private(SNESFunctionFn *F, SNESJacobianFn *J)
{
  return (PetscBool)((!F || F == PlexGlobals.function || F == PlexReuseSNESFunction) &&
                     (!J || J == PlexGlobals.jacobian || J == PlexReuseSNESJacobian));
}
