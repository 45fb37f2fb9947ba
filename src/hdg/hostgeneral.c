/* Residuals of a state, and local problems that are not symmetric and positive definite, on the host: what
   cuda/hdg/residual.cu, generalcondense.cu and generallocal.cu compute */
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
    if (hdg->convects)
      PlexHDGElementResidualConvection_Private(&el, u, trace, args->r ? &args->r[(size_t)e * Np] : NULL,
                                               args->b ? &args->b[(size_t)e * R->Nt] : NULL);
  }
  PetscCall(PetscFree2(trace, q));
  PetscCall(PlexHDGElementDestroy_Private(&el));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGFlow_Host(PlexHDG hdg, const double b[], const double trace[], double r[])
{
  const PetscInt Nf = PlexHDGBlockSize(hdg);

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

/* The row below, or with, row c of the first Np rows in which column c is largest */
static PetscInt PlexHDGPivot(PetscInt Np, PetscInt c, const PetscReal column[])
{
  PetscInt row = c;

  for (PetscInt i = c + 1; i < Np; ++i)
    if (PetscAbsReal(column[i]) > PetscAbsReal(column[row])) row = i;
  return row;
}

/* Gauss' elimination of the first Np columns: A[n][n], columns one after the other; L of unit diagonal. pivots[Np]:
   their rows; NULL: none are looked for, and they have to be positive */
static PetscBool PlexHDGEliminate(PetscInt Np, PetscInt n, PetscReal A[], PetscReal pivots[])
{
  PetscReal least = 0.;

  for (PetscInt i = 0; pivots && i < Np; ++i) least = PetscMax(least, 1e-14 * PetscAbsReal(A[i * (n + 1)]));
  for (PetscInt c = 0; c < Np; ++c) {
    PetscReal *column = &A[c * n];

    if (pivots) {
      const PetscInt row = PlexHDGPivot(Np, c, column);

      pivots[c] = (PetscReal)row;
      for (PetscInt j = 0; row != c && j < n; ++j) {
        const PetscReal v = A[j * n + c];

        A[j * n + c]   = A[j * n + row];
        A[j * n + row] = v;
      }
      if (!(PetscAbsReal(column[c]) > least)) return PETSC_FALSE;
    } else if (!(column[c] > 0.)) return PETSC_FALSE;
    for (PetscInt i = c + 1; i < n; ++i) column[i] /= column[c];
    for (PetscInt j = c + 1; j < n; ++j) {
      const PetscReal v = A[j * n + c];

      for (PetscInt i = c + 1; i < n; ++i) A[j * n + i] -= column[i] * v;
    }
  }
  return PETSC_TRUE;
}

/* A[n][n] of u and minus the trace. H[Nt][Nt] and, of kappa(u), C are workspace */
static PetscErrorCode PlexHDGElementGeneral(PlexHDGElement *el, PetscReal H[], PetscReal C[], PetscReal A[])
{
  const PetscInt Np = el->Np, Nt = el->Nt, n = el->n;

  PetscFunctionBegin;
  if (el->hdg->nonlinear) PetscCall(PlexHDGElementNewton_Private(el, &el->args->q[(size_t)el->e * el->dim * Np], C, A));
  else {
    PetscReal *SR = C; /* [n][Np] */

    PetscCall(PlexHDGElementBuild_Private(el, SR, H));
    for (PetscInt j = 0; j < n; ++j)
      for (PetscInt i = 0; i < PetscMin(Np, j + 1); ++i) A[j * n + i] = A[i * n + j] = SR[j * Np + i];
    for (PetscInt j = 0; j < Nt; ++j)
      for (PetscInt i = 0; i <= j; ++i) A[(Np + j) * n + Np + i] = A[(Np + i) * n + Np + j] = H[j * Nt + i];
  }
  if (el->hdg->convects) PlexHDGElementAddConvection_Private(el, A);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGGeneralCondense_Host(PlexHDG hdg, const PlexHDGArgs *args)
{
  PlexHDGReference R  = hdg->reference;
  const PetscInt   Np = R->Np, Nt = R->Nt, n = Np + Nt, size = PlexHDGGeneralSize(hdg);
  PlexHDGElement   el;
  PetscReal       *C, *H;

  PetscFunctionBegin;
  PetscCall(PlexHDGElementCreate_Private(hdg, args, &el));
  PetscCall(PetscMalloc2(PetscMax(R->dim * Np, n) * Np, &C, Nt * Nt, &H));
  for (PetscInt e = args->begin; e < args->end; ++e) {
    PetscReal *K = &args->K[(size_t)(e - args->begin) * Nt * Nt], *A = &args->factor[(size_t)(e - args->begin) * size];

    PlexHDGElementSet_Private(&el, e);
    PetscCall(PlexHDGElementGeneral(&el, H, C, A));
    if (!PlexHDGEliminate(Np, n, A, PlexHDGHasPivots(hdg) ? A + n * n : NULL)) {
      *args->bad = (int)e;
      break;
    }
    for (PetscInt i = 0; i < Nt; ++i)
      for (PetscInt j = 0; j < Nt; ++j) K[i * Nt + j] = A[(Np + j) * n + Np + i];
  }
  PetscCall(PetscFree2(C, H));
  PetscCall(PlexHDGElementDestroy_Private(&el));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y[Np] = L^-1 y, with the rows where pivots have put them */
static void PlexHDGForward(PetscInt Np, PetscInt n, const PetscReal A[], const PetscReal pivots[], PetscReal y[])
{
  for (PetscInt c = 0; pivots && c < Np; ++c) {
    const PetscInt  row = (PetscInt)pivots[c];
    const PetscReal v   = y[c];

    y[c]   = y[row];
    y[row] = v;
  }
  for (PetscInt c = 0; c < Np; ++c)
    for (PetscInt i = c + 1; i < Np; ++i) y[i] -= A[c * n + i] * y[c];
}

PetscErrorCode PlexHDGGeneralLocal_Host(PlexHDG hdg, const PlexHDGArgs *args)
{
  PlexHDGReference R  = hdg->reference;
  const PetscInt   Np = R->Np, Nt = R->Nt, n = Np + Nt, size = PlexHDGGeneralSize(hdg);
  PlexHDGElement   el;
  PetscReal       *v; /* u and the trace, eliminated */

  PetscFunctionBegin;
  PetscCall(PlexHDGElementCreate_Private(hdg, args, &el));
  PetscCall(PetscMalloc1(n, &v));
  for (PetscInt e = args->begin; e < args->end; ++e) {
    const PetscReal *A = &args->factor[(size_t)(e - args->begin) * size];

    PlexHDGElementSpread_Private(args, R->faces, R->Nf, &args->faces[e * R->faces], v + Np);
    for (PetscInt i = 0; i < Np; ++i) v[i] = args->f ? args->f[(size_t)e * Np + i] : 0.;
    PlexHDGForward(Np, n, A, PlexHDGHasPivots(hdg) ? A + n * n : NULL, v);
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
    if (!args->q) continue;
    PlexHDGElementSet_Private(&el, e);
    PetscCall(PlexHDGElementFlux_Private(&el, v, v + Np, &args->q[(size_t)e * R->dim * Np], NULL));
  }
  PetscCall(PetscFree(v));
  PetscCall(PlexHDGElementDestroy_Private(&el));
  PetscFunctionReturn(PETSC_SUCCESS);
}
