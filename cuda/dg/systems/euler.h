/* The flow of an ideal gas without viscosity: density rho, momentum m = rho v, total energy E by volume,

     rho_t + div m = 0,   m_t + div (m m/rho + p I) = 0,   E_t + div ((E + p) m/rho) = 0,   p = (gamma - 1)(E - |m|^2/(2 rho))

   A state whose density or pressure is not positive has no speed: dg_speed() is then no number.

   constants: gamma; density, velocity and pressure of the gas far away.

   A header of your own that defines EULER_GIVEN, and function euler_given() with the primitive state w = (rho, v, p) at
   position x and time t, before it includes this one, has the boundary condition `inflow` as well: docs/dgquadrature.md */
#define PLEX_DG_NF (2 + PLEX_DIM)
#define PLEX_DG_NK 0
#define PLEX_DG_NC 6
#define PLEX_DG_FLUX_FORM
#define PLEX_DG_NUMERICAL_FLUX
#define PLEX_DG_SPEED_CHANGES
#ifdef EULER_GIVEN
  #define PLEX_DG_POSITIONS
#endif

#define EULER_E (1 + PLEX_DIM) /* field of the energy */

/* v[DIM]; returns p */
PLEX_DG_FUNCTION plex_real PLEX_DG_NAME(euler_primitive)(const plex_real u[], const plex_real c[], plex_real v[])
{
  plex_real energy = 0;

  for (int d = 0; d < PLEX_DIM; ++d) {
    v[d] = u[1 + d] / u[0];
    energy += u[1 + d] * v[d];
  }
  return (c[0] - 1) * (u[EULER_E] - energy / 2);
}

/* u of the primitive state rho, v, p */
PLEX_DG_FUNCTION void PLEX_DG_NAME(euler_state)(plex_real rho, const plex_real v[], plex_real p, const plex_real c[],
                                                plex_real u[])
{
  u[0]       = rho;
  u[EULER_E] = p / (c[0] - 1);
  for (int d = 0; d < PLEX_DIM; ++d) {
    u[1 + d] = rho * v[d];
    u[EULER_E] += rho * v[d] * v[d] / 2;
  }
}

PLEX_DG_FUNCTION void dg_flux(const plex_real u[], const plex_real k[], const plex_real c[], plex_real F[][PLEX_DG_NF])
{
  plex_real       v[PLEX_DIM];
  const plex_real p = PLEX_DG_NAME(euler_primitive)(u, c, v);

  for (int d = 0; d < PLEX_DIM; ++d) {
    F[d][0] = u[1 + d];
    for (int i = 0; i < PLEX_DIM; ++i) F[d][1 + i] = u[1 + d] * v[i] + (i == d ? p : 0);
    F[d][EULER_E] = (u[EULER_E] + p) * v[d];
  }
}

/* n.F*: flux HLLC of Toro, Spruce and Speares (Shock Waves 4 (1994)). Between the slowest and the fastest wave,
   which Einfeldt (SIAM J. Numer. Anal. 25 (1988)) takes from both sides and Roe's mean of them, two states of one pressure
   and normal velocity `middle` meet at a contact:

     n.F* = (middle (s u - n.F(u)) + s P (0, n, middle))/(s - middle),   P = p + rho (s - v)(middle - v)

   with speed s and state u of the side that the contact moves away from. Nothing passes where `middle` is 0, as it is at a
   wall */
PLEX_DG_FUNCTION void dg_numerical_flux(const plex_real uM[], const plex_real uP[], const plex_real n[],
                                        const plex_real kM[], const plex_real kP[], const plex_real c[], plex_real f[])
{
  plex_real       wM[PLEX_DIM], wP[PLEX_DIM], vM = 0, vP = 0, v2 = 0, mean = 0;
  const plex_real pM = PLEX_DG_NAME(euler_primitive)(uM, c, wM), pP = PLEX_DG_NAME(euler_primitive)(uP, c, wP);
  const plex_real cM = sqrt(c[0] * pM / uM[0]), cP = sqrt(c[0] * pP / uP[0]), rM = sqrt(uM[0]), rP = sqrt(uP[0]),
                  share = rM / (rM + rP);
  plex_real       sound, slow, fast, giveM, giveP, middle;

  for (int d = 0; d < PLEX_DIM; ++d) {
    const plex_real roe = share * wM[d] + (1 - share) * wP[d];

    vM += n[d] * wM[d];
    vP += n[d] * wP[d];
    mean += n[d] * roe;
    v2 += roe * roe;
  }
  sound  = share * (uM[EULER_E] + pM) / uM[0] + (1 - share) * (uP[EULER_E] + pP) / uP[0] - v2 / 2; /* enthalpy */
  sound  = sqrt((c[0] - 1) * sound);
  slow   = fmin(vM - cM, mean - sound);
  fast   = fmax(vP + cP, mean + sound);
  giveM  = uM[0] * (slow - vM);
  giveP  = uP[0] * (fast - vP);
  middle = (pP - pM + vM * giveM - vP * giveP) / (giveM - giveP);
  {
    const int       isM = middle >= 0, all = isM ? slow >= 0 : fast <= 0; /* all: all waves go to one side */
    const plex_real rho = isM ? uM[0] : uP[0], v = isM ? vM : vP, p = isM ? pM : pP,
                    E = isM ? uM[EULER_E] : uP[EULER_E], s = isM ? slow : fast, inverse = all ? 1 : 1 / (s - middle),
                    star = p + rho * (s - v) * (middle - v);

    f[0]       = all ? rho * v : middle * rho * (s - v) * inverse;
    f[EULER_E] = all ? (E + p) * v : middle * (s * (E + star) - (E + p) * v) * inverse;
    for (int d = 0; d < PLEX_DIM; ++d)
      f[1 + d] = f[0] * (isM ? wM[d] : wP[d]) + n[d] * (all ? p : (s * star - middle * p) * inverse);
  }
}

/* n.F(u-) - n.F* */
PLEX_DG_FUNCTION void dg_face(const plex_real uM[], const plex_real uP[], const plex_real n[], const plex_real kM[],
                              const plex_real kP[], const plex_real c[], plex_real f[])
{
  plex_real F[PLEX_DIM][PLEX_DG_NF];

  dg_numerical_flux(uM, uP, n, kM, kP, c, f);
  dg_flux(uM, kM, c, F);
  for (int k = 0; k < PLEX_DG_NF; ++k) {
    f[k] = -f[k];
    for (int d = 0; d < PLEX_DIM; ++d) f[k] += n[d] * F[d][k];
  }
}

/* wall: impermeable, gas slips along it; open: outside is as inside, but gas that would come in has no velocity along n there;
   farfield: outside is the state of the constants, of which the flux takes what waves bring; inflow: outside is what
   euler_given() says */
PLEX_DG_FUNCTION void dg_boundary(int kind, const plex_real uM[], const plex_real n[], const plex_real x[], plex_real t,
                                  const plex_real kM[], const plex_real c[], plex_real uP[])
{
  plex_real normal = 0, away;

  if (kind == 2) {
    PLEX_DG_NAME(euler_state)(c[1], &c[2], c[5], c, uP);
    return;
  }
#ifdef EULER_GIVEN
  if (kind == 3) {
    plex_real w[PLEX_DG_NF];

    PLEX_DG_NAME(euler_given)(x, t, c, w);
    PLEX_DG_NAME(euler_state)(w[0], &w[1], w[EULER_E], c, uP);
    return;
  }
#endif
  for (int d = 0; d < PLEX_DIM; ++d) normal += n[d] * uM[1 + d];
  away        = kind == 0 ? 2 * normal : fmin(normal, (plex_real)0);
  uP[0]       = uM[0];
  uP[EULER_E] = uM[EULER_E] - away * (normal - away / 2) / uM[0];
  for (int d = 0; d < PLEX_DIM; ++d) uP[1 + d] = uM[1 + d] - away * n[d];
}

PLEX_DG_FUNCTION plex_real dg_speed(const plex_real u[], const plex_real k[], const plex_real c[])
{
  plex_real       v[PLEX_DIM], v2 = 0;
  const plex_real p = PLEX_DG_NAME(euler_primitive)(u, c, v);

  for (int d = 0; d < PLEX_DIM; ++d) v2 += v[d] * v[d];
  return sqrt(v2) + sqrt(u[0] > 0 && p > 0 ? c[0] * p / u[0] : -1);
}

/* The total energy */
PLEX_DG_FUNCTION plex_real dg_energy(const plex_real u[], const plex_real k[], const plex_real c[])
{
  return u[EULER_E];
}

#undef EULER_E
