#include "runup.h"
#include "dgproblem.h"
#include "report.h"

/* Vertices on land among the nodes of element e */
static void RunupFind(PlexTestRunup *r, PlexDG dg, PetscInt e, PetscInt Np, const PetscReal x[], PlexTestPlaceFn *place,
                      void *ctx)
{
  const PetscInt   nv = dg->mesh->nv;
  const PetscReal *v = &dg->mesh->x[2 * e * nv], size = PetscAbsReal(v[2] - v[0]) + PetscAbsReal(v[3] - v[1]);

  for (PetscInt i = 0; i < Np; ++i) {
    PetscBool vertex = PETSC_FALSE;
    PetscReal depth  = 0.;
    PetscInt  p;

    for (PetscInt k = 0; k < nv; ++k)
      if (PetscAbsReal(x[2 * i] - v[2 * k]) + PetscAbsReal(x[2 * i + 1] - v[2 * k + 1]) < 1e-6 * size)
        vertex = PETSC_TRUE;
    p = vertex ? place(&x[2 * i], &depth, ctx) : -1;
    if (p < 0) continue;
    r->at[r->n]      = e * 3 * Np + i;
    r->place[r->n]   = p;
    r->depth[r->n++] = depth;
  }
}

PetscErrorCode PlexTestRunupCreate(PlexDG dg, PetscReal film, PetscReal begin, PetscInt ngauges,
                                   const PetscReal gauges[], PetscInt nplaces, PlexTestPlaceFn *place, void *ctx,
                                   PlexTestRunup *r)
{
  const PetscReal *x;
  PetscInt         Ne, Np;

  PetscFunctionBegin;
  PetscCall(PetscMemzero(r, sizeof(*r)));
  r->film    = film;
  r->begin   = begin;
  r->ngauges = ngauges;
  r->nplaces = nplaces;
  PetscCall(PlexDGGetNodes(dg, &Ne, &Np, &x));
  PetscCall(PlexDGProbesCreate(dg, ngauges, gauges, NULL, &r->probes));
  PetscCall(PetscCalloc4(ngauges * 3, &r->values, ngauges, &r->crest, ngauges, &r->when, nplaces, &r->highest));
  PetscCall(PetscMalloc3(Ne * Np, &r->at, Ne * Np, &r->place, Ne * Np, &r->depth));
  for (PetscInt e = 0; e < Ne; ++e) RunupFind(r, dg, e, Np, &x[2 * e * Np], place, ctx);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestRunupDestroy(PlexTestRunup *r)
{
  PetscFunctionBegin;
  PetscCall(PlexDGProbesDestroy(&r->probes));
  PetscCall(PetscFree4(r->values, r->crest, r->when, r->highest));
  PetscCall(PetscFree3(r->at, r->place, r->depth));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestRunupMonitor(TS ts, PetscInt step, PetscReal t, Vec U, void *ctx)
{
  PlexTestRunup     *r = (PlexTestRunup *)ctx;
  const PetscScalar *u;

  PetscFunctionBegin;
  (void)ts;
  (void)step;
  PetscCall(PlexDGProbesEvaluate(r->probes, U, r->values));
  for (PetscInt g = 0; g < r->ngauges; ++g) {
    if (r->values[3 * g] <= r->crest[g]) continue;
    r->crest[g] = r->values[3 * g];
    r->when[g]  = r->begin + t;
  }
  PetscCall(VecGetArrayRead(U, &u));
  for (PetscInt k = 0; k < r->n; ++k) {
    const PetscReal eta = PetscRealPart(u[r->at[k]]);

    if (eta + r->depth[k] > r->film) r->highest[r->place[k]] = PetscMax(r->highest[r->place[k]], eta);
  }
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestRunupCompare(const PlexTestRunup *r, const char *const names[], const PetscReal crest[],
                                    const PetscReal when[], PetscReal *mean)
{
  PetscFunctionBegin;
  *mean = 0.;
  for (PetscInt g = 0; g < r->ngauges; ++g) {
    const PetscReal off = r->crest[g] / crest[g] - 1.;

    PetscCall(PetscPrintf(PETSC_COMM_SELF, "  %s: %.2f cm, off by %.1f %%, at %.2f s, %.2f s late\n", names[g],
                          (double)(100. * r->crest[g]), (double)(100. * off), (double)r->when[g],
                          (double)(r->when[g] - when[g])));
    *mean += PetscAbsReal(off) / r->ngauges;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestRunupSteps(const char backend[], const char of[], PlexTestNormFn *solve, void *ctx)
{
  const PetscInt steps = 20;
  PetscReal      norm, host;

  PetscFunctionBegin;
  PetscCall((*solve)(backend, steps, ctx, &norm));
  PetscCall((*solve)(PLEXBACKENDHOST, steps, ctx, &host));
  PetscCall(PlexTestReportOf(PetscIsCloseAtTol(norm, host, 1e-10, 0.), of, "some steps are those of the host",
                             "norm %.15g and %.15g", (double)norm, (double)host));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTestRunupFolder(const char backend[], const char of[], const char whose[], const char variable[],
                                   const char option[], size_t size, char folder[])
{
  const char *where = getenv(variable);

  PetscFunctionBegin;
  PetscCall(PetscStrncpy(folder, where ? where : "", size));
  PetscCall(PetscOptionsGetString(NULL, NULL, option, folder, size, NULL));
  if (!folder[0])
    PetscCall(PetscPrintf(PETSC_COMM_SELF, "skip %s: %s: %s, and no %s says where\n", backend, of, whose, option));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PlexTestEachBackend() has functions without arguments for the host */
static PetscErrorCode (*onHost)(const char backend[]);

static PetscErrorCode RunupHost(void)
{
  PetscFunctionBegin;
  PetscCall((*onHost)(PLEXBACKENDHOST));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int PlexTestRunupMain(int argc, char **argv, const char help[], PetscErrorCode (*test)(const char backend[]))
{
  PetscFunctionBeginUser;
  onHost = test;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexTestQuickKernels());
  PetscCall(PlexTestEachBackend(test, RunupHost));
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
