/*
  Water over a bottom that varies, whose energy does not grow: constant `entropy` 1, the default. On a GPU a stage takes
  1.2 to 2.0 times as long with it (docs/performance.md); 0 leaves it out.

  E = sum over elements and points of weights (g eta^2 + q^2/H)/2 is convex in u = (eta, q) over a given bottom, with the
  entropy variables w = dE/du = (g eta - v^2/2, v); of the linear equations H is d, and w = (g eta, v). As the rate r of
  the state is a polynomial in an element K,

    dE_K/dt = sum over points of w . r = sum over nodes of B . r,   B_i = sum over points of weights phi_i w

  - Energy crosses a face by F = mean(w) . f - mean(psi) . n, with the numerical fluxes f out of K and psi = w . F(u) -
    (flux of energy) = v g (eta^2/2 + eta d), linear v g eta d (Tadmor, Math. Comp. 49 (1987)): the same from both
    sides, and 0 through a wall, whose outside is the mirrored state.
  - gain = dE_K/dt + sum over faces of F is what K makes of nothing: errors of quadrature, of w that is no polynomial,
    and of fluxes at jumps, as a rule of the order of the discretization's error. Where it is positive,

      r_k -= alpha A_k (P w - its mean)_k,   alpha = gain / sum_k (P w - mean)_k A_k (P w - mean)_k

    takes it away, with P the projection in L2 by the same points (Abgrall, J. Comput. Phys. 372 (2018)): of all changes
    of r that do, the least one in the norm of 1/A. A_0 = 1/g and A_d, the mean depth, are about du/dw.
  - So dE/dt <= 0 in a closed basin, for all meshes, degrees, rules and bottoms where all is wet. On the sphere, too, and
    friction makes it less.

  Means do not change. A lake at rest has no gain, and changes of w that are rounding: alpha is bounded by a rate about
  that of the time step, 1/dt of PlexDGComputeTimeStep(), which an explicit method can follow. States for which the bound
  is too low, nearly constant and with large jumps to the neighbours, are those of a single step.

  Elements with less water than counts as dry at a point keep their elevation, which is that of the land there, and only
  their velocities are corrected. The limiter and the wet-dry interface of shore.c act behind this: there nothing is
  proved.

  The work on an element is in cuda/dg/entropy.h, for the host and for kernels; on tensor cores in fused_points.cuh.
*/
#include "quadratureimpl.h"

PetscBool PlexDGHasEntropy_Private(PlexDG dg)
{
  return (PetscBool)(dg->quadrature && dg->variables && dg->system->host[dg->precision]->correct &&
                     PlexDGWaterConstant_Private(dg, "entropy") > 0.5);
}

PetscReal PlexDGEntropyRate_Private(PlexDG dg)
{
  return PetscPowReal((PetscReal)dg->degree + 1., 1.6);
}

PetscErrorCode PlexDGUploadEntropy_Private(PlexDG dg, const void **energy)
{
  PlexDGQuadrature Q  = dg->quadrature;
  const PetscInt   Np = dg->reference->Np, NG = Q->NG, MG = Q->MG, most = 2 * NG * Np + NG + MG, n = most + 1 + Np;
  PetscReal       *all;

  PetscFunctionBegin;
  *energy = NULL;
  if (!dg->entropy) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1(n, &all));
  PetscCall(PetscArraycpy(all, Q->phi, NG * Np));
  for (PetscInt g = 0; g < NG; ++g)
    for (PetscInt i = 0; i < Np; ++i) all[(NG + g) * Np + i] = Q->weights[g] * Q->phi[g * Np + i];
  PetscCall(PetscArraycpy(&all[2 * NG * Np], Q->weights, NG));
  PetscCall(PetscArraycpy(&all[2 * NG * Np + NG], Q->faceWeights, MG));
  all[most] = PlexDGEntropyRate_Private(dg);
  for (PetscInt g = 0; g < NG; ++g) {
    for (PetscInt i = 0; i < Np; ++i) all[most + 1 + i] += Q->weights[g] * Q->phi[g * Np + i];
  }
  PetscCall(PlexDGUploadReals(dg, n, all, energy));
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}
