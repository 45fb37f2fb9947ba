/*
  The hip backend: cuda/device.h through HIP, on PETSc's device where PETSc has HIP; else on the one of the process's
  number on its node.
*/
#include "hipimpl.h"

#if !PLEXGPU_HIP

PetscErrorCode PlexBackendAvailable_HIP(PetscBool *flg, char why[], size_t len)
{
  PetscFunctionBegin;
  *flg = PETSC_FALSE;
  PetscCall(PetscStrncpy(why, "PlexGPU was built without HIP, whose headers were not found", len));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBackendCreate_HIP(PlexBackend b)
{
  PetscFunctionBegin;
  SETERRQ(PetscObjectComm((PetscObject)b), PETSC_ERR_SUP,
          "PlexGPU was built without HIP, whose headers were not found");
}

#else
  #if PetscDefined(HAVE_HIP)
    #include <petscdevice_hip.h>
  #endif
  #include "../cuda/device.h"

PetscErrorCode PlexBackendAvailable_HIP(PetscBool *flg, char why[], size_t len)
{
  const char *reason;

  PetscFunctionBegin;
  PetscCall(PlexLoadHIPDevice(&reason));
  *flg = (PetscBool)!reason;
  if (reason)
    PetscCall(PetscSNPrintf(why, len,
                            "no HIP device is usable here (%s): use -plex_assembly_backend host (of DG "
                            "-plex_dg_backend, -plex_hdg_backend)",
                            reason));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDeviceGetMain(PlexDevice *d, hipStream_t *stream)
{
  PetscFunctionBegin;
  *stream = d->main;
  #if PetscDefined(HAVE_HIP)
  PetscCall(PetscGetCurrentHIPStream(stream));
  #endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDeviceGetArch(hipDevice_t id, char arch[], size_t len)
{
  hipDeviceProp_t properties;

  PetscFunctionBegin;
  PlexCallCU(PlexHIP.hipGetDeviceProperties(&properties, id));
  PetscCall(PetscStrncpy(arch, properties.gcnArchName, len)); /* "gfx90a:sramecc+:xnack-" */
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A block may have all the shared memory there is without asking */
static PetscErrorCode PlexDeviceGrantShared(hipFunction_t function, size_t sharedBytes, size_t all)
{
  PetscFunctionBegin;
  (void)function;
  (void)sharedBytes;
  (void)all;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDeviceRelease(PlexDevice *d)
{
  PetscFunctionBegin;
  if (d->main) PlexCallCU(PlexHIP.hipStreamDestroy(d->main));
  PetscFunctionReturn(PETSC_SUCCESS);
}

  #if PetscDefined(HAVE_HIP)
static PetscErrorCode PlexHIPSetDevice(PlexDevice *d)
{
  PetscDeviceContext dctx;
  PetscDevice        device;
  PetscInt           id;

  PetscFunctionBegin;
  PetscCall(PetscDeviceInitialize(PETSC_DEVICE_HIP));
  PetscCall(PetscDeviceContextGetCurrentContext(&dctx));
  PetscCall(PetscDeviceContextGetDevice(dctx, &device));
  PetscCall(PetscDeviceGetDeviceId(device, &id));
  d->id = (hipDevice_t)id;
  PlexCallCU(PlexHIP.hipSetDevice((int)id));
  PetscFunctionReturn(PETSC_SUCCESS);
}
  #else
/* Processes of a node take its devices by turns; what starts them says their numbers there */
static PetscErrorCode PlexHIPSetDevice(PlexDevice *d)
{
  const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "PMI_LOCAL_RANK", "SLURM_LOCALID"};
  int               n = 0, rank = 0;

  PetscFunctionBegin;
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(names); ++k)
    if (getenv(names[k])) {
      rank = atoi(getenv(names[k]));
      break;
    }
  PlexCallCU(PlexHIP.hipGetDeviceCount(&n));
  d->id = (hipDevice_t)(PetscMax(rank, 0) % PetscMax(n, 1));
  PlexCallCU(PlexHIP.hipSetDevice(d->id));
  PlexCallCU(PlexHIP.hipStreamCreateWithPriority(&d->main, hipStreamNonBlocking, 0));
  PetscFunctionReturn(PETSC_SUCCESS);
}
  #endif

PetscErrorCode PlexBackendCreate_HIP(PlexBackend b)
{
  PlexDevice *d;

  PetscFunctionBegin;
  PetscCall(PetscNew(&d));
  b->data  = d;
  b->apart = (PetscBool)!PetscDefined(HAVE_HIP);
  PetscCall(PlexHIPSetDevice(d));
  PetscCall(PlexDeviceSetUp(b, d));
  PetscFunctionReturn(PETSC_SUCCESS);
}
#endif
