/*
  Pointwise functions for tests. Plain C that PETSc's compiler and the device's both read.

  general    reads all that a form may read, for any number of components Nc, is nonlinear and not symmetric. With
             s = sum_k u_k and p(c) = (c + 1) mod Nc,
               f0_c  = u_t_c + (k0 + k1 s^2) u_c + b . grad u_c + k2 u_p du_c/dx_0 + sin(t) x_0,   b_d = 1 + t x_d
               f1_cd = (1 + k3 u_c^2) du_c/dx_d + k2 s du_p/dx_e + k0 s u_c (1 + x_d),             e = (d + 1) mod dim
  symmetric  the derivative of an energy W, so its Jacobian is symmetric. With G = |grad u|^2 and D = sum_c du_c/dx_(c
             mod dim),
               W = (1 + k3 s^2) G / 2 + k2 D^2 / 2 + k1 s^4 / 4 + k0 (1 + x_0^2) |u|^2 / 2
  mixed      two fields: u with dim components and a scalar p,
               f0_u = u_t + p u,             f1_u = (1 + k3 p^2) grad u - p I
               f0_p = div u + k1 p u_0,      f1_p = k2 grad p + p u
  saddle     likewise, and symmetric: its energy is (1 + k3 p^2) |grad u|^2 / 2 - p div u + k2 |grad p|^2 / 2
  diffusion  -div((1 + u^2) grad u) = f, with f such that u = sum_d sin(x_d + d/2)

  k0 to k3 are the constants. g0 to g3 are the derivatives of f0 by u, of f0 by grad u, of f1 by u, and of f1 by grad u.
*/
#ifndef PLEX_TEST_FORMS_H
#define PLEX_TEST_FORMS_H

#define POINT_ARGUMENTS \
  PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[], const PetscScalar u[], \
    const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[], const PetscInt aOff_x[], \
    const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t
#define RESIDUAL(name) \
  static void name(POINT_ARGUMENTS, const PetscReal x[], PetscInt numConstants, const PetscScalar k[], PetscScalar f[])
#define JACOBIAN(name) \
  static void name(POINT_ARGUMENTS, PetscReal shift, const PetscReal x[], PetscInt numConstants, \
                   const PetscScalar k[], PetscScalar g[])

/* ---- general: in all of them Nc = uOff[1] and u_x[c*dim + d] = du_c/dx_d */

RESIDUAL(f0_general)
{
  const PetscInt Nc = uOff[1];
  PetscScalar    s  = 0.;

  for (PetscInt c = 0; c < Nc; ++c) s += u[c];
  for (PetscInt c = 0; c < Nc; ++c) {
    f[c] = (k[0] + k[1] * s * s) * u[c] + k[2] * u[(c + 1) % Nc] * u_x[c * dim] + PetscSinReal(t) * x[0];
    if (u_t) f[c] += u_t[c];
    for (PetscInt d = 0; d < dim; ++d) f[c] += (1. + t * x[d]) * u_x[c * dim + d];
  }
}

RESIDUAL(f1_general)
{
  const PetscInt Nc = uOff[1];
  PetscScalar    s  = 0.;

  for (PetscInt c = 0; c < Nc; ++c) s += u[c];
  for (PetscInt c = 0; c < Nc; ++c) {
    for (PetscInt d = 0; d < dim; ++d)
      f[c * dim + d] = (1. + k[3] * u[c] * u[c]) * u_x[c * dim + d] +
                       k[2] * s * u_x[(c + 1) % Nc * dim + (d + 1) % dim] + k[0] * s * u[c] * (1. + x[d]);
  }
}

JACOBIAN(g0_general) /* [Nc][Nc] */
{
  const PetscInt Nc = uOff[1];
  PetscScalar    s  = 0.;

  for (PetscInt c = 0; c < Nc; ++c) s += u[c];
  for (PetscInt c = 0; c < Nc; ++c) {
    for (PetscInt b = 0; b < Nc; ++b) g[c * Nc + b] = 2. * k[1] * s * u[c];
    g[c * Nc + c] += shift + k[0] + k[1] * s * s;
    g[c * Nc + (c + 1) % Nc] += k[2] * u_x[c * dim];
  }
}

JACOBIAN(g1_general) /* [Nc][Nc][dim] */
{
  const PetscInt Nc = uOff[1];

  for (PetscInt c = 0; c < Nc; ++c) {
    for (PetscInt d = 0; d < dim; ++d) g[(c * Nc + c) * dim + d] = 1. + t * x[d];
    g[(c * Nc + c) * dim] += k[2] * u[(c + 1) % Nc];
  }
}

JACOBIAN(g2_general) /* [Nc][Nc][dim] */
{
  const PetscInt Nc = uOff[1];
  PetscScalar    s  = 0.;

  for (PetscInt c = 0; c < Nc; ++c) s += u[c];
  for (PetscInt c = 0; c < Nc; ++c) {
    for (PetscInt d = 0; d < dim; ++d) {
      for (PetscInt b = 0; b < Nc; ++b)
        g[(c * Nc + b) * dim + d] = k[2] * u_x[(c + 1) % Nc * dim + (d + 1) % dim] + k[0] * u[c] * (1. + x[d]);
      g[(c * Nc + c) * dim + d] += 2. * k[3] * u[c] * u_x[c * dim + d] + k[0] * s * (1. + x[d]);
    }
  }
}

JACOBIAN(g3_general) /* [Nc][Nc][dim][dim] */
{
  const PetscInt Nc = uOff[1];
  PetscScalar    s  = 0.;

  for (PetscInt c = 0; c < Nc; ++c) s += u[c];
  for (PetscInt c = 0; c < Nc; ++c) {
    for (PetscInt d = 0; d < dim; ++d) {
      g[((c * Nc + c) * dim + d) * dim + d] += 1. + k[3] * u[c] * u[c];
      g[((c * Nc + (c + 1) % Nc) * dim + d) * dim + (d + 1) % dim] += k[2] * s;
    }
  }
}

/* ---- symmetric */

RESIDUAL(f0_symmetric)
{
  const PetscInt Nc = uOff[1];
  PetscScalar    s = 0., G = 0.;

  for (PetscInt c = 0; c < Nc; ++c) s += u[c];
  for (PetscInt c = 0; c < Nc * dim; ++c) G += u_x[c] * u_x[c];
  for (PetscInt c = 0; c < Nc; ++c)
    f[c] = (u_t ? u_t[c] : 0.) + k[3] * s * G + k[1] * s * s * s + k[0] * (1. + x[0] * x[0]) * u[c];
}

RESIDUAL(f1_symmetric)
{
  const PetscInt Nc = uOff[1];
  PetscScalar    s = 0., D = 0.;

  for (PetscInt c = 0; c < Nc; ++c) {
    s += u[c];
    D += u_x[c * dim + c % dim];
  }
  for (PetscInt c = 0; c < Nc; ++c) {
    for (PetscInt d = 0; d < dim; ++d) f[c * dim + d] = (1. + k[3] * s * s) * u_x[c * dim + d];
    f[c * dim + c % dim] += k[2] * D;
  }
}

JACOBIAN(g0_symmetric)
{
  const PetscInt Nc = uOff[1];
  PetscScalar    s = 0., G = 0.;

  for (PetscInt c = 0; c < Nc; ++c) s += u[c];
  for (PetscInt c = 0; c < Nc * dim; ++c) G += u_x[c] * u_x[c];
  for (PetscInt c = 0; c < Nc; ++c) {
    for (PetscInt b = 0; b < Nc; ++b)
      g[c * Nc + b] = k[3] * G + 3. * k[1] * s * s + (b == c ? shift + k[0] * (1. + x[0] * x[0]) : 0.);
  }
}

JACOBIAN(g1_symmetric)
{
  const PetscInt Nc = uOff[1];
  PetscScalar    s  = 0.;

  for (PetscInt c = 0; c < Nc; ++c) s += u[c];
  for (PetscInt c = 0; c < Nc; ++c) {
    for (PetscInt b = 0; b < Nc; ++b) {
      for (PetscInt d = 0; d < dim; ++d) g[(c * Nc + b) * dim + d] = 2. * k[3] * s * u_x[b * dim + d];
    }
  }
}

JACOBIAN(g2_symmetric)
{
  const PetscInt Nc = uOff[1];
  PetscScalar    s  = 0.;

  for (PetscInt c = 0; c < Nc; ++c) s += u[c];
  for (PetscInt c = 0; c < Nc; ++c) {
    for (PetscInt b = 0; b < Nc; ++b) {
      for (PetscInt d = 0; d < dim; ++d) g[(c * Nc + b) * dim + d] = 2. * k[3] * s * u_x[c * dim + d];
    }
  }
}

JACOBIAN(g3_symmetric)
{
  const PetscInt Nc = uOff[1];
  PetscScalar    s  = 0.;

  for (PetscInt c = 0; c < Nc; ++c) s += u[c];
  for (PetscInt c = 0; c < Nc; ++c) {
    for (PetscInt d = 0; d < dim; ++d) g[((c * Nc + c) * dim + d) * dim + d] += 1. + k[3] * s * s;
    for (PetscInt b = 0; b < Nc; ++b) g[((c * Nc + b) * dim + c % dim) * dim + b % dim] += k[2];
  }
}

/* ---- mixed: u is field 0, p field 1 */

RESIDUAL(f0_mixed_u)
{
  for (PetscInt c = 0; c < dim; ++c) f[c] = u[c] * u[uOff[1]] + (u_t ? u_t[c] : 0.);
}

RESIDUAL(f1_mixed_u)
{
  const PetscScalar p = u[uOff[1]];

  for (PetscInt c = 0; c < dim; ++c) {
    for (PetscInt d = 0; d < dim; ++d) f[c * dim + d] = (1. + k[3] * p * p) * u_x[c * dim + d] - (c == d ? p : 0.);
  }
}

RESIDUAL(f0_mixed_p)
{
  f[0] = k[1] * u[uOff[1]] * u[0];
  for (PetscInt d = 0; d < dim; ++d) f[0] += u_x[d * dim + d];
}

RESIDUAL(f1_mixed_p)
{
  for (PetscInt d = 0; d < dim; ++d) f[d] = k[2] * u_x[uOff_x[1] + d] + u[uOff[1]] * u[d];
}

JACOBIAN(g0_mixed_uu)
{
  for (PetscInt c = 0; c < dim; ++c) g[c * dim + c] = u[uOff[1]] + shift;
}

JACOBIAN(g3_mixed_uu)
{
  for (PetscInt c = 0; c < dim; ++c) {
    for (PetscInt d = 0; d < dim; ++d) g[((c * dim + c) * dim + d) * dim + d] = 1. + k[3] * u[uOff[1]] * u[uOff[1]];
  }
}

JACOBIAN(g0_mixed_up)
{
  for (PetscInt c = 0; c < dim; ++c) g[c] = u[c];
}

JACOBIAN(g2_mixed_up)
{
  for (PetscInt c = 0; c < dim; ++c) {
    for (PetscInt d = 0; d < dim; ++d) g[c * dim + d] = 2. * k[3] * u[uOff[1]] * u_x[c * dim + d] - (c == d ? 1. : 0.);
  }
}

JACOBIAN(g0_mixed_pu)
{
  g[0] = k[1] * u[uOff[1]];
}

JACOBIAN(g1_mixed_pu)
{
  for (PetscInt d = 0; d < dim; ++d) g[d * dim + d] = 1.;
}

JACOBIAN(g2_mixed_pu)
{
  for (PetscInt d = 0; d < dim; ++d) g[d * dim + d] = u[uOff[1]];
}

JACOBIAN(g0_mixed_pp)
{
  g[0] = k[1] * u[0];
}

JACOBIAN(g2_mixed_pp)
{
  for (PetscInt d = 0; d < dim; ++d) g[d] = u[d];
}

JACOBIAN(g3_mixed_pp)
{
  for (PetscInt d = 0; d < dim; ++d) g[d * dim + d] = k[2];
}

/* ---- saddle: with f1_mixed_u, g3_mixed_uu, g2_mixed_up and g3_mixed_pp */

RESIDUAL(f0_saddle_u)
{
  for (PetscInt c = 0; c < dim; ++c) f[c] = u_t ? u_t[c] : 0.;
}

RESIDUAL(f0_saddle_p)
{
  f[0] = 0.;
  for (PetscInt d = 0; d < dim; ++d) f[0] -= u_x[d * dim + d];
  for (PetscInt d = 0; d < dim * dim; ++d) f[0] += k[3] * u[uOff[1]] * u_x[d] * u_x[d];
}

RESIDUAL(f1_saddle_p)
{
  for (PetscInt d = 0; d < dim; ++d) f[d] = k[2] * u_x[uOff_x[1] + d];
}

JACOBIAN(g0_saddle_uu)
{
  for (PetscInt c = 0; c < dim; ++c) g[c * dim + c] = shift;
}

JACOBIAN(g1_saddle_pu)
{
  for (PetscInt c = 0; c < dim; ++c) {
    for (PetscInt d = 0; d < dim; ++d) g[c * dim + d] = 2. * k[3] * u[uOff[1]] * u_x[c * dim + d] - (c == d ? 1. : 0.);
  }
}

JACOBIAN(g0_saddle_pp)
{
  for (PetscInt d = 0; d < dim * dim; ++d) g[0] += k[3] * u_x[d] * u_x[d];
}

/* ---- diffusion */

RESIDUAL(f0_diffusion) /* -f, f = -(2 u |grad u|^2 + (1 + u^2) lap u) at the solution, whose Laplacian is -u */
{
  PetscScalar v = 0., G = 0.;

  for (PetscInt d = 0; d < dim; ++d) {
    const PetscReal y = x[d] + 0.5 * d;

    v += PetscSinReal(y);
    G += PetscCosReal(y) * PetscCosReal(y);
  }
  f[0] = 2. * v * G - (1. + v * v) * v;
}

RESIDUAL(f1_diffusion)
{
  for (PetscInt d = 0; d < dim; ++d) f[d] = (1. + u[0] * u[0]) * u_x[d];
}

JACOBIAN(g2_diffusion)
{
  for (PetscInt d = 0; d < dim; ++d) g[d] = 2. * u[0] * u_x[d];
}

JACOBIAN(g3_diffusion)
{
  for (PetscInt d = 0; d < dim; ++d) g[d * dim + d] = 1. + u[0] * u[0];
}

/* ---- linear: of derivatives alone, symmetric, so that tensors serve */

RESIDUAL(f1_linear)
{
  const PetscInt Nc = uOff[1];
  PetscScalar    D  = 0.;

  for (PetscInt c = 0; c < Nc; ++c) D += u_x[c * dim + c % dim];
  for (PetscInt c = 0; c < Nc; ++c) {
    for (PetscInt d = 0; d < dim; ++d) f[c * dim + d] = u_x[c * dim + d];
    f[c * dim + c % dim] += k[2] * D;
  }
}

JACOBIAN(g3_linear)
{
  const PetscInt Nc = uOff[1];

  for (PetscInt c = 0; c < Nc; ++c) {
    for (PetscInt d = 0; d < dim; ++d) g[((c * Nc + c) * dim + d) * dim + d] += 1.;
    for (PetscInt b = 0; b < Nc; ++b) g[((c * Nc + b) * dim + c % dim) * dim + b % dim] += k[2];
  }
}

#undef POINT_ARGUMENTS
#undef RESIDUAL
#undef JACOBIAN
#endif
