/*
  Materials, coefficients of the cells that a label of the mesh names: as settings of a program, and options.
  materialcells.c finds the cells
*/
#include "dgimpl.h" /*I "plexgpudg.h" I*/

/* ---- Settings */

static PetscErrorCode PlexDGMaterialsHold(PlexDG dg)
{
  MPI_Comm comm = PetscObjectComm((PetscObject)dg);

  PetscFunctionBegin;
  PetscCheck(dg->system, comm, PETSC_ERR_ORDER,
             "There is no system yet that could have materials: call PlexDGSetSystem() first");
  PetscCheck(dg->system->ncoefficients, comm, PETSC_ERR_ARG_INCOMP,
             "System %s has no coefficients of elements, so there are no materials: PlexDGSetConstant() and "
             "-plex_dg_<name> set its constants",
             dg->system->name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* "epsilon, mu, sigma" */
static PetscErrorCode PlexDGMaterialListNames(PlexDG dg, size_t size, char text[])
{
  const char *names[PLEX_DG_MAX_FIELDS];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < dg->system->ncoefficients; ++k) names[k] = dg->system->coefficients[k].name;
  PetscCall(PlexDGJoinNames_Private(dg->system->ncoefficients, names, size, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The one of a label's value, new where there is none, without values */
static PetscErrorCode PlexDGMaterialMake(PlexDG dg, const char label[], PetscInt value, PlexDGMaterial **made)
{
  PlexDGMaterial *materials;

  PetscFunctionBegin;
  PetscCall(PlexDGReset(dg));
  *made = NULL;
  for (PetscInt k = 0; k < dg->nmaterials && !*made; ++k) {
    PlexDGMaterial *m    = &dg->materials[k];
    PetscBool       same = (PetscBool)(!label && !m->label);

    if (label && m->label) PetscCall(PetscStrcmp(label, m->label, &same));
    if (same && (!label || m->value == value)) *made = m;
  }
  if (!*made) {
    PetscCall(PetscMalloc1(dg->nmaterials + 1, &materials));
    PetscCall(PetscArraycpy(materials, dg->materials, dg->nmaterials));
    PetscCall(PetscFree(dg->materials));
    dg->materials = materials;
    *made         = &materials[dg->nmaterials++];
    PetscCall(PetscMemzero(*made, sizeof(**made)));
    if (label) PetscCall(PetscStrallocpy(label, &(*made)->label));
    (*made)->value = value;
  }
  PetscCall(PetscArrayzero((*made)->given, PLEX_DG_MAX_FIELDS));
  (*made)->option = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGAddMaterial - Sets the coefficients, such as epsilon, mu and sigma of `maxwell`, of the cells where a label of the
  mesh has a value

  Logically Collective

  Input Parameters:
+ dg     - the operator, its system set
. label  - name of the label, such as "Cell Sets"; `NULL` for all cells that have no other material
. value  - its value; `PETSC_DETERMINE` for any
. n      - how many values there are, at most the coefficients of the system
- values - the coefficients, in the order of the system; those that are not given are what `PlexDGSetConstant()` or the
           system's defaults say

  Options Database Keys:
+ -plex_dg_material_<value> values         - where the label "Cell Sets" has the value: 4,1,0.1 for epsilon = 4, mu = 1
                                             and sigma = 0.1 of `maxwell`; or sigma=0.1,epsilon=4, in any order
. -plex_dg_material_<label> values         - where the label of this name has any value; blanks in the name are written
                                             as underscores
. -plex_dg_material_<label>:<value> values - where it has the value
- -plex_dg_material values                 - in all cells without another material

  Level: beginner

  Notes:
  Gmsh's `Physical Volume("glass")` is a label of this name with -dm_plex_gmsh_use_regions, and a value of "Cell Sets"
  without.

  A material comes after the function of `PlexDGSetCoefficients()`, which it replaces in its cells. Options replace what a
  program says of the same label and value, and are taken first where a cell has materials of both. A second call for the
  same label and value replaces the first one.

  Errors at set-up are a material that no cell has, on no process; a cell of two materials with other values; and numbers
  that the system's equations do not allow. Systems whose coefficients vary in an element, as `shallow_water`, have no
  materials.

  All processes set the same materials.

.seealso: `PlexDG`, `PlexDGSetCoefficients()`, `PlexDGSetConstant()`, `PlexDGAddBoundary()`, `PlexDGSetFromOptions()`
@*/
PetscErrorCode PlexDGAddMaterial(PlexDG dg, const char label[], PetscInt value, PetscInt n, const PetscReal values[])
{
  PlexDGMaterial *m;
  char            known[512];

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscAssertPointer(values, 5);
  PetscCall(PlexDGMaterialsHold(dg));
  PetscCall(PlexDGMaterialListNames(dg, sizeof(known), known));
  PetscCheck(n >= 0 && n <= dg->system->ncoefficients, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_SIZ,
             "A material of system %s has at most %" PetscInt_FMT " values, not %" PetscInt_FMT ": %s",
             dg->system->name, dg->system->ncoefficients, n, known);
  PetscCall(PlexDGMaterialMake(dg, label, value, &m));
  for (PetscInt k = 0; k < n; ++k) {
    m->values[k] = values[k];
    m->given[k]  = PETSC_TRUE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexDGSetMaterialFunction - Sets a function of the position that gives the coefficients within cells, such as epsilon and
  mu of `maxwell` in a graded lens

  Logically Collective

  Input Parameters:
+ dg    - the operator of nodal DG, its system set
. label - name of the label of the cells, such as "Cell Sets"; `NULL` for all cells
. value - its value; `PETSC_DETERMINE` for any
. func  - the function; `NULL`: coefficients of these cells do not vary
- ctx   - given to it

  Calling sequence of `func`:
+ dim - dimension
. x   - the position, [dim]
. n   - coefficients of the system
. k   - the coefficients, [n], in the order of the system; it finds those of the cell, by `PlexDGAddMaterial()` and the like
- ctx - what was given

  Level: intermediate

  Notes:
  Of several functions for a cell the last one that was set is taken; one for the same label and value takes the place of
  the earlier one. The function should be smooth in each cell; between
  cells, where another function or none holds, coefficients may jump. It is called at set-up, at the quadrature points of
  cells, those of degree 2 N, and of their facets.

  Mass matrices are weight-adjusted (Chan, Hewett and Warburton, SIAM J. Sci. Comput. 39, 2017): the order stays, and energy
  does not grow. Cells with a function, and those that share a facet with one, are computed as curved cells are, and take
  as long.

  Systems `maxwell` and `acoustics`, and those whose header defines PLEX_DG_WEIGHTS. Such cells cannot conduct or be dispersive,
  and have no incident wave, dipole or current.

.seealso: `PlexDG`, `PlexDGAddMaterial()`, `PlexDGSetCoefficients()`, `PlexDGComputeEnergy()`
@*/
PetscErrorCode PlexDGSetMaterialFunction(PlexDG dg, const char label[], PetscInt value, PlexDGMaterialFn *func,
                                         void *ctx)
{
  PlexDGGrading *gradings;
  PetscInt       n = 0;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscCall(PlexDGMaterialsHold(dg));
  PetscCall(PlexDGReset(dg));
  PetscCall(PetscMalloc1(dg->ngradings + 1, &gradings));
  for (PetscInt k = 0; k < dg->ngradings; ++k) {
    PetscBool same;

    PetscCall(PetscStrcmp(dg->gradings[k].label, label, &same)); /* true of two NULL */
    if (same && dg->gradings[k].value == value) PetscCall(PetscFree(dg->gradings[k].label));
    else gradings[n++] = dg->gradings[k];
  }
  PetscCall(PetscFree(dg->gradings));
  dg->gradings  = gradings;
  dg->ngradings = n + 1;
  gradings += n;
  gradings->label = NULL;
  gradings->value = value;
  gradings->func  = func;
  gradings->ctx   = ctx;
  if (label) PetscCall(PetscStrallocpy(label, &gradings->label));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Options */

/* A word of an option as one value; at: how many values came before without name, -1: some came with name */
static PetscErrorCode PlexDGMaterialReadWord(PlexDG dg, const char option[], char word[], PetscInt *at,
                                             PlexDGMaterial *m)
{
  MPI_Comm       comm = PetscObjectComm((PetscObject)dg);
  const PetscInt n    = dg->system->ncoefficients;
  char          *sign = strchr(word, '='), *number = sign ? sign + 1 : word, *end, known[512];
  PetscInt       k = sign ? 0 : *at;
  PetscReal      value;

  PetscFunctionBegin;
  PetscCall(PlexDGMaterialListNames(dg, sizeof(known), known));
  value = (PetscReal)strtod(number, &end);
  PetscCheck(end > number && !*end, comm, PETSC_ERR_ARG_WRONG,
             "%s has the value %s, which is no number: it takes numbers with commas between, in the order %s, or "
             "name=number",
             option, word, known);
  PetscCheck(sign ? *at <= 0 : *at >= 0, comm, PETSC_ERR_ARG_WRONG,
             "%s has values with and without names: give all of them names, or none, then in the order %s", option,
             known);
  if (sign) {
    PetscBool same = PETSC_FALSE;

    *sign = 0;
    for (k = 0; k < n && !same; k += !same) PetscCall(PetscStrcasecmp(word, dg->system->coefficients[k].name, &same));
    PetscCheck(same, comm, PETSC_ERR_ARG_UNKNOWN_TYPE, "%s: system %s has no coefficient %s. It has: %s", option,
               dg->system->name, word, known);
    PetscCheck(!m->given[k], comm, PETSC_ERR_ARG_WRONG, "%s gives %s twice", option, word);
    *at = -1;
  } else ++*at;
  PetscCheck(k < n, comm, PETSC_ERR_ARG_SIZ, "%s has more values than system %s has coefficients: %s", option,
             dg->system->name, known);
  m->values[k] = value;
  m->given[k]  = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The values of -plex_dg_material<suffix>, if it is given, for the cells of a label */
static PetscErrorCode PlexDGMaterialFromOption(PlexDG dg, const char suffix[], const char label[], PetscInt value)
{
  char            option[PETSC_MAX_OPTION_NAME], text[512], **words;
  PetscBool       set;
  int             nwords;
  PetscInt        at = 0;
  PlexDGMaterial *m;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-plex_dg_material%s", suffix));
  PetscCall(PetscOptionsGetString(((PetscObject)dg)->options, ((PetscObject)dg)->prefix, option, text, sizeof(text),
                                  &set));
  if (!set) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGMaterialsHold(dg));
  PetscCall(PlexDGMaterialMake(dg, label, value, &m));
  m->option = PETSC_TRUE;
  PetscCall(PetscStrToArray(text, ',', &nwords, &words));
  PetscCheck(nwords, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_WRONG,
             "%s has no values: it takes numbers with commas between, or name=number", option);
  for (int w = 0; w < nwords; ++w) PetscCall(PlexDGMaterialReadWord(dg, option, words[w], &at, m));
  PetscCall(PetscStrToArrayDestroy(nwords, words));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGMaterialTag_Private(PlexDG dg, const char tag[], size_t size, char label[], PetscInt *labelValue)
{
  char      name[PETSC_MAX_OPTION_NAME], *colon, *end;
  long      value = strtol(tag, &end, 10);
  PetscBool alone = (PetscBool)(end > tag && !*end), both = PETSC_FALSE, found;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(name, tag, sizeof(name)));
  colon = strrchr(name, ':');
  if (!alone && colon) {
    value = strtol(colon + 1, &end, 10);
    both  = (PetscBool)(end > colon + 1 && !*end);
    if (both) *colon = 0;
  }
  if (alone) PetscCall(PetscStrncpy(label, PLEX_DG_MATERIAL_LABEL, size));
  else PetscCall(PlexDGFindLabel_Private(dg, name, size, label, &found));
  *labelValue = alone || both ? (PetscInt)value : PETSC_DETERMINE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* tag: what follows -plex_dg_material_ */
static PetscErrorCode PlexDGMaterialFromTag(PlexDG dg, const char tag[])
{
  char     suffix[PETSC_MAX_OPTION_NAME], label[256];
  PetscInt value;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(suffix, sizeof(suffix), "_%s", tag));
  PetscCall(PlexDGMaterialTag_Private(dg, tag, sizeof(label), label, &value));
  PetscCall(PlexDGMaterialFromOption(dg, suffix, label, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGMaterialsSetFromOptions_Private(PlexDG dg)
{
  PetscFunctionBegin;
  if (!dg->system) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGMaterialFromOption(dg, "", NULL, PETSC_DETERMINE));
  PetscCall(PlexDGEachTag_Private(dg, "plex_dg_material", PlexDGMaterialFromTag));
  PetscFunctionReturn(PETSC_SUCCESS);
}
