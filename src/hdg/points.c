/*
  Source and coefficients of a hybridized DG method by pointwise functions of PETSc: f, kappa and lambda of elements, kappa at points and
  its derivative by u, the velocity of convection. conditions.c has those of conditions, pointmodule.c the name of their source.
*/
#include "points.h" /*I "plexgpuhdg.h" I*/

/* A function and its constants */
static PetscErrorCode PlexHDGSetPoint(PlexHDG hdg, PlexHDGPointRole role, PetscPointFn *func, PetscPointFn *slope,
                                      PetscInt n, const PetscScalar constants[])
{
  PlexHDGPoint *p = &hdg->points[role];
  PetscScalar  *copy;

  PetscFunctionBegin;
  PetscCheck(n >= 0, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ARG_OUTOFRANGE,
             "A pointwise function has %" PetscInt_FMT " constants: none is 0", n);
  PetscCall(PetscMalloc1(n, &copy));
  PetscCall(PetscArraycpy(copy, constants, n));
  PetscCall(PetscFree(p->constants));
  p->func      = func;
  p->slope     = slope;
  p->n         = n;
  p->constants = copy;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGGetPoint(PlexHDG hdg, PlexHDGPointRole role, PetscPointFn **func, PetscInt *n,
                                      const PetscScalar *constants[])
{
  const PlexHDGPoint *p   = &hdg->points[role];
  const PetscBool     has = PlexHDGHasPoint_Private(hdg, role);

  PetscFunctionBegin;
  if (func) *func = has ? p->func : NULL;
  if (n) *n = has ? p->n : 0;
  if (constants) *constants = has ? p->constants : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGSetSourcePoint - Sets the right-hand side f of the equation by a pointwise function of PETSc

  Logically Collective

  Input Parameters:
+ hdg       - the discretization
. func      - gives f, one number (of elasticity dim), at a point; `NULL`: zero. Of its arguments dim, t, x, numConstants and constants are
              given; there are no fields. t is the time of `PlexHDGSetTimeVariable()`, 0 where there is none
. n         - number of constants
- constants - [n], copied

  Options Database Key:
. -plex_hdg_source path - the file that defines it, see `PlexHDGSetPointwiseSource()`

  Level: intermediate

  Notes:
  With its source named by `PlexHDGSetPointwiseSource()`, it is compiled and evaluated where the discretization is
  computed; else it is called on the host, as is that of `PlexHDGSetSource()`, whose place it takes.

  Of vector problems (`PlexHDGSetSystem()`) it is called on the host always.

  Other constants, set by a call with the same function, cost an evaluation and no compilation.

.seealso: `PlexHDG`, `PlexHDGGetSourcePoint()`, `PlexHDGSetSource()`, `PlexHDGSetPointwiseSource()`, `PlexHDGSetCoefficientsPoint()`,
         `PlexHDGSetKappaPoint()`, `PlexHDGSetConvectionPoint()`, `PlexHDGAddBoundaryPoint()`
@*/
PetscErrorCode PlexHDGSetSourcePoint(PlexHDG hdg, PetscPointFn *func, PetscInt n, const PetscScalar constants[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscCall(PlexHDGSetPoint(hdg, PLEX_HDG_POINT_SOURCE, func, NULL, n, constants));
  PetscCall(PlexHDGSetSource(hdg, func ? PlexHDGCallSource_Private : NULL, hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGGetSourcePoint - Gets the pointwise function that gives the right-hand side f of the equation

  Not Collective

  Input Parameter:
. hdg - the discretization

  Output Parameters:
+ func      - the function; `NULL`: none; may be `NULL`
. n         - number of constants; may be `NULL`
- constants - [n], not to be freed; may be `NULL`

  Level: intermediate

.seealso: `PlexHDG`, `PlexHDGSetSourcePoint()`
@*/
PetscErrorCode PlexHDGGetSourcePoint(PlexHDG hdg, PetscPointFn **func, PetscInt *n, const PetscScalar *constants[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscCall(PlexHDGGetPoint(hdg, PLEX_HDG_POINT_SOURCE, func, n, constants));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGSetCoefficientsPoint - Sets kappa and lambda of each element by a pointwise function of PETSc

  Logically Collective

  Input Parameters:
+ hdg       - the discretization
. func      - gives kappa[dim][dim], symmetric and positive definite, and lambda behind it, at the center of an element. They
              are what `PlexHDGSetDiffusion()` says when it is called. Of its arguments dim, t, x, numConstants and constants
              are given. `NULL`: none
. n         - number of constants
- constants - [n], copied

  Options Database Keys:
+ -plex_hdg_source path   - the file that defines it, see `PlexHDGSetPointwiseSource()`
. -plex_hdg_kappa kappa   - in the place of the function's kappa everywhere
- -plex_hdg_lambda lambda - in the place of the function's lambda everywhere

  Level: intermediate

  Example:
.vb
  // c.h: kappa = 1 + constants[0] t, lambda = x
  static void coefficients(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                           const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                           const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[],
                           const PetscScalar a_x[], PetscReal t, const PetscReal x[], PetscInt numConstants,
                           const PetscScalar constants[], PetscScalar f[])
  {
    for (PetscInt d = 0; d < dim; ++d) f[d * dim + d] = 1. + constants[0] * t;
    f[dim * dim] = x[0];
  }

  PetscCall(PlexHDGSetCoefficientsPoint(hdg, coefficients, 1, &rate));
  PetscCall(PlexHDGSetPointwiseSource(hdg, "c.h"));
.ve

  Notes:
  It is `PlexHDGSetCoefficients()`, whose place it takes, with another kind of function. With its source named by
  `PlexHDGSetPointwiseSource()` it is compiled and evaluated where the discretization is computed, as is tau. It is called on
  the host where a function of the program gives tau (`PlexHDGSetStabilization()`) or kappa at points
  (`PlexHDGSetPointwise()`).

.seealso: `PlexHDG`, `PlexHDGGetCoefficientsPoint()`, `PlexHDGSetCoefficients()`, `PlexHDGSetKappaPoint()`,
         `PlexHDGSetPointwiseSource()`
@*/
PetscErrorCode PlexHDGSetCoefficientsPoint(PlexHDG hdg, PetscPointFn *func, PetscInt n, const PetscScalar constants[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscCall(PlexHDGSetPoint(hdg, PLEX_HDG_POINT_COEFFICIENTS, func, NULL, n, constants));
  PetscCall(PlexHDGSetCoefficients(hdg, func ? PlexHDGCallCoefficients_Private : NULL, hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGGetCoefficientsPoint - Gets the pointwise function that gives kappa and lambda of each element

  Not Collective

  Input Parameter:
. hdg - the discretization

  Output Parameters:
+ func      - the function; `NULL`: none; may be `NULL`
. n         - number of constants; may be `NULL`
- constants - [n], not to be freed; may be `NULL`

  Level: intermediate

  Example:
.vb
  PetscCall(PlexHDGGetCoefficientsPoint(hdg, &func, NULL, NULL));
  if (!func) PetscCall(PlexHDGSetCoefficientsPoint(hdg, coefficients, 1, &rate));
.ve

.seealso: `PlexHDG`, `PlexHDGSetCoefficientsPoint()`
@*/
PetscErrorCode PlexHDGGetCoefficientsPoint(PlexHDG hdg, PetscPointFn **func, PetscInt *n,
                                           const PetscScalar *constants[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscCall(PlexHDGGetPoint(hdg, PLEX_HDG_POINT_COEFFICIENTS, func, n, constants));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGSetKappaPoint - Sets kappa at points, which may depend on u, by pointwise functions of PETSc

  Logically Collective

  Input Parameters:
+ hdg       - the discretization
. kappa     - gives kappa[dim][dim], zero before, at a point, symmetric and positive definite. Of its arguments dim, u (one
              field, its value), t, x, numConstants and constants are given. `NULL`: kappa is that of
              `PlexHDGSetDiffusion()`, `PlexHDGSetCoefficients()` or `PlexHDGSetCoefficientsPoint()` again
. slope     - gives [dim][dim] its derivative by u, likewise; `NULL`: kappa does not depend on u
. n         - number of constants
- constants - [n] of both, copied

  Options Database Key:
. -plex_hdg_source path - the file that defines them, see `PlexHDGSetPointwiseSource()`

  Level: intermediate

  Example:
.vb
  // k.h: kappa = 1 + u^2
  static void kappa(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                    const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                    const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                    PetscReal t, const PetscReal x[], PetscInt numConstants, const PetscScalar constants[],
                    PetscScalar f[])
  {
    for (PetscInt d = 0; d < dim; ++d) f[d * dim + d] = 1. + u[0] * u[0];
  }

  PetscCall(PlexHDGSetKappaPoint(hdg, kappa, slope, 0, NULL)); // slope: f[d * dim + d] = 2. * u[0]
  PetscCall(PlexHDGSetPointwiseSource(hdg, "k.h"));
  PetscCall(PlexHDGSetSNES(hdg, snes));
.ve

  Notes:
  It is `PlexHDGSetPointwise()`, whose place it takes and whose notes hold, with another kind of function. With its source
  named by `PlexHDGSetPointwiseSource()` it is compiled and evaluated where the discretization is computed: neither u nor
  kappa is copied. It is called on the host where functions of the program give tau (`PlexHDGSetStabilization()`) or lambda
  (`PlexHDGSetCoefficients()`).

.seealso: `PlexHDG`, `PlexHDGGetKappaPoint()`, `PlexHDGSetPointwise()`, `PlexHDGSetCoefficientsPoint()`, `PlexHDGSetSNES()`,
         `PlexHDGSetTS()`, `PlexHDGSetPointwiseSource()`
@*/
PetscErrorCode PlexHDGSetKappaPoint(PlexHDG hdg, PetscPointFn *kappa, PetscPointFn *slope, PetscInt n,
                                    const PetscScalar constants[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscCheck(kappa || !slope, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ARG_NULL,
             "PlexHDGSetKappaPoint() has a derivative of kappa by u, and no kappa");
  PetscCall(PlexHDGSetPoint(hdg, PLEX_HDG_POINT_KAPPA, kappa, slope, n, constants));
  PetscCall(PlexHDGSetPointwise(hdg, kappa ? PlexHDGCallKappa_Private : NULL, (PetscBool)(slope != NULL), hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGGetKappaPoint - Gets the pointwise functions that give kappa at points

  Not Collective

  Input Parameter:
. hdg - the discretization

  Output Parameters:
+ kappa     - the function; `NULL`: none; may be `NULL`
. slope     - its derivative by u; `NULL`: it does not depend on u; may be `NULL`
. n         - number of constants; may be `NULL`
- constants - [n], not to be freed; may be `NULL`

  Level: intermediate

  Example:
.vb
  PetscCall(PlexHDGGetKappaPoint(hdg, &kappa, &slope, NULL, NULL));
  if (slope) PetscCall(PlexHDGSetSNES(hdg, snes)); // not linear
.ve

.seealso: `PlexHDG`, `PlexHDGSetKappaPoint()`
@*/
PetscErrorCode PlexHDGGetKappaPoint(PlexHDG hdg, PetscPointFn **kappa, PetscPointFn **slope, PetscInt *n,
                                    const PetscScalar *constants[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscCall(PlexHDGGetPoint(hdg, PLEX_HDG_POINT_KAPPA, kappa, n, constants));
  if (slope)
    *slope = PlexHDGHasPoint_Private(hdg, PLEX_HDG_POINT_KAPPA) ? hdg->points[PLEX_HDG_POINT_KAPPA].slope : NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGSetConvectionPoint - Sets the form of convection, and the velocity beta by a pointwise function of PETSc

  Logically Collective

  Input Parameters:
+ hdg       - the discretization
. form      - `PLEX_HDG_ADVECTIVE`: beta . grad u; `PLEX_HDG_CONSERVATIVE`: div(beta u)
. func      - gives beta[dim] at a point of an element or a face. Of its arguments dim, t, x, numConstants and constants are
              given. `NULL`: beta is that of `PlexHDGSetVelocity()`
. n         - number of constants
- constants - [n], copied

  Options Database Keys:
+ -plex_hdg_source path     - the file that defines it, see `PlexHDGSetPointwiseSource()`
- -plex_hdg_velocity b1,b2,b3 - beta everywhere, in the place of the function's

  Level: intermediate

  Example:
.vb
  // v.h: a wind that turns with time
  static void wind(PetscInt dim, PetscInt Nf, PetscInt NfAux, const PetscInt uOff[], const PetscInt uOff_x[],
                   const PetscScalar u[], const PetscScalar u_t[], const PetscScalar u_x[], const PetscInt aOff[],
                   const PetscInt aOff_x[], const PetscScalar a[], const PetscScalar a_t[], const PetscScalar a_x[],
                   PetscReal t, const PetscReal x[], PetscInt numConstants, const PetscScalar constants[],
                   PetscScalar beta[])
  {
    beta[0] = PetscCosReal(t);
    beta[1] = PetscSinReal(t);
  }

  PetscCall(PlexHDGSetConvectionPoint(hdg, PLEX_HDG_ADVECTIVE, wind, 0, NULL));
  PetscCall(PlexHDGSetPointwiseSource(hdg, "v.h"));
.ve

  Note:
  It is `PlexHDGSetConvection()`, whose place it takes and whose notes hold, with another kind of function. With its source
  named by `PlexHDGSetPointwiseSource()` it is compiled and evaluated where the discretization is computed.

.seealso: `PlexHDG`, `PlexHDGConvection`, `PlexHDGGetConvectionPoint()`, `PlexHDGSetConvection()`, `PlexHDGSetVelocity()`,
         `PlexHDGSetPointwiseSource()`
@*/
PetscErrorCode PlexHDGSetConvectionPoint(PlexHDG hdg, PlexHDGConvection form, PetscPointFn *func, PetscInt n,
                                         const PetscScalar constants[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscCall(PlexHDGSetPoint(hdg, PLEX_HDG_POINT_VELOCITY, func, NULL, n, constants));
  PetscCall(PlexHDGSetConvection(hdg, form, func ? PlexHDGCallVelocity_Private : NULL, hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@C
  PlexHDGGetConvectionPoint - Gets the form of convection, and the pointwise function that gives the velocity

  Not Collective

  Input Parameter:
. hdg - the discretization

  Output Parameters:
+ form      - the form; may be `NULL`
. func      - the function; `NULL`: none; may be `NULL`
. n         - number of constants; may be `NULL`
- constants - [n], not to be freed; may be `NULL`

  Level: intermediate

  Example:
.vb
  PetscCall(PlexHDGGetConvectionPoint(hdg, &form, NULL, &n, &constants));
  PetscCall(PlexHDGSetConvectionPoint(hdg, form, wind, n, constants)); // another velocity, with the same constants
.ve

.seealso: `PlexHDG`, `PlexHDGSetConvectionPoint()`, `PlexHDGGetConvection()`
@*/
PetscErrorCode PlexHDGGetConvectionPoint(PlexHDG hdg, PlexHDGConvection *form, PetscPointFn **func, PetscInt *n,
                                         const PetscScalar *constants[])
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  if (form) *form = hdg->convectionForm;
  PetscCall(PlexHDGGetPoint(hdg, PLEX_HDG_POINT_VELOCITY, func, n, constants));
  PetscFunctionReturn(PETSC_SUCCESS);
}
