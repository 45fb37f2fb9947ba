/* Curved elements of nodal DG by a kernel, cuda/dg/curved.cu, for right-hand sides and stages of low-storage schemes */
#include "curvedimpl.h"

#define PLEX_DG_CURVED_THREADS 128 /* of a block, about */

typedef struct {
  PetscInt         together, groups, lanes, points; /* PLEX_DG_TOGETHER and so on */
  size_t           shared;
  PlexDGCurvedArgs args;
  /* of right-hand sides and of stages, compiled when the first of them is computed */
  PlexModule module[2];
  PlexKernel kernel[2];
} PlexDGCurvedKernel;

/* Numbers that a point has in shared memory, PLEX_DG_ROWS: at most those of a system that is half strong, half weak */
static PetscInt PlexDGCurvedRows(PlexDG dg)
{
  return dg->system->Nf * (1 + dg->mesh->dim);
}

static size_t PlexDGCurvedShared(PlexDG dg, const PlexDGCurvedKernel *w)
{
  PlexDGReference R    = dg->reference;
  const PetscInt  Nf   = dg->system->Nf;
  const size_t    real = dg->precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double);

  return (size_t)(w->groups * w->together) *
           (size_t)(Nf * ((R->Np + 1) / 2 * 2 + R->Nfp) +
                    PetscMax(PlexDGCurvedRows(dg) * w->points, Nf * ((dg->curved->MG + 1) / 2 * 2))) *
           real +
         real;
}

/* As few groups and elements as shared memory has room for */
static PetscErrorCode PlexDGCurvedChooseSizes(PlexDG dg, PlexDGCurvedKernel *w)
{
  PlexDGQuadrature  Q = dg->curved;
  PlexBackendLimits limits;
  PetscInt          passes;

  PetscFunctionBegin;
  PetscCall(PlexBackendGetLimits(dg->backend, &limits));
  w->lanes    = (dg->reference->Np + 1) / 2 * 2;
  w->groups   = PetscMax(1, PLEX_DG_CURVED_THREADS / w->lanes);
  w->together = 2;
  passes      = (Q->NG + w->lanes - 1) / w->lanes;
  w->points   = ((Q->NG + passes - 1) / passes + 1) / 2 * 2;
  while (PlexDGCurvedShared(dg, w) > limits.sharedPerBlock && (w->groups > 1 || w->together > 1 || w->points > 8)) {
    if (w->groups > 1) --w->groups;
    else if (w->together > 1) --w->together;
    else w->points = (w->points / 2 + 1) / 2 * 2;
  }
  w->shared = PlexDGCurvedShared(dg, w);
  PetscCheck(w->shared <= limits.sharedPerBlock, PetscObjectComm((PetscObject)dg), PETSC_ERR_SUP,
             "Curved elements need %zu bytes of shared memory each, and a block has %zu: use -plex_dg_precision "
             "single, or "
             "a smaller -plex_dg_degree",
             w->shared, limits.sharedPerBlock);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Matrices of the reference element, and geometry */
static PetscErrorCode PlexDGCurvedUpload(PlexDG dg, PlexDGCurvedArgs *a)
{
  PlexDGReference  R  = dg->reference;
  PlexDGQuadrature Q  = dg->curved;
  const PetscInt   Np = R->Np, NG = Q->NG, MG = Q->MG, dim = R->dim;
  const size_t     n = (size_t)(dg->mesh->ncurved[0] + dg->mesh->ncurved[1]), size = (size_t)(1 + dim) * NG * Np;
  PlexDGTables     tables;
  PetscReal       *evaluate, *redistribute, *J;

  PetscFunctionBegin;
  PetscCall(PlexDGTablesCreate_Private(Q, R, PETSC_TRUE, &tables));
  PetscCall(PetscMalloc2(size, &evaluate, size, &redistribute));
  PetscCall(PlexDGCurvedGetInverse_Private(dg, &J));
  for (PetscInt j = 0; j < Np; ++j)
    for (PetscInt g = 0; g < NG; ++g) {
      evaluate[(j * (1 + dim)) * NG + g] = Q->phi[g * Np + j];
      for (PetscInt d = 0; d < dim; ++d) evaluate[(j * (1 + dim) + 1 + d) * NG + g] = Q->dphi[(d * NG + g) * Np + j];
    }
  PetscCall(PetscArraycpy(redistribute, tables.W2, NG * Np));
  PetscCall(PetscArraycpy(&redistribute[NG * Np], tables.W3, dim * NG * Np));
  PetscCall(PlexDGUploadReals(dg, size, evaluate, &a->evaluate));
  PetscCall(PlexDGUploadReals(dg, size, redistribute, &a->redistribute));
  PetscCall(PlexDGUploadReals(dg, R->Nfp * MG, tables.W4, &a->psi));
  PetscCall(PlexDGUploadReals(dg, R->faces * MG * Np, tables.W5, &a->lift));
  PetscCall(PlexDGUploadReals(dg, n * dim * dim * NG, Q->C, &a->C));
  PetscCall(PlexDGUploadReals(dg, n * PlexDGCurvedWeights_Private(dg) * NG, J, &a->J));
  if (dg->graded)
    PetscCall(PlexDGUploadReals(dg, n * R->faces * 2 * dg->system->ncoefficients * MG, dg->graded->k, &a->k));
  PetscCall(PlexDGUploadReals(dg, n * R->faces * dim * MG, Q->normals, &a->normals));
  PetscCall(PlexDGCurvedUploadNodes_Private(dg, &a->x));
  PetscCall(PetscFree2(evaluate, redistribute));
  PetscCall(PetscFree(J));
  PetscCall(PlexDGTablesDestroy_Private(&tables));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGCurvedCompile(PlexDG dg, PetscInt stage)
{
  PlexDGCurvedKernel *w = (PlexDGCurvedKernel *)dg->curvedWay->data;
  char                text[7][48];
  const char         *defines[PETSC_STATIC_ARRAY_LENGTH(text) + 1];
  PetscInt            n = PETSC_STATIC_ARRAY_LENGTH(text);

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text[0], sizeof(text[0]), "PLEX_DG_STAGE=%" PetscInt_FMT, stage));
  PetscCall(PetscSNPrintf(text[1], sizeof(text[1]), "PLEX_DG_NG=%" PetscInt_FMT, dg->curved->NG));
  PetscCall(PetscSNPrintf(text[2], sizeof(text[2]), "PLEX_DG_MG=%" PetscInt_FMT, dg->curved->MG));
  PetscCall(PetscSNPrintf(text[3], sizeof(text[3]), "PLEX_DG_POINTS=%" PetscInt_FMT, w->points));
  PetscCall(PetscSNPrintf(text[4], sizeof(text[4]), "PLEX_DG_LANES=%" PetscInt_FMT, w->lanes));
  PetscCall(PetscSNPrintf(text[5], sizeof(text[5]), "PLEX_DG_GROUPS=%" PetscInt_FMT, w->groups));
  PetscCall(PetscSNPrintf(text[6], sizeof(text[6]), "PLEX_DG_TOGETHER=%" PetscInt_FMT, w->together));
  for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(text); ++k) defines[k] = text[k];
  if (dg->graded) defines[n++] = "PLEX_DG_GRADED=1";
  PetscCall(PlexDGCompile(dg, "dg/curved.cu", n, defines, &w->module[stage]));
  PetscCall(PlexModuleGetKernel(w->module[stage], "plex_dg_curved", &w->kernel[stage]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGCurvedCompute_Kernel(PlexDG dg, const PlexDGArgs *args, const PlexDGStage *stage)
{
  PlexDGCurvedKernel *w       = (PlexDGCurvedKernel *)dg->curvedWay->data;
  const PetscInt      isStage = stage ? 1 : 0, elements = w->groups * w->together;
  PlexDGStage         none        = {0};
  PlexDGCurvedArgs    curved      = w->args;
  void               *arguments[] = {(void *)args, stage ? (void *)stage : &none, &curved};

  PetscFunctionBegin;
  if (!w->module[isStage]) PetscCall(PlexDGCurvedCompile(dg, isStage));
  curved.index = (int)PlexDGMeshCurvedIndex(dg->mesh, args->begin);
  PetscCall(PlexKernelLaunch(w->kernel[isStage], (args->end - args->begin + elements - 1) / elements,
                             w->groups * w->lanes, w->shared, arguments));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGCurvedView_Kernel(PlexDG dg, PetscViewer viewer)
{
  const PlexDGCurvedKernel *w   = (const PlexDGCurvedKernel *)dg->curvedWay->data;
  PlexDGQuadrature          Q   = dg->curved;
  const PetscInt            dim = dg->mesh->dim;

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "these in blocks of %" PetscInt_FMT " elements, %" PetscInt_FMT
                                   " threads, %zu bytes of shared memory; %" PetscInt_FMT
                                   " numbers of geometry an element\n",
                                   w->groups * w->together, w->groups * w->lanes, w->shared,
                                   (dim * dim + PlexDGCurvedWeights_Private(dg)) * Q->NG +
                                     (dim + (dg->graded ? 2 * dg->system->ncoefficients : 0)) * dg->mesh->faces *
                                       Q->MG));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGCurvedDestroy_Kernel(PlexDG dg, void *data)
{
  PlexDGCurvedKernel *w = (PlexDGCurvedKernel *)data;

  PetscFunctionBegin;
  (void)dg;
  for (PetscInt k = 0; k < 2; ++k) PetscCall(PlexModuleDestroy(&w->module[k]));
  PetscCall(PetscFree(w));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGCurvedCreate_Kernel_Private(PlexDG dg, PlexDGCurvedWay way)
{
  PlexDGCurvedKernel *w;

  PetscFunctionBegin;
  PetscCall(PetscNew(&w));
  way->data    = w;
  way->compute = PlexDGCurvedCompute_Kernel;
  way->destroy = PlexDGCurvedDestroy_Kernel;
  way->view    = PlexDGCurvedView_Kernel;
  PetscCall(PlexDGCurvedChooseSizes(dg, w));
  PetscCall(PlexDGCurvedUpload(dg, &w->args));
  PetscFunctionReturn(PETSC_SUCCESS);
}
