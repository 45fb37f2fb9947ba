/* Which ways to assemble there are, and in which order they are tried. */
#include "tuneimpl.h"

/* What is known of each type: which sizes it uses, and the seconds that its plans take for an entry of the element
   matrices, Ne ef^2, on one core of an AMD EPYC 9005 (docs/notes/2026-rounds.md, 2026-11-21). Types of the user's own:
   the last line. */
typedef struct {
  PlexAssemblyType type;
  PetscBool        team, partition;
  double           plan;
} PlexTypeTraits;

static const PlexTypeTraits PlexTraits[] = {
  {PLEXASSEMBLYELEMENTCOLOR,  PETSC_TRUE,  PETSC_FALSE, 25e-9},
  {PLEXASSEMBLYELEMENTATOMIC, PETSC_TRUE,  PETSC_FALSE, 12e-9},
  {PLEXASSEMBLYGLOBALNZ,      PETSC_TRUE,  PETSC_TRUE,  60e-9},
  {PLEXASSEMBLYGLOBALROW,     PETSC_TRUE,  PETSC_TRUE,  20e-9},
  {PLEXASSEMBLYSHAREDNZ,      PETSC_TRUE,  PETSC_TRUE,  90e-9},
  {PLEXASSEMBLYSHAREDROW,     PETSC_TRUE,  PETSC_TRUE,  70e-9},
  {PLEXASSEMBLYLOCALNZ,       PETSC_FALSE, PETSC_TRUE,  90e-9},
  {PLEXASSEMBLYLOCALROW,      PETSC_TRUE,  PETSC_TRUE,  60e-9},
  {NULL,                      PETSC_TRUE,  PETSC_TRUE,  60e-9}
};

static PetscErrorCode PlexTraitsFind(const char type[], const PlexTypeTraits **traits)
{
  PetscBool same = PETSC_FALSE;

  PetscFunctionBegin;
  for (*traits = PlexTraits; (*traits)->type && !same; *traits += !same)
    PetscCall(PetscStrcmp((*traits)->type, type, &same));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool PlexCandidateServes_Private(PlexTuneSearch *s, PlexProductKind kind, const PlexCandidate *c)
{
  return (PetscBool)(s->has[kind] && (!s->asm_->tuner->typeFixed[kind] || !strcmp(s->present[kind], c->type)));
}

PetscBool PlexCandidateIsPresent_Private(PlexTuneSearch *s, PlexProductKind kind, const PlexCandidate *c)
{
  const PlexTuner tuner       = s->asm_->tuner;
  const PetscBool integration = (PetscBool)(tuner->integration != PLEX_INTEGRATION_AUTO ||
                                            !strcmp(c->integration,
                                                    PlexIntegrations[s->tensors ? PLEX_INTEGRATION_TENSOR
                                                                                : PLEX_INTEGRATION_QUADRATURE]));

  return (PetscBool)(s->has[kind] && integration && !strcmp(s->present[kind], c->type) && c->block == tuner->block &&
                     c->team == tuner->team && c->partition == tuner->partition);
}

PetscErrorCode PlexTuneResultGetBest(const PlexTuneResult *r, PetscInt products, PetscInt *best)
{
  double least = PETSC_MAX_REAL;

  PetscFunctionBegin;
  *best = -1;
  for (PetscInt k = 0; k < r->n; ++k) {
    const PlexCandidate *c       = &r->candidates[k];
    double               seconds = 0;
    PetscBool            all     = (PetscBool)(c->state == PLEX_CANDIDATE_MEASURED);

    for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) {
      if (!(products & (1 << kind))) continue;
      seconds += c->seconds[kind];
      if (c->seconds[kind] <= 0) all = PETSC_FALSE;
    }
    if (!all || seconds >= least) continue;
    least = seconds;
    *best = k;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

double PlexTuneExpectPlan_Private(PlexTuneSearch *s, PlexProductKind kind, const PlexCandidate *c)
{
  PlexElements          el = s->asm_->elements;
  const PlexTypeTraits *traits;

  if (PlexTraitsFind(c->type, &traits)) return 0; /* it cannot fail */
  return traits->plan * (double)el->Ne * el->ef * (kind == PLEX_JACOBIAN ? el->ef : 1);
}

PetscBool PlexCandidateIsSame_Private(PlexProductKind kind, const PlexCandidate *a, const PlexCandidate *b)
{
  if (strcmp(a->type, b->type) || a->block != b->block || a->team != b->team || a->partition != b->partition)
    return PETSC_FALSE;
  return (PetscBool)(kind == PLEX_RESIDUAL || !strcmp(a->integration, b->integration));
}

PetscErrorCode PlexTuneHasTensors_Private(PlexAssembly asm_, PetscBool *has)
{
  PlexProduct probe = {.kind = PLEX_JACOBIAN};

  PetscFunctionBegin;
  *has = PETSC_FALSE;
  if (!PlexAssemblyHasProduct_Private(asm_, PLEX_JACOBIAN)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexAssemblyChooseIntegration_Private(asm_, &probe));
  *has = (PetscBool)(probe.tensor != NULL);
  PetscCall(PlexTensorDestroy_Private(&probe.tensor));
  PetscCall(PlexTensorDestroy_Private(&probe.constant));
  PetscCall(PetscFree(probe.zero));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, has, 1, MPI_C_BOOL, MPI_LOR, PetscObjectComm((PetscObject)asm_)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sizes that were asked for stay with the other product. The residual has no integration but one */
PetscErrorCode PlexCandidateApply_Private(PlexAssembly asm_, PlexProductKind kind, const PlexCandidate *c)
{
  PlexStrategy *s = &asm_->strategy[kind];
  PetscEnum     integration;
  PetscBool     found, tensors = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscEnumFind(PlexIntegrations, c->integration, &integration, &found));
  PetscCheck(found, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A result of tuning has the integration '%s'", c->integration);
  PetscCall(PlexAssemblyResetProduct_Private(asm_, &asm_->product[kind]));
  if (asm_->backend->kernels) PetscCall(PlexAssemblySwitchType_Private(asm_, kind, c->type));
  for (PetscInt k = 0; k < PLEX_PRODUCTS; ++k) {
    PlexStrategy *each = &asm_->strategy[k];

    if (each->tuned) continue;
    each->tuned     = PETSC_TRUE;
    each->block     = asm_->tuner->block;
    each->team      = asm_->tuner->team;
    each->partition = asm_->tuner->partition;
  }
  s->block     = c->block;
  s->team      = c->team;
  s->partition = c->partition;
  if (kind == PLEX_RESIDUAL) PetscFunctionReturn(PETSC_SUCCESS);
  asm_->integration = asm_->tuner->integration;
  if (asm_->integration != PLEX_INTEGRATION_AUTO) PetscFunctionReturn(PETSC_SUCCESS);
  /* What auto takes with this type stays auto's: tensors that are asked for serve further forms, and quadrature that is
     asked for makes no use of what is found of its functions */
  if ((PlexIntegration)integration == PLEX_INTEGRATION_QUADRATURE)
    PetscCall(PlexTuneHasTensors_Private(asm_, &tensors));
  if (tensors) asm_->integration = PLEX_INTEGRATION_QUADRATURE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A candidate more, unless there is the same one */
static PetscErrorCode PlexTuneAdd(PlexTuneSearch *s, const PlexCandidate *c, PetscInt *place)
{
  PlexTuneResult *r = &s->result;

  PetscFunctionBegin;
  for (*place = 0; *place < r->n; ++*place)
    if (PlexCandidateIsSame_Private(PLEX_JACOBIAN, &r->candidates[*place], c)) PetscFunctionReturn(PETSC_SUCCESS);
  if (r->n == s->allocated) {
    s->allocated = 2 * s->allocated + 16;
    PetscCall(PetscRealloc(sizeof(PlexCandidate) * s->allocated, &r->candidates));
    PetscCall(PetscRealloc(sizeof(PlexTuneOutcome) * s->allocated, &s->outcome));
  }
  PetscCall(PetscMemzero(&s->outcome[r->n], sizeof(PlexTuneOutcome)));
  r->candidates[r->n] = *c;
  r->n++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Times by the cost model, of the slowest process; zero where it has none */
static PetscErrorCode PlexTunePredict(PlexTuneSearch *s, PlexCandidate *c)
{
  const PetscBool plain = (PetscBool)!strcmp(c->integration, PlexIntegrations[PLEX_INTEGRATION_QUADRATURE]);
  PlexModelCost   cost;
  PetscBool       known;

  PetscFunctionBegin;
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) {
    c->predicted[kind] = 0;
    if (!s->has[kind] || !s->asm_->elements->Ne) continue;
    PetscCall(PlexModelPredict(kind == PLEX_JACOBIAN && plain ? &s->plain : &s->result.input[kind], c->type,
                               &s->result.rates, &cost, &known));
    c->predicted[kind] = cost.seconds;
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, c->predicted, PLEX_PRODUCTS, MPI_DOUBLE, MPI_MAX,
                              PetscObjectComm((PetscObject)s->asm_)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Types as they are tried: what is there now, then those that the model knows, the fastest first, then the others */
static double PlexTuneRank(PlexTuneSearch *s, const PlexCandidate *c)
{
  double predicted = 0;

  if (PlexCandidateIsPresent_Private(s, PLEX_JACOBIAN, c)) return -2.0;
  if (PlexCandidateIsPresent_Private(s, PLEX_RESIDUAL, c)) return -1.0;
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) {
    if (s->has[kind] && c->predicted[kind] <= 0) return PETSC_MAX_REAL;
    predicted += c->predicted[kind];
  }
  return predicted;
}

static void PlexTuneSort(PlexTuneSearch *s)
{
  PlexCandidate *c = s->result.candidates;

  for (PetscInt k = 1; k < s->result.n; ++k) {
    for (PetscInt l = k; l > 0 && PlexTuneRank(s, &c[l]) < PlexTuneRank(s, &c[l - 1]); --l) {
      const PlexCandidate swap = c[l];

      c[l]     = c[l - 1];
      c[l - 1] = swap;
    }
  }
}

PetscErrorCode PlexTuneListTypes_Private(PlexTuneSearch *s)
{
  PlexAssembly  asm_ = s->asm_;
  const char  **names;
  PlexCandidate c;
  PetscBool     fixed = (PetscBool)!asm_->backend->kernels, serves = PETSC_TRUE;
  PetscInt      place;
  int           n;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(&c, sizeof(c)));
  c.state     = PLEX_CANDIDATE_SKIPPED;
  c.block     = (int)asm_->blockSize;
  c.team      = (int)asm_->teamSize;
  c.partition = (int)asm_->partitionSize;
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind)
    PetscCall(PetscStrncpy(s->present[kind], asm_->backend->kernels ? asm_->strategy[kind].type : PLEXBACKENDHOST,
                           sizeof(s->present[kind])));
  if (asm_->backend->kernels)
    fixed = (PetscBool)((!s->has[PLEX_RESIDUAL] || asm_->tuner->typeFixed[PLEX_RESIDUAL]) &&
                        (!s->has[PLEX_JACOBIAN] || asm_->tuner->typeFixed[PLEX_JACOBIAN]));
  PetscCall(PlexAssemblyGetTypes_Private(&n, &names));
  for (int k = -PLEX_PRODUCTS; k < n; ++k) {
    const char *type = k < 0 ? s->present[PLEX_PRODUCTS + k] : names[k];

    if (k < 0 && !s->has[PLEX_PRODUCTS + k]) continue;
    if (k >= 0 && fixed) break;
    if (asm_->backend->kernels) PetscCall(PlexTypeServes_Private(asm_, type, &serves));
    if (!serves) continue;
    PetscCall(PetscStrncpy(c.type, type, sizeof(c.type)));
    /* the enum's own name and prefix end the list */
    for (PetscInt i = PLEX_INTEGRATION_AUTO + 1; PlexIntegrations[i + 2]; ++i) {
      if (asm_->tuner->integration != PLEX_INTEGRATION_AUTO && asm_->tuner->integration != (PlexIntegration)i) continue;
      /* quadrature serves every form that can be assembled here */
      if (i == PLEX_INTEGRATION_TENSOR && !s->tensors) continue;
      PetscCall(PetscStrncpy(c.integration, PlexIntegrations[i], sizeof(c.integration)));
      PetscCall(PlexTunePredict(s, &c));
      PetscCall(PlexTuneAdd(s, &c, &place));
    }
  }
  PetscCall(PetscFree(names));
  PlexTuneSort(s);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks of warps; larger and smaller teams than the default one, and of small elements more than one thread; powers of
   two */
PetscErrorCode PlexTuneListSizes_Private(PlexTuneSearch *s, PetscInt base, PetscInt what, PetscInt *n,
                                         PetscInt list[PLEX_TUNE_SIZES])
{
  static const int sizes[3][PLEX_TUNE_SIZES] = {
    {64, 128, 256, 512, 32},
    {1, 2, 4, 8, 16, 32, 128},
    {32, 64, 128, 256, 512, 1024}
  };
  PlexAssembly          asm_ = s->asm_;
  const PlexTypeTraits *traits;
  const PetscBool       fixed = (PetscBool)(what == 0   ? asm_->tuner->block > 0
                                            : what == 1 ? asm_->tuner->team > 0
                                                        : asm_->tuner->partition > 0);

  PetscFunctionBegin;
  *n = 0;
  PetscCall(PlexTraitsFind(s->result.candidates[base].type, &traits));
  if (!asm_->backend->kernels || fixed || (what == 1 && (!traits->team || asm_->repeated)) ||
      (what == 2 && !traits->partition))
    PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < PLEX_TUNE_SIZES && sizes[what][k]; ++k) {
    PlexCandidate  c       = s->result.candidates[base];
    const PetscInt ef      = (PetscInt)s->result.input[PLEX_JACOBIAN].ef;
    const int      present = what == 0 ? c.block : what == 1 ? c.team : c.partition;

    if (what == 0 && c.team > 32) continue; /* such a team is a block */
    if (what == 1 && (ef > 32 ? sizes[1][k] < 8 : ef > 10 ? sizes[1][k] < 4 || sizes[1][k] > 32 : sizes[1][k] > 8))
      continue;
    if (present == sizes[what][k]) continue;
    *(what == 0 ? &c.block : what == 1 ? &c.team : &c.partition) = sizes[what][k];
    c.state                                                      = PLEX_CANDIDATE_SKIPPED;
    c.plan = c.compile = 0;
    for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) c.seconds[kind] = c.bytes[kind] = c.flops[kind] = 0;
    PetscCall(PlexTuneAdd(s, &c, &list[*n]));
    ++*n;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
