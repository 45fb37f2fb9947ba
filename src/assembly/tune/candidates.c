/* Which ways to assemble there are, and in which order they are tried. */
#include "tuneimpl.h"

#define PLEX_TUNE_SIZES 8 /* most values of one size */

/* What is known of each type: which sizes it uses, and the seconds that its plans take for an entry of the element matrices,
   Ne ef^2, on one core of an AMD EPYC 9005 (docs/performance.md, 2026-11-21). Types of the user's own: the last line. */
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
  for (*traits = PlexTraits; (*traits)->type && !same; *traits += !same) PetscCall(PetscStrcmp((*traits)->type, type, &same));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double PlexCandidateSeconds_Private(const PlexCandidate *c)
{
  return c->seconds[PLEX_RESIDUAL] + c->seconds[PLEX_JACOBIAN];
}

double PlexTuneExpectPlan_Private(PlexTuneSearch *s, const PlexCandidate *c)
{
  PlexElements          el = s->asm_->elements;
  const PlexTypeTraits *traits;
  double                entries = 0;

  if (PlexTraitsFind(c->type, &traits)) return 0; /* it cannot fail */
  if (s->has[PLEX_JACOBIAN]) entries += (double)el->Ne * el->ef * el->ef;
  if (s->has[PLEX_RESIDUAL]) entries += (double)el->Ne * el->ef;
  return traits->plan * entries;
}

/* Tensors: where auto takes them on some process */
PetscErrorCode PlexTuneHasIntegration_Private(PlexAssembly asm_, PlexIntegration integration, PetscBool *has)
{
  PlexProduct probe = {.kind = PLEX_JACOBIAN};

  PetscFunctionBegin;
  *has = (PetscBool)(integration == PLEX_INTEGRATION_QUADRATURE); /* every form that can be assembled here */
  if (integration != PLEX_INTEGRATION_TENSOR || !PlexAssemblyHasProduct_Private(asm_, PLEX_JACOBIAN)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexAssemblyChooseIntegration_Private(asm_, &probe));
  *has = (PetscBool)(probe.tensor != NULL);
  PetscCall(PlexTensorDestroy_Private(&probe.tensor));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, has, 1, MPI_C_BOOL, MPI_LOR, PetscObjectComm((PetscObject)asm_)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexCandidateApply_Private(PlexAssembly asm_, const PlexCandidate *c)
{
  PetscEnum integration;
  PetscBool found;

  PetscFunctionBegin;
  PetscCall(PetscEnumFind(PlexIntegrations, c->integration, &integration, &found));
  PetscCheck(found, PETSC_COMM_SELF, PETSC_ERR_PLIB, "A result of tuning has the integration '%s'", c->integration);
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) PetscCall(PlexAssemblyResetProduct_Private(asm_, &asm_->product[kind]));
  asm_->integration   = (PlexIntegration)integration;
  asm_->blockSize     = c->block;
  asm_->teamSize      = c->team;
  asm_->partitionSize = c->partition;
  /* tensors that auto takes where they are exact stay so: asked for, they would serve further forms */
  if (asm_->integration == PLEX_INTEGRATION_TENSOR && asm_->tuner->integration == PLEX_INTEGRATION_AUTO) asm_->integration = PLEX_INTEGRATION_AUTO;
  if (asm_->backend->kernels) PetscCall(PlexAssemblySwitchType_Private(asm_, c->type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A candidate more, unless there is the same one */
static PetscErrorCode PlexTuneAdd(PlexTuneSearch *s, const PlexCandidate *c)
{
  PlexTuneResult *r = &s->result;
  PetscBool       type, integration;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < r->n; ++k) {
    const PlexCandidate *o = &r->candidates[k];

    PetscCall(PetscStrcmp(o->type, c->type, &type));
    PetscCall(PetscStrcmp(o->integration, c->integration, &integration));
    if (type && integration && o->block == c->block && o->team == c->team && o->partition == c->partition) PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (r->n == s->allocated) {
    s->allocated = 2 * s->allocated + 16;
    PetscCall(PetscRealloc(sizeof(PlexCandidate) * s->allocated, &r->candidates));
  }
  r->candidates[r->n] = *c;
  r->n++;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Times by the cost model, of the slowest process; zero where it has none */
static PetscErrorCode PlexTunePredict(PlexTuneSearch *s, PlexCandidate *c)
{
  PlexModelCost cost;
  PetscBool     known;

  PetscFunctionBegin;
  for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) {
    c->predicted[kind] = 0;
    if (!s->has[kind] || !s->asm_->elements->Ne) continue;
    PetscCall(PlexModelPredict(&s->result.input[kind], c->type, &s->result.rates, &cost, &known));
    c->predicted[kind] = cost.seconds;
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, c->predicted, PLEX_PRODUCTS, MPI_DOUBLE, MPI_MAX, PetscObjectComm((PetscObject)s->asm_)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Types as they are tried: what is there now, then those that the model knows, the fastest first, then the others */
static double PlexTuneRank(PlexTuneSearch *s, const PlexCandidate *c)
{
  const char  *present   = ((PetscObject)s->asm_)->type_name;
  const double predicted = c->predicted[PLEX_RESIDUAL] + c->predicted[PLEX_JACOBIAN];

  if (present && !strcmp(present, c->type)) return -1.0;
  return predicted > 0 ? predicted : PETSC_MAX_REAL;
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
  PlexAssembly  asm_    = s->asm_;
  const char   *host    = PLEXBACKENDHOST, **names;
  const char   *present = asm_->backend->kernels ? ((PetscObject)asm_)->type_name : host;
  PlexCandidate c;
  PetscBool     has;
  int           n;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(&c, sizeof(c)));
  c.state     = PLEX_CANDIDATE_SKIPPED;
  c.block     = (int)asm_->blockSize;
  c.team      = (int)asm_->teamSize;
  c.partition = (int)asm_->partitionSize;
  PetscCall(PlexAssemblyGetTypes_Private(&n, &names));
  for (int k = -1; k < n; ++k) {
    const char *type = k < 0 ? present : names[k];

    if (k >= 0 && (asm_->tuner->typeFixed || !asm_->backend->kernels)) break;
    PetscCall(PetscStrncpy(c.type, type, sizeof(c.type)));
    for (PetscInt i = PLEX_INTEGRATION_AUTO + 1; PlexIntegrations[i + 2]; ++i) { /* the enum's own name and prefix end the list */
      if (asm_->tuner->integration != PLEX_INTEGRATION_AUTO && asm_->tuner->integration != (PlexIntegration)i) continue;
      PetscCall(PlexTuneHasIntegration_Private(asm_, (PlexIntegration)i, &has));
      if (!has) continue;
      PetscCall(PetscStrncpy(c.integration, PlexIntegrations[i], sizeof(c.integration)));
      PetscCall(PlexTunePredict(s, &c));
      PetscCall(PlexTuneAdd(s, &c));
    }
  }
  PetscCall(PetscFree(names));
  PlexTuneSort(s);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks of warps; larger and smaller teams than the default one, and of small elements more than one thread; powers of two */
PetscErrorCode PlexTuneListSizes_Private(PlexTuneSearch *s, PetscInt base, PetscInt what)
{
  static const int sizes[3][PLEX_TUNE_SIZES] = {
    {64, 128, 256, 512, 32},
    {1, 2, 4, 8, 16, 32, 128},
    {32, 64, 128, 256, 512, 1024}
  };
  PlexAssembly          asm_ = s->asm_;
  const PlexTypeTraits *traits;
  const PetscBool       fixed = (PetscBool)(what == 0 ? asm_->tuner->block > 0 : what == 1 ? asm_->tuner->team > 0 : asm_->tuner->partition > 0);

  PetscFunctionBegin;
  PetscCall(PlexTraitsFind(s->result.candidates[base].type, &traits));
  if (!asm_->backend->kernels || fixed || (what == 1 && (!traits->team || asm_->repeated)) || (what == 2 && !traits->partition)) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < PLEX_TUNE_SIZES && sizes[what][k]; ++k) {
    PlexCandidate  c       = s->result.candidates[base];
    const PetscInt ef      = (PetscInt)s->result.input[PLEX_JACOBIAN].ef;
    const int      present = what == 0 ? c.block : what == 1 ? c.team : c.partition;

    if (what == 0 && c.team > 32) continue; /* such a team is a block */
    if (what == 1 && (ef > 32 ? sizes[1][k] < 8 : ef > 10 ? sizes[1][k] < 4 || sizes[1][k] > 32 : sizes[1][k] > 8)) continue;
    if (present == sizes[what][k]) continue;
    *(what == 0 ? &c.block : what == 1 ? &c.team : &c.partition) = sizes[what][k];
    c.state                                                      = PLEX_CANDIDATE_SKIPPED;
    for (PetscInt kind = 0; kind < PLEX_PRODUCTS; ++kind) c.seconds[kind] = c.bytes[kind] = c.flops[kind] = 0;
    PetscCall(PlexTuneAdd(s, &c));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
