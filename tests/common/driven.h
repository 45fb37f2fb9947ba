/* Maxwell's equations with a current of a user's own, which makes E_z = sin(pi x) sin(pi y) sin(w t) in a box of
   conducting walls: with mu H_t = -curl E from H at time 0, epsilon E_t = curl H - sigma E - J. The angular frequency w
   is that of the constant `frequency`. */
#define PLEX_DG_SOURCE
#include "dg/systems/maxwell.h"

PLEX_DG_FUNCTION void dg_source(const plex_real u[], const plex_real x[], plex_real t, const plex_real k[],
                                const plex_real c[], plex_real s[])
{
  const plex_real pi = (plex_real)3.14159265358979323846, w = c[7];
  const plex_real J = sin(pi * x[0]) * sin(pi * x[1]) *
                      ((2 * pi * pi / (k[1] * w) - k[0] * w) * cos(w * t) - k[2] * sin(w * t));

  s[2] = -J / k[0];
}
