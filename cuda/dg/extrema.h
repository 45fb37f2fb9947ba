/* Extrema of water over the steps of a run, at a node, for the host and for kernels: what PLEX_EXTREMA_FUNCTION is put
   before. Of elevation eta, discharge q and depth at rest d, with H = d + eta (of the linear equations d),

     highest = max eta,   fastest = max |q|/H where H > dry,   arrival = the first t at which |eta - initial| > threshold

   fma() says where sums of products are rounded, so that all backends have the same bits. All is double. */
#ifndef PLEX_DG_EXTREMA_H
#define PLEX_DG_EXTREMA_H

#define PLEX_EXTREMA_VALUES 4 /* of a node: initial, highest, fastest, arrival */

/* One layout for host C and device C++: passed by value */
typedef struct {
  const double *depth;                 /* [Ne][NP] at rest */
  double       *values;                /* [Ne][PLEX_EXTREMA_VALUES][NP] */
  double        nonlinear;             /* 1; 0 where H is d */
  double        dry, threshold, never; /* `never` is the arrival before there is one, NaN */
  long long     n;                     /* Ne NP nodes */
  int           NP, NF;
} PlexDGExtremaArgs;

/* Node k of the state u[Ne][NF][NP] at time t; first: no state was seen before */
PLEX_EXTREMA_FUNCTION void plex_extrema_see(const PlexDGExtremaArgs *a, const double *u, double t, int first,
                                            long long k)
{
  const long long e = k / a->NP, i = k - e * a->NP;
  const double   *at = u + e * a->NF * a->NP + i;
  double *value = a->values + e * PLEX_EXTREMA_VALUES * a->NP + i, *highest = value + a->NP, *fastest = highest + a->NP,
         *arrival  = fastest + a->NP;
  const double eta = at[0], H = fma(a->nonlinear, eta, a->depth[k]);
  double       q2 = 0, speed = 0;

  for (int f = 1; f < a->NF; ++f) q2 = fma(at[f * a->NP], at[f * a->NP], q2);
  if (H > a->dry) speed = sqrt(q2) / H;
  if (first) {
    *value   = eta;
    *highest = eta;
    *fastest = speed;
    *arrival = a->never;
    return;
  }
  if (eta > *highest) *highest = eta;
  if (speed > *fastest) *fastest = speed;
  if (!(*arrival == *arrival) && fabs(eta - *value) > a->threshold) *arrival = t;
}

#endif
