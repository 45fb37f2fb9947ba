/* Good conductors at the boundary, and thin sheets inside, for the host and for kernels: what PLEX_IMPEDANCE_FUNCTION is put
   before. What the kernels of right-hand sides and stages know is a resistance R at the boundary, maxwell.h, and nothing of
   sheets; this adds the rest, as fluxes are linear. Tangential fields E, and h = H x n, n outward; Z = sqrt(mu/epsilon) = 1/Y.

   A conductor has the impedance R - sum r_k p_k/(z + p_k), z = d/dt, with r_k, p_k > 0: variables q_k of the nodes,

     E* = R h* - e,   e = sum r_k q_k,   q_k' = p_k (h* - q_k)

   The flux of the resistance R is A E* + B Z h* = A E + B Z h (A, B = p, 1, or 1, p where R > Z), so that e makes

     h* = beta (E + e) + gamma h,   beta = A/(A R + B Z), gamma = B Z/(A R + B Z),   dh = beta e, dE = -gamma e

   Energy, with that of the variables, sum r_k q_k^2/(2 p_k), falls by what R does of the jumps, and by
   (R - sum r_k) h*^2 + sum r_k (h* - q_k)^2.

   A sheet of conductance G has one E*, and both sides' h- + h+ = G E*. With w- = Y-/(Y- + Y+), w+ likewise,

     E* = (w- E- + w+ E+ + alpha (h- + h+)/(Y- + Y+))/(1 + alpha g),   g = G/(Y- + Y+)
     h-* - h- = -w- (h- + h+ - G E*) + alpha (E- - E+)/(Z- + Z+)

   Energy falls by G E*^2, and by alpha ((E+ - E-)^2/(Z- + Z+) + (h- + h+ - G E*)^2/(Y- + Y+)), whatever alpha is. What is
   added is this with alpha = a + (1 - a) g/(1 + g), which bounds rates, less the flux without a sheet, G = 0, of the
   operator's alpha a.

   A change dE, dh of E* and h* makes rates -dh/epsilon of E and -n x dE/mu of H, times Fscale, lifted. */
#include "impedance_args.h"
#define PLEX_STATE_FUNCTION PLEX_IMPEDANCE_FUNCTION
#include "state.h"

/* E and h of a node that are tangential, from its fields `apart` from each other */
PLEX_IMPEDANCE_FUNCTION void plex_impedance_trace(const void *u, int single, long long at, int apart, const double *n,
                                                  double E[3], double h[3])
{
  double H[3], En = 0;

  for (int d = 0; d < 3; ++d) {
    E[d] = plex_state_get(u, single, at + (long long)d * apart);
    H[d] = plex_state_get(u, single, at + (long long)(3 + d) * apart);
    En += n[d] * E[d];
  }
  for (int d = 0; d < 3; ++d) {
    E[d] -= n[d] * En;
    h[d] = H[(d + 1) % 3] * n[(d + 2) % 3] - H[(d + 2) % 3] * n[(d + 1) % 3];
  }
}

/* A node m of a conductor's side: dE and dh, and the stage of its variables */
PLEX_IMPEDANCE_FUNCTION void plex_impedance_conductor(const PlexDGImpedanceArgs *a, const PlexDGImpedanceStage *s,
                                                      int side, int m, const double E[3], const double h[3],
                                                      double dE[3], double dh[3])
{
  const double *numbers  = a->numbers + (long long)side * PLEX_IMPEDANCE_NUMBERS,
               *residues = a->poles + (long long)a->across[side] * 2 * a->npoles, *poles = residues + a->npoles;
  const long long first = (long long)a->place[side] * a->npoles * 3 * a->NFP + m;

  for (int d = 0; d < 3; ++d) {
    double e = 0, star;

    for (int k = 0; k < a->npoles; ++k) e += residues[k] * s->values[first + (long long)(3 * k + d) * a->NFP];
    dh[d] = numbers[PLEX_IMPEDANCE_VOLTAGE] * e;
    dE[d] = -numbers[PLEX_IMPEDANCE_CURRENT] * e;
    star  = numbers[PLEX_IMPEDANCE_VOLTAGE] * E[d] + numbers[PLEX_IMPEDANCE_CURRENT] * h[d] + dh[d];
    for (int k = 0; k < a->npoles && s->update; ++k) {
      const long long at = first + (long long)(3 * k + d) * a->NFP;
      double          R  = s->dt * poles[k] * (star - s->values[at]);

      if (s->a != 0) R += s->a * s->residual[at];
      s->residual[at] = R;
      s->values[at] += s->b * R;
    }
  }
}

/* A node m of a sheet's side: dE and dh */
PLEX_IMPEDANCE_FUNCTION void plex_impedance_sheet(const PlexDGImpedanceArgs *a, const PlexDGImpedanceStage *s, int side,
                                                  int m, const double E[3], const double h[3], double dE[3],
                                                  double dh[3])
{
  const double *numbers = a->numbers + (long long)side * PLEX_IMPEDANCE_NUMBERS;
  const int     link = a->across[side], trace = link / a->turns, turn = link % a->turns, own = a->Ne * a->FACES;
  const int     face = trace < own ? trace % a->FACES : a->FACES, node = a->meet[(face * a->turns + turn) * a->NFP + m];
  double        other[3], back[3];

  if (trace < own)
    plex_impedance_trace(s->u, s->single, (long long)(trace / a->FACES) * PLEX_IMPEDANCE_FIELDS * a->NP + node, a->NP,
                         numbers, other, back);
  else
    plex_impedance_trace(s->ghosts, a->narrow, (long long)(trace - own) * PLEX_IMPEDANCE_FIELDS * a->NFP + node, a->NFP,
                         numbers, other, back);
  for (int d = 0; d < 3; ++d) { /* back: of this side's normal */
    const double mean = numbers[PLEX_IMPEDANCE_OWN] * E[d] + numbers[PLEX_IMPEDANCE_OTHER] * other[d],
                 sum = h[d] - back[d], star = numbers[PLEX_IMPEDANCE_MEAN] * mean + numbers[PLEX_IMPEDANCE_SUM] * sum;

    dE[d] = star - mean - numbers[PLEX_IMPEDANCE_WITHOUT] * sum;
    dh[d] = numbers[PLEX_IMPEDANCE_THROUGH] * star + numbers[PLEX_IMPEDANCE_DAMPING] * (E[d] - other[d]);
  }
}

/* Fscale times the flux at the nodes i, i + threads, .. of the sides of element elements[l]: flux[6][FACES NFP] */
PLEX_IMPEDANCE_FUNCTION void plex_impedance_flux(const PlexDGImpedanceArgs *a, const PlexDGImpedanceStage *s, int l,
                                                 int i, int threads, double *flux)
{
  const int first = a->starts[l], count = (a->starts[l + 1] - first) * a->NFP, wide = a->FACES * a->NFP;

  for (; i < count; i += threads) {
    const int     side = first + i / a->NFP, m = i % a->NFP, node = a->faceNodes[a->faces[side] * a->NFP + m];
    const double *n = a->numbers + (long long)side * PLEX_IMPEDANCE_NUMBERS;
    double        E[3], h[3], dE[3], dh[3];

    plex_impedance_trace(s->u, s->single, (long long)a->elements[l] * PLEX_IMPEDANCE_FIELDS * a->NP + node, a->NP, n, E,
                         h);
    if (a->place[side] >= 0) plex_impedance_conductor(a, s, side, m, E, h, dE, dh);
    else plex_impedance_sheet(a, s, side, m, E, h, dE, dh);
    for (int d = 0; d < 3; ++d) {
      flux[d * wide + i]       = -n[PLEX_IMPEDANCE_E] * dh[d];
      flux[(3 + d) * wide + i] = -n[PLEX_IMPEDANCE_H] *
                                 (n[(d + 1) % 3] * dE[(d + 2) % 3] - n[(d + 2) % 3] * dE[(d + 1) % 3]);
    }
  }
}

/* What these fluxes add at nodes i, i + threads, .. */
PLEX_IMPEDANCE_FUNCTION void plex_impedance_lift(const PlexDGImpedanceArgs *a, const PlexDGImpedanceStage *s, int l,
                                                 int i, int threads, const double *flux)
{
  const int first = a->starts[l], count = (a->starts[l + 1] - first) * a->NFP, wide = a->FACES * a->NFP;

  for (; i < a->NP; i += threads) {
    double sum[PLEX_IMPEDANCE_FIELDS] = {0, 0, 0, 0, 0, 0};

    for (int k = 0; k < count; ++k) {
      const int    from = a->faces[first + k / a->NFP] * a->NFP + k % a->NFP;
      const double lift = plex_state_get(a->L, a->narrow, (long long)from * a->NP + i);

      for (int f = 0; f < PLEX_IMPEDANCE_FIELDS; ++f) sum[f] += lift * flux[f * wide + k];
    }
    for (int f = 0; f < PLEX_IMPEDANCE_FIELDS; ++f) {
      const long long at   = ((long long)a->elements[l] * PLEX_IMPEDANCE_FIELDS + f) * a->NP + i;
      const double    rate = s->factor * sum[f];

      plex_state_set(s->r, s->single, at, plex_state_get(s->r, s->single, at) + rate);
      if (s->next) plex_state_set(s->next, s->single, at, plex_state_get(s->next, s->single, at) + s->weight * rate);
    }
  }
}
