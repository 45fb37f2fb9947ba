static char help[] = "A bump of water in a closed square basin, by the linear shallow water equations and "
                     "discontinuous Galerkin with quadrature.\n\n"
                     "  -case NAME              bump (default): eta = exp(-20 |x + 0.4|^2)/2, h0 = 0.1, g0 = 10; "
                     "benchmark: eta = exp(-2 |x|^2), h0 = g0 = 1\n"
                     "  -cells N                cells a side of the basin [-1, 1]^2 (default 8)\n"
                     "  -triangles              two triangles in place of each quadrilateral\n"
                     "  -time T                 how long (default 2)\n"
                     "  -output NAME            writes NAME.vtkhdf, for ParaView and examples/water.py\n"
                     "  -frames N               times that are written after the first one (default 4)\n"
                     "  -plex_dg_degree N       degree of the polynomials, 1 to 10 (default 3)\n"
                     "  -plex_dg_gemm NAME      kernels, blas or fused; -plex_dg_backend NAME: cuda, host or emulate; "
                     "-plex_dg_view shows more\n\n";

#include "program.h"
#include "box.h"
#include "frames.h"

#define MODES 48 /* of the exact solution, in each direction */

/* The exact solution: a sum of standing waves cos(m pi (x + 1)/2) cos(n pi (y + 1)/2), whose amplitudes are products as
   the bump is one */
typedef struct {
  PetscReal height, width, center, depth, gravity; /* height exp(-width ((x - center)^2 + (y - center)^2)) */
  PetscReal amplitude[MODES];                      /* of one direction */
} Bump;

/* Amplitudes of exp(-width (x - center)^2), by Gauss quadrature in many pieces */
static PetscErrorCode BumpInitialize(const char name[], Bump *bump)
{
  const PetscInt pieces = 64, points = 6;
  PetscReal      x[6], w[6];
  PetscBool      benchmark, isbump;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(name, "benchmark", &benchmark));
  PetscCall(PetscStrcmp(name, "bump", &isbump));
  PetscCheck(benchmark || isbump, PETSC_COMM_WORLD, PETSC_ERR_ARG_UNKNOWN_TYPE, "Unknown -case %s: bump or benchmark",
             name);
  bump->height  = benchmark ? 1. : 0.5;
  bump->width   = benchmark ? 2. : 20.;
  bump->center  = benchmark ? 0. : -0.4;
  bump->depth   = benchmark ? 1. : 0.1;
  bump->gravity = benchmark ? 1. : 10.;
  PetscCall(PetscDTGaussQuadrature(points, -1., 1., x, w));
  for (PetscInt m = 0; m < MODES; ++m) {
    bump->amplitude[m] = 0.;
    for (PetscInt p = 0; p < pieces; ++p) {
      for (PetscInt q = 0; q < points; ++q) {
        const PetscReal at = -1. + (2. * p + 1. + x[q]) / pieces;

        bump->amplitude[m] += (m ? 1. : 0.5) * w[q] / pieces *
                              PetscExpReal(-bump->width * PetscSqr(at - bump->center)) *
                              PetscCosReal(0.5 * m * PETSC_PI * (at + 1.));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode BumpInitial(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[],
                                  void *ctx)
{
  const Bump *b = (const Bump *)ctx;

  PetscFunctionBegin;
  u[0] = b->height * PetscExpReal(-b->width * (PetscSqr(x[0] - b->center) + PetscSqr(x[1] - b->center)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode BumpExact(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  const Bump *b = (const Bump *)ctx;
  PetscReal   c[2][MODES], s[2][MODES];

  PetscFunctionBegin;
  for (PetscInt d = 0; d < 2; ++d) {
    for (PetscInt m = 0; m < MODES; ++m) {
      c[d][m] = b->amplitude[m] * PetscCosReal(0.5 * m * PETSC_PI * (x[d] + 1.));
      s[d][m] = b->amplitude[m] * 0.5 * m * PETSC_PI * PetscSinReal(0.5 * m * PETSC_PI * (x[d] + 1.));
    }
  }
  for (PetscInt m = 0; m < MODES; ++m) {
    for (PetscInt n = 0; n < MODES; ++n) {
      const PetscReal omega = 0.5 * PETSC_PI * PetscSqrtReal(b->gravity * b->depth * (m * m + n * n)),
                      swing = omega > 0. ? b->gravity * PetscSinReal(omega * t) / omega : 0.;

      u[0] += b->height * c[0][m] * c[1][n] * PetscCosReal(omega * t);
      u[1] += b->height * s[0][m] * c[1][n] * swing;
      u[2] += b->height * c[0][m] * s[1][n] * swing;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PetscInt  cells, frames;
  PetscBool triangles;
  PetscReal time;
  char      name[64], output[PETSC_MAX_PATH_LEN];
} Options;

static PetscErrorCode GetOptions(Options *o)
{
  PetscFunctionBegin;
  o->cells     = 8;
  o->frames    = 4;
  o->triangles = PETSC_FALSE;
  o->time      = 2.;
  o->output[0] = 0;
  PetscCall(PetscStrncpy(o->name, "bump", sizeof(o->name)));
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Shallow water", NULL);
  PetscCall(PetscOptionsString("-case", "Which bump", NULL, o->name, o->name, sizeof(o->name), NULL));
  PetscCall(PetscOptionsBoundedInt("-cells", "Cells a side", NULL, o->cells, &o->cells, NULL, 1));
  PetscCall(PetscOptionsBool("-triangles", "Triangles", NULL, o->triangles, &o->triangles, NULL));
  PetscCall(PetscOptionsReal("-time", "How long", NULL, o->time, &o->time, NULL));
  PetscCall(PetscOptionsString("-output", "Name of files", NULL, o->output, o->output, sizeof(o->output), NULL));
  PetscCall(PetscOptionsBoundedInt("-frames", "Times that are written", NULL, o->frames, &o->frames, NULL, 1));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode MakeMesh(const Options *o, DM *dm)
{
  const PetscInt  faces[2] = {o->cells, o->cells};
  const PetscReal lower[2] = {-1., -1.}, upper[2] = {1., 1.};
  Vec             x;

  PetscFunctionBegin;
  if (o->triangles) { /* of the unit square */
    PetscCall(BoxCreate(PETSC_COMM_WORLD, 2, o->cells, dm));
    PetscCall(DMGetCoordinatesLocal(*dm, &x));
    PetscCall(VecScale(x, 2.));
    PetscCall(VecShift(x, -1.));
  } else
    PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, 2, PETSC_FALSE, faces, lower, upper, NULL, PETSC_TRUE, 0,
                                  PETSC_TRUE, dm));
  PetscCall(ExampleDistribute(dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options        o;
  Bump           bump;
  DM             dm;
  PlexDG         dg;
  Vec            U;
  TS             ts;
  PetscReal      mass[2][3], energy[2], error, norm;
  PetscInt       steps, values, degree = 3;
  PetscLogDouble begin, end;

  if (ExampleHelp(argc, argv, help)) return 0;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(GetOptions(&o));
  PetscCall(BumpInitialize(o.name, &bump));
  PetscCall(MakeMesh(&o, &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "shallow_water_linear"));
  PetscCall(PlexDGSetDiscretization(dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetConstant(dg, "depth", 1, &bump.depth));
  PetscCall(PlexDGSetConstant(dg, "gravity", 1, &bump.gravity));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "wall"));
  PetscCall(PlexDGSetFromOptions(dg));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-plex_dg_degree", &degree, NULL));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., BumpInitial, &bump, U));
  PetscCall(PlexDGComputeIntegrals(dg, U, mass[0]));
  PetscCall(PlexDGComputeEnergy(dg, U, &energy[0]));
  PetscCall(FramesCreateTS(dg, U, o.time, 1., o.frames, o.output, &steps, &ts));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(PetscTime(&begin));
  PetscCall(TSSolve(ts, U));
  PetscCall(PetscTime(&end));
  PetscCall(PlexDGComputeIntegrals(dg, U, mass[1]));
  PetscCall(PlexDGComputeEnergy(dg, U, &energy[1]));
  PetscCall(PlexDGComputeL2Error(dg, o.time, BumpExact, &bump, U, &error));
  PetscCall(TSGetStepNumber(ts, &steps));
  PetscCall(VecGetSize(U, &values));
  PetscCall(VecSet(U, 0.));
  PetscCall(PlexDGComputeL2Error(dg, o.time, BumpExact, &bump, U, &norm));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "%" PetscInt_FMT " values, %" PetscInt_FMT
                        " steps in %.3g s; mass %.15g, then %.15g; energy %.6g, then %.6g\n",
                        values, steps, end - begin, (double)mass[0][0], (double)mass[1][0], (double)energy[0],
                        (double)energy[1]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                        "result: example=shallow_water case=%s degree=%" PetscInt_FMT " values=%" PetscInt_FMT
                        " steps=%" PetscInt_FMT " error=%.6e lost=%.3e energy=%.12f\n",
                        o.name, degree, values, steps, (double)(error / norm),
                        (double)(PetscAbsReal(mass[1][0] - mass[0][0]) / mass[0][0]), (double)(energy[1] / energy[0])));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return 0;
}
