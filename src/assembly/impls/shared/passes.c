/*
  The plan of shared_nz and shared_row, in steps over arrays:

    sizes   shared memory, and from it parts of the mesh nodes
    items   elements around each part, or ranges of their rows: count, scan, fill
    passes  items that are in shared memory together, one after the other where they do not fit
    lists   of a pass: terms (target, position in shared memory), sorted by target, and the targets' lists of positions

  Targets are summed by the part that owns their row.
*/
#include "shared.h"

#define PLEX_SHARED_FEW 64 /* elements around a part, at least, where a team works on an element: few fit at a time */
#define PLEX_SHARED_GAP 6  /* rows of other parts that end an item: they cost about what another one's points do */

typedef struct {
  PlexAssembly    asm_;
  PlexProduct    *product;
  PlexSharedPlan *plan;
  PetscInt        length;    /* entries of a row of element data */
  int            *part;      /* [Nl] of a dof, or -1 */
  PlexSharedItem *items;     /* [nitems] */
  int            *passStart; /* [parts+1] */
  PlexSharedPass *passes;    /* [passes], room for nitems */

  /* of a pass, room for `capacity` each: terms, target << 32 | position; work; lists by descending length; where the
     terms of each target begin [+1] */
  uint64_t      *keys, *work, *order;
  PetscInt      *start;
  int           *slots;                  /* [ef][ef] of an element */
  PetscBool     *seen;                   /* [Nt] an earlier pass has summed it */
  PetscInt       covered;                /* targets that are summed */
  PlexPackBuffer lists, positions, rows; /* of all passes: as in PlexSharedArgs */
} PlexSharedBuild;

/* More shared memory a block means larger parts, and fewer elements computed twice; less means more blocks a processor,
   which hide each other's waiting: a third of a processor's, or more where little room is left beside the teams' work
   areas. A thread an element takes all elements around a part in one pass. A team an element is for larger elements, of
   which few fit: passes of a larger part, as elements computed twice lie on its surface. */
static PetscErrorCode PlexSharedChooseSizes(PlexSharedBuild *s)
{
  PlexAssembly      asm_    = s->asm_;
  PlexProduct      *product = s->product;
  PlexSharedPlan   *plan    = s->plan;
  const PetscInt    ef = asm_->elements->ef, region = (ef * s->length) | 1, team = product->team;
  const size_t      real = PlexAssemblyRealSize(asm_), least = real * (size_t)(s->length > 1 ? s->length | 1 : region);
  size_t            budget, work;
  PlexBackendLimits limits;
  PetscInt          n;

  PetscFunctionBegin;
  PetscCall(PlexBackendGetLimits(asm_->backend, &limits));
  while (product->block > PetscMax(32, team) &&
         product->work * (size_t)(product->block / team) > limits.sharedPerProcessor / 6)
    product->block -= 32;
  work   = product->work * (size_t)(product->block / team);
  budget = PetscMin((size_t)PetscMax(0, asm_->owner->sharedMemory), limits.sharedPerBlock);
  for (size_t blocks = 3; blocks > 0 && asm_->owner->sharedMemory <= 0; --blocks) {
    /* a block costs a KiB of its own */
    budget = PetscMin(limits.sharedPerBlock, limits.sharedPerProcessor / blocks - 1024);
    if (budget >= work + PetscMax(least, budget / 8)) break;
  }
  PetscCheck(budget >= work + least, PetscObjectComm((PetscObject)asm_), PETSC_ERR_SUP,
             "Quadrature data (%zu bytes) and one row of element data (%zu) need more shared memory than the %zu bytes "
             "that a block may have here: use -plex_assembly_precision single, a larger -plex_assembly_shared_memory, "
             "or a strategy that keeps element data elsewhere, e.g. -plex_assembly_type local_row",
             work, least, budget);
  plan->sharedBytes = budget;
  plan->capacity    = (PetscInt)((budget - work) / real);
  plan->chunked     = (PetscBool)(product->kind == PLEX_JACOBIAN && (team > 1 || region > plan->capacity));
  plan->rows        = plan->chunked ? PetscMax(1, plan->capacity / (product->block / team) / (ef + 1)) : ef;
  n                 = plan->capacity / region;
  if (team > 1) n = PetscMax(n, PLEX_SHARED_FEW);
  n = PetscMin(n, PetscMax(16, asm_->elements->Ne / PetscMax(1, limits.multiprocessors))); /* parts for all of them */
  if (!asm_->blockSize && team == 1 && n >= 512) product->block = 256;
  plan->maxElements = asm_->partitionSize > 0 ? asm_->partitionSize : PetscMax(1, n);
  PetscCall(PlexNodeParts_Private(asm_, plan->maxElements));
  plan->parts = asm_->parts.nodes.n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What part b needs of element e: the number of items, and items[] unless NULL */
static PetscInt PlexSharedCutElement(const PlexSharedBuild *s, PetscInt b, PetscInt e, PlexSharedItem items[])
{
  const PetscInt        ef   = s->asm_->elements->ef;
  const PlexSharedPlan *plan = s->plan;
  const int            *dofs = &s->asm_->elements->dofs[(size_t)e * ef];
  PetscInt              n = 0, first = 0, last = 0;

  for (PetscInt i = 0; i < ef; ++i) {
    if (s->part[dofs[i]] != b) continue;
    if (!n || (plan->chunked && (i - last > PLEX_SHARED_GAP || i - first >= plan->rows))) {
      first = i;
      ++n;
    }
    last = i;
    if (items) items[n - 1] = (PlexSharedItem){(int)e, 0, (int)first, (int)(last + 1 - first)};
    if (items && !plan->chunked) items[n - 1] = (PlexSharedItem){(int)e, 0, 0, (int)ef};
  }
  return n;
}

/* Items of each part, and passes of them */
static PetscErrorCode PlexSharedListItems(PlexSharedBuild *s)
{
  const PlexLists *around = &s->asm_->parts.around;
  PlexSharedPlan  *plan   = s->plan;
  PetscInt         n = 0, used = 0;

  PetscFunctionBegin;
  for (PetscInt b = 0; b < plan->parts; ++b)
    for (PetscInt k = around->start[b]; k < around->start[b + 1]; ++k)
      plan->nitems += PlexSharedCutElement(s, b, around->items[k], NULL);
  PetscCheck(plan->nitems < PETSC_INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "More than 2^31 items of shared memory: distribute the mesh over more ranks");
  PetscCall(PetscMalloc2(plan->nitems, &s->items, plan->parts + 1, &s->passStart));
  PetscCall(PetscCalloc1(plan->nitems, &s->passes));
  for (PetscInt b = 0; b < plan->parts; ++b) {
    PetscInt k = n; /* item */

    s->passStart[b] = (int)plan->passes;
    for (PetscInt e = around->start[b]; e < around->start[b + 1]; ++e) {
      const PetscInt more = PlexSharedCutElement(s, b, around->items[e], &s->items[n]);

      n += more;
      plan->elements += more > 0;
    }
    for (used = plan->capacity; k < n; ++k) {
      const PetscInt size = (s->items[k].n * s->length) | 1; /* odd: neighbouring threads are in different banks */

      if (used + size > plan->capacity) {
        s->passes[plan->passes++].item = (int)k;
        used                           = 0;
      }
      s->items[k].base = (int)used;
      ++s->passes[plan->passes - 1].items;
      used += size;
      plan->nrows += (double)s->items[k].n;
    }
    plan->mostPasses = PetscMax(plan->mostPasses, plan->passes - s->passStart[b]);
  }
  s->passStart[plan->parts] = (int)plan->passes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Terms of a pass of part b, by target and then in their order; *n of them */
static PetscErrorCode PlexSharedTerms(PlexSharedBuild *s, PetscInt b, const PlexSharedPass *pass, PetscInt *n)
{
  const PlexElements el = s->asm_->elements;

  PetscFunctionBegin;
  *n = 0;
  for (PetscInt k = pass->item; k < pass->item + pass->items; ++k) {
    const PlexSharedItem *item = &s->items[k];
    const int            *dofs = &el->dofs[(size_t)item->element * el->ef];

    if (s->product->kind == PLEX_JACOBIAN && (k == pass->item || item->element != item[-1].element))
      PetscCall(PlexPatternGetElementSlots(s->asm_->pattern, item->element, s->slots));
    for (PetscInt i = item->first; i < item->first + item->n; ++i) {
      /* an entry's target; of a residual the dof */
      const int     *slots    = s->product->kind == PLEX_JACOBIAN ? &s->slots[i * s->length] : &dofs[i];
      const PetscInt position = item->base + (i - item->first) * s->length;

      for (PetscInt j = 0; s->part[dofs[i]] == b && j < s->length; ++j)
        if (slots[j] >= 0) s->keys[(*n)++] = (uint64_t)slots[j] << 32 | (uint64_t)(position + j);
    }
  }
  PlexSortKeys(*n, 32, s->keys, s->work);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Lists of the n terms of a pass. Those of shared_nz by descending length, so that neighbouring threads sum as many */
static PetscErrorCode PlexSharedFillLists(PlexSharedBuild *s, PetscInt n, PlexSharedPass *pass)
{
  PetscInt nl = 0, at = 0;
  int     *list, *positions;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k)
    if (!k || s->keys[k] >> 32 != s->keys[k - 1] >> 32) s->start[nl++] = k;
  s->start[nl] = n;
  for (PetscInt l = 0; l < nl; ++l)
    s->order[l] = (uint64_t)(s->plan->row ? 0 : n - (s->start[l + 1] - s->start[l])) << 32 | (uint64_t)l;
  PlexSortKeys(nl, 32, s->order, s->work);
  pass->list      = (int)(s->lists.n / 2);
  pass->lists     = (int)nl;
  pass->positions = (long long)s->positions.n;
  PetscCall(PlexPackBufferExtend(&s->lists, 2 * (size_t)(nl + 1), &list));
  PetscCall(PlexPackBufferExtend(&s->positions, (size_t)n, &positions));
  for (PetscInt l = 0; l < nl; ++l, list += 2) {
    const PetscInt  which  = (PetscInt)(uint32_t)s->order[l];
    const int       target = (int)(s->keys[s->start[which]] >> 32);
    const PetscBool seen   = s->seen[target];

    list[0] = seen ? -target - 1 : target;
    list[1] = (int)at;
    s->product->bytes += seen ? 16.0 : 8.0;
    s->covered += !seen;
    s->seen[target] = PETSC_TRUE;
    for (PetscInt k = s->start[which]; k < s->start[which + 1]; ++k) positions[at++] = (int)(uint32_t)s->keys[k];
  }
  list[1] = (int)at;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* First target behind the row of this one, of the matrix or the residual */
static PetscInt PlexSharedRowEnd(const PlexSharedBuild *s, PetscInt target)
{
  const PetscInt *start = s->asm_->pattern->i;
  PetscInt        low = 0, high = s->asm_->pattern->m;

  while (high - low > 1) {
    const PetscInt middle = low + (high - low) / 2;

    if (start[middle] <= target) low = middle;
    else high = middle;
  }
  return start[high];
}

/* shared_row: at which lists of the pass rows begin, and the end */
static PetscErrorCode PlexSharedFillRows(PlexSharedBuild *s, PlexSharedPass *pass)
{
  PetscInt end = -1;
  int     *row;

  PetscFunctionBegin;
  pass->row = (int)s->rows.n;
  for (PetscInt l = 0; l <= pass->lists; ++l) {
    const PetscInt target = l < pass->lists ? (PetscInt)(s->keys[s->start[l]] >> 32) : PETSC_INT_MAX;

    if (target < end) continue;
    PetscCall(PlexPackBufferExtend(&s->rows, 1, &row));
    *row = (int)l;
    end  = l == pass->lists || s->product->kind == PLEX_RESIDUAL ? target : PlexSharedRowEnd(s, target);
  }
  pass->rows = (int)s->rows.n - pass->row - 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexSharedFillPasses(PlexSharedBuild *s)
{
  const PlexSharedPlan *plan = s->plan;
  const PetscInt        ef = s->asm_->elements->ef, most = plan->capacity;
  PetscInt              n;

  PetscFunctionBegin;
  PetscCall(PetscMalloc5(most, &s->keys, most, &s->work, most, &s->order, most + 1, &s->start, ef * ef, &s->slots));
  PetscCall(PetscCalloc1(s->product->Nt, &s->seen));
  for (PetscInt b = 0; b < plan->parts; ++b) {
    for (PlexSharedPass *pass = &s->passes[s->passStart[b]]; pass < &s->passes[s->passStart[b + 1]]; ++pass) {
      PetscCall(PlexSharedTerms(s, b, pass, &n));
      PetscCall(PlexSharedFillLists(s, n, pass));
      if (plan->row) PetscCall(PlexSharedFillRows(s, pass));
    }
  }
  PetscCheck(s->lists.n / 2 < PETSC_INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "More than 2^31 sums in shared memory: distribute the mesh over more ranks");
  PetscCall(PetscFree5(s->keys, s->work, s->order, s->start, s->slots));
  PetscCall(PetscFree(s->seen));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Copies a buffer to the device, and destroys it here */
static PetscErrorCode PlexSharedMove(PlexSharedBuild *s, PlexPackBuffer *buffer, void *device)
{
  const double bytes = sizeof(int) * (double)buffer->n;

  PetscFunctionBegin;
  s->plan->listed += bytes;
  s->product->bytes += bytes;
  PetscCall(PlexProductUpload(s->asm_, s->product, buffer->entries, sizeof(int) * buffer->n, device));
  PetscCall(PlexPackBufferDestroy(buffer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The plan to the device, and what it reads in a launch. ids[Ne][Nv + ef]: coordinate nodes and dofs of each element */
static PetscErrorCode PlexSharedUpload(PlexSharedBuild *s)
{
  PlexAssembly       asm_    = s->asm_;
  PlexProduct       *product = s->product;
  PlexSharedPlan    *plan    = s->plan;
  PlexSharedArgs    *device  = &plan->device;
  const PlexElements el      = asm_->elements;
  const size_t       K       = (size_t)(el->Nv + el->ef);
  const double       around  = plan->elements / PetscMax(1, el->Ne); /* parts that read an element */
  int               *ids;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)el->Ne * K, &ids));
  for (PetscInt e = 0; e < el->Ne; ++e) {
    PetscCall(PetscArraycpy(&ids[(size_t)e * K], &el->vertices[(size_t)e * el->Nv], el->Nv));
    PetscCall(PetscArraycpy(&ids[(size_t)e * K + el->Nv], &el->dofs[(size_t)e * el->ef], el->ef));
  }
  PetscCall(PlexProductUpload(asm_, product, ids, sizeof(int) * (size_t)el->Ne * K, &device->ids));
  PetscCall(PetscFree(ids));
  PetscCall(PlexProductUpload(asm_, product, s->passStart, sizeof(int) * (plan->parts + 1), &device->start));
  PetscCall(PlexProductUpload(asm_, product, s->passes, sizeof(*s->passes) * plan->passes, &device->passes));
  PetscCall(PlexProductUpload(asm_, product, s->items, sizeof(*s->items) * plan->nitems, &device->items));
  PetscCall(PlexSharedMove(s, &s->lists, &device->lists));
  PetscCall(PlexSharedMove(s, &s->positions, &device->positions));
  PetscCall(PlexSharedMove(s, &s->rows, &device->rows));
  product->bytes += (double)sizeof(PlexSharedPass) * plan->passes +
                    (sizeof(PlexSharedItem) + 4.0 * K + 12.0 * el->ea) * plan->nitems +
                    8.0 * around * ((double)el->Nx * el->cdim + el->Nl);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexSharedPlanCreate_Private(PlexAssembly asm_, PlexProduct *product, PlexSharedPlan *plan)
{
  const PetscBool matrix = (PetscBool)(product->kind == PLEX_JACOBIAN);
  PlexSharedBuild s      = {.asm_ = asm_, .product = product, .plan = plan, .length = matrix ? asm_->elements->ef : 1};

  PetscFunctionBegin;
  product->bytes     = 0.0; /* added to as the lists are made */
  product->symmetric = PETSC_FALSE;
  product->nd        = asm_->elements->ef * s.length;
  PetscCall(PlexSharedChooseSizes(&s));
  PetscCall(PlexPartDofs_Private(asm_, product, &asm_->parts.nodes, NULL, NULL, &s.part));
  PetscCall(PlexSharedListItems(&s));
  PetscCall(PlexSharedFillPasses(&s));
  PetscCall(PlexSharedUpload(&s));
  plan->zero = (PetscBool)(s.covered < product->Nt - (matrix ? asm_->pattern->unused : 0));
  if (plan->zero) product->bytes += 8.0 * product->Nt;
  product->flops = PlexAssemblyCountFlops(asm_, product, (double)plan->nitems * PlexAssemblyPoints(asm_, product),
                                          plan->nrows, 0);
  PetscCall(PetscFree2(s.items, s.passStart));
  PetscCall(PetscFree(s.passes));
  PetscCall(PetscFree(s.part));
  PetscFunctionReturn(PETSC_SUCCESS);
}
