/* Small discretized problems for tests: a mesh, a finite element space, boundary values and a form of forms.h. */
#pragma once

#include <plexgpu.h>

#define PLEX_TEST_FORMS "tests/common/forms.h" /* from the top folder, where tests run */

typedef enum {
  PLEX_TEST_GENERAL,
  PLEX_TEST_SYMMETRIC,
  PLEX_TEST_MIXED,
  PLEX_TEST_SADDLE,
  PLEX_TEST_DIFFUSION,
  PLEX_TEST_LINEAR
} PlexTestForm;

typedef struct {
  DMPolytopeType cell;
  PetscInt       degree;     /* of the fields; of a field 1 one less */
  PetscInt       components; /* of field 0 */
  PlexTestForm   form;
  PetscInt       cells;       /* most cells, out of those of PlexTestMesh(); 0: all */
  PetscInt       fan;         /* triangles around a vertex in the place of that mesh; 0: none */
  PetscInt       coordinates; /* degree of the coordinate space when it is not the mesh's own; curved elements */
  PetscBool      device;      /* vectors and matrices of CUDA types */
  PetscBool      whole;       /* essential values hold all components where they hold any */
  PetscBool      rotated;     /* likewise, and there is a basis transform */
} PlexTestProblem;

/* The essential values hold all components on one part of the boundary, component 0 on another, and nothing on the
   rest */
PetscErrorCode PlexTestProblemCreate(const PlexTestProblem *problem, DM *dm);

/* Fields, boundary values and form on a mesh of the caller's, which has the label "boundary" */
PetscErrorCode PlexTestProblemSetUp(DM dm, const PlexTestProblem *problem);

/* Likewise on a mesh that is on one process, which is shared out */
PetscErrorCode PlexTestProblemShare(const PlexTestProblem *problem, PetscInt overlap, DM *dm);

/* Labels the boundary of a mesh that is on one process: "held" is 1 on every third of its facets and 2 on every third,
   with all points of their closure. PlexTestProblemSetUp() does so where it is not done yet. */
PetscErrorCode PlexTestMarkHeld(DM dm);

/* The first n cells that a walk from neighbour to neighbour meets, of a mesh that is on one process; 0: all. Marking
   writes the label "part" alone, so that the mesh may be distributed before those cells are filtered out. */
PetscErrorCode PlexTestKeepCells(DM *dm, PetscInt n);
PetscErrorCode PlexTestMarkCells(DM dm, PetscInt n);
PetscErrorCode PlexTestFilterCells(DM dm, DM *part);

/* A coordinate space of this degree, and waves in it */
PetscErrorCode PlexTestCurve(DM dm, PetscInt degree);

/* A number of the two, where scalars are complex */
#if PetscDefined(USE_COMPLEX)
  #define PLEX_TEST_VALUE(re, im) PetscCMPLX(re, im)
#else
  #define PLEX_TEST_VALUE(re, im) (re)
#endif

/* A local vector of numbers that look random, other ones for another seed; constrained dofs have some too */
PetscErrorCode PlexTestLocalVector(DM dm, PetscInt seed, Vec *locX);

/* Essential values: zero; the solution of PLEX_TEST_DIFFUSION */
PetscErrorCode PlexTestZero(PetscInt dim, PetscReal time, const PetscReal x[], PetscInt Nc, PetscScalar *u, void *ctx);
PetscErrorCode PlexTestSolution(PetscInt dim, PetscReal time, const PetscReal x[], PetscInt Nc, PetscScalar *u,
                                void *ctx);

typedef struct {
  const char *name, *value;
} PlexTestOption;

/* An assembly gets a PlexTestOption as ctx from the options database alone, and is set up */
PetscErrorCode PlexTestSetOption(void *ctx);

/* Whether all processes that have elements compute the Jacobian (or residual) in the way of this name. Collective */
PetscErrorCode PlexTestIsVariant(PlexAssembly, PetscBool jacobian, const char name[], PetscBool *is);
/* The largest difference over the largest entry of b, of all processes; NaN counts as infinite. PlexTestMatError(): of
   matrices with one pattern. The values of `a` are recorded for tests/golden.py. */
PetscErrorCode PlexTestVecError(Vec a, Vec b, PetscReal *error);
PetscErrorCode PlexTestMatError(Mat A, Mat B, PetscReal *error);

/* Computes residual and Jacobian at a PlexTestLocalVector(), whatever they are */
PetscErrorCode PlexTestCompute(PlexAssembly assembly, DM dm);

/* The same by the assembly and by PETSc, and their relative differences */
PetscErrorCode PlexTestCompare(PlexAssembly assembly, DM dm, PetscReal *residual, PetscReal *jacobian);

/* Products of a vector with the Jacobian, with its transpose, and its diagonal, by a matrix of type plexgpu and by the
   matrix that PETSc assembles: the largest relative difference */
PetscErrorCode PlexTestCompareActions(PlexAssembly assembly, DM dm, PetscReal *error);

/* Newton's method from zero, assembled by this backend or by PETSc where it is NULL: iterations of SNES and KSP, and
   the solution */
PetscErrorCode PlexTestNewton(DM dm, const char backend[], PetscInt its[2], Vec *solution);
