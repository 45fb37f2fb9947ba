static char
  help[] = "Meshes of arrays of another code: nodes in another order on another reference cell, elements that are "
           "inside out, dofs in another order; residual and Jacobian against those of the DMPLEX that the "
           "arrays were taken from.\n\n";

#include <plexgpu/impl.h>
#include "meshes.h"
#include "problem.h"
#include "report.h"

/* ---- The arrays */

typedef struct {
  PetscInt   n;     /* nodes of an element */
  PetscReal *xi;    /* [n][dim] of the arrays' node j, on the cell with vertices 0 and 1 */
  PetscInt  *from;  /* [2][n] the DMPLEX's node that it is; of an element that is inside out */
  PetscInt  *nodes; /* [Ne][n] dofs or coordinate nodes */
} Space;

/* The arrays' nodes come in the order of j -> 5 j + 2 mod n, or from behind where that is none */
static PetscErrorCode CreateSpace(PetscFE fe, PetscInt Nc, PetscInt dim, PetscBool simplex, Space *s)
{
  PetscDualSpace dual;
  PetscInt       size;
  PetscReal     *node;

  PetscFunctionBegin;
  PetscCall(PetscFEGetDimension(fe, &size));
  PetscCall(PetscFEGetDualSpace(fe, &dual));
  s->n = size / Nc;
  PetscCall(PetscMalloc1(s->n * dim, &s->xi));
  PetscCall(PetscMalloc1(2 * s->n, &s->from));
  PetscCall(PetscMalloc1(s->n * dim, &node));
  for (PetscInt k = 0; k < s->n; ++k) {
    const PetscReal *x;
    PetscQuadrature  point;

    PetscCall(PetscDualSpaceGetFunctional(dual, k * Nc, &point));
    PetscCall(PetscQuadratureGetData(point, NULL, NULL, NULL, &x, NULL));
    PetscCall(PetscArraycpy(&node[k * dim], x, dim));
  }
  for (PetscInt j = 0; j < s->n; ++j) {
    const PetscInt k = s->n % 5 ? (5 * j + 2) % s->n : s->n - 1 - j;
    PetscReal      image[3];

    s->from[j] = k;
    for (PetscInt d = 0; d < dim; ++d) {
      s->xi[j * dim + d] = 0.5 * (node[k * dim + d] + 1.);
      image[d]           = simplex && d < 2 ? node[k * dim + 1 - d] : simplex || d ? node[k * dim + d] : -node[k * dim];
    }
    for (PetscInt m = 0; m < s->n; ++m) {
      PetscReal far = 0.;

      for (PetscInt d = 0; d < dim; ++d) far += PetscAbsReal(node[m * dim + d] - image[d]);
      if (far < 1e-10) s->from[s->n + j] = m;
    }
  }
  PetscCall(PetscFree(node));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every third element is handed over inside out */
static PetscErrorCode FillSpace(Space *s, PetscInt Ne, PetscInt stride, PetscInt Nc, const int conn[])
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc1(Ne * s->n, &s->nodes));
  for (PetscInt e = 0; e < Ne; ++e)
    for (PetscInt j = 0; j < s->n; ++j)
      s->nodes[e * s->n + j] = conn[e * stride + Nc * s->from[(e % 3 == 1 ? s->n : 0) + j]];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Global numbers of a process from behind, node by node of one field; of several fields as they are */
static PetscInt Renumber(const PetscInt ranges[], PetscInt bs, PetscInt g)
{
  PetscInt r = 0;

  if (bs == 0) return g;
  while (g >= ranges[r + 1]) ++r;
  return ranges[r + 1] - bs - (g - ranges[r]) / bs * bs + (g - ranges[r]) % bs;
}

/* On several processes all have cells */
static PetscErrorCode CreateProblem(const PlexTestProblem *problem, DM *dm)
{
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size == 1) {
    PetscCall(PlexTestProblemCreate(problem, dm));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, problem->cell, 0, dm));
  PetscCall(PlexTestMarkHeld(*dm));
  PetscCall(PlexTestDistribute(dm, 0, PETSC_FALSE));
  if (problem->coordinates) PetscCall(PlexTestCurve(*dm, problem->coordinates));
  PetscCall(PlexTestProblemSetUp(*dm, problem));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A DM without constraints, of the same fields and functions */
static PetscErrorCode CreateFree(DM dm, DM *unconstrained)
{
  PetscDS  ds, other;
  PetscInt Nf;

  PetscFunctionBegin;
  PetscCall(DMClone(dm, unconstrained));
  PetscCall(DMGetNumFields(dm, &Nf));
  for (PetscInt f = 0; f < Nf; ++f) {
    PetscObject fe;

    PetscCall(DMGetField(dm, f, NULL, &fe));
    PetscCall(DMSetField(*unconstrained, f, NULL, fe));
  }
  PetscCall(DMCreateDS(*unconstrained));
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(DMGetDS(*unconstrained, &other));
  PetscCall(PetscDSCopyEquations(ds, other));
  PetscCall(PetscDSCopyConstants(ds, other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PlexDMArrays      a;
  PlexDMArraysField field[2];
  Space             geometry, space[2];
  PetscInt         *local;  /* [Nl] of a local dof of the DMPLEX the arrays' */
  PetscInt         *global; /* [ghosts] */
  PetscInt          bs;
  DM                dm; /* the DMPLEX */
} Arrays;

static PetscErrorCode NumberDofs(Arrays *s, PlexElements el)
{
  ISLocalToGlobalMapping map;
  const PetscInt        *to, *ranges;
  PetscInt               first, end, ghosts = 0;
  Vec                    X;

  PetscFunctionBegin;
  PetscCall(DMGetGlobalVector(s->dm, &X));
  PetscCall(VecGetOwnershipRanges(X, &ranges));
  PetscCall(VecGetOwnershipRange(X, &first, &end));
  PetscCall(DMGetLocalToGlobalMapping(s->dm, &map));
  PetscCall(ISLocalToGlobalMappingGetIndices(map, &to));
  PetscCall(PetscMalloc2(el->Nl, &s->local, el->Nl, &s->global));
  for (PetscInt l = 0; l < el->Nl; ++l) {
    const PetscInt g = Renumber(ranges, s->bs, to[l]);

    s->local[l] = g - first;
    if (to[l] >= first && to[l] < end) continue;
    s->local[l]         = end - first + ghosts;
    s->global[ghosts++] = g;
  }
  s->a.owned  = end - first;
  s->a.ghosts = ghosts;
  s->a.global = s->global;
  PetscCall(ISLocalToGlobalMappingRestoreIndices(map, &to));
  PetscCall(DMRestoreGlobalVector(s->dm, &X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateArrays(const PlexTestProblem *problem, PlexElements el, Arrays *s)
{
  const PetscBool simplex = (PetscBool)(el->cellType == DM_POLYTOPE_TRIANGLE ||
                                        el->cellType == DM_POLYTOPE_TETRAHEDRON);
  PetscFE         fe;
  PetscReal      *x;
  int            *dofs;

  PetscFunctionBegin;
  s->bs = el->Nf > 1 ? 0 : el->Nc[0];
  PetscCall(NumberDofs(s, el));
  PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, el->dim, 1, el->cellType,
                                        problem->coordinates ? problem->coordinates : 1, PETSC_DETERMINE, &fe));
  PetscCall(CreateSpace(fe, 1, el->dim, simplex, &s->geometry));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(FillSpace(&s->geometry, el->Ne, el->Nv, 1, el->vertices));
  PetscCall(PetscMalloc1(el->Ne * el->ef, &dofs));
  for (PetscInt k = 0; k < el->Ne * el->ef; ++k) dofs[k] = (int)s->local[el->dofs[k]];
  for (PetscInt f = 0; f < el->Nf; ++f) {
    PetscCall(DMGetField(s->dm, f, NULL, (PetscObject *)&fe));
    PetscCall(CreateSpace(fe, el->Nc[f], el->dim, simplex, &s->space[f]));
    PetscCall(FillSpace(&s->space[f], el->Ne, el->ef, el->Nc[f], &dofs[el->offset[f]]));
    s->field[f] = (PlexDMArraysField){problem->degree - f, el->Nc[f], s->space[f].n, s->space[f].xi, s->space[f].nodes};
  }
  PetscCall(PetscFree(dofs));
  PetscCall(PetscMalloc1(el->Nx * el->dim, &x));
  PetscCall(PetscArraycpy(x, el->x, el->Nx * el->dim));
  s->a.cell       = el->cellType;
  s->a.elements   = el->Ne;
  s->a.unit       = PETSC_TRUE;
  s->a.degree     = problem->coordinates ? problem->coordinates : 1;
  s->a.nodes      = el->Nv;
  s->a.xi         = s->geometry.xi;
  s->a.vertices   = s->geometry.nodes;
  s->a.points     = el->Nx;
  s->a.x          = x;
  s->a.quadrature = PETSC_DETERMINE;
  s->a.nfields    = el->Nf;
  s->a.fields     = s->field;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode DestroyArrays(Arrays *s)
{
  Space *spaces[] = {&s->geometry, &s->space[0], &s->space[1]};

  PetscFunctionBegin;
  for (int k = 0; k < 3; ++k) {
    PetscCall(PetscFree(spaces[k]->nodes));
    PetscCall(PetscFree(spaces[k]->xi));
    PetscCall(PetscFree(spaces[k]->from));
  }
  PetscCall(PetscFree2(s->local, s->global));
  PetscCall(PetscFree(s->a.x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Residual and Jacobian */

/* A global vector of the DMPLEX as the arrays number it */
static PetscErrorCode ToArrays(const Arrays *s, Vec X, Vec Y)
{
  const PetscScalar *x;
  const PetscInt    *ranges;
  PetscInt           first, end;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRanges(X, &ranges));
  PetscCall(VecGetOwnershipRange(X, &first, &end));
  PetscCall(VecGetArrayRead(X, &x));
  for (PetscInt g = first; g < end; ++g)
    PetscCall(VecSetValue(Y, Renumber(ranges, s->bs, g), x[g - first], INSERT_VALUES));
  PetscCall(VecRestoreArrayRead(X, &x));
  PetscCall(VecAssemblyBegin(Y));
  PetscCall(VecAssemblyEnd(Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* F and J X at X, by PETSc where there is no assembly */
static PetscErrorCode Compute(DM dm, PlexAssembly assembly, Vec X, Vec F, Vec JX)
{
  Vec locX, locF;
  Mat J;

  PetscFunctionBegin;
  PetscCall(DMGetLocalVector(dm, &locX));
  PetscCall(DMGetLocalVector(dm, &locF));
  PetscCall(DMGlobalToLocal(dm, X, INSERT_VALUES, locX));
  PetscCall(VecZeroEntries(locF));
  PetscCall(DMCreateMatrix(dm, &J));
  if (assembly) {
    PetscCall(PlexAssemblyComputeFunction(assembly, locX, NULL, 0., locF));
    PetscCall(PlexAssemblyComputeJacobian(assembly, locX, NULL, 0., 0., J, J));
  } else {
    PetscCall(DMPlexSNESComputeResidualFEM(dm, locX, locF, NULL));
    PetscCall(MatZeroEntries(J));
    PetscCall(DMPlexSNESComputeJacobianFEM(dm, locX, J, J, NULL));
  }
  PetscCall(VecZeroEntries(F));
  PetscCall(DMLocalToGlobal(dm, locF, ADD_VALUES, F));
  PetscCall(MatMult(J, X, JX));
  PetscCall(MatDestroy(&J));
  PetscCall(DMRestoreLocalVector(dm, &locX));
  PetscCall(DMRestoreLocalVector(dm, &locF));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestProblem(const char backend[], const PlexTestProblem *problem, const char what[])
{
  Arrays       s = {0};
  DM           constrained, dm;
  PlexElements el;
  PlexAssembly assembly = NULL;
  PetscDS      ds, other;
  PetscRandom  random;
  PetscReal    F, J;
  PetscInt     jacobians = 0;
  Vec          X, of[2], Y, to[2], reference;
  char         name[128];

  PetscFunctionBegin;
  PetscCall(CreateProblem(problem, &constrained));
  PetscCall(CreateFree(constrained, &s.dm));
  PetscCall(PlexElementsCreate(s.dm, &el));
  PetscCall(CreateArrays(problem, el, &s));
  PetscCall(PlexDMCreateFromArrays(PetscObjectComm((PetscObject)s.dm), &s.a, &dm));
  PetscCall(PlexElementsDestroy(&el));
  PetscCall(DMGetDS(s.dm, &ds));
  PetscCall(DMGetDS(dm, &other));
  PetscCall(PetscDSCopyEquations(ds, other));
  PetscCall(PetscDSCopyConstants(ds, other));
  PetscCall(DMCreateGlobalVector(s.dm, &X));
  PetscCall(VecDuplicate(X, &of[0]));
  PetscCall(VecDuplicate(X, &of[1]));
  PetscCall(DMCreateGlobalVector(dm, &Y));
  PetscCall(VecDuplicate(Y, &to[0]));
  PetscCall(VecDuplicate(Y, &to[1]));
  PetscCall(VecDuplicate(Y, &reference));
  PetscCall(PetscRandomCreate(PetscObjectComm((PetscObject)dm), &random));
  PetscCall(VecSetRandom(X, random));
  PetscCall(PetscRandomDestroy(&random));
  PetscCall(ToArrays(&s, X, Y));
  PetscCall(Compute(s.dm, NULL, X, of[0], of[1]));
  if (backend) {
    PlexAssemblyCounts counts;

    PetscCall(PlexAssemblyCreate(dm, &assembly));
    PetscCall(PlexAssemblySetBackend(assembly, backend));
    PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_FORMS));
    PetscCall(PlexAssemblySetFromOptions(assembly));
    PetscCall(Compute(dm, assembly, Y, to[0], to[1]));
    PetscCall(PlexAssemblyGetCounts(assembly, &counts));
    jacobians = counts.jacobians;
    PetscCall(PlexAssemblyDestroy(&assembly));
  } else PetscCall(Compute(dm, NULL, Y, to[0], to[1]));
  PetscCall(ToArrays(&s, of[0], reference));
  PetscCall(PlexTestVecError(to[0], reference, &F));
  PetscCall(ToArrays(&s, of[1], reference));
  PetscCall(PlexTestVecError(to[1], reference, &J));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s: %s", backend ? backend : "PETSc's own assembly", what));
  PetscCall(PlexTestReport((PetscBool)(F <= 1e-12 && J <= 1e-12 && (!backend || jacobians == 1)), name,
                           "relative errors: residual %.3g, Jacobian times a vector %.3g; %" PetscInt_FMT " by PlexGPU",
                           (double)F, (double)J, jacobians));
  for (int k = 0; k < 2; ++k) PetscCall(VecDestroy(&of[k]));
  for (int k = 0; k < 2; ++k) PetscCall(VecDestroy(&to[k]));
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&Y));
  PetscCall(VecDestroy(&reference));
  PetscCall(DestroyArrays(&s));
  PetscCall(DMDestroy(&dm));
  PetscCall(DMDestroy(&s.dm));
  PetscCall(DMDestroy(&constrained));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const struct {
  PlexTestProblem problem;
  const char     *what;
} Problems[] = {
  {{.cell = DM_POLYTOPE_TRIANGLE, .degree = 1, .components = 1},                                        "triangles, order 1"         },
  {{.cell = DM_POLYTOPE_TRIANGLE, .degree = 3, .components = 2},                                        "triangles, order 3, vector" },
  {{.cell = DM_POLYTOPE_TRIANGLE, .degree = 2, .components = 1, .coordinates = 2},                      "triangles, curved"          },
  {{.cell = DM_POLYTOPE_QUADRILATERAL, .degree = 2, .components = 1},                                   "quadrilaterals, order 2"    },
  {{.cell = DM_POLYTOPE_TETRAHEDRON, .degree = 2, .components = 3, .cells = 12},                        "tetrahedra, order 2, vector"},
  {{.cell = DM_POLYTOPE_HEXAHEDRON, .degree = 2, .components = 1, .cells = 8},                          "hexahedra, order 2"         },
  {{.cell = DM_POLYTOPE_TRIANGLE, .degree = 2, .components = 2, .form = PLEX_TEST_MIXED},               "triangles, orders 2 and 1"  },
  {{.cell = DM_POLYTOPE_HEXAHEDRON, .degree = 2, .components = 3, .form = PLEX_TEST_MIXED, .cells = 6},
   "hexahedra, orders 2 and 1"                                                                                                       }
};

/* ---- Messages */

static PetscErrorCode CreateFrom(void *ctx)
{
  DM dm = NULL;

  PetscFunctionBegin;
  PetscCall(PlexDMCreateFromArrays(PETSC_COMM_SELF, (const PlexDMArrays *)ctx, &dm));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two triangles of a square */
static PetscErrorCode TestMessages(void)
{
  const PetscReal   x[] = {0, 0, 1, 0, 0, 1, 1, 1}, xi[] = {0, 0, 1, 0, 0, 1}, flat[] = {0, 0, 1, 0, 2, 0, 3, 0},
                    inside[] = {0, 0, 1, 0, 0.25, 0.5};
  const PetscInt    conn[] = {0, 1, 2, 1, 3, 2}, far[] = {0, 1, 2, 1, 7, 2}, few[] = {0, 1, 2, 1, 4, 2};
  PlexDMArraysField field = {1, 1, 3, xi, conn}, other;
  PlexDMArrays      good  = {.cell       = DM_POLYTOPE_TRIANGLE,
                             .elements   = 2,
                             .unit       = PETSC_TRUE,
                             .degree     = 1,
                             .nodes      = 3,
                             .xi         = xi,
                             .vertices   = conn,
                             .points     = 4,
                             .x          = x,
                             .quadrature = PETSC_DETERMINE,
                             .nfields    = 1,
                             .fields     = &field,
                             .owned      = 4},
                    bad;
  PetscErrorCode    ierr;
  char              text[2048];

  PetscFunctionBegin;
  PetscCall(PlexTestTry(CreateFrom, &good, &ierr, text, sizeof(text)));
  PetscCall(PlexTestReport((PetscBool)!ierr, "two triangles by hand", "%s", text));
  bad      = good;
  bad.cell = DM_POLYTOPE_TRI_PRISM;
  EXPECT("cells that are not assembled", CreateFrom, &bad, "triangular_prism", "hexahedra");
  bad       = good;
  bad.nodes = 4;
  EXPECT("another number of nodes", CreateFrom, &bad, "4 nodes", "has 3");
  bad      = good;
  bad.unit = PETSC_FALSE;
  EXPECT("another reference cell", CreateFrom, &bad, "coordinates", "`unit`");
  bad    = good;
  bad.xi = inside;
  EXPECT("nodes that are elsewhere", CreateFrom, &bad, "coordinates", "Lagrange");
  bad          = good;
  bad.vertices = far;
  EXPECT("a coordinate node that is not there", CreateFrom, &bad, "Element 1", "7", "there are 4");
  bad   = good;
  bad.x = flat;
  EXPECT("an element without volume", CreateFrom, &bad, "Element 0", "no volume");
  bad        = good;
  other      = field;
  other.dofs = few;
  bad.fields = &other;
  EXPECT("a dof that is not there", CreateFrom, &bad, "dof 4", "there are 4 here");
  bad.owned = 5;
  EXPECT("a dof of no element", CreateFrom, &bad, "Dof 3 is in no element");
  bad              = good;
  other            = field;
  other.components = 2;
  bad.owned        = 5;
  bad.fields       = &other;
  EXPECT("dofs of two nodes at once", CreateFrom, &bad, "Dof 1", "first one of another node");
  bad        = good;
  bad.ghosts = 1;
  EXPECT("ghosts of nobody", CreateFrom, &bad, "1 ghosts on the only process");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateOnAll(void *ctx)
{
  DM dm = NULL;

  PetscFunctionBegin;
  PetscCall(PlexDMCreateFromArrays(PETSC_COMM_WORLD, (const PlexDMArrays *)ctx, &dm));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A triangle on each process, which shares a node with the process before: what is wrong on the last process alone is an
   error on all, which names it. Process 0 has three dofs of its own, the others two. */
static PetscErrorCode TestFaultOfOne(void)
{
  const PetscReal   x[] = {0, 0, 1, 0, 0, 1}, xi[] = {0, 0, 1, 0, 0, 1}, flat[] = {0, 0, 1, 0, 2, 0};
  const PetscInt    conn[] = {0, 1, 2}, far[] = {0, 7, 2};
  PetscMPIInt       rank, size;
  PetscBool         last;
  PetscInt          global;
  PlexDMArraysField field = {1, 1, 3, xi, conn}, two[] = {field, field};
  PlexDMArrays      good = {.cell       = DM_POLYTOPE_TRIANGLE,
                            .elements   = 1,
                            .unit       = PETSC_TRUE,
                            .degree     = 1,
                            .nodes      = 3,
                            .xi         = xi,
                            .vertices   = conn,
                            .points     = 3,
                            .x          = x,
                            .quadrature = PETSC_DETERMINE,
                            .nfields    = 1,
                            .fields     = &field,
                            .global     = &global},
                    bad;
  PetscErrorCode    ierr;
  char              text[2048], who[32];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  last        = (PetscBool)(rank == size - 1);
  global      = rank > 1 ? 2 * rank - 1 : 0; /* the first dof of the process before */
  good.owned  = rank ? 2 : 3;
  good.ghosts = rank ? 1 : 0;
  PetscCall(PetscSNPrintf(who, sizeof(who), "Process %d: ", size - 1));
  PetscCall(PlexTestTry(CreateOnAll, &good, &ierr, text, sizeof(text)));
  PetscCall(PlexTestReport((PetscBool)!ierr, "a triangle on each process", "%s", text));
  bad = good;
  if (last) bad.vertices = far;
  EXPECT("a coordinate node that is not there, on one process", CreateOnAll, &bad, who, "Element 0", "7");
  bad = good;
  if (last) bad.x = flat;
  EXPECT("an element without volume, on one process", CreateOnAll, &bad, who, "no volume");
  bad = good;
  if (last) bad.owned = 3;
  EXPECT("a dof of no element, on one process", CreateOnAll, &bad, who, "Dof 3 is in no element");
  bad = good;
  if (last) bad.cell = DM_POLYTOPE_TRI_PRISM;
  EXPECT("cells that are not assembled, on one process", CreateOnAll, &bad, who, "triangular_prism");
  bad = good;
  if (last) bad.unit = PETSC_FALSE;
  EXPECT("another reference cell, on one process", CreateOnAll, &bad, who, "`unit`");
  bad = good;
  if (last) bad.nfields = 2;
  bad.fields = two;
  EXPECT("another number of fields, on one process", CreateOnAll, &bad, who, "number of fields");
  bad = good;
  if (last) bad.elements = -1;
  EXPECT("a negative number of elements, on one process", CreateOnAll, &bad, who, "-1 elements");
  bad = good;
  if (last) global = 1000;
  EXPECT("a ghost of nobody, on one process", CreateOnAll, &bad, who, "Ghost dof 0", "1000");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Dofs of two components each: a ghost that is the second component of a node of process 0 */
static PetscErrorCode TestGhostOfComponent(void)
{
  const PetscReal   x[] = {0, 0, 1, 0, 0, 1}, xi[] = {0, 0, 1, 0, 0, 1};
  const PetscInt    conn[] = {0, 1, 2}, dofs[] = {0, 2, 4}, global[] = {1, 2};
  PetscMPIInt       rank;
  PlexDMArraysField field = {1, 2, 3, xi, dofs};
  PlexDMArrays      a     = {.cell       = DM_POLYTOPE_TRIANGLE,
                             .elements   = 1,
                             .unit       = PETSC_TRUE,
                             .degree     = 1,
                             .nodes      = 3,
                             .xi         = xi,
                             .vertices   = conn,
                             .points     = 3,
                             .x          = x,
                             .quadrature = PETSC_DETERMINE,
                             .nfields    = 1,
                             .fields     = &field,
                             .owned      = 6};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (rank == 1) {
    a.owned  = 4;
    a.ghosts = 2;
    a.global = global;
  }
  EXPECT("a ghost that begins with the second component, on one process", CreateOnAll, &a,
         "Process 1: ", "another component");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunKernels(const char backend[])
{
  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(Problems); ++k)
    PetscCall(TestProblem(backend, &Problems[k].problem, Problems[k].what));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestQuickKernels());
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(RunKernels(NULL));
  PetscCall(RunKernels(PLEXBACKENDHOST));
  PetscCall(PlexTestEachBackend(RunKernels, NULL));
  if (size == 1) PetscCall(TestMessages());
  else {
    PetscCall(TestFaultOfOne());
    PetscCall(TestGhostOfComponent());
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
