/*
  Numbers of a system: constants of the whole, coefficients of each element
*/
#include "dgimpl.h" /*I "plexgpudg.h" I*/

PetscErrorCode PlexDGParametersReset_Private(PlexDG dg)
{
  PlexDGSystem system = dg->system;
  PetscInt     n      = 0;

  PetscFunctionBegin;
  PetscCall(PetscFree(dg->constants));
  for (PetscInt k = 0; k < system->nconstants; ++k) n += system->constants[k].n;
  PetscCall(PetscCalloc1(n + PLEX_DG_MAX_RESISTANCES, &dg->constants));
  n = 0;
  for (PetscInt k = 0; k < system->nconstants; ++k)
    for (PetscInt i = 0; i < system->constants[k].n; ++i) dg->constants[n++] = system->constants[k].value[i];
  for (PetscInt k = 0; k < system->ncoefficients; ++k) dg->uniform[k] = system->coefficients[k].value[0];
  dg->coefficient = NULL;
  PetscCall(PlexDGMaterialsDestroy_Private(dg));
  PetscCall(PlexDGGradingsDestroy_Private(dg));
  PetscCall(PlexDGDispersionsDestroy_Private(dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the numbers of a parameter are; *at NULL: it is none */
static PetscErrorCode PlexDGParameterFind(PlexDG dg, const char name[], const PlexDGParameter **parameter,
                                          PetscReal **at)
{
  PlexDGSystem system = dg->system;
  PetscReal   *value  = dg->constants;
  PetscBool    same;

  PetscFunctionBegin;
  *at = NULL;
  for (PetscInt k = 0; k < system->nconstants; value += system->constants[k++].n) {
    PetscCall(PetscStrcmp(name, system->constants[k].name, &same));
    if (!same) continue;
    *parameter = &system->constants[k];
    *at        = value;
  }
  for (PetscInt k = 0; k < system->ncoefficients; ++k) {
    PetscCall(PetscStrcmp(name, system->coefficients[k].name, &same));
    if (!same) continue;
    *parameter = &system->coefficients[k];
    *at        = &dg->uniform[k];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Likewise; an error where there is none */
static PetscErrorCode PlexDGParameterNamed(PlexDG dg, const char name[], const PlexDGParameter **parameter,
                                           PetscReal **at)
{
  MPI_Comm comm = PetscObjectComm((PetscObject)dg);

  PetscFunctionBegin;
  PetscCheck(dg->system, comm, PETSC_ERR_ORDER,
             "There is no system yet that could have a constant %s: call PlexDGSetSystem() first", name);
  PetscCall(PlexDGParameterFind(dg, name, parameter, at));
  PetscCheck(*at, comm, PETSC_ERR_ARG_UNKNOWN_TYPE,
             "System %s has no constant and no coefficient %s: PlexDGView() shows what it has", dg->system->name, name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGSetConstant - Sets a number, or several, of the system of equations: a constant, or a coefficient that is the
  same everywhere

  Logically Collective

  Input Parameters:
+ dg     - the operator, its system set
. name   - of the constant or coefficient, such as "alpha" or "epsilon" of `maxwell`
. n      - how many numbers it has
- values - the numbers

  Options Database Key:
. -plex_dg_<name> values - likewise, with commas between

  Level: beginner

  Note:
  Numbers that the system's equations do not allow are an error at set-up, such as an alpha that is not from 0 to 1, a
  negative sigma, or an incident wave that is no wave.

.seealso: `PlexDG`, `PlexDGGetConstant()`, `PlexDGSetSystem()`, `PlexDGSetCoefficients()`
@*/
PetscErrorCode PlexDGSetConstant(PlexDG dg, const char name[], PetscInt n, const PetscReal values[])
{
  MPI_Comm               comm      = PetscObjectComm((PetscObject)dg);
  const PlexDGParameter *parameter = NULL;
  PetscReal             *at;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscCall(PlexDGParameterNamed(dg, name, &parameter, &at));
  PetscCheck(n == parameter->n, comm, PETSC_ERR_ARG_SIZ,
             "Constant %s of system %s has %" PetscInt_FMT " numbers, not %" PetscInt_FMT, name, dg->system->name,
             parameter->n, n);
  PetscCall(PlexDGReset(dg));
  PetscCall(PetscArraycpy(at, values, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexDGGetConstant - Gets the numbers of a constant of the system, or of a coefficient that is the same everywhere

  Not Collective

  Input Parameters:
+ dg   - the operator, its system set
- name - of the constant or coefficient

  Output Parameters:
+ n      - how many numbers it has; may be `NULL`
- values - the numbers, which stay the operator's; may be `NULL`

  Level: beginner

.seealso: `PlexDG`, `PlexDGSetConstant()`
@*/
PetscErrorCode PlexDGGetConstant(PlexDG dg, const char name[], PetscInt *n, const PetscReal *values[])
{
  const PlexDGParameter *parameter = NULL;
  PetscReal             *at;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscCall(PlexDGParameterNamed(dg, name, &parameter, &at));
  if (n) *n = parameter->n;
  if (values) *values = at;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexDGSetCoefficients - Sets the function that gives the coefficients of each element, such as epsilon, mu and sigma
  of `maxwell`

  Logically Collective

  Input Parameters:
+ dg   - the operator, its system set
. func - the function; it finds the values that hold without it in k[], and may leave them
- ctx  - given to it

  Calling sequence of `func`:
+ dim  - dimension
. x    - centroid of the element
. cell - the element, a point of the `DM`
. n    - coefficients of the system
. k    - the coefficients, in the order of the system
- ctx  - what was given

  Level: beginner

  Note:
  Where a system's coefficients vary in an element, as the depth of `shallow_water` does, x is a node of the element,
  and the polynomial through the values at the nodes is taken. Elements that share a node have to be given the same
  value there.

  Materials of `PlexDGAddMaterial()`, and of the options, come after the function: in their cells its values are replaced.

.seealso: `PlexDG`, `PlexDGGetCoefficients()`, `PlexDGAddMaterial()`, `PlexDGSetConstant()`, `PlexDGSetSystem()`
@*/
PetscErrorCode PlexDGSetCoefficients(PlexDG dg, PlexDGCoefficientFn *func, void *ctx)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscCheck(dg->system, PetscObjectComm((PetscObject)dg), PETSC_ERR_ORDER,
             "There is no system yet that could have coefficients: call PlexDGSetSystem() first");
  PetscCall(PlexDGReset(dg));
  dg->coefficient    = func;
  dg->coefficientCtx = ctx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexDGGetCoefficients - Gets the function that gives the coefficients of each element

  Not Collective

  Input Parameter:
. dg - the operator

  Output Parameters:
+ func - the function; `NULL`: none; may be `NULL`
- ctx  - its context; may be `NULL`

  Level: beginner

.seealso: `PlexDG`, `PlexDGSetCoefficients()`
@*/
PetscErrorCode PlexDGGetCoefficients(PlexDG dg, PlexDGCoefficientFn **func, void **ctx)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  if (func) *func = dg->coefficient;
  if (ctx) *ctx = dg->coefficientCtx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGParameterFromOption(PlexDG dg, const PlexDGParameter *parameter)
{
  char      option[PETSC_MAX_OPTION_NAME];
  PetscReal values[PLEX_DG_MAX_PARAMETER];
  PetscInt  n = PLEX_DG_MAX_PARAMETER;
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-plex_dg_%s", parameter->name));
  PetscCall(PetscOptionsGetRealArray(((PetscObject)dg)->options, ((PetscObject)dg)->prefix, option, values, &n, &set));
  if (set) PetscCall(PlexDGSetConstant(dg, parameter->name, n, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGParametersSetFromOptions_Private(PlexDG dg)
{
  PlexDGSystem system = dg->system;

  PetscFunctionBegin;
  if (!system) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < system->nconstants; ++k) PetscCall(PlexDGParameterFromOption(dg, &system->constants[k]));
  for (PetscInt k = 0; k < system->ncoefficients; ++k)
    PetscCall(PlexDGParameterFromOption(dg, &system->coefficients[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* where: " in cell 3, ...", of a coefficient that is not the same everywhere; see: what sets it there, else NULL */
static PetscErrorCode PlexDGBadParameter(PlexDG dg, const char what[], const PlexDGBound *b, PetscReal value,
                                         const char where[], const char see[])
{
  char range[64], constant[128];

  PetscFunctionBegin;
  if (b->most < PETSC_INFINITY)
    PetscCall(PetscSNPrintf(range, sizeof(range), "from %g to %g", (double)b->least, (double)b->most));
  else PetscCall(PetscSNPrintf(range, sizeof(range), b->beyond ? "more than %g" : "at least %g", (double)b->least));
  PetscCall(PetscSNPrintf(constant, sizeof(constant), "-plex_dg_%s, PlexDGSetConstant()", b->name));
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%s %s of system %s is %g%s: it has to be %s, see %s", what,
          b->name, dg->system->name, (double)value, where, range, see ? see : constant);
}

static PetscBool PlexDGInBounds(const PlexDGBound *b, PetscReal value)
{
  return (PetscBool)(value >= b->least && value <= b->most && !(b->beyond && value == b->least) &&
                     !PetscIsInfReal(value));
}

/* Own element e in words, " in cell 3, ..., of material rock", "" where all elements have the same coefficients, and
   what sets coefficient k there, or some coefficient where k < 0; *see "": the constant's own option */
static PetscErrorCode PlexDGWhereCoefficient(PlexDG dg, PetscInt k, PetscInt e, size_t size, char where[], char see[])
{
  const PlexDGMaterial *m;
  const PetscBool       function = (PetscBool)!!dg->coefficient;
  PetscBool             given    = PETSC_FALSE;
  char                  cell[160], name[256];

  PetscFunctionBegin;
  PetscCall(PlexDGMaterialFind_Private(dg, e, &m));
  PetscCall(PlexDGMeshCellName_Private(dg->mesh, e, sizeof(cell), cell));
  where[0] = 0;
  see[0]   = 0;
  for (PetscInt i = 0; m && i < dg->system->ncoefficients; ++i)
    if ((i == k || k < 0) && m->given[i]) given = PETSC_TRUE;
  if (m) {
    PetscCall(PlexDGMaterialName_Private(m, sizeof(name), name));
    PetscCall(PetscSNPrintf(where, size, " in %s, of material %s", cell, name));
    if (given)
      PetscCall(PetscSNPrintf(see, size, "-plex_dg_material%s%s, PlexDGAddMaterial()", m->label ? "_" : "",
                              m->label ? name : ""));
  } else if (function) {
    PetscCall(PetscSNPrintf(where, size, " in %s", cell));
    PetscCall(PetscStrncpy(see, "PlexDGSetCoefficients()", size));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Coefficient k of all own elements */
static PetscErrorCode PlexDGCheckCoefficient(PlexDG dg, const PlexDGBound *b, PetscInt k)
{
  const PetscInt n = dg->system->ncoefficients;
  char           where[512], see[512];

  PetscFunctionBegin;
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e) {
    const PetscReal value = dg->coefficients[e * n + k];

    if (PlexDGInBounds(b, value)) continue;
    PetscCall(PlexDGWhereCoefficient(dg, k, e, sizeof(where), where, see));
    PetscCall(PlexDGBadParameter(dg, "Coefficient", b, value, where, see[0] ? see : NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the system says of those of each own element together */
static PetscErrorCode PlexDGCheckElements(PlexDG dg)
{
  const PetscInt n = dg->system->ncoefficients;
  char           wrong[256], where[512], see[512], names[256];
  const char    *name[PLEX_DG_MAX_FIELDS];

  PetscFunctionBegin;
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e) {
    wrong[0] = 0;
    PetscCall((*dg->system->checkelement)(dg->system, &dg->coefficients[e * n], sizeof(wrong), wrong));
    if (!wrong[0]) continue;
    for (PetscInt k = 0; k < n; ++k) name[k] = dg->system->coefficients[k].name;
    PetscCall(PlexDGJoinNames_Private(n, name, sizeof(names), names));
    PetscCall(PlexDGWhereCoefficient(dg, -1, e, sizeof(where), where, see));
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "System %s has %s%s, see %s%s", dg->system->name, wrong, where,
            see[0] ? see : "PlexDGSetConstant(), -plex_dg_<name> of ", see[0] ? "" : names);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGParametersCheck_Private(PlexDG dg)
{
  PlexDGSystem   system = dg->system;
  PlexDG         parts[2];
  const PetscInt n = PlexDGGetParts(dg, parts);
  PetscInt      *count;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < system->nbounds; ++i) {
    const PlexDGBound *b  = &system->bounds[i];
    PetscInt           at = 0;

    for (PetscInt k = 0; k < system->nconstants; at += system->constants[k++].n)
      for (PetscInt j = 0; j < system->constants[k].n && !strcmp(b->name, system->constants[k].name); ++j)
        if (!PlexDGInBounds(b, dg->constants[at + j]))
          PetscCall(PlexDGBadParameter(dg, "Constant", b, dg->constants[at + j], "", NULL));
    for (PetscInt k = 0; k < system->ncoefficients; ++k)
      if (!system->host[0]->variable && !strcmp(b->name, system->coefficients[k].name))
        for (PetscInt p = 0; p < n; ++p) PetscCall(PlexDGCheckCoefficient(parts[p], b, k));
  }
  for (PetscInt p = 0; p < n && system->checkelement; ++p) PetscCall(PlexDGCheckElements(parts[p]));
  if (!system->check) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc1(system->nkinds, &count));
  PetscCall(PlexDGConditionsCount_Private(dg, count));
  PetscCall((*system->check)(dg, count));
  PetscCall(PetscFree(count));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those of own elements */
static PetscErrorCode PlexDGSetOwnCoefficients(PlexDG dg)
{
  PlexDGMesh            mesh = dg->mesh;
  const PetscInt        n = dg->system->ncoefficients, dim = mesh->dim;
  const PlexDGMaterial *material;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((mesh->Ne + mesh->nghosts) * n, &dg->coefficients));
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    PetscReal *k = &dg->coefficients[e * n], x[3] = {0., 0., 0.};

    PetscCall(PetscArraycpy(k, dg->uniform, n));
    if (dg->coefficient) {
      for (PetscInt v = 0; v < mesh->nv; ++v)
        for (PetscInt d = 0; d < dim; ++d) x[d] += mesh->x[(e * mesh->nv + v) * dim + d] / mesh->nv;
      PetscCall((*dg->coefficient)(dim, x, mesh->cells[e], n, k, dg->coefficientCtx));
    }
    PetscCall(PlexDGMaterialFind_Private(dg, e, &material));
    if (material) PetscCall(PlexDGMaterialGet_Private(dg, material, k));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Those of own elements, and of the elements across the faces between processes and parts */
PetscErrorCode PlexDGSetUpCoefficients_Private(PlexDG dg)
{
  PlexDG         parts[2];
  const PetscInt n = dg->system->ncoefficients, nparts = PlexDGGetParts(dg, parts);
  PetscInt       all = 0;
  PetscReal     *sent, *received;
  MPI_Datatype   unit;

  PetscFunctionBegin;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt p = 0; p < nparts; ++p) all += parts[p]->mesh->nghosts;
  PetscCall(PetscMalloc2(all * n, &sent, all * n, &received));
  for (PetscInt p = 0; p < nparts; ++p) {
    PlexDGMesh mesh = parts[p]->mesh;

    PetscCall(PlexDGSetOwnCoefficients(parts[p]));
    for (PetscInt g = 0; g < mesh->nghosts; ++g)
      PetscCall(PetscArraycpy(&sent[(parts[p]->start + g) * n],
                              &parts[p]->coefficients[mesh->sent[g] / mesh->faces * n], n));
  }
  PetscCallMPI(MPI_Type_contiguous((PetscMPIInt)n, MPIU_REAL, &unit));
  PetscCallMPI(MPI_Type_commit(&unit));
  PetscCall(PlexDGShare_Private(dg, unit, sent, received));
  PetscCallMPI(MPI_Type_free(&unit));
  for (PetscInt p = 0; p < nparts; ++p)
    PetscCall(PetscArraycpy(&parts[p]->coefficients[parts[p]->mesh->Ne * n], &received[parts[p]->start * n],
                            parts[p]->mesh->nghosts * n));
  PetscCall(PetscFree2(sent, received));
  PetscFunctionReturn(PETSC_SUCCESS);
}
