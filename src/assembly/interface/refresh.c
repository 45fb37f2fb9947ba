/*
  Whether what an assembly has made is still right, and what is made again where it is not.

  A program that knows nothing of PlexGPU changes pointwise functions, fields, boundary conditions, coordinates,
  constants or the matrix between two solves as it likes. PETSc sees it at the next residual, and so do we: each call
  goes down the table at the end, whose functions return at once where nothing has changed.
*/
#include <plexgpu/private/assemblyimpl.h>
#include "assemblyimpl.h"
#include "../../util/progress.h"
#include "../../dm/elementsimpl.h" /* PlexElementsAreAffine() */

static PetscErrorCode PlexRefreshState(PlexRequest *r)
{
  PetscInt64 state;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyGetState_Private(r->asm_, &state));
  if (r->asm_->setUp && r->asm_->state != state) PetscCall(PlexAssemblyReset(r->asm_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Auxiliary vectors may be exchanged between assemblies; on another DM they need other elements and kernels */
static PetscErrorCode PlexAuxiliaryIsOther(PlexAssembly first, PetscBool *is)
{
  Vec           aux;
  PetscObjectId id;
  PetscInt      n;

  PetscFunctionBegin;
  for (PlexAssembly term = first; term; term = term->next) {
    const PlexIntegral *it = &term->integral;

    for (PetscInt kind = 0; kind < PLEX_PRODUCTS && !*is; ++kind) {
      if (kind == PLEX_RESIDUAL ? !it->residual : !it->jacobian) continue;
      PetscCall(PlexIntegralFindAuxiliary_Private(term->owner->dm, it, kind, &aux, &id));
      *is = (PetscBool)(id != term->elements->auxId);
      if (*is || !aux) continue;
      PetscCall(VecGetLocalSize(aux, &n));
      PetscCheck(n == term->elements->NlAux, PetscObjectComm((PetscObject)term), PETSC_ERR_ARG_SIZ,
                 "The auxiliary vector has %" PetscInt_FMT " entries and local vectors of its DM have %" PetscInt_FMT
                 ": make it with DMCreateLocalVector()",
                 n, term->elements->NlAux);
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexRefreshAuxiliary(PlexRequest *r)
{
  PlexAssembly asm_  = r->asm_;
  PetscBool    other = PETSC_FALSE;

  PetscFunctionBegin;
  if (!asm_->setUp || !asm_->elements) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexAuxiliaryIsOther(asm_, &other));
  PetscCall(PlexAuxiliaryIsOther(asm_->preconditioner, &other));
  PetscCall(PlexAuxiliaryIsOther(asm_->explicitPart, &other));
  for (PetscInt k = 0; k < PLEX_ACTIONS; ++k) PetscCall(PlexAuxiliaryIsOther(asm_->action[k], &other));
  if (other) PetscCall(PlexAssemblyReset(asm_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The coordinates have another state than that which a term of the sum was set up with, on any process: processes may
   move their part of the mesh alone */
static PetscErrorCode PlexHasMoved(PlexAssembly first, PetscBool *moved)
{
  MPI_Comm         comm = PetscObjectComm((PetscObject)first->owner->dm);
  PetscObjectState state;
  PetscMPIInt      size;

  PetscFunctionBegin;
  *moved = PETSC_FALSE;
  PetscCall(PlexGetCoordinateState(first->owner->dm, &state));
  for (PlexAssembly term = first; term; term = term->next)
    *moved = (PetscBool)(*moved || term->coordinateState != state);
  PetscCallMPI(MPI_Comm_size(comm, &size));
  if (size > 1) PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, moved, 1, MPI_C_BOOL, MPI_LOR, comm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexRefreshInverted(PlexRequest *r)
{
  PetscBool moved;

  PetscFunctionBegin;
  if (!r->asm_->setUp || !r->asm_->inverted) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexHasMoved(r->asm_, &moved));
  if (moved) PetscCall(PlexAssemblyReset(r->asm_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexRefreshTypes(PlexRequest *r)
{
  PetscFunctionBegin;
  if (!r->asm_->typesOpen) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexAssemblyChooseTypes_Private(r->asm_));
  r->asm_->typesOpen = PETSC_FALSE;
  PetscCall((*PlexAssemblyTuning.lookup)(r->asm_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexRefreshCoordinates(PlexRequest *r)
{
  PetscBool moved;

  PetscFunctionBegin;
  PetscCall(PlexHasMoved(r->first, &moved));
  if (!moved) PetscFunctionReturn(PETSC_SUCCESS);
  for (PlexAssembly term = r->first; term; term = term->next) {
    PlexElements el = term->elements;

    PetscCall(PlexElementsUpdateCoordinates(el));
    PetscCall(PlexElementsAreAffine(el, &term->affineElements));
    PetscCall(PlexBackendCopyIn(term->backend, term->xDevice, el->x, sizeof(PetscReal) * el->Nx * el->dim));
    if (el->integral.facets)
      PetscCall(PlexBackendCopyIn(term->backend, term->facetDevice + (el->cohesive ? el->cohesive->size : 0), el->facet,
                                  sizeof(PetscReal) * el->Ne * el->Nq * PlexElementsFacetSize(el)));
    PetscCall(PlexGetCoordinateState(r->asm_->dm, &term->coordinateState));
  }
  PetscCall(PlexAssemblyCheckGeometry_Private(r->asm_, r->first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexRefreshConstants(PlexRequest *r)
{
  PetscFunctionBegin;
  for (PlexAssembly term = r->first; term; term = term->next) {
    const PetscScalar *constants;
    PetscInt           n;
    PetscBool          same;

    PetscCall(PetscDSGetConstants(term->elements->ds, &n, &constants));
    PetscCall(PetscArraycmp(constants, term->constants, n, &same));
    if (same) continue;
    PetscCall(PetscArraycpy(term->constants, constants, n));
    PetscCall(PlexBackendCopyIn(term->backend, term->constantsDevice, term->constants, sizeof(PetscScalar) * n));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a residual and a Jacobian alone, at some state. Tuning frees the other terms, which take after the first one */
static PetscErrorCode PlexRefreshTuning(PlexRequest *r)
{
  PetscErrorCode ierr;
  int            level;

  PetscFunctionBegin;
  if (r->first != r->asm_ || !r->at || !(*PlexAssemblyTuning.ispending)(r->asm_)) PetscFunctionReturn(PETSC_SUCCESS);
  level = PlexProgressBegin_Private("tuning (-plex_assembly_tune)");
  ierr  = (*PlexAssemblyTuning.tune)(r->asm_, r->at, r->P);
  PlexProgressEnd_Private(level);
  PetscCall(ierr);
  r->tuned = PETSC_TRUE;
  PetscCall(PlexAssemblyRefresh_Private(r, PLEX_REFRESH_INTEGRALS, PLEX_REFRESH_CONSTANTS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const struct {
  PlexRefreshStage stage;
  PetscErrorCode (*refresh)(PlexRequest *);
} PlexRefreshTable[] = {
  /* what has changed: what is made again */
  {PLEX_REFRESH_ELEMENTS,  PlexRefreshState                 }, /* mesh, fields, form, boundary conditions: all */
  {PLEX_REFRESH_ELEMENTS,  PlexRefreshAuxiliary             }, /* the DM of auxiliary fields: all */
  {PLEX_REFRESH_ELEMENTS,  PlexRefreshInverted              }, /* coordinates, cells were inside out: all */
  {PLEX_REFRESH_ELEMENTS,  PlexAssemblySetUpElements_Private}, /* there are none: elements, form */
  {PLEX_REFRESH_TYPES,     PlexRefreshTypes                 }, /* they are open: types */
  {PLEX_REFRESH_INTEGRALS, PlexAssemblyMakeIntegrals_Private}, /* there are none: the other terms of sums */
  {PLEX_REFRESH_SUM,       PlexRefreshCoordinates           }, /* coordinates: geometry, on the device too */
  {PLEX_REFRESH_SUM,       PlexAssemblyUpdatePattern_Private}, /* the matrix's pattern: pattern, exchange */
  {PLEX_REFRESH_CONSTANTS, PlexRefreshConstants             }, /* constants: those on the device */
  {PLEX_REFRESH_PRODUCTS,  PlexAssemblyLeavePattern_Private }, /* the matrix lacks entries: it is left to PETSc */
  {PLEX_REFRESH_PRODUCTS,  PlexRefreshTuning                }, /* tuning is pending: types, sizes, other terms */
  {PLEX_REFRESH_PRODUCTS,  PlexAssemblyChangeLater_Private  }, /* a faster type pays by now: type, other terms */
  {PLEX_REFRESH_PRODUCTS,  PlexAssemblySetUpProducts_Private}, /* what functions read: integration, plan, kernel */
};

static PetscErrorCode PlexRefreshStages(PlexRequest *r, PlexRefreshStage from, PlexRefreshStage to)
{
  PlexAssembly   asm_  = r->asm_;
  PetscErrorCode ierr  = PETSC_SUCCESS;
  const int      level = PlexProgressBegin_Private("set-up of an assembly");

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(PlexRefreshTable) && !ierr; ++k) {
    const PlexRefreshStage stage = PlexRefreshTable[k].stage;

    if (stage < from || stage > to) continue;
    if (stage > PLEX_REFRESH_ELEMENTS && (r->leave || asm_->reason)) break; /* the first rows may end a reason */
    asm_->moment = stage == PLEX_REFRESH_PRODUCTS && (r->P || (r->first && r->first->integral.action)) ? r->at : NULL;
    ierr         = (*PlexRefreshTable[k].refresh)(r);
  }
  asm_->moment = NULL;
  PlexProgressEnd_Private(level);
  PetscCall(ierr);
  if (asm_->reason) r->leave = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A PETSc with debugging keeps the names of the functions that run, 64 at most, and copies them with each allocation.
   Where more run, PetscStackCopy() of PETSc 3.26.1 writes behind the copy. Set-up within nested solvers is that deep, so
   it begins with the first names alone. */
PetscErrorCode PlexAssemblyRefresh_Private(PlexRequest *r, PlexRefreshStage from, PlexRefreshStage to)
{
#if PetscDefined(USE_DEBUG) && !PetscDefined(HAVE_THREADSAFETY)
  PetscStack     stack;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  stack                  = petscstack;
  petscstack.currentsize = PetscMin(stack.currentsize, 16);
  ierr                   = PlexRefreshStages(r, from, to);
  petscstack             = stack;
  PetscCall(ierr);
#else
  PetscFunctionBegin;
  PetscCall(PlexRefreshStages(r, from, to));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}
