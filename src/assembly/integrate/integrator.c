/* Integrators: those that are registered, and which of them a product takes */
#include "integrate.h"
#include <petscviewer.h>

#define PLEX_INTEGRATORS      32 /* most */
#define PLEX_INTEGRATOR_TYPES 64 /* types that take integrators, most */

static const PlexIntegrator *PlexIntegratorList[PLEX_INTEGRATORS];
static PetscInt              PlexIntegrators = 0;
static struct {
  const char      *type;
  PlexStrategyCall call;
} PlexIntegratorCalls[PLEX_INTEGRATOR_TYPES];
static PetscInt PlexIntegratorTypes = 0;

PetscErrorCode PlexIntegratorAdd_Private(const PlexIntegrator *integrator)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < PlexIntegrators; ++k)
    if (PlexIntegratorList[k] == integrator) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(PlexIntegrators < PLEX_INTEGRATORS, PETSC_COMM_SELF, PETSC_ERR_SUP, "More than %d integrators",
             PLEX_INTEGRATORS);
  PlexIntegratorList[PlexIntegrators++] = integrator;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void PlexIntegratorFinalize_Private(void)
{
  PlexIntegrators = PlexIntegratorTypes = 0;
}

PetscErrorCode PlexAssemblyTakeIntegrators(const char type[], PlexStrategyCall call)
{
  PetscInt k = 0;

  PetscFunctionBegin;
  while (k < PlexIntegratorTypes && strcmp(PlexIntegratorCalls[k].type, type)) ++k;
  PetscCheck(k < PLEX_INTEGRATOR_TYPES, PETSC_COMM_SELF, PETSC_ERR_SUP, "More than %d types take integrators",
             PLEX_INTEGRATOR_TYPES);
  PlexIntegratorCalls[k].type = type;
  PlexIntegratorCalls[k].call = call;
  if (k == PlexIntegratorTypes) ++PlexIntegratorTypes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PlexStrategyCall PlexIntegratorCallOf(const char type[])
{
  for (PetscInt k = 0; type && k < PlexIntegratorTypes; ++k)
    if (!strcmp(PlexIntegratorCalls[k].type, type)) return PlexIntegratorCalls[k].call;
  return PLEX_CALLS_NONE;
}

/* Whether a kernel that calls so has room for the integrator's function */
static PetscBool PlexIntegratorFits(const PlexIntegrator *integrator, PlexStrategyCall call)
{
  return (PetscBool)(call > PLEX_CALLS_ELEMENT || (call == PLEX_CALLS_ELEMENT && !integrator->elements));
}

const PlexIntegrator *PlexIntegratorOfType_Private(const char type[], PetscInt k)
{
  const PlexStrategyCall call = PlexIntegratorCallOf(type);

  for (PetscInt n = 0; n < PlexIntegrators; ++n)
    if (PlexIntegratorFits(PlexIntegratorList[n], call) && !k--) return PlexIntegratorList[n];
  return NULL;
}

const PlexIntegrator *PlexIntegratorOf_Private(const PlexVariant *variant)
{
  for (PetscInt n = 0; n < PlexIntegrators; ++n)
    if (&PlexIntegratorList[n]->variant == variant) return PlexIntegratorList[n];
  return NULL;
}

/* The first one that serves: `asked`, or, where that is NULL, one that is automatic, unless the kernel may compute rows
   of elements alone */
static PetscErrorCode PlexIntegratorFind(PlexAssembly asm_, PlexProduct *product, PlexStrategyCall call,
                                         const PlexVariant *asked)
{
  PetscFunctionBegin;
  /* of nodes and components they know alone, and of residuals and Jacobians */
  if (asm_->elements->vectors || asm_->form->action) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < PlexIntegrators && !product->integrator && !asm_->owner->dummy; ++k) {
    const PlexIntegrator *v      = PlexIntegratorList[k];
    PetscBool             serves = PETSC_FALSE;

    if (!PlexIntegratorFits(v, call) || !v->variant.product[product->kind]) continue;
    if (asked ? asked != &v->variant : !v->automatic || call == PLEX_CALLS_ELEMENT) continue;
    product->integrator = v;
    PetscCall((*v->create)(asm_, product, call, &serves));
    if (!serves) PetscCall(PlexIntegratorReset(product));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexIntegratorChoose(PlexAssembly asm_, PlexProduct *product)
{
  const PlexStrategy *s = &asm_->strategy[product->kind];

  PetscFunctionBegin;
  PetscCall(PlexIntegratorReset(product));
  PetscCall(PlexIntegratorFind(asm_, product, PlexIntegratorCallOf(s->type), s->variant));
  if (product->integrator) product->variant = product->integrator->variant.name;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexIntegratorEstimate_Private(PlexAssembly asm_, const PlexProduct *product, double *flops)
{
  PlexProduct copy = *product;

  PetscFunctionBegin;
  *flops = 0.0;
  PetscCall(PlexIntegratorFind(asm_, &copy, PLEX_CALLS_PREFETCHED, NULL));
  if (copy.integrator && copy.integrator->flops) *flops = (*copy.integrator->flops)(asm_, &copy);
  PetscCall(PlexIntegratorReset(&copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexIntegratorReset(PlexProduct *product)
{
  PetscFunctionBegin;
  if (product->integrator && product->integrator->destroy) PetscCall((*product->integrator->destroy)(product));
  else PetscCall(PetscFree(product->integratorData));
  product->integrator     = NULL;
  product->integratorData = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt PlexIntegratorElements(const PlexProduct *product)
{
  if (product->integrator && product->integrator->warp) return product->block / 32 * product->integrator->warp;
  return product->block / product->team;
}

double PlexIntegratorFlops(PlexAssembly asm_, PlexProduct *product)
{
  const double Ne = (double)asm_->elements->Ne;

  if (product->integrator && product->integrator->flops) return Ne * (*product->integrator->flops)(asm_, product);
  return PlexAssemblyCountFlops(asm_, product, Ne * (double)PlexAssemblyPoints(asm_, product),
                                Ne * (double)asm_->elements->ef, 0);
}

PetscErrorCode PlexIntegratorView(const PlexProduct *product, PetscViewer viewer)
{
  PetscFunctionBegin;
  if (product->integrator && product->integrator->view) PetscCall((*product->integrator->view)(product, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
