#include "blocks.h"
#include "../../../dm/elementsimpl.h" /* PlexElementsCurveOrder() */

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

/* Numbers the distinct values of `items` in the order they come: appends them to *to, and returns how many; number[] is
   work that is stamped with base + k + 1 */
static PetscInt PlexNumber(PetscInt n, const int items[], PetscInt known, int first[], int owner[], int block, int to[])
{
  for (PetscInt k = 0; k < n; ++k) {
    if (owner[items[k]] == block) continue;
    owner[items[k]] = block;
    first[items[k]] = (int)known;
    to[known++]     = items[k];
  }
  return known;
}

PetscErrorCode PlexBlockListsCreate_Private(PlexAssembly asm_, PlexProduct *product, const PlexLists *parts,
                                            PlexBlocks *blocks, PlexBlockLists *lists)
{
  PlexElements    elements = asm_->elements;
  const PetscInt  NV = elements->Nv, EF = elements->ef, K = NV + EF, W = product->team == 1 ? 32 : 1;
  const size_t    real  = PlexAssemblyRealSize(asm_);
  PetscInt        total = parts->start[parts->n];
  int            *nodeStart, *dofStart, *nodes, *dofs, *node, *dof, *nodeOwner, *dofOwner;
  unsigned short *conn;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(blocks, sizeof(*blocks)));
  blocks->nblocks    = parts->n;
  blocks->interleave = W;
  PetscCall(PetscMalloc1(parts->n + 1, &blocks->elementStart));
  for (PetscInt b = 0; b < parts->n; ++b) {
    blocks->elementStart[b] = (int)blocks->positions;
    blocks->positions += (size_t)(parts->start[b + 1] - parts->start[b] + W - 1) / W * W;
    PetscCheck(blocks->positions < PETSC_INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "More than 2^31 elements in blocks: distribute the mesh over more ranks");
  }
  blocks->elementStart[parts->n] = (int)blocks->positions;
  PetscCall(PetscMalloc1(blocks->positions, &blocks->elements));
  PetscCall(PetscMalloc1(blocks->positions * K, &conn));
  PetscCall(PetscMalloc4(parts->n + 1, &nodeStart, parts->n + 1, &dofStart, (size_t)total * NV, &nodes,
                         (size_t)total * EF, &dofs));
  PetscCall(PetscCalloc4(elements->Nx, &node, elements->Nl, &dof, elements->Nx, &nodeOwner, elements->Nl, &dofOwner));
  nodeStart[0] = dofStart[0] = 0;
  for (PetscInt b = 0; b < parts->n; ++b) {
    PetscInt nn = 0, nd = 0;

    for (PetscInt k = parts->start[b]; k < parts->start[b + 1]; ++k) {
      const PetscInt e = parts->items[k];

      if (k + 2 * PLEX_FETCH_AHEAD < total) {
        const size_t later = (size_t)parts->items[k + 2 * PLEX_FETCH_AHEAD];

        PlexFetch(&elements->vertices[later * NV]);
        PlexFetch(&elements->dofs[later * EF]);
      }
      if (k + PLEX_FETCH_AHEAD < total) {
        const size_t soon = (size_t)parts->items[k + PLEX_FETCH_AHEAD];

        for (PetscInt v = 0; v < NV; ++v) PlexFetch(&nodeOwner[elements->vertices[soon * NV + v]]);
        for (PetscInt i = 0; i < EF; ++i) PlexFetch(&dofOwner[elements->dofs[soon * EF + i]]);
      }
      nn = PlexNumber(NV, &elements->vertices[e * NV], nn, node, nodeOwner, (int)b + 1, &nodes[nodeStart[b]]);
      nd = PlexNumber(EF, &elements->dofs[e * EF], nd, dof, dofOwner, (int)b + 1, &dofs[dofStart[b]]);
    }
    PetscCheck(nn < 65535 && nd < 65535, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "A block of elements has %" PetscInt_FMT " nodes and %" PetscInt_FMT
               " dofs, and 65534 can be numbered: use a smaller -plex_assembly_partition_size",
               nn, nd);
    nodeStart[b + 1]    = nodeStart[b] + (int)nn;
    dofStart[b + 1]     = dofStart[b] + (int)nd;
    blocks->sharedBytes = PetscMax(blocks->sharedBytes, real * (elements->cdim * nn + 2 * nd));
    for (PetscInt k = 0; k < blocks->elementStart[b + 1] - blocks->elementStart[b]; ++k) {
      const size_t    p  = (size_t)blocks->elementStart[b] + k;
      const PetscBool is = (PetscBool)(k < parts->start[b + 1] - parts->start[b]);
      const PetscInt  e  = is ? parts->items[parts->start[b] + k] : -1;
      unsigned short *to = &conn[p / W * K * W + p % W];

      blocks->elements[p] = (int)e;
      for (PetscInt i = 0; i < NV; ++i)
        to[(size_t)i * W] = is ? (unsigned short)node[elements->vertices[e * NV + i]] : 0xffff;
      for (PetscInt i = 0; i < EF; ++i)
        to[(size_t)(NV + i) * W] = is ? (unsigned short)dof[elements->dofs[e * EF + i]] : 0xffff;
    }
  }
  blocks->sharedBytes = (blocks->sharedBytes + 15) / 16 * 16;
  *lists              = (PlexBlockLists){nodeStart, dofStart, nodes, dofs, conn};
  PetscCall(PetscFree4(node, dof, nodeOwner, dofOwner));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBlockListsDestroy_Private(PlexBlockLists *lists)
{
  PetscFunctionBegin;
  PetscCall(PetscFree4(lists->nodeStart, lists->dofStart, lists->nodes, lists->dofs));
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
  PetscCall(PlexBackendUpload(asm_->backend, lists.nodeStart, sizeof(int) * (parts->n + 1),
                              (void **)&blocks->device.nodeStart));
  PetscCall(PlexBackendUpload(asm_->backend, lists.nodes, sizeof(int) * lists.nodeStart[parts->n],
                              (void **)&blocks->device.nodes));
  PetscCall(PlexBackendUpload(asm_->backend, lists.dofStart, sizeof(int) * (parts->n + 1),
                              (void **)&blocks->device.dofStart));
  PetscCall(PlexBackendUpload(asm_->backend, lists.dofs, sizeof(int) * lists.dofStart[parts->n],
                              (void **)&blocks->device.dofs));
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

/* The elements around each mesh node, and the nodes' own order; conn NULL: nobody wants the elements' nodes */
static PetscErrorCode PlexPartsTouch(PlexAssembly asm_, PetscInt *k, int **conn)
{
  PlexElements elements = asm_->elements;
  PlexParts   *parts    = &asm_->parts;
  PetscInt     per;
  PetscBool    own = PETSC_TRUE;
  int         *nodes;

  PetscFunctionBegin;
  if (conn) *conn = NULL;
  PetscCall(PlexPartsOrder(asm_));
  if (parts->touching.start && (parts->nodeOrder || !conn)) PetscFunctionReturn(PETSC_SUCCESS);
  if (parts->order && PlexElementsDofsAreNodes(elements)) {
    own   = PETSC_FALSE;
    per   = elements->ef;
    nodes = elements->dofs;
  } else PetscCall(PlexElementsGetNodes(elements, &per, &nodes));
  if (!parts->touching.start)
    PetscCall(PlexListsInvertAlong(elements->Ne, per, nodes, elements->Nnodes, parts->order, &parts->touching));
  if (conn && parts->order)
    PetscCall(PlexNodesAlong(elements->Ne, per, nodes, elements->Nnodes, parts->order, &parts->nodeOrder));
  if (conn && !parts->order) {
    *k    = per;
    *conn = nodes;
  } else if (own) PetscCall(PetscFree(nodes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPartsGetTouching_Private(PlexAssembly asm_, const PlexLists **touching)
{
  PetscFunctionBegin;
  PetscCall(PlexPartsTouch(asm_, NULL, NULL));
  *touching = &asm_->parts.touching;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The elements that touch the nodes of each part, in the order in which those nodes come to them */
static PetscErrorCode PlexListAround(PetscInt Ne, const PlexLists *touching, const PlexLists *nodes, PlexLists *around)
{
  PetscInt total = 0;
  int     *last;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(Ne, &last));
  around->n = nodes->n;
  PetscCall(PetscMalloc1(nodes->n + 1, &around->start));
  /* at most; whether an element was there before is too irregular to branch on */
  PetscCall(PetscMalloc1(touching->start[touching->n] + 1, &around->items));
  for (PetscInt b = 0; b < nodes->n; ++b) {
    around->start[b] = total;
    for (PetscInt n = nodes->start[b]; n < nodes->start[b + 1]; ++n) {
      if (n + 3 * PLEX_FETCH_AHEAD < nodes->start[nodes->n])
        PlexFetch(&touching->start[nodes->items[n + 3 * PLEX_FETCH_AHEAD]]);
      if (n + 2 * PLEX_FETCH_AHEAD < nodes->start[nodes->n])
        PlexFetch(&touching->items[touching->start[nodes->items[n + 2 * PLEX_FETCH_AHEAD]]]);
      if (n + PLEX_FETCH_AHEAD < nodes->start[nodes->n])
        for (PetscInt t = touching->start[nodes->items[n + PLEX_FETCH_AHEAD]];
             t < touching->start[nodes->items[n + PLEX_FETCH_AHEAD] + 1]; ++t)
          PlexFetch(&last[touching->items[t]]);
      for (PetscInt t = touching->start[nodes->items[n]]; t < touching->start[nodes->items[n] + 1]; ++t) {
        const int e = touching->items[t];

        around->items[total] = e;
        total += last[e] != (int)b + 1;
        last[e] = (int)b + 1;
      }
    }
  }
  around->start[nodes->n] = total;
  PetscCall(PetscFree(last));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexNodeParts_Private(PlexAssembly asm_, PetscInt maxElements)
{
  PlexElements elements = asm_->elements;
  PlexParts   *parts    = &asm_->parts;
  PetscInt     k        = 0;
  int         *conn;

  PetscFunctionBegin;
  if (parts->maxAround == maxElements) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexListsDestroy(&parts->nodes));
  PetscCall(PlexListsDestroy(&parts->around));
  PetscCall(PlexPartsTouch(asm_, &k, &conn));
  if (parts->nodeOrder)
    PetscCall(PlexPartitionNodesAlong(elements->Ne, &parts->touching, maxElements, parts->nodeOrder, &parts->nodes));
  else PetscCall(PlexPartitionNodes(elements->Ne, k, conn, elements->Nnodes, maxElements, NULL, &parts->nodes));
  PetscCall(PetscFree(conn));
  PetscCall(PlexListAround(elements->Ne, &parts->touching, &parts->nodes, &parts->around));
  parts->maxAround = maxElements;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPartDofs_Private(PlexAssembly asm_, PlexProduct *product, const PlexLists *nodes, PetscInt **start,
                                    int **order, int **part)
{
  PlexElements elements = asm_->elements;
  int         *of;
  PetscInt    *next;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(elements->Nnodes, &of));
  for (PetscInt n = 0; n < elements->Nnodes; ++n) of[n] = -1;
  for (PetscInt b = 0; b < nodes->n; ++b)
    for (PetscInt n = nodes->start[b]; n < nodes->start[b + 1]; ++n) of[nodes->items[n]] = (int)b;
  PetscCall(PetscMalloc1(elements->Nl, part));
  PetscCall(PetscCalloc1(nodes->n + 1, start));
  for (PetscInt l = 0; l < elements->Nl; ++l) {
    (*part)[l] = product->kind == PLEX_JACOBIAN && asm_->pattern->row[l] < 0 ? -1 : of[elements->node[l]];
    if ((*part)[l] >= 0) (*start)[(*part)[l] + 1]++;
  }
  for (PetscInt b = 0; b < nodes->n; ++b) (*start)[b + 1] += (*start)[b];
  PetscCall(PetscMalloc1((*start)[nodes->n], order));
  PetscCall(PetscMalloc1(nodes->n, &next));
  PetscCall(PetscArraycpy(next, *start, nodes->n));
  for (PetscInt l = 0; l < elements->Nl; ++l)
    if ((*part)[l] >= 0) (*order)[next[(*part)[l]]++] = (int)l;
  PetscCall(PetscFree(next));
  PetscCall(PetscFree(of));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBlocksUploadBuffer_Private(PlexAssembly asm_, PlexPackBuffer *b, void *device)
{
  PetscFunctionBegin;
  PetscCall(PlexBackendUpload(asm_->backend, b->entries, sizeof(int) * b->n, (void **)device));
  PetscCall(PlexPackBufferDestroy(b));
  PetscFunctionReturn(PETSC_SUCCESS);
}
