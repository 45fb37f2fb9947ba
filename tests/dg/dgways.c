static char help[] = "Ways to compute the right-hand side of nodal DG, here of Maxwell's equations in all degrees, "
                     "with the sizes that options set: each agrees with the host.\n\n";

#include "dgproblem.h"
#include <plexgpu/private/util.h>
#include "report.h"

typedef struct {
  const char *type, *options; /* the type's own */
} Way;

static const Way ways[] = {
  {PLEXDGPLAIN,    ""                                                                                                },
  {PLEXDGFUSED,    ""                                                                                                },
  /* so far of all degrees */
  {PLEXDGSEPARATE, ""                                                                                                },
  {PLEXDGFUSED,    "-plex_dg_split 1"                                                                                },
  {PLEXDGFUSED,    "-plex_dg_split 0 -plex_dg_tiles 2"                                                               },
  {PLEXDGFUSED,    "-plex_dg_split 1 -plex_dg_block_elements 32 -plex_dg_tiles 3"                                    },
  {PLEXDGSEPARATE, "-plex_dg_gather faces"                                                                           },
  {PLEXDGSEPARATE, "-plex_dg_microblock 1 -plex_dg_gather_microblocks 5 -plex_dg_partition greedy"                   },
  {PLEXDGSEPARATE, "-plex_dg_gather_microblocks 4 -plex_dg_partition metis -plex_dg_gather_workers 3"                },
  {PLEXDGSEPARATE, "-plex_dg_microblock 3 -plex_dg_partition curve -plex_dg_align 32"                                },
  {PLEXDGSEPARATE, "-plex_dg_lift matrix -plex_dg_lift_rows 16 -plex_dg_lift_workers 2,3,2 -plex_dg_differentiation "
                   "matrix -plex_dg_differentiation_rows 32 -plex_dg_differentiation_workers 3,1,4"},
  {PLEXDGSEPARATE, "-plex_dg_lift matrix -plex_dg_differentiation matrix -plex_dg_gather faces"                      },
  {PLEXDGSEPARATE, "-plex_dg_lift_workers 1,4,3 -plex_dg_differentiation_workers 5,1,2"                              }
};
#define WAYS_OF_ALL_DEGREES 3

static PetscErrorCode ComputeBy(DM dm, PetscInt N, PlexPrecision precision, const char backend[], const char type[],
                                Vec *R)
{
  PlexDG          dg;
  Vec             U;
  const PetscReal alpha = 0.6;

  PetscFunctionBegin;
  PetscCall(PlexDGCreate(dm, &dg));
  PetscCall(PlexDGSetSystem(dg, "maxwell"));
  PetscCall(PlexDGSetDegree(dg, N));
  PetscCall(PlexDGSetPrecision(dg, precision));
  PetscCall(PlexDGSetBackend(dg, backend));
  PetscCall(PlexDGSetConstant(dg, "alpha", 1, &alpha));
  PetscCall(PlexDGAddBoundary(dg, NULL, PETSC_DETERMINE, "incident"));
  PetscCall(PlexDGSetCoefficients(dg, PlexTestUneven, NULL));
  PetscCall(PlexDGSetType(dg, type));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(VecDuplicate(U, R));
  PetscCall(PlexTestJumps(U));
  PetscCall(PlexDGComputeRHS(dg, 0.3, U, *R));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestWay(DM dm, PetscInt N, PlexPrecision precision, const char backend[], const Way *way,
                              Vec exact)
{
  Vec       R;
  PetscReal error, norm;
  PetscInt  dim;
  char      of[256];

  PetscFunctionBegin;
  PetscCall(DMGetDimension(dm, &dim));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s %s %dD N=%" PetscInt_FMT " %s %s", backend, way->type, (int)dim, N,
                          precision == PLEX_PRECISION_SINGLE ? "single" : "double", way->options));
  PetscCall(PetscOptionsInsertString(NULL, way->options));
  PetscCall(ComputeBy(dm, N, precision, backend, way->type, &R));
  PetscCall(PlexTestClearOptions(way->options));
  PetscCall(VecNorm(exact, NORM_INFINITY, &norm));
  PetscCall(VecAXPY(R, -1., exact));
  PetscCall(VecNorm(R, NORM_INFINITY, &error));
  PetscCall(PlexTestReportOf((PetscBool)(error <= (precision == PLEX_PRECISION_SINGLE ? 1e-5 : 1e-12) * norm), of,
                             "agrees with the host", "difference %g of %g", (double)error, (double)norm));
  PetscCall(VecDestroy(&R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestDegree(DM dm, PetscInt N, PetscInt nways, const char backend[])
{
  Vec exact;

  PetscFunctionBegin;
  PetscCall(ComputeBy(dm, N, PLEX_PRECISION_DOUBLE, PLEXBACKENDHOST, PLEXDGHOST, &exact));
  /* of this type a case is many modules */
  for (PetscInt w = 0; w < nways; ++w) {
    if (!PlexHasMetis() && strstr(ways[w].options, "metis")) {
      PetscCall(PetscPrintf(PETSC_COMM_WORLD, "skip %s: PlexGPU was built without METIS\n", ways[w].options));
      continue;
    }
    for (PetscInt p = 0; p < 2; ++p)
      if (!p || N == 3 || strcmp(ways[w].type, PLEXDGSEPARATE))
        PetscCall(TestWay(dm, N, (PlexPrecision)p, backend, &ways[w], exact));
  }
  PetscCall(VecDestroy(&exact));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PetscInt     all = PETSC_STATIC_ARRAY_LENGTH(ways);
  const char *const *backends;
  PetscInt           n;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) {
    if (!strcmp(backends[b], PLEXBACKENDHOST)) continue;
    for (PetscInt dim = 2; dim <= 3; ++dim) {
      DM dm;

      PetscCall(PlexTestMesh(PETSC_COMM_WORLD, dim == 2 ? DM_POLYTOPE_TRIANGLE : DM_POLYTOPE_TETRAHEDRON, 1, &dm));
      PetscCall(PlexTestRefine(&dm));
      for (PetscInt N = 1; N <= (PlexTestLong() ? 9 : 5); N += N < 4 ? 1 : 2 + N % 2)
        PetscCall(TestDegree(dm, N, N == 3 ? all : WAYS_OF_ALL_DEGREES, backends[b]));
      PetscCall(DMDestroy(&dm));
    }
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
