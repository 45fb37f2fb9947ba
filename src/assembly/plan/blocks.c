/* Blocks of elements with prefetched nodal data, parts of elements and of mesh nodes */
#include "blocks.h"
#include "../../dm/elementsimpl.h" /* PlexElementsCurveOrder() */

#define PLEX_METIS_ELEMENTS 100000 /* most elements that METIS cuts where nothing is asked for: about half a second */

PetscInt PlexBlocksElements_Private(PlexAssembly asm_, PlexProduct *product, size_t budget)
{
  PlexElements   elements = asm_->elements;
  const size_t   real = PlexAssemblyRealSize(asm_), one = real * (elements->dim * elements->Nv + 2 * elements->ef);
  const PetscInt teams = product->block / product->team;
  const size_t   work = product->work * (size_t)teams, all = asm_->backend->limits.sharedPerBlock;

  if (asm_->partitionSize) return asm_->partitionSize;
  budget = PetscMin(budget, all > work ? all - work : 0);            /* what the teams' work areas leave */
  return PetscMax(1, PetscMin((PetscInt)(budget / one), 4 * teams)); /* a few elements a team outweigh the barrier */
}

PetscErrorCode PlexElementParts_Private(PlexAssembly asm_, PetscInt maxElements)
{
  PlexElements          el    = asm_->elements;
  PlexParts            *parts = &asm_->parts;
  PlexLists            *lists = &parts->elements;
  const PlexPartitioner by    = asm_->owner->partitioner;
  const PetscBool metis = (PetscBool)(by == PLEX_PARTITIONER_METIS ||
                                      (by == PLEX_PARTITIONER_AUTO && PlexHasMetis() && el->Ne <= PLEX_METIS_ELEMENTS));

  PetscFunctionBegin;
  if (parts->maxElements == maxElements) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexListsDestroy(lists));
  parts->maxElements = maxElements;
  if (metis) {
    PetscCall(PlexPartitionElements(el->Ne, el->Nv, el->vertices, el->Nx, maxElements, el->Nx, NULL, lists));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  lists->n = (el->Ne + maxElements - 1) / maxElements;
  PetscCall(PetscMalloc1(lists->n + 1, &lists->start));
  PetscCall(PetscMalloc1(el->Ne, &lists->items));
  PetscCall(PlexElementsCurveOrder(el, lists->items));
  for (PetscInt k = 0; k <= lists->n; ++k) lists->start[k] = PetscMin(el->Ne, k * maxElements);
  PetscFunctionReturn(PETSC_SUCCESS);
}
