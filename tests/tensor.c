static char help[] = "Tensor integration: Jacobians against quadrature and PETSc, what is chosen and why, elements that are not affine.\n\
  -backend, -type : only these\n\
  -shard <k>/<n>  : every n-th part, from the k-th\n\n";

#include <plexgpu/impl.h>
#include "meshes.h"
#include "problem.h"
#include "report.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* pointwise functions have more arguments than they use */
#include "coefficients.h"

#define SOURCE "tests/coefficients.h" /* from the top folder, where tests run */
#define TRI    DM_POLYTOPE_TRIANGLE
#define QUAD   DM_POLYTOPE_QUADRILATERAL
#define TET    DM_POLYTOPE_TETRAHEDRON
#define HEX    DM_POLYTOPE_HEXAHEDRON

static const char *const strategies[] = {PLEXASSEMBLYELEMENTCOLOR, PLEXASSEMBLYELEMENTATOMIC, PLEXASSEMBLYGLOBALNZ, PLEXASSEMBLYGLOBALROW, PLEXASSEMBLYSHAREDNZ, PLEXASSEMBLYSHAREDROW, PLEXASSEMBLYLOCALNZ, PLEXASSEMBLYLOCALROW};
#define STRATEGIES ((PetscInt)PETSC_STATIC_ARRAY_LENGTH(strategies))

/* ---- problems */

typedef struct {
  const char      *name;
  PetscPointJacFn *g[4], *d[4]; /* of the Jacobian and the dynamic one, of field 0 */
  PetscBool        vector, mixed;
  PetscInt         aux;       /* degree of a coefficient, -1: none */
  PetscInt         degree;    /* of tensors; -1: the functions depend on the solution */
  PetscBool        symmetric; /* G is, of one component */
  PetscBool        position;  /* tensors only where asked for */
} Form;

static const Form forms[] = {
  {"Laplacian",             {NULL, NULL, NULL, g3_laplace},               {NULL},                         PETSC_FALSE, PETSC_FALSE, -1, 0,  PETSC_TRUE,  PETSC_FALSE},
  {"all parts",             {g0_any, g1_any, g2_any, g3_any},             {NULL},                         PETSC_FALSE, PETSC_FALSE, -1, 0,  PETSC_FALSE, PETSC_FALSE},
  {"all parts, vector",     {g0_any, g1_any, g2_any, g3_any},             {NULL},                         PETSC_TRUE,  PETSC_FALSE, -1, 0,  PETSC_FALSE, PETSC_FALSE},
  {"elasticity",            {NULL, NULL, NULL, g3_elastic},               {NULL},                         PETSC_TRUE,  PETSC_FALSE, -1, 0,  PETSC_FALSE, PETSC_FALSE},
  {"mixed",                 {g0_any, NULL, NULL, g3_elastic},             {NULL},                         PETSC_TRUE,  PETSC_TRUE,  -1, 0,  PETSC_FALSE, PETSC_FALSE},
  {"constants",             {g0_constants, NULL, NULL, g3_constants},     {NULL},                         PETSC_FALSE, PETSC_FALSE, -1, 0,  PETSC_FALSE, PETSC_FALSE},
  {"time shift",            {g0_shift, NULL, NULL, g3_laplace},           {NULL},                         PETSC_FALSE, PETSC_FALSE, -1, 0,  PETSC_TRUE,  PETSC_FALSE},
  {"dynamic",               {NULL, NULL, g2_any, g3_laplace},             {g0_any, g1_any, NULL, NULL},   PETSC_FALSE, PETSC_FALSE, -1, 0,  PETSC_FALSE, PETSC_FALSE},
  {"coefficient, degree 0", {g0_any, NULL, NULL, g3_coefficient},         {NULL},                         PETSC_FALSE, PETSC_FALSE, 0,  0,  PETSC_TRUE,  PETSC_FALSE},
  {"coefficient, degree 1", {g0_any, NULL, NULL, g3_coefficient},         {NULL},                         PETSC_TRUE,  PETSC_FALSE, 1,  1,  PETSC_FALSE, PETSC_FALSE},
  {"coefficient, degree 2", {g0_any, NULL, NULL, g3_coefficient},         {NULL},                         PETSC_FALSE, PETSC_FALSE, 2,  2,  PETSC_TRUE,  PETSC_FALSE},
  {"coefficient squared",   {g0_squared, g1_slope, g2_any, g3_any},       {NULL},                         PETSC_FALSE, PETSC_FALSE, 1,  2,  PETSC_FALSE, PETSC_FALSE},
  {"position",              {NULL, NULL, NULL, g3_position},              {NULL},                         PETSC_FALSE, PETSC_FALSE, -1, 2,  PETSC_TRUE,  PETSC_TRUE },
  {"nonlinear",             {g0_nonlinear, NULL, NULL, g3_laplace},       {NULL},                         PETSC_FALSE, PETSC_FALSE, -1, -1, PETSC_FALSE, PETSC_FALSE},
  {"branch, negative",      {g0_negative, NULL, NULL, g3_laplace},        {NULL},                         PETSC_FALSE, PETSC_FALSE, -1, -1, PETSC_FALSE, PETSC_FALSE},
  {"branch, large",         {g0_hot, NULL, NULL, g3_laplace},             {NULL},                         PETSC_FALSE, PETSC_FALSE, -1, -1, PETSC_FALSE, PETSC_FALSE},
  {"branch, derivative",    {g0_steep, NULL, NULL, g3_laplace},           {NULL},                         PETSC_FALSE, PETSC_FALSE, -1, -1, PETSC_FALSE, PETSC_FALSE},
  {"branch, zero",          {g0_still, NULL, NULL, g3_laplace},           {NULL},                         PETSC_FALSE, PETSC_FALSE, -1, -1, PETSC_FALSE, PETSC_FALSE},
  {"everything",            {g0_squared, g1_slope, g2_any, g3_constants}, {g0_shift, g1_any, NULL, NULL}, PETSC_FALSE, PETSC_FALSE, 1,  2,  PETSC_FALSE, PETSC_FALSE},
  /* beyond polynomials, and a number that only one value of a coefficient makes */
  {"wave",                  {NULL, NULL, NULL, g3_wave},                  {NULL},                         PETSC_FALSE, PETSC_FALSE, -1, 4,  PETSC_TRUE,  PETSC_TRUE },
  {"material",              {NULL, NULL, NULL, g3_material},              {NULL},                         PETSC_FALSE, PETSC_FALSE, 0,  0,  PETSC_FALSE, PETSC_FALSE}
};
#define FORMS 18 /* that all cells and degrees are tried with */

static PetscErrorCode GetForm(const char name[], const Form **form)
{
  PetscBool same = PETSC_FALSE;

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(forms) && !same; ++k) {
    *form = &forms[k];
    PetscCall(PetscStrcmp(name, forms[k].name, &same));
  }
  PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "No form '%s'", name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  DMPolytopeType cell;
  PetscBool      box; /* quadrilaterals and hexahedra: parallelograms and parallelepipeds, cells of no box are distorted */
  PetscInt       cells, degree;
} Space;

/* Bent where bend is not 0, and else affine; from the coordinates of the box */
static PetscErrorCode MoveBox(DM dm, PetscReal bend)
{
  Vec          coordinates;
  PetscScalar *x;
  PetscInt     n, dim;

  PetscFunctionBegin;
  PetscCall(DMGetCoordinateDim(dm, &dim));
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &n));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt i = 0; i < n; i += dim) x[i + 1] += bend * x[i] * x[i];
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateBox(DMPolytopeType cell, DM *dm)
{
  const PetscInt faces[3] = {3, 2, 2}, dim = DMPolytopeTypeGetDim(cell);
  Vec            coordinates;
  PetscScalar   *x;
  PetscInt       n;

  PetscFunctionBegin;
  PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, dim, PETSC_FALSE, faces, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_TRUE, dm));
  PetscCall(DMGetCoordinatesLocal(*dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &n));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt i = 0; i < n; i += dim) {
    x[i] += 0.3 * x[i + 1];
    if (dim == 3) x[i + 1] += 0.2 * x[i + 2];
  }
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "held" is 1 on one facet of the boundary, 2 on another, so that small meshes keep dofs that are free */
static PetscErrorCode MarkHeld(DM dm)
{
  DMLabel         held;
  IS              facets;
  const PetscInt *points;
  PetscInt        n;

  PetscFunctionBegin;
  PetscCall(DMCreateLabel(dm, "held"));
  PetscCall(DMGetLabel(dm, "held", &held));
  PetscCall(PlexTestGetBoundary(dm, &facets));
  if (facets) {
    PetscCall(ISGetLocalSize(facets, &n));
    PetscCall(ISGetIndices(facets, &points));
    PetscCall(DMLabelSetValue(held, points[0], 1));
    PetscCall(DMLabelSetValue(held, points[n - 1], 2));
    PetscCall(ISRestoreIndices(facets, &points));
    PetscCall(ISDestroy(&facets));
  }
  PetscCall(DMPlexLabelComplete(dm, held));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddField(DM dm, const Space *space, PetscInt components, PetscInt degree, PetscInt order)
{
  PetscFE fe;

  PetscFunctionBegin;
  PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, DMPolytopeTypeGetDim(space->cell), components, space->cell, degree, order, &fe));
  PetscCall(DMAddField(dm, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddCoefficient(DM dm, const Space *space, PetscInt degree)
{
  DM      dmAux;
  Vec     a;
  PetscFE fe, main;

  PetscFunctionBegin;
  PetscCall(DMClone(dm, &dmAux));
  PetscCall(AddField(dmAux, space, 1, degree, PETSC_DETERMINE));
  PetscCall(DMGetField(dm, 0, NULL, (PetscObject *)&main));
  PetscCall(DMGetField(dmAux, 0, NULL, (PetscObject *)&fe));
  PetscCall(PetscFECopyQuadrature(main, fe));
  PetscCall(DMCreateDS(dmAux));
  PetscCall(PlexTestLocalVector(dmAux, 5, &a));
  PetscCall(DMSetAuxiliaryVec(dm, NULL, 0, 0, a));
  PetscCall(VecDestroy(&a));
  PetscCall(DMDestroy(&dmAux));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Zero(PetscInt dim, PetscReal time, const PetscReal x[], PetscInt Nc, PetscScalar *u, void *ctx)
{
  for (PetscInt c = 0; c < Nc; ++c) u[c] = 0.;
  return PETSC_SUCCESS;
}

static PetscErrorCode CreateProblem(const Space *space, const Form *form, DM *dm)
{
  const PetscInt    one = 1, two = 2, component = 0, dim = DMPolytopeTypeGetDim(space->cell);
  const PetscScalar constants[4] = {0.6, 1.4, 0.3, -0.2};
  PetscDS           ds;
  DMLabel           held;
  DMField           field;

  PetscFunctionBegin;
  if (space->box) PetscCall(CreateBox(space->cell, dm));
  else PetscCall(PlexTestMesh(PETSC_COMM_WORLD, space->cell, 0, dm));
  PetscCall(PlexTestKeepCells(dm, space->cells));
  PetscCall(MarkHeld(*dm));
  PetscCall(PlexTestDistribute(dm, 0, PETSC_FALSE));
  PetscCall(DMGetCoordinateField(*dm, &field));
  PetscCall(AddField(*dm, space, form->vector ? dim : 1, space->degree, space->degree));
  if (form->mixed) PetscCall(AddField(*dm, space, 1, space->degree - 1, space->degree));
  PetscCall(DMCreateDS(*dm));
  PetscCall(DMGetDS(*dm, &ds));
  PetscCall(PetscDSSetJacobian(ds, 0, 0, form->g[0], form->g[1], form->g[2], form->g[3]));
  if (form->d[0] || form->d[1]) PetscCall(PetscDSSetDynamicJacobian(ds, 0, 0, form->d[0], form->d[1], form->d[2], form->d[3]));
  if (form->mixed) {
    PetscCall(PetscDSSetJacobian(ds, 0, 1, NULL, NULL, g2_gradient, NULL));
    PetscCall(PetscDSSetJacobian(ds, 1, 0, NULL, g1_divergence, NULL, NULL));
    PetscCall(PetscDSSetJacobian(ds, 1, 1, g0_any, NULL, NULL, NULL));
  }
  PetscCall(PetscDSSetConstants(ds, 4, (PetscScalar *)constants));
  PetscCall(DMGetLabel(*dm, "held", &held));
  PetscCall(DMAddBoundary(*dm, DM_BC_ESSENTIAL, "held", held, 1, &one, 0, 0, NULL, (PetscVoidFn *)Zero, NULL, NULL, NULL));
  PetscCall(DMAddBoundary(*dm, DM_BC_ESSENTIAL, "guided", held, 1, &two, 0, 1, &component, (PetscVoidFn *)Zero, NULL, NULL, NULL));
  if (form->aux >= 0) PetscCall(AddCoefficient(*dm, space, form->aux));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- matrices */

static PetscErrorCode CreateAssembly(DM dm, const char backend[], const char type[], PlexIntegration integration, PetscBool single, PlexAssembly *assembly)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyCreate(dm, assembly));
  PetscCall(PlexAssemblySetFromOptions(*assembly));
  PetscCall(PlexAssemblySetBackend(*assembly, backend));
  if (type) PetscCall(PlexAssemblySetType(*assembly, type));
  PetscCall(PlexAssemblySetIntegration(*assembly, integration));
  PetscCall(PlexAssemblySetPrecision(*assembly, single ? PLEX_PRECISION_SINGLE : PLEX_PRECISION_DOUBLE));
  PetscCall(PlexAssemblySetPointwiseSource(*assembly, SOURCE));
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
static PetscErrorCode ComputeOnce(DM dm, const char backend[], const char type[], PlexIntegration integration, PetscBool single, Mat *J)
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
  if (product->tensor) PetscCall(PetscSNPrintf(text, size, "tensor %" PetscInt_FMT "%s", product->tensor->degree, product->tensor->symmetric ? " symmetric" : ""));
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

static PetscErrorCode ExpectChoice(Worst *worst, PlexAssembly assembly, const Form *form, const char choice[])
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
static PetscErrorCode CompareTensor(DM dm, const Form *form, Mat exact, Mat petsc, Worst *worst)
{
  PlexAssembly assembly;
  Mat          J = NULL;
  PetscReal    error;
  char         choice[64];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(choice, sizeof(choice), "tensor %" PetscInt_FMT "%s", form->degree, form->symmetric ? " symmetric" : ""));
  for (PetscInt single = 0; single < 2; ++single) {
    PetscCall(CreateAssembly(dm, PLEXBACKENDHOST, NULL, PLEX_INTEGRATION_TENSOR, (PetscBool)single, &assembly));
    PetscCall(ComputeJacobian(assembly, dm, &J));
    PetscCall(ExpectChoice(worst, assembly, form, choice));
    PetscCall(CompareMat(J, exact, &error));
    PetscCall(AddWorst(worst, error, single ? 1e-5 : 1e-13, form->name, single ? "single precision against quadrature" : "against quadrature"));
    PetscCall(CompareMat(J, petsc, &error));
    PetscCall(AddWorst(worst, error, single ? 1e-5 : 1e-12, form->name, "against PETSc"));
    PetscCall(PlexAssemblyDestroy(&assembly));
  }
  PetscCall(CreateAssembly(dm, PLEXBACKENDHOST, NULL, PLEX_INTEGRATION_AUTO, PETSC_FALSE, &assembly));
  PetscCall(ComputeJacobian(assembly, dm, &J));
  if (form->position) PetscCall(ExpectChoice(worst, assembly, form, "quadrature: the Jacobian's functions depend on the position"));
  else if (!form->degree) PetscCall(ExpectChoice(worst, assembly, form, choice));
  PetscCall(CompareMat(J, exact, &error));
  PetscCall(AddWorst(worst, error, 1e-13, form->name, "auto against quadrature"));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(MatDestroy(&J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* auto: quadrature */
static PetscErrorCode CompareQuadrature(DM dm, const Form *form, const char choice[], Mat petsc, Worst *worst)
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

static PetscErrorCode TestForms(const Space *space, const char name[])
{
  const PetscBool affine = (PetscBool)(space->box || space->cell == TRI || space->cell == TET);
  Worst           worst  = {.error = 0.};

  PetscFunctionBegin;
  for (PetscInt k = 0; k < FORMS; ++k) {
    const Form *form = &forms[k];
    DM          dm;
    Mat         petsc = NULL, exact = NULL;

    PetscCall(CreateProblem(space, form, &dm));
    PetscCall(ComputeJacobian(NULL, dm, &petsc));
    PetscCall(ComputeOnce(dm, PLEXBACKENDHOST, NULL, PLEX_INTEGRATION_QUADRATURE, PETSC_FALSE, &exact));
    if (form->degree < 0) PetscCall(CompareQuadrature(dm, form, "quadrature: the Jacobian's functions depend on the solution", petsc, &worst));
    else if (!affine) PetscCall(CompareQuadrature(dm, form, form->position ? "quadrature: the Jacobian's functions depend on the position" : "quadrature: the elements are not affine", petsc, &worst));
    else PetscCall(CompareTensor(dm, form, exact, petsc, &worst));
    PetscCall(MatDestroy(&petsc));
    PetscCall(MatDestroy(&exact));
    PetscCall(DMDestroy(&dm));
  }
  PetscCall(PlexTestReport((PetscBool)(worst.error <= 1.), name, "%s", worst.what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- chosen anew */

static PetscErrorCode ReportChoice(PlexAssembly assembly, DM dm, const char name[], const char choice[], Mat J, Mat exact)
{
  char      text[256];
  PetscBool same;
  PetscReal error;

  PetscFunctionBegin;
  PetscCall(GetChoice(assembly, text, sizeof(text)));
  PetscCall(PetscStrcmp(text, choice, &same));
  PetscCall(CompareMat(J, exact, &error));
  PetscCall(PlexTestReport((PetscBool)(same && error <= 1e-12), name, "'%s' and not '%s', error %g", text, choice, (double)error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Constants that make a number zero and a form symmetric, or not, between two Jacobians of one assembly */
static PetscErrorCode TestConstants(const char backend[], const char type[])
{
  const Space       space          = {TRI, PETSC_FALSE, 8, 2};
  const PetscScalar constants[][4] = {
    {0.,  1.2, 0.,  0.  },
    {0.,  1.2, 0.4, 0.4 },
    {0.7, 1.2, 0.4, -0.1},
    {0.7, 1.2, 0.,  0.  }
  };
  const char *const choices[] = {"tensor 0 symmetric", "tensor 0 symmetric", "tensor 0", "tensor 0 symmetric"};
  const Form       *form;
  PlexAssembly      assembly;
  PetscDS           ds;
  DM                dm;
  Mat               J = NULL, exact = NULL;
  char              name[128];

  PetscFunctionBegin;
  PetscCall(GetForm("constants", &form));
  PetscCall(CreateProblem(&space, form, &dm));
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(CreateAssembly(dm, backend, type, PLEX_INTEGRATION_AUTO, PETSC_FALSE, &assembly));
  for (PetscInt k = 0; k < 4; ++k) {
    PetscCall(PetscDSSetConstants(ds, 4, (PetscScalar *)constants[k]));
    PetscCall(ComputeJacobian(assembly, dm, &J));
    PetscCall(ComputeJacobian(NULL, dm, &exact));
    PetscCall(PetscSNPrintf(name, sizeof(name), "%s%s%s constants, set %" PetscInt_FMT, backend, type ? " " : "", type ? type : "", k));
    PetscCall(ReportChoice(assembly, dm, name, choices[k], J, exact));
  }
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(MatDestroy(&J));
  PetscCall(MatDestroy(&exact));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A mesh whose elements are bent, and straightened again, between the Jacobians of one assembly; degree: of tensors that are asked for */
static PetscErrorCode TestMoved(const char backend[], const char type[], DMPolytopeType cell, PetscInt degree)
{
  const Space     space     = {cell, PETSC_TRUE, 4, 1};
  const PetscReal bends[]   = {0., 0.15, -0.15};
  const char     *choices[] = {"tensor 0 symmetric", "quadrature: the elements are not affine", "tensor 0 symmetric"};
  const Form     *form;
  PlexAssembly    assembly;
  DM              dm, fresh;
  Mat             J = NULL;
  char            name[128], asked[32];

  PetscFunctionBegin;
  PetscCall(GetForm("Laplacian", &form));
  PetscCall(CreateProblem(&space, form, &dm));
  PetscCall(CreateProblem(&space, form, &fresh));
  PetscCall(CreateAssembly(dm, backend, type, degree < 0 ? PLEX_INTEGRATION_AUTO : PLEX_INTEGRATION_TENSOR, PETSC_FALSE, &assembly));
  if (degree >= 0) {
    PetscCall(PetscSNPrintf(asked, sizeof(asked), "%" PetscInt_FMT, degree));
    PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_tensor_degree", asked));
    PetscCall(PlexAssemblySetFromOptions(assembly));
    PetscCall(PetscSNPrintf(asked, sizeof(asked), "tensor %" PetscInt_FMT " symmetric", degree));
    for (PetscInt k = 0; k < 3; ++k) choices[k] = asked;
  }
  for (PetscInt k = 0; k < 3; ++k) {
    Mat exact = NULL;

    PetscCall(MoveBox(dm, bends[k]));
    PetscCall(MoveBox(fresh, bends[k]));
    PetscCall(ComputeJacobian(assembly, dm, &J));
    PetscCall(ComputeOnce(fresh, PLEXBACKENDHOST, NULL, degree < 0 ? PLEX_INTEGRATION_QUADRATURE : PLEX_INTEGRATION_TENSOR, PETSC_FALSE, &exact));
    PetscCall(PetscSNPrintf(name, sizeof(name), "%s%s%s moved %s%s, %s", backend, type ? " " : "", type ? type : "", DMPolytopeTypes[cell], degree < 0 ? "" : ", tensors asked for", !k ? "straight" : k == 1 ? "bent" : "straight again"));
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
  const Space  space = {TRI, PETSC_FALSE, 8, 2};
  const Form  *form;
  PlexAssembly assembly;
  Vec          a;
  DM           dm;
  Mat          J = NULL, exact = NULL;

  PetscFunctionBegin;
  PetscCall(GetForm("material", &form));
  PetscCall(CreateProblem(&space, form, &dm));
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
  const Asked *asked = (const Asked *)ctx;
  const Space  space = {TRI, PETSC_FALSE, 4, 2};
  const Form  *form;
  DM           dm;
  Mat          J = NULL;

  PetscFunctionBegin;
  PetscCall(GetForm(asked->form, &form));
  PetscCall(CreateProblem(&space, form, &dm));
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
  PetscCall(PetscSNPrintf(name, sizeof(name), "an error: %s%s%s", form, degree ? ", degree " : "", degree ? degree : ""));
  PetscCall(PlexTestReport((PetscBool)(ierr && found), name, "'%s' is not in '%s'", expected, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- elements that are not affine */

/* The error against quadrature falls with the degree of the geometry's interpolant */
static PetscErrorCode TestDegrees(const Space *space, const char name[])
{
  const Form *form;
  PetscReal   error[5];
  PetscBool   falls = PETSC_TRUE;
  DM          dm;
  Mat         exact = NULL, J = NULL;

  PetscFunctionBegin;
  PetscCall(GetForm("Laplacian", &form));
  PetscCall(CreateProblem(space, form, &dm));
  if (space->box) PetscCall(MoveBox(dm, 0.3));
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
  PetscCall(PlexTestReport((PetscBool)(falls && error[0] > 1e-3), name, "errors %.2g %.2g %.2g %.2g %.2g", (double)error[0], (double)error[1], (double)error[2], (double)error[3], (double)error[4]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "  errors against quadrature, degrees 0 to 4: %.2g %.2g %.2g %.2g %.2g\n", (double)error[0], (double)error[1], (double)error[2], (double)error[3], (double)error[4]));
  PetscCall(MatDestroy(&exact));
  PetscCall(MatDestroy(&J));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- strategies */

typedef struct {
  Space           space;
  const char     *form;
  PlexIntegration integration;
  PetscBool       single;
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
  {{QUAD, PETSC_FALSE, 0, 2}, "nonlinear",             QUADRATURE, PETSC_FALSE},
  {{QUAD, PETSC_TRUE, 0, 2},  "coefficient, degree 0", TENSOR,     PETSC_FALSE},
  {{TET, PETSC_FALSE, 0, 1},  "nonlinear",             QUADRATURE, PETSC_FALSE},
  {{TET, PETSC_FALSE, 0, 2},  "Laplacian",             TENSOR,     PETSC_FALSE},
  {{TET, PETSC_FALSE, 0, 3},  "Laplacian",             TENSOR,     PETSC_TRUE },
  {{HEX, PETSC_FALSE, 0, 1},  "all parts",             QUADRATURE, PETSC_FALSE},
  {{HEX, PETSC_TRUE, 0, 1},   "elasticity",            TENSOR,     PETSC_FALSE}
};

static PetscErrorCode View(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyView((PlexAssembly)ctx, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* turns: the strategy is to turn elements */
static PetscErrorCode TestRun(const Run *run, const char backend[], const char type[], PetscBool turns)
{
  const char *const precisions[] = {"", ", single precision"};
  const Form       *form;
  PlexAssembly      assembly;
  DM                dm;
  Mat               J = NULL, petsc = NULL;
  PetscReal         error;
  char              name[256], text[16384], *found = text;

  PetscFunctionBegin;
  PetscCall(GetForm(run->form, &form));
  PetscCall(CreateProblem(&run->space, form, &dm));
  PetscCall(ComputeJacobian(NULL, dm, &petsc));
  PetscCall(CreateAssembly(dm, backend, type, run->integration, run->single, &assembly));
  PetscCall(ComputeJacobian(assembly, dm, &J));
  PetscCall(CompareMat(J, petsc, &error));
  PetscCall(PlexTestCapture(View, assembly, text, sizeof(text)));
  if (turns) PetscCall(PetscStrstr(text, "elements turned", &found));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s %s %s of degree %" PetscInt_FMT ": %s by %s%s", backend, type, DMPolytopeTypes[run->space.cell], run->space.degree, form->name, PlexIntegrations[run->integration], precisions[run->single]));
  PetscCall(PlexTestReport((PetscBool)(error <= (run->single ? 1e-5 : 1e-12) && found), name, "error %g%s", (double)error, found ? "" : ", elements are not turned"));
  PetscCall(MatDestroy(&J));
  PetscCall(MatDestroy(&petsc));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the parts */

static PetscInt  part = 0, shard[2] = {0, 1};
static PetscBool onlyBackend = PETSC_FALSE, onlyType = PETSC_FALSE;
static char      backendName[64] = "", typeName[64] = "";

/* Every shard[1]-th part is for this run */
static PetscBool Wanted(void)
{
  return (PetscBool)(part++ % shard[1] == shard[0]);
}

static PetscErrorCode RunHost(void)
{
  PetscFunctionBegin;
  for (PetscInt degree = 1; degree <= 3; ++degree) {
    const Space spaces[] = {
      {TRI,  PETSC_FALSE, 8, degree},
      {QUAD, PETSC_TRUE,  6, degree},
      {QUAD, PETSC_FALSE, 6, degree},
      {TET,  PETSC_FALSE, 5, degree},
      {HEX,  PETSC_TRUE,  2, degree},
      {HEX,  PETSC_FALSE, 2, degree}
    };

    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(spaces); ++k) {
      char name[128];

      if (!Wanted()) continue;
      PetscCall(PetscSNPrintf(name, sizeof(name), "host %s%s of degree %" PetscInt_FMT, DMPolytopeTypes[spaces[k].cell], spaces[k].box ? " affine" : "", degree));
      PetscCall(TestForms(&spaces[k], name));
    }
  }
  if (Wanted()) {
    PetscCall(TestConstants(PLEXBACKENDHOST, NULL));
    PetscCall(TestMoved(PLEXBACKENDHOST, NULL, HEX, PETSC_DECIDE));
    PetscCall(TestMoved(PLEXBACKENDHOST, NULL, QUAD, PETSC_DECIDE));
    PetscCall(TestMoved(PLEXBACKENDHOST, NULL, HEX, 2));
    PetscCall(TestMaterial());
  }
  if (Wanted()) {
    PetscCall(TestError("nonlinear", NULL, "the Jacobian's functions depend on the solution. Use -plex_assembly_integration quadrature"));
    PetscCall(TestError("branch, large", NULL, "the Jacobian's functions depend on the solution"));
    PetscCall(TestError("wave", NULL, "no polynomials of a degree up to 3"));
    PetscCall(TestError("Laplacian", "9", "-plex_assembly_tensor_degree 9"));
    PetscCall(TestError("Laplacian", "-2", "-plex_assembly_tensor_degree -2"));
    PetscCall(TestDegrees(&(Space){QUAD, PETSC_FALSE, 6, 2}, "degrees quadrilateral"));
    PetscCall(TestDegrees(&(Space){HEX, PETSC_FALSE, 4, 2}, "degrees hexahedron"));
    PetscCall(TestDegrees(&(Space){HEX, PETSC_TRUE, 4, 1}, "degrees hexahedron bent"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunKernels(const char backend[])
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (PetscInt s = 0; s < STRATEGIES; ++s) {
    PetscBool same = PETSC_TRUE, row;

    PetscCall(PetscStrcmp(strategies[s], PLEXASSEMBLYLOCALROW, &row));
    if (onlyType) PetscCall(PetscStrcmp(strategies[s], typeName, &same));
    if (!same) continue;
    /* of several processes each compiles kernels of its own: a few cases */
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(all); ++k)
      if ((size == 1 || k % 4 == 2) && Wanted()) PetscCall(TestRun(&all[k], backend, strategies[s], PETSC_FALSE));
    for (size_t k = 0; row && k < PETSC_STATIC_ARRAY_LENGTH(turned); ++k)
      if ((size == 1 || k % 4 == 2) && Wanted()) PetscCall(TestRun(&turned[k], backend, strategies[s], PETSC_TRUE));
    if (row && Wanted()) {
      PetscCall(TestConstants(backend, strategies[s]));
      PetscCall(TestMoved(backend, strategies[s], HEX, PETSC_DECIDE));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *backends = getenv("PLEXGPU_TEST_BACKENDS") ? getenv("PLEXGPU_TEST_BACKENDS") : "host,emulate";
  char        text[64] = "";
  char      **names;
  int         n;
  PetscBool   set, host, there;
  PetscMPIInt size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-backend", backendName, sizeof(backendName), &onlyBackend));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-type", typeName, sizeof(typeName), &onlyType));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-shard", text, sizeof(text), &set));
  if (set) PetscCheck(sscanf(text, "%" PetscInt_FMT "/%" PetscInt_FMT, &shard[0], &shard[1]) == 2 && shard[1] > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "-shard %s: this is <k>/<n>", text);
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscStrToArray(onlyBackend ? backendName : backends, ',', &n, &names));
  for (int k = 0; k < n; ++k) {
    PetscCall(PlexBackendIsAvailable(names[k], &there));
    PetscCall(PetscStrcmp(names[k], PLEXBACKENDHOST, &host));
    if (!there) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "skip %s: it is not available here\n", names[k]));
    else if (!host) PetscCall(RunKernels(names[k]));
    else if (size == 1) PetscCall(RunHost());
  }
  PetscCall(PetscStrToArrayDestroy(n, names));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
