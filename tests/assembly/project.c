static char
  help[] = "Functions that are projected into a DM: values, and the dofs that are written, are those of PETSc's own "
           "DMProjectFunctionLocal(), and so are calls of the function, unless it is to be called once a node.\n"
           "With libplexgpu_preload.so before PETSc the program says nothing of PlexGPU.\n\n";

#include <plexgpu.h>
#include "meshes.h"
#include "problem.h"
#include "report.h"

#define FIELDS    3
#define UNWRITTEN -7.25

static PetscBool preloaded; /* libplexgpu_preload.so stands before PETSc, by LD_PRELOAD */

typedef struct {
  const char    *name;
  DMPolytopeType cell;
  PetscInt degree; /* of the first field, a vector; the second is a scalar of degree 1, the third is one in each cell */
  PetscInt coordinates; /* degree of the coordinate space, where it is not the mesh's */
  PetscInt space;       /* dimensions of space, where these are more than the cell's */
  PetscBool one;        /* there is no other field */
  PetscBool periodic;
} Case;

static const Case cases[] = {
  {.name = "segments P1", .cell = DM_POLYTOPE_SEGMENT, .degree = 1},
  {.name = "segments P3", .cell = DM_POLYTOPE_SEGMENT, .degree = 3, .one = PETSC_TRUE},
  {.name = "triangles P1", .cell = DM_POLYTOPE_TRIANGLE, .degree = 1},
  {.name = "triangles P2", .cell = DM_POLYTOPE_TRIANGLE, .degree = 2, .one = PETSC_TRUE},
  {.name = "triangles P3", .cell = DM_POLYTOPE_TRIANGLE, .degree = 3},
  {.name = "triangles P4", .cell = DM_POLYTOPE_TRIANGLE, .degree = 4},
  {.name = "curved triangles P2", .cell = DM_POLYTOPE_TRIANGLE, .degree = 2, .coordinates = 2},
  {.name = "triangles on a surface P3", .cell = DM_POLYTOPE_TRIANGLE, .degree = 3, .space = 3},
  {.name = "quadrilaterals P1", .cell = DM_POLYTOPE_QUADRILATERAL, .degree = 1, .one = PETSC_TRUE},
  {.name = "quadrilaterals P2", .cell = DM_POLYTOPE_QUADRILATERAL, .degree = 2},
  {.name = "quadrilaterals P3", .cell = DM_POLYTOPE_QUADRILATERAL, .degree = 3},
  {.name = "quadrilaterals P4", .cell = DM_POLYTOPE_QUADRILATERAL, .degree = 4},
  {.name = "curved quadrilaterals P3", .cell = DM_POLYTOPE_QUADRILATERAL, .degree = 3, .coordinates = 2},
  {.name = "quadrilaterals on a surface P2", .cell = DM_POLYTOPE_QUADRILATERAL, .degree = 2, .space = 3},
  {.name = "quadrilaterals on a torus P3", .cell = DM_POLYTOPE_QUADRILATERAL, .degree = 3, .periodic = PETSC_TRUE},
  {.name = "tetrahedra P1", .cell = DM_POLYTOPE_TETRAHEDRON, .degree = 1},
  {.name = "tetrahedra P2", .cell = DM_POLYTOPE_TETRAHEDRON, .degree = 2},
  {.name = "tetrahedra P3", .cell = DM_POLYTOPE_TETRAHEDRON, .degree = 3},
  {.name = "tetrahedra P4", .cell = DM_POLYTOPE_TETRAHEDRON, .degree = 4, .one = PETSC_TRUE},
  {.name = "curved tetrahedra P3", .cell = DM_POLYTOPE_TETRAHEDRON, .degree = 3, .coordinates = 2},
  {.name = "hexahedra P1", .cell = DM_POLYTOPE_HEXAHEDRON, .degree = 1},
  {.name = "hexahedra P2", .cell = DM_POLYTOPE_HEXAHEDRON, .degree = 2},
  {.name = "hexahedra P3", .cell = DM_POLYTOPE_HEXAHEDRON, .degree = 3},
  {.name = "hexahedra P4", .cell = DM_POLYTOPE_HEXAHEDRON, .degree = 4, .one = PETSC_TRUE},
  {.name = "curved hexahedra P2", .cell = DM_POLYTOPE_HEXAHEDRON, .degree = 2, .coordinates = 2},
  {.name = "periodic hexahedra P2", .cell = DM_POLYTOPE_HEXAHEDRON, .degree = 2, .periodic = PETSC_TRUE},
  {.name = "prisms P1", .cell = DM_POLYTOPE_TRI_PRISM, .degree = 1}
};

/* ---- Meshes and fields */

static PetscErrorCode CreatePeriodic(const Case *c, DM *dm)
{
  const DMBoundaryType periodicity[3] = {DM_BOUNDARY_PERIODIC, DM_BOUNDARY_NONE, DM_BOUNDARY_PERIODIC};
  const PetscInt       faces[3]       = {4, 3, 3};

  PetscFunctionBegin;
  PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, DMPolytopeTypeGetDim(c->cell), PETSC_FALSE, faces, NULL, NULL,
                                periodicity, PETSC_TRUE, 0, PETSC_FALSE, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateMesh(const Case *c, DM *dm)
{
  DMLabel label;

  PetscFunctionBegin;
  if (c->periodic) PetscCall(CreatePeriodic(c, dm));
  else if (c->cell == DM_POLYTOPE_TRI_PRISM) PetscCall(PlexTestPrisms(2, dm));
  else if (c->space) PetscCall(PlexTestMeshInSpace(PETSC_COMM_WORLD, c->cell, c->space, 0, dm));
  else PetscCall(PlexTestMesh(PETSC_COMM_WORLD, c->cell, 0, dm));
  PetscCall(PlexTestGetLabel(*dm, "boundary", &label));
  if (c->periodic || c->cell == DM_POLYTOPE_TRI_PRISM) {
    PetscCall(DMPlexMarkBoundaryFaces(*dm, 1, label));
    PetscCall(DMPlexLabelComplete(*dm, label));
  }
  PetscCall(PlexTestMarkHeld(*dm));
  PetscCall(PlexTestDistributeDefault(dm, 1));
  if (c->coordinates) PetscCall(PlexTestCurve(*dm, c->coordinates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddField(DM dm, DMPolytopeType cell, PetscInt Nc, PetscInt degree)
{
  PetscFE fe;

  PetscFunctionBegin;
  PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, DMPolytopeTypeGetDim(cell), Nc, cell, degree, PETSC_DETERMINE,
                                        &fe));
  PetscCall(DMAddField(dm, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The first field is held on a part of the boundary and its first component on another; the second on all of it */
static PetscErrorCode AddConditions(DM dm, PetscBool one)
{
  const PetscInt     values[2] = {1, 2}, component = 0;
  PetscVoidFn *const zero = (PetscVoidFn *)PlexTestZero;
  DMLabel            held, boundary;

  PetscFunctionBegin;
  PetscCall(DMGetLabel(dm, "held", &held));
  PetscCall(DMGetLabel(dm, "boundary", &boundary));
  PetscCall(DMAddBoundary(dm, DM_BC_ESSENTIAL, "all", held, 1, &values[0], 0, 0, NULL, zero, NULL, NULL, NULL));
  PetscCall(DMAddBoundary(dm, DM_BC_ESSENTIAL, "first", held, 1, &values[1], 0, 1, &component, zero, NULL, NULL, NULL));
  if (!one)
    PetscCall(DMAddBoundary(dm, DM_BC_ESSENTIAL, "second", boundary, 1, values, 1, 0, NULL, zero, NULL, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateDM(const Case *c, DM *dm)
{
  PetscInt  dim = DMPolytopeTypeGetDim(c->cell);
  PetscBool device;
  DMField   field;

  PetscFunctionBegin;
  PetscCall(CreateMesh(c, dm));
  PetscCall(PlexTestOnDevice(&device));
  if (device) PetscCall(PlexTestUseDevice(*dm));
  PetscCall(AddField(*dm, c->cell, c->space ? c->space : dim, c->degree));
  if (!c->one) PetscCall(AddField(*dm, c->cell, 1, 1));
  if (!c->one) PetscCall(AddField(*dm, c->cell, 2, 0));
  PetscCall(DMCreateDS(*dm));
  PetscCall(AddConditions(*dm, c->one));
  PetscCall(DMGetCoordinateField(*dm, &field));
  if (!preloaded) PetscCall(PlexAssemblySetSNESLocal(*dm, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Projections */

/* Calls of the functions, of all fields, and what is found out in them */
typedef struct {
  DM        dm;
  PetscInt  calls, cell; /* the last cell that was worked on */
  PetscBool ascending;   /* those before were no later ones */
  PetscBool counted;     /* the function depends on how often it was called */
} Calls;

typedef struct {
  Calls    *calls;
  PetscReal scale; /* of the field */
} Context;

/* Its values vary fast, but not so fast that positions to rounding would show */
static PetscErrorCode Function(PetscInt dim, PetscReal time, const PetscReal x[], PetscInt Nc, PetscScalar *u,
                               void *ctx)
{
  const Context *c = (const Context *)ctx;
  PetscInt       cell;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < Nc; ++k) {
    u[k] = 0.3 * k + time + (c->calls->counted ? 1e-3 * (PetscReal)c->calls->calls : 0.);
    for (PetscInt d = 0; d < dim; ++d) u[k] += c->scale * PetscSinReal((1. + d + k) * x[d] + 0.2 * d);
  }
  PetscCall(DMPlexGetActivePoint(c->calls->dm, &cell));
  if (cell < c->calls->cell) c->calls->ascending = PETSC_FALSE;
  c->calls->cell = cell;
  ++c->calls->calls;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Into a vector of UNWRITTEN: the fields of which bit f of `mask` is set. way: value of -plex_assembly_project */
static PetscErrorCode Project(DM dm, PetscInt mask, InsertMode mode, const char way[], PetscBool counted, Calls *calls,
                              Vec X)
{
  PetscSimplePointFn *funcs[FIELDS];
  void               *ctxs[FIELDS];
  Context             contexts[FIELDS];

  PetscFunctionBegin;
  *calls = (Calls){.dm = dm, .cell = -1, .ascending = PETSC_TRUE, .counted = counted};
  for (PetscInt f = 0; f < FIELDS; ++f) {
    contexts[f] = (Context){calls, 1. + f};
    ctxs[f]     = &contexts[f];
    funcs[f]    = mask >> f & 1 ? Function : NULL;
  }
  PetscCall(VecSet(X, UNWRITTEN));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_project", way));
  PetscCall(DMProjectFunctionLocal(dm, 0.75, funcs, ctxs, mode, X));
  PetscCall(PetscOptionsClearValue(NULL, "-plex_assembly_project"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nodes of the local section's points that have a dof which is written */
static PetscErrorCode CountNodes(DM dm, PetscInt mask, InsertMode mode, PetscInt *nodes)
{
  PetscSection section;
  PetscInt     pStart, pEnd, Nf;

  PetscFunctionBegin;
  *nodes = 0;
  PetscCall(DMGetLocalSection(dm, &section));
  PetscCall(PetscSectionGetChart(section, &pStart, &pEnd));
  PetscCall(PetscSectionGetNumFields(section, &Nf));
  for (PetscInt f = 0; f < Nf; ++f) {
    PetscInt Nc, dof, n;

    PetscCall(PetscSectionGetFieldComponents(section, f, &Nc));
    for (PetscInt p = pStart; p < pEnd && mask >> f & 1; ++p) {
      const PetscInt *held;

      PetscCall(PetscSectionGetFieldDof(section, p, f, &dof));
      PetscCall(PetscSectionGetFieldConstraintDof(section, p, f, &n));
      PetscCall(PetscSectionGetFieldConstraintIndices(section, p, f, &held));
      for (PetscInt node = 0; node < dof / Nc; ++node) {
        PetscInt in = 0;

        for (PetscInt k = 0; k < n; ++k) in += held[k] / Nc == node;
        if (mode == INSERT_ALL_VALUES || (mode == INSERT_VALUES && in < Nc) || (mode == INSERT_BC_VALUES && in))
          ++*nodes;
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest difference, and how many values of a are UNWRITTEN where b's is not, or the other way round */
static PetscErrorCode Compare(Vec a, Vec b, PetscReal *error, PetscInt *other)
{
  const PetscScalar *x, *y;
  PetscReal          most = 0., largest = 0.;
  PetscInt           n;

  PetscFunctionBegin;
  *other = 0;
  PetscCall(VecGetLocalSize(a, &n));
  PetscCall(VecGetArrayRead(a, &x));
  PetscCall(VecGetArrayRead(b, &y));
  for (PetscInt l = 0; l < n; ++l) {
    *other += (x[l] == UNWRITTEN) != (y[l] == UNWRITTEN);
    if (!(PetscAbsScalar(x[l] - y[l]) <= most)) most = PetscAbsScalar(x[l] - y[l]);
    largest = PetscMax(largest, PetscAbsScalar(y[l]));
  }
  PetscCall(VecRestoreArrayRead(a, &x));
  PetscCall(VecRestoreArrayRead(b, &y));
  *error = n ? most / largest : 0.;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, error, 1, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, other, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same calls, in the same order, as PETSc's, and the same values; with `once` a call for each node. left: PETSc makes
   it in any case */
static PetscErrorCode LookAt(DM dm, const char of[], PetscInt mask, InsertMode mode, PetscBool left)
{
  const char *const modes[] = {[INSERT_VALUES]     = "INSERT_VALUES",
                               [ADD_VALUES]        = "ADD_VALUES",
                               [INSERT_ALL_VALUES] = "INSERT_ALL_VALUES",
                               [INSERT_BC_VALUES]  = "INSERT_BC_VALUES"};
  Calls             petsc, here;
  Vec               X, Y;
  PetscReal         error;
  PetscInt          other, wanted;
  PetscBool         good;
  char              what[64];

  PetscFunctionBegin;
  PetscCall(DMCreateLocalVector(dm, &X));
  PetscCall(DMCreateLocalVector(dm, &Y));
  for (PetscInt once = 0; once < 2; ++once) {
    PetscCall(Project(dm, mask, mode, "false", (PetscBool)!once, &petsc, Y));
    PetscCall(Project(dm, mask, mode, once ? "once" : "true", (PetscBool)!once, &here, X));
    PetscCall(Compare(X, Y, &error, &other));
    if (once && !left) PetscCall(CountNodes(dm, mask, mode, &wanted));
    else wanted = petsc.calls;
    good = (PetscBool)(here.calls == wanted && here.ascending && error < 1e-14 && !other);
    PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &good, 1, MPI_C_BOOL, MPI_LAND, PETSC_COMM_WORLD));
    PetscCall(PetscSNPrintf(what, sizeof(what), "%s, fields %d%d%d%s", modes[mode], (int)(mask & 1),
                            (int)(mask >> 1 & 1), (int)(mask >> 2 & 1), once ? ", once" : ""));
    PetscCall(PlexTestReportOf(good, of, what,
                               "relative difference %g, %" PetscInt_FMT " written by one of the two; %" PetscInt_FMT
                               " calls, not %" PetscInt_FMT ", ascending %d",
                               (double)error, other, here.calls, wanted, (int)here.ascending));
  }
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&Y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtCase(const Case *c)
{
  DM dm;

  PetscFunctionBegin;
  PetscCall(CreateDM(c, &dm));
  PetscCall(LookAt(dm, c->name, c->one ? 1 : 7, INSERT_VALUES, PETSC_FALSE));
  PetscCall(LookAt(dm, c->name, c->one ? 1 : 7, INSERT_ALL_VALUES, PETSC_FALSE));
  PetscCall(LookAt(dm, c->name, c->one ? 1 : 7, INSERT_BC_VALUES, PETSC_FALSE));
  if (!c->one) {
    PetscCall(LookAt(dm, c->name, 1, INSERT_VALUES, PETSC_FALSE));
    PetscCall(LookAt(dm, c->name, 6, INSERT_VALUES, PETSC_FALSE));
    PetscCall(LookAt(dm, c->name, 5, INSERT_BC_VALUES, PETSC_FALSE));
    PetscCall(LookAt(dm, c->name, 0, INSERT_VALUES, PETSC_FALSE));
  }
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What a projection reads is what the DM has then */

static PetscErrorCode LookAtMoved(void)
{
  const Case   c = {.name = "a mesh that moves", .cell = DM_POLYTOPE_HEXAHEDRON, .degree = 2, .one = PETSC_TRUE};
  DM           dm;
  Vec          x, y, X, Y;
  Calls        calls;
  PetscReal    error;
  PetscInt     other;
  PetscScalar *values;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(CreateDM(&c, &dm));
  PetscCall(LookAt(dm, c.name, 1, INSERT_VALUES, PETSC_FALSE));
  PetscCall(DMGetCoordinatesLocal(dm, &x));
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArray(x, &values));
  for (PetscInt k = 0; k < n; ++k) values[k] += 0.1 * PetscSinReal(3. * PetscRealPart(values[k]) + k % 3);
  PetscCall(VecRestoreArray(x, &values));
  PetscCall(LookAt(dm, "moved in place", 1, INSERT_VALUES, PETSC_FALSE));
  /* PETSc goes on with the vector that its coordinate field was made of, until there is another field */
  PetscCall(VecDuplicate(x, &y));
  PetscCall(VecCopy(x, y));
  PetscCall(VecScale(y, 1.25));
  PetscCall(DMSetCoordinatesLocal(dm, y));
  PetscCall(DMCreateLocalVector(dm, &X));
  PetscCall(DMCreateLocalVector(dm, &Y));
  PetscCall(Project(dm, 1, INSERT_VALUES, "true", PETSC_FALSE, &calls, X));
  PetscCall(DMSetCoordinateField(dm, NULL));
  PetscCall(Project(dm, 1, INSERT_VALUES, "false", PETSC_FALSE, &calls, Y));
  PetscCall(Compare(X, Y, &error, &other));
  PetscCall(PlexTestReport((PetscBool)(error < 1e-14 && !other), "other coordinates",
                           "relative difference %g, %" PetscInt_FMT " written by one of the two", (double)error,
                           other));
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&Y));
  PetscCall(VecDestroy(&y));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Clones, whose operations PETSc sets anew */
static PetscErrorCode LookAtClone(void)
{
  const Case c = {.name = "a clone", .cell = DM_POLYTOPE_TRIANGLE, .degree = 2};
  DM         dm, clone;

  PetscFunctionBegin;
  PetscCall(CreateDM(&c, &dm));
  PetscCall(DMClone(dm, &clone));
  PetscCall(AddField(clone, c.cell, 2, 3));
  PetscCall(DMCreateDS(clone));
  PetscCall(LookAt(clone, c.name, 1, INSERT_VALUES, PETSC_FALSE));
  PetscCall(DMDestroy(&clone));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's rigid body modes */
static PetscErrorCode LookAtRigidBody(void)
{
  const Case   c = {.name = "rigid body modes", .cell = DM_POLYTOPE_HEXAHEDRON, .degree = 2, .one = PETSC_TRUE};
  DM           dm;
  MatNullSpace modes[2];
  const Vec   *v[2];
  PetscReal    error, most = 0.;
  PetscInt     n[2];

  PetscFunctionBegin;
  PetscCall(CreateDM(&c, &dm));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_project", k ? "true" : "false"));
    PetscCall(DMPlexCreateRigidBody(dm, 0, &modes[k]));
    PetscCall(MatNullSpaceGetVecs(modes[k], NULL, &n[k], &v[k]));
  }
  PetscCall(PetscOptionsClearValue(NULL, "-plex_assembly_project"));
  for (PetscInt k = 0; k < PetscMin(n[0], n[1]); ++k) {
    PetscCall(PlexTestVecError(v[1][k], v[0][k], &error));
    most = PetscMax(most, error);
  }
  PetscCall(PlexTestReport((PetscBool)(n[0] == 6 && n[1] == 6 && most < 1e-13), c.name,
                           "%" PetscInt_FMT " and %" PetscInt_FMT ", relative difference %g", n[0], n[1],
                           (double)most));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(MatNullSpaceDestroy(&modes[k]));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What is left to PETSc */

static PetscErrorCode Skewed(DM dm)
{
  PetscFunctionBegin;
  PetscCall(DMPlexCreateBasisRotation(dm, 0.4, 0.7, -0.3));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A field on all cells but the first more */
static PetscErrorCode AddRegion(DM dm)
{
  PetscFE  fe;
  DMLabel  some;
  PetscInt cStart, cEnd;

  PetscFunctionBegin;
  PetscCall(PlexTestGetLabel(dm, "some", &some));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  for (PetscInt c = cStart + 1; c < cEnd; ++c) PetscCall(DMLabelSetValue(some, c, 1));
  PetscCall(DMClearDS(dm));
  PetscCall(PetscFECreateLagrange(PETSC_COMM_SELF, 2, 1, PETSC_TRUE, 0, PETSC_DETERMINE, &fe));
  PetscCall(DMAddField(dm, some, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMCreateDS(dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The mean value of a cell in the place of values at nodes */
static PetscErrorCode UseMoments(DM dm)
{
  PetscFE         fe;
  PetscSpace      P;
  PetscDualSpace  Q;
  PetscQuadrature quad[2];
  DM              K;

  PetscFunctionBegin;
  PetscCall(DMClearFields(dm));
  PetscCall(DMPlexCreateReferenceCell(PETSC_COMM_SELF, DM_POLYTOPE_TRIANGLE, &K));
  PetscCall(PetscSpaceCreate(PETSC_COMM_SELF, &P));
  PetscCall(PetscSpaceSetType(P, PETSCSPACEPOLYNOMIAL));
  PetscCall(PetscSpaceSetNumVariables(P, 2));
  PetscCall(PetscSpaceSetDegree(P, 0, PETSC_DETERMINE));
  PetscCall(PetscSpaceSetUp(P));
  PetscCall(PetscDualSpaceCreate(PETSC_COMM_SELF, &Q));
  PetscCall(PetscDualSpaceSetType(Q, PETSCDUALSPACELAGRANGE));
  PetscCall(PetscDualSpaceSetDM(Q, K));
  PetscCall(PetscDualSpaceSetOrder(Q, 0));
  PetscCall(PetscDualSpaceLagrangeSetContinuity(Q, PETSC_FALSE));
  PetscCall(PetscDualSpaceLagrangeSetUseMoments(Q, PETSC_TRUE));
  PetscCall(PetscDualSpaceLagrangeSetMomentOrder(Q, 3));
  PetscCall(PetscDualSpaceSetUp(Q));
  PetscCall(DMDestroy(&K));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(PetscDTStroudConicalQuadrature(2 - k, 1, 2, -1., 1., &quad[k]));
  PetscCall(PetscFECreateFromSpaces(P, Q, quad[0], quad[1], &fe));
  PetscCall(DMAddField(dm, NULL, (PetscObject)fe));
  PetscCall(PetscFEDestroy(&fe));
  PetscCall(DMCreateDS(dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A section of the program's own, in which the last cell has no dofs */
static PetscErrorCode SomeCells(DM dm)
{
  PetscSection section;
  PetscInt     cStart, cEnd;

  PetscFunctionBegin;
  PetscCall(DMClearFields(dm));
  PetscCall(AddField(dm, DM_POLYTOPE_TRIANGLE, 2, 0));
  PetscCall(DMCreateDS(dm));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  PetscCall(PetscSectionCreate(PetscObjectComm((PetscObject)dm), &section));
  PetscCall(PetscSectionSetNumFields(section, 1));
  PetscCall(PetscSectionSetFieldComponents(section, 0, 2));
  PetscCall(PetscSectionSetChart(section, cStart, cEnd));
  for (PetscInt c = cStart; c < cEnd - 1; ++c) {
    PetscCall(PetscSectionSetDof(section, c, 2));
    PetscCall(PetscSectionSetFieldDof(section, c, 0, 2));
  }
  PetscCall(PetscSectionSetUp(section));
  PetscCall(DMSetLocalSection(dm, section));
  PetscCall(PetscSectionDestroy(&section));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Change(DM dm)
{
  PetscFunctionBegin;
  (void)dm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const struct {
  const char *name;
  PetscErrorCode (*change)(DM); /* of the DM */
  InsertMode mode;
} lefts[] = {
  {"values are added",     Change,     ADD_VALUES   },
  {"a basis transform",    Skewed,     INSERT_VALUES},
  {"a field on a region",  AddRegion,  INSERT_VALUES},
  {"mean values",          UseMoments, INSERT_VALUES},
  {"a section of its own", SomeCells,  INSERT_VALUES}
};

static PetscErrorCode LookAtLeft(void)
{
  const Case c = {.name = "", .cell = DM_POLYTOPE_TRIANGLE, .degree = 2, .one = PETSC_TRUE};
  DM         dm;

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(lefts); ++k) {
    PetscCall(CreateDM(&c, &dm));
    PetscCall((*lefts[k].change)(dm));
    PetscCall(LookAt(dm, lefts[k].name, 1, lefts[k].mode, PETSC_TRUE));
    PetscCall(DMDestroy(&dm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The view's line */

static PetscErrorCode View(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyView((PlexAssembly)ctx, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtView(void)
{
  const Case   c    = {.name = "", .cell = DM_POLYTOPE_TRIANGLE, .degree = 1, .one = PETSC_TRUE};
  const char  *line = "functions projected here: 2 times; left to PETSc: 1 (values are added)";
  DM           dm;
  PlexAssembly assembly;
  Vec          X;
  Calls        calls;
  PetscBool    found;
  PetscMPIInt  rank;
  char         text[4096], *at;

  PetscFunctionBegin;
  PetscCall(CreateDM(&c, &dm));
  PetscCall(DMCreateLocalVector(dm, &X));
  PetscCall(Project(dm, 1, INSERT_VALUES, "true", PETSC_FALSE, &calls, X));
  PetscCall(Project(dm, 1, ADD_VALUES, "true", PETSC_FALSE, &calls, X));
  PetscCall(Project(dm, 1, INSERT_ALL_VALUES, "once", PETSC_FALSE, &calls, X));
  PetscCall(Project(dm, 1, INSERT_VALUES, "false", PETSC_FALSE, &calls, X));
  PetscCall(PlexAssemblyGetFromDM(dm, &assembly));
  PetscCall(PlexTestCapture(View, assembly, text, sizeof(text)));
  PetscCall(PetscStrstr(text, line, &at));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  found = (PetscBool)(at != NULL || rank);
  PetscCall(PlexTestReport(found, "view", "%s", text));
  PetscCall(VecDestroy(&X));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *libraries = getenv("LD_PRELOAD");

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  preloaded = (PetscBool)(libraries && strstr(libraries, "libplexgpu_preload"));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) PetscCall(LookAtCase(&cases[k]));
  PetscCall(LookAtMoved());
  PetscCall(LookAtClone());
  PetscCall(LookAtRigidBody());
  PetscCall(LookAtLeft());
  PetscCall(LookAtView());
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
