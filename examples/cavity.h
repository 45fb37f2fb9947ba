/* An eigenmode of a box of perfectly conducting walls, (E, H) at any place and time: Jackson, Classical
   Electrodynamics, 8.4 */
#ifndef PLEX_CAVITY_H
#define PLEX_CAVITY_H

#include <petscsys.h>

/*
  epsilon E_t = curl H, mu H_t = -curl E, n x E = 0 on the walls. With k_d = pi numbers_d/sides_d, A.k = 0 and
  w = |k|/sqrt(epsilon mu)

    E = cos(w t) (A_x cos k_x x sin k_y y sin k_z z, A_y sin cos sin, A_z sin sin cos)
    H = -sin(w t)/(mu w) curl of that

  is a solution; in two dimensions k_z = 0 and E is along z.
*/
typedef struct {
  PetscReal k[3], A[3], epsilon, mu, omega;
} CavityMode;

static inline void CavityModeInitialize(PetscInt dim, const PetscReal sides[], const PetscInt numbers[],
                                        PetscReal epsilon, PetscReal mu, CavityMode *mode)
{
  PetscReal k2 = 0.;

  mode->epsilon = epsilon;
  mode->mu      = mu;
  for (PetscInt d = 0; d < 3; ++d) {
    mode->k[d] = d < dim ? PETSC_PI * numbers[d] / sides[d] : 0.;
    mode->A[d] = dim == 2 && d < 2 ? 0. : 1.;
    k2 += PetscSqr(mode->k[d]);
  }
  if (dim == 3) mode->A[2] = -(mode->k[0] + mode->k[1]) / mode->k[2];
  mode->omega = PetscSqrtReal(k2 / (epsilon * mu));
}

/* Of all six fields, for PlexDGProject() and PlexDGComputeL2Error(); ctx is the mode */
static inline PetscErrorCode CavityModeValues(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf,
                                              PetscScalar u[], void *ctx)
{
  const CavityMode *mode     = (const CavityMode *)ctx;
  const PetscReal   electric = PetscCosReal(mode->omega * t),
                    magnetic = -PetscSinReal(mode->omega * t) / (mode->mu * mode->omega);
  PetscReal         s[3], c[3];

  PetscFunctionBegin;
  PetscCheck(Nf == 6, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "The mode has 6 fields, not %" PetscInt_FMT, Nf);
  for (PetscInt d = 0; d < 3; ++d) {
    s[d] = d < dim ? PetscSinReal(mode->k[d] * x[d]) : 0.;
    c[d] = d < dim ? PetscCosReal(mode->k[d] * x[d]) : 1.;
  }
  for (PetscInt d = 0; d < 3; ++d) {
    const PetscInt a = (d + 1) % 3, b = (d + 2) % 3;

    u[d]     = electric * mode->A[d] * c[d] * s[a] * s[b];
    u[3 + d] = magnetic * (mode->A[b] * mode->k[a] - mode->A[a] * mode->k[b]) * s[d] * c[a] * c[b];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
