// Convection with the velocity beta in an element's matrix and residual. With b = beta . n, the numerical flux of
// convection through a face is b t + max(b, 0) (u - t): that of u where the flow leaves the element, of the trace t
// where it enters. For all v and mu
//
//   advective:    (beta . grad u, v)  + <(b+ - b)(u - t), v>,   <b+ (u - t), mu>
//   conservative: -(u, beta . grad v) + <b t + b+ (u - t), v>,  <b t + b+ (u - t), mu>   b+ = max(b, 0)
//
// The second follows from div(beta u) by parts; the first from it by parts again, so neither needs div beta. What faces
// have is c[4] at each point, weighted: <c0 u - c1 t, v> and <c2 u - c3 t, mu>, src/hdg/flow.c. Elements have
// flow[DIM] = det r_a . beta there, weighted. N. C. Nguyen, J. Peraire and B. Cockburn, An implicit high-order
// hybridizable discontinuous Galerkin method for linear convection-diffusion equations, J. Comput. Phys. 228 (2009),
// 3232-3254.
#pragma once

#define PLEX_HDG_CONVECTION_POINTS (PLEX_HDG_FACES * PLEX_HDG_NQF)
#define PLEX_HDG_CONVECTION_WORK   (PLEX_HDG_NQ + 2 * PLEX_HDG_CONVECTION_POINTS) // doubles of a residual

PLEX_DEVICE const double *plex_hdg_flow(const PlexHDGArgs &args, int e)
{
  return args.flow + (plex_index)e * PLEX_HDG_NQ * PLEX_DIM;
}

PLEX_DEVICE const double *plex_hdg_flow_face(const PlexHDGArgs &args, int e)
{
  return args.flowFace + (plex_index)e * PLEX_HDG_CONVECTION_POINTS * 4;
}

// Function i of face f at its point q, 0 where it belongs to another face: i < NP are those of the element
PLEX_DEVICE double plex_hdg_chi(const PlexHDGArgs &args, const PlexHDGGeometry *g, int f, int q, int i)
{
  if (i < PLEX_HDG_NP) return args.phiFace[(f * PLEX_HDG_NQF + q) * PLEX_HDG_NP + i];
  i -= PLEX_HDG_NP;
  return i / PLEX_HDG_NF == f ? args.psi[(g->turn[f] * PLEX_HDG_NQF + q) * PLEX_HDG_NF + i % PLEX_HDG_NF] : 0;
}

// flow . grad phi_i at point q
PLEX_DEVICE double plex_hdg_along(const PlexHDGArgs &args, const double *flow, int q, int i)
{
  double sum = 0;

  for (int a = 0; a < PLEX_DIM; ++a) sum += flow[q * PLEX_DIM + a] * args.dphi[(a * PLEX_HDG_NQ + q) * PLEX_HDG_NP + i];
  return sum;
}

// Entry (i, j) of the matrix of u and minus the trace
PLEX_DEVICE double plex_hdg_convect(const PlexHDGArgs &args, const PlexHDGGeometry *g, const double *flow,
                                    const double *face, int i, int j)
{
  const int c     = (i < PLEX_HDG_NP ? 0 : 2) + (j < PLEX_HDG_NP ? 0 : 1),
            first = max(i, j) < PLEX_HDG_NP ? 0 : (max(i, j) - PLEX_HDG_NP) / PLEX_HDG_NF,
            last  = max(i, j) < PLEX_HDG_NP ? PLEX_HDG_FACES : first + 1;
  double    sum   = 0;

  for (int q = 0; last == PLEX_HDG_FACES && first == 0 && max(i, j) < PLEX_HDG_NP && q < PLEX_HDG_NQ; ++q) {
#if PLEX_HDG_CONVECTION == 1
    sum += args.phi[q * PLEX_HDG_NP + i] * plex_hdg_along(args, flow, q, j);
#else
    sum -= args.phi[q * PLEX_HDG_NP + j] * plex_hdg_along(args, flow, q, i);
#endif
  }
  for (int f = first; f < last; ++f)
    for (int q = 0; q < PLEX_HDG_NQF; ++q)
      sum += face[(f * PLEX_HDG_NQF + q) * 4 + c] * plex_hdg_chi(args, g, f, q, i) * plex_hdg_chi(args, g, f, q, j);
  return sum;
}

// A[N][N] += that. NP^2 (DIM + 2) NQ multiplications and additions, and 2 FACES NQF (NP + NF)^2
PLEX_DEVICE void plex_hdg_add_convection(const PlexHDGArgs &args, const PlexHDGGeometry *g, int e, double *A, int LD)
{
  PLEX_HDG_EACH(k, PLEX_HDG_N * PLEX_HDG_N)
  A[k / PLEX_HDG_N * LD + k % PLEX_HDG_N] += plex_hdg_convect(args, g, plex_hdg_flow(args, e),
                                                              plex_hdg_flow_face(args, e), k / PLEX_HDG_N,
                                                              k % PLEX_HDG_N);
  plex_hdg_sync();
}

// r[NP] and b[NT], of which those that are NULL are not wanted, += what u and the trace convect. Threads have the rows
// that they have in plex_hdg_flux() and plex_hdg_residual_u()
PLEX_DEVICE void plex_hdg_residual_convection(const PlexHDGArgs &args, const PlexHDGGeometry *g, int e, const double *u,
                                              const double *trace, double *r, double *b, double *work)
{
  const double *flow = plex_hdg_flow(args, e), *face = plex_hdg_flow_face(args, e);
  double       *h = work, *c = work + PLEX_HDG_NQ; // [NQ]; [FACE_POINTS][2] c0 u - c1 t, c2 u - c3 t

  PLEX_HDG_EACH(q, PLEX_HDG_NQ)
  {
    double sum = 0;

    for (int i = 0; i < PLEX_HDG_NP; ++i) {
#if PLEX_HDG_CONVECTION == 1
      sum += plex_hdg_along(args, flow, q, i) * u[i];
#else
      sum += args.phi[q * PLEX_HDG_NP + i] * u[i];
#endif
    }
    h[q] = sum;
  }
  PLEX_HDG_EACH(k, PLEX_HDG_CONVECTION_POINTS)
  {
    const int f = k / PLEX_HDG_NQF, q = k % PLEX_HDG_NQF;
    double    v = 0, t = 0;

    for (int i = 0; i < PLEX_HDG_NP; ++i) v += plex_hdg_chi(args, g, f, q, i) * u[i];
    for (int m = f * PLEX_HDG_NF; m < (f + 1) * PLEX_HDG_NF; ++m)
      t += plex_hdg_chi(args, g, f, q, PLEX_HDG_NP + m) * trace[m];
    c[2 * k]     = face[4 * k] * v - face[4 * k + 1] * t;
    c[2 * k + 1] = face[4 * k + 2] * v - face[4 * k + 3] * t;
  }
  plex_hdg_sync();
  PLEX_HDG_EACH(i, r ? PLEX_HDG_NP : 0)
  {
    double sum = 0;

    for (int q = 0; q < PLEX_HDG_NQ; ++q) {
#if PLEX_HDG_CONVECTION == 1
      sum += args.phi[q * PLEX_HDG_NP + i] * h[q];
#else
      sum -= plex_hdg_along(args, flow, q, i) * h[q];
#endif
    }
    for (int k = 0; k < PLEX_HDG_CONVECTION_POINTS; ++k) sum += args.phiFace[k * PLEX_HDG_NP + i] * c[2 * k];
    r[i] += sum;
  }
  PLEX_HDG_EACH(k, b ? PLEX_HDG_NT : 0)
  {
    const int f   = k / PLEX_HDG_NF;
    double    sum = 0;

    for (int q = 0; q < PLEX_HDG_NQF; ++q)
      sum += plex_hdg_chi(args, g, f, q, PLEX_HDG_NP + k) * c[2 * (f * PLEX_HDG_NQF + q) + 1];
    b[k] += sum;
  }
}

#if PLEX_HDG_AFFINE
// Post-processing of an element whose kappa is zero: grad u in the place of q, and of kappa 1, so that u* is u.
// Elements that are not affine do it at points
PLEX_DEVICE void plex_hdg_post_still(const PlexHDGArgs &args, PlexHDGGeometry *g, const double *u, double *q)
{
  if (!plex_hdg_is_zero(g->kappa)) return;
  PLEX_HDG_EACH(k, PLEX_DIM * PLEX_HDG_NP)
  {
    const int d = k / PLEX_HDG_NP, i = k % PLEX_HDG_NP;
    double    sum = 0;

    for (int a = 0; a < PLEX_DIM; ++a)
      for (int j = 0; j < PLEX_HDG_NP; ++j) sum += g->rx[a][d] * args.D[(a * PLEX_HDG_NP + i) * PLEX_HDG_NP + j] * u[j];
    q[k] = sum;
  }
  for (int a = 0, ab = 0; !PLEX_HDG_LANE && a < PLEX_DIM; ++a) {
    for (int b = a; b < PLEX_DIM; ++b, ++ab) {
      g->S[ab] = 0;
      for (int d = 0; d < PLEX_DIM; ++d) g->S[ab] += g->det * g->rx[a][d] * g->rx[b][d];
    }
  }
  plex_hdg_sync();
}
#endif
