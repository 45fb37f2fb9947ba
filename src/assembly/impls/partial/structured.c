/*
  Blocks of hexahedra that are boxes of 4 x 4 x 4 elements or nearly so, as far as the mesh is structured (shared_nz by
  interface reduction).

  A box has fewer rows in common with others than a block of any other form, and boxes are alike: where dofs are
  numbered alike, too, they have the same index lists. A box grows from an element by layers across opposite faces,
  whatever the elements' orientations, while all elements of a layer are there and fit together. The next ones begin
  where it ends, beside its first element, so that they are in line; the first one in a corner of the mesh. What remains
  is cut along a curve. Blocks come in the order of a Z curve, in which neighbours of the same side come nearly always
  before, or behind.
*/
#include "partial.h"
#include "../../../dm/elementsimpl.h" /* PlexElementsCurveOrder(), PlexElementsGetCentres() */
#include <plan/steps.h>               /* plex_raise() */

#define PLEX_BOX_FACES 6 /* face 2 axis + side */
#define PLEX_BOX_MOST  (PLEX_PARTIAL_HALVES_MOST * PLEX_PARTIAL_LANES)
#define PLEX_BOX_LEAST 1024 /* elements of a thread */
#define PLEX_BOX_ODD   ~0u
#define PLEX_BOX_SMALL PETSC_INT32_MAX /* not a box: an element of a box that is too small */

/* An element as a box sees it: where it is in the box, and of each of the box's directions, numbered as faces are, its
   own face there; mirrored: axes, a bit each, that other boxes see the other way round */
typedef struct {
  int e, at[3], face[PLEX_BOX_FACES], mirrored;
} PlexBoxCell;

/* What is behind a face of an element: another's, element 6 + face, or -1; and which of its faces have the edges of the
   element's other faces, 3 bits for each of these, or PLEX_BOX_ODD: they are none of its */
typedef struct {
  int      across;
  unsigned turn;
} PlexBoxFace;

typedef struct {
  PlexElements el;
  /* element dof of the edge of two faces, and in the middle of one */
  PetscInt     edge[PLEX_BOX_FACES][PLEX_BOX_FACES];
  PlexBoxFace *faces; /* [Ne][6] */
  int         *box;   /* [Ne] of an element, or -1 */
  /* the present box; number[x][y][z] of the cell at a place + 1, 0: none */
  PetscInt    n[3], ncells;
  PlexBoxCell cells[PLEX_BOX_MOST];
  short (*number)[PLEX_BOX_MOST][PLEX_BOX_MOST];
  /* [6 Ne + 1] elements that a box may grow from, as a box begins up to six others */
  PlexBoxCell *seeds;
  size_t       nseeds;
} PlexBoxes;

/* The first and the last of the elements' faces at a dof: the last + 1, and all of them less the first */
typedef struct {
  PlexBoxes *b;
  int       *last, *ahead; /* [Nl] */
} PlexBoxFaces;

static int PlexBoxFaceDof(const PlexBoxes *b, PetscInt e, int f)
{
  return b->el->dofs[e * b->el->ef + b->edge[f][f]];
}

static void PlexBoxFacesLoop(void *ctx, PetscInt begin, PetscInt end)
{
  const PlexBoxFaces *x   = (const PlexBoxFaces *)ctx;
  const int           all = (int)x->b->el->Ne * PLEX_BOX_FACES;

  for (PetscInt e = begin; e < end; ++e)
    for (int f = 0; f < PLEX_BOX_FACES; ++f) {
      const int here = (int)e * PLEX_BOX_FACES + f, l = PlexBoxFaceDof(x->b, e, f);

      plex_raise(&x->last[l], here + 1);
      plex_raise(&x->ahead[l], all - here);
    }
}

static unsigned PlexBoxTurn(const PlexBoxes *b, PetscInt e, int face, int across)
{
  const int *dofs = &b->el->dofs[e * b->el->ef], *there = &b->el->dofs[across / PLEX_BOX_FACES * b->el->ef];
  const int  other = across % PLEX_BOX_FACES;
  unsigned   turn  = 0;

  for (int side = 0; side < PLEX_BOX_FACES; ++side) {
    const int edge = dofs[b->edge[face][side]];
    int       f    = 0;

    if (side / 2 == face / 2) continue;
    while (f < PLEX_BOX_FACES && (f / 2 == other / 2 || there[b->edge[other][f]] != edge)) ++f;
    if (f == PLEX_BOX_FACES) return PLEX_BOX_ODD;
    turn |= (unsigned)f << 3 * side;
  }
  return turn;
}

static void PlexBoxAcrossLoop(void *ctx, PetscInt begin, PetscInt end)
{
  const PlexBoxFaces *x   = (const PlexBoxFaces *)ctx;
  const int           all = (int)x->b->el->Ne * PLEX_BOX_FACES;

  for (PetscInt e = begin; e < end; ++e) {
    x->b->box[e] = -1;
    for (int f = 0; f < PLEX_BOX_FACES; ++f) {
      const int here = (int)e * PLEX_BOX_FACES + f, l = PlexBoxFaceDof(x->b, e, f);
      const int first = all - x->ahead[l], last = x->last[l] - 1;

      const int across = here != first ? first : last != first ? last : -1;

      x->b->faces[here] = (PlexBoxFace){across, across < 0 ? PLEX_BOX_ODD : PlexBoxTurn(x->b, e, f, across)};
    }
  }
}

static PetscErrorCode PlexBoxesCreate(PlexElements el, const PlexLineTables *t, PlexBoxes *b)
{
  PlexBoxFaces x = {.b = b};

  PetscFunctionBegin;
  b->el = el;
  for (int f = 0; f < PLEX_BOX_FACES; ++f) {
    for (int g = 0; g < PLEX_BOX_FACES; ++g) {
      PetscInt at[3] = {1, 1, 1};

      at[f / 2] = 2 * (f % 2);
      if (g / 2 != f / 2) at[g / 2] = 2 * (g % 2);
      b->edge[f][g] = t->dof[(at[0] * 3 + at[1]) * 3 + at[2]];
    }
  }
  PetscCall(PetscMalloc3(el->Ne * PLEX_BOX_FACES, &b->faces, el->Ne, &b->box, PLEX_BOX_FACES * el->Ne + 1, &b->seeds));
  PetscCall(PetscCalloc1(PLEX_BOX_MOST, &b->number));
  PetscCall(PetscCalloc2(el->Nl, &x.last, el->Nl, &x.ahead));
  PetscCall(PlexThreadsRun(el->Ne, PLEX_BOX_LEAST, PlexBoxFacesLoop, &x));
  PetscCall(PlexThreadsRun(el->Ne, PLEX_BOX_LEAST, PlexBoxAcrossLoop, &x));
  PetscCall(PetscFree2(x.last, x.ahead));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A box */

/* The element in a direction; false: there is none, or it has other edges */
static PetscBool PlexBoxStep(const PlexBoxes *b, const PlexBoxCell *cell, int direction, PlexBoxCell *to)
{
  const PlexBoxFace *from = &b->faces[cell->e * PLEX_BOX_FACES + cell->face[direction]];
  const int          face = from->across % PLEX_BOX_FACES;

  if (from->turn == PLEX_BOX_ODD) return PETSC_FALSE;
  *to   = *cell;
  to->e = from->across / PLEX_BOX_FACES;
  to->at[direction / 2] += direction % 2 ? 1 : -1;
  for (int side = 0; side < PLEX_BOX_FACES; ++side) to->face[side] = (int)(from->turn >> 3 * cell->face[side] & 7);
  to->face[direction ^ 1] = face;
  to->face[direction]     = face ^ 1;
  return PETSC_TRUE;
}

static short *PlexBoxNumber(const PlexBoxes *b, const PlexBoxCell *c)
{
  return &b->number[c->at[0]][c->at[1]][c->at[2]];
}

/* Another cell of the box, behind the others */
static void PlexBoxAdd(PlexBoxes *b, int id)
{
  const PlexBoxCell *c = &b->cells[b->ncells++];

  b->box[c->e]         = id;
  *PlexBoxNumber(b, c) = (short)b->ncells;
}

/* The last cell of the box is in none any more */
static void PlexBoxDrop(PlexBoxes *b)
{
  const PlexBoxCell *c = &b->cells[--b->ncells];

  b->box[c->e]         = -1;
  *PlexBoxNumber(b, c) = 0;
}

/* The element at a place, or NULL */
static const PlexBoxCell *PlexBoxAt(const PlexBoxes *b, int x, int y, int z)
{
  const int number = b->number[x][y][z];

  return number ? &b->cells[number - 1] : NULL;
}

/* Whether the element that follows in a direction, if the box has one, is what the element has there */
static PetscBool PlexBoxFits(const PlexBoxes *b, const PlexBoxCell *c, int axis)
{
  const PlexBoxCell *next;
  PlexBoxCell        is;

  if (c->at[axis] + 1 >= b->n[axis]) return PETSC_TRUE;
  next = PlexBoxAt(b, c->at[0] + (axis == 0), c->at[1] + (axis == 1), c->at[2] + (axis == 2));
  return (PetscBool)(!next || (PlexBoxStep(b, c, 2 * axis + 1, &is) && !memcmp(&is, next, sizeof(is))));
}

/* Another layer along an axis, of elements that are in no box and fit together; false: it does not grow there */
static PetscBool PlexBoxGrow(PlexBoxes *b, int axis, int id)
{
  const PetscInt before = b->ncells;
  PetscBool      fits   = PETSC_TRUE;

  for (PetscInt k = 0; k < before && fits; ++k) {
    PlexBoxCell *to = &b->cells[b->ncells];

    if (b->cells[k].at[axis] != b->n[axis] - 1) continue;
    fits = (PetscBool)(PlexBoxStep(b, &b->cells[k], 2 * axis + 1, to) && b->box[to->e] < 0);
    if (fits) PlexBoxAdd(b, id);
  }
  for (PetscInt k = before; k < b->ncells && fits; ++k)
    fits = (PetscBool)(PlexBoxFits(b, &b->cells[k], (axis + 1) % 3) && PlexBoxFits(b, &b->cells[k], (axis + 2) % 3));
  if (fits) ++b->n[axis];
  else
    while (b->ncells > before) PlexBoxDrop(b);
  return fits;
}

/* A box of at most so many elements: the shortest axis grows to twice its length, or by less where that is too much */
static void PlexBoxMake(PlexBoxes *b, const PlexBoxCell *seed, PetscInt most, int id)
{
  PetscBool grows[3] = {PETSC_TRUE, PETSC_TRUE, PETSC_TRUE};

  for (PetscInt k = 0; k < b->ncells; ++k) *PlexBoxNumber(b, &b->cells[k]) = 0; /* of the box before */
  b->n[0] = b->n[1] = b->n[2] = 1;
  b->ncells                   = 0;
  b->cells[0]                 = *seed;
  PlexBoxAdd(b, id);
  while (grows[0] || grows[1] || grows[2]) {
    int      axis = -1;
    PetscInt to;

    for (int k = 2; k >= 0; --k)
      if (grows[k] && (axis < 0 || b->n[k] < b->n[axis])) axis = k;
    to          = 2 * b->ncells <= most ? 2 * b->n[axis] : b->n[axis] < 4 ? most / (b->ncells / b->n[axis]) : 0;
    grows[axis] = (PetscBool)(to > b->n[axis]);
    while (b->n[axis] < to && grows[axis]) grows[axis] = PlexBoxGrow(b, axis, id);
  }
}

/* ---- Where boxes begin */

static void PlexBoxAddSeed(PlexBoxes *b, const PlexBoxCell *cell)
{
  PlexBoxCell *seed = &b->seeds[b->nseeds++];

  *seed       = *cell;
  seed->at[0] = seed->at[1] = seed->at[2] = 0;
}

/* An element with at least so many faces without an element behind that is in no box: a box grows towards its second
   faces, or the first ones where these alone have one */
static void PlexBoxBegin(PlexBoxes *b, PetscInt e, PetscInt least)
{
  PlexBoxCell cell   = {.e = (int)e};
  PetscInt    closed = 0;

  for (int axis = 0; axis < 3; ++axis) {
    PetscBool free[2];
    int       first;

    for (int side = 0; side < 2; ++side) {
      const int across = b->faces[e * PLEX_BOX_FACES + 2 * axis + side].across;

      free[side] = (PetscBool)(across >= 0 && b->box[across / PLEX_BOX_FACES] < 0);
      closed += !free[side];
    }
    first                   = free[0] && !free[1];
    cell.face[2 * axis]     = 2 * axis + first;
    cell.face[2 * axis + 1] = cell.face[2 * axis] ^ 1;
    cell.mirrored |= first << axis;
  }
  if (closed >= least) PlexBoxAddSeed(b, &cell);
}

/* Elements in line with the first one of the present box, behind its end and before its beginning */
static void PlexBoxGoOn(PlexBoxes *b)
{
  for (int axis = 0; axis < 3; ++axis) {
    int         last[3] = {0, 0, 0};
    PlexBoxCell next;

    last[axis] = (int)b->n[axis] - 1;
    if (PlexBoxStep(b, PlexBoxAt(b, last[0], last[1], last[2]), 2 * axis + 1, &next) && b->box[next.e] < 0)
      PlexBoxAddSeed(b, &next);
    if (PlexBoxStep(b, &b->cells[0], 2 * axis, &next) && b->box[next.e] < 0) { /* it grows to the other side */
      const int face = next.face[2 * axis];

      next.face[2 * axis]     = next.face[2 * axis + 1];
      next.face[2 * axis + 1] = face;
      next.mirrored ^= 1 << axis;
      PlexBoxAddSeed(b, &next);
    }
  }
}

/* Boxes of all seeds: their elements as other boxes see them, but of boxes that are too small */
static void PlexBoxesGrow(PlexBoxes *b, PetscInt most, PlexLists *blocks)
{
  for (size_t taken = 0; taken < b->nseeds; ++taken) {
    const PlexBoxCell *seed = &b->seeds[taken];
    PetscInt           end  = blocks->start[blocks->n];

    if (b->box[seed->e] >= 0) continue;
    PlexBoxMake(b, seed, most, (int)blocks->n);
    if (8 * b->ncells < 3 * most) { /* with others */
      for (PetscInt k = 0; k < b->ncells; ++k) b->box[b->cells[k].e] = PLEX_BOX_SMALL;
      continue;
    }
    for (const PlexBoxCell *c = b->cells; c < b->cells + b->ncells; ++c) {
      PetscInt at = 0;

      for (int axis = 0; axis < 3; ++axis)
        at = at * b->n[axis] + (seed->mirrored >> axis & 1 ? b->n[axis] - 1 - c->at[axis] : c->at[axis]);
      blocks->items[end + at] = c->e;
    }
    end += b->ncells;
    blocks->start[++blocks->n] = end;
    PlexBoxGoOn(b);
  }
  b->nseeds = 0;
}

/* ---- All blocks */

typedef struct {
  PlexElements el;
  PlexLists   *blocks, sorted;
  PetscReal    low[3], high[3];
  PetscInt     bits; /* of a direction */
  uint64_t    *keys; /* [blocks] place on the curve << 32 | block */
} PlexBlocksOrder;

static void PlexBlocksKeyLoop(void *ctx, PetscInt begin, PetscInt end)
{
  const PlexBlocksOrder *o     = (const PlexBlocksOrder *)ctx;
  const PetscInt        *start = o->blocks->start, cells = (PetscInt)1 << o->bits;

  for (PetscInt k = begin; k < end; ++k) {
    PetscReal centre[3] = {0., 0., 0.}, x[3];

    for (PetscInt j = start[k]; j < start[k + 1]; ++j) {
      PlexElementsGetCentres(o->el, o->blocks->items[j], 1, x); /* sums of the coordinates of Nv vertices */
      for (PetscInt d = 0; d < 3; ++d) centre[d] += x[d] / (PetscReal)(o->el->Nv * (start[k + 1] - start[k]));
    }
    o->keys[k] = (uint64_t)k;
    for (PetscInt d = 0; d < 3; ++d) {
      const PetscReal side = o->high[d] - o->low[d], at = side > 0. ? (centre[d] - o->low[d]) / side : 0.;
      const PetscInt  cell = PetscMin((PetscInt)(at * (PetscReal)cells), cells - 1);

      for (PetscInt bit = 0; bit < o->bits; ++bit) o->keys[k] |= (uint64_t)(cell >> bit & 1) << (32 + 3 * bit + d);
    }
  }
}

static void PlexBlocksMoveLoop(void *ctx, PetscInt begin, PetscInt end)
{
  const PlexBlocksOrder *o = (const PlexBlocksOrder *)ctx;

  for (PetscInt k = begin; k < end; ++k) {
    const PetscInt to = o->sorted.start[k], from = o->blocks->start[o->keys[k] & 0xffffffffu];

    memcpy(&o->sorted.items[to], &o->blocks->items[from], sizeof(int) * (size_t)(o->sorted.start[k + 1] - to));
  }
}

/* Along a Z curve of boxes of about their size */
static PetscErrorCode PlexBlocksSort(PlexElements el, PlexLists *blocks)
{
  const PetscInt  n = blocks->n, *start = blocks->start;
  PlexBlocksOrder o = {.el = el, .blocks = blocks, .sorted = {.n = n}, .bits = 1};
  uint64_t       *work;

  PetscFunctionBegin;
  while (o.bits < 10 && (PetscInt)1 << 3 * o.bits < n)
    ++o.bits; /* a key has 3 bits bits, and 32 of the block's number */
  PlexCurveGetBox(el->Nx, 3, el->x, o.low, o.high);
  PetscCall(PetscMalloc2(n, &o.keys, n, &work));
  PetscCall(PlexThreadsRun(n, PLEX_BOX_LEAST / PLEX_BOX_MOST, PlexBlocksKeyLoop, &o));
  PlexSortKeys(n, 32, o.keys, work);
  PetscCall(PetscMalloc1(n + 1, &o.sorted.start));
  PetscCall(PetscMalloc1(start[n], &o.sorted.items));
  o.sorted.start[0] = 0;
  for (PetscInt k = 0; k < n; ++k) {
    const PetscInt block = (PetscInt)(o.keys[k] & 0xffffffffu);

    o.sorted.start[k + 1] = o.sorted.start[k] + start[block + 1] - start[block];
  }
  PetscCall(PlexThreadsRun(n, PLEX_BOX_LEAST / PLEX_BOX_MOST, PlexBlocksMoveLoop, &o));
  PetscCall(PetscFree2(o.keys, work));
  PetscCall(PlexListsDestroy(blocks));
  *blocks = o.sorted;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPartialStructured_Private(PlexElements el, const PlexLineTables *t, PetscInt most, PlexLists *blocks)
{
  PlexBoxes b = {0};
  PetscInt  n;
  int      *order;

  PetscFunctionBegin;
  PetscCheck(most <= PLEX_BOX_MOST, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Boxes of %" PetscInt_FMT " elements", most);
  PetscCall(PlexBoxesCreate(el, t, &b));
  PetscCall(PetscMalloc1(el->Ne + 1, &blocks->start));
  PetscCall(PetscMalloc1(el->Ne, &blocks->items));
  blocks->n        = 0;
  blocks->start[0] = 0;
  for (PetscInt least = 3; least >= 0; --least) { /* corners, then edges, sides, and wherever there is something left */
    for (PetscInt e = 0; e < el->Ne; ++e) {
      if (b.box[e] >= 0) continue;
      PlexBoxBegin(&b, e, least);
      PlexBoxesGrow(&b, most, blocks);
    }
  }
  n = blocks->start[blocks->n];
  if (n < el->Ne) {
    PetscCall(PetscMalloc1(el->Ne, &order));
    PetscCall(PlexElementsCurveOrder(el, order));
    for (PetscInt k = 0; k < el->Ne; ++k) {
      if (b.box[order[k]] != PLEX_BOX_SMALL) continue;
      blocks->items[n++] = order[k];
      if (n - blocks->start[blocks->n] == most) blocks->start[++blocks->n] = n;
    }
    if (n > blocks->start[blocks->n]) blocks->start[++blocks->n] = n;
    PetscCall(PetscFree(order));
  }
  PetscCall(PetscFree3(b.faces, b.box, b.seeds));
  PetscCall(PetscFree(b.number));
  PetscCall(PlexBlocksSort(el, blocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}
