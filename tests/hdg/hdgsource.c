static char
  help[] = "Hybridized DG: a source that is a pointwise function of PETSc, by kernels and called on the host, "
           "is that of a function of the program.\n\n";

#include "hdgproblem.h"
#include "report.h"
#include "hdgsource.h"
#include "hdginfinite.h"

#define FILES "tests/common/hdgsource.h,tests/common/hdginfinite.h"

/* The same as hdg_source() and hdg_source_infinite() */
typedef struct {
  PetscScalar constants[2];
  PetscReal   t;
  PetscBool   power;
} Numbers;

static PetscErrorCode Source(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar f[], void *ctx)
{
  const Numbers *c = (Numbers *)ctx;

  PetscFunctionBegin;
  if (c->power) f[0] = PetscPowReal(x[0], hdg_power);
  else f[0] = c->constants[0] * (1. + x[0] * x[1]) + c->constants[1] * PetscSinReal(3. * x[dim - 1]) + c->t;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetMoments(PlexHDG hdg, PetscReal **f)
{
  const size_t n = (size_t)hdg->mesh->Ne * hdg->reference->Np;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, f));
  PetscCall(PlexBackendCopyOut(hdg->backend, *f, hdg->args.f, sizeof(**f) * n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest difference of their moments over the largest of the second */
static PetscErrorCode Difference(PlexHDG hdg, PlexHDG reference, Numbers *c, PetscReal *difference)
{
  PetscReal *f, *g, size = 0.;

  PetscFunctionBegin;
  PetscCall(PlexHDGSetSource(reference, Source, c));
  PetscCall(PlexHDGSetUp(hdg));
  PetscCall(PlexHDGSetUp(reference));
  PetscCall(GetMoments(hdg, &f));
  PetscCall(GetMoments(reference, &g));
  *difference = 0.;
  for (PetscInt k = 0; k < hdg->mesh->Ne * hdg->reference->Np; ++k) {
    *difference = PetscMax(*difference, PetscAbsReal(f[k] - g[k]));
    size        = PetscMax(size, PetscAbsReal(g[k]));
  }
  *difference /= size;
  PetscCall(PetscFree(f));
  PetscCall(PetscFree(g));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Make(DM dm, PetscInt P, const char backend[], PlexHDG *hdg)
{
  PetscFunctionBegin;
  PetscCall(PlexHDGCreate(dm, hdg));
  PetscCall(PlexHDGSetBackend(*hdg, backend));
  PetscCall(PlexHDGSetDegree(*hdg, P));
  PetscCall(PlexHDGAddBoundary(*hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestSource(const char backend[], DMPolytopeType cell, const char how[], PetscInt P)
{
  Numbers c = {
    {1.5, -0.7},
    0., PETSC_FALSE
  };
  DM               dm;
  PlexHDG          hdg, reference;
  PetscReal        difference[5];
  const PetscReal *compiled;
  PlexHDGFunctions kernel;
  PetscBool        kernels;
  char             of[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s%s, degree %" PetscInt_FMT, backend, how, DMPolytopeTypes[cell], P));
  PetscCall(PlexTestMesh(PETSC_COMM_WORLD, cell, 0, &dm));
  if (!strcmp(how, "bent ")) PetscCall(PlexTestBend(dm));
  if (!strcmp(how, "few bent ")) PetscCall(PlexTestBendOne(dm));
  PetscCall(Make(dm, P, backend, &hdg));
  PetscCall(Make(dm, P, PLEXBACKENDHOST, &reference));
  PetscCall(PlexHDGSetSourcePoint(hdg, hdg_source, 2, c.constants));
  PetscCall(PlexHDGSetTimeVariable(hdg, &c.t));
  PetscCall(Difference(hdg, reference, &c, &difference[0])); /* called on the host */
  PetscCall(PlexHDGSetPointwiseSource(hdg, FILES));
  PetscCall(Difference(hdg, reference, &c, &difference[1]));
  kernels        = hdg->backend->kernels;
  kernel         = hdg->functions;
  compiled       = hdg->args.f;
  c.t            = 0.4; /* another time, and other constants */
  c.constants[0] = 0.3;
  PetscCall(PlexHDGSetSourcePoint(hdg, hdg_source, 2, c.constants));
  PetscCall(Difference(hdg, reference, &c, &difference[2]));
  PetscCall(PlexTestReportOf((PetscBool)(difference[0] < 1e-14 && difference[1] < 1e-13 && difference[2] < 1e-13), of,
                             "moments", "called %g, by kernels %g, with other constants %g", (double)difference[0],
                             (double)difference[1], (double)difference[2]));
  PetscCall(PlexTestReportOf((PetscBool)(!kernel == !kernels && hdg->functions == kernel && hdg->args.f == compiled),
                             of, "other constants need no compilation", "%d %d %d", !!kernel,
                             (int)(hdg->functions == kernel), (int)(hdg->args.f == compiled)));
  c.power = PETSC_TRUE;
  PetscCall(PlexHDGSetSourcePoint(hdg, hdg_source_infinite, 1, (const PetscScalar[]){-10.}));
  PetscCall(Difference(hdg, reference, &c, &difference[3]));
  hdg_power = 3.;
  PetscCall(PlexHDGUpdate(hdg));
  PetscCall(Difference(hdg, reference, &c, &difference[4]));
  hdg_power = 2.;
  PetscCall(PlexTestReportOf((PetscBool)(difference[3] < 1e-13 && difference[4] < 1e-13), of,
                             "another function, and the variable that it reads", "%g, %g", (double)difference[3],
                             (double)difference[4]));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(PlexHDGDestroy(&reference));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  DM          dm;
  const char *backend, *files;
  PetscReal   left;
} Bad;

static PetscErrorCode Run(void *ctx)
{
  const Bad        *b    = (Bad *)ctx;
  const PetscScalar left = b->left;
  PlexHDG           hdg;

  PetscFunctionBegin;
  PetscCall(Make(b->dm, 2, b->backend, &hdg));
  PetscCall(PlexHDGSetPointwiseSource(hdg, b->files));
  PetscCall(PlexHDGSetSourcePoint(hdg, hdg_source_infinite, 1, &left));
  PetscCall(PlexHDGSetUp(hdg));
  PetscCall(PlexHDGDestroy(&hdg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) {
    const PetscBool small = (PetscBool)!strcmp(backends[b], PLEXBACKENDEMULATE);
    Bad             bad   = {NULL, backends[b], FILES, 0.5};

    PetscCall(TestSource(backends[b], DM_POLYTOPE_TRIANGLE, "", 3));
    PetscCall(TestSource(backends[b], DM_POLYTOPE_TRIANGLE, "bent ", 2));
    PetscCall(TestSource(backends[b], DM_POLYTOPE_TRIANGLE, "few bent ", 2));
    PetscCall(TestSource(backends[b], DM_POLYTOPE_TETRAHEDRON, "", 2));
    if (!small) PetscCall(TestSource(backends[b], DM_POLYTOPE_QUADRILATERAL, "bent ", 4));
    PetscCall(TestSource(backends[b], DM_POLYTOPE_HEXAHEDRON, "", small ? 1 : 3));
    PetscCall(PlexTestMesh(PETSC_COMM_WORLD, DM_POLYTOPE_TRIANGLE, 0, &bad.dm));
    EXPECT("a source that is not finite", Run, &bad, "The source is", "in cell", "at (");
    bad.left  = -10.;
    bad.files = "tests/common/weakform.h";
    if (strcmp(backends[b], PLEXBACKENDHOST))
      EXPECT("a source in another file", Run, &bad, "is not in", "-plex_hdg_source");
    PetscCall(DMDestroy(&bad.dm));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
