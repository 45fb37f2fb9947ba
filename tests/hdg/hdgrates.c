static char help[] = "Hybridized DG: errors of u and q fall as h^(P+1), those of post-processed u as h^(P+2), on "
                     "regular, irregular and curved meshes.\n\n"
                     "  -shard <k>/<n>  every n-th case from the k-th\n\n";

#include "hdgproblem.h"
#include "report.h"

typedef struct {
  const char    *name;
  DMPolytopeType cell;
  PetscBool      regular, curved, tensor, mixed;
  PetscInt       P[2];  /* degrees */
  PetscBool      small; /* the backend that emulates has the time for it */
} Family;

// clang-format off
static const Family families[] = {
  {"irregular triangles", DM_POLYTOPE_TRIANGLE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, {1, 6}, PETSC_TRUE},
  {"regular triangles, tensor, all conditions", DM_POLYTOPE_TRIANGLE, PETSC_TRUE, PETSC_FALSE, PETSC_TRUE, PETSC_TRUE,
   {1, 6}, PETSC_TRUE},
  {"curved triangles, all conditions", DM_POLYTOPE_TRIANGLE, PETSC_FALSE, PETSC_TRUE, PETSC_FALSE, PETSC_TRUE, {1, 4},
   PETSC_FALSE},
  {"irregular quadrilaterals", DM_POLYTOPE_QUADRILATERAL, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, PETSC_FALSE, {1, 6},
   PETSC_FALSE},
  {"regular quadrilaterals, tensor, all conditions", DM_POLYTOPE_QUADRILATERAL, PETSC_TRUE, PETSC_FALSE, PETSC_TRUE,
   PETSC_TRUE, {1, 6}, PETSC_TRUE},
  {"curved quadrilaterals, tensor, all conditions", DM_POLYTOPE_QUADRILATERAL, PETSC_TRUE, PETSC_TRUE, PETSC_TRUE,
   PETSC_TRUE, {1, 4}, PETSC_FALSE},
  {"tetrahedra, tensor, all conditions", DM_POLYTOPE_TETRAHEDRON, PETSC_TRUE, PETSC_FALSE, PETSC_TRUE, PETSC_TRUE, {1,
   3}, PETSC_FALSE},
  {"hexahedra, all conditions", DM_POLYTOPE_HEXAHEDRON, PETSC_TRUE, PETSC_FALSE, PETSC_FALSE, PETSC_TRUE, {1, 2},
   PETSC_FALSE}
};
// clang-format on

/* The coarser or the finer mesh */
static PetscErrorCode MakeMesh(const Family *c, PetscInt P, PetscInt finer, DM *dm)
{
  const PetscInt  dim = DMPolytopeTypeGetDim(c->cell), level = (dim == 2 && P <= 3 ? 1 : 0) + finer,
                  n[3]    = {3 << level, 3 << level, 3 << level};
  const PetscBool simplex = (PetscBool)(c->cell == DM_POLYTOPE_TRIANGLE || c->cell == DM_POLYTOPE_TETRAHEDRON);

  PetscFunctionBegin;
  if (!c->regular) {
    PetscCall(PlexTestMesh(PETSC_COMM_WORLD, c->cell, 0, dm));
    for (PetscInt r = 0; r < level; ++r) PetscCall(PlexTestRefine(dm));
  } else if (simplex) PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, dim, n[0], PETSC_FALSE, dm));
  else
    PetscCall(DMPlexCreateBoxMesh(PETSC_COMM_WORLD, dim, PETSC_FALSE, n, NULL, NULL, NULL, PETSC_TRUE, 0, PETSC_FALSE,
                                  dm));
  if (c->curved) PetscCall(PlexTestBend(*dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestRate(const char backend[], const Family *c, PetscInt P)
{
  static const char *const what[] = {"u falls as h^(P+1)", "q falls as h^(P+1)", "post-processed u falls as h^(P+2)"};
  PetscReal                error[2][3];
  PlexTestWaves            w;
  char                     of[128];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s, %s, degree %" PetscInt_FMT, backend, c->name, P));
  PlexTestWavesInitialize(DMPolytopeTypeGetDim(c->cell), 4., c->tensor, c->mixed, &w);
  for (PetscInt k = 0; k < 2; ++k) {
    DM dm;

    PetscCall(MakeMesh(c, P, k, &dm));
    PetscCall(PlexTestHDGErrors(dm, P, &w, backend, error[k]));
    PetscCall(DMDestroy(&dm));
  }
  for (int k = 0; k < 3; ++k) {
    const PetscReal rate = PetscLog2Real(error[0][k] / error[1][k]), order = P + 1 + (k == 2);

    PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s: errors %.3g, %.3g, rate %.2f\n", of, (double)error[0][k],
                          (double)error[1][k], (double)rate));
    PetscCall(PlexTestReportOf((PetscBool)(PetscAbsReal(rate - order) < 0.3), of, what[k], "errors %g, %g, rate %g",
                               (double)error[0][k], (double)error[1][k], (double)rate));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestRates(const char backend[])
{
  PetscBool emulate;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(backend, PLEXBACKENDEMULATE, &emulate));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(families); ++k) {
    for (PetscInt P = families[k].P[0]; P <= families[k].P[1]; ++P) {
      if (emulate && !families[k].small && P > 2) continue;
      if (PlexTestWanted()) PetscCall(TestRate(backend, &families[k], P));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestHost(void)
{
  PetscFunctionBegin;
  PetscCall(TestRates(PLEXBACKENDHOST));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestEachBackend(TestRates, TestHost));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
