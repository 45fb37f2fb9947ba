static char help[] = "Elastic waves from a source in two layers of rock: a C++ program that knows PETSc alone.\n\n";

/* Equations and pointwise functions are in rocks.hh. The box is 1 wide, a wave takes about one unit of time across it.
   Its lower half is three times as stiff as the upper one. Each step is a linear system. README.md has the commands. */
#include "rocks.hh"
#include <petscdmplex.h>
#include <petscds.h>
#include <petscts.h>

template <int field>
static PetscErrorCode Layers(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nc, PetscScalar *a, void *ctx)
{
  const PetscScalar lower[] = {1.2, 0.0, 1.2, 2.0}, upper[] = {1.0, 0.0, 0.4, 0.7}; /* of auxiliary fields */

  a[0] = x[dim - 1] < 0.5 ? lower[field] : upper[field];
  return PETSC_SUCCESS;
}

static PetscErrorCode Force(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nc, PetscScalar *a, void *ctx)
{
  PetscReal r2 = 0.0;

  for (PetscInt d = 0; d < dim; ++d) r2 += PetscSqr(x[d] - 0.4);
  for (PetscInt d = 0; d < dim; ++d) a[d] = (1.0 + d) * PetscExpReal(-40.0 * r2);
  return PETSC_SUCCESS;
}

static PetscErrorCode AddFields(DM dm, PetscInt dim, PetscInt n, const PetscInt components[], PetscInt degree)
{
  PetscFunctionBeginUser;
  for (PetscInt f = 0; f < n; ++f) {
    PetscFE fe;

    PetscCall(PetscFECreateLagrange(PETSC_COMM_WORLD, dim, components[f], PETSC_FALSE, degree, 2, &fe));
    PetscCall(DMSetField(dm, f, NULL, (PetscObject)fe));
    PetscCall(PetscFEDestroy(&fe));
  }
  PetscCall(DMCreateDS(dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <int dim>
static PetscErrorCode SetUpProblem(DM dm)
{
  typedef rocks::Elasticity<rocks::Isotropic, dim> Rock;
  PetscErrorCode (*auxiliary[])(PetscInt, PetscReal, const PetscReal[], PetscInt, PetscScalar *,
                                void *)                      = {Layers<0>, Force, Layers<2>, Layers<3>};
  const PetscInt one = 1, components[] = {dim, dim}, componentsAux[] = {1, dim, 1, 1};
  PetscScalar    constants[] = {0.01, 2.0};
  PetscInt       bd;
  PetscDS        ds;
  PetscWeakForm  wf;
  DMLabel        label;
  DM             dmAux;
  Vec            a;

  PetscFunctionBeginUser;
  PetscCall(AddFields(dm, dim, rocks::NUM_FIELDS, components, 2));
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSSetConstants(ds, 2, constants));
  PetscCall(PetscDSSetResidual(ds, 0, rocks::Motion::f0u, NULL));
  PetscCall(PetscDSSetResidual(ds, 1, rocks::Motion::f0v, Rock::f1v));
  PetscCall(PetscDSSetJacobian(ds, 0, 0, rocks::Motion::g0uu, NULL, NULL, NULL));
  PetscCall(PetscDSSetJacobian(ds, 0, 1, rocks::Motion::g0uv, NULL, NULL, NULL));
  PetscCall(PetscDSSetJacobian(ds, 1, 0, NULL, NULL, NULL, Rock::g3vu));
  PetscCall(PetscDSSetJacobian(ds, 1, 1, rocks::Motion::g0vv, NULL, NULL, Rock::g3vv));
  PetscCall(DMCreateLabel(dm, "sides"));
  PetscCall(DMGetLabel(dm, "sides", &label));
  PetscCall(DMPlexMarkBoundaryFaces(dm, one, label));
  PetscCall(DMAddBoundary(dm, DM_BC_NATURAL, "sides", label, 1, &one, 1, 0, NULL, NULL, NULL, NULL, &bd));
  PetscCall(PetscDSGetBoundary(ds, bd, &wf, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  PetscCall(PetscWeakFormSetIndexBdResidual(wf, label, one, 1, 0, 0, rocks::Absorbing::f0v, 0, NULL));
  PetscCall(PetscWeakFormSetIndexBdJacobian(wf, label, one, 1, 1, 0, 0, rocks::Absorbing::g0vv, 0, NULL, 0, NULL, 0,
                                            NULL));
  PetscCall(DMClone(dm, &dmAux));
  PetscCall(AddFields(dmAux, dim, rocks::NUM_AUXILIARY, componentsAux, 1));
  PetscCall(DMCreateLocalVector(dmAux, &a));
  PetscCall(DMProjectFunctionLocal(dmAux, 0.0, auxiliary, NULL, INSERT_ALL_VALUES, a));
  PetscCall(DMSetAuxiliaryVec(dm, NULL, 0, 0, a));
  PetscCall(VecDestroy(&a));
  PetscCall(DMDestroy(&dmAux));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PetscInt faces[3] = {6, 6, 6};
  PetscInt       dim = 2;
  PetscReal      norm;
  DM             dm;
  TS             ts;
  Vec            u;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-dim", &dim, NULL));
  PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, dim, PETSC_FALSE, faces, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_FALSE,
                                &dm));
  PetscCall(DMSetFromOptions(dm));
  PetscCall(dim == 2 ? SetUpProblem<2>(dm) : SetUpProblem<3>(dm));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetDM(ts, dm));
  PetscCall(DMTSSetIFunctionLocal(dm, DMPlexTSComputeIFunctionFEM, NULL));
  PetscCall(DMTSSetIJacobianLocal(dm, DMPlexTSComputeIJacobianFEM, NULL));
  PetscCall(TSSetType(ts, TSBEULER));
  PetscCall(TSSetTimeStep(ts, 0.05));
  PetscCall(TSSetMaxSteps(ts, 8));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(DMCreateGlobalVector(dm, &u));
  PetscCall(TSSolve(ts, u));
  PetscCall(VecNorm(u, NORM_2, &norm));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "result: example=rocks norm=%.12e\n", (double)norm));
  PetscCall(VecDestroy(&u));
  PetscCall(TSDestroy(&ts));
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return 0;
}
