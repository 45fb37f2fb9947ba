/*
  Jacobians of functions with branches, as programs have them: what they read differs from place to place, and numbers
  that they were not made for are an error or out of range. Plain C that PETSc's compiler and the device's both read.
*/
#ifndef PLEX_TEST_BRANCHES_H
#define PLEX_TEST_BRANCHES_H

#define POINT_JAC(name) \
  static void name(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[], \
                   const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[], \
                   const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[], \
                   PetscReal t, PetscReal shift, const PetscReal x[], PetscInt numConstants, const PetscScalar k[], \
                   PetscScalar g[])

static void Isotropic(PetscInt dim, PetscScalar s, PetscScalar g[])
{
  for (PetscInt d = 0; d < dim; ++d) g[d * dim + d] = s;
}

/* Diffusion, and a velocity that is zero now */
POINT_JAC(g3_one)
{
  Isotropic(dim, 1., g);
}
POINT_JAC(g1_velocity)
{
  for (PetscInt d = 0; d < dim; ++d) g[d] = k[d];
}

/* A temperature in Kelvin, clamped; a level set; a material's number; a viscosity between bounds */
POINT_JAC(g3_kelvin)
{
  Isotropic(dim, a[0] < 300. ? 1. : (a[0] > 400. ? 3. : 1. + 0.02 * (a[0] - 300.)), g);
}
POINT_JAC(g3_levelset)
{
  Isotropic(dim, a[0] > 0. ? 10. : 1., g);
}
POINT_JAC(g3_viscosity)
{
  const PetscScalar eta = 1e3 / (a[0] * a[0]);

  Isotropic(dim, eta < 0.5 ? 0.5 : (eta > 20. ? 20. : eta), g);
}

/* A layer that is thinner than the elements around it, with another direction */
POINT_JAC(g3_layer)
{
  Isotropic(dim, 1., g);
  if (x[0] > 0.31 && x[0] < 0.36) g[1] = 0.5;
}

/* The solution matters in one material, later, in a range, beyond a yield stress */
POINT_JAC(g3_material)
{
  Isotropic(dim, a[0] == 2. ? 1. + u[0] * u[0] : 1., g);
}
POINT_JAC(g3_later)
{
  Isotropic(dim, t > 5. ? 1. + u[0] * u[0] : 1., g);
}
POINT_JAC(g3_range)
{
  Isotropic(dim, u[0] > 77. && u[0] < 29680. ? 4. : 1., g);
}
POINT_JAC(g3_yield)
{
  PetscScalar norm = 0.;

  for (PetscInt d = 0; d < dim; ++d) norm += u_x[d] * u_x[d];
  Isotropic(dim, norm > 0.04 ? 0.2 / PetscSqrtReal(norm) : 1., g);
}
/* The position matters in one material */
POINT_JAC(g3_graded)
{
  Isotropic(dim, a[0] == 2. ? 1. + x[0] : 1., g);
}

/* One material has another direction, and makes G not symmetric */
POINT_JAC(g3_turned)
{
  Isotropic(dim, 1. + a[0], g);
  if (a[0] == 2.) g[1] = 0.5;
}

/* Numbers that were not in the auxiliary field are out of range, and end the program */
#ifndef CHECK /* the program itself checks */
  #define CHECK(condition) ((void)0)
#endif
POINT_JAC(g3_table)
{
  const PetscReal table[3] = {1., 5., 0.1};

  CHECK(a[0] == 0. || a[0] == 1. || a[0] == 2.);
  Isotropic(dim, table[(PetscInt)a[0]], g);
}
POINT_JAC(g3_checked)
{
  CHECK(a[0] >= 270. && a[0] <= 500. && PetscAbsReal(t - 0.7) < 10. && shift == 1.3);
  Isotropic(dim, 2. + a[0] * 1e-3, g);
}

#undef POINT_JAC
#endif
