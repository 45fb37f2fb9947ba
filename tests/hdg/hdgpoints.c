static char
  help[] = "Hybridized DG: coefficients, velocities, kappa(u) and boundary values as pointwise functions of PETSc, by "
           "kernels and called on the host, are those of functions of the program; what a step copies; messages.\n\n";

#include "hdgproblem.h"
#include "report.h"
#include "hdgpoints.h"
#include <math.h>

#define FILES "tests/common/hdgpoints.h"

/* Which functions there are besides source and boundary values */
#define COEFFICIENTS 1
#define KAPPA        2
#define KAPPA_U      4 /* that depends on u */
#define VELOCITY     8
#define CONSERVATIVE 16

typedef struct {
  const char    *name;
  DMPolytopeType cell;
  PetscInt       P;
  int            what;
  PetscBool      fewBent, bent;
} Case;

static const Case cases[] = {
  {"triangles, few bent, kappa and lambda, velocity", DM_POLYTOPE_TRIANGLE,      2, COEFFICIENTS | VELOCITY, PETSC_TRUE,
   PETSC_FALSE                                                                                                                       },
  {"tetrahedra, kappa and lambda",                    DM_POLYTOPE_TETRAHEDRON,   1, COEFFICIENTS,            PETSC_FALSE, PETSC_FALSE},
  {"bent quadrilaterals, kappa at points, velocity",  DM_POLYTOPE_QUADRILATERAL, 1,
   COEFFICIENTS | KAPPA | VELOCITY | CONSERVATIVE,                                                           PETSC_FALSE, PETSC_TRUE },
  {"hexahedra, velocity alone",                       DM_POLYTOPE_HEXAHEDRON,    1, VELOCITY,                PETSC_FALSE, PETSC_FALSE}
};

/* What the functions read: of the program's own, by their context */
typedef struct {
  PetscReal   t;
  PetscScalar c[3];
} Numbers;

#define ARGUMENTS(dim, x) dim, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, ((Numbers *)ctx)->t, x

static PetscErrorCode Source(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar f[], void *ctx)
{
  PetscFunctionBegin;
  hdg_point_source(ARGUMENTS(dim, x), 3, ((Numbers *)ctx)->c, f);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Coefficients(PetscInt dim, const PetscReal x[], PetscInt cell, PetscReal kappa[],
                                   PetscReal *lambda, void *ctx)
{
  PetscScalar f[10];

  PetscFunctionBegin;
  hdg_point_coefficients(ARGUMENTS(dim, x), 3, ((Numbers *)ctx)->c, f);
  for (PetscInt k = 0; k < dim * dim; ++k) kappa[k] = PetscRealPart(f[k]);
  *lambda = PetscRealPart(f[dim * dim]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Kappa(PetscInt dim, const PetscReal x[], PetscReal u, PetscReal kappa[], PetscReal slope[],
                            void *ctx)
{
  PetscFunctionBegin;
  hdg_point_kappa(ARGUMENTS(dim, x), 3, ((Numbers *)ctx)->c, kappa);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode KappaOfU(PetscInt dim, const PetscReal x[], PetscReal u, PetscReal kappa[], PetscReal slope[],
                               void *ctx)
{
  const Numbers *p = (Numbers *)ctx;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < dim * dim; ++k) {
    kappa[k] = (k % (dim + 1) ? 0.2 : 1.) * (p->c[0] + p->c[2] * p->t + p->c[1] * u * u);
    slope[k] = (k % (dim + 1) ? 0.2 : 1.) * 2. * p->c[1] * u;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Velocity(PetscInt dim, const PetscReal x[], PetscReal velocity[], void *ctx)
{
  PetscFunctionBegin;
  beta(ARGUMENTS(dim, x), 3, ((Numbers *)ctx)->c, velocity);
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define BOUNDARY(name, point) \
  static PetscErrorCode name(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar g[], \
                             void *ctx) \
  { \
    PetscFunctionBegin; \
    point(ARGUMENTS(dim, x), normal, 3, ((Numbers *)ctx)->c, g); \
    PetscFunctionReturn(PETSC_SUCCESS); \
  }
BOUNDARY(Known, hdg_point_known)
BOUNDARY(Flux, hdg_point_flux)
BOUNDARY(Robin, hdg_point_robin)

/* Functions of a case; points: as pointwise functions */
static PetscErrorCode SetFunctions(PlexHDG hdg, int what, PetscBool points, Numbers *p)
{
  const PlexHDGConvection form = what & CONSERVATIVE ? PLEX_HDG_CONSERVATIVE : PLEX_HDG_ADVECTIVE;

  PetscFunctionBegin;
  if (points) {
    PetscCall(PlexHDGSetSourcePoint(hdg, hdg_point_source, 3, p->c));
    if (what & COEFFICIENTS) PetscCall(PlexHDGSetCoefficientsPoint(hdg, hdg_point_coefficients, 3, p->c));
    if (what & KAPPA) PetscCall(PlexHDGSetKappaPoint(hdg, hdg_point_kappa, NULL, 3, p->c));
    if (what & KAPPA_U) PetscCall(PlexHDGSetKappaPoint(hdg, hdg_point_kappa_u, hdg_point_slope, 3, p->c));
    if (what & VELOCITY) PetscCall(PlexHDGSetConvectionPoint(hdg, form, beta, 3, p->c));
    PetscCall(PlexHDGAddBoundaryPoint(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, hdg_point_known, 3, p->c));
    PetscCall(PlexHDGAddBoundaryPoint(hdg, "kinds", 1, PLEX_HDG_NEUMANN, hdg_point_flux, 3, p->c));
    PetscCall(PlexHDGAddBoundaryPoint(hdg, "kinds", 2, PLEX_HDG_ROBIN, hdg_point_robin, 3, p->c));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PlexHDGSetSource(hdg, Source, p));
  if (what & COEFFICIENTS) PetscCall(PlexHDGSetCoefficients(hdg, Coefficients, p));
  if (what & KAPPA) PetscCall(PlexHDGSetPointwise(hdg, Kappa, PETSC_FALSE, p));
  if (what & KAPPA_U) PetscCall(PlexHDGSetPointwise(hdg, KappaOfU, PETSC_TRUE, p));
  if (what & VELOCITY) PetscCall(PlexHDGSetConvection(hdg, form, Velocity, p));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, Known, p));
  PetscCall(PlexHDGAddBoundary(hdg, "kinds", 1, PLEX_HDG_NEUMANN, Flux, p));
  PetscCall(PlexHDGAddBoundary(hdg, "kinds", 2, PLEX_HDG_ROBIN, Robin, p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Make(MPI_Comm comm, const Case *c, const char backend[], PetscBool points, Numbers *p,
                           PlexHDG *hdg)
{
  PetscMPIInt size;
  DM          dm;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PlexTestMesh(comm, c->cell, 0, &dm));
  PetscCall(PlexTestLabelKinds(dm));
  if (size > 1) PetscCall(PlexTestDistribute(&dm, 0, PETSC_FALSE));
  if (c->bent) PetscCall(PlexTestBend(dm));
  if (c->fewBent) PetscCall(PlexTestBendOne(dm));
  PetscCall(PlexHDGCreate(dm, hdg));
  PetscCall(PlexHDGSetBackend(*hdg, backend));
  PetscCall(PlexHDGSetDegree(*hdg, c->P));
  PetscCall(PlexHDGSetDiffusion(*hdg, 0.1, 0.3));
  PetscCall(PlexHDGSetTimeVariable(*hdg, &p->t));
  PetscCall(SetFunctions(*hdg, c->what, points, p));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* *worst: the largest difference of n numbers of two discretizations over the largest of the second, if it is larger */
static PetscErrorCode Compare(PlexHDG a, PlexHDG b, const double *x, const double *y, PetscInt n, PetscReal *worst)
{
  PetscReal *v, *w, size = 0., difference = 0.;

  PetscFunctionBegin;
  if (!x != !y) *worst = 1.;
  if (!n || !x || !y) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscMalloc2(n, &v, n, &w));
  PetscCall(PlexBackendCopyOut(a->backend, v, x, sizeof(*v) * n));
  PetscCall(PlexBackendCopyOut(b->backend, w, y, sizeof(*w) * n));
  for (PetscInt k = 0; k < n; ++k) {
    difference = PetscMax(difference, PetscAbsReal(v[k] - w[k]));
    size       = PetscMax(size, PetscAbsReal(w[k]));
  }
  *worst = PetscMax(*worst, size > 0. ? difference / size : 1.);
  PetscCall(PetscFree2(v, w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of all that functions give */
static PetscErrorCode CompareAll(PlexHDG a, PlexHDG b, PetscReal *worst)
{
  PlexHDGMesh      mesh;
  PlexHDGReference R;
  PetscInt         dim, nrobin = 0;

  PetscFunctionBegin;
  PetscCall(PlexHDGSetUp(a));
  PetscCall(PlexHDGSetUp(b));
  mesh   = a->mesh;
  R      = a->reference;
  dim    = mesh->dim;
  *worst = 0.;
  for (PetscInt k = 0; k < mesh->nboundary; ++k) nrobin += a->conditions[mesh->condition[k]].kind == PLEX_HDG_ROBIN;
  PetscCall(Compare(a, b, a->args.f, b->args.f, mesh->Ne * R->Np, worst));
  PetscCall(Compare(a, b, a->args.kappa, b->args.kappa, mesh->Ne * dim * dim, worst));
  PetscCall(Compare(a, b, a->args.reaction, b->args.reaction, mesh->Ne, worst));
  PetscCall(Compare(a, b, a->args.tau, b->args.tau, mesh->Ne * mesh->faces, worst));
  PetscCall(Compare(a, b, a->args.kappaq, b->args.kappaq, mesh->Ne * R->Nq * dim * dim, worst));
  PetscCall(Compare(a, b, a->args.kinv, b->args.kinv, mesh->Ne * R->Nq * dim * dim, worst));
  PetscCall(Compare(a, b, a->args.flow, b->args.flow, mesh->Ne * R->Nq * dim, worst));
  PetscCall(Compare(a, b, a->args.flowFace, b->args.flowFace, mesh->Ne * mesh->faces * R->Nqf * 4, worst));
  PetscCall(Compare(a, b, a->args.fixed, b->args.fixed, mesh->nfixed * R->Nf, worst));
  PetscCall(Compare(a, b, a->natural, b->natural, mesh->nown * R->Nf, worst));
  PetscCall(Compare(a, b, a->robin, b->robin, nrobin * R->Nf * R->Nf, worst));
  if (PetscAbsReal(a->speed - b->speed) > 1e-13 * b->speed || a->circulates != b->circulates) *worst = 2.;
  if (a->reacts != b->reacts || a->indefinite != b->indefinite || a->holds != b->holds) *worst = 3.;
  for (int k = 0; k < 2; ++k)
    if (PetscAbsReal(a->tauRange[k] - b->tauRange[k]) > 1e-12 * b->tauRange[k]) *worst = 4.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Twice(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt face, PetscReal *tau, void *ctx)
{
  PetscFunctionBegin;
  *tau *= 2.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode View(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexHDGView((PlexHDG)ctx, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestCase(const char backend[], const Case *c)
{
  Numbers p = {
    0.2, {1.5, 0.7, 0.4}
  };
  PlexHDG          hdg, reference;
  PlexHDGFunctions modules;
  PetscReal        worst[3], tau;
  PetscBool        kernels;
  char             text[4096];

  PetscFunctionBegin;
  PetscCall(Make(PETSC_COMM_SELF, c, backend, PETSC_TRUE, &p, &hdg));
  PetscCall(Make(PETSC_COMM_SELF, c, PLEXBACKENDHOST, PETSC_FALSE, &p, &reference));
  PetscCall(CompareAll(hdg, reference, &worst[0])); /* called on the host */
  PetscCall(PlexHDGSetPointwiseSource(hdg, FILES));
  PetscCall(CompareAll(hdg, reference, &worst[1]));
  kernels = hdg->backend->kernels;
  modules = hdg->functions;
  p       = (Numbers){
    0.9, {2., 0.3, 0.6}
  }; /* another time, and other constants */
  PetscCall(SetFunctions(hdg, c->what, PETSC_TRUE, &p));
  PetscCall(SetFunctions(reference, c->what, PETSC_FALSE, &p));
  PetscCall(PlexHDGUpdate(hdg));
  PetscCall(PlexHDGUpdate(reference));
  PetscCall(CompareAll(hdg, reference, &worst[2]));
  PetscCall(PlexTestReportOf((PetscBool)(worst[0] < 1e-13 && worst[1] < 1e-12 && worst[2] < 1e-12), backend, c->name,
                             "called %g, by kernels %g, at another time %g", (double)worst[0], (double)worst[1],
                             (double)worst[2]));
  PetscCall(PlexTestReportOf((PetscBool)(!modules == !kernels && hdg->functions == modules), backend,
                             "other constants need no compilation", "%d %d", !!modules,
                             (int)(hdg->functions == modules)));
  tau = 3.; /* options are in the place of what functions give */
  PetscCall(PlexTestHDGOption(hdg, "-plex_hdg_lambda", "0.25"));
  PetscCall(PlexTestHDGOption(reference, "-plex_hdg_lambda", "0.25"));
  PetscCall(PlexHDGSetTau(hdg, tau));
  PetscCall(PlexHDGSetTau(reference, tau));
  PetscCall(CompareAll(hdg, reference, &worst[0]));
  PetscCall(PlexTestReportOf((PetscBool)(worst[0] < 1e-12), backend, "a given lambda and tau", "%g", (double)worst[0]));
  /* a function of the program for tau: coefficients are called on the host, the others are not */
  PetscCall(PlexHDGSetStabilization(hdg, Twice, NULL));
  PetscCall(PlexHDGSetStabilization(reference, Twice, NULL));
  PetscCall(CompareAll(hdg, reference, &worst[0]));
  PetscCall(PlexTestCapture(View, hdg, text, sizeof(text)));
  PetscCall(PlexTestReportOf((PetscBool)(worst[0] < 1e-12 && !kernels == !strstr(text, "by kernels: source") &&
                                         (!kernels || !(c->what & COEFFICIENTS)) ==
                                           !strstr(text, "called on the host: kappa and lambda")),
                             backend, "with a function for tau, and what the view says", "%g: %s", (double)worst[0],
                             text));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(PlexHDGDestroy(&reference));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Copies between the host and a backend's memory, of which the largest is kept while they are watched */
static size_t largest;
static PetscErrorCode (*copyIn)(PlexBackend, void *, const void *, size_t);
static PetscErrorCode (*copyOut)(PlexBackend, void *, const void *, size_t);

static PetscErrorCode WatchIn(PlexBackend backend, void *to, const void *from, size_t n)
{
  largest = PetscMax(largest, n);
  return (*copyIn)(backend, to, from, n);
}

static PetscErrorCode WatchOut(PlexBackend backend, void *to, const void *from, size_t n)
{
  largest = PetscMax(largest, n);
  return (*copyOut)(backend, to, from, n);
}

static PetscErrorCode Watch(PlexBackend backend, PetscBool on)
{
  PetscFunctionBegin;
  if (on) {
    largest               = 0;
    copyIn                = backend->ops->copyin;
    copyOut               = backend->ops->copyout;
    backend->ops->copyin  = WatchIn;
    backend->ops->copyout = WatchOut;
  } else {
    backend->ops->copyin  = copyIn;
    backend->ops->copyout = copyOut;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Start(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = 1. + PetscSinReal(2. * x[0] + x[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscReal norm[3]; /* of u, q and the trace */
  size_t    copied;  /* largest copy while a residual is computed at another time */
  PetscBool again;   /* K was computed again after that */
} Result;

/* Three steps of backward Euler, then a residual at another time */
static PetscErrorCode March(PlexHDG hdg, PetscBool linear, Result *r)
{
  TS      ts;
  TSAdapt adapt;
  SNES    snes;
  KSP     ksp;
  Vec     X, Xdot, F, v[3];

  PetscFunctionBegin;
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPSetTolerances(ksp, 1e-13, 1e-50, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(PlexHDGCreateStateVec(hdg, &X));
  PetscCall(PlexHDGProjectState(hdg, Start, NULL, X));
  PetscCall(TSCreate(PetscObjectComm((PetscObject)hdg), &ts));
  PetscCall(TSSetType(ts, TSBEULER));
  PetscCall(PlexHDGSetTS(hdg, ts));
  PetscCall(TSSetTimeStep(ts, 0.1));
  PetscCall(TSSetMaxSteps(ts, 3));
  PetscCall(TSSetMaxTime(ts, 100.));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSGetAdapt(ts, &adapt));
  PetscCall(TSAdaptSetType(adapt, TSADAPTNONE));
  PetscCall(TSGetSNES(ts, &snes));
  if (linear) PetscCall(SNESSetType(snes, SNESKSPONLY));
  PetscCall(SNESSetTolerances(snes, 1e-30, 1e-13, 1e-15, 30, 1000));
  PetscCall(TSSolve(ts, X));
  PetscCall(PlexHDGSetState(hdg, X));
  PetscCall(PlexHDGGetSolution(hdg, &v[0], &v[1], &v[2], NULL));
  for (int k = 0; k < 3; ++k) PetscCall(VecNorm(v[k], NORM_2, &r->norm[k]));
  PetscCall(VecDuplicate(X, &Xdot));
  PetscCall(VecDuplicate(X, &F));
  PetscCall(VecSet(Xdot, 0.));
  PetscCall(Watch(hdg->backend, PETSC_TRUE));
  PetscCall(TSComputeIFunction(ts, 0.77, X, Xdot, F, PETSC_FALSE));
  PetscCall(Watch(hdg->backend, PETSC_FALSE));
  r->copied = largest;
  r->again  = (PetscBool)!hdg->assembled;
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&Xdot));
  PetscCall(VecDestroy(&F));
  PetscCall(TSDestroy(&ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* In time, beside functions of the program on the host of this process; nothing of the size of a field is copied */
static PetscErrorCode TestTime(MPI_Comm comm, const char backend[], const Case *c, PetscReal rate)
{
  Numbers p = {
    0., {1.5, 0.7, rate}
  };
  const PetscBool linear = (PetscBool)!(c->what & KAPPA_U);
  PlexHDG         hdg;
  Result          result[3];
  PetscReal       worst   = 0.;
  PetscBool       kernels = PETSC_FALSE;
  PetscMPIInt     size;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(comm, &size));
  for (int k = 0; k < 2; ++k) {
    p.t = 0.;
    PetscCall(Make(k ? PETSC_COMM_SELF : comm, c, k ? PLEXBACKENDHOST : backend, (PetscBool)!k, &p, &hdg));
    if (!k) PetscCall(PlexHDGSetPointwiseSource(hdg, FILES));
    PetscCall(March(hdg, linear, &result[k]));
    if (!k) kernels = hdg->backend->kernels;
    PetscCall(PlexHDGDestroy(&hdg));
  }
  for (int k = 0; k < 3; ++k)
    if (size == 1 || !k) /* traces and q have the orientations of a mesh's own parts */
      worst = PetscMax(worst, PetscAbsReal(result[0].norm[k] - result[1].norm[k]) / result[1].norm[k]);
  PetscCall(PlexTestReportOf((PetscBool)(worst < 1e-12), backend, c->name, "norms of u, q and trace differ by %g",
                             (double)worst));
  PetscCall(PlexTestReportOf((PetscBool)(result[0].again == result[1].again && (rate != 0.) == result[1].again),
                             backend, "K is computed again where a number of it changed", "%d, by the host %d",
                             (int)result[0].again, (int)result[1].again));
  if (size > 1) PetscFunctionReturn(PETSC_SUCCESS);
  p.t = 0.; /* called on the host, they are copied */
  PetscCall(Make(comm, c, backend, PETSC_TRUE, &p, &hdg));
  PetscCall(March(hdg, linear, &result[2]));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(PlexTestReportOf((PetscBool)(!kernels || (result[0].copied <= 64 && result[2].copied > 64)), backend,
                             "a step copies no field", "%zu bytes at once; with functions that the host calls %zu",
                             result[0].copied, result[2].copied));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char *backend, *files;
  int         what;
  Numbers     p;
} Bad;

static PetscErrorCode Run(void *ctx)
{
  const Case c = {"", DM_POLYTOPE_TRIANGLE, 1, ((Bad *)ctx)->what, PETSC_FALSE, PETSC_FALSE};
  Bad       *b = (Bad *)ctx;
  PlexHDG    hdg;

  PetscFunctionBegin;
  PetscCall(Make(PETSC_COMM_SELF, &c, b->backend, PETSC_TRUE, &b->p, &hdg));
  PetscCall(PlexHDGSetPointwiseSource(hdg, b->files));
  PetscCall(PlexHDGSetUp(hdg));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestMessages(const char backend[])
{
  Bad bad = {
    backend, FILES, COEFFICIENTS, {0., {-20., 0.1, 0.}}
  };
  const PetscBool host = (PetscBool)!strcmp(backend, PLEXBACKENDHOST);

  PetscFunctionBegin;
  EXPECT("kappa that is negative", Run, &bad, "kappa of cell", "is not symmetric and positive definite");
  bad.what = KAPPA_U;
  EXPECT("kappa(u) that is negative", Run, &bad, "kappa in cell", "where u is 0");
  bad.what = VELOCITY; /* Robin's alpha is negative, too */
  EXPECT("alpha that is negative", Run, &bad, "alpha of Robin's condition is -20");
  bad.p.c[0] = (PetscReal)INFINITY;
  EXPECT("a velocity that is not finite", Run, &bad, "The velocity in cell");
  bad.what = 0;
  EXPECT("a source that is not finite", Run, &bad, "The source is");
  bad.p.c[0] = 1.;
  bad.files  = "tests/common/weakform.h";
  if (!host) EXPECT("functions in another file", Run, &bad, "is not in", "-plex_hdg_source");
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const Case newton = {"kappa(u) in time", DM_POLYTOPE_TRIANGLE, 1, COEFFICIENTS | KAPPA_U, PETSC_FALSE, PETSC_FALSE},
             linear = {"kappa, lambda and velocity in time",
                       DM_POLYTOPE_TRIANGLE,
                       1,
                       COEFFICIENTS | VELOCITY,
                       PETSC_FALSE,
                       PETSC_FALSE};
  const char *const *backends;
  PetscInt           n;
  PetscMPIInt        size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestQuickKernels());
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) {
    PetscCall(TestTime(PETSC_COMM_WORLD, backends[b], &newton, 0.4));
    PetscCall(TestTime(PETSC_COMM_WORLD, backends[b], &linear, 0.4));
    if (size > 1) continue;
    PetscCall(TestTime(PETSC_COMM_WORLD, backends[b], &linear, 0.));
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) PetscCall(TestCase(backends[b], &cases[k]));
    PetscCall(TestMessages(backends[b]));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
