/*
  The impedance of a good conductor's surface, as a sum of poles. With z = i w, sigma, mu and epsilon of the metal, fields
  decay in it along the normal, whatever the wave outside is, as 1/sqrt(z mu (sigma + z epsilon)) is short: tangential fields
  are E = Z H x n (M. A. Leontovich, 1948),

    Z(z) = sqrt(z mu/(sigma + z epsilon)) = R - sum r_k p_k/(z + p_k) = Z_0 + sum r_k z/(z + p_k),   R = Z_0 + sum r_k

  The function has no other singularities than its cut from -sigma/epsilon to 0, and is there an integral of z/(z + p) with
  positive weights, so that such sums approach it with r_k > 0: each term is a resistance and an inductance in parallel, which
  take energy and give none. Poles are a geometric sequence, residues the least squares of relative errors at Chebyshev points
  of log w; ends of the sequence are tried, and numbers of poles from 1 on, until the largest error is small enough at other
  frequencies between. Sequences with a negative residue are left out.
*/
#include "dgimpl.h" /*I "plexgpudg.h" I*/
#include <petscblaslapack.h>
#include <complex.h>

#define PLEX_CONDUCTOR_ERROR   1e-3 /* relative, at most */
#define PLEX_CONDUCTOR_POINTS  40   /* frequencies of the fit */
#define PLEX_CONDUCTOR_CHECKS  241  /* frequencies that it is checked at */
#define PLEX_CONDUCTOR_TRIES   13   /* places of each end of the sequence, a factor of 10^(1/8) apart */
#define PLEX_CONDUCTOR_GOOD    10.  /* times epsilon w is sigma at least */
#define PLEX_CONDUCTOR_COLUMNS (PLEX_IMPEDANCE_POLES + 1)
#define PLEX_CONDUCTOR_WORK    4096 /* of the least squares */

typedef double _Complex PlexNumber;

/* The impedance at w, over that of the frequency 1 in a metal without epsilon; a = sigma/epsilon, 0: without end */
static PlexNumber PlexConductorImpedance(PetscReal a, PetscReal w)
{
  return csqrt(I * w / (1. + (a > 0. ? I * w / a : 0.)));
}

/* x[0] = Z_0 and residues x[1..n] of the poles p[n], for w from 1/range to range; the largest relative error, or a large
   number where one of x[] is negative */
static PetscReal PlexConductorTry(PetscReal a, PetscReal range, PetscInt n, const PetscReal p[], PetscReal x[])
{
  const PetscBLASInt rows = 2 * PLEX_CONDUCTOR_POINTS, columns = (PetscBLASInt)n + 1, one = 1,
                     lwork = PLEX_CONDUCTOR_WORK;
  PetscScalar        A[2 * PLEX_CONDUCTOR_POINTS * PLEX_CONDUCTOR_COLUMNS], b[2 * PLEX_CONDUCTOR_POINTS],
    work[PLEX_CONDUCTOR_WORK];
  PetscReal    error = 0.;
  PetscBLASInt info;

  for (PetscInt i = 0; i < PLEX_CONDUCTOR_POINTS; ++i) {
    const PetscReal  w = PetscPowReal(range, cos(PETSC_PI * (i + 0.5) / PLEX_CONDUCTOR_POINTS));
    const PlexNumber Z = PlexConductorImpedance(a, w);

    for (PetscInt k = 0; k <= n; ++k) {
      const PlexNumber value = (k ? I * w / (I * w + p[k - 1]) : 1.) / Z;

      A[2 * i * (n + 1) + k]       = creal(value);
      A[(2 * i + 1) * (n + 1) + k] = cimag(value);
    }
    b[2 * i]     = 1.;
    b[2 * i + 1] = 0.;
  }
  /* rows are columns to LAPACK */
  LAPACKgels_(PetscDefined(USE_COMPLEX) ? "C" : "T", &columns, &rows, &one, A, &columns, b, &rows, work, &lwork, &info);
  if (info) return PETSC_MAX_REAL;
  for (PetscInt k = 0; k <= n; ++k) x[k] = PetscRealPart(b[k]);
  for (PetscInt k = 0; k <= n; ++k)
    if (!(x[k] >= 0.)) return PETSC_MAX_REAL;
  for (PetscInt i = 0; i < PLEX_CONDUCTOR_CHECKS; ++i) {
    const PetscReal w   = PetscPowReal(range, -1. + 2. * i / (PLEX_CONDUCTOR_CHECKS - 1));
    PlexNumber      sum = x[0];

    for (PetscInt k = 0; k < n; ++k) sum += x[1 + k] * I * w / (I * w + p[k]);
    error = PetscMax(error, cabs(sum / PlexConductorImpedance(a, w) - 1.));
  }
  return error;
}

/*@
  PlexDGFitConductor - Finds the poles of the impedance of a good conductor's surface, in a band of frequencies

  Not Collective

  Input Parameter:
. conductor - [5] conductivity sigma, the least and the largest angular frequency of the band, mu, epsilon

  Output Parameters:
+ n          - number of poles
. resistance - R, at infinite frequency
. residues   - [16] r_k > 0, the first n of them
. poles      - [16] p_k > 0, 1/time
- error      - the largest relative error in the band, at most 1e-3

  Level: intermediate

  Example:
.vb
  const PetscReal copper[] = {5.8e7, 6e9, 6e10, 4e-7 * PETSC_PI, 8.854e-12};
  PetscReal       R, r[16], p[16], error;
  PetscInt        n;

  PetscCall(PlexDGFitConductor(copper, &n, &R, r, p, &error));
.ve

  Note:
  Z(w) = sqrt(i w mu/(sigma + i w epsilon)) is R - sum r_k p_k/(i w + p_k) (fields as exp(i w t)), and R - sum r_k >= 0, so
  that a boundary with this impedance takes energy at all frequencies. sigma is at least 10 epsilon w in the band. A band that
  needs more than 16 poles, of five decades or so, is an error.

.seealso: `PlexDG`, `PlexDGAddBoundary()`
@*/
PetscErrorCode PlexDGFitConductor(const PetscReal conductor[], PetscInt *n, PetscReal *resistance, PetscReal residues[],
                                  PetscReal poles[], PetscReal *error)
{
  const PetscReal sigma = conductor[0], from = conductor[1], to = conductor[2], mu = conductor[3],
                  epsilon = conductor[4], middle = PetscSqrtReal(from * to), range = PetscSqrtReal(to / from),
                  size = PetscSqrtReal(middle * mu / sigma), a = epsilon > 0. ? sigma / (epsilon * middle) : 0.;

  PetscFunctionBegin;
  PetscAssertPointer(conductor, 1);
  PetscAssertPointer(n, 2);
  PetscAssertPointer(resistance, 3);
  PetscAssertPointer(residues, 4);
  PetscAssertPointer(poles, 5);
  PetscAssertPointer(error, 6);
  PetscCheck(sigma > 0. && sigma < PETSC_INFINITY && from > 0. && from < to && to < PETSC_INFINITY && mu > 0. &&
               mu < PETSC_INFINITY && epsilon >= 0. && epsilon < PETSC_INFINITY,
             PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "A conductor of sigma %g, mu %g and epsilon %g from angular frequency %g to %g: sigma, mu and the first "
             "frequency have to be more than 0, and the second one more than the first",
             (double)sigma, (double)mu, (double)epsilon, (double)from, (double)to);
  PetscCheck(sigma >= PLEX_CONDUCTOR_GOOD * epsilon * to, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "A conductor of sigma %g and epsilon %g is none at angular frequency %g, where waves enter it at any "
             "angle: "
             "sigma has to be %g epsilon times that; mesh it, and use -plex_dg_material",
             (double)sigma, (double)epsilon, (double)to, PLEX_CONDUCTOR_GOOD);
  *error = PETSC_MAX_REAL;
  for (*n = 1; *n <= PLEX_IMPEDANCE_POLES; ++*n) {
    for (int i = 0; i < PLEX_CONDUCTOR_TRIES * PLEX_CONDUCTOR_TRIES; ++i) {
      PetscReal p[PLEX_IMPEDANCE_POLES], x[PLEX_CONDUCTOR_COLUMNS], last, first, now;

      last = range * PetscPowReal(10., 1. - (i / PLEX_CONDUCTOR_TRIES) / 8.);
      if (a > 0.) last = PetscMin(last, 0.95 * a);
      first = PetscMin(PetscPowReal(10., 0.5 - (i % PLEX_CONDUCTOR_TRIES) / 8.) / range, 0.5 * last);
      for (PetscInt k = 0; k < *n; ++k) p[k] = last * PetscPowReal(first / last, *n > 1 ? (PetscReal)k / (*n - 1) : 0.);
      now = PlexConductorTry(a, range, *n, p, x);
      if (now >= *error) continue;
      *error      = now;
      *resistance = size * x[0];
      for (PetscInt k = 0; k < *n; ++k) {
        poles[k]    = middle * p[k];
        residues[k] = size * x[1 + k];
        *resistance += residues[k];
      }
    }
    if (*error <= PLEX_CONDUCTOR_ERROR) PetscFunctionReturn(PETSC_SUCCESS);
  }
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
          "The impedance of a conductor of sigma %g from angular frequency %g to %g has a relative error of %g with %d "
          "poles, and is to have %g: use a narrower band",
          (double)sigma, (double)from, (double)to, (double)*error, PLEX_IMPEDANCE_POLES, PLEX_CONDUCTOR_ERROR);
}

PetscErrorCode PlexDGConductorFind_Private(PlexDG dg, const char numbers[], int *conductor)
{
  PetscReal        given[PLEX_DG_CONDUCTOR_NUMBERS] = {0., 0., 0., dg->uniform[1], dg->uniform[0]};
  PetscInt         n                                = 0;
  PetscBool        same = PETSC_FALSE, good = PETSC_TRUE;
  PlexDGConductor *c;
  const char      *at = numbers;

  PetscFunctionBegin;
  for (; *at && n < PLEX_DG_CONDUCTOR_NUMBERS && good; ++n) {
    char *end;

    given[n] = (PetscReal)strtod(at, &end);
    good     = (PetscBool)(end > at && (!*end || (*end == ',' && end[1])));
    at       = *end ? end + 1 : end;
  }
  PetscCheck(good && !*at && n >= 3, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_OUTOFRANGE,
             "Boundary condition conductor needs sigma,from,to[,mu[,epsilon]], a conductivity and a band of angular "
             "frequencies, as conductor:1e4,1,10, not %s",
             *numbers ? numbers : "none");
  for (*conductor = 0; *conductor < dg->nconductors; ++*conductor) {
    PetscCall(PetscArraycmp(given, dg->conductors[*conductor].given, PLEX_DG_CONDUCTOR_NUMBERS, &same));
    if (same) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscRealloc(sizeof(*c) * (size_t)(dg->nconductors + 1), &dg->conductors));
  c = &dg->conductors[dg->nconductors];
  PetscCall(PetscMemzero(c, sizeof(*c)));
  PetscCall(PetscArraycpy(c->given, given, PLEX_DG_CONDUCTOR_NUMBERS));
  PetscCall(PlexDGFitConductor(c->given, &c->n, &c->resistance, c->residues, c->poles, &c->error));
  ++dg->nconductors;
  PetscFunctionReturn(PETSC_SUCCESS);
}
