/* Variants of shared_nz that are in folders of their own: registration and calls */
#include "variant.h"

#define PLEX_SHARED_VARIANTS 16 /* most, of all folders */

static const PlexSharedVariant *PlexSharedVariants[PLEX_SHARED_VARIANTS];
static PetscInt                 PlexSharedVariantsN = 0;

/* In the order in which they are tried; those of other folders come before the last one */
PETSC_EXTERN PlexVariant PlexVariants_SharedNZ[];
PlexVariant              PlexVariants_SharedNZ[PLEX_SHARED_VARIANTS + 6] = {
  {"points",    PLEX_OF_JACOBIANS,          PETSC_FALSE,
   "Jacobians by tensors of a scalar field on affine simplices of orders 3 and 4, of a symmetric g3 alone"},
  {"edges",     PLEX_OF_JACOBIANS,          PETSC_FALSE,
   "Jacobians by tensors of a scalar field on affine simplices, of a symmetric g3 alone"                  },
  {"gradients", PLEX_OF_JACOBIANS,          PETSC_FALSE,
   "Jacobians by tensors of a vector field on affine simplices of at most 10 nodes, of g3 alone"          },
  {"matrices",  PLEX_OF_JACOBIANS,          PETSC_TRUE,
   "Jacobians of a scalar field of order 1 on hexahedra, of a symmetric g3 alone that depends on nothing" },
  {"plain",     PLEX_OF_BOTH,               PETSC_FALSE, "everything"                                     },
  {NULL,        {PETSC_FALSE, PETSC_FALSE}, PETSC_FALSE, NULL                                             }
};

PetscErrorCode PlexSharedVariantRegister_Private(const PlexSharedVariant *v)
{
  PetscInt n = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < PlexSharedVariantsN; ++k)
    if (PlexSharedVariants[k] == v) PetscFunctionReturn(PETSC_SUCCESS); /* PETSc was finalized and initialized again */
  PetscCheck(PlexSharedVariantsN < PLEX_SHARED_VARIANTS, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "More than %d variants of shared_nz", PLEX_SHARED_VARIANTS);
  PlexSharedVariants[PlexSharedVariantsN++] = v;
  while (PlexVariants_SharedNZ[n].name) ++n;
  PlexVariants_SharedNZ[n]     = PlexVariants_SharedNZ[n - 1];
  PlexVariants_SharedNZ[n - 1] = v->variant;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexSharedVariantsEstimate_Private(PlexAssembly asm_, PlexProduct *product, PlexEstimate *e)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < PlexSharedVariantsN; ++k)
    if (PlexSharedVariants[k]->estimate) PetscCall((*PlexSharedVariants[k]->estimate)(asm_, product, e));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexSharedVariantCreate_Private(PlexAssembly asm_, PlexProduct *product,
                                               const PlexSharedVariant **variant, void **plan)
{
  PetscFunctionBegin;
  *variant = NULL;
  *plan    = NULL;
  for (PetscInt k = 0; k < PlexSharedVariantsN && !*plan; ++k) {
    const PlexSharedVariant *v = PlexSharedVariants[k];

    if (!v->variant.product[product->kind] || !PlexVariantAllowed(asm_, product, v->variant.name)) continue;
    PetscCall((*v->create)(asm_, product, plan));
    if (!*plan) continue;
    *variant         = v;
    product->variant = v->variant.name;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
