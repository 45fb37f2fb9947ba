static char help[] = "A function projected into Lagrange fields with DMProjectFunctionLocal(): processor time of a "
                     "cell by PETSc, here, and "
                     "here with one call of the function a node.\n\n"
                     "  -cells N        hexahedra a side at degree 1, half as many of 6 tetrahedra, 5 times as many in "
                     "2D; N / P at degree P "
                     "(default 24)\n"
                     "  -components C   of the field (default 3)\n"
                     "  -reps R         of which the least counts (default 5)\n\n";

#include "bench.h"
#include "../examples/box.h"
#include "processortime.h"

typedef struct {
  const char *name;
  PetscInt    dim;
  PetscBool   simplex;
  PetscInt    coordinates; /* their degree */
} Mesh;

static const Mesh meshes[] = {
  {"triangles",        2, PETSC_TRUE,  1},
  {"quadrilaterals",   2, PETSC_FALSE, 1},
  {"tetrahedra",       3, PETSC_TRUE,  1},
  {"hexahedra",        3, PETSC_FALSE, 1},
  {"curved hexahedra", 3, PETSC_FALSE, 2}
};

static PetscErrorCode Function(PetscInt dim, PetscReal time, const PetscReal x[], PetscInt Nc, PetscScalar *u,
                               void *ctx)
{
  for (PetscInt c = 0; c < Nc; ++c) u[c] = x[c % dim] + c * x[0] * x[dim - 1];
  return PETSC_SUCCESS;
}

/* A unit square or cube of n^dim boxes, or of 2 triangles or 6 tetrahedra in the place of each */
static PetscErrorCode CreateMesh(const Mesh *mesh, PetscInt n, DM *dm)
{
  const PetscInt faces[3] = {n, n, n};

  PetscFunctionBegin;
  if (mesh->simplex) PetscCall(BoxCreate(PETSC_COMM_SELF, mesh->dim, n, dm));
  else
    PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_SELF, mesh->dim, PETSC_FALSE, faces, NULL, NULL, NULL, PETSC_TRUE, 0,
                                  PETSC_FALSE, dm));
  if (mesh->coordinates > 1) PetscCall(DMPlexCreateCoordinateSpace(*dm, mesh->coordinates, PETSC_FALSE, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Least seconds of processor time of some repetitions, calls that together take a hundredth of a second each */
static PetscErrorCode Measure(DM dm, const char way[], PetscInt reps, Vec X, PetscLogDouble *least)
{
  PetscSimplePointFn *funcs[1] = {Function};
  PetscInt            calls    = 1;

  PetscFunctionBegin;
  *least = 0;
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_project", way));
  for (PetscInt r = -1; r < reps; ++r) { /* r = -1 finds how many calls */
    PetscLogDouble begin, end;

    PetscCall(ProcessorTime(&begin));
    for (PetscInt k = 0; k < calls; ++k) PetscCall(DMProjectFunctionLocal(dm, 0., funcs, NULL, INSERT_ALL_VALUES, X));
    PetscCall(ProcessorTime(&end));
    if (r < 0) calls = PetscMax(1, (PetscInt)(1e-2 / PetscMax(1e-4, end - begin)));
    else *least = r ? PetscMin(*least, (end - begin) / calls) : (end - begin) / calls;
  }
  PetscCall(PetscOptionsClearValue(NULL, "-plex_assembly_project"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Row(const Mesh *mesh, PetscInt degree, PetscInt cells, PetscInt components, PetscInt reps,
                          PetscReal *worst)
{
  const char *const ways[] = {"false", "true", "once"};
  PetscLogDouble    seconds[3];
  PetscReal         error, norm;
  PetscInt          cStart, cEnd;
  DMPolytopeType    ct;
  PetscFE           fe;
  Vec               X[3];
  DM                dm;

  PetscFunctionBegin;
  PetscCall(CreateMesh(mesh, PetscMax(1, cells / degree), &dm));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  PetscCall(DMPlexGetCellType(dm, cStart, &ct));
  PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, mesh->dim, components, ct, degree, PETSC_DETERMINE, &fe));
  PetscCall(DMAddField(dm, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMCreateDS(dm));
  for (PetscInt k = 0; k < 3; ++k) {
    PetscCall(DMCreateLocalVector(dm, &X[k]));
    PetscCall(Measure(dm, ways[k], reps, X[k], &seconds[k]));
    seconds[k] *= 1e6 / (cEnd - cStart);
  }
  PetscCall(VecNorm(X[0], NORM_INFINITY, &norm));
  for (PetscInt k = 1; k < 3; ++k) {
    PetscCall(VecAXPY(X[k], -1., X[0]));
    PetscCall(VecNorm(X[k], NORM_INFINITY, &error));
    *worst = PetscMax(*worst, error / norm);
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "| %s | %" PetscInt_FMT " | %" PetscInt_FMT " | %.3g | %.3g | %.3g | %.3g |\n",
                        mesh->name, degree, cEnd - cStart, seconds[0], seconds[1], seconds[2],
                        seconds[0] / seconds[1]));
  for (PetscInt k = 0; k < 3; ++k) PetscCall(VecDestroy(&X[k]));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt  cells = 24, components = 3, reps = 5;
  PetscReal worst = 0.;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscCall(BenchInitialize(&argc, &argv, help));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-cells", &cells, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-components", &components, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-reps", &reps, NULL));
  PetscCall(PetscOptionsSetValue(NULL, "-plexgpu_threads", "1"));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "Microseconds of processor time a cell, %" PetscInt_FMT " components.\n\n",
                        components));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "| cells | degree | number | PETSc | here | once a node | times faster |\n"
                                         "|---|--:|--:|--:|--:|--:|--:|\n"));
  for (size_t m = 0; m < PETSC_STATIC_ARRAY_LENGTH(meshes); ++m)
    for (PetscInt degree = 1; degree <= 4; ++degree)
      PetscCall(Row(&meshes[m], degree,
                    meshes[m].dim == 2  ? 5 * cells
                    : meshes[m].simplex ? cells / 2
                                        : cells,
                    components, reps, &worst));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\nresult: benchmark=project difference=%.3g\n", (double)worst));
  PetscCall(PetscFinalize());
  return 0;
}
