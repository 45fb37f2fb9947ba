/* Statically condensed continuous elements on the host: element by element with BLAS and LAPACK. Matrices are
   symmetric, and columns are as long as an element has nodes */
#include "../../src/hdg/host.h"
#include "cgimpl.h"
#include <petscblaslapack.h>

/* A[Np][Np] = (kappa grad phi_i, grad phi_j) + lambda (phi_i, phi_j). work[dim + 2][Nq][Np] */
static void PlexHDGCGBuild(PlexHDGCG cg, PlexHDGElement *el, const PlexHDGCGArgs *args, PetscReal work[], PetscReal A[])
{
  PlexHDGReference   R  = cg->hdg->reference;
  const PetscInt     Np = R->Np, size = R->Nq * Np;
  const PetscBLASInt n = (PetscBLASInt)Np, nq = (PetscBLASInt)R->Nq;
  const PetscScalar  one = 1., zero = 0.;

  if (cg->hdg->mesh->affine) {
    for (PetscInt k = 0; k < Np * Np; ++k) A[k] = el->reaction * el->detJ * args->M[k];
    PlexHDGElementAddStiffness_Private(el, Np, args->S, A);
    return;
  }
  for (PetscInt d = 0; d < R->dim; ++d)
    BLASgemm_("N", "N", &n, &nq, &n, &one, args->C, &n, &el->gradient[d * size], &n, &zero, &work[d * size], &n);
  for (PetscInt k = 0; k < size; ++k) work[R->dim * size + k] = el->reaction * el->w[k / Np] * args->phi[k];
  BLASgemm_("N", "T", &n, &n, &nq, &one, args->phi, &n, &work[R->dim * size], &n, &zero, A, &n);
  for (PetscInt d = 0; d < R->dim; ++d) {
    for (PetscInt k = 0; k < size; ++k) {
      PetscReal sum = 0.;

      for (PetscInt l = 0; l < R->dim; ++l) sum += el->kappa[d * R->dim + l] * work[l * size + k];
      work[(R->dim + 1) * size + k] = el->w[k / Np] * sum;
    }
    BLASgemm_("N", "T", &n, &n, &nq, &one, &work[d * size], &n, &work[(R->dim + 1) * size], &n, &one, A, &n);
  }
}

/* Cholesky's factor of the nodes inside in their place; args->bad says where there is none */
static PetscErrorCode PlexHDGCGFactor(PlexHDGCG cg, const PlexHDGElement *el, PetscReal A[], PetscBool *good)
{
  const PetscBLASInt n = (PetscBLASInt)cg->hdg->reference->Np, ni = (PetscBLASInt)cg->Ni;
  PetscBLASInt       info = 0;

  PetscFunctionBegin;
  if (ni) PetscCallBLAS("LAPACKpotrf", LAPACKpotrf_("U", &ni, A, &n, &info));
  *good = (PetscBool)!info;
  for (PetscInt k = 0; k < ni; ++k)
    if (PetscIsInfOrNanReal(A[k * (n + 1)])) *good = PETSC_FALSE;
  if (!*good) *el->args->bad = (int)el->e;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGCGCondense_Host(PlexHDGCG cg, const PlexHDGCGArgs *args)
{
  PlexHDGReference   R  = cg->hdg->reference;
  const PetscInt     Np = R->Np, Ni = cg->Ni, Nb = cg->Nb;
  const PetscBLASInt n = (PetscBLASInt)Np, ni = (PetscBLASInt)Ni, nb = (PetscBLASInt)Nb, one = 1;
  const PetscScalar  unit = 1., minus = -1.;
  PlexHDGElement     el;
  PetscReal         *A, *work, *f, *known;
  PetscBool          good;

  PetscFunctionBegin;
  PetscCall(PlexHDGElementCreate_Private(cg->hdg, &args->e, &el));
  PetscCall(PetscMalloc4(Np * Np, &A, (R->dim + 2) * R->Nq * Np, &work, Np, &f, Nb, &known));
  for (PetscInt e = args->e.begin; e < args->e.end && *args->e.bad < 0; ++e) {
    PetscReal *K = &args->K[(size_t)e * Nb * Nb], *b = &args->b[(size_t)e * Nb];

    PlexHDGElementSet_Private(&el, e);
    PlexHDGCGBuild(cg, &el, args, work, A);
    PetscCall(PlexHDGCGFactor(cg, &el, A, &good));
    if (!good) break;
    for (PetscInt i = 0; i < Np; ++i) f[i] = args->f ? args->f[(size_t)e * Np + i] : 0.;
    if (Ni) {
      PetscCallBLAS("BLAStrsm", BLAStrsm_("L", "U", "T", "N", &ni, &nb, &unit, A, &n, A + Ni * Np, &n));
      PetscCallBLAS("BLAStrsv", BLAStrsv_("U", "T", "N", &ni, A, &n, f, &one));
      PetscCallBLAS("BLASgemv", BLASgemv_("T", &ni, &nb, &minus, A + Ni * Np, &n, f, &one, &unit, f + Ni, &one));
      PetscCallBLAS("BLASsyrk", BLASsyrk_("U", "T", &nb, &ni, &minus, A + Ni * Np, &n, &unit, A + Ni * (Np + 1), &n));
    }
    for (PetscInt j = 0; j < Nb; ++j)
      for (PetscInt i = 0; i <= j; ++i) K[i * Nb + j] = K[j * Nb + i] = A[(Ni + j) * Np + Ni + i];
    for (PetscInt i = 0; i < Nb; ++i) {
      const int node = args->nodes[(size_t)e * Nb + i];

      known[i] = node < args->nfree ? 0. : args->known[node - args->nfree];
      b[i]     = f[Ni + i];
    }
    PetscCallBLAS("BLASgemv", BLASgemv_("N", &nb, &nb, &minus, K, &nb, known, &one, &unit, b, &one));
  }
  PetscCall(PetscFree4(A, work, f, known));
  PetscCall(PlexHDGElementDestroy_Private(&el));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGCGRecover_Host(PlexHDGCG cg, const PlexHDGCGArgs *args)
{
  PlexHDGReference   R  = cg->hdg->reference;
  const PetscInt     Np = R->Np, Ni = cg->Ni, Nb = cg->Nb;
  const PetscBLASInt n = (PetscBLASInt)Np, ni = (PetscBLASInt)Ni, nb = (PetscBLASInt)Nb, one = 1;
  const PetscScalar  unit = 1., zero = 0., minus = -1.;
  PlexHDGElement     el;
  PetscReal         *A, *work, *u;
  PetscBool          good;

  PetscFunctionBegin;
  PetscCall(PlexHDGElementCreate_Private(cg->hdg, &args->e, &el));
  PetscCall(PetscMalloc3(Np * Np, &A, (R->dim + 2) * R->Nq * Np, &work, Np, &u));
  for (PetscInt e = args->e.begin; e < args->e.end && *args->e.bad < 0; ++e) {
    for (PetscInt i = 0; i < Ni; ++i) u[i] = args->f ? args->f[(size_t)e * Np + i] : 0.;
    for (PetscInt i = 0; i < Nb; ++i) {
      const int node = args->nodes[(size_t)e * Nb + i];

      u[Ni + i] = node < args->nfree ? args->unknown[node] : args->known[node - args->nfree];
    }
    if (Ni) {
      PlexHDGElementSet_Private(&el, e);
      PlexHDGCGBuild(cg, &el, args, work, A);
      PetscCall(PlexHDGCGFactor(cg, &el, A, &good));
      if (!good) break;
      PetscCallBLAS("BLASgemv", BLASgemv_("N", &ni, &nb, &minus, A + Ni * Np, &n, u + Ni, &one, &unit, u, &one));
      PetscCallBLAS("BLAStrsv", BLAStrsv_("U", "T", "N", &ni, A, &n, u, &one));
      PetscCallBLAS("BLAStrsv", BLAStrsv_("U", "N", "N", &ni, A, &n, u, &one));
    }
    PetscCallBLAS("BLASgemv",
                  BLASgemv_("T", &n, &n, &unit, args->C, &n, u, &one, &zero, &args->e.u[(size_t)e * Np], &one));
  }
  PetscCall(PetscFree3(A, work, u));
  PetscCall(PlexHDGElementDestroy_Private(&el));
  PetscFunctionReturn(PETSC_SUCCESS);
}
