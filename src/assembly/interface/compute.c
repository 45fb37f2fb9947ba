#include <plexgpu/private/assemblyimpl.h> /*I "plexgpuassembly.h" I*/
#include "assemblyimpl.h"
#include <plex_args.h>
#include "../../dm/elementsimpl.h" /* PlexElementsAreAffine(), PlexAgreeOnText() */
#include <petsc/private/matimpl.h>

/* The state of the coordinates, and whether an integral was set up with another state. Processes may move their part of
   the mesh alone */
static PetscErrorCode PlexAssemblyHasMoved(PlexAssembly first, PetscObjectState *state, PetscBool *moved)
{
  MPI_Comm    comm = PetscObjectComm((PetscObject)first->dm);
  PetscMPIInt size;

  PetscFunctionBegin;
  *moved = PETSC_FALSE;
  PetscCall(PlexGetCoordinateState(first->dm, state));
  for (PlexAssembly inner = first; inner; inner = inner->next)
    *moved = (PetscBool)(*moved || inner->coordinateState != *state);
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (size > 1) PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, moved, 1, MPI_C_BOOL, MPI_LOR, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyCheckGeometry_Private(PlexAssembly asm_, PlexAssembly first)
{
  char *text = NULL;

  PetscFunctionBegin;
  for (PlexAssembly inner = first; inner && !text; inner = inner->next)
    PetscCall(PlexElementsFindInverted(inner->elements, &text));
  PetscCall(PlexAgreeOnText(PetscObjectComm((PetscObject)asm_->dm), &text));
  if (!text) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexAssemblyLeave_Private(asm_,
                                      "cells that are turned inside out or flat, which PETSc integrates with a "
                                      "negative volume (repair the mesh, or orient its cells before it is "
                                      "interpolated)",
                                      text));
  PetscCall(PetscFree(text));
  asm_->inverted = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyCheckMotion_Private(PlexAssembly asm_)
{
  PetscObjectState state;
  PetscBool        moved;

  PetscFunctionBegin;
  if (!asm_->setUp || !asm_->inverted) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexAssemblyHasMoved(asm_, &state, &moved));
  if (moved) PetscCall(PlexAssemblyReset(asm_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A moved mesh is read again; constants are read each time, as PETSc does */
static PetscErrorCode PlexAssemblyUpdate(PlexAssembly asm_, PetscObjectState state, PetscBool moved)
{
  PlexElements       elements = asm_->elements;
  PetscInt           n;
  const PetscScalar *constants;
  PetscBool          same;

  PetscFunctionBegin;
  if (moved) {
    PetscCall(PlexElementsUpdateCoordinates(elements));
    PetscCall(PlexElementsAreAffine(elements, &asm_->affineElements));
    PetscCall(PlexBackendCopyIn(asm_->backend, asm_->xDevice, elements->x,
                                sizeof(PetscReal) * elements->Nx * elements->cdim));
    if (elements->integral.facets)
      PetscCall(PlexBackendCopyIn(asm_->backend, asm_->facetDevice, elements->facet,
                                  sizeof(PetscReal) * elements->Ne * elements->Nq * PLEX_FACET_SIZE(elements->dim)));
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

/* Before products are set up, whose integration depends on the elements' shapes. It may set asm_->reason */
PetscErrorCode PlexAssemblyUpdate_Private(PlexAssembly asm_, PlexAssembly first)
{
  PetscObjectState state;
  PetscBool        moved;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyHasMoved(first, &state, &moved));
  for (PlexAssembly inner = first; inner; inner = inner->next) PetscCall(PlexAssemblyUpdate(inner, state, moved));
  if (moved) PetscCall(PlexAssemblyCheckGeometry_Private(asm_, first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Marks P as assembled: no value was set through P itself, and the values on the device are current */
static PetscErrorCode PlexAssemblyFinishMat(PlexAssembly asm_, Mat P)
{
  PetscBool own;

  PetscFunctionBegin;
  if (asm_->pattern->subdomain) {
    PetscCall(MatAssemblyBegin(P, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(P, MAT_FINAL_ASSEMBLY));
  }
  if (!asm_->pattern->halo) PetscFunctionReturn(PETSC_SUCCESS);
#if PetscDefined(HAVE_DEVICE)
  /* the blocks know where their values are: MatSetPreallocationCOO() leaves CPU here, which would override them */
  P->offloadmask = PETSC_OFFLOAD_BOTH;
#endif
  PetscCall(MatGetOption(P, MAT_NO_OFF_PROC_ENTRIES, &own));
  PetscCall(MatSetOption(P, MAT_NO_OFF_PROC_ENTRIES, PETSC_TRUE));
  PetscCall(MatAssemblyBegin(P, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(P, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(P, MAT_NO_OFF_PROC_ENTRIES, own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The arrays of the matrix's blocks, and the rows that several processes add to */
static PetscErrorCode PlexAssemblyGetMat(PlexAssembly asm_, Mat P, PlexArgs *args)
{
  PlexPattern pattern = asm_->pattern;

  PetscFunctionBegin;
  PetscCall(PlexMatGetBlocks(P, &pattern->diagonal, &pattern->offdiagonal, NULL)); /* PETSc may have made them anew */
  PetscCall(PlexBackendMatGet(asm_->backend, pattern->diagonal, &asm_->arrayA));
  if (pattern->offdiagonal) PetscCall(PlexBackendMatGet(asm_->backend, pattern->offdiagonal, &asm_->arrayO));
  args->A  = asm_->arrayA.array;
  args->B  = PlexExchangeGetArray_Private(asm_->exchange);
  args->nA = (int)pattern->nA;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyRestoreMat(PlexAssembly asm_, Mat P)
{
  PetscFunctionBegin;
  PetscCall(PlexBackendMatRestore(asm_->backend, &asm_->arrayA));
  if (asm_->pattern->offdiagonal) PetscCall(PlexBackendMatRestore(asm_->backend, &asm_->arrayO));
  PetscCall(PlexAssemblyFinishMat(asm_, P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first integral's strategy says so, and no other integral adds to them */
PetscBool PlexAssemblySendsEarly_Private(PlexAssembly asm_)
{
  for (PlexAssembly inner = asm_->next; inner; inner = inner->next)
    if (PlexAssemblyHasProduct_Private(inner, PLEX_JACOBIAN)) return PETSC_FALSE;
  return asm_->product[PLEX_JACOBIAN].early;
}

static PetscErrorCode PlexAssemblyExchange(PlexAssembly asm_)
{
  PetscLogDouble seconds = 0.0;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(PLEX_Exchange, asm_, 0, 0, 0));
  if (asm_->timing) PetscCall(PlexBackendTimerBegin(asm_->backend));
  PetscCall(PlexExchangeSum_Private(asm_->exchange, asm_->pattern->halo, PlexAssemblySendsEarly_Private(asm_),
                                    asm_->arrayA.array, asm_->arrayO.array));
  if (asm_->timing) PetscCall(PlexBackendTimerEnd(asm_->backend, &seconds));
  PetscCall(PetscLogEventEnd(PLEX_Exchange, asm_, 0, 0, 0));
  asm_->exchangeTime += seconds;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Launches the kernels of one integral, with its geometry, constants and auxiliary fields. Takes the time if that is
   asked for */
static PetscErrorCode PlexAssemblyLaunch(PlexAssembly asm_, PlexProductKind kind, PlexArgs args)
{
  PlexBackend    backend  = asm_->backend;
  PlexProduct   *product  = &asm_->product[kind];
  PlexElements   elements = asm_->elements;
  PetscLogDouble seconds  = 0.0;
  Vec            aux      = NULL;

  PetscFunctionBegin;
  if (elements->ea) {
    PetscCall(PlexIntegralGetAuxiliary(asm_->dm, &asm_->integral, kind, &aux));
    PetscCall(PlexBackendVecGet(backend, aux, PLEX_READ, &asm_->arrayAux));
    args.aux = asm_->arrayAux.array;
  }
  args.x         = asm_->xDevice;
  args.constants = asm_->constantsDevice;
  args.tables    = product->tables;
  args.auxDofs   = asm_->auxDevice;
  args.face      = asm_->faceDevice;
  args.facet     = asm_->facetDevice;
  PetscCall(PlexVariablesUpdate(product->variables, product->module));
  if (backend->device) PetscCall(PetscLogGpuTimeBegin());
  if (asm_->timing) PetscCall(PlexBackendTimerBegin(backend));
  PetscCall(PlexAssemblySelect_Private(asm_, kind));
  if (elements->Ne) PetscUseTypeMethod(asm_, compute, product, &args);
  else if (!asm_->additive) PetscCall(PlexAssemblyZeroTargets(asm_, product, &args));
  if (asm_->timing) PetscCall(PlexBackendSetQueue(backend, PLEX_QUEUE_MAIN, product->early));
  if (asm_->timing) PetscCall(PlexBackendTimerEnd(backend, &seconds));
  if (backend->device) PetscCall(PetscLogGpuTimeEnd());
  if (backend->device) PetscCall(PetscLogGpuFlops(product->flops));
  else PetscCall(PetscLogFlops(product->flops));
  if (aux) PetscCall(PlexBackendVecRestore(backend, &asm_->arrayAux));
  product->time += seconds;
  product->launches++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyLaunch_Private(PlexAssembly asm_, PlexProductKind kind, const void *args)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyLaunch(asm_, kind, *(const PlexArgs *)args));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Computes a product of all integrals, whose plans exist: the first integral writes, the others add */
PetscErrorCode PlexAssemblyCompute_Private(PlexAssembly asm_, PlexProductKind kind, Vec locX, Vec locX_t, PetscReal t,
                                           PetscReal shift, Vec locF, Mat P)
{
  PlexBackend backend = asm_->backend;
  PlexArgs    args;
  PetscInt    n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(locX, &n));
  PetscCheck(n == asm_->elements->Nl, PetscObjectComm((PetscObject)asm_), PETSC_ERR_ARG_SIZ,
             "The solution vector has %" PetscInt_FMT " entries and the DM's local vectors have %" PetscInt_FMT
             ": pass a vector from DMGetLocalVector() or DMCreateLocalVector()",
             n, asm_->elements->Nl);
  PetscCall(PetscMemzero(&args, sizeof(args)));
  PetscCall(PlexBackendSetQueue(backend, PLEX_QUEUE_MAIN, PETSC_FALSE)); /* whatever an error left */
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
    PetscCall(PlexAssemblyGetMat(asm_, P, &args));
  }
  args.t     = t;
  args.shift = shift;
  PetscCall(PlexAssemblyLaunch(asm_, kind, args));
  for (PlexAssembly inner = asm_->next; inner; inner = inner->next) {
    if (PlexAssemblyHasProduct_Private(inner, kind)) PetscCall(PlexAssemblyLaunch(inner, kind, args));
  }
  if (P && asm_->exchange) PetscCall(PlexAssemblyExchange(asm_));
  if (locF) PetscCall(PlexBackendVecRestore(backend, &asm_->arrayF));
  else PetscCall(PlexAssemblyRestoreMat(asm_, P));
  if (locX_t) PetscCall(PlexBackendVecRestore(backend, &asm_->arrayX_t));
  PetscCall(PlexBackendVecRestore(backend, &asm_->arrayX));
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
. locF - local vector of the residual; all entries are written, those of constrained dofs too, as in PETSc's own
         assembly

  Level: intermediate

  Note:
  $F_i = \sum_e \int_e \phi_i f_0 + \nabla\phi_i \cdot f_1$ with the pointwise functions of the `PetscDS`, those of each
  region, and the like over the facets of natural boundary conditions. Fields that are not implicit
  (`PetscDSSetImplicit()`) are left out, as in PETSc's own assembly: see `PlexAssemblyComputeRHSFunction()`.

.seealso: `PlexAssembly`, `PlexAssemblyComputeJacobian()`, `PlexAssemblySetSNESLocal()`
@*/
PetscErrorCode PlexAssemblyComputeFunction(PlexAssembly asm_, Vec locX, Vec locX_t, PetscReal t, Vec locF)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscValidHeaderSpecific(locX, VEC_CLASSID, 2);
  if (locX_t) PetscValidHeaderSpecific(locX_t, VEC_CLASSID, 3);
  PetscValidHeaderSpecific(locF, VEC_CLASSID, 5);
  PetscCall(PlexAssemblySetUp(asm_));
  if (!asm_->reason) PetscCall(PlexAssemblyMakeIntegrals_Private(asm_));
  if (!asm_->reason) PetscCall(PlexAssemblyUpdate_Private(asm_, asm_));
  if (!asm_->reason) PetscCall((*PlexAssemblyTuning.tune)(asm_, &(PlexMoment){locX, locX_t, t, 0.0}, NULL));
  if (!asm_->reason) PetscCall(PlexAssemblySetUpIntegrals_Private(asm_, asm_, PLEX_RESIDUAL, NULL));
  if (asm_->reason) {
    asm_->counts[PLEX_RESIDUAL][1]++;
    PetscCall(VecSet(locF, 0.0));
    if (locX_t) PetscCall(DMPlexTSComputeIFunctionFEM(asm_->dm, t, locX, locX_t, locF, NULL));
    else PetscCall(DMPlexSNESComputeResidualFEM(asm_->dm, locX, locF, NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscLogEventBegin(PLEX_Residual, asm_, locX, locF, 0));
  PetscCall(PlexAssemblyCompute_Private(asm_, PLEX_RESIDUAL, locX, locX_t, t, 0.0, locF, NULL));
  PetscCall(PetscLogEventEnd(PLEX_Residual, asm_, locX, locF, 0));
  asm_->counts[PLEX_RESIDUAL][0]++;
  if (asm_->check > 0) PetscCall(PlexAssemblyCheck_Private(asm_, PLEX_RESIDUAL, locX, locX_t, t, 0.0, locF, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyComputeRHSFunction - Computes the right-hand side of an explicit or IMEX method: the fields that are not
  implicit

  Collective

  Input Parameters:
+ asm  - the assembly
. locX - local vector of the solution, essential values inserted
- t    - the time

  Output Parameter:
. locG - local vector of the right-hand side; all entries are written

  Level: intermediate

  Note:
  The functions are those of part 100 of the weak form, for fields with `PetscDSSetImplicit()` false, as in
  `DMPlexTSComputeRHSFunctionFEM()`.

.seealso: `PlexAssembly`, `PlexAssemblyComputeFunction()`, `PetscWeakFormAddResidual()`
@*/
PetscErrorCode PlexAssemblyComputeRHSFunction(PlexAssembly asm_, Vec locX, PetscReal t, Vec locG)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscValidHeaderSpecific(locX, VEC_CLASSID, 2);
  PetscValidHeaderSpecific(locG, VEC_CLASSID, 4);
  PetscCall(PlexAssemblySetUp(asm_));
  if (!asm_->reason) PetscCall(PlexAssemblyMakeExplicit_Private(asm_));
  if (!asm_->reason) PetscCall(PlexAssemblyUpdate_Private(asm_, asm_->explicitPart));
  if (!asm_->reason) PetscCall(PlexAssemblySetUpIntegrals_Private(asm_, asm_->explicitPart, PLEX_RESIDUAL, NULL));
  if (asm_->reason) {
    asm_->counts[PLEX_RESIDUAL][1]++;
    PetscCall(VecSet(locG, 0.0));
    PetscCall(DMPlexTSComputeRHSFunctionFEM(asm_->dm, t, locX, locG, NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscLogEventBegin(PLEX_Residual, asm_, locX, locG, 0));
  PetscCall(PlexAssemblyCompute_Private(asm_->explicitPart, PLEX_RESIDUAL, locX, NULL, t, 0.0, locG, NULL));
  PetscCall(PetscLogEventEnd(PLEX_Residual, asm_, locX, locG, 0));
  asm_->counts[PLEX_RESIDUAL][0]++;
  if (asm_->check > 0)
    PetscCall(PlexAssemblyCheck_Private(asm_->explicitPart, PLEX_RESIDUAL, locX, NULL, t, 0.0, locG, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets up the products that add the sum beginning with `first` into P, and leaves P's values alone. at: NULL before
   there is an assembly. *leave: P, or the whole assembly, is left to PETSc */
static PetscErrorCode PlexAssemblyReadyMatrix(PlexAssembly asm_, PlexAssembly first, const PlexMoment *at, Mat P,
                                              PetscBool *leave)
{
  PetscFunctionBegin;
  if (!asm_->reason) PetscCall(PlexAssemblyUpdate_Private(asm_, first));
  if (!asm_->reason) PetscCall(PlexAssemblyLeavePattern_Private(asm_, first, P, leave));
  if (asm_->reason) *leave = PETSC_TRUE;
  if (*leave) PetscFunctionReturn(PETSC_SUCCESS);
  if (first == asm_ && at) PetscCall((*PlexAssemblyTuning.tune)(asm_, at, P));
  if (!asm_->reason) PetscCall(PlexAssemblySetUpIntegrals_Private(asm_, first, PLEX_JACOBIAN, P));
  *leave = (PetscBool)(asm_->reason != NULL);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same during an assembly, whose arguments the integrals have by then */
static PetscErrorCode PlexAssemblyReadyMatrixAt(PlexAssembly asm_, PlexAssembly first, const PlexMoment *at, Mat P,
                                                PetscBool *leave)
{
  PetscErrorCode ierr;

  PetscFunctionBegin;
  for (PlexAssembly inner = first; inner; inner = inner->next) inner->moment = at;
  ierr = PlexAssemblyReadyMatrix(asm_, first, at, P, leave);
  for (PlexAssembly inner = first; inner; inner = inner->next) inner->moment = NULL;
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The Jacobian, or the preconditioner's matrix: the sum that begins with `first` */
static PetscErrorCode PlexAssemblyComputeMatrix(PlexAssembly asm_, PlexAssembly first, Vec locX, Vec locX_t,
                                                PetscReal t, PetscReal X_tShift, Mat P)
{
  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(PLEX_Jacobian, asm_, locX, P, 0));
  PetscCall(PlexAssemblyCompute_Private(first, PLEX_JACOBIAN, locX, locX_t, t, X_tShift, NULL, P));
  PetscCall(PetscLogEventEnd(PLEX_Jacobian, asm_, locX, P, 0));
  if (asm_->check > 0) PetscCall(PlexAssemblyCheck_Private(first, PLEX_JACOBIAN, locX, locX_t, t, X_tShift, NULL, P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the PetscDS has a Jacobian: its preconditioner functions are then for another matrix */
static PetscErrorCode PlexAssemblyHasJacobian(PlexAssembly asm_, PetscBool *has)
{
  PetscDS   ds;
  PetscInt  Nds;
  PetscBool one;

  PetscFunctionBegin;
  *has = PETSC_FALSE;
  PetscCall(DMGetNumDS(asm_->dm, &Nds));
  for (PetscInt s = 0; s < Nds; ++s) {
    PetscCall(DMGetRegionNumDS(asm_->dm, s, NULL, NULL, &ds, NULL));
    PetscCall(PetscDSHasJacobian(ds, &one));
    *has = (PetscBool)(*has || one);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The sums that go into P, and into J besides: NULL where nothing does */
static PetscErrorCode PlexAssemblyGetSums(PlexAssembly asm_, Mat J, Mat P, PlexAssembly *intoP, PlexAssembly *intoJ)
{
  PetscBool hasJacobian, assembled = PETSC_FALSE;

  PetscFunctionBegin;
  *intoP = asm_;
  *intoJ = NULL;
  PetscCall(PlexAssemblyHasJacobian(asm_, &hasJacobian));
  if (!asm_->preconditioner || ((!J || J == P) && hasJacobian)) PetscFunctionReturn(PETSC_SUCCESS);
  *intoP = asm_->preconditioner;
  /* where it is filled at all, it is, or P would have been left with it */
  if (J && J != P) PetscCall(PlexMatIsWritten(J, &assembled));
  if (assembled && hasJacobian) *intoJ = asm_;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes all that the first residual, or the first Jacobian into J and P, would make. P NULL: no Jacobian */
PetscErrorCode PlexAssemblyPrepare_Private(PlexAssembly asm_, PetscBool residual, Mat J, Mat P)
{
  PlexAssembly intoP, intoJ;
  PetscBool    aij = PETSC_FALSE, leave = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PlexAssemblySetUp(asm_));
  if (!asm_->reason) PetscCall(PlexAssemblyMakeIntegrals_Private(asm_));
  if (asm_->reason) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexAssemblyPrepareBoundary_Private(asm_));
  /* types and sizes are still to be chosen */
  if ((*PlexAssemblyTuning.ispending)(asm_)) PetscFunctionReturn(PETSC_SUCCESS);
  if (residual) PetscCall(PlexAssemblySetUpIntegrals_Private(asm_, asm_, PLEX_RESIDUAL, NULL));
  if (P) PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)P, &aij, MATSEQAIJ, MATMPIAIJ, ""));
  if (aij && !asm_->reason) PetscCall(PlexAssemblyLeaveJacobian_Private(asm_, J, P, &leave));
  if (!aij || asm_->reason || leave) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexAssemblyGetSums(asm_, J, P, &intoP, &intoJ));
  if (!asm_->backend->kernels) { /* the host's plan depends on what a call of the functions tells */
    PetscCall(PlexAssemblyUpdatePattern_Private(intoP, P));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexAssemblyReadyMatrix(asm_, intoP, NULL, P, &leave));
  if (intoJ && !leave) PetscCall(PlexAssemblyReadyMatrix(asm_, intoJ, NULL, J, &leave));
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
+ J - the Jacobian, where it is another matrix than `P` and the `PetscDS` has preconditioner functions; else left alone,
      as in PETSc's own assembly
- P - the matrix that is assembled, of type `MATAIJ` or `MATAIJCUSPARSE`, or of type `MATIS` with local matrices of
      these; all its values are written in place. A matrix of another type is left to PETSc, with a line that says so

  Level: intermediate

  Notes:
  With `PetscDSSetJacobianPreconditioner()` and two matrices, `P` gets those functions and `J` the Jacobian; with one,
  it gets the Jacobian. A `J` that is not assembled, as of `-snes_mf_operator`, is left alone.

  The functions of a dynamic Jacobian are multiplied by `X_tShift`.

.seealso: `PlexAssembly`, `PlexAssemblyComputeFunction()`, `PlexAssemblySetSNESLocal()`
@*/
PetscErrorCode PlexAssemblyComputeJacobian(PlexAssembly asm_, Vec locX, Vec locX_t, PetscReal t, PetscReal X_tShift,
                                           Mat J, Mat P)
{
  const PlexMoment moment = {locX, locX_t, t, X_tShift};
  PlexAssembly     intoP = NULL, intoJ = NULL;
  PetscBool        leave = PETSC_FALSE;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscValidHeaderSpecific(locX, VEC_CLASSID, 2);
  if (locX_t) PetscValidHeaderSpecific(locX_t, VEC_CLASSID, 3);
  PetscValidHeaderSpecific(P, MAT_CLASSID, 7);
  PetscCall(PlexAssemblySetUp(asm_));
  if (!asm_->reason) PetscCall(PlexAssemblyLeaveJacobian_Private(asm_, J, P, &leave));
  if (!asm_->reason && !leave) PetscCall(PlexAssemblyMakeIntegrals_Private(asm_));
  if (!asm_->reason && !leave) {
    PetscCall(PlexAssemblyGetSums(asm_, J, P, &intoP, &intoJ));
    PetscCall(PlexAssemblyReadyMatrixAt(asm_, intoP, &moment, P, &leave));
    if (intoJ && !leave) PetscCall(PlexAssemblyReadyMatrixAt(asm_, intoJ, &moment, J, &leave));
  }
  if (asm_->reason || leave) {
    asm_->counts[PLEX_JACOBIAN][1]++;
    if (locX_t) PetscCall(DMPlexTSComputeIJacobianFEM(asm_->dm, t, locX, locX_t, X_tShift, J, P, NULL));
    else PetscCall(DMPlexSNESComputeJacobianFEM(asm_->dm, locX, J, P, NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexAssemblyComputeMatrix(asm_, intoP, locX, locX_t, t, X_tShift, P));
  if (intoJ) PetscCall(PlexAssemblyComputeMatrix(asm_, intoJ, locX, locX_t, t, X_tShift, J));
  asm_->counts[PLEX_JACOBIAN][0]++;
  if (J && J != P) {
    PetscCall(MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
