static char
  help[] = "Methods of a TS and the time step of nodal DG: the default by the degree, steps that fit a method, "
           "and that runs with them do not grow.\n\n";

#include "dgproblem.h"
#include "report.h"

typedef struct {
  const char *type, *name; /* of TSRK or TSPLEXLOWSTORAGE; type NULL: the default */
} Method;

static const char *MethodName(const Method *m)
{
  return m->name ? m->name : m->type ? m->type : "default";
}

static PetscErrorCode SetMethod(TS ts, const Method *m)
{
  PetscFunctionBegin;
  if (m->type) PetscCall(TSSetType(ts, m->type));
  if (m->name && !strcmp(m->type, TSRK)) PetscCall(TSRKSetType(ts, m->name));
  else if (m->name) PetscCall(TSPlexLowStorageSetScheme(ts, m->name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Maxwell's equations on a periodic box, or without */
static PetscErrorCode Create(PetscInt dim, PetscInt N, PetscReal alpha, PetscReal cfl, PlexDG *dg, Vec *U, TS *ts)
{
  DM dm;

  PetscFunctionBegin;
  PetscCall(PlexTestSimplexBox(PETSC_COMM_SELF, dim, 3, PETSC_TRUE, &dm));
  PetscCall(PlexDGCreate(dm, dg));
  PetscCall(DMDestroy(&dm));
  PetscCall(PlexDGSetSystem(*dg, dim == 2 ? "acoustics" : "maxwell"));
  PetscCall(PlexDGSetConstant(*dg, "alpha", 1, &alpha));
  PetscCall(PlexDGSetDegree(*dg, N));
  PetscCall(PlexDGSetBackend(*dg, PLEXBACKENDHOST));
  PetscCall(PlexDGSetCFL(*dg, cfl));
  PetscCall(PlexDGSetStabilityCheck(*dg, 0));
  PetscCall(PlexDGCreateVec(*dg, U));
  PetscCall(PlexTestJumps(*U));
  PetscCall(TSCreate(PETSC_COMM_SELF, ts));
  PetscCall(TSSetSolution(*ts, *U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Destroy(PlexDG *dg, Vec *U, TS *ts)
{
  PetscFunctionBegin;
  PetscCall(TSDestroy(ts));
  PetscCall(VecDestroy(U));
  PetscCall(PlexDGDestroy(dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The step of a method, over that of PlexDGComputeTimeStep() */
static PetscErrorCode GetFactor(PetscInt dim, PetscInt N, PetscReal alpha, const Method *m, PetscReal *factor)
{
  PlexDG    dg;
  Vec       U;
  TS        ts;
  PetscReal dt, step;

  PetscFunctionBegin;
  PetscCall(Create(dim, N, alpha, 1., &dg, &U, &ts));
  PetscCall(SetMethod(ts, m));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSGetTimeStep(ts, &step));
  PetscCall(PlexDGComputeTimeStep(dg, U, &dt));
  *factor = step / dt;
  PetscCall(Destroy(&dg, &U, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* How much the energy grows from its least value to the end of a run: a mode that is not stable does, long after the
   others have decayed */
static PetscReal least;

static PetscErrorCode Look(TS ts, PetscInt step, PetscReal t, Vec U, void *ctx)
{
  PetscReal energy;

  PetscFunctionBegin;
  PetscCall(PlexDGComputeEnergy((PlexDG)ctx, U, &energy));
  if (!step || energy < least) least = energy;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode GetGrowth(PetscInt dim, PetscInt N, PetscReal alpha, const Method *m, PetscReal cfl,
                                PetscInt steps, PetscReal *growth)
{
  PlexDG    dg;
  Vec       U;
  TS        ts;
  PetscReal end;

  PetscFunctionBegin;
  PetscCall(Create(dim, N, alpha, cfl, &dg, &U, &ts));
  PetscCall(SetMethod(ts, m));
  PetscCall(TSMonitorSet(ts, Look, dg, NULL));
  PetscCall(PlexDGSetTS(dg, ts));
  {
    TSAdapt adapt;

    PetscCall(TSGetAdapt(ts, &adapt));
    PetscCall(TSAdaptSetType(adapt, TSADAPTNONE));
  }
  PetscCall(TSSetMaxSteps(ts, steps));
  PetscCall(TSSetMaxTime(ts, 1e9));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSolve(ts, U));
  PetscCall(PlexDGComputeEnergy(dg, U, &end));
  *growth = end / least;
  PetscCall(Destroy(&dg, &U, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestStable(PetscInt dim, PetscInt N, PetscReal alpha, const char type[], const char name[],
                                 PetscReal low, PetscReal high)
{
  const Method m = {type, name};
  PetscReal    factor, growth;
  char         of[128];

  PetscFunctionBegin;
  PetscCall(GetFactor(dim, N, alpha, &m, &factor));
  PetscCall(GetGrowth(dim, N, alpha, &m, 1., N > 4 ? 200 : 600, &growth));
  PetscCall(PetscSNPrintf(of, sizeof(of), "%s in %" PetscInt_FMT "D, degree %" PetscInt_FMT ", alpha %g",
                          MethodName(&m), dim, N, (double)alpha));
  PetscCall(PlexTestReportOf((PetscBool)(factor >= low && factor <= high), of, "its step", "%g times the default one",
                             (double)factor));
  PetscCall(PlexTestReportOf((PetscBool)(growth < 1.0001), of, "nothing grows with it", "%g", (double)growth));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What the shorter step is for */
static PetscErrorCode TestUnstable(void)
{
  const Method m = {TSPLEXLOWSTORAGE, "williamson3"};
  PetscReal    factor, growth;

  PetscFunctionBegin;
  PetscCall(GetFactor(3, 1, 1., &m, &factor));
  PetscCall(GetGrowth(3, 1, 1., &m, 1.02 / factor, 600, &growth));
  PetscCall(PlexTestReport((PetscBool)(factor < 1. && growth > 10.),
                           "the classical method's step is too long for three stages in 3D, degree 1",
                           "factor %g, growth %g", (double)factor, (double)growth));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestDefault(PetscInt N, const char expected[])
{
  PlexDG    dg;
  Vec       U;
  TS        ts;
  TSRKType  type;
  PetscBool same;
  char      of[64];

  PetscFunctionBegin;
  PetscCall(Create(2, N, 1., 1., &dg, &U, &ts));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSRKGetType(ts, &type));
  PetscCall(PetscStrcmp(type, expected, &same));
  PetscCall(PetscSNPrintf(of, sizeof(of), "degree %" PetscInt_FMT, N));
  PetscCall(PlexTestReportOf(same, of, "the default method", "%s and not %s", type, expected));
  PetscCall(Destroy(&dg, &U, &ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Options of the TS are looked at when it gets its step, and a method that the program sets later changes it */
static PetscErrorCode TestLater(PetscBool option)
{
  PlexDG    dg;
  Vec       U;
  TS        ts;
  PetscReal dt, step[2];

  PetscFunctionBegin;
  if (option) PetscCall(PetscOptionsSetValue(NULL, "-ts_rk_type", "4"));
  PetscCall(Create(2, 7, 1., 1., &dg, &U, &ts));
  PetscCall(PlexDGSetTS(dg, ts));
  PetscCall(TSGetTimeStep(ts, &step[0]));
  if (option) PetscCall(TSSetFromOptions(ts));
  else PetscCall(TSRKSetType(ts, TSRK4));
  PetscCall(TSSetMaxSteps(ts, 1));
  PetscCall(TSSetMaxTime(ts, 1e9));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSolve(ts, U));
  PetscCall(TSGetTime(ts, &step[1]));
  PetscCall(PlexDGComputeTimeStep(dg, NULL, &dt));
  PetscCall(PlexTestReport((PetscBool)(PetscAbsReal(step[1] - dt) < 1e-12 * dt && (step[0] == dt) == option),
                           option ? "a method of the options has its own step at once"
                                  : "a method that is set later has its own step",
                           "steps %g and %g, not %g", (double)step[0], (double)step[1], (double)dt));
  PetscCall(Destroy(&dg, &U, &ts));
  if (option) PetscCall(PetscOptionsClearValue(NULL, "-ts_rk_type"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* u' = -2 t u^2, u(0) = 1: u = 1/(1 + t^2) */
static PetscErrorCode Rate(TS ts, PetscReal t, Vec U, Vec R, void *ctx)
{
  const PetscScalar *u;
  PetscScalar       *r;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(U, &u));
  PetscCall(VecGetArrayWrite(R, &r));
  r[0] = -2. * t * u[0] * u[0];
  PetscCall(VecRestoreArrayWrite(R, &r));
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode TestOrder(void)
{
  PetscReal error[2], rate;
  PetscInt  stages;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    const PetscInt     steps = k ? 2 : 1;
    const PetscScalar *u;
    TS                 ts;
    TSAdapt            adapt;
    Vec                U;

    PetscCall(VecCreateSeq(PETSC_COMM_SELF, 1, &U));
    PetscCall(VecSet(U, 1.));
    PetscCall(TSCreate(PETSC_COMM_SELF, &ts));
    PetscCall(TSSetType(ts, TSRK));
    PetscCall(TSRKSetType(ts, "8v"));
    PetscCall(TSRKGetTableau(ts, &stages, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    PetscCall(TSGetAdapt(ts, &adapt));
    PetscCall(TSAdaptSetType(adapt, TSADAPTNONE));
    PetscCall(TSSetRHSFunction(ts, NULL, Rate, NULL));
    PetscCall(TSSetTimeStep(ts, 1. / (PetscReal)steps));
    PetscCall(TSSetMaxSteps(ts, steps));
    PetscCall(TSSetMaxTime(ts, 1e9));
    PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
    PetscCall(TSSolve(ts, U));
    PetscCall(VecGetArrayRead(U, &u));
    error[k] = PetscAbsScalar(u[0] - 0.5);
    PetscCall(VecRestoreArrayRead(U, &u));
    PetscCall(TSDestroy(&ts));
    PetscCall(VecDestroy(&U));
  }
  rate = PetscLog2Real(error[0] / error[1]);
  PetscCall(PlexTestReport((PetscBool)(rate > 6.5 && stages == 12), "8v has 12 stages and order eight",
                           "%" PetscInt_FMT " stages, errors %g, %g, rate %g", stages, (double)error[0],
                           (double)error[1], (double)rate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  MPI_Init(&argc, &argv); /* so that PETSc may begin twice */
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(TestDefault(6, TSRK4));
  PetscCall(TestDefault(7, "8v"));
  PetscCall(TestOrder());
  PetscCall(TestLater(PETSC_FALSE));
  PetscCall(TestLater(PETSC_TRUE));
  PetscCall(TestUnstable());
  PetscCall(TestStable(3, 1, 1., NULL, NULL, 1., 1.));
  PetscCall(TestStable(3, 1, 1., TSPLEXLOWSTORAGE, "ck45", 1., 1.));
  PetscCall(TestStable(3, 1, 1., TSPLEXLOWSTORAGE, "williamson3", 0.75, 0.88));
  PetscCall(TestStable(3, 1, 1., TSPLEXLOWSTORAGE, "ssp3", 0.75, 0.88));
  PetscCall(TestStable(3, 2, 1., TSPLEXLOWSTORAGE, "williamson3", 0.93, 0.98));
  PetscCall(TestStable(3, 3, 0., TSPLEXLOWSTORAGE, "williamson3", 0.95, 1.));
  for (PetscInt N = 1; N < 4; N += 2) {
    PetscCall(TestStable(2, N, 1., TSPLEXLOWSTORAGE, "williamson3", 1., 1.));
    PetscCall(TestStable(2, N, 0., TSPLEXLOWSTORAGE, "ck45", 1., 1.));
    PetscCall(TestStable(2, N, 1., TSRK, TSRK3BS, 1., 1.));
    PetscCall(TestStable(2, N, 0., TSRK, "8v", 1.05, 1.6));
    PetscCall(TestStable(2, N, 1., TSRK, "8v", 1.6, 1.95));
    PetscCall(TestStable(2, N, 0., TSRK, TSRK5DP, 0.3, 0.8));
    PetscCall(TestStable(2, N, 1., TSRK, TSRK5DP, 1., 1.));
    PetscCall(TestStable(2, N, 0., TSRK, TSRK6VR, 0.05, 0.6));
  }
  PetscCall(TestStable(2, 1, 1., TSPLEXLOWSTORAGE, "midpoint", 0.5, 0.9));
  PetscCall(TestStable(2, 7, 1., NULL, NULL, 1.6, 1.95));
  PetscCall(TestStable(2, 9, 0.5, NULL, NULL, 1.6, 3.));
  PetscCall(TestStable(2, 9, 0., NULL, NULL, 1.05, 1.6));
  PetscCall(TestStable(2, 9, 1., TSPLEXLOWSTORAGE, "williamson3", 1., 1.));
  PetscCall(PetscFinalize());
  /* a program that begins again */
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(TestStable(2, 7, 1., NULL, NULL, 1.6, 1.95));
  PetscCall(PetscFinalize());
  MPI_Finalize();
  return PlexTestStatus();
}
