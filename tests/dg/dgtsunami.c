static char help[] = "The tsunami model by DG with quadrature: a standing wave, a Kelvin wave, friction, Williamson's "
                     "second case on the sphere.\n\n";

#include <plexgpugeo.h>
#include "waterproblem.h"
#include "report.h"

#define GRAVITY 9.81

typedef struct {
  const char          *name;
  PetscBool            quadrilaterals, linear;
  PetscReal            lower, size, time; /* the mesh is lower + size [0, 1]^2 */
  PetscReal            coriolis;
  PlexDGCoefficientFn *coefficients;
  PlexDGFn            *exact;
  const char          *kinds[4]; /* of the sides: x low, x high, y low, y high */
} Problem;

static PetscErrorCode MakeMesh(const Problem *p, PetscInt n, DM *dm)
{
  Vec coordinates;

  PetscFunctionBegin;
  PetscCall(PlexTestBasin(PETSC_COMM_WORLD, p->quadrilaterals, PLEX_TEST_STRAIGHT, n, 1, dm));
  PetscCall(DMGetCoordinatesLocal(*dm, &coordinates));
  PetscCall(VecScale(coordinates, p->size));
  PetscCall(VecShift(coordinates, p->lower));
  PetscCall(DMSetCoordinatesLocal(*dm, coordinates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create(const Problem *p, PetscInt N, PetscInt n, PlexDG *dg)
{
  const PetscReal linear = p->linear ? 1. : 0.;
  DM              dm;

  PetscFunctionBegin;
  PetscCall(MakeMesh(p, n, &dm));
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexDGSetSystem(*dg, "tsunami"));
  PetscCall(PlexDGSetDiscretization(*dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetDegree(*dg, N));
  PetscCall(PlexDGSetBackend(*dg, PLEXBACKENDHOST));
  PetscCall(PlexDGSetConstant(*dg, "linear", 1, &linear));
  PetscCall(PlexDGSetConstant(*dg, "coriolis", 1, &p->coriolis));
  PetscCall(PlexDGSetCoefficients(*dg, p->coefficients, NULL));
  for (PetscInt s = 0; s < 4; ++s) PetscCall(PlexDGAddBoundary(*dg, "sides", s + 1, p->kinds[s]));
  PetscCall(PlexDGSetFromOptions(*dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The error of the run of degree N, relative to the solution */
static PetscErrorCode RunError(const Problem *p, PetscInt N, PetscInt n, PetscReal *error)
{
  PetscReal norm;
  PlexDG    dg;
  Vec       U;

  PetscFunctionBegin;
  PetscCall(Create(p, N, n, &dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexTestRun(dg, p->time, p->exact, NULL, U));
  PetscCall(PlexDGComputeL2Error(dg, p->time, p->exact, NULL, U, error));
  PetscCall(VecSet(U, 0.));
  PetscCall(PlexDGComputeL2Error(dg, p->time, p->exact, NULL, U, &norm));
  *error /= norm;
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestRate(const Problem *p, PetscInt N, PetscInt n, PetscReal most)
{
  PetscReal error[2], rate;
  char      of[128];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) PetscCall(RunError(p, N, n << k, &error[k]));
  rate = PetscLog2Real(error[0] / error[1]);
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, degree %" PetscInt_FMT, p->name,
                          p->quadrilaterals ? "quadrilaterals" : "triangles", N));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: errors %.3g, %.3g, rate %.2f\n", of, (double)error[0], (double)error[1],
                        (double)rate));
  PetscCall(PlexTestReportOf((PetscBool)(rate > N + 0.6 && error[1] < most), of, "the error falls as h^(N+1)",
                             "errors %g, %g, rate %g", (double)error[0], (double)error[1], (double)rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A standing wave in a basin of 5 km, 100 m deep, of 1 m: linear */

#define BASIN 5000.
#define DEPTH 100.

static PetscErrorCode Flat(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  k[0] = DEPTH;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Standing(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const PetscReal k = PETSC_PI / BASIN, c = PetscSqrtReal(GRAVITY * DEPTH);

  PetscFunctionBegin;
  u[0] = PetscCosReal(k * x[0]) * PetscCosReal(k * c * t);
  u[1] = c * PetscSinReal(k * x[0]) * PetscSinReal(k * c * t);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- A Kelvin wave along a wall: it falls off from the coast over the radius c/f, and has no velocity across */

#define CORIOLIS 4e-4
#define CHANNEL  1e6

static PetscErrorCode Kelvin(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const PetscReal c = PetscSqrtReal(GRAVITY * DEPTH), phase = (x[0] - 0.5 * CHANNEL - c * t) / (0.1 * CHANNEL);

  PetscFunctionBegin;
  u[0] = PetscExpReal(-phase * phase - CORIOLIS * x[1] / c);
  u[1] = c * u[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Williamson et al. (1992), J. Comput. Phys. 102, case 2: a steady geostrophic flow, here on a part of the sphere
   around a point of latitude LATITUDE, with the axis of the rotation at the pole. Elevations are about a depth of g
   h0/g. */

#define EARTH    6.37122e6
#define ROTATION 7.292e-5
#define SPEED    (2. * PETSC_PI * EARTH / (12. * 86400.))
#define MEAN     2000.
#define LATITUDE 35.

static const PlexSphere sphere = {
  EARTH, {20., LATITUDE}
};

static PetscErrorCode Sphere(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscReal place[2];

  PetscFunctionBegin;
  PetscCall(PlexSphereGetPosition(&sphere, x, place));
  PetscCall(PlexSphereGetScale(&sphere, x, &k[2]));
  k[0] = MEAN;
  k[1] = 2. * ROTATION * PetscSinReal(place[1] * PETSC_PI / 180.);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A flow to the east with u = SPEED cos latitude */
static PetscErrorCode Geostrophic(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[],
                                  void *ctx)
{
  PetscReal place[2], east[2], sine;

  PetscFunctionBegin;
  PetscCall(PlexSphereGetPosition(&sphere, x, place));
  PetscCall(PlexSphereGetEast(&sphere, x, east));
  sine = PetscSinReal(place[1] * PETSC_PI / 180.);
  u[0] = -(EARTH * ROTATION * SPEED + 0.5 * SPEED * SPEED) * sine * sine / GRAVITY;
  for (PetscInt d = 0; d < 2; ++d)
    u[1 + d] = (MEAN + u[0]) * SPEED * PetscCosReal(place[1] * PETSC_PI / 180.) * east[d];
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What remains of dU/dt in the elements that have no face on the boundary, whose flow no condition knows, by length on
   the sphere; and mass */
static PetscErrorCode TestSphere(PetscBool quadrilaterals, PetscInt N)
{
  const Problem p = {
    "a steady flow on the sphere",
    quadrilaterals,
    PETSC_FALSE,
    -0.3 * EARTH,
    0.6 * EARTH,
    0.,
    0.,
    Sphere,
    Geostrophic,
    {"wall", "wall", "wall", "wall"}
  };
  PetscReal most[2] = {0., 0.}, rate;
  char      of[128];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    PlexDG             dg;
    Vec                U, R;
    const PetscScalar *r;
    PetscInt           size;

    PetscCall(Create(&p, N, (N == 1 ? 16 : 6) << k, &dg));
    PetscCall(PlexDGCreateVec(dg, &U));
    PetscCall(VecDuplicate(U, &R));
    PetscCall(PlexDGProject(dg, 0., Geostrophic, NULL, U));
    PetscCall(PlexDGComputeRHS(dg, 0., U, R));
    PetscCall(VecGetArrayRead(R, &r));
    size = 3 * dg->reference->Np;
    for (PetscInt e = 0; e < dg->mesh->Ne; ++e) {
      PetscBool inside = PETSC_TRUE;

      for (PetscInt f = 0; f < dg->mesh->faces; ++f)
        inside = (PetscBool)(inside && dg->mesh->links[e * dg->mesh->faces + f] >= 0);
      for (PetscInt i = dg->reference->Np; i < size && inside; ++i)
        most[k] = PetscMax(most[k], PetscAbsScalar(r[e * size + i]));
    }
    PetscCall(VecRestoreArrayRead(R, &r));
    PetscCall(VecDestroy(&U));
    PetscCall(VecDestroy(&R));
    PetscCall(PlexDGDestroy(&dg));
  }
  rate = PetscLog2Real(most[0] / most[1]);
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, degree %" PetscInt_FMT, p.name,
                          quadrilaterals ? "quadrilaterals" : "triangles", N));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: dq/dt %.3g, %.3g m^2/s^2, rate %.2f\n", of, (double)most[0],
                        (double)most[1], (double)rate));
  PetscCall(PlexTestReportOf((PetscBool)(rate > N - 0.3 && most[1] < 2. * ROTATION * MEAN * SPEED * 0.02), of,
                             "what is left of its forces falls as h^N", "%g, %g, rate %g", (double)most[0],
                             (double)most[1], (double)rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The error after 20 minutes where nothing has come from the boundary, relative to the discharge: the largest at the
   nodes of elements near the center */
static PetscErrorCode TestSphereRun(PetscBool quadrilaterals, PetscInt N)
{
  const Problem p = {
    "a steady flow on the sphere",
    quadrilaterals,
    PETSC_FALSE,
    -0.3 * EARTH,
    0.6 * EARTH,
    1200.,
    0.,
    Sphere,
    Geostrophic,
    {"wall", "wall", "wall", "wall"}
  };
  PetscReal most[2] = {0., 0.}, rate;
  char      of[128];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    PlexDG             dg;
    Vec                U, exact;
    const PetscScalar *u;
    PetscInt           size;

    PetscCall(Create(&p, N, 16 << k, &dg));
    PetscCall(PlexDGCreateVec(dg, &U));
    PetscCall(VecDuplicate(U, &exact));
    PetscCall(PlexTestRun(dg, p.time, Geostrophic, NULL, U));
    PetscCall(PlexDGProject(dg, p.time, Geostrophic, NULL, exact));
    PetscCall(VecAXPY(exact, -1., U));
    PetscCall(VecGetArrayRead(exact, &u));
    size = 3 * dg->reference->Np;
    for (PetscInt e = 0; e < dg->mesh->Ne; ++e) {
      const PetscReal *x   = &dg->mesh->x[e * dg->mesh->nv * 2];
      PetscReal        far = 0.;

      for (PetscInt i = 0; i < 2 * dg->mesh->nv; ++i) far = PetscMax(far, PetscAbsReal(x[i]));
      for (PetscInt i = dg->reference->Np; i < size && far < 0.1 * EARTH; ++i)
        most[k] = PetscMax(most[k], PetscAbsScalar(u[e * size + i]) / (MEAN * SPEED));
    }
    PetscCall(VecRestoreArrayRead(exact, &u));
    PetscCall(VecDestroy(&U));
    PetscCall(VecDestroy(&exact));
    PetscCall(PlexDGDestroy(&dg));
  }
  rate = PetscLog2Real(most[0] / most[1]);
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, degree %" PetscInt_FMT, p.name,
                          quadrilaterals ? "quadrilaterals" : "triangles", N));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: after 20 minutes %.3g, %.3g, rate %.2f\n", of, (double)most[0],
                        (double)most[1], (double)rate));
  PetscCall(PlexTestReportOf((PetscBool)(rate > N + 0.5 && most[1] < 0.01), of,
                             "it stays, to an error that falls as h^(N+1)", "%g, %g, rate %g", (double)most[0],
                             (double)most[1], (double)rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Water at rest on the sphere over a bottom of varying depth; its volume is that of the sphere's surface */

static PetscErrorCode Rolling(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  PetscCall(Sphere(dim, x, cell, n, k, ctx));
  k[0] += 900. * PetscSinReal(x[0] / 3e5) * PetscCosReal(x[1] / 2e5);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Still(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = *(const PetscReal *)ctx;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestSphereRest(void)
{
  const Problem p = {
    "on the sphere",
    PETSC_FALSE,
    PETSC_FALSE,
    -0.3 * EARTH,
    0.6 * EARTH,
    0.,
    0.,
    Rolling,
    Still,
    {"wall", "wall", "wall", "wall"}
  };
  PetscReal level = 0., norm, area[3], expected = 0.;
  PlexDG    dg;
  Vec       U, R;

  PetscFunctionBegin;
  PetscCall(Create(&p, 4, 6, &dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecDuplicate(U, &R));
  PetscCall(PlexDGComputeRHS(dg, 0., U, R));
  PetscCall(VecNorm(R, NORM_INFINITY, &norm));
  PetscCall(PlexTestReportOf((PetscBool)(norm == 0.), p.name, "water at rest has no time derivative", "%g",
                             (double)norm));
  level = 1.;
  PetscCall(PlexDGProject(dg, 0., Still, &level, U));
  PetscCall(PlexDGComputeIntegrals(dg, U, area));
  for (PetscInt i = 0; i < 400; ++i) /* of (1 + |x|^2/(4 R^2))^-2 over the square, by the midpoint rule */
    for (PetscInt j = 0; j < 400; ++j) {
      const PetscReal x[2] = {p.lower + p.size * (i + 0.5) / 400., p.lower + p.size * (j + 0.5) / 400.};
      PetscReal       scale;

      PetscCall(PlexSphereGetScale(&sphere, x, &scale));
      expected += PetscSqr(scale * p.size / 400.);
    }
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(area[0] - expected) < 1e-5 * expected), p.name,
                             "integrals are those of its surface", "%g, expected %g", (double)area[0],
                             (double)expected));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&R));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* There and back, and the east by differences */
static PetscErrorCode TestProjection(void)
{
  const PetscReal places[4][2] =
    {
      {20.,  35. },
      {-10., 60. },
      {45.,  -20.},
      {30.,  80. }
  },
                  h = 1e-5;
  PetscReal most = 0., off = 0.;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 4; ++k) {
    const PetscReal moved[2] = {places[k][0] + h, places[k][1]};
    PetscReal       x[2], y[2], back[2], east[2], scale, length;

    PetscCall(PlexSphereProject(&sphere, places[k], x));
    PetscCall(PlexSphereProject(&sphere, moved, y));
    PetscCall(PlexSphereGetPosition(&sphere, x, back));
    PetscCall(PlexSphereGetEast(&sphere, x, east));
    PetscCall(PlexSphereGetScale(&sphere, x, &scale));
    length = PetscCosReal(places[k][1] * PETSC_PI / 180.) * EARTH * h * PETSC_PI / 180. / scale;
    for (PetscInt d = 0; d < 2; ++d) {
      most = PetscMax(most, PetscAbsReal(back[d] - places[k][d]));
      off  = PetscMax(off, PetscAbsReal((y[d] - x[d]) / length - east[d]));
    }
  }
  PetscCall(PlexTestReport((PetscBool)(most < 1e-11), "places of the sphere are where they were projected from",
                           "off by %g degrees", (double)most));
  PetscCall(PlexTestReport((PetscBool)(off < 1e-6), "the east of the plane, and its scale", "off by %g", (double)off));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Friction alone: a channel of still water whose discharge decays, q_t = -gamma q */

static PetscErrorCode Stream(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[1] = 300.;
  u[2] = -400.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestFriction(const char option[], const char value[], PetscBool linear, PetscReal gamma)
{
  const Problem p = {
    option, PETSC_TRUE, linear, 0., 1000., 0., 0., Flat, Stream, {"wall", "wall", "wall", "wall"}
  };
  PlexDG    dg;
  Vec       U, R;
  PetscReal most = 0.;

  PetscFunctionBegin;
  PetscCall(PetscOptionsSetValue(NULL, option, value));
  PetscCall(Create(&p, 2, 3, &dg));
  PetscCall(PetscOptionsClearValue(NULL, option));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecDuplicate(U, &R));
  PetscCall(PlexDGProject(dg, 0., Stream, NULL, U));
  PetscCall(PlexDGComputeRHS(dg, 0., U, R));
  {
    const PetscScalar *r;

    PetscCall(VecGetArrayRead(R, &r));
    for (PetscInt e = 0; e < dg->mesh->Ne; ++e) {
      PetscBool inside = PETSC_TRUE;

      for (PetscInt f = 0; f < 4; ++f) inside = (PetscBool)(inside && dg->mesh->links[e * 4 + f] >= 0);
      for (PetscInt i = 0; i < 27 && inside; ++i)
        most = PetscMax(most, PetscAbsReal(r[e * 27 + i] - (i < 9 ? 0. : i < 18 ? -300. * gamma : 400. * gamma)));
    }
    PetscCall(VecRestoreArrayRead(R, &r));
  }
  PetscCall(PlexTestReportOf((PetscBool)(most < 1e-10), option,
                             linear ? "the friction of the linear equations" : "the friction", "off by %g",
                             (double)most));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&R));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Friction where water is thin: a wave that runs up a beach of 30 km, with steps of the deep sea */

#define RUNUP 60000.

static PetscErrorCode Beach(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  k[0] = (x[0] < 30000. ? 1e-3 : 1e-2) * (x[0] - 30000.);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Swell(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = 25. * PetscExpReal(-PetscSqr((x[0] - 45000.) / 7000.));
  u[1] = u[2] = 0.;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Runs with the default step; least and largest energy are those of the beginning and the end */
static PetscErrorCode RunUp(void *ctx)
{
  const Problem p = {
    "run-up", PETSC_TRUE, PETSC_FALSE, 0., RUNUP, 0., 0., Beach, Swell, {"wall", "wall", "wall", "wall"}
  };
  PetscReal energy[2];
  PlexDG    dg;
  Vec       U;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, (const char *)ctx));
  PetscCall(Create(&p, 1, 12, &dg));
  PetscCall(PlexTestClearOptions((const char *)ctx));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., Swell, NULL, U));
  PetscCall(PlexDGComputeEnergy(dg, U, &energy[0]));
  PetscCall(PlexTestRun(dg, 4000., Swell, NULL, U));
  PetscCall(PlexDGComputeEnergy(dg, U, &energy[1]));
  PetscCheck(energy[1] <= energy[0], PETSC_COMM_SELF, PETSC_ERR_NOT_CONVERGED, "The energy was %g and is %g",
             (double)energy[0], (double)energy[1]);
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetUpTsunami(void *ctx)
{
  const Problem p = {
    "set-up", PETSC_TRUE, PETSC_FALSE, 0., RUNUP, 0., 0., Flat, Swell, {"wall", "wall", "wall", "wall"}
  };
  PlexDG         dg;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PetscOptionsInsertString(NULL, (const char *)ctx));
  ierr = Create(&p, 1, 2, &dg);
  PetscCall(PlexTestClearOptions((const char *)ctx));
  PetscCall(ierr);
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The default step of drag_linear r, of which the step of the waves alone is dt0: 1/(1/dt0 + r/2) */
static PetscErrorCode TestDragStep(void)
{
  const Problem p = {
    "drag", PETSC_TRUE, PETSC_TRUE, 0., 1000., 0., 0., Flat, Stream, {"wall", "wall", "wall", "wall"}
  };
  const PetscReal drag = 5.;
  PetscReal       dt[2];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    PlexDG dg;

    PetscCall(Create(&p, 2, 3, &dg));
    if (k) PetscCall(PlexDGSetConstant(dg, "drag_linear", 1, &drag));
    PetscCall(PlexDGComputeTimeStep(dg, NULL, &dt[k]));
    PetscCall(PlexDGDestroy(&dg));
  }
  PetscCall(PlexTestReport((PetscBool)(PetscAbsReal(1. / dt[1] - 1. / dt[0] - drag / 2.) < 1e-10),
                           "the default step of linear friction", "%g with, %g without", (double)dt[1], (double)dt[0]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Thin water that is fast: all friction at its bound, drag_rate, and the same by all backends */
static PetscErrorCode TestDragRate(void)
{
  const Problem p = {
    "bound", PETSC_TRUE, PETSC_FALSE, 0., 1000., 0., 0., Flat, Stream, {"wall", "wall", "wall", "wall"}
  };
  const char *const *backends;
  const PetscReal    bound = 0.25, zero = 0.;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) {
    PetscReal most, largest;
    PlexDG    dg;
    Vec       U, R[2];

    for (PetscInt k = 0; k < 2; ++k) { /* with friction, and without */
      PetscCall(PetscOptionsSetValue(NULL, "-plex_dg_manning", k ? "0" : "30"));
      PetscCall(Create(&p, 2, 3, &dg));
      PetscCall(PetscOptionsClearValue(NULL, "-plex_dg_manning"));
      PetscCall(PlexDGSetBackend(dg, backends[b]));
      PetscCall(PlexDGSetConstant(dg, "drag_rate", 1, k ? &zero : &bound));
      PetscCall(PlexDGCreateVec(dg, &U));
      PetscCall(VecDuplicate(U, &R[k]));
      PetscCall(PlexDGProject(dg, 0., Stream, NULL, U));
      PetscCall(PlexDGComputeRHS(dg, 0., U, R[k]));
      if (k) PetscCall(VecAXPY(R[0], -1., R[1]));
      if (k) PetscCall(VecAXPY(R[0], bound, U));
      if (k) PetscCall(VecNorm(R[0], NORM_INFINITY, &most));
      PetscCall(VecNorm(U, NORM_INFINITY, &largest));
      PetscCall(VecDestroy(&U));
      PetscCall(PlexDGDestroy(&dg));
    }
    PetscCall(PlexTestReportOf((PetscBool)(most < 1e-9 * largest && largest > 100.), backends[b],
                               "friction has a bound", "off by %g", (double)most));
    for (PetscInt k = 0; k < 2; ++k) PetscCall(VecDestroy(&R[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestStiffFriction(void)
{
  const char *const options[] = {"-plex_dg_dry 0.1 -plex_dg_manning 0.03", "-plex_dg_dry 0.1 -plex_dg_manning 0.1",
                                 "-plex_dg_dry 0.1 -plex_dg_drag_quadratic 0.05",
                                 "-plex_dg_dry 0.1 -plex_dg_manning 0.1 -plex_dg_precision single"};

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(options); ++k)
    PetscCall(PlexTestReportOf((PetscBool)!RunUp((void *)options[k]), options[k], "run-up with the default step",
                               "it is an error"));
  EXPECT("friction that explicit steps cannot follow", RunUp,
         (void *)"-plex_dg_dry 0.1 -plex_dg_manning 0.3 -plex_dg_drag_rate 1e9", "grows without bound", "manning",
         "drag_rate", "drag_depth");
  EXPECT("a negative Manning number", SetUpTsunami, (void *)"-plex_dg_manning -0.03",
         "Constant manning of system tsunami is -0.03", "at least 0", "-plex_dg_manning");
  EXPECT("gravity of the wrong sign", SetUpTsunami, (void *)"-plex_dg_gravity -9.81",
         "Constant gravity of system tsunami is -9.81", "more than 0");
  EXPECT("no depth in friction", SetUpTsunami, (void *)"-plex_dg_drag_depth 0",
         "Constant drag_depth of system tsunami is 0", "more than 0");
  PetscCall(TestDragStep());
  PetscCall(TestDragRate());
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(TestProjection());
  PetscCall(TestSphereRest());
  PetscCall(TestFriction("-plex_dg_drag_linear", "1e-3", PETSC_FALSE, 1e-3));
  PetscCall(TestFriction("-plex_dg_drag_quadratic", "0.02", PETSC_FALSE, 0.02 * 5. / DEPTH));
  PetscCall(TestFriction("-plex_dg_manning", "0.025", PETSC_FALSE,
                         GRAVITY * 0.025 * 0.025 * 5. / PetscPowReal(DEPTH, 4. / 3.)));
  PetscCall(TestFriction("-plex_dg_manning", "0.025", PETSC_TRUE,
                         GRAVITY * 0.025 * 0.025 / PetscPowReal(DEPTH, 4. / 3.)));
  PetscCall(TestStiffFriction());
  for (PetscInt q = 0; q < 2; ++q) {
    for (PetscInt N = 1; N <= 3; ++N) {
      const Problem standing = {
        "a standing wave of 5 km",       (PetscBool)q, PETSC_TRUE, 0., BASIN, 150., 0., Flat, Standing,
        {"wall", "wall", "wall", "wall"}
      };
      const Problem kelvin = {
        "a Kelvin wave", (PetscBool)q, PETSC_TRUE, 0.,     CHANNEL,
        3000.,           CORIOLIS,     Flat,       Kelvin, {"open", "open", "wall", "open"}
      };

      PetscCall(TestRate(&standing, N, 8, 0.05));

      if (N > 1) PetscCall(TestRate(&kelvin, N, 12, 0.05));
      PetscCall(TestSphere((PetscBool)q, N));
      if (N > 1) PetscCall(TestSphereRun((PetscBool)q, N));
    }
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
