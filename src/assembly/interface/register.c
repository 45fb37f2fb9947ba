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

PETSC_EXTERN PetscErrorCode PlexAssemblyCreate_Host(PlexAssembly);
PETSC_EXTERN PetscErrorCode PlexAssemblyCreate_ElementColor(PlexAssembly);
PETSC_EXTERN PetscErrorCode PlexAssemblyCreate_ElementAtomic(PlexAssembly);
PETSC_EXTERN PetscErrorCode PlexAssemblyCreate_GlobalNZ(PlexAssembly);
PETSC_EXTERN PetscErrorCode PlexAssemblyCreate_GlobalRow(PlexAssembly);
PETSC_EXTERN PetscErrorCode PlexAssemblyCreate_SharedNZ(PlexAssembly);
PETSC_EXTERN PetscErrorCode PlexAssemblyCreate_SharedRow(PlexAssembly);
PETSC_EXTERN PetscErrorCode PlexAssemblyCreate_LocalNZ(PlexAssembly);
PETSC_EXTERN PetscErrorCode PlexAssemblyCreate_LocalRow(PlexAssembly);

/* Their variants, in the order in which they are tried; shared_row and local_nz have one way */
#define PLEX_OF_RESIDUALS {PETSC_TRUE, PETSC_FALSE}
#define PLEX_OF_JACOBIANS {PETSC_FALSE, PETSC_TRUE}
#define PLEX_OF_BOTH      {PETSC_TRUE, PETSC_TRUE}
#define PLEX_RESIDUALS_OF_LARGE_ELEMENTS \
  {"sumfactor", PLEX_OF_RESIDUALS, PETSC_FALSE, "residuals of a scalar field on quadrilaterals and hexahedra that a team of threads would share"}, {"tensorcores", PLEX_OF_RESIDUALS, PETSC_FALSE, "residuals of elements that a team of threads would share"}
#define PLEX_PLAIN \
  {"plain", PLEX_OF_BOTH, PETSC_FALSE, "everything"}, \
  { \
    NULL, {PETSC_FALSE, PETSC_FALSE}, PETSC_FALSE, NULL \
  }
static const PlexVariant PlexElementVariants[]   = {PLEX_RESIDUALS_OF_LARGE_ELEMENTS, PLEX_PLAIN};
static const PlexVariant PlexGlobalRowVariants[] = {
  PLEX_RESIDUALS_OF_LARGE_ELEMENTS, {"moments",   PLEX_OF_JACOBIANS, PETSC_FALSE, "Jacobians by quadrature of a scalar field of order 2 on affine simplices, of an isotropic g3 alone"},
   {"monomials", PLEX_OF_JACOBIANS, PETSC_FALSE, "Jacobians by quadrature of a scalar field of orders 1 to 3 on affine simplices"                    },
   PLEX_PLAIN
};
static const PlexVariant PlexSharedNZVariants[] = {
  {"points",    PLEX_OF_JACOBIANS, PETSC_FALSE, "Jacobians by tensors of a scalar field on affine simplices of orders 3 and 4, of a symmetric g3 alone"},
  {"edges",     PLEX_OF_JACOBIANS, PETSC_FALSE, "Jacobians by tensors of a scalar field on affine simplices, of a symmetric g3 alone"                  },
  {"gradients", PLEX_OF_JACOBIANS, PETSC_FALSE, "Jacobians by tensors of a vector field on affine simplices of at most 10 nodes, of g3 alone"          },
  {"matrices",  PLEX_OF_JACOBIANS, PETSC_TRUE,  "Jacobians of a scalar field of order 1 on hexahedra, of a symmetric g3 alone that depends on nothing" },
  {"partial",   PLEX_OF_JACOBIANS, PETSC_TRUE,  "symmetric Jacobians of a scalar field of order 2 on hexahedra"                                        },
  PLEX_PLAIN
};
static const PlexVariant PlexLocalRowVariants[] = {
  {"sumfactor", PLEX_OF_JACOBIANS, PETSC_TRUE,  "Jacobians of a scalar field of orders 1 to 3 on hexahedra, and 3 on quadrilaterals"                           },
  {"symmetry",  PLEX_OF_JACOBIANS, PETSC_FALSE, "Jacobians of elements of at most 40 dofs by tensors, 30 by quadrature, that rotations of the cell leave alike"},
  PLEX_PLAIN
};

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
  PetscCall(PlexAssemblyRegisterVariants(PLEXASSEMBLYELEMENTCOLOR, PlexElementVariants));
  PetscCall(PlexAssemblyRegisterVariants(PLEXASSEMBLYELEMENTATOMIC, PlexElementVariants));
  PetscCall(PlexAssemblyRegisterVariants(PLEXASSEMBLYGLOBALNZ, PlexElementVariants));
  PetscCall(PlexAssemblyRegisterVariants(PLEXASSEMBLYGLOBALROW, PlexGlobalRowVariants));
  PetscCall(PlexAssemblyRegisterVariants(PLEXASSEMBLYSHAREDNZ, PlexSharedNZVariants));
  PetscCall(PlexAssemblyRegisterVariants(PLEXASSEMBLYLOCALROW, PlexLocalRowVariants));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexAssemblyFinalize(void)
{
  PetscFunctionBegin;
  PetscCall(PetscFunctionListDestroy(&PlexAssemblyList));
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
