static char help[] = "Hyperelasticity with large deformation: a rubber beam is twisted, in load steps.\n\n"
                     "  -angle DEGREES   how far the right end is turned (default 270)\n"
                     "  -steps N         load steps (default 9)\n"
                     "  -cells N         cells along a side of the cross-section (default 3), four times as many "
                     "along the beam\n"
                     "  -order N         order of the Lagrange elements (default 2)\n"
                     "  -nu NU           Poisson's ratio (default 0.3)\n"
                     "  -output NAME     write NAME.h5 and NAME.xdmf for ParaView and plot.py\n"
                     "  -plex_assembly_type, -plex_assembly_backend, ... as in the manual; -snes_..., -ksp_..., "
                     "-pc_... as in PETSc\n\n";

/*
     -Div P = 0,   P = mu (F - F^-T) + lambda ln(J) F^-T,   F = I + grad u,   J = det F

  in the undeformed beam [0,4] x [-1/2,1/2]^2: a compressible neo-Hookean material, whose energy is

     W = mu/2 (F:F - 3) - mu ln(J) + lambda/2 ln(J)^2

  (Bonet and Wood, Nonlinear Continuum Mechanics for Finite Element Analysis, 6.4.3; Young's modulus is 1). The left end
  is held, the right end is turned about the axis, and the sides are free. Each load step starts from the last one's
  solution. Newton's method then converges quadratically: see -snes_monitor. The one line for PlexGPU is
  PlexAssemblySetSNESLocal().
*/
#include "example.h"

#define LENGTH 4.0

/* PetscDSSetConstants() */
typedef enum {
  LAMBDA,
  MU,
  NUM_CONSTANTS
} Constant;

/* F, F^-1 and its determinant */
static PetscScalar Deformation(const PetscScalar u_x[], PetscScalar F[9], PetscScalar inverse[9])
{
  PetscScalar J;

  for (PetscInt d = 0; d < 9; ++d) F[d] = u_x[d] + (d % 4 ? 0.0 : 1.0);
  for (PetscInt i = 0; i < 3; ++i) { /* the cofactors, with indices that go round */
    const PetscInt i1 = (i + 1) % 3, i2 = (i + 2) % 3;

    for (PetscInt j = 0; j < 3; ++j) {
      const PetscInt j1 = (j + 1) % 3, j2 = (j + 2) % 3;

      inverse[j * 3 + i] = F[i1 * 3 + j1] * F[i2 * 3 + j2] - F[i1 * 3 + j2] * F[i2 * 3 + j1];
    }
  }
  J = F[0] * inverse[0] + F[1] * inverse[3] + F[2] * inverse[6];
  for (PetscInt d = 0; d < 9; ++d) inverse[d] /= J;
  return J;
}

/* P_iA */
static void Stress(RESIDUAL_ARGS(P))
{
  PetscScalar F[9], inverse[9];
  PetscScalar lnJ = PetscLogScalar(Deformation(u_x, F, inverse));

  for (PetscInt i = 0; i < 3; ++i)
    for (PetscInt A = 0; A < 3; ++A)
      P[i * 3 + A] = constants[MU] * F[i * 3 + A] + (constants[LAMBDA] * lnJ - constants[MU]) * inverse[A * 3 + i];
}

/* d P_iA / d F_jB, at [((i * 3 + j) * 3 + A) * 3 + B]; the derivative of F^-T_iA is -F^-1_Aj F^-1_Bi */
static void StressOfGradient(JACOBIAN_ARGS(C))
{
  PetscScalar F[9], inverse[9];
  PetscScalar s = constants[MU] - constants[LAMBDA] * PetscLogScalar(Deformation(u_x, F, inverse));

  for (PetscInt i = 0; i < 3; ++i) {
    for (PetscInt j = 0; j < 3; ++j) {
      for (PetscInt A = 0; A < 3; ++A) {
        for (PetscInt B = 0; B < 3; ++B) {
          C[((i * 3 + j) * 3 + A) * 3 + B] = s * inverse[A * 3 + j] * inverse[B * 3 + i] +
                                             constants[LAMBDA] * inverse[A * 3 + i] * inverse[B * 3 + j];
          if (i == j && A == B) C[((i * 3 + j) * 3 + A) * 3 + B] += constants[MU];
        }
      }
    }
  }
}

/* W */
static void Energy(RESIDUAL_ARGS(W))
{
  PetscScalar F[9], inverse[9], FF = 0.0;
  PetscScalar lnJ = PetscLogScalar(Deformation(u_x, F, inverse));

  for (PetscInt d = 0; d < 9; ++d) FF += F[d] * F[d];
  W[0] = 0.5 * constants[MU] * (FF - 3.0) - constants[MU] * lnJ + 0.5 * constants[LAMBDA] * lnJ * lnJ;
}

static PetscErrorCode Hold(VALUE_ARGS)
{
  for (PetscInt c = 0; c < Nc; ++c) u[c] = 0.0;
  return PETSC_SUCCESS;
}

/* Turns the end by the angle that ctx points to; a load step changes it, and PlexGPU asks again in every solve */
static PetscErrorCode Turn(VALUE_ARGS)
{
  const PetscReal angle = *(const PetscReal *)ctx, c = PetscCosReal(angle), s = PetscSinReal(angle);

  u[0] = 0.0;
  u[1] = c * x[1] - s * x[2] - x[1];
  u[2] = s * x[1] + c * x[2] - x[2];
  return PETSC_SUCCESS;
}

static PetscErrorCode CreateMesh(MPI_Comm comm, DM *dm)
{
  const PetscReal lower[3] = {0.0, -0.5, -0.5}, upper[3] = {LENGTH, 0.5, 0.5};
  PetscInt        cells = 3, faces[3];

  PetscFunctionBeginUser;
  PetscOptionsBegin(comm, NULL, "Mesh", "");
  PetscCall(PetscOptionsBoundedInt("-cells", "Cells along a side of the cross-section", "hyperelasticity.c", cells,
                                   &cells, NULL, 1));
  PetscOptionsEnd();
  faces[0] = 4 * cells;
  faces[1] = faces[2] = cells;
  PetscCall(DMPlexCreateBoxMesh(comm, 3, PETSC_FALSE, faces, lower, upper, NULL, PETSC_TRUE, 0, PETSC_FALSE, dm));
  PetscCall(DMSetFromOptions(*dm));
  PetscCall(DMViewFromOptions(*dm, NULL, "-dm_view"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetUpProblem(DM dm, PetscReal *angle)
{
  const PetscInt left = 6, right = 5; /* sides of PETSc's boxes */
  PetscInt       order = 2;
  PetscReal      nu    = 0.3;
  PetscScalar    material[NUM_CONSTANTS];
  DMLabel        label;
  PetscFE        fe;
  PetscDS        ds;

  PetscFunctionBeginUser;
  PetscOptionsBegin(PetscObjectComm((PetscObject)dm), NULL, "Hyperelasticity", "");
  PetscCall(PetscOptionsBoundedInt("-order", "Order of the elements", "hyperelasticity.c", order, &order, NULL, 1));
  PetscCall(PetscOptionsRangeReal("-nu", "Poisson's ratio", "hyperelasticity.c", nu, &nu, NULL, 0.0, 0.49));
  PetscOptionsEnd();
  material[LAMBDA] = nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
  material[MU]     = 0.5 / (1.0 + nu);
  PetscCall(ExampleAddField(dm, "displacement", 3, order, NULL, &fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMCreateDS(dm));
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSSetResidual(ds, 0, NULL, Stress));
  PetscCall(PetscDSSetJacobian(ds, 0, 0, NULL, NULL, NULL, StressOfGradient));
  PetscCall(PetscDSSetObjective(ds, 0, Energy));
  PetscCall(PetscDSSetConstants(ds, NUM_CONSTANTS, material));
  PetscCall(DMGetLabel(dm, "Face Sets", &label));
  PetscCall(DMAddBoundary(dm, DM_BC_ESSENTIAL, "left", label, 1, &left, 0, 0, NULL, (PetscVoidFn *)Hold, NULL, NULL,
                          NULL));
  PetscCall(DMAddBoundary(dm, DM_BC_ESSENTIAL, "right", label, 1, &right, 0, 0, NULL, (PetscVoidFn *)Turn, NULL, angle,
                          NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Digits that the residual's norm has lost by a step, over those lost before it: 2 where Newton's method converges
   quadratically. Of the last step that rounding leaves alone. */
static PetscErrorCode GetOrder(SNES snes, PetscReal *order)
{
  PetscReal *r;
  PetscInt   n;

  PetscFunctionBeginUser;
  *order = 0.0;
  PetscCall(SNESGetConvergenceHistory(snes, &r, NULL, &n));
  for (PetscInt k = 1; k + 1 < n; ++k)
    if (r[k + 1] > 1e-12 * r[0]) *order = PetscLogReal(r[k + 1] / r[0]) / PetscLogReal(r[k] / r[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Turns the end further and further; the table has a line a step */
static PetscErrorCode SolveInSteps(SNES snes, Vec X, PetscReal *angle, PetscReal *energy, PetscReal *order)
{
  DM          dm;
  PetscReal   degrees = 270.0;
  PetscInt    steps   = 9, newton;
  PetscScalar value;

  PetscFunctionBeginUser;
  PetscOptionsBegin(PetscObjectComm((PetscObject)snes), NULL, "Load", "");
  PetscCall(PetscOptionsReal("-angle", "Degrees by which the right end is turned", "hyperelasticity.c", degrees,
                             &degrees, NULL));
  PetscCall(PetscOptionsBoundedInt("-steps", "Load steps", "hyperelasticity.c", steps, &steps, NULL, 1));
  PetscOptionsEnd();
  PetscCall(SNESGetDM(snes, &dm));
  PetscCall(SNESSetConvergenceHistory(snes, NULL, NULL, 50, PETSC_TRUE));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  %8s %8s %14s %8s\n", "degrees", "Newton", "energy", "order"));
  for (PetscInt step = 1; step <= steps; ++step) {
    *angle = degrees * step / steps * PETSC_PI / 180.0;
    PetscCall(SNESSolve(snes, NULL, X));
    PetscCall(ExampleCheckConverged(snes));
    PetscCall(DMPlexComputeIntegralFEM(dm, X, &value, NULL));
    PetscCall(SNESGetIterationNumber(snes, &newton));
    PetscCall(GetOrder(snes, order));
    *energy = PetscRealPart(value);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  %8.1f %8" PetscInt_FMT " %14.8f %8.2f\n",
                          (double)(degrees * step / steps), newton, (double)*energy, (double)*order));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  DM           dm;
  SNES         snes;
  Vec          X, density;
  PetscReal    angle = 0.0, energy = 0.0, order = 0.0;
  PetscInt     functions, linear;
  PlexAssembly plex;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(ExampleDefaultTypes());
  PetscCall(ExampleDefault("-snes_rtol", "1e-10"));
  PetscCall(ExampleDefault("-ksp_rtol", "1e-10"));
  PetscCall(ExampleDefault("-pc_type", PCLU));
  PetscCall(CreateMesh(PETSC_COMM_WORLD, &dm));
  PetscCall(SetUpProblem(dm, &angle));

  PetscCall(SNESCreate(PETSC_COMM_WORLD, &snes));
  PetscCall(SNESSetDM(snes, dm));
  PetscCall(PlexAssemblySetSNESLocal(dm, NULL)); /* instead of DMPlexSetSNESLocalFEM(dm, PETSC_FALSE, NULL) */
  PetscCall(PlexAssemblyGetFromDM(dm, &plex));
  PetscCall(PlexAssemblySetSymmetric(plex, PETSC_TRUE)); /* the second derivative of W */
  PetscCall(ExampleSetSource(dm, "hyperelasticity"));
  PetscCall(SNESSetCountersReset(snes, PETSC_FALSE)); /* the numbers of the result are of all steps */
  PetscCall(SNESSetFromOptions(snes));

  PetscCall(DMCreateGlobalVector(dm, &X));
  PetscCall(PetscObjectSetName((PetscObject)X, "displacement"));
  PetscCall(SolveInSteps(snes, X, &angle, &energy, &order));

  PetscCall(ExampleGetCellwise(dm, X, "energy", Energy, &density));
  PetscCall(ExampleWrite(dm, X, density));
  PetscCall(SNESGetNumberFunctionEvals(snes, &functions));
  PetscCall(SNESGetLinearSolveIterations(snes, &linear));
  PetscCall(ExampleResult(dm, "hyperelasticity", X));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        " functions=%" PetscInt_FMT " linear=%" PetscInt_FMT " energy=%.8f order=%.2f\n", functions,
                        linear, (double)energy, (double)order));
  PetscCall(VecDestroy(&density));
  PetscCall(VecDestroy(&X));
  PetscCall(SNESDestroy(&snes));
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return 0;
}
