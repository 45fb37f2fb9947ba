/*
  Boundary conditions: which kind each facet of the boundary has, by labels of the mesh
*/
#include "dgimpl.h" /*I "plexgpudg.h" I*/

/*@
  PlexDGAddBoundary - Sets a boundary condition where a label of the mesh has a value

  Logically Collective

  Input Parameters:
+ dg    - the operator
. label - name of the label, such as "Face Sets"; `NULL` for all of the boundary
. value - its value; `PETSC_DETERMINE` for any
- kind  - a boundary condition of the system, such as "pec" of `maxwell`; "impedance:R" has a number, the resistance, and
          "conductor:sigma,from,to[,mu[,epsilon]]" those of a good conductor

  Options Database Keys:
+ -plex_dg_bc kind         - everywhere, where no other condition holds
. -plex_dg_bc_<label> kind - where the label of this name has any value; blanks in the name are written as underscores
. -plex_dg_bc_<value> kind - where the label "Face Sets" has the value
. -plex_dg_impedance_<label or value> R - the same as -plex_dg_bc_<label or value> impedance:R; -plex_dg_impedance likewise
- -plex_dg_conductor_<label or value> sigma,from,to - that of "conductor:sigma,from,to"; -plex_dg_conductor likewise

  Level: beginner

  Notes:
  With "impedance:R" of `maxwell` tangential fields are n x E = R (n x H) x n, n outward: a sheet of resistance R, in the units
  of the impedance sqrt(mu/epsilon), before a wall where n x H = 0. Waves along the normal are reflected by (R - Z)/(R + Z).
  R = 0 is "pec", R = Z "absorbing". A run may have 16 different R.

  "conductor" of `maxwell` is a wall of a metal that need not be meshed, of conductivity sigma and, where they are given, mu and
  epsilon, else those of -plex_dg_mu and -plex_dg_epsilon: tangential fields of angular frequency w have the impedance
  sqrt(i w mu/(sigma + i w epsilon)) (M. A. Leontovich, 1948), a sum of poles with relative errors of at most 1e-3 for
  angular frequencies `from` to `to`, `PlexDGFitConductor()`. Its memory variables advance with `TSPLEXLOWSTORAGE`, which
  `PlexDGSetTS()` takes, and checkpoints have them. sigma is at least 10 epsilon `to`. Each counts as one of the 16 R.

  Of several conditions that hold for a facet the last one is taken. Options come after what is set in a program. All
  processes set the same conditions. One for a label or value that no facet of the boundary has, on no process, is an
  error at set-up.

.seealso: `PlexDG`, `PlexDGSetSystem()`, `PlexDGSetFromOptions()`, `PlexDGAddSheet()`, `PlexDGFitConductor()`
@*/
PetscErrorCode PlexDGAddBoundary(PlexDG dg, const char label[], PetscInt value, const char kind[])
{
  PlexDGCondition *conditions;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  PetscAssertPointer(kind, 4);
  PetscCall(PlexDGReset(dg));
  PetscCall(PetscMalloc1(dg->nconditions + 1, &conditions));
  PetscCall(PetscArraycpy(conditions, dg->conditions, dg->nconditions));
  PetscCall(PetscFree(dg->conditions));
  dg->conditions = conditions;
  conditions += dg->nconditions++;
  conditions->label = NULL;
  conditions->value = value;
  if (label) PetscCall(PetscStrallocpy(label, &conditions->label));
  conditions->resistance = 0;
  conditions->conductor  = -1;
  PetscCall(PetscStrallocpy(kind, &conditions->kind));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGConditionsDestroy_Private(PlexDG dg)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < dg->nconditions; ++k) {
    PetscCall(PetscFree(dg->conditions[k].label));
    PetscCall(PetscFree(dg->conditions[k].kind));
  }
  PetscCall(PetscFree(dg->conditions));
  PetscCall(PetscFree(dg->conductors));
  dg->nconditions = dg->nconductors = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An option -plex_dg_<kind><suffix> numbers as the condition kind:numbers */
static PetscErrorCode PlexDGConditionOfNumbers(PlexDG dg, const char name[], const char suffix[], const char label[],
                                               PetscInt value)
{
  char      option[PETSC_MAX_OPTION_NAME], kind[256], numbers[200];
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-plex_dg_%s%s", name, suffix));
  PlexDGUnderscore_Private(option);
  PetscCall(PetscOptionsGetString(((PetscObject)dg)->options, ((PetscObject)dg)->prefix, option, numbers,
                                  sizeof(numbers), &set));
  if (!set) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(kind, sizeof(kind), "%s:%s", name, numbers));
  PetscCall(PlexDGAddBoundary(dg, label, value, kind));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An option -plex_dg_bc<suffix> as a condition, and options of values in time */
static PetscErrorCode PlexDGConditionFromOption(PlexDG dg, const char suffix[], const char label[], PetscInt value)
{
  char      option[PETSC_MAX_OPTION_NAME], kind[256];
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-plex_dg_bc%s", suffix));
  for (char *c = option; *c; ++c)
    if (*c == ' ') *c = '_';
  PetscCall(PetscOptionsGetString(((PetscObject)dg)->options, ((PetscObject)dg)->prefix, option, kind, sizeof(kind),
                                  &set));
  if (set) PetscCall(PlexDGAddBoundary(dg, label, value, kind));
  PetscCall(PlexDGConditionOfNumbers(dg, "impedance", suffix, label, value));
  PetscCall(PlexDGConditionOfNumbers(dg, "conductor", suffix, label, value));
  PetscCall(PlexDGSeriesFromOption_Private(dg, suffix, label, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* tag: what follows -plex_dg_bc_. One that is neither a label nor a value of "Face Sets" becomes a condition, too, so that
   set-up says so */
static PetscErrorCode PlexDGConditionFromTag(PlexDG dg, const char tag[])
{
  char      suffix[PETSC_MAX_OPTION_NAME], label[256], *end;
  long      value = strtol(tag, &end, 10);
  PetscBool alone = (PetscBool)(end > tag && !*end), found;
  IS        values;
  DMLabel   sets;
  PetscInt  at;

  PetscFunctionBegin;
  PetscCall(PlexDGFindLabel_Private(dg, tag, sizeof(label), label, &found));
  if (found) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(suffix, sizeof(suffix), "_%s", tag));
  if (alone) {
    PetscCall(DMGetLabel(dg->dm, "Face Sets", &sets));
    PetscCall(DMLabelGetValueISGlobal(PetscObjectComm((PetscObject)dg->dm), sets, PETSC_FALSE, &values));
    PetscCall(ISLocate(values, (PetscInt)value, &at));
    PetscCall(ISDestroy(&values));
    if (at >= 0) PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexDGConditionFromOption(dg, suffix, alone ? "Face Sets" : tag,
                                      alone ? (PetscInt)value : PETSC_DETERMINE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGConditionsSetFromOptions_Private(PlexDG dg)
{
  PetscInt        n;
  char            suffix[256];
  IS              values;
  DMLabel         sets;
  const PetscInt *value;

  PetscFunctionBegin;
  PetscCall(PlexDGConditionFromOption(dg, "", NULL, PETSC_DETERMINE));
  PetscCall(DMGetNumLabels(dg->dm, &n));
  for (PetscInt l = 0; l < n; ++l) {
    const char *name;

    PetscCall(DMGetLabelName(dg->dm, l, &name));
    PetscCall(PetscSNPrintf(suffix, sizeof(suffix), "_%s", name));
    PetscCall(PlexDGConditionFromOption(dg, suffix, name, PETSC_DETERMINE));
  }
  PetscCall(DMGetLabel(dg->dm, "Face Sets", &sets));
  /* the same conditions on all processes */
  PetscCall(DMLabelGetValueISGlobal(PetscObjectComm((PetscObject)dg->dm), sets, PETSC_FALSE, &values));
  PetscCall(ISGetLocalSize(values, &n));
  PetscCall(ISGetIndices(values, &value));
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(PetscSNPrintf(suffix, sizeof(suffix), "_%" PetscInt_FMT, value[k]));
    PetscCall(PlexDGConditionFromOption(dg, suffix, "Face Sets", value[k]));
  }
  PetscCall(ISRestoreIndices(values, &value));
  PetscCall(ISDestroy(&values));
  PetscCall(PlexDGEachTag_Private(dg, "plex_dg_bc", PlexDGConditionFromTag));
  PetscCall(PlexDGEachTag_Private(dg, "plex_dg_impedance", PlexDGConditionFromTag));
  PetscCall(PlexDGEachTag_Private(dg, "plex_dg_conductor", PlexDGConditionFromTag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The name[size] of a kind, and what is behind it: *numbers in `kind`, NULL where there is none */
static PetscErrorCode PlexDGConditionSplit(PlexDG dg, const char kind[], size_t size, char name[], const char **numbers)
{
  PlexDGSystem system    = dg->system;
  const char  *resistive = system->resistive ? system->kinds[system->resistive] : "",
             *conducting = system->conducting ? system->kinds[system->conducting] : "";
  PetscBool same[2];
  char     *at;

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(name, kind, size));
  *numbers = NULL;
  at       = strchr(name, ':');
  if (at) {
    *numbers = kind + (at - name) + 1;
    *at      = 0;
  }
  PetscCall(PetscStrcmp(name, resistive, &same[0]));
  PetscCall(PetscStrcmp(name, conducting, &same[1]));
  PetscCheck(same[0] || same[1] || !at, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_UNKNOWN_TYPE,
             "System %s has no boundary condition %s%s%s%s%s", system->name, kind,
             resistive[0] ? ": a number is that of " : "", resistive, conducting[0] ? ", numbers those of " : "",
             conducting);
  if (!same[0] && !same[1]) *numbers = NULL;
  else if (!at) *numbers = "";
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Resistance of the text behind a kind, or of a conductor, which is number *conductor, -1: it is none */
static PetscErrorCode PlexDGConditionGetResistance(PlexDG dg, const char name[], const char numbers[],
                                                   PetscReal *resistance, int *conductor)
{
  const char *resistive = dg->system->kinds[dg->system->resistive];
  PetscBool   same;
  char       *end;

  PetscFunctionBegin;
  *conductor = -1;
  PetscCall(PetscStrcmp(name, resistive, &same));
  if (!same) {
    PetscCall(PlexDGConductorFind_Private(dg, numbers, conductor));
    *resistance = dg->conductors[*conductor].resistance;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  *resistance = (PetscReal)strtod(numbers, &end);
  PetscCheck(end > numbers && !*end && *resistance >= 0. && *resistance < PETSC_INFINITY,
             PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_OUTOFRANGE,
             "Boundary condition %s needs a resistance of at least 0, as %s:0.5, not %s: 0 is pec, and without end pmc",
             resistive, resistive, *numbers ? numbers : "none");
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGConditionsSetNumbers_Private(PlexDG dg)
{
  PetscReal   numbers[PLEX_DG_MAX_RESISTANCES], number = 0.;
  PetscInt    n = 0, NC = 0;
  const char *text;
  char        name[256];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < dg->system->nconstants; ++k) NC += dg->system->constants[k].n;
  dg->nconductors = 0;
  for (PetscInt k = 0; k < dg->nconditions; ++k) {
    PetscInt at = 0;

    PetscCall(PlexDGConditionSplit(dg, dg->conditions[k].kind, sizeof(name), name, &text));
    if (!text) continue;
    PetscCall(PlexDGConditionGetResistance(dg, name, text, &number, &dg->conditions[k].conductor));
    while (at < n && numbers[at] != number) ++at;
    PetscCheck(at < PLEX_DG_MAX_RESISTANCES, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_SIZ,
               "There are more than %d different resistances and conductors of boundaries, the last one of %g: use "
               "fewer",
               PLEX_DG_MAX_RESISTANCES, (double)number);
    numbers[at]                  = number;
    dg->conditions[k].resistance = (int)at;
    n                            = PetscMax(n, at + 1);
  }
  for (PetscInt i = 0; i < PLEX_DG_MAX_RESISTANCES; ++i) dg->constants[NC + i] = i < n ? numbers[i] : 0.;
  dg->system->nresistances = n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The numbers of the conditions' kinds; kind[nconditions] */
static PetscErrorCode PlexDGConditionsGetKinds(PlexDG dg, int kind[])
{
  char        known[512], name[256];
  const char *text;

  PetscFunctionBegin;
  PetscCall(PlexDGJoinNames_Private(dg->system->nkinds, dg->system->kinds, sizeof(known), known));
  for (PetscInt k = 0; k < dg->nconditions; ++k) {
    PetscCall(PlexDGConditionSplit(dg, dg->conditions[k].kind, sizeof(name), name, &text));
    kind[k] = -1;
    for (PetscInt s = 0; s < dg->system->nkinds; ++s) {
      PetscBool same;

      PetscCall(PetscStrcmp(name, dg->system->kinds[s], &same));
      if (same) kind[k] = (int)s;
    }
    PetscCheck(kind[k] >= 0, PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE,
               "System %s has no boundary condition %s. It has: %s", dg->system->name, dg->conditions[k].kind, known);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An error that names a facet without condition, its labels, and what can be done */
static PetscErrorCode PlexDGConditionMissing(PlexDG dg, PetscInt facet)
{
  const PetscInt dim = dg->mesh->dim, e = dg->mesh->facet[facet] / dg->mesh->faces,
                 f = dg->mesh->facet[facet] % dg->mesh->faces, point = dg->mesh->facetPoint[facet];
  PetscReal      x[3] = {0., 0., 0.};
  const PetscInt nf   = PlexDGFaceSize(dim, dg->mesh->tensor);
  PetscInt       vertices[4];
  char           labels[512] = "", text[128], known[512];
  PetscInt       n;

  PetscFunctionBegin;
  PlexDGFaceVertices(dim, dg->mesh->tensor, f, vertices);
  for (PetscInt v = 0; v < nf; ++v)
    for (PetscInt d = 0; d < dim; ++d) x[d] += dg->mesh->x[(e * dg->mesh->nv + vertices[v]) * dim + d] / nf;
  PetscCall(DMGetNumLabels(dg->dm, &n));
  for (PetscInt l = 0; l < n; ++l) {
    const char *name;
    DMLabel     label;
    PetscInt    value, none;
    PetscBool   depth, celltype;

    PetscCall(DMGetLabelName(dg->dm, l, &name));
    PetscCall(DMGetLabel(dg->dm, name, &label));
    PetscCall(DMLabelGetValue(label, point, &value));
    PetscCall(DMLabelGetDefaultValue(label, &none));
    PetscCall(PetscStrcmp(name, "depth", &depth));
    PetscCall(PetscStrcmp(name, "celltype", &celltype));
    if (value == none || depth || celltype) continue;
    PetscCall(PetscSNPrintf(text, sizeof(text), "%s%s = %" PetscInt_FMT, labels[0] ? ", " : "", name, value));
    PetscCall(PetscStrlcat(labels, text, sizeof(labels)));
  }
  PetscCall(PlexDGJoinNames_Private(dg->system->nkinds, dg->system->kinds, sizeof(known), known));
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
          "The boundary has no condition at facet %" PetscInt_FMT
          ", (%g, %g, %g), labels: %s. Use -plex_dg_bc_<value of Face Sets> kind, -plex_dg_bc_<label> kind, "
          "-plex_dg_bc kind for all, or PlexDGAddBoundary(); kinds of %s: %s",
          point, (double)x[0], (double)x[1], (double)x[2], labels[0] ? labels : "none", dg->system->name, known);
}

PetscErrorCode PlexDGConditionsCount_Private(PlexDG dg, PetscInt count[])
{
  PlexDG         parts[2];
  const PetscInt n = PlexDGGetParts(dg, parts);

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(count, dg->system->nkinds));
  for (PetscInt p = 0; p < n; ++p)
    for (PetscInt b = 0; b < parts[p]->mesh->nfacets; ++b) ++count[parts[p]->kinds[b]];
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, count, (PetscMPIInt)dg->system->nkinds, MPIU_INT, MPI_SUM,
                              PetscObjectComm((PetscObject)dg)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A condition of a label that holds for no facet of any process: its name or value is wrong, and something else is
   there in its place. held[nconditions] */
PetscErrorCode PlexDGConditionsCheckHeld_Private(PlexDG dg, int held[])
{
  MPI_Comm comm = PetscObjectComm((PetscObject)dg);

  PetscFunctionBegin;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, held, (PetscMPIInt)dg->nconditions, MPI_INT, MPI_MAX, comm));
  for (PetscInt k = 0; k < dg->nconditions; ++k) {
    const PlexDGCondition *c = &dg->conditions[k];

    if (!held[k] && c->label) PetscCall(PlexLabelHoldsNowhere(comm, c->kind, c->label, c->value));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGConditionsApply_Private(PlexDG dg, int held[])
{
  PlexDGMesh mesh = dg->mesh;
  DMLabel   *labels;
  int       *kind;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(dg->nconditions, &kind, dg->nconditions, &labels));
  PetscCall(PetscMalloc3(mesh->nfacets, &dg->kinds, mesh->nfacets, &dg->resistance, mesh->nfacets, &dg->conductor));
  PetscCall(PlexDGConditionsGetKinds(dg, kind));
  for (PetscInt k = 0; k < dg->nconditions; ++k) {
    labels[k] = NULL;
    if (!dg->conditions[k].label) continue;
    PetscCall(DMGetLabel(dg->dm, dg->conditions[k].label, &labels[k]));
    PetscCheck(labels[k], PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
               "The mesh has no label %s, which boundary condition %s is for: -dm_view shows what it has",
               dg->conditions[k].label, dg->conditions[k].kind);
  }
  for (PetscInt b = 0; b < mesh->nfacets; ++b) {
    dg->kinds[b]      = -1;
    dg->resistance[b] = 0;
    dg->conductor[b]  = -1;
    for (PetscInt k = dg->nconditions; k-- > 0;) {
      PetscBool holds = PETSC_TRUE;

      if (dg->conditions[k].label)
        PetscCall(PlexLabelHolds(labels[k], dg->conditions[k].value, mesh->facetPoint[b], &holds));
      if (holds) held[k] = 1;
      if (!holds || dg->kinds[b] >= 0) continue;
      dg->kinds[b]      = kind[k];
      dg->resistance[b] = dg->conditions[k].resistance;
      dg->conductor[b]  = dg->conditions[k].conductor;
    }
    if (dg->kinds[b] < 0) PetscCall(PlexDGConditionMissing(dg, b));
  }
  PetscCall(PetscFree2(kind, labels));
  PetscFunctionReturn(PETSC_SUCCESS);
}
