/* Maxwell's equations, (E, H) in three components each, in two dimensions as well, where nothing depends on z:

     epsilon E_t = curl H - sigma E,   mu H_t = -curl E

   where sigma E is what dg_decay() says of E, and in none of the other functions

   coefficients: epsilon, mu, sigma of each element; impedance Z = sqrt(mu/epsilon), admittance Y = 1/Z
   constants:    alpha; direction d[3], a unit vector, polarization P[3] and angular frequency w of the incident wave,
                 E = P g(t - d.x/speed), H = d x E/Z, in the material of the element at the boundary. g is the cosine
                 of w t, or, of a header that has them, pulse.h with w and wave_phase, _delay, _width, _ramp */
#define PLEX_DG_NF        6
#define PLEX_DG_NK        3
#define PLEX_DG_POSITIONS 1
#define PLEX_DG_DECAY
/* perfectly matched layers, pml.h: z s_y s_z/s_x of E_x and H_x, and so on */
#define PLEX_DG_STRETCH \
  { \
    {-1, 1,  1 }, \
    {1,  -1, 1 }, \
    {1,  1,  -1}, \
    {-1, 1,  1 }, \
    {1,  -1, 1 }, \
    {1,  1,  -1} \
}
#define PLEX_DG_VECTORS      {0, 3}
#define PLEX_DG_STRONG       7 /* curved elements: E from curl H, H from the curl of test functions */
#define PLEX_DG_WEIGHTS      2 /* of E and of H: epsilon E_t = ..., mu H_t = ... */
#define PLEX_DG_WEIGHT_OF(f) ((f) / 3)
#define PLEX_DG_RESISTANCES  22 /* constants of all systems Maxwell: behind them those of maxwell_impedance.h */
#ifndef PLEX_DG_NC              /* a header that includes this one has more of its own */
  #define PLEX_DG_NC 8
#endif

#define dg_cross    PLEX_DG_NAME(dg_cross) /* names of helpers, which the host has for each dimension and precision */
#define dg_incident PLEX_DG_NAME(dg_incident)
#define dg_current  PLEX_DG_NAME(dg_current)

#ifndef PLEX_DG_RECIPROCAL
  #define PLEX_DG_RECIPROCAL(x) (1 / (x))
#endif

#include "pulse.h"

/* a x b */
PLEX_DG_FUNCTION void dg_cross(const plex_real a[], const plex_real b[], plex_real r[])
{
  r[0] = a[1] * b[2] - a[2] * b[1];
  r[1] = a[2] * b[0] - a[0] * b[2];
  r[2] = a[0] * b[1] - a[1] * b[0];
}

PLEX_DG_FUNCTION void dg_volume(const plex_real u[], const plex_real du[][PLEX_DG_NF], const plex_real k[],
                                const plex_real c[], plex_real r[])
{
  const plex_real e = PLEX_DG_RECIPROCAL(k[0]), m = PLEX_DG_RECIPROCAL(k[1]);

#if PLEX_DIM == 3
  r[0] = e * (du[1][5] - du[2][4]);
  r[1] = e * (du[2][3] - du[0][5]);
  r[3] = -m * (du[1][2] - du[2][1]);
  r[4] = -m * (du[2][0] - du[0][2]);
#else
  r[0] = e * du[1][5];
  r[1] = -e * du[0][5];
  r[3] = -m * du[1][2];
  r[4] = m * du[0][2];
#endif
  r[2] = e * (du[0][4] - du[1][3]);
  r[5] = -m * (du[0][1] - du[1][0]);
}

/* The flux of section 6 of the paper, jumps [.] = + less -, n the outward normal:

     E: (Z+ n x [H] - alpha n x (n x [E]))/(Z- + Z+)/epsilon-,   H: -(Y+ n x [E] + alpha n x (n x [H]))/(Y- + Y+)/mu- */
#define PLEX_DG_NB 4

/* Numbers of a face that the flux needs: Z+ and alpha over (Z- + Z+) epsilon-, Y+ and alpha over (Y- + Y+) mu- */
PLEX_DG_FUNCTION void dg_prepare(const plex_real kM[], const plex_real kP[], const plex_real c[], plex_real b[])
{
  /* 1/(Y- + Y+) = Z- Z+/(Z- + Z+) */
  const plex_real ZM = sqrt(kM[1] / kM[0]), ZP = sqrt(kP[1] / kP[0]), e = 1 / ((ZM + ZP) * kM[0]),
                  m = ZM / ((ZM + ZP) * kM[1]);

  b[0] = e * ZP;
  b[1] = e * c[0];
  b[2] = m;
  b[3] = m * c[0] * ZP;
}

PLEX_DG_FUNCTION void dg_face_prepared(const plex_real uM[], const plex_real uP[], const plex_real n[],
                                       const plex_real b[], plex_real f[])
{
  plex_real normal[3], dE[3], dH[3], nE[3], nH[3], En = 0, Hn = 0;

  for (int d = 0; d < 3; ++d) {
    normal[d] = d < PLEX_DIM ? n[d] : 0;
    dE[d]     = uP[d] - uM[d];
    dH[d]     = uP[3 + d] - uM[3 + d];
    En += normal[d] * dE[d];
    Hn += normal[d] * dH[d];
  }
  dg_cross(normal, dE, nE);
  dg_cross(normal, dH, nH);
  for (int d = 0; d < 3; ++d) { /* n x (n x v) = n (n.v) - v */
    f[d]     = b[0] * nH[d] - b[1] * (normal[d] * En - dE[d]);
    f[3 + d] = -b[2] * nE[d] - b[3] * (normal[d] * Hn - dH[d]);
  }
}

PLEX_DG_FUNCTION void dg_face(const plex_real uM[], const plex_real uP[], const plex_real n[], const plex_real kM[],
                              const plex_real kP[], const plex_real c[], plex_real f[])
{
  plex_real b[PLEX_DG_NB];

  dg_prepare(kM, kP, c, b);
  dg_face_prepared(uM, uP, n, b, f);
}

/* (E, H) of the incident wave at x and t */
PLEX_DG_FUNCTION void dg_incident(const plex_real x[], plex_real t, const plex_real k[], const plex_real c[],
                                  plex_real u[])
{
  const plex_real slowness = sqrt(k[0] * k[1]), Y = sqrt(k[0] / k[1]);
  plex_real       phase = t, wave;

  for (int d = 0; d < PLEX_DIM; ++d) phase -= c[1 + d] * x[d] * slowness;
#if PLEX_DG_NC > 8
  wave = dg_pulse(phase, &c[7]);
#else
  wave = cos(c[7] * phase);
#endif
  for (int d = 0; d < 3; ++d) u[d] = c[4 + d] * wave;
  dg_cross(&c[1], u, &u[3]);
  for (int d = 0; d < 3; ++d) u[3 + d] *= Y;
}

#define PLEX_DG_INCIDENT /* sources.h */

/* The rate that a current P g(t) at a point has where the basis is 1; p: P[3], then the numbers of pulse.h */
PLEX_DG_FUNCTION void dg_current(const plex_real p[], plex_real t, const plex_real k[], const plex_real c[],
                                 plex_real s[])
{
  const plex_real size = dg_pulse(t, &p[3]) / k[0];

  for (int d = 0; d < 3; ++d) {
    s[d]     = -p[d] * size;
    s[3 + d] = 0;
  }
}

/* A boundary of resistance R, impedance:R, n x E = R (n x H) x n: E and Z h of what is tangential, h = H x n, E = R h in
   the flux. Waves along the normal are reflected by (R - Z)/(R + Z). With r = R/Z, where r <= 1,

     p E* + Z h* = p E- + Z h-,   p = alpha + (1 - alpha) r

   and else the same of E and Z h exchanged and r = Z/R. Energy leaves at the rate R h*^2 + p (E* - E-)^2/Z; r = 0 is pec,
   r = 1 absorbing, 1/r = 0 pmc, whatever alpha. uP has the jumps of which dg_face() makes E* and h* */
#if PLEX_DG_NC > PLEX_DG_RESISTANCES
  #define dg_resist PLEX_DG_NAME(dg_resist)

PLEX_DG_FUNCTION void dg_resist(plex_real R, const plex_real uM[], const plex_real n[], const plex_real kM[],
                                plex_real alpha, plex_real uP[])
{
  const plex_real Z    = sqrt(kM[1] / kM[0]);
  const int       more = R > Z;
  const plex_real r = more ? Z / R : R / Z, p = alpha + (1 - alpha) * r, share = r / (1 + p * r),
                  first = 2 * (1 + alpha - alpha * r) / (1 + alpha), second = -2 * r / (1 + alpha);
  plex_real       normal[3], En                                             = 0, h[3], dh[3], back[3];

  for (int d = 0; d < 3; ++d) {
    normal[d] = d < PLEX_DIM ? n[d] : 0;
    En += normal[d] * uM[d];
  }
  dg_cross(&uM[3], normal, h);
  for (int d = 0; d < 3; ++d) {
    const plex_real E = uM[d] - normal[d] * En, Zh = Z * h[d], a = more ? Zh : E, b = more ? E : Zh,
                    change = share * (p * a + b) - a;

    uP[d] = uM[d] + (more ? second : first) * change;
    dh[d] = (more ? first : second) * change / Z;
  }
  dg_cross(normal, dh, back); /* of tangential fields H = n x (H x n) */
  for (int d = 0; d < 3; ++d) uP[3 + d] = uM[3 + d] + back[d];
}
#endif

/* pec: perfect electric conductor, n x E = 0; pmc: perfect magnetic conductor, n x H = 0; absorbing: Silver-Mueller,
   exact for waves that leave along the normal; incident: the incident wave enters through such a boundary; scatterer: a
   perfect electric conductor where the state is the scattered field alone */
PLEX_DG_FUNCTION void dg_boundary(int kind, const plex_real uM[], const plex_real n[], const plex_real x[], plex_real t,
                                  const plex_real kM[], const plex_real c[], plex_real uP[])
{
  const plex_real Z     = sqrt(kM[1] / kM[0]);
  plex_real       in[6] = {0, 0, 0, 0, 0, 0}, normal[3], out[6];

#if PLEX_DG_NC > PLEX_DG_RESISTANCES
  if (kind >= 5) {
    dg_resist(c[PLEX_DG_RESISTANCES + kind - 5], uM, n, kM, c[0], uP);
    return;
  }
#endif
  if (kind >= 3) dg_incident(x, t, kM, c, in);
  /* of the mean flux, alpha = 0, what leaves alone; of the upwind flux a state of rest, or the wave */
  if (kind == 2 || kind == 3) {
    for (int d = 0; d < 3; ++d) normal[d] = d < PLEX_DIM ? n[d] : 0;
    for (int d = 0; d < 6; ++d) out[d] = uM[d] - in[d];
    dg_cross(normal, &out[3], uP);
    dg_cross(normal, out, &uP[3]);
    for (int d = 0; d < 3; ++d) {
      uP[d]     = in[d] - (1 - c[0]) * Z * uP[d];
      uP[3 + d] = in[3 + d] + (1 - c[0]) * uP[3 + d] / Z;
    }
  } else {
    const plex_real E = kind == 1 ? 1 : -1;

    for (int d = 0; d < 3; ++d) {
      uP[d]     = E * uM[d] - 2 * in[d];
      uP[3 + d] = -E * uM[3 + d];
    }
  }
}

/* Curls of E and H, contravariant, from covariant components: 12 products where derivatives of all fields are 18.
   Without z two sums are contravariant and one is the component z times the determinant of dx/dr. */
#define PLEX_DG_NW 6
#define PLEX_DG_NA 6
#if PLEX_DIM == 3
  #define PLEX_DG_PRODUCTS \
    {0, 1, 2, 1}, {0, 2, 1, -1}, {1, 2, 0, 1}, {1, 0, 2, -1}, {2, 0, 1, 1}, {2, 1, 0, -1}, {3, 1, 5, 1}, \
      {3, 2, 4, -1}, {4, 2, 3, 1}, {4, 0, 5, -1}, {5, 0, 4, 1}, {5, 1, 3, -1}
#else
  #define PLEX_DG_PRODUCTS \
    {0, 1, 2, 1}, {1, 0, 2, -1}, {2, 0, 1, 1}, {2, 1, 0, -1}, {3, 1, 5, 1}, {4, 0, 5, -1}, {5, 0, 4, 1}, {5, 1, 3, -1}
#endif

/* Numbers of an element: dx_d/dr_a; |dr/dx|/epsilon, -|dr/dx|/mu */
#define PLEX_DG_NE (PLEX_DIM * PLEX_DIM + 2)

PLEX_DG_FUNCTION void dg_prepare_element(const plex_real rx[], const plex_real x[], plex_real determinant,
                                         const plex_real k[], const plex_real c[], plex_real m[])
{
  for (int d = 0; d < PLEX_DIM * PLEX_DIM; ++d) m[d] = x[d];
  m[PLEX_DIM * PLEX_DIM]     = determinant / k[0];
  m[PLEX_DIM * PLEX_DIM + 1] = -determinant / k[1];
}

PLEX_DG_FUNCTION void dg_to_reference(const plex_real u[], const plex_real m[], const plex_real c[], plex_real w[])
{
  for (int v = 0; v < 6; v += 3) {
    for (int a = 0; a < 3; ++a) w[v + a] = u[v + a];
    for (int a = 0; a < PLEX_DIM; ++a) {
      w[v + a] = 0;
      for (int d = 0; d < PLEX_DIM; ++d) w[v + a] += m[a * PLEX_DIM + d] * u[v + d];
    }
  }
}

PLEX_DG_FUNCTION void dg_from_reference(const plex_real sums[], const plex_real m[], const plex_real c[], plex_real r[])
{
  for (int d = 0; d < 3; ++d) {
    plex_real E = sums[d], H = sums[3 + d];

    if (d < PLEX_DIM) {
      E = H = 0;
      for (int a = 0; a < PLEX_DIM; ++a) {
        E += m[a * PLEX_DIM + d] * sums[a];
        H += m[a * PLEX_DIM + d] * sums[3 + a];
      }
    }
    r[d]     = m[PLEX_DIM * PLEX_DIM] * H;
    r[3 + d] = m[PLEX_DIM * PLEX_DIM + 1] * E;
  }
}

PLEX_DG_FUNCTION void dg_weights(const plex_real k[], const plex_real c[], plex_real w[])
{
  w[0] = k[0];
  w[1] = k[1];
}

PLEX_DG_FUNCTION plex_real dg_speed(const plex_real u[], const plex_real k[], const plex_real c[])
{
  return 1 / sqrt(k[0] * k[1]);
}

PLEX_DG_FUNCTION void dg_decay(const plex_real k[], const plex_real c[], plex_real rates[])
{
  for (int d = 0; d < 3; ++d) rates[d] = k[2] / k[0];
}

PLEX_DG_FUNCTION plex_real dg_energy(const plex_real u[], const plex_real k[], const plex_real c[])
{
  plex_real E2 = 0, H2 = 0;

  for (int d = 0; d < 3; ++d) {
    E2 += u[d] * u[d];
    H2 += u[3 + d] * u[3 + d];
  }
  return (k[0] * E2 + k[1] * H2) / 2;
}
