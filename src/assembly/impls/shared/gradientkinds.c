/*
  Kinds of pairs of an element's nodes, by the gradients of its barycentric coordinates: of any constant g3, whatever
  the components,

    A_(i,c)(j,d) = g3_cd : M_ij      M_ij = int grad phi_i (x) grad phi_j = sum_ab C_ij,ab |J| grad lambda_a (x) grad
                                     lambda_b

  and a symmetry of the cell, which takes vertex a to s(a) and node i to s(i), has C_s(i)s(j),s(a)s(b) = C_ij,ab. The
  order matters: M_ji is M_ij transposed. As sum_a grad lambda_a = 0, C is known but for C_ab + s_a + t_b: s and t are
  such that few operations remain.
*/
#include "pairs.h"
#include "../../integrate/integrate.h"

/* What the kernel does for an item of such a C, [n][n], about, in three dimensions: gradients that are read, vectors
   that are put together, outer products */
static PetscInt PlexGradientCost(PetscInt n, const PetscReal C[])
{
  PetscInt rows = 0, columns = 0, numbers = 0, vertices = 0;

  for (PetscInt a = 0; a < n; ++a) {
    PetscInt row = 0, column = 0;

    for (PetscInt b = 0; b < n; ++b) {
      row += C[a * n + b] != 0.;
      column += C[b * n + a] != 0.;
    }
    numbers += row;
    rows += row > 0;
    columns += column > 0;
    vertices += row || column;
  }
  return 6 * vertices + 3 * numbers + 9 * PetscMin(rows, columns);
}

/* D = C + s_a + t_b that is zero where `zero` has a bit; false where these are not the edges of a spanning tree of rows
   and columns, which give s and t but for a number */
static PetscBool PlexGradientShift(PetscInt n, const PetscReal C[], unsigned zero, PetscReal rounding, PetscReal D[])
{
  PetscReal s[4] = {0}, t[4] = {0};
  unsigned  rows = 1, columns = 0;

  for (PetscInt pass = 0; pass < 2 * n; ++pass) {
    for (PetscInt k = 0; k < n * n; ++k) {
      const PetscInt a = k / n, b = k % n;

      if (!(zero >> k & 1) || (rows >> a & 1) == (columns >> b & 1)) continue;
      if (rows >> a & 1) t[b] = -C[k] - s[a];
      else s[a] = -C[k] - t[b];
      rows |= 1u << a;
      columns |= 1u << b;
    }
  }
  if (rows != (1u << n) - 1 || columns != (1u << n) - 1) return PETSC_FALSE;
  for (PetscInt k = 0; k < n * n; ++k) {
    D[k] = C[k] + s[k / n] + t[k % n];
    if (PetscAbsReal(D[k]) <= rounding) D[k] = 0.;
  }
  return PETSC_TRUE;
}

static void PlexGradientReduce(PetscInt n, PetscReal C[])
{
  PetscInt  least    = PETSC_INT_MAX;
  PetscReal best[16] = {0}, rounding = 0.;

  for (PetscInt k = 0; k < n * n; ++k) rounding = PetscMax(rounding, PLEX_PAIR_ROUNDING * PetscAbsReal(C[k]));
  for (unsigned set = 0; set < 1u << (n * n); ++set) {
    PetscReal D[16];
    PetscInt  cost;

    if (__builtin_popcount(set) != 2 * n - 1 || !PlexGradientShift(n, C, set, rounding, D)) continue;
    cost = PlexGradientCost(n, D);
    if (cost >= least) continue;
    least = cost;
    PetscCallAbort(PETSC_COMM_SELF, PetscArraycpy(best, D, n * n));
  }
  PetscCallAbort(PETSC_COMM_SELF, PetscArraycpy(C, best, n * n));
}

/* All pairs of nodes that symmetries take (i, j) to are of kind k, and, transposed, those that they do not take it to
   in this order alone */
static void PlexGradientMark(PlexPairKinds *p, PlexElements el, const int dofs[], PetscInt i, PetscInt j, PetscInt k)
{
  const PetscInt N = el->Nn[0], Nc = el->Nc[0];

  for (PetscInt turn = 0; turn < 2; ++turn) {
    for (PetscInt s = 0; s < p->symmetries; ++s) {
      const PetscInt a = dofs[s * el->ef + i * Nc] / Nc, b = dofs[s * el->ef + j * Nc] / Nc,
                     at = turn ? b * N + a : a * N + b;

      if (p->kindOf[at] != 0xff) continue;
      p->kindOf[at]     = (unsigned char)k;
      p->symmetryOf[at] = (unsigned char)s;
      p->reversed[at]   = (unsigned char)turn;
    }
  }
}

static PetscBool PlexGradientAdd(PlexPairKinds *p, const PlexPairCell *cell, PetscInt i, PetscInt j)
{
  const PetscInt   dim = cell->el->dim, n = cell->n, N = cell->el->Nn[0];
  const PetscReal *P    = cell->P;
  PlexPairKind    *kind = &p->kind[p->kinds];

  if (p->kindOf[i * N + j] != 0xff) return PETSC_TRUE;
  if (p->kinds == PLEX_PAIR_GRADIENT_KINDS + 1) return PETSC_FALSE;
  for (PetscInt c = 0; c < n; ++c) {
    for (PetscInt d = 0; d < n; ++d) {
      kind->C[c * n + d] = 0.;
      for (PetscInt ab = 0; ab < dim * dim; ++ab)
        kind->C[c * n + d] += cell->tensor->K[(i * cell->tensor->nab + ab) * N + j] * P[ab / dim * n + c] *
                              P[ab % dim * n + d];
    }
  }
  PlexGradientReduce(n, kind->C);
  kind->terms  = 0;
  kind->factor = 1.;
  for (PetscInt k = 0; k < n * n; ++k) {
    if (kind->C[k] == 0.) continue;
    if (!kind->terms++) kind->factor = kind->C[k];
    kind->C[k] = PlexPairWhole(kind->C[k] / kind->factor);
  }
  PlexGradientMark(p, cell->el, cell->dofs, i, j, kind->terms ? p->kinds : PLEX_PAIR_KINDS);
  if (kind->terms) ++p->kinds;
  return PETSC_TRUE;
}

/* Of each symmetry the vertices that it takes vertices to, a byte each */
static PetscErrorCode PlexGradientTurns(PlexPairKinds *p, const PlexPairCell *cell)
{
  PetscFunctionBegin;
  p->nturns = (p->symmetries + 3) / 4 * 4;
  PetscCall(PetscCalloc1(p->nturns, &p->turns));
  for (PetscInt s = 0; s < p->symmetries; ++s)
    for (PetscInt a = 0; a < cell->n; ++a) p->turns[s] |= (unsigned)cell->vertices[s * cell->n + a] << 8 * a;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexPairKindsCreateGradients_Private(PlexAssembly asm_, PlexProduct *product, PlexPairKinds *p,
                                                    PetscBool *serves)
{
  const PetscInt N = asm_->elements->Nn[0], dim = asm_->elements->dim;
  PlexPairCell   cell;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(p, sizeof(*p)));
  *serves = PETSC_TRUE;
  PetscCall(PlexPairKindsBegin_Private(asm_, product, PLEX_PAIRS_GRADIENTS, N, (dim + 1) * dim, p, &cell));
  PetscCall(PlexPairKindsEnd_Private(p, &cell, N, PLEX_PAIR_GRADIENT_KINDS, PlexGradientAdd, PlexGradientTurns,
                                     serves));
  PetscFunctionReturn(PETSC_SUCCESS);
}
