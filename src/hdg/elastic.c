/*
  Linear elasticity by hybridized DG: settings of the class PlexHDG, and the method.

    -div sigma = f,  sigma = 2 mu eps(u) + lambda (div u) I,  eps(u) = (grad u + grad u^T)/2

  by the method HDG+ of W. Qiu, J. Shen and K. Shi, An HDG method for linear elasticity with strong symmetric stresses,
  Math. Comp. 87 (2018), 69-93: the stress sigma, symmetric, of degree P in each element, the displacement u of degree
  P + 1, its trace t of degree P on each face. For all symmetric s, w of these degrees in an element and all mu' on its
  faces, with C^-1 the compliance and Pi the projection to the functions of a face,

    (C^-1 sigma, s) + (u, div s) - <t, s n> = 0
    (sigma, grad w) - <sigma~ n, w> = (f, w),   sigma~ n = sigma n - tau (Pi u - t)
    sum over elements of <sigma~ n, mu'> = <g_N, mu'>,   t = projection of g_D

  Why this one: with tau of the order of mu/h it gives order P + 1 of sigma and P + 2 of u for P >= 1, uniformly in
  lambda, on any simplices, without post-processing. LDG-H with symmetric stresses of equal degrees loses half an order of
  the stress and has a u of order P + 1 only for the same trace (G. Fu, B. Cockburn and H. Stolarski, Int. J. Numer.
  Meth. Engng. 102 (2015), 551-575). The trace, which is all that is solved for, is the same: dim functions of degree P.

  lambda does not lock, as sigma is eliminated by the discrete strain E, (E, s) = <t, s n> - (u, div s), whose trace is of
  degree P: the energy is 2 mu (E, E) + lambda (tr E, tr E) + sum_f tau_f s_f |Pi u - t|^2, by which K is symmetric and
  positive definite. The last product is that of the reference face, times the face's area over that one's, s_f.
*/
#include "elastic.h" /*I "plexgpuhdg.h" I*/

/*@
  PlexHDGSetSystem - Sets which equations a discretization is of

  Logically Collective

  Input Parameters:
+ hdg    - the discretization
- system - `PLEX_HDG_DIFFUSION`, which it is if it is not set, `PLEX_HDG_ELASTICITY`, `PLEX_HDG_STOKES` or
           `PLEX_HDG_NAVIER_STOKES`

  Options Database Key:
. -plex_hdg_system (diffusion|elasticity|stokes|navierstokes) - likewise

  Level: beginner

  Notes:
  Of `PLEX_HDG_ELASTICITY` u is the displacement, with dim components of degree P + 1, and q the stress, with
  dim (dim + 1)/2 components of degree P in the order xx, xy, yy, or xx, xy, xz, yy, yz, zz. The errors are of order P +
  2 and P + 1, whatever lambda is. In 2D it is plane strain; lambda 2 mu/(lambda + 2 mu) in place of lambda makes it plane
  stress. There is no post-processed u. Functions of source and conditions give dim numbers.

  The method is that of W. Qiu, J. Shen and K. Shi, Math. Comp. 87 (2018), 69-93. On quadrilaterals and hexahedra u
  has the polynomials of degree P in each coordinate and those of degree P + 1 of one coordinate alone; order P + 2 needs
  cells that become parallelograms as the mesh is refined.

  Of `PLEX_HDG_STOKES` u is the velocity, as the displacement is, q its gradient, du_i/dx_j at place i dim + j, and
  `PlexHDGGetPressure()` has the pressure, both of degree P. The errors are of order P + 2, P + 1 and P + 1. Viscosities
  are those of `PlexHDGSetViscosity()` or `PlexHDGSetMaterial()`. Dirichlet's condition gives the velocity, Neumann's the
  stress times the normal (`PlexHDGSetSymmetricStress()`). Where velocities are known on all of the boundary, what flows
  through it has to be zero in all. The method is that of W. Qiu and K. Shi, IMA J. Numer. Anal. 36 (2016), 1943-1967,
  without convection.

  Of `PLEX_HDG_NAVIER_STOKES` all of that is the same, with convection and a density (`PlexHDGSetDensity()`).
  `PlexHDGSolve()` finds a steady flow by Newton's method, from its last solution or from a fluid at rest;
  `PlexHDGSetTS()` makes steps in time.

.seealso: `PlexHDG`, `PlexHDGSystem`, `PlexHDGGetSystem()`, `PlexHDGSetLame()`, `PlexHDGSetMaterial()`,
         `PlexHDGAddBoundaryComponents()`, `PlexHDGSetViscosity()`, `PlexHDGGetPressure()`
@*/
PetscErrorCode PlexHDGSetSystem(PlexHDG hdg, PlexHDGSystem system)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscCheck(system >= PLEX_HDG_DIFFUSION && system <= PLEX_HDG_NAVIER_STOKES, PetscObjectComm((PetscObject)hdg),
             PETSC_ERR_ARG_OUTOFRANGE,
             "There is no system %d: use PLEX_HDG_DIFFUSION, PLEX_HDG_ELASTICITY, PLEX_HDG_STOKES or "
             "PLEX_HDG_NAVIER_STOKES",
             (int)system);
  if (system == hdg->system) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexHDGReset(hdg));
  PetscCall(KSPDestroy(&hdg->ksp)); /* whose preconditioner is made for the other one */
  hdg->kspType = NULL;
  hdg->system  = system;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGGetSystem - Gets which equations a discretization is of

  Not Collective

  Input Parameter:
. hdg - the discretization

  Output Parameter:
. system - the system

  Level: beginner

.seealso: `PlexHDG`, `PlexHDGSetSystem()`
@*/
PetscErrorCode PlexHDGGetSystem(PlexHDG hdg, PlexHDGSystem *system)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscAssertPointer(system, 2);
  *system = hdg->system;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGSetLame - Sets Lame's parameters of an elastic medium, the same everywhere

  Logically Collective

  Input Parameters:
+ hdg    - the discretization, of `PLEX_HDG_ELASTICITY`
. lambda - Lame's first parameter, in units of a stress: Young's modulus times nu/((1 + nu) (1 - 2 nu)), with Poisson's
           ratio nu; more than -2 mu/dim and at most 1e8 mu. 1 if it is not set
- mu     - the shear modulus, positive: Young's modulus over 2 (1 + nu). 1 if it is not set

  Options Database Key:
. -plex_hdg_lame lambda,mu - likewise; in the place of what a function of `PlexHDGSetMaterial()` gives

  Level: beginner

  Note:
  Called after `PlexHDGSetMaterial()`, it takes the place of that function.

.seealso: `PlexHDG`, `PlexHDGSetSystem()`, `PlexHDGGetLame()`, `PlexHDGSetMaterial()`
@*/
PetscErrorCode PlexHDGSetLame(PlexHDG hdg, PetscReal lambda, PetscReal mu)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  hdg->stale |= PLEX_HDG_STALE_COEFFICIENTS;
  hdg->lame[0]    = lambda;
  hdg->lame[1]    = mu;
  hdg->material   = NULL;
  hdg->lameForced = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGGetLame - Gets Lame's parameters that are the same everywhere

  Not Collective

  Input Parameter:
. hdg - the discretization

  Output Parameters:
+ lambda - may be `NULL`
- mu     - may be `NULL`

  Level: beginner

  Note:
  A function of `PlexHDGSetMaterial()` takes their place.

.seealso: `PlexHDG`, `PlexHDGSetLame()`
@*/
PetscErrorCode PlexHDGGetLame(PlexHDG hdg, PetscReal *lambda, PetscReal *mu)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  if (lambda) *lambda = hdg->lame[0];
  if (mu) *mu = hdg->lame[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGSetMaterial - Sets Lame's parameters that each element has for itself

  Logically Collective

  Input Parameters:
+ hdg  - the discretization, of `PLEX_HDG_ELASTICITY` or `PLEX_HDG_STOKES`
. func - gives lambda and mu of an element from its centroid and its `DMPLEX` point; they are those of
         `PlexHDGSetLame()` when it is called. `NULL`: none
- ctx  - its context

  Options Database Keys:
+ -plex_hdg_lame lambda,mu - two numbers in the function's place, of which a line on stderr tells
- -plex_hdg_viscosity mu   - likewise of Stokes's equations

  Level: intermediate

  Note:
  Of `PLEX_HDG_STOKES` mu is the viscosity, and lambda is not read.

.seealso: `PlexHDG`, `PlexHDGGetMaterial()`, `PlexHDGSetLame()`, `PlexHDGUpdate()`
@*/
PetscErrorCode PlexHDGSetMaterial(PlexHDG hdg, PlexHDGMaterialFn *func, void *ctx)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  hdg->stale |= PLEX_HDG_STALE_COEFFICIENTS;
  hdg->material    = func;
  hdg->materialCtx = ctx;
  hdg->lameForced  = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGGetMaterial - Gets the function that gives Lame's parameters of each element

  Not Collective

  Input Parameter:
. hdg - the discretization

  Output Parameters:
+ func - the function; `NULL`: none; may be `NULL`
- ctx  - its context; may be `NULL`

  Level: intermediate

.seealso: `PlexHDG`, `PlexHDGSetMaterial()`
@*/
PetscErrorCode PlexHDGGetMaterial(PlexHDG hdg, PlexHDGMaterialFn **func, void **ctx)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  if (func) *func = hdg->material;
  if (ctx) *ctx = hdg->materialCtx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSetElasticOptions_Private(PlexHDG hdg, PetscOptionItems PetscOptionsObject)
{
  PlexHDGSystem system  = hdg->system;
  PetscReal     lame[2] = {hdg->lame[0], hdg->lame[1]};
  PetscInt      n       = 2;
  PetscBool     set;
  const char   *prefix;

  PetscFunctionBegin;
  PetscCall(PetscOptionsEnum("-plex_hdg_system", "Equations", "PlexHDGSetSystem", PlexHDGSystems, (PetscEnum)system,
                             (PetscEnum *)&system, &set));
  if (set) PetscCall(PlexHDGSetSystem(hdg, system));
  PetscCall(PetscOptionsRealArray("-plex_hdg_lame", "Lame's parameters lambda and mu", "PlexHDGSetLame", lame, &n,
                                  &set));
  if (!set) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(n == 2, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ARG_WRONG,
             "-plex_hdg_lame has %" PetscInt_FMT " number%s: give lambda and mu, as 1,1", n, n == 1 ? "" : "s");
  PetscCall(PetscObjectGetOptionsPrefix((PetscObject)hdg, &prefix));
  if (hdg->material)
    PetscCall(PetscFPrintf(PetscObjectComm((PetscObject)hdg), PETSC_STDERR,
                           "PlexHDG: -%splex_hdg_lame %g,%g takes the place of lambda and mu that the function of "
                           "PlexHDGSetMaterial() gives\n",
                           prefix ? prefix : "", (double)lame[0], (double)lame[1]));
  hdg->stale |= PLEX_HDG_STALE_COEFFICIENTS;
  hdg->lame[0]    = lame[0];
  hdg->lame[1]    = lame[1];
  hdg->lameForced = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
