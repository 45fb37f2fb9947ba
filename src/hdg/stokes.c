/*
  Stokes's equations by hybridized DG: settings of the class PlexHDG, and the method.

    -div sigma = f,  div u = 0,  sigma = mu grad u - p I, or 2 mu eps(u) - p I

  by the method of W. Qiu and K. Shi, A superconvergent HDG method for the incompressible Navier-Stokes equations on general
  polyhedral meshes, IMA J. Numer. Anal. 36 (2016), 1943-1967, without its convection: the gradient G and the pressure p
  of degree P in each element, the velocity u of degree P + 1, its trace t of degree P on each face. For all s, w, r of
  these degrees in an element and all mu' on its faces, with the projection Pi to the functions of a face,

    (G, s) + (u, div s) - <t, s n> = 0
    (sigma, grad w) - <sigma~ n, w> = (f, w),   sigma~ n = (mu G - p I) n - tau (Pi u - t)
    (u, grad r) - <t . n, r> = 0
    sum over elements of <sigma~ n, mu'> = <g_N, mu'>,   t = projection of g_D

  Why this one: with tau of the order of mu/h it gives order P + 1 of G and p, and P + 2 of u, without post-processing,
  and it has the spaces, tables and traces of linear elasticity here (elastic.c). The method of N. C. Nguyen, J. Peraire
  and B. Cockburn, A hybridizable discontinuous Galerkin method for Stokes flow, Comput. Methods Appl. Mech. Engrg. 199
  (2010), 582-597, has u of degree P for the same trace, and a post-processed one of degree P + 1.

  The pressure's constant in each element, m, does not act on its local problem: it is an unknown besides the trace, as
  in that paper. With p eliminated but for it, the trace's matrix K is symmetric and positive definite, t^T K t the energy
  mu (G, G) + sum_f tau_f s_f |Pi u - t|^2 of that u in the element which has the least one of all with div u = 0 in the
  weak sense above for r without a mean. What is left of div u = 0 is one sum an element, B t = 0 (stokesdivergence.c).
  Solvers of [K B^T; B 0] are made of solvers of K and of the pressure's mass (stokessolve.c). An augmented Lagrangian in
  its place, with p eliminated altogether, would have the elastic K with a large lambda, which no preconditioner here
  serves.
*/
#include "stokes.h" /*I "plexgpuhdg.h" I*/

/*@
  PlexHDGSetViscosity - Sets the viscosity of Stokes's equations, the same everywhere

  Logically Collective

  Input Parameters:
+ hdg - the discretization, of `PLEX_HDG_STOKES` or `PLEX_HDG_NAVIER_STOKES`
- mu  - the viscosity, positive, in units of a stress times a time; 1 if it is not set

  Options Database Key:
. -plex_hdg_viscosity mu - likewise; in the place of what a function of `PlexHDGSetMaterial()` gives

  Level: beginner

  Note:
  A function of `PlexHDGSetMaterial()` gives each element a viscosity of its own, as `mu`. Called after it, this takes
  its place.

  Example:
.vb
  PetscCall(PlexHDGSetSystem(hdg, PLEX_HDG_STOKES));
  PetscCall(PlexHDGSetViscosity(hdg, 0.1));
.ve

.seealso: `PlexHDG`, `PlexHDGSetSystem()`, `PlexHDGGetViscosity()`, `PlexHDGSetMaterial()`,
         `PlexHDGSetSymmetricStress()`
@*/
PetscErrorCode PlexHDGSetViscosity(PlexHDG hdg, PetscReal mu)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  hdg->stale |= PLEX_HDG_STALE_COEFFICIENTS;
  hdg->lame[1]         = mu;
  hdg->material        = NULL;
  hdg->viscosityForced = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGGetViscosity - Gets the viscosity of Stokes's equations that is the same everywhere

  Not Collective

  Input Parameter:
. hdg - the discretization

  Output Parameter:
. mu - the viscosity

  Level: beginner

  Note:
  A function of `PlexHDGSetMaterial()` takes its place.

  Example:
.vb
  PetscCall(PlexHDGGetViscosity(hdg, &mu));
.ve

.seealso: `PlexHDG`, `PlexHDGSetViscosity()`
@*/
PetscErrorCode PlexHDGGetViscosity(PlexHDG hdg, PetscReal *mu)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscAssertPointer(mu, 2);
  *mu = hdg->lame[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGSetSymmetricStress - Sets which stress Stokes's equations have

  Logically Collective

  Input Parameters:
+ hdg       - the discretization, of `PLEX_HDG_STOKES` or `PLEX_HDG_NAVIER_STOKES`
- symmetric - `PETSC_TRUE`: 2 mu eps(u) - p I with eps(u) = (grad u + grad u^T)/2; `PETSC_FALSE`, which it is if it is not
              set: mu grad u - p I

  Options Database Key:
. -plex_hdg_symmetric_stress (true|false) - likewise

  Level: intermediate

  Notes:
  Neumann's condition gives this stress times the normal, so that it is a force where the stress is symmetric, and Robin's
  likewise. Where mu is the same everywhere and u is known on all of the boundary, both have the same solution. A
  viscosity that varies from element to element is one of a fluid with the symmetric stress alone.

  Example:
.vb
  PetscCall(PlexHDGSetSymmetricStress(hdg, PETSC_TRUE));
.ve

.seealso: `PlexHDG`, `PlexHDGGetSymmetricStress()`, `PlexHDGSetViscosity()`, `PlexHDGAddBoundary()`
@*/
PetscErrorCode PlexHDGSetSymmetricStress(PlexHDG hdg, PetscBool symmetric)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscValidLogicalCollectiveBool(hdg, symmetric, 2);
  if (symmetric != hdg->symmetricStress) PetscCall(PlexHDGReset(hdg));
  hdg->symmetricStress = symmetric;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGGetSymmetricStress - Gets which stress Stokes's equations have

  Not Collective

  Input Parameter:
. hdg - the discretization

  Output Parameter:
. symmetric - `PETSC_TRUE`: 2 mu eps(u) - p I; `PETSC_FALSE`: mu grad u - p I

  Level: intermediate

  Example:
.vb
  PetscCall(PlexHDGGetSymmetricStress(hdg, &symmetric));
.ve

.seealso: `PlexHDG`, `PlexHDGSetSymmetricStress()`
@*/
PetscErrorCode PlexHDGGetSymmetricStress(PlexHDG hdg, PetscBool *symmetric)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscAssertPointer(symmetric, 2);
  *symmetric = hdg->symmetricStress;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSetStokesOptions_Private(PlexHDG hdg, PetscOptionItems PetscOptionsObject)
{
  PetscReal   mu        = hdg->lame[1];
  PetscBool   symmetric = hdg->symmetricStress, set;
  const char *prefix;

  PetscFunctionBegin;
  PetscCall(PetscOptionsBool("-plex_hdg_symmetric_stress", "2 mu eps(u) - p I in place of mu grad u - p I",
                             "PlexHDGSetSymmetricStress", symmetric, &symmetric, &set));
  if (set) PetscCall(PlexHDGSetSymmetricStress(hdg, symmetric));
  PetscCall(PetscOptionsReal("-plex_hdg_viscosity", "Viscosity", "PlexHDGSetViscosity", mu, &mu, &set));
  if (!set) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectGetOptionsPrefix((PetscObject)hdg, &prefix));
  if (hdg->material)
    PetscCall(PetscFPrintf(PetscObjectComm((PetscObject)hdg), PETSC_STDERR,
                           "PlexHDG: -%splex_hdg_viscosity %g takes the place of mu that the function of "
                           "PlexHDGSetMaterial() gives\n",
                           prefix ? prefix : "", (double)mu));
  hdg->stale |= PLEX_HDG_STALE_COEFFICIENTS;
  hdg->lame[1]         = mu;
  hdg->viscosityForced = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
