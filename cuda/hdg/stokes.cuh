// Stokes's equations by HDG: an element's matrix of u, p and minus the trace, and what flows through its faces.
// src/hdg/stokes.c has the method, hoststokes.c is the same for the host.
//
// Blocks of components k, m of u and minus the trace are those of elasticity (elastic.cuh) without its lambda, and without
// X_m^T X_k unless the stress is symmetric. The pressure without phi_0, a constant, has the rows [Y_1 .. Y_DIM] of
// functions 1 .. NP - 1: (q, div u) and <q, n . (trace - u)> in one.
//
// Rows are [component][NU] of u, [NP - 1] of p, then [face][component][NF]. A team an element.
#pragma once

#include "elastic.cuh"
#include "stokes_args.h"

#define PLEX_STOKES_P    (PLEX_HDG_NP - 1)
#define PLEX_STOKES_V    (PLEX_ELASTIC_U + PLEX_STOKES_P) // unknowns that are eliminated
#define PLEX_STOKES_ROWS (PLEX_STOKES_V + PLEX_ELASTIC_T)

// Rows of p of A[ROWS][ROWS], below the diagonal and left of it, and their columns; net[T] of the pressure's function 0,
// unless it is NULL. Y as plex_elastic_form_Y() makes it
PLEX_DEVICE void plex_stokes_constrain(const double *Y, double *A, int LD, double *net)
{
  const int size = PLEX_ELASTIC_N * PLEX_ELASTIC_LDM;

  PLEX_HDG_EACH(s, (PLEX_ELASTIC_U + PLEX_ELASTIC_T) * PLEX_HDG_NP)
  {
    const int    j = s / PLEX_HDG_NP, i = s % PLEX_HDG_NP - 1;
    int          r;
    const int    k     = plex_elastic_component(j, &r);
    const double value = Y[k * size + r * PLEX_ELASTIC_LDM + i + 1];

    if (i >= 0 && j < PLEX_ELASTIC_U) A[(PLEX_ELASTIC_U + i) * LD + j] = value;
    else if (i >= 0) A[(PLEX_STOKES_P + j) * LD + PLEX_ELASTIC_U + i] = value;
    else if (net && j >= PLEX_ELASTIC_U) net[j - PLEX_ELASTIC_U] = value;
  }
  PLEX_HDG_EACH(s, PLEX_STOKES_P * PLEX_STOKES_P)
  A[(PLEX_ELASTIC_U + s / PLEX_STOKES_P) * LD + PLEX_ELASTIC_U + s % PLEX_STOKES_P] = 0;
}

// The row of function r of a component, of u or of the faces
PLEX_DEVICE int plex_stokes_row(int component, int r)
{
  const int t = r - PLEX_HDG_NU;

  return t < 0 ? component * PLEX_HDG_NU + r
               : PLEX_STOKES_V + (t / PLEX_HDG_NF * PLEX_DIM + component) * PLEX_HDG_NF + t % PLEX_HDG_NF;
}

// The lower triangle of A[ROWS][ROWS]: DIM NP N (N + 1)/2 multiplications and additions, N = NU + NT, and of a symmetric
// stress NP an entry besides; net[T] and volume unless they are NULL. work: M, Y
PLEX_DEVICE void plex_stokes_build(const PlexHDGStokesArgs &args, const PlexElasticGeometry *g, double *A, int LD,
                                   double *net, double *volume, double *work)
{
  double      *Y     = work + PLEX_ELASTIC_MASS;
  const double shear = args.symmetric ? g->mu : 0;

#if PLEX_HDG_AFFINE
  const double inverse = 1 / g->det; // of M, a multiple of the identity

  if (volume && !PLEX_HDG_LANE) *volume = g->det;
#else
  const double inverse = 1;

  plex_elastic_mass(args.elastic, g, work);
#endif
  plex_elastic_form_Y(args.elastic, g, Y);
  plex_hdg_sync();
  plex_stokes_constrain(Y, A, LD, net);
#if !PLEX_HDG_AFFINE
  if (volume && !PLEX_HDG_LANE) *volume = work[0];
  plex_hdg_sync();
  plex_hdg_eliminate(work, PLEX_ELASTIC_LDM, PLEX_HDG_NP + PLEX_DIM * PLEX_ELASTIC_N, PLEX_HDG_NP, PLEX_HDG_NP);
#endif
  PLEX_HDG_EACH(s, PLEX_HDG_LOWER(PLEX_ELASTIC_N)) // the same block of each component
  {
    int    r, c;
    double all = 0;

    if (!plex_hdg_lower(PLEX_ELASTIC_N, s, &r, &c)) continue;
    const double *R = Y + r * PLEX_ELASTIC_LDM, *C = Y + c * PLEX_ELASTIC_LDM;

    for (int l = 0; l < PLEX_DIM; ++l)
      for (int p = 0; p < PLEX_HDG_NP; ++p)
        all += R[l * PLEX_ELASTIC_N * PLEX_ELASTIC_LDM + p] * C[l * PLEX_ELASTIC_N * PLEX_ELASTIC_LDM + p];
    all = inverse * g->mu * all + plex_elastic_tau(args.elastic, g, r, c);
    for (int k = 0; k < PLEX_DIM; ++k) A[plex_stokes_row(k, r) * LD + plex_stokes_row(k, c)] = all;
  }
  plex_hdg_sync();
  PLEX_HDG_EACH(s, PLEX_HDG_LOWER(PLEX_ELASTIC_ROWS)) // of two components, and what a symmetric stress adds
  {
    const int size = PLEX_ELASTIC_N * PLEX_ELASTIC_LDM;
    int       i, j, r, c;

    if (!plex_hdg_lower(PLEX_ELASTIC_ROWS, s, &i, &j)) continue;
    const int k = plex_elastic_component(i, &r), m = plex_elastic_component(j, &c);
    double   *to = A + plex_stokes_row(k, r) * LD + plex_stokes_row(m, c), sum = 0;

    for (int p = 0; shear != 0 && p < PLEX_HDG_NP; ++p)
      sum += Y[m * size + r * PLEX_ELASTIC_LDM + p] * Y[k * size + c * PLEX_ELASTIC_LDM + p];
    if (k != m) *to = inverse * shear * sum;
    else if (shear != 0) *to += inverse * shear * sum;
  }
  plex_hdg_sync();
}

// Eliminates u, then p, whose block is negative definite then: after that of u the blocks of p and of the trace change
// their sign, and not that between them. Leaves -K at rows and columns V. false: there is a pivot that is not positive
PLEX_DEVICE bool plex_stokes_eliminate(double *A, int LD)
{
  double *B    = A + PLEX_ELASTIC_U * (LD + 1);
  bool    good = plex_hdg_eliminate(A, LD, PLEX_STOKES_ROWS, PLEX_ELASTIC_U, PLEX_STOKES_ROWS);

  PLEX_HDG_EACH(s, (PLEX_STOKES_P + PLEX_ELASTIC_T) * (PLEX_STOKES_P + PLEX_ELASTIC_T))
  {
    const int i = s / (PLEX_STOKES_P + PLEX_ELASTIC_T), j = s % (PLEX_STOKES_P + PLEX_ELASTIC_T);

    if (j <= i && (i < PLEX_STOKES_P) == (j < PLEX_STOKES_P)) B[i * LD + j] = -B[i * LD + j];
  }
  plex_hdg_sync();
  return plex_hdg_eliminate(B, LD, PLEX_STOKES_P + PLEX_ELASTIC_T, PLEX_STOKES_P, PLEX_STOKES_P + PLEX_ELASTIC_T) &&
         good;
}

// (phi_0, p): all lanes have it
PLEX_DEVICE double plex_stokes_integral(const PlexHDGStokesArgs &args, const PlexElasticGeometry *g, const double *p)
{
#if PLEX_HDG_AFFINE
  return g->det * p[0];
#else
  const PlexHDGArgs &a   = args.elastic.hdg;
  double             sum = 0;

  for (int q = 0; q < PLEX_HDG_NQ; ++q) {
    double value = 0;

    for (int i = 0; i < PLEX_HDG_NP; ++i) value += a.phi[q * PLEX_HDG_NP + i] * p[i];
    sum += g->w[q] * a.phi[q * PLEX_HDG_NP] * value;
  }
  return sum;
#endif
}

// grad u of plex_elastic_gradient(); and unless it is NULL b = <psi, tau (Pi u - trace) - (mu (G + G^T) - p I) n>, G^T where
// the stress is symmetric; of components that are known what their rows of K have. work: M, G, Y
PLEX_DEVICE const double *plex_stokes_gradient(const PlexHDGStokesArgs &args, const PlexElasticGeometry *g,
                                               const double *u, const double *p, const double *trace, double *b,
                                               double *work)
{
  const PlexHDGElasticArgs &el = args.elastic;
  const double             *G = plex_elastic_gradient(el, g, u, trace, work), *Y = G + PLEX_ELASTIC_G;

  PLEX_HDG_EACH(t, b ? PLEX_ELASTIC_T : 0)
  {
    const int     f = t / PLEX_ELASTIC_NF, of = t % PLEX_ELASTIC_NF, k = of / PLEX_HDG_NF, m = of % PLEX_HDG_NF;
    const double *Q   = plex_elastic_Q(el, g, f) + m * PLEX_HDG_NU;
    double        sum = -trace[t];

    for (int j = 0; j < PLEX_HDG_NU; ++j) sum += Q[j] * u[k * PLEX_HDG_NU + j];
    sum *= g->ts[f];
    for (int l = 0; l < PLEX_DIM; ++l) {
      const double *y = Y + (l * PLEX_ELASTIC_N + PLEX_HDG_NU + f * PLEX_HDG_NF + m) * PLEX_ELASTIC_LDM,
                   *S = G + (k * PLEX_DIM + l) * PLEX_ELASTIC_LDM, *T = G + (l * PLEX_DIM + k) * PLEX_ELASTIC_LDM;

      for (int i = 0; i < PLEX_HDG_NP; ++i)
        sum -= y[i] * (g->mu * (S[i] + (args.symmetric ? T[i] : 0)) - (k == l ? p[i] : 0));
    }
    b[t] = g->bits[f] >> k & 1 ? g->ts[f] * el.known[(plex_index)g->held[f] * PLEX_ELASTIC_NF + of] : sum;
  }
  plex_hdg_sync();
  return G;
}
