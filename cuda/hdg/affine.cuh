// Affine elements: matrices are sums of the reference element's, with as many numbers of the element as there are sums.
#pragma once

// The numbers of an element, at the beginning of its workspace
struct PlexHDGGeometry {
  double det, reaction;
  double kappa[PLEX_DIM * PLEX_DIM];
  double rx[PLEX_DIM][3];                   // dr_a/dx_d
  double N[PLEX_HDG_FACES][3];              // normals
  double ts[PLEX_HDG_FACES];                // tau times the face's element over that of the reference face
  double S[PLEX_HDG_NAB];                   // det r_a . kappa r_b
  double H[PLEX_HDG_FACES][3];              // r_a . kappa N_f
  double T[PLEX_HDG_FACES][PLEX_HDG_FACES]; // N_f . kappa N_g/det
  int    turn[PLEX_HDG_FACES];
};
static_assert(sizeof(PlexHDGGeometry) <= 8 * PLEX_HDG_GEOMETRY, "workspace");

// Everything an element has is read here: 8 (DIM (DIM + 1) + DIM DIM + 1 + FACES) + 4 FACES bytes
PLEX_DEVICE void plex_hdg_geometry(const PlexHDGArgs &args, int e, PlexHDGGeometry *g)
{
  const double *x     = args.x + (plex_index)e * (PLEX_DIM + 1) * PLEX_DIM,
               *kappa = args.kappa + (plex_index)e * PLEX_DIM * PLEX_DIM;
  double J[3][3], rx[3][3], N[PLEX_HDG_FACES][3], s[PLEX_HDG_FACES], det;

  for (int d = 0; d < PLEX_DIM; ++d)
    for (int a = 0; a < PLEX_DIM; ++a) J[d][a] = 0.5 * (x[(a + 1) * PLEX_DIM + d] - x[d]);
  det = plex_hdg_invert(J, rx);
  for (int f = 0; f < PLEX_HDG_FACES; ++f) s[f] = plex_hdg_normal(f, det, rx, N[f]);
  if (!PLEX_HDG_LANE) {
    g->det      = det;
    g->reaction = args.reaction[e] + args.shift;
    for (int k = 0; k < PLEX_DIM * PLEX_DIM; ++k) g->kappa[k] = kappa[k];
    for (int a = 0, ab = 0; a < PLEX_DIM; ++a) {
      for (int d = 0; d < PLEX_DIM; ++d) g->rx[a][d] = rx[a][d];
      for (int b = a; b < PLEX_DIM; ++b, ++ab) g->S[ab] = det * plex_hdg_dot(kappa, rx[a], rx[b]);
    }
  }
  _Pragma("unroll")
  for (int f = 0; f < PLEX_HDG_FACES; ++f) {
    if (f != PLEX_HDG_LANE % PLEX_HDG_FACES || PLEX_HDG_LANE >= PLEX_HDG_FACES) continue;
    g->turn[f] = args.turns[(plex_index)e * PLEX_HDG_FACES + f];
    g->ts[f]   = args.tau[(plex_index)e * PLEX_HDG_FACES + f] * s[f];
    for (int d = 0; d < PLEX_DIM; ++d) g->N[f][d] = N[f][d];
    for (int a = 0; a < PLEX_DIM; ++a) g->H[f][a] = plex_hdg_dot(kappa, rx[a], N[f]);
    for (int h = 0; h < PLEX_HDG_FACES; ++h) g->T[f][h] = plex_hdg_dot(kappa, N[f], N[h]) / det;
  }
  plex_hdg_sync();
}

// S, the lower triangle: (NAB + FACES) multiplications and additions an entry, tables from the caches
PLEX_DEVICE void plex_hdg_build_S(const PlexHDGArgs &args, const PlexHDGGeometry *g, double *A, int LD)
{
  PLEX_HDG_EACH(k, PLEX_HDG_LOWER(PLEX_HDG_NP))
  {
    int    i, j;
    double sum;

    if (!plex_hdg_lower(PLEX_HDG_NP, k, &i, &j)) continue;
    sum = i == j ? g->reaction * g->det : 0;
    for (int ab = 0; ab < PLEX_HDG_NAB; ++ab) sum += g->S[ab] * args.S[(ab * PLEX_HDG_NP + i) * PLEX_HDG_NP + j];
    for (int f = 0; f < PLEX_HDG_FACES; ++f) sum += g->ts[f] * args.E[(f * PLEX_HDG_NP + i) * PLEX_HDG_NP + j];
    A[i * LD + j] = sum;
  }
}

// R^T and the lower triangle of H, rows NP on
PLEX_DEVICE void plex_hdg_build_RH(const PlexHDGArgs &args, const PlexHDGGeometry *g, double *A, int LD)
{
  PLEX_HDG_EACH(k, PLEX_HDG_NP * PLEX_HDG_NT)
  {
    const int f = k / (PLEX_HDG_NP * PLEX_HDG_NF), im = k % (PLEX_HDG_NP * PLEX_HDG_NF), i = im / PLEX_HDG_NF,
              m = im % PLEX_HDG_NF, ft = f * PLEX_HDG_TURNS + g->turn[f];
    double    sum = g->ts[f] * args.F[(plex_index)ft * PLEX_HDG_NP * PLEX_HDG_NF + im];

    for (int a = 0; a < PLEX_DIM; ++a)
      sum += g->H[f][a] * args.H[(plex_index)(a * PLEX_HDG_PAIRS + ft) * PLEX_HDG_NP * PLEX_HDG_NF + im];
    A[(PLEX_HDG_NP + f * PLEX_HDG_NF + m) * LD + i] = sum;
  }
  PLEX_HDG_EACH(k, PLEX_HDG_LOWER(PLEX_HDG_NT))
  {
    int i, j, f, h;

    if (!plex_hdg_lower(PLEX_HDG_NT, k, &i, &j)) continue;
    f    = i / PLEX_HDG_NF;
    h    = j / PLEX_HDG_NF;
    A[(PLEX_HDG_NP + i) * LD + PLEX_HDG_NP +
      j] = g->T[f][h] * args.T[(((plex_index)(f * PLEX_HDG_TURNS + g->turn[f]) * PLEX_HDG_PAIRS + h * PLEX_HDG_TURNS +
                                 g->turn[h]) *
                                  PLEX_HDG_NF +
                                i % PLEX_HDG_NF) *
                                 PLEX_HDG_NF +
                               j % PLEX_HDG_NF] +
           (i == j ? g->ts[f] : 0);
  }
}

#define PLEX_HDG_BUILD_WORK 0 // doubles that building takes besides

PLEX_DEVICE void plex_hdg_build(const PlexHDGArgs &args, const PlexHDGGeometry *g, double *A, int LD, double *work)
{
  (void)work;
  plex_hdg_build_S(args, g, A, LD);
  plex_hdg_build_RH(args, g, A, LD);
  plex_hdg_sync();
}

#define PLEX_HDG_LOCAL_ROWS    (PLEX_HDG_NP + 1) // of the matrix of a local problem: S and its right-hand side
#define PLEX_HDG_LOCAL_COLUMNS PLEX_HDG_NP
#define PLEX_HDG_FLUX_WORK     ((PLEX_HDG_FACES + PLEX_DIM) * PLEX_HDG_NP)

// S into A, and f + R trace into its row NP: R trace = sum_f ts F_f trace + sum_a D_a sum_f (r_a . kappa N_f) F_f trace
PLEX_DEVICE void plex_hdg_build_local(const PlexHDGArgs &args, const PlexHDGGeometry *g, int e, const double *trace,
                                      double *A, int LD, double *work)
{
  double *z = work, *v = work + PLEX_HDG_FACES * PLEX_HDG_NP; // [FACES][NP] F_f trace, [DIM][NP]

  plex_hdg_build_S(args, g, A, LD);
  PLEX_HDG_EACH(k, PLEX_HDG_FACES * PLEX_HDG_NP)
  {
    const int     f = k / PLEX_HDG_NP, i = k % PLEX_HDG_NP;
    const double *F   = args.Ft + (plex_index)(f * PLEX_HDG_TURNS + g->turn[f]) * PLEX_HDG_NP * PLEX_HDG_NF;
    double        sum = 0;

    for (int m = 0; m < PLEX_HDG_NF; ++m) sum += F[m * PLEX_HDG_NP + i] * trace[f * PLEX_HDG_NF + m];
    z[k] = sum;
  }
  plex_hdg_sync();
  PLEX_HDG_EACH(k, PLEX_DIM * PLEX_HDG_NP)
  {
    double sum = 0;

    for (int f = 0; f < PLEX_HDG_FACES; ++f) sum += g->H[f][k / PLEX_HDG_NP] * z[f * PLEX_HDG_NP + k % PLEX_HDG_NP];
    v[k] = sum;
  }
  plex_hdg_sync();
  PLEX_HDG_EACH(i, PLEX_HDG_NP)
  {
    double sum = args.f ? args.f[(plex_index)e * PLEX_HDG_NP + i] : 0;

    for (int f = 0; f < PLEX_HDG_FACES; ++f) sum += g->ts[f] * z[f * PLEX_HDG_NP + i];
    for (int aj = 0; aj < PLEX_DIM * PLEX_HDG_NP; ++aj) sum += args.Dt[aj * PLEX_HDG_NP + i] * v[aj];
    A[PLEX_HDG_NP * LD + i] = sum;
  }
  plex_hdg_sync();
}

// q_k = sum_l kappa_kl (sum_f N_fl F_f trace/det - sum_a r_al D_a^T u), b_f = F_f^T (ts u - N_f . q) - ts trace. u,
// trace and q[DIM][NP] in the workspace. 2 (FACES NF + DIM NP) NP flops, and FACES NF NP more for b
PLEX_DEVICE void plex_hdg_flux(const PlexHDGArgs &args, const PlexHDGGeometry *g, const double *u, const double *trace,
                               double *q, double *b, double *work)
{
  PLEX_HDG_EACH(i, PLEX_HDG_NP)
  {
    double t[PLEX_DIM] = {};

    for (int a = 0; a < PLEX_DIM; ++a) {
      double sum = 0;

      for (int k = 0; k < PLEX_HDG_NP; ++k) sum += args.D[(a * PLEX_HDG_NP + k) * PLEX_HDG_NP + i] * u[k];
      for (int l = 0; l < PLEX_DIM; ++l) t[l] -= g->rx[a][l] * sum;
    }
    for (int f = 0; f < PLEX_HDG_FACES; ++f) {
      const double *F   = args.Ft + (plex_index)(f * PLEX_HDG_TURNS + g->turn[f]) * PLEX_HDG_NP * PLEX_HDG_NF;
      double        sum = 0;

      for (int m = 0; m < PLEX_HDG_NF; ++m) sum += F[m * PLEX_HDG_NP + i] * trace[f * PLEX_HDG_NF + m];
      for (int l = 0; l < PLEX_DIM; ++l) t[l] += g->N[f][l] / g->det * sum;
    }
    for (int k = 0; k < PLEX_DIM; ++k) {
      double sum = 0;

      for (int l = 0; l < PLEX_DIM; ++l) sum += g->kappa[k * PLEX_DIM + l] * t[l];
      q[k * PLEX_HDG_NP + i] = sum;
    }
  }
  plex_hdg_sync();
  if (!b) return;
  PLEX_HDG_EACH(k, PLEX_HDG_NT)
  {
    const int     f = k / PLEX_HDG_NF, m = k % PLEX_HDG_NF;
    const double *F   = args.F + (plex_index)(f * PLEX_HDG_TURNS + g->turn[f]) * PLEX_HDG_NP * PLEX_HDG_NF;
    double        sum = -g->ts[f] * trace[k];

    for (int i = 0; i < PLEX_HDG_NP; ++i) {
      double v = g->ts[f] * u[i];

      for (int d = 0; d < PLEX_DIM; ++d) v -= g->N[f][d] * q[d * PLEX_HDG_NP + i];
      sum += F[i * PLEX_HDG_NF + m] * v;
    }
    b[k] = sum;
  }
}

#define PLEX_HDG_RESIDUAL_WORK 0 // doubles besides those of the flux

// r = -(phi, div q) + sum_f ts_f (E_f u - F_f trace) + det (lambda u + ut) - f. r NULL: not wanted. 2 (FACES NP + FACES
// NF + DIM NP) NP flops
PLEX_DEVICE void plex_hdg_residual_u(const PlexHDGArgs &args, const PlexHDGGeometry *g, int e, const double *u,
                                     const double *ut, const double *trace, const double *q, double *r, double *work)
{
  PLEX_HDG_EACH(k, PLEX_DIM * PLEX_HDG_NP)
  {
    double sum = 0;

    for (int d = 0; d < PLEX_DIM; ++d) sum += g->det * g->rx[k / PLEX_HDG_NP][d] * q[d * PLEX_HDG_NP + k % PLEX_HDG_NP];
    work[k] = sum;
  }
  plex_hdg_sync();
  PLEX_HDG_EACH(i, r ? PLEX_HDG_NP : 0)
  {
    double sum = g->det * (g->reaction * u[i] + ut[i]) - (args.f ? args.f[(plex_index)e * PLEX_HDG_NP + i] : 0);

    for (int aj = 0; aj < PLEX_DIM * PLEX_HDG_NP; ++aj) sum -= args.Dt[aj * PLEX_HDG_NP + i] * work[aj];
    for (int f = 0; f < PLEX_HDG_FACES; ++f) {
      const double *F    = args.Ft + (plex_index)(f * PLEX_HDG_TURNS + g->turn[f]) * PLEX_HDG_NP * PLEX_HDG_NF;
      double        face = 0;

      for (int j = 0; j < PLEX_HDG_NP; ++j) face += args.E[(f * PLEX_HDG_NP + j) * PLEX_HDG_NP + i] * u[j];
      for (int m = 0; m < PLEX_HDG_NF; ++m) face -= F[m * PLEX_HDG_NP + i] * trace[f * PLEX_HDG_NF + m];
      sum += g->ts[f] * face;
    }
    r[i] = sum;
  }
}

#define PLEX_HDG_POST_WORK (PLEX_DIM * PLEX_HDG_NP)

// Stiffness of the functions of degree P + 1 but for the constant, lower triangle, and in the row below (q, grad phi*);
// means[NPOST] of the functions, *mean of u times that of the first
PLEX_DEVICE void plex_hdg_build_post(const PlexHDGArgs &args, const PlexHDGGeometry *g, const double *u,
                                     const double *q, double *A, int LD, double *means, double *work)
{
  const int n = PLEX_HDG_NPOST - 1;

  PLEX_HDG_EACH(k, PLEX_HDG_LOWER(n))
  {
    int    i, j;
    double sum = 0;

    if (!plex_hdg_lower(n, k, &i, &j)) continue;
    for (int ab = 0; ab < PLEX_HDG_NAB; ++ab)
      sum += g->S[ab] * args.Spost[(ab * PLEX_HDG_NPOST + i + 1) * PLEX_HDG_NPOST + j + 1];
    A[i * LD + j] = sum;
  }
  PLEX_HDG_EACH(k, PLEX_DIM * PLEX_HDG_NP)
  {
    double sum = 0;

    for (int d = 0; d < PLEX_DIM; ++d) sum += g->det * g->rx[k / PLEX_HDG_NP][d] * q[d * PLEX_HDG_NP + k % PLEX_HDG_NP];
    work[k] = sum;
  }
  PLEX_HDG_EACH(k, PLEX_HDG_NPOST + 1) means[k] = k == 0 ? 1 : k == PLEX_HDG_NPOST ? u[0] : 0;
  plex_hdg_sync();
  PLEX_HDG_EACH(i, n)
  {
    double sum = 0;

    for (int a = 0; a < PLEX_DIM; ++a)
      for (int j = 0; j < PLEX_HDG_NP; ++j)
        sum += args.Ppost[(a * PLEX_HDG_NPOST + i + 1) * PLEX_HDG_NP + j] * work[a * PLEX_HDG_NP + j];
    A[n * LD + i] = sum;
  }
  plex_hdg_sync();
}
