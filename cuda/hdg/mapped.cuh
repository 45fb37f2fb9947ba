// Elements that are not affine: everything by quadrature, geometry at the points once an element.
//
// With Y_k = [D_k^T | F~_k] and the functions chi = (phi, psi) of the element and its faces the matrix is sum_f tau_f
// <chi, chi>_f + lambda M + sum_kl kappa_kl Y_k^T M^-1 Y_l. M and the rows of all Y_k^T are eliminated together, which
// leaves X_k^T = Y_k^T L^-T; kappa = c c^T.
#pragma once

#define PLEX_HDG_FACE_POINTS (PLEX_HDG_FACES * PLEX_HDG_NQF)
#define PLEX_HDG_LDM         (PLEX_HDG_NP | 1)

// The numbers of an element, at the beginning of its workspace
struct PlexHDGGeometry {
  double reaction;
  double kappa[PLEX_DIM * PLEX_DIM];
  double tau[PLEX_HDG_FACES];
  double w[PLEX_HDG_NQ];                       // weight times determinant
  double rx[PLEX_HDG_NQ][PLEX_DIM * PLEX_DIM]; // dr_a/dx_d
  double wn[PLEX_HDG_FACE_POINTS][PLEX_DIM];   // weight times normal
  double ws[PLEX_HDG_FACE_POINTS];             // its length
  int    turn[PLEX_HDG_FACES];
  int    element;
};
static_assert(sizeof(PlexHDGGeometry) <= 8 * PLEX_HDG_GEOMETRY, "workspace");

// The map's inverse Jacobian from gradients of the coordinates' functions at a point; returns the determinant
PLEX_DEVICE double plex_hdg_map(const PlexHDGArgs &args, int e, const double *dshape, double (*rx)[3])
{
  const double *x       = args.x + (plex_index)e * PLEX_HDG_NV * PLEX_DIM;
  double        J[3][3] = {};

  for (int v = 0; v < PLEX_HDG_NV; ++v)
    for (int d = 0; d < PLEX_DIM; ++d)
      for (int a = 0; a < PLEX_DIM; ++a) J[d][a] += dshape[v * PLEX_DIM + a] * x[v * PLEX_DIM + d];
  return plex_hdg_invert(J, rx);
}

PLEX_DEVICE void plex_hdg_geometry(const PlexHDGArgs &args, int e, PlexHDGGeometry *g)
{
  if (!PLEX_HDG_LANE) {
    g->reaction = args.reaction[e] + args.shift;
    g->element  = e;
  }
  PLEX_HDG_EACH(k, PLEX_DIM * PLEX_DIM) g->kappa[k] = args.kappa[(plex_index)e * PLEX_DIM * PLEX_DIM + k];
  PLEX_HDG_EACH(f, PLEX_HDG_FACES)
  {
    g->tau[f]  = args.tau[(plex_index)e * PLEX_HDG_FACES + f];
    g->turn[f] = args.turns[(plex_index)e * PLEX_HDG_FACES + f];
  }
  PLEX_HDG_EACH(q, PLEX_HDG_NQ)
  {
    double rx[3][3];

    g->w[q] = args.weights[q] * plex_hdg_map(args, e, args.dshape + q * PLEX_HDG_NV * PLEX_DIM, rx);
    for (int a = 0; a < PLEX_DIM; ++a)
      for (int d = 0; d < PLEX_DIM; ++d) g->rx[q][a * PLEX_DIM + d] = rx[a][d];
  }
  PLEX_HDG_EACH(k, PLEX_HDG_FACE_POINTS)
  {
    double       rx[3][3], N[3];
    const double det    = plex_hdg_map(args, e, args.dshapeFace + k * PLEX_HDG_NV * PLEX_DIM, rx),
                 weight = args.weightsFace[k % PLEX_HDG_NQF];

    g->ws[k] = weight * plex_hdg_normal(k / PLEX_HDG_NQF, det, rx, N);
    for (int d = 0; d < PLEX_DIM; ++d) g->wn[k][d] = weight * N[d];
  }
  plex_hdg_sync();
}

// d phi_i/dx_k at point q, of n functions
PLEX_DEVICE double plex_hdg_gradient(const PlexHDGGeometry *g, const double *dphi, int n, int q, int i, int k)
{
  double sum = 0;

  for (int a = 0; a < PLEX_DIM; ++a) sum += g->rx[q][a * PLEX_DIM + k] * dphi[(a * PLEX_HDG_NQ + q) * n + i];
  return sum;
}

// M[NP][NP], all of it
PLEX_DEVICE void plex_hdg_mass(const PlexHDGArgs &args, const PlexHDGGeometry *g, double *M)
{
  PLEX_HDG_EACH(k, PLEX_HDG_NP * PLEX_HDG_NP)
  {
    const int i = k / PLEX_HDG_NP, j = k % PLEX_HDG_NP;
    double    sum = 0;

    for (int q = 0; q < PLEX_HDG_NQ; ++q)
      sum += g->w[q] * args.phi[q * PLEX_HDG_NP + i] * args.phi[q * PLEX_HDG_NP + j];
    M[i * PLEX_HDG_LDM + j] = sum;
  }
}

PLEX_DEVICE const double *plex_hdg_psi(const PlexHDGArgs &args, const PlexHDGGeometry *g, int f)
{
  return args.psi + g->turn[f] * PLEX_HDG_NQF * PLEX_HDG_NF;
}

#if PLEX_HDG_POINT
  // Fluxes of all coordinates together: kappa^-1 couples them
  #define PLEX_HDG_DNP (PLEX_DIM * PLEX_HDG_NP)
  #define PLEX_HDG_LDB (PLEX_HDG_DNP | 1)

PLEX_DEVICE const double *plex_hdg_point(const double *values, const PlexHDGGeometry *g, int q)
{
  return values + ((plex_index)g->element * PLEX_HDG_NQ + q) * PLEX_DIM * PLEX_DIM;
}

// B[(k, i)][(l, j)] = (kappa^-1_kl phi_i, phi_j), the lower triangle
PLEX_DEVICE void plex_hdg_mass_kappa(const PlexHDGArgs &args, const PlexHDGGeometry *g, double *B)
{
  PLEX_HDG_EACH(s, PLEX_HDG_DNP * PLEX_HDG_DNP)
  {
    const int row = s / PLEX_HDG_DNP, column = s % PLEX_HDG_DNP, k = row / PLEX_HDG_NP, l = column / PLEX_HDG_NP;
    double    sum = 0;

    if (column > row) continue;
    for (int q = 0; q < PLEX_HDG_NQ; ++q)
      sum += g->w[q] * plex_hdg_point(args.kinv, g, q)[k * PLEX_DIM + l] *
             args.phi[q * PLEX_HDG_NP + row % PLEX_HDG_NP] * args.phi[q * PLEX_HDG_NP + column % PLEX_HDG_NP];
    B[row * PLEX_HDG_LDB + column] = sum;
  }
}
#endif

// Rows k N + j of Y: column j of Y_k; where kappa is given pointwise row j: those of all k one after the other
PLEX_DEVICE void plex_hdg_form_Y(const PlexHDGArgs &args, const PlexHDGGeometry *g, double *Y)
{
  PLEX_HDG_EACH(s, PLEX_DIM * PLEX_HDG_N * PLEX_HDG_NP)
  {
    const int k = s / (PLEX_HDG_N * PLEX_HDG_NP), j = s / PLEX_HDG_NP % PLEX_HDG_N, i = s % PLEX_HDG_NP;
    double    sum = 0;

    if (j < PLEX_HDG_NP) {
      for (int q = 0; q < PLEX_HDG_NQ; ++q)
        sum += g->w[q] * args.phi[q * PLEX_HDG_NP + j] * plex_hdg_gradient(g, args.dphi, PLEX_HDG_NP, q, i, k);
    } else {
      const int     f = (j - PLEX_HDG_NP) / PLEX_HDG_NF, m = (j - PLEX_HDG_NP) % PLEX_HDG_NF;
      const double *psi = plex_hdg_psi(args, g, f);

      for (int q = 0; q < PLEX_HDG_NQF; ++q)
        sum += g->wn[f * PLEX_HDG_NQF + q][k] * args.phiFace[(f * PLEX_HDG_NQF + q) * PLEX_HDG_NP + i] *
               psi[q * PLEX_HDG_NF + m];
    }
#if PLEX_HDG_POINT
    Y[j * PLEX_HDG_LDB + k * PLEX_HDG_NP + i] = sum;
#else
    Y[s / PLEX_HDG_NP * PLEX_HDG_LDM + i] = sum;
#endif
  }
}

// chi_i chi_j of face f, weighted: functions of other faces are zero there
PLEX_DEVICE double plex_hdg_face_product(const PlexHDGArgs &args, const PlexHDGGeometry *g, int f, int i, int j)
{
  const double *psi = plex_hdg_psi(args, g, f), *phi = args.phiFace + f * PLEX_HDG_NQF * PLEX_HDG_NP;
  double        sum = 0;

  if (i >= PLEX_HDG_NP && (i - PLEX_HDG_NP) / PLEX_HDG_NF != f) return 0;
  if (j >= PLEX_HDG_NP && (j - PLEX_HDG_NP) / PLEX_HDG_NF != f) return 0;
  for (int q = 0; q < PLEX_HDG_NQF; ++q) {
    const double a = i < PLEX_HDG_NP ? phi[q * PLEX_HDG_NP + i]
                                     : psi[q * PLEX_HDG_NF + (i - PLEX_HDG_NP) % PLEX_HDG_NF],
                 b = j < PLEX_HDG_NP ? phi[q * PLEX_HDG_NP + j]
                                     : psi[q * PLEX_HDG_NF + (j - PLEX_HDG_NP) % PLEX_HDG_NF];

    sum += g->ws[f * PLEX_HDG_NQF + q] * a * b;
  }
  return sum;
}

// c[DIM][DIM], the lower triangle: kappa = c c^T
PLEX_DEVICE void plex_hdg_root(const double *kappa, double (*c)[3])
{
  for (int i = 0; i < PLEX_DIM; ++i) {
    for (int j = 0; j <= i; ++j) {
      double sum = kappa[i * PLEX_DIM + j];

      for (int k = 0; k < j; ++k) sum -= c[i][k] * c[j][k];
#if PLEX_HDG_CONVECTION
      c[i][j] = i == j ? sqrt(sum) : c[j][j] > 0 ? sum / c[j][j] : 0; // kappa may be zero
#else
      c[i][j] = i == j ? sqrt(sum) : sum / c[j][j];
#endif
    }
  }
}

// sum_f tau_f <chi_i, chi_j>_f + lambda (phi_i, phi_j)
PLEX_DEVICE double plex_hdg_form_A(const PlexHDGArgs &args, const PlexHDGGeometry *g, int i, int j)
{
  double sum = 0;

  for (int q = 0; i < PLEX_HDG_NP && j < PLEX_HDG_NP && q < PLEX_HDG_NQ; ++q)
    sum += g->reaction * g->w[q] * args.phi[q * PLEX_HDG_NP + i] * args.phi[q * PLEX_HDG_NP + j];
  for (int f = 0; f < PLEX_HDG_FACES; ++f) sum += g->tau[f] * plex_hdg_face_product(args, g, f, i, j);
  return sum;
}

#if PLEX_HDG_POINT
  #define PLEX_HDG_BUILD_WORK ((PLEX_HDG_DNP + PLEX_HDG_N) * PLEX_HDG_LDB)

// As below, with Y^T B^-1 Y in the place of the sum over k and l
PLEX_DEVICE void plex_hdg_build(const PlexHDGArgs &args, const PlexHDGGeometry *g, double *A, int LD, double *work)
{
  double *B = work, *Y = work + PLEX_HDG_DNP * PLEX_HDG_LDB;

  plex_hdg_mass_kappa(args, g, B);
  plex_hdg_form_Y(args, g, Y);
  plex_hdg_sync();
  plex_hdg_eliminate(B, PLEX_HDG_LDB, PLEX_HDG_DNP + PLEX_HDG_N, PLEX_HDG_DNP, PLEX_HDG_DNP);
  PLEX_HDG_EACH(k, PLEX_HDG_N * PLEX_HDG_N)
  {
    const int i = k / PLEX_HDG_N, j = k % PLEX_HDG_N;
    double    sum;

    if (j > i) continue;
    sum = plex_hdg_form_A(args, g, i, j);
    for (int p = 0; p < PLEX_HDG_DNP; ++p) sum += Y[i * PLEX_HDG_LDB + p] * Y[j * PLEX_HDG_LDB + p];
    A[i * LD + j] = sum;
  }
  plex_hdg_sync();
}
#else
  #define PLEX_HDG_BUILD_WORK ((PLEX_HDG_NP + PLEX_DIM * PLEX_HDG_N) * PLEX_HDG_LDM)

PLEX_DEVICE void plex_hdg_build(const PlexHDGArgs &args, const PlexHDGGeometry *g, double *A, int LD, double *work)
{
  double *M = work, *Y = work + PLEX_HDG_NP * PLEX_HDG_LDM, c[3][3];

  plex_hdg_mass(args, g, M);
  plex_hdg_form_Y(args, g, Y);
  plex_hdg_sync();
  PLEX_HDG_EACH(k, PLEX_HDG_N * PLEX_HDG_N)
  {
    const int i = k / PLEX_HDG_N, j = k % PLEX_HDG_N;
    double    sum = 0;

    if (j > i) continue;
    if (i < PLEX_HDG_NP) sum = g->reaction * M[i * PLEX_HDG_LDM + j];
    for (int f = 0; f < PLEX_HDG_FACES; ++f) sum += g->tau[f] * plex_hdg_face_product(args, g, f, i, j);
    A[i * LD + j] = sum;
  }
  plex_hdg_sync();
  plex_hdg_eliminate(M, PLEX_HDG_LDM, PLEX_HDG_NP + PLEX_DIM * PLEX_HDG_N, PLEX_HDG_NP, PLEX_HDG_NP);
  plex_hdg_root(g->kappa, c);
  PLEX_HDG_EACH(s, PLEX_HDG_N * PLEX_HDG_NP)
  {
    double *y = Y + s / PLEX_HDG_NP * PLEX_HDG_LDM + s % PLEX_HDG_NP;

    for (int m = 0; m < PLEX_DIM; ++m) {
      double sum = 0;

      for (int k = m; k < PLEX_DIM; ++k) sum += c[k][m] * y[k * PLEX_HDG_N * PLEX_HDG_LDM];
      y[m * PLEX_HDG_N * PLEX_HDG_LDM] = sum;
    }
  }
  plex_hdg_sync();
  PLEX_HDG_EACH(k, PLEX_HDG_N * PLEX_HDG_N)
  {
    const int i = k / PLEX_HDG_N, j = k % PLEX_HDG_N;
    double    sum = 0;

    if (j > i) continue;
    for (int m = 0; m < PLEX_DIM; ++m)
      for (int p = 0; p < PLEX_HDG_NP; ++p)
        sum += Y[(m * PLEX_HDG_N + i) * PLEX_HDG_LDM + p] * Y[(m * PLEX_HDG_N + j) * PLEX_HDG_LDM + p];
    A[i * LD + j] += sum;
  }
  plex_hdg_sync();
}
#endif

#if PLEX_HDG_KEPT
  #define PLEX_HDG_LOCAL_ROWS    (PLEX_HDG_NP + 1)
  #define PLEX_HDG_LOCAL_COLUMNS PLEX_HDG_NP
#else
  #define PLEX_HDG_LOCAL_ROWS    PLEX_HDG_N
  #define PLEX_HDG_LOCAL_COLUMNS PLEX_HDG_N
#endif
#if PLEX_HDG_POINT
  #define PLEX_HDG_FLUX_VECTORS ((PLEX_HDG_DNP + 1) * PLEX_HDG_LDB) // where values at points follow
#else
  #define PLEX_HDG_FLUX_VECTORS ((PLEX_HDG_NP + PLEX_DIM) * PLEX_HDG_LDM)
#endif
#define PLEX_HDG_FLUX_ONLY (PLEX_HDG_FLUX_VECTORS + PLEX_HDG_NQ + 2 * PLEX_HDG_FACE_POINTS)
#if PLEX_HDG_KEPT
  #define PLEX_HDG_FLUX_WORK PLEX_HDG_FLUX_ONLY
#else
  #define PLEX_HDG_FLUX_WORK (PLEX_HDG_FLUX_ONLY > PLEX_HDG_BUILD_WORK ? PLEX_HDG_FLUX_ONLY : PLEX_HDG_BUILD_WORK)
#endif

// S into A, and f + R trace into its row NP, in the place of R
PLEX_DEVICE void plex_hdg_build_local(const PlexHDGArgs &args, const PlexHDGGeometry *g, int e, const double *trace,
                                      double *A, int LD, double *work)
{
  plex_hdg_build(args, g, A, LD, work);
  PLEX_HDG_EACH(i, PLEX_HDG_NP)
  {
    double sum = args.f ? args.f[(plex_index)e * PLEX_HDG_NP + i] : 0;

    for (int t = 0; t < PLEX_HDG_NT; ++t) sum += A[(PLEX_HDG_NP + t) * LD + i] * trace[t];
    A[PLEX_HDG_NP * LD + i] = sum;
  }
  plex_hdg_sync();
}

// q = kappa M^-1 (<trace n, phi> - (u, grad phi)), b_f = <psi, tau (u - trace) - q . n>
PLEX_DEVICE void plex_hdg_flux(const PlexHDGArgs &args, const PlexHDGGeometry *g, const double *u, const double *trace,
                               double *q, double *b, double *work)
{
#if PLEX_HDG_POINT
  double *M = work, *t = work + PLEX_HDG_DNP * PLEX_HDG_LDB;
#else
  double *M = work, *t = work + PLEX_HDG_NP * PLEX_HDG_LDM;
#endif
  /* [DIM] rows, [NQ], [FACE_POINTS] twice */
  double *uq = work + PLEX_HDG_FLUX_VECTORS, *tq = uq + PLEX_HDG_NQ, *vq = tq + PLEX_HDG_FACE_POINTS;

  PLEX_HDG_EACH(p, PLEX_HDG_NQ + PLEX_HDG_FACE_POINTS)
  {
    double sum = 0;

    if (p < PLEX_HDG_NQ)
      for (int i = 0; i < PLEX_HDG_NP; ++i) sum += args.phi[p * PLEX_HDG_NP + i] * u[i];
    else {
      const int f = (p - PLEX_HDG_NQ) / PLEX_HDG_NQF;

      for (int m = 0; m < PLEX_HDG_NF; ++m)
        sum += plex_hdg_psi(args, g, f)[(p - PLEX_HDG_NQ) % PLEX_HDG_NQF * PLEX_HDG_NF + m] *
               trace[f * PLEX_HDG_NF + m];
    }
    uq[p] = p < PLEX_HDG_NQ ? g->w[p] * sum : sum;
  }
#if PLEX_HDG_POINT
  plex_hdg_mass_kappa(args, g, M);
#else
  plex_hdg_mass(args, g, M);
#endif
  plex_hdg_sync();
  PLEX_HDG_EACH(i, PLEX_HDG_NP)
  {
    double sum[PLEX_DIM] = {};

    for (int l = 0; l < PLEX_DIM; ++l) {
      for (int p = 0; p < PLEX_HDG_NQ; ++p) sum[l] -= uq[p] * plex_hdg_gradient(g, args.dphi, PLEX_HDG_NP, p, i, l);
      for (int p = 0; p < PLEX_HDG_FACE_POINTS; ++p) sum[l] += g->wn[p][l] * args.phiFace[p * PLEX_HDG_NP + i] * tq[p];
    }
#if PLEX_HDG_POINT
    for (int k = 0; k < PLEX_DIM; ++k) t[k * PLEX_HDG_NP + i] = sum[k];
#else
    for (int k = 0; k < PLEX_DIM; ++k) {
      double v = 0;

      for (int l = 0; l < PLEX_DIM; ++l) v += g->kappa[k * PLEX_DIM + l] * sum[l];
      t[k * PLEX_HDG_LDM + i] = v;
    }
#endif
  }
  plex_hdg_sync();
#if PLEX_HDG_POINT
  plex_hdg_eliminate(M, PLEX_HDG_LDB, PLEX_HDG_DNP + 1, PLEX_HDG_DNP, PLEX_HDG_DNP);
  plex_hdg_backward(M, PLEX_HDG_LDB, PLEX_HDG_DNP, t);
  PLEX_HDG_EACH(s, PLEX_HDG_DNP) q[s] = t[s];
#else
  plex_hdg_eliminate(M, PLEX_HDG_LDM, PLEX_HDG_NP + PLEX_DIM, PLEX_HDG_NP, PLEX_HDG_NP);
  for (int k = 0; k < PLEX_DIM; ++k) plex_hdg_backward(M, PLEX_HDG_LDM, PLEX_HDG_NP, t + k * PLEX_HDG_LDM);
  PLEX_HDG_EACH(s, PLEX_DIM * PLEX_HDG_NP) q[s] = t[s / PLEX_HDG_NP * PLEX_HDG_LDM + s % PLEX_HDG_NP];
#endif
  plex_hdg_sync();
  PLEX_HDG_EACH(p, PLEX_HDG_FACE_POINTS)
  {
    const double *phi = args.phiFace + p * PLEX_HDG_NP;
    double        sum = 0;

    for (int i = 0; i < PLEX_HDG_NP; ++i) {
      double v = g->tau[p / PLEX_HDG_NQF] * g->ws[p] * u[i];

      for (int d = 0; d < PLEX_DIM; ++d) v -= g->wn[p][d] * q[d * PLEX_HDG_NP + i];
      sum += phi[i] * v;
    }
    vq[p] = sum - g->tau[p / PLEX_HDG_NQF] * g->ws[p] * tq[p];
  }
  plex_hdg_sync();
  PLEX_HDG_EACH(k, b ? PLEX_HDG_NT : 0)
  {
    const int f   = k / PLEX_HDG_NF;
    double    sum = 0;

    for (int p = 0; p < PLEX_HDG_NQF; ++p)
      sum += plex_hdg_psi(args, g, f)[p * PLEX_HDG_NF + k % PLEX_HDG_NF] * vq[f * PLEX_HDG_NQF + p];
    b[k] = sum;
  }
}

#define PLEX_HDG_RESIDUAL_WORK (PLEX_HDG_NQ * (PLEX_DIM + 1)) // doubles besides those of the flux

// r_i = (grad phi_i, q) + <phi_i, tau (u - trace) - q . n> + (phi_i, lambda u + ut) - f_i, after plex_hdg_flux() has
// left values at points in its workspace. r NULL: not wanted
PLEX_DEVICE void plex_hdg_residual_u(const PlexHDGArgs &args, const PlexHDGGeometry *g, int e, const double *u,
                                     const double *ut, const double *trace, const double *q, double *r, double *work)
{
  const double *uq = work + PLEX_HDG_FLUX_VECTORS, *vq = uq + PLEX_HDG_NQ + PLEX_HDG_FACE_POINTS;
  double       *h = work + PLEX_HDG_FLUX_ONLY; // [NQ][DIM + 1] weighted q, lambda u + ut

  (void)u;
  (void)trace;
  PLEX_HDG_EACH(s, PLEX_HDG_NQ * (PLEX_DIM + 1))
  {
    const int     p = s / (PLEX_DIM + 1), d = s % (PLEX_DIM + 1);
    const double *c   = d < PLEX_DIM ? q + d * PLEX_HDG_NP : ut;
    double        sum = 0;

    for (int i = 0; i < PLEX_HDG_NP; ++i) sum += args.phi[p * PLEX_HDG_NP + i] * c[i];
    h[s] = g->w[p] * sum + (d < PLEX_DIM ? 0 : g->reaction * uq[p]);
  }
  plex_hdg_sync();
  PLEX_HDG_EACH(i, r ? PLEX_HDG_NP : 0)
  {
    double sum = args.f ? -args.f[(plex_index)e * PLEX_HDG_NP + i] : 0;

    for (int p = 0; p < PLEX_HDG_FACE_POINTS; ++p) sum += args.phiFace[p * PLEX_HDG_NP + i] * vq[p];
    for (int p = 0; p < PLEX_HDG_NQ; ++p) {
      sum += args.phi[p * PLEX_HDG_NP + i] * h[p * (PLEX_DIM + 1) + PLEX_DIM];
      for (int d = 0; d < PLEX_DIM; ++d)
        sum += h[p * (PLEX_DIM + 1) + d] * plex_hdg_gradient(g, args.dphi, PLEX_HDG_NP, p, i, d);
    }
    r[i] = sum;
  }
}

#define PLEX_HDG_POST_WORK (PLEX_HDG_NQ * PLEX_DIM * (PLEX_DIM + 1))

// Stiffness of the functions of degree P + 1 but for the constant, lower triangle, and in the row below (q, grad phi*);
// means[NPOST] of the functions, then that of u
PLEX_DEVICE void plex_hdg_build_post(const PlexHDGArgs &args, const PlexHDGGeometry *g, const double *u,
                                     const double *q, double *A, int LD, double *means, double *work)
{
  const int n = PLEX_HDG_NPOST - 1;
  double   *G = work, *h = work + PLEX_HDG_NQ * PLEX_DIM * PLEX_DIM; // w r_a . kappa r_b, w r_a . q at the points

  PLEX_HDG_EACH(s, PLEX_HDG_NQ * PLEX_DIM)
  {
    const int p = s / PLEX_DIM, a = s % PLEX_DIM;
    double    sum = 0;

#if PLEX_HDG_POINT
    const double *kappa = plex_hdg_point(args.kappaq, g, p);
#else
    const double *kappa = g->kappa;
#endif
#if PLEX_HDG_CONVECTION
    const bool still = plex_hdg_is_zero(kappa); // grad u in place of q, and of kappa 1: u* is u
#endif

    for (int b = 0; b < PLEX_DIM; ++b)
      G[s * PLEX_DIM + b] = g->w[p] * plex_hdg_dot(kappa, &g->rx[p][a * PLEX_DIM], &g->rx[p][b * PLEX_DIM]);
#if PLEX_HDG_CONVECTION
    for (int b = 0; still && b < PLEX_DIM; ++b) {
      double v = 0;

      for (int d = 0; d < PLEX_DIM; ++d) v += g->rx[p][a * PLEX_DIM + d] * g->rx[p][b * PLEX_DIM + d];
      G[s * PLEX_DIM + b] = g->w[p] * v;
      for (int i = 0; i < PLEX_HDG_NP; ++i) sum += v * args.dphi[(b * PLEX_HDG_NQ + p) * PLEX_HDG_NP + i] * u[i];
    }
    for (int d = 0; !still && d < PLEX_DIM; ++d)
#else
    for (int d = 0; d < PLEX_DIM; ++d)
#endif
      for (int i = 0; i < PLEX_HDG_NP; ++i)
        sum += g->rx[p][a * PLEX_DIM + d] * args.phi[p * PLEX_HDG_NP + i] * q[d * PLEX_HDG_NP + i];
    h[s] = g->w[p] * sum;
  }
  PLEX_HDG_EACH(k, PLEX_HDG_NPOST + 1)
  {
    double sum = 0;

    for (int p = 0; p < PLEX_HDG_NQ; ++p) {
      double v = k < PLEX_HDG_NPOST ? args.phiPost[p * PLEX_HDG_NPOST + k] : 0;

      for (int i = 0; k == PLEX_HDG_NPOST && i < PLEX_HDG_NP; ++i) v += args.phi[p * PLEX_HDG_NP + i] * u[i];
      sum += g->w[p] * v;
    }
    means[k] = sum;
  }
  plex_hdg_sync();
  PLEX_HDG_EACH(k, (n + 1) * n)
  {
    const int i = k / n, j = k % n;
    double    sum = 0;

    if (i < n && j > i) continue;
    for (int p = 0; p < PLEX_HDG_NQ; ++p) {
      for (int b = 0; b < PLEX_DIM; ++b) {
        double v = i < n ? 0 : h[p * PLEX_DIM + b];

        for (int a = 0; i < n && a < PLEX_DIM; ++a)
          v += G[(p * PLEX_DIM + a) * PLEX_DIM + b] * args.dphiPost[(a * PLEX_HDG_NQ + p) * PLEX_HDG_NPOST + i + 1];
        sum += v * args.dphiPost[(b * PLEX_HDG_NQ + p) * PLEX_HDG_NPOST + j + 1];
      }
    }
    A[i * LD + j] = sum;
  }
  plex_hdg_sync();
}
