static char help[] = "Problems drawn at random, with pointwise functions that are written at random: residuals and "
                     "Jacobians beside PETSc's, entry by entry.\n"
                     "  -seed <n>          : the first case; each is drawn from its number alone\n"
                     "  -cases <n>         : how many, 0: until the time is over\n"
                     "  -seconds <n>       : the time, 0: until the cases are done\n"
                     "  -backend, -emulate : backends; of those with kernels every n-th case alone, for they are "
                     "compiled\n"
                     "  -type, -integration: only this one (auto, quadrature), for all cases\n"
                     "  -without <names>   : the cases without some of what they have, as a report says\n"
                     "  -show              : what the cases are\n"
                     "  -shrink <seconds>  : time to reduce a failing case, 0: not at all\n"
                     "  -failures <n>      : stop after so many failing cases\n"
                     "  -together          : one process does not give each case to a child, for debuggers and "
                     "sanitizers\n"
                     "  -folder <folder>   : where the functions are written and compiled\n\n";

#include "fuzz.h"
#include "report.h"
#include <petsctime.h>

#define SHARED 64 /* seeds with the same functions */

typedef struct {
  PetscInt    cases, emulate, failures, backends;
  PetscReal   seconds, shrink;
  uint64_t    seed;
  PetscBool   show, together;
  char        type[64], integration[64], without[1024], folder[PETSC_MAX_PATH_LEN];
  const char *backend[8];
} Options;

static PetscErrorCode GetOptions(Options *o)
{
  const char *const *backends;
  char               seed[64] = "1";
  PetscBool          set;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(o, sizeof(*o)));
  o->seconds  = PlexTestLong() ? 60. : 25.;
  o->shrink   = 20.;
  o->emulate  = 100;
  o->failures = 5;
  PetscCall(PetscStrncpy(o->folder, "build/tests/fuzz-functions", sizeof(o->folder)));
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Fuzzer", NULL);
  PetscCall(PetscOptionsString("-seed", "First case", NULL, seed, seed, sizeof(seed), NULL));
  PetscCall(PetscOptionsBoundedInt("-cases", "How many", NULL, o->cases, &o->cases, &set, 0));
  if (set && o->cases) o->seconds = 0.;
  PetscCall(PetscOptionsReal("-seconds", "Time", NULL, o->seconds, &o->seconds, NULL));
  PetscCall(PetscOptionsBoundedInt("-emulate", "Cases of which one is for kernels", NULL, o->emulate, &o->emulate, NULL,
                                   1));
  PetscCall(PetscOptionsString("-type", "Only this strategy", NULL, o->type, o->type, sizeof(o->type), NULL));
  PetscCall(PetscOptionsString("-integration", "Only this one", NULL, o->integration, o->integration,
                               sizeof(o->integration), NULL));
  PetscCall(PetscOptionsString("-without", "What is left out", NULL, o->without, o->without, sizeof(o->without), NULL));
  PetscCall(PetscOptionsBool("-show", "Show the cases", NULL, o->show, &o->show, NULL));
  PetscCall(PetscOptionsBool("-together", "No children", NULL, o->together, &o->together, NULL));
  PetscCall(PetscOptionsReal("-shrink", "Time to reduce", NULL, o->shrink, &o->shrink, NULL));
  PetscCall(PetscOptionsBoundedInt("-failures", "Most failing cases", NULL, o->failures, &o->failures, NULL, 1));
  PetscCall(PetscOptionsString("-folder", "Functions", NULL, o->folder, o->folder, sizeof(o->folder), NULL));
  PetscOptionsEnd();
  o->seed = strtoull(seed, NULL, 10);
  PetscCall(PlexTestBackends(&o->backends, &backends));
  PetscCheck(o->backends <= (PetscInt)PETSC_STATIC_ARRAY_LENGTH(o->backend), PETSC_COMM_WORLD, PETSC_ERR_ARG_SIZ,
             "Too many backends");
  for (PetscInt k = 0; k < o->backends; ++k) {
    PetscBool cuda;

    o->backend[k] = backends[k];
    PetscCall(PetscStrcmp(backends[k], PLEXBACKENDCUDA, &cuda));
    if (cuda) o->together = PETSC_TRUE; /* a child cannot go on with the parent's driver */
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Draw(const Options *o, uint64_t seed, const char without[], PlexFuzzLibrary *library,
                           PlexFuzzCase *c)
{
  PetscFunctionBegin;
  if (!library->n || library->number != seed / SHARED)
    PetscCall(PlexFuzzLibraryLoad(o->folder, seed / SHARED, library));
  PetscCall(PlexFuzzDraw(seed, library, c));
  PetscCall(PlexFuzzReduce(without, library, c));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The case at hand, for what looks at the remains */
static PetscErrorCode Note(const Options *o, uint64_t seed)
{
  char        path[PETSC_MAX_PATH_LEN + 32];
  PetscMPIInt size, rank;
  FILE       *file;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (rank) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s/seed-%d", o->folder, size));
  file = fopen(path, "w");
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot write %s", path);
  fprintf(file, "%llu\n", (unsigned long long)seed);
  fclose(file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The ways of a case: on the host by default and at times by quadrature; kernels of one type where it is their turn */
static PetscErrorCode GetWays(const Options *o, const PlexFuzzCase *c, PetscInt *n, PlexFuzzWay ways[4])
{
  PetscFunctionBegin;
  *n = 0;
  for (PetscInt k = 0; k < o->backends && *n < 3; ++k) {
    PlexFuzzWay *way = &ways[*n];
    PetscBool    host, same;

    PetscCall(PetscStrcmp(o->backend[k], PLEXBACKENDHOST, &host));
    if (!host && o->backends > 1 && c->seed % (uint64_t)o->emulate != (uint64_t)o->emulate / 2) continue;
    *way = (PlexFuzzWay){.backend = o->backend[k], .type = host ? 0 : c->type, .integration = PLEX_INTEGRATION_AUTO};
    if (o->integration[0] ? !strcmp(o->integration, "quadrature") : !host && c->seed % 3 == 0)
      way->integration = PLEX_INTEGRATION_QUADRATURE;
    for (PetscInt t = 0; t < 9 && o->type[0] && !host; ++t) {
      PetscCall(PetscStrcmp(o->type, PlexFuzzTypes[t], &same));
      if (same) way->type = t;
    }
    ++*n;
    if (host && !o->integration[0] && c->seed % 4 == 0) {
      ways[*n]                 = *way;
      ways[(*n)++].integration = PLEX_INTEGRATION_QUADRATURE;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Takes away whatever can be, as long as the same way fails as it did; `without` grows */
static PetscErrorCode Shrink(const Options *o, uint64_t seed, PlexFuzzLibrary *library, PlexFuzzResult *result,
                             char without[], size_t size)
{
  PetscLogDouble begin, now;
  PetscBool      changed = PETSC_TRUE, over = PETSC_FALSE;
  PetscMPIInt    n;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &n));
  PetscCall(PetscTime(&begin));
  while (changed && !over) {
    char name[32], more[4096];

    changed = PETSC_FALSE;
    for (PetscInt k = 0;; ++k) {
      PlexFuzzCase   c, reduced;
      PlexFuzzResult r;

      PetscCall(Draw(o, seed, without, library, &c));
      if (!PlexFuzzReduction(&c, k, name)) break;
      reduced = c;
      PetscCall(PlexFuzzReduce(name, library, &reduced));
      if (!memcmp(&c, &reduced, sizeof(c))) continue;
      PetscCall(PetscTime(&now));
      over = (PetscBool)(now - begin > o->shrink);
      PetscCallMPI(MPI_Bcast(&over, 1, MPI_C_BOOL, 0, PETSC_COMM_WORLD));
      if (over) break;
      PetscCall(PlexFuzzCompare(&reduced, library, 1, &result->way, o->together ? PLEX_FUZZ_TOGETHER : PLEX_FUZZ_QUIET,
                                &r));
      if (r.verdict != result->verdict) continue;
      PetscCall(PetscSNPrintf(more, sizeof(more), "%s%s%s", without, without[0] ? "," : "", name));
      PetscCall(PetscStrncpy(without, more, size));
      *result = r;
      changed = PETSC_TRUE;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const char *const Verdicts[] = {"the same", "it differs", "an error", "a crash"};

static PetscErrorCode Report(const Options *o, uint64_t seed, PlexFuzzLibrary *library, PlexFuzzResult *result)
{
  char         without[4096], name[64];
  PlexFuzzCase c;
  PetscMPIInt  size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscStrncpy(without, o->without, sizeof(without)));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# seed %llu, %s: %s\n", (unsigned long long)seed, Verdicts[result->verdict],
                        result->what));
  if (o->shrink > 0.) PetscCall(Shrink(o, seed, library, result, without, sizeof(without)));
  PetscCall(Draw(o, seed, without, library, &c));
  PetscCall(PlexFuzzDescribe(&c, library));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "# again: mpiexec -n %d build/tests/fuzz -seed %llu -cases 1 -backend %s -type %s -integration "
                        "%s%s%s\n",
                        size, (unsigned long long)seed, result->way.backend, PlexFuzzTypes[result->way.type],
                        PlexIntegrations[result->way.integration], without[0] ? " -without " : "", without));
  PetscCall(PetscSNPrintf(name, sizeof(name), "seed %llu", (unsigned long long)seed));
  PetscCall(PlexTestReport(PETSC_FALSE, name, "%s, %s %s %s: %s", Verdicts[result->verdict], result->way.backend,
                           PlexFuzzTypes[result->way.type], PlexIntegrations[result->way.integration], result->what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options         o;
  PlexFuzzLibrary library = {.n = 0};
  PlexFuzzResult  sum     = {.compared = 0};
  PetscInt        done = 0, failed = 0, kernels = 0;
  PetscLogDouble  begin, now;
  PetscBool       over = PETSC_FALSE, can;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestQuickKernels());
  PetscCall(GetOptions(&o));
  PetscCall(PlexFuzzCanCompile(&can));
  if (!can) {
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "skip the fuzzer: there is no C compiler here, or no PETSc to include\n"));
    PetscCall(PetscFinalize());
    return 0;
  }
  PetscCall(PetscTime(&begin));
  while (!over && failed < o.failures) {
    const uint64_t seed = o.seed + (uint64_t)done;
    PlexFuzzWay    ways[4];
    PetscInt       n;
    PlexFuzzCase   c;
    PlexFuzzResult result;

    PetscCall(Draw(&o, seed, o.without, &library, &c));
    PetscCall(GetWays(&o, &c, &n, ways));
    PetscCall(Note(&o, seed));
    if (o.show) {
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# seed %llu\n", (unsigned long long)seed));
      PetscCall(PlexFuzzDescribe(&c, &library));
    }
    PetscCall(PlexFuzzCompare(&c, &library, n, ways,
                              o.together ? PLEX_FUZZ_TOGETHER
                              : o.show   ? PLEX_FUZZ_LOUD
                                         : PLEX_FUZZ_QUIET,
                              &result));
    for (PetscInt k = 0; k < n; ++k) kernels += strcmp(ways[k].backend, PLEXBACKENDHOST) != 0;
    sum.compared += result.compared;
    sum.different += result.different;
    sum.left += result.left;
    sum.impossible += result.impossible;
    if (o.show && result.impossible) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "# %s\n", result.what));
    if (result.verdict != PLEX_FUZZ_SAME) {
      ++failed;
      PetscCall(Report(&o, seed, &library, &result));
    }
    ++done;
    PetscCall(PetscTime(&now));
    over = (PetscBool)((o.cases && done >= o.cases) || (o.seconds > 0. && now - begin > o.seconds));
    PetscCallMPI(MPI_Bcast(&over, 1, MPI_C_BOOL, 0, PETSC_COMM_WORLD));
  }
  PetscCall(PlexFuzzLibraryClose(&library));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "# %" PetscInt_FMT " cases from seed %llu on, %" PetscInt_FMT " with kernels: %" PetscInt_FMT
                        " comparisons, %" PetscInt_FMT " differ; %" PetscInt_FMT " left to PETSc, %" PetscInt_FMT
                        " cases that PETSc refuses\n",
                        done, (unsigned long long)o.seed, kernels, sum.compared, sum.different, sum.left,
                        sum.impossible));
  PetscCall(PlexTestReport((PetscBool)(sum.compared > 0), "something was compared", "nothing was"));
  if (!failed)
    PetscCall(PlexTestReport((PetscBool)(!sum.different), "all comparisons",
                             "%" PetscInt_FMT " of %" PetscInt_FMT " differ", sum.different, sum.compared));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
