/* What the assembly benchmark is asked for, and the meshes and problems of it */
#ifndef BENCH_PROBLEM_H
#define BENCH_PROBLEM_H

#include "../examples/heat_problem.h"
#include "../examples/timing.h"
#include "bench.h"
#include "coo.h"
#include "mesh.h"
#include "spaces.h"
#include <fcntl.h>

static const char *const Cells[]    = {"triangle", "tetrahedron", "quadrilateral", "hexahedron"};
static const char *const Reorders[] = {"none", MATORDERINGRCM, "morton", PLEXREORDERHILBERT};
enum {
  CELL_TRIANGLE,
  CELL_TETRAHEDRON,
  CELL_QUADRILATERAL,
  CELL_HEXAHEDRON
};

typedef struct {
  PetscInt  cell, reorder, refine, faces, order, reps, referenceCells, seed, interleave;
  PetscInt  ntypes;
  PetscBool vector, dummy;
  PetscBool shuffle, nonlinear, coefficient; /* as asked for; of a case, whether it is */
  PetscBool alone;                           /* no linear case before the nonlinear one */
  PetscInt  again;                           /* order of a mesh numbered at random, as in Reorders */
  PetscReal move;
  int       lock; /* file descriptor, -1: none */
  char     *types[16];
  char      mesh[PETSC_MAX_PATH_LEN], csv[PETSC_MAX_PATH_LEN], backend[64];
} Options;

static PetscErrorCode OptionsGet(Options *o)
{
  char      lock[PETSC_MAX_PATH_LEN] = "";
  PetscBool cuda, host, given;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(o, sizeof(*o)));
  o->refine         = 2;
  o->faces          = 32;
  o->order          = 1;
  o->reps           = 11;
  o->referenceCells = 100000;
  o->ntypes         = PETSC_STATIC_ARRAY_LENGTH(o->types);
  PetscCall(PlexBackendIsAvailable(PLEXBACKENDCUDA, &cuda));
  PetscCall(PetscStrncpy(o->backend, cuda ? PLEXBACKENDCUDA : PLEXBACKENDHOST, sizeof(o->backend)));
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Assembly benchmark", "");
  PetscCall(PetscOptionsEList("-cell", "Cell", "assembly.c", Cells, PETSC_STATIC_ARRAY_LENGTH(Cells), Cells[o->cell],
                              &o->cell, NULL));
  PetscCall(PetscOptionsString("-mesh", "Gmsh file", "assembly.c", o->mesh, o->mesh, sizeof(o->mesh), NULL));
  PetscCall(PetscOptionsBoundedInt("-refine", "Refinements", "assembly.c", o->refine, &o->refine, NULL, 0));
  PetscCall(PetscOptionsBoundedInt("-faces", "Cells along a side", "assembly.c", o->faces, &o->faces, NULL, 1));
  PetscCall(PetscOptionsEList("-reorder", "Order of the cells, or of the dofs", "assembly.c", Reorders,
                              PETSC_STATIC_ARRAY_LENGTH(Reorders), Reorders[o->reorder], &o->reorder, NULL));
  PetscCall(PetscOptionsRangeInt("-order", "Order of the elements", "assembly.c", o->order, &o->order, NULL, 1, 5));
  PetscCall(PetscOptionsBool("-vector", "Linear elasticity", "assembly.c", o->vector, &o->vector, NULL));
  PetscCall(PetscOptionsBool("-nonlinear", "Nonlinear conductivity beside the linear one", "assembly.c", o->nonlinear,
                             &o->nonlinear, NULL));
  PetscCall(PetscOptionsBool("-nonlinear_alone", "Nonlinear conductivity alone", "assembly.c", o->alone, &o->alone,
                             NULL));
  o->nonlinear = (PetscBool)(o->nonlinear || o->alone);
  PetscCall(PetscOptionsBool("-coefficient", "Material of each element beside the constant one", "assembly.c",
                             o->coefficient, &o->coefficient, NULL));
  PetscCall(PetscOptionsBool("-shuffle", "A mesh numbered at random beside the ordered one", "assembly.c", o->shuffle,
                             &o->shuffle, NULL));
  PetscCall(PetscOptionsEList("-shuffle_reorder", "That mesh in an order again", "assembly.c", Reorders,
                              PETSC_STATIC_ARRAY_LENGTH(Reorders), Reorders[o->again], &o->again, NULL));
  PetscCheck(o->shuffle || !o->again, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
             "-shuffle_reorder %s is for the mesh that -shuffle numbers at random: give both, or -reorder %s",
             Reorders[o->again], Reorders[o->again]);
  PetscCall(PetscOptionsInt("-seed", "Of the random numbers of -shuffle", "assembly.c", o->seed, &o->seed, NULL));
  PetscCall(PetscOptionsRangeReal("-move", "Vertices of a box moved, in sides of a cell", "assembly.c", o->move,
                                  &o->move, NULL, 0, 0.25));
  PetscCall(PetscOptionsInt("-coo_interleave", "Elements whose matrices are interleaved for the COO path", "assembly.c",
                            o->interleave, &o->interleave, NULL));
  PetscCheck(o->interleave == 0 || o->interleave == 1 || o->interleave == 32, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "-coo_interleave takes 1 or 32, not %" PetscInt_FMT, o->interleave);
  PetscCall(PetscOptionsBool("-dummy", "Each type again with a dummy element kernel", "assembly.c", o->dummy, &o->dummy,
                             NULL));
  PetscCall(PetscOptionsString("-bench_backend", "Backend", "assembly.c", o->backend, o->backend, sizeof(o->backend),
                               NULL));
  PetscCall(PetscOptionsStringArray("-types", "Types", "assembly.c", o->types, &o->ntypes, &given));
  PetscCall(PetscOptionsBoundedInt("-reps", "Samples", "assembly.c", o->reps, &o->reps, NULL, 1));
  PetscCall(PetscOptionsBoundedInt("-reference_cells", "Cells of the host's mesh", "assembly.c", o->referenceCells,
                                   &o->referenceCells, NULL, 1));
  PetscCall(PetscOptionsString("-csv", "File of comma separated values", "assembly.c", o->csv, o->csv, sizeof(o->csv),
                               NULL));
  PetscCall(PetscOptionsString("-lock", "File that runs share to take turns", "assembly.c", lock, lock, sizeof(lock),
                               NULL));
  PetscOptionsEnd();
  o->lock = -1;
  if (lock[0]) {
    o->lock = open(lock, O_CREAT | O_RDWR, 0666);
    PetscCheck(o->lock >= 0, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot open %s, the file of -lock", lock);
  }
  PetscCheck(!(o->move > 0) || o->cell == CELL_QUADRILATERAL || o->cell == CELL_HEXAHEDRON, PETSC_COMM_SELF,
             PETSC_ERR_SUP, "-move moves the vertices of boxes: take -cell quadrilateral or hexahedron");
  PetscCheck(!o->nonlinear || !o->vector, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "-nonlinear is a scalar problem: leave -vector away");
  PetscCall(PetscStrcmp(o->backend, PLEXBACKENDHOST, &host));
  PetscCheck(!host || !o->dummy, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "-dummy is a kernel, and the host backend has none: leave it away");
  if (host) {
    o->ntypes = 1; /* its one way */
    PetscCall(PetscStrallocpy("-", &o->types[0]));
  } else if (!given) {
    o->ntypes = TIMING_TYPES + 1;
    for (PetscInt i = 0; i < TIMING_TYPES; ++i) PetscCall(PetscStrallocpy(TimingTypes[i], &o->types[i]));
    PetscCall(PetscStrallocpy(BENCH_COO, &o->types[TIMING_TYPES]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The mesh, `coarser` refinements (halvings of a box's side) below the size asked for */
static PetscErrorCode CreateMesh(const Options *o, PetscInt coarser, DM *dm)
{
  const PetscInt dim = o->cell == CELL_TETRAHEDRON || o->cell == CELL_HEXAHEDRON ? 3 : 2;
  char           path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  if (o->cell == CELL_QUADRILATERAL || o->cell == CELL_HEXAHEDRON) {
    const PetscInt n        = PetscMax(o->faces >> coarser, 1);
    const PetscInt faces[3] = {n, n, n};

    PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_SELF, dim, PETSC_FALSE, faces, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_TRUE,
                                  dm));
    if (o->move > 0) PetscCall(MeshMoveVertices(*dm, o->move / n));
  } else {
    if (o->mesh[0]) PetscCall(PetscStrncpy(path, o->mesh, sizeof(path)));
    else PetscCall(HeatFindFile(dim == 2 ? "plate.msh" : "block.msh", path, sizeof(path)));
    PetscCall(HeatCreateMesh(PETSC_COMM_SELF, path, dm));
    PetscCall(MeshRefine(o->refine - coarser, dm));
  }
  if (o->reorder && !o->shuffle) PetscCall(MeshReorder(dm, Reorders[o->reorder]));
  if (o->shuffle) PetscCall(MeshShuffle(dm, o->seed));
  if (o->shuffle && o->again) PetscCall(MeshReorder(dm, Reorders[o->again]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Mesh, problem and a smooth state to assemble at, for a backend */
static PetscErrorCode CreateProblem(const Options *o, PetscInt coarser, PlexBackendType backend, DM *dm,
                                    TimingProblem *problem)
{
  Vec locX;

  PetscFunctionBegin;
  PetscCall(CreateMesh(o, coarser, dm));
  if (o->vector) PetscCall(SetUpElasticity(*dm, o->order, o->coefficient));
  else if (o->nonlinear) PetscCall(SetUpDiffusion(*dm, o->order));
  else if (o->coefficient) PetscCall(SetUpCoefficient(*dm, o->order));
  else PetscCall(HeatSetUpProblem(*dm, o->order, PETSC_FALSE, 0.1));
  PetscCall(DMCreateLocalVector(*dm, &locX));
  PetscCall(VecSet(locX, 1.0));
  PetscCall(DMPlexSNESComputeBoundaryFEM(*dm, locX, NULL));
  PetscCall(TimingProblemCreateForBackend(*dm, backend, (PetscBool)!o->nonlinear, locX, problem));
  PetscCall(VecDestroy(&locX));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
