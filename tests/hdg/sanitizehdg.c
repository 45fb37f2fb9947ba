static char help[] = "Every kernel of hybridized DG once on small meshes, for compute-sanitizer: memcheck, racecheck.\n\
  -backend <type> : default cuda\n\n";

#include "../../benchmarks/hdgcg/cg.h"
#include "hdgpoints.h"
#include "hdgproblem.h"
#include "report.h"
#include <petscts.h>

typedef struct {
  DMPolytopeType cell;
  PetscInt       P;
  int            curved; /* 2: cells at one edge alone */
  PetscBool      keep;
} Case;

/* Teams of 32, 64 and 128 threads; workspace in shared memory, and in global memory in one. Teams of warps on tensor cores,
   several a block and one, in the last two */
static const Case cases[] = {
  {DM_POLYTOPE_TRIANGLE,      1, PETSC_FALSE, PETSC_FALSE},
  {DM_POLYTOPE_TRIANGLE,      4, PETSC_FALSE, PETSC_TRUE },
  {DM_POLYTOPE_QUADRILATERAL, 2, PETSC_TRUE,  PETSC_FALSE},
  {DM_POLYTOPE_TETRAHEDRON,   2, PETSC_FALSE, PETSC_FALSE},
  {DM_POLYTOPE_QUADRILATERAL, 5, PETSC_FALSE, PETSC_TRUE },
  {DM_POLYTOPE_QUADRILATERAL, 8, PETSC_TRUE,  PETSC_TRUE },
  {DM_POLYTOPE_TRIANGLE,      2, 2,           PETSC_FALSE},
  {DM_POLYTOPE_TETRAHEDRON,   5, PETSC_FALSE, PETSC_TRUE },
  {DM_POLYTOPE_HEXAHEDRON,    3, PETSC_FALSE, PETSC_FALSE}
};

static PetscErrorCode Mesh(const Case *c, DM *dm)
{
  PetscFunctionBegin;
  if (c->cell == DM_POLYTOPE_HEXAHEDRON || (c->cell == DM_POLYTOPE_QUADRILATERAL && c->P >= 5))
    PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_SELF, DMPolytopeTypeGetDim(c->cell), PETSC_FALSE,
                                  (const PetscInt[]){2, 1, 1}, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_FALSE, dm));
  else PetscCall(PlexTestMesh(PETSC_COMM_SELF, c->cell, 0, dm));
  if (c->curved) PetscCall((c->curved > 1 ? PlexTestBendOne : PlexTestBend)(*dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Trace, u, q and u* of a case, in arrays of the host's one after the other */
static PetscErrorCode Solve(const Case *c, const char backend[], PetscInt *n, PetscScalar **values)
{
  PlexTestWaves w;
  PlexHDG       hdg;
  DM            dm;
  Vec           v[4];
  PetscInt      m;

  PetscFunctionBegin;
  PlexTestWavesInitialize(DMPolytopeTypeGetDim(c->cell), 2., PETSC_TRUE, PETSC_TRUE, &w);
  PetscCall(Mesh(c, &dm));
  PetscCall(PlexTestHDGCreate(dm, c->P, &w, backend, &hdg));
  PetscCall(PlexTestHDGOption(hdg, "-plex_hdg_keep", PetscBools[c->keep]));
  PetscCall(PlexTestHDGSolve(hdg));
  PetscCall(PlexHDGGetSolution(hdg, &v[0], &v[1], &v[2], &v[3]));
  *n = 0;
  for (int k = 0; k < 4; ++k) {
    PetscCall(VecGetLocalSize(v[k], &m));
    *n += m;
  }
  PetscCall(PetscMalloc1(*n, values));
  *n = 0;
  for (int k = 0; k < 4; ++k) {
    const PetscScalar *a;

    PetscCall(VecGetLocalSize(v[k], &m));
    PetscCall(VecGetArrayRead(v[k], &a));
    PetscCall(PetscArraycpy(*values + *n, a, m));
    PetscCall(VecRestoreArrayRead(v[k], &a));
    *n += m;
  }
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The numbers of a vector, [*n] */
static PetscErrorCode Copy(Vec v, PetscInt *n, PetscScalar **values)
{
  const PetscScalar *a;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(v, n));
  PetscCall(PetscMalloc1(*n, values));
  PetscCall(VecGetArrayRead(v, &a));
  PetscCall(PetscArraycpy(*values, a, *n));
  PetscCall(VecRestoreArrayRead(v, &a));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u with products by the elements' matrices, whose kernels are others, of whole numbers and in the smoother of upper halves; on
   the host with K */
static PetscErrorCode SolveTrace(const Case *c, const char backend[], PetscInt *n, PetscScalar **values)
{
  PlexTestWaves w;
  PlexHDG       hdg;
  KSP           ksp;
  Vec           u;
  DM            dm;

  PetscFunctionBegin;
  PlexTestWavesInitialize(DMPolytopeTypeGetDim(c->cell), 2., PETSC_TRUE, PETSC_TRUE, &w);
  PetscCall(Mesh(c, &dm));
  PetscCall(PlexTestHDGCreate(dm, c->P, &w, backend, &hdg));
  PetscCall(PlexTestHDGOption(hdg, "-plex_hdg_trace", strcmp(backend, PLEXBACKENDHOST) ? "elements" : "aij"));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPSetTolerances(ksp, 1e-13, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexHDGGetSolution(hdg, NULL, &u, NULL, NULL));
  PetscCall(Copy(u, n, values));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u of statically condensed continuous elements */
static PetscErrorCode SolveCG(const Case *c, const char backend[], PetscInt *n, PetscScalar **values)
{
  PlexTestWaves w;
  PlexHDG       hdg;
  PlexHDGCG     cg;
  DM            dm;

  PetscFunctionBegin;
  PlexTestWavesInitialize(2, 2., PETSC_TRUE, PETSC_FALSE, &w);
  PetscCall(PlexTestMesh(PETSC_COMM_SELF, c->cell, 0, &dm));
  if (c->curved) PetscCall(PlexTestBend(dm));
  PetscCall(PlexTestHDGCreate(dm, c->P, &w, backend, &hdg));
  PetscCall(PlexHDGCGCreate(hdg, &cg));
  PetscCall(KSPSetTolerances(cg->ksp, 1e-13, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(PlexHDGCGSolve(cg));
  PetscCall(Copy(cg->u, n, values));
  PetscCall(PlexHDGCGDestroy(&cg));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Kappa(PetscInt dim, const PetscReal x[], PetscReal u, PetscReal kappa[], PetscReal slope[],
                            void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) {
    kappa[d * (dim + 1)] = 1. + 0.2 * u * u + 0.1 * x[0];
    slope[d * (dim + 1)] = 0.4 * u;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A state after Newton's method, in tiles: residuals, Robin's condition among them, local problems linearized. keep:
   kappa(u), else affine elements and kappa as it is */
static PetscErrorCode SolveState(const Case *c, const char backend[], PetscInt *n, PetscScalar **values)
{
  PlexTestWaves w;
  PlexHDG       hdg;
  SNES          snes;
  KSP           ksp;
  Vec           X;
  DM            dm;

  PetscFunctionBegin;
  PlexTestWavesInitialize(2, 2., PETSC_TRUE, PETSC_TRUE, &w);
  PetscCall(PlexTestMesh(PETSC_COMM_SELF, c->cell, 0, &dm));
  PetscCall(PlexTestHDGCreate(dm, c->P, &w, backend, &hdg));
  PetscCall(PlexTestHDGOption(hdg, "-plex_hdg_tile", "5"));
  if (c->keep) PetscCall(PlexHDGSetPointwise(hdg, Kappa, PETSC_TRUE, NULL));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPSetTolerances(ksp, 1e-13, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(SNESCreate(PETSC_COMM_SELF, &snes));
  PetscCall(PlexHDGSetSNES(hdg, snes));
  PetscCall(SNESSetTolerances(snes, 1e-30, 1e-12, 1e-14, 20, 1000));
  PetscCall(PlexHDGCreateStateVec(hdg, &X));
  PetscCall(VecSet(X, 0.));
  PetscCall(SNESSolve(snes, NULL, X));
  PetscCall(PlexHDGSetState(hdg, X));
  PetscCall(Copy(X, n, values));
  PetscCall(VecDestroy(&X));
  PetscCall(SNESDestroy(&snes));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Velocity(PetscInt dim, const PetscReal x[], PetscReal velocity[], void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) velocity[d] = 1. - 0.5 * x[d];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A state of convection, after u has been found by the steps of the linear problem: conservative where factors are
   kept, and kappa is zero there */
static PetscErrorCode SolveConvection(const Case *c, const char backend[], PetscInt *n, PetscScalar **values)
{
  PlexTestWaves w;
  PlexHDG       hdg;
  SNES          snes;
  KSP           ksp;
  Vec           X;
  DM            dm;

  PetscFunctionBegin;
  PlexTestWavesInitialize(2, 2., PETSC_FALSE, PETSC_FALSE, &w);
  PetscCall(PlexTestMesh(PETSC_COMM_SELF, c->cell, 0, &dm));
  if (c->curved) PetscCall(PlexTestBend(dm));
  PetscCall(PlexTestHDGCreate(dm, c->P, &w, backend, &hdg));
  PetscCall(PlexHDGSetStabilization(hdg, NULL, NULL));
  PetscCall(PlexHDGSetDiffusion(hdg, c->keep ? 0. : 0.01, 0.3));
  PetscCall(PlexHDGSetConvection(hdg, c->keep ? PLEX_HDG_CONSERVATIVE : PLEX_HDG_ADVECTIVE, Velocity, NULL));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPSetTolerances(ksp, 1e-13, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(SNESCreate(PETSC_COMM_SELF, &snes));
  PetscCall(PlexHDGSetSNES(hdg, snes));
  PetscCall(SNESSetTolerances(snes, 1e-30, 1e-12, 1e-14, 20, 1000));
  PetscCall(PlexHDGCreateStateVec(hdg, &X));
  PetscCall(VecSet(X, 0.));
  PetscCall(SNESSolve(snes, NULL, X));
  PetscCall(PlexHDGSetState(hdg, X));
  PetscCall(Copy(X, n, values));
  PetscCall(VecDestroy(&X));
  PetscCall(SNESDestroy(&snes));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The same by pointwise functions, which kernels evaluate: conditions of all kinds; with kappa(u) where factors are kept,
   else with a velocity */
static PetscErrorCode SolvePoints(const Case *c, const char backend[], PetscInt *n, PetscScalar **values)
{
  const PetscScalar constants[3] = {1., 0.2, 0.};
  PlexHDG           hdg;
  SNES              snes;
  KSP               ksp;
  Vec               X;
  DM                dm;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_SELF, c->cell, 0, &dm));
  PetscCall(PlexTestLabelKinds(dm));
  if (c->curved) PetscCall(PlexTestBend(dm));
  PetscCall(PlexHDGCreate(dm, &hdg));
  PetscCall(PlexHDGSetDegree(hdg, c->P));
  PetscCall(PlexHDGSetBackend(hdg, backend));
  PetscCall(PlexHDGSetPointwiseSource(hdg, "tests/common/hdgpoints.h"));
  PetscCall(PlexHDGSetSourcePoint(hdg, hdg_point_source, 3, constants));
  PetscCall(PlexHDGSetCoefficientsPoint(hdg, hdg_point_coefficients, 3, constants));
  if (c->keep) PetscCall(PlexHDGSetKappaPoint(hdg, hdg_point_kappa_u, hdg_point_slope, 3, constants));
  else PetscCall(PlexHDGSetConvectionPoint(hdg, PLEX_HDG_ADVECTIVE, beta, 3, constants));
  PetscCall(PlexHDGAddBoundaryPoint(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, hdg_point_known, 3, constants));
  PetscCall(PlexHDGAddBoundaryPoint(hdg, "kinds", 1, PLEX_HDG_NEUMANN, hdg_point_flux, 3, constants));
  PetscCall(PlexHDGAddBoundaryPoint(hdg, "kinds", 2, PLEX_HDG_ROBIN, hdg_point_robin, 3, constants));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPSetTolerances(ksp, 1e-13, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(SNESCreate(PETSC_COMM_SELF, &snes));
  PetscCall(PlexHDGSetSNES(hdg, snes));
  PetscCall(SNESSetTolerances(snes, 1e-30, 1e-12, 1e-14, 20, 1000));
  PetscCall(PlexHDGCreateStateVec(hdg, &X));
  PetscCall(VecSet(X, 0.));
  PetscCall(SNESSolve(snes, NULL, X));
  PetscCall(PlexHDGSetState(hdg, X));
  PetscCall(Copy(X, n, values));
  PetscCall(VecDestroy(&X));
  PetscCall(SNESDestroy(&snes));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Load(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar f[], void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < n; ++d) f[d] = 1. + d - x[0] * x[d];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A label "side" of facets of the boundary: the lower half of their numbers */
static PetscErrorCode HoldSide(DM dm)
{
  DMLabel  label;
  PetscInt fStart, fEnd, n;

  PetscFunctionBegin;
  PetscCall(DMCreateLabel(dm, "side"));
  PetscCall(DMGetLabel(dm, "side", &label));
  PetscCall(DMPlexMarkBoundaryFaces(dm, 1, label));
  PetscCall(DMPlexGetHeightStratum(dm, 1, &fStart, &fEnd));
  for (n = fStart + (fEnd - fStart) / 2; n < fEnd; ++n) PetscCall(DMLabelClearValue(label, n, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* All displacements held at one side, at the others the first component */
static PetscErrorCode SolveVector(PlexHDGSystem system, const Case *c, const char backend[], PetscInt *n,
                                  PetscScalar **values)
{
  const PetscInt x = 0;
  PlexHDG        hdg;
  KSP            ksp;
  Vec            u;
  DM             dm;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_SELF, c->cell, 0, &dm));
  PetscCall(HoldSide(dm));
  if (c->curved) PetscCall(PlexTestBend(dm));
  PetscCall(PlexHDGCreate(dm, &hdg));
  PetscCall(PlexHDGSetSystem(hdg, system));
  PetscCall(PlexHDGSetDegree(hdg, c->P));
  PetscCall(PlexHDGSetBackend(hdg, backend));
  PetscCall(PlexHDGSetLame(hdg, 2., 1.));
  PetscCall(PlexHDGSetSource(hdg, Load, NULL));
  PetscCall(PlexHDGAddBoundaryComponents(hdg, NULL, PETSC_DETERMINE, 1, &x, NULL, NULL));
  PetscCall(PlexHDGAddBoundary(hdg, "side", 1, PLEX_HDG_DIRICHLET, NULL, NULL));
  PetscCall(PlexTestHDGOption(hdg, "-plex_hdg_keep", PetscBools[c->keep]));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPSetTolerances(ksp, 1e-13, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(PlexHDGSolve(hdg));
  PetscCall(PlexHDGGetSolution(hdg, NULL, &u, NULL, NULL));
  PetscCall(Copy(u, n, values));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SolveElastic(const Case *c, const char backend[], PetscInt *n, PetscScalar **values)
{
  PetscFunctionBegin;
  PetscCall(SolveVector(PLEX_HDG_ELASTICITY, c, backend, n, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SolveStokes(const Case *c, const char backend[], PetscInt *n, PetscScalar **values)
{
  PetscFunctionBegin;
  PetscCall(SolveVector(PLEX_HDG_STOKES, c, backend, n, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Two steps in time of Navier-Stokes equations from some velocity: with explicit convection on straight simplices where factors
   are not asked for, else by Newton's method */
static PetscErrorCode SolveNavier(const Case *c, const char backend[], PetscInt *n, PetscScalar **values)
{
  const PetscInt x = 0;
  PlexHDG        hdg;
  SNES           snes;
  KSP            ksp;
  TS             ts;
  Vec            X;
  DM             dm;

  PetscFunctionBegin;
  PetscCall(PlexTestMesh(PETSC_COMM_SELF, c->cell, 0, &dm));
  PetscCall(HoldSide(dm));
  if (c->curved) PetscCall((c->curved > 1 ? PlexTestBendOne : PlexTestBend)(dm));
  PetscCall(PlexHDGCreate(dm, &hdg));
  PetscCall(PlexHDGSetSystem(hdg, PLEX_HDG_NAVIER_STOKES));
  PetscCall(PlexHDGSetDegree(hdg, c->P));
  PetscCall(PlexHDGSetBackend(hdg, backend));
  PetscCall(PlexHDGSetViscosity(hdg, 0.1));
  PetscCall(PlexHDGSetSource(hdg, Load, NULL));
  if (!c->curved && !c->keep && (c->cell == DM_POLYTOPE_TRIANGLE || c->cell == DM_POLYTOPE_TETRAHEDRON))
    PetscCall(PlexHDGSetTransport(hdg, PLEX_HDG_TRANSPORT_EXPLICIT));
  PetscCall(PlexHDGAddBoundaryComponents(hdg, NULL, PETSC_DETERMINE, 1, &x, NULL, NULL));
  PetscCall(PlexHDGAddBoundary(hdg, "side", 1, PLEX_HDG_DIRICHLET, NULL, NULL));
  PetscCall(PlexHDGGetKSP(hdg, &ksp));
  PetscCall(KSPSetTolerances(ksp, 1e-13, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(TSCreate(PETSC_COMM_SELF, &ts));
  PetscCall(TSSetType(ts, TSBEULER));
  PetscCall(PlexHDGSetTS(hdg, ts));
  PetscCall(TSSetTimeStep(ts, 0.01));
  PetscCall(TSSetMaxSteps(ts, 2));
  PetscCall(TSGetSNES(ts, &snes));
  PetscCall(SNESSetType(snes, SNESNEWTONLS)); /* what a linear solve leaves is solved for again */
  PetscCall(SNESSetTolerances(snes, 1e-30, 1e-13, 1e-14, 20, 1000));
  PetscCall(PlexHDGCreateStateVec(hdg, &X));
  PetscCall(PlexHDGProjectState(hdg, Load, NULL, X));
  PetscCall(TSSolve(ts, X));
  PetscCall(PlexHDGSetState(hdg, X));
  PetscCall(Copy(X, n, values));
  PetscCall(VecDestroy(&X));
  PetscCall(TSDestroy(&ts));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A way to solve a case on a backend and on the host */
static PetscErrorCode Compare(const char what[],
                              PetscErrorCode (*solve)(const Case *, const char[], PetscInt *, PetscScalar **),
                              const Case *c, const char backend[])
{
  PetscScalar *a, *b;
  PetscInt     n, m;
  PetscReal    difference = 0., largest = 0.;
  char         name[160];

  PetscFunctionBegin;
  PetscCall((*solve)(c, backend, &n, &a));
  PetscCall((*solve)(c, PLEXBACKENDHOST, &m, &b));
  for (PetscInt i = 0; i < n && n == m; ++i) {
    difference = PetscMax(difference, PetscAbsScalar(a[i] - b[i]));
    largest    = PetscMax(largest, PetscAbsScalar(b[i]));
  }
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s: %s on %s%s, degree %" PetscInt_FMT ", as on the host", backend, what,
                          c->curved > 1 ? "partly curved "
                          : c->curved   ? "curved "
                                        : "",
                          DMPolytopeTypes[c->cell], c->P));
  PetscCall(PlexTestReport((PetscBool)(n == m && difference < 1e-10 * largest), name,
                           "%" PetscInt_FMT " numbers and %" PetscInt_FMT ", differences %g", n, m,
                           (double)(difference / largest)));
  PetscCall(PetscFree(a));
  PetscCall(PetscFree(b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char      backend[64] = PLEXBACKENDCUDA;
  PetscBool available;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-backend", backend, sizeof(backend), NULL));
  PetscCall(PlexBackendIsAvailable(backend, &available));
  if (!available) PetscCall(PetscPrintf(PETSC_COMM_SELF, "skip %s: not available on this machine\n", backend));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases) && available; ++k)
    PetscCall(Compare("hybridized DG", Solve, &cases[k], backend));
  for (int k = 1; k < 3 && available; ++k) {
    PetscCall(Compare("continuous elements", SolveCG, &cases[k], backend)); /* affine; mapped */
    PetscCall(Compare(cases[k - 1].keep ? "kappa(u)" : "a state", SolveState, &cases[k - 1], backend));
  }
  for (int k = 0; k < 4 && available; ++k)
    if (cases[k].P < 4) {
      PetscCall(Compare("elasticity", SolveElastic, &cases[k], backend));
      PetscCall(Compare("Stokes's equations", SolveStokes, &cases[k], backend));
    }
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases) && available; ++k)
    if (cases[k].P < 5 && cases[k].cell != DM_POLYTOPE_HEXAHEDRON)
      PetscCall(Compare("Navier-Stokes equations", SolveNavier, &cases[k], backend));
  for (int k = 0; k < 4 && available; ++k) PetscCall(Compare("products by elements", SolveTrace, &cases[k], backend));
  if (available) PetscCall(Compare("products by elements", SolveTrace, &cases[5], backend)); /* batches of 8 */
  for (int k = 0; k < 3 && available; ++k) PetscCall(Compare("convection", SolveConvection, &cases[k], backend));
  for (int k = 0; k < 3 && available; ++k) PetscCall(Compare("pointwise functions", SolvePoints, &cases[k], backend));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
