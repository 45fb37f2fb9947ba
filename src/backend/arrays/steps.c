/* Steps of plans: a kernel each, or on a backend without kernels a loop in threads */
#include "steps.h"
#include <plexgpu/private/util.h>

#define PLEX_STEPS_BLOCK 128   /* threads of a block, most: PLEX_STEP() */
#define PLEX_STEPS_FEW   65536 /* items below which blocks are of a warp, so that all multiprocessors have some */
#define PLEX_STEPS_LEAST 256   /* items of a thread of the host */

struct _n_PlexSteps {
  PlexModule module; /* or NULL: the backend has no kernels */
};

PetscErrorCode PlexStepsCreate(PlexBackend backend, const char file[], PlexSteps *s)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(s));
  if (!backend->kernels) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendCompileFile(backend, file, &(*s)->module));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexStepsDestroy(PlexSteps *s)
{
  PetscFunctionBegin;
  if (!*s) PetscFunctionReturn(PETSC_SUCCESS);
  if ((*s)->module) PetscCall(PlexModuleDestroy(&(*s)->module));
  PetscCall(PetscFree(*s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PlexStepHost *host;
  const void   *args;
} PlexStepLoop;

static void PlexStepsLoop(void *ctx, PetscInt begin, PetscInt end)
{
  const PlexStepLoop *loop = (const PlexStepLoop *)ctx;

  loop->host(begin, end, loop->args);
}

PetscErrorCode PlexStepsRun(PlexSteps s, PlexStep step, PetscInt n, const void *args)
{
  PetscInt64     items       = (PetscInt64)n * step.lanes; /* of threads of a device */
  const PetscInt block       = items >= PLEX_STEPS_FEW ? PLEX_STEPS_BLOCK : step.block ? step.block : 32;
  void          *arguments[] = {&items, (void *)args};
  PlexStepLoop   loop        = {step.host, args};
  PlexKernel     kernel;

  PetscFunctionBegin;
  if (n <= 0) PetscFunctionReturn(PETSC_SUCCESS);
  if (s->module) {
    PetscCall(PlexModuleGetKernel(s->module, step.name, &kernel));
    PetscCall(PlexKernelLaunch(kernel, (PetscInt)((items - 1) / block + 1), block, 0, arguments));
  } else PetscCall(PlexThreadsRun(n, PLEX_STEPS_LEAST, PlexStepsLoop, &loop));
  PetscFunctionReturn(PETSC_SUCCESS);
}
