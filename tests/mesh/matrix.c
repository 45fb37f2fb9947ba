static char help[] = "DMCreateMatrix() of a DM that is assembled here: PETSc's matrix in all that shows, and by whom "
                     "it was made.\n\n";

#include <plexgpu/impl.h>
#include "meshes.h"
#include "problem.h"
#include "report.h"

/* How a matrix is asked for */
typedef struct {
  const char     *name, *options;
  MatType         type;
  PlexTestProblem problem;
  PetscErrorCode (*change)(DM); /* NULL: nothing */
  PetscBool here;               /* made by PlexGPU */
  PetscInt  overlap;            /* of the parts of the mesh */
} Case;

static PetscErrorCode CountPreallocations(PetscInt *count)
{
  PetscLogEvent      id;
  PetscEventPerfInfo info;

  PetscFunctionBegin;
  PetscCall(PetscLogEventGetId("DMPlexPrealloc", &id));
  PetscCall(PetscLogEventGetPerfInfo(0, id, &info));
  *count = info.count;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Constant(DM dm, PetscInt origField, PetscInt field, MatNullSpace *space)
{
  PetscFunctionBegin;
  PetscCall(MatNullSpaceCreate(PetscObjectComm((PetscObject)dm), PETSC_TRUE, 0, NULL, space));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WithNullSpaces(DM dm)
{
  PetscFunctionBegin;
  PetscCall(DMSetNullSpaceConstructor(dm, 0, Constant));
  PetscCall(DMSetNearNullSpaceConstructor(dm, 0, Constant));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PreallocatedOnly(DM dm)
{
  PetscFunctionBegin;
  PetscCall(DMSetMatrixPreallocateOnly(dm, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Finite volumes' choice of what is coupled */
static PetscErrorCode ByCones(DM dm)
{
  PetscFunctionBegin;
  PetscCall(DMSetAdjacency(dm, 0, PETSC_TRUE, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Dofs along a curve */
static PetscErrorCode AlongCurve(DM dm)
{
  PetscFunctionBegin;
  PetscCall(DMReorderSectionSetDefault(dm, DM_REORDER_DEFAULT_TRUE));
  PetscCall(DMReorderSectionSetType(dm, PLEXREORDERHILBERT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A point is coupled to itself alone */
static PetscErrorCode Alone(DM dm, PetscInt p, PetscInt *n, PetscInt points[], void *ctx)
{
  PetscFunctionBegin;
  *n        = 1;
  points[0] = p;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ByUser(DM dm)
{
  PetscFunctionBegin;
  PetscCall(DMPlexSetAdjacencyUser(dm, Alone, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateDM(const Case *c, DM *dm)
{
  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, c->problem.cell, 0, dm));
  PetscCall(PlexTestDistributeDefault(dm, c->overlap));
  PetscCall(DMSetMatType(*dm, c->type));
  PetscCall(PlexTestProblemSetUp(*dm, &c->problem));
  if (c->change) PetscCall((*c->change)(*dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An entry that is not in the pattern: an error with both, or with none */
static PetscErrorCode AddFar(void *ctx)
{
  Mat      A = (Mat)ctx;
  PetscInt first, N;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &first, NULL));
  PetscCall(MatGetSize(A, &N, NULL));
  PetscCall(MatSetValue(A, first, N - 1, 1., INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Pattern, zeros, block sizes, mapping, DM, null spaces */
static PetscErrorCode SameMatrix(Mat A, Mat B, PetscBool *same)
{
  ISLocalToGlobalMapping maps[2];
  MatNullSpace           spaces[2][2];
  const PetscInt        *blocks[2], *global[2];
  MatType                types[2];
  MatInfo                info[2];
  PetscInt               bs[2], n[2], nmap[2];
  Mat                    mats[2] = {A, B};
  DM                     dms[2];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(MatGetType(mats[k], &types[k]));
    PetscCall(MatGetInfo(mats[k], MAT_LOCAL, &info[k]));
    PetscCall(MatGetBlockSize(mats[k], &bs[k]));
    PetscCall(MatGetVariableBlockSizes(mats[k], &n[k], &blocks[k]));
    PetscCall(MatGetLocalToGlobalMapping(mats[k], &maps[k], NULL));
    PetscCall(ISLocalToGlobalMappingGetSize(maps[k], &nmap[k]));
    PetscCall(ISLocalToGlobalMappingGetIndices(maps[k], &global[k]));
    PetscCall(MatGetDM(mats[k], &dms[k]));
    PetscCall(MatGetNullSpace(mats[k], &spaces[k][0]));
    PetscCall(MatGetNearNullSpace(mats[k], &spaces[k][1]));
  }
  PetscCall(PetscStrcmp(types[0], types[1], same));
  *same = (PetscBool)(*same && bs[0] == bs[1] && n[0] == n[1] && nmap[0] == nmap[1] &&
                      info[0].nz_used == info[1].nz_used && info[0].nz_allocated == info[1].nz_allocated);
  *same = (PetscBool)(*same && !spaces[0][0] == !spaces[1][0] && !spaces[0][1] == !spaces[1][1] && dms[0] && dms[1]);
  if (*same) PetscCall(PetscArraycmp(blocks[0], blocks[1], n[0], same));
  if (*same) PetscCall(PetscArraycmp(global[0], global[1], nmap[0], same));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(ISLocalToGlobalMappingRestoreIndices(maps[k], &global[k]));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, same, 1, MPI_C_BOOL, MPI_LAND, PETSC_COMM_WORLD));
  if (!*same) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < 2; ++k) { /* one that was only preallocated */
    PetscCall(MatAssemblyBegin(mats[k], MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(mats[k], MAT_FINAL_ASSEMBLY));
  }
  PetscCall(MatEqual(A, B, same));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAt(const Case *c)
{
  DM             plain, taken;
  Mat            A, B;
  PetscMPIInt    size;
  PetscErrorCode ierr[2];
  PetscInt       before, after;
  PetscBool      same, good;
  char           line[256], text[1024];
  PetscOptions   options;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscOptionsCreate(&options));
  PetscCall(PetscOptionsInsertString(options, c->options));
  PetscCall(PetscOptionsPush(options));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_backend", PLEXBACKENDHOST));
  PetscCall(CreateDM(c, &plain));
  PetscCall(DMCreateMatrix(plain, &A));
  PetscCall(CreateDM(c, &taken));
  PetscCall(PlexAssemblySetSNESLocal(taken, NULL));
  PetscCall(CountPreallocations(&before));
  PetscCall(DMCreateMatrix(taken, &B));
  PetscCall(CountPreallocations(&after));
  PetscCall(SameMatrix(A, B, &same));
  PetscCall(PlexTestReportOf(same, c->name, "PETSc's matrix",
                             "it has another pattern, or something else that PETSc's has not"));
  good = (PetscBool)((after == before) == c->here);
  PetscCall(PetscSNPrintf(line, sizeof(line), "%s: made %s", c->name, c->here ? "from the elements" : "by PETSc"));
  PetscCall(PlexTestReport(good, line, "PETSc's preallocation ran %" PetscInt_FMT " times", after - before));
  if (size == 1) {
    PetscCall(PlexTestTry(AddFar, A, &ierr[0], text, sizeof(text)));
    PetscCall(PlexTestTry(AddFar, B, &ierr[1], text, sizeof(text)));
    PetscCall(PlexTestReportOf((PetscBool)(ierr[0] == ierr[1]), c->name, "entries outside of the pattern",
                               "error %d with PETSc's matrix, %d with ours", (int)ierr[0], (int)ierr[1]));
  }
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(DMDestroy(&plain));
  PetscCall(DMDestroy(&taken));
  PetscCall(PetscOptionsPop());
  PetscCall(PetscOptionsDestroy(&options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A level of multigrid: the coarser DM that PETSc makes of one that is assembled here */
static PetscErrorCode LookAtCoarser(void)
{
  const PlexTestProblem problem = {.cell       = DM_POLYTOPE_TRIANGLE,
                                   .degree     = 2,
                                   .components = 1,
                                   .form       = PLEX_TEST_DIFFUSION};
  DM                    coarse, fine, level;
  Mat                   A;
  PetscInt              before, after;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_SELF, problem.cell, 0, &coarse));
  PetscCall(DMPlexSetRefinementUniform(coarse, PETSC_TRUE));
  PetscCall(DMRefine(coarse, PETSC_COMM_SELF, &fine));
  PetscCall(DMSetCoarseDM(fine, coarse));
  PetscCall(PlexTestProblemSetUp(coarse, &problem));
  PetscCall(PlexTestProblemSetUp(fine, &problem));
  PetscCall(PlexAssemblySetSNESLocal(fine, NULL));
  PetscCall(DMCoarsen(fine, PETSC_COMM_SELF, &level));
  PetscCall(CountPreallocations(&before));
  PetscCall(DMCreateMatrix(level, &A));
  PetscCall(CountPreallocations(&after));
  PetscCall(PlexTestReport((PetscBool)(after == before), "a coarser level: made from the elements",
                           "PETSc's preallocation ran %" PetscInt_FMT " times", after - before));
  PetscCall(MatDestroy(&A));
  PetscCall(DMDestroy(&level));
  PetscCall(DMDestroy(&coarse));
  PetscCall(DMDestroy(&fine));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What assembly makes once is there before the first residual and Jacobian */
static PetscErrorCode LookAtSetUp(void)
{
  const PlexTestProblem problem = {.cell       = DM_POLYTOPE_TRIANGLE,
                                   .degree     = 2,
                                   .components = 1,
                                   .form       = PLEX_TEST_DIFFUSION};
  PlexAssembly          assembly;
  SNES                  snes;
  Mat                   P;
  DM                    dm;
  PetscBool             ready;

  PetscFunctionBegin;
  PetscCall(PlexTestProblemCreate(&problem, &dm));
  PetscCall(PlexAssemblySetSNESLocal(dm, NULL));
  PetscCall(PlexAssemblyGetFromDM(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, PLEXBACKENDHOST));
  PetscCall(SNESCreate(PETSC_COMM_SELF, &snes));
  PetscCall(SNESSetDM(snes, dm));
  PetscCall(SNESSetType(snes, SNESNEWTONLS));
  PetscCall(SNESSetUp(snes));
  PetscCall(SNESGetJacobian(snes, NULL, &P, NULL, NULL));
  ready = (PetscBool)(assembly->setUp && assembly->product[PLEX_RESIDUAL].setUp &&
                      !assembly->product[PLEX_JACOBIAN].setUp && assembly->pattern && assembly->pattern->mat == P &&
                      assembly->boundary && assembly->boundary->set[0].points);
  PetscCall(PlexTestReport((PetscBool)(ready && !assembly->counts[PLEX_RESIDUAL][0] &&
                                       !assembly->counts[PLEX_JACOBIAN][0] && !assembly->boundary->evaluations),
                           "SNESSetUp() makes the residual's plan and the matrix's pattern",
                           "ready %d; %" PetscInt_FMT " residuals, %" PetscInt_FMT " Jacobians computed", (int)ready,
                           assembly->counts[PLEX_RESIDUAL][0], assembly->counts[PLEX_JACOBIAN][0]));
  PetscCall(SNESDestroy(&snes));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A Jacobian twice, at two states, into a matrix that is made by `make`: its product with a vector is that of PETSc's
   own assembly */
static PetscErrorCode LookAtValues(const char name[], MatType type, PetscErrorCode (*make)(DM, Mat *), PetscBool here)
{
  PlexAssemblyCounts    counts;
  const PlexTestProblem problem = {.cell       = DM_POLYTOPE_TRIANGLE,
                                   .degree     = 2,
                                   .components = 1,
                                   .form       = PLEX_TEST_GENERAL};
  PlexAssembly          assembly;
  PetscReal             error = 0., norm = 0., worst = 0.;
  PetscInt              jacobians, left;
  Mat                   A, B;
  Vec                   X, x, y[2];
  DM                    dm;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, problem.cell, 0, &dm));
  PetscCall(PlexTestDistributeDefault(&dm, 0));
  if (type) PetscCall(DMSetMatType(dm, type));
  PetscCall(PlexTestProblemSetUp(dm, &problem));
  PetscCall((*make)(dm, &A));
  PetscCall(PlexAssemblySetSNESLocal(dm, NULL));
  PetscCall((*make)(dm, &B));
  PetscCall(PlexAssemblyGetFromDM(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, PLEXBACKENDHOST));
  PetscCall(DMCreateGlobalVector(dm, &x));
  PetscCall(VecSet(x, 1.));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(VecDuplicate(x, &y[k]));
  for (PetscInt state = 1; state < 3; ++state) {
    PetscCall(PlexTestLocalVector(dm, state, &X));
    PetscCall(DMPlexSNESComputeJacobianFEM(dm, X, A, A, NULL));
    PetscCall(PlexAssemblyComputeJacobian(assembly, X, NULL, 0., 0., B, B));
    PetscCall(MatMult(A, x, y[0]));
    PetscCall(MatMult(B, x, y[1]));
    PetscCall(VecAXPY(y[1], -1., y[0]));
    PetscCall(VecNorm(y[0], NORM_INFINITY, &norm));
    PetscCall(VecNorm(y[1], NORM_INFINITY, &error));
    worst = PetscMax(worst, error / norm);
    PetscCall(VecDestroy(&X));
  }
  PetscCall(PlexAssemblyGetCounts(assembly, &counts));
  jacobians = counts.jacobians;
  left      = counts.jacobiansLeft;
  PetscCall(PlexTestReportOf((PetscBool)(worst < 1e-12 && norm > 0. && jacobians == (here ? 2 : 0) &&
                                         left == (here ? 0 : 2)),
                             name, here ? "Jacobians computed here" : "Jacobians left to PETSc",
                             "relative error %g; %" PetscInt_FMT " Jacobians here, %" PetscInt_FMT " left to PETSc",
                             (double)worst, jacobians, left));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(VecDestroy(&y[k]));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscCall(MatDestroy(&B));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A preconditioner's matrix with a diagonal, into which all else is not to be put */
static PetscErrorCode MakeDiagonal(DM dm, Mat *A)
{
  ISLocalToGlobalMapping map;
  Vec                    x;
  PetscInt               n, first;

  PetscFunctionBegin;
  PetscCall(DMCreateGlobalVector(dm, &x));
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecDestroy(&x));
  PetscCall(MatCreateAIJ(PetscObjectComm((PetscObject)dm), n, n, PETSC_DETERMINE, PETSC_DETERMINE, 1, NULL, 0, NULL,
                         A));
  PetscCall(DMGetLocalToGlobalMapping(dm, &map));
  PetscCall(MatSetLocalToGlobalMapping(*A, map, map));
  PetscCall(MatGetOwnershipRange(*A, &first, NULL));
  for (PetscInt k = 0; k < n; ++k) PetscCall(MatSetValue(*A, first + k, first + k, 1., INSERT_VALUES));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(*A, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A copy of a matrix that PETSc made, without the marks of one that was made here */
static PetscErrorCode MakeCopy(DM dm, Mat *A)
{
  Mat made;

  PetscFunctionBegin;
  PetscCall(DMCreateMatrix(dm, &made));
  PetscCall(MatDuplicate(made, MAT_DO_NOT_COPY_VALUES, A));
  PetscCall(MatDestroy(&made));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
#define TRIANGLES {.cell = DM_POLYTOPE_TRIANGLE, .degree = 2, .components = 1, .form = PLEX_TEST_GENERAL}
#define VECTORS   {.cell = DM_POLYTOPE_HEXAHEDRON, .degree = 2, .components = 3, .form = PLEX_TEST_GENERAL}
#define MIXED \
  { \
    .cell = DM_POLYTOPE_TETRAHEDRON, .degree = 2, .components = 3, .form = PLEX_TEST_MIXED \
  }
  // clang-format off
  const Case cases[] = {
    {"triangles", "", MATAIJ, TRIANGLES, NULL, PETSC_TRUE, 0},
    {"hexahedra with vectors", "", MATAIJ, VECTORS, NULL, PETSC_TRUE, 0},
    {"two fields", "", MATAIJ, MIXED, NULL, PETSC_TRUE, 0},
    {"parts that overlap", "", MATAIJ, TRIANGLES, NULL, PETSC_TRUE, 1},
    {"null spaces", "", MATAIJ, TRIANGLES, WithNullSpaces, PETSC_TRUE, 0},
    {"dofs along a curve", "", MATAIJ, MIXED, AlongCurve, PETSC_TRUE, 1},
    {"not wanted", "-plex_assembly_create_matrix false", MATAIJ, TRIANGLES, NULL, PETSC_FALSE, 0},
    {"preallocated only", "", MATAIJ, TRIANGLES, PreallocatedOnly, PETSC_FALSE, 0},
    {"another adjacency", "", MATAIJ, TRIANGLES, ByCones, PETSC_FALSE, 0},
    {"an adjacency of the program's own", "", MATAIJ, TRIANGLES, ByUser, PETSC_FALSE, 0},
    {"blocks", "", MATBAIJ, TRIANGLES, NULL, PETSC_FALSE, 0},
    {"another type by an option", "-mat_type baij", MATAIJ, TRIANGLES, NULL, PETSC_FALSE, 0}
  };
  // clang-format on
  PetscMPIInt size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscLogDefaultBegin());
  PetscCall(PlexGPUInitializePackage()); /* of all DMs, those that PETSc makes matrices of too */
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) PetscCall(LookAt(&cases[k]));
  PetscCall(LookAtValues("aij", MATAIJ, DMCreateMatrix, PETSC_TRUE));
  PetscCall(LookAtValues("a duplicate", MATAIJ, MakeCopy, PETSC_TRUE));
  PetscCall(LookAtValues("is", MATIS, DMCreateMatrix, PETSC_TRUE));
  PetscCall(LookAtValues("aijcrl", MATAIJCRL, DMCreateMatrix, PETSC_TRUE));
  PetscCall(LookAtValues("aijperm", MATAIJPERM, DMCreateMatrix, PETSC_TRUE));
  PetscCall(LookAtValues("aijsell", MATAIJSELL, DMCreateMatrix, PETSC_TRUE));
  PetscCall(LookAtValues("baij", MATBAIJ, DMCreateMatrix, PETSC_TRUE));
  PetscCall(LookAtValues("a smaller pattern", NULL, MakeDiagonal, PETSC_FALSE));
  if (size == 1) PetscCall(LookAtCoarser());
  if (size == 1) PetscCall(LookAtSetUp());
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
