/* Advection, u_t + a . grad u = 0, with a constant velocity a.

   constants: a[3], alpha: 0 takes the mean of both sides as the flux, 1 the upwind side, numbers between the mean of
   these */
#define PLEX_DG_NF 1
#define PLEX_DG_NK 0
#define PLEX_DG_NC 4

/* r = -a . grad u */
PLEX_DG_FUNCTION void dg_volume(const plex_real u[], const plex_real du[][PLEX_DG_NF], const plex_real k[],
                                const plex_real c[], plex_real r[])
{
  r[0] = 0;
  for (int d = 0; d < PLEX_DIM; ++d) r[0] -= c[d] * du[d][0];
}

/* a.n u- - (a.n u)*, (a.n u)* = a.n (u- + u+)/2 - alpha |a.n| (u+ - u-)/2 */
PLEX_DG_FUNCTION void dg_face(const plex_real uM[], const plex_real uP[], const plex_real n[], const plex_real kM[],
                              const plex_real kP[], const plex_real c[], plex_real f[])
{
  plex_real an = 0;

  for (int d = 0; d < PLEX_DIM; ++d) an += c[d] * n[d];
  f[0] = (c[3] * fabs(an) - an) * (uP[0] - uM[0]) / 2;
}

/* inflow: nothing enters; outflow: what leaves meets itself */
PLEX_DG_FUNCTION void dg_boundary(int kind, const plex_real uM[], const plex_real n[], const plex_real x[], plex_real t,
                                  const plex_real kM[], const plex_real c[], plex_real uP[])
{
  uP[0] = kind == 0 ? 0 : uM[0];
}

PLEX_DG_FUNCTION plex_real dg_speed(const plex_real u[], const plex_real k[], const plex_real c[])
{
  plex_real a2 = 0;

  for (int d = 0; d < PLEX_DIM; ++d) a2 += c[d] * c[d];
  return sqrt(a2);
}

PLEX_DG_FUNCTION plex_real dg_energy(const plex_real u[], const plex_real k[], const plex_real c[])
{
  return u[0] * u[0] / 2;
}
