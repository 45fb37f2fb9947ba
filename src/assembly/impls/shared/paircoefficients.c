/*
  Coefficients of pairs of an element's dofs. With lambda the barycentric coordinates of a simplex and G the tensor of a
  form of derivatives alone, symmetric and constant in an element,

    Gamma_ab = grad lambda_a . G grad lambda_b     A_ij = sum_ab K_ij,ab G_ab = sum_a<=b C_ij,ab Gamma_ab

  As sum_b Gamma_ab = 0, C may be shifted by any t: C_ab + t_a + t_b (a < b), C_aa + t_a. The t is chosen that leaves
  fewest coefficients. And with the gradients of the barycentric coordinates, of any constant g3 of any components,

    A_(i,c)(j,d) = g3_cd : M_ij
    M_ij         = int grad phi_i (x) grad phi_j = sum_ab C_ij,ab |J| grad lambda_a (x) grad lambda_b

  where C may be shifted to C_ab + s_a + t_b. The s and t are chosen that leave fewest operations.
*/
#include "pairs.h"

/* Coefficients below are zero */
static PetscReal PlexPairRounding(PetscInt n, const PetscReal C[])
{
  PetscReal most = 0.;

  for (PetscInt k = 0; k < n; ++k) most = PetscMax(most, PetscAbsReal(C[k]));
  return PLEX_PAIR_ROUNDING * most;
}

/* ---- Of dofs ---- */

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

/* D = C shifted by t, [n (n + 1) / 2]; returns how many are not zero */
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

/* Shifts C so that fewest coefficients are not zero: tries all sets of n coefficients that a t makes zero */
static void PlexPairReduce(PetscInt n, PetscReal C[])
{
  const PetscInt  all      = n * (n + 1) / 2;
  const PetscReal rounding = PlexPairRounding(all, C);
  PetscInt        least    = all + 1;
  PetscReal       best[10] = {0};

  for (PetscInt set = 0; set < 1 << all; ++set) {
    PetscReal A[4][5] = {{0}}, t[4], D[10];
    PetscInt  rows    = 0, terms;

    if (__builtin_popcount((unsigned)set) != n) continue;
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

/* Shifts C so that all C_aa are zero */
static void PlexPairDropDiagonal(PetscInt n, PetscReal C[])
{
  PetscReal t[4] = {0}, D[10];

  for (PetscInt a = 0; a < n; ++a) t[a] = -C[PlexPairNumber(n, a, a)];
  (void)PlexPairShift(n, C, t, PlexPairRounding(n * (n + 1) / 2, C), D);
  for (PetscInt k = 0; k < n * (n + 1) / 2; ++k) C[k] = D[k];
}

void PlexPairCellSet_Private(PlexPairCell *cell)
{
  const PetscInt   dim = cell->n - 1, n = cell->n;
  const PetscReal *D = cell->el->dpsi;

  for (PetscInt v = 0; v < n; ++v) {
    PetscReal A[4][5] = {{0}}, x[4];

    for (PetscInt k = 0; k < dim; ++k) {
      for (PetscInt l = 0; l < dim; ++l)
        for (PetscInt w = 0; w < n; ++w) A[k][l] += D[w * dim + k] * D[w * dim + l];
      A[k][dim] = D[v * dim + k];
    }
    (void)PlexPairSolve(dim, A, x);
    for (PetscInt k = 0; k < dim; ++k) cell->P[k * n + v] = x[k];
  }
}

void PlexPairCoefficients_Private(const PlexPairCell *cell, PetscInt i, PetscInt j, PetscBool offDiagonal,
                                  PetscReal C[])
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
  if (offDiagonal) PlexPairDropDiagonal(n, C);
  else PlexPairReduce(n, C);
}

/* ---- By gradients ---- */

/* Cost of an item with coefficients C[n][n] in three dimensions, about: reads of gradients, sums of vectors, outer
   products */
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

/* D = C + s_a + t_b such that D_k = 0 for each bit k of `zero`; false if these bits are not the edges of a spanning
   tree of the graph of rows and columns, which determines s and t up to a constant */
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
  const PetscReal rounding = PlexPairRounding(n * n, C);
  PetscInt        least    = PETSC_INT_MAX;
  PetscReal       best[16] = {0};

  for (unsigned set = 0; set < 1u << (n * n); ++set) {
    PetscReal D[16];
    PetscInt  cost;

    if (__builtin_popcount(set) != 2 * n - 1 || !PlexGradientShift(n, C, set, rounding, D)) continue;
    cost = PlexGradientCost(n, D);
    if (cost >= least) continue;
    least = cost;
    for (PetscInt k = 0; k < n * n; ++k) best[k] = D[k];
  }
  for (PetscInt k = 0; k < n * n; ++k) C[k] = best[k];
}

void PlexPairGradients_Private(const PlexPairCell *cell, PetscInt i, PetscInt j, PetscReal C[])
{
  const PetscInt   dim = cell->el->dim, n = cell->n, N = cell->el->Nn[0];
  const PetscReal *P = cell->P;

  for (PetscInt c = 0; c < n; ++c) {
    for (PetscInt d = 0; d < n; ++d) {
      C[c * n + d] = 0.;
      for (PetscInt ab = 0; ab < dim * dim; ++ab)
        C[c * n + d] += cell->tensor->K[(i * cell->tensor->nab + ab) * N + j] * P[ab / dim * n + c] *
                        P[ab % dim * n + d];
    }
  }
  PlexGradientReduce(n, C);
}
