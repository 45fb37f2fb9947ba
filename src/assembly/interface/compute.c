/* Residual and Jacobian: what is to be made first, the launch, and the sum of the integrals */
#include <plexgpu/private/assemblyimpl.h> /*I "plexgpuassembly.h" I*/
#include "assemblyimpl.h"
#include <plex_args.h>
#include "../../dm/elementsimpl.h" /* PlexMatIsWritten() */
#include "../../util/hint.h"
#include <petsc/private/matimpl.h>

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

/* One more product, computed here or left to PETSc */
static void PlexAssemblyCount(PlexAssembly asm_, PlexProductKind kind, PetscBool left)
{
  asm_->counts[kind][left ? 1 : 0]++;
  if (asm_->backend) PlexBackendRan_Private(asm_->backend, asm_->backendType, left);
}

/* The arrays of the matrix's blocks, and the rows that several processes add to */
static PetscErrorCode PlexAssemblyGetMat(PlexAssembly asm_, Mat P, PlexAccess access, PlexArgs *args)
{
  PlexPattern pattern = asm_->pattern;

  PetscFunctionBegin;
  PetscCall(PlexMatGetBlocks(P, &pattern->diagonal, &pattern->offdiagonal, NULL)); /* PETSc may have made them anew */
  PetscCall(PlexBackendMatGet(asm_->backend, pattern->diagonal, access, &asm_->arrayA));
  if (pattern->offdiagonal) PetscCall(PlexBackendMatGet(asm_->backend, pattern->offdiagonal, access, &asm_->arrayO));
  if (asm_->backend->device && !asm_->backend->apart && asm_->arrayA.n && !asm_->arrayA.inPlace)
    PlexHintRan_Private(PLEX_RAN_COPIED);
  args->A  = (double *)asm_->arrayA.array;
  args->B  = (double *)PlexExchangeGetArray_Private(asm_->exchange);
  args->nA = (int)pattern->nA;
  if (asm_->exchange && access == PLEX_CHANGE) PetscCall(PlexExchangeZero_Private(asm_->exchange, pattern->halo));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first integral's strategy says so, and no other integral adds to them */
PetscBool PlexAssemblySendsEarly_Private(PlexAssembly asm_)
{
  for (PlexAssembly term = asm_->next; term; term = term->next)
    if (PlexAssemblyHasProduct_Private(term, PLEX_JACOBIAN)) return PETSC_FALSE;
  return asm_->product[PLEX_JACOBIAN].early;
}

static PetscErrorCode PlexAssemblyExchange(PlexAssembly asm_, PetscBool add)
{
  PetscLogDouble seconds = 0.0;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(PLEX_Exchange, asm_, 0, 0, 0));
  if (asm_->owner->timing) PetscCall(PlexBackendTimerBegin(asm_->backend));
  PetscCall(PlexExchangeSum_Private(asm_->exchange, asm_->pattern->halo, PlexAssemblySendsEarly_Private(asm_), add,
                                    asm_->arrayA.array, asm_->arrayO.array));
  if (asm_->owner->timing) PetscCall(PlexBackendTimerEnd(asm_->backend, &seconds));
  PetscCall(PetscLogEventEnd(PLEX_Exchange, asm_, 0, 0, 0));
  asm_->exchangeTime += seconds;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyRestoreMat(PlexAssembly asm_, Mat P, PlexAccess access)
{
  PetscFunctionBegin;
  if (asm_->exchange) PetscCall(PlexAssemblyExchange(asm_, (PetscBool)(access == PLEX_CHANGE)));
  if (asm_->blocks)
    PetscCall(PlexBasisTransformMat(asm_->owner->basis, asm_->blocks, asm_->arrayA.array, asm_->arrayO.array));
  PetscCall(PlexEssentialEntries_Private(asm_, P, asm_->arrayA.array, asm_->arrayO.array));
  PetscCall(PlexBackendMatRestore(asm_->backend, &asm_->arrayA));
  if (asm_->pattern->offdiagonal) PetscCall(PlexBackendMatRestore(asm_->backend, &asm_->arrayO));
  PetscCall(PlexAssemblyFinishMat(asm_, P));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyLaunch_Private(PlexAssembly asm_, PlexProductKind kind, const void *common)
{
  PlexArgs        args     = *(const PlexArgs *)common;
  const PetscBool timing   = asm_->owner->timing;
  PlexBackend     backend  = asm_->backend;
  PlexProduct    *product  = &asm_->product[kind];
  PlexElements    elements = asm_->elements;
  PetscLogDouble  seconds  = 0.0;
  Vec             aux      = NULL;

  PetscFunctionBegin;
  if (elements->ea) {
    PetscCall(PlexIntegralGetAuxiliary(asm_->owner->dm, &asm_->integral, asm_->integral.action ? PLEX_JACOBIAN : kind,
                                       &aux));
    PetscCall(PlexBackendVecGet(backend, aux, PLEX_READ, &asm_->arrayAux));
    args.aux = (const double *)asm_->arrayAux.array;
  }
  args.x         = asm_->xDevice;
  args.constants = (const double *)asm_->constantsDevice;
  args.tables    = product->tables;
  args.auxDofs   = asm_->auxDevice;
  args.face      = asm_->faceDevice;
  args.facet     = asm_->facetDevice;
  PetscCall(PlexVariablesUpdate(product->variables, product->module));
  if (backend->device) PetscCall(PetscLogGpuTimeBegin());
  if (timing) PetscCall(PlexBackendTimerBegin(backend));
  PetscCall(PlexAssemblySelect_Private(asm_, kind));
  if (elements->Ne) PetscUseTypeMethod(asm_, compute, product, &args);
  else if (!asm_->additive) PetscCall(PlexAssemblyZeroTargets(asm_, product, &args));
  if (timing) PetscCall(PlexBackendSetQueue(backend, PLEX_QUEUE_MAIN, product->early));
  if (timing) PetscCall(PlexBackendTimerEnd(backend, &seconds));
  if (backend->device) PetscCall(PetscLogGpuTimeEnd());
  if (backend->device) PetscCall(PetscLogGpuFlops(product->flops));
  else PetscCall(PetscLogFlops(product->flops));
  if (aux) PetscCall(PlexBackendVecRestore(backend, &asm_->arrayAux));
  product->time += seconds;
  product->launches++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyComputeTerms_Private(const PlexRequest *r, PlexAccess access, Vec locF)
{
  const PlexMoment *at      = r->at;
  PlexAssembly      first   = r->first;
  PlexBackend       backend = first->backend;
  PlexArgs          args    = {.t = at->t, .shift = at->shift, .component = (int)r->component};
  PetscLogEvent     event   = r->P ? PLEX_Jacobian : first->integral.action ? PLEX_Action : PLEX_Residual;
  PetscObject       target  = r->P ? (PetscObject)r->P : (PetscObject)locF;
  const PetscBool   timed   = (PetscBool)(access == PLEX_WRITE && PlexAssemblyMeasuresLater_Private(r));
  PetscLogDouble    seconds = 0.0;
  PetscInt          n;

  PetscFunctionBegin;
  PetscCall(PetscLogEventBegin(event, r->asm_, at->locX, target, 0));
  PetscCall(VecGetLocalSize(at->locX, &n));
  PetscCheck(n == first->elements->Nl, PetscObjectComm((PetscObject)first), PETSC_ERR_ARG_SIZ,
             "The solution vector has %" PetscInt_FMT " entries and the DM's local vectors have %" PetscInt_FMT
             ": pass a vector from DMGetLocalVector() or DMCreateLocalVector()",
             n, first->elements->Nl);
  PetscCall(PlexBackendSetQueue(backend, PLEX_QUEUE_MAIN, PETSC_FALSE)); /* whatever an error left */
  PetscCall(PlexBackendVecGet(backend, at->locX, PLEX_READ, &first->arrayX));
  args.u = (const double *)first->arrayX.array;
  if (at->locX_t) PetscCall(PlexBackendVecGet(backend, at->locX_t, PLEX_READ, &first->arrayX_t));
  if (at->locX_t) args.u_t = (const double *)first->arrayX_t.array;
  if (r->direction) PetscCall(PlexBackendVecGet(backend, r->direction, PLEX_READ, &first->arrayV));
  if (r->direction) args.v = (const double *)first->arrayV.array;
  if (locF) PetscCall(PlexBackendVecGet(backend, locF, access, &first->arrayF));
  if (locF) args.F = (double *)first->arrayF.array;
  if (r->P) PetscCall(PlexAssemblyGetMat(first, r->P, access, &args));
  if (timed) PetscCall(PlexBackendTimerBegin(backend));
  for (PlexAssembly term = first; term; term = term->next)
    if (term == first || (PlexAssemblyHasProduct_Private(term, r->kind) && !(r->beside && term->integral.single)))
      PetscCall(PlexAssemblyLaunch_Private(term, r->kind, &args));
  if (timed) PetscCall(PlexBackendTimerEnd(backend, &seconds));
  if (access == PLEX_WRITE) PetscCall(PlexAssemblyCountLater_Private(r, seconds));
  if (locF) PetscCall(PlexBackendVecRestore(backend, &first->arrayF));
  if (r->P) PetscCall(PlexAssemblyRestoreMat(first, r->P, access));
  if (r->direction) PetscCall(PlexBackendVecRestore(backend, &first->arrayV));
  if (at->locX_t) PetscCall(PlexBackendVecRestore(backend, &first->arrayX_t));
  PetscCall(PlexBackendVecRestore(backend, &first->arrayX));
  PetscCall(PetscLogEventEnd(event, r->asm_, at->locX, target, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Computes a product, whose plans exist, into locF or P. Compares it with PETSc's if that is asked for */
static PetscErrorCode PlexAssemblyCompute(const PlexRequest *r, Vec locF)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyComputeTerms_Private(r, PLEX_WRITE, locF));
  if (locF && !r->explicitPart && !r->at->locX_t)
    PetscCall(PlexAssemblyAddCohesiveRegions_Private(r->asm_, r->at->locX, locF));
  /* with hanging nodes, the program's matrix is compared, once it is there */
  if (r->asm_->check > 0 && !(r->P && r->asm_->anchors)) PetscCall(PlexAssemblyCheck_Private(r, locF));
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
  const PlexMoment outer = {locX, locX_t, t, 0.0};
  PlexMoment       at;
  PlexRequest      r = {.asm_ = asm_, .first = asm_, .kind = PLEX_RESIDUAL, .at = &at};

  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscValidHeaderSpecific(locX, VEC_CLASSID, 2);
  if (locX_t) PetscValidHeaderSpecific(locX_t, VEC_CLASSID, 3);
  PetscValidHeaderSpecific(locF, VEC_CLASSID, 5);
  PetscCall(PlexEssentialBegin_Private(asm_, &outer, &at));
  PetscCall(PlexAssemblyRefresh_Private(&r, PLEX_REFRESH_ELEMENTS, PLEX_REFRESH_PRODUCTS));
  PlexAssemblyCount(asm_, PLEX_RESIDUAL, r.leave);
  if (!r.leave) PetscCall(PlexAssemblyCompute(&r, locF));
  else {
    PetscCall(VecSet(locF, 0.0));
    if (locX_t) PetscCall((*PlexPetsc.ifunction)(asm_->dm, t, at.locX, at.locX_t, locF, NULL));
    else PetscCall(PlexPetscFunction_Private(asm_->dm, at.locX, locF));
  }
  PetscCall(PlexEssentialEnd_Private(asm_, &outer, &at, locF, PETSC_FALSE));
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
  const PlexMoment outer = {locX, NULL, t, 0.0};
  PlexMoment       at;
  PlexRequest      r = {.asm_ = asm_, .explicitPart = PETSC_TRUE, .kind = PLEX_RESIDUAL, .at = &at};

  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscValidHeaderSpecific(locX, VEC_CLASSID, 2);
  PetscValidHeaderSpecific(locG, VEC_CLASSID, 4);
  PetscCall(PlexEssentialBegin_Private(asm_, &outer, &at));
  PetscCall(PlexAssemblyRefresh_Private(&r, PLEX_REFRESH_ELEMENTS, PLEX_REFRESH_INTEGRALS));
  r.first = asm_->explicitPart;
  PetscCall(PlexAssemblyRefresh_Private(&r, PLEX_REFRESH_SUM, PLEX_REFRESH_PRODUCTS));
  PlexAssemblyCount(asm_, PLEX_RESIDUAL, r.leave);
  if (!r.leave) PetscCall(PlexAssemblyCompute(&r, locG));
  else {
    PetscCall(VecSet(locG, 0.0));
    PetscCall((*PlexPetsc.rhsfunction)(asm_->dm, t, at.locX, locG, NULL));
  }
  PetscCall(PlexEssentialEnd_Private(asm_, &outer, &at, locG, PETSC_TRUE));
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

/* The sums that go into P, and into J besides: r[1].first is NULL where nothing does */
static PetscErrorCode PlexAssemblyGetSums(PlexRequest r[2], Mat J, Mat P)
{
  PlexAssembly asm_ = r->asm_;
  PetscBool    hasJacobian, assembled = PETSC_FALSE;

  PetscFunctionBegin;
  r[0].kind   = PLEX_JACOBIAN;
  r[0].first  = asm_;
  r[0].P      = P;
  r[1]        = r[0];
  r[1].first  = NULL;
  r[1].P      = J;
  r[1].beside = PETSC_TRUE;
  PetscCall(PlexAssemblyHasJacobian(asm_, &hasJacobian));
  if (!asm_->preconditioner || ((!J || J == P) && hasJacobian)) PetscFunctionReturn(PETSC_SUCCESS);
  r[0].first = asm_->preconditioner;
  /* where it is filled at all, it is, or P would have been left with it */
  if (J && J != P) PetscCall(PlexMatIsWritten(J, &assembled));
  if (assembled && hasJacobian) r[1].first = asm_;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets up the products of these sums, and leaves the matrices' values alone */
static PetscErrorCode PlexAssemblyReadyJacobian(PlexRequest r[2], Mat J, Mat P)
{
  PetscFunctionBegin;
  do {
    PetscCall(PlexAssemblyGetSums(r, J, P));
    PetscCall(PlexAssemblyRefresh_Private(&r[0], PLEX_REFRESH_SUM, PLEX_REFRESH_PRODUCTS));
    r[1].leave = r[0].leave;
    if (r[1].first) PetscCall(PlexAssemblyRefresh_Private(&r[1], PLEX_REFRESH_SUM, PLEX_REFRESH_PRODUCTS));
    r[0].leave = r[1].leave;
  } while (r[1].tuned && !r[1].leave); /* there is another preconditioner */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The matrix in which that of `mat` is computed: itself, unless values are copied into it. r->leave: there is none */
static PetscErrorCode PlexAssemblyGetCopy(PlexRequest *r, Mat mat, Mat *computed, PlexMatCopy *copy)
{
  PlexAssembly asm_ = r->asm_;
  PetscBool    copied;

  PetscFunctionBegin;
  *computed = mat;
  *copy     = NULL;
  if (r->leave) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexMatIsCopied(mat, &copied));
  if (!copied) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexMatCopyGet(mat, asm_->elements, asm_->state, copy));
  PetscCall(PlexMatCopyGetMat(*copy, computed));
  if (*computed) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexAssemblySayLeft_Private(asm_, "Jacobians",
                                        "a matrix that is not of type aij, while -mat_type makes those of this DM "
                                        "matrices of another type, or another size",
                                        NULL));
  r->leave = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of J, where the Jacobian goes there besides a matrix for the preconditioner, and of P */
static PetscErrorCode PlexAssemblyGetCopies(PlexRequest *r, Mat J, Mat P, Mat computed[2], PlexMatCopy copy[2])
{
  PetscBool shell = PETSC_TRUE;

  PetscFunctionBegin;
  if (!r->leave && r->asm_->anchors) { /* of hanging nodes */
    copy[0] = copy[1] = NULL;
    computed[0]       = J;
    PetscCall(PlexAnchorsGetMat(r->asm_->anchors, 1, &computed[1]));
    if (!J || J == P) computed[0] = computed[1];
    else if (r->asm_->preconditioner) {
      PetscCall(PetscObjectTypeCompareAny((PetscObject)J, &shell, MATMFFD, MATSHELL, MATPLEXGPU, ""));
      if (!shell) PetscCall(PlexAnchorsGetMat(r->asm_->anchors, 0, &computed[0]));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexAssemblyGetCopy(r, P, &computed[1], &copy[1]));
  computed[0] = J == P ? computed[1] : J;
  copy[0]     = NULL;
  if (J && J != P && !r->leave && r->asm_->preconditioner)
    PetscCall(PetscObjectTypeCompareAny((PetscObject)J, &shell, MATMFFD, MATSHELL, MATPLEXGPU, ""));
  if (!shell) PetscCall(PlexAssemblyGetCopy(r, J, &computed[0], &copy[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The Jacobian of these requests, whose plans exist; copies are filled */
static PetscErrorCode PlexAssemblyFillJacobian(const PlexRequest r[2], PlexMatCopy copy[2], Mat J, Mat P)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyCompute(&r[0], NULL));
  if (r[1].first) PetscCall(PlexAssemblyCompute(&r[1], NULL));
  for (PetscInt k = 0; k < 2; ++k)
    if (copy[k]) PetscCall(PlexMatCopyFill(copy[k]));
  if (r[0].asm_->anchors) {
    PetscCall(PlexAnchorsFill(r[0].asm_->anchors, 1, P));
    if (r[1].first) PetscCall(PlexAnchorsFill(r[0].asm_->anchors, 0, J));
    if (r[0].asm_->check > 0) PetscCall(PlexAssemblyCheckAnchors_Private(r, r[1].first ? J : P, P));
  }
  if (r[0].first->pattern->subdomain) { /* local matrices know nothing of each other's dofs */
    PetscCall(PlexEssentialMatrix_Private(r[0].asm_, P));
    if (r[1].first) PetscCall(PlexEssentialMatrix_Private(r[0].asm_, J));
  }
  if (J && J != P) {
    PetscCall(MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The Jacobian by PETSc */
static PetscErrorCode PlexAssemblyPetscJacobian(PlexAssembly asm_, const PlexMoment *at, Mat J, Mat P)
{
  PetscFunctionBegin;
  if (at->locX_t) PetscCall((*PlexPetsc.ijacobian)(asm_->dm, at->t, at->locX, at->locX_t, at->shift, J, P, NULL));
  else PetscCall((*PlexPetsc.jacobian)(asm_->dm, at->locX, J, P, NULL));
  PetscCall(PlexEssentialMatrix_Private(asm_, P));
  if (J != P) PetscCall(PlexEssentialMatrix_Private(asm_, J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Makes all that the first residual, or the first Jacobian into J and P, would make. P NULL: no Jacobian */
PetscErrorCode PlexAssemblyPrepare_Private(PlexAssembly asm_, PetscBool residual, Mat J, Mat P)
{
  PlexRequest r[2] = {
    {.asm_ = asm_, .first = asm_, .kind = PLEX_RESIDUAL}
  };
  PetscBool aij = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyRefresh_Private(r, PLEX_REFRESH_ELEMENTS, PLEX_REFRESH_INTEGRALS));
  if (r->leave) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexAssemblyPrepareBoundary_Private(asm_));
  /* types and sizes are still to be chosen */
  if ((*PlexAssemblyTuning.ispending)(asm_)) PetscFunctionReturn(PETSC_SUCCESS);
  if (residual) PetscCall(PlexAssemblyRefresh_Private(r, PLEX_REFRESH_PRODUCTS, PLEX_REFRESH_PRODUCTS));
  if (P) PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)P, &aij, MATSEQAIJ, MATMPIAIJ, ""));
  if (asm_->anchors) aij = PETSC_FALSE;
  if (aij && !r->leave) PetscCall(PlexAssemblyLeaveJacobian_Private(asm_, J, P, &r->leave));
  if (!aij || r->leave) PetscFunctionReturn(PETSC_SUCCESS);
  /* the host's plan depends on what a call of the functions tells */
  if (asm_->backend->kernels) PetscCall(PlexAssemblyReadyJacobian(r, J, P));
  else {
    PetscCall(PlexAssemblyGetSums(r, J, P));
    PetscCall(PlexAssemblyRefresh_Private(r, PLEX_REFRESH_SUM, PLEX_REFRESH_CONSTANTS));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those of J and P that are applied and not assembled become the Jacobian at this moment; *acts: P is such a one */
static PetscErrorCode PlexAssemblySetMoments(PlexAssembly asm_, const PlexMoment *at, Mat J, Mat P, PetscBool *acts)
{
  const PetscBool two = (PetscBool)(J && J != P);

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)P, MATPLEXGPU, acts));
  PetscTryMethod(P, PLEX_MAT_SET_MOMENT, (Mat, PlexAssembly, const PlexMoment *, PetscBool, PetscBool),
                 (P, asm_, at, (PetscBool)!two, two));
  if (!*acts) PetscTryMethod(asm_->dm, PLEX_KEEP_MOMENT, (Mat, PlexAssembly, const PlexMoment *), (P, asm_, at));
  if (!two) PetscFunctionReturn(PETSC_SUCCESS);
  PetscTryMethod(J, PLEX_MAT_SET_MOMENT, (Mat, PlexAssembly, const PlexMoment *, PetscBool, PetscBool),
                 (J, asm_, at, PETSC_FALSE, PETSC_FALSE));
  if (!*acts) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatAssemblyBegin(J, MAT_FINAL_ASSEMBLY)); /* as in PETSc's own assembly */
  PetscCall(MatAssemblyEnd(J, MAT_FINAL_ASSEMBLY));
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
      as in PETSc's own assembly. Of type `MATPLEXGPU` it is the Jacobian at this state in any case
- P - the matrix that is assembled, of type `MATAIJ` or `MATAIJCUSPARSE`, or of type `MATIS` with local matrices of
      these; all its values are written in place. Of type `MATBAIJ`, `MATSBAIJ`, `MATDENSE`, `MATAIJPERM`, `MATAIJSELL`
      or `MATAIJCRL`, or of type `MATIS` with local matrices of these, it gets a copy of the values that are
      computed into a matrix of type `MATAIJ`. Of type `MATPLEXGPU` it keeps the state, and nothing is assembled. A
      matrix of another type is left to PETSc, with a line that says so

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
  const PlexMoment outer = {locX, locX_t, t, X_tShift};
  PlexMoment       at;
  PlexRequest      r[2] = {
    {.asm_ = asm_, .at = &at}
  };
  PlexMatCopy copy[2] = {NULL, NULL};
  Mat         computed[2];
  PetscBool   acts;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscValidHeaderSpecific(locX, VEC_CLASSID, 2);
  if (locX_t) PetscValidHeaderSpecific(locX_t, VEC_CLASSID, 3);
  PetscValidHeaderSpecific(P, MAT_CLASSID, 7);
  PetscCall(PlexAssemblySetMoments(asm_, &outer, J, P, &acts));
  if (acts) {
    asm_->counts[PLEX_JACOBIAN][0]++;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexEssentialBegin_Private(asm_, &outer, &at));
  PetscCall(PlexAssemblyRefresh_Private(r, PLEX_REFRESH_ELEMENTS, PLEX_REFRESH_TYPES));
  if (!r->leave) PetscCall(PlexAssemblyLeaveJacobian_Private(asm_, J, P, &r->leave));
  PetscCall(PlexAssemblyRefresh_Private(r, PLEX_REFRESH_INTEGRALS, PLEX_REFRESH_INTEGRALS));
  PetscCall(PlexAssemblyGetCopies(r, J, P, computed, copy));
  if (!r->leave) PetscCall(PlexAssemblyReadyJacobian(r, computed[0], computed[1]));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(PlexAssemblyLeaveCopy_Private(r, copy[k]));
  PlexAssemblyCount(asm_, PLEX_JACOBIAN, r->leave);
  if (r->leave) PetscCall(PlexAssemblyPetscJacobian(asm_, &at, J, P));
  else PetscCall(PlexAssemblyFillJacobian(r, copy, J, P));
  PetscCall(PlexEssentialEnd_Private(asm_, &outer, &at, NULL, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}
