/* Wetting and drying of an element, for the host and for kernels: what PLEX_SHORE_FUNCTION is put before. Sources:
   src/dg/quadrature/shore.c.

   A state is [Ne][FIELDS][NP] of float where `single`, else double: elevation eta and discharges. Depth H = eta + d of
   the water.

   PLEX_SHORE_LANES threads work on an element, of which PLEX_SHORE_LANE is the number; each has all scalars. What they
   share is in `work`, PLEX_SHORE_WORK(NP, NG) numbers. */
#include "shore_args.h"
#ifndef PLEX_SHORE_LANES /* the host: one */
  #define PLEX_SHORE_LANES    1
  #define PLEX_SHORE_LANE     0
  #define PLEX_SHORE_SUM(x)   (x) /* over the lanes */
  #define PLEX_SHORE_LEAST(x) (x)
  #define PLEX_SHORE_ANY(x)   (x)
  #define PLEX_SHORE_SYNC     (void)0
#endif
#ifndef PLEX_SHORE_RECIPROCAL
  #define PLEX_SHORE_RECIPROCAL(x) (1 / (x))
  #define PLEX_SHORE_ROOT(x)       sqrt(x) /* of what is not negative */
#endif
#ifndef PLEX_SHORE_NV /* sizes; a kernel is compiled for them */
  #define PLEX_SHORE_NV      a->NV
  #define PLEX_SHORE_NP      a->NP
  #define PLEX_SHORE_NG      a->NG
  #define PLEX_SHORE_CHECKED a->checked
  #define PLEX_SHORE_AFFINE  a->affine
#endif
#define PLEX_SHORE_MOST(x)  (-PLEX_SHORE_LEAST(-(x)))
#define PLEX_STATE_FUNCTION PLEX_SHORE_FUNCTION
#include "state.h"

/* Whether water is deeper than `dry` at all nodes and points. Where the mean elevation less what a polynomial can fall
   below it is enough, points are not looked at. range: the least and the largest depth of water at nodes, if it is */
PLEX_SHORE_FUNCTION int plex_shore_is_wet(const PlexDGShoreArgs *a, const void *u, int single, long long at,
                                          const double *depth, double mean, double range[2])
{
  double lowest = depth[0], most = 0;
  int    dry = 0;

  range[0] = PLEX_SHORE_LARGE;
  range[1] = -PLEX_SHORE_LARGE;
  for (int v = 1; v < PLEX_SHORE_NV; ++v) lowest = depth[v] < lowest ? depth[v] : lowest;
  for (int i = PLEX_SHORE_LANE; i < PLEX_SHORE_NP; i += PLEX_SHORE_LANES) {
    const double eta = plex_state_get(u, single, at + i), off = eta < mean ? mean - eta : eta - mean;
    double       d = 0;

    for (int v = 0; v < PLEX_SHORE_NV; ++v) d += a->linear[i * PLEX_SHORE_NV + v] * depth[v];
    dry |= !(eta + d >= a->dry);
    most     = off > most ? off : most;
    range[0] = range[0] < eta + d ? range[0] : eta + d;
    range[1] = range[1] > eta + d ? range[1] : eta + d;
  }
  if (PLEX_SHORE_ANY(dry)) return 0;
  range[0] = PLEX_SHORE_LEAST(range[0]);
  range[1] = PLEX_SHORE_MOST(range[1]);
  if (mean - a->most * PLEX_SHORE_MOST(most) + lowest >= a->dry) return 1;
  for (int g = PLEX_SHORE_LANE; g < PLEX_SHORE_CHECKED; g += PLEX_SHORE_LANES) {
    double H = plex_state_sum(u, single, at, PLEX_SHORE_NP, a->checks + g * PLEX_SHORE_NP);

    for (int v = 0; v < PLEX_SHORE_NV; ++v) H += a->linearChecked[g * PLEX_SHORE_NV + v] * depth[v];
    dry |= !(H >= a->dry);
  }
  return !PLEX_SHORE_ANY(dry);
}

/* The square of the speed at which water of mean velocity q/H, `most` deep, runs out on dry land: |q|/H + 2 sqrt(g most),
   Ritter's front of a dam break. A discharge with the square q2 in water of depth H is faster if q2 > this H^2 */
PLEX_SHORE_FUNCTION double plex_shore_front(const PlexDGShoreArgs *a, const double mean[], double meanH, double most)
{
  const double speed = PLEX_SHORE_ROOT(mean[1] * mean[1] + mean[2] * mean[2]) * PLEX_SHORE_RECIPROCAL(meanH) +
                       2 * PLEX_SHORE_ROOT(a->gravity * most);

  return speed * speed;
}

/* Whether water is faster than that at a node. Looked at where it is thin at a node: there a discharge that is a
   polynomial would be a velocity without bound, and the inverse of the time step with it */
PLEX_SHORE_FUNCTION int plex_shore_has_fast(const PlexDGShoreArgs *a, const void *u, int single, long long at,
                                            const double *depth, const double mean[], double meanH, double most)
{
  const double front = plex_shore_front(a, mean, meanH, most);
  int          fast  = 0;

  for (int i = PLEX_SHORE_LANE; i < PLEX_SHORE_NP; i += PLEX_SHORE_LANES) {
    const double qx = plex_state_get(u, single, at + PLEX_SHORE_NP + i),
                 qy = plex_state_get(u, single, at + 2 * PLEX_SHORE_NP + i);
    double       H  = plex_state_get(u, single, at + i);

    for (int v = 0; v < PLEX_SHORE_NV; ++v) H += a->linear[i * PLEX_SHORE_NV + v] * depth[v];
    fast |= qx * qx + qy * qy > front * H * H;
  }
  return PLEX_SHORE_ANY(fast);
}

/* The level of water of mean depth H over a linear bottom of which its vertices alone count: sum over v of weight[v]
   max(level + depth[v], 0) = H. That sum is the most that any set of vertices gives without max(), and the level so the
   least that any does, of sets of the deepest ones. */
PLEX_SHORE_FUNCTION double plex_shore_level(int NV, const double *depth, const double *weight, double H)
{
  double level = PLEX_SHORE_LARGE;

  for (int v = PLEX_SHORE_LANE; v < NV; v += PLEX_SHORE_LANES) {
    double share = 0, sum = H;

    for (int w = 0; w < NV; ++w) {
      const int deeper = depth[w] >= depth[v];

      share += deeper ? weight[w] : 0;
      sum -= deeper ? weight[w] * depth[w] : 0;
    }
    sum *= PLEX_SHORE_RECIPROCAL(share);
    level = sum < level ? sum : level;
  }
  return PLEX_SHORE_LEAST(level);
}

/* The mean of a field, and what the functions of the vertices contribute to one */
PLEX_SHORE_FUNCTION double plex_shore_mean(const PlexDGShoreArgs *a, const void *u, int single, long long at,
                                           const double *weights)
{
  double sum = 0;

  for (int i = PLEX_SHORE_LANE; i < PLEX_SHORE_NP; i += PLEX_SHORE_LANES)
    sum += weights[i] * plex_state_get(u, single, at + i);
  return PLEX_SHORE_SUM(sum);
}
PLEX_SHORE_FUNCTION void plex_shore_shares(const PlexDGShoreArgs *a, const double *weights, double *work,
                                           double linear[])
{
  for (int v = PLEX_SHORE_LANE; v < PLEX_SHORE_NV; v += PLEX_SHORE_LANES) {
    double sum = 0;

    PLEX_STATE_UNROLL
    for (int i = 0; i < PLEX_SHORE_NP; ++i) sum += weights[i] * a->linear[i * PLEX_SHORE_NV + v];
    work[v] = sum;
  }
  PLEX_SHORE_SYNC;
  for (int v = 0; v < PLEX_SHORE_NV; ++v) linear[v] = work[v];
  PLEX_SHORE_SYNC;
}

/* sums[k]: over the nodes of w[i] times field k */
PLEX_SHORE_FUNCTION void plex_shore_sums(const PlexDGShoreArgs *a, const void *u, int single, long long at,
                                         const double *w, double sums[PLEX_SHORE_FIELDS])
{
  for (int k = 0; k < PLEX_SHORE_FIELDS; ++k) sums[k] = 0;
  PLEX_STATE_UNROLL
  for (int i = 0; i < PLEX_SHORE_NP; ++i)
    for (int k = 0; k < PLEX_SHORE_FIELDS; ++k) sums[k] += w[i] * plex_state_get(u, single, at + k * PLEX_SHORE_NP + i);
}

/* Energy density but that of dry land, twice: water of elevation eta over depth d with the square q2 of the discharge */
PLEX_SHORE_FUNCTION void plex_shore_energy(const PlexDGShoreArgs *a, double weight, double eta, double d, double q2,
                                           double energy[2])
{
  const double H = eta + d > 0 ? eta + d : 0, deep = H > a->dry ? H : a->dry;

  energy[0] += weight * a->gravity * eta * eta;
  energy[1] += weight * q2 * 2 * H * PLEX_SHORE_RECIPROCAL(H * H + deep * deep);
}

/* The factor of discharges with which the linear functions `values` have no more energy than the state */
PLEX_SHORE_FUNCTION double plex_shore_factor(const PlexDGShoreArgs *a, int l, const void *u, int single, long long at,
                                             const double values[][PLEX_SHORE_VERTICES])
{
  const double *depth   = a->depth + (long long)l * PLEX_SHORE_NV,
               *volumes = a->volumes + (PLEX_SHORE_AFFINE ? 0 : (long long)l * PLEX_SHORE_NG);
  double before[2] = {0, 0}, after[2] = {0, 0}, most; /* potential and kinetic */

  for (int g = PLEX_SHORE_LANE; g < PLEX_SHORE_NG; g += PLEX_SHORE_LANES) {
    double d = 0, old[PLEX_SHORE_FIELDS], now[PLEX_SHORE_FIELDS];

    for (int v = 0; v < PLEX_SHORE_NV; ++v) d += a->linearPoints[g * PLEX_SHORE_NV + v] * depth[v];
    plex_shore_sums(a, u, single, at, a->checks + g * PLEX_SHORE_NP, old);
    for (int k = 0; k < PLEX_SHORE_FIELDS; ++k) {
      now[k] = 0;
      for (int v = 0; v < PLEX_SHORE_NV; ++v) now[k] += a->linearPoints[g * PLEX_SHORE_NV + v] * values[k][v];
    }
    plex_shore_energy(a, volumes[g], old[0], d, old[1] * old[1] + old[2] * old[2], before);
    plex_shore_energy(a, volumes[g], now[0], d, now[1] * now[1] + now[2] * now[2], after);
  }
  most     = PLEX_SHORE_SUM(before[0] + before[1] - after[0]);
  after[1] = PLEX_SHORE_SUM(after[1]);
  return after[1] <= most ? 1 : most > 0 ? sqrt(most / after[1]) : 0;
}

/* Whether a vertex has a film: less than PLEX_SHORE_THIN of the depth `most`, on land higher above `level`, the one level
   that the element's water would have, than water of its mean velocity climbs. Elevation eta at the vertices */
PLEX_SHORE_FUNCTION int plex_shore_has_film(const PlexDGShoreArgs *a, const double mean[], double meanH, double most,
                                            double level, const double *depth, const double eta[])
{
  const double head = (mean[1] * mean[1] + mean[2] * mean[2]) * PLEX_SHORE_RECIPROCAL(2 * a->gravity * meanH * meanH);

  for (int v = 0; v < PLEX_SHORE_NV; ++v)
    if (eta[v] + depth[v] < PLEX_SHORE_THIN * most && -depth[v] > level + head) return 1;
  return 0;
}

/* Element elements[l], which is in u from `at` on; whether anything changes. Where its water is not deeper than `dry`
   everywhere, or too fast where it is thin, or a film, all fields become linear functions with the same means; and where a
   vertex then has less, or a film, the water of the element gets one level and one velocity, and none where it is nowhere
   deeper than `dry`; where a vertex then is too fast, one velocity. Where it then had more energy, it becomes slower, as by
   friction at the bottom: by PLEX_SHORE_FRICTION of that, and not where a film was put down in water, as that level has
   the least energy */
PLEX_SHORE_FUNCTION int plex_shore_limit(const PlexDGShoreArgs *a, int l, void *u, int single, long long at,
                                         double *work)
{
  const double *weights = a->weights + (PLEX_SHORE_AFFINE ? 0 : (long long)l * PLEX_SHORE_NP),
               *project = a->project + (PLEX_SHORE_AFFINE ? 0 : (long long)l * (PLEX_SHORE_NV * PLEX_SHORE_NP)),
               *depth   = a->depth + (long long)l * PLEX_SHORE_NV;
  double values[PLEX_SHORE_FIELDS][PLEX_SHORE_VERTICES], mean[PLEX_SHORE_FIELDS], linear[PLEX_SHORE_VERTICES], range[2],
    H = 0, level;
  int wet, film, put, one = 0; /* one velocity */

  mean[0] = plex_shore_mean(a, u, single, at, weights);
  wet     = plex_shore_is_wet(a, u, single, at, depth, mean[0], range);
  if (wet && range[0] >= PLEX_SHORE_THIN * range[1]) return 0;
  plex_shore_shares(a, weights, work, linear);
  for (int v = 0; v < PLEX_SHORE_NV; ++v) H += linear[v] * depth[v];
  H += mean[0]; /* its mean */
  for (int k = 1; k < PLEX_SHORE_FIELDS; ++k) mean[k] = plex_shore_mean(a, u, single, at + k * PLEX_SHORE_NP, weights);
  for (int v = 0; v < PLEX_SHORE_NV; ++v) values[0][v] = plex_state_get(u, single, at + a->vertices[v]);
  level = plex_shore_level(PLEX_SHORE_NV, depth, linear, H);
  put   = wet && plex_shore_has_film(a, mean, H, range[1], level, depth, values[0]);
  if (wet && !put && !plex_shore_has_fast(a, u, single, at, depth, mean, H, range[1])) return 0;
  wet = 0;
  for (int v = PLEX_SHORE_LANE; v < PLEX_SHORE_NV; v += PLEX_SHORE_LANES) {
    double sums[PLEX_SHORE_FIELDS];

    plex_shore_sums(a, u, single, at, project + v * PLEX_SHORE_NP, sums);
    for (int k = 0; k < PLEX_SHORE_FIELDS; ++k) work[k * PLEX_SHORE_NV + v] = sums[k];
  }
  PLEX_SHORE_SYNC;
  for (int k = 0; k < PLEX_SHORE_FIELDS; ++k)
    for (int v = 0; v < PLEX_SHORE_NV; ++v) values[k][v] = work[k * PLEX_SHORE_NV + v];
  range[1] = 0;
  for (int v = 0; v < PLEX_SHORE_NV; ++v) {
    wet += values[0][v] + depth[v] >= a->dry;
    range[1] = values[0][v] + depth[v] > range[1] ? values[0][v] + depth[v] : range[1];
  }
  if (wet == PLEX_SHORE_NV) {
    const double front = plex_shore_front(a, mean, H, range[1]);

    for (int v = 0; v < PLEX_SHORE_NV; ++v)
      one += values[1][v] * values[1][v] + values[2][v] * values[2][v] >
             front * (values[0][v] + depth[v]) * (values[0][v] + depth[v]);
  }
  film = H > 0 && plex_shore_has_film(a, mean, H, range[1], level, depth, values[0]);
  if (wet < PLEX_SHORE_NV || film) {
    double share = 0, rest = mean[0];
    int    deepest = 0;

    for (int v = 0; v < PLEX_SHORE_NV; ++v) {
      values[0][v] = level > -depth[v] ? level : H > 0 ? -depth[v] : H - depth[v];
      rest -= linear[v] * values[0][v];
      share += level > -depth[v] ? linear[v] : 0;
      deepest = depth[v] > depth[deepest] ? v : deepest;
    }
    wet = 0;
    one = 1;
    /* so little water that rounding puts its level below the bottom */
    if (!(share > 0) && H > 0)
      for (int v = 0; v < PLEX_SHORE_NV; ++v) values[0][v] += v == deepest ? rest / linear[v] : 0;
    for (int v = 0; v < PLEX_SHORE_NV; ++v) {
      /* rounding of the level: else water were lost little by little */
      if (level > -depth[v]) values[0][v] += rest / share;
      wet += values[0][v] + depth[v] >= a->dry;
    }
  }
  if (one)
    for (int k = 1; k < PLEX_SHORE_FIELDS; ++k) {
      const double velocity = wet ? mean[k] / H : 0;

      for (int v = 0; v < PLEX_SHORE_NV; ++v) values[k][v] = (values[0][v] + depth[v]) * velocity;
    }
  if (!put) {
    const double factor = 1 - PLEX_SHORE_FRICTION * (1 - plex_shore_factor(a, l, u, single, at, values));

    for (int k = 1; k < PLEX_SHORE_FIELDS; ++k)
      for (int v = 0; v < PLEX_SHORE_NV; ++v) values[k][v] *= factor;
  }
  PLEX_SHORE_SYNC; /* all have read the state */
  for (int k = 0; k < PLEX_SHORE_FIELDS; ++k)
    for (int i = PLEX_SHORE_LANE; i < PLEX_SHORE_NP; i += PLEX_SHORE_LANES) {
      double sum = 0;

      for (int v = 0; v < PLEX_SHORE_NV; ++v) sum += a->linear[i * PLEX_SHORE_NV + v] * values[k][v];
      plex_state_set(u, single, at + k * PLEX_SHORE_NP + i, sum);
    }
  return 1;
}

/* How far vertices of land lie above the one level that the water of an element would have, its depth H at the vertices
   summed up: as far as the slope of the surface up to them is none of water. It is one where the vertex has
   1/PLEX_SHORE_SHEET of the mean depth or more, as in a sheet of water that runs up or down; a film on a cliff is not
   to push all the water below. Returns how many do */
PLEX_SHORE_FUNCTION int plex_shore_rise(int NV, const double *depth, const double H[], double rise[])
{
  const double one[PLEX_SHORE_VERTICES] = {1, 1, 1, 1};
  double       sum                      = 0, level, whole;
  int          higher                   = 0;

  for (int v = 0; v < NV; ++v) sum += H[v];
  level = plex_shore_level(NV, depth, one, sum);
  whole = sum > 0 ? PLEX_SHORE_SHEET * NV / sum : 0;
  for (int v = 0; v < NV; ++v) {
    const double sheet = H[v] > 0 ? H[v] * whole : 0;

    rise[v] = sheet < 1 && -depth[v] > level ? (1 - sheet * sheet) * (-depth[v] - level) : 0;
    higher += rise[v] > 0;
  }
  return higher;
}

/* Element elements[l] with the state u: what the slope of its surface up to higher land, which is no slope of water,
   does to discharges is taken from r, s times it, and where there is `next`, b times that from it, too */
PLEX_SHORE_FUNCTION void plex_shore_correct(const PlexDGShoreArgs *a, int l, const void *u, void *r, double s,
                                            void *next, double b, int single, double *work)
{
  const long long at    = (long long)a->elements[l] * (PLEX_SHORE_FIELDS * PLEX_SHORE_NP);
  const double   *depth = a->depth + (long long)l * PLEX_SHORE_NV,
               *C = a->C + (long long)l * (PLEX_SHORE_DIM * PLEX_SHORE_DIM) * (PLEX_SHORE_AFFINE ? 1 : PLEX_SHORE_NG);
  const int step  = PLEX_SHORE_AFFINE ? 1 : PLEX_SHORE_NG;
  double    H[PLEX_SHORE_VERTICES], rise[PLEX_SHORE_VERTICES],
    *forces = work + PLEX_SHORE_DIM * PLEX_SHORE_NP; /* [DIM][NG], times det J where elements are not affine */
  int wet   = 0;

  for (int v = 0; v < PLEX_SHORE_NV; ++v) {
    H[v] = plex_state_get(u, single, at + a->vertices[v]) + depth[v];
    wet += H[v] >= a->dry;
  }
  if (!wet || !plex_shore_rise(PLEX_SHORE_NV, depth, H, rise)) return;
  for (int g = PLEX_SHORE_LANE; g < PLEX_SHORE_NG; g += PLEX_SHORE_LANES) {
    double here = 0, slope[PLEX_SHORE_DIM] = {0, 0};

    for (int v = 0; v < PLEX_SHORE_NV; ++v) {
      here += a->linearPoints[g * PLEX_SHORE_NV + v] * H[v];
      for (int c = 0; c < PLEX_SHORE_DIM; ++c)
        slope[c] += a->linearSlopes[(c * PLEX_SHORE_NG + g) * PLEX_SHORE_NV + v] * rise[v];
    }
    for (int d = 0; d < PLEX_SHORE_DIM; ++d) {
      double force = 0;

      for (int c = 0; c < PLEX_SHORE_DIM; ++c)
        force += C[(c * PLEX_SHORE_DIM + d) * step + (PLEX_SHORE_AFFINE ? 0 : g)] * slope[c];
      forces[d * PLEX_SHORE_NG + g] = force * a->gravity * here;
    }
  }
  PLEX_SHORE_SYNC;
  for (int i = PLEX_SHORE_LANE; i < PLEX_SHORE_NP; i += PLEX_SHORE_LANES) {
    double sums[PLEX_SHORE_DIM] = {0, 0};

    PLEX_STATE_UNROLL
    for (int g = 0; g < PLEX_SHORE_NG; ++g)
      for (int d = 0; d < PLEX_SHORE_DIM; ++d)
        sums[d] += a->redistribute[g * PLEX_SHORE_NP + i] * forces[d * PLEX_SHORE_NG + g];
    for (int d = 0; d < PLEX_SHORE_DIM; ++d) work[d * PLEX_SHORE_NP + i] = sums[d];
  }
  PLEX_SHORE_SYNC;
  for (int i = PLEX_SHORE_LANE; i < PLEX_SHORE_NP; i += PLEX_SHORE_LANES) {
    double sums[PLEX_SHORE_DIM] = {0, 0};

    if (!PLEX_SHORE_AFFINE) {
      PLEX_STATE_UNROLL
      for (int j = 0; j < PLEX_SHORE_NP; ++j)
        for (int d = 0; d < PLEX_SHORE_DIM; ++d)
          sums[d] += a->Minv[((long long)l * PLEX_SHORE_NP + j) * PLEX_SHORE_NP + i] * work[d * PLEX_SHORE_NP + j];
    }
    for (int d = 0; d < PLEX_SHORE_DIM; ++d) {
      const long long to    = at + (1 + d) * PLEX_SHORE_NP + i;
      const double    value = PLEX_SHORE_AFFINE ? work[d * PLEX_SHORE_NP + i] : sums[d];

      plex_state_set(r, single, to, plex_state_get(r, single, to) + s * value);
      if (next) plex_state_set(next, single, to, plex_state_get(next, single, to) + b * s * value);
    }
  }
}
