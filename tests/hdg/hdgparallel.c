static char help[] = "Hybridized DG on several processes: the same solution as on one, the same flux through all "
                     "faces, a process without cells.\n\n";

#include "hdgproblem.h"
#include "report.h"

typedef struct {
  const char    *name;
  DMPolytopeType cell;
  PetscInt       P;
  PetscBool      mixed, curved, periodic, idle;
  PetscInt       overlap;
} Case;

static const Case cases[] = {
  {"irregular triangles",         DM_POLYTOPE_TRIANGLE,      3, PETSC_TRUE,  PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, 0},
  {"periodic triangles",          DM_POLYTOPE_TRIANGLE,      2, PETSC_FALSE, PETSC_FALSE, PETSC_TRUE,  PETSC_FALSE, 0},
  {"quadrilaterals with overlap", DM_POLYTOPE_QUADRILATERAL, 2, PETSC_TRUE,  PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, 1},
  {"a process without cells",     DM_POLYTOPE_TRIANGLE,      2, PETSC_TRUE,  PETSC_FALSE, PETSC_FALSE, PETSC_TRUE,  0},
  {"tetrahedra",                  DM_POLYTOPE_TETRAHEDRON,   1, PETSC_TRUE,  PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, 0}
};

/* Functions that the solution is compared with, so that errors are numbers that tell of it */
static PetscErrorCode Probe(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar u[], void *ctx)
{
  const PetscInt k = *(PetscInt *)ctx;

  PetscFunctionBegin;
  for (PetscInt i = 0; i < n; ++i) u[i] = 2. * PetscSinReal((3. + k) * x[0] + (7. - 2. * k) * x[1] + 1.3 * i);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Make(MPI_Comm comm, const Case *c, PlexTestWaves *w, const char backend[], PlexHDG *hdg)
{
  DM dm;

  PetscFunctionBegin;
  if (c->periodic) PetscCall(PlexTestSimplexBox(comm, 2, 4, PETSC_TRUE, &dm));
  else PetscCall(PlexTestMesh(comm, c->cell, 0, &dm));
  if (comm == PETSC_COMM_WORLD) PetscCall(PlexTestDistribute(&dm, c->overlap, c->idle));
  PetscCall(PlexTestHDGCreate(dm, c->P, w, backend, hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Distances from a function to u, q and u*, which PlexTestHDGSolve() has found */
static PetscErrorCode TestCase(const char backend[], const Case *c)
{
  PlexTestWaves w;
  PlexHDG       hdg[2]; /* all processes, this one alone */
  PetscReal     distance[2][3], jump, difference = 0.;
  char          of[128];
  Mat           A[2];
  PetscReal     norm[2];
  PetscBool     same;
  KSP           ksp;
  const char   *type;
  PetscInt      m[2];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s", backend, c->name));
  PlexTestWavesInitialize(DMPolytopeTypeGetDim(c->cell), 2., PETSC_TRUE, c->mixed, &w);
  PetscCall(Make(PETSC_COMM_WORLD, c, &w, backend, &hdg[0]));
  PetscCall(Make(PETSC_COMM_SELF, c, &w, backend, &hdg[1]));
  for (int k = 0; k < 2; ++k) {
    PetscCall(PlexTestHDGSolve(hdg[k]));
    PetscCall(PlexHDGAssemble(hdg[k], &A[k]));
    PetscCall(MatNorm(A[k], NORM_FROBENIUS, &norm[k]));
    PetscCall(MatGetSize(A[k], &m[k], NULL));
  }
  PetscCall(PlexTestReportOf((PetscBool)(m[0] == m[1] && PetscAbsReal(norm[0] - norm[1]) < 1e-13 * norm[1]), of,
                             "K as on one process",
                             "%" PetscInt_FMT " and %" PetscInt_FMT " rows, norms %.17g and %.17g", m[0], m[1],
                             (double)norm[0], (double)norm[1]));
  for (PetscInt probe = 0; probe < 3; ++probe) {
    for (int k = 0; k < 2; ++k) PetscCall(PlexHDGComputeL2Error(hdg[k], Probe, Probe, &probe, distance[k]));
    for (int k = 0; k < 3; ++k)
      difference = PetscMax(difference, PetscAbsReal(distance[0][k] - distance[1][k]) / distance[1][k]);
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &difference, 1, MPIU_REAL, MPIU_MAX, PETSC_COMM_WORLD));
  PetscCall(PlexTestReportOf((PetscBool)(difference < 1e-11), of, "u, q and u* as on one process",
                             "distances to functions differ by %g", (double)difference));
  PetscCall(PlexHDGDestroy(&hdg[1]));
  PetscCall(Make(PETSC_COMM_WORLD, c, &w, backend, &hdg[1]));
  PetscCall(PlexTestHDGOption(hdg[1], "-plex_hdg_tile", "2"));
  PetscCall(PlexHDGAssemble(hdg[1], &A[1]));
  PetscCall(MatEqual(A[0], A[1], &same));
  PetscCall(PlexTestReportOf(same, of, "K has the same bits in tiles", "it has not"));
  PetscCall(PlexTestHDGOption(hdg[1], "-plex_hdg_sell", "true"));
  PetscCall(PlexTestHDGSolve(hdg[1]));
  PetscCall(PlexHDGGetKSP(hdg[1], &ksp));
  PetscCall(KSPGetOperators(ksp, &A[1], NULL));
  PetscCall(PetscObjectGetType((PetscObject)A[1], &type));
  PetscCall(PlexHDGComputeFluxJump(hdg[1], &jump));
  PetscCall(PlexTestReportOf((PetscBool)(jump < 1e-11 && strstr(type, "sell")), of, "solved with K in SELL",
                             "operator %s, flux jumps by %g", type, (double)jump));
  PetscCall(PlexHDGComputeFluxJump(hdg[0], &jump));
  PetscCall(PlexTestReportOf((PetscBool)(jump < 1e-11), of, "the normal flux does not jump", "%g", (double)jump));
  for (int k = 0; k < 2; ++k) PetscCall(PlexHDGDestroy(&hdg[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Flows in two elements, of which other processes have none */

static PetscErrorCode Stir(PetscInt dim, const PetscReal x[], PetscInt n, PetscScalar f[], void *ctx)
{
  PetscFunctionBegin;
  for (PetscInt d = 0; d < n; ++d) f[d] = PetscSinReal(7. * x[0] + d) * PetscCosReal(5. * x[1]);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestFew(const char backend[], PlexHDGSystem system)
{
  const MPI_Comm comms[] = {PETSC_COMM_SELF, PETSC_COMM_WORLD};
  PetscReal      size[2];

  PetscFunctionBegin;
  for (int k = 0; k < 2; ++k) {
    PlexHDG hdg;
    DM      dm;
    Vec     u;

    PetscCall(PlexTestHDGBox(comms[k], DM_POLYTOPE_TRIANGLE, 1, &dm));
    if (k) PetscCall(PlexTestDistribute(&dm, 0, PETSC_FALSE));
    PetscCall(PlexHDGCreate(dm, &hdg));
    PetscCall(DMDestroy(&dm));
    PetscCall(PlexHDGSetSystem(hdg, system));
    PetscCall(PlexHDGSetDegree(hdg, 2));
    PetscCall(PlexHDGSetBackend(hdg, backend));
    PetscCall(PlexHDGSetViscosity(hdg, 1.));
    PetscCall(PlexHDGSetSource(hdg, Stir, NULL));
    PetscCall(PlexHDGAddBoundary(hdg, NULL, PETSC_DETERMINE, PLEX_HDG_DIRICHLET, NULL, NULL));
    PetscCall(PlexHDGSolve(hdg));
    PetscCall(PlexHDGGetSolution(hdg, NULL, &u, NULL, NULL));
    PetscCall(VecNorm(u, NORM_2, &size[k]));
    PetscCall(PlexHDGDestroy(&hdg));
  }
  PetscCall(PlexTestReportOf((PetscBool)(size[0] > 0. && PetscAbsReal(size[1] - size[0]) < 1e-4 * size[0]), backend,
                             system == PLEX_HDG_STOKES ? "Stokes's equations in two elements"
                                                       : "Navier-Stokes equations in two elements",
                             "|u| %.10g on one process, %.10g", (double)size[0], (double)size[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;
  PetscMPIInt        size;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &size));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) {
    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) {
      if (cases[k].idle && size < 3) continue; /* nothing would be sent */
      PetscCall(TestCase(backends[b], &cases[k]));
    }
    if (size < 3) continue;
    PetscCall(TestFew(backends[b], PLEX_HDG_STOKES));
    PetscCall(TestFew(backends[b], PLEX_HDG_NAVIER_STOKES));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
