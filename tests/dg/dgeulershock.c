static char help[] = "Shock capturing of a gas\n\n";

#include "dg/interface/dgimpl.h"
#include "gasproblem.h"
#include "report.h"

static PetscErrorCode RunVortex(const char backend[], PetscBool quadrilaterals, PetscInt N, PetscInt n,
                                PetscBool capture, PetscReal *error)
{
  const PetscReal T = 0.1, velocity[3] = {PLEX_TEST_WIND, 0.};
  DM              dm;
  PlexDG          dg;
  Vec             U;

  PetscFunctionBegin;
  PetscCall(PlexTestBasin(PETSC_COMM_WORLD, quadrilaterals, PLEX_TEST_STRAIGHT, n, 1, &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "euler_vortex"));
  PetscCall(PlexDGSetDiscretization(dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetDegree(dg, N));
  PetscCall(PlexDGSetBackend(dg, backend));
  PetscCall(PlexDGSetConstant(dg, "velocity", 3, velocity));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "inflow"));
  PetscCall(PlexDGSetShockCapturing(dg, capture));
  PetscCall(PlexDGSetFromOptions(dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexTestRun(dg, T, PlexTestGasVortex, NULL, U));
  PetscCall(PlexDGComputeL2Error(dg, T, PlexTestGasVortex, NULL, U, error));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunTube(const char backend[], PetscBool quadrilaterals, PetscInt N, PetscInt n, PlexTestTube *tube, PetscReal T)
{
  DM dm;
  PlexDG dg;
  Vec U;
  TS ts;
  const PetscReal *x;
  const PetscScalar *u;
  PetscReal off[6] = {1e30, 1e30, 1e30, -1e30, -1e30, -1e30}, e1[3] = {0.}, front = 0, exact[6] = {1e30, 1e30, 1e30, -1e30, -1e30, -1e30};
  PetscInt steps;

  PetscFunctionBegin;
  PlexTestTubeSolve(tube);
  PetscCall(PlexTestChannel(PETSC_COMM_WORLD, quadrilaterals, n, &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexDGSetSystem(dg, "euler"));
  PetscCall(PlexDGSetDiscretization(dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetDegree(dg, N));
  PetscCall(PlexDGSetBackend(dg, backend));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, tube->left[1] ? "open" : "wall"));
  PetscCall(PlexDGSetShockCapturing(dg, PETSC_TRUE));
  PetscCall(PlexDGSetFromOptions(dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., PlexTestTubeState, tube, U));
  PetscCall(PlexDGLimit(dg, U));
  PetscCall(TSCreate(PetscObjectComm((PetscObject)dg), &ts));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxTime(ts, T));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSGetStepNumber(ts, &steps));
  PetscCall(PlexDGGetNodes(dg, NULL, NULL, &x));
  PetscCall(VecGetArrayRead(U, &u));
  const PetscInt Np = dg->reference->Np;
  PetscReal mid;
  {
    PetscScalar w[4];
    PetscReal y[2] = {0.5 + (tube->shock - 1e-6) * T, 0};
    PetscCall(PlexTestTubeState(2, T, y, 4, w, tube));
    mid = 0.5 * (w[0] + tube->right[0]);
  }
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e) {
    PetscReal mean = 0., where = 0.;
    for (PetscInt i = 0; i < Np; ++i) {
    PetscScalar w[4];
    PetscReal p[2][3];
    for (PetscInt k = 0; k < 4; ++k) w[k] = u[(e * 4 + k) * Np + i];
    p[0][0] = w[0]; p[0][1] = w[1] / w[0]; p[0][2] = 0.4 * (w[3] - 0.5 * (w[1] * w[1] + w[2] * w[2]) / w[0]);
    PetscCall(PlexTestTubeState(2, T, &x[(e * Np + i) * 2], 4, w, tube));
    p[1][0] = w[0]; p[1][1] = w[1] / w[0]; p[1][2] = 0.4 * (w[3] - 0.5 * (w[1] * w[1] + w[2] * w[2]) / w[0]);
    for (PetscInt k = 0; k < 3; ++k) {
      off[k] = PetscMin(off[k], p[0][k]);
      off[3 + k] = PetscMax(off[3 + k], p[0][k]);
      exact[k] = PetscMin(exact[k], p[1][k]);
      exact[3 + k] = PetscMax(exact[3 + k], p[1][k]);
      e1[k] += PetscAbsReal(p[0][k] - p[1][k]) / Np / dg->mesh->Ne;
    }
    mean += p[0][0] / Np;
    where += x[(e * Np + i) * 2] / Np;
    }
    if (getenv("WORST")) for (PetscInt i = 0; i < Np; ++i) { PetscScalar w[4]; for (PetscInt k = 0; k < 4; ++k) w[k] = u[(e * 4 + k) * Np + i]; if (w[0] > 1.1) printf("e %d x %.4f rho %.4f v %.4f p %.4f\n", (int)e, x[(e*Np+i)*2], w[0], w[1]/w[0], 0.4 * (w[3] - 0.5 * (w[1] * w[1] + w[2] * w[2]) / w[0])); }
    if (mean > mid) front = PetscMax(front, where);
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s N=%d n=%d: steps %d", quadrilaterals ? "quads" : "tris", (int)N, (int)n, (int)steps));
  for (PetscInt k = 0; k < 3; ++k)
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, ", %s under %.4f over %.4f L1 %.4f", k == 0 ? "rho" : k == 1 ? "v" : "p", (exact[k] - off[k])/(exact[3+k]-exact[k]), (off[3+k]-exact[3+k])/(exact[3+k]-exact[k]), e1[k]/(exact[3+k]-exact[k])));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, " front off %.2f cells\n", (front - 0.5 - tube->shock * T) * n));
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PlexTestTube sod = {.left = {1, 0, 1}, .right = {0.125, 0, 0.1}}, two = {.left = {1, 0, 100}, .right = {1, 0, 0.1}}, vac = {.left = {1, -2, .4}, .right = {1, 2, .4}};
  PetscInt which = 7;
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestRegisterGas());
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-which", &which, NULL));
  for (PetscInt q = 0; q < 2 && (which & 1); ++q)
    for (PetscInt N = 1; N <= 4; ++N)
      for (PetscInt n = 6; n <= (N < 3 ? 24 : 12); n *= 2) {
        PetscReal with, without;

        PetscCall(RunVortex("host", (PetscBool)q, N, n, PETSC_FALSE, &without));
        PetscCall(RunVortex("host", (PetscBool)q, N, n, PETSC_TRUE, &with));
        PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s N=%d n=%d: without %.3g with %.3g ratio %.3g\n", q ? "quads" : "tris", (int)N, (int)n, (double)without, (double)with, (double)(with/without)));
      }
  for (PetscInt q = 0; q < 2 && (which & 2); ++q)
    for (PetscInt N = 1; N <= 4; ++N) PetscCall(RunTube("host", (PetscBool)q, N, 40, &sod, 0.2));
  for (PetscInt q = 0; q < 2 && (which & 4); ++q)
    for (PetscInt N = 1; N <= 4; ++N) {
      PetscCall(RunTube("host", (PetscBool)q, N, 40, &two, 0.035));
      PetscCall(RunTube("host", (PetscBool)q, N, 40, &vac, 0.1));
      }
  PetscCall(PetscFinalize());
  return 0;
}
