static char help[] = "Two builds of the library side by side: residuals and Jacobians of the same problems, in "
                     "one process, in turns.\n\n"
                     "  -old LIB, -new LIB           libplexgpu.so.0 of either build\n"
                     "  -old_sources, -new_sources   its device sources, where they do not lie beside it\n"
                     "  -bench_backend NAME          cuda, host or emulate; default cuda where a GPU is, else "
                     "host\n"
                     "  -type TYPE                   the strategy of both products (default auto)\n"
                     "  -coarser N                   meshes N refinements smaller (a box has half the cells "
                     "along a side each time)\n"
                     "  -spaces A,B,...              only these\n"
                     "  -reps N                      samples of either build (default 11)\n"
                     "  -csv FILE                    append the table\n\n";

/*
  A row is a space with its mesh in order, or with cells and vertices numbered at random. A sample is as many calls as
  take a millisecond, until the GPU has done them; samples of the builds take turns, and the medians are compared.
  Set-up is the first call of either product: elements, plans, kernels (compiled, or taken from the cache). Both builds
  are in one process and know nothing of each other: each is loaded with symbols of its own, which is why this program
  is not linked with the library.
*/
#include "table.h"
#include <plexgpu.h>
#include <dlfcn.h>

/* ---- A build ---- */

typedef struct {
  const char *name;
  char        library[PETSC_MAX_PATH_LEN], sources[PETSC_MAX_PATH_LEN];
  void       *handle;
  PetscErrorCode (*create)(DM, PlexAssembly *);
  PetscErrorCode (*setfromoptions)(PlexAssembly);
  PetscErrorCode (*setbackend)(PlexAssembly, PlexBackendType);
  PetscErrorCode (*settype)(PlexAssembly, PlexAssemblyType);
  PetscErrorCode (*setsource)(PlexAssembly, const char[]);
  PetscErrorCode (*jacobian)(PlexAssembly, Vec, Vec, PetscReal, PetscReal, Mat, Mat);
  PetscErrorCode (*residual)(PlexAssembly, Vec, Vec, PetscReal, Vec);
  PetscErrorCode (*destroy)(PlexAssembly *);
} Build;

static PetscErrorCode BuildFind(const Build *b, const char name[], void *function)
{
  void *found = dlsym(b->handle, name);

  PetscFunctionBegin;
  PetscCheck(found, PETSC_COMM_SELF, PETSC_ERR_LIB, "There is no %s in %s", name, b->library);
  PetscCall(PetscMemcpy(function, &found, sizeof(found)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode BuildLoad(const char name[], Build *b)
{
  char      option[64];
  PetscBool set;

  PetscFunctionBegin;
  b->name = name;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-%s", name));
  PetscCall(PetscOptionsGetString(NULL, NULL, option, b->library, sizeof(b->library), &set));
  PetscCheck(set, PETSC_COMM_SELF, PETSC_ERR_USER,
             "Name both builds with -old LIB and -new LIB: paths of libplexgpu.so.0");
  PetscCall(PetscSNPrintf(option, sizeof(option), "-%s_sources", name));
  PetscCall(PetscOptionsGetString(NULL, NULL, option, b->sources, sizeof(b->sources), NULL));
  b->handle = dlopen(b->library, RTLD_NOW | RTLD_LOCAL);
  PetscCheck(b->handle, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot load the build of -%s: %s", name, dlerror());
  PetscCall(BuildFind(b, "PlexAssemblyCreate", &b->create));
  PetscCall(BuildFind(b, "PlexAssemblySetFromOptions", &b->setfromoptions));
  PetscCall(BuildFind(b, "PlexAssemblySetBackend", &b->setbackend));
  PetscCall(BuildFind(b, "PlexAssemblySetType", &b->settype));
  PetscCall(BuildFind(b, "PlexAssemblySetPointwiseSource", &b->setsource));
  PetscCall(BuildFind(b, "PlexAssemblyComputeJacobian", &b->jacobian));
  PetscCall(BuildFind(b, "PlexAssemblyComputeFunction", &b->residual));
  PetscCall(BuildFind(b, "PlexAssemblyDestroy", &b->destroy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Device sources are looked for by an option that both builds read */
static PetscErrorCode BuildTurn(const Build *b)
{
  PetscFunctionBegin;
  if (b->sources[0]) PetscCall(PetscOptionsSetValue(NULL, "-plexgpu_source_dir", b->sources));
  else PetscCall(PetscOptionsClearValue(NULL, "-plexgpu_source_dir"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A row ---- */

typedef struct {
  const char *backend, *type;
  PetscInt    reps, coarser;
  int (*synchronize)(void); /* NULL: calls are done when they return */
} Settings;

/* A problem by one build */
typedef struct {
  const Build *build;
  PlexAssembly plex;
  Vec          X, F;
  Mat          J;
  double       setup[2], seconds[2]; /* of the residual, of the Jacobian; seconds: the median */
} Side;

static PetscErrorCode Call(const Side *s, PetscInt kind)
{
  PetscFunctionBegin;
  if (kind) PetscCall((*s->build->jacobian)(s->plex, s->X, NULL, 0.0, 0.0, s->J, s->J));
  else PetscCall((*s->build->residual)(s->plex, s->X, NULL, 0.0, s->F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds of so many calls, until the device has done them */
static PetscErrorCode Time(const Settings *o, const Side *s, PetscInt kind, PetscInt calls, double *seconds)
{
  PetscLogDouble t0, t1;

  PetscFunctionBegin;
  if (o->synchronize) PetscCheck(!(*o->synchronize)(), PETSC_COMM_SELF, PETSC_ERR_GPU, "The device has failed");
  PetscCall(PetscTime(&t0));
  for (PetscInt k = 0; k < calls; ++k) PetscCall(Call(s, kind));
  if (o->synchronize) PetscCheck(!(*o->synchronize)(), PETSC_COMM_SELF, PETSC_ERR_GPU, "The device has failed");
  PetscCall(PetscTime(&t1));
  *seconds = t1 - t0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SideCreate(const Settings *o, const Space *space, const Build *build, DM dm, Side *s)
{
  char source[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PetscMemzero(s, sizeof(*s)));
  s->build = build;
  PetscCall(BuildTurn(build));
  PetscCall(FindFile(ProblemSources[space->problem], source, sizeof(source)));
  PetscCall((*build->create)(dm, &s->plex));
  PetscCall((*build->setfromoptions)(s->plex));
  PetscCall((*build->setbackend)(s->plex, o->backend));
  PetscCall((*build->settype)(s->plex, o->type));
  PetscCall((*build->setsource)(s->plex, source));
  PetscCall(DMCreateLocalVector(dm, &s->X));
  PetscCall(VecDuplicate(s->X, &s->F));
  PetscCall(VecSet(s->X, 1.0));
  PetscCall(DMCreateMatrix(dm, &s->J));
  if (space->problem != NONLINEAR) {
    PetscCall(MatSetOption(s->J, MAT_SYMMETRIC, PETSC_TRUE));
    PetscCall(MatSetOption(s->J, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  }
  for (PetscInt kind = 0; kind < 2; ++kind) PetscCall(Time(o, s, kind, 1, &s->setup[kind]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SideDestroy(Side *s)
{
  PetscFunctionBegin;
  PetscCall((*s->build->destroy)(&s->plex));
  PetscCall(VecDestroy(&s->X));
  PetscCall(VecDestroy(&s->F));
  PetscCall(MatDestroy(&s->J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Medians of both, whose samples take turns */
static PetscErrorCode Measure(const Settings *o, Side side[2], PetscInt kind)
{
  PetscReal *samples[2];
  double     seconds;
  PetscInt   calls = 1;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(o->reps, &samples[0], o->reps, &samples[1]));
  PetscCall(Time(o, &side[0], kind, 1, &seconds));
  PetscCall(Time(o, &side[0], kind, 1, &seconds)); /* the one before has been the first since something else */
  calls = (PetscInt)PetscMax(1.0, PetscMin(1000.0, 1e-3 / PetscMax(seconds, 1e-6)));
  for (PetscInt r = 0; r < o->reps; ++r) {
    for (PetscInt k = 0; k < 2; ++k) {
      PetscCall(Time(o, &side[k], kind, calls, &seconds));
      samples[k][r] = (PetscReal)(seconds / (double)calls);
    }
  }
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(PetscSortReal(o->reps, samples[k]));
    side[k].seconds[kind] = (double)samples[k][o->reps / 2];
  }
  PetscCall(PetscFree2(samples[0], samples[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest of relative differences of what the two compute, in the 2-norm */
static PetscErrorCode Compare(const Side side[2], PetscReal *difference)
{
  PetscReal norm, error;
  Vec       F;
  Mat       J;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(side[0].F, &F));
  PetscCall(VecWAXPY(F, -1.0, side[0].F, side[1].F));
  PetscCall(VecNorm(F, NORM_2, &error));
  PetscCall(VecNorm(side[0].F, NORM_2, &norm));
  *difference = error / norm;
  PetscCall(MatDuplicate(side[1].J, MAT_COPY_VALUES, &J));
  PetscCall(MatAXPY(J, -1.0, side[0].J, SAME_NONZERO_PATTERN));
  PetscCall(MatNorm(J, NORM_FROBENIUS, &error));
  PetscCall(MatNorm(side[0].J, NORM_FROBENIUS, &norm));
  *difference = PetscMax(*difference, error / norm);
  PetscCall(VecDestroy(&F));
  PetscCall(MatDestroy(&J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The table ---- */

typedef struct {
  PetscInt n;
  double   logs, worst, difference;
} Summary;

static PetscErrorCode Row(const Settings *o, const Space *space, const Build builds[2], PetscBool shuffled, FILE *csv,
                          Summary *sum)
{
  static const char *const products[] = {"F", "J"};
  const char *const        order      = shuffled ? "at random" : "in order";
  Side                     side[2];
  PetscReal                difference = 0.;
  PetscInt                 cStart, cEnd;
  DM                       dm;

  PetscFunctionBegin;
  PetscCall(CreateMesh(space, o->coarser, shuffled, &dm));
  PetscCall(SetUpProblem(dm, space));
  if (o->synchronize) {
    PetscCall(DMSetVecType(dm, VECCUDA));
    PetscCall(DMSetMatType(dm, MATAIJCUSPARSE));
  }
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(SideCreate(o, space, &builds[k], dm, &side[k]));
  PetscCall(Compare(side, &difference));
  sum->difference = PetscMax(sum->difference, (double)difference);
  for (PetscInt kind = 1; kind >= 0; --kind) {
    double ratio;

    PetscCall(Measure(o, side, kind));
    ratio = side[1].seconds[kind] / side[0].seconds[kind];
    sum->logs += log(ratio);
    sum->worst = PetscMax(sum->worst, ratio);
    ++sum->n;
    PetscCall(PetscPrintf(PETSC_COMM_SELF,
                          "| %-13s | %-9s | %8" PetscInt_FMT
                          " | %s | %9.4f | %9.4f | %6.3f | %7.2f | %7.2f | %8.1e |\n",
                          space->name, order, cEnd - cStart, products[kind], 1e3 * side[0].seconds[kind],
                          1e3 * side[1].seconds[kind], ratio, side[0].setup[kind], side[1].setup[kind],
                          (double)difference));
    if (csv)
      fprintf(csv, "%s,%s,%d,%s,%.6g,%.6g,%.6g,%.6g,%.3g\n", space->name, order, (int)(cEnd - cStart), products[kind],
              side[0].seconds[kind], side[1].seconds[kind], side[0].setup[kind], side[1].setup[kind],
              (double)difference);
  }
  for (PetscInt k = 0; k < 2; ++k) PetscCall(SideDestroy(&side[k]));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The device's driver, where there is one */
static PetscErrorCode FindSynchronize(Settings *o)
{
  void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL), *found;
  int (*init)(unsigned), (*count)(int *), n = 0;

  PetscFunctionBegin;
  if (!driver) PetscFunctionReturn(PETSC_SUCCESS);
  found = dlsym(driver, "cuInit");
  PetscCall(PetscMemcpy(&init, &found, sizeof(found)));
  found = dlsym(driver, "cuDeviceGetCount");
  PetscCall(PetscMemcpy(&count, &found, sizeof(found)));
  if (!init || !count || (*init)(0) || (*count)(&n) || !n) PetscFunctionReturn(PETSC_SUCCESS);
  found = dlsym(driver, "cuCtxSynchronize");
  PetscCall(PetscMemcpy(&o->synchronize, &found, sizeof(found)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Build     builds[2]   = {{0}};
  Settings  o           = {.reps = 11};
  Summary   sum         = {0};
  char      backend[64] = "", type[64] = PLEXASSEMBLYAUTO, file[PETSC_MAX_PATH_LEN] = "", *names[16];
  PetscInt  n = PETSC_STATIC_ARRAY_LENGTH(names);
  PetscBool set, cuda;
  FILE     *csv = NULL;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  /* auto: the fastest type at once, whatever its plan takes */
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_expected_assemblies", "unlimited"));
  PetscCall(FindSynchronize(&o));
  PetscCall(PetscStrncpy(backend, o.synchronize ? PLEXBACKENDCUDA : PLEXBACKENDHOST, sizeof(backend)));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-bench_backend", backend, sizeof(backend), NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-type", type, sizeof(type), NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-coarser", &o.coarser, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-reps", &o.reps, NULL));
  PetscCheck(o.reps > 0 && o.coarser >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "-reps %" PetscInt_FMT " and -coarser %" PetscInt_FMT " have to be at least 1 and 0", o.reps, o.coarser);
  PetscCall(PetscOptionsGetStringArray(NULL, NULL, "-spaces", names, &n, &set));
  if (!set) n = 0;
  PetscCall(PetscStrcmp(backend, PLEXBACKENDCUDA, &cuda));
  PetscCheck(!cuda || o.synchronize, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "There is no GPU here; -bench_backend takes host or emulate");
  if (!cuda) o.synchronize = NULL;
  o.backend = backend;
  o.type    = type;
  PetscCall(BuildLoad("old", &builds[0]));
  PetscCall(BuildLoad("new", &builds[1]));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-csv", file, sizeof(file), NULL));
  if (file[0]) {
    csv = fopen(file, "a");
    PetscCheck(csv, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot append to %s", file);
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "Milliseconds a call, medians of %" PetscInt_FMT "; set-up in s; backend %s, type %s\n\n",
                        o.reps, backend, type));
  PetscCall(PetscPrintf(
    PETSC_COMM_SELF,
    "| space         | numbered  | elements |   |    old ms |    new ms |  ratio | set-up, |     new |    diff. |\n"
    "|:--------------|:----------|---------:|:--|----------:|----------:|-------:|--------:|--------:|---------:|\n"));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(Spaces); ++k) {
    PetscCall(IsWanted(Spaces[k].name, n, names, &set));
    for (PetscInt shuffled = 0; set && shuffled < 2; ++shuffled)
      PetscCall(Row(&o, &Spaces[k], builds, (PetscBool)shuffled, csv, &sum));
  }
  for (PetscInt k = 0; k < n; ++k) PetscCall(PetscFree(names[k]));
  if (csv) fclose(csv);
  PetscCheck(sum.n, PETSC_COMM_SELF, PETSC_ERR_USER, "None of -spaces is one of the table's");
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "\nresult: benchmark=ab backend=%s rows=%" PetscInt_FMT
                        " mean_ratio=%.4f worst_ratio=%.4f largest_difference=%.1e\n",
                        backend, sum.n, exp(sum.logs / (double)sum.n), sum.worst, sum.difference));
  PetscCall(PetscFinalize());
  return 0;
}
