/*
  Nodal DG in one kernel on tensor cores, cuda/dg/fused.cu: a state is read once and its time derivative, or the next
  state of a low-storage scheme, written once
*/
#include "fusedimpl.h"
#include "../../core/coreimpl.h"

typedef struct {
  PetscInt        elements, tiles, threads; /* of a block, of a warp, of a block */
  PetscBool       split;                    /* fluxes take the place of the fields */
  PetscInt        NW, NA;                   /* fields and sums of the reference form */
  PetscInt        nodes, resident;          /* tiles of nodes; blocks that a multiprocessor holds at once */
  size_t          shared;
  void           *records; /* of elements args.begin .. args.Ne: all, but in tests */
  PlexDGFragments fragments;
  /* of right-hand sides, of stages, and of these with elements of a layer, compiled when the first of them is computed:
     most runs have one of them */
  PlexModule module[3];
  PlexKernel kernel[3];
} PlexDGFused;

size_t PlexDGRecordBytes_Private(PlexDG dg, PetscInt reals)
{
  const size_t bytes = (size_t)dg->reference->faces * 2 * sizeof(int) +
                       (size_t)reals * (dg->precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double));

  return ((bytes + 15) / 16 | 1) * 16;
}

size_t PlexDGMeetingBytes_Private(PlexDG dg)
{
  PlexDGReference R = dg->reference;

  return (size_t)((R->faces * (R->turns + 1) * R->Nfp + 1) / 2 * 2) * sizeof(short);
}

/* As cuda/dg/fused.cu has it */
static size_t PlexDGFusedRecord(PlexDG dg)
{
  PlexDGReference   R    = dg->reference;
  const PlexDGHost *host = dg->system->host[dg->precision];
  const PetscInt    NK   = host->NK;

  return PlexDGRecordBytes_Private(dg, (host->NW ? host->NE : R->dim * R->dim) + (host->NW && host->NB ? 0 : NK) +
                                         R->faces * (R->dim + 1 + (host->NB ? host->NB : NK)));
}

/* Bytes of a block's shared memory: PlexDGBlock of cuda/dg/fused.cu */
static size_t PlexDGFusedShared(PlexDG dg, const PlexDGFused *fused, PetscBool split)
{
  PlexDGReference R  = dg->reference;
  const PetscInt  Nf = dg->system->Nf, NC = dg->system->host[dg->precision]->NC;
  const PetscInt  w     = PetscMax(fused->NW, Nf) * PlexFragmentStride(dg->precision, R->Np),
                  flux  = Nf * PlexFragmentStride(dg->precision, R->faces * R->Nfp);
  const PetscInt  reals = fused->elements * (split ? PetscMax(w, flux) : w + flux) + (NC + 1) / 2 * 2;

  return (size_t)fused->elements * PlexDGFusedRecord(dg) +
         (size_t)reals * (dg->precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double)) +
         PlexDGMeetingBytes_Private(dg);
}

static PetscErrorCode PlexDGFusedSetFromOptions(PlexDG dg, PlexDGFused *fused)
{
  PetscBool set;

  PetscFunctionBegin;
  PetscObjectOptionsBegin((PetscObject)dg);
  PetscCall(PetscOptionsInt("-plex_dg_block_elements", "Elements of a block, a multiple of 16", "PlexDG",
                            fused->elements, &fused->elements, &set));
  PetscCheck(fused->elements > 0 && fused->elements % 16 == 0, PetscObjectComm((PetscObject)dg),
             PETSC_ERR_ARG_OUTOFRANGE, "-plex_dg_block_elements %" PetscInt_FMT " is not a multiple of 16",
             fused->elements);
  PetscCall(PetscOptionsInt("-plex_dg_tiles", "Tiles of 8 nodes that a warp computes", "PlexDG", fused->tiles,
                            &fused->tiles, &set));
  PetscCheck(fused->tiles >= 1 && fused->tiles <= 4, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_OUTOFRANGE,
             "-plex_dg_tiles %" PetscInt_FMT " is not 1, 2, 3 or 4", fused->tiles);
  PetscCall(PetscOptionsBool("-plex_dg_split", "Fluxes take the place of the fields in shared memory", "PlexDG",
                             fused->split, &fused->split, &set));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Registers of a thread without spills: 64, and the sums of its 4 nodes, in a tile */
static PetscInt PlexDGFusedRegisters(PlexDG dg, const PlexDGFused *fused)
{
  return PetscMin(255, 64 + fused->tiles * (dg->precision == PLEX_PRECISION_SINGLE ? 4 : 8) *
                              PetscMax(fused->NA, dg->system->Nf));
}

/* On an H200 one buffer for both fields and fluxes is better at all degrees but the second:
   docs/notes/2026-rounds.md */
static PetscErrorCode PlexDGFusedChooseSizes(PlexDG dg, PlexDGFused *fused)
{
  MPI_Comm          comm = PetscObjectComm((PetscObject)dg);
  PlexBackendLimits limits;

  PetscFunctionBegin;
  PetscCall(PlexBackendGetLimits(dg->backend, &limits));
  fused->elements = 16;
  fused->nodes    = (dg->reference->Np + 7) / 8;
  fused->tiles    = 1;
  /* else registers are spilled */
  while (fused->tiles < 4 &&
         32 * ((fused->nodes + fused->tiles - 1) / fused->tiles) * PlexDGFusedRegisters(dg, fused) > 65536)
    ++fused->tiles;
  fused->split = PETSC_TRUE;
  PetscCall(PlexDGFusedSetFromOptions(dg, fused));
  fused->threads = 32 * ((fused->nodes + fused->tiles - 1) / fused->tiles) * (fused->elements / 16);
  PetscCheck(fused->threads <= 1024, comm, PETSC_ERR_ARG_OUTOFRANGE,
             "%" PetscInt_FMT " elements a block of type fused take %" PetscInt_FMT
             " threads, and a block has 1024: use a smaller -plex_dg_block_elements, or -plex_dg_tiles 2",
             fused->elements, fused->threads);
  fused->shared = PlexDGFusedShared(dg, fused, fused->split);
  PetscCheck(fused->shared <= limits.sharedPerBlock, comm, PETSC_ERR_SUP,
             "Type fused of nodal DG needs %zu bytes of shared memory for %" PetscInt_FMT
             " elements, and a block has %zu: use -plex_dg_split, -plex_dg_precision single, a smaller "
             "-plex_dg_degree, or -plex_dg_type plain",
             fused->shared, fused->elements, limits.sharedPerBlock);
  fused->resident = PetscMax(1, PetscMin((PetscInt)(limits.sharedPerProcessor / (fused->shared + 1024)),
                                         65536 / (fused->threads * PlexDGFusedRegisters(dg, fused))));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGUploadFragments_Private(PlexDG dg, PetscInt tiles, PetscInt nmatrices, const PetscReal *matrices,
                                             PetscInt rows, PetscInt columns, const void **at)
{
  PetscReal *fragments;
  size_t     n;

  PetscFunctionBegin;
  PetscCall(PlexFragmentsCreate(dg->precision, tiles, nmatrices, matrices, rows, columns, &n, &fragments));
  PetscCall(PlexDGUploadReals(dg, n, fragments, at));
  PetscCall(PetscFree(fragments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGUploadMeeting_Private(PlexDG dg, const void **at)
{
  PlexDGReference R = dg->reference;
  const PetscInt  n = R->faces * R->turns * R->Nfp;
  short          *meet;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n + R->faces * R->Nfp + 1, &meet));
  for (PetscInt k = 0; k < n; ++k)
    meet[k] = (short)R->faceNodes[k / (R->turns * R->Nfp) * R->Nfp + R->turn[k % (R->turns * R->Nfp)]];
  for (PetscInt k = 0; k < R->faces * R->Nfp; ++k) meet[n + k] = (short)R->faceNodes[k];
  PetscCall(PlexDGUpload(dg, meet, PlexDGMeetingBytes_Private(dg), at));
  PetscCall(PetscFree(meet));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A kernel that computes right-hand sides, 0, or stages, 1 and 2 */
static PetscErrorCode PlexDGFusedCompile(PlexDG dg, int which)
{
  PlexDGFused *fused = (PlexDGFused *)dg->data;
  char         text[6][48];
  const char  *defines[PETSC_STATIC_ARRAY_LENGTH(text)];

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text[0], sizeof(text[0]), "PLEX_DG_ELEMENTS=%" PetscInt_FMT, fused->elements));
  PetscCall(PetscSNPrintf(text[1], sizeof(text[1]), "PLEX_DG_TILES=%" PetscInt_FMT, fused->tiles));
  PetscCall(PetscSNPrintf(text[2], sizeof(text[2]), "PLEX_DG_SPLIT=%d", (int)fused->split));
  PetscCall(PetscSNPrintf(text[3], sizeof(text[3]), "PLEX_DG_RESIDENT=%" PetscInt_FMT, fused->resident));
  PetscCall(PetscSNPrintf(text[4], sizeof(text[4]), "PLEX_DG_STAGE=%d", which > 0));
  PetscCall(PetscSNPrintf(text[5], sizeof(text[5]), "PLEX_DG_LAYER=1"));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(text); ++k) defines[k] = text[k];
  PetscCall(PlexDGCompile(dg, "dg/fused.cu", which == 2 ? 6 : 5, defines, &fused->module[which]));
  PetscCall(PlexModuleGetKernel(fused->module[which], "plex_dg_fused", &fused->kernel[which]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What fluxes and transformations need of geometry and coefficients, computed once, by a kernel that both modules
   have */
static PetscErrorCode PlexDGFusedComputeRecords(PlexDG dg, PlexModule module)
{
  PlexDGFused *fused  = (PlexDGFused *)dg->data;
  const size_t record = PlexDGFusedRecord(dg), begin = (size_t)dg->args.begin, n = (size_t)dg->args.Ne - begin;
  const size_t threads = 128, all = n * (size_t)(dg->reference->faces + 1);
  void        *arguments[] = {&dg->args, (void *)&fused->fragments.records};
  PlexKernel   kernel;

  PetscFunctionBegin;
  PetscCall(PlexBackendMalloc(dg->backend, n * record, &fused->records));
  fused->fragments.records = (char *)((uintptr_t)fused->records - begin * record);
  PetscCall(PlexModuleGetKernel(module, "plex_dg_fused_records", &kernel));
  PetscCall(PlexKernelLaunch(kernel, (PetscInt)((all + threads - 1) / threads), (PetscInt)threads, 0, arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGSetUp_Fused(PlexDG dg)
{
  PlexDGFused      *fused = (PlexDGFused *)dg->data;
  PlexDGReference   R     = dg->reference;
  const PlexDGHost *host  = dg->system->host[dg->precision];

  PetscFunctionBegin;
  PetscCheck(PlexBackendHasUnits(dg->backend), PetscObjectComm((PetscObject)dg), PETSC_ERR_SUP,
             "Type fused of nodal DG needs tensor cores of compute capability 8.0 on, and %s is %s: use -plex_dg_type "
             "plain",
             dg->backend->limits.name, dg->backend->limits.arch);
  fused->NW = host->NW ? host->NW : host->flux ? host->Nf * R->dim : host->Nf;
  fused->NA = host->NA ? host->NA : host->flux ? host->Nf : host->Nf * R->dim;
  PetscCall(PlexDGFusedChooseSizes(dg, fused));
  PetscCall(PlexDGUploadFragments_Private(dg, fused->nodes, R->dim, R->D, R->Np, R->Np, &fused->fragments.D));
  PetscCall(PlexDGUploadFragments_Private(dg, fused->nodes, 1, R->L, R->Np, R->faces * R->Nfp, &fused->fragments.L));
  PetscCall(PlexDGUploadMeeting_Private(dg, &fused->fragments.meet));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGFusedLaunch(PlexDG dg, PetscBool isStage, const PlexDGArgs *args, const PlexDGStage *stage)
{
  PlexDGFused *fused       = (PlexDGFused *)dg->data;
  PlexDGLayer *layer       = isStage ? PlexDGPMLGetLayer_Private(dg) : NULL;
  const int    which       = layer ? 2 : (int)isStage;
  void        *arguments[] = {(void *)args, (void *)stage, &fused->fragments, layer};

  PetscFunctionBegin;
  if (!fused->module[which]) PetscCall(PlexDGFusedCompile(dg, which));
  if (!fused->records) PetscCall(PlexDGFusedComputeRecords(dg, fused->module[which]));
  PetscCall(PlexKernelLaunch(fused->kernel[which], (args->end - args->begin + fused->elements - 1) / fused->elements,
                             fused->threads, fused->shared, arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGRHS_Fused(PlexDG dg, const PlexDGArgs *args)
{
  const PlexDGStage stage = {0};

  PetscFunctionBegin;
  PetscCall(PlexDGFusedLaunch(dg, PETSC_FALSE, args, &stage));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGStage_Fused(PlexDG dg, const PlexDGArgs *args, const PlexDGStage *stage)
{
  PetscFunctionBegin;
  PetscCall(PlexDGFusedLaunch(dg, PETSC_TRUE, args, stage));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGKernelRegisters_Private(const PlexKernel kernels[2], size_t size, char text[])
{
  PlexKernel           kernel = kernels[1] ? kernels[1] : kernels[0];
  PlexKernelAttributes attributes;

  PetscFunctionBegin;
  text[0] = 0;
  if (!kernel) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexKernelGetAttributes(kernel, &attributes));
  PetscCall(PetscSNPrintf(text, size, " %" PetscInt_FMT " registers a thread,", attributes.registers));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGView_Fused(PlexDG dg, PetscViewer viewer)
{
  PlexDGFused *fused = (PlexDGFused *)dg->data;
  char         registers[64];

  PetscFunctionBegin;
  PetscCall(PlexDGKernelRegisters_Private(fused->kernel + (fused->kernel[2] ? 1 : 0), sizeof(registers), registers));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "blocks of %" PetscInt_FMT " elements, %" PetscInt_FMT
                                   " threads, %zu bytes of shared memory%s,%s %" PetscInt_FMT
                                   " at once on a multiprocessor; %zu bytes of geometry and numbers of fluxes an "
                                   "element\n",
                                   fused->elements, fused->threads, fused->shared,
                                   fused->split ? ", where fluxes take the place of fields" : "", registers,
                                   fused->resident, PlexDGFusedRecord(dg)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGReset_Fused(PlexDG dg)
{
  PlexDGFused *fused = (PlexDGFused *)dg->data;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 3; ++k) PetscCall(PlexModuleDestroy(&fused->module[k]));
  PetscCall(PlexBackendFree(dg->backend, &fused->records));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PETSC_EXTERN PetscErrorCode PlexDGCreate_Fused(PlexDG);

PetscErrorCode PlexDGCreate_Fused(PlexDG dg)
{
  PlexDGFused *fused;

  PetscFunctionBegin;
  PetscCall(PetscNew(&fused));
  dg->data       = fused;
  dg->ops->setup = PlexDGSetUp_Fused;
  dg->ops->rhs   = PlexDGRHS_Fused;
  dg->ops->stage = PlexDGStage_Fused;
  dg->ops->layer = PETSC_TRUE;
  dg->ops->view  = PlexDGView_Fused;
  dg->ops->reset = PlexDGReset_Fused;
  PetscFunctionReturn(PETSC_SUCCESS);
}
