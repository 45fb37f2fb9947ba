/* The type separate: its operations. separateimpl.h says what it is. */
#include "separateimpl.h"

static PetscErrorCode PlexDGSeparateCheck(PlexDG dg, PlexDGSeparate *way)
{
  const char *const gather        = "-plex_dg_gather faces, or a smaller -plex_dg_gather_microblocks or _workers";
  const char *const differentiate = "smaller -plex_dg_differentiation_workers or _rows",
                    *const lift   = "smaller -plex_dg_lift_workers or _rows";
  const char *const        ways[PLEX_DG_PARTS] = {gather, "", differentiate, lift, ""};
  PetscBool                fits;
  char                     why[256];

  PetscFunctionBegin;
  for (PetscInt part = 0; part < PLEX_DG_PARTS; ++part) {
    if (!PlexDGPartExists_Private(dg, (PlexDGPartKind)part)) continue;
    PetscCall(PlexDGPartFits_Private(dg, way, (PlexDGPartKind)part, &fits, why, sizeof(why)));
    PetscCheck(fits, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "Type separate of nodal DG: part %s has %s. Use %s",
               PlexDGPartNames_Private[part], why, ways[part]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGSetUp_Separate(PlexDG dg)
{
  PlexDGSeparate *way = (PlexDGSeparate *)dg->data;

  PetscFunctionBegin;
  PetscCall(PlexDGTableSetDefault_Private(dg, &way->table));
  PetscCall(PlexDGTableSetFromOptions_Private(dg, &way->table));
  PetscCall(PlexDGTune_Private(dg, way));
  PetscCall(PlexDGLayoutSetUp_Private(dg, way));
  for (PetscInt part = 0; part < PLEX_DG_PARTS; ++part)
    if (PlexDGPartExists_Private(dg, (PlexDGPartKind)part))
      PetscCall(PlexDGPartCompile_Private(dg, way, (PlexDGPartKind)part, PETSC_FALSE));
  PetscCall(PlexDGSeparateCheck(dg, way));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGSeparateCompute(PlexDG dg, const PlexDGArgs *args, const PlexDGStage *stage)
{
  PlexDGSeparate *way = (PlexDGSeparate *)dg->data;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < 2; ++k) {
    const PlexDGRange *range = &way->range[k];

    if (range->first < args->begin || range->end > args->end || range->first == range->end) continue;
    for (PetscInt part = 0; part < PLEX_DG_PARTS; ++part)
      if (PlexDGPartExists_Private(dg, (PlexDGPartKind)part))
        PetscCall(PlexDGPartLaunch_Private(dg, way, (PlexDGPartKind)part, range, args, stage));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGRHS_Separate(PlexDG dg, const PlexDGArgs *args)
{
  PetscFunctionBegin;
  PetscCall(PlexDGSeparateCompute(dg, args, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGStage_Separate(PlexDG dg, const PlexDGArgs *args, const PlexDGStage *stage)
{
  PetscFunctionBegin;
  for (PetscInt part = 0; part < PLEX_DG_PARTS; ++part)
    if (PlexDGPartExists_Private(dg, (PlexDGPartKind)part))
      PetscCall(PlexDGPartCompile_Private(dg, (PlexDGSeparate *)dg->data, (PlexDGPartKind)part, PETSC_TRUE));
  PetscCall(PlexDGSeparateCompute(dg, args, stage));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGPart_Separate(PlexDG dg, const PlexDGArgs *args, PetscInt k, PlexDGPart *part)
{
  PlexDGSeparate *way = (PlexDGSeparate *)dg->data;

  PetscFunctionBegin;
  part->name = NULL;
  if (k > PLEX_DG_REFERENCE - 1 && !PlexDGPartExists_Private(dg, PLEX_DG_REFERENCE)) ++k;
  if (k >= PLEX_DG_PARTS) PetscFunctionReturn(PETSC_SUCCESS);
  part->name = PlexDGPartNames_Private[k];
  PetscCall(PlexDGPartCost_Private(dg, way, (PlexDGPartKind)k, &part->bytes, &part->flops));
  for (PetscInt r = 0; args && r < 2; ++r)
    if (way->range[r].end > way->range[r].first)
      PetscCall(PlexDGPartLaunch_Private(dg, way, (PlexDGPartKind)k, &way->range[r], args, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGViewWork(PetscViewer viewer, const char name[], const PlexDGWork *work)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "%s: %s in shared memory, workers %" PetscInt_FMT ",%" PetscInt_FMT ",%" PetscInt_FMT
                                   "\n",
                                   name, PlexDGSharedWays_Private[work->shared], work->parallel, work->inlined,
                                   work->sequential));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Padding and pairs of all processes */
static PetscErrorCode PlexDGView_Separate(PlexDG dg, PetscViewer viewer)
{
  PlexDGSeparate    *way    = (PlexDGSeparate *)dg->data;
  const PlexDGTable *t      = &way->table;
  const PetscInt     n      = t->microblock * dg->reference->Np;
  PetscInt64         sum[4] = {way->interior, way->exterior, way->nM, dg->mesh->Ne};

  PetscFunctionBegin;
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, sum, 4, MPIU_INT64, MPI_SUM, PetscObjectComm((PetscObject)dg)));
  PetscCall(PetscViewerASCIIPrintf(viewer,
                                   "microblocks of %" PetscInt_FMT " elements, %" PetscInt_FMT
                                   " values padded to %" PetscInt_FMT
                                   ": %.2g %%; %.3g %% of their places have elements\n",
                                   t->microblock, n, way->NPM, 100. * (double)(way->NPM - n) / (double)way->NPM,
                                   100. * (double)sum[3] / PetscMax(1., (double)(sum[2] * t->microblock))));
  if (t->gather == PLEX_DG_GATHER_FACES) PetscCall(PetscViewerASCIIPrintf(viewer, "gather: each face by itself\n"));
  else
    PetscCall(PetscViewerASCIIPrintf(viewer,
                                     "gather: blocks of %" PetscInt_FMT
                                     " microblocks by %s, which have both sides of %.3g %% of the faces between "
                                     "elements; %" PetscInt_FMT " pairs at a time\n",
                                     t->microblocks, PlexDGPartitions_Private[t->partition],
                                     200. * (double)sum[0] / PetscMax(1., (double)(2 * sum[0] + sum[1])), t->pairs));
  PetscCall(PlexDGViewWork(viewer, "differentiation", &t->differentiate));
  PetscCall(PlexDGViewWork(viewer, "lift", &t->lift));
  if (way->tuned[0]) PetscCall(PetscViewerASCIIPrintf(viewer, "%s\n", way->tuned));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGReset_Separate(PlexDG dg)
{
  PlexDGSeparate *way = (PlexDGSeparate *)dg->data;

  PetscFunctionBegin;
  for (PetscInt part = 0; part < PLEX_DG_PARTS; ++part) PetscCall(PlexDGPartReset_Private(way, (PlexDGPartKind)part));
  PetscCall(PlexDGLayoutReset_Private(dg, way));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PETSC_EXTERN PetscErrorCode PlexDGCreate_Separate(PlexDG);

PetscErrorCode PlexDGCreate_Separate(PlexDG dg)
{
  PlexDGSeparate *way;

  PetscFunctionBegin;
  PetscCall(PetscNew(&way));
  dg->data       = way;
  dg->ops->setup = PlexDGSetUp_Separate;
  dg->ops->rhs   = PlexDGRHS_Separate;
  dg->ops->stage = PlexDGStage_Separate;
  dg->ops->part  = PlexDGPart_Separate;
  dg->ops->view  = PlexDGView_Separate;
  dg->ops->reset = PlexDGReset_Separate;
  PetscFunctionReturn(PETSC_SUCCESS);
}
