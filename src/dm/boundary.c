/*
  Essential boundary values, put into local vectors where these live.

  PETSc evaluates the user's functions at all points of the boundary whenever a residual or Jacobian is wanted, and
  writes the values through the vector's array on the host: a vector on a GPU goes down and up again. Here values are
  kept, and a kernel writes them:

    set   dofs[n], values[n], copied to the backend's memory where they changed
    x     x[dofs[k]] = values[k], by a kernel where the vector is in the backend's memory, else by a loop

  A set holds for a point in time within one nonlinear solve; outside of solves it is made anew each time. Its values
  are those of the functions at nodes (boundarypoints.c). Where dofs are something else, PETSc projects into a work
  vector whose constrained dofs hold a mark; dofs where the mark is gone are the set.
*/
#include "boundaryimpl.h"
#include "elementsimpl.h"              /* PlexSectionGetSize() */
#include <petsc/private/sectionimpl.h> /* the constraints of millions of points are read where they are */

#define PLEX_INSERT_BLOCK 256 /* threads */

/* An unlikely NaN: what a dof holds that PETSc does not write */
static PetscScalar PlexMark(void)
{
  const uint64_t bits[2] = {0x7ffc506c65784d6bULL, 0x7ffc506c65784d6bULL};
  PetscScalar    mark;

  memcpy(&mark, bits, sizeof(mark));
  return mark;
}

PetscErrorCode PlexBoundaryCreate(DM dm, PlexBackend backend, PlexBoundary *boundary)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(boundary));
  (*boundary)->dm      = dm;
  (*boundary)->backend = backend;
  PetscCall(PetscObjectReference((PetscObject)backend));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBoundaryReset(PlexBoundary b)
{
  PetscFunctionBegin;
  for (PetscInt s = 0; s < 2; ++s) {
    PlexBoundarySet *set = &b->set[s];

    PetscCall(PlexBackendFree(b->backend, (void **)&set->dofsDevice));
    PetscCall(PlexBackendFree(b->backend, (void **)&set->valuesDevice));
    PetscCall(PetscFree2(set->dofs, set->values));
    PetscCall(PlexBoundaryPointsDestroy_Private(&set->points));
    PetscCall(PetscMemzero(set, sizeof(*set)));
  }
  PetscCall(PetscFree(b->constrained));
  PetscCall(VecDestroy(&b->work));
  b->section = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBoundaryDestroy(PlexBoundary *boundary)
{
  PetscFunctionBegin;
  if (!*boundary) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBoundaryReset(*boundary));
  PetscCall(PlexModuleDestroy(&(*boundary)->module));
  PetscCall(PlexBackendDestroy(&(*boundary)->backend));
  PetscCall(PetscFree(*boundary));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Constrained dofs of the points of a section, which are counted and then listed part by part: a point may have been
   given fewer constraints than its place among all of them has room for */
typedef struct {
  PetscSection section;
  PetscInt     n;           /* points */
  PetscInt    *start;       /* [parts + 1] of each part; at first how many */
  PetscInt    *constrained; /* NULL: they are only counted */
} PlexConstrained;

static void PlexConstrainedLoop(void *ctx, PetscInt begin, PetscInt end)
{
  const PlexConstrained *c  = (const PlexConstrained *)ctx;
  const PetscSection     s  = c->section;
  const PetscInt        *nc = s->bc->atlasDof;

  for (PetscInt part = begin; part < end; ++part) {
    const PetscInt last = PetscMin(c->n, (part + 1) * PLEX_SECTION_LEAST);
    PetscInt       at   = c->constrained ? c->start[part] : 0;

    for (PetscInt p = part * PLEX_SECTION_LEAST; p < last; ++p) {
      for (PetscInt k = 0; c->constrained && k < nc[p]; ++k)
        c->constrained[at + k] = s->atlasOff[p] + s->bcIndices[s->bc->atlasOff[p] + k];
      at += nc[p];
    }
    if (!c->constrained) c->start[part + 1] = at;
  }
}

/* The constrained dofs of the section, constrained[n] */
static PetscErrorCode PlexSectionGetConstrained(PetscSection section, PetscInt *n, PetscInt *constrained[])
{
  PlexConstrained c = {.section = section};
  PetscInt        pStart, pEnd, parts;

  PetscFunctionBegin;
  *n           = 0;
  *constrained = NULL;
  if (!section->bc) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSectionGetChart(section, &pStart, &pEnd));
  c.n   = pEnd - pStart;
  parts = (c.n + PLEX_SECTION_LEAST - 1) / PLEX_SECTION_LEAST;
  PetscCall(PetscCalloc1(parts + 1, &c.start));
  PetscCall(PlexThreadsRun(parts, 1, PlexConstrainedLoop, &c));
  for (PetscInt part = 0; part < parts; ++part) c.start[part + 1] += c.start[part];
  *n = c.start[parts];
  PetscCall(PetscMalloc1(*n, constrained));
  c.constrained = *constrained;
  if (*n) PetscCall(PlexThreadsRun(parts, 1, PlexConstrainedLoop, &c));
  PetscCall(PetscFree(c.start));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lists of a new section */
static PetscErrorCode PlexBoundaryUpdate(PlexBoundary b)
{
  PetscSection  section;
  PetscObjectId id;

  PetscFunctionBegin;
  PetscCall(DMGetLocalSection(b->dm, &section));
  PetscCall(PetscObjectGetId((PetscObject)section, &id));
  if (id == b->section) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBoundaryReset(b));
  PetscCall(PlexSectionGetConstrained(section, &b->n, &b->constrained));
  PetscCallMPI(MPIU_Allreduce(&b->n, &b->most, 1, MPIU_INT, MPI_MAX, PetscObjectComm((PetscObject)b->dm)));
  if (b->most) {
    for (PetscInt s = 0; s < 2; ++s) {
      PetscCall(PetscMalloc2(b->n, &b->set[s].dofs, b->n, &b->set[s].values));
      if (b->backend->kernels && b->n) {
        PetscCall(PlexBackendMalloc(b->backend, sizeof(int) * b->n, (void **)&b->set[s].dofsDevice));
        PetscCall(PlexBackendMalloc(b->backend, sizeof(PetscScalar) * b->n, (void **)&b->set[s].valuesDevice));
      }
    }
  }
  b->section = id;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc inserts at time t: set 0 values of the solution, 1 of its time derivative */
static PetscErrorCode PlexBoundaryProject(PlexBoundary b, PetscInt s, PetscReal t, PetscInt *n, int dofs[],
                                          PetscScalar values[])
{
  const PetscScalar mark = PlexMark();
  PetscSection      section;
  PetscScalar      *w;
  PetscInt          Nl;

  PetscFunctionBegin;
  if (!b->work) {
    PetscCall(DMGetLocalSection(b->dm, &section));
    PetscCall(PlexSectionGetSize(section, &Nl));
    PetscCall(VecCreateSeq(PETSC_COMM_SELF, Nl, &b->work));
  }
  PetscCall(VecGetArray(b->work, &w));
  for (PetscInt k = 0; k < b->n; ++k) w[b->constrained[k]] = mark;
  PetscCall(VecRestoreArray(b->work, &w));
  if (s) PetscCall(DMPlexInsertTimeDerivativeBoundaryValues(b->dm, PETSC_TRUE, b->work, t, NULL, NULL, NULL));
  else PetscCall(DMPlexInsertBoundaryValues(b->dm, PETSC_TRUE, b->work, t, NULL, NULL, NULL));
  *n = 0;
  PetscCall(VecGetArray(b->work, &w));
  for (PetscInt k = 0; k < b->n; ++k) {
    const PetscInt l = b->constrained[k];

    if (!memcmp(&w[l], &mark, sizeof(mark))) continue;
    dofs[*n]       = (int)l;
    values[(*n)++] = w[l];
  }
  PetscCall(VecRestoreArray(b->work, &w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The points of a set, where what they depend on has changed */
static PetscErrorCode PlexBoundaryUpdatePoints(PlexBoundary b, PetscInt s)
{
  PlexBoundarySet *set = &b->set[s];
  PetscInt64       state;

  PetscFunctionBegin;
  PetscCall(PlexBoundaryPointsGetState_Private(b->dm, s, &state));
  if (set->state == state) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBoundaryPointsDestroy_Private(&set->points));
  PetscCall(PlexBoundaryPointsCreate_Private(b->dm, s, b->n, b->constrained, &set->points));
  set->state = state;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The set of this time, and in the backend's memory what is other than before */
static PetscErrorCode PlexBoundaryEvaluate(PlexBoundary b, PetscInt s, PetscReal t)
{
  PlexBoundarySet *set = &b->set[s];
  PetscInt         n   = 0;
  int             *dofs;
  PetscScalar     *values;
  PetscBool        same;

  PetscFunctionBegin;
  PetscCall(PlexBoundaryUpdatePoints(b, s));
  PetscCall(PetscMalloc2(b->n, &dofs, b->n, &values));
  if (set->points) {
    n = set->points->n;
    PetscCall(PetscArraycpy(dofs, set->points->dofs, n));
    PetscCall(PlexBoundaryPointsEvaluate_Private(b->dm, s, set->points, t, values));
  } else PetscCall(PlexBoundaryProject(b, s, t, &n, dofs, values));
  same = (PetscBool)(n == set->n && !memcmp(dofs, set->dofs, sizeof(int) * n));
  if (!same && n && set->dofsDevice) PetscCall(PlexBackendCopyIn(b->backend, set->dofsDevice, dofs, sizeof(int) * n));
  same = (PetscBool)(n == set->n && !memcmp(values, set->values, sizeof(PetscScalar) * n));
  if (!same && n && set->valuesDevice)
    PetscCall(PlexBackendCopyIn(b->backend, set->valuesDevice, values, sizeof(PetscScalar) * n));
  PetscCall(PetscArraycpy(set->dofs, dofs, n));
  PetscCall(PetscArraycpy(set->values, values, n));
  set->n = n;
  PetscCall(PetscFree2(dofs, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBoundaryCompile(PlexBoundary b)
{
  PetscFunctionBegin;
  if (!b->module) PetscCall(PlexBackendCompileFile(b->backend, "dm/boundary.cu", &b->module));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBoundaryLaunch(PlexBoundary b, PlexBoundarySet *set, PetscScalar *x)
{
  PlexKernel kernel;
  int        n      = (int)set->n;
  void      *args[] = {&n, &set->dofsDevice, &set->valuesDevice, &x};

  PetscFunctionBegin;
  PetscCall(PlexBoundaryCompile(b));
  PetscCall(PlexModuleGetKernel(b->module, "plex_insert", &kernel));
  PetscCall(PlexKernelLaunch(kernel, (set->n + PLEX_INSERT_BLOCK - 1) / PLEX_INSERT_BLOCK, PLEX_INSERT_BLOCK, 0, args));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Other entries of the vector keep their values and the memory that they are in */
static PetscErrorCode PlexBoundaryScatter(PlexBoundary b, PlexBoundarySet *set, Vec v)
{
  const PetscBool device  = b->backend->device;
  PetscMemType    memtype = PETSC_MEMTYPE_HOST;
  PetscScalar    *x;

  PetscFunctionBegin;
  if (!set->n) PetscFunctionReturn(PETSC_SUCCESS);
  if (device) PetscCall(VecGetArrayAndMemType(v, &x, &memtype));
  else PetscCall(VecGetArray(v, &x));
  if (b->backend->kernels && (!device || PetscMemTypeDevice(memtype))) PetscCall(PlexBoundaryLaunch(b, set, x));
  else {
    for (PetscInt k = 0; k < set->n; ++k) x[set->dofs[k]] = set->values[k];
  }
  if (device) PetscCall(VecRestoreArrayAndMemType(v, &x));
  else PetscCall(VecRestoreArray(v, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the values are functions of position and time alone, so that they are the same for every vector */
PetscErrorCode PlexBoundarySupported(DM dm, Vec locX, PetscBool *supported)
{
  PetscDS     ds;
  PetscObject zero, disc;
  PetscInt    Nf, Nb;

  PetscFunctionBegin;
  *supported = PETSC_TRUE;
  PetscCall(PetscObjectQuery((PetscObject)locX, "__Vec_bc_zero__", &zero)); /* PETSc's viewers ask for zeros so */
  if (zero) *supported = PETSC_FALSE;
  PetscCall(DMGetNumFields(dm, &Nf));
  for (PetscInt f = 0; f < Nf && *supported; ++f) {
    PetscClassId id;

    PetscCall(DMGetField(dm, f, NULL, &disc));
    PetscCall(PetscObjectGetClassId(disc, &id));
    if (id != PETSCFE_CLASSID) *supported = PETSC_FALSE;
  }
  PetscCall(DMGetDS(dm, &ds));
  PetscCall(PetscDSGetNumBoundary(ds, &Nb));
  for (PetscInt k = 0; k < Nb && *supported; ++k) {
    DMBoundaryConditionType type;

    PetscCall(PetscDSGetBoundary(ds, k, NULL, &type, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    if ((type & DM_BC_ESSENTIAL) && type != DM_BC_ESSENTIAL) *supported = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBoundarySetUp(PlexBoundary b)
{
  PetscFunctionBegin;
  PetscCall(PlexBoundaryUpdate(b));
  if (!b->most) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBoundaryUpdatePoints(b, 0));
  if (b->backend->kernels && b->n) PetscCall(PlexBoundaryCompile(b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether a set has the values of this solve and time, on coordinates of this state */
static PetscBool PlexBoundarySetHolds(const PlexBoundarySet *set, PlexSolve solve, PetscReal t, PetscObjectState state)
{
  return (PetscBool)(solve.id && solve.id == set->solve.id && solve.iteration == set->solve.iteration && t == set->t &&
                     state == set->coordinates);
}

/* Puts the values at time t into locX, and their time derivatives into locX_t where there is one */
PetscErrorCode PlexBoundaryInsert(PlexBoundary b, PlexSolve solve, PetscReal t, Vec locX, Vec locX_t)
{
  Vec              v[2] = {locX, locX_t};
  PetscObjectState state;
  PetscBool        evaluated = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PlexBoundaryUpdate(b));
  if (!b->most) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexGetCoordinateState(b->dm, &state));
  for (PetscInt s = 0; s < 2; ++s) {
    PlexBoundarySet *set = &b->set[s];

    if (!v[s]) continue;
    if (!PlexBoundarySetHolds(set, solve, t, state)) {
      set->solve.id = 0; /* in case of an error of the user's function */
      PetscCall(PlexBoundaryEvaluate(b, s, t));
      set->solve       = solve;
      set->t           = t;
      set->coordinates = state;
      evaluated        = PETSC_TRUE;
    }
    PetscCall(PlexBoundaryScatter(b, set, v[s]));
  }
  if (evaluated) b->evaluations++;
  PetscFunctionReturn(PETSC_SUCCESS);
}
