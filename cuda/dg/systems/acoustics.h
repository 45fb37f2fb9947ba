/* Sound: pressure p and velocity v,

     p_t + kappa div v = 0,   rho v_t + grad p = 0

   with density rho and stiffness kappa of each element; the speed of sound is sqrt(kappa/rho), the impedance
   Z = sqrt(kappa rho).

   coefficients: rho, kappa; constants: alpha, from 0, where the flux conserves energy, to 1, upwind */
#define PLEX_DG_NF (1 + PLEX_DIM)
#define PLEX_DG_NK 2
#define PLEX_DG_NC 1
#define PLEX_DG_STRONG \
  (PLEX_DIM == 3 ? 14 : 6) /* curved elements: v from grad p, p from the gradient of test functions */
/* perfectly matched layers, pml.h: z s_x s_y s_z of p, z s_x/(s_y s_z) of v_x */
#if PLEX_DIM == 3
  #define PLEX_DG_STRETCH \
    { \
      {1,  1,  1 }, \
      {1,  -1, -1}, \
      {-1, 1,  -1}, \
      {-1, -1, 1 } \
}
#else
  #define PLEX_DG_STRETCH \
    { \
      {1,  1,  0}, \
      {1,  -1, 0}, \
      {-1, 1,  0} \
    }
#endif
#define PLEX_DG_VECTORS {1}

#define PLEX_DG_WEIGHTS      2 /* of p and of v: p_t/kappa = ..., rho v_t = ... */
#define PLEX_DG_WEIGHT_OF(f) ((f) > 0)

PLEX_DG_FUNCTION void dg_weights(const plex_real k[], const plex_real c[], plex_real w[])
{
  w[0] = 1 / k[1];
  w[1] = k[0];
}

PLEX_DG_FUNCTION void dg_volume(const plex_real u[], const plex_real du[][PLEX_DG_NF], const plex_real k[],
                                const plex_real c[], plex_real r[])
{
  plex_real divergence = 0;

  for (int d = 0; d < PLEX_DIM; ++d) {
    divergence += du[d][1 + d];
    r[1 + d] = -du[d][0] / k[0];
  }
  r[0] = -k[1] * divergence;
}

/* The state p*, v* between both sides keeps p + Z- n.v of this side and p - Z+ n.v of the other:

     n.v* - n.v- = (Z+ [n.v] - [p])/(Z- + Z+),   p* - p- = Z- ([p] - Z+ [n.v])/(Z- + Z+),   [.] = + less - */
#define PLEX_DG_NB 4

/* Numbers of a face that the flux needs: kappa- Z+ and kappa- alpha over Z- + Z+, Z- and Z- Z+ alpha over (Z- + Z+)
   rho- */
PLEX_DG_FUNCTION void dg_prepare(const plex_real kM[], const plex_real kP[], const plex_real c[], plex_real b[])
{
  const plex_real ZM = sqrt(kM[0] * kM[1]), ZP = sqrt(kP[0] * kP[1]), weight = 1 / (ZM + ZP);

  b[0] = kM[1] * weight * ZP;
  b[1] = kM[1] * weight * c[0];
  b[2] = ZM * weight / kM[0];
  b[3] = b[2] * ZP * c[0];
}

PLEX_DG_FUNCTION void dg_face_prepared(const plex_real uM[], const plex_real uP[], const plex_real n[],
                                       const plex_real b[], plex_real f[])
{
  const plex_real dp = uP[0] - uM[0];
  plex_real       dv = 0, pressure;

  for (int d = 0; d < PLEX_DIM; ++d) dv += n[d] * (uP[1 + d] - uM[1 + d]);
  f[0]     = b[1] * dp - b[0] * dv;
  pressure = b[2] * dp - b[3] * dv;
  for (int d = 0; d < PLEX_DIM; ++d) f[1 + d] = -pressure * n[d];
}

PLEX_DG_FUNCTION void dg_face(const plex_real uM[], const plex_real uP[], const plex_real n[], const plex_real kM[],
                              const plex_real kP[], const plex_real c[], plex_real f[])
{
  plex_real b[PLEX_DG_NB];

  dg_prepare(kM, kP, c, b);
  dg_face_prepared(uM, uP, n, b, f);
}

/* wall: no flow through it; free: no pressure; absorbing: nothing comes back */
PLEX_DG_FUNCTION void dg_boundary(int kind, const plex_real uM[], const plex_real n[], const plex_real x[], plex_real t,
                                  const plex_real kM[], const plex_real c[], plex_real uP[])
{
  const plex_real Z  = sqrt(kM[0] * kM[1]);
  plex_real       vn = 0, normal;

  for (int d = 0; d < PLEX_DIM; ++d) vn += n[d] * uM[1 + d];
  if (kind == 0) {
    uP[0]  = uM[0];
    normal = -vn;
  } else if (kind == 1) {
    uP[0]  = -uM[0];
    normal = vn;
  } else { /* of the mean flux, alpha = 0, what leaves alone; of the upwind flux a state at rest */
    uP[0]  = (1 - c[0]) * Z * vn;
    normal = (1 - c[0]) * uM[0] / Z;
  }
  for (int d = 0; d < PLEX_DIM; ++d) uP[1 + d] = uM[1 + d] + (normal - vn) * n[d];
}

/* The gradient along reference coordinates and the divergence of contravariant components: 2 DIM products where
   derivatives of all fields are DIM (DIM + 1) */
#define PLEX_DG_NW (1 + PLEX_DIM)
#define PLEX_DG_NA (1 + PLEX_DIM)
#if PLEX_DIM == 3
  #define PLEX_DG_PRODUCTS {0, 0, 1, 1}, {0, 1, 2, 1}, {0, 2, 3, 1}, {1, 0, 0, 1}, {2, 1, 0, 1}, {3, 2, 0, 1}
#else
  #define PLEX_DG_PRODUCTS {0, 0, 1, 1}, {0, 1, 2, 1}, {1, 0, 0, 1}, {2, 1, 0, 1}
#endif

/* Numbers of an element: dr_a/dx_d, -kappa, -1/rho */
#define PLEX_DG_NE (PLEX_DIM * PLEX_DIM + 2)

PLEX_DG_FUNCTION void dg_prepare_element(const plex_real rx[], const plex_real x[], plex_real determinant,
                                         const plex_real k[], const plex_real c[], plex_real m[])
{
  for (int d = 0; d < PLEX_DIM * PLEX_DIM; ++d) m[d] = rx[d];
  m[PLEX_DIM * PLEX_DIM]     = -k[1];
  m[PLEX_DIM * PLEX_DIM + 1] = -1 / k[0];
}

PLEX_DG_FUNCTION void dg_to_reference(const plex_real u[], const plex_real m[], const plex_real c[], plex_real w[])
{
  w[0] = u[0];
  for (int a = 0; a < PLEX_DIM; ++a) {
    w[1 + a] = 0;
    for (int d = 0; d < PLEX_DIM; ++d) w[1 + a] += m[a * PLEX_DIM + d] * u[1 + d];
  }
}

PLEX_DG_FUNCTION void dg_from_reference(const plex_real sums[], const plex_real m[], const plex_real c[], plex_real r[])
{
  r[0] = m[PLEX_DIM * PLEX_DIM] * sums[0];
  for (int d = 0; d < PLEX_DIM; ++d) {
    plex_real gradient = 0;

    for (int a = 0; a < PLEX_DIM; ++a) gradient += m[a * PLEX_DIM + d] * sums[1 + a];
    r[1 + d] = m[PLEX_DIM * PLEX_DIM + 1] * gradient;
  }
}

PLEX_DG_FUNCTION plex_real dg_speed(const plex_real u[], const plex_real k[], const plex_real c[])
{
  return sqrt(k[1] / k[0]);
}

PLEX_DG_FUNCTION plex_real dg_energy(const plex_real u[], const plex_real k[], const plex_real c[])
{
  plex_real v2 = 0;

  for (int d = 0; d < PLEX_DIM; ++d) v2 += u[1 + d] * u[1 + d];
  return (u[0] * u[0] / k[1] + k[0] * v2) / 2;
}
