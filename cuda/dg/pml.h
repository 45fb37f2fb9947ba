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

   Where one axis is stretched sigma is the matrix S = M^-1 B^T W diag(sigma_q) B of the polynomials: these are interpolated
   to points q with weights w_q > 0, and the products projected. With it L and its inverse, (z + alpha + S)/(z + alpha), are
   what they are of numbers, all variables are polynomials, and S is needed once a field. With the factor in the numerator

     p' = w,      rate of u: -S w,   w = u - alpha p

   and in the denominator, q being S times the variable above, so that its rate is that of u

     q' = S w - alpha q,   rate of u: q',   w = u - q

   Elsewhere the variables are at the points, and the rates are projected: what L adds is M^-1 B^T W diag(L_q - 1) B. Both
   are self-adjoint in the mass matrix M = B^T W B. With sigma at the nodes it is not, and energy grows where sigma varies
   much in an element.

   Radial layers (F. L. Teixeira and W. C. Chew, Microwave Opt. Technol. Lett. 17, 1998) are the same along r and across it:
   axes are n and its tangents, with s_r = s and, across, s~ of the rate's mean from the center, sigma~ = 1/r int sigma dr. In
   3D what lies across n has one section, of s~/s~ s_r, for all tangents, and what is along n has two. Their first variables
   are those of a vector, p_t + n p_r, as n stays. */
#include "pml_args.h"

/* Arithmetic, and variables: plex_pml_get(stage, array, place), plex_pml_set(stage, array, place, value); a kernel knows
   what they are */
#ifndef PLEX_PML_REAL
  #define PLEX_PML_REAL       double
  #define PLEX_STATE_FUNCTION PLEX_PML_FUNCTION
  #include "state.h"

PLEX_PML_FUNCTION double plex_pml_get(const PlexDGPMLStage *s, const void *array, long long at)
{
  return plex_state_get(array, s->narrow, at);
}

PLEX_PML_FUNCTION void plex_pml_set(const PlexDGPMLStage *s, void *array, long long at, double value)
{
  plex_state_set(array, s->narrow, at, value);
}
#endif

/* A section's variable, at `at`, has the rate dp */
PLEX_PML_FUNCTION void plex_pml_update(const PlexDGPMLStage *s, long long at, PLEX_PML_REAL p, PLEX_PML_REAL dp)
{
  PLEX_PML_REAL R;

  if (!s->update) return;
  R = (PLEX_PML_REAL)s->dt * dp;
  if (s->a != 0) R += (PLEX_PML_REAL)s->a * plex_pml_get(s, s->residual, at);
  plex_pml_set(s, s->residual, at, R);
  plex_pml_set(s, s->values, at, p + (PLEX_PML_REAL)s->b * R);
}

/* Whether the variables of an element of this kind are polynomials */
PLEX_PML_FUNCTION int plex_pml_is_nodal(int kind)
{
  return kind == 1 || kind == 2 || kind == 4;
}

/* Places of a variable, one of NP nodes or NQ points of an element */
PLEX_PML_FUNCTION int plex_pml_width(int kind, int NP, int NQ)
{
  return plex_pml_is_nodal(kind) ? NP : (NQ + 7) / 8 * 8;
}

/* Variables of a scalar with these powers of the axes */
PLEX_PML_FUNCTION int plex_pml_sections(int e0, int e1, int e2)
{
  const int np = (e0 > 0) + (e1 > 0) + (e2 > 0), nq = (e0 < 0) + (e1 < 0) + (e2 < 0);

  return np > nq ? np : nq;
}

/* Rate of a scalar u whose factor has the powers e0, e1, e2 of axes with rates r0, r1, r2; variables from `at` on, `apart`
   from each other */
PLEX_PML_FUNCTION PLEX_PML_REAL plex_pml_scalar(const PlexDGPMLArgs *a, const PlexDGPMLStage *s, PLEX_PML_REAL u,
                                                int e0, int e1, int e2, PLEX_PML_REAL r0, PLEX_PML_REAL r1,
                                                PLEX_PML_REAL r2, long long at, long long apart)
{
  /* the k-th rate of the numerator, and of the denominator */
  const int           np = (e0 > 0) + (e1 > 0) + (e2 > 0), nq = (e0 < 0) + (e1 < 0) + (e2 < 0), n = np > nq ? np : nq;
  const PLEX_PML_REAL P0 = e0 > 0 ? r0 : e1 > 0 ? r1 : e2 > 0 ? r2 : 0, P1 = e0 > 0 && e1 > 0 ? r1 : np > 1 ? r2 : 0;
  const PLEX_PML_REAL Q0 = e0 < 0 ? r0 : e1 < 0 ? r1 : e2 < 0 ? r2 : 0, Q1 = e0 < 0 && e1 < 0 ? r1 : nq > 1 ? r2 : 0;
  PLEX_PML_REAL       w = u, rate = 0;

  for (int k = 0; k < n; ++k) {
    const PLEX_PML_REAL P = k == 0 ? P0
                          : k == 1 ? P1
                          : np > 2 ? r2
                                   : 0,
                        Q = k == 0 ? Q0
                          : k == 1 ? Q1
                          : nq > 2 ? r2
                                   : 0;
    const PLEX_PML_REAL p = plex_pml_get(s, s->values, at), dp = w - ((PLEX_PML_REAL)a->alpha + Q) * p;

    rate -= (P - Q) * dp;
    w += (P - Q) * p;
    plex_pml_update(s, at, p, dp);
    at += apart;
  }
  return rate;
}

/* A vector of the fields from w on, w[3] `stride` apart, in 3D, whose first component has the powers e of the axes along n
   and across, and the others the power t of that along n; four variables */
PLEX_PML_FUNCTION void plex_pml_vector(const PlexDGPMLArgs *a, const PlexDGPMLStage *s, const PLEX_PML_REAL n[3],
                                       PLEX_PML_REAL sigma, PLEX_PML_REAL mean, int along, int across, PLEX_PML_REAL *w,
                                       int stride, long long at, long long apart)
{
  /* along n: mean^2/sigma, or sigma/mean^2; across: sigma, or its inverse */
  const PLEX_PML_REAL alpha = (PLEX_PML_REAL)a->alpha;
  const PLEX_PML_REAL P0 = along > 0 ? sigma : mean, P1 = along > 0 ? 0 : mean;
  const PLEX_PML_REAL Q0 = along > 0 ? mean : sigma, Q1 = along > 0 ? mean : 0;
  const PLEX_PML_REAL tau = across > 0 ? sigma : -sigma, lambda = alpha + (across > 0 ? 0 : sigma);
  PLEX_PML_REAL       u[3], p[3], ur = 0, pr = 0, q, dpr, dq, rate;

  for (int d = 0; d < 3; ++d) {
    u[d] = w[d * stride];
    p[d] = plex_pml_get(s, s->values, at + d * apart);
    ur += n[d] * u[d];
    pr += n[d] * p[d];
  }
  q    = plex_pml_get(s, s->values, at + 3 * apart);
  dpr  = ur - (alpha + Q0) * pr;
  dq   = ur + (P0 - Q0) * pr - (alpha + Q1) * q;
  rate = -(P0 - Q0) * dpr - (P1 - Q1) * dq;
  for (int d = 0; d < 3; ++d) {
    const PLEX_PML_REAL dpt = u[d] - n[d] * ur - lambda * (p[d] - n[d] * pr);

    w[d * stride] = n[d] * rate - tau * dpt;
    plex_pml_update(s, at + d * apart, p[d], dpt + n[d] * dpr);
  }
  plex_pml_update(s, at + 3 * apart, q, dq);
}

/* Whether field f is a component of a vector: which one, or -1 */
PLEX_PML_FUNCTION int plex_pml_component(const PlexDGPMLArgs *a, int f)
{
  for (int v = 0; v < a->nvectors; ++v)
    if (f >= a->vectors[v] && f < a->vectors[v] + a->dim) return f - a->vectors[v];
  return -1;
}

/* All fields at a point of a radial layer, w[NF], `stride` apart: in their place are their rates afterwards. Numbers q, and
   variables from `at` on, are `apart` */
PLEX_PML_FUNCTION void plex_pml_radial(const PlexDGPMLArgs *a, const PlexDGPMLStage *s, const PLEX_PML_REAL *q,
                                       PLEX_PML_REAL *w, int stride, long long at, long long apart)
{
  const PLEX_PML_REAL sigma = q[0], mean = q[apart];
  PLEX_PML_REAL       n[3];

  for (int d = 0; d < 3; ++d) n[d] = d < a->dim ? q[(2 + d) * apart] : 0;
  for (int f = 0; f < a->NF; ++f) {
    const signed char *e = a->stretch[f];
    PLEX_PML_REAL     *x = w + f * stride, *y = x + stride;

    if (plex_pml_component(a, f) < 0) {
      const int e2 = a->dim > 2 ? e[2] : 0;

      *x = plex_pml_scalar(a, s, *x, e[0], e[1], e2, sigma, mean, mean, at, apart);
      at += plex_pml_sections(e[0], e[1], e2) * apart;
    } else if (a->dim == 3) {
      plex_pml_vector(a, s, n, sigma, mean, e[0], a->stretch[f + 1][0], x, stride, at, apart);
      at += 4 * apart;
      f += 2;
    } else {
      const signed char  *g  = a->stretch[f + 1];
      const PLEX_PML_REAL ux = *x, uy = *y;
      const PLEX_PML_REAL r = plex_pml_scalar(a, s, n[0] * ux + n[1] * uy, e[0], e[1], 0, sigma, mean, 0, at, apart);
      PLEX_PML_REAL       t;

      at += plex_pml_sections(e[0], e[1], 0) * apart;
      t = plex_pml_scalar(a, s, n[0] * uy - n[1] * ux, g[0], g[1], 0, sigma, mean, 0, at, apart);
      at += plex_pml_sections(g[0], g[1], 0) * apart;
      *x = n[0] * r - n[1] * t;
      *y = n[1] * r + n[0] * t;
      ++f;
    }
  }
}
