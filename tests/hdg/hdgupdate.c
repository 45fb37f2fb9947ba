static char
  help[] = "Hybridized DG: another source, other coefficients and boundary values of a discretization that is "
           "set up are the same as one that had them from the beginning, and what need not change stays.\n\n";

#include "hdgproblem.h"
#include "report.h"

/* What the functions return */
typedef struct {
  PetscReal source, value, flux, alpha, kappa, lambda, tau;
} Numbers;

static PetscErrorCode Source(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar f[], void *ctx)
{
  PetscFunctionBegin;
  f[0] = ((Numbers *)ctx)->source * (1. + x[0] - PetscSinReal(3. * x[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Known(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar g[],
                            void *ctx)
{
  PetscFunctionBegin;
  g[0] = ((Numbers *)ctx)->value + x[0] * x[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Mixed(PetscInt dim, const PetscReal x[], const PetscReal normal[], PetscInt n, PetscScalar g[],
                            void *ctx)
{
  PetscFunctionBegin;
  g[0] = ((Numbers *)ctx)->flux * x[1];
  if (n > 1) g[1] = ((Numbers *)ctx)->alpha;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Coefficients(PetscInt dim, const PetscReal x[], PetscInt cell, PetscReal kappa[],
                                   PetscReal *lambda, void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) kappa[d * (dim + 1)] = ((Numbers *)ctx)->kappa * (1. + x[0] * x[0]);
  *lambda = ((Numbers *)ctx)->lambda;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Stabilization(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt face, PetscReal *tau,
                                    void *ctx)
{
  PetscFunctionBegin;
  *tau = ((Numbers *)ctx)->tau * (1. + x[1] * x[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Point(PetscInt dim, const PetscReal x[], PetscReal u, PetscReal kappa[], PetscReal slope[],
                            void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) kappa[d * (dim + 1)] = ((Numbers *)ctx)->kappa * (1. + x[0]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Conditions of three kinds, of parts of the boundary that PlexTestWavesInitialize() names */
static PetscErrorCode AddConditions(PlexHDG hdg, Numbers *n)
{
  PetscFunctionBegin;
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, Known, n));
  PetscCall(PlexHDGAddBoundary(hdg, "kinds", 1, PLEX_HDG_NEUMANN, Mixed, n));
  PetscCall(PlexHDGAddBoundary(hdg, "kinds", 2, PLEX_HDG_ROBIN, Mixed, n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef enum {
  SOURCE,
  NO_SOURCE,
  VALUES,
  ALPHA,
  UPDATE,
  COEFFICIENTS,
  DIFFUSION,
  FACTOR,
  TAU,
  STABILIZATION,
  POINTS,
  KIND,
  POINTWISE,
  CHANGES
} Change;
static const struct {
  const char *name;
  PetscBool   K, mesh; /* which stay: the values of K, the mesh */
} changes[] = {
  {"another source",            PETSC_TRUE,  PETSC_TRUE },
  {"no source",                 PETSC_TRUE,  PETSC_TRUE },
  {"other boundary values",     PETSC_TRUE,  PETSC_TRUE },
  {"another alpha",             PETSC_FALSE, PETSC_TRUE },
  {"functions return others",   PETSC_FALSE, PETSC_TRUE },
  {"other coefficients",        PETSC_FALSE, PETSC_TRUE },
  {"one kappa and lambda",      PETSC_FALSE, PETSC_TRUE },
  {"another factor of tau",     PETSC_FALSE, PETSC_TRUE },
  {"tau of all faces",          PETSC_FALSE, PETSC_TRUE },
  {"another stabilization",     PETSC_FALSE, PETSC_TRUE },
  {"another kappa at points",   PETSC_FALSE, PETSC_TRUE },
  {"a condition of other kind", PETSC_FALSE, PETSC_FALSE},
  {"kappa at points",           PETSC_FALSE, PETSC_FALSE}
};

/* Changes a discretization with numbers n[0]; n[1] become the other numbers */
static PetscErrorCode Apply(PlexHDG hdg, Change change, Numbers n[])
{
  PetscFunctionBegin;
  switch (change) {
  case SOURCE:
    n[1].source = 4.;
    PetscCall(PlexHDGSetSource(hdg, Source, &n[1]));
    break;
  case NO_SOURCE:
    PetscCall(PlexHDGSetSource(hdg, NULL, NULL));
    break;
  case VALUES:
    n[1].value = -1.;
    n[1].flux  = 2.;
    PetscCall(AddConditions(hdg, &n[1]));
    break;
  case ALPHA:
    n[1].alpha = 3.;
    PetscCall(PlexHDGAddBoundary(hdg, "kinds", 2, PLEX_HDG_ROBIN, Mixed, &n[1]));
    break;
  case UPDATE:
    n[0].source = 2.;
    n[0].value  = 0.3;
    n[0].kappa  = 1.4;
    PetscCall(PlexHDGUpdate(hdg));
    break;
  case COEFFICIENTS:
    n[1].kappa  = 5.;
    n[1].lambda = 0.1;
    PetscCall(PlexHDGSetCoefficients(hdg, Coefficients, &n[1]));
    break;
  case DIFFUSION:
    PetscCall(PlexHDGSetDiffusion(hdg, 2.5, 0.2));
    break;
  case FACTOR:
    PetscCall(PlexHDGSetTauFactor(hdg, 3.));
    break;
  case TAU:
    PetscCall(PlexHDGSetTau(hdg, 70.));
    break;
  case STABILIZATION:
    n[1].tau = 11.;
    PetscCall(PlexHDGSetStabilization(hdg, Stabilization, &n[1]));
    break;
  case KIND:
    PetscCall(PlexHDGAddBoundary(hdg, "kinds", 1, PLEX_HDG_DIRICHLET, Known, &n[0]));
    break;
  case POINTS:
  case POINTWISE:
    n[1].kappa = 1.7;
    PetscCall(PlexHDGSetPointwise(hdg, Point, PETSC_FALSE, &n[1]));
    break;
  case CHANGES:
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Make(DM dm, const char backend[], PetscInt P, Change change, Numbers *n, PlexHDG *hdg)
{
  PlexTestWaves w;

  PetscFunctionBegin;
  PlexTestWavesInitialize(2, 1., PETSC_FALSE, PETSC_TRUE, &w); /* labels the boundary */
  PetscCall(PlexTestHDGCreate(dm, P, &w, backend, hdg));
  PetscCall(PlexHDGSetStabilization(*hdg, NULL, NULL));
  PetscCall(PlexHDGSetTauFactor(*hdg, 1.));
  PetscCall(PlexHDGSetCoefficients(*hdg, Coefficients, n));
  PetscCall(PlexHDGSetSource(*hdg, Source, n));
  if (change == POINTS) PetscCall(PlexHDGSetPointwise(*hdg, Point, PETSC_FALSE, n));
  PetscCall(AddConditions(*hdg, n));
  PetscCall(PlexTestHDGOption(*hdg, "-plex_hdg_ksp_rtol", "1e-13"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest difference of two solutions' trace, u, q and u* over the largest of the second */
static PetscErrorCode Difference(PlexHDG one, PlexHDG two, PetscReal *difference)
{
  Vec v[2][4], w;

  PetscFunctionBegin;
  PetscCall(PlexHDGGetSolution(one, &v[0][0], &v[0][1], &v[0][2], &v[0][3]));
  PetscCall(PlexHDGGetSolution(two, &v[1][0], &v[1][1], &v[1][2], &v[1][3]));
  *difference = 0.;
  for (int k = 0; k < 4; ++k) {
    PetscReal norm, size;

    PetscCall(VecDuplicate(v[1][k], &w));
    PetscCall(VecCopy(v[0][k], w));
    PetscCall(VecAXPY(w, -1., v[1][k]));
    PetscCall(VecNorm(w, NORM_INFINITY, &norm));
    PetscCall(VecNorm(v[1][k], NORM_INFINITY, &size));
    *difference = PetscMax(*difference, norm / size);
    PetscCall(VecDestroy(&w));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestChange(DM dm, const char backend[], PetscInt P, const char options[], Change change)
{
  Numbers n[2] = {
    {1., 0.5, 1., 1.3, 1.1, 0.8, 2.},
    {1., 0.5, 1., 1.3, 1.1, 0.8, 2.}
  };
  PlexHDG          hdg[3]; /* changed, new with the change, without the change */
  PlexHDGMesh      mesh;
  PetscReal        difference[2];
  PetscObjectState state, after;
  PetscObjectId    id, idAfter;
  Mat              K;
  PetscInt         most;
  PetscBool        assembled;
  char             of[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s %s, %s", backend, options ? options : "", changes[change].name));
  PetscCall(Make(dm, backend, P, change, &n[0], &hdg[0]));
  PetscCall(Make(dm, backend, P, change, &n[0], &hdg[2]));
  for (int k = 0; k < 3; k += 2) {
    if (options) PetscCall(PlexTestHDGOption(hdg[k], options, "true"));
    PetscCall(PlexHDGSolve(hdg[k]));
  }
  mesh = hdg[0]->mesh;
  K    = hdg[0]->A;
  most = hdg[0]->nconditions;
  PetscCall(PetscObjectGetId((PetscObject)K, &id));
  PetscCall(PetscObjectStateGet((PetscObject)K, &state));
  PetscCall(Apply(hdg[0], change, n));
  PetscCall(PlexHDGSetUp(hdg[0]));
  assembled = hdg[0]->assembled;
  PetscCall(PlexHDGSolve(hdg[0]));
  PetscCall(PetscObjectGetId((PetscObject)hdg[0]->A, &idAfter));
  PetscCall(PetscObjectStateGet((PetscObject)hdg[0]->A, &after));
  PetscCall(PlexTestReportOf((PetscBool)((hdg[0]->mesh == mesh && id == idAfter) == changes[change].mesh &&
                                         assembled == changes[change].K && (!changes[change].K || state == after) &&
                                         hdg[0]->nconditions <= most + (change == KIND)),
                             of, "what need not change stays",
                             "mesh %d, matrix %d, its values %d; conditions %" PetscInt_FMT " of %" PetscInt_FMT,
                             (int)(hdg[0]->mesh == mesh), (int)(id == idAfter), (int)assembled, hdg[0]->nconditions,
                             most));
  PetscCall(Make(dm, backend, P, change, &n[0], &hdg[1]));
  if (options) PetscCall(PlexTestHDGOption(hdg[1], options, "true"));
  PetscCall(Apply(hdg[1], change, n));
  PetscCall(PlexHDGSolve(hdg[1]));
  PetscCall(Difference(hdg[0], hdg[1], &difference[0]));
  if (change == KIND) difference[1] = 1.; /* of another number of unknowns */
  else PetscCall(Difference(hdg[0], hdg[2], &difference[1]));
  PetscCall(PlexTestReportOf((PetscBool)(difference[0] < 1e-12 && difference[1] > 1e-3), of,
                             "as one that had it from the beginning", "differences %g, without the change %g",
                             (double)difference[0], (double)difference[1]));
  for (int k = 0; k < 3; ++k) PetscCall(PlexHDGDestroy(&hdg[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Neumann's conditions alone: K becomes singular where lambda becomes zero, and is not any more where it is positive
   again */
static PetscErrorCode TestSingular(DM dm, const char backend[])
{
  Numbers      n = {1., 0.5, 0., 1.3, 1.1, 0.8, 2.};
  PlexHDG      hdg;
  Mat          K;
  MatNullSpace space[3];

  PetscFunctionBegin;
  PetscCall(PlexHDGCreate(dm, &hdg));
  PetscCall(PlexHDGSetBackend(hdg, backend));
  PetscCall(PlexHDGSetDegree(hdg, 1));
  PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_NEUMANN, Mixed, &n));
  for (int k = 0; k < 3; ++k) {
    PetscCall(PlexHDGSetDiffusion(hdg, 1., k == 1 ? 0. : 1.));
    PetscCall(PlexHDGAssemble(hdg, &K));
    PetscCall(MatGetNullSpace(K, &space[k]));
  }
  PetscCall(PlexTestReportOf((PetscBool)(!space[0] && space[1] && !space[2]), backend,
                             "K has a null space where it is singular", "%d %d %d", !!space[0], !!space[1],
                             !!space[2]));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Problem k of three: others numbers, which functions read, in problem 2 another function. wrong: what a problem may not
   do */
typedef enum {
  RIGHT,
  OTHER_KAPPA,
  OTHER_ALPHA,
  OTHER_KIND
} Wrong;
typedef struct {
  Numbers  n;
  Wrong    wrong;
  PetscInt calls;
  PlexHDG  hdg;
} Many;

static PetscErrorCode SetProblem(PlexHDG hdg, PetscInt k, void *ctx)
{
  Many *m = (Many *)ctx;

  PetscFunctionBegin;
  ++m->calls;
  m->n.source = 1. + k;
  m->n.value  = k - 0.5;
  m->n.flux   = 1. - 0.7 * k;
  if (k == 2) PetscCall(PlexHDGSetSource(hdg, NULL, NULL));
  if (k == 1 && m->wrong == OTHER_KAPPA) PetscCall(PlexHDGSetDiffusion(hdg, 3., 0.));
  if (k == 1 && m->wrong == OTHER_ALPHA) m->n.alpha = 4.;
  if (k == 1 && m->wrong == OTHER_KIND)
    PetscCall(PlexHDGAddBoundary(hdg, "kinds", 1, PLEX_HDG_DIRICHLET, Known, &m->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SolveWrong(void *ctx)
{
  Many *m = (Many *)ctx;

  PetscFunctionBegin;
  PetscCall(PlexHDGSolveMany(m->hdg, m->wrong == RIGHT ? 0 : 2, SetProblem, m, NULL, NULL, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Several problems at once are those one after the other; before: of a discretization that was used before */
static PetscErrorCode TestMany(DM dm, const char backend[], PetscInt P, const char solver[], PetscBool before)
{
  static const char *const words[] = {"0 problems", "Problem 1 changes coefficients", "Problem 1 changes alpha",
                                      "the kind of a condition"};
  const Numbers            n       = {1., 0.5, 1., 1.3, 1.1, 0.8, 2.};
  Many                     m = {n, RIGHT, 0, NULL}, one = {n, RIGHT, 0, NULL};
  PlexHDG                  hdg;
  Vec                      v[4][3];
  PetscReal                difference = 0., norm, size;
  PetscObjectState         state, after;
  char                     of[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s %s%s", backend, solver ? solver : "", before ? ", used before" : ""));
  if (solver) PetscCall(PetscOptionsInsertString(NULL, solver));
  PetscCall(Make(dm, backend, P, CHANGES, &m.n, &m.hdg));
  PetscCall(Make(dm, backend, P, CHANGES, &one.n, &hdg));
  if (before) PetscCall(PlexHDGSolve(m.hdg));
  for (int k = 0; k < 3; ++k) PetscCall(PlexHDGCreateVecs(m.hdg, &v[0][k], &v[1][k], &v[2][k], &v[3][k]));
  PetscCall(PetscObjectStateGet((PetscObject)m.hdg->A, &state));
  PetscCall(PlexHDGSolveMany(m.hdg, 3, SetProblem, &m, v[0], v[1], v[2], v[3]));
  PetscCall(PetscObjectStateGet((PetscObject)m.hdg->A, &after));
  for (int k = 0; k < 3; ++k) {
    Vec w[4];

    PetscCall(SetProblem(hdg, k, &one));
    PetscCall(PlexHDGUpdate(hdg));
    PetscCall(PlexHDGSolve(hdg));
    PetscCall(PlexHDGGetSolution(hdg, &w[0], &w[1], &w[2], &w[3]));
    for (int c = 0; c < 4; ++c) {
      PetscCall(VecNorm(w[c], NORM_INFINITY, &size));
      PetscCall(VecAXPY(v[c][k], -1., w[c]));
      PetscCall(VecNorm(v[c][k], NORM_INFINITY, &norm));
      difference = PetscMax(difference, norm / size);
    }
  }
  PetscCall(PlexTestReportOf((PetscBool)(difference < 1e-11 && m.calls == 3 && (state == after || !before)), of,
                             "three problems at once are those one after the other",
                             "difference %g, %" PetscInt_FMT " calls", (double)difference, m.calls));
  PetscCall(Difference(m.hdg, hdg, &difference));
  PetscCall(PlexTestReportOf((PetscBool)(difference < 1e-11), of, "the last one's solution is there afterwards", "%g",
                             (double)difference));
  for (int c = 0; c < 4; ++c)
    for (int k = 0; k < 3; ++k) PetscCall(VecDestroy(&v[c][k]));
  if (solver) PetscCall(PlexTestClearOptions(solver));
  for (m.wrong = RIGHT; before && m.wrong <= OTHER_KIND; ++m.wrong)
    EXPECT(words[m.wrong], SolveWrong, &m, words[m.wrong], "PlexHDGSolveMany()");
  PetscCall(PlexHDGDestroy(&m.hdg));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) {
    const PetscBool small = (PetscBool)!strcmp(backends[b], PLEXBACKENDEMULATE);
    DM              dm;

    PetscCall(PlexTestMesh(PETSC_COMM_WORLD, DM_POLYTOPE_TRIANGLE, 0, &dm));
    PetscCall(PlexTestDistribute(&dm, 0, PETSC_FALSE));
    for (int change = 0; change < CHANGES; ++change) {
      PetscCall(TestChange(dm, backends[b], small ? 1 : 3, NULL, (Change)change));
      PetscCall(TestChange(dm, backends[b], small ? 1 : 2, small ? "-plex_hdg_tensor_cores" : "-plex_hdg_keep",
                           (Change)change));
    }
    PetscCall(TestSingular(dm, backends[b]));
    PetscCall(TestMany(dm, backends[b], 1, NULL, PETSC_TRUE));
    PetscCall(TestMany(dm, backends[b], small ? 1 : 2, "-plex_hdg_ksp_type preonly -plex_hdg_pc_type redundant",
                       PETSC_FALSE));
    PetscCall(DMDestroy(&dm));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
