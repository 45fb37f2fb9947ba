/*
  How shared memory is used, and the parts that follow from it.

  More shared memory a block means larger parts and fewer elements computed twice; less means more blocks a processor,
  which hide each other's waiting. A third of a processor's is the default. Behind the teams' work areas it holds, for
  shared_row, the sums of the part's rows, and then the regions of the items of a pass. A thread an element takes all
  elements around a part in one pass. A team an element is for larger elements, of which few fit: passes of a larger
  part, as the elements computed twice lie on its surface.
*/
#include "shared.h"

#define PLEX_SHARED_FEW 64 /* elements around a part, at least, where a team works on an element */

static PetscInt PlexSharedTeams(PlexProduct *product)
{
  return product->block / product->team;
}

static size_t PlexSharedWork(PlexProduct *product)
{
  return product->work * (size_t)PlexSharedTeams(product);
}

/* Bytes of shared memory behind the work areas; fewer threads a block where these take too much */
static PetscErrorCode PlexSharedBudget(PlexSharedBuild *build, size_t *bytes)
{
  PlexAssembly      asm_    = build->asm_;
  PlexProduct      *product = build->product;
  PlexBackendLimits limits;
  const PetscInt    asked = asm_->owner->sharedMemory;
  size_t            least = PetscMax(build->plan->nodal, asm_->elements->ef) * PlexAssemblyRealSize(asm_), budget = 0;

  PetscFunctionBegin;
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  while (product->block > PetscMax(32, product->team) && PlexSharedWork(product) > limits.sharedPerProcessor / 6)
    product->block -= 32;
  if (asked > 0) budget = PetscMin((size_t)asked, limits.sharedPerBlock);
  for (PetscInt blocks = 3; blocks > 0 && asked <= 0; --blocks) {
    /* a block costs a KiB of its own */
    budget = PetscMin(limits.sharedPerBlock, limits.sharedPerProcessor / blocks - 1024);
    if (budget >= PlexSharedWork(product) + PetscMax(least, budget / 8)) break;
  }
  PetscCheck(budget >= PlexSharedWork(product) + least, PetscObjectComm((PetscObject)asm_), PETSC_ERR_SUP,
             "Quadrature data (%zu bytes) and one row of element data (%zu) need more shared memory than the %zu bytes "
             "that a block may have here: use -plex_assembly_precision single, a larger -plex_assembly_shared_memory, "
             "or a strategy that keeps element data elsewhere, e.g. -plex_assembly_type local_row",
             PlexSharedWork(product), least, budget);
  *bytes = budget - PlexSharedWork(product);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexSharedDestroyParts_Private(PlexSharedBuild *build)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(build->dofStart));
  PetscCall(PetscFree(build->order));
  PetscCall(PetscFree(build->part));
  PetscCall(PetscFree(build->local));
  PetscCall(PetscFree(build->targets));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Parts with at most maxElements elements around them, and the numbers of their targets */
static PetscErrorCode PlexSharedMakeParts(PlexSharedBuild *build, PetscInt maxElements, PetscInt *mostTargets)
{
  PlexSharedPlan *plan = build->plan;

  PetscFunctionBegin;
  plan->maxElements = maxElements;
  PetscCall(PlexNodeParts_Private(build->asm_, maxElements));
  build->nodes  = build->asm_->parts.nodes;
  build->around = build->asm_->parts.around;
  PetscCall(PlexPartDofs_Private(build->asm_, build->product, &build->nodes, &build->dofStart, &build->order,
                                 &build->part));
  plan->parts  = build->nodes.n;
  *mostTargets = 0;
  PetscCall(PetscMalloc1(build->asm_->elements->Nl, &build->local));
  PetscCall(PetscMalloc1(plan->parts, &build->targets));
  for (PetscInt b = 0; b < plan->parts; ++b) {
    PetscInt n = 0;

    for (PetscInt o = build->dofStart[b]; o < build->dofStart[b + 1]; ++o) {
      build->local[build->order[o]] = (int)n;
      n += PlexSharedLength(build, build->order[o]);
    }
    build->targets[b] = n;
    *mostTargets      = PetscMax(*mostTargets, n);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Elements around a part where each takes `one` bytes: as many as fit, and no more than leave a part or two for each
   processor */
static PetscErrorCode PlexSharedElements(PlexSharedBuild *build, size_t bytes, double one, PetscInt *maxElements)
{
  PlexAssembly      asm_ = build->asm_;
  PlexBackendLimits limits;
  PetscInt          n = (PetscInt)(bytes / one);

  PetscFunctionBegin;
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  if (build->product->team > 1) n = PetscMax(n, PLEX_SHARED_FEW);
  n            = PetscMin(n, PetscMax(16, asm_->elements->Ne / PetscMax(1, limits.multiprocessors)));
  *maxElements = asm_->partitionSize > 0 ? asm_->partitionSize : PetscMax(1, n);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Parts whose sums fit in shared memory beside some items, where there are such; otherwise they are summed in the
   matrix: to add in global memory costs less than larger elements cost that many small parts compute again and again */
static PetscErrorCode PlexSharedPartsWithSums(PlexSharedBuild *build, size_t bytes)
{
  PlexSharedPlan *plan = build->plan;
  /* sums, an element */
  const double worth = sizeof(PetscScalar) * (double)build->product->Nt / PetscMax(1, build->asm_->elements->Ne);
  const size_t real = PlexAssemblyRealSize(build->asm_), region = real * plan->region,
               least = real * PetscMax(plan->nodal, build->asm_->elements->ef);
  const size_t items = PetscMax(PetscMax(bytes / 4, least), PetscMin(region, bytes / 2)),
               room  = bytes - PetscMin(bytes, items);
  PetscInt     n, few, most;

  PetscFunctionBegin;
  PetscCall(PlexSharedElements(build, bytes, worth + (double)region, &n));
  few = PetscMin(n, build->product->team > 1 ? PLEX_SHARED_FEW / 2 : 1);
  for (PetscInt tries = 0; tries < 4 && n >= few; ++tries, n = 2 * n / 3) {
    if (worth * (double)n / 2 > (double)room) continue; /* a part owns about half of what is around it */
    PetscCall(PlexSharedMakeParts(build, n, &most));
    if ((size_t)most * sizeof(PetscScalar) <= room) {
      plan->sums = most;
      break;
    }
    PetscCall(PlexSharedDestroyParts_Private(build));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What an item is, and how many a pass */
static PetscErrorCode PlexSharedChooseItems(PlexSharedBuild *build)
{
  PlexSharedPlan *plan    = build->plan;
  PlexProduct    *product = build->product;
  const PetscInt  ef      = build->asm_->elements->ef;
  PetscInt        most    = 1;

  PetscFunctionBegin;
  if (plan->region > plan->capacity && product->symmetric) { /* runs of rows have no triangle */
    product->symmetric = PETSC_FALSE;
    product->nd        = ef * ef;
    plan->region       = PetscMax(plan->nodal, product->nd);
  }
  plan->chunked = (PetscBool)(product->kind == PLEX_JACOBIAN && !product->symmetric &&
                              (product->team > 1 || plan->region > plan->capacity));
  plan->rows    = plan->chunked ? PetscMax(1, PetscMin(ef, plan->capacity / (PlexSharedTeams(product) * ef))) : ef;
  for (PetscInt b = 0; b < plan->parts; ++b) most = PetscMax(most, build->around.start[b + 1] - build->around.start[b]);
  if (plan->chunked) plan->items = plan->capacity;
  else if (product->team > 1) plan->region |= 1; /* teams of a warp then begin in different banks */
  if (!plan->chunked) plan->items = PetscMin(most, plan->capacity / plan->region);
  if (build->asm_->partitionSize > 0) plan->items = PetscMin(plan->items, build->asm_->partitionSize);
  plan->stride = !plan->chunked && product->team == 1 ? plan->items : 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexSharedChooseSizes(PlexSharedBuild *build)
{
  PlexSharedPlan *plan     = build->plan;
  PlexProduct    *product  = build->product;
  PlexElements    elements = build->asm_->elements;
  const size_t    real     = PlexAssemblyRealSize(build->asm_);
  size_t          bytes;
  PetscInt        n, most, ef = elements->ef;

  PetscFunctionBegin;
  plan->nodal  = elements->Nv * elements->cdim + 2 * ef;
  plan->region = PetscMax(plan->nodal, product->nd);
  PetscCall(PlexSharedBudget(build, &bytes));
  if (build->row) PetscCall(PlexSharedPartsWithSums(build, bytes));
  if (!plan->sums) {
    PetscCall(PlexSharedElements(build, bytes, (double)plan->region * (double)real, &n));
    PetscCall(PlexSharedMakeParts(build, n, &most));
  }
  /* positions of two bytes: beyond any GPU's shared memory */
  plan->capacity = (PetscInt)PetscMin((bytes - (size_t)plan->sums * sizeof(PetscScalar)) / real, PLEX_SHARED_NONE - 1);
  PetscCall(PlexSharedChooseItems(build));
  if (!build->asm_->blockSize && product->team == 1 && plan->items >= 512) product->block = 256;
  plan->lanes = product->kind == PLEX_RESIDUAL || build->asm_->repeated || ef <= 4 ? 1
              : ef <= 10                                                           ? 4
              : ef <= 20                                                           ? 8
              : ef <= 48                                                           ? 16
                                                                                   : 32;
  for (plan->out = 1; plan->out < 32 && plan->out * elements->Nl < product->Nt;) plan->out *= 2;
  PetscFunctionReturn(PETSC_SUCCESS);
}
