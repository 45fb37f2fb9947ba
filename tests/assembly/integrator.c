static char
  help[] = "An integrator added from outside the library, by every type that takes one: against PETSc with the "
           "same rule.\n\n";

#include <plexgpu/impl.h>
#include "vertex.h"
#include "problem.h"
#include "weakform.h"
#include "report.h"

#define TRI DM_POLYTOPE_TRIANGLE
#define TET DM_POLYTOPE_TETRAHEDRON

static const struct {
  const char     *type, *what;
  PlexTestProblem problem;
  PetscBool       symmetric;
} cases[] = {
  {PLEXASSEMBLYELEMENTATOMIC,
   "triangles",                    {.cell = TRI, .degree = 1, .components = 1, .form = PLEX_TEST_GENERAL},
   PETSC_FALSE},
  {PLEXASSEMBLYELEMENTCOLOR,
   "tetrahedra, vector",           {.cell = TET, .degree = 1, .components = 3, .form = PLEX_TEST_GENERAL},
   PETSC_FALSE},
  {PLEXASSEMBLYGLOBALNZ,
   "triangles, vector, symmetric", {.cell = TRI, .degree = 1, .components = 2, .form = PLEX_TEST_SYMMETRIC},
   PETSC_TRUE },
  {PLEXASSEMBLYGLOBALROW,
   "triangles, linear",            {.cell = TRI, .degree = 1, .components = 1, .form = PLEX_TEST_LINEAR},
   PETSC_FALSE},
  {PLEXASSEMBLYSHAREDNZ,
   "tetrahedra, symmetric",        {.cell = TET, .degree = 1, .components = 1, .form = PLEX_TEST_SYMMETRIC},
   PETSC_TRUE },
  {PLEXASSEMBLYSHAREDROW,
   "triangles",                    {.cell = TRI, .degree = 1, .components = 1, .form = PLEX_TEST_GENERAL},
   PETSC_FALSE}
};

/* The same problem with another rule in the place of its elements': points are vertices */
static PetscErrorCode TakeVertices(DM dm)
{
  PetscQuadrature rule;
  PetscFE         fe;
  PetscDS         before[2], ds;
  PetscWeakForm   form;
  DMLabel         labels[2], label;
  PetscReal      *points, *weights;
  PetscInt        dim, Nf, Nds;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(PetscMalloc1((dim + 1) * dim, &points));
  PetscCall(PetscMalloc1(dim + 1, &weights));
  for (PetscInt v = 0; v <= dim; ++v) {
    for (PetscInt d = 0; d < dim; ++d) points[v * dim + d] = v == d + 1 ? 1. : -1.;
    weights[v] = (dim == 2 ? 2. : 4. / 3.) / (PetscReal)(dim + 1);
  }
  PetscCall(PetscQuadratureCreate(PETSC_COMM_SELF, &rule));
  PetscCall(PetscQuadratureSetData(rule, dim, 1, dim + 1, points, weights));
  PetscCall(DMGetNumDS(dm, &Nds));
  PetscCheck(Nds <= 2, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " regions", Nds);
  for (PetscInt s = 0; s < Nds; ++s) {
    PetscCall(DMGetRegionNumDS(dm, s, &labels[s], NULL, &before[s], NULL));
    PetscCall(PetscObjectReference((PetscObject)labels[s])); /* its name is looked at below */
    PetscCall(PetscObjectReference((PetscObject)before[s]));
  }
  PetscCall(DMGetNumFields(dm, &Nf));
  for (PetscInt f = 0; f < Nf; ++f) {
    PetscCall(DMGetField(dm, f, NULL, (PetscObject *)&fe));
    PetscCall(PetscFESetQuadrature(fe, rule));
  }
  PetscCall(DMClearDS(dm));
  PetscCall(DMCreateDS(dm));
  for (PetscInt s = 0; s < Nds; ++s) {
    PetscCall(DMGetRegionNumDS(dm, s, &label, NULL, &ds, NULL));
    PetscCall(PetscDSCopyEquations(before[s], ds));
    PetscCall(PetscDSCopyConstants(before[s], ds));
    PetscCall(PetscDSCopyBoundary(before[s], PETSC_DETERMINE, NULL, ds));
    PetscCall(PetscDSDestroy(&before[s]));
    PetscCall(PetscDSGetWeakForm(ds, &form));
    if (label) PetscCall(PetscWeakFormReplaceLabel(form, label)); /* a new one, of the same name */
    PetscCall(DMLabelDestroy(&labels[s]));
  }
  PetscCall(PetscQuadratureDestroy(&rule));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(DM dm, const char backend[], const char asked[], const char source[],
                             PlexAssembly *assembly)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyCreate(dm, assembly));
  PetscCall(PlexAssemblySetFromOptions(*assembly));
  PetscCall(PlexAssemblySetBackend(*assembly, backend));
  PetscCall(PlexAssemblySetType(*assembly, asked));
  PetscCall(PlexAssemblySetPointwiseSource(*assembly, source));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With the time derivative, as TS asks for them. differs: where one rule is not as good as another */
static PetscErrorCode TestCase(DM dm, const char backend[], const char type[], const char what[], const char source[],
                               PetscBool symmetric, PetscBool differs)
{
  PlexAssembly assembly;
  Mat          J, petscJ;
  Vec          X, X_t, F, petscF, plain;
  PetscReal    error[3];
  PetscBool    taken[2];
  char         asked[64], name[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(asked, sizeof(asked), "%s:vertex", type));
  PetscCall(Create(dm, backend, asked, source, &assembly));
  PetscCall(PlexAssemblySetSymmetric(assembly, symmetric));
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(PlexTestLocalVector(dm, 2, &X_t));
  PetscCall(VecDuplicate(X, &F));
  PetscCall(VecDuplicate(X, &plain));
  PetscCall(VecDuplicate(X, &petscF));
  PetscCall(DMCreateMatrix(dm, &J));
  PetscCall(DMCreateMatrix(dm, &petscJ));
  PetscCall(PlexAssemblyComputeFunction(assembly, X, X_t, 0.7, F));
  PetscCall(PlexAssemblyComputeJacobian(assembly, X, X_t, 0.7, 1.3, J, J));
  PetscCall(PlexTestIsVariant(assembly, PETSC_FALSE, "vertex", &taken[0]));
  PetscCall(PlexTestIsVariant(assembly, PETSC_TRUE, "vertex", &taken[1]));
  PetscCall(PlexAssemblySetType(assembly, type)); /* by itself it takes the element's own rule */
  PetscCall(PlexAssemblyComputeFunction(assembly, X, X_t, 0.7, plain));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(TakeVertices(dm));
  PetscCall(VecSet(petscF, 0.));
  PetscCall(DMPlexTSComputeIFunctionFEM(dm, 0.7, X, X_t, petscF, NULL));
  PetscCall(DMPlexTSComputeIJacobianFEM(dm, 0.7, X, X_t, 1.3, petscJ, petscJ, NULL));
  PetscCall(PlexTestVecError(F, petscF, &error[0]));
  PetscCall(PlexTestMatError(J, petscJ, &error[1]));
  PetscCall(PlexTestVecError(plain, petscF, &error[2]));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s %s, %s", backend, asked, what));
  PetscCall(PlexTestReport((PetscBool)(taken[0] && taken[1] && error[0] <= 1e-12 && error[1] <= 1e-12), name,
                           "errors of residual %g, Jacobian %g; taken: %d, %d", (double)error[0], (double)error[1],
                           taken[0], taken[1]));
  if (differs)
    PetscCall(PlexTestReportOf((PetscBool)(error[2] > 1e-4), name, "not taken by itself", "difference %g",
                               (double)error[2]));
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&X_t));
  PetscCall(VecDestroy(&F));
  PetscCall(VecDestroy(&plain));
  PetscCall(VecDestroy(&petscF));
  PetscCall(MatDestroy(&J));
  PetscCall(MatDestroy(&petscJ));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char *backend, *type;
  PetscInt    degree;
} Asked;

static PetscErrorCode Compute(void *ctx)
{
  const Asked          *asked   = (const Asked *)ctx;
  const PlexTestProblem problem = {.cell = TRI, .degree = asked->degree, .components = 1, .form = PLEX_TEST_GENERAL};
  PlexAssembly          assembly;
  DM                    dm;
  Vec                   X, F;

  PetscFunctionBegin;
  PetscCall(PlexTestProblemCreate(&problem, &dm));
  PetscCall(Create(dm, asked->backend, asked->type, PLEX_TEST_FORMS, &assembly));
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(VecDuplicate(X, &F));
  PetscCall(PlexAssemblyComputeFunction(assembly, X, NULL, 0., F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Serve(PlexAssembly assembly, PlexProduct *product, PlexStrategyCall call, PetscBool *serves)
{
  PetscFunctionBegin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Register(void *ctx)
{
  static PlexIntegrator other;

  PetscFunctionBegin;
  other = (PlexIntegrator){
    .variant = {(const char *)ctx, PLEX_OF_RESIDUALS, PETSC_FALSE, "nothing"},
      .file = "/nowhere.cuh", .create = Serve
  };
  PetscCall(PlexIntegratorRegister(&other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestMessages(const char backend[])
{
  Asked asked = {backend, PLEXASSEMBLYELEMENTATOMIC ":corner", 1};

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_fallback", "false"));
  EXPECT("an integrator that is not there", Compute, &asked, "'element_atomic:corner'",
         "element_atomic[:sumfactor|tensorcores|vertex|plain]", "shared_row[:vertex]");
  asked.type = PLEXASSEMBLYLOCALROW ":vertex";
  EXPECT("a type that takes none", Compute, &asked, "'local_row:vertex'");
  asked.type   = PLEXASSEMBLYELEMENTATOMIC ":vertex";
  asked.degree = 2;
  EXPECT("an integrator that does not serve", Compute, &asked, "element_atomic:vertex", "linear simplices",
         "Use element_atomic alone");
  asked.backend = PLEXBACKENDHOST;
  asked.degree  = 1;
  EXPECT("an integrator on the host", Compute, &asked, "element_atomic:vertex", "host", "quadrature alone",
         "-plex_assembly_backend");
  EXPECT("the name of another integrator", Register, (void *)"vertex", "'vertex'", "choose another");
  EXPECT("the name of a variant", Register, (void *)"partial", "'partial'", "shared_nz");
  PetscCall(PetscOptionsClearValue(NULL, "-plex_assembly_fallback"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunKernels(const char backend[])
{
  const PlexTestWeakForm parts[] = {
    {TRI, 8, 2, {{1, 0, PETSC_FALSE}, {1, 1, PETSC_TRUE}},  REGION},
    {TRI, 8, 2, {{1, 0, PETSC_FALSE}, {1, 1, PETSC_FALSE}}, FACETS}
  };
  DM dm;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < (PetscInt)PETSC_STATIC_ARRAY_LENGTH(cases); ++k) {
    PetscCall(PlexTestProblemCreate(&cases[k].problem, &dm));
    PetscCall(TestCase(dm, backend, cases[k].type, cases[k].what, PLEX_TEST_FORMS, cases[k].symmetric,
                       (PetscBool)(cases[k].problem.form != PLEX_TEST_LINEAR)));
    PetscCall(DMDestroy(&dm));
  }
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(PlexTestWeakFormCreate(&parts[k], &dm));
    PetscCall(TestCase(dm, backend, k ? PLEXASSEMBLYGLOBALROW : PLEXASSEMBLYELEMENTATOMIC, k ? "facets" : "two regions",
                       PLEX_TEST_INTEGRALS, PETSC_FALSE, PETSC_TRUE));
    PetscCall(DMDestroy(&dm));
  }
  PetscCall(TestMessages(backend));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestVertexRegister());
  PetscCall(PlexTestEachBackend(RunKernels, NULL));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
