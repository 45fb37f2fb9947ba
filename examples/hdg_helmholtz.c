static char help[] = "The Helmholtz problem of King, Yakovlev, Fu, Kirby and Sherwin (2014) by hybridized "
                     "discontinuous Galerkin, or a medium of several parts from a mesh file.\n\n"
                     "  -cells N                cells a side of the unit square (default 10), each of them 2 "
                     "triangles\n"
                     "  -quads                  or one quadrilateral\n"
                     "  -levels L               meshes, each with cells of half the size (default 1): shows how fast "
                     "the errors fall\n"
                     "  -mesh FILE              a mesh in the square's place: u = x on its boundary, f = 0\n"
                     "  -contrast C             kappa of cells with another value of \"Cell Sets\" than the first "
                     "one, of a mesh of one part of every other\n"
                     "                          square of side 1 (default 10)\n"
                     "  -output NAME            writes NAME.vtkhdf: u, q, post-processed u, the error; hdg.py draws "
                     "it\n"
                     "  -plex_hdg_degree P      degree of the polynomials, 1 to 9 (default 3)\n"
                     "  -plex_hdg_backend NAME  cuda, host or emulate; -plex_hdg_view shows more, -log_view the "
                     "stages\n\n";

#include "program.h"
#include "box.h"
#include "helmholtz.h"

typedef struct {
  PetscInt  cells, levels;
  PetscBool quads;
  PetscReal contrast;
  char      mesh[PETSC_MAX_PATH_LEN], output[PETSC_MAX_PATH_LEN];
} Options;

static PetscErrorCode GetOptions(Options *o)
{
  PetscFunctionBegin;
  o->cells    = 10;
  o->levels   = 1;
  o->quads    = PETSC_FALSE;
  o->contrast = 10.;
  o->mesh[0] = o->output[0] = 0;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Helmholtz problem", NULL);
  PetscCall(PetscOptionsBoundedInt("-cells", "Cells a side", NULL, o->cells, &o->cells, NULL, 1));
  PetscCall(PetscOptionsBoundedInt("-levels", "Meshes", NULL, o->levels, &o->levels, NULL, 1));
  PetscCall(PetscOptionsBool("-quads", "Quadrilaterals", NULL, o->quads, &o->quads, NULL));
  PetscCall(PetscOptionsReal("-contrast", "kappa of the other parts", NULL, o->contrast, &o->contrast, NULL));
  PetscCall(PetscOptionsString("-mesh", "Mesh", NULL, o->mesh, o->mesh, sizeof(o->mesh), NULL));
  PetscCall(PetscOptionsString("-output", "Picture", NULL, o->output, o->output, sizeof(o->output), NULL));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The mesh of a level, distributed */
static PetscErrorCode MakeMesh(const Options *o, PetscInt level, DM *dm)
{
  const PetscInt n[2] = {o->cells << level, o->cells << level};

  PetscFunctionBegin;
  if (o->mesh[0]) PetscCall(DMPlexCreateFromFile(PETSC_COMM_WORLD, o->mesh, "helmholtz", PETSC_TRUE, dm));
  else if (o->quads)
    PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, 2, PETSC_FALSE, n, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_FALSE,
                                  dm));
  else PetscCall(BoxCreate(PETSC_COMM_WORLD, 2, n[0], dm));
  PetscCall(ExampleDistribute(dm));
  if (o->mesh[0]) PetscCall(ExampleRefine(level, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of a mesh file: parts with another kappa, driven by u = x on the boundary */
typedef struct {
  DM        dm;
  PetscReal contrast;
  PetscInt  first, last; /* values of "Cell Sets" */
} Medium;

static PetscErrorCode Parts(PetscInt dim, const PetscReal x[], PetscInt cell, PetscReal kappa[], PetscReal *lambda,
                            void *ctx)
{
  const Medium *medium = (Medium *)ctx;
  PetscInt      value;

  PetscFunctionBegin;
  PetscCall(DMGetLabelValue(medium->dm, "Cell Sets", cell, &value));
  if (medium->first < medium->last ? value != medium->first
                                   : (PetscInt)(PetscFloorReal(x[0]) + PetscFloorReal(x[1])) % 2)
    for (PetscInt d = 0; d < dim; ++d) kappa[d * (dim + 1)] = medium->contrast;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Along(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar g[],
                            void *ctx)
{
  PetscFunctionBegin;
  g[0] = x[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetProblem(const Options *o, DM dm, Medium *medium, PlexHDG hdg)
{
  IS              is;
  const PetscInt *values;
  PetscInt        n = 0;

  PetscFunctionBegin;
  if (!o->mesh[0]) {
    PetscCall(PlexHDGSetDiffusion(hdg, 1., 1.));
    PetscCall(PlexHDGSetSource(hdg, HelmholtzSource, NULL));
    PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, HelmholtzKnown, NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  medium->dm       = dm;
  medium->contrast = o->contrast;
  medium->first    = PETSC_INT_MAX;
  medium->last     = PETSC_INT_MIN;
  PetscCall(DMGetLabelIdIS(dm, "Cell Sets", &is));
  if (is) {
    PetscCall(ISGetLocalSize(is, &n));
    PetscCall(ISGetIndices(is, &values));
    for (PetscInt k = 0; k < n; ++k) {
      medium->first = PetscMin(medium->first, values[k]);
      medium->last  = PetscMax(medium->last, values[k]);
    }
    PetscCall(ISRestoreIndices(is, &values));
    PetscCall(ISDestroy(&is));
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &medium->first, 1, MPIU_INT, MPI_MIN, PETSC_COMM_WORLD));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &medium->last, 1, MPIU_INT, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(PlexHDGSetCoefficients(hdg, Parts, medium));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, Along, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscReal      error[3], jump; /* of u, q and post-processed u; of the flux */
  PetscInt       unknowns, iterations;
  PetscLogDouble seconds;
} Result;

static PetscErrorCode Run(const Options *o, PetscInt level, Result *result)
{
  DM             dm;
  PlexHDG        hdg;
  KSP            ksp;
  Vec            trace;
  Medium         medium;
  PetscLogDouble begin, end;
  char           file[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PetscMemzero(result, sizeof(*result)));
  PetscCall(MakeMesh(o, level, &dm));
  PetscCall(PlexHDGCreate(dm, &hdg));
  PetscCall(SetProblem(o, dm, &medium, hdg));
  PetscCall(PlexHDGSetFromOptions(hdg));
  PetscCall(PlexHDGSetUp(hdg));
  PetscCall(PetscTime(&begin));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PetscTime(&end));
  result->seconds = end - begin;
  PetscCall(PlexHDGGetSolution(hdg, &trace, NULL, NULL, NULL));
  PetscCall(VecGetSize(trace, &result->unknowns));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPGetIterationNumber(ksp, &result->iterations));
  PetscCall(PlexHDGComputeFluxJump(hdg, &result->jump));
  if (!o->mesh[0]) PetscCall(PlexHDGComputeL2Error(hdg, HelmholtzExact, HelmholtzExactFlux, NULL, result->error));
  if (o->output[0] && level == o->levels - 1) {
    PetscCall(PetscSNPrintf(file, sizeof(file), "%s.vtkhdf", o->output));
    PetscCall(PlexHDGWriteVTKHDF(hdg, file, o->mesh[0] ? NULL : HelmholtzExact, NULL));
  }
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options  o;
  Result   r[2];
  PetscInt degree   = 3;
  double   order[3] = {0., 0., 0.};

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(GetOptions(&o));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-plex_hdg_degree", &degree, NULL));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        " unknowns  its   seconds    error u  order    error q  order   error u*  order       jump\n"));
  for (PetscInt level = 0; level < o.levels; ++level) {
    PetscCall(Run(&o, level, &r[1]));
    for (int k = 0; level && !o.mesh[0] && k < 3; ++k) order[k] = PetscLog2Real(r[0].error[k] / r[1].error[k]);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%9" PetscInt_FMT " %4" PetscInt_FMT " %9.3g", r[1].unknowns,
                          r[1].iterations, r[1].seconds));
    for (int k = 0; k < 3; ++k)
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %10.3e %6.2f", (double)r[1].error[k], order[k]));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %10.1e\n", (double)r[1].jump));
    r[0] = r[1];
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "result: example=hdg_helmholtz degree=%" PetscInt_FMT " unknowns=%" PetscInt_FMT
                        " error_u=%.6e error_q=%.6e error_star=%.6e order_u=%.3f order_q=%.3f order_star=%.3f "
                        "jump=%.3e\n",
                        degree, r[1].unknowns, (double)r[1].error[0], (double)r[1].error[1], (double)r[1].error[2],
                        order[0], order[1], order[2], (double)r[1].jump));
  PetscCall(PetscFinalize());
  return 0;
}
