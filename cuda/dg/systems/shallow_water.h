/* Shallow water over a bottom at depth d below the level of rest: elevation eta, discharge q = H v with H = d + eta,

     eta_t + div q = 0,   q_t + div (q q/H) + grad p = g eta grad d,   p = g (eta^2/2 + eta d)

   which is q_t + div (q q/H) + g H grad eta = 0. Where the water rests, eta is the same everywhere and p is g eta d and
   a constant: grad p = g eta grad d, of polynomials to rounding, whatever the depth; and with eta = 0 all is zero. The
   depth has to be continuous.

   Where `dry` is positive elements may fall dry (shore.h): where there is no water eta is -d, H = 0, and velocities are
   2 H q/(H^2 + max(H, dry)^2), after Kurganov and Petrova, Commun. Math. Sci. 5 (2007), equation 2.17: q/H in water
   deeper than `dry`, and finite everywhere.

   tsunami.h adds terms, and the linear equations, of which WATER_NONLINEAR is 0.

   coefficients: depth, of which k has value and derivatives; constants: gravity g; elevation, velocity and frequency of
   what is prescribed; dry; shore and entropy, for the host alone; viscosity nu, of which the momentum gains

     div (nu H (grad v + grad v^T - I div v))

   the part of the deformation without trace (Smagorinsky, Mon. Wea. Rev. 91 (1963); Shchepetkin and O'Brien, Mon. Wea. Rev.
   124 (1996)): symmetric, so water that turns as a rigid body has no stress, in the plane and on the sphere, and with uniform
   H in the plane div (nu H grad v) */
#define PLEX_DG_NF (1 + PLEX_DIM)
#ifndef PLEX_DG_NK
  #define PLEX_DG_NK       1
  #define PLEX_DG_NC       10
  #define PLEX_DG_SLOPES   1u
  #define WATER_NONLINEAR  ((plex_real)1)
  #define WATER_SOURCES(s) ((void)0)
#endif
#define PLEX_DG_FLUX_FORM
#define PLEX_DG_VARIABLE
#define PLEX_DG_ON_FACES 1u /* the depth */
#define PLEX_DG_SOURCE
#define PLEX_DG_SPEED_CHANGES
#define PLEX_DG_ENTROPY
#define PLEX_DG_NUMERICAL_FLUX
#define PLEX_DG_DRY             6 /* constant `dry` */
#define PLEX_DG_BOUNDARY_VALUES   /* x of dg_boundary() */
#define PLEX_DG_VISCOUS         PLEX_DIM
#define PLEX_DG_VISCOUS_BOUNDARY

#ifndef PLEX_DG_IS_POSITIVE
  #define PLEX_DG_IS_POSITIVE(c, i) ((c)[i] > 0)
#endif
#ifndef PLEX_DG_RECIPROCAL
  #define PLEX_DG_RECIPROCAL(x)        (1 / (x))
  #define PLEX_DG_ROOT(x)              sqrt(PLEX_DG_NAME(water_more)(x, 0)) /* 0 of negative numbers */
  #define PLEX_DG_INVERSE_CUBE_ROOT(x) (1 / cbrt(x))
#endif

/* The largest depth, over the distance of the bottom from the level of rest, that is rounding */
#define WATER_ROUNDING (sizeof(plex_real) < 8 ? (plex_real)1e-6 : (plex_real)1e-14)

/* Without the care of fmax() and fmin() for what is no number: the first is, if the result is the second */
PLEX_DG_FUNCTION plex_real PLEX_DG_NAME(water_more)(plex_real a, plex_real b)
{
  return a > b ? a : b;
}
PLEX_DG_FUNCTION plex_real PLEX_DG_NAME(water_less)(plex_real a, plex_real b)
{
  return a < b ? a : b;
}

/* H. Where elements may fall dry it is 0 where it is rounding: the two sides of a face differ in that, and would in the
   speed sqrt(g H) of waves on it by 1e8 times as much, and in the mass that crosses */
PLEX_DG_FUNCTION plex_real PLEX_DG_NAME(water_depth)(const plex_real u[], const plex_real k[], const plex_real c[])
{
  const plex_real H = k[0] + WATER_NONLINEAR * u[0];

  return PLEX_DG_IS_POSITIVE(c, 6) && H < WATER_ROUNDING * fabs(k[0]) ? 0 : H;
}

/* v = q times this */
PLEX_DG_FUNCTION plex_real PLEX_DG_NAME(water_inverse)(plex_real H, const plex_real c[])
{
  const plex_real deep = PLEX_DG_NAME(water_more)(H, c[6]);

  return PLEX_DG_IS_POSITIVE(c, 6) ? 2 * H * PLEX_DG_RECIPROCAL(H * H + deep * deep) : PLEX_DG_RECIPROCAL(H);
}

PLEX_DG_FUNCTION plex_real PLEX_DG_NAME(water_pressure)(const plex_real u[], const plex_real k[], const plex_real c[])
{
  return c[0] * u[0] * (WATER_NONLINEAR * u[0] / 2 + k[0]);
}

PLEX_DG_FUNCTION void dg_flux(const plex_real u[], const plex_real k[], const plex_real c[], plex_real F[][PLEX_DG_NF])
{
  const plex_real w = WATER_NONLINEAR * PLEX_DG_NAME(water_inverse)(PLEX_DG_NAME(water_depth)(u, k, c), c),
                  p = PLEX_DG_NAME(water_pressure)(u, k, c);

  for (int d = 0; d < PLEX_DIM; ++d) {
    F[d][0] = u[1 + d];
    for (int i = 0; i < PLEX_DIM; ++i) F[d][1 + i] = w * u[1 + d] * u[1 + i] + (i == d ? p : 0);
  }
}

/* w = dE/du of the energy E of dg_energy(); returns H */
PLEX_DG_FUNCTION plex_real dg_entropy(const plex_real u[], const plex_real k[], const plex_real c[], plex_real w[])
{
  const plex_real H = PLEX_DG_NAME(water_depth)(u, k, c), inverse = PLEX_DG_NAME(water_inverse)(H, c),
                  deep = PLEX_DG_NAME(water_more)(H, c[6]), share = PLEX_DG_RECIPROCAL(H * H + deep * deep);
  plex_real       q2 = 0, slope = -inverse * inverse; /* of `inverse`, by H */

  if (H < c[6]) slope = H > 0 ? 2 * (deep * deep - H * H) * share * share : 0;
  for (int d = 0; d < PLEX_DIM; ++d) {
    w[1 + d] = inverse * u[1 + d];
    q2 += u[1 + d] * u[1 + d];
  }
  w[0] = c[0] * u[0] + WATER_NONLINEAR * slope * q2 / 2;
  return H;
}

/* w . F(u) less the flux of energy is v times this */
PLEX_DG_FUNCTION plex_real dg_pressure(const plex_real u[], const plex_real k[], const plex_real c[])
{
  return PLEX_DG_NAME(water_pressure)(u, k, c);
}

/* What changes of w are multiplied by, to be some of u: dry: there is less water somewhere than counts as dry, so that
   the surface is that of the land */
PLEX_DG_FUNCTION void dg_entropy_scale(plex_real H, int dry, const plex_real c[], plex_real factor[])
{
  factor[0] = dry ? 0 : PLEX_DG_RECIPROCAL(c[0]);
  for (int d = 0; d < PLEX_DIM; ++d) factor[1 + d] = H;
}

PLEX_DG_FUNCTION void dg_source(const plex_real u[], const plex_real x[], plex_real t, const plex_real k[],
                                const plex_real c[], plex_real s[])
{
  for (int d = 0; d < PLEX_DIM; ++d) s[1 + d] = c[0] * u[0] * k[1 + d];
  WATER_SOURCES(s);
}

/* n.F*: Harten, Lax and van Leer's flux of mass and of momentum along n, from the fastest waves to both sides; momentum
   across n is carried with the mass, from where it comes. A side without water gives none: what leaves it is at most
   `fast` times its depth */
PLEX_DG_FUNCTION void dg_numerical_flux(const plex_real uM[], const plex_real uP[], const plex_real n[],
                                        const plex_real kM[], const plex_real kP[], const plex_real c[], plex_real f[])
{
  const plex_real HM = PLEX_DG_NAME(water_depth)(uM, kM, c), HP = PLEX_DG_NAME(water_depth)(uP, kP, c),
                  pM = PLEX_DG_NAME(water_pressure)(uM, kM, c), pP = PLEX_DG_NAME(water_pressure)(uP, kP, c);
  const plex_real wM = PLEX_DG_NAME(water_inverse)(HM, c), wP = PLEX_DG_NAME(water_inverse)(HP, c),
                  cM = PLEX_DG_ROOT(c[0] * HM), cP = PLEX_DG_ROOT(c[0] * HP);
  const plex_real jump = PLEX_DG_IS_POSITIVE(c, 6) && !(HM > 0 && HP > 0) ? HP - HM : uP[0] - uM[0];
  plex_real       qM = 0, qP = 0, vM, vP, gives, takes, slow, fast, inverse, momentum, along, w;

  for (int d = 0; d < PLEX_DIM; ++d) {
    qM += n[d] * uM[1 + d];
    qP += n[d] * uP[1 + d];
  }
  vM    = WATER_NONLINEAR * wM * qM;
  vP    = WATER_NONLINEAR * wP * qP;
  gives = PLEX_DG_IS_POSITIVE(c, 6) ? HM * wM * qM : qM; /* H v, less than q in thin water */
  takes = PLEX_DG_IS_POSITIVE(c, 6) ? HP * wP * qP : qP;
  slow  = PLEX_DG_NAME(water_less)(0, PLEX_DG_NAME(water_less)(vM - cM, vP - cP));
  fast  = PLEX_DG_NAME(water_more)(0, PLEX_DG_NAME(water_more)(vM + cM, vP + cP));
  if (fast == slow) { /* no water at all */
    slow = -1;
    fast = 1;
  }
  inverse  = PLEX_DG_RECIPROCAL(fast - slow);
  f[0]     = (fast * gives - slow * takes + slow * fast * jump) * inverse;
  momentum = (fast * (vM * gives + pM) - slow * (vP * takes + pP) + slow * fast * (takes - gives)) * inverse;
  along    = f[0] > 0 ? qM : qP;
  w        = WATER_NONLINEAR * f[0] * (f[0] > 0 ? wM : wP);
  momentum -= w * along;
  for (int d = 0; d < PLEX_DIM; ++d) f[1 + d] = n[d] * momentum + w * (f[0] > 0 ? uM[1 + d] : uP[1 + d]);
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

#ifdef PLEX_DG_DRIVEN
/* The velocity along n of water of depth HP outside, with which dg_face() lets in the discharge `inflow`, by Newton's
   method: the mass that crosses is what is asked for to rounding. HM, vM, gives: inside, as dg_face() has them */
PLEX_DG_FUNCTION plex_real PLEX_DG_NAME(water_inflow)(plex_real HM, plex_real vM, plex_real gives, plex_real HP,
                                                      plex_real inflow, const plex_real c[])
{
  const plex_real cM = sqrt(c[0] * HM), cP = sqrt(c[0] * HP), jump = HP - HM;
  plex_real       v = -inflow / HP;

  for (int k = 0; k < 40; ++k) {
    const plex_real vP = WATER_NONLINEAR * v, back = fmin((plex_real)0, vM - cM), forth = fmax((plex_real)0, vM + cM),
                    slow = fmin(back, vP - cP), fast = fmax(forth, vP + cP);
    const plex_real byslow = fast * jump - HP * v - inflow, byfast = gives + slow * jump + inflow; /* derivatives */
    const plex_real excess = fast * gives - slow * HP * v + slow * fast * jump + inflow * (fast - slow);
    plex_real       slope  = -slow * HP, change;

    if (slow < back) slope += WATER_NONLINEAR * byslow;
    if (fast > forth) slope += WATER_NONLINEAR * byfast;
    change = excess / (slope > 0 ? slope : -slow * HP);
    v -= change;
    if (!(fabs(change) > WATER_ROUNDING * (fabs(v) + cP))) break;
  }
  return v;
}

/* Of a state outside, uP[0] and discharge `inflow`, and one inside, of discharge `normal` along n, that state whose
   invariant v - 2 sqrt(g H) is the one outside, and v + 2 sqrt(g H) the one inside: a wave that leaves is then no jump,
   and the flux of dg_face() reflects none of it. Sets uP[0], returns the discharge inward. In thin water, and where
   faster water comes in, the state stays */
PLEX_DG_FUNCTION plex_real PLEX_DG_NAME(water_leave)(const plex_real uM[], plex_real normal, const plex_real k[],
                                                     const plex_real c[], plex_real inflow, plex_real uP[])
{
  const plex_real HM = PLEX_DG_NAME(water_depth)(uM, k, c), HP = PLEX_DG_NAME(water_depth)(uP, k, c);
  plex_real       vM, vP, cP, half, change;

  if (!(HM > c[6] && HP > c[6])) return inflow;
  vM     = normal / HM;
  vP     = -inflow / HP;
  cP     = sqrt(c[0] * HP);
  half   = c[0] * (uM[0] - uP[0]) / (sqrt(c[0] * HM) + cP); /* cM - cP */
  change = (vM - vP + 2 * half) / 4;                        /* of c, from outside */
  if (vP < -cP || cP + change <= 0) return inflow;
  uP[0] += (2 * cP + change) * change / c[0];
  return -((vM + vP) / 2 + half) * (k[0] + uP[0]);
}

/* The state outside of boundaries whose values x are of this time, src/dg/quadrature/driven.c. elevation: water with the
   elevation x[0] and the discharge x[1] inward; incoming: a wave of elevation x[0] that comes in, a simple wave into
   water at rest; discharge: x[0] comes in. Water that is less than critical depth is that deep outside */
PLEX_DG_FUNCTION void PLEX_DG_NAME(water_driven)(int kind, const plex_real uM[], const plex_real n[],
                                                 const plex_real x[], const plex_real kM[], const plex_real c[],
                                                 plex_real uP[])
{
  plex_real normal = 0, inflow = 0, H;

  for (int d = 0; d < PLEX_DIM; ++d) normal += n[d] * uM[1 + d];
  uP[0] = kind == 5 ? uM[0] : x[0];
  if (PLEX_DG_IS_POSITIVE(c, 6)) uP[0] = fmax(uP[0], -kM[0]);
  H = PLEX_DG_NAME(water_depth)(uP, kM, c);
  if (kind == 3) inflow = x[1];
  if (kind == 4) {
    const plex_real rest = sqrt(c[0] * fmax(kM[0], (plex_real)0));

    inflow = WATER_NONLINEAR * 2 * H * (sqrt(c[0] * H) - rest) + (1 - WATER_NONLINEAR) * rest * uP[0];
  }
  if (kind == 5) {
    const plex_real least = WATER_NONLINEAR * cbrt(x[0] * x[0] / c[0]), w = PLEX_DG_NAME(water_inverse)(H, c);
    const plex_real vM = WATER_NONLINEAR * w * normal, gives = PLEX_DG_IS_POSITIVE(c, 6) ? H * w * normal : normal;

    if (H < least) uP[0] = least - kM[0];
    if (H < least || H > 0) {
      const plex_real HP = H < least ? least : H;

      inflow = -PLEX_DG_NAME(water_inflow)(H, vM, gives, HP, x[0], c) /
               (PLEX_DG_IS_POSITIVE(c, 6) ? PLEX_DG_NAME(water_inverse)(HP, c) : 1 / HP);
    }
  }
  if (kind < 5 && WATER_NONLINEAR > 0) inflow = PLEX_DG_NAME(water_leave)(uM, normal, kM, c, inflow, uP);
  for (int d = 0; d < PLEX_DIM; ++d) uP[1 + d] = -inflow * n[d];
}
#endif

/* wall, no_slip: impermeable; open: outside water rests at eta = 0; prescribed: outside is the state of the constants;
   elevation, incoming, discharge: outside is that of water_driven() */
PLEX_DG_FUNCTION void dg_boundary(int kind, const plex_real uM[], const plex_real n[], const plex_real x[], plex_real t,
                                  const plex_real kM[], const plex_real c[], plex_real uP[])
{
  const int is_wall = kind == 0 || kind == 6;
  plex_real normal  = 0;

  for (int d = 0; d < PLEX_DIM; ++d) normal += n[d] * uM[1 + d];
#ifdef PLEX_DG_DRIVEN
  if (!is_wall && kind > 2) {
    PLEX_DG_NAME(water_driven)(kind, uM, n, x, kM, c, uP);
    return;
  }
#endif
  uP[0] = is_wall ? uM[0] : kind == 1 ? 0 : c[1] * cos(c[5] * t);
  if (!is_wall && PLEX_DG_IS_POSITIVE(c, 6)) uP[0] = fmax(uP[0], -kM[0]);
  for (int d = 0; d < PLEX_DIM; ++d)
    uP[1 + d] = is_wall ? uM[1 + d] - 2 * normal * n[d] : kind == 1 ? 0 : c[2 + d] * (kM[0] + WATER_NONLINEAR * uP[0]);
}

PLEX_DG_FUNCTION plex_real dg_speed(const plex_real u[], const plex_real k[], const plex_real c[])
{
  const plex_real H  = PLEX_DG_NAME(water_depth)(u, k, c);
  plex_real       q2 = 0;

  for (int d = 0; d < PLEX_DIM; ++d) q2 += u[1 + d] * u[1 + d];
  return WATER_NONLINEAR * sqrt(q2) * PLEX_DG_NAME(water_inverse)(H, c) + sqrt(c[0] * H);
}

/* Above that of water at rest: of dry land 0 */
PLEX_DG_FUNCTION plex_real dg_energy(const plex_real u[], const plex_real k[], const plex_real c[])
{
  const plex_real land = PLEX_DG_IS_POSITIVE(c, 6) ? fmin(k[0], (plex_real)0) : 0;
  plex_real       q2   = 0;

  for (int d = 0; d < PLEX_DIM; ++d) q2 += u[1 + d] * u[1 + d];
  return (c[0] * (u[0] * u[0] - land * land) +
          q2 * PLEX_DG_NAME(water_inverse)(PLEX_DG_NAME(water_depth)(u, k, c), c)) /
         2;
}

/* v */
PLEX_DG_FUNCTION void dg_viscous_variables(const plex_real u[], const plex_real k[], const plex_real c[], plex_real w[])
{
  const plex_real inverse = PLEX_DG_NAME(water_inverse)(PLEX_DG_NAME(water_depth)(u, k, c), c);

  for (int d = 0; d < PLEX_DIM; ++d) w[d] = inverse * u[1 + d];
}

/* nu H; q is H v. Where water is thinner than `dry` there is none */
PLEX_DG_FUNCTION plex_real dg_viscosity(const plex_real u[], const plex_real k[], const plex_real c[],
                                        plex_real *inertia)
{
  const plex_real H = PLEX_DG_NAME(water_depth)(u, k, c);

  *inertia = H < c[6] ? 0 : H;
  return c[PLEX_DG_NC - 1] * *inertia;
}

PLEX_DG_FUNCTION void dg_viscous(const plex_real u[], const plex_real dw[][PLEX_DG_VISCOUS], const plex_real k[],
                                 const plex_real c[], plex_real F[][PLEX_DG_VISCOUS])
{
  plex_real       inertia;
  const plex_real viscosity = dg_viscosity(u, k, c, &inertia);
  plex_real       trace     = 0;

  for (int d = 0; d < PLEX_DIM; ++d) trace += dw[d][d];
  for (int d = 0; d < PLEX_DIM; ++d)
    for (int i = 0; i < PLEX_DIM; ++i) F[d][i] = viscosity * (dw[d][i] + dw[i][d] - (i == d ? trace : 0));
}

/* no_slip: the water at the wall is at rest */
PLEX_DG_FUNCTION int dg_viscous_boundary(int kind, const plex_real uM[], const plex_real k[], const plex_real c[],
                                         plex_real w[])
{
  for (int d = 0; d < PLEX_DIM; ++d) w[d] = 0;
  return kind == 6;
}

#undef WATER_ROUNDING
#undef WATER_NONLINEAR
#undef WATER_SOURCES
