static char help[] = "Residual and Jacobian have a strategy each: setting them, what auto chooses, switching, the "
                     "view; on any number of processes.\n\n";

#include <plexgpu/impl.h>
#include "meshes.h"
#include "problem.h"
#include "weakform.h"
#include "report.h"

static PetscBool Has(const char text[], const char word[])
{
  return (PetscBool)(strstr(text, word) != NULL);
}

/* How often a text has a word */
static PetscInt Count(const char text[], const char word[])
{
  PetscInt n = 0;

  for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) ++n;
  return n;
}

/* NULL: still to be chosen */
static PetscErrorCode AreTypes(PlexAssembly assembly, const char residual[], const char jacobian[], PetscBool *are)
{
  PlexAssemblyType type[3];
  PetscBool        same[3];

  PetscFunctionBegin;
  PetscCall(PlexAssemblyGetResidualType(assembly, &type[0]));
  PetscCall(PlexAssemblyGetJacobianType(assembly, &type[1]));
  PetscCall(PlexAssemblyGetType(assembly, &type[2]));
  for (PetscInt k = 0; k < 3; ++k) PetscCall(PetscStrcmp(type[k], k ? jacobian : residual, &same[k]));
  *are = (PetscBool)(same[0] && same[1] && same[2]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Setting them */

static PetscErrorCode SetWithOptions(PlexAssembly assembly, PetscInt n, const char *const options[][2])
{
  PetscErrorCode ierr;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) PetscCall(PetscOptionsSetValue(NULL, options[k][0], options[k][1]));
  ierr = PlexAssemblySetFromOptions(assembly);
  for (PetscInt k = 0; k < n; ++k) PetscCall(PetscOptionsClearValue(NULL, options[k][0]));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PlexAssembly assembly;
  const char  *option[1][2];
} Unknown;

static PetscErrorCode SetUnknown(void *ctx)
{
  Unknown *u = (Unknown *)ctx;

  PetscFunctionBegin;
  PetscCall(SetWithOptions(u->assembly, 1, u->option));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtSetting(void)
{
  const PlexTestProblem problem      = {.cell       = DM_POLYTOPE_TRIANGLE,
                                        .degree     = 1,
                                        .components = 1,
                                        .form       = PLEX_TEST_GENERAL};
  const char *const     options[][2] = {
    {"-plex_assembly_type",          PLEXASSEMBLYGLOBALNZ },
    {"-plex_assembly_residual_type", PLEXASSEMBLYLOCALNZ  },
    {"-plex_assembly_jacobian_type", PLEXASSEMBLYSHAREDROW}
  };
  const char *const one[][2] = {
    {"-some_plex_assembly_jacobian_type", PLEXASSEMBLYLOCALROW}
  };
  const char *const names[] = {"-plex_assembly_type", "-plex_assembly_residual_type", "-plex_assembly_jacobian_type"};
  PlexAssembly      assembly;
  DM                dm;
  PetscBool         good;
  char              text[2048], name[256];

  PetscFunctionBegin;
  PetscCall(PlexTestProblemCreate(&problem, &dm));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(AreTypes(assembly, NULL, NULL, &good));
  PetscCall(PlexTestReport(good, "types are left open at first", "%s", ((PetscObject)assembly)->type_name));
  PetscCall(SetWithOptions(assembly, 3, options));
  PetscCall(AreTypes(assembly, PLEXASSEMBLYLOCALNZ, PLEXASSEMBLYSHAREDROW, &good));
  PetscCall(PlexTestReport(good, "options of the products go before that of both", "%s, %s", assembly->strategy[0].type,
                           assembly->strategy[1].type));
  PetscCall(SetWithOptions(assembly, 1, options));
  PetscCall(AreTypes(assembly, PLEXASSEMBLYGLOBALNZ, PLEXASSEMBLYGLOBALNZ, &good));
  PetscCall(PlexTestReport(good, "-plex_assembly_type alone sets both", "%s, %s", assembly->strategy[0].type,
                           assembly->strategy[1].type));
  PetscCall(PlexAssemblySetJacobianType(assembly, PLEXASSEMBLYAUTO));
  PetscCall(AreTypes(assembly, PLEXASSEMBLYGLOBALNZ, NULL, &good));
  PetscCall(PlexTestReport(good, "auto for the Jacobian alone", "%s, %s", assembly->strategy[0].type,
                           assembly->strategy[1].type));
  PetscCall(PlexAssemblySetType(assembly, assembly->strategy[0].type)); /* a name that is the assembly's own */
  PetscCall(AreTypes(assembly, PLEXASSEMBLYGLOBALNZ, PLEXASSEMBLYGLOBALNZ, &good));
  PetscCall(PlexTestReport(good, "one product's type for both", "%s, %s", assembly->strategy[0].type,
                           assembly->strategy[1].type));
  for (PetscInt k = 0; k < 3; ++k) {
    Unknown        u = {assembly, {{names[k], "hexagonal"}}};
    PetscErrorCode ierr;

    PetscCall(PlexTestTry(SetUnknown, &u, &ierr, text, sizeof(text)));
    PetscCall(AreTypes(assembly, PLEXASSEMBLYGLOBALNZ, PLEXASSEMBLYGLOBALNZ, &good));
    PetscCall(PetscSNPrintf(name, sizeof(name), "an unknown type for %s is an error that names it, and changes nothing",
                            names[k]));
    PetscCall(PlexTestReport((PetscBool)(ierr == PETSC_ERR_ARG_UNKNOWN_TYPE && Has(text, "'hexagonal'") &&
                                         Has(text, names[k]) && Has(text, PLEXASSEMBLYLOCALROW) && good),
                             name, "error %d: %s", (int)ierr, text));
  }
  PetscCall(PlexAssemblySetOptionsPrefix(assembly, "some_"));
  PetscCall(SetWithOptions(assembly, 3, options));
  PetscCall(SetWithOptions(assembly, 1, one));
  PetscCall(AreTypes(assembly, PLEXASSEMBLYLOCALNZ, PLEXASSEMBLYLOCALROW, &good));
  PetscCall(PlexTestReport(good, "options without the prefix, then one with it", "%s, %s", assembly->strategy[0].type,
                           assembly->strategy[1].type));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Computing with two types, and switching between them when plans are there */

static const char *const Pairs[][2] = {
  {PLEXASSEMBLYELEMENTATOMIC, PLEXASSEMBLYLOCALROW     },
  {PLEXASSEMBLYGLOBALNZ,      PLEXASSEMBLYLOCALROW     },
  {PLEXASSEMBLYGLOBALNZ,      PLEXASSEMBLYSHAREDROW    },
  {PLEXASSEMBLYLOCALNZ,       PLEXASSEMBLYELEMENTCOLOR },
  {PLEXASSEMBLYSHAREDNZ,      PLEXASSEMBLYGLOBALROW    },
  {PLEXASSEMBLYSHAREDROW,     PLEXASSEMBLYSHAREDNZ     },
  {PLEXASSEMBLYLOCALROW,      PLEXASSEMBLYELEMENTATOMIC}
};
#define PAIRS ((PetscInt)PETSC_STATIC_ARRAY_LENGTH(Pairs))

static PetscErrorCode CreateDM(const PlexTestProblem *problem, DM *dm)
{
  DMField field;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, problem->cell, 0, dm));
  PetscCall(PlexTestMarkHeld(*dm));
  PetscCall(PlexTestDistribute(dm, 0, PETSC_FALSE));
  PetscCall(DMGetCoordinateField(*dm, &field)); /* PETSc makes it together, when first needed */
  PetscCall(PlexTestProblemSetUp(*dm, problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtPairs(const char backend[], const char what[], const PlexTestProblem *problem)
{
  PlexAssembly assembly;
  DM           dm;
  PetscReal    F, J, worst[2] = {0, 0};
  PetscBool    good, kept;
  void        *plan = NULL;
  char         text[256];

  PetscFunctionBegin;
  PetscCall(CreateDM(problem, &dm));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, backend));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_FORMS));
  PetscCall(PlexAssemblySetSymmetric(assembly, (PetscBool)(problem->form == PLEX_TEST_SYMMETRIC)));
  for (PetscInt k = 0; k < PAIRS; ++k) {
    PetscCall(PlexAssemblySetResidualType(assembly, Pairs[k][0]));
    PetscCall(PlexAssemblySetJacobianType(assembly, Pairs[k][1]));
    kept = (PetscBool)(k != 1 || (plan && assembly->product[PLEX_JACOBIAN].plan == plan));
    PetscCall(PlexTestCompare(assembly, dm, &F, &J));
    plan = assembly->product[PLEX_JACOBIAN].plan;
    PetscCall(AreTypes(assembly, Pairs[k][0], Pairs[k][1], &good));
    PetscCall(PetscSNPrintf(text, sizeof(text), "%s: %s for the residual, %s for the Jacobian", what, Pairs[k][0],
                            Pairs[k][1]));
    PetscCall(PlexTestReportOf((PetscBool)(F <= 1e-12 && J <= 1e-12 && good), backend, text,
                               "relative errors %g and %g; %s, %s", (double)F, (double)J, assembly->strategy[0].type,
                               assembly->strategy[1].type));
    if (k != 1 || !assembly->elements->Ne) continue;
    PetscCall(PlexTestReportOf(kept, backend, "another type of the residual leaves the Jacobian's plan as it is",
                               "a new plan"));
  }
  /* both of one type again, then the backends in turn with types that were asked for */
  PetscCall(PlexAssemblySetType(assembly, PLEXASSEMBLYGLOBALROW));
  for (PetscInt k = 0; k < 3; ++k) {
    if (k) PetscCall(PlexAssemblySetBackend(assembly, k == 1 ? PLEXBACKENDHOST : backend));
    if (k == 2) PetscCall(PlexAssemblySetResidualType(assembly, PLEXASSEMBLYELEMENTCOLOR));
    PetscCall(PlexTestCompare(assembly, dm, &F, &J));
    worst[0] = PetscMax(worst[0], F);
    worst[1] = PetscMax(worst[1], J);
  }
  PetscCall(AreTypes(assembly, PLEXASSEMBLYELEMENTCOLOR, PLEXASSEMBLYGLOBALROW, &good));
  PetscCall(PetscSNPrintf(text, sizeof(text), "%s: on the host and back", what));
  PetscCall(PlexTestReportOf((PetscBool)(worst[0] <= 1e-12 && worst[1] <= 1e-12 && good &&
                                         (!assembly->elements->Ne || assembly->product[PLEX_JACOBIAN].module)),
                             backend, text, "relative errors %g and %g", (double)worst[0], (double)worst[1]));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What the view and the comparison with PETSc say */

static PetscErrorCode View(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyView((PlexAssembly)ctx, PETSC_VIEWER_STDOUT_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PlexAssembly assembly;
  DM           dm;
} Checked;

static PetscErrorCode Check(void *ctx)
{
  Checked  *c = (Checked *)ctx;
  PetscReal F, J;

  PetscFunctionBegin;
  PetscCall(PlexTestCompare(c->assembly, c->dm, &F, &J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtWords(const char backend[])
{
  const PlexTestProblem problem = {.cell       = DM_POLYTOPE_TRIANGLE,
                                   .degree     = 1,
                                   .components = 1,
                                   .form       = PLEX_TEST_GENERAL};
  PlexAssembly          assembly;
  DM                    dm;
  PetscReal             F, J;
  const PlexStrategy   *why;
  PetscErrorCode        ierr;
  PetscBool             good;
  char                  text[16384];

  PetscFunctionBegin;
  PetscCall(PlexTestProblemCreate(&problem, &dm));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  why = assembly->strategy;
  PetscCall(PlexAssemblySetBackend(assembly, backend));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_FORMS));
  PetscCall(PlexAssemblySetJacobianType(assembly, PLEXASSEMBLYGLOBALNZ));
  PetscCall(PlexTestCompare(assembly, dm, &F, &J));
  PetscCall(PlexTestCapture(View, assembly, text, sizeof(text)));
  PetscCall(AreTypes(assembly, PLEXASSEMBLYELEMENTATOMIC, PLEXASSEMBLYGLOBALNZ, &good));
  PetscCall(PlexTestReportOf((PetscBool)(good && why[0].chosen && !why[1].chosen && strcmp(why[0].why, why[1].why) &&
                                         Has(text, why[0].type) && Has(text, why[1].type) &&
                                         Count(text, why[0].why) == 1 && Count(text, why[1].why) == 1),
                             backend, "the view says both types and why", "%s", text));
  PetscCall(PlexAssemblySetResidualType(assembly, PLEXASSEMBLYELEMENTCOLOR));
  PetscCall(PlexTestCapture(View, assembly, text, sizeof(text)));
  PetscCall(PlexTestReportOf((PetscBool)(!strcmp(why[0].why, why[1].why) && Has(text, PLEXASSEMBLYELEMENTCOLOR) &&
                                         Has(text, PLEXASSEMBLYGLOBALNZ) && Count(text, why[0].why) == 1),
                             backend, "the view says a common reason once", "%s", text));
  PetscCall(PlexAssemblySetResidualType(assembly, PLEXASSEMBLYGLOBALNZ));
  PetscCall(PlexTestCapture(View, assembly, text, sizeof(text)));
  PetscCall(PlexTestReportOf((PetscBool)(!strcmp(why[0].why, why[1].why) &&
                                         Count(text, PLEXASSEMBLYGLOBALNZ "\n") == 1 && Count(text, why[0].why) == 1),
                             backend, "the view says one type once", "%s", text));
  /* a wrong claim, which PETSc's Jacobian shows */
  PetscCall(PlexAssemblySetResidualType(assembly, PLEXASSEMBLYELEMENTATOMIC));
  PetscCall(PlexAssemblySetSymmetric(assembly, PETSC_TRUE));
  assembly->check = 1e-10;
  {
    Checked c = {assembly, dm};

    PetscCall(PlexTestTry(Check, &c, &ierr, text, sizeof(text)));
  }
  PetscCall(PlexTestReportOf((PetscBool)(ierr && Has(text, "entries of the Jacobian differ") &&
                                         Has(text, "type global_nz")),
                             backend, "what differs from PETSc's names the type of its product", "error %d: %s",
                             (int)ierr, text));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Sums of integrals: those that are added take after the first one, product by product */

static PetscErrorCode LookAtSum(const char backend[])
{
  const PlexTestWeakForm form        = {DM_POLYTOPE_TRIANGLE, 0, 1, {{1, 1, PETSC_FALSE}}, FACETS | PRECONDITIONER};
  const char *const      types[2][2] = {
    {PLEXASSEMBLYELEMENTATOMIC, PLEXASSEMBLYLOCALROW     },
    {PLEXASSEMBLYGLOBALROW,     PLEXASSEMBLYELEMENTATOMIC}
  };
  const char *const added[2][2] = {
    {PLEXASSEMBLYELEMENTATOMIC, PLEXASSEMBLYELEMENTCOLOR },
    {PLEXASSEMBLYELEMENTCOLOR,  PLEXASSEMBLYELEMENTATOMIC}
  };
  PlexAssembly assembly;
  DM           dm;
  PetscReal    F, J;
  PetscBool    good, all;
  char         name[256], text[16384], line[256];

  PetscFunctionBegin;
  PetscCall(PlexTestWeakFormCreate(&form, &dm));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, backend));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_INTEGRALS));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(PlexAssemblySetResidualType(assembly, types[k][0]));
    PetscCall(PlexAssemblySetJacobianType(assembly, types[k][1]));
    PetscCall(PlexTestCompare(assembly, dm, &F, &J));
    all = (PetscBool)(assembly->next != NULL);
    for (PlexAssembly inner = assembly->next; inner; inner = inner->next) {
      PetscCall(AreTypes(inner, added[k][0], added[k][1], &good));
      all = (PetscBool)(all && good);
    }
    PetscCall(AreTypes(assembly->preconditioner, types[k][0], types[k][1], &good));
    PetscCall(PetscSNPrintf(line, sizeof(line), "facets added to %s and %s", types[k][0], types[k][1]));
    PetscCall(PlexTestReportOf((PetscBool)(F <= 1e-12 && J <= 1e-12 && all && good), backend, line,
                               "relative errors %g and %g, types of what is added %d, of the preconditioner %d",
                               (double)F, (double)J, all, good));
    PetscCall(PlexTestCapture(View, assembly, text, sizeof(text)));
    PetscCall(PetscSNPrintf(name, sizeof(name), "%s: the view says types of what is added to %s and %s", backend,
                            types[k][0], types[k][1]));
    PetscCall(PlexTestReport((PetscBool)(Has(text, added[k][0]) && Has(text, added[k][1])), name,
                             "%s and %s are not in: %s", added[k][0], added[k][1], text));
  }
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What auto chooses; nothing is computed */

#pragma GCC diagnostic ignored "-Wunused-parameter" /* pointwise functions have more arguments than they use */
#include "laplace.h"

static PetscInt Calls = 0;

static void g3_counted(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                       const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                       const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                       PetscReal t, PetscReal shift, const PetscReal x[], PetscInt numConstants,
                       const PetscScalar constants[], PetscScalar g3[])
{
  ++Calls;
  for (PetscInt d = 0; d < dim; ++d) g3[d * dim + d] = 1.;
}

typedef struct {
  const char     *what;
  DMPolytopeType  cell;
  PetscInt        refine;
  PetscBool       residual, nonlinear;
  PlexIntegration integration;
  const char     *types[2];
} Choice;

/* Cubes of a box, or irregular simplices */
static PetscErrorCode CreateLargeMesh(DMPolytopeType cell, PetscInt refine, DM *dm)
{
  const PetscInt faces[] = {3, 3, 3};
  DM             fine;

  PetscFunctionBegin;
  if (cell == DM_POLYTOPE_HEXAHEDRON)
    PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_SELF, 3, PETSC_FALSE, faces, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_FALSE,
                                  dm));
  else PetscCall(PlexTestMesh(PETSC_COMM_SELF, cell, 0, dm));
  for (PetscInt k = 0; k < refine; ++k) {
    PetscCall(DMPlexSetRefinementUniform(*dm, PETSC_TRUE));
    PetscCall(DMRefine(*dm, PETSC_COMM_SELF, &fine));
    PetscCall(DMDestroy(dm));
    *dm = fine;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtChoice(const char backend[], const Choice *c)
{
  PlexAssembly assembly;
  DM           dm;
  PetscDS      ds;
  PetscFE      fe;
  PetscInt     start, end;
  PetscBool    good;
  char         name[256];

  PetscFunctionBegin;
  PetscCall(CreateLargeMesh(c->cell, c->refine, &dm));
  PetscCall(PetscFECreateLagrange(PETSC_COMM_SELF, DMPolytopeTypeGetDim(c->cell), 1,
                                  (PetscBool)(c->cell != DM_POLYTOPE_HEXAHEDRON), 1, PETSC_DETERMINE, &fe));
  PetscCall(DMAddField(dm, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMCreateDS(dm));
  PetscCall(DMGetDS(dm, &ds));
  if (c->residual) PetscCall(PetscDSSetResidual(ds, 0, NULL, f1_laplace));
  PetscCall(PetscDSSetJacobian(ds, 0, 0, NULL, NULL, NULL, c->nonlinear ? g3_nonlinear : g3_laplace));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, backend));
  PetscCall(PlexAssemblySetExpectedAssemblies(assembly, PETSC_UNLIMITED)); /* the fastest type at once */
  PetscCall(PlexAssemblySetIntegration(assembly, c->integration));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, "tests/assembly/laplace.h"));
  PetscCall(PlexAssemblySetUp(assembly));
  PetscCall(AreTypes(assembly, c->types[0], c->types[1], &good));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &start, &end));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s: auto, %s, %" PetscInt_FMT " cells: %s and %s", backend, c->what,
                          end - start, c->types[0], c->types[1]));
  PetscCall(PlexTestReport(good, name, "%s: %s; %s: %s", assembly->strategy[0].type, assembly->strategy[0].why,
                           assembly->strategy[1].type, assembly->strategy[1].why));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtChoices(const char backend[])
{
  const Choice choices[] = {
    {"Laplacian on triangles",
     DM_POLYTOPE_TRIANGLE,    5,
     PETSC_TRUE,  PETSC_FALSE,
     PLEX_INTEGRATION_AUTO,       {PLEXASSEMBLYELEMENTATOMIC, PLEXASSEMBLYSHAREDNZ}     },
    {"Laplacian on tetrahedra",
     DM_POLYTOPE_TETRAHEDRON, 3,
     PETSC_TRUE,  PETSC_FALSE,
     PLEX_INTEGRATION_AUTO,       {PLEXASSEMBLYELEMENTATOMIC, PLEXASSEMBLYSHAREDNZ}     },
    {"Laplacian on cubes",
     DM_POLYTOPE_HEXAHEDRON,  3,
     PETSC_TRUE,  PETSC_FALSE,
     PLEX_INTEGRATION_AUTO,       {PLEXASSEMBLYELEMENTATOMIC, PLEXASSEMBLYLOCALROW}     },
    {"a matrix alone",
     DM_POLYTOPE_TRIANGLE,    5,
     PETSC_FALSE, PETSC_FALSE,
     PLEX_INTEGRATION_AUTO,       {PLEXASSEMBLYELEMENTATOMIC, PLEXASSEMBLYSHAREDNZ}     },
    {"few triangles",
     DM_POLYTOPE_TRIANGLE,    4,
     PETSC_TRUE,  PETSC_FALSE,
     PLEX_INTEGRATION_AUTO,       {PLEXASSEMBLYELEMENTATOMIC, PLEXASSEMBLYELEMENTATOMIC}},
    {"Laplacian by quadrature on tetrahedra",
     DM_POLYTOPE_TETRAHEDRON, 3,
     PETSC_TRUE,  PETSC_FALSE,
     PLEX_INTEGRATION_QUADRATURE, {PLEXASSEMBLYELEMENTATOMIC, PLEXASSEMBLYGLOBALROW}    },
    {"nonlinear diffusion on tetrahedra",
     DM_POLYTOPE_TETRAHEDRON, 3,
     PETSC_TRUE,  PETSC_TRUE,
     PLEX_INTEGRATION_AUTO,       {PLEXASSEMBLYELEMENTATOMIC, PLEXASSEMBLYGLOBALROW}    },
    {"nonlinear diffusion on cubes",
     DM_POLYTOPE_HEXAHEDRON,  3,
     PETSC_TRUE,  PETSC_TRUE,
     PLEX_INTEGRATION_AUTO,       {PLEXASSEMBLYELEMENTATOMIC, PLEXASSEMBLYLOCALROW}     },
    {"tensors asked for, which do not serve",
     DM_POLYTOPE_TETRAHEDRON, 3,
     PETSC_TRUE,  PETSC_TRUE,
     PLEX_INTEGRATION_TENSOR,     {PLEXASSEMBLYELEMENTATOMIC, PLEXASSEMBLYGLOBALROW}    }
  };

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(choices); ++k) PetscCall(LookAtChoice(backend, &choices[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A program may not be ready for its functions to be called when it makes a matrix */
static PetscErrorCode LookAtMatrix(const char backend[])
{
  PlexAssembly assembly;
  DM           dm;
  PetscDS      ds;
  PetscFE      fe;
  Mat          A;
  PetscInt     before;
  PetscBool    open, good;

  PetscFunctionBegin;
  PetscCall(CreateLargeMesh(DM_POLYTOPE_TRIANGLE, 5, &dm));
  PetscCall(PetscFECreateLagrange(PETSC_COMM_SELF, 2, 1, PETSC_TRUE, 1, PETSC_DETERMINE, &fe));
  PetscCall(DMAddField(dm, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMCreateDS(dm));
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSSetResidual(ds, 0, NULL, f1_laplace));
  PetscCall(PetscDSSetJacobian(ds, 0, 0, NULL, NULL, NULL, g3_counted));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, backend));
  PetscCall(PlexAssemblySetExpectedAssemblies(assembly, PETSC_UNLIMITED));
  Calls = 0;
  PetscCall(PlexAssemblyCreateMatrix(assembly, &A));
  PetscCall(PlexAssemblySetResidualType(assembly, PLEXASSEMBLYGLOBALNZ));
  PetscCall(AreTypes(assembly, PLEXASSEMBLYGLOBALNZ, NULL, &open));
  before = Calls;
  PetscCall(PlexAssemblySetUp(assembly));
  /* by quadrature, as nothing is known of the functions */
  PetscCall(AreTypes(assembly, PLEXASSEMBLYGLOBALNZ, PLEXASSEMBLYLOCALROW, &good));
  PetscCall(PlexTestReportOf((PetscBool)(open && good && !Calls), backend,
                             "no function is called when a matrix is made and types are chosen",
                             "%" PetscInt_FMT " calls, then %" PetscInt_FMT "; %s, %s", before, Calls,
                             assembly->strategy[0].type, assembly->strategy[1].type));
  PetscCall(MatDestroy(&A));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PlexTestProblem scalar = {.cell       = DM_POLYTOPE_TRIANGLE,
                                  .degree     = 2,
                                  .components = 1,
                                  .form       = PLEX_TEST_GENERAL};
  const PlexTestProblem halved = {.cell       = DM_POLYTOPE_TETRAHEDRON,
                                  .degree     = 1,
                                  .components = 3,
                                  .form       = PLEX_TEST_SYMMETRIC};
  const char *const    *backends;
  PetscInt              n;
  PetscMPIInt           size;
  PlexBackend           b;
  PetscBool             kernels;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestQuickKernels());
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size == 1) PetscCall(LookAtSetting());
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(PlexBackendCreate(backends[k], &b));
    kernels = b->kernels;
    PetscCall(PlexBackendDestroy(&b));
    if (!kernels) continue;
    PetscCall(LookAtPairs(backends[k], "tri P2", &scalar));
    PetscCall(LookAtPairs(backends[k], "tet P1 vector symmetric", &halved));
    PetscCall(LookAtSum(backends[k]));
    if (size > 1) continue;
    PetscCall(LookAtWords(backends[k]));
    PetscCall(LookAtChoices(backends[k]));
    PetscCall(LookAtMatrix(backends[k]));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
