/*
  The structure of tensor-product elements, found in their tables: phi_n(q) = B_x(q_x) B_y(q_y) B_z(q_z). Nodes and
  points are put into the order of their coordinates, functions of one coordinate are sums over the nodes of a line's
  other ends (1 = sum of all functions), and all entries of the tables are compared with the products. An element
  without that structure is left to others.
*/
#include "stored.h"
#include "integrate.h"
#include "../../dm/elementsimpl.h" /* PlexDualSpaceGetNode() */

#define PLEX_LINES_TOLERANCE 1e-13

/* Numbers n points xi[n][dim] of a grid: number[(x N + y) N + z] is the point's; false where they are none of N^dim */
static PetscBool PlexGridNumber(PetscInt dim, PetscInt n, const PetscReal xi[], PetscInt N, PetscInt number[])
{
  PetscReal line[3][PLEX_LINES_MOST_POINTS];
  PetscInt  all = 1;

  for (PetscInt d = 0; d < dim; ++d) {
    PetscInt m = 0;

    all *= N;
    for (PetscInt k = 0; k < n; ++k) { /* the different coordinates, ascending */
      PetscInt at = 0;

      while (at < m && line[d][at] < xi[k * dim + d] - 1e-10) ++at;
      if (at < m && line[d][at] < xi[k * dim + d] + 1e-10) continue;
      if (m == N) return PETSC_FALSE;
      for (PetscInt l = m; l > at; --l) line[d][l] = line[d][l - 1];
      line[d][at] = xi[k * dim + d];
      ++m;
    }
    if (m < N) return PETSC_FALSE;
  }
  if (n != all) return PETSC_FALSE;
  for (PetscInt k = 0; k < n; ++k) number[k] = -1;
  for (PetscInt k = 0; k < n; ++k) {
    PetscInt at = 0;

    for (PetscInt d = 0; d < dim; ++d) {
      PetscInt c = 0;

      while (PetscAbsReal(line[d][c] - xi[k * dim + d]) > 1e-10) ++c;
      at = at * N + c;
    }
    if (number[at] >= 0) return PETSC_FALSE;
    number[at] = k;
  }
  return PETSC_TRUE;
}

/* Coordinates along the axes of item k of a grid of N a line */
static void PlexGridSplit(PetscInt dim, PetscInt N, PetscInt k, PetscInt x[])
{
  for (PetscInt d = dim - 1; d >= 0; --d, k /= N) x[d] = k % N;
}

/* Entry a of the jet (value, derivatives) of node n at point q, as a product */
static PetscReal PlexLineProduct(PetscInt dim, PetscInt Q, const PetscReal B[], const PetscReal D[], const PetscInt n[],
                                 const PetscInt q[], PetscInt a)
{
  PetscReal v = 1.;

  for (PetscInt d = 0; d < dim; ++d) v *= (a == d + 1 ? D : B)[n[d] * Q + q[d]];
  return v;
}

/* B and D of N functions along the first axis, and whether all Nn functions are products of them; node[]: their numbers
   in the tables */
static PetscBool PlexLinesSplit(const PlexLineTables *t, PetscInt N, PetscInt Nn, const PetscInt node[],
                                const PetscReal phi[], const PetscReal dphi[], PetscReal B[], PetscReal D[])
{
  const PetscInt dim = t->dim, Q = t->Q, ends = Nn / N, Nq = dim == 2 ? Q * Q : Q * Q * Q;
  PetscReal      size = 1.;
  PetscInt       n[3], q[3];

  for (PetscInt k = 0; k < N; ++k) {
    for (PetscInt p = 0; p < Q; ++p) {
      const PetscInt at = t->point[p * (Nq / Q)]; /* the others of its coordinates are the first */

      B[k * Q + p] = D[k * Q + p] = 0.;
      for (PetscInt m = 0; m < ends; ++m) {
        B[k * Q + p] += phi[at * Nn + node[k * ends + m]];
        D[k * Q + p] += dphi[(at * Nn + node[k * ends + m]) * dim];
      }
      if (PetscAbsReal(B[k * Q + p]) < PLEX_LINES_TOLERANCE) B[k * Q + p] = 0.;
      if (PetscAbsReal(D[k * Q + p]) < PLEX_LINES_TOLERANCE) D[k * Q + p] = 0.;
      size = PetscMax(size, PetscMax(PetscAbsReal(B[k * Q + p]), PetscAbsReal(D[k * Q + p])));
    }
  }
  for (PetscInt k = 0; k < Nn; ++k) {
    PlexGridSplit(dim, N, k, n);
    for (PetscInt p = 0; p < Nq; ++p) {
      const PetscInt at = t->point[p] * Nn + node[k];

      PlexGridSplit(dim, Q, p, q);
      for (PetscInt a = 0; a <= dim; ++a)
        if (!(PetscAbsReal(PlexLineProduct(dim, Q, B, D, n, q, a) - (a ? dphi[at * dim + a - 1] : phi[at])) <=
              PLEX_LINES_TOLERANCE * size * size))
          return PETSC_FALSE;
    }
  }
  return PETSC_TRUE;
}

/* Function n at point q is that of the mirror image at its mirror image, to the rounding of a table with numbers of this size; and
   then is so to the last bit */
static PetscBool PlexLinesMirror(PetscInt N, PetscInt Q, PetscReal B[], PetscReal sign)
{
  PetscReal size = 1.;

  for (PetscInt k = 0; k < N * Q; ++k) size = PetscMax(size, PetscAbsReal(B[k]));
  for (PetscInt n = 0; n < N; ++n) {
    for (PetscInt q = 0; q < Q; ++q) {
      PetscReal *image = &B[(N - 1 - n) * Q + Q - 1 - q];

      if (!(PetscAbsReal(B[n * Q + q] - sign * *image) <= 10. * PLEX_LINES_TOLERANCE * size)) return PETSC_FALSE;
      *image = image == &B[n * Q + q] && sign < 0. ? 0. : sign * B[n * Q + q];
    }
  }
  return PETSC_TRUE;
}

/* Coordinates of degree 1: which node is which corner, by the signs of its derivatives */
static void PlexLinesCorners(PlexElements el, PlexLineTables *t)
{
  PetscInt  node[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
  PetscReal G[2 * PLEX_LINES_MOST_POINTS];

  t->corners = PETSC_FALSE;
  if (el->Nv != 1 << t->dim) return;
  for (PetscInt v = 0; v < el->Nv; ++v) {
    PetscInt corner = 0, at = 0;

    for (PetscInt d = 0; d < t->dim; ++d) {
      const PetscInt up = el->dpsi[v * t->dim + d] > 0.;

      corner |= up << d;
      at = 2 * at + up;
    }
    t->corner[corner] = v;
    if (node[at] >= 0) return;
    node[at] = v;
  }
  if (!PlexLinesSplit(t, 2, el->Nv, node, el->psi, el->dpsi, t->L, G)) return;
  for (PetscInt k = 0; k < 2; ++k) t->G[k] = G[k * t->Q];
  t->corners = PETSC_TRUE;
}

PetscErrorCode PlexLineTablesFind_Private(PlexElements el, PetscInt nodes, PetscInt points, PlexLineTables *t,
                                          PetscBool *serves)
{
  PetscReal        xi[3 * 729];
  const PetscReal *x;
  PetscFE          fe;
  PetscDualSpace   dual;
  PetscQuadrature  quadrature;
  PetscInt         Nq;

  PetscFunctionBegin;
  *serves = PETSC_FALSE;
  t->dim  = el->dim;
  if (!PlexElementsFillSpace(el) ||
      (el->cellType != DM_POLYTOPE_QUADRILATERAL && el->cellType != DM_POLYTOPE_HEXAHEDRON) || el->Nf != 1 ||
      el->Nn[0] > 729 || el->Nq > 1000)
    PetscFunctionReturn(PETSC_SUCCESS);
  t->N = (PetscInt)(PetscPowReal((PetscReal)el->Nn[0], 1. / el->dim) + 0.5);
  t->Q = (PetscInt)(PetscPowReal((PetscReal)el->Nq, 1. / el->dim) + 0.5);
  if (t->N < 2 || t->N > nodes || t->Q > points) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscDSGetDiscretization(el->ds, 0, (PetscObject *)&fe));
  PetscCall(PetscFEGetDualSpace(fe, &dual));
  for (PetscInt k = 0; k < el->Nn[0]; ++k)
    PetscCall(PlexDualSpaceGetNode(dual, k * el->Nc[0], el->dim, &xi[k * el->dim]));
  if (!PlexGridNumber(el->dim, el->Nn[0], xi, t->N, t->dof)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFEGetQuadrature(fe, &quadrature));
  PetscCall(PetscQuadratureGetData(quadrature, NULL, NULL, &Nq, &x, NULL));
  if (Nq != el->Nq || !PlexGridNumber(el->dim, Nq, x, t->Q, t->point)) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < Nq; ++k) t->weight[k] = el->weights[t->point[k]];
  if (!PlexLinesSplit(t, t->N, el->Nn[0], t->dof, el->phi[0], el->dphi[0], t->B, t->D))
    PetscFunctionReturn(PETSC_SUCCESS);
  t->mirror = (PetscBool)(PlexLinesMirror(t->N, t->Q, t->B, 1.) && PlexLinesMirror(t->N, t->Q, t->D, -1.));
  PlexLinesCorners(el, t);
  *serves = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexLineTablesCreate_Private(PlexElements el, PlexLineTables *t, PetscBool *serves)
{
  PetscFunctionBegin;
  *serves = PETSC_FALSE;
  if (el->Nf == 1 && el->Nc[0] == 1)
    PetscCall(PlexLineTablesFind_Private(el, PLEX_LINES_NODES, PLEX_LINES_POINTS, t, serves));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void PlexWriteNumbersOf(FILE *out, const char type[], const char name[], PetscInt n, const PetscReal numbers[])
{
  fprintf(out, "static %s %s[] = {", type, name);
  for (PetscInt k = 0; k < n; ++k) fprintf(out, "(plex_real)%.17g,%s", (double)numbers[k], k % 8 == 7 ? "\n" : " ");
  fprintf(out, "};\n");
}

static void PlexWriteIntegersOf(FILE *out, const char name[], PetscInt n, const PetscInt numbers[])
{
  fprintf(out, "static __device__ constexpr int %s[] = {", name);
  for (PetscInt k = 0; k < n; ++k) fprintf(out, "%d, ", (int)numbers[k]);
  fprintf(out, "};\n");
}

PetscErrorCode PlexLineTablesWrite_Private(const PlexLineTables *t, FILE *out)
{
  const PetscInt Nn = t->dim == 2 ? t->N * t->N : t->N * t->N * t->N,
                 Nq = t->dim == 2 ? t->Q * t->Q : t->Q * t->Q * t->Q;
  PetscReal      numbers[2 * PLEX_LINES_MOST_TABLE];

  PetscFunctionBegin;
  fprintf(out, "#define PLEX_LINES_N %d\n#define PLEX_LINES_Q %d\n#define PLEX_LINES_CORNERS %d\n", (int)t->N,
          (int)t->Q, (int)t->corners);
  PlexWriteIntegersOf(out, "plex_line_dof", Nn, t->dof);
  PlexWriteIntegersOf(out, "plex_line_point", Nq, t->point);
  PetscCall(PetscArraycpy(numbers, t->B, t->N * t->Q));
  PetscCall(PetscArraycpy(&numbers[t->N * t->Q], t->D, t->N * t->Q));
  PlexWriteNumbersOf(out, "__device__ constexpr plex_real", "plex_line_known", 2 * t->N * t->Q, numbers);
  PlexWriteNumbersOf(out, "__constant__ plex_real", "plex_line_numbers", 2 * t->N * t->Q, numbers);
  PlexWriteNumbersOf(out, "__device__ constexpr plex_real", "plex_line_known_weights", Nq, t->weight);
  PlexWriteNumbersOf(out, "__constant__ plex_real", "plex_line_weights", Nq, t->weight);
  if (!t->corners) PetscFunctionReturn(PETSC_SUCCESS);
  PlexWriteIntegersOf(out, "plex_line_corner", 1 << t->dim, t->corner);
  PlexWriteNumbersOf(out, "__constant__ plex_real", "plex_line_coordinates", 2 * t->Q, t->L);
  PlexWriteNumbersOf(out, "__device__ constexpr plex_real", "plex_line_slopes", 2, t->G);
  PetscFunctionReturn(PETSC_SUCCESS);
}
