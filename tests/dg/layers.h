/* A scalar that is carried along by a speed of each element: u_t + d(a u)/dx = 0, a > 0 the coefficient */
#define PLEX_DG_NF 1
#define PLEX_DG_NK 1
#define PLEX_DG_NC 0
#define PLEX_DG_FLUX_FORM

PLEX_DG_FUNCTION void dg_flux(const plex_real u[], const plex_real k[], const plex_real c[], plex_real F[][PLEX_DG_NF])
{
  for (int d = 0; d < PLEX_DIM; ++d) F[d][0] = d ? 0 : k[0] * u[0];
}

/* upwind: the flux of the element that it comes out of */
PLEX_DG_FUNCTION void dg_face(const plex_real uM[], const plex_real uP[], const plex_real n[], const plex_real kM[],
                              const plex_real kP[], const plex_real c[], plex_real f[])
{
  f[0] = n[0] < 0 ? n[0] * (kM[0] * uM[0] - kP[0] * uP[0]) : 0;
}

PLEX_DG_FUNCTION void dg_boundary(int kind, const plex_real uM[], const plex_real n[], const plex_real x[], plex_real t,
                                  const plex_real kM[], const plex_real c[], plex_real uP[])
{
  uP[0] = 0;
}

PLEX_DG_FUNCTION plex_real dg_speed(const plex_real u[], const plex_real k[], const plex_real c[])
{
  return k[0];
}

PLEX_DG_FUNCTION plex_real dg_energy(const plex_real u[], const plex_real k[], const plex_real c[])
{
  return u[0] * u[0] / 2;
}
