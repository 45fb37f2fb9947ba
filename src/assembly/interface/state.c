/* A hash of what an assembly depends on in its DM, by which changes are noticed */
#include <plexgpu/private/assemblyimpl.h>
#include "assemblyimpl.h"
#include <petsc/private/dmimpl.h>
#include <petsc/private/petscdsimpl.h>

/* Adds n bytes to an FNV-1a hash */
static void PlexHash(PetscInt64 *hash, const void *data, size_t n)
{
  uint64_t h = (uint64_t)*hash;

  for (size_t k = 0; k < n; ++k) h = (h ^ ((const unsigned char *)data)[k]) * 0x100000001b3ULL;
  *hash = (PetscInt64)h;
}

#define PlexHashValue(hash, value) PlexHash(hash, &(value), sizeof(value))

static PetscErrorCode PlexHashObject(PetscInt64 *hash, PetscObject object)
{
  PetscObjectId id = 0;

  PetscFunctionBegin;
  if (object) PetscCall(PetscObjectGetId(object, &id));
  PlexHashValue(hash, id);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The pointwise functions, in the order in which they were set, and the number of keys of each kind */
static PetscErrorCode PlexHashWeakForm(PetscInt64 *hash, PetscWeakForm wf)
{
  PetscFunctionBegin;
  if (!wf) PetscFunctionReturn(PETSC_SUCCESS);
  PlexHashValue(hash, wf->funcs->size);
  PlexHash(hash, wf->funcs->array, (size_t)wf->funcs->size * wf->funcs->unitbytes);
  for (PetscInt kind = 0; kind < PETSC_NUM_WF; ++kind) {
    PetscInt n;

    PetscCall(PetscHMapFormGetSize(wf->form[kind], &n));
    PlexHashValue(hash, n);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHashDS(PetscInt64 *hash, PetscDS ds)
{
  PetscFunctionBegin;
  PetscCall(PlexHashObject(hash, (PetscObject)ds));
  PlexHashValue(hash, ds->Nf);
  PlexHashValue(hash, ds->useJacPre);
  PlexHashValue(hash, ds->numConstants);
  for (PetscInt f = 0; f < ds->Nf; ++f) {
    PetscCall(PlexHashObject(hash, ds->disc[f]));
    PlexHashValue(hash, ds->implicit[f]);
  }
  PetscCall(PlexHashWeakForm(hash, ds->wf));
  for (DSBoundary b = ds->boundary; b; b = b->next) {
    PlexHashValue(hash, b->type);
    PlexHashValue(hash, b->label);
    PlexHashValue(hash, b->field);
    PlexHash(hash, b->values, sizeof(PetscInt) * b->Nv);
    if (b->wf != ds->wf) PetscCall(PlexHashWeakForm(hash, b->wf));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A hash of mesh, fields, form, boundary conditions and basis transform. It does not contain what each call reads: constants,
   coordinates (but how many there are), values of auxiliary fields. */
PetscErrorCode PlexAssemblyGetState_Private(PlexAssembly asm_, PetscInt64 *state)
{
  DM           dm = asm_->dm;
  PetscSection section, anchors;
  Mat          constraints;
  PetscInt     Nds, Naux, pStart, pEnd;

  PetscFunctionBegin;
  *state = (PetscInt64)0xcbf29ce484222325ULL;
  PetscCall(DMGetLocalSection(dm, &section));
  PetscCall(PlexHashObject(state, (PetscObject)section));
  PetscCall(DMPlexGetChart(dm, &pStart, &pEnd));
  PlexHashValue(state, pEnd);
  PetscCall(DMPlexGetAnchors(dm, &anchors, NULL));
  PetscCall(DMGetDefaultConstraints(dm, NULL, &constraints, NULL));
  PetscCall(PlexHashObject(state, (PetscObject)anchors));
  PetscCall(PlexHashObject(state, (PetscObject)constraints));
  PetscCall(PlexHashObject(state, (PetscObject)dm->transform));
  PetscCall(DMGetNumDS(dm, &Nds));
  for (PetscInt s = 0; s < Nds; ++s) {
    DMLabel label;
    PetscDS ds;

    PetscCall(DMGetRegionNumDS(dm, s, &label, NULL, &ds, NULL));
    PetscCall(PetscDSUpdateBoundaryLabels(ds, dm)); /* PETSc does so when it first inserts values */
    PetscCall(PlexHashObject(state, (PetscObject)label));
    PetscCall(PlexHashDS(state, ds));
  }
  for (PetscInt k = 0; k < 2; ++k) { /* another space of coordinates */
    PetscInt n = 0;
    Vec      x;

    PetscCall(k ? DMGetCellCoordinatesLocal(dm, &x) : DMGetCoordinatesLocal(dm, &x));
    if (x) PetscCall(VecGetLocalSize(x, &n));
    PlexHashValue(state, n);
  }
  PetscCall(DMGetNumAuxiliaryVec(dm, &Naux));
  PlexHashValue(state, Naux);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyCountMoves_Private(PlexAssembly asm_, PetscInt64 *moves)
{
  PetscObjectState state;
  PetscInt64       hash    = asm_->coordinatesHash;
  PetscBool        changed = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PlexGetCoordinateState(asm_->dm, &state));
  if (state != asm_->coordinatesSeen) { /* their vector was open to changes */
    PetscCall(PlexHashCoordinates(asm_->dm, &hash));
    changed = (PetscBool)(hash != asm_->coordinatesHash);
  }
  asm_->coordinatesSeen = state;
  asm_->coordinatesHash = hash;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &changed, 1, MPI_C_BOOL, MPI_LOR, PetscObjectComm((PetscObject)asm_)));
  if (changed) asm_->moves++;
  *moves = asm_->moves;
  PetscFunctionReturn(PETSC_SUCCESS);
}
