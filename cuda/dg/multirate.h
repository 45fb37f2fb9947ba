/* Sums of local time steps at a value, for the host and for kernels: what PLEX_MULTIRATE_FUNCTION is put before. The
   method is in src/dg/ts/multirate.c. */
#include "multirate_args.h"

PLEX_MULTIRATE_FUNCTION void plex_multirate_sum(const PlexDGMultirateSum *s, long long k)
{
  double sum = s->c[0] * s->in[0][k];

  for (int j = 1; j < PLEX_MULTIRATE_ORDER && s->in[j]; ++j) sum += s->c[j] * s->in[j][k];
  s->out[k] = sum;
}

/* Value k of [n][size] */
PLEX_MULTIRATE_FUNCTION void plex_multirate_keep(const PlexDGMultirateKept *a, const double *const *derivatives,
                                                 long long k)
{
  const long long item = k / a->size, v = k % a->size, from = (long long)a->elements[item] * a->size + v;

  for (int j = 0; j < PLEX_MULTIRATE_ORDER; ++j)
    a->kept[(item * PLEX_MULTIRATE_ORDER + j) * a->size + v] = derivatives[j][from];
}

PLEX_MULTIRATE_FUNCTION void plex_multirate_evaluate(const PlexDGMultirateKept *a, const PlexDGMultirateValues *values,
                                                     long long k)
{
  const long long item = k / a->size, v = k % a->size, to = (long long)a->elements[item] * a->size + v;
  double          d[PLEX_MULTIRATE_ORDER];

  for (int j = 0; j < PLEX_MULTIRATE_ORDER; ++j) d[j] = a->kept[(item * PLEX_MULTIRATE_ORDER + j) * a->size + v];
  for (int i = 0; i < PLEX_MULTIRATE_ORDER && values->out[i]; ++i) {
    double sum = values->c[i][0] * d[0];

    for (int j = 1; j < PLEX_MULTIRATE_ORDER; ++j) sum += values->c[i][j] * d[j];
    values->out[i][to] = sum;
  }
}

/* Keeps half of a mean, or, where `ends`, adds half of another one: the mean over both steps */
PLEX_MULTIRATE_FUNCTION void plex_multirate_half(const PlexDGMultirateHalf *a, double *mean, int ends, long long k)
{
  const long long item = k / a->size, at = (long long)a->elements[item] * a->size + k % a->size;

  if (ends) mean[at] = a->sums[k] + mean[at] / 2;
  else a->sums[k] = mean[at] / 2;
}

/* Adds a sum of samples to what an element has in `to`, of all elements */
PLEX_MULTIRATE_FUNCTION void plex_multirate_drive(const PlexDGMultirateDriven *a, const PlexDGMultirateWeights *w,
                                                  double *to, long long k)
{
  const long long item = k / a->size, v = k % a->size;
  double          sum = 0;

  for (int j = 0; j < PLEX_MULTIRATE_SAMPLES; ++j)
    sum += w->c[j] * a->samples[(item * PLEX_MULTIRATE_SAMPLES + j) * a->size + v];
  to[(long long)a->elements[item] * a->size + v] += sum;
}

/* Adds what an element has in `from`, of all elements, to a sample */
PLEX_MULTIRATE_FUNCTION void plex_multirate_sample(const PlexDGMultirateDriven *a, const double *from, int j,
                                                   long long k)
{
  const long long item = k / a->size, v = k % a->size;

  a->samples[(item * PLEX_MULTIRATE_SAMPLES + j) * a->size + v] += from[(long long)a->elements[item] * a->size + v];
}
