/* Blocks of elements with prefetched nodal data, parts of elements and of mesh nodes */
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

/* Where the elements of each block begin, each block's at a multiple of the interleave */
static PetscErrorCode PlexBlocksSetPositions(const PlexLists *parts, PlexBlocks *blocks)
{
  const PetscInt W = blocks->interleave;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(parts->n + 1, &blocks->elementStart));
  for (PetscInt b = 0; b < parts->n; ++b) {
    blocks->elementStart[b] = (int)blocks->positions;
    blocks->positions += (size_t)(parts->start[b + 1] - parts->start[b] + W - 1) / W * W;
    PetscCheck(blocks->positions < PETSC_INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "More than 2^31 elements in blocks: distribute the mesh over more ranks");
  }
  blocks->elementStart[parts->n] = (int)blocks->positions;
  PetscCall(PetscMalloc1(blocks->positions, &blocks->elements));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements of block b, and the numbers node[], dof[] of theirs in it; padding has 0xffff */
static void PlexBlockConnect(PlexElements elements, PetscInt n, const int items[], PetscInt b, const int node[],
                             const int dof[], PlexBlocks *blocks, unsigned short conn[])
{
  const PetscInt NV = elements->Nv, EF = elements->ef, K = NV + EF, W = blocks->interleave;

  for (PetscInt k = 0; k < blocks->elementStart[b + 1] - blocks->elementStart[b]; ++k) {
    const size_t    p  = (size_t)blocks->elementStart[b] + (size_t)k;
    const PetscBool is = (PetscBool)(k < n);
    const PetscInt  e  = is ? items[k] : -1;
    unsigned short *to = &conn[p / W * K * W + p % W];

    blocks->elements[p] = (int)e;
    for (PetscInt i = 0; i < NV; ++i)
      to[(size_t)i * W] = is ? (unsigned short)node[elements->vertices[e * NV + i]] : 0xffff;
    for (PetscInt i = 0; i < EF; ++i)
      to[(size_t)(NV + i) * W] = is ? (unsigned short)dof[elements->dofs[e * EF + i]] : 0xffff;
  }
}

PetscErrorCode PlexBlockListsCreate_Private(PlexAssembly asm_, PlexProduct *product, const PlexLists *parts,
                                            PlexBlocks *blocks, PlexBlockLists *lists)
{
  PlexElements el  = asm_->elements;
  PlexCut     *cut = &lists->cut;
  int         *node, *dof;

  PetscFunctionBegin;
  *blocks = (PlexBlocks){.nblocks = parts->n, .interleave = product->team == 1 ? 32 : 1};
  PetscCall(PlexBlocksSetPositions(parts, blocks));
  PetscCall(PetscMalloc1(blocks->positions * (size_t)(el->Nv + el->ef), &lists->conn));
  PetscCall(PetscMalloc2(el->Nx, &node, el->Nl, &dof));
  PetscCall(PlexCutCreate_Private(parts->start[parts->n], parts->items, NULL, el->Ne, cut));
  PetscCall(PlexCutAddList_Private(cut, el->Nv, el->vertices, el->Nx));
  PetscCall(PlexCutAddList_Private(cut, el->ef, el->dofs, el->Nl));
  for (PetscInt b = 0; b < parts->n; ++b) {
    PetscInt nn, nd;

    PetscCall(PlexCutNext_Private(cut, parts->start[b + 1], NULL, NULL));
    nn = PlexCutCount(cut, 1, b);
    nd = PlexCutCount(cut, 2, b);
    PetscCheck(nn < 65535 && nd < 65535, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "A block of elements has %" PetscInt_FMT " nodes and %" PetscInt_FMT
               " dofs, and 65534 can be numbered: use a smaller -plex_assembly_partition_size",
               nn, nd);
    blocks->sharedBytes = PetscMax(blocks->sharedBytes, PlexAssemblyRealSize(asm_) * (el->cdim * nn + 2 * nd));
    PlexCutNumber(cut, 1, b, node);
    PlexCutNumber(cut, 2, b, dof);
    PlexBlockConnect(el, parts->start[b + 1] - parts->start[b], &parts->items[parts->start[b]], b, node, dof, blocks,
                     lists->conn);
  }
  blocks->sharedBytes = (blocks->sharedBytes + 15) / 16 * 16;
  lists->nodeStart    = cut->list[1].start;
  lists->nodes        = cut->list[1].items;
  lists->dofStart     = cut->list[2].start;
  lists->dofs         = cut->list[2].items;
  PetscCall(PetscFree2(node, dof));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBlockListsDestroy_Private(PlexBlockLists *lists)
{
  PetscFunctionBegin;
  PetscCall(PlexCutDestroy_Private(&lists->cut));
  PetscCall(PetscFree(lists->conn));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBlocksCreate_Private(PlexAssembly asm_, PlexProduct *product, const PlexLists *parts,
                                        PlexBlocks *blocks)
{
  PlexElements   elements = asm_->elements;
  const PetscInt K        = elements->Nv + elements->ef;
  PlexBlockLists lists;

  PetscFunctionBegin;
  PetscCall(PlexBlockListsCreate_Private(asm_, product, parts, blocks, &lists));
  blocks->bytes = 2.0 * blocks->positions * K + (4.0 + 8.0 * elements->cdim) * lists.nodeStart[parts->n] +
                  (4.0 + 8.0) * lists.dofStart[parts->n];
  PetscCall(PlexCutUpload_Private(asm_, &lists.cut, 1, &blocks->device.nodeStart, &blocks->device.nodes));
  PetscCall(PlexCutUpload_Private(asm_, &lists.cut, 2, &blocks->device.dofStart, &blocks->device.dofs));
  PetscCall(PlexBackendUpload(asm_->backend, blocks->elementStart, sizeof(int) * (parts->n + 1),
                              (void **)&blocks->device.elementStart));
  if (elements->ea) {
    PetscCall(PlexBackendUpload(asm_->backend, blocks->elements, sizeof(int) * blocks->positions,
                                (void **)&blocks->device.elements));
    blocks->bytes += (4.0 + 12.0 * elements->ea) * blocks->positions;
  }
  PetscCall(PlexBackendUpload(asm_->backend, lists.conn, sizeof(*lists.conn) * blocks->positions * K,
                              (void **)&blocks->device.conn));
  PetscCall(PlexBlockListsDestroy_Private(&lists));
  PetscFunctionReturn(PETSC_SUCCESS);
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

PetscErrorCode PlexElementParts_Private(PlexAssembly asm_, PetscInt maxElements)
{
  PlexElements elements = asm_->elements;
  PlexParts   *parts    = &asm_->parts;

  PetscFunctionBegin;
  if (parts->maxElements == maxElements) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexListsDestroy(&parts->elements));
  PetscCall(PlexPartsOrder(asm_));
  PetscCall(PlexPartitionElements(elements->Ne, elements->Nv, elements->vertices, elements->Nx, maxElements,
                                  elements->Nx, parts->order, &parts->elements));
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
