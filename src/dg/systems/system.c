/*
  The systems of equations that a PlexDG can solve, by name
*/
#include "systemsimpl.h" /*I "plexgpudg.h" I*/
#include "../../util/help.h"

static PetscFunctionList PlexDGSystemList = NULL;

/*@C
  PlexDGSystemRegister - Adds a system of equations to those that `PlexDGSetSystem()` knows

  Not Collective, No Fortran Support

  Input Parameters:
+ name   - its name, for `PlexDGSetSystem()` and `-plex_dg_system`
- create - fills in a `PlexDGSystem`, whose dimension is set: fields, parameters, boundary conditions, the header of
           pointwise functions, and the host's loops that plexgpu/dg_system.h makes of it

  Level: advanced

  Note:
  What a system consists of is described in plexgpu/private/dgimpl.h and docs/dgsystem.md.

.seealso: `PlexDG`, `PlexDGSetSystem()`
@*/
PetscErrorCode PlexDGSystemRegister(const char name[], PetscErrorCode (*create)(PlexDGSystem))
{
  PetscFunctionBegin;
  PetscCall(PlexGPUInitializePackage());
  PetscCall(PetscFunctionListAdd(&PlexDGSystemList, name, create));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PETSC_EXTERN PetscErrorCode PlexDGSystemCreate_Advection(PlexDGSystem);
PETSC_EXTERN PetscErrorCode PlexDGSystemCreate_Acoustics(PlexDGSystem);
PETSC_EXTERN PetscErrorCode PlexDGSystemCreate_AcousticsUniform(PlexDGSystem);
PETSC_EXTERN PetscErrorCode PlexDGSystemCreate_Elastic(PlexDGSystem);
PETSC_EXTERN PetscErrorCode PlexDGSystemCreate_ShallowWater(PlexDGSystem);
PETSC_EXTERN PetscErrorCode PlexDGSystemCreate_ShallowWaterLinear(PlexDGSystem);
PETSC_EXTERN PetscErrorCode PlexDGSystemCreate_Tsunami(PlexDGSystem);
PETSC_EXTERN PetscErrorCode PlexDGSystemCreate_TsunamiManning(PlexDGSystem);

/* The systems: one line each */
PetscErrorCode PlexDGSystemRegisterAll_Private(void)
{
  PetscFunctionBegin;
  PetscCall(PlexDGSystemRegister("advection", PlexDGSystemCreate_Advection));
  PetscCall(PlexDGSystemRegister("acoustics", PlexDGSystemCreate_Acoustics));
  PetscCall(PlexDGSystemRegister("acoustics_uniform", PlexDGSystemCreate_AcousticsUniform));
  PetscCall(PlexDGSystemRegister("elastic", PlexDGSystemCreate_Elastic));
  PetscCall(PlexDGSystemRegister("euler", PlexDGSystemCreate_Euler));
  PetscCall(PlexDGSystemRegister("maxwell", PlexDGSystemCreate_Maxwell));
  PetscCall(PlexDGSystemRegister("shallow_water", PlexDGSystemCreate_ShallowWater));
  PetscCall(PlexDGSystemRegister("shallow_water_linear", PlexDGSystemCreate_ShallowWaterLinear));
  PetscCall(PlexDGSystemRegister("tsunami", PlexDGSystemCreate_Tsunami));
  PetscCall(PlexDGSystemRegister("tsunami_manning", PlexDGSystemCreate_TsunamiManning));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGSystemFinalize_Private(void)
{
  PetscFunctionBegin;
  PetscCall(PetscFunctionListDestroy(&PlexDGSystemList));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGJoinNames_Private(PetscInt n, const char *const names[], size_t size, char text[])
{
  PetscFunctionBegin;
  text[0] = 0;
  for (PetscInt k = 0; k < n; ++k) {
    if (k) PetscCall(PetscStrlcat(text, ", ", size));
    PetscCall(PetscStrlcat(text, names[k], size));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGSystemHelp_Private(const char text[], size_t size, char out[])
{
  PetscFunctionBegin;
  PetscCall(PlexHelpChoices_Private(text, NULL, PlexDGSystemList, size, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A system of a user's own may have forgotten something */
static PetscErrorCode PlexDGSystemCheck(PlexDGSystem system)
{
  const char *name = system->name;
  PetscInt    NC   = 0;

  PetscFunctionBegin;
  PetscCheck(!system->host || system->host[0], PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "System %s is not one of %" PetscInt_FMT
             " dimensions, which the mesh has: its C file defines PLEX_DG_ONLY",
             name, system->dim);
  PetscCheck(system->Nf > 0 && system->Nf <= PLEX_DG_MAX_FIELDS && system->fields, PETSC_COMM_SELF,
             PETSC_ERR_ARG_OUTOFRANGE, "System %s has %" PetscInt_FMT " fields%s: set Nf, 1 to %d, and fields", name,
             system->Nf, system->fields ? "" : " without names", PLEX_DG_MAX_FIELDS);
  PetscCheck(system->ncoefficients <= PLEX_DG_MAX_FIELDS, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "System %s has %" PetscInt_FMT " coefficients, more than %d", name, system->ncoefficients,
             PLEX_DG_MAX_FIELDS);
  PetscCheck(system->source && system->source[0], PETSC_COMM_SELF, PETSC_ERR_ARG_NULL,
             "System %s has no pointwise functions: set source to the header that defines dg_face() and the others",
             name);
  PetscCheck(system->host && system->host[0] && system->host[1], PETSC_COMM_SELF, PETSC_ERR_ARG_NULL,
             "System %s has no functions for the host: set host to plex_dg_host[dim - 2], which plexgpu/dg_system.h "
             "defines",
             name);
  for (PetscInt k = 0; k < system->nconstants; ++k) NC += system->constants[k].n;
  for (PetscInt p = 0; p < 2; ++p) {
    const PlexDGHost *host = system->host[p];

    PetscCheck(host->faces && (host->volume || host->flux), PETSC_COMM_SELF, PETSC_ERR_ARG_NULL,
               "System %s has no flux: its header defines dg_face(), and dg_volume() or dg_flux()", name);
    PetscCheck(host->Nf == system->Nf && host->NK == system->ncoefficients &&
                 (host->NC == NC || (system->choose && host->NC < NC)),
               PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ,
               "System %s has %" PetscInt_FMT " fields, %" PetscInt_FMT " coefficients and %" PetscInt_FMT
               " constants, and its header %s has PLEX_DG_NF %" PetscInt_FMT ", PLEX_DG_NK %" PetscInt_FMT
               ", PLEX_DG_NC %" PetscInt_FMT,
               name, system->Nf, system->ncoefficients, NC, system->source, host->Nf, host->NK, host->NC);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGSystemCreate(const char name[], PetscInt dim, PlexDGSystem *newsystem)
{
  PetscErrorCode (*create)(PlexDGSystem);
  PlexDGSystem system;

  PetscFunctionBegin;
  *newsystem = NULL;
  PetscCall(PetscFunctionListFind(PlexDGSystemList, name, &create));
  if (!create) {
    const char **names;
    char         known[512];
    int          n;

    PetscCall(PetscFunctionListGet(PlexDGSystemList, &names, &n));
    PetscCall(PlexDGJoinNames_Private(n, names, sizeof(known), known));
    PetscCall(PetscFree(names));
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE,
            "Unknown system %s. Known: %s. PlexDGSystemRegister() adds others", name, known);
  }
  PetscCall(PetscNew(&system));
  *newsystem = system;
  PetscCall(PetscStrallocpy(name, &system->name));
  system->dim = dim;
  PetscCall((*create)(system));
  PetscCall(PlexDGSystemCheck(system));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGSystemDestroy(PlexDGSystem *system)
{
  PetscFunctionBegin;
  if (!*system) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscFree((*system)->name));
  PetscCall(PetscFree(*system));
  PetscFunctionReturn(PETSC_SUCCESS);
}
