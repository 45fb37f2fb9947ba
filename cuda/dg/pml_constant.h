/* A perfectly matched layer in an element where each stretched axis has a constant rate sigma, for the host and for kernels:
   what PLEX_PML_FUNCTION is put before. There S of pml.h is sigma times the identity, and L a number for each field,

     L = product of (z + l_k + t_k)/(z + l_k),   t_k = P - Q,   l_k = alpha + Q

   with a rate P of the numerator and one, Q, of the denominator, or 0. Each section has a variable p at the nodes, whose
   input is w, u of the first one:

     p' = w - l p,   rate of u: -t p',   the next one's input: w + t p

   Nothing is interpolated or projected. */
#include "pml.h"
#include "pml_constant_args.h"

#ifndef PLEX_PML_MOST /* fields, at most; a kernel knows how many there are */
  #define PLEX_PML_MOST PLEX_PML_FIELDS
  #define PLEX_PML_UNROLL
#endif

/* Of node i of an element with the fields u[NF]: adds to rate[NF] what the layer does. All numbers of a round are asked for
   before the first of them is used, and stored behind the last one */
PLEX_PML_FUNCTION void plex_pml_constant(const PlexDGPMLStage *s, PlexDGPMLItem item, const PLEX_PML_REAL *numbers,
                                         int NF, int NP, int i, const PLEX_PML_REAL *u, PLEX_PML_REAL *rate)
{
  const int     before = s->update && s->a != 0;
  long long     at     = item.first + i;
  PLEX_PML_REAL w[PLEX_PML_MOST];

  PLEX_PML_UNROLL
  for (int f = 0; f < NF; ++f) w[f] = u[f];
  for (int k = 0; k < item.rounds; ++k) {
    const PLEX_PML_REAL *c = numbers + (item.row * PLEX_PML_ROUNDS + k) * NF * 2;
    PLEX_PML_REAL        p[PLEX_PML_MOST], R[PLEX_PML_MOST];
    int                  has  = 0; /* bits of fields */
    long long            from = at;

    PLEX_PML_UNROLL
    for (int f = 0; f < NF; ++f) {
      p[f] = R[f] = 0;
      if (c[2 * f + 1] < 0) continue;
      has |= 1 << f;
      p[f] = plex_pml_get(s, s->values, from);
      if (before) R[f] = plex_pml_get(s, s->residual, from);
      from += NP;
    }
    PLEX_PML_UNROLL
    for (int f = 0; f < NF; ++f) {
      const PLEX_PML_REAL t = has >> f & 1 ? c[2 * f] : 0, dp = w[f] - c[2 * f + 1] * p[f];

      rate[f] -= t * dp;
      w[f] += t * p[f];
      R[f] = (PLEX_PML_REAL)s->dt * dp + (PLEX_PML_REAL)s->a * R[f];
      p[f] += (PLEX_PML_REAL)s->b * R[f];
    }
    if (!s->update) {
      at = from;
      continue;
    }
    PLEX_PML_UNROLL
    for (int f = 0; f < NF; ++f) {
      if (!(has >> f & 1)) continue;
      plex_pml_set(s, s->residual, at, R[f]);
      plex_pml_set(s, s->values, at, p[f]);
      at += NP;
    }
  }
}
