/*
  Navier-Stokes equations of an incompressible fluid by hybridized DG: settings of the class PlexHDG, and the method.

    rho (du/dt + u . grad u) - div sigma = f,  div u = 0,  sigma = mu grad u - p I, or 2 mu eps(u) - p I

  on the spaces of Stokes's equations here (stokes.c): G and p of degree P in each element, u of degree P + 1, its trace t
  of degree P on each face, as in W. Qiu and K. Shi, A superconvergent HDG method for the incompressible Navier-Stokes
  equations on general polyhedral meshes, IMA J. Numer. Anal. 36 (2016), 1943-1967. To Stokes's equations are added, with
  b = t . n of an element's face, which two elements share, and b+ = max(b, 0), for all w and mu'

    element: rho/2 ((u . grad u, w) - (u . grad w, u)) + rho <(b+ - b/2) u + (b - b+) t, w>
    trace:   rho <b+ u + (b - b+) t, mu'>

  What passes a face is the upwind flux b t + b+ (u - t). The first line is -rho (u, u . grad w) + rho <b t + b+ (u - t), w>
  after integration by parts of one half, without (div u) u/2 and with b in place of u . n: the form of R. Temam, Bull.
  Soc. Math. France 96 (1968), 115-152, which is skew-symmetric but for the faces. With w = u and mu' = t the sum over all
  elements is rho/2 <|b| (u - t), u - t>, and on the boundary of the domain rho/2 <b t, t>, as b t is no part of its
  conditions there: convection does not make energy, whatever div u is and by whatever quadrature, but where a fluid
  enters through a face whose velocity is not known. (u, grad r) = <b, r> for all r of degree P makes div u small.

  Newton's method linearizes all of it; it is homogeneous of degree 2, and not smooth where b = 0. Picard's iteration keeps
  the carrying velocities, u in the element and b. navierstate.c has residuals and steps, naviersolve.c their solver.
*/
#include "navier.h" /*I "plexgpuhdg.h" I*/

const char *const PlexHDGTransports[] = {"implicit", "explicit", "none", "PlexHDGTransport", "PLEX_HDG_TRANSPORT_",
                                         NULL};

/*@
  PlexHDGSetDensity - Sets the density of Navier-Stokes equations

  Logically Collective

  Input Parameters:
+ hdg - the discretization, of `PLEX_HDG_NAVIER_STOKES`
- rho - the density, not negative; 1 if it is not set. 0: Stokes's equations

  Options Database Key:
. -plex_hdg_density rho - likewise

  Level: beginner

  Note:
  With viscosity mu, a velocity U and a length L the Reynolds number is rho U L/mu.

  Example:
.vb
  PetscCall(PlexHDGSetSystem(hdg, PLEX_HDG_NAVIER_STOKES));
  PetscCall(PlexHDGSetDensity(hdg, 1.));
  PetscCall(PlexHDGSetViscosity(hdg, 0.01)); // Re = 100 with U = L = 1
.ve

.seealso: `PlexHDG`, `PlexHDGSetSystem()`, `PlexHDGGetDensity()`, `PlexHDGSetViscosity()`
@*/
PetscErrorCode PlexHDGSetDensity(PlexHDG hdg, PetscReal rho)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscValidLogicalCollectiveReal(hdg, rho, 2);
  PetscCheck(rho >= 0. && rho <= PETSC_MAX_REAL, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ARG_OUTOFRANGE,
             "The density %g is negative or no number: see PlexHDGSetDensity() and -plex_hdg_density", (double)rho);
  if (rho != hdg->density && hdg->navier) hdg->navier->ready = PETSC_FALSE; /* K has it in steps of time */
  hdg->density = rho;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGGetDensity - Gets the density of Navier-Stokes equations

  Not Collective

  Input Parameter:
. hdg - the discretization

  Output Parameter:
. rho - the density

  Level: beginner

  Example:
.vb
  PetscCall(PlexHDGGetDensity(hdg, &rho));
.ve

.seealso: `PlexHDG`, `PlexHDGSetDensity()`
@*/
PetscErrorCode PlexHDGGetDensity(PlexHDG hdg, PetscReal *rho)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscAssertPointer(rho, 2);
  *rho = hdg->density;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGSetPicard - Sets how many steps are Picard's before those of Newton's method, for Navier-Stokes equations

  Logically Collective

  Input Parameters:
+ hdg   - the discretization, of `PLEX_HDG_NAVIER_STOKES`
- steps - of each nonlinear solve; 3 if it is not set, `PETSC_INT_MAX`: all

  Options Database Key:
. -plex_hdg_picard steps - likewise

  Level: intermediate

  Note:
  A step of Picard's iteration keeps the velocity that carries and solves for the one that is carried (Oseen's equations).
  It converges linearly, and from farther away than Newton's method. The first step from a fluid at rest is the same in
  both: Stokes's equations. In steps of time (`PlexHDGSetTS()`) all are Newton's.

  Example:
.vb
  PetscCall(PlexHDGSetPicard(hdg, PETSC_INT_MAX)); // no step of Newton's method
.ve

.seealso: `PlexHDG`, `PlexHDGSetSystem()`, `PlexHDGGetPicard()`, `PlexHDGGetSNES()`
@*/
PetscErrorCode PlexHDGSetPicard(PlexHDG hdg, PetscInt steps)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscValidLogicalCollectiveInt(hdg, steps, 2);
  PetscCheck(steps >= 0, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " steps of Picard's iteration: see PlexHDGSetPicard() and -plex_hdg_picard", steps);
  hdg->picard = steps;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGGetPicard - Gets how many steps are Picard's before those of Newton's method

  Not Collective

  Input Parameter:
. hdg - the discretization

  Output Parameter:
. steps - of each nonlinear solve

  Level: intermediate

  Example:
.vb
  PetscCall(PlexHDGGetPicard(hdg, &steps));
.ve

.seealso: `PlexHDG`, `PlexHDGSetPicard()`
@*/
PetscErrorCode PlexHDGGetPicard(PlexHDG hdg, PetscInt *steps)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscAssertPointer(steps, 2);
  *steps = hdg->picard;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGSetTransport - Sets how Navier-Stokes equations treat convection, rho u . grad u

  Logically Collective

  Input Parameters:
+ hdg       - the discretization, of `PLEX_HDG_NAVIER_STOKES`
- transport - `PLEX_HDG_TRANSPORT_IMPLICIT`, which it is if it is not set, `PLEX_HDG_TRANSPORT_EXPLICIT` or
              `PLEX_HDG_TRANSPORT_NONE`

  Options Database Key:
. -plex_hdg_transport (implicit|explicit|none) - likewise

  Level: intermediate

  Notes:
  Explicit: in steps of time by `PlexHDGSetTS()` alone, which makes the stepper a `TSARKIMEX` of type `PLEXHDGIMEX2` of order
  2 (`-ts_arkimex_type plexhdgimex3` for order 3). What is implicit are Stokes's equations, so that matrix, factors and
  preconditioner are made once for all steps of one size, and each stage is one linear solve. The step has to be smaller than
  the time in which the fluid crosses some part of an element. Straight triangles and tetrahedra, and a density that is not
  zero. Call this before `PlexHDGSetTS()`.

  None: Stokes's equations with du/dt, rho du/dt - div sigma = f, div u = 0, in steps of time with any stepper that takes the
  implicit ones; and steady. Likewise matrix and factors are made once for all steps of one size.

  Example:
.vb
  PetscCall(PlexHDGSetSystem(hdg, PLEX_HDG_NAVIER_STOKES));
  PetscCall(PlexHDGSetTransport(hdg, PLEX_HDG_TRANSPORT_EXPLICIT));
  PetscCall(PlexHDGSetTS(hdg, ts));
  PetscCall(TSSetTimeStep(ts, 0.01));
.ve

.seealso: `PlexHDG`, `PlexHDGGetTransport()`, `PlexHDGSetTS()`, `PlexHDGSetDensity()`, `PlexHDGGetSolenoidalVelocity()`
@*/
PetscErrorCode PlexHDGSetTransport(PlexHDG hdg, PlexHDGTransport transport)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(hdg, transport, 2);
  if (transport != hdg->transport) {
    hdg->assembled = PETSC_FALSE;
    if (hdg->navier) hdg->navier->ready = PETSC_FALSE;
  }
  hdg->transport = transport;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGGetTransport - Gets how Navier-Stokes equations treat convection

  Not Collective

  Input Parameter:
. hdg - the discretization

  Output Parameter:
. transport - implicit, explicit or none

  Level: intermediate

  Example:
.vb
  PetscCall(PlexHDGGetTransport(hdg, &transport));
.ve

.seealso: `PlexHDG`, `PlexHDGSetTransport()`
@*/
PetscErrorCode PlexHDGGetTransport(PlexHDG hdg, PlexHDGTransport *transport)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscAssertPointer(transport, 2);
  *transport = hdg->transport;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexHDGGetSNES - Gets the nonlinear solver by which `PlexHDGSolve()` solves Navier-Stokes equations

  Collective

  Input Parameter:
. hdg - the discretization, of `PLEX_HDG_NAVIER_STOKES`

  Output Parameter:
. snes - the solver, not to be destroyed: Newton's method with a line search, until the residual is 1e-9 of that of a fluid
         at rest

  Options Database Key:
. -plex_hdg_snes_... - all of `SNES`, as -plex_hdg_snes_monitor

  Level: intermediate

  Note:
  `PlexHDGSolve()` starts from its last solution. Of steps in time, and where a program calls `SNESSolve()` itself, the
  solver is that of `PlexHDGSetTS()` or `PlexHDGSetSNES()`. The equations of a step are solved by that of `PlexHDGGetKSP()`.

  Example:
.vb
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexHDGGetSNES(hdg, &snes));
  PetscCall(SNESGetIterationNumber(snes, &steps));
.ve

.seealso: `PlexHDG`, `PlexHDGSolve()`, `PlexHDGGetKSP()`, `PlexHDGSetSNES()`, `PlexHDGSetPicard()`
@*/
PetscErrorCode PlexHDGGetSNES(PlexHDG hdg, SNES *snes)
{
  const char *prefix;
  KSP         ksp;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(hdg, PLEXHDG_CLASSID, 1);
  PetscAssertPointer(snes, 2);
  PetscCall(PlexHDGCheckSystem_Private(hdg, PLEX_HDG_NAVIER_STOKES, "PlexHDGGetSNES()"));
  if (!hdg->snes) {
    PetscCall(SNESCreate(PetscObjectComm((PetscObject)hdg), &hdg->snes));
    PetscCall(PetscObjectGetOptionsPrefix((PetscObject)hdg, &prefix));
    PetscCall(SNESGetKSP(hdg->snes, &ksp));
    PetscCall(SNESSetOptionsPrefix(hdg->snes, prefix));
    PetscCall(SNESAppendOptionsPrefix(hdg->snes, "plex_hdg_"));
    PetscCall(KSPSetOptionsPrefix(ksp, prefix)); /* -plex_hdg_ksp_type is of the trace's equations */
    PetscCall(KSPAppendOptionsPrefix(ksp, "plex_hdg_newton_"));
    PetscCall(SNESSetTolerances(hdg->snes, 0., 1e-9, 0., 30, PETSC_UNLIMITED));
  }
  *snes = hdg->snes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGSetNavierOptions_Private(PlexHDG hdg, PetscOptionItems PetscOptionsObject)
{
  PetscReal        rho       = hdg->density;
  PetscInt         picard    = hdg->picard;
  PlexHDGTransport transport = hdg->transport;
  PetscBool        set;

  PetscFunctionBegin;
  PetscCall(PetscOptionsReal("-plex_hdg_density", "Density of Navier-Stokes equations", "PlexHDGSetDensity", rho, &rho,
                             &set));
  if (set) PetscCall(PlexHDGSetDensity(hdg, rho));
  PetscCall(PetscOptionsInt("-plex_hdg_picard", "Steps of Picard's iteration before Newton's method",
                            "PlexHDGSetPicard", picard, &picard, &set));
  if (set) PetscCall(PlexHDGSetPicard(hdg, picard));
  PetscCall(PetscOptionsEnum("-plex_hdg_transport", "Convection of Navier-Stokes equations", "PlexHDGSetTransport",
                             PlexHDGTransports, (PetscEnum)transport, (PetscEnum *)&transport, &set));
  if (set) PetscCall(PlexHDGSetTransport(hdg, transport));
  PetscFunctionReturn(PETSC_SUCCESS);
}
