/* Sound in a medium of uniform velocity w: p_t + w . grad p + c div v = 0, v_t + w . grad v + c grad p = 0; p is the
   pressure over density and speed of sound. Constants: c, w[3], and q of the wave that enters through the boundary */
#define PLEX_DG_NF (1 + PLEX_DIM) /* p, v */
#define PLEX_DG_NC 5
#define PLEX_DG_FLUX_FORM
#define PLEX_DG_POSITIONS

PLEX_DG_FUNCTION void dg_flux(const plex_real u[], const plex_real k[], const plex_real c[], plex_real F[][PLEX_DG_NF])
{
  for (int d = 0; d < PLEX_DIM; ++d) {
    for (int i = 0; i < PLEX_DG_NF; ++i) F[d][i] = c[1 + d] * u[i];
    F[d][0] += c[0] * u[1 + d];
    F[d][1 + d] += c[0] * u[0];
  }
}

PLEX_DG_FUNCTION plex_real dg_speed(const plex_real u[], const plex_real k[], const plex_real c[])
{
  plex_real w2 = 0;

  for (int d = 0; d < PLEX_DIM; ++d) w2 += c[1 + d] * c[1 + d];
  return c[0] + sqrt(w2);
}

/* Lax and Friedrichs: (n.F)* = n.(F(u-) + F(u+))/2 + speed (u- - u+)/2 */
PLEX_DG_FUNCTION void dg_face(const plex_real uM[], const plex_real uP[], const plex_real n[], const plex_real kM[],
                              const plex_real kP[], const plex_real c[], plex_real f[])
{
  plex_real jump[PLEX_DG_NF], F[PLEX_DIM][PLEX_DG_NF];

  for (int i = 0; i < PLEX_DG_NF; ++i) jump[i] = uM[i] - uP[i];
  dg_flux(jump, kM, c, F);
  for (int i = 0; i < PLEX_DG_NF; ++i) {
    f[i] = -dg_speed(uM, kM, c) * jump[i] / 2;
    for (int d = 0; d < PLEX_DIM; ++d) f[i] += n[d] * F[d][i] / 2;
  }
}

/* The plane wave p = cos(q 1.(x - w t - c 1/|1| t)), v = p 1/|1|, of the vector 1 = (1, .., 1) */
PLEX_DG_FUNCTION void dg_boundary(int kind, const plex_real uM[], const plex_real n[], const plex_real x[], plex_real t,
                                  const plex_real kM[], const plex_real c[], plex_real uP[])
{
  plex_real phase = -sqrt((plex_real)PLEX_DIM) * c[0] * t;

  for (int d = 0; d < PLEX_DIM; ++d) phase += x[d] - c[1 + d] * t;
  uP[0] = cos(c[4] * phase);
  for (int d = 0; d < PLEX_DIM; ++d) uP[1 + d] = uP[0] / sqrt((plex_real)PLEX_DIM);
}

PLEX_DG_FUNCTION plex_real dg_energy(const plex_real u[], const plex_real k[], const plex_real c[])
{
  plex_real sum = 0;

  for (int i = 0; i < PLEX_DG_NF; ++i) sum += u[i] * u[i] / 2;
  return sum;
}
