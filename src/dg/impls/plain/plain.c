/*
  The plain way on a GPU: one kernel, cuda/dg/plain.cu, in which a thread computes a node of an element, all fields;
  volume, faces and lift.
*/
#include <plexgpu/private/dgimpl.h>

#define PLEX_DG_PLAIN_THREADS 128 /* a block, at least, where elements are small */

typedef struct {
  PetscInt   elements, threads; /* a block */
  PlexModule module;
  PlexKernel kernel;
} PlexDGPlain;

static PetscErrorCode PlexDGSetUp_Plain(PlexDG dg)
{
  PlexDGPlain    *plain = (PlexDGPlain *)dg->data;
  PlexDGReference R     = dg->reference;
  const size_t    real  = dg->precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
  /* an element */
  const size_t shared = (size_t)dg->system->Nf *
                        (R->Np * (dg->system->host[0]->flux ? 1 + R->dim : 1) + R->faces * R->Nfp) * real;
  char         define[64];
  const char  *defines[] = {define};

  PetscFunctionBegin;
  plain->elements = PetscMax(1, PLEX_DG_PLAIN_THREADS / R->Np);
  while (plain->elements > 1 && plain->elements * shared > 48 * 1024) --plain->elements; /* static shared memory */
  PetscCheck(plain->elements * shared <= 48 * 1024, PetscObjectComm((PetscObject)dg), PETSC_ERR_SUP,
             "Type plain of nodal DG needs %zu bytes of shared memory an element and has 48 KiB: use "
             "-plex_dg_precision single, or a smaller -plex_dg_degree",
             shared);
  plain->threads = (plain->elements * R->Np + 31) / 32 * 32;
  PetscCall(PetscSNPrintf(define, sizeof(define), "PLEX_DG_BLOCK_ELEMENTS=%" PetscInt_FMT, plain->elements));
  PetscCall(PlexDGCompile(dg, "dg/plain.cu", 1, defines, &plain->module));
  PetscCall(PlexModuleGetKernel(plain->module, "plex_dg_plain", &plain->kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGRHS_Plain(PlexDG dg, const PlexDGArgs *args)
{
  PlexDGPlain *plain       = (PlexDGPlain *)dg->data;
  void        *arguments[] = {(void *)args};

  PetscFunctionBegin;
  PetscCall(PlexKernelLaunch(plain->kernel, (args->end - args->begin + plain->elements - 1) / plain->elements,
                             plain->threads, 0, arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGView_Plain(PlexDG dg, PetscViewer viewer)
{
  PlexDGPlain         *plain = (PlexDGPlain *)dg->data;
  PlexKernelAttributes attributes;

  PetscFunctionBegin;
  PetscCall(PlexKernelGetAttributes(plain->kernel, &attributes));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "blocks of %" PetscInt_FMT " elements, %" PetscInt_FMT
                                   " threads, %zu bytes of shared memory, %" PetscInt_FMT " registers a thread\n",
                                   plain->elements, plain->threads, attributes.sharedBytes, attributes.registers));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGReset_Plain(PlexDG dg)
{
  PetscFunctionBegin;
  PetscCall(PlexModuleDestroy(&((PlexDGPlain *)dg->data)->module));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PETSC_EXTERN PetscErrorCode PlexDGCreate_Plain(PlexDG);

PetscErrorCode PlexDGCreate_Plain(PlexDG dg)
{
  PlexDGPlain *plain;

  PetscFunctionBegin;
  PetscCall(PetscNew(&plain));
  dg->data       = plain;
  dg->ops->setup = PlexDGSetUp_Plain;
  dg->ops->rhs   = PlexDGRHS_Plain;
  dg->ops->view  = PlexDGView_Plain;
  dg->ops->reset = PlexDGReset_Plain;
  PetscFunctionReturn(PETSC_SUCCESS);
}
