/*
  Modules of compiled kernels and their launches.
*/
#include "backendimpl.h"
#include "../../util/progress.h"
#include <petsctime.h>

/* Compiles `source` with the definitions ("NAME" or "NAME=VALUE"), or takes the result from the cache */
PetscErrorCode PlexBackendCompile(PlexBackend b, const char name[], PetscInt ndefines, const char *const defines[],
                                  const char source[], PlexModule *module)
{
  PlexModule     m;
  char          *text;
  int            level;
  PetscErrorCode ierr;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(b, PLEXBACKEND_CLASSID, 1);
  *module = NULL;
  PetscCheck(b->kernels, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Backend %s does not compile kernels (%s was asked for): %s and %s do", ((PetscObject)b)->type_name, name,
             PLEXBACKENDCUDA, PLEXBACKENDEMULATE);
  PetscCall(PlexSourceFlatten(name, source, &text));
  PetscCall(PetscNew(&m));
  m->backend = b;
  PetscCall(PetscStrallocpy(name, &m->name));
  level = PlexProgressBegin_Private("compiling kernels %s", name);
  ierr  = (*b->ops->compile)(b, name, ndefines, defines, text, m);
  PlexProgressEnd_Private(level);
  PetscCall(ierr);
  PetscCall(PetscObjectReference((PetscObject)b));
  PetscCall(PetscFree(text));
  PetscCall(PetscInfo(b, "Kernels %s: %s\n", name,
                      m->installed   ? "installed with the library"
                      : m->fromCache ? "taken from the cache"
                                     : "compiled"));
  *module = m;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexModuleDestroy(PlexModule *module)
{
  PlexModule m = *module;

  PetscFunctionBegin;
  if (!m) PetscFunctionReturn(PETSC_SUCCESS);
  while (m->kernels) {
    PlexKernel k = m->kernels;

    m->kernels = k->next;
    PetscCall(PetscFree(k->name));
    PetscCall(PetscFree(k));
  }
  PetscCall((*m->backend->ops->moduledestroy)(m));
  PetscCall(PlexBackendDestroy(&m->backend));
  PetscCall(PetscFree(m->name));
  PetscCall(PetscFree(*module));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The kernel is the module's: it is not destroyed by itself */
PetscErrorCode PlexModuleGetKernel(PlexModule m, const char name[], PlexKernel *kernel)
{
  PlexKernel k;
  PetscBool  same;

  PetscFunctionBegin;
  for (k = m->kernels; k; k = k->next) {
    PetscCall(PetscStrcmp(k->name, name, &same));
    if (same) break;
  }
  if (!k) {
    PetscCall(PetscNew(&k));
    k->module = m;
    PetscCall(PetscStrallocpy(name, &k->name));
    k->next    = m->kernels;
    m->kernels = k;
  }
  *kernel = NULL;
  if (!k->handle) PetscCall((*m->backend->ops->getkernel)(m, name, k));
  PetscCheck(k->handle, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "There is no kernel %s in %s: it is to be declared extern \"C\" __global__ and named by "
             "PLEX_EXPORT_KERNEL(%s)",
             name, m->name, name);
  *kernel = k;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The address in the backend's memory, and the size, of a variable that the source declares with
   PLEX_MODULE_VARIABLES */
PetscErrorCode PlexModuleGetVariable(PlexModule m, const char name[], void **variable, size_t *bytes)
{
  PetscFunctionBegin;
  *variable = NULL;
  *bytes    = 0;
  PetscCheck(m->backend->ops->getvariable, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Backend %s has no variables of modules (%s of %s was asked for): %s and %s do",
             ((PetscObject)m->backend)->type_name, name, m->name, PLEXBACKENDCUDA, PLEXBACKENDEMULATE);
  PetscCall((*m->backend->ops->getvariable)(m, name, variable, bytes));
  PetscCheck(*variable, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "There is no variable %s in %s: it is to be declared by PLEX_MODULE_VARIABLES(memory, %s, bytes)", name,
             m->name, name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexLaunchesBegin(PlexBackend b, PetscLogDouble *begin)
{
  PetscFunctionBegin;
  *begin = 0.;
  if (b->launches) PetscCall(PetscTime(begin));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexLaunchesEnd(PlexBackend b, PetscLogDouble begin)
{
  PetscLogDouble end;

  PetscFunctionBegin;
  if (!b->launches) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscTime(&end));
  b->launches->seconds += end - begin;
  ++b->launches->n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* grid blocks of block threads; args[] points to the kernel's arguments. No blocks: nothing is launched. */
PetscErrorCode PlexKernelLaunch(PlexKernel k, PetscInt grid, PetscInt block, size_t sharedBytes, void *args[])
{
  PlexBackend              b      = k->module->backend;
  const PlexBackendLimits *limits = &b->limits;
  PetscLogDouble           begin;

  PetscFunctionBegin;
  if (grid == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(grid > 0 && grid <= PETSC_INT32_MAX, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Kernel %s: %" PetscInt_FMT " blocks are not in 1 ... 2147483647: use more processes", k->name, grid);
  PetscCheck(block > 0 && block <= limits->threadsPerBlock, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Kernel %s: %" PetscInt_FMT " threads a block are not in 1 ... %" PetscInt_FMT
             " that %s allows: choose -plex_assembly_block_size (of DG -plex_dg_block_elements)",
             k->name, block, limits->threadsPerBlock, limits->name);
  PetscCheck(sharedBytes <= limits->sharedPerBlock, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Kernel %s: a block needs %zu bytes of shared memory and %s has %zu: use smaller partitions "
             "(-plex_assembly_partition_size), smaller blocks, or a strategy that keeps element data elsewhere",
             k->name, sharedBytes, limits->name, limits->sharedPerBlock);
  PetscCall(PlexLaunchesBegin(b, &begin));
  PetscCall((*b->ops->launch)(k, grid, block, sharedBytes, args));
  PetscCall(PlexLaunchesEnd(b, begin));
  if (b->launches) {
    b->launches->kernel      = b->launches->n == 1 || b->launches->kernel == k ? k : NULL;
    b->launches->block       = block;
    b->launches->sharedBytes = sharedBytes;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexKernelGetAttributes(PlexKernel k, PlexKernelAttributes *attributes)
{
  PetscFunctionBegin;
  PetscCall((*k->module->backend->ops->attributes)(k, attributes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexKernelGetOccupancy(PlexKernel k, PetscInt block, size_t sharedBytes, PetscInt *blocks,
                                      PetscReal *occupancy)
{
  PlexBackend b = k->module->backend;
  PetscInt    warp;

  PetscFunctionBegin;
  *blocks    = 0;
  *occupancy = 0.;
  PetscCheck(b->ops->occupancy, PETSC_COMM_SELF, PETSC_ERR_SUP,
             "Backend %s has no multiprocessors, so kernel %s has no occupancy: %s and %s, of a GPU, do",
             ((PetscObject)b)->type_name, k->name, PLEXBACKENDCUDA, PLEXBACKENDHIP);
  PetscCheck(block > 0 && block <= b->limits.threadsPerBlock, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "Kernel %s: %" PetscInt_FMT " threads a block are not in 1 ... %" PetscInt_FMT " that %s allows", k->name,
             block, b->limits.threadsPerBlock, b->limits.name);
  PetscCall((*b->ops->occupancy)(k, block, sharedBytes, blocks));
  warp = b->limits.warpSize;
  if (b->limits.threadsPerProcessor)
    *occupancy = (PetscReal)(*blocks * ((block + warp - 1) / warp)) / (b->limits.threadsPerProcessor / warp);
  PetscFunctionReturn(PETSC_SUCCESS);
}
