#include <plexgpu/impl.h> /*I "plexgpu.h" I*/
#include "assemblyimpl.h"

static PetscFunctionList PlexAssemblyList = NULL;

/*@C
  PlexAssemblyRegister - Adds an assembly strategy

  Not Collective, No Fortran Support

  Input Parameters:
+ name   - the type's name, for `PlexAssemblySetType()` and `-plex_assembly_type`
- create - sets the operations of a `PlexAssembly`: `setup`, `compute`, `resetproduct`, and perhaps `view` and `destroy`

  Level: advanced

  Note:
  What a strategy is given and has to do is described in plexgpu/impl.h.

.seealso: `PlexAssembly`, `PlexAssemblyType`
@*/
PetscErrorCode PlexAssemblyRegister(const char name[], PetscErrorCode (*create)(PlexAssembly))
{
  PetscFunctionBegin;
  PetscCall(PlexGPUInitializePackage());
  PetscCall(PetscFunctionListAdd(&PlexAssemblyList, name, create));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PETSC_EXTERN PetscErrorCode PlexAssemblyCreate_Host(PlexAssembly);
PETSC_EXTERN PetscErrorCode PlexAssemblyCreate_ElementColor(PlexAssembly);
PETSC_EXTERN PetscErrorCode PlexAssemblyCreate_ElementAtomic(PlexAssembly);
PETSC_EXTERN PetscErrorCode PlexAssemblyCreate_GlobalNZ(PlexAssembly);
PETSC_EXTERN PetscErrorCode PlexAssemblyCreate_GlobalRow(PlexAssembly);
PETSC_EXTERN PetscErrorCode PlexAssemblyCreate_SharedNZ(PlexAssembly);
PETSC_EXTERN PetscErrorCode PlexAssemblyCreate_SharedRow(PlexAssembly);
PETSC_EXTERN PetscErrorCode PlexAssemblyCreate_LocalNZ(PlexAssembly);
PETSC_EXTERN PetscErrorCode PlexAssemblyCreate_LocalRow(PlexAssembly);

PETSC_EXTERN PetscErrorCode PlexAssemblyRegisterAll(void);
PETSC_EXTERN PetscErrorCode PlexAssemblyFinalize(void);

/* The strategies: one line each */
PetscErrorCode PlexAssemblyRegisterAll(void)
{
  PetscFunctionBegin;
  PetscCall(PlexAssemblyRegister(PLEXASSEMBLYELEMENTCOLOR, PlexAssemblyCreate_ElementColor));
  PetscCall(PlexAssemblyRegister(PLEXASSEMBLYELEMENTATOMIC, PlexAssemblyCreate_ElementAtomic));
  PetscCall(PlexAssemblyRegister(PLEXASSEMBLYGLOBALNZ, PlexAssemblyCreate_GlobalNZ));
  PetscCall(PlexAssemblyRegister(PLEXASSEMBLYGLOBALROW, PlexAssemblyCreate_GlobalRow));
  PetscCall(PlexAssemblyRegister(PLEXASSEMBLYSHAREDNZ, PlexAssemblyCreate_SharedNZ));
  PetscCall(PlexAssemblyRegister(PLEXASSEMBLYSHAREDROW, PlexAssemblyCreate_SharedRow));
  PetscCall(PlexAssemblyRegister(PLEXASSEMBLYLOCALNZ, PlexAssemblyCreate_LocalNZ));
  PetscCall(PlexAssemblyRegister(PLEXASSEMBLYLOCALROW, PlexAssemblyCreate_LocalRow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyFinalize(void)
{
  PetscFunctionBegin;
  PetscCall(PetscFunctionListDestroy(&PlexAssemblyList));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexAssemblyUnknownType(PlexAssembly asm_, PlexAssemblyType type)
{
  const char **names;
  char         known[1024] = "";
  int          n;

  PetscFunctionBegin;
  PetscCall(PetscFunctionListGet(PlexAssemblyList, &names, &n));
  for (int k = 0; k < n; ++k) {
    PetscCall(PetscStrlcat(known, " ", sizeof(known)));
    PetscCall(PetscStrlcat(known, names[k], sizeof(known)));
  }
  PetscCall(PetscFree(names));
  SETERRQ(PetscObjectComm((PetscObject)asm_), PETSC_ERR_ARG_UNKNOWN_TYPE, "Unknown assembly type '%s'; known are: auto%s. Choose one with -plex_assembly_type, or add your own with PlexAssemblyRegister()", type, known);
}

static PetscErrorCode PlexAssemblySetOperations(PlexAssembly asm_, PlexAssemblyType type, PetscErrorCode (*create)(PlexAssembly))
{
  PetscBool same;

  PetscFunctionBegin;
  PetscTryTypeMethod(asm_, destroy);
  PetscCall(PetscFree(asm_->data));
  PetscCall(PetscMemzero(asm_->ops, sizeof(*asm_->ops)));
  PetscCall(PetscStrcmp(((PetscObject)asm_)->type_name, type, &same)); /* the name may be the object's own */
  if (!same) PetscCall(PetscObjectChangeTypeName((PetscObject)asm_, type));
  if (create) PetscCall((*create)(asm_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblySetType - Chooses the strategy

  Logically Collective

  Input Parameters:
+ asm  - the assembly
- type - a registered type, or `PLEXASSEMBLYAUTO`

  Options Database Key:
. -plex_assembly_type type - likewise

  Level: beginner

  Note:
  Strategies are a matter of GPUs: the `host` backend has one way of its own and takes any type to mean it.

.seealso: `PlexAssembly`, `PlexAssemblyType`, `PlexAssemblyRegister()`
@*/
PetscErrorCode PlexAssemblySetType(PlexAssembly asm_, PlexAssemblyType type)
{
  PetscErrorCode (*create)(PlexAssembly);
  PetscBool same, isauto;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscAssertPointer(type, 2);
  asm_->typeChosen = PETSC_FALSE;
  PetscCall(PetscObjectTypeCompare((PetscObject)asm_, type, &same));
  if (same) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscStrcmp(type, PLEXASSEMBLYAUTO, &isauto));
  PetscCall(PetscFunctionListFind(PlexAssemblyList, type, &create));
  if (!create && !isauto) PetscCall(PlexAssemblyUnknownType(asm_, type));
  /* mesh, pattern and partitions do not depend on the type, and stay */
  PetscCall(PlexAssemblyResetIntegrals_Private(asm_));
  for (PetscInt k = 0; k < PLEX_PRODUCTS; ++k) PetscCall(PlexAssemblyResetProduct_Private(asm_, &asm_->product[k]));
  PetscCall(PlexAssemblySetOperations(asm_, isauto ? NULL : type, create));
  PetscCall(PlexTunerRestore_Private(asm_)); /* sizes were tuned for another type */
  if (asm_->elements) {
    PetscCall(PlexAssemblyChooseType_Private(asm_));
    PetscCall(PlexTunerLookUp_Private(asm_));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexAssemblyGetType - Gets the strategy

  Not Collective

  Input Parameter:
. asm - the assembly

  Output Parameter:
. type - its type; `NULL` where it is still to be chosen

  Level: beginner

.seealso: `PlexAssembly`, `PlexAssemblySetType()`
@*/
PetscErrorCode PlexAssemblyGetType(PlexAssembly asm_, PlexAssemblyType *type)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(asm_, PLEXASSEMBLY_CLASSID, 1);
  PetscAssertPointer(type, 2);
  *type = ((PetscObject)asm_)->type_name;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyGetTypes_Private(int *n, const char ***names)
{
  PetscFunctionBegin;
  PetscCall(PetscFunctionListGet(PlexAssemblyList, names, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblySwitchType_Private(PlexAssembly asm_, PlexAssemblyType type)
{
  PetscErrorCode (*create)(PlexAssembly);

  PetscFunctionBegin;
  PetscCall(PetscFunctionListFind(PlexAssemblyList, type, &create));
  if (!create) PetscCall(PlexAssemblyUnknownType(asm_, type));
  for (PetscInt k = 0; k < PLEX_PRODUCTS; ++k) PetscCall(PlexAssemblyResetProduct_Private(asm_, &asm_->product[k]));
  PetscCall(PlexAssemblySetOperations(asm_, type, create));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* auto: what the cost model prefers, unless tuning then chooses */
PetscErrorCode PlexAssemblyChooseType_Private(PlexAssembly asm_)
{
  PlexAssemblyType type = ((PetscObject)asm_)->type_name;

  PetscFunctionBegin;
  PetscCall(PetscFree(asm_->why));
  if (!asm_->backend->kernels) {
    PetscCall(PlexAssemblySetOperations(asm_, type, PlexAssemblyCreate_Host));
    PetscCall(PetscStrallocpy("the host backend has one way, Algorithm 1", &asm_->why));
  } else if (!type || asm_->typeChosen) {
    PetscCall(PlexModelChooseType_Private(asm_, &type, &asm_->why));
    PetscCall(PlexAssemblySwitchType_Private(asm_, type));
    asm_->typeChosen = PETSC_TRUE;
  } else PetscCall(PetscStrallocpy("asked for", &asm_->why));
  PetscFunctionReturn(PETSC_SUCCESS);
}
