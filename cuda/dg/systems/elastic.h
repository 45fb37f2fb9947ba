/* Elastic waves in linear, isotropic media: velocity v and stress s, symmetric; in two dimensions plane strain,

     rho v_t = div s,   s_t = lambda (div v) I + mu (grad v + (grad v)^T)

   with mu = rho cs^2, lambda = rho cp^2 - 2 mu: cp and cs are the speeds of P and S waves, impedances are rho cp and
   rho cs. Where cs = 0 the medium is a fluid, s = -p I.

   coefficients: rho, cp, cs of each element
   constants:    alpha, from 0, where the flux conserves energy, to 1, upwind; direction d[3], a unit vector, P[3]
                 polarization and angular frequency w of the incident wave, a P wave of the part of P along d and an S
                 wave of the part across, v = P cos(w (t - d.x/speed)), in the material of the element at the boundary

   u: v[DIM], sxx, syy, sxy or sxx, syy, szz, sxy, sxz, syz */
#define PLEX_DG_NF        (PLEX_DIM + PLEX_DIM * (PLEX_DIM + 1) / 2)
#define PLEX_DG_NK        3
#define PLEX_DG_NC        8
#define PLEX_DG_POSITIONS 1
/* where s_ij is in the state */
#define ELASTIC_STRESS(i, j) (PLEX_DIM + ((i) == (j) ? (i) : PLEX_DIM + (i) + (j) - 1))

#define elastic_traction PLEX_DG_NAME(elastic_traction)
#define elastic_incident PLEX_DG_NAME(elastic_incident)

/* t = s n; returns n.t */
PLEX_DG_FUNCTION plex_real elastic_traction(const plex_real u[], const plex_real n[], plex_real t[])
{
  plex_real normal = 0;

  for (int i = 0; i < PLEX_DIM; ++i) {
    t[i] = 0;
    for (int j = 0; j < PLEX_DIM; ++j) t[i] += u[ELASTIC_STRESS(i, j)] * n[j];
    normal += n[i] * t[i];
  }
  return normal;
}

PLEX_DG_FUNCTION void dg_volume(const plex_real u[], const plex_real du[][PLEX_DG_NF], const plex_real k[],
                                const plex_real c[], plex_real r[])
{
  const plex_real inverse = 1 / k[0], mu = k[0] * k[2] * k[2], lambda = k[0] * k[1] * k[1] - 2 * mu;
  plex_real       divergence = 0;

  for (int i = 0; i < PLEX_DIM; ++i) divergence += du[i][i];
  for (int i = 0; i < PLEX_DIM; ++i) {
    plex_real force = 0;

    for (int j = 0; j < PLEX_DIM; ++j) force += du[j][ELASTIC_STRESS(i, j)];
    r[i] = inverse * force;
    for (int j = i; j < PLEX_DIM; ++j)
      r[ELASTIC_STRESS(i, j)] = (i == j ? lambda * divergence : 0) + mu * (du[i][j] + du[j][i]);
  }
}

/* The state v*, t* between both sides, t = s n, keeps t - Z- v of this side and t + Z+ v of the other, along n with the
   impedances Z of P waves and across with those of S waves: with jumps [.] = + less -,

     v* - v- = (Z+ [v] + alpha [t])/(Z- + Z+),   t* - t- = Z- ([t] + alpha Z+ [v])/(Z- + Z+)

   Of a fluid Z = 0 across: beside a solid t* = 0 there, and each side keeps a velocity of its own. Between fluids there
   is nothing to exchange, 0. */
#define PLEX_DG_NB 9

/* Numbers of a face that the flux needs: Z-, alpha Z- Z+ over (Z- + Z+) rho-, of P waves, of S waves; Z+, alpha over
   Z- + Z+ times rho- c-^2, likewise; mu/(lambda + 2 mu) of this side */
PLEX_DG_FUNCTION void dg_prepare(const plex_real kM[], const plex_real kP[], const plex_real c[], plex_real b[])
{
  for (int w = 0; w < 2; ++w) {
    const plex_real speed = kM[1 + w], ZM = kM[0] * speed, ZP = kP[0] * kP[1 + w], sum = ZM + ZP,
                    weight = sum > 0 ? speed / sum : 0;

    b[2 * w]     = weight;
    b[2 * w + 1] = weight * ZP * c[0];
    b[2 * w + 4] = weight * ZM * ZP;
    b[2 * w + 5] = weight * ZM * c[0];
  }
  b[8] = kM[2] * kM[2] / (kM[1] * kM[1]);
}

PLEX_DG_FUNCTION void dg_face_prepared(const plex_real uM[], const plex_real uP[], const plex_real n[],
                                       const plex_real b[], plex_real f[])
{
  plex_real jump[PLEX_DG_NF], t[PLEX_DIM], w[PLEX_DIM], tn, vn = 0, force, stretch;

  for (int k = 0; k < PLEX_DG_NF; ++k) jump[k] = uP[k] - uM[k];
  tn = elastic_traction(jump, n, t);
  for (int d = 0; d < PLEX_DIM; ++d) vn += n[d] * jump[d];
  force   = b[0] * tn + b[1] * vn; /* along n: (t* - t-)/rho, (lambda + 2 mu) (v* - v-) */
  stretch = b[4] * vn + b[5] * tn;
  for (int d = 0; d < PLEX_DIM; ++d) {
    const plex_real ta = t[d] - tn * n[d], va = jump[d] - vn * n[d]; /* across */

    f[d] = force * n[d] + b[2] * ta + b[3] * va;
    w[d] = b[8] * stretch * n[d] + b[6] * va + b[7] * ta; /* mu (v* - v-) */
  }
  for (int i = 0; i < PLEX_DIM; ++i)
    for (int j = i; j < PLEX_DIM; ++j)
      f[ELASTIC_STRESS(i, j)] = (i == j ? (1 - 2 * b[8]) * stretch : 0) + n[i] * w[j] + w[i] * n[j];
}

PLEX_DG_FUNCTION void dg_face(const plex_real uM[], const plex_real uP[], const plex_real n[], const plex_real kM[],
                              const plex_real kP[], const plex_real c[], plex_real f[])
{
  plex_real b[PLEX_DG_NB];

  dg_prepare(kM, kP, c, b);
  dg_face_prepared(uM, uP, n, b, f);
}

/* (v, s) of the incident wave at x and t; s = -(lambda (d.v) I + mu (d v^T + v d^T))/speed. A fluid has no S wave */
PLEX_DG_FUNCTION void elastic_incident(const plex_real x[], plex_real t, const plex_real k[], const plex_real c[],
                                       plex_real u[])
{
  const plex_real mu = k[0] * k[2] * k[2], lambda = k[0] * k[1] * k[1] - 2 * mu, slowness = 1 / k[1],
                  slower = k[2] > 0 ? 1 / k[2] : 0;
  plex_real       at = 0, along = 0, wave, across, pressure, a[PLEX_DIM], strain[PLEX_DIM];

  for (int d = 0; d < PLEX_DIM; ++d) {
    at += c[1 + d] * x[d];
    along += c[1 + d] * c[4 + d];
  }
  wave     = along * cos(c[7] * (t - at * slowness));
  across   = k[2] > 0 ? cos(c[7] * (t - at * slower)) : 0;
  pressure = lambda * wave * slowness;
  for (int d = 0; d < PLEX_DIM; ++d) {
    a[d]      = (c[4 + d] - along * c[1 + d]) * across;
    u[d]      = wave * c[1 + d] + a[d];
    strain[d] = -mu * (slowness * wave * c[1 + d] + slower * a[d]);
  }
  for (int i = 0; i < PLEX_DIM; ++i)
    for (int j = i; j < PLEX_DIM; ++j)
      u[ELASTIC_STRESS(i, j)] = c[1 + i] * strain[j] + strain[i] * c[1 + j] - (i == j ? pressure : 0);
}

/* free: no traction; wall: no velocity; roller: no velocity along n, no traction across; absorbing: exact for waves that
   leave along the normal; incident: the incident wave enters through such a boundary */
PLEX_DG_FUNCTION void dg_boundary(int kind, const plex_real uM[], const plex_real n[], const plex_real x[], plex_real t,
                                  const plex_real kM[], const plex_real c[], plex_real uP[])
{
  plex_real out[PLEX_DG_NF], v[PLEX_DIM], w[PLEX_DIM], tn, vn = 0, wn = 0; /* v, w: what v and t are less outside */

  for (int k = 0; k < PLEX_DG_NF; ++k) out[k] = 0;
  if (kind == 4) elastic_incident(x, t, kM, c, out);
  for (int k = 0; k < PLEX_DG_NF; ++k) out[k] = uM[k] - out[k];
  tn = elastic_traction(out, n, w);
  for (int d = 0; d < PLEX_DIM; ++d) vn += n[d] * out[d];
  for (int d = 0; d < PLEX_DIM; ++d) {
    const plex_real ta = w[d] - tn * n[d], va = out[d] - vn * n[d]; /* across */

    if (kind == 0) {
      v[d] = 0;
      w[d] = 2 * w[d];
    } else if (kind == 1) {
      v[d] = 2 * out[d];
      w[d] = 0;
    } else if (kind == 2) {
      v[d] = 2 * vn * n[d];
      w[d] = 2 * ta;
    } else { /* (Z [v] + alpha [t]) = alpha Z [v] + [t] = -(t + Z v): v* and t* of the upwind flux with a state of rest */
      const plex_real ZP = kM[0] * kM[1], ZS = kM[0] * kM[2], p = (tn + ZP * vn) / (1 + c[0]), s = 1 / (1 + c[0]);

      v[d] = p / ZP * n[d] + (ZS > 0 ? s * (ta / ZS + va) : 0);
      w[d] = p * n[d] + s * (ta + ZS * va);
    }
    wn += n[d] * w[d];
  }
  for (int i = 0; i < PLEX_DIM; ++i) {
    uP[i] = uM[i] - v[i];
    for (int j = i; j < PLEX_DIM; ++j)
      uP[ELASTIC_STRESS(i, j)] = uM[ELASTIC_STRESS(i, j)] - (n[i] * w[j] + w[i] * n[j] - wn * n[i] * n[j]);
  }
}

/* The gradient of covariant velocities, symmetric, and the divergence of contravariant stress: 18 products where
   derivatives of all fields are 27, and 9 sums; in two dimensions 8 of 10, and 5 sums. Sum s_ij is D_i v_j + D_j v_i,
   half of it where i is j. */
#define PLEX_DG_NW PLEX_DG_NF
#define PLEX_DG_NA PLEX_DG_NF
#if PLEX_DIM == 3
  #define PLEX_DG_PRODUCTS \
    {0, 0, 3, 1}, {0, 1, 6, 1}, {0, 2, 7, 1}, {1, 0, 6, 1}, {1, 1, 4, 1}, {1, 2, 8, 1}, {2, 0, 7, 1}, {2, 1, 8, 1}, \
      {2, 2, 5, 1}, {3, 0, 0, 1}, {4, 1, 1, 1}, {5, 2, 2, 1}, {6, 0, 1, 1}, {6, 1, 0, 1}, {7, 0, 2, 1}, {7, 2, 0, 1}, \
      {8, 1, 2, 1}, {8, 2, 1, 1}
#else
  #define PLEX_DG_PRODUCTS \
    {0, 0, 2, 1}, {0, 1, 4, 1}, {1, 0, 4, 1}, {1, 1, 3, 1}, {2, 0, 0, 1}, {3, 1, 1, 1}, {4, 0, 1, 1}, {4, 1, 0, 1}
#endif

/* Numbers of an element: dr_a/dx_d; dx_d/dr_a; 1/rho, lambda, mu */
#define ELASTIC_BACK (PLEX_DIM * PLEX_DIM)
#define ELASTIC_K    (2 * PLEX_DIM * PLEX_DIM)
#define PLEX_DG_NE   (ELASTIC_K + 3)

PLEX_DG_FUNCTION void dg_prepare_element(const plex_real rx[], const plex_real x[], plex_real determinant,
                                         const plex_real k[], const plex_real c[], plex_real m[])
{
  for (int d = 0; d < PLEX_DIM * PLEX_DIM; ++d) {
    m[d]                = rx[d];
    m[ELASTIC_BACK + d] = x[d];
  }
  m[ELASTIC_K]     = 1 / k[0];
  m[ELASTIC_K + 2] = k[0] * k[2] * k[2];
  m[ELASTIC_K + 1] = k[0] * k[1] * k[1] - 2 * m[ELASTIC_K + 2];
}

PLEX_DG_FUNCTION void dg_to_reference(const plex_real u[], const plex_real m[], const plex_real c[], plex_real w[])
{
  const plex_real *x = m + ELASTIC_BACK;

  for (int a = 0; a < PLEX_DIM; ++a) {
    plex_real t[PLEX_DIM]; /* s times the gradient of r_a */

    elastic_traction(u, m + a * PLEX_DIM, t);
    w[a] = 0;
    for (int d = 0; d < PLEX_DIM; ++d) w[a] += x[a * PLEX_DIM + d] * u[d];
    for (int b = 0; b <= a; ++b) {
      w[ELASTIC_STRESS(b, a)] = 0;
      for (int d = 0; d < PLEX_DIM; ++d) w[ELASTIC_STRESS(b, a)] += m[b * PLEX_DIM + d] * t[d];
    }
  }
}

PLEX_DG_FUNCTION void dg_from_reference(const plex_real sums[], const plex_real m[], const plex_real c[], plex_real r[])
{
  const plex_real *x          = m + ELASTIC_BACK;
  plex_real        divergence = 0;

  for (int j = 0; j < PLEX_DIM; ++j) {
    plex_real t[PLEX_DIM], force = 0; /* t_a: sum over b of (D_a v_b + D_b v_a) dr_b/dx_j */

    for (int a = 0; a < PLEX_DIM; ++a) {
      force += x[a * PLEX_DIM + j] * sums[a];
      t[a] = 0;
      for (int b = 0; b < PLEX_DIM; ++b) t[a] += (a == b ? 2 : 1) * sums[ELASTIC_STRESS(a, b)] * m[b * PLEX_DIM + j];
    }
    r[j] = m[ELASTIC_K] * force;
    for (int i = 0; i <= j; ++i) {
      plex_real strain = 0; /* doubled */

      for (int a = 0; a < PLEX_DIM; ++a) strain += m[a * PLEX_DIM + i] * t[a];
      r[ELASTIC_STRESS(i, j)] = m[ELASTIC_K + 2] * strain;
      if (i == j) divergence += strain / 2;
    }
  }
  for (int i = 0; i < PLEX_DIM; ++i) r[ELASTIC_STRESS(i, i)] += m[ELASTIC_K + 1] * divergence;
}

PLEX_DG_FUNCTION plex_real dg_speed(const plex_real u[], const plex_real k[], const plex_real c[])
{
  return k[1];
}

/* Kinetic, and that of the strain: of the mean stress p = trace s/DIM with stiffness lambda + 2 mu/DIM, of what s
   differs from it with 2 mu. A fluid has the former alone */
PLEX_DG_FUNCTION plex_real dg_energy(const plex_real u[], const plex_real k[], const plex_real c[])
{
  const plex_real mu = k[0] * k[2] * k[2], stiffness = k[0] * k[1] * k[1] - 2 * mu + 2 * mu / PLEX_DIM;
  plex_real       v2 = 0, p = 0, shear = 0;

  for (int i = 0; i < PLEX_DIM; ++i) {
    v2 += u[i] * u[i];
    p += u[ELASTIC_STRESS(i, i)] / PLEX_DIM;
  }
  for (int i = 0; i < PLEX_DIM; ++i)
    for (int j = i; j < PLEX_DIM; ++j) {
      const plex_real s = u[ELASTIC_STRESS(i, j)] - (i == j ? p : 0);

      shear += (i == j ? 1 : 2) * s * s;
    }
  return (k[0] * v2 + p * p / stiffness + (mu > 0 ? shear / (2 * mu) : 0)) / 2;
}
