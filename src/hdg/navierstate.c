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

PetscErrorCode PlexHDGNavierSetTrace_Private(PlexHDG hdg, const PetscScalar X[])
{
  PetscFunctionBegin;
  PetscCall(PlexBackendVecGet(hdg->backend, hdg->delta, PLEX_WRITE, &hdg->arrayTrace));
  PetscCall(PlexBackendCopy(hdg->backend, hdg->arrayTrace.array, X + PlexHDGNavierPlaceTrace(hdg),
                            sizeof(*X) * hdg->mesh->nown * PlexHDGBlockSize(hdg)));
  PetscCall(PlexBackendVecRestore(hdg->backend, &hdg->arrayTrace));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What flows out of all elements, B t - g of `delta`, in s->g: the residual of p's function 0 */
static PetscErrorCode PlexHDGNavierSetDivergence(PlexHDG hdg)
{
  PlexHDGNavier s = hdg->navier;

  PetscFunctionBegin;
  PetscCall(PlexHDGStokesComputeRHS_Private(hdg));
  PetscCall(MatMult(hdg->stokes->B, hdg->delta, s->g));
  PetscCall(VecAXPY(s->g, -1., hdg->stokes->rhs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* args.constant of an elements' vector */
static PetscErrorCode PlexHDGNavierGetConstant(PlexHDG hdg, Vec v, PlexAccess access)
{
  PlexHDGNavier s = hdg->navier;

  PetscFunctionBegin;
  PetscCall(PlexBackendVecGet(hdg->backend, v, access, &s->arrayConstant));
  s->args.constant = s->arrayConstant.array;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGNavierRestoreConstant(PlexHDG hdg)
{
  PetscFunctionBegin;
  hdg->navier->args.constant = NULL;
  PetscCall(PlexBackendVecRestore(hdg->backend, &hdg->navier->arrayConstant));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The trace's residual, of args.b; trace and r in the backend's memory */
static PetscErrorCode PlexHDGNavierGather(PlexHDG hdg, const PetscScalar trace[], PetscScalar r[])
{
  PetscFunctionBegin;
  PetscCall(PlexHDGExchangeFluxes_Private(hdg));
  if (hdg->mesh->nown) PetscUseTypeMethod(hdg, flow, hdg->args.b, trace, r);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Residuals of u and p, in the backend's memory, and of `delta`, as navier->args and args say besides */
static PetscErrorCode PlexHDGNavierCompute(PlexHDG hdg, PlexHDGArgs *args, const PetscScalar u[],
                                           const PetscScalar ut[], const PetscScalar p[], PetscScalar r[])
{
  PlexHDGNavierArgs *x = &hdg->navier->args;

  PetscFunctionBegin;
  x->u           = u;
  x->ut          = ut;
  x->p           = p;
  x->r           = r;
  x->rp          = r ? r + PlexHDGNavierPlaceP(hdg) : NULL;
  x->transported = hdg->transport == PLEX_HDG_TRANSPORT_IMPLICIT;
  args->begin    = 0;
  args->end      = (int)hdg->mesh->Ne;
  PetscCall(PetscLogEventBegin(PLEX_Residual, hdg, 0, 0, 0));
  if (args->end) PetscUseTypeMethod(hdg, residual, args);
  PetscCall(PetscLogEventEnd(PLEX_Residual, hdg, 0, 0, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The solution's vectors of a state X in the backend's memory */
static PetscErrorCode PlexHDGNavierWrite(PlexHDG hdg, const PetscScalar X[])
{
  PlexHDGStokes s    = hdg->stokes;
  PlexHDGArgs   args = hdg->args;

  PetscFunctionBegin;
  PetscCall(VecCopy(hdg->delta, hdg->trace));
  PetscCall(PlexBackendVecGet(hdg->backend, hdg->u, PLEX_WRITE, &hdg->arrayU));
  PetscCall(PlexBackendVecGet(hdg->backend, hdg->q, PLEX_WRITE, &hdg->arrayQ));
  PetscCall(PlexBackendVecGet(hdg->backend, s->pressure, PLEX_WRITE, &s->arrayPressure));
  PetscCall(PlexHDGGetTrace_Private(hdg, hdg->delta, &args));
  args.u    = hdg->arrayU.array;
  args.q    = hdg->arrayQ.array;
  s->args.p = s->arrayPressure.array;
  PetscCall(PlexHDGNavierCompute(hdg, &args, X, NULL, X + PlexHDGNavierPlaceP(hdg), NULL));
  s->args.p = NULL;
  PetscCall(PlexHDGRestoreTrace_Private(hdg));
  PetscCall(PlexBackendVecRestore(hdg->backend, &s->arrayPressure));
  PetscCall(PlexBackendVecRestore(hdg->backend, &hdg->arrayQ));
  PetscCall(PlexBackendVecRestore(hdg->backend, &hdg->arrayU));
  PetscCall(VecStrideGather(s->pressure, 0, s->mean, INSERT_VALUES));
  if (s->closed) PetscCall(PlexHDGStokesCenter_Private(hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGNavierResidual_Private(PlexHDG hdg, Vec X, Vec Xdot, Vec F)
{
  const PetscScalar *x;
  PetscScalar       *f;
  PlexHDGArgs        args;

  PetscFunctionBegin;
  PetscCall(PlexHDGNavierSetUp_Private(hdg));
  if (!hdg->stokes->B) PetscCall(PlexHDGAssemble(hdg, NULL));
  PetscCall(PlexBackendVecGet(hdg->backend, X, PLEX_READ, &hdg->arrayX));
  x = hdg->arrayX.array;
  PetscCall(PlexHDGNavierSetTrace_Private(hdg, x));
  if (F) {
    if (Xdot) PetscCall(PlexBackendVecGet(hdg->backend, Xdot, PLEX_READ, &hdg->arrayXdot));
    PetscCall(PlexBackendVecGet(hdg->backend, F, PLEX_WRITE, &hdg->arrayF));
    f    = hdg->arrayF.array;
    args = hdg->args;
    PetscCall(PlexHDGNavierSetDivergence(hdg));
    PetscCall(PlexHDGNavierGetConstant(hdg, hdg->navier->g, PLEX_READ));
    PetscCall(PlexHDGGetTrace_Private(hdg, hdg->delta, &args));
    PetscCall(PlexHDGNavierCompute(hdg, &args, x, Xdot ? hdg->arrayXdot.array : NULL, x + PlexHDGNavierPlaceP(hdg), f));
    PetscCall(PlexHDGRestoreTrace_Private(hdg));
    PetscCall(PlexHDGNavierRestoreConstant(hdg));
    PetscCall(PlexHDGNavierGather(hdg, x + PlexHDGNavierPlaceTrace(hdg), f + PlexHDGNavierPlaceTrace(hdg)));
    PetscCall(PlexBackendVecRestore(hdg->backend, &hdg->arrayF));
    if (Xdot) PetscCall(PlexBackendVecRestore(hdg->backend, &hdg->arrayXdot));
  } else PetscCall(PlexHDGNavierWrite(hdg, x));
  PetscCall(PlexBackendVecRestore(hdg->backend, &hdg->arrayX));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGNavierFluxes_Private(PlexHDG hdg)
{
  const PetscInt     Nu = hdg->elastic->Nu, Npost = hdg->reference->Npost;
  const size_t       n    = (size_t)hdg->mesh->Ne * hdg->reference->dim;
  PlexHDGArgs        args = hdg->args;
  const PetscScalar *u;
  PetscScalar       *own;
  double            *copy;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n * Nu, &own));
  PetscCall(VecGetArrayRead(hdg->u, &u));
  for (size_t k = 0; k < n; ++k)
    for (PetscInt j = 0; j < Nu; ++j) own[k * Nu + j] = u[k * Npost + hdg->elastic->functions[j]];
  PetscCall(VecRestoreArrayRead(hdg->u, &u));
  PetscCall(PlexBackendUpload(hdg->backend, own, sizeof(double) * n * Nu, (void **)&copy));
  PetscCall(PetscFree(own));
  PetscCall(PlexBackendVecGet(hdg->backend, hdg->stokes->pressure, PLEX_READ, &hdg->stokes->arrayPressure));
  PetscCall(PlexHDGGetTrace_Private(hdg, hdg->trace, &args));
  PetscCall(PlexHDGNavierCompute(hdg, &args, copy, NULL, hdg->stokes->arrayPressure.array, NULL));
  PetscCall(PlexHDGRestoreTrace_Private(hdg));
  PetscCall(PlexBackendVecRestore(hdg->backend, &hdg->stokes->arrayPressure));
  PetscCall(PlexBackendFree(hdg->backend, (void **)&copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* K of what the Jacobian was last asked for, in the solvers */
static PetscErrorCode PlexHDGNavierAssemble(PlexHDG hdg)
{
  PlexHDGNavier s = hdg->navier;

  PetscFunctionBegin;
  PetscCheck(hdg->transport != PLEX_HDG_TRANSPORT_IMPLICIT || s->asked, PetscObjectComm((PetscObject)hdg),
             PETSC_ERR_ARG_WRONGSTATE,
             "All has been set up again since the Jacobian was asked for: leave out -snes_lag_jacobian");
  s->ready = (PetscBool)(hdg->transport != PLEX_HDG_TRANSPORT_IMPLICIT);
  if (s->ready) s->args.linearized = 0;
  PetscCall(PlexHDGAssemble(hdg, NULL));
  PetscCall(PlexHDGSetOperators_Private(hdg));
  PetscCall(PlexHDGNavierSetOperators_Private(hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGNavierJacobian_Private(PlexHDG hdg, PetscInt iteration, Vec X, PetscReal shift)
{
  PlexHDGNavier s;
  PlexHDGArgs   args;
  size_t        bytes;

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
    args  = hdg->args;
    bytes = sizeof(double) * PlexHDGNavierPlaceP(hdg);
    if (!s->args.carrier) PetscCall(PlexHDGAllocate(hdg, bytes, (void **)&s->args.carrier));
    PetscCall(PlexBackendVecGet(hdg->backend, X, PLEX_READ, &hdg->arrayX));
    PetscCall(PlexHDGNavierSetTrace_Private(hdg, hdg->arrayX.array));
    PetscCall(PlexBackendCopy(hdg->backend, s->args.carrier, hdg->arrayX.array, bytes));
    PetscCall(PlexBackendVecRestore(hdg->backend, &hdg->arrayX));
    PetscCall(PlexHDGGetTrace_Private(hdg, hdg->delta, &args));
    PetscUseTypeMethod(hdg, spread, &args);
    PetscCall(PlexHDGRestoreTrace_Private(hdg));
  } else if (s->ready && hdg->assembled && PetscAbsReal(hdg->args.shift - shift) <= 1e-12 * shift) {
    PetscFunctionReturn(PETSC_SUCCESS); /* as it was, but for how the time is rounded */
  }
  s->asked           = PETSC_TRUE;
  s->args.linearized = iteration >= hdg->picard ? 2 : 1;
  hdg->args.shift    = shift;
  PetscCall(PlexHDGNavierAssemble(hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Local problems of the right-hand side of hdg->arrayX: b alone, or with a trace u and p of hdg->arrayF. `constant` has
   function 0 of p */
static PetscErrorCode PlexHDGNavierLocal(PlexHDG hdg, PlexHDGArgs *args, PetscBool b, Vec constant)
{
  PlexHDGNavierArgs *x = &hdg->navier->args;

  PetscFunctionBegin;
  PetscCall(PlexHDGNavierGetConstant(hdg, constant, b ? PLEX_WRITE : PLEX_READ));
  x->f        = hdg->arrayX.array;
  x->fp       = x->f + PlexHDGNavierPlaceP(hdg);
  x->du       = b ? NULL : hdg->arrayF.array;
  x->dp       = b ? NULL : x->du + PlexHDGNavierPlaceP(hdg);
  args->begin = 0;
  args->end   = (int)hdg->mesh->Ne;
  if (args->end) PetscUseTypeMethod(hdg, local, args);
  PetscCall(PlexHDGNavierRestoreConstant(hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* z = J^-1 r */
PetscErrorCode PlexHDGNavierApply_Private(PlexHDG hdg, PC pc, Vec r, Vec z)
{
  PlexHDGNavier      s;
  PlexHDGArgs        args;
  double            *natural;
  KSP                ksp;
  KSPConvergedReason reason;

  PetscFunctionBegin;
  PetscCall(PlexHDGNavierSetUp_Private(hdg));
  s = hdg->navier;
  if (!hdg->assembled) PetscCall(PlexHDGNavierAssemble(hdg)); /* a Jacobian that lags, and other coefficients since */
  args    = hdg->args;
  natural = hdg->natural;
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(PlexBackendVecGet(hdg->backend, r, PLEX_READ, &hdg->arrayX));
  PetscCall(PetscLogEventBegin(PLEX_HDGRHS, hdg, 0, 0, 0));
  PetscCall(PlexHDGNavierLocal(hdg, &args, PETSC_TRUE, s->g));
  hdg->natural = hdg->arrayX.array + PlexHDGNavierPlaceTrace(hdg);
  PetscCall(PlexHDGGather_Private(hdg, hdg->rest));
  hdg->natural = natural;
  PetscCall(PetscLogEventEnd(PLEX_HDGRHS, hdg, 0, 0, 0));
  PetscCall(PetscLogEventBegin(PLEX_HDGSolve, hdg, 0, 0, 0));
  PetscCall(PlexHDGStokesSolve_Private(hdg, ksp, hdg->rest, s->g, hdg->delta, s->scaled));
  PetscCall(PetscLogEventEnd(PLEX_HDGSolve, hdg, 0, 0, 0));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  if (reason < 0) PetscCall(PCSetFailedReason(pc, PC_SUBPC_ERROR));
  PetscCall(PetscLogEventBegin(PLEX_HDGRecover, hdg, 0, 0, 0));
  PetscCall(PlexBackendVecGet(hdg->backend, z, PLEX_WRITE, &hdg->arrayF));
  args.fixed = NULL;
  PetscCall(PlexHDGGetTrace_Private(hdg, hdg->delta, &args));
  PetscCall(PlexHDGNavierLocal(hdg, &args, PETSC_FALSE, s->scaled));
  PetscCall(PlexBackendCopy(hdg->backend, hdg->arrayF.array + PlexHDGNavierPlaceTrace(hdg), args.owned,
                            sizeof(double) * hdg->mesh->nown * PlexHDGBlockSize(hdg)));
  PetscCall(PlexHDGRestoreTrace_Private(hdg));
  PetscCall(PlexBackendVecRestore(hdg->backend, &hdg->arrayF));
  PetscCall(PlexBackendVecRestore(hdg->backend, &hdg->arrayX));
  PetscCall(PetscLogEventEnd(PLEX_HDGRecover, hdg, 0, 0, 0));
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
