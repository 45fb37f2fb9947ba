/* The system of burgers.h, as a program of a user's own adds it */
#define PLEX_DG_POINTWISE "tests/common/burgers.h" /* from the top folder, where tests run */
#include <plexgpu/dg_system.h>
#include "dgproblem.h"

static const char *const     fields[]    = {"u"};
static const char *const     kinds[]     = {"outflow"};
static const PlexDGParameter constants[] = {
  {"amplitude", 1, {1.}}
};

static PetscErrorCode CreateBurgers(PlexDGSystem system)
{
  PetscFunctionBegin;
  PLEX_DG_SYSTEM_SET(system, fields, kinds, constants, PLEX_DG_NONE);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a forgetful user registers */
static PetscErrorCode CreateWithoutFlux(PlexDGSystem system)
{
  static const PlexDGHost        none     = {.Nf = 1};
  static const PlexDGHost *const nones[2] = {&none, &none};

  PetscFunctionBegin;
  system->Nf     = 1;
  system->fields = fields;
  system->source = PLEX_DG_POINTWISE;
  system->host   = nones;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* With a header that is nowhere where the program runs */
static PetscErrorCode CreateWithoutHeader(PlexDGSystem system)
{
  PetscFunctionBegin;
  PetscCall(CreateBurgers(system));
  system->source = "nosuch/burgers.h";
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestRegisterSystems(void)
{
  PetscFunctionBegin;
  PetscCall(PlexDGSystemRegister("burgers", CreateBurgers));
  PetscCall(PlexDGSystemRegister("without_flux", CreateWithoutFlux));
  PetscCall(PlexDGSystemRegister("without_header", CreateWithoutHeader));
  PetscFunctionReturn(PETSC_SUCCESS);
}
