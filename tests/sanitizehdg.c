static char help[] = "Every kernel of hybridized DG once on small meshes, for compute-sanitizer: memcheck, racecheck.\n\
  -backend <type> : default cuda\n\n";

#include "hdgproblem.h"
#include "report.h"

typedef struct {
  DMPolytopeType cell;
  PetscInt       P;
  PetscBool      curved, keep;
} Case;

/* Teams of 32, 64 and 128 threads; workspace in shared memory, and in global memory in the last */
static const Case cases[] = {
  {DM_POLYTOPE_TRIANGLE,      1, PETSC_FALSE, PETSC_FALSE},
  {DM_POLYTOPE_TRIANGLE,      4, PETSC_FALSE, PETSC_TRUE },
  {DM_POLYTOPE_QUADRILATERAL, 2, PETSC_TRUE,  PETSC_FALSE},
  {DM_POLYTOPE_TETRAHEDRON,   2, PETSC_FALSE, PETSC_FALSE},
  {DM_POLYTOPE_QUADRILATERAL, 8, PETSC_TRUE,  PETSC_TRUE }
};

/* Trace, u, q and u* of a case, in arrays of the host's one after the other */
static PetscErrorCode Solve(const Case *c, const char backend[], PetscInt *n, PetscScalar **values)
{
  PlexTestWaves w;
  PlexHDG       hdg;
  DM            dm;
  Vec           v[4];
  PetscInt      m;

  PetscFunctionBegin;
  PlexTestWavesInitialize(DMPolytopeTypeGetDim(c->cell), 2., PETSC_TRUE, PETSC_TRUE, &w);
  if (c->P < 5) PetscCall(PlexTestMesh(PETSC_COMM_SELF, c->cell, 0, &dm));
  else PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_SELF, 2, PETSC_FALSE, (const PetscInt[]){2, 1}, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_FALSE, &dm));
  if (c->curved) PetscCall(PlexTestBend(dm));
  PetscCall(PlexTestHDGCreate(dm, c->P, &w, backend, &hdg));
  PetscCall(PlexHDGSetKeep(hdg, c->keep));
  PetscCall(PlexTestHDGSolve(hdg));
  PetscCall(PlexHDGGetSolution(hdg, &v[0], &v[1], &v[2], &v[3]));
  *n = 0;
  for (int k = 0; k < 4; ++k) {
    PetscCall(VecGetLocalSize(v[k], &m));
    *n += m;
  }
  PetscCall(PetscMalloc1(*n, values));
  *n = 0;
  for (int k = 0; k < 4; ++k) {
    const PetscScalar *a;

    PetscCall(VecGetLocalSize(v[k], &m));
    PetscCall(VecGetArrayRead(v[k], &a));
    PetscCall(PetscArraycpy(*values + *n, a, m));
    PetscCall(VecRestoreArrayRead(v[k], &a));
    *n += m;
  }
  PetscCall(PlexHDGDestroy(&hdg));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  char      backend[64] = PLEXBACKENDCUDA, name[128];
  PetscBool available;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-backend", backend, sizeof(backend), NULL));
  PetscCall(PlexBackendIsAvailable(backend, &available));
  if (!available) PetscCall(PetscPrintf(PETSC_COMM_SELF, "skip %s: not available on this machine\n", backend));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases) && available; ++k) {
    PetscScalar *a, *b;
    PetscInt     n, m;
    PetscReal    difference = 0., largest = 0.;

    PetscCall(Solve(&cases[k], backend, &n, &a));
    PetscCall(Solve(&cases[k], PLEXBACKENDHOST, &m, &b));
    for (PetscInt i = 0; i < n && n == m; ++i) {
      difference = PetscMax(difference, PetscAbsScalar(a[i] - b[i]));
      largest    = PetscMax(largest, PetscAbsScalar(b[i]));
    }
    PetscCall(PetscSNPrintf(name, sizeof(name), "%s: hybridized DG on %s%s, degree %" PetscInt_FMT ", as on the host", backend, cases[k].curved ? "curved " : "", DMPolytopeTypes[cases[k].cell], cases[k].P));
    PetscCall(PlexTestReport((PetscBool)(n == m && difference < 1e-10 * largest), name, "%" PetscInt_FMT " numbers and %" PetscInt_FMT ", differences %g", n, m, (double)(difference / largest)));
    PetscCall(PetscFree(a));
    PetscCall(PetscFree(b));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
