static char
  help[] = "Products with a Jacobian that is not assembled (MATPLEXGPU): pointwise functions and geometry in each "
           "product, and coefficients that are stored, beside the time of a copy of as many bytes.\n\n"
           "  -order N          order of the elements, 1 to 8\n"
           "  -reps N           samples, of which the median and the least are taken (default 11)\n"
           "  -move X           coordinates are moved by X at most (default 0.01)\n"
           "  -nonlinear        a conductivity that depends on the solution\n"
           "  -elasticity       linear elasticity, as many components as dimensions, and no conductivity\n"
           "  -bench_backend B  cuda where there is one, else host\n\n"
           "The mesh is PETSc's: -dm_plex_dim 3 -dm_plex_simplex 0 -dm_plex_box_faces N,N,N and the like. The "
           "form is that of examples/heat.h, or of benchmarks/elasticity.h.\n\n";

/*
  A sample is as many MatMult() as take 5 ms, on the host in processor time, on a device between two events. The floor is
  what a product has to move,

    S + 4 ef bytes an element and 32 bytes a dof: v read, F zeroed, read and written,

  with S bytes of coefficients, over the rate of a copy on the same machine. S is what the stored product has. A mesh whose
  data a cache holds may be faster.
*/
#include "../examples/heat_problem.h"
#include "samples.h"
#include "devicesource.h"
#if defined(__GNUC__)
  #pragma GCC diagnostic push
  #pragma GCC diagnostic ignored "-Wunused-parameter"
  #pragma GCC diagnostic ignored "-Wunused-function"
#endif
#include "elasticity.h"
#if defined(__GNUC__)
  #pragma GCC diagnostic pop
#endif

#define MOST_REPS 101

typedef struct {
  PlexAssembly assembly;
  Mat          A;
  PetscInt     calls, n;
  double       first;              /* seconds of the first product after a Jacobian, its coefficients counted in */
  double       seconds[MOST_REPS]; /* of a product */
} Way;

static PetscErrorCode Sample(PlexBackend backend, Way *w, Vec x, Vec y)
{
  PetscLogDouble begin = 0., seconds = 0.;
  PetscBool      counting;

  PetscFunctionBegin;
  do {
    counting = (PetscBool)(w->calls == 0);
    PetscCall(BenchBegin(backend, &begin));
    for (PetscInt k = 0; k < PetscMax(w->calls, 1); ++k) PetscCall(MatMult(w->A, x, y));
    PetscCall(BenchEnd(backend, begin, &seconds));
    if (counting) w->calls = (PetscInt)PetscMax(1., PetscMin(10000., PetscCeilReal(5e-3 / PetscMax(seconds, 1e-6))));
  } while (counting);
  w->seconds[w->n++] = seconds / (double)w->calls;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Median and least, ns an element */
static PetscErrorCode GetSamples(Way *w, PetscInt elements, double *median, double *least)
{
  PetscFunctionBegin;
  PetscCall(PetscSortReal(w->n, w->seconds));
  *median = 1e9 * (w->n % 2 ? w->seconds[w->n / 2] : 0.5 * (w->seconds[w->n / 2 - 1] + w->seconds[w->n / 2])) /
            (double)elements;
  *least  = 1e9 * w->seconds[0] / (double)elements;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetUpElasticity(DM dm, PetscInt order)
{
  const PetscScalar constants[] = {1., 1.5}; /* mu, lambda */
  DMPolytopeType    cell;
  PetscInt          dim, cStart;
  PetscFE           fe;
  PetscDS           ds;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, NULL));
  PetscCall(DMPlexGetCellType(dm, cStart, &cell));
  PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, dim, dim, cell, order, PETSC_DETERMINE, &fe));
  PetscCall(DMSetField(dm, 0, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMCreateDS(dm));
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSSetResidual(ds, 0, f0_elasticity, f1_elasticity));
  PetscCall(PetscDSSetJacobian(ds, 0, 0, NULL, NULL, NULL, g3_elasticity));
  PetscCall(PetscDSSetConstants(ds, 2, (PetscScalar *)constants));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WayCreate(DM dm, const char backend[], const char path[], PlexApply apply, Vec locX, Way *w)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(w, sizeof(*w)));
  PetscCall(PlexAssemblyCreate(dm, &w->assembly));
  PetscCall(PlexAssemblySetFromOptions(w->assembly));
  PetscCall(PlexAssemblySetBackend(w->assembly, backend));
  PetscCall(PlexAssemblySetPointwiseSource(w->assembly, path));
  PetscCall(PlexAssemblySetApply(w->assembly, apply));
  PetscCall(DMSetMatType(dm, MATPLEXGPU));
  PetscCall(PlexAssemblyCreateMatrix(w->assembly, &w->A));
  PetscCall(PlexAssemblyComputeJacobian(w->assembly, locX, NULL, 0., 0., w->A, w->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first product of a state whose plan is there */
static PetscErrorCode First(PlexBackend backend, Way *w, Vec locX, Vec x, Vec y)
{
  PetscLogDouble begin = 0., seconds;

  PetscFunctionBegin;
  PetscCall(MatMult(w->A, x, y));
  PetscCall(PlexAssemblyComputeJacobian(w->assembly, locX, NULL, 0., 0., w->A, w->A));
  PetscCall(BenchBegin(backend, &begin));
  PetscCall(MatMult(w->A, x, y));
  PetscCall(BenchEnd(backend, begin, &seconds));
  w->first = seconds;
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt    order = 1, reps = 11, elements = 0, nodes = 0, n;
  PetscReal   move      = 0.01, norm, difference;
  PetscBool   nonlinear = PETSC_FALSE, elasticity = PETSC_FALSE, cuda, own;
  char        type[64], path[PETSC_MAX_PATH_LEN];
  double      copy = 0., median[2], least[2], bytes;
  PlexBackend backend;
  Way         ways[2];
  Vec         locX, x, y[2];
  DM          dm;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscFunctionBeginUser;
  PetscCall(BenchInitialize(&argc, &argv, help));
  PetscCall(PlexBackendIsAvailable(PLEXBACKENDCUDA, &cuda));
  PetscCall(PetscStrncpy(type, cuda ? PLEXBACKENDCUDA : PLEXBACKENDHOST, sizeof(type)));
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Benchmark of products", "");
  PetscCall(PetscOptionsRangeInt("-order", "Order of the elements", "apply.c", order, &order, NULL, 1, 8));
  PetscCall(PetscOptionsRangeInt("-reps", "Samples", "apply.c", reps, &reps, NULL, 1, MOST_REPS));
  PetscCall(PetscOptionsReal("-move", "Coordinates are moved", "apply.c", move, &move, NULL));
  PetscCall(PetscOptionsBool("-nonlinear", "Nonlinear conductivity", "apply.c", nonlinear, &nonlinear, NULL));
  PetscCall(PetscOptionsBool("-elasticity", "Elasticity", "apply.c", elasticity, &elasticity, NULL));
  PetscCall(PetscOptionsString("-bench_backend", "Backend", "apply.c", type, type, sizeof(type), NULL));
  PetscOptionsEnd();
  PetscCall(BenchCreateBackend(type, &backend));
  PetscCall(BenchCopyRate(backend, &copy));
  PetscCall(DMCreate(PETSC_COMM_SELF, &dm));
  PetscCall(DMSetType(dm, DMPLEX));
  PetscCall(DMSetFromOptions(dm));
  PetscCall(BenchMoveVertices(dm, move));
  if (elasticity) {
    PetscCall(BenchDeviceSource("elasticity.h", path));
    PetscCall(SetUpElasticity(dm, order));
  } else {
    PetscCall(HeatFindFile("heat.h", path, sizeof(path)));
    PetscCall(HeatSetUpProblem(dm, order, nonlinear, 0.1));
  }
  PetscCall(HeatGetCounts(dm, &nodes, &elements));
  PetscCall(PetscStrcmp(type, PLEXBACKENDCUDA, &own));
  if (own) PetscCall(DMSetVecType(dm, VECCUDA));
  PetscCall(DMCreateLocalVector(dm, &locX));
  PetscCall(VecSetRandom(locX, NULL));
  for (PetscInt k = 0; k < 2; ++k)
    PetscCall(WayCreate(dm, type, path, k ? PLEX_APPLY_STORED : PLEX_APPLY_EVALUATED, locX, &ways[k]));
  PetscCall(MatCreateVecs(ways[0].A, &x, &y[0]));
  PetscCall(VecDuplicate(y[0], &y[1]));
  PetscCall(VecSetRandom(x, NULL));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(First(backend, &ways[k], locX, x, y[k]));
  for (PetscInt r = 0; r < reps; ++r)
    for (PetscInt k = 0; k < 2; ++k) PetscCall(Sample(backend, &ways[k], x, y[k]));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(GetSamples(&ways[k], elements, &median[k], &least[k]));
  PetscCall(VecNorm(y[0], NORM_INFINITY, &norm));
  PetscCall(VecAXPY(y[1], -1., y[0]));
  PetscCall(VecNorm(y[1], NORM_INFINITY, &difference));
  PetscCall(VecGetSize(x, &n));
  bytes = ways[1].assembly->action[PLEX_ACTION_APPLY]->product[PLEX_RESIDUAL].bytes / (double)elements;
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "\n## %s of order %" PetscInt_FMT ", %s, %" PetscInt_FMT " elements, %" PetscInt_FMT
                        " dofs: ns an element of MatMult()\n\n| way | median | least | first product of a state |\n"
                        "|---|---:|---:|---:|\n",
                        elasticity ? "Elasticity" : "Heat", order, type, elements, n));
  for (PetscInt k = 0; k < 2; ++k)
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "| %s | %.4g | %.4g | %.4g |\n", k ? "stored" : "evaluated", median[k],
                          least[k], 1e9 * ways[k].first / (double)elements));
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "| a copy of %.4g bytes at %.4g GB/s | %.4g | | |\n\nresult: benchmark=apply form=%s "
                        "order=%" PetscInt_FMT " elements=%" PetscInt_FMT
                        " evaluated_ns=%.4g stored_ns=%.4g faster=%.3g floor_ns=%.4g "
                        "difference=%.3g\n",
                        bytes, 1e-9 * copy, 1e9 * bytes / copy, elasticity ? "elasticity" : "heat", order, elements,
                        least[0], least[1], least[0] / least[1], 1e9 * bytes / copy, (double)(difference / norm)));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(VecDestroy(&y[k]));
    PetscCall(MatDestroy(&ways[k].A));
    PetscCall(PlexAssemblyDestroy(&ways[k].assembly));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&locX));
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexBackendDestroy(&backend));
  PetscCall(BenchFinalize(1));
  return 0;
}
