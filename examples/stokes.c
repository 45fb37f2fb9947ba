static char help[] = "Stokes flow with Taylor-Hood elements: round four obstacles, or a manufactured solution.\n\n"
                     "  -mesh FILE       Gmsh file with the physical groups of examples/plate.geo (default "
                     "examples/plate.msh)\n"
                     "  -mms             a manufactured solution on the unit square or cube instead; prints the L2 "
                     "errors\n"
                     "  -dim 2|3, -cells N    its mesh (default 2, 16 cells a side)\n"
                     "  -order N         order of the velocity; the pressure's is one less (default 2)\n"
                     "  -mu MU           viscosity (default 1)\n"
                     "  -mass            precondition the Schur complement by the pressure's mass matrix over the "
                     "viscosity, a form of\n"
                     "                   its own, instead of by what PETSc makes of the matrix\n"
                     "  -output NAME     write NAME.h5 and NAME.xdmf for ParaView and plot.py\n"
                     "  -plex_assembly_type, -plex_assembly_backend, ... as in the manual; -snes_..., -ksp_..., "
                     "-pc_... as in PETSc\n\n";

/*
     -div(2 mu eps(u)) + grad p = f,   div u = 0,   eps(u) = (grad u + grad u^T) / 2

  weakly, with the pressure's equation negated so that the matrix is symmetric,

     (2 mu eps(u), grad v) - (p, div v) = (f, v),      -(div u, q) = 0

  Velocity and pressure are two fields that share a quadrature. The channel [0,6] x [0,4] with four round obstacles: a
  parabolic inflow of speed 1 on the left, no slip on the walls and the obstacles, free outflow on the right, which
  fixes the pressure.

  The manufactured solution has no walls: u is given on the whole boundary, p in one corner.

     u = (sin(pi x) cos(pi y), -cos(pi x) sin(pi y) [, 0]),   p = sin(pi (x + y)),   f = 2 pi^2 mu u + grad p

  The one line for PlexGPU is PlexAssemblySetSNESLocal().
*/
#include "example.h"

#define WIDTH  6.0 /* of plate.geo */
#define HEIGHT 4.0

/* The label "sides": where the channel has values, and the corner of the pressure */
#define INFLOW 1
#define WALL   2
#define CORNER 3

typedef enum {
  VELOCITY,
  PRESSURE
} Field;

static PetscScalar mu = 1.0; /* the pointwise functions read it; PlexGPU takes it to the device */

static void Stress(RESIDUAL_ARGS(f1))
{
  for (PetscInt i = 0; i < dim; ++i) {
    for (PetscInt j = 0; j < dim; ++j) f1[i * dim + j] = mu * (u_x[i * dim + j] + u_x[j * dim + i]);
    f1[i * dim + i] -= u[uOff[PRESSURE]];
  }
}

static void MinusDivergence(RESIDUAL_ARGS(f0))
{
  for (PetscInt i = 0; i < dim; ++i) f0[0] -= u_x[i * dim + i];
}

/* d Stress_ij / d (grad u)_kl, at [((i * dim + k) * dim + j) * dim + l] */
static void StressOfGradient(JACOBIAN_ARGS(g3))
{
  for (PetscInt i = 0; i < dim; ++i) {
    for (PetscInt j = 0; j < dim; ++j) {
      g3[((i * dim + i) * dim + j) * dim + j] += mu;
      g3[((i * dim + j) * dim + j) * dim + i] += mu;
    }
  }
}

static void StressOfPressure(JACOBIAN_ARGS(g2))
{
  for (PetscInt i = 0; i < dim; ++i) g2[i * dim + i] = -1.0;
}

static void MinusDivergenceOfGradient(JACOBIAN_ARGS(g1))
{
  for (PetscInt i = 0; i < dim; ++i) g1[i * dim + i] = -1.0;
}

/* The Schur complement is close to the mass matrix of the pressure over the viscosity (and negative, as everything in
   its rows) */
static void MassOverViscosity(JACOBIAN_ARGS(g0))
{
  g0[0] = -1.0 / mu;
}

/* -f of the manufactured solution */
static void Force(RESIDUAL_ARGS(f0))
{
  const PetscReal k = 2.0 * PETSC_PI * PETSC_PI, dp = PETSC_PI * PetscCosReal(PETSC_PI * (x[0] + x[1]));

  f0[0] = -k * mu * PetscSinReal(PETSC_PI * x[0]) * PetscCosReal(PETSC_PI * x[1]) - dp;
  f0[1] = k * mu * PetscCosReal(PETSC_PI * x[0]) * PetscSinReal(PETSC_PI * x[1]) - dp;
}

static PetscErrorCode ExactVelocity(VALUE_ARGS)
{
  u[0] = PetscSinReal(PETSC_PI * x[0]) * PetscCosReal(PETSC_PI * x[1]);
  u[1] = -PetscCosReal(PETSC_PI * x[0]) * PetscSinReal(PETSC_PI * x[1]);
  if (dim == 3) u[2] = 0.0;
  return PETSC_SUCCESS;
}

static PetscErrorCode ExactPressure(VALUE_ARGS)
{
  u[0] = PetscSinReal(PETSC_PI * (x[0] + x[1]));
  return PETSC_SUCCESS;
}

static PetscErrorCode Inflow(VALUE_ARGS)
{
  u[0] = 4.0 * x[1] * (HEIGHT - x[1]) / (HEIGHT * HEIGHT);
  u[1] = 0.0;
  return PETSC_SUCCESS;
}

static PetscErrorCode NoSlip(VALUE_ARGS)
{
  for (PetscInt c = 0; c < Nc; ++c) u[c] = 0.0;
  return PETSC_SUCCESS;
}

/* The label "sides" of the channel, from where its boundary's facets are: all is wall but the inflow and the outflow */
static PetscErrorCode LabelChannel(DM dm)
{
  IS              is;
  DMLabel         all, sides;
  const PetscInt *facets;
  PetscInt        n = 0;

  PetscFunctionBeginUser;
  PetscCall(DMCreateLabel(dm, "boundary"));
  PetscCall(DMGetLabel(dm, "boundary", &all));
  PetscCall(DMPlexMarkBoundaryFaces(dm, 1, all));
  PetscCall(DMCreateLabel(dm, "sides"));
  PetscCall(DMGetLabel(dm, "sides", &sides));
  PetscCall(DMLabelGetStratumIS(all, 1, &is));
  if (is) {
    PetscCall(ISGetLocalSize(is, &n));
    PetscCall(ISGetIndices(is, &facets));
  }
  for (PetscInt f = 0; f < n; ++f) {
    PetscReal middle[3];

    PetscCall(DMPlexComputeCellGeometryFVM(dm, facets[f], NULL, middle, NULL));
    if (middle[0] < 1e-6) PetscCall(DMLabelSetValue(sides, facets[f], INFLOW));
    else if (middle[0] < WIDTH - 1e-6) PetscCall(DMLabelSetValue(sides, facets[f], WALL));
  }
  if (is) {
    PetscCall(ISRestoreIndices(is, &facets));
    PetscCall(ISDestroy(&is));
  }
  PetscCall(DMPlexLabelComplete(dm, sides));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The label "sides" of the box: its whole boundary, and the vertex at the origin */
static PetscErrorCode LabelBox(DM dm)
{
  DMLabel            sides;
  PetscSection       section;
  Vec                coordinates;
  const PetscScalar *x;
  PetscInt           vStart, vEnd, dim;

  PetscFunctionBeginUser;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMCreateLabel(dm, "sides"));
  PetscCall(DMGetLabel(dm, "sides", &sides));
  PetscCall(DMPlexMarkBoundaryFaces(dm, WALL, sides));
  PetscCall(DMPlexLabelComplete(dm, sides));
  PetscCall(DMPlexGetDepthStratum(dm, 0, &vStart, &vEnd));
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(DMGetCoordinateSection(dm, &section));
  PetscCall(VecGetArrayRead(coordinates, &x));
  for (PetscInt v = vStart; v < vEnd; ++v) {
    PetscInt  off;
    PetscReal sum = 0.0;

    PetscCall(PetscSectionGetOffset(section, v, &off));
    for (PetscInt d = 0; d < dim; ++d) sum += PetscAbsScalar(x[off + d]);
    if (sum < 1e-8) PetscCall(DMLabelSetValue(sides, v, CORNER));
  }
  PetscCall(VecRestoreArrayRead(coordinates, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateMesh(MPI_Comm comm, PetscBool mms, DM *dm)
{
  char      path[PETSC_MAX_PATH_LEN];
  PetscInt  dim = 2, cells = 16, faces[3];
  PetscBool found;

  PetscFunctionBeginUser;
  PetscCall(ExampleFindFile("plate.msh", path, sizeof(path), &found));
  PetscOptionsBegin(comm, NULL, "Mesh", "");
  PetscCall(PetscOptionsString("-mesh", "Gmsh file of the channel", "stokes.c", path, path, sizeof(path), NULL));
  PetscCall(PetscOptionsRangeInt("-dim", "Dimension of the box", "stokes.c", dim, &dim, NULL, 2, 3));
  PetscCall(PetscOptionsBoundedInt("-cells", "Cells a side of the box", "stokes.c", cells, &cells, NULL, 1));
  PetscOptionsEnd();
  PetscCall(PetscTestFile(path, 'r', &found));
  PetscCheck(mms || found, comm, PETSC_ERR_FILE_OPEN,
             "Cannot read the mesh %s: run from the project's folder, or name a file with -mesh", path);
  faces[0] = faces[1] = faces[2] = cells;
  if (mms)
    PetscCall(DMPlexCreateBoxMesh(comm, dim, PETSC_FALSE, faces, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_FALSE, dm));
  else PetscCall(DMPlexCreateFromFile(comm, path, "channel", PETSC_TRUE, dm));
  PetscCall(DMSetFromOptions(*dm));
  if (mms) PetscCall(LabelBox(*dm));
  else PetscCall(LabelChannel(*dm));
  PetscCall(DMViewFromOptions(*dm, NULL, "-dm_view"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddValues(DM dm, const char name[], PetscInt side, Field field,
                                PetscErrorCode (*values)(VALUE_ARGS))
{
  DMLabel label;

  PetscFunctionBeginUser;
  PetscCall(DMGetLabel(dm, "sides", &label));
  PetscCall(DMAddBoundary(dm, DM_BC_ESSENTIAL, name, label, 1, &side, field, 0, NULL, (PetscVoidFn *)values, NULL, NULL,
                          NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetUpProblem(DM dm, PetscBool mms, PetscBool mass)
{
  PetscInt dim, order = 2;
  PetscFE  velocity, pressure;
  PetscDS  ds;

  PetscFunctionBeginUser;
  PetscOptionsBegin(PetscObjectComm((PetscObject)dm), NULL, "Stokes", "");
  PetscCall(PetscOptionsBoundedInt("-order", "Order of the velocity", "stokes.c", order, &order, NULL, 2));
  PetscCall(PetscOptionsScalar("-mu", "Viscosity", "stokes.c", mu, &mu, NULL));
  PetscOptionsEnd();
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(ExampleAddField(dm, "velocity", dim, order, NULL, &velocity));
  PetscCall(ExampleAddField(dm, "pressure", 1, order - 1, velocity, &pressure));
  PetscCall(PetscFEDestroy(&velocity));
  PetscCall(PetscFEDestroy(&pressure));
  PetscCall(DMCreateDS(dm));
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSSetResidual(ds, VELOCITY, mms ? Force : NULL, Stress));
  PetscCall(PetscDSSetResidual(ds, PRESSURE, MinusDivergence, NULL));
  PetscCall(PetscDSSetJacobian(ds, VELOCITY, VELOCITY, NULL, NULL, NULL, StressOfGradient));
  PetscCall(PetscDSSetJacobian(ds, VELOCITY, PRESSURE, NULL, NULL, StressOfPressure, NULL));
  PetscCall(PetscDSSetJacobian(ds, PRESSURE, VELOCITY, NULL, MinusDivergenceOfGradient, NULL, NULL));
  if (mass) { /* the same, with something in the pressure's block */
    PetscCall(PetscDSSetJacobianPreconditioner(ds, VELOCITY, VELOCITY, NULL, NULL, NULL, StressOfGradient));
    PetscCall(PetscDSSetJacobianPreconditioner(ds, VELOCITY, PRESSURE, NULL, NULL, StressOfPressure, NULL));
    PetscCall(PetscDSSetJacobianPreconditioner(ds, PRESSURE, VELOCITY, NULL, MinusDivergenceOfGradient, NULL, NULL));
    PetscCall(PetscDSSetJacobianPreconditioner(ds, PRESSURE, PRESSURE, MassOverViscosity, NULL, NULL, NULL));
  }
  if (mms) {
    PetscCall(AddValues(dm, "boundary", WALL, VELOCITY, ExactVelocity));
    PetscCall(AddValues(dm, "corner", CORNER, PRESSURE, ExactPressure));
  } else {
    PetscCall(AddValues(dm, "inflow", INFLOW, VELOCITY, Inflow));
    PetscCall(AddValues(dm, "wall", WALL, VELOCITY, NoSlip));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The factor [A B; 0 S], with multigrid for A; for S the diagonal of the mass matrix or of C diag(A)^-1 B */
static PetscErrorCode SetDefaults(PetscBool mass)
{
  PetscFunctionBeginUser;
  PetscCall(ExampleDefaultTypes());
  PetscCall(ExampleDefault("-snes_type", SNESKSPONLY));
  PetscCall(ExampleDefault("-ksp_type", KSPFGMRES));
  PetscCall(ExampleDefault("-ksp_gmres_restart", "100"));
  PetscCall(ExampleDefault("-ksp_max_it", "1000"));
  PetscCall(ExampleDefault("-ksp_rtol", "1e-12"));
  PetscCall(ExampleDefault("-pc_type", PCFIELDSPLIT));
  PetscCall(ExampleDefault("-pc_fieldsplit_type", "schur"));
  PetscCall(ExampleDefault("-pc_fieldsplit_schur_fact_type", "upper"));
  PetscCall(ExampleDefault("-pc_fieldsplit_schur_precondition", mass ? "a11" : "selfp"));
  PetscCall(ExampleDefault("-fieldsplit_velocity_ksp_type", KSPPREONLY));
  PetscCall(ExampleDefault("-fieldsplit_velocity_pc_type", PCGAMG));
  PetscCall(ExampleDefault("-fieldsplit_pressure_ksp_type", KSPPREONLY));
  PetscCall(ExampleDefault("-fieldsplit_pressure_pc_type", PCJACOBI));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PrintResult(DM dm, SNES snes, Vec X, PetscBool mms)
{
  PetscErrorCode (*exact[])(VALUE_ARGS) = {ExactVelocity, ExactPressure};
  PetscReal norm, error[2];
  PetscInt  iterations;

  PetscFunctionBeginUser;
  PetscCall(SNESGetLinearSolveIterations(snes, &iterations));
  PetscCall(VecNorm(X, NORM_2, &norm));
  PetscCall(ExampleResult(dm, "stokes", X));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, " linear=%" PetscInt_FMT " norm=%.8e", iterations, (double)norm));
  if (mms) {
    PetscCall(DMComputeL2FieldDiff(dm, 0.0, exact, NULL, X, error));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, " velocity_error=%.6e pressure_error=%.6e", (double)error[0],
                          (double)error[1]));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  DM        dm;
  SNES      snes;
  Mat       J, P;
  Vec       X;
  PetscBool mms = PETSC_FALSE, mass = PETSC_FALSE;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-mms", &mms, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-mass", &mass, NULL));
  PetscCall(SetDefaults(mass));
  PetscCall(CreateMesh(PETSC_COMM_WORLD, mms, &dm));
  PetscCall(SetUpProblem(dm, mms, mass));

  PetscCall(SNESCreate(PETSC_COMM_WORLD, &snes));
  PetscCall(SNESSetDM(snes, dm));
  PetscCall(PlexAssemblySetSNESLocal(dm, NULL)); /* instead of DMPlexSetSNESLocalFEM(dm, PETSC_FALSE, NULL) */
  PetscCall(ExampleSetSource(dm, "stokes"));
  PetscCall(DMCreateMatrix(dm, &J));
  P = J;
  if (mass) PetscCall(DMCreateMatrix(dm, &P));
  PetscCall(SNESSetJacobian(snes, J, P, NULL, NULL));
  PetscCall(SNESSetFromOptions(snes));

  PetscCall(DMCreateGlobalVector(dm, &X));
  PetscCall(SNESSolve(snes, NULL, X));
  PetscCall(ExampleCheckConverged(snes));
  PetscCall(ExampleWrite(dm, X, NULL));
  PetscCall(PrintResult(dm, snes, X, mms));
  PetscCall(VecDestroy(&X));
  if (mass) PetscCall(MatDestroy(&P));
  PetscCall(MatDestroy(&J));
  PetscCall(SNESDestroy(&snes));
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return 0;
}
