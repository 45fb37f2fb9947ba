/* The library's equations of a gas with the vortex of PlexTestGasVortex() outside of boundaries with condition `inflow`. In a
   stream of density and pressure 1 that carries it along: v = V + beta/(2 pi) exp((1 - s^2)/2) (-y, x)/R, s = |x|/R,
   p/rho = 1 - (gamma - 1) beta^2/(8 gamma pi^2) exp(1 - s^2), p = rho^gamma */
#define EULER_GIVEN

PLEX_DG_FUNCTION void PLEX_DG_NAME(euler_given)(const plex_real x[], plex_real t, const plex_real c[], plex_real w[])
{
  const plex_real beta = 5, radius = (plex_real)0.15, pi = (plex_real)3.14159265358979323846;
  const plex_real a = (x[0] - (plex_real)0.45 - c[2] * t) / radius, b = (x[1] - (plex_real)0.5 - c[3] * t) / radius,
                  turn = beta / (2 * pi) * exp((1 - a * a - b * b) / 2);
  const plex_real T    = 1 - (c[0] - 1) / (2 * c[0]) * turn * turn;

  w[0] = pow(T, 1 / (c[0] - 1));
  for (int d = 0; d < PLEX_DIM; ++d) w[1 + d] = c[2 + d];
  w[1] -= turn * b;
  w[2] += turn * a;
  w[1 + PLEX_DIM] = w[0] * T;
}
#include "dg/systems/euler.h"
