/*
  Actions of a Jacobian by coefficients that are stored once a state (integrate/stored.h): when, and the operations that take
  the place of a type's.

  The choice of `auto` is by what a product moves, with an operation counted as the bytes that move in its time. An element's
  vectors and dofs are read and written either way. Stored, a product reads S bytes of coefficients and has A operations.
  Evaluated, it reads G bytes of coordinates, their numbers and the state, and has E operations for geometry, jets and what
  the functions' numbers are multiplied with, besides the functions' own, which are not known. Coefficients are stored where

    S + PLEX_STORED_BYTES A <= G + r E

  with r = PLEX_STORED_BYTES where a thread has an element, PLEX_STORED_BYTES_TEAM where several share one, whose operations
  are in shared memory, and PLEX_STORED_BYTES_HOST for both A and E on the host. The first product of a state, which stores
  them, takes 0.1 to 3.4 times as long as one that evaluates (docs/notes/2026-apply.md): a solve has more products,

  and where they fit into -plex_assembly_memory, or half of the memory that is free.
*/
#include "plan.h"
#include "../../../dm/elementsimpl.h"
#include "../../integrate/integrate.h"
#include <petscviewer.h>

/* Bytes that move in the time of an operation: a processor's copy rate over the rate of its arithmetic. Of an H200 4.3 TB/s
   and half of the data sheet's rate, 17 Tflop/s, for a thread an element; teams were measured at 0.56 to 1.7 Tflop/s
   (hexahedra of degrees 2 to 4), of which this is the most. A core of the host: 15 GB/s and 18 Gflop/s
   (docs/notes/2026-apply.md) */
#define PLEX_STORED_BYTES      0.25
#define PLEX_STORED_BYTES_TEAM 2.5
#define PLEX_STORED_BYTES_HOST 0.8

/* ---- The choice */

PetscInt PlexStoredPadded_Private(PlexAssembly asm_, PlexStored s)
{
  const PetscInt points = PlexStoredPoints(s);

  return points > 1 && asm_->backend->kernels && PlexStoredBlocksServe_Private(asm_, s) ? (points + 3) / 4 * 4 : points;
}

/* Bytes of coefficients of an element */
static double PlexStoredSize(PlexAssembly asm_, PlexStored s)
{
  return (double)PlexAssemblyRealSize(asm_) * (double)PlexStoredPadded_Private(asm_, s) * (double)s->numbers;
}

/* Bytes that an element's product counts as: of what only one with stored coefficients has, and of what only one that
   evaluates has */
static PetscErrorCode PlexStoredModel(PlexAssembly asm_, PlexProduct *product, PlexStored s, double *stored,
                                      double *evaluated)
{
  const PlexElements el      = asm_->elements;
  const double       Ne      = (double)PetscMax(el->Ne, 1);
  PlexProduct        trial   = *product;
  double             vectors = asm_->owner->moment && asm_->owner->moment->locX_t ? 2. : 1.;
  double             rateA = PLEX_STORED_BYTES_HOST, rateE = PLEX_STORED_BYTES_HOST;

  PetscFunctionBegin;
  trial.integrator = NULL;
  trial.rows       = 1;
  if (asm_->backend->kernels) {
    rateA = PLEX_STORED_BYTES;
    rateE = PlexAssemblyDefaultTeam(asm_, &trial) > 1 ? PLEX_STORED_BYTES_TEAM : PLEX_STORED_BYTES;
  }
  *stored    = PlexStoredSize(asm_, s) + rateA * PlexStoredFlops_Private(s, asm_->backend->kernels);
  *evaluated = 4. * (double)el->Nv + 8. * ((double)el->dim * (double)el->Nx / Ne + vectors * (double)el->Nl / Ne) +
               4. * (double)el->ea + 8. * (double)el->NlAux / Ne +
               rateE * PlexAssemblyCountFlops(asm_, &trial, (double)el->Nq, (double)el->ef, 0.);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Most bytes for coefficients */
static PetscErrorCode PlexStoredRoom(PlexAssembly asm_, double *room)
{
  PlexBackendLimits limits;

  PetscFunctionBegin;
  *room = (double)asm_->owner->memory;
  if (*room > 0.) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  *room = 0.5 * (double)limits.memoryFree;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The other action of the same cells, which was set up with the same entries: its coefficients, or NULL */
static PlexStoredData *PlexStoredFindData(PlexAssembly asm_, PlexStored s)
{
  const PlexAction other = asm_->form->action == PLEX_ACTION_APPLY ? PLEX_ACTION_TRANSPOSE : PLEX_ACTION_APPLY;

  for (PlexAssembly term = asm_->owner->action[other]; term; term = term->next) {
    const PlexProduct    *product = &term->product[PLEX_RESIDUAL];
    const PlexStoredPlan *plan    = product->stored ? (const PlexStoredPlan *)product->plan : NULL;

    if (!plan || !product->setUp || term->elements != asm_->elements) continue;
    if (plan->s->n == s->n && plan->s->symmetric == s->symmetric && plan->s->constant == s->constant &&
        plan->s->factors == s->factors && plan->s->Nq == s->Nq && plan->s->copies == s->copies &&
        !plan->s->lines == !s->lines)
      return plan->data;
  }
  return NULL;
}

/* Whether coefficients that could be stored are; an error where they were asked for and have no room */
static PetscErrorCode PlexStoredPays(PlexAssembly asm_, PlexProduct *product, PlexStored s, PetscBool *pays)
{
  const double bytes = PlexStoredSize(asm_, s) * (double)asm_->elements->Ne;
  double       stored, evaluated, room;
  const char  *before;

  PetscFunctionBegin;
  PetscCall(PlexStoredModel(asm_, product, s, &stored, &evaluated));
  PetscCall(PlexStoredRoom(asm_, &room));
  before = asm_->owner->memory > 0 ? "-plex_assembly_memory" : "half of what is free";
  if (asm_->owner->apply == PLEX_APPLY_STORED) {
    PetscCheck(bytes <= room || PlexStoredFindData(asm_, s), PETSC_COMM_SELF, PETSC_ERR_MEM,
               "Stored coefficients take %.3g bytes, more than %s, %.3g: use -plex_assembly_apply evaluated, or more "
               "-plex_assembly_memory",
               bytes, before, room);
    *pays = PETSC_TRUE;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  *pays = (PetscBool)(stored <= evaluated);
  if (!*pays)
    PetscCall(PetscSNPrintf(product->why, sizeof(product->why),
                            "products with coefficients would count as %.4g bytes an element, evaluating them as %.4g",
                            stored, evaluated));
  else if (bytes > room && !PlexStoredFindData(asm_, s)) {
    PetscCall(PetscSNPrintf(product->why, sizeof(product->why),
                            "coefficients would take %.3g bytes, more than %s, %.3g", bytes, before, room));
    *pays = PETSC_FALSE;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Operations */

static PetscErrorCode PlexStoredReleaseData(PlexAssembly asm_, PlexStoredData **data)
{
  PetscFunctionBegin;
  if (!*data || --(*data)->refct > 0) {
    *data = NULL;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if ((*data)->memory) PetscCall(PetscFree((*data)->memory));
  else PetscCall(PlexBackendFree(asm_->backend, &(*data)->C));
  PetscCall(PetscFree((*data)->physical));
  PetscCall(PetscFree((*data)->order));
  PetscCall(PetscFree(*data));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether no two local dofs are one dof of global vectors, as those of two sides of an isoperiodic mesh are on one process */
static PetscErrorCode PlexStoredIsInjective(ISLocalToGlobalMapping map, PetscBool *injective)
{
  const PetscInt *number;
  PetscInt        n, most = -1;
  char           *seen;

  PetscFunctionBegin;
  *injective = PETSC_TRUE;
  PetscCall(ISLocalToGlobalMappingGetSize(map, &n));
  PetscCall(ISLocalToGlobalMappingGetIndices(map, &number));
  for (PetscInt l = 0; l < n; ++l) most = PetscMax(most, number[l]);
  PetscCall(PetscCalloc1(most + 1, &seen));
  for (PetscInt l = 0; l < n; ++l) {
    if (number[l] < 0) continue;
    if (seen[number[l]]) *injective = PETSC_FALSE;
    seen[number[l]] = 1;
  }
  PetscCall(PetscFree(seen));
  PetscCall(ISLocalToGlobalMappingRestoreIndices(map, &number));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The numbers of the elements' dofs in global vectors, where an action may use these */
static PetscErrorCode PlexStoredNumberDofs(PlexAssembly asm_, PlexStoredPlan *plan)
{
  const PlexElements     el    = asm_->elements;
  PlexAssembly           owner = asm_->owner;
  const size_t           n     = (size_t)el->Ne * el->ef;
  ISLocalToGlobalMapping map;
  const PetscInt        *number;
  PetscMPIInt            size;
  PetscBool              injective;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)owner), &size));
  if (size > 1 || owner->basis || asm_->next || owner->action[asm_->form->action] != asm_ || asm_->additive)
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexGetLocalToGlobalMapping(owner->dm, &map));
  PetscCall(PlexStoredIsInjective(map, &injective));
  if (!injective) {
    PetscCall(ISLocalToGlobalMappingDestroy(&map));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscMalloc1(n, &plan->global));
  PetscCall(ISLocalToGlobalMappingGetIndices(map, &number));
  for (size_t k = 0; k < n; ++k) plan->global[k] = (int)PetscMax(-1, number[el->dofs[k]]);
  PetscCall(ISLocalToGlobalMappingRestoreIndices(map, &number));
  PetscCall(ISLocalToGlobalMappingDestroy(&map));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool PlexStoredIsDirect_Private(PlexAssembly asm_)
{
  const PlexProduct *product = &asm_->product[PLEX_RESIDUAL];

  return (PetscBool)(product->stored && product->setUp && ((const PlexStoredPlan *)product->plan)->global &&
                     !asm_->owner->essential);
}

PetscErrorCode PlexStoredDirectBegin_Private(PlexAssembly asm_, PetscBool zero, PetscBool *can)
{
  PetscFunctionBegin;
  *can = PlexStoredIsDirect_Private(asm_);
  if (*can) {
    PlexStoredPlan *plan = (PlexStoredPlan *)asm_->product[PLEX_RESIDUAL].plan;

    plan->direct = PETSC_TRUE;
    plan->zero   = zero;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexStoredDirectEnd_Private(PlexAssembly asm_)
{
  PetscFunctionBegin;
  ((PlexStoredPlan *)asm_->product[PLEX_RESIDUAL].plan)->direct = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblySetUp_Stored(PlexAssembly asm_, PlexProduct *product)
{
  PlexStoredPlan    *plan = (PlexStoredPlan *)product->plan;
  const PlexElements el   = asm_->elements;

  PetscFunctionBegin;
  PetscCall(PlexStoredNumberDofs(asm_, plan));
  if (asm_->backend->kernels) PetscCall(PlexStoredSetUpKernels_Private(asm_, product));
  else PetscCall(PlexStoredSetUpHost_Private(asm_, product));
  product->bytes = (double)el->Ne * (4. * (double)el->ef + PlexStoredSize(asm_, plan->s)) +
                   (asm_->additive ? 24. : 32.) * (double)el->Nl; /* v; F zeroed, read and written */
  product->flops = (double)el->Ne * PlexStoredFlops_Private(plan->s, asm_->backend->kernels);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Whether the coefficients are of the state and the auxiliary vector of this product. If not they are of no state, until
   they have been computed */
static PetscErrorCode PlexStoredIsFresh(PlexAssembly asm_, PlexStoredData *data, PetscBool *fresh)
{
  Vec              aux   = NULL;
  PetscObjectId    id    = 0;
  PetscObjectState state = 0;

  PetscFunctionBegin;
  if (asm_->elements->ea) {
    PetscCall(PlexIntegralGetAuxiliary(asm_->owner->dm, &asm_->integral, PLEX_JACOBIAN, &aux));
    PetscCall(PetscObjectGetId((PetscObject)aux, &id));
    PetscCall(PetscObjectStateGet((PetscObject)aux, &state));
  }
  *fresh = (PetscBool)(data->state && data->state == asm_->owner->applied && data->auxId == id &&
                       data->auxState == state);
  if (!*fresh) data->state = 0;
  data->auxId    = id;
  data->auxState = state;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyCompute_Stored(PlexAssembly asm_, PlexProduct *product, const void *args)
{
  PlexStoredPlan *plan  = (PlexStoredPlan *)product->plan;
  PetscBool       fresh = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PlexStoredIsFresh(asm_, plan->data, &fresh));
  if (!fresh) {
    plan->data->times++;
    if (asm_->backend->kernels) PetscCall(PlexStoredStoreKernels_Private(asm_, product, (const PlexArgs *)args));
    else PetscCall(PlexStoredStoreHost_Private(asm_, plan, (const PlexArgs *)args));
    plan->data->state = asm_->owner->applied;
  }
  if (!plan->direct) plan->zero = (PetscBool)!asm_->additive;
  if (!asm_->additive && !plan->direct) PetscCall(PlexAssemblyZeroTargets(asm_, product, args));
  if (asm_->backend->kernels) PetscCall(PlexStoredApplyKernels_Private(product, (const PlexArgs *)args));
  else PetscCall(PlexStoredApplyHost_Private(asm_, plan, (const PlexArgs *)args));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The type's operations are back */
static PetscErrorCode PlexAssemblyResetProduct_Stored(PlexAssembly asm_, PlexProduct *product)
{
  PlexStoredPlan *plan = (PlexStoredPlan *)product->plan;

  PetscFunctionBegin;
  asm_->strategy[product->kind].ops = plan->ops;
  *asm_->ops                        = plan->ops;
  if (asm_->backend->kernels) PetscCall(PlexStoredResetKernels_Private(plan));
  else PetscCall(PlexStoredResetHost_Private(plan));
  PetscCall(PlexStoredReleaseData(asm_, &plan->data));
  PetscCall(PlexStoredDestroy_Private(&plan->s));
  PetscCall(PetscFree(plan->global));
  PetscCall(PetscFree(product->plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyView_Stored(PlexAssembly asm_, PlexProduct *product, PetscViewer viewer)
{
  const PlexStoredPlan *plan = (const PlexStoredPlan *)product->plan;
  const PlexStored      s    = plan->s;

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "coefficients: %" PetscInt_FMT
                                   " numbers%s%s%s at %s, %.4g bytes an element, %.4g MB; "
                                   "evaluated %" PetscInt_FMT " times\n",
                                   s->numbers, s->factors ? " of factors" : "", s->symmetric ? " (symmetric)" : "",
                                   s->copies > 1 ? " for all components" : "",
                                   s->constant ? "one point, as they are the same at all" : "each point",
                                   PlexStoredSize(asm_, s), 1e-6 * plan->data->bytes, plan->data->times));
  if (s->lines)
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "sums along lines of %" PetscInt_FMT " nodes and %" PetscInt_FMT " points%s\n",
                                     s->lines->N, s->lines->Q, s->collocated ? ", the same" : ""));
  else
    PetscCall(PetscViewerASCIIPrintf(viewer, "full tables of %" PetscInt_FMT " %s%s%s\n", s->Nq,
                                     s->constant ? "modes" : "points", s->whyNoLines ? ": " : "",
                                     s->whyNoLines ? s->whyNoLines : ""));
  if (asm_->backend->kernels && plan->layout == PLEX_STORED_LINES)
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "%" PetscInt_FMT " threads an element, %" PetscInt_FMT " elements a block\n",
                                     asm_->elements->Nq / s->lines->Q * s->copies, plan->W));
  else if (asm_->backend->kernels && plan->blocks)
    PetscCall(PetscViewerASCIIPrintf(
      viewer,
      "16 elements a warp on tensor cores%s, %" PetscInt_FMT
      " elements a block; an element has %.4g dofs of a block, %.4g of others too, and %.4g bytes of lists\n",
      plan->blocks->split ? ", even and odd modes" : "", plan->W, plan->blocks->dofs / (double)asm_->elements->Ne,
      plan->blocks->shared / (double)asm_->elements->Ne, plan->blocks->bytes / (double)asm_->elements->Ne));
  else if (asm_->backend->kernels)
    PetscCall(PetscViewerASCIIPrintf(viewer, "a %s an element\n",
                                     plan->layout == PLEX_STORED_TEAMS ? "warp" : "thread"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static const struct _PlexAssemblyOps PlexOps_Stored = {
  .setup        = PlexAssemblySetUp_Stored,
  .compute      = PlexAssemblyCompute_Stored,
  .resetproduct = PlexAssemblyResetProduct_Stored,
  .view         = PlexAssemblyView_Stored,
};

/* ---- */

static PetscErrorCode PlexStoredTake(PlexAssembly asm_, PlexProduct *product, PlexStored s)
{
  PlexStoredPlan *plan;

  PetscFunctionBegin;
  PetscCall(PetscNew(&plan));
  plan->s    = s;
  plan->ops  = asm_->strategy[product->kind].ops;
  plan->data = PlexStoredFindData(asm_, s);
  if (!plan->data) {
    PetscCall(PetscNew(&plan->data));
    PetscCall(PetscMalloc(PlexAssemblyRealSize(asm_) * (size_t)s->n, &plan->data->physical));
  }
  plan->data->refct++;
  product->plan                     = plan;
  product->stored                   = PETSC_TRUE;
  asm_->strategy[product->kind].ops = PlexOps_Stored;
  *asm_->ops                        = PlexOps_Stored;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexStoredChoose_Private(PlexAssembly asm_, PlexProduct *product)
{
  const PlexAction action = asm_->form->action;
  const char      *why;
  PetscBool        pays = PETSC_FALSE;
  PlexStored       s;

  PetscFunctionBegin;
  if (action != PLEX_ACTION_APPLY && action != PLEX_ACTION_TRANSPOSE) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscStrncpy(product->why, asm_->elements->integral.facets ? "facets" : "", sizeof(product->why)));
  if (asm_->elements->integral.facets) PetscFunctionReturn(PETSC_SUCCESS);
  if (asm_->owner->apply == PLEX_APPLY_EVALUATED) {
    PetscCall(PetscStrncpy(product->why, "asked for", sizeof(product->why)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexStoredCreate_Private(asm_, &s, &why));
  /* lanes of a warp would add to one place at once */
  if (s && asm_->repeated && asm_->backend->kernels && !PlexAssemblyFlag(asm_)) {
    why = "a periodic mesh of so few cells that one has a dof twice, in colours";
    PetscCall(PlexStoredDestroy_Private(&s));
  }
  if (s && asm_->backend->kernels && !PlexStoredFits_Private(asm_, s)) {
    why = "an element that takes more shared memory or threads than a block has";
    PetscCall(PlexStoredDestroy_Private(&s));
  }
  PetscCheck(s || asm_->owner->apply != PLEX_APPLY_STORED, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Coefficients of a matrix of type plexgpu are not stored for %s: use -plex_assembly_apply evaluated", why);
  if (!s) {
    PetscCall(PetscStrncpy(product->why, why, sizeof(product->why)));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexStoredPays(asm_, product, s, &pays));
  if (pays) PetscCall(PlexStoredTake(asm_, product, s));
  else PetscCall(PlexStoredDestroy_Private(&s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexStoredRefresh_Private(PlexAssembly asm_, PlexProduct *product, PetscBool *current)
{
  const PlexStoredPlan *plan = (const PlexStoredPlan *)product->plan;

  PetscFunctionBegin;
  *current = PETSC_TRUE;
  if (product->stored && product->setUp && plan) PetscCall(PlexStoredIsCurrent_Private(asm_, plan->s, current));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexStoredGetBytes_Private(PlexAssembly owner, double *bytes)
{
  const PlexStoredData *seen = NULL;

  PetscFunctionBegin;
  *bytes = 0.;
  for (PetscInt k = PLEX_ACTION_APPLY; k <= PLEX_ACTION_TRANSPOSE; ++k) {
    for (PlexAssembly term = owner->action[k]; term; term = term->next) {
      const PlexProduct *product = &term->product[PLEX_RESIDUAL];

      if (!product->stored || !product->setUp || !term->elements->Ne) continue;
      seen = ((const PlexStoredPlan *)product->plan)->data;
      /* of two actions that share them, once */
      *bytes += seen->bytes / (double)seen->refct;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
