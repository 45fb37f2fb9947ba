/*
  Which type `auto` takes for a product: a chain of rules from measurements (docs/notes/2026-rounds.md), and where none
  applies the type that the cost model expects to be the fastest, if it is so clearly.
*/
#include "tuneimpl.h"

/* assemblies from which on 1.2 times the best type's time is allowed in the place of 2; another type than the usual one
   comes first where the most that may be regretted is so many times as much at most */
#define PLEX_FIRST_MANY  1e4
#define PLEX_FIRST_LESS  (2. / 1.2)
#define PLEX_FIRST_CLEAR 0.75
/* seconds that set-up takes with any type: a constant, and of an element; of an H100 and its host, as plans are */
#define PLEX_FIRST_BASE    0.02
#define PLEX_FIRST_ELEMENT 30e-9

/* Rules, the least favourable first: processes take the least of their own. local_row has symmetry classes of boxes, and
   of tetrahedra; by runs global_row computes an element once, which is faster but for small elements of symmetric forms
   and triangles of order 1 */
typedef enum {
  PLEX_RULE_NONE,
  PLEX_RULE_SYMMETRY,
  PLEX_RULE_MONOMIALS,
  PLEX_RULE_SUMFACTOR,
  PLEX_RULE_MATRICES
} PlexRule;

static const struct {
  PlexAssemblyType type;
  const char      *why;
} PlexRules[] = {
  [PLEX_RULE_SYMMETRY]  = {PLEXASSEMBLYLOCALROW,  "it computes rows by symmetry classes, each compiled"            },
  [PLEX_RULE_MONOMIALS] = {PLEXASSEMBLYGLOBALROW,
                           "it computes each element once, by runs of elements whose numbers are fetched ahead"    },
  [PLEX_RULE_SUMFACTOR] = {PLEXASSEMBLYLOCALROW,  "it sums along lines of points, and computes each element's once"},
  [PLEX_RULE_MATRICES]  = {PLEXASSEMBLYSHAREDNZ,  "it sums element matrices that are in shared memory"             }
};

static PlexRule PlexRuleOf(const PlexModelData *data, const PlexModelInput *in)
{
  if (in->kind != PLEX_JACOBIAN) return PLEX_RULE_NONE;
  if (in->matrices > 0 || in->flopsMatrix > 0) return PLEX_RULE_MATRICES;
  if (in->flopsLines > 0) return PLEX_RULE_SUMFACTOR;
  if (in->runs > 0 && (in->ef >= data->runsDofs || (in->symmetric <= 0 && in->ef > 3))) return PLEX_RULE_MONOMIALS;
  if (in->turned > 0 && in->tensor <= 0 && (in->dim == 3 || in->Nv > 3)) return PLEX_RULE_SYMMETRY;
  return PLEX_RULE_NONE;
}

/*
  pick: of the types that the model knows, one of which `present` is element_atomic, the choice where no other is
  clearly faster, though its sums are not bitwise repeatable; where they are to be, element_color. seconds[]: PETSC_MAX_REAL for types that are none to
  choose; elements: most of a process, of which a few take the time of launches.
*/
static PetscErrorCode PlexChoose(const PlexModelData *data, const double seconds[PLEX_MODEL_TYPES], double elements,
                                 PlexRule rule, PetscBool deterministic, size_t *pick, size_t *present)
{
  const char *const usual = deterministic ? PLEXASSEMBLYELEMENTCOLOR : PLEXASSEMBLYELEMENTATOMIC;
  PetscBool         same;

  PetscFunctionBegin;
  *pick = *present = 0;
  for (size_t k = 0; k < PLEX_MODEL_TYPES; ++k) {
    PetscCall(PetscStrcmp(data->types[k].type, usual, &same));
    if (same) *present = k;
    if (seconds[k] < seconds[*pick]) *pick = k;
  }
  if (seconds[*present] < PETSC_MAX_REAL &&
      (elements < data->least || seconds[*present] <= data->clear * seconds[*pick]))
    *pick = *present;
  for (size_t k = 0; k < PLEX_MODEL_TYPES && rule != PLEX_RULE_NONE && elements >= data->least; ++k) {
    PetscCall(PetscStrcmp(data->types[k].type, PlexRules[rule].type, &same));
    if (same && seconds[k] < PETSC_MAX_REAL) *pick = k;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What all processes have in common: of the slowest one the seconds of each type and of its plan, most elements, and the
   least rule */
typedef struct {
  double seconds[PLEX_MODEL_TYPES], plan[PLEX_MODEL_TYPES], elements, rule; /* rule: negative */
} PlexForecast;

/* Seconds of a plan */
static PetscErrorCode PlexPlanPredict(const PlexModelType *type, const PlexModelInput *in, double *seconds)
{
  /* by pairs a plan is of nodes or points, and a kernel of all components of each */
  const double  things  = in->points > 0 ? in->points : in->ef / PetscMax(1.0, in->pairs);
  double        entries = in->kind == PLEX_JACOBIAN ? in->ef * in->ef : in->ef;
  const double *c;
  PetscInt      kind;

  PetscFunctionBegin;
  PetscCall(PlexModelGetKind(in, type->type, &kind));
  if (kind == PLEX_MODEL_EDGES) entries = things * things * PetscMax(1.0, in->pairs);
  c        = type->plan[PetscMax(0, kind)];
  *seconds = kind < 0 ? 0.0 : c[0] + 1e-9 * in->Ne * (c[1] + c[2] * entries);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexForecastGet(PlexAssembly asm_, const PlexModelData *data, PlexProductKind kind,
                                      PlexForecast *f)
{
  PlexModelInput in;
  PlexModelRates rates;
  PlexModelCost  cost;
  PetscBool      known, atomic, serves;

  PetscFunctionBegin;
  PetscCall(PlexModelGetRates(asm_->backend, &rates));
  *f = (PlexForecast){.rule = -(double)PLEX_RULE_MATRICES};
  if (asm_->elements->Ne && PlexAssemblyHasProduct_Private(asm_, kind)) {
    PetscCall(PlexModelGetInput(asm_, kind, (PetscBool)(asm_->symmetric == PETSC_BOOL3_TRUE), &in));
    for (size_t k = 0; k < PLEX_MODEL_TYPES; ++k) {
      PetscCall(PlexModelPredict(&in, data->types[k].type, &rates, &cost, &known));
      PetscCall(PetscStrcmp(data->types[k].type, PLEXASSEMBLYELEMENTATOMIC, &atomic));
      PetscCall(PlexTypeServes_Private(asm_, data->types[k].type, &serves));
      f->seconds[k] = known && serves && !(atomic && asm_->deterministic) ? cost.seconds : PETSC_MAX_REAL;
      PetscCall(PlexPlanPredict(&data->types[k], &in, &f->plan[k]));
    }
    f->elements = in.Ne;
    f->rule     = asm_->elements->vectors ? -(double)PLEX_RULE_NONE : -(double)PlexRuleOf(data, &in);
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, f, 2 * PLEX_MODEL_TYPES + 2, MPI_DOUBLE, MPI_MAX,
                              PetscObjectComm((PetscObject)asm_)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Why the type `pick` is the fastest */
static PetscErrorCode PlexChoiceSay(PlexAssembly asm_, PlexProductKind kind, const PlexModelData *data,
                                    const PlexForecast *f, size_t pick, size_t present, char text[], size_t size)
{
  const PlexRule    rule       = (PlexRule)-f->rule;
  const char *const repeatable = asm_->deterministic ? "" : "; its sums are not bitwise repeatable";

  PetscFunctionBegin;
  if (!PlexAssemblyHasProduct_Private(asm_, kind))
    PetscCall(PetscStrncpy(text, "the cells have no function of it", size));
  else if (f->elements < data->least)
    PetscCall(PetscSNPrintf(text, size, "a small mesh takes the time of its launches%s", repeatable));
  else if (rule != PLEX_RULE_NONE) PetscCall(PetscStrncpy(text, PlexRules[rule].why, size));
  else if (pick == present)
    PetscCall(PetscSNPrintf(text, size, "no other is clearly faster by the cost model, which expects %.3g ms of it%s",
                            1e3 * f->seconds[pick], repeatable));
  else
    PetscCall(PetscSNPrintf(text, size, "the cost model expects %.3g ms of it, and %.3g ms of %s",
                            1e3 * f->seconds[pick], 1e3 * f->seconds[present], data->types[present].type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The most that a type which another one follows, as later.c has it, takes over the time of the type that is best in
   hindsight, whenever the program ends; from many assemblies on less of that is allowed */
static double PlexRegret(const double seconds[], const PlexForecast *f, size_t first, size_t later)
{
  const double *plan = f->plan, base = PLEX_FIRST_BASE + PLEX_FIRST_ELEMENT * f->elements;
  const double  after = PLEX_LATER_SHARE * plan[later] / PetscMax(1e-12, seconds[first] - seconds[later]);
  double        most  = 0;

  for (double n = 1; n < 1e5; n *= 1.25) {
    const double changed = n > after ? plan[later] + (n - after) * seconds[later] : 0,
                 all     = base + plan[first] + PetscMin(n, after) * seconds[first] + changed;
    double       best    = PETSC_MAX_REAL;

    for (size_t k = 0; k < PLEX_MODEL_TYPES; ++k)
      if (seconds[k] < PETSC_MAX_REAL) best = PetscMin(best, base + plan[k] + n * seconds[k]);
    most = PetscMax(most, all / best * (n >= PLEX_FIRST_MANY ? PLEX_FIRST_LESS : 1));
  }
  return most;
}

/* What comes before `pick`: `present`, or another type where that may be regretted clearly less */
static size_t PlexChooseFirst(const double seconds[], const PlexForecast *f, size_t present, size_t pick)
{
  size_t first = present;
  double least = PLEX_FIRST_CLEAR * PlexRegret(seconds, f, present, pick);

  for (size_t k = 0; k < PLEX_MODEL_TYPES; ++k) {
    const double regret = seconds[k] < PETSC_MAX_REAL && seconds[pick] < seconds[k] ? PlexRegret(seconds, f, k, pick)
                                                                                    : PETSC_MAX_REAL;

    if (regret >= least) continue;
    least = regret;
    first = k;
  }
  return first;
}

/*
  The type that is fastest, or, where its plan takes longer than that of another one, the one with the least time in all
  for the assemblies that are expected. Where their number is not known, one whose plan is soon made at first, and the
  fastest one later.
*/
PetscErrorCode PlexChooseType_Private(PlexAssembly asm_, PlexProductKind kind, PlexChoice *choice)
{
  const PetscInt       expected = asm_->expected;
  const PlexModelData *data;
  PlexForecast         f;
  size_t               pick, present, first;
  double               seconds[PLEX_MODEL_TYPES];
  PetscBool            soon;
  char                 text[512];

  PetscFunctionBegin;
  PetscCall(PlexModelGetData_Private(&data));
  PetscCall(PlexForecastGet(asm_, data, kind, &f));
  PetscCall(PlexChoose(data, f.seconds, f.elements, (PlexRule)-f.rule, asm_->deterministic, &pick, &present));
  PetscCall(PlexChoiceSay(asm_, kind, data, &f, pick, present, text, sizeof(text)));
  soon = (PetscBool)(pick != present && f.plan[pick] > f.plan[present] && expected != PETSC_UNLIMITED && !asm_->tuner &&
                     f.seconds[present] < PETSC_MAX_REAL);
  *choice = (PlexChoice){.type = data->types[pick].type};
  if (soon) {
    PetscCall(PetscArraycpy(seconds, f.seconds, PLEX_MODEL_TYPES));
    /* a rule knows better than the model, as far as that goes */
    seconds[pick] = PetscMin(f.seconds[pick], f.seconds[present] / data->clear);
    first         = PlexChooseFirst(seconds, &f, present, pick);
    if (expected == PETSC_DETERMINE && !asm_->deterministic) {
      choice->later = (PlexFollower){data->types[pick].type, seconds[pick] / seconds[first], f.plan[pick]};
      PetscCall(PetscSNPrintf(text, sizeof(text), "its plan is soon made; %s follows once its own plan pays",
                              data->types[pick].type));
    } else if (expected > 0 && f.plan[first] + expected * seconds[first] < f.plan[pick] + expected * seconds[pick]) {
      PetscCall(PetscSNPrintf(text, sizeof(text),
                              "its plan is soon made, and that of %s would take more than is saved in %" PetscInt_FMT
                              " assemblies",
                              data->types[pick].type, expected));
    } else first = pick;
    choice->type = data->types[first].type;
  }
  PetscCall(PetscStrallocpy(text, &choice->why));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTuneResultJudgeModel(const PlexTuneResult *r, PlexProductKind kind, const char **pick,
                                        const char **best, double *ratio, double *tuned)
{
  const PlexModelData  *data;
  const PlexModelInput *in  = &r->input[kind];
  const PlexCandidate  *own = &r->candidates[0];
  double        fastest = PETSC_MAX_REAL, all = PETSC_MAX_REAL, predicted[PLEX_MODEL_TYPES], measured[PLEX_MODEL_TYPES];
  size_t        choice, present;
  PlexModelCost cost;
  PetscBool     same, known;

  PetscFunctionBegin;
  *pick = *best = NULL;
  *ratio        = 0;
  PetscCall(PlexModelGetData_Private(&data));
  if (in->Ne <= 0) PetscFunctionReturn(PETSC_SUCCESS); /* not this model's */
  for (size_t t = 0; t < PLEX_MODEL_TYPES; ++t) predicted[t] = measured[t] = PETSC_MAX_REAL;
  for (PetscInt k = 0; k < r->n; ++k) {
    const PlexCandidate *c       = &r->candidates[k];
    const double         seconds = c->seconds[kind];

    if (c->state != PLEX_CANDIDATE_MEASURED || seconds <= 0) continue;
    all = PetscMin(all, seconds);
    if (c->block != own->block || c->team != own->team || c->partition != own->partition) continue;
    if (seconds < fastest) {
      fastest = seconds;
      *best   = c->type;
    }
    for (size_t t = 0; t < PLEX_MODEL_TYPES; ++t) {
      PetscCall(PetscStrcmp(c->type, data->types[t].type, &same));
      if (!same) continue;
      PetscCall(PlexModelPredict(in, c->type, &r->rates, &cost, &known));
      if (known) predicted[t] = cost.seconds;
      measured[t] = PetscMin(measured[t], seconds);
    }
  }
  PetscCall(PlexChoose(data, predicted, in->Ne, PlexRuleOf(data, in), PETSC_FALSE, &choice, &present));
  if (predicted[choice] == PETSC_MAX_REAL) PetscFunctionReturn(PETSC_SUCCESS);
  *pick  = data->types[choice].type;
  *ratio = measured[choice] / fastest;
  if (tuned) *tuned = measured[choice] / all;
  PetscFunctionReturn(PETSC_SUCCESS);
}
