/* Linear shallow water: elevation eta and mean velocity v over the depth,

     eta_t + h0 div v = 0,   v_t + g0 grad eta = 0

   equation 3.2 of Henry de Frahan (2011). Waves have the speed sqrt(g0 h0); energy (g0 eta^2 + h0 |v|^2)/2.

   constants: depth h0, gravity g0; alpha, from 0, where the flux conserves energy, to 1, upwind; elevation and velocity
   of the state outside of boundary condition `prescribed`, an elevation that swings as cos(frequency t) */
#define PLEX_DG_NF (1 + PLEX_DIM)
#define PLEX_DG_NK 0
#define PLEX_DG_NC 8
#define PLEX_DG_FLUX_FORM

PLEX_DG_FUNCTION void dg_flux(const plex_real u[], const plex_real k[], const plex_real c[], plex_real F[][PLEX_DG_NF])
{
  for (int d = 0; d < PLEX_DIM; ++d) {
    F[d][0] = c[0] * u[1 + d];
    for (int i = 0; i < PLEX_DIM; ++i) F[d][1 + i] = i == d ? c[1] * u[0] : 0;
  }
}

/* n.F(u-) - n.F* with n.v* = mean - alpha sqrt(g0/h0) [eta]/2 and eta* = mean - alpha sqrt(h0/g0) [n.v]/2,
   [.] = + less - : q of section 3.1 */
PLEX_DG_FUNCTION void dg_face(const plex_real uM[], const plex_real uP[], const plex_real n[], const plex_real kM[],
                              const plex_real kP[], const plex_real c[], plex_real f[])
{
  const plex_real speed = c[2] * sqrt(c[0] * c[1]), jump = uP[0] - uM[0];
  plex_real       normal = 0, pressure;

  for (int d = 0; d < PLEX_DIM; ++d) normal += n[d] * (uP[1 + d] - uM[1 + d]);
  f[0]     = (speed * jump - c[0] * normal) / 2;
  pressure = (speed * normal - c[1] * jump) / 2;
  for (int d = 0; d < PLEX_DIM; ++d) f[1 + d] = n[d] * pressure;
}

/* wall: impermeable; open: waves leave; prescribed: outside is the state of the constants */
PLEX_DG_FUNCTION void dg_boundary(int kind, const plex_real uM[], const plex_real n[], const plex_real x[], plex_real t,
                                  const plex_real kM[], const plex_real c[], plex_real uP[])
{
  const plex_real Z      = sqrt(c[0] / c[1]);
  plex_real       normal = 0, outside;

  for (int d = 0; d < PLEX_DIM; ++d) normal += n[d] * uM[1 + d];
  if (kind == 0) {
    uP[0]   = uM[0];
    outside = -normal;
  } else if (kind == 1) { /* of the mean flux, alpha = 0, what leaves alone; of the upwind flux a state at rest */
    uP[0]   = (1 - c[2]) * Z * normal;
    outside = (1 - c[2]) * uM[0] / Z;
  } else {
    uP[0] = c[3] * cos(c[7] * t);
    for (int d = 0; d < PLEX_DIM; ++d) uP[1 + d] = c[4 + d];
    return;
  }
  for (int d = 0; d < PLEX_DIM; ++d) uP[1 + d] = uM[1 + d] + (outside - normal) * n[d];
}

PLEX_DG_FUNCTION plex_real dg_speed(const plex_real u[], const plex_real k[], const plex_real c[])
{
  return sqrt(c[0] * c[1]);
}

PLEX_DG_FUNCTION plex_real dg_energy(const plex_real u[], const plex_real k[], const plex_real c[])
{
  plex_real v2 = 0;

  for (int d = 0; d < PLEX_DIM; ++d) v2 += u[1 + d] * u[1 + d];
  return (c[1] * u[0] * u[0] + c[0] * v2) / 2;
}
