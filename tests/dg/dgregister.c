static char help[] = "A system of DG from outside the library: pointwise functions, names, a line of registration.\n\n";

#define PLEX_DG_POINTWISE "tests/dg/wind.h" /* from the top folder, where tests run */
#include <plexgpu/dg_system.h>
#include "dgproblem.h"
#include "report.h"

static const char *const     fields[]    = {"p", "vx", "vy", "vz"}; /* in 2D the first three */
static const char *const     kinds[]     = {"wave"};
static const PlexDGParameter constants[] = {
  {"sound", 1, {1.}            },
  {"wind",  3, {0.6, -0.3, 0.2}},
  {"wave",  1, {3.}            }
};
static const PlexDGBound bounds[] = {
  {"sound", 0., PETSC_INFINITY, PETSC_TRUE, NULL}
};

static PetscErrorCode CreateWind(PlexDGSystem system)
{
  PetscFunctionBegin;
  PLEX_DG_SYSTEM_SET(system, fields, kinds, constants, PLEX_DG_NONE);
  PLEX_DG_SYSTEM_SET_BOUNDS(system, bounds);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The wave of dg_boundary() */
static PetscErrorCode Wave(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscReal phase = -PetscSqrtReal(dim) * t;

  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) phase += x[d] - constants[1].value[d] * t;
  u[0] = PetscCosReal(constants[2].value[0] * phase);
  for (PetscInt k = 1; k < Nf; ++k) u[k] = u[0] / PetscSqrtReal(dim);
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char    *backend;
  DMPolytopeType cell;
  PetscReal      sound;
} Run;

/* Degree 3, the default, on a mesh and a finer one */
static PetscErrorCode TestRate(void *ctx)
{
  const Run *run = (Run *)ctx;
  PetscReal  error[2], rate;
  DM         dm;
  PlexDG     dg;
  Vec        U;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(PlexTestMesh(PETSC_COMM_WORLD, run->cell, 0, &dm));
    for (PetscInt r = 0; r <= k; ++r) PetscCall(PlexTestRefine(&dm));
    PetscCall(PlexDGCreate(dm, &dg));
    PetscCall(PlexDGSetSystem(dg, "wind"));
    PetscCall(PlexDGSetConstant(dg, "sound", 1, &run->sound));
    PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "wave"));
    if (run->cell == DM_POLYTOPE_QUADRILATERAL) PetscCall(PlexDGSetDiscretization(dg, PLEX_DG_QUADRATURE));
    PetscCall(PlexDGSetBackend(dg, run->backend));
    PetscCall(PlexDGCreateVec(dg, &U));
    PetscCall(PlexTestRun(dg, 0.02, Wave, NULL, U));
    PetscCall(PlexDGComputeL2Error(dg, 0.02, Wave, NULL, U, &error[k]));
    PetscCall(VecDestroy(&U));
    PetscCall(PlexDGDestroy(&dg));
    PetscCall(DMDestroy(&dm));
  }
  rate = PetscLog2Real(error[0] / error[1]);
  PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(rate - 4.) < 0.3), run->backend, DMPolytopeTypes[run->cell],
                             "errors %g, %g, rate %g", (double)error[0], (double)error[1], (double)rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const DMPolytopeType cells[3] = {DM_POLYTOPE_TRIANGLE, DM_POLYTOPE_TETRAHEDRON, DM_POLYTOPE_QUADRILATERAL};
  const char *const   *on;
  PetscInt             n;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexDGSystemRegister("wind", CreateWind));
  PetscCall(PlexTestBackends(&n, &on));
  for (PetscInt b = 0; b < n; ++b) {
    for (int k = 0; k < 3; ++k) PetscCall(TestRate(&(Run){on[b], cells[k], 1.}));
    EXPECT("no sound", TestRate, (&(Run){on[b], cells[0], 0.}), "sound of system wind is 0", "has to be more than 0");
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
