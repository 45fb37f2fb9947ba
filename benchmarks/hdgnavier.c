static char
  help[] = "Navier-Stokes equations by hybridized DG on squares or cubes of N cells a side, each cut into simplices: "
           "the time of each "
           "stage\n"
           "that a step of Newton's method has beside its solver, and of explicit convection, and microseconds an "
           "element.\n\n"
           "  -dim D                 2 (default) or 3\n"
           "  -cells A,B,...         N (default 40, in 3D 6)\n"
           "  -degrees A,B,...       default 1,2,3\n"
           "  -bench_backend NAME    cuda, host or emulate; default cuda where a GPU is, else host\n"
           "  -reps N                of which the least time of a stage is taken (default 3), after a first one\n"
           "  -plex_hdg_...          options of the discretization\n\n"
           "Times are of the processor on the host, else of the clock.\n\n";

#include "bench.h"
#include "../examples/box.h"
#include "../src/hdg/navier.h"
#include <petscts.h>
#include <time.h>

typedef enum {
  RESIDUAL,
  MATRICES, /* local matrices linearized by Newton's method */
  ASSEMBLY, /* the same again, and K of them */
  FLUXES,   /* of local problems */
  LOCAL,    /* u and p of a trace */
  CONVECTION,
  STAGES
} Stage;

static PetscErrorCode Now(PlexHDG hdg, PetscLogDouble *t)
{
  struct timespec now;

  PetscFunctionBegin;
  PetscCall(PlexBackendSynchronize(hdg->backend));
  PetscCheck(!clock_gettime(hdg->backend->device ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID, &now), PETSC_COMM_SELF,
             PETSC_ERR_SYS, "There is no clock");
  *t = now.tv_sec + 1e-9 * now.tv_nsec;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Flow(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < n; ++d) u[d] = PetscSinReal(3. * x[(d + 1) % dim] + d);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Known(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar g[],
                            void *ctx)
{
  PetscFunctionBegin;
  PetscCall(Flow(dim, x, n, g, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Local problems of the right-hand side X, b alone or u and p, in Y, of no trace */
static PetscErrorCode Solve(PlexHDG hdg, Vec X, Vec Y, PetscBool b)
{
  PlexHDGNavierArgs *x    = &hdg->navier->args;
  PlexHDGArgs        args = hdg->args;
  PlexArray          arrays[3];

  PetscFunctionBegin;
  PetscCall(PetscMemzero(arrays, sizeof(arrays)));
  PetscCall(PlexBackendVecGet(hdg->backend, X, PLEX_READ, &arrays[0]));
  PetscCall(PlexBackendVecGet(hdg->backend, Y, PLEX_WRITE, &arrays[1]));
  PetscCall(PlexBackendVecGet(hdg->backend, hdg->navier->g, PLEX_CHANGE, &arrays[2]));
  args.end    = (int)hdg->mesh->Ne;
  args.fixed  = NULL;
  x->f        = arrays[0].array;
  x->fp       = x->f + PlexHDGNavierPlaceP(hdg);
  x->du       = b ? NULL : arrays[1].array;
  x->dp       = b ? NULL : x->du + PlexHDGNavierPlaceP(hdg);
  x->constant = arrays[2].array;
  PetscCall((*hdg->ops->local)(hdg, &args));
  for (int k = 0; k < 3; ++k) {
    PetscCall(PlexBackendVecRestore(hdg->backend, &arrays[k]));
    PetscCall(PlexArrayReset(hdg->backend, &arrays[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Local matrices K[Ne][T][T] and their factors */
static PetscErrorCode Condense(PlexHDG hdg, double K[])
{
  PlexHDGArgs args = hdg->args;

  PetscFunctionBegin;
  args.K   = K;
  args.end = (int)hdg->mesh->Ne;
  PetscCall((*hdg->ops->condense)(hdg, &args));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(DM dm, PetscInt degree, const char backend[], PlexHDGTransport transport, PlexHDG *hdg,
                             TS *ts, Vec *X)
{
  PetscFunctionBegin;
  PetscCall(PlexHDGCreate(dm, hdg));
  PetscCall(PlexHDGSetSystem(*hdg, PLEX_HDG_NAVIER_STOKES));
  PetscCall(PlexHDGSetDegree(*hdg, degree));
  PetscCall(PlexHDGSetViscosity(*hdg, 0.01));
  PetscCall(PlexHDGSetTransport(*hdg, transport));
  PetscCall(PlexHDGAddBoundary(*hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, Known, NULL));
  PetscCall(PlexHDGSetFromOptions(*hdg));
  PetscCall(PlexHDGSetBackend(*hdg, backend));
  PetscCall(TSCreate(PETSC_COMM_SELF, ts));
  PetscCall(TSSetType(*ts, TSBEULER));
  PetscCall(PlexHDGSetTS(*hdg, *ts));
  PetscCall(PlexHDGCreateStateVec(*hdg, X));
  PetscCall(PlexHDGProjectState(*hdg, Flow, NULL, *X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void Keep(PetscInt rep, PetscLogDouble seconds, PetscLogDouble *least)
{
  if (rep) *least = rep > 1 ? PetscMin(*least, seconds) : seconds;
}

static PetscErrorCode MeasureNewton(DM dm, PetscInt degree, const char backend[], PetscInt reps, PetscInt *Ne,
                                    PetscLogDouble stage[])
{
  PlexHDG hdg;
  TS      ts;
  Vec     X, F;
  Mat     P;
  double *K;

  PetscFunctionBegin;
  PetscCall(Create(dm, degree, backend, PLEX_HDG_TRANSPORT_IMPLICIT, &hdg, &ts, &X));
  PetscCall(VecDuplicate(X, &F));
  *Ne = hdg->mesh->Ne;
  PetscCall(PlexBackendMalloc(hdg->backend, sizeof(double) * *Ne * PetscSqr(PlexHDGTraceSize(hdg)), (void **)&K));
  PetscCall(TSGetIJacobian(ts, NULL, &P, NULL, NULL));
  PetscCall(TSComputeIJacobian(ts, 0., X, X, 10., P, P, PETSC_TRUE));
  for (PetscInt r = 0; r <= reps; ++r) {
    PetscLogDouble t[6] = {0.};

    PetscCall(Now(hdg, &t[0]));
    PetscCall(TSComputeIFunction(ts, 0., X, X, F, PETSC_TRUE));
    PetscCall(Now(hdg, &t[1]));
    PetscCall(Condense(hdg, K));
    PetscCall(Now(hdg, &t[2]));
    PetscCall(PlexHDGAssemble(hdg, NULL));
    PetscCall(Now(hdg, &t[3]));
    PetscCall(Solve(hdg, X, F, PETSC_TRUE));
    PetscCall(Now(hdg, &t[4]));
    PetscCall(Solve(hdg, X, F, PETSC_FALSE));
    PetscCall(Now(hdg, &t[5]));
    for (int s = 0; s < CONVECTION; ++s) Keep(r, t[s + 1] - t[s], &stage[s]);
  }
  PetscCall(PlexBackendFree(hdg->backend, (void **)&K));
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&F));
  PetscCall(TSDestroy(&ts));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MeasureExplicit(DM dm, PetscInt degree, const char backend[], PetscInt reps,
                                      PetscLogDouble *stage)
{
  PlexHDG hdg;
  TS      ts;
  Vec     X, F;

  PetscFunctionBegin;
  PetscCall(Create(dm, degree, backend, PLEX_HDG_TRANSPORT_EXPLICIT, &hdg, &ts, &X));
  PetscCall(VecDuplicate(X, &F));
  PetscCall(TSComputeIFunction(ts, 0., X, X, F, PETSC_TRUE));
  for (PetscInt r = 0; r <= reps; ++r) {
    PetscLogDouble t[2] = {0., 0.};

    PetscCall(Now(hdg, &t[0]));
    PetscCall(TSComputeRHSFunction(ts, 0., X, F));
    PetscCall(Now(hdg, &t[1]));
    Keep(r, t[1] - t[0], stage);
  }
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&F));
  PetscCall(TSDestroy(&ts));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt  dim = 2, cells[8] = {40}, degrees[9] = {1, 2, 3}, ncells = 8, ndegrees = 9, reps = 3;
  char      name[64] = PLEXBACKENDAUTO;
  PetscBool set;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscCall(BenchInitialize(&argc, &argv, help));
  /* into files and pipes, too */
  PetscCheck(!setvbuf(stdout, NULL, _IOLBF, 1 << 16), PETSC_COMM_SELF, PETSC_ERR_SYS,
             "Output cannot be written line by line");
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-dim", &dim, NULL));
  if (dim == 3) cells[0] = 6;
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-cells", cells, &ncells, &set));
  if (!set) ncells = 1;
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-degrees", degrees, &ndegrees, &set));
  if (!set) ndegrees = 3;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-reps", &reps, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-bench_backend", name, sizeof(name), NULL));
  PetscCheck(reps > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "-reps %" PetscInt_FMT ": this is at least 1", reps);
  {
    PlexBackend backend; /* of equations that are on the host unless another backend is asked for by name */

    PetscCall(PlexBackendCreate(name, &backend));
    PetscCall(PetscStrncpy(name, ((PetscObject)backend)->type_name, sizeof(name)));
    PetscCall(PlexBackendDestroy(&backend));
  }
  printf("Microseconds an element, %s\n\n"
         "| P | elements | residual | local matrices | local matrices and K | fluxes of local problems | local "
         "problems | explicit "
         "convection |\n|--:|--:|--:|--:|--:|--:|--:|--:|\n",
         name);
  for (PetscInt d = 0; d < ndegrees; ++d) {
    for (PetscInt k = 0; k < ncells; ++k) {
      PetscLogDouble stage[STAGES] = {0.};
      PetscInt       Ne            = 1;
      DM             dm;

      PetscCall(BoxCreate(PETSC_COMM_SELF, dim, cells[k], &dm));
      PetscCall(MeasureNewton(dm, degrees[d], name, reps, &Ne, stage));
      PetscCall(MeasureExplicit(dm, degrees[d], name, reps, &stage[CONVECTION]));
      PetscCall(DMDestroy(&dm));
      printf("| %d | %d |", (int)degrees[d], (int)Ne);
      for (int s = 0; s < STAGES; ++s) printf(" %.3g |", 1e6 * stage[s] / Ne);
      printf("\n");
    }
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "result: benchmark=hdgnavier backend=%s dim=%" PetscInt_FMT " degrees=%" PetscInt_FMT
                        " meshes=%" PetscInt_FMT "\n",
                        name, dim, ndegrees, ncells));
  PetscCall(PetscFinalize());
  return 0;
}
