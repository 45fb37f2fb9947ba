/*
  Cohesive cells (hybrid cells, faults): DMPlexComputeResidualHybridByKey() and DMPlexComputeJacobianHybridByKey(), and
  what DMPlexSNESComputeResidualFEM() makes of the former.

  A program names three keys and the cells. The sum that they stand for has a term for each key: the negative side, the
  positive side, the cells themselves. All of them add to what is there. Sums are kept with the assembly, and found
  again by keys and cells.
*/
#include <plexgpu/private/assemblyimpl.h> /*I "plexgpuassembly.h" I*/
#include "assemblyimpl.h"
#include "../../dm/elementsimpl.h" /* PlexAgreeOnText(), PlexMatIsWritten() */

struct _n_PlexCohesiveSum {
  PetscFormKey    keys[3];
  IS              cells; /* as many and the same as a later call's */
  PlexProductKind kind;
  PetscBool       preconditioner;
  char           *reason; /* why it is left to PETSc, or NULL */
  PlexAssembly    first;  /* its terms; NULL where nothing is added */
  PlexCohesiveSum next;
};

/* A call: what is asked for */
typedef struct {
  const PetscFormKey *keys;
  IS                  cells;
  PlexProductKind     kind;
  PetscBool           preconditioner;
  PlexMoment          at;
} PlexCohesiveCall;

PetscErrorCode PlexCohesiveSumsDestroy_Private(PlexAssembly asm_)
{
  PetscFunctionBegin;
  while (asm_->cohesive) {
    PlexCohesiveSum sum = asm_->cohesive;

    asm_->cohesive = sum->next;
    PetscCall(PlexAssemblyDestroy(&sum->first));
    PetscCall(ISDestroy(&sum->cells));
    PetscCall(PetscFree(sum->reason));
    PetscCall(PetscFree(sum));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PlexAssembly PlexCohesiveSumsGet_Private(PlexAssembly asm_, PetscInt k)
{
  PlexCohesiveSum sum = asm_->cohesive;

  for (; sum; sum = sum->next)
    if (sum->first && !k--) return sum->first;
  return NULL;
}

/* Whether a field of the DM is one of cohesive cells */
PetscErrorCode PlexHasCohesive_Private(DM dm, PetscBool *has)
{
  PetscInt Nds;

  PetscFunctionBegin;
  *has = PETSC_FALSE;
  PetscCall(DMGetNumDS(dm, &Nds));
  for (PetscInt s = 0; s < Nds && !*has; ++s) {
    PetscDS ds;

    PetscCall(DMGetRegionNumDS(dm, s, NULL, NULL, &ds, NULL));
    PetscCall(PetscDSIsCohesive(ds, has));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexCohesiveSumIs(PlexCohesiveSum sum, const PlexCohesiveCall *call, PetscBool *is)
{
  PetscFunctionBegin;
  *is = (PetscBool)(sum->kind == call->kind && sum->preconditioner == call->preconditioner);
  for (PetscInt k = 0; k < 3; ++k) {
    const PetscFormKey *a = &sum->keys[k], *b = &call->keys[k];

    *is = (PetscBool)(*is && a->label == b->label && a->value == b->value && a->part == b->part);
  }
  if (*is && sum->cells != call->cells) PetscCall(ISEqualUnsorted(sum->cells, call->cells, is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void PlexCohesiveSetIntegral(const struct _n_PlexCohesiveSum *sum, PetscInt region, PetscInt side,
                                    PlexIntegral *it)
{
  PlexIntegralSetCohesive(region, side, sum->keys, sum->cells, it);
  it->residual       = (PetscBool)(sum->kind == PLEX_RESIDUAL);
  it->jacobian       = (PetscBool)!it->residual;
  it->preconditioner = sum->preconditioner;
}

/* Whether a key has functions */
static PetscErrorCode PlexCohesiveHasFunctions(DM dm, const PlexIntegral *it, PetscBool *has)
{
  PlexForm form;

  PetscFunctionBegin;
  *has = PETSC_FALSE;
  PetscCall(PlexFormCreateIntegral(dm, it, &form));
  for (PetscInt i = 0; i < form->Nf; ++i) {
    if (form->f[0][i].n) *has = PETSC_TRUE;
    for (PetscInt j = 0; j < form->Nf; ++j)
      if (form->g[0][i * form->Nf + j].n) *has = PETSC_TRUE;
  }
  PetscCall(PlexFormDestroy(&form));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Why a sum is left to PETSc: on all processes, which have the same terms */
static PetscErrorCode PlexCohesiveSumSupported(DM dm, PlexCohesiveSum sum, PetscInt region)
{
  MPI_Comm  comm = PetscObjectComm((PetscObject)dm);
  PetscInt  terms[2];
  PetscBool has, transform;

  PetscFunctionBegin;
  terms[0] = 0;
  PetscCall(DMHasBasisTransform(dm, &transform));
  if (transform) PetscCall(PetscStrallocpy("cohesive cells under a basis transform", &sum->reason));
  for (PetscInt side = 0; side < 3 && !sum->reason; ++side) {
    PlexIntegral it;

    PlexCohesiveSetIntegral(sum, region, side, &it);
    PetscCall(PlexCohesiveSupported(dm, &it, &sum->reason));
    PetscCall(PlexCohesiveHasFunctions(dm, &it, &has));
    if (has) terms[0] |= 1 << side;
  }
  terms[1] = -terms[0];
  PetscCall(PlexAgreeOnText(comm, &sum->reason));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, terms, 2, MPIU_INT, MPI_MAX, comm));
  if (!sum->reason && terms[0] != -terms[1])
    PetscCall(PetscStrallocpy("keys of cohesive cells that differ from process to process", &sum->reason));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The terms of a new sum, or the reason why it is left to PETSc */
static PetscErrorCode PlexCohesiveSumSetUp(PlexAssembly asm_, PlexCohesiveSum sum)
{
  MPI_Comm     comm = PetscObjectComm((PetscObject)asm_->dm);
  PetscInt     region;
  PlexAssembly term;
  PlexIntegral it;

  PetscFunctionBegin;
  PetscCall(PlexCohesiveGetRegion(asm_->dm, sum->cells, &region));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &region, 1, MPIU_INT, MPI_MAX, comm));
  if (region < 0) PetscFunctionReturn(PETSC_SUCCESS); /* no cells on any process */
  PetscCall(PlexCohesiveSumSupported(asm_->dm, sum, region));
  for (PetscInt side = 0; side < 3 && !sum->reason; ++side) {
    PlexCohesiveSetIntegral(sum, region, side, &it);
    PetscCall(PlexAssemblyCreateTerm_Private(asm_, &it, PETSC_TRUE, &term));
    if (!sum->first) sum->first = term;
    else if (term) PlexAssemblyAppend_Private(sum->first, term);
  }
  PetscCall(PlexAssemblyFindSource_Private(asm_, sum->first));
  if (asm_->reason && !sum->reason) PetscCall(PetscStrallocpy(asm_->reason, &sum->reason));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The sum of a call, made if need be. On several processes all make it, or none. The cells are copied, as a program may
   change its index set */
static PetscErrorCode PlexCohesiveSumFind(PlexAssembly asm_, const PlexCohesiveCall *call, PlexCohesiveSum *found)
{
  MPI_Comm        comm = PetscObjectComm((PetscObject)asm_->dm);
  PlexCohesiveSum sum;
  PetscMPIInt     size;
  PetscBool       is = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  for (sum = asm_->cohesive; sum; sum = sum->next) {
    PetscCall(PlexCohesiveSumIs(sum, call, &is));
    if (size > 1) PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &is, 1, MPI_C_BOOL, MPI_LAND, comm));
    if (is) break;
  }
  if (!sum) {
    PetscCall(PetscNew(&sum));
    for (PetscInt k = 0; k < 3; ++k) sum->keys[k] = call->keys[k];
    sum->kind           = call->kind;
    sum->preconditioner = call->preconditioner;
    PetscCall(ISDuplicate(call->cells, &sum->cells));
    sum->next      = asm_->cohesive;
    asm_->cohesive = sum;
    PetscCall(PlexCohesiveSumSetUp(asm_, sum));
  }
  *found = sum;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's sum of a call, into a vector or a matrix: of cells one at a time, as it reads the fields of other cells for a
   Jacobian of several */
static PetscErrorCode PlexCohesiveCallPETSc(DM dm, const PlexCohesiveCall *call, Vec locF, Mat J, Mat P)
{
  const PlexMoment *at = &call->at;
  const PetscInt   *cells;
  PetscInt          n;

  PetscFunctionBegin;
  PetscCall(ISGetLocalSize(call->cells, &n));
  PetscCall(ISGetIndices(call->cells, &cells));
  for (PetscInt e = 0; e < n; ++e) {
    PetscFormKey keys[3] = {call->keys[0], call->keys[1], call->keys[2]};
    IS           one;

    PetscCall(ISCreateGeneral(PETSC_COMM_SELF, 1, &cells[e], PETSC_COPY_VALUES, &one));
    if (locF)
      PetscCall((*PlexPetsc.cohesivefunction)(dm, keys, one, at->locX_t ? at->t : PETSC_MIN_REAL, at->locX, at->locX_t,
                                              at->t, locF, NULL));
    else PetscCall((*PlexPetsc.cohesivejacobian)(dm, keys, one, at->t, at->shift, at->locX, at->locX_t, J, P, NULL));
    PetscCall(ISDestroy(&one));
  }
  PetscCall(ISRestoreIndices(call->cells, &cells));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With -plex_assembly_check: the sum into a vector of zeros, compared with PETSc's, and then added */
static PetscErrorCode PlexCohesiveCheckFunction(const PlexCohesiveCall *call, const PlexRequest *r, Vec locF)
{
  Vec here, petsc;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(locF, &here));
  PetscCall(VecDuplicate(locF, &petsc));
  PetscCall(VecSet(here, 0.0));
  PetscCall(VecSet(petsc, 0.0));
  PetscCall(PlexAssemblyComputeTerms_Private(r, PLEX_CHANGE, here));
  PetscCall(PlexCohesiveCallPETSc(r->asm_->dm, call, petsc, NULL, NULL));
  PetscCall(PlexAssemblyCheckCohesive_Private(r, here, petsc, NULL, NULL));
  PetscCall(VecAXPY(locF, 1.0, here));
  PetscCall(VecDestroy(&here));
  PetscCall(VecDestroy(&petsc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same of matrices of zeros. pre: the PetscDS has functions of a preconditioner, which PETSc puts into P, and those
   of the Jacobian into another matrix */
static PetscErrorCode PlexCohesiveCheckJacobian(const PlexCohesiveCall *call, const PlexRequest *r, PetscBool pre)
{
  const PetscBool preconditioner = r->first->integral.preconditioner;
  PlexRequest     own            = *r;
  Mat             petsc, other;

  PetscFunctionBegin;
  PetscCall(MatDuplicate(r->P, MAT_DO_NOT_COPY_VALUES, &own.P));
  PetscCall(MatDuplicate(r->P, MAT_DO_NOT_COPY_VALUES, &petsc));
  PetscCall(MatDuplicate(r->P, MAT_DO_NOT_COPY_VALUES, &other));
  PetscCall(PlexCohesiveCallPETSc(r->asm_->dm, call, NULL, pre && !preconditioner ? petsc : other,
                                  pre && !preconditioner ? other : petsc));
  PetscCall(MatAssemblyBegin(petsc, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(petsc, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyBegin(other, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(other, MAT_FINAL_ASSEMBLY));
  PetscCall(PlexAssemblyRefresh_Private(&own, PLEX_REFRESH_SUM, PLEX_REFRESH_PRODUCTS)); /* of another matrix */
  PetscCall(PlexAssemblyComputeTerms_Private(&own, PLEX_CHANGE, NULL));
  PetscCall(PlexAssemblyCheckCohesive_Private(&own, NULL, NULL, own.P, petsc));
  PetscCall(MatDestroy(&own.P));
  PetscCall(MatDestroy(&petsc));
  PetscCall(MatDestroy(&other));
  own.P = r->P;
  PetscCall(PlexAssemblyRefresh_Private(&own, PLEX_REFRESH_SUM, PLEX_REFRESH_PRODUCTS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The request for a call's sum, whose plans exist after it. r->first is NULL where nothing is added, r->leave where it
   is left to PETSc */
static PetscErrorCode PlexCohesiveReady(PlexAssembly asm_, const PlexCohesiveCall *call, Mat P, PlexRequest *r)
{
  PlexCohesiveSum sum = NULL;

  PetscFunctionBegin;
  *r = (PlexRequest){.asm_ = asm_, .kind = call->kind, .P = P, .at = &call->at};
  PetscCall(PlexAssemblyRefresh_Private(r, PLEX_REFRESH_ELEMENTS, PLEX_REFRESH_INTEGRALS));
  if (r->leave) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexCohesiveSumFind(asm_, call, &sum));
  if (sum->reason) {
    PetscCall(PlexAssemblySayLeft_Private(asm_,
                                          call->kind == PLEX_RESIDUAL ? "residuals of cohesive cells"
                                                                      : "Jacobians of cohesive cells",
                                          sum->reason, NULL));
    r->leave = PETSC_TRUE;
  }
  r->first = sum->first;
  if (!r->leave && r->first) PetscCall(PlexAssemblyRefresh_Private(r, PLEX_REFRESH_SUM, PLEX_REFRESH_PRODUCTS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyAddCohesiveFunction - Adds the residual of cohesive cells, as `DMPlexComputeResidualHybridByKey()` does

  Collective

  Input Parameters:
+ asm    - the assembly
. keys   - three keys of the weak form: of the negative side, of the positive side, of the cohesive cells. Their fields
           are not read
. cells  - the cohesive cells, all of one `PetscDS`; `NULL`: there are none on this process
. locX   - local vector of the solution
. locX_t - local vector of its time derivative, or `NULL`
- t      - the time

  Output Parameter:
. locF - local vector of the residual, to which it is added

  Level: intermediate

  Notes:
  The functions f0 of the keys are called at the quadrature points of the negative side, with the fields that PETSc gives
  them: of a field that is not cohesive the values on the negative side and then those on the positive one.

  It is left to PETSc, with one line that says why, where there are functions f1, whose basis functions PETSc does not
  transform on cohesive cells, where a vector scales the cells, and with a PETSc before 3.26.

  Where `libplexgpu_preload.so` is loaded, programs that call `DMPlexComputeResidualHybridByKey()` come here.

.seealso: `PlexAssembly`, `PlexAssemblyAddCohesiveJacobian()`, `PlexAssemblyComputeFunction()`
@*/
PetscErrorCode PlexAssemblyAddCohesiveFunction(PlexAssembly asm_, const PetscFormKey keys[], IS cells, Vec locX,
                                               Vec locX_t, PetscReal t, Vec locF)
{
  PlexCohesiveCall call = {
    .keys = keys, .cells = cells, .kind = PLEX_RESIDUAL, .at = {locX, locX_t, t, 0.0}
  };
  PetscFormKey own[3];
  PlexRequest  r;
  IS           none = NULL;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscAssertPointer(keys, 2);
  PetscValidHeaderSpecific(locX, VEC_CLASSID, 4);
  PetscValidHeaderSpecific(locF, VEC_CLASSID, 7);
  if (!cells) PetscCall(ISCreateStride(PETSC_COMM_SELF, 0, 0, 1, &none));
  if (!cells) call.cells = none;
  PetscCall(PlexCohesiveReady(asm_, &call, NULL, &r));
  if (r.leave) {
    for (PetscInt k = 0; k < 3; ++k) own[k] = keys[k]; /* PETSc changes them */
    PetscCall((*PlexPetsc.cohesivefunction)(asm_->dm, own, cells, locX_t ? t : PETSC_MIN_REAL, locX, locX_t, t, locF,
                                            NULL));
  } else if (r.first && asm_->check > 0) PetscCall(PlexCohesiveCheckFunction(&call, &r, locF));
  else if (r.first) PetscCall(PlexAssemblyComputeTerms_Private(&r, PLEX_CHANGE, locF));
  PetscCall(ISDestroy(&none));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether there are functions of the Jacobian and of its preconditioner in the PetscDS of the cells; on all processes */
static PetscErrorCode PlexCohesiveHasJacobian(DM dm, IS cells, PetscBool *jacobian, PetscBool *preconditioner)
{
  MPI_Comm  comm = PetscObjectComm((PetscObject)dm);
  PetscInt  region;
  PetscDS   ds;
  PetscBool has[2];

  PetscFunctionBegin;
  *jacobian = *preconditioner = PETSC_FALSE;
  PetscCall(PlexCohesiveGetRegion(dm, cells, &region));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &region, 1, MPIU_INT, MPI_MAX, comm));
  if (region < 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMGetRegionNumDS(dm, region, NULL, NULL, &ds, NULL));
  PetscCall(PetscDSHasBdJacobian(ds, &has[0]));
  PetscCall(PetscDSHasBdJacobianPreconditioner(ds, &has[1]));
  /* A process without such cells may have none */
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, has, 2, MPI_C_BOOL, MPI_LOR, comm));
  *jacobian       = has[0];
  *preconditioner = has[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Why a sum cannot be added to a matrix in place; NULL: it can */
static PetscErrorCode PlexCohesiveMatSupported(Mat A, const char **reason)
{
  PetscBool writable, assembled;

  PetscFunctionBegin;
  *reason = NULL;
  PetscCall(PlexMatIsWritten(A, &writable));
  PetscCall(MatAssembled(A, &assembled));
  if (!writable) *reason = "a matrix that is no aij or aijcusparse (-dm_mat_type)";
  else if (!assembled) *reason = "a matrix whose assembly has not ended (MatAssemblyEnd())";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyAddCohesiveJacobian - Adds the Jacobian of cohesive cells, as `DMPlexComputeJacobianHybridByKey()` does

  Collective

  Input Parameters:
+ asm      - the assembly
. keys     - three keys of the weak form, as in `PlexAssemblyAddCohesiveFunction()`
. cells    - the cohesive cells, all of one `PetscDS`; `NULL`: there are none on this process
. locX     - local vector of the solution
. locX_t   - local vector of its time derivative, or `NULL`
. t        - the time
- X_tShift - the multiplier of dF/du_t, which the functions get

  Output Parameters:
+ J - the Jacobian, to which the functions of the Jacobian are added where the `PetscDS` has functions of a
      preconditioner on boundaries
- P - the matrix for the preconditioner, to which these, or else those of the Jacobian, are added

  Level: intermediate

  Notes:
  The functions g0 of the keys are called with the values of the fields of their own cell. PETSc 3.26 reads those of other
  cells for all cells of a call but the first, so that its Jacobian is another one where g0 depends on the solution.

  It is left to PETSc, with one line that says why, where there are functions g1, g2 or g3, and where
  `PlexAssemblyAddCohesiveFunction()` leaves a residual.

.seealso: `PlexAssembly`, `PlexAssemblyAddCohesiveFunction()`, `PlexAssemblyComputeJacobian()`
@*/
PetscErrorCode PlexAssemblyAddCohesiveJacobian(PlexAssembly asm_, const PetscFormKey keys[], IS cells, Vec locX,
                                               Vec locX_t, PetscReal t, PetscReal X_tShift, Mat J, Mat P)
{
  PlexCohesiveCall call = {
    .keys = keys, .cells = cells, .kind = PLEX_JACOBIAN, .at = {locX, locX_t, t, X_tShift}
  };
  PetscFormKey own[3];
  PlexRequest  r[2];
  IS           none   = NULL;
  const char  *reason = NULL;
  PetscBool    has[2] = {PETSC_FALSE, PETSC_FALSE}, leave = PETSC_FALSE;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscAssertPointer(keys, 2);
  PetscValidHeaderSpecific(locX, VEC_CLASSID, 4);
  PetscValidHeaderSpecific(P, MAT_CLASSID, 9);
  if (!cells) PetscCall(ISCreateStride(PETSC_COMM_SELF, 0, 0, 1, &none));
  if (!cells) call.cells = none;
  PetscCall(PlexCohesiveHasJacobian(asm_->dm, call.cells, &has[0], &has[1]));
  for (PetscInt k = 0; k < 2; ++k) {
    r[k].first          = NULL;
    call.preconditioner = (PetscBool)k;
    if (!has[k] || leave) continue;
    if (!reason) PetscCall(PlexCohesiveMatSupported(!k && has[1] ? J : P, &reason));
    if (k && !has[0]) reason = "functions of a preconditioner alone";
    if (!reason) PetscCall(PlexCohesiveReady(asm_, &call, !k && has[1] ? J : P, &r[k]));
    leave = (PetscBool)(reason || r[k].leave);
  }
  if (reason) PetscCall(PlexAssemblySayLeft_Private(asm_, "Jacobians of cohesive cells", reason, NULL));
  if (leave) {
    for (PetscInt k = 0; k < 3; ++k) own[k] = keys[k];
    PetscCall((*PlexPetsc.cohesivejacobian)(asm_->dm, own, cells, t, X_tShift, locX, locX_t, J, P, NULL));
  }
  for (PetscInt k = 0; k < 2 && !leave; ++k) {
    if (!r[k].first) continue;
    if (asm_->check > 0) PetscCall(PlexCohesiveCheckJacobian(&call, &r[k], has[1]));
    PetscCall(PlexAssemblyComputeTerms_Private(&r[k], PLEX_CHANGE, NULL));
  }
  PetscCall(ISDestroy(&none));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- DMPlexSNESComputeResidualFEM() ---- */

/* The cohesive cells that PETSc takes: those that are no other process's */
static PetscErrorCode PlexCohesiveGetCells(DM dm, IS *cells)
{
  PetscSF         sf;
  const PetscInt *leaves;
  PetscInt       *points, nleaves, cStart, cEnd, n = 0;
  PetscMPIInt     size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)dm), &size));
  PetscCall(DMPlexGetSimplexOrBoxCells(dm, 0, NULL, &cStart));
  PetscCall(DMPlexGetHeightStratum(dm, 0, NULL, &cEnd));
  PetscCall(DMGetPointSF(dm, &sf));
  PetscCall(PetscSFGetGraph(sf, NULL, &nleaves, &leaves, NULL));
  PetscCall(PetscMalloc1(cEnd - cStart, &points));
  for (PetscInt c = cStart; c < cEnd; ++c) {
    PetscInt leaf = -1;

    if (size > 1 && leaves) PetscCall(PetscFindInt(c, nleaves, leaves, &leaf));
    else if (size > 1) leaf = c < nleaves ? c : -1;
    if (leaf < 0) points[n++] = c;
  }
  PetscCall(ISCreateGeneral(PETSC_COMM_SELF, n, points, PETSC_OWN_POINTER, cells));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's three keys, out of those of the functions f0 of boundaries: the sides are values of the label of field 0, the
   cells have that of field 1. *has: there is more than one key */
static PetscErrorCode PlexCohesiveGetKeys(PetscDS ds, PetscFormKey keys[3], PetscBool *has)
{
  PetscWeakForm wf;
  PetscFormKey *f0, *f1;
  PetscInt      n0, n1;

  PetscFunctionBegin;
  PetscCall(PetscDSGetWeakForm(ds, &wf));
  PetscCall(PlexWeakFormGetKeys(wf, PETSC_WF_BDF0, &n0, &f0));
  PetscCall(PlexWeakFormGetKeys(wf, PETSC_WF_BDF1, &n1, &f1));
  *has = (PetscBool)(n0 + n1 > 1);
  for (PetscInt k = 0; k < 3; ++k) keys[k] = (PetscFormKey){.label = NULL, .value = 0, .field = k == 2, .part = k};
  for (PetscInt i = 0; i < n0; ++i) {
    if (f0[i].field == 0) {
      if (!keys[0].label) {
        keys[0].label = keys[1].label = f0[i].label;
        keys[0].value = keys[1].value = f0[i].value;
      } else if (f0[i].value != keys[0].value) keys[1].value = f0[i].value;
    }
    if (f0[i].field == 1) {
      keys[2].label = f0[i].label;
      keys[2].value = f0[i].value;
    }
  }
  PetscCall(PetscFree(f0));
  PetscCall(PetscFree(f1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyAddCohesiveRegions_Private(PlexAssembly asm_, Vec locX, Vec locF)
{
  PetscInt  Nds;
  PetscBool any;

  PetscFunctionBegin;
  if (PETSC_VERSION_LT(3, 26, 0)) PetscFunctionReturn(PETSC_SUCCESS); /* PETSc has no such regions */
  PetscCall(PlexHasCohesive_Private(asm_->dm, &any));
  if (!any) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMGetNumDS(asm_->dm, &Nds));
  for (PetscInt s = 0; s < Nds; ++s) {
    PetscFormKey keys[3];
    PetscDS      ds;
    IS           cells;
    PetscBool    has = PETSC_FALSE;

    PetscCall(DMGetRegionNumDS(asm_->dm, s, NULL, NULL, &ds, NULL));
    PetscCall(PlexCohesiveGetKeys(ds, keys, &has));
    if (!has) continue;
    PetscCall(PlexCohesiveGetCells(asm_->dm, &cells));
    PetscCall(PlexAssemblyAddCohesiveFunction(asm_, keys, cells, locX, NULL, 0.0, locF));
    PetscCall(ISDestroy(&cells));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
