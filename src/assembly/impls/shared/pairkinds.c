/*
  Kinds of pairs of an element's entities: its dofs, its nodes, or its DMPlex points. A symmetry s of the cell maps
  vertex a to s(a) and dof i to s(i). It has C_s(i)s(j),s(a)s(b) = C_ij,ab (paircoefficients.c), so that (i, j) and its
  image are of one kind. All symmetries are used, with reflections, so that a pair has the same kind in all its
  elements. By gradients the order matters: M_ji is M_ij transposed.

  The dofs of a point are in the same elements. A thread that sums all entries of the dofs of point p with those of
  point q reads the numbers Gamma_ab of an element once, for nine entries of two edges of order 4. A symmetry maps
  points to points, and the dofs of one to those of its image in some order, so that there are few kinds: 17 of
  tetrahedra of order 4. This order is unique but for symmetries that map a pair to itself. Two edges that meet begin at
  their common vertex, but an edge with itself has two orders. All elements of a pair choose the same one, by the
  numbers of the dofs. They choose among symmetries of the simplex that the two points span, which is a face of all of
  these elements.
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

/* n entities of `size` consecutive dofs each */
static void PlexPairSetEntities(PetscInt n, PetscInt size, PlexPairPoints *e)
{
  e->n = (int)n;
  for (PetscInt k = 0; k < n * size; ++k) {
    e->size[k / size]          = (unsigned char)size;
    e->dof[k / size][k % size] = (unsigned char)k;
    e->of[k]                   = (unsigned char)(k / size);
  }
}

/* Whether all elements have these dofs on the same point */
static PetscBool PlexPointsUniform(PlexElements el, const PlexPairPoints *points)
{
  for (PetscInt e = 0; e < el->Ne; ++e) {
    const int *dofs = &el->dofs[(size_t)e * el->ef];

    for (PetscInt i = 0; i < el->ef; ++i)
      if (el->node[dofs[i]] != el->node[dofs[points->dof[points->of[i]][0]]]) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* The image of entity i under symmetry s */
static PetscInt PlexPairImage(const PlexPairKinds *p, const PlexPairCell *cell, PetscInt s, PetscInt i)
{
  return p->t.entities.of[cell->dofs[s * cell->el->ef + p->t.entities.dof[i][0]]];
}

/* Whether symmetries map the dofs of a point to those of one point */
static PetscBool PlexPointsInvariant(const PlexPairKinds *p, const PlexPairCell *cell)
{
  const PlexPairPoints *points = &p->t.entities;
  const PetscInt        ef     = cell->el->ef;

  for (PetscInt k = 0; k < p->t.symmetries * ef; ++k) {
    const PetscInt from = points->of[k % ef], to = PlexPairImage(p, cell, k / ef, from);

    if (to != points->of[cell->dofs[k]] || points->size[to] != points->size[from]) return PETSC_FALSE;
  }
  return PETSC_TRUE;
}

/* ---- Coefficients of a kind: functions return how many are not zero ---- */

static PetscInt PlexPairSetDofs(PlexPairKinds *p, const PlexPairCell *cell, PetscInt i, PetscInt j, PlexPairKind *kind)
{
  PetscInt  terms = 0;
  PetscReal C[PLEX_PAIR_NUMBERS];

  PlexPairCoefficients_Private(cell, i, j, (PetscBool)p->t.zeroRowSums, C);
  for (PetscInt k = 0; k < p->t.numbers; ++k) {
    if (C[k] == 0.) continue;
    if (!terms) kind->factor = C[k];
    kind->number[terms]        = k;
    kind->coefficient[terms++] = PlexPairRound(C[k] / kind->factor);
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
    kind->C[k] = PlexPairRound(kind->C[k] / kind->factor);
  }
  return terms;
}

/* ---- All pairs ---- */

/* Adds a match: symmetry s maps the points (i, j) of a kind to pair `at` of the tables; false: there are too many */
static PetscBool PlexPointsAddMatch(PlexPairKinds *p, const PlexPairCell *cell, PetscInt i, PetscInt j, PetscInt s,
                                    PetscInt at)
{
  const PlexPairPoints *points = &p->t.entities;
  const int            *dofs   = &cell->dofs[s * cell->el->ef];
  PlexPairMatch         match = {(unsigned char)s, {{0}}}, *matches = &p->t.matches[at * PLEX_PAIR_MATCHES];

  for (PetscInt k = 0; k < points->size[i]; ++k) match.dof[0][k] = (unsigned char)dofs[points->dof[i][k]];
  for (PetscInt k = 0; k < points->size[j]; ++k) match.dof[1][k] = (unsigned char)dofs[points->dof[j][k]];
  for (PetscInt k = 0; k < p->t.nmatches[at]; ++k)
    if (!memcmp(matches[k].dof, match.dof, sizeof(match.dof))) return PETSC_TRUE;
  if (p->t.nmatches[at] == PLEX_PAIR_MATCHES) return PETSC_FALSE;
  matches[p->t.nmatches[at]++] = match;
  return PETSC_TRUE;
}

/* The images of (i, j) under all symmetries are of kind k, and so are their transposes: those of entities with several
   dofs as reversed, if they are no images themselves */
static void PlexPairMark(PlexPairKinds *p, const PlexPairCell *cell, PetscInt i, PetscInt j, PetscInt k)
{
  PlexPairsTables *t       = &p->t;
  const PetscBool  ordered = (PetscBool)t->multiDof;
  const PetscInt   S = t->symmetries, N = t->entities.n;

  for (PetscInt m = 0; m < 2 * S; ++m) {
    const PetscInt s = ordered ? m % S : m / 2, transposed = ordered ? m / S : m % 2;
    const PetscInt a = PlexPairImage(p, cell, s, i), b = PlexPairImage(p, cell, s, j),
                   at = transposed ? b * N + a : a * N + b;

    if (t->kindOf[at] != 0xff) continue;
    t->kindOf[at]     = (unsigned char)k;
    t->symmetryOf[at] = (unsigned char)s;
    t->reversed[at]   = (unsigned char)(ordered && transposed);
  }
}

/* Makes the kind of (i, j) and of its images, unless it has one; false: there are more than `most` kinds, or the kind
   has too many terms or matches */
static PetscBool PlexPairAdd(PlexPairKinds *p, const PlexPairCell *cell, PetscInt i, PetscInt j, PetscInt most)
{
  PlexPairsTables *t    = &p->t;
  const PetscInt   N    = t->entities.n;
  PlexPairKind    *kind = &p->kind[t->kinds];
  PetscBool        few  = PETSC_TRUE;
  PetscInt         terms;

  if (t->kindOf[i * N + j] != 0xff) return PETSC_TRUE;
  if (t->kinds > most) return PETSC_FALSE;
  terms = p->stored == PLEX_PAIRS_POINTS    ? PlexPairSetPoints(p, cell, i, j, kind)
        : p->stored == PLEX_PAIRS_GRADIENTS ? PlexPairSetGradients(cell, i, j, kind)
                                            : PlexPairSetDofs(p, cell, i, j, kind);
  PlexPairMark(p, cell, i, j, terms ? t->kinds : PLEX_PAIR_KINDS);
  for (PetscInt s = 0; s < t->symmetries && terms && t->byPoints; ++s)
    few = (PetscBool)(PlexPointsAddMatch(p, cell, i, j, s,
                                         PlexPairImage(p, cell, s, i) * N + PlexPairImage(p, cell, s, j)) &&
                      few);
  t->terms[t->kinds] = (unsigned char)terms;
  t->kinds += terms > 0;
  return (PetscBool)(few && (t->multiDof || terms <= PLEX_PAIR_TERMS));
}

/* ---- Symmetries ---- */

/* Products of symmetries, and their signs; vertices[symmetries][n]: the images of the vertices */
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

/* permutations[] of PlexPairsArgs, and t->permuted */
static PetscErrorCode PlexPairPermutations(PlexPairKinds *p, const PlexPairCell *cell)
{
  PlexPairsTables *t = &p->t;
  const PetscInt   n = cell->n, numbers = p->stored == PLEX_PAIRS_GRADIENTS ? 0 : t->numbers;
  PetscInt         words    = p->stored == PLEX_PAIRS_GRADIENTS ? t->symmetries : 2 * t->symmetries;
  const int       *vertices = cell->vertices;
  unsigned        *to;

  PetscFunctionBegin;
  if (!t->multiDof) words = 0;
  for (PetscInt k = 0; k < t->kinds && !t->multiDof; ++k) words += PlexPairPermutationWords(t, k);
  p->npermutations = (words + 3) / 4 * 4;
  PetscCall(PetscCalloc1(p->npermutations, &p->permutations));
  to = p->permutations;
  for (PetscInt s = 0; s < t->symmetries; ++s) {
    for (PetscInt k = 0; k < numbers; ++k)
      t->permuted[s * numbers + k] = (unsigned char)PlexPairNumber(n, vertices[s * n + p->of[k][0]],
                                                                   vertices[s * n + p->of[k][1]]);
    for (PetscInt k = 0; k < numbers && t->byPoints; ++k)
      to[2 * s + k / 4] |= (unsigned)t->permuted[s * numbers + k] << k % 4 * 8;
    for (PetscInt a = 0; a < n && !numbers; ++a) to[s] |= (unsigned)vertices[s * n + a] << 8 * a;
  }
  for (PetscInt k = 0; k < t->kinds && !t->multiDof; to += PlexPairPermutationWords(t, k++)) {
    const PetscInt terms = t->terms[k], each = (terms + 1) / 2;

    for (PetscInt m = 0; m < t->symmetries * terms && terms > 1; ++m)
      to[m / terms * each + m % terms / 2] |= (unsigned)t->permuted[m / terms * numbers + p->kind[k].number[m % terms]]
                                           << m % terms % 2 * 16;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The kinds ---- */

/* Kinds of simplices; *serves false: the entities have no kinds, or too many */
static PetscErrorCode PlexPairKindsSort(PlexPairKinds *p, PlexPairCell *cell, PetscBool *serves)
{
  PlexPairsTables *t = &p->t;
  const PetscInt   n = cell->n, N = t->entities.n;
  const PetscInt   most = p->stored == PLEX_PAIRS_POINTS    ? PLEX_PAIR_POINT_KINDS
                        : p->stored == PLEX_PAIRS_GRADIENTS ? PLEX_PAIR_GRADIENT_KINDS
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
  *serves = (PetscBool)(*serves && symmetries == (n == 3 ? 6 : 24) && (!t->byPoints || PlexPointsInvariant(p, cell)));
  /* first, as they have most items */
  for (PetscInt i = 0; i < N && *serves; ++i) *serves = PlexPairAdd(p, cell, i, i, most);
  for (PetscInt i = 0; i < N; ++i)
    for (PetscInt j = i + 1; j < N && *serves; ++j) *serves = PlexPairAdd(p, cell, i, j, most);
  *serves = (PetscBool)(*serves && t->kinds > 0 && t->kinds <= most);
  if (*serves) PetscCall(PlexPairPermutations(p, cell));
  if (*serves) PlexPairCompose(t, n, cell->vertices);
  PetscCall(PlexElementsRestoreRotations(&cell->dofs, &cell->vertices));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By matrices there are two kinds: entries off the diagonal, and diagonal entries where row sums do not give them */
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
  p->npermutations = (PlexPairPermutationWords(t, 1) + 3) / 4 * 4;
  PetscCall(PetscCalloc1(p->npermutations, &p->permutations));
  for (PetscInt k = 0; k < ef; ++k) {
    const PetscInt i = tables->dof[k];

    for (PetscInt m = 0; m < ef; ++m) {
      const PetscInt j = tables->dof[m];

      t->kindOf[i * ef + j]     = (unsigned char)(i == j);
      t->symmetryOf[i * ef + j] = (unsigned char)i;
      /* all elements have symmetry 0, as their vertices are in order: the product with it is j */
      t->composed[i * ef + j] = (unsigned char)j;
      if (i == j) continue;
      t->entry[i * ef + j] = (unsigned char)PlexTrilinearEntry_Private(k, m);
      p->permutations[i * (ef / 2) + ((k ^ m) - 1) / 2] |= (unsigned)t->entry[i * ef + j] << ((k ^ m) - 1) % 2 * 16;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPairKindsCreate_Private(PlexAssembly asm_, PlexProduct *product, PlexPairsStored stored,
                                           const PlexLineTables *tables, PlexPairKinds *p, PetscBool *serves)
{
  PlexElements     el = asm_->elements;
  const PetscInt   n = el->dim + 1, offDiagonal = n * (n - 1) / 2;
  const PetscBool3 sums = asm_->owner->rowSums;
  PlexPairsTables *t    = &p->t;
  PlexPairCell     cell = {.el = el, .tensor = product->tensor, .n = n};

  PetscFunctionBegin;
  PetscCall(PetscMemzero(p, sizeof(*p)));
  *serves     = PETSC_TRUE;
  p->stored   = stored;
  t->byPoints = stored == PLEX_PAIRS_POINTS;
  t->multiDof = t->byPoints || stored == PLEX_PAIRS_GRADIENTS;
  if (t->byPoints)
    *serves = (PetscBool)(PlexPairPointsGet_Private(el, &t->entities) && PlexPointsUniform(el, &t->entities));
  else if (t->multiDof) PlexPairSetEntities(el->Nn[0], el->Nc[0], &t->entities);
  else PlexPairSetEntities(el->ef, 1, &t->entities);
  if (!*serves) PetscFunctionReturn(PETSC_SUCCESS);
  if (stored == PLEX_PAIRS_MATRIX) {
    t->zeroRowSums = sums != PETSC_BOOL3_FALSE;
    PetscCall(PlexPairKindsSetMatrix(el->ef, tables, p));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  /* by default where computing elements is most of the work */
  if (!t->multiDof) t->zeroRowSums = sums == PETSC_BOOL3_TRUE || (sums == PETSC_BOOL3_UNKNOWN && n == 4 && el->ef == n);
  t->numbers = (int)(stored == PLEX_PAIRS_GRADIENTS  ? n * el->dim
                     : t->byPoints || t->zeroRowSums ? offDiagonal
                                                     : offDiagonal + n);
  PetscCall(PlexPairKindsSort(p, &cell, serves));
  PetscFunctionReturn(PETSC_SUCCESS);
}
