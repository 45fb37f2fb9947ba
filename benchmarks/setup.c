static char
  help[] = "What is made once before the first residual and Jacobian, part by part and type by type; and the\n"
           "device memory (MB) that the plan of the Jacobian keeps, and takes at its most with a copy of mesh and "
           "matrix pattern, whose size is stated too.\n\n"
           "  -order N             order of the elements, 1 to 5\n"
           "  -refine N            times that the mesh is refined\n"
           "  -setup_backend NAME  none (default): plans for a GPU that is not there, cuda, emulate, or "
           "host\n"
           "  -reps N              measured so often, of which the least time counts (default 3)\n"
           "  -types A,B,...       the types; default all\n"
           "  -move A              move the vertices of a box of N cells a side by up to A / N in each "
           "direction\n\n"
           "The mesh is PETSc's: -dm_plex_filename FILE, or -dm_plex_dim 3 -dm_plex_simplex 0 "
           "-dm_plex_box_faces N,N,N and the like.\n\n";

/*
  Each type gets an assembly of its own, so that nothing is shared: elements, then the pattern's copy, then both plans
  with the partition that they share. Reading and refining the mesh, PETSc's sections and the compilation of kernels are
  not counted; making the matrix is, once. With -plexgpu_threads 1 times are processor time, which other programs
  disturb less; else they are wall time.
*/
#include "../examples/heat_problem.h"
#include "../examples/timing.h"
#include "nodevice.h"
#include "processortime.h"
#include "rows.h"
#include "shuffle.h"
#include <assembly/interface/assemblyimpl.h>
#include <petsctime.h>

typedef struct {
  PetscLogDouble elements, pattern, plan[PLEX_PRODUCTS];
  PetscLogDouble bytes; /* copied to the device */
  /* device memory that the plan of J keeps, and that it takes at its most; what of it may be mesh and pattern */
  PetscLogDouble kept, greatest, mesh;
} Parts;

/* Memory of a device: what was free at the least since `least` was set, as each allocation leaves it */
static struct {
  PetscErrorCode (*allocate)(PlexBackend, size_t, void **);
  size_t least;
} deviceMemory;

static PetscErrorCode GetFree(PlexBackend b, size_t *bytes)
{
  PlexBackendLimits limits;

  PetscFunctionBegin;
  PetscCall(PlexBackendGetLimits(b, &limits));
  *bytes = limits.memoryFree;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WatchedMalloc(PlexBackend b, size_t bytes, void **p)
{
  size_t left;

  PetscFunctionBegin;
  PetscCall((*deviceMemory.allocate)(b, bytes, p));
  PetscCall(GetFree(b, &left));
  deviceMemory.least = PetscMin(deviceMemory.least, left);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Seconds(PetscLogDouble *seconds)
{
  PetscInt threads;

  PetscFunctionBegin;
  PetscCall(PlexThreadsGetNumber(&threads));
  if (threads > 1) PetscCall(PetscTime(seconds));
  else PetscCall(ProcessorTime(seconds));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The mesh that the options name, refined, with the heat equation and the sections that PETSc numbers dofs by */
static PetscErrorCode CreateProblem(PetscInt refine, PetscInt order, PetscReal move, DM *dm)
{
  ISLocalToGlobalMapping map;
  DM                     next;

  PetscFunctionBegin;
  PetscCall(DMCreate(PETSC_COMM_SELF, dm));
  PetscCall(DMSetType(*dm, DMPLEX));
  PetscCall(DMSetFromOptions(*dm));
  for (PetscInt r = 0; r < refine; ++r) {
    PetscCall(DMPlexSetRefinementUniform(*dm, PETSC_TRUE));
    PetscCall(DMRefine(*dm, PETSC_COMM_SELF, &next));
    PetscCall(DMDestroy(dm));
    *dm = next;
  }
  if (move > 0) {
    PetscInt faces[3] = {0}, n = 3;

    PetscCall(PetscOptionsGetIntArray(NULL, NULL, "-dm_plex_box_faces", faces, &n, NULL));
    PetscCheck(n > 0 && faces[0] > 0, PETSC_COMM_SELF, PETSC_ERR_USER_INPUT,
               "-move moves the vertices of a box: give -dm_plex_box_faces N,N,N");
    PetscCall(MeshMoveVertices(*dm, move / faces[0]));
  }
  PetscCall(HeatSetUpProblem(*dm, order, PETSC_FALSE, 0.1));
  PetscCall(DMGetLocalToGlobalMapping(*dm, &map));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateAssembly(DM dm, const char backend[], const char type[], PlexAssembly *plex)
{
  char source[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(HeatFindFile("heat.h", source, sizeof(source)));
  PetscCall(PlexAssemblyCreate(dm, plex));
  PetscCall(PlexAssemblySetFromOptions(*plex));
  PetscCall(PlexAssemblySetBackend(*plex, backend));
  if (type) PetscCall(PlexAssemblySetType(*plex, type));
  PetscCall(PlexAssemblySetPointwiseSource(*plex, source));
  (*plex)->fallback = PETSC_FALSE; /* nothing but this library is to be measured */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All that an assembly of a type makes once, for the matrix J */
static PetscErrorCode MeasureOnce(DM dm, const char backend[], const char type[], Mat J, Parts *parts)
{
  PlexAssembly   plex;
  PlexRequest    request = {.kind = PLEX_JACOBIAN, .P = J};
  PetscLogDouble time[5];

  PetscFunctionBegin;
  noDeviceBytes = 0;
  PetscCall(CreateAssembly(dm, backend, type, &plex));
  request.asm_ = request.first = plex;
  PetscCall(Seconds(&time[0]));
  PetscCall(PlexAssemblySetUp(plex));
  PetscCall(Seconds(&time[1]));
  PetscCall(PlexAssemblyUpdatePattern_Private(&request));
  PetscCall(Seconds(&time[2]));
  PetscCall(PlexAssemblyPrepare_Private(plex, PETSC_FALSE, J, J));
  PetscCall(Seconds(&time[3]));
  PetscCall(PlexAssemblyPrepare_Private(plex, PETSC_TRUE, NULL, NULL));
  PetscCall(Seconds(&time[4]));
  parts->bytes               = noDeviceBytes;
  parts->elements            = time[1] - time[0];
  parts->pattern             = time[2] - time[1];
  parts->plan[PLEX_JACOBIAN] = time[3] - time[2];
  parts->plan[PLEX_RESIDUAL] = time[4] - time[3];
  PetscCall(PlexAssemblyDestroy(&plex));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Location matrix, coordinates and CSR pattern: what a plan is made from */
static PetscLogDouble MeshBytes(PlexElements el, PlexPattern pattern)
{
  const size_t vertices = el->Nn[0] == el->Nv ? 0 : (size_t)el->Nv, Nl = (size_t)el->Nl;

  return (PetscLogDouble)(sizeof(int) * ((size_t)el->Ne * ((size_t)el->ef + vertices) + 2 * Nl) +
                          sizeof(PetscReal) * (size_t)(el->Nx * el->dim) +
                          sizeof(PetscInt) * (Nl + (size_t)(pattern->m + 1 + pattern->nnz)));
}

/* Once more, not timed: the device memory of the plan of J */
static PetscErrorCode MeasureMemory(DM dm, const char backend[], const char type[], Mat J, Parts *parts)
{
  PlexAssembly plex;
  PlexBackend  b;
  PlexRequest  request = {.kind = PLEX_JACOBIAN, .P = J};
  size_t       before = 0, after = 0;

  PetscFunctionBegin;
  PetscCall(CreateAssembly(dm, backend, type, &plex));
  request.asm_ = request.first = plex;
  PetscCall(PlexAssemblySetUp(plex));
  PetscCall(PlexAssemblyUpdatePattern_Private(&request));
  b = plex->backend;
  PetscCall(GetFree(b, &before));
  deviceMemory.allocate = b->ops->malloc;
  deviceMemory.least    = before;
  b->ops->malloc        = WatchedMalloc;
  PetscCall(PlexAssemblyPrepare_Private(plex, PETSC_FALSE, J, J));
  b->ops->malloc = deviceMemory.allocate;
  PetscCall(GetFree(b, &after));
  parts->mesh     = MeshBytes(plex->elements, plex->pattern);
  parts->kept     = (PetscLogDouble)before - (PetscLogDouble)after;
  parts->greatest = (PetscLogDouble)(before - deviceMemory.least);
  PetscCall(PlexAssemblyDestroy(&plex));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The least times of reps */
static PetscErrorCode Measure(DM dm, const char backend[], const char type[], PetscInt reps, Mat J, Parts *parts)
{
  PetscFunctionBegin;
  for (PetscInt r = 0; r < reps; ++r) {
    Parts now = {0};

    PetscCall(MeasureOnce(dm, backend, type, J, &now));
    if (!r) *parts = now;
    parts->elements = PetscMin(parts->elements, now.elements);
    parts->pattern  = PetscMin(parts->pattern, now.pattern);
    for (PetscInt k = 0; k < PLEX_PRODUCTS; ++k) parts->plan[k] = PetscMin(parts->plan[k], now.plan[k]);
  }
  if (type) PetscCall(MeasureMemory(dm, backend, type, J, parts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateMatrix(DM dm, PetscLogDouble *seconds, Mat *J)
{
  PlexAssembly   plex;
  PetscLogDouble begin, end;

  PetscFunctionBegin;
  PetscCall(CreateAssembly(dm, PLEXBACKENDHOST, NULL, &plex));
  PetscCall(PlexAssemblySetUp(plex));
  PetscCall(Seconds(&begin));
  PetscCall(PlexAssemblyCreateMatrix(plex, J));
  PetscCall(Seconds(&end));
  *seconds = end - begin;
  PetscCall(PlexAssemblyDestroy(&plex));
  PetscCall(MatSetOption(*J, MAT_SYMMETRIC, PETSC_TRUE));
  PetscCall(MatSetOption(*J, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  DM             dm;
  Mat            J;
  MatInfo        info;
  PetscLogDouble matrix = 0, most = 0;
  PetscReal      move   = 0;
  PetscInt       refine = 0, order = 1, reps = 3, nodes = 0, elements = 0, ntypes = 16, threads;
  PetscBool      available, host, given;
  char          *types[16], backend[64] = "none";

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexGPUInitializePackage());
  PetscCall(PlexBackendRegister("none", NoDeviceCreate));
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Set-up benchmark", "");
  PetscCall(PetscOptionsRangeInt("-order", "Order of the elements", "setup.c", order, &order, NULL, 1, 5));
  PetscCall(PetscOptionsBoundedInt("-refine", "Refinements", "setup.c", refine, &refine, NULL, 0));
  PetscCall(PetscOptionsBoundedInt("-reps", "Repetitions", "setup.c", reps, &reps, NULL, 1));
  PetscCall(PetscOptionsRangeReal("-move", "Vertices of a box moved, in sides of a cell", "setup.c", move, &move, NULL,
                                  0, 0.25));
  PetscCall(PetscOptionsString("-setup_backend", "Backend", "setup.c", backend, backend, sizeof(backend), NULL));
  PetscCall(PetscOptionsStringArray("-types", "Types", "setup.c", types, &ntypes, &given));
  PetscOptionsEnd();
  PetscCall(PlexBackendIsAvailable(backend, &available));
  PetscCheck(available, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "The backend %s is not available here; -setup_backend takes none, cuda, emulate or host", backend);
  PetscCall(PetscStrcmp(backend, PLEXBACKENDHOST, &host));
  if (!given) {
    ntypes = host ? 1 : TIMING_TYPES;
    for (PetscInt i = 0; i < ntypes; ++i) PetscCall(PetscStrallocpy(TimingTypes[i], &types[i]));
  }
  PetscCall(CreateProblem(refine, order, move, &dm));
  PetscCall(HeatGetCounts(dm, &nodes, &elements));
  PetscCall(CreateMatrix(dm, &matrix, &J));
  PetscCall(MatGetInfo(J, MAT_LOCAL, &info));
  PetscCall(PlexThreadsGetNumber(&threads));
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "\n## Order %" PetscInt_FMT ": %" PetscInt_FMT " elements, %" PetscInt_FMT
                        " dofs, %.0f non-zeros; backend %s, threads %" PetscInt_FMT
                        "\n\nThe matrix is made in %.2f s, %.0f ns an element. "
                        "Seconds:\n\n",
                        order, elements, nodes, info.nz_used, backend, threads, matrix, 1e9 * matrix / elements));
  PetscCall(
    PetscPrintf(PETSC_COMM_SELF,
                "| %-14s | %8s | %8s | %8s | %8s | %8s | %10s | %8s | %8s | %8s "
                "| %8s |\n|:---------------|---------:|---------:|---------:|---------:|---------:|-----------:|-----"
                "----:|---------:|---------:|---------:|\n",
                "type", "elements", "pattern", "plan J", "plan F", "sum", "ns/element", "MB", "kept", "most", "mesh"));
  for (PetscInt i = 0; i < ntypes; ++i) {
    Parts          parts = {0};
    PetscLogDouble sum;

    PetscCall(Measure(dm, backend, host ? NULL : types[i], reps, J, &parts));
    sum  = parts.elements + parts.pattern + parts.plan[PLEX_JACOBIAN] + parts.plan[PLEX_RESIDUAL];
    most = PetscMax(most, sum);
    PetscCall(PetscPrintf(
      PETSC_COMM_SELF, "| %-14s | %8.2f | %8.2f | %8.2f | %8.2f | %8.2f | %10.0f | %8.0f | %8.0f | %8.0f | %8.0f |\n",
      host ? "-" : types[i], parts.elements, parts.pattern, parts.plan[PLEX_JACOBIAN], parts.plan[PLEX_RESIDUAL], sum,
      1e9 * sum / elements, 1e-6 * parts.bytes, 1e-6 * parts.kept, 1e-6 * parts.greatest, 1e-6 * parts.mesh));
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "\nresult: benchmark=setup order=%" PetscInt_FMT " elements=%" PetscInt_FMT
                        " dofs=%" PetscInt_FMT " backend=%s matrix_s=%.2f most_s=%.2f\n",
                        order, elements, nodes, backend, matrix, most));
  for (PetscInt i = 0; i < ntypes; ++i) PetscCall(PetscFree(types[i]));
  PetscCall(MatDestroy(&J));
  PetscCall(DMDestroy(&dm));
  PetscCall(BenchFinalize(ntypes));
  return 0;
}
