/* A source that reads gradients, with a solution of Cole and Hopf: of phi_t = nu div grad phi,

     h = nu log phi,   h_t = nu div grad h + |grad h|^2,   p_t = exp(h/nu) h_x = nu phi_x

   p has no flux, and no viscosity. constants: viscosity nu */
#define PLEX_DG_NF 2 /* p, h */
#define PLEX_DG_NK 0
#define PLEX_DG_NC 1
#define PLEX_DG_FLUX_FORM
#define PLEX_DG_VISCOUS 1
#define PLEX_DG_VISCOUS_SOURCE

PLEX_DG_FUNCTION void dg_flux(const plex_real u[], const plex_real k[], const plex_real c[], plex_real F[][PLEX_DG_NF])
{
  for (int d = 0; d < PLEX_DIM; ++d) F[d][0] = F[d][1] = 0;
}

PLEX_DG_FUNCTION void dg_face(const plex_real uM[], const plex_real uP[], const plex_real n[], const plex_real kM[],
                              const plex_real kP[], const plex_real c[], plex_real f[])
{
  f[0] = f[1] = 0;
}

PLEX_DG_FUNCTION void dg_boundary(int kind, const plex_real uM[], const plex_real n[], const plex_real x[], plex_real t,
                                  const plex_real kM[], const plex_real c[], plex_real uP[])
{
  uP[0] = uM[0];
  uP[1] = uM[1];
}

PLEX_DG_FUNCTION plex_real dg_speed(const plex_real u[], const plex_real k[], const plex_real c[])
{
  return c[0];
}

PLEX_DG_FUNCTION plex_real dg_energy(const plex_real u[], const plex_real k[], const plex_real c[])
{
  return u[1] * u[1] / 2;
}

PLEX_DG_FUNCTION void dg_viscous_variables(const plex_real u[], const plex_real k[], const plex_real c[], plex_real w[])
{
  w[0] = u[1];
}

PLEX_DG_FUNCTION plex_real dg_viscosity(const plex_real u[], const plex_real k[], const plex_real c[],
                                        plex_real *inertia)
{
  *inertia = 1;
  return c[0];
}

PLEX_DG_FUNCTION void dg_viscous(const plex_real u[], const plex_real dw[][PLEX_DG_VISCOUS], const plex_real k[],
                                 const plex_real c[], plex_real F[][PLEX_DG_VISCOUS])
{
  for (int d = 0; d < PLEX_DIM; ++d) F[d][0] = c[0] * dw[d][0];
}

PLEX_DG_FUNCTION void dg_viscous_source(const plex_real u[], const plex_real dw[][PLEX_DG_VISCOUS], const plex_real k[],
                                        const plex_real c[], plex_real S[])
{
  S[0] = exp(u[1] / c[0]) * dw[0][0];
  for (int d = 0; d < PLEX_DIM; ++d) S[1] += dw[d][0] * dw[d][0];
}
