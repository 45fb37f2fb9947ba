/* How a source changes in time, for kernels and for the host

     cos(w s + phase), s = t - delay,  times exp(-s^2/width^2) where width > 0
                                       times a ramp where ramp > 0: 0 for s < 0, 1 from s = ramp on, and between them
                                       q^3 (10 - 15 q + 6 q^2), q = s/ramp, so that two derivatives are continuous

   numbers p: w, phase, delay, width, ramp */
#define PLEX_DG_PULSE 5

#define dg_pulse PLEX_DG_NAME(dg_pulse)

PLEX_DG_FUNCTION plex_real dg_pulse(plex_real t, const plex_real p[])
{
  const plex_real s    = t - p[2];
  plex_real       wave = cos(p[0] * s + p[1]);

  if (p[3] > 0) wave *= exp(-(s * s) / (p[3] * p[3]));
  if (p[4] > 0) {
    const plex_real q = s <= 0 ? 0 : s < p[4] ? s / p[4] : 1;

    wave *= q * q * q * (10 + q * (6 * q - 15));
  }
  return wave;
}
