static char help[] = "Linear elasticity: a plate with a round hole that is pulled, compared with Kirsch's solution.\n\n"
                     "  -dim 2|3         a plane plate, or one with a thickness (default 2)\n"
                     "  -cells N         cells along the radius, an even number (default 24, in 3D 12)\n"
                     "  -order N         order of the Lagrange elements (default 2)\n"
                     "  -nu NU           Poisson's ratio (default 0.3)\n"
                     "  -traction        pull by a traction on the outer edges instead of by displacements\n"
                     "  -output NAME     write NAME.h5 and NAME.xdmf for ParaView and plot.py\n"
                     "  -plex_assembly_type, -plex_assembly_backend, ... as in the manual; -snes_..., -ksp_..., "
                     "-pc_... as in PETSc\n\n";

/*
     -div sigma = 0,   sigma = lambda tr(eps) I + 2 mu eps,   eps = (grad u + grad u^T) / 2

  Young's modulus is 1, the hole has radius 1. Far away the plate is under the tension S in the direction of x. Kirsch
  (1898) gives displacement and stress around the hole, sigma_xx = 3 S on top of it; the outer edges carry his
  displacement or his traction, the hole is free, and the L2 norm of the error is printed. By symmetry a quarter is
  enough:

          x_1 = 4  +-----------------+
                   |                 |        u_0 = 0 on the left, u_1 = 0 at the bottom;
        symmetry   |                 |  pull  in 3D u_2 = 0 in front and behind: plane strain
                   +--__             |
                   hole  \           |
                          +----------+
                     x_0 = 1  symmetry

  The mesh is a box of (distance from the hole, angle, thickness), bent. The one line for PlexGPU is
  PlexAssemblySetSNESLocal().
*/
#include "example.h"

#define SIZE    4.0  /* of the quarter */
#define TENSION 0.01 /* S */

/* PetscDSSetConstants() */
typedef enum {
  LAMBDA,
  MU,
  NUM_CONSTANTS
} Constant;

/* sigma, [dim][dim], of Kirsch's solution, in 3D with plane strain */
static void KirschStress(PetscInt dim, const PetscScalar material[], const PetscReal x[], PetscScalar sigma[])
{
  const PetscReal nu = material[LAMBDA] / (2.0 * (material[LAMBDA] + material[MU]));
  const PetscReal q = 1.0 / (x[0] * x[0] + x[1] * x[1]), th = PetscAtan2Real(x[1], x[0]); /* q = 1 / r^2 */
  const PetscReal c2 = PetscCosReal(2 * th), c4 = PetscCosReal(4 * th), s2 = PetscSinReal(2 * th),
                  s4 = PetscSinReal(4 * th);

  for (PetscInt d = 0; d < dim * dim; ++d) sigma[d] = 0.0;
  sigma[0]       = TENSION * (1.0 - q * (1.5 * c2 + c4) + 1.5 * q * q * c4);
  sigma[dim + 1] = TENSION * (-q * (0.5 * c2 - c4) - 1.5 * q * q * c4);
  sigma[1] = sigma[dim] = TENSION * (-q * (0.5 * s2 + s4) + 1.5 * q * q * s4);
  if (dim == 3) sigma[8] = nu * (sigma[0] + sigma[4]);
}

/* u of Kirsch's solution */
static PetscErrorCode KirschDisplacement(VALUE_ARGS)
{
  const PetscScalar *material = (const PetscScalar *)ctx;
  const PetscReal    mu = material[MU], kappa = 3.0 - 2.0 * material[LAMBDA] / (material[LAMBDA] + mu); /* 3 - 4 nu */
  const PetscReal    r = PetscSqrtReal(x[0] * x[0] + x[1] * x[1]), th = PetscAtan2Real(x[1], x[0]), i = 1.0 / r,
                     i3 = i * i * i;

  u[0] = TENSION / (8.0 * mu) *
         ((r + 2.0 * i) * (kappa + 1.0) * PetscCosReal(th) + 2.0 * (i - i3) * PetscCosReal(3 * th));
  u[1] = TENSION / (8.0 * mu) *
         ((r * (kappa - 3.0) + 2.0 * i * (1.0 - kappa)) * PetscSinReal(th) + 2.0 * (i - i3) * PetscSinReal(3 * th));
  if (dim == 3) u[2] = 0.0;
  return PETSC_SUCCESS;
}

static PetscErrorCode Zero(VALUE_ARGS)
{
  for (PetscInt c = 0; c < Nc; ++c) u[c] = 0.0;
  return PETSC_SUCCESS;
}

static void Stress(RESIDUAL_ARGS(sigma))
{
  PetscScalar trace = 0.0;

  for (PetscInt i = 0; i < dim; ++i) trace += u_x[i * dim + i];
  for (PetscInt i = 0; i < dim; ++i) {
    for (PetscInt j = 0; j < dim; ++j) sigma[i * dim + j] = constants[MU] * (u_x[i * dim + j] + u_x[j * dim + i]);
    sigma[i * dim + i] += constants[LAMBDA] * trace;
  }
}

/* d sigma_ij / d (grad u)_kl, at [((i * dim + k) * dim + j) * dim + l] */
static void StressOfGradient(JACOBIAN_ARGS(C))
{
  for (PetscInt i = 0; i < dim; ++i) {
    for (PetscInt j = 0; j < dim; ++j) {
      C[((i * dim + i) * dim + j) * dim + j] += constants[MU];
      C[((i * dim + j) * dim + j) * dim + i] += constants[MU];
      C[((i * dim + j) * dim + i) * dim + j] += constants[LAMBDA];
    }
  }
}

/* What pulls: -sigma n */
static void Traction(BOUNDARY_ARGS(f0))
{
  PetscScalar sigma[9];

  KirschStress(dim, constants, x, sigma);
  for (PetscInt i = 0; i < dim; ++i)
    for (PetscInt j = 0; j < dim; ++j) f0[i] -= sigma[i * dim + j] * n[j];
}

/* For the picture: sigma_xx in units of the tension */
static void StressConcentration(RESIDUAL_ARGS(result))
{
  PetscScalar trace = 0.0;

  for (PetscInt i = 0; i < dim; ++i) trace += u_x[i * dim + i];
  result[0] = (2.0 * constants[MU] * u_x[0] + constants[LAMBDA] * trace) / TENSION;
}

/* Bends the box [0,1]^dim round the hole: the distance from it in x_0, the angle in x_1 */
static PetscErrorCode BendMesh(DM dm)
{
  Vec          coordinates;
  PetscScalar *x;
  PetscInt     dim, n;

  PetscFunctionBeginUser;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &n));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt v = 0; v < n; v += dim) {
    /* smaller cells at the hole */
    const PetscReal s = PetscPowReal(PetscRealPart(x[v]), 1.7), th = 0.5 * PETSC_PI * PetscRealPart(x[v + 1]);
    /* distance of the outer edge */
    const PetscReal c = PetscCosReal(th), sn = PetscSinReal(th), edge = SIZE / PetscMax(c, sn);

    x[v]     = (1.0 - s + s * edge) * c;
    x[v + 1] = (1.0 - s + s * edge) * sn;
  }
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscCall(DMSetCoordinatesLocal(dm, coordinates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateMesh(MPI_Comm comm, DM *dm)
{
  PetscInt dim = 2, cells, faces[3];

  PetscFunctionBeginUser;
  PetscOptionsBegin(comm, NULL, "Mesh", "");
  PetscCall(PetscOptionsRangeInt("-dim", "Dimension", "elasticity.c", dim, &dim, NULL, 2, 3));
  cells = dim == 2 ? 24 : 12;
  PetscCall(PetscOptionsBoundedInt("-cells", "Cells along the radius", "elasticity.c", cells, &cells, NULL, 2));
  PetscOptionsEnd();
  PetscCheck(cells % 2 == 0, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "-cells %" PetscInt_FMT ": an even number is needed, for the corner lies in the middle", cells);
  faces[0] = faces[1] = cells;
  faces[2]            = PetscMax(cells / 8, 1);
  PetscCall(DMPlexCreateBoxMesh(comm, dim, PETSC_FALSE, faces, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_FALSE, dm));
  PetscCall(DMSetFromOptions(*dm)); /* -dm_refine before it is bent, so that the hole gets rounder */
  PetscCall(BendMesh(*dm));
  PetscCall(DMViewFromOptions(*dm, NULL, "-dm_view"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Components that vanish on a side, by symmetry */
static PetscErrorCode AddSymmetry(DM dm, const char name[], PetscInt side, PetscInt component)
{
  DMLabel label;

  PetscFunctionBeginUser;
  PetscCall(DMGetLabel(dm, "Face Sets", &label));
  PetscCall(DMAddBoundary(dm, DM_BC_ESSENTIAL, name, label, 1, &side, 0, 1, &component, (PetscVoidFn *)Zero, NULL, NULL,
                          NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetUpProblem(DM dm, PetscScalar material[])
{
  PetscInt      dim, order = 2, outer, bd;
  PetscReal     nu       = 0.3;
  PetscBool     traction = PETSC_FALSE;
  DMLabel       label;
  PetscFE       fe;
  PetscDS       ds;
  PetscWeakForm wf;

  PetscFunctionBeginUser;
  PetscOptionsBegin(PetscObjectComm((PetscObject)dm), NULL, "Elasticity", "");
  PetscCall(PetscOptionsBoundedInt("-order", "Order of the elements", "elasticity.c", order, &order, NULL, 1));
  PetscCall(PetscOptionsRangeReal("-nu", "Poisson's ratio", "elasticity.c", nu, &nu, NULL, 0.0, 0.49));
  PetscCall(PetscOptionsBool("-traction", "Pull by a traction", "elasticity.c", traction, &traction, NULL));
  PetscOptionsEnd();
  material[LAMBDA] = nu / ((1.0 + nu) * (1.0 - 2.0 * nu));
  material[MU]     = 0.5 / (1.0 + nu);
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(ExampleAddField(dm, "displacement", dim, order, NULL, &fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMCreateDS(dm));
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSSetResidual(ds, 0, NULL, Stress));
  PetscCall(PetscDSSetJacobian(ds, 0, 0, NULL, NULL, NULL, StressOfGradient));
  PetscCall(PetscDSSetConstants(ds, NUM_CONSTANTS, material));
  /* The sides of PETSc's boxes: bottom, right, top, left; in 3D bottom, top, front, back, right, left */
  outer = dim == 2 ? 2 : 5;
  PetscCall(DMGetLabel(dm, "Face Sets", &label));
  PetscCall(AddSymmetry(dm, "bottom", dim == 2 ? 1 : 3, 1));
  PetscCall(AddSymmetry(dm, "left", dim == 2 ? 3 : 4, 0));
  if (dim == 3) {
    PetscCall(AddSymmetry(dm, "front", 1, 2));
    PetscCall(AddSymmetry(dm, "behind", 2, 2));
  }
  if (traction) {
    PetscCall(DMAddBoundary(dm, DM_BC_NATURAL, "outer", label, 1, &outer, 0, 0, NULL, NULL, NULL, NULL, &bd));
    PetscCall(PetscDSGetBoundary(ds, bd, &wf, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    PetscCall(PetscWeakFormSetIndexBdResidual(wf, label, outer, 0, 0, 0, Traction, 0, NULL));
  } else
    PetscCall(DMAddBoundary(dm, DM_BC_ESSENTIAL, "outer", label, 1, &outer, 0, 0, NULL,
                            (PetscVoidFn *)KirschDisplacement, NULL, material, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A symmetric positive definite matrix, of which GAMG should know what moves the plate without straining it */
static PetscErrorCode CreateMatrix(DM dm, Mat *J)
{
  MatNullSpace rigid;

  PetscFunctionBeginUser;
  PetscCall(DMCreateMatrix(dm, J));
  PetscCall(MatSetOption(*J, MAT_SPD, PETSC_TRUE)); /* half of each element matrix need not be computed */
  PetscCall(MatSetOption(*J, MAT_SPD_ETERNAL, PETSC_TRUE));
  PetscCall(DMPlexCreateRigidBody(dm, 0, &rigid));
  PetscCall(MatSetNearNullSpace(*J, rigid));
  PetscCall(MatNullSpaceDestroy(&rigid));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* || u - Kirsch || / || u || in L2 */
static PetscErrorCode ComputeError(DM dm, Vec X, PetscScalar material[], PetscReal *error)
{
  PetscErrorCode (*exact[])(VALUE_ARGS) = {KirschDisplacement};
  void     *ctxs[]                      = {material};
  PetscReal norm;

  PetscFunctionBeginUser;
  PetscCall(DMComputeL2Diff(dm, 0.0, exact, ctxs, X, error));
  exact[0] = Zero; /* leaves the norm of u */
  PetscCall(DMComputeL2Diff(dm, 0.0, exact, ctxs, X, &norm));
  *error /= norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscScalar material[NUM_CONSTANTS];
  DM          dm;
  SNES        snes;
  Mat         J;
  Vec         X, stress;
  PetscInt    iterations;
  PetscReal   error, most;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(ExampleDefaultTypes());
  PetscCall(ExampleDefault("-snes_type", SNESKSPONLY));
  PetscCall(ExampleDefault("-ksp_type", KSPCG));
  PetscCall(ExampleDefault("-ksp_rtol", "1e-10"));
  PetscCall(ExampleDefault("-pc_type", PCGAMG));
  PetscCall(CreateMesh(PETSC_COMM_WORLD, &dm));
  PetscCall(SetUpProblem(dm, material));

  PetscCall(SNESCreate(PETSC_COMM_WORLD, &snes));
  PetscCall(SNESSetDM(snes, dm));
  PetscCall(PlexAssemblySetSNESLocal(dm, NULL)); /* instead of DMPlexSetSNESLocalFEM(dm, PETSC_FALSE, NULL) */
  PetscCall(ExampleSetSource(dm, "elasticity"));
  PetscCall(CreateMatrix(dm, &J));
  PetscCall(SNESSetJacobian(snes, J, J, NULL, NULL));
  PetscCall(SNESSetFromOptions(snes));

  PetscCall(DMCreateGlobalVector(dm, &X));
  PetscCall(PetscObjectSetName((PetscObject)X, "displacement"));
  PetscCall(SNESSolve(snes, NULL, X));
  PetscCall(ExampleCheckConverged(snes));

  PetscCall(ExampleGetCellwise(dm, X, "stress_concentration", StressConcentration, &stress));
  PetscCall(ExampleWrite(dm, X, stress));
  PetscCall(SNESGetLinearSolveIterations(snes, &iterations));
  PetscCall(ComputeError(dm, X, material, &error));
  PetscCall(VecMax(stress, NULL, &most));
  PetscCall(ExampleResult(dm, "elasticity", X));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, " linear=%" PetscInt_FMT " error=%.6e concentration=%.6f\n", iterations,
                        (double)error, (double)most));
  PetscCall(VecDestroy(&stress));
  PetscCall(VecDestroy(&X));
  PetscCall(MatDestroy(&J));
  PetscCall(SNESDestroy(&snes));
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return 0;
}
