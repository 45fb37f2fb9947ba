static char
  help[] = "Gas at three times the speed of sound in a channel with a step (Emery 1968; Woodward and Colella 1984), by "
           "discontinuous Galerkin with quadrature and shock capturing.\n\n"
           "  -cells N                cells across the channel, a multiple of 5 (default 20)\n"
           "  -triangles              two triangles in place of each quadrilateral\n"
           "  -time T                 how long (default 4)\n"
           "  -output NAME            writes NAME.vtkhdf, for ParaView and examples/gas.py\n"
           "  -plex_dg_degree N       degree of the polynomials (default 2)\n"
           "  -plex_dg_backend NAME   cuda, host or emulate; -plex_dg_view shows more\n\n";

#include "program.h"

/* The channel is 3 long and 1 high, the step begins at 0.6 and is 0.2 high */
#define LENGTH 3
#define STEP   3 /* fifths of the height */
#define GAMMA  1.4
/* Of gas at rest behind a normal shock of Mach 3, over that before it: Rayleigh's formula for Pitot tubes */
#define PITOT 12.061

typedef struct {
  PetscInt  cells;
  PetscBool triangles;
  PetscReal time;
  char      output[PETSC_MAX_PATH_LEN];
} Options;

static PetscErrorCode GetOptions(Options *o)
{
  PetscFunctionBegin;
  o->cells     = 20;
  o->triangles = PETSC_FALSE;
  o->time      = 4.;
  o->output[0] = 0;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "A step in supersonic flow", NULL);
  PetscCall(PetscOptionsBoundedInt("-cells", "Cells across the channel", NULL, o->cells, &o->cells, NULL, 5));
  PetscCall(PetscOptionsBool("-triangles", "Triangles", NULL, o->triangles, &o->triangles, NULL));
  PetscCall(PetscOptionsReal("-time", "How long", NULL, o->time, &o->time, NULL));
  PetscCall(PetscOptionsString("-output", "Name of files", NULL, o->output, o->output, sizeof(o->output), NULL));
  PetscOptionsEnd();
  PetscCheck(o->cells % 5 == 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "The step is a fifth of the channel's height: -cells %" PetscInt_FMT " has to be a multiple of 5",
             o->cells);
  PetscCheck(o->time > 0., PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "The run is to last %g: see -time, which is positive", (double)o->time);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Label "sides": 1 where gas comes in, 2 where it leaves */
static PetscErrorCode LabelSides(DM dm)
{
  IS              facets;
  const PetscInt *list;
  PetscInt        n;
  DMLabel         all, sides;

  PetscFunctionBegin;
  PetscCall(DMCreateLabel(dm, "sides"));
  PetscCall(DMGetLabel(dm, "sides", &sides));
  PetscCall(DMLabelCreate(PETSC_COMM_SELF, "boundary", &all));
  PetscCall(DMPlexMarkBoundaryFaces(dm, 1, all));
  PetscCall(DMLabelGetStratumIS(all, 1, &facets));
  if (facets) {
    PetscCall(ISGetLocalSize(facets, &n));
    PetscCall(ISGetIndices(facets, &list));
    for (PetscInt k = 0; k < n; ++k) {
      PetscReal x[3];

      PetscCall(DMPlexComputeCellGeometryFVM(dm, list[k], NULL, x, NULL));
      if (x[0] < 1e-9) PetscCall(DMLabelSetValue(sides, list[k], 1));
      if (x[0] > LENGTH - 1e-9) PetscCall(DMLabelSetValue(sides, list[k], 2));
    }
    PetscCall(ISRestoreIndices(facets, &list));
  }
  PetscCall(ISDestroy(&facets));
  PetscCall(DMLabelDestroy(&all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Squares, or halves of them, without those of the step; all cells on the first process, then distributed */
static PetscErrorCode MakeMesh(const Options *o, DM *dm)
{
  const PetscInt n = o->cells, nx = LENGTH * n, side = nx + 1, corners = o->triangles ? 3 : 4;
  PetscInt      *cells, *number, count = 0, vertices = 0;
  PetscReal     *x;
  PetscMPIInt    rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscMalloc3(nx * n * 6, &cells, side * (n + 1), &number, side * (n + 1) * 2, &x));
  for (PetscInt v = 0; v < side * (n + 1); ++v) number[v] = -1;
  for (PetscInt c = 0; c < nx * n && !rank; ++c) {
    const PetscInt i = c % nx, j = c / nx, v = j * side + i, ring[4] = {v, v + 1, v + side + 1, v + side};

    if (5 * i >= STEP * n && 5 * j < n) continue;
    for (PetscInt k = 0; k < (o->triangles ? 6 : 4); ++k) {
      const PetscInt at = ring[o->triangles ? ((i + j) % 2 + k / 3 * 2 + k % 3) % 4 : k];

      if (number[at] < 0) {
        x[2 * vertices]     = (PetscReal)(at % side) / n;
        x[2 * vertices + 1] = (PetscReal)(at / side) / n;
        number[at]          = vertices++;
      }
      cells[count++] = number[at];
    }
  }
  PetscCall(DMPlexCreateFromCellListPetsc(PETSC_COMM_WORLD, 2, count / corners, vertices, corners, PETSC_TRUE, cells, 2,
                                          x, dm));
  PetscCall(PetscFree3(cells, number, x));
  PetscCall(LabelSides(*dm));
  PetscCall(ExampleDistribute(dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What comes in, everywhere */
static PetscErrorCode Initial(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = 1.4;
  u[1] = 1.4 * 3.;
  u[2] = 0.;
  u[3] = 1. / (GAMMA - 1.) + 0.5 * 1.4 * 9.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The mean pressure at the nodes at the foot of the step, and the least density and pressure */
static PetscErrorCode Inspect(PlexDG dg, const Options *o, Vec U, PetscReal *foot, PetscReal least[2])
{
  const PetscScalar *u;
  const PetscReal   *x;
  PetscInt           Ne, Np;
  PetscReal          sum[2] = {0., 0.};

  PetscFunctionBegin;
  least[0] = least[1] = PETSC_MAX_REAL;
  PetscCall(PlexDGGetNodes(dg, &Ne, &Np, &x));
  PetscCall(VecGetArrayRead(U, &u));
  for (PetscInt e = 0; e < Ne; ++e)
    for (PetscInt i = 0; i < Np; ++i) {
      const PetscReal *at  = &x[(e * Np + i) * 2];
      const PetscReal  rho = PetscRealPart(u[4 * e * Np + i]), mx = PetscRealPart(u[(4 * e + 1) * Np + i]),
                       my = PetscRealPart(u[(4 * e + 2) * Np + i]), E = PetscRealPart(u[(4 * e + 3) * Np + i]),
                       p = (GAMMA - 1.) * (E - 0.5 * (mx * mx + my * my) / rho);

      least[0] = PetscMin(least[0], rho);
      least[1] = PetscMin(least[1], p);
      if (at[0] < 0.6 + 1e-9 && at[0] > 0.6 - 1. / o->cells && at[1] < 1. / o->cells) {
        sum[0] += p;
        sum[1] += 1.;
      }
    }
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, sum, 2, MPIU_REAL, MPIU_SUM, PETSC_COMM_WORLD));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, least, 2, MPIU_REAL, MPIU_MIN, PETSC_COMM_WORLD));
  *foot = sum[0] / sum[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Setup(const Options *o, PlexDG *dg)
{
  const PetscReal density = 1.4, velocity[3] = {3., 0., 0.};
  DM              dm;

  PetscFunctionBegin;
  PetscCall(MakeMesh(o, &dm));
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexDGSetSystem(*dg, "euler"));
  PetscCall(PlexDGSetDiscretization(*dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetDegree(*dg, 2));
  PetscCall(PlexDGSetConstant(*dg, "density", 1,
                              &density)); /* of condition farfield; pressure 1 and gamma 1.4 are defaults */
  PetscCall(PlexDGSetConstant(*dg, "velocity", 3, velocity));
  PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, "wall"));
  PetscCall(PlexDGAddBoundary(*dg, "sides", 1, "farfield"));
  PetscCall(PlexDGAddBoundary(*dg, "sides", 2, "open"));
  PetscCall(PlexDGSetShockCapturing(*dg, PETSC_TRUE));
  PetscCall(PlexDGSetFromOptions(*dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options        o;
  PlexDG         dg;
  Vec            U;
  TS             ts;
  PetscReal      foot = 0., least[2];
  PetscInt       steps, values, degree;
  PetscLogDouble begin, end;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(GetOptions(&o));
  PetscCall(Setup(&o, &dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., Initial, NULL, U));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts)); /* ssp3, steps that follow the speed */
  PetscCall(TSSetMaxTime(ts, o.time));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  if (o.output[0]) {
    char file[PETSC_MAX_PATH_LEN];

    PetscCall(PetscSNPrintf(file, sizeof(file), "%s.vtkhdf", o.output));
    PetscCall(PlexDGMonitorSolution(dg, ts, file, PETSC_INT_MAX)); /* the first state and the last one */
  }
  PetscCall(TSSetFromOptions(ts));
  PetscCall(PetscTime(&begin));
  PetscCall(TSSolve(ts, U));
  PetscCall(PetscTime(&end));
  PetscCall(Inspect(dg, &o, U, &foot, least));
  PetscCall(TSGetStepNumber(ts, &steps));
  PetscCall(VecGetSize(U, &values));
  PetscCall(PlexDGGetDegree(dg, &degree));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%" PetscInt_FMT " values, %" PetscInt_FMT
                        " steps in %.3g s; pressure at the foot of the step %.4g, behind a normal shock %.5g\n",
                        values, steps, end - begin, (double)foot, PITOT));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "result: example=supersonic_step degree=%" PetscInt_FMT " values=%" PetscInt_FMT
                        " steps=%" PetscInt_FMT " foot=%.6f density=%.6e pressure=%.6e\n",
                        degree, values, steps, (double)(foot / PITOT), (double)least[0], (double)least[1]));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(PetscFinalize());
  return 0;
}
