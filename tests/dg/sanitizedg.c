static char help[] = "Every kernel of nodal DG and of DG with quadrature once on small meshes, for compute-sanitizer: "
                     "memcheck, racecheck.\n"
                     "  -backend <type> : default cuda\n"
                     "  -type <type>    : only this way\n\n";

#include "ball.h"
#include "layerbox.h"
#include "waterproblem.h"
#include "report.h"

static const char *const types[] = {PLEXDGPLAIN, PLEXDGFUSED,
#if defined(PLEXDGSEPARATE)
                                    PLEXDGSEPARATE
#endif
};

typedef struct {
  const char   *system;
  PetscInt      dim, N;
  PlexPrecision precision;
  PetscReal     sigma; /* of maxwell; 0: vacuum */
  enum {
    NONE,
    CURVED, /* some elements are */
    DIPOLE,
    DISPERSIVE,
    GRADED,    /* curved, and coefficients vary */
    RESISTIVE, /* a boundary is */
    CONDUCTOR, /* likewise, and there is a sheet */
    LEVELS,    /* local time steps */
    DRIVEN,    /* these, with a dipole and an incident wave */
    LAYER,     /* a perfectly matched one, beyond a box */
    STEP,      /* one of constant rates */
    ROUND      /* beyond a sphere or circle */
  } with;
} Case;
static const Case cases[] = {
  {"maxwell",   3, 2, PLEX_PRECISION_DOUBLE, 0.,  NONE      },
  {"maxwell",   3, 5, PLEX_PRECISION_SINGLE, 0.,  NONE      },
  {"maxwell",   3, 3, PLEX_PRECISION_DOUBLE, 40., NONE      },
  {"acoustics", 2, 3, PLEX_PRECISION_DOUBLE, 0.,  NONE      },
  {"elastic",   3, 2, PLEX_PRECISION_DOUBLE, 0.,  NONE      },
  {"elastic",   2, 4, PLEX_PRECISION_SINGLE, 0.,  NONE      },
  {"burgers",   2, 4, PLEX_PRECISION_SINGLE, 0.,  NONE      },
  {"euler",     2, 3, PLEX_PRECISION_DOUBLE, 0.,  NONE      },
  {"euler",     3, 2, PLEX_PRECISION_DOUBLE, 0.,  NONE      },
  {"maxwell",   3, 3, PLEX_PRECISION_DOUBLE, 0.,  CURVED    },
  {"acoustics", 2, 4, PLEX_PRECISION_SINGLE, 0.,  CURVED    },
  {"maxwell",   3, 2, PLEX_PRECISION_DOUBLE, 0.,  DIPOLE    },
  {"maxwell",   3, 3, PLEX_PRECISION_DOUBLE, 40., DISPERSIVE},
  {"maxwell",   3, 2, PLEX_PRECISION_SINGLE, 0.,  DISPERSIVE},
  {"maxwell",   3, 3, PLEX_PRECISION_DOUBLE, 0.,  GRADED    },
  {"acoustics", 2, 4, PLEX_PRECISION_SINGLE, 0.,  GRADED    },
  {"maxwell",   3, 2, PLEX_PRECISION_DOUBLE, 0.,  RESISTIVE },
  {"maxwell",   3, 2, PLEX_PRECISION_DOUBLE, 0.,  CONDUCTOR },
  {"maxwell",   3, 2, PLEX_PRECISION_DOUBLE, 2.,  LEVELS    },
  {"acoustics", 2, 3, PLEX_PRECISION_SINGLE, 0.,  LEVELS    },
  {"maxwell",   3, 2, PLEX_PRECISION_DOUBLE, 0.,  DRIVEN    },
  {"maxwell",   3, 3, PLEX_PRECISION_DOUBLE, 0.,  LAYER     },
  {"acoustics", 2, 4, PLEX_PRECISION_SINGLE, 0.,  LAYER     },
  {"maxwell",   3, 2, PLEX_PRECISION_DOUBLE, 0.,  STEP      },
  {"maxwell",   3, 2, PLEX_PRECISION_SINGLE, 0.,  ROUND     },
  {"acoustics", 3, 2, PLEX_PRECISION_DOUBLE, 0.,  ROUND     }
};

/* What is computed: a right-hand side, its energy, two steps by their error; on the host too */
typedef struct {
  const Case *c;
  const char *backend, *type;
  PetscReal   energy;
  Vec         R, U; /* on the host's memory */
} Run;

/* Of a gas: numbers from -1 to 1 become a state about that of rest, which has positive pressure */
static PetscErrorCode MakeGas(PetscInt dim, PetscInt N, Vec U)
{
  const PetscInt fields = 2 + dim;
  PetscInt       size, nodes = dim == 2 ? (N + 1) * (N + 2) / 2 : (N + 1) * (N + 2) * (N + 3) / 6;
  PetscScalar   *u;

  PetscFunctionBegin;
  PetscCall(VecScale(U, 0.1));
  PetscCall(VecGetLocalSize(U, &size));
  PetscCall(VecGetArray(U, &u));
  for (PetscInt i = 0; i < size; ++i) {
    const PetscInt k = i / nodes % fields;

    u[i] += k == 0 ? 1. : k == fields - 1 ? 2.5 : 0.;
  }
  PetscCall(VecRestoreArray(U, &u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A hump on what was x = 0 */
static PetscErrorCode Hump(PetscInt dim, PetscReal x[], void *ctx)
{
  PetscFunctionBegin;
  (void)ctx;
  x[0] = 0.05 * PetscSinReal(3. * PETSC_PI * x[1]) * (dim == 3 ? PetscSinReal(3. * PETSC_PI * x[2]) : 1.);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Grade(PetscInt dim, const PetscReal x[], PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  (void)ctx;
  for (PetscInt i = 0; i < PetscMin(n, 2); ++i) k[i] = 1. + (1. + i) * x[dim - 1];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CopyOut(Vec from, Vec *to)
{
  const PetscScalar *x;
  PetscScalar       *y;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(from, &n));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, n, to));
  PetscCall(VecGetArrayRead(from, &x));
  PetscCall(VecGetArrayWrite(*to, &y));
  PetscCall(PetscArraycpy(y, x, n));
  PetscCall(VecRestoreArrayWrite(*to, &y));
  PetscCall(VecRestoreArrayRead(from, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Mesh(const Case *c, PetscBool bounded, DM *dm)
{
  const PetscReal  radii[] = {0., 1.2, 2.};
  PlexTestLayerBox b       = {.dim = c->dim};

  PetscFunctionBegin;
  for (PetscInt d = 0; d < c->dim; ++d) {
    b.n[d]        = 3;
    b.high[d]     = 3.;
    b.inner[0][d] = 1.;
    b.inner[1][d] = 2.;
  }
  if (c->with == LAYER || c->with == STEP) PetscCall(PlexTestLayerBoxCreate(PETSC_COMM_SELF, &b, dm));
  else if (c->with == ROUND) PetscCall(PlexTestBall(PETSC_COMM_SELF, 2, radii, 0, dm));
  else PetscCall(PlexTestSimplexBox(PETSC_COMM_SELF, c->dim, 3, (PetscBool)!bounded, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunCase(void *ctx)
{
  Run            *run    = (Run *)ctx;
  const PetscBool driven = (PetscBool)(run->c->with == DRIVEN), local = (PetscBool)(run->c->with == LEVELS || driven),
                  graded = (PetscBool)(run->c->with == GRADED), curved = (PetscBool)(run->c->with == CURVED || graded),
                  resistive = (PetscBool)(run->c->with == RESISTIVE),
                  conductor = (PetscBool)(run->c->with == CONDUCTOR),
                  bounded   = (PetscBool)(curved || resistive || conductor || driven),
                  layer     = (PetscBool)(run->c->with == LAYER || run->c->with == STEP || run->c->with == ROUND),
                  adapts    = (PetscBool)(!local && !layer && !conductor);
  DM              dm;
  PlexDG          dg;
  Vec             U, R;
  TS              ts;
  TSAdapt         adapt;

  PetscFunctionBegin;
  PetscCall(Mesh(run->c, bounded, &dm));
  if (bounded) PetscCall(PlexTestLabelSides(dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, run->c->system));
  if (bounded) PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, dg->system->kinds[0]));
  if (resistive) PetscCall(PlexDGAddBoundary(dg, "sides", 1, "impedance:0.3"));
  if (resistive) PetscCall(PlexDGAddBoundary(dg, "sides", 4, "impedance:2"));
  if (conductor) {
    PetscInt fStart, fEnd, support;
    DMLabel  film;

    PetscCall(PlexTestGetLabel(dm, "film", &film));
    PetscCall(DMPlexGetHeightStratum(dm, 1, &fStart, &fEnd));
    for (PetscInt f = fStart; f < fEnd; f += 5) {
      PetscCall(DMPlexGetSupportSize(dm, f, &support));
      if (support == 2) PetscCall(DMLabelSetValue(film, f, 1));
    }
    PetscCall(PlexDGAddBoundary(dg, "sides", 1, "conductor:100,1,10"));
    PetscCall(PlexDGAddSheet(dg, "film", 1, 3.));
  }
  if (driven) PetscCall(PlexDGAddBoundary(dg, "sides", 1, "incident"));
  if (graded) PetscCall(PlexDGSetMaterialFunction(dg, NULL, PETSC_DETERMINE, Grade, NULL));
  if (curved) PetscCall(PlexDGSetCurve(dg, "sides", 1, Hump, NULL));
  if (layer) {
    PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "absorbing"));
    PetscCall(PlexDGSetPML(dg, run->c->with != ROUND ? "layer" : "shell", PETSC_DETERMINE,
                           run->c->with != ROUND ? "box" : "sphere,0,0,0,1.2"));
    if (run->c->with == STEP) PetscCall(PlexDGSetPMLProfile(dg, 1e-12, 0, PETSC_DETERMINE));
  }
  if (run->c->with == DIPOLE || driven) {
    const PetscReal x[3] = {0.4, 0.3, 0.2}, moment[3] = {0., 0., 1.}, pulse[5] = {1., 0., 0., 0.5, 0.};

    PetscCall(PlexDGAddDipole(dg, x, moment, pulse));
  }
  if (run->c->with == DISPERSIVE) {
    const PetscReal drude[2] = {3., 1.}, lorentz[6] = {1., 5., 1., 2., 7., 0.};

    PetscCall(PlexDGAddDispersion(dg, NULL, PETSC_DETERMINE, "drude", 2, drude));
    if (run->c->sigma > 0.) PetscCall(PlexDGAddDispersion(dg, NULL, PETSC_DETERMINE, "lorentz", 6, lorentz));
  }
  PetscCall(PlexDGSetDegree(dg, run->c->N));
  PetscCall(PlexDGSetPrecision(dg, run->c->precision));
  PetscCall(PlexDGSetBackend(dg, run->backend));
  PetscCall(PlexDGSetType(dg, run->type));
  if (run->c->sigma > 0.) PetscCall(PlexDGSetConstant(dg, "sigma", 1, &run->c->sigma));
  if (local) PetscCall(PlexDGSetLevels(dg, 3));
  if (local) PetscCall(PlexDGSetCoefficients(dg, PlexTestUneven, NULL));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecDuplicate(U, &R));
  PetscCall(PlexTestJumps(U));
  if (!strcmp(run->c->system, "euler")) PetscCall(MakeGas(run->c->dim, run->c->N, U));
  PetscCall(PlexDGComputeRHS(dg, 0.1, U, R));
  /* of a gas it is what is conserved: of a rate it is rounding */
  PetscCall(PlexDGComputeEnergy(dg, strcmp(run->c->system, "euler") ? R : U, &run->energy));
  PetscCall(CopyOut(R, &run->R));
  PetscCall(TSCreate(PETSC_COMM_SELF, &ts));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(TSSetType(ts, local ? TSPLEXMULTIRATE : TSPLEXLOWSTORAGE));
  PetscCall(TSGetAdapt(ts, &adapt));
  PetscCall(TSAdaptSetType(adapt, adapts ? TSADAPTBASIC : TSADAPTNONE));
  PetscCall(TSSetTolerances(ts, 1e-2, NULL, 1e-2, NULL));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxSteps(ts, 2));
  PetscCall(TSSetMaxTime(ts, 1e9));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSolve(ts, U));
  PetscCall(CopyOut(U, &run->U));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&R));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Relative to the largest entry */
static PetscErrorCode Difference(Vec x, Vec exact, PetscReal *difference)
{
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(VecNorm(exact, NORM_INFINITY, &norm));
  PetscCall(VecAXPY(x, -1., exact));
  PetscCall(VecNorm(x, NORM_INFINITY, difference));
  *difference /= norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestCase(const Case *c, const char backend[], const char type[], Run *exact)
{
  const PetscReal tolerance = c->precision == PLEX_PRECISION_SINGLE ? 2e-4 : 1e-11;
  Run             run       = {.c = c, .backend = backend, .type = type};
  PetscReal       r = -1., u = -1., energy = -1.;
  char            name[128], text[2048];
  PetscErrorCode  ierr;

  PetscFunctionBegin;
  PetscCall(PlexTestTry(RunCase, &run, &ierr, text, sizeof(text)));
  if (!ierr) {
    PetscCall(Difference(run.R, exact->R, &r));
    PetscCall(Difference(run.U, exact->U, &u));
    energy = PetscAbsReal(run.energy - exact->energy) / exact->energy;
  }
  PetscCall(VecDestroy(&run.R));
  PetscCall(VecDestroy(&run.U));
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s %s %s%s in %" PetscInt_FMT "D, degree %" PetscInt_FMT ", %s", backend,
                          type, c->system,
                          c->with == CURVED       ? ", curved"
                          : c->with == GRADED     ? ", graded"
                          : c->with == RESISTIVE  ? ", a resistive boundary"
                          : c->with == DIPOLE     ? ", a dipole"
                          : c->with == DISPERSIVE ? ", dispersive"
                          : c->with == LEVELS     ? ", levels"
                          : c->with == DRIVEN     ? ", levels with sources"
                          : c->with == LAYER      ? ", a layer"
                          : c->with == STEP       ? ", a layer of constant rates"
                          : c->with == ROUND      ? ", a round layer"
                                                  : "",
                          c->dim, c->N, PlexPrecisions[c->precision]));
  PetscCall(PlexTestReport((PetscBool)(!ierr && r <= tolerance && u <= tolerance && energy <= tolerance), name,
                           "relative differences: right-hand side %.3g, energy %.3g, steps %.3g; error %d: %s",
                           (double)r, (double)energy, (double)u, (int)ierr, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- DG with quadrature */

static const struct {
  PetscBool     quadrilaterals;
  PlexTestShape shape;
  PetscInt      N;
  PlexPrecision precision;
  PetscBool     solid;   /* sound in 3D, on tetrahedra or hexahedra */
  PetscReal     dry;     /* > 0: with islands and a shore */
  PetscBool     capture; /* shocks */
  PetscBool     gas;
} waters[] = {
  {PETSC_FALSE, PLEX_TEST_AFFINE, 3, PLEX_PRECISION_DOUBLE, PETSC_FALSE, 0.,   PETSC_FALSE, PETSC_FALSE},
  {PETSC_FALSE, PLEX_TEST_AFFINE, 2, PLEX_PRECISION_DOUBLE, PETSC_FALSE, 0.,   PETSC_TRUE,  PETSC_FALSE},
  {PETSC_TRUE,  PLEX_TEST_CURVED, 2, PLEX_PRECISION_DOUBLE, PETSC_FALSE, 0.,   PETSC_FALSE, PETSC_FALSE},
  {PETSC_TRUE,  PLEX_TEST_AFFINE, 2, PLEX_PRECISION_SINGLE, PETSC_FALSE, 0.,   PETSC_FALSE, PETSC_FALSE},
  {PETSC_FALSE, PLEX_TEST_AFFINE, 2, PLEX_PRECISION_DOUBLE, PETSC_FALSE, 0.05, PETSC_FALSE, PETSC_FALSE},
  {PETSC_TRUE,  PLEX_TEST_CURVED, 2, PLEX_PRECISION_DOUBLE, PETSC_FALSE, 0.05, PETSC_TRUE,  PETSC_FALSE},
  {PETSC_FALSE, PLEX_TEST_AFFINE, 2, PLEX_PRECISION_DOUBLE, PETSC_TRUE,  0.,   PETSC_FALSE, PETSC_FALSE},
  {PETSC_TRUE,  PLEX_TEST_CURVED, 1, PLEX_PRECISION_DOUBLE, PETSC_TRUE,  0.,   PETSC_FALSE, PETSC_FALSE},
  {PETSC_FALSE, PLEX_TEST_AFFINE, 2, PLEX_PRECISION_DOUBLE, PETSC_FALSE, 0.,   PETSC_TRUE,  PETSC_TRUE }
};

/* More than states of PlexTestJumps() are high */
static PetscErrorCode Depth(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  k[0] = 3. + PetscSinReal(4. * x[0] + 3. * x[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Islands, and water between them */
static PetscErrorCode Islands(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  PetscFunctionBegin;
  k[0] = 0.2 + PetscSinReal(8. * x[0] + 5. * x[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A right-hand side over a bottom of varying depth, and where there are stages two steps */
static PetscErrorCode GetWater(size_t c, const char backend[], const char way[], Vec *result)
{
  DM     dm;
  PlexDG dg;
  Vec    U, R;

  PetscFunctionBegin;
  if (waters[c].solid)
    PetscCall(PlexTestMesh(PETSC_COMM_SELF, waters[c].quadrilaterals ? DM_POLYTOPE_HEXAHEDRON : DM_POLYTOPE_TETRAHEDRON,
                           1, &dm));
  else PetscCall(PlexTestBasin(PETSC_COMM_SELF, waters[c].quadrilaterals, waters[c].shape, 3, 2, &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, waters[c].solid ? "acoustics_uniform" : waters[c].gas ? "euler" : "shallow_water"));
  PetscCall(PlexDGSetDiscretization(dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetDegree(dg, waters[c].N));
  PetscCall(PlexDGSetPrecision(dg, waters[c].precision));
  PetscCall(PlexDGSetBackend(dg, backend));
  if (!waters[c].solid && !waters[c].gas)
    PetscCall(PlexDGSetCoefficients(dg, waters[c].dry > 0. ? Islands : Depth, NULL));
  if (waters[c].dry > 0.) {
    const PetscReal shore = 1.;

    PetscCall(PlexDGSetConstant(dg, "dry", 1, &waters[c].dry));
    PetscCall(PlexDGSetConstant(dg, "shore", 1, &shore));
  }
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "wall"));
  PetscCall(PlexDGSetShockCapturing(dg, waters[c].capture));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_dg_gemm", way));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PetscOptionsClearValue(NULL, "-plex_dg_gemm"));
  PetscCall(VecDuplicate(U, &R));
  PetscCall(PlexTestJumps(U));
  if (waters[c].dry > 0.) PetscCall(VecScale(U, 0.2)); /* else shallow water is so fast that rounding is seen */
  if (waters[c].gas) PetscCall(MakeGas(2, waters[c].N, U));
  PetscCall(PlexDGLimit(dg, U));
  PetscCall(PlexDGComputeRHS(dg, 0.1, U, R));
  if (dg->ops->stage || !strcmp(backend, PLEXBACKENDHOST)) {
    TS ts;

    PetscCall(TSCreate(PETSC_COMM_SELF, &ts));
    PetscCall(TSSetSolution(ts, U));
    PetscCall(TSSetType(ts, TSPLEXLOWSTORAGE));
    PetscCall(PlexDGSetTS(dg, ts));
    PetscCall(TSSetMaxSteps(ts, 2));
    PetscCall(TSSetMaxTime(ts, 1e9));
    PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
    PetscCall(TSSolve(ts, U));
    PetscCall(TSDestroy(&ts));
  }
  PetscCall(CopyOut(R, result));
  PetscCall(VecDestroy(&R));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestWaters(const char backend[])
{
  const char *const ways[] = {"kernels", "blas", "fused"};

  PetscFunctionBegin;
  for (size_t c = 0; c < PETSC_STATIC_ARRAY_LENGTH(waters); ++c) {
    for (size_t w = 0; w < PETSC_STATIC_ARRAY_LENGTH(ways); ++w) {
      PetscReal difference;
      char      name[128];
      Vec       exact, R;

      PetscCall(GetWater(c, PLEXBACKENDHOST, "blas", &exact));
      PetscCall(GetWater(c, backend, ways[w], &R));
      PetscCall(Difference(R, exact, &difference));
      PetscCall(PetscSNPrintf(name, sizeof(name), "%s %s %s %s, degree %" PetscInt_FMT ", %s%s%s", backend, ways[w],
                              waters[c].solid ? "acoustics_uniform on irregular"
                              : waters[c].gas ? "euler on affine"
                                              : PlexTestShapes[waters[c].shape],
                              waters[c].solid            ? (waters[c].quadrilaterals ? "hexahedra" : "tetrahedra")
                              : waters[c].quadrilaterals ? "quadrilaterals"
                                                         : "triangles",
                              waters[c].N, PlexPrecisions[waters[c].precision],
                              waters[c].dry > 0. ? ", with a shore" : "",
                              waters[c].capture ? ", shocks captured" : ""));
      PetscCall(PlexTestReport((PetscBool)(difference <= (waters[c].precision == PLEX_PRECISION_SINGLE ? 2e-4 : 1e-11)),
                               name, "relative difference %.3g", (double)difference));
      PetscCall(VecDestroy(&exact));
      PetscCall(VecDestroy(&R));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char      backend[64] = PLEXBACKENDCUDA, type[64] = "";
  PetscBool available, wanted;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestRegisterSystems());
  PetscCall(PetscOptionsGetString(NULL, NULL, "-backend", backend, sizeof(backend), NULL));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-type", type, sizeof(type), NULL));
  PetscCall(PlexBackendIsAvailable(backend, &available));
  if (!available) PetscCall(PetscPrintf(PETSC_COMM_SELF, "skip %s: not available on this machine\n", backend));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases) && available; ++k) {
    Run exact = {.c = &cases[k], .backend = PLEXBACKENDHOST, .type = PLEXDGHOST};

    PetscCall(RunCase(&exact));
    for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(types); ++t) {
      PetscCall(PetscStrcmp(type, types[t], &wanted));
      if ((cases[k].with == CURVED || cases[k].with == GRADED || cases[k].with == LEVELS || cases[k].with == DRIVEN) &&
          !strcmp(types[t], "separate"))
        continue; /* has none */
      if (!type[0] || wanted) PetscCall(TestCase(&cases[k], backend, types[t], &exact));
    }
    PetscCall(VecDestroy(&exact.R));
    PetscCall(VecDestroy(&exact.U));
  }
  if (available && !type[0]) PetscCall(TestWaters(backend));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
