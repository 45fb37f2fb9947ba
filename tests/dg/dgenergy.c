static char help[] = "The energy of nodal DG: by the kernel what it is on the host, the same bits again, and of states "
                     "whose energy is known.\n\n";

#include "dgproblem.h"
#include "report.h"

static PetscErrorCode CreateOperator(DM dm, const char system[], PetscInt N, const char backend[],
                                     PlexPrecision precision, PlexDG *dg)
{
  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, system));
  PetscCall(PlexDGSetDegree(*dg, N));
  PetscCall(PlexDGSetBackend(*dg, backend));
  PetscCall(PlexDGSetPrecision(*dg, precision));
  PetscCall(PlexDGSetCoefficients(*dg, PlexTestUneven, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On periodic boxes, which need no boundary conditions, in uneven materials; a state that jumps. single: of the
   operator, the energy is double */
static PetscErrorCode TestKernel(const char backend[], const char system[], PetscInt dim, PetscInt N,
                                 PlexPrecision precision)
{
  PetscReal energy[3];
  char      of[128];
  DM        dm;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, dim, 3, PETSC_TRUE, &dm));
  for (PetscInt k = 0; k < 2; ++k) {
    PlexDG dg;
    Vec    U;

    PetscCall(CreateOperator(dm, system, N, k ? backend : PLEXBACKENDHOST, k ? precision : PLEX_PRECISION_DOUBLE, &dg));
    PetscCall(PlexDGCreateVec(dg, &U));
    PetscCall(PlexTestJumps(U));
    PetscCall(PlexDGComputeEnergy(dg, U, &energy[k]));
    PetscCall(PlexDGComputeEnergy(dg, U, &energy[2]));
    PetscCall(VecDestroy(&U));
    PetscCall(PlexDGDestroy(&dg));
  }
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s in %" PetscInt_FMT "D, degree %" PetscInt_FMT ", %s", backend, system,
                          dim, N, PlexPrecisions[precision]));
  PetscCall(PlexTestReportOf((PetscBool)(energy[0] > 0. && PetscAbsReal(energy[1] - energy[0]) <= 1e-12 * energy[0]),
                             of, "the host's energy", "%.15g, host %.15g", (double)energy[1], (double)energy[0]));
  PetscCall(PlexTestReportOf((PetscBool)(energy[1] == energy[2]), of, "the same bits again", "%.17g, %.17g",
                             (double)energy[1], (double)energy[2]));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u_k = (1 + k) x */
static PetscErrorCode Linear(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < Nf; ++k) u[k] = (1. + k) * x[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Maxwell: (epsilon (1 + 4 + 9) + mu (16 + 25 + 36))/2 times the integral of x^2, 1/3 */
static PetscErrorCode TestKnown(const char backend[], PetscInt dim)
{
  const PetscReal epsilon = 1.5, mu = 0.8, exact = (epsilon * 14. + mu * 77.) / 6.;
  PetscReal       energy;
  char            of[128];
  DM              dm;
  PlexDG          dg;
  Vec             U;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, dim, 2, PETSC_FALSE, &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "maxwell"));
  PetscCall(PlexDGSetBackend(dg, backend));
  PetscCall(PlexDGSetConstant(dg, "epsilon", 1, &epsilon));
  PetscCall(PlexDGSetConstant(dg, "mu", 1, &mu));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "pec"));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., Linear, NULL, U));
  PetscCall(PlexDGComputeEnergy(dg, U, &energy));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s in %" PetscInt_FMT "D", backend, dim));
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(energy - exact) < 1e-12 * exact), of,
                             "the energy of linear fields", "%.15g, exact %.15g", (double)energy, (double)exact));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After a change of degree, precision or system the kernel is another one */
static PetscErrorCode TestChange(const char backend[])
{
  PetscReal energy[2];
  DM        dm;
  PlexDG    dg;
  Vec       U;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, 2, 3, PETSC_TRUE, &dm));
  PetscCall(CreateOperator(dm, "maxwell", 2, backend, PLEX_PRECISION_SINGLE, &dg));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(PlexDGSetDegree(dg, 2 + k));
    PetscCall(PlexDGCreateVec(dg, &U));
    PetscCall(PlexDGProject(dg, 0., Linear, NULL, U));
    PetscCall(PlexDGComputeEnergy(dg, U, &energy[k]));
    PetscCall(VecDestroy(&U));
  }
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(energy[0] - energy[1]) < 1e-12 * energy[0]), backend,
                             "the same energy at another degree", "%.15g, %.15g", (double)energy[0],
                             (double)energy[1]));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const  systems[] = {"advection", "acoustics", "maxwell", "burgers", "elastic"};
  const char *const *backends;
  PetscInt           n;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestRegisterSystems());
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) {
    for (PetscInt dim = 2; dim <= 3; ++dim) PetscCall(TestKnown(backends[b], dim));
    PetscCall(TestChange(backends[b]));
    if (!strcmp(backends[b], PLEXBACKENDHOST)) continue;
    for (PetscInt dim = 2; dim <= 3; ++dim)
      for (size_t s = 0; s < PETSC_STATIC_ARRAY_LENGTH(systems); ++s)
        PetscCall(TestKernel(backends[b], systems[s], dim, 1 + (PetscInt)s,
                             s % 2 ? PLEX_PRECISION_SINGLE : PLEX_PRECISION_DOUBLE));
    PetscCall(TestKernel(backends[b], "maxwell", 2, 9, PLEX_PRECISION_SINGLE));
    PetscCall(TestKernel(backends[b], "maxwell", 3, 9, PLEX_PRECISION_DOUBLE));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
