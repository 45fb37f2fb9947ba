static char help[] = "A strategy added from outside the library: a plan, a kernel in a file, one line of "
                     "registration.\n\n";

#include <plexgpu/impl.h>
#include <plex_args.h>
#include "problem.h"
#include "report.h"

/* ---- The strategy */

typedef struct {
  int       *lists; /* [Ne][Nv + ef + 2 nd] in the backend's memory; serial.cu */
  PlexKernel kernel;
} SerialPlan;

static PetscErrorCode SetUp_Serial(PlexAssembly assembly, PlexProduct *product)
{
  PlexElements el    = assembly->elements;
  const size_t nodes = el->Nv + el->ef, length = nodes + 2 * product->nd;
  char         path[PETSC_MAX_PATH_LEN];
  SerialPlan  *plan;
  int         *lists;

  PetscFunctionBegin;
  PetscCall(PetscNew(&plan));
  product->plan = plan;
  PetscCall(PetscMalloc1(el->Ne * length, &lists));
  for (PetscInt e = 0; e < el->Ne; ++e) {
    int *list = &lists[e * length];

    PetscCall(PetscArraycpy(list, &el->vertices[e * el->Nv], el->Nv));
    PetscCall(PetscArraycpy(list + el->Nv, &el->dofs[e * el->ef], el->ef));
    PetscCall(PlexAssemblyGetElementTargets(assembly, product, e, list + nodes, list + nodes + product->nd));
  }
  PetscCall(PlexBackendUpload(assembly->backend, lists, sizeof(int) * el->Ne * length, (void **)&plan->lists));
  PetscCall(PetscFree(lists));
  PetscCall(PetscGetRealPath("tests/assembly/serial.cu", path));
  PetscCall(PlexAssemblyCompile(assembly, product, path, 0, NULL));
  PetscCall(PlexModuleGetKernel(product->module, "test_serial", &plan->kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode Compute_Serial(PlexAssembly assembly, PlexProduct *product, const void *args)
{
  const size_t work = product->work * (product->block / product->team);
  SerialPlan  *plan = (SerialPlan *)product->plan;
  int          Ne   = (int)assembly->elements->Ne;

  PetscFunctionBegin;
  PetscCall(PlexAssemblyZeroTargets(assembly, product, args));
  PetscCall(PlexKernelLaunch(plan->kernel, 1, product->block, work, (void *[]){(void *)args, &plan->lists, &Ne}));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode ResetProduct_Serial(PlexAssembly assembly, PlexProduct *product)
{
  SerialPlan *plan = (SerialPlan *)product->plan;

  PetscFunctionBegin;
  if (plan) PetscCall(PlexBackendFree(assembly->backend, (void **)&plan->lists));
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

static PetscErrorCode TestSerial(const char backend[], const char what[], const PlexTestProblem *problem)
{
  DM               dm;
  PlexAssembly     assembly;
  PlexAssemblyType type;
  PetscReal        F, J;

  PetscFunctionBegin;
  PetscCall(PlexTestProblemCreate(problem, &dm));
  PetscCall(PlexAssemblyCreate(dm, &assembly));
  PetscCall(PlexAssemblySetBackend(assembly, backend));
  PetscCall(PlexAssemblySetPointwiseSource(assembly, PLEX_TEST_FORMS));
  PetscCall(PlexAssemblySetSymmetric(assembly, (PetscBool)(problem->form == PLEX_TEST_SYMMETRIC)));
  PetscCall(PlexAssemblySetFromOptions(assembly));
  PetscCall(PlexTestCompare(assembly, dm, &F, &J));
  PetscCall(PlexAssemblyGetType(assembly, &type));
  PetscCall(PlexTestReportOf((PetscBool)(!strcmp(type, "test_serial") && F <= 1e-12 && J <= 1e-12), backend, what,
                             "relative errors: residual %.3g, Jacobian %.3g; type %s", (double)F, (double)J, type));
  PetscCall(PlexAssemblyDestroy(&assembly));
  PetscCall(DMDestroy(&dm));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int main(int argc, char **argv)
{
  const PlexTestProblem scalar = {.cell = DM_POLYTOPE_TRIANGLE, .degree = 2, .components = 1};
  const PlexTestProblem vector = {.cell = DM_POLYTOPE_HEXAHEDRON, .degree = 1, .components = 3, .cells = 6};
  const PlexTestProblem halved = {DM_POLYTOPE_QUADRILATERAL, .degree = 1, .components = 2, .form = PLEX_TEST_SYMMETRIC};
  const char *const    *backends;
  PetscInt              n;
  PlexBackend           b;

  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCall(PlexAssemblyRegister("test_serial", Create_Serial));
  PetscCall(PetscOptionsSetValue(NULL, "-plex_assembly_type", "test_serial"));
  PetscCall(PlexTestBackends(&n, &backends));
  for (PetscInt k = 0; k < n; ++k) {
    PetscCall(PlexBackendCreate(backends[k], &b));
    if (b->kernels) {
      PetscCall(TestSerial(backends[k], "a strategy from outside, tri P2", &scalar));
      PetscCall(TestSerial(backends[k], "a strategy from outside, hex Q1 vector", &vector));
      PetscCall(TestSerial(backends[k], "a strategy from outside, quad Q1 vector symmetric", &halved));
    }
    PetscCall(PlexBackendDestroy(&b));
  }
  PetscCall(PetscFinalize());
  return PlexTestStatus();
}
