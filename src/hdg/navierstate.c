/*
  Navier-Stokes equations as a function and Jacobian of SNES, and in TS by implicit steps; navier.c has the method.

  A state is u, p and the trace. Its residuals are

    r_u(w)      = rho (w, du/dt) + (sigma, grad w) - <sigma~ n, w> + convection - (f, w)
    r_p(r)      = (u, grad r) - <t . n, r>
    r_trace(mu) = sum over elements of <-sigma~ n, mu> + convection, and alpha t - g on the boundary

  so that the Jacobian has the signs of the linear problem: it is solved with by condensing the linearized local problems to
  K, by [K B^T; B 0] for the changes of the trace and of the pressure's constants, and by the local problems. In time
  neither p nor the trace has a derivative: a differential-algebraic system of index 2.
*/
#include "navier.h"             /*I "plexgpuhdg.h" I*/
#include "../dm/elementsimpl.h" /* PlexCofactors() */

PetscErrorCode PlexHDGNavierSetUp_Private(PlexHDG hdg)
{
  PlexHDGNavier s;

  PetscFunctionBegin;
  PetscCall(PlexHDGSetUp(hdg));
  PetscCall(PlexHDGCreateSolution_Private(hdg));
  s = hdg->navier;
  if (!hdg->delta) {
    PetscCall(VecDuplicate(hdg->trace, &hdg->delta));
    PetscCall(VecDuplicate(hdg->trace, &hdg->rest));
  }
  if (!s->g) {
    PetscCall(VecDuplicate(hdg->stokes->mean, &s->g));
    PetscCall(VecDuplicate(hdg->stokes->mean, &s->scaled));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The trace of a state, with values on other processes, in args */
static PetscErrorCode PlexHDGNavierGetTrace(PlexHDG hdg, const PetscScalar X[], PlexHDGArgs *args)
{
  PetscScalar *a;

  PetscFunctionBegin;
  PetscCall(VecGetArrayWrite(hdg->delta, &a));
  PetscCall(PetscArraycpy(a, X + PlexHDGNavierPlaceTrace(hdg), hdg->mesh->nown * PlexHDGBlockSize(hdg)));
  PetscCall(VecRestoreArrayWrite(hdg->delta, &a));
  PetscCall(PlexHDGGetTrace_Private(hdg, hdg->delta, args));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What flows out of all elements: of the trace that PlexHDGNavierGetTrace() has put into `delta`, B t - g in the place of
   the residual of p's function 0 */
static PetscErrorCode PlexHDGNavierSetDivergence(PlexHDG hdg, PetscReal rp[])
{
  PlexHDGNavier      s = hdg->navier;
  const PetscScalar *g;

  PetscFunctionBegin;
  PetscCall(PlexHDGStokesComputeRHS_Private(hdg));
  PetscCall(MatMult(hdg->stokes->B, hdg->delta, s->g));
  PetscCall(VecAXPY(s->g, -1., hdg->stokes->rhs));
  PetscCall(VecGetArrayRead(s->g, &g));
  for (PetscInt e = 0; e < hdg->mesh->Ne; ++e) rp[e * hdg->reference->Np] = g[e];
  PetscCall(VecRestoreArrayRead(s->g, &g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The trace's residual, of args.b */
static PetscErrorCode PlexHDGNavierGather(PlexHDG hdg, const PetscScalar trace[], PetscScalar r[])
{
  PetscFunctionBegin;
  PetscCall(PlexHDGExchangeFluxes_Private(hdg));
  if (hdg->mesh->nown) PetscUseTypeMethod(hdg, flow, hdg->args.b, trace, r);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u and p of a state in the solution's vectors */
static PetscErrorCode PlexHDGNavierWrite(PlexHDG hdg, const PetscScalar X[])
{
  const PetscInt     dim = hdg->reference->dim, Nu = hdg->elastic->Nu, Npost = hdg->reference->Npost,
                     Np = hdg->reference->Np, Ne = hdg->mesh->Ne;
  const PetscScalar *p = X + PlexHDGNavierPlaceP(hdg);
  PetscScalar       *a;

  PetscFunctionBegin;
  PetscCall(VecZeroEntries(hdg->u));
  PetscCall(VecGetArray(hdg->u, &a));
  for (PetscInt k = 0; k < Ne * dim; ++k)
    for (PetscInt j = 0; j < Nu; ++j) a[(size_t)k * Npost + hdg->elastic->functions[j]] = X[(size_t)k * Nu + j];
  PetscCall(VecRestoreArray(hdg->u, &a));
  PetscCall(VecGetArrayWrite(hdg->stokes->pressure, &a));
  PetscCall(PetscArraycpy(a, p, (size_t)Ne * Np));
  PetscCall(VecRestoreArrayWrite(hdg->stokes->pressure, &a));
  PetscCall(VecGetArrayWrite(hdg->stokes->mean, &a));
  for (PetscInt e = 0; e < Ne; ++e) a[e] = p[(size_t)e * Np];
  PetscCall(VecRestoreArrayWrite(hdg->stokes->mean, &a));
  PetscCall(VecCopy(hdg->delta, hdg->trace));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* (phi_0, p) of all elements, which PlexHDGStokesCenter_Private() reads */
static PetscErrorCode PlexHDGNavierIntegrate(PlexHDG hdg, const PetscScalar p[])
{
  PlexHDGMesh      mesh = hdg->mesh;
  PlexHDGReference R    = hdg->reference;
  PetscReal       *shape, *dshape;

  PetscFunctionBegin;
  PetscCall(PlexHDGTabulate_Private(mesh, R->Nq, R->points, &shape, &dshape));
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    PetscReal sum = 0.;

    for (PetscInt q = 0; q < R->Nq; ++q) {
      PetscReal x[3], J[3][3], C[3][3], value = 0.;

      PlexHDGMeshMap_Private(mesh, e, &R->points[q * R->dim], &shape[q * mesh->Nv], &dshape[q * mesh->Nv * R->dim], x,
                             J);
      for (PetscInt i = 0; i < R->Np; ++i) value += R->phi[q * R->Np + i] * PetscRealPart(p[(size_t)e * R->Np + i]);
      sum += R->weights[q] * PlexCofactors(R->dim, J, C) * R->phi[q * R->Np] * value;
    }
    hdg->stokes->args.integral[e] = sum;
  }
  PetscCall(PetscFree2(shape, dshape));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGNavierResidual_Private(PlexHDG hdg, Vec X, Vec Xdot, Vec F)
{
  const PetscScalar  *x, *xt = NULL;
  PetscScalar        *f = NULL, *q = NULL;
  PlexHDGNavierFields fields = {NULL};
  PlexHDGArgs         args;

  PetscFunctionBegin;
  PetscCall(PlexHDGNavierSetUp_Private(hdg));
  if (!hdg->stokes->B) PetscCall(PlexHDGAssemble(hdg, NULL));
  PetscCall(VecGetArrayRead(X, &x));
  if (Xdot) PetscCall(VecGetArrayRead(Xdot, &xt));
  if (F) PetscCall(VecGetArrayWrite(F, &f));
  else PetscCall(VecGetArrayWrite(hdg->q, &q));
  args       = hdg->args;
  fields.u   = x;
  fields.ut  = xt;
  fields.p   = x + PlexHDGNavierPlaceP(hdg);
  fields.r   = f;
  fields.rp  = F ? f + PlexHDGNavierPlaceP(hdg) : NULL;
  args.q     = q;
  args.begin = 0;
  args.end   = (int)hdg->mesh->Ne;
  PetscCall(PlexHDGNavierGetTrace(hdg, x, &args));
  PetscCall(PlexHDGNavierResidual_Host(hdg, &args, &fields));
  PetscCall(PlexHDGRestoreTrace_Private(hdg));
  if (F) {
    PetscCall(PlexHDGNavierSetDivergence(hdg, fields.rp));
    PetscCall(PlexHDGNavierGather(hdg, x + PlexHDGNavierPlaceTrace(hdg), f + PlexHDGNavierPlaceTrace(hdg)));
    PetscCall(VecRestoreArrayWrite(F, &f));
  } else {
    PetscCall(VecRestoreArrayWrite(hdg->q, &q));
    PetscCall(PlexHDGNavierWrite(hdg, x));
    if (hdg->stokes->closed) {
      PetscCall(PlexHDGNavierIntegrate(hdg, x + PlexHDGNavierPlaceP(hdg)));
      PetscCall(PlexHDGStokesCenter_Private(hdg));
    }
  }
  if (Xdot) PetscCall(VecRestoreArrayRead(Xdot, &xt));
  PetscCall(VecRestoreArrayRead(X, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGNavierFluxes_Private(PlexHDG hdg)
{
  const PetscInt      dim = hdg->reference->dim, Nu = hdg->elastic->Nu, Npost = hdg->reference->Npost;
  PlexHDGNavierFields fields = {NULL};
  PlexHDGArgs         args   = hdg->args;
  const PetscScalar  *u, *p;
  PetscReal          *own;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1((size_t)hdg->mesh->Ne * dim * Nu, &own));
  PetscCall(VecGetArrayRead(hdg->u, &u));
  for (PetscInt k = 0; k < hdg->mesh->Ne * dim; ++k)
    for (PetscInt j = 0; j < Nu; ++j) own[(size_t)k * Nu + j] = u[(size_t)k * Npost + hdg->elastic->functions[j]];
  PetscCall(VecRestoreArrayRead(hdg->u, &u));
  PetscCall(VecGetArrayRead(hdg->stokes->pressure, &p));
  fields.u   = own;
  fields.p   = p;
  args.begin = 0;
  args.end   = (int)hdg->mesh->Ne;
  PetscCall(PlexHDGGetTrace_Private(hdg, hdg->trace, &args));
  PetscCall(PlexHDGNavierResidual_Host(hdg, &args, &fields));
  PetscCall(PlexHDGRestoreTrace_Private(hdg));
  PetscCall(VecRestoreArrayRead(hdg->stokes->pressure, &p));
  PetscCall(PetscFree(own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGNavierJacobian_Private(PlexHDG hdg, PetscInt iteration, Vec X, PetscReal shift)
{
  PlexHDGNavier      s;
  PlexHDGArgs        args;
  const PetscScalar *x;

  PetscFunctionBegin;
  PetscCall(PlexHDGNavierSetUp_Private(hdg));
  s = hdg->navier;
  PetscCheck(shift != 0. || hdg->transport != PLEX_HDG_TRANSPORT_EXPLICIT, PetscObjectComm((PetscObject)hdg),
             PETSC_ERR_ARG_WRONGSTATE,
             "-plex_hdg_transport explicit is for steps in time (PlexHDGSetTS()): a steady flow needs "
             "-plex_hdg_transport "
             "implicit, or none for Stokes's equations");
  PetscCheck(shift != 0. || !hdg->elastic->nfree, PetscObjectComm((PetscObject)hdg), PETSC_ERR_ARG_WRONGSTATE,
             "No condition holds the velocity, and a steady flow is then not determined: give the velocity "
             "(PLEX_HDG_DIRICHLET) or PLEX_HDG_ROBIN on a part of the boundary with PlexHDGAddBoundary(), or steps in "
             "time with PlexHDGSetTS()");
  if (hdg->transport == PLEX_HDG_TRANSPORT_IMPLICIT) {
    PetscCall(VecGetArrayRead(X, &x));
    args = hdg->args;
    PetscCall(PlexHDGNavierGetTrace(hdg, x, &args));
    PetscCall(PlexHDGNavierSpread_Private(hdg, &args, s->trace));
    PetscCall(PlexHDGRestoreTrace_Private(hdg));
    PetscCall(PetscArraycpy(s->u, x, PlexHDGNavierPlaceP(hdg)));
    PetscCall(VecRestoreArrayRead(X, &x));
  } else if (s->ready && hdg->assembled && PetscAbsReal(hdg->args.shift - shift) <= 1e-12 * shift) {
    PetscFunctionReturn(PETSC_SUCCESS); /* as it was, but for how the time is rounded */
  }
  s->about        = (PetscBool)(hdg->transport == PLEX_HDG_TRANSPORT_IMPLICIT);
  s->ready        = (PetscBool)!s->about;
  s->newton       = (PetscBool)(iteration >= hdg->picard);
  hdg->args.shift = shift;
  PetscCall(PlexHDGAssemble(hdg, NULL));
  PetscCall(PlexHDGSetOperators_Private(hdg));
  PetscCall(PlexHDGNavierSetOperators_Private(hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z = J^-1 r */
PetscErrorCode PlexHDGNavierApply_Private(PlexHDG hdg, PC pc, Vec r, Vec z)
{
  PlexHDGNavier      s    = hdg->navier;
  PlexHDGArgs        args = hdg->args;
  const PetscInt     Np   = hdg->reference->Np;
  const PetscScalar *a, *t, *rp;
  PetscScalar       *x, *g, *p;
  double            *natural = hdg->natural;
  KSP                ksp;
  KSPConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(VecGetArrayRead(r, &a));
  rp = a + PlexHDGNavierPlaceP(hdg);
  PetscCall(PlexHDGNavierLocal_Host(hdg, &args, a, rp, NULL, NULL));
  hdg->natural = (double *)a + PlexHDGNavierPlaceTrace(hdg);
  PetscCall(PlexHDGGather_Private(hdg, hdg->rest));
  hdg->natural = natural;
  PetscCall(VecGetArrayWrite(s->g, &g));
  for (PetscInt e = 0; e < hdg->mesh->Ne; ++e) g[e] = rp[(size_t)e * Np];
  PetscCall(VecRestoreArrayWrite(s->g, &g));
  PetscCall(PetscLogEventBegin(PLEX_HDGSolve, hdg, 0, 0, 0));
  PetscCall(PlexHDGStokesSolve_Private(hdg, ksp, hdg->rest, s->g, hdg->delta, s->scaled));
  PetscCall(PetscLogEventEnd(PLEX_HDGSolve, hdg, 0, 0, 0));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  if (reason < 0) PetscCall(PCSetFailedReason(pc, PC_SUBPC_ERROR));
  PetscCall(VecGetArrayWrite(z, &x));
  p          = x + PlexHDGNavierPlaceP(hdg);
  args.fixed = NULL;
  PetscCall(PlexHDGGetTrace_Private(hdg, hdg->delta, &args));
  PetscCall(PlexHDGNavierLocal_Host(hdg, &args, a, rp, x, p));
  PetscCall(PlexHDGRestoreTrace_Private(hdg));
  PetscCall(VecGetArrayRead(s->scaled, &t));
  for (PetscInt e = 0; e < hdg->mesh->Ne; ++e) p[(size_t)e * Np] = t[e];
  PetscCall(VecRestoreArrayRead(s->scaled, &t));
  PetscCall(VecGetArrayRead(hdg->delta, &t));
  PetscCall(PetscArraycpy(x + PlexHDGNavierPlaceTrace(hdg), t, hdg->mesh->nown * PlexHDGBlockSize(hdg)));
  PetscCall(VecRestoreArrayRead(hdg->delta, &t));
  PetscCall(VecRestoreArrayWrite(z, &x));
  PetscCall(VecRestoreArrayRead(r, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Coefficients c[dim][n] of dim functions with values[points][dim], by their moments with phi[points][n] */
static PetscErrorCode PlexHDGNavierFit(PetscInt points, PetscInt n, PetscInt dim, const PetscReal phi[],
                                       const PetscReal w[], const PetscScalar values[], PetscReal G[],
                                       PetscReal moments[], PetscScalar c[])
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) {
    PlexHDGReferenceMoments(points, w, n, phi, n, phi, G);
    for (PetscInt i = 0; i < n; ++i) {
      moments[i] = 0.;
      for (PetscInt q = 0; q < points; ++q) moments[i] += w[q] * phi[q * n + i] * PetscRealPart(values[q * dim + d]);
    }
    PetscCall(PlexHDGSolveSmall_Private(n, G, moments));
    for (PetscInt i = 0; i < n; ++i) c[d * n + i] = moments[i];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGNavierProject_Private(PlexHDG hdg, PlexHDGFn *func, void *ctx, Vec X)
{
  PlexHDGMesh      mesh;
  PlexHDGReference R;
  PetscScalar     *a, *values;
  PetscReal       *shape[2], *dshape[2], *w, *G, *moments;
  PetscInt         dim, Nv, Nu, Nf, most;

  PetscFunctionBegin;
  PetscCall(PlexHDGNavierSetUp_Private(hdg));
  mesh = hdg->mesh;
  R    = hdg->reference;
  dim  = R->dim;
  Nv   = mesh->Nv;
  Nu   = hdg->elastic->Nu;
  Nf   = R->Nf;
  most = R->Nq + R->faces * R->Nqf;
  PetscCall(PetscMalloc4(most * dim, &values, most, &w, Nu * Nu, &G, Nu, &moments));
  PetscCall(PlexHDGTabulate_Private(mesh, R->Nq, R->points, &shape[0], &dshape[0]));
  PetscCall(PlexHDGTabulate_Private(mesh, R->faces * R->Nqf, R->pointsFace, &shape[1], &dshape[1]));
  PetscCall(VecZeroEntries(X));
  PetscCall(VecGetArray(X, &a));
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    for (PetscInt p = 0; p < most; ++p) {
      const PetscInt on = p >= R->Nq, k = on ? p - R->Nq : p, f = k / R->Nqf;
      PetscReal      x[3] = {0., 0., 0.}, J[3][3], C[3][3], length = 0.;

      PlexHDGMeshMap_Private(mesh, e, on ? &R->pointsFace[k * dim] : &R->points[k * dim], &shape[on][k * Nv],
                             &dshape[on][k * Nv * dim], x, J);
      w[p] = PlexCofactors(dim, J, C);
      for (PetscInt d = 0; on && d < dim; ++d) {
        PetscReal n = 0.;

        for (PetscInt b = 0; b < dim; ++b) n += C[b][d] * R->normal[f][b];
        length += n * n;
      }
      w[p] = on ? PetscSqrtReal(length) * R->weightsFace[k % R->Nqf] : w[p] * R->weights[k];
      for (PetscInt d = 0; d < dim; ++d) values[p * dim + d] = 0.;
      PetscCall((*func)(dim, x, dim, &values[p * dim], ctx));
    }
    PetscCall(PlexHDGNavierFit(R->Nq, Nu, dim, hdg->elastic->U, w, values, G, moments, &a[(size_t)e * dim * Nu]));
    for (PetscInt f = 0; f < R->faces; ++f) {
      const PetscInt l = mesh->face[e * R->faces + f], at = R->Nq + f * R->Nqf;

      if (l < mesh->nown)
        PetscCall(PlexHDGNavierFit(R->Nqf, Nf, dim, &R->psi[mesh->turns[e * R->faces + f] * R->Nqf * Nf], &w[at],
                                   &values[at * dim], G, moments,
                                   &a[PlexHDGNavierPlaceTrace(hdg) + (size_t)l * dim * Nf]));
    }
  }
  PetscCall(VecRestoreArray(X, &a));
  PetscCall(PetscFree2(shape[0], dshape[0]));
  PetscCall(PetscFree2(shape[1], dshape[1]));
  PetscCall(PetscFree4(values, w, G, moments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* p and the trace have no derivative by time, and p is zero at the start: they are left out where steps are chosen */
PetscErrorCode PlexHDGNavierSetTolerances_Private(PlexHDG hdg, TS ts)
{
  PetscReal    absolute;
  PetscScalar *a;
  Vec          tolerance;
  const char  *prefix;

  PetscFunctionBegin;
  PetscCall(TSGetTolerances(ts, &absolute, NULL, NULL, NULL));
  PetscCall(TSGetOptionsPrefix(ts, &prefix));
  PetscCall(PetscOptionsGetReal(NULL, prefix, "-ts_atol", &absolute, NULL)); /* which the vector would hide */
  PetscCall(PlexHDGCreateStateVec(hdg, &tolerance));
  PetscCall(VecGetArrayWrite(tolerance, &a));
  for (size_t k = 0; k < PlexHDGNavierSize(hdg); ++k) a[k] = k < PlexHDGNavierPlaceP(hdg) ? absolute : 1e100;
  PetscCall(VecRestoreArrayWrite(tolerance, &a));
  PetscCall(TSSetTolerances(ts, PETSC_CURRENT, tolerance, PETSC_CURRENT, NULL));
  PetscCall(VecDestroy(&tolerance));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Newton's method has converged where the residual has fallen by the tolerance from that of u = 0, which the data make, as
   a start from an earlier solution has less of it */
static PetscErrorCode PlexHDGNavierSetTolerance(PlexHDG hdg, SNES snes)
{
  PetscReal norm, absolute, relative;
  Vec       zero, r;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(hdg->navier->state, &zero));
  PetscCall(VecDuplicate(zero, &r));
  PetscCall(VecZeroEntries(zero));
  PetscCall(PlexHDGNavierResidual_Private(hdg, zero, NULL, r));
  PetscCall(VecNorm(r, NORM_2, &norm));
  PetscCall(VecDestroy(&zero));
  PetscCall(VecDestroy(&r));
  PetscCall(SNESGetTolerances(snes, &absolute, &relative, NULL, NULL, NULL));
  if (absolute <= hdg->navier->data) absolute = 0.; /* of an earlier solve */
  hdg->navier->data = relative * norm;
  PetscCall(SNESSetTolerances(snes, PetscMax(absolute, relative * norm), PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT,
                              PETSC_CURRENT));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGNavierSolve_Private(PlexHDG hdg)
{
  PlexHDGNavier       s;
  SNES                snes;
  SNESConvergedReason reason;
  PetscInt            steps;

  PetscFunctionBegin;
  PetscCall(PlexHDGNavierSetUp_Private(hdg));
  s = hdg->navier;
  PetscCall(PlexHDGGetSNES(hdg, &snes));
  if (!s->state) {
    PetscCall(PlexHDGCreateStateVec(hdg, &s->state));
    PetscCall(VecZeroEntries(s->state));
    PetscCall(PlexHDGSetSNES(hdg, snes));
    PetscCall(SNESSetFromOptions(snes));
  }
  PetscCall(PlexHDGNavierSetTolerance(hdg, snes));
  PetscCall(SNESSolve(snes, NULL, s->state));
  PetscCall(SNESGetConvergedReason(snes, &reason));
  PetscCall(SNESGetIterationNumber(snes, &steps));
  if (reason < 0) PetscCall(VecZeroEntries(s->state));
  PetscCheck(reason > 0, PetscObjectComm((PetscObject)hdg), PETSC_ERR_NOT_CONVERGED,
             "Newton's method for Navier-Stokes equations does not converge, %s after %" PetscInt_FMT
             " steps: solve with larger viscosities first, as PlexHDGSolve() starts from the last solution; or take "
             "-plex_hdg_picard 5, a finer mesh, or steps in time (PlexHDGSetTS()). "
             "See -plex_hdg_snes_monitor and -plex_hdg_ksp_monitor",
             SNESConvergedReasons[reason], steps);
  PetscCall(PlexHDGSetState(hdg, s->state));
  PetscFunctionReturn(PETSC_SUCCESS);
}
