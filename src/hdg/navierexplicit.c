/*
  Navier-Stokes equations with convection that is explicit in time: Stokes's equations are implicit, with one matrix for all
  steps of one size.

  With v the velocity in H(div) without divergence of the state (solenoidal.c), b = v . n on an element's face, which both
  elements share, b+ = max(b, 0), and u' the neighbour's velocity, du/dt has the part -c,

    (c, w) = ((v . grad u, w) - (v . grad w, u))/2 + <(b+ - b/2) u + (b - b+) u', w>

  for all w of degree P + 1 in an element: upwind DG with a velocity that carries without loss. It is (v . grad u, w) + <(b -
  b+)(u' - u), w>, as div v = 0, in the skew-symmetric form: with w = u the sum over elements is <|b| (u - u'), u - u'>/4 on
  faces between two, so that it makes no energy in space, by whatever quadrature. On the boundary u' is the trace, with what u
  has of degree P + 1. The trace's equations are those of Stokes's equations: in them explicit convection would be one of an
  unknown without derivative by time, unstable whatever the step is where b is more than some tau. C. Lehrenfeld and J.
  Schoeberl, High order exactly divergence-free hybrid discontinuous Galerkin methods for unsteady incompressible flows,
  Comput. Methods Appl. Mech. Engrg. 307 (2016), 339-361, have explicit DG and implicit hybridized DG likewise.

  In time: U. M. Ascher, S. J. Ruuth and R. J. Spiteri, Implicit-explicit Runge-Kutta methods for time-dependent partial
  differential equations, Appl. Numer. Math. 25 (1997), 151-167, their (2,2,2) and (4,4,3). Both have one number on the
  diagonal of all implicit stages, do not need the implicit slope of the first stage, which the trace and p have not, and end
  with their last stage, which has no divergence. TSARKIMEX's own tables do not have all of these.
*/
#include "navier.h" /*I "plexgpuhdg.h" I*/
#include "solenoidal.h"

static PetscBool registered = PETSC_FALSE;

/* PETSc has forgotten the tables, too, and a program may begin again */
static PetscErrorCode PlexHDGNavierForget(void)
{
  PetscFunctionBegin;
  registered = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGNavierRegister(void)
{
  const PetscReal g = 1. - PetscSqrtReal(0.5), d = 1. - 1. / (2. * g);
  const PetscReal At2[3][3] = {
    {0., 0.,     0.},
    {0., g,      0.},
    {0., 1. - g, g }
  };
  const PetscReal A2[3][3] = {
    {0., 0.,     0.},
    {g,  0.,     0.},
    {d,  1. - d, 0.}
  };
  static const PetscReal At3[5][5] = {
    {0., 0.,       0.,       0.,      0. },
    {0., 1. / 2.,  0.,       0.,      0. },
    {0., 1. / 6.,  1. / 2.,  0.,      0. },
    {0., -1. / 2., 1. / 2.,  1. / 2., 0. },
    {0., 3. / 2.,  -3. / 2., 1. / 2., 0.5}
  };
  static const PetscReal A3[5][5] = {
    {0.,        0.,       0.,      0.,       0.},
    {1. / 2.,   0.,       0.,      0.,       0.},
    {11. / 18., 1. / 18., 0.,      0.,       0.},
    {5. / 6.,   -5. / 6., 1. / 2., 0.,       0.},
    {1. / 4.,   7. / 4.,  3. / 4., -7. / 4., 0.}
  };

  PetscFunctionBegin;
  if (registered) PetscFunctionReturn(PETSC_SUCCESS);
  registered = PETSC_TRUE;
  PetscCall(PetscRegisterFinalize(PlexHDGNavierForget));
  PetscCall(TSARKIMEXRegister(PLEXHDGIMEX2, 2, 3, &At2[0][0], NULL, NULL, &A2[0][0], A2[2], NULL, NULL, NULL, 0, NULL,
                              NULL));
  PetscCall(TSARKIMEXRegister(PLEXHDGIMEX3, 3, 5, &At3[0][0], NULL, NULL, &A3[0][0], A3[4], NULL, NULL, NULL, 0, NULL,
                              NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* r[dim][Nu] -= c in element e with u[dim][Nu], v[dim][Nu] and its flux[faces][NF]; field[dim][Nu] is workspace */
static void PlexHDGNavierExplicitElement(PlexHDG hdg, PetscInt e, const PlexHDGSolenoidalElement *el,
                                         const PetscReal u[], const PetscReal v[], const PetscReal flux[],
                                         PetscReal field[], PetscReal r[])
{
  PlexHDGReference  R   = hdg->reference;
  PlexHDGSolenoidal s   = hdg->stokes->solenoidal;
  PlexHDGNavier     nav = hdg->navier;
  const PetscInt    dim = R->dim, Nu = hdg->elastic->Nu, NF = s->NF, Nf = R->Nf;

  for (PetscInt a = 0; a < dim; ++a) {
    for (PetscInt j = 0; j < Nu; ++j) {
      field[a * Nu + j] = 0.;
      for (PetscInt d = 0; d < dim; ++d) field[a * Nu + j] += el->C[a][d] * v[d * Nu + j];
    }
  }
  for (PetscInt q = 0; q < R->Nq; ++q) {
    const PetscReal *U = &hdg->elastic->U[q * Nu], *dU[3];
    PetscReal        at[3], along[3] = {0., 0., 0.}, value[3] = {0., 0., 0.};

    for (PetscInt a = 0; a < dim; ++a) {
      dU[a] = &nav->dU[(a * R->Nq + q) * Nu];
      at[a] = 0.;
      for (PetscInt j = 0; j < Nu; ++j) at[a] += U[j] * field[a * Nu + j];
      at[a] *= 0.5 * R->weights[q];
    }
    for (PetscInt j = 0; j < Nu; ++j) {
      PetscReal slope = 0.;

      for (PetscInt a = 0; a < dim; ++a) slope += at[a] * dU[a][j];
      for (PetscInt d = 0; d < dim; ++d) {
        along[d] += slope * u[d * Nu + j];
        value[d] += U[j] * u[d * Nu + j];
      }
    }
    for (PetscInt j = 0; j < Nu; ++j) {
      PetscReal slope = 0.;

      for (PetscInt a = 0; a < dim; ++a) slope += at[a] * dU[a][j];
      for (PetscInt d = 0; d < dim; ++d) r[d * Nu + j] -= along[d] * U[j] - value[d] * slope;
    }
  }
  for (PetscInt f = 0; f < R->faces; ++f) {
    const size_t     row = (size_t)e * R->faces + f;
    const PetscReal *own = &s->own[row * dim * NF], *other = &s->other[row * dim * NF],
                    *trace = &s->trace[row * dim * Nf];

    for (PetscInt q = 0; q < R->Nqf; ++q) {
      const PetscReal *psi = &s->psi[(hdg->mesh->turns[row] * R->Nqf + q) * NF],
                      *U   = &nav->UFace[(f * R->Nqf + q) * Nu];
      PetscReal b          = 0., up;

      for (PetscInt m = 0; m < NF; ++m) b += psi[m] * flux[f * NF + m];
      b *= R->weightsFace[q];
      up = PetscMax(b, 0.);
      for (PetscInt d = 0; d < dim; ++d) {
        PetscReal inside = 0., outside = 0., c;

        for (PetscInt m = 0; m < NF; ++m) {
          inside += psi[m] * own[d * NF + m];
          outside += psi[m] * (s->outer[row] && m < Nf ? trace[d * Nf + m] : other[d * NF + m]);
        }
        c = (up - 0.5 * b) * inside + (b - up) * outside;
        for (PetscInt j = 0; j < Nu; ++j) r[d * Nu + j] -= c * U[j];
      }
    }
  }
}

/* Tables of velocities without divergence, and room for what elements have on their faces, once */
static PetscErrorCode PlexHDGNavierSetUpExplicit(PlexHDG hdg)
{
  PlexHDGReference       R    = hdg->reference;
  PlexHDGNavierKernels  *k    = &hdg->navier->kernels;
  PlexHDGSolenoidal      s    = hdg->stokes->solenoidal;
  PlexHDGSolenoidalArgs *args = &hdg->navier->args.solenoidal;
  const size_t           Nu = hdg->elastic->Nu, NF = s->NF, turns = R->turns,
                         zeros = sizeof(double) * hdg->mesh->nown * PlexHDGBlockSize(hdg),
                         sides = sizeof(double) * hdg->mesh->Ne * R->faces * R->dim * NF;

  PetscFunctionBegin;
  if (args->psi) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscLogEventBegin(PLEX_Compile, hdg, 0, 0, 0));
  PetscCall(PlexHDGNavierKernelsCreate_Private(hdg, PETSC_TRUE));
  PetscCall(PetscLogEventEnd(PLEX_Compile, hdg, 0, 0, 0));
  PetscCall(PlexHDGUpload(hdg, s->moments, sizeof(double) * R->faces * turns * NF * Nu, (const void **)&args->moments));
  PetscCall(PlexHDGUpload(hdg, s->turn, sizeof(double) * turns * NF * NF, (const void **)&args->turn));
  PetscCall(PlexHDGUpload(hdg, s->divergence, sizeof(double) * R->dim * (R->Np - 1) * Nu,
                          (const void **)&args->divergence));
  PetscCall(PlexHDGUpload(hdg, s->solve, sizeof(double) * s->nc * R->dim * Nu, (const void **)&args->solve));
  PetscCall(PlexHDGAllocate(hdg, sides, (void **)&args->own));
  PetscCall(PlexHDGAllocate(hdg, sides, (void **)&args->other));
  PetscCall(PlexHDGAllocate(hdg, zeros, (void **)&k->zero));
  PetscCall(PlexBackendZero(hdg->backend, k->zero, zeros));
  PetscCall(PlexHDGUpload(hdg, s->psi, sizeof(double) * turns * R->Nqf * NF, (const void **)&args->psi));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Moments of u with all functions of the faces, of the elements and of their neighbours. Block rows have room for those of
   degree P: high ones first, which are never more. Collective */
static PetscErrorCode PlexHDGNavierShareMoments(PlexHDG hdg)
{
  PlexHDGNavierKernels *k       = &hdg->navier->kernels;
  PlexHDGSolenoidal     s       = hdg->stokes->solenoidal;
  const PetscInt        Nf      = hdg->reference->Nf;
  double               *natural = hdg->natural;

  PetscFunctionBegin;
  for (int low = 0; low < 2; ++low) {
    const PetscInt first = low ? 0 : Nf, n = low ? Nf : s->NF - Nf;
    PlexHDGArgs    args = hdg->args;

    PetscCall(PlexHDGNavierShare_Private(hdg, k->moments, &args, first, n));
    hdg->natural = k->zero;
    PetscCall(PlexHDGGather_Private(hdg, s->sums));
    hdg->natural = natural;
    PetscCall(PlexHDGGetTrace_Private(hdg, s->sums, &args));
    PetscCall(PlexHDGNavierShare_Private(hdg, k->others, &args, first, n));
    PetscCall(PlexHDGRestoreTrace_Private(hdg));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGNavierExplicitKernels(PlexHDG hdg, Vec X, Vec G)
{
  PlexHDGNavierArgs args, *own = &hdg->navier->args;
  const size_t      u = PlexHDGNavierPlaceP(hdg);
  PlexHDGArgs       at;

  PetscFunctionBegin;
  PetscCall(PlexHDGNavierSetUpExplicit(hdg));
  PetscCall(PlexBackendVecGet(hdg->backend, X, PLEX_READ, &hdg->arrayX));
  PetscCall(PlexHDGNavierSetTrace_Private(hdg, hdg->arrayX.array));
  own->u = hdg->arrayX.array;
  at     = hdg->args;
  PetscCall(PlexHDGGetTrace_Private(hdg, hdg->delta, &at));
  PetscCall(PlexHDGNavierSpread_Kernels(hdg, &at));
  PetscCall(PlexHDGRestoreTrace_Private(hdg));
  PetscCall(PlexHDGNavierShareMoments(hdg));
  PetscCall(PlexBackendVecGet(hdg->backend, G, PLEX_WRITE, &hdg->arrayF));
  own->r   = hdg->arrayF.array;
  at       = hdg->args;
  at.begin = 0;
  at.end   = (int)hdg->mesh->Ne;
  PlexHDGNavierSetArgs_Private(hdg, &at, &args);
  if (at.end) PetscCall(PlexHDGKernelLaunch_Private(&hdg->navier->kernels.carry, &args.stokes.elastic.hdg, &args));
  PetscCall(PlexBackendZero(hdg->backend, hdg->arrayF.array + u, sizeof(double) * (PlexHDGNavierSize(hdg) - u)));
  PetscCall(PlexBackendVecRestore(hdg->backend, &hdg->arrayF));
  PetscCall(PlexBackendVecRestore(hdg->backend, &hdg->arrayX));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGNavierExplicit_Private(PlexHDG hdg, Vec X, Vec G)
{
  PlexHDGSolenoidal  s;
  const PetscScalar *x;
  PetscScalar       *g, *trace;
  PetscReal         *flux, *v, *field, *work;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(PlexHDGNavierSetUp_Private(hdg));
  PetscCall(PlexHDGSolenoidalSetUp_Private(hdg));
  if (hdg->backend->kernels) {
    PetscCall(PlexHDGNavierExplicitKernels(hdg, X, G));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  s = hdg->stokes->solenoidal;
  n = hdg->reference->dim * hdg->elastic->Nu;
  PetscCall(VecGetArrayRead(X, &x));
  PetscCall(VecGetArrayWrite(hdg->delta, &trace));
  PetscCall(PetscArraycpy(trace, x + PlexHDGNavierPlaceTrace(hdg), hdg->mesh->nown * PlexHDGBlockSize(hdg)));
  PetscCall(VecRestoreArrayWrite(hdg->delta, &trace));
  PetscCall(PlexHDGSolenoidalSetTrace_Private(hdg, hdg->delta));
  PetscCall(PlexHDGSolenoidalShare_Private(hdg, x, PETSC_TRUE));
  PetscCall(VecZeroEntries(G));
  PetscCall(VecGetArray(G, &g));
  PetscCall(PetscMalloc4(hdg->mesh->faces * s->NF, &flux, n, &v, n, &field, s->nc + n, &work));
  for (PetscInt e = 0; e < hdg->mesh->Ne; ++e) {
    PlexHDGSolenoidalElement el;

    PlexHDGSolenoidalElementSet_Private(hdg, e, &el);
    PlexHDGSolenoidalProject_Private(hdg, e, &el, &x[(size_t)e * n], flux, v, work);
    PlexHDGNavierExplicitElement(hdg, e, &el, &x[(size_t)e * n], v, flux, field, &g[(size_t)e * n]);
    for (PetscInt i = 0; i < n; ++i) g[(size_t)e * n + i] /= el.det; /* the mass of orthonormal functions */
  }
  PetscCall(PetscFree4(flux, v, field, work));
  PetscCall(VecRestoreArray(G, &g));
  PetscCall(VecRestoreArrayRead(X, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexHDGNavierRHSFunction(TS ts, PetscReal t, Vec X, Vec G, void *ctx)
{
  PlexHDG       hdg = (PlexHDG)ctx;
  TSARKIMEXType name;
  TSType        type;
  PetscBool     is, known[2] = {PETSC_FALSE, PETSC_FALSE};

  PetscFunctionBegin;
  PetscCall(TSGetType(ts, &type));
  PetscCall(PetscStrcmp(type, TSARKIMEX, &is));
  PetscCheck(is, PetscObjectComm((PetscObject)ts), PETSC_ERR_SUP,
             "-ts_type %s: with -plex_hdg_transport explicit the stepper is arkimex; others take -plex_hdg_transport "
             "implicit",
             type);
  PetscCall(TSARKIMEXGetFullyImplicit(ts, &is));
  PetscCheck(!is && hdg->transport == PLEX_HDG_TRANSPORT_EXPLICIT, PetscObjectComm((PetscObject)ts),
             PETSC_ERR_ARG_INCOMP,
             "This TS has convection that is explicit: leave -ts_arkimex_fully_implicit out, and after another "
             "PlexHDGSetTransport() give PlexHDGSetTS() a new TS");
  PetscCall(TSARKIMEXGetType(ts, &name));
  PetscCall(PetscStrcmp(name, PLEXHDGIMEX2, &known[0]));
  PetscCall(PetscStrcmp(name, PLEXHDGIMEX3, &known[1]));
  PetscCheck(known[0] || known[1], PetscObjectComm((PetscObject)ts), PETSC_ERR_SUP,
             "-ts_arkimex_type %s: a trace and a pressure have no slope for its first stage, or its end has a "
             "divergence: "
             "take -ts_arkimex_type " PLEXHDGIMEX2 " or " PLEXHDGIMEX3,
             name);
  PetscCall(PlexHDGSetTime_Private(hdg, t));
  PetscCall(PlexHDGNavierExplicit_Private(hdg, X, G));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHDGNavierSetTS_Private(PlexHDG hdg, TS ts)
{
  TSAdapt adapt;
  SNES    snes;

  PetscFunctionBegin;
  PetscCall(TSSetEquationType(ts, TS_EQ_DAE_IMPLICIT_INDEX2));
  if (hdg->transport == PLEX_HDG_TRANSPORT_IMPLICIT) {
    PetscCall(PlexHDGNavierSetTolerances_Private(hdg, ts));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(TSGetSNES(ts, &snes));
  PetscCall(SNESSetType(snes, SNESKSPONLY));
  if (hdg->transport == PLEX_HDG_TRANSPORT_NONE) {
    PetscCall(PlexHDGNavierSetTolerances_Private(hdg, ts));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCheck(hdg->density > 0., PetscObjectComm((PetscObject)hdg), PETSC_ERR_ARG_WRONGSTATE,
             "-plex_hdg_transport explicit needs a density that is not zero: see PlexHDGSetDensity(), or take "
             "-plex_hdg_transport none");
  PetscCall(PlexHDGSolenoidalSetUp_Private(hdg)); /* an error where there are other elements */
  PetscCall(PlexHDGNavierRegister());
  PetscCall(TSSetEquationType(ts, TS_EQ_UNSPECIFIED)); /* a first stage is not solved for: no stage has its slope */
  PetscCall(TSSetType(ts, TSARKIMEX));
  PetscCall(TSARKIMEXSetType(ts, PLEXHDGIMEX2));
  PetscCall(TSGetAdapt(ts, &adapt));
  PetscCall(TSAdaptSetType(adapt, TSADAPTNONE));
  PetscCall(TSSetRHSFunction(ts, NULL, PlexHDGNavierRHSFunction, hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}
