/* Mesh nodes along a Hilbert curve: what blocks of rows are cut from */
#include "cut.h"
#include "../../../dm/elementsimpl.h" /* PlexElementsGetCentres() */

/* Places of mesh nodes: means over the centres of their elements, x[Nnodes][cdim] */
static PetscErrorCode PlexNodePlaces(PlexElements el, PetscReal x[])
{
  int *count;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(el->Nnodes, &count));
  PetscCall(PetscArrayzero(x, el->Nnodes * el->cdim));
  for (PetscInt e = 0; e < el->Ne; ++e) {
    PetscReal centre[3];

    PlexElementsGetCentres(el, e, 1, centre);
    for (PetscInt i = 0; i < el->ef; ++i) {
      const PetscInt n = el->node[el->dofs[e * el->ef + i]];

      count[n]++;
      for (PetscInt d = 0; d < el->cdim; ++d) x[n * el->cdim + d] += centre[d];
    }
  }
  for (PetscInt n = 0; n < el->Nnodes; ++n)
    for (PetscInt d = 0; d < el->cdim && count[n]; ++d) x[n * el->cdim + d] /= count[n];
  PetscCall(PetscFree(count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether mesh node n is coordinate node n, with one dof */
static PetscBool PlexNodesAreVertices(PlexElements el)
{
  PetscBool same = PETSC_FALSE;

  if (el->ef != el->Nv || el->Nx != el->Nnodes || !PlexElementsDofsAreNodes(el)) return PETSC_FALSE;
  return PetscArraycmp(el->dofs, el->vertices, (size_t)el->Ne * el->ef, &same) ? PETSC_FALSE : same;
}

static int PlexNodeLead(const PlexNodeOrder *order, PlexPattern pattern, PetscInt n)
{
  for (PetscInt d = order->dofs.start[n]; d < order->dofs.start[n + 1]; ++d) {
    const int l = order->dofs.items[d];

    if (pattern->row[l] >= 0 && order->elements.start[l] < order->elements.start[l + 1]) return l;
  }
  return -1;
}

PetscErrorCode PlexNodeOrderCreate_Private(PlexAssembly asm_, PlexNodeOrder *order)
{
  PlexElements el = asm_->elements;
  PetscReal   *x  = NULL;

  PetscFunctionBegin;
  order->n = el->Nnodes;
  PetscCall(PetscMalloc2(order->n, &order->nodes, order->n, &order->lead));
  if (!PlexNodesAreVertices(el)) {
    PetscCall(PetscMalloc1(el->Nnodes * el->cdim, &x));
    PetscCall(PlexNodePlaces(el, x));
  }
  PetscCall(PlexCurveOrder(order->n, el->cdim, x ? x : el->x, order->nodes));
  PetscCall(PetscFree(x));
  PetscCall(PlexListsInvert(el->Nl, 1, el->node, order->n, &order->dofs));
  PetscCall(PlexListsInvert(el->Ne, el->ef, el->dofs, el->Nl, &order->elements));
  for (PetscInt k = 0; k < order->n; ++k) {
    if (k + PLEX_FETCH_AHEAD < order->n) PlexFetch(&order->dofs.start[order->nodes[k + PLEX_FETCH_AHEAD]]);
    order->lead[k] = PlexNodeLead(order, asm_->pattern, order->nodes[k]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexNodeOrderSort_Private(PlexNodeOrder *order, int keys[])
{
  const PetscInt n = order->n;
  uint64_t      *sorted, *work;
  int           *before;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(n, &sorted, n, &work, n, &before));
  for (PetscInt k = 0; k < n; ++k) sorted[k] = (uint64_t)keys[k] << 32 | (uint64_t)k;
  PlexSortKeys(n, 32, sorted, work);
  for (PetscInt k = 0; k < n; ++k) keys[k] = (int)(sorted[k] >> 32);
  for (PetscInt list = 0; list < 2; ++list) {
    int *const values = list ? order->lead : order->nodes;

    PetscCall(PetscArraycpy(before, values, n));
    for (PetscInt k = 0; k < n; ++k) values[k] = before[sorted[k] & 0xffffffff];
  }
  PetscCall(PetscFree3(sorted, work, before));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexNodeOrderDestroy_Private(PlexNodeOrder *order)
{
  PetscFunctionBegin;
  PetscCall(PetscFree2(order->nodes, order->lead));
  PetscCall(PlexListsDestroy(&order->dofs));
  PetscCall(PlexListsDestroy(&order->elements));
  PetscFunctionReturn(PETSC_SUCCESS);
}
