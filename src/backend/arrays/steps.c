/* Steps of plans: a kernel each, or on a backend without kernels a loop in threads */
#include "steps.h"
#include <plexgpu/private/util.h>

#define PLEX_STEPS_BLOCK 128   /* threads of a block, most: PLEX_STEP() */
#define PLEX_STEPS_FEW   65536 /* items below which blocks are of a warp, so that all multiprocessors have some */
#define PLEX_STEPS_LEAST 256   /* items of a thread of the host */

struct _n_PlexSteps {
  PlexBackend     backend;
  const PlexStep *steps;
  PlexModule      module;
  PlexKernel     *kernel; /* [n] */
};

PetscErrorCode PlexStepsCreate(PlexBackend backend, const char file[], PetscInt n, const PlexStep steps[], PlexSteps *s)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(s));
  (*s)->backend = backend;
  (*s)->steps   = steps;
  if (!backend->kernels) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscCalloc1(n, &(*s)->kernel));
  PetscCall(PlexBackendCompileFile(backend, file, &(*s)->module));
  for (PetscInt k = 0; k < n; ++k) PetscCall(PlexModuleGetKernel((*s)->module, steps[k].name, &(*s)->kernel[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexStepsDestroy(PlexSteps *s)
{
  PetscFunctionBegin;
  if (!*s) PetscFunctionReturn(PETSC_SUCCESS);
  if ((*s)->module) PetscCall(PlexModuleDestroy(&(*s)->module));
  PetscCall(PetscFree((*s)->kernel));
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

PetscErrorCode PlexStepsRun(PlexSteps s, PetscInt step, PetscInt n, const void *args)
{
  const PetscInt block       = n < PLEX_STEPS_FEW ? 32 : PLEX_STEPS_BLOCK;
  PetscInt64     items       = n;
  void          *arguments[] = {&items, (void *)args};
  PlexStepLoop   loop        = {s->steps[step].host, args};

  PetscFunctionBegin;
  if (n <= 0) PetscFunctionReturn(PETSC_SUCCESS);
  if (s->kernel) PetscCall(PlexKernelLaunch(s->kernel[step], (n - 1) / block + 1, block, 0, arguments));
  else PetscCall(PlexThreadsRun(n, PLEX_STEPS_LEAST, PlexStepsLoop, &loop));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexStepsRunItem(PlexSteps s, PetscInt step, PetscInt item, const void *args)
{
  PetscFunctionBegin;
  s->steps[step].host(item, item + 1, args);
  PetscFunctionReturn(PETSC_SUCCESS);
}
