/*
  Reference element of the nodal DG method: matrices of equations 3 and 6 of Kloeckner, Warburton, Bridge and Hesthaven
  (2009) for the Lagrange basis on warp-and-blend nodes, from the orthonormal basis of Proriol, Koornwinder and Dubiner,
  psi:

    V_ij = psi_j(r_i)   M = (V V^T)^-1   D_a = V_a V^-1, (V_a)_ij = d psi_j/dr_a (r_i)
    L    = M^-1 [faces' mass matrices, in their rows]
*/
#include <plexgpu/private/dgimpl.h>
#include <petscblaslapack.h>

/* psi[nj][1 + dim][n] of PetscDTPKDEvalJet(): the polynomials and their first derivatives */
static PetscErrorCode PlexDGBasis(PetscInt dim, PetscInt N, PetscInt n, const PetscReal points[], PetscReal **psi)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(PlexDGNodesSize(dim, N) * (1 + dim) * n, psi));
  PetscCall(PetscDTPKDEvalJet(dim, n, points, N, 1, *psi));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* V[n][Np], and, where wanted, derivatives dV[dim][n][Np] */
static PetscErrorCode PlexDGVandermonde(PetscInt dim, PetscInt N, PetscInt n, const PetscReal points[], PetscReal V[],
                                        PetscReal dV[])
{
  const PetscInt Np = PlexDGNodesSize(dim, N);
  PetscReal     *psi;

  PetscFunctionBegin;
  PetscCall(PlexDGBasis(dim, N, n, points, &psi));
  for (PetscInt i = 0; i < n; ++i) {
    for (PetscInt j = 0; j < Np; ++j) {
      V[i * Np + j] = psi[j * (1 + dim) * n + i];
      for (PetscInt a = 0; dV && a < dim; ++a) dV[(a * n + i) * Np + j] = psi[(j * (1 + dim) + 1 + a) * n + i];
    }
  }
  PetscCall(PetscFree(psi));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* inverse[n][n] of a[n][n], by LU factorization */
static PetscErrorCode PlexDGInvert(PetscInt n, const PetscReal a[], PetscReal inverse[])
{
  PetscBLASInt *pivots, bn, lwork, info;
  PetscScalar  *lu, *work;

  PetscFunctionBegin;
  PetscCall(PetscBLASIntCast(n, &bn));
  PetscCall(PetscBLASIntCast(n * n, &lwork));
  PetscCall(PetscMalloc3(n * n, &lu, n * n, &work, n, &pivots));
  for (PetscInt i = 0; i < n * n; ++i) lu[i] = a[i]; /* transposed to LAPACK, and so is the inverse */
  PetscCallBLAS("LAPACKgetrf", LAPACKgetrf_(&bn, &bn, lu, &bn, pivots, &info));
  PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_MAT_LU_ZRPVT,
             "A matrix of the reference element is singular (row %" PetscBLASInt_FMT ")", info);
  PetscCallBLAS("LAPACKgetri", LAPACKgetri_(&bn, lu, &bn, pivots, work, &lwork, &info));
  PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_LIB,
             "LAPACK cannot invert a matrix of the reference element: %" PetscBLASInt_FMT, info);
  for (PetscInt i = 0; i < n * n; ++i) inverse[i] = PetscRealPart(lu[i]);
  PetscCall(PetscFree3(lu, work, pivots));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* C[m][n] = A[m][k] B[k][n], or B[n][k] transposed */
static void PlexDGMultiply(PetscInt m, PetscInt n, PetscInt k, const PetscReal A[], const PetscReal B[],
                           PetscBool transposed, PetscReal C[])
{
  for (PetscInt i = 0; i < m; ++i) {
    for (PetscInt j = 0; j < n; ++j) {
      PetscReal sum = 0.;

      for (PetscInt l = 0; l < k; ++l) sum += A[i * k + l] * (transposed ? B[j * k + l] : B[l * n + j]);
      C[i * n + j] = sum;
    }
  }
}

void PlexDGVertex(PetscInt dim, PetscBool tensor, PetscInt v, PetscReal r[])
{
  const PetscInt corner = v % 4; /* of a quadrilateral */

  for (PetscInt a = 0; a < dim; ++a)
    r[a] = (tensor ? (a == 0 ? corner == 1 || corner == 2 : a == 1 ? corner > 1 : v > 3) : v == a + 1) ? 1. : -1.;
}

PetscInt PlexDGFaceSize(PetscInt dim, PetscBool tensor)
{
  return tensor && dim == 3 ? 4 : dim;
}

void PlexDGFaceVertices(PetscInt dim, PetscBool tensor, PetscInt f, PetscInt vertices[])
{
  static const PetscInt hexahedron[6][4] = {
    {0, 3, 2, 1},
    {4, 5, 6, 7},
    {0, 1, 5, 4},
    {2, 3, 7, 6},
    {1, 2, 6, 5},
    {0, 4, 7, 3}
  };
  const PetscInt opposite = f < dim ? f + 1 : 0;
  PetscInt       n        = 0;

  if (tensor) {
    for (; n < PlexDGFaceSize(dim, tensor); ++n) vertices[n] = dim == 3 ? hexahedron[f][n] : f < 3 ? f + n : 3 * n;
    return;
  }
  for (PetscInt v = 0; v <= dim; ++v)
    if (v != opposite) vertices[n++] = v;
}

/* The node of a simplex of dimension dim with a multi-index */
static PetscInt PlexDGFindNode(PetscInt dim, PetscInt Np, const PetscInt index[], const PetscInt multi[])
{
  for (PetscInt i = 0; i < Np; ++i) {
    PetscBool same = PETSC_TRUE;

    for (PetscInt v = 0; v <= dim; ++v) same = (PetscBool)(same && index[i * (dim + 1) + v] == multi[v]);
    if (same) return i;
  }
  return -1;
}

/* Numbers of the permutations of n things in ascending order: for three 012, 021, 102, 120, 201, 210; for four in a
   ring 0123, 0321, 1230, 1032, ... */
PetscInt PlexDGTurnNumber(PetscInt n, const PetscInt p[])
{
  if (n == 1) return 0;
  if (n == 2) return p[0];
  if (n == 4) return 2 * p[0] + (p[1] == (p[0] + 1) % 4 ? 0 : 1);
  return 2 * p[0] + (p[1] > p[2] ? 1 : 0);
}

void PlexDGTurnGet(PetscInt n, PetscInt number, PetscInt p[])
{
  p[0] = n == 2 ? number : number / 2;
  if (n == 2) p[1] = 1 - number;
  else if (n == 4) {
    for (PetscInt v = 1; v < 4; ++v) p[v] = (p[0] + (number % 2 ? 4 - v : v)) % 4;
  } else {
    const PetscInt low = p[0] == 0 ? 1 : 0, high = p[0] == 2 ? 1 : 2;

    p[1] = number % 2 ? high : low;
    p[2] = number % 2 ? low : high;
  }
}

PetscInt PlexDGTurns(PetscInt dim, PetscBool tensor)
{
  return dim == 2 ? 2 : tensor ? 8 : 6;
}

static PetscErrorCode PlexDGReferenceSetFaces(PlexDGReference R, const PetscInt index[])
{
  const PetscInt dim = R->dim;
  PetscReal     *lambda;
  PetscInt      *face, vertices[3], p[3];

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(R->Nfp * dim, &lambda, R->Nfp * dim, &face));
  PetscCall(PlexDGNodes(dim - 1, R->N, lambda, face));
  for (PetscInt f = 0; f < R->faces; ++f) {
    PlexDGFaceVertices(dim, PETSC_FALSE, f, vertices);
    for (PetscInt m = 0; m < R->Nfp; ++m) {
      PetscInt multi[4] = {0, 0, 0, 0};

      for (PetscInt v = 0; v < dim; ++v) multi[vertices[v]] = face[m * dim + v];
      R->faceNodes[f * R->Nfp + m] = (int)PlexDGFindNode(dim, R->Np, index, multi);
    }
  }
  for (p[0] = 0; p[0] < dim; ++p[0]) {
    for (p[1] = 0; p[1] < dim; ++p[1]) {
      for (p[2] = 0; p[2] < (dim > 2 ? 3 : 1); ++p[2]) {
        if (p[0] == p[1] || (dim > 2 && (p[2] == p[0] || p[2] == p[1]))) continue;
        for (PetscInt m = 0; m < R->Nfp; ++m) {
          PetscInt multi[3] = {0, 0, 0};

          for (PetscInt v = 0; v < dim; ++v) multi[p[v]] = face[m * dim + v];
          R->turn[PlexDGTurnNumber(dim, p) * R->Nfp + m] = (int)PlexDGFindNode(dim - 1, R->Nfp, face, multi);
        }
      }
    }
  }
  PetscCall(PetscFree2(lambda, face));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Mass matrix of a face with the nodes that the element's faces have, in the coordinates of the face */
static PetscErrorCode PlexDGReferenceSetFaceMass(PlexDGReference R)
{
  const PetscInt dim = R->dim, Nfp = R->Nfp;
  PetscReal     *points, *V, *inverse;
  PetscInt       vertices[3];

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(Nfp * (dim - 1), &points, Nfp * Nfp, &V, Nfp * Nfp, &inverse));
  PlexDGFaceVertices(dim, PETSC_FALSE, 0, vertices);
  for (PetscInt m = 0; m < Nfp; ++m)
    for (PetscInt a = 0; a < dim - 1; ++a)
      points[m * (dim - 1) + a] = 2. * R->lambda[R->faceNodes[m] * (dim + 1) + vertices[a + 1]] - 1.;
  PetscCall(PlexDGVandermonde(dim - 1, R->N, Nfp, points, V, NULL));
  PlexDGMultiply(Nfp, Nfp, Nfp, V, V, PETSC_TRUE, inverse);
  PetscCall(PlexDGInvert(Nfp, inverse, R->Mface));
  PetscCall(PetscFree3(points, V, inverse));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGReferenceSetMatrices(PlexDGReference R)
{
  const PetscInt dim = R->dim, Np = R->Np, Nfp = R->Nfp;
  PetscReal     *dV, *VVt;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(dim * Np * Np, &dV, Np * Np, &VVt));
  PetscCall(PlexDGVandermonde(dim, R->N, Np, R->r, R->V, dV));
  PetscCall(PlexDGInvert(Np, R->V, R->Vinv));
  for (PetscInt a = 0; a < dim; ++a)
    PlexDGMultiply(Np, Np, Np, &dV[a * Np * Np], R->Vinv, PETSC_FALSE, &R->D[a * Np * Np]);
  PlexDGMultiply(Np, Np, Np, R->V, R->V, PETSC_TRUE, VVt); /* the inverse of M */
  PetscCall(PlexDGInvert(Np, VVt, R->M));
  PetscCall(PlexDGReferenceSetFaceMass(R));
  for (PetscInt i = 0; i < Np; ++i) {
    for (PetscInt f = 0; f < R->faces; ++f) {
      for (PetscInt m = 0; m < Nfp; ++m) {
        PetscReal sum = 0.;

        for (PetscInt l = 0; l < Nfp; ++l) sum += VVt[i * Np + R->faceNodes[f * Nfp + l]] * R->Mface[l * Nfp + m];
        R->L[(i * R->faces + f) * Nfp + m] = sum;
      }
    }
  }
  PetscCall(PetscFree2(dV, VVt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGReferenceCreate(PetscInt dim, PetscInt N, PlexDGReference *reference)
{
  PlexDGReference R;
  PetscInt       *index;

  PetscFunctionBegin;
  *reference = NULL;
  PetscCheck(dim == 2 || dim == 3, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Nodal DG is on triangles and tetrahedra, dimension 2 or 3, not %" PetscInt_FMT, dim);
  PetscCheck(N >= 1 && N <= PLEX_DG_MAX_QUADRATURE_DEGREE, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Elements have degrees 1 to %d, not %" PetscInt_FMT ": see -plex_dg_degree", PLEX_DG_MAX_QUADRATURE_DEGREE,
             N);
  PetscCall(PetscNew(&R));
  *reference = R;
  R->dim     = dim;
  R->N       = N;
  R->Np      = PlexDGNodesSize(dim, N);
  R->Nfp     = PlexDGNodesSize(dim - 1, N);
  R->faces   = dim + 1;
  R->turns   = PlexDGTurns(dim, PETSC_FALSE);
  PetscCall(PetscMalloc4(R->Np * (dim + 1), &R->lambda, R->Np * dim, &R->r, R->Np * R->Np, &R->V, R->Np * R->Np,
                         &R->Vinv));
  PetscCall(PetscMalloc4(R->Np * R->Np, &R->M, R->Nfp * R->Nfp, &R->Mface, dim * R->Np * R->Np, &R->D,
                         R->Np * R->faces * R->Nfp, &R->L));
  PetscCall(PetscMalloc2(R->faces * R->Nfp, &R->faceNodes, R->turns * R->Nfp, &R->turn));
  PetscCall(PetscMalloc1(R->Np * (dim + 1), &index));
  PetscCall(PlexDGNodes(dim, N, R->lambda, index));
  for (PetscInt i = 0; i < R->Np; ++i)
    for (PetscInt a = 0; a < dim; ++a) R->r[i * dim + a] = 2. * R->lambda[i * (dim + 1) + a + 1] - 1.;
  PetscCall(PlexDGReferenceSetFaces(R, index));
  PetscCall(PetscFree(index));
  PetscCall(PlexDGReferenceSetMatrices(R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGReferenceDestroy(PlexDGReference *reference)
{
  PlexDGReference R = *reference;

  PetscFunctionBegin;
  if (!R) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree4(R->lambda, R->r, R->V, R->Vinv));
  PetscCall(PetscFree4(R->M, R->Mface, R->D, R->L));
  PetscCall(PetscFree2(R->faceNodes, R->turn));
  PetscCall(PetscFree(*reference));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nodes of a line, r[N + 1] */
static PetscErrorCode PlexDGLineNodes(PetscInt N, PetscReal r[])
{
  PetscReal *lambda;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(2 * (N + 1), &lambda));
  PetscCall(PlexDGNodes(1, N, lambda, NULL));
  for (PetscInt i = 0; i <= N; ++i) r[i] = lambda[2 * i + 1] - lambda[2 * i];
  PetscCall(PetscFree(lambda));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lagrange polynomials of a line's nodes: L[n][N + 1] and their derivatives */
static PetscErrorCode PlexDGLineTabulate(PetscInt N, PetscInt n, const PetscReal s[], PetscReal L[], PetscReal dL[])
{
  const PetscInt m = N + 1;
  PetscReal     *r, *V, *Vinv, *P, *dP;

  PetscFunctionBegin;
  PetscCall(PetscMalloc5(m, &r, m * m, &V, m * m, &Vinv, n * m, &P, n * m, &dP));
  PetscCall(PlexDGLineNodes(N, r));
  PetscCall(PlexDGVandermonde(1, N, m, r, V, NULL));
  PetscCall(PlexDGInvert(m, V, Vinv));
  PetscCall(PlexDGVandermonde(1, N, n, s, P, dP));
  PlexDGMultiply(n, m, m, P, Vinv, PETSC_FALSE, L);
  PlexDGMultiply(n, m, m, dP, Vinv, PETSC_FALSE, dL);
  PetscCall(PetscFree5(r, V, Vinv, P, dP));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Products of the polynomials of each coordinate, the first one's fastest */
static PetscErrorCode PlexDGTabulateTensor(PlexDGReference R, PetscInt n, const PetscReal points[], PetscReal B[],
                                           PetscReal dB[])
{
  const PetscInt dim = R->dim, m = R->N + 1, Np = R->Np;
  PetscReal     *s, *L, *dL;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(dim * n, &s, dim * n * m, &L, dim * n * m, &dL));
  for (PetscInt i = 0; i < n; ++i)
    for (PetscInt a = 0; a < dim; ++a) s[a * n + i] = points[dim * i + a];
  PetscCall(PlexDGLineTabulate(R->N, dim * n, s, L, dL));
  for (PetscInt c = -1; c < (dB ? dim : 0); ++c) { /* the coordinate of the derivative; -1: none */
    for (PetscInt i = 0; i < n; ++i) {
      PetscReal *values = c < 0 ? &B[i * Np] : &dB[(c * n + i) * Np];

      for (PetscInt j = 0, rest; j < Np; ++j) {
        values[j] = 1.;
        rest      = j;
        for (PetscInt a = 0; a < dim; ++a, rest /= m) values[j] *= (a == c ? dL : L)[(a * n + i) * m + rest % m];
      }
    }
  }
  PetscCall(PetscFree3(s, L, dL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Node (i, j) of a face whose vertices have the places corner[][dim] in the grid of nodes, each 0 or N: from vertex 0,
   i along the way to vertex 1, j to vertex 3 */
static PetscInt PlexDGGridNode(PetscInt dim, PetscInt N, const PetscInt (*corner)[3], PetscInt i, PetscInt j)
{
  PetscInt node = 0;

  for (PetscInt a = dim - 1; a >= 0; --a) {
    PetscInt at = corner[0][a];

    if (N) at += i * (corner[1][a] - corner[0][a]) / N + (j ? j * (corner[3][a] - corner[0][a]) / N : 0);
    node = node * (N + 1) + at;
  }
  return node;
}

static void PlexDGReferenceSetTensorFaces(PlexDGReference R)
{
  const PetscInt dim = R->dim, N = R->N, nf = PlexDGFaceSize(dim, PETSC_TRUE);
  PetscInt       vertices[4], p[4], corner[4][3];
  PetscReal      r[3];

  for (PetscInt f = 0; f < R->faces; ++f) {
    PlexDGFaceVertices(dim, PETSC_TRUE, f, vertices);
    for (PetscInt v = 0; v < nf; ++v) {
      PlexDGVertex(dim, PETSC_TRUE, vertices[v], r);
      for (PetscInt a = 0; a < dim; ++a) corner[v][a] = r[a] > 0. ? N : 0;
    }
    for (PetscInt m = 0; m < R->Nfp; ++m)
      R->faceNodes[f * R->Nfp + m] = (int)PlexDGGridNode(dim, N, (const PetscInt (*)[3])corner, m % (N + 1),
                                                         m / (N + 1));
  }
  for (PetscInt t = 0; t < R->turns; ++t) {
    PlexDGTurnGet(nf, t, p);
    for (PetscInt v = 0; v < nf; ++v) {
      corner[v][0] = p[v] == 1 || p[v] == 2 ? N : 0;
      corner[v][1] = p[v] > 1 ? N : 0;
    }
    for (PetscInt m = 0; m < R->Nfp; ++m)
      R->turn[t * R->Nfp + m] = (int)PlexDGGridNode(dim - 1, N, (const PetscInt (*)[3])corner, m % (N + 1),
                                                    m / (N + 1));
  }
}

/* The nodes of a quadrilateral or hexahedron are products of Gauss-Lobatto points, the first coordinate's fastest */
PetscErrorCode PlexDGReferenceCreateTensor(PetscInt dim, PetscInt N, PlexDGReference *reference)
{
  PlexDGReference R;
  PetscReal      *line;

  PetscFunctionBegin;
  *reference = NULL;
  PetscCheck(dim == 2 || dim == 3, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Elements of products are quadrilaterals and hexahedra, not of dimension %" PetscInt_FMT, dim);
  PetscCheck(N >= 1 && N <= PLEX_DG_MAX_QUADRATURE_DEGREE, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Elements have degrees 1 to %d, not %" PetscInt_FMT ": see -plex_dg_degree", PLEX_DG_MAX_QUADRATURE_DEGREE,
             N);
  PetscCall(PetscNew(&R));
  *reference = R;
  R->dim     = dim;
  R->N       = N;
  R->tensor  = PETSC_TRUE;
  R->Nfp     = dim == 2 ? N + 1 : (N + 1) * (N + 1);
  R->Np      = R->Nfp * (N + 1);
  R->faces   = 2 * dim;
  R->turns   = PlexDGTurns(dim, PETSC_TRUE);
  PetscCall(PetscMalloc4(0, &R->lambda, R->Np * dim, &R->r, 0, &R->V, 0, &R->Vinv));
  PetscCall(PetscMalloc2(R->faces * R->Nfp, &R->faceNodes, R->turns * R->Nfp, &R->turn));
  PetscCall(PetscMalloc1(N + 1, &line));
  PetscCall(PlexDGLineNodes(N, line));
  for (PetscInt i = 0; i < R->Np; ++i)
    for (PetscInt a = 0, rest = i; a < dim; ++a, rest /= N + 1) R->r[dim * i + a] = line[rest % (N + 1)];
  PetscCall(PetscFree(line));
  PlexDGReferenceSetTensorFaces(R);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGReferenceTabulate(PlexDGReference R, PetscInt n, const PetscReal points[], PetscReal B[],
                                       PetscReal dB[])
{
  const PetscInt size = n * R->Np;
  PetscReal     *V, *dV = NULL;

  PetscFunctionBegin;
  if (R->tensor) {
    PetscCall(PlexDGTabulateTensor(R, n, points, B, dB));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(size, &V));
  if (dB) PetscCall(PetscMalloc1(R->dim * size, &dV));
  PetscCall(PlexDGVandermonde(R->dim, R->N, n, points, V, dV));
  PlexDGMultiply(n, R->Np, R->Np, V, R->Vinv, PETSC_FALSE, B);
  for (PetscInt a = 0; dB && a < R->dim; ++a)
    PlexDGMultiply(n, R->Np, R->Np, &dV[a * size], R->Vinv, PETSC_FALSE, &dB[a * size]);
  PetscCall(PetscFree(V));
  PetscCall(PetscFree(dV));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGReferenceInterpolate(PlexDGReference R, PetscInt n, const PetscReal points[], PetscReal B[])
{
  PetscFunctionBegin;
  PetscCall(PlexDGReferenceTabulate(R, n, points, B, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}
