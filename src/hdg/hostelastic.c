/*
  Local problems of linear elasticity on the host; elastic.c has the method, cuda/hdg/elastic.cuh is the same for
  kernels.

  With Y_l = [D_l^T | F~_l] of the functions U of a component of u and of the faces (D_l)_ij = (U_i, d phi_j/dx_l),
  M = L L^T, X_l = L^-1 Y_l and W_kl = X_k^T X_l, blocks of the matrix for components k, m of (u, -trace) are

    A_km = delta_km mu sum_l W_ll + mu W_mk + lambda W_km + delta_km sum_f tau_f s_f [Pi_f | 1]^T [Pi_f | 1]

  of all functions of an element, [component][Nu], then all of its faces', [face][component][Nf].
*/
#include "hostelastic.h"
#include <petscblaslapack.h>

PetscErrorCode PlexHDGElasticElementCreate_Private(PlexHDG hdg, const PlexHDGArgs *args, PlexHDGElasticElement *s)
{
  PlexHDGReference R = hdg->reference;

  PetscFunctionBegin;
  PetscCall(PlexHDGElementCreate_Private(hdg, args, &s->el));
  s->elastic = hdg->elastic;
  s->dim     = R->dim;
  s->Np      = R->Np;
  s->Nu      = hdg->elastic->Nu;
  s->Nf      = R->Nf;
  s->Nt      = R->Nt;
  s->n       = s->Nu + s->Nt;
  PetscCall(PetscMalloc4(s->dim * s->n * s->Np, &s->Y, s->Np * s->Np, &s->M, s->n * s->n, &s->W,
                         s->dim * s->dim * s->Np, &s->G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGElasticElementDestroy_Private(PlexHDGElasticElement *s)
{
  PetscFunctionBegin;
  PetscCall(PetscFree4(s->Y, s->M, s->W, s->G));
  PetscCall(PlexHDGElementDestroy_Private(&s->el));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void PlexHDGElasticElementSet_Private(PlexHDGElasticElement *s, PetscInt e)
{
  PlexHDGReference          R    = s->el.hdg->reference;
  const PlexHDGElasticArgs *args = &s->elastic->args;

  PlexHDGElementSet_Private(&s->el, e);
  s->lambda = args->material[2 * e];
  s->mu     = args->material[2 * e + 1];
  for (PetscInt f = 0; f < R->faces; ++f) {
    const int at    = args->held ? args->held[e * R->faces + f] : -1;
    PetscReal ratio = s->el.affine ? s->el.s[f] : 0.;

    for (PetscInt q = 0; !s->el.affine && q < R->Nqf; ++q) ratio += s->el.ws[f * R->Nqf + q] / s->elastic->area;
    s->ts[f]    = s->el.tau[f] * ratio;
    s->held[f]  = at < 0 ? 0 : args->bits[at];
    s->known[f] = at < 0 ? NULL : &args->known[(size_t)at * s->dim * s->Nf];
  }
}

/* Q of face f as the element sees it, [Nf][Nu] */
const PetscReal *PlexHDGElasticQ_Private(const PlexHDGElasticElement *s, PetscInt f)
{
  return &s->elastic->args.Q[(size_t)(f * s->el.hdg->reference->turns + s->el.turns[f]) * s->Nf * s->Nu];
}

/* Y and M, of which an affine element's is a multiple of the identity */
void PlexHDGElasticFormY_Private(PlexHDGElasticElement *s)
{
  PlexHDGReference          R    = s->el.hdg->reference;
  const PlexHDGElement     *el   = &s->el;
  const PlexHDGElasticArgs *args = &s->elastic->args;
  const PetscInt            Np = s->Np, Nu = s->Nu, Nf = s->Nf, size = s->n * Np;
  const PetscBool           affine = el->affine;

  for (PetscInt k = 0; k < s->dim * size; ++k) s->Y[k] = 0.;
  for (PetscInt l = 0; l < s->dim; ++l) {
    PetscReal *Y = &s->Y[l * size];

    for (PetscInt a = 0; affine && a < s->dim; ++a)
      for (PetscInt i = 0; i < Np; ++i)
        for (PetscInt j = 0; j < Nu; ++j) Y[j * Np + i] += el->detJ * el->rx[a][l] * args->D[(a * Np + i) * Nu + j];
    for (PetscInt q = 0; !affine && q < R->Nq; ++q)
      for (PetscInt j = 0; j < Nu; ++j)
        for (PetscInt i = 0; i < Np; ++i)
          Y[j * Np + i] += el->w[q] * args->U[q * Nu + j] * el->gradient[(l * R->Nq + q) * Np + i];
    for (PetscInt f = 0; f < R->faces; ++f) {
      PetscReal       *column = &Y[(Nu + f * Nf) * Np];
      const PetscReal *psi    = &R->psi[el->turns[f] * R->Nqf * Nf],
                      *F      = affine ? &args->F[(size_t)(f * R->turns + el->turns[f]) * Np * Nf] : NULL;

      for (PetscInt m = 0; affine && m < Nf; ++m)
        for (PetscInt i = 0; i < Np; ++i) column[m * Np + i] = el->N[f][l] * F[i * Nf + m];
      for (PetscInt q = 0; !affine && q < R->Nqf; ++q)
        for (PetscInt m = 0; m < Nf; ++m)
          for (PetscInt i = 0; i < Np; ++i)
            column[m * Np + i] += el->wn[(f * R->Nqf + q) * s->dim + l] * psi[q * Nf + m] *
                                  R->phiFace[(f * R->Nqf + q) * Np + i];
    }
  }
  for (PetscInt i = 0; i < Np; ++i) {
    for (PetscInt j = 0; j < Np; ++j) {
      PetscReal sum = affine && i == j ? el->detJ : 0.;

      for (PetscInt q = 0; !affine && q < R->Nq; ++q) sum += el->wphi[q * Np + i] * R->phi[q * Np + j];
      s->M[i * Np + j] = sum;
    }
  }
}

/* L of M */
static PetscErrorCode PlexHDGElasticFactorM(PlexHDGElasticElement *s)
{
  const PetscBLASInt Np = (PetscBLASInt)s->Np;
  PetscBLASInt       info;

  PetscFunctionBegin;
  PetscCallBLAS("LAPACKpotrf", LAPACKpotrf_("U", &Np, s->M, &Np, &info));
  PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_MAT_CH_ZRPVT,
             "The mass matrix of cell %" PetscInt_FMT " is not positive definite", s->el.hdg->mesh->cells[s->el.e]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where function r of component k is among all: negative, -1 - its place among those of faces, where it is one of
   these */
static PetscInt PlexHDGElasticPlace(const PlexHDGElasticElement *s, PetscInt k, PetscInt r)
{
  const PetscInt t = r - s->Nu;

  return t < 0 ? k * s->Nu + r : -1 - ((t / s->Nf * s->dim + k) * s->Nf + t % s->Nf);
}

/* Adds a W to block (k, m) of the matrix in SR[dim n][dim Nu], columns one after the other, and H[dim Nt][dim Nt] */
static void PlexHDGElasticAdd(const PlexHDGElasticElement *s, PetscInt k, PetscInt m, PetscReal a, PetscBool transposed,
                              PetscReal SR[], PetscReal H[])
{
  const PetscInt rows = s->dim * s->Nu;

  for (PetscInt c = 0; c < s->n; ++c) {
    const PetscInt j = PlexHDGElasticPlace(s, m, c);

    for (PetscInt r = 0; r < s->n; ++r) {
      const PetscInt  i = PlexHDGElasticPlace(s, k, r);
      const PetscReal v = a * s->W[transposed ? r * s->n + c : c * s->n + r];

      if (i >= 0) SR[(j >= 0 ? j : rows - 1 - j) * rows + i] += v;
      else if (j < 0) H[(-1 - j) * s->dim * s->Nt - 1 - i] += v;
    }
  }
}

/* The stabilization, for all components */
static void PlexHDGElasticAddTau(const PlexHDGElasticElement *s, PetscReal SR[], PetscReal H[])
{
  const PetscInt dim = s->dim, Nu = s->Nu, Nf = s->Nf, rows = dim * Nu;

  for (PetscInt f = 0; f < s->el.faces; ++f) {
    const PetscReal *E = &s->elastic->args.E[f * Nu * Nu], *Q = PlexHDGElasticQ_Private(s, f);

    for (PetscInt k = 0; k < dim; ++k) {
      const PetscInt first = (f * dim + k) * Nf;

      for (PetscInt j = 0; j < Nu; ++j)
        for (PetscInt i = 0; i < Nu; ++i) SR[(k * Nu + j) * rows + k * Nu + i] += s->ts[f] * E[j * Nu + i];
      for (PetscInt m = 0; m < Nf; ++m) {
        for (PetscInt i = 0; i < Nu; ++i) SR[(rows + first + m) * rows + k * Nu + i] += s->ts[f] * Q[m * Nu + i];
        H[(first + m) * (dim * s->Nt + 1)] += s->ts[f];
      }
    }
  }
}

PetscErrorCode PlexHDGElasticBuild_Private(PlexHDGElasticElement *s, PetscReal lambda, PetscReal shear, PetscReal mu,
                                           PetscReal SR[], PetscReal H[])
{
  const PetscInt     dim = s->dim, size = s->n * s->Np;
  const PetscScalar  one = 1., zero = 0.;
  const PetscBLASInt Np = (PetscBLASInt)s->Np, n = (PetscBLASInt)s->n;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(SR, dim * s->n * dim * s->Nu));
  PetscCall(PetscArrayzero(H, PetscSqr(dim * s->Nt)));
  PetscCall(PlexHDGElasticFactorM(s));
  for (PetscInt l = 0; l < dim; ++l)
    PetscCallBLAS("BLAStrsm", BLAStrsm_("L", "U", "T", "N", &Np, &n, &one, s->M, &Np, &s->Y[l * size], &Np));
  for (PetscInt k = 0; k < dim; ++k) {
    for (PetscInt l = 0; l < dim; ++l) {
      if (k != l && lambda == 0. && shear == 0.) continue;
      /* W_kl */
      PetscCallBLAS("BLASgemm", BLASgemm_("T", "N", &n, &n, &Np, &one, &s->Y[k * size], &Np, &s->Y[l * size], &Np,
                                          &zero, s->W, &n));
      if (lambda != 0.) PlexHDGElasticAdd(s, k, l, lambda, PETSC_FALSE, SR, H);
      if (shear != 0.) PlexHDGElasticAdd(s, k, l, shear, PETSC_TRUE, SR, H);
      for (PetscInt m = 0; k == l && m < dim; ++m) PlexHDGElasticAdd(s, m, m, mu, PETSC_FALSE, SR, H);
    }
  }
  PlexHDGElasticAddTau(s, SR, H);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* SR = [S | R] and H of an element, all of both */
static PetscErrorCode PlexHDGElasticBuild(PlexHDGElasticElement *s, PetscReal SR[], PetscReal H[])
{
  PetscFunctionBegin;
  PlexHDGElasticFormY_Private(s);
  PetscCall(PlexHDGElasticBuild_Private(s, s->lambda, s->mu, s->mu, SR, H));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Rows and columns of K of components that are known: tau s times the identity */
void PlexHDGElasticHold_Private(const PlexHDGElasticElement *s, PetscReal K[])
{
  const PetscInt N = s->dim * s->Nt;

  for (PetscInt f = 0; f < s->el.faces; ++f) {
    for (PetscInt t = f * s->dim * s->Nf; t < (f + 1) * s->dim * s->Nf; ++t) {
      if (!(s->held[f] >> (t / s->Nf % s->dim) & 1)) continue;
      for (PetscInt i = 0; i < N; ++i) K[i * N + t] = K[t * N + i] = i == t ? s->ts[f] : 0.;
    }
  }
}

PetscErrorCode PlexHDGElasticCondense_Host(PlexHDG hdg, const PlexHDGArgs *args)
{
  PlexHDGElasticElement s;
  const PetscInt        Nt = PlexHDGTraceSize(hdg), Nu = hdg->reference->dim * hdg->elastic->Nu;
  PetscReal            *own;

  PetscFunctionBegin;
  PetscCall(PlexHDGElasticElementCreate_Private(hdg, args, &s));
  PetscCall(PetscMalloc1((Nu + Nt) * Nu, &own));
  for (PetscInt e = args->begin; e < args->end && *args->bad < 0; ++e) {
    PetscReal *K  = &args->K[(size_t)(e - args->begin) * Nt * Nt],
              *SR = args->factor ? &args->factor[(size_t)(e - args->begin) * (Nu + Nt) * Nu] : own;

    PlexHDGElasticElementSet_Private(&s, e);
    PetscCall(PlexHDGElasticBuild(&s, SR, K));
    PetscCall(PlexHDGCondenseElement_Private(args, e, Nu, Nt, SR, K));
    PlexHDGElasticHold_Private(&s, K);
  }
  PetscCall(PetscFree(own));
  PetscCall(PlexHDGElasticElementDestroy_Private(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGElasticGradient_Private(PlexHDGElasticElement *s, const PetscReal u[], const PetscReal trace[],
                                              PetscReal G[])
{
  const PetscInt     dim = s->dim, Np = s->Np, size = s->n * Np;
  const PetscBLASInt bNp = (PetscBLASInt)Np, columns = (PetscBLASInt)(dim * dim);
  PetscBLASInt       info;

  PetscFunctionBegin;
  PlexHDGElasticFormY_Private(s);
  PetscCall(PetscArrayzero(G, dim * dim * Np));
  for (PetscInt k = 0; k < dim; ++k) {
    for (PetscInt l = 0; l < dim; ++l) {
      for (PetscInt c = 0; c < s->n; ++c) {
        const PetscInt  t = c - s->Nu;
        const PetscReal v = t < 0 ? -u[k * s->Nu + c] : trace[(t / s->Nf * dim + k) * s->Nf + t % s->Nf];

        for (PetscInt i = 0; i < Np; ++i) G[(k * dim + l) * Np + i] += v * s->Y[l * size + c * Np + i];
      }
    }
  }
  PetscCall(PlexHDGElasticFactorM(s));
  PetscCallBLAS("LAPACKpotrs", LAPACKpotrs_("U", &bNp, &columns, s->M, &bNp, G, &bNp, &info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGElasticWrite_Private(const PlexHDGElasticElement *s, const PetscReal u[], PetscReal to[])
{
  const PetscInt Npost = s->el.hdg->reference->Npost;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(to, s->dim * Npost));
  for (PetscInt k = 0; k < s->dim; ++k)
    for (PetscInt j = 0; j < s->Nu; ++j) to[k * Npost + s->elastic->functions[j]] = u[k * s->Nu + j];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* sigma[nab][Np] of u[dim][Nu] and trace[faces][dim][Nf] */
static PetscErrorCode PlexHDGElasticStress(PlexHDGElasticElement *s, const PetscReal u[], const PetscReal trace[],
                                           PetscReal sigma[])
{
  const PetscInt dim = s->dim, Np = s->Np;
  PetscReal     *G = s->G;

  PetscFunctionBegin;
  PetscCall(PlexHDGElasticGradient_Private(s, u, trace, G));
  for (PetscInt i = 0; i < Np; ++i) {
    PetscReal trG = 0.;
    PetscInt  ab  = 0;

    for (PetscInt k = 0; k < dim; ++k) trG += G[k * (dim + 1) * Np + i];
    for (PetscInt k = 0; k < dim; ++k)
      for (PetscInt l = k; l < dim; ++l, ++ab)
        sigma[ab * Np + i] = s->mu * (G[(k * dim + l) * Np + i] + G[(l * dim + k) * Np + i]) +
                             (k == l ? s->lambda * trG : 0.);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* b = <psi, tau (Pi u - trace) - sigma n>; of components that are known what their rows of K have */
static void PlexHDGElasticFlows(const PlexHDGElasticElement *s, const PetscReal u[], const PetscReal trace[],
                                const PetscReal sigma[], PetscReal b[])
{
  static const int place[2][3][3] = {
    {{0, 1, 0}, {1, 2, 0}, {0, 0, 0}},
    {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}}
  };
  const PetscInt dim = s->dim, Np = s->Np, Nf = s->Nf, size = s->n * Np;

  for (PetscInt f = 0; f < s->el.faces; ++f) {
    const PetscReal *Q = PlexHDGElasticQ_Private(s, f);

    for (PetscInt k = 0; k < dim; ++k) {
      for (PetscInt m = 0; m < Nf; ++m) {
        const PetscInt t   = (f * dim + k) * Nf + m;
        PetscReal      sum = -s->ts[f] * trace[t];

        for (PetscInt j = 0; j < s->Nu; ++j) sum += s->ts[f] * Q[m * s->Nu + j] * u[k * s->Nu + j];
        for (PetscInt l = 0; l < dim; ++l) {
          const PetscReal *Y = &s->Y[l * size + (s->Nu + f * Nf + m) * Np], *S = &sigma[place[dim - 2][k][l] * Np];

          for (PetscInt i = 0; i < Np; ++i) sum -= Y[i] * S[i];
        }
        b[t] = s->held[f] >> k & 1 ? s->ts[f] * s->known[f][k * Nf + m] : sum;
      }
    }
  }
}

PetscErrorCode PlexHDGElasticLocal_Host(PlexHDG hdg, const PlexHDGArgs *args)
{
  PlexHDGReference      R = hdg->reference;
  PlexHDGElasticElement s;
  const PetscInt        dim = R->dim, Nt = PlexHDGTraceSize(hdg), Nu = dim * hdg->elastic->Nu, nq = PlexHDGSizeQ(hdg);
  PetscReal            *SR, *H, *trace, *u, *sigma;

  PetscFunctionBegin;
  PetscCall(PlexHDGElasticElementCreate_Private(hdg, args, &s));
  PetscCall(PetscMalloc5((Nu + Nt) * Nu, &SR, Nt * Nt, &H, Nt, &trace, Nu, &u, nq, &sigma));
  for (PetscInt e = args->begin; e < args->end && *args->bad < 0; ++e) {
    PetscReal *own = args->factor ? &args->factor[(size_t)(e - args->begin) * (Nu + Nt) * Nu] : SR;

    PlexHDGElasticElementSet_Private(&s, e);
    PlexHDGElementSpread_Private(args, R->faces, dim * R->Nf, &args->faces[e * R->faces], trace);
    for (PetscInt t = 0; t < Nt; ++t) {
      const PetscInt f = t / (dim * R->Nf), of = t % (dim * R->Nf);

      if (s.held[f] >> (of / R->Nf) & 1) trace[t] = s.known[f][of];
    }
    if (!args->factor) PetscCall(PlexHDGElasticBuild(&s, SR, H));
    PetscCall(PlexHDGSolveElement_Private(args, e, Nu, Nt, (PetscBool)(args->factor != NULL), own,
                                          args->f ? &args->f[(size_t)e * Nu] : NULL, trace, u));
    if (args->u) PetscCall(PlexHDGElasticWrite_Private(&s, u, &args->u[(size_t)e * dim * R->Npost]));
    if (!args->q && !args->b) continue;
    PetscCall(PlexHDGElasticStress(&s, u, trace, sigma));
    if (args->q) PetscCall(PetscArraycpy(&args->q[(size_t)e * nq], sigma, nq));
    if (args->b) PlexHDGElasticFlows(&s, u, trace, sigma, &args->b[(size_t)e * Nt]);
  }
  PetscCall(PetscFree5(SR, H, trace, u, sigma));
  PetscCall(PlexHDGElasticElementDestroy_Private(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}
