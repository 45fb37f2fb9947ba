static char
  help[] = "What reads gradients: sources of a system of a user's own; walls without slip, in the plane and on "
           "the sphere.\n\n";

#define PLEX_DG_POINTWISE "tests/dg/gradients.h" /* from the top folder, where tests run */
#define PLEX_DG_ONLY      2
#include <plexgpu/dg_system.h>
#include <math.h>
#include "waterproblem.h"
#include "report.h"

#define VISCOSITY 0.1
#define SIZE      1e-8 /* of velocities, whose squares are then rounding */

static const char *const     fields[]    = {"p", "h"};
static const char *const     kinds[]     = {"isolated"};
static const PlexDGParameter constants[] = {
  {"viscosity", 1, {VISCOSITY}}
};

static PetscErrorCode CreateGradients(PlexDGSystem system)
{
  PetscFunctionBegin;
  PLEX_DG_SYSTEM_SET(system, fields, kinds, constants, PLEX_DG_NONE);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* phi = 2 + exp(-2 nu pi^2 t) cos(pi x) cos(pi y) */
static PetscErrorCode ColeHopf(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const PetscReal rate = 2. * VISCOSITY * PetscSqr(PETSC_PI), falls = PetscExpReal(-rate * t);

  PetscFunctionBegin;
  u[0] = -VISCOSITY * PETSC_PI * PetscSinReal(PETSC_PI * x[0]) * PetscCosReal(PETSC_PI * x[1]) * (1. - falls) / rate;
  u[1] = VISCOSITY * PetscLogReal(2. + falls * PetscCosReal(PETSC_PI * x[0]) * PetscCosReal(PETSC_PI * x[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Water in a disc, a hexagon of triangles around whose vertices circles go, and that flows around its center */

/* The hexagon's rings, or three parallelograms: nodes move out, to the circle where they are on the boundary */
static PetscErrorCode Disc(PetscInt n, PetscInt degree, PetscReal radius, DM *dm)
{
  PetscInt     nv = 0, nc = 0, size, *cells, *rows;
  PetscReal   *x;
  PetscScalar *array;
  Vec          coordinates;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(18 * n * n, &cells, 2 * (3 * n * (n + 1) + 1), &x, 2 * n + 2, &rows));
  for (PetscInt b = -n; b <= n; ++b) { /* rows of vertices */
    rows[b + n] = nv;
    for (PetscInt a = PetscMax(-n, -n - b); a <= PetscMin(n, n - b); ++a, ++nv) {
      x[2 * nv]     = (a + 0.5 * b) / (PetscReal)n;
      x[2 * nv + 1] = 0.5 * PetscSqrtReal(3.) * b / (PetscReal)n;
    }
  }
  for (PetscInt b = -n; b < n; ++b)
    for (PetscInt a = -n; a <= n; ++a) {
      const PetscInt low = PetscMax(-n, -n - b), high = PetscMin(n, n - b), lowest = PetscMax(-n, -n - b - 1),
                     highest = PetscMin(n, n - b - 1), here = rows[b + n] + a - low,
                     above = rows[b + n + 1] + a - lowest;

      if (a < low || a > high) continue;
      if (a < high && a >= lowest && a <= highest) { /* (a, b), (a + 1, b), (a, b + 1) */
        cells[3 * nc]       = here;
        cells[3 * nc + 1]   = here + 1;
        cells[3 * nc++ + 2] = above;
      }
      if (a - 1 >= lowest && a <= highest) { /* (a, b), (a, b + 1), (a - 1, b + 1) */
        cells[3 * nc]       = here;
        cells[3 * nc + 1]   = above;
        cells[3 * nc++ + 2] = above - 1;
      }
    }
  PetscCall(DMPlexCreateFromCellListPetsc(PETSC_COMM_SELF, 2, nc, nv, 3, PETSC_TRUE, cells, 2, x, dm));
  PetscCall(PetscFree3(cells, x, rows));
  PetscCall(DMPlexCreateCoordinateSpace(*dm, degree, PETSC_FALSE, PETSC_TRUE));
  PetscCall(DMGetCoordinatesLocal(*dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &size));
  PetscCall(VecGetArray(coordinates, &array));
  for (PetscInt i = 0; i < size; i += 2) {
    const PetscReal r    = PetscSqrtReal(PetscSqr(array[i]) + PetscSqr(array[i + 1]));
    PetscReal       ring = 0., factor;

    for (PetscInt k = 0; k < 6; ++k)
      ring = PetscMax(ring, (array[i] * PetscCosReal((k + 0.5) * PETSC_PI / 3.) +
                             array[i + 1] * PetscSinReal((k + 0.5) * PETSC_PI / 3.)) /
                              PetscCosReal(PETSC_PI / 6.));
    factor = r > 0. ? radius * (1. + PetscPowRealInt(ring, 4) * (ring / r - 1.)) : radius;
    array[i] *= factor;
    array[i + 1] *= factor;
  }
  PetscCall(VecRestoreArray(coordinates, &array));
  PetscCall(DMSetCoordinatesLocal(*dm, coordinates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Flows around the center, that decay at a rate by themselves, where a is the angle from the pole of a sphere of radius
   1, and r = 2 tan(a/2) in the plane that touches it */
typedef struct {
  const char *name;
  const char *wall;
  PetscBool   sphere;
  PetscReal   radius; /* of the disc */
  PetscReal   rate;   /* times the viscosity */
  PetscReal (*velocity)(PetscReal);
} Flow;

#define BESSEL 3.8317059702075123 /* the first root of J1 */

static PetscReal Bessel(PetscReal r)
{
  return j1(BESSEL * r);
}
static PetscReal Rigid(PetscReal r)
{
  return PetscSinReal(2. * PetscAtanReal(0.5 * r));
}
static PetscReal Second(PetscReal r) /* dP_2/da, 0 at the equator */
{
  return PetscSinReal(4. * PetscAtanReal(0.5 * r));
}
static PetscReal Third(PetscReal r) /* dP_3/da, without stress at the equator */
{
  const PetscReal a = 2. * PetscAtanReal(0.5 * r);

  return PetscSinReal(a) * (5. * PetscSqr(PetscCosReal(a)) - 1.);
}
static PetscReal Turning(PetscReal r)
{
  return r;
}

/* dP_l/da decays at the rate l (l + 1) - 2: it is the curl of a spherical harmonic */
static const Flow flows[] = {
  {"a disc without slip",                          "no_slip", PETSC_FALSE, 1., BESSEL * BESSEL, Bessel },
  {"water that turns as a rigid body",             "wall",    PETSC_FALSE, 1., 0.,              Turning},
  {"a hemisphere that turns as a rigid body",      "wall",    PETSC_TRUE,  2., 0.,              Rigid  },
  {"a cap of 53 degrees, turning as a rigid body", "wall",    PETSC_TRUE,  1., 0.,              Rigid  },
  {"a hemisphere without slip, l = 2",             "no_slip", PETSC_TRUE,  2., 4.,              Second },
  {"a hemisphere with slip, l = 3",                "wall",    PETSC_TRUE,  2., 10.,             Third  }
};

static PetscErrorCode Around(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const Flow     *flow = (const Flow *)ctx;
  const PetscReal r    = PetscSqrtReal(x[0] * x[0] + x[1] * x[1]),
                  v    = r > 0. ? SIZE * PetscExpReal(-VISCOSITY * flow->rate * t) * (*flow->velocity)(r) / r : 0.;

  PetscFunctionBegin;
  u[0] = 0.;
  u[1] = -v * x[1];
  u[2] = v * x[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Sphere(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  k[0] = 1.;
  k[1] = 0.;
  k[2] = 1. / (1. + (x[0] * x[0] + x[1] * x[1]) / 4.);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Rates */

static PetscErrorCode Start(DM *dm, const char system[], PetscInt N, const char backend[], PlexPrecision precision,
                            const char wall[], PlexDG *dg)
{
  PetscFunctionBegin;
  PetscCall(PlexDGCreate(*dm, dg));
  PetscCall(DMDestroy(dm));
  PetscCall(PlexDGSetSystem(*dg, system));
  PetscCall(PlexDGSetDiscretization(*dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetDegree(*dg, N));
  PetscCall(PlexDGSetBackend(*dg, backend));
  PetscCall(PlexDGSetPrecision(*dg, precision));
  PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, wall));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* L2 error of field f at time t, over that of nothing */
static PetscErrorCode FieldError(PlexDG dg, PetscReal t, PlexDGFn *exact, void *ctx, Vec U, PetscInt f,
                                 PetscReal *error)
{
  const PetscInt     Np = dg->reference->Np, Nf = dg->system->Nf;
  PetscReal          size = 0.;
  const PetscReal   *x;
  const PetscScalar *u;

  PetscFunctionBegin;
  *error = 0.;
  PetscCall(PlexDGGetNodes(dg, NULL, NULL, &x));
  PetscCall(VecGetArrayRead(U, &u));
  for (PetscInt e = 0; e < dg->mesh->Ne; ++e)
    for (PetscInt i = 0; i < Np; ++i) {
      PetscScalar is[3];

      PetscCall((*exact)(2, t, &x[(e * Np + i) * 2], Nf, is, ctx));
      *error += PetscSqr(PetscRealPart(u[(e * Nf + f) * Np + i] - is[f]));
      size += PetscSqr(PetscRealPart(is[f]));
    }
  PetscCall(VecRestoreArrayRead(U, &u));
  *error = PetscSqrtReal(*error / size);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* At the end of runs on two meshes: rates of fields a and b, at least; and the error on the second */
static PetscErrorCode TestRates(const char of[], PlexDG dg[2], PetscReal t, PlexDGFn *exact, void *ctx,
                                const PetscInt field[2], const PetscReal least[2], PetscReal most)
{
  PetscReal error[2][2], rate[2];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    Vec U;

    PetscCall(PlexDGCreateVec(dg[k], &U));
    PetscCall(PlexTestRun(dg[k], t, exact, ctx, U));
    for (PetscInt f = 0; f < 2; ++f) PetscCall(FieldError(dg[k], t, exact, ctx, U, field[f], &error[f][k]));
    PetscCall(VecDestroy(&U));
    PetscCall(PlexDGDestroy(&dg[k]));
  }
  for (PetscInt f = 0; f < 2; ++f) {
    rate[f] = PetscLog2Real(error[f][0] / error[f][1]);
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s, field %" PetscInt_FMT ": errors %.3g, %.3g, rate %.2f\n", of, field[f],
                          (double)error[f][0], (double)error[f][1], (double)rate[f]));
    PetscCall(PlexTestReportOf((PetscBool)((rate[f] > least[f] || error[f][1] < 1e-7) && error[f][1] < most), of,
                               f ? "the second field converges" : "the first field converges", "errors %g, %g, rate %g",
                               (double)error[f][0], (double)error[f][1], (double)rate[f]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestSource(PetscBool quadrilaterals, PlexTestShape shape, PetscInt N)
{
  const PetscInt  which[2] = {0, 1};
  const PetscReal least[2] = {N - 0.5, N + 0.7};
  char            of[160];
  PlexDG          dg[2];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    DM dm;

    PetscCall(PlexTestBasin(PETSC_COMM_SELF, quadrilaterals, shape, 4 << k, N, &dm));
    PetscCall(Start(&dm, "gradients", N, PLEXBACKENDHOST, PLEX_PRECISION_DOUBLE, "isolated", &dg[k]));
  }
  PetscCall(PetscSNPrintf(of, sizeof(of), "a source that reads gradients, %s %s, degree %" PetscInt_FMT,
                          PlexTestShapes[shape], quadrilaterals ? "quadrilaterals" : "triangles", N));
  PetscCall(TestRates(of, dg, 0.5, ColeHopf, NULL, which, least, 0.3));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestFlow(const Flow *flow, PetscInt N)
{
  const PetscReal viscosity = VISCOSITY, gravity = 1e-4, least[2] = {N + 0.25, N + 0.25};
  const PetscInt  which[2] = {1, 2};
  char            of[160];
  PlexDG          dg[2];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    DM dm;

    PetscCall(Disc(2 << k, N, flow->radius, &dm));
    PetscCall(Start(&dm, flow->sphere ? "tsunami" : "shallow_water", N, PLEXBACKENDHOST, PLEX_PRECISION_DOUBLE,
                    flow->wall, &dg[k]));
    PetscCall(PlexDGSetConstant(dg[k], "viscosity", 1, &viscosity));
    PetscCall(PlexDGSetConstant(dg[k], "gravity", 1, &gravity));
    if (flow->sphere) PetscCall(PlexDGSetCoefficients(dg[k], Sphere, NULL));
  }
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, degree %" PetscInt_FMT, flow->name, N));
  PetscCall(TestRates(of, dg, 1., Around, (void *)flow, which, least, 0.2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Backends, precisions and processes: what this process alone gets */

static PetscErrorCode GetNorms(MPI_Comm comm, PetscBool quadrilaterals, PlexTestShape shape, const char backend[],
                               PlexPrecision precision, PetscReal norm[4])
{
  DM     dm;
  PlexDG dg;
  Vec    U, R;

  PetscFunctionBegin;
  PetscCall(PlexTestBasin(comm, quadrilaterals, shape, 4, 2, &dm));
  if (comm == PETSC_COMM_WORLD) PetscCall(PlexTestDistribute(&dm, 0, PETSC_FALSE));
  PetscCall(Start(&dm, "gradients", 2, backend, precision, "isolated", &dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecDuplicate(U, &R));
  PetscCall(PlexDGProject(dg, 0., PlexTestRough, NULL, U));
  PetscCall(VecScale(U, VISCOSITY));
  PetscCall(PlexDGComputeRHS(dg, 0., U, R));
  PetscCall(VecNorm(R, NORM_1, &norm[0]));
  PetscCall(VecNorm(R, NORM_2, &norm[1]));
  PetscCall(VecNorm(R, NORM_INFINITY, &norm[2]));
  PetscCall(VecDot(U, R, &norm[3]));
  PetscCall(VecDestroy(&U));
  PetscCall(VecDestroy(&R));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestBackend(const char backend[])
{
  PetscFunctionBegin;
  for (PetscInt q = 0; q < 2; ++q)
    for (PetscInt s = 0; s < 3; s += 2)
      for (PetscInt p = 0; p < 2; ++p) {
        const PetscReal most = p ? 1e-4 : 1e-12;
        PetscReal       norm[2][4], off = 0.;
        char            of[160];

        PetscCall(GetNorms(PETSC_COMM_WORLD, (PetscBool)q, (PlexTestShape)s, backend, (PlexPrecision)p, norm[0]));
        PetscCall(GetNorms(PETSC_COMM_SELF, (PetscBool)q, (PlexTestShape)s, PLEXBACKENDHOST, PLEX_PRECISION_DOUBLE,
                           norm[1]));
        for (PetscInt k = 0; k < 4; ++k)
          off = PetscMax(off, PetscAbsReal(norm[0][k] - norm[1][k]) / PetscAbsReal(norm[1][k]));
        PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, %s %s", backend, PlexPrecisions[p], PlexTestShapes[s],
                                q ? "quadrilaterals" : "triangles"));
        PetscCall(PlexTestReportOf((PetscBool)(off < most), of, "what one process of the host gets", "off by %g",
                                   (double)off));
      }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestHost(void)
{
  PetscFunctionBegin;
  PetscCall(TestBackend(PLEXBACKENDHOST));
  for (PetscInt N = 1; N <= (PlexTestLong() ? 3 : 2); ++N)
    for (PetscInt q = 0; q < 2; ++q) PetscCall(TestSource((PetscBool)q, q ? PLEX_TEST_STRAIGHT : PLEX_TEST_AFFINE, N));
  for (PetscInt N = 2; N <= (PlexTestLong() ? 3 : 2); ++N)
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(flows); ++k) PetscCall(TestFlow(&flows[k], N));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexDGSystemRegister("gradients", CreateGradients));
  PetscCall(PlexTestQuickKernels());
  PetscCall(PlexTestEachBackend(TestBackend, TestHost));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
