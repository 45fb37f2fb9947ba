static char help[] = "Two substances react and diffuse, and patterns grow: the Gray-Scott system in time.\n\n"
                     "  -dim 2|3         a square, or a slab of an eighth of its side (default 2)\n"
                     "  -cells N         cells along the side (default 64; in 3D 40)\n"
                     "  -order N         order of the Lagrange elements (default 1)\n"
                     "  -feed F, -kill K, -diffusion_u D, -diffusion_v D    the system's numbers (defaults "
                     "below)\n"
                     "  -output NAME     write NAME.h5 and NAME.xdmf for ParaView and plot.py\n"
                     "  -ts_max_time T   the end (default 2000), -ts_type, -ts_adapt_type, -ts_rtol, "
                     "-ts_monitor, ... as in PETSc\n"
                     "  -plex_assembly_type, -plex_assembly_backend, ... as in the manual; -snes_..., -ksp_..., "
                     "-pc_... as in PETSc\n\n";

/*
     u_t = D_u div grad u - u v^2 + F (1 - u)
     v_t = D_v div grad v + u v^2 - (F + K) v        in the square of side 2, no flux through its sides

  v eats u, which is fed at the rate F; v is taken away at the rate F + K. From four squares of v spots grow that divide
  until they fill the square (Pearson, Complex patterns in a simple system, Science 261, 1993). u and v are the
  components of one field.

  Time steps are those of BDF of order 2, implicit and with a size that the local error chooses; each is a Newton solve.
  The one line for PlexGPU is PlexAssemblySetTSLocal(), in place of DMTSSetBoundaryLocal(), DMTSSetIFunctionLocal() and
  DMTSSetIJacobianLocal().
*/
#include "example.h"

#define SIDE   2.0
#define HEIGHT 0.25 /* of the slab */

/* PetscDSSetConstants() */
typedef enum {
  DIFFUSION_U,
  DIFFUSION_V,
  FEED,
  KILL,
  NUM_CONSTANTS
} Constant;

static void Reaction(RESIDUAL_ARGS(f0))
{
  const PetscScalar uvv = u[0] * u[1] * u[1];

  f0[0] = u_t[0] + uvv - constants[FEED] * (1.0 - u[0]);
  f0[1] = u_t[1] - uvv + (constants[FEED] + constants[KILL]) * u[1];
}

static void Diffusion(RESIDUAL_ARGS(f1))
{
  for (PetscInt d = 0; d < dim; ++d) {
    f1[d]       = constants[DIFFUSION_U] * u_x[d];
    f1[dim + d] = constants[DIFFUSION_V] * u_x[dim + d];
  }
}

/* d f0_i / d u_j + shift d f0_i / d (u_t)_j, at [i * 2 + j] */
static void ReactionOfConcentrations(JACOBIAN_ARGS(g0))
{
  g0[0] = u_tShift + u[1] * u[1] + constants[FEED];
  g0[1] = 2.0 * u[0] * u[1];
  g0[2] = -u[1] * u[1];
  g0[3] = u_tShift - 2.0 * u[0] * u[1] + constants[FEED] + constants[KILL];
}

/* d f1_ik / d (grad u_j)_l, at [((i * 2 + j) * dim + k) * dim + l] */
static void DiffusionOfGradient(JACOBIAN_ARGS(g3))
{
  for (PetscInt d = 0; d < dim; ++d) {
    g3[d * dim + d]             = constants[DIFFUSION_U];
    g3[(3 * dim + d) * dim + d] = constants[DIFFUSION_V];
  }
}

/* Its integral is the mean of u */
static void MeanOfU(RESIDUAL_ARGS(mean))
{
  mean[0] = u[0] / (SIDE * SIDE * (dim == 3 ? HEIGHT : 1.0));
}

/* v in four small squares round the middle, a little moved so that not all is symmetric */
static PetscErrorCode Start(VALUE_ARGS)
{
  const PetscReal spots[4][2] = {
    {0.80, 0.84},
    {1.22, 0.76},
    {0.74, 1.24},
    {1.18, 1.20}
  };
  PetscBool inside = PETSC_FALSE;

  for (PetscInt s = 0; s < 4; ++s) {
    PetscReal distance = 0.0;

    for (PetscInt d = 0; d < 2; ++d) distance = PetscMax(distance, PetscAbsReal(x[d] - spots[s][d]));
    if (distance < 0.09) inside = PETSC_TRUE;
  }
  u[0] = inside ? 0.5 : 1.0;
  u[1] = inside ? 0.25 : 0.0;
  return PETSC_SUCCESS;
}

static PetscErrorCode CreateMesh(MPI_Comm comm, DM *dm)
{
  const PetscReal upper[3] = {SIDE, SIDE, HEIGHT};
  PetscInt        dim      = 2, cells, faces[3];

  PetscFunctionBeginUser;
  PetscOptionsBegin(comm, NULL, "Mesh", "");
  PetscCall(PetscOptionsRangeInt("-dim", "Dimension", "reaction.c", dim, &dim, NULL, 2, 3));
  cells = dim == 2 ? 64 : 40;
  PetscCall(PetscOptionsBoundedInt("-cells", "Cells a side", "reaction.c", cells, &cells, NULL, 1));
  PetscOptionsEnd();
  faces[0] = faces[1] = cells;
  faces[2]            = PetscMax(cells / 16, 1);
  PetscCall(DMPlexCreateBoxMesh(comm, dim, PETSC_FALSE, faces, NULL, upper, NULL, PETSC_TRUE, 0, PETSC_FALSE, dm));
  PetscCall(DMSetFromOptions(*dm));
  PetscCall(DMViewFromOptions(*dm, NULL, "-dm_view"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetUpProblem(DM dm)
{
  PetscScalar c[NUM_CONSTANTS] = {2e-4, 1e-4, 0.03, 0.06};
  PetscInt    order            = 1;
  PetscFE     fe;
  PetscDS     ds;

  PetscFunctionBeginUser;
  PetscOptionsBegin(PetscObjectComm((PetscObject)dm), NULL, "Gray-Scott", "");
  PetscCall(PetscOptionsBoundedInt("-order", "Order of the elements", "reaction.c", order, &order, NULL, 1));
  PetscCall(PetscOptionsScalar("-diffusion_u", "D_u", "reaction.c", c[DIFFUSION_U], &c[DIFFUSION_U], NULL));
  PetscCall(PetscOptionsScalar("-diffusion_v", "D_v", "reaction.c", c[DIFFUSION_V], &c[DIFFUSION_V], NULL));
  PetscCall(PetscOptionsScalar("-feed", "F", "reaction.c", c[FEED], &c[FEED], NULL));
  PetscCall(PetscOptionsScalar("-kill", "K", "reaction.c", c[KILL], &c[KILL], NULL));
  PetscOptionsEnd();
  PetscCall(ExampleAddField(dm, "concentration", 2, order, NULL, &fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMCreateDS(dm));
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSSetResidual(ds, 0, Reaction, Diffusion));
  PetscCall(PetscDSSetJacobian(ds, 0, 0, ReactionOfConcentrations, NULL, NULL, DiffusionOfGradient));
  PetscCall(PetscDSSetConstants(ds, NUM_CONSTANTS, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PrintResult(TS ts, DM dm, Vec X)
{
  PetscInt    steps, rejected, newton, linear;
  PetscReal   t, most;
  PetscScalar mean;
  PetscDS     ds;

  PetscFunctionBeginUser;
  PetscCall(TSGetSolveTime(ts, &t));
  PetscCall(TSGetStepNumber(ts, &steps));
  PetscCall(TSGetStepRejections(ts, &rejected));
  PetscCall(TSGetSNESIterations(ts, &newton));
  PetscCall(TSGetKSPIterations(ts, &linear));
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSSetObjective(ds, 0, MeanOfU));
  PetscCall(DMPlexComputeIntegralFEM(dm, X, &mean, NULL));
  PetscCall(VecStrideMax(X, 1, NULL, &most));
  PetscCall(ExampleResult(dm, "reaction", X));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        " time=%g steps=%" PetscInt_FMT " rejected=%" PetscInt_FMT " newton=%" PetscInt_FMT
                        " linear=%" PetscInt_FMT " mean_u=%.6f max_v=%.6f\n",
                        (double)t, steps, rejected, newton, linear, (double)PetscRealPart(mean), (double)most));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscErrorCode (*start[])(VALUE_ARGS) = {Start};
  DM  dm;
  TS  ts;
  Vec X;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(ExampleDefaultTypes());
  PetscCall(ExampleDefault("-ts_adapt_type", TSADAPTBASIC));
  PetscCall(ExampleDefault("-ts_rtol", "1e-3"));
  PetscCall(ExampleDefault("-ts_atol", "1e-3"));
  PetscCall(ExampleDefault("-snes_rtol", "1e-6"));
  PetscCall(ExampleDefault("-ksp_rtol", "1e-6"));
  PetscCall(CreateMesh(PETSC_COMM_WORLD, &dm));
  PetscCall(SetUpProblem(dm));

  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetDM(ts, dm));
  /* instead of PETSc's DMTSSetBoundaryLocal(), ...IFunctionLocal(), ...IJacobianLocal() */
  PetscCall(PlexAssemblySetTSLocal(dm, NULL));
  PetscCall(ExampleSetSource(dm, "reaction"));
  PetscCall(TSSetType(ts, TSBDF));
  PetscCall(TSSetTimeStep(ts, 1.0));
  PetscCall(TSSetMaxTime(ts, 2000.0));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSetFromOptions(ts));

  PetscCall(DMCreateGlobalVector(dm, &X));
  PetscCall(PetscObjectSetName((PetscObject)X, "concentration"));
  PetscCall(DMProjectFunction(dm, 0.0, start, NULL, INSERT_VALUES, X));
  PetscCall(TSSolve(ts, X));
  PetscCall(ExampleWrite(dm, X, NULL));
  PetscCall(PrintResult(ts, dm, X));
  PetscCall(VecDestroy(&X));
  PetscCall(TSDestroy(&ts));
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return 0;
}
