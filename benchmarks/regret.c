static char
  help[] = "What auto takes for some Jacobians, plans included, over what the best type takes, chosen when all "
           "is over.\n\n"
           "  -bench_backend NAME  cuda, or emulate; default cuda\n"
           "  -types A,B,...       the types that are compared (default element_atomic, shared_nz, "
           "local_row, global_row)\n"
           "  -most N              Jacobians, most: 1, 10, 100, ... of them (default 10000)\n"
           "  -coarser N           meshes N refinements smaller (a box has half the cells along a side "
           "each time)\n"
           "  -spaces A,B,...      only these\n"
           "  -reps N              samples of a type's Jacobian (default 11)\n"
           "  -csv FILE            append the table\n\n";

/*
  Each type, and auto, has an assembly of its own. The matrix is there before the clock starts, and kernels are on disk, as
  all types have been used once. A type takes its set-up, elements and pattern included, and N times its Jacobian, the
  median of some samples; auto is run, and the clock read after 1, 10, 100, ... Jacobians, when the device has done them.
*/
#include "table.h"
#include "rows.h"
#include <plexgpu/impl.h>

#define TYPES 8
#define MARKS 8

typedef struct {
  const char *backend;
  const char *types[TYPES];
  PetscInt    ntypes, reps, coarser, nmarks, marks[MARKS];
} Settings;

static PetscErrorCode Create(const Settings *o, const Space *space, DM dm, const char type[], PlexAssembly *plex)
{
  char source[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(FindFile(ProblemSources[space->problem], source, sizeof(source)));
  PetscCall(PlexAssemblyCreate(dm, plex));
  PetscCall(PlexAssemblySetFromOptions(*plex));
  PetscCall(PlexAssemblySetBackend(*plex, o->backend));
  PetscCall(PlexAssemblySetJacobianType(*plex, type));
  PetscCall(PlexAssemblySetPointwiseSource(*plex, source));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds of n Jacobians, until the device has done them */
static PetscErrorCode Time(PlexAssembly plex, Vec X, Mat J, PetscInt n, double *seconds)
{
  PlexBackend    backend;
  PetscLogDouble t0, t1;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyGetBackend(plex, &backend)); /* makes it */
  PetscCall(PlexBackendSynchronize(backend));
  PetscCall(PetscTime(&t0));
  for (PetscInt k = 0; k < n; ++k) PetscCall(PlexAssemblyComputeJacobian(plex, X, NULL, 0.0, 0.0, J, J));
  PetscCall(PlexBackendSynchronize(backend));
  PetscCall(PetscTime(&t1));
  *seconds = t1 - t0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a type the seconds of its set-up and of a Jacobian */
static PetscErrorCode MeasureType(const Settings *o, const Space *space, DM dm, const char type[], Vec X, Mat J,
                                  double *plan, double *jacobian)
{
  PlexAssembly plex;
  PetscReal   *samples;
  double       first, seconds;
  PetscInt     calls;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(o->reps, &samples));
  for (PetscInt turn = 0; turn < 2; ++turn) { /* kernels are compiled in the first one */
    PetscCall(Create(o, space, dm, type, &plex));
    PetscCall(Time(plex, X, J, 1, &first));
    if (!turn) PetscCall(PlexAssemblyDestroy(&plex));
  }
  PetscCall(Time(plex, X, J, 1, &seconds));
  calls = (PetscInt)PetscMax(1.0, PetscMin(1000.0, 1e-3 / PetscMax(seconds, 1e-6)));
  for (PetscInt r = 0; r < o->reps; ++r) {
    PetscCall(Time(plex, X, J, calls, &seconds));
    samples[r] = (PetscReal)(seconds / (double)calls);
  }
  PetscCall(PetscSortReal(o->reps, samples));
  *jacobian = (double)samples[o->reps / 2];
  *plan     = PetscMax(0.0, first - *jacobian);
  PetscCall(PetscFree(samples));
  PetscCall(PlexAssemblyDestroy(&plex));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds until so many Jacobians, by auto, and the type that it ends with */
static PetscErrorCode MeasureAuto(const Settings *o, const Space *space, DM dm, Vec X, Mat J, double seconds[],
                                  char type[64])
{
  PlexAssembly     plex;
  PlexAssemblyType now;
  PetscInt         done = 0;
  double           all  = 0, part;

  PetscFunctionBegin;
  PetscCall(Create(o, space, dm, PLEXASSEMBLYAUTO, &plex));
  for (PetscInt m = 0; m < o->nmarks; ++m) {
    PetscCall(Time(plex, X, J, o->marks[m] - done, &part));
    all += part;
    done       = o->marks[m];
    seconds[m] = all;
  }
  PetscCall(PlexAssemblyGetJacobianType(plex, &now));
  PetscCall(PetscStrncpy(type, now, 64));
  PetscCall(PlexAssemblyDestroy(&plex));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Row(const Settings *o, const Space *space, FILE *csv, double *worst, double *last)
{
  double   plan[TYPES], jacobian[TYPES], seconds[MARKS];
  PetscInt cStart, cEnd;
  char     type[64];
  DM       dm;
  Vec      X;
  Mat      J;

  PetscFunctionBegin;
  PetscCall(CreateSystem(space, o->coarser, (PetscBool)!strcmp(o->backend, PLEXBACKENDCUDA), &dm, &X, &J));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  for (PetscInt t = 0; t < o->ntypes; ++t)
    PetscCall(MeasureType(o, space, dm, o->types[t], X, J, &plan[t], &jacobian[t]));
  PetscCall(MeasureAuto(o, space, dm, X, J, seconds, type));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "| %-12s | %8" PetscInt_FMT " |", space->name, cEnd - cStart));
  for (PetscInt m = 0; m < o->nmarks; ++m) {
    double   best  = PETSC_MAX_REAL;
    PetscInt which = 0;

    for (PetscInt t = 0; t < o->ntypes; ++t) {
      const double all = plan[t] + (double)o->marks[m] * jacobian[t];

      if (all >= best) continue;
      best  = all;
      which = t;
    }
    *worst = PetscMax(*worst, seconds[m] / best);
    if (m == o->nmarks - 1) *last = PetscMax(*last, seconds[m] / best);
    PetscCall(PetscPrintf(PETSC_COMM_SELF, " %5.2f %-14s |", seconds[m] / best, o->types[which]));
    if (csv)
      fprintf(csv, "%s,%d,%d,%.6g,%.6g,%s\n", space->name, (int)(cEnd - cStart), (int)o->marks[m], seconds[m], best,
              o->types[which]);
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, " %s |\n", type));
  for (PetscInt t = 0; t < o->ntypes; ++t)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "    %-14s set-up %.4f s, Jacobian %.4f ms\n", o->types[t], plan[t],
                          1e3 * jacobian[t]));
  PetscCall(VecDestroy(&X));
  PetscCall(MatDestroy(&J));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Settings o = {
    .types  = {PLEXASSEMBLYELEMENTATOMIC, PLEXASSEMBLYSHAREDNZ, PLEXASSEMBLYLOCALROW, PLEXASSEMBLYGLOBALROW},
    .ntypes = 4,
    .reps   = 11
  };
  char      backend[64] = PLEXBACKENDCUDA, path[PETSC_MAX_PATH_LEN], *names[16], *types[TYPES];
  PetscInt  n = 16, ntypes = TYPES, most = 10000, rows = 0;
  double    worst = 0, last = 0;
  PetscBool available, set, file;
  FILE     *csv = NULL;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexGPUInitializePackage());
  PetscCall(PetscOptionsGetString(NULL, NULL, "-bench_backend", backend, sizeof(backend), NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-coarser", &o.coarser, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-reps", &o.reps, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-most", &most, NULL));
  PetscCheck(o.reps > 0 && o.coarser >= 0 && most > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "-reps, -coarser and -most have to be at least 1, 0 and 1");
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-types", types, &ntypes, &set));
  if (set) o.ntypes = ntypes;
  for (PetscInt t = 0; t < ntypes && set; ++t) o.types[t] = types[t];
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-spaces", names, &n, &set));
  if (!set) n = 0;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-csv", path, sizeof(path), &file));
  PetscCall(PlexBackendIsAvailable(backend, &available));
  PetscCheck(available, PETSC_COMM_SELF, PETSC_ERR_SUP, "The backend %s is not available here: -bench_backend emulate",
             backend);
  o.backend = backend;
  for (PetscInt m = 1; m <= most && o.nmarks < MARKS; m *= 10) o.marks[o.nmarks++] = m;
  if (file) {
    csv = fopen(path, "a");
    PetscCheck(csv, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot write %s", path);
    if (!ftell(csv)) fprintf(csv, "space,elements,jacobians,auto_s,best_s,best\n");
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "Time of auto over that of the best type, which stands behind it; backend "
                        "%s\n\n| space        | elements |",
                        backend));
  for (PetscInt m = 0; m < o.nmarks; ++m) PetscCall(PetscPrintf(PETSC_COMM_SELF, " %20" PetscInt_FMT " |", o.marks[m]));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, " auto ends with |\n"));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(Spaces); ++k) {
    PetscBool is;

    PetscCall(IsWanted(Spaces[k].name, n, names, &is));
    if (!is) continue;
    PetscCall(Row(&o, &Spaces[k], csv, &worst, &last));
    if (csv) (void)fflush(csv);
    ++rows;
  }
  for (PetscInt k = 0; k < n; ++k) PetscCall(PetscFree(names[k]));
  for (PetscInt t = 0; t < ntypes; ++t) PetscCall(PetscFree(types[t]));
  if (csv) (void)fclose(csv);
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "\nresult: benchmark=regret backend=%s rows=%" PetscInt_FMT
                        " worst_ratio=%.4g last_ratio=%.4g\n",
                        backend, rows, worst, last));
  return (int)BenchFinalize(rows);
}
