static char help
  [] = "Products with the trace's matrix of hybridized DG, by K, by the elements' matrices, and by the upper halves "
       "of their numbers, which the smoother reads: time and bytes a second of one, iterations and time of the "
       "trace's solve.\n\n"
       "  -dim 2                 squares or cubes of N cells a side (default 3)\n"
       "  -simplex BOOL          each of them 2 triangles or 6 tetrahedra (default true)\n"
       "  -cells N               default 8\n"
       "  -degrees A,B,...       default 1,2,3\n"
       "  -bench_backend NAME    cuda, host or emulate; default cuda where a GPU is, else host\n"
       "  -reps N                of which the median product and the least solve are taken (default 5)\n"
       "  -plex_hdg_...          options of the discretization and its solver\n\n";

#include "bench.h"
#include "../examples/box.h"
#include "../examples/helmholtz.h"
#include <plexgpu/private/hdgimpl.h>

typedef struct {
  Mat K;
  Vec x, y;
} Product;

static PetscErrorCode Multiply(void *ctx)
{
  Product *p = (Product *)ctx;

  PetscFunctionBegin;
  PetscCall(MatMult(p->K, p->x, p->y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a product has to move, docs/notes/2026-trace.md */
static double Bytes(PlexHDG hdg, Mat K, PetscBool upper)
{
  const double Nt = PlexHDGTraceSize(hdg), Nf = PlexHDGBlockSize(hdg), n = (double)hdg->mesh->nown * Nf;

  if (!hdg->without) {
    MatInfo info;

    PetscCallAbort(PETSC_COMM_SELF, MatGetInfo(K, MAT_LOCAL, &info));
    return 12. * info.nz_used + 20. * n;
  }
  return (double)hdg->mesh->Ne * ((upper ? 2. : 4.) * Nt * (Nt + 1.) + 4. * hdg->mesh->faces + 16. * Nt) + 16. * n +
         12. * (double)hdg->mesh->nown;
}

static PetscErrorCode Print(PlexHDG hdg, const char way[], Mat K, PetscBool upper, PetscInt reps)
{
  Product        p       = {.K = K};
  PetscLogDouble seconds = 0.;
  const double   bytes   = Bytes(hdg, K, upper);

  PetscFunctionBegin;
  PetscCall(PlexHDGCreateVecs(hdg, &p.x, NULL, NULL, NULL));
  PetscCall(VecDuplicate(p.x, &p.y));
  PetscCall(VecSet(p.x, 1.));
  PetscCall(BenchMedian(hdg->backend, Multiply, &p, reps, &seconds));
  printf("| %d | %s | %.4f | %.0f | %.0f |", (int)hdg->degree, way, 1e3 * seconds, bytes / (double)hdg->mesh->Ne,
         1e-9 * bytes / seconds);
  PetscCall(VecDestroy(&p.x));
  PetscCall(VecDestroy(&p.y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The trace's equations again, with K and its preconditioner as they are */
static PetscErrorCode PrintSolve(PlexHDG hdg, PetscInt reps)
{
  PetscLogDouble begin, end, least = PETSC_MAX_REAL;
  Vec            rhs, trace;
  PetscInt       its;
  KSP            ksp;

  PetscFunctionBegin;
  PetscCall(PlexHDGCreateVecs(hdg, &trace, NULL, NULL, NULL));
  PetscCall(VecDuplicate(trace, &rhs));
  PetscCall(PlexHDGComputeRHS(hdg, rhs));
  for (PetscInt r = 0; r < reps; ++r) {
    PetscCall(PlexBackendSynchronize(hdg->backend));
    PetscCall(PetscTime(&begin));
    PetscCall(PlexHDGSolveTrace(hdg, rhs, trace));
    PetscCall(PlexBackendSynchronize(hdg->backend));
    PetscCall(PetscTime(&end));
    least = PetscMin(least, end - begin);
  }
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  printf(" %d | %.2f |\n", (int)its, 1e3 * least);
  PetscCall(VecDestroy(&rhs));
  PetscCall(VecDestroy(&trace));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* trace, precision: of the options -plex_hdg_trace and -plex_hdg_smoother_precision */
static PetscErrorCode Measure(DM dm, PetscInt degree, const char backend[], PetscInt reps, const char trace[],
                              const char precision[])
{
  const PetscBool elements = (PetscBool)(trace[0] == 'e');
  PlexHDG         hdg;
  KSP             ksp, smoother;
  PC              pc;
  Mat             K;

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-plex_hdg_trace", trace));
  PetscCall(PetscOptionsClearValue(NULL, "-plex_hdg_smoother_precision"));
  if (precision) PetscCall(PetscOptionsSetValue(NULL, "-plex_hdg_smoother_precision", precision));
  PetscCall(PlexHDGCreate(dm, &hdg));
  PetscCall(PlexHDGSetDiffusion(hdg, 1., 1.));
  PetscCall(PlexHDGSetSource(hdg, HelmholtzSource, NULL));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, HelmholtzKnown, NULL));
  PetscCall(PlexHDGSetFromOptions(hdg));
  PetscCall(PlexHDGSetDegree(hdg, degree));
  PetscCall(PlexHDGSetBackend(hdg, backend));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(KSPGetOperators(ksp, &K, NULL));
  if (elements) {
    PetscCall(PCMGGetSmoother(pc, 1, &smoother));
    PetscCall(KSPGetOperators(smoother, &K, NULL));
  }
  PetscCall(Print(hdg,
                  !elements   ? "K"
                  : precision ? "elements"
                              : "upper halves",
                  K, (PetscBool)(elements && !precision), reps));
  PetscCall(PrintSolve(hdg, reps));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt  dim = 3, cells = 8, degrees[9] = {1, 2, 3}, ndegrees = 9, reps = 5;
  char      name[64] = PLEXBACKENDAUTO;
  PetscBool set, simplex = PETSC_TRUE;
  DM        dm;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscCall(BenchInitialize(&argc, &argv, help));
  /* into files and pipes, too */
  PetscCheck(!setvbuf(stdout, NULL, _IOLBF, 1 << 16), PETSC_COMM_SELF, PETSC_ERR_SYS,
             "Output cannot be written line by line");
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-dim", &dim, NULL));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-simplex", &simplex, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-cells", &cells, NULL));
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-degrees", degrees, &ndegrees, &set));
  if (!set) ndegrees = 3;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-reps", &reps, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-bench_backend", name, sizeof(name), NULL));
  if (simplex) PetscCall(BoxCreate(PETSC_COMM_SELF, dim, cells, &dm));
  else
    PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_SELF, dim, PETSC_FALSE, (PetscInt[3]){cells, cells, cells}, NULL, NULL,
                                  NULL, PETSC_TRUE, 0, PETSC_TRUE, &dm));
  printf("| P | products by | ms | bytes an element | GB/s | iterations | trace solve, ms |\n"
         "|--:|:--|--:|--:|--:|--:|--:|\n");
  for (PetscInt d = 0; d < ndegrees; ++d) {
    PetscCall(Measure(dm, degrees[d], name, reps, "aij", NULL));
    PetscCall(Measure(dm, degrees[d], name, reps, "elements", "double"));
    PetscCall(Measure(dm, degrees[d], name, reps, "elements", NULL));
  }
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return 0;
}
