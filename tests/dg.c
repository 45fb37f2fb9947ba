static char help[] = "The nodal discontinuous Galerkin operator: rates of convergence, energy, constant states, backends, boundary conditions, messages.\n\n";

#include "dgproblem.h"
#include "report.h"

#define SMALL 1e-12

/* ------------------------------------------------------------------------------------------------------------------
   Rates of convergence: a plane wave enters through all of the boundary of an irregular mesh
   ------------------------------------------------------------------------------------------------------------------ */

static PetscErrorCode TestRate(const char backend[], PetscInt dim, PetscInt N, PetscInt coarse, PetscReal expected, PetscReal tolerance)
{
  PetscReal error[2], dt;
  char      of[128];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    DM     dm;
    PlexDG dg;
    Vec    U;

    PetscCall(PlexTestMesh(PETSC_COMM_WORLD, dim == 2 ? DM_POLYTOPE_TRIANGLE : DM_POLYTOPE_TETRAHEDRON, 1, &dm));
    for (PetscInt r = 0; r < coarse + k; ++r) PetscCall(PlexTestRefine(&dm));
    PetscCall(PlexTestWaveCreate(dm, N, 1., &dg));
    PetscCall(PlexDGSetBackend(dg, backend));
    PetscCall(PlexDGCreateVec(dg, &U));
    PetscCall(PlexTestWaveRun(dg, 0.25, U));
    PetscCall(PlexDGComputeTimeStep(dg, NULL, &dt));
    PetscCall(PlexDGComputeL2Error(dg, 0.25, PlexTestWave, dg, U, &error[k]));
    PetscCall(VecDestroy(&U));
    PetscCall(PlexDGDestroy(&dg));
    PetscCall(DMDestroy(&dm));
  }
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, degree %" PetscInt_FMT, backend, dim == 2 ? "triangles" : "tetrahedra", N));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: errors %.3g, %.3g, rate %.3f\n", of, (double)error[0], (double)error[1], (double)PetscLog2Real(error[0] / error[1])));
  PetscCall(PlexTestReportOf((PetscBool)(PetscLog2Real(error[0] / error[1]) > expected - tolerance), of, "the rate of convergence is N + 1", "errors %g, %g, rate %g", (double)error[0], (double)error[1], (double)PetscLog2Real(error[0] / error[1])));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  for (PetscInt dim = 2; dim <= 3; ++dim)
    for (PetscInt N = 1; N <= 6; ++N) PetscCall(TestRate(PLEXBACKENDHOST, dim, N, dim == 2 ? (N < 4 ? 2 : 1) : (N < 3 ? 2 : N < 6 ? 1 : 0), N + 1, 0.3));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
