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

/* A round: the k-th section of each field that has one. c[NF][2]: t and l; w[NF]: their inputs, and
   those of the next round; at: the place of the first variable, and then behind the last one. All numbers are asked for
   before the first of them is used, t and l as well, and stored behind the last one: a kernel moves no load ahead of a store */
PLEX_PML_FUNCTION void plex_pml_round(const PlexDGPMLStage *s, const PLEX_PML_REAL *c, int NF, int NP, long long *at,
                                      PLEX_PML_REAL *w, PLEX_PML_REAL *rate)
{
  const int     before = s->update && s->a != 0;
  int           has = 0, n = 0; /* bits of fields */
  PLEX_PML_REAL t[PLEX_PML_MOST], l[PLEX_PML_MOST], p[PLEX_PML_MOST], R[PLEX_PML_MOST];

  PLEX_PML_UNROLL
  for (int f = 0; f < NF; ++f) {
    t[f] = c[2 * f];
    l[f] = c[2 * f + 1];
  }
  PLEX_PML_UNROLL
  for (int f = 0; f < NF; ++f) {
    p[f] = R[f] = 0;
    if (l[f] < 0) continue;
    has |= 1 << f;
    p[f] = plex_pml_get(s, s->values, *at + n * NP);
    if (before) R[f] = plex_pml_get(s, s->residual, *at + n * NP);
    ++n;
  }
  PLEX_PML_UNROLL
  for (int f = 0; f < NF; ++f) {
    const PLEX_PML_REAL tf = has >> f & 1 ? t[f] : 0, dp = w[f] - l[f] * p[f];

    rate[f] -= tf * dp;
    w[f] += tf * p[f];
    R[f] = (PLEX_PML_REAL)s->dt * dp + (PLEX_PML_REAL)s->a * R[f];
    p[f] += (PLEX_PML_REAL)s->b * R[f];
  }
  n = 0;
  PLEX_PML_UNROLL
  for (int f = 0; f < NF; ++f) {
    if (!(has >> f & 1)) continue;
    if (s->update) {
      plex_pml_set(s, s->residual, *at + n * NP, R[f]);
      plex_pml_set(s, s->values, *at + n * NP, p[f]);
    }
    ++n;
  }
  *at += n * NP;
}

/* PLEX_PML_AXIS, as of Maxwell's equations in most elements: the numbers of all fields are one load */
PLEX_PML_FUNCTION void plex_pml_axis(const PlexDGPMLStage *s, const PlexDGPMLAxis *axis, double alpha, int NF, int NP,
                                     long long at, const PLEX_PML_REAL *u, PLEX_PML_REAL *rate)
{
  const int           before = s->update && s->a != 0, down = axis->down;
  const PLEX_PML_REAL sigma = (PLEX_PML_REAL)axis->rate, low = (PLEX_PML_REAL)alpha,
                      high = (PLEX_PML_REAL)(alpha + axis->rate);
  PLEX_PML_REAL       p[PLEX_PML_MOST], R[PLEX_PML_MOST];

  PLEX_PML_UNROLL
  for (int f = 0; f < NF; ++f) {
    p[f] = plex_pml_get(s, s->values, at + f * NP);
    R[f] = before ? plex_pml_get(s, s->residual, at + f * NP) : 0;
  }
  PLEX_PML_UNROLL
  for (int f = 0; f < NF; ++f) {
    const int           is = down >> f & 1;
    const PLEX_PML_REAL dp = u[f] - (is ? high : low) * p[f];

    rate[f] -= (is ? -sigma : sigma) * dp;
    R[f] = (PLEX_PML_REAL)s->dt * dp + (PLEX_PML_REAL)s->a * R[f];
    p[f] += (PLEX_PML_REAL)s->b * R[f];
  }
  if (!s->update) return;
  PLEX_PML_UNROLL
  for (int f = 0; f < NF; ++f) {
    plex_pml_set(s, s->residual, at + f * NP, R[f]);
    plex_pml_set(s, s->values, at + f * NP, p[f]);
  }
}

/* Of node i of an element with the fields u[NF]: adds to rate[NF] what the layer does */
PLEX_PML_FUNCTION void plex_pml_constant(const PlexDGPMLStage *s, PlexDGPMLItem item, const PLEX_PML_REAL *numbers,
                                         const PlexDGPMLAxis *axes, double alpha, int NF, int NP, int i,
                                         const PLEX_PML_REAL *u, PLEX_PML_REAL *rate)
{
  const PLEX_PML_REAL *c  = numbers + item.row * (PLEX_PML_ROUNDS * NF * 2);
  long long            at = item.first + i;
  PLEX_PML_REAL        w[PLEX_PML_MOST];

  if (item.rounds == PLEX_PML_AXIS) {
    plex_pml_axis(s, axes + item.row, alpha, NF, NP, at, u, rate);
    return;
  }
  PLEX_PML_UNROLL
  for (int f = 0; f < NF; ++f) w[f] = u[f];
  for (int k = 0; k < item.rounds; ++k) plex_pml_round(s, c + k * NF * 2, NF, NP, &at, w, rate);
}
