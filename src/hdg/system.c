/* Which equations a hybridized DG method is of: their names, and a check of what is for one of them alone */
#include "hdgimpl.h"

const char *const PlexHDGSystems[] = {"diffusion",     "elasticity", "stokes", "navierstokes",
                                      "PlexHDGSystem", "PLEX_HDG_",  NULL};

PetscErrorCode PlexHDGCheckSystem_Private(PlexHDG hdg, PlexHDGSystem system, const char what[])
{
  PetscFunctionBegin;
  PetscCheck(hdg->system == system, PetscObjectComm((PetscObject)hdg), PETSC_ERR_SUP,
             "%s is for the system %s, and this discretization is one of %s: see PlexHDGSetSystem() and "
             "-plex_hdg_system",
             what, PlexHDGSystems[system], PlexHDGSystems[hdg->system]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGCheckVector_Private(PlexHDG hdg, const char what[])
{
  PetscFunctionBegin;
  PetscCheck(hdg->system != PLEX_HDG_DIFFUSION, PetscObjectComm((PetscObject)hdg), PETSC_ERR_SUP,
             "%s is for the systems elasticity, stokes and navierstokes, and this discretization is one of diffusion: "
             "see "
             "PlexHDGSetSystem() and -plex_hdg_system",
             what);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGCheckFluid_Private(PlexHDG hdg, const char what[])
{
  PetscFunctionBegin;
  PetscCheck(PlexHDGIsFluid(hdg), PetscObjectComm((PetscObject)hdg), PETSC_ERR_SUP,
             "%s is for the systems stokes and navierstokes, and this discretization is one of %s: see "
             "PlexHDGSetSystem() and -plex_hdg_system",
             what, PlexHDGSystems[hdg->system]);
  PetscFunctionReturn(PETSC_SUCCESS);
}
