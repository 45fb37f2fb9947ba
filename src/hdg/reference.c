/*
  Reference element of the hybridized DG method: orthonormal functions on the cell and on its faces, and their matrices.

  On a simplex the polynomials of Proriol, Koornwinder and Dubiner of total degree P, on a square or cube products of
  Legendre polynomials, each of degree P: T_P and Q_P of King, Yakovlev, Fu, Kirby and Sherwin (2014), section 2.1. On
  faces likewise; on a segment these are Legendre polynomials. All are normalized.

  Faces have functions of the element's degree, or of a higher one that an element beside it has (groups.h).

  A face's functions belong to the face and its own order of vertices. An element sees them in one of `turns` ways, and
  has its matrices for each of them: those ways that occur in a mesh, of the 2 of a segment, 6 of a triangle or 8 of a
  quadrilateral.

  Derivatives of normalized Legendre polynomials l_n = sqrt(n + 1/2) P_n have moments by formula,

    (l_i, l_j')  = sqrt((2i + 1)(2j + 1))                for j > i, j - i odd,   else 0
    (l_i', l_j') = sqrt((2i + 1)(2j + 1)) m (m + 1)/2    for i + j even, m = min(i, j), else 0

  of which those of products are made where these differ in the coordinates of the derivatives alone; all others are
  zero. By quadrature one cube of degree 9 would take a minute.
*/
#include <plexgpu/private/hdgimpl.h>

static const PetscReal PlexCellVertices[4][8][3] = {
  {{-1, -1, 0}, {1, -1, 0}, {-1, 1, 0}},
  {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}},
  {{-1, -1, -1}, {-1, 1, -1}, {1, -1, -1}, {-1, -1, 1}},
  {{-1, -1, -1}, {-1, 1, -1}, {1, 1, -1}, {1, -1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1}, {-1, 1, 1}}
};
static const PetscInt PlexCellFaces[4][6][4] = {
  {{0, 1}, {1, 2}, {2, 0}},
  {{0, 1}, {1, 2}, {2, 3}, {3, 0}},
  {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {2, 1, 3}},
  {{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 3, 5, 4}, {2, 1, 7, 6}, {3, 2, 6, 5}, {0, 4, 7, 1}}
};
static const PetscInt PlexCellAxes[4][4] = {
  {0, 1, 2, -1},
  {0, 1, 3, -1},
  {0, 2, 1, 3 },
  {0, 3, 1, 4 }
};

static PetscInt PlexCellNumber(DMPolytopeType cell)
{
  return cell == DM_POLYTOPE_TRIANGLE      ? 0
       : cell == DM_POLYTOPE_QUADRILATERAL ? 1
       : cell == DM_POLYTOPE_TETRAHEDRON   ? 2
                                           : 3;
}

static PetscBool PlexCellIsSimplex(DMPolytopeType cell)
{
  return (PetscBool)(cell == DM_POLYTOPE_SEGMENT || cell == DM_POLYTOPE_TRIANGLE || cell == DM_POLYTOPE_TETRAHEDRON);
}

PetscInt PlexHDGBasisSize(DMPolytopeType cell, PetscInt P)
{
  const PetscInt dim = DMPolytopeTypeGetDim(cell);
  PetscInt       n   = 1;

  for (PetscInt a = 0; a < dim; ++a) n = PlexCellIsSimplex(cell) ? n * (P + 1 + a) / (1 + a) : n * (P + 1);
  return n;
}

/* Values [n][P + 1] and derivatives [n][P + 1] of the normalized Legendre polynomials at n coordinates, `stride`
   apart */
static PetscErrorCode PlexHDGLegendre(PetscInt P, PetscInt n, const PetscReal points[], PetscInt stride, PetscReal B[],
                                      PetscReal dB[])
{
  PetscReal *x, *jet;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(n, &x, (P + 1) * 2 * n, &jet));
  for (PetscInt i = 0; i < n; ++i) x[i] = points[i * stride];
  PetscCall(PetscDTPKDEvalJet(1, n, x, P, 1, jet));
  for (PetscInt i = 0; i < n; ++i) {
    for (PetscInt j = 0; j <= P; ++j) {
      B[i * (P + 1) + j]  = jet[(j * 2) * n + i];
      dB[i * (P + 1) + j] = jet[(j * 2 + 1) * n + i];
    }
  }
  PetscCall(PetscFree2(x, jet));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGBasisTensor(PetscInt dim, PetscInt P, PetscInt Np, PetscInt n, const PetscReal points[],
                                         PetscReal phi[], PetscReal dphi[])
{
  const PetscInt m = P + 1, planes = dim == 3 ? m : 1;
  PetscReal     *B, *dB;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(dim * n * m, &B, dim * n * m, &dB));
  for (PetscInt a = 0; a < dim; ++a) PetscCall(PlexHDGLegendre(P, n, points + a, dim, &B[a * n * m], &dB[a * n * m]));
  for (PetscInt a = -1; a < (dphi ? dim : 0); ++a) { /* -1: the values */
    const PetscReal *X = a == 0 ? dB : B, *Y = (a == 1 ? dB : B) + n * m, *Z = (a == 2 ? dB : B) + 2 * n * m;

    for (PetscInt q = 0; q < n; ++q) {
      PetscReal *to = a < 0 ? &phi[q * Np] : &dphi[(a * n + q) * Np];

      for (PetscInt k = 0; k < planes; ++k) {
        const PetscReal z = dim == 3 ? Z[q * m + k] : 1.;

        for (PetscInt j = 0; j < m; ++j)
          for (PetscInt i = 0; i < m; ++i) to[(k * m + j) * m + i] = X[q * m + i] * Y[q * m + j] * z;
      }
    }
  }
  PetscCall(PetscFree2(B, dB));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGBasis(DMPolytopeType cell, PetscInt P, PetscInt n, const PetscReal points[], PetscReal phi[],
                            PetscReal dphi[])
{
  const PetscInt dim = DMPolytopeTypeGetDim(cell), Np = PlexHDGBasisSize(cell, P);
  PetscReal     *jet;

  PetscFunctionBegin;
  if (!PlexCellIsSimplex(cell)) {
    PetscCall(PlexHDGBasisTensor(dim, P, Np, n, points, phi, dphi));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(Np * (1 + dim) * n, &jet));
  PetscCall(PetscDTPKDEvalJet(dim, n, points, P, 1, jet));
  for (PetscInt q = 0; q < n; ++q) {
    for (PetscInt i = 0; i < Np; ++i) {
      phi[q * Np + i] = jet[i * (1 + dim) * n + q];
      for (PetscInt a = 0; dphi && a < dim; ++a) dphi[(a * n + q) * Np + i] = jet[(i * (1 + dim) + 1 + a) * n + q];
    }
  }
  PetscCall(PetscFree(jet));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGQuadrature(DMPolytopeType cell, PetscInt n, PetscInt *Nq, PetscReal **points, PetscReal **weights)
{
  const PetscInt   dim = DMPolytopeTypeGetDim(cell);
  const PetscReal *x, *w;
  PetscQuadrature  quadrature;

  PetscFunctionBegin;
  if (PlexCellIsSimplex(cell)) PetscCall(PetscDTStroudConicalQuadrature(dim, 1, n, -1., 1., &quadrature));
  else PetscCall(PetscDTGaussTensorQuadrature(dim, 1, n, -1., 1., &quadrature));
  PetscCall(PetscQuadratureGetData(quadrature, NULL, NULL, Nq, &x, &w));
  PetscCall(PetscMalloc1(*Nq * dim, points));
  PetscCall(PetscMalloc1(*Nq, weights));
  PetscCall(PetscArraycpy(*points, x, *Nq * dim));
  PetscCall(PetscArraycpy(*weights, w, *Nq));
  PetscCall(PetscQuadratureDestroy(&quadrature));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Weights of the vertices of a face at a point of it: N[vertices], in the order of PETSc's reference cells */
PetscInt PlexHDGFaceWeights(DMPolytopeType face, const PetscReal s[], PetscReal N[])
{
  if (face == DM_POLYTOPE_SEGMENT) {
    N[0] = 0.5 * (1. - s[0]);
    N[1] = 0.5 * (1. + s[0]);
    return 2;
  }
  if (face == DM_POLYTOPE_TRIANGLE) {
    N[0] = -0.5 * (s[0] + s[1]);
    N[1] = 0.5 * (1. + s[0]);
    N[2] = 0.5 * (1. + s[1]);
    return 3;
  }
  N[0] = 0.25 * (1. - s[0]) * (1. - s[1]);
  N[1] = 0.25 * (1. + s[0]) * (1. - s[1]);
  N[2] = 0.25 * (1. + s[0]) * (1. + s[1]);
  N[3] = 0.25 * (1. - s[0]) * (1. + s[1]);
  return 4;
}

static DMPolytopeType PlexHDGFaceType(DMPolytopeType cell)
{
  return DMPolytopeTypeGetDim(cell) == 2 ? DM_POLYTOPE_SEGMENT
       : cell == DM_POLYTOPE_TETRAHEDRON ? DM_POLYTOPE_TRIANGLE
                                         : DM_POLYTOPE_QUADRILATERAL;
}

PetscErrorCode PlexHDGFacePoints(DMPolytopeType cell, PetscInt f, PetscInt n, const PetscReal points[], PetscReal x[])
{
  const PetscInt dim = DMPolytopeTypeGetDim(cell), number = PlexCellNumber(cell);
  PetscReal      N[4];

  PetscFunctionBegin;
  for (PetscInt q = 0; q < n; ++q) {
    const PetscInt vertices = PlexHDGFaceWeights(PlexHDGFaceType(cell), &points[q * (dim - 1)], N);

    for (PetscInt d = 0; d < dim; ++d) {
      x[q * dim + d] = 0.;
      for (PetscInt v = 0; v < vertices; ++v)
        x[q * dim + d] += N[v] * PlexCellVertices[number][PlexCellFaces[number][f][v]][d];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Outward normals: the vector product of the face's edges, halved as the reference face's are of length 2; outward is
   away from the mean of all vertices */
static void PlexHDGSetNormals(PlexHDGReference R)
{
  const PetscInt number = PlexCellNumber(R->cell), last = R->face == DM_POLYTOPE_QUADRILATERAL ? 3 : 2,
                 vertices = DMPolytopeTypeGetNumVertices(R->cell);

  for (PetscInt f = 0; f < R->faces; ++f) {
    const PetscInt  *face = PlexCellFaces[number][f];
    const PetscReal *v0 = PlexCellVertices[number][face[0]], *v1 = PlexCellVertices[number][face[1]],
                    *v2 = R->dim == 3 ? PlexCellVertices[number][face[last]] : v0;
    PetscReal a[3], b[3], out = 0., *n = R->normal[f];

    for (int d = 0; d < 3; ++d) {
      a[d] = 0.5 * (v1[d] - v0[d]);
      b[d] = R->dim == 3 ? 0.5 * (v2[d] - v0[d]) : (d == 2);
    }
    for (int d = 0; d < 3; ++d) n[d] = a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3];
    for (PetscInt v = 0; v < vertices; ++v)
      for (PetscInt d = 0; d < R->dim; ++d) out += n[d] * (v0[d] - PlexCellVertices[number][v][d]);
    for (PetscInt d = 0; d < R->dim && out < 0.; ++d) n[d] = -n[d];
  }
}

/* Position n of an oriented face is vertex arrangement[n] of the face itself */
PetscErrorCode PlexHDGReferenceFaceBasis(PlexHDGReference R, PetscInt degree, PetscReal psi[])
{
  static const PetscReal segment[2][2] = {
    {-1., 0.},
    {1.,  0.}
  };
  const PetscInt number = R->face == DM_POLYTOPE_TRIANGLE ? 0 : 1, dim = R->dim - 1,
                 n = PlexHDGBasisSize(R->face, degree);
  PetscReal     *turned, N[4];

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(R->Nqf * dim, &turned));
  for (PetscInt t = 0; t < R->turns; ++t) {
    const PetscInt *arrangement = DMPolytopeTypeGetVertexArrangement(R->face, R->turnOf[t] - R->allTurns / 2);

    for (PetscInt q = 0; q < R->Nqf; ++q) {
      const PetscInt vertices = PlexHDGFaceWeights(R->face, &R->pointsTrace[q * dim], N);

      for (PetscInt d = 0; d < dim; ++d) {
        turned[q * dim + d] = 0.;
        for (PetscInt v = 0; v < vertices; ++v)
          turned[q * dim + d] += N[v] *
                                 (dim == 1 ? segment[arrangement[v]][d] : PlexCellVertices[number][arrangement[v]][d]);
      }
    }
    PetscCall(PlexHDGBasis(R->face, degree, R->Nqf, turned, &psi[t * R->Nqf * n], NULL));
  }
  PetscCall(PetscFree(turned));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* psi[turns][Nqf][Nf]: the face's functions at the points that an element has there */
static PetscErrorCode PlexHDGSetTrace(PlexHDGReference R)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(R->turns * R->Nqf * R->Nf, &R->psi));
  PetscCall(PlexHDGReferenceFaceBasis(R, R->trace, R->psi));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* C[m][n] = sum_q w_q A[q][m] B[q][n] */
void PlexHDGReferenceMoments(PetscInt Nq, const PetscReal w[], PetscInt m, const PetscReal A[], PetscInt n,
                             const PetscReal B[], PetscReal C[])
{
  for (PetscInt k = 0; k < m * n; ++k) C[k] = 0.;
  for (PetscInt q = 0; q < Nq; ++q)
    for (PetscInt i = 0; i < m; ++i)
      for (PetscInt j = 0; j < n; ++j) C[i * n + j] += w[q] * A[q * m + i] * B[q * n + j];
}

/* C[m][n] = A[m][k] B[k][n], sums over k ascending, zeros of A left out; transposed: A[k][m] */
static void PlexHDGProduct(PetscInt m, PetscInt n, PetscInt k, PetscBool transposed, const PetscReal A[],
                           const PetscReal B[], PetscReal C[])
{
  for (PetscInt i = 0; i < m * n; ++i) C[i] = 0.;
  for (PetscInt s = 0; s < m * k; ++s) {
    const PetscInt  i = transposed ? s % m : s / k, l = transposed ? s / m : s % k;
    const PetscReal a = A[s];

    if (a != 0.)
      for (PetscInt j = 0; j < n; ++j) C[i * n + j] += a * B[l * n + j];
  }
}

/* S[n][n] = sum_q w_q dphi_i/dr_a dphi_j/dr_b, and for a < b the transposed besides */
PetscErrorCode PlexHDGReferenceStiffness(PlexHDGReference R, PetscInt n, const PetscReal dphi[], PetscReal S[])
{
  PetscInt   ab = 0;
  PetscReal *C;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n * n, &C));
  for (PetscInt a = 0; a < R->dim; ++a) {
    for (PetscInt b = a; b < R->dim; ++b, ++ab) {
      PlexHDGReferenceMoments(R->Nq, R->weights, n, &dphi[a * R->Nq * n], n, &dphi[b * R->Nq * n], C);
      for (PetscInt i = 0; i < n; ++i)
        for (PetscInt j = 0; j < n; ++j) S[(ab * n + i) * n + j] = a == b ? C[i * n + j] : C[i * n + j] + C[j * n + i];
    }
  }
  PetscCall(PetscFree(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (l_i, l_j') */
static PetscReal PlexHDGLegendreSlope(PetscInt i, PetscInt j)
{
  return j > i && (j - i) % 2 ? PetscSqrtReal((2. * i + 1.) * (2. * j + 1.)) : 0.;
}

/* (l_i', l_j') */
static PetscReal PlexHDGLegendreSlopes(PetscInt i, PetscInt j)
{
  const PetscInt m = PetscMin(i, j);

  return (i + j) % 2 ? 0. : 0.5 * PetscSqrtReal((2. * i + 1.) * (2. * j + 1.)) * m * (m + 1);
}

/* Function i of products of m Legendre polynomials a coordinate: index[dim] of these */
static void PlexHDGTensorIndex(PetscInt dim, PetscInt m, PetscInt i, PetscInt index[])
{
  for (PetscInt a = 0; a < dim; ++a, i /= m) index[a] = i % m;
}

static PetscInt PlexHDGTensorNumber(PetscInt dim, PetscInt m, const PetscInt index[])
{
  PetscInt i = 0;

  for (PetscInt a = dim; a-- > 0;) i = i * m + index[a];
  return i;
}

/* D[dim][n][Np] (f_i, d phi_j/dr_a) of products f of m Legendre polynomials a coordinate and those of degree P; slopes
   of f: (d f_i/dr_a, phi_j) */
static void PlexHDGTensorSlopes(PlexHDGReference R, PetscInt m, PetscInt n, PetscBool slopesOfF, PetscReal D[])
{
  for (PetscInt k = 0; k < R->dim * n * R->Np; ++k) D[k] = 0.;
  for (PetscInt a = 0; a < R->dim; ++a) {
    for (PetscInt i = 0; i < n; ++i) {
      PetscInt  index[3];
      PetscBool in = PETSC_TRUE;

      PlexHDGTensorIndex(R->dim, m, i, index);
      for (PetscInt b = 0; b < R->dim; ++b)
        if (b != a && index[b] > R->P) in = PETSC_FALSE;
      for (PetscInt j = 0, f = index[a]; in && j <= R->P; ++j) {
        index[a]                                                              = j;
        D[(a * n + i) * R->Np + PlexHDGTensorNumber(R->dim, R->P + 1, index)] = slopesOfF ? PlexHDGLegendreSlope(j, f)
                                                                                          : PlexHDGLegendreSlope(f, j);
      }
    }
  }
}

/* S[nab][n][n] as PlexHDGReferenceStiffness() has it, of products of m Legendre polynomials a coordinate */
static void PlexHDGTensorStiffness(PlexHDGReference R, PetscInt m, PetscInt n, PetscReal S[])
{
  PetscInt ab = 0;

  for (PetscInt k = 0; k < R->nab * n * n; ++k) S[k] = 0.;
  for (PetscInt a = 0; a < R->dim; ++a) {
    for (PetscInt b = a; b < R->dim; ++b, ++ab) {
      for (PetscInt i = 0; i < n; ++i) {
        PetscInt own[3], other[3];

        PlexHDGTensorIndex(R->dim, m, i, own);
        PlexHDGTensorIndex(R->dim, m, i, other);
        for (PetscInt k = 0; k < (a == b ? m : m * m); ++k) {
          PetscReal value;

          other[a] = k % m;
          if (a == b) value = PlexHDGLegendreSlopes(own[a], other[a]);
          else {
            other[b] = k / m;
            value    = PlexHDGLegendreSlope(other[a], own[a]) * PlexHDGLegendreSlope(own[b], other[b]) +
                       PlexHDGLegendreSlope(own[a], other[a]) * PlexHDGLegendreSlope(other[b], own[b]);
          }
          S[(ab * n + i) * n + PlexHDGTensorNumber(R->dim, m, other)] = value;
        }
      }
    }
  }
}

/* S = D_a D_b^T: functions of degree P do not always have derivatives' traces in their space, so this is no stiffness
   matrix of moments alone, but that of the derivatives' projections; the functions are orthonormal */
static PetscErrorCode PlexHDGSetProducts(PlexHDGReference R)
{
  const PetscInt Np = R->Np;
  PetscInt       ab = 0;
  PetscReal     *Dt;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(R->dim * Np * Np, &Dt));
  for (PetscInt a = 0; a < R->dim; ++a) {
    for (PetscInt i = 0; i < Np; ++i)
      for (PetscInt j = 0; j < Np; ++j) Dt[(a * Np + j) * Np + i] = R->D[(a * Np + i) * Np + j];
  }
  for (PetscInt a = 0; a < R->dim; ++a) {
    for (PetscInt b = a; b < R->dim; ++b, ++ab) {
      PetscReal *S = &R->S[ab * Np * Np];

      PlexHDGProduct(Np, Np, Np, PETSC_FALSE, &R->D[a * Np * Np], &Dt[b * Np * Np], S);
      for (PetscInt i = 0; a != b && i < Np; ++i) {
        for (PetscInt j = 0; j <= i; ++j) S[i * Np + j] = S[j * Np + i] = S[i * Np + j] + S[j * Np + i];
      }
    }
  }
  PetscCall(PetscFree(Dt));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* D, E, Spost, Ppost by quadrature */
static PetscErrorCode PlexHDGSetMoments(PlexHDGReference R)
{
  const PetscInt Np = R->Np;

  PetscFunctionBegin;
  for (PetscInt a = 0; a < R->dim; ++a) {
    PlexHDGReferenceMoments(R->Nq, R->weights, Np, R->phi, Np, &R->dphi[a * R->Nq * Np], &R->D[a * Np * Np]);
    PlexHDGReferenceMoments(R->Nq, R->weights, R->Npost, &R->dphiPost[a * R->Nq * R->Npost], Np, R->phi,
                            &R->Ppost[a * R->Npost * Np]);
  }
  for (PetscInt f = 0; f < R->faces; ++f) {
    const PetscReal *phi = &R->phiFace[f * R->Nqf * Np];

    PlexHDGReferenceMoments(R->Nqf, R->weightsFace, Np, phi, Np, phi, &R->E[f * Np * Np]);
  }
  PetscCall(PlexHDGReferenceStiffness(R, R->Npost, R->dphiPost, R->Spost));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same of products of Legendre polynomials, and F without what rounding has made of zeros: on a face all functions
   are among its own, E = F F^T */
static PetscErrorCode PlexHDGSetTensorMoments(PlexHDGReference R)
{
  const PetscInt Np = R->Np, Nf = R->Nf;
  PetscReal     *Ft;

  PetscFunctionBegin;
  PlexHDGTensorSlopes(R, R->P + 1, Np, PETSC_FALSE, R->D);
  PlexHDGTensorSlopes(R, R->P + 2, R->Npost, PETSC_TRUE, R->Ppost);
  PlexHDGTensorStiffness(R, R->P + 2, R->Npost, R->Spost);
  for (PetscInt k = 0; k < R->faces * R->turns * Np * Nf; ++k)
    if (PetscAbsReal(R->F[k]) < 1e-12) R->F[k] = 0.;
  PetscCall(PetscMalloc1(Nf * Np, &Ft));
  for (PetscInt f = 0; f < R->faces; ++f) {
    const PetscReal *F = &R->F[f * R->turns * Np * Nf];

    for (PetscInt i = 0; i < Np; ++i)
      for (PetscInt m = 0; m < Nf; ++m) Ft[m * Np + i] = F[i * Nf + m];
    PlexHDGProduct(Np, Np, Nf, PETSC_FALSE, F, Ft, &R->E[f * Np * Np]);
  }
  PetscCall(PetscFree(Ft));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* T of the pairs of faces that some element has as it sees them */
static PetscErrorCode PlexHDGSetFaceProducts(PlexHDGReference R, PetscInt Ne, const int turns[])
{
  const PetscInt Nf = R->Nf, Np = R->Np, pairs = R->faces * R->turns;
  PetscBool     *occurs;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(pairs * pairs, &occurs));
  for (PetscInt e = 0; e < Ne; ++e) {
    const int *t = &turns[e * R->faces];

    for (PetscInt f = 0; f < R->faces; ++f)
      for (PetscInt g = 0; g < R->faces; ++g) occurs[(f * R->turns + t[f]) * pairs + g * R->turns + t[g]] = PETSC_TRUE;
  }
  for (PetscInt k = 0; k < pairs; ++k) /* and faces as the first way has them: squares.c */
    for (PetscInt l = 0; l < pairs; ++l)
      if (occurs[k * pairs + l] || (k % R->turns == 0 && l % R->turns == 0))
        PlexHDGProduct(Nf, Nf, Np, PETSC_TRUE, &R->F[k * Np * Nf], &R->F[l * Np * Nf],
                       &R->T[(size_t)(k * pairs + l) * Nf * Nf]);
  PetscCall(PetscFree(occurs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGReferenceSetTables(PlexHDGReference R, PetscInt Ne, const int turns[])
{
  const PetscInt Np = R->Np, Nf = R->Nf, pairs = R->faces * R->turns;

  PetscFunctionBegin;
  PetscCall(PetscMalloc4(R->dim * Np * Np, &R->D, R->nab * Np * Np, &R->S, R->faces * Np * Np, &R->E, pairs * Np * Nf,
                         &R->F));
  PetscCall(PetscMalloc3(R->dim * pairs * Np * Nf, &R->H, R->nab * R->Npost * R->Npost, &R->Spost,
                         R->dim * R->Npost * Np, &R->Ppost));
  PetscCall(PetscCalloc1(PetscSqr(pairs * Nf), &R->T));
  for (PetscInt f = 0; f < R->faces; ++f)
    for (PetscInt t = 0; t < R->turns; ++t)
      PlexHDGReferenceMoments(R->Nqf, R->weightsFace, Np, &R->phiFace[f * R->Nqf * Np], Nf, &R->psi[t * R->Nqf * Nf],
                              &R->F[(f * R->turns + t) * Np * Nf]);
  if (PlexCellIsSimplex(R->cell)) PetscCall(PlexHDGSetMoments(R));
  else PetscCall(PlexHDGSetTensorMoments(R));
  PetscCall(PlexHDGSetProducts(R));
  for (PetscInt a = 0; a < R->dim; ++a)
    for (PetscInt k = 0; k < pairs; ++k)
      PlexHDGProduct(Np, Nf, Np, PETSC_FALSE, &R->D[a * Np * Np], &R->F[k * Np * Nf], &R->H[(a * pairs + k) * Np * Nf]);
  PetscCall(PlexHDGSetFaceProducts(R, Ne, turns));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGReferenceSetTurns(PlexHDGReference R, const PetscBool occurs[], int number[])
{
  PetscFunctionBegin;
  R->turns = 0;
  for (PetscInt t = 0; t < R->allTurns; ++t) {
    if (!occurs[t]) continue;
    number[t]             = (int)R->turns;
    R->turnOf[R->turns++] = t;
  }
  PetscCall(PlexHDGSetTrace(R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGReferenceSetSizes(PlexHDGReference R, DMPolytopeType cell, PetscInt P, PetscInt trace)
{
  PetscFunctionBegin;
  R->cell     = cell;
  R->face     = PlexHDGFaceType(cell);
  R->dim      = DMPolytopeTypeGetDim(cell);
  R->P        = P;
  R->trace    = trace;
  R->Np       = PlexHDGBasisSize(cell, P);
  R->Npost    = PlexHDGBasisSize(cell, P + 1);
  R->Nf       = PlexHDGBasisSize(R->face, trace);
  R->faces    = DMPolytopeTypeGetConeSize(cell);
  R->allTurns = R->face == DM_POLYTOPE_SEGMENT ? 2 : R->face == DM_POLYTOPE_TRIANGLE ? 6 : 8;
  R->Nt       = R->faces * R->Nf;
  R->nab      = R->dim * (R->dim + 1) / 2;
  for (PetscInt a = 0; a <= R->dim; ++a) R->axes[a] = PlexCellAxes[PlexCellNumber(cell)][a];
  PlexHDGSetNormals(R);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGReferenceCreateTrace(DMPolytopeType cell, PetscInt P, PetscInt trace, PlexHDGReference *reference)
{
  PlexHDGReference R;

  PetscFunctionBegin;
  PetscCall(PetscNew(&R));
  *reference = R;
  PetscCall(PlexHDGReferenceSetSizes(R, cell, P, trace));
  PetscCall(PlexHDGQuadrature(cell, P + 2, &R->Nq, &R->points, &R->weights));
  PetscCall(PlexHDGQuadrature(R->face, trace + 2, &R->Nqf, &R->pointsTrace, &R->weightsFace));
  PetscCall(PetscMalloc4(R->Nq * R->Np, &R->phi, R->dim * R->Nq * R->Np, &R->dphi, R->Nq * R->Npost, &R->phiPost,
                         R->dim * R->Nq * R->Npost, &R->dphiPost));
  PetscCall(PetscMalloc2(R->faces * R->Nqf * R->dim, &R->pointsFace, R->faces * R->Nqf * R->Np, &R->phiFace));
  PetscCall(PlexHDGBasis(cell, P, R->Nq, R->points, R->phi, R->dphi));
  PetscCall(PlexHDGBasis(cell, P + 1, R->Nq, R->points, R->phiPost, R->dphiPost));
  for (PetscInt f = 0; f < R->faces; ++f) {
    PetscCall(PlexHDGFacePoints(cell, f, R->Nqf, R->pointsTrace, &R->pointsFace[f * R->Nqf * R->dim]));
    PetscCall(PlexHDGBasis(cell, P, R->Nqf, &R->pointsFace[f * R->Nqf * R->dim], &R->phiFace[f * R->Nqf * R->Np],
                           NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGReferenceCreate(DMPolytopeType cell, PetscInt P, PlexHDGReference *reference)
{
  PetscFunctionBegin;
  PetscCall(PlexHDGReferenceCreateTrace(cell, P, P, reference));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGReferenceDestroy(PlexHDGReference *reference)
{
  PlexHDGReference R = *reference;

  PetscFunctionBegin;
  if (!R) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree(R->points));
  PetscCall(PetscFree(R->weights));
  PetscCall(PetscFree(R->pointsTrace));
  PetscCall(PetscFree(R->weightsFace));
  PetscCall(PetscFree4(R->phi, R->dphi, R->phiPost, R->dphiPost));
  PetscCall(PetscFree2(R->pointsFace, R->phiFace));
  PetscCall(PetscFree(R->psi));
  PetscCall(PetscFree4(R->D, R->S, R->E, R->F));
  PetscCall(PetscFree3(R->H, R->Spost, R->Ppost));
  PetscCall(PetscFree(R->T));
  PetscCall(PetscFree(*reference));
  PetscFunctionReturn(PETSC_SUCCESS);
}
