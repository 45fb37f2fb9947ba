/*
  Pointwise functions for any fields, auxiliary fields and boundaries: numbers that depend on all arguments, of which no
  form is made. Plain C that PETSc's compiler and the device's both read.

  With the mean m of all values that a function is given, each times a number of its own, f and g are polynomials in m,
  and differ by component, by field (PETSc's hidden constants), and by function.
*/
#ifndef PLEX_TEST_INTEGRALS_H
#define PLEX_TEST_INTEGRALS_H

#define POINT_ARGUMENTS \
  PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[], const PetscScalar u[], \
    const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[], const PetscInt aOff_x[], \
    const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t
#define PASSED dim, Nf, NfAux, uOff, uOff_x, u, u_t, u_x, aOff, aOff_x, a, a_x, t, x, numConstants, k
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

/* The mean of everything, times numbers between 0.5 and 1.5; the hidden constants: fields I and J, detJ 2^dim */
static PetscScalar Mean(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                        const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                        const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_x[], PetscReal t,
                        const PetscReal x[], PetscInt numConstants, const PetscScalar k[])
{
  PetscScalar s = 0.2 * t + 0.7 * k[numConstants] + 0.3 * k[numConstants + 1] + k[numConstants + 2];

  for (PetscInt i = 0; i < uOff[Nf]; ++i) s += (0.5 + i % 3 * 0.4) * u[i];
  for (PetscInt i = 0; i < uOff_x[Nf]; ++i) s += (1.3 - i % 4 * 0.2) * u_x[i];
  for (PetscInt i = 0; i < uOff[Nf] && u_t; ++i) s += (0.6 + i % 2 * 0.5) * u_t[i];
  if (NfAux) {
    for (PetscInt i = 0; i < aOff[NfAux]; ++i) s += (1.2 - i % 5 * 0.1) * a[i];
    for (PetscInt i = 0; i < aOff_x[NfAux]; ++i) s += (0.5 + i % 3 * 0.3) * a_x[i];
  }
  for (PetscInt d = 0; d < dim; ++d) s += (1. + 0.3 * d) * x[d];
  for (PetscInt i = 0; i < numConstants; ++i) s += 0.4 * k[i];
  return s / (4. + uOff[Nf]);
}

/* Adds n numbers */
static void Fill(PetscInt n, PetscScalar m, PetscReal scale, PetscScalar f[])
{
  for (PetscInt i = 0; i < n; ++i) f[i] += scale * (0.3 * ((i + 1) % 7) + m * (1. + 0.1 * i) + 0.2 * m * m);
}

/* Components of the test field i, and times those of j */
static PetscInt Test(const PetscInt uOff[], PetscInt numConstants, const PetscScalar k[])
{
  const PetscInt i = (PetscInt)PetscRealPart(k[numConstants]);

  return uOff[i + 1] - uOff[i];
}
static PetscInt Pair(const PetscInt uOff[], PetscInt numConstants, const PetscScalar k[])
{
  const PetscInt i = (PetscInt)PetscRealPart(k[numConstants]), j = (PetscInt)PetscRealPart(k[numConstants + 1]);

  return (uOff[i + 1] - uOff[i]) * (uOff[j + 1] - uOff[j]);
}

/* Cells */
POINT(f0_cells)
{
  Fill(Test(uOff, numConstants, k), Mean(PASSED), 1., f);
}
POINT(f1_cells)
{
  Fill(Test(uOff, numConstants, k) * dim, Mean(PASSED), 0.8, f);
}
POINT_JAC(g0_cells)
{
  Fill(Pair(uOff, numConstants, k), Mean(PASSED) + shift, 0.9, g);
}
POINT_JAC(g1_cells)
{
  Fill(Pair(uOff, numConstants, k) * dim, Mean(PASSED) + shift, 0.7, g);
}
POINT_JAC(g2_cells)
{
  Fill(Pair(uOff, numConstants, k) * dim, Mean(PASSED) + shift, 0.6, g);
}
POINT_JAC(g3_cells)
{
  Fill(Pair(uOff, numConstants, k) * dim * dim, Mean(PASSED) + shift, 0.5, g);
}

/* Others for the cells: another key, the preconditioner, the dynamic Jacobian, the explicit part */
POINT(f0_other)
{
  Fill(Test(uOff, numConstants, k), Mean(PASSED), -1.3, f);
}
POINT(f1_other)
{
  Fill(Test(uOff, numConstants, k) * dim, Mean(PASSED), 0.45, f);
}
POINT_JAC(g0_other)
{
  Fill(Pair(uOff, numConstants, k), Mean(PASSED), 1.7, g);
}
POINT_JAC(g3_other)
{
  Fill(Pair(uOff, numConstants, k) * dim * dim, Mean(PASSED), -0.35, g);
}

/* Of constants alone and of scalar fields, so that tensors serve */
POINT_JAC(g0_constant)
{
  g[0] = k[0];
}
POINT_JAC(g3_constant)
{
  for (PetscInt d = 0; d < dim; ++d) g[d * dim + d] = 1. + d * k[1];
}

/* Facets */
static PetscScalar Normal(PetscInt dim, const PetscReal n[])
{
  PetscScalar s = 0.;

  for (PetscInt d = 0; d < dim; ++d) s += (0.4 + 0.5 * d) * n[d];
  return s;
}
FACET(f0_facets)
{
  Fill(Test(uOff, numConstants, k), Mean(PASSED) + Normal(dim, n), 1.1, f);
}
FACET(f1_facets)
{
  Fill(Test(uOff, numConstants, k) * dim, Mean(PASSED) + Normal(dim, n), 0.55, f);
}
FACET(f0_other_facets)
{
  Fill(Test(uOff, numConstants, k), Mean(PASSED) * Normal(dim, n), -0.75, f);
}
FACET_JAC(g0_facets)
{
  Fill(Pair(uOff, numConstants, k), Mean(PASSED) + shift + Normal(dim, n), 0.95, g);
}
FACET_JAC(g1_facets)
{
  Fill(Pair(uOff, numConstants, k) * dim, Mean(PASSED) + shift + Normal(dim, n), 0.65, g);
}
FACET_JAC(g2_facets)
{
  Fill(Pair(uOff, numConstants, k) * dim, Mean(PASSED) + shift + Normal(dim, n), 0.75, g);
}
FACET_JAC(g3_facets)
{
  Fill(Pair(uOff, numConstants, k) * dim * dim, Mean(PASSED) + shift + Normal(dim, n), -0.4, g);
}

#undef POINT_ARGUMENTS
#undef PASSED
#undef POINT
#undef POINT_JAC
#undef FACET
#undef FACET_JAC
#endif
