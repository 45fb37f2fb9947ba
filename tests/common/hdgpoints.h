/* Pointwise functions of PETSc for hybridized DG, of every kind, read by both compilers. constants[3]: a, b, c */
#ifndef HDGPOINTS_H
#define HDGPOINTS_H

#define HDG_POINT(name) \
  PETSC_UNUSED static void name(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], \
                                const PetscInt uOff_x[], const PetscScalar u[], const PetscScalar u_t[], \
                                const PetscScalar u_x[], const PetscInt aOff[], const PetscInt aOff_x[], \
                                const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t, \
                                const PetscReal x[], PetscInt numConstants, const PetscScalar constants[], \
                                PetscScalar f[])

#define HDG_BOUNDARY(name) \
  PETSC_UNUSED static void name(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], \
                                const PetscInt uOff_x[], const PetscScalar u[], const PetscScalar u_t[], \
                                const PetscScalar u_x[], const PetscInt aOff[], const PetscInt aOff_x[], \
                                const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t, \
                                const PetscReal x[], const PetscReal n[], PetscInt numConstants, \
                                const PetscScalar constants[], PetscScalar f[])

/* a (1 + x y) + b sin(3 z) + c t */
HDG_POINT(hdg_point_source)
{
  f[0] = constants[0] * (1. + x[0] * x[1]) + constants[1] * PetscSinReal(3. * x[dim - 1]) + constants[2] * t;
}

/* A tensor, a + c t + x on its diagonal, b/4 beside it, and lambda = 1 + c t - b y */
HDG_POINT(hdg_point_coefficients)
{
  for (PetscInt k = 0; k < dim * dim; ++k)
    f[k] = k % (dim + 1) ? 0.25 * constants[1] : constants[0] + constants[2] * t + x[0] * x[0];
  f[dim * dim] = 1. + constants[2] * t - constants[1] * x[1];
}

/* Likewise at points, without u */
HDG_POINT(hdg_point_kappa)
{
  for (PetscInt k = 0; k < dim * dim; ++k)
    f[k] = k % (dim + 1) ? 0.1 * constants[1] * x[0] : constants[0] + constants[2] * t + x[dim - 1] * x[1];
}

/* (a + c t + b u^2) times a tensor, and its derivative by u */
HDG_POINT(hdg_point_kappa_u)
{
  for (PetscInt k = 0; k < dim * dim; ++k)
    f[k] = (k % (dim + 1) ? 0.2 : 1.) * (constants[0] + constants[2] * t + constants[1] * u[uOff[0]] * u[uOff[0]]);
}

HDG_POINT(hdg_point_slope)
{
  for (PetscInt k = 0; k < dim * dim; ++k) f[k] = (k % (dim + 1) ? 0.2 : 1.) * 2. * constants[1] * u[uOff[0]];
}

/* It turns, and has a divergence; kernels have a variable of this name */
HDG_POINT(beta)
{
  f[0] = constants[0] - x[1] + constants[2] * t;
  f[1] = constants[1] * x[0] + 0.3 * x[1];
  if (dim == 3) f[2] = 0.5 / constants[0];
}

HDG_BOUNDARY(hdg_point_known)
{
  f[0] = constants[0] + constants[1] * PetscCosReal(2. * x[0]) * x[dim - 1] + constants[2] * t;
}

HDG_BOUNDARY(hdg_point_flux)
{
  f[0] = constants[0] * n[0] + constants[1] * n[1] * x[0] + constants[2] * t;
}

/* Robin's g and alpha = a + c t */
HDG_BOUNDARY(hdg_point_robin)
{
  f[0] = constants[1] * x[0] * n[1];
  f[1] = constants[0] + constants[2] * t;
}
#endif
