/* The types of assembly, the integrators of element data and their registration */
#include <plexgpu/private/assemblyimpl.h> /*I "plexgpuassembly.h" I*/
#include "assemblyimpl.h"

PlexTuning               PlexAssemblyTuning;
static PetscFunctionList PlexAssemblyList = NULL;

/*@C
  PlexAssemblyRegister - Adds an assembly strategy

  Not Collective, No Fortran Support

  Input Parameters:
+ name   - the type's name, for `PlexAssemblySetType()` and `-plex_assembly_type`
- create - sets the operations of a `PlexAssembly`: `setup`, `compute`, `resetproduct`, and perhaps `view` and `destroy`

  Level: advanced

  Note:
  What a strategy is given and has to do is described in plexgpu/private/assemblyimpl.h.

.seealso: `PlexAssembly`, `PlexAssemblyType`
@*/
PetscErrorCode PlexAssemblyRegister(const char name[], PetscErrorCode (*create)(PlexAssembly))
{
  PetscFunctionBegin;
  PetscCall(PlexGPUInitializePackage());
  PetscCall(PetscFunctionListAdd(&PlexAssemblyList, name, create));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexIntegratorRegister - Adds a way to compute element data, which types take by its name: `element_atomic:NAME`

  Not Collective, No Fortran Support

  Input Parameter:
. integrator - its name, what it serves, its functions and its device source; kept by its address

  Level: advanced

  Notes:
  What an integrator is given and has to do is described in docs/adding-an-integrator.md. It is registered until
  `PetscFinalize()`.

  `element_color`, `element_atomic`, `global_nz`, `global_row`, `shared_nz` and `shared_row` take it.

.seealso: `PlexAssembly`, `PlexAssemblySetType()`, `PlexAssemblyGetVariants()`, `PlexAssemblyRegister()`
@*/
PetscErrorCode PlexIntegratorRegister(const PlexIntegrator *integrator)
{
  PetscFunctionBegin;
  PetscAssertPointer(integrator, 1);
  PetscCall(PlexGPUInitializePackage());
  PetscCheck(integrator->variant.name && integrator->variant.serves && integrator->file && integrator->create,
             PETSC_COMM_SELF, PETSC_ERR_ARG_NULL,
             "An integrator has a name, a text of what it serves, a file and a function that creates it");
  PetscCall(PlexVariantCheckNew_Private(&integrator->variant));
  PetscCall(PlexIntegratorAdd_Private(integrator));
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

/* Their variants; global_nz has those of element_*, shared_row and local_nz have none */
PETSC_EXTERN const PlexVariant PlexVariants_Element[], PlexVariants_GlobalRow[], PlexVariants_SharedNZ[],
  PlexVariants_LocalRow[];
PETSC_EXTERN PlexEstimateFn PlexAssemblyEstimate_GlobalRow, PlexAssemblyEstimate_SharedNZ,
  PlexAssemblyEstimate_LocalRow;

/* Variants of shared_nz in folders of their own */
PETSC_EXTERN PetscErrorCode PlexAssemblyRegister_SharedNZPartial(void);

PETSC_EXTERN PetscErrorCode PlexAssemblyRegisterAll(void);
PETSC_EXTERN PetscErrorCode PlexAssemblyFinalize(void);

/* Integrators and strategies: one line each; integrators in the order in which they are tried */
PetscErrorCode PlexAssemblyRegisterAll(void)
{
  PetscFunctionBegin;
  PetscCall(PlexIntegratorRegister(&PlexIntegrator_SumFactor));
  PetscCall(PlexIntegratorRegister(&PlexIntegrator_TensorCores));
  PetscCall(PlexAssemblyRegister(PLEXASSEMBLYELEMENTCOLOR, PlexAssemblyCreate_ElementColor));
  PetscCall(PlexAssemblyRegister(PLEXASSEMBLYELEMENTATOMIC, PlexAssemblyCreate_ElementAtomic));
  PetscCall(PlexAssemblyRegister(PLEXASSEMBLYGLOBALNZ, PlexAssemblyCreate_GlobalNZ));
  PetscCall(PlexAssemblyRegister(PLEXASSEMBLYGLOBALROW, PlexAssemblyCreate_GlobalRow));
  PetscCall(PlexAssemblyRegister(PLEXASSEMBLYSHAREDNZ, PlexAssemblyCreate_SharedNZ));
  PetscCall(PlexAssemblyRegister(PLEXASSEMBLYSHAREDROW, PlexAssemblyCreate_SharedRow));
  PetscCall(PlexAssemblyRegister(PLEXASSEMBLYLOCALNZ, PlexAssemblyCreate_LocalNZ));
  PetscCall(PlexAssemblyRegister(PLEXASSEMBLYLOCALROW, PlexAssemblyCreate_LocalRow));
  PetscCall(PlexAssemblyTakeIntegrators(PLEXASSEMBLYELEMENTCOLOR, PLEX_CALLS_ELEMENTS));
  PetscCall(PlexAssemblyTakeIntegrators(PLEXASSEMBLYELEMENTATOMIC, PLEX_CALLS_ELEMENTS));
  PetscCall(PlexAssemblyTakeIntegrators(PLEXASSEMBLYGLOBALNZ, PLEX_CALLS_PREFETCHED));
  PetscCall(PlexAssemblyTakeIntegrators(PLEXASSEMBLYGLOBALROW, PLEX_CALLS_PREFETCHED));
  PetscCall(PlexAssemblyTakeIntegrators(PLEXASSEMBLYSHAREDNZ, PLEX_CALLS_ELEMENT));
  PetscCall(PlexAssemblyTakeIntegrators(PLEXASSEMBLYSHAREDROW, PLEX_CALLS_ELEMENT));
  PetscCall(PlexAssemblyRegisterVariants(PLEXASSEMBLYELEMENTCOLOR, PlexVariants_Element, NULL));
  PetscCall(PlexAssemblyRegisterVariants(PLEXASSEMBLYELEMENTATOMIC, PlexVariants_Element, NULL));
  PetscCall(PlexAssemblyRegisterVariants(PLEXASSEMBLYGLOBALNZ, PlexVariants_Element, NULL));
  PetscCall(PlexAssemblyRegisterVariants(PLEXASSEMBLYGLOBALROW, PlexVariants_GlobalRow,
                                         PlexAssemblyEstimate_GlobalRow));
  PetscCall(PlexAssemblyRegisterVariants(PLEXASSEMBLYSHAREDNZ, PlexVariants_SharedNZ, PlexAssemblyEstimate_SharedNZ));
  PetscCall(PlexAssemblyRegister_SharedNZPartial());
  PetscCall(PlexAssemblyRegisterVariants(PLEXASSEMBLYLOCALROW, PlexVariants_LocalRow, PlexAssemblyEstimate_LocalRow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyFinalize(void)
{
  PetscFunctionBegin;
  PetscCall(PetscFunctionListDestroy(&PlexAssemblyList));
  PlexIntegratorFinalize_Private();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyGetTypes_Private(int *n, const char ***names)
{
  PetscFunctionBegin;
  PetscCall(PetscFunctionListGet(PlexAssemblyList, names, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyFindType_Private(PlexAssemblyType type, PetscErrorCode (**create)(PlexAssembly))
{
  PetscFunctionBegin;
  PetscCall(PetscFunctionListFind(PlexAssemblyList, type, create));
  PetscFunctionReturn(PETSC_SUCCESS);
}
