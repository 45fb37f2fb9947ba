/* Local matrices of hybridized DG on the host, element by element, with LAPACK */
#include "host.h"
#include "../dm/elementsimpl.h" /* PlexCofactors() */
#include <petscblaslapack.h>

PetscErrorCode PlexHDGElementCreate_Private(PlexHDG hdg, const PlexHDGArgs *args, PlexHDGElement *el)
{
  PlexHDGReference R = hdg->reference;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(el, sizeof(*el)));
  el->hdg   = hdg;
  el->args  = args;
  el->dim   = R->dim;
  el->Np    = R->Np;
  el->Nf    = R->Nf;
  el->Nt    = R->Nt;
  el->faces = R->faces;
  el->n     = R->Np + R->Nt;
  PetscCall(PetscMalloc1(el->dim * el->Np, &el->t));
  if (!hdg->mesh->nmapped) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc6(R->Nq, &el->w, el->dim * R->Nq * el->Np, &el->gradient, R->Nq * el->Np, &el->wphi,
                         el->faces * R->Nqf * el->dim, &el->wn, el->faces * R->Nqf, &el->ws, el->dim * R->Nq * R->Npost,
                         &el->post));
  PetscCall(PetscMalloc3(el->Np * el->Np, &el->M, el->dim * el->n * el->Np, &el->Y, el->n * el->n, &el->A));
  if (hdg->point) PetscCall(PetscMalloc1(PetscSqr(el->dim * el->Np), &el->B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGElementDestroy_Private(PlexHDGElement *el)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(el->t));
  PetscCall(PetscFree(el->B));
  PetscCall(PetscFree6(el->w, el->gradient, el->wphi, el->wn, el->ws, el->post));
  PetscCall(PetscFree3(el->M, el->Y, el->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Values of n functions with the coefficients c at a point */
static PetscReal PlexHDGValue(PetscInt n, const PetscReal phi[], const PetscReal c[])
{
  PetscReal sum = 0.;

  for (PetscInt i = 0; i < n; ++i) sum += phi[i] * c[i];
  return sum;
}

/* dr_a/dx_d and the determinant of the map with gradients dshape[Nv][dim] of the coordinates' functions; NULL: of the
   affine one */
static PetscReal PlexHDGElementMap(PlexHDGElement *el, const PetscReal dshape[], PetscReal rx[3][3])
{
  const PetscInt   dim = el->dim, Nv = el->hdg->mesh->Nv;
  const PetscReal *x = &el->args->x[PlexHDGMeshPlaceX(el->hdg->mesh, el->e)];
  PetscReal        J[3][3], det;

  for (PetscInt d = 0; d < dim; ++d) {
    for (PetscInt a = 0; a < dim; ++a) {
      J[d][a] = dshape ? 0. : 0.5 * (x[(a + 1) * dim + d] - x[d]);
      for (PetscInt v = 0; dshape && v < Nv; ++v) J[d][a] += dshape[v * dim + a] * x[v * dim + d];
    }
  }
  det = PlexCofactors(dim, J, rx);
  for (PetscInt a = 0; a < dim; ++a)
    for (PetscInt d = 0; d < dim; ++d) rx[a][d] /= det;
  return det;
}

/* Normal of face f, as long as its element over that of the reference face; returns that length */
static PetscReal PlexHDGElementNormal(PlexHDGElement *el, PetscInt f, PetscReal det, PetscReal rx[3][3], PetscReal N[])
{
  const PetscReal *normal = el->hdg->reference->normal[f];
  PetscReal        s      = 0.;

  for (PetscInt d = 0; d < el->dim; ++d) {
    N[d] = 0.;
    for (PetscInt a = 0; a < el->dim; ++a) N[d] += det * rx[a][d] * normal[a];
    s += N[d] * N[d];
  }
  return PetscSqrtReal(s);
}

static void PlexHDGElementGradients(PlexHDGElement *el, PetscInt q, PetscReal rx[3][3], PetscInt Nq, PetscInt n,
                                    const PetscReal dphi[], PetscReal gradient[])
{
  for (PetscInt d = 0; d < el->dim; ++d) {
    for (PetscInt i = 0; i < n; ++i) {
      PetscReal sum = 0.;

      for (PetscInt a = 0; a < el->dim; ++a) sum += rx[a][d] * dphi[(a * Nq + q) * n + i];
      gradient[(d * Nq + q) * n + i] = sum;
    }
  }
}

void PlexHDGElementSet_Private(PlexHDGElement *el, PetscInt e)
{
  PlexHDGReference R    = el->hdg->reference;
  PlexHDGMesh      mesh = el->hdg->mesh;
  const PetscInt   dim = el->dim, size = mesh->Nv * dim;
  PetscReal        rx[3][3], N[3];

  el->e        = e;
  el->affine   = PlexHDGMeshIsAffine(mesh, e);
  el->kappa    = el->args->kappa ? &el->args->kappa[e * dim * dim] : NULL; /* elasticity has none */
  el->tau      = &el->args->tau[e * el->faces];
  el->reaction = (el->args->reaction ? el->args->reaction[e] : 0.) + el->args->shift;
  el->turns    = &el->args->turns[e * el->faces];
  if (el->args->kinv) el->kinv = &el->args->kinv[(size_t)e * R->Nq * dim * dim];
  if (el->affine) {
    el->detJ = PlexHDGElementMap(el, NULL, el->rx);
    for (PetscInt f = 0; f < el->faces; ++f) el->s[f] = PlexHDGElementNormal(el, f, el->detJ, el->rx, el->N[f]);
    return;
  }
  for (PetscInt q = 0; q < R->Nq; ++q) {
    el->w[q] = R->weights[q] * PlexHDGElementMap(el, &el->args->dshape[q * size], rx);
    PlexHDGElementGradients(el, q, rx, R->Nq, el->Np, R->dphi, el->gradient);
    PlexHDGElementGradients(el, q, rx, R->Nq, R->Npost, R->dphiPost, el->post);
    for (PetscInt i = 0; i < el->Np; ++i) el->wphi[q * el->Np + i] = el->w[q] * R->phi[q * el->Np + i];
  }
  for (PetscInt k = 0; k < el->faces * R->Nqf; ++k) {
    const PetscReal det = PlexHDGElementMap(el, &el->args->dshapeFace[k * size], rx);

    el->ws[k] = R->weightsFace[k % R->Nqf] * PlexHDGElementNormal(el, k / R->Nqf, det, rx, N);
    for (PetscInt d = 0; d < dim; ++d) el->wn[k * dim + d] = R->weightsFace[k % R->Nqf] * N[d];
  }
}

/* v . kappa w */
static PetscReal PlexHDGElementDot(const PlexHDGElement *el, const PetscReal v[], const PetscReal w[])
{
  PetscReal sum = 0.;

  for (PetscInt k = 0; k < el->dim; ++k)
    for (PetscInt l = 0; l < el->dim; ++l) sum += v[k] * el->kappa[k * el->dim + l] * w[l];
  return sum;
}

/* sum_ab detJ (r_a . kappa r_b) S_ab, added to K[n][n] */
void PlexHDGElementAddStiffness_Private(const PlexHDGElement *el, PetscInt n, const PetscReal S[], PetscReal K[])
{
  PetscInt ab = 0;

  for (PetscInt a = 0; a < el->dim; ++a) {
    for (PetscInt b = a; b < el->dim; ++b, ++ab) {
      const PetscReal c = el->detJ * PlexHDGElementDot(el, el->rx[a], el->rx[b]), *table = &S[ab * n * n];

      for (PetscInt k = 0; k < n * n; ++k) K[k] += c * table[k];
    }
  }
}

/* An affine element's matrices are sums of the reference element's */
static void PlexHDGElementBuildAffine(PlexHDGElement *el, PetscReal SR[], PetscReal H[])
{
  PlexHDGReference R  = el->hdg->reference;
  const PetscInt   Np = el->Np, Nf = el->Nf, Nt = el->Nt, pairs = el->faces * R->turns;

  for (PetscInt k = 0; k < Np * Np; ++k) SR[k] = k % (Np + 1) ? 0. : el->reaction * el->detJ;
  PlexHDGElementAddStiffness_Private(el, Np, R->S, SR);
  for (PetscInt f = 0; f < el->faces; ++f) {
    const PetscInt  ft = f * R->turns + el->turns[f];
    const PetscReal ts = el->tau[f] * el->s[f], *E = &R->E[f * Np * Np], *F = &R->F[ft * Np * Nf];
    PetscReal      *column = &SR[(Np + f * Nf) * Np], c[3];

    for (PetscInt k = 0; k < Np * Np; ++k) SR[k] += ts * E[k];
    for (PetscInt a = 0; a < el->dim; ++a) c[a] = PlexHDGElementDot(el, el->rx[a], el->N[f]);
    for (PetscInt m = 0; m < Nf; ++m) {
      for (PetscInt i = 0; i < Np; ++i) {
        PetscReal sum = ts * F[i * Nf + m];

        for (PetscInt a = 0; a < el->dim; ++a) sum += c[a] * R->H[((a * pairs + ft) * Np + i) * Nf + m];
        column[m * Np + i] = sum;
      }
    }
    for (PetscInt g = 0; g < el->faces; ++g) {
      const PetscReal  h = PlexHDGElementDot(el, el->N[f], el->N[g]) / el->detJ;
      const PetscReal *T = &R->T[(ft * pairs + g * R->turns + el->turns[g]) * Nf * Nf];

      for (PetscInt m = 0; m < Nf; ++m)
        for (PetscInt m2 = 0; m2 < Nf; ++m2)
          H[(f * Nf + m) * Nt + g * Nf + m2] = h * T[m * Nf + m2] + (f == g && m == m2 ? ts : 0.);
    }
  }
}

/* M, upper triangle at least, by quadrature */
static void PlexHDGElementMass(PlexHDGElement *el, PetscReal M[])
{
  const PetscScalar  one = 1., zero = 0.;
  const PetscBLASInt Np = (PetscBLASInt)el->Np, Nq = (PetscBLASInt)el->hdg->reference->Nq;

  BLASgemm_("N", "T", &Np, &Np, &Nq, &one, el->hdg->reference->phi, &Np, el->wphi, &Np, &zero, M, &Np);
}

/* B, the upper triangle at least, by quadrature */
static void PlexHDGElementMassKappa(PlexHDGElement *el)
{
  PlexHDGReference R  = el->hdg->reference;
  const PetscInt   Np = el->Np, dim = el->dim, n = dim * Np;

  for (PetscInt k = 0; k < n * n; ++k) el->B[k] = 0.;
  for (PetscInt q = 0; q < R->Nq; ++q) {
    for (PetscInt l = 0; l < dim; ++l) {
      for (PetscInt k = 0; k <= l; ++k) {
        const PetscReal v = el->kinv[(q * dim + k) * dim + l];

        for (PetscInt j = 0; j < Np; ++j) {
          const PetscReal c = v * el->wphi[q * Np + j];

          for (PetscInt i = 0; i < Np; ++i) el->B[(l * Np + j) * n + k * Np + i] += c * R->phi[q * Np + i];
        }
      }
    }
  }
}

/* Y_k, all columns; where kappa is given pointwise those of all k one below the other */
static void PlexHDGElementFormY(PlexHDGElement *el)
{
  PlexHDGReference   R   = el->hdg->reference;
  const PetscScalar  one = 1., zero = 0.;
  const PetscInt     rows = el->B ? el->dim * el->Np : el->Np;
  const PetscBLASInt bn = (PetscBLASInt)el->Np, bq = (PetscBLASInt)R->Nq, brows = (PetscBLASInt)rows;

  for (PetscInt k = 0; k < el->dim; ++k) {
    PetscReal *Y = &el->Y[k * (el->B ? el->Np : el->n * el->Np)];

    BLASgemm_("N", "T", &bn, &bn, &bq, &one, &el->gradient[k * R->Nq * el->Np], &bn, el->wphi, &bn, &zero, Y, &brows);
    for (PetscInt f = 0; f < el->faces; ++f) {
      for (PetscInt m = 0; m < el->Nf; ++m) {
        PetscReal *column = &Y[(el->Np + f * el->Nf + m) * rows];

        for (PetscInt i = 0; i < el->Np; ++i) column[i] = 0.;
        for (PetscInt q = 0; q < R->Nqf; ++q) {
          const PetscReal c = el->wn[(f * R->Nqf + q) * el->dim + k] * R->psi[(el->turns[f] * R->Nqf + q) * el->Nf + m];
          const PetscReal *phi = &R->phiFace[(f * R->Nqf + q) * el->Np];

          for (PetscInt i = 0; i < el->Np; ++i) column[i] += c * phi[i];
        }
      }
    }
  }
}

/* A += sum_f tau_f <chi, chi>_f */
static void PlexHDGElementAddTau(PlexHDGElement *el)
{
  PlexHDGReference R  = el->hdg->reference;
  const PetscInt   Np = el->Np, Nf = el->Nf, n = el->n;

  for (PetscInt f = 0; f < el->faces; ++f) {
    for (PetscInt q = 0; q < R->Nqf; ++q) {
      const PetscReal c = el->tau[f] * el->ws[f * R->Nqf + q], *phi = &R->phiFace[(f * R->Nqf + q) * Np],
                      *psi = &R->psi[(el->turns[f] * R->Nqf + q) * Nf];

      for (PetscInt j = 0; j < Np; ++j)
        for (PetscInt i = 0; i <= j; ++i) el->A[j * n + i] += c * phi[i] * phi[j];
      for (PetscInt m = 0; m < Nf; ++m) {
        PetscReal *column = &el->A[(Np + f * Nf + m) * n];

        for (PetscInt i = 0; i < Np; ++i) column[i] += c * phi[i] * psi[m];
        for (PetscInt k = 0; k <= m; ++k) column[Np + f * Nf + k] += c * psi[k] * psi[m];
      }
    }
  }
}

/* c[dim][dim], lower triangle: kappa = c c^T */
static void PlexHDGElementRoot(const PlexHDGElement *el, PetscReal c[3][3])
{
  for (PetscInt i = 0; i < el->dim; ++i) {
    for (PetscInt j = 0; j <= i; ++j) {
      PetscReal sum = el->kappa[i * el->dim + j];

      for (PetscInt k = 0; k < j; ++k) sum -= c[i][k] * c[j][k];
      c[i][j] = i == j ? PetscSqrtReal(sum) : c[j][j] > 0. ? sum / c[j][j] : 0.; /* kappa may be zero */
    }
  }
}

/* A += sum_kl kappa_kl Y_k^T M^-1 Y_l; M becomes its factor */
static PetscErrorCode PlexHDGElementAddFluxes(PlexHDGElement *el)
{
  const PetscInt     Np = el->Np, n = el->n, size = n * Np;
  const PetscScalar  one = 1.;
  const PetscBLASInt bNp = (PetscBLASInt)Np, bn = (PetscBLASInt)n;
  PetscBLASInt       info;
  PetscReal          c[3][3];

  PetscFunctionBegin;
  PetscCallBLAS("LAPACKpotrf", LAPACKpotrf_("U", &bNp, el->M, &bNp, &info));
  PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_MAT_CH_ZRPVT,
             "The mass matrix of cell %" PetscInt_FMT " is not positive definite", el->hdg->mesh->cells[el->e]);
  for (PetscInt k = 0; k < el->dim; ++k)
    PetscCallBLAS("BLAStrsm", BLAStrsm_("L", "U", "T", "N", &bNp, &bn, &one, el->M, &bNp, &el->Y[k * size], &bNp));
  PlexHDGElementRoot(el, c);
  for (PetscInt m = 0; m < el->dim; ++m) {
    for (PetscInt s = 0; s < size; ++s) {
      PetscReal sum = 0.;

      for (PetscInt k = m; k < el->dim; ++k) sum += c[k][m] * el->Y[k * size + s];
      el->Y[m * size + s] = sum;
    }
    PetscCallBLAS("BLASsyrk", BLASsyrk_("U", "T", &bn, &bNp, &one, &el->Y[m * size], &bNp, &one, el->A, &bn));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cholesky's factor of B in its place */
static PetscErrorCode PlexHDGElementFactorB(PlexHDGElement *el)
{
  const PetscBLASInt rows = (PetscBLASInt)(el->dim * el->Np);
  PetscBLASInt       info;

  PetscFunctionBegin;
  PlexHDGElementMassKappa(el);
  PetscCallBLAS("LAPACKpotrf", LAPACKpotrf_("U", &rows, el->B, &rows, &info));
  PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_MAT_CH_ZRPVT,
             "The products of the fluxes of cell %" PetscInt_FMT " are not positive definite",
             el->hdg->mesh->cells[el->e]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A += Y^T B^-1 Y; Y becomes L^-1 Y */
static PetscErrorCode PlexHDGElementAddPointFluxes(PlexHDGElement *el)
{
  const PetscScalar  one  = 1.;
  const PetscBLASInt rows = (PetscBLASInt)(el->dim * el->Np), bn = (PetscBLASInt)el->n;

  PetscFunctionBegin;
  PetscCall(PlexHDGElementFactorB(el));
  PetscCallBLAS("BLAStrsm", BLAStrsm_("L", "U", "T", "N", &rows, &bn, &one, el->B, &rows, el->Y, &rows));
  PetscCallBLAS("BLASsyrk", BLASsyrk_("U", "T", &bn, &rows, &one, el->Y, &rows, &one, el->A, &bn));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A, the upper triangle */
static PetscErrorCode PlexHDGElementFormA(PlexHDGElement *el)
{
  const PetscInt Np = el->Np, n = el->n;

  PetscFunctionBegin;
  PlexHDGElementMass(el, el->M);
  PlexHDGElementFormY(el);
  for (PetscInt k = 0; k < n * n; ++k) el->A[k] = 0.;
  for (PetscInt j = 0; j < Np; ++j)
    for (PetscInt i = 0; i <= j; ++i) el->A[j * n + i] = el->reaction * el->M[j * Np + i];
  PlexHDGElementAddTau(el);
  if (el->B) PetscCall(PlexHDGElementAddPointFluxes(el));
  else PetscCall(PlexHDGElementAddFluxes(el));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGElementBuildMapped(PlexHDGElement *el, PetscReal SR[], PetscReal H[])
{
  const PetscInt Np = el->Np, Nt = el->Nt, n = el->n;

  PetscFunctionBegin;
  PetscCall(PlexHDGElementFormA(el));
  for (PetscInt j = 0; j < n; ++j)
    for (PetscInt i = 0; i < Np; ++i) SR[j * Np + i] = el->A[j * n + i];
  for (PetscInt j = 0; j < Nt; ++j)
    for (PetscInt i = 0; i <= j; ++i) H[j * Nt + i] = H[i * Nt + j] = el->A[(Np + j) * n + Np + i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGElementNewton_Private(PlexHDGElement *el, const PetscReal q[], PetscReal C[], PetscReal A[])
{
  PlexHDGReference   R  = el->hdg->reference;
  const PetscInt     Np = el->Np, dim = el->dim, n = el->n, rows = dim * Np;
  const PetscReal   *slope = &el->args->dkinv[(size_t)el->e * R->Nq * dim * dim];
  const PetscScalar  one   = 1.;
  const PetscBLASInt brows = (PetscBLASInt)rows, bNp = (PetscBLASInt)Np, bn = (PetscBLASInt)n;

  PetscFunctionBegin;
  PetscCall(PlexHDGElementFormA(el));
  for (PetscInt j = 0; j < n; ++j)
    for (PetscInt i = 0; i <= j; ++i) A[j * n + i] = A[i * n + j] = el->A[j * n + i];
  for (PetscInt k = 0; k < rows * Np; ++k) C[k] = 0.;
  for (PetscInt p = 0; p < R->Nq; ++p) {
    for (PetscInt k = 0; k < dim; ++k) {
      PetscReal v = 0.;

      for (PetscInt l = 0; l < dim; ++l)
        v += slope[(p * dim + k) * dim + l] * PlexHDGValue(Np, &R->phi[p * Np], &q[l * Np]);
      for (PetscInt j = 0; j < Np; ++j)
        for (PetscInt i = 0; i < Np; ++i) C[j * rows + k * Np + i] += v * el->wphi[p * Np + i] * R->phi[p * Np + j];
    }
  }
  PetscCallBLAS("BLAStrsm", BLAStrsm_("L", "U", "T", "N", &brows, &bNp, &one, el->B, &brows, C, &brows));
  PetscCallBLAS("BLASgemm", BLASgemm_("T", "N", &bn, &bNp, &brows, &one, el->Y, &brows, C, &brows, &one, A, &bn));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGElementBuild_Private(PlexHDGElement *el, PetscReal SR[], PetscReal H[])
{
  PetscFunctionBegin;
  if (el->affine) PlexHDGElementBuildAffine(el, SR, H);
  else PetscCall(PlexHDGElementBuildMapped(el, SR, H));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* q_k = sum_l kappa_kl (sum_f N_fl F_f trace - detJ sum_a r_al D_a^T u)/detJ, and what flows through the faces */
static void PlexHDGElementFluxAffine(PlexHDGElement *el, const PetscReal u[], const PetscReal trace[], PetscReal q[],
                                     PetscReal b[])
{
  PlexHDGReference R  = el->hdg->reference;
  const PetscInt   Np = el->Np, Nf = el->Nf, dim = el->dim;
  PetscReal       *t = el->t;

  for (PetscInt k = 0; k < dim * Np; ++k) t[k] = 0.;
  for (PetscInt a = 0; a < dim; ++a) {
    for (PetscInt j = 0; j < Np; ++j) {
      PetscReal sum = 0.;

      for (PetscInt i = 0; i < Np; ++i) sum += R->D[(a * Np + i) * Np + j] * u[i];
      for (PetscInt l = 0; l < dim; ++l) t[l * Np + j] -= el->rx[a][l] * sum;
    }
  }
  for (PetscInt f = 0; f < el->faces; ++f) {
    const PetscReal *F = &R->F[(f * R->turns + el->turns[f]) * Np * Nf];

    for (PetscInt i = 0; i < Np; ++i) {
      PetscReal sum = 0.;

      for (PetscInt m = 0; m < Nf; ++m) sum += F[i * Nf + m] * trace[f * Nf + m];
      for (PetscInt l = 0; l < dim; ++l) t[l * Np + i] += el->N[f][l] / el->detJ * sum;
    }
  }
  for (PetscInt k = 0; k < dim; ++k) {
    for (PetscInt i = 0; i < Np; ++i) {
      q[k * Np + i] = 0.;
      for (PetscInt l = 0; l < dim; ++l) q[k * Np + i] += el->kappa[k * dim + l] * t[l * Np + i];
    }
  }
  for (PetscInt f = 0; b && f < el->faces; ++f) {
    const PetscReal *F = &R->F[(f * R->turns + el->turns[f]) * Np * Nf], ts = el->tau[f] * el->s[f];

    for (PetscInt m = 0; m < Nf; ++m) {
      PetscReal sum = -ts * trace[f * Nf + m];

      for (PetscInt i = 0; i < Np; ++i) {
        PetscReal v = ts * u[i];

        for (PetscInt d = 0; d < dim; ++d) v -= el->N[f][d] * q[d * Np + i];
        sum += F[i * Nf + m] * v;
      }
      b[f * Nf + m] = sum;
    }
  }
}

/* b_f = <psi, tau (u - trace) - q . n> */
static void PlexHDGElementFlows(PlexHDGElement *el, const PetscReal u[], const PetscReal trace[], const PetscReal q[],
                                PetscReal b[])
{
  PlexHDGReference R = el->hdg->reference;

  for (PetscInt k = 0; k < el->Nt; ++k) b[k] = 0.;
  for (PetscInt k = 0; k < el->faces * R->Nqf; ++k) {
    const PetscInt   f   = k / R->Nqf;
    const PetscReal *phi = &R->phiFace[k * el->Np], *psi = &R->psi[(el->turns[f] * R->Nqf + k % R->Nqf) * el->Nf];
    PetscReal        v = el->tau[f] * el->ws[k] *
                         (PlexHDGValue(el->Np, phi, u) - PlexHDGValue(el->Nf, psi, &trace[f * el->Nf]));

    for (PetscInt d = 0; d < el->dim; ++d) v -= el->wn[k * el->dim + d] * PlexHDGValue(el->Np, phi, &q[d * el->Np]);
    for (PetscInt m = 0; m < el->Nf; ++m) b[f * el->Nf + m] += v * psi[m];
  }
}

static PetscErrorCode PlexHDGElementFluxMapped(PlexHDGElement *el, const PetscReal u[], const PetscReal trace[],
                                               PetscReal q[], PetscReal b[])
{
  PlexHDGReference   R  = el->hdg->reference;
  const PetscInt     Np = el->Np, dim = el->dim;
  const PetscBLASInt bNp = (PetscBLASInt)Np, bdim = (PetscBLASInt)dim;
  PetscBLASInt       info;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < dim * Np; ++k) q[k] = 0.;
  for (PetscInt p = 0; p < R->Nq; ++p) {
    const PetscReal v = el->w[p] * PlexHDGValue(Np, &R->phi[p * Np], u);

    for (PetscInt l = 0; l < dim; ++l)
      for (PetscInt i = 0; i < Np; ++i) q[l * Np + i] -= v * el->gradient[(l * R->Nq + p) * Np + i];
  }
  for (PetscInt k = 0; k < el->faces * R->Nqf; ++k) {
    const PetscInt  f = k / R->Nqf;
    const PetscReal v = PlexHDGValue(el->Nf, &R->psi[(el->turns[f] * R->Nqf + k % R->Nqf) * el->Nf],
                                     &trace[f * el->Nf]);

    for (PetscInt l = 0; l < dim; ++l)
      for (PetscInt i = 0; i < Np; ++i) q[l * Np + i] += v * el->wn[k * dim + l] * R->phiFace[k * Np + i];
  }
  if (el->B) {
    const PetscBLASInt rows = (PetscBLASInt)(dim * Np), one = 1;

    PetscCall(PlexHDGElementFactorB(el));
    PetscCallBLAS("LAPACKpotrs", LAPACKpotrs_("U", &rows, &one, el->B, &rows, q, &rows, &info));
    if (b) PlexHDGElementFlows(el, u, trace, q, b);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt i = 0; i < Np; ++i) {
    PetscReal t[3];

    for (PetscInt l = 0; l < dim; ++l) t[l] = q[l * Np + i];
    for (PetscInt k = 0; k < dim; ++k) q[k * Np + i] = PlexHDGValue(dim, &el->kappa[k * dim], t);
  }
  PlexHDGElementMass(el, el->M);
  PetscCallBLAS("LAPACKpotrf", LAPACKpotrf_("U", &bNp, el->M, &bNp, &info));
  PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_MAT_CH_ZRPVT,
             "The mass matrix of cell %" PetscInt_FMT " is not positive definite", el->hdg->mesh->cells[el->e]);
  PetscCallBLAS("LAPACKpotrs", LAPACKpotrs_("U", &bNp, &bdim, el->M, &bNp, q, &bNp, &info));
  if (b) PlexHDGElementFlows(el, u, trace, q, b);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGElementFlux_Private(PlexHDGElement *el, const PetscReal u[], const PetscReal trace[],
                                          PetscReal q[], PetscReal b[])
{
  PetscFunctionBegin;
  if (el->affine) PlexHDGElementFluxAffine(el, u, trace, q, b);
  else PetscCall(PlexHDGElementFluxMapped(el, u, trace, q, b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const PetscReal PlexHDGUnit2[] = {1., 0., 0., 1.}, PlexHDGUnit3[] = {1., 0., 0., 0., 1., 0., 0., 0., 1.};

/* kappa is zero, beside convection */
static PetscBool PlexHDGElementIsStill(const PlexHDGElement *el)
{
  if (!el->hdg->convects || el->B) return PETSC_FALSE;
  for (PetscInt k = 0; k < el->dim * el->dim; ++k)
    if (el->kappa[k] != 0.) return PETSC_FALSE;
  return PETSC_TRUE;
}

/* grad u of an affine element, [dim][Np] until the next call */
static const PetscReal *PlexHDGElementGradU(PlexHDGElement *el, const PetscReal u[])
{
  PlexHDGReference R  = el->hdg->reference;
  const PetscInt   Np = el->Np;

  for (PetscInt k = 0; k < el->dim * Np; ++k) {
    const PetscInt d = k / Np, i = k % Np;

    el->t[k] = 0.;
    for (PetscInt a = 0; a < el->dim; ++a) el->t[k] += el->rx[a][d] * PlexHDGValue(Np, &R->D[(a * Np + i) * Np], u);
  }
  return el->t;
}

PetscErrorCode PlexHDGElementPost_Private(PlexHDGElement *el, const PetscReal u[], const PetscReal q[], PetscReal K[],
                                          PetscReal r[], PetscReal means[], PetscReal *mean)
{
  PlexHDGReference R  = el->hdg->reference;
  const PetscInt   Np = el->Np, dim = el->dim, n = R->Npost;
  PetscBool        gradient = PETSC_FALSE; /* of u at points in place of q */

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n * n; ++k) K[k] = 0.;
  for (PetscInt k = 0; k < n; ++k) r[k] = means[k] = 0.;
  *mean = 0.;
  if (PlexHDGElementIsStill(el)) {
    el->kappa = dim == 2 ? PlexHDGUnit2 : PlexHDGUnit3;
    if (el->affine) q = PlexHDGElementGradU(el, u);
    else gradient = PETSC_TRUE;
  }
  if (el->affine) {
    PlexHDGElementAddStiffness_Private(el, n, R->Spost, K);
    for (PetscInt a = 0; a < dim; ++a) {
      for (PetscInt j = 0; j < Np; ++j) {
        PetscReal v = 0.;

        for (PetscInt d = 0; d < dim; ++d) v += el->detJ * el->rx[a][d] * q[d * Np + j];
        for (PetscInt i = 0; i < n; ++i) r[i] += R->Ppost[(a * n + i) * Np + j] * v;
      }
    }
    means[0] = 1.; /* the others are orthogonal to the first function, a constant, which degree P has too */
    *mean    = u[0];
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (PetscInt p = 0; p < R->Nq; ++p) {
    const PetscReal *kappa = el->B ? &el->args->kappaq[((size_t)el->e * R->Nq + p) * dim * dim] : el->kappa;
    PetscReal        v[3];

    *mean += el->w[p] * PlexHDGValue(Np, &R->phi[p * Np], u);
    for (PetscInt d = 0; d < dim; ++d)
      v[d] = el->w[p] * (gradient ? PlexHDGValue(Np, &el->gradient[(d * R->Nq + p) * Np], u)
                                  : PlexHDGValue(Np, &R->phi[p * Np], &q[d * Np]));
    for (PetscInt j = 0; j < n; ++j) {
      PetscReal g[3] = {0., 0., 0.};

      means[j] += el->w[p] * R->phiPost[p * n + j];
      for (PetscInt d = 0; d < dim; ++d) {
        r[j] += v[d] * el->post[(d * R->Nq + p) * n + j];
        for (PetscInt l = 0; l < dim; ++l) g[d] += el->w[p] * kappa[d * dim + l] * el->post[(l * R->Nq + p) * n + j];
      }
      for (PetscInt i = 0; i <= j; ++i)
        for (PetscInt d = 0; d < dim; ++d) K[j * n + i] += g[d] * el->post[(d * R->Nq + p) * n + i];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void PlexHDGElementResidualAffine(PlexHDGElement *el, const PetscReal u[], const PetscReal trace[],
                                         const PetscReal q[], PetscReal r[])
{
  PlexHDGReference R  = el->hdg->reference;
  const PetscInt   Np = el->Np, Nf = el->Nf, dim = el->dim;

  for (PetscInt a = 0; a < dim; ++a) {
    for (PetscInt j = 0; j < Np; ++j) {
      PetscReal v = 0.;

      for (PetscInt d = 0; d < dim; ++d) v += el->detJ * el->rx[a][d] * q[d * Np + j];
      for (PetscInt i = 0; i < Np; ++i) r[i] -= R->D[(a * Np + i) * Np + j] * v;
    }
  }
  for (PetscInt f = 0; f < el->faces; ++f) {
    const PetscReal *F = &R->F[(f * R->turns + el->turns[f]) * Np * Nf], ts = el->tau[f] * el->s[f];

    for (PetscInt i = 0; i < Np; ++i) {
      for (PetscInt j = 0; j < Np; ++j) r[i] += ts * R->E[(f * Np + i) * Np + j] * u[j];
      for (PetscInt m = 0; m < Nf; ++m) r[i] -= ts * F[i * Nf + m] * trace[f * Nf + m];
    }
  }
}

static void PlexHDGElementResidualMapped(PlexHDGElement *el, const PetscReal u[], const PetscReal trace[],
                                         const PetscReal q[], PetscReal r[])
{
  PlexHDGReference R  = el->hdg->reference;
  const PetscInt   Np = el->Np, dim = el->dim;

  for (PetscInt d = 0; d < dim; ++d) {
    for (PetscInt p = 0; p < R->Nq; ++p) {
      const PetscReal v = el->w[p] * PlexHDGValue(Np, &R->phi[p * Np], &q[d * Np]);

      for (PetscInt i = 0; i < Np; ++i) r[i] += v * el->gradient[(d * R->Nq + p) * Np + i];
    }
  }
  for (PetscInt k = 0; k < el->faces * R->Nqf; ++k) {
    const PetscInt   f   = k / R->Nqf;
    const PetscReal *phi = &R->phiFace[k * Np], *psi = &R->psi[(el->turns[f] * R->Nqf + k % R->Nqf) * el->Nf];
    PetscReal v = el->tau[f] * el->ws[k] * (PlexHDGValue(Np, phi, u) - PlexHDGValue(el->Nf, psi, &trace[f * el->Nf]));

    for (PetscInt d = 0; d < dim; ++d) v -= el->wn[k * dim + d] * PlexHDGValue(Np, phi, &q[d * Np]);
    for (PetscInt i = 0; i < Np; ++i) r[i] += v * phi[i];
  }
}

void PlexHDGElementResidual_Private(PlexHDGElement *el, const PetscReal u[], const PetscReal ut[],
                                    const PetscReal trace[], const PetscReal q[], PetscReal r[])
{
  PlexHDGReference R  = el->hdg->reference;
  const PetscInt   Np = el->Np;

  for (PetscInt i = 0; i < Np; ++i) {
    r[i] = el->args->f ? -el->args->f[(size_t)el->e * Np + i] : 0.;
    if (el->affine) r[i] += el->detJ * (el->reaction * u[i] + (ut ? ut[i] : 0.));
  }
  for (PetscInt p = 0; !el->affine && p < R->Nq; ++p) {
    const PetscReal v = el->reaction * PlexHDGValue(Np, &R->phi[p * Np], u) +
                        (ut ? PlexHDGValue(Np, &R->phi[p * Np], ut) : 0.);

    for (PetscInt i = 0; i < Np; ++i) r[i] += v * el->wphi[p * Np + i];
  }
  if (el->affine) PlexHDGElementResidualAffine(el, u, trace, q, r);
  else PlexHDGElementResidualMapped(el, u, trace, q, r);
}
