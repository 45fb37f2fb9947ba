static char help[] = "Error against time of nonlinear shallow water by DG with quadrature, on a series of grids: four "
                     "exact solutions, each for one period.\n\n"
                     "  -case NAME             wave (default): a simple wave of 5 % of the depth, at 45 degrees in a "
                     "periodic square; along: the same along x; bowl: Thacker's planar surface in a paraboloid, with a "
                     "shore; curved: his "
                     "curved surface\n"
                     "  -cells A,B,...         cells a side (default 8,16,32)\n"
                     "  -triangles             2 triangles for each cell\n"
                     "  -degrees A,B,...       default 1 to 4\n"
                     "  -errors A,B,...        errors in L2 for which times are interpolated between grids (default "
                     "1e-2,1e-3)\n"
                     "  -reps N                runs of which the median time is taken (default 3)\n"
                     "  -bench_backend NAME    cuda, host or emulate; default cuda where a GPU is, else host\n"
                     "  -csv FILE              append the table\n\n"
                     "-plex_dg_... and -ts_... reach the operator and the time stepper.\n\n";

/*
  Errors are those of the depth of water, at points of each element, over its norm (of the wave: over the norm of the
  elevation). Seconds are those of TSSolve() alone, without set-up: processor time on the host, on a device its own.
  The time stepper is that of PlexDGSetTS(): the classical Runge-Kutta method, with a shore ssp3.
*/
#include "bench.h"
#include "processortime.h"
#include <plexgpu/private/dgimpl.h>
#include <petscdmplextransform.h>

#define MOST    16
#define GRAVITY 9.81

typedef enum {
  WAVE,
  ALONG,
  BOWL,
  CURVED,
  CASES
} Case;
static const char *const cases[] = {"wave", "along", "bowl", "curved"};

typedef struct {
  PetscInt  problem, ncells, ndegrees, nerrors, reps, cells[MOST], degrees[MOST];
  PetscReal errors[MOST];
  PetscBool triangles;
  char      backend[64], csv[PETSC_MAX_PATH_LEN];
} Options;

static PetscBool HasShore(PetscInt problem)
{
  return (PetscBool)(problem == BOWL || problem == CURVED);
}

static PetscErrorCode GetOptions(Options *o)
{
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(o, sizeof(*o)));
  o->reps   = 3;
  o->ncells = o->ndegrees = o->nerrors = MOST;
  PetscCall(PetscStrncpy(o->backend, PLEXBACKENDAUTO, sizeof(o->backend)));
  PetscOptionsBegin(PETSC_COMM_SELF, NULL, "Error of shallow water", NULL);
  PetscCall(PetscOptionsEList("-case", "Exact solution", NULL, cases, CASES, cases[0], &o->problem, NULL));
  PetscCall(PetscOptionsIntArray("-cells", "Cells a side", NULL, o->cells, &o->ncells, &set));
  for (PetscInt k = 0; k < 3 && !set; ++k) o->cells[k] = 8 << k;
  if (!set) o->ncells = 3;
  PetscCall(PetscOptionsBool("-triangles", "Triangles", NULL, o->triangles, &o->triangles, NULL));
  PetscCall(PetscOptionsIntArray("-degrees", "Degrees", NULL, o->degrees, &o->ndegrees, &set));
  for (PetscInt k = 0; k < 4 && !set; ++k) o->degrees[k] = k + 1;
  if (!set) o->ndegrees = 4;
  PetscCall(PetscOptionsRealArray("-errors", "Errors at which times are interpolated", NULL, o->errors, &o->nerrors,
                                  &set));
  for (PetscInt k = 0; k < 2 && !set; ++k) o->errors[k] = k ? 1e-3 : 1e-2;
  if (!set) o->nerrors = 2;
  PetscCall(PetscOptionsBoundedInt("-reps", "Runs", NULL, o->reps, &o->reps, NULL, 1));
  PetscCall(PetscOptionsString("-bench_backend", "Backend", NULL, o->backend, o->backend, sizeof(o->backend), NULL));
  PetscCall(PetscOptionsString("-csv", "File for the table", NULL, o->csv, o->csv, sizeof(o->csv), NULL));
  PetscOptionsEnd();
  for (PetscInt k = 0; k < o->ncells; ++k)
    PetscCheck(o->cells[k] >= (HasShore(o->problem) ? 1 : 3), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "-cells has %" PetscInt_FMT "; a periodic square takes at least 3 cells a side, others 1", o->cells[k]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A simple wave: on straight lines ds/dt = 3 c - 2 c0 the speed c = sqrt(g H) is that of the beginning, and v =
   2 (c - c0). It breaks after 2.1 periods. */

#define WAVE_HEIGHT 0.05

/* Elevation and discharge at s, of wave number k */
static void SimpleWave(PetscReal t, PetscReal s, PetscReal k, PetscReal *eta, PetscReal *q)
{
  const PetscReal c0   = PetscSqrtReal(GRAVITY);
  PetscReal       from = s - c0 * t, c = c0; /* where the line began, by Newton's method */

  for (PetscInt n = 0; n < 50; ++n) {
    PetscReal slope, step;

    c     = PetscSqrtReal(GRAVITY * (1. + WAVE_HEIGHT * PetscCosReal(k * from)));
    slope = -GRAVITY * WAVE_HEIGHT * k * PetscSinReal(k * from) / (2. * c);
    step  = (from - s + (3. * c - 2. * c0) * t) / (1. + 3. * slope * t);
    if (PetscAbsReal(step) < 1e-15) break;
    from -= step;
  }
  *eta = c * c / GRAVITY - 1.;
  *q   = (1. + *eta) * 2. * (c - c0);
}

static PetscErrorCode Wave(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscReal eta, q;

  PetscFunctionBegin;
  SimpleWave(t, (x[0] + x[1]) / PETSC_SQRT2, 2. * PETSC_PI * PETSC_SQRT2, &eta, &q);
  u[0] = eta;
  u[1] = u[2] = q / PETSC_SQRT2;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Along(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscReal eta, q;

  PetscFunctionBegin;
  SimpleWave(t, x[0], 2. * PETSC_PI, &eta, &q);
  u[0] = eta;
  u[1] = q;
  u[2] = 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Flat(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  k[0] = 1.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Thacker (1981), J. Fluid Mech. 107: a plane surface that turns around in a paraboloid, and a curved one that
   rises and falls */

#define BOWL_DEPTH  0.1
#define BOWL_RADIUS 0.35
#define BOWL_SHIFT  0.07
#define BOWL_SWING  0.3

static PetscErrorCode Bowl(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  k[0] = BOWL_DEPTH * (1. - (PetscSqr(x[0] - 0.5) + PetscSqr(x[1] - 0.5)) / PetscSqr(BOWL_RADIUS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscReal Frequency(PetscInt problem)
{
  if (!HasShore(problem)) return 2. * PETSC_PI * (problem == WAVE ? PETSC_SQRT2 : 1.) * PetscSqrtReal(GRAVITY);
  return PetscSqrtReal((problem == BOWL ? 2. : 8.) * GRAVITY * BOWL_DEPTH) / BOWL_RADIUS;
}

static PetscErrorCode Planar(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const PetscReal w = Frequency(BOWL), c = PetscCosReal(w * t), s = PetscSinReal(w * t);
  PetscReal       depth, H;

  PetscFunctionBegin;
  PetscCall(Bowl(dim, x, 0, 1, &depth, NULL));
  H    = PetscMax(0., depth + 2. * BOWL_SHIFT * BOWL_DEPTH / PetscSqr(BOWL_RADIUS) *
                                ((x[0] - 0.5) * c - (x[1] - 0.5) * s - BOWL_SHIFT / 2.));
  u[0] = H - depth;
  u[1] = -BOWL_SHIFT * w * s * H;
  u[2] = -BOWL_SHIFT * w * c * H;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Curved(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const PetscReal w = Frequency(CURVED), A = BOWL_SWING, a = 1. - A * PetscCosReal(w * t), b = 1. - A * A;
  PetscReal       depth, H, r2;

  PetscFunctionBegin;
  PetscCall(Bowl(dim, x, 0, 1, &depth, NULL));
  r2   = 1. - depth / BOWL_DEPTH;
  H    = PetscMax(0., depth + BOWL_DEPTH * (PetscSqrtReal(b) / a - 1. - r2 * (b / (a * a) - 1.)));
  u[0] = H - depth;
  for (PetscInt d = 0; d < 2; ++d) u[1 + d] = H * w * (x[d] - 0.5) * A * PetscSinReal(w * t) / (2. * a);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PlexDGFn *const            solutions[] = {Wave, Along, Planar, Curved};
static PlexDGCoefficientFn *const bottoms[]   = {Flat, Flat, Bowl, Bowl};

/* ---- Runs */

static PetscErrorCode MakeMesh(const Options *o, PetscInt n, DM *dm)
{
  const PetscInt       faces[2] = {n, n};
  const DMBoundaryType type = HasShore(o->problem) ? DM_BOUNDARY_NONE : DM_BOUNDARY_PERIODIC, types[2] = {type, type};

  PetscFunctionBegin;
  PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_SELF, 2, PETSC_FALSE, faces, NULL, NULL, types, PETSC_TRUE, 0, PETSC_TRUE,
                                dm));
  if (o->triangles) {
    DMPlexTransform transform;
    DM              triangles;

    PetscCall(DMPlexTransformCreate(PETSC_COMM_SELF, &transform));
    PetscCall(DMPlexTransformSetDM(transform, *dm));
    PetscCall(DMPlexTransformSetType(transform, DMPLEXREFINETOSIMPLEX));
    PetscCall(DMPlexTransformSetUp(transform));
    PetscCall(DMPlexTransformApply(transform, *dm, &triangles));
    PetscCall(DMPlexTransformDestroy(&transform));
    PetscCall(DMDestroy(dm));
    *dm = triangles;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(const Options *o, PetscInt degree, PetscInt n, PlexDG *dg)
{
  const PetscReal dry = 1e-4;
  DM              dm;

  PetscFunctionBegin;
  PetscCall(MakeMesh(o, n, &dm));
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexDGSetSystem(*dg, "shallow_water"));
  PetscCall(PlexDGSetDiscretization(*dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetDegree(*dg, degree));
  PetscCall(PlexDGSetBackend(*dg, o->backend));
  PetscCall(PlexDGSetCoefficients(*dg, bottoms[o->problem], NULL));
  if (HasShore(o->problem)) {
    PetscCall(PlexDGSetConstant(*dg, "dry", 1, &dry));
    PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, "wall"));
  }
  PetscCall(PlexDGSetFromOptions(*dg));
  PetscCall(PlexDGSetUp(*dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From the state at time 0 to T; steps 0: all of them */
static PetscErrorCode Run(PlexDG dg, Vec U, PetscReal T, PetscInt most, PetscInt *steps, PetscLogDouble *seconds)
{
  PetscLogDouble begin = 0., end = 0.;
  TS             ts;

  PetscFunctionBegin;
  PetscCall(TSCreate(PETSC_COMM_SELF, &ts));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxTime(ts, T));
  PetscCall(TSSetMaxSteps(ts, most ? most : PETSC_INT_MAX));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(TSSetUp(ts));
  PetscCall(PlexBackendTimerBegin(dg->backend));
  PetscCall(ProcessorTime(&begin));
  PetscCall(TSSolve(ts, U));
  PetscCall(ProcessorTime(&end));
  PetscCall(PlexBackendTimerEnd(dg->backend, seconds));
  if (!dg->backend->device) *seconds = end - begin;
  PetscCall(TSGetStepNumber(ts, steps));
  PetscCall(TSDestroy(&ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Relative errors of the depth of water in L1 and L2 */
static PetscErrorCode Errors(const Options *o, PlexDG dg, PetscReal T, Vec U, PetscReal error[2])
{
  const PetscInt     Np = dg->reference->Np, nx = dg->mesh->nx, n = dg->reference->N + 3;
  const PetscScalar *u;
  const PetscReal   *points, *weights;
  PetscReal          sum[4] = {0.}, *B, *shapes, *dshapes;
  PetscInt           Nq;
  PetscQuadrature    rule;

  PetscFunctionBegin;
  if (o->triangles) PetscCall(PetscDTStroudConicalQuadrature(2, 1, n, -1., 1., &rule));
  else PetscCall(PetscDTGaussTensorQuadrature(2, 1, n, -1., 1., &rule));
  PetscCall(PetscQuadratureGetData(rule, NULL, NULL, &Nq, &points, &weights));
  PetscCall(PetscMalloc3(Nq * Np, &B, Nq * nx, &shapes, Nq * nx * 2, &dshapes));
  PetscCall(PlexDGReferenceInterpolate(dg->reference, Nq, points, B));
  PetscCall(PlexDGMeshTabulate(dg->mesh, Nq, points, shapes, dshapes));
  PetscCall(VecGetArrayRead(U, &u));
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e)
    for (PetscInt q = 0; q < Nq; ++q) {
      const PetscReal weight = weights[q] * dg->quadrature->detJ[e];
      PetscScalar     exact[3];
      PetscReal       x[2], depth, difference = 0.;

      PetscCall(PlexDGMeshGetPosition(dg->mesh, e, &shapes[q * nx], x));
      PetscCall((*solutions[o->problem])(2, T, x, 3, exact, NULL));
      PetscCall((*bottoms[o->problem])(2, x, e, 1, &depth, NULL));
      for (PetscInt i = 0; i < Np; ++i)
        difference += B[q * Np + i] * (PetscRealPart(u[(size_t)e * 3 * Np + i]) + dg->variables[(size_t)e * Np + i]);
      depth += PetscRealPart(exact[0]);
      difference -= depth;
      if (!HasShore(o->problem)) depth = PetscRealPart(exact[0]);
      sum[0] += weight * PetscAbsReal(difference);
      sum[1] += weight * PetscSqr(difference);
      sum[2] += weight * PetscAbsReal(depth);
      sum[3] += weight * PetscSqr(depth);
    }
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCall(PetscFree3(B, shapes, dshapes));
  PetscCall(PetscQuadratureDestroy(&rule));
  error[0] = sum[0] / sum[2];
  error[1] = PetscSqrtReal(sum[1] / sum[3]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Measure(const Options *o, PetscInt degree, PetscInt cells, FILE *csv, PetscReal *l2,
                              PetscReal *time)
{
  const PetscReal T        = 2. * PETSC_PI / Frequency(o->problem);
  PetscReal       error[2] = {0.}, samples[64];
  PetscLogDouble  seconds  = 0.;
  PetscInt        values, steps, reps = PetscMin(o->reps, (PetscInt)PETSC_STATIC_ARRAY_LENGTH(samples));
  PlexDG          dg;
  Vec             U, initial;

  PetscFunctionBegin;
  PetscCall(Create(o, degree, cells, &dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecDuplicate(U, &initial));
  PetscCall(VecGetSize(U, &values));
  PetscCall(PlexDGProject(dg, 0., solutions[o->problem], NULL, initial));
  PetscCall(VecCopy(initial, U));
  PetscCall(Run(dg, U, T, 1, &steps, &seconds)); /* what is allocated and compiled once */
  for (PetscInt r = 0; r < reps; ++r) {
    PetscCall(VecCopy(initial, U));
    PetscCall(Run(dg, U, T, 0, &steps, &seconds));
    samples[r] = (PetscReal)seconds;
  }
  PetscCall(PetscSortReal(reps, samples));
  PetscCall(Errors(o, dg, T, U, error));
  *l2   = error[1];
  *time = samples[reps / 2];
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "| %" PetscInt_FMT " | %" PetscInt_FMT " | %" PetscInt_FMT " | %" PetscInt_FMT
                        " | %" PetscInt_FMT " | %.3e | %.3e | %.4g | %.4g to %.4g |\n",
                        degree, cells, dg->mesh->Ne, values, steps, (double)error[0], (double)error[1], (double)*time,
                        (double)samples[0], (double)samples[reps - 1]));
  if (csv)
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, csv,
                           "%s,%s,%s,%" PetscInt_FMT ",%" PetscInt_FMT ",%" PetscInt_FMT ",%" PetscInt_FMT
                           ",%" PetscInt_FMT ",%.6e,%.6e,%.6g\n",
                           cases[o->problem], ((PetscObject)dg->backend)->type_name,
                           o->triangles ? "triangles" : "quadrilaterals", degree, cells, dg->mesh->Ne, values, steps,
                           (double)error[0], (double)error[1], (double)*time));
  fflush(stdout);
  PetscCall(VecDestroy(&initial));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The time at an error, a power of it between the first two grids that have it between them; 0: no grids have */
static PetscReal TimeAt(PetscInt n, const PetscReal error[], const PetscReal time[], PetscReal at)
{
  for (PetscInt k = 0; k + 1 < n; ++k)
    if (error[k] >= at && error[k + 1] < at)
      return time[k] *
             PetscPowReal(time[k + 1] / time[k], PetscLogReal(at / error[k]) / PetscLogReal(error[k + 1] / error[k]));
  return 0.;
}

int main(int argc, char **argv)
{
  PetscReal   error[MOST], time[MOST], at[MOST][MOST], best = PETSC_MAX_REAL;
  Options     o;
  PlexBackend backend;
  FILE       *csv   = NULL;
  PetscInt    lines = 0;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscCall(BenchInitialize(&argc, &argv, help));
  PetscCall(GetOptions(&o));
  PetscCall(BenchCreateBackend(o.backend, &backend));
  if (o.csv[0])
    PetscCall(BenchOpenCSV(o.csv, "case,backend,cell,degree,cells,elements,values,steps,l1,l2,seconds", &csv));
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "%s, %s, on %s (%s)\n\n| N | cells a side | elements | values | steps | L1 | L2 | s | least to "
                        "largest |\n|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
                        cases[o.problem], o.triangles ? "triangles" : "quadrilaterals",
                        ((PetscObject)backend)->type_name, backend->limits.name));
  for (PetscInt k = 0; k < o.ndegrees; ++k) {
    for (PetscInt c = 0; c < o.ncells; ++c, ++lines) {
      PetscCall(Measure(&o, o.degrees[k], o.cells[c], csv, &error[c], &time[c]));
      best = PetscMin(best, error[c]);
    }
    for (PetscInt e = 0; e < o.nerrors; ++e) at[k][e] = TimeAt(o.ncells, error, time, o.errors[e]);
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n| seconds at an error in L2 of |"));
  for (PetscInt e = 0; e < o.nerrors; ++e) PetscCall(PetscPrintf(PETSC_COMM_SELF, " %g |", (double)o.errors[e]));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n|---|"));
  for (PetscInt e = 0; e < o.nerrors; ++e) PetscCall(PetscPrintf(PETSC_COMM_SELF, "--:|"));
  for (PetscInt k = 0; k < o.ndegrees; ++k) {
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n| N = %" PetscInt_FMT " |", o.degrees[k]));
    for (PetscInt e = 0; e < o.nerrors; ++e)
      PetscCall(at[k][e] > 0. ? PetscPrintf(PETSC_COMM_SELF, " %.3g |", (double)at[k][e])
                              : PetscPrintf(PETSC_COMM_SELF, " |"));
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n\nresult: benchmark=water_error lines=%" PetscInt_FMT " error=%.3e\n",
                        lines, (double)best));
  if (csv) PetscCall(BenchCloseCSV(o.csv, &csv));
  PetscCall(PlexBackendDestroy(&backend));
  PetscCall(BenchFinalize(lines));
  return 0;
}
