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

/* The kind of (i, j) and of all pairs like it, unless that is known */
static void PlexGradientAdd(PlexPairKinds *p, PlexTensor tensor, PlexElements el, const PetscReal P[], const int dofs[],
                            PetscInt i, PetscInt j)
{
  const PetscInt dim = el->dim, n = dim + 1, N = el->Nn[0];
  PlexPairKind  *kind = &p->kind[p->kinds];

  if (p->kindOf[i * N + j] != 0xff || p->kinds == PLEX_PAIR_GRADIENT_KINDS + 1) return;
  for (PetscInt c = 0; c < n; ++c) {
    for (PetscInt d = 0; d < n; ++d) {
      kind->C[c * n + d] = 0.;
      for (PetscInt ab = 0; ab < dim * dim; ++ab)
        kind->C[c * n + d] += tensor->K[(i * tensor->nab + ab) * N + j] * P[ab / dim * n + c] * P[ab % dim * n + d];
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
  PlexGradientMark(p, el, dofs, i, j, kind->terms ? p->kinds : PLEX_PAIR_KINDS);
  if (kind->terms) ++p->kinds;
}

PetscErrorCode PlexPairKindsCreateGradients_Private(PlexAssembly asm_, PlexProduct *product, PlexPairKinds *p,
                                                    PetscBool *serves)
{
  PlexElements   el  = asm_->elements;
  const PetscInt dim = el->dim, n = dim + 1, N = el->Nn[0];
  PetscReal      P[12];
  int           *dofs, *vertices;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(p, sizeof(*p)));
  PetscCall(PlexElementsGetSymmetries(el, &p->symmetries, &dofs, &vertices));
  p->kept    = PLEX_PAIRS_GRADIENTS;
  p->numbers = n * dim;
  PetscCall(PetscMalloc2(N * N, &p->kindOf, N * N, &p->symmetryOf));
  PetscCall(PetscCalloc1(N * N, &p->reversed));
  memset(p->kindOf, 0xff, (size_t)(N * N));
  PlexPairInverse_Private(dim, n, el->dpsi, P);
  for (PetscInt i = 0; i < N; ++i) PlexGradientAdd(p, product->tensor, el, P, dofs, i, i); /* have most items */
  for (PetscInt i = 0; i < N; ++i)
    for (PetscInt j = i + 1; j < N; ++j) PlexGradientAdd(p, product->tensor, el, P, dofs, i, j);
  *serves   = (PetscBool)(p->symmetries == (dim == 2 ? 6 : 24) && p->kinds > 0 && p->kinds <= PLEX_PAIR_GRADIENT_KINDS);
  p->nturns = (p->symmetries + 3) / 4 * 4;
  PetscCall(PetscCalloc1(p->nturns, &p->turns));
  for (PetscInt s = 0; s < p->symmetries; ++s)
    for (PetscInt a = 0; a < n; ++a) p->turns[s] |= (unsigned)vertices[s * n + a] << 8 * a;
  if (*serves) PetscCall(PlexPairKindsCompose_Private(p, n, vertices));
  PetscCall(PlexElementsRestoreRotations(&dofs, &vertices));
  PetscFunctionReturn(PETSC_SUCCESS);
}
