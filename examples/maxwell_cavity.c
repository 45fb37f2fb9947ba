static char help[] = "Maxwell's equations in a box of perfectly conducting walls: an eigenmode swings, by nodal "
                     "discontinuous Galerkin.\n\n"
                     "  -dim N                  3 (default), or 2: the field along z and those across it\n"
                     "  -cells N                cells a side of the unit box, each of them 6 tetrahedra or 2 "
                     "triangles (default 4)\n"
                     "  -mesh FILE              a mesh of the unit box in its place\n"
                     "  -periods T              how long it swings (default 1)\n"
                     "  -levels L               meshes, each with cells of half the size (default 1): shows how "
                     "fast the error falls\n"
                     "  -plex_dg_degree N       degree of the polynomials (default 3)\n"
                     "  -plex_dg_alpha A        flux: 1 upwind (default), 0 keeps the energy\n"
                     "  -plex_dg_backend NAME   cuda, host or emulate; -plex_dg_view shows more\n\n";

#include "program.h"
#include "box.h"
#include "cavity.h"

typedef struct {
  PetscInt  dim, cells, levels;
  PetscReal periods;
  char      mesh[PETSC_MAX_PATH_LEN];
} Options;

static PetscErrorCode GetOptions(Options *o)
{
  PetscFunctionBegin;
  o->dim     = 3;
  o->cells   = 4;
  o->levels  = 1;
  o->periods = 1.;
  o->mesh[0] = 0;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Maxwell cavity", NULL);
  PetscCall(PetscOptionsRangeInt("-dim", "Dimension", NULL, o->dim, &o->dim, NULL, 2, 3));
  PetscCall(PetscOptionsBoundedInt("-cells", "Cells a side", NULL, o->cells, &o->cells, NULL, 1));
  PetscCall(PetscOptionsBoundedInt("-levels", "Meshes", NULL, o->levels, &o->levels, NULL, 1));
  PetscCall(PetscOptionsReal("-periods", "How long", NULL, o->periods, &o->periods, NULL));
  PetscCheck(o->periods > 0., PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "The mode is to swing for %g periods: -periods has to be positive", (double)o->periods);
  PetscCall(PetscOptionsString("-mesh", "Mesh of the unit box", NULL, o->mesh, o->mesh, sizeof(o->mesh), NULL));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The mesh of a level, distributed */
static PetscErrorCode MakeMesh(const Options *o, PetscInt level, DM *dm)
{
  PetscFunctionBegin;
  if (o->mesh[0]) PetscCall(DMPlexCreateFromFile(PETSC_COMM_WORLD, o->mesh, "cavity", PETSC_TRUE, dm));
  else PetscCall(BoxCreate(PETSC_COMM_WORLD, o->dim, o->cells << level, dm));
  PetscCall(ExampleDistribute(dm));
  if (o->mesh[0]) PetscCall(ExampleRefine(level, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscReal      error, energy; /* in L2; the share that is left */
  PetscInt       steps, values;
  PetscLogDouble seconds;
} Result;

/* From time 0 to T on one mesh */
static PetscErrorCode Run(const Options *o, PetscInt level, Result *result)
{
  const PetscReal sides[3]   = {1., 1., 1.};
  const PetscInt  numbers[3] = {1, 1, 1};
  CavityMode      mode;
  DM              dm;
  PlexDG          dg;
  Vec             U;
  TS              ts;
  PetscReal       T, dt, before, after;
  PetscLogDouble  begin, end;

  PetscFunctionBegin;
  PetscCall(MakeMesh(o, level, &dm));
  CavityModeInitialize(o->dim, sides, numbers, 1.5, 0.8, &mode);
  T = o->periods * 2. * PETSC_PI / mode.omega;
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "maxwell"));
  PetscCall(PlexDGSetConstant(dg, "epsilon", 1, &mode.epsilon));
  PetscCall(PlexDGSetConstant(dg, "mu", 1, &mode.mu));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "pec"));
  PetscCall(PlexDGSetFromOptions(dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., CavityModeValues, &mode, U));
  PetscCall(PlexDGComputeEnergy(dg, U, &before));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSGetTimeStep(ts, &dt));
  PetscCall(TSSetTimeStep(ts, T / PetscCeilReal(T / dt))); /* equal steps */
  PetscCall(TSSetMaxTime(ts, T));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(PetscTime(&begin));
  PetscCall(TSSolve(ts, U));
  PetscCall(PetscTime(&end));
  result->seconds = end - begin;
  PetscCall(PlexDGComputeL2Error(dg, T, CavityModeValues, &mode, U, &result->error));
  PetscCall(PlexDGComputeEnergy(dg, U, &after));
  result->energy = after / before;
  PetscCall(TSGetStepNumber(ts, &result->steps));
  PetscCall(VecGetSize(U, &result->values));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options   o;
  Result    r;
  PetscReal coarser = 0., order = 0.;
  PetscInt  degree = 3;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(GetOptions(&o));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-plex_dg_degree", &degree, NULL));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "   values   steps   seconds      error  order   energy left\n"));
  for (PetscInt level = 0; level < o.levels; ++level) {
    PetscCall(Run(&o, level, &r));
    if (level) order = PetscLog2Real(coarser / r.error);
    coarser = r.error;
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%9" PetscInt_FMT " %7" PetscInt_FMT " %9.3g %10.3e %6.2f %13.9f\n",
                          r.values, r.steps, r.seconds, (double)r.error, (double)order, (double)r.energy));
  }
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "result: example=maxwell_cavity dim=%" PetscInt_FMT " degree=%" PetscInt_FMT
                        " values=%" PetscInt_FMT " steps=%" PetscInt_FMT " error=%.6e order=%.3f energy=%.12f\n",
                        o.dim, degree, r.values, r.steps, (double)r.error, (double)order, (double)r.energy));
  PetscCall(PetscFinalize());
  return 0;
}
