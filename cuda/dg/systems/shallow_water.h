/* Shallow water over a bottom at depth d below the level of rest: elevation eta, discharge q = H v with H = d + eta,

     eta_t + div q = 0,   q_t + div (q q/H) + grad p = g eta grad d,   p = g (eta^2/2 + eta d)

   which is q_t + div (q q/H) + g H grad eta = 0. Where the water rests, eta is the same everywhere and p is g eta d and a constant: grad p = g eta grad d, of
   polynomials to rounding, whatever the depth; and with eta = 0 all is zero. The depth has to be continuous.

   coefficients: depth, of which k has value and derivatives; constants: gravity g; elevation, velocity and frequency of what is prescribed */
#define PLEX_DG_NF (1 + PLEX_DIM)
#define PLEX_DG_NK 1
#define PLEX_DG_NC 6
#define PLEX_DG_FLUX_FORM
#define PLEX_DG_VARIABLE
#define PLEX_DG_SOURCE

PLEX_DG_FUNCTION void dg_flux(const plex_real u[], const plex_real k[], const plex_real c[], plex_real F[][PLEX_DG_NF])
{
  const plex_real H = k[0] + u[0], p = c[0] * u[0] * (u[0] / 2 + k[0]);

  for (int d = 0; d < PLEX_DIM; ++d) {
    F[d][0] = u[1 + d];
    for (int i = 0; i < PLEX_DIM; ++i) F[d][1 + i] = u[1 + d] * u[1 + i] / H + (i == d ? p : 0);
  }
}

PLEX_DG_FUNCTION void dg_source(const plex_real u[], const plex_real x[], plex_real t, const plex_real k[], const plex_real c[], plex_real s[])
{
  for (int d = 0; d < PLEX_DIM; ++d) s[1 + d] = c[0] * u[0] * k[1 + d];
}

/* n.F(u-) - n.F*: Harten, Lax and van Leer's flux of mass and of momentum along n, from the fastest waves to both sides; momentum across n is carried with the
   mass, from where it comes */
PLEX_DG_FUNCTION void dg_face(const plex_real uM[], const plex_real uP[], const plex_real n[], const plex_real kM[], const plex_real kP[], const plex_real c[], plex_real f[])
{
  const plex_real HM = kM[0] + uM[0], HP = kP[0] + uP[0], pM = c[0] * uM[0] * (uM[0] / 2 + kM[0]), pP = c[0] * uP[0] * (uP[0] / 2 + kP[0]), cM = sqrt(c[0] * HM), cP = sqrt(c[0] * HP);
  plex_real       qM = 0, qP = 0, slow, fast, mass, momentum;

  for (int d = 0; d < PLEX_DIM; ++d) {
    qM += n[d] * uM[1 + d];
    qP += n[d] * uP[1 + d];
  }
  slow     = fmin((plex_real)0, fmin(qM / HM - cM, qP / HP - cP));
  fast     = fmax((plex_real)0, fmax(qM / HM + cM, qP / HP + cP));
  mass     = (fast * qM - slow * qP + slow * fast * (uP[0] - uM[0])) / (fast - slow);
  momentum = (fast * (qM * qM / HM + pM) - slow * (qP * qP / HP + pP) + slow * fast * (qP - qM)) / (fast - slow);
  f[0]     = qM - mass;
  for (int d = 0; d < PLEX_DIM; ++d) {
    const plex_real across = mass > 0 ? (uM[1 + d] - qM * n[d]) / HM : (uP[1 + d] - qP * n[d]) / HP;

    f[1 + d] = qM * uM[1 + d] / HM + n[d] * (pM - momentum) - mass * across;
  }
}

/* wall: impermeable; open: outside water rests; prescribed: outside is the state of the constants */
PLEX_DG_FUNCTION void dg_boundary(int kind, const plex_real uM[], const plex_real n[], const plex_real x[], plex_real t, const plex_real kM[], const plex_real c[], plex_real uP[])
{
  plex_real normal = 0;

  for (int d = 0; d < PLEX_DIM; ++d) normal += n[d] * uM[1 + d];
  uP[0] = kind == 0 ? uM[0] : kind == 1 ? 0 : c[1] * cos(c[5] * t);
  for (int d = 0; d < PLEX_DIM; ++d) uP[1 + d] = kind == 0 ? uM[1 + d] - 2 * normal * n[d] : kind == 1 ? 0 : c[2 + d] * (kM[0] + uP[0]);
}

PLEX_DG_FUNCTION plex_real dg_speed(const plex_real u[], const plex_real k[], const plex_real c[])
{
  const plex_real H  = k[0] + u[0];
  plex_real       q2 = 0;

  for (int d = 0; d < PLEX_DIM; ++d) q2 += u[1 + d] * u[1 + d];
  return sqrt(q2) / H + sqrt(c[0] * H);
}

PLEX_DG_FUNCTION plex_real dg_energy(const plex_real u[], const plex_real k[], const plex_real c[])
{
  plex_real q2 = 0;

  for (int d = 0; d < PLEX_DIM; ++d) q2 += u[1 + d] * u[1 + d];
  return (c[0] * u[0] * u[0] + q2 / (k[0] + u[0])) / 2;
}
