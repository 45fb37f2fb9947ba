static char
  help[] = "Spheres with curved surfaces in a pulse, of a perfect conductor and of glass, beside Mie's series: "
           "a total field inside, a perfectly matched layer outside, far fields of one run.\n\n";

#include "dgproblem.h"
#include "report.h"
#include "examples/mie.h"
#include "examples/shells.h"

typedef struct {
  const char   *backend, *type;
  PlexPrecision precision;
} Way;

typedef struct {
  const char *name;
  PetscReal   epsilon;        /* 0: a perfect conductor */
  PetscInt    n;              /* wavenumbers from..to */
  PetscReal   from, to, most; /* error of the backscatter over the series */
} Sphere;

#define MOST 20 /* wavenumbers */

/* The sphere; that of the total field; that of the far field, where the layer begins; the outer side */
static const PetscReal radii[] = {1., 1.6, 2.2, 3.2};

static PetscErrorCode Project(PetscInt dim, PetscReal x[], void *ctx)
{
  const PetscReal r = PetscSqrtReal(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);

  PetscFunctionBegin;
  for (PetscInt d = 0; d < dim; ++d) x[d] /= r;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The operator on 720 tetrahedra, or 880 with those in the sphere, and its far field */
static PetscErrorCode Create(MPI_Comm comm, const Sphere *s, PetscInt N, PetscReal width, PetscReal delay,
                             const Way *way, PlexDG *dg, PetscReal k[], PlexDGFarField *far)
{
  const PetscReal d[3] = {0.6, 0.64, 0.48}, P[3] = {-0.8, 0.48, 0.36}, odd = -PETSC_PI / 2.,
                  middle = (s->from + s->to) / 2.;
  DM              dm;

  PetscFunctionBegin;
  PetscCall(ShellsCreate(comm, 2, (PetscBool)(s->epsilon == 0.), 4, radii, &dm));
  PetscCall(PlexTestDistributeDefault(&dm, 0));
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, "maxwell"));
  PetscCall(PlexDGSetDegree(*dg, N));
  PetscCall(PlexDGSetBackend(*dg, way->backend));
  PetscCall(PlexDGSetType(*dg, way->type));
  PetscCall(PlexDGSetPrecision(*dg, way->precision));
  PetscCall(PlexDGSetConstant(*dg, "direction", 3, d));
  PetscCall(PlexDGSetConstant(*dg, "polarization", 3, P));
  PetscCall(PlexDGSetConstant(*dg, "frequency", 1, &middle));
  PetscCall(PlexDGSetConstant(*dg, "wave_phase", 1, &odd));
  PetscCall(PlexDGSetConstant(*dg, "wave_width", 1, &width));
  PetscCall(PlexDGSetConstant(*dg, "wave_delay", 1, &delay));
  PetscCall(PlexDGSetCurve(*dg, "sphere", 1, Project, NULL));
  if (s->epsilon == 0.) PetscCall(PlexDGAddBoundary(*dg, "sphere", 1, "pec"));
  else PetscCall(PlexDGAddMaterial(*dg, "shell", 1, 1, &s->epsilon));
  PetscCall(PlexDGSetTotalField(*dg, "sphere", 2));
  PetscCall(PlexDGSetPMLProfile(*dg, 1e-4, 3, PETSC_DETERMINE));
  PetscCall(PlexDGSetPML(*dg, "shell", 4, "sphere,0,0,0,2.2"));
  PetscCall(PlexDGAddBoundary(*dg, "sphere", 4, "absorbing"));
  for (PetscInt f = 0; f < s->n; ++f) k[f] = s->from + (s->to - s->from) * f / (s->n - 1);
  PetscCall(PlexDGFarFieldCreate(*dg, "sphere", 3, s->n, k, far));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* To a time, or after some steps */
static PetscErrorCode Run(PlexDG dg, PetscReal T, PetscInt steps, PlexDGFarField far)
{
  TS  ts;
  Vec U;

  PetscFunctionBegin;
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(TSCreate(PetscObjectComm((PetscObject)dg), &ts));
  PetscCall(TSSetType(ts, TSPLEXLOWSTORAGE));
  PetscCall(TSSetSolution(ts, U));
  PetscCall(PlexDGSetTS(dg, ts));
  if (steps < PETSC_INT_MAX) PetscCall(TSSetTimeStep(ts, 0.02));
  PetscCall(TSSetMaxTime(ts, T));
  PetscCall(TSSetMaxSteps(ts, steps));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(PlexDGFarFieldSetTS(far, ts, 1, PETSC_MIN_REAL));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestSphere(const Sphere *s)
{
  const Way       way     = {PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE};
  const PetscReal back[3] = {-0.6, -0.64, -0.48};
  PetscReal       k[MOST], sections[MOST], series = 0., error = 0.;
  PlexDG          dg;
  PlexDGFarField  far;

  PetscFunctionBegin;
  PetscCall(Create(PETSC_COMM_WORLD, s, 2, 2., 7.2, &way, &dg, k, &far));
  PetscCall(Run(dg, 23., PETSC_INT_MAX, far));
  PetscCall(PlexDGFarFieldGetCrossSections(far, 1, back, sections));
  for (PetscInt f = 0; f < s->n; ++f) {
    PetscCall(MieBackscatter(k[f], 1., (PetscBool)(s->epsilon == 0.), csqrt(s->epsilon), &series));
    error = PetscMax(error, PetscAbsReal(sections[f] / PETSC_PI / series - 1.));
  }
  PetscCall(PlexTestReportOf((PetscBool)(error < s->most), s->name,
                             "one pulse has the backscatter of Mie's series at all wavenumbers",
                             "error %g of %" PetscInt_FMT " wavenumbers", (double)error, s->n));
  PetscCall(PlexDGFarFieldDestroy(&far));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Few steps: backends and processes */

#define FEW (2 * 2 * 6) /* amplitudes of two directions and wavenumbers */

static PetscErrorCode FewSteps(MPI_Comm comm, const Sphere *s, const Way *way, PetscReal A[FEW])
{
  const PetscReal r[] = {0.6, 0.64, 0.48, 0., -1., 0.};
  PetscReal       k[MOST];
  Sphere          two = *s;
  PlexDG          dg;
  PlexDGFarField  far;

  PetscFunctionBegin;
  two.n = 2;
  PetscCall(Create(comm, &two, 1, 1., 0.5, way, &dg, k, &far));
  PetscCall(Run(dg, 1e10, 15, far));
  PetscCall(PlexDGFarFieldGetAmplitudes(far, 2, r, A));
  PetscCall(PlexDGFarFieldDestroy(&far));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestWay(const Sphere *s, const Way *way, MPI_Comm comm, const PetscReal host[], PetscReal bound)
{
  PetscReal A[FEW], most = 0., apart = 0.;
  char      of[256];

  PetscFunctionBegin;
  PetscCall(FewSteps(comm, s, way, A));
  for (int i = 0; i < FEW; ++i) {
    most  = PetscMax(most, PetscAbsReal(host[i]));
    apart = PetscMax(apart, PetscAbsReal(A[i] - host[i]));
  }
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s %s %s", s->name, way->backend, way->type,
                          PlexPrecisions[way->precision]));
  PetscCall(PlexTestReportOf((PetscBool)(most > 0. && apart < bound * most), of,
                             "after some steps the far field of the host on one process", "%g of %g", (double)apart,
                             (double)most));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const Sphere spheres[] = {
    {"a conducting sphere", 0.,   2,    1.,  2.,  0.045},
    {"a sphere of glass",   2.25, MOST, 0.5, 2.4, 0.065}
  };
  const Way          one = {PLEXBACKENDHOST, PLEXDGHOST, PLEX_PRECISION_DOUBLE};
  const char *const *backends;
  PetscInt           n;
  PetscMPIInt        size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PlexTestBackends(&n, &backends));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(spheres); ++k) {
    PetscReal host[FEW];

    PetscCall(FewSteps(PETSC_COMM_SELF, &spheres[k], &one, host));
    for (PetscInt b = 0; b < n; ++b) {
      const PetscBool isHost = (PetscBool)!strcmp(backends[b], PLEXBACKENDHOST);

      for (int p = isHost && size == 1 ? 1 : 0; p < 2; ++p)
        PetscCall(TestWay(&spheres[k], &(Way){backends[b], isHost ? PLEXDGHOST : PLEXDGFUSED, (PlexPrecision)p},
                          PETSC_COMM_WORLD, host, p ? 1e-4 : 1e-12));
    }
    if (size == 1) PetscCall(TestSphere(&spheres[k]));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
