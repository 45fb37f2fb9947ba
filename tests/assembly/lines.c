static char help[] = "local_row along lines of points, shared_nz and global_row by element matrices: Jacobians of "
                     "quadrilaterals and hexahedra by quadrature against PETSc.\n"
                     "  -shard <k>/<n>  : every n-th part, from the k-th\n\n";

#include <plexgpu/impl.h>
#include "tensorforms.h"
#include "meshes.h"
#include "problem.h"
#include "report.h"

#define QUAD       DM_POLYTOPE_QUADRILATERAL
#define HEX        DM_POLYTOPE_HEXAHEDRON
#define AUTO       PLEX_INTEGRATION_AUTO
#define QUADRATURE PLEX_INTEGRATION_QUADRATURE

typedef struct {
  PlexTestTensorSpace space;
  const char         *form;
  PlexIntegration     integration; /* auto: what is known of the functions is used, which is nothing otherwise */
  PetscInt            coordinates; /* degree, 0: the mesh's own */
  PetscInt            partition;   /* elements of a block, 0: the default */
  PetscBool           single, lines;
} Run;

/* Meshes have cells in all orientations (tests/common/meshes.c); boxes are affine. Orders 1 to 3, parts of forms,
   symmetric and not, with the solution and without; curved elements; several blocks; and what is left to other
   ways, order 1 of it */
static const Run runs[] = {
  {{QUAD, PETSC_FALSE, 0, 1}, "Laplacian",          AUTO,       0, 0,  PETSC_FALSE, PETSC_FALSE},
  {{QUAD, PETSC_FALSE, 0, 2}, "Laplacian",          AUTO,       0, 6,  PETSC_FALSE, PETSC_FALSE},
  {{QUAD, PETSC_FALSE, 0, 3}, "Laplacian",          AUTO,       0, 0,  PETSC_FALSE, PETSC_TRUE },
  {{HEX, PETSC_FALSE, 0, 1},  "Laplacian",          AUTO,       0, 0,  PETSC_FALSE, PETSC_FALSE},
  {{HEX, PETSC_FALSE, 0, 2},  "Laplacian",          AUTO,       0, 0,  PETSC_FALSE, PETSC_TRUE },
  {{HEX, PETSC_FALSE, 0, 3},  "Laplacian",          AUTO,       0, 0,  PETSC_FALSE, PETSC_TRUE },
  {{QUAD, PETSC_FALSE, 0, 1}, "all parts",          AUTO,       0, 0,  PETSC_FALSE, PETSC_FALSE},
  {{QUAD, PETSC_FALSE, 0, 2}, "all parts",          QUADRATURE, 0, 9,  PETSC_FALSE, PETSC_FALSE},
  {{QUAD, PETSC_FALSE, 0, 3}, "all parts",          AUTO,       0, 0,  PETSC_FALSE, PETSC_TRUE },
  {{HEX, PETSC_FALSE, 0, 1},  "all parts",          QUADRATURE, 0, 10, PETSC_FALSE, PETSC_FALSE},
  {{HEX, PETSC_FALSE, 0, 2},  "all parts",          AUTO,       0, 12, PETSC_FALSE, PETSC_TRUE },
  {{HEX, PETSC_FALSE, 8, 3},  "all parts",          QUADRATURE, 0, 0,  PETSC_FALSE, PETSC_TRUE },
  {{QUAD, PETSC_FALSE, 0, 1}, "nonlinear",          AUTO,       0, 5,  PETSC_FALSE, PETSC_FALSE},
  {{QUAD, PETSC_TRUE, 0, 2},  "nonlinear",          AUTO,       0, 0,  PETSC_FALSE, PETSC_FALSE},
  {{HEX, PETSC_FALSE, 0, 1},  "nonlinear",          AUTO,       0, 0,  PETSC_FALSE, PETSC_FALSE},
  {{HEX, PETSC_TRUE, 0, 2},   "nonlinear",          AUTO,       0, 0,  PETSC_FALSE, PETSC_TRUE },
  {{HEX, PETSC_FALSE, 0, 1},  "Laplacian",          AUTO,       0, 7,  PETSC_FALSE, PETSC_FALSE},
  {{HEX, PETSC_TRUE, 0, 1},   "position",           AUTO,       0, 0,  PETSC_FALSE, PETSC_FALSE},
  {{HEX, PETSC_TRUE, 0, 2},   "Laplacian",          AUTO,       0, 0,  PETSC_FALSE, PETSC_TRUE },
  {{QUAD, PETSC_FALSE, 0, 3}, "branch, derivative", AUTO,       0, 0,  PETSC_FALSE, PETSC_TRUE },
  {{HEX, PETSC_FALSE, 0, 1},  "constants",          AUTO,       0, 0,  PETSC_FALSE, PETSC_FALSE},
  {{QUAD, PETSC_FALSE, 0, 2}, "dynamic",            AUTO,       0, 0,  PETSC_FALSE, PETSC_FALSE},
  {{HEX, PETSC_FALSE, 8, 2},  "time shift",         AUTO,       0, 0,  PETSC_FALSE, PETSC_TRUE },
  {{QUAD, PETSC_FALSE, 0, 2}, "position",           AUTO,       2, 0,  PETSC_FALSE, PETSC_TRUE },
  {{HEX, PETSC_FALSE, 8, 1},  "Laplacian",          AUTO,       2, 0,  PETSC_FALSE, PETSC_FALSE},
  {{HEX, PETSC_FALSE, 8, 2},  "nonlinear",          AUTO,       2, 0,  PETSC_FALSE, PETSC_TRUE },
  {{HEX, PETSC_FALSE, 0, 1},  "Laplacian",          AUTO,       0, 9,  PETSC_TRUE,  PETSC_FALSE},
  {{HEX, PETSC_FALSE, 0, 2},  "nonlinear",          AUTO,       0, 0,  PETSC_TRUE,  PETSC_TRUE },
  {{QUAD, PETSC_FALSE, 0, 3}, "all parts",          AUTO,       0, 0,  PETSC_TRUE,  PETSC_TRUE },
  {{QUAD, PETSC_FALSE, 8, 4}, "Laplacian",          AUTO,       0, 0,  PETSC_FALSE, PETSC_FALSE},
  {{QUAD, PETSC_FALSE, 0, 1}, "all parts, vector",  QUADRATURE, 0, 0,  PETSC_FALSE, PETSC_FALSE},
  {{QUAD, PETSC_FALSE, 0, 2}, "everything",         QUADRATURE, 0, 0,  PETSC_FALSE, PETSC_FALSE}
};

/* By shared_nz, by element matrices where `lines` is true; diagonals from the sums of rows or not */
static const struct {
  Run        run;
  PetscBool3 rowSums;
} pairs[] = {
  {{{HEX, PETSC_FALSE, 0, 1}, "Laplacian", AUTO, 0, 0, PETSC_FALSE, PETSC_TRUE},        PETSC_BOOL3_UNKNOWN},
  {{{HEX, PETSC_FALSE, 8, 1}, "Laplacian", AUTO, 0, 0, PETSC_FALSE, PETSC_TRUE},        PETSC_BOOL3_FALSE  },
  {{{HEX, PETSC_FALSE, 0, 1}, "Laplacian", AUTO, 0, 9, PETSC_FALSE, PETSC_TRUE},        PETSC_BOOL3_UNKNOWN},
  {{{HEX, PETSC_FALSE, 8, 1}, "Laplacian", AUTO, 0, 11, PETSC_TRUE, PETSC_TRUE},        PETSC_BOOL3_UNKNOWN},
  {{{HEX, PETSC_FALSE, 0, 1}, "Laplacian", QUADRATURE, 0, 0, PETSC_FALSE, PETSC_FALSE}, PETSC_BOOL3_UNKNOWN},
  {{{HEX, PETSC_FALSE, 0, 1}, "all parts", AUTO, 0, 0, PETSC_FALSE, PETSC_FALSE},       PETSC_BOOL3_UNKNOWN},
  {{{HEX, PETSC_FALSE, 0, 1}, "constants", AUTO, 0, 0, PETSC_FALSE, PETSC_FALSE},       PETSC_BOOL3_UNKNOWN},
  {{{HEX, PETSC_FALSE, 8, 1}, "Laplacian", AUTO, 2, 0, PETSC_FALSE, PETSC_FALSE},       PETSC_BOOL3_UNKNOWN}
};

/* By global_row, which has whole element matrices by quadrature; symmetric: said to be, else as far as it is found.
   Some in several passes */
#define MEMORY 60000 /* bytes of element data of a pass */
static const struct {
  Run       run;
  PetscBool symmetric;
  PetscInt  memory;
} rows[] = {
  {{{HEX, PETSC_FALSE, 0, 2}, "Laplacian", AUTO, 0, 0, PETSC_FALSE, PETSC_TRUE},       PETSC_FALSE, 0     },
  {{{HEX, PETSC_FALSE, 0, 2}, "Laplacian", AUTO, 0, 7, PETSC_TRUE, PETSC_TRUE},        PETSC_FALSE, MEMORY},
  {{{HEX, PETSC_FALSE, 0, 2}, "time shift", AUTO, 0, 9, PETSC_FALSE, PETSC_TRUE},      PETSC_FALSE, MEMORY},
  {{{HEX, PETSC_FALSE, 8, 2}, "nonlinear", AUTO, 0, 40, PETSC_FALSE, PETSC_TRUE},      PETSC_TRUE,  0     },
  {{{HEX, PETSC_FALSE, 8, 2}, "position", QUADRATURE, 2, 8, PETSC_FALSE, PETSC_TRUE},  PETSC_TRUE,  MEMORY},
  {{{HEX, PETSC_FALSE, 0, 2}, "Laplacian", QUADRATURE, 0, 0, PETSC_FALSE, PETSC_TRUE}, PETSC_FALSE, 0     },
  {{{HEX, PETSC_FALSE, 8, 2}, "all parts", AUTO, 0, 0, PETSC_FALSE, PETSC_TRUE},       PETSC_FALSE, 0     },
  {{{HEX, PETSC_FALSE, 8, 1}, "Laplacian", AUTO, 0, 0, PETSC_FALSE, PETSC_TRUE},       PETSC_FALSE, 0     }
};

/* By shared_nz, by partial sums where `lines` is true, as those of global_row; elements of a part, 0: the default */
static const struct {
  Run       run;
  PetscBool symmetric;
} partial[] = {
  {{{HEX, PETSC_FALSE, 0, 2}, "Laplacian", AUTO, 0, 0, PETSC_FALSE, PETSC_TRUE},        PETSC_FALSE},
  {{{HEX, PETSC_FALSE, 0, 2}, "Laplacian", AUTO, 0, 3, PETSC_TRUE, PETSC_TRUE},         PETSC_FALSE},
  {{{HEX, PETSC_FALSE, 0, 2}, "time shift", AUTO, 0, 9, PETSC_FALSE, PETSC_TRUE},       PETSC_FALSE},
  {{{HEX, PETSC_FALSE, 8, 2}, "nonlinear", AUTO, 0, 5, PETSC_FALSE, PETSC_TRUE},        PETSC_TRUE },
  {{{HEX, PETSC_FALSE, 8, 2}, "position", QUADRATURE, 2, 1, PETSC_FALSE, PETSC_TRUE},   PETSC_TRUE },
  {{{HEX, PETSC_FALSE, 0, 2}, "Laplacian", QUADRATURE, 0, 0, PETSC_FALSE, PETSC_FALSE}, PETSC_FALSE},
  {{{HEX, PETSC_FALSE, 8, 2}, "all parts", AUTO, 0, 0, PETSC_FALSE, PETSC_FALSE},       PETSC_FALSE}
};

#define TIME  0.7
#define SHIFT 1.3

static PetscErrorCode View(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyView((PlexAssembly)ctx, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How a run is computed: the type, and what goes with it */
typedef struct {
  PlexAssemblyType type;
  PetscBool3       rowSums;
  PetscBool        symmetric;
  PetscInt         memory; /* 0: as much as there is */
  PlexPartitioner  partitioner;
  const char      *variant, *way; /* the name of the way that it takes, and of the test */
} Way;

/* Twice, so that nothing of the first is left in the matrix */
static PetscErrorCode Compute(const Run *run, const Way *way, DM dm, const char backend[], Mat J, Mat petsc,
                              PetscBool *taken, char text[], size_t size)
{
  PlexAssembly assembly;
  Vec          X, X_t;

  PetscFunctionBegin;
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(PlexTestLocalVector(dm, 2, &X_t));
  PetscCall(DMPlexTSComputeIJacobianFEM(dm, TIME, X, X_t, SHIFT, petsc, petsc, NULL));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetFromOptions(assembly));
  PetscCall(PlexAssemblySetBackend(assembly, backend));
  PetscCall(PlexAssemblySetType(assembly, way->type));
  if (way->symmetric) PetscCall(PlexAssemblySetSymmetric(assembly, PETSC_TRUE));
  if (way->memory) PetscCall(PlexAssemblySetMemory(assembly, way->memory));
  PetscCall(PlexAssemblySetIntegration(assembly, run->integration));
  PetscCall(PlexAssemblySetPrecision(assembly, run->single ? PLEX_PRECISION_SINGLE : PLEX_PRECISION_DOUBLE));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_COEFFICIENTS));
  assembly->partitionSize = run->partition;
  assembly->rowSums       = way->rowSums;
  assembly->partitioner   = way->partitioner;
  for (PetscInt k = 0; k < 2; ++k) PetscCall(PlexAssemblyComputeJacobian(assembly, X, X_t, TIME, SHIFT, J, J));
  PetscCall(PlexTestIsVariant(assembly, PETSC_TRUE, way->variant, taken));
  PetscCall(PlexTestCapture(View, assembly, text, size));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&X_t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestRun(const Run *run, const Way *way, const char backend[])
{
  const PlexTestTensorForm *form;
  DM                        dm;
  Mat                       J, petsc;
  PetscReal                 error, norm;
  char                      name[256], text[16384];
  PetscBool                 taken;

  PetscFunctionBegin;
  PetscCall(PlexTestFindTensorForm(run->form, &form));
  PetscCall(PlexTestTensorProblemCreate(&run->space, form, &dm));
  if (run->coordinates) PetscCall(PlexTestCurve(dm, run->coordinates));
  PetscCall(DMCreateMatrix(dm, &J));
  PetscCall(DMCreateMatrix(dm, &petsc));
  PetscCall(Compute(run, way, dm, backend, J, petsc, &taken, text, sizeof(text)));
  PetscCall(MatNorm(petsc, NORM_FROBENIUS, &norm));
  PetscCall(PlexTestMatError(J, petsc, &error));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s %s%s of degree %" PetscInt_FMT ": %s%s%s%s%s%s", backend,
                          run->coordinates ? "curved " : "", DMPolytopeTypes[run->space.cell], run->space.degree,
                          form->name, run->integration == AUTO ? "" : ", nothing known",
                          run->partition ? ", several blocks" : "", run->single ? ", single precision" : "", way->way,
                          way->memory ? ", several passes" : ""));
  PetscCall(PlexTestReport((PetscBool)(norm > 0. && error <= (run->single ? 1e-5 : 1e-12) && taken == run->lines), name,
                           "error %g; the way is %s%s", (double)error, taken ? "" : "not ", way->variant));
  PetscCall(MatDestroy(&J));
  PetscCall(MatDestroy(&petsc));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char *backend;
  PetscInt    partition;
  PetscReal   error, passes; /* of the view: in which half a warp reads shared memory */
} Box;

/* 4 x 4 x 3 hexahedra of order 2, whose points have 16 numbers each: more than a block has room for */
static PetscErrorCode ComputeBox(void *ctx)
{
  const PlexTestProblem problem  = {.cell = HEX, .degree = 2, .components = 1, .form = PLEX_TEST_GENERAL};
  const PetscInt        faces[3] = {4, 4, 3};
  Box                  *box      = (Box *)ctx;
  PetscReal             residual;
  PlexAssembly          assembly;
  DM                    dm;
  char                  text[16384], *passes;
  double                number = 0.;

  PetscFunctionBegin;
  PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_SELF, 3, PETSC_FALSE, faces, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_FALSE,
                                &dm));
  PetscCall(PlexTestProblemSetUp(dm, &problem));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, box->backend));
  assembly->fallback = PETSC_FALSE;
  PetscCall(PlexAssemblySetType(assembly, PLEXASSEMBLYLOCALROW));
  PetscCall(PlexAssemblySetIntegration(assembly, QUADRATURE));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_FORMS));
  assembly->partitionSize = box->partition;
  PetscCall(PlexTestCompare(assembly, dm, &residual, &box->error));
  PetscCall(PlexTestCapture(View, assembly, text, sizeof(text)));
  PetscCall(PetscStrstr(text, "shared memory in ", &passes));
  if (passes) (void)sscanf(passes, "shared memory in %lf passes", &number);
  box->passes = (PetscReal)number;
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TryBox(Box *box, const char what[], char text[], size_t size, PetscErrorCode *ierr)
{
  char name[128];

  PetscFunctionBegin;
  box->error = PETSC_MAX_REAL;
  PetscCall(PlexTestTry(ComputeBox, box, ierr, text, size));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s: %s", box->backend, what));
  PetscCall(PlexTestReport((PetscBool)(!*ierr && box->error <= 1e-12), name,
                           "%" PetscInt_FMT " elements, error %d, of the Jacobian %g: %s", box->partition, (int)*ierr,
                           (double)box->error, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks that have no room for all elements: the size that is chosen serves, a larger one is refused, and the size that
   the message names serves */
static PetscErrorCode TestRoom(const char backend[])
{
  Box            box = {.backend = backend};
  char           text[8192], name[128], *option;
  PetscErrorCode ierr;
  PetscInt       n = 0;

  PetscFunctionBegin;
  PetscCall(TryBox(&box, "elements of a block by default", text, sizeof(text), &ierr));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s: elements in different banks", backend));
  PetscCall(PlexTestReport((PetscBool)(box.passes >= 1. && box.passes < 1.3), name, "%g passes", (double)box.passes));
  box.partition = 48;
  PetscCall(PlexTestTry(ComputeBox, &box, &ierr, text, sizeof(text)));
  PetscCall(PetscStrstr(text, "use -plex_assembly_partition_size ", &option));
  if (option) (void)sscanf(option, "use -plex_assembly_partition_size %" PetscInt_FMT, &n);
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s: more elements of a block than have room", backend));
  PetscCall(PlexTestReport((PetscBool)(ierr && n > 0), name, "error %d: %s", (int)ierr, text));
  box.partition = n;
  PetscCall(TryBox(&box, "elements of a block as the error says", text, sizeof(text), &ierr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 40 hexahedra of order 2 around an edge, by partial sums: of parts of one each, so that a row has more runs than there
   are codes for, or of all of them, so that a target has more numbers than are read together */
static PetscErrorCode TestFan(const char backend[], PetscInt partition)
{
  const PlexTestProblem problem = {.cell = HEX, .degree = 2, .components = 1, .form = PLEX_TEST_SYMMETRIC};
  PetscReal             residual, error;
  PlexAssembly          assembly;
  DM                    dm;
  const char           *variant;
  char                  name[128];
  PetscBool             taken;

  PetscFunctionBegin;
  PetscCall(PlexTestHexahedronFan(PETSC_COMM_SELF, 40, &dm));
  PetscCall(PlexTestProblemSetUp(dm, &problem));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, backend));
  PetscCall(PlexAssemblySetType(assembly, PLEXASSEMBLYSHAREDNZ));
  PetscCall(PlexAssemblySetSymmetric(assembly, PETSC_TRUE));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_FORMS));
  assembly->partitionSize = partition;
  PetscCall(PlexTestCompare(assembly, dm, &residual, &error));
  PetscCall(PlexAssemblyGetVariants(assembly, NULL, &variant));
  PetscCall(PetscStrcmp(variant, "partial", &taken));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s: hexahedra around an edge, by partial sums of %s", backend,
                          partition == 1 ? "each" : "all"));
  PetscCall(PlexTestReport((PetscBool)(taken && error <= 1e-12), name, "error of the Jacobian %g, variant %s",
                           (double)error, variant));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The Laplacian on a box whose elements are turned at random, by partial sums: parts are bricks, as many as there is
   room for. Of 4 x 4 x 4 elements each has 33^3 entries, as a line of four has 33; along an axis with two of them the
   first one owns all of a line but its last node, 30 entries of 33 */
static PetscErrorCode TestBricks(const char backend[], PetscInt partition, PlexPartitioner partitioner,
                                 PetscBool shuffled, PetscInt parts, const char sums[])
{
  const Run                 run  = {.form = "Laplacian", .integration = QUADRATURE, .partition = partition};
  const Way                 way  = {.type        = PLEXASSEMBLYSHAREDNZ,
                                    .rowSums     = PETSC_BOOL3_UNKNOWN,
                                    .symmetric   = PETSC_TRUE,
                                    .partitioner = partitioner,
                                    .variant     = "partial"};
  const PetscInt            n[3] = {8, 8, 4};
  const PlexTestTensorForm *form;
  PetscReal                 error;
  PetscDS                   ds;
  PetscFE                   fe;
  DM                        dm;
  Mat                       J, petsc;
  char                      text[16384], name[128], *found, *sent;
  PetscInt                  blocks = 0;
  PetscBool                 taken;

  PetscFunctionBegin;
  PetscCall(PlexTestFindTensorForm(run.form, &form));
  PetscCall(PlexTestHexahedronBox(PETSC_COMM_SELF, n, shuffled, &dm));
  PetscCall(PetscFECreateLagrange(PETSC_COMM_SELF, 3, 1, PETSC_FALSE, 2, PETSC_DETERMINE, &fe));
  PetscCall(DMAddField(dm, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMCreateDS(dm));
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSSetJacobian(ds, 0, 0, form->g[0], form->g[1], form->g[2], form->g[3]));
  PetscCall(DMCreateMatrix(dm, &J));
  PetscCall(DMCreateMatrix(dm, &petsc));
  PetscCall(Compute(&run, &way, dm, backend, J, petsc, &taken, text, sizeof(text)));
  PetscCall(PlexTestMatError(J, petsc, &error));
  PetscCall(PetscStrstr(text, "summed along lines: blocks: ", &found));
  if (found) (void)sscanf(found, "summed along lines: blocks: %" PetscInt_FMT, &blocks);
  PetscCall(PetscStrstr(text, sums, &sent));
  PetscCall(PetscSNPrintf(name, sizeof(name),
                          "%s: a box of turned hexahedra, by partial sums of parts of %" PetscInt_FMT "%s", backend,
                          partition,
                          partitioner != PLEX_PARTITIONER_AUTO ? ", by METIS"
                          : shuffled                           ? ", bricks, numbered at random"
                                                               : ", bricks"));
  PetscCall(PlexTestReport((PetscBool)(taken && blocks > 0 && (!parts || blocks == parts) && sent && error <= 1e-12),
                           name, "%" PetscInt_FMT " parts, error of the Jacobian %g: %s", blocks, (double)error, text));
  PetscCall(MatDestroy(&J));
  PetscCall(MatDestroy(&petsc));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunKernels(const char backend[])
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size == 1 && PlexTestWanted()) PetscCall(TestRoom(backend));
  /* of several processes each compiles kernels of its own: a few runs */
  for (size_t r = 0; r < PETSC_STATIC_ARRAY_LENGTH(runs); ++r)
    if ((size == 1 || r % 8 == 3) && PlexTestWanted())
      PetscCall(TestRun(&runs[r],
                        &(Way){.type    = PLEXASSEMBLYLOCALROW,
                               .rowSums = PETSC_BOOL3_UNKNOWN,
                               .variant = "sumfactor",
                               .way     = ""},
                        backend));
  for (size_t r = 0; r < PETSC_STATIC_ARRAY_LENGTH(pairs); ++r)
    if ((size == 1 || r % 8 == 3) && PlexTestWanted())
      PetscCall(TestRun(&pairs[r].run,
                        &(Way){.type    = PLEXASSEMBLYSHAREDNZ,
                               .rowSums = pairs[r].rowSums,
                               .variant = "matrices",
                               .way     = pairs[r].rowSums == PETSC_BOOL3_FALSE ? ", by pairs, diagonals summed"
                                                                                : ", by pairs"},
                        backend));
  for (size_t r = 0; r < PETSC_STATIC_ARRAY_LENGTH(rows); ++r)
    if ((size == 1 || r % 8 == 2) && PlexTestWanted())
      PetscCall(TestRun(&rows[r].run,
                        &(Way){.type      = PLEXASSEMBLYGLOBALROW,
                               .rowSums   = PETSC_BOOL3_UNKNOWN,
                               .symmetric = rows[r].symmetric,
                               .memory    = rows[r].memory,
                               .variant   = "plain",
                               .way       = ", by rows"},
                        backend));
  for (size_t r = 0; r < PETSC_STATIC_ARRAY_LENGTH(partial); ++r)
    if ((size == 1 || r % 8 == 2) && PlexTestWanted())
      PetscCall(TestRun(&partial[r].run,
                        &(Way){.type      = PLEXASSEMBLYSHAREDNZ,
                               .rowSums   = PETSC_BOOL3_UNKNOWN,
                               .symmetric = partial[r].symmetric,
                               .variant   = "partial",
                               .way       = ", by partial sums"},
                        backend));
  for (PetscInt partition = 0; size == 1 && partition < 2; ++partition)
    if (PlexTestWanted()) PetscCall(TestFan(backend, partition));
  if (size == 1 && PlexTestWanted())
    PetscCall(TestBricks(backend, 64, PLEX_PARTITIONER_AUTO, PETSC_FALSE, 4, "; 49.89 partial sums sent"));
  if (size == 1 && PlexTestWanted())
    PetscCall(TestBricks(backend, 64, PLEX_PARTITIONER_AUTO, PETSC_TRUE, 4, "; 49.89 partial sums sent"));
  if (size == 1 && PlexTestWanted())
    PetscCall(TestBricks(backend, 32, PLEX_PARTITIONER_AUTO, PETSC_FALSE, 8, "partial sums sent"));
  if (size == 1 && PlexTestWanted()) {
    if (PlexHasMetis()) PetscCall(TestBricks(backend, 27, PLEX_PARTITIONER_METIS, PETSC_FALSE, 0, "partial sums sent"));
    else PetscCall(PetscPrintf(PETSC_COMM_WORLD, "skip bricks, by METIS: PlexGPU was built without it\n"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestQuickKernels());
  PetscCall(PlexTestEachBackend(RunKernels, NULL));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
