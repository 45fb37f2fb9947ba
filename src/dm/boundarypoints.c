/*
  Where essential boundary values are evaluated: for each constrained dof the point, the condition and the component that PETSc takes
  its value from.

  PETSc projects: it calls the user's function at the nodes of every cell along the boundary, and inserts what belongs to constrained
  dofs, cell after cell, so that the last one counts. Here it does so once, with a function that returns the number of the call in
  place of a value. What it leaves at a dof then says which call that was, and so where the function is to be called for this dof:

    calls       x[call]                  recorded
    work vector id at each dof           id = the call's first id + component
    points      x[point], condition      the calls that count, once each
    dofs        point, component

  Later evaluations call the user's functions at the points alone, a few for each facet and not dozens, and give the very bits that
  PETSc would. This needs degrees of freedom that are values at nodes (PlexDualSpaceIsNodal()).
*/
#include <plexgpu/impl.h>
#include "boundaryimpl.h"

/* Calls of one pass */
typedef struct {
  PetscInt   condition; /* at present */
  PetscInt   dim;
  PetscInt   calls, ids;       /* so far; an id is a call's component */
  PetscInt   maxCalls, maxIds; /* allocated */
  PetscInt  *condition_;       /* [calls] */
  PetscInt  *first;            /* [calls] first id */
  PetscReal *x;                /* [calls][dim] */
  PetscInt  *call;             /* [ids] */
} PlexRecord;

static PetscErrorCode PlexRecordGrow(PlexRecord *r, PetscInt Nc)
{
  PetscFunctionBegin;
  if (r->calls == r->maxCalls) {
    r->maxCalls = PetscMax(1024, 2 * r->maxCalls);
    PetscCall(PetscRealloc(sizeof(PetscInt) * r->maxCalls, &r->condition_));
    PetscCall(PetscRealloc(sizeof(PetscInt) * r->maxCalls, &r->first));
    PetscCall(PetscRealloc(sizeof(PetscReal) * r->maxCalls * r->dim, &r->x));
  }
  if (r->ids + Nc > r->maxIds) {
    r->maxIds = PetscMax(1024 + Nc, 2 * r->maxIds);
    PetscCall(PetscRealloc(sizeof(PetscInt) * r->maxIds, &r->call));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In the place of a user's function */
static PetscErrorCode PlexRecordCall(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nc, PetscScalar *u, void *ctx)
{
  PlexRecord *r = (PlexRecord *)ctx;

  PetscFunctionBegin;
  (void)t;
  r->dim = dim;
  PetscCall(PlexRecordGrow(r, Nc));
  r->condition_[r->calls] = r->condition;
  r->first[r->calls]      = r->ids;
  PetscCall(PetscArraycpy(&r->x[r->calls * dim], x, dim));
  for (PetscInt c = 0; c < Nc; ++c) {
    r->call[r->ids] = r->calls;
    u[c]            = (PetscScalar)r->ids++;
  }
  ++r->calls;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether every functional is a component's value at a node: one 1 in each row of the matrix from values at nodes to dofs */
static PetscErrorCode PlexDualSpaceIsNodal(PetscDualSpace sp, PetscBool *nodal)
{
  Mat      all;
  PetscInt m, k;

  PetscFunctionBegin;
  PetscCall(PetscDualSpaceGetFormDegree(sp, &k));
  PetscCall(PetscDualSpaceGetAllData(sp, NULL, &all));
  *nodal = (PetscBool)(!k && all);
  if (!*nodal) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetLocalSize(all, &m, NULL));
  for (PetscInt i = 0; i < m && *nodal; ++i) {
    const PetscScalar *a;
    PetscInt           n, ones = 0;

    PetscCall(MatGetRow(all, i, &n, NULL, &a));
    for (PetscInt j = 0; j < n; ++j) {
      if (a[j] == 1.) ++ones;
      else if (a[j] != 0.) *nodal = PETSC_FALSE;
    }
    PetscCall(MatRestoreRow(all, i, &n, NULL, &a));
    if (ones != 1) *nodal = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Function of condition b, for values (s = 0) or time derivatives (s = 1); NULL where there is none, or the condition is not essential */
static PetscErrorCode PlexConditionGetFunction(PetscDS ds, PetscInt b, PetscInt s, PetscSimplePointFn **func, void **ctx)
{
  DMBoundaryConditionType type;
  PetscVoidFn            *value, *derivative;

  PetscFunctionBegin;
  PetscCall(PetscDSGetBoundary(ds, b, NULL, &type, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &value, &derivative, ctx));
  *func = type == DM_BC_ESSENTIAL ? (PetscSimplePointFn *)(s ? derivative : value) : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc's insertion with our function: ids in the work vector. *nodal: whether they can be told apart there */
static PetscErrorCode PlexRecordInsert(DM dm, PetscInt s, PlexRecord *r, Vec work, PetscBool *nodal)
{
  PetscDS  ds;
  PetscInt Nb;

  PetscFunctionBegin;
  *nodal = PETSC_TRUE;
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSGetNumBoundary(ds, &Nb));
  PetscCall(PetscDSUpdateBoundaryLabels(ds, dm));
  for (r->condition = 0; r->condition < Nb && *nodal; ++r->condition) {
    PetscSimplePointFn *func = NULL;
    PetscObject         fe;
    PetscDualSpace      sp;
    DMLabel             label;
    PetscInt            field, Nv, Nc;
    const PetscInt     *values, *comps;
    void               *ctx;

    PetscCall(PlexConditionGetFunction(ds, r->condition, s, &func, &ctx));
    if (!func) continue;
    PetscCall(PetscDSGetBoundary(ds, r->condition, NULL, NULL, NULL, &label, &Nv, &values, &field, &Nc, &comps, NULL, NULL, NULL));
    PetscCall(DMGetField(dm, field, NULL, &fe));
    PetscCall(PetscFEGetDualSpace((PetscFE)fe, &sp));
    PetscCall(PlexDualSpaceIsNodal(sp, nodal));
    if (!*nodal) break;
    PetscCall(DMPlexLabelAddCells(dm, label));
    PetscCall(DMPlexInsertBoundaryValuesEssential(dm, 0., field, Nc, comps, label, Nv, values, PlexRecordCall, r, work));
    PetscCall(DMPlexLabelClearCells(dm, label));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of n constrained dofs those that got an id, and the calls that these ids are of */
static PetscErrorCode PlexPointsCollect(PlexBoundaryPoints p, const PlexRecord *r, PetscInt n, const PetscInt constrained[], const PetscScalar w[], PetscScalar mark)
{
  PetscInt *number; /* [calls] of the point, or -1 */

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(r->calls, &number));
  for (PetscInt call = 0; call < r->calls; ++call) number[call] = -1;
  for (PetscInt k = 0; k < n; ++k) {
    const PetscScalar *id = &w[constrained[k]];
    PetscInt           call;

    if (!memcmp(id, &mark, sizeof(mark))) continue;
    call = r->call[(PetscInt)PetscRealPart(*id)];
    if (number[call] < 0) {
      number[call]          = p->np++;
      p->call[number[call]] = call;
    }
    p->dofs[p->n]      = (int)constrained[k];
    p->point[p->n]     = number[call];
    p->component[p->n] = (PetscInt)PetscRealPart(*id) - r->first[call];
    ++p->n;
  }
  for (PetscInt k = 0; k < p->np; ++k) {
    const PetscInt call = p->call[k];

    p->condition[k] = r->condition_[call];
    PetscCall(PetscArraycpy(&p->x[k * r->dim], &r->x[call * r->dim], r->dim));
    p->Nc[k]  = (call + 1 < r->calls ? r->first[call + 1] : r->ids) - r->first[call];
    p->mostNc = PetscMax(p->mostNc, p->Nc[k]);
  }
  PetscCall(PetscFree(number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A function for a vector or for all fields may stand at a field with fewer components. PETSc evaluates point after point, so that what is
   too much is overwritten by the next one, and has room behind the last. */
static PetscErrorCode PlexGetMostComponents(DM dm, PetscInt *most)
{
  PetscDS  ds;
  PetscInt dim;

  PetscFunctionBegin;
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSGetTotalComponents(ds, most));
  PetscCall(DMGetCoordinateDim(dm, &dim));
  *most = PetscMax(*most, dim);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* constrained[n]: dofs that values may go to; work: a vector of the local section's size on the host. *points is NULL where values are
   not those of functions at nodes. */
PetscErrorCode PlexBoundaryPointsCreate_Private(DM dm, PetscInt s, PetscInt n, const PetscInt constrained[], Vec work, PetscScalar mark, PlexBoundaryPoints *points)
{
  PlexRecord         r = {.calls = 0};
  PlexBoundaryPoints p;
  PetscScalar       *w;
  PetscInt           most;
  PetscBool          nodal;

  PetscFunctionBegin;
  *points = NULL;
  PetscCall(DMGetCoordinateDim(dm, &r.dim));
  PetscCall(VecGetArray(work, &w));
  for (PetscInt k = 0; k < n; ++k) w[constrained[k]] = mark;
  PetscCall(VecRestoreArray(work, &w));
  PetscCall(PlexRecordInsert(dm, s, &r, work, &nodal));
  if (nodal) {
    PetscCall(PetscNew(&p));
    p->dim = r.dim;
    PetscCall(PetscMalloc3(n, &p->dofs, n, &p->point, n, &p->component));
    PetscCall(PetscMalloc4(n, &p->call, n, &p->condition, n, &p->Nc, n * r.dim, &p->x));
    PetscCall(VecGetArray(work, &w));
    PetscCall(PlexPointsCollect(p, &r, n, constrained, w, mark));
    PetscCall(VecRestoreArray(work, &w));
    PetscCall(PlexGetMostComponents(dm, &most));
    PetscCall(PetscMalloc1(p->np * p->mostNc + most, &p->u));
    *points = p;
  }
  PetscCall(PetscFree(r.condition_));
  PetscCall(PetscFree(r.first));
  PetscCall(PetscFree(r.x));
  PetscCall(PetscFree(r.call));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* values[n] of the points' dofs at time t */
PetscErrorCode PlexBoundaryPointsEvaluate_Private(DM dm, PetscInt s, PlexBoundaryPoints p, PetscReal t, PetscScalar values[])
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
  for (PetscInt k = 0; k < p->n; ++k) values[k] = 0. + p->u[p->point[k] * p->mostNc + p->component[k]]; /* PETSc's sum of one term: no -0 */
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBoundaryPointsDestroy_Private(PlexBoundaryPoints *points)
{
  PlexBoundaryPoints p = *points;

  PetscFunctionBegin;
  if (!p) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree3(p->dofs, p->point, p->component));
  PetscCall(PetscFree4(p->call, p->condition, p->Nc, p->x));
  PetscCall(PetscFree(p->u));
  PetscCall(PetscFree(*points));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static void PlexMix(PetscInt64 *hash, PetscInt64 value)
{
  *hash = (PetscInt64)(((uint64_t)*hash ^ (uint64_t)value) * 0x100000001b3ULL);
}

/* A number that changes with what the points depend on: the conditions, except for their functions, and the coordinates */
PetscErrorCode PlexBoundaryPointsGetState_Private(DM dm, PetscInt s, PetscInt64 *state)
{
  PetscDS          ds;
  PetscInt         Nb;
  Vec              coordinates;
  PetscObjectState moved;

  PetscFunctionBegin;
  *state = 1;
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(PetscObjectStateGet((PetscObject)coordinates, &moved));
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
