#include <plexgpu/impl.h> /*I "plexgpu.h" I*/
#include "assemblyimpl.h"
#include <plex_args.h>

/* A moved mesh is read again; constants are read each time, as PETSc does */
static PetscErrorCode PlexAssemblyUpdate(PlexAssembly asm_)
{
  PlexElements       elements = asm_->elements;
  Vec                coordinates;
  PetscObjectState   state;
  PetscInt           n;
  const PetscScalar *constants;
  PetscBool          same;

  PetscFunctionBegin;
  PetscCall(DMGetCoordinatesLocal(asm_->dm, &coordinates));
  PetscCall(PetscObjectStateGet((PetscObject)coordinates, &state));
  if (state != asm_->coordinateState) {
    PetscCall(PlexElementsUpdateCoordinates(elements));
    PetscCall(PlexElementsCheckGeometry(elements));
    PetscCall(PlexBackendCopyIn(asm_->backend, asm_->xDevice, elements->x, sizeof(PetscReal) * elements->Nx * elements->cdim));
    asm_->coordinateState = state;
  }
  PetscCall(PetscDSGetConstants(elements->ds, &n, &constants));
  PetscCall(PetscArraycmp(constants, asm_->constants, n, &same));
  if (!same) {
    PetscCall(PetscArraycpy(asm_->constants, constants, n));
    PetscCall(PlexBackendCopyIn(asm_->backend, asm_->constantsDevice, asm_->constants, sizeof(PetscScalar) * n));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Runs a product: arrays in the backend's memory, the strategy's launches, time where it is asked for */
static PetscErrorCode PlexAssemblyCompute(PlexAssembly asm_, PlexProduct *product, Vec locX, Vec locX_t, PetscReal t, PetscReal shift, Vec locF, Mat P)
{
  PlexBackend    backend = asm_->backend;
  PlexArgs       args;
  PetscLogDouble seconds = 0.0;
  PetscInt       n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(locX, &n));
  PetscCheck(n == asm_->elements->Nl, PetscObjectComm((PetscObject)asm_), PETSC_ERR_ARG_SIZ, "The solution vector has %" PetscInt_FMT " entries and the DM's local vectors have %" PetscInt_FMT ": pass a vector from DMGetLocalVector() or DMCreateLocalVector()", n,
             asm_->elements->Nl);
  PetscCall(PlexAssemblyUpdate(asm_));
  PetscCall(PlexVariablesUpdate(product->variables, product->module));
  PetscCall(PetscMemzero(&args, sizeof(args)));
  PetscCall(PlexBackendVecGet(backend, locX, PLEX_READ, &asm_->arrayX));
  args.u = asm_->arrayX.array;
  if (locX_t) {
    PetscCall(PlexBackendVecGet(backend, locX_t, PLEX_READ, &asm_->arrayX_t));
    args.u_t = asm_->arrayX_t.array;
  }
  if (locF) {
    PetscCall(PlexBackendVecGet(backend, locF, PLEX_WRITE, &asm_->arrayF));
    args.F = asm_->arrayF.array;
  } else {
    PetscCall(PlexBackendMatGet(backend, P, &asm_->arrayA));
    args.A = asm_->arrayA.array;
  }
  args.x         = asm_->xDevice;
  args.constants = asm_->constantsDevice;
  args.tables    = asm_->tablesDevice;
  args.t         = t;
  args.shift     = shift;
  if (backend->device) PetscCall(PetscLogGpuTimeBegin());
  if (asm_->timing) PetscCall(PlexBackendTimerBegin(backend));
  PetscUseTypeMethod(asm_, compute, product, &args);
  if (asm_->timing) PetscCall(PlexBackendTimerEnd(backend, &seconds));
  if (backend->device) PetscCall(PetscLogGpuTimeEnd());
  if (backend->device) PetscCall(PetscLogGpuFlops(product->flops));
  else PetscCall(PetscLogFlops(product->flops));
  if (locF) PetscCall(PlexBackendVecRestore(backend, &asm_->arrayF));
  else PetscCall(PlexBackendMatRestore(backend, &asm_->arrayA));
  if (locX_t) PetscCall(PlexBackendVecRestore(backend, &asm_->arrayX_t));
  PetscCall(PlexBackendVecRestore(backend, &asm_->arrayX));
  product->time += seconds;
  product->launches++;
  asm_->counts[product->kind][0]++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyComputeFunction - Computes the residual

  Collective

  Input Parameters:
+ asm    - the assembly
. locX   - local vector of the solution, essential values inserted
. locX_t - local vector of its time derivative, or `NULL`
- t      - the time

  Output Parameter:
. locF - local vector of the residual; all entries are written, those of constrained dofs too, as in PETSc's own assembly

  Level: intermediate

  Note:
  $F_i = \sum_e \int_e \phi_i f_0 + \nabla\phi_i \cdot f_1$ with the pointwise functions of the `PetscDS`.

.seealso: `PlexAssembly`, `PlexAssemblyComputeJacobian()`, `PlexAssemblySetSNESLocal()`
@*/
PetscErrorCode PlexAssemblyComputeFunction(PlexAssembly asm_, Vec locX, Vec locX_t, PetscReal t, Vec locF)
{
  PlexProduct *product = &asm_->product[PLEX_RESIDUAL];

  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscValidHeaderSpecific(locX, VEC_CLASSID, 2);
  if (locX_t) PetscValidHeaderSpecific(locX_t, VEC_CLASSID, 3);
  PetscValidHeaderSpecific(locF, VEC_CLASSID, 5);
  PetscCall(PlexAssemblySetUp(asm_));
  if (asm_->reason) {
    asm_->counts[PLEX_RESIDUAL][1]++;
    PetscCall(VecSet(locF, 0.0));
    if (locX_t) PetscCall(DMPlexTSComputeIFunctionFEM(asm_->dm, t, locX, locX_t, locF, NULL));
    else PetscCall(DMPlexSNESComputeResidualFEM(asm_->dm, locX, locF, NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexAssemblySetUpProduct_Private(asm_, product, NULL));
  PetscCall(PetscLogEventBegin(PLEX_Residual, asm_, locX, locF, 0));
  PetscCall(PlexAssemblyCompute(asm_, product, locX, locX_t, t, 0.0, locF, NULL));
  PetscCall(PetscLogEventEnd(PLEX_Residual, asm_, locX, locF, 0));
  if (asm_->check > 0) PetscCall(PlexAssemblyCheck_Private(asm_, PLEX_RESIDUAL, locX, locX_t, t, 0.0, locF, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyComputeJacobian - Computes the Jacobian of the residual

  Collective

  Input Parameters:
+ asm      - the assembly
. locX     - local vector of the solution, essential values inserted
. locX_t   - local vector of its time derivative, or `NULL`
. t        - the time
- X_tShift - the multiplier of dF/du_t

  Output Parameters:
+ J - the Jacobian; left alone where it is another matrix than `P`, as in PETSc's own assembly
- P - the matrix that is assembled, of type `MATSEQAIJ` or `MATSEQAIJCUSPARSE`; all its values are written in place. A matrix of
      another type is left to PETSc, with a line that says so

  Level: intermediate

.seealso: `PlexAssembly`, `PlexAssemblyComputeFunction()`, `PlexAssemblySetSNESLocal()`
@*/
PetscErrorCode PlexAssemblyComputeJacobian(PlexAssembly asm_, Vec locX, Vec locX_t, PetscReal t, PetscReal X_tShift, Mat J, Mat P)
{
  PlexProduct *product = &asm_->product[PLEX_JACOBIAN];
  PetscBool    leave   = PETSC_FALSE;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscValidHeaderSpecific(locX, VEC_CLASSID, 2);
  if (locX_t) PetscValidHeaderSpecific(locX_t, VEC_CLASSID, 3);
  PetscValidHeaderSpecific(P, MAT_CLASSID, 7);
  PetscCall(PlexAssemblySetUp(asm_));
  if (!asm_->reason) PetscCall(PlexAssemblyLeaveJacobian_Private(asm_, J, P, &leave));
  if (asm_->reason || leave) {
    asm_->counts[PLEX_JACOBIAN][1]++;
    if (locX_t) PetscCall(DMPlexTSComputeIJacobianFEM(asm_->dm, t, locX, locX_t, X_tShift, J, P, NULL));
    else PetscCall(DMPlexSNESComputeJacobianFEM(asm_->dm, locX, J, P, NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexAssemblySetUpProduct_Private(asm_, product, P));
  PetscCall(PetscLogEventBegin(PLEX_Jacobian, asm_, locX, P, 0));
  PetscCall(PlexAssemblyCompute(asm_, product, locX, locX_t, t, X_tShift, NULL, P));
  PetscCall(PetscLogEventEnd(PLEX_Jacobian, asm_, locX, P, 0));
  if (asm_->check > 0) PetscCall(PlexAssemblyCheck_Private(asm_, PLEX_JACOBIAN, locX, locX_t, t, X_tShift, NULL, P));
  if (J && J != P) {
    PetscCall(MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
