static char
  help[] = "One case of benchmarks/hdgpeers.py by hybridized DG on the host: error of u, processor seconds of set-up "
           "and assembly, of the solve with post-processing.\n\n"
           "  -dim 2|3        unit square of triangles or unit cube of tetrahedra (default 2)\n"
           "  -cells N        a side, each of 2 triangles or 6 tetrahedra (default 20)\n"
           "  -plex_hdg_...   options; -plex_hdg_tau is 1 here, -plex_hdg_backend host\n\n";

#include "bench.h"
#include "../examples/box.h"
#include "processortime.h"

static PetscErrorCode Exact(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = 1.;
  for (PetscInt d = 0; d < dim; ++d) u[0] *= PetscSinReal(2. * PETSC_PI * x[d]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Source(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar f[], void *ctx)
{
  PetscFunctionBegin;
  PetscCall(Exact(dim, x, n, f, ctx));
  f[0] *= 4. * dim * PETSC_PI * PETSC_PI + 1.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscInt       dim = 2, cells = 20;
  PetscReal      error[3];
  PetscLogDouble begin, middle, end;
  PlexHDG        hdg;
  DM             dm;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscCall(BenchInitialize(&argc, &argv, help));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-dim", &dim, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-cells", &cells, NULL));
  PetscCall(BoxCreate(PETSC_COMM_WORLD, dim, cells, &dm));
  PetscCall(ProcessorTime(&begin));
  PetscCall(PlexHDGCreate(dm, &hdg));
  PetscCall(PlexHDGSetBackend(hdg, PLEXBACKENDHOST));
  PetscCall(PlexHDGSetDiffusion(hdg, 1., 1.));
  PetscCall(PlexHDGSetTau(hdg, 1.));
  PetscCall(PlexHDGSetSource(hdg, Source, NULL));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, NULL, NULL));
  PetscCall(PlexHDGSetFromOptions(hdg));
  PetscCall(PlexHDGAssemble(hdg, NULL));
  PetscCall(ProcessorTime(&middle));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(ProcessorTime(&end));
  PetscCall(PlexHDGComputeL2Error(hdg, Exact, NULL, NULL, error));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%.6e %.4f %.4f\n", (double)error[0], middle - begin, end - middle));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return 0;
}
