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
