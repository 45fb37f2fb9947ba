/* The decay of fields at a node, for the host and for kernels: what PLEX_DECAY_FUNCTION is put before. Of

     u' = F(u, t) - s u,   s constant in an element

   the part F that the step begins with, F_0, and s are taken exactly. With p(t) the solution from 0 for F_0 alone, the
   difference z = exp(s t) (u - p) has z' = exp(s t) (F - F_0), which a Runge-Kutta scheme solves (generalized integrating
   factors: S. Krogstad, J. Comput. Phys. 203, 2005; here with the forcing of the step's beginning). Its order is that of
   the scheme, u = F_0/s is kept, and u becomes F_0/s where s is large. What is stored are u and R = exp(-s t) times the
   residual of z, so that a stage of a low-storage scheme

     R = a R + dt F(u),   u+ = u + b R

   is followed by, with its duration h = (c+ - c) dt and f = dt F_0, which is R of the first stage,

     R = exp(-s h) (R - f),   u+ = exp(-s h) (u+ - b f) + (h/dt) phi(s h) f,   phi(x) = (1 - exp(-x))/x

   where nothing grows as long as no duration is negative. The error of an embedded scheme, a sum of weights w times R,
   becomes exp(-s h) (error - w f). */
#include "decay_args.h"
#define PLEX_STATE_FUNCTION PLEX_DECAY_FUNCTION
#include "state.h"

/* Value k of those that decay, [n][NP] */
PLEX_DECAY_FUNCTION void plex_decay_stage(const PlexDGDecayArgs *a, const PlexDGDecayStage *s, long long k)
{
  const int       item = (int)(k / a->NP), single = s->single;
  const long long at = (long long)a->at[item] * a->NP + k % a->NP;
  const double    x = a->rates[item] * s->duration, keep = exp(-x), phi = x > 0 ? -expm1(-x) / x : 1;
  const double    R = plex_state_get(s->residual, single, at);
  const double    f = s->first ? R : plex_state_get(s->forcing, single, k);

  if (s->first) plex_state_set(s->forcing, single, k, f);
  plex_state_set(s->residual, single, at, keep * (R - f));
  plex_state_set(s->next, single, at, keep * (plex_state_get(s->next, single, at) - s->b * f) + s->share * phi * f);
  if (s->error) s->error[at] = keep * (s->error[at] - s->weight * f);
}

/* Takes factor s u from r, and weight times that from next unless it is NULL */
PLEX_DECAY_FUNCTION void plex_decay_add(const PlexDGDecayArgs *a, const void *u, void *r, double factor, void *next,
                                        double weight, int single, long long k)
{
  const int       item = (int)(k / a->NP);
  const long long at   = (long long)a->at[item] * a->NP + k % a->NP;
  const double    lost = factor * a->rates[item] * plex_state_get(u, single, at);

  plex_state_set(r, single, at, plex_state_get(r, single, at) - lost);
  if (next) plex_state_set(next, single, at, plex_state_get(next, single, at) - weight * lost);
}
