static char help[] = "How hot a reacting block gets whose walls are cooled: a program that knows PETSc alone.\n\n";

/*
     -div(k(u) grad u) = delta exp(u / (1 + epsilon u))   inside the unit square or cube
                     u = wall (1 - x_0)                    on its surface

  u is the temperature above that of the surroundings in units of what the reaction is sensitive to, k(u) = 1 + u / 10
  the conductivity, delta the rate of the reaction (too high a rate, and there is no steady state) and 1 / epsilon its
  activation energy.

  Everything is PETSc: mesh, finite elements, assembly, solver. README.md beside this file has the command that lets
  PlexGPU assemble.
*/
#include <petscdmplex.h>
#include <petscds.h>
#include <petscsnes.h>

/* Numbers that options set before the solve, and that the pointwise functions read */
static PetscReal delta   = 4.0;
static PetscReal epsilon = 0.05;
static PetscReal wall    = 0.2;
static PetscReal leak    = 0.0;

static PetscScalar Conductivity(PetscScalar u)
{
  return 1.0 + 0.1 * u;
}

/* The rate of the reaction, and its derivative */
static PetscScalar Rate(PetscScalar u, PetscBool derivative)
{
  const PetscScalar s    = 1.0 + epsilon * u;
  const PetscScalar rate = delta * PetscExpScalar(u / s);

  return derivative ? rate / (s * s) : rate;
}

static void Heat(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                 const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                 const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                 PetscReal t, const PetscReal x[], PetscInt numConstants, const PetscScalar constants[],
                 PetscScalar f0[])
{
  f0[0] = -Rate(u[0], PETSC_FALSE);
}

static void Flux(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                 const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                 const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                 PetscReal t, const PetscReal x[], PetscInt numConstants, const PetscScalar constants[],
                 PetscScalar f1[])
{
  for (PetscInt d = 0; d < dim; ++d) f1[d] = Conductivity(u[0]) * u_x[d];
}

static void HeatOfTemperature(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                              const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[],
                              const PetscInt aOff[], const PetscInt aOff_x[], const PetscScalar a[],
                              const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t, PetscReal u_tShift,
                              const PetscReal x[], PetscInt numConstants, const PetscScalar constants[],
                              PetscScalar g0[])
{
  g0[0] = -Rate(u[0], PETSC_TRUE);
}

static void FluxOfTemperature(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                              const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[],
                              const PetscInt aOff[], const PetscInt aOff_x[], const PetscScalar a[],
                              const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t, PetscReal u_tShift,
                              const PetscReal x[], PetscInt numConstants, const PetscScalar constants[],
                              PetscScalar g2[])
{
  for (PetscInt d = 0; d < dim; ++d) g2[d] = 0.1 * u_x[d];
}

static void FluxOfGradient(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                           const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[],
                           const PetscInt aOff[], const PetscInt aOff_x[], const PetscScalar a[],
                           const PetscScalar a_t[], const PetscScalar a_x[], PetscReal t, PetscReal u_tShift,
                           const PetscReal x[], PetscInt numConstants, const PetscScalar constants[], PetscScalar g3[])
{
  for (PetscInt d = 0; d < dim; ++d) g3[d * dim + d] = Conductivity(u[0]);
}

static PetscErrorCode WallTemperature(PetscInt dim, PetscReal time, const PetscReal x[], PetscInt Nc, PetscScalar *u,
                                      void *ctx)
{
  u[0] = wall * (1.0 - x[0]);
  return PETSC_SUCCESS;
}

static PetscErrorCode CreateMesh(DM *dm)
{
  const PetscInt faces[3] = {8, 8, 8};
  PetscInt       dim      = 2;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-dim", &dim, NULL));
  PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, dim, PETSC_FALSE, faces, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_FALSE,
                                dm));
  PetscCall(DMSetFromOptions(*dm));
  PetscCall(DMViewFromOptions(*dm, NULL, "-dm_view"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetUpProblem(DM dm)
{
  PetscFE        fe;
  PetscDS        ds;
  DMLabel        label;
  PetscInt       dim, degree = 2;
  PetscBool      simplex;
  const PetscInt one = 1;

  PetscFunctionBeginUser;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMPlexIsSimplex(dm, &simplex));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-degree", &degree, NULL));
  PetscCall(PetscFECreateLagrange(PETSC_COMM_WORLD, dim, 1, simplex, degree, PETSC_DETERMINE, &fe));
  PetscCall(PetscObjectSetName((PetscObject)fe, "temperature"));
  PetscCall(DMAddField(dm, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMCreateDS(dm));
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSSetResidual(ds, 0, Heat, Flux));
  PetscCall(PetscDSSetJacobian(ds, 0, 0, HeatOfTemperature, NULL, FluxOfTemperature, FluxOfGradient));
  PetscCall(DMCreateLabel(dm, "wall"));
  PetscCall(DMGetLabel(dm, "wall", &label));
  PetscCall(DMPlexMarkBoundaryFaces(dm, 1, label));
  PetscCall(DMPlexLabelComplete(dm, label));
  PetscCall(DMAddBoundary(dm, DM_BC_ESSENTIAL, "wall", label, 1, &one, 0, 0, NULL, (PetscVoidFn *)WallTemperature, NULL,
                          NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- -leak: heat that leaves through fins at the nodes, in proportion to their temperature. The program's own
   callbacks add it to what PETSc assembles */

static PetscErrorCode HeatWithLeak(DM dm, Vec locU, Vec locF, void *ctx)
{
  Vec share = (Vec)ctx, lost;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(locU, &lost));
  PetscCall(VecPointwiseMult(lost, share, locU));
  PetscCall(VecAXPY(locF, leak, lost)); /* PETSc's function adds to it */
  PetscCall(VecDestroy(&lost));
  PetscCall(DMPlexSNESComputeResidualFEM(dm, locU, locF, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode HeatWithLeakOfTemperature(DM dm, Vec locU, Mat J, Mat P, void *ctx)
{
  PetscFunctionBeginUser;
  PetscCall(DMPlexSNESComputeJacobianFEM(dm, locU, J, P, NULL));
  PetscCall(MatShift(P, leak));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* share: a local vector, one over the number of processes that have the node, as their local vectors are summed */
static PetscErrorCode SetLeak(DM dm, Vec *share)
{
  Vec global;

  PetscFunctionBeginUser;
  PetscCall(DMCreateLocalVector(dm, share));
  PetscCall(DMGetGlobalVector(dm, &global));
  PetscCall(VecSet(*share, 1.0));
  PetscCall(VecSet(global, 0.0));
  PetscCall(DMLocalToGlobal(dm, *share, ADD_VALUES, global));
  PetscCall(DMGlobalToLocal(dm, global, INSERT_VALUES, *share));
  PetscCall(VecReciprocal(*share));
  PetscCall(DMRestoreGlobalVector(dm, &global));
  PetscCall(DMSNESSetFunctionLocal(dm, HeatWithLeak, *share));
  PetscCall(DMSNESSetJacobianLocal(dm, HeatWithLeakOfTemperature, *share));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  DM                  dm;
  SNES                snes;
  Vec                 u, share = NULL;
  SNESConvergedReason reason;
  PetscInt            unknowns, newton, linear;
  PetscReal           norm, hottest;

  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-delta", &delta, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-epsilon", &epsilon, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-wall", &wall, NULL));
  PetscCall(PetscOptionsGetReal(NULL, NULL, "-leak", &leak, NULL));
  PetscCall(CreateMesh(&dm));
  PetscCall(SetUpProblem(dm));
  PetscCall(SNESCreate(PETSC_COMM_WORLD, &snes));
  PetscCall(SNESSetDM(snes, dm));
  PetscCall(DMPlexSetSNESLocalFEM(dm, PETSC_FALSE, NULL));
  if (leak != 0.0) PetscCall(SetLeak(dm, &share));
  PetscCall(SNESSetTolerances(snes, 1e-12, 1e-12, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(SNESSetFromOptions(snes));

  PetscCall(DMCreateGlobalVector(dm, &u));
  PetscCall(SNESSolve(snes, NULL, u));

  PetscCall(SNESGetConvergedReason(snes, &reason));
  PetscCheck(reason > 0, PETSC_COMM_WORLD, PETSC_ERR_CONV_FAILED, "No steady state is found (%s): lower -delta",
             SNESConvergedReasons[reason]);
  PetscCall(SNESGetIterationNumber(snes, &newton));
  PetscCall(SNESGetLinearSolveIterations(snes, &linear));
  PetscCall(VecGetSize(u, &unknowns));
  PetscCall(VecNorm(u, NORM_2, &norm));
  PetscCall(VecMax(u, NULL, &hottest));
  PetscCall(VecViewFromOptions(u, NULL, "-solution_view"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "result: example=combustion unknowns=%" PetscInt_FMT " newton=%" PetscInt_FMT
                        " linear=%" PetscInt_FMT " norm=%.12e hottest=%.12e\n",
                        unknowns, newton, linear, (double)norm, (double)hottest));
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&share));
  PetscCall(SNESDestroy(&snes));
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return 0;
}
