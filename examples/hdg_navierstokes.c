static char help
  [] = "A driven cavity by hybridized discontinuous Galerkin: an incompressible fluid fills the unit square or cube, "
       "and its "
       "lid y = 1 moves at speed 1 in x. Its steady flow by Newton's method, whose solver and number of steps are "
       "shown "
       "with the velocity at the center; along both center lines beside the figures of Ghia, Ghia and Shin (1982). Or "
       "its "
       "start from rest in steps of time. Or, of a closed square, a pair of vortices that runs into a wall, with "
       "convection "
       "that is explicit in time (Clercx and Bruneau, 2006).\n\n"
       "  -cells N                cells a side (default 16, an even number), each of them simplices\n"
       "  -boxes                  or one quadrilateral or hexahedron\n"
       "  -dim D                  2 (default) or 3\n"
       "  -reynolds R             of lid and side (default 100); larger ones from the flow of a quarter of it\n"
       "  -lines                  velocities along the center lines\n"
       "  -time T                 the start from rest until then; -ts_time_step and other options of TS\n"
       "  -dipole                 the pair of vortices, -reynolds by half a side and the mean speed (default 625), "
       "until "
       "-time (default 0.5), with its energy at the end, which is 2 at the start; -plex_hdg_transport implicit\n"
       "  -output NAME            writes NAME.vtkhdf\n"
       "  -plex_hdg_degree P      degree of gradients, pressures and traces (default 3), the velocity has one "
       "more; -plex_hdg_picard, -plex_hdg_snes_monitor, -plex_hdg_ksp_..., -plex_hdg_monitor_image and the like\n\n";

#include "program.h"
#include "box.h"

static PetscErrorCode Walls(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar g[],
                            void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) g[d] = 0.;
  if (x[1] > 1. - 1e-8) g[0] = 1.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* U. Ghia, K. N. Ghia and C. T. Shin, High-Re solutions for incompressible flow using the Navier-Stokes equations and a
   multigrid method, J. Comput. Phys. 48 (1982), 387-411, tables I and II: component 0 at (1/2, x), 1 at (x, 1/2) */
typedef struct {
  PetscInt  component;
  PetscReal x, value[2]; /* at Reynolds numbers 100 and 400 */
} Ghia;

static const Ghia ghia[] = {
  {0, 31. / 32., {0.78871, 0.68439}  },
  {0, 16. / 32., {-0.20581, -0.11477}},
  {0, 9. / 32.,  {-0.15662, -0.32726}},
  {0, 2. / 32.,  {-0.04192, -0.09266}},
  {1, 31. / 32., {-0.05906, -0.12146}},
  {1, 16. / 32., {0.05454, 0.05186}  },
  {1, 5. / 32.,  {0.16077, 0.28124}  },
  {1, 3. / 32.,  {0.12317, 0.22965}  },
  {1, 2. / 32.,  {0.09233, 0.18360}  }
};

/* Component k of the velocity at the node nearest to at[dim], which becomes where that is */
static PetscErrorCode GetVelocity(PlexHDG hdg, PetscInt dim, PetscInt k, PetscReal at[], PetscReal *velocity)
{
  const PetscReal *x;
  PetscScalar     *values;
  PetscInt         Ne, Np, last = -1;
  PetscReal        found[4] = {0.};
  Vec              u;

  struct {
    double distance;
    int    rank;
  } mine = {PETSC_MAX_REAL, 0}, nearest;

  PetscFunctionBegin;
  PetscCall(PlexHDGGetNodes(hdg, &Ne, &Np, &x));
  PetscCall(PlexHDGGetSolution(hdg, NULL, &u, NULL, NULL));
  PetscCall(PetscMalloc1((size_t)Ne * dim * Np + 1, &values));
  PetscCall(PlexHDGComputeNodeValues(hdg, dim, u, values));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &mine.rank));
  for (PetscInt n = 0; n < Ne * Np; ++n) {
    PetscReal distance = 0.;

    for (PetscInt d = 0; d < dim; ++d) distance += PetscSqr(x[dim * n + d] - at[d]);
    if (distance < mine.distance - 1e-12) {
      mine.distance = distance;
      last          = n;
    }
  }
  for (PetscInt d = 0; last >= 0 && d < dim; ++d) found[d] = x[dim * last + d];
  if (last >= 0) found[3] = PetscRealPart(values[((size_t)(last / Np) * dim + k) * Np + last % Np]);
  PetscCall(PetscFree(values));
  PetscCallMPI(MPI_Allreduce(&mine, &nearest, 1, MPI_DOUBLE_INT, MPI_MINLOC, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Bcast(found, 4, MPIU_REAL, nearest.rank, PETSC_COMM_WORLD));
  for (PetscInt d = 0; d < dim; ++d) at[d] = found[d];
  *velocity = found[3];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PrintLines(PlexHDG hdg, PetscReal reynolds)
{
  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(ghia); ++k) {
    const Ghia *g     = &ghia[k];
    PetscReal   at[2] = {g->component ? g->x : 0.5, g->component ? 0.5 : g->x}, value = 0.;

    PetscCall(GetVelocity(hdg, 2, g->component, at, &value));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s at (%.5f, %.5f): %8.5f", g->component ? "v" : "u", (double)at[0],
                          (double)at[1], (double)value));
    if (reynolds == 100. || reynolds == 400.)
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, ", of Ghia and others %8.5f", (double)g->value[reynolds == 400.]));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The steady flow: that of a smaller Reynolds number is the first guess */
static PetscErrorCode SolveSteady(PlexHDG hdg, PetscReal reynolds, PetscInt *steps, PetscInt *iterations)
{
  PetscReal first = reynolds;
  SNES      snes;
  KSP       ksp;

  PetscFunctionBegin;
  while (first > 400.) first /= 4.;
  for (*steps = 0; first <= reynolds; first *= 4.) {
    PetscInt n;

    PetscCall(PlexHDGSetViscosity(hdg, 1. / first));
    PetscCall(PlexHDGSolve(hdg));
    PetscCall(PlexHDGGetSNES(hdg, &snes));
    PetscCall(SNESGetIterationNumber(snes, &n));
    *steps += n;
  }
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPGetIterationNumber(ksp, iterations));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From rest, by steps of TSBDF */
static PetscErrorCode SolveInTime(PlexHDG hdg, PetscReal reynolds, PetscReal time, PetscInt *steps)
{
  TS      ts;
  TSAdapt adapt;
  Vec     X;

  PetscFunctionBegin;
  PetscCall(PlexHDGSetViscosity(hdg, 1. / reynolds));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetType(ts, TSBDF));
  PetscCall(PlexHDGSetTS(hdg, ts));
  PetscCall(TSSetTimeStep(ts, time / 20.));
  PetscCall(TSSetMaxTime(ts, time));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSGetAdapt(ts, &adapt));
  PetscCall(TSAdaptSetType(adapt, TSADAPTNONE));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(PlexHDGCreateStateVec(hdg, &X));
  PetscCall(VecZeroEntries(X));
  PetscCall(TSSolve(ts, X));
  PetscCall(TSGetStepNumber(ts, steps));
  PetscCall(PlexHDGSetState(hdg, X));
  PetscCall(VecDestroy(&X));
  PetscCall(TSDestroy(&ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* H. J. H. Clercx and C.-H. Bruneau, The normal and oblique collision of a dipole with a no-slip boundary, Comput. Fluids 35
   (2006), 245-279: in the square (-1, 1)^2, here of half that size, with half of their speeds */
static PetscErrorCode Dipole(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx)
{
  const PetscReal strength = 299.528385375226, X = 2. * x[0] - 1.;

  PetscFunctionBegin;
  for (PetscInt d = 0; d < n; ++d) u[d] = 0.;
  for (int k = 0; k < 2; ++k) {
    const PetscReal Y = 2. * x[1] - 1. - (k ? -0.1 : 0.1),
                    c = 0.25 * (k ? -1. : 1.) * strength * PetscExpReal(-100. * (X * X + Y * Y));

    u[0] -= c * Y;
    u[1] += c * X;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Rest(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < n; ++d) u[d] = 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The step is 2 h/(3 (2 P + 3) speed), of the largest speed that there is, some 7 at the wall */
static PetscErrorCode SolveDipole(PlexHDG hdg, PetscInt cells, PetscReal reynolds, PetscReal time, PetscInt *steps,
                                  PetscReal *energy)
{
  PetscReal error[3];
  PetscInt  P;
  TS        ts;
  TSAdapt   adapt;
  Vec       X;

  PetscFunctionBegin;
  PetscCall(PlexHDGGetDegree(hdg, &P));
  PetscCall(PlexHDGSetViscosity(hdg, 0.25 / reynolds));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetType(ts, TSBDF)); /* where convection is implicit */
  PetscCall(PlexHDGSetTS(hdg, ts));
  *steps = (PetscInt)PetscCeilReal(time * 7. * cells * 1.5 * (2 * P + 3));
  PetscCall(TSSetTimeStep(ts, time / *steps));
  PetscCall(TSSetMaxTime(ts, time));
  PetscCall(TSSetMaxSteps(ts, 10 * *steps));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSGetAdapt(ts, &adapt));
  PetscCall(TSAdaptSetType(adapt, TSADAPTNONE));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(PlexHDGCreateStateVec(hdg, &X));
  PetscCall(PlexHDGProjectState(hdg, Dipole, NULL, X));
  PetscCall(TSSolve(ts, X));
  PetscCall(TSGetStepNumber(ts, steps));
  PetscCall(PlexHDGComputeStatePressure(hdg, X));
  PetscCall(PlexHDGSetState(hdg, X));
  PetscCall(PlexHDGComputeL2Error(hdg, Rest, NULL, NULL, error));
  *energy = 8. * error[0] * error[0];
  PetscCall(VecDestroy(&X));
  PetscCall(TSDestroy(&ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt  cells = 16, dim = 2, unknowns, iterations = 0, steps;
  PetscBool boxes = PETSC_FALSE, lines = PETSC_FALSE, dipole = PETSC_FALSE;
  PetscReal reynolds = 0., time = 0., center = 0., energy = 0., at[3] = {0.5, 0.5, 0.5};
  char      output[PETSC_MAX_PATH_LEN] = "", file[PETSC_MAX_PATH_LEN];
  PlexHDG   hdg;
  DM        dm, other;
  Vec       trace;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Driven cavity", NULL);
  PetscCall(PetscOptionsBoundedInt("-cells", "Cells a side", NULL, cells, &cells, NULL, 2));
  PetscCall(PetscOptionsRangeInt("-dim", "Dimension", NULL, dim, &dim, NULL, 2, 3));
  PetscCall(PetscOptionsBool("-boxes", "Quadrilaterals or hexahedra", NULL, boxes, &boxes, NULL));
  PetscCall(PetscOptionsReal("-reynolds", "Reynolds number", NULL, reynolds, &reynolds, NULL));
  PetscCall(PetscOptionsReal("-time", "Time until which the start from rest is computed; 0: the steady flow", NULL,
                             time, &time, NULL));
  PetscCall(PetscOptionsBool("-lines", "Velocities along the center lines", NULL, lines, &lines, NULL));
  PetscCall(PetscOptionsString("-output", "Picture", NULL, output, output, sizeof(output), NULL));
  PetscCall(PetscOptionsBool("-dipole", "A pair of vortices in a closed square", NULL, dipole, &dipole, NULL));
  PetscOptionsEnd();
  PetscCheck(!dipole || (dim == 2 && !boxes), PETSC_COMM_WORLD, PETSC_ERR_ARG_INCOMP,
             "-dipole is in 2D and for triangles: leave out -dim 3 and -boxes");
  if (reynolds == 0.) reynolds = dipole ? 625. : 100.;
  if (dipole && time == 0.) time = 0.5;
  cells += cells % 2;
  if (boxes)
    PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, dim, PETSC_FALSE, (const PetscInt[]){cells, cells, cells}, NULL,
                                  NULL, NULL, PETSC_TRUE, 0, PETSC_FALSE, &dm));
  else PetscCall(BoxCreate(PETSC_COMM_WORLD, dim, cells, &dm));
  PetscCall(DMPlexDistribute(dm, 0, NULL, &other));
  if (other) {
    PetscCall(DMDestroy(&dm));
    dm = other;
  }
  PetscCall(PlexHDGCreate(dm, &hdg));
  PetscCall(PlexHDGSetSystem(hdg, PLEX_HDG_NAVIER_STOKES));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, dipole ? NULL : Walls, NULL));
  if (dipole) PetscCall(PlexHDGSetTransport(hdg, PLEX_HDG_TRANSPORT_EXPLICIT));
  PetscCall(PlexHDGSetFromOptions(hdg));
  if (dipole) PetscCall(SolveDipole(hdg, cells, reynolds, time, &steps, &energy));
  else if (time > 0.) PetscCall(SolveInTime(hdg, reynolds, time, &steps));
  else PetscCall(SolveSteady(hdg, reynolds, &steps, &iterations));
  PetscCall(PlexHDGGetSolution(hdg, &trace, NULL, NULL, NULL));
  PetscCall(VecGetSize(trace, &unknowns));
  PetscCall(GetVelocity(hdg, dim, 0, at, &center));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "result: example=hdg_navierstokes unknowns=%" PetscInt_FMT " steps=%" PetscInt_FMT
                        " iterations=%" PetscInt_FMT " center=%.6g",
                        unknowns, steps, iterations, (double)center));
  if (dipole) PetscCall(PetscPrintf(PETSC_COMM_WORLD, " energy=%.6g", (double)energy));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  if (lines && dim == 2) PetscCall(PrintLines(hdg, reynolds));
  if (output[0]) {
    if (dipole) PetscCall(PlexHDGGetSolenoidalVelocity(hdg, &trace)); /* which the file then has, too */
    PetscCall(PetscSNPrintf(file, sizeof(file), "%s.vtkhdf", output));
    PetscCall(PlexHDGWriteVTKHDF(hdg, file, NULL, NULL));
  }
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return 0;
}
