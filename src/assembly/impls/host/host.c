/*
  The host's way: Algorithm 1 of Cecka, Lew and Darve 2011, a serial loop over the elements, in batches that fill vector
  registers.

  Slots of the matrix are looked up once, [Ne][ef][ef], and anew for each batch where that would take too much memory.
*/
#include <plexgpu/private/assemblyimpl.h> /*I "plexgpuassembly.h" I*/
#include "../../integrate/host.h"
#include "../../integrate/traits.h"

#define PLEX_HOST_MISSED 256                   /* elements for which watching functions may be in vain */
#define HOST_SLOTS_BYTES ((PetscInt64)1 << 30) /* most for slots, unless PlexAssemblySetMemory() says otherwise */

typedef struct {
  PlexHostBatch batch;
  PlexHostBatch other;  /* of a batch that is watched, NULL until it is needed: for elements that it does not serve */
  PetscBool     stored; /* slots of all elements are there */
  int          *slots;  /* [Ne][ef][ef], else [lanes][ef][ef]; of the Jacobian */
} PlexHostPlan;

static PetscErrorCode PlexHostFindSlots(PlexPattern pattern, PetscInt e, PetscInt n, int slots[])
{
  const size_t ef = (size_t)pattern->elements->ef;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) PetscCall(PlexPatternGetElementSlots(pattern, e + k, &slots[k * ef * ef]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Bytes, each array once and A or F zeroed, read and written:
    Ne (4 ef + 4 Nv + 4 ef^2) of indices, the slots' ef^2 for a Jacobian only, and 8 (Nx dim + Nl + 3 Nt) of
    numbers; complex ones are of 16 bytes
*/
static PetscErrorCode PlexAssemblySetUp_Host(PlexAssembly asm_, PlexProduct *product)
{
  PlexElements     el    = asm_->elements;
  const PetscInt64 limit = asm_->owner->memory > 0 ? asm_->owner->memory : HOST_SLOTS_BYTES, ef = el->ef;
  const PetscInt64 nslots = product->kind == PLEX_JACOBIAN ? ef * ef : 0;
  PlexHostPlan    *plan;

  PetscFunctionBegin;
  PetscCall(PetscNew(&plan));
  product->plan = plan;
  PetscCall(PlexHostBatchCreate_Private(asm_, product, &plan->batch));
  plan->stored = nslots * el->Ne * (PetscInt64)sizeof(int) <= limit ? PETSC_TRUE : PETSC_FALSE;
  if (nslots) {
    PetscCall(PetscMalloc1((size_t)nslots * (plan->stored ? el->Ne : plan->batch->lanes), &plan->slots));
    if (plan->stored) PetscCall(PlexHostFindSlots(asm_->pattern, 0, el->Ne, plan->slots));
  }
  product->bytes = 4. * (double)el->Ne * (double)(ef + el->Nv + nslots) +
                   8. * ((double)el->Nx * (double)el->dim +
                         PLEX_REALS * ((double)el->Nl + (asm_->additive ? 0. : 3. * (double)product->Nt))) +
                   (4. * (double)el->ea +
                    (el->integral.facets ? 8. * (double)el->Nq * (double)PlexElementsFacetSize(el) : 0.)) *
                     (double)el->Ne +
                   8. * PLEX_REALS * (double)el->NlAux;
  product->flops = (double)el->Ne * PlexHostBatchFlops_Private(plan->batch);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Fetches what elements e..e+n-1 read and add to, so that memory works while the batch before is computed: their
   coordinate nodes and dofs, and of each of their rows every second place, most of which are near the others. Inlined
   by force: a compiler may leave out a call that has no effect but this one */
static inline __attribute__((always_inline)) void PlexHostPrefetch(PlexHostBatch b, PlexElements el,
                                                                   const PlexArgs *args, PetscInt e, PetscInt n,
                                                                   const int slots[])
{
  const PetscInt ef = el->ef;

  for (PetscInt k = 0; k < n * el->Nv; ++k) PlexFetch(&args->x[(size_t)el->vertices[(size_t)e * el->Nv + k] * el->dim]);
  for (PetscInt k = 0; b->solution && k < n * ef; ++k) {
    const int l = el->dofs[(size_t)e * ef + k];

    PlexFetch(&args->u[PLEX_REALS * l]);
    if (b->kind == PLEX_RESIDUAL) PlexFetch(&args->F[PLEX_REALS * l]);
  }
  for (PetscInt k = 0; slots && k < n; ++k) {
    for (PetscInt i = 0; i < ef; ++i) {
      for (PetscInt j = i % 2; j < ef; j += 2) {
        const int slot = slots[(k * ef + i) * ef + j];

        if ((unsigned)slot < (unsigned)args->nA) PlexFetch(&args->A[PLEX_REALS * (size_t)slot]);
      }
    }
  }
}

/* The batch for elements in which the functions read more than auxiliary fields. Where there are many of them, it is
   for all in later assemblies */
static PetscErrorCode PlexHostGetOther(PlexAssembly asm_, const PlexProduct *product, PlexHostPlan *plan,
                                       const PlexArgs *args, PlexHostBatch *other)
{
  PlexProduct quadrature = *product;

  PetscFunctionBegin;
  if (!plan->other) {
    quadrature.tensor         = NULL;
    quadrature.solutionUnread = PETSC_FALSE;
    PetscCall(PlexHostBatchCreate_Private(asm_, &quadrature, &plan->other));
  }
  PetscCall(PetscArraycpy(plan->other->constants, (const PetscScalar *)args->constants, asm_->form->numConstants));
  *other = plan->other;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyCompute_Host(PlexAssembly asm_, PlexProduct *product, const void *ctx)
{
  PlexElements    el   = asm_->elements;
  PlexHostPlan   *plan = (PlexHostPlan *)product->plan;
  PlexHostBatch   b = plan->batch, other = NULL;
  const PlexArgs *args   = (const PlexArgs *)ctx;
  const PetscInt  nc     = asm_->form->numConstants;
  PetscInt        missed = 0; /* elements that were called in vain */
  PlexPoint       point;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(b->constants, (const PetscScalar *)args->constants, nc));
  if (!asm_->additive) PetscCall(PlexAssemblyZeroTargets(asm_, product, args));
  b->ntensor = b->different = 0;
  if (product->watched) PetscCall(PlexGuardCalls_Private(asm_, args, &b->guard, &point));
  b->point = &point;
  for (b->face = 0; b->face < el->faces; ++b->face) {
    for (PetscInt e = el->faceStart[b->face]; e < el->faceStart[b->face + 1]; e += b->lanes) {
      const PetscInt n     = PetscMin(b->lanes, el->faceStart[b->face + 1] - e);
      const int     *slots = plan->slots;

      if (slots && plan->stored) slots += (size_t)e * el->ef * el->ef;
      else if (slots) PetscCall(PlexHostFindSlots(asm_->pattern, e, n, plan->slots));
      if (!el->integral.facets && e + b->lanes + b->lanes <= el->Ne)
        PlexHostPrefetch(b, el, args, e + b->lanes, b->lanes,
                         plan->stored && slots ? slots + (size_t)b->lanes * el->ef * el->ef : NULL);
      if (!asm_->unsteady || !product->watched) (*b->integrate)(b, args, e, n, slots);
      if (!product->watched || (!b->guard->read && !asm_->unsteady)) continue;
      if (!other) {
        PetscCall(PlexHostGetOther(asm_, product, plan, args, &other));
        other->ntensor = other->different = 0;
      }
      other->face = b->face;
      (*other->integrate)(other, args, e, n, slots);
      PetscCall(PlexGuardClose_Private(b->guard));
      missed += n;
      if (missed > PLEX_HOST_MISSED && missed > el->Ne / 16) asm_->unsteady = PETSC_TRUE;
    }
  }
  if (product->watched) {
    PetscCall(PlexGuardEnd_Private(b->guard));
    b->guard   = NULL;
    b->ntensor = el->Ne - missed + (other ? other->ntensor : 0);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements of the last Jacobian that tensors served, where the host looks for those; else -1 */
PetscErrorCode PlexAssemblyGetConstantElements_Private(PlexAssembly asm_, PetscInt *n)
{
  const PlexProduct  *product = &asm_->product[PLEX_JACOBIAN];
  const PlexHostPlan *plan    = (const PlexHostPlan *)product->plan;

  PetscFunctionBegin;
  *n = product->constant && product->setUp && plan ? plan->batch->ntensor : -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyResetProduct_Host(PlexAssembly asm_, PlexProduct *product)
{
  PlexHostPlan *plan = (PlexHostPlan *)product->plan;

  PetscFunctionBegin;
  (void)asm_;
  if (!plan) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexHostBatchDestroy_Private(&plan->batch));
  PetscCall(PlexHostBatchDestroy_Private(&plan->other));
  PetscCall(PetscFree(plan->slots));
  PetscCall(PetscFree(product->plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyView_Host(PlexAssembly asm_, PlexProduct *product, PetscViewer viewer)
{
  PlexHostPlan *plan = (PlexHostPlan *)product->plan;

  PetscFunctionBegin;
  if (!plan) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerASCIIPrintf(viewer, "batches of %" PetscInt_FMT " elements in vector registers\n",
                                   plan->batch->lanes));
  if (product->constant)
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "by tensors in %" PetscInt_FMT " of %" PetscInt_FMT
                                     " elements, where the functions' values were the same at all points\n",
                                     plan->batch->ntensor, asm_->elements->Ne));
  if (plan->slots)
    PetscCall(PetscViewerASCIIPrintf(viewer, "slots %s\n",
                                     plan->stored ? "stored for all elements" : "looked up for each batch"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PETSC_EXTERN PetscErrorCode PlexAssemblyCreate_Host(PlexAssembly);

PetscErrorCode PlexAssemblyCreate_Host(PlexAssembly asm_)
{
  PetscFunctionBegin;
  asm_->ops->setup        = PlexAssemblySetUp_Host;
  asm_->ops->compute      = PlexAssemblyCompute_Host;
  asm_->ops->resetproduct = PlexAssemblyResetProduct_Host;
  asm_->ops->view         = PlexAssemblyView_Host;
  PetscFunctionReturn(PETSC_SUCCESS);
}
