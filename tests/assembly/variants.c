static char help[] = "Ways of a type by name: each is taken where it is asked for, and computes what PETSc does; what "
                     "is said where it does not serve.\n\n";

#include <plexgpu/impl.h>
#include "tensorforms.h"
#include "problem.h"
#include "report.h"

#define TRI  DM_POLYTOPE_TRIANGLE
#define QUAD DM_POLYTOPE_QUADRILATERAL
#define TET  DM_POLYTOPE_TETRAHEDRON
#define HEX  DM_POLYTOPE_HEXAHEDRON

#define TIME  0.7
#define SHIFT 1.3

/* Jacobians */
static const struct {
  const char         *type, *variant, *own; /* own: the way that the type takes by itself */
  PlexTestTensorSpace space;
  const char         *form;
} Jacobians[] = {
  {PLEXASSEMBLYLOCALROW,      "plain",     "sumfactor", {HEX, PETSC_TRUE, 0, 2},  "Laplacian"           },
  {PLEXASSEMBLYLOCALROW,      "symmetry",  "sumfactor", {HEX, PETSC_TRUE, 0, 2},  "Laplacian"           },
  {PLEXASSEMBLYLOCALROW,      "plain",     "symmetry",  {TRI, PETSC_FALSE, 0, 2}, "Laplacian"           },
  {PLEXASSEMBLYSHAREDNZ,      "edges",     "points",    {TET, PETSC_FALSE, 0, 3}, "Laplacian"           },
  {PLEXASSEMBLYSHAREDNZ,      "plain",     "edges",     {TRI, PETSC_FALSE, 0, 1}, "Laplacian"           },
  {PLEXASSEMBLYSHAREDNZ,      "plain",     "gradients", {TRI, PETSC_FALSE, 0, 1}, "elasticity"          },
  {PLEXASSEMBLYSHAREDNZ,      "matrices",  "plain",     {HEX, PETSC_TRUE, 0, 1},  "Laplacian"           },
  {PLEXASSEMBLYSHAREDNZ,      "partial",   "partial",   {HEX, PETSC_FALSE, 8, 2}, "Laplacian"           },
  {PLEXASSEMBLYSHAREDNZ,      "plain",     "partial",   {HEX, PETSC_FALSE, 8, 2}, "Laplacian"           },
  {PLEXASSEMBLYGLOBALROW,     "monomials", "moments",   {TRI, PETSC_FALSE, 0, 2}, "nonlinear, isotropic"},
  {PLEXASSEMBLYGLOBALROW,     "moments",   "moments",   {TRI, PETSC_FALSE, 0, 2}, "nonlinear, isotropic"},
  {PLEXASSEMBLYGLOBALROW,     "plain",     "monomials", {TRI, PETSC_FALSE, 0, 1}, "nonlinear"           },
  {PLEXASSEMBLYELEMENTATOMIC, "plain",     "plain",     {TRI, PETSC_FALSE, 0, 1}, "nonlinear"           }
};

/* Residuals, with own the same */
static const struct {
  const char     *type, *variant, *own;
  PlexTestProblem problem;
} Residuals[] = {
  {PLEXASSEMBLYELEMENTATOMIC,
   "tensorcores", "sumfactor",
   {.cell = HEX, .degree = 2, .components = 1, .form = PLEX_TEST_GENERAL, .cells = 8}},
  {PLEXASSEMBLYELEMENTCOLOR,
   "plain",       "sumfactor",
   {.cell = QUAD, .degree = 3, .components = 1, .form = PLEX_TEST_GENERAL}           },
  {PLEXASSEMBLYGLOBALNZ,
   "plain",       "tensorcores",
   {.cell = TRI, .degree = 4, .components = 1, .form = PLEX_TEST_GENERAL}            },
  {PLEXASSEMBLYGLOBALROW,
   "sumfactor",   "sumfactor",
   {.cell = QUAD, .degree = 3, .components = 1, .form = PLEX_TEST_GENERAL}           }
};

static PetscErrorCode Create(DM dm, const char backend[], const char type[], const char source[],
                             PlexAssembly *assembly)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyCreate(dm, assembly));
  PetscCall(PlexAssemblySetFromOptions(*assembly));
  PetscCall(PlexAssemblySetBackend(*assembly, backend));
  PetscCall(PlexAssemblySetType(*assembly, type));
  PetscCall(PlexAssemblySetPointwiseSource(*assembly, source));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As it takes the way by itself, then as it is asked for, then by itself again */
static PetscErrorCode TestJacobian(PetscInt k, const char backend[])
{
  const PlexTestTensorForm *form;
  PlexAssembly              assembly;
  DM                        dm;
  Mat                       J, petsc;
  Vec                       X, X_t;
  char                      name[256], asked[64];

  PetscFunctionBegin;
  PetscCall(PlexTestFindTensorForm(Jacobians[k].form, &form));
  PetscCall(PlexTestTensorProblemCreate(&Jacobians[k].space, form, &dm));
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(PlexTestLocalVector(dm, 2, &X_t));
  PetscCall(DMCreateMatrix(dm, &J));
  PetscCall(DMCreateMatrix(dm, &petsc));
  PetscCall(DMPlexTSComputeIJacobianFEM(dm, TIME, X, X_t, SHIFT, petsc, petsc, NULL));
  PetscCall(Create(dm, backend, Jacobians[k].type, PLEX_TEST_COEFFICIENTS, &assembly));
  PetscCall(PlexAssemblySetSymmetric(assembly, form->symmetric));
  PetscCall(PetscSNPrintf(asked, sizeof(asked), "%s:%s", Jacobians[k].type, Jacobians[k].variant));
  for (PetscInt turn = 0; turn < 3; ++turn) {
    const char *variant = turn == 1 ? Jacobians[k].variant : Jacobians[k].own;
    PetscReal   error;
    PetscBool   taken;

    PetscCall(PlexAssemblySetJacobianType(assembly, turn == 1 ? asked : Jacobians[k].type));
    PetscCall(MatZeroEntries(J));
    PetscCall(PlexAssemblyComputeJacobian(assembly, X, X_t, TIME, SHIFT, J, J));
    PetscCall(PlexTestMatError(J, petsc, &error));
    PetscCall(PlexTestIsVariant(assembly, PETSC_TRUE, variant, &taken));
    PetscCall(PetscSNPrintf(name, sizeof(name), "%s %s of %s of degree %" PetscInt_FMT ", %s: %s%s", backend,
                            Jacobians[k].type, DMPolytopeTypes[Jacobians[k].space.cell], Jacobians[k].space.degree,
                            form->name, variant,
                            turn == 1 ? " asked for"
                            : turn    ? " again"
                                      : ""));
    PetscCall(PlexTestReport((PetscBool)(taken && error <= 1e-12), name, "error %g%s", (double)error,
                             taken ? "" : ", and it goes another way"));
  }
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&X_t));
  PetscCall(MatDestroy(&J));
  PetscCall(MatDestroy(&petsc));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestResidual(PetscInt k, const char backend[])
{
  PlexAssembly assembly;
  DM           dm;
  Vec          X, F, petsc;
  char         name[256], asked[64];

  PetscFunctionBegin;
  PetscCall(PlexTestProblemCreate(&Residuals[k].problem, &dm));
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(VecDuplicate(X, &F));
  PetscCall(VecDuplicate(X, &petsc));
  PetscCall(VecSet(petsc, 0.));
  PetscCall(DMPlexSNESComputeResidualFEM(dm, X, petsc, NULL));
  PetscCall(Create(dm, backend, Residuals[k].type, PLEX_TEST_FORMS, &assembly));
  PetscCall(PetscSNPrintf(asked, sizeof(asked), "%s:%s", Residuals[k].type, Residuals[k].variant));
  for (PetscInt turn = 0; turn < 2; ++turn) {
    const char *variant = turn ? Residuals[k].variant : Residuals[k].own;
    PetscReal   error;
    PetscBool   taken;

    /* the Jacobian has no such way, and keeps its own */
    PetscCall(PlexAssemblySetType(assembly, turn ? asked : Residuals[k].type));
    PetscCall(PlexAssemblyComputeFunction(assembly, X, NULL, 0., F));
    PetscCall(PlexTestVecError(F, petsc, &error));
    PetscCall(PlexTestIsVariant(assembly, PETSC_FALSE, variant, &taken));
    PetscCall(PetscSNPrintf(name, sizeof(name), "%s %s, residual of %s of degree %" PetscInt_FMT ": %s%s", backend,
                            Residuals[k].type, DMPolytopeTypes[Residuals[k].problem.cell], Residuals[k].problem.degree,
                            variant, turn ? " asked for" : ""));
    PetscCall(PlexTestReport((PetscBool)(taken && error <= 1e-12), name, "error %g%s", (double)error,
                             taken ? "" : ", and it goes another way"));
  }
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&F));
  PetscCall(VecDestroy(&petsc));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A Laplacian on triangles of order 1 */
typedef struct {
  const char *backend, *type;
} Asked;

static PetscErrorCode Compute(void *ctx)
{
  const Asked              *asked = (const Asked *)ctx;
  const PlexTestTensorSpace space = {TRI, PETSC_FALSE, 0, 1};
  const PlexTestTensorForm *form;
  PlexAssembly              assembly;
  DM                        dm;
  Mat                       J;
  Vec                       X;

  PetscFunctionBegin;
  PetscCall(PlexTestFindTensorForm("Laplacian", &form));
  PetscCall(PlexTestTensorProblemCreate(&space, form, &dm));
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(DMCreateMatrix(dm, &J));
  PetscCall(Create(dm, asked->backend, asked->type, PLEX_TEST_COEFFICIENTS, &assembly));
  PetscCall(PlexAssemblyComputeJacobian(assembly, X, NULL, TIME, 0., J, J));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(VecDestroy(&X));
  PetscCall(MatDestroy(&J));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A way that is not there, one that does not serve, and what the list of types has */
static PetscErrorCode TestMessages(const char backend[])
{
  Asked asked = {backend, PLEXASSEMBLYLOCALROW ":fastest"};

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_fallback", "false"));
  EXPECT("a way that is not there", Compute, &asked, "'local_row:fastest'", "local_row[:sumfactor|symmetry|plain]",
         "shared_nz[:points|edges|gradients|matrices|partial|plain]", "-plex_assembly_type");
  asked.type = PLEXASSEMBLYSHAREDROW ":plain";
  EXPECT("a way of a type that has one", Compute, &asked, "'shared_row:plain'", "-plex_assembly_type");
  asked.type = PLEXASSEMBLYLOCALROW ":sumfactor";
  EXPECT("a way that does not serve", Compute, &asked, "local_row:sumfactor", "Jacobian", "hexahedra",
         "Use local_row alone");
  asked.type = PLEXASSEMBLYGLOBALROW ":moments";
  EXPECT("a way that the integration keeps from serving", Compute, &asked, "global_row:moments", "by quadrature");
  PetscCall(PetscOptionsClearValue(NULL, "-plex_assembly_fallback"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunKernels(const char backend[])
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < (PetscInt)PETSC_STATIC_ARRAY_LENGTH(Jacobians); ++k)
    if (PlexTestWanted()) PetscCall(TestJacobian(k, backend));
  for (PetscInt k = 0; k < (PetscInt)PETSC_STATIC_ARRAY_LENGTH(Residuals); ++k)
    if (PlexTestWanted()) PetscCall(TestResidual(k, backend));
  if (PlexTestWanted()) PetscCall(TestMessages(backend));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestEachBackend(RunKernels, NULL));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
