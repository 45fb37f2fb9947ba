/*
  What a matrix without entries keeps, so that its products stay those of one Jacobian until it gets another state: local
  vectors, time and shift; the constants, as copies; and the numbers of the form and of the mesh. Of the last two there
  are no copies, so products that would need them as they were are errors.
*/
#include <plexgpu/private/assemblyimpl.h>
#include "assemblyimpl.h"

/* Copies a vector of the state, or none */
static PetscErrorCode PlexKeptSetVec(Vec from, Vec *to)
{
  PetscFunctionBegin;
  if (!from) PetscCall(VecDestroy(to));
  if (from && !*to) PetscCall(VecDuplicate(from, to));
  if (from) PetscCall(VecCopy(from, *to));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The constants of all PetscDS of a DM, one after the other */
static PetscErrorCode PlexConstantsGet(DM dm, PetscInt *size, PetscScalar **constants)
{
  PetscInt           Nds, n;
  PetscDS            ds;
  const PetscScalar *c;

  PetscFunctionBegin;
  PetscCall(DMGetNumDS(dm, &Nds));
  for (PetscInt pass = 0; pass < 2; ++pass) {
    if (pass) PetscCall(PetscMalloc1(*size, constants));
    *size = 0;
    for (PetscInt s = 0; s < Nds; ++s) {
      PetscCall(DMGetRegionNumDS(dm, s, NULL, NULL, &ds, NULL));
      PetscCall(PetscDSGetConstants(ds, &n, &c));
      if (pass) PetscCall(PetscArraycpy(*constants + *size, c, n));
      *size += n;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexConstantsSet(DM dm, PetscScalar constants[])
{
  PetscInt Nds, n;
  PetscDS  ds;

  PetscFunctionBegin;
  PetscCall(DMGetNumDS(dm, &Nds));
  for (PetscInt s = 0; s < Nds; ++s, constants += n) {
    PetscCall(DMGetRegionNumDS(dm, s, NULL, NULL, &ds, NULL));
    PetscCall(PetscDSGetConstants(ds, &n, NULL));
    PetscCall(PetscDSSetConstants(ds, n, constants));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexKeptConstantsBegin_Private(DM dm, const PlexKept *kept, PetscScalar **others)
{
  PetscBool same = PETSC_TRUE;
  PetscInt  n;

  PetscFunctionBegin;
  PetscCall(PlexConstantsGet(dm, &n, others));
  if (n == kept->nconstants) PetscCall(PetscArraycmp(kept->constants, *others, n, &same));
  if (same) PetscCall(PetscFree(*others));
  else PetscCall(PlexConstantsSet(dm, kept->constants));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexKeptConstantsEnd_Private(DM dm, PetscScalar **others)
{
  PetscFunctionBegin;
  if (*others) PetscCall(PlexConstantsSet(dm, *others));
  PetscCall(PetscFree(*others));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexKeptSetMoment(const PlexMoment *at, PlexKept *kept)
{
  PetscFunctionBegin;
  PetscCall(PlexKeptSetVec(at->locX, &kept->at.locX));
  PetscCall(PlexKeptSetVec(at->locX_t, &kept->at.locX_t));
  kept->at.t     = at->t;
  kept->at.shift = at->shift;
  PetscCall(PetscFree(kept->constants));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexKeptSet_Private(PlexAssembly asm_, const PlexMoment *at, PlexKept *kept)
{
  PetscFunctionBegin;
  PetscCall(PlexKeptSetMoment(at, kept));
  PetscCall(PlexConstantsGet(asm_->dm, &kept->nconstants, &kept->constants));
  kept->scale = 1.0;
  kept->form  = asm_->state;
  PetscCall(PlexAssemblyCountMoves_Private(asm_, &kept->moves));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexKeptCopy_Private(const PlexKept *from, PlexKept *to)
{
  PetscFunctionBegin;
  PetscCall(PlexKeptSetMoment(&from->at, to));
  to->nconstants = from->nconstants;
  PetscCall(PetscMalloc1(to->nconstants, &to->constants));
  PetscCall(PetscArraycpy(to->constants, from->constants, to->nconstants));
  to->scale = from->scale;
  to->form  = from->form;
  to->moves = from->moves;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexKeptReset_Private(PlexKept *kept)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&kept->at.locX));
  PetscCall(VecDestroy(&kept->at.locX_t));
  PetscCall(PetscFree(kept->constants));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What has changed since */

PetscErrorCode PlexKeptCheckForm_Private(PlexAssembly asm_, const PlexKept *kept)
{
  PetscFunctionBegin;
  PetscCheck(
    asm_->state == kept->form, PetscObjectComm((PetscObject)asm_), PETSC_ERR_ARG_WRONGSTATE,
    "Functions, fields or boundary conditions of the DM have changed since this matrix of type plexgpu got its "
    "state: compute the Jacobian again (SNESComputeJacobian(); -snes_lag_jacobian 1), or use -dm_mat_type aij");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexKeptCheckMesh_Private(PlexAssembly asm_, const PlexKept *kept)
{
  PetscInt64 now;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyCountMoves_Private(asm_, &now));
  PetscCheck(now == kept->moves, PetscObjectComm((PetscObject)asm_), PETSC_ERR_ARG_WRONGSTATE,
             "The mesh has moved since this matrix of type plexgpu got its state: compute the Jacobian again "
             "(SNESComputeJacobian(); -snes_lag_jacobian 1), or use -dm_mat_type aij");
  PetscFunctionReturn(PETSC_SUCCESS);
}
