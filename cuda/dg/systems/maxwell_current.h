/* maxwell.h with a current, epsilon E_t = curl H - sigma E - J: what system maxwell is where its constant `current` is
   not zero

     J = P exp(-|x - x0|^2/a^2) cos(w (t - t0)) exp(-(t - t0)^2/b^2)

   constants, behind those of maxwell_pulse.h: P[3] current, x0[3] current_center, a current_radius, where 0 is everywhere, w
   current_frequency (angular), t0 current_delay, b current_width, where 0 is for ever */
#ifndef PLEX_DG_NC
  #define PLEX_DG_NC 22
#endif
#define PLEX_DG_SOURCE
#include "maxwell.h"

PLEX_DG_FUNCTION void dg_source(const plex_real u[], const plex_real x[], plex_real t, const plex_real k[],
                                const plex_real c[], plex_real s[])
{
  const plex_real time = t - c[20], a2 = c[18] * c[18], b2 = c[21] * c[21];
  plex_real       exponent = 0, size;

  for (int d = 0; d < PLEX_DIM && a2 > 0; ++d) exponent += (x[d] - c[15 + d]) * (x[d] - c[15 + d]) / a2;
  if (b2 > 0) exponent += time * time / b2;
  size = cos(c[19] * time) * exp(-exponent) / k[0];
  for (int d = 0; d < 3; ++d) s[d] = -c[12 + d] * size;
}
