/*
  Kinds of pairs of an element's entities: its dofs, its nodes, or its DMPlex points. A symmetry of the cell, which
  takes vertex a to s(a) and dof i to s(i), has C_s(i)s(j),s(a)s(b) = C_ij,ab (paircoefficients.c), so that pairs that
  it takes to each other are of one kind. All symmetries are needed, reflections too, so that a pair is of the same kind
  in all elements that have it. By gradients the order matters: M_ji is M_ij transposed.

  A point's dofs are in the same elements: a thread that sums all entries of the dofs of point p with those of point q
  reads the numbers Gamma_ab of each of their elements once, nine entries of two edges of order 4. A symmetry takes
  points to points and the dofs of one to those of the other in some order, so that pairs are of few kinds: 17 of
  tetrahedra of order 4. In which order is free as far as symmetries take a pair to itself: of two edges that meet each
  begins where they do, but an edge with itself has two orders. All elements that have a pair choose the same one, by
  the numbers of the dofs. The symmetries among which they choose are those of the simplex that the two points span,
  which is a part of all of these elements.
*/
#include "pairs.h"
#include "../../integrate/lines.h"
#include "../../integrate/integrate.h"

/* ---- Entities ---- */

PetscBool PlexPairPointsGet_Private(PlexElements el, PlexPairPoints *points)
{
  PetscInt most = 0;

  points->n = 0;
  if (!el->Ne || el->ef > PLEX_PAIR_DOFS) return PETSC_FALSE;
  for (PetscInt i = 0; i < el->ef; ++i) {
    int p = 0;

    while (p < points->n && el->node[el->dofs[points->dof[p][0]]] != el->node[el->dofs[i]]) ++p;
    if (p == PLEX_PAIR_POINTS) return PETSC_FALSE;
    if (p == points->n) points->size[points->n++] = 0;
    if (points->size[p] == PLEX_PAIR_POINT_DOFS) return PETSC_FALSE;
    points->dof[p][points->size[p]++] = (unsigned char)i;
    points->of[i]                     = (unsigned char)p;
    most                              = PetscMax(most, points->size[p]);
  }
  return (PetscBool)(most > 1);
}

/* n entities of `size` dofs each, one behind the other */
static void PlexPairSetEntities(PetscInt n, PetscInt size, PlexPairPoints *e)
{
  e->n = (int)n;
  for (PetscInt k = 0; k < n * size; ++k) {
    e->size[k / size]          = (unsigned char)size;
    e->dof[k / size][k % size] = (unsigned char)k;
    e->of[k]                   = (unsigned char)(k / size);
  }
}

/* All elements have their dofs so */
static PetscBool PlexPointsHold(PlexElements el, const PlexPairPoints *points)
{
  for (PetscInt e = 0; e < el->Ne; ++e) {
    const int *dofs = &el->dofs[(size_t)e * el->ef];

    for (PetscInt i = 0; i < el->ef; ++i)
      if (el->node[dofs[i]] != el->node[dofs[points->dof[points->of[i]][0]]]) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* The entity that a symmetry takes one to */
static PetscInt PlexPairMove(const PlexPairKinds *p, const PlexPairCell *cell, PetscInt s, PetscInt i)
{
  return p->t.entities.of[cell->dofs[s * cell->el->ef + p->t.entities.dof[i][0]]];
}

/* Symmetries take all dofs of a point to those of one */
static PetscBool PlexPointsMove(const PlexPairKinds *p, const PlexPairCell *cell)
{
  const PlexPairPoints *points = &p->t.entities;
  const PetscInt        ef     = cell->el->ef;

  for (PetscInt k = 0; k < p->t.symmetries * ef; ++k) {
    const PetscInt from = points->of[k % ef], to = PlexPairMove(p, cell, k / ef, from);

    if (to != points->of[cell->dofs[k]] || points->size[to] != points->size[from]) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* ---- The coefficients of a kind; all return how many there are ---- */

static PetscInt PlexPairSetDofs(PlexPairKinds *p, const PlexPairCell *cell, PetscInt i, PetscInt j, PlexPairKind *kind)
{
  PetscInt  terms = 0;
  PetscReal C[PLEX_PAIR_NUMBERS];

  PlexPairCoefficients_Private(cell, i, j, (PetscBool)p->t.rowSums, C);
  for (PetscInt k = 0; k < p->t.numbers; ++k) {
    if (C[k] == 0.) continue;
    if (!terms) kind->factor = C[k];
    kind->number[terms]        = k;
    kind->coefficient[terms++] = PlexPairWhole(C[k] / kind->factor);
  }
  p->t.number[p->t.kinds] = (unsigned char)kind->number[0];
  return terms;
}

static PetscInt PlexPairSetPoints(PlexPairKinds *p, const PlexPairCell *cell, PetscInt i, PetscInt j,
                                  PlexPairKind *kind)
{
  const PlexPairPoints *points = &p->t.entities;
  const PetscInt        rows = points->size[i], columns = points->size[j];
  PetscInt              terms = 0;
  PetscReal             C[PLEX_PAIR_NUMBERS];

  p->t.dofs[p->t.kinds][0] = points->size[i];
  p->t.dofs[p->t.kinds][1] = points->size[j];
  for (PetscInt k = 0; k < rows * columns; ++k) {
    PlexPairCoefficients_Private(cell, points->dof[i][k / columns], points->dof[j][k % columns], PETSC_TRUE, C);
    for (PetscInt m = 0; m < p->t.numbers; ++m) {
      kind->table[k * p->t.numbers + m] = C[m];
      terms += C[m] != 0.;
    }
  }
  return terms;
}

static PetscInt PlexPairSetGradients(const PlexPairCell *cell, PetscInt i, PetscInt j, PlexPairKind *kind)
{
  PetscInt terms = 0;

  PlexPairGradients_Private(cell, i, j, kind->C);
  kind->factor = 1.;
  for (PetscInt k = 0; k < cell->n * cell->n; ++k) {
    if (kind->C[k] == 0.) continue;
    if (!terms++) kind->factor = kind->C[k];
    kind->C[k] = PlexPairWhole(kind->C[k] / kind->factor);
  }
  return terms;
}

/* ---- All pairs ---- */

/* Another order in which the pair at a place of the tables is of its kind: that of symmetry s from the points (i, j);
   false where there are too many */
static PetscBool PlexPointsLabel(PlexPairKinds *p, const PlexPairCell *cell, PetscInt i, PetscInt j, PetscInt s,
                                 PetscInt at)
{
  const PlexPairPoints *points = &p->t.entities;
  const int            *dofs   = &cell->dofs[s * cell->el->ef];
  PlexPairLabel         label = {(unsigned char)s, {{0}}}, *labels = &p->t.labels[at * PLEX_PAIR_LABELS];

  for (PetscInt k = 0; k < points->size[i]; ++k) label.dof[0][k] = (unsigned char)dofs[points->dof[i][k]];
  for (PetscInt k = 0; k < points->size[j]; ++k) label.dof[1][k] = (unsigned char)dofs[points->dof[j][k]];
  for (PetscInt k = 0; k < p->t.nlabels[at]; ++k)
    if (!memcmp(labels[k].dof, label.dof, sizeof(label.dof))) return PETSC_TRUE;
  if (p->t.nlabels[at] == PLEX_PAIR_LABELS) return PETSC_FALSE;
  labels[p->t.nlabels[at]++] = label;
  return PETSC_TRUE;
}

/* All pairs that symmetries take (i, j) to are of kind k, and transposed those that they do not take it to in this
   order; of dofs the order is nothing */
static void PlexPairMark(PlexPairKinds *p, const PlexPairCell *cell, PetscInt i, PetscInt j, PetscInt k)
{
  PlexPairsTables *t       = &p->t;
  const PetscBool  ordered = (PetscBool)t->multiDof;
  const PetscInt   S = t->symmetries, N = t->entities.n;

  for (PetscInt m = 0; m < 2 * S; ++m) {
    const PetscInt s = ordered ? m % S : m / 2, transposed = ordered ? m / S : m % 2;
    const PetscInt a = PlexPairMove(p, cell, s, i), b = PlexPairMove(p, cell, s, j),
                   at = transposed ? b * N + a : a * N + b;

    if (t->kindOf[at] != 0xff) continue;
    t->kindOf[at]     = (unsigned char)k;
    t->symmetryOf[at] = (unsigned char)s;
    t->reversed[at]   = (unsigned char)(ordered && transposed);
  }
}

/* The kind of (i, j) and of all pairs like it, unless that is known; false: there are more than `most`, or too much of
   it */
static PetscBool PlexPairAdd(PlexPairKinds *p, const PlexPairCell *cell, PetscInt i, PetscInt j, PetscInt most)
{
  PlexPairsTables *t    = &p->t;
  const PetscInt   N    = t->entities.n;
  PlexPairKind    *kind = &p->kind[t->kinds];
  PetscBool        few  = PETSC_TRUE;
  PetscInt         terms;

  if (t->kindOf[i * N + j] != 0xff) return PETSC_TRUE;
  if (t->kinds > most) return PETSC_FALSE;
  terms = p->kept == PLEX_PAIRS_POINTS    ? PlexPairSetPoints(p, cell, i, j, kind)
        : p->kept == PLEX_PAIRS_GRADIENTS ? PlexPairSetGradients(cell, i, j, kind)
                                          : PlexPairSetDofs(p, cell, i, j, kind);
  PlexPairMark(p, cell, i, j, terms ? t->kinds : PLEX_PAIR_KINDS);
  for (PetscInt s = 0; s < t->symmetries && terms && t->byPoints; ++s)
    few = (PetscBool)(PlexPointsLabel(p, cell, i, j, s,
                                      PlexPairMove(p, cell, s, i) * N + PlexPairMove(p, cell, s, j)) &&
                      few);
  t->terms[t->kinds] = (unsigned char)terms;
  t->kinds += terms > 0;
  return (PetscBool)(few && (t->multiDof || terms <= PLEX_PAIR_TERMS));
}

/* ---- Symmetries ---- */

/* Their tables: vertices[symmetries][n] that vertices are taken to */
static void PlexPairCompose(PlexPairsTables *t, PetscInt n, const int vertices[])
{
  for (PetscInt s = 0; s < t->symmetries; ++s) {
    PetscInt to = 0;

    for (PetscInt v = 0; v < n; ++v) {
      to |= vertices[s * n + v] << 2 * v;
      for (PetscInt u = 0; u < v; ++u) t->reflects[s] ^= vertices[s * n + u] > vertices[s * n + v];
    }
    t->symmetry[to] = (unsigned char)s;
  }
  for (PetscInt s = 0; s < t->symmetries; ++s) {
    for (PetscInt r = 0; r < t->symmetries; ++r) {
      PetscInt to = 0;

      for (PetscInt v = 0; v < n; ++v) to |= vertices[s * n + vertices[r * n + v]] << 2 * v;
      t->composed[s * t->symmetries + r] = t->symmetry[to];
    }
  }
}

/* How the kernel reads an element as each symmetry has it: PlexPairsArgs */
static PetscErrorCode PlexPairTurns(PlexPairKinds *p, const PlexPairCell *cell)
{
  PlexPairsTables *t = &p->t;
  const PetscInt   n = cell->n, numbers = p->kept == PLEX_PAIRS_GRADIENTS ? 0 : t->numbers;
  PetscInt         words    = p->kept == PLEX_PAIRS_GRADIENTS ? t->symmetries : 2 * t->symmetries;
  const int       *vertices = cell->vertices;
  unsigned        *to;

  PetscFunctionBegin;
  if (!t->multiDof) words = 0;
  for (PetscInt k = 0; k < t->kinds && !t->multiDof; ++k) words += PlexPairTurnWords(t, k);
  p->nturns = (words + 3) / 4 * 4;
  PetscCall(PetscCalloc1(p->nturns, &p->turns));
  to = p->turns;
  for (PetscInt s = 0; s < t->symmetries; ++s) {
    for (PetscInt k = 0; k < numbers; ++k)
      t->turned[s * numbers + k] = (unsigned char)PlexPairNumber(n, vertices[s * n + p->of[k][0]],
                                                                 vertices[s * n + p->of[k][1]]);
    for (PetscInt k = 0; k < numbers && t->byPoints; ++k)
      to[2 * s + k / 4] |= (unsigned)t->turned[s * numbers + k] << k % 4 * 8;
    for (PetscInt a = 0; a < n && !numbers; ++a) to[s] |= (unsigned)vertices[s * n + a] << 8 * a;
  }
  for (PetscInt k = 0; k < t->kinds && !t->multiDof; to += PlexPairTurnWords(t, k++)) {
    const PetscInt terms = t->terms[k], each = (terms + 1) / 2;

    for (PetscInt m = 0; m < t->symmetries * terms && terms > 1; ++m)
      to[m / terms * each + m % terms / 2] |= (unsigned)t->turned[m / terms * numbers + p->kind[k].number[m % terms]]
                                           << m % terms % 2 * 16;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The kinds ---- */

/* Of simplices; *serves: the entities do */
static PetscErrorCode PlexPairKindsSort(PlexPairKinds *p, PlexPairCell *cell, PetscBool *serves)
{
  PlexPairsTables *t = &p->t;
  const PetscInt   n = cell->n, N = t->entities.n;
  const PetscInt   most = p->kept == PLEX_PAIRS_POINTS    ? PLEX_PAIR_POINT_KINDS
                        : p->kept == PLEX_PAIRS_GRADIENTS ? PLEX_PAIR_GRADIENT_KINDS
                                                          : PLEX_PAIR_KINDS - 1;
  PetscInt         symmetries;

  PetscFunctionBegin;
  PetscCall(PlexElementsGetSymmetries(cell->el, &symmetries, &cell->dofs, &cell->vertices));
  PlexPairCellSet_Private(cell);
  t->symmetries = (int)symmetries;
  for (PetscInt a = 0; a < n; ++a) {
    for (PetscInt b = a; b < n; ++b) {
      p->of[PlexPairNumber(n, a, b)][0] = a;
      p->of[PlexPairNumber(n, a, b)][1] = b;
    }
  }
  memset(t->kindOf, 0xff, (size_t)(N * N));
  *serves = (PetscBool)(*serves && symmetries == (n == 3 ? 6 : 24) && (!t->byPoints || PlexPointsMove(p, cell)));
  for (PetscInt i = 0; i < N && *serves; ++i) *serves = PlexPairAdd(p, cell, i, i, most); /* have most items */
  for (PetscInt i = 0; i < N; ++i)
    for (PetscInt j = i + 1; j < N && *serves; ++j) *serves = PlexPairAdd(p, cell, i, j, most);
  *serves = (PetscBool)(*serves && t->kinds > 0 && t->kinds <= most);
  if (*serves) PetscCall(PlexPairTurns(p, cell));
  if (*serves) PlexPairCompose(t, n, cell->vertices);
  PetscCall(PlexElementsRestoreRotations(&cell->dofs, &cell->vertices));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of element matrices: all pairs of nodes are one kind, whose numbers are the entries; the other one is diagonal
   entries where they are not left to the sums of rows */
static PetscErrorCode PlexPairKindsSetMatrix(PetscInt ef, const PlexLineTables *tables, PlexPairKinds *p)
{
  PlexPairsTables *t = &p->t;

  PetscFunctionBegin;
  t->byEntries  = 1;
  t->numbers    = (int)(ef * (ef - 1) / 2);
  t->kinds      = 2;
  t->symmetries = (int)ef;
  for (PetscInt k = 0; k < 2; ++k) {
    t->terms[k]       = (unsigned char)(k ? ef - 1 : 1);
    p->kind[k].factor = k ? -1. : 1.;
    for (PetscInt m = 0; m < t->terms[k]; ++m) p->kind[k].coefficient[m] = 1.;
  }
  p->nturns = (PlexPairTurnWords(t, 1) + 3) / 4 * 4;
  PetscCall(PetscCalloc1(p->nturns, &p->turns));
  for (PetscInt k = 0; k < ef; ++k) {
    const PetscInt i = tables->dof[k];

    for (PetscInt m = 0; m < ef; ++m) {
      const PetscInt j = tables->dof[m];

      t->kindOf[i * ef + j]     = (unsigned char)(i == j);
      t->symmetryOf[i * ef + j] = (unsigned char)i;
      /* read as symmetry 0 turns: all elements come with their vertices in order, and symmetry[] is 0 */
      t->composed[i * ef + j] = (unsigned char)j;
      if (i == j) continue;
      t->entry[i * ef + j] = (unsigned char)PlexTrilinearEntry_Private(k, m);
      p->turns[i * (ef / 2) + ((k ^ m) - 1) / 2] |= (unsigned)t->entry[i * ef + j] << ((k ^ m) - 1) % 2 * 16;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPairKindsCreate_Private(PlexAssembly asm_, PlexProduct *product, PlexPairsKept kept,
                                           const PlexLineTables *tables, PlexPairKinds *p, PetscBool *serves)
{
  PlexElements     el = asm_->elements;
  const PetscInt   n = el->dim + 1, others = n * (n - 1) / 2;
  const PetscBool3 sums = asm_->owner->rowSums;
  PlexPairsTables *t    = &p->t;
  PlexPairCell     cell = {.el = el, .tensor = product->tensor, .n = n};

  PetscFunctionBegin;
  PetscCall(PetscMemzero(p, sizeof(*p)));
  *serves     = PETSC_TRUE;
  p->kept     = kept;
  t->byPoints = kept == PLEX_PAIRS_POINTS;
  t->multiDof = t->byPoints || kept == PLEX_PAIRS_GRADIENTS;
  if (t->byPoints)
    *serves = (PetscBool)(PlexPairPointsGet_Private(el, &t->entities) && PlexPointsHold(el, &t->entities));
  else if (t->multiDof) PlexPairSetEntities(el->Nn[0], el->Nc[0], &t->entities);
  else PlexPairSetEntities(el->ef, 1, &t->entities);
  if (!*serves) PetscFunctionReturn(PETSC_SUCCESS);
  if (kept == PLEX_PAIRS_MATRIX) {
    t->rowSums = sums != PETSC_BOOL3_FALSE;
    PetscCall(PlexPairKindsSetMatrix(el->ef, tables, p));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* where elements are most of the work */
  if (!t->multiDof) t->rowSums = sums == PETSC_BOOL3_TRUE || (sums == PETSC_BOOL3_UNKNOWN && n == 4 && el->ef == n);
  t->numbers = (int)(kept == PLEX_PAIRS_GRADIENTS ? n * el->dim : t->byPoints || t->rowSums ? others : others + n);
  PetscCall(PlexPairKindsSort(p, &cell, serves));
  PetscFunctionReturn(PETSC_SUCCESS);
}
