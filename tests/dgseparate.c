static char help[] = "Type separate of nodal DG: what its view says of microblocks and pairs of faces, partitions, and what bad options get.\n\n";

#include "dgproblem.h"
#include "report.h"

static PetscErrorCode MakeOperator(const char backend[], const char options[], PlexDG *dg)
{
  DM dm;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, 3, 3, PETSC_TRUE, &dm));
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(PlexDGSetSystem(*dg, "maxwell"));
  PetscCall(PlexDGSetDegree(*dg, 2));
  PetscCall(PlexDGSetType(*dg, PLEXDGSEPARATE));
  PetscCall(PlexDGSetBackend(*dg, backend));
  PetscCall(PetscOptionsInsertString(NULL, options));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  const char *backend, *options;
} Setting;

static PetscErrorCode WithOptions(void *ctx)
{
  const Setting *s = (const Setting *)ctx;
  PlexDG         dg;

  PetscFunctionBegin;
  PetscCall(MakeOperator(s->backend, s->options, &dg));
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestMessages(const char backend[])
{
  const char *const cases[][3] = {
    {"-plex_dg_align 17",                                       "-plex_dg_align 17 is neither 16 nor 32",               NULL                   },
    {"-plex_dg_microblock 0",                                   "-plex_dg_microblock 0 is not from 1 to 64",            NULL                   },
    {"-plex_dg_lift_workers 2,3",                               "-plex_dg_lift_workers takes three numbers",            "as in 2,4,1"          },
    {"-plex_dg_differentiation_workers 2,30,1",                 "-plex_dg_differentiation_workers takes three numbers", "at most 16"           },
    {"-plex_dg_lift matrix -plex_dg_lift_rows 20",              "-plex_dg_lift_rows 20 is not a multiple of 16",        NULL                   },
    {"-plex_dg_lift_workers 50,1,1",                            "part lift has blocks of 4000 threads",                 "-plex_dg_lift_workers"},
    {"-plex_dg_gather_microblocks 500",                         "part gather has blocks of",                            "-plex_dg_gather faces"},
    {"-plex_dg_gather_microblocks 1 -plex_dg_gather_workers 0", "-plex_dg_gather_workers 0 is not at least 1",          NULL                   }
  };

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(cases); ++k) {
    Setting s = {.backend = backend, .options = cases[k][0]};
    char    name[128];

    PetscCall(PetscSNPrintf(name, sizeof(name), "%s, %s", backend, cases[k][0]));
    PetscCall(PlexTestExpect(name, WithOptions, &s, (const char *const[]){cases[k][1], cases[k][2], NULL}));
    PetscCall(PlexTestClearOptions(cases[k][0]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ViewIt(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexDGView((PlexDG)ctx, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* 162 tetrahedra, 324 faces, all between two elements: microblocks of 8 elements, 80 values, without padding */
static PetscErrorCode TestPartition(const char backend[], const char partition[], double least)
{
  const char *const microblocks = "microblocks of 8 elements, 80 values padded to 80: 0 %";
  char              text[8192], options[128], *at, *found;
  double            share = 0., full = 0.;
  PlexDG            dg;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(options, sizeof(options), "-plex_dg_partition %s -plex_dg_gather_microblocks 2", partition));
  PetscCall(MakeOperator(backend, options, &dg));
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexTestClearOptions(options));
  PetscCall(PlexTestCapture(ViewIt, dg, text, sizeof(text)));
  PetscCall(PetscStrstr(text, microblocks, &found));
  if (found) PetscCall(PetscStrstr(text, "both sides of ", &at));
  if (!found || !at || sscanf(at + strlen("both sides of "), "%lf", &share) != 1 || sscanf(found + strlen(microblocks) + 2, "%lf", &full) != 1) share = 0.;
  PetscCall(PetscSNPrintf(options, sizeof(options), "%s, partition by %s", backend, partition));
  PetscCall(PlexTestReportOf((PetscBool)(share > least && share < 100. && full > 70.), options, "its pairs and microblocks", "%g %% of the faces within blocks, %g %% of the places taken, in:\n%s", share, full, text));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestPadding(const char backend[])
{
  char   text[8192], *found;
  PlexDG dg;

  PetscFunctionBegin;
  PetscCall(MakeOperator(backend, "-plex_dg_microblock 1 -plex_dg_gather faces", &dg));
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexTestClearOptions("-plex_dg_microblock 1 -plex_dg_gather faces"));
  PetscCall(PlexTestCapture(ViewIt, dg, text, sizeof(text)));
  PetscCall(PetscStrstr(text, "microblocks of 1 elements, 10 values padded to 16: 38 %; 100 %", &found));
  if (found) PetscCall(PetscStrstr(text, "gather: each face by itself", &found));
  PetscCall(PlexTestReportOf((PetscBool)(found != NULL), backend, "padding of single elements", "in:\n%s", text));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) {
    if (!strcmp(backends[b], PLEXBACKENDHOST)) continue;
    PetscCall(TestMessages(backends[b]));
    PetscCall(TestPartition(backends[b], "metis", 40.));
    PetscCall(TestPartition(backends[b], "greedy", 40.));
    PetscCall(TestPartition(backends[b], "curve", 30.));
    PetscCall(TestPadding(backends[b]));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
