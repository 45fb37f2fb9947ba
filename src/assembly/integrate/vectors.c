#include "vectors.h"
#include <petscviewer.h>

#define PLEX_VECTORS_BLOCK 64 /* threads, where a thread computes an element by sum factorization */

PetscErrorCode PlexVectorsChoose_Private(PlexAssembly asm_, PlexProduct *product, size_t work, PlexLineTables *tables)
{
  const size_t all    = asm_->backend->limits.sharedPerBlock;
  PetscBool    serves = PETSC_FALSE;

  PetscFunctionBegin;
  if (PlexVariantAllowed(asm_, product, "sumfactor"))
    PetscCall(PlexLinesServeResidual_Private(asm_, product, tables, &serves));
  if (serves && work * 32 <= all / 2) {
    product->variant = "sumfactor";
    product->team    = 1;
    product->work    = work;
    product->block   = asm_->blockSize ? asm_->blockSize : PLEX_VECTORS_BLOCK;
    product->lines   = tables;
    while (product->block > 32 && work * (size_t)product->block > all) product->block -= 32;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!PlexVariantAllowed(asm_, product, "tensorcores")) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexUnitsChoose_Private(asm_, product, &serves));
  if (serves) product->variant = "tensorcores";
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool PlexVectorsChosen_Private(const PlexProduct *product)
{
  return (PetscBool)(product->kind == PLEX_RESIDUAL && (product->lines || product->units));
}

PetscInt PlexVectorsElements_Private(const PlexProduct *product)
{
  return product->units ? product->block / 32 * PLEX_UNITS_ELEMENTS : product->block / product->team;
}

double PlexVectorsFlops_Private(PlexAssembly asm_, PlexProduct *product)
{
  const double          Ne     = (double)asm_->elements->Ne;
  const PlexLineTables *tables = (const PlexLineTables *)product->lines;

  if (product->units) return Ne * PlexUnitsFlops_Private(asm_, product);
  if (PlexVectorsChosen_Private(product)) return Ne * PlexLinesResidualFlops_Private(asm_, product, tables);
  return PlexAssemblyCountFlops(asm_, product, Ne * (double)PlexAssemblyPoints(asm_, product),
                                Ne * (double)asm_->elements->ef, 0);
}

PetscErrorCode PlexVectorsView_Private(const PlexProduct *product, PetscViewer viewer)
{
  PetscFunctionBegin;
  if (product->units)
    PetscCall(PetscViewerASCIIPrintf(viewer, "a warp computes %d elements, on tensor units\n", PLEX_UNITS_ELEMENTS));
  else if (PlexVectorsChosen_Private(product))
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "a thread computes an element, by sums along lines of %" PetscInt_FMT " points\n",
                                     ((const PlexLineTables *)product->lines)->Q));
  PetscFunctionReturn(PETSC_SUCCESS);
}
