static char help[] = "DG with quadrature in 3D, on tetrahedra and hexahedra: polynomials, nodal DG, all ways, rates of "
                     "convergence, energy, processes, files.\n\n";

#include "dgproblem.h"
#include "problem.h"
#include "report.h"
#include <unistd.h>

typedef struct {
  const char    *backend, *way; /* way NULL: the backend's own choice */
  DMPolytopeType cell;
  PetscInt       coordinates, N; /* degrees */
} Case;

static PetscErrorCode Describe(const Case *c, char of[], size_t size)
{
  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, size, "%s%s%s, %ss of coordinates of degree %" PetscInt_FMT ", degree %" PetscInt_FMT,
                          c->backend, c->way ? " " : "", c->way ? c->way : "", DMPolytopeTypes[c->cell], c->coordinates,
                          c->N));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Coordinates of a higher degree, moved by up to `most` inside the unit cube */
static PetscErrorCode Bend(PetscInt degree, PetscReal most, DM dm)
{
  PetscScalar *x;
  PetscInt     size;
  Vec          nodes;

  PetscFunctionBegin;
  if (degree < 2) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(DMPlexCreateCoordinateSpace(dm, degree, PETSC_FALSE, PETSC_TRUE));
  PetscCall(DMGetCoordinatesLocal(dm, &nodes));
  PetscCall(VecGetLocalSize(nodes, &size));
  PetscCall(VecGetArray(nodes, &x));
  for (PetscInt i = 0; i < size; i += 3) {
    PetscReal bump = most;

    for (PetscInt d = 0; d < 3; ++d) bump *= PetscSinReal(PETSC_PI * PetscRealPart(x[i + d]));
    for (PetscInt d = 0; d < 3; ++d) x[i + d] += d == 1 ? -bump : bump;
  }
  PetscCall(VecRestoreArray(nodes, &x));
  PetscCall(DMSetCoordinatesLocal(dm, nodes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Irregular, faces meet in all orientations; hexahedra are no parallelepipeds */
static PetscErrorCode Irregular(MPI_Comm comm, const Case *c, DM *dm)
{
  PetscFunctionBegin;
  PetscCall(PlexTestMesh(comm, c->cell, 1, dm));
  PetscCall(Bend(c->coordinates, 0.012, *dm));
  if (comm == PETSC_COMM_WORLD) PetscCall(PlexTestDistribute(dm, 0, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* n^3 cubes, or as many in 6 tetrahedra, of the unit cube; curved inside where coordinates are of degree > 1 */
static PetscErrorCode Cube(DMPolytopeType cell, PetscInt coordinates, PetscInt n, DM *dm)
{
  const PetscInt faces[3] = {n, n, n};

  PetscFunctionBegin;
  if (cell == DM_POLYTOPE_HEXAHEDRON)
    PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, 3, PETSC_FALSE, faces, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_TRUE,
                                  dm));
  else PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, 3, n, PETSC_FALSE, dm));
  PetscCall(Bend(coordinates, 0.06, *dm));
  PetscCall(PlexTestDistribute(dm, 0, PETSC_FALSE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(DM dm, const Case *c, const char system[], const char kind[], PlexPrecision precision,
                             PlexDG *dg, Vec *U)
{
  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, system));
  PetscCall(PlexDGSetDiscretization(*dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetDegree(*dg, c->N));
  PetscCall(PlexDGSetBackend(*dg, c->backend));
  PetscCall(PlexDGSetPrecision(*dg, precision));
  PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, kind));
  if (!strcmp(system, "burgers")) {
    const PetscReal none = 0.;

    PetscCall(PlexDGSetConstant(*dg, "amplitude", 1, &none));
  }
  if (c->way) PetscCall(PetscOptionsSetValue(NULL, "-plex_dg_gemm", c->way));
  PetscCall(PlexDGCreateVec(*dg, U));
  if (c->way) PetscCall(PetscOptionsClearValue(NULL, "-plex_dg_gemm"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   Polynomials that are continuous across faces, u = l(x)^k with l linear and u^2 in the space: u_t = -u
   (u_x + u_y + u_z) is exact, and nothing of the integrals, of the geometry or of the order in which the nodes of faces
   meet can be wrong
   ------------------------------------------------------------------------------------------------------------------ */

static PetscErrorCode Polynomial(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[],
                                 void *ctx)
{
  const PetscReal l = 0.8 + 0.6 * x[0] - 0.4 * x[1] + 0.5 * x[2];

  PetscFunctionBegin;
  u[0] = PetscPowRealInt(l, *(PetscInt *)ctx);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Derivative(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[],
                                 void *ctx)
{
  const PetscReal l = 0.8 + 0.6 * x[0] - 0.4 * x[1] + 0.5 * x[2];
  const PetscInt  k = *(PetscInt *)ctx;

  PetscFunctionBegin;
  u[0] = -0.7 * k * PetscPowRealInt(l, 2 * k - 1);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestPolynomial(const Case *c, PetscBool cube)
{
  PetscInt  k = c->N / (2 * c->coordinates);
  PetscReal most, largest;
  char      of[160];
  DM        dm;
  PlexDG    dg;
  Vec       U, R, exact;

  PetscFunctionBegin;
  if (cube) PetscCall(Cube(c->cell, c->coordinates, 1, &dm));
  else PetscCall(Irregular(PETSC_COMM_WORLD, c, &dm));
  PetscCall(Create(dm, c, "burgers", "outflow", PLEX_PRECISION_DOUBLE, &dg, &U));
  PetscCall(VecDuplicate(U, &R));
  PetscCall(VecDuplicate(U, &exact));
  PetscCall(PlexDGProject(dg, 0., Polynomial, &k, U));
  PetscCall(PlexDGProject(dg, 0., Derivative, &k, exact));
  PetscCall(PlexDGComputeRHS(dg, 0., U, R));
  PetscCall(VecNorm(exact, NORM_INFINITY, &largest));
  PetscCall(VecAXPY(R, -1., exact));
  PetscCall(VecNorm(R, NORM_INFINITY, &most));
  PetscCall(Describe(c, of, sizeof(of)));
  PetscCall(PlexTestReportOf((PetscBool)(k > 0 && most < 2e-10 * largest && largest > 0.1), of, "polynomials are exact",
                             "of degree %" PetscInt_FMT ": off by %g of %g", k, (double)most, (double)largest));
  PetscCall(VecDestroy(&exact));
  PetscCall(VecDestroy(&R));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   Tetrahedra with straight sides: as nodal DG. And all ways as the host, from states with jumps
   ------------------------------------------------------------------------------------------------------------------ */

static PetscErrorCode JumpRHS(DM dm, const Case *c, PlexDGDiscretization discretization, PlexPrecision precision,
                              Vec *values)
{
  const PetscReal alpha = 0.7, pressure = 0.3, frequency = 2., kappa = 1.3, volume = 0.8;
  PetscScalar    *r, *copy;
  PetscInt        n;
  PlexDG          dg;
  Vec             U, R;

  PetscFunctionBegin;
  if (c->way) PetscCall(PetscOptionsSetValue(NULL, "-plex_dg_gemm", c->way));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "acoustics_uniform"));
  PetscCall(PlexDGSetDegree(dg, c->N));
  PetscCall(PlexDGSetBackend(dg, c->backend));
  PetscCall(PlexDGSetPrecision(dg, precision));
  PetscCall(PlexDGSetDiscretization(dg, discretization));
  PetscCall(PlexDGSetConstant(dg, "alpha", 1, &alpha));
  PetscCall(PlexDGSetConstant(dg, "kappa", 1, &kappa));
  PetscCall(PlexDGSetConstant(dg, "volume", 1, &volume));
  PetscCall(PlexDGSetConstant(dg, "pressure", 1, &pressure));
  PetscCall(PlexDGSetConstant(dg, "frequency", 1, &frequency));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "wall"));
  for (PetscInt s = 0; s < 6; ++s) {
    PetscCall(DMGetStratumSize(dm, "sides", s + 1, &n));
    if (n) PetscCall(PlexDGAddBoundary(dg, "sides", s + 1, dg->system->kinds[s % dg->system->nkinds]));
  }
  PetscCall(PlexDGCreateVec(dg, &U));
  if (c->way) PetscCall(PetscOptionsClearValue(NULL, "-plex_dg_gemm"));
  PetscCall(VecDuplicate(U, &R));
  PetscCall(PlexTestJumps(U));
  PetscCall(PlexDGComputeRHS(dg, 0.3, U, R));
  PetscCall(VecGetLocalSize(R, &n));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, n, values));
  PetscCall(VecGetArray(R, &r));
  PetscCall(VecGetArrayWrite(*values, &copy));
  PetscCall(PetscArraycpy(copy, r, n));
  PetscCall(VecRestoreArrayWrite(*values, &copy));
  PetscCall(VecRestoreArray(R, &r));
  PetscCall(VecDestroy(&R));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* From what the host gives: by nodal DG, on a box, or by DG with quadrature */
static PetscErrorCode TestAgainst(const Case *c, PlexDGDiscretization discretization, PlexPrecision precision)
{
  const PetscReal tolerance = precision == PLEX_PRECISION_DOUBLE ? 1e-11 : 1e-3;
  const Case      host      = {PLEXBACKENDHOST, NULL, c->cell, c->coordinates, c->N};
  PetscReal       most, largest;
  char            of[160];
  DM              dm;
  Vec             expected, values;

  PetscFunctionBegin;
  if (discretization == PLEX_DG_NODAL) PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, 3, 2, PETSC_FALSE, &dm));
  else PetscCall(Irregular(PETSC_COMM_WORLD, c, &dm));
  PetscCall(PlexTestLabelSides(dm));
  PetscCall(JumpRHS(dm, &host, discretization, PLEX_PRECISION_DOUBLE, &expected));
  PetscCall(JumpRHS(dm, c, PLEX_DG_QUADRATURE, precision, &values));
  PetscCall(VecNorm(expected, NORM_INFINITY, &largest));
  PetscCall(VecAXPY(values, -1., expected));
  PetscCall(VecNorm(values, NORM_INFINITY, &most));
  PetscCall(Describe(c, of, sizeof(of)));
  PetscCall(PlexTestReportOf((PetscBool)(most < tolerance * largest && largest > 1.), of,
                             discretization == PLEX_DG_NODAL      ? "as nodal DG"
                             : precision == PLEX_PRECISION_DOUBLE ? "as the host"
                                                                  : "in single precision as the host in double",
                             "off by %g of %g", (double)most, (double)largest));
  PetscCall(VecDestroy(&expected));
  PetscCall(VecDestroy(&values));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   A standing wave in a cube with walls: the error falls as h^(N+1)
   ------------------------------------------------------------------------------------------------------------------ */

static PetscErrorCode Standing(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const PetscReal w = PETSC_PI * PetscSqrtReal(3.);

  PetscFunctionBegin;
  u[0] = PetscCosReal(w * t);
  for (PetscInt d = 0; d < 3; ++d) u[0] *= PetscCosReal(PETSC_PI * x[d]);
  for (PetscInt d = 0; d < 3; ++d) {
    u[1 + d] = PETSC_PI / w * PetscSinReal(w * t);
    for (PetscInt e = 0; e < 3; ++e) u[1 + d] *= e == d ? PetscSinReal(PETSC_PI * x[e]) : PetscCosReal(PETSC_PI * x[e]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestRate(const Case *c, PetscInt n)
{
  const PetscReal T = 0.1;
  PetscReal       error[2], before[4], after[4], lost = 0.;
  char            of[160];
  DM              dm;
  PlexDG          dg;
  Vec             U;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(Cube(c->cell, c->coordinates, n << k, &dm));
    PetscCall(Create(dm, c, "acoustics_uniform", "wall", PLEX_PRECISION_DOUBLE, &dg, &U));
    PetscCall(PlexDGProject(dg, 0., Standing, NULL, U));
    PetscCall(PlexDGComputeIntegrals(dg, U, before));
    PetscCall(PlexTestRun(dg, T, Standing, NULL, U));
    PetscCall(PlexDGComputeIntegrals(dg, U, after));
    PetscCall(PlexDGComputeL2Error(dg, T, Standing, NULL, U, &error[k]));
    lost = PetscMax(lost, PetscAbsReal(after[0] - before[0]));
    PetscCall(VecDestroy(&U));
    PetscCall(PlexDGDestroy(&dg));
    PetscCall(DMDestroy(&dm));
  }
  PetscCall(Describe(c, of, sizeof(of)));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: errors %.3g, %.3g, rate %.2f\n", of, (double)error[0], (double)error[1],
                        (double)PetscLog2Real(error[0] / error[1])));
  PetscCall(PlexTestReportOf((PetscBool)(PetscLog2Real(error[0] / error[1]) > c->N + 0.6 && error[1] < 0.05), of,
                             "the error falls as h^(N+1)", "errors %g, %g", (double)error[0], (double)error[1]));
  PetscCall(PlexTestReportOf((PetscBool)(lost < 1e-13), of, "the integral of the pressure stays", "%g is lost",
                             (double)lost));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   Energy: kept by the mean flux, never growing with the default step; the same on several processes as on one
   ------------------------------------------------------------------------------------------------------------------ */

static PetscErrorCode TestEnergy(const Case *c, PetscReal alpha, PetscInt steps)
{
  PetscReal energy, plus, minus, rate, dt, before, after = 0.;
  PetscBool grows = PETSC_FALSE;
  char      of[160];
  DM        dm;
  PlexDG    dg;
  Vec       U, R, V;
  TS        ts;

  PetscFunctionBegin;
  PetscCall(Irregular(PETSC_COMM_WORLD, c, &dm));
  PetscCall(Create(dm, c, "acoustics_uniform", "wall", PLEX_PRECISION_DOUBLE, &dg, &U));
  PetscCall(PlexDGSetConstant(dg, "alpha", 1, &alpha));
  PetscCall(PlexDGSetUp(dg));
  PetscCall(VecDuplicate(U, &R));
  PetscCall(VecDuplicate(U, &V));
  PetscCall(PlexDGProject(dg, 0., PlexTestRough, NULL, U));
  PetscCall(PlexDGComputeTimeStep(dg, NULL, &dt));
  PetscCall(PlexDGComputeEnergy(dg, U, &energy));
  PetscCall(PlexDGComputeRHS(dg, 0., U, R));
  PetscCall(VecWAXPY(V, dt, R, U));
  PetscCall(PlexDGComputeEnergy(dg, V, &plus));
  PetscCall(VecWAXPY(V, -dt, R, U));
  PetscCall(PlexDGComputeEnergy(dg, V, &minus));
  rate = (plus - minus) / 2.;
  PetscCall(Describe(c, of, sizeof(of)));
  if (alpha == 0.)
    PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(rate) < 1e-12 * energy), of, "the mean flux keeps energy",
                               "of %g it changes by %g in a step", (double)energy, (double)rate));
  else
    PetscCall(PlexTestReportOf((PetscBool)(rate < -1e-6 * energy), of, "the upwind flux takes energy away",
                               "of %g it changes by %g in a step", (double)energy, (double)rate));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxTime(ts, 1e6 * dt));
  PetscCall(TSSetSolution(ts, U));
  before = energy;
  for (PetscInt step = 0; step < steps; ++step) {
    PetscCall(TSStep(ts));
    PetscCall(PlexDGComputeEnergy(dg, U, &after));
    if (!(after <= before * (1. + 1e-12))) grows = PETSC_TRUE;
    before = after;
  }
  PetscCall(PlexTestReportOf((PetscBool)!grows, of, "energy never grows with the default step", "from %g to %g",
                             (double)energy, (double)after));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&R));
  PetscCall(VecDestroy(&V));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Energy and distance from a wave after 5 steps, of the irregular mesh */
static PetscErrorCode Run(MPI_Comm comm, const Case *c, PetscReal results[2])
{
  DM     dm;
  PlexDG dg;
  Vec    U;
  TS     ts;

  PetscFunctionBegin;
  PetscCall(Irregular(comm, c, &dm));
  PetscCall(Create(dm, c, "acoustics_uniform", "wall", PLEX_PRECISION_DOUBLE, &dg, &U));
  PetscCall(PlexDGProject(dg, 0., PlexTestRough, NULL, U));
  PetscCall(TSCreate(comm, &ts));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxTime(ts, 1e9));
  for (PetscInt step = 0; step < 5; ++step) PetscCall(TSStep(ts));
  PetscCall(PlexDGComputeEnergy(dg, U, &results[0]));
  PetscCall(PlexDGComputeL2Error(dg, 0., Standing, NULL, U, &results[1]));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestProcesses(const Case *c)
{
  PetscReal all[2], one[2];
  char      of[160];

  PetscFunctionBegin;
  PetscCall(Run(PETSC_COMM_WORLD, c, all));
  PetscCall(Run(PETSC_COMM_SELF, c, one));
  PetscCall(Describe(c, of, sizeof(of)));
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(all[0] - one[0]) < 1e-11 * one[0] &&
                                         PetscAbsReal(all[1] - one[1]) < 1e-11 * one[1] && one[0] > 0.),
                             of, "on several processes as on one", "energy %g, %g; distance %g, %g", (double)all[0],
                             (double)one[0], (double)all[1], (double)one[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   Points, and a checkpoint of other processes' or another order of cells
   ------------------------------------------------------------------------------------------------------------------ */

static PetscErrorCode TestFiles(const Case *c)
{
  const PetscReal points[6] = {0.31, 0.42, 0.57, 0.83, 0.11, 0.24};
  PetscReal       values[2], most = 0.;
  PetscInt        k = c->N / c->coordinates;
  PetscBool       missing[2];
  char            path[PETSC_MAX_PATH_LEN] = "", of[160];
  PetscMPIInt     rank;
  DM              dm;
  PlexDG          dg;
  Vec             U, V;
  TS              ts;
  PetscReal       t;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) {
    int fd;

    PetscCall(PetscStrncpy(path, "/tmp/dgsolid.XXXXXX", sizeof(path)));
    fd = mkstemp(path);
    PetscCheck(fd >= 0, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "No file in /tmp");
    close(fd);
  }
  PetscCallMPI(MPI_Bcast(path, sizeof(path), MPI_CHAR, 0, PETSC_COMM_WORLD));
  PetscCall(Cube(c->cell, c->coordinates, 2, &dm));
  PetscCall(Create(dm, c, "burgers", "outflow", PLEX_PRECISION_DOUBLE, &dg, &U));
  PetscCall(PlexDGProject(dg, 0., Polynomial, &k, U));
  PetscCall(Describe(c, of, sizeof(of)));
  {
    PlexDGProbes probes;

    PetscCall(PlexDGProbesCreate(dg, 2, points, missing, &probes));
    PetscCall(PlexDGProbesEvaluate(probes, U, values));
    PetscCall(PlexDGProbesDestroy(&probes));
  }
  for (PetscInt p = 0; p < 2; ++p) {
    PetscScalar exact;

    PetscCall(Polynomial(3, 0., &points[3 * p], 1, &exact, &k));
    most = PetscMax(most, PetscAbsReal(values[p] - PetscRealPart(exact)));
  }
  PetscCall(PlexTestReportOf((PetscBool)(!missing[0] && !missing[1] && most < 1e-12), of, "fields at points",
                             "off by %g", (double)most));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetTime(ts, 0.25));
  PetscCall(PlexDGSaveCheckpoint(dg, ts, U, path));
  PetscCall(TSSetTime(ts, 0.));
  PetscCall(VecDuplicate(U, &V));
  PetscCall(PlexDGLoadCheckpoint(dg, ts, path, V));
  PetscCall(TSGetTime(ts, &t));
  PetscCall(VecAXPY(V, -1., U));
  PetscCall(VecNorm(V, NORM_INFINITY, &most));
  PetscCall(PlexTestReportOf((PetscBool)(most == 0. && t == 0.25), of, "a checkpoint is read as it was", "off by %g",
                             (double)most));
  PetscCall(TSDestroy(&ts));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  if (!rank) unlink(path);
  PetscCall(VecDestroy(&V));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBackend(const char backend[])
{
  const DMPolytopeType cells[] = {DM_POLYTOPE_TETRAHEDRON, DM_POLYTOPE_HEXAHEDRON};
  const char *const    ways[]  = {"kernels", "blas", "fused"};
  const PetscBool      host    = (PetscBool)!strcmp(backend, PLEXBACKENDHOST);
  const PetscInt       nways   = host ? 1 : 3;

  PetscFunctionBegin;
  for (PetscInt s = 0; s < 2; ++s) {
    const DMPolytopeType cell = cells[s];
    const PetscInt       hex  = cell == DM_POLYTOPE_HEXAHEDRON;

    for (PetscInt w = 0; w < nways; ++w) {
      const char *way      = host ? NULL : ways[w];
      const Case  straight = {backend, way, cell, 1, 2}, curved = {backend, way, cell, 2, 4 - hex * !host},
                  rough = {backend, way, cell, 2, 2};

      PetscCall(TestPolynomial(&straight, PETSC_FALSE));
      if (host || !hex) PetscCall(TestPolynomial(&curved, PETSC_FALSE));
      if (!host) {
        PetscCall(TestAgainst(&straight, PLEX_DG_QUADRATURE, PLEX_PRECISION_DOUBLE));
        /* fused: too large for shared memory */
        if (w < 2 || !hex) PetscCall(TestAgainst(&rough, PLEX_DG_QUADRATURE, PLEX_PRECISION_DOUBLE));
        PetscCall(TestAgainst(&straight, PLEX_DG_QUADRATURE, PLEX_PRECISION_SINGLE));
      }
      for (PetscInt N = 1; N <= 4 && !hex; N += host ? 1 : 2) {
        const Case c = {backend, way, cell, 1, N};

        PetscCall(TestAgainst(&c, PLEX_DG_NODAL, PLEX_PRECISION_DOUBLE));
      }
    }
    for (PetscInt coordinates = 1; coordinates <= 2 && host; ++coordinates) {
      for (PetscInt N = coordinates; N <= 3; ++N) {
        const Case c = {backend, NULL, cell, coordinates, N};

        PetscCall(TestRate(&c, N < 2 ? 4 : 2));
        PetscCall(TestEnergy(&c, N % 2 ? 1. : 0., 10));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const DMPolytopeType cells[] = {DM_POLYTOPE_TETRAHEDRON, DM_POLYTOPE_HEXAHEDRON};
  const char *const   *backends;
  PetscMPIInt          size;
  PetscInt             n;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PlexTestBackends(&n, &backends));
  PetscCall(PlexTestRegisterSystems());
  for (PetscInt b = 0; b < n; ++b) {
    if (size == 1) PetscCall(TestBackend(backends[b]));
    for (PetscInt s = 0; s < 2; ++s) {
      const Case straight = {backends[b], NULL, cells[s], 1, 2}, curved = {backends[b], NULL, cells[s], 2, 2},
                 files = {backends[b], NULL, cells[s], 2, 4}, high = {backends[b], NULL, cells[s], 1, 10};

      if (size > 1) PetscCall(TestPolynomial(&straight, PETSC_FALSE));
      if (size > 1) PetscCall(TestProcesses(&curved));
      if (b) continue;
      PetscCall(TestFiles(&files));
      if (size == 1) PetscCall(TestPolynomial(&high, PETSC_TRUE));
    }
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
