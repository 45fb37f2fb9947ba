/* Convection of a hybridized DG method: its form and its velocity. flow.c has the mathematics */
#include "hdgimpl.h" /*I "plexgpuhdg.h" I*/

const char *const PlexHDGConvections[] = {"advective", "conservative", "PlexHDGConvection", "PLEX_HDG_", NULL};

/* Whether there is convection decides on kernels, as does its form */
static PetscErrorCode PlexHDGConvectionIs(PlexHDG hdg, PetscBool convects, PlexHDGConvection form)
{
  PetscFunctionBegin;
  if (hdg->convects != convects || hdg->convectionForm != form) PetscCall(PlexHDGReset(hdg));
  hdg->convects       = convects;
  hdg->convectionForm = form;
  hdg->stale |= PLEX_HDG_STALE_COEFFICIENTS;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGSetConvection - Sets the form of convection, and the velocity beta as a function of position

  Logically Collective

  Input Parameters:
+ hdg  - the discretization
. form - `PLEX_HDG_ADVECTIVE`: beta . grad u; `PLEX_HDG_CONSERVATIVE`: div(beta u)
. func - gives beta[dim] at x[dim], which are the points of quadratures that are exact to degree 2 P + 3, in elements and
         on faces; `NULL`: beta is that of `PlexHDGSetVelocity()`
- ctx  - its context

  Options Database Keys:
+ -plex_hdg_velocity b1,b2,b3 - beta everywhere, in the place of the function's, of which a line on stderr tells
- -plex_hdg_convection form   - `advective` or `conservative`

  Level: beginner

  Notes:
  The forms differ by (div beta) u, which the conservative one has and the advective one has not; the divergence is not
  asked for. The normal component of beta has to be continuous across the faces of the mesh.

  The flux is upwind: max(beta . n, 0) is added to the stabilization tau of diffusion, whatever that is
  (`PlexHDGSetTau()`, `PlexHDGSetStabilization()`). Peclet's number may be anything. kappa may be zero, in some elements
  or in all of them; there u* is u, and q zero.

  Conditions are those of diffusion, with q = kappa grad u: Neumann's is q . n = g also where the flow passes the
  boundary, and (q - beta u) . n = g is Robin's with alpha = -beta . n where the flow enters. Where kappa is zero
  Neumann's with g = 0 leaves an outflow to itself. With Neumann's on all of the boundary, and lambda = 0, u is not
  determined in the advective form, nor in the conservative one where the flow passes no face of the boundary: an error.

  K is then not symmetric: `PlexHDGGetKSP()`. The method is that of Nguyen, Peraire and Cockburn (2009).

.seealso: `PlexHDG`, `PlexHDGConvection`, `PlexHDGGetConvection()`, `PlexHDGSetConvectionPoint()`, `PlexHDGSetVelocity()`, `PlexHDGSetDiffusion()`,
         `PlexHDGAddBoundary()`, `PlexHDGUpdate()`, `PlexHDGGetKSP()`
@*/
PetscErrorCode PlexHDGSetConvection(PlexHDG hdg, PlexHDGConvection form, PlexHDGConvectionFn *func, void *ctx)
{
  PetscBool moves = PETSC_FALSE;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscCheck(form == PLEX_HDG_ADVECTIVE || form == PLEX_HDG_CONSERVATIVE, PetscObjectComm((PetscObject)hdg),
             PETSC_ERR_ARG_OUTOFRANGE, "Convection has the forms advective and conservative, not %d", (int)form);
  for (int d = 0; d < 3; ++d) moves = (PetscBool)(moves || hdg->velocity[d] != 0.);
  PetscCall(PlexHDGConvectionIs(hdg, (PetscBool)(func || moves), form));
  hdg->convection    = func;
  hdg->convectionCtx = ctx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGGetConvection - Gets the form of convection, and the function that gives the velocity

  Not Collective

  Input Parameter:
. hdg - the discretization

  Output Parameters:
+ form - the form; may be `NULL`
. func - the function; `NULL`: none; may be `NULL`
- ctx  - its context; may be `NULL`

  Level: intermediate

.seealso: `PlexHDG`, `PlexHDGSetConvection()`, `PlexHDGGetVelocity()`
@*/
PetscErrorCode PlexHDGGetConvection(PlexHDG hdg, PlexHDGConvection *form, PlexHDGConvectionFn **func, void **ctx)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  if (form) *form = hdg->convectionForm;
  if (func) *func = PlexHDGHasPoint_Private(hdg, PLEX_HDG_POINT_VELOCITY) ? NULL : hdg->convection;
  if (ctx) *ctx = hdg->convectionCtx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGSetVelocity - Sets a velocity beta of convection that is the same everywhere

  Logically Collective

  Input Parameters:
+ hdg  - the discretization
. n    - the number of components that are given: the mesh's dimension
- beta - [n]; all zero: no convection

  Options Database Key:
. -plex_hdg_velocity b1,b2,b3 - likewise

  Level: beginner

  Note:
  It takes the place of a function of `PlexHDGSetConvection()`. Both forms of convection are then the same equation.

.seealso: `PlexHDG`, `PlexHDGSetConvection()`, `PlexHDGGetVelocity()`
@*/
PetscErrorCode PlexHDGSetVelocity(PlexHDG hdg, PetscInt n, const PetscReal beta[])
{
  PetscBool moves = PETSC_FALSE;
  PetscInt  dim;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscCall(DMGetDimension(hdg->dm, &dim));
  PetscCheck(n == dim, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ARG_SIZ,
             "A velocity of %" PetscInt_FMT " components, and the mesh has dimension %" PetscInt_FMT
             ": see PlexHDGSetVelocity() and -plex_hdg_velocity",
             n, dim);
  for (PetscInt d = 0; d < dim; ++d) moves = (PetscBool)(moves || beta[d] != 0.);
  PetscCall(PlexHDGConvectionIs(hdg, moves, hdg->convectionForm));
  for (PetscInt d = 0; d < 3; ++d) hdg->velocity[d] = d < dim ? beta[d] : 0.;
  hdg->convection = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGGetVelocity - Gets the velocity of convection that is the same everywhere

  Not Collective

  Input Parameter:
. hdg - the discretization

  Output Parameters:
+ n    - the number of components, the mesh's dimension; may be `NULL`
- beta - [3] the components, with zeros behind them; may be `NULL`

  Level: beginner

  Note:
  A function of `PlexHDGSetConvection()` takes its place.

.seealso: `PlexHDG`, `PlexHDGSetVelocity()`
@*/
PetscErrorCode PlexHDGGetVelocity(PlexHDG hdg, PetscInt *n, PetscReal beta[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  if (n) PetscCall(DMGetDimension(hdg->dm, n));
  for (int d = 0; beta && d < 3; ++d) beta[d] = hdg->velocity[d];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSetConvectionOptions_Private(PlexHDG hdg, PetscOptionItems PetscOptionsObject)
{
  PetscReal         beta[3] = {hdg->velocity[0], hdg->velocity[1], hdg->velocity[2]};
  PetscInt          n       = 3;
  PlexHDGConvection form    = hdg->convectionForm;
  PetscBool         set, formSet;

  PetscFunctionBegin;
  PetscCall(PetscOptionsRealArray("-plex_hdg_velocity", "Velocity of convection", "PlexHDGSetVelocity", beta, &n,
                                  &set));
  PetscCall(PetscOptionsEnum("-plex_hdg_convection", "Form of convection", "PlexHDGSetConvection", PlexHDGConvections,
                             (PetscEnum)form, (PetscEnum *)&form, &formSet));
  if (formSet) PetscCall(PlexHDGConvectionIs(hdg, hdg->convects, form));
  if (!set) PetscFunctionReturn(PETSC_SUCCESS);
  if (hdg->convection)
    PetscCall(PetscFPrintf(PetscObjectComm((PetscObject)hdg), PETSC_STDERR,
                           "PlexHDG: -%splex_hdg_velocity takes the place of the velocity that the function of "
                           "PlexHDGSetConvection() gives\n",
                           ((PetscObject)hdg)->prefix ? ((PetscObject)hdg)->prefix : ""));
  PetscCall(PlexHDGSetVelocity(hdg, n, beta));
  PetscFunctionReturn(PETSC_SUCCESS);
}
