/* The kernels of a right-hand side of DG, each alone: a table, and a file of comma separated values; and its stages */
#ifndef BENCH_DG_PARTS_H
#define BENCH_DG_PARTS_H

#include "bench.h"
#include <plexgpu/dg.h>

/* Lines of the table, which is printed behind others */
typedef struct {
  char   path[PETSC_MAX_PATH_LEN];
  FILE  *csv, *text;
  char  *lines;
  size_t size;
} BenchParts;

typedef struct {
  PlexDG     dg;
  Vec        U, R;
  PetscInt   k;
  PlexDGPart part;
} BenchPartCall;

static inline PetscErrorCode BenchPartsOpen(const char path[], BenchParts **parts)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(parts));
  PetscCall(PetscStrncpy((*parts)->path, path, sizeof((*parts)->path)));
  PetscCall(BenchOpenCSV(path, "system,type,precision,dim,degree,elements,values,part,seconds,whole_s,bytes,flops", &(*parts)->csv));
  (*parts)->text = open_memstream(&(*parts)->lines, &(*parts)->size);
  PetscCheck((*parts)->text, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for the table of kernels");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode BenchPartEvaluate(void *ctx)
{
  BenchPartCall *call = (BenchPartCall *)ctx;

  PetscFunctionBegin;
  PetscCall(PlexDGComputePart(call->dg, 0., call->U, call->R, call->k, &call->part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each kernel of a type that has several; `whole` is what they take together. parts NULL: nothing is asked for */
static inline PetscErrorCode BenchPartsMeasure(PlexDG dg, Vec U, Vec R, PetscInt reps, PetscLogDouble whole, BenchParts *parts)
{
  const double      values    = (double)dg->mesh->Ne * dg->reference->Np * dg->system->Nf;
  const char *const precision = PlexPrecisions[dg->precision];
  PlexDGType        type;

  PetscFunctionBegin;
  if (!parts) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGGetType(dg, &type));
  for (PetscInt k = 0;; ++k) {
    BenchPartCall  call    = {.dg = dg, .U = U, .R = R, .k = k};
    PetscLogDouble seconds = 0.;

    PetscCall(BenchPartEvaluate(&call));
    if (!call.part.name) break;
    PetscCall(BenchMedian(dg->backend, BenchPartEvaluate, &call, reps, &seconds));
    fprintf(parts->text, "| %d | %s | %s | %s | %.4g | %.0f %% | %.3g | %.0f | %.0f |\n", (int)dg->degree, type, precision, call.part.name, 1e3 * seconds, 100. * seconds / whole, 1e-9 * values / seconds, 1e-9 * call.part.bytes / seconds,
            1e-9 * call.part.flops / seconds);
    PetscCall(PetscFPrintf(PETSC_COMM_SELF, parts->csv, "%s,%s,%s,%" PetscInt_FMT ",%" PetscInt_FMT ",%" PetscInt_FMT ",%.0f,%s,%.6g,%.6g,%.6g,%.6g\n", dg->system->name, type, precision, dg->mesh->dim, dg->degree, dg->mesh->Ne, values, call.part.name, seconds, whole,
                           call.part.bytes, call.part.flops));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode BenchPartsClose(BenchParts **parts)
{
  BenchParts *p = *parts;

  PetscFunctionBegin;
  if (!p) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(!fclose(p->text), PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for the table of kernels");
  PetscCall(PetscPrintf(PETSC_COMM_SELF, "\n| N | type | precision | kernel | ms | of the whole | GDOF/s | GB/s | GFlop/s |\n|---|---|---|---|---|---|---|---|---|\n%s", p->lines));
  PetscCall(BenchCloseCSV(p->path, &p->csv));
  free(p->lines);
  PetscCall(PetscFree(*parts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  PlexDG      dg;
  PlexDGStage stage;
} BenchStageCall;

static inline PetscErrorCode BenchStageEvaluate(void *ctx)
{
  BenchStageCall *call = (BenchStageCall *)ctx;

  PetscFunctionBegin;
  PetscCall(PlexDGComputeStage(call->dg, 0., &call->stage));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds of a stage of a low-storage scheme in the operator's precision; 0 where the type, or the way to compute it, has none */
static inline PetscErrorCode BenchStageMeasure(PlexDG dg, PetscInt reps, PetscLogDouble *seconds)
{
  const size_t   bytes     = (size_t)dg->mesh->Ne * dg->system->Nf * dg->reference->Np * (dg->precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double));
  void          *memory[3] = {NULL, NULL, NULL};
  BenchStageCall call      = {.dg = dg};

  PetscFunctionBegin;
  *seconds = 0.;
  if (!dg->ops->stage) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = 0; k < 3; ++k) {
    PetscCall(PlexBackendMalloc(dg->backend, bytes, &memory[k]));
    PetscCall(PlexBackendZero(dg->backend, memory[k], bytes));
  }
  call.stage = (PlexDGStage){.u = memory[0], .residual = memory[1], .next = memory[2], .a = -0.5, .b = 0.3, .dt = 1e-3};
  PetscCall(BenchStageEvaluate(&call)); /* compiles */
  PetscCall(BenchMedian(dg->backend, BenchStageEvaluate, &call, reps, seconds));
  for (int k = 0; k < 3; ++k) PetscCall(PlexBackendFree(dg->backend, &memory[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
