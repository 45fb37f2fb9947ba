/*
  Registers the types of nodal DG, its systems, its TSTypes, its TSAdaptType and what is drawn of it. The class finds them by name alone and uses none of their
  files.
*/
#include "output/outputimpl.h"
#include "systems/systemsimpl.h"
#include "ts/tsimpl.h"

PETSC_EXTERN PetscErrorCode PlexDGCreate_Host(PlexDG);
PETSC_EXTERN PetscErrorCode PlexDGCreate_Plain(PlexDG);
PETSC_EXTERN PetscErrorCode PlexDGCreate_Separate(PlexDG);
PETSC_EXTERN PetscErrorCode PlexDGCreate_Fused(PlexDG);
PETSC_EXTERN PetscErrorCode PlexDGCreate_Quadrature(PlexDG);

PETSC_INTERN PetscErrorCode PlexDGRegisterAll_Private(void);

/* The types: one line each */
PetscErrorCode PlexDGRegisterAll_Private(void)
{
  PetscFunctionBegin;
  PetscCall(PlexDGRegister(PLEXDGHOST, PlexDGCreate_Host));
  PetscCall(PlexDGRegister(PLEXDGPLAIN, PlexDGCreate_Plain));
  PetscCall(PlexDGRegister(PLEXDGSEPARATE, PlexDGCreate_Separate));
  PetscCall(PlexDGRegister(PLEXDGFUSED, PlexDGCreate_Fused));
  PetscCall(PlexDGRegister(PLEXDGQUADRATURE, PlexDGCreate_Quadrature));
  PetscCall(PlexDGSystemRegisterAll_Private());
  PetscCall(PlexSamplerRegister_Private(PLEXDG_CLASSID, PlexSamplerCreate_DG));
  PetscCall(TSRegister(TSPLEXLOWSTORAGE, TSCreate_LowStorage_Private));
  PetscCall(TSRegister(TSPLEXMULTIRATE, TSCreate_Multirate_Private));
  PetscCall(TSAdaptRegister(TSADAPTPLEXDGCFL, TSAdaptCreate_PlexDG_Private));
  PetscFunctionReturn(PETSC_SUCCESS);
}
