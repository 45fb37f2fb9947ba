static char
  help[] = "Matrices of type plexgpu, by kernels and on the host: actions of a Jacobian against the assembled "
           "one, the adjoint, blocks of the diagonal, Newton's method, essential rows, messages. The test forms "
           "has the actions of all its cases on the host.\n\n";

#include <plexgpu/impl.h>
#include "meshes.h"
#include "weakform.h"
#include "problem.h"
#include "report.h"

#define TRI  DM_POLYTOPE_TRIANGLE
#define QUAD DM_POLYTOPE_QUADRILATERAL
#define HEX  DM_POLYTOPE_HEXAHEDRON
#define TET  DM_POLYTOPE_TETRAHEDRON

/* A case of kernels: few, as each takes three */
typedef struct {
  const char      *name, *type;
  PlexTestWeakForm form;
  PlexApply        apply;
  const char      *says; /* words of the view, or NULL */
} Case;

// clang-format off
static const Case cases[] = {
  {"P2-P1 triangles, auxiliary fields, facets, dynamic", PLEXASSEMBLYELEMENTATOMIC,
   {TRI, 6, 2, {{2, 0, PLEX_TEST_LAGRANGE}, {1, 1, PLEX_TEST_LAGRANGE}}, AUX | FACETS | DYNAMIC}, PLEX_APPLY_STORED, NULL},
  {"Q1 hexahedra, a vector", PLEXASSEMBLYELEMENTCOLOR, {HEX, 3, 1, {{1, 0, PLEX_TEST_LAGRANGE}}, 0}, PLEX_APPLY_STORED, NULL},
  {"RT-P0 triangles", PLEXASSEMBLYELEMENTATOMIC,
   {TRI, 8, 2, {{1, 0, PLEX_TEST_RT}, {0, 1, PLEX_TEST_LAGRANGE}}, 0}, PLEX_APPLY_AUTO, NULL},
  {"P1 triangles single", PLEXASSEMBLYGLOBALNZ, {TRI, 8, 1, {{1, 1, PLEX_TEST_LAGRANGE}}, SINGLE}, PLEX_APPLY_EVALUATED, NULL},
  {"Q2 quadrilaterals single", PLEXASSEMBLYELEMENTATOMIC, {QUAD, 5, 1, {{2, 1, PLEX_TEST_LAGRANGE}}, SINGLE},
   PLEX_APPLY_STORED, "sums along lines of 3 nodes"},
  {"P2 triangles, constants", PLEXASSEMBLYELEMENTATOMIC, {TRI, 8, 1, {{2, 1, PLEX_TEST_LAGRANGE}}, CONSTANT},
   PLEX_APPLY_STORED, "modes"},
  {"P4 triangles, a vector", PLEXASSEMBLYELEMENTATOMIC, {TRI, 5, 1, {{4, 0, PLEX_TEST_LAGRANGE}}, 0},
   PLEX_APPLY_STORED, "16 elements a warp"},
  {"P4 triangles, a vector, in colours", PLEXASSEMBLYELEMENTCOLOR, {TRI, 5, 1, {{4, 0, PLEX_TEST_LAGRANGE}}, 0},
   PLEX_APPLY_STORED, "a warp an element"},
  {"Q2-Q1 hexahedra", PLEXASSEMBLYELEMENTATOMIC,
   {HEX, 2, 2, {{2, 0, PLEX_TEST_LAGRANGE}, {1, 1, PLEX_TEST_LAGRANGE}}, 0}, PLEX_APPLY_STORED, "16 elements a warp"},
  {"P3 triangles, constants", PLEXASSEMBLYELEMENTATOMIC, {TRI, 8, 1, {{3, 1, PLEX_TEST_LAGRANGE}}, CONSTANT},
   PLEX_APPLY_STORED, "even and odd modes"},
};
// clang-format on

/* A matrix of this type of the assembly's DM */
static PetscErrorCode CreateMatrix(PlexAssembly assembly, MatType type, Mat *A)
{
  DM dm = assembly->dm;

  PetscFunctionBegin;
  PetscCall(DMSetMatType(dm, type));
  PetscCall(PlexAssemblyCreateMatrix(assembly, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Errors of products with A and its transpose, added to vectors too, and of the diagonal, against B; (Ax, y) - (x, A^T y)
   over |Ax| |y| */
static PetscErrorCode CompareMatrices(Mat A, Mat B, PetscReal error[4])
{
  Mat         mat[2] = {A, B};
  Vec         x, z, y[2];
  PetscScalar dot[2];
  PetscReal   norm[2];

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(B, &x, &y[0]));
  PetscCall(VecDuplicate(x, &y[1]));
  PetscCall(VecDuplicate(x, &z));
  PetscCall(VecSetRandom(x, NULL));
  PetscCall(VecSetRandom(z, NULL));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(MatMultAdd(mat[k], x, z, y[k]));
  PetscCall(PlexTestVecError(y[0], y[1], &error[0]));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(VecCopy(z, y[k]));
    PetscCall(MatMultTransposeAdd(mat[k], x, y[k], y[k]));
  }
  PetscCall(PlexTestVecError(y[0], y[1], &error[1]));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(MatGetDiagonal(mat[k], y[k]));
  PetscCall(PlexTestVecError(y[0], y[1], &error[2]));
  PetscCall(MatMult(A, x, y[0]));
  PetscCall(MatMultTranspose(A, z, y[1]));
  PetscCall(VecTDot(y[0], z, &dot[0]));
  PetscCall(VecTDot(x, y[1], &dot[1]));
  PetscCall(VecNorm(y[0], NORM_2, &norm[0]));
  PetscCall(VecNorm(z, NORM_2, &norm[1]));
  error[3] = PetscAbsScalar(dot[0] - dot[1]) / (norm[0] * norm[1]);
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&z));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(VecDestroy(&y[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReportErrors(const char of[], const char what[], const PetscReal e[4], PetscReal tolerance)
{
  PetscFunctionBegin;
  PetscCall(PlexTestReportOf((PetscBool)(e[0] <= tolerance && e[1] <= tolerance && e[2] <= tolerance &&
                                         e[3] <= tolerance),
                             of, what, "A v %.3g, A^T v %.3g, diagonal %.3g, adjoint %.3g", (double)e[0], (double)e[1],
                             (double)e[2], (double)e[3]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether products with cells of the first region are made of stored coefficients, on all processes that have some */
static PetscErrorCode IsStored(PlexAssembly assembly, PetscBool *stored)
{
  const PlexAssembly term = assembly->action[PLEX_ACTION_APPLY];

  PetscFunctionBegin;
  *stored = (PetscBool)(term && (term->product[PLEX_RESIDUAL].stored || !term->elements->Ne));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, stored, 1, MPI_C_BOOL, MPI_LAND, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ViewAssembly(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyView((PlexAssembly)ctx, PETSC_VIEWER_STDOUT_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the view of an assembly has these words; on several processes it is not looked at, as process 0 alone has it */
static PetscErrorCode Says(PlexAssembly assembly, const char name[], const char words[])
{
  PetscMPIInt size;
  char        text[16384], *found;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexTestCapture(ViewAssembly, assembly, text, sizeof(text)));
  PetscCall(PetscStrstr(text, words, &found));
  PetscCall(PlexTestReportOf((PetscBool)(found != NULL), name, "the view says how coefficients are used",
                             "no '%s' in\n%s", words, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Against the matrix that the host assembles */
static PetscErrorCode LookAtCase(const Case *c, const char backend[])
{
  const PetscReal tolerance = c->form.has & SINGLE ? 2e-5 : 1e-13;
  PlexAssembly    assembly[2];
  PetscReal       error[4];
  char            name[128];
  Mat             A, B;
  Vec             X, X_t;
  DM              dm;
  PetscBool       device, stored;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s %s", backend, c->name));
  PetscCall(PetscStrcmp(backend, PLEXBACKENDCUDA, &device));
  PetscCall(PlexTestWeakFormCreate(&c->form, &dm));
  if (device) PetscCall(PlexTestUseDevice(dm));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(PlexAssemblyCreate(dm, &assembly[k]));
    PetscCall(PlexAssemblySetBackend(assembly[k], k ? PLEXBACKENDHOST : backend));
    PetscCall(PlexAssemblySetPointwiseSource(assembly[k], PLEX_TEST_INTEGRALS));
  }
  PetscCall(PlexAssemblySetType(assembly[0], c->type));
  PetscCall(PlexAssemblySetApply(assembly[0], c->apply));
  if (c->form.has & SINGLE) PetscCall(PlexAssemblySetPrecision(assembly[0], PLEX_PRECISION_SINGLE));
  PetscCall(CreateMatrix(assembly[1], device ? MATAIJCUSPARSE : MATAIJ, &B));
  PetscCall(CreateMatrix(assembly[0], MATPLEXGPU, &A));
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(PlexTestLocalVector(dm, 2, &X_t));
  PetscCall(PlexAssemblyComputeJacobian(assembly[0], X, X_t, 0.7, 1.3, A, A));
  PetscCall(PlexAssemblyComputeJacobian(assembly[1], X, X_t, 0.7, 1.3, B, B));
  PetscCall(VecSet(X, 0.)); /* the matrix has its own state */
  PetscCall(CompareMatrices(A, B, error));
  PetscCall(ReportErrors(name, "the actions are those of the assembled matrix", error, tolerance));
  if (c->says) PetscCall(Says(assembly[0], name, c->says));
  PetscCall(IsStored(assembly[0], &stored));
  if (c->apply != PLEX_APPLY_AUTO)
    PetscCall(PlexTestReportOf((PetscBool)(stored == (PetscBool)(c->apply == PLEX_APPLY_STORED)), name,
                               "coefficients are stored where it was asked for", "stored %d", (int)stored));
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&X_t));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(PlexAssemblyDestroy(&assembly[k]));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtKernels(const char backend[])
{
  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k)
    if (PlexTestWanted()) PetscCall(LookAtCase(&cases[k], backend));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- on the host */

typedef struct {
  DM           dm;
  PlexAssembly assembly;
  Vec          X; /* a state */
  Mat          A; /* of type plexgpu */
} Problem;

static PetscErrorCode ProblemCreate(const PlexTestProblem *problem, Problem *p)
{
  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, problem->cell, 0, &p->dm));
  PetscCall(PlexTestProblemShare(problem, 0, &p->dm));
  PetscCall(PlexAssemblySetSNESLocal(p->dm, NULL));
  PetscCall(PlexAssemblyGetFromDM(p->dm, &p->assembly));
  PetscCall(PlexAssemblySetBackend(p->assembly, PLEXBACKENDHOST));
  PetscCall(PlexTestLocalVector(p->dm, 1, &p->X));
  PetscCall(DMSetMatType(p->dm, MATPLEXGPU));
  PetscCall(DMCreateMatrix(p->dm, &p->A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ProblemDestroy(Problem *p)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&p->X));
  PetscCall(MatDestroy(&p->A));
  PetscCall(DMDestroy(&p->dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Conversion, a copy, blocks of the diagonal, what the view says */
static PetscErrorCode View(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(MatView((Mat)ctx, PETSC_VIEWER_STDOUT_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtMatrix(void)
{
  const PlexTestProblem problem = {.cell = TRI, .degree = 1, .components = 2, .form = PLEX_TEST_GENERAL};
  const PetscScalar    *blocks[2];
  PetscReal             error[4], most = 0., largest = 0.;
  Problem               p;
  PetscInt              n, bs[2];
  MatInfo               info;
  Mat                   B, C;
  char                  text[1024], *found;

  PetscFunctionBegin;
  PetscCall(ProblemCreate(&problem, &p));
  PetscCall(PlexAssemblyComputeJacobian(p.assembly, p.X, NULL, 0., 0., p.A, p.A));
  PetscCall(MatConvert(p.A, MATAIJ, MAT_INITIAL_MATRIX, &B));
  PetscCall(MatDuplicate(p.A, MAT_COPY_VALUES, &C));
  PetscCall(CompareMatrices(p.A, B, error));
  PetscCall(ReportErrors("matrix", "MatConvert() gives the assembled one", error, 1e-13));
  PetscCall(CompareMatrices(C, B, error));
  PetscCall(ReportErrors("matrix", "a copy is the same", error, 1e-13));
  /* constraints of one component alone leave no blocks: PETSc then has 1 as block size */
  PetscCall(MatGetBlockSize(p.A, &bs[0]));
  PetscCall(MatGetBlockSize(B, &bs[1]));
  PetscCall(MatGetLocalSize(B, &n, NULL));
  PetscCall(MatInvertBlockDiagonal(p.A, &blocks[0]));
  PetscCall(MatInvertBlockDiagonal(B, &blocks[1]));
  for (PetscInt k = 0; k < n * bs[1] && bs[0] == bs[1]; ++k) {
    most    = PetscMax(most, PetscAbsScalar(blocks[0][k] - blocks[1][k]));
    largest = PetscMax(largest, PetscAbsScalar(blocks[1][k]));
  }
  PetscCall(PlexTestReportOf((PetscBool)(bs[0] == bs[1] && most <= 1e-12 * largest), "matrix",
                             "inverses of the diagonal's blocks", "sizes %d and %d, error %.3g of %.3g", (int)bs[0],
                             (int)bs[1], (double)most, (double)largest));
  PetscCall(MatGetInfo(p.A, MAT_LOCAL, &info));
  PetscCall(PlexTestCapture(View, p.A, text, sizeof(text)));
  PetscCall(PetscStrstr(text, "bytes", &found));
  PetscCall(PlexTestReportOf((PetscBool)(found && info.memory > 0. && info.nz_allocated == 0.), "matrix",
                             "the view and MatGetInfo() say bytes", "%g bytes, the view is:\n%s", info.memory, text));
  PetscCall(MatDestroy(&B));
  PetscCall(MatDestroy(&C));
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All components are held where any are: blocks of 2 */
static PetscErrorCode LookAtBlocks(void)
{
  const PlexTestProblem problem = {.cell       = QUAD,
                                   .degree     = 1,
                                   .components = 2,
                                   .form       = PLEX_TEST_GENERAL,
                                   .whole      = PETSC_TRUE};
  const PetscScalar    *blocks[2];
  PetscReal             most = 0., largest = 0.;
  PetscInt              n, bs;
  Problem               p;
  Mat                   B;

  PetscFunctionBegin;
  PetscCall(ProblemCreate(&problem, &p));
  PetscCall(PlexAssemblyComputeJacobian(p.assembly, p.X, NULL, 0., 0., p.A, p.A));
  PetscCall(MatConvert(p.A, MATAIJ, MAT_INITIAL_MATRIX, &B));
  PetscCall(MatGetBlockSize(p.A, &bs));
  PetscCall(MatGetLocalSize(B, &n, NULL));
  PetscCall(MatSetBlockSize(p.A, 2)); /* with other constraints PETSc has it so */
  PetscCall(MatSetBlockSize(B, 2));
  PetscCall(MatInvertBlockDiagonal(p.A, &blocks[0]));
  PetscCall(MatInvertBlockDiagonal(B, &blocks[1]));
  for (PetscInt k = 0; k < n * 2; ++k) {
    most    = PetscMax(most, PetscAbsScalar(blocks[0][k] - blocks[1][k]));
    largest = PetscMax(largest, PetscAbsScalar(blocks[1][k]));
  }
  PetscCall(PlexTestReportOf((PetscBool)(most <= 1e-12 * largest && largest > 0.), "matrix",
                             "inverses of the diagonal's blocks of 2", "error %.3g of %.3g, block size %d",
                             (double)most, (double)largest, (int)bs));
  PetscCall(MatDestroy(&B));
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of two fields of one degree, whose matrix PETSc would give blocks of 2, the block of one */
static PetscErrorCode LookAtFields(void)
{
  const PlexTestWeakForm form = {
    QUAD, 6, 2, {{2, 1, PLEX_TEST_LAGRANGE}, {2, 1, PLEX_TEST_LAGRANGE}},
       0
  };
  PlexAssembly     assembly;
  PetscReal        error;
  Vec              X, x, y[2];
  Mat              A, B, sub[2];
  IS              *fields;
  DM               dm;
  PetscObjectState state[2];

  PetscFunctionBegin;
  PetscCall(PlexTestWeakFormCreate(&form, &dm));
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, PLEXBACKENDHOST));
  PetscCall(CreateMatrix(assembly, MATPLEXGPU, &A));
  PetscCall(CreateMatrix(assembly, MATAIJ, &B));
  PetscCall(PlexAssemblyComputeJacobian(assembly, X, NULL, 0., 0., A, A));
  PetscCall(PlexAssemblyComputeJacobian(assembly, X, NULL, 0., 0., B, B));
  PetscCall(DMCreateFieldIS(dm, NULL, NULL, &fields));
  PetscCall(MatCreateSubMatrix(A, fields[0], fields[1], MAT_INITIAL_MATRIX, &sub[0]));
  PetscCall(MatCreateSubMatrix(B, fields[0], fields[1], MAT_INITIAL_MATRIX, &sub[1]));
  PetscCall(MatCreateVecs(sub[1], &x, &y[0]));
  PetscCall(VecDuplicate(y[0], &y[1]));
  PetscCall(VecSetRandom(x, NULL));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(MatMult(sub[k], x, y[k]));
  PetscCall(PetscObjectStateGet((PetscObject)sub[0], &state[0]));
  PetscCall(MatCreateSubMatrix(A, fields[0], fields[1], MAT_REUSE_MATRIX, &sub[0]));
  PetscCall(PetscObjectStateGet((PetscObject)sub[0], &state[1]));
  PetscCall(PlexTestReportOf((PetscBool)(state[1] > state[0]), "matrix",
                             "solvers of a block see that it is another one", "state %d", (int)state[1]));
  PetscCall(PlexTestVecError(y[0], y[1], &error));
  PetscCall(PlexTestReportOf((PetscBool)(error <= 1e-13), "matrix", "a block of two fields of one degree", "error %.3g",
                             (double)error));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(ISDestroy(&fields[k]));
    PetscCall(MatDestroy(&sub[k]));
    PetscCall(VecDestroy(&y[k]));
  }
  PetscCall(PetscFree(fields));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&X));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Coordinates of degree 2, whose interpolation has the DM's type in PETSc */
static PetscErrorCode LookAtCoordinates(void)
{
  Vec      x;
  PetscInt n;
  DM       dm;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL,
                                     "-space_dm_plex_simplex 0 -space_dm_plex_box_faces 3,2 -space_dm_coord_space 1 "
                                     "-space_dm_coord_petscspace_degree 2 -space_dm_mat_type plexgpu"));
  PetscCall(DMCreate(PETSC_COMM_WORLD, &dm));
  PetscCall(DMSetType(dm, DMPLEX));
  PetscCall(DMSetOptionsPrefix(dm, "space_"));
  PetscCall(DMSetFromOptions(dm));
  PetscCall(DMGetCoordinates(dm, &x));
  PetscCall(VecGetSize(x, &n));
  PetscCall(PlexTestReportOf((PetscBool)(n == 70), "matrix", "a space of coordinates of degree 2", "%d coordinates",
                             (int)n));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Newton's method with J assembled, with J of type plexgpu beside the same P, with that alone, and as 1 by the option */
static PetscErrorCode Newton(PetscInt how, PetscInt its[2], Vec *u)
{
  const PlexTestProblem problem = {.cell = QUAD, .degree = 2, .components = 1, .form = PLEX_TEST_DIFFUSION};
  Problem               p;
  SNES                  snes;
  KSP                   ksp;
  PC                    pc;
  Mat                   J, P;
  PetscBool             acts;

  PetscFunctionBegin;
  PetscCall(ProblemCreate(&problem, &p));
  PetscCall(DMSetMatType(p.dm, MATAIJ));
  PetscCall(DMCreateMatrix(p.dm, &P));
  PetscCall(SNESCreate(PETSC_COMM_WORLD, &snes));
  PetscCall(SNESSetDM(snes, p.dm));
  if (how < 3) PetscCall(SNESSetJacobian(snes, how ? p.A : P, how == 2 ? p.A : P, NULL, NULL));
  else PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_apply", "true"));
  PetscCall(SNESSetTolerances(snes, 1e-12, 1e-12, 0., 20, PETSC_CURRENT));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(KSPSetTolerances(ksp, 1e-10, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, how == 2 ? PCJACOBI : PCBJACOBI));
  PetscCall(DMCreateGlobalVector(p.dm, u));
  PetscCall(VecSet(*u, 0.));
  PetscCall(SNESSolve(snes, NULL, *u));
  PetscCall(SNESGetIterationNumber(snes, &its[0]));
  PetscCall(SNESGetLinearSolveIterations(snes, &its[1]));
  PetscCall(SNESGetJacobian(snes, &J, NULL, NULL, NULL));
  PetscCall(PetscObjectTypeCompare((PetscObject)J, MATPLEXGPU, &acts));
  PetscCheck(acts == (PetscBool)(how > 0), PETSC_COMM_WORLD, PETSC_ERR_PLIB, "J is of type %s",
             ((PetscObject)J)->type_name);
  PetscCall(PetscOptionsClearValue(NULL, "-plex_assembly_apply"));
  PetscCall(SNESDestroy(&snes));
  PetscCall(MatDestroy(&P));
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtNewton(void)
{
  PetscInt  its[4][2];
  Vec       u[4];
  PetscReal error[3];

  PetscFunctionBegin;
  for (PetscInt how = 0; how < 4; ++how) PetscCall(Newton(how, its[how], &u[how]));
  for (PetscInt how = 1; how < 4; ++how) PetscCall(PlexTestVecError(u[how], u[0], &error[how - 1]));
  PetscCall(PlexTestReportOf((PetscBool)(its[0][0] > 1 && its[0][0] == its[1][0] && its[0][1] == its[1][1] &&
                                         error[0] <= 1e-10),
                             "Newton", "J of type plexgpu beside P: the same iterations and solution",
                             "%d and %d, of the linear solver %d and %d; error %.3g", (int)its[0][0], (int)its[1][0],
                             (int)its[0][1], (int)its[1][1], (double)error[0]));
  PetscCall(PlexTestReportOf((PetscBool)(its[0][0] == its[2][0] && error[1] <= 1e-8), "Newton",
                             "without an assembled matrix: the same iterations and solution", "%d and %d; error %.3g",
                             (int)its[0][0], (int)its[2][0], (double)error[1]));
  PetscCall(PlexTestReportOf((PetscBool)(its[0][0] == its[3][0] && its[0][1] == its[3][1] && error[2] <= 1e-10),
                             "Newton", "-plex_assembly_apply: the same iterations and solution",
                             "%d and %d, %d and %d; error %.3g", (int)its[0][0], (int)its[3][0], (int)its[0][1],
                             (int)its[3][1], (double)error[2]));
  for (PetscInt how = 0; how < 4; ++how) PetscCall(VecDestroy(&u[how]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtEssential(void)
{
  const PlexTestProblem problem = {.cell = TRI, .degree = 2, .components = 2, .form = PLEX_TEST_GENERAL};
  PetscReal             error[4];
  Problem               p;
  PetscInt              first, last;
  IS                    rows;
  Mat                   B;

  PetscFunctionBegin;
  PetscCall(ProblemCreate(&problem, &p));
  PetscCall(MatGetOwnershipRange(p.A, &first, &last));
  PetscCall(ISCreateStride(PETSC_COMM_WORLD, (last - first) / 7, first, 7, &rows));
  PetscCall(PlexAssemblySetEssentialRows(p.assembly, rows, NULL, NULL));
  PetscCall(DMSetMatType(p.dm, MATAIJ));
  PetscCall(DMCreateMatrix(p.dm, &B));
  PetscCall(PlexAssemblyComputeJacobian(p.assembly, p.X, NULL, 0., 0., p.A, B));
  PetscCall(CompareMatrices(p.A, B, error));
  PetscCall(ReportErrors("essential rows", "the actions are those of the assembled matrix", error, 1e-13));
  PetscCall(ISDestroy(&rows));
  PetscCall(MatDestroy(&B));
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A basis transform: products, and no diagonal */
static PetscErrorCode Diagonal(void *ctx)
{
  Vec d;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs((Mat)ctx, NULL, &d));
  PetscCall(MatGetDiagonal((Mat)ctx, d));
  PetscCall(VecDestroy(&d));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtBasis(void)
{
  const PlexTestProblem problem = {.cell       = TRI,
                                   .degree     = 2,
                                   .components = 2,
                                   .form       = PLEX_TEST_GENERAL,
                                   .rotated    = PETSC_TRUE};
  PetscReal             error;
  Problem               p;
  Mat                   B;
  Vec                   x, y[2];

  PetscFunctionBegin;
  PetscCall(ProblemCreate(&problem, &p));
  PetscCall(DMSetMatType(p.dm, MATAIJ));
  PetscCall(DMCreateMatrix(p.dm, &B));
  PetscCall(PlexAssemblyComputeJacobian(p.assembly, p.X, NULL, 0., 0., p.A, B));
  PetscCall(MatCreateVecs(B, &x, &y[0]));
  PetscCall(VecDuplicate(x, &y[1]));
  PetscCall(VecSetRandom(x, NULL));
  PetscCall(MatMult(p.A, x, y[0]));
  PetscCall(MatMult(B, x, y[1]));
  PetscCall(PlexTestVecError(y[0], y[1], &error));
  PetscCall(PlexTestReportOf((PetscBool)(error <= 1e-13), "basis transform",
                             "a product is that of the assembled matrix", "error %.3g", (double)error));
  EXPECT("no diagonal with a basis transform", Diagonal, p.A, "diagonal", "basis transform", "-dm_mat_type aij");
  PetscCall(VecDestroy(&x));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(VecDestroy(&y[k]));
  PetscCall(MatDestroy(&B));
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- stored coefficients on the host */

/* Both ways against the assembled matrix; symmetric: said to be so */
static PetscErrorCode CompareApply(const char name[], const PlexTestProblem *problem, PetscBool symmetric,
                                   const char says[])
{
  PetscReal error[4];
  Problem   p;
  PetscBool stored;
  Mat       B;

  PetscFunctionBegin;
  PetscCall(ProblemCreate(problem, &p));
  PetscCall(DMSetMatType(p.dm, MATAIJ));
  PetscCall(DMCreateMatrix(p.dm, &B));
  if (symmetric) PetscCall(PlexAssemblySetSymmetric(p.assembly, PETSC_TRUE));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(PlexAssemblySetApply(p.assembly, k ? PLEX_APPLY_EVALUATED : PLEX_APPLY_STORED));
    PetscCall(PlexAssemblyComputeJacobian(p.assembly, p.X, NULL, 0., 0., p.A, p.A));
    PetscCall(PlexAssemblyComputeJacobian(p.assembly, p.X, NULL, 0., 0., B, B));
    PetscCall(CompareMatrices(p.A, B, error));
    PetscCall(ReportErrors(name, k ? "evaluated" : "stored", error, 1e-13));
    if (!k) PetscCall(Says(p.assembly, name, says));
    PetscCall(IsStored(p.assembly, &stored));
    PetscCall(PlexTestReportOf((PetscBool)(stored == !k), name, "is computed as asked for", "stored %d", (int)stored));
  }
  PetscCall(MatDestroy(&B));
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One field on cells that are products */
static PetscBool Sums(const PlexTestProblem *problem)
{
  return (PetscBool)((problem->cell == QUAD || problem->cell == HEX) && problem->form != PLEX_TEST_SADDLE);
}

static PetscErrorCode LookAtApply(void)
{
  static const struct {
    const char     *name;
    PlexTestProblem problem;
    PetscBool       symmetric;
  } all[] = {
    {"P1 triangles, linear",      {.cell = TRI, .degree = 1, .components = 1, .form = PLEX_TEST_LINEAR},                PETSC_FALSE},
    {"P2-P1 triangles, a saddle", {.cell = TRI, .degree = 2, .components = 2, .form = PLEX_TEST_SADDLE},                PETSC_FALSE},
    {"P2 tetrahedra, symmetric",  {.cell = TET, .degree = 2, .components = 1, .form = PLEX_TEST_LINEAR},                PETSC_TRUE },
    {"P3 tetrahedra",             {.cell = TET, .degree = 3, .components = 1, .form = PLEX_TEST_DIFFUSION},             PETSC_FALSE},
    {"Q2 quadrilaterals",         {.cell = QUAD, .degree = 2, .components = 2, .form = PLEX_TEST_GENERAL},              PETSC_FALSE},
    {"Q4 quadrilaterals, curved",
     {.cell = QUAD, .degree = 4, .components = 1, .form = PLEX_TEST_DIFFUSION, .coordinates = 2},
     PETSC_FALSE                                                                                                                   },
    {"Q1 hexahedra",              {.cell = HEX, .degree = 1, .components = 3, .form = PLEX_TEST_GENERAL},               PETSC_FALSE},
    {"Q2 hexahedra, symmetric",   {.cell = HEX, .degree = 2, .components = 1, .form = PLEX_TEST_LINEAR},                PETSC_TRUE },
    {"Q2-Q1 hexahedra, a saddle",
     {.cell = HEX, .degree = 2, .components = 3, .form = PLEX_TEST_SADDLE, .cells = 3},
     PETSC_FALSE                                                                                                                   },
    {"Q3 hexahedra",              {.cell = HEX, .degree = 3, .components = 1, .form = PLEX_TEST_DIFFUSION, .cells = 5}, PETSC_FALSE},
  };

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(all); ++k)
    PetscCall(CompareApply(all[k].name, &all[k].problem, all[k].symmetric,
                           Sums(&all[k].problem) ? "sums along lines" : "full tables"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two matrices of one assembly with a state each, used in turns; a copy; a state that is set again */
static PetscErrorCode LookAtStates(void)
{
  const PlexTestProblem problem = {.cell = QUAD, .degree = 2, .components = 1, .form = PLEX_TEST_DIFFUSION};
  PetscReal             error[4], worst[4] = {0.};
  Problem               p;
  Mat                   A[3], B[2];
  Vec                   X[3];

  PetscFunctionBegin;
  PetscCall(ProblemCreate(&problem, &p));
  PetscCall(PlexAssemblySetApply(p.assembly, PLEX_APPLY_STORED));
  PetscCall(PetscObjectReference((PetscObject)p.A));
  A[0] = p.A;
  X[0] = p.X;
  PetscCall(DMCreateMatrix(p.dm, &A[1]));
  PetscCall(DMSetMatType(p.dm, MATAIJ));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(PlexTestLocalVector(p.dm, 5 + k, &X[1 + k]));
    PetscCall(DMCreateMatrix(p.dm, &B[k]));
    PetscCall(PlexAssemblyComputeJacobian(p.assembly, X[k], NULL, 0., 0., A[k], A[k]));
    PetscCall(PlexAssemblyComputeJacobian(p.assembly, X[k], NULL, 0., 0., B[k], B[k]));
  }
  PetscCall(MatDuplicate(A[0], MAT_COPY_VALUES, &A[2]));
  for (PetscInt k = 0; k < 6; ++k) {
    PetscCall(CompareMatrices(A[k % 3], B[k % 3 == 1], error));
    for (PetscInt l = 0; l < 4; ++l) worst[l] = PetscMax(worst[l], error[l]);
  }
  PetscCall(ReportErrors("stored", "matrices with states of their own", worst, 1e-13));
  PetscCall(PlexAssemblyComputeJacobian(p.assembly, X[2], NULL, 0., 0., A[0], A[0]));
  PetscCall(PlexAssemblyComputeJacobian(p.assembly, X[2], NULL, 0., 0., B[0], B[0]));
  PetscCall(CompareMatrices(A[0], B[0], error));
  PetscCall(ReportErrors("stored", "a state that is set again", error, 1e-13));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(MatDestroy(&B[k]));
    PetscCall(VecDestroy(&X[1 + k]));
  }
  for (PetscInt k = 0; k < 3; ++k) PetscCall(MatDestroy(&A[k]));
  PetscCall(ProblemDestroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An auxiliary vector that changes between products, as evaluated ones see it; and a limit of memory */
static PetscErrorCode LookAtAuxiliary(void)
{
  const PlexTestWeakForm form = {TRI, 8, 1, {{2, 1, PLEX_TEST_LAGRANGE}}, AUX};
  PlexAssembly           assembly[2];
  PetscReal              error, before;
  PetscBool              stored[2];
  Vec                    X, x, y[2], old, aux;
  Mat                    A[2];
  DM                     dm;

  PetscFunctionBegin;
  PetscCall(PlexTestWeakFormCreate(&form, &dm));
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(PlexAssemblyCreate(dm, &assembly[k]));
    PetscCall(PlexAssemblySetBackend(assembly[k], PLEXBACKENDHOST));
    if (k) PetscCall(PlexAssemblySetMemory(assembly[k], 64));
    else PetscCall(PlexAssemblySetApply(assembly[k], PLEX_APPLY_STORED));
    PetscCall(CreateMatrix(assembly[k], MATPLEXGPU, &A[k]));
    PetscCall(PlexAssemblyComputeJacobian(assembly[k], X, NULL, 0., 0., A[k], A[k]));
  }
  PetscCall(MatCreateVecs(A[0], &x, &y[0]));
  PetscCall(VecDuplicate(y[0], &y[1]));
  PetscCall(VecDuplicate(y[0], &old));
  PetscCall(VecSetRandom(x, NULL));
  PetscCall(MatMult(A[0], x, old));
  PetscCall(DMGetAuxiliaryVec(dm, NULL, 0, 0, &aux));
  PetscCall(VecScale(aux, 1.5));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(MatMult(A[k], x, y[k]));
  PetscCall(PlexTestVecError(y[0], y[1], &error));
  PetscCall(PlexTestVecError(old, y[1], &before));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(IsStored(assembly[k], &stored[k]));
  PetscCall(PlexTestReportOf((PetscBool)(error <= 1e-13 && before > 1e-3), "stored",
                             "auxiliary values are those of the product", "error %.3g, before the change %.3g",
                             (double)error, (double)before));
  PetscCall(PlexTestReportOf((PetscBool)(stored[0] && !stored[1]), "stored",
                             "-plex_assembly_memory limits what is stored", "stored %d and %d", (int)stored[0],
                             (int)stored[1]));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(VecDestroy(&y[k]));
    PetscCall(MatDestroy(&A[k]));
    PetscCall(PlexAssemblyDestroy(&assembly[k]));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&old));
  PetscCall(VecDestroy(&X));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- messages */

/* A product by stored coefficients that cannot be */
static PetscErrorCode StoredVectors(void *ctx)
{
  const PlexTestWeakForm form = {
    TRI, 8, 2, {{1, 0, PLEX_TEST_RT}, {0, 1, PLEX_TEST_LAGRANGE}},
       0
  };
  PlexAssembly assembly;
  Vec          X, x, y;
  Mat          A;
  DM           dm;

  PetscFunctionBegin;
  (void)ctx;
  PetscCall(PlexTestWeakFormCreate(&form, &dm));
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, PLEXBACKENDHOST));
  PetscCall(PlexAssemblySetFallback(assembly, PETSC_FALSE));
  PetscCall(PlexAssemblySetApply(assembly, PLEX_APPLY_STORED));
  PetscCall(CreateMatrix(assembly, MATPLEXGPU, &A));
  PetscCall(PlexAssemblyComputeJacobian(assembly, X, NULL, 0., 0., A, A));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(MatMult(A, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode StoredMemory(void *ctx)
{
  const PlexTestProblem problem = {.cell = TRI, .degree = 1, .components = 1, .form = PLEX_TEST_DIFFUSION};
  Problem               p;
  Vec                   x, y;

  PetscFunctionBegin;
  (void)ctx;
  PetscCall(ProblemCreate(&problem, &p));
  PetscCall(PlexAssemblySetFallback(p.assembly, PETSC_FALSE));
  PetscCall(PlexAssemblySetApply(p.assembly, PLEX_APPLY_STORED));
  PetscCall(PlexAssemblySetMemory(p.assembly, 64));
  PetscCall(PlexAssemblyComputeJacobian(p.assembly, p.X, NULL, 0., 0., p.A, p.A));
  PetscCall(MatCreateVecs(p.A, &x, &y));
  PetscCall(MatMult(p.A, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeBefore(void *ctx)
{
  const PlexTestProblem problem = {.cell = TRI, .degree = 1, .components = 1, .form = PLEX_TEST_GENERAL, .cells = 4};
  DM                    dm;
  Mat                   A;

  PetscFunctionBegin;
  (void)ctx;
  PetscCall(PlexTestProblemCreate(&problem, &dm));
  PetscCall(DMSetMatType(dm, MATPLEXGPU));
  PetscCall(DMCreateMatrix(dm, &A));
  PetscCall(MatDestroy(&A));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ForPreconditioner(void *ctx)
{
  const PlexTestWeakForm form = {TRI, 8, 1, {{1, 0, PLEX_TEST_LAGRANGE}}, PRECONDITIONER};
  PlexAssembly           assembly;
  DM                     dm;
  Mat                    A, B;
  Vec                    X;

  PetscFunctionBegin;
  (void)ctx;
  PetscCall(PlexTestWeakFormCreate(&form, &dm));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, PLEXBACKENDHOST));
  PetscCall(CreateMatrix(assembly, MATAIJ, &B));
  PetscCall(CreateMatrix(assembly, MATPLEXGPU, &A));
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(PlexAssemblyComputeJacobian(assembly, X, NULL, 0., 0., B, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtMessages(void)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 1) PetscFunctionReturn(PETSC_SUCCESS);
  EXPECT("a matrix made before the DM is assembled here", MakeBefore, NULL, "PlexAssemblySetSNESLocal",
         "-dm_mat_type aij");
  EXPECT("no matrix for a preconditioner's functions", ForPreconditioner, NULL, "functions of a preconditioner",
         "-dm_mat_type aij");
  EXPECT("no stored coefficients of a basis of vectors", StoredVectors, NULL, "basis of vectors",
         "-plex_assembly_apply evaluated");
  EXPECT("no stored coefficients that have no room", StoredMemory, NULL, "-plex_assembly_memory",
         "-plex_assembly_apply evaluated");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtHost(void)
{
  PetscFunctionBegin;
  PetscCall(LookAtMatrix());
  PetscCall(LookAtBlocks());
  PetscCall(LookAtFields());
  PetscCall(LookAtCoordinates());
  PetscCall(LookAtNewton());
  PetscCall(LookAtEssential());
  PetscCall(LookAtBasis());
  PetscCall(LookAtApply());
  PetscCall(LookAtStates());
  PetscCall(LookAtAuxiliary());
  PetscCall(LookAtMessages());
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PlexTestQuickKernels());
  PetscCall(PlexTestEachBackend(LookAtKernels, size == 1 ? LookAtHost : NULL));
  if (size > 1) PetscCall(LookAtHost());
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
