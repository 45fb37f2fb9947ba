/*
  DG with quadrature in one kernel on tensor cores, cuda/dg/quadrature_fused.cu: a state is read once and its time derivative, or the next state of a
  low-storage scheme, written once
*/
#include "quadratureimpl.h"

typedef struct {
  PetscInt             columns;                /* of the matrix that redistributes */
  PetscInt             elements, warps, tiles; /* of a block, of a block; of a warp at a time */
  size_t               shared;
  PlexDGPointArgs      points;
  PlexDGPointFragments fragments;
  PlexModule           module, stageModule;
  PlexKernel           kernel, stageKernel;
} PlexDGQuadratureFused;

/* The matrix that redistributes, W[Np][columns]: columns of fluxes, sources, faces */
static PetscErrorCode PlexDGUploadRedistribution(PlexDG dg, PlexDGQuadratureFused *way)
{
  PlexDGReference  R  = dg->reference;
  PlexDGQuadrature Q  = dg->quadrature;
  const PetscInt   Np = R->Np, fluxes = R->dim * Q->NG, sources = dg->system->host[0]->addsource ? Q->NG : 0, faces = R->faces * Q->MG;
  PlexDGTables     tables;
  PetscReal       *W;

  PetscFunctionBegin;
  way->columns = fluxes + sources + faces;
  PetscCall(PlexDGTablesCreate_Private(Q, R, Q->affine, &tables));
  PetscCall(PetscMalloc1(Np * way->columns, &W));
  for (PetscInt i = 0; i < Np; ++i) {
    PetscReal *row = &W[i * way->columns];

    for (PetscInt c = 0; c < fluxes; ++c) row[c] = tables.W3[c * Np + i];
    for (PetscInt c = 0; c < sources; ++c) row[fluxes + c] = tables.W2[c * Np + i];
    for (PetscInt c = 0; c < faces; ++c) row[fluxes + sources + c] = -tables.W5[c * Np + i];
  }
  PetscCall(PlexDGUploadFragments_Private(dg, (Np + 7) / 8, 1, W, Np, way->columns, &way->fragments.W));
  PetscCall(PlexDGUploadFragments_Private(dg, (Q->NG + 7) / 8, 1, Q->phi, Q->NG, Np, &way->fragments.W0));
  PetscCall(PlexDGUploadReals(dg, (size_t)(R->Nfp * Q->MG), tables.W4, &way->fragments.psi));
  PetscCall(PetscFree(W));
  PetscCall(PlexDGTablesDestroy_Private(&tables));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGQuadratureFusedSetFromOptions(PlexDG dg, PlexDGQuadratureFused *way)
{
  PetscBool set;

  PetscFunctionBegin;
  PetscObjectOptionsBegin((PetscObject)dg);
  PetscCall(PetscOptionsInt("-plex_dg_block_elements", "Elements of a block, a multiple of 16", "PlexDG", way->elements, &way->elements, &set));
  PetscCheck(way->elements > 0 && way->elements % 16 == 0, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_OUTOFRANGE, "-plex_dg_block_elements %" PetscInt_FMT " is not a multiple of 16", way->elements);
  PetscCall(PetscOptionsInt("-plex_dg_tiles", "Tiles of 8 points or nodes that a warp computes at a time", "PlexDG", way->tiles, &way->tiles, &set));
  PetscCheck(way->tiles >= 1 && way->tiles <= 4, PetscObjectComm((PetscObject)dg), PETSC_ERR_ARG_OUTOFRANGE, "-plex_dg_tiles %" PetscInt_FMT " is not 1, 2, 3 or 4", way->tiles);
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Warps for all tiles of points at once, from 2 to 8 */
static PetscErrorCode PlexDGChooseSizes(PlexDG dg, PlexDGQuadratureFused *way)
{
  PlexDGReference   R    = dg->reference;
  PlexDGQuadrature  Q    = dg->quadrature;
  const size_t      real = dg->precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
  const PetscInt    row  = PlexDGFusedStride_Private(dg, R->Np) + PlexDGFusedStride_Private(dg, way->columns) + ((R->faces * R->Nfp) | 1);
  PlexBackendLimits limits;

  PetscFunctionBegin;
  PetscCall(PlexBackendGetLimits(dg->backend, &limits));
  way->elements = 16;
  way->tiles    = R->Np > 16 ? 2 : 1; /* else one warp alone would redistribute */
  PetscCall(PlexDGQuadratureFusedSetFromOptions(dg, way));
  way->warps  = PetscClipInterval(way->elements / 16 * (((Q->NG + 7) / 8 + way->tiles - 1) / way->tiles), 2, 8);
  way->shared = (size_t)(dg->system->Nf * way->elements * row + R->Nfp * Q->MG) * real + (size_t)(R->faces * (R->turns + 1) * R->Nfp) * sizeof(short);
  PetscCheck(way->shared <= limits.sharedPerBlock, PetscObjectComm((PetscObject)dg), PETSC_ERR_SUP, "-plex_dg_gemm fused needs %zu bytes of shared memory for %" PetscInt_FMT " elements, and a block has %zu: use a smaller -plex_dg_block_elements, -plex_dg_gemm blas, -plex_dg_precision single, or a smaller -plex_dg_degree",
             way->shared, way->elements, limits.sharedPerBlock);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A kernel that computes right-hand sides, or stages */
static PetscErrorCode PlexDGQuadratureFusedCompile(PlexDG dg, PetscBool stage, PlexModule *module, PlexKernel *kernel)
{
  PlexDGQuadratureFused *way = (PlexDGQuadratureFused *)dg->data;
  char                   text[4][48];
  const char            *defines[] = {text[0], text[1], text[2], text[3]};

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text[0], sizeof(text[0]), "PLEX_DG_WARPS=%" PetscInt_FMT, way->warps));
  PetscCall(PetscSNPrintf(text[1], sizeof(text[1]), "PLEX_DG_TILES=%" PetscInt_FMT, way->tiles));
  PetscCall(PetscSNPrintf(text[2], sizeof(text[2]), "PLEX_DG_STAGE=%d", (int)stage));
  PetscCall(PetscSNPrintf(text[3], sizeof(text[3]), "PLEX_DG_ELEMENTS=%" PetscInt_FMT, way->elements));
  PetscCall(PlexDGCompilePoints_Private(dg, "dg/quadrature_fused.cu", PETSC_STATIC_ARRAY_LENGTH(text), defines, module));
  PetscCall(PlexModuleGetKernel(*module, "plex_dg_quadrature_fused", kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGSetUp_QuadratureFused(PlexDG dg)
{
  PlexDGQuadratureFused *way = (PlexDGQuadratureFused *)dg->data;

  PetscFunctionBegin;
  PetscCheck(PlexDGFusedRuns_Private(dg->backend), PetscObjectComm((PetscObject)dg), PETSC_ERR_SUP, "-plex_dg_gemm fused needs tensor cores of compute capability 8.0 on, and %s is %s: use -plex_dg_gemm blas", dg->backend->limits.name,
             dg->backend->limits.arch);
  PetscCall(PlexDGUploadPointArgs_Private(dg, &way->points));
  PetscCall(PlexDGUploadRedistribution(dg, way));
  PetscCall(PlexDGUploadMeeting_Private(dg, &way->fragments.meet));
  PetscCall(PlexDGChooseSizes(dg, way));
  PetscCall(PlexDGQuadratureFusedCompile(dg, PETSC_FALSE, &way->module, &way->kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGLaunch(PlexDG dg, PlexKernel kernel, const PlexDGArgs *args, const PlexDGStage *stage)
{
  PlexDGQuadratureFused *way         = (PlexDGQuadratureFused *)dg->data;
  void                  *arguments[] = {(void *)args, (void *)stage, &way->points, &way->fragments};

  PetscFunctionBegin;
  PetscCall(PlexKernelLaunch(kernel, (args->end - args->begin + way->elements - 1) / way->elements, 32 * way->warps, way->shared, arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGRHS_QuadratureFused(PlexDG dg, const PlexDGArgs *args)
{
  const PlexDGStage stage = {0};

  PetscFunctionBegin;
  PetscCall(PlexDGLaunch(dg, ((PlexDGQuadratureFused *)dg->data)->kernel, args, &stage));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGStage_QuadratureFused(PlexDG dg, const PlexDGArgs *args, const PlexDGStage *stage)
{
  PlexDGQuadratureFused *way = (PlexDGQuadratureFused *)dg->data;

  PetscFunctionBegin;
  if (!way->stageModule) PetscCall(PlexDGQuadratureFusedCompile(dg, PETSC_TRUE, &way->stageModule, &way->stageKernel));
  PetscCall(PlexDGLaunch(dg, way->stageKernel, args, stage));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGView_QuadratureFused(PlexDG dg, PetscViewer viewer)
{
  PlexDGQuadratureFused *way = (PlexDGQuadratureFused *)dg->data;
  PlexKernelAttributes   attributes;

  PetscFunctionBegin;
  PetscCall(PlexKernelGetAttributes(way->stageKernel ? way->stageKernel : way->kernel, &attributes));
  PetscCall(PetscViewerASCIIPrintf(viewer, "one kernel: blocks of %" PetscInt_FMT " elements, %" PetscInt_FMT " threads, %zu bytes of shared memory, %" PetscInt_FMT " registers a thread\n", way->elements, 32 * way->warps, way->shared, attributes.registers));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGReset_QuadratureFused(PlexDG dg)
{
  PlexDGQuadratureFused *way = (PlexDGQuadratureFused *)dg->data;

  PetscFunctionBegin;
  PetscCall(PlexModuleDestroy(&way->module));
  PetscCall(PlexModuleDestroy(&way->stageModule));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGCreateQuadrature_Fused_Private(PlexDG dg)
{
  PlexDGQuadratureFused *way;

  PetscFunctionBegin;
  PetscCall(PetscNew(&way));
  dg->data       = way;
  dg->ops->setup = PlexDGSetUp_QuadratureFused;
  dg->ops->rhs   = PlexDGRHS_QuadratureFused;
  dg->ops->stage = PlexDGStage_QuadratureFused;
  dg->ops->view  = PlexDGView_QuadratureFused;
  dg->ops->reset = PlexDGReset_QuadratureFused;
  PetscFunctionReturn(PETSC_SUCCESS);
}
