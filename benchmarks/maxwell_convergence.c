static char help[] = "Table 2 of Kloeckner, Warburton, Bridge and Hesthaven (2009): errors of an eigenmode in a cavity "
                     "of conducting walls by mesh and degree.\n\n"
                     "  -meshes A,B,...        meshes of a box (default the four benchmarks/cavity-*.msh, of 475 to "
                     "1893 tetrahedra)\n"
                     "  -degrees A,B,...       default 1 to 9\n"
                     "  -precisions A,B        single,double (default single, as the paper's)\n"
                     "  -mode l,m,n            half waves of the mode along the box's sides (default 2,3,3)\n"
                     "  -periods T             how long it swings (default 1)\n"
                     "  -bench_backend NAME    cuda, host or emulate; default cuda where a GPU is, else host\n"
                     "  -csv FILE              append the table\n\n"
                     "Runs on any number of processes.\n\n";

/*
  Errors are those of all six fields together in L2 at the end, over the norm of the mode, which its walls keep. EOC,
  the empirical order of convergence, is the slope of the straight line nearest to log error over log h,
  h = (volume/K)^(1/3) for K tetrahedra; the paper's, of its own h, comes out as it is printed there. Time steps are
  those of the operator, which the options -plex_dg_... reach, of the low-storage scheme ck45.
*/
#include "bench.h"
#include "../examples/cavity.h"
#include <plexgpu/private/dgimpl.h>

#define MESHES 4

/* Table 2 of the paper, single precision */
static const PetscInt  paperElements[MESHES]             = {475, 728, 1187, 1844};
static const PetscReal paperSizes[MESHES]                = {0.3, 0.255, 0.21675, 0.184237}; /* h */
static const PetscReal paper[PLEX_DG_MAX_DEGREE][MESHES] = {
  {1.57,    1.19,    1.03,    6.46e-1},
  {4.15e-1, 2.84e-1, 1.82e-1, 1.19e-1},
  {1.61e-1, 9.44e-2, 5.56e-2, 2.80e-2},
  {4.75e-2, 2.52e-2, 1.13e-2, 5.03e-3},
  {1.54e-2, 6.37e-3, 2.55e-3, 9.03e-4},
  {3.84e-3, 1.42e-3, 4.42e-4, 1.32e-4},
  {9.89e-4, 2.77e-4, 7.36e-5, 1.77e-5},
  {1.91e-4, 4.76e-5, 1.05e-5, 2.55e-6},
  {4.25e-5, 8.71e-6, 2.10e-6, 1.30e-6}
};

typedef struct {
  PetscInt    nmeshes, ndegrees, nprecisions, degrees[PLEX_DG_MAX_DEGREE], numbers[3];
  PetscReal   periods;
  char       *meshes[8], *precisions[2], backend[64], csv[PETSC_MAX_PATH_LEN];
  PetscMPIInt size;
} Options;

static PetscErrorCode GetOptions(Options *o)
{
  const char *const meshes[MESHES] = {"cavity-475.msh", "cavity-731.msh", "cavity-1217.msh", "cavity-1893.msh"};
  PetscInt          n              = 3;
  PetscBool         set;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(o, sizeof(*o)));
  o->nmeshes     = PETSC_STATIC_ARRAY_LENGTH(o->meshes);
  o->ndegrees    = PLEX_DG_MAX_DEGREE;
  o->nprecisions = 2;
  o->periods     = 1.;
  o->numbers[0]  = 2;
  o->numbers[1]  = 3;
  o->numbers[2]  = 3;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &o->size));
  PetscCall(PetscStrncpy(o->backend, PLEXBACKENDAUTO, sizeof(o->backend)));
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Convergence of nodal DG", NULL);
  PetscCall(PetscOptionsStringArray("-meshes", "Meshes of a box", NULL, o->meshes, &o->nmeshes, &set));
  for (PetscInt k = 0; k < MESHES && !set; ++k) {
    char path[PETSC_MAX_PATH_LEN];

    PetscCall(PetscSNPrintf(path, sizeof(path), "benchmarks/%s", meshes[k]));
    PetscCall(PetscStrallocpy(path, &o->meshes[k]));
    o->nmeshes = MESHES;
  }
  PetscCall(PetscOptionsIntArray("-degrees", "Degrees", NULL, o->degrees, &o->ndegrees, &set));
  for (PetscInt k = 0; k < PLEX_DG_MAX_DEGREE && !set; ++k) o->degrees[k] = k + 1;
  if (!set) o->ndegrees = PLEX_DG_MAX_DEGREE;
  PetscCall(PetscOptionsStringArray("-precisions", "Arithmetic", NULL, o->precisions, &o->nprecisions, &set));
  if (!set) {
    o->nprecisions = 1;
    PetscCall(PetscStrallocpy("single", &o->precisions[0]));
  }
  PetscCall(PetscOptionsIntArray("-mode", "Half waves along the sides", NULL, o->numbers, &n, &set));
  PetscCheck((!set || n == 3) && o->numbers[0] > 0 && o->numbers[1] > 0 && o->numbers[2] > 0, PETSC_COMM_WORLD,
             PETSC_ERR_ARG_OUTOFRANGE, "-mode takes three positive numbers");
  PetscCall(PetscOptionsReal("-periods", "How long", NULL, o->periods, &o->periods, NULL));
  PetscCall(PetscOptionsString("-bench_backend", "Backend", NULL, o->backend, o->backend, sizeof(o->backend), NULL));
  PetscCall(PetscOptionsString("-csv", "File for the table", NULL, o->csv, o->csv, sizeof(o->csv), NULL));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A mesh, distributed, and the cavity's mode in its bounding box */
static PetscErrorCode MakeMesh(const Options *o, const char path[], DM *dm, CavityMode *mode, PetscReal *volume)
{
  PetscBool found;
  PetscReal low[3], high[3], sides[3];

  PetscFunctionBegin;
  PetscCall(PetscTestFile(path, 'r', &found));
  PetscCheck(found, PETSC_COMM_WORLD, PETSC_ERR_FILE_OPEN,
             "Cannot read the mesh %s: there is no such file; run from the project's folder, or use -meshes", path);
  PetscCall(DMPlexCreateFromFile(PETSC_COMM_WORLD, path, "cavity", PETSC_TRUE, dm));
  PetscCall(DMGetBoundingBox(*dm, low, high));
  *volume = 1.;
  for (PetscInt d = 0; d < 3; ++d) {
    PetscCheck(PetscAbsReal(low[d]) < 1e-12, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
               "The box of %s begins at %g and not at 0", path, (double)low[d]);
    sides[d] = high[d];
    *volume *= high[d];
  }
  CavityModeInitialize(3, sides, o->numbers, 1., 1., mode);
  PetscCall(ExampleDistribute(dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscInt       elements, values, steps;
  PetscReal      h, error;
  PetscLogDouble seconds;
} Result;

/* The operator, its initial state and its time stepper, with equal steps to the end T */
static PetscErrorCode CreateProblem(const Options *o, DM dm, CavityMode *mode, PetscInt degree, PlexPrecision precision,
                                    PetscReal T, PlexDG *dg, Vec *U, TS *ts)
{
  PetscReal dt;

  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, "maxwell"));
  PetscCall(PlexDGSetDegree(*dg, degree));
  PetscCall(PlexDGSetPrecision(*dg, precision));
  PetscCall(PlexDGSetBackend(*dg, o->backend));
  PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, "pec"));
  PetscCall(PlexDGSetFromOptions(*dg));
  PetscCall(PlexDGCreateVec(*dg, U));
  PetscCall(PlexDGProject(*dg, 0., CavityModeValues, mode, *U));
  PetscCall(TSCreate(PETSC_COMM_WORLD, ts));
  PetscCall(TSSetType(*ts, TSPLEXLOWSTORAGE));
  PetscCall(TSSetSolution(*ts, *U));
  PetscCall(PlexDGSetTS(*dg, *ts));
  PetscCall(TSGetTimeStep(*ts, &dt));
  PetscCall(TSSetTimeStep(*ts, T / PetscCeilReal(T / dt)));
  PetscCall(TSSetMaxTime(*ts, T));
  PetscCall(TSSetExactFinalTime(*ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSetFromOptions(*ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Measure(const Options *o, const char mesh[], PetscInt degree, PlexPrecision precision,
                              Result *result)
{
  CavityMode     mode;
  PetscReal      T, volume = 1., norm;
  PetscLogDouble begin, end;
  DM             dm;
  PlexDG         dg;
  Vec            U, zero;
  TS             ts;

  PetscFunctionBegin;
  PetscCall(MakeMesh(o, mesh, &dm, &mode, &volume));
  T = o->periods * 2. * PETSC_PI / mode.omega;
  PetscCall(CreateProblem(o, dm, &mode, degree, precision, T, &dg, &U, &ts));
  PetscCall(PetscTime(&begin));
  PetscCall(TSSolve(ts, U));
  PetscCall(PetscTime(&end));
  result->seconds  = end - begin;
  result->elements = dg->mesh->NeGlobal;
  result->h        = PetscPowReal(volume / result->elements, 1. / 3.);
  PetscCall(VecGetSize(U, &result->values));
  PetscCall(TSGetStepNumber(ts, &result->steps));
  PetscCall(PlexDGComputeL2Error(dg, T, CavityModeValues, &mode, U, &result->error));
  PetscCall(VecDuplicate(U, &zero));
  PetscCall(VecSet(zero, 0.));
  PetscCall(PlexDGComputeL2Error(dg, T, CavityModeValues, &mode, zero, &norm));
  result->error /= norm;
  PetscCall(VecDestroy(&zero));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Slope of the straight line nearest to log y over log x */
static PetscReal Slope(PetscInt n, const PetscReal x[], const PetscReal y[])
{
  PetscReal sx = 0., sy = 0., xx = 0., xy = 0.;

  for (PetscInt k = 0; k < n; ++k) {
    sx += PetscLogReal(x[k]) / n;
    sy += PetscLogReal(y[k]) / n;
  }
  for (PetscInt k = 0; k < n; ++k) {
    xx += PetscSqr(PetscLogReal(x[k]) - sx);
    xy += (PetscLogReal(x[k]) - sx) * (PetscLogReal(y[k]) - sy);
  }
  return n > 1 ? xy / xx : 0.;
}

/* All meshes of a degree: a line of the table, and the paper's errors behind it */
static PetscErrorCode MeasureDegree(const Options *o, PetscInt degree, PlexPrecision precision, FILE *csv,
                                    PetscReal *order)
{
  Result    r[PETSC_STATIC_ARRAY_LENGTH(o->meshes)];
  PetscReal h[PETSC_STATIC_ARRAY_LENGTH(o->meshes)], error[PETSC_STATIC_ARRAY_LENGTH(o->meshes)], seconds = 0.;

  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "| %" PetscInt_FMT, degree));
  for (PetscInt m = 0; m < o->nmeshes; ++m) {
    PetscCall(Measure(o, o->meshes[m], degree, precision, &r[m]));
    h[m]     = r[m].h;
    error[m] = r[m].error;
    seconds += r[m].seconds;
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, " | %.2e", (double)r[m].error));
    if (csv)
      PetscCall(PetscFPrintf(PETSC_COMM_WORLD, csv,
                             "%s,%s,%d,%" PetscInt_FMT ",%" PetscInt_FMT ",%" PetscInt_FMT ",%.6g,%" PetscInt_FMT
                             ",%.4g,%.6e\n",
                             PlexPrecisions[precision], o->backend, (int)o->size, degree, r[m].elements, r[m].values,
                             (double)r[m].h, r[m].steps, r[m].seconds, (double)r[m].error));
  }
  *order = Slope(o->nmeshes, h, error);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, " | %.2f | %.1f", (double)*order, (double)seconds));
  for (PetscInt m = 0; m < MESHES; ++m)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, " | %.2e", (double)paper[degree - 1][m]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, " | %.2f |\n", (double)Slope(MESHES, paperSizes, paper[degree - 1])));
  fflush(stdout);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PrintHeader(const Options *o, const char precision[])
{
  PetscFunctionBegin;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "\nMode (%" PetscInt_FMT ", %" PetscInt_FMT ", %" PetscInt_FMT
                        "), %g periods, %s precision, backend %s, %d processes\n\n| N",
                        o->numbers[0], o->numbers[1], o->numbers[2], (double)o->periods, precision, o->backend,
                        (int)o->size));
  for (PetscInt m = 0; m < o->nmeshes; ++m) {
    const char *name = strrchr(o->meshes[m], '/');

    PetscCall(PetscPrintf(PETSC_COMM_WORLD, " | %s", name ? name + 1 : o->meshes[m]));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, " | EOC | s"));
  for (PetscInt m = 0; m < MESHES; ++m)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, " | paper, %" PetscInt_FMT, paperElements[m]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, " | EOC |\n|"));
  for (PetscInt k = 0; k < o->nmeshes + MESHES + 4; ++k) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "--:|"));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options   o;
  FILE     *csv   = NULL;
  PetscInt  lines = 0;
  PetscReal order = 0., excess = PETSC_MAX_REAL; /* the least EOC less N + 1 */

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexGPUInitializePackage());
  PetscCall(GetOptions(&o));
  if (o.csv[0])
    PetscCall(BenchOpenCSV(o.csv, "precision,backend,processes,degree,elements,values,h,steps,seconds,error", &csv));
  for (PetscInt p = 0; p < o.nprecisions; ++p) {
    PetscBool single;

    PetscCall(PetscStrcmp(o.precisions[p], "single", &single));
    PetscCall(PrintHeader(&o, o.precisions[p]));
    for (PetscInt k = 0; k < o.ndegrees; ++k, ++lines) {
      PetscCall(MeasureDegree(&o, o.degrees[k], single ? PLEX_PRECISION_SINGLE : PLEX_PRECISION_DOUBLE, csv, &order));
      excess = PetscMin(excess, order - (o.degrees[k] + 1));
    }
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\nresult: lines=%" PetscInt_FMT " excess=%.3f\n", lines, (double)excess));
  if (csv) PetscCall(BenchCloseCSV(o.csv, &csv));
  for (PetscInt k = 0; k < o.nmeshes; ++k) PetscCall(PetscFree(o.meshes[k]));
  for (PetscInt p = 0; p < o.nprecisions; ++p) PetscCall(PetscFree(o.precisions[p]));
  PetscCall(BenchFinalize(lines));
  return 0;
}
