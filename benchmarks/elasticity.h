/*
  Pointwise functions of linear elasticity, sigma = mu (grad u + grad u^T) + lambda (div u) I with mu = constants[0] and
  lambda = constants[1], and the body force -1 in the last direction: the vector problem of benchmarks/assembly.c. Read
  by both compilers, like examples/heat.h. u_x[c*dim + d] is the derivative of component c in direction d.
*/
#ifndef ELASTICITY_H
#define ELASTICITY_H

static void f0_elasticity(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                          const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[],
                          const PetscInt aOff[], const PetscInt aOff_x[], const PetscScalar a[],
                          const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t, const PetscReal x[],
                          PetscInt numConstants, const PetscScalar constants[], PetscScalar f0[])
{
  f0[dim - 1] = 1.0;
}

static void f1_elasticity(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                          const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[],
                          const PetscInt aOff[], const PetscInt aOff_x[], const PetscScalar a[],
                          const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t, const PetscReal x[],
                          PetscInt numConstants, const PetscScalar constants[], PetscScalar f1[])
{
  PetscScalar div = 0.0;

  for (PetscInt d = 0; d < dim; ++d) div += u_x[d * dim + d];
  for (PetscInt c = 0; c < dim; ++c) {
    for (PetscInt d = 0; d < dim; ++d) f1[c * dim + d] = constants[0] * (u_x[c * dim + d] + u_x[d * dim + c]);
    f1[c * dim + c] += constants[1] * div;
  }
}

/* g3[((c*dim + k)*dim + d)*dim + e] = d f1_{c,d} / d (du_k/dx_e) */
static void g3_elasticity(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                          const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[],
                          const PetscInt aOff[], const PetscInt aOff_x[], const PetscScalar a[],
                          const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t, PetscReal u_tShift,
                          const PetscReal x[], PetscInt numConstants, const PetscScalar constants[], PetscScalar g3[])
{
  for (PetscInt c = 0; c < dim; ++c) {
    for (PetscInt d = 0; d < dim; ++d) {
      g3[((c * dim + c) * dim + d) * dim + d] += constants[0];
      g3[((c * dim + d) * dim + d) * dim + c] += constants[0];
      g3[((c * dim + d) * dim + c) * dim + d] += constants[1];
    }
  }
}

/* The same, with mu and lambda of each element in an auxiliary field: a[0] and a[1] */
static void f1_lame(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                    const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                    const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                    PetscReal t, const PetscReal x[], PetscInt numConstants, const PetscScalar constants[],
                    PetscScalar f1[])
{
  f1_elasticity(dim, Nf, NfAux, uOff, uOff_x, u, u_t, u_x, aOff, aOff_x, a, a_t, a_x, t, x, 2, a, f1);
}

static void g3_lame(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                    const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                    const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                    PetscReal t, PetscReal u_tShift, const PetscReal x[], PetscInt numConstants,
                    const PetscScalar constants[], PetscScalar g3[])
{
  g3_elasticity(dim, Nf, NfAux, uOff, uOff_x, u, u_t, u_x, aOff, aOff_x, a, a_t, a_x, t, u_tShift, x, 2, a, g3);
}

/* Elasticity in motion, or on a bed of springs: rho u besides, rho = 2 */
static void f0_motion(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                      const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                      const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                      PetscReal t, const PetscReal x[], PetscInt numConstants, const PetscScalar constants[],
                      PetscScalar f0[])
{
  for (PetscInt c = 0; c < dim; ++c) f0[c] = 2.0 * u[c];
  f0[dim - 1] += 1.0;
}

static void g0_motion(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                      const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                      const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                      PetscReal t, PetscReal u_tShift, const PetscReal x[], PetscInt numConstants,
                      const PetscScalar constants[], PetscScalar g0[])
{
  for (PetscInt c = 0; c < dim; ++c) g0[c * dim + c] = 2.0;
}

#endif
