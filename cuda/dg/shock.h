/* Shock capturing in an element, for the host and for kernels: what PLEX_SHOCK_FUNCTION is put before. The method and its
   sources: src/dg/interface/shock.c.

   A state is [Ne][NF][NP] of float where `single`, else double. Limited variables w are the fields, of water elevation
   and velocities, of a gas density, velocity and pressure. */
#include "shock_args.h"
#define PLEX_STATE_FUNCTION PLEX_SHOCK_FUNCTION
#include "state.h"
#include "gas.h"

/* Values may be so much of the range of means beyond it, and so much of the mean, of water of its depth: rounding, and waves
   that small */
#define PLEX_SHOCK_BEYOND 0.01
#define PLEX_SHOCK_FLOOR  1e-5
/* Values that are beyond are those of a shock where a jump at a face is more than this times what they are beyond, and
   more than this times the range of means: at a smooth extremum both are of a higher order */
#define PLEX_SHOCK_JUMP  0.25
#define PLEX_SHOCK_RANGE 0.05
/* or where they are beyond by more than this times the range of the bounds */
#define PLEX_SHOCK_FAR 0.55
/* Water whose means differ by so much of its depth has velocities within bounds */
#define PLEX_SHOCK_STRONG 0.1

PLEX_SHOCK_FUNCTION double plex_shock_abs(double x)
{
  return x < 0 ? -x : x;
}

/* The parts of the record of element e, whose state begins at `at`: the mean of field k, that of the first one over face
   f, its least and largest value; and limited variables from means of fields */
PLEX_SHOCK_FUNCTION double plex_shock_mean(const PlexDGShockArgs *a, int e, int k, const void *u, int single,
                                           long long at)
{
  return plex_state_sum(u, single, at + k * a->NP, a->NP, a->weights + (a->affine ? 0 : (long long)e * a->NP));
}

PLEX_SHOCK_FUNCTION double plex_shock_edge(const PlexDGShockArgs *a, int f, const void *u, int single, long long at)
{
  double edge = 0;

  for (int m = 0; m < a->NFP; ++m) edge += a->along[m] * plex_state_get(u, single, at + a->faceNodes[f * a->NFP + m]);
  return edge;
}

PLEX_SHOCK_FUNCTION void plex_shock_extremes(const PlexDGShockArgs *a, const void *u, int single, long long at,
                                             double *least)
{
  least[0] = least[1] = plex_state_get(u, single, at);
  for (int i = 1; i < a->NP; ++i) {
    const double value = plex_state_get(u, single, at + i);

    least[0] = value < least[0] ? value : least[0];
    least[1] = value > least[1] ? value : least[1];
  }
}

PLEX_SHOCK_FUNCTION void plex_shock_limited(const PlexDGShockArgs *a, int e, double *mean)
{
  if (a->gamma > 0) {
    plex_gas_primitive(a->gamma, a->NF, mean);
    if (!(mean[0] > 0 && mean[a->NF - 1] > 0)) mean[0] = PLEX_SHOCK_NONE;
  }
  if (a->depth) {
    const double H = mean[0] + a->rest[e];

    for (int k = 1; k < a->NF; ++k) mean[k] /= H;
    if (!(H > a->dry)) mean[0] = PLEX_SHOCK_NONE;
  }
}

/* Record of what lies across face f of element e: of the boundary NULL */
PLEX_SHOCK_FUNCTION const double *plex_shock_across(const PlexDGShockArgs *a, int e, int f)
{
  const int link = a->links[(long long)e * a->FACES + f], trace = link / a->TURNS, ghost = trace - a->Ne * a->FACES;

  if (link < 0) return 0;
  return ghost < 0 ? a->records + (long long)(trace / a->FACES) * a->RECORD
                   : a->in + (long long)ghost * PLEX_SHOCK_TRACE(a->NF);
}

/* Whether limited variable k is a velocity */
PLEX_SHOCK_FUNCTION int plex_shock_is_velocity(const PlexDGShockArgs *a, int k)
{
  return k > 0 && (a->depth || (a->gamma > 0 && k < a->NF - 1));
}

/* low[NF], high[NF] are widened by the means of element e and of its neighbours. The boundary may be a wall, where
   velocities are 0 */
PLEX_SHOCK_FUNCTION void plex_shock_ring(const PlexDGShockArgs *a, int e, double *low, double *high)
{
  const double *own = a->records + (long long)e * a->RECORD;

  for (int f = -1; f < a->FACES; ++f) {
    const double *across = f < 0 ? own : plex_shock_across(a, e, f), *mean = across ? across : own;

    if (mean[0] == PLEX_SHOCK_NONE) continue;
    for (int k = 0; k < a->NF; ++k) {
      const double here = !across && plex_shock_is_velocity(a, k) ? 0 : mean[k];

      low[k]  = here < low[k] ? here : low[k];
      high[k] = here > high[k] ? here : high[k];
    }
  }
}

/* Likewise by the rings of its neighbours */
PLEX_SHOCK_FUNCTION void plex_shock_rings(const PlexDGShockArgs *a, int e, double *low, double *high)
{
  for (int f = 0; f < a->FACES; ++f) {
    const int link = a->links[(long long)e * a->FACES + f], trace = link / a->TURNS, ghost = trace - a->Ne * a->FACES;
    const double *ring;

    if (link < 0) continue;
    if (ghost < 0) {
      plex_shock_ring(a, trace / a->FACES, low, high);
      continue;
    }
    ring = a->in + (long long)ghost * PLEX_SHOCK_TRACE(a->NF) + PLEX_SHOCK_SENT(a->NF);
    for (int k = 0; k < a->NF; ++k) {
      low[k]  = ring[k] < low[k] ? ring[k] : low[k];
      high[k] = ring[a->NF + k] > high[k] ? ring[a->NF + k] : high[k];
    }
  }
}

/* What others are told of trace sent[g]: the record, or then the ring */
PLEX_SHOCK_FUNCTION void plex_shock_pack(const PlexDGShockArgs *a, int g, int rings)
{
  const int e   = a->sent[g] / a->FACES;
  double   *out = (g < a->nmet ? a->met : a->out) + (long long)g * PLEX_SHOCK_TRACE(a->NF),
         *low = out + PLEX_SHOCK_SENT(a->NF), *high = low + a->NF;

  for (int k = 0; k < a->NF + 2 && !rings; ++k) out[k] = a->records[(long long)e * a->RECORD + k];
  if (!rings) out[a->NF + 2] = a->records[(long long)e * a->RECORD + a->NF + 2 + a->sent[g] % a->FACES];
  if (!rings) return;
  for (int k = 0; k < a->NF; ++k) {
    low[k]  = PLEX_SHOCK_NONE;
    high[k] = -PLEX_SHOCK_NONE;
  }
  plex_shock_ring(a, e, low, high);
}

/* How far w_0 of element e is beyond its bounds, more than so much of them; or 0 */
PLEX_SHOCK_FUNCTION double plex_shock_beyond(const PlexDGShockArgs *a, int e, double low, double high, double size)
{
  const double *least = a->records + (long long)e * a->RECORD + a->NF, below = low - least[0], above = least[1] - high;
  const double  off = below > above ? below : above;

  return off > PLEX_SHOCK_BEYOND * (high - low) + PLEX_SHOCK_FLOOR * size ? off : 0;
}

/* The largest jump of w_0 at the faces of element e */
PLEX_SHOCK_FUNCTION double plex_shock_jump(const PlexDGShockArgs *a, int e)
{
  const double *edge = a->records + (long long)e * a->RECORD + a->NF + 2;
  double        jump = 0;

  for (int f = 0; f < a->FACES; ++f) {
    const int     trace  = a->links[(long long)e * a->FACES + f] / a->TURNS;
    const double *across = plex_shock_across(a, e, f);
    double        off;

    if (!across || across[0] == PLEX_SHOCK_NONE) continue;
    off  = plex_shock_abs(edge[f] - across[a->NF + 2 + (trace < a->Ne * a->FACES ? trace % a->FACES : 0)]);
    jump = off > jump ? off : jump;
  }
  return jump;
}

/* Whether there is water of element e, of mean elevation eta, everywhere; where it may not be, points are looked at */
PLEX_SHOCK_FUNCTION int plex_shock_is_wet(const PlexDGShockArgs *a, int e, double eta, const void *u, int single)
{
  const double   *least = a->records + (long long)e * a->RECORD + a->NF;
  const double    off   = eta - least[0] > least[1] - eta ? eta - least[0] : least[1] - eta;
  const long long at = (long long)e * (a->NF * a->NP), rest = (long long)e * a->NP;

  if (!a->depth || eta - a->most * off + a->deep[e] > 0) return 1;
  for (int i = 0; i < a->NP; ++i)
    if (!(plex_state_get(u, single, at + i) + a->depth[rest + i] > 0)) return 0;
  for (int g = 0; g < a->checked; ++g) {
    const double *basis = a->checks + g * a->NP;

    if (!(plex_state_sum(u, single, at, a->NP, basis) + plex_state_sum(a->depth, 0, rest, a->NP, basis) > 0)) return 0;
  }
  return 1;
}

/* The largest share, at most 1, of what is off a mean that stays within bounds */
PLEX_SHOCK_FUNCTION double plex_shock_share(double share, double off, double mean, double low, double high)
{
  const double room = off > 0 ? high - mean : mean - low, most = plex_shock_abs(off);

  return share * most > room ? room / most : share;
}

/* Field k of element e less its mean, times the largest share with which the limited variable stays within low .. high
   at the nodes and where it is looked at. Of discharges H times the mean velocity stays, too */
PLEX_SHOCK_FUNCTION void plex_shock_scale(const PlexDGShockArgs *a, int e, int k, double mean, double low, double high,
                                          void *u, int single)
{
  const long long first = (long long)e * (a->NF * a->NP), at = first + k * a->NP, rest = (long long)e * a->NP;
  const int       velocity = k && a->depth;
  double          share    = 1;

  for (int i = 0; i < a->NP; ++i) {
    const double H = velocity ? plex_state_get(u, single, first + i) + a->depth[rest + i] : 1;

    share = plex_shock_share(share, plex_state_get(u, single, at + i) / H - mean, mean, low, high);
  }
  for (int g = 0; g < a->checked; ++g) {
    const double *basis = a->checks + g * a->NP;
    double        H     = 1;

    if (velocity) H = plex_state_sum(u, single, first, a->NP, basis) + plex_state_sum(a->depth, 0, rest, a->NP, basis);
    share = plex_shock_share(share, plex_state_sum(u, single, at, a->NP, basis) / H - mean, mean, low, high);
  }
  if (share == 1) return;
  for (int i = 0; i < a->NP; ++i) {
    const double kept = velocity ? mean * (plex_state_get(u, single, first + i) + a->depth[rest + i]) : mean;

    plex_state_set(u, single, at + i, kept + share * (plex_state_get(u, single, at + i) - kept));
  }
}

#include "shock_gas.h"

/* Limits element e; the records and rings of all are there */
PLEX_SHOCK_FUNCTION void plex_shock_limit(const PlexDGShockArgs *a, int e, void *u, int single)
{
  const double   *mean = a->records + (long long)e * a->RECORD;
  const long long at   = (long long)e * (a->NF * a->NP);
  double          low[PLEX_SHOCK_FIELDS], high[PLEX_SHOCK_FIELDS], size, range, beyond;
  int             wet, strong, shock;

  if (mean[0] == PLEX_SHOCK_NONE) return;
  if (a->gamma > 0) {
    plex_gas_limit(a, e, u, single);
    return;
  }
  for (int k = 0; k < a->NF; ++k) low[k] = high[k] = mean[k];
  plex_shock_ring(a, e, low, high);
  range  = high[0] - low[0];
  size   = a->depth ? mean[0] + a->rest[e] : plex_shock_abs(mean[0]);
  wet    = plex_shock_is_wet(a, e, mean[0], u, single);
  strong = a->depth && range > PLEX_SHOCK_STRONG * size;
  if (wet && !strong && plex_shock_beyond(a, e, low[0], high[0], size) == 0) return;
  plex_shock_rings(a, e, low, high);
  beyond = plex_shock_beyond(a, e, low[0], high[0], size);
  shock  = !wet;
  if (beyond > 0) {
    const double jump = plex_shock_jump(a, e);

    shock = shock || beyond > PLEX_SHOCK_FAR * (high[0] - low[0]) ||
            (jump > PLEX_SHOCK_JUMP * beyond && jump > PLEX_SHOCK_RANGE * range);
  }
  if (!shock && !strong) return;
  for (int i = 0; i < a->NP && a->depth && a->dry > 0; ++i) /* elements that are partly dry have their own limiter */
    if (plex_state_get(u, single, at + i) + a->depth[(long long)e * a->NP + i] < a->dry) return;
  for (int k = shock ? 0 : 1; k < a->NF; ++k) plex_shock_scale(a, e, k, mean[k], low[k], high[k], u, single);
}
