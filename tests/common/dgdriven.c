/* The system of driven.h: Maxwell's equations of the library, and a current */
#define PLEX_DG_POINTWISE "tests/common/driven.h" /* from the top folder, where tests run */
#include <plexgpu/dg_system.h>
#include "dgproblem.h"

static PetscErrorCode CreateDriven(PlexDGSystem system)
{
  PetscFunctionBegin;
  PetscCall(PlexDGSystemCreate_Maxwell(system));
  system->nconstants = 4; /* alpha, direction, polarization, frequency: those that maxwell.h reads */
  system->choose     = NULL;
  system->source     = PLEX_DG_POINTWISE;
  system->host       = plex_dg_host[system->dim - 2];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestRegisterDriven(void)
{
  PetscFunctionBegin;
  PetscCall(PlexDGSystemRegister("maxwell_driven", CreateDriven));
  PetscFunctionReturn(PETSC_SUCCESS);
}
