/* Stored coefficients on the host: batches of elements in vector registers, coefficients batch by batch */
#include "plan.h"

/* Numbers as double or float */
static void PlexStoredPut(PetscBool single, void *to, PetscInt k, PetscReal value)
{
  if (single) ((float *)to)[k] = (float)value;
  else ((double *)to)[k] = (double)value;
}

/* n items of `size` bytes at a multiple of a lane vector, or NULL where they are counted only */
static void *PlexStoredTake(char *memory, size_t *used, size_t n, size_t size)
{
  char *at = memory ? memory + *used : NULL;

  *used += (n * size + PLEX_HOST_BYTES - 1) / PLEX_HOST_BYTES * PLEX_HOST_BYTES;
  return at;
}

static void PlexStoredLayout(PlexHostStored *h, char *memory, size_t *used)
{
  PlexStored     s    = h->s;
  PlexElements   el   = s->elements;
  const size_t   real = PLEX_HOST_BYTES / h->lanes;
  const PetscInt jets = s->NC * (1 + el->dim);
  PetscInt       most = 0, Q = s->lines ? s->lines->Q : 0;

  *used = 0;
  for (PetscInt f = 0; f < el->Nf; ++f) {
    most = PetscMax(most, el->Nn[f]);
    for (int part = PLEX_PART_VALUE; part <= PLEX_PART_BOTH; ++part)
      h->tables[f][part] = PlexStoredTake(memory, used,
                                          (size_t)s->Nq * el->Nn[f] * PlexHostPartSize_Private((PlexPart)part, el->dim),
                                          real);
  }
  h->B    = PlexStoredTake(memory, used, Q ? s->lines->N * Q : 0, real);
  h->D    = PlexStoredTake(memory, used, Q * Q, real);
  h->work = PlexStoredTake(memory, used,
                           PetscMax(el->ef + 2 * jets + 3 * s->Nq + (size_t)jets * s->Nq + 2 * most, (size_t)s->n),
                           PLEX_HOST_BYTES);
}

static void PlexStoredTables(PlexHostStored *h, PetscBool single)
{
  PlexStored     s   = h->s;
  PlexElements   el  = s->elements;
  const PetscInt dim = el->dim;

  for (PetscInt f = 0; f < el->Nf; ++f) {
    for (int part = PLEX_PART_VALUE; part <= PLEX_PART_BOTH; ++part) {
      PetscInt k = 0;

      for (PetscInt q = 0; q < s->Nq; ++q)
        for (PetscInt a = part & PLEX_PART_VALUE ? 0 : 1; a <= (part & PLEX_PART_GRAD ? dim : 0); ++a)
          for (PetscInt n = 0; n < el->Nn[f]; ++n)
            PlexStoredPut(single, h->tables[f][part], k++, s->table[f][(q * (1 + dim) + a) * el->Nn[f] + n]);
    }
  }
  for (PetscInt k = 0; s->lines && k < s->lines->N * s->lines->Q; ++k) PlexStoredPut(single, h->B, k, s->lines->B[k]);
  for (PetscInt k = 0; s->lines && k < s->lines->Q * s->lines->Q; ++k) PlexStoredPut(single, h->D, k, s->derivative[k]);
}

PetscErrorCode PlexStoredSetUpHost_Private(PlexAssembly asm_, PlexProduct *product)
{
  PlexStoredPlan *plan   = (PlexStoredPlan *)product->plan;
  PlexHostStored *h      = &plan->host;
  PetscBool       single = (PetscBool)(asm_->owner->precision == PLEX_PRECISION_SINGLE);
  PetscInt        batches;
  size_t          used;

  PetscFunctionBegin;
  PetscCall(PlexHostBatchCreate_Private(asm_, product, &plan->batch));
  h->s         = plan->s;
  h->transpose = (PetscBool)(asm_->form->action == PLEX_ACTION_TRANSPOSE && !plan->s->symmetric);
  h->lanes     = plan->batch->lanes;
  h->size      = (size_t)PlexStoredPoints(plan->s) * plan->s->numbers;
  PetscCall(PetscCalloc1(asm_->elements->Nf, &h->tables));
  PlexStoredLayout(h, NULL, &used);
  PetscCall(PetscCalloc1(used + PLEX_HOST_BYTES, &h->memory));
  PlexStoredLayout(h, h->memory + (PLEX_HOST_BYTES - (size_t)h->memory % PLEX_HOST_BYTES) % PLEX_HOST_BYTES, &used);
  PlexStoredTables(h, single);
  batches           = (asm_->elements->Ne + h->lanes - 1) / h->lanes;
  plan->data->bytes = (double)PLEX_HOST_BYTES * (double)h->size * (double)batches;
  if (plan->data->C) PetscFunctionReturn(PETSC_SUCCESS);
  used = PLEX_HOST_BYTES * h->size * (size_t)batches + PLEX_HOST_BYTES;
  PetscCall(PetscMalloc(used, &plan->data->memory));
  plan->data->C = (char *)plan->data->memory +
                  (PLEX_HOST_BYTES - (size_t)plan->data->memory % PLEX_HOST_BYTES) % PLEX_HOST_BYTES;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexStoredResetHost_Private(PlexStoredPlan *plan)
{
  PetscFunctionBegin;
  PetscCall(PlexHostBatchDestroy_Private(&plan->batch));
  PetscCall(PetscFree(plan->host.tables));
  PetscCall(PetscFree(plan->host.memory));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexStoredStoreHost_Private(PlexAssembly asm_, PlexStoredPlan *plan, const PlexArgs *args)
{
  const PetscBool single = (PetscBool)(asm_->owner->precision == PLEX_PRECISION_SINGLE);
  PlexHostBatch   b      = plan->batch;
  char           *C      = (char *)plan->data->C;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(b->constants, (const PetscScalar *)args->constants, asm_->form->numConstants));
  if (plan->s->factors && single) PlexHostPhysical_Single(b, &plan->host, args, plan->data->physical);
  else if (plan->s->factors) PlexHostPhysical_Double(b, &plan->host, args, plan->data->physical);
  for (PetscInt e = 0; e < asm_->elements->Ne; e += b->lanes, C += PLEX_HOST_BYTES * plan->host.size) {
    const PetscInt n = PetscMin(b->lanes, asm_->elements->Ne - e);

    if (single) PlexHostStore_Single(b, &plan->host, args, e, n, C);
    else PlexHostStore_Double(b, &plan->host, args, e, n, C);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexStoredApplyHost_Private(PlexAssembly asm_, PlexStoredPlan *plan, const PlexArgs *args)
{
  const PetscBool single = (PetscBool)(asm_->owner->precision == PLEX_PRECISION_SINGLE);
  const PetscInt  lanes  = plan->host.lanes;
  const char     *C      = (const char *)plan->data->C;

  PetscFunctionBegin;
  plan->host.physical = plan->data->physical;
  plan->host.dofs     = plan->direct ? plan->global : asm_->elements->dofs;
  for (PetscInt e = 0; e < asm_->elements->Ne; e += lanes, C += PLEX_HOST_BYTES * plan->host.size) {
    const PetscInt n = PetscMin(lanes, asm_->elements->Ne - e);

    if (single) PlexHostApply_Single(&plan->host, C, args, e, n);
    else PlexHostApply_Double(&plan->host, C, args, e, n);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
