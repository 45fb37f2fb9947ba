static char help[] = "Residuals of elements that are too large for a thread's loops: along lines of points, on tensor "
                     "units, by teams; against PETSc.\n"
                     "  -shard <k>/<n>  : every n-th part, from the k-th\n\n";

#include <plexgpu/impl.h>
#include "problem.h"
#include "report.h"

#define TRI     DM_POLYTOPE_TRIANGLE
#define QUAD    DM_POLYTOPE_QUADRILATERAL
#define TET     DM_POLYTOPE_TETRAHEDRON
#define HEX     DM_POLYTOPE_HEXAHEDRON
#define COLOR   PLEXASSEMBLYELEMENTCOLOR
#define ATOMIC  PLEXASSEMBLYELEMENTATOMIC
#define NZ      PLEXASSEMBLYGLOBALNZ
#define ROW     PLEXASSEMBLYGLOBALROW
#define GENERAL PLEX_TEST_GENERAL
#define LINEAR  PLEX_TEST_LINEAR
#define HEAT    PLEX_TEST_DIFFUSION
#define LINES   "sumfactor"
#define UNITS   "tensorcores"
#define TIME    0.7

typedef struct {
  PlexTestProblem  problem;
  PlexAssemblyType type;
  PetscBool        single;
  const char      *variant; /* the way that the type takes */
} Case;

/* Meshes have cells in all orientations (tests/common/meshes.c) */
static const Case cases[] = {
  {{.cell = HEX, .degree = 2, .components = 1, .form = GENERAL},                     ATOMIC, PETSC_FALSE, LINES  },
  {{.cell = HEX, .degree = 2, .components = 1, .form = LINEAR, .coordinates = 2},    COLOR,  PETSC_FALSE, LINES  },
  {{.cell = HEX, .degree = 2, .components = 1, .form = HEAT},                        COLOR,  PETSC_TRUE,  LINES  },
  {{.cell = HEX, .degree = 3, .components = 1, .form = HEAT, .cells = 12},           ATOMIC, PETSC_FALSE, LINES  },
  {{.cell = QUAD, .degree = 3, .components = 1, .form = GENERAL},                    COLOR,  PETSC_FALSE, LINES  },
  {{.cell = QUAD, .degree = 3, .components = 1, .form = GENERAL, .coordinates = 2},  ATOMIC, PETSC_FALSE, LINES  },
  {{.cell = HEX, .degree = 1, .components = 1, .form = GENERAL},                     ATOMIC, PETSC_FALSE, "plain"},
  {{.cell = HEX, .degree = 2, .components = 1, .form = GENERAL},                     ROW,    PETSC_FALSE, LINES  },
  {{.cell = HEX, .degree = 2, .components = 1, .form = HEAT},                        NZ,     PETSC_TRUE,  LINES  },
  {{.cell = HEX, .degree = 3, .components = 1, .form = HEAT, .cells = 12},           NZ,     PETSC_FALSE, LINES  },
  {{.cell = QUAD, .degree = 3, .components = 1, .form = GENERAL, .coordinates = 2},  ROW,    PETSC_FALSE, LINES  },
  {{.cell = TET, .degree = 3, .components = 1, .form = GENERAL},                     ATOMIC, PETSC_FALSE, UNITS  },
  {{.cell = TET, .degree = 3, .components = 1, .form = HEAT},                        COLOR,  PETSC_FALSE, UNITS  },
  {{.cell = TET, .degree = 4, .components = 1, .form = HEAT, .cells = 24},           ATOMIC, PETSC_FALSE, UNITS  },
  {{.cell = TET, .degree = 4, .components = 1, .form = GENERAL, .cells = 5},         ROW,    PETSC_FALSE, UNITS  },
  {{.cell = TET, .degree = 3, .components = 1, .form = LINEAR, .coordinates = 2},    ATOMIC, PETSC_FALSE, UNITS  },
  {{.cell = TET, .degree = 3, .components = 1, .form = GENERAL},                     COLOR,  PETSC_TRUE,  UNITS  },
  {{.cell = TET, .degree = 2, .components = 3, .form = GENERAL},                     ATOMIC, PETSC_FALSE, UNITS  },
  {{.cell = TET, .degree = 2, .components = 3, .form = LINEAR},                      NZ,     PETSC_TRUE,  UNITS  },
  {{.cell = TRI, .degree = 4, .components = 1, .form = GENERAL},                     ROW,    PETSC_FALSE, UNITS  },
  {{.cell = TRI, .degree = 3, .components = 2, .form = GENERAL},                     COLOR,  PETSC_FALSE, UNITS  },
  {{.cell = TRI, .degree = 5, .components = 1, .form = HEAT, .coordinates = 2},      NZ,     PETSC_FALSE, UNITS  },
  {{.cell = HEX, .degree = 1, .components = 3, .form = GENERAL},                     ATOMIC, PETSC_FALSE, UNITS  },
  {{.cell = QUAD, .degree = 4, .components = 1, .form = GENERAL},                    ATOMIC, PETSC_FALSE, UNITS  },
  {{.cell = HEX, .degree = 2, .components = 3, .form = GENERAL, .cells = 12},        ATOMIC, PETSC_FALSE, UNITS  },
  {{.cell = TET, .degree = 2, .components = 3, .form = PLEX_TEST_MIXED},             ATOMIC, PETSC_FALSE, UNITS  },
  {{.cell = TET, .degree = 2, .components = 3, .form = PLEX_TEST_SADDLE},            ROW,    PETSC_FALSE, UNITS  },
  {{.cell = TRI, .degree = 3, .components = 2, .form = PLEX_TEST_SADDLE},            COLOR,  PETSC_TRUE,  UNITS  },
  /* these two have most numbers: see instructions.cuh */
  {{.cell = TET, .degree = 4, .components = 3, .form = GENERAL, .cells = 4},         NZ,     PETSC_FALSE, UNITS  },
  {{.cell = HEX, .degree = 2, .components = 3, .form = PLEX_TEST_MIXED, .cells = 4}, ROW,    PETSC_FALSE, UNITS  },
  {{.cell = TET, .degree = 2, .components = 1, .form = GENERAL},                     ATOMIC, PETSC_FALSE, "plain"}
};

/* With the time derivative and without; twice, so that nothing of the first is left */
static PetscErrorCode TestCase(const Case *c, const char backend[])
{
  PlexAssembly assembly;
  DM           dm;
  Vec          X, X_t, F, G;
  PetscReal    error[2], norm;
  PetscBool    taken;
  char         name[256];

  PetscFunctionBegin;
  PetscCall(PlexTestProblemCreate(&c->problem, &dm));
  PetscCall(PlexTestLocalVector(dm, 1, &X));
  PetscCall(PlexTestLocalVector(dm, 2, &X_t));
  PetscCall(VecDuplicate(X, &F));
  PetscCall(VecDuplicate(X, &G));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetFromOptions(assembly));
  PetscCall(PlexAssemblySetBackend(assembly, backend));
  PetscCall(PlexAssemblySetType(assembly, c->type));
  PetscCall(PlexAssemblySetPrecision(assembly, c->single ? PLEX_PRECISION_SINGLE : PLEX_PRECISION_DOUBLE));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_FORMS));
  for (PetscInt k = 0; k < 2; ++k) {
    PetscCall(VecSet(G, 0.));
    if (k) PetscCall(DMPlexTSComputeIFunctionFEM(dm, TIME, X, X_t, G, NULL));
    else PetscCall(DMPlexSNESComputeResidualFEM(dm, X, G, NULL));
    for (PetscInt again = 0; again < 2; ++again)
      PetscCall(PlexAssemblyComputeFunction(assembly, X, k ? X_t : NULL, k ? TIME : 0., F));
    PetscCall(PlexTestVecError(F, G, &error[k]));
  }
  PetscCall(VecNorm(G, NORM_INFINITY, &norm));
  PetscCall(PlexTestIsVariant(assembly, PETSC_FALSE, c->variant, &taken));
  PetscCall(PetscSNPrintf(name, sizeof(name),
                          "%s residual of %s%s of degree %" PetscInt_FMT ", %" PetscInt_FMT
                          " components, form %d, %s%s",
                          backend, c->problem.coordinates ? "curved " : "", DMPolytopeTypes[c->problem.cell],
                          c->problem.degree, c->problem.components, (int)c->problem.form, c->type,
                          c->single ? ", single precision" : ""));
  PetscCall(PlexTestReport((PetscBool)(norm > 0. && PetscMax(error[0], error[1]) <= (c->single ? 1e-5 : 1e-12) &&
                                       taken),
                           name, "errors %g and %g; the way is %s%s", (double)error[0], (double)error[1],
                           taken ? "" : "not ", c->variant));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(VecDestroy(&X));
  PetscCall(VecDestroy(&X_t));
  PetscCall(VecDestroy(&F));
  PetscCall(VecDestroy(&G));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode RunKernels(const char backend[])
{
  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k)
    if (PlexTestWanted()) PetscCall(TestCase(&cases[k], backend));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestQuickKernels());
  PetscCall(PlexTestEachBackend(RunKernels, NULL));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
