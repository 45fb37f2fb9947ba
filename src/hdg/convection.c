/*
  Convection of a hybridized DG method: beta . grad u, or div(beta u), beside -div(kappa grad u) + lambda u.

  With b = beta . n and b+ = max(b, 0) the numerical flux of convection is b t + b+ (u - t): where the flow leaves the
  element that of u, where it enters that of the trace t. This is the upwind flux, with t = u of the element that the
  flow comes from where there is no diffusion. It is added to that of diffusion, -q . n + tau (u - t): the whole
  stabilization is tau + b+ (N. C. Nguyen, J. Peraire and B. Cockburn, An implicit high-order hybridizable discontinuous
  Galerkin method for linear convection-diffusion equations, J. Comput. Phys. 228 (2009), 3232-3254, section 3.5). For
  all v and mu

    advective:    (beta . grad u, v)  + <(b+ - b)(u - t), v>,   <b+ (u - t), mu>
    conservative: -(u, beta . grad v) + <b t + b+ (u - t), v>,  <b t + b+ (u - t), mu>

  The first is the second less (div beta) u, by parts again: div beta is never asked for. b t of two elements cancel, and
  it is left out on the boundary, where Neumann's condition is q . n = g in both forms.

  At a face's points c[4] has the numbers by which functions are multiplied, <c0 u - c1 t, v> and <c2 u - c3 t, mu>;
  at an element's points flow[dim] has det r_a . beta; both times the points' weights.
*/
#include "hdgimpl.h"            /*I "plexgpuhdg.h" I*/
#include "../dm/elementsimpl.h" /* PlexCofactors() */

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

.seealso: `PlexHDG`, `PlexHDGConvection`, `PlexHDGGetConvection()`, `PlexHDGSetVelocity()`, `PlexHDGSetDiffusion()`,
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
  hdg->convection     = func;
  hdg->convectionCtx  = ctx;
  hdg->velocityForced = PETSC_FALSE;
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
  if (func) *func = hdg->convection;
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
  hdg->convection     = NULL;
  hdg->velocityForced = PETSC_FALSE;
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

/* beta[dim] at a point of an element */
static PetscErrorCode PlexHDGGetBeta(PlexHDG hdg, PetscInt e, const PetscReal x[], PetscReal beta[])
{
  const PetscInt dim    = hdg->mesh->dim;
  PetscReal      square = 0.;

  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) beta[d] = hdg->velocity[d];
  if (hdg->convection) PetscCall((*hdg->convection)(dim, x, beta, hdg->convectionCtx));
  for (PetscInt d = 0; d < dim; ++d) square += PetscSqr(beta[d]);
  PetscCheck(!PetscIsInfOrNanReal(square), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "The velocity in cell %" PetscInt_FMT " at (%g, %g, %g) is (%g, %g, %g): see PlexHDGSetConvection()",
             hdg->mesh->cells[e], (double)x[0], (double)x[1], dim == 3 ? (double)x[2] : 0., (double)beta[0],
             (double)beta[1], dim == 3 ? (double)beta[2] : 0.);
  hdg->speed = PetscMax(hdg->speed, PetscSqrtReal(square));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* flow[Nq][dim] of an element */
static PetscErrorCode PlexHDGSetFlow(PlexHDG hdg, PetscInt e, const PetscReal shape[], const PetscReal dshape[],
                                     PetscReal flow[])
{
  PlexHDGMesh      mesh = hdg->mesh;
  PlexHDGReference R    = hdg->reference;
  const PetscInt   dim = mesh->dim, Nv = mesh->Nv;

  PetscFunctionBegin;
  for (PetscInt q = 0; q < R->Nq; ++q) {
    PetscReal x[3] = {0., 0., 0.}, J[3][3], C[3][3], beta[3];

    PlexHDGMeshMap_Private(mesh, e, &R->points[q * dim], &shape[q * Nv], &dshape[q * Nv * dim], x, J);
    (void)PlexCofactors(dim, J, C);
    PetscCall(PlexHDGGetBeta(hdg, e, x, beta));
    for (PetscInt a = 0; a < dim; ++a) {
      flow[q * dim + a] = 0.;
      for (PetscInt d = 0; d < dim; ++d) flow[q * dim + a] += R->weights[q] * C[a][d] * beta[d];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* c[faces][Nqf][4] of an element; outer[faces]: on the boundary */
static PetscErrorCode PlexHDGSetFlowFace(PlexHDG hdg, PetscInt e, const PetscReal shape[], const PetscReal dshape[],
                                         const PetscBool outer[], PetscReal c[])
{
  PlexHDGMesh      mesh = hdg->mesh;
  PlexHDGReference R    = hdg->reference;
  const PetscInt   dim = mesh->dim, Nv = mesh->Nv;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < mesh->faces * R->Nqf; ++k) {
    const PetscInt f    = k / R->Nqf;
    PetscReal      x[3] = {0., 0., 0.}, J[3][3], C[3][3], beta[3], b = 0., area = 0., up;

    PlexHDGMeshMap_Private(mesh, e, &R->pointsFace[k * dim], &shape[k * Nv], &dshape[k * Nv * dim], x, J);
    (void)PlexCofactors(dim, J, C);
    PetscCall(PlexHDGGetBeta(hdg, e, x, beta));
    for (PetscInt d = 0; d < dim; ++d) {
      PetscReal n = 0.;

      for (PetscInt a = 0; a < dim; ++a) n += C[a][d] * R->normal[f][a];
      b += n * beta[d];
      area += n * n;
    }
    if (outer[f] && PetscAbsReal(b) > 1e-12 * hdg->speed * PetscSqrtReal(area)) hdg->circulates = PETSC_FALSE;
    b *= R->weightsFace[k % R->Nqf];
    up = PetscMax(b, 0.);
    if (hdg->convectionForm == PLEX_HDG_ADVECTIVE) {
      c[4 * k] = c[4 * k + 1] = up - b;
      c[4 * k + 2] = c[4 * k + 3] = up;
    } else {
      c[4 * k] = c[4 * k + 2] = up;
      c[4 * k + 1]            = up - b;
      c[4 * k + 3]            = outer[f] ? up : up - b;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSetConvection_Private(PlexHDG hdg)
{
  PlexHDGMesh      mesh = hdg->mesh;
  PlexHDGReference R    = hdg->reference;
  const size_t     own = (size_t)R->Nq * mesh->dim, face = (size_t)mesh->faces * R->Nqf * 4;
  PetscReal       *flow, *flowFace, *shape, *dshape;
  PetscBool       *outer;

  PetscFunctionBegin;
  hdg->speed      = 0.;
  hdg->circulates = PETSC_TRUE;
  if (!hdg->convects) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc2(mesh->Ne * own, &flow, mesh->Ne * face, &flowFace));
  PetscCall(PetscCalloc1(mesh->Ne * mesh->faces, &outer));
  for (PetscInt b = 0; b < mesh->nboundary; ++b) outer[mesh->boundary[b]] = PETSC_TRUE;
  PetscCall(PlexHDGTabulate_Private(mesh, R->Nq, R->points, &shape, &dshape));
  for (PetscInt e = 0; e < mesh->Ne; ++e) PetscCall(PlexHDGSetFlow(hdg, e, shape, dshape, &flow[e * own]));
  PetscCall(PetscFree2(shape, dshape));
  PetscCall(PlexHDGTabulate_Private(mesh, mesh->faces * R->Nqf, R->pointsFace, &shape, &dshape));
  for (PetscInt e = 0; e < mesh->Ne; ++e)
    PetscCall(PlexHDGSetFlowFace(hdg, e, shape, dshape, &outer[e * mesh->faces], &flowFace[e * face]));
  PetscCall(PetscFree2(shape, dshape));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &hdg->speed, 1, MPIU_REAL, MPIU_MAX, PetscObjectComm((PetscObject)hdg)));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &hdg->circulates, 1, MPI_C_BOOL, MPI_LAND,
                              PetscObjectComm((PetscObject)hdg)));
  PetscCall(PlexHDGUpdate_Private(hdg, flow, sizeof(double) * mesh->Ne * own, (const void **)&hdg->args.flow));
  PetscCall(PlexHDGUpdate_Private(hdg, flowFace, sizeof(double) * mesh->Ne * face, (const void **)&hdg->args.flowFace));
  PetscCall(PetscFree2(flow, flowFace));
  PetscCall(PetscFree(outer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
