/*
  Jacobians that do not depend on the solution, and some that do: for tensor integration. Plain C that PETSc's compiler
  and the device's both read. Numbers differ by component and derivative, so that nothing is symmetric by chance.
*/
#ifndef PLEX_TEST_COEFFICIENTS_H
#define PLEX_TEST_COEFFICIENTS_H

#define POINT_ARGUMENTS \
  PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[], const PetscScalar u[], \
    const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[], const PetscInt aOff_x[], \
    const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t
#define POINT_JAC(name) \
  static void name(POINT_ARGUMENTS, PetscReal shift, const PetscReal x[], PetscInt numConstants, \
                   const PetscScalar k[], PetscScalar g[])

/* Test components times trial components of the call, by PETSc's hidden constants */
static PetscInt Components(const PetscInt uOff[], PetscInt numConstants, const PetscScalar k[])
{
  const PetscInt i = (PetscInt)PetscRealPart(k[numConstants]), j = (PetscInt)PetscRealPart(k[numConstants + 1]);

  return (uOff[i + 1] - uOff[i]) * (uOff[j + 1] - uOff[j]);
}

/* s grad v . grad u, of one component or of all */
static void Diagonal(PetscInt dim, PetscInt n, PetscScalar s, PetscScalar g[])
{
  const PetscInt Nc = n == 1 ? 1 : dim;

  for (PetscInt c = 0; c < Nc; ++c)
    for (PetscInt d = 0; d < dim; ++d) g[((c * Nc + c) * dim + d) * dim + d] += s;
}

POINT_JAC(g3_laplace)
{
  Diagonal(dim, Components(uOff, numConstants, k), 1., g);
}

/* All parts, of numbers that are constant */
POINT_JAC(g0_any)
{
  for (PetscInt i = 0; i < Components(uOff, numConstants, k); ++i) g[i] += 0.7 + 0.3 * i;
}
POINT_JAC(g1_any)
{
  for (PetscInt i = 0; i < Components(uOff, numConstants, k) * dim; ++i) g[i] += 0.4 - 0.17 * i;
}
POINT_JAC(g2_any)
{
  for (PetscInt i = 0; i < Components(uOff, numConstants, k) * dim; ++i) g[i] += 0.23 * i - 0.35;
}
POINT_JAC(g3_any)
{
  for (PetscInt i = 0; i < Components(uOff, numConstants, k) * dim * dim; ++i) g[i] += 1. + 0.11 * (i * i % 7);
}

/* Linear elasticity */
static void Elastic(PetscInt dim, PetscScalar mu, PetscScalar lambda, PetscScalar g[])
{
  for (PetscInt c = 0; c < dim; ++c) {
    for (PetscInt d = 0; d < dim; ++d) {
      g[((c * dim + c) * dim + d) * dim + d] += mu;
      g[((c * dim + d) * dim + d) * dim + c] += mu;
      g[((c * dim + d) * dim + c) * dim + d] += lambda;
    }
  }
}
POINT_JAC(g3_elastic)
{
  Elastic(dim, 0.8, 1.3, g);
}

/* Stokes, with a mass of the pressure */
POINT_JAC(g2_gradient)
{
  for (PetscInt d = 0; d < dim; ++d) g[d * dim + d] += -1.;
}
POINT_JAC(g1_divergence)
{
  for (PetscInt d = 0; d < dim; ++d) g[d * dim + d] += 1.2;
}

/* Constants k: mass, diffusion, and the two numbers beside the diagonal */
POINT_JAC(g0_constants)
{
  g[0] = k[0];
}
POINT_JAC(g3_constants)
{
  for (PetscInt d = 0; d < dim; ++d) g[d * dim + d] = k[1];
  g[1] += k[2];
  g[dim] += k[3];
}

POINT_JAC(g0_shift)
{
  g[0] += 1.7 * shift;
}

/* Symmetric, of a scalar field */
POINT_JAC(g3_anisotropic)
{
  for (PetscInt d = 0; d < dim; ++d)
    for (PetscInt e = 0; e < dim; ++e) g[d * dim + e] += d == e ? 2. + 0.3 * d : 0.4 + 0.1 * (d + e);
}

/* A coefficient that is the auxiliary field, its square, its gradient */
POINT_JAC(g3_coefficient)
{
  Diagonal(dim, Components(uOff, numConstants, k), a[0], g);
}
POINT_JAC(g0_squared)
{
  for (PetscInt i = 0; i < Components(uOff, numConstants, k); ++i) g[i] += (1. + 0.2 * i) * a[0] * a[0];
}
POINT_JAC(g1_slope)
{
  for (PetscInt i = 0; i < Components(uOff, numConstants, k) * dim; ++i) g[i] += (0.5 + 0.1 * i) * a_x[i % dim];
}

/* ... that the numbers are divided by: symmetric; elasticity, whose entry (c,d,k,l) is (d,c,l,k); neither */
POINT_JAC(g3_anisotropic_each)
{
  for (PetscInt d = 0; d < dim; ++d)
    for (PetscInt e = 0; e < dim; ++e) g[d * dim + e] = (d == e ? 2. + 0.3 * d : 0.4 + 0.1 * (d + e)) / a[0];
}
POINT_JAC(g3_elastic_each)
{
  Elastic(dim, 0.8 / a[0], 1.3 - a[0], g);
}
POINT_JAC(g3_any_each)
{
  for (PetscInt i = 0; i < Components(uOff, numConstants, k) * dim * dim; ++i) g[i] += (1. + 0.11 * (i * i % 7)) / a[0];
}

/* One material, by its number, conducts in another direction */
POINT_JAC(g3_material)
{
  for (PetscInt d = 0; d < dim; ++d) g[d * dim + d] = 1.;
  if (a[0] == 17.) g[1] = 0.5;
}

POINT_JAC(g3_position)
{
  Diagonal(dim, Components(uOff, numConstants, k), 2. + x[0] + x[0] * x[1], g);
}
POINT_JAC(g3_wave)
{
  Diagonal(dim, Components(uOff, numConstants, k), 2. + PetscSinReal(5. * x[0]), g);
}

POINT_JAC(g0_nonlinear)
{
  g[0] += 1. + u[0] * u[0];
}
/* Not symmetric; a multiple of the identity but where no vertex of the meshes lies */
POINT_JAC(g3_nonlinear)
{
  for (PetscInt i = 0; i < dim * dim; ++i)
    g[i] += (1. + u[0] * u[0]) * (1. + 0.11 * (i * i % 7)) + (i % dim == i / dim ? 2. : 0.);
}
POINT_JAC(g3_isotropic)
{
  for (PetscInt d = 0; d < dim; ++d) g[d * dim + d] += 1. + u[0] * u[0];
}
POINT_JAC(g3_narrow)
{
  for (PetscInt d = 0; d < dim; ++d) g[d * dim + d] += 1. + u[0] * u[0];
  if (x[0] > 0.05 && x[0] < 0.2) g[1] += 0.5;
}
POINT_JAC(g1_nonlinear)
{
  for (PetscInt d = 0; d < dim; ++d) g[d] += 0.3 * u[0] + 0.1 * x[d];
}
POINT_JAC(g2_nonlinear)
{
  for (PetscInt d = 0; d < dim; ++d) g[d] += 2. * u[0] * u_x[d];
}
/* Another number where the solution is negative, or hot, or where its derivatives are large */
POINT_JAC(g0_negative)
{
  g[0] += PetscRealPart(u[0]) < 0. ? 2. : 1.;
}
POINT_JAC(g0_hot)
{
  g[0] += PetscRealPart(u[0]) > 273.15 ? 2. : 1.;
}
POINT_JAC(g0_steep)
{
  g[0] += PetscRealPart(u_x[dim - 1]) < -40. ? 2. : 1.;
}
POINT_JAC(g0_still)
{
  g[0] += u_x[0] == 0. ? 2. : 1.;
}

#undef POINT_ARGUMENTS
#undef POINT_JAC
#endif
