/*
  Local problems of Stokes's equations on the host; stokes.c has the method, cuda/hdg/stokes.cuh is the same for kernels.

  With [S R; R^T H] as linear elasticity has it (hostelastic.c), of all functions of u and of minus the trace, and C, N
  the rows of the pressure's functions 1 .. Np - 1, [Y_1 .. Y_dim] without their row 0, local problems are

    [S C^T R; C 0 N; R^T N^T H],  S = L L^T,  X = L^-1 R,  Z = L^-1 C^T,  Z^T Z = L_p L_p^T,  T = L_p^-1 (N - Z^T X)

    K = H - X^T X + T^T T
    y = L^-1 f,  p = L_p^-T (L_p^-1 Z^T y - T t),  u = L^-T (y + X t - Z p)

  [L | X], Z, L_p and T are kept. Matrices are as LAPACK has them, columns one after the other.
*/
#include "hostelastic.h"
#include "stokes.h"
#include <petscblaslapack.h>

/* What is kept of an element */
typedef struct {
  PetscInt   U, P, T;         /* unknowns of u, of p without its constant, of the trace */
  PetscReal *SR, *Z, *Lp, *N; /* [U + T][U], [P][U], [P][P], [T][P] N, which becomes T */
} PlexHDGStokesFactors;

static void PlexHDGStokesSetFactors(PlexHDG hdg, double factor[], PlexHDGStokesFactors *F)
{
  F->U  = hdg->reference->dim * hdg->elastic->Nu;
  F->P  = hdg->reference->Np - 1;
  F->T  = PlexHDGTraceSize(hdg);
  F->SR = factor;
  F->Z  = F->SR + (F->U + F->T) * F->U;
  F->Lp = F->Z + F->P * F->U;
  F->N  = F->Lp + F->P * F->P;
}

void PlexHDGStokesConstrain_Private(const PlexHDGElasticElement *s, PetscReal Z[], PetscReal N[], PetscReal net[])
{
  const PetscInt Np = s->Np, size = s->n * Np, U = s->dim * s->Nu, P = Np - 1;

  for (PetscInt k = 0; k < s->dim; ++k) {
    for (PetscInt r = 0; r < s->n; ++r) {
      const PetscReal *Y = &s->Y[k * size + r * Np];
      const PetscInt   t = r - s->Nu, j = t < 0 ? k * s->Nu + r : (t / s->Nf * s->dim + k) * s->Nf + t % s->Nf;

      for (PetscInt i = 0; i < P; ++i) *(t < 0 ? &Z[i * U + j] : &N[j * P + i]) = Y[i + 1];
      if (t >= 0) net[j] = Y[0];
    }
  }
}

/* Factors, and K in the place of H, all of it; false: a matrix is not positive definite */
static PetscErrorCode PlexHDGStokesEliminate(const PlexHDGStokesFactors *F, PetscReal K[], PetscBool *good)
{
  const PetscBLASInt U = (PetscBLASInt)F->U, P = (PetscBLASInt)F->P, T = (PetscBLASInt)F->T;
  const PetscScalar  one = 1., minus = -1., zero = 0.;
  PetscReal         *X = F->SR + F->U * F->U;
  PetscBLASInt       info[2];

  PetscFunctionBegin;
  PetscCallBLAS("LAPACKpotrf", LAPACKpotrf_("U", &U, F->SR, &U, &info[0]));
  PetscCallBLAS("BLAStrsm", BLAStrsm_("L", "U", "T", "N", &U, &T, &one, F->SR, &U, X, &U));
  PetscCallBLAS("BLAStrsm", BLAStrsm_("L", "U", "T", "N", &U, &P, &one, F->SR, &U, F->Z, &U));
  PetscCallBLAS("BLASsyrk", BLASsyrk_("U", "T", &P, &U, &one, F->Z, &U, &zero, F->Lp, &P));
  PetscCallBLAS("BLASgemm", BLASgemm_("T", "N", &P, &T, &U, &minus, F->Z, &U, X, &U, &one, F->N, &P));
  PetscCallBLAS("LAPACKpotrf", LAPACKpotrf_("U", &P, F->Lp, &P, &info[1]));
  *good = (PetscBool)(!info[0] && !info[1]);
  for (PetscInt k = 0; k < F->U; ++k)
    if (PetscIsInfOrNanReal(F->SR[k * (F->U + 1)])) *good = PETSC_FALSE;
  for (PetscInt k = 0; k < F->P; ++k)
    if (PetscIsInfOrNanReal(F->Lp[k * (F->P + 1)])) *good = PETSC_FALSE;
  if (!*good) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallBLAS("BLAStrsm", BLAStrsm_("L", "U", "T", "N", &P, &T, &one, F->Lp, &P, F->N, &P));
  PetscCallBLAS("BLASsyrk", BLASsyrk_("U", "T", &T, &U, &minus, X, &U, &one, K, &T));
  PetscCallBLAS("BLASsyrk", BLASsyrk_("U", "T", &T, &P, &one, F->N, &P, &one, K, &T));
  for (PetscInt j = 0; j < F->T; ++j)
    for (PetscInt i = 0; i < j; ++i) K[i * F->T + j] = K[j * F->T + i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGStokesCondense_Host(PlexHDG hdg, const PlexHDGArgs *args)
{
  PlexHDGStokesArgs    *stokes = &hdg->stokes->args;
  const PetscInt        Nt = PlexHDGTraceSize(hdg), size = PlexHDGStokesRows(hdg) * PlexHDGStokesLocalSize(hdg);
  PlexHDGElasticElement s;
  PlexHDGStokesFactors  F;

  PetscFunctionBegin;
  PetscCall(PlexHDGElasticElementCreate_Private(hdg, args, &s));
  for (PetscInt e = args->begin; e < args->end && *args->bad < 0; ++e) {
    PetscReal *K = &args->K[(size_t)(e - args->begin) * Nt * Nt];
    PetscBool  good;

    PlexHDGStokesSetFactors(hdg, &args->factor[(size_t)(e - args->begin) * size], &F);
    PlexHDGElasticElementSet_Private(&s, e);
    PlexHDGElasticFormY_Private(&s);
    PlexHDGStokesConstrain_Private(&s, F.Z, F.N, &stokes->net[(size_t)e * Nt]);
    stokes->volume[e] = s.M[0];
    PetscCall(PlexHDGElasticBuild_Private(&s, 0., stokes->symmetric ? s.mu : 0., s.mu, F.SR, K));
    PetscCall(PlexHDGStokesEliminate(&F, K, &good));
    if (!good) *args->bad = (int)e;
    PlexHDGElasticHold_Private(&s, K);
  }
  PetscCall(PlexHDGElasticElementDestroy_Private(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u[U] and p[P] of f[U] (NULL: zero) and trace[T] */
static PetscErrorCode PlexHDGStokesSolveElement(const PlexHDGStokesFactors *F, const PetscReal f[],
                                                const PetscReal trace[], PetscReal u[], PetscReal p[])
{
  const PetscBLASInt U = (PetscBLASInt)F->U, P = (PetscBLASInt)F->P, T = (PetscBLASInt)F->T, one = 1;
  const PetscScalar  unit = 1., minus = -1., zero = 0.;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < F->U; ++i) u[i] = f ? f[i] : 0.;
  PetscCallBLAS("BLAStrsv", BLAStrsv_("U", "T", "N", &U, F->SR, &U, u, &one));
  PetscCallBLAS("BLASgemv", BLASgemv_("T", &U, &P, &unit, F->Z, &U, u, &one, &zero, p, &one));
  PetscCallBLAS("BLAStrsv", BLAStrsv_("U", "T", "N", &P, F->Lp, &P, p, &one));
  PetscCallBLAS("BLASgemv", BLASgemv_("N", &P, &T, &minus, F->N, &P, trace, &one, &unit, p, &one));
  PetscCallBLAS("BLAStrsv", BLAStrsv_("U", "N", "N", &P, F->Lp, &P, p, &one));
  PetscCallBLAS("BLASgemv", BLASgemv_("N", &U, &T, &unit, F->SR + F->U * F->U, &U, trace, &one, &unit, u, &one));
  PetscCallBLAS("BLASgemv", BLASgemv_("N", &U, &P, &minus, F->Z, &U, p, &one, &unit, u, &one));
  PetscCallBLAS("BLAStrsv", BLAStrsv_("U", "N", "N", &U, F->SR, &U, u, &one));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void PlexHDGStokesFlows_Private(const PlexHDGElasticElement *s, PetscBool symmetric, const PetscReal u[],
                                const PetscReal p[], const PetscReal trace[], const PetscReal G[], PetscReal b[])
{
  const PetscInt dim = s->dim, Np = s->Np, Nf = s->Nf, size = s->n * Np;

  for (PetscInt f = 0; f < s->el.faces; ++f) {
    const PetscReal *Q = PlexHDGElasticQ_Private(s, f);

    for (PetscInt k = 0; k < dim; ++k) {
      for (PetscInt m = 0; m < Nf; ++m) {
        const PetscInt t   = (f * dim + k) * Nf + m;
        PetscReal      sum = -s->ts[f] * trace[t];

        for (PetscInt j = 0; j < s->Nu; ++j) sum += s->ts[f] * Q[m * s->Nu + j] * u[k * s->Nu + j];
        for (PetscInt l = 0; l < dim; ++l) {
          const PetscReal *Y = &s->Y[l * size + (s->Nu + f * Nf + m) * Np], *Gkl = &G[(k * dim + l) * Np],
                          *Glk = &G[(l * dim + k) * Np];

          for (PetscInt i = 0; i < Np; ++i)
            sum -= Y[i] * (s->mu * (Gkl[i] + (symmetric ? Glk[i] : 0.)) - (k == l ? p[i] : 0.));
        }
        b[t] = s->held[f] >> k & 1 ? s->ts[f] * s->known[f][k * Nf + m] : sum;
      }
    }
  }
}

/* (phi_0, p) */
PetscReal PlexHDGStokesIntegral_Private(const PlexHDGElasticElement *s, const PetscReal p[])
{
  PlexHDGReference R   = s->el.hdg->reference;
  PetscReal        sum = 0.;

  if (s->el.affine) return s->el.detJ * p[0];
  for (PetscInt q = 0; q < R->Nq; ++q)
    for (PetscInt i = 0; i < R->Np; ++i) sum += s->el.wphi[q * R->Np] * R->phi[q * R->Np + i] * p[i];
  return sum;
}

PetscErrorCode PlexHDGStokesLocal_Host(PlexHDG hdg, const PlexHDGArgs *args)
{
  PlexHDGReference      R      = hdg->reference;
  PlexHDGStokesArgs    *stokes = &hdg->stokes->args;
  const PetscInt        dim = R->dim, Nt = PlexHDGTraceSize(hdg), Nu = dim * hdg->elastic->Nu, nq = PlexHDGSizeQ(hdg),
                        size = PlexHDGStokesRows(hdg) * PlexHDGStokesLocalSize(hdg);
  PlexHDGElasticElement s;
  PlexHDGStokesFactors  F;
  PetscReal            *trace, *u, *p, *G;

  PetscFunctionBegin;
  PetscCall(PlexHDGElasticElementCreate_Private(hdg, args, &s));
  PetscCall(PetscMalloc4(Nt, &trace, Nu, &u, R->Np, &p, nq, &G));
  for (PetscInt e = args->begin; e < args->end; ++e) {
    PlexHDGStokesSetFactors(hdg, &args->factor[(size_t)(e - args->begin) * size], &F);
    PlexHDGElasticElementSet_Private(&s, e);
    PlexHDGElementSpread_Private(args, R->faces, dim * R->Nf, &args->faces[e * R->faces], trace);
    for (PetscInt t = 0; t < Nt; ++t) {
      const PetscInt f = t / (dim * R->Nf), of = t % (dim * R->Nf);

      if (s.held[f] >> (of / R->Nf) & 1) trace[t] = s.known[f][of];
    }
    p[0] = stokes->mean ? stokes->mean[e] : 0.;
    PetscCall(PlexHDGStokesSolveElement(&F, args->f ? &args->f[(size_t)e * Nu] : NULL, trace, u, p + 1));
    if (args->u) PetscCall(PlexHDGElasticWrite_Private(&s, u, &args->u[(size_t)e * dim * R->Npost]));
    if (stokes->p) {
      PetscCall(PetscArraycpy(&stokes->p[(size_t)e * R->Np], p, R->Np));
      stokes->integral[e] = PlexHDGStokesIntegral_Private(&s, p);
    }
    if (!args->q && !args->b) continue;
    PetscCall(PlexHDGElasticGradient_Private(&s, u, trace, G));
    if (args->q) PetscCall(PetscArraycpy(&args->q[(size_t)e * nq], G, nq));
    if (args->b) PlexHDGStokesFlows_Private(&s, (PetscBool)stokes->symmetric, u, p, trace, G, &args->b[(size_t)e * Nt]);
  }
  PetscCall(PetscFree4(trace, u, p, G));
  PetscCall(PlexHDGElasticElementDestroy_Private(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}
