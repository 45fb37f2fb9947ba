static char help[] = "Type separate of nodal DG: what its view says of microblocks and pairs of faces, partitions, "
                     "tuning and its archive, and what bad options get.\n"
                     "  -tune : tuning alone, on any number of processes\n\n";

#include "dg/impls/separate/separateimpl.h"
#include "dgproblem.h"
#include "report.h"
#include <plexgpu/private/tuneimpl.h>
#include <unistd.h>

static PetscErrorCode MakeOperator(const char backend[], const char options[], PlexDG *dg)
{
  DM dm;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, 3, 3, PETSC_TRUE, &dm));
  PetscCall(PlexTestDistributeDefault(&dm, 0));
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
  // clang-format off
  const char *const cases[][3] = {
    {"-plex_dg_align 17", "-plex_dg_align 17 is neither 16 nor 32", NULL},
    {"-plex_dg_microblock 0", "-plex_dg_microblock 0 is not from 1 to 64", NULL},
    {"-plex_dg_lift_workers 2,3", "-plex_dg_lift_workers takes three numbers", "as in 2,4,1"},
    {"-plex_dg_differentiation_workers 2,30,1", "-plex_dg_differentiation_workers takes three numbers", "at most 16"},
    {"-plex_dg_lift matrix -plex_dg_lift_rows 20", "-plex_dg_lift_rows 20 is not a multiple of 16", NULL},
    {"-plex_dg_lift_workers 50,1,1", "part lift has blocks of 4000 threads", "-plex_dg_lift_workers"},
    {"-plex_dg_gather_microblocks 500", "part gather has blocks of", "-plex_dg_gather faces"},
    {"-plex_dg_gather_microblocks 1 -plex_dg_gather_workers 0", "-plex_dg_gather_workers 0 is not at least 1", NULL}
  };
  // clang-format on

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
  char            options[128];
  double          share, full;
  PlexDGSeparate *way;
  PlexDG          dg;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(options, sizeof(options), "-plex_dg_partition %s -plex_dg_gather_microblocks 2", partition));
  PetscCall(MakeOperator(backend, options, &dg));
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexTestClearOptions(options));
  way   = (PlexDGSeparate *)dg->data;
  share = 200. * (double)way->interior / (double)(2 * way->interior + way->exterior);
  full  = 100. * (double)dg->mesh->Ne / (double)(way->nM * way->table.microblock);
  PetscCall(PetscSNPrintf(options, sizeof(options), "%s, partition by %s", backend, partition));
  PetscCall(PlexTestReportOf((PetscBool)(way->table.microblock == 8 && way->NPM == 8 * dg->reference->Np &&
                                         share > least && share < 100. && full > 70.),
                             options, "its pairs and microblocks",
                             "%" PetscInt_FMT " elements of a microblock, %" PetscInt_FMT
                             " values, %g %% of the faces within blocks, %g %% of the places taken",
                             way->table.microblock, way->NPM, share, full));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestPadding(const char backend[])
{
  PlexDGSeparate *way;
  PlexDG          dg;

  PetscFunctionBegin;
  PetscCall(MakeOperator(backend, "-plex_dg_microblock 1 -plex_dg_gather faces", &dg));
  PetscCall(PlexDGSetUp(dg));
  PetscCall(PlexTestClearOptions("-plex_dg_microblock 1 -plex_dg_gather faces"));
  way = (PlexDGSeparate *)dg->data;
  PetscCall(PlexTestReportOf((PetscBool)(way->table.microblock == 1 && dg->reference->Np == 10 && way->NPM == 16 &&
                                         way->nM == dg->mesh->Ne && way->table.gather == PLEX_DG_GATHER_FACES),
                             backend, "padding of single elements",
                             "%" PetscInt_FMT " elements of a microblock, %" PetscInt_FMT
                             " values padded to %" PetscInt_FMT ", gather %d",
                             way->table.microblock, dg->reference->Np, way->NPM, (int)way->table.gather));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- Tuning */

/* The right-hand side with options; the view has all the words */
static PetscErrorCode ComputeWith(const char backend[], const char options[], const char *const words[], Vec *R,
                                  PetscBool *said)
{
  char   text[8192], *found;
  PlexDG dg;
  Vec    U;

  PetscFunctionBegin;
  PetscCall(MakeOperator(backend, options, &dg));
  PetscCall(PlexDGCreateVec(dg, &U));
  PetscCall(PlexTestClearOptions(options));
  PetscCall(VecDuplicate(U, R));
  PetscCall(PlexTestJumps(U));
  PetscCall(PlexDGComputeRHS(dg, 0.3, U, *R));
  PetscCall(PlexTestCapture(ViewIt, dg, text, sizeof(text)));
  *said = PETSC_TRUE;
  for (PetscInt k = 0; words[k]; ++k) {
    PetscCall(PetscStrstr(text, words[k], &found));
    if (!found) *said = PETSC_FALSE;
  }
  if (!*said) PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s", text));
  PetscCallMPI(MPI_Bcast(said, 1, MPI_C_BOOL, 0, PETSC_COMM_WORLD)); /* the first process has the text */
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Largest difference, of the largest entry */
static PetscErrorCode Difference(Vec exact, Vec *R, PetscReal *difference)
{
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(VecNorm(exact, NORM_INFINITY, &norm));
  PetscCall(VecAXPY(*R, -1., exact));
  PetscCall(VecNorm(*R, NORM_INFINITY, difference));
  *difference /= norm;
  PetscCall(VecDestroy(R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What is no archive is put aside; the file is an archive for assembly, too, without results of its own */
static PetscErrorCode TestDamage(const char backend[], const char archive[], const char tune[])
{
  char             kept[PETSC_MAX_PATH_LEN];
  PlexTuneResult  *results;
  PlexArchiveState state = PLEX_ARCHIVE_GOOD;
  PetscInt         n     = 0;
  PetscBool        said, aside = PETSC_TRUE;
  PetscMPIInt      rank;
  Vec              R;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) {
    FILE *file;

    PetscCall(PlexArchiveRead(archive, &n, &results, &state));
    PetscCall(PlexTuneResultsDestroy(n, &results));
    file = fopen(archive, "w");
    PetscCheck(file && fputs("no archive", file) >= 0 && !fclose(file), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE,
               "Cannot write %s", archive);
  }
  PetscCall(PlexTestReportOf((PetscBool)(state == PLEX_ARCHIVE_GOOD && n == 0), backend, "assembly reads the archive",
                             "state %d, %" PetscInt_FMT " results", (int)state, n));
  PetscCall(ComputeWith(backend, tune, (const char *const[]){"measured now", NULL}, &R, &said));
  PetscCall(VecDestroy(&R));
  PetscCall(PetscSNPrintf(kept, sizeof(kept), "%s.damaged", archive));
  if (!rank) aside = (PetscBool)(!access(kept, F_OK) && !unlink(kept));
  PetscCall(PlexTestReportOf((PetscBool)(said && aside), backend, "a damaged archive is put aside",
                             "measured %d, put aside %d", (int)said, (int)aside));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestTuning(const char backend[], const char folder[])
{
  char        archive[PETSC_MAX_PATH_LEN], tune[2 * PETSC_MAX_PATH_LEN], fixed[3 * PETSC_MAX_PATH_LEN];
  PetscReal   difference;
  PetscBool   said;
  PetscMPIInt rank;
  Vec         exact, tuned, R;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  PetscCall(PetscSNPrintf(archive, sizeof(archive), "%s/%s.txt", folder, backend));
  PetscCall(PetscSNPrintf(tune, sizeof(tune), "-plex_dg_tune 1 -plex_dg_tune_time 3 -plex_dg_tune_archive %s",
                          archive));
  PetscCall(PetscSNPrintf(fixed, sizeof(fixed),
                          "-plex_dg_lift matrix -plex_dg_lift_workers 1,2,1 -plex_dg_microblock 3 %s", tune));
  PetscCall(ComputeWith(backend, "", (const char *const[]){"microblocks of 8 elements", NULL}, &exact, &said));
  PetscCall(ComputeWith(backend, tune, (const char *const[]){"tuned ", "candidates in", "measured now, kept in", NULL},
                        &tuned, &said));
  PetscCall(VecDuplicate(tuned, &R));
  PetscCall(VecCopy(tuned, R));
  PetscCall(Difference(exact, &R, &difference));
  PetscCall(PlexTestReportOf((PetscBool)(said && difference <= 1e-12), backend, "tuned, it is the same right-hand side",
                             "said so %d, difference %g", (int)said, (double)difference));
  PetscCall(ComputeWith(backend, tune, (const char *const[]){"tuned ", "found in", NULL}, &R, &said));
  PetscCall(Difference(tuned, &R, &difference));
  PetscCall(PlexTestReportOf((PetscBool)(said && difference == 0.), backend,
                             "found again, it is computed in the same way", "said so %d, difference %g", (int)said,
                             (double)difference));
  PetscCall(ComputeWith(backend, fixed,
                        (const char *const[]){"microblocks of 3 elements",
                                              "lift: matrix in shared memory, workers 1,2,1", "measured now", NULL},
                        &R, &said));
  PetscCall(Difference(exact, &R, &difference));
  PetscCall(PlexTestReportOf((PetscBool)(said && difference <= 1e-12), backend, "what options set is not tuned",
                             "said so %d, difference %g", (int)said, (double)difference));
  PetscCall(TestDamage(backend, archive, tune));
  if (!rank) {
    (void)unlink(archive);
    PetscCall(PetscStrlcat(archive, ".lock", sizeof(archive)));
    (void)unlink(archive);
  }
  PetscCall(VecDestroy(&exact));
  PetscCall(VecDestroy(&tuned));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const char *const *backends;
  PetscInt           n;
  PetscBool          tuning;
  PetscMPIInt        rank;
  char               folder[PETSC_MAX_PATH_LEN];

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PetscOptionsHasName(NULL, NULL, "-tune", &tuning));
  PetscCall(PetscSNPrintf(folder, sizeof(folder), "%s/plexgpu-dgtune-XXXXXX",
                          getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp"));
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (!rank) PetscCheck(mkdtemp(folder), PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot make %s", folder);
  PetscCallMPI(MPI_Bcast(folder, sizeof(folder), MPI_CHAR, 0, PETSC_COMM_WORLD));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt b = 0; b < n; ++b) {
    if (!strcmp(backends[b], PLEXBACKENDHOST)) continue;
    PetscCall(TestTuning(backends[b], folder));
    if (tuning) continue;
    PetscCall(TestMessages(backends[b]));
    if (PlexHasMetis()) PetscCall(TestPartition(backends[b], "metis", 40.));
    else PetscCall(PetscPrintf(PETSC_COMM_WORLD, "skip partition metis: PlexGPU was built without METIS\n"));
    PetscCall(TestPartition(backends[b], "greedy", 40.));
    PetscCall(TestPartition(backends[b], "curve", 30.));
    PetscCall(TestPadding(backends[b]));
  }
  if (!rank) (void)rmdir(folder);
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
