/*
  The order of the elements. Those that come one after the other are computed at about the same time, and should read
  the same nodes and add to the same rows. That is so where a mesh was made by a generator, refined or distributed; of a
  mesh numbered at random the elements are put along a Hilbert curve here, and the coordinate nodes, of which the
  library has a copy of its own, in the order in which they then come. The dofs and the rows of the matrix stay where
  the DM has them.
*/
#include "elementsimpl.h"

#define PLEX_ORDER_SAMPLES 4096 /* pairs of elements that are looked at, at most */
/* elements that are sampled in a row: numbers of a refined mesh repeat with a period of 4 or 8, of which single pairs
   might see one phase alone */
#define PLEX_ORDER_RUN 64

static PetscBool PlexElementsTouch(PlexElements el, PetscInt e, PetscInt other)
{
  const int *a = &el->vertices[(size_t)e * el->Nv], *b = &el->vertices[(size_t)other * el->Nv];

  for (PetscInt i = 0; i < el->Nv; ++i)
    for (PetscInt k = 0; k < el->Nv; ++k)
      if (a[i] == b[k]) return PETSC_TRUE;
  return PETSC_FALSE;
}

/* Fewer than half of the elements have a coordinate node in common with the next one */
static PetscBool PlexElementsAreScattered(PlexElements el)
{
  const PetscInt pairs = PetscMin(el->Ne - 1, PLEX_ORDER_SAMPLES);
  PetscInt       touch = 0;

  for (PetscInt s = 0; s < pairs; ++s) {
    const PetscInt e = (PetscInt)((PetscInt64)(s / PLEX_ORDER_RUN * PLEX_ORDER_RUN) * (el->Ne - 1) / pairs) +
                       s % PLEX_ORDER_RUN;

    touch += PlexElementsTouch(el, e, e + 1);
  }
  return (PetscBool)(2 * touch < pairs);
}

void PlexElementsGetCentres(const void *ctx, PetscInt first, PetscInt n, PetscReal x[])
{
  const struct _n_PlexElements *el = (const struct _n_PlexElements *)ctx;

  for (PetscInt k = 0; k < n; ++k) {
    const int *v      = &el->vertices[(size_t)(first + k) * el->Nv];
    PetscReal  sum[3] = {0., 0., 0.};

    for (PetscInt i = 0; i < el->Nv; ++i)
      for (PetscInt d = 0; d < el->dim; ++d) sum[d] += el->x[(size_t)v[i] * el->dim + d];
    for (PetscInt d = 0; d < el->dim; ++d) x[k * el->dim + d] = sum[d];
  }
}

PetscErrorCode PlexElementsCurveOrder(PlexElements el, int order[])
{
  PetscReal low[3], high[3];

  PetscFunctionBegin;
  PlexCurveGetBox(el->Nx, el->dim, el->x, low, high);
  for (PetscInt d = 0; d < el->dim; ++d) { /* of sums of coordinates */
    low[d] *= (PetscReal)el->Nv;
    high[d] *= (PetscReal)el->Nv;
  }
  PetscCall(PlexCurveOrderOf(el->Ne, el->dim, PlexElementsGetCentres, el, low, high, order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Element e is what element order[e] was */
static PetscErrorCode PlexElementsPermute(PlexElements el, const int order[])
{
  PetscInt *cells;
  int      *vertices;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(el->Ne, &cells));
  PetscCall(PetscMalloc1((size_t)el->Ne * el->Nv, &vertices));
  for (PetscInt e = 0; e < el->Ne; ++e) {
    cells[e] = el->cells[order[e]];
    PetscCall(PetscArraycpy(&vertices[(size_t)e * el->Nv], &el->vertices[(size_t)order[e] * el->Nv], el->Nv));
  }
  PetscCall(PetscArraycpy(el->cells, cells, el->Ne)); /* closures read them there */
  PetscCall(PetscFree(cells));
  PetscCall(PetscFree(el->vertices));
  el->vertices = vertices;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Coordinate nodes as the elements come to them, those of no element last */
static PetscErrorCode PlexElementsNumberCoordinates(PlexElements el)
{
  int next = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(el->Nx, &el->place));
  for (PetscInt n = 0; n < el->Nx; ++n) el->place[n] = -1;
  for (size_t k = 0; k < (size_t)el->Ne * el->Nv; ++k) {
    if (el->place[el->vertices[k]] < 0) el->place[el->vertices[k]] = next++;
    el->vertices[k] = el->place[el->vertices[k]];
  }
  for (PetscInt n = 0; n < el->Nx; ++n)
    if (el->place[n] < 0) el->place[n] = next++;
  PetscCall(PlexElementsUpdateCoordinates(el));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexElementsSetUpOrder(PlexElements el)
{
  int *order;

  PetscFunctionBegin;
  if (!PlexElementsAreScattered(el)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(el->Ne, &order));
  PetscCall(PlexElementsCurveOrder(el, order));
  PetscCall(PlexElementsPermute(el, order));
  PetscCall(PetscFree(order));
  PetscCall(PlexElementsNumberCoordinates(el));
  PetscFunctionReturn(PETSC_SUCCESS);
}
