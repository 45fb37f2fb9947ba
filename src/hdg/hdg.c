/* The class PlexHDG: creation, settings, destruction */
#include "groups.h"
#include "trace.h"
#include "navier.h" /*I "plexgpuhdg.h" I*/

PetscClassId PLEXHDG_CLASSID = 0;

/*@
  PlexHDGCreate - Creates the hybridized discontinuous Galerkin discretization of -div(kappa grad u) + beta . grad u +
  lambda u = f

  Collective

  Input Parameter:
. dm - a `DM` of type `DMPLEX` of one type of cell, or of triangles and quadrilaterals, distributed already; periodic ones have localized coordinates

  Output Parameter:
. hdg - the discretization

  Options Database Key:
. -plex_hdg_degree P - of the polynomials; see `PlexHDGSetFromOptions()` for all options

  Level: beginner

  Notes:
  The method is that of King, Yakovlev, Fu, Kirby and Sherwin (2014): u and the flux q = kappa grad u are polynomials of
  degree P on each element, their trace one on each face, and the flux through a face is q . n - tau (u - trace)
  (equation 5d). Only the trace is solved for by all elements together.

  The paper's Helmholtz equation div grad u - lambda u = f is this one with -f.

.seealso: `PlexHDG`, `PlexHDGSetDegree()`, `PlexHDGSetCoefficients()`, `PlexHDGAddBoundary()`,
         `PlexHDGSetFromOptions()`, `PlexHDGSolve()`, `PlexHDGDestroy()`
@*/
PetscErrorCode PlexHDGCreate(DM dm, PlexHDG *newhdg)
{
  PlexHDG hdg;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(dm, DM_CLASSID, 1);
  PetscAssertPointer(newhdg, 2);
  PetscCheck(!PetscDefined(USE_COMPLEX), PetscObjectComm((PetscObject)dm), PETSC_ERR_SUP,
             "Hybridized discontinuous Galerkin methods compute with real numbers, and PETSc is configured with "
             "complex scalars: "
             "use a PETSc configured with real scalars (--with-scalar-type=real)");
  PetscCall(PlexGPUInitializePackage());
  PetscCall(PetscHeaderCreate(hdg, PLEXHDG_CLASSID, "PlexHDG", "Hybridized discontinuous Galerkin discretization",
                              "PlexGPU", PetscObjectComm((PetscObject)dm), PlexHDGDestroy, PlexHDGView));
  PetscCall(PetscObjectReference((PetscObject)dm));
  hdg->dm      = dm;
  hdg->degree  = 3;
  hdg->keep    = PETSC_BOOL3_UNKNOWN;
  hdg->units   = PETSC_BOOL3_UNKNOWN;
  hdg->lines   = PETSC_BOOL3_UNKNOWN;
  hdg->rounded = PETSC_BOOL3_UNKNOWN;
  hdg->kappa   = 1.;

  hdg->lame[0] = hdg->lame[1] = 1.;
  hdg->density                = 1.;
  hdg->picard                 = 3;
  hdg->tauFactor              = 1.;
  hdg->types[0]               = -1;
  hdg->local                  = PLEX_HDG_TRACE_AUTO;
  *newhdg                     = hdg;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGReset - Frees what was set up, and keeps the settings. Needed after the mesh has changed.

  Collective

  Input Parameter:
. hdg - the discretization

  Level: intermediate

  Note:
  Where a function returns something else than before, `PlexHDGUpdate()` is enough.

.seealso: `PlexHDG`, `PlexHDGSetUp()`, `PlexHDGUpdate()`
@*/
PetscErrorCode PlexHDGReset(PlexHDG hdg)
{
  PlexArray *arrays[] = {&hdg->arrayA, &hdg->arrayB,    &hdg->arrayTrace, &hdg->arrayGhosts,
                         &hdg->arrayU, &hdg->arrayQ,    &hdg->arrayStar,  &hdg->arrayRHS,
                         &hdg->arrayX, &hdg->arrayXdot, &hdg->arrayF};

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscTryTypeMethod(hdg, reset);
  PetscCall(PetscFree(hdg->data));
  PetscCall(PetscMemzero(hdg->ops, sizeof(*hdg->ops)));
  PetscCall(PetscObjectChangeTypeName((PetscObject)hdg, NULL));
  for (size_t k = 0; hdg->backend && k < PETSC_STATIC_ARRAY_LENGTH(arrays); ++k)
    PetscCall(PlexArrayReset(hdg->backend, arrays[k]));
  if (hdg->backend) PetscCall(PlexMemoryFree(hdg->backend, &hdg->memory));
  if (hdg->K) PetscCall(PlexBackendFree(hdg->backend, (void **)&hdg->K));
  PetscCall(PetscFree(hdg->robinOf));
  PetscCall(PetscFree(hdg->robinHost));
  PetscCall(PetscFree2(hdg->reactions, hdg->taus));
  PetscCall(PetscMemzero(&hdg->args, sizeof(hdg->args)));
  hdg->natural = hdg->robin = hdg->moments = NULL;
  hdg->robinAt                             = NULL;
  PetscCall(VecDestroy(&hdg->delta));
  PetscCall(VecDestroy(&hdg->rest));
  PetscCall(PlexHDGTraceDestroy_Private(hdg));
  PetscCall(MatDestroy(&hdg->A));
  PetscCall(MatDestroy(&hdg->operator));
  PetscCall(VecDestroy(&hdg->trace));
  PetscCall(VecDestroy(&hdg->rhs));
  PetscCall(VecDestroy(&hdg->ghosts));
  PetscCall(VecScatterDestroy(&hdg->scatter));
  PetscCall(VecDestroy(&hdg->u));
  PetscCall(VecDestroy(&hdg->q));
  PetscCall(VecDestroy(&hdg->star));
  if (hdg->ksp) PetscCall(KSPReset(hdg->ksp));
  PetscCall(PlexHDGGroupsDestroy_Private(hdg));
  PetscCall(PlexHDGCoarseDestroy_Private(hdg, &hdg->coarse));
  PetscCall(PlexHDGPointsDestroy_Private(hdg));
  PetscCall(PlexHDGNavierDestroy_Private(hdg));
  PetscCall(PlexHDGStokesDestroy_Private(hdg));
  PetscCall(PlexHDGElasticDestroy_Private(hdg));
  PetscCall(PlexHDGResetExchange_Private(hdg));
  PetscCall(PetscFree(hdg->blockStart));
  PetscCall(PetscFree(hdg->blockColumn));
  PetscCall(PetscFree(hdg->nodesReference));
  PetscCall(PetscFree(hdg->nodes));
  PetscCall(PlexHDGMeshDestroy_Private(&hdg->mesh));
  PetscCall(PlexHDGReferenceDestroy(&hdg->reference));
  for (int k = 0; k < PLEX_HDG_VALUES; ++k) PetscCall(PetscFree(hdg->last[k]));
  hdg->setUp = hdg->assembled = hdg->evaluated = PETSC_FALSE;
  hdg->types[0]                                = -1;
  hdg->stale                                   = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGDestroy - Destroys a hybridized discontinuous Galerkin discretization

  Collective

  Input Parameter:
. hdg - the discretization; set to `NULL`

  Level: beginner

.seealso: `PlexHDG`, `PlexHDGCreate()`
@*/
PetscErrorCode PlexHDGDestroy(PlexHDG *hdg)
{
  PetscFunctionBegin;
  if (!*hdg) PetscFunctionReturn(PETSC_SUCCESS);
  PetscValidHeaderSpecific(*hdg, PLEXHDG_CLASSID, 1);
  if (--((PetscObject)*hdg)->refct > 0) {
    *hdg = NULL;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexHDGReset(*hdg));
  PetscCall(KSPDestroy(&(*hdg)->ksp));
  PetscCall(SNESDestroy(&(*hdg)->snes));
  PetscCall(PlexHDGConditionsDestroy_Private(*hdg));
  PetscCall(PlexBackendDestroy(&(*hdg)->backend));
  PetscCall(PetscFree((*hdg)->backendType));
  for (int k = 0; k < PLEX_HDG_POINTS; ++k) PetscCall(PetscFree((*hdg)->points[k].constants));
  PetscCall(PetscFree((*hdg)->sourceFiles));
  PetscCall(PetscFree((*hdg)->degrees));
  PetscCall(DMDestroy(&(*hdg)->dm));
  PetscCall(PetscHeaderDestroy(hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGSetDegree - Sets the degree of the polynomials

  Logically Collective

  Input Parameters:
+ hdg    - the discretization
- degree - 1 to 9; 3 if it is not set

  Options Database Key:
. -plex_hdg_degree degree - likewise

  Level: beginner

  Note:
  It is that of all elements; `PlexHDGSetDegrees()` gives each its own.

.seealso: `PlexHDG`, `PlexHDGGetDegree()`, `PlexHDGSetDegrees()`, `PlexHDGSetFromOptions()`
@*/
PetscErrorCode PlexHDGSetDegree(PlexHDG hdg, PetscInt degree)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscCheck(degree >= 1 && degree <= PLEX_HDG_MAX_DEGREE, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ARG_OUTOFRANGE,
             "Hybridized DG has degrees 1 to %d, not %" PetscInt_FMT ": see -plex_hdg_degree", PLEX_HDG_MAX_DEGREE,
             degree);
  if (degree != hdg->degree || hdg->degrees) PetscCall(PlexHDGReset(hdg));
  if (hdg->degrees) PetscCall(PlexHDGForgetBackend_Private(hdg));
  PetscCall(PetscFree(hdg->degrees));
  hdg->degree = degree;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGGetDegree - Gets the degree of the polynomials

  Not Collective

  Input Parameter:
. hdg - the discretization

  Output Parameter:
. degree - the degree; where elements have several, that of elements which `PlexHDGSetDegreesByLabel()` finds no value for

  Level: beginner

.seealso: `PlexHDG`, `PlexHDGSetDegree()`, `PlexHDGGetDegrees()`
@*/
PetscErrorCode PlexHDGGetDegree(PlexHDG hdg, PetscInt *degree)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscAssertPointer(degree, 2);
  *degree = hdg->degree;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGSetDiffusion - Sets coefficients that are the same everywhere

  Logically Collective

  Input Parameters:
+ hdg    - the discretization
. kappa  - in -div(kappa grad u) + lambda u = f, positive; 1 if it is not set
- lambda - of either sign; 0 if it is not set

  Options Database Keys:
+ -plex_hdg_kappa kappa   - likewise; in the place of kappa that a function gives, whose lambda stays
- -plex_hdg_lambda lambda - likewise; in the place of lambda that a function gives, whose kappa stays

  Level: beginner

  Notes:
  With lambda < 0 the solutions are waves of number sqrt(-lambda/kappa), and K is symmetric and indefinite
  (`PlexHDGGetKSP()`). With convection (`PlexHDGSetVelocity()`, `PlexHDGSetConvection()`) kappa may be zero.

  Called after `PlexHDGSetCoefficients()`, it takes the place of that function. An option takes the place of its own
  number alone, and a line on stderr says so.

.seealso: `PlexHDG`, `PlexHDGGetDiffusion()`, `PlexHDGSetCoefficients()`
@*/
PetscErrorCode PlexHDGSetDiffusion(PlexHDG hdg, PetscReal kappa, PetscReal lambda)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  hdg->stale |= PLEX_HDG_STALE_COEFFICIENTS;
  hdg->kappa       = kappa;
  hdg->reaction    = lambda;
  hdg->coefficient = NULL;
  hdg->kappaForced = hdg->reactionForced = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGGetDiffusion - Gets the coefficients that are the same everywhere

  Not Collective

  Input Parameter:
. hdg - the discretization

  Output Parameters:
+ kappa  - may be `NULL`
- lambda - may be `NULL`

  Level: beginner

  Note:
  A function of `PlexHDGSetCoefficients()` takes their place.

.seealso: `PlexHDG`, `PlexHDGSetDiffusion()`
@*/
PetscErrorCode PlexHDGGetDiffusion(PlexHDG hdg, PetscReal *kappa, PetscReal *lambda)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  if (kappa) *kappa = hdg->kappa;
  if (lambda) *lambda = hdg->reaction;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGSetCoefficients - Sets coefficients that each element has for itself

  Logically Collective

  Input Parameters:
+ hdg  - the discretization
. func - gives kappa[dim][dim], symmetric and positive definite, and lambda of an element from its centroid and its
         `DMPLEX` point. They are what `PlexHDGSetDiffusion()` says when it is called. `NULL`: none
- ctx  - its context

  Options Database Keys:
+ -plex_hdg_kappa kappa   - in the place of the function's kappa everywhere
- -plex_hdg_lambda lambda - in the place of the function's lambda everywhere

  Level: intermediate

.seealso: `PlexHDG`, `PlexHDGGetCoefficients()`, `PlexHDGSetCoefficientsPoint()`, `PlexHDGSetDiffusion()`, `PlexHDGUpdate()`
@*/
PetscErrorCode PlexHDGSetCoefficients(PlexHDG hdg, PlexHDGCoefficientFn *func, void *ctx)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  hdg->stale |= PLEX_HDG_STALE_COEFFICIENTS;
  hdg->kappaForced = hdg->reactionForced = PETSC_FALSE;
  hdg->coefficient                       = func;
  hdg->coefficientCtx                    = ctx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGGetCoefficients - Gets the function that gives the coefficients of each element

  Not Collective

  Input Parameter:
. hdg - the discretization

  Output Parameters:
+ func - the function; `NULL`: none; may be `NULL`
- ctx  - its context; may be `NULL`

  Level: intermediate

.seealso: `PlexHDG`, `PlexHDGSetCoefficients()`
@*/
PetscErrorCode PlexHDGGetCoefficients(PlexHDG hdg, PlexHDGCoefficientFn **func, void **ctx)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  if (func) *func = PlexHDGHasPoint_Private(hdg, PLEX_HDG_POINT_COEFFICIENTS) ? NULL : hdg->coefficient;
  if (ctx) *ctx = hdg->coefficientCtx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGSetPointwise - Sets kappa at points, with values that may depend on u

  Logically Collective

  Input Parameters:
+ hdg       - the discretization
. func      - gives kappa[dim][dim], symmetric and positive definite, at a point where u has a value; and in
              slope[dim][dim], zero before, its derivative by u
. nonlinear - it depends on u
- ctx       - its context; `NULL` for func: kappa is that of `PlexHDGSetDiffusion()` or `PlexHDGSetCoefficients()`
              again, which lambda is always

  Level: intermediate

  Notes:
  At the points of a quadrature that is exact to degree 2 P + 3, on the host: once, or of kappa(u) whenever a residual
  or a Jacobian is computed, for which u is copied there and kappa back; `PlexHDGSetKappaPoint()` is for functions that
  are evaluated where the discretization is computed. All elements are computed by quadrature.

  With kappa(u) the problem is one for `PlexHDGSetSNES()` or `PlexHDGSetTS()`. The default tau is that of kappa at u = 0
  first; with a residual it is renewed on faces where kappa(u) makes it more than twice as large, or less than half.
  Where a function of `PlexHDGSetStabilization()` gives it, it stays.

  The option -plex_hdg_kappa is an error here.

.seealso: `PlexHDG`, `PlexHDGGetPointwise()`, `PlexHDGSetKappaPoint()`, `PlexHDGSetCoefficients()`, `PlexHDGSetSNES()`, `PlexHDGSetTS()`
@*/
PetscErrorCode PlexHDGSetPointwise(PlexHDG hdg, PlexHDGPointFn *func, PetscBool nonlinear, void *ctx)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  /* with kappa at points elements are computed by quadrature, and kernels are others */
  if (!func != !hdg->point || hdg->nonlinear != (PetscBool)(func && nonlinear)) PetscCall(PlexHDGReset(hdg));
  hdg->stale |= PLEX_HDG_STALE_COEFFICIENTS;
  hdg->point     = func;
  hdg->pointCtx  = ctx;
  hdg->nonlinear = (PetscBool)(func && nonlinear);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGGetPointwise - Gets the function that gives kappa at points

  Not Collective

  Input Parameter:
. hdg - the discretization

  Output Parameters:
+ func      - the function; `NULL`: none; may be `NULL`
. nonlinear - whether kappa depends on u; may be `NULL`
- ctx       - its context; may be `NULL`

  Level: intermediate

.seealso: `PlexHDG`, `PlexHDGSetPointwise()`
@*/
PetscErrorCode PlexHDGGetPointwise(PlexHDG hdg, PlexHDGPointFn **func, PetscBool *nonlinear, void **ctx)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  if (func) *func = PlexHDGHasPoint_Private(hdg, PLEX_HDG_POINT_KAPPA) ? NULL : hdg->point;
  if (nonlinear) *nonlinear = hdg->nonlinear;
  if (ctx) *ctx = hdg->pointCtx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGSetTau - Sets the stabilization tau of equation 5d of King and others (2014), the same number on all faces

  Logically Collective

  Input Parameters:
+ hdg - the discretization
- tau - positive, in units of kappa over a length

  Options Database Key:
. -plex_hdg_tau tau - likewise

  Level: intermediate

  Notes:
  If it is not set, each face of each element has a tau of its own,

    n . kappa n (6/L + 0.1/max(sqrt(n . kappa n/lambda), 2h/P)),  L = min(2 dim V/A, V^(1/dim))

  of which the bracket is max(6/L, sqrt(-lambda/n . kappa n)) where lambda < 0, with the face's normal n, the height h of the element above the face, the degree P, and the domain's volume V and
  boundary A. `PlexHDGSetTauFactor()` multiplies it. One number for all faces costs orders of magnitude of u where kappa
  is far from it: it is meant for comparison with the literature, whose tau is 1.

  Called after `PlexHDGSetStabilization()`, it takes the place of that function.

.seealso: `PlexHDG`, `PlexHDGGetTau()`, `PlexHDGSetTauFactor()`, `PlexHDGSetStabilization()`
@*/
PetscErrorCode PlexHDGSetTau(PlexHDG hdg, PetscReal tau)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  hdg->stale |= PLEX_HDG_STALE_COEFFICIENTS;
  hdg->tau           = tau;
  hdg->tauGiven      = PETSC_TRUE;
  hdg->stabilization = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGGetTau - Gets the stabilization that is the same number on all faces

  Not Collective

  Input Parameter:
. hdg - the discretization

  Output Parameter:
. tau - the number; 0 where each face has one of its own

  Level: intermediate

.seealso: `PlexHDG`, `PlexHDGSetTau()`
@*/
PetscErrorCode PlexHDGGetTau(PlexHDG hdg, PetscReal *tau)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscAssertPointer(tau, 2);
  *tau = hdg->tauGiven ? hdg->tau : 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGSetTauFactor - Sets by what the stabilization that follows kappa, lambda and lengths is multiplied

  Logically Collective

  Input Parameters:
+ hdg    - the discretization
- factor - positive; 1 if it is not set. It takes the place of `PlexHDGSetTau()`

  Options Database Key:
. -plex_hdg_tau_factor factor - likewise

  Level: advanced

  Note:
  Errors of u and q depend little on it between 1/4 and 4. Waves of more than one length in the domain ask for more, in
  the proportion of their number.

.seealso: `PlexHDG`, `PlexHDGGetTauFactor()`, `PlexHDGSetTau()`, `PlexHDGSetStabilization()`
@*/
PetscErrorCode PlexHDGSetTauFactor(PlexHDG hdg, PetscReal factor)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscCheck(factor > 0. && !PetscIsInfOrNanReal(factor), PetscObjectComm((PetscObject)hdg), PETSC_ERR_ARG_OUTOFRANGE,
             "The factor of tau is %g and has to be positive: see -plex_hdg_tau_factor", (double)factor);
  hdg->stale |= PLEX_HDG_STALE_COEFFICIENTS;
  hdg->tauFactor = factor;
  hdg->tauGiven  = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGGetTauFactor - Gets by what the stabilization that follows kappa, lambda and lengths is multiplied

  Not Collective

  Input Parameter:
. hdg - the discretization

  Output Parameter:
. factor - the factor

  Level: advanced

.seealso: `PlexHDG`, `PlexHDGSetTauFactor()`
@*/
PetscErrorCode PlexHDGGetTauFactor(PlexHDG hdg, PetscReal *factor)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscAssertPointer(factor, 2);
  *factor = hdg->tauFactor;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGSetStabilization - Sets the stabilization of each face of each element

  Logically Collective

  Input Parameters:
+ hdg  - the discretization
. func - gives tau > 0 of an element's face from the face's center and the `DMPLEX` points of both, at set-up. It is
         what it would be without the function when this is called, by kappa, lambda and lengths or by
         `PlexHDGSetTau()`. `NULL`: none
- ctx  - its context

  Options Database Key:
. -plex_hdg_tau tau - one number in the function's place, of which a line on stderr tells

  Level: intermediate

.seealso: `PlexHDG`, `PlexHDGGetStabilization()`, `PlexHDGSetTau()`, `PlexHDGSetTauFactor()`, `PlexHDGUpdate()`
@*/
PetscErrorCode PlexHDGSetStabilization(PlexHDG hdg, PlexHDGStabilizationFn *func, void *ctx)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  hdg->stale |= PLEX_HDG_STALE_COEFFICIENTS;
  hdg->stabilization    = func;
  hdg->stabilizationCtx = ctx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGGetStabilization - Gets the function that gives the stabilization of each face of each element

  Not Collective

  Input Parameter:
. hdg - the discretization

  Output Parameters:
+ func - the function; `NULL`: none; may be `NULL`
- ctx  - its context; may be `NULL`

  Level: intermediate

.seealso: `PlexHDG`, `PlexHDGSetStabilization()`
@*/
PetscErrorCode PlexHDGGetStabilization(PlexHDG hdg, PlexHDGStabilizationFn **func, void **ctx)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  if (func) *func = hdg->stabilization;
  if (ctx) *ctx = hdg->stabilizationCtx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGSetBackend - Chooses where the discretization is computed

  Logically Collective

  Input Parameters:
+ hdg  - the discretization
- type - `PLEXBACKENDAUTO`, `PLEXBACKENDCUDA`, `PLEXBACKENDHOST` or `PLEXBACKENDEMULATE`

  Options Database Key:
. -plex_hdg_backend type - likewise

  Level: beginner

  Note:
  With `PLEXBACKENDAUTO` elements of several types or degrees are computed on the host.

.seealso: `PlexHDG`, `PlexBackendType`, `PlexHDGGetBackend()`
@*/
PetscErrorCode PlexHDGSetBackend(PlexHDG hdg, PlexBackendType type)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscCall(PlexHDGReset(hdg));
  PetscCall(PlexBackendDestroy(&hdg->backend));
  PetscCall(PetscFree(hdg->backendType));
  PetscCall(PetscStrallocpy(type, &hdg->backendType));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGGetBackend - Gets the backend that the discretization is computed by

  Collective

  Input Parameter:
. hdg - the discretization

  Output Parameter:
. backend - the backend, created if need be

  Level: intermediate

.seealso: `PlexHDG`, `PlexHDGSetBackend()`
@*/
PetscErrorCode PlexHDGGetBackend(PlexHDG hdg, PlexBackend *backend)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscAssertPointer(backend, 2);
  if (!hdg->backend) {
    const char *type = hdg->backendType ? hdg->backendType : PLEXBACKENDAUTO;
    PetscBool   any  = PETSC_FALSE, several;

    PetscCall(PlexHDGIsSeveral_Private(hdg, &several));
    if (several) PetscCall(PetscStrcmp(type, PLEXBACKENDAUTO, &any));
    PetscCall(PlexBackendCreate(any ? PLEXBACKENDHOST : type, &hdg->backend));
  }
  *backend = hdg->backend;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGSetOptionsPrefix - Sets the prefix of the options that a discretization reads

  Logically Collective

  Input Parameters:
+ hdg    - the discretization
- prefix - put before `plex_hdg_...`

  Level: intermediate

.seealso: `PlexHDG`, `PlexHDGGetOptionsPrefix()`, `PlexHDGSetFromOptions()`
@*/
PetscErrorCode PlexHDGSetOptionsPrefix(PlexHDG hdg, const char prefix[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscCall(PetscObjectSetOptionsPrefix((PetscObject)hdg, prefix));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGGetOptionsPrefix - Gets the prefix of the options that a discretization reads

  Not Collective

  Input Parameter:
. hdg - the discretization

  Output Parameter:
. prefix - the prefix; `NULL`: none

  Level: intermediate

.seealso: `PlexHDG`, `PlexHDGSetOptionsPrefix()`
@*/
PetscErrorCode PlexHDGGetOptionsPrefix(PlexHDG hdg, const char **prefix)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscAssertPointer(prefix, 2);
  *prefix = ((PetscObject)hdg)->prefix;
  PetscFunctionReturn(PETSC_SUCCESS);
}
