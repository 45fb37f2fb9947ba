/* A system of a user's own whose speed grows: u_t + div (u^2/2, .., u^2/2) = c u. Outside and inside
   u = exp(c t), which is its speed, too */
#define PLEX_DG_NF 1
#define PLEX_DG_NC 1
#define PLEX_DG_FLUX_FORM
#define PLEX_DG_SOURCE
#define PLEX_DG_SPEED_CHANGES

PLEX_DG_FUNCTION void dg_flux(const plex_real u[], const plex_real k[], const plex_real c[], plex_real F[][PLEX_DG_NF])
{
  for (int d = 0; d < PLEX_DIM; ++d) F[d][0] = u[0] * u[0] / 2;
}

/* Lax and Friedrichs */
PLEX_DG_FUNCTION void dg_face(const plex_real uM[], const plex_real uP[], const plex_real n[], const plex_real kM[],
                              const plex_real kP[], const plex_real c[], plex_real f[])
{
  plex_real sum = 0, speed;

  for (int d = 0; d < PLEX_DIM; ++d) sum += n[d];
  speed = fabs(sum) * fmax(fabs(uM[0]), fabs(uP[0]));
  f[0]  = sum * (uM[0] * uM[0] - uP[0] * uP[0]) / 4 + speed * (uP[0] - uM[0]) / 2;
}

PLEX_DG_FUNCTION void dg_boundary(int kind, const plex_real uM[], const plex_real n[], const plex_real x[], plex_real t,
                                  const plex_real kM[], const plex_real c[], plex_real uP[])
{
  uP[0] = exp(c[0] * t);
}

PLEX_DG_FUNCTION void dg_source(const plex_real u[], const plex_real x[], plex_real t, const plex_real k[],
                                const plex_real c[], plex_real s[])
{
  s[0] = c[0] * u[0];
}

PLEX_DG_FUNCTION plex_real dg_speed(const plex_real u[], const plex_real k[], const plex_real c[])
{
  return sqrt((plex_real)PLEX_DIM) * fabs(u[0]);
}

PLEX_DG_FUNCTION plex_real dg_energy(const plex_real u[], const plex_real k[], const plex_real c[])
{
  return u[0] * u[0] / 2;
}
