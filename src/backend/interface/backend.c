/*
  PlexBackend: its types and instances, one of each type a process, reference counted.
*/
#include "backendimpl.h"
#include "../../util/help.h"
#include "../../util/hint.h"

PetscClassId PLEXBACKEND_CLASSID;

static PetscFunctionList PlexBackendList = NULL;
/* PlexBackendAvailableFn of the types that may be unusable here */
static PetscFunctionList PlexBackendAvailableList     = NULL;
static PetscBool         PlexBackendRegisterAllCalled = PETSC_FALSE;
static PlexBackend       PlexBackendInstances         = NULL;

/*@C
  PlexBackendRegister - Adds a backend of your own to those that `PlexBackendCreate()` knows

  Not Collective, No Fortran Support

  Input Parameters:
+ name   - the name of the new type
- create - fills in the operations, see `plexgpu/private/backendimpl.h`

  Level: developer

.seealso: `PlexBackendCreate()`, `PlexAssemblyRegister()`
@*/
PetscErrorCode PlexBackendRegister(const char name[], PetscErrorCode (*create)(PlexBackend))
{
  PetscFunctionBegin;
  PetscCall(PlexGPUInitializePackage());
  PetscCall(PetscFunctionListAdd(&PlexBackendList, name, create));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Called by PlexGPUInitializePackage() */
PetscErrorCode PlexBackendRegisterAll(void)
{
  PetscFunctionBegin;
  if (PlexBackendRegisterAllCalled) PetscFunctionReturn(PETSC_SUCCESS);
  PlexBackendRegisterAllCalled = PETSC_TRUE;
  PetscCall(PlexBackendRegister(PLEXBACKENDCUDA, PlexBackendCreate_CUDA));
  PetscCall(PlexBackendRegister(PLEXBACKENDHIP, PlexBackendCreate_HIP));
  PetscCall(PlexBackendRegister(PLEXBACKENDHOST, PlexBackendCreate_Host));
  PetscCall(PlexBackendRegister(PLEXBACKENDEMULATE, PlexBackendCreate_Emulate));
  PetscCall(PetscFunctionListAdd(&PlexBackendAvailableList, PLEXBACKENDCUDA, PlexBackendAvailable_CUDA));
  PetscCall(PetscFunctionListAdd(&PlexBackendAvailableList, PLEXBACKENDHIP, PlexBackendAvailable_HIP));
  PetscCall(PetscFunctionListAdd(&PlexBackendAvailableList, PLEXBACKENDEMULATE, PlexBackendAvailable_Emulate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Called by PlexGPUFinalizePackage() */
PetscErrorCode PlexBackendFinalize(void)
{
  PetscFunctionBegin;
  PetscCall(PetscFunctionListDestroy(&PlexBackendList));
  PetscCall(PetscFunctionListDestroy(&PlexBackendAvailableList));
  PlexBackendRegisterAllCalled = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexBackendGetAvailable(PlexBackendType type, PetscBool *flg, char why[], size_t len)
{
  PetscErrorCode (*create)(PlexBackend);
  PlexBackendAvailableFn *available;

  PetscFunctionBegin;
  *flg   = PETSC_FALSE;
  why[0] = 0;
  PetscCall(PetscFunctionListFind(PlexBackendList, type, &create));
  PetscCall(PetscFunctionListFind(PlexBackendAvailableList, type, &available));
  if (available && PetscDefined(USE_COMPLEX))
    PetscCall(PetscStrncpy(why,
                           "kernels compute with real numbers, and PETSc is configured with complex scalars: use "
                           "-plex_assembly_backend host, or a PETSc configured with real scalars",
                           len));
  else if (available) PetscCall((*available)(flg, why, len));
  else if (create) *flg = PETSC_TRUE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexBackendHelp_Private(const char text[], size_t size, char out[])
{
  PetscFunctionBegin;
  PetscCall(PlexHelpChoices_Private(text, PLEXBACKENDAUTO, PlexBackendList, size, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void PlexBackendRan_Private(PlexBackend b, PlexBackendType asked, PetscBool left)
{
  const PetscBool named = (PetscBool)(asked && strcmp(asked, PLEXBACKENDAUTO));

  if (named && !b->device) PlexHintRan_Private(PLEX_RAN_ASKED);
  else PlexHintRan_Private(left ? PLEX_RAN_LEFT : b->device ? PLEX_RAN_DEVICE : PLEX_RAN_HOST);
}

/*@
  PlexBackendIsAvailable - Says whether a backend can be used here: `cuda` needs a GPU, `emulate` a C++ compiler

  Not Collective

  Input Parameter:
. type - the type's name

  Output Parameter:
. flg - `PETSC_TRUE` when `PlexBackendCreate()` of that type can be expected to work

  Level: intermediate

.seealso: `PlexBackendCreate()`, `PlexBackendType`
@*/
PetscErrorCode PlexBackendIsAvailable(PlexBackendType type, PetscBool *flg)
{
  char      why[512];
  PetscBool isauto;

  PetscFunctionBegin;
  PetscAssertPointer(type, 1);
  PetscAssertPointer(flg, 2);
  PetscCall(PlexGPUInitializePackage());
  PetscCall(PetscStrcmp(type, PLEXBACKENDAUTO, &isauto));
  if (isauto) *flg = PETSC_TRUE;
  else PetscCall(PlexBackendGetAvailable(type, flg, why, sizeof(why)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The type that is meant by `type`, and its create function */
static PetscErrorCode PlexBackendFind(PlexBackendType type, PlexBackendType *found,
                                      PetscErrorCode (**create)(PlexBackend))
{
  char      why[512];
  PetscBool flg;

  PetscFunctionBegin;
  *found = type;
  PetscCall(PetscStrcmp(type, PLEXBACKENDAUTO, &flg));
  if (flg) {
    PetscCall(PlexBackendGetAvailable(PLEXBACKENDCUDA, &flg, why, sizeof(why)));
    if (!flg) PetscCall(PetscInfo(NULL, "Backend host, as cuda cannot be used: %s\n", why));
    if (!flg) PlexHintWhy_Private(why);
    *found = flg ? PLEXBACKENDCUDA : PLEXBACKENDHOST;
  }
  PetscCall(PetscFunctionListFind(PlexBackendList, *found, create));
  if (!*create) {
    const char **types;
    int          n;
    PlexText     known = {NULL, 0, 0};

    PetscCall(PetscFunctionListGet(PlexBackendList, &types, &n));
    PetscCall(PlexTextPrintf(&known, "%s", PLEXBACKENDAUTO));
    for (int i = 0; i < n; ++i) PetscCall(PlexTextPrintf(&known, ", %s", types[i]));
    PetscCall(PetscFree(types));
    PetscCall(PetscStrncpy(why, known.text, sizeof(why)));
    PetscCall(PetscFree(known.text));
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_UNKNOWN_TYPE,
            "Unknown backend %s. Known: %s. PlexBackendRegister() adds others", type, why);
  }
  PetscCall(PlexBackendGetAvailable(*found, &flg, why, sizeof(why)));
  PetscCheck(flg, PETSC_COMM_SELF, PETSC_ERR_SUP, "Backend %s cannot be used here: %s", *found, why);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexBackendCreate - Gives the backend of a type

  Not Collective

  Input Parameter:
. type - `PLEXBACKENDAUTO`, `PLEXBACKENDCUDA`, `PLEXBACKENDHIP`, `PLEXBACKENDHOST`, `PLEXBACKENDEMULATE` or the name
         of one that was registered

  Output Parameter:
. backend - the backend, to be given to `PlexBackendDestroy()`

  Options Database Keys:
+ -plexgpu_cache_dir folder  - where compiled kernels are kept, default $XDG_CACHE_HOME/plexgpu/kernels
- -plexgpu_source_dir folder - where the device sources are, default the folder installed with the library

  Level: intermediate

  Notes:
  There is one backend of a type in a process; creating it again gives another reference to it.

  It is an error that says why when the type is unknown or cannot be used here, see `PlexBackendIsAvailable()`.

.seealso: `PlexBackendType`, `PlexBackendDestroy()`, `PlexBackendIsAvailable()`, `PlexBackendRegister()`
@*/
PetscErrorCode PlexBackendCreate(PlexBackendType type, PlexBackend *backend)
{
  PetscErrorCode (*create)(PlexBackend);
  PlexBackend b;
  PetscBool   same;

  PetscFunctionBegin;
  PetscAssertPointer(type, 1);
  PetscAssertPointer(backend, 2);
  *backend = NULL;
  PetscCall(PlexGPUInitializePackage());
  PetscCall(PlexBackendFind(type, &type, &create));
  for (b = PlexBackendInstances; b; b = b->next) {
    PetscCall(PetscStrcmp(((PetscObject)b)->type_name, type, &same));
    if (same) {
      PetscCall(PetscObjectReference((PetscObject)b));
      *backend = b;
      PetscFunctionReturn(PETSC_SUCCESS);
    }
  }
  PetscCall(PetscHeaderCreate(b, PLEXBACKEND_CLASSID, "PlexBackend", "Backend of assembly", "PlexGPU", PETSC_COMM_SELF,
                              PlexBackendDestroy, PlexBackendView));
  PetscCall(PetscObjectChangeTypeName((PetscObject)b, type));
  PetscCall((*create)(b));
  PetscUseTypeMethod(b, getlimits, &b->limits);
  b->next              = PlexBackendInstances;
  PlexBackendInstances = b;
  *backend             = b;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexBackendDestroy - Gives back a backend; the last reference frees it

  Not Collective

  Input Parameter:
. backend - the backend

  Level: intermediate

.seealso: `PlexBackendCreate()`
@*/
PetscErrorCode PlexBackendDestroy(PlexBackend *backend)
{
  PlexBackend *link;

  PetscFunctionBegin;
  if (!*backend) PetscFunctionReturn(PETSC_SUCCESS);
  PetscValidHeaderSpecific(*backend, PLEXBACKEND_CLASSID, 1);
  if (--((PetscObject)*backend)->refct > 0) {
    *backend = NULL;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  for (link = &PlexBackendInstances; *link; link = &(*link)->next) {
    if (*link != *backend) continue;
    *link = (*backend)->next;
    break;
  }
  PetscTryTypeMethod(*backend, destroy);
  PetscCall(PetscHeaderDestroy(backend));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexBackendGetType - Gives the type of a backend, never `PLEXBACKENDAUTO`

  Not Collective

  Input Parameter:
. backend - the backend

  Output Parameter:
. type - the type's name

  Level: intermediate

.seealso: `PlexBackendCreate()`, `PlexBackendType`
@*/
PetscErrorCode PlexBackendGetType(PlexBackend backend, PlexBackendType *type)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(backend, PLEXBACKEND_CLASSID, 1);
  PetscAssertPointer(type, 2);
  *type = ((PetscObject)backend)->type_name;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*@
  PlexBackendView - Shows a backend's device: its name, memory and limits, and the copy bandwidth once it has been
  measured

  Not Collective

  Input Parameters:
+ backend - the backend
- viewer  - an ASCII viewer; others show nothing

  Level: intermediate

.seealso: `PlexBackendCreate()`, `PlexAssemblyView()`
@*/
PetscErrorCode PlexBackendView(PlexBackend backend, PetscViewer viewer)
{
  PlexBackendLimits limits;
  PetscBool         isascii;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(backend, PLEXBACKEND_CLASSID, 1);
  if (!viewer) PetscCall(PetscViewerASCIIGetStdout(PETSC_COMM_SELF, &viewer));
  PetscValidHeaderSpecific(viewer, PETSC_VIEWER_CLASSID, 2);
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &isascii));
  if (!isascii) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendGetLimits(backend, &limits));
  PetscCall(PetscViewerASCIIPrintf(viewer, "backend: %s, %s\n", ((PetscObject)backend)->type_name, limits.name));
  PetscCall(PetscViewerASCIIPushTab(viewer));
  PetscCall(PetscViewerASCIIPrintf(viewer, "memory: %.1f GiB, %.1f GiB free\n", (double)limits.memory / 1073741824.,
                                   (double)limits.memoryFree / 1073741824.));
  if (backend->kernels) {
    PetscCall(PetscViewerASCIIPrintf(viewer, "architecture: %s, %" PetscInt_FMT " multiprocessors, L2 cache %.1f MiB\n",
                                     limits.arch, limits.multiprocessors, (double)limits.cacheL2 / 1048576.));
    PetscCall(PetscViewerASCIIPrintf(viewer, "a block: %" PetscInt_FMT " threads, %zu bytes of shared memory\n",
                                     limits.threadsPerBlock, limits.sharedPerBlock));
  }
  if (backend->bandwidth > 0)
    PetscCall(PetscViewerASCIIPrintf(viewer, "copy bandwidth: %.1f GB/s, measured\n", backend->bandwidth * 1e-9));
  PetscCall(PetscViewerASCIIPopTab(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}
