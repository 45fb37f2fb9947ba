/* A gas at shocks, behind shock.h: src/dg/interface/shock.c */

/* At a shock a jump at a face is more than this times the range of means: on meshes that resolve a smooth flow all jumps are
   less than half of that */
#define PLEX_GAS_RANGE 0.1
/* Room of bounds, in density, pressure and speed of sound */
#define PLEX_GAS_ROOM 0.005
/* What of the mean density and pressure the least ones in an element are, at least */
#define PLEX_GAS_LEAST 0.01

/* 1 where density and pressure are surely more than that at all points of an element whose state begins at `at`: a
   polynomial is off its mean by at most a->most times what it is at the nodes */
PLEX_SHOCK_FUNCTION double plex_gas_is_safe(const PlexDGShockArgs *a, int e, const void *u, int single, long long at)
{
  const int NF = a->NF;
  double    mean[PLEX_SHOCK_FIELDS], off[PLEX_SHOCK_FIELDS], momentum = 0, least, p;

  for (int k = 0; k < NF; ++k) {
    mean[k] = plex_shock_mean(a, e, k, u, single, at);
    off[k]  = 0;
    for (int i = 0; i < a->NP; ++i) {
      const double here = plex_shock_abs(plex_state_get(u, single, at + k * a->NP + i) - mean[k]);

      off[k] = here > off[k] ? here : off[k];
    }
    off[k] *= a->most;
  }
  for (int k = 1; k < NF - 1; ++k) {
    const double most = plex_shock_abs(mean[k]) + off[k];

    momentum += most * most;
  }
  least = mean[0] - off[0];
  p     = (a->gamma - 1) * (mean[NF - 1] - off[NF - 1] - momentum / (2 * least));
  if (!(least > PLEX_GAS_LEAST * mean[0])) return 0;
  plex_gas_primitive(a->gamma, NF, mean);
  return p > PLEX_GAS_LEAST * mean[NF - 1];
}

/* off[NF]: the state of element e less its mean u, at node n, or behind these at a point where bounds hold */
PLEX_SHOCK_FUNCTION void plex_gas_off(const PlexDGShockArgs *a, int e, int n, const double *mean, const void *u,
                                      int single, double *off)
{
  const long long at = (long long)e * (a->NF * a->NP);

  for (int k = 0; k < a->NF; ++k)
    off[k] = (n < a->NP ? plex_state_get(u, single, at + k * a->NP + n)
                        : plex_state_sum(u, single, at + k * a->NP, a->NP, a->checks + (n - a->NP) * a->NP)) -
             mean[k];
}

/* The largest share with which the primitive variables stay within low .. high at a point; velocities, and the pressure's
   upper bound, where `all` is set */
PLEX_SHOCK_FUNCTION double plex_gas_share(const PlexDGShockArgs *a, const double *mean, const double *off,
                                          const double *low, const double *high, int all)
{
  const int NF    = a->NF;
  double    share = plex_gas_density_share(mean[0], off[0], low[0], high[0]), other;

  other = plex_gas_pressure_share(a->gamma, NF, mean, off, low[NF - 1], 1);
  share = other < share ? other : share;
  if (!all) return share;
  other = plex_gas_pressure_share(a->gamma, NF, mean, off, high[NF - 1], -1);
  share = other < share ? other : share;
  for (int k = 1; k < NF - 1; ++k) {
    other = plex_gas_velocity_share(k, mean, off, low[k], high[k]);
    share = other < share ? other : share;
  }
  return share;
}

/* Whether element e is at a shock; low[NF], high[NF]: its bounds */
PLEX_SHOCK_FUNCTION int plex_gas_is_shock(const PlexDGShockArgs *a, int e, double *low, double *high)
{
  const double *w    = a->records + (long long)e * a->RECORD;
  const double  jump = plex_shock_jump(a, e);

  if (!(jump > a->weakest * w[0])) return 0;
  for (int k = 0; k < a->NF; ++k) low[k] = high[k] = w[k];
  plex_shock_ring(a, e, low, high);
  if (!(jump > PLEX_GAS_RANGE * (high[0] - low[0])) || plex_shock_beyond(a, e, low[0], high[0], w[0]) == 0) return 0;
  plex_shock_rings(a, e, low, high);
  return 1;
}

/* Bounds with room for what is small beside density, pressure and the speed of sound: else rounding of a velocity that is 0
   everywhere, or of a pressure that is the same at both sides of a contact, would limit all fields */
PLEX_SHOCK_FUNCTION void plex_gas_widen(const PlexDGShockArgs *a, const double *w, double *low, double *high)
{
  const int    last  = a->NF - 1;
  const double sound = PLEX_GAS_ROOM * sqrt(a->gamma * w[last] / w[0]);

  for (int k = 0; k <= last; ++k) {
    low[k]  = k && k < last ? low[k] - sound : (1 - PLEX_GAS_ROOM) * low[k];
    high[k] = k && k < last ? high[k] + sound : (1 + PLEX_GAS_ROOM) * high[k];
  }
}

/* All fields of element e less their means, times the largest share with which density, velocity and pressure stay within
   their bounds at a shock, and elsewhere density and pressure positive */
PLEX_SHOCK_FUNCTION void plex_gas_limit(const PlexDGShockArgs *a, int e, void *u, int single)
{
  const int       NF = a->NF, safe = a->records[(long long)e * a->RECORD + a->RECORD - 1] > 0;
  const long long at = (long long)e * (NF * a->NP);
  double          low[PLEX_SHOCK_FIELDS], high[PLEX_SHOCK_FIELDS], mean[PLEX_SHOCK_FIELDS], share = 1;
  const int       shock = plex_gas_is_shock(a, e, low, high);

  if (!shock && safe) return;
  if (shock) plex_gas_widen(a, a->records + (long long)e * a->RECORD, low, high);
  for (int k = 0; k < NF; ++k) mean[k] = plex_shock_mean(a, e, k, u, single, at);
  if (!shock) {
    const double *w = a->records + (long long)e * a->RECORD;

    low[0]      = PLEX_GAS_LEAST * w[0];
    low[NF - 1] = PLEX_GAS_LEAST * w[NF - 1];
    high[0]     = PLEX_SHOCK_NONE;
  }
  for (int n = 0; n < a->NP + a->checked; ++n) {
    double off[PLEX_SHOCK_FIELDS], here;

    plex_gas_off(a, e, n, mean, u, single, off);
    here  = plex_gas_share(a, mean, off, low, high, shock);
    share = here < share ? here : share;
  }
  if (share == 1) return;
  for (int k = 0; k < NF; ++k)
    for (int i = 0; i < a->NP; ++i) {
      const long long here = at + k * a->NP + i;

      plex_state_set(u, single, here, mean[k] + share * (plex_state_get(u, single, here) - mean[k]));
    }
}
