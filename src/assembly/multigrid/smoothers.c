/*
  Smoothers of a PCMG: Chebyshev's iteration with the optimal polynomials of the 4th kind, and what they keep.

  With lambda the largest eigenvalue of B A, B the inner preconditioner, k steps leave of an error

    e_k = p_k(B A) e_0,   p_k(0) = 1

  where p_k minimizes a bound of the two-level rate of convergence over (0, lambda]. No lower end of an interval has to be
  chosen, other than for the polynomials of the 1st kind, and from 4 steps on they take less iterations.

  Source: Lottes (2023), Numer. Linear Algebra Appl. 30, e2518; Phillips and Fischer (2022), arXiv:2210.03179.
*/
#include "multigrid.h"
#include <petsc/private/kspimpl.h>
#include <petsc/private/pcmgimpl.h>

/* The polynomials of one smoother, whose eigenvalues stay */
static PetscErrorCode PlexSmootherSetKind(KSP ksp)
{
  const char *prefix;
  PetscBool   chosen;

  PetscFunctionBegin;
  PetscCall(KSPGetOptionsPrefix(ksp, &prefix));
  PetscCall(PetscOptionsHasName(((PetscObject)ksp)->options, prefix, "-ksp_chebyshev_kind", &chosen));
  if (chosen) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(KSPChebyshevSetKind(ksp, KSP_CHEBYSHEV_OPT_FOURTH));
  PetscUseTypeMethod(ksp, setup);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexSmootherFinish(KSP ksp, PetscBool first)
{
  PetscBool chebyshev;
  KSP       estimate;

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)ksp, KSPCHEBYSHEV, &chebyshev));
  if (!chebyshev) PetscFunctionReturn(PETSC_SUCCESS);
  if (first) PetscCall(PlexSmootherSetKind(ksp));
  PetscCall(KSPChebyshevEstEigGetKSP(ksp, &estimate));
  if (estimate && !estimate->pc) PetscCall(KSPReset(estimate)); /* it has no PC of its own */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexSmoothersFinish(PC pc, PetscBool first)
{
  PC_MG *mg = (PC_MG *)pc->data;

  PetscFunctionBegin;
  for (PetscInt l = 1; l < mg->nlevels; ++l) {
    PetscCall(PlexSmootherFinish(mg->levels[l]->smoothd, first));
    if (mg->levels[l]->smoothu != mg->levels[l]->smoothd) PetscCall(PlexSmootherFinish(mg->levels[l]->smoothu, first));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexSmoothersGetBytes(PC pc, double *bytes)
{
  PC_MG *mg = (PC_MG *)pc->data;

  PetscFunctionBegin;
  *bytes = 0.0;
  for (PetscInt l = 0; l < mg->nlevels; ++l) {
    const PC_MG_Levels *level = mg->levels[l];
    PetscInt            n, vectors = level->smoothd->nwork;
    Mat                 A;

    if (level->smoothu != level->smoothd) vectors += level->smoothu->nwork;
    if (l < mg->nlevels - 1) vectors += 2; /* right-hand side, solution; those of the finest level are its caller's */
    if (l) ++vectors;                      /* residual */
    PetscCall(KSPGetOperators(level->smoothd, &A, NULL));
    PetscCall(MatGetLocalSize(A, &n, NULL));
    *bytes += (double)sizeof(PetscScalar) * n * vectors;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
