/*
  Dispersive media, poles of the susceptibility of the cells that a label names: as settings of a program, and options.
  dispersioncells.c has the models, and finds the cells
*/
#include "dispersion.h" /*I "plexgpudg.h" I*/

/* ---- Settings */

/* Sets the poles of a model where a label has a value; source: the option, or a function, for messages */
static PetscErrorCode PlexDGDispersionSet(PlexDG dg, const char label[], PetscInt value, PlexDGDispersionKind kind,
                                          PetscInt n, const PetscReal numbers[], PetscBool option, const char source[])
{
  MPI_Comm                     comm  = PetscObjectComm((PetscObject)dg);
  const PlexDGDispersionModel *model = &PlexDGDispersionModels[kind];
  PlexDGDispersion            *d     = NULL;

  PetscFunctionBegin;
  PetscCheck(dg->system, comm, PETSC_ERR_ORDER,
             "There is no system yet that could have dispersive media: call PlexDGSetSystem() first");
  PetscCheck(dg->system->electric, comm, PETSC_ERR_ARG_INCOMP,
             "System %s has no electric field, and so no dispersive media: see %s and -plex_dg_system maxwell",
             dg->system->name, source);
  PetscCheck(n >= model->n && n % model->n == 0 && n / model->n <= PLEX_DG_MAX_POLES, comm, PETSC_ERR_ARG_SIZ,
             "%s has %" PetscInt_FMT " numbers, and each pole of model %s has %" PetscInt_FMT
             ", %s, of %d poles at most",
             source, n, model->name, model->n, model->numbers, PLEX_DG_MAX_POLES);
  for (PetscInt k = 0; k < n; ++k)
    PetscCheck(numbers[k] >= 0. && numbers[k] < PETSC_INFINITY && (numbers[k] > 0. || !model->positive[k % model->n]),
               comm, PETSC_ERR_ARG_OUTOFRANGE,
               "%s has %g as number %" PetscInt_FMT " of pole %" PetscInt_FMT " (%s), which has to be %s, and finite: "
               "other media would amplify waves",
               source, (double)numbers[k], k % model->n + 1, k / model->n + 1, model->numbers,
               model->positive[k % model->n] ? "more than 0" : "0 or more");
  PetscCall(PlexDGReset(dg));
  for (PetscInt k = 0; k < dg->ndispersions && !d; ++k) {
    const PlexDGMaterial *where = &dg->dispersions[k].where;
    PetscBool             same  = (PetscBool)(!label && !where->label);

    if (label && where->label) PetscCall(PetscStrcmp(label, where->label, &same));
    if (same && dg->dispersions[k].model == (int)kind && (!label || where->value == value)) d = &dg->dispersions[k];
  }
  if (!d) {
    PetscCall(PetscRealloc(sizeof(*d) * (size_t)(dg->ndispersions + 1), &dg->dispersions));
    d = &dg->dispersions[dg->ndispersions++];
    PetscCall(PetscMemzero(d, sizeof(*d)));
    if (label) PetscCall(PetscStrallocpy(label, &d->where.label));
    d->where.value = value;
    d->model       = (int)kind;
  }
  d->where.option = option;
  d->n            = n / model->n;
  for (PetscInt k = 0; k < n; ++k) d->poles[k / model->n][k % model->n] = numbers[k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexDGAddDispersion - Makes the cells where a label of the mesh has a value a dispersive medium: sets poles of a model

  Logically Collective

  Input Parameters:
+ dg      - the operator, its system set: `maxwell`, or one made of it
. label   - name of the label, such as "Cell Sets"; `NULL` for all cells without another dispersive medium
. value   - its value; `PETSC_DETERMINE` for any
. model   - debye, drude or lorentz
. n       - how many numbers there are: as many as a pole has, times the number of poles
- numbers - of the poles, one after the other: debye strength d and time tau; drude plasma frequency p and rate of
            collisions g; lorentz strength d, frequency w0 and rate g

  Options Database Keys:
+ -plex_dg_debye_<tag> strength,tau,...              - likewise; tags are those of `PlexDGAddMaterial()`
. -plex_dg_drude_<tag> plasma_frequency,gamma,...    - likewise
- -plex_dg_lorentz_<tag> strength,frequency,gamma,... - likewise; without _<tag> in all cells that have none

  Level: beginner

  Notes:
  With fields proportional to exp(-i w t) the relative permittivity of such a cell is
  epsilon + sum d/(1 - i w tau) - sum p^2/(w^2 + i g w) + sum d w0^2/(w0^2 - w^2 - i g w), where epsilon is the coefficient of
  that name (`PlexDGAddMaterial()`), that of high frequencies, and a cell has the sum of the models that are set for it. Frequencies
  are angular. The units are those of the system, where the speed of light in a cell is 1/sqrt(epsilon mu): with lengths
  in micrometres and vacuum 1, 1, a wave of 0.6 um has frequency 2 pi/0.6, and a plasma frequency of 1.37e16/s is
  1.37e16/2.998e14 = 45.7. A conductivity may come with them.

  Numbers that are negative, a tau or w0 of 0, more than 8 memory variables of E (each debye and drude pole has one,
  lorentz two), two different ones for a cell, and a label that no cell has are errors.

  Each E of such an element has memory variables beside the state, which belong to the operator. They are 0 at the
  beginning of each run, as those of `PlexDGSetPML()`, and advance with `TSPLEXLOWSTORAGE`, which `PlexDGSetTS()` chooses, exactly: the
  step is that of the speed 1/sqrt(epsilon mu), whatever tau and rates are, and at most 1.7/w where a medium without waves
  oscillates with frequency w, p/sqrt(epsilon) for one. Another `TSType` is an error. Checkpoints keep
  them. `PlexDGComputeRHS()` takes the present ones; `PlexDGComputeEnergy()` leaves their energy out.

  A second call for the same label, value and model replaces the first one. All processes set the same.

.seealso: `PlexDG`, `PlexDGAddMaterial()`, `TSPLEXLOWSTORAGE`, `PlexDGSetTS()`
@*/
PetscErrorCode PlexDGAddDispersion(PlexDG dg, const char label[], PetscInt value, const char model[], PetscInt n,
                                   const PetscReal numbers[])
{
  PetscInt  kind = 0;
  PetscBool same = PETSC_FALSE;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dg, PLEXDG_CLASSID, 1);
  if (label) PetscAssertPointer(label, 2);
  PetscAssertPointer(model, 4);
  PetscAssertPointer(numbers, 6);
  for (; kind < PLEX_DG_DISPERSIONS && !same; kind += !same)
    PetscCall(PetscStrcmp(model, PlexDGDispersionModels[kind].name, &same));
  PetscCheck(same, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_UNKNOWN_TYPE,
             "There is no model %s of dispersive media: debye, drude or lorentz", model);
  PetscCall(PlexDGDispersionSet(dg, label, value, (PlexDGDispersionKind)kind, n, numbers, PETSC_FALSE,
                                "PlexDGAddDispersion()"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Options */

static PetscErrorCode PlexDGDispersionFromOption(PlexDG dg, PlexDGDispersionKind kind, const char tag[])
{
  char      option[PETSC_MAX_OPTION_NAME], label[256];
  PetscReal numbers[3 * PLEX_DG_MAX_POLES + 1];
  PetscInt  n = PETSC_STATIC_ARRAY_LENGTH(numbers), value = PETSC_DETERMINE;
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(option, sizeof(option), "-plex_dg_%s%s%s", PlexDGDispersionModels[kind].name, tag ? "_" : "",
                          tag ? tag : ""));
  PetscCall(PetscOptionsGetRealArray(((PetscObject)dg)->options, ((PetscObject)dg)->prefix, option, numbers, &n, &set));
  if (!set) PetscFunctionReturn(PETSC_SUCCESS);
  if (tag) PetscCall(PlexDGMaterialTag_Private(dg, tag, sizeof(label), label, &value));
  PetscCall(PlexDGDispersionSet(dg, tag ? label : NULL, value, kind, n, numbers, PETSC_TRUE, option));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGDebyeFromTag(PlexDG dg, const char tag[])
{
  PetscFunctionBegin;
  PetscCall(PlexDGDispersionFromOption(dg, PLEX_DG_DEBYE, tag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGDrudeFromTag(PlexDG dg, const char tag[])
{
  PetscFunctionBegin;
  PetscCall(PlexDGDispersionFromOption(dg, PLEX_DG_DRUDE, tag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGLorentzFromTag(PlexDG dg, const char tag[])
{
  PetscFunctionBegin;
  PetscCall(PlexDGDispersionFromOption(dg, PLEX_DG_LORENTZ, tag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGDispersionsSetFromOptions_Private(PlexDG dg)
{
  PetscFunctionBegin;
  if (!dg->system) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < PLEX_DG_DISPERSIONS; ++k)
    PetscCall(PlexDGDispersionFromOption(dg, (PlexDGDispersionKind)k, NULL));
  PetscCall(PlexDGEachTag_Private(dg, "plex_dg_debye", PlexDGDebyeFromTag));
  PetscCall(PlexDGEachTag_Private(dg, "plex_dg_drude", PlexDGDrudeFromTag));
  PetscCall(PlexDGEachTag_Private(dg, "plex_dg_lorentz", PlexDGLorentzFromTag));
  PetscFunctionReturn(PETSC_SUCCESS);
}
