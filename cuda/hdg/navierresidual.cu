// Residuals of a state of Navier-Stokes equations: r of u, rp of p, but for its function 0, which is given, and b of the
// trace; the gradient of u; and u, p and (phi_0, p) as a solution has them.
//
//   r = rho M du/dt + Y p - mu Y (G + G^T) + sum_f tau s_f Pi^T (Pi u - t) + convection - f,  rp = Y^T (u - t)
//
// A team an element. Reads 8 (2 DIM NU + NP + T) bytes, and tables; writes 8 (DIM NU + NP + T), T = DIM NT. Convection is
// 2 (NQ + FACES NQF) NU DIM (2 + 2 DIM) flops at the points of the element, of which faces have no derivatives.
#include "navier.cuh"

#define PLEX_NAVIER_WORK (PLEX_ELASTIC_MASS + PLEX_ELASTIC_G + PLEX_ELASTIC_Y)
static_assert(PLEX_ELASTIC_GEOMETRY + 2 * PLEX_ELASTIC_U + PLEX_HDG_NP + PLEX_ELASTIC_T +
                  (PLEX_NAVIER_WORK > PLEX_NAVIER_RESIDUAL ? PLEX_NAVIER_WORK : PLEX_NAVIER_RESIDUAL) <=
                PLEX_HDG_WORK,
              "workspace");

// Of Stokes's equations and of time, with G and Y of plex_stokes_gradient()
PLEX_DEVICE void plex_navier_residual_stokes(const PlexHDGNavierArgs &args, const PlexElasticGeometry *g, int e,
                                             const double *u, const double *ut, const double *p, const double *trace,
                                             const double *G, double *r, double *rp)
{
  const PlexHDGElasticArgs &el = args.stokes.elastic;
  const double             *Y = G + PLEX_ELASTIC_G, *f = el.hdg.f;

  PLEX_HDG_EACH(s, PLEX_ELASTIC_U)
  {
    const int k = s / PLEX_HDG_NU, j = s % PLEX_HDG_NU;
    double    sum = f ? -f[(plex_index)e * PLEX_ELASTIC_U + s] : 0;

    for (int l = 0; l < PLEX_DIM; ++l) {
      const double *y = Y + (l * PLEX_ELASTIC_N + j) * PLEX_ELASTIC_LDM, *S = G + (k * PLEX_DIM + l) * PLEX_ELASTIC_LDM,
                   *T = G + (l * PLEX_DIM + k) * PLEX_ELASTIC_LDM;

      for (int i = 0; i < PLEX_HDG_NP; ++i)
        sum += y[i] * ((k == l ? p[i] : 0) - g->mu * (S[i] + (args.stokes.symmetric ? T[i] : 0)));
    }
    for (int h = 0; h < PLEX_HDG_FACES; ++h) {
      const double *Q = plex_elastic_Q(el, g, h), *E = el.E + (h * PLEX_HDG_NU + j) * PLEX_HDG_NU;
      double        face = 0;

      for (int i = 0; i < PLEX_HDG_NU; ++i) face += E[i] * u[k * PLEX_HDG_NU + i];
      for (int m = 0; m < PLEX_HDG_NF; ++m)
        face -= Q[m * PLEX_HDG_NU + j] * trace[(h * PLEX_DIM + k) * PLEX_HDG_NF + m];
      sum += g->ts[h] * face;
    }
    for (int q = 0; args.ut && q < PLEX_HDG_NQ; ++q) {
      const double *U = el.U + q * PLEX_HDG_NU;
      double        half, value = 0;

      (void)plex_navier_map(args, g, q, &half);
      for (int i = 0; i < PLEX_HDG_NU; ++i) value += U[i] * ut[k * PLEX_HDG_NU + i];
      sum += 2 * half * U[j] * value;
    }
    r[s] = sum;
  }
  PLEX_HDG_EACH(i, PLEX_HDG_NP)
  {
    double sum = 0;

    for (int k = 0; i && k < PLEX_DIM; ++k) {
      const double *y = Y + k * PLEX_ELASTIC_N * PLEX_ELASTIC_LDM + i;

      for (int j = 0; j < PLEX_HDG_NU; ++j) sum += y[j * PLEX_ELASTIC_LDM] * u[k * PLEX_HDG_NU + j];
      for (int t = 0; t < PLEX_HDG_NT; ++t)
        sum -= y[(PLEX_HDG_NU + t) * PLEX_ELASTIC_LDM] *
               trace[(t / PLEX_HDG_NF * PLEX_DIM + k) * PLEX_HDG_NF + t % PLEX_HDG_NF];
    }
    rp[i] = i ? sum : args.constant[e];
  }
}

// r[DIM][NU] (NULL: not wanted) and b[T] += convection of u and the trace
PLEX_DEVICE void plex_navier_residual(const PlexHDGNavierArgs &args, const PlexElasticGeometry *g, int e,
                                      const double *u, const double *trace, double *r, double *b, double *work)
{
  const PlexHDGArgs &a = args.stokes.elastic.hdg;
  /* [NQ][DIM][1 + DIM]: factors of a function and of its derivatives; [POINTS][2][DIM] in rows of w and of mu */
  double *inside = work, *faces = work + PLEX_HDG_NQ * PLEX_DIM * (1 + PLEX_DIM);

  PLEX_HDG_EACH(q, PLEX_HDG_NQ)
  {
    double        v[PLEX_DIM], d[PLEX_DIM][PLEX_DIM], along[PLEX_DIM], half;
    const double *rx = plex_navier_map(args, g, q, &half);

    plex_navier_at(args, q, u, v, d);
    for (int c = 0; c < PLEX_DIM; ++c) {
      along[c] = 0;
      for (int k = 0; k < PLEX_DIM; ++k) along[c] += half * v[k] * rx[c * PLEX_DIM + k];
    }
    for (int k = 0; k < PLEX_DIM; ++k) {
      double *at = inside + (q * PLEX_DIM + k) * (1 + PLEX_DIM);

      at[0] = 0;
      for (int c = 0; c < PLEX_DIM; ++c) {
        at[0] += along[c] * d[k][c];
        at[1 + c] = -along[c] * v[k];
      }
    }
  }
  PLEX_HDG_EACH(k, PLEX_NAVIER_POINTS)
  {
    double       v[PLEX_DIM], t[PLEX_DIM], n[PLEX_DIM];
    const double flow = plex_navier_at_face(args, g, k, u, trace, v, t, n), up = fmax(flow, 0.),
                 back = args.outer[(plex_index)e * PLEX_HDG_FACES + k / PLEX_HDG_NQF] ? -up : flow - up;

    for (int d = 0; d < PLEX_DIM; ++d) {
      faces[2 * k * PLEX_DIM + d]       = (up - 0.5 * flow) * v[d] + (flow - up) * t[d];
      faces[(2 * k + 1) * PLEX_DIM + d] = up * v[d] + back * t[d];
    }
  }
  plex_hdg_sync();
  PLEX_HDG_EACH(s, r ? PLEX_ELASTIC_U : 0)
  {
    const int k = s / PLEX_HDG_NU, j = s % PLEX_HDG_NU;
    double    sum = 0;

    for (int q = 0; q < PLEX_HDG_NQ; ++q) {
      const double *at = inside + (q * PLEX_DIM + k) * (1 + PLEX_DIM);

      sum += at[0] * args.stokes.elastic.U[q * PLEX_HDG_NU + j];
      for (int c = 0; c < PLEX_DIM; ++c) sum += at[1 + c] * args.dU[(c * PLEX_HDG_NQ + q) * PLEX_HDG_NU + j];
    }
    for (int q = 0; q < PLEX_NAVIER_POINTS; ++q) sum += faces[2 * q * PLEX_DIM + k] * args.UFace[q * PLEX_HDG_NU + j];
    r[s] += sum;
  }
  PLEX_HDG_EACH(t, b ? PLEX_ELASTIC_T : 0)
  {
    const int     f = t / PLEX_ELASTIC_NF, k = t / PLEX_HDG_NF % PLEX_DIM;
    const double *psi = a.psi + g->turn[f] * PLEX_HDG_NQF * PLEX_HDG_NF + t % PLEX_HDG_NF;
    double        sum = 0;

    for (int q = 0; q < PLEX_HDG_NQF; ++q)
      sum += faces[(2 * (f * PLEX_HDG_NQF + q) + 1) * PLEX_DIM + k] * psi[q * PLEX_HDG_NF];
    b[t] += sum;
  }
}

extern "C" __global__ void __launch_bounds__(PLEX_HDG_THREADS *PLEX_HDG_TEAMS)
  plex_hdg_navierresidual(const PlexHDGNavierArgs args)
{
  PLEX_HDG_WORKSPACE(args.stokes.elastic.hdg);
  PlexElasticGeometry *g = (PlexElasticGeometry *)work;
  double              *u = work + PLEX_ELASTIC_GEOMETRY, *ut = u + PLEX_ELASTIC_U, *p = ut + PLEX_ELASTIC_U,
         *trace = p + PLEX_HDG_NP, *rest = trace + PLEX_ELASTIC_T;
  const PlexHDGArgs &a = args.stokes.elastic.hdg;

  PLEX_HDG_ELEMENTS(a, e, active)
  {
    double *b = active ? a.b + (plex_index)e * PLEX_ELASTIC_T : NULL,
           *r = active && args.r ? args.r + (plex_index)e * PLEX_ELASTIC_U : NULL;
    const double *G;

    plex_elastic_geometry(args.stokes.elastic, e, g);
    plex_elastic_spread(args.stokes.elastic, g, e, trace);
    PLEX_HDG_EACH(i, PLEX_ELASTIC_U)
    {
      u[i]  = args.u[(plex_index)e * PLEX_ELASTIC_U + i];
      ut[i] = args.ut ? args.ut[(plex_index)e * PLEX_ELASTIC_U + i] : 0;
    }
    PLEX_HDG_EACH(i, PLEX_HDG_NP) p[i] = args.p[(plex_index)e * PLEX_HDG_NP + i];
    plex_hdg_sync();
    if (a.u && active) plex_elastic_write(args.stokes.elastic, e, u);
    if (args.stokes.p && active) {
      PLEX_HDG_EACH(i, PLEX_HDG_NP) args.stokes.p[(plex_index)e * PLEX_HDG_NP + i] = p[i];
      if (!PLEX_HDG_LANE) args.stokes.integral[e] = plex_stokes_integral(args.stokes, g, p);
    }
    G = plex_stokes_gradient(args.stokes, g, u, p, trace, b, rest);
    if (a.q) PLEX_HDG_EACH(i, active ? PLEX_DIM * PLEX_DIM * PLEX_HDG_NP : 0)
    a.q[(plex_index)e * PLEX_DIM * PLEX_DIM * PLEX_HDG_NP + i] = G[i / PLEX_HDG_NP * PLEX_ELASTIC_LDM +
                                                                   i % PLEX_HDG_NP];
    if (r) plex_navier_residual_stokes(args, g, e, u, ut, p, trace, G, r, args.rp + (plex_index)e * PLEX_HDG_NP);
    plex_hdg_sync();
    if (args.transported) plex_navier_residual(args, g, e, u, trace, r, b, rest);
    PLEX_HDG_EACH(t,
                  b ? PLEX_ELASTIC_T : 0) // their rows of K are tau s times the identity, of unknowns that nothing uses
    {
      const int f = t / PLEX_ELASTIC_NF, l = a.faces[(plex_index)e * PLEX_HDG_FACES + f];

      if (g->bits[f] >> (t / PLEX_HDG_NF % PLEX_DIM) & 1)
        b[t] = g->ts[f] *
               (trace[t] -
                (l < a.nown
                   ? a.owned
                   : a.ghosts)[(plex_index)(l < a.nown ? l : l - a.nown) * PLEX_ELASTIC_NF + t % PLEX_ELASTIC_NF]);
    }
    plex_hdg_sync();
  }
}
PLEX_EXPORT_KERNEL(plex_hdg_navierresidual)
