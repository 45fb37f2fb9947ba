/* The system of drag.h: sound with a drag of each element; and conductors */
#define PLEX_DG_POINTWISE "tests/common/drag.h" /* from the top folder, where tests run */
#include <plexgpu/dg_system.h>
#include "dgproblem.h"

static const char *const     fields[]       = {"p", "vx", "vy", "vz"};
static const char *const     kinds[]        = {"wall"};
static const PlexDGParameter coefficients[] = {
  {"drag", 1, {0.}}
};

static PetscErrorCode CreateDrag(PlexDGSystem system)
{
  PetscFunctionBegin;
  PLEX_DG_SYSTEM_SET(system, fields, kinds, PLEX_DG_NONE, coefficients);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestRegisterDrag(void)
{
  PetscFunctionBegin;
  PetscCall(PlexDGSystemRegister("drag", CreateDrag));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestConductor(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  const PetscReal sigma = *(PetscReal *)ctx;

  PetscFunctionBegin;
  k[n - 1] = sigma >= 0. ? sigma : x[0] > 0.5 ? -sigma : 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}
