static char help[] = "Matrices of type plexgpu whose stored coefficients are kept in factors, as their functions read "
                     "nothing of a point: elasticity, and forms without symmetry, against assembled matrices, on the "
                     "host and by kernels.\n\n";

#include <plexgpu/impl.h>
#include "meshes.h"
#include "productsof.h"
#include "report.h"
#if defined(__GNUC__)
  #pragma GCC diagnostic push
  #pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
#include "factors.h"

static PetscErrorCode Zero(PetscInt dim, PetscReal time, const PetscReal x[], PetscInt Nc, PetscScalar u[],
                           PetscCtx ctx)
{
  for (PetscInt c = 0; c < Nc; ++c) u[c] = 0.0;
  return PETSC_SUCCESS;
}
#if defined(__GNUC__)
  #pragma GCC diagnostic pop
#endif

#define SOURCE "tests/assembly/factors.h"

typedef enum {
  ELASTIC,
  GRADED, /* reads x */
  MASSES, /* g0 alone, and by time */
  ANY,    /* g0 to g3 */
  STOKES  /* of a second field, a scalar of one degree less, too */
} Form;

typedef struct {
  const char    *name;
  DMPolytopeType cell;
  PetscInt       Nc, degree;
  Form           form;
  const char    *says, *also; /* words of the view; also: of kernels */
  PetscReal      stretch;     /* of the first coordinate, 0: none */
  PetscBool      single, blocks, colour, curved;
} Case;

#define NUMBERS_2D "5 numbers of factors"
#define NUMBERS_3D "10 numbers of factors"
#define TILES      "16 elements a warp on tensor cores"

static const Case cases[] = {
  {.name   = "hexahedra Q1, elasticity",
   .cell   = DM_POLYTOPE_HEXAHEDRON,
   .Nc     = 3,
   .degree = 1,
   .says   = NUMBERS_3D " at each"},
  {.name   = "hexahedra Q2, elasticity",
   .cell   = DM_POLYTOPE_HEXAHEDRON,
   .Nc     = 3,
   .degree = 2,
   .says   = NUMBERS_3D " at each"},
  {.name    = "hexahedra Q2, elasticity, stretched",
   .cell    = DM_POLYTOPE_HEXAHEDRON,
   .Nc      = 3,
   .degree  = 2,
   .says    = NUMBERS_3D " at each",
   .stretch = 1e4},
  {.name   = "hexahedra Q1, any",
   .cell   = DM_POLYTOPE_HEXAHEDRON,
   .Nc     = 2,
   .degree = 1,
   .form   = ANY,
   .says   = NUMBERS_3D " at each"},
  {.name   = "quadrilaterals Q3, elasticity",
   .cell   = DM_POLYTOPE_QUADRILATERAL,
   .Nc     = 2,
   .degree = 3,
   .says   = NUMBERS_2D " at each"},
  {.name    = "quadrilaterals Q2, any, stretched",
   .cell    = DM_POLYTOPE_QUADRILATERAL,
   .Nc      = 2,
   .degree  = 2,
   .form    = ANY,
   .says    = NUMBERS_2D " at each",
   .stretch = 1e4},
  {.name   = "quadrilaterals Q2, elasticity, single",
   .cell   = DM_POLYTOPE_QUADRILATERAL,
   .Nc     = 2,
   .degree = 2,
   .says   = NUMBERS_2D " at each",
   .single = PETSC_TRUE},
  {.name   = "quadrilaterals Q2, masses",
   .cell   = DM_POLYTOPE_QUADRILATERAL,
   .Nc     = 2,
   .degree = 2,
   .form   = MASSES,
   .says   = "1 numbers of factors at each"},
  {.name   = "tetrahedra P1, elasticity",
   .cell   = DM_POLYTOPE_TETRAHEDRON,
   .Nc     = 3,
   .degree = 1,
   .says   = NUMBERS_3D " at one"},
  {.name   = "tetrahedra P2, elasticity",
   .cell   = DM_POLYTOPE_TETRAHEDRON,
   .Nc     = 3,
   .degree = 2,
   .says   = NUMBERS_3D " at one"},
  {.name   = "tetrahedra P2, elasticity, blocks",
   .cell   = DM_POLYTOPE_TETRAHEDRON,
   .Nc     = 3,
   .degree = 2,
   .says   = NUMBERS_3D " at one",
   .also   = TILES,
   .blocks = PETSC_TRUE},
  {.name   = "tetrahedra P2, elasticity, colours",
   .cell   = DM_POLYTOPE_TETRAHEDRON,
   .Nc     = 3,
   .degree = 2,
   .says   = NUMBERS_3D " at one",
   .also   = "a thread an element",
   .colour = PETSC_TRUE},
  {.name   = "tetrahedra P3, elasticity, colours",
   .cell   = DM_POLYTOPE_TETRAHEDRON,
   .Nc     = 3,
   .degree = 3,
   .says   = NUMBERS_3D " at one",
   .also   = "a warp an element",
   .colour = PETSC_TRUE},
  {.name   = "tetrahedra P2, elasticity, curved",
   .cell   = DM_POLYTOPE_TETRAHEDRON,
   .Nc     = 3,
   .degree = 2,
   .says   = NUMBERS_3D " at each",
   .also   = TILES,
   .curved = PETSC_TRUE},
  {.name   = "tetrahedra P3, elasticity",
   .cell   = DM_POLYTOPE_TETRAHEDRON,
   .Nc     = 3,
   .degree = 3,
   .says   = NUMBERS_3D " at one"},
  {.name    = "tetrahedra P2, any, stretched",
   .cell    = DM_POLYTOPE_TETRAHEDRON,
   .Nc      = 2,
   .degree  = 2,
   .form    = ANY,
   .says    = NUMBERS_3D " at one",
   .stretch = 1e4,
   .blocks  = PETSC_TRUE},
  {.name   = "triangles P1, any",
   .cell   = DM_POLYTOPE_TRIANGLE,
   .Nc     = 2,
   .degree = 1,
   .form   = ANY,
   .says   = NUMBERS_2D " at one"},
  {.name   = "triangles P3, elasticity, single, blocks",
   .cell   = DM_POLYTOPE_TRIANGLE,
   .Nc     = 2,
   .degree = 3,
   .says   = NUMBERS_2D " at one",
   .also   = TILES,
   .single = PETSC_TRUE,
   .blocks = PETSC_TRUE},
  {.name   = "segments P2, any",
   .cell   = DM_POLYTOPE_SEGMENT,
   .Nc     = 2,
   .degree = 2,
   .form   = ANY,
   .says   = "2 numbers of factors at one"},
  {.name   = "tetrahedra P1, any, six components: a D too large for a kernel's arguments",
   .cell   = DM_POLYTOPE_TETRAHEDRON,
   .Nc     = 6,
   .degree = 1,
   .form   = ANY,
   .says   = "576 numbers at one"},
  {.name   = "triangles, two fields",
   .cell   = DM_POLYTOPE_TRIANGLE,
   .Nc     = 2,
   .degree = 2,
   .form   = STOKES,
   .says   = NUMBERS_2D " at one",
   .also   = TILES},
  {.name   = "quadrilaterals, two fields",
   .cell   = DM_POLYTOPE_QUADRILATERAL,
   .Nc     = 2,
   .degree = 2,
   .form   = STOKES,
   .says   = NUMBERS_2D " at each"},
  {.name   = "triangles P2, a scalar with g0 to g3",
   .cell   = DM_POLYTOPE_TRIANGLE,
   .Nc     = 1,
   .degree = 2,
   .form   = ANY,
   .says   = NUMBERS_2D " at one"},
};

/* ---- The problem */

typedef struct {
  DM           dm;
  PetscDS      ds;
  PlexAssembly assembly[2]; /* that under test, and the host's */
  Mat          A, B;
  Vec          X;
} Problem;

static PetscErrorCode CreateProblem(const Case *c, DM *dm, PetscDS *ds)
{
  const PetscInt value = 1;
  PetscInt       dim, n;
  PetscScalar   *x;
  DMLabel        label;
  PetscFE        fe;
  Vec            coordinates;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, c->cell, 0, dm));
  PetscCall(PlexTestDistributeDefault(dm, 0));
  PetscCall(DMGetDimension(*dm, &dim));
  if (c->curved) PetscCall(DMPlexCreateCoordinateSpace(*dm, 2, PETSC_FALSE, PETSC_TRUE));
  PetscCall(DMGetCoordinatesLocal(*dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &n));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt i = 0; c->stretch > 0. && i < n; i += dim) x[i] *= c->stretch;
  for (PetscInt i = 0; c->curved && i < n; i += dim) x[i] += 0.1 * x[i + 1] * x[i + 1];
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, dim, c->Nc, c->cell, c->degree, PETSC_DETERMINE, &fe));
  PetscCall(DMSetField(*dm, 0, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  if (c->form == STOKES) {
    PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, dim, 1, c->cell, c->degree - 1, c->degree, &fe));
    PetscCall(DMSetField(*dm, 1, NULL, (PetscObject)fe));
    PetscCall(PetscFEDestroy(&fe));
  }
  PetscCall(DMCreateDS(*dm));
  PetscCall(DMGetDS(*dm, ds));
  if (c->form == ELASTIC || c->form == STOKES) PetscCall(PetscDSSetJacobian(*ds, 0, 0, NULL, NULL, NULL, g3_elastic));
  if (c->form == GRADED) PetscCall(PetscDSSetJacobian(*ds, 0, 0, NULL, NULL, NULL, g3_graded));
  if (c->form == MASSES) PetscCall(PetscDSSetJacobian(*ds, 0, 0, g0_any, NULL, NULL, NULL));
  if (c->form == MASSES) PetscCall(PetscDSSetDynamicJacobian(*ds, 0, 0, g0_any, NULL, NULL, NULL));
  if (c->form == STOKES) PetscCall(PetscDSSetJacobian(*ds, 0, 1, NULL, NULL, g2_pressure, NULL));
  if (c->form == STOKES) PetscCall(PetscDSSetJacobian(*ds, 1, 0, NULL, g2_pressure, NULL, NULL));
  if (c->form == ANY) PetscCall(PetscDSSetJacobian(*ds, 0, 0, g0_any, g1_any, g2_any, g3_any));
  PetscCall(DMGetLabel(*dm, "boundary", &label));
  PetscCall(DMAddBoundary(*dm, DM_BC_ESSENTIAL, "boundary", label, 1, &value, 0, 0, NULL, (PetscVoidFn *)Zero, NULL,
                          NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(const Case *c, const char backend[], Problem *p)
{
  PetscBool device;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(backend, PLEXBACKENDCUDA, &device));
  PetscCall(CreateProblem(c, &p->dm, &p->ds));
  if (device) PetscCall(PlexTestUseDevice(p->dm));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(PlexAssemblyCreate(p->dm, &p->assembly[k]));
    PetscCall(PlexAssemblySetBackend(p->assembly[k], k ? PLEXBACKENDHOST : backend));
    PetscCall(PlexAssemblySetPointwiseSource(p->assembly[k], SOURCE));
    PetscCall(DMSetMatType(p->dm, k ? device ? MATAIJCUSPARSE : MATAIJ : MATPLEXGPU));
    PetscCall(PlexAssemblyCreateMatrix(p->assembly[k], k ? &p->B : &p->A));
  }
  PetscCall(PlexAssemblySetApply(p->assembly[0], PLEX_APPLY_STORED));
  if (c->form == STOKES) PetscCall(PlexAssemblySetSymmetric(p->assembly[0], PETSC_TRUE));
  if (c->colour) PetscCall(PlexAssemblySetType(p->assembly[0], PLEXASSEMBLYELEMENTCOLOR));
  if (c->blocks) PetscCall(PlexAssemblySetPartitionSize(p->assembly[0], 16));
  if (c->single) PetscCall(PlexAssemblySetPrecision(p->assembly[0], PLEX_PRECISION_SINGLE));
  PetscCall(DMCreateLocalVector(p->dm, &p->X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Destroy(Problem *p)
{
  PetscFunctionBegin;
  PetscCall(VecDestroy(&p->X));
  PetscCall(MatDestroy(&p->A));
  PetscCall(MatDestroy(&p->B));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(PlexAssemblyDestroy(&p->assembly[k]));
  PetscCall(DMDestroy(&p->dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Look(Problem *p, const char name[], const char what[], PetscReal t, const PetscScalar constants[],
                           PetscReal shift, PetscReal tolerance)
{
  PetscReal error = 0.;

  PetscFunctionBegin;
  PetscCall(PetscDSSetConstants(p->ds, 2, (PetscScalar *)constants));
  PetscCall(PlexAssemblyComputeJacobian(p->assembly[0], p->X, shift ? p->X : NULL, t, shift, p->A, p->A));
  PetscCall(PlexAssemblyComputeJacobian(p->assembly[1], p->X, shift ? p->X : NULL, t, shift, p->B, p->B));
  PetscCall(PlexTestCompareProducts(p->A, p->B, &error));
  PetscCall(PlexTestReportOf((PetscBool)(error <= tolerance), name, what, "error %.3g", (double)error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* At a state, and with other constants at another time: entries of D that were equal are not */
static PetscErrorCode LookAtCase(const char backend[], const Case *c)
{
  const PetscScalar constants[2][2] = {
    {1.,  1. },
    {-3., 0.7}
  };
  const PetscReal tolerance = c->single ? 2e-5 : 1e-13;
  PetscBool       host, symmetric;
  Problem         p;
  char            name[128], words[128];

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(backend, PLEXBACKENDHOST, &host));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s %s", backend, c->name));
  PetscCall(Create(c, backend, &p));
  PetscCall(Look(&p, name, "products are those of the assembled matrix", 0., constants[0], 0., tolerance));
  symmetric = (PetscBool)(c->form == ELASTIC || c->form == STOKES);
  PetscCall(PetscSNPrintf(words, sizeof(words), "%.*s%s%s", (int)(strstr(c->says, " at ") - c->says), c->says,
                          symmetric ? " (symmetric)" : "", strstr(c->says, " at ")));
  PetscCall(PlexTestViewSays(p.assembly[0], name, words, PETSC_TRUE));
  if (c->also && !host) PetscCall(PlexTestViewSays(p.assembly[0], name, c->also, PETSC_TRUE));
  PetscCall(Look(&p, name, "and of other constants at another time", 0.3, constants[1], c->form == MASSES ? 2. : 0.,
                 tolerance));
  PetscCall(Destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A form that reads the position is kept as C */
static PetscErrorCode LookAtPosition(const char backend[])
{
  const Case        c            = {.name   = "quadrilaterals Q2, graded elasticity",
                                    .cell   = DM_POLYTOPE_QUADRILATERAL,
                                    .Nc     = 2,
                                    .degree = 2,
                                    .form   = GRADED};
  const PetscScalar constants[2] = {1., 0.5};
  Problem           p;
  char              name[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s %s", backend, c.name));
  PetscCall(Create(&c, backend, &p));
  PetscCall(Look(&p, name, "products are those of the assembled matrix", 0., constants, 0., 1e-13));
  PetscCall(PlexTestViewSays(p.assembly[0], name, "of factors", PETSC_FALSE));
  PetscCall(Destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAt(const char backend[])
{
  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) PetscCall(LookAtCase(backend, &cases[k]));
  PetscCall(LookAtPosition(backend));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtHost(void)
{
  PetscFunctionBegin;
  PetscCall(LookAt(PLEXBACKENDHOST));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PlexTestQuickKernels());
  PetscCall(PlexTestEachBackend(LookAt, size == 1 ? LookAtHost : NULL));
  if (size > 1) PetscCall(LookAtHost());
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
