static char help
  [] = "Matrices of type plexgpu with stored coefficients: vectors whose components have the same form, elements whose "
       "points are their nodes, and simplices in blocks on tensor cores, against assembled matrices, on the host and "
       "by kernels.\n\n";

#include <plexgpu/impl.h>
#include "meshes.h"
#include "productsof.h"
#include "report.h"
#if defined(__GNUC__)
  #pragma GCC diagnostic push
  #pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
#include "components.h"

static PetscErrorCode Zero(PetscInt dim, PetscReal time, const PetscReal x[], PetscInt Nc, PetscScalar u[],
                           PetscCtx ctx)
{
  for (PetscInt c = 0; c < Nc; ++c) u[c] = 0.0;
  return PETSC_SUCCESS;
}
#if defined(__GNUC__)
  #pragma GCC diagnostic pop
#endif

#define COMPONENTS "tests/assembly/components.h"
#define COPIES     "for all components"
#define EVEN       "even and odd modes, 16 elements a block"
#define BLOCKS     "16 elements a warp on tensor cores, 16 elements a block"

typedef struct {
  const char    *name;
  DMPolytopeType cell;
  PetscInt       Nc, degree;
  PetscBool      mass, laplace, lobatto, single;
  const char    *says, *also; /* words of the view */
  PetscBool      kernels;     /* or on the host alone, as these take longer to compile than to run */
  PetscBool      leaning;     /* points of a line that is another one from its other end, one more than nodes */
  PetscInt       refine;      /* times that the mesh is */
} Case;

// clang-format off
static const Case cases[] = {
  {"hexahedra, Laplace of a vector", DM_POLYTOPE_HEXAHEDRON, 3, 2, PETSC_FALSE, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE,
   COPIES, "sums along lines of 3 nodes and 3 points\n", PETSC_TRUE, PETSC_FALSE, 0},
  {"quadrilaterals, both of a vector at nodes", DM_POLYTOPE_QUADRILATERAL, 2, 3, PETSC_TRUE, PETSC_TRUE, PETSC_TRUE, PETSC_FALSE,
   COPIES, "4 nodes and 4 points, the same", PETSC_TRUE, PETSC_FALSE, 0},
  {"quadrilaterals, points to one side", DM_POLYTOPE_QUADRILATERAL, 1, 2, PETSC_TRUE, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE,
   "at each point", "3 nodes and 4 points\n", PETSC_TRUE, PETSC_TRUE, 0},
  {"hexahedra, Laplace at nodes, single", DM_POLYTOPE_HEXAHEDRON, 1, 2, PETSC_FALSE, PETSC_TRUE, PETSC_TRUE, PETSC_TRUE,
   "numbers (symmetric) at each", "3 nodes and 3 points, the same", PETSC_TRUE, PETSC_FALSE, 0},
  {"triangles, Laplace of a vector", DM_POLYTOPE_TRIANGLE, 2, 2, PETSC_FALSE, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE,
   COPIES, "modes", PETSC_TRUE, PETSC_FALSE, 0},
  {"tetrahedra P1, Laplace", DM_POLYTOPE_TETRAHEDRON, 1, 1, PETSC_FALSE, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE,
   "modes", EVEN, PETSC_TRUE, PETSC_FALSE, 0},
  {"triangles P1, both", DM_POLYTOPE_TRIANGLE, 1, 1, PETSC_TRUE, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE,
   "at each point", BLOCKS, PETSC_TRUE, PETSC_FALSE, 0},
  {"tetrahedra P3, Laplace", DM_POLYTOPE_TETRAHEDRON, 1, 3, PETSC_FALSE, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE,
   "modes", EVEN, PETSC_TRUE, PETSC_FALSE, 0},
  {"tetrahedra P4, Laplace", DM_POLYTOPE_TETRAHEDRON, 1, 4, PETSC_FALSE, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE,
   "modes", EVEN, PETSC_TRUE, PETSC_FALSE, 0},
  {"triangles P3, both", DM_POLYTOPE_TRIANGLE, 1, 3, PETSC_TRUE, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE,
   "at each point", BLOCKS, PETSC_TRUE, PETSC_FALSE, 0},
  {"triangles P4, Laplace, single", DM_POLYTOPE_TRIANGLE, 1, 4, PETSC_FALSE, PETSC_TRUE, PETSC_FALSE, PETSC_TRUE,
   "modes", EVEN, PETSC_TRUE, PETSC_FALSE, 0},
  {"triangles P4, mass, single", DM_POLYTOPE_TRIANGLE, 1, 4, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE, PETSC_TRUE,
   "at each point", BLOCKS, PETSC_TRUE, PETSC_FALSE, 0},
  {"tetrahedra P2, both of a vector", DM_POLYTOPE_TETRAHEDRON, 3, 2, PETSC_TRUE, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE,
   COPIES, BLOCKS, PETSC_TRUE, PETSC_FALSE, 0},
  {"tetrahedra P1, both of a vector at a point", DM_POLYTOPE_TETRAHEDRON, 3, 1, PETSC_TRUE, PETSC_TRUE, PETSC_TRUE, PETSC_FALSE,
   "full tables of 1 points", BLOCKS, PETSC_TRUE, PETSC_FALSE, 0},
  {"hexahedra of degree 6, mass of a vector at nodes", DM_POLYTOPE_HEXAHEDRON, 3, 6, PETSC_TRUE, PETSC_FALSE, PETSC_TRUE,
   PETSC_FALSE, "7 nodes and 7 points, the same", "sums along lines", PETSC_FALSE, PETSC_FALSE, 0},
  {"hexahedra of degree 6, Laplace at nodes", DM_POLYTOPE_HEXAHEDRON, 1, 6, PETSC_FALSE, PETSC_TRUE, PETSC_TRUE,
   PETSC_FALSE, "7 nodes and 7 points, the same", "sums along lines", PETSC_FALSE, PETSC_FALSE, 0},
};
// clang-format on

/* ---- The problem */

/* Products of a line's points: Gauss and Lobatto's, or those of Gauss and Jacobi, which are not the same from the other end */
static PetscErrorCode SetPoints(PetscFE fe, PetscInt dim, PetscInt points, PetscBool leaning)
{
  PetscReal      *x, *w;
  PetscQuadrature line, square, q;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(points, &x));
  PetscCall(PetscMalloc1(points, &w));
  if (leaning) PetscCall(PetscDTGaussJacobiQuadrature(points, -1., 1., 1., 0., x, w));
  else PetscCall(PetscDTGaussLobattoLegendreQuadrature(points, PETSCGAUSSLOBATTOLEGENDRE_VIA_NEWTON, x, w));
  PetscCall(PetscQuadratureCreate(PETSC_COMM_SELF, &line));
  PetscCall(PetscQuadratureSetData(line, 1, 1, points, x, w));
  PetscCall(PetscDTTensorQuadratureCreate(line, line, &square));
  if (dim == 3) PetscCall(PetscDTTensorQuadratureCreate(square, line, &q));
  PetscCall(PetscFESetQuadrature(fe, dim == 3 ? q : square));
  if (dim == 3) PetscCall(PetscQuadratureDestroy(&q));
  PetscCall(PetscQuadratureDestroy(&square));
  PetscCall(PetscQuadratureDestroy(&line));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateProblem(const Case *c, PetscBool factors, DM *dm)
{
  const PetscInt n[] = {2, 1, 1}, value = 1;
  PetscScalar    constants[] = {3., 3., 3., 0.};
  PetscBool      simplex;
  PetscInt       dim;
  DMLabel        label;
  PetscFE        fe;
  PetscDS        ds;

  PetscFunctionBegin;
  if (c->degree > 3 && c->cell == DM_POLYTOPE_HEXAHEDRON)
    PetscCall(PlexTestHexahedronBox(PETSC_COMM_WORLD, n, PETSC_TRUE, dm));
  else PetscCall(PlexTestMesh(PETSC_COMM_WORLD, c->cell, 0, dm));
  for (PetscInt k = 0; k < c->refine; ++k) {
    DM finer;

    PetscCall(DMRefine(*dm, PETSC_COMM_WORLD, &finer));
    PetscCall(DMDestroy(dm));
    *dm = finer;
  }
  PetscCall(PlexTestDistributeDefault(dm, 0));
  PetscCall(DMGetDimension(*dm, &dim));
  simplex = (PetscBool)(c->cell == DM_POLYTOPE_TRIANGLE || c->cell == DM_POLYTOPE_TETRAHEDRON);
  /* a simplex has one point in the place of its nodes */
  PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, dim, c->Nc, c->cell, c->degree,
                                        simplex && c->lobatto ? 0 : PETSC_DETERMINE, &fe));
  if (!simplex && (c->lobatto || c->leaning))
    PetscCall(SetPoints(fe, dim, c->degree + (c->leaning ? 2 : 1), c->leaning));
  PetscCall(DMSetField(*dm, 0, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMCreateDS(*dm));
  PetscCall(DMGetDS(*dm, &ds));
  PetscCall(PetscDSSetJacobian(ds, 0, 0,
                               !c->mass  ? NULL
                               : factors ? g0_factors
                                         : g0_same,
                               NULL, NULL,
                               !c->laplace ? NULL
                               : factors   ? g3_factors
                                           : g3_same));
  constants[c->Nc] = 0.;
  PetscCall(PetscDSSetConstants(ds, c->Nc + 1, constants));
  PetscCall(DMGetLabel(*dm, "boundary", &label));
  PetscCall(DMAddBoundary(*dm, DM_BC_ESSENTIAL, "boundary", label, 1, &value, 0, 0, NULL, (PetscVoidFn *)Zero, NULL,
                          NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Products beside those of an assembled matrix */

typedef struct {
  DM           dm;
  PlexAssembly assembly[2]; /* that under test, and the host's */
  Mat          A, B;
  Vec          X;
} Problem;

static PetscErrorCode Create(const Case *c, PetscBool factors, const char backend[], Problem *p)
{
  PetscBool device;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(backend, PLEXBACKENDCUDA, &device));
  PetscCall(CreateProblem(c, factors, &p->dm));
  if (device) PetscCall(PlexTestUseDevice(p->dm));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(PlexAssemblyCreate(p->dm, &p->assembly[k]));
    PetscCall(PlexAssemblySetBackend(p->assembly[k], k ? PLEXBACKENDHOST : backend));
    PetscCall(PlexAssemblySetPointwiseSource(p->assembly[k], COMPONENTS));
    PetscCall(DMSetMatType(p->dm, k ? device ? MATAIJCUSPARSE : MATAIJ : MATPLEXGPU));
    PetscCall(PlexAssemblyCreateMatrix(p->assembly[k], k ? &p->B : &p->A));
  }
  PetscCall(PlexAssemblySetApply(p->assembly[0], PLEX_APPLY_STORED));
  /* several blocks of elements on tensor cores, with warps that have none; factors have the library's sizes */
  if (c->says) PetscCall(PlexAssemblySetPartitionSize(p->assembly[0], 16));
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

static PetscErrorCode Look(Problem *p, const char name[], const char what[], PetscReal tolerance)
{
  PetscReal error = 0.;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyComputeJacobian(p->assembly[0], p->X, NULL, 0., 0., p->A, p->A));
  PetscCall(PlexAssemblyComputeJacobian(p->assembly[1], p->X, NULL, 0., 0., p->B, p->B));
  PetscCall(PlexTestCompareProducts(p->A, p->B, &error));
  PetscCall(PlexTestReportOf((PetscBool)(error <= tolerance), name, what, "error %.3g", (double)error));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtCases(const char backend[])
{
  PetscBool host, copies;
  Problem   p;
  char      name[128], *blocks;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(backend, PLEXBACKENDHOST, &host));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) {
    const Case *c = &cases[k];

    if (!host && !c->kernels && !PlexTestLong()) continue;
    PetscCall(PetscSNPrintf(name, sizeof(name), "%s %s", backend, c->name));
    PetscCall(Create(c, PETSC_FALSE, backend, &p));
    PetscCall(Look(&p, name, "products are those of the assembled matrix",
                   c->single       ? 2e-5
                   : c->degree > 3 ? 1e-12
                                   : 1e-13));
    /* that components are alike where the position is read only their source says, which the host has not */
    PetscCall(PetscStrcmp(c->says, COPIES, &copies));
    PetscCall(PlexTestViewSays(p.assembly[0], name, c->says, (PetscBool)!(host && copies && c->mass)));
    PetscCall(PetscStrstr(c->also, "16 elements a block", &blocks)); /* which the host has not */
    PetscCall(PlexTestViewSays(p.assembly[0], name, c->also, (PetscBool)!(host && blocks)));
    PetscCall(Destroy(&p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A v, then another place of the mesh, and A^T v for the first time: its coefficients are those of A v. Axes are exchanged, so
   that a curve through the elements is another one */
static PetscErrorCode LookAtMoved(const char backend[])
{
  const Case   c = {"tetrahedra P3",
                    DM_POLYTOPE_TETRAHEDRON,
                    1,
                    3,
                    PETSC_FALSE,
                    PETSC_TRUE,
                    PETSC_FALSE,
                    PETSC_FALSE,
                    "",
                    NULL,
                    PETSC_TRUE,
                    PETSC_FALSE,
                    0};
  PetscScalar *x;
  PetscInt     n;
  Problem      p;
  Vec          v, Av, coordinates;
  char         name[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s %s", backend, c.name));
  PetscCall(Create(&c, PETSC_FALSE, backend, &p));
  PetscCall(PlexAssemblyComputeJacobian(p.assembly[0], p.X, NULL, 0., 0., p.A, p.A));
  PetscCall(MatCreateVecs(p.A, &v, &Av));
  PetscCall(VecSet(v, 1.));
  PetscCall(MatMult(p.A, v, Av));
  PetscCall(DMGetCoordinatesLocal(p.dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &n));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt i = 0; i < n; i += 3) {
    const PetscScalar first = x[i];

    x[i]     = x[i + 1] + 0.1 * first * first;
    x[i + 1] = x[i + 2];
    x[i + 2] = first;
  }
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscCall(Look(&p, name, "products, and the first transposed ones, after the mesh has moved", 1e-13));
  PetscCall(VecDestroy(&v));
  PetscCall(VecDestroy(&Av));
  PetscCall(Destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A warp for each 16 elements of a block: two, and eight where blocks of four warps leave registers unused. Elements are so
   many that a block of threads takes several of their blocks: on a GPU small ones of small elements */
static PetscErrorCode LookAtSizes(const char backend[])
{
  const PetscInt sizes[] = {32, 128, 16};
  Case           c       = {"tetrahedra P3, blocks",
                            DM_POLYTOPE_TETRAHEDRON,
                            1,
                            3,
                            PETSC_FALSE,
                            PETSC_TRUE,
                            PETSC_FALSE,
                            PETSC_FALSE,
                            NULL,
                            NULL,
                            PETSC_TRUE,
                            PETSC_FALSE,
                            2};
  PetscBool      host, device;
  char           name[128], words[64];

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(backend, PLEXBACKENDHOST, &host));
  PetscCall(PetscStrcmp(backend, PLEXBACKENDCUDA, &device));
  if (host) PetscFunctionReturn(PETSC_SUCCESS);
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(sizes); ++k) {
    Problem p;

    if (sizes[k] == 16) {
      if (!device) continue;
      c.name   = "tetrahedra P1, blocks"; /* 5,376 of them */
      c.degree = 1;
      c.refine = 4;
    }

    PetscCall(PetscSNPrintf(name, sizeof(name), "%s %s of %" PetscInt_FMT, backend, c.name, sizes[k]));
    PetscCall(PetscSNPrintf(words, sizeof(words), "%" PetscInt_FMT " elements a block", sizes[k]));
    PetscCall(Create(&c, PETSC_FALSE, backend, &p));
    PetscCall(PlexAssemblySetPartitionSize(p.assembly[0], sizes[k]));
    PetscCall(Look(&p, name, "products are those of the assembled matrix", 1e-13));
    PetscCall(PlexTestViewSays(p.assembly[0], name, words, PETSC_TRUE));
    PetscCall(Destroy(&p));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Factors of components that are equal only by the values of constants: then by others, and with a coupling */
static PetscErrorCode LookAtFactors(const char backend[], const Case *c)
{
  PetscScalar others[2][4] = {
    {3., 5., 3., 3.},
    {3., 3., 3., 3.}
  };
  PetscBool host;
  Problem   p;
  PetscDS   ds;
  char      name[128];

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(backend, PLEXBACKENDHOST, &host));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s %s", backend, c->name));
  others[0][c->Nc] = 0.;
  others[1][c->Nc] = 2.;
  PetscCall(Create(c, PETSC_TRUE, backend, &p));
  PetscCall(DMGetDS(p.dm, &ds));
  PetscCall(Look(&p, name, "equal ones", 1e-13));
  /* the host sees values, kernels have the source */
  PetscCall(PlexTestViewSays(p.assembly[0], name, COPIES, host));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(PetscDSSetConstants(ds, c->Nc + 1, others[k]));
    PetscCall(Look(&p, name, k ? "a coupling" : "different ones", 1e-13));
    PetscCall(PlexTestViewSays(p.assembly[0], name, COPIES, PETSC_FALSE));
  }
  PetscCall(Destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAt(const char backend[])
{
  static const Case factors[] = {
    {"factors, triangles P1",  DM_POLYTOPE_TRIANGLE,    2, 1, PETSC_TRUE, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE, NULL, NULL,
     PETSC_TRUE,                                                                                                                        PETSC_FALSE, 0},
    {"factors, tetrahedra P2", DM_POLYTOPE_TETRAHEDRON, 3, 2, PETSC_TRUE, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE, NULL,
     NULL,                                                                                                                  PETSC_TRUE, PETSC_FALSE, 0}
  };

  PetscFunctionBegin;
  PetscCall(LookAtCases(backend));
  PetscCall(LookAtMoved(backend));
  PetscCall(LookAtSizes(backend));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(factors); ++k) PetscCall(LookAtFactors(backend, &factors[k]));
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
