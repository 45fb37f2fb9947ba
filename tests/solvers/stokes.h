/* Stokes flow with viscosity 1 + |u|^2: field 0 the velocity, field 1 the pressure; force (1 + x_1, x_0, ..). Plain C
   that PETSc's compiler and the device's both read. */
#ifndef PLEX_TEST_STOKES_H
#define PLEX_TEST_STOKES_H

#define POINT_ARGUMENTS \
  PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[], const PetscScalar u[], \
    const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[], const PetscInt aOff_x[], \
    const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t
#define POINT(name) \
  static void name(POINT_ARGUMENTS, const PetscReal x[], PetscInt numConstants, const PetscScalar k[], PetscScalar f[])
#define POINT_JAC(name) \
  static void name(POINT_ARGUMENTS, PetscReal shift, const PetscReal x[], PetscInt numConstants, \
                   const PetscScalar k[], PetscScalar g[])
#define FACET(name) \
  static void name(POINT_ARGUMENTS, const PetscReal x[], const PetscReal n[], PetscInt numConstants, \
                   const PetscScalar k[], PetscScalar f[])
#define FACET_JAC(name) \
  static void name(POINT_ARGUMENTS, PetscReal shift, const PetscReal x[], const PetscReal n[], PetscInt numConstants, \
                   const PetscScalar k[], PetscScalar g[])

POINT(f0_stokes_u)
{
  for (PetscInt c = 0; c < dim; ++c) f[c] = c ? -x[0] : -1. - x[1];
}
POINT(f1_stokes_u)
{
  PetscScalar v = 1.;

  for (PetscInt c = 0; c < dim; ++c) v += u[c] * u[c];
  for (PetscInt c = 0; c < dim; ++c)
    for (PetscInt d = 0; d < dim; ++d) f[c * dim + d] = v * u_x[c * dim + d] - (c == d ? u[uOff[1]] : 0.);
}
POINT(f0_stokes_p)
{
  f[0] = 0.;
  for (PetscInt d = 0; d < dim; ++d) f[0] += u_x[d * dim + d];
}
POINT_JAC(g2_stokes_uu)
{
  for (PetscInt c = 0; c < dim; ++c)
    for (PetscInt b = 0; b < dim; ++b)
      for (PetscInt d = 0; d < dim; ++d) g[(c * dim + b) * dim + d] = 2. * u[b] * u_x[c * dim + d];
}
POINT_JAC(g3_stokes_uu)
{
  PetscScalar v = 1.;

  for (PetscInt c = 0; c < dim; ++c) v += u[c] * u[c];
  for (PetscInt c = 0; c < dim; ++c)
    for (PetscInt d = 0; d < dim; ++d) g[((c * dim + c) * dim + d) * dim + d] = v;
}
POINT_JAC(g2_stokes_up)
{
  for (PetscInt d = 0; d < dim; ++d) g[d * dim + d] = -1.;
}
POINT_JAC(g1_stokes_pu)
{
  for (PetscInt d = 0; d < dim; ++d) g[d * dim + d] = 1.;
}
POINT_JAC(g0_stokes_pp)
{
  g[0] = 1.;
}
FACET(f0_stokes_traction)
{
  for (PetscInt c = 0; c < dim; ++c) f[c] = 0.3 * n[c] + 0.1 * u[c];
}
FACET_JAC(g0_stokes_traction)
{
  for (PetscInt c = 0; c < dim; ++c) g[c * dim + c] = 0.1;
}

#undef POINT_ARGUMENTS
#undef POINT
#undef POINT_JAC
#undef FACET
#undef FACET_JAC
#endif
