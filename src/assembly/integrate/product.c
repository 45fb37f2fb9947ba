/* What all strategies ask of a product */
#include "integrate.h"
#include <plex_args.h>

size_t PlexAssemblyRealSize(PlexAssembly asm_)
{
  return asm_->owner->precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
}

PetscErrorCode PlexAssemblyZeroTargets(PlexAssembly asm_, PlexProduct *product, const void *args)
{
  const PlexArgs *arrays = (const PlexArgs *)args;

  PetscFunctionBegin;
  if (product->kind == PLEX_RESIDUAL)
    PetscCall(PlexBackendZero(asm_->backend, arrays->F, sizeof(PetscScalar) * product->Nt));
  else {
    PetscCall(PlexBackendZero(asm_->backend, arrays->A, sizeof(PetscScalar) * asm_->pattern->nA));
    PetscCall(PlexBackendZero(asm_->backend, arrays->B,
                              sizeof(PetscScalar) * (asm_->pattern->nnz - asm_->pattern->nA)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool PlexVariantAllowed(PlexAssembly asm_, const PlexProduct *product, const char name[])
{
  const PlexVariant *asked = asm_->strategy[product->kind].variant;

  return (PetscBool)(!asked || !strcmp(asked->name, name));
}

PetscErrorCode PlexProductUpload(PlexAssembly asm_, PlexProduct *product, const void *from, size_t bytes, void *device)
{
  PetscFunctionBegin;
  PetscCall(PlexMemoryUpload(asm_->backend, &product->memory, from, bytes, (const void **)device));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblySetOps(PlexAssembly asm_, const struct _PlexAssemblyOps *ops, PetscBool flag)
{
  PetscBool *data;

  PetscFunctionBegin;
  PetscCall(PetscNew(&data));
  *data      = flag;
  asm_->data = data;
  *asm_->ops = *ops;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyGetElementTargets(PlexAssembly asm_, PlexProduct *product, PetscInt e, int target[],
                                             int mirror[])
{
  const PetscInt ef = asm_->elements->ef;

  PetscFunctionBegin;
  if (product->kind == PLEX_RESIDUAL) {
    PetscCall(PetscArraycpy(target, &asm_->elements->dofs[e * ef], ef));
    if (mirror)
      for (PetscInt i = 0; i < ef; ++i) mirror[i] = -1;
  } else if (!product->symmetric) {
    PetscCall(PlexPatternGetElementSlots(asm_->pattern, e, target));
    if (mirror)
      for (PetscInt d = 0; d < ef * ef; ++d) mirror[d] = -1;
  } else {
    int *slots;

    PetscCall(PetscMalloc1(ef * ef, &slots));
    PetscCall(PlexPatternGetElementSlots(asm_->pattern, e, slots));
    for (PetscInt i = 0, d = 0; i < ef; ++i) {
      for (PetscInt j = 0; j <= i; ++j, ++d) {
        target[d] = slots[i * ef + j];
        if (mirror) mirror[d] = i == j ? -1 : slots[j * ef + i];
      }
    }
    PetscCall(PetscFree(slots));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

size_t PlexAssemblyRowSums(PlexAssembly asm_, const PlexProduct *product, PetscInt group, PetscInt longest)
{
  /* odd: rows of neighbouring threads are in different banks */
  const size_t bytes = sizeof(PetscScalar) * (size_t)((longest | 1) * (product->block / group));

  return bytes <= asm_->backend->limits.sharedPerBlock / 4 ? bytes : 0;
}
