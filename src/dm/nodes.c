/* Mesh nodes of the elements: what their dofs sit on. */
#include "elementsimpl.h"

/* nodes[n] of an element, each once, but no more than `most`; returns n, which may be more */
static inline PetscInt ElementNodes(PlexElements elements, PetscInt e, PetscInt most, int nodes[])
{
  const int *dofs = &elements->dofs[(size_t)e * elements->ef];
  PetscInt   n    = 0;

  for (PetscInt i = 0; i < elements->ef; ++i) {
    const int node = elements->node[dofs[i]];
    int       seen = n && nodes[PetscMin(n, most) - 1] == node; /* dofs of one node follow each other */

    for (PetscInt k = 0; k < PetscMin(n, most) && !seen; ++k) seen = nodes[k] == node;
    if (seen) continue;
    if (n < most) nodes[n] = node;
    ++n;
  }
  return n;
}

typedef struct {
  PlexElements elements;
  PetscInt     most; /* nodes that there is room for */
  int         *conn; /* [Ne][most] */
  PlexLowest   more; /* element that has more */
} ElementNodesContext;

static void ElementNodesLoop(void *ctx, PetscInt begin, PetscInt end)
{
  ElementNodesContext *c  = (ElementNodesContext *)ctx;
  const PlexElements   el = c->elements;

  for (PetscInt e = begin; e < end; ++e) {
    int     *to = &c->conn[(size_t)e * c->most];
    PetscInt n;

    for (PetscInt i = 0; e + PLEX_FETCH_AHEAD < el->Ne && i < el->ef; ++i)
      PlexFetch(&el->node[el->dofs[(size_t)(e + PLEX_FETCH_AHEAD) * el->ef + i]]);
    n = ElementNodes(el, e, c->most, to);
    for (PetscInt i = n; i < c->most; ++i) to[i] = to[n - 1];
    if (n > c->most) PlexLowestPut(&c->more, e);
  }
}

PetscErrorCode PlexElementsGetNodes(PlexElements elements, PetscInt *k, int **conn)
{
  const PetscInt      Ne = elements->Ne;
  ElementNodesContext c  = {.elements = elements};
  PetscInt            e;
  int                *first;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(elements->ef, &first));
  if (Ne) c.most = ElementNodes(elements, 0, elements->ef, first);
  /* an element that is folded onto itself has fewer nodes: its row repeats the last one. A row that is longer than the
     first element's starts the loop again */
  for (;;) {
    PetscCall(PetscMalloc1((size_t)Ne * c.most, &c.conn));
    PlexLowestInit(&c.more, Ne);
    PetscCall(PlexThreadsRun(Ne, PLEX_THREADS_LEAST, ElementNodesLoop, &c));
    e = PlexLowestGet(&c.more);
    if (e == Ne) break;
    PetscCall(PetscFree(c.conn));
    c.most = ElementNodes(elements, e, elements->ef, first);
  }
  PetscCall(PetscFree(first));
  *k    = c.most;
  *conn = c.conn;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool PlexElementsDofsAreNodes(PlexElements elements)
{
  PetscInt other = 0;

  if (elements->Nl != elements->Nnodes) return PETSC_FALSE;
  for (PetscInt l = 0; l < elements->Nl; ++l) other += elements->node[l] != l;
  return (PetscBool)!other;
}
