/* Ways in which a type computes a product, by name: "local_row:sumfactor" */
#include <plexgpu/private/assemblyimpl.h> /*I "plexgpuassembly.h" I*/
#include "assemblyimpl.h"

#define PLEX_VARIANT_TYPES 64 /* types with variants, most */

static struct {
  const char        *type;
  const PlexVariant *variants;
  PlexEstimateFn    *estimate; /* or NULL */
} PlexVariantList[PLEX_VARIANT_TYPES];
static PetscInt PlexVariantTypes = 0;

static const char *const PlexVariantProducts[] = {"residual", "Jacobian"};

PetscErrorCode PlexAssemblyRegisterVariants(const char type[], const PlexVariant variants[], PlexEstimateFn *estimate)
{
  PetscBool same = PETSC_FALSE;
  PetscInt  k    = 0;

  PetscFunctionBegin;
  for (; k < PlexVariantTypes; ++k) {
    PetscCall(PetscStrcmp(PlexVariantList[k].type, type, &same));
    if (same) break;
  }
  PetscCheck(k < PLEX_VARIANT_TYPES, PETSC_COMM_SELF, PETSC_ERR_SUP, "More than %d assembly types with variants",
             PLEX_VARIANT_TYPES);
  PlexVariantList[k].type     = type;
  PlexVariantList[k].variants = variants;
  PlexVariantList[k].estimate = estimate;
  if (k == PlexVariantTypes) ++PlexVariantTypes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyEstimate(PlexAssembly asm_, PlexProduct *product, PlexEstimate *e)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(e, sizeof(*e)));
  for (PetscInt k = 0; k < PlexVariantTypes; ++k)
    if (PlexVariantList[k].estimate) PetscCall((*PlexVariantList[k].estimate)(asm_, product, e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Variant n of a type, of which the first are the integrators that it takes; NULL: it has no more */
static const PlexVariant *PlexVariantOf(const char type[], PetscInt n)
{
  const PlexIntegrator *integrator;
  PetscInt              k = 0;

  for (; (integrator = PlexIntegratorOfType_Private(type, k)); ++k)
    if (k == n) return &integrator->variant;
  for (PetscInt t = 0; t < PlexVariantTypes; ++t) {
    const PlexVariant *v = PlexVariantList[t].variants;

    if (strcmp(PlexVariantList[t].type, type)) continue;
    for (; v->name; ++v, ++k)
      if (k == n) return v;
  }
  return NULL;
}

PetscErrorCode PlexVariantFind_Private(const char type[], PlexProductKind kind, const char name[],
                                       const PlexVariant **variant)
{
  const PlexVariant *v;

  PetscFunctionBegin;
  *variant = NULL;
  for (PetscInt n = 0; (v = PlexVariantOf(type, n)); ++n)
    if (!strcmp(v->name, name) && v->product[kind]) *variant = v;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexVariantCheckNew_Private(const PlexVariant *variant)
{
  const char **types;
  int          n;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyGetTypes_Private(&n, &types));
  for (int k = 0; k < n; ++k) {
    const PlexVariant *v;

    for (PetscInt m = 0; (v = PlexVariantOf(types[k], m)); ++m)
      PetscCheck(v == variant || strcmp(v->name, variant->name), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
                 "The name '%s' is that of another variant of %s: choose another one", variant->name, types[k]);
  }
  PetscCall(PetscFree(types));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* TYPE[:VARIANT|VARIANT...] */
PetscErrorCode PlexVariantsSay_Private(const char type[], char text[], size_t size)
{
  const PlexVariant *v;
  PetscInt           n = 0;

  PetscFunctionBegin;
  PetscCall(PetscStrlcat(text, type, size));
  for (; (v = PlexVariantOf(type, n)); ++n) {
    PetscCall(PetscStrlcat(text, n ? "|" : "[:", size));
    PetscCall(PetscStrlcat(text, v->name, size));
  }
  if (n) PetscCall(PetscStrlcat(text, "]", size));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* After the plan of a product: the way that was asked for has to be the one that was taken. The host has one way, which
   does in the place of others that compute the same */
PetscErrorCode PlexVariantCheck_Private(PlexAssembly asm_, const PlexProduct *product)
{
  const PlexStrategy   *s          = &asm_->strategy[product->kind];
  const PlexIntegrator *integrator = PlexIntegratorOf_Private(s->variant);

  PetscFunctionBegin;
  if (!s->variant || (product->variant && !strcmp(s->variant->name, product->variant)))
    PetscFunctionReturn(PETSC_SUCCESS);
  if (!asm_->backend->kernels && (!integrator || integrator->automatic)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(asm_->backend->kernels, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "-plex_assembly_type %s:%s needs a backend that compiles kernels, and %s integrates by quadrature alone: "
             "use -plex_assembly_backend %s or %s",
             s->type, s->variant->name, ((PetscObject)asm_->backend)->type_name, PLEXBACKENDCUDA, PLEXBACKENDEMULATE);
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP,
          "-plex_assembly_type %s:%s does not serve this %s: it computes %s. Use %s alone, which takes the fastest of "
          "its ways that serve",
          s->type, s->variant->name, PlexVariantProducts[product->kind], s->variant->serves, s->type);
}

/*@C
  PlexAssemblyGetVariants - Gets the ways in which the types compute residual and Jacobian

  Not Collective

  Input Parameter:
. asm - the assembly

  Output Parameters:
+ residual - the variant of the residual's type, such as `sumfactor`; `NULL` where it has no plan, or its type has one way
- jacobian - likewise of the Jacobian's; either may be `NULL`

  Level: advanced

  Notes:
  They are those of this process, of the cells of the first region. `PlexAssemblySetType()` says how to ask for one, `-help` which there are.

  The names live as long as the plans.

.seealso: `PlexAssembly`, `PlexAssemblyType`, `PlexAssemblySetType()`, `PlexAssemblyGetResidualType()`, `PlexAssemblyGetJacobianType()`
@*/
PetscErrorCode PlexAssemblyGetVariants(PlexAssembly asm_, const char *residual[], const char *jacobian[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  if (residual) *residual = asm_->product[PLEX_RESIDUAL].setUp ? asm_->product[PLEX_RESIDUAL].variant : NULL;
  if (jacobian) *jacobian = asm_->product[PLEX_JACOBIAN].setUp ? asm_->product[PLEX_JACOBIAN].variant : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}
