#include <plexgpu/impl.h>
#include "problem.h"
#include "meshes.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* pointwise functions have more arguments than they use */
#include "forms.h"

PetscErrorCode PlexTestMarkCells(DM dm, PetscInt n)
{
  DMLabel   label;
  PetscInt  cStart, cEnd, kept = 0, *queue, head = 0;
  PetscBool useCone, useClosure;

  PetscFunctionBegin;
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  PetscCall(PlexTestGetLabel(dm, "part", &label));
  PetscCall(DMGetBasicAdjacency(dm, &useCone, &useClosure));
  PetscCall(DMSetBasicAdjacency(dm, PETSC_TRUE, PETSC_FALSE));
  PetscCall(PetscMalloc1(cEnd - cStart, &queue));
  if (n && cEnd > cStart) {
    queue[kept++] = cStart;
    PetscCall(DMLabelSetValue(label, cStart, 1));
  }
  while (head < kept && kept < n) {
    PetscInt adjSize = PETSC_DETERMINE, *adj = NULL, value;

    PetscCall(DMPlexGetAdjacency(dm, queue[head++], &adjSize, &adj));
    for (PetscInt k = 0; k < adjSize && kept < n; ++k) {
      if (adj[k] < cStart || adj[k] >= cEnd) continue;
      PetscCall(DMLabelGetValue(label, adj[k], &value));
      if (value == 1) continue;
      PetscCall(DMLabelSetValue(label, adj[k], 1));
      queue[kept++] = adj[k];
    }
    PetscCall(PetscFree(adj));
  }
  PetscCall(PetscFree(queue));
  PetscCall(DMSetBasicAdjacency(dm, useCone, useClosure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestFilterCells(DM dm, DM *part)
{
  DMLabel label;

  PetscFunctionBegin;
  PetscCall(DMGetLabel(dm, "part", &label));
  PetscCall(DMPlexFilter(dm, label, 1, PETSC_FALSE, PETSC_FALSE, PetscObjectComm((PetscObject)dm), NULL, part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestKeepCells(DM *dm, PetscInt n)
{
  DM       part;
  PetscInt cStart, cEnd, most;

  PetscFunctionBegin;
  PetscCall(DMPlexGetHeightStratum(*dm, 0, &cStart, &cEnd));
  most = cEnd - cStart;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &most, 1, MPIU_INT, MPI_MAX, PetscObjectComm((PetscObject)*dm)));
  if (!n || n >= most) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexTestMarkCells(*dm, n));
  PetscCall(PlexTestFilterCells(*dm, &part));
  PetscCall(DMDestroy(dm));
  *dm = part;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestMarkHeld(DM dm)
{
  DMLabel   held;
  PetscInt  n, *facets;
  PetscBool marked;

  PetscFunctionBegin;
  PetscCall(DMHasLabel(dm, "held", &marked));
  if (marked) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexTestGetLabel(dm, "held", &held));
  PetscCall(PlexTestGetBoundary(dm, &n, &facets));
  for (PetscInt k = 0; k < n; ++k) {
    if (k % 3 < 2) PetscCall(DMLabelSetValue(held, facets[k], k % 3 + 1));
  }
  PetscCall(PetscFree(facets));
  PetscCall(DMPlexLabelComplete(dm, held));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestCurve(DM dm, PetscInt degree)
{
  Vec          coordinates;
  PetscScalar *x;
  PetscInt     n, dim;

  PetscFunctionBegin;
  PetscCall(DMPlexCreateCoordinateSpace(dm, degree, PETSC_FALSE, PETSC_TRUE));
  PetscCall(DMGetCoordinateDim(dm, &dim));
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &n));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt i = 0; i < n; i += dim) {
    PetscReal moved[3];

    for (PetscInt d = 0; d < dim; ++d)
      moved[d] = PetscRealPart(x[i + d]) + 0.04 * PetscSinReal(4. * PetscRealPart(x[i + (d + 1) % dim]) + d);
    for (PetscInt d = 0; d < dim; ++d) x[i + d] = moved[d];
  }
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscCall(DMSetCoordinatesLocal(dm, coordinates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetForm(PetscDS ds, PlexTestForm form)
{
  const PetscScalar constants[4] = {PLEX_TEST_VALUE(0.7, 0.2), PLEX_TEST_VALUE(0.4, -0.1), 0.3,
                                    PLEX_TEST_VALUE(0.5, 0.3)};

  PetscFunctionBegin;
  switch (form) {
  case PLEX_TEST_GENERAL:
    PetscCall(PetscDSSetResidual(ds, 0, f0_general, f1_general));
    PetscCall(PetscDSSetJacobian(ds, 0, 0, g0_general, g1_general, g2_general, g3_general));
    break;
  case PLEX_TEST_SYMMETRIC:
    PetscCall(PetscDSSetResidual(ds, 0, f0_symmetric, f1_symmetric));
    PetscCall(PetscDSSetJacobian(ds, 0, 0, g0_symmetric, g1_symmetric, g2_symmetric, g3_symmetric));
    break;
  case PLEX_TEST_MIXED:
    PetscCall(PetscDSSetResidual(ds, 0, f0_mixed_u, f1_mixed_u));
    PetscCall(PetscDSSetResidual(ds, 1, f0_mixed_p, f1_mixed_p));
    PetscCall(PetscDSSetJacobian(ds, 0, 0, g0_mixed_uu, NULL, NULL, g3_mixed_uu));
    PetscCall(PetscDSSetJacobian(ds, 0, 1, g0_mixed_up, NULL, g2_mixed_up, NULL));
    PetscCall(PetscDSSetJacobian(ds, 1, 0, g0_mixed_pu, g1_mixed_pu, g2_mixed_pu, NULL));
    PetscCall(PetscDSSetJacobian(ds, 1, 1, g0_mixed_pp, NULL, g2_mixed_pp, g3_mixed_pp));
    break;
  case PLEX_TEST_SADDLE:
    PetscCall(PetscDSSetResidual(ds, 0, f0_saddle_u, f1_mixed_u));
    PetscCall(PetscDSSetResidual(ds, 1, f0_saddle_p, f1_saddle_p));
    PetscCall(PetscDSSetJacobian(ds, 0, 0, g0_saddle_uu, NULL, NULL, g3_mixed_uu));
    PetscCall(PetscDSSetJacobian(ds, 0, 1, NULL, NULL, g2_mixed_up, NULL));
    PetscCall(PetscDSSetJacobian(ds, 1, 0, NULL, g1_saddle_pu, NULL, NULL));
    PetscCall(PetscDSSetJacobian(ds, 1, 1, g0_saddle_pp, NULL, NULL, g3_mixed_pp));
    break;
  case PLEX_TEST_DIFFUSION:
    PetscCall(PetscDSSetResidual(ds, 0, f0_diffusion, f1_diffusion));
    PetscCall(PetscDSSetJacobian(ds, 0, 0, NULL, NULL, g2_diffusion, g3_diffusion));
    break;
  case PLEX_TEST_LINEAR:
    PetscCall(PetscDSSetResidual(ds, 0, NULL, f1_linear));
    PetscCall(PetscDSSetJacobian(ds, 0, 0, NULL, NULL, NULL, g3_linear));
    break;
  }
  PetscCall(PetscDSSetConstants(ds, 4, (PetscScalar *)constants));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestZero(PetscInt dim, PetscReal time, const PetscReal x[], PetscInt Nc, PetscScalar *u, void *ctx)
{
  for (PetscInt c = 0; c < Nc; ++c) u[c] = 0.;
  return PETSC_SUCCESS;
}

PetscErrorCode PlexTestSolution(PetscInt dim, PetscReal time, const PetscReal x[], PetscInt Nc, PetscScalar *u,
                                void *ctx)
{
  u[0] = 0.;
  for (PetscInt d = 0; d < dim; ++d) u[0] += PetscSinReal(x[d] + 0.5 * d);
  return PETSC_SUCCESS;
}

/* Of any number of components */
static PetscErrorCode Waves(PetscInt dim, PetscReal time, const PetscReal x[], PetscInt Nc, PetscScalar *u, void *ctx)
{
  for (PetscInt c = 0; c < Nc; ++c) u[c] = 0.3 * PetscSinReal(2. * x[c % dim] + c) + 0.2 * x[(c + 1) % dim];
  return PETSC_SUCCESS;
}

static PetscErrorCode AddBoundaries(DM dm, const PlexTestProblem *problem)
{
  const PetscInt one = 1, two = 2, component = 0;
  DMLabel        label;

  PetscFunctionBegin;
  if (problem->form == PLEX_TEST_DIFFUSION) {
    PetscCall(DMGetLabel(dm, "boundary", &label));
    PetscCall(DMAddBoundary(dm, DM_BC_ESSENTIAL, "wall", label, 1, &one, 0, 0, NULL, (PetscVoidFn *)PlexTestSolution,
                            NULL, NULL, NULL));
  } else if (problem->whole || problem->rotated) {
    PetscCall(PlexTestMarkHeld(dm));
    PetscCall(DMGetLabel(dm, "held", &label));
    PetscCall(DMAddBoundary(dm, DM_BC_ESSENTIAL, "held", label, 1, &one, 0, 0, NULL, (PetscVoidFn *)Waves, NULL, NULL,
                            NULL));
    PetscCall(DMAddBoundary(dm, DM_BC_ESSENTIAL, "zero", label, 1, &two, 0, 0, NULL, (PetscVoidFn *)PlexTestZero, NULL,
                            NULL, NULL));
  } else {
    PetscCall(PlexTestMarkHeld(dm));
    PetscCall(DMGetLabel(dm, "held", &label));
    PetscCall(DMAddBoundary(dm, DM_BC_ESSENTIAL, "held", label, 1, &one, 0, 0, NULL, (PetscVoidFn *)PlexTestZero, NULL,
                            NULL, NULL));
    PetscCall(DMAddBoundary(dm, DM_BC_ESSENTIAL, "guided", label, 1, &two, 0, 1, &component,
                            (PetscVoidFn *)PlexTestZero, NULL, NULL, NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestProblemSetUp(DM dm, const PlexTestProblem *problem)
{
  PetscFE         fe;
  PetscDS         ds;
  DMPolytopeType  ct  = problem->cell;
  const PetscBool two = (PetscBool)(problem->form == PLEX_TEST_MIXED || problem->form == PLEX_TEST_SADDLE);
  PetscInt        dim, cStart, cEnd, qorder = two ? problem->degree : PETSC_DETERMINE;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  if (cEnd > cStart) PetscCall(DMPlexGetCellType(dm, cStart, &ct)); /* of several processes one may have none */
  PetscCall(PetscFECreateLagrangeByCell(PetscObjectComm((PetscObject)dm), dim, problem->components, ct, problem->degree,
                                        qorder, &fe));
  PetscCall(DMAddField(dm, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  if (two) {
    PetscCall(PetscFECreateLagrangeByCell(PetscObjectComm((PetscObject)dm), dim, 1, ct, problem->degree - 1, qorder,
                                          &fe));
    PetscCall(DMAddField(dm, NULL, (PetscObject)fe));
    PetscCall(PetscFEDestroy(&fe));
  }
  PetscCall(DMCreateDS(dm));
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(SetForm(ds, problem->form));
  PetscCall(AddBoundaries(dm, problem));
  if (problem->rotated) PetscCall(DMPlexCreateBasisRotation(dm, 0.4, 0.7, -0.3));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestProblemCreate(const PlexTestProblem *problem, DM *dm)
{
  PetscFunctionBegin;
  if (problem->fan) PetscCall(PlexTestFan(PETSC_COMM_SELF, problem->fan, dm));
  else PetscCall(PlexTestMesh(PETSC_COMM_SELF, problem->cell, 0, dm));
  PetscCall(PlexTestKeepCells(dm, problem->cells));
  if (problem->coordinates) PetscCall(PlexTestCurve(*dm, problem->coordinates));
  if (problem->device) PetscCall(PlexTestUseDevice(*dm));
  PetscCall(PlexTestProblemSetUp(*dm, problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestProblemShare(const PlexTestProblem *problem, PetscInt overlap, DM *dm)
{
  DMField field;

  PetscFunctionBegin;
  PetscCall(PlexTestMarkHeld(*dm));
  PetscCall(PlexTestDistributeDefault(dm, overlap));
  if (problem->coordinates) PetscCall(PlexTestCurve(*dm, problem->coordinates));
  PetscCall(DMGetCoordinateField(*dm, &field));
  if (problem->device) PetscCall(PlexTestUseDevice(*dm));
  PetscCall(PlexTestProblemSetUp(*dm, problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestLocalVector(DM dm, PetscInt seed, Vec *locX)
{
  PetscScalar *x;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(DMCreateLocalVector(dm, locX));
  PetscCall(VecGetLocalSize(*locX, &n));
  PetscCall(VecGetArrayWrite(*locX, &x));
  for (PetscInt l = 0; l < n; ++l)
    x[l] = PLEX_TEST_VALUE(0.6 * PetscSinReal(12.9898 * (l + 1) + 78.233 * seed),
                           0.4 * PetscSinReal(4.1414 * (l + 1) + 37.719 * seed));
  PetscCall(VecRestoreArrayWrite(*locX, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestSetOption(void *ctx)
{
  const PlexTestProblem problem = {.cell       = DM_POLYTOPE_TRIANGLE,
                                   .degree     = 1,
                                   .components = 1,
                                   .form       = PLEX_TEST_GENERAL};
  const PlexTestOption *option  = (const PlexTestOption *)ctx;
  PlexAssembly          assembly;
  DM                    dm;
  PetscErrorCode        ierr;

  PetscFunctionBegin;
  PetscCall(PlexTestProblemCreate(&problem, &dm));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PetscOptionsSetValue(NULL, option->name, option->value));
  ierr = PlexAssemblySetFromOptions(assembly);
  PetscCall(PetscOptionsClearValue(NULL, option->name));
  PetscCall(ierr);
  PetscCall(PlexAssemblySetUp(assembly));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* size[0]: largest difference, size[1]: largest entry of b, so far */
static void AddError(PetscInt n, const PetscScalar a[], const PetscScalar b[], PetscReal size[2])
{
  for (PetscInt k = 0; k < n; ++k) {
    if (PetscIsInfOrNanScalar(a[k]) || PetscIsInfOrNanScalar(b[k])) size[0] = PETSC_INFINITY;
    size[0] = PetscMax(size[0], PetscAbsScalar(a[k] - b[k]));
    size[1] = PetscMax(size[1], PetscAbsScalar(b[k]));
  }
}

/* Of all processes */
static PetscErrorCode RelativeError(MPI_Comm comm, PetscReal size[2], PetscReal *error)
{
  PetscFunctionBegin;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, size, 2, MPIU_REAL, MPIU_MAX, comm));
  *error = size[0] == PETSC_INFINITY ? PETSC_INFINITY
         : size[1] > 0.              ? size[0] / size[1]
         : size[0] > 0.              ? PETSC_INFINITY
                                     : 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Appends values to the file that PLEXGPU_TEST_VALUES names, a file a process, behind their number of bytes:
   tests/golden.py */
static PetscErrorCode RecordValues(PetscInt n, const PetscScalar x[])
{
  const char   *name  = getenv("PLEXGPU_TEST_VALUES");
  const int64_t bytes = (int64_t)sizeof(PetscScalar) * n;
  PetscMPIInt   rank;
  char          path[PETSC_MAX_PATH_LEN];
  FILE         *file;

  PetscFunctionBegin;
  if (!name) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscSNPrintf(path, sizeof(path), "%s.%d", name, rank));
  file = fopen(path, "ab");
  PetscCheck(file, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot append to %s", path);
  PetscCheck(fwrite(&bytes, sizeof(bytes), 1, file) == 1 && fwrite(x, 1, (size_t)bytes, file) == (size_t)bytes &&
               !fclose(file),
             PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "Cannot write to %s", path);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestVecError(Vec a, Vec b, PetscReal *error)
{
  const PetscScalar *x, *y;
  PetscInt           n, m;
  PetscReal          size[2] = {0., 0.};

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(a, &n));
  PetscCall(VecGetLocalSize(b, &m));
  PetscCheck(n == m, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "Vectors of %" PetscInt_FMT " and %" PetscInt_FMT " entries",
             n, m);
  PetscCall(VecGetArrayRead(a, &x));
  PetscCall(VecGetArrayRead(b, &y));
  AddError(n, x, y, size);
  PetscCall(RecordValues(n, x));
  PetscCall(VecRestoreArrayRead(a, &x));
  PetscCall(VecRestoreArrayRead(b, &y));
  PetscCall(RelativeError(PETSC_COMM_WORLD, size, error)); /* local vectors are each process's own */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddBlockError(Mat A, Mat B, PetscReal size[2])
{
  const PetscScalar *x, *y;
  MatInfo            a, b;

  PetscFunctionBegin;
  PetscCall(MatGetInfo(A, MAT_LOCAL, &a));
  PetscCall(MatGetInfo(B, MAT_LOCAL, &b));
  PetscCheck(a.nz_used == b.nz_used, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "Matrices of %g and %g entries", a.nz_used,
             b.nz_used);
  PetscCall(MatSeqAIJGetArrayRead(A, &x));
  PetscCall(MatSeqAIJGetArrayRead(B, &y));
  AddError((PetscInt)a.nz_used, x, y, size);
  PetscCall(RecordValues((PetscInt)a.nz_used, x));
  PetscCall(MatSeqAIJRestoreArrayRead(A, &x));
  PetscCall(MatSeqAIJRestoreArrayRead(B, &y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestMatError(Mat A, Mat B, PetscReal *error)
{
  Mat       a[2], b[2];
  PetscReal size[2] = {0., 0.};

  PetscFunctionBegin;
  PetscCall(PlexMatGetBlocks(A, &a[0], &a[1], NULL));
  PetscCall(PlexMatGetBlocks(B, &b[0], &b[1], NULL));
  PetscCall(AddBlockError(a[0], b[0], size));
  if (a[1]) PetscCall(AddBlockError(a[1], b[1], size));
  PetscCall(RelativeError(PetscObjectComm((PetscObject)A), size, error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestCompute(PlexAssembly assembly, DM dm)
{
  Vec X, F;
  Mat J;

  PetscFunctionBegin;
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(VecDuplicate(X, &F));
  PetscCall(DMCreateMatrix(dm, &J));
  PetscCall(PlexAssemblyComputeFunction(assembly, X, NULL, 0., F));
  PetscCall(PlexAssemblyComputeJacobian(assembly, X, NULL, 0., 0., J, J));
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&F));
  PetscCall(MatDestroy(&J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestCompare(PlexAssembly assembly, DM dm, PetscReal *residual, PetscReal *jacobian)
{
  Vec X, F, G;
  Mat J, K;

  PetscFunctionBegin;
  PetscCall(PlexTestLocalVector(dm, 3, &X));
  PetscCall(VecDuplicate(X, &F));
  PetscCall(VecDuplicate(X, &G));
  PetscCall(VecSet(F, 5.)); /* must not matter */
  PetscCall(VecSet(G, 0.));
  PetscCall(PlexAssemblyComputeFunction(assembly, X, NULL, 0., F));
  PetscCall(DMPlexSNESComputeResidualFEM(dm, X, G, NULL));
  PetscCall(PlexTestVecError(F, G, residual));
  PetscCall(DMCreateMatrix(dm, &J));
  PetscCall(DMCreateMatrix(dm, &K));
  PetscCall(PlexAssemblyComputeJacobian(assembly, X, NULL, 0., 0., J, J));
  PetscCall(DMPlexSNESComputeJacobianFEM(dm, X, K, K, NULL));
  PetscCall(PlexTestMatError(J, K, jacobian));
  PetscCall(MatDestroy(&J));
  PetscCall(MatDestroy(&K));
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&F));
  PetscCall(VecDestroy(&G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestCompareActions(PlexAssembly assembly, DM dm, PetscReal *error)
{
  MatType   type;
  char     *kept;
  Vec       X, x, y[2];
  Mat       A[2];
  PetscReal e;

  PetscFunctionBegin;
  *error = 0.;
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(DMCreateMatrix(dm, &A[1]));
  PetscCall(DMPlexSNESComputeJacobianFEM(dm, X, A[1], A[1], NULL));
  PetscCall(DMGetMatType(dm, &type));
  PetscCall(PetscStrallocpy(type, &kept));
  PetscCall(DMSetMatType(dm, MATPLEXGPU));
  PetscCall(PlexAssemblyCreateMatrix(assembly, &A[0]));
  PetscCall(DMSetMatType(dm, kept));
  PetscCall(PetscFree(kept));
  PetscCall(PlexAssemblyComputeJacobian(assembly, X, NULL, 0., 0., A[0], A[0]));
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
  PetscCall(VecDestroy(&X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestNewton(DM dm, const char backend[], PetscInt its[2], Vec *solution)
{
  PlexAssembly assembly;
  SNES         snes;

  PetscFunctionBegin;
  if (backend) {
    PetscCall(PlexAssemblySetSNESLocal(dm, NULL));
    PetscCall(PlexAssemblyGetFromDM(dm, &assembly));
    PetscCall(PlexAssemblySetBackend(assembly, backend));
    PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_FORMS));
  } else PetscCall(DMPlexSetSNESLocalFEM(dm, PETSC_FALSE, NULL));
  PetscCall(SNESCreate(PetscObjectComm((PetscObject)dm), &snes));
  PetscCall(SNESSetDM(snes, dm));
  PetscCall(SNESSetTolerances(snes, 1e-50, 1e-11, 0., 20, 1000));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(DMCreateGlobalVector(dm, solution));
  PetscCall(VecSet(*solution, 0.));
  PetscCall(SNESSolve(snes, NULL, *solution));
  PetscCall(SNESGetIterationNumber(snes, &its[0]));
  PetscCall(SNESGetLinearSolveIterations(snes, &its[1]));
  PetscCall(SNESDestroy(&snes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestIsVariant(PlexAssembly assembly, PetscBool jacobian, const char name[], PetscBool *is)
{
  const char *variants[2];

  PetscFunctionBegin;
  PetscCall(PlexAssemblyGetVariants(assembly, &variants[0], &variants[1]));
  if (assembly->elements->Ne) PetscCall(PetscStrcmp(variants[jacobian], name, is));
  else *is = PETSC_TRUE;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, is, 1, MPI_C_BOOL, MPI_LAND, PetscObjectComm((PetscObject)assembly)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
