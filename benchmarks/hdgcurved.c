static char
  help[] = "Hybridized DG on squares of N x N cells, each 2 triangles with coordinates of degree 2: none curved, "
           "some, all; the time of each stage, and beside that of affine elements.\n\n"
           "  -cells N               default 80\n"
           "  -degrees A,B,...       default 2,3,6\n"
           "  -shares A,B,...        of cells that are curved (default 0,0.02,1), the first to compare with\n"
           "  -bench_backend NAME    cuda, host or emulate; default cuda where a GPU is, else host\n"
           "  -reps N                of which the least time of a stage is taken (default 3), after a first one\n"
           "  -plex_hdg_...          options of the discretization; -plex_hdg_affine false takes all cells as "
           "curved ones\n\n"
           "Times are of the processor on the host, else of the clock.\n\n";

#include "bench.h"
#include "../examples/box.h"
#include "../examples/helmholtz.h"
#include <plexgpu/private/hdgimpl.h>
#include <time.h>

typedef enum {
  BUILD, /* local matrices, and K of them */
  RHS,
  TRACE,
  LOCAL, /* u and q of the trace */
  POST,
  STAGES
} Stage;

typedef struct {
  PetscInt       curved, Ne;
  PetscReal      error;
  PetscLogDouble setup, stage[STAGES];
} Row;

static PetscErrorCode Now(PlexHDG hdg, PetscLogDouble *t)
{
  PlexBackend backend;

  PetscFunctionBegin;
  PetscCall(PlexHDGGetBackend(hdg, &backend));
  if (backend->device) PetscCall(PetscTime(t));
  else {
    struct timespec now;

    PetscCheck(!clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now), PETSC_COMM_SELF, PETSC_ERR_SYS,
               "The processor has no clock");
    *t = now.tv_sec + 1e-9 * now.tv_nsec;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The middle of every so-many-th edge inside is moved, which makes two curved cells, or one beside another such edge;
   the cells themselves are spread over the mesh */
static PetscErrorCode Bend(DM dm, PetscReal share, PetscInt cells)
{
  PetscSection section;
  Vec          coordinates;
  PetscScalar *x;
  PetscInt     eStart, eEnd, offset, n, last = 0;

  PetscFunctionBegin;
  PetscCall(DMPlexCreateCoordinateSpace(dm, 2, PETSC_FALSE, PETSC_TRUE));
  PetscCall(DMGetCoordinateSection(dm, &section));
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(DMPlexGetDepthStratum(dm, 1, &eStart, &eEnd));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt e = eStart; e < eEnd; ++e) {
    /* 3/2 edges a cell, and two cells an edge */
    const PetscInt next = share >= 1. ? e + 1 : (PetscInt)((e - eStart) * share / 3.);

    PetscCall(DMPlexGetSupportSize(dm, e, &n));
    if (next == last || n < 2) continue;
    last = next;
    PetscCall(PetscSectionGetOffset(section, e, &offset));
    x[offset] += 0.06 / cells;
    x[offset + 1] -= 0.04 / cells;
  }
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscCall(DMSetCoordinatesLocal(dm, coordinates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Measure(DM dm, PetscInt degree, const char backend[], PetscInt reps, Row *row)
{
  PlexHDG        hdg;
  Vec            rhs, trace, u, q, star;
  PetscLogDouble t[STAGES + 1];
  PetscReal      error[3];

  PetscFunctionBegin;
  PetscCall(PlexHDGCreate(dm, &hdg));
  PetscCall(PlexHDGSetDegree(hdg, degree));
  PetscCall(PlexHDGSetDiffusion(hdg, 1., 1.));
  PetscCall(PlexHDGSetSource(hdg, HelmholtzSource, NULL));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, HelmholtzKnown, NULL));
  PetscCall(PlexHDGSetFromOptions(hdg));
  PetscCall(PlexHDGSetBackend(hdg, backend));
  PetscCall(Now(hdg, &t[0]));
  PetscCall(PlexHDGSetUp(hdg));
  PetscCall(Now(hdg, &t[1]));
  row->setup  = t[1] - t[0];
  row->curved = hdg->mesh->nmappedGlobal;
  row->Ne     = hdg->mesh->NeGlobal;
  PetscCall(PlexHDGSolve(hdg)); /* workspaces, levels of the preconditioner */
  PetscCall(PlexHDGComputeL2Error(hdg, HelmholtzExact, NULL, NULL, error));
  row->error = error[2];
  PetscCall(PlexHDGCreateVecs(hdg, &trace, &u, &q, &star));
  PetscCall(VecDuplicate(trace, &rhs));
  for (PetscInt r = 0; r < reps; ++r) {
    PetscCall(Now(hdg, &t[0]));
    PetscCall(PlexHDGAssemble(hdg, NULL));
    PetscCall(Now(hdg, &t[1]));
    PetscCall(PlexHDGComputeRHS(hdg, rhs));
    PetscCall(Now(hdg, &t[2]));
    PetscCall(PlexHDGSolveTrace(hdg, rhs, trace));
    PetscCall(Now(hdg, &t[3]));
    PetscCall(PlexHDGRecover(hdg, trace, u, q));
    PetscCall(Now(hdg, &t[4]));
    PetscCall(PlexHDGPostprocess(hdg, u, q, star));
    PetscCall(Now(hdg, &t[5]));
    for (int s = 0; s < STAGES; ++s) row->stage[s] = r ? PetscMin(row->stage[s], t[s + 1] - t[s]) : t[s + 1] - t[s];
  }
  PetscCall(VecDestroy(&rhs));
  PetscCall(VecDestroy(&trace));
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&q));
  PetscCall(VecDestroy(&star));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscLogDouble Whole(const Row *row)
{
  PetscLogDouble sum = 0.;

  for (int s = 0; s < STAGES; ++s) sum += row->stage[s];
  return sum;
}

int main(int argc, char **argv)
{
  PetscInt  cells = 80, degrees[9] = {2, 3, 6}, ndegrees = 9, nshares = 8, reps = 3;
  PetscReal shares[8] = {0., 0.02, 1.}, worst = 0.;
  char      name[64] = PLEXBACKENDAUTO;
  PetscBool set;
  Row       rows[8];

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscCall(BenchInitialize(&argc, &argv, help));
  /* into files and pipes, too */
  PetscCheck(!setvbuf(stdout, NULL, _IOLBF, 1 << 16), PETSC_COMM_SELF, PETSC_ERR_SYS,
             "Output cannot be written line by line");
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-cells", &cells, NULL));
  PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-degrees", degrees, &ndegrees, &set));
  if (!set) ndegrees = 3;
  PetscCall(PetscOptionsGetRealArray(NULL, NULL, "-shares", shares, &nshares, &set));
  if (!set) nshares = 3;
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-reps", &reps, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-bench_backend", name, sizeof(name), NULL));
  printf("| P | cells | curved | set-up, ms | K | right-hand side | trace | local solve | post-processing | K and "
         "local "
         "solve beside the first | whole solve | L2 error of u* |\n"
         "|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
  for (PetscInt d = 0; d < ndegrees; ++d) {
    for (PetscInt k = 0; k < nshares; ++k) {
      Row *r = &rows[k];
      DM   dm;

      PetscCall(PetscMemzero(r, sizeof(*r)));
      PetscCall(BoxCreate(PETSC_COMM_SELF, 2, cells, &dm));
      PetscCall(Bend(dm, shares[k], cells));
      PetscCall(Measure(dm, degrees[d], name, reps, r));
      PetscCall(DMDestroy(&dm));
      printf("| %d | %d | %d | %.1f |", (int)degrees[d], (int)r->Ne, (int)r->curved, 1e3 * r->setup);
      for (int s = 0; s < STAGES; ++s) printf(" %.3f |", 1e3 * r->stage[s]);
      printf(" %.2f | %.2f | %.3e |\n",
             (r->stage[BUILD] + r->stage[LOCAL]) / (rows[0].stage[BUILD] + rows[0].stage[LOCAL]),
             Whole(r) / Whole(&rows[0]), (double)r->error);
      worst = PetscMax(worst, r->error);
    }
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "result: benchmark=hdgcurved backend=%s degrees=%" PetscInt_FMT " shares=%" PetscInt_FMT
                        " error=%.6e\n",
                        name, ndegrees, nshares, (double)worst));
  PetscCall(PetscFinalize());
  return 0;
}
