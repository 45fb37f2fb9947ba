static char help[] = "Assembly on any number of processes, compared with PETSc's own: meshes distributed in several "
                     "ways, and Newton's method.\n"
                     "  -backend, -type, -only : only these cases\n"
                     "The environment variable PLEXGPU_TEST_BACKENDS is the list of backends when none is named: "
                     "default host,emulate.\n\n";

#include <plexgpu/impl.h>
#include <plex_args.h>
#include "meshes.h"
#include "problem.h"
#include "report.h"

static const char *const strategies[] = {PLEXASSEMBLYELEMENTCOLOR, PLEXASSEMBLYELEMENTATOMIC, PLEXASSEMBLYGLOBALNZ,
                                         PLEXASSEMBLYGLOBALROW,    PLEXASSEMBLYSHAREDNZ,      PLEXASSEMBLYSHAREDROW,
                                         PLEXASSEMBLYLOCALNZ,      PLEXASSEMBLYLOCALROW};

typedef struct {
  const char    *name; /* of the cell */
  DMPolytopeType cell;
  PetscInt       degree;
  PetscBool      vector, symmetric;
  PetscInt       overlap;
  PetscBool      idle;        /* the last process gets no cells */
  PetscBool      preallocate; /* the matrix comes without its entries */
  PetscInt       ranks;       /* on so many processes with backends that compile; 0: on none */
} Case;

static const Case cases[] = {
  {.name = "tri", .cell = DM_POLYTOPE_TRIANGLE, .degree = 1, .ranks = 1},
  {.name = "tri", .cell = DM_POLYTOPE_TRIANGLE, .degree = 2, .vector = PETSC_TRUE, .symmetric = PETSC_TRUE, .ranks = 2},
  {.name = "tri", .cell = DM_POLYTOPE_TRIANGLE, .degree = 3, .idle = PETSC_TRUE},
  {.name = "quad", .cell = DM_POLYTOPE_QUADRILATERAL, .degree = 1, .vector = PETSC_TRUE, .overlap = 1, .ranks = 3},
  {.name = "quad", .cell = DM_POLYTOPE_QUADRILATERAL, .degree = 3, .preallocate = PETSC_TRUE},
  {.name = "tet", .cell = DM_POLYTOPE_TETRAHEDRON, .degree = 1, .idle = PETSC_TRUE, .ranks = 4},
  {.name = "tet", .cell = DM_POLYTOPE_TETRAHEDRON, .degree = 2, .overlap = 1, .symmetric = PETSC_TRUE},
  {.name = "tet", .cell = DM_POLYTOPE_TETRAHEDRON, .degree = 3},
  {.name        = "hex",
   .cell        = DM_POLYTOPE_HEXAHEDRON,
   .degree      = 1,
   .vector      = PETSC_TRUE,
   .preallocate = PETSC_TRUE,
   .ranks       = 2},
  {.name = "hex", .cell = DM_POLYTOPE_HEXAHEDRON, .degree = 2, .overlap = 1, .idle = PETSC_TRUE}
};

static char only[256] = "", onlyType[64] = "";

static PetscErrorCode CreateDM(const Case *c, PlexTestForm form, PetscBool device, DM *dm)
{
  const PlexTestProblem problem = {.cell       = c->cell,
                                   .degree     = c->degree,
                                   .components = c->vector ? DMPolytopeTypeGetDim(c->cell) : 1,
                                   .form       = form};
  DMField               field;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, c->cell, 0, dm));
  PetscCall(PlexTestMarkHeld(*dm));
  PetscCall(PlexTestDistribute(dm, c->overlap, c->idle));
  /* PETSc makes it together, when first needed, but would not ask a process without cells */
  PetscCall(DMGetCoordinateField(*dm, &field));
  if (device) PetscCall(PlexTestUseDevice(*dm));
  PetscCall(PlexTestProblemSetUp(*dm, &problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateAssembly(DM dm, const char backend[], const char type[], PetscBool symmetric,
                                     PlexAssembly *assembly)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyCreate(dm, assembly));
  PetscCall(PlexAssemblySetFromOptions(*assembly));
  PetscCall(PlexAssemblySetBackend(*assembly, backend));
  if (type) PetscCall(PlexAssemblySetType(*assembly, type));
  PetscCall(PlexAssemblySetPointwiseSource(*assembly, PLEX_TEST_FORMS));
  PetscCall(PlexAssemblySetSymmetric(*assembly, symmetric));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's local residual, its sum over the processes, and its Jacobian */
typedef struct {
  DM  dm;
  Vec X, F, sum;
  Mat J;
} Reference;

static PetscErrorCode ReferenceCreate(DM dm, Reference *r)
{
  PetscFunctionBegin;
  r->dm = dm;
  PetscCall(PlexTestLocalVector(dm, 1, &r->X));
  PetscCall(VecDuplicate(r->X, &r->F));
  PetscCall(VecSet(r->F, 0.));
  PetscCall(DMCreateGlobalVector(dm, &r->sum));
  PetscCall(DMCreateMatrix(dm, &r->J));
  PetscCall(DMPlexSNESComputeResidualFEM(dm, r->X, r->F, NULL));
  PetscCall(VecSet(r->sum, 0.));
  PetscCall(DMLocalToGlobal(dm, r->F, ADD_VALUES, r->sum));
  PetscCall(DMPlexSNESComputeJacobianFEM(dm, r->X, r->J, r->J, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReferenceDestroy(Reference *r)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&r->X));
  PetscCall(VecDestroy(&r->F));
  PetscCall(VecDestroy(&r->sum));
  PetscCall(MatDestroy(&r->J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Errors of the residual and the Jacobian, and whether a second matrix gets the same bits */
static PetscErrorCode Compare(PlexAssembly assembly, const Reference *r, PetscBool preallocate, PetscReal error[3],
                              PetscReal *again)
{
  Vec       F, sum;
  Mat       J, K;
  PetscReal difference;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(r->F, &F));
  PetscCall(VecDuplicate(r->sum, &sum));
  PetscCall(VecSet(F, 5.)); /* must not matter */
  PetscCall(VecSet(sum, 0.));
  PetscCall(PlexAssemblyComputeFunction(assembly, r->X, NULL, 0., F));
  PetscCall(PlexTestVecError(F, r->F, &error[0]));
  PetscCall(DMLocalToGlobal(r->dm, F, ADD_VALUES, sum));
  PetscCall(PlexTestVecError(sum, r->sum, &error[1]));
  PetscCall(DMSetMatrixPreallocateOnly(r->dm, preallocate));
  PetscCall(DMCreateMatrix(r->dm, &J));
  PetscCall(DMSetMatrixPreallocateOnly(r->dm, PETSC_FALSE));
  PetscCall(PlexAssemblyComputeJacobian(assembly, r->X, NULL, 0., 0., J, J));
  PetscCall(PlexTestMatError(J, r->J, &error[2]));
  PetscCall(MatDuplicate(J, MAT_COPY_VALUES, &K));
  PetscCall(PlexAssemblyComputeJacobian(assembly, r->X, NULL, 0., 0., J, J));
  PetscCall(PlexTestMatError(J, K, again));
  PetscCall(MatScale(K, 3.));
  PetscCall(PlexAssemblyComputeJacobian(assembly, r->X, NULL, 0., 0., K, K));
  PetscCall(PlexTestMatError(K, J, &difference));
  *again = PetscMax(*again, difference);
  PetscCall(MatMult(J, r->sum, sum)); /* the assembled matrix works */
  PetscCall(VecDestroy(&F));
  PetscCall(VecDestroy(&sum));
  PetscCall(MatDestroy(&J));
  PetscCall(MatDestroy(&K));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Wanted(const char type[], const char name[], PetscBool *wanted)
{
  char     *found;
  PetscBool same = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCall(PetscStrstr(name, only, &found));
  if (onlyType[0]) PetscCall(PetscStrcmp(onlyType, type ? type : "", &same));
  *wanted = (PetscBool)(found && same);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtCase(const Case *c, const char backend[], PetscBool compiles, PetscBool device)
{
  PlexAssemblyCounts counts;
  const PetscInt     types = compiles ? PETSC_STATIC_ARRAY_LENGTH(strategies) : 1;
  PetscMPIInt        size;
  DM                 dm = NULL;
  Reference          r;
  char               name[256];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  for (PetscInt k = 0; k < types; ++k) {
    const char  *type = compiles ? strategies[k] : NULL;
    PlexAssembly assembly;
    PetscReal    error[3], again, most;
    PetscInt     left;
    PetscBool    wanted, atomic;

    PetscCall(PetscSNPrintf(name, sizeof(name),
                            "%s%s%s %s degree %" PetscInt_FMT "%s%s overlap %" PetscInt_FMT "%s%s on %d", backend,
                            type ? " " : "", type ? type : "", c->name, c->degree, c->vector ? " vector" : "",
                            c->symmetric ? " symmetric" : "", c->overlap, c->idle ? ", one without cells," : "",
                            c->preallocate ? ", preallocated," : "", size));
    PetscCall(Wanted(type, name, &wanted));
    if (!wanted) continue;
    if (!dm) {
      PetscCall(CreateDM(c, c->symmetric ? PLEX_TEST_SYMMETRIC : PLEX_TEST_GENERAL, device, &dm));
      PetscCall(ReferenceCreate(dm, &r));
    }
    PetscCall(CreateAssembly(dm, backend, type, c->symmetric, &assembly));
    PetscCall(Compare(assembly, &r, c->preallocate, error, &again));
    PetscCall(PetscStrcmp(type ? type : "", PLEXASSEMBLYELEMENTATOMIC, &atomic));
    most = PetscMax(error[0], PetscMax(error[1], error[2]));
    PetscCall(PlexAssemblyGetCounts(assembly, &counts));
    left = counts.residualsLeft;
    PetscCall(PlexTestReport((PetscBool)(most <= 1e-12 && again <= (atomic ? 1e-12 : 0.) && !left), name,
                             "relative errors: local residual %.3g, its sum %.3g, Jacobian %.3g; computed again %.3g; "
                             "left to PETSc %" PetscInt_FMT,
                             (double)error[0], (double)error[1], (double)error[2], (double)again, left));
    PetscCall(PlexAssemblyDestroy(&assembly));
  }
  if (dm) PetscCall(ReferenceDestroy(&r));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Newton's method on the nonlinear diffusion problem: iterations, and the solution at the local dofs */
static PetscErrorCode Solve(const Case *c, const char backend[], PetscBool device, PetscInt its[2], Vec *solution)
{
  DM dm;

  PetscFunctionBegin;
  PetscCall(CreateDM(c, PLEX_TEST_DIFFUSION, device, &dm));
  PetscCall(PlexTestNewton(dm, backend, its, solution));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtNewton(const char backend[], PetscBool device)
{
  const Case c = {.name = "tri", .cell = DM_POLYTOPE_TRIANGLE, .degree = 2};
  Vec        x, y;
  PetscInt   its[2][2];
  PetscReal  error;
  PetscBool  wanted;
  char       name[64];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s Newton's method", backend));
  PetscCall(Wanted(NULL, name, &wanted));
  if (!wanted) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Solve(&c, NULL, device, its[0], &x));
  PetscCall(Solve(&c, backend, device, its[1], &y));
  PetscCall(PlexTestVecError(y, x, &error));
  PetscCall(PlexTestReport((PetscBool)(error <= 1e-10 && its[0][0] == its[1][0] && its[0][1] == its[1][1] &&
                                       its[0][0] > 1),
                           name,
                           "solutions differ by %.3g; PETSc takes %" PetscInt_FMT " iterations and %" PetscInt_FMT
                           " linear ones, here %" PetscInt_FMT " and %" PetscInt_FMT,
                           (double)error, its[0][0], its[0][1], its[1][0], its[1][1]));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What all processes have to hear of one of them */

typedef struct {
  PlexAssembly assembly;
  Reference    r;
  Mat          J;
  Vec          F;
} Attempt;

static PetscErrorCode TryFunction(void *ctx)
{
  Attempt *a = (Attempt *)ctx;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyComputeFunction(a->assembly, a->r.X, NULL, 0., a->F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TryJacobian(void *ctx)
{
  Attempt *a = (Attempt *)ctx;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyComputeJacobian(a->assembly, a->r.X, NULL, 0., 0., a->J, a->J));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every process is to fail, with the words in the message */
static PetscErrorCode Expect(const char name[], PetscErrorCode (*f)(void *), Attempt *a, const char words[])
{
  char           text[4096], *found;
  PetscErrorCode ierr;
  PetscMPIInt    failed, size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PlexTestTry(f, a, &ierr, text, sizeof(text)));
  PetscCall(PetscStrstr(text, words, &found));
  failed = ierr && found;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(PlexTestReport((PetscBool)(failed == size), name, "%d of %d processes say '%s'; here: error %d, %s", failed,
                           size, words, (int)ierr, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ShowAssembly(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyView(((Attempt *)ctx)->assembly, PETSC_VIEWER_STDOUT_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Mirrors the last process's part of a mesh in 2D, whose cells are then inside out; the second time back */
static PetscErrorCode Mirror(DM dm)
{
  PetscMPIInt  rank, size;
  Vec          coordinates;
  PetscScalar *x;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  if (rank < size - 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetLocalSize(coordinates, &n));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt i = 0; i < n; i += 2) x[i] = -x[i];
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The check is the first to ask PETSc for a residual, of a mesh of which a process has no cells */
static PetscErrorCode LookAtFirstCheck(void)
{
  const PlexTestProblem problem = {.cell = DM_POLYTOPE_QUADRILATERAL, .degree = 2, .components = 1};
  Attempt               a;
  DM                    dm;
  char                  text[1024];
  PetscErrorCode        ierr;

  PetscFunctionBegin;
  PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, 2, PETSC_FALSE, (const PetscInt[2]){3, 2}, NULL, NULL, NULL,
                                PETSC_TRUE, 0, PETSC_TRUE, &dm)); /* of the first process */
  PetscCall(PlexTestProblemSetUp(dm, &problem));
  PetscCall(PlexTestLocalVector(dm, 1, &a.r.X));
  PetscCall(VecDuplicate(a.r.X, &a.F));
  PetscCall(CreateAssembly(dm, PLEXBACKENDHOST, NULL, PETSC_FALSE, &a.assembly));
  a.assembly->check = 1e-10;
  PetscCall(VecZeroEntries(a.F));
  PetscCall(PlexTestTry(TryFunction, &a, &ierr, text, sizeof(text)));
  PetscCall(PlexTestReport((PetscBool)!ierr, "-plex_assembly_check, one process without cells", "error %d: %s",
                           (int)ierr, text));
  PetscCall(PlexAssemblyDestroy(&a.assembly));
  PetscCall(VecDestroy(&a.F));
  PetscCall(VecDestroy(&a.r.X));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtAgreement(void)
{
  const Case  c = {.name = "tri", .cell = DM_POLYTOPE_TRIANGLE, .degree = 2};
  Attempt     a;
  DM          dm;
  PetscInt    m, rstart, rend;
  PetscReal   error[3], again;
  char        text[8192], *found;
  PetscMPIInt rank, size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(CreateDM(&c, PLEX_TEST_GENERAL, PETSC_FALSE, &dm));
  PetscCall(ReferenceCreate(dm, &a.r));
  PetscCall(VecDuplicate(a.r.F, &a.F));
  PetscCall(CreateAssembly(dm, PLEXBACKENDHOST, NULL, PETSC_FALSE, &a.assembly));
  a.assembly->check  = 1e-12;
  a.assembly->timing = PETSC_TRUE;
  /* stops where -plex_assembly_check finds a difference */
  PetscCall(Compare(a.assembly, &a.r, PETSC_FALSE, error, &again));
  PetscCall(PlexTestCapture(ShowAssembly, &a, text, sizeof(text)));
  PetscCall(PetscStrstr(text, PLEXBACKENDHOST, &found));
  PetscCall(PlexTestReport((PetscBool)(rank || found), "the view names the backend", "%s", text));
  PetscCall(PlexTestReport((PetscBool)(size == 1 ? !a.assembly->exchange
                                                 : a.assembly->exchange && a.assembly->exchangeTime > 0.),
                           "the exchange is timed", "%g s", (double)a.assembly->exchangeTime));
  a.assembly->check = 0.;
  PetscCall(Mirror(dm));
  PetscCall(Expect("a cell of one process turned inside out", TryFunction, &a, "Jacobian determinant"));
  PetscCall(Mirror(dm));
  PetscCall(MatGetLocalSize(a.r.J, &m, NULL));
  PetscCall(MatGetOwnershipRange(a.r.J, &rstart, &rend));
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, m, m, PETSC_DETERMINE, PETSC_DETERMINE, 1, NULL, 0, NULL, &a.J));
  for (PetscInt r = rstart; r < rend; ++r) PetscCall(MatSetValue(a.J, r, r, 1., INSERT_VALUES));
  PetscCall(MatAssemblyBegin(a.J, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(a.J, MAT_FINAL_ASSEMBLY));
  if (size > 1)
    PetscCall(Expect("a matrix without the entries between processes", TryJacobian, &a, "it has no entry at row"));
  PetscCall(MatDestroy(&a.J));
  PetscCall(VecDestroy(&a.F));
  PetscCall(PlexAssemblyDestroy(&a.assembly));
  PetscCall(ReferenceDestroy(&a.r));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The elements in two halves have the pattern and the halo of all of them */
static PetscErrorCode LookAtHalves(void)
{
  const Case             c = {.name = "quad", .cell = DM_POLYTOPE_QUADRILATERAL, .degree = 2};
  struct _n_PlexElements half[2];
  PlexElements           all, halves[2] = {&half[0], &half[1]};
  PlexPattern            one, two;
  DM                     dm;
  Mat                    J;
  PetscBool              same[5] = {PETSC_TRUE, PETSC_TRUE, PETSC_TRUE, PETSC_TRUE, PETSC_TRUE};
  PetscMPIInt            equal, size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(CreateDM(&c, PLEX_TEST_GENERAL, PETSC_FALSE, &dm));
  PetscCall(DMCreateMatrix(dm, &J));
  PetscCall(PlexElementsCreate(dm, &all));
  half[0] = half[1] = *all;
  half[0].Ne        = all->Ne / 2;
  half[1].Ne        = all->Ne - half[0].Ne;
  half[1].dofs      = all->dofs + (size_t)half[0].Ne * all->ef;
  PetscCall(PlexPatternCreate(all, J, &one));
  PetscCall(PlexPatternCreateForAll(2, halves, J, &two));
  equal = one->m == two->m && one->nnz == two->nnz && one->nA == two->nA && one->unused == two->unused;
  if (equal) {
    PetscCall(PetscArraycmp(one->i, two->i, one->m + 1, &same[0]));
    PetscCall(PetscArraycmp(one->j, two->j, one->nnz, &same[1]));
    PetscCall(PetscArraycmp(one->row, two->row, all->Nl, &same[2]));
  }
  if (equal && one->halo) {
    equal = one->halo->nsums == two->halo->nsums && one->halo->sent == two->halo->sent;
    if (equal) PetscCall(PetscArraycmp(one->halo->sumStart, two->halo->sumStart, one->halo->nsums + 1, &same[3]));
    if (equal)
      PetscCall(PetscArraycmp(one->halo->sumItems, two->halo->sumItems, one->halo->own + one->halo->received,
                              &same[4]));
  }
  for (PetscInt k = 0; k < 5; ++k) equal = equal && same[k];
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &equal, 1, MPI_INT, MPI_MIN, PETSC_COMM_WORLD));
  PetscCall(PlexTestReport((PetscBool)(equal && !one->halo == (size == 1)),
                           "elements in two sets have the pattern of all", "they have another"));
  PetscCall(PlexPatternDestroy(&one));
  PetscCall(PlexPatternDestroy(&two));
  PetscCall(PlexElementsDestroy(&all));
  PetscCall(MatDestroy(&J));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the processes' parts of two matrices have the same rows and columns */
static PetscErrorCode SamePattern(Mat A, Mat B, PetscBool *same)
{
  Mat part[2][2] = {
    {A, NULL},
    {B, NULL}
  };
  const PetscInt *ghosts[2] = {NULL, NULL}, *i[2], *j[2];
  PetscInt        m[2], n[2];
  PetscMPIInt     size;
  PetscBool       done, equal = PETSC_TRUE;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  *same = PETSC_TRUE;
  for (PetscInt p = 0; p < 2 && size > 1; ++p)
    PetscCall(MatMPIAIJGetSeqAIJ(p ? B : A, &part[p][0], &part[p][1], &ghosts[p]));
  for (PetscInt k = 0; k < (size > 1 ? 2 : 1); ++k) {
    for (PetscInt p = 0; p < 2; ++p) {
      PetscCall(MatGetSize(part[p][k], NULL, &n[p]));
      PetscCall(MatGetRowIJ(part[p][k], 0, PETSC_FALSE, PETSC_FALSE, &m[p], &i[p], &j[p], &done));
    }
    equal = (PetscBool)(m[0] == m[1] && n[0] == n[1]);
    if (equal) PetscCall(PetscArraycmp(i[0], i[1], m[0] + 1, &equal));
    if (equal) PetscCall(PetscArraycmp(j[0], j[1], i[0][m[0]], &equal));
    if (equal && k) PetscCall(PetscArraycmp(ghosts[0], ghosts[1], n[0], &equal));
    *same = (PetscBool)(*same && equal);
    for (PetscInt p = 0; p < 2; ++p)
      PetscCall(MatRestoreRowIJ(part[p][k], 0, PETSC_FALSE, PETSC_FALSE, &m[p], &i[p], &j[p], &done));
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, same, 1, MPI_C_BOOL, MPI_LAND, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PlexAssemblyCreateMatrix() gives the pattern of DMCreateMatrix() */
static PetscErrorCode LookAtMatrix(const Case *c)
{
  DM           dm;
  Mat          ours, theirs;
  PlexAssembly assembly;
  char         name[256];
  MatInfo      info;
  PetscBool    same;

  PetscFunctionBegin;
  PetscCall(CreateDM(c, PLEX_TEST_GENERAL, PETSC_FALSE, &dm));
  PetscCall(CreateAssembly(dm, PLEXBACKENDHOST, NULL, PETSC_FALSE, &assembly));
  PetscCall(PlexAssemblyCreateMatrix(assembly, &ours));
  PetscCall(DMCreateMatrix(dm, &theirs));
  PetscCall(SamePattern(ours, theirs, &same));
  PetscCall(MatGetInfo(ours, MAT_GLOBAL_SUM, &info));
  PetscCall(PetscSNPrintf(name, sizeof(name),
                          "matrix from elements %s degree %" PetscInt_FMT "%s overlap %" PetscInt_FMT "%s", c->name,
                          c->degree, c->vector ? " vector" : "", c->overlap, c->idle ? ", one without cells" : ""));
  PetscCall(PlexTestReport((PetscBool)(same && info.nz_used > 0 && info.nz_unneeded == 0), name,
                           "another pattern than DMCreateMatrix(), %g values, %g not needed", info.nz_used,
                           info.nz_unneeded));
  PetscCall(MatDestroy(&ours));
  PetscCall(MatDestroy(&theirs));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a backend is asked for while a Jacobian is assembled, in each queue */
static struct {
  PlexHalo  halo;
  PlexQueue queue;
  PetscInt  launches[2]; /* of the assembly kernel */
  PetscInt  changed[2];  /* values among those to be sent that such launches changed */
  PetscErrorCode (*launch)(PlexKernel, PetscInt, PetscInt, size_t, void **);
} watched;

static PetscErrorCode WatchQueue(PlexBackend backend, PlexQueue queue, PetscBool after)
{
  PetscFunctionBegin;
  watched.queue = queue;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode WatchLaunch(PlexKernel kernel, PetscInt grid, PetscInt block, size_t shared, void **arguments)
{
  const PlexArgs *args = (const PlexArgs *)arguments[0];
  PetscScalar    *before;
  PetscBool       assembles;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(kernel->name, "plex_assemble", &assembles));
  if (!assembles) {
    PetscCall((*watched.launch)(kernel, grid, block, shared, arguments));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(watched.halo->sent, &before));
  PetscCall(PetscArraycpy(before, args->B + watched.halo->own, watched.halo->sent));
  PetscCall((*watched.launch)(kernel, grid, block, shared, arguments));
  for (PetscInt k = 0; k < watched.halo->sent; ++k)
    watched.changed[watched.queue] += args->B[watched.halo->own + k] != before[k];
  watched.launches[watched.queue]++;
  PetscCall(PetscFree(before));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is sent is complete before the main queue's launch of element_atomic: no element of that adds to it, and all
   values are there */
static PetscErrorCode LookAtQueues(const char name[])
{
  const Case   c = {.name = "tet", .cell = DM_POLYTOPE_TETRAHEDRON, .degree = 2};
  DM           dm;
  Reference    r;
  PlexAssembly assembly;
  PlexBackend  backend;
  PetscInt     found[5];
  PetscErrorCode (*setqueue)(PlexBackend, PlexQueue, PetscBool);

  PetscFunctionBegin;
  PetscCall(CreateDM(&c, PLEX_TEST_GENERAL, PETSC_FALSE, &dm));
  PetscCall(ReferenceCreate(dm, &r));
  PetscCall(CreateAssembly(dm, name, PLEXASSEMBLYELEMENTATOMIC, PETSC_FALSE, &assembly));
  PetscCall(PlexAssemblyComputeJacobian(assembly, r.X, NULL, 0., 0., r.J, r.J));
  PetscCall(PlexAssemblyGetBackend(assembly, &backend));
  PetscCall(PetscMemzero(&watched, sizeof(watched)));
  watched.halo           = assembly->pattern->halo;
  watched.launch         = backend->ops->launch;
  setqueue               = backend->ops->setqueue;
  backend->ops->launch   = WatchLaunch;
  backend->ops->setqueue = WatchQueue;
  PetscCall(PlexAssemblyComputeJacobian(assembly, r.X, NULL, 0., 0., r.J, r.J));
  backend->ops->launch   = watched.launch;
  backend->ops->setqueue = setqueue;
  for (PetscInt k = 0; k < 2; ++k) {
    found[k]     = watched.launches[k];
    found[2 + k] = watched.changed[k];
  }
  found[4] = watched.halo->sent;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, found, 5, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscCall(PlexTestReport((PetscBool)(found[PLEX_QUEUE_MAIN] && found[PLEX_QUEUE_SIDE] &&
                                       !found[2 + PLEX_QUEUE_MAIN] && found[2 + PLEX_QUEUE_SIDE] == found[4] &&
                                       found[4]),
                           "what is sent is assembled first",
                           "%" PetscInt_FMT " launches in the main queue and %" PetscInt_FMT
                           " in the side queue changed %" PetscInt_FMT " and %" PetscInt_FMT " of %" PetscInt_FMT
                           " values that are sent",
                           found[PLEX_QUEUE_MAIN], found[PLEX_QUEUE_SIDE], found[2 + PLEX_QUEUE_MAIN],
                           found[2 + PLEX_QUEUE_SIDE], found[4]));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(ReferenceDestroy(&r));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;
  PetscMPIInt        size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestQuickKernels());
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_fallback", "false"));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-type", onlyType, sizeof(onlyType), NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-only", only, sizeof(only), NULL));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) {
    PetscBool host, device;

    PetscCall(PetscStrcmp(backends[b], PLEXBACKENDHOST, &host));
    PetscCall(PetscStrcmp(backends[b], PLEXBACKENDCUDA, &device));
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k)
      if (host || device || cases[k].ranks == size)
        PetscCall(LookAtCase(&cases[k], backends[b], (PetscBool)!host, device));
    PetscCall(LookAtNewton(backends[b], device));
    if (host) PetscCall(LookAtFirstCheck());
    PetscCall(LookAtAgreement());
    if (host) PetscCall(LookAtHalves());
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases) && host; ++k) PetscCall(LookAtMatrix(&cases[k]));
    if (!host && !device && size > 1) PetscCall(LookAtQueues(backends[b]));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
