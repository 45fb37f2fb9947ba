/* The stages of a hybridized DG method on the host, element by element with BLAS and LAPACK: the serial reference */
#include "host.h"
#include "navier.h"
#include <petscblaslapack.h>

/* Cholesky's factor of the upper triangle of a[n][n], rows ld apart; good: there is one. LAPACK may go on with what is
   not a number */
static PetscErrorCode PlexHDGCholesky(PetscInt n, PetscInt ld, PetscReal a[], PetscBool *good)
{
  const PetscBLASInt bn = (PetscBLASInt)n, bld = (PetscBLASInt)ld;
  PetscBLASInt       info;

  PetscFunctionBegin;
  PetscCallBLAS("LAPACKpotrf", LAPACKpotrf_("U", &bn, a, &bld, &info));
  *good = (PetscBool)!info;
  for (PetscInt k = 0; k < n; ++k)
    if (PetscIsInfOrNanReal(a[k * (ld + 1)])) *good = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cholesky's factor of S in SR[Np + Nt][Np] = [S | R], then L^-1 R in the place of R */
static PetscErrorCode PlexHDGFactor(const PlexHDGArgs *args, PetscInt e, PetscInt Np, PetscInt Nt, PetscReal SR[])
{
  const PetscBLASInt bNp = (PetscBLASInt)Np, bNt = (PetscBLASInt)Nt;
  const PetscScalar  one = 1.;
  PetscBool          good;

  PetscFunctionBegin;
  PetscCall(PlexHDGCholesky(Np, Np, SR, &good));
  if (!good) *args->bad = (int)e;
  else PetscCallBLAS("BLAStrsm", BLAStrsm_("L", "U", "T", "N", &bNp, &bNt, &one, SR, &bNp, SR + Np * Np, &bNp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGCondenseElement_Private(const PlexHDGArgs *args, PetscInt e, PetscInt Np, PetscInt Nt,
                                              PetscReal SR[], PetscReal K[])
{
  const PetscBLASInt bNp = (PetscBLASInt)Np, bNt = (PetscBLASInt)Nt;
  const PetscScalar  one = 1., minus = -1.;

  PetscFunctionBegin;
  PetscCall(PlexHDGFactor(args, e, Np, Nt, SR));
  PetscCallBLAS("BLASsyrk", BLASsyrk_("U", "T", &bNt, &bNp, &minus, SR + Np * Np, &bNp, &one, K, &bNt));
  for (PetscInt j = 0; j < Nt; ++j)
    for (PetscInt i = 0; i < j; ++i) K[i * Nt + j] = K[j * Nt + i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGCondense_Host(PlexHDG hdg, const PlexHDGArgs *args)
{
  PlexHDGReference R  = hdg->reference;
  const PetscInt   Nt = R->Nt, size = (R->Np + Nt) * R->Np;
  PlexHDGElement   el;
  PetscReal       *own;

  PetscFunctionBegin;
  PetscCall(PlexHDGElementCreate_Private(hdg, args, &el));
  PetscCall(PetscMalloc1(size, &own));
  for (PetscInt e = args->begin; e < args->end && *args->bad < 0; ++e) {
    PetscReal *K  = &args->K[(size_t)(e - args->begin) * Nt * Nt],
              *SR = args->factor && e < hdg->nkept ? &args->factor[(size_t)(e - args->begin) * size] : own;

    PlexHDGElementSet_Private(&el, e);
    PetscCall(PlexHDGElementBuild_Private(&el, SR, K));
    PetscCall(PlexHDGCondenseElement_Private(args, e, R->Np, Nt, SR, K));
  }
  PetscCall(PetscFree(own));
  PetscCall(PlexHDGElementDestroy_Private(&el));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The spreading operator: trace[Nt] of an element's faces */
void PlexHDGElementSpread_Private(const PlexHDGArgs *args, PetscInt faces, PetscInt Nf, const int face[],
                                  PetscReal trace[])
{
  for (PetscInt f = 0; f < faces; ++f) {
    const int     l = face[f], known = args->nown + args->nghost;
    const double *from = l < args->nown ? args->owned : l < known ? args->ghosts : args->fixed;
    const size_t  at   = l < args->nown ? l : l < known ? l - args->nown : l - known;

    for (PetscInt m = 0; m < Nf; ++m) trace[f * Nf + m] = from ? from[at * Nf + m] : 0.;
  }
}

PetscErrorCode PlexHDGSolveElement_Private(const PlexHDGArgs *args, PetscInt e, PetscInt n, PetscInt t,
                                           PetscBool factored, PetscReal SR[], const PetscReal f[],
                                           const PetscReal trace[], PetscReal u[])
{
  const PetscBLASInt Np = (PetscBLASInt)n, Nt = (PetscBLASInt)t, one = 1;
  const PetscScalar  unit = 1.;
  PetscBLASInt       info;
  PetscBool          good;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) u[i] = f ? f[i] : 0.;
  if (factored) PetscCallBLAS("BLAStrsv", BLAStrsv_("U", "T", "N", &Np, SR, &Np, u, &one));
  PetscCallBLAS("BLASgemv", BLASgemv_("N", &Np, &Nt, &unit, SR + n * n, &Np, trace, &one, &unit, u, &one));
  if (factored) PetscCallBLAS("BLAStrsv", BLAStrsv_("U", "N", "N", &Np, SR, &Np, u, &one));
  else {
    PetscCall(PlexHDGCholesky(n, n, SR, &good));
    if (!good) *args->bad = (int)e;
    else PetscCallBLAS("LAPACKpotrs", LAPACKpotrs_("U", &Np, &one, SR, &Np, u, &Np, &info));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGLocal_Host(PlexHDG hdg, const PlexHDGArgs *args)
{
  PlexHDGReference R  = hdg->reference;
  const PetscInt   Np = R->Np, size = (Np + R->Nt) * Np;
  PlexHDGElement   el;
  PetscReal       *SR, *H, *trace, *u, *q;

  PetscFunctionBegin;
  PetscCall(PlexHDGElementCreate_Private(hdg, args, &el));
  PetscCall(PetscMalloc5(size, &SR, R->Nt * R->Nt, &H, R->Nt, &trace, Np, &u, R->dim * Np, &q));
  for (PetscInt e = args->begin; e < args->end && *args->bad < 0; ++e) {
    const PetscBool kept = (PetscBool)(args->factor && e < hdg->nkept);
    PetscReal      *own  = kept ? &args->factor[(size_t)(e - args->begin) * size] : SR;

    PlexHDGElementSet_Private(&el, e);
    PlexHDGElementSpread_Private(args, R->faces, R->Nf, &args->faces[e * R->faces], trace);
    if (!kept) PetscCall(PlexHDGElementBuild_Private(&el, SR, H));
    PetscCall(PlexHDGSolveElement_Private(args, e, Np, R->Nt, kept, own, args->f ? &args->f[(size_t)e * Np] : NULL,
                                          trace, u));
    if (args->u) PetscCall(PetscArraycpy(&args->u[(size_t)e * Np], u, Np));
    if (!args->q && !args->b) continue;
    PetscCall(PlexHDGElementFlux_Private(&el, u, trace, q, args->b ? &args->b[(size_t)e * R->Nt] : NULL));
    if (args->q) PetscCall(PetscArraycpy(&args->q[(size_t)e * R->dim * Np], q, R->dim * Np));
  }
  PetscCall(PetscFree5(SR, H, trace, u, q));
  PetscCall(PlexHDGElementDestroy_Private(&el));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGPost_Host(PlexHDG hdg, const PlexHDGArgs *args)
{
  PlexHDGReference   R  = hdg->reference;
  const PetscInt     n  = R->Npost;
  const PetscBLASInt bn = (PetscBLASInt)n, rest = (PetscBLASInt)(n - 1), one = 1;
  PlexHDGElement     el;
  PetscReal         *K, *means, mean;
  PetscBLASInt       info;
  PetscBool          good;

  PetscFunctionBegin;
  PetscCall(PlexHDGElementCreate_Private(hdg, args, &el));
  PetscCall(PetscMalloc2(n * n, &K, n, &means));
  for (PetscInt e = args->begin; e < args->end; ++e) {
    PetscReal *star = &args->star[(size_t)e * n];

    PlexHDGElementSet_Private(&el, e);
    PetscCall(PlexHDGElementPost_Private(&el, &args->u[(size_t)e * R->Np], &args->q[(size_t)e * R->dim * R->Np], K,
                                         star, means, &mean));
    PetscCall(PlexHDGCholesky(n - 1, n, K + n + 1, &good)); /* function 0 is a constant */
    if (!good) {
      *args->bad = (int)e;
      break;
    }
    PetscCallBLAS("LAPACKpotrs", LAPACKpotrs_("U", &rest, &one, K + n + 1, &bn, star + 1, &rest, &info));
    for (PetscInt i = 1; i < n; ++i) mean -= means[i] * star[i];
    star[0] = mean / means[0];
  }
  PetscCall(PetscFree2(K, means));
  PetscCall(PlexHDGElementDestroy_Private(&el));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGAssemble_Host(PlexHDG hdg, PetscInt nblocks, const PlexHDGBlock blocks[], const double K[],
                                           PetscInt64 low, PetscInt64 high, double A[], double B[])
{
  const PetscInt Nf = PlexHDGBlockSize(hdg), Nt = PlexHDGTraceSize(hdg);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < nblocks; ++k) {
    const PlexHDGBlock *b      = &blocks[k];
    double             *target = (b->part ? B : A) + b->target;
    const PetscBool     first  = (PetscBool)(b->source[0] >= low && b->source[0] < high),
                        second = (PetscBool)(b->source[1] >= low && b->source[1] < high);

    if (!first && !second) continue;
    for (PetscInt i = 0; i < Nf; ++i) {
      for (PetscInt j = 0; j < Nf; ++j) {
        double sum = first ? K[b->source[0] - low + i * Nt + j] : target[i * b->stride + j];

        if (second) sum += K[b->source[1] - low + i * Nt + j];
        if (b->robin >= 0 && (second || b->source[1] < 0)) sum += hdg->robin[b->robin + i * Nf + j];
        target[i * b->stride + j] = sum;
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGGather_Host(PlexHDG hdg, const double b[], double rhs[])
{
  const PetscInt Nf = PlexHDGBlockSize(hdg);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < hdg->mesh->nown * Nf; ++k) {
    const int *sides = &hdg->sides[k / Nf * 2];

    rhs[k] = hdg->natural[k] + b[(size_t)sides[0] * Nf + k % Nf];
    if (sides[1] >= 0) rhs[k] += b[(size_t)sides[1] * Nf + k % Nf];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGPack_Host(PlexHDG hdg, PetscInt width, const double rows[], PetscInt begin, PetscInt end,
                                       double sent[])
{
  PetscFunctionBegin;
  for (PetscInt s = 0; s < hdg->mesh->nsent; ++s)
    if (hdg->sent[s] >= begin && hdg->sent[s] < end)
      PetscCall(PetscArraycpy(&sent[s * width], &rows[(size_t)(hdg->sent[s] - begin) * width], width));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGSetUp_Host(PlexHDG hdg)
{
  (void)hdg;
  return PETSC_SUCCESS;
}

PetscErrorCode PlexHDGCreate_Host(PlexHDG hdg)
{
  PetscFunctionBegin;
  hdg->ops->setup    = PlexHDGSetUp_Host;
  hdg->ops->condense = PlexHDGCondense_Host;
  hdg->ops->local    = PlexHDGLocal_Host;
  hdg->ops->post     = PlexHDGPost_Host;
  hdg->ops->assemble = PlexHDGAssemble_Host;
  hdg->ops->gather   = PlexHDGGather_Host;
  hdg->ops->pack     = PlexHDGPack_Host;
  hdg->ops->residual = PlexHDGResidual_Host;
  hdg->ops->flow     = PlexHDGFlow_Host;
  if (hdg->elastic) {
    hdg->ops->condense = hdg->navier ? PlexHDGNavierCondense_Host
                       : hdg->stokes ? PlexHDGStokesCondense_Host
                                     : PlexHDGElasticCondense_Host;
    hdg->ops->local    = hdg->navier ? PlexHDGNavierLocal_Host
                       : hdg->stokes ? PlexHDGStokesLocal_Host
                                     : PlexHDGElasticLocal_Host;
    hdg->ops->post     = NULL;
    hdg->ops->residual = hdg->navier ? PlexHDGNavierResidual_Host : NULL;
    hdg->ops->spread   = hdg->navier ? PlexHDGNavierSpread_Host : NULL;
  }
  if (PlexHDGIsGeneral(hdg)) {
    hdg->ops->condense = PlexHDGGeneralCondense_Host;
    hdg->ops->local    = PlexHDGGeneralLocal_Host;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
