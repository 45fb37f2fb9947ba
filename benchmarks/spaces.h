/* The spaces that benchmarks assemble: meshes refined, pointwise functions, materials. By PETSc alone, for
   benchmarks/ab.c is not linked with the library */
#ifndef BENCH_SPACES_H
#define BENCH_SPACES_H

#include "../examples/heat_problem.h"

#if defined(__GNUC__)
  #pragma GCC diagnostic push
  #pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
#include "diffusion.h"
#include "elasticity.h"
#include "reaction.h"

static inline PetscErrorCode Zero(PetscInt dim, PetscReal time, const PetscReal x[], PetscInt Nc, PetscScalar u[],
                                  PetscCtx ctx)
{
  for (PetscInt c = 0; c < Nc; ++c) u[c] = 0.0;
  return PETSC_SUCCESS;
}
#if defined(__GNUC__)
  #pragma GCC diagnostic pop
#endif

/* A file of this folder, beside that of the examples */
static inline PetscErrorCode FindFile(const char name[], char path[], size_t len)
{
  char folder[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(HeatFindFile("heat.h", folder, sizeof(folder)));
  PetscCall(PetscSNPrintf(path, len, "%.*s/../benchmarks/%s", (int)(strlen(folder) - strlen("/heat.h")), folder, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Uniformly, so many times */
static inline PetscErrorCode MeshRefine(PetscInt times, DM *dm)
{
  DM next;

  PetscFunctionBegin;
  for (PetscInt l = 0; l < times; ++l) {
    PetscCall(DMPlexSetRefinementUniform(*dm, PETSC_TRUE));
    PetscCall(DMRefine(*dm, PETSC_COMM_SELF, &next));
    PetscCall(DMDestroy(dm));
    *dm = next;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The functions of diffusion.h in the place of those of the heat equation */
static inline PetscErrorCode SetUpDiffusion(DM dm, PetscInt order)
{
  PetscDS ds;

  PetscFunctionBegin;
  PetscCall(HeatSetUpProblem(dm, order, PETSC_FALSE, 0.1));
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSSetResidual(ds, 0, f0_diffusion, f1_diffusion));
  PetscCall(PetscDSSetJacobian(ds, 0, 0, NULL, NULL, g2_diffusion, g3_diffusion));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The functions of reaction.h in the place of those of the heat equation */
static inline PetscErrorCode SetUpReaction(DM dm, PetscInt order)
{
  PetscDS ds;

  PetscFunctionBegin;
  PetscCall(HeatSetUpProblem(dm, order, PETSC_FALSE, 0.1));
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSSetResidual(ds, 0, f0_reaction, f1_reaction));
  PetscCall(PetscDSSetJacobian(ds, 0, 0, g0_reaction, g1_reaction, NULL, g3_reaction));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* So many numbers for each element, an auxiliary field */
static inline PetscErrorCode SetUpMaterial(DM dm, PetscInt components)
{
  DMPolytopeType ct;
  PetscFE        fe, temperature;
  DM             dmAux;
  Vec            a;
  PetscScalar   *array;
  PetscInt       dim, n;

  PetscFunctionBegin;
  PetscCall(DMGetField(dm, 0, NULL, (PetscObject *)&temperature));
  PetscCall(DMClone(dm, &dmAux));
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMPlexGetCellType(dm, 0, &ct));
  PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, dim, components, ct, 0, PETSC_DETERMINE, &fe));
  PetscCall(PetscFECopyQuadrature(temperature, fe));
  PetscCall(DMSetField(dmAux, 0, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMCreateDS(dmAux));
  PetscCall(DMCreateLocalVector(dmAux, &a));
  PetscCall(VecGetLocalSize(a, &n));
  PetscCall(VecGetArrayWrite(a, &array));
  for (PetscInt e = 0; e < n; ++e) array[e] = 1. + 0.5 * PetscSinReal((PetscReal)e);
  PetscCall(VecRestoreArrayWrite(a, &array));
  PetscCall(DMSetAuxiliaryVec(dm, NULL, 0, 0, a));
  PetscCall(VecDestroy(&a));
  PetscCall(DMDestroy(&dmAux));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ... with a conductivity of each element */
static inline PetscErrorCode SetUpCoefficient(DM dm, PetscInt order)
{
  PetscDS ds;

  PetscFunctionBegin;
  PetscCall(HeatSetUpProblem(dm, order, PETSC_FALSE, 0.1));
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSSetResidual(ds, 0, f0_diffusion, f1_coefficient));
  PetscCall(PetscDSSetJacobian(ds, 0, 0, NULL, NULL, NULL, g3_coefficient));
  PetscCall(SetUpMaterial(dm, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Vector elements with linear elasticity, fixed on the first boundary; of one material, or one of each element */
static inline PetscErrorCode SetUpElasticity(DM dm, PetscInt order, PetscBool coefficient)
{
  const PetscScalar constants[2] = {1.0, 1.5};
  const PetscInt    fixed        = HEAT_LEFT;
  PetscInt          dim;
  DMPolytopeType    ct;
  DMLabel           label;
  PetscFE           fe;
  PetscDS           ds;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMPlexGetCellType(dm, 0, &ct));
  PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, dim, dim, ct, order, PETSC_DETERMINE, &fe));
  PetscCall(DMSetField(dm, 0, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMCreateDS(dm));
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSSetResidual(ds, 0, f0_elasticity, coefficient ? f1_lame : f1_elasticity));
  PetscCall(PetscDSSetJacobian(ds, 0, 0, NULL, NULL, NULL, coefficient ? g3_lame : g3_elasticity));
  PetscCall(PetscDSSetConstants(ds, 2, (PetscScalar *)constants));
  if (coefficient) PetscCall(SetUpMaterial(dm, 2));
  PetscCall(DMGetLabel(dm, "Face Sets", &label));
  PetscCall(DMAddBoundary(dm, DM_BC_ESSENTIAL, "fixed", label, 1, &fixed, 0, 0, NULL, (PetscVoidFn *)Zero, NULL, NULL,
                          NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ... with a term of mass */
static inline PetscErrorCode SetUpMotion(DM dm, PetscInt order)
{
  PetscDS ds;

  PetscFunctionBegin;
  PetscCall(SetUpElasticity(dm, order, PETSC_FALSE));
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSSetResidual(ds, 0, f0_motion, f1_elasticity));
  PetscCall(PetscDSSetJacobian(ds, 0, 0, g0_motion, NULL, NULL, g3_elasticity));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
