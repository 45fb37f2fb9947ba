/* Dispersive media of tests: their poles, and their susceptibility as a function of the frequency */
#pragma once

#include <plexgpu/private/dgimpl.h>
#include <complex.h>

typedef double complex Complex;

typedef struct {
  const char *name;
  PetscReal   epsilon, sigma;
  PetscInt    ndebye, ndrude, nlorentz;
  PetscReal   debye[2][2], drude[2][2], lorentz[2][3]; /* as PlexDGAddDispersion() has them */
} Medium;

/* epsilon(w) of the whole, with exp(-i w t): what the conductivity makes of it, too */
static inline Complex MediumEpsilon(const Medium *m, Complex w)
{
  Complex sum = m->epsilon + I * m->sigma / w;

  for (PetscInt k = 0; k < m->ndebye; ++k) sum += m->debye[k][0] / (1. - I * w * m->debye[k][1]);
  for (PetscInt k = 0; k < m->ndrude; ++k) sum -= PetscSqr(m->drude[k][0]) / (w * w + I * m->drude[k][1] * w);
  for (PetscInt k = 0; k < m->nlorentz; ++k) {
    const PetscReal square = PetscSqr(m->lorentz[k][1]);

    sum += m->lorentz[k][0] * square / (square - w * w - I * m->lorentz[k][2] * w);
  }
  return sum;
}

/* Of the cells of a label; NULL: all */
static inline PetscErrorCode MediumAdd(const Medium *m, const char label[], PlexDG dg)
{
  const PetscReal k[3] = {m->epsilon, 1., m->sigma};

  PetscFunctionBegin;
  PetscCall(PlexDGAddMaterial(dg, label, PETSC_DETERMINE, 3, k));
  if (m->ndebye) PetscCall(PlexDGAddDispersion(dg, label, PETSC_DETERMINE, "debye", 2 * m->ndebye, &m->debye[0][0]));
  if (m->ndrude) PetscCall(PlexDGAddDispersion(dg, label, PETSC_DETERMINE, "drude", 2 * m->ndrude, &m->drude[0][0]));
  if (m->nlorentz)
    PetscCall(PlexDGAddDispersion(dg, label, PETSC_DETERMINE, "lorentz", 3 * m->nlorentz, &m->lorentz[0][0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}
