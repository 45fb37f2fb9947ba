static char help[] = "Algorithm 1 on one core, the host backend: the cost of an element against the size of the mesh, "
                     "beside PETSc.\n\n"
                     "  -order N        order of the elements, 1 to 5\n"
                     "  -from N, -to N  the mesh is refined N times in the first and in the last row (default 0 and "
                     "2)\n"
                     "  -reps N         samples, of which the median and the least are taken (default 11)\n"
                     "  -petsc_cells N  PETSc is timed on at most so many cells (default 6000000)\n\n"
                     "The mesh is PETSc's: -dm_plex_filename FILE, or -dm_plex_dim 3 -dm_plex_simplex 0 "
                     "-dm_plex_box_faces N,N,N and the like.\n\n";

/*
  Processor time of one Jacobian and of one residual over the number of elements; of PETSc, one
  DMPlexComputeJacobianByKey(). What the assembly makes once is made before. All meshes are there at the same time and
  are measured in turns, so that what else the machine does disturbs all of them alike; the least of all samples is the
  one that it disturbed least.
*/
#include "../examples/heat_problem.h"
#include "../examples/timing.h"
#include "processortime.h"
#include "rows.h"
#include <plexgpu/impl.h>
#include <petsc/private/dmpleximpl.h>

#define LEVELS 12
enum {
  JACOBIAN,
  RESIDUAL,
  PETSC,
  MEASURED
};

typedef struct {
  PetscInt   n;       /* samples so far */
  PetscInt   calls;   /* of a sample */
  PetscReal *seconds; /* of a call */
} Samples;

typedef struct {
  DM            dm;
  PlexAssembly  plex;
  TimingProblem problem;
  PetscInt      elements, nnz;
  Samples       samples[MEASURED];
} Level;

static PetscErrorCode ByKey(PlexAssembly plex, TimingProblem *problem)
{
  PetscFormKey key = {NULL, 0, 0, 0};
  PetscInt     depth;
  IS           cells;

  PetscFunctionBegin;
  PetscCall(DMPlexGetDepth(problem->dm, &depth));
  PetscCall(DMGetStratumIS(problem->dm, "depth", depth, &cells));
  PetscCall(MatZeroEntries(problem->J));
  PetscCall(DMPlexComputeJacobianByKey(problem->dm, key, cells, 0.0, 0.0, problem->locX, NULL, problem->J, problem->J,
                                       NULL));
  PetscCall(MatAssemblyBegin(problem->J, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(problem->J, MAT_FINAL_ASSEMBLY));
  PetscCall(ISDestroy(&cells));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One sample of 5 ms at least; the first time it is found how many calls these are */
static PetscErrorCode Sample(PetscErrorCode (*f)(PlexAssembly, TimingProblem *), PlexAssembly plex,
                             TimingProblem *problem, Samples *samples)
{
  PetscLogDouble begin, end;

  PetscFunctionBegin;
  for (PetscBool found = PETSC_FALSE; !found;) {
    found = (PetscBool)(samples->calls > 0);
    samples->calls += !found;
    PetscCall(ProcessorTime(&begin));
    for (PetscInt i = 0; i < samples->calls; ++i) PetscCall(f(plex, problem));
    PetscCall(ProcessorTime(&end));
    if (end - begin > 5e-3) found = PETSC_TRUE;
    else if (!found) samples->calls = (PetscInt)PetscMin(1000.0, PetscCeilReal(5e-3 / PetscMax(end - begin, 1e-6)));
  }
  samples->seconds[samples->n++] = (PetscReal)((end - begin) / samples->calls);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Median and least, ns an element */
static PetscErrorCode GetSamples(const Level *level, PetscInt which, double *median, double *least)
{
  const PetscInt n = level->samples[which].n;
  PetscReal     *s = level->samples[which].seconds;

  PetscFunctionBegin;
  PetscCall(PetscSortReal(n, s));
  *median = 1e9 * (double)(n % 2 ? s[n / 2] : 0.5 * (s[n / 2 - 1] + s[n / 2])) / (double)level->elements;
  *least  = 1e9 * (double)s[0] / (double)level->elements;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LevelCreate(DM dm, PetscInt order, PetscInt reps, Level *level)
{
  MatInfo  info;
  Vec      locX;
  PetscInt nodes = 0;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(level, sizeof(*level)));
  level->dm = dm;
  PetscCall(HeatSetUpProblem(dm, order, PETSC_FALSE, 0.1));
  PetscCall(HeatGetCounts(dm, &nodes, &level->elements));
  PetscCall(DMCreateLocalVector(dm, &locX));
  PetscCall(VecSet(locX, 1.0));
  PetscCall(TimingProblemCreateForBackend(dm, PLEXBACKENDHOST, PETSC_TRUE, locX, &level->problem));
  PetscCall(VecDestroy(&locX));
  PetscCall(MatGetInfo(level->problem.J, MAT_LOCAL, &info));
  level->nnz = (PetscInt)info.nz_used;
  PetscCall(PlexAssemblyCreate(dm, &level->plex));
  PetscCall(PlexAssemblySetFromOptions(level->plex));
  PetscCall(PlexAssemblySetBackend(level->plex, PLEXBACKENDHOST));
  PetscCall(TimingAssemble(level->plex, &level->problem));
  for (PetscInt k = 0; k < MEASURED; ++k) PetscCall(PetscMalloc1(reps, &level->samples[k].seconds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LevelDestroy(Level *level)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < MEASURED; ++k) PetscCall(PetscFree(level->samples[k].seconds));
  PetscCall(PlexAssemblyDestroy(&level->plex));
  PetscCall(TimingProblemDestroy(&level->problem));
  PetscCall(DMDestroy(&level->dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc takes long, and is measured for some seconds only */
static PetscErrorCode MeasurePETSc(Level *level, PetscInt reps)
{
  double median = 0, least;

  PetscFunctionBegin;
  /* what PETSc makes at its first call is seen in small meshes only */
  if (level->elements < 20000) PetscCall(ByKey(NULL, &level->problem));
  for (PetscInt r = 0; r < reps && 1e-9 * median * level->elements * r < 5.0; ++r) {
    PetscCall(Sample(ByKey, NULL, &level->problem, &level->samples[PETSC]));
    PetscCall(GetSamples(level, PETSC, &median, &least));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Report(const Level *level)
{
  double jacobian[2], residual[2], petsc[2];

  PetscFunctionBegin;
  PetscCall(GetSamples(level, JACOBIAN, &jacobian[0], &jacobian[1]));
  PetscCall(GetSamples(level, RESIDUAL, &residual[0], &residual[1]));
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "| %10" PetscInt_FMT " | %11" PetscInt_FMT " | %10.1f | %8.1f | %8.1f | %8.1f | ",
                        level->elements, level->nnz, jacobian[0], jacobian[1], residual[0], residual[1]));
  if (level->samples[PETSC].n) {
    PetscCall(GetSamples(level, PETSC, &petsc[0], &petsc[1]));
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%8.0f | %8.1f |\n", petsc[0], petsc[0] / jacobian[0]));
  } else PetscCall(PetscPrintf(PETSC_COMM_SELF, "%8s | %8s |\n", "", ""));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  DM       dm, next;
  Level    levels[LEVELS];
  PetscInt order = 1, from = 0, to = 2, reps = 11, petscCells = 6000000, n;
  double   median, first, last;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexGPUInitializePackage());
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Host benchmark", "");
  PetscCall(PetscOptionsRangeInt("-order", "Order of the elements", "host.c", order, &order, NULL, 1, 5));
  PetscCall(PetscOptionsRangeInt("-from", "Refinements, first row", "host.c", from, &from, NULL, 0, LEVELS - 1));
  PetscCall(PetscOptionsRangeInt("-to", "Refinements, last row", "host.c", PetscMax(from, to), &to, NULL, from,
                                 LEVELS - 1));
  PetscCall(PetscOptionsBoundedInt("-reps", "Samples", "host.c", reps, &reps, NULL, 1));
  PetscCall(PetscOptionsBoundedInt("-petsc_cells", "Cells, PETSc", "host.c", petscCells, &petscCells, NULL, 0));
  PetscOptionsEnd();
  n = to - from + 1;
  PetscCall(DMCreate(PETSC_COMM_SELF, &dm));
  PetscCall(DMSetType(dm, DMPLEX));
  PetscCall(DMSetFromOptions(dm));
  for (PetscInt r = 0; r <= to; ++r) {
    PetscCall(DMPlexSetRefinementUniform(dm, PETSC_TRUE));
    if (r < to) PetscCall(DMRefine(dm, PETSC_COMM_SELF, &next));
    if (r >= from) PetscCall(LevelCreate(dm, order, reps, &levels[r - from]));
    else PetscCall(DMDestroy(&dm));
    dm = next;
  }
  for (PetscInt r = 0; r < reps; ++r) {
    for (PetscInt k = 0; k < n; ++k) {
      PetscCall(Sample(TimingJacobian, levels[k].plex, &levels[k].problem, &levels[k].samples[JACOBIAN]));
      PetscCall(Sample(TimingResidual, levels[k].plex, &levels[k].problem, &levels[k].samples[RESIDUAL]));
    }
  }
  PetscCall(PetscPrintf(
    PETSC_COMM_SELF,
    "\n## Order %" PetscInt_FMT ", host, one core: ns an element\n\n| %10s | %11s | %10s | %8s | %8s | %8s | %8s | %8s "
    "|\n|-----------:|------------:|-----------:|---------:|---------:|---------:|---------:|---------:|\n",
    order, "elements", "non-zeros", "Jacobian", "least", "residual", "least", "PETSc J", "x PETSc"));
  for (PetscInt k = 0; k < n; ++k) {
    if (levels[k].elements <= petscCells) PetscCall(MeasurePETSc(&levels[k], PetscMin(reps, 3)));
    PetscCall(Report(&levels[k]));
  }
  PetscCall(GetSamples(&levels[0], JACOBIAN, &median, &first));
  PetscCall(GetSamples(&levels[n - 1], JACOBIAN, &median, &last));
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "\nresult: benchmark=host order=%" PetscInt_FMT " elements=%" PetscInt_FMT
                        " least_ns=%.1f over_first=%.2f\n",
                        order, levels[n - 1].elements, last, last / first));
  for (PetscInt k = 0; k < n; ++k) PetscCall(LevelDestroy(&levels[k]));
  PetscCall(BenchFinalize(n));
  return 0;
}
