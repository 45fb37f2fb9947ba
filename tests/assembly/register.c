static char help[] = "A strategy added from outside the library: a plan, a kernel in a file of its own, one line of registration.\n\n";

#include <plexgpu/impl.h>
#include <plex_args.h>
#include "problem.h"
#include "report.h"

/* ---- The strategy */

typedef struct {
  int       *vertices, *dofs;   /* [Ne][Nv], [Ne][ef]; in the backend's memory, as are */
  int       *targets, *mirrors; /* [Ne][nd] */
  PlexKernel kernel;
} SerialPlan;

static PetscErrorCode SetUp_Serial(PlexAssembly assembly, PlexProduct *product)
{
  PlexElements el  = assembly->elements;
  PlexBackend  b   = assembly->backend;
  const size_t all = (size_t)el->Ne * product->nd;
  char         path[PETSC_MAX_PATH_LEN];
  SerialPlan  *plan;
  int         *targets, *mirrors;

  PetscFunctionBegin;
  PetscCall(PetscNew(&plan));
  product->plan = plan;
  PetscCall(PetscMalloc2(all, &targets, all, &mirrors));
  for (PetscInt e = 0; e < el->Ne; ++e) PetscCall(PlexAssemblyGetElementTargets(assembly, product, e, &targets[e * product->nd], &mirrors[e * product->nd]));
  PetscCall(PlexBackendUpload(b, el->vertices, sizeof(int) * el->Ne * el->Nv, (void **)&plan->vertices));
  PetscCall(PlexBackendUpload(b, el->dofs, sizeof(int) * el->Ne * el->ef, (void **)&plan->dofs));
  PetscCall(PlexBackendUpload(b, targets, sizeof(int) * all, (void **)&plan->targets));
  PetscCall(PlexBackendUpload(b, mirrors, sizeof(int) * all, (void **)&plan->mirrors));
  PetscCall(PetscFree2(targets, mirrors));
  PetscCall(PetscGetRealPath("tests/assembly/serial.cu", path));
  PetscCall(PlexAssemblyCompile(assembly, product, path, 0, NULL));
  PetscCall(PlexModuleGetKernel(product->module, "test_serial", &plan->kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compute_Serial(PlexAssembly assembly, PlexProduct *product, const void *args)
{
  SerialPlan *plan        = (SerialPlan *)product->plan;
  int         Ne          = (int)assembly->elements->Ne;
  void       *arguments[] = {(void *)args, &plan->vertices, &plan->dofs, &plan->targets, &plan->mirrors, &Ne};

  PetscFunctionBegin;
  PetscCall(PlexAssemblyZeroTargets(assembly, product, args));
  PetscCall(PlexKernelLaunch(plan->kernel, 1, product->block, product->work * (product->block / product->team), arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ResetProduct_Serial(PlexAssembly assembly, PlexProduct *product)
{
  SerialPlan *plan = (SerialPlan *)product->plan;

  PetscFunctionBegin;
  if (!plan) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendFree(assembly->backend, (void **)&plan->vertices));
  PetscCall(PlexBackendFree(assembly->backend, (void **)&plan->dofs));
  PetscCall(PlexBackendFree(assembly->backend, (void **)&plan->targets));
  PetscCall(PlexBackendFree(assembly->backend, (void **)&plan->mirrors));
  PetscCall(PetscFree(product->plan));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Create_Serial(PlexAssembly assembly)
{
  PetscFunctionBegin;
  assembly->ops->setup        = SetUp_Serial;
  assembly->ops->compute      = Compute_Serial;
  assembly->ops->resetproduct = ResetProduct_Serial;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- The test */

typedef struct {
  const char            *backend;
  const PlexTestProblem *problem;
  PetscReal              F, J;
} Run;

static PetscErrorCode RunSerial(void *ctx)
{
  Run             *run = (Run *)ctx;
  DM               dm;
  PlexAssembly     assembly;
  PlexAssemblyType type;
  PetscBool        same;

  PetscFunctionBegin;
  PetscCall(PlexTestProblemCreate(run->problem, &dm));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, run->backend));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_FORMS));
  PetscCall(PlexAssemblySetSymmetric(assembly, (PetscBool)(run->problem->form == PLEX_TEST_SYMMETRIC)));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_type", "test_serial"));
  PetscCall(PlexAssemblySetFromOptions(assembly));
  PetscCall(PetscOptionsClearValue(NULL, "-plex_assembly_type"));
  PetscCall(PlexTestCompare(assembly, dm, &run->F, &run->J));
  PetscCall(PlexAssemblyGetType(assembly, &type));
  PetscCall(PetscStrcmp(type, "test_serial", &same));
  PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB, "Type test_serial was asked for, and %s used", type);
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Look(const char backend[], const char what[], const PlexTestProblem *problem)
{
  Run            run = {.backend = backend, .problem = problem};
  char           name[128], text[2048];
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(name, sizeof(name), "%s %s", backend, what));
  PetscCall(PlexTestTry(RunSerial, &run, &ierr, text, sizeof(text)));
  PetscCall(PlexTestReport((PetscBool)(!ierr && run.F <= 1e-12 && run.J <= 1e-12), name, "relative errors: residual %.3g, Jacobian %.3g; error %d: %s", (double)run.F, (double)run.J, (int)ierr, text));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PlexTestProblem scalar = {.cell = DM_POLYTOPE_TRIANGLE, .degree = 2, .components = 1, .form = PLEX_TEST_GENERAL};
  const PlexTestProblem vector = {.cell = DM_POLYTOPE_HEXAHEDRON, .degree = 1, .components = 3, .form = PLEX_TEST_GENERAL, .cells = 6};
  const PlexTestProblem halved = {.cell = DM_POLYTOPE_QUADRILATERAL, .degree = 1, .components = 2, .form = PLEX_TEST_SYMMETRIC};
  const char *const    *backends;
  PetscInt              n;
  PlexBackend           b;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexAssemblyRegister("test_serial", Create_Serial));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(PlexBackendCreate(backends[k], &b));
    if (b->kernels) {
      PetscCall(Look(backends[k], "a strategy from outside, tri P2", &scalar));
      PetscCall(Look(backends[k], "a strategy from outside, hex Q1 vector", &vector));
      PetscCall(Look(backends[k], "a strategy from outside, quad Q1 vector symmetric", &halved));
    }
    PetscCall(PlexBackendDestroy(&b));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
