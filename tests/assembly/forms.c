static char help[] = "All that a weak form of PETSc's finite elements may hold, compared with PETSc's own assembly, on "
                     "any number of processes.\n"
                     "  -backend, -type : only these\n"
                     "  -only <text>    : only the cases with this in their name\n"
                     "  -shard <k>/<n>  : every n-th case, from the k-th\n\n";

#include <plexgpu/impl.h>
#include "weakform.h"
#include "problem.h"
#include "report.h"

static const char *const strategies[] = {PLEXASSEMBLYELEMENTCOLOR, PLEXASSEMBLYELEMENTATOMIC, PLEXASSEMBLYGLOBALNZ,
                                         PLEXASSEMBLYGLOBALROW,    PLEXASSEMBLYSHAREDNZ,      PLEXASSEMBLYSHAREDROW,
                                         PLEXASSEMBLYLOCALNZ,      PLEXASSEMBLYLOCALROW};
#define STRATEGIES 8

typedef struct {
  const char      *name;
  PlexTestWeakForm form;
  PetscInt         first, strategies; /* of strategies[], where a backend has them */
} Case;

/* ---- comparison */

typedef struct {
  Case        c;
  const char *backend, *type;
  PetscReal   F, J, P, G; /* largest relative errors: residual, Jacobian, preconditioner's matrix, right-hand side */
  PetscReal   A;          /* of actions of the Jacobian; not looked at where kernels are compiled for them */
} Result;

static const PetscReal testTime = 0.7, testShift = 1.3;

/* moving: with a time derivative, as TS does; else as SNES does */
static PetscErrorCode CompareResidual(PlexAssembly assembly, DM dm, PetscBool moving, PetscReal *error)
{
  Vec       X, X_t, F, G;
  PetscReal e;

  PetscFunctionBegin;
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(PlexTestLocalVector(dm, 2, &X_t));
  PetscCall(VecDuplicate(X, &F));
  PetscCall(VecDuplicate(X, &G));
  PetscCall(VecSet(F, 3.));
  PetscCall(VecSet(G, 0.));
  PetscCall(PlexAssemblyComputeFunction(assembly, X, moving ? X_t : NULL, moving ? testTime : 0., F));
  if (moving) PetscCall(DMPlexTSComputeIFunctionFEM(dm, testTime, X, X_t, G, NULL));
  else PetscCall(DMPlexSNESComputeResidualFEM(dm, X, G, NULL));
  PetscCall(PlexTestVecError(F, G, &e));
  *error = PetscMax(*error, e);
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&X_t));
  PetscCall(VecDestroy(&F));
  PetscCall(VecDestroy(&G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareRHS(PlexAssembly assembly, DM dm, PetscReal *error)
{
  Vec X, F, G;

  PetscFunctionBegin;
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(VecDuplicate(X, &F));
  PetscCall(VecDuplicate(X, &G));
  PetscCall(VecSet(F, 3.));
  PetscCall(VecSet(G, 0.));
  PetscCall(PlexAssemblyComputeRHSFunction(assembly, X, testTime, F));
  PetscCall(DMPlexTSComputeRHSFunctionFEM(dm, testTime, X, G, NULL));
  PetscCall(PlexTestVecError(F, G, error));
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&F));
  PetscCall(VecDestroy(&G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One matrix (errorP NULL), or two */
static PetscErrorCode CompareJacobian(PlexAssembly assembly, DM dm, PetscBool moving, PetscBool symmetric,
                                      PetscReal *errorJ, PetscReal *errorP)
{
  Vec       X, X_t;
  Mat       J[2], P[2]; /* here, by PETSc */
  PetscReal e;

  PetscFunctionBegin;
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(PlexTestLocalVector(dm, 2, &X_t));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(DMCreateMatrix(dm, &J[k]));
    P[k] = J[k];
    if (errorP) PetscCall(DMCreateMatrix(dm, &P[k]));
    if (symmetric && !k) PetscCall(MatSetOption(J[k], MAT_SYMMETRIC, PETSC_TRUE));
  }
  PetscCall(PlexAssemblyComputeJacobian(assembly, X, moving ? X_t : NULL, moving ? testTime : 0.,
                                        moving ? testShift : 0., J[0], P[0]));
  if (moving) PetscCall(DMPlexTSComputeIJacobianFEM(dm, testTime, X, X_t, testShift, J[1], P[1], NULL));
  else PetscCall(DMPlexSNESComputeJacobianFEM(dm, X, J[1], P[1], NULL));
  PetscCall(PlexTestMatError(J[0], J[1], &e));
  *errorJ = PetscMax(*errorJ, e);
  if (errorP) {
    PetscCall(PlexTestMatError(P[0], P[1], &e));
    *errorP = PetscMax(*errorP, e);
  }
  for (PetscInt k = 0; k < 2; ++k) {
    if (errorP) PetscCall(MatDestroy(&P[k]));
    PetscCall(MatDestroy(&J[k]));
  }
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&X_t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The Jacobian as a matrix of type plexgpu, beside another one where `beside`, against the assembled one: products with
   it and its transpose, the diagonal */
static PetscErrorCode CompareActions(PlexAssembly assembly, DM dm, PetscBool moving, PetscBool beside, PetscReal *error)
{
  Vec       X, X_t, x, y[2];
  Mat       A[2], P;
  PetscReal e;

  PetscFunctionBegin;
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(PlexTestLocalVector(dm, 2, &X_t));
  PetscCall(DMCreateMatrix(dm, &P));
  PetscCall(DMCreateMatrix(dm, &A[1]));
  PetscCall(DMSetMatType(dm, MATPLEXGPU));
  PetscCall(DMSetMatrixPreallocateSkip(dm, PETSC_TRUE));
  PetscCall(DMCreateMatrix(dm, &A[0]));
  PetscCall(DMSetMatrixPreallocateSkip(dm, PETSC_FALSE));
  PetscCall(DMSetMatType(dm, MATAIJ));
  for (PetscInt k = 0; k < 2; ++k)
    PetscCall(PlexAssemblyComputeJacobian(assembly, X, moving ? X_t : NULL, moving ? testTime : 0.,
                                          moving ? testShift : 0., A[k], beside ? P : A[k]));
  PetscCall(MatCreateVecs(A[1], &x, &y[0]));
  PetscCall(VecDuplicate(x, &y[1]));
  for (PetscInt mode = 0; mode < 3; ++mode) {
    PetscCall(VecSetRandom(x, NULL));
    for (PetscInt k = 0; k < 2; ++k) {
      if (mode == 0) PetscCall(MatMult(A[k], x, y[k]));
      else if (mode == 1) PetscCall(MatMultTranspose(A[k], x, y[k]));
      else PetscCall(MatGetDiagonal(A[k], y[k]));
    }
    PetscCall(PlexTestVecError(y[0], y[1], &e));
    *error = PetscMax(*error, e);
  }
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(VecDestroy(&y[k]));
    PetscCall(MatDestroy(&A[k]));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&P));
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&X_t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two matrices, and no functions for a preconditioner: P gets the whole Jacobian, and J, which has no values to set
   here, nothing */
static PetscErrorCode CompareWhole(PlexAssembly assembly, DM dm, PetscReal *error)
{
  Vec       X;
  Mat       J, P, reference;
  PetscInt  n;
  PetscReal e;

  PetscFunctionBegin;
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(DMCreateMatrix(dm, &P));
  PetscCall(DMCreateMatrix(dm, &reference));
  PetscCall(MatGetLocalSize(P, &n, NULL));
  PetscCall(MatCreateShell(PETSC_COMM_WORLD, n, n, PETSC_DETERMINE, PETSC_DETERMINE, NULL, &J));
  PetscCall(PlexAssemblyComputeJacobian(assembly, X, NULL, 0., 0., J, P));
  PetscCall(DMPlexSNESComputeJacobianFEM(dm, X, reference, reference, NULL));
  PetscCall(PlexTestMatError(P, reference, &e));
  *error = PetscMax(*error, e);
  PetscCall(MatDestroy(&J));
  PetscCall(MatDestroy(&P));
  PetscCall(MatDestroy(&reference));
  PetscCall(VecDestroy(&X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Other values of the auxiliary fields: in the same vector, in another one, in one of another DM; and none */
static PetscErrorCode ChangeAuxiliary(DM dm, const PlexTestWeakForm *form, PetscInt round)
{
  Vec a, b;
  DM  dmAux;

  PetscFunctionBegin;
  PetscCall(DMGetAuxiliaryVec(dm, NULL, 0, 0, &a));
  PetscCall(VecGetDM(a, &dmAux));
  if (round == 1) PetscCall(VecScale(a, -0.6));
  else if (round == 2) {
    PetscCall(PlexTestLocalVector(dmAux, 9, &b));
    PetscCall(DMSetAuxiliaryVec(dm, NULL, 0, 0, b));
    PetscCall(VecDestroy(&b));
  } else if (round == 3) PetscCall(PlexTestAddAuxiliary(dm, dmAux, form));
  else PetscCall(DMSetAuxiliaryVec(dm, NULL, 0, 0, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunCase(void *ctx)
{
  PlexAssemblyCounts counts;
  Result            *r   = (Result *)ctx;
  const Case        *c   = &r->c;
  const PetscInt     has = c->form.has, rounds = !(has & (AUX | ENCLOSING)) ? 1 : has & OWN_AUX ? 4 : 5;
  PlexAssembly       assembly;
  /* PETSc keeps geometry from call to call: a mesh that moves is another one for it */
  DM       dm, reference;
  PetscInt here[2], left[2], residuals = 0, jacobians = 0;
  /* compared with PETSc */
  const PetscBool two = has & PRECONDITIONER && !(has & PRE_ONLY) && !(has & UNUSED && has & FACETS) ? PETSC_TRUE
                                                                                                     : PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PlexTestWeakFormCreate(&c->form, &dm));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetFromOptions(assembly));
  PetscCall(PlexAssemblySetBackend(assembly, r->backend));
  if (r->type) PetscCall(PlexAssemblySetType(assembly, r->type));
  PetscCall(PlexAssemblySetPrecision(assembly, has & SINGLE ? PLEX_PRECISION_SINGLE : PLEX_PRECISION_DOUBLE));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_INTEGRALS));
  reference = dm;
  PetscCall(PetscObjectReference((PetscObject)dm));
  if (has & MOVED) {
    PetscCall(PlexTestCompute(assembly, dm));
    PetscCall(PlexTestMove(dm, has & EXCHANGED ? PETSC_TRUE : PETSC_FALSE));
    PetscCall(DMDestroy(&reference));
    PetscCall(PlexTestWeakFormCreate(&c->form, &reference));
    PetscCall(PlexTestMove(reference, PETSC_FALSE));
    ++residuals;
    ++jacobians;
  }
  for (PetscInt round = 0; round < rounds; ++round) {
    if (round) PetscCall(ChangeAuxiliary(dm, &c->form, round));
    for (PetscInt moving = 0; moving < 2; ++moving) {
      PetscCall(CompareResidual(assembly, reference, (PetscBool)moving, &r->F));
      PetscCall(CompareJacobian(assembly, reference, (PetscBool)moving, has & SYMMETRIC ? PETSC_TRUE : PETSC_FALSE,
                                &r->J, NULL));
      if (two)
        PetscCall(CompareJacobian(assembly, reference, (PetscBool)moving, has & SYMMETRIC ? PETSC_TRUE : PETSC_FALSE,
                                  &r->J, &r->P));
      residuals += 1;
      jacobians += two ? 2 : 1;
      if (assembly->backend->kernels || has & PRE_ONLY) continue; /* kernels: the test actions */
      PetscCall(CompareActions(assembly, reference, (PetscBool)moving, (PetscBool)(two && !(has & UNUSED)), &r->A));
      jacobians += 2;
    }
  }
  if (has & UNUSED) {
    PetscCall(CompareWhole(assembly, dm, &r->P));
    ++jacobians;
  }
  if (has & EXPLICIT) {
    PetscCall(CompareRHS(assembly, reference, &r->G));
    ++residuals;
  }
  PetscCall(PlexAssemblyGetCounts(assembly, &counts));
  here[0] = counts.residuals;
  here[1] = counts.jacobians;
  left[0] = counts.residualsLeft;
  left[1] = counts.jacobiansLeft;
  PetscCheck(here[0] == residuals && here[1] == jacobians && !left[0] && !left[1], PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%" PetscInt_FMT " of %" PetscInt_FMT " residuals and %" PetscInt_FMT " of %" PetscInt_FMT
             " Jacobians computed here, %" PetscInt_FMT " and %" PetscInt_FMT " left to PETSc",
             here[0], residuals, here[1], jacobians, left[0], left[1]);
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&reference));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the integrals, which the view shows */

static PetscErrorCode View(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyView((PlexAssembly)ctx, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether one of a list of integrals is over n facets of the label "open" with this value, or over n cells (value 0) */
static PetscErrorCode HasIntegral(PlexAssembly first, PetscInt value, PetscInt n, PetscBool *has)
{
  PetscFunctionBegin;
  *has = PETSC_FALSE;
  for (PlexAssembly inner = first; inner; inner = inner->next) { /* all processes have the same ones */
    const PlexIntegral *integral = &inner->elements->integral;
    const char         *label    = integral->label ? ((PetscObject)integral->label)->name : "";
    const PetscBool     is  = (PetscBool)(value ? integral->facets && integral->value == value && !strcmp(label, "open")
                                                : !integral->facets);
    PetscInt            all = inner->elements->Ne;

    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &all, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
    if (is && all == n) *has = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestIntegral(PlexAssembly first, PetscInt value, PetscInt n, const char what[])
{
  PetscBool has;

  PetscFunctionBegin;
  PetscCall(HasIntegral(first, value, n, &has));
  PetscCall(PlexTestReport(has, what, "there is no such integral"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtIntegrals(void)
{
  const PlexTestWeakForm form = {
    DM_POLYTOPE_TRIANGLE,
    8,
    2,
    {{1, 0, PLEX_TEST_LAGRANGE}, {1, 1, PLEX_TEST_LAGRANGE}},
    FACETS | AUX | PRECONDITIONER | EXPLICIT
  };
  PlexAssembly       assembly;
  PlexElements       el;
  DM                 dm;
  Result             r = {.c = {.name = NULL}};
  PlexAssemblyCounts counts;
  PetscBool          facets[2];
  char               text[16384], *found;

  PetscFunctionBegin;
  PetscCall(PlexTestWeakFormCreate(&form, &dm));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, PLEXBACKENDHOST));
  PetscCall(CompareResidual(assembly, dm, PETSC_FALSE, &r.F));
  PetscCall(CompareRHS(assembly, dm, &r.G));
  PetscCall(CompareJacobian(assembly, dm, PETSC_FALSE, PETSC_FALSE, &r.J, &r.P));
  el = assembly->elements;
  PetscCall(PlexTestReport((PetscBool)(el->NfAux == 2 && el->ea == 5), "auxiliary fields and their dofs",
                           "%" PetscInt_FMT " and %" PetscInt_FMT, el->NfAux, el->ea));
  PetscCall(TestIntegral(assembly->next, 4, 2, "2 facets of value 4 are added"));
  PetscCall(TestIntegral(assembly->next, 5, 4, "4 facets of value 5 are added"));
  PetscCall(TestIntegral(assembly->preconditioner, 0, 8, "the preconditioner's matrix has 8 cells"));
  PetscCall(TestIntegral(assembly->explicitPart, 0, 8, "the right-hand side has 8 cells"));
  PetscCall(HasIntegral(assembly->explicitPart, 4, 4, &facets[0]));
  PetscCall(HasIntegral(assembly->explicitPart, 5, 4, &facets[1]));
  PetscCall(PlexTestReport((PetscBool)(facets[0] || facets[1]), "the right-hand side has 4 facets",
                           "there is no such integral"));
  PetscCall(PlexAssemblyGetCounts(assembly, &counts));
  PetscCall(PlexTestReport((PetscBool)(counts.residuals == 2 && counts.jacobians == 1 && !counts.residualsLeft &&
                                       !counts.jacobiansLeft),
                           "products of all integrals are counted once",
                           "here %" PetscInt_FMT " and %" PetscInt_FMT ", left to PETSc %" PetscInt_FMT
                           " and %" PetscInt_FMT,
                           counts.residuals, counts.jacobians, counts.residualsLeft, counts.jacobiansLeft));
  PetscCall(PlexTestCapture(View, assembly, text, sizeof(text)));
  PetscCall(PetscStrstr(text, "\"open\"", &found));
  PetscCall(PlexTestReport((PetscBool)(found != NULL), "the view names the label of facets", "it is:\n%s", text));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Tuning makes the terms anew that are added to the first one, within the first Jacobian: they have constants and
   patterns then, and the preconditioner's matrix has its own */
static PetscErrorCode LookAtTuning(PetscBool two)
{
  const PlexTestWeakForm form = {
    DM_POLYTOPE_TRIANGLE, 8, 2, {{1, 0, PLEX_TEST_LAGRANGE}, {1, 1, PLEX_TEST_LAGRANGE}},
       FACETS | PRECONDITIONER
  };
  PlexAssembly assembly;
  DM           dm;
  PetscReal    J = 0., P = 0.;

  PetscFunctionBegin;
  PetscCall(PlexTestWeakFormCreate(&form, &dm));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, PLEXBACKENDHOST));
  PetscCall(PlexAssemblySetTune(assembly, PLEX_TUNE_QUICK));
  PetscCall(PlexAssemblySetTuneArchive(assembly, "")); /* none */
  PetscCall(CompareJacobian(assembly, dm, PETSC_FALSE, PETSC_FALSE, &J, two ? &P : NULL));
  PetscCall(PlexTestReport((PetscBool)(J <= 1e-12 && P <= 1e-12 && assembly->strategy[PLEX_JACOBIAN].tuned),
                           two ? "the first Jacobian is tuned, and a preconditioner's matrix is computed with it"
                               : "the first Jacobian is tuned",
                           "relative errors: Jacobian %.3g, preconditioner's matrix %.3g; tuned %d", (double)J,
                           (double)P, (int)assembly->strategy[PLEX_JACOBIAN].tuned));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- bases of vectors: few types serve them, of which auto takes one */

static PetscErrorCode SetUpLocalRow(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblySetType((PlexAssembly)ctx, PLEXASSEMBLYLOCALROW));
  PetscCall(PlexAssemblySetUp((PlexAssembly)ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtVectors(const char backend[])
{
  const PlexTestWeakForm form = {
    DM_POLYTOPE_TRIANGLE, 8, 2, {{1, 0, PLEX_TEST_RT}, {0, 1, PLEX_TEST_LAGRANGE}},
       0
  };
  const char *const words[] = {"local_row", "a basis of vectors", "element_color", NULL};
  PlexAssemblyType  type;
  PlexAssembly      assembly;
  PetscReal         J      = 0.;
  PetscBool         serves = PETSC_FALSE, same;
  DM                dm;

  PetscFunctionBegin;
  PetscCall(PlexTestWeakFormCreate(&form, &dm));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, backend));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_INTEGRALS));
  PetscCall(PlexAssemblySetExpectedAssemblies(assembly, PETSC_UNLIMITED));
  PetscCall(CompareJacobian(assembly, dm, PETSC_FALSE, PETSC_FALSE, &J, NULL));
  PetscCall(PlexAssemblyGetJacobianType(assembly, &type));
  for (PetscInt s = 0; s < 4 && type; ++s) {
    PetscCall(PetscStrcmp(type, strategies[s], &same));
    serves = (PetscBool)(serves || same);
  }
  PetscCall(PlexTestReport((PetscBool)(serves && J <= 1e-12), "auto takes a type that serves a basis of vectors",
                           "it takes %s; relative error of the Jacobian %.3g", type ? type : "none", (double)J));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, backend));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_INTEGRALS));
  PetscCall(PlexTestExpect("other types do not", SetUpLocalRow, assembly, words));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the cases */

#define VECTOR(degree) {degree, 0, PLEX_TEST_LAGRANGE}
#define SCALAR(degree) {degree, 1, PLEX_TEST_LAGRANGE}
#define DISC           {1, 1, PLEX_TEST_DISC}
#define RT(degree)     {degree, 0, PLEX_TEST_RT}
#define BDM(degree)    {degree, 0, PLEX_TEST_BDM}
#define NEDELEC        {1, 0, PLEX_TEST_NEDELEC}
#define ENRICHED       {1, 0, PLEX_TEST_ENRICHED}
#define TEN_SCALARS \
  {SCALAR(1), SCALAR(1), SCALAR(1), SCALAR(1), SCALAR(1), SCALAR(1), SCALAR(1), SCALAR(1), SCALAR(1), SCALAR(1)}
#define SEG   DM_POLYTOPE_SEGMENT
#define TRI   DM_POLYTOPE_TRIANGLE
#define QUAD  DM_POLYTOPE_QUADRILATERAL
#define TET   DM_POLYTOPE_TETRAHEDRON
#define HEX   DM_POLYTOPE_HEXAHEDRON
#define PRISM DM_POLYTOPE_TRI_PRISM

// clang-format off
static const Case cases[] = {
  /* several fields */
  {"P2-P1 triangles", {TRI, 8, 2, {VECTOR(2), SCALAR(1)}, SPARSE}, 0, 8},
  {"Q2-Q1 quadrilaterals", {QUAD, 6, 2, {VECTOR(2), SCALAR(1)}, SPARSE}, 3, 3},
  {"P2-P0 triangles", {TRI, 8, 2, {VECTOR(2), SCALAR(0)}, SPARSE}, 5, 3},
  {"Q2-P1disc quadrilaterals", {QUAD, 6, 2, {VECTOR(2), DISC}, SPARSE}, 1, 3},
  {"P2-P1-P1 triangles", {TRI, 6, 3, {VECTOR(2), SCALAR(1), SCALAR(1)}, SPARSE}, 4, 3},
  {"P1-P2-P3 triangles", {TRI, 3, 3, {SCALAR(1), SCALAR(2), SCALAR(3)}, 0}, 6, 3},
  {"P2-P1 tetrahedra", {TET, 3, 2, {VECTOR(2), SCALAR(1)}, SPARSE}, 2, 2},
  {"Q1-Q1-Q0 hexahedra", {HEX, 3, 3, {VECTOR(1), SCALAR(1), SCALAR(0)}, 0}, 7, 2},
  {"P2-P1 triangles single", {TRI, 6, 2, {VECTOR(2), SCALAR(1)}, SPARSE | SINGLE}, 3, 2},
  /* many fields */
  {"ten fields triangles", {TRI, 6, 10, TEN_SCALARS, CHAIN | AUX | NINE_AUX}, 1, 2},
  {"ten fields tetrahedra", {TET, 3, 10, TEN_SCALARS, CHAIN | DYNAMIC | FACETS}, 4, 1},
  {"ten fields of constants", {TRI, 6, 10, TEN_SCALARS, CHAIN | CONSTANT}, 6, 2},
  /* what a PetscDS may hold */
  {"preconditioner", {TRI, 8, 2, {VECTOR(2), SCALAR(1)}, PRECONDITIONER | SPARSE}, 0, 8},
  {"preconditioner alone", {QUAD, 6, 1, {VECTOR(1)}, PRECONDITIONER | PRE_ONLY}, 2, 2},
  {"preconditioner not used", {TRI, 6, 1, {VECTOR(1)}, PRECONDITIONER | UNUSED}, 1, 2},
  {"facets, preconditioner not used", {TRI, 6, 1, {VECTOR(1)}, FACETS | PRECONDITIONER | UNUSED}, 1, 2},
  {"dynamic Jacobian", {TRI, 8, 2, {VECTOR(1), SCALAR(1)}, DYNAMIC | SPARSE}, 0, 8},
  {"dynamic Jacobian preconditioned", {QUAD, 6, 1, {VECTOR(1)}, DYNAMIC | PRECONDITIONER}, 5, 2},
  {"several functions a key", {TRI, 8, 2, {VECTOR(1), SCALAR(1)}, SEVERAL | DYNAMIC}, 4, 3},
  {"implicit and explicit fields", {TRI, 8, 2, {VECTOR(2), SCALAR(1)}, EXPLICIT}, 0, 8},
  {"explicit field alone", {QUAD, 6, 1, {VECTOR(1)}, EXPLICIT}, 3, 2},
  /* auxiliary fields */
  {"auxiliary triangles", {TRI, 8, 1, {SCALAR(1)}, AUX}, 0, 8},
  {"auxiliary P2-P1 triangles", {TRI, 8, 2, {VECTOR(2), SCALAR(1)}, AUX}, 0, 8},
  {"auxiliary quadrilaterals", {QUAD, 6, 1, {VECTOR(2)}, AUX}, 5, 3},
  {"auxiliary tetrahedra", {TET, 6, 1, {VECTOR(1)}, AUX}, 2, 3},
  {"auxiliary hexahedra", {HEX, 3, 1, {SCALAR(2)}, AUX}, 6, 3},
  {"auxiliary single", {TRI, 8, 1, {VECTOR(1)}, AUX | SINGLE}, 4, 3},
  {"auxiliary on the whole mesh", {TRI, 8, 1, {VECTOR(1)}, ENCLOSING}, 3, 4},
  /* bases of vectors, by the types that serve them */
  {"RT-P0 triangles", {TRI, 8, 2, {RT(1), SCALAR(0)}, 0}, 0, 4},
  {"RT quadrilaterals", {QUAD, 6, 2, {RT(1), SCALAR(0)}, PRECONDITIONER}, 2, 1},
  {"RT of degree 2 quadrilaterals", {QUAD, 6, 2, {RT(2), SCALAR(1)}, SEVERAL}, 3, 1},
  {"RT tetrahedra", {TET, 6, 2, {RT(1), SCALAR(0)}, DYNAMIC}, 0, 1},
  {"RT hexahedra", {HEX, 3, 2, {RT(1), SCALAR(0)}, 0}, 1, 1},
  {"BDM triangles", {TRI, 8, 2, {BDM(1), SCALAR(0)}, AUX}, 2, 1},
  {"BDM of degree 2 triangles", {TRI, 8, 1, {BDM(2)}, SPARSE}, 3, 1},
  {"P1-RT curved triangles", {TRI, 8, 2, {VECTOR(1), RT(1)}, CURVED}, 0, 1},
  {"Nedelec triangles", {TRI, 8, 2, {NEDELEC, SCALAR(1)}, 0}, 1, 1},
  {"Nedelec tetrahedra", {TET, 6, 2, {NEDELEC, SCALAR(1)}, 0}, 2, 1},
  {"enriched prisms", {PRISM, 4, 2, {ENRICHED, SCALAR(1)}, 0}, 3, 1},
  {"RT single", {TRI, 8, 2, {RT(1), SCALAR(0)}, SINGLE}, 0, 1},
  {"RT moved", {QUAD, 6, 1, {RT(1)}, MOVED}, 1, 1},
  {"RT symmetric", {TRI, 8, 2, {RT(1), SCALAR(0)}, CONSTANT | SYMMETRIC}, 2, 1},
  {"RT periodic", {QUAD, 0, 2, {RT(1), SCALAR(0)}, PERIODIC}, 3, 1},
  {"RT overlap", {TRI, 8, 2, {RT(1), SCALAR(0)}, PRECONDITIONER | OVERLAP}, 0, 1},
  {"facets RT-P0 triangles", {TRI, 8, 2, {RT(1), SCALAR(0)}, FACETS}, 0, 4},
  {"facets RT quadrilaterals", {QUAD, 6, 2, {RT(1), SCALAR(0)}, FACETS | AUX}, 2, 1},
  {"facets RT curved triangles", {TRI, 8, 1, {RT(1)}, FACETS | CURVED}, 3, 1},
  {"facets RT tetrahedra", {TET, 6, 1, {RT(1)}, FACETS}, 0, 1},
  /* natural boundary conditions */
  {"facets triangles", {TRI, 8, 1, {SCALAR(1)}, FACETS}, 0, 8},
  {"facets P2-P1 triangles", {TRI, 8, 2, {VECTOR(2), SCALAR(1)}, FACETS}, 1, 3},
  {"facets quadrilaterals", {QUAD, 6, 1, {VECTOR(2)}, FACETS}, 0, 2},
  {"facets tetrahedra", {TET, 6, 1, {VECTOR(1)}, FACETS}, 1, 2},
  {"facets P2 tetrahedra", {TET, 3, 1, {SCALAR(2)}, FACETS}, 4, 1},
  {"facets hexahedra", {HEX, 3, 2, {VECTOR(1), SCALAR(1)}, FACETS}, 0, 2},
  {"facets curved triangles", {TRI, 8, 1, {VECTOR(2)}, FACETS | CURVED}, 6, 2},
  {"facets curved quadrilaterals", {QUAD, 6, 1, {SCALAR(2)}, FACETS | CURVED}, 0, 2},
  {"facets curved tetrahedra", {TET, 4, 1, {SCALAR(1)}, FACETS | CURVED}, 1, 1},
  {"facets curved hexahedra", {HEX, 3, 1, {SCALAR(1)}, FACETS | CURVED}, 0, 1},
  {"lone facets curved triangles", {TRI, 8, 1, {VECTOR(2)}, FACETS | CURVED | LONE}, 0, 2},
  {"lone facets quadrilaterals", {QUAD, 6, 2, {VECTOR(2), SCALAR(1)}, FACETS | LONE}, 1, 2},
  {"lone facets hexahedra", {HEX, 8, 1, {VECTOR(1)}, FACETS | LONE}, 0, 1},
  {"facets Q2 hexahedra", {HEX, 2, 1, {SCALAR(2)}, FACETS}, 0, 1},
  {"facets, a matrix said to be symmetric", {TRI, 8, 1, {VECTOR(1)}, FACETS | SYMMETRIC}, 0, 8},
  {"facets single", {QUAD, 6, 1, {VECTOR(1)}, FACETS | SINGLE}, 1, 2},
  {"facets auxiliary triangles", {TRI, 8, 2, {VECTOR(2), SCALAR(1)}, FACETS | AUX}, 0, 3},
  {"facets auxiliary keyed", {QUAD, 6, 1, {VECTOR(1)}, FACETS | AUX | OWN_AUX}, 0, 3},
  {"facets auxiliary hexahedra", {HEX, 3, 1, {SCALAR(1)}, FACETS | AUX}, 1, 1},
  {"facets preconditioner dynamic", {TRI, 8, 2, {VECTOR(1), SCALAR(1)}, FACETS | PRECONDITIONER | DYNAMIC | SEVERAL}, 0,
   3},
  {"facets for a preconditioner", {TRI, 8, 2, {VECTOR(2), SCALAR(1)}, FACETS | FACETS_PRE | PRECONDITIONER}, 0, 4},
  {"facets alone for a preconditioner", {QUAD, 6, 1, {VECTOR(1)}, FACETS | FACETS_PRE}, 0, 3},
  {"facets for a preconditioner auxiliary", {TET, 6, 1, {SCALAR(1)}, FACETS | FACETS_PRE | PRECONDITIONER | AUX}, 1, 2},
  {"facets explicit", {TRI, 8, 2, {VECTOR(1), SCALAR(1)}, FACETS | EXPLICIT}, 1, 3},
  {"facets auxiliary on the whole mesh", {QUAD, 6, 1, {VECTOR(1)}, FACETS | ENCLOSING}, 0, 1},
  {"facets inside triangles", {TRI, 8, 2, {VECTOR(2), SCALAR(1)}, FACETS | INSIDE}, 0, 2},
  {"facets inside tetrahedra", {TET, 6, 1, {VECTOR(1)}, FACETS | INSIDE}, 0, 1},
  /* parts of a mesh that only some processes have, or several */
  {"idle process facets auxiliary", {TET, 6, 1, {VECTOR(1)}, FACETS | AUX | IDLE}, 1, 1},
  {"idle process region explicit", {TRI, 8, 2, {VECTOR(1), SCALAR(0)}, REGION | EXPLICIT | IDLE}, 4, 1},
  {"overlap facets preconditioner", {TRI, 8, 2, {VECTOR(1), SCALAR(1)}, FACETS | PRECONDITIONER | OVERLAP}, 0, 1},
  {"overlap auxiliary inside", {QUAD, 6, 1, {VECTOR(1)}, FACETS | INSIDE | AUX | OVERLAP}, 7, 1},
  /* regions */
  {"region with a field", {TRI, 8, 2, {VECTOR(2), SCALAR(0)}, REGION}, 0, 8},
  {"region auxiliary", {QUAD, 6, 2, {VECTOR(1), SCALAR(0)}, REGION | AUX}, 4, 3},
  {"region preconditioner explicit", {TRI, 8, 2, {VECTOR(1), SCALAR(0)}, REGION | PRECONDITIONER | EXPLICIT}, 1, 3},
  /* segments, surfaces, curves */
  {"segments", {SEG, 0, 1, {VECTOR(1)}, 0}, 0, 8},
  {"P2-P1 segments auxiliary", {SEG, 0, 2, {SCALAR(2), SCALAR(1)}, AUX | DYNAMIC}, 3, 3},
  {"facets segments", {SEG, 0, 1, {SCALAR(2)}, FACETS}, 1, 3},
  {"curved P2 segments", {SEG, 0, 1, {SCALAR(2)}, CURVED}, 5, 3},
  {"region segments", {SEG, 0, 2, {SCALAR(1), SCALAR(0)}, REGION}, 0, 2},
  {"surface of triangles", {TRI, 0, 1, {VECTOR(1)}, BENT}, 0, 8},
  {"surface of P2-P1 triangles auxiliary", {TRI, 0, 2, {VECTOR(2), SCALAR(1)}, BENT | AUX | PRECONDITIONER}, 1, 3},
  {"surface of quadrilaterals", {QUAD, 6, 1, {SCALAR(2)}, BENT}, 2, 4},
  {"curved surface of P2 triangles", {TRI, 8, 1, {SCALAR(2)}, BENT | CURVED}, 0, 2},
  {"surface of triangles single", {TRI, 8, 1, {VECTOR(1)}, BENT | SINGLE}, 7, 1},
  {"curve in a plane", {SEG, 0, 1, {VECTOR(2)}, BENT}, 0, 8},
  {"curve in space", {SEG, 0, 2, {VECTOR(2), SCALAR(1)}, BENT2 | DYNAMIC}, 4, 4},
  /* geometry */
  {"curved P2 triangles", {TRI, 8, 1, {VECTOR(2)}, CURVED}, 3, 2},
  {"curved Q2 quadrilaterals", {QUAD, 6, 1, {SCALAR(2)}, CURVED}, 5, 2},
  {"curved P1 tetrahedra", {TET, 6, 1, {VECTOR(1)}, CURVED}, 7, 2},
  {"curved Q2 hexahedra", {HEX, 2, 1, {SCALAR(2)}, CURVED}, 1, 2},
  {"periodic quadrilaterals", {QUAD, 0, 1, {VECTOR(2)}, PERIODIC}, 0, 8},
  {"periodic triangles", {TRI, 0, 1, {SCALAR(2)}, PERIODIC}, 2, 3},
  {"periodic hexahedra", {HEX, 0, 1, {SCALAR(1)}, PERIODIC}, 4, 3},
  {"periodic facets auxiliary", {QUAD, 0, 1, {VECTOR(1)}, PERIODIC | FACETS | AUX}, 0, 2},
  {"moved triangles facets", {TRI, 8, 1, {VECTOR(1)}, MOVED | EXCHANGED | FACETS}, 0, 3},
  {"moved quadrilaterals facets", {QUAD, 6, 2, {VECTOR(2), SCALAR(1)}, MOVED | FACETS}, 5, 2}
};
// clang-format on

/* ---- which of them */

typedef struct {
  char type[64], only[256];
  int  shard, shards, count;
} Selection;
static Selection selection;

/* On several processes an error of one of them ends the test: the others may wait for it */
static PetscErrorCode Look(const Case *c, const char backend[], const char type[])
{
  Result         result = {.c = *c, .backend = backend, .type = type};
  char           name[256], text[2048] = "", *found;
  PetscErrorCode ierr = PETSC_SUCCESS;
  PetscMPIInt    size;
  PetscBool      device, same = PETSC_TRUE;
  PetscReal      tolerance = c->form.has & SINGLE ? 2e-5 : 1e-12, most;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s%s%s %s", backend, type ? " " : "", type ? type : "", c->name));
  PetscCall(PetscStrstr(name, selection.only, &found));
  if (selection.type[0]) PetscCall(PetscStrcmp(type ? type : "", selection.type, &same));
  if (!found || !same || selection.count++ % selection.shards != selection.shard) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscStrcmp(backend, PLEXBACKENDCUDA, &device));
  if (device) result.c.form.has |= DEVICE;
  if (size > 1) PetscCall(RunCase(&result));
  else PetscCall(PlexTestTry(RunCase, &result, &ierr, text, sizeof(text)));
  if (ierr) {
    PetscCall(PlexTestReport(PETSC_FALSE, name, "error %d: %s", (int)ierr, text));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  most = PetscMax(PetscMax(PetscMax(result.F, result.J), PetscMax(result.P, result.G)), result.A);
  PetscCall(PlexTestReport((PetscBool)(most <= tolerance), name,
                           "relative errors: residual %.3g, Jacobian %.3g, preconditioner's matrix %.3g, right-hand "
                           "side %.3g, actions %.3g",
                           (double)result.F, (double)result.J, (double)result.P, (double)result.G, (double)result.A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A case with a backend: on one process with all its strategies, on 2, 4 and more with the one that comes second, third
   and so on */
static PetscErrorCode LookAtCase(const Case *c, const char backend[])
{
  PetscMPIInt size;
  PetscBool   host;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscStrcmp(backend, PLEXBACKENDHOST, &host));
  if (host) PetscCall(Look(c, backend, NULL));
  else if (size > 1) PetscCall(Look(c, backend, strategies[(c->first + (size / 2) % c->strategies) % STRATEGIES]));
  else {
    for (PetscInt s = 0; s < c->strategies; ++s) PetscCall(Look(c, backend, strategies[(c->first + s) % STRATEGIES]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetSelection(void)
{
  char shard[64] = "0/1";

  PetscFunctionBegin;
  PetscOptionsBegin(PETSC_COMM_SELF, NULL, "Which cases", NULL);
  PetscCall(PetscOptionsString("-type", "Only this strategy", NULL, "", selection.type, sizeof(selection.type), NULL));
  PetscCall(PetscOptionsString("-only", "Only cases with this in their name", NULL, "", selection.only,
                               sizeof(selection.only), NULL));
  PetscCall(PetscOptionsString("-shard", "Every n-th case, from the k-th", NULL, shard, shard, sizeof(shard), NULL));
  PetscOptionsEnd();
  PetscCheck(sscanf(shard, "%d/%d", &selection.shard, &selection.shards) == 2 && selection.shard >= 0 &&
               selection.shard < selection.shards,
             PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "-shard %s: give k/n with 0 <= k < n", shard);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;
  PetscMPIInt        size;
  PetscBool          host;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PlexTestQuickKernels());
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_fallback", "false"));
  PetscCall(GetSelection());
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) {
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) PetscCall(LookAtCase(&cases[k], backends[b]));
    PetscCall(PetscStrcmp(backends[b], PLEXBACKENDHOST, &host));
    if (!host && !selection.shard && size == 1) PetscCall(LookAtVectors(backends[b]));
  }
  if (!selection.shard) PetscCall(LookAtIntegrals());
  for (PetscInt two = 0; two < 2 && !selection.shard; ++two) PetscCall(LookAtTuning((PetscBool)two));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
