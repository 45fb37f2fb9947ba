/*
  A backend for measuring what the host does for a GPU: it has the sizes of one, and its memory holds nothing. What is
  copied there is counted, kernels are neither compiled nor run, and what is copied from there is zero.
*/
#ifndef PLEX_NODEVICE_H
#define PLEX_NODEVICE_H

#include <plexgpu/impl.h>

static double noDeviceBytes; /* copied in so far */

static PetscErrorCode NoDeviceMalloc(PlexBackend b, size_t bytes, void **p)
{
  PetscFunctionBegin;
  PetscCall(PetscMalloc(1, p)); /* of its own: an address that nobody reads */
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NoDeviceFree(PlexBackend b, void *p)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(p));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NoDeviceCopyIn(PlexBackend b, void *to, const void *from, size_t bytes)
{
  PetscFunctionBegin;
  noDeviceBytes += (double)bytes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NoDeviceCopyOut(PlexBackend b, void *to, const void *from, size_t bytes)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(to, bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NoDeviceZero(PlexBackend b, void *p, size_t bytes)
{
  PetscFunctionBegin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NoDeviceCompile(PlexBackend b, const char name[], PetscInt ndefines, const char *const defines[],
                                      const char source[], PlexModule m)
{
  PetscFunctionBegin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NoDeviceModuleDestroy(PlexModule m)
{
  PetscFunctionBegin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NoDeviceGetKernel(PlexModule m, const char name[], PlexKernel k)
{
  PetscFunctionBegin;
  k->handle = k;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NoDeviceGetVariable(PlexModule m, const char name[], void **variable, size_t *bytes)
{
  PetscFunctionBegin;
  *variable = NULL;
  *bytes    = 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NoDeviceLaunch(PlexKernel k, PetscInt grid, PetscInt block, size_t sharedBytes, void **args)
{
  PetscFunctionBegin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NoDeviceGetLimits(PlexBackend b, PlexBackendLimits *limits)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(limits, sizeof(*limits)));
  PetscCall(PetscStrncpy(limits->name, "no device, of an NVIDIA H200's sizes", sizeof(limits->name)));
  PetscCall(PetscStrncpy(limits->arch, "sm_90", sizeof(limits->arch)));
  limits->memory = limits->memoryFree = (size_t)139 << 30;
  limits->sharedPerBlock              = 227 * 1024;
  limits->sharedPerProcessor          = 228 * 1024;
  limits->cacheL2                     = (size_t)60 << 20;
  limits->multiprocessors             = 132;
  limits->threadsPerBlock             = 1024;
  limits->warpSize                    = 32;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NoDeviceGetAttributes(PlexKernel k, PlexKernelAttributes *attributes)
{
  PetscFunctionBegin;
  PetscCall(PetscMemzero(attributes, sizeof(*attributes)));
  attributes->threadsPerBlock = 1024;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode NoDeviceCreate(PlexBackend b)
{
  PetscFunctionBegin;
  b->device             = PETSC_FALSE; /* vectors and matrices stay on the host */
  b->kernels            = PETSC_TRUE;
  b->ops->getlimits     = NoDeviceGetLimits;
  b->ops->malloc        = NoDeviceMalloc;
  b->ops->free          = NoDeviceFree;
  b->ops->copyin        = NoDeviceCopyIn;
  b->ops->copyout       = NoDeviceCopyOut;
  b->ops->zero          = NoDeviceZero;
  b->ops->compile       = NoDeviceCompile;
  b->ops->moduledestroy = NoDeviceModuleDestroy;
  b->ops->getkernel     = NoDeviceGetKernel;
  b->ops->getvariable   = NoDeviceGetVariable;
  b->ops->launch        = NoDeviceLaunch;
  b->ops->attributes    = NoDeviceGetAttributes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
