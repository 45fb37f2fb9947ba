/*
  The host backend: the host's memory, and no kernels. Assembly on it calls the application's pointwise functions
  directly.
*/
#include "../interface/backendimpl.h"
#include <petsctime.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Memory of this machine and what of it nobody uses, bytes */
static PetscErrorCode PlexHostGetMemory(size_t *total, size_t *available)
{
  char          line[256];
  unsigned long kB;
  FILE         *file;

  PetscFunctionBegin;
  *total     = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
  *available = *total;
#if defined(_SC_AVPHYS_PAGES)
  *available = (size_t)sysconf(_SC_AVPHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
#endif
  /* Linux counts what its file cache would give back */
  file = fopen("/proc/meminfo", "r");
  if (file) {
    while (fgets(line, sizeof(line), file))
      if (sscanf(line, "MemAvailable: %lu kB", &kB) == 1) *available = (size_t)kB * 1024;
    fclose(file);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBackendGetLimits_Host(PlexBackend b, PlexBackendLimits *limits)
{
  struct utsname system;
  char           line[256];
  FILE          *file;

  PetscFunctionBegin;
  (void)b;
  PetscCall(PetscMemzero(limits, sizeof(*limits)));
  PetscCall(PetscStrncpy(limits->name, "this machine's processor", sizeof(limits->name)));
  if (uname(&system) >= 0) PetscCall(PetscStrncpy(limits->arch, system.machine, sizeof(limits->arch)));
  PetscCall(PlexHostGetMemory(&limits->memory, &limits->memoryFree));
  file = fopen("/proc/cpuinfo", "r");
  if (file) {
    while (fgets(line, sizeof(line), file)) {
      char *colon = strchr(line, ':'), *end = strchr(line, '\n');

      if (strncmp(line, "model name", 10) || !colon || !end) continue;
      *end = 0;
      PetscCall(PetscStrncpy(limits->name, colon + 2, sizeof(limits->name)));
      break;
    }
    fclose(file);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBackendMalloc_Host(PlexBackend b, size_t bytes, void **p)
{
  size_t total, available;

  PetscFunctionBegin;
  (void)b;
  *p = NULL;
  PetscCall(PlexHostGetMemory(&total, &available));
  if (bytes <= total) PetscCall(PetscMallocA(1, PETSC_FALSE, __LINE__, PETSC_FUNCTION_NAME, __FILE__, bytes, p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBackendFree_Host(PlexBackend b, void *p)
{
  PetscFunctionBegin;
  (void)b;
  PetscCall(PetscFree(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBackendCopy_Host(PlexBackend b, void *to, const void *from, size_t bytes)
{
  PetscFunctionBegin;
  (void)b;
  PetscCall(PetscMemmove(to, from, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBackendZero_Host(PlexBackend b, void *p, size_t bytes)
{
  PetscFunctionBegin;
  (void)b;
  PetscCall(PetscMemzero(p, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBackendSynchronize_Host(PlexBackend b)
{
  PetscFunctionBegin;
  (void)b;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* When timers began, by the host's clock, which backends in the host's memory share */
static PetscLogDouble PlexHostTimerBegin[PLEX_MAX_TIMERS];

static PetscErrorCode PlexBackendTimerBegin_Host(PlexBackend b)
{
  PetscFunctionBegin;
  PetscCall(PetscTime(&PlexHostTimerBegin[b->timers]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBackendTimerEnd_Host(PlexBackend b, PetscLogDouble *seconds)
{
  PetscFunctionBegin;
  PetscCall(PetscTime(seconds));
  *seconds -= PlexHostTimerBegin[b->timers];
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBackendSetMemory_Host(PlexBackend b)
{
  PetscFunctionBegin;
  b->device           = PETSC_FALSE;
  b->ops->gemm        = PlexBackendGemm_Host;
  b->ops->getlimits   = PlexBackendGetLimits_Host;
  b->ops->malloc      = PlexBackendMalloc_Host;
  b->ops->free        = PlexBackendFree_Host;
  b->ops->copyin      = PlexBackendCopy_Host;
  b->ops->copyout     = PlexBackendCopy_Host;
  b->ops->copy        = PlexBackendCopy_Host;
  b->ops->zero        = PlexBackendZero_Host;
  b->ops->synchronize = PlexBackendSynchronize_Host;
  b->ops->timerbegin  = PlexBackendTimerBegin_Host;
  b->ops->timerend    = PlexBackendTimerEnd_Host;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBackendCreate_Host(PlexBackend b)
{
  PetscFunctionBegin;
  PetscCall(PlexBackendSetMemory_Host(b));
  b->kernels = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
