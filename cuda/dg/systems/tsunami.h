/* shallow_water.h with what an ocean asks for, on the plane of a conformal map of the sphere: lengths on the sphere are
   m times those on the plane, and q has components along the axes of the plane. With the Coriolis parameter f, the
   momentum gains

     f (q_y, -q_x) - gamma q,   gamma = r + Cd |v|/H + g n^2 |v|/H^(4/3)

   of friction at the bottom (linear, quadratic, Manning's; H no less than drag_depth there, and the sum of those that
   grow with |v| no more than drag_rate, where that is positive: in thin water they stop it faster than explicit methods
   can follow), and, as the divergence of T = q q/H + p I is m^-2 (d_x(m T_xx) + d_y(m T_xy)) and what the turning axes
   make of it,

     -m^-2 (T_xy m_y - T_yy m_x, T_xy m_x - T_xx m_y)

   Where m varies, the geometry that kernels read has it in it, so that k has derivatives by lengths on the sphere,
   m_x/m: src/dg/quadrature/sphere.c.

   linear 1: the linear equations, eta_t + div q = 0, q_t + g d grad eta = f (q_y, -q_x) - gamma q with
   gamma = r + (Cd/d + g n^2/d^(4/3)) 1 m/s, as section 3.2 of Henry de Frahan (2011) has Manning's friction.

   tsunami_manning.h has n as a coefficient.

   coefficients: depth, coriolis f, scale m; constants, behind those of shallow_water.h: linear, drag_linear r,
   drag_quadratic Cd, manning n, drag_depth, drag_rate; entropy, for the host alone; viscosity */
#ifndef PLEX_DG_NK
  #define PLEX_DG_NK          3
  #define WATER_MANNING(k, c) c[11]
  #define WATER_ROUGH(n, c)   PLEX_DG_IS_POSITIVE(c, 11)
#endif
#define PLEX_DG_NC     16
#define PLEX_DG_SLOPES 5u /* of depth and scale */
#define PLEX_DG_RATE
#define PLEX_DG_VISCOUS_AXES
#define WATER_NONLINEAR  (1 - c[8])
#define WATER_SOURCES(s) PLEX_DG_NAME(water_sources)(u, k, c, s)

PLEX_DG_FUNCTION void PLEX_DG_NAME(water_sources)(const plex_real u[], const plex_real k[], const plex_real c[],
                                                  plex_real s[]);

#include "shallow_water.h"

/* gamma */
PLEX_DG_FUNCTION plex_real dg_rate(const plex_real u[], const plex_real k[], const plex_real c[])
{
  const plex_real H = PLEX_DG_NAME(water_depth)(u, k, c), manning = WATER_MANNING(k, c);
  plex_real       speed = 1, root, friction;

  if (!(PLEX_DG_IS_POSITIVE(c, 10) || WATER_ROUGH(manning, c))) return c[9];
  root = PLEX_DG_INVERSE_CUBE_ROOT(PLEX_DG_NAME(water_more)(H, c[12]));
  if (c[8] < 1) speed = PLEX_DG_NAME(water_inverse)(H, c) * PLEX_DG_ROOT(u[1] * u[1] + u[2] * u[2]);
  friction = speed * (c[10] + c[0] * manning * manning * root) * (root * root * root);
  return c[9] + (c[8] < 1 && PLEX_DG_IS_POSITIVE(c, 13) ? PLEX_DG_NAME(water_less)(friction, c[13]) : friction);
}

PLEX_DG_FUNCTION void PLEX_DG_NAME(water_sources)(const plex_real u[], const plex_real k[], const plex_real c[],
                                                  plex_real s[])
{
  const plex_real nonlinear = 1 - c[8], H = PLEX_DG_NAME(water_depth)(u, k, c),
                  p = PLEX_DG_NAME(water_pressure)(u, k, c), w = PLEX_DG_NAME(water_inverse)(H, c);
  const plex_real f = k[1 + PLEX_DIM], *m = k + 2 * (1 + PLEX_DIM), gamma = dg_rate(u, k, c);
  const plex_real xx = nonlinear * w * u[1] * u[1] + p, xy = nonlinear * w * u[1] * u[2],
                  yy = nonlinear * w * u[2] * u[2] + p, inverse = PLEX_DG_RECIPROCAL(m[0]);

  s[1] += f * u[2] - gamma * u[1] - (xy * m[2] - yy * m[1]) * inverse;
  s[2] += -f * u[1] - gamma * u[2] - (xy * m[1] - xx * m[2]) * inverse;
}

/* Of the axes of the plane, along lengths on the sphere: (m_y, -m_x)/m^2 */
PLEX_DG_FUNCTION void dg_viscous_axes(const plex_real k[], const plex_real c[], plex_real axes[])
{
  const plex_real *m = k + 2 * (1 + PLEX_DIM);

  for (int d = 0; d < PLEX_DIM; ++d) axes[d] = 0;
  axes[0] = m[2] / m[0];
  axes[1] = -m[1] / m[0];
}

#undef WATER_MANNING
#undef WATER_ROUGH
