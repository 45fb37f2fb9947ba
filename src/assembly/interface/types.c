/* The types of an assembly: residual and Jacobian have one each. */
#include <plexgpu/private/assemblyimpl.h> /*I "plexgpuassembly.h" I*/
#include "assemblyimpl.h"

PETSC_EXTERN PetscErrorCode PlexAssemblyCreate_Host(PlexAssembly);

PetscErrorCode PlexTypeServes_Private(PlexAssembly asm_, PlexAssemblyType type, PetscBool *serves)
{
  static const char *const types[] = {PLEXASSEMBLYELEMENTCOLOR, PLEXASSEMBLYELEMENTATOMIC, PLEXASSEMBLYGLOBALNZ,
                                      PLEXASSEMBLYGLOBALROW};
  PetscBool                same;

  PetscFunctionBegin;
  *serves = (PetscBool)!asm_->elements->vectors;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(types) && !*serves; ++k) {
    PetscCall(PetscStrcmp(type, types[k], &same));
    *serves = same;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyUnknownType(PlexAssembly asm_, PlexAssemblyType type, const char option[])
{
  const char **names;
  char         known[1024] = "";
  int          n;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyGetTypes_Private(&n, &names));
  for (int k = 0; k < n; ++k) {
    PetscCall(PetscStrlcat(known, " ", sizeof(known)));
    PetscCall(PlexVariantsSay_Private(names[k], known, sizeof(known)));
  }
  PetscCall(PetscFree(names));
  SETERRQ(PetscObjectComm((PetscObject)asm_), PETSC_ERR_ARG_UNKNOWN_TYPE,
          "Unknown assembly type '%s'; known are: auto%s. Choose one with %s, or add your own with "
          "PlexAssemblyRegister()",
          type, known, option);
}

/* ---- Operations of the types ---- */

PetscErrorCode PlexAssemblySelect_Private(PlexAssembly asm_, PlexProductKind kind)
{
  const PlexAssembly  owner = asm_->owner;
  const PlexStrategy *tuned = &owner->strategy[kind];

  PetscFunctionBegin;
  asm_->strategy[asm_->selected].data = asm_->data; /* the type's functions may have changed it */
  asm_->selected                      = kind;
  *asm_->ops                          = asm_->strategy[kind].ops;
  asm_->data                          = asm_->strategy[kind].data;
  asm_->blockSize                     = tuned->tuned ? tuned->block : owner->blockSize;
  asm_->teamSize                      = tuned->tuned ? tuned->team : owner->teamSize;
  asm_->partitionSize                 = tuned->tuned ? tuned->partition : owner->partitionSize;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Gives a product, which has been reset, the operations of a type, or none if create is NULL; type may be NULL */
static PetscErrorCode PlexAssemblySetOperations(PlexAssembly asm_, PlexProductKind kind, PlexAssemblyType type,
                                                PetscErrorCode (*create)(PlexAssembly))
{
  PlexStrategy *s = &asm_->strategy[kind];
  PetscBool     same;

  PetscFunctionBegin;
  PetscCall(PlexAssemblySelect_Private(asm_, kind));
  PetscTryTypeMethod(asm_, destroy);
  PetscCall(PetscFree(asm_->data));
  PetscCall(PetscMemzero(asm_->ops, sizeof(*asm_->ops)));
  PetscCall(PetscStrcmp(s->type, type, &same)); /* `type` may be s->type */
  if (!same) {
    s->variant = NULL;
    PetscCall(PetscFree(s->type));
    PetscCall(PetscStrallocpy(type, &s->type));
    if (kind == PLEX_JACOBIAN) PetscCall(PetscObjectChangeTypeName((PetscObject)asm_, s->type));
  }
  if (create) PetscCall((*create)(asm_));
  s->later = (PlexFollower){NULL, 0, 0};
  s->done = s->after = 0;
  s->ops             = *asm_->ops;
  s->data            = asm_->data;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyDestroyStrategies_Private(PlexAssembly asm_)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < PLEX_PRODUCTS; ++k) {
    PetscCall(PlexAssemblySetOperations(asm_, (PlexProductKind)k, NULL, NULL));
    PetscCall(PetscFree(asm_->strategy[k].why));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblySwitchType_Private(PlexAssembly asm_, PlexProductKind kind, PlexAssemblyType type)
{
  PetscErrorCode (*create)(PlexAssembly);

  PetscFunctionBegin;
  PetscCall(PlexAssemblyFindType_Private(type, &create));
  if (!create) PetscCall(PlexAssemblyUnknownType(asm_, type, "-plex_assembly_type"));
  PetscCall(PlexAssemblyResetProduct_Private(asm_, &asm_->product[kind]));
  PetscCall(PlexAssemblySetOperations(asm_, kind, type, create));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The type that the user sets, or `auto` chooses ---- */

/* With `auto` the type that the cost model prefers; tuning may replace it later */
static PetscErrorCode PlexAssemblyChooseType(PlexAssembly asm_, PlexProductKind kind)
{
  PlexStrategy    *s      = &asm_->strategy[kind];
  PlexAssemblyType type   = s->type;
  PlexChoice       choice = {NULL};
  PetscBool        same, serves;

  PetscFunctionBegin;
  PetscCall(PetscFree(s->why));
  s->origin = PLEX_TUNED_NOT;
  s->later  = (PlexFollower){NULL, 0, 0};
  if (!asm_->backend->kernels) {
    PetscCall(PlexAssemblyResetProduct_Private(asm_, &asm_->product[kind]));
    PetscCall(PlexAssemblySetOperations(asm_, kind, type, PlexAssemblyCreate_Host));
    PetscCall(PetscStrallocpy("the host backend has one way, Algorithm 1", &s->why));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!type) s->chosen = PETSC_TRUE;
  if (s->chosen) {
    PetscCall((*PlexAssemblyTuning.choose)(asm_, kind, &choice));
    type   = choice.type;
    s->why = choice.why;
  } else PetscCall(PetscStrallocpy("asked for", &s->why));
  PetscCall(PlexTypeServes_Private(asm_, type, &serves));
  PetscCheck(serves, PetscObjectComm((PetscObject)asm_), PETSC_ERR_SUP,
             "-plex_assembly_type %s does not serve a basis of vectors, as of H(div): use %s, %s, %s or %s", type,
             PLEXASSEMBLYELEMENTCOLOR, PLEXASSEMBLYELEMENTATOMIC, PLEXASSEMBLYGLOBALNZ, PLEXASSEMBLYGLOBALROW);
  /* a plan of the same type is kept; without one the operations may be those of another backend */
  PetscCall(PetscStrcmp(type, s->type, &same));
  if (!asm_->product[kind].setUp || !same) PetscCall(PlexAssemblySwitchType_Private(asm_, kind, type));
  s->later = choice.later;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyChooseTypes_Private(PlexAssembly asm_)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < PLEX_PRODUCTS; ++k) PetscCall(PlexAssemblyChooseType(asm_, (PlexProductKind)k));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyIsOneType_Private(PlexAssembly asm_, PetscBool *one)
{
  PetscFunctionBegin;
  PetscCall(PetscStrcmp(asm_->strategy[PLEX_RESIDUAL].type, asm_->strategy[PLEX_JACOBIAN].type, one));
  if (asm_->backend && !asm_->backend->kernels) *one = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A type that the user sets: type, or type:variant */
typedef struct {
  char               type[64];
  PetscBool          isauto, same; /* same: the product has this type and variant */
  const PlexVariant *variant;
  PetscErrorCode (*create)(PlexAssembly);
} PlexTypeAsked;

/* Parses types[]; an error if there is a variant that neither product's type has */
static PetscErrorCode PlexTypeFindVariants(PlexAssembly asm_, const PlexAssemblyType types[PLEX_PRODUCTS],
                                           const char option[], PlexTypeAsked asked[PLEX_PRODUCTS])
{
  PetscBool   found = PETSC_FALSE;
  const char *name  = NULL;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < PLEX_PRODUCTS; ++k) {
    char *colon;

    asked[k] = (PlexTypeAsked){.same = PETSC_TRUE};
    if (!types[k]) continue;
    PetscCall(PetscStrncpy(asked[k].type, types[k], sizeof(asked[k].type)));
    PetscCall(PetscStrchr(asked[k].type, ':', &colon));
    if (!colon) continue;
    *colon = 0;
    name   = types[k] + (colon - asked[k].type) + 1;
    PetscCall(PlexVariantFind_Private(asked[k].type, (PlexProductKind)k, name, &asked[k].variant));
    if (asked[k].variant) found = PETSC_TRUE;
  }
  if (!name || found) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexAssemblyUnknownType(asm_, types[PLEX_RESIDUAL] ? types[PLEX_RESIDUAL] : types[PLEX_JACOBIAN], option));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblySetTypes_Private(PlexAssembly asm_, const PlexAssemblyType types[PLEX_PRODUCTS],
                                            const char option[])
{
  PlexTypeAsked asked[PLEX_PRODUCTS];

  PetscFunctionBegin;
  PetscCall(PlexTypeFindVariants(asm_, types, option, asked));
  for (PetscInt k = 0; k < PLEX_PRODUCTS; ++k) {
    PlexTypeAsked *a = &asked[k];

    if (!types[k]) continue;
    PetscCall(PetscStrcmp(a->type, asm_->strategy[k].type, &a->same));
    if (a->variant != asm_->strategy[k].variant) a->same = PETSC_FALSE;
    PetscCall(PetscStrcmp(a->type, PLEXASSEMBLYAUTO, &a->isauto));
    PetscCall(PlexAssemblyFindType_Private(a->type, &a->create));
    if (!a->create && !a->isauto) PetscCall(PlexAssemblyUnknownType(asm_, types[k], option));
  }
  for (PetscInt k = 0; k < PLEX_PRODUCTS; ++k)
    if (types[k]) asm_->strategy[k].chosen = PETSC_FALSE;
  if (asked[PLEX_RESIDUAL].same && asked[PLEX_JACOBIAN].same) PetscFunctionReturn(PETSC_SUCCESS);
  /* mesh, pattern and partitions do not depend on the type, and stay */
  PetscCall(PlexAssemblyResetIntegrals_Private(asm_));
  for (PetscInt k = 0; k < PLEX_PRODUCTS; ++k) {
    if (asked[k].same) continue;
    PetscCall(PlexAssemblyResetProduct_Private(asm_, &asm_->product[k]));
    PetscCall(PlexAssemblySetOperations(asm_, (PlexProductKind)k, asked[k].isauto ? NULL : asked[k].type,
                                        asked[k].create));
    asm_->strategy[k].variant = asked[k].variant;
  }
  PetscCall((*PlexAssemblyTuning.restore)(asm_)); /* sizes were tuned for another type */
  if (asm_->elements && !asm_->typesOpen) {
    PetscCall(PlexAssemblyChooseTypes_Private(asm_));
    PetscCall((*PlexAssemblyTuning.lookup)(asm_));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblySetType - Chooses the strategy, of residual and Jacobian

  Logically Collective

  Input Parameters:
+ asm  - the assembly
- type - a registered type, or `PLEXASSEMBLYAUTO`, which chooses one for each of them; of types that compute in several
         ways, type:variant is one of these

  Options Database Key:
. -plex_assembly_type type - likewise

  Level: beginner

  Note:
  Strategies are a matter of GPUs: the `host` backend has one way of its own and takes any type to mean it.

  A type takes the fastest of its ways that serves the product. `local_row:sumfactor` asks for one, which is an error
  where it does not serve; `-help` lists them, `PlexAssemblyGetVariants()` says which one is in use. A variant that only
  one of both products has is that one's.

  What makes the fastest Jacobian rarely makes the fastest residual. `shared_*` and `local_*` compute an element's
  points for each block or row that it is in, which a residual of larger elements takes 10 to 200 times as long for as
  with `element_atomic`: `PlexAssemblySetJacobianType()` leaves the residual to `auto`.

.seealso: `PlexAssembly`, `PlexAssemblyType`, `PlexAssemblySetResidualType()`, `PlexAssemblySetJacobianType()`,
         `PlexAssemblyGetVariants()`, `PlexAssemblyRegister()`
@*/
PetscErrorCode PlexAssemblySetType(PlexAssembly asm_, PlexAssemblyType type)
{
  const PlexAssemblyType types[PLEX_PRODUCTS] = {type, type};

  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscAssertPointer(type, 2);
  PetscCall(PlexAssemblySetTypes_Private(asm_, types, "-plex_assembly_type"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyGetType - Gets the strategy

  Not Collective

  Input Parameter:
. asm - the assembly

  Output Parameter:
. type - its type, where residual and Jacobian differ that of the Jacobian; `NULL` where it is still to be chosen

  Level: beginner

.seealso: `PlexAssembly`, `PlexAssemblySetType()`, `PlexAssemblyGetResidualType()`, `PlexAssemblyGetJacobianType()`
@*/
PetscErrorCode PlexAssemblyGetType(PlexAssembly asm_, PlexAssemblyType *type)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscAssertPointer(type, 2);
  *type = ((PetscObject)asm_)->type_name;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblySetProductType(PlexAssembly asm_, PlexProductKind kind, PlexAssemblyType type)
{
  PlexAssemblyType types[PLEX_PRODUCTS] = {NULL};

  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscAssertPointer(type, 2);
  types[kind] = type;
  PetscCall(PlexAssemblySetTypes_Private(asm_, types,
                                         kind == PLEX_RESIDUAL ? "-plex_assembly_residual_type"
                                                               : "-plex_assembly_jacobian_type"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyGetProductType(PlexAssembly asm_, PlexProductKind kind, PlexAssemblyType *type)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscAssertPointer(type, 2);
  *type = asm_->strategy[kind].type;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblySetResidualType - Chooses the strategy of the residual alone

  Logically Collective

  Input Parameters:
+ asm  - the assembly
- type - a registered type, or `PLEXASSEMBLYAUTO`

  Options Database Key:
. -plex_assembly_residual_type type - likewise

  Level: intermediate

  Note:
  The type that is fastest for the Jacobian need not be so for the residual. `PlexAssemblySetType()` sets both.

.seealso: `PlexAssembly`, `PlexAssemblyType`, `PlexAssemblySetType()`, `PlexAssemblySetJacobianType()`,
         `PlexAssemblyGetResidualType()`
@*/
PetscErrorCode PlexAssemblySetResidualType(PlexAssembly asm_, PlexAssemblyType type)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblySetProductType(asm_, PLEX_RESIDUAL, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyGetResidualType - Gets the strategy of the residual

  Not Collective

  Input Parameter:
. asm - the assembly

  Output Parameter:
. type - its type; `NULL` where it is still to be chosen

  Level: intermediate

.seealso: `PlexAssembly`, `PlexAssemblySetResidualType()`, `PlexAssemblyGetJacobianType()`
@*/
PetscErrorCode PlexAssemblyGetResidualType(PlexAssembly asm_, PlexAssemblyType *type)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyGetProductType(asm_, PLEX_RESIDUAL, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblySetJacobianType - Chooses the strategy of the Jacobian alone

  Logically Collective

  Input Parameters:
+ asm  - the assembly
- type - a registered type, or `PLEXASSEMBLYAUTO`

  Options Database Key:
. -plex_assembly_jacobian_type type - likewise

  Level: intermediate

  Note:
  The type that is fastest for the Jacobian need not be so for the residual. `PlexAssemblySetType()` sets both.

.seealso: `PlexAssembly`, `PlexAssemblyType`, `PlexAssemblySetType()`, `PlexAssemblySetResidualType()`,
         `PlexAssemblyGetJacobianType()`
@*/
PetscErrorCode PlexAssemblySetJacobianType(PlexAssembly asm_, PlexAssemblyType type)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblySetProductType(asm_, PLEX_JACOBIAN, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyGetJacobianType - Gets the strategy of the Jacobian

  Not Collective

  Input Parameter:
. asm - the assembly

  Output Parameter:
. type - its type; `NULL` where it is still to be chosen

  Level: intermediate

.seealso: `PlexAssembly`, `PlexAssemblySetJacobianType()`, `PlexAssemblyGetResidualType()`
@*/
PetscErrorCode PlexAssemblyGetJacobianType(PlexAssembly asm_, PlexAssemblyType *type)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyGetProductType(asm_, PLEX_JACOBIAN, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}
