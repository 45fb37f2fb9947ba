static char help[] = "Residuals and Jacobians of every backend, strategy, cell and degree, compared with PETSc's own.\n\
  -backend, -type, -cell, -space, -degree, -precision : only these cases\n\
  -only <text>    : only the cases with this in their name\n\
  -shard <k>/<n>  : every n-th case, from the k-th\n\
  -list           : the names alone\n\
The environment variable PLEXGPU_TEST_BACKENDS is the list of backends when none is named: default host,emulate.\n\n";

#include <plexgpu/impl.h>
#include "problem.h"
#include "report.h"

static const char *const strategies[] = {PLEXASSEMBLYELEMENTCOLOR, PLEXASSEMBLYELEMENTATOMIC, PLEXASSEMBLYGLOBALNZ,
                                         PLEXASSEMBLYGLOBALROW,    PLEXASSEMBLYSHAREDNZ,      PLEXASSEMBLYSHAREDROW,
                                         PLEXASSEMBLYLOCALNZ,      PLEXASSEMBLYLOCALROW};
#define STRATEGIES 8

typedef struct {
  const char    *name;
  DMPolytopeType type;
  PetscInt       dim, degrees; /* highest degree of the matrix of cases */
} Cell;
static const Cell cells[] = {
  {"tri",  DM_POLYTOPE_TRIANGLE,      2, 5},
  {"quad", DM_POLYTOPE_QUADRILATERAL, 2, 3},
  {"tet",  DM_POLYTOPE_TETRAHEDRON,   3, 4},
  {"hex",  DM_POLYTOPE_HEXAHEDRON,    3, 3}
};
enum {
  TRI,
  QUAD,
  TET,
  HEX,
  CELLS
};

typedef enum {
  SCALAR,
  VECTOR, /* as many components as dimensions */
  MIXED   /* a vector and a scalar of one degree less */
} Space;
static const char *const spaces[] = {"scalar", "vector", "mixed", "Space", "", NULL};

/* One line of output */
typedef struct {
  const char   *backend;
  const char   *type; /* NULL: the backend has no strategies */
  PetscInt      cell; /* of cells[] */
  Space         space;
  PetscInt      degree;
  PlexPrecision precision;
  PetscBool     symmetric;
  PetscBool     diffusion;              /* nonlinear, of which a thread may compute an element matrix by expansions */
  PetscBool     curved;                 /* coordinates of degree 2 */
  PetscBool     hostMatrix;             /* cuda: a matrix and vectors on the host */
  PetscInt      team, block, partition; /* 0: the library's choice */
  PetscBool     curve;                  /* partitions along a curve, which meshes of this size do not get otherwise */
  PetscInt      fan;                    /* triangles around a vertex; 0: an irregular mesh */
  /* element data of the mesh over that which the memory limit allows; 0: no limit */
  PetscInt passes;
} Case;

/* What the user wants of it all */
typedef struct {
  char      backend[64], type[64], cell[64], space[64], only[256];
  PetscInt  degree, precision; /* -1: all */
  PetscInt  shard, shards;
  PetscBool list;
  PetscInt  count; /* cases selected so far */
} Selection;
static Selection selection;

/* A problem and what PETSc says of it: without and with a time derivative */
typedef struct {
  PlexTestProblem problem;
  DM              dm;
  Vec             X, X_t, F[2];
  Mat             J[2];
} Reference;
static Reference reference;

static const PetscReal testTime = 0.7, testShift = 1.3;

static PetscInt ElementDofs(const Case *c)
{
  const PetscInt d = c->degree, n[CELLS] = {(d + 1) * (d + 2) / 2, (d + 1) * (d + 1), (d + 1) * (d + 2) * (d + 3) / 6,
                                            (d + 1) * (d + 1) * (d + 1)};

  return n[c->cell] * (c->space == SCALAR ? 1 : cells[c->cell].dim);
}

/* Fewer cells the larger they are: one thread after the other computes them when emulated */
static PetscErrorCode GetProblem(const Case *c, PlexTestProblem *problem)
{
  const PetscInt ef = ElementDofs(c);
  PetscBool      emulate, cuda;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(c->backend, PLEXBACKENDEMULATE, &emulate));
  PetscCall(PetscStrcmp(c->backend, PLEXBACKENDCUDA, &cuda));
  PetscCall(PetscMemzero(problem, sizeof(*problem)));
  problem->cell        = cells[c->cell].type;
  problem->degree      = c->degree;
  problem->components  = c->space == SCALAR ? 1 : cells[c->cell].dim;
  problem->form        = c->diffusion      ? PLEX_TEST_DIFFUSION
                       : c->space == MIXED ? (c->symmetric ? PLEX_TEST_SADDLE : PLEX_TEST_MIXED)
                       : c->symmetric      ? PLEX_TEST_SYMMETRIC
                                           : PLEX_TEST_GENERAL;
  problem->coordinates = c->curved ? 2 : 0;
  problem->fan         = c->fan;
  problem->device      = (PetscBool)(cuda && !c->hostMatrix);
  if (c->fan) problem->cells = 0;
  else if (emulate) problem->cells = ef <= 12 ? 0 : ef <= 30 ? 12 : ef <= 45 ? 6 : ef <= 64 ? 4 : 2;
  else problem->cells = ef <= 90 ? 0 : 8;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReferenceReset(void)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(VecDestroy(&reference.F[k]));
    PetscCall(MatDestroy(&reference.J[k]));
  }
  PetscCall(VecDestroy(&reference.X));
  PetscCall(VecDestroy(&reference.X_t));
  PetscCall(DMDestroy(&reference.dm));
  PetscCall(PetscMemzero(&reference, sizeof(reference)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ReferenceSetUp(const PlexTestProblem *problem)
{
  Reference *r = &reference;
  PetscBool  same;

  PetscFunctionBegin;
  PetscCall(PetscMemcmp(&r->problem, problem, sizeof(*problem), &same));
  if (r->dm && same) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ReferenceReset());
  PetscCall(PlexTestProblemCreate(problem, &r->dm));
  PetscCall(PlexTestLocalVector(r->dm, 1, &r->X));
  PetscCall(PlexTestLocalVector(r->dm, 2, &r->X_t));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(VecDuplicate(r->X, &r->F[k]));
    PetscCall(VecSet(r->F[k], 0.));
    PetscCall(DMCreateMatrix(r->dm, &r->J[k]));
  }
  PetscCall(DMPlexSNESComputeResidualFEM(r->dm, r->X, r->F[0], NULL));
  PetscCall(DMPlexSNESComputeJacobianFEM(r->dm, r->X, r->J[0], r->J[0], NULL));
  PetscCall(DMPlexTSComputeIFunctionFEM(r->dm, testTime, r->X, r->X_t, r->F[1], NULL));
  PetscCall(DMPlexTSComputeIJacobianFEM(r->dm, testTime, r->X, r->X_t, testShift, r->J[1], r->J[1], NULL));
  r->problem = *problem;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sets an option for as long as SetFromOptions() reads it */
static PetscErrorCode SetIntegerOption(PlexAssembly assembly, const char name[], PetscInt value)
{
  char text[32];

  PetscFunctionBegin;
  if (!value) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(text, sizeof(text), "%" PetscInt_FMT, value));
  PetscCall(PetscOptionsSetValue(NULL, name, text));
  PetscCall(PlexAssemblySetFromOptions(assembly));
  PetscCall(PetscOptionsClearValue(NULL, name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateAssembly(const Case *c, PlexAssembly *assembly)
{
  PetscInt Ne;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyCreate(reference.dm, assembly));
  PetscCall(PlexAssemblySetFromOptions(*assembly));
  PetscCall(PlexAssemblySetBackend(*assembly, c->backend));
  if (c->type) PetscCall(PlexAssemblySetType(*assembly, c->type));
  PetscCall(PlexAssemblySetPrecision(*assembly, c->precision));
  PetscCall(PlexAssemblySetPointwiseSource(*assembly, PLEX_TEST_FORMS));
  PetscCall(PlexAssemblySetSymmetric(*assembly, c->symmetric));
  PetscCall(SetIntegerOption(*assembly, "-plex_assembly_team_size", c->team));
  PetscCall(SetIntegerOption(*assembly, "-plex_assembly_block_size", c->block));
  PetscCall(SetIntegerOption(*assembly, "-plex_assembly_partition_size", c->partition));
  if (c->curve) (*assembly)->partitioner = PLEX_PARTITIONER_CURVE;
  PetscCall(DMPlexGetHeightStratum(reference.dm, 0, NULL, &Ne));
  if (c->passes)
    PetscCall(PlexAssemblySetMemory(*assembly, sizeof(PetscScalar) * (PetscInt64)ElementDofs(c) * ElementDofs(c) * Ne /
                                                 c->passes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The residual (J NULL) or the Jacobian; moving: with a time derivative */
static PetscErrorCode Compute(PlexAssembly assembly, PetscInt moving, Vec F, Mat J)
{
  Reference *r = &reference;

  PetscFunctionBegin;
  if (J)
    PetscCall(PlexAssemblyComputeJacobian(assembly, r->X, moving ? r->X_t : NULL, moving ? testTime : 0.,
                                          moving ? testShift : 0., J, J));
  else PetscCall(PlexAssemblyComputeFunction(assembly, r->X, moving ? r->X_t : NULL, moving ? testTime : 0., F));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What RunCase() finds */
typedef struct {
  const Case *c;
  PetscReal   F[2], J[2];   /* relative errors, without and with a time derivative */
  PetscReal   again, fresh; /* differences of a second computation, and of another assembly's */
} Result;

static PetscErrorCode Repeat(PlexAssembly assembly, Vec F, Mat J, PetscReal *difference)
{
  Vec       G;
  Mat       K;
  PetscReal error;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(F, &G));
  PetscCall(VecSet(G, 3.)); /* nothing of what was there may stay */
  PetscCall(MatDuplicate(J, MAT_DO_NOT_COPY_VALUES, &K));
  PetscCall(Compute(assembly, 1, G, NULL));
  PetscCall(Compute(assembly, 1, NULL, K));
  PetscCall(PlexTestVecError(G, F, difference));
  PetscCall(PlexTestMatError(K, J, &error));
  *difference = PetscMax(*difference, error);
  PetscCall(VecDestroy(&G));
  PetscCall(MatDestroy(&K));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunCase(void *ctx)
{
  PlexAssemblyCounts counts;
  Result            *result = (Result *)ctx;
  const Case        *c      = result->c;
  PlexTestProblem    problem;
  PlexAssembly       assembly, other;
  Vec                F;
  Mat                J;
  PetscInt           here, left;
  PetscBool          emulate;

  PetscFunctionBegin;
  PetscCall(GetProblem(c, &problem));
  PetscCall(ReferenceSetUp(&problem));
  PetscCall(CreateAssembly(c, &assembly));
  PetscCall(VecDuplicate(reference.X, &F));
  PetscCall(DMCreateMatrix(reference.dm, &J));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(VecSet(F, 1.));
    PetscCall(Compute(assembly, k, F, NULL));
    PetscCall(Compute(assembly, k, NULL, J));
    PetscCall(PlexTestVecError(F, reference.F[k], &result->F[k]));
    PetscCall(PlexTestMatError(J, reference.J[k], &result->J[k]));
  }
  PetscCall(PetscStrcmp(c->backend, PLEXBACKENDEMULATE, &emulate));
  if (!emulate || ElementDofs(c) <= 45) {
    PetscCall(Repeat(assembly, F, J, &result->again));
    PetscCall(CreateAssembly(c, &other));
    PetscCall(Repeat(other, F, J, &result->fresh));
    PetscCall(PlexAssemblyDestroy(&other));
  }
  PetscCall(PlexAssemblyGetCounts(assembly, &counts));
  here = counts.residuals;
  left = counts.residualsLeft;
  PetscCheck(here >= 2 && !left, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "%" PetscInt_FMT " residuals computed and %" PetscInt_FMT " left to PETSc", here, left);
  PetscCall(VecDestroy(&F));
  PetscCall(MatDestroy(&J));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetName(const Case *c, char name[], size_t size)
{
  const struct {
    const char *text;
    PetscInt    value;
  } sizes[] = {
    {" team ",      c->team     },
    {" block ",     c->block    },
    {" partition ", c->partition},
    {" fan ",       c->fan      },
    {" passes ",    c->passes   }
  };
  char number[32];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, size, "%s%s%s %s %s%" PetscInt_FMT " %s", c->backend, c->type ? " " : "",
                          c->type ? c->type : "", cells[c->cell].name, c->cell == TRI || c->cell == TET ? "P" : "Q",
                          c->degree, spaces[c->space]));
  if (c->precision == PLEX_PRECISION_SINGLE) PetscCall(PetscStrlcat(name, " single", size));
  if (c->symmetric) PetscCall(PetscStrlcat(name, " symmetric", size));
  if (c->diffusion) PetscCall(PetscStrlcat(name, " diffusion", size));
  if (c->curved) PetscCall(PetscStrlcat(name, " curved", size));
  if (c->hostMatrix) PetscCall(PetscStrlcat(name, " aij", size));
  if (c->curve) PetscCall(PetscStrlcat(name, " curve", size));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(sizes); ++k) {
    if (!sizes[k].value) continue;
    PetscCall(PetscStrlcat(name, sizes[k].text, size));
    PetscCall(PetscSNPrintf(number, sizeof(number), "%" PetscInt_FMT, sizes[k].value));
    PetscCall(PetscStrlcat(name, number, size));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Selected(const char wanted[], const char is[], PetscBool *flg)
{
  PetscBool same = PETSC_TRUE;

  PetscFunctionBegin;
  if (wanted[0]) PetscCall(PetscStrcmp(wanted, is ? is : "", &same));
  if (!same) *flg = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode IsSelected(const Case *c, const char name[], PetscBool *flg)
{
  Selection *s = &selection;
  PetscInt   k;
  char      *found;

  PetscFunctionBegin;
  *flg = PETSC_TRUE;
  PetscCall(Selected(s->backend, c->backend, flg));
  PetscCall(Selected(s->type, c->type, flg));
  PetscCall(Selected(s->cell, cells[c->cell].name, flg));
  PetscCall(Selected(s->space, spaces[c->space], flg));
  if (s->degree >= 0 && s->degree != c->degree) *flg = PETSC_FALSE;
  if (s->precision >= 0 && s->precision != (PetscInt)c->precision) *flg = PETSC_FALSE;
  PetscCall(PetscStrstr(name, s->only, &found));
  if (!found) *flg = PETSC_FALSE;
  if (!*flg) PetscFunctionReturn(PETSC_SUCCESS);
  k    = s->count++;
  *flg = (k + k / STRATEGIES) % s->shards == s->shard ? PETSC_TRUE : PETSC_FALSE; /* no shard gets one strategy alone */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Look(Case c)
{
  Result         result = {.c = &c};
  char           name[256], text[2048];
  PetscErrorCode ierr;
  PetscBool      wanted, atomic;
  PetscReal      tolerance = c.precision == PLEX_PRECISION_SINGLE ? 1e-5 : 1e-12, most;

  PetscFunctionBegin;
  PetscCall(GetName(&c, name, sizeof(name)));
  PetscCall(IsSelected(&c, name, &wanted));
  if (!wanted) PetscFunctionReturn(PETSC_SUCCESS);
  if (selection.list) {
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s\n", name));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexTestTry(RunCase, &result, &ierr, text, sizeof(text)));
  if (ierr) {
    PetscCall(PlexTestReport(PETSC_FALSE, name, "error %d: %s", (int)ierr, text));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscStrcmp(c.type ? c.type : "", PLEXASSEMBLYELEMENTATOMIC, &atomic));
  most = PetscMax(PetscMax(result.F[0], result.F[1]), PetscMax(result.J[0], result.J[1]));
  PetscCall(PlexTestReport((PetscBool)(most <= tolerance &&
                                       PetscMax(result.again, result.fresh) <= (atomic ? tolerance : 0.)),
                           name,
                           "relative errors: residual %.3g, with u_t %.3g; Jacobian %.3g, with u_t %.3g; computed "
                           "again %.3g, by another assembly %.3g",
                           (double)result.F[0], (double)result.F[1], (double)result.J[0], (double)result.J[1],
                           (double)result.again, (double)result.fresh));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The case with each strategy, or once where the backend has none */
static PetscErrorCode LookAtStrategies(Case c)
{
  PetscBool host;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(c.backend, PLEXBACKENDHOST, &host));
  for (PetscInt k = 0; k < (host ? 1 : STRATEGIES); ++k) {
    c.type = host ? NULL : strategies[k];
    PetscCall(Look(c));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtSpaces(const char backend[])
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < CELLS; ++k) {
    for (PetscInt degree = 1; degree <= cells[k].degrees; ++degree) {
      for (Space space = SCALAR; space <= VECTOR; ++space)
        PetscCall(LookAtStrategies((Case){.backend = backend, .cell = k, .space = space, .degree = degree}));
    }
  }
  PetscCall(LookAtStrategies((Case){.backend = backend, .cell = TRI, .space = MIXED, .degree = 2}));
  PetscCall(LookAtStrategies((Case){.backend = backend, .cell = HEX, .space = MIXED, .degree = 2}));
  PetscCall(LookAtStrategies((Case){.backend = backend,
                                    .cell    = TRI,
                                    .space   = SCALAR,
                                    .degree  = 2,
                                    .curved  = PETSC_TRUE}));
  PetscCall(LookAtStrategies((Case){.backend = backend,
                                    .cell    = TET,
                                    .space   = VECTOR,
                                    .degree  = 1,
                                    .curved  = PETSC_TRUE}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtArithmetic(const char backend[])
{
  const Case variants[] = {
    {.backend = backend, .cell = TRI,  .space = VECTOR, .degree = 2},
    {.backend = backend, .cell = QUAD, .space = SCALAR, .degree = 2},
    {.backend = backend, .cell = TET,  .space = SCALAR, .degree = 2},
    {.backend = backend, .cell = HEX,  .space = VECTOR, .degree = 1},
    {.backend = backend, .cell = TRI,  .space = MIXED,  .degree = 2}
  };

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(variants); ++k) {
    Case c = variants[k];

    c.precision = PLEX_PRECISION_SINGLE;
    PetscCall(LookAtStrategies(c));
    c.precision = PLEX_PRECISION_DOUBLE;
    c.symmetric = PETSC_TRUE;
    PetscCall(LookAtStrategies(c));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers of threads, partitions and passes that the library would not choose itself */
static PetscErrorCode LookAtSizes(const char backend[])
{
  const Case     scalar     = {.backend = backend, .cell = TRI, .space = SCALAR, .degree = 2},
                 vector     = {.backend = backend, .cell = QUAD, .space = VECTOR, .degree = 1};
  const PetscInt sizes[][2] = {
    {1,  64 },
    {4,  96 },
    {32, 256},
    {64, 0  }
  };

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 4; ++k) {
    Case c = k % 2 ? vector : scalar;

    c.team  = sizes[k][0];
    c.block = sizes[k][1];
    PetscCall(LookAtStrategies(c));
  }
  for (PetscInt k = 2; k < 6; ++k) {
    for (PetscInt partition = 1; partition <= 7; partition += 3) {
      Case c = partition == 4 ? vector : scalar;

      c.type      = strategies[k];
      c.partition = partition;
      PetscCall(Look(c));
      c.curve = PETSC_TRUE;
      PetscCall(Look(c));
    }
  }
  for (PetscInt k = 2; k < 4; ++k) {
    for (PetscInt passes = 3; passes <= 8; passes += 5) {
      Case c = passes == 3 ? vector : scalar;

      c.type   = strategies[k];
      c.passes = passes;
      PetscCall(Look(c));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A nonlinear form whose element matrices global_row computes by moments of points, and of degree 1 by expansions */
static PetscErrorCode LookAtDiffusion(const char backend[])
{
  const Case variants[] = {
    {.cell = TET, .degree = 2},
    {.cell = TET, .degree = 2, .precision = PLEX_PRECISION_SINGLE},
    {.cell = TET, .degree = 2, .block = 64, .partition = 50},
    {.cell = TET, .degree = 2, .partition = 1},
    {.cell = TET, .degree = 2, .block = 1024}, /* more than there is shared memory for */
    {.cell = TET, .degree = 2, .passes = 3},
    {.cell = TET, .degree = 1},
    {.cell = TRI, .degree = 3},
    {.cell = TRI, .degree = 2, .passes = 8},
    {.cell = TRI, .degree = 2, .fan = 90}, /* a row of 271 targets: places of two bytes */
    {.cell = TRI, .degree = 2, .fan = 90, .passes = 2},
    {.cell = TRI, .degree = 1, .precision = PLEX_PRECISION_SINGLE}
  };

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(variants); ++k) {
    Case c = variants[k];

    c.backend   = backend;
    c.type      = PLEXASSEMBLYGLOBALROW;
    c.space     = SCALAR;
    c.diffusion = PETSC_TRUE;
    PetscCall(Look(c));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A row that is much longer than the others */
static PetscErrorCode LookAtLong(const char backend[])
{
  PetscFunctionBegin;
  PetscCall(LookAtStrategies((Case){.backend = backend, .cell = TRI, .space = SCALAR, .degree = 2, .fan = 90}));
  PetscCall(LookAtStrategies((Case){.backend   = backend,
                                    .cell      = TRI,
                                    .space     = SCALAR,
                                    .degree    = 2,
                                    .fan       = 90,
                                    .symmetric = PETSC_TRUE}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Matrices and vectors that live elsewhere than the kernels */
static PetscErrorCode LookAtPlaces(const char backend[])
{
  PetscFunctionBegin;
  PetscCall(LookAtStrategies((Case){.backend    = backend,
                                    .cell       = TRI,
                                    .space      = SCALAR,
                                    .degree     = 2,
                                    .hostMatrix = PETSC_TRUE}));
  PetscCall(LookAtStrategies((Case){.backend    = backend,
                                    .cell       = HEX,
                                    .space      = VECTOR,
                                    .degree     = 1,
                                    .hostMatrix = PETSC_TRUE}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetSelection(void)
{
  Selection *s         = &selection;
  char       shard[64] = "0/1";
  PetscEnum  precision = (PetscEnum)0;
  PetscBool  set;
  int        k, n;

  PetscFunctionBegin;
  s->degree = s->precision = -1;
  PetscOptionsBegin(PETSC_COMM_SELF, NULL, "Cases", NULL);
  PetscCall(PetscOptionsString("-backend", "Only this backend", NULL, "", s->backend, sizeof(s->backend), NULL));
  PetscCall(PetscOptionsString("-type", "Only this strategy", NULL, "", s->type, sizeof(s->type), NULL));
  PetscCall(PetscOptionsString("-cell", "Only this cell: tri, quad, tet or hex", NULL, "", s->cell, sizeof(s->cell),
                               NULL));
  PetscCall(PetscOptionsString("-space", "Only this space: scalar, vector or mixed", NULL, "", s->space,
                               sizeof(s->space), NULL));
  PetscCall(PetscOptionsInt("-degree", "Only this degree", NULL, s->degree, &s->degree, NULL));
  PetscCall(PetscOptionsEnum("-precision", "Only this precision", NULL, PlexPrecisions, precision, &precision, &set));
  if (set) s->precision = (PetscInt)precision;
  PetscCall(PetscOptionsString("-only", "Only cases with this in their name", NULL, "", s->only, sizeof(s->only),
                               NULL));
  PetscCall(PetscOptionsString("-shard", "Every n-th case, from the k-th", NULL, shard, shard, sizeof(shard), NULL));
  PetscCall(PetscOptionsBool("-list", "The names alone", NULL, s->list, &s->list, NULL));
  PetscOptionsEnd();
  PetscCheck(sscanf(shard, "%d/%d", &k, &n) == 2 && k >= 0 && k < n, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "-shard %s: give k/n with 0 <= k < n", shard);
  s->shard  = k;
  s->shards = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char        *named    = selection.backend;
  const char *const *backends = &named;
  PetscInt           n        = 1;
  PetscBool          cuda, host;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestQuickKernels());
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_fallback", "false"));
  PetscCall(GetSelection());
  /* else names are listed of any backend */
  if (!selection.list || !named[0]) PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) {
    PetscCall(PetscStrcmp(backends[b], PLEXBACKENDCUDA, &cuda));
    PetscCall(LookAtSpaces(backends[b]));
    PetscCall(LookAtArithmetic(backends[b]));
    PetscCall(PetscStrcmp(backends[b], PLEXBACKENDHOST, &host));
    if (!host) PetscCall(LookAtSizes(backends[b]));
    if (!host) PetscCall(LookAtDiffusion(backends[b]));
    PetscCall(LookAtLong(backends[b]));
    if (cuda) PetscCall(LookAtPlaces(backends[b]));
  }
  PetscCall(ReferenceReset());
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
