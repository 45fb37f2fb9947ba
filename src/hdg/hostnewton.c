/* Residuals of a state, and local problems of kappa(u) linearized, on the host: what cuda/hdg/residual.cu,
   newtoncondense.cu and newtonlocal.cu compute */
#include "host.h"

PetscErrorCode PlexHDGResidual_Host(PlexHDG hdg, const PlexHDGArgs *args)
{
  PlexHDGReference R  = hdg->reference;
  const PetscInt   Np = R->Np, dim = R->dim;
  PlexHDGElement   el;
  PetscReal       *trace, *q;

  PetscFunctionBegin;
  PetscCall(PlexHDGElementCreate_Private(hdg, args, &el));
  PetscCall(PetscMalloc2(R->Nt, &trace, dim * Np, &q));
  for (PetscInt e = args->begin; e < args->end; ++e) {
    const PetscReal *u = &args->u[(size_t)e * Np];

    PlexHDGElementSet_Private(&el, e);
    PlexHDGElementSpread_Private(args, R->faces, R->Nf, &args->faces[e * R->faces], trace);
    PetscCall(PlexHDGElementFlux_Private(&el, u, trace, q, args->b ? &args->b[(size_t)e * R->Nt] : NULL));
    if (args->q) PetscCall(PetscArraycpy(&args->q[(size_t)e * dim * Np], q, dim * Np));
    if (args->r)
      PlexHDGElementResidual_Private(&el, u, args->ut ? &args->ut[(size_t)e * Np] : NULL, trace, q,
                                     &args->r[(size_t)e * Np]);
  }
  PetscCall(PetscFree2(trace, q));
  PetscCall(PlexHDGElementDestroy_Private(&el));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGFlow_Host(PlexHDG hdg, const double b[], const double trace[], double r[])
{
  const PetscInt Nf = hdg->reference->Nf;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < hdg->mesh->nown * Nf; ++k) {
    const PetscInt l = k / Nf, m = k % Nf;
    const int     *sides = &hdg->sides[2 * l];

    r[k] = -hdg->natural[k] - b[(size_t)sides[0] * Nf + m];
    if (sides[1] >= 0) r[k] -= b[(size_t)sides[1] * Nf + m];
    for (PetscInt j = 0; hdg->robinOf[l] >= 0 && j < Nf; ++j)
      r[k] += hdg->robin[(hdg->robinOf[l] * Nf + m) * Nf + j] * trace[l * Nf + j];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Gauss' elimination of the first Np columns without pivoting: A[n][n], columns one after the other; L of unit
   diagonal */
static PetscBool PlexHDGEliminate(PetscInt Np, PetscInt n, PetscReal A[])
{
  for (PetscInt c = 0; c < Np; ++c) {
    PetscReal *column = &A[c * n];

    if (!(column[c] > 0.)) return PETSC_FALSE;
    for (PetscInt i = c + 1; i < n; ++i) column[i] /= column[c];
    for (PetscInt j = c + 1; j < n; ++j) {
      const PetscReal v = A[j * n + c];

      for (PetscInt i = c + 1; i < n; ++i) A[j * n + i] -= column[i] * v;
    }
  }
  return PETSC_TRUE;
}

PetscErrorCode PlexHDGNewtonCondense_Host(PlexHDG hdg, const PlexHDGArgs *args)
{
  PlexHDGReference R  = hdg->reference;
  const PetscInt   Np = R->Np, Nt = R->Nt, n = Np + Nt;
  PlexHDGElement   el;
  PetscReal       *C;

  PetscFunctionBegin;
  PetscCall(PlexHDGElementCreate_Private(hdg, args, &el));
  PetscCall(PetscMalloc1(R->dim * Np * Np, &C));
  for (PetscInt e = args->begin; e < args->end; ++e) {
    PetscReal *K = &args->K[(size_t)(e - args->begin) * Nt * Nt], *A = &args->factor[(size_t)(e - args->begin) * n * n];

    PlexHDGElementSet_Private(&el, e);
    PetscCall(PlexHDGElementNewton_Private(&el, &args->q[(size_t)e * R->dim * Np], C, A));
    if (!PlexHDGEliminate(Np, n, A)) {
      *args->bad = (int)e;
      break;
    }
    for (PetscInt i = 0; i < Nt; ++i)
      for (PetscInt j = 0; j < Nt; ++j) K[i * Nt + j] = A[(Np + j) * n + Np + i];
  }
  PetscCall(PetscFree(C));
  PetscCall(PlexHDGElementDestroy_Private(&el));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGNewtonLocal_Host(PlexHDG hdg, const PlexHDGArgs *args)
{
  PlexHDGReference R  = hdg->reference;
  const PetscInt   Np = R->Np, Nt = R->Nt, n = Np + Nt;
  PetscReal       *v; /* u and minus the trace, eliminated */

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &v));
  for (PetscInt e = args->begin; e < args->end; ++e) {
    const PetscReal *A = &args->factor[(size_t)(e - args->begin) * n * n];

    PlexHDGElementSpread_Private(args, R->faces, R->Nf, &args->faces[e * R->faces], v + Np);
    for (PetscInt i = 0; i < Np; ++i) v[i] = args->f ? args->f[(size_t)e * Np + i] : 0.;
    for (PetscInt c = 0; c < Np; ++c)
      for (PetscInt i = c + 1; i < Np; ++i) v[i] -= A[c * n + i] * v[c];
    for (PetscInt t = 0; args->b && t < Nt; ++t) {
      PetscReal sum = 0.;

      for (PetscInt i = 0; i < Np; ++i) sum += A[i * n + Np + t] * v[i];
      for (PetscInt s = 0; s < Nt; ++s) sum -= A[(Np + s) * n + Np + t] * v[Np + s];
      args->b[(size_t)e * Nt + t] = sum;
    }
    for (PetscInt t = 0; t < Nt; ++t)
      for (PetscInt i = 0; i < Np; ++i) v[i] += A[(Np + t) * n + i] * v[Np + t];
    for (PetscInt c = Np - 1; c >= 0; --c) {
      v[c] /= A[c * n + c];
      for (PetscInt i = 0; i < c; ++i) v[i] -= A[c * n + i] * v[c];
    }
    if (args->u) PetscCall(PetscArraycpy(&args->u[(size_t)e * Np], v, Np));
  }
  PetscCall(PetscFree(v));
  PetscFunctionReturn(PETSC_SUCCESS);
}
