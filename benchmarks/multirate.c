static char
  help[] = "Local time steps of nodal DG beside one step for all elements: a standing wave in a box of "
           "tetrahedra of which 1 % are 5 times smaller.\n\n"
           "  -cells A,B,C           cubes along the sides, each of them 6 tetrahedra (default 100,18,18: "
           "194,400)\n"
           "  -slivers               small tetrahedra are flat ones all over the box; else one layer of cubes\n"
           "  -width W               of the layer, or of cubes beside a vertex that is moved, over that of the others "
           "(default 0.0925)\n"
           "  -levels N              at most (default 6)\n"
           "  -degrees A,B,...       default 1 to 4\n"
           "  -periods T             of the wave (default 0.25)\n"
           "  -bench_backend NAME    cuda, host or emulate; default cuda where a GPU is, else host\n\n"
           "Options -plex_dg_... reach the operators. Runs on any number of processes.\n\n";

/*
  Both runs are from time 0 to the same end, with their default steps: -ts_type multirate, and -ts_type lowstorage with scheme
  ck45, on operators of which the former has its elements in the order of levels. One step is made before time is taken.
  Errors are those of all fields in L2 over the norm of the wave. "evaluations" are those of rates of an element, of ck45
  over those of the levels.

    Ez = sin(kx x) sin(ky y) cos(w t),  Hx = -ky/w sin(kx x) cos(ky y) sin(w t),  Hy = kx/w cos(kx x) sin(ky y) sin(w t)
*/
#include "bench.h"
#include "../examples/box.h"
#include <plexgpu/private/dgimpl.h>

typedef struct {
  PetscInt  cells[3], levels, ndegrees, degrees[PLEX_DG_MAX_DEGREE];
  PetscReal width, periods, k[2], omega;
  PetscBool slivers;
  char      backend[64];
} Options;

static PetscErrorCode GetOptions(Options *o)
{
  PetscInt  n = 3, w[3] = {100, 18, 18};
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(o, sizeof(*o)));
  o->levels   = 6;
  o->width    = 0.0925;
  o->periods  = 0.25;
  o->ndegrees = PLEX_DG_MAX_DEGREE;
  PetscCall(PetscArraycpy(o->cells, w, 3));
  PetscCall(PlexBackendIsAvailable(PLEXBACKENDCUDA, &set));
  PetscCall(PetscStrncpy(o->backend, set ? PLEXBACKENDCUDA : PLEXBACKENDHOST, sizeof(o->backend)));
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Local time steps of nodal DG", NULL);
  PetscCall(PetscOptionsIntArray("-cells", "Cubes along the sides", NULL, o->cells, &n, &set));
  PetscCheck(!set || n == 3, PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG, "-cells takes three numbers");
  PetscCall(PetscOptionsBool("-slivers", "Flat tetrahedra all over the box", NULL, o->slivers, &o->slivers, NULL));
  PetscCall(PetscOptionsReal("-width", "Of the small cells", NULL, o->width, &o->width, NULL));
  PetscCall(PetscOptionsString("-bench_backend", "Backend", NULL, o->backend, o->backend, sizeof(o->backend), NULL));
  PetscCall(PetscOptionsInt("-levels", "At most", NULL, o->levels, &o->levels, NULL));
  PetscCall(PetscOptionsReal("-periods", "Of the wave", NULL, o->periods, &o->periods, NULL));
  PetscCall(PetscOptionsIntArray("-degrees", "Of the polynomials", NULL, o->degrees, &o->ndegrees, &set));
  if (!set)
    for (o->ndegrees = 0; o->ndegrees < 4; ++o->ndegrees) o->degrees[o->ndegrees] = o->ndegrees + 1;
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Wave(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const Options  *o = (const Options *)ctx;
  const PetscReal X = o->k[0] * x[0], Y = o->k[1] * x[1], T = o->omega * t;

  PetscFunctionBegin;
  for (PetscInt f = 0; f < Nf; ++f) u[f] = 0.;
  u[2] = PetscSinReal(X) * PetscSinReal(Y) * PetscCosReal(T);
  u[3] = -o->k[1] / o->omega * PetscSinReal(X) * PetscCosReal(Y) * PetscSinReal(T);
  u[4] = o->k[0] / o->omega * PetscCosReal(X) * PetscSinReal(Y) * PetscSinReal(T);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A vertex at i, j, k in units of a cube. Layer: those behind the middle move towards it. Slivers: of the vertices inside
   every fifth one along each axis moves along x, and the tetrahedra before it become flat: 6 of them have a radius 5 times
   smaller or more, of 194,400 so are 1 % */
static PetscReal Move(const Options *o, const PetscReal i[3])
{
  const PetscInt n = o->cells[0], middle = n / 2;
  PetscInt       at[3];

  for (int d = 0; d < 3; ++d) at[d] = (PetscInt)PetscRintReal(i[d]);
  if (!o->slivers) return at[0] > middle ? i[0] - 1. + o->width : i[0];
  for (int d = 0; d < 3; ++d)
    if (at[d] < 1 || at[d] >= o->cells[d]) return i[0];
  return at[0] % 5 == 2 && at[1] % 5 == 2 && at[2] % 5 == 2 ? i[0] + 1. - o->width : i[0];
}

static PetscErrorCode CreateMesh(Options *o, DM *dm)
{
  const PetscReal size = 1. / (PetscReal)o->cells[0];
  Vec             coordinates;
  PetscScalar    *x;
  PetscInt        n;

  PetscFunctionBegin;
  PetscCall(BoxCreateLong(PETSC_COMM_WORLD, 3, o->cells, dm));
  PetscCall(DMGetCoordinatesLocal(*dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &n));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt v = 0; v < n; v += 3) {
    const PetscReal i[3] = {PetscRealPart(x[v]) / size, PetscRealPart(x[v + 1]) / size, PetscRealPart(x[v + 2]) / size};

    x[v] = Move(o, i) * size;
  }
  PetscCall(VecRestoreArray(coordinates, &x));
  o->k[0]  = PETSC_PI / (o->slivers ? 1. : 1. - (1. - o->width) * size);
  o->k[1]  = PETSC_PI / ((PetscReal)o->cells[1] * size);
  o->omega = PetscSqrtReal(o->k[0] * o->k[0] + o->k[1] * o->k[1]);
  PetscCall(ExampleDistribute(dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscInt   levels;
  PetscInt64 elements[16];
  PetscReal  factor, step, time, error, evaluations; /* seconds of a run; rates of elements a unit of the wave's time */
  PetscInt   steps;
} Result;

static PetscErrorCode Run(const Options *o, DM dm, PetscInt degree, PetscBool local, Result *r)
{
  const PetscReal T = o->periods * 2. * PETSC_PI / o->omega;
  PetscReal       norm;
  PetscLogDouble  begin, end;
  PetscInt64      before, after;
  PlexDG          dg;
  TS              ts;
  Vec             U, zero;

  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "maxwell"));
  PetscCall(PlexDGSetDegree(dg, degree));
  PetscCall(PlexDGSetBackend(dg, o->backend));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "pec"));
  PetscCall(PlexDGSetLevels(dg, local ? o->levels : 1));
  PetscCall(PlexDGSetFromOptions(dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGGetLevelSizes(dg, &r->levels, r->elements, &r->factor));
  PetscCall(PlexDGProject(dg, 0., Wave, (void *)o, U));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetType(ts, local ? TSPLEXMULTIRATE : TSPLEXLOWSTORAGE));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxTime(ts, T));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(TSSetUp(ts));
  PetscCall(TSGetTimeStep(ts, &r->step));
  PetscCall(TSSetMaxSteps(ts, 1));
  PetscCall(TSSolve(ts, U)); /* compiles kernels, and allocates */
  PetscCall(VecNorm(U, NORM_2, &norm));
  before = after = 0;
  if (local) PetscCall(TSPlexMultirateGetEvaluations(ts, &before));
  PetscCall(PlexDGProject(dg, 0., Wave, (void *)o, U));
  PetscCall(TSSetTime(ts, 0.));
  PetscCall(TSSetStepNumber(ts, 0));
  PetscCall(TSSetTimeStep(ts, r->step));
  PetscCall(TSSetMaxSteps(ts, PETSC_INT_MAX));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(PetscTime(&begin));
  PetscCall(TSSolve(ts, U));
  PetscCall(VecNorm(U, NORM_2, &norm)); /* waits for the state */
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  PetscCall(PetscTime(&end));
  r->time = end - begin;
  PetscCall(TSGetStepNumber(ts, &r->steps));
  if (local) PetscCall(TSPlexMultirateGetEvaluations(ts, &after));
  r->evaluations = local ? (PetscReal)(after - before) : 5. * (PetscReal)r->steps * (PetscReal)r->elements[0];
  PetscCall(PlexDGComputeL2Error(dg, T, Wave, (void *)o, U, &r->error));
  PetscCall(VecDuplicate(U, &zero));
  PetscCall(PlexDGComputeL2Error(dg, T, Wave, (void *)o, zero, &norm));
  r->error /= norm;
  PetscCall(VecDestroy(&zero));
  PetscCall(VecDestroy(&U));
  PetscCall(TSDestroy(&ts));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options o;
  DM      dm;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexGPUInitializePackage());
  PetscCall(GetOptions(&o));
  PetscCall(CreateMesh(&o, &dm));
  for (PetscInt k = 0; k < o.ndegrees; ++k) {
    Result r[2];

    for (int local = 0; local < 2; ++local) PetscCall(Run(&o, dm, o.degrees[k], (PetscBool)local, &r[local]));
    if (!k) {
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt64_FMT " tetrahedra, backend %s; levels:", r[0].elements[0],
                            o.backend));
      for (PetscInt l = 0; l < r[1].levels; ++l)
        PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %" PetscInt64_FMT, r[1].elements[l]));
      PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                            ", longest step %.3g times the least\n"
                            " N |   ck45: steps  seconds     error | levels: steps  seconds     error | evaluations  "
                            "seconds, times fewer\n",
                            (double)r[1].factor));
    }
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%2" PetscInt_FMT, o.degrees[k]));
    for (int local = 0; local < 2; ++local)
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, " | %13" PetscInt_FMT " %8.3f %9.2e", r[local].steps,
                            (double)r[local].time, (double)r[local].error));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, " | %11.2f %8.2f\n", (double)(r[0].evaluations / r[1].evaluations),
                          (double)(r[0].time / r[1].time)));
  }
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return 0;
}
