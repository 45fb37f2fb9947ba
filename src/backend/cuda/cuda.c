/*
  The cuda backend: device.h through the CUDA driver, on PETSc's device.
*/
#include "cudaimpl.h"

#if !PetscDefined(HAVE_CUDA)

PetscErrorCode PlexBackendAvailable_CUDA(PetscBool *flg, char why[], size_t len)
{
  PetscFunctionBegin;
  *flg = PETSC_FALSE;
  PetscCall(PetscStrncpy(why,
                         "PETSc was configured without CUDA: use -plex_assembly_backend host (of DG -plex_dg_backend, "
                         "-plex_hdg_backend), or a PETSc with --with-cuda",
                         len));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBackendCreate_CUDA(PlexBackend b)
{
  PetscFunctionBegin;
  SETERRQ(PetscObjectComm((PetscObject)b), PETSC_ERR_SUP,
          "PETSc was configured without CUDA: use -plex_assembly_backend host (of DG -plex_dg_backend, "
          "-plex_hdg_backend), or a PETSc with --with-cuda");
}

#else
  #include <petscdevice_cuda.h>
  #include "device.h"

PetscErrorCode PlexBackendAvailable_CUDA(PetscBool *flg, char why[], size_t len)
{
  const char *reason;

  PetscFunctionBegin;
  PetscCall(PlexLoadDriver(&reason));
  if (!reason) PetscCall(PlexLoadNVRTC(&reason));
  *flg = (PetscBool)!reason;
  if (reason)
    PetscCall(PetscSNPrintf(why, len,
                            "no CUDA device is usable here (%s): use -plex_assembly_backend host (of DG "
                            "-plex_dg_backend, -plex_hdg_backend)",
                            reason));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDeviceGetMain(PlexDevice *d, CUstream *stream)
{
  cudaStream_t s;

  PetscFunctionBegin;
  (void)d;
  PetscCall(PetscGetCurrentCUDAStream(&s));
  *stream = (CUstream)s;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDeviceGetArch(CUdevice id, char arch[], size_t len)
{
  size_t major, minor;

  PetscFunctionBegin;
  PetscCall(PlexDeviceGetAttribute(id, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major));
  PetscCall(PlexDeviceGetAttribute(id, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor));
  PetscCall(PetscSNPrintf(arch, len, "sm_%zu%zu", major, minor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDeviceGetProcessor(CUdevice id, PlexBackendLimits *limits)
{
  size_t registers, blocks;

  PetscFunctionBegin;
  PetscCall(PlexDeviceGetAttribute(id, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, &registers));
  PetscCall(PlexDeviceGetAttribute(id, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, &blocks));
  limits->registersPerProcessor = (PetscInt)registers;
  limits->blocksPerProcessor    = (PetscInt)blocks;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A block may have 48 KiB without asking */
static PetscErrorCode PlexDeviceGrantShared(CUfunction function, size_t sharedBytes, size_t all)
{
  PetscFunctionBegin;
  if (all > 48 * 1024)
    PlexCallCU(PlexCU.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)sharedBytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDeviceRelease(PlexDevice *d)
{
  PetscFunctionBegin;
  if (d->retained) PlexCallCU(PlexCU.cuDevicePrimaryCtxRelease(d->id));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* PETSc chooses the device of this rank and makes its primary context current: the runtime's and the driver's calls
   share it */
static PetscErrorCode PlexCUDASetContext(PlexDevice *d)
{
  PetscDeviceContext dctx;
  PetscDevice        device;
  PetscInt           id;
  CUcontext          context;

  PetscFunctionBegin;
  PetscCall(PetscDeviceInitialize(PETSC_DEVICE_CUDA));
  PetscCall(PetscDeviceContextGetCurrentContext(&dctx));
  PlexCallCU(PlexCU.cuCtxGetCurrent(&context));
  if (!context) {
    PetscCall(PetscDeviceContextGetDevice(dctx, &device));
    PetscCall(PetscDeviceGetDeviceId(device, &id));
    PlexCallCU(PlexCU.cuDeviceGet(&d->id, (int)id));
    PlexCallCU(PlexCU.cuDevicePrimaryCtxRetain(&context, d->id));
    d->retained = PETSC_TRUE;
    PlexCallCU(PlexCU.cuCtxSetCurrent(context));
  } else PlexCallCU(PlexCU.cuCtxGetDevice(&d->id));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBackendCreate_CUDA(PlexBackend b)
{
  PlexDevice *d;

  PetscFunctionBegin;
  PetscCall(PetscNew(&d));
  b->data = d;
  PetscCall(PlexCUDASetContext(d));
  PetscCall(PlexDeviceSetUp(b, d));
  b->ops->gemm = PlexBackendGemm_CUDA;
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif
