/* A scalar that is carried along and diffuses: u_t + div (a u) = div (nu grad u) + s. constants: velocity a, viscosity
   nu, ring: 1: s such that u = exp(-t) cos(pi (r - 1)) cos(2 angle) */
#define PLEX_DG_NF 1
#define PLEX_DG_NK 0
#define PLEX_DG_NC 5
#define PLEX_DG_FLUX_FORM
#define PLEX_DG_SOURCE
#define PLEX_DG_POSITIONS 1
#define PLEX_DG_VISCOUS   1
#define PLEX_DG_VISCOUS_BOUNDARY

PLEX_DG_FUNCTION void dg_flux(const plex_real u[], const plex_real k[], const plex_real c[], plex_real F[][PLEX_DG_NF])
{
  for (int d = 0; d < PLEX_DIM; ++d) F[d][0] = c[d] * u[0];
}

PLEX_DG_FUNCTION void dg_face(const plex_real uM[], const plex_real uP[], const plex_real n[], const plex_real kM[],
                              const plex_real kP[], const plex_real c[], plex_real f[])
{
  plex_real normal = 0;

  for (int d = 0; d < PLEX_DIM; ++d) normal += c[d] * n[d];
  f[0] = (normal - fabs(normal)) * (uM[0] - uP[0]) / 2;
}

/* isolated: nothing diffuses out; zero: there is nothing outside */
PLEX_DG_FUNCTION void dg_boundary(int kind, const plex_real uM[], const plex_real n[], const plex_real x[], plex_real t,
                                  const plex_real kM[], const plex_real c[], plex_real uP[])
{
  uP[0] = kind ? 0 : uM[0];
}

PLEX_DG_FUNCTION void dg_source(const plex_real u[], const plex_real x[], plex_real t, const plex_real k[],
                                const plex_real c[], plex_real s[])
{
  const plex_real pi = (plex_real)3.14159265358979323846, r2 = x[0] * x[0] + x[1] * x[1], r = sqrt(r2),
                  cosine = cos(pi * (r - 1));

  if (c[4] > 0)
    s[0] = exp(-t) * (x[0] * x[0] - x[1] * x[1]) / r2 *
           (c[3] * (pi * pi * cosine + pi * sin(pi * (r - 1)) / r + 4 * cosine / r2) - cosine);
}

PLEX_DG_FUNCTION plex_real dg_speed(const plex_real u[], const plex_real k[], const plex_real c[])
{
  plex_real sum = 0;

  for (int d = 0; d < PLEX_DIM; ++d) sum += c[d] * c[d];
  return sqrt(sum);
}

PLEX_DG_FUNCTION plex_real dg_energy(const plex_real u[], const plex_real k[], const plex_real c[])
{
  return u[0] * u[0] / 2;
}

PLEX_DG_FUNCTION void dg_viscous_variables(const plex_real u[], const plex_real k[], const plex_real c[], plex_real w[])
{
  w[0] = u[0];
}

PLEX_DG_FUNCTION plex_real dg_viscosity(const plex_real u[], const plex_real k[], const plex_real c[],
                                        plex_real *inertia)
{
  *inertia = 1;
  return c[3];
}

PLEX_DG_FUNCTION void dg_viscous(const plex_real u[], const plex_real dw[][PLEX_DG_VISCOUS], const plex_real k[],
                                 const plex_real c[], plex_real F[][PLEX_DG_VISCOUS])
{
  for (int d = 0; d < PLEX_DIM; ++d) F[d][0] = c[3] * dw[d][0];
}

PLEX_DG_FUNCTION int dg_viscous_boundary(int kind, const plex_real uM[], const plex_real k[], const plex_real c[],
                                         plex_real w[])
{
  w[0] = 0;
  return kind == 1;
}
