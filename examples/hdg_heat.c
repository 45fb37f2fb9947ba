static char help[] = "Nonlinear heat conduction by hybridized discontinuous Galerkin: du/dt - div(kappa(u) grad u) = f "
                     "with kappa = 1 + u^2 on the unit square, by implicit steps of TS, or the\n"
                     "steady state by Newton's method of SNES. The source is such that u = exp(-t) sin(pi x) sin(pi "
                     "y), or without the exponential where steady.\n\n"
                     "  -cells N                cells a side (default 8), each of them 2 triangles\n"
                     "  -quads                  or one quadrilateral\n"
                     "  -steady                 the steady state\n"
                     "  -output NAME            writes NAME.vtkhdf\n"
                     "  -ts_type bdf, -ts_time_step DT, -ts_max_time T, -snes_monitor, ...: options of TS and SNES\n"
                     "  -plex_hdg_degree P      degree of the polynomials (default 3); -plex_hdg_backend, "
                     "-plex_hdg_ksp_... and the like\n\n";

#include "program.h"
#include "box.h"
#include <petscts.h>

typedef struct {
  PetscReal time;
  PetscBool steady;
} Problem;

/* Amplitude, and u */
static PetscReal GetU(const Problem *p, const PetscReal x[], PetscReal *amplitude)
{
  *amplitude = p->steady ? 1. : PetscExpReal(-p->time);
  return *amplitude * PetscSinReal(PETSC_PI * x[0]) * PetscSinReal(PETSC_PI * x[1]);
}

static PetscErrorCode Exact(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx)
{
  PetscReal a;

  PetscFunctionBegin;
  u[0] = GetU((Problem *)ctx, x, &a);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Known(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar g[],
                            void *ctx)
{
  PetscFunctionBegin;
  PetscCall(Exact(dim, x, n, g, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* kappa = 1 + u^2, and its derivative by u */
static PetscErrorCode Kappa(PetscInt dim, const PetscReal x[], PetscReal u, PetscReal kappa[], PetscReal slope[],
                            void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) {
    kappa[d * (dim + 1)] = 1. + u * u;
    slope[d * (dim + 1)] = 2. * u;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* du/dt - kappa(u) div grad u - 2 u |grad u|^2 */
static PetscErrorCode Source(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar f[], void *ctx)
{
  const Problem  *p = (Problem *)ctx;
  PetscReal       a;
  const PetscReal u = GetU(p, x, &a), ux = a * PETSC_PI * PetscCosReal(PETSC_PI * x[0]) * PetscSinReal(PETSC_PI * x[1]),
                  uy = a * PETSC_PI * PetscSinReal(PETSC_PI * x[0]) * PetscCosReal(PETSC_PI * x[1]);

  PetscFunctionBegin;
  f[0] = (p->steady ? 0. : -u) + (1. + u * u) * 2. * PETSC_PI * PETSC_PI * u - 2. * u * (ux * ux + uy * uy);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SolveSteady(PlexHDG hdg, Vec X, PetscInt *steps)
{
  SNES                snes;
  SNESConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(SNESCreate(PETSC_COMM_WORLD, &snes));
  PetscCall(PlexHDGSetSNES(hdg, snes));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(VecSet(X, 0.));
  PetscCall(SNESSolve(snes, NULL, X));
  PetscCall(SNESGetConvergedReason(snes, &reason));
  PetscCheck(reason > 0, PETSC_COMM_WORLD, PETSC_ERR_NOT_CONVERGED,
             "Newton's method does not converge: %s; see -snes_monitor", SNESConvergedReasons[reason]);
  PetscCall(SNESGetIterationNumber(snes, steps));
  PetscCall(SNESDestroy(&snes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SolveInTime(PlexHDG hdg, Problem *problem, Vec X, PetscInt *steps)
{
  TS        ts;
  TSAdapt   adapt;
  PetscReal time;

  PetscFunctionBegin;
  PetscCall(PlexHDGSetTimeVariable(hdg, &problem->time));
  PetscCall(PlexHDGProjectState(hdg, Exact, problem, X));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetType(ts, TSBDF));
  PetscCall(PlexHDGSetTS(hdg, ts));
  PetscCall(TSGetAdapt(ts, &adapt));
  PetscCall(TSAdaptSetType(adapt, TSADAPTNONE));
  PetscCall(TSSetTimeStep(ts, 0.02));
  PetscCall(TSSetMaxTime(ts, 0.2));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(TSSolve(ts, X));
  PetscCall(TSGetStepNumber(ts, steps));
  PetscCall(TSGetSolveTime(ts, &time));
  problem->time = time;
  PetscCall(TSDestroy(&ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Problem   problem                    = {0., PETSC_FALSE};
  PetscInt  cells                      = 8, steps;
  PetscBool quads                      = PETSC_FALSE;
  char      output[PETSC_MAX_PATH_LEN] = "", file[PETSC_MAX_PATH_LEN];
  PetscReal error[3];
  PlexHDG   hdg;
  DM        dm;
  Vec       X;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Nonlinear heat conduction", NULL);
  PetscCall(PetscOptionsBoundedInt("-cells", "Cells a side", NULL, cells, &cells, NULL, 1));
  PetscCall(PetscOptionsBool("-quads", "Quadrilaterals", NULL, quads, &quads, NULL));
  PetscCall(PetscOptionsBool("-steady", "The steady state", NULL, problem.steady, &problem.steady, NULL));
  PetscCall(PetscOptionsString("-output", "Picture", NULL, output, output, sizeof(output), NULL));
  PetscOptionsEnd();
  if (quads)
    PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, 2, PETSC_FALSE, (const PetscInt[]){cells, cells}, NULL, NULL, NULL,
                                  PETSC_TRUE, 0, PETSC_FALSE, &dm));
  else PetscCall(BoxCreate(PETSC_COMM_WORLD, 2, cells, &dm));
  PetscCall(ExampleDistribute(&dm));
  PetscCall(PlexHDGCreate(dm, &hdg));
  PetscCall(PlexHDGSetPointwise(hdg, Kappa, PETSC_TRUE, &problem));
  PetscCall(PlexHDGSetSource(hdg, Source, &problem));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, Known, &problem));
  PetscCall(PlexHDGSetFromOptions(hdg));
  PetscCall(PlexHDGCreateStateVec(hdg, &X));
  if (problem.steady) PetscCall(SolveSteady(hdg, X, &steps));
  else PetscCall(SolveInTime(hdg, &problem, X, &steps));
  PetscCall(PlexHDGSetState(hdg, X));
  PetscCall(PlexHDGComputeL2Error(hdg, Exact, NULL, &problem, error));
  if (output[0]) {
    PetscCall(PetscSNPrintf(file, sizeof(file), "%s.vtkhdf", output));
    PetscCall(PlexHDGWriteVTKHDF(hdg, file, Exact, &problem));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "result: example=hdg_heat steps=%" PetscInt_FMT " time=%g error_u=%.6e error_star=%.6e\n",
                        steps, (double)problem.time, (double)error[0], (double)error[2]));
  PetscCall(VecDestroy(&X));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return 0;
}
