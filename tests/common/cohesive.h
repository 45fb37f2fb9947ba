/*
  Pointwise functions for cohesive cells: numbers that depend on all arguments but the volume, which PETSc does not set,
  and differ by key, field and component. Plain C that PETSc's compiler and the device's both read.
*/
#ifndef PLEX_TEST_COHESIVE_H
#define PLEX_TEST_COHESIVE_H

#define COHESIVE_ARGUMENTS \
  PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[], const PetscScalar u[], \
    const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[], const PetscInt aOff_x[], \
    const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t

/* A mean of everything, each number with a factor of its own */
static PetscScalar CohesiveMean(COHESIVE_ARGUMENTS, const PetscReal x[], const PetscReal n[], PetscInt numConstants,
                                const PetscScalar k[])
{
  PetscScalar s = 0.2 * t + 0.7 * k[numConstants] + 0.3 * k[numConstants + 1];

  for (PetscInt i = 0; i < uOff[Nf]; ++i) s += (0.5 + i % 3 * 0.4) * u[i];
  for (PetscInt i = 0; i < uOff[Nf] * dim; ++i) s += (1.3 - i % 4 * 0.2) * u_x[i];
  for (PetscInt i = 0; i <= Nf; ++i) s += 0.01 * uOff_x[i];
  for (PetscInt i = 0; i < uOff[Nf] && u_t; ++i) s += (0.6 + i % 2 * 0.5) * u_t[i];
  if (NfAux) {
    for (PetscInt i = 0; i < aOff[NfAux]; ++i) s += (1.2 - i % 5 * 0.1) * a[i];
    for (PetscInt i = 0; i < aOff[NfAux] * dim; ++i) s += (0.5 + i % 3 * 0.3) * a_x[i];
    for (PetscInt i = 0; i <= NfAux; ++i) s += 0.01 * aOff_x[i];
  }
  for (PetscInt d = 0; d < dim; ++d) s += (1. + 0.3 * d) * x[d] + (0.4 - 0.7 * d) * n[d];
  for (PetscInt i = 0; i < numConstants; ++i) s += 0.4 * k[i];
  return s / (4. + uOff[Nf]);
}

#define COHESIVE_MEAN \
  CohesiveMean(dim, Nf, NfAux, uOff, uOff_x, u, u_t, u_x, aOff, aOff_x, a, a_t, a_x, t, x, n, numConstants, k)

/* Adds m numbers */
static void CohesiveFill(PetscInt m, PetscScalar s, PetscReal scale, PetscScalar f[])
{
  for (PetscInt i = 0; i < m; ++i) f[i] += scale * (0.3 * ((i + 1) % 7) + s * (1. + 0.1 * i) + 0.2 * s * s);
}

/* Components of field f: test fields are cohesive, or have both sides in uOff */
static PetscInt CohesiveSize(const PetscInt uOff[], const PetscScalar k[], PetscInt numConstants, PetscInt which)
{
  const PetscInt f = (PetscInt)PetscRealPart(k[numConstants + which]);

  return uOff[f + 1] - uOff[f];
}

#define COHESIVE_F(name, scale, of_cells) \
  static void name(COHESIVE_ARGUMENTS, const PetscReal x[], const PetscReal n[], PetscInt numConstants, \
                   const PetscScalar k[], PetscScalar f[]) \
  { \
    const PetscInt both = CohesiveSize(uOff, k, numConstants, 0); \
    CohesiveFill(of_cells ? both : both / 2, COHESIVE_MEAN, scale, f); \
  }
#define COHESIVE_G(name, scale, parts) \
  static void name(COHESIVE_ARGUMENTS, PetscReal shift, const PetscReal x[], const PetscReal n[], \
                   PetscInt numConstants, const PetscScalar k[], PetscScalar g[]) \
  { \
    const PetscInt test = CohesiveSize(uOff, k, numConstants, 0), trial = CohesiveSize(uOff, k, numConstants, 1); \
    CohesiveFill(test * trial / (parts), COHESIVE_MEAN + 0.1 * shift, scale, g); \
  }

/* f0: sides of a field that is not cohesive have one side's numbers; the cells, and cohesive fields, all */
COHESIVE_F(cohesive_f_negative, 1.0, 0)
COHESIVE_F(cohesive_f_positive, -0.7, 0)
COHESIVE_F(cohesive_f_cells, 0.9, 1)
/* f1 of a cohesive field, or of the cells */
static void cohesive_f_derivatives(COHESIVE_ARGUMENTS, const PetscReal x[], const PetscReal n[], PetscInt numConstants,
                                   const PetscScalar k[], PetscScalar f[])
{
  CohesiveFill(CohesiveSize(uOff, k, numConstants, 0) * dim, COHESIVE_MEAN, 0.5, f);
}
/* g0: of a side's test field, with its own side, or with a cohesive field; else all */
COHESIVE_G(cohesive_g_own, 0.6, 4)
COHESIVE_G(cohesive_g_side, -0.8, 2)
COHESIVE_G(cohesive_g_cells, 1.1, 1)

/* Of cells that fill space */
static void cohesive_bulk_f0(COHESIVE_ARGUMENTS, const PetscReal x[], PetscInt numConstants, const PetscScalar k[],
                             PetscScalar f[])
{
  for (PetscInt i = 0; i < uOff[1]; ++i) f[i] += u[i] - 0.3 * x[0];
}
static void cohesive_bulk_g0(COHESIVE_ARGUMENTS, PetscReal shift, const PetscReal x[], PetscInt numConstants,
                             const PetscScalar k[], PetscScalar g[])
{
  for (PetscInt i = 0; i < uOff[1]; ++i) g[i * uOff[1] + i] += 1.;
}

#endif
