static char
  help[] = "A TS that steps several times: its operator changed or replaced between two runs, with monitors.\n\n";

#include "dgproblem.h"
#include "report.h"

#define ENERGY   "build/tests/dgagain-energy.csv"
#define PROBES   "build/tests/dgagain-probes.csv"
#define FARFIELD "build/tests/dgagain-far.csv"

static const PetscReal points[2][3] = {
  {0.3, 0.4, 0.6},
  {0.7, 0.2, 0.1}
};
static const PetscReal frequencies[] = {1., 2.};

static PetscErrorCode Create(DM dm, PetscInt degree, PlexDG *dg)
{
  PetscFunctionBegin;
  PetscCall(PlexTestWaveCreate(dm, degree, 1., dg));
  PetscCall(PlexDGSetBackend(*dg, PLEXBACKENDHOST));
  PetscCall(PlexDGSetType(*dg, PLEXDGHOST));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode SetMonitors(PlexDG dg, TS ts)
{
  PetscFunctionBegin;
  PetscCall(PlexDGMonitorEnergy(dg, ts, ENERGY, 0));
  PetscCall(PlexDGMonitorProbes(dg, ts, 2, &points[0][0], PROBES, 0));
  PetscCall(PlexDGMonitorFarField(dg, ts, "boundary", 1, 2, frequencies, FARFIELD, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Four steps from t = 0; U of the operator's size */
static PetscErrorCode Run(PlexDG dg, TS ts, Vec *U)
{
  PetscFunctionBegin;
  PetscCall(PlexDGCreateVec(dg, U));
  PetscCall(PlexDGProject(dg, 0., PlexTestWave, dg, *U));
  PetscCall(TSReset(ts));
  PetscCall(TSSetSolution(ts, *U));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSSetTime(ts, 0.));
  PetscCall(TSSetStepNumber(ts, 0));
  PetscCall(TSSetMaxSteps(ts, 4));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSolve(ts, *U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode CreateTS(TS *ts)
{
  PetscFunctionBegin;
  PetscCall(TSCreate(PETSC_COMM_WORLD, ts));
  PetscCall(TSSetType(*ts, TSPLEXLOWSTORAGE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The last n lines of a table, and how many it has */
static PetscErrorCode ReadEnd(const char path[], PetscInt n, char end[1024], PetscInt *lines)
{
  char  *bytes, *at;
  size_t size;

  PetscFunctionBegin;
  *lines = 0;
  PetscCall(PlexTestReadFile(path, &bytes, &size));
  for (char *c = bytes; *c; ++c) *lines += *c == '\n';
  for (at = bytes + size; at > bytes && n >= 0;)
    if (*--at == '\n') --n;
  PetscCall(PetscStrncpy(end, at, 1024));
  PetscCall(PetscFree(bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  char     energy[1024], probes[1024], *far;
  PetscInt lines[2];
  size_t   n;
} Files;

static PetscErrorCode ReadFiles(Files *f)
{
  PetscFunctionBegin;
  PetscCall(ReadEnd(ENERGY, 1, f->energy, &f->lines[0]));
  PetscCall(ReadEnd(PROBES, 2, f->probes, &f->lines[1]));
  PetscCall(PlexTestReadFile(FARFIELD, &f->far, &f->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A run of an operator that has this degree from the beginning on */
static PetscErrorCode RunAnew(DM dm, PetscInt degree, Files *f)
{
  PlexDG dg;
  TS     ts;
  Vec    U;

  PetscFunctionBegin;
  PetscCall(Create(dm, degree, &dg));
  PetscCall(CreateTS(&ts));
  PetscCall(SetMonitors(dg, ts));
  PetscCall(Run(dg, ts, &U));
  PetscCall(TSDestroy(&ts));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(VecDestroy(&U));
  PetscCall(ReadFiles(f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compare(const char of[], Files *f, Files *g, PetscInt runs)
{
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(PetscStrcmp(f->energy, g->energy, &same));
  PetscCall(PlexTestReportOf(same, of, "energy", "%s in place of %s", f->energy, g->energy));
  PetscCall(PetscStrcmp(f->probes, g->probes, &same));
  PetscCall(PlexTestReportOf(same, of, "probes", "%s in place of %s", f->probes, g->probes));
  PetscCall(PlexTestReportOf((PetscBool)(f->n == g->n && !memcmp(f->far, g->far, g->n)), of, "far field",
                             "%zu and %zu bytes, or others", f->n, g->n));
  PetscCall(PlexTestReportOf((PetscBool)(f->lines[0] == 1 + runs && f->lines[1] == 1 + 2 * runs), of,
                             "the end of each run is written", "%" PetscInt_FMT " and %" PetscInt_FMT " lines",
                             f->lines[0], f->lines[1]));
  PetscCall(PetscFree(f->far));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- What was made of an operator before it was changed */

typedef struct {
  PlexDGProbes   probes;
  PlexDGFarField far;
  Vec            U;
} Old;

static PetscErrorCode Evaluate(void *ctx)
{
  PetscReal values[12];

  PetscFunctionBegin;
  PetscCall(PlexDGProbesEvaluate(((Old *)ctx)->probes, ((Old *)ctx)->U, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Sample(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(PlexDGFarFieldSample(((Old *)ctx)->far, 0., ((Old *)ctx)->U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode LookAtOld(DM dm)
{
  PlexDG dg;
  Old    old;

  PetscFunctionBegin;
  PetscCall(Create(dm, 1, &dg));
  PetscCall(PlexDGProbesCreate(dg, 2, &points[0][0], NULL, &old.probes));
  PetscCall(PlexDGFarFieldCreate(dg, "boundary", 1, 2, frequencies, &old.far));
  PetscCall(PlexDGSetDegree(dg, 2));
  PetscCall(PlexDGCreateVec(dg, &old.U));
  EXPECT("probes of another degree", Evaluate, &old, "changed", "PlexDGProbesCreate");
  EXPECT("a far field of another degree", Sample, &old, "changed", "PlexDGFarFieldCreate");
  PetscCall(PlexDGProbesDestroy(&old.probes));
  PetscCall(PlexDGFarFieldDestroy(&old.far));
  PetscCall(VecDestroy(&old.U));
  PetscCall(PlexDGDestroy(&dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  Files  anew[2], f;
  PlexDG dg;
  DM     dm;
  TS     ts;
  Vec    U;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexGPUInitializePackage());
  PetscCall(PlexTestSimplexBox(PETSC_COMM_WORLD, 3, 2, PETSC_FALSE, &dm));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(RunAnew(dm, 1 + k, &anew[k]));
  PetscCall(Create(dm, 1, &dg));
  PetscCall(CreateTS(&ts));
  PetscCall(SetMonitors(dg, ts));
  PetscCall(Run(dg, ts, &U));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGSetDegree(dg, 2));
  PetscCall(Run(dg, ts, &U));
  PetscCall(ReadFiles(&f));
  PetscCall(Compare("a degree that changes", &f, &anew[1], 2));
  PetscCall(VecDestroy(&U));
  PetscCall(PlexDGDestroy(&dg));
  PetscCall(Create(dm, 1, &dg)); /* its monitors alone write now */
  PetscCall(SetMonitors(dg, ts));
  PetscCall(Run(dg, ts, &U));
  PetscCall(ReadFiles(&f));
  PetscCall(Compare("another operator", &f, &anew[0], 1));
  PetscCall(PlexDGDestroy(&dg)); /* the TS keeps it */
  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&U));
  for (PetscInt k = 0; k < 2; ++k) PetscCall(PetscFree(anew[k].far));
  PetscCall(LookAtOld(dm));
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
