// Linear elasticity by HDG+ (W. Qiu, J. Shen and K. Shi, Math. Comp. 87 (2018), 69-93): an element's matrix of u and
// minus the trace, and its stress. src/hdg/elastic.c has the method, hostelastic.c is the same for the host.
//
// Sizes besides those of hdg.cuh: PLEX_HDG_NU functions of a component of u. A component has N = NU + NT functions, those
// of u and of the faces. With Y_l = [D_l^T | F~_l], M = L L^T, X_l = L^-1 Y_l blocks for components k, m are
//
//   A_km = delta_km mu sum_l X_l^T X_l + mu X_m^T X_k + lambda X_k^T X_m + delta_km sum_f tau_f s_f [Pi_f|1]^T [Pi_f|1]
//
// Rows are [component][NU] of u, then [face][component][NF]. A team an element.
#pragma once

#include "hdg.cuh"

#define PLEX_ELASTIC_N    (PLEX_HDG_NU + PLEX_HDG_NT) // functions of a component
#define PLEX_ELASTIC_U    (PLEX_DIM * PLEX_HDG_NU)
#define PLEX_ELASTIC_NF   (PLEX_DIM * PLEX_HDG_NF) // unknowns of a face
#define PLEX_ELASTIC_T    (PLEX_DIM * PLEX_HDG_NT)
#define PLEX_ELASTIC_ROWS (PLEX_ELASTIC_U + PLEX_ELASTIC_T)
#define PLEX_ELASTIC_LDM  (PLEX_HDG_NP | 1)
// Doubles of workspace: rows of M, of which an affine element has none, of the stress, and of Y
#define PLEX_ELASTIC_MASS (PLEX_HDG_AFFINE ? 0 : PLEX_HDG_NP * PLEX_ELASTIC_LDM)
#define PLEX_ELASTIC_G    (PLEX_DIM * PLEX_DIM * PLEX_ELASTIC_LDM)
#define PLEX_ELASTIC_Y    (PLEX_DIM * PLEX_ELASTIC_N * PLEX_ELASTIC_LDM)

// The numbers of an element, at the beginning of its workspace
struct PlexElasticGeometry {
  double lambda, mu;
  double ts[PLEX_HDG_FACES]; // tau times the face's area over that of the reference face
#if PLEX_HDG_AFFINE
  double det, rx[PLEX_DIM * PLEX_DIM];
  double N[PLEX_HDG_FACES][PLEX_DIM]; // normals, as long as their elements over those of the reference face
#else
  double w[PLEX_HDG_NQ];                              // weight times determinant
  double rx[PLEX_HDG_NQ][PLEX_DIM * PLEX_DIM];        // dr_a/dx_d
  double wn[PLEX_HDG_FACES * PLEX_HDG_NQF][PLEX_DIM]; // weight times normal
#endif
  int turn[PLEX_HDG_FACES];
  int held[PLEX_HDG_FACES], bits[PLEX_HDG_FACES]; // a face with known components: its place, -1: none; which they are
};
static_assert(sizeof(PlexElasticGeometry) <= 8 * PLEX_ELASTIC_GEOMETRY, "workspace");

// Reads 8 (NV DIM + 2 + FACES) + 8 FACES bytes
PLEX_DEVICE void plex_elastic_geometry(const PlexHDGElasticArgs &args, int e, PlexElasticGeometry *g)
{
  const PlexHDGArgs &a = args.hdg;

#if PLEX_HDG_AFFINE
  const double *x = a.x + (plex_index)e * (PLEX_DIM + 1) * PLEX_DIM;
  double        J[3][3], rx[3][3], det;

  for (int d = 0; d < PLEX_DIM; ++d)
    for (int b = 0; b < PLEX_DIM; ++b) J[d][b] = 0.5 * (x[(b + 1) * PLEX_DIM + d] - x[d]);
  det = plex_hdg_invert(J, rx);
  if (!PLEX_HDG_LANE) {
    g->det = det;
    for (int b = 0; b < PLEX_DIM; ++b)
      for (int d = 0; d < PLEX_DIM; ++d) g->rx[b * PLEX_DIM + d] = rx[b][d];
  }
#else
  PLEX_HDG_EACH(q, PLEX_HDG_NQ)
  {
    double rx[3][3];

    g->w[q] = a.weights[q] * plex_hdg_map(a, e, a.dshape + q * PLEX_HDG_NV * PLEX_DIM, rx);
    for (int b = 0; b < PLEX_DIM; ++b)
      for (int d = 0; d < PLEX_DIM; ++d) g->rx[q][b * PLEX_DIM + d] = rx[b][d];
  }
  PLEX_HDG_EACH(k, PLEX_HDG_FACES * PLEX_HDG_NQF)
  {
    double       rx[3][3], N[3];
    const double det = plex_hdg_map(a, e, a.dshapeFace + k * PLEX_HDG_NV * PLEX_DIM, rx);

    (void)plex_hdg_normal(k / PLEX_HDG_NQF, det, rx, N);
    for (int d = 0; d < PLEX_DIM; ++d) g->wn[k][d] = a.weightsFace[k % PLEX_HDG_NQF] * N[d];
  }
  plex_hdg_sync();
#endif
  if (!PLEX_HDG_LANE) {
    g->lambda = args.material[2 * (plex_index)e];
    g->mu     = args.material[2 * (plex_index)e + 1];
  }
  PLEX_HDG_EACH(f, PLEX_HDG_FACES)
  {
    const plex_index row = (plex_index)e * PLEX_HDG_FACES + f;
    double           s   = 0;

#if PLEX_HDG_AFFINE
    double N[3];

    s = plex_hdg_normal(f, det, rx, N);
    for (int d = 0; d < PLEX_DIM; ++d) g->N[f][d] = N[d];
#else
    double area = 0;

    for (int q = 0; q < PLEX_HDG_NQF; ++q) {
      double length = 0;

      for (int d = 0; d < PLEX_DIM; ++d) length += g->wn[f * PLEX_HDG_NQF + q][d] * g->wn[f * PLEX_HDG_NQF + q][d];
      s += sqrt(length);
      area += a.weightsFace[q];
    }
    s /= area;
#endif
    g->ts[f]   = a.tau[row] * s;
    g->turn[f] = a.turns[row];
    g->held[f] = args.held ? args.held[row] : -1;
    g->bits[f] = g->held[f] < 0 ? 0 : args.bits[g->held[f]];
  }
  plex_hdg_sync();
}

// Rows l N + j of Y: column j of Y_l. 2 DIM^2 NP NU flops where the element is affine, else 2 DIM NP (NU NQ (1 + DIM) +
// NT NQF)
PLEX_DEVICE void plex_elastic_form_Y(const PlexHDGElasticArgs &args, const PlexElasticGeometry *g, double *Y)
{
  PLEX_HDG_EACH(s, PLEX_DIM * PLEX_ELASTIC_N * PLEX_HDG_NP)
  {
    const int l = s / (PLEX_ELASTIC_N * PLEX_HDG_NP), j = s / PLEX_HDG_NP % PLEX_ELASTIC_N, i = s % PLEX_HDG_NP,
              f = (j - PLEX_HDG_NU) / PLEX_HDG_NF, m = (j - PLEX_HDG_NU) % PLEX_HDG_NF;
    double    sum = 0;

#if PLEX_HDG_AFFINE
    if (j < PLEX_HDG_NU) {
      for (int a = 0; a < PLEX_DIM; ++a)
        sum += g->det * g->rx[a * PLEX_DIM + l] * args.D[(a * PLEX_HDG_NP + i) * PLEX_HDG_NU + j];
    } else sum = g->N[f][l] * args.F[((f * PLEX_HDG_TURNS + g->turn[f]) * PLEX_HDG_NP + i) * PLEX_HDG_NF + m];
#else
    if (j < PLEX_HDG_NU) {
      for (int q = 0; q < PLEX_HDG_NQ; ++q) {
        double gradient = 0;

        for (int a = 0; a < PLEX_DIM; ++a)
          gradient += g->rx[q][a * PLEX_DIM + l] * args.hdg.dphi[(a * PLEX_HDG_NQ + q) * PLEX_HDG_NP + i];
        sum += g->w[q] * args.U[q * PLEX_HDG_NU + j] * gradient;
      }
    } else {
      const double *psi = args.hdg.psi + g->turn[f] * PLEX_HDG_NQF * PLEX_HDG_NF;

      for (int q = 0; q < PLEX_HDG_NQF; ++q)
        sum += g->wn[f * PLEX_HDG_NQF + q][l] * args.hdg.phiFace[(f * PLEX_HDG_NQF + q) * PLEX_HDG_NP + i] *
               psi[q * PLEX_HDG_NF + m];
    }
#endif
    Y[s / PLEX_HDG_NP * PLEX_ELASTIC_LDM + i] = sum;
  }
}

#if !PLEX_HDG_AFFINE
// M[NP][NP], all of it
PLEX_DEVICE void plex_elastic_mass(const PlexHDGElasticArgs &args, const PlexElasticGeometry *g, double *M)
{
  PLEX_HDG_EACH(k, PLEX_HDG_NP * PLEX_HDG_NP)
  {
    const int i = k / PLEX_HDG_NP, j = k % PLEX_HDG_NP;
    double    sum = 0;

    for (int q = 0; q < PLEX_HDG_NQ; ++q)
      sum += g->w[q] * args.hdg.phi[q * PLEX_HDG_NP + i] * args.hdg.phi[q * PLEX_HDG_NP + j];
    M[i * PLEX_ELASTIC_LDM + j] = sum;
  }
}
#endif

PLEX_DEVICE const double *plex_elastic_Q(const PlexHDGElasticArgs &args, const PlexElasticGeometry *g, int f)
{
  return args.Q + (f * PLEX_HDG_TURNS + g->turn[f]) * PLEX_HDG_NF * PLEX_HDG_NU;
}

// The component of a row, and its function among the N of a component
PLEX_DEVICE int plex_elastic_component(int row, int *function)
{
  const int t = row - PLEX_ELASTIC_U;

  *function = t < 0 ? row % PLEX_HDG_NU : PLEX_HDG_NU + t / PLEX_ELASTIC_NF * PLEX_HDG_NF + t % PLEX_HDG_NF;
  return t < 0 ? row / PLEX_HDG_NU : t / PLEX_HDG_NF % PLEX_DIM;
}

// Of functions r >= c of a component, of which r is a face's where c is: the stabilization
PLEX_DEVICE double plex_elastic_tau(const PlexHDGElasticArgs &args, const PlexElasticGeometry *g, int r, int c)
{
  const int f = (r - PLEX_HDG_NU) / PLEX_HDG_NF, m = (r - PLEX_HDG_NU) % PLEX_HDG_NF;
  double    sum = 0;

  if (r < PLEX_HDG_NU) {
    for (int h = 0; h < PLEX_HDG_FACES; ++h) sum += g->ts[h] * args.E[(h * PLEX_HDG_NU + r) * PLEX_HDG_NU + c];
    return sum;
  }
  if (c < PLEX_HDG_NU) return g->ts[f] * plex_elastic_Q(args, g, f)[m * PLEX_HDG_NU + c];
  return r == c ? g->ts[f] : 0;
}

// The lower triangle of A[ROWS][ROWS]: (1 + 1/DIM) DIM NP multiplications and additions on average an entry. work: M, Y
PLEX_DEVICE void plex_elastic_build(const PlexHDGElasticArgs &args, const PlexElasticGeometry *g, double *A, int LD,
                                    double *work)
{
  double *Y = work + PLEX_ELASTIC_MASS;

#if PLEX_HDG_AFFINE
  const double inverse = 1 / g->det; // of M, a multiple of the identity
#else
  const double inverse = 1;

  plex_elastic_mass(args, g, work);
#endif
  plex_elastic_form_Y(args, g, Y);
  plex_hdg_sync();
#if !PLEX_HDG_AFFINE
  plex_hdg_eliminate(work, PLEX_ELASTIC_LDM, PLEX_HDG_NP + PLEX_DIM * PLEX_ELASTIC_N, PLEX_HDG_NP, PLEX_HDG_NP);
#endif
  PLEX_HDG_EACH(s, PLEX_HDG_LOWER(PLEX_ELASTIC_ROWS))
  {
    const int size = PLEX_ELASTIC_N * PLEX_ELASTIC_LDM;
    int       i, j, r, c;

    if (!plex_hdg_lower(PLEX_ELASTIC_ROWS, s, &i, &j)) continue;
    const int     k = plex_elastic_component(i, &r), m = plex_elastic_component(j, &c);
    const double *R = Y + r * PLEX_ELASTIC_LDM, *C = Y + c * PLEX_ELASTIC_LDM;
    double        volume = 0, shear = 0, all = 0;

    for (int p = 0; p < PLEX_HDG_NP; ++p) {
      volume += R[k * size + p] * C[m * size + p];
      shear += R[m * size + p] * C[k * size + p];
    }
    for (int l = 0; k == m && l < PLEX_DIM; ++l)
      for (int p = 0; p < PLEX_HDG_NP; ++p) all += R[l * size + p] * C[l * size + p];
    A[i * LD + j] = inverse * (g->lambda * volume + g->mu * (shear + all)) +
                    (k == m ? plex_elastic_tau(args, g, r, c) : 0);
  }
  plex_hdg_sync();
}

// trace[FACES][DIM][NF]: of components that are known, though their face has unknowns, what they are
PLEX_DEVICE void plex_elastic_spread(const PlexHDGElasticArgs &args, const PlexElasticGeometry *g, int e, double *trace)
{
  const PlexHDGArgs &a     = args.hdg;
  const int          known = a.nown + a.nghost;

  PLEX_HDG_EACH(k, PLEX_ELASTIC_T)
  {
    const int     f = k / PLEX_ELASTIC_NF, of = k % PLEX_ELASTIC_NF, l = a.faces[(plex_index)e * PLEX_HDG_FACES + f];
    const double *from = l < a.nown ? a.owned : l < known ? a.ghosts : a.fixed;
    const int     at   = l < a.nown ? l : l < known ? l - a.nown : l - known;

    if (g->bits[f] >> (of / PLEX_HDG_NF) & 1) trace[k] = args.known[(plex_index)g->held[f] * PLEX_ELASTIC_NF + of];
    else trace[k] = from ? from[(plex_index)at * PLEX_ELASTIC_NF + of] : 0;
  }
}

// u[DIM][NU] of element e at its places among the functions of degree P + 1, of which args.hdg.u has [DIM][NPOST]
PLEX_DEVICE void plex_elastic_write(const PlexHDGElasticArgs &args, int e, const double *u)
{
  double *to = args.hdg.u + (plex_index)e * PLEX_DIM * PLEX_HDG_NPOST;

#if PLEX_HDG_NU < PLEX_HDG_NPOST
  for (int k = 0; k < PLEX_DIM; ++k)
    for (int s = PLEX_HDG_LANE, j = 0; s < PLEX_HDG_NPOST; s += PLEX_HDG_THREADS) {
      while (j < PLEX_HDG_NU && args.functions[j] < s) ++j;
      if (j == PLEX_HDG_NU || args.functions[j] != s) to[k * PLEX_HDG_NPOST + s] = 0;
    }
#endif
  PLEX_HDG_EACH(i, PLEX_ELASTIC_U) to[i / PLEX_HDG_NU * PLEX_HDG_NPOST + args.functions[i % PLEX_HDG_NU]] = u[i];
}

// The place of component k, l of the stress
PLEX_DEVICE int plex_elastic_pair(int k, int l)
{
  const int a = min(k, l), b = max(k, l);

  return a * PLEX_DIM - a * (a - 1) / 2 + b - a;
}

// G[DIM][DIM][LDM] = grad u of u[DIM][NU] and the trace: G_kl = M^-1 (F~_l trace_k - D_l^T u_k). work: M, G, Y
PLEX_DEVICE double *plex_elastic_gradient(const PlexHDGElasticArgs &args, const PlexElasticGeometry *g, const double *u,
                                          const double *trace, double *work)
{
  double *G = work + PLEX_ELASTIC_MASS, *Y = G + PLEX_ELASTIC_G;

#if PLEX_HDG_AFFINE
  const double inverse = 1 / g->det;
#else
  const double inverse = 1;

  plex_elastic_mass(args, g, work);
#endif
  plex_elastic_form_Y(args, g, Y);
  plex_hdg_sync();
  PLEX_HDG_EACH(s, PLEX_DIM * PLEX_DIM * PLEX_HDG_NP)
  {
    const int     k = s / (PLEX_DIM * PLEX_HDG_NP), l = s / PLEX_HDG_NP % PLEX_DIM, i = s % PLEX_HDG_NP;
    const double *y   = Y + l * PLEX_ELASTIC_N * PLEX_ELASTIC_LDM + i;
    double        sum = 0;

    for (int j = 0; j < PLEX_HDG_NU; ++j) sum -= y[j * PLEX_ELASTIC_LDM] * u[k * PLEX_HDG_NU + j];
    for (int t = 0; t < PLEX_HDG_NT; ++t)
      sum += y[(PLEX_HDG_NU + t) * PLEX_ELASTIC_LDM] *
             trace[(t / PLEX_HDG_NF * PLEX_DIM + k) * PLEX_HDG_NF + t % PLEX_HDG_NF];
    G[(k * PLEX_DIM + l) * PLEX_ELASTIC_LDM + i] = inverse * sum;
  }
  plex_hdg_sync();
#if !PLEX_HDG_AFFINE
  plex_hdg_eliminate(work, PLEX_ELASTIC_LDM, PLEX_HDG_NP + PLEX_DIM * PLEX_DIM, PLEX_HDG_NP, PLEX_HDG_NP);
  for (int k = 0; k < PLEX_DIM * PLEX_DIM; ++k)
    plex_hdg_backward(work, PLEX_ELASTIC_LDM, PLEX_HDG_NP, G + k * PLEX_ELASTIC_LDM);
#endif
  return G;
}

// sigma[NAB][NP] of u[DIM][NU] and the trace; and unless it is NULL b = <psi, tau (Pi u - trace) - sigma n>, of components
// that are known what their rows of K have. work: M, G, Y
PLEX_DEVICE void plex_elastic_stress(const PlexHDGElasticArgs &args, const PlexElasticGeometry *g, const double *u,
                                     const double *trace, double *sigma, double *b, double *work)
{
  const double *G = plex_elastic_gradient(args, g, u, trace, work), *Y = G + PLEX_ELASTIC_G;

  PLEX_HDG_EACH(s, PLEX_DIM * PLEX_DIM * PLEX_HDG_NP)
  {
    const int k = s / (PLEX_DIM * PLEX_HDG_NP), l = s / PLEX_HDG_NP % PLEX_DIM, i = s % PLEX_HDG_NP;
    double sum = g->mu * (G[(k * PLEX_DIM + l) * PLEX_ELASTIC_LDM + i] + G[(l * PLEX_DIM + k) * PLEX_ELASTIC_LDM + i]);

    for (int m = 0; k == l && m < PLEX_DIM; ++m) sum += g->lambda * G[m * (PLEX_DIM + 1) * PLEX_ELASTIC_LDM + i];
    if (l >= k) sigma[plex_elastic_pair(k, l) * PLEX_HDG_NP + i] = sum;
  }
  plex_hdg_sync();
  PLEX_HDG_EACH(t, b ? PLEX_ELASTIC_T : 0)
  {
    const int     f = t / PLEX_ELASTIC_NF, of = t % PLEX_ELASTIC_NF, k = of / PLEX_HDG_NF, m = of % PLEX_HDG_NF;
    const double *Q   = plex_elastic_Q(args, g, f) + m * PLEX_HDG_NU;
    double        sum = -trace[t];

    for (int j = 0; j < PLEX_HDG_NU; ++j) sum += Q[j] * u[k * PLEX_HDG_NU + j];
    sum *= g->ts[f];
    for (int l = 0; l < PLEX_DIM; ++l) {
      const double *y = Y + (l * PLEX_ELASTIC_N + PLEX_HDG_NU + f * PLEX_HDG_NF + m) * PLEX_ELASTIC_LDM,
                   *s = sigma + plex_elastic_pair(k, l) * PLEX_HDG_NP;

      for (int i = 0; i < PLEX_HDG_NP; ++i) sum -= y[i] * s[i];
    }
    b[t] = g->bits[f] >> k & 1 ? g->ts[f] * args.known[(plex_index)g->held[f] * PLEX_ELASTIC_NF + of] : sum;
  }
}
