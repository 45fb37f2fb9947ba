/* Rates of sources that do not depend on the state, for the host and for kernels: dg/sources_args.h. A linear system has
   them beside its own right-hand side, as the flux of a sum is the sum of fluxes. Likewise what boundaries with values of
   their own add, which is the flux where the state is 0.

   But for boundaries, the systems' header defines PLEX_DG_INCIDENT and

     dg_incident(x, t, k, c, u)   the wave
     dg_current(p, t, k, c, s)    the rate of u that a current of numbers p has, where the basis is 1

   A team of `threads` takes an element, of which this is thread i. flux[NF * FACES * NFP] is the team's own. */
#define plex_source_add      PLEX_DG_NAME(plex_source_add)
#define plex_source_place    PLEX_DG_NAME(plex_source_place)
#define plex_source_normal   PLEX_DG_NAME(plex_source_normal)
#define plex_source_flux     PLEX_DG_NAME(plex_source_flux)
#define plex_source_boundary PLEX_DG_NAME(plex_source_boundary)
#define plex_source_lift     PLEX_DG_NAME(plex_source_lift)
#define plex_source_points   PLEX_DG_NAME(plex_source_points)

PLEX_DG_FUNCTION void plex_source_add(const PlexDGSourceTarget *to, long long at, plex_real rate)
{
  const double change = to->factor * (double)rate;

  if (to->single) {
    ((float *)to->r)[at] = (float)((double)((float *)to->r)[at] + change);
    if (to->next) ((float *)to->next)[at] = (float)((double)((float *)to->next)[at] + to->weight * change);
  } else {
    ((double *)to->r)[at] += change;
    if (to->next) ((double *)to->next)[at] += to->weight * change;
  }
}

/* Where the values of element e begin */
PLEX_DG_FUNCTION long long plex_source_place(const PlexDGSourceTarget *to, int e, int NP)
{
  return to->places ? to->places[e] * to->apart : (long long)e * PLEX_DG_NF * NP;
}

/* Outward normal n of face f; returns Fscale */
PLEX_DG_FUNCTION plex_real plex_source_normal(const plex_real *rx, int f, plex_real *n)
{
  plex_real scale = 0;

  for (int d = 0; d < PLEX_DIM; ++d) {
    n[d] = 0;
    for (int a = 0; a < PLEX_DIM; ++a)
      n[d] += f == PLEX_DIM ? rx[a * PLEX_DIM + d] : f == a ? -rx[a * PLEX_DIM + d] : 0;
    scale += n[d] * n[d];
  }
  scale = sqrt(scale);
  for (int d = 0; d < PLEX_DIM; ++d) n[d] *= 1 / scale;
  return scale;
}

#ifdef PLEX_DG_INCIDENT
/* Fscale times the flux that the wave makes at the nodes of an element's sides: of the state 0 inside, and of what the
   neighbour's state has less outside, or more */
PLEX_DG_FUNCTION void plex_source_flux(const PlexDGArgs *args, const PlexDGSourceArgs *s, int place, int NFP, int i,
                                       int threads, plex_real *flux)
{
  const int        e = s->elements[place], first = s->starts[place], count = (s->starts[place + 1] - first) * NFP;
  const plex_real *rx = (const plex_real *)args->geometry + (long long)e * PLEX_DIM * PLEX_DIM,
                  *k  = (const plex_real *)args->coefficients + (long long)e * PLEX_DG_NK,
                  *c  = (const plex_real *)args->constants;

  for (; i < count; i += threads) {
    const int q = first + i / NFP, f = s->sides[q] / 2;
    plex_real n[PLEX_DIM], none[PLEX_DG_NF], wave[PLEX_DG_NF], value[PLEX_DG_NF], scale;

    scale = plex_source_normal(rx, f, n);
    dg_incident((const plex_real *)s->x + ((long long)q * NFP + i % NFP) * PLEX_DIM, (plex_real)s->t, k, c, wave);
    for (int v = 0; v < PLEX_DG_NF; ++v) {
      none[v] = 0;
      if (s->sides[q] % 2 == 0) wave[v] = -wave[v];
    }
    dg_face(none, wave, n, k, k, c, value);
    for (int v = 0; v < PLEX_DG_NF; ++v) flux[v * (PLEX_DIM + 1) * NFP + i] = scale * value[v];
  }
}

#endif

/* Fscale times the flux at the nodes of an element's facets of the boundary, where the state inside is 0 */
PLEX_DG_FUNCTION void plex_source_boundary(const PlexDGArgs *args, const PlexDGSourceArgs *s, int place, int NFP, int i,
                                           int threads, plex_real *flux)
{
  const int        e = s->elements[place], first = s->starts[place], count = (s->starts[place + 1] - first) * NFP;
  const plex_real *rx = (const plex_real *)args->geometry + (long long)e * PLEX_DIM * PLEX_DIM,
                  *k  = (const plex_real *)args->coefficients + (long long)e * PLEX_DG_NK,
                  *c  = (const plex_real *)args->constants;

  for (; i < count; i += threads) {
    const int q = first + i / NFP;
    plex_real n[PLEX_DIM], none[PLEX_DG_NF], outside[PLEX_DG_NF], value[PLEX_DG_NF], scale;

    scale = plex_source_normal(rx, s->sides[q] / 2, n);
    for (int v = 0; v < PLEX_DG_NF; ++v) none[v] = 0;
    dg_boundary(s->kinds[q], none, n, (const plex_real *)s->x + ((long long)q * NFP + i % NFP) * PLEX_DIM,
                (plex_real)s->t, k, c, outside);
    dg_face(none, outside, n, k, k, c, value);
    for (int v = 0; v < PLEX_DG_NF; ++v) flux[v * (PLEX_DIM + 1) * NFP + i] = scale * value[v];
  }
}

/* What these fluxes add at the element's nodes */
PLEX_DG_FUNCTION void plex_source_lift(const PlexDGArgs *args, const PlexDGSourceArgs *s, const PlexDGSourceTarget *to,
                                       int place, int NP, int NFP, int i, int threads, const plex_real *flux)
{
  const int        e = s->elements[place], first = s->starts[place], count = (s->starts[place + 1] - first) * NFP;
  const plex_real *L = (const plex_real *)args->L;

  for (; i < NP; i += threads) {
    plex_real sum[PLEX_DG_NF];

    for (int v = 0; v < PLEX_DG_NF; ++v) sum[v] = 0;
    for (int m = 0; m < count; ++m) {
      const plex_real lift = L[(long long)(s->sides[first + m / NFP] / 2 * NFP + m % NFP) * NP + i];

      for (int v = 0; v < PLEX_DG_NF; ++v) sum[v] += lift * flux[v * (PLEX_DIM + 1) * NFP + m];
    }
    for (int v = 0; v < PLEX_DG_NF; ++v) plex_source_add(to, plex_source_place(to, e, NP) + v * NP + i, sum[v]);
  }
}

#ifdef PLEX_DG_INCIDENT
/* Currents at points of an element */
PLEX_DG_FUNCTION void plex_source_points(const PlexDGArgs *args, const PlexDGSourceArgs *s,
                                         const PlexDGSourceTarget *to, int place, int NP, int i, int threads)
{
  const int        e = s->pointElements[place];
  const plex_real *k = (const plex_real *)args->coefficients + (long long)e * PLEX_DG_NK,
                  *c = (const plex_real *)args->constants;

  for (; i < NP; i += threads) {
    plex_real sum[PLEX_DG_NF], rate[PLEX_DG_NF];

    for (int v = 0; v < PLEX_DG_NF; ++v) sum[v] = 0;
    for (int q = s->pointStarts[place]; q < s->pointStarts[place + 1]; ++q) {
      const plex_real b = ((const plex_real *)s->basis)[(long long)q * NP + i];

      dg_current((const plex_real *)s->numbers + (long long)q * (3 + PLEX_DG_PULSE), (plex_real)s->t, k, c, rate);
      for (int v = 0; v < PLEX_DG_NF; ++v) sum[v] += b * rate[v];
    }
    for (int v = 0; v < PLEX_DG_NF; ++v) plex_source_add(to, plex_source_place(to, e, NP) + v * NP + i, sum[v]);
  }
}
#endif
