static char help[] = "All that a weak form of PETSc's finite elements may hold, compared with PETSc's own assembly.\n\
  -backend, -type : only these\n\
  -only <text>    : only the cases with this in their name\n\
  -shard <k>/<n>  : every n-th case, from the k-th\n\n";

#include "problem.h"
#include "meshes.h"
#include "report.h"
#include <petscdmplextransform.h>

#pragma GCC diagnostic ignored "-Wunused-parameter" /* pointwise functions have more arguments than they use */
#include "integrals.h"
#define INTEGRALS "tests/integrals.h"

static const char *const strategies[] = {PLEXASSEMBLYELEMENTCOLOR, PLEXASSEMBLYELEMENTATOMIC, PLEXASSEMBLYGLOBALNZ, PLEXASSEMBLYGLOBALROW, PLEXASSEMBLYSHAREDNZ, PLEXASSEMBLYSHAREDROW, PLEXASSEMBLYLOCALNZ, PLEXASSEMBLYLOCALROW};
#define STRATEGIES 8

/* What a case has besides its fields */
enum {
  PRECONDITIONER = 1,     /* functions of a Jacobian preconditioner, */
  PRE_ONLY       = 2,     /* and none of a Jacobian */
  DYNAMIC        = 4,     /* functions of a dynamic Jacobian */
  SEVERAL        = 8,     /* several functions a key */
  SPARSE         = 16,    /* blocks without functions */
  EXPLICIT       = 32,    /* the last field is not implicit, and part 100 has functions */
  AUX            = 64,    /* auxiliary fields on the same mesh: a linear scalar, a constant vector */
  ENCLOSING      = 128,   /* auxiliary fields on a mesh of which this one is a part */
  FACETS         = 256,   /* natural boundary conditions */
  OWN_AUX        = 512,   /* another auxiliary vector for one of their values */
  CURVED         = 1024,  /* coordinates of degree 2 */
  PERIODIC       = 2048,  /* a box that is periodic in x, its coordinates cellwise */
  MOVED          = 4096,  /* coordinates that change after the first assembly */
  REGION         = 8192,  /* the last field on a part of the mesh */
  SINGLE         = 16384, /* precision */
  LONE           = 32768  /* one facet for each value, turned against its cell: PETSc then knows that it is curved */
};

/* A field: Lagrange of this degree; components, 0 for as many as dimensions; disc: linear, discontinuous, of no tensor product */
typedef struct {
  PetscInt  degree, components;
  PetscBool disc;
} Field;

typedef struct {
  const char    *name;
  DMPolytopeType cell;
  PetscInt       cells; /* most */
  PetscInt       Nf;
  Field          fields[4];
  PetscInt       has;
  PetscInt       first, strategies; /* of strategies[], where a backend has them */
} Case;

/* ---- the problem */

static PetscErrorCode AddDisc(DM dm, PetscInt dim, PetscInt Nc, DMPolytopeType ct, PetscInt qorder, PetscFE *fe)
{
  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, "-disc_petscspace_degree", "1"));
  PetscCall(PetscOptionsSetValue(NULL, "-disc_petscspace_poly_tensor", "0"));
  PetscCall(PetscOptionsSetValue(NULL, "-disc_petscdualspace_lagrange_continuity", "0"));
  PetscCall(PetscFECreateByCell(PETSC_COMM_SELF, dim, Nc, ct, "disc_", qorder, fe));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddFields(DM dm, const Case *c, DMLabel part)
{
  PetscInt       dim, cStart, qorder = 1;
  DMPolytopeType ct;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, NULL));
  PetscCall(DMPlexGetCellType(dm, cStart, &ct));
  for (PetscInt f = 0; f < c->Nf; ++f) qorder = PetscMax(qorder, c->fields[f].degree);
  for (PetscInt f = 0; f < c->Nf; ++f) {
    PetscFE        fe;
    const PetscInt Nc = c->fields[f].components ? c->fields[f].components : dim;

    if (c->fields[f].disc) PetscCall(AddDisc(dm, dim, Nc, ct, qorder, &fe));
    else PetscCall(PetscFECreateLagrangeByCell(PETSC_COMM_SELF, dim, Nc, ct, c->fields[f].degree, qorder, &fe));
    PetscCall(DMAddField(dm, part && f == c->Nf - 1 ? part : NULL, (PetscObject)fe));
    PetscCall(PetscFEDestroy(&fe));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode IsTurned(DM dm, PetscInt facet, PetscBool *turned)
{
  const PetscInt *support, *cone, *orientation;
  PetscInt        n;

  PetscFunctionBegin;
  *turned = PETSC_FALSE;
  PetscCall(DMPlexGetSupport(dm, facet, &support));
  PetscCall(DMPlexGetConeSize(dm, support[0], &n));
  PetscCall(DMPlexGetCone(dm, support[0], &cone));
  PetscCall(DMPlexGetConeOrientation(dm, support[0], &orientation));
  for (PetscInt k = 0; k < n; ++k)
    if (cone[k] == facet && orientation[k] < 0) *turned = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Boundary facets in turn: held in all components of field 0, in component 0 of it, open (4 and 5) */
static PetscErrorCode MarkBoundary(DM dm, PetscBool lone)
{
  DMLabel         all, held, open;
  IS              facets;
  const PetscInt *points;
  PetscInt        n, found[2] = {0, 0};
  PetscBool       turned;

  PetscFunctionBegin;
  PetscCall(DMCreateLabel(dm, "held"));
  PetscCall(DMCreateLabel(dm, "open"));
  PetscCall(DMGetLabel(dm, "held", &held));
  PetscCall(DMGetLabel(dm, "open", &open));
  PetscCall(DMLabelCreate(PETSC_COMM_SELF, "facets", &all));
  PetscCall(DMPlexMarkBoundaryFaces(dm, 1, all));
  PetscCall(DMLabelGetStratumIS(all, 1, &facets));
  PetscCall(ISGetLocalSize(facets, &n));
  PetscCall(ISGetIndices(facets, &points));
  for (PetscInt k = 0; k < n; ++k) {
    if (k % 4 < 2) PetscCall(DMLabelSetValue(held, points[k], k % 4 + 1));
    PetscCall(IsTurned(dm, points[k], &turned));
    if (k % 4 == 0 || (lone && (!turned || found[k % 2]))) continue;
    PetscCall(DMLabelSetValue(open, points[k], k % 2 + 4));
    ++found[k % 2];
  }
  PetscCheck(found[0] || found[1], PETSC_COMM_SELF, PETSC_ERR_PLIB, "The mesh has no such facet");
  PetscCall(ISRestoreIndices(facets, &points));
  PetscCall(ISDestroy(&facets));
  PetscCall(DMLabelDestroy(&all));
  PetscCall(DMPlexLabelComplete(dm, held));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Zero(PetscInt dim, PetscReal time, const PetscReal x[], PetscInt Nc, PetscScalar *u, void *ctx)
{
  for (PetscInt c = 0; c < Nc; ++c) u[c] = 0.;
  return PETSC_SUCCESS;
}

static PetscErrorCode SetForm(PetscDS ds, const Case *c, DMLabel label, PetscInt value)
{
  PetscWeakForm wf;
  PetscInt      Nf;

  PetscFunctionBegin;
  PetscCall(PetscDSGetWeakForm(ds, &wf));
  PetscCall(PetscDSGetNumFields(ds, &Nf));
  for (PetscInt i = 0; i < Nf; ++i) {
    PetscCall(PetscWeakFormAddResidual(wf, label, value, i, 0, f0_cells, i % 2 && c->has & SPARSE ? NULL : f1_cells));
    if (c->has & SEVERAL) PetscCall(PetscWeakFormAddResidual(wf, label, value, i, 0, f0_other, f1_other));
    if (c->has & EXPLICIT) PetscCall(PetscWeakFormAddResidual(wf, label, value, i, 100, f0_other, f1_cells));
    for (PetscInt j = 0; j < Nf; ++j) {
      const PetscBool empty = c->has & SPARSE && i + j == 1 ? PETSC_TRUE : PETSC_FALSE;

      if (!empty && !(c->has & PRE_ONLY)) PetscCall(PetscWeakFormAddJacobian(wf, label, value, i, j, 0, i == j ? g0_cells : NULL, g1_cells, j ? NULL : g2_cells, i == j ? g3_cells : NULL));
      if (!empty && c->has & SEVERAL) PetscCall(PetscWeakFormAddJacobian(wf, label, value, i, j, 0, g0_other, NULL, NULL, g3_other));
      if (c->has & PRECONDITIONER && i == j) PetscCall(PetscWeakFormAddJacobianPreconditioner(wf, label, value, i, j, 0, g0_other, NULL, NULL, g3_cells));
      if (c->has & DYNAMIC) PetscCall(PetscWeakFormAddDynamicJacobian(wf, label, value, i, j, 0, g0_other, i == j ? g1_cells : NULL, NULL, NULL));
    }
  }
  if (c->has & EXPLICIT) PetscCall(PetscDSSetImplicit(ds, Nf - 1, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One boundary with two values and a Jacobian, one without, one that is of no type; functions that PETSc does not use */
static PetscErrorCode AddNatural(DM dm, PetscDS ds, const Case *c)
{
  const PetscInt values[2] = {4, 5};
  DMLabel        label;
  PetscWeakForm  wf;
  PetscInt       bd;

  PetscFunctionBegin;
  PetscCall(DMGetLabel(dm, "open", &label));
  PetscCall(DMAddBoundary(dm, DM_BC_NATURAL, "flux", label, 2, values, 0, 0, NULL, NULL, NULL, NULL, &bd));
  PetscCall(PetscDSGetBoundary(ds, bd, &wf, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  for (PetscInt v = 0; v < 2; ++v) {
    PetscCall(PetscWeakFormAddBdResidual(wf, label, values[v], 0, 0, f0_facets, v ? NULL : f1_facets));
    if (v) PetscCall(PetscWeakFormAddBdResidual(wf, label, values[v], 0, 0, f0_other_facets, f1_facets));
    for (PetscInt j = 0; j < c->Nf; ++j) PetscCall(PetscWeakFormAddBdJacobian(wf, label, values[v], 0, j, 0, g0_facets, g1_facets, v ? g2_facets : NULL, v ? g3_facets : NULL));
  }
  PetscCall(DMAddBoundary(dm, DM_BC_NATURAL_FIELD, "more", label, 1, values, c->Nf - 1, 0, NULL, NULL, NULL, NULL, &bd));
  PetscCall(PetscDSGetBoundary(ds, bd, &wf, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  PetscCall(PetscWeakFormAddBdResidual(wf, label, values[0], c->Nf - 1, 0, f0_other_facets, NULL));
  PetscCall(PetscDSSetBdResidual(ds, 0, f0_facets, f1_facets));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Every other cell is in the part, with its closure */
static PetscErrorCode MarkPart(DM dm, DMLabel *label)
{
  PetscInt cStart, cEnd;

  PetscFunctionBegin;
  PetscCall(DMCreateLabel(dm, "part of it"));
  PetscCall(DMGetLabel(dm, "part of it", label));
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  for (PetscInt cell = cStart; cell < cEnd; cell += 2) PetscCall(DMLabelSetValue(*label, cell, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode AddAuxiliary(DM dm, DM mesh, const Case *c)
{
  const Case aux = {
    .Nf = 2, .fields = {{1, 1, PETSC_FALSE}, {0, 0, PETSC_FALSE}}
  };
  DM      dmAux;
  Vec     a;
  PetscFE fe, main;
  DMLabel label;

  PetscFunctionBegin;
  PetscCall(DMClone(mesh, &dmAux));
  PetscCall(AddFields(dmAux, &aux, NULL));
  PetscCall(DMGetField(dm, 0, NULL, (PetscObject *)&main));
  for (PetscInt f = 0; f < 2; ++f) {
    PetscCall(DMGetField(dmAux, f, NULL, (PetscObject *)&fe));
    PetscCall(PetscFECopyQuadrature(main, fe));
  }
  PetscCall(DMCreateDS(dmAux));
  PetscCall(PlexTestLocalVector(dmAux, 5, &a));
  PetscCall(DMSetAuxiliaryVec(dm, NULL, 0, 0, a));
  PetscCall(VecDestroy(&a));
  if (c->has & OWN_AUX) {
    PetscCall(DMGetLabel(dm, "open", &label));
    PetscCall(PlexTestLocalVector(dmAux, 6, &a));
    PetscCall(DMSetAuxiliaryVec(dm, label, 5, 0, a));
    PetscCall(VecDestroy(&a));
  }
  PetscCall(DMDestroy(&dmAux));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A periodic box, of triangles where asked; its coordinates are bent */
static PetscErrorCode PeriodicMesh(const Case *c, DM *dm)
{
  const PetscInt       faces[3] = {3, 3, 2};
  const DMBoundaryType types[3] = {DM_BOUNDARY_PERIODIC, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE};
  const PetscInt       dim      = DMPolytopeTypeGetDim(c->cell);
  const PetscBool      simplex  = c->cell == DM_POLYTOPE_TRIANGLE || c->cell == DM_POLYTOPE_TETRAHEDRON ? PETSC_TRUE : PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_SELF, dim, PETSC_FALSE, faces, NULL, NULL, types, PETSC_TRUE, 0, PETSC_TRUE, dm));
  if (simplex) {
    DMPlexTransform tr;
    DM              split;

    PetscCall(DMPlexTransformCreate(PETSC_COMM_SELF, &tr));
    PetscCall(DMPlexTransformSetType(tr, DMPLEXREFINETOSIMPLEX));
    PetscCall(DMPlexTransformSetDM(tr, *dm));
    PetscCall(DMPlexTransformSetUp(tr));
    PetscCall(DMPlexTransformApply(tr, *dm, &split));
    PetscCall(DMPlexTransformDestroy(&tr));
    PetscCall(DMDestroy(dm));
    *dm = split;
    PetscCall(DMLocalizeCoordinates(*dm));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Move(DM dm)
{
  Vec          coordinates;
  PetscScalar *x;
  PetscInt     n;

  PetscFunctionBegin;
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &n));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt i = 0; i < n; ++i) x[i] = 1.2 * x[i] + 0.01 * PetscSinReal(7. * i);
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateProblem(const Case *c, DM *dm)
{
  const PetscInt    one = 1, two = 2, component = 0;
  const PetscScalar constants[2] = {0.7, -0.3};
  DM                whole;
  DMLabel           held, part = NULL, label;
  PetscDS           ds;
  PetscInt          Nds;

  PetscFunctionBegin;
  if (c->has & PERIODIC) PetscCall(PeriodicMesh(c, dm));
  else PetscCall(PlexTestMesh(PETSC_COMM_SELF, c->cell, 0, dm));
  whole = *dm;
  PetscCall(PetscObjectReference((PetscObject)whole));
  PetscCall(PlexTestKeepCells(dm, c->cells));
  if (c->has & CURVED) PetscCall(PlexTestCurve(*dm, 2));
  PetscCall(MarkBoundary(*dm, c->has & LONE ? PETSC_TRUE : PETSC_FALSE));
  if (c->has & REGION) PetscCall(MarkPart(*dm, &part));
  PetscCall(AddFields(*dm, c, c->has & REGION ? part : NULL));
  PetscCall(DMCreateDS(*dm));
  PetscCall(DMGetNumDS(*dm, &Nds));
  for (PetscInt s = 0; s < Nds; ++s) {
    PetscCall(DMGetRegionNumDS(*dm, s, &label, NULL, &ds, NULL));
    PetscCall(SetForm(ds, c, label, label ? 1 : 0));
    PetscCall(PetscDSSetConstants(ds, 2, (PetscScalar *)constants));
  }
  PetscCall(DMGetDS(*dm, &ds));
  PetscCall(DMGetLabel(*dm, "held", &held));
  PetscCall(DMAddBoundary(*dm, DM_BC_ESSENTIAL, "held", held, 1, &one, 0, 0, NULL, (PetscVoidFn *)Zero, NULL, NULL, NULL));
  PetscCall(DMAddBoundary(*dm, DM_BC_ESSENTIAL, "guided", held, 1, &two, 0, 1, &component, (PetscVoidFn *)Zero, NULL, NULL, NULL));
  if (c->has & FACETS) PetscCall(AddNatural(*dm, ds, c));
  if (c->has & (AUX | ENCLOSING)) PetscCall(AddAuxiliary(*dm, c->has & ENCLOSING ? whole : *dm, c));
  PetscCall(DMDestroy(&whole));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- comparison */

typedef struct {
  const Case *c;
  const char *backend, *type;
  PetscReal   F, J, P, G; /* largest relative errors: residual, Jacobian, preconditioner's matrix, right-hand side */
} Result;

static const PetscReal testTime = 0.7, testShift = 1.3;

/* moving: with a time derivative, as TS does; else as SNES does */
static PetscErrorCode CompareResidual(PlexAssembly assembly, DM dm, PetscBool moving, PetscReal *error)
{
  Vec       X, X_t, F, G;
  PetscReal e;

  PetscFunctionBegin;
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(PlexTestLocalVector(dm, 2, &X_t));
  PetscCall(VecDuplicate(X, &F));
  PetscCall(VecDuplicate(X, &G));
  PetscCall(VecSet(F, 3.));
  PetscCall(VecSet(G, 0.));
  PetscCall(PlexAssemblyComputeFunction(assembly, X, moving ? X_t : NULL, moving ? testTime : 0., F));
  if (moving) PetscCall(DMPlexTSComputeIFunctionFEM(dm, testTime, X, X_t, G, NULL));
  else PetscCall(DMPlexSNESComputeResidualFEM(dm, X, G, NULL));
  PetscCall(PlexTestVecError(F, G, &e));
  *error = PetscMax(*error, e);
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&X_t));
  PetscCall(VecDestroy(&F));
  PetscCall(VecDestroy(&G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CompareRHS(PlexAssembly assembly, DM dm, PetscReal *error)
{
  Vec X, F, G;

  PetscFunctionBegin;
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(VecDuplicate(X, &F));
  PetscCall(VecDuplicate(X, &G));
  PetscCall(VecSet(F, 3.));
  PetscCall(VecSet(G, 0.));
  PetscCall(PlexAssemblyComputeRHSFunction(assembly, X, testTime, F));
  PetscCall(DMPlexTSComputeRHSFunctionFEM(dm, testTime, X, G, NULL));
  PetscCall(PlexTestVecError(F, G, error));
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&F));
  PetscCall(VecDestroy(&G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One matrix (errorP NULL), or two */
static PetscErrorCode CompareJacobian(PlexAssembly assembly, DM dm, PetscBool moving, PetscReal *errorJ, PetscReal *errorP)
{
  Vec       X, X_t;
  Mat       J[2], P[2]; /* here, by PETSc */
  PetscReal e;

  PetscFunctionBegin;
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(PlexTestLocalVector(dm, 2, &X_t));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(DMCreateMatrix(dm, &J[k]));
    P[k] = J[k];
    if (errorP) PetscCall(DMCreateMatrix(dm, &P[k]));
  }
  PetscCall(PlexAssemblyComputeJacobian(assembly, X, moving ? X_t : NULL, moving ? testTime : 0., moving ? testShift : 0., J[0], P[0]));
  if (moving) PetscCall(DMPlexTSComputeIJacobianFEM(dm, testTime, X, X_t, testShift, J[1], P[1], NULL));
  else PetscCall(DMPlexSNESComputeJacobianFEM(dm, X, J[1], P[1], NULL));
  PetscCall(PlexTestMatError(J[0], J[1], &e));
  *errorJ = PetscMax(*errorJ, e);
  if (errorP) {
    PetscCall(PlexTestMatError(P[0], P[1], &e));
    *errorP = PetscMax(*errorP, e);
  }
  for (PetscInt k = 0; k < 2; ++k) {
    if (errorP) PetscCall(MatDestroy(&P[k]));
    PetscCall(MatDestroy(&J[k]));
  }
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&X_t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Other values of the auxiliary fields, in the same vector and in another one */
static PetscErrorCode ChangeAuxiliary(DM dm, PetscBool exchange)
{
  Vec a, b;
  DM  dmAux;

  PetscFunctionBegin;
  PetscCall(DMGetAuxiliaryVec(dm, NULL, 0, 0, &a));
  if (exchange) {
    PetscCall(VecGetDM(a, &dmAux));
    PetscCall(PlexTestLocalVector(dmAux, 9, &b));
    PetscCall(DMSetAuxiliaryVec(dm, NULL, 0, 0, b));
    PetscCall(VecDestroy(&b));
  } else PetscCall(VecScale(a, -0.6));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunCase(void *ctx)
{
  Result      *r = (Result *)ctx;
  const Case  *c = r->c;
  PlexAssembly assembly;
  DM           dm;
  PetscInt     here[2], left[2], residuals = 0, jacobians = 0;

  PetscFunctionBegin;
  PetscCall(CreateProblem(c, &dm));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetFromOptions(assembly));
  PetscCall(PlexAssemblySetBackend(assembly, r->backend));
  if (r->type) PetscCall(PlexAssemblySetType(assembly, r->type));
  PetscCall(PlexAssemblySetPrecision(assembly, c->has & SINGLE ? PLEX_PRECISION_SINGLE : PLEX_PRECISION_DOUBLE));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, INTEGRALS));
  if (c->has & MOVED) { /* PETSc keeps geometry from call to call: it sees the moved mesh alone */
    Vec X, F;
    Mat J;

    PetscCall(PlexTestLocalVector(dm, 1, &X));
    PetscCall(VecDuplicate(X, &F));
    PetscCall(DMCreateMatrix(dm, &J));
    PetscCall(PlexAssemblyComputeFunction(assembly, X, NULL, 0., F));
    PetscCall(PlexAssemblyComputeJacobian(assembly, X, NULL, 0., 0., J, J));
    PetscCall(Move(dm));
    PetscCall(VecDestroy(&X));
    PetscCall(VecDestroy(&F));
    PetscCall(MatDestroy(&J));
    ++residuals;
    ++jacobians;
  }
  for (PetscInt round = 0; round < (c->has & (AUX | ENCLOSING) ? 3 : 1); ++round) {
    if (round) PetscCall(ChangeAuxiliary(dm, (PetscBool)(round == 2)));
    for (PetscInt moving = 0; moving < 2; ++moving) {
      PetscCall(CompareResidual(assembly, dm, (PetscBool)moving, &r->F));
      PetscCall(CompareJacobian(assembly, dm, (PetscBool)moving, &r->J, NULL));
      if (c->has & PRECONDITIONER && !(c->has & PRE_ONLY)) PetscCall(CompareJacobian(assembly, dm, (PetscBool)moving, &r->J, &r->P));
      residuals += 1;
      jacobians += c->has & PRECONDITIONER && !(c->has & PRE_ONLY) ? 2 : 1;
    }
  }
  if (c->has & EXPLICIT) {
    PetscCall(CompareRHS(assembly, dm, &r->G));
    ++residuals;
  }
  PetscCall(PlexAssemblyGetCounts(assembly, &here[0], &here[1], &left[0], &left[1]));
  PetscCheck(here[0] == residuals && here[1] == jacobians && !left[0] && !left[1], PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " of %" PetscInt_FMT " residuals and %" PetscInt_FMT " of %" PetscInt_FMT " Jacobians computed here, %" PetscInt_FMT " and %" PetscInt_FMT " left to PETSc", here[0], residuals, here[1], jacobians, left[0], left[1]);
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- the cases */

#define VECTOR(degree) {degree, 0, PETSC_FALSE}
#define SCALAR(degree) {degree, 1, PETSC_FALSE}
#define DISC           {1, 1, PETSC_TRUE}
#define TRI            DM_POLYTOPE_TRIANGLE
#define QUAD           DM_POLYTOPE_QUADRILATERAL
#define TET            DM_POLYTOPE_TETRAHEDRON
#define HEX            DM_POLYTOPE_HEXAHEDRON

static const Case cases[] = {
  /* several fields */
  {"P2-P1 triangles",                 TRI,  8, 2, {VECTOR(2), SCALAR(1)},            SPARSE,                                      0, 8},
  {"Q2-Q1 quadrilaterals",            QUAD, 6, 2, {VECTOR(2), SCALAR(1)},            SPARSE,                                      3, 3},
  {"P2-P0 triangles",                 TRI,  8, 2, {VECTOR(2), SCALAR(0)},            SPARSE,                                      5, 3},
  {"Q2-P1disc quadrilaterals",        QUAD, 6, 2, {VECTOR(2), DISC},                 SPARSE,                                      1, 3},
  {"P2-P1-P1 triangles",              TRI,  6, 3, {VECTOR(2), SCALAR(1), SCALAR(1)}, SPARSE,                                      4, 3},
  {"P1-P2-P3 triangles",              TRI,  3, 3, {SCALAR(1), SCALAR(2), SCALAR(3)}, 0,                                           6, 3},
  {"P2-P1 tetrahedra",                TET,  3, 2, {VECTOR(2), SCALAR(1)},            SPARSE,                                      2, 2},
  {"Q1-Q1-Q0 hexahedra",              HEX,  3, 3, {VECTOR(1), SCALAR(1), SCALAR(0)}, 0,                                           7, 2},
  {"P2-P1 triangles single",          TRI,  6, 2, {VECTOR(2), SCALAR(1)},            SPARSE | SINGLE,                             3, 2},
  /* what a PetscDS may hold */
  {"preconditioner",                  TRI,  8, 2, {VECTOR(2), SCALAR(1)},            PRECONDITIONER | SPARSE,                     0, 8},
  {"preconditioner alone",            QUAD, 6, 1, {VECTOR(1)},                       PRECONDITIONER | PRE_ONLY,                   2, 2},
  {"dynamic Jacobian",                TRI,  8, 2, {VECTOR(1), SCALAR(1)},            DYNAMIC | SPARSE,                            0, 8},
  {"dynamic Jacobian preconditioned", QUAD, 6, 1, {VECTOR(1)},                       DYNAMIC | PRECONDITIONER,                    5, 2},
  {"several functions a key",         TRI,  8, 2, {VECTOR(1), SCALAR(1)},            SEVERAL | DYNAMIC,                           4, 3},
  {"implicit and explicit fields",    TRI,  8, 2, {VECTOR(2), SCALAR(1)},            EXPLICIT,                                    0, 8},
  {"explicit field alone",            QUAD, 6, 1, {VECTOR(1)},                       EXPLICIT,                                    3, 2},
  /* auxiliary fields */
  {"auxiliary triangles",             TRI,  8, 1, {SCALAR(1)},                       AUX,                                         0, 8},
  {"auxiliary P2-P1 triangles",       TRI,  8, 2, {VECTOR(2), SCALAR(1)},            AUX,                                         0, 8},
  {"auxiliary quadrilaterals",        QUAD, 6, 1, {VECTOR(2)},                       AUX,                                         5, 3},
  {"auxiliary tetrahedra",            TET,  6, 1, {VECTOR(1)},                       AUX,                                         2, 3},
  {"auxiliary hexahedra",             HEX,  3, 1, {SCALAR(2)},                       AUX,                                         6, 3},
  {"auxiliary single",                TRI,  8, 1, {VECTOR(1)},                       AUX | SINGLE,                                4, 3},
  {"auxiliary on the whole mesh",     TRI,  8, 1, {VECTOR(1)},                       ENCLOSING,                                   3, 4},
  /* natural boundary conditions */
  {"facets triangles",                TRI,  8, 1, {SCALAR(1)},                       FACETS,                                      0, 8},
  {"facets P2-P1 triangles",          TRI,  8, 2, {VECTOR(2), SCALAR(1)},            FACETS,                                      1, 3},
  {"facets quadrilaterals",           QUAD, 6, 1, {VECTOR(2)},                       FACETS,                                      0, 2},
  {"facets tetrahedra",               TET,  6, 1, {VECTOR(1)},                       FACETS,                                      1, 2},
  {"facets P2 tetrahedra",            TET,  3, 1, {SCALAR(2)},                       FACETS,                                      4, 1},
  {"facets hexahedra",                HEX,  3, 2, {VECTOR(1), SCALAR(1)},            FACETS,                                      0, 2},
  {"facets curved triangles",         TRI,  8, 1, {VECTOR(2)},                       FACETS | CURVED,                             6, 2},
  {"facets curved quadrilaterals",    QUAD, 6, 1, {SCALAR(2)},                       FACETS | CURVED,                             0, 2},
  {"facets curved tetrahedra",        TET,  4, 1, {SCALAR(1)},                       FACETS | CURVED,                             1, 1},
  {"facets curved hexahedra",         HEX,  3, 1, {SCALAR(1)},                       FACETS | CURVED,                             0, 1},
  {"lone facets curved triangles",    TRI,  8, 1, {VECTOR(2)},                       FACETS | CURVED | LONE,                      0, 2},
  {"lone facets quadrilaterals",      QUAD, 6, 2, {VECTOR(2), SCALAR(1)},            FACETS | LONE,                               1, 2},
  {"lone facets hexahedra",           HEX,  8, 1, {VECTOR(1)},                       FACETS | LONE,                               0, 1},
  {"facets single",                   QUAD, 6, 1, {VECTOR(1)},                       FACETS | SINGLE,                             1, 2},
  {"facets auxiliary triangles",      TRI,  8, 2, {VECTOR(2), SCALAR(1)},            FACETS | AUX,                                0, 3},
  {"facets auxiliary keyed",          QUAD, 6, 1, {VECTOR(1)},                       FACETS | AUX | OWN_AUX,                      0, 3},
  {"facets auxiliary hexahedra",      HEX,  3, 1, {SCALAR(1)},                       FACETS | AUX,                                1, 1},
  {"facets preconditioner dynamic",   TRI,  8, 2, {VECTOR(1), SCALAR(1)},            FACETS | PRECONDITIONER | DYNAMIC | SEVERAL, 0, 3},
  {"facets explicit",                 TRI,  8, 2, {VECTOR(1), SCALAR(1)},            FACETS | EXPLICIT,                           1, 3},
  /* regions */
  {"region with a field",             TRI,  8, 2, {VECTOR(2), SCALAR(0)},            REGION,                                      0, 8},
  {"region auxiliary",                QUAD, 6, 2, {VECTOR(1), SCALAR(0)},            REGION | AUX,                                4, 3},
  {"region preconditioner explicit",  TRI,  8, 2, {VECTOR(1), SCALAR(0)},            REGION | PRECONDITIONER | EXPLICIT,          1, 3},
  /* geometry */
  {"curved P2 triangles",             TRI,  8, 1, {VECTOR(2)},                       CURVED,                                      3, 2},
  {"curved Q2 quadrilaterals",        QUAD, 6, 1, {SCALAR(2)},                       CURVED,                                      5, 2},
  {"curved P1 tetrahedra",            TET,  6, 1, {VECTOR(1)},                       CURVED,                                      7, 2},
  {"curved Q2 hexahedra",             HEX,  2, 1, {SCALAR(2)},                       CURVED,                                      1, 2},
  {"periodic quadrilaterals",         QUAD, 0, 1, {VECTOR(2)},                       PERIODIC,                                    0, 8},
  {"periodic triangles",              TRI,  0, 1, {SCALAR(2)},                       PERIODIC,                                    2, 3},
  {"periodic hexahedra",              HEX,  0, 1, {SCALAR(1)},                       PERIODIC,                                    4, 3},
  {"periodic facets auxiliary",       QUAD, 0, 1, {VECTOR(1)},                       PERIODIC | FACETS | AUX,                     0, 2},
  {"moved triangles facets",          TRI,  8, 1, {VECTOR(1)},                       MOVED | FACETS,                              0, 3},
  {"moved quadrilaterals facets",     QUAD, 6, 2, {VECTOR(2), SCALAR(1)},            MOVED | FACETS,                              5, 2}
};

/* ---- which of them */

typedef struct {
  char backend[64], type[64], only[256];
  int  shard, shards, count;
} Selection;
static Selection selection;

static PetscErrorCode Look(const Case *c, const char backend[], const char type[])
{
  Result         result = {.c = c, .backend = backend, .type = type};
  char           name[256], text[2048], *found;
  PetscErrorCode ierr;
  PetscBool      same      = PETSC_TRUE;
  PetscReal      tolerance = c->has & SINGLE ? 2e-5 : 1e-12, most;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s%s%s %s", backend, type ? " " : "", type ? type : "", c->name));
  PetscCall(PetscStrstr(name, selection.only, &found));
  if (selection.type[0]) PetscCall(PetscStrcmp(type ? type : "", selection.type, &same));
  if (!found || !same || selection.count++ % selection.shards != selection.shard) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexTestTry(RunCase, &result, &ierr, text, sizeof(text)));
  if (ierr) {
    PetscCall(PlexTestReport(PETSC_FALSE, name, "error %d: %s", (int)ierr, text));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  most = PetscMax(PetscMax(result.F, result.J), PetscMax(result.P, result.G));
  PetscCall(PlexTestReport((PetscBool)(most <= tolerance), name, "relative errors: residual %.3g, Jacobian %.3g, preconditioner's matrix %.3g, right-hand side %.3g", (double)result.F, (double)result.J, (double)result.P, (double)result.G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetSelection(void)
{
  char shard[64] = "0/1";

  PetscFunctionBegin;
  PetscOptionsBegin(PETSC_COMM_SELF, NULL, "Which cases", NULL);
  PetscCall(PetscOptionsString("-backend", "Only this backend", NULL, "", selection.backend, sizeof(selection.backend), NULL));
  PetscCall(PetscOptionsString("-type", "Only this strategy", NULL, "", selection.type, sizeof(selection.type), NULL));
  PetscCall(PetscOptionsString("-only", "Only cases with this in their name", NULL, "", selection.only, sizeof(selection.only), NULL));
  PetscCall(PetscOptionsString("-shard", "Every n-th case, from the k-th", NULL, shard, shard, sizeof(shard), NULL));
  PetscOptionsEnd();
  PetscCheck(sscanf(shard, "%d/%d", &selection.shard, &selection.shards) == 2 && selection.shard >= 0 && selection.shard < selection.shards, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "-shard %s: give k/n with 0 <= k < n", shard);
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *env = getenv("PLEXGPU_TEST_BACKENDS");
  char      **backends;
  int         n;
  PetscBool   host, available;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_fallback", "false"));
  PetscCall(GetSelection());
  PetscCall(PetscStrToArray(selection.backend[0] ? selection.backend : env && env[0] ? env : "host,emulate", ',', &n, &backends));
  for (int b = 0; b < n; ++b) {
    PetscCall(PlexBackendIsAvailable(backends[b], &available));
    if (!available) {
      PetscCall(PetscPrintf(PETSC_COMM_SELF, "skip %s: not available on this machine\n", backends[b]));
      continue;
    }
    PetscCall(PetscStrcmp(backends[b], PLEXBACKENDHOST, &host));
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) {
      if (host) PetscCall(Look(&cases[k], backends[b], NULL));
      for (PetscInt s = 0; s < cases[k].strategies && !host; ++s) PetscCall(Look(&cases[k], backends[b], strategies[(cases[k].first + s) % STRATEGIES]));
    }
  }
  PetscCall(PetscStrToArrayDestroy(n, backends));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
