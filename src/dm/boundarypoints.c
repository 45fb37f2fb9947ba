/*
  Where essential boundary values are evaluated: for each constrained dof the point, the condition and the component
  that PETSc takes its value from.

  PETSc projects: condition after condition, it calls the user's function at the nodes of cells along the boundary, and
  inserts what belongs to constrained dofs of labelled mesh points, cell after cell, so that the last one counts. Here
  the same cells are gone through in the same order once, to find which node of which cell counts for each dof:

    node         number of a point that counted for some dof
    dofs         node, component
    points       x[point], condition: the nodes that count in the end, once each

  The functions are then called at the points alone, a few for each facet and not dozens, and give PETSc's values: to
  rounding, for positions are sums over coordinate nodes here. This needs degrees of freedom that are values at nodes
  (PlexDualSpaceGetNodes()).
*/
#include "elementsimpl.h"
#include "boundaryimpl.h"
#include "nodalspace.h"
#include <petsc/private/hashmapi.h>

/* Nodes that counted for some dof, and of each constrained dof the last one */
typedef struct {
  PetscInt   dim;
  PetscInt   n, most;   /* so far; allocated */
  PetscInt  *condition; /* [n] */
  PetscInt  *Nc;        /* [n] components of its field */
  PetscReal *x;         /* [n][dim] */
  PetscHMapI number;    /* of a constrained local dof, */
  PetscInt  *of;        /* and by this number its node, or -1; */
  PetscInt  *component; /* and its component */
} PlexRecord;

static PetscErrorCode PlexRecordNode(PlexRecord *r, PetscInt condition, PetscInt Nc, PetscInt Nv, const PetscReal psi[],
                                     const PetscScalar coordinates[])
{
  PetscFunctionBegin;
  if (r->n == r->most) {
    r->most = PetscMax(1024, 2 * r->most);
    PetscCall(PetscRealloc(sizeof(PetscInt) * r->most, &r->condition));
    PetscCall(PetscRealloc(sizeof(PetscInt) * r->most, &r->Nc));
    PetscCall(PetscRealloc(sizeof(PetscReal) * r->most * r->dim, &r->x));
  }
  r->condition[r->n] = condition;
  r->Nc[r->n]        = Nc;
  for (PetscInt d = 0; d < r->dim; ++d) {
    PetscReal sum = 0.;

    for (PetscInt v = 0; v < Nv; ++v) sum += psi[v] * PetscRealPart(coordinates[v * r->dim + d]);
    r->x[r->n * r->dim + d] = sum;
  }
  ++r->n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexRecordCreate(DM dm, PetscInt n, const PetscInt constrained[], PlexRecord *r)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(r, sizeof(*r)));
  PetscCall(DMGetCoordinateDim(dm, &r->dim));
  PetscCall(PetscHMapICreateWithSize(n, &r->number));
  PetscCall(PetscMalloc2(n, &r->of, n, &r->component));
  for (PetscInt k = 0; k < n; ++k) {
    r->of[k] = -1;
    PetscCall(PetscHMapISet(r->number, constrained[k], k));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexRecordDestroy(PlexRecord *r)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(r->condition));
  PetscCall(PetscFree(r->Nc));
  PetscCall(PetscFree(r->x));
  PetscCall(PetscFree2(r->of, r->component));
  PetscCall(PetscHMapIDestroy(&r->number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Function of condition b, for values (s = 0) or time derivatives (s = 1); NULL where there is none, or the condition
   is not essential */
static PetscErrorCode PlexConditionGetFunction(PetscDS ds, PetscInt b, PetscInt s, PetscSimplePointFn **func,
                                               void **ctx)
{
  DMBoundaryConditionType type;
  PetscVoidFn            *value, *derivative;

  PetscFunctionBegin;
  PetscCall(PetscDSGetBoundary(ds, b, NULL, &type, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &value, &derivative, ctx));
  *func = type == DM_BC_ESSENTIAL ? (PetscSimplePointFn *)(s ? derivative : value) : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A boundary condition with its function, for one value of its label */
typedef struct {
  PetscInt        number, field, value;
  PetscInt        Nc; /* components that it holds; 0: all */
  const PetscInt *comps;
  DMLabel         label;
} PlexCondition;

/* cells[n] ascending, which PETSc goes through: those that are labelled, and of each other labelled point the one that
   DMPlexLabelAddCells() takes */
static PetscErrorCode PlexConditionGetCells(DM dm, const PlexCondition *c, PetscInt *n, PetscInt *cells[])
{
  IS              is;
  const PetscInt *points;
  PetscInt        cStart, cEnd, np = 0;

  PetscFunctionBegin;
  *n     = 0;
  *cells = NULL;
  PetscCall(DMLabelGetStratumIS(c->label, c->value, &is));
  if (!is) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  PetscCall(ISGetLocalSize(is, &np));
  PetscCall(ISGetIndices(is, &points));
  PetscCall(PetscMalloc1(np, cells));
  PetscCall(PlexStarsGetLastCells(dm, np, points, *cells));
  for (PetscInt k = 0; k < np; ++k) {
    if (points[k] >= cStart && points[k] < cEnd) (*cells)[(*n)++] = points[k];
    else if ((*cells)[k] >= 0) (*cells)[(*n)++] = (*cells)[k];
  }
  PetscCall(ISRestoreIndices(is, &points));
  PetscCall(ISDestroy(&is));
  PetscCall(PetscSortRemoveDupsInt(n, *cells));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* held[l]: local dof l is of the field, and on a labelled point */
static PetscErrorCode PlexConditionGetDofs(DM dm, const PlexCondition *c, PetscBT *held)
{
  PetscSection    section;
  IS              is;
  const PetscInt *points;
  PetscInt        Nl, n, pStart, pEnd, dof, off;

  PetscFunctionBegin;
  PetscCall(DMGetLocalSection(dm, &section));
  PetscCall(PlexSectionGetSize(section, &Nl));
  PetscCall(PetscSectionGetChart(section, &pStart, &pEnd));
  PetscCall(PetscBTCreate(Nl, held));
  PetscCall(DMLabelGetStratumIS(c->label, c->value, &is));
  PetscCall(ISGetLocalSize(is, &n));
  PetscCall(ISGetIndices(is, &points));
  for (PetscInt k = 0; k < n; ++k) {
    if (points[k] < pStart || points[k] >= pEnd) continue;
    PetscCall(PetscSectionGetFieldDof(section, points[k], c->field, &dof));
    PetscCall(PetscSectionGetFieldOffset(section, points[k], c->field, &off));
    for (PetscInt d = 0; d < dof; ++d) PetscCall(PetscBTSet(*held, off + d));
  }
  PetscCall(ISRestoreIndices(is, &points));
  PetscCall(ISDestroy(&is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscBool PlexConditionHolds(const PlexCondition *c, PetscInt component)
{
  for (PetscInt k = 0; k < c->Nc; ++k)
    if (c->comps[k] == component) return PETSC_TRUE;
  return (PetscBool)!c->Nc;
}

/* Nodes of one cell: dofs[ef] its local dofs, coordinates[Nv][dim]. held[l]: the condition may hold local dof l */
static PetscErrorCode PlexRecordCell(const PlexNodalSpace *space, const PlexCondition *c, const int dofs[],
                                     const PetscScalar coordinates[], PetscBT held, PlexRecord *r)
{
  PetscInt *number = space->number;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < space->Nn; ++k) number[k] = -1;
  for (PetscInt i = 0; i < space->Nb; ++i) {
    const PetscInt l = dofs[space->offset + i], k = space->value[i] / space->Nc,
                   component = space->value[i] % space->Nc;
    PetscInt       at;

    if (!PetscBTLookup(held, l) || !PlexConditionHolds(c, component)) continue;
    PetscCall(PetscHMapIGet(r->number, l, &at));
    if (at < 0) continue; /* not constrained */
    if (number[k] < 0) {
      number[k] = r->n;
      PetscCall(PlexRecordNode(r, c->number, space->Nc, space->Nv, &space->psi[k * space->Nv], coordinates));
    }
    r->of[at]        = number[k];
    r->component[at] = component;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Positions of the coordinates of n cells in their vector, [n][nx]; NULL: PETSc has to be asked cell by cell, for the
   mesh has cellwise coordinates, or the coordinates of a cell are not nx */
static PetscErrorCode PlexRecordGetPositions(DM dm, PlexClosures closures, PetscInt n, const PetscInt cells[],
                                             PetscInt nx, int *positions[])
{
  PetscSection section;
  DM           cdm;
  PetscInt     size, flipped;

  PetscFunctionBegin;
  *positions = NULL;
  PetscCall(DMGetCellCoordinateSection(dm, &section));
  if (section) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMGetCoordinateDM(dm, &cdm));
  PetscCall(DMGetCoordinateSection(dm, &section));
  PetscCall(PlexClosureSize(dm, section, cells[0], &size));
  if (size != nx) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1((size_t)n * nx, positions));
  PetscCall(PlexClosuresGather(closures, cdm, section, cells, nx, 1, *positions, &flipped));
  if (flipped >= 0) PetscCall(PetscFree(*positions));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nodes of n cells that have the space: dofs[n][ef] of theirs; PETSc is asked for their coordinates */
static PetscErrorCode PlexRecordAskedCells(DM dm, const PlexNodalSpace *space, const PlexCondition *c, PetscInt n,
                                           const PetscInt cells[], const int dofs[], PetscBT held, PlexRecord *r)
{
  const PetscScalar *array;
  PetscScalar       *coordinates;
  PetscInt           nx;
  PetscBool          isDG;

  PetscFunctionBegin;
  for (PetscInt e = 0; e < n; ++e) {
    PetscCall(DMPlexGetCellCoordinates(dm, cells[e], &isDG, &nx, &array, &coordinates));
    PetscCheck(nx == space->Nv * r->dim, PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
               "Cell %" PetscInt_FMT " has %" PetscInt_FMT " coordinates and its coordinate element has %" PetscInt_FMT,
               cells[e], nx, space->Nv * r->dim);
    PetscCall(PlexRecordCell(space, c, &dofs[(size_t)e * space->ef], coordinates, held, r));
    PetscCall(DMPlexRestoreCellCoordinates(dm, cells[e], &isDG, &nx, &array, &coordinates));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Nodes of n cells that have the space */
static PetscErrorCode PlexRecordCells(DM dm, const PlexNodalSpace *space, const PlexCondition *c, PetscInt n,
                                      const PetscInt cells[], PetscBT held, PlexRecord *r)
{
  const PetscInt     nx = space->Nv * r->dim;
  PlexClosures       closures;
  PetscSection       section;
  Vec                vector;
  PetscInt           flipped;
  PetscScalar       *coordinates; /* [nx] */
  const PetscScalar *array;
  int               *dofs, *positions; /* [n][ef], [n][nx] */

  PetscFunctionBegin;
  PetscCall(DMGetLocalSection(dm, &section));
  PetscCall(PetscMalloc1((size_t)n * space->ef, &dofs));
  PetscCall(PlexClosuresCreate(dm, n, cells, &closures));
  PetscCall(PlexClosuresGather(closures, dm, section, cells, space->ef, 1, dofs, &flipped));
  PetscCall(PlexRecordGetPositions(dm, closures, n, cells, nx, &positions));
  if (positions) {
    PetscCall(PetscMalloc1(nx, &coordinates));
    PetscCall(DMGetCoordinatesLocalNoncollective(dm, &vector));
    PetscCall(VecGetArrayRead(vector, &array));
    for (PetscInt e = 0; e < n; ++e) {
      for (PetscInt k = 0; k < nx; ++k) coordinates[k] = array[positions[(size_t)e * nx + k]];
      PetscCall(PlexRecordCell(space, c, &dofs[(size_t)e * space->ef], coordinates, held, r));
    }
    PetscCall(VecRestoreArrayRead(vector, &array));
    PetscCall(PetscFree(coordinates));
  } else PetscCall(PlexRecordAskedCells(dm, space, c, n, cells, dofs, held, r));
  PetscCall(PetscFree(positions));
  PetscCall(PlexClosuresDestroy(&closures));
  PetscCall(PetscFree(dofs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Cells of a condition, region by region: regions may have different fields */
static PetscErrorCode PlexRecordCondition(DM dm, const PlexCondition *c, PlexRecord *r, PetscBool *nodal)
{
  PetscBT  held;
  PetscInt Nds, n, *cells, *inside;

  PetscFunctionBegin;
  PetscCall(PlexConditionGetCells(dm, c, &n, &cells));
  if (!cells) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexConditionGetDofs(dm, c, &held));
  PetscCall(PetscMalloc1(n, &inside));
  PetscCall(DMGetNumDS(dm, &Nds));
  for (PetscInt s = 0; s < Nds && *nodal; ++s) {
    PlexNodalSpace space;
    DMLabel        region;
    IS             fields;
    PetscDS        ds;
    PetscInt       f, m = 0;
    PetscBool      in = PETSC_TRUE;

    PetscCall(DMGetRegionNumDS(dm, s, &region, &fields, &ds, NULL));
    PetscCall(ISLocate(fields, c->field, &f));
    if (f < 0) continue;
    for (PetscInt k = 0; k < n; ++k) {
      if (region) PetscCall(DMLabelStratumHasPoint(region, 1, cells[k], &in));
      if (in) inside[m++] = cells[k];
    }
    PetscCall(PlexNodalSpaceCreate(dm, ds, f, m ? inside[0] : -1, &space));
    *nodal = (PetscBool)(space.value != NULL);
    if (*nodal && m) PetscCall(PlexRecordCells(dm, &space, c, m, inside, held, r));
    PetscCall(PlexNodalSpaceDestroy(&space));
  }
  PetscCall(PetscFree(inside));
  PetscCall(PetscFree(cells));
  PetscCall(PetscBTDestroy(&held));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All conditions in their order. *nodal: whether the dofs are values at nodes */
static PetscErrorCode PlexRecordAll(DM dm, PetscInt s, PlexRecord *r, PetscBool *nodal)
{
  PetscDS   ds;
  PetscInt  Nb, Nds;
  PetscBool cohesive = PETSC_FALSE;

  PetscFunctionBegin;
  *nodal = PETSC_FALSE;
  PetscCall(DMGetNumDS(dm, &Nds));
  for (PetscInt k = 0; k < Nds && !cohesive; ++k) PetscCall(PlexRegionIsCohesive(dm, k, &cohesive));
  *nodal = (PetscBool)!cohesive; /* on cohesive cells PETSc projects to either side */
  if (cohesive) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSGetNumBoundary(ds, &Nb));
  PetscCall(PetscDSUpdateBoundaryLabels(ds, dm));
  for (PetscInt b = 0; b < Nb; ++b) {
    PlexCondition       c    = {.number = b};
    PetscSimplePointFn *func = NULL;
    PetscInt            Nv;
    const PetscInt     *values;
    void               *ctx;

    PetscCall(PlexConditionGetFunction(ds, b, s, &func, &ctx));
    if (!func) continue;
    PetscCall(PetscDSGetBoundary(ds, b, NULL, NULL, NULL, &c.label, &Nv, &values, &c.field, &c.Nc, &c.comps, NULL, NULL,
                                 NULL));
    for (PetscInt v = 0; v < Nv && *nodal; ++v) {
      c.value = values[v];
      PetscCall(PlexRecordCondition(dm, &c, r, nodal));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of n constrained dofs those that have a node, and these nodes */
static PetscErrorCode PlexPointsCollect(PlexBoundaryPoints p, const PlexRecord *r, PetscInt n,
                                        const PetscInt constrained[])
{
  PetscInt *number; /* [nodes] of the point, or -1 */

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(r->n, &number));
  for (PetscInt k = 0; k < r->n; ++k) number[k] = -1;
  for (PetscInt k = 0; k < n; ++k) {
    const PetscInt l = constrained[k], node = r->of[k];

    if (node < 0) continue;
    if (number[node] < 0) {
      number[node]        = p->np;
      p->condition[p->np] = r->condition[node];
      p->Nc[p->np]        = r->Nc[node];
      p->mostNc           = PetscMax(p->mostNc, r->Nc[node]);
      PetscCall(PetscArraycpy(&p->x[p->np * r->dim], &r->x[node * r->dim], r->dim));
      ++p->np;
    }
    p->dofs[p->n]      = (int)l;
    p->point[p->n]     = number[node];
    p->component[p->n] = r->component[k];
    ++p->n;
  }
  PetscCall(PetscFree(number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* constrained[n]: dofs that values may go to. *points is NULL where values are not those of functions at nodes: with a
   basis transform, they are components of these. */
PetscErrorCode PlexBoundaryPointsCreate_Private(DM dm, PetscInt s, PetscInt n, const PetscInt constrained[],
                                                PlexBoundaryPoints *points)
{
  PlexRecord         r;
  PlexBoundaryPoints p;
  PetscInt           most;
  PetscBool          nodal, transform;

  PetscFunctionBegin;
  *points = NULL;
  PetscCall(DMHasBasisTransform(dm, &transform));
  if (transform) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexRecordCreate(dm, n, constrained, &r));
  PetscCall(PlexRecordAll(dm, s, &r, &nodal));
  if (nodal) {
    PetscCall(PetscNew(&p));
    p->dim = r.dim;
    PetscCall(PetscMalloc3(n, &p->dofs, n, &p->point, n, &p->component));
    PetscCall(PetscMalloc3(n, &p->condition, n, &p->Nc, n * r.dim, &p->x));
    PetscCall(PlexPointsCollect(p, &r, n, constrained));
    PetscCall(PlexGetMostComponents(dm, &most));
    PetscCall(PetscMalloc1(p->np * p->mostNc + most, &p->u));
    *points = p;
  }
  PetscCall(PlexRecordDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* values[n] of the points' dofs at time t */
PetscErrorCode PlexBoundaryPointsEvaluate_Private(DM dm, PetscInt s, PlexBoundaryPoints p, PetscReal t,
                                                  PetscScalar values[])
{
  PetscSimplePointFn *func = NULL;
  PetscDS             ds;
  void               *ctx       = NULL;
  PetscInt            condition = -1;

  PetscFunctionBegin;
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscArrayzero(p->u, p->np * p->mostNc)); /* as PETSc does */
  for (PetscInt k = 0; k < p->np; ++k) {
    if (p->condition[k] != condition) {
      condition = p->condition[k];
      PetscCall(PlexConditionGetFunction(ds, condition, s, &func, &ctx));
    }
    PetscCall((*func)(p->dim, t, &p->x[k * p->dim], p->Nc[k], &p->u[k * p->mostNc], ctx));
  }
  /* PETSc's sum of one term: no -0 */
  for (PetscInt k = 0; k < p->n; ++k) values[k] = 0. + p->u[p->point[k] * p->mostNc + p->component[k]];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBoundaryPointsDestroy_Private(PlexBoundaryPoints *points)
{
  PlexBoundaryPoints p = *points;

  PetscFunctionBegin;
  if (!p) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree3(p->dofs, p->point, p->component));
  PetscCall(PetscFree3(p->condition, p->Nc, p->x));
  PetscCall(PetscFree(p->u));
  PetscCall(PetscFree(*points));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void PlexMix(PetscInt64 *hash, PetscInt64 value)
{
  *hash = (PetscInt64)(((uint64_t)*hash ^ (uint64_t)value) * 0x100000001b3ULL);
}

/* A number that changes with what the points depend on: the conditions, except for their functions, and the
   coordinates */
PetscErrorCode PlexBoundaryPointsGetState_Private(DM dm, PetscInt s, PetscInt64 *state)
{
  PetscDS          ds;
  PetscInt         Nb;
  PetscObjectState moved;
  PetscBool        transform;

  PetscFunctionBegin;
  *state = 1;
  PetscCall(DMHasBasisTransform(dm, &transform));
  PlexMix(state, transform);
  PetscCall(PlexGetCoordinateState(dm, &moved));
  PlexMix(state, moved);
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSUpdateBoundaryLabels(ds, dm));
  PetscCall(PetscDSGetNumBoundary(ds, &Nb));
  for (PetscInt b = 0; b < Nb; ++b) {
    PetscSimplePointFn *func = NULL;
    DMLabel             label;
    PetscInt            field, Nv, Nc;
    const PetscInt     *values, *comps;
    void               *ctx;

    PetscCall(PlexConditionGetFunction(ds, b, s, &func, &ctx));
    PetscCall(PetscDSGetBoundary(ds, b, NULL, NULL, NULL, &label, &Nv, &values, &field, &Nc, &comps, NULL, NULL, NULL));
    PlexMix(state, func ? 2 : 3);
    PlexMix(state, (PetscInt64)(size_t)label);
    PlexMix(state, field);
    for (PetscInt k = 0; k < Nv; ++k) PlexMix(state, values[k]);
    for (PetscInt k = 0; k < Nc; ++k) PlexMix(state, comps[k]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
