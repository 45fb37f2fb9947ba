/*
  Dispersive media: poles of the susceptibility of the cells that a label names, of systems with an electric field
  (PlexDGSystem.electric). With fields proportional to exp(-i w t),

    epsilon(w) = epsilon + sum chi(w)
    Debye      chi = d/(1 - i w tau)
    Drude      chi = -p^2/(w^2 + i g w)
    Lorentz    chi = d w0^2/(w0^2 - w^2 - i g w)

  as memory variables of E (src/dg/core/memory.c), in epsilon E_t = curl H - sigma E - P_t with the polarization P of each:

    Debye      P' = (d E - P)/tau
    Drude      J = P', J' = p^2 E - g J;                     of which J/p is kept
    Lorentz    P' = J, J' = d w0^2 E - w0^2 P - g J;         of which P and J/w0 are kept

  so that the numbers of a matrix are all of the size of the pole's frequencies.
*/
#include "dgimpl.h" /*I "plexgpudg.h" I*/
#include <dg/memory_args.h>

/* What a model's numbers are: at least 0, or more than that */
typedef struct {
  const char *name, *numbers;
  PetscInt    n, m; /* numbers and memory variables of a pole */
  PetscBool   positive[3];
} PlexDGDispersionModel;

typedef enum {
  PLEX_DG_DEBYE,
  PLEX_DG_DRUDE,
  PLEX_DG_LORENTZ,
  PLEX_DG_DISPERSIONS
} PlexDGDispersionKind;

static const PlexDGDispersionModel PlexDGDispersionModels[PLEX_DG_DISPERSIONS] = {
  {"debye",   "strength,tau",             2, 1, {PETSC_FALSE, PETSC_TRUE}             },
  {"drude",   "plasma_frequency,gamma",   2, 1, {PETSC_FALSE, PETSC_FALSE}            },
  {"lorentz", "strength,frequency,gamma", 3, 2, {PETSC_FALSE, PETSC_TRUE, PETSC_FALSE}}
};

/* ---- Settings */

PetscErrorCode PlexDGDispersionsDestroy_Private(PlexDG dg)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < dg->ndispersions; ++k) PetscCall(PetscFree(dg->dispersions[k].where.label));
  PetscCall(PetscFree(dg->dispersions));
  dg->ndispersions = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

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
  beginning, of each run of a `TS` from step 0, and advance with `TSPLEXLOWSTORAGE`, which `PlexDGSetTS()` chooses, exactly: the
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

/* ---- Which cell has which */

static PetscErrorCode PlexDGDispersionsAgree(PlexDG dg, PetscInt e, const PlexDGDispersion *a,
                                             const PlexDGDispersion *b)
{
  char      cell[160], name[2][256];
  PetscBool same = (PetscBool)(a->n == b->n);

  PetscFunctionBegin;
  if (same) PetscCall(PetscArraycmp(&a->poles[0][0], &b->poles[0][0], 3 * a->n, &same));
  if (same) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGMeshCellName_Private(dg->mesh, e, sizeof(cell), cell));
  PetscCall(PlexDGMaterialName_Private(&a->where, sizeof(name[0]), name[0]));
  PetscCall(PlexDGMaterialName_Private(&b->where, sizeof(name[1]), name[1]));
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_INCOMP,
          "There are two dispersive media of model %s for %s: %s and %s. Leave one of them out of the options or of "
          "PlexDGAddDispersion(), or give both the same poles",
          PlexDGDispersionModels[a->model].name, cell, name[0], name[1]);
}

/* Those of own element e by models, NULL: none. Labels come before all other cells, options before a program */
static PetscErrorCode PlexDGDispersionFind(PlexDG dg, PetscInt e, const PlexDGDispersion *found[PLEX_DG_DISPERSIONS],
                                           PetscInt held[])
{
  PlexDG    whole = dg->whole ? dg->whole : dg;
  PetscBool any   = PETSC_FALSE;

  PetscFunctionBegin;
  for (int k = 0; k < PLEX_DG_DISPERSIONS; ++k) found[k] = NULL;
  for (int option = 1; option >= 0; --option)
    for (PetscInt k = 0; k < whole->ndispersions; ++k) {
      const PlexDGDispersion  *d    = &whole->dispersions[k];
      const PlexDGDispersion **here = &found[d->model];
      PetscBool                holds;

      if (!d->where.label || d->where.option != (PetscBool)option) continue;
      PetscCall(PlexDGMaterialHolds_Private(dg, &d->where, e, &holds));
      if (!holds) continue;
      held[k] = 1;
      any     = PETSC_TRUE;
      if (*here && (*here)->where.option == d->where.option) PetscCall(PlexDGDispersionsAgree(dg, e, *here, d));
      if (!*here) *here = d;
    }
  for (PetscInt k = 0; k < whole->ndispersions && !any; ++k)
    if (!whole->dispersions[k].where.label) found[whole->dispersions[k].model] = &whole->dispersions[k];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Memory variables of E */
static PetscInt PlexDGDispersionCount(const PlexDGDispersion *const found[PLEX_DG_DISPERSIONS])
{
  PetscInt m = 0;

  for (int k = 0; k < PLEX_DG_DISPERSIONS; ++k) m += found[k] ? PlexDGDispersionModels[k].m * found[k]->n : 0;
  return m;
}

/* M[(m + 1)^2] of (E, variables), where E is in a medium of this epsilon */
static void PlexDGDispersionGetMatrix(const PlexDGDispersion *const found[PLEX_DG_DISPERSIONS], PetscReal epsilon,
                                      PetscInt m, PetscReal M[])
{
  const PetscInt n = m + 1;
  PetscInt       v = 1; /* the next variable */

  for (PetscInt k = 0; k < n * n; ++k) M[k] = 0.;
  for (int k = 0; k < PLEX_DG_DISPERSIONS; ++k)
    for (PetscInt p = 0; found[k] && p < found[k]->n; ++p) {
      const PetscReal *pole = found[k]->poles[p];

      if (k == PLEX_DG_DEBYE) {
        M[0] -= pole[0] / (pole[1] * epsilon);
        M[v]         = 1. / (pole[1] * epsilon);
        M[v * n]     = pole[0] / pole[1];
        M[v * n + v] = -1. / pole[1];
      } else if (k == PLEX_DG_DRUDE) {
        M[v]         = -pole[0] / epsilon;
        M[v * n]     = pole[0];
        M[v * n + v] = -pole[1];
      } else {
        const PetscInt q = v + 1; /* J/w0 */

        M[q]         = -pole[1] / epsilon;
        M[v * n + q] = pole[1];
        M[q * n]     = pole[0] * pole[1];
        M[q * n + v] = -pole[1];
        M[q * n + q] = -pole[2];
      }
      v += PlexDGDispersionModels[k].m;
    }
}

/* Of an operator without parts: memory variables of its elements; held[ndispersions], counts[ndispersions] cells */
static PetscErrorCode PlexDGDispersionsSetUpPart(PlexDG dg, PetscInt held[], PetscInt counts[])
{
  const PlexDGDispersion *found[PLEX_DG_DISPERSIONS];
  const PlexDG            whole = dg->whole ? dg->whole : dg;
  PetscReal               M[(PLEX_MEMORY_MOST + 1) * (PLEX_MEMORY_MOST + 1)];

  PetscFunctionBegin;
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e) {
    PetscInt m;

    PetscCall(PlexDGDispersionFind(dg, e, found, held));
    m = PlexDGDispersionCount(found);
    if (!m) continue;
    if (m > PLEX_MEMORY_MOST) {
      char cell[160];

      PetscCall(PlexDGMeshCellName_Private(dg->mesh, e, sizeof(cell), cell));
      SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
              "The dispersive media of %s have %" PetscInt_FMT
              " memory variables, one a pole of debye and drude and two of "
              "lorentz, and there may be %d: give it fewer poles",
              cell, m, PLEX_MEMORY_MOST);
    }
    PlexDGDispersionGetMatrix(found, dg->coefficients[e * dg->system->ncoefficients], m, M);
    for (PetscInt f = 0; f < dg->system->electric; ++f)
      PetscCall(PlexDGMemoryAdd_Private(dg, e, f, m, PETSC_FALSE, PETSC_FALSE, M));
    for (int k = 0; k < PLEX_DG_DISPERSIONS; ++k)
      if (found[k]) ++counts[found[k] - whole->dispersions];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What enters at a boundary is a wave of a medium without dispersion */
static PetscErrorCode PlexDGDispersionsCheckBoundary(PlexDG dg)
{
  PlexDGMesh mesh = dg->mesh;

  PetscFunctionBegin;
  for (PetscInt b = 0; b < mesh->nfacets; ++b) {
    const char *kind = dg->system->kinds[dg->kinds[b]];
    PetscBool   incident, scatterer;
    char        cell[160];

    PetscCall(PetscStrcmp(kind, "incident", &incident));
    PetscCall(PetscStrcmp(kind, "scatterer", &scatterer));
    if ((!incident && !scatterer) || !PlexDGMemoryHas_Private(dg, mesh->facet[b] / mesh->faces, 0)) continue;
    PetscCall(PlexDGMeshCellName_Private(mesh, mesh->facet[b] / mesh->faces, sizeof(cell), cell));
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP,
            "A facet of the dispersive %s has the boundary condition %s, whose wave knows no dispersion: let a wave "
            "enter "
            "where there is none, or on a surface of -plex_dg_total_field",
            cell, kind);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGDispersionsSetUp_Private(PlexDG dg)
{
  MPI_Comm       comm = PetscObjectComm((PetscObject)dg);
  PlexDG         parts[2];
  const PetscInt n = PlexDGGetParts(dg, parts), nd = dg->ndispersions;
  PetscInt      *counts; /* cells that take each, and whether there are cells that have it */

  PetscFunctionBegin;
  if (!nd) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1(2 * nd, &counts));
  for (PetscInt p = 0; p < n; ++p) PetscCall(PlexDGDispersionsSetUpPart(parts[p], &counts[nd], counts));
  for (PetscInt p = 0; p < n; ++p) PetscCall(PlexDGDispersionsCheckBoundary(parts[p]));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, counts, (PetscMPIInt)(2 * nd), MPIU_INT, MPI_SUM, comm));
  for (PetscInt k = 0; k < nd; ++k) {
    PlexDGMaterial *where = &dg->dispersions[k].where;

    where->cells = counts[k];
    if (where->label && !counts[nd + k])
      PetscCall(PlexDGMaterialMissing_Private(dg, where, PlexDGDispersionModels[dg->dispersions[k].model].name,
                                              "PlexDGAddDispersion()"));
  }
  PetscCall(PetscFree(counts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGDispersionsView_Private(PlexDG dg, PetscViewer viewer)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < dg->ndispersions; ++k) {
    const PlexDGDispersion      *d     = &dg->dispersions[k];
    const PlexDGDispersionModel *model = &PlexDGDispersionModels[d->model];
    char                         name[256], numbers[1024] = "", part[64];

    PetscCall(PlexDGMaterialName_Private(&d->where, sizeof(name), name));
    for (PetscInt p = 0; p < d->n; ++p)
      for (PetscInt i = 0; i < model->n; ++i) {
        PetscCall(PetscSNPrintf(part, sizeof(part), "%s %g", i ? "," : p ? ";" : "", (double)d->poles[p][i]));
        PetscCall(PetscStrlcat(numbers, part, sizeof(numbers)));
      }
    PetscCall(PetscViewerASCIIPrintf(viewer, "dispersive medium %s: %s (%s)%s, %" PetscInt_FMT " cells\n", name,
                                     model->name, model->numbers, numbers, d->where.cells));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
