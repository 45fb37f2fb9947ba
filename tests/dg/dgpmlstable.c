static char
  help[] = "Perfectly matched layers of nodal DG: reflection at angles beside that of the absorbing boundary, "
           "long runs, eigenvalues of steps.\n\n";

#include "layerbox.h"
#include "report.h"
#include "../../src/dg/core/coreimpl.h"
#include <petscblaslapack.h>

#define PLEX_PML_FUNCTION static inline
#include <dg/pml.h>

/* ------------------------------------------------------------------------------------------------------------------
   Reflection in a guide between walls at y = 0 and 1, whose mode has two plane waves that meet the layer at an angle
   ------------------------------------------------------------------------------------------------------------------ */

#define STATIONS 32
/* Length of the guide between both layers, and where stations begin: far from the current the next mode has died out */
#define LENGTH(g) ((g)->angle > 0. ? 4. : 6.)
#define FIRST(g)  ((g)->angle > 0. ? 1.5 : 3.5)

typedef struct {
  PetscInt    N, n, layers; /* degree, squares a unit of length, in the layer */
  PetscReal   angle;        /* degrees from the normal; 0: a wave along the guide */
  const char *outer, *system;
} Guide;

typedef struct {
  PlexDG    dg;
  PetscReal w;
  PetscInt  n, *at, *station; /* entries of the state at stations */
  PetscReal sum[STATIONS][2]; /* Fourier transform there */
  PetscInt  stations;
} Record;

/* Entries of the field at nodes y = 1/2 of stations, spaced as the squares */
static PetscErrorCode RecordCreate(PlexDG dg, const Guide *g, PetscInt field, Record *r)
{
  const PetscReal *x;
  PetscInt         Ne, Np, Nf;

  PetscFunctionBegin;
  PetscCall(PlexDGGetFields(dg, &Nf, NULL));
  PetscCall(PlexDGGetNodes(dg, &Ne, &Np, &x));
  PetscCall(PetscMalloc2(Ne * Np, &r->at, Ne * Np, &r->station));
  r->dg       = dg;
  r->n        = 0;
  r->stations = (PetscInt)((LENGTH(g) - FIRST(g)) * (PetscReal)g->n + 1e-9);
  PetscCall(PetscArrayzero(&r->sum[0][0], 2 * STATIONS));
  for (PetscInt e = 0; e < Ne; ++e)
    for (PetscInt i = 0; i < Np; ++i) {
      const PetscReal *at = &x[(e * Np + i) * 2], s = (at[0] - FIRST(g)) * (PetscReal)g->n;
      const PetscInt   k = (PetscInt)PetscFloorReal(s + 0.5);

      if (PetscAbsReal(at[1] - 0.5) > 1e-9 || PetscAbsReal(s - (PetscReal)k) > 1e-9 || k < 0 || k >= r->stations)
        continue;
      r->at[r->n]        = (e * Nf + field) * Np + i;
      r->station[r->n++] = k;
    }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RecordMonitor(TS ts, PetscInt step, PetscReal t, Vec U, void *ctx)
{
  Record            *r = (Record *)ctx;
  const PetscScalar *u;

  PetscFunctionBegin;
  (void)ts;
  (void)step;
  PetscCall(VecGetArrayRead(U, &u));
  for (PetscInt k = 0; k < r->n; ++k) {
    r->sum[r->station[k]][0] += PetscRealPart(u[r->at[k]]) * PetscCosReal(r->w * t);
    r->sum[r->station[k]][1] -= PetscRealPart(u[r->at[k]]) * PetscSinReal(r->w * t);
  }
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* f_k = A z^k + B z^-k, with the z of the discrete wave, of f_(k - 1) + f_(k + 1) = 2 Re(z) f_k: reflection |B|/|A| */
static PetscErrorCode RecordGetReflection(Record *r, PetscReal *reflection)
{
  PetscReal a = 0., b = 0., c, s, M[2] = {0., 0.}, rhs[2][2] = {{0.}}, size[2];
  PetscReal (*f)[2] = r->sum;

  PetscFunctionBegin;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &r->sum[0][0], 2 * STATIONS, MPIU_REAL, MPI_SUM, PETSC_COMM_WORLD));
  for (PetscInt k = 1; k < r->stations - 1; ++k)
    for (int i = 0; i < 2; ++i) {
      a += f[k][i] * (f[k - 1][i] + f[k + 1][i]);
      b += 2. * f[k][i] * f[k][i];
    }
  c = a / b;
  s = PetscSqrtReal(PetscMax(0., 1. - c * c));
  /* least squares for A and B, with z = exp(-i p): normal equations [n, conj(M); M, n] */
  {
    const PetscReal p = PetscAtan2Real(s, c);

    for (PetscInt k = 0; k < r->stations; ++k) {
      const PetscReal C = PetscCosReal(p * k), S = PetscSinReal(p * k);

      M[0] += PetscCosReal(2. * p * k);
      M[1] += PetscSinReal(2. * p * k);
      rhs[0][0] += C * f[k][0] - S * f[k][1]; /* sum of conj(z^k) f */
      rhs[0][1] += C * f[k][1] + S * f[k][0];
      rhs[1][0] += C * f[k][0] + S * f[k][1]; /* of z^k f */
      rhs[1][1] += C * f[k][1] - S * f[k][0];
    }
  }
  for (int side = 0; side < 2; ++side) { /* A: n rhs0 - M rhs1, M = sum conj(z)^(2k); B: n rhs1 - conj(M) rhs0 */
    const PetscReal sign = side ? -1. : 1., n = (PetscReal)r->stations, *o = rhs[1 - side];

    size[side] = PetscSqrtReal(PetscSqr(n * rhs[side][0] - (M[0] * o[0] - sign * M[1] * o[1])) +
                               PetscSqr(n * rhs[side][1] - (M[0] * o[1] + sign * M[1] * o[0])));
  }
  *reflection = size[1] / size[0];
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GuideMesh(const Guide *g, DM *dm)
{
  const PetscReal  L = (PetscReal)g->layers / (PetscReal)g->n;
  PlexTestLayerBox b = {
    .dim   = 2,
    .n     = {(PetscInt)LENGTH(g) * g->n + 2 * g->layers, g->n           },
    .low   = {-L,                                         0.             },
    .high  = {LENGTH(g) + L,                              1.             },
    .inner = {{0., -1.},                                  {LENGTH(g), 2.}}
  };

  PetscFunctionBegin;
  PetscCall(PlexTestLayerBoxCreate(PETSC_COMM_WORLD, &b, dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GuideReflection(const Guide *g, PetscReal *reflection)
{
  const PetscReal a = g->angle * PETSC_PI / 180., w = g->angle > 0. ? PETSC_PI / PetscSinReal(a) : 3.;
  /* in time a Gaussian, narrow enough around w not to have the frequency where the mode stops, PI */
  const PetscReal width = g->angle > 0. ? 5.4 / (w - PETSC_PI) : 3., delay = 2.6 * width, radius = 0.3;
  const PetscReal P[3] = {0., g->angle > 0. ? 0. : 1., g->angle > 0. ? 1. : 0.}, center[3] = {0.5, 0.5, 0.};
  PlexDG          dg;
  DM              dm;
  TS              ts;
  Vec             U;
  Record          r = {.w = w};

  PetscFunctionBegin;
  PetscCall(GuideMesh(g, &dm));
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "maxwell"));
  PetscCall(PlexDGSetDegree(dg, g->N));
  PetscCall(PlexDGSetBackend(dg, PLEXBACKENDHOST));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "pec"));
  PetscCall(PlexDGAddBoundary(dg, "walls", 1, g->outer));
  PetscCall(PlexDGAddBoundary(dg, "walls", 2, g->outer));
  if (g->layers) PetscCall(PlexDGSetPML(dg, "layer", PETSC_DETERMINE, "box"));
  PetscCall(PlexDGSetConstant(dg, "current", 3, P));
  PetscCall(PlexDGSetConstant(dg, "current_center", 3, center));
  PetscCall(PlexDGSetConstant(dg, "current_radius", 1, &radius));
  PetscCall(PlexDGSetConstant(dg, "current_frequency", 1, &w));
  PetscCall(PlexDGSetConstant(dg, "current_delay", 1, &delay));
  PetscCall(PlexDGSetConstant(dg, "current_width", 1, &width));
  PetscCall(PlexDGSetFromOptions(dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(RecordCreate(dg, g, g->angle > 0. ? 2 : 1, &r));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetType(ts, TSPLEXLOWSTORAGE));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxTime(ts, 2. * delay + (g->angle > 0. ? 60. : 20.)));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSMonitorSet(ts, RecordMonitor, &r, NULL));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(TSSolve(ts, U));
  PetscCall(RecordGetReflection(&r, reflection));
  PetscCall(PetscFree2(r.at, r.station));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An absorbing boundary alone reflects (1 - cos a)/(1 + cos a) */
static PetscErrorCode TestGuide(PetscInt N, PetscInt n, PetscInt layers, PetscReal angle, PetscReal most)
{
  const Guide     g = {.N = N, .n = n, .layers = layers, .angle = angle, .outer = "absorbing"};
  const PetscReal c = PetscCosReal(angle * PETSC_PI / 180.);
  PetscReal       R = 0.;
  char            name[160];

  PetscFunctionBegin;
  PetscCall(GuideReflection(&g, &R));
  PetscCall(PetscSNPrintf(name, sizeof(name),
                          "reflection at %g degrees, degree %" PetscInt_FMT ", %" PetscInt_FMT
                          " cells: %.1e, of an absorbing boundary %.1e",
                          (double)angle, N, layers, (double)R, (double)((1. - c) / (1. + c))));
  PetscCall(PlexTestReport((PetscBool)(R < most), name, "at most %g", (double)most));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   Stability
   ------------------------------------------------------------------------------------------------------------------ */

/* A run in a cube with layers at all sides */
typedef struct {
  const char *system;
  PetscInt    dim, N, layers, steps;
  PetscReal   reflection; /* that of the profile */
  PetscBool   uneven;     /* the last axis is stretched, and cells grow along all axes */
  PetscInt    power;
} Long;

static PetscErrorCode Uneven(DM dm)
{
  Vec          coordinates;
  PetscScalar *x;
  PetscInt     dim, n;

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(DMGetCoordinatesLocal(dm, &coordinates));
  PetscCall(VecGetLocalSize(coordinates, &n));
  PetscCall(VecGetArray(coordinates, &x));
  for (PetscInt i = 0; i < n; ++i) x[i] *= (0.4 + 0.6 * PetscRealPart(x[i])) * (i % dim == dim - 1 ? 5. : 1.);
  PetscCall(VecRestoreArray(coordinates, &x));
  PetscCall(DMSetCoordinatesLocal(dm, coordinates));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* An operator whose cells with a label are the layer */
static PetscErrorCode LayerCreate(DM dm, const char system[], PetscInt N, PlexDG *dg)
{
  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, system));
  PetscCall(PlexDGSetDegree(*dg, N));
  PetscCall(PlexDGSetBackend(*dg, PLEXBACKENDHOST));
  PetscCall(PlexDGSetType(*dg, PLEXDGHOST));
  PetscCall(PlexDGAddBoundary(*dg, NULL, PETSC_DETERMINE, "absorbing"));
  PetscCall(PlexDGSetPML(*dg, "layer", PETSC_DETERMINE, "box"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define SAMPLES 10

/* With the default step; from a rough state, which leaves static fields in the layer. These
   change as 1/alpha by factors of up to (1 + sigma/alpha)^2, and there are slow oscillations between fields and variables: it is
   the energy of both that decays. That of fields is at most, in the second half of the run, what it was in the first */
static PetscErrorCode TestLong(const Long *l)
{
  PlexTestLayerBox b = {.dim = l->dim};
  PetscReal        energy[SAMPLES + 1], most[2] = {0., 0.};
  char             all[256] = "";
  PlexDG           dg;
  DM               dm;
  TS               ts;
  Vec              U;
  char             name[160];

  PetscFunctionBegin;
  for (PetscInt d = 0; d < l->dim; ++d) {
    b.n[d]        = 2 * l->layers + 2;
    b.high[d]     = 1.;
    b.inner[0][d] = (PetscReal)l->layers / (PetscReal)b.n[d];
    b.inner[1][d] = 1. - b.inner[0][d];
  }
  PetscCall(PlexTestLayerBoxCreate(PETSC_COMM_WORLD, &b, &dm));
  if (l->uneven) PetscCall(Uneven(dm));
  PetscCall(LayerCreate(dm, l->system, l->N, &dg));
  PetscCall(PlexDGSetPMLProfile(dg, l->reflection, l->power, PETSC_DETERMINE));
  PetscCall(PlexDGSetFromOptions(dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexDGProject(dg, 0., PlexTestRough, NULL, U));
  PetscCall(PlexDGComputeEnergy(dg, U, &energy[0]));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetType(ts, TSPLEXLOWSTORAGE));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxTime(ts, 1e9));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  for (PetscInt k = 1; k <= SAMPLES; ++k) {
    char text[24];

    PetscCall(TSSetMaxSteps(ts, k * l->steps / SAMPLES));
    PetscCall(TSSolve(ts, U));
    PetscCall(PlexDGComputeEnergy(dg, U, &energy[k]));
    PetscCall(PetscSNPrintf(text, sizeof(text), " %.4g", (double)energy[k]));
    PetscCall(PetscStrlcat(all, text, sizeof(all)));
    most[k > SAMPLES / 2] = PetscMax(most[k > SAMPLES / 2], energy[k]);
  }
  PetscCall(PetscSNPrintf(name, sizeof(name),
                          "energy of %s in a layer, dimension %" PetscInt_FMT ", degree %" PetscInt_FMT
                          ", %" PetscInt_FMT " cells, for reflection %g%s, rough, over %" PetscInt_FMT " steps",
                          l->system, l->dim, l->N, l->layers, (double)l->reflection, l->uneven ? ", uneven" : "",
                          l->steps));
  PetscCall(PlexTestReport((PetscBool)(most[1] < (1. + 1e-9) * most[0]), name, "%g,%s", (double)energy[0], all));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* One step of the default scheme and size, of fields and variables, as a matrix: no eigenvalue is outside the unit circle.
   Layers of one cell at all sides of n cells, or at the upper ones */
typedef struct {
  const char *system;
  PetscInt    dim, N, n;
  PetscBool   lower; /* sides, too */
  PetscReal   reflection, alpha;
  PetscBool   uneven;
  PetscInt    power;
} Spectrum;

/* Which of the layer's values are variables, places[n], and which of elements or points that there are not: as
   cuda/dg/pml_args.h has them */
static PetscErrorCode SpectrumPlaces(PlexDG dg, PetscInt *n, PetscInt *places[])
{
  PlexDGPML p = dg->pml;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(p->bytes / sizeof(double), places));
  *n = 0;
  for (const PlexDGPMLBatch *b = p->batches; b < p->batches + p->args.nbatches; ++b) {
    const PetscInt most  = plex_pml_is_nodal(b->kind) ? p->args.NP : p->args.NQ,
                   width = plex_pml_width(b->kind, p->args.NP, p->args.NQ);

    for (long long at = b->first; at < b[1].first; ++at) {
      const PetscInt k = (PetscInt)(at - b->first) % (PLEX_PML_ELEMENTS * width), tile = k / (8 * PLEX_PML_ELEMENTS),
                     rest = k % (8 * PLEX_PML_ELEMENTS), row = PetscMin(8, width - 8 * tile);

      if (rest / row < b->n && 8 * tile + rest % row < most) (*places)[(*n)++] = (PetscInt)at;
    }
  }
  for (PetscInt k = 0; k < p->items - p->nvarying; ++k) {
    const PlexDGPMLItem *item = &p->constant->items[k];

    for (PetscInt i = 0; i < item->variables * p->args.NP; ++i) (*places)[(*n)++] = (PetscInt)item->first + i;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SpectrumMatrix(PlexDG dg, TS ts, Vec U, PetscInt nu, PetscInt n, const PetscInt places[],
                                     PetscReal A[])
{
  double *values = (double *)dg->pml->values;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) {
    PetscScalar *u;

    PetscCall(VecZeroEntries(U));
    PetscCall(PetscArrayzero(values, dg->pml->bytes / sizeof(double)));
    PetscCall(VecGetArray(U, &u));
    if (k < nu) u[k] = 1.;
    else values[places[k - nu]] = 1.;
    PetscCall(VecRestoreArray(U, &u));
    PetscCall(TSSetTime(ts, 0.));
    PetscCall(TSSetStepNumber(ts, 0));
    PetscCall(TSSetMaxSteps(ts, 1));
    dg->run.began = PETSC_FALSE; /* after another run variables would begin at 0 */
    PetscCall(TSSolve(ts, U));
    PetscCall(VecGetArray(U, &u));
    for (PetscInt i = 0; i < nu; ++i) A[k * n + i] = PetscRealPart(u[i]);
    PetscCall(VecRestoreArray(U, &u));
    for (PetscInt i = nu; i < n; ++i) A[k * n + i] = values[places[i - nu]];
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestSpectrum(const Spectrum *s)
{
  PlexTestLayerBox b = {.dim = s->dim};
  PetscReal       *A, *re, *im, *work, none, most = 0.;
  PetscInt         nu, n = 0, *places = NULL;
  PetscBLASInt     size, space, info, one = 1;
  PlexDG           dg;
  DM               dm;
  TS               ts;
  Vec              U;
  char             name[160];

  PetscFunctionBegin;
  for (PetscInt d = 0; d < s->dim; ++d) {
    b.n[d]        = s->n;
    b.high[d]     = 1.;
    b.inner[0][d] = s->lower ? 1. / (PetscReal)s->n : 0.;
    b.inner[1][d] = 1. - 1. / (PetscReal)s->n;
  }
  PetscCall(PlexTestLayerBoxCreate(PETSC_COMM_SELF, &b, &dm));
  if (s->uneven) PetscCall(Uneven(dm));
  PetscCall(LayerCreate(dm, s->system, s->N, &dg));
  PetscCall(PlexDGSetPMLProfile(dg, s->reflection, s->power, s->alpha));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecGetLocalSize(U, &nu));
  PetscCall(SpectrumPlaces(dg, &n, &places));
  n += nu;
  PetscCall(PetscBLASIntCast(n, &size));
  PetscCall(PetscBLASIntCast(40 * n, &space));
  PetscCall(PetscMalloc4(n * n, &A, n, &re, n, &im, 40 * n, &work));
  PetscCall(TSCreate(PETSC_COMM_SELF, &ts));
  PetscCall(TSSetType(ts, TSPLEXLOWSTORAGE));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetMaxTime(ts, 1e9));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSMonitorCancel(ts)); /* which says where states grow, as the columns do */
  PetscCall(SpectrumMatrix(dg, ts, U, nu, n, places, A));
  PetscCallBLAS("LAPACKgeev",
                LAPACKgeev_("N", "N", &size, A, &size, re, im, &none, &one, &none, &one, work, &space, &info));
  for (PetscInt k = 0; k < n; ++k) most = PetscMax(most, PetscSqrtReal(PetscSqr(re[k]) + PetscSqr(im[k])));
  PetscCall(PetscSNPrintf(name, sizeof(name),
                          "eigenvalues of a step of %s in a layer, dimension %" PetscInt_FMT ", degree %" PetscInt_FMT
                          ", for reflection %g, power %" PetscInt_FMT "%s%s",
                          s->system, s->dim, s->N, (double)s->reflection, s->power, s->alpha == 0. ? ", alpha 0" : "",
                          s->uneven ? ", uneven" : ""));
  PetscCall(PlexTestReport((PetscBool)(!info && most < 1. + 1e-9), name, "the largest is 1 + %g of %" PetscInt_FMT,
                           (double)(most - 1.), n));
  PetscCall(PetscFree4(A, re, im, work));
  PetscCall(PetscFree(places));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const Long runs[] = {
    {"maxwell",   2, 2, 2, 2000, 1e-12, PETSC_TRUE,  PETSC_DETERMINE}, /* in steps */
    {"maxwell",   2, 3, 1, 4000, 1e-12, PETSC_FALSE, 3              },
    {"acoustics", 3, 1, 1, 1000, 1e-12, PETSC_FALSE, 3              }
  };
  const Spectrum spectra[] = {
    {"maxwell",   2, 2, 3, PETSC_TRUE,  1e-120, PETSC_DETERMINE, PETSC_TRUE,  3},
    {"maxwell",   2, 4, 2, PETSC_FALSE, 1e-12,  0.,              PETSC_FALSE, 3},
    {"maxwell",   3, 1, 2, PETSC_FALSE, 1e-120, PETSC_DETERMINE, PETSC_TRUE,  3},
    {"acoustics", 2, 3, 3, PETSC_TRUE,  1e-120, PETSC_DETERMINE, PETSC_TRUE,  3},
    {"acoustics", 3, 1, 2, PETSC_FALSE, 1e-120, PETSC_DETERMINE, PETSC_TRUE,  3},
    {"acoustics", 3, 1, 2, PETSC_FALSE, 1e-120, PETSC_DETERMINE, PETSC_TRUE,  0},
    {"maxwell",   2, 2, 3, PETSC_TRUE,  1e-120, PETSC_DETERMINE, PETSC_TRUE,  0},
    {"maxwell",   3, 1, 2, PETSC_FALSE, 1e-12,  0.,              PETSC_FALSE, 0}
  };

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(TestGuide(4, 3, 4, 0., 1e-5));
  PetscCall(TestGuide(3, 2, 4, 75., 1e-3));
  PetscCall(TestGuide(2, 4, 4, 60., 1e-4)); /* of power 3 2.6e-4, of one step 4.8e-4 */
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(spectra); k += PlexTestLong() ? 1 : 2)
    PetscCall(TestSpectrum(&spectra[k]));
  for (size_t k = 0; k < (PlexTestLong() ? PETSC_STATIC_ARRAY_LENGTH(runs) : 2); ++k) PetscCall(TestLong(&runs[k]));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
