/*
  The emulate backend: the kernels of cuda/ compiled for the processor and run thread by thread. It reports the limits
  of an H200, so that what is planned for one is what is tested; its memory is the host's. Fresh memory holds no
  numbers: what a kernel reads before anybody wrote it is NaN. With 64 threads a warp (PLEXGPU_EMULATE_WARP) it is a
  GPU without PTX, as those of AMD, and reports an H200's other limits, so that all kernels are run.
*/
#define _GNU_SOURCE
#include "emulateimpl.h"
#include <dlfcn.h>

static PetscErrorCode (*PlexHostGetLimits)(PlexBackend, PlexBackendLimits *);
static PetscErrorCode (*PlexHostMalloc)(PlexBackend, size_t, void **);
static PetscErrorCode (*PlexHostFree)(PlexBackend, void *);

#define PLEX_EMULATE_ALIGNMENT ((size_t)256) /* bytes, as of cuMemAlloc() */

PetscErrorCode PlexBackendAvailable_Emulate(PetscBool *flg, char why[], size_t len)
{
  char command[PETSC_MAX_PATH_LEN];

  PetscFunctionBegin;
  PetscCall(PlexEmulateFindCompiler(command));
  *flg = (PetscBool)(command[0] != 0);
  if (!*flg)
    PetscCall(PetscStrncpy(why,
                           "it needs a C++ compiler, and there is no c++, g++ or clang++: set the environment variable "
                           "PLEXGPU_CXX",
                           len));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBackendGetLimits_Emulate(PlexBackend b, PlexBackendLimits *limits)
{
  PetscFunctionBegin;
  PetscCall((*PlexHostGetLimits)(b, limits));
  PetscCall(PetscStrncpy(limits->name, "emulated NVIDIA H200", sizeof(limits->name)));
  PetscCall(PetscStrncpy(limits->arch, "sm_90", sizeof(limits->arch)));
  limits->sharedPerBlock     = 227 * 1024;
  limits->sharedPerProcessor = 228 * 1024;
  limits->cacheL2            = (size_t)60 << 20;
  limits->multiprocessors    = 132;
  limits->threadsPerBlock    = 1024;
  limits->warpSize           = PlexEmulateGetWarp();
  if (limits->warpSize == 64) {
    PetscCall(PetscStrncpy(limits->name, "emulated GPU with 64 threads a warp", sizeof(limits->name)));
    PetscCall(PetscStrncpy(limits->arch, "gfx90a", sizeof(limits->arch)));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Where the host's own memory begins stands before it */
static PetscErrorCode PlexBackendMalloc_Emulate(PlexBackend b, size_t bytes, void **p)
{
  void *whole;

  PetscFunctionBegin;
  *p = NULL;
  PetscCall((*PlexHostMalloc)(b, bytes + 2 * PLEX_EMULATE_ALIGNMENT, &whole));
  if (!whole) PetscFunctionReturn(PETSC_SUCCESS);
  *p = (void *)(((size_t)whole + 2 * PLEX_EMULATE_ALIGNMENT - 1) / PLEX_EMULATE_ALIGNMENT * PLEX_EMULATE_ALIGNMENT);
  ((void **)*p)[-1] = whole;
  memset(*p, 0xff, bytes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBackendFree_Emulate(PlexBackend b, void *p)
{
  PetscFunctionBegin;
  PetscCall((*PlexHostFree)(b, ((void **)p)[-1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBackendCompile_Emulate(PlexBackend b, const char name[], PetscInt ndefines,
                                                 const char *const defines[], const char source[], PlexModule m)
{
  char  *bytes;
  size_t n;
  void (*bind)(PlexEmulateThread *);

  PetscFunctionBegin;
  (void)b;
  PetscCall(PlexEmulateCompile(name, ndefines, defines, source, &bytes, &n, &m->fromCache));
  PetscCall(PlexObjectLoad(name, bytes, n, &m->handle));
  PetscCall(PetscFree(bytes));
  *(void **)&bind = dlsym(m->handle, "plex_emulate_bind");
  PetscCheck(bind, PETSC_COMM_SELF, PETSC_ERR_LIB, "The compiled kernels %s do not begin with emulate.h", name);
  (*bind)(PlexEmulateGetThread());
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexModuleDestroy_Emulate(PlexModule m)
{
  PetscFunctionBegin;
  if (m->handle) (void)dlclose(m->handle);
  m->handle = NULL;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexModuleGetKernel_Emulate(PlexModule m, const char name[], PlexKernel k)
{
  char thunk[256];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(thunk, sizeof(thunk), "plex_thunk_%s", name));
  k->handle = dlsym(m->handle, thunk);
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexModuleGetVariable_Emulate(PlexModule m, const char name[], void **variable, size_t *bytes)
{
  const size_t *size;
  char          sizeName[256];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(sizeName, sizeof(sizeName), "plex_size_%s", name));
  *variable = dlsym(m->handle, name);
  size      = (const size_t *)dlsym(m->handle, sizeName);
  *bytes    = size ? *size : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexKernelLaunch_Emulate(PlexKernel k, PetscInt grid, PetscInt block, size_t sharedBytes,
                                               void **args)
{
  PlexThunk *thunk;

  PetscFunctionBegin;
  *(void **)&thunk = k->handle;
  PetscCall(PlexEmulateLaunch(thunk, k->name, grid, block, sharedBytes, k->module->backend->limits.sharedPerBlock,
                              args));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Registers, local and static shared memory mean nothing here: none are reported */
static PetscErrorCode PlexKernelGetAttributes_Emulate(PlexKernel k, PlexKernelAttributes *attributes)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(attributes, sizeof(*attributes)));
  attributes->threadsPerBlock = k->module->backend->limits.threadsPerBlock;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBackendDestroy_Emulate(PlexBackend b)
{
  PetscFunctionBegin;
  (void)b;
  PetscCall(PlexEmulateFinalize());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBackendCreate_Emulate(PlexBackend b)
{
  PetscFunctionBegin;
  PetscCall(PlexEmulateSetWarp());
  PetscCall(PlexBackendSetMemory_Host(b));
  PlexHostGetLimits     = b->ops->getlimits;
  PlexHostMalloc        = b->ops->malloc;
  PlexHostFree          = b->ops->free;
  b->kernels            = PETSC_TRUE;
  b->ops->destroy       = PlexBackendDestroy_Emulate;
  b->ops->getlimits     = PlexBackendGetLimits_Emulate;
  b->ops->malloc        = PlexBackendMalloc_Emulate;
  b->ops->free          = PlexBackendFree_Emulate;
  b->ops->compile       = PlexBackendCompile_Emulate;
  b->ops->moduledestroy = PlexModuleDestroy_Emulate;
  b->ops->getkernel     = PlexModuleGetKernel_Emulate;
  b->ops->getvariable   = PlexModuleGetVariable_Emulate;
  b->ops->launch        = PlexKernelLaunch_Emulate;
  b->ops->attributes    = PlexKernelGetAttributes_Emulate;
  PetscFunctionReturn(PETSC_SUCCESS);
}
