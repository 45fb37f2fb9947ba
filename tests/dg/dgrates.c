static char help[] = "Nodal DG: the error of a plane wave that enters through all of the boundary of an irregular mesh "
                     "falls as h^(N+1), in single precision down to its floor.\n\n";

#include "dgproblem.h"
#include "report.h"

/* Where the method's own error is less, that of single precision has to stay below this share of the wave's norm: 16
   roundoffs */
#define FLOOR (16. * 5.96e-8)

typedef struct {
  PetscInt  dim, N, coarse; /* degree; refinements of the coarser mesh */
  PetscReal T, cfl;
  PetscReal frequency[2]; /* of the wave, by precision: in single precision both errors lie above the floor */
  PetscBool floor;        /* with the frequency of double precision, single precision comes to its floor */
  PetscInt  always;       /* if cases are not all run, this is for: 0 none, 1 the host, 2 every backend */
} Rate;

/* Steps are of order 4, hence shorter ones for triangles of degree 5 and 6 */
static const Rate rates[] = {
  {2, 1, 2, 0.05,  1.,  {2., 2.},  PETSC_FALSE, 1},
  {2, 2, 2, 0.05,  1.,  {2., 2.},  PETSC_FALSE, 2},
  {2, 3, 1, 0.05,  1.,  {2., 6.},  PETSC_FALSE, 1},
  {2, 4, 1, 0.05,  1.,  {2., 6.},  PETSC_FALSE, 1},
  {2, 5, 1, 0.05,  0.2, {2., 10.}, PETSC_FALSE, 0},
  {2, 6, 0, 0.05,  0.2, {2., 10.}, PETSC_TRUE,  1},
  {3, 1, 1, 0.05,  1.,  {2., 2.},  PETSC_FALSE, 1},
  {3, 2, 1, 0.05,  1.,  {2., 2.},  PETSC_FALSE, 2},
  {3, 3, 1, 0.03,  1.,  {2., 2.},  PETSC_FALSE, 1},
  {3, 4, 1, 0.004, 1.,  {2., 2.},  PETSC_FALSE, 0},
  {3, 5, 0, 0.03,  1.,  {2., 3.},  PETSC_FALSE, 1},
  {3, 6, 1, 0.004, 1.,  {2., 6.},  PETSC_TRUE,  0}
};

/* The relative error on the coarser or the finer mesh */
static PetscErrorCode GetError(const char backend[], const Rate *c, PlexPrecision precision, PetscReal frequency,
                               PetscInt finer, PetscReal *error)
{
  PetscReal norm;
  DM        dm;
  PlexDG    dg;
  Vec       U;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, c->dim == 2 ? DM_POLYTOPE_TRIANGLE : DM_POLYTOPE_TETRAHEDRON, 0, &dm));
  for (PetscInt r = 0; r < c->coarse + finer; ++r) PetscCall(PlexTestRefine(&dm));
  PetscCall(PlexTestWaveCreate(dm, c->N, 1., &dg));
  PetscCall(PlexDGSetConstant(dg, "frequency", 1, &frequency));
  PetscCall(PlexDGSetBackend(dg, backend));
  PetscCall(PlexDGSetPrecision(dg, precision));
  PetscCall(PlexDGSetCFL(dg, c->cfl));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexTestRun(dg, c->T, PlexTestWave, dg, U));
  PetscCall(PlexDGComputeL2Error(dg, c->T, PlexTestWave, dg, U, error));
  PetscCall(VecSet(U, 0.));
  PetscCall(PlexDGComputeL2Error(dg, c->T, PlexTestWave, dg, U, &norm));
  *error /= norm;
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestRate(const char backend[], const Rate *c, PlexPrecision precision)
{
  PetscReal error[2], rate;
  char      of[128];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) PetscCall(GetError(backend, c, precision, c->frequency[precision], k, &error[k]));
  rate = PetscLog2Real(error[0] / error[1]);
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, degree %" PetscInt_FMT ", %s", backend,
                          c->dim == 2 ? "triangles" : "tetrahedra", c->N, PlexPrecisions[precision]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: errors %.3g, %.3g, rate %.2f\n", of, (double)error[0], (double)error[1],
                        (double)rate));
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(rate - (c->N + 1)) < 0.3), of, "the error falls as h^(N+1)",
                             "errors %g, %g, rate %g", (double)error[0], (double)error[1], (double)rate));
  if (!c->floor || precision == PLEX_PRECISION_DOUBLE) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GetError(backend, c, precision, c->frequency[PLEX_PRECISION_DOUBLE], 1, &error[1]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: error %.3g at the floor\n", of, (double)error[1]));
  PetscCall(PlexTestReportOf((PetscBool)(error[1] < FLOOR), of,
                             "where the method's error is less, that of roundoff is left", "error %g, floor %g",
                             (double)error[1], (double)FLOOR));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) {
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(rates); ++k)
      for (int p = 0; p < 2; ++p)
        if (PlexTestLong() || rates[k].always > !!strcmp(backends[b], PLEXBACKENDHOST))
          PetscCall(TestRate(backends[b], &rates[k], (PlexPrecision)p));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
