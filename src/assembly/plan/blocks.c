#include "blocks.h"
#include "../../dm/elementsimpl.h" /* PlexElementsCurveOrder() */

#define PLEX_METIS_ELEMENTS 100000 /* most elements that METIS cuts where nothing is asked for: about half a second */

PetscInt PlexBlocksElements_Private(PlexAssembly asm_, PlexProduct *product, size_t budget)
{
  PlexElements   elements = asm_->elements;
  const size_t   real = PlexAssemblyRealSize(asm_), one = real * (elements->cdim * elements->Nv + 2 * elements->ef);
  const PetscInt teams = product->block / product->team;
  const size_t   work = product->work * (size_t)teams, all = asm_->backend->limits.sharedPerBlock;

  if (asm_->partitionSize) return asm_->partitionSize;
  budget = PetscMin(budget, all > work ? all - work : 0);            /* what the teams' work areas leave */
  return PetscMax(1, PetscMin((PetscInt)(budget / one), 4 * teams)); /* a few elements a team outweigh the barrier */
}

PetscErrorCode PlexBlocksDestroy_Private(PlexAssembly asm_, PlexBlocks *blocks)
{
  PetscFunctionBegin;
  PetscCall(PlexBackendFree(asm_->backend, (void **)&blocks->device.nodeStart));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&blocks->device.nodes));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&blocks->device.dofStart));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&blocks->device.dofs));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&blocks->device.elementStart));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&blocks->device.elements));
  PetscCall(PlexBackendFree(asm_->backend, (void **)&blocks->device.conn));
  PetscCall(PetscFree(blocks->elementStart));
  PetscCall(PetscFree(blocks->elements));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPartsReset_Private(PlexParts *parts)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(parts->order));
  PetscCall(PlexListsDestroy(&parts->elements));
  PetscCall(PlexListsDestroy(&parts->nodes));
  PetscCall(PlexListsDestroy(&parts->around));
  PetscCall(PlexListsDestroy(&parts->touching));
  PetscCall(PetscFree(parts->nodeOrder));
  parts->maxElements = parts->maxAround = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The elements along a curve, by the means of their vertices, where the mesh is to be cut so; else parts->order stays
   NULL */
static PetscErrorCode PlexPartsOrder(PlexAssembly asm_)
{
  PlexElements elements = asm_->elements;
  PlexParts   *parts    = &asm_->parts;

  PetscFunctionBegin;
  if (parts->order || asm_->owner->partitioner == PLEX_PARTITIONER_METIS ||
      (asm_->owner->partitioner == PLEX_PARTITIONER_AUTO && elements->Ne <= PLEX_METIS_ELEMENTS))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(elements->Ne, &parts->order));
  PetscCall(PlexElementsCurveOrder(elements, parts->order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Parts of so many elements each, in their order */
static PetscErrorCode PlexPartsRuns(PetscInt n, PetscInt most, const int order[], PlexLists *parts)
{
  PetscFunctionBegin;
  parts->n = (n + most - 1) / most;
  PetscCall(PetscMalloc1(parts->n + 1, &parts->start));
  PetscCall(PetscMalloc1(n, &parts->items));
  for (PetscInt k = 0; k <= parts->n; ++k) parts->start[k] = PetscMin(n, k * most);
  PetscCall(PetscArraycpy(parts->items, order, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexElementParts_Private(PlexAssembly asm_, PetscInt maxElements)
{
  PlexElements elements = asm_->elements;
  PlexParts   *parts    = &asm_->parts;

  PetscFunctionBegin;
  if (parts->maxElements == maxElements) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexListsDestroy(&parts->elements));
  PetscCall(PlexPartsOrder(asm_));
  if (parts->order) PetscCall(PlexPartsRuns(elements->Ne, maxElements, parts->order, &parts->elements));
  else
    PetscCall(PlexPartitionElements(elements->Ne, elements->Nv, elements->vertices, elements->Nx, maxElements,
                                    elements->Nx, NULL, &parts->elements));
  parts->maxElements = maxElements;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The elements around each mesh node, and the nodes' own order; else, where there is none, the elements' nodes */
static PetscErrorCode PlexPartsTouch(PlexAssembly asm_, PetscInt *k, int **conn)
{
  PlexElements elements = asm_->elements;
  PlexParts   *parts    = &asm_->parts;
  PetscInt     per;
  PetscBool    own = PETSC_TRUE;
  int         *nodes;

  PetscFunctionBegin;
  *conn = NULL;
  PetscCall(PlexPartsOrder(asm_));
  if (parts->touching.start && parts->nodeOrder) PetscFunctionReturn(PETSC_SUCCESS);
  if (parts->order && PlexElementsDofsAreNodes(elements)) {
    own   = PETSC_FALSE;
    per   = elements->ef;
    nodes = elements->dofs;
  } else PetscCall(PlexElementsGetNodes(elements, &per, &nodes));
  if (!parts->touching.start)
    PetscCall(PlexListsInvertAlong(elements->Ne, per, nodes, elements->Nnodes, parts->order, &parts->touching));
  if (parts->order) {
    PetscCall(PlexNodesAlong(elements->Ne, per, nodes, elements->Nnodes, parts->order, &parts->nodeOrder));
    if (own) PetscCall(PetscFree(nodes));
  } else {
    *k    = per;
    *conn = nodes;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool PlexPartFits(const PlexCut *cut, PetscInt first, PetscInt end, const PetscInt counts[], void *ctx)
{
  (void)cut;
  (void)first;
  (void)end;
  return (PetscBool)(counts[0] <= *(PetscInt *)ctx);
}

PetscErrorCode PlexNodeParts_Private(PlexAssembly asm_, PetscInt maxElements)
{
  PlexElements elements = asm_->elements;
  PlexParts   *parts    = &asm_->parts;
  PetscInt     k        = 0;
  int         *conn;
  PlexCut      cut;

  PetscFunctionBegin;
  if (parts->maxAround == maxElements) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexListsDestroy(&parts->nodes));
  PetscCall(PlexListsDestroy(&parts->around));
  PetscCall(PlexPartsTouch(asm_, &k, &conn));
  if (!parts->nodeOrder)
    PetscCall(PlexPartitionNodes(elements->Ne, k, conn, elements->Nnodes, maxElements, NULL, &parts->nodes));
  PetscCall(PetscFree(conn));
  PetscCall(PlexCutCreate_Private(elements->Nnodes, parts->nodeOrder ? parts->nodeOrder : parts->nodes.items,
                                  &parts->touching, elements->Ne, &cut));
  while (cut.start[cut.nblocks] < cut.n)
    PetscCall(PlexCutNext_Private(&cut, parts->nodeOrder ? cut.n : parts->nodes.start[cut.nblocks + 1],
                                  parts->nodeOrder ? PlexPartFits : NULL, &maxElements));
  if (parts->nodeOrder) {
    parts->nodes = (PlexLists){.n = cut.nblocks, .start = cut.start};
    PetscCall(PetscMalloc1(cut.n, &parts->nodes.items));
    PetscCall(PetscArraycpy(parts->nodes.items, parts->nodeOrder, cut.n));
    cut.start = NULL;
  }
  parts->around     = (PlexLists){cut.nblocks, cut.list[0].start, cut.list[0].items};
  cut.list[0].start = NULL;
  cut.list[0].items = NULL;
  PetscCall(PlexCutDestroy_Private(&cut));
  parts->maxAround = maxElements;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPartDofs_Private(PlexAssembly asm_, PlexProduct *product, const PlexLists *nodes, PetscInt **start,
                                    int **order, int **part)
{
  PlexElements elements = asm_->elements;
  PlexLists    dofs;
  int         *of;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(elements->Nnodes, &of));
  for (PetscInt n = 0; n < elements->Nnodes; ++n) of[n] = -1;
  for (PetscInt b = 0; b < nodes->n; ++b)
    for (PetscInt n = nodes->start[b]; n < nodes->start[b + 1]; ++n) of[nodes->items[n]] = (int)b;
  PetscCall(PetscMalloc1(elements->Nl, part));
  for (PetscInt l = 0; l < elements->Nl; ++l)
    (*part)[l] = product->kind == PLEX_JACOBIAN && asm_->pattern->row[l] < 0 ? -1 : of[elements->node[l]];
  PetscCall(PetscFree(of));
  if (!start) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexListsInvert(elements->Nl, 1, *part, nodes->n, &dofs));
  *start = dofs.start;
  *order = dofs.items;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBlocksUploadBuffer_Private(PlexAssembly asm_, PlexPackBuffer *b, void *device)
{
  PetscFunctionBegin;
  PetscCall(PlexBackendUpload(asm_->backend, b->entries, sizeof(int) * b->n, (void **)device));
  PetscCall(PlexPackBufferDestroy(b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexCutUpload_Private(PlexAssembly asm_, const PlexCut *cut, PetscInt q, const int **start,
                                     const int **items)
{
  const PlexCutList *list = q < cut->nlists ? &cut->list[q] : NULL;
  int               *starts;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(cut->nblocks + 1, &starts));
  for (PetscInt b = 0; b <= cut->nblocks; ++b) starts[b] = list ? (int)list->start[b] : 0;
  PetscCall(PlexBackendUpload(asm_->backend, starts, sizeof(int) * (size_t)(cut->nblocks + 1), (void **)start));
  PetscCall(PlexBackendUpload(asm_->backend, list ? list->items : NULL, sizeof(int) * (size_t)starts[cut->nblocks],
                              (void **)items));
  PetscCall(PetscFree(starts));
  PetscFunctionReturn(PETSC_SUCCESS);
}
