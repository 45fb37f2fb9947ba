/*
  Local problems of Navier-Stokes equations on the host; navier.c has the method.

  Of u, of the pressure's functions 1 .. Np - 1 and of minus the trace an element has the matrix

    A = [S C^T R; C 0 N; R^T N^T H] + convection + shift rho [M 0 0; 0 0 0; 0 0 0]

  with the blocks of Stokes's equations (hoststokes.c), and convection linearized about a state (v, s): with b = s . n on
  a face, b+ = max(b, 0), (h = 1 where b > 0, else 0) and, of Newton's method alone, what is in brackets,

    rho/2 ((v . grad u, w) - (v . grad w, u) [+ (u . grad v, w) - (u . grad w, v)])
      + rho <(b+ - b/2) u + (b - b+) t [+ (t . n) ((h - 1/2) v + (1 - h) s)], w>
    rho <b+ u + (b - b+) t [+ (t . n) (h v + (1 - h) s)], mu>

  where on the boundary of the domain b t, which belongs to no condition there, is left out of the last line. The local
  problem is eliminated as a general matrix with pivots; kept are its factors, A_local^-1 A_trace and the trace's rows.
  Matrices are as LAPACK has them, columns one after the other.
*/
#include "hostelastic.h"
#include "navier.h"
#include <petscblaslapack.h>

typedef struct {
  PlexHDGElasticElement s;
  PetscInt              U, P, T, n; /* unknowns of u, of p without its constant, of the trace; n = U + P */
  PetscReal             rho;
  PetscReal            *w, *gradient;   /* [Nq] weights times determinant, [dim][Nq][Nu] */
  PetscReal            *wn;             /* [faces][Nqf][dim] weights times normal */
  PetscReal            *left, *right;   /* [Nq][Nu] or [Nqf][Nu] */
  PetscReal            *SR, *H, *Z, *N; /* Stokes's equations, as hoststokes.c has them */
  PetscReal            *A;              /* [n + T][n + T] */
} PlexHDGNavierElement;

static PetscErrorCode PlexHDGNavierElementCreate(PlexHDG hdg, const PlexHDGArgs *args, PlexHDGNavierElement *el)
{
  PlexHDGReference R   = hdg->reference;
  const PetscInt   dim = R->dim, Nu = hdg->elastic->Nu, most = PetscMax(R->Nq, R->Nqf);

  PetscFunctionBegin;
  PetscCall(PlexHDGElasticElementCreate_Private(hdg, args, &el->s));
  el->U   = dim * Nu;
  el->P   = R->Np - 1;
  el->T   = PlexHDGTraceSize(hdg);
  el->n   = el->U + el->P;
  el->rho = hdg->density;
  PetscCall(PetscMalloc5(R->Nq, &el->w, dim * R->Nq * Nu, &el->gradient, R->faces * R->Nqf * dim, &el->wn, most * Nu,
                         &el->left, most * Nu, &el->right));
  PetscCall(PetscMalloc5((el->U + el->T) * el->U, &el->SR, el->T * el->T, &el->H, el->P * el->U, &el->Z, el->T * el->P,
                         &el->N, PetscSqr(el->n + el->T), &el->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGNavierElementDestroy(PlexHDGNavierElement *el)
{
  PetscFunctionBegin;
  PetscCall(PetscFree5(el->w, el->gradient, el->wn, el->left, el->right));
  PetscCall(PetscFree5(el->SR, el->H, el->Z, el->N, el->A));
  PetscCall(PlexHDGElasticElementDestroy_Private(&el->s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void PlexHDGNavierElementSet(PlexHDGNavierElement *el, PetscInt e)
{
  const PlexHDGElement *g   = &el->s.el;
  PlexHDGReference      R   = g->hdg->reference;
  PlexHDGNavier         nav = g->hdg->navier;
  const PetscInt        dim = R->dim, Nu = el->s.Nu;

  PlexHDGElasticElementSet_Private(&el->s, e);
  for (PetscInt q = 0; q < R->Nq; ++q) {
    el->w[q] = g->affine ? g->detJ * R->weights[q] : g->w[q];
    for (PetscInt d = 0; d < dim; ++d) {
      for (PetscInt j = 0; j < Nu; ++j) {
        PetscReal v = 0.;

        if (g->affine)
          for (PetscInt a = 0; a < dim; ++a) v += g->rx[a][d] * nav->dU[(a * R->Nq + q) * Nu + j];
        else v = g->post[(d * R->Nq + q) * R->Npost + el->s.elastic->functions[j]];
        el->gradient[(d * R->Nq + q) * Nu + j] = v;
      }
    }
  }
  for (PetscInt k = 0; k < R->faces * R->Nqf; ++k)
    for (PetscInt d = 0; d < dim; ++d)
      el->wn[k * dim + d] = g->affine ? R->weightsFace[k % R->Nqf] * g->N[k / R->Nqf][d] : g->wn[k * dim + d];
}

static PetscReal PlexHDGNavierSum(PetscInt n, const PetscReal a[], const PetscReal b[])
{
  PetscReal sum = 0.;

  for (PetscInt i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

/* v[dim] and g[k][d] = dv_k/dx_d of v[dim][Nu] at point q of the element */
static void PlexHDGNavierAt(const PlexHDGNavierElement *el, PetscInt q, const PetscReal u[], PetscReal v[],
                            PetscReal g[3][3])
{
  PlexHDGReference R   = el->s.el.hdg->reference;
  const PetscInt   dim = R->dim, Nu = el->s.Nu;

  for (PetscInt k = 0; k < dim; ++k) {
    v[k] = PlexHDGNavierSum(Nu, &el->s.elastic->U[q * Nu], &u[k * Nu]);
    for (PetscInt d = 0; d < dim; ++d) g[k][d] = PlexHDGNavierSum(Nu, &el->gradient[(d * R->Nq + q) * Nu], &u[k * Nu]);
  }
}

/* v . grad of all functions at point q */
static void PlexHDGNavierAlong(const PlexHDGNavierElement *el, PetscInt q, const PetscReal v[], PetscReal along[])
{
  PlexHDGReference R  = el->s.el.hdg->reference;
  const PetscInt   Nu = el->s.Nu;

  for (PetscInt j = 0; j < Nu; ++j) {
    along[j] = 0.;
    for (PetscInt d = 0; d < R->dim; ++d) along[j] += v[d] * el->gradient[(d * R->Nq + q) * Nu + j];
  }
}

/* At point k of the faces: v of the element, t of the trace; returns rho b times the weight */
static PetscReal PlexHDGNavierAtFace(const PlexHDGNavierElement *el, PetscInt k, const PetscReal u[],
                                     const PetscReal trace[], PetscReal v[], PetscReal t[])
{
  const PlexHDGElement *g   = &el->s.el;
  PlexHDGReference      R   = g->hdg->reference;
  const PetscInt        dim = R->dim, Nu = el->s.Nu, Nf = R->Nf, f = k / R->Nqf;
  const PetscReal      *psi = &R->psi[(g->turns[f] * R->Nqf + k % R->Nqf) * Nf];
  PetscReal             b   = 0.;

  for (PetscInt d = 0; d < dim; ++d) {
    v[d] = PlexHDGNavierSum(Nu, &g->hdg->navier->UFace[k * Nu], &u[d * Nu]);
    t[d] = PlexHDGNavierSum(Nf, psi, &trace[(f * dim + d) * Nf]);
    b += el->rho * el->wn[k * dim + d] * t[d];
  }
  return b;
}

/* r[dim][Nu] (NULL: not wanted) and b[T] += convection of u and the trace */
static void PlexHDGNavierAddResidual(const PlexHDGNavierElement *el, const PetscReal u[], const PetscReal trace[],
                                     PetscReal r[], PetscReal b[])
{
  const PlexHDGElement *e   = &el->s.el;
  PlexHDGReference      R   = e->hdg->reference;
  PlexHDGNavier         nav = e->hdg->navier;
  const PetscInt        dim = R->dim, Nu = el->s.Nu, Nf = R->Nf;
  PetscReal             v[3], t[3], g[3][3];

  for (PetscInt q = 0; r && q < R->Nq; ++q) {
    const PetscReal half = 0.5 * el->rho * el->w[q];

    PlexHDGNavierAt(el, q, u, v, g);
    PlexHDGNavierAlong(el, q, v, el->left);
    for (PetscInt k = 0; k < dim; ++k) {
      const PetscReal c = half * PlexHDGNavierSum(dim, v, g[k]);

      for (PetscInt i = 0; i < Nu; ++i) r[k * Nu + i] += c * e->hdg->elastic->U[q * Nu + i] - half * v[k] * el->left[i];
    }
  }
  for (PetscInt k = 0; k < R->faces * R->Nqf; ++k) {
    const PetscInt   f    = k / R->Nqf;
    const PetscReal *psi  = &R->psi[(e->turns[f] * R->Nqf + k % R->Nqf) * Nf];
    const PetscReal  flow = PlexHDGNavierAtFace(el, k, u, trace, v, t), up = PetscMax(flow, 0.),
                     back = nav->outer[e->e * R->faces + f] ? -up : flow - up;

    for (PetscInt d = 0; d < dim; ++d) {
      const PetscReal c = (up - 0.5 * flow) * v[d] + (flow - up) * t[d], o = up * v[d] + back * t[d];

      for (PetscInt i = 0; r && i < Nu; ++i) r[d * Nu + i] += c * nav->UFace[k * Nu + i];
      for (PetscInt m = 0; b && m < Nf; ++m) b[(f * dim + d) * Nf + m] += o * psi[m];
    }
  }
}

/* block[i][j] of A at (row, column) += sum_q left[q][i] right[q][j] */
static PetscErrorCode PlexHDGNavierAddProduct(PlexHDGNavierElement *el, PetscInt points, PetscInt rows,
                                              const PetscReal left[], PetscInt columns, const PetscReal right[],
                                              PetscReal sign, PetscInt row, PetscInt column)
{
  const PetscBLASInt m = (PetscBLASInt)rows, n = (PetscBLASInt)columns, k = (PetscBLASInt)points,
                     ld = (PetscBLASInt)(el->n + el->T);
  const PetscScalar  a = sign, one = 1.;

  PetscFunctionBegin;
  PetscCallBLAS("BLASgemm", BLASgemm_("N", "T", &m, &n, &k, &a, left, &m, right, &n, &one,
                                      &el->A[column * (el->n + el->T) + row], &ld));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A += convection in the element, linearized about u; the pressure's unknowns are behind those of u */
static PetscErrorCode PlexHDGNavierAddInside(PlexHDGNavierElement *el, const PetscReal u[], PetscBool newton)
{
  PlexHDGReference R   = el->s.el.hdg->reference;
  const PetscInt   dim = R->dim, Nu = el->s.Nu, Nq = R->Nq;
  const PetscReal *U = el->s.elastic->U;
  PetscReal        v[3], g[3][3];

  PetscFunctionBegin;
  for (PetscInt q = 0; q < Nq; ++q) {
    PlexHDGNavierAt(el, q, u, v, g);
    PlexHDGNavierAlong(el, q, v, &el->left[q * Nu]);
    for (PetscInt j = 0; j < Nu; ++j) el->left[q * Nu + j] *= 0.5 * el->rho * el->w[q];
  }
  for (PetscInt k = 0; k < dim; ++k) {
    PetscCall(PlexHDGNavierAddProduct(el, Nq, Nu, U, Nu, el->left, 1., k * Nu, k * Nu));
    PetscCall(PlexHDGNavierAddProduct(el, Nq, Nu, el->left, Nu, U, -1., k * Nu, k * Nu));
  }
  for (PetscInt k = 0; newton && k < dim; ++k) {
    for (PetscInt m = 0; m < dim; ++m) {
      for (PetscInt q = 0; q < Nq; ++q) {
        const PetscReal half = 0.5 * el->rho * el->w[q];

        PlexHDGNavierAt(el, q, u, v, g);
        for (PetscInt i = 0; i < Nu; ++i)
          el->left[q * Nu + i] = half * (g[k][m] * U[q * Nu + i] - v[k] * el->gradient[(m * Nq + q) * Nu + i]);
      }
      PetscCall(PlexHDGNavierAddProduct(el, Nq, Nu, el->left, Nu, U, 1., k * Nu, m * Nu));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows of the element's functions and of a face's, each with their factors at its points */
static PetscErrorCode PlexHDGNavierAddFace(PlexHDGNavierElement *el, PetscInt f, const PetscReal own[],
                                           const PetscReal flux[], PetscInt k, PetscBool trace, PetscInt m)
{
  const PlexHDGElement *e   = &el->s.el;
  PlexHDGReference      R   = e->hdg->reference;
  const PetscInt        dim = R->dim, Nu = el->s.Nu, Nf = R->Nf, Nqf = R->Nqf;
  const PetscReal      *U = &e->hdg->navier->UFace[f * Nqf * Nu], *psi = &R->psi[e->turns[f] * Nqf * Nf];
  const PetscReal       sign = trace ? -1. : 1.; /* of minus the trace */
  const PetscInt        row = el->n + (f * dim + k) * Nf, column = trace ? el->n + (f * dim + m) * Nf : m * Nu;

  PetscFunctionBegin;
  for (PetscInt q = 0; q < Nqf; ++q)
    for (PetscInt i = 0; i < Nu; ++i) el->left[q * Nu + i] = own[q] * U[q * Nu + i];
  PetscCall(PlexHDGNavierAddProduct(el, Nqf, Nu, el->left, trace ? Nf : Nu, trace ? psi : U, sign, k * Nu, column));
  for (PetscInt q = 0; q < Nqf; ++q)
    for (PetscInt i = 0; i < Nf; ++i) el->left[q * Nf + i] = flux[q] * psi[q * Nf + i];
  PetscCall(PlexHDGNavierAddProduct(el, Nqf, Nf, el->left, trace ? Nf : Nu, trace ? psi : U, sign, row, column));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A += convection through face f */
static PetscErrorCode PlexHDGNavierAddFlux(PlexHDGNavierElement *el, PetscInt f, const PetscReal u[],
                                           const PetscReal trace[], PetscBool newton)
{
  const PlexHDGElement *e   = &el->s.el;
  PlexHDGReference      R   = e->hdg->reference;
  const PetscInt        dim = R->dim, Nqf = R->Nqf;
  const PetscBool       outer = e->hdg->navier->outer[e->e * R->faces + f];
  PetscReal            *own = el->right, *flux = own + Nqf, v[3], t[3];

  PetscFunctionBegin;
  for (int of = 0; of < 2; ++of) { /* by u, by the trace */
    for (PetscInt q = 0; q < Nqf; ++q) {
      const PetscReal b = PlexHDGNavierAtFace(el, f * Nqf + q, u, trace, v, t), up = PetscMax(b, 0.);

      own[q]  = of ? b - up : up - 0.5 * b;
      flux[q] = !of ? up : outer ? -up : b - up;
    }
    for (PetscInt k = 0; k < dim; ++k) PetscCall(PlexHDGNavierAddFace(el, f, own, flux, k, (PetscBool)of, k));
  }
  for (PetscInt k = 0; newton && k < dim; ++k) {
    for (PetscInt m = 0; m < dim; ++m) {
      for (PetscInt q = 0; q < Nqf; ++q) {
        const PetscReal b = PlexHDGNavierAtFace(el, f * Nqf + q, u, trace, v, t), h = b > 0. ? 1. : 0.,
                        n = el->rho * el->wn[(f * Nqf + q) * dim + m];

        own[q]  = n * ((h - 0.5) * v[k] + (1. - h) * t[k]);
        flux[q] = n * (h * v[k] + (outer ? -h : 1. - h) * t[k]);
      }
      PetscCall(PlexHDGNavierAddFace(el, f, own, flux, k, PETSC_TRUE, m));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A of Stokes's equations, with rho shift times the mass */
static PetscErrorCode PlexHDGNavierBuild(PlexHDGNavierElement *el, PetscReal shift, PetscReal net[], PetscReal *volume)
{
  PlexHDG          hdg = el->s.el.hdg;
  PlexHDGReference R   = hdg->reference;
  const PetscInt   U = el->U, P = el->P, T = el->T, n = el->n, ld = n + T, Nu = el->s.Nu;
  PetscReal       *A    = el->A;
  const PetscBool  both = (PetscBool)hdg->stokes->args.symmetric;

  PetscFunctionBegin;
  PlexHDGElasticFormY_Private(&el->s);
  PlexHDGStokesConstrain_Private(&el->s, el->Z, el->N, net);
  *volume = el->s.M[0];
  PetscCall(PlexHDGElasticBuild_Private(&el->s, 0., both ? el->s.mu : 0., el->s.mu, el->SR, el->H));
  PetscCall(PetscArrayzero(A, ld * ld));
  for (PetscInt j = 0; j < U; ++j)
    for (PetscInt i = 0; i < U; ++i) A[j * ld + i] = el->SR[j * U + i];
  for (PetscInt j = 0; j < P; ++j)
    for (PetscInt i = 0; i < U; ++i) A[(U + j) * ld + i] = A[i * ld + U + j] = el->Z[j * U + i];
  for (PetscInt j = 0; j < T; ++j) {
    for (PetscInt i = 0; i < U; ++i) A[(n + j) * ld + i] = A[i * ld + n + j] = el->SR[(U + j) * U + i];
    for (PetscInt i = 0; i < P; ++i) A[(n + j) * ld + U + i] = A[(U + i) * ld + n + j] = el->N[j * P + i];
    for (PetscInt i = 0; i < T; ++i) A[(n + j) * ld + n + i] = el->H[j * T + i];
  }
  if (shift == 0.) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt q = 0; q < R->Nq; ++q)
    for (PetscInt j = 0; j < Nu; ++j) el->left[q * Nu + j] = shift * el->rho * el->w[q] * el->s.elastic->U[q * Nu + j];
  for (PetscInt k = 0; k < R->dim; ++k)
    PetscCall(PlexHDGNavierAddProduct(el, R->Nq, Nu, el->left, Nu, el->s.elastic->U, 1., k * Nu, k * Nu));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Eliminates the local problem: LU[n][n], X[T][n] = A_local^-1 A_trace, Q[n][T] the trace's rows; K[T][T], rows one after
   the other */
static PetscErrorCode PlexHDGNavierEliminate(PlexHDGNavierElement *el, PetscReal LU[], PetscBLASInt pivots[],
                                             PetscReal K[], PetscBool *good)
{
  const PetscInt     n = el->n, T = el->T, ld = n + T;
  const PetscBLASInt bn = (PetscBLASInt)n, bT = (PetscBLASInt)T;
  const PetscScalar  minus = -1., one = 1.;
  PetscReal         *X = LU + n * n, *Q = X + n * T, *H = el->H;
  PetscBLASInt       info;

  PetscFunctionBegin;
  for (PetscInt j = 0; j < n; ++j) {
    PetscCall(PetscArraycpy(&LU[j * n], &el->A[j * ld], n));
    PetscCall(PetscArraycpy(&Q[j * T], &el->A[j * ld + n], T));
  }
  for (PetscInt j = 0; j < T; ++j) {
    PetscCall(PetscArraycpy(&X[j * n], &el->A[(n + j) * ld], n));
    PetscCall(PetscArraycpy(&H[j * T], &el->A[(n + j) * ld + n], T));
  }
  PetscCallBLAS("LAPACKgetrf", LAPACKgetrf_(&bn, &bn, LU, &bn, pivots, &info));
  *good = (PetscBool)!info;
  for (PetscInt k = 0; *good && k < n; ++k)
    if (!(PetscAbsReal(LU[k * (n + 1)]) > 0.) || PetscIsInfOrNanReal(LU[k * (n + 1)])) *good = PETSC_FALSE;
  if (!*good) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallBLAS("LAPACKgetrs", LAPACKgetrs_("N", &bn, &bT, LU, &bn, pivots, X, &bn, &info));
  PetscCallBLAS("BLASgemm", BLASgemm_("N", "N", &bT, &bT, &bn, &minus, Q, &bT, X, &bn, &one, H, &bT));
  for (PetscInt j = 0; j < T; ++j)
    for (PetscInt i = 0; i < T; ++i) K[i * T + j] = H[j * T + i];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGNavierCondense_Host(PlexHDG hdg, const PlexHDGArgs *args)
{
  PlexHDGNavierArgs   *nav    = &hdg->navier->args;
  PlexHDGStokesArgs   *stokes = &hdg->stokes->args;
  const PetscInt       T = PlexHDGTraceSize(hdg), size = PlexHDGFactorSize(hdg);
  PlexHDGNavierElement el;

  PetscFunctionBegin;
  PetscCall(PlexHDGNavierElementCreate(hdg, args, &el));
  for (PetscInt e = args->begin; e < args->end && *args->bad < 0; ++e) {
    PetscReal *K = &args->K[(size_t)(e - args->begin) * T * T];
    PetscBool  good;

    PlexHDGNavierElementSet(&el, e);
    PetscCall(PlexHDGNavierBuild(&el, args->shift, &stokes->net[(size_t)e * T], &stokes->volume[e]));
    if (nav->linearized) {
      const PetscReal *u = &nav->carrier[(size_t)e * el.U], *trace = &nav->trace[(size_t)e * T];
      const PetscBool  newton = (PetscBool)(nav->linearized == 2);

      PetscCall(PlexHDGNavierAddInside(&el, u, newton));
      for (PetscInt f = 0; f < el.s.el.faces; ++f) PetscCall(PlexHDGNavierAddFlux(&el, f, u, trace, newton));
    }
    PetscCall(PlexHDGNavierEliminate(&el, &args->factor[(size_t)(e - args->begin) * size],
                                     (PetscBLASInt *)nav->pivots + (size_t)e * el.n, K, &good));
    if (!good) *args->bad = (int)e;
    PlexHDGElasticHold_Private(&el.s, K);
  }
  PetscCall(PlexHDGNavierElementDestroy(&el));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What known components of faces with unknowns have in trace[T] of element e: their numbers, or zero */
static void PlexHDGNavierHold(const PlexHDGElasticElement *s, PetscBool known, PetscReal trace[])
{
  const PetscInt width = s->dim * s->Nf;

  for (PetscInt t = 0; t < s->el.faces * width; ++t) {
    const PetscInt f = t / width;

    if (s->held[f] >> (t % width / s->Nf) & 1) trace[t] = known ? s->known[f][t % width] : 0.;
  }
}

PetscErrorCode PlexHDGNavierSpread_Host(PlexHDG hdg, const PlexHDGArgs *args)
{
  PlexHDGReference      R     = hdg->reference;
  const PetscInt        T     = PlexHDGTraceSize(hdg);
  PetscReal            *trace = hdg->navier->args.trace;
  PlexHDGElasticElement s;

  PetscFunctionBegin;
  PetscCall(PlexHDGElasticElementCreate_Private(hdg, args, &s));
  for (PetscInt e = 0; e < hdg->mesh->Ne; ++e) {
    PlexHDGElasticElementSet_Private(&s, e);
    PlexHDGElementSpread_Private(args, R->faces, R->dim * R->Nf, &args->faces[e * R->faces], &trace[(size_t)e * T]);
    PlexHDGNavierHold(&s, PETSC_TRUE, &trace[(size_t)e * T]);
  }
  PetscCall(PlexHDGElasticElementDestroy_Private(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r and rp of Stokes's equations and of time, of u, p and the trace; G of the same, Y of the element */
static void PlexHDGNavierStokesResidual(const PlexHDGNavierElement *el, const PetscReal u[], const PetscReal ut[],
                                        const PetscReal p[], const PetscReal trace[], const PetscReal G[],
                                        PetscReal r[], PetscReal rp[])
{
  const PlexHDGElasticElement *s   = &el->s;
  PlexHDG                      hdg = s->el.hdg;
  PlexHDGReference             R   = hdg->reference;
  const PetscInt               dim = s->dim, Nu = s->Nu, Np = s->Np, Nf = s->Nf, size = s->n * Np;
  const PetscBool              both = (PetscBool)hdg->stokes->args.symmetric;

  for (PetscInt i = 0; i < Np; ++i) rp[i] = 0.;
  for (PetscInt k = 0; k < dim; ++k) {
    for (PetscInt j = 0; j < Nu; ++j) {
      PetscReal sum = PlexHDGNavierSum(Np, &s->Y[k * size + j * Np], p);

      for (PetscInt l = 0; l < dim; ++l) {
        const PetscReal *Y = &s->Y[l * size + j * Np];

        sum -= s->mu * PlexHDGNavierSum(Np, Y, &G[(k * dim + l) * Np]);
        if (both) sum -= s->mu * PlexHDGNavierSum(Np, Y, &G[(l * dim + k) * Np]);
      }
      r[k * Nu + j] = sum;
      for (PetscInt i = 0; i < Np; ++i) rp[i] += s->Y[k * size + j * Np + i] * u[k * Nu + j];
    }
    for (PetscInt t = 0; t < s->Nt; ++t)
      for (PetscInt i = 0; i < Np; ++i)
        rp[i] -= s->Y[k * size + (Nu + t) * Np + i] * trace[(t / Nf * dim + k) * Nf + t % Nf];
    for (PetscInt f = 0; f < R->faces; ++f) {
      const PetscReal *Q = PlexHDGElasticQ_Private(s, f);

      for (PetscInt m = 0; m < Nf; ++m) {
        const PetscReal c = s->ts[f] * (PlexHDGNavierSum(Nu, &Q[m * Nu], &u[k * Nu]) - trace[(f * dim + k) * Nf + m]);

        for (PetscInt j = 0; j < Nu; ++j) r[k * Nu + j] += c * Q[m * Nu + j];
      }
    }
    for (PetscInt q = 0; ut && q < R->Nq; ++q) {
      const PetscReal *U = &s->elastic->U[q * Nu], c = el->rho * el->w[q] * PlexHDGNavierSum(Nu, U, &ut[k * Nu]);

      for (PetscInt j = 0; j < Nu; ++j) r[k * Nu + j] += c * U[j];
    }
  }
}

PetscErrorCode PlexHDGNavierResidual_Host(PlexHDG hdg, const PlexHDGArgs *args)
{
  const PlexHDGNavierArgs *x      = &hdg->navier->args;
  PlexHDGStokesArgs       *stokes = &hdg->stokes->args;
  PlexHDGReference         R      = hdg->reference;
  const PetscInt           dim = R->dim, T = PlexHDGTraceSize(hdg), nq = PlexHDGSizeQ(hdg), width = dim * R->Nf;
  const PetscBool          both = (PetscBool)hdg->stokes->args.symmetric;
  PlexHDGNavierElement     el;
  PetscReal               *trace, *own, *G, *r, *rp;

  PetscFunctionBegin;
  PetscCall(PlexHDGNavierElementCreate(hdg, args, &el));
  PetscCall(PetscMalloc5(T, &trace, T, &own, nq, &G, el.U, &r, R->Np, &rp));
  for (PetscInt e = args->begin; e < args->end; ++e) {
    const PetscReal *u = &x->u[(size_t)e * el.U], *p = &x->p[(size_t)e * R->Np],
                    *ut = x->ut ? &x->ut[(size_t)e * el.U] : NULL;
    PetscReal *b        = &args->b[(size_t)e * T];

    PlexHDGNavierElementSet(&el, e);
    PlexHDGElementSpread_Private(args, R->faces, width, &args->faces[e * R->faces], trace);
    PetscCall(PetscArraycpy(own, trace, T)); /* with unknowns of components that are known */
    PlexHDGNavierHold(&el.s, PETSC_TRUE, trace);
    if (args->u) PetscCall(PlexHDGElasticWrite_Private(&el.s, u, &args->u[(size_t)e * dim * R->Npost]));
    if (stokes->p) {
      PetscCall(PetscArraycpy(&stokes->p[(size_t)e * R->Np], p, R->Np));
      stokes->integral[e] = PlexHDGStokesIntegral_Private(&el.s, p);
    }
    PetscCall(PlexHDGElasticGradient_Private(&el.s, u, trace, G));
    if (args->q) PetscCall(PetscArraycpy(&args->q[(size_t)e * nq], G, nq));
    PlexHDGNavierStokesResidual(&el, u, ut, p, trace, G, r, rp);
    for (PetscInt i = 0; args->f && i < el.U; ++i) r[i] -= args->f[(size_t)e * el.U + i];
    PlexHDGStokesFlows_Private(&el.s, both, u, p, trace, G, b);
    if (x->transported) PlexHDGNavierAddResidual(&el, u, trace, r, b);
    for (PetscInt t = 0; t < T; ++t) {
      const PetscInt f = t / width;

      if (el.s.held[f] >> (t % width / R->Nf) & 1) b[t] = el.s.ts[f] * (trace[t] - own[t]);
    }
    if (!x->r) continue;
    rp[0] = x->constant[e];
    PetscCall(PetscArraycpy(&x->r[(size_t)e * el.U], r, el.U));
    PetscCall(PetscArraycpy(&x->rp[(size_t)e * R->Np], rp, R->Np));
  }
  PetscCall(PetscFree5(trace, own, G, r, rp));
  PetscCall(PlexHDGNavierElementDestroy(&el));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGNavierLocal_Host(PlexHDG hdg, const PlexHDGArgs *args)
{
  PlexHDGNavierArgs    *x = &hdg->navier->args;
  PlexHDGReference      R = hdg->reference;
  const PetscInt        U = R->dim * hdg->elastic->Nu, P = R->Np - 1, n = U + P, T = PlexHDGTraceSize(hdg),
                        size = PlexHDGFactorSize(hdg);
  const PetscBLASInt    bn = (PetscBLASInt)n, bT = (PetscBLASInt)T, one = 1;
  const PetscScalar     unit = 1., zero = 0.;
  PlexHDGElasticElement s;
  PetscReal            *v, *trace;
  PetscBLASInt          info;

  PetscFunctionBegin;
  PetscCall(PlexHDGElasticElementCreate_Private(hdg, args, &s));
  PetscCall(PetscMalloc2(n, &v, T, &trace));
  for (PetscInt e = args->begin; e < args->end; ++e) {
    const PetscReal *LU = &args->factor[(size_t)e * size], *X = LU + n * n, *Q = X + n * T;

    PlexHDGElasticElementSet_Private(&s, e);
    PetscCall(PetscArraycpy(v, &x->f[(size_t)e * U], U));
    PetscCall(PetscArraycpy(v + U, &x->fp[(size_t)e * R->Np + 1], P));
    PetscCallBLAS("LAPACKgetrs",
                  LAPACKgetrs_("N", &bn, &one, LU, &bn, (PetscBLASInt *)x->pivots + (size_t)e * n, v, &bn, &info));
    if (!x->du) {
      PetscReal *b = &args->b[(size_t)e * T];

      PetscCallBLAS("BLASgemv", BLASgemv_("N", &bT, &bn, &unit, Q, &bT, v, &one, &zero, b, &one));
      PlexHDGNavierHold(&s, PETSC_FALSE, b);
      x->constant[e] = x->fp[(size_t)e * R->Np];
      continue;
    }
    PlexHDGElementSpread_Private(args, R->faces, R->dim * R->Nf, &args->faces[e * R->faces], trace);
    PlexHDGNavierHold(&s, PETSC_FALSE, trace);
    PetscCallBLAS("BLASgemv", BLASgemv_("N", &bn, &bT, &unit, X, &bn, trace, &one, &unit, v, &one));
    PetscCall(PetscArraycpy(&x->du[(size_t)e * U], v, U));
    PetscCall(PetscArraycpy(&x->dp[(size_t)e * R->Np + 1], v + U, P));
    x->dp[(size_t)e * R->Np] = x->constant[e];
  }
  PetscCall(PetscFree2(v, trace));
  PetscCall(PlexHDGElasticElementDestroy_Private(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}
