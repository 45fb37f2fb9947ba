#include "dg_options.h"
#include "../examples/box.h"

static char help
  [] = "Linear shallow water by DG with quadrature: the benchmark of Henry de Frahan (2011), "
       "a bump in a closed square basin, by the ways to compute it.\n\n"
       "  -cells N               cells a side (default 16; 1000 are a million quadrilaterals)\n"
       "  -triangles             2 triangles for each cell\n"
       "  -curved                elements of coordinates of second degree, with mass matrices of their own\n"
       "  -degrees A,B,...       default 1 to 10\n"
       "  -ways A,B,...          kernels,blas,fused (default; blas on the host)\n"
       "  -precision NAME        double (default) or single\n"
       "  -equations NAME        linear (default); nonlinear, over a bottom of varying depth; bores, the same with "
       "shock capturing; shore, with a beach on which water falls dry; or sphere, the same on a sphere of radius 2 "
       "that turns, with friction\n"
       "  -entropy               rates are corrected so that energy does not grow (default true); not of the linear "
       "equations\n"
       "  -host_cells N          a step of the host on one core is timed on so many cells a side (default 24); 0: "
       "not\n" BENCH_DG_HELP;

/*
  A step is one of the classical Runge-Kutta method of PETSc's TS: four right-hand sides, and sums of vectors; with a
  shore, bores or on the sphere one of ssp3, three. Bytes are those of a right-hand side, or of a stage of a low-storage scheme, if each field
  and what cannot be computed from less is moved once: a link a face, and of straight elements one Jacobian, from which
  normals follow, of others M^-1, Jacobians and normals at their points, and the depth at the nodes where it varies;
  ceiling: their time at the rate of a copy. -stages has copies and sums of vectors (equal, add), a step (rk_step) and,
  where it is one kernel, the right-hand side (rhs) besides.
*/
typedef struct {
  BenchDGOptions bench;
  PetscInt       nways;
  PetscBool      triangles, curved, entropy; /* entropy: false where the equations are linear */
  PetscInt       equations;
  char           precision[16];
  char          *ways[3];
} Options;

typedef enum {
  LINEAR,
  NONLINEAR,
  SHORE,
  BORES,
  SPHERE,
  EQUATIONS
} Equations;
static const char *const equations[] = {"linear", "nonlinear", "shore", "bores", "sphere"};

static PetscBool HasShore(const Options *o)
{
  return (PetscBool)(o->equations == SHORE || o->equations == SPHERE);
}

static PetscErrorCode GetOptions(Options *o)
{
  PetscBool set;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(o, sizeof(*o)));
  o->bench.cells     = 16;
  o->bench.hostCells = 24;
  o->bench.reps      = 7;
  o->nways           = 3;
  o->entropy         = PETSC_TRUE;
  PetscCall(PetscStrncpy(o->precision, "double", sizeof(o->precision)));
  PetscOptionsBegin(PETSC_COMM_SELF, NULL, "Shallow water", NULL);
  PetscCall(BenchDGGetOptions(PetscOptionsObject, PLEX_DG_MAX_QUADRATURE_DEGREE, &o->bench));
  PetscCall(PetscOptionsBool("-triangles", "Triangles", NULL, o->triangles, &o->triangles, NULL));
  PetscCall(PetscOptionsBool("-curved", "Curved elements", NULL, o->curved, &o->curved, NULL));
  PetscCall(PetscOptionsString("-precision", "Arithmetic", NULL, o->precision, o->precision, sizeof(o->precision),
                               NULL));
  PetscCall(PetscOptionsEList("-equations", "Of shallow water", NULL, equations, EQUATIONS, equations[0], &o->equations,
                              NULL));
  PetscCall(PetscOptionsBool("-entropy", "Rates are corrected so that energy does not grow", NULL, o->entropy,
                             &o->entropy, NULL));
  PetscCall(PetscOptionsStringArray("-ways", "Ways to compute it", NULL, o->ways, &o->nways, &set));
  if (!set) o->nways = 0;
  PetscOptionsEnd();
  o->entropy = (PetscBool)(o->entropy && o->equations);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* n cells a side of [-1, 1]^2; curved: moved where it does not change the boundary */
static PetscErrorCode MakeMesh(const Options *o, PetscInt n, DM *dm)
{
  const PetscInt faces[2] = {n, n};
  PetscScalar   *array;
  PetscInt       size;
  Vec            x;

  PetscFunctionBegin;
  if (o->triangles) PetscCall(BoxCreate(PETSC_COMM_SELF, 2, n, dm));
  else
    PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_SELF, 2, PETSC_FALSE, faces, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_TRUE,
                                  dm));
  if (o->curved) PetscCall(DMPlexCreateCoordinateSpace(*dm, 2, PETSC_FALSE, PETSC_TRUE));
  PetscCall(DMGetCoordinatesLocal(*dm, &x));
  PetscCall(VecScale(x, 2.));
  PetscCall(VecShift(x, -1.));
  PetscCall(VecGetLocalSize(x, &size));
  PetscCall(VecGetArray(x, &array));
  for (PetscInt i = 0; o->curved && i < size; i += 2) {
    const PetscReal bump = 0.05 * PetscSinReal(PETSC_PI * PetscRealPart(array[i])) *
                           PetscSinReal(PETSC_PI * PetscRealPart(array[i + 1]));

    array[i] += bump;
    array[i + 1] -= bump;
  }
  PetscCall(VecRestoreArray(x, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Bump(PetscInt dim, PetscReal t, const PetscReal x[], PetscInt Nf, PetscScalar u[], void *ctx)
{
  PetscFunctionBegin;
  u[0] = PetscExpReal(-2. * (x[0] * x[0] + x[1] * x[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A sea that is 0.5 deep, with a beach in the west: where x < -0.95 land is higher than the level of the sea, and where
   x < -0.9, 5 % of the square, elements may fall dry. Without a shore it is 1 deeper. On the sphere also the Coriolis
   parameter, sin(latitude), and the scale of the projection */
static PetscErrorCode Bottom(PetscInt dim, const PetscReal x[], PetscInt cell, PetscInt n, PetscReal k[], void *ctx)
{
  const Options *o = (const Options *)ctx;

  PetscFunctionBegin;
  k[0] = PetscMin(0.5, 2. * (x[0] + 0.95)) + !HasShore(o);
  if (o->equations == SPHERE) { /* stereographic, from the pole */
    k[2] = 1. / (1. + (x[0] * x[0] + x[1] * x[1]) / 16.);
    k[1] = 2. * k[2] - 1.;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The system, and for a shore what is dry and where it may be */
static PetscErrorCode SetEquations(const Options *o, PlexDG dg)
{
  const PetscReal dry = 1e-3, shore = 0.1, manning = 0.01, entropy = o->entropy ? 1. : 0.;
  const char     *system = o->equations == SPHERE ? "tsunami" : o->equations ? "shallow_water" : "shallow_water_linear";

  PetscFunctionBegin;
  PetscCall(PlexDGSetSystem(dg, system));
  if (o->equations) {
    PetscCall(PlexDGSetCoefficients(dg, Bottom, (void *)o));
    PetscCall(PlexDGSetConstant(dg, "entropy", 1, &entropy));
    PetscCall(PlexDGSetShockCapturing(dg, (PetscBool)(o->equations == BORES)));
  }
  if (o->equations == SPHERE) PetscCall(PlexDGSetConstant(dg, "manning", 1, &manning));
  if (HasShore(o)) {
    PetscCall(PlexDGSetConstant(dg, "dry", 1, &dry));
    PetscCall(PlexDGSetConstant(dg, "shore", 1, &shore));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  BenchDGCall rhs;
  TS          ts;
} Problem;

static PetscErrorCode Create(const Options *o, DM dm, PetscInt degree, const char backend[], const char way[],
                             Problem *p)
{
  PetscBool single;
  PetscInt  n;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(o->precision, "single", &single));
  PetscCall(PlexDGCreate(dm, &p->rhs.dg));
  PetscCall(SetEquations(o, p->rhs.dg));
  PetscCall(PlexDGSetDiscretization(p->rhs.dg, PLEX_DG_QUADRATURE));
  PetscCall(PlexDGSetDegree(p->rhs.dg, degree));
  PetscCall(PlexDGSetBackend(p->rhs.dg, backend));
  PetscCall(PlexDGSetPrecision(p->rhs.dg, single ? PLEX_PRECISION_SINGLE : PLEX_PRECISION_DOUBLE));
  PetscCall(PlexDGAddBoundary(p->rhs.dg, NULL, PETSC_DETERMINE, "wall"));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_dg_gemm", way));
  PetscCall(PlexDGCreateVec(p->rhs.dg, &p->rhs.U));
  PetscCall(PetscOptionsClearValue(NULL, "-plex_dg_gemm"));
  PetscCall(VecDuplicate(p->rhs.U, &p->rhs.R));
  PetscCall(PlexDGProject(p->rhs.dg, 0., Bump, NULL, p->rhs.U));
  PetscCall(TSCreate(PETSC_COMM_SELF, &p->ts));
  PetscCall(TSSetSolution(p->ts, p->rhs.U));
  PetscCall(PlexDGSetTS(p->rhs.dg, p->ts));
  PetscCall(TSSetMaxSteps(p->ts, PETSC_INT_MAX));
  PetscCall(TSSetMaxTime(p->ts, 1e9));
  PetscCall(TSSetUp(p->ts));
  PetscCall(VecGetSize(p->rhs.U, &n));
  PetscCheck(n > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "The state is empty");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Destroy(Problem *p)
{
  PetscFunctionBegin;
  PetscCall(TSDestroy(&p->ts));
  PetscCall(VecDestroy(&p->rhs.R));
  PetscCall(VecDestroy(&p->rhs.U));
  PetscCall(PlexDGDestroy(&p->rhs.dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Step(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(TSStep(((Problem *)ctx)->ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds a step and element of the host on this core */
static PetscErrorCode MeasureHost(const Options *o, PetscInt degree, double *each)
{
  PetscLogDouble seconds = 0.;
  Problem        p;
  DM             dm;

  PetscFunctionBegin;
  PetscCall(MakeMesh(o, o->bench.hostCells, &dm));
  PetscCall(Create(o, dm, degree, PLEXBACKENDHOST, "blas", &p));
  PetscCall(Step(&p));
  PetscCall(BenchDGLock(&o->bench));
  PetscCall(BenchMedian(p.rhs.dg->backend, Step, &p, PetscMin(o->bench.reps, 3), &seconds));
  PetscCall(BenchDGUnlock(&o->bench));
  *each = seconds / (double)p.rhs.dg->mesh->Ne;
  PetscCall(Destroy(&p));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static double Members(unsigned set)
{
  double n = 0.;

  for (; set; set >>= 1) n += set & 1u;
  return n;
}

/* Numbers of an element, besides the state, that a right-hand side reads: of geometry, coefficients and M^-1. Where
   coefficients vary, those at points that are read there */
static double Numbers(PlexDG dg)
{
  const PlexDGHost *host = dg->system->host[dg->precision];
  PlexDGQuadrature  Q    = dg->quadrature;
  const double      dim = (double)dg->mesh->dim, faces = (double)dg->mesh->faces, Np = (double)dg->reference->Np,
                    NG = (double)Q->NG, MG = (double)Q->MG, straight = dim * dim + faces * (dim + 1.),
                    points = dim * (dim * NG + faces * MG);

  if (!host->variable) return Q->affine ? dim * dim : points + Np * Np;
  return ((double)host->NK + dim * Members(host->slopes)) * NG +
         (2. * Members(host->onfaces) + (Q->flatC ? 1. : 0.)) * faces * MG +
         (Q->affine || Q->flatC ? straight : points + NG) + (Q->affine ? 0. : Np * (Np + 1.) / 2.);
}

/* Least bytes of a right-hand side or stage, and flops of its products */
static void Count(PlexDG dg, PetscBool stage, double *bytes, double *flops)
{
  PlexDGQuadrature Q    = dg->quadrature;
  const double     real = dg->precision == PLEX_PRECISION_SINGLE ? 4. : 8., state = stage ? 4. * real : 16.,
                   Ne = (double)dg->mesh->Ne, Nf = (double)dg->system->Nf, dim = (double)dg->mesh->dim,
                   faces = (double)dg->mesh->faces;
  const double Np = (double)dg->reference->Np, Nfp = (double)dg->reference->Nfp, NG = (double)Q->NG, MG = (double)Q->MG;

  *bytes = Ne * (state * Nf * Np + 4. * faces + real * Numbers(dg));
  *flops = 2. * Ne * Nf * (Np * (NG + dim * NG + faces * MG) + 2. * faces * MG * Nfp + (Q->affine ? 0. : Np * Np));
}

static PetscErrorCode Measure(const Options *o, DM dm, PetscInt degree, const char way[], double copy, double host,
                              FILE *csv)
{
  PetscLogDouble rhs = 0., step = 0., stage = 0.;
  double         bytes, stageBytes, flops, values;
  const char    *label;
  Problem        p;
  BenchPart      one, all;

  PetscFunctionBegin;
  PetscCall(Create(o, dm, degree, o->bench.backend, way, &p));
  label  = p.rhs.dg->backend->kernels ? way : PLEXBACKENDHOST;
  values = (double)p.rhs.dg->mesh->Ne * p.rhs.dg->reference->Np * p.rhs.dg->system->Nf;
  Count(p.rhs.dg, PETSC_FALSE, &bytes, &flops);
  PetscCall(BenchDGEvaluate(&p.rhs));
  PetscCall(Step(&p));
  PetscCall(BenchDGLock(&o->bench));
  PetscCall(BenchMedian(p.rhs.dg->backend, BenchDGEvaluate, &p.rhs, o->bench.reps, &rhs));
  PetscCall(BenchPartsMeasure(p.rhs.dg, label, p.rhs.U, p.rhs.R, o->bench.reps, rhs, o->bench.parts));
  one = (BenchPart){"rhs", BenchDGEvaluate, &p.rhs, bytes, flops, rhs, PETSC_FALSE};
  if (!p.rhs.dg->ops->part) PetscCall(BenchPartsAdd(p.rhs.dg, label, &one, o->bench.reps, rhs, o->bench.parts));
  PetscCall(BenchMedian(p.rhs.dg->backend, Step, &p, o->bench.reps, &step));
  all = (BenchPart){"rk_step", Step, &p, 0., 0., step, PETSC_FALSE};
  PetscCall(BenchPartsAdd(p.rhs.dg, label, &all, o->bench.reps, rhs, o->bench.parts));
  PetscCall(BenchPartsMeasureVectors(p.rhs.dg, label, p.rhs.U, p.rhs.R, o->bench.reps, rhs, o->bench.parts));
  PetscCall(BenchStageMeasure(p.rhs.dg, o->equations ? p.rhs.U : NULL, o->bench.reps, &stage));
  PetscCall(BenchDGUnlock(&o->bench));
  Count(p.rhs.dg, PETSC_TRUE, &stageBytes, &flops);
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "| %" PetscInt_FMT " | %s | %" PetscInt_FMT
                        " | %.3g | %.4g | %.3g | %.0f %% | %.0f | %.4g | %.0f %% | %.4g | ",
                        degree, way, p.rhs.dg->mesh->Ne, 1e-6 * values, 1e3 * rhs, 1e-9 * values / rhs,
                        100. * bytes / copy / rhs, 1e-9 * flops / rhs, 1e3 * stage,
                        stage > 0. ? 100. * stageBytes / copy / stage : 0., 1e3 * step));
  if (host > 0.) PetscCall(PetscPrintf(PETSC_COMM_SELF, "%.0f |\n", host * (double)p.rhs.dg->mesh->Ne / step));
  else PetscCall(PetscPrintf(PETSC_COMM_SELF, "|\n"));
  if (csv)
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, csv,
                           "%s,%s,%s,%s,%d,%" PetscInt_FMT ",%" PetscInt_FMT
                           ",%.0f,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%s,%d\n",
                           ((PetscObject)p.rhs.dg->backend)->type_name, way, o->precision, BenchDGCell(p.rhs.dg),
                           BenchDGAffine(p.rhs.dg), degree, p.rhs.dg->mesh->Ne, values, rhs, stage, step, bytes,
                           stageBytes, flops, copy, host, equations[o->equations], o->entropy));
  fflush(stdout);
  PetscCall(Destroy(&p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const all[] = {"kernels", "blas", "fused"};
  Options           o;
  PlexBackend       backend;
  double            copy, host;
  FILE             *csv   = NULL;
  PetscInt          lines = 0;

  PetscCall(BenchInitialize(&argc, &argv, help));
  PetscCall(GetOptions(&o));
  PetscCall(BenchCreateBackend(o.bench.backend, &backend));
  PetscCall(BenchDGLock(&o.bench));
  PetscCall(BenchCopyBandwidth(backend, &copy));
  PetscCall(BenchDGUnlock(&o.bench));
  if (o.bench.csv[0])
    PetscCall(BenchOpenCSV(o.bench.csv,
                           "backend,way,precision,cell,affine,degree,elements,values,rhs_s,stage_s,step_s,bytes,stage_"
                           "bytes,flops,copy_bytes_per_s,host_step_s_per_element,equations,entropy",
                           &csv));
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "%s shallow water%s, %s %s, %s on %s (%s), copy %.0f GB/s\n\n| N | way | elements | million "
                        "values | right-hand side, ms | GDOF/s | of the ceiling | GFlop/s | stage, ms | of the ceiling "
                        "| step, ms | times one core |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n",
                        equations[o.equations], o.equations && !o.entropy ? " without the correction by energy" : "",
                        o.curved ? "curved" : "affine", o.triangles ? "triangles" : "quadrilaterals", o.precision,
                        ((PetscObject)backend)->type_name, backend->limits.name, 1e-9 * copy));
  for (PetscInt k = 0; k < o.bench.ndegrees; ++k) {
    const PetscReal each = 3. * (o.triangles ? (o.bench.degrees[k] + 1) * (o.bench.degrees[k] + 2)
                                             : (o.bench.degrees[k] + 1) * (o.bench.degrees[k] + 1));
    DM              dm;

    PetscCall(MakeMesh(&o, PetscMin(o.bench.cells, (PetscInt)PetscSqrtReal(o.bench.values / each)), &dm));
    host = 0.;
    if (o.bench.hostCells) PetscCall(MeasureHost(&o, o.bench.degrees[k], &host));
    for (PetscInt w = 0; w < 3; ++w) {
      PetscBool wanted = (PetscBool)(!o.nways && (backend->kernels || w == 1)), same;

      for (PetscInt g = 0; g < o.nways; ++g) {
        PetscCall(PetscStrcmp(o.ways[g], all[w], &same));
        wanted = (PetscBool)(wanted || same);
      }
      if (!wanted) continue;
      PetscCall(Measure(&o, dm, o.bench.degrees[k], all[w], copy, host, csv));
      ++lines;
    }
    PetscCall(DMDestroy(&dm));
  }
  PetscCall(BenchDGOptionsDestroy(&o.bench));
  if (csv) PetscCall(BenchCloseCSV(o.bench.csv, &csv));
  for (PetscInt g = 0; g < o.nways; ++g) PetscCall(PetscFree(o.ways[g]));
  PetscCall(PlexBackendDestroy(&backend));
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "result: benchmark=shallow_water lines=%" PetscInt_FMT "\n", lines));
  PetscCall(BenchFinalize(lines));
  return 0;
}
