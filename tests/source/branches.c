static char help
  [] = "Jacobians of functions with branches, with what `auto` makes of them: against PETSc's own, entry by entry.\n\
  -backend        : only this one\n\
  -shard <k>/<n>  : every n-th part, from the k-th\n\n";

#include <plexgpu/impl.h>
#include "meshes.h"
#include "problem.h"
#include "report.h"
#include <stdlib.h>

#pragma GCC diagnostic ignored "-Wunused-parameter" /* pointwise functions have more arguments than they use */
#define CHECK(condition) \
  if (!(condition)) abort()
#include "branches.h"

#define SOURCE "tests/source/branches.h" /* from the top folder, where tests run */
#define SHIFT  1.3

/* Auxiliary values by the number of the dof, and by their kind */
typedef enum {
  NONE,
  KELVIN,    /* 280 to 420 */
  LEVEL,     /* of both signs */
  FEW,       /* negative but for one dof */
  MATERIALS, /* 0, 1, 2 */
  ONE,       /* material 2 in a single place */
  STRAIN     /* 1 to 100 */
} Values;

typedef struct {
  const char      *name;
  PetscPointJacFn *g[4];
  Values           values;
  PetscReal        solution; /* its size */
  PetscReal        t;
  /* of kernels, with an auxiliary field of degree 0: nothing is to be left out, and nothing given away */
  const char *choice;
} Case;

static const Case cases[] = {
  {"g1 and g3, velocity zero",   {NULL, g1_velocity, NULL, g3_one}, NONE,      1.,  0.7, "tensor"          },
  {"g2 and g3, velocity zero",   {NULL, NULL, g1_velocity, g3_one}, NONE,      1.,  0.7, "tensor"          },
  {"g1, velocity zero",          {NULL, g1_velocity, NULL, NULL},   NONE,      1.,  0.7, "tensor"          },
  {"clamped temperature",        {NULL, NULL, NULL, g3_kelvin},     KELVIN,    1.,  0.7, "tensor symmetric"},
  {"level set",                  {NULL, NULL, NULL, g3_levelset},   LEVEL,     1.,  0.7, "tensor symmetric"},
  {"level set of one dof",       {NULL, NULL, NULL, g3_levelset},   FEW,       1.,  0.7, "tensor symmetric"},
  {"clamped viscosity",          {NULL, NULL, NULL, g3_viscosity},  STRAIN,    1.,  0.7, "tensor symmetric"},
  {"layer",                      {NULL, NULL, NULL, g3_layer},      NONE,      1.,  0.7, "quadrature"      },
  {"solution in one material",   {NULL, NULL, NULL, g3_material},   MATERIALS, 1.,  0.7, "quadrature"      },
  {"solution in one place",      {NULL, NULL, NULL, g3_material},   ONE,       1.,  0.7, "quadrature"      },
  {"solution later, before",     {NULL, NULL, NULL, g3_later},      NONE,      1.,  0.7, "quadrature"      },
  {"solution later, after",      {NULL, NULL, NULL, g3_later},      NONE,      1.,  5.5, "quadrature"      },
  {"solution in a range",        {NULL, NULL, NULL, g3_range},      NONE,      1e3, 0.7, "quadrature"      },
  {"yield stress",               {NULL, NULL, NULL, g3_yield},      NONE,      1.,  0.7, "quadrature"      },
  {"position in one material",   {NULL, NULL, NULL, g3_graded},     MATERIALS, 1.,  0.7, "quadrature"      },
  {"one material turned",        {NULL, NULL, NULL, g3_turned},     ONE,       1.,  0.7, "tensor"          },
  {"table of materials",         {NULL, NULL, NULL, g3_table},      MATERIALS, 1.,  0.7, "tensor symmetric"},
  {"arguments that are checked", {NULL, NULL, NULL, g3_checked},    KELVIN,    1.,  0.7, "tensor symmetric"}
};

typedef struct {
  DMPolytopeType cell;
  PetscInt       degree, aux; /* degree of the field, and of the auxiliary one */
} Space;

static PetscErrorCode AddField(DM dm, DMPolytopeType cell, PetscInt degree, PetscInt order)
{
  PetscFE fe;

  PetscFunctionBegin;
  PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, DMPolytopeTypeGetDim(cell), 1, cell, degree, order, &fe));
  PetscCall(DMAddField(dm, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetValues(Vec a, Values values)
{
  PetscScalar *array;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(a, &n));
  PetscCall(VecGetArrayWrite(a, &array));
  for (PetscInt l = 0; l < n; ++l) {
    const PetscReal wave = PetscSinReal(12.9898 * (l + 1));

    array[l] = values == KELVIN    ? 350. + 70. * wave
             : values == LEVEL     ? wave
             : values == FEW       ? (l ? -1. : 1.)
             : values == MATERIALS ? (PetscReal)(l % 3)
             : values == ONE       ? (l == n / 2 ? 2. : 1.)
                                   : 50. + 49. * wave;
  }
  PetscCall(VecRestoreArrayWrite(a, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateProblem(const Space *space, const Case *c, PetscBool attach, DM *dm, Vec *a)
{
  const PetscScalar constants[3] = {0., 0., 0.};
  PetscFE           fe, main;
  PetscDS           ds;
  DM                dmAux;

  PetscFunctionBegin;
  *a = NULL;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, space->cell, 0, dm));
  PetscCall(AddField(*dm, space->cell, space->degree, space->degree));
  PetscCall(DMCreateDS(*dm));
  PetscCall(DMGetDS(*dm, &ds));
  PetscCall(PetscDSSetJacobian(ds, 0, 0, c->g[0], c->g[1], c->g[2], c->g[3]));
  PetscCall(PetscDSSetConstants(ds, 3, (PetscScalar *)constants));
  if (c->values == NONE) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMClone(*dm, &dmAux));
  PetscCall(AddField(dmAux, space->cell, space->aux, PETSC_DETERMINE));
  PetscCall(DMGetField(*dm, 0, NULL, (PetscObject *)&main));
  PetscCall(DMGetField(dmAux, 0, NULL, (PetscObject *)&fe));
  PetscCall(PetscFECopyQuadrature(main, fe));
  PetscCall(DMCreateDS(dmAux));
  PetscCall(DMCreateLocalVector(dmAux, a));
  PetscCall(SetValues(*a, c->values));
  if (attach) PetscCall(DMSetAuxiliaryVec(*dm, NULL, 0, 0, *a));
  PetscCall(DMDestroy(&dmAux));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* By the assembly, and by PETSc */
static PetscErrorCode Compare(PlexAssembly assembly, DM dm, const Case *c, PetscReal *error)
{
  Vec X, X_t;
  Mat J, exact;

  PetscFunctionBegin;
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(PlexTestLocalVector(dm, 2, &X_t));
  PetscCall(VecScale(X, c->solution));
  PetscCall(DMCreateMatrix(dm, &J));
  PetscCall(DMCreateMatrix(dm, &exact));
  PetscCall(PlexAssemblyComputeJacobian(assembly, X, X_t, c->t, SHIFT, J, J));
  PetscCall(DMPlexTSComputeIJacobianFEM(dm, c->t, X, X_t, SHIFT, exact, exact, NULL));
  PetscCall(PlexTestMatError(J, exact, error));
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&X_t));
  PetscCall(MatDestroy(&J));
  PetscCall(MatDestroy(&exact));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestCase(const Space *space, const Case *c, const char backend[], const char type[])
{
  PlexAssembly assembly;
  PlexTensor   tensor;
  PetscReal    error;
  DM           dm;
  Vec          a;
  char         name[256];
  const char  *choice;

  PetscFunctionBegin;
  PetscCall(CreateProblem(space, c, PETSC_TRUE, &dm, &a));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, backend));
  PetscCall(PlexAssemblySetType(assembly, type));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, SOURCE));
  PetscCall(Compare(assembly, dm, c, &error));
  PetscCall(PetscSNPrintf(name, sizeof(name),
                          "%s %s, %s of degree %" PetscInt_FMT ", auxiliary field of degree %" PetscInt_FMT ": %s",
                          backend, type, DMPolytopeTypes[space->cell], space->degree, space->aux, c->name));
  tensor = assembly->product[PLEX_JACOBIAN].tensor;
  choice = !tensor ? "quadrature" : tensor->symmetric ? "tensor symmetric" : "tensor";
  PetscCall(PlexTestReport((PetscBool)(error <= 1e-12 && (!assembly->backend->kernels || !strcmp(choice, c->choice))),
                           name, "error %g, %s (%s) and not %s", (double)error, choice,
                           assembly->product[PLEX_JACOBIAN].why, c->choice));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(VecDestroy(&a));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Set up before there is an auxiliary vector, as SNESSetUp() is in programs that make it later: no function is called
   with none */
static PetscErrorCode TestLate(const char backend[])
{
  const Space  space = {DM_POLYTOPE_TRIANGLE, 1, 0};
  const Case  *c     = &cases[PETSC_STATIC_ARRAY_LENGTH(cases) - 1];
  PlexAssembly assembly;
  PetscReal    error;
  DM           dm;
  Vec          a;
  char         name[128];

  PetscFunctionBegin;
  PetscCall(CreateProblem(&space, c, PETSC_FALSE, &dm, &a));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, backend));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, SOURCE));
  PetscCall(PlexAssemblySetUp(assembly));
  PetscCall(DMSetAuxiliaryVec(dm, NULL, 0, 0, a));
  PetscCall(Compare(assembly, dm, c, &error));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s set up before there is an auxiliary vector", backend));
  PetscCall(PlexTestReport((PetscBool)(error <= 1e-12), name, "error %g", (double)error));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(VecDestroy(&a));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* On the host, tensors in the elements in which all points have the same values */
static PetscErrorCode TestConstantElements(const char name[], Space space, const char of[], PetscBool all)
{
  PlexAssembly assembly;
  PetscReal    error;
  PetscInt     n = -1;
  DM           dm;
  Vec          a;

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) {
    if (strcmp(cases[k].name, of)) continue;
    PetscCall(CreateProblem(&space, &cases[k], PETSC_TRUE, &dm, &a));
    PetscCall(PlexAssemblyCreate(dm, &assembly));
    PetscCall(PlexAssemblySetBackend(assembly, PLEXBACKENDHOST));
    PetscCall(Compare(assembly, dm, &cases[k], &error));
    PetscCall(PlexAssemblyGetConstantElements_Private(assembly, &n));
    PetscCall(PlexTestReport((PetscBool)(error <= 1e-12 &&
                                         (all ? n == assembly->elements->Ne : n > 0 && n < assembly->elements->Ne)),
                             name, "error %g, %" PetscInt_FMT " elements by tensors", (double)error, n));
    PetscCall(PlexAssemblyDestroy(&assembly));
    PetscCall(VecDestroy(&a));
    PetscCall(DMDestroy(&dm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the program says that its functions do not depend on, and what it says in vain */
typedef struct {
  PetscBool   solution;
  const char *of;
} Claim;

static PetscErrorCode WithClaim(void *ctx)
{
  const Claim *claim = (const Claim *)ctx;
  const Space  space = {DM_POLYTOPE_TRIANGLE, 2, 0};
  PlexAssembly assembly;
  PetscReal    error;
  DM           dm;
  Vec          a;

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) {
    if (strcmp(cases[k].name, claim->of)) continue;
    PetscCall(CreateProblem(&space, &cases[k], PETSC_TRUE, &dm, &a));
    PetscCall(PlexAssemblyCreate(dm, &assembly));
    PetscCall(PlexAssemblySetBackend(assembly, PLEXBACKENDHOST));
    PetscCall(PlexAssemblySetJacobianDependence(assembly, claim->solution, PETSC_FALSE, PETSC_TRUE));
    PetscCall(Compare(assembly, dm, &cases[k], &error));
    PetscCall(PlexTestReport((PetscBool)(error <= 1e-12 && assembly->product[PLEX_JACOBIAN].tensor),
                             "declared to depend on auxiliary fields alone", "error %g", (double)error));
    PetscCall(PlexAssemblyDestroy(&assembly));
    PetscCall(VecDestroy(&a));
    PetscCall(DMDestroy(&dm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunHost(void)
{
  const Space spaces[] = {
    {DM_POLYTOPE_TRIANGLE,      1, 0},
    {DM_POLYTOPE_TRIANGLE,      2, 1},
    {DM_POLYTOPE_QUADRILATERAL, 2, 0},
    {DM_POLYTOPE_TETRAHEDRON,   1, 1},
    {DM_POLYTOPE_TETRAHEDRON,   2, 0},
    {DM_POLYTOPE_HEXAHEDRON,    1, 0}
  };

  PetscFunctionBegin;
  for (size_t s = 0; s < PETSC_STATIC_ARRAY_LENGTH(spaces); ++s)
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k)
      if ((cases[k].values != MATERIALS || !spaces[s].aux) && PlexTestWanted())
        PetscCall(TestCase(&spaces[s], &cases[k], PLEXBACKENDHOST, PLEXASSEMBLYAUTO));
  if (!PlexTestWanted()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(TestLate(PLEXBACKENDHOST));
  PetscCall(TestConstantElements("tensors in all elements of a field of degree 0", (Space){DM_POLYTOPE_TRIANGLE, 2, 0},
                                 "clamped temperature", PETSC_TRUE));
  PetscCall(TestConstantElements("tensors where a clamp holds", (Space){DM_POLYTOPE_TRIANGLE, 2, 1},
                                 "level set of one dof", PETSC_FALSE));
  PetscCall(WithClaim(&(Claim){PETSC_FALSE, "clamped temperature"}));
  EXPECT("a claim that the functions do not keep", WithClaim, (&(Claim){PETSC_FALSE, "yield stress"}),
         "read the solution", "PlexAssemblySetJacobianDependence()");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* auto, and the type that takes what all elements have in common */
static PetscErrorCode RunKernels(const char backend[])
{
  const Space spaces[] = {
    {DM_POLYTOPE_TRIANGLE,    1, 0},
    {DM_POLYTOPE_TETRAHEDRON, 2, 0}
  };

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) {
    if (PlexTestWanted()) PetscCall(TestCase(&spaces[0], &cases[k], backend, PLEXASSEMBLYAUTO));
    if (PlexTestWanted()) PetscCall(TestCase(&spaces[k % 2], &cases[k], backend, PLEXASSEMBLYSHAREDNZ));
  }
  if (PlexTestWanted()) PetscCall(TestLate(backend));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestQuickKernels());
  PetscCall(PlexTestEachBackend(RunKernels, RunHost));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
