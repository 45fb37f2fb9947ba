static char help[] = "The far field from a closed surface: a current's exact pattern, and Mie's series of spheres.\n\n";

#include "ball.h"
#include "dgproblem.h"
#include "report.h"

#define FREQUENCIES 3

typedef struct {
  const char   *backend, *type;
  PlexPrecision precision;
} Way;

static PetscErrorCode Create(DM dm, PetscInt N, const Way *way, PlexDG *dg)
{
  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, "maxwell"));
  PetscCall(PlexDGSetDegree(*dg, N));
  PetscCall(PlexDGSetBackend(*dg, way->backend));
  PetscCall(PlexDGSetType(*dg, way->type));
  PetscCall(PlexDGSetPrecision(*dg, way->precision));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps from 0 to T, with samples of the far fields */
static PetscErrorCode Run(PlexDG dg, PetscReal T, PetscInt every, PetscInt n, PlexDGFarField x[])
{
  TS  ts;
  Vec U;

  PetscFunctionBegin;
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(TSCreate(PetscObjectComm((PetscObject)dg), &ts));
  PetscCall(TSSetType(ts, TSPLEXLOWSTORAGE));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxTime(ts, T));
  PetscCall(TSSetMaxSteps(ts, PETSC_INT_MAX));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  for (PetscInt k = 0; k < n; ++k) PetscCall(PlexDGFarFieldSetTS(x[k], ts, every, PETSC_MIN_REAL));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A current J = P exp(-|x - x0|^2/a^2) g(t) in a medium: far away A = i k Z/(4 pi) (N - r (r.N)),
   N = P pi^(3/2) a^3 exp(-k^2 a^2/4) exp(-i k r.x0) G */

static const PetscReal moment[3] = {0.3, -0.5, 1.}, center[3] = {0.1, -0.05, 0.07}, radius = 0.35, delay = 5.,
                       width = 2., epsilon = 1.5, mu = 0.8;

static PetscErrorCode SetCurrent(PlexDG dg)
{
  PetscFunctionBegin;
  PetscCall(PlexDGSetConstant(dg, "current", 3, moment));
  PetscCall(PlexDGSetConstant(dg, "current_center", 3, center));
  PetscCall(PlexDGSetConstant(dg, "current_radius", 1, &radius));
  PetscCall(PlexDGSetConstant(dg, "current_frequency", 1, &(const PetscReal){2.5}));
  PetscCall(PlexDGSetConstant(dg, "current_delay", 1, &delay));
  PetscCall(PlexDGSetConstant(dg, "current_width", 1, &width));
  PetscCall(PlexDGSetConstant(dg, "epsilon", 1, &epsilon));
  PetscCall(PlexDGSetConstant(dg, "mu", 1, &mu));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void ExactAmplitude(PetscReal w, const PetscReal r[3], PetscReal A[3][2])
{
  const PetscReal  k = w * PetscSqrtReal(epsilon * mu), Z = PetscSqrtReal(mu / epsilon);
  double _Complex  G = 0., N, i = __extension__ 1.0i;
  PetscReal        along = 0., place = 0.;

  for (int s = -4000; s <= 4000; ++s) { /* of cos(2.5 (t - delay)) exp(-(t - delay)^2/width^2) */
    const PetscReal t = s * width / 500.;

    G += width / 500. * PetscCosReal(2.5 * t) * PetscExpReal(-PetscSqr(t / width)) * cexp(i * w * (t + delay));
  }
  for (int d = 0; d < 3; ++d) {
    along += r[d] * moment[d];
    place += r[d] * center[d];
  }
  N = G * PetscPowReal(PETSC_PI, 1.5) * PetscPowReal(radius, 3.) * PetscExpReal(-PetscSqr(k * radius) / 4.) *
      cexp(-i * k * place) * i * k * Z / (4. * PETSC_PI);
  for (int d = 0; d < 3; ++d) {
    A[d][0] = creal(N) * (moment[d] - along * r[d]);
    A[d][1] = cimag(N) * (moment[d] - along * r[d]);
  }
}

static const PetscReal directions[][3] = {
  {1.,   0.,   0.       },
  {0.,   -1.,  0.       },
  {0.,   0.,   1.       },
  {0.6,  0.,   -0.8     },
  {0.48, 0.64, 0.6      },
  {-0.8, 0.36, 0.48     }
};
#define DIRECTIONS ((PetscInt)PETSC_STATIC_ARRAY_LENGTH(directions))

/* The largest difference from the exact amplitudes, over the largest of these at each frequency */
static PetscErrorCode CurrentError(PlexDGFarField x, const PetscReal frequencies[], PetscReal error[])
{
  PetscReal A[FREQUENCIES][6][3][2];

  PetscFunctionBegin;
  PetscCall(PlexDGFarFieldGetAmplitudes(x, DIRECTIONS, &directions[0][0], &A[0][0][0][0]));
  for (int f = 0; f < FREQUENCIES; ++f) {
    PetscReal most = 0.;

    error[f] = 0.;
    for (PetscInt a = 0; a < DIRECTIONS; ++a) {
      PetscReal exact[3][2];

      ExactAmplitude(frequencies[f], directions[a], exact);
      for (int d = 0; d < 6; ++d) {
        error[f] = PetscMax(error[f], PetscAbsReal((&A[f][a][0][0])[d] - (&exact[0][0])[d]));
        most     = PetscMax(most, PetscAbsReal((&exact[0][0])[d]));
      }
    }
    error[f] /= most;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestCurrent(void)
{
  const PetscReal radii[] = {0., 0.5, 1.1, 2., 3.2}, frequencies[FREQUENCIES] = {2., 2.5, 3.};
  const Way       way = {PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE};
  DM              dm;
  PlexDG          dg;
  PlexDGFarField  x[3];
  PetscReal       error[3][FREQUENCIES];

  PetscFunctionBegin;
  PetscCall(PlexTestBall(PETSC_COMM_WORLD, 4, radii, 0, &dm));
  PetscCall(PlexTestDistributeDefault(&dm, 0));
  PetscCall(Create(dm, 3, &way, &dg));
  PetscCall(SetCurrent(dg));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "absorbing"));
  PetscCall(PlexDGFarFieldCreate(dg, "sphere", 3, FREQUENCIES, frequencies, &x[0])); /* facets */
  PetscCall(PlexDGFarFieldCreate(dg, "sphere", 4, FREQUENCIES, frequencies, &x[1])); /* the boundary */
  PetscCall(PlexDGFarFieldCreate(dg, "sphere", 2, FREQUENCIES, frequencies, &x[2]));
  PetscCall(Run(dg, 16., 2, 3, x));
  for (int k = 0; k < 3; ++k) PetscCall(CurrentError(x[k], frequencies, error[k]));
  for (int k = 0; k < 3; ++k) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%g %g %g\n", error[k][0], error[k][1], error[k][2]));
  for (int k = 0; k < 3; ++k) PetscCall(PlexDGFarFieldDestroy(&x[k]));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(TestCurrent());
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
