#include "dg_yardsticks.h"
#include "dg_options.h"
#include "../examples/box.h"
#include "../src/dg/core/coreimpl.h"

static char help
  [] = "The right-hand side of the nodal DG operator on a cube of tetrahedra, or a square of triangles: "
       "values a second.\n\n"
       "  -dim N                 2 or 3 (default 3)\n"
       "  -cells N               cells a side, each of them 2 triangles or 6 tetrahedra (default 8; 40 "
       "are 384,000 tetrahedra)\n"
       "  -mesh FILE, -refine L  a mesh of tetrahedra or triangles in the place of the cube, each in eight or "
       "four, L times\n"
       "  -system NAME           advection, acoustics, elastic or maxwell (default)\n"
       "  -degrees A,B,...       default 1 to 9\n"
       "  -precisions A,B        double,single (default double)\n"
       "  -curved P              percent of the elements that are curved, about (default 0)\n"
       "  -pml P                 percent of the elements in a perfectly matched layer around the others, "
       "about (default 0)\n"
       "  -pml_power M, -pml_pass  power of its profile (default: as -plex_dg_pml_power); a pass of its own in the "
       "place of "
       "the stage's kernel, where that computes it\n"
       "  -pml_window N          of N elements along the curve those of the layer are the last ones, 0: none (default: "
       "as PlexDG has them)\n"
       "  -types A,B,...         ways to compute it (default auto)\n"
       "  -host_cells N          a stage of the host backend is timed on one core on so many cells a "
       "side (default 12, 10,368 tetrahedra); 0: not\n" BENCH_DG_HELP;

/*
  GDOF/s are values of the state, all fields, times evaluations a second. Least bytes are those of one evaluation if
  each number is moved once: the state read, its derivative written, the affine map and the links of each element;
  traces of neighbours come from the caches. A stage is one of a low-storage Runge-Kutta scheme, in the operator's
  precision: right-hand side and update of state and residual. Flops are those of the products with the reference
  matrices, 2 Np (dim Np + faces Nfp) a field of an element.

  A second table compares stages with the ceiling: the time of their bytes at the rate of a copy, or of their flops at
  that of cuBLAS's products of square matrices, which is longer; with the host backend on one core, on a smaller mesh,
  element for element; and with cuBLAS's products with D and L alone. All of the same run.
*/
typedef struct {
  BenchDGOptions bench; /* set-ups measure too with -plex_dg_tune, and have the lock */
  PetscInt       dim, nprecisions, ntypes;
  char          *precisions[2], *types[16];
  char           system[64], mesh[PETSC_MAX_PATH_LEN];
  PetscInt       refine; /* -mesh */
  PetscReal      curved; /* percent of the elements, about */
  PetscReal      pml;    /* likewise, in a perfectly matched layer */
  PetscInt       power;  /* of its profile */
  PetscInt       window; /* its elements stand together, of so many */
  PetscBool      pass;   /* it has one of its own */
} Options;

static PetscErrorCode GetOptions(Options *o)
{
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(o, sizeof(*o)));
  o->dim             = 3;
  o->bench.cells     = 8;
  o->bench.hostCells = 12;
  o->bench.reps      = 11;
  o->nprecisions     = 2;
  o->ntypes          = 16;
  PetscCall(PetscStrncpy(o->system, "maxwell", sizeof(o->system)));
  PetscOptionsBegin(PETSC_COMM_SELF, NULL, "Nodal DG operator", NULL);
  PetscCall(BenchDGGetOptions(PetscOptionsObject, PLEX_DG_MAX_DEGREE, &o->bench));
  PetscCall(PetscOptionsRangeInt("-dim", "Dimension", NULL, o->dim, &o->dim, NULL, 2, 3));
  PetscCall(PetscOptionsString("-system", "System of equations", NULL, o->system, o->system, sizeof(o->system), NULL));
  PetscCall(PetscOptionsString("-mesh", "Mesh file", NULL, o->mesh, o->mesh, sizeof(o->mesh), NULL));
  PetscCall(PetscOptionsBoundedInt("-refine", "Of the mesh file", NULL, o->refine, &o->refine, NULL, 0));
  PetscCall(PetscOptionsReal("-curved", "Percent of the elements that are curved", NULL, o->curved, &o->curved, NULL));
  PetscCall(PetscOptionsReal("-pml", "Percent of the elements in a perfectly matched layer", NULL, o->pml, &o->pml,
                             NULL));
  o->power = PETSC_DETERMINE;
  PetscCall(PetscOptionsInt("-pml_power", "Power of its profile", NULL, o->power, &o->power, NULL));
  o->window = PETSC_DETERMINE;
  PetscCall(PetscOptionsInt("-pml_window", "Elements of which those of the layer stand together", NULL, o->window,
                            &o->window, NULL));
  PetscCall(PetscOptionsBool("-pml_pass", "A pass of its own", NULL, o->pass, &o->pass, NULL));
  PetscCall(PetscOptionsStringArray("-precisions", "Arithmetic", NULL, o->precisions, &o->nprecisions, &set));
  if (!set) {
    o->nprecisions = 1;
    PetscCall(PetscStrallocpy("double", &o->precisions[0]));
  }
  PetscCall(PetscOptionsStringArray("-types", "Ways to compute it", NULL, o->types, &o->ntypes, &set));
  if (!set) {
    o->ntypes = 1;
    PetscCall(PetscStrallocpy(PLEXDGAUTO, &o->types[0]));
  }
  PetscOptionsEnd();
  PetscCheck(!o->mesh[0] || (o->curved == 0. && o->pml == 0.), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "-curved and -pml take elements of the cube: leave them or -mesh out");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* That of -mesh, or the cube or square of n cells a side */
static PetscErrorCode CreateMesh(const Options *o, PetscInt n, DM *dm)
{
  DM       next;
  PetscInt dim;

  PetscFunctionBegin;
  if (!o->mesh[0]) {
    PetscCall(BoxCreate(PETSC_COMM_SELF, o->dim, n, dm));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(DMPlexCreateFromFile(PETSC_COMM_SELF, o->mesh, "mesh", PETSC_TRUE, dm));
  PetscCall(DMGetDimension(*dm, &dim));
  PetscCheck(dim == o->dim, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "%s has dimension %" PetscInt_FMT ": give it by -dim",
             o->mesh, dim);
  for (PetscInt k = 0; k < o->refine; ++k) {
    PetscCall(DMPlexSetRefinementUniform(*dm, PETSC_TRUE));
    PetscCall(DMRefine(*dm, PETSC_COMM_SELF, &next));
    PetscCall(DMDestroy(dm));
    *dm = next;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Wave(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < Nf; ++k) u[k] = PetscSinReal((3. + k) * x[0] + 2. * x[1] - t) + k;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscReal benchSide; /* cells along a side of the cube */

/* To a wave around the nearest plane of the mesh's cells */
static PetscErrorCode Sheet(PetscInt dim, PetscReal x[], void *ctx)
{
  PetscFunctionBegin;
  x[0] = (PetscFloorReal(x[0] * benchSide + 0.5) + 0.1 * PetscSinReal(5. * x[1] + (dim == 3 ? 4. * x[2] : 0.))) /
         benchSide;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Bends facets of planes in the cube, as many as have o->curved percent of the elements beside them: 4 of the 6 tetrahedra of
   a cube have a face or edge on one of its sides, and each of 2 triangles in a square one or none */
static PetscErrorCode Bend(const Options *o, DM dm, PlexDG dg)
{
  PetscInt     fStart, fEnd, cStart, cEnd, planes;
  DMLabel      label;
  PetscSection section;
  Vec          coordinates;

  PetscFunctionBegin;
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  PetscCall(DMPlexGetHeightStratum(dm, 1, &fStart, &fEnd));
  benchSide = PetscRintReal(PetscPowReal((cEnd - cStart) / (o->dim == 3 ? 6. : 2.), 1. / o->dim));
  planes    = PetscMax(1, (PetscInt)PetscRintReal(0.01 * o->curved * benchSide * (o->dim == 3 ? 0.75 : 1.)));
  PetscCall(DMCreateLabel(dm, "sheets"));
  PetscCall(DMGetLabel(dm, "sheets", &label));
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(DMGetCoordinateSection(dm, &section));
  for (PetscInt f = fStart; f < fEnd; ++f) {
    PetscScalar *x = NULL;
    PetscInt     size;
    PetscBool    on = PETSC_FALSE;

    PetscCall(DMPlexVecGetClosure(dm, section, coordinates, f, &size, &x));
    for (PetscInt k = 1; k <= planes; ++k) {
      const PetscReal at   = PetscRintReal(k * benchSide / (planes + 1)) / benchSide;
      PetscReal       most = 0.;

      for (PetscInt v = 0; v < size; v += o->dim) most = PetscMax(most, PetscAbsReal(PetscRealPart(x[v]) - at));
      if (most < 1e-9) on = PETSC_TRUE;
    }
    PetscCall(DMPlexVecRestoreClosure(dm, section, coordinates, f, &size, &x));
    if (on) PetscCall(DMLabelSetValue(label, f, 1));
  }
  PetscCall(PlexDGSetCurve(dg, "sheets", 1, Sheet, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A layer at all sides, as many cells thick as to have o->pml percent of the elements, and one at least */
static PetscErrorCode Enclose(const Options *o, DM dm, PlexDG dg)
{
  PetscInt  cStart, cEnd;
  PetscReal side, thick, low, high;
  DMLabel   label;
  char      shape[256];

  PetscFunctionBegin;
  PetscCall(DMPlexGetHeightStratum(dm, 0, &cStart, &cEnd));
  PetscCall(DMCreateLabel(dm, "all"));
  PetscCall(DMGetLabel(dm, "all", &label));
  for (PetscInt c = cStart; c < cEnd; ++c) PetscCall(DMLabelSetValue(label, c, 1));
  side  = PetscRintReal(PetscPowReal((cEnd - cStart) / (o->dim == 3 ? 6. : 2.), 1. / o->dim));
  thick = PetscMax(1., PetscRintReal(0.5 * side * (1. - PetscPowReal(1. - 0.01 * o->pml, 1. / o->dim))));
  low   = thick / side;
  high  = 1. - low;
  if (o->dim == 2)
    PetscCall(PetscSNPrintf(shape, sizeof(shape), "box,%.12f,%.12f,%.12f,%.12f", (double)low, (double)low, (double)high,
                            (double)high));
  else
    PetscCall(PetscSNPrintf(shape, sizeof(shape), "box,%.12f,%.12f,%.12f,%.12f,%.12f,%.12f", (double)low, (double)low,
                            (double)low, (double)high, (double)high, (double)high));
  PetscCall(PlexDGSetPML(dg, "all", 1, shape));
  if (o->power != PETSC_DETERMINE) PetscCall(PlexDGSetPMLProfile(dg, 1e-12, o->power, PETSC_DETERMINE));
  dg->pmlFused = (PetscBool)!o->pass;
  if (o->window != PETSC_DETERMINE) dg->pmlWindow = o->window;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An operator with a boundary condition that all of the boundary can have */
static PetscErrorCode CreateOperator(const Options *o, DM dm, PetscInt degree, const char precision[],
                                     const char backend[], const char type[], PlexDG *dg)
{
  const char *kinds[] = {"outflow", "wall", "pec"};
  PetscBool   single, known = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(precision, "single", &single));
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, o->system));
  PetscCall(PlexDGSetDegree(*dg, degree));
  PetscCall(PlexDGSetBackend(*dg, backend));
  PetscCall(PlexDGSetPrecision(*dg, single ? PLEX_PRECISION_SINGLE : PLEX_PRECISION_DOUBLE));
  PetscCall(PlexDGSetType(*dg, type));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(kinds) && !known; ++k) {
    for (PetscInt s = 0; s < (*dg)->system->nkinds && !known; ++s) {
      PetscCall(PetscStrcmp(kinds[k], (*dg)->system->kinds[s], &known));
      if (known) PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, kinds[k]));
    }
  }
  if (o->curved > 0.) PetscCall(Bend(o, dm, *dg));
  if (o->pml > 0.) PetscCall(Enclose(o, dm, *dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Blocks of 16 elements, of type fused, that have elements of the layer, and of these those that have others, too */
static PetscErrorCode CountBlocks(PlexDG dg, PetscInt count[2])
{
  const PetscInt Ne = dg->mesh->Ne, n = (Ne + 15) / 16;
  PetscInt      *in;

  PetscFunctionBegin;
  count[0] = count[1] = 0;
  PetscCall(PetscCalloc1(n, &in));
  for (PetscInt k = 0; k < dg->pml->items; ++k) ++in[dg->pml->elements[k] / 16];
  for (PetscInt b = 0; b < n; ++b) {
    count[0] += in[b] > 0;
    count[1] += in[b] > 0 && in[b] < PetscMin(16, Ne - 16 * b);
  }
  PetscCall(PetscFree(in));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What an element of the layer costs beside another one: stages of an operator without a layer are measured, too, by turns */
static PetscErrorCode CompareLayer(const Options *o, DM dm, PetscInt degree, const char precision[], const char type[],
                                   PlexDG dg)
{
  Options        without  = *o;
  PetscLogDouble times[2] = {PETSC_INFINITY, PETSC_INFINITY};
  PetscInt       cells, blocks[2];
  PlexDG         other;
  double         share;

  PetscFunctionBegin;
  without.pml = 0.;
  PetscCall(CreateOperator(&without, dm, degree, precision, o->bench.backend, type, &other));
  PetscCall(PlexDGSetUp(other));
  for (int k = 0; k < 6; ++k) {
    PetscLogDouble t;

    PetscCall(BenchStageMeasure(k % 2 ? dg : other, NULL, o->bench.reps, &t));
    times[k % 2] = PetscMin(times[k % 2], t);
  }
  PetscCall(PlexDGGetPML(dg, &cells, NULL, NULL));
  PetscCall(CountBlocks(dg, blocks));
  share = (double)cells / dg->mesh->Ne;
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "layer, N = %" PetscInt_FMT ", %s %s: %.1f %% of the elements, in %.1f %% of the blocks of 16, "
                        "%.1f %% with others; stage %.4g ms, without it %.4g "
                        "ms; an element of it costs as much as %.2f others\n",
                        degree, type, precision, 100. * share, 1600. * blocks[0] / dg->mesh->Ne,
                        1600. * blocks[1] / dg->mesh->Ne, 1e3 * times[1], 1e3 * times[0],
                        1. + (times[1] / times[0] - 1.) / share));
  PetscCall(PlexDGDestroy(&other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of the second table */
typedef struct {
  PetscInt       degree;
  char           precision[16], type[32];
  double         values, bytes, flops; /* of the state; of a stage */
  PetscLogDouble stage, products;      /* seconds; products 0: not measured */
  double         host;                 /* values a second of the host's stage; 0: not measured */
} Comparison;

/* Values a second of a stage by the host backend on this core */
static PetscErrorCode MeasureHost(const Options *o, PetscInt degree, const char precision[], double *rate)
{
  YardstickHost  host;
  PlexBackend    backend;
  PetscLogDouble seconds = 0.;
  PetscInt       n;
  DM             dm;

  PetscFunctionBegin;
  PetscCall(BoxCreate(PETSC_COMM_SELF, o->dim, o->bench.hostCells, &dm));
  PetscCall(CreateOperator(o, dm, degree, precision, PLEXBACKENDHOST, PLEXDGHOST, &host.dg));
  PetscCall(PlexDGCreateVec(host.dg, &host.U));
  PetscCall(VecDuplicate(host.U, &host.R));
  PetscCall(VecDuplicate(host.U, &host.residual));
  PetscCall(PlexDGProject(host.dg, 0., Wave, NULL, host.U));
  PetscCall(YardstickHostStage(&host));
  PetscCall(PlexDGGetBackend(host.dg, &backend));
  PetscCall(BenchDGLock(&o->bench));
  PetscCall(BenchMedian(backend, YardstickHostStage, &host, PetscMin(o->bench.reps, 3), &seconds));
  PetscCall(BenchDGUnlock(&o->bench));
  PetscCall(VecGetSize(host.U, &n));
  *rate = n / seconds;
  PetscCall(VecDestroy(&host.residual));
  PetscCall(VecDestroy(&host.R));
  PetscCall(VecDestroy(&host.U));
  PetscCall(PlexDGDestroy(&host.dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compare(const Options *o, PlexDG dg, double stage, double host, Comparison *c)
{
  PlexDGType type;

  PetscFunctionBegin;
  PetscCall(PlexDGGetType(dg, &type));
  PetscCall(PetscStrncpy(c->type, type, sizeof(c->type)));
  PetscCall(PetscStrncpy(c->precision, PlexPrecisions[dg->precision], sizeof(c->precision)));
  c->degree   = dg->degree;
  c->values   = (double)dg->mesh->Ne * dg->reference->Np * dg->system->Nf;
  c->stage    = stage;
  c->host     = host;
  c->products = 0.;
  YardstickCount(dg, &c->bytes, &c->flops);
  if (dg->backend->device) PetscCall(YardstickProducts(dg, o->bench.reps, &c->products));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The second table; peak: flops a second by precision, 0 where they were not measured */
static PetscErrorCode PrintComparisons(const Options *o, PetscInt n, const Comparison c[], double copy,
                                       const double peak[])
{
  const PetscInt hosts = (o->dim == 2 ? 2 * o->bench.hostCells : 6 * o->bench.hostCells * o->bench.hostCells) *
                         o->bench.hostCells;

  PetscFunctionBegin;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "\nStages: ceiling at %.0f GB/s and %.1f (double), %.1f (single) TFlop/s; the host's on one "
                        "core, on %" PetscInt_FMT
                        " elements, element for element; cuBLAS's products with D and L alone\n\n",
                        1e-9 * copy, 1e-12 * peak[PLEX_PRECISION_DOUBLE], 1e-12 * peak[PLEX_PRECISION_SINGLE], hosts));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "| N | type | precision | GDOF/s | GB/s | TFlop/s | ceiling, GDOF/s | share | "
                                         "host, GDOF/s | speed-up | cuBLAS, GDOF/s | stage over cuBLAS "
                                         "|\n|---|---|---|---|---|---|---|---|---|---|---|---|\n"));
  for (PetscInt k = 0; k < n; ++k) {
    const double rate  = peak[!strcmp(c[k].precision, "single") ? PLEX_PRECISION_SINGLE : PLEX_PRECISION_DOUBLE],
                 bytes = c[k].bytes / copy, flops = rate > 0. ? c[k].flops / rate : 0., least = PetscMax(bytes, flops),
                 dofs = c[k].values / c[k].stage;

    PetscCall(PetscPrintf(PETSC_COMM_SELF,
                          "| %" PetscInt_FMT " | %s | %s | %.1f | %.0f | %.1f | %.1f (%s) | %.0f %% | ", c[k].degree,
                          c[k].type, c[k].precision, 1e-9 * dofs, 1e-9 * c[k].bytes / c[k].stage,
                          1e-12 * c[k].flops / c[k].stage, 1e-9 * c[k].values / least,
                          bytes >= flops ? "bytes" : "flops", 100. * least / c[k].stage));
    if (c[k].host > 0.) PetscCall(PetscPrintf(PETSC_COMM_SELF, "%.4f | %.0f | ", 1e-9 * c[k].host, dofs / c[k].host));
    else PetscCall(PetscPrintf(PETSC_COMM_SELF, "| | "));
    if (c[k].products > 0.)
      PetscCall(PetscPrintf(PETSC_COMM_SELF, "%.1f | %.2f |\n", 1e-9 * c[k].values / c[k].products,
                            c[k].products / c[k].stage));
    else PetscCall(PetscPrintf(PETSC_COMM_SELF, "| |\n"));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One line of the table, and of the second one where the type has stages; host: values a second of the host's stage */
static PetscErrorCode Measure(const Options *o, PlexBackend backend, DM dm, PetscInt degree, const char precision[],
                              const char type[], double copy, double host, FILE *csv, PetscInt *ncomparisons,
                              Comparison comparisons[])
{
  PetscBool      single;
  PetscLogDouble seconds = 0., stage = 0., begin, made, known, end;
  PetscInt       Ne, Np, Nf;
  double         values, bytes, flops;
  PlexDGType     chosen;
  PetscBool      tuned = PETSC_FALSE;
  BenchDGCall    call;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(precision, "single", &single));
  PetscCall(PetscTime(&begin));
  PetscCall(CreateOperator(o, dm, degree, precision, o->bench.backend, type, &call.dg));
  PetscCall(PlexDGSetFromOptions(call.dg));
  PetscCall(PetscOptionsGetBool(NULL, NULL, "-plex_dg_tune", &tuned, NULL));
  if (tuned) PetscCall(BenchDGLock(&o->bench));
  PetscCall(PlexDGCreateVec(call.dg, &call.U));
  PetscCall(VecDuplicate(call.U, &call.R));
  PetscCall(PetscTime(&made));
  PetscCall(PlexDGProject(call.dg, 0., Wave, NULL, call.U));
  PetscCall(PetscTime(&known));
  PetscCall(BenchDGEvaluate(&call));
  PetscCall(PlexBackendSynchronize(backend));
  PetscCall(PetscTime(&end));
  PetscCall(BenchDGLock(&o->bench));
  PetscCall(BenchMedian(backend, BenchDGEvaluate, &call, o->bench.reps, &seconds));
  PetscCall(PlexDGGetType(call.dg, &chosen));
  PetscCall(BenchPartsMeasure(call.dg, chosen, call.U, call.R, o->bench.reps, seconds, o->bench.parts));
  PetscCall(BenchStageMeasure(call.dg, NULL, o->bench.reps, &stage));
  if (stage > 0.) PetscCall(Compare(o, call.dg, stage, host, &comparisons[(*ncomparisons)++]));
  if (stage > 0. && call.dg->pml) PetscCall(CompareLayer(o, dm, degree, precision, chosen, call.dg));
  PetscCall(BenchDGUnlock(&o->bench));
  Ne     = call.dg->mesh->Ne;
  Np     = call.dg->reference->Np;
  Nf     = call.dg->system->Nf;
  values = (double)Ne * Np * Nf;
  bytes  = 16. * values + (double)Ne * (o->dim * o->dim * (single ? 4. : 8.) + 4. * (o->dim + 1) +
                                        (single ? 4. : 8.) * call.dg->system->ncoefficients);
  flops  = 2. * values * (o->dim * Np + (o->dim + 1) * call.dg->reference->Nfp);
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "| %" PetscInt_FMT " | %s | %s | %" PetscInt_FMT
                        " | %.3g | %.4g | %.3g | %.0f | %.0f %% | %.0f | %.4g | %.3g | %.3f | %.3f |\n",
                        degree, chosen, precision, Ne, 1e-6 * values, 1e3 * seconds, 1e-9 * values / seconds,
                        1e-9 * bytes / seconds, 100. * bytes / seconds / copy, 1e-9 * flops / seconds, 1e3 * stage,
                        stage > 0. ? 1e-9 * values / stage : 0., made - begin + end - known, known - made));
  if (csv)
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, csv,
                           "%s,%s,%s,%" PetscInt_FMT ",%" PetscInt_FMT ",%" PetscInt_FMT
                           ",%.0f,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g\n",
                           o->system, chosen, precision, o->dim, degree, Ne, values, seconds, bytes, flops, stage,
                           made - begin + end - known, known - made));
  fflush(stdout);
  PetscCall(VecDestroy(&call.R));
  PetscCall(VecDestroy(&call.U));
  PetscCall(PlexDGDestroy(&call.dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Options     o;
  PlexBackend backend;
  double      copy, host, peak[2] = {0., 0.};
  FILE       *csv   = NULL;
  PetscInt    lines = 0, ncomparisons = 0;
  Comparison *comparisons;

  PetscCall(BenchInitialize(&argc, &argv, help));
  PetscCall(GetOptions(&o));
  PetscCall(BenchCreateBackend(o.bench.backend, &backend));
  PetscCall(BenchDGLock(&o.bench));
  PetscCall(BenchCopyBandwidth(backend, &copy));
  for (int p = 0; p < 2 && backend->device; ++p) PetscCall(YardstickPeak(backend, (PlexPrecision)p, &peak[p]));
  PetscCall(PetscMalloc1(o.bench.ndegrees * o.nprecisions * o.ntypes, &comparisons));
  PetscCall(BenchDGUnlock(&o.bench));
  if (o.bench.csv[0])
    PetscCall(BenchOpenCSV(o.bench.csv,
                           "system,type,precision,dim,degree,elements,values,seconds,bytes,flops,stage_s,setup_s,"
                           "initial_s",
                           &csv));
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "%s in %" PetscInt_FMT "D on %s (%s), copy %.0f GB/s\n\n| N | type | precision | elements | "
                        "million values | ms | GDOF/s | GB/s | of copy | GFlop/s | stage, ms | "
                        "GDOF/s | set-up to the first right-hand side, s | initial values, s "
                        "|\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
                        o.system, o.dim, ((PetscObject)backend)->type_name, backend->limits.name, 1e-9 * copy));
  for (PetscInt k = 0; k < o.bench.ndegrees; ++k) {
    const PetscInt fields = 6, Np = PlexDGNodesSize(o.dim, o.bench.degrees[k]);
    PetscInt       n = o.bench.cells;
    DM             dm;

    while (n > 1 && (o.dim == 2 ? 2. * n * n : 6. * n * n * n) * Np * fields > o.bench.values) --n;
    PetscCall(CreateMesh(&o, n, &dm));
    for (PetscInt p = 0; p < o.nprecisions; ++p) {
      host = 0.;
      if (o.bench.hostCells && backend->kernels) PetscCall(MeasureHost(&o, o.bench.degrees[k], o.precisions[p], &host));
      for (PetscInt t = 0; t < o.ntypes; ++t, ++lines)
        PetscCall(Measure(&o, backend, dm, o.bench.degrees[k], o.precisions[p], o.types[t], copy, host, csv,
                          &ncomparisons, comparisons));
    }
    PetscCall(DMDestroy(&dm));
  }
  PetscCall(PrintComparisons(&o, ncomparisons, comparisons, copy, peak));
  PetscCall(BenchDGOptionsDestroy(&o.bench));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\nresult: %" PetscInt_FMT " lines\n", lines));
  PetscCall(PetscFree(comparisons));
  if (csv) PetscCall(BenchCloseCSV(o.bench.csv, &csv));
  for (PetscInt p = 0; p < o.nprecisions; ++p) PetscCall(PetscFree(o.precisions[p]));
  for (PetscInt t = 0; t < o.ntypes; ++t) PetscCall(PetscFree(o.types[t]));
  PetscCall(PlexBackendDestroy(&backend));
  PetscCall(BenchFinalize(lines));
  return 0;
}
