static char help
  [] = "A hot wall and a wind that turns, by hybridized discontinuous Galerkin: -div(kappa grad u) + beta . grad u = 0 "
       "in the square from -1 to 1, u = 1 on the right side, 0 on\n"
       "the others, beta = (2 y (1 - x^2), -2 x (1 - y^2)). The problem is Example 6.1.4 of Elman, Silvester "
       "and Wathen, Finite Elements and Fast Iterative Solvers (2014).\n\n"
       "  -cells N                cells a side (default 16), each of them 2 triangles\n"
       "  -quads                  or one quadrilateral\n"
       "  -grading G              cells at the sides are smaller: x becomes x + G sin(pi x)/pi (default "
       "0.8), 0 <= G < 1\n"
       "  -output NAME            writes NAME.vtkhdf; hdg.py draws it\n"
       "  -plex_hdg_kappa KAPPA   default 0.005; 0: no diffusion\n"
       "  -plex_hdg_degree P      degree of the polynomials (default 3); -plex_hdg_convection conservative, "
       "-plex_hdg_backend, -plex_hdg_ksp_... and the like\n\n";

#include "program.h"
#include "box.h"

typedef struct {
  PetscInt  cells;
  PetscBool quads;
  PetscReal grading;
  char      output[PETSC_MAX_PATH_LEN];
} Options;

static PetscErrorCode GetOptions(Options *o)
{
  PetscFunctionBegin;
  *o = (Options){.cells = 16, .quads = PETSC_FALSE, .grading = 0.8};
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Hot wall and wind", NULL);
  PetscCall(PetscOptionsBoundedInt("-cells", "Cells a side", NULL, o->cells, &o->cells, NULL, 1));
  PetscCall(PetscOptionsBool("-quads", "Quadrilaterals", NULL, o->quads, &o->quads, NULL));
  PetscCall(PetscOptionsRangeReal("-grading", "Smaller cells at the sides", NULL, o->grading, &o->grading, NULL, 0.,
                                  0.99));
  PetscCall(PetscOptionsString("-output", "Picture", NULL, o->output, o->output, sizeof(o->output), NULL));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Wind(PetscInt dim, const PetscReal x[], PetscReal beta[], void *ctx)
{
  PetscFunctionBegin;
  beta[0] = 2. * x[1] * (1. - x[0] * x[0]);
  beta[1] = -2. * x[0] * (1. - x[1] * x[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Wall(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar g[],
                           void *ctx)
{
  PetscFunctionBegin;
  g[0] = normal[0] > 0.5 ? 1. : 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The square, distributed */
static PetscErrorCode MakeMesh(const Options *o, DM *dm)
{
  const PetscInt n[2] = {o->cells, o->cells};
  PetscScalar   *array;
  PetscInt       size;
  DM             other;
  Vec            x;

  PetscFunctionBegin;
  if (o->quads)
    PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, 2, PETSC_FALSE, n, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_FALSE,
                                  dm));
  else PetscCall(BoxCreate(PETSC_COMM_WORLD, 2, o->cells, dm));
  PetscCall(DMPlexDistribute(*dm, 0, NULL, &other));
  if (other) {
    PetscCall(DMDestroy(dm));
    *dm = other;
  }
  PetscCall(DMGetCoordinatesLocal(*dm, &x));
  PetscCall(VecGetLocalSize(x, &size));
  PetscCall(VecGetArray(x, &array));
  for (PetscInt k = 0; k < size; ++k) { /* from 0 .. 1 */
    const PetscReal s = 2. * PetscRealPart(array[k]) - 1.;

    array[k] = s + o->grading * PetscSinReal(PETSC_PI * s) / PETSC_PI;
  }
  PetscCall(VecRestoreArray(x, &array));
  PetscCall(DMSetCoordinatesLocal(*dm, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The least and the largest value of u at the elements' nodes */
static PetscErrorCode GetRange(PlexHDG hdg, PetscReal range[2])
{
  PetscInt     Ne, Np;
  PetscScalar *values;
  Vec          u;

  PetscFunctionBegin;
  PetscCall(PlexHDGGetSolution(hdg, NULL, &u, NULL, NULL));
  PetscCall(PlexHDGGetNodes(hdg, &Ne, &Np, NULL));
  PetscCall(PetscMalloc1((size_t)Ne * Np, &values));
  PetscCall(PlexHDGComputeNodeValues(hdg, 1, u, values));
  range[0] = range[1] = 0.; /* minus the least */
  for (size_t k = 0; k < (size_t)Ne * Np; ++k) {
    range[0] = PetscMax(range[0], -PetscRealPart(values[k]));
    range[1] = PetscMax(range[1], PetscRealPart(values[k]));
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, range, 2, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  range[0] *= -1.;
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options   o;
  DM        dm;
  PlexHDG   hdg;
  KSP       ksp;
  Vec       trace;
  PetscInt  degree, unknowns, its;
  PetscReal range[2], jump;
  char      file[PETSC_MAX_PATH_LEN];

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(GetOptions(&o));
  PetscCall(MakeMesh(&o, &dm));
  PetscCall(PlexHDGCreate(dm, &hdg));
  PetscCall(PlexHDGSetDiffusion(hdg, 0.005, 0.));
  PetscCall(PlexHDGSetConvection(hdg, PLEX_HDG_ADVECTIVE, Wind, NULL));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, Wall, NULL));
  PetscCall(PlexHDGSetFromOptions(hdg));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexHDGGetSolution(hdg, &trace, NULL, NULL, NULL));
  PetscCall(VecGetSize(trace, &unknowns));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPGetIterationNumber(ksp, &its));
  PetscCall(PlexHDGComputeFluxJump(hdg, &jump));
  PetscCall(GetRange(hdg, range));
  if (o.output[0]) {
    PetscCall(PetscSNPrintf(file, sizeof(file), "%s.vtkhdf", o.output));
    PetscCall(PlexHDGWriteVTKHDF(hdg, file, NULL, NULL));
  }
  PetscCall(PlexHDGGetDegree(hdg, &degree));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "result: example=hdg_convection degree=%" PetscInt_FMT " unknowns=%" PetscInt_FMT
                        " iterations=%" PetscInt_FMT " least=%.6e largest=%.6e jump=%.3e\n",
                        degree, unknowns, its, (double)range[0], (double)range[1], (double)jump));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return 0;
}
