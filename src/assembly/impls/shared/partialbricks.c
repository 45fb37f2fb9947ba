/*
  Parts of a mesh of hexahedra that are bricks, 4 x 4 x 4 elements or nearly so, as far as the mesh is one locally
  (shared_nz by partial sums).

  A brick has fewer rows in common with others than a part of any other form, and bricks are alike: where dofs are
  numbered alike, too, they have the same codes. One grows from an element by layers across opposite faces, whatever the
  elements' orientations, while all elements of a layer are there and fit together. The next ones begin where it ends,
  beside its first element, so that they are in line; the first one in a corner of the mesh. What remains is cut along a
  curve. Parts come in the order of a Z curve, in which neighbours of the same side come nearly always before, or
  behind.
*/
#include "partial.h"
#include "../../../dm/elementsimpl.h" /* PlexElementsCurveOrder(), PlexElementsGetCentres() */

#define PLEX_BRICK_FACES 6 /* face 2 axis + side */
#define PLEX_BRICK_MOST  (PLEX_PARTIAL_HALVES_MOST * PLEX_PARTIAL_LANES)

/* An element as the brick sees it: of each of the brick's directions, numbered as faces are, its own face there */
typedef struct {
  int e, face[PLEX_BRICK_FACES];
} PlexBrickCell;

/* An element that a brick may grow from; turned: axes, a bit each, that other bricks see the other way round */
typedef struct {
  PlexBrickCell cell;
  int           turned;
} PlexBrickSeed;

typedef struct {
  PlexElements el;
  /* element dof of the edge of two faces, and in the middle of one */
  PetscInt edge[PLEX_BRICK_FACES][PLEX_BRICK_FACES];
  /* [Ne][6] element 6 + face on the other side, or -1 */
  int *across;
  int *brick; /* [Ne] of an element, or -1 */
  /* extents of the present brick, and its elements: number ((x n[1]) + y) n[2] + z, */
  PetscInt n[3];
  /* of the next layer, and work */
  PlexBrickCell cells[PLEX_BRICK_MOST], layer[PLEX_BRICK_MOST], grown[PLEX_BRICK_MOST];
  /* [nseeds], of which the first ones have been taken */
  PlexBrickSeed *seeds;
  PetscInt       nseeds, taken, maxSeeds;
} PlexBricks;

/* The element dof at a place of each axis, 0 to 2 */
static PetscInt PlexBrickDof(const PlexLineTables *t, const PetscInt at[3])
{
  return t->dof[(at[0] * 3 + at[1]) * 3 + at[2]];
}

static PetscErrorCode PlexBricksCreate(PlexElements el, const PlexLineTables *t, PlexBricks *b)
{
  int *first;

  PetscFunctionBegin;
  b->el = el;
  for (int f = 0; f < PLEX_BRICK_FACES; ++f) {
    for (int g = 0; g < PLEX_BRICK_FACES; ++g) {
      PetscInt at[3] = {1, 1, 1};

      at[f / 2] = 2 * (f % 2);
      if (g / 2 != f / 2) at[g / 2] = 2 * (g % 2);
      b->edge[f][g] = PlexBrickDof(t, at);
    }
  }
  PetscCall(PetscMalloc2(el->Ne * PLEX_BRICK_FACES, &b->across, el->Ne, &b->brick));
  PetscCall(PetscMalloc1(el->Nl, &first));
  for (PetscInt l = 0; l < el->Nl; ++l) first[l] = -1;
  for (PetscInt e = 0; e < el->Ne; ++e) {
    b->brick[e] = -1;
    for (int f = 0; f < PLEX_BRICK_FACES; ++f) {
      int *other = &first[el->dofs[e * el->ef + b->edge[f][f]]], here = (int)e * PLEX_BRICK_FACES + f;

      b->across[here] = *other;
      if (*other >= 0) b->across[*other] = here;
      else *other = here;
    }
  }
  PetscCall(PetscFree(first));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The element in a direction of the brick; false: there is none */
static PetscBool PlexBrickStep(const PlexBricks *b, const PlexBrickCell *cell, int direction, PlexBrickCell *to)
{
  const PetscInt ef   = b->el->ef;
  const int      from = cell->face[direction], across = b->across[cell->e * PLEX_BRICK_FACES + from],
                 face = across % PLEX_BRICK_FACES;

  if (across < 0) return PETSC_FALSE;
  to->e                   = across / PLEX_BRICK_FACES;
  to->face[direction ^ 1] = face;
  to->face[direction]     = face ^ 1;
  for (int side = 0; side < PLEX_BRICK_FACES; ++side) { /* the face that has the edge of that side */
    int f = 0;

    if (side / 2 == direction / 2) continue;
    while (f < PLEX_BRICK_FACES && (f / 2 == face / 2 || b->el->dofs[to->e * ef + b->edge[face][f]] !=
                                                           b->el->dofs[cell->e * ef + b->edge[from][cell->face[side]]]))
      ++f;
    if (f == PLEX_BRICK_FACES) return PETSC_FALSE;
    to->face[side] = f;
  }
  return PETSC_TRUE;
}

static PetscBool PlexBrickIs(const PlexBrickCell *a, const PlexBrickCell *b)
{
  PetscBool is = (PetscBool)(a->e == b->e);

  for (int f = 0; f < PLEX_BRICK_FACES && is; ++f) is = (PetscBool)(a->face[f] == b->face[f]);
  return is;
}

/* Another layer along an axis, of elements that are in no brick and fit together; false: it does not grow there */
static PetscBool PlexBrickGrow(PlexBricks *b, int axis, int id)
{
  const int      p = (axis + 1) % 3, q = (axis + 2) % 3;
  const PetscInt np = b->n[p], nq = b->n[q];
  PetscInt       at[3], n         = 0;
  PetscBool      fits = PETSC_TRUE;

  at[axis] = b->n[axis] - 1;
  for (at[p] = 0; at[p] < np && fits; ++at[p]) {
    for (at[q] = 0; at[q] < nq && fits; ++at[q]) {
      fits = PlexBrickStep(b, &b->cells[(at[0] * b->n[1] + at[1]) * b->n[2] + at[2]], 2 * axis + 1, &b->layer[n]);
      fits = (PetscBool)(fits && b->brick[b->layer[n].e] < 0);
      if (fits) b->brick[b->layer[n++].e] = id;
    }
  }
  for (PetscInt k = 0; k < n && fits; ++k) {
    PlexBrickCell next;

    if (k / nq + 1 < np)
      fits = (PetscBool)(PlexBrickStep(b, &b->layer[k], 2 * p + 1, &next) && PlexBrickIs(&next, &b->layer[k + nq]));
    if (fits && k % nq + 1 < nq)
      fits = (PetscBool)(PlexBrickStep(b, &b->layer[k], 2 * q + 1, &next) && PlexBrickIs(&next, &b->layer[k + 1]));
  }
  if (!fits) {
    for (PetscInt k = 0; k < n; ++k) b->brick[b->layer[k].e] = -1;
    return PETSC_FALSE;
  }
  ++b->n[axis];
  for (PetscInt k = 0; k < b->n[0] * b->n[1] * b->n[2]; ++k) {
    at[0] = k / (b->n[1] * b->n[2]);
    at[1] = k / b->n[2] % b->n[1];
    at[2] = k % b->n[2];
    if (at[axis] == b->n[axis] - 1) b->grown[k] = b->layer[at[p] * nq + at[q]];
    else {
      PetscInt before[3] = {b->n[0], b->n[1], b->n[2]};

      --before[axis];
      b->grown[k] = b->cells[(at[0] * before[1] + at[1]) * before[2] + at[2]];
    }
  }
  memcpy(b->cells, b->grown, sizeof(*b->cells) * (size_t)(b->n[0] * b->n[1] * b->n[2]));
  return PETSC_TRUE;
}

/* A brick of at most so many elements: the shortest axis grows to twice its length, or by less where that is too
   much */
static void PlexBrickMake(PlexBricks *b, const PlexBrickSeed *seed, PetscInt most, int id)
{
  PetscBool grows[3] = {PETSC_TRUE, PETSC_TRUE, PETSC_TRUE};

  b->n[0] = b->n[1] = b->n[2] = 1;
  b->cells[0]                 = seed->cell;
  b->brick[seed->cell.e]      = id;
  while (grows[0] || grows[1] || grows[2]) {
    const PetscInt all  = b->n[0] * b->n[1] * b->n[2];
    int            axis = -1;
    PetscInt       to;

    for (int k = 2; k >= 0; --k)
      if (grows[k] && (axis < 0 || b->n[k] < b->n[axis])) axis = k;
    to          = 2 * all <= most ? 2 * b->n[axis] : b->n[axis] < 4 ? most / (all / b->n[axis]) : 0;
    grows[axis] = (PetscBool)(to > b->n[axis]);
    while (b->n[axis] < to && grows[axis]) grows[axis] = PlexBrickGrow(b, axis, id);
  }
}

static PetscErrorCode PlexBrickAddSeed(PlexBricks *b, const PlexBrickCell *cell, int turned)
{
  PetscFunctionBegin;
  if (b->nseeds == b->maxSeeds) {
    b->maxSeeds = 2 * b->maxSeeds + 64;
    PetscCall(PetscRealloc(sizeof(*b->seeds) * (size_t)b->maxSeeds, &b->seeds));
  }
  b->seeds[b->nseeds++] = (PlexBrickSeed){*cell, turned};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether there is an element across a face that is in no brick */
static PetscBool PlexBrickIsFree(const PlexBricks *b, PetscInt e, int face)
{
  const int across = b->across[e * PLEX_BRICK_FACES + face];

  return (PetscBool)(across >= 0 && b->brick[across / PLEX_BRICK_FACES] < 0);
}

/* An element with at least so many faces that are not free: a brick grows towards its second faces, or the first ones
   where these alone are free */
static PetscErrorCode PlexBrickBegin(PlexBricks *b, PetscInt e, PetscInt least)
{
  PlexBrickCell cell   = {.e = (int)e};
  PetscInt      closed = 0;
  int           turned = 0;

  PetscFunctionBegin;
  for (int axis = 0; axis < 3; ++axis) {
    const PetscBool is[2] = {PlexBrickIsFree(b, e, 2 * axis), PlexBrickIsFree(b, e, 2 * axis + 1)};
    const int       first = is[0] && !is[1] ? 1 : 0;

    closed += !is[0] + !is[1];
    cell.face[2 * axis]     = 2 * axis + first;
    cell.face[2 * axis + 1] = cell.face[2 * axis] ^ 1;
    turned |= first << axis;
  }
  if (closed >= least) PetscCall(PlexBrickAddSeed(b, &cell, turned));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements in line with the first one of the present brick, behind its end and before its beginning */
static PetscErrorCode PlexBrickGoOn(PlexBricks *b, int turned)
{
  PetscFunctionBegin;
  for (int axis = 0; axis < 3; ++axis) {
    PetscInt      last[3] = {0, 0, 0};
    PlexBrickCell next;

    last[axis] = b->n[axis] - 1;
    if (PlexBrickStep(b, &b->cells[(last[0] * b->n[1] + last[1]) * b->n[2] + last[2]], 2 * axis + 1, &next) &&
        b->brick[next.e] < 0)
      PetscCall(PlexBrickAddSeed(b, &next, turned));
    if (PlexBrickStep(b, &b->cells[0], 2 * axis, &next) && b->brick[next.e] < 0) { /* it grows to the other side */
      const int face = next.face[2 * axis];

      next.face[2 * axis]     = next.face[2 * axis + 1];
      next.face[2 * axis + 1] = face;
      PetscCall(PlexBrickAddSeed(b, &next, turned ^ 1 << axis));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscInt64 key;
  PetscInt   part;
} PlexBrickKey;

static int PlexBrickCompare(const void *a, const void *b)
{
  const PlexBrickKey *p = (const PlexBrickKey *)a, *q = (const PlexBrickKey *)b;

  return p->key != q->key ? (p->key < q->key ? -1 : 1) : (p->part > q->part) - (p->part < q->part);
}

/* Parts along a Z curve of boxes of about their size */
static PetscErrorCode PlexBricksOrder(PlexElements el, PlexLists *parts)
{
  const PetscInt n = parts->n;
  PetscReal      low[3], high[3];
  PetscInt       bits = 1, *start;
  PlexBrickKey  *keys;
  int           *items;

  PetscFunctionBegin;
  while (bits < 20 && ((PetscInt64)1 << 3 * bits) < n) ++bits;
  PlexCurveGetBox(el->Nx, 3, el->x, low, high);
  PetscCall(PetscMalloc1(PetscMax(1, n), &keys));
  for (PetscInt k = 0; k < n; ++k) {
    PetscReal centre[3] = {0., 0., 0.}, x[3];

    for (PetscInt j = parts->start[k]; j < parts->start[k + 1]; ++j) {
      PlexElementsGetCentres(el, parts->items[j], 1, x); /* sums of the coordinates of Nv vertices */
      for (PetscInt d = 0; d < 3; ++d)
        centre[d] += x[d] / (PetscReal)(el->Nv * (parts->start[k + 1] - parts->start[k]));
    }
    keys[k] = (PlexBrickKey){0, k};
    for (PetscInt d = 0; d < 3; ++d) {
      const PetscReal at  = high[d] > low[d] ? (centre[d] - low[d]) / (high[d] - low[d]) : 0.;
      const PetscInt  box = PetscMin((PetscInt)(at * (PetscReal)((PetscInt)1 << bits)), ((PetscInt)1 << bits) - 1);

      for (PetscInt bit = 0; bit < bits; ++bit) keys[k].key |= (PetscInt64)(box >> bit & 1) << (3 * bit + d);
    }
  }
  qsort(keys, (size_t)n, sizeof(*keys), PlexBrickCompare);
  PetscCall(PetscMalloc1(n + 1, &start));
  PetscCall(PetscMalloc1(PetscMax(1, parts->start[n]), &items));
  start[0] = 0;
  for (PetscInt k = 0; k < n; ++k) {
    const PetscInt part = keys[k].part, size = parts->start[part + 1] - parts->start[part];

    PetscCall(PetscArraycpy(&items[start[k]], &parts->items[parts->start[part]], size));
    start[k + 1] = start[k] + size;
  }
  PetscCall(PetscFree(keys));
  PetscCall(PetscFree(parts->start));
  PetscCall(PetscFree(parts->items));
  parts->start = start;
  parts->items = items;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bricks of all seeds: their elements as other bricks see them, but of bricks that are too small */
static PetscErrorCode PlexBricksGrow(PlexBricks *b, PetscInt most, PlexLists *parts)
{
  PetscFunctionBegin;
  while (b->taken < b->nseeds) {
    const PlexBrickSeed seed = b->seeds[b->taken++];
    const PetscInt     *n    = b->n;
    PetscInt            all, end = parts->start[parts->n];

    if (b->brick[seed.cell.e] >= 0) continue;
    PlexBrickMake(b, &seed, most, (int)parts->n);
    all = n[0] * n[1] * n[2];
    if (8 * all < 3 * most) { /* with others */
      for (PetscInt k = 0; k < all; ++k) b->brick[b->cells[k].e] = PETSC_INT32_MAX;
      continue;
    }
    for (PetscInt k = 0; k < all; ++k) {
      PetscInt at[3] = {k / (n[1] * n[2]), k / n[2] % n[1], k % n[2]};

      for (int axis = 0; axis < 3; ++axis)
        if (seed.turned >> axis & 1) at[axis] = n[axis] - 1 - at[axis];
      parts->items[end++] = b->cells[(at[0] * n[1] + at[1]) * n[2] + at[2]].e;
    }
    parts->start[++parts->n] = end;
    PetscCall(PlexBrickGoOn(b, seed.turned));
  }
  b->nseeds = b->taken = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPartialBricks_Private(PlexElements el, const PlexLineTables *t, PetscInt most, PlexLists *parts)
{
  PlexBricks *b;
  PetscInt    n;
  int        *order;

  PetscFunctionBegin;
  PetscCheck(most <= PLEX_BRICK_MOST, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Bricks of %" PetscInt_FMT " elements", most);
  PetscCall(PetscNew(&b));
  PetscCall(PlexBricksCreate(el, t, b));
  PetscCall(PetscMalloc1(el->Ne + 1, &parts->start));
  PetscCall(PetscMalloc1(PetscMax(1, el->Ne), &parts->items));
  parts->n        = 0;
  parts->start[0] = 0;
  for (PetscInt least = 3; least >= 0; --least) { /* corners, then edges, sides, and wherever there is something left */
    for (PetscInt e = 0; e < el->Ne; ++e) {
      if (b->brick[e] >= 0) continue;
      PetscCall(PlexBrickBegin(b, e, least));
      PetscCall(PlexBricksGrow(b, most, parts));
    }
  }
  n = parts->start[parts->n];
  if (n < el->Ne) {
    PetscCall(PetscMalloc1(el->Ne, &order));
    PetscCall(PlexElementsCurveOrder(el, order));
    for (PetscInt k = 0; k < el->Ne; ++k) {
      if (b->brick[order[k]] != PETSC_INT32_MAX) continue;
      parts->items[n++] = order[k];
      if (n - parts->start[parts->n] == most) parts->start[++parts->n] = n;
    }
    if (n > parts->start[parts->n]) parts->start[++parts->n] = n;
    PetscCall(PetscFree(order));
  }
  PetscCall(PetscFree2(b->across, b->brick));
  PetscCall(PetscFree(b->seeds));
  PetscCall(PetscFree(b));
  PetscCall(PlexBricksOrder(el, parts));
  PetscFunctionReturn(PETSC_SUCCESS);
}
