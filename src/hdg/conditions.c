/* Boundary conditions of a hybridized DG method: which of them holds for a facet, by labels of the mesh */
#include "hdgimpl.h" /*I "plexgpuhdg.h" I*/

const char *const PlexHDGBoundaries[] = {"dirichlet", "neumann", "robin", "PlexHDGBoundary", "PLEX_HDG_", NULL};

static PetscErrorCode PlexHDGAddCondition(PlexHDG hdg, const char label[], PetscInt value, PlexHDGBoundary kind,
                                          int held, PlexHDGBoundaryFn *func, void *ctx)
{
  PlexHDGCondition *conditions;

  PetscFunctionBegin;
  PetscCheck(kind != PLEX_HDG_ROBIN || func, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ARG_NULL,
             "Robin's condition needs a function that gives g and alpha");
  hdg->stale |= PLEX_HDG_STALE_BOUNDARY;
  PetscCall(PetscMalloc1(hdg->nconditions + 1, &conditions));
  PetscCall(PetscArraycpy(conditions, hdg->conditions, hdg->nconditions));
  PetscCall(PetscFree(hdg->conditions));
  hdg->conditions = conditions;
  conditions += hdg->nconditions++;
  conditions->label = NULL;
  conditions->value = value;
  conditions->kind  = kind;
  conditions->held  = held;
  conditions->func  = func;
  conditions->ctx   = ctx;
  conditions->point = NULL;
  if (label) PetscCall(PetscStrallocpy(label, &conditions->label));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGAddBoundary - Sets a boundary condition where a label of the mesh has a value

  Logically Collective

  Input Parameters:
+ hdg   - the discretization
. label - name of the label, such as "Face Sets"; `NULL` for all of the boundary
. value - its value; `PETSC_DETERMINE` for any
. kind  - the condition, see `PlexHDGBoundary`
. func  - gives g, and of `PLEX_HDG_ROBIN` alpha besides, at a point of the boundary with outward normal; `NULL`: zero
- ctx   - its context

  Level: beginner

  Notes:
  Of `PLEX_HDG_ELASTICITY` Dirichlet's condition gives the displacement, Neumann's the traction sigma n = g, Robin's
  sigma n + alpha u = g: g is dim numbers, alpha one behind them. `PlexHDGAddBoundaryComponents()` is for a displacement
  of some components. Of `PLEX_HDG_STOKES` it is the same with the velocity in place of the displacement.

  Of several conditions that hold for a facet the last one is taken. One for a label or value that no facet of the
  boundary has, on no process, is an error.

  A condition added to a discretization that is set up costs its evaluation where all facets have conditions of the same
  kinds as before, and a new set-up where they have not.

  func is called on the host. `PlexHDGAddBoundaryPoint()` is for functions that are evaluated where the discretization is
  computed.

.seealso: `PlexHDG`, `PlexHDGBoundary`, `PlexHDGAddBoundaryPoint()`, `PlexHDGUpdate()`
@*/
PetscErrorCode PlexHDGAddBoundary(PlexHDG hdg, const char label[], PetscInt value, PlexHDGBoundary kind,
                                  PlexHDGBoundaryFn *func, void *ctx)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscCheck(kind == PLEX_HDG_DIRICHLET || kind == PLEX_HDG_NEUMANN || kind == PLEX_HDG_ROBIN,
             PetscObjectComm((PetscObject)hdg), PETSC_ERR_ARG_OUTOFRANGE,
             "There is no boundary condition %d: use PLEX_HDG_DIRICHLET, PLEX_HDG_NEUMANN or PLEX_HDG_ROBIN",
             (int)kind);
  PetscCall(PlexHDGAddCondition(hdg, label, value, kind, 0, func, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGAddBoundaryComponents - Sets the displacement of some components and the traction of the others where a label of
  the mesh has a value

  Logically Collective

  Input Parameters:
+ hdg        - the discretization, of `PLEX_HDG_ELASTICITY` or `PLEX_HDG_STOKES`
. label      - name of the label, such as "Face Sets"; `NULL` for all of the boundary
. value      - its value; `PETSC_DETERMINE` for any
. n          - how many components of the displacement or velocity are given, 1 to dim - 1
. components - [n] which, each of 0 to dim - 1
. func       - gives dim numbers at a point of the boundary with outward normal: of these components the displacement, of
               the others the traction; `NULL`: zero
- ctx        - its context

  Level: beginner

  Note:
  A plane of symmetry is one, with the component across the plane zero. Of several conditions that hold for a facet the
  last one is taken; `PlexHDGAddBoundary()` is for all components.

.seealso: `PlexHDG`, `PlexHDGAddBoundary()`, `PlexHDGSetSystem()`
@*/
PetscErrorCode PlexHDGAddBoundaryComponents(PlexHDG hdg, const char label[], PetscInt value, PetscInt n,
                                            const PetscInt components[], PlexHDGBoundaryFn *func, void *ctx)
{
  PetscInt dim;
  int      bits = 0;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscAssertPointer(components, 5);
  PetscCall(PlexHDGCheckVector_Private(hdg, "PlexHDGAddBoundaryComponents()"));
  PetscCall(DMGetDimension(hdg->dm, &dim));
  PetscCheck(n >= 1 && n < dim, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " components of the %s are given, of %" PetscInt_FMT
             ": for none or all of them use PlexHDGAddBoundary() with PLEX_HDG_NEUMANN or PLEX_HDG_DIRICHLET",
             n, PlexHDGIsFluid(hdg) ? "velocity" : "displacement", dim);
  for (PetscInt k = 0; k < n; ++k) {
    PetscCheck(components[k] >= 0 && components[k] < dim && !(bits >> components[k] & 1),
               PetscObjectComm((PetscObject)hdg), PETSC_ERR_ARG_OUTOFRANGE,
               "Component %" PetscInt_FMT " of the %s: each is one of 0 to %" PetscInt_FMT ", once", components[k],
               PlexHDGIsFluid(hdg) ? "velocity" : "displacement", dim - 1);
    bits |= 1 << components[k];
  }
  PetscCall(PlexHDGAddCondition(hdg, label, value, PLEX_HDG_NEUMANN, bits, func, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGConditionReset(PlexHDGCondition *c)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(c->label));
  if (c->point) PetscCall(PetscFree(c->point->constants));
  PetscCall(PetscFree(c->point));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGConditionsDestroy_Private(PlexHDG hdg)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < hdg->nconditions; ++k) PetscCall(PlexHDGConditionReset(&hdg->conditions[k]));
  PetscCall(PetscFree(hdg->conditions));
  hdg->nconditions = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The host's way to call a pointwise function of a condition */
static PetscErrorCode PlexHDGCallBoundary(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n,
                                          PetscScalar g[], void *ctx)
{
  const PlexHDGBoundaryPoint *p = (const PlexHDGBoundaryPoint *)ctx;

  PetscFunctionBegin;
  (void)n;
  (*p->func)(dim, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, p->hdg->time ? *p->hdg->time : 0.,
             x, normal, p->n, p->constants, g);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGAddBoundaryPoint - Sets a boundary condition by a pointwise function of PETSc where a label of the mesh has a value

  Logically Collective

  Input Parameters:
+ hdg       - the discretization
. label     - name of the label, such as "Face Sets"; `NULL` for all of the boundary
. value     - its value; `PETSC_DETERMINE` for any
. kind      - the condition, see `PlexHDGBoundary`
. func      - gives g, and of `PLEX_HDG_ROBIN` alpha behind it, at a point of the boundary. Of its arguments dim, t, x, n (the
              outward normal), numConstants and constants are given; there are no fields. t is the time of
              `PlexHDGSetTimeVariable()`, 0 where there is none
. n         - number of constants
- constants - [n], copied

  Options Database Key:
. -plex_hdg_source path - the file that defines it, see `PlexHDGSetPointwiseSource()`

  Level: intermediate

  Example:
.vb
  // g.h: u = constants[0] sin(t) x
  static void known(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                    const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                    const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                    PetscReal t, const PetscReal x[], const PetscReal n[], PetscInt numConstants,
                    const PetscScalar constants[], PetscScalar g[])
  {
    g[0] = constants[0] * PetscSinReal(t) * x[0];
  }

  PetscCall(PlexHDGAddBoundaryPoint(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, known, 1, &two));
  PetscCall(PlexHDGSetPointwiseSource(hdg, "g.h"));
.ve

  Notes:
  It is `PlexHDGAddBoundary()` with another kind of function. With its source named by `PlexHDGSetPointwiseSource()` it is
  compiled and evaluated where the discretization is computed, if all conditions have such functions or none; else, and in
  vector problems (`PlexHDGSetSystem()`), functions of conditions are called on the host.

.seealso: `PlexHDG`, `PlexHDGAddBoundary()`, `PlexHDGBoundary`, `PlexHDGSetPointwiseSource()`, `PlexHDGUpdate()`
@*/
PetscErrorCode PlexHDGAddBoundaryPoint(PlexHDG hdg, const char label[], PetscInt value, PlexHDGBoundary kind,
                                       PetscBdPointFn *func, PetscInt n, const PetscScalar constants[])
{
  PlexHDGBoundaryPoint *p;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscCheck(func, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ARG_NULL,
             "PlexHDGAddBoundaryPoint() needs a function: PlexHDGAddBoundary() without one is for zero");
  PetscCheck(n >= 0, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " constants of PlexHDGAddBoundaryPoint()", n);
  PetscCall(PetscNew(&p));
  p->hdg  = hdg;
  p->func = func;
  p->n    = n;
  PetscCall(PetscMalloc1(n, &p->constants));
  PetscCall(PetscArraycpy(p->constants, constants, n));
  PetscCall(PlexHDGAddBoundary(hdg, label, value, kind, PlexHDGCallBoundary, p));
  hdg->conditions[hdg->nconditions - 1].point = p;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Mean of the vertices of a point, for messages */
PetscErrorCode PlexHDGGetCenter_Private(DM dm, PetscInt point, PetscReal x[])
{
  const PetscScalar *array;
  PetscSection       section;
  Vec                coordinates;
  PetscInt          *closure = NULL, size, vStart, vEnd, dim, n = 0;

  PetscFunctionBegin;
  PetscCall(DMGetCoordinateDim(dm, &dim));
  PetscCall(DMPlexGetDepthStratum(dm, 0, &vStart, &vEnd));
  PetscCall(DMGetCoordinateSection(dm, &section));
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(VecGetArrayRead(coordinates, &array));
  PetscCall(DMPlexGetTransitiveClosure(dm, point, PETSC_TRUE, &size, &closure));
  x[0] = x[1] = x[2] = 0.;
  for (PetscInt k = 0; k < size; ++k) {
    PetscInt offset;

    if (closure[2 * k] < vStart || closure[2 * k] >= vEnd) continue;
    PetscCall(PetscSectionGetOffset(section, closure[2 * k], &offset));
    for (PetscInt d = 0; d < dim; ++d) x[d] += PetscRealPart(array[offset + d]);
    ++n;
  }
  for (PetscInt d = 0; d < dim; ++d) x[d] /= n;
  PetscCall(DMPlexRestoreTransitiveClosure(dm, point, PETSC_TRUE, &size, &closure));
  PetscCall(VecRestoreArrayRead(coordinates, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Labels of the mesh that facets of the boundary can be told by, and the value of a point: "Face Sets" (3), ... */
static PetscErrorCode PlexHDGGetLabels(DM dm, PetscInt point, char text[], size_t size)
{
  PetscInt n;

  PetscFunctionBegin;
  text[0] = 0;
  PetscCall(DMGetNumLabels(dm, &n));
  for (PetscInt k = 0; k < n; ++k) {
    const char *name;
    char        one[128];
    PetscBool   depth, type;
    PetscInt    value;

    PetscCall(DMGetLabelName(dm, k, &name));
    PetscCall(PetscStrcmp(name, "depth", &depth));
    PetscCall(PetscStrcmp(name, "celltype", &type));
    if (depth || type) continue;
    PetscCall(DMGetLabelValue(dm, name, point, &value));
    if (value >= 0)
      PetscCall(PetscSNPrintf(one, sizeof(one), "%s%s (there %" PetscInt_FMT ")", text[0] ? ", " : "", name, value));
    else PetscCall(PetscSNPrintf(one, sizeof(one), "%s%s", text[0] ? ", " : "", name));
    PetscCall(PetscStrlcat(text, one, size));
  }
  if (!text[0]) PetscCall(PetscStrlcat(text, "none", size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An error that names a facet without condition, where it is, and what can be done */
static PetscErrorCode PlexHDGConditionMissing(PlexHDG hdg, PetscInt point)
{
  PetscReal x[3] = {0., 0., 0.};
  char      labels[512];

  PetscFunctionBegin;
  PetscCall(PlexHDGGetLabels(hdg->dm, point, labels, sizeof(labels)));
  PetscCall(PlexHDGGetCenter_Private(hdg->dm, point, x));
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
          "The boundary has no condition at facet %" PetscInt_FMT
          ", (%g, %g, %g): use PlexHDGAddBoundary(), with the label NULL for all of the boundary or with one of the "
          "mesh: %s",
          point, (double)x[0], (double)x[1], (double)x[2], labels);
}

/* A condition of a label that holds for no facet of any process: its name or value is wrong, and something else is
   there in its place. held[nconditions] */
static PetscErrorCode PlexHDGConditionsCheckHeld(PlexHDG hdg, int held[])
{
  MPI_Comm comm = PetscObjectComm((PetscObject)hdg);

  PetscFunctionBegin;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, held, (PetscMPIInt)hdg->nconditions, MPI_INT, MPI_MAX, comm));
  for (PetscInt k = 0; k < hdg->nconditions; ++k) {
    const PlexHDGCondition *c = &hdg->conditions[k];

    if (!held[k] && c->label) PetscCall(PlexLabelHoldsNowhere(comm, PlexHDGBoundaries[c->kind], c->label, c->value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Collective */
PetscErrorCode PlexHDGConditionsFind_Private(PlexHDG hdg, PetscInt n, const PetscInt points[], int condition[])
{
  DMLabel *labels;
  int     *held;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(hdg->nconditions, &labels));
  PetscCall(PetscCalloc1(hdg->nconditions, &held));
  for (PetscInt k = 0; k < hdg->nconditions; ++k) {
    labels[k] = NULL;
    if (!hdg->conditions[k].label) continue;
    PetscCall(DMGetLabel(hdg->dm, hdg->conditions[k].label, &labels[k]));
    PetscCheck(labels[k], PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "The mesh has no label %s, which a boundary condition %s is for: -dm_view shows what it has",
               hdg->conditions[k].label, PlexHDGBoundaries[hdg->conditions[k].kind]);
  }
  for (PetscInt b = 0; b < n; ++b) {
    condition[b] = -1;
    for (PetscInt k = hdg->nconditions; k-- > 0;) {
      PetscBool holds = PETSC_TRUE;

      if (hdg->conditions[k].label) PetscCall(PlexLabelHolds(labels[k], hdg->conditions[k].value, points[b], &holds));
      if (holds) held[k] = 1;
      if (holds && condition[b] < 0) condition[b] = (int)k;
    }
  }
  PetscCall(PlexHDGConditionsCheckHeld(hdg, held));
  for (PetscInt b = 0; b < n; ++b)
    if (condition[b] < 0) PetscCall(PlexHDGConditionMissing(hdg, points[b]));
  PetscCall(PetscFree(held));
  PetscCall(PetscFree(labels));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Leaves out conditions that a later one with the same label and value hides */
static PetscErrorCode PlexHDGConditionsCompress(PlexHDG hdg)
{
  PlexHDGMesh mesh = hdg->mesh;
  int        *number;
  PetscInt    n = 0;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(hdg->nconditions, &number));
  for (PetscInt k = 0; k < hdg->nconditions; ++k) {
    PetscBool hidden = PETSC_FALSE;

    for (PetscInt l = k + 1; l < hdg->nconditions && !hidden; ++l) {
      PetscCall(PetscStrcmp(hdg->conditions[k].label, hdg->conditions[l].label, &hidden));
      hidden = (PetscBool)(hidden && hdg->conditions[k].value == hdg->conditions[l].value);
    }
    number[k] = (int)n;
    if (hidden) PetscCall(PlexHDGConditionReset(&hdg->conditions[k]));
    else hdg->conditions[n++] = hdg->conditions[k];
  }
  hdg->nconditions = n;
  for (PetscInt b = 0; b < mesh->nboundary; ++b) mesh->condition[b] = number[mesh->condition[b]];
  PetscCall(PetscFree(number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGConditionsRenew_Private(PlexHDG hdg, PetscBool *same)
{
  PlexHDGMesh mesh = hdg->mesh;
  PetscInt   *points;
  int        *condition;

  PetscFunctionBegin;
  *same = PETSC_TRUE;
  PetscCall(PetscMalloc2(mesh->nboundary, &points, mesh->nboundary, &condition));
  for (PetscInt b = 0; b < mesh->nboundary; ++b) points[b] = mesh->facePoint[mesh->face[mesh->boundary[b]]];
  PetscCall(PlexHDGConditionsFind_Private(hdg, mesh->nboundary, points, condition));
  for (PetscInt b = 0; b < mesh->nboundary; ++b) {
    if (hdg->conditions[condition[b]].kind != hdg->conditions[mesh->condition[b]].kind ||
        hdg->conditions[condition[b]].held != hdg->conditions[mesh->condition[b]].held)
      *same = PETSC_FALSE;
    mesh->condition[b] = condition[b];
  }
  PetscCall(PetscFree2(points, condition));
  PetscCall(PlexHDGConditionsCompress(hdg));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, same, 1, MPI_C_BOOL, MPI_LAND, PetscObjectComm((PetscObject)hdg)));
  PetscFunctionReturn(PETSC_SUCCESS);
}
