/*
  Kinds of pairs of an element's dofs. With lambda the barycentric coordinates of a simplex and G the tensor of a form
  of derivatives alone, symmetric and constant in an element,

    Gamma_ab = grad lambda_a . G grad lambda_b     A_ij = sum_ab K_ij,ab G_ab = sum_a<=b C_ij,ab Gamma_ab

  and a symmetry of the cell, which takes vertex a to s(a) and dof i to s(i), has C_s(i)s(j),s(a)s(b) = C_ij,ab. As
  sum_b Gamma_ab = 0, C is known but for C_ab + t_a + t_b (a < b), C_aa + t_a: t is such that few numbers of C remain.
  All symmetries are needed, reflections too, so that a pair is of the same kind in all elements that have it.
*/
#include "pairs.h"
#include "../../integrate/lines.h"
#include "../../integrate/integrate.h"

/* Solves A x = b of n <= 4 equations by elimination; false where A is singular */
static PetscBool PlexPairSolve(PetscInt n, PetscReal A[4][5], PetscReal x[])
{
  for (PetscInt c = 0; c < n; ++c) {
    PetscInt p = c;

    for (PetscInt r = c + 1; r < n; ++r) p = PetscAbsReal(A[r][c]) > PetscAbsReal(A[p][c]) ? r : p;
    if (PetscAbsReal(A[p][c]) < 1e-10) return PETSC_FALSE;
    for (PetscInt k = 0; k <= n; ++k) {
      const PetscReal swap = A[c][k];

      A[c][k] = A[p][k];
      A[p][k] = swap;
    }
    for (PetscInt r = 0; r < n; ++r) {
      const PetscReal f = r == c ? 0. : A[r][c] / A[c][c];

      for (PetscInt k = c; k <= n; ++k) A[r][k] -= f * A[c][k];
    }
  }
  for (PetscInt c = 0; c < n; ++c) x[c] = A[c][n] / A[c][c];
  return PETSC_TRUE;
}

/* C of Gamma's n (n + 1) / 2 numbers with t added; those that are not zero */
static PetscInt PlexPairShift(PetscInt n, const PetscReal C[], const PetscReal t[], PetscReal rounding, PetscReal D[])
{
  PetscInt terms = 0;

  for (PetscInt a = 0; a < n; ++a) {
    for (PetscInt b = a; b < n; ++b) {
      const PetscInt k = PlexPairNumber(n, a, b);

      D[k] = C[k] + t[a] + (a == b ? 0. : t[b]);
      if (PetscAbsReal(D[k]) <= rounding) D[k] = 0.;
      terms += D[k] != 0.;
    }
  }
  return terms;
}

/* The t that leaves fewest numbers: n of them can be made zero */
static void PlexPairReduce(PetscInt n, PetscReal C[])
{
  const PetscInt all      = n * (n + 1) / 2;
  PetscInt       least    = all + 1;
  PetscReal      best[10] = {0}, rounding = 0.;

  for (PetscInt k = 0; k < all; ++k) rounding = PetscMax(rounding, PLEX_PAIR_ROUNDING * PetscAbsReal(C[k]));
  for (PetscInt set = 0; set < 1 << all; ++set) {
    PetscReal A[4][5] = {{0}}, t[4], D[10];
    PetscInt  rows    = 0, terms;

    for (PetscInt k = 0; k < all; ++k) rows += set >> k & 1;
    if (rows != n) continue;
    rows = 0;
    for (PetscInt a = 0; a < n; ++a) {
      for (PetscInt b = a; b < n; ++b) {
        const PetscInt k = PlexPairNumber(n, a, b);

        if (!(set >> k & 1)) continue;
        A[rows][a] += 1.;
        if (a != b) A[rows][b] += 1.;
        A[rows++][n] = -C[k];
      }
    }
    if (!PlexPairSolve(n, A, t)) continue;
    terms = PlexPairShift(n, C, t, rounding, D);
    if (terms >= least) continue;
    least = terms;
    for (PetscInt k = 0; k < all; ++k) best[k] = D[k];
  }
  for (PetscInt k = 0; k < all; ++k) C[k] = best[k];
}

/* The t that leaves numbers with a < b alone */
static void PlexPairKeepOthers(PetscInt n, PetscReal C[])
{
  PetscReal t[4], D[10], rounding = 0.;

  for (PetscInt k = 0; k < n * (n + 1) / 2; ++k) rounding = PetscMax(rounding, PLEX_PAIR_ROUNDING * PetscAbsReal(C[k]));
  for (PetscInt a = 0; a < n; ++a) t[a] = -C[PlexPairNumber(n, a, a)];
  (void)PlexPairShift(n, C, t, rounding, D);
  PetscCallAbort(PETSC_COMM_SELF, PetscArraycpy(C, D, n * (n + 1) / 2));
}

/* (D^T D)^-1 D^T */
static void PlexPairInverse(PetscInt dim, PetscInt n, const PetscReal D[], PetscReal P[])
{
  for (PetscInt v = 0; v < n; ++v) {
    PetscReal A[4][5] = {{0}}, x[4];

    for (PetscInt k = 0; k < dim; ++k) {
      for (PetscInt l = 0; l < dim; ++l)
        for (PetscInt w = 0; w < n; ++w) A[k][l] += D[w * dim + k] * D[w * dim + l];
      A[k][dim] = D[v * dim + k];
    }
    (void)PlexPairSolve(dim, A, x);
    for (PetscInt k = 0; k < dim; ++k) P[k * n + v] = x[k];
  }
}

/* C of the pair (i, j), not reduced */
static void PlexPairCoefficients(const PlexPairCell *cell, PetscInt i, PetscInt j, PetscReal C[])
{
  const PetscInt   dim = cell->n - 1, n = cell->n;
  const PetscReal *P = cell->P;

  for (PetscInt c = 0; c < n; ++c) {
    for (PetscInt d = c; d < n; ++d) {
      PetscReal *to = &C[PlexPairNumber(n, c, d)];

      *to = 0.;
      for (PetscInt a = 0; a < dim; ++a) {
        for (PetscInt b = a; b < dim; ++b) {
          const PetscReal
            K = cell->tensor->K[(i * cell->tensor->nab + a * dim - a * (a + 1) / 2 + b) * cell->el->ef + j];

          *to += K * (P[a * n + c] * P[b * n + d] + (c == d ? 0. : P[a * n + d] * P[b * n + c]));
        }
      }
    }
  }
}

void PlexPairOthers_Private(const PlexPairCell *cell, PetscInt i, PetscInt j, PetscReal C[])
{
  PetscReal all[PLEX_PAIR_NUMBERS];

  PlexPairCoefficients(cell, i, j, all);
  PlexPairKeepOthers(cell->n, all);
  for (PetscInt k = 0; k < cell->n * (cell->n - 1) / 2; ++k) C[k] = all[k];
}

/* ---- What all ways have ---- */

/* Their tables of symmetries of a cell with n vertices: vertices[symmetries][n] that vertices are taken to */
static PetscErrorCode PlexPairKindsCompose(PlexPairKinds *p, PetscInt n, const int vertices[])
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(p->symmetries * p->symmetries, &p->composed));
  for (PetscInt s = 0; s < p->symmetries; ++s) {
    PetscInt to = 0;

    for (PetscInt v = 0; v < n; ++v) {
      to |= vertices[s * n + v] << 2 * v;
      for (PetscInt u = 0; u < v; ++u)
        if (vertices[s * n + u] > vertices[s * n + v]) p->reflects[s] = (PetscBool)!p->reflects[s];
    }
    p->symmetry[to] = (unsigned char)s;
  }
  for (PetscInt s = 0; s < p->symmetries; ++s) {
    for (PetscInt t = 0; t < p->symmetries; ++t) {
      PetscInt to = 0;

      for (PetscInt v = 0; v < n; ++v) to |= vertices[s * n + vertices[t * n + v]] << 2 * v;
      p->composed[s * p->symmetries + t] = p->symmetry[to];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPairKindsBegin_Private(PlexAssembly asm_, PlexProduct *product, PlexPairsKept kept, PetscInt N,
                                          PetscInt numbers, PlexPairKinds *p, PlexPairCell *cell)
{
  PlexElements   el = asm_->elements;
  const PetscInt n  = el->dim + 1;

  PetscFunctionBegin;
  *cell = (PlexPairCell){.el = el, .tensor = product->tensor, .n = n};
  PetscCall(PlexElementsGetSymmetries(el, &p->symmetries, &cell->dofs, &cell->vertices));
  PlexPairInverse(el->dim, n, el->dpsi, cell->P);
  p->kept    = kept;
  p->numbers = numbers;
  for (PetscInt a = 0; a < n; ++a) {
    for (PetscInt b = a; b < n; ++b) {
      p->of[PlexPairNumber(n, a, b)][0] = a;
      p->of[PlexPairNumber(n, a, b)][1] = b;
    }
  }
  PetscCall(PetscMalloc2(N * N, &p->kindOf, N * N, &p->symmetryOf));
  PetscCall(PetscCalloc1(N * N, &p->reversed));
  memset(p->kindOf, 0xff, (size_t)(N * N));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPairKindsEnd_Private(PlexPairKinds *p, PlexPairCell *cell, PetscInt N, PetscInt most,
                                        PlexPairAdd add, PlexPairTurns turns, PetscBool *serves)
{
  PetscFunctionBegin;
  *serves = (PetscBool)(*serves && p->symmetries == (cell->n == 3 ? 6 : 24));
  for (PetscInt i = 0; i < N && *serves; ++i) *serves = add(p, cell, i, i); /* have most items */
  for (PetscInt i = 0; i < N; ++i)
    for (PetscInt j = i + 1; j < N && *serves; ++j) *serves = add(p, cell, i, j);
  *serves = (PetscBool)(*serves && p->kinds > 0 && p->kinds <= most);
  if (*serves) PetscCall(turns(p, cell));
  if (*serves) PetscCall(PlexPairKindsCompose(p, cell->n, cell->vertices));
  PetscCall(PlexElementsRestoreRotations(&cell->dofs, &cell->vertices));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Pairs of dofs ---- */

/* All pairs that symmetries take (i, j) to are of kind k */
static void PlexPairMark(PlexPairKinds *p, PetscInt ef, const int dofs[], PetscInt i, PetscInt j, PetscInt k)
{
  for (PetscInt s = 0; s < p->symmetries; ++s) {
    const PetscInt a = dofs[s * ef + i], b = dofs[s * ef + j];

    if (p->kindOf[a * ef + b] != 0xff) continue;
    p->kindOf[a * ef + b] = p->kindOf[b * ef + a] = (unsigned char)k;
    p->symmetryOf[a * ef + b] = p->symmetryOf[b * ef + a] = (unsigned char)s;
  }
}

static PetscErrorCode PlexPairTurnNumbers(PlexPairKinds *p, const PlexPairCell *cell)
{
  const PetscInt n        = cell->n;
  const int     *vertices = cell->vertices;
  unsigned      *to;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < p->kinds; ++k) p->nturns += PlexPairTurnWords(p, &p->kind[k]);
  p->nturns = (p->nturns + 3) / 4 * 4;
  PetscCall(PetscCalloc1(p->nturns, &p->turns));
  PetscCall(PetscMalloc1(p->symmetries * p->numbers, &p->turned));
  for (PetscInt s = 0; s < p->symmetries; ++s)
    for (PetscInt k = 0; k < p->numbers; ++k)
      p->turned[s * p->numbers + k] = (unsigned char)PlexPairNumber(n, vertices[s * n + p->of[k][0]],
                                                                    vertices[s * n + p->of[k][1]]);
  to = p->turns;
  for (PetscInt k = 0; k < p->kinds; ++k) {
    for (PetscInt s = 0; s < p->symmetries && p->kind[k].terms > 1; ++s, to += (p->kind[k].terms + 1) / 2)
      for (PetscInt t = 0; t < p->kind[k].terms; ++t)
        to[t / 2] |= (unsigned)p->turned[s * p->numbers + p->kind[k].number[t]] << t % 2 * 16;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool PlexPairAddDofs(PlexPairKinds *p, const PlexPairCell *cell, PetscInt i, PetscInt j)
{
  const PetscInt ef   = cell->el->ef;
  PlexPairKind  *kind = &p->kind[p->kinds];
  PetscReal      C[PLEX_PAIR_NUMBERS];

  if (p->kindOf[i * ef + j] != 0xff) return PETSC_TRUE;
  if (p->kinds == PLEX_PAIR_KINDS) return PETSC_FALSE;
  PlexPairCoefficients(cell, i, j, C);
  if (p->rowSums) PlexPairKeepOthers(cell->n, C);
  else PlexPairReduce(cell->n, C);
  kind->terms = 0;
  for (PetscInt k = 0; k < p->numbers; ++k) {
    if (C[k] == 0.) continue;
    if (!kind->terms) kind->factor = C[k];
    kind->number[kind->terms]        = k;
    kind->coefficient[kind->terms++] = PlexPairWhole(C[k] / kind->factor);
  }
  PlexPairMark(p, ef, cell->dofs, i, j, kind->terms ? p->kinds : PLEX_PAIR_KINDS);
  if (kind->terms) ++p->kinds;
  return (PetscBool)(kind->terms <= PLEX_PAIR_TERMS);
}

PetscErrorCode PlexPairKindsCreate_Private(PlexAssembly asm_, PlexProduct *product, PlexPairKinds *p, PetscBool *serves)
{
  const PetscInt ef = asm_->elements->ef, n = asm_->elements->dim + 1;
  PlexPairCell   cell;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(p, sizeof(*p)));
  /* where elements are most of the work */
  p->rowSums = (PetscBool)(asm_->owner->rowSums == PETSC_BOOL3_TRUE ||
                           (asm_->owner->rowSums == PETSC_BOOL3_UNKNOWN && n == 4 && ef == n));
  *serves    = PETSC_TRUE;
  PetscCall(PlexPairKindsBegin_Private(asm_, product, PLEX_PAIRS_NUMBERS, ef,
                                       p->rowSums ? n * (n - 1) / 2 : n * (n + 1) / 2, p, &cell));
  PetscCall(PlexPairKindsEnd_Private(p, &cell, ef, PLEX_PAIR_KINDS - 1, PlexPairAddDofs, PlexPairTurnNumbers, serves));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All pairs of nodes are one kind, whose numbers are the entries; the other one is diagonal entries where they are not
   left to the sums of rows */
PetscErrorCode PlexPairKindsCreateMatrix_Private(PlexAssembly asm_, const PlexLineTables *tables, PlexPairKinds *p)
{
  const PetscInt ef = asm_->elements->ef;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(p, sizeof(*p)));
  p->kept       = PLEX_PAIRS_MATRIX;
  p->rowSums    = (PetscBool)(asm_->owner->rowSums != PETSC_BOOL3_FALSE);
  p->numbers    = ef * (ef - 1) / 2;
  p->kinds      = 2;
  p->symmetries = ef;
  p->kind[0]    = (PlexPairKind){.terms = 1, .factor = 1.};
  p->kind[1]    = (PlexPairKind){.terms = ef - 1, .factor = -1.};
  for (PetscInt k = 0; k < 2; ++k)
    for (PetscInt t = 0; t < p->kind[k].terms; ++t) p->kind[k].coefficient[t] = 1.;
  p->nturns = (PlexPairTurnWords(p, &p->kind[1]) + 3) / 4 * 4;
  PetscCall(PetscMalloc2(ef * ef, &p->kindOf, ef * ef, &p->symmetryOf));
  PetscCall(PetscCalloc1(ef * ef, &p->entry));
  PetscCall(PetscMalloc1(ef * ef, &p->composed));
  PetscCall(PetscCalloc1(p->nturns, &p->turns));
  for (PetscInt k = 0; k < ef; ++k) {
    const PetscInt i = tables->dof[k];

    for (PetscInt m = 0; m < ef; ++m) {
      const PetscInt j = tables->dof[m];

      p->kindOf[i * ef + j]     = (unsigned char)(i == j);
      p->symmetryOf[i * ef + j] = (unsigned char)i;
      /* read as symmetry 0 turns: all elements come with their vertices in order, and symmetry[] is 0 */
      p->composed[i * ef + j] = (unsigned char)j;
      if (i == j) continue;
      p->entry[i * ef + j] = (unsigned char)PlexTrilinearEntry_Private(k, m);
      p->turns[i * (ef / 2) + ((k ^ m) - 1) / 2] |= (unsigned)p->entry[i * ef + j] << ((k ^ m) - 1) % 2 * 16;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPairKindsDestroy_Private(PlexPairKinds *p)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(p->entry));
  PetscCall(PetscFree(p->labels));
  PetscCall(PetscFree2(p->kindOf, p->symmetryOf));
  PetscCall(PetscFree(p->turns));
  PetscCall(PetscFree(p->turned));
  PetscCall(PetscFree(p->composed));
  PetscCall(PetscFree(p->reversed));
  PetscFunctionReturn(PETSC_SUCCESS);
}
