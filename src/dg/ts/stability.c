/*
  How long a step an explicit method of Runge-Kutta type is stable with, compared to the classical one, for which the step
  of PlexDGComputeTimeStep() is.

  In a linear equation u' = z u a step is u -> R(z) u, and R, a polynomial, follows from the method's coefficients:

    R(z) = 1 + sum_k z^k b.A^(k-1) 1

  A step h is stable where |R(h lambda)| <= 1 for all eigenvalues lambda of the operator. These are modeled by those of
  u_t + u_x = 0 on equal elements, whose solutions are waves e^(i theta) from an element to the next,

    u_i' = (phi_i', u) - phi_i(1) u*(1) + phi_i(-1) u*(-1)     phi_i orthonormal Legendre polynomials on [-1, 1]

  with the numerical flux u* = {u} + alpha/2 (u- - u+). Of two methods on one mesh the quotient of the longest steps is that
  of the model: with the upwind flux to 2 % for acoustics on triangles and tetrahedra. With alpha < 1 steps of the model are
  shorter than those there, by 10 to 40 %.
*/
#include "tsimpl.h"
#include <petscblaslapack.h>

#define PLEX_STABLE_DEGREE 10 /* DG with quadrature */
#define PLEX_STABLE_PHASES 25 /* theta in [0, pi]; those of -theta are complex conjugates */
#define PLEX_STABLE_STEPS  400
#define PLEX_STABLE_GROWTH 1e-6 /* of a step that counts as stable: one by e in a million steps */
#define PLEX_STABLE_ROOM   0.9  /* of longer steps than the default to the longest that are stable */
/* methods that are stable with much shorter steps alone, as those of order one and two at high degrees, are for other
   problems: the step is that of all others, and the watch of the TS says what the method is */
#define PLEX_STABLE_LEAST 0.05

#define PLEX_STABLE_MOST ((PLEX_STABLE_DEGREE + 1) * PLEX_STABLE_PHASES)

/* Eigenvalues of the model, n of them */
typedef struct {
  PetscInt  n;
  PetscReal re[2 * PLEX_STABLE_MOST], im[2 * PLEX_STABLE_MOST], largest;
} PlexSpectrum;

/* S_ij = (phi_i', phi_j) of phi_i = sqrt(i + 1/2) P_i: P_i' is the sum of (2j + 1) P_j over j = i - 1, i - 3, ... */
static PetscReal PlexModelVolume(PetscInt i, PetscInt j)
{
  return j < i && (i - j) % 2 ? 2. * PetscSqrtReal((i + 0.5) * (j + 0.5)) : 0.;
}

/* The matrix of a phase is X + iY; as a real one [[X, -Y], [Y, X]] it has its eigenvalues and their conjugates */
static PetscErrorCode PlexModelAdd(PetscInt N, PetscReal alpha, PetscReal theta, PlexSpectrum *spectrum)
{
  const PetscInt  n = N + 1;
  const PetscReal c = PetscCosReal(theta), s = PetscSinReal(theta), minus = 0.5 * (1. - alpha),
                  plus = 0.5 * (1. + alpha);
  PetscScalar     M[4 * (PLEX_STABLE_DEGREE + 1) * (PLEX_STABLE_DEGREE + 1)], work[16 * 2 * (PLEX_STABLE_DEGREE + 1)];
  PetscReal       re[2 * (PLEX_STABLE_DEGREE + 1)], im[2 * (PLEX_STABLE_DEGREE + 1)];
  PetscBLASInt    size, lwork, info, one = 1;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i)
    for (PetscInt j = 0; j < n; ++j) {
      /* phi_i, phi_j at the right end, where signs are 1, and at the left end */
      const PetscReal both = PetscSqrtReal((i + 0.5) * (j + 0.5)), left = i % 2 ? -1. : 1., right = j % 2 ? -1. : 1.;
      /* - phi_i(1) u*(1) + phi_i(-1) u*(-1), of u- and u+: this element, the next one e^(i theta), the one before
         e^(-i theta) */
      const PetscReal X = PlexModelVolume(i, j) +
                          both * (-plus - minus * right * c + left * plus * c + left * right * minus),
                      Y = both * (-minus * right * s - left * plus * s);

      M[(j + 0) * 2 * n + i]     = X;
      M[(j + n) * 2 * n + i]     = -Y;
      M[(j + 0) * 2 * n + n + i] = Y;
      M[(j + n) * 2 * n + n + i] = X;
    }
  PetscCall(PetscBLASIntCast(2 * n, &size));
  PetscCall(PetscBLASIntCast((PetscInt)PETSC_STATIC_ARRAY_LENGTH(work), &lwork));
#if !PetscDefined(USE_COMPLEX)
  PetscCallBLAS("LAPACKgeev",
                LAPACKgeev_("N", "N", &size, M, &size, re, im, NULL, &one, NULL, &one, work, &lwork, &info));
#else
  info = -1; /* there is no DG with complex scalars */
#endif
  PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_LIB, "Eigenvalues are not found: LAPACK geev gives %d", (int)info);
  for (PetscInt k = 0; k < 2 * n; ++k) {
    if (im[k] < 0.) continue;
    spectrum->re[spectrum->n]   = re[k];
    spectrum->im[spectrum->n++] = im[k];
    spectrum->largest           = PetscMax(spectrum->largest, PetscSqrtReal(re[k] * re[k] + im[k] * im[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexModelGetSpectrum(PetscInt N, PetscReal alpha, PlexSpectrum *spectrum)
{
  PetscFunctionBegin;
  spectrum->n       = 0;
  spectrum->largest = 0.;
  for (PetscInt k = 0; k < PLEX_STABLE_PHASES; ++k)
    PetscCall(PlexModelAdd(N, alpha, PETSC_PI * (PetscReal)k / (PLEX_STABLE_PHASES - 1), spectrum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The longest step that is stable, as all shorter ones are */
static PetscReal PlexStableStep(PetscInt n, const PetscReal R[], const PlexSpectrum *spectrum)
{
  const PetscReal most = (PetscReal)(2 * n) / spectrum->largest; /* |z|^n/n! outgrows the rest */

  for (PetscInt k = 1; k <= PLEX_STABLE_STEPS; ++k) {
    const PetscReal h = most * (PetscReal)k / PLEX_STABLE_STEPS;

    for (PetscInt e = 0; e < spectrum->n; ++e) {
      const PetscReal x = h * spectrum->re[e], y = h * spectrum->im[e];
      PetscReal       a = 0., b = 0.;

      for (PetscInt i = n; i >= 0; --i) {
        const PetscReal t = a * x - b * y + R[i];

        b = a * y + b * x;
        a = t;
      }
      if (!(a * a + b * b <= 1. + 2. * PLEX_STABLE_GROWTH)) return most * (PetscReal)(k - 1) / PLEX_STABLE_STEPS;
    }
  }
  return most;
}

/* R[n + 1] of a TSRK, from A[s][s] and b[s] */
static void PlexStabilityOfTableau(PetscInt s, const PetscReal A[], const PetscReal b[], PetscReal tall[],
                                   PetscReal R[])
{
  for (PetscInt i = 0; i < s; ++i) tall[i] = 1.;
  R[0] = 1.;
  for (PetscInt k = 1; k <= s; ++k) {
    R[k] = 0.;
    for (PetscInt i = 0; i < s; ++i) R[k] += b[i] * tall[i];
    for (PetscInt i = s - 1; i >= 0; --i) { /* A is strictly lower triangular */
      PetscReal sum = 0.;

      for (PetscInt j = 0; j < i; ++j) sum += A[i * s + j] * tall[j];
      tall[i] = sum;
    }
  }
}

/* R of the method of a TS; n 0: not known. PetscFree() it */
static PetscErrorCode PlexStabilityOfTS(TS ts, PetscInt *n, PetscReal *R[])
{
  const PetscReal *A, *b;
  PetscReal       *tall;
  PetscBool        rk, euler, lowStorage;

  PetscFunctionBegin;
  *n = 0;
  *R = NULL;
  PetscCall(PetscObjectTypeCompare((PetscObject)ts, TSRK, &rk));
  PetscCall(PetscObjectTypeCompare((PetscObject)ts, TSEULER, &euler));
  PetscCall(PetscObjectTypeCompare((PetscObject)ts, TSPLEXLOWSTORAGE, &lowStorage));
  if (lowStorage) PetscCall(TSLowStorageGetPolynomial_Private(ts, n, R));
  if (euler) {
    *n = 1;
    PetscCall(PetscMalloc1(2, R));
    (*R)[0] = (*R)[1] = 1.;
  }
  if (rk) {
    PetscCall(TSRKGetTableau(ts, n, &A, &b, NULL, NULL, NULL, NULL, NULL));
    PetscCall(PetscMalloc1(*n + 1, R));
    PetscCall(PetscMalloc1(*n, &tall));
    PlexStabilityOfTableau(*n, A, b, tall, *R);
    PetscCall(PetscFree(tall));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The longest stable step of the classical method, whose R is that of e^z to the fourth power, over that which it is given
   by default, for all degrees; on irregular meshes it is more. Eigenvalues of acoustics with the upwind flux, on squares
   in 2 triangles and cubes in 6 tetrahedra: 1.23 to 1.35 in 2D for N = 1 to 4; in 3D 0.99, 1.10, 1.24 for N = 1, 2, 3 */
static PetscReal PlexDGStableMargin(PlexDG dg)
{
  PlexDG parts[2];

  (void)PlexDGGetParts(dg, parts);
  if (parts[0]->mesh->tensor || parts[0]->mesh->dim == 2) return 1.2;
  return dg->degree == 1 ? 0.95 : dg->degree == 2 ? 1.08 : 1.14;
}

/* alpha of the system's flux, 1 where it has none: upwind */
static PetscReal PlexDGStableAlpha(PlexDG dg)
{
  for (PetscInt k = 0, at = 0; k < dg->system->nconstants; at += dg->system->constants[k++].n)
    if (!strcmp(dg->system->constants[k].name, "alpha")) return PetscMin(PetscMax(dg->constants[at], 0.), 1.);
  return 1.;
}

/* A method's R in one number */
static PetscReal PlexStabilitySignature(PetscInt n, const PetscReal R[], PetscReal alpha)
{
  PetscReal sum = alpha, weight = 1.;

  for (PetscInt k = 0; k <= n; ++k) {
    weight *= 1.3;
    sum += weight * R[k];
  }
  return sum;
}

PetscErrorCode PlexDGTSGetMethodFactor_Private(PlexDG dg, TS ts, PetscReal *factor, PetscReal *signature)
{
  const PetscReal classical[] = {1., 1., 1. / 2., 1. / 6., 1. / 24.}, alpha = PlexDGStableAlpha(dg);
  PlexSpectrum   *spectrum;
  PetscReal      *R, before = *signature;
  PetscReal       step;
  PetscInt        n;
  PetscBool       longer;

  PetscFunctionBegin;
  PetscCall(PlexStabilityOfTS(ts, &n, &R));
  *signature = n ? PlexStabilitySignature(n, R, alpha) : 0.;
  if (*signature == before) {
    PetscCall(PetscFree(R));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  *factor = 1.;
  if (n && PetscAbsReal(*signature - PlexStabilitySignature(4, classical, alpha)) > 1e-10) {
    PetscCall(PlexDGTSIsHigh_Private(ts, &longer));
    PetscCall(PetscNew(&spectrum));
    PetscCall(PlexModelGetSpectrum(dg->degree, alpha, spectrum));
    step = PlexStableStep(n, R, spectrum);
    PetscCall(PlexModelGetSpectrum(dg->degree, 1., spectrum));
    *factor = PlexDGStableMargin(dg) * step / PlexStableStep(4, classical, spectrum);
    *factor = longer ? PLEX_STABLE_ROOM * *factor : PetscMin(*factor, 1.);
    if (*factor < PLEX_STABLE_LEAST) *factor = 1.;
    PetscCall(PetscFree(spectrum));
  }
  PetscCall(PetscFree(R));
  PetscFunctionReturn(PETSC_SUCCESS);
}
