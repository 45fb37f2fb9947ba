static char help[] =
  "Incompressible flow by hybridized DG: velocities in H(div) without divergence, of order P + 2; convection that is explicit in\n\
time, of order 2 and 3, with one matrix and energy that does not grow; steps in time of Stokes's equations; several processes\n\
as one; messages.\n\n";

#include "hdgflow.h"
#include "hdgproblem.h"
#include "report.h"
#include <petscts.h>

typedef enum {
  WAVES,  /* sines, with a source */
  SHAKEN, /* a box that is shaken along x, and the fluid with it */
  VORTEX  /* of Taylor and Green, which decays in time, without one where there is convection */
} Kind;

typedef struct {
  PlexTestFlow  flow; /* by AtPoint() */
  Kind          kind;
  PetscReal     rho, mu, t;
  PlexHDGSystem system;
  PetscBool     slip; /* sides of a box are walls that a fluid slips along, else velocities are known there */
} Problem;

static void AtPoint(const PlexTestFlow *flow, PetscInt dim, const PetscReal x[], PetscReal u[3], PetscReal g[3][3],
                    PetscReal *pressure, PetscReal *mu)
{
  const Problem *p = (const Problem *)flow;

  *mu = p->mu;
  for (PetscInt d = 0; d < 3; ++d)
    for (PetscInt k = 0; k < 3; ++k) g[d][k] = 0.;
  if (p->kind == WAVES) {
    *pressure = PetscSinReal(2. * x[0]) + x[1] * x[1];
    for (PetscInt d = 0; d < dim; ++d) {
      const PetscInt e = (d + 1) % dim;

      u[d]    = PetscSinReal(2. * x[e] + 0.3 + d);
      g[d][e] = 2. * PetscCosReal(2. * x[e] + 0.3 + d);
    }
  } else if (p->kind == SHAKEN) {
    u[0] = PetscSinReal(p->t);
    u[1] = u[2] = 0.;
    *pressure   = p->rho * PetscCosReal(p->t) * (0.5 - x[0]);
  } else {
    const PetscReal decay = PetscExpReal(-2. * p->mu / p->rho * PetscSqr(PETSC_PI) * p->t),
                    s0 = PetscSinReal(PETSC_PI * x[0]), c0 = PetscCosReal(PETSC_PI * x[0]),
                    s1 = PetscSinReal(PETSC_PI * x[1]), c1 = PetscCosReal(PETSC_PI * x[1]);

    u[0]      = s0 * c1 * decay;
    u[1]      = -c0 * s1 * decay;
    g[0][0]   = PETSC_PI * c0 * c1 * decay;
    g[0][1]   = -PETSC_PI * s0 * s1 * decay;
    g[1][0]   = -g[0][1];
    g[1][1]   = -g[0][0];
    *pressure = 0.25 * p->rho * (PetscCosReal(2. * PETSC_PI * x[0]) + PetscCosReal(2. * PETSC_PI * x[1])) * decay *
                decay;
  }
}

/* Of waves rho u . grad u - mu Laplacian(u) + grad p, the first for Navier-Stokes equations alone */
static PetscErrorCode Force(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar f[], void *ctx)
{
  const Problem *p = (Problem *)ctx;
  PetscReal      u[3], g[3][3], value, mu;

  PetscFunctionBegin;
  AtPoint(&p->flow, dim, x, u, g, &value, &mu);
  for (PetscInt d = 0; d < n; ++d) {
    f[d] = 4. * mu * u[d] + (d ? d == 1 ? 2. * x[1] : 0. : 2. * PetscCosReal(2. * x[0]));
    for (PetscInt e = 0; p->system == PLEX_HDG_NAVIER_STOKES && e < dim; ++e) f[d] += p->rho * u[e] * g[d][e];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* y = 1 as 4 of "sides" */
static PetscErrorCode LabelTop(DM dm)
{
  IS              is;
  const PetscInt *facets;
  PetscInt        n;

  PetscFunctionBegin;
  PetscCall(DMGetStratumIS(dm, "outer", 1, &is));
  if (!is) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ISGetLocalSize(is, &n));
  PetscCall(ISGetIndices(is, &facets));
  for (PetscInt k = 0; k < n; ++k) {
    PetscReal x[3], normal[3], volume;

    PetscCall(DMPlexComputeCellGeometryFVM(dm, facets[k], &volume, x, normal));
    if (x[1] > 1. - 1e-8) PetscCall(DMSetLabelValue(dm, "sides", facets[k], 4));
  }
  PetscCall(ISRestoreIndices(is, &facets));
  PetscCall(ISDestroy(&is));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(DM dm, PetscInt P, Problem *p, PlexHDG *hdg)
{
  const PetscInt axis[2] = {0, 1};

  PetscFunctionBegin;
  PetscCall(PlexHDGCreate(dm, hdg));
  PetscCall(PlexHDGSetSystem(*hdg, p->system));
  PetscCall(PlexHDGSetDegree(*hdg, P));
  PetscCall(PlexHDGSetDensity(*hdg, p->rho));
  PetscCall(PlexHDGSetViscosity(*hdg, p->mu));
  if (p->kind == WAVES) PetscCall(PlexHDGSetSource(*hdg, Force, p));
  PetscCall(PlexHDGAddBoundary(*hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, PlexTestFlowKnown, p));
  if (p->slip) {
    PetscCall(PlexTestLabelUnitSides(dm)); /* without y = 1 */
    PetscCall(LabelTop(dm));
    for (PetscInt side = 1; side < 5; ++side)
      PetscCall(PlexHDGAddBoundaryComponents(*hdg, "sides", side, 1, &axis[side < 3 ? 0 : 1], NULL, NULL));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char    *name;
  DMPolytopeType cell;
  PlexHDGSystem  system;
  PetscInt       P, n; /* degree, cells a side of the coarser mesh */
  PetscReal      below;
} Rate;

static const Rate rates[] = {
  {"Stokes, triangles",         DM_POLYTOPE_TRIANGLE,    PLEX_HDG_STOKES,        1, 4, 0.3},
  {"Navier-Stokes, triangles",  DM_POLYTOPE_TRIANGLE,    PLEX_HDG_NAVIER_STOKES, 2, 3, 0.3},
  {"Stokes, triangles",         DM_POLYTOPE_TRIANGLE,    PLEX_HDG_STOKES,        3, 2, 0.3},
  {"Navier-Stokes, tetrahedra", DM_POLYTOPE_TETRAHEDRON, PLEX_HDG_NAVIER_STOKES, 1, 2, 0.6},
  {"Stokes, tetrahedra",        DM_POLYTOPE_TETRAHEDRON, PLEX_HDG_STOKES,        2, 1, 0.6}
};

static PetscErrorCode TestRate(const Rate *r)
{
  Problem p = {
    .flow = {AtPoint, PETSC_FALSE},
      .kind = WAVES, .rho = 1., .mu = 0.3, .system = r->system
  };
  PetscReal error[2], u = 0., divergence[2], jump[2], rate, errors[3];
  char      of[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, degree %" PetscInt_FMT, r->name, r->P));
  for (int k = 0; k < 2; ++k) {
    PlexHDG hdg;
    Vec     solution, velocity;
    DM      dm;

    PetscCall(PlexTestHDGBox(PETSC_COMM_SELF, r->cell, r->n << k, &dm));
    PetscCall(Create(dm, r->P, &p, &hdg));
    PetscCall(PlexHDGSetFromOptions(hdg));
    PetscCall(PlexHDGSolve(hdg));
    PetscCall(PlexTestFlowErrors(hdg, &p.flow, errors));
    u = errors[0];
    PetscCall(PlexHDGGetSolution(hdg, NULL, &solution, NULL, NULL));
    PetscCall(PlexHDGComputeDivergence(hdg, solution, &divergence[0], &jump[0]));
    PetscCall(PlexHDGGetSolenoidalVelocity(hdg, &velocity));
    PetscCall(PlexHDGComputeDivergence(hdg, velocity, &divergence[1], &jump[1]));
    PetscCall(VecCopy(velocity, solution)); /* whose errors are asked for */
    PetscCall(PlexTestFlowErrors(hdg, &p.flow, errors));
    error[k] = errors[0];
    PetscCall(PlexHDGDestroy(&hdg));
    PetscCall(DMDestroy(&dm));
  }
  rate = PetscLog2Real(error[0] / error[1]);
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "%s: errors %.3g, %.3g, rate %.2f, of u %.3g; divergence %.2g, of u %.2g; jump %.2g, of u "
                        "%.2g\n",
                        of, (double)error[0], (double)error[1], (double)rate, (double)u, (double)divergence[1],
                        (double)divergence[0], (double)jump[1], (double)jump[0]));
  PetscCall(PlexTestReportOf((PetscBool)(divergence[1] < 1e-12 && jump[1] < 1e-13), of,
                             "neither divergence nor jumps of the normal component", "%g, %g", (double)divergence[1],
                             (double)jump[1]));
  PetscCall(PlexTestReportOf((PetscBool)(divergence[0] > 1e-7 && jump[0] > 1e-7), of, "u has both", "%g, %g",
                             (double)divergence[0], (double)jump[0]));
  PetscCall(PlexTestReportOf((PetscBool)(rate > r->P + 2. - r->below && error[1] < 1.5 * u), of,
                             "of order P + 2, with errors as u has", "errors %g, %g, rate %g, of u %g",
                             (double)error[0], (double)error[1], (double)rate, (double)u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A flow until a time in n steps, on triangles or tetrahedra: errors of u, its gradient and p, energy before and after, and what the
   velocity without divergence has of it */
typedef struct {
  Problem          p;
  PlexHDGTransport transport;
  const char      *type; /* of TSARKIMEX, or of TS */
  PetscInt         P, cells, n;
  PetscReal        end;
  PetscBool        iterative, solid;
  PetscReal        error[3], stage, energy[2], divergence, jump; /* stage: error of p as the last stage left it */
} Vortex;

static PetscErrorCode CreateTS(MPI_Comm comm, PlexHDG hdg, Vortex *v, TS *ts)
{
  TSAdapt adapt;

  PetscFunctionBegin;
  PetscCall(PlexHDGSetTransport(hdg, v->transport));
  PetscCall(PlexHDGSetTimeVariable(hdg, &v->p.t));
  PetscCall(TSCreate(comm, ts));
  PetscCall(TSSetType(*ts, TSBDF));
  PetscCall(PlexHDGSetTS(hdg, *ts));
  if (v->type) PetscCall(TSARKIMEXSetType(*ts, v->type));
  PetscCall(TSGetAdapt(*ts, &adapt));
  PetscCall(TSAdaptSetType(adapt, TSADAPTNONE));
  PetscCall(TSSetTimeStep(*ts, v->end / v->n));
  PetscCall(TSSetMaxTime(*ts, v->end));
  PetscCall(TSSetMaxSteps(*ts, v->n));
  PetscCall(TSSetExactFinalTime(*ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSetFromOptions(*ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Zero(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < n; ++d) u[d] = 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Energy(PlexHDG hdg, PetscReal *energy)
{
  PetscReal error[3];

  PetscFunctionBegin;
  PetscCall(PlexHDGComputeL2Error(hdg, Zero, NULL, NULL, error));
  *energy = PetscSqr(error[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SolveVortex(Vortex *v)
{
  PlexHDG hdg;
  TS      ts;
  Vec     X, u;
  DM      dm;

  PetscFunctionBegin;
  v->p.t = 0.;
  PetscCall(PlexTestHDGBox(PETSC_COMM_SELF, v->solid ? DM_POLYTOPE_TETRAHEDRON : DM_POLYTOPE_TRIANGLE, v->cells, &dm));
  PetscCall(Create(dm, v->P, &v->p, &hdg));
  if (v->iterative) PetscCall(PetscOptionsSetValue(NULL, "-plex_hdg_velocity_pc_type", "mg"));
  PetscCall(PlexHDGSetFromOptions(hdg));
  PetscCall(CreateTS(PETSC_COMM_SELF, hdg, v, &ts));
  PetscCall(PlexHDGCreateStateVec(hdg, &X));
  PetscCall(PlexHDGProjectState(hdg, PlexTestFlowVelocity, &v->p, X));
  PetscCall(PlexHDGSetState(hdg, X));
  PetscCall(Energy(hdg, &v->energy[0]));
  PetscCall(TSSolve(ts, X));
  PetscCall(PetscOptionsClearValue(NULL, "-plex_hdg_velocity_pc_type"));
  PetscCall(TSGetTime(ts, &v->p.t));
  PetscCall(PlexHDGSetState(hdg, X));
  PetscCall(PlexTestFlowErrors(hdg, &v->p.flow, v->error));
  v->stage = v->error[2];
  PetscCall(Energy(hdg, &v->energy[1]));
  PetscCall(PlexHDGComputeStatePressure(hdg, X));
  PetscCall(PlexHDGSetState(hdg, X));
  PetscCall(PlexTestFlowErrors(hdg, &v->p.flow, v->error));
  PetscCall(PlexHDGGetSolenoidalVelocity(hdg, &u));
  PetscCall(PlexHDGComputeDivergence(hdg, u, &v->divergence, &v->jump));
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "convection %s, %s, degree %" PetscInt_FMT ", %" PetscInt_FMT
                        " steps: errors of u %.3g, of p %.3g, "
                        "before %.3g, energy %.6g, %.6g\n",
                        PlexHDGTransports[v->transport], v->type ? v->type : "bdf", v->P, v->n, (double)v->error[0],
                        (double)v->error[2], (double)v->stage, (double)v->energy[0], (double)v->energy[1]));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&X));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The state of K when a step ends: where it stays as it is, K is not assembled again */
typedef struct {
  PlexHDG          hdg;
  PetscObjectState first, last;
} Matrix;

static PetscErrorCode Watch(TS ts, PetscInt step, PetscReal t, Vec X, void *ctx)
{
  Matrix *m = (Matrix *)ctx;

  PetscFunctionBegin;
  (void)ts;
  (void)t;
  (void)X;
  if (m->hdg->A) PetscCall(PetscObjectStateGet((PetscObject)m->hdg->A, &m->last));
  if (step == 1) m->first = m->last;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestTime(void)
{
  Vortex v = {
    .p         = {.flow   = {AtPoint, PETSC_FALSE},
                  .kind   = VORTEX,
                  .rho    = 1.5,
                  .mu     = 0.3,
                  .system = PLEX_HDG_NAVIER_STOKES,
                  .slip   = PETSC_TRUE},
    .transport = PLEX_HDG_TRANSPORT_EXPLICIT,
    .P         = 4,
    .cells     = 3,
    .end       = 0.4
  };
  PetscReal u[2], p[2], stage[2];

  PetscFunctionBegin;
  for (int order = 2; order < 4; ++order) {
    const char *of = order == 2 ? PLEXHDGIMEX2 : PLEXHDGIMEX3;

    v.type = of;
    for (int k = 0; k < 2; ++k) {
      v.n = (order == 2 ? 4 : 2) << k;
      PetscCall(SolveVortex(&v));
      u[k]     = v.error[0];
      p[k]     = v.error[2];
      stage[k] = v.stage;
    }
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "%s: rates of u %.2f, of p %.2f, before %.2f\n", of,
                          (double)PetscLog2Real(u[0] / u[1]), (double)PetscLog2Real(p[0] / p[1]),
                          (double)PetscLog2Real(stage[0] / stage[1])));
    PetscCall(PlexTestReportOf((PetscBool)(PetscLog2Real(u[0] / u[1]) > order - 0.3), of, "u of its order",
                               "errors %g, %g", (double)u[0], (double)u[1]));
    PetscCall(PlexTestReportOf((PetscBool)(p[1] < 0.05 * stage[1]), of, "a pressure of the velocity's order",
                               "errors %g, %g, before %g, %g", (double)p[0], (double)p[1], (double)stage[0],
                               (double)stage[1]));
    PetscCall(PlexTestReportOf((PetscBool)(v.divergence < 1e-12 && v.jump < 1e-13), of,
                               "a velocity in H(div) without divergence", "%g, %g", (double)v.divergence,
                               (double)v.jump));
  }
  v.iterative = PETSC_TRUE;
  PetscCall(SolveVortex(&v));
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(v.error[0] / u[1] - 1.) < 1e-5), "two levels",
                             "as the direct solver", "%g, %g", (double)v.error[0], (double)u[1]));
  v.iterative = PETSC_FALSE;
  v.type      = PLEXHDGIMEX2;
  v.p.mu      = 1.5e-4; /* Reynolds number 10,000 */
  v.P         = 2;
  v.n         = 60;
  v.end       = 2.;
  PetscCall(SolveVortex(&v));
  PetscCall(PlexTestReportOf((PetscBool)(v.energy[1] < v.energy[0] && v.energy[1] > 0.9 * v.energy[0]),
                             "Reynolds number 10,000", "energy decays slowly", "%g, %g", (double)v.energy[0],
                             (double)v.energy[1]));
  v.transport = PLEX_HDG_TRANSPORT_NONE;
  v.type      = NULL;
  v.p.mu      = 0.06;
  v.P         = 3;
  v.end       = 0.4;
  for (int k = 0; k < 2; ++k) {
    v.n = 4 << k;
    PetscCall(SolveVortex(&v));
    u[k] = v.error[0];
  }
  PetscCall(PlexTestReportOf((PetscBool)(PetscLog2Real(u[0] / u[1]) > 1.8), "Stokes's equations in time",
                             "u falls as the square of BDF's steps", "errors %g, %g", (double)u[0], (double)u[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a boundary gains in speed belongs to the pressure of a state */
static PetscErrorCode TestShaken(void)
{
  Vortex v = {
    .p = {.flow = {AtPoint, PETSC_FALSE}, .kind = SHAKEN, .rho = 1.5, .mu = 0.1, .system = PLEX_HDG_NAVIER_STOKES},
    .transport = PLEX_HDG_TRANSPORT_EXPLICIT,
    .type      = PLEXHDGIMEX2,
    .P         = 1,
    .cells     = 2,
    .n         = 4,
    .end       = 0.5
  };

  PetscFunctionBegin;
  PetscCall(SolveVortex(&v));
  PetscCall(PlexTestReportOf((PetscBool)(v.error[0] < 1e-3 && v.error[2] < 1e-3), "a box that is shaken",
                             "velocity and pressure of a state", "errors %g and %g", (double)v.error[0],
                             (double)v.error[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A steady flow through tetrahedra, by explicit steps from its values: errors are those of the steady solution */
static PetscErrorCode TestSolid(void)
{
  Vortex v = {
    .p = {.flow = {AtPoint, PETSC_FALSE}, .kind = WAVES, .rho = 1., .mu = 0.1, .system = PLEX_HDG_NAVIER_STOKES},
    .transport = PLEX_HDG_TRANSPORT_EXPLICIT,
    .type      = PLEXHDGIMEX2,
    .P         = 1,
    .cells     = 2,
    .n         = 10,
    .end       = 0.5,
    .solid     = PETSC_TRUE
  };
  PetscReal error[3];
  PlexHDG   hdg;
  DM        dm;

  PetscFunctionBegin;
  PetscCall(SolveVortex(&v));
  PetscCall(PlexTestHDGBox(PETSC_COMM_SELF, DM_POLYTOPE_TETRAHEDRON, v.cells, &dm));
  PetscCall(Create(dm, v.P, &v.p, &hdg));
  PetscCall(PlexHDGSetFromOptions(hdg));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexTestFlowErrors(hdg, &v.p.flow, error));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexTestReportOf((PetscBool)(v.error[0] < 1.3 * error[0] && v.error[2] < 1.5 * error[2]), "tetrahedra",
                             "errors of a steady flow", "of u %g, implicit %g, of p %g, implicit %g",
                             (double)v.error[0], (double)error[0], (double)v.error[2], (double)error[2]));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "tetrahedra: errors of u %.3g, steady %.3g, of p %.3g, steady %.3g\n",
                        (double)v.error[0], (double)error[0], (double)v.error[2], (double)error[2]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Steps, and the last of them again from where they stood, by other objects; one matrix */
static PetscErrorCode TestRestart(void)
{
  Vortex v = {
    .p = {.flow = {AtPoint, PETSC_FALSE}, .kind = VORTEX, .rho = 1.5, .mu = 0.01, .system = PLEX_HDG_NAVIER_STOKES},
    .transport = PLEX_HDG_TRANSPORT_EXPLICIT,
    .P         = 1,
    .n         = 4,
    .end       = 0.5
  };
  Vec       X[2];
  Matrix    matrix = {NULL, 0, 0};
  PetscBool same;

  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k) {
    PlexHDG hdg;
    TS      ts;
    DM      dm;

    v.p.t = 0.;
    PetscCall(PlexTestHDGBox(PETSC_COMM_SELF, DM_POLYTOPE_TRIANGLE, 3, &dm));
    PetscCall(Create(dm, v.P, &v.p, &hdg));
    PetscCall(PlexHDGSetFromOptions(hdg));
    PetscCall(CreateTS(PETSC_COMM_SELF, hdg, &v, &ts));
    matrix.hdg = hdg;
    PetscCall(TSMonitorSet(ts, Watch, &matrix, NULL));
    if (!k) {
      PetscCall(PlexHDGCreateStateVec(hdg, &X[0]));
      PetscCall(PlexHDGProjectState(hdg, PlexTestFlowVelocity, &v.p, X[0]));
      PetscCall(TSSetMaxSteps(ts, 2));
      PetscCall(TSSolve(ts, X[0]));
      PetscCall(VecDuplicate(X[0], &X[1]));
      PetscCall(VecCopy(X[0], X[1]));
    } else {
      PetscCall(TSSetTime(ts, 0.25));
      PetscCall(TSSetStepNumber(ts, 2));
    }
    PetscCall(TSSetMaxSteps(ts, 4));
    PetscCall(TSSolve(ts, X[k]));
    if (!k)
      PetscCall(PlexTestReportOf((PetscBool)(matrix.first == matrix.last), "explicit convection",
                                 "one matrix for all steps", "%g changes", (double)(matrix.last - matrix.first)));
    PetscCall(TSDestroy(&ts));
    PetscCall(PlexHDGDestroy(&hdg));
    PetscCall(DMDestroy(&dm));
  }
  PetscCall(VecEqual(X[0], X[1], &same));
  PetscCall(PlexTestReportOf(same, "explicit convection", "a restart has the same bits", "others"));
  PetscCall(VecDestroy(&X[0]));
  PetscCall(VecDestroy(&X[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A steady flow of Reynolds number 500, for which the iterative solver is another one than for small ones: as the direct one */
static PetscErrorCode TestSteady(void)
{
  Problem p = {
    .flow = {AtPoint, PETSC_FALSE},
      .kind = WAVES, .rho = 1., .mu = 0.002, .system = PLEX_HDG_NAVIER_STOKES
  };
  PetscReal error[2][3];
  PetscInt  iterations[2];

  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k) {
    PlexHDG hdg;
    KSP     ksp;
    DM      dm;

    PetscCall(PlexTestHDGBox(PETSC_COMM_SELF, DM_POLYTOPE_TRIANGLE, 4, &dm));
    PetscCall(Create(dm, 1, &p, &hdg));
    if (k) PetscCall(PetscOptionsSetValue(NULL, "-plex_hdg_velocity_pc_type", "mg"));
    PetscCall(PlexHDGSetFromOptions(hdg));
    PetscCall(PlexHDGSolve(hdg));
    PetscCall(PetscOptionsClearValue(NULL, "-plex_hdg_velocity_pc_type"));
    PetscCall(PlexTestFlowErrors(hdg, &p.flow, error[k]));
    PetscCall(PlexHDGGetKSP(hdg, &ksp));
    PetscCall(KSPGetIterationNumber(ksp, &iterations[k]));
    PetscCall(PlexHDGDestroy(&hdg));
    PetscCall(DMDestroy(&dm));
  }
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "Reynolds number 500: %" PetscInt_FMT " iterations, direct %" PetscInt_FMT "\n", iterations[1],
                        iterations[0]));
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(error[1][0] / error[0][0] - 1.) < 1e-5 &&
                                         PetscAbsReal(error[1][2] / error[0][2] - 1.) < 1e-5 && iterations[1] < 150),
                             "Reynolds number 500", "two levels as the direct solver",
                             "errors of u %g, %g, of p %g, %g, %" PetscInt_FMT " iterations", (double)error[0][0],
                             (double)error[1][0], (double)error[0][2], (double)error[1][2], iterations[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All processes, and each one alone: norms of u, of p and of the velocity without divergence */
static PetscErrorCode TestParallel(const char name[], DMPolytopeType cell, PetscInt P, PlexHDGTransport transport)
{
  Vortex v = {
    .p = {.flow = {AtPoint, PETSC_FALSE}, .kind = WAVES, .rho = 1.5, .mu = 0.1, .system = PLEX_HDG_NAVIER_STOKES},
    .transport = transport,
    .n         = 3,
    .end       = 0.15
  };
  PetscReal norm[2][3], divergence[2], jump[2];

  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k) {
    PlexHDG hdg;
    KSP     ksp;
    TS      ts;
    Vec     X, u, p;
    DM      dm;

    v.p.t = 0.;
    PetscCall(PlexTestMesh(k ? PETSC_COMM_SELF : PETSC_COMM_WORLD, cell, 0, &dm));
    if (!k) PetscCall(PlexTestDistribute(&dm, 0, PETSC_FALSE));
    PetscCall(Create(dm, P, &v.p, &hdg));
    PetscCall(PlexHDGGetKSP(hdg, &ksp));
    PetscCall(KSPSetTolerances(ksp, 1e-14, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
    PetscCall(CreateTS(k ? PETSC_COMM_SELF : PETSC_COMM_WORLD, hdg, &v, &ts));
    PetscCall(PlexHDGCreateStateVec(hdg, &X));
    PetscCall(PlexHDGProjectState(hdg, PlexTestFlowVelocity, &v.p, X));
    PetscCall(TSSolve(ts, X));
    PetscCall(PlexHDGSetState(hdg, X));
    PetscCall(PlexHDGGetSolution(hdg, NULL, &u, NULL, NULL));
    PetscCall(PlexHDGGetPressure(hdg, &p));
    PetscCall(VecNorm(u, NORM_2, &norm[k][0]));
    PetscCall(VecNorm(p, NORM_2, &norm[k][1]));
    PetscCall(PlexHDGGetSolenoidalVelocity(hdg, &u));
    PetscCall(VecNorm(u, NORM_2, &norm[k][2]));
    PetscCall(PlexHDGComputeDivergence(hdg, u, &divergence[k], &jump[k]));
    PetscCall(TSDestroy(&ts));
    PetscCall(VecDestroy(&X));
    PetscCall(PlexHDGDestroy(&hdg));
    PetscCall(DMDestroy(&dm));
  }
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(norm[0][0] / norm[1][0] - 1.) < 1e-12 &&
                                         PetscAbsReal(norm[0][1] / norm[1][1] - 1.) < 1e-10 &&
                                         PetscAbsReal(norm[0][2] / norm[1][2] - 1.) < 1e-12 &&
                                         PetscAbsReal(divergence[0] - divergence[1]) < 1e-11 && jump[0] < 1e-12),
                             name, "as one process",
                             "norms of u, p and the other velocity differ by %g, %g, %g; divergence "
                             "%g, jump %g",
                             (double)(norm[0][0] / norm[1][0] - 1.), (double)(norm[0][1] / norm[1][1] - 1.),
                             (double)(norm[0][2] / norm[1][2] - 1.), (double)divergence[0], (double)jump[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef enum {
  WRONG_CELLS,
  WRONG_STEADY,
  WRONG_STEPPER,
  WRONG_TABLE,
  WRONG_DENSITY,
  WRONG_SYSTEM,
  WRONG_ORDER,
  WRONG_STATE,
  WRONG_STOKES
} Wrong;

static PetscErrorCode UseWrong(void *ctx)
{
  const Wrong wrong = *(Wrong *)ctx;
  Vortex      v     = {
    .p         = {.flow   = {AtPoint, PETSC_FALSE},
                  .kind   = WAVES,
                  .rho    = wrong == WRONG_DENSITY ? 0. : 1.,
                  .mu     = 0.1,
                  .system = PLEX_HDG_NAVIER_STOKES},
    .transport = PLEX_HDG_TRANSPORT_EXPLICIT,
    .type      = wrong == WRONG_TABLE ? TSARKIMEXARS443 : NULL,
    .n         = 1,
    .end       = 0.1
  };
  PlexHDG hdg;
  TS      ts;
  Vec     u, X;
  DM      dm;

  PetscFunctionBegin;
  PetscCall(PlexTestHDGBox(PETSC_COMM_SELF, wrong == WRONG_CELLS ? DM_POLYTOPE_QUADRILATERAL : DM_POLYTOPE_TRIANGLE, 2,
                           &dm));
  if (wrong == WRONG_SYSTEM) v.p.system = PLEX_HDG_ELASTICITY;
  if (wrong == WRONG_STOKES) v.p.system = PLEX_HDG_STOKES;
  PetscCall(Create(dm, 1, &v.p, &hdg));
  PetscCall(PlexTestHDGOption(hdg, "-plex_hdg_transport", "explicit"));
  if (wrong == WRONG_SYSTEM || wrong == WRONG_ORDER) PetscCall(PlexHDGGetSolenoidalVelocity(hdg, &u));
  if (wrong == WRONG_STEADY) PetscCall(PlexHDGSolve(hdg));
  PetscCall(CreateTS(PETSC_COMM_SELF, hdg, &v, &ts));
  if (wrong == WRONG_STEPPER) PetscCall(TSSetType(ts, TSBDF));
  PetscCall(PlexHDGCreateStateVec(hdg, &X));
  PetscCall(VecZeroEntries(X));
  if (wrong == WRONG_STATE) PetscCall(PlexHDGComputeStatePressure(hdg, X));
  PetscCall(TSSolve(ts, X));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestMessages(void)
{
  Wrong wrong[WRONG_STOKES + 1];

  PetscFunctionBegin;
  for (int k = 0; k <= WRONG_STOKES; ++k) wrong[k] = (Wrong)k;
  EXPECT("quadrilaterals", UseWrong, &wrong[WRONG_CELLS], "are for triangles and tetrahedra",
         "-plex_hdg_transport implicit");
  EXPECT("a steady flow", UseWrong, &wrong[WRONG_STEADY], "is for steps in time", "implicit, or none");
  EXPECT("another stepper", UseWrong, &wrong[WRONG_STEPPER], "-ts_type bdf", "arkimex");
  EXPECT("another table", UseWrong, &wrong[WRONG_TABLE], "-ts_arkimex_type ars443", PLEXHDGIMEX3);
  EXPECT("no density", UseWrong, &wrong[WRONG_DENSITY], "needs a density", "-plex_hdg_transport none");
  EXPECT("another system", UseWrong, &wrong[WRONG_SYSTEM], "PlexHDGGetSolenoidalVelocity() is for the systems stokes");
  EXPECT("a velocity before a solution", UseWrong, &wrong[WRONG_ORDER], "There is no solution yet");
  EXPECT("Stokes's equations in time", UseWrong, &wrong[WRONG_STOKES], "-plex_hdg_transport none");
  EXPECT("a pressure before steps", UseWrong, &wrong[WRONG_STATE], "after steps in time");
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscMPIInt size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  if (size > 1) {
    PetscCall(TestParallel("triangles, explicit convection", DM_POLYTOPE_TRIANGLE, 2, PLEX_HDG_TRANSPORT_EXPLICIT));
    PetscCall(TestParallel("tetrahedra, Stokes's equations", DM_POLYTOPE_TETRAHEDRON, 1, PLEX_HDG_TRANSPORT_NONE));
  } else {
    PetscCall(TestMessages());
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(rates); ++k) PetscCall(TestRate(&rates[k]));
    PetscCall(TestTime());
    PetscCall(TestShaken());
    PetscCall(TestSolid());
    PetscCall(TestRestart());
    PetscCall(TestSteady());
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
