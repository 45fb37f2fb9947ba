static char help[] =
  "Tensor integration: Jacobians against quadrature and PETSc, what is chosen and why, elements that are not affine.\n\
  -backend, -type : only these\n\
  -shard <k>/<n>  : every n-th part, from the k-th\n\n";

#include <plexgpu/impl.h>
#include "tensorforms.h"
#include "problem.h"
#include "report.h"

#define TRI  DM_POLYTOPE_TRIANGLE
#define QUAD DM_POLYTOPE_QUADRILATERAL
#define TET  DM_POLYTOPE_TETRAHEDRON
#define HEX  DM_POLYTOPE_HEXAHEDRON

static const char *const strategies[] = {PLEXASSEMBLYELEMENTCOLOR, PLEXASSEMBLYELEMENTATOMIC, PLEXASSEMBLYGLOBALNZ,
                                         PLEXASSEMBLYGLOBALROW,    PLEXASSEMBLYSHAREDNZ,      PLEXASSEMBLYSHAREDROW,
                                         PLEXASSEMBLYLOCALNZ,      PLEXASSEMBLYLOCALROW};
#define STRATEGIES ((PetscInt)PETSC_STATIC_ARRAY_LENGTH(strategies))

/* ---- matrices */

static PetscErrorCode CreateAssembly(DM dm, const char backend[], const char type[], PlexIntegration integration,
                                     PetscBool single, PlexAssembly *assembly)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyCreate(dm, assembly));
  PetscCall(PlexAssemblySetFromOptions(*assembly));
  PetscCall(PlexAssemblySetBackend(*assembly, backend));
  if (type) PetscCall(PlexAssemblySetType(*assembly, type));
  PetscCall(PlexAssemblySetIntegration(*assembly, integration));
  PetscCall(PlexAssemblySetPrecision(*assembly, single ? PLEX_PRECISION_SINGLE : PLEX_PRECISION_DOUBLE));
  PetscCall(PlexAssemblySetPointwiseSource(*assembly, PLEX_TEST_COEFFICIENTS));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define TIME  0.7
#define SHIFT 1.3

/* As TS asks for it; by PETSc without an assembly */
static PetscErrorCode ComputeJacobian(PlexAssembly assembly, DM dm, Mat *J)
{
  Vec X, X_t;

  PetscFunctionBegin;
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(PlexTestLocalVector(dm, 2, &X_t));
  if (!*J) PetscCall(DMCreateMatrix(dm, J));
  if (assembly) PetscCall(PlexAssemblyComputeJacobian(assembly, X, X_t, TIME, SHIFT, *J, *J));
  else PetscCall(DMPlexTSComputeIJacobianFEM(dm, TIME, X, X_t, SHIFT, *J, *J, NULL));
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&X_t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* As PlexTestMatError(), of matrices that have numbers other than zero */
static PetscErrorCode CompareMat(Mat A, Mat B, PetscReal *error)
{
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(MatNorm(B, NORM_FROBENIUS, &norm));
  PetscCheck(norm > 0., PETSC_COMM_SELF, PETSC_ERR_PLIB, "All entries are zero: all dofs are held");
  PetscCall(PlexTestMatError(A, B, error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The Jacobian of an assembly that is made for it */
static PetscErrorCode ComputeOnce(DM dm, const char backend[], const char type[], PlexIntegration integration,
                                  PetscBool single, Mat *J)
{
  PlexAssembly assembly;

  PetscFunctionBegin;
  PetscCall(CreateAssembly(dm, backend, type, integration, single, &assembly));
  PetscCall(ComputeJacobian(assembly, dm, J));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What was chosen, in words: "tensor 1 symmetric", "quadrature: why" */
static PetscErrorCode GetChoice(PlexAssembly assembly, char text[], size_t size)
{
  const PlexProduct *product = &assembly->product[PLEX_JACOBIAN];

  PetscFunctionBegin;
  if (product->tensor)
    PetscCall(PetscSNPrintf(text, size, "tensor %" PetscInt_FMT "%s", product->tensor->degree,
                            product->tensor->symmetric ? " symmetric" : ""));
  else PetscCall(PetscSNPrintf(text, size, "quadrature: %s", product->why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- all forms on the host */

/* Worst of one space: relative differences, and what it was */
typedef struct {
  PetscReal error;
  char      what[256];
} Worst;

static PetscErrorCode AddWorst(Worst *worst, PetscReal error, PetscReal tolerance, const char form[], const char what[])
{
  PetscFunctionBegin;
  error /= tolerance;
  if (!(error <= worst->error)) {
    worst->error = error;
    PetscCall(PetscSNPrintf(worst->what, sizeof(worst->what), "%s: %s, %g", form, what, (double)(error * tolerance)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ExpectChoice(Worst *worst, PlexAssembly assembly, const PlexTestTensorForm *form,
                                   const char choice[])
{
  char      text[256], what[256];
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(GetChoice(assembly, text, sizeof(text)));
  PetscCall(PetscStrcmp(text, choice, &same));
  if (same) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(what, sizeof(what), "'%s' and not '%s'", text, choice));
  PetscCall(AddWorst(worst, PETSC_INFINITY, 1., form->name, what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Affine elements: tensors asked for, of both precisions; and auto */
static PetscErrorCode CompareTensor(DM dm, const PlexTestTensorForm *form, Mat exact, Mat petsc, Worst *worst)
{
  PlexAssembly assembly;
  Mat          J = NULL;
  PetscReal    error;
  char         choice[64];

  PetscFunctionBegin;
  /* the host knows symmetry by values that are the same at all points */
  PetscCall(PetscSNPrintf(choice, sizeof(choice), "tensor %" PetscInt_FMT "%s", form->degree,
                          form->symmetric && form->aux < 0 && !form->position ? " symmetric" : ""));
  for (PetscInt single = 0; single < 2; ++single) {
    PetscCall(CreateAssembly(dm, PLEXBACKENDHOST, NULL, PLEX_INTEGRATION_TENSOR, (PetscBool)single, &assembly));
    assembly->tensorDegree = form->degree;
    PetscCall(ComputeJacobian(assembly, dm, &J));
    PetscCall(ExpectChoice(worst, assembly, form, choice));
    PetscCall(CompareMat(J, exact, &error));
    PetscCall(AddWorst(worst, error, single ? 1e-5 : 1e-13, form->name,
                       single ? "single precision against quadrature" : "against quadrature"));
    PetscCall(CompareMat(J, petsc, &error));
    PetscCall(AddWorst(worst, error, single ? 1e-5 : 1e-12, form->name, "against PETSc"));
    PetscCall(PlexAssemblyDestroy(&assembly));
  }
  PetscCall(CreateAssembly(dm, PLEXBACKENDHOST, NULL, PLEX_INTEGRATION_AUTO, PETSC_FALSE, &assembly));
  PetscCall(ComputeJacobian(assembly, dm, &J));
  if (form->position)
    PetscCall(ExpectChoice(worst, assembly, form, "quadrature: the Jacobian's functions read the position, as called"));
  else if (form->aux > 0)
    PetscCall(ExpectChoice(worst, assembly, form,
                           "quadrature: the Jacobian's functions read auxiliary fields that vary in an element, as "
                           "called"));
  else PetscCall(ExpectChoice(worst, assembly, form, choice)); /* a coefficient of degree 0 too */
  PetscCall(CompareMat(J, exact, &error));
  PetscCall(AddWorst(worst, error, 1e-13, form->name, "auto against quadrature"));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(MatDestroy(&J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* auto: quadrature */
static PetscErrorCode CompareQuadrature(DM dm, const PlexTestTensorForm *form, const char choice[], Mat petsc,
                                        Worst *worst)
{
  PlexAssembly assembly;
  Mat          J = NULL;
  PetscReal    error;

  PetscFunctionBegin;
  PetscCall(CreateAssembly(dm, PLEXBACKENDHOST, NULL, PLEX_INTEGRATION_AUTO, PETSC_FALSE, &assembly));
  PetscCall(ComputeJacobian(assembly, dm, &J));
  PetscCall(ExpectChoice(worst, assembly, form, choice));
  PetscCall(CompareMat(J, petsc, &error));
  PetscCall(AddWorst(worst, error, 1e-12, form->name, "auto against PETSc"));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(MatDestroy(&J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestForms(const PlexTestTensorSpace *space, const char name[])
{
  const PetscBool affine = (PetscBool)(space->box || space->cell == TRI || space->cell == TET);
  Worst           worst  = {.error = 0.};

  PetscFunctionBegin;
  for (PetscInt k = 0; k < PLEX_TEST_TENSOR_FORMS; ++k) {
    const PlexTestTensorForm *form;
    DM                        dm;
    Mat                       petsc = NULL, exact = NULL;

    PetscCall(PlexTestGetTensorForm(k, &form));
    PetscCall(PlexTestTensorProblemCreate(space, form, &dm));
    PetscCall(ComputeJacobian(NULL, dm, &petsc));
    PetscCall(ComputeOnce(dm, PLEXBACKENDHOST, NULL, PLEX_INTEGRATION_QUADRATURE, PETSC_FALSE, &exact));
    if (form->degree < 0)
      PetscCall(CompareQuadrature(dm, form, "quadrature: the Jacobian's functions read the solution, as called", petsc,
                                  &worst));
    else if (!affine)
      PetscCall(CompareQuadrature(dm, form,
                                  form->position  ? "quadrature: the Jacobian's functions read the position, as called"
                                  : form->aux > 0 ? "quadrature: the Jacobian's functions read auxiliary fields that "
                                                    "vary in an element, as called"
                                                  : "quadrature: the elements are not affine",
                                  petsc, &worst));
    else PetscCall(CompareTensor(dm, form, exact, petsc, &worst));
    PetscCall(MatDestroy(&petsc));
    PetscCall(MatDestroy(&exact));
    PetscCall(DMDestroy(&dm));
  }
  PetscCall(PlexTestReport((PetscBool)(worst.error <= 1.), name, "%s", worst.what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- chosen anew */

static PetscErrorCode ReportChoice(PlexAssembly assembly, DM dm, const char name[], const char choice[], Mat J,
                                   Mat exact)
{
  char      text[256];
  PetscBool same;
  PetscReal error;

  PetscFunctionBegin;
  PetscCall(GetChoice(assembly, text, sizeof(text)));
  PetscCall(PetscStrcmp(text, choice, &same));
  PetscCall(CompareMat(J, exact, &error));
  PetscCall(PlexTestReport((PetscBool)(same && error <= 1e-12), name, "'%s' and not '%s', error %g", text, choice,
                           (double)error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Constants that make a number zero and a form symmetric, or not, between two Jacobians of one assembly */
static PetscErrorCode TestConstants(const char backend[], const char type[])
{
  const PlexTestTensorSpace space          = {TRI, PETSC_FALSE, 8, 2};
  const PetscScalar         constants[][4] = {
    {0.,  1.2, 0.,  0.  },
    {0.,  1.2, 0.4, 0.4 },
    {0.7, 1.2, 0.4, -0.1},
    {0.7, 1.2, 0.,  0.  }
  };
  const PetscBool host = (PetscBool)!strcmp(backend, PLEXBACKENDHOST);
  /* by their values; what was once not symmetric does not count as such any more */
  const char *const         choices[] = {"tensor 0 symmetric", "tensor 0 symmetric", "tensor 0", "tensor 0"};
  const PlexTestTensorForm *form;
  PlexAssembly              assembly;
  PetscDS                   ds;
  DM                        dm;
  Mat                       J = NULL, exact = NULL;
  char                      name[128];

  PetscFunctionBegin;
  PetscCall(PlexTestFindTensorForm("constants", &form));
  PetscCall(PlexTestTensorProblemCreate(&space, form, &dm));
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(CreateAssembly(dm, backend, type, PLEX_INTEGRATION_AUTO, PETSC_FALSE, &assembly));
  for (PetscInt k = 0; k < 4; ++k) {
    PetscCall(PetscDSSetConstants(ds, 4, (PetscScalar *)constants[k]));
    PetscCall(ComputeJacobian(assembly, dm, &J));
    PetscCall(ComputeJacobian(NULL, dm, &exact));
    PetscCall(PetscSNPrintf(name, sizeof(name), "%s%s%s constants, set %" PetscInt_FMT, backend, type ? " " : "",
                            type ? type : "", k));
    /* the source does not tell two constants to be equal */
    PetscCall(ReportChoice(assembly, dm, name, host ? choices[k] : "tensor 0", J, exact));
  }
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(MatDestroy(&J));
  PetscCall(MatDestroy(&exact));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A mesh whose elements are bent, and straightened again, between the Jacobians of one assembly; degree: of tensors
   that are asked for */
static PetscErrorCode TestMoved(const char backend[], const char type[], DMPolytopeType cell, PetscInt degree)
{
  const PlexTestTensorSpace space   = {cell, PETSC_TRUE, 4, 1};
  const PetscReal           bends[] = {0., 0.15, -0.15};
  const char *choices[] = {"tensor 0 symmetric", "quadrature: the elements are not affine", "tensor 0 symmetric"};
  const PlexTestTensorForm *form;
  PlexAssembly              assembly;
  DM                        dm, fresh;
  Mat                       J = NULL;
  char                      name[128], asked[32];

  PetscFunctionBegin;
  PetscCall(PlexTestFindTensorForm("Laplacian", &form));
  PetscCall(PlexTestTensorProblemCreate(&space, form, &dm));
  PetscCall(PlexTestTensorProblemCreate(&space, form, &fresh));
  PetscCall(CreateAssembly(dm, backend, type, degree < 0 ? PLEX_INTEGRATION_AUTO : PLEX_INTEGRATION_TENSOR, PETSC_FALSE,
                           &assembly));
  if (degree >= 0) {
    PetscCall(PetscSNPrintf(asked, sizeof(asked), "%" PetscInt_FMT, degree));
    PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_tensor_degree", asked));
    PetscCall(PlexAssemblySetFromOptions(assembly));
    PetscCall(PetscSNPrintf(asked, sizeof(asked), "tensor %" PetscInt_FMT " symmetric", degree));
    for (PetscInt k = 0; k < 3; ++k) choices[k] = asked;
  }
  for (PetscInt k = 0; k < 3; ++k) {
    Mat exact = NULL;

    PetscCall(PlexTestMoveBox(dm, bends[k]));
    PetscCall(PlexTestMoveBox(fresh, bends[k]));
    PetscCall(ComputeJacobian(assembly, dm, &J));
    PetscCall(ComputeOnce(fresh, PLEXBACKENDHOST, NULL,
                          degree < 0 ? PLEX_INTEGRATION_QUADRATURE : PLEX_INTEGRATION_TENSOR, PETSC_FALSE, &exact));
    PetscCall(PetscSNPrintf(name, sizeof(name), "%s%s%s moved %s%s, %s", backend, type ? " " : "", type ? type : "",
                            DMPolytopeTypes[cell], degree < 0 ? "" : ", tensors asked for",
                            !k       ? "straight"
                            : k == 1 ? "bent"
                                     : "straight again"));
    PetscCall(ReportChoice(assembly, dm, name, choices[k], J, exact));
    PetscCall(MatDestroy(&exact));
  }
  if (degree >= 0) PetscCall(PetscOptionsClearValue(NULL, "-plex_assembly_tensor_degree"));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(MatDestroy(&J));
  PetscCall(DMDestroy(&dm));
  PetscCall(DMDestroy(&fresh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A number that is not zero for one material alone, and makes G not symmetric */
static PetscErrorCode TestMaterial(void)
{
  const PlexTestTensorSpace space = {TRI, PETSC_FALSE, 8, 2};
  const PlexTestTensorForm *form;
  PlexAssembly              assembly;
  Vec                       a;
  DM                        dm;
  Mat                       J = NULL, exact = NULL;

  PetscFunctionBegin;
  PetscCall(PlexTestFindTensorForm("material", &form));
  PetscCall(PlexTestTensorProblemCreate(&space, form, &dm));
  PetscCall(DMGetAuxiliaryVec(dm, NULL, 0, 0, &a));
  PetscCall(VecSet(a, 17.));
  PetscCall(CreateAssembly(dm, PLEXBACKENDHOST, NULL, PLEX_INTEGRATION_AUTO, PETSC_FALSE, &assembly));
  PetscCall(ComputeJacobian(assembly, dm, &J));
  PetscCall(ComputeJacobian(NULL, dm, &exact));
  PetscCall(ReportChoice(assembly, dm, "one material", "tensor 0", J, exact));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(MatDestroy(&J));
  PetscCall(MatDestroy(&exact));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- errors */

typedef struct {
  const char *form, *degree;
} Asked;

static PetscErrorCode AskForTensor(void *ctx)
{
  const Asked              *asked = (const Asked *)ctx;
  const PlexTestTensorSpace space = {TRI, PETSC_FALSE, 4, 2};
  const PlexTestTensorForm *form;
  DM                        dm;
  Mat                       J = NULL;

  PetscFunctionBegin;
  PetscCall(PlexTestFindTensorForm(asked->form, &form));
  PetscCall(PlexTestTensorProblemCreate(&space, form, &dm));
  if (asked->degree) PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_tensor_degree", asked->degree));
  PetscCall(ComputeOnce(dm, PLEXBACKENDHOST, NULL, PLEX_INTEGRATION_TENSOR, PETSC_FALSE, &J));
  PetscCall(MatDestroy(&J));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestError(const char form[], const char degree[], const char expected[])
{
  Asked          asked = {form, degree};
  PetscErrorCode ierr;
  char           text[1024], name[128], *found;

  PetscFunctionBegin;
  PetscCall(PlexTestTry(AskForTensor, &asked, &ierr, text, sizeof(text)));
  if (degree) PetscCall(PetscOptionsClearValue(NULL, "-plex_assembly_tensor_degree"));
  PetscCall(PetscStrstr(text, expected, &found));
  PetscCall(PetscSNPrintf(name, sizeof(name), "an error: %s%s%s", form, degree ? ", degree " : "",
                          degree ? degree : ""));
  PetscCall(PlexTestReport((PetscBool)(ierr && found), name, "'%s' is not in '%s'", expected, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- elements that are not affine */

/* The error against quadrature falls with the degree of the geometry's interpolant */
static PetscErrorCode TestDegrees(const PlexTestTensorSpace *space, const char name[])
{
  const PlexTestTensorForm *form;
  PetscReal                 error[5];
  PetscBool                 falls = PETSC_TRUE;
  DM                        dm;
  Mat                       exact = NULL, J = NULL;

  PetscFunctionBegin;
  PetscCall(PlexTestFindTensorForm("Laplacian", &form));
  PetscCall(PlexTestTensorProblemCreate(space, form, &dm));
  if (space->box) PetscCall(PlexTestMoveBox(dm, 0.3));
  PetscCall(ComputeOnce(dm, PLEXBACKENDHOST, NULL, PLEX_INTEGRATION_QUADRATURE, PETSC_FALSE, &exact));
  for (PetscInt degree = 0; degree < 5; ++degree) {
    char asked[32];

    PetscCall(PetscSNPrintf(asked, sizeof(asked), "%" PetscInt_FMT, degree));
    PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_tensor_degree", asked));
    PetscCall(ComputeOnce(dm, PLEXBACKENDHOST, NULL, PLEX_INTEGRATION_TENSOR, PETSC_FALSE, &J));
    PetscCall(CompareMat(J, exact, &error[degree]));
    if (degree) falls = (PetscBool)(falls && (error[degree] < 0.7 * error[degree - 1] || error[degree] < 1e-13));
  }
  PetscCall(PetscOptionsClearValue(NULL, "-plex_assembly_tensor_degree"));
  PetscCall(PlexTestReport((PetscBool)(falls && error[0] > 1e-3), name, "errors %.2g %.2g %.2g %.2g %.2g",
                           (double)error[0], (double)error[1], (double)error[2], (double)error[3], (double)error[4]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  errors against quadrature, degrees 0 to 4: %.2g %.2g %.2g %.2g %.2g\n",
                        (double)error[0], (double)error[1], (double)error[2], (double)error[3], (double)error[4]));
  PetscCall(MatDestroy(&exact));
  PetscCall(MatDestroy(&J));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- strategies */

typedef struct {
  PlexTestTensorSpace space;
  const char         *form;
  PlexIntegration     integration;
  PetscBool           single;
} Run;

#define TENSOR     PLEX_INTEGRATION_TENSOR
#define QUADRATURE PLEX_INTEGRATION_QUADRATURE

/* Each strategy: several points with all parts, a symmetric G, components, fields */
static const Run all[] = {
  {{TRI, PETSC_FALSE, 8, 2}, "everything",            TENSOR, PETSC_FALSE},
  {{HEX, PETSC_TRUE, 4, 1},  "coefficient, degree 0", TENSOR, PETSC_FALSE},
  {{TET, PETSC_FALSE, 6, 1}, "elasticity",            TENSOR, PETSC_FALSE},
  {{TRI, PETSC_FALSE, 6, 2}, "mixed",                 TENSOR, PETSC_TRUE }
};

/* local_row turns elements: by tensors and by quadrature, of all dofs' orbits */
static const Run turned[] = {
  {{TRI, PETSC_FALSE, 0, 1},  "Laplacian",             TENSOR,     PETSC_FALSE},
  {{TRI, PETSC_FALSE, 0, 2},  "Laplacian",             TENSOR,     PETSC_FALSE},
  {{TRI, PETSC_FALSE, 0, 3},  "all parts",             TENSOR,     PETSC_FALSE},
  {{TRI, PETSC_FALSE, 0, 2},  "all parts, vector",     TENSOR,     PETSC_FALSE},
  {{TRI, PETSC_FALSE, 0, 3},  "nonlinear",             QUADRATURE, PETSC_FALSE},
  {{TRI, PETSC_FALSE, 0, 1},  "all parts, vector",     QUADRATURE, PETSC_FALSE},
  {{TRI, PETSC_FALSE, 0, 2},  "mixed",                 QUADRATURE, PETSC_FALSE},
  {{QUAD, PETSC_FALSE, 0, 1}, "all parts, vector",     QUADRATURE, PETSC_FALSE},
  {{QUAD, PETSC_TRUE, 0, 2},  "coefficient, degree 0", TENSOR,     PETSC_FALSE},
  {{TET, PETSC_FALSE, 0, 1},  "nonlinear",             QUADRATURE, PETSC_FALSE},
  {{TRI, PETSC_FALSE, 0, 2},  "nonlinear, all parts",  QUADRATURE, PETSC_FALSE},
  {{TET, PETSC_FALSE, 0, 2},  "nonlinear, all parts",  QUADRATURE, PETSC_TRUE },
  {{TRI, PETSC_FALSE, 0, 3},  "nonlinear, isotropic",  QUADRATURE, PETSC_FALSE},
  {{TET, PETSC_FALSE, 0, 2},  "nonlinear, isotropic",  QUADRATURE, PETSC_FALSE},
  {{TET, PETSC_FALSE, 0, 2},  "Laplacian",             TENSOR,     PETSC_FALSE},
  {{TET, PETSC_FALSE, 0, 3},  "Laplacian",             TENSOR,     PETSC_TRUE },
  {{TET, PETSC_FALSE, 0, 3},  "Laplacian",             TENSOR,     PETSC_FALSE},
  {{TET, PETSC_FALSE, 0, 4},  "Laplacian",             TENSOR,     PETSC_FALSE},
  {{TET, PETSC_FALSE, 0, 1},  "elasticity",            TENSOR,     PETSC_FALSE},
  {{TET, PETSC_FALSE, 0, 2},  "elasticity",            TENSOR,     PETSC_FALSE},
  {{HEX, PETSC_FALSE, 4, 1},  "elasticity",            QUADRATURE, PETSC_FALSE},
  {{HEX, PETSC_TRUE, 0, 1},   "elasticity",            TENSOR,     PETSC_FALSE},
  {{TRI, PETSC_FALSE, 0, 1},  "stiffness, held",       TENSOR,     PETSC_FALSE},
  {{TRI, PETSC_FALSE, 0, 2},  "elasticity, held",      TENSOR,     PETSC_FALSE},
  {{TRI, PETSC_FALSE, 0, 3},  "elasticity, held",      TENSOR,     PETSC_FALSE},
  {{TET, PETSC_FALSE, 0, 1},  "elasticity, held",      TENSOR,     PETSC_TRUE },
  {{TET, PETSC_FALSE, 0, 1},  "stiffness, held",       TENSOR,     PETSC_FALSE}
};

/* shared_nz sums pairs of nodes */
static const Run pairs[] = {
  {{TRI, PETSC_FALSE, 0, 1}, "Laplacian",         TENSOR, PETSC_FALSE},
  {{TRI, PETSC_FALSE, 0, 2}, "anisotropic, held", TENSOR, PETSC_FALSE},
  {{TET, PETSC_FALSE, 0, 1}, "Laplacian",         TENSOR, PETSC_FALSE},
  {{TET, PETSC_FALSE, 0, 2}, "anisotropic, held", TENSOR, PETSC_FALSE},
  {{TRI, PETSC_FALSE, 0, 3}, "Laplacian",         TENSOR, PETSC_TRUE },
  {{TET, PETSC_FALSE, 0, 3}, "anisotropic, held", TENSOR, PETSC_FALSE},
  {{TET, PETSC_FALSE, 0, 2}, "Laplacian",         TENSOR, PETSC_TRUE },
  {{TET, PETSC_FALSE, 0, 4}, "Laplacian",         TENSOR, PETSC_FALSE},
  {{TRI, PETSC_FALSE, 0, 4}, "anisotropic, held", TENSOR, PETSC_FALSE},
  {{TET, PETSC_FALSE, 0, 4}, "anisotropic, held", TENSOR, PETSC_TRUE },
  {{TRI, PETSC_FALSE, 0, 1}, "anisotropic, each", TENSOR, PETSC_FALSE},
  {{TET, PETSC_FALSE, 0, 1}, "anisotropic, each", TENSOR, PETSC_FALSE},
  {{TET, PETSC_FALSE, 0, 2}, "anisotropic, each", TENSOR, PETSC_TRUE },
  {{TET, PETSC_FALSE, 0, 3}, "anisotropic, each", TENSOR, PETSC_FALSE}
};

/* ... and not points, where these are held in part */
static const Run partly = {
  {TET, PETSC_FALSE, 0, 3},
  "Laplacian", TENSOR, PETSC_FALSE
};

/* ... and of several components by gradients; nodes held in one component alone, too */
static const Run gradients[] = {
  {{TRI, PETSC_FALSE, 0, 1}, "elasticity",        TENSOR, PETSC_FALSE},
  {{TET, PETSC_FALSE, 0, 1}, "elasticity",        TENSOR, PETSC_FALSE},
  {{TRI, PETSC_FALSE, 0, 2}, "stiffness, held",   TENSOR, PETSC_FALSE},
  {{TET, PETSC_FALSE, 0, 2}, "elasticity",        TENSOR, PETSC_FALSE},
  {{TET, PETSC_FALSE, 0, 1}, "stiffness, held",   TENSOR, PETSC_TRUE },
  {{TRI, PETSC_FALSE, 0, 3}, "elasticity",        TENSOR, PETSC_FALSE},
  {{TET, PETSC_FALSE, 0, 2}, "stiffness, scalar", TENSOR, PETSC_FALSE},
  {{TRI, PETSC_FALSE, 0, 1}, "stiffness, scalar", TENSOR, PETSC_FALSE},
  {{TRI, PETSC_FALSE, 0, 1}, "elasticity, each",  TENSOR, PETSC_FALSE},
  {{TET, PETSC_FALSE, 0, 1}, "elasticity, each",  TENSOR, PETSC_FALSE},
  {{TET, PETSC_FALSE, 0, 2}, "elasticity, each",  TENSOR, PETSC_TRUE },
  {{TRI, PETSC_FALSE, 0, 3}, "elasticity, each",  TENSOR, PETSC_FALSE}
};

/* ... and not where A_ji is not A_ij transposed */
static const Run oneSided = {
  {TET, PETSC_FALSE, 0, 1},
  "stiffness, each", TENSOR, PETSC_FALSE
};

/* global_row computes elements by quadrature with a thread each, some in several passes */
#define MEMORY 60000 /* bytes of element data of a pass, */
#define PART   8     /* of so many elements a block */
static const Run expanded[] = {
  {{TRI, PETSC_FALSE, 0, 1}, "nonlinear",            QUADRATURE, PETSC_FALSE},
  {{TRI, PETSC_FALSE, 0, 3}, "nonlinear, isotropic", QUADRATURE, PETSC_FALSE},
  {{TET, PETSC_FALSE, 0, 1}, "nonlinear, isotropic", QUADRATURE, PETSC_FALSE},
  {{TET, PETSC_FALSE, 0, 2}, "nonlinear",            QUADRATURE, PETSC_TRUE },
  {{TET, PETSC_FALSE, 0, 1}, "nonlinear, gradients", QUADRATURE, PETSC_FALSE}
};

/* ... of order 2 by moments, of g3 alone too */
static const Run moments[] = {
  {{TET, PETSC_FALSE, 0, 2}, "nonlinear, isotropic", QUADRATURE, PETSC_FALSE},
  {{TET, PETSC_FALSE, 0, 2}, "nonlinear, gradients", QUADRATURE, PETSC_TRUE },
  {{TRI, PETSC_FALSE, 0, 2}, "nonlinear, isotropic", QUADRATURE, PETSC_FALSE}
};

/* Large ones by tensors; nodes that are held, constants beside derivatives, coefficients, cells that are no
   simplices */
static const Run large[] = {
  {{TET, PETSC_FALSE, 0, 3}, "Laplacian",             TENSOR, PETSC_FALSE},
  {{TET, PETSC_FALSE, 0, 4}, "anisotropic, held",     TENSOR, PETSC_FALSE},
  {{TET, PETSC_FALSE, 0, 3}, "time shift",            TENSOR, PETSC_TRUE },
  {{HEX, PETSC_TRUE, 0, 2},  "coefficient, degree 0", TENSOR, PETSC_FALSE},
  {{TRI, PETSC_FALSE, 0, 5}, "Laplacian",             TENSOR, PETSC_TRUE },
  {{TET, PETSC_FALSE, 0, 3}, "coefficient, degree 2", TENSOR, PETSC_FALSE}
};

static PetscErrorCode View(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyView((PlexAssembly)ctx, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One dof of every third point that has several, none of them held, is held: a section of the caller's own */
static PetscErrorCode HoldInPart(DM dm)
{
  PetscSection    section, own;
  PetscSectionSym sym;
  PetscInt        pStart, pEnd;

  PetscFunctionBegin;
  PetscCall(DMGetLocalSection(dm, &section));
  PetscCall(PetscSectionGetChart(section, &pStart, &pEnd));
  PetscCall(PetscSectionCreate(PetscObjectComm((PetscObject)dm), &own));
  PetscCall(PetscSectionSetNumFields(own, 1));
  PetscCall(PetscSectionSetChart(own, pStart, pEnd));
  for (PetscInt pass = 0; pass < 2; ++pass) {
    for (PetscInt p = pStart; p < pEnd; ++p) {
      const PetscInt *held, last[1] = {1};
      PetscInt        dof, n;

      PetscCall(PetscSectionGetDof(section, p, &dof));
      PetscCall(PetscSectionGetConstraintDof(section, p, &n));
      PetscCall(PetscSectionGetConstraintIndices(section, p, &held));
      if (!n && dof > 1 && p % 3 == 0) {
        n    = 1;
        held = last;
      }
      if (!pass) {
        PetscCall(PetscSectionSetDof(own, p, dof));
        PetscCall(PetscSectionSetFieldDof(own, p, 0, dof));
        PetscCall(PetscSectionSetConstraintDof(own, p, n));
        PetscCall(PetscSectionSetFieldConstraintDof(own, p, 0, n));
      } else if (n) {
        PetscCall(PetscSectionSetConstraintIndices(own, p, held));
        PetscCall(PetscSectionSetFieldConstraintIndices(own, p, 0, held));
      }
    }
    if (!pass) PetscCall(PetscSectionSetUp(own));
  }
  PetscCall(PetscSectionGetFieldSym(section, 0, &sym));
  PetscCall(PetscSectionSetFieldSym(own, 0, sym));
  PetscCall(DMSetLocalSection(dm, own));
  PetscCall(PetscSectionDestroy(&own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How a run is computed: bytes for element data (0: as much as there is), the name of the way that the type takes
   (NULL: any), whether diagonals are taken from the sums of rows, and whether of some points one dof is held alone */
typedef struct {
  PetscInt64  memory;
  const char *variant;
  PetscBool   rowSums, part;
} Way;

static PetscErrorCode TestRun(const Run *run, const char backend[], const char type[], const Way *way)
{
  const char *const         precisions[] = {"", ", single precision"};
  const PlexTestTensorForm *form;
  PlexAssembly              assembly;
  DM                        dm;
  Mat                       J = NULL, petsc = NULL;
  PetscReal                 error;
  char                      name[256];
  PetscBool                 taken = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PlexTestFindTensorForm(run->form, &form));
  PetscCall(PlexTestTensorProblemCreate(&run->space, form, &dm));
  if (way->part) PetscCall(HoldInPart(dm));
  PetscCall(ComputeJacobian(NULL, dm, &petsc));
  PetscCall(CreateAssembly(dm, backend, type, run->integration, run->single, &assembly));
  if (run->integration == TENSOR && form->degree > 0) assembly->tensorDegree = form->degree;
  if (way->memory) PetscCall(PlexAssemblySetMemory(assembly, way->memory));
  if (way->memory) assembly->partitionSize = PART;
  assembly->rowSums = way->rowSums ? PETSC_BOOL3_TRUE : PETSC_BOOL3_FALSE;
  PetscCall(ComputeJacobian(assembly, dm, &J));
  PetscCall(CompareMat(J, petsc, &error));
  if (way->variant) PetscCall(PlexTestIsVariant(assembly, PETSC_TRUE, way->variant, &taken));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s %s %s of degree %" PetscInt_FMT ": %s by %s%s%s%s", backend, type,
                          DMPolytopeTypes[run->space.cell], run->space.degree, form->name,
                          PlexIntegrations[run->integration], precisions[run->single],
                          way->part ? ", points held in part" : "", way->rowSums ? ", sums of rows" : ""));
  PetscCall(PlexTestReport((PetscBool)(error <= (run->single ? 1e-5 : 1e-12) && taken), name, "error %g%s%s",
                           (double)error, taken ? "" : ", and the way is not ", taken ? "" : way->variant));
  PetscCall(MatDestroy(&J));
  PetscCall(MatDestroy(&petsc));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Transactions per read of shared memory by a set of lanes: 1 without bank conflicts; about 3 if lists were assigned to
   lanes in their order, or elements not rearranged */
static PetscErrorCode TestTransactions(const char backend[], PetscInt degree, PetscInt refinements, const char of[],
                                       double most)
{
  const PlexTestTensorSpace space = {TET, PETSC_FALSE, 0, degree};
  const PlexTestTensorForm *form;
  PlexAssembly              assembly;
  DM                        dm;
  char                      name[128], text[16384], *found = NULL;
  Mat                       J            = NULL;
  double                    transactions = 0;
  PetscInt                  cStart, cEnd;

  PetscFunctionBegin;
  PetscCall(PlexTestFindTensorForm("Laplacian", &form));
  PetscCall(PlexTestTensorProblemCreate(&space, form, &dm));
  for (PetscInt k = 0; k < refinements; ++k) {
    DM fine;

    PetscCall(DMRefine(dm, PetscObjectComm((PetscObject)dm), &fine));
    PetscCall(DMDestroy(&dm));
    dm = fine;
  }
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  PetscCall(CreateAssembly(dm, backend, PLEXASSEMBLYSHAREDNZ, TENSOR, PETSC_FALSE, &assembly));
  PetscCall(ComputeJacobian(assembly, dm, &J));
  PetscCall(PlexTestCapture(View, assembly, text, sizeof(text)));
  PetscCall(PetscStrstr(text, of, &found));
  if (found) transactions = strtod(found + strlen(of), NULL);
  PetscCall(MatDestroy(&J));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscSNPrintf(name, sizeof(name),
                          "%s tetrahedra of degree %" PetscInt_FMT ", %" PetscInt_FMT
                          " cells: lanes %s%.1f transactions at most",
                          backend, degree, cEnd - cStart, of, most));
  PetscCall(PlexTestReport((PetscBool)(transactions >= 1 && transactions <= most), name, "in %g", transactions));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the parts */

static PetscBool onlyType     = PETSC_FALSE;
static char      typeName[64] = "";

static PetscErrorCode RunHost(void)
{
  PetscFunctionBegin;
  for (PetscInt degree = 1; degree <= 3; ++degree) {
    const PlexTestTensorSpace spaces[] = {
      {TRI,  PETSC_FALSE, 8, degree},
      {QUAD, PETSC_TRUE,  6, degree},
      {QUAD, PETSC_FALSE, 6, degree},
      {TET,  PETSC_FALSE, 5, degree},
      {HEX,  PETSC_TRUE,  2, degree},
      {HEX,  PETSC_FALSE, 2, degree}
    };

    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(spaces); ++k) {
      char name[128];

      if (!PlexTestWanted()) continue;
      PetscCall(PetscSNPrintf(name, sizeof(name), "host %s%s of degree %" PetscInt_FMT, DMPolytopeTypes[spaces[k].cell],
                              spaces[k].box ? " affine" : "", degree));
      PetscCall(TestForms(&spaces[k], name));
    }
  }
  if (PlexTestWanted()) {
    PetscCall(TestConstants(PLEXBACKENDHOST, NULL));
    PetscCall(TestMoved(PLEXBACKENDHOST, NULL, HEX, PETSC_DECIDE));
    PetscCall(TestMoved(PLEXBACKENDHOST, NULL, QUAD, PETSC_DECIDE));
    PetscCall(TestMoved(PLEXBACKENDHOST, NULL, HEX, 2));
    PetscCall(TestMaterial());
  }
  if (PlexTestWanted()) {
    PetscCall(TestError("nonlinear", NULL,
                        "the Jacobian's functions read the solution, as called. Use -plex_assembly_integration "
                        "quadrature"));
    PetscCall(TestError("branch, large", NULL, "the Jacobian's functions read the solution"));
    PetscCall(TestError("wave", NULL, "-plex_assembly_tensor_degree does not say"));
    PetscCall(TestError("Laplacian", "9", "-plex_assembly_tensor_degree 9"));
    PetscCall(TestError("Laplacian", "-2", "-plex_assembly_tensor_degree -2"));
    PetscCall(TestDegrees(&(PlexTestTensorSpace){QUAD, PETSC_FALSE, 6, 2}, "degrees quadrilateral"));
    PetscCall(TestDegrees(&(PlexTestTensorSpace){HEX, PETSC_FALSE, 4, 2}, "degrees hexahedron"));
    PetscCall(TestDegrees(&(PlexTestTensorSpace){HEX, PETSC_TRUE, 4, 1}, "degrees hexahedron bent"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunKernels(const char backend[])
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (PetscInt s = 0; s < STRATEGIES; ++s) {
    PetscBool same = PETSC_TRUE, row, global, shared;

    PetscCall(PetscStrcmp(strategies[s], PLEXASSEMBLYLOCALROW, &row));
    PetscCall(PetscStrcmp(strategies[s], PLEXASSEMBLYGLOBALROW, &global));
    PetscCall(PetscStrcmp(strategies[s], PLEXASSEMBLYSHAREDNZ, &shared));
    if (onlyType) PetscCall(PetscStrcmp(strategies[s], typeName, &same));
    if (!same) continue;
    /* of several processes each compiles kernels of its own: a few cases */
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(all); ++k)
      if ((size == 1 || k % 4 == 2) && PlexTestWanted()) PetscCall(TestRun(&all[k], backend, strategies[s], &(Way){0}));
    for (size_t k = 0; row && k < PETSC_STATIC_ARRAY_LENGTH(turned); ++k)
      if ((size == 1 || k % 4 == 2) && PlexTestWanted())
        PetscCall(TestRun(&turned[k], backend, strategies[s], &(Way){.variant = "symmetry"}));
    for (size_t sums = 0; shared && sums < 2; ++sums)
      for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(pairs); ++k)
        if ((size == 1 || k % 4 == 1 + sums) && PlexTestWanted())
          PetscCall(TestRun(&pairs[k], backend, strategies[s],
                            &(Way){.variant = !sums && pairs[k].space.degree > 2 ? "points" : "edges",
                                   .rowSums = (PetscBool)sums}));
    for (size_t k = 0; shared && k < PETSC_STATIC_ARRAY_LENGTH(gradients); ++k)
      if ((size == 1 || k % 4 == 1) && PlexTestWanted())
        PetscCall(TestRun(&gradients[k], backend, strategies[s], &(Way){.variant = "gradients"}));
    if (shared && size == 1 && PlexTestWanted())
      PetscCall(TestRun(&oneSided, backend, strategies[s], &(Way){.variant = "plain"}));
    if (shared && PlexTestWanted()) PetscCall(TestConstants(backend, strategies[s]));
    if (shared && size == 1 && PlexTestWanted())
      PetscCall(TestRun(&partly, backend, strategies[s], &(Way){.variant = "edges", .part = PETSC_TRUE}));
    if (shared && size == 1 && PlexTestWanted()) PetscCall(TestTransactions(backend, 2, 3, "read numbers in ", 1.4));
    if (shared && size == 1 && PlexTestWanted()) PetscCall(TestTransactions(backend, 1, 4, "coordinates in ", 1.8));
    for (size_t k = 0; global && k < PETSC_STATIC_ARRAY_LENGTH(expanded); ++k)
      if ((size == 1 || k % 4 == 2) && PlexTestWanted())
        PetscCall(TestRun(&expanded[k], backend, strategies[s], &(Way){.variant = "monomials", .memory = MEMORY}));
    for (size_t k = 0; global && k < PETSC_STATIC_ARRAY_LENGTH(moments); ++k)
      if ((size == 1 || k % 4 == 0) && PlexTestWanted())
        PetscCall(TestRun(&moments[k], backend, strategies[s],
                          &(Way){.variant = "moments", .memory = k % 2 ? MEMORY : 0}));
    for (size_t k = 0; global && k < PETSC_STATIC_ARRAY_LENGTH(large); ++k)
      if ((size == 1 || k % 4 == 1) && PlexTestWanted())
        PetscCall(TestRun(&large[k], backend, strategies[s], &(Way){.variant = "plain", .memory = k % 2 ? MEMORY : 0}));
    if (row && PlexTestWanted()) {
      PetscCall(TestConstants(backend, strategies[s]));
      PetscCall(TestMoved(backend, strategies[s], HEX, PETSC_DECIDE));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestQuickKernels());
  PetscCall(PetscOptionsGetString(NULL, NULL, "-type", typeName, sizeof(typeName), &onlyType));
  PetscCall(PlexTestEachBackend(RunKernels, RunHost));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
