static char
  help[] = "Classic cases of the tsunami model by DG with quadrature: Stommel's gyre, the second and the fifth "
           "case of Williamson et al. on the sphere north of 60 S.\n\n"
           "  -all         finer meshes and longer runs: some minutes\n"
           "  -only CASE   gyre, second or fifth\n\n";

#include <plexgpugeo.h>
#include "waterproblem.h"
#include "report.h"

static PetscErrorCode SetSystem(PlexDG dg, PetscInt N, PetscReal gravity)
{
  PetscFunctionBegin;
  PetscCall(PlexDGSetSystem(dg, "tsunami"));
  PetscCall(PlexDGSetDiscretization(dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetDegree(dg, N));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGSetConstant(dg, "gravity", 1, &gravity));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "wall"));
  PetscCall(PlexDGSetFromOptions(dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Zero(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < Nf; ++k) u[k] = 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How far U is from the values of func at the nodes in L2: elevation and discharge, which have other units */
static PetscErrorCode Distance(PlexDG dg, Vec U, PlexDGFn *func, void *ctx, PetscReal norm[2])
{
  const PetscInt Np = dg->reference->Np;
  Vec            difference, part;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(U, &difference));
  PetscCall(VecDuplicate(U, &part));
  PetscCall(PlexDGProject(dg, 0., func, ctx, difference));
  PetscCall(VecAXPY(difference, -1., U));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscScalar *v;

    PetscCall(VecCopy(difference, part));
    PetscCall(VecGetArray(part, &v));
    for (PetscInt e = 0; e < dg->mesh->Ne; ++e) PetscCall(PetscArrayzero(&v[(e * 3 + !k) * Np], (k ? 1 : 2) * Np));
    PetscCall(VecRestoreArray(part, &v));
    PetscCall(PlexDGComputeL2Error(dg, 0., Zero, NULL, part, &norm[k]));
  }
  PetscCall(VecDestroy(&part));
  PetscCall(VecDestroy(&difference));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Stommel, Trans. Am. Geophys. Union 29 (1948): a steady gyre in a basin under wind, with linear friction r and a
   Coriolis parameter beta y. With q = (-psi_y, psi_x) the curl of the momentum is

     r lap psi + beta psi_x = -(F pi/L) sin(pi y/L),   psi = X(x) sin(pi y/L)

   and the elevation follows from the momentum along y. Friction, beta, wind and depth are his; the basin is a square of
   1000 km, a tenth of his length, and gravity is so small that waves travel at 5 m/s: the steady q does not depend on
   it. */

#define GYRE_SIDE    1e6
#define GYRE_DEPTH   200.
#define GYRE_GRAVITY (25. / GYRE_DEPTH)
#define GYRE_DRAG    1e-6
#define GYRE_BETA    1e-11
#define GYRE_WIND    1e-4 /* stress over density, m^2/s^2 */

static PetscErrorCode BetaPlane(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  k[0] = GYRE_DEPTH;
  k[1] = GYRE_BETA * x[1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Wind(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = u[2] = 0.;
  u[1]        = -GYRE_WIND * PetscCosReal(PETSC_PI * x[1] / GYRE_SIDE);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Gyre(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const PetscReal k = PETSC_PI / GYRE_SIDE, half = 0.5 * GYRE_BETA / GYRE_DRAG,
                  root = PetscSqrtReal(half * half + k * k), A = -half + root, B = -half - root,
                  eA = PetscExpReal(A * GYRE_SIDE), eB = PetscExpReal(B * GYRE_SIDE), p = (1. - eB) / (eA - eB),
                  X0 = GYRE_WIND / (GYRE_DRAG * k), f = GYRE_BETA * x[1], a = p * PetscExpReal(A * x[0]),
                  b = (1. - p) * PetscExpReal(B * x[0]), X = X0 * (1. - a - b), dX = -X0 * (A * a + B * b),
                  s = PetscSinReal(k * x[1]), c = PetscCosReal(k * x[1]);

  PetscFunctionBegin;
  u[0] = (X * (f * s + GYRE_BETA / k * c) + GYRE_DRAG * dX / k * c) / (GYRE_GRAVITY * GYRE_DEPTH);
  u[1] = -X * k * c;
  u[2] = dX * s;
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PlexDG dg;
  Vec    wind;
} Forced;

static PetscErrorCode ForcedRHS(TS ts, PetscReal t, Vec U, Vec R, void *ctx)
{
  const Forced *forced = (const Forced *)ctx;

  PetscFunctionBegin;
  PetscCall(PlexDGComputeRHS(forced->dg, t, U, R));
  PetscCall(VecAXPY(R, 1., forced->wind));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Relative errors of elevation and discharge of a run from rest, or from the solution */
static PetscErrorCode RunGyre(PetscBool quadrilaterals, PetscInt N, PetscInt n, PetscBool rest, PetscReal error[2])
{
  const PetscReal linear = 1., drag = GYRE_DRAG, T = (rest ? 16. : 5.) / GYRE_DRAG;
  PetscReal       norm[2], mean[3], dt;
  Forced          forced;
  DM              dm;
  Vec             U, x;
  TS              ts;

  PetscFunctionBegin;
  PetscCall(PlexTestBasin(PETSC_COMM_WORLD, quadrilaterals, PLEX_TEST_AFFINE, n, 1, &dm));
  PetscCall(DMGetCoordinatesLocal(dm, &x));
  PetscCall(VecScale(x, GYRE_SIDE));
  PetscCall(DMSetCoordinatesLocal(dm, x));
  PetscCall(PlexDGCreate(dm, &forced.dg));
  PetscCall(DMDestroy(&dm));
  PetscCall(SetSystem(forced.dg, N, GYRE_GRAVITY));
  PetscCall(PlexDGSetConstant(forced.dg, "linear", 1, &linear));
  PetscCall(PlexDGSetConstant(forced.dg, "drag_linear", 1, &drag));
  PetscCall(PlexDGSetCoefficients(forced.dg, BetaPlane, NULL));
  PetscCall(PlexDGCreateVec(forced.dg, &U));
  PetscCall(VecDuplicate(U, &forced.wind));
  PetscCall(PlexDGProject(forced.dg, 0., Wind, NULL, forced.wind));
  PetscCall(PlexDGProject(forced.dg, 0., Gyre, NULL, U));
  if (rest) { /* at the mean level */
    PetscScalar *u;

    PetscCall(PlexDGComputeIntegrals(forced.dg, U, mean));
    PetscCall(VecSet(U, 0.));
    PetscCall(VecGetArray(U, &u));
    for (PetscInt e = 0; e < forced.dg->mesh->Ne; ++e)
      for (PetscInt i = 0; i < forced.dg->reference->Np; ++i)
        u[e * 3 * forced.dg->reference->Np + i] = mean[0] / PetscSqr(GYRE_SIDE);
    PetscCall(VecRestoreArray(U, &u));
  }
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(forced.dg, ts));
  PetscCall(TSSetRHSFunction(ts, NULL, ForcedRHS, &forced));
  PetscCall(TSGetTimeStep(ts, &dt));
  PetscCall(TSSetTimeStep(ts, T / PetscCeilReal(T / dt)));
  PetscCall(TSSetMaxTime(ts, T));
  PetscCall(TSSetMaxSteps(ts, PETSC_INT_MAX));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSSolve(ts, U));
  PetscCall(Distance(forced.dg, U, Gyre, NULL, error));
  PetscCall(VecSet(U, 0.));
  PetscCall(Distance(forced.dg, U, Gyre, NULL, norm));
  for (PetscInt k = 0; k < 2; ++k) error[k] /= norm[k];
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&forced.wind));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&forced.dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestGyre(PetscBool quadrilaterals, PetscInt N, PetscInt n, PetscReal most)
{
  PetscReal error[2][2], rate[2];
  char      of[128];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) PetscCall(RunGyre(quadrilaterals, N, n << k, PETSC_FALSE, error[k]));
  for (PetscInt k = 0; k < 2; ++k) rate[k] = PetscLog2Real(error[0][k] / error[1][k]);
  PetscCall(PetscSNPrintf(of, sizeof(of), "Stommel's gyre, %s, degree %" PetscInt_FMT,
                          quadrilaterals ? "quadrilaterals" : "triangles", N));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%s, %" PetscInt_FMT " and %" PetscInt_FMT
                        " cells: elevation %.3g, %.3g, rate %.2f; discharge %.3g, %.3g, rate %.2f\n",
                        of, n, 2 * n, (double)error[0][0], (double)error[1][0], (double)rate[0], (double)error[0][1],
                        (double)error[1][1], (double)rate[1]));
  PetscCall(PlexTestReportOf((PetscBool)(rate[0] > N + 0.5 && rate[1] > N + 0.5 && error[1][1] < most), of,
                             "the error falls as h^(N+1)", "%g, %g, rates %g, %g", (double)error[1][0],
                             (double)error[1][1], (double)rate[0], (double)rate[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The wind makes the same gyre of water at rest */
static PetscErrorCode TestSpinUp(void)
{
  PetscReal error[2][2];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) PetscCall(RunGyre(PETSC_TRUE, 3, 6, (PetscBool)!k, error[k]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "Stommel's gyre from rest: elevation %.4g, discharge %.4g; from the solution %.4g, %.4g\n",
                        (double)error[0][0], (double)error[0][1], (double)error[1][0], (double)error[1][1]));
  PetscCall(PlexTestReport((PetscBool)(PetscAbsReal(error[0][1] - error[1][1]) < 0.05 * error[1][1] &&
                                       PetscAbsReal(error[0][0] - error[1][0]) < 0.05 * error[1][0]),
                           "Stommel's gyre: the wind makes it of water at rest",
                           "errors %g, %g; from the solution %g, %g", (double)error[0][0], (double)error[0][1],
                           (double)error[1][0], (double)error[1][1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Williamson, Drake, Hack, Jakob and Swarztrauber, J. Comput. Phys. 102 (1992), on the sphere north of 60 S, 93 %
   of it, which a stereographic projection from the south pole maps to a disc. Its boundary is a wall: along it the flow
   of case 2 is parallel, so that the wall changes nothing. Case 5 in the original is on all of the sphere. */

#define EARTH    6.37122e6
#define ROTATION 7.292e-5
#define GRAVITY  9.80616
#define SOUTH    150. /* degrees from the north pole */

static const PlexSphere sphere = {
  EARTH, {0., 90.}
};

typedef struct {
  PetscReal speed, depth, mountain; /* of the flow at the equator, m/s; mean, m; height, m */
} Flow;
static const Flow second = {2. * PETSC_PI * EARTH / (12. * 86400.), 2.94e4 / GRAVITY, 0.}, fifth = {20., 5960., 2000.};

static PetscErrorCode Globe(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  const Flow *flow = (const Flow *)ctx;
  PetscReal   place[2];

  PetscFunctionBegin;
  PetscCall(PlexSphereGetPosition(&sphere, x, place));
  PetscCall(PlexSphereGetScale(&sphere, x, &k[2]));
  k[0] = flow->depth;
  k[1] = 2. * ROTATION * PetscSinReal(place[1] * PETSC_PI / 180.);
  if (flow->mountain > 0.) { /* a cone of 20 degrees at 90 W, 30 N */
    const PetscReal east = PetscAbsReal(place[0] + 90.), away = PetscMin(east, 360. - east), north = place[1] - 30.;

    k[0] -= flow->mountain * (1. - PetscMin(20., PetscSqrtReal(away * away + north * north)) / 20.);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A flow to the east of speed u0 cos latitude, and the surface that its forces ask for: m of the projection is (1 + sin
   latitude)/2, and u0 cos latitude east = u0 m (-y, x)/R */
static PetscErrorCode Zonal(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const Flow *flow = (const Flow *)ctx;
  PetscReal   k[3], m, sine;

  PetscFunctionBegin;
  PetscCall(Globe(dim, x, 0, 3, k, ctx));
  m    = k[2];
  sine = 2. * m - 1.;
  u[0] = -(EARTH * ROTATION * flow->speed + 0.5 * flow->speed * flow->speed) * sine * sine / GRAVITY;
  u[1] = -(k[0] + u[0]) * flow->speed * m * x[1] / EARTH;
  u[2] = (k[0] + u[0]) * flow->speed * m * x[0] / EARTH;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The triangles between two rings of vertices, na and nb, that begin at a and b: those whose ends come first, turning
   left */
static void Zip(PetscInt a, PetscInt na, PetscInt b, PetscInt nb, PetscInt cells[], PetscInt *n)
{
  for (PetscInt i = 0, j = 0; i < na || j < nb;) {
    PetscInt       *cell  = &cells[3 * (*n)++];
    const PetscBool outer = (PetscBool)(i == na || (j < nb && (j + 1) * na <= (i + 1) * nb));

    cell[0] = na ? a + i % na : a;
    cell[1] = b + j % nb;
    if (outer) cell[2] = b + ++j % nb;
    else cell[2] = a + ++i % na;
  }
}

/* Rings of triangles, on the sphere of about equal sides, on the plane that touches it at the north pole; the sides of
   the last ring are arcs, but for what polynomials of degree 2 leave of them */
static PetscErrorCode Rings(PetscInt rings, DM *dm)
{
  const PetscReal step = SOUTH / rings, radius = 2. * EARTH * PetscTanReal(SOUTH * PETSC_PI / 360.);
  const PetscInt  most = rings * ((PetscInt)(360. / step) + 6);
  PetscInt        nv = 1, nc = 0, last = 0, first = 0, size, *cells;
  PetscReal      *x;
  PetscScalar    *array;
  Vec             coordinates;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(6 * most, &cells, 2 * most, &x));
  x[0] = x[1] = 0.;
  for (PetscInt k = 1; k <= rings; ++k) {
    const PetscReal away = k * step * PETSC_PI / 180., r = 2. * EARTH * PetscTanReal(0.5 * away);
    const PetscInt  n = PetscMax(6, (PetscInt)PetscFloorReal(360. * PetscSinReal(away) / step + 0.5));

    for (PetscInt j = 0; j < n; ++j) {
      x[2 * (nv + j)]     = r * PetscCosReal(2. * PETSC_PI * j / n);
      x[2 * (nv + j) + 1] = r * PetscSinReal(2. * PETSC_PI * j / n);
    }
    Zip(first, last, nv, n, cells, &nc);
    first = nv;
    last  = n;
    nv += n;
  }
  PetscCall(DMPlexCreateFromCellListPetsc(PETSC_COMM_WORLD, 2, nc, nv, 3, PETSC_TRUE, cells, 2, x, dm));
  PetscCall(PetscFree2(cells, x));
  PetscCall(DMPlexCreateCoordinateSpace(*dm, 2, PETSC_FALSE, PETSC_TRUE));
  PetscCall(DMGetCoordinatesLocal(*dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &size));
  PetscCall(VecGetArray(coordinates, &array));
  for (PetscInt i = 0; i < size; i += 2) {
    const PetscReal r = PetscSqrtReal(PetscSqr(array[i]) + PetscSqr(array[i + 1])), part = 2. * PETSC_PI / last,
                    angle = PetscAtan2Real(array[i + 1], array[i]),
                    turn  = angle - part * (PetscFloorReal(angle / part) + 0.5); /* from the middle of a side */

    if (r * PetscCosReal(turn) < radius * (PetscCosReal(0.5 * part) - 1e-9)) continue;
    array[i] *= radius / r;
    array[i + 1] *= radius / r;
  }
  PetscCall(VecRestoreArray(coordinates, &array));
  PetscCall(DMSetCoordinatesLocal(*dm, coordinates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateGlobe(const Flow *flow, PetscInt N, PetscInt rings, PlexDG *dg)
{
  DM dm;

  PetscFunctionBegin;
  PetscCall(Rings(rings, &dm));
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(DMDestroy(&dm));
  PetscCall(SetSystem(*dg, N, GRAVITY));
  PetscCall(PlexDGSetCoefficients(*dg, Globe, (void *)flow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Case 2 after some days: l2 of the height, relative, as the paper has it; and of the discharge */
static PetscErrorCode TestSecond(PetscInt N, PetscInt rings, PetscReal days, PetscReal most)
{
  PetscReal error[2][2], rate, mass[2][3], norm[2], lost = 0.;
  char      of[128];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    PetscReal area[3];
    PlexDG    dg;
    Vec       U;

    PetscCall(CreateGlobe(&second, N, rings << k, &dg));
    PetscCall(PlexDGCreateVec(dg, &U));
    PetscCall(VecSet(U, 1.));
    PetscCall(PlexDGComputeIntegrals(dg, U, area));
    PetscCall(PlexDGProject(dg, 0., Zonal, (void *)&second, U));
    PetscCall(PlexDGComputeIntegrals(dg, U, mass[0]));
    PetscCall(VecSet(U, 0.));
    PetscCall(Distance(dg, U, Zonal, (void *)&second, norm));
    PetscCall(PlexTestRun(dg, 86400. * days, Zonal, (void *)&second, U));
    PetscCall(PlexDGComputeIntegrals(dg, U, mass[1]));
    PetscCall(Distance(dg, U, Zonal, (void *)&second, error[k]));
    lost = PetscMax(lost, PetscAbsReal(mass[1][0] - mass[0][0]) / (area[0] * second.depth));
    error[k][0] /= second.depth * PetscSqrtReal(area[0]);
    error[k][1] /= norm[1];
    PetscCall(VecDestroy(&U));
    PetscCall(PlexDGDestroy(&dg));
  }
  rate = PetscLog2Real(error[0][0] / error[1][0]);
  PetscCall(PetscSNPrintf(of, sizeof(of), "Williamson's case 2 north of 60 S, %g days, degree %" PetscInt_FMT,
                          (double)days, N));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%s, %" PetscInt_FMT " and %" PetscInt_FMT
                        " rings: height %.3g, %.3g, rate %.2f; discharge %.3g, %.3g, rate %.2f; mass changes by %.2g\n",
                        of, rings, 2 * rings, (double)error[0][0], (double)error[1][0], (double)rate,
                        (double)error[0][1], (double)error[1][1], (double)PetscLog2Real(error[0][1] / error[1][1]),
                        (double)lost));
  PetscCall(PlexTestReportOf((PetscBool)(rate > N + 0.5 && error[1][0] < most), of, "the error falls as h^(N+1)",
                             "%g, %g, rate %g", (double)error[0][0], (double)error[1][0], (double)rate));
  PetscCall(PlexTestReportOf((PetscBool)(lost < 1e-12), of, "water is conserved", "it changes by %g", (double)lost));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Case 5: a zonal flow meets a mountain. There is no exact solution: the flow at points of the sphere from grid to
   grid, mass and energy. */

#define LONGITUDES 12
#define LATITUDES  5

static PetscErrorCode RunFifth(PetscInt N, PetscInt rings, PetscReal days, PetscReal at[LATITUDES * LONGITUDES][3],
                               PetscReal *mass, PetscReal energy[2])
{
  PetscReal    x[LATITUDES * LONGITUDES][2], integrals[2][3], area[3];
  PlexDGProbes probes;
  PlexDG       dg;
  Vec          U;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < LATITUDES * LONGITUDES; ++k) {
    const PetscReal place[2] = {-163. + 30. * (k % LONGITUDES), -43. + 25. * (k / LONGITUDES)};

    PetscCall(PlexSphereProject(&sphere, place, x[k]));
  }
  PetscCall(CreateGlobe(&fifth, N, rings, &dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecSet(U, 1.));
  PetscCall(PlexDGComputeIntegrals(dg, U, area));
  PetscCall(PlexDGProject(dg, 0., Zonal, (void *)&fifth, U));
  PetscCall(PlexDGComputeIntegrals(dg, U, integrals[0]));
  PetscCall(PlexDGComputeEnergy(dg, U, &energy[0]));
  PetscCall(PlexTestRun(dg, 86400. * days, Zonal, (void *)&fifth, U));
  PetscCall(PlexDGComputeIntegrals(dg, U, integrals[1]));
  PetscCall(PlexDGComputeEnergy(dg, U, &energy[1]));
  *mass = PetscAbsReal(integrals[1][0] - integrals[0][0]) / (fifth.depth * area[0]);
  PetscCall(PlexDGProbesCreate(dg, LATITUDES * LONGITUDES, &x[0][0], NULL, &probes));
  PetscCall(PlexDGProbesEvaluate(probes, U, &at[0][0]));
  PetscCall(PlexDGProbesDestroy(&probes));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestFifth(PetscInt N, const PetscInt rings[3], PetscReal days, PetscReal most)
{
  PetscReal at[3][LATITUDES * LONGITUDES][3], off[2] = {0., 0.}, moved = 0., mass[3], energy[3][2];
  char      of[128];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 3; ++k) PetscCall(RunFifth(N, rings[k], days, at[k], &mass[k], energy[k]));
  for (PetscInt i = 0; i < LATITUDES * LONGITUDES; ++i) {
    const PetscReal place[2] = {-163. + 30. * (i % LONGITUDES), -43. + 25. * (i / LONGITUDES)};
    PetscReal       x[2];
    PetscScalar     u[3] = {0.};

    PetscCall(PlexSphereProject(&sphere, place, x));
    PetscCall(Zonal(2, 0., x, 3, u, (void *)&fifth));
    for (PetscInt k = 0; k < 2; ++k) off[k] += PetscSqr(at[k][i][0] - at[2][i][0]) / (LATITUDES * LONGITUDES);
    moved += PetscSqr(PetscRealPart(u[0]) - at[2][i][0]) / (LATITUDES * LONGITUDES);
  }
  for (PetscInt k = 0; k < 2; ++k) off[k] = PetscSqrtReal(off[k]);
  moved = PetscSqrtReal(moved);
  PetscCall(PetscSNPrintf(of, sizeof(of), "Williamson's mountain north of 60 S, %g days, degree %" PetscInt_FMT,
                          (double)days, N));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%s: the surface has moved by %.4g m, %" PetscInt_FMT " and %" PetscInt_FMT
                        " rings are %.3g and %.3g m off that of %" PetscInt_FMT
                        "; mass changes by %.2g, %.2g, %.2g, energy by %.3g, %.3g, %.3g\n",
                        of, (double)moved, rings[0], rings[1], (double)off[0], (double)off[1], rings[2],
                        (double)mass[0], (double)mass[1], (double)mass[2], (double)(energy[0][1] / energy[0][0] - 1.),
                        (double)(energy[1][1] / energy[1][0] - 1.), (double)(energy[2][1] / energy[2][0] - 1.)));
  PetscCall(PlexTestReportOf((PetscBool)(off[1] < 0.7 * off[0] && off[1] < most && moved > 10.), of,
                             "the surface comes nearer to that of a fine mesh", "off by %g, %g of %g m", (double)off[0],
                             (double)off[1], (double)moved));
  PetscCall(PlexTestReportOf((PetscBool)(PetscMax(mass[0], PetscMax(mass[1], mass[2])) < 1e-12), of,
                             "water is conserved", "it changes by %g, %g, %g", (double)mass[0], (double)mass[1],
                             (double)mass[2]));
  for (PetscInt k = 0; k < 3; ++k)
    PetscCall(PlexTestReportOf((PetscBool)(energy[k][1] <= energy[k][0]), of, "energy does not grow",
                               "it was %g and is %g", (double)energy[k][0], (double)energy[k][1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char      only[16] = "";
  PetscBool all      = PETSC_FALSE;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-all", &all, NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-only", only, sizeof(only), NULL));
  if (!only[0] || !strcmp(only, "gyre")) {
    for (PetscInt q = 0; q < 2; ++q)
      for (PetscInt N = 1; N <= (all ? 3 : PlexTestLong() ? 2 - q : 1); ++N)
        PetscCall(TestGyre((PetscBool)q, N, q ? 12 : 8, 0.05));
    PetscCall(TestSpinUp());
  }
  if (!only[0] || !strcmp(only, "second"))
    for (PetscInt N = 2; N <= (PlexTestLong() ? 3 : 2); ++N)
      PetscCall(TestSecond(N, (N == 2 ? 6 : 4) << all, 5., N == 2 ? 2.5e-4 : 1e-4));
  if (!only[0] || !strcmp(only, "fifth"))
    PetscCall(all ? TestFifth(3, (PetscInt[]){8, 12, 20}, 15., 5.) : TestFifth(3, (PetscInt[]){4, 6, 9}, 5., 10.));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
