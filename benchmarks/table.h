/* The spaces of the tables of Jacobians, with their meshes and problems. By PETSc alone, as spaces.h */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include "shuffle.h"
#include "spaces.h"

typedef enum {
  HEAT,
  ELASTICITY,
  NONLINEAR,
  COEFFICIENT,
  REACTION,
  MOTION,
  PROBLEMS
} Problem;
static const char *const ProblemSources[] = {"../examples/heat.h", "elasticity.h", "diffusion.h",
                                             "diffusion.h",        "reaction.h",   "elasticity.h"};

typedef struct {
  const char    *name;
  DMPolytopeType cell;
  /* refinements of plate-coarse.msh or block.msh, cells along the side of a box whose vertices are moved */
  PetscInt size;
  PetscInt degree;
  Problem  problem;
} Space;

static const Space Spaces[] = {
  {"P1triangles",  DM_POLYTOPE_TRIANGLE,    6,  1, HEAT      },
  {"P2triangles",  DM_POLYTOPE_TRIANGLE,    5,  2, HEAT      },
  {"P1tetrahedra", DM_POLYTOPE_TETRAHEDRON, 3,  1, HEAT      },
  {"P2tetrahedra", DM_POLYTOPE_TETRAHEDRON, 2,  2, HEAT      },
  {"P3tetrahedra", DM_POLYTOPE_TETRAHEDRON, 2,  3, HEAT      },
  {"P4tetrahedra", DM_POLYTOPE_TETRAHEDRON, 1,  4, HEAT      },
  {"Q1hexahedra",  DM_POLYTOPE_HEXAHEDRON,  64, 1, HEAT      },
  {"Q2hexahedra",  DM_POLYTOPE_HEXAHEDRON,  40, 2, HEAT      },
  {"P1elasticity", DM_POLYTOPE_TETRAHEDRON, 3,  1, ELASTICITY},
  {"P2elasticity", DM_POLYTOPE_TETRAHEDRON, 2,  2, ELASTICITY},
  {"P2nonlinear",  DM_POLYTOPE_TETRAHEDRON, 2,  2, NONLINEAR }
};

static inline PetscErrorCode CreateMesh(const Space *space, PetscInt coarser, PetscBool shuffled, DM *dm)
{
  char path[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  if (space->cell == DM_POLYTOPE_HEXAHEDRON || space->cell == DM_POLYTOPE_QUADRILATERAL) {
    const PetscInt n = PetscMax(2, space->size >> coarser), faces[3] = {n, n, n};
    const PetscInt dim = space->cell == DM_POLYTOPE_HEXAHEDRON ? 3 : 2;

    PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_SELF, dim, PETSC_FALSE, faces, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_TRUE,
                                  dm));
    PetscCall(MeshMoveVertices(*dm, 0.1 / (PetscReal)n));
  } else {
    PetscCall(HeatFindFile(space->cell == DM_POLYTOPE_TRIANGLE ? "plate-coarse.msh" : "block.msh", path, sizeof(path)));
    PetscCall(HeatCreateMesh(PETSC_COMM_SELF, path, dm));
    PetscCall(MeshRefine(space->size - coarser, dm));
  }
  if (shuffled) PetscCall(MeshShuffle(dm, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode SetUpProblem(DM dm, const Space *space)
{
  PetscFunctionBegin;
  if (space->problem == ELASTICITY) PetscCall(SetUpElasticity(dm, space->degree, PETSC_FALSE));
  else if (space->problem == NONLINEAR) PetscCall(SetUpDiffusion(dm, space->degree));
  else if (space->problem == COEFFICIENT) PetscCall(SetUpCoefficient(dm, space->degree));
  else if (space->problem == REACTION) PetscCall(SetUpReaction(dm, space->degree));
  else if (space->problem == MOTION) PetscCall(SetUpMotion(dm, space->degree));
  else PetscCall(HeatSetUpProblem(dm, space->degree, PETSC_FALSE, 0.1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The mesh and problem, a local vector of ones, and the matrix, which is said to be symmetric where it is; device: they
   are of CUDA types */
static inline PetscErrorCode CreateSystem(const Space *space, PetscInt coarser, PetscBool device, DM *dm, Vec *X,
                                          Mat *J)
{
  PetscFunctionBegin;
  PetscCall(CreateMesh(space, coarser, PETSC_FALSE, dm));
  PetscCall(SetUpProblem(*dm, space));
  if (device) {
    PetscCall(DMSetVecType(*dm, VECCUDA));
    PetscCall(DMSetMatType(*dm, MATAIJCUSPARSE));
  }
  PetscCall(DMCreateLocalVector(*dm, X));
  PetscCall(VecSet(*X, 1.0));
  PetscCall(DMCreateMatrix(*dm, J));
  if (space->problem != NONLINEAR && space->problem != REACTION) {
    PetscCall(MatSetOption(*J, MAT_SYMMETRIC, PETSC_TRUE));
    PetscCall(MatSetOption(*J, MAT_SYMMETRY_ETERNAL, PETSC_TRUE));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a space is among the names that were asked for; none: all are */
static inline PetscErrorCode IsWanted(const char name[], PetscInt n, char *const names[], PetscBool *wanted)
{
  PetscFunctionBegin;
  *wanted = (PetscBool)!n;
  for (PetscInt k = 0; k < n && !*wanted; ++k) PetscCall(PetscStrcmp(name, names[k], wanted));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
