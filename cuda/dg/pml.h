/* A perfectly matched layer at points of a quadrature, for the host and for kernels: what PLEX_PML_FUNCTION is put before.

   In the frequency domain, d/dt = z, coordinates are stretched by s = 1 + sigma/(alpha + z), sigma growing into the layer
   (complex-frequency-shifted: M. Kuzuoglu and R. Mittra, IEEE Microwave Guided Wave Lett. 6, 1996). Fields that take up the
   factors of coordinates obey the equations of the medium, with each field's time derivative times a factor (uniaxial: S. D.
   Gedney, IEEE Trans. Antennas Propag. 44, 1996; in DG: T. Lu, P. Zhang, W. Cai, J. Comput. Phys. 200, 2004)

     z L u = F(u),   L = product of s_a^(+-1) over axes a;   of E_x and H_x: s_y s_z/s_x

   With a factor of the numerator and one of the denominator together, L is a chain of sections

     (z + alpha + P)/(z + alpha + Q) = 1 + t/(z + l),   t = P - Q, l = alpha + Q

   of which each has a memory variable p, whose input is w, u of the first one,

     p' = w - l p,   rate of u: -t p',   the next one's input: w + t p

   so that poles may coincide, as they do where sigma is 0. Nothing is differentiated in space: F is computed as anywhere.

   u is interpolated to points q with weights w_q > 0, where the variables are, and the rates are projected onto the
   polynomials: what L adds is M^-1 B^T W diag(L_q - 1) B, self-adjoint in the mass matrix M = B^T W B. With sigma at the
   nodes it is not, and energy grows where sigma varies much in an element.

   Radial layers (F. L. Teixeira and W. C. Chew, Microwave Opt. Technol. Lett. 17, 1998) are the same along r and across it:
   axes are n and its tangents, with s_r = s and, across, s~ of the rate's mean from the center, sigma~ = 1/r int sigma dr. In
   3D what lies across n has one section, of s~/s~ s_r, for all tangents, and what is along n has two. Their first variables
   are those of a vector, p_t + n p_r, as n stays. */
#include "pml_args.h"
#define PLEX_STATE_FUNCTION PLEX_PML_FUNCTION
#include "state.h"

/* A section's variable, at `at`, has the rate dp */
PLEX_PML_FUNCTION void plex_pml_update(const PlexDGPMLStage *s, long long at, double p, double dp)
{
  double R;

  if (!s->update) return;
  R = s->dt * dp;
  if (s->a != 0) R += s->a * plex_state_get(s->residual, s->narrow, at);
  plex_state_set(s->residual, s->narrow, at, R);
  plex_state_set(s->values, s->narrow, at, p + s->b * R);
}

/* Rate of a scalar u whose factor has the powers e0, e1, e2 of axes with rates r0, r1, r2; variables from *at on, which
   moves behind them */
PLEX_PML_FUNCTION double plex_pml_scalar(const PlexDGPMLArgs *a, const PlexDGPMLStage *s, double u, int e0, int e1,
                                         int e2, double r0, double r1, double r2, long long *at)
{
  /* the k-th rate of the numerator, and of the denominator */
  const int    np = (e0 > 0) + (e1 > 0) + (e2 > 0), nq = (e0 < 0) + (e1 < 0) + (e2 < 0), n = np > nq ? np : nq;
  const double P0 = e0 > 0 ? r0 : e1 > 0 ? r1 : e2 > 0 ? r2 : 0, P1 = e0 > 0 && e1 > 0 ? r1 : np > 1 ? r2 : 0;
  const double Q0 = e0 < 0 ? r0 : e1 < 0 ? r1 : e2 < 0 ? r2 : 0, Q1 = e0 < 0 && e1 < 0 ? r1 : nq > 1 ? r2 : 0;
  double       w = u, rate = 0;

  for (int k = 0; k < n; ++k) {
    const double P = k == 0 ? P0 : k == 1 ? P1 : np > 2 ? r2 : 0, Q = k == 0 ? Q0 : k == 1 ? Q1 : nq > 2 ? r2 : 0;
    const double p = plex_state_get(s->values, s->narrow, *at), dp = w - (a->alpha + Q) * p;

    rate -= (P - Q) * dp;
    w += (P - Q) * p;
    plex_pml_update(s, *at, p, dp);
    *at += a->NQ;
  }
  return rate;
}

/* A vector of the fields from w on, in 3D, whose first component has the powers e of the axes along n and across, and
   the others the power t of that along n */
PLEX_PML_FUNCTION void plex_pml_vector(const PlexDGPMLArgs *a, const PlexDGPMLStage *s, const double n[3], double sigma,
                                       double mean, int along, int across, double *w, long long *at)
{
  /* along n: mean^2/sigma, or sigma/mean^2; across: sigma, or its inverse */
  const double P0 = along > 0 ? sigma : mean, P1 = along > 0 ? 0 : mean;
  const double Q0 = along > 0 ? mean : sigma, Q1 = along > 0 ? mean : 0;
  const double tau = across > 0 ? sigma : -sigma, lambda = a->alpha + (across > 0 ? 0 : sigma);
  double       u[3], p[3], ur = 0, pr = 0, q, dpr, dq, rate;

  for (int d = 0; d < 3; ++d) {
    u[d] = w[d * a->NQ];
    p[d] = plex_state_get(s->values, s->narrow, *at + (long long)d * a->NQ);
    ur += n[d] * u[d];
    pr += n[d] * p[d];
  }
  q    = plex_state_get(s->values, s->narrow, *at + 3LL * a->NQ);
  dpr  = ur - (a->alpha + Q0) * pr;
  dq   = ur + (P0 - Q0) * pr - (a->alpha + Q1) * q;
  rate = -(P0 - Q0) * dpr - (P1 - Q1) * dq;
  for (int d = 0; d < 3; ++d) {
    const double dpt = u[d] - n[d] * ur - lambda * (p[d] - n[d] * pr);

    w[d * a->NQ] = n[d] * rate - tau * dpt;
    plex_pml_update(s, *at + (long long)d * a->NQ, p[d], dpt + n[d] * dpr);
  }
  plex_pml_update(s, *at + 3LL * a->NQ, q, dq);
  *at += 4LL * a->NQ;
}

/* Whether field f is a component of a vector: which one, or -1 */
PLEX_PML_FUNCTION int plex_pml_component(const PlexDGPMLArgs *a, int f)
{
  for (int v = 0; v < a->nvectors; ++v)
    if (f >= a->vectors[v] && f < a->vectors[v] + a->dim) return f - a->vectors[v];
  return -1;
}

/* All fields at a point of a radial layer, w[NF][NQ] from the point on: in their place are their rates afterwards */
PLEX_PML_FUNCTION void plex_pml_radial(const PlexDGPMLArgs *a, const PlexDGPMLStage *s, const double *q, double *w,
                                       long long *at)
{
  const double sigma = q[0], mean = q[a->NQ];
  double       n[3];

  for (int d = 0; d < 3; ++d) n[d] = d < a->dim ? q[(2 + d) * a->NQ] : 0;
  for (int f = 0; f < a->NF; ++f) {
    const signed char *e = a->stretch[f];
    double            *x = w + f * a->NQ, *y = x + a->NQ;

    if (plex_pml_component(a, f) < 0)
      *x = plex_pml_scalar(a, s, *x, e[0], e[1], a->dim > 2 ? e[2] : 0, sigma, mean, mean, at);
    else if (a->dim == 3) {
      plex_pml_vector(a, s, n, sigma, mean, e[0], a->stretch[f + 1][0], x, at);
      f += 2;
    } else {
      const double ux = *x, uy = *y;
      const double r = plex_pml_scalar(a, s, n[0] * ux + n[1] * uy, e[0], e[1], 0, sigma, mean, 0, at);
      const double t = plex_pml_scalar(a, s, n[0] * uy - n[1] * ux, a->stretch[f + 1][0], a->stretch[f + 1][1], 0,
                                       sigma, mean, 0, at);

      *x = n[0] * r - n[1] * t;
      *y = n[1] * r + n[0] * t;
      ++f;
    }
  }
}

/* Fields of an item at point q, and their rates in their place: w[NF][NQ] */
PLEX_PML_FUNCTION void plex_pml_point(const PlexDGPMLArgs *a, const PlexDGPMLStage *s, int item, int q, double *w)
{
  const int       kind   = a->kinds[item];
  const long long here   = (long long)a->elements[item] * a->NF * a->NP;
  const double   *number = a->numbers + (long long)a->at[item] * a->NQ + q;
  long long       at     = (long long)a->first[item] * a->NQ + q;
  double          r0, r1, r2;

  w += q;
  for (int f = 0; f < a->NF; ++f) {
    double u = 0;

    for (int j = 0; j < a->NP; ++j)
      u += a->interpolate[j * a->NQ + q] * plex_state_get(s->u, s->single, here + f * a->NP + j);
    w[f * a->NQ] = u;
  }
  if (kind == PLEX_PML_RADIAL) {
    plex_pml_radial(a, s, number, w, &at);
    return;
  }
  r0 = kind & 1 ? number[0] : 0;
  r1 = kind & 2 ? number[kind & 1 ? a->NQ : 0] : 0;
  r2 = kind & 4 ? number[((kind & 1) + (kind >> 1 & 1)) * a->NQ] : 0;
  for (int f = 0; f < a->NF; ++f) {
    const signed char *e = a->stretch[f];

    w[f * a->NQ] = plex_pml_scalar(a, s, w[f * a->NQ], kind & 1 ? e[0] : 0, kind & 2 ? e[1] : 0, kind & 4 ? e[2] : 0,
                                   r0, r1, r2, &at);
  }
}

/* Rates w[NF][NQ] of an item go to node i */
PLEX_PML_FUNCTION void plex_pml_project(const PlexDGPMLArgs *a, const PlexDGPMLStage *s, int item, int i,
                                        const double *w)
{
  for (int f = 0; f < a->NF && s->r; ++f) {
    const long long at   = ((long long)a->elements[item] * a->NF + f) * a->NP + i;
    double          rate = 0;

    for (int q = 0; q < a->NQ; ++q) rate += a->project[q * a->NP + i] * w[f * a->NQ + q];
    rate *= s->factor;
    plex_state_set(s->r, s->single, at, plex_state_get(s->r, s->single, at) + rate);
    if (s->next) plex_state_set(s->next, s->single, at, plex_state_get(s->next, s->single, at) + s->weight * rate);
  }
}
