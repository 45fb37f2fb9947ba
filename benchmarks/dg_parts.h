/* The kernels of a right-hand side of DG, each alone: a table, and a file of comma separated values; and its stages */
#ifndef BENCH_DG_PARTS_H
#define BENCH_DG_PARTS_H

#include "launches.h"
#include <plexgpu/private/dgimpl.h>

/* Lines of the table, which is printed behind others */
typedef struct {
  char   path[PETSC_MAX_PATH_LEN];
  FILE  *csv, *text;
  char  *lines;
  size_t size;
} BenchParts;

static inline size_t BenchReal(PlexPrecision precision)
{
  return precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
}

/* Numbers between -1 and 1 in the backend's memory: the clock of a GPU that multiplies zeros is higher */
static inline PetscErrorCode BenchNumbers(PlexBackend backend, PlexPrecision precision, size_t n, void **at)
{
  const size_t most = 1 << 20, real = BenchReal(precision);
  char        *numbers;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(most * real, &numbers));
  for (size_t k = 0; k < most; ++k) {
    const double value = (double)((unsigned)k * 2654435761u >> 8) / 8388608. - 1.;

    if (precision == PLEX_PRECISION_SINGLE) ((float *)numbers)[k] = (float)value;
    else ((double *)numbers)[k] = value;
  }
  PetscCall(PlexBackendMalloc(backend, n * real, at));
  for (size_t k = 0; k < n; k += most)
    PetscCall(PlexBackendCopyIn(backend, (char *)*at + k * real, numbers, PetscMin(most, n - k) * real));
  PetscCall(PetscFree(numbers));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A right-hand side */
typedef struct {
  PlexDG dg;
  Vec    U, R;
} BenchDGCall;

static inline PetscErrorCode BenchDGEvaluate(void *ctx)
{
  BenchDGCall *call = (BenchDGCall *)ctx;

  PetscFunctionBegin;
  PetscCall(PlexDGComputeRHS(call->dg, 0., call->U, call->R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

typedef struct {
  BenchDGCall rhs;
  PetscInt    k;
  PlexDGPart  part;
} BenchPartCall;

static inline PetscErrorCode BenchPartsOpen(const char path[], BenchParts **parts)
{
  PetscFunctionBegin;
  PetscCall(PetscNew(parts));
  PetscCall(PetscStrncpy((*parts)->path, path, sizeof((*parts)->path)));
  PetscCall(BenchOpenCSV(path,
                         "system,type,precision,dim,cell,affine,degree,elements,values,part,seconds,whole_s,bytes,"
                         "flops," BENCH_LAUNCHES_COLUMNS,
                         &(*parts)->csv));
  (*parts)->text = open_memstream(&(*parts)->lines, &(*parts)->size);
  PetscCheck((*parts)->text, PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for the table of kernels");
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode BenchPartEvaluate(void *ctx)
{
  BenchPartCall *call = (BenchPartCall *)ctx;

  PetscFunctionBegin;
  PetscCall(PlexDGComputePart(call->rhs.dg, 0., call->rhs.U, call->rhs.R, call->k, &call->part));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline const char *BenchDGCell(PlexDG dg)
{
  return DMPolytopeTypes[dg->mesh->dim == 2 ? (dg->mesh->tensor ? DM_POLYTOPE_QUADRILATERAL : DM_POLYTOPE_TRIANGLE)
                         : dg->mesh->tensor ? DM_POLYTOPE_HEXAHEDRON
                                            : DM_POLYTOPE_TETRAHEDRON];
}

static inline int BenchDGAffine(PlexDG dg)
{
  return !dg->quadrature || dg->quadrature->affine;
}

/* What is measured alone: a kernel, or another call that is to be beside them */
typedef struct {
  const char *name;
  PetscErrorCode (*call)(void *);
  void          *ctx;
  double         bytes, flops;
  PetscLogDouble seconds; /* as measured already, or 0 */
  PetscBool      petsc;   /* what it launches are not kernels of ours */
} BenchPart;

/* A line of the table; way: the type, or the way to compute it; whole: what a right-hand side takes. parts NULL: nothing
   is asked for */
static inline PetscErrorCode BenchPartsAdd(PlexDG dg, const char way[], const BenchPart *part, PetscInt reps,
                                           PetscLogDouble whole, BenchParts *parts)
{
  const double      values    = (double)dg->mesh->Ne * dg->reference->Np * dg->system->Nf;
  const char *const precision = PlexPrecisions[dg->precision];
  PetscLogDouble    seconds   = part->seconds;
  BenchLaunches     launches;

  PetscFunctionBegin;
  if (!parts) PetscFunctionReturn(PETSC_SUCCESS);
  if (!(seconds > 0.)) PetscCall(BenchMedian(dg->backend, part->call, part->ctx, reps, &seconds));
  PetscCall(BenchLaunchesMeasure(dg->backend, part->call, part->ctx, part->petsc, seconds, &launches));
  fprintf(parts->text, "| %d | %s | %s | %s | %.4g | %.0f %% | %.3g | %.0f | %.0f |", (int)dg->degree, way, precision,
          part->name, 1e3 * seconds, 100. * seconds / whole, 1e-9 * values / seconds, 1e-9 * part->bytes / seconds,
          1e-9 * part->flops / seconds);
  BenchLaunchesPrint(parts->text, &launches);
  PetscCall(PetscFPrintf(PETSC_COMM_SELF, parts->csv,
                         "%s,%s,%s,%" PetscInt_FMT ",%s,%d,%" PetscInt_FMT ",%" PetscInt_FMT
                         ",%.0f,%s,%.6g,%.6g,%.6g,%.6g,",
                         dg->system->name, way, precision, dg->mesh->dim, BenchDGCell(dg), BenchDGAffine(dg),
                         dg->degree, dg->mesh->Ne, values, part->name, seconds, whole, part->bytes, part->flops));
  BenchLaunchesWrite(parts->csv, &launches);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Each kernel of a type that has several; `whole` is what they take together */
static inline PetscErrorCode BenchPartsMeasure(PlexDG dg, const char way[], Vec U, Vec R, PetscInt reps,
                                               PetscLogDouble whole, BenchParts *parts)
{
  PetscFunctionBegin;
  if (!parts) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0;; ++k) {
    BenchPartCall call = {
      .rhs = {.dg = dg, .U = U, .R = R},
        .k = k
    };
    BenchPart part = {.call = BenchPartEvaluate, .ctx = &call};

    PetscCall(BenchPartEvaluate(&call));
    if (!call.part.name) break;
    part.name  = call.part.name;
    part.bytes = call.part.bytes;
    part.flops = call.part.flops;
    PetscCall(BenchPartsAdd(dg, way, &part, reps, whole, parts));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode BenchEqual(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(VecCopy(((BenchDGCall *)ctx)->U, ((BenchDGCall *)ctx)->R));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode BenchAdd(void *ctx)
{
  PetscFunctionBegin;
  PetscCall(VecAXPY(((BenchDGCall *)ctx)->R, 1e-9, ((BenchDGCall *)ctx)->U));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What a step does with vectors besides: their copies and sums */
static inline PetscErrorCode BenchPartsMeasureVectors(PlexDG dg, const char way[], Vec U, Vec R, PetscInt reps,
                                                      PetscLogDouble whole, BenchParts *parts)
{
  const double    values = (double)dg->mesh->Ne * dg->reference->Np * dg->system->Nf;
  BenchDGCall     call   = {.dg = dg, .U = U, .R = R};
  const BenchPart equal  = {"equal", BenchEqual, &call, 16. * values, 0., 0., PETSC_TRUE},
                  add    = {"add", BenchAdd, &call, 24. * values, 2. * values, 0., PETSC_TRUE};

  PetscFunctionBegin;
  PetscCall(BenchPartsAdd(dg, way, &equal, reps, whole, parts));
  PetscCall(BenchPartsAdd(dg, way, &add, reps, whole, parts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static inline PetscErrorCode BenchPartsClose(BenchParts **parts)
{
  BenchParts *p = *parts;

  PetscFunctionBegin;
  if (!p) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCheck(!fclose(p->text), PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for the table of kernels");
  PetscCall(PetscPrintf(PETSC_COMM_SELF,
                        "\n| N | type | precision | kernel | ms | of the whole | GDOF/s | GB/s | GFlop/s | threads "
                        "| registers | shared, bytes | occupancy | launch, us | of its time | deviation "
                        "|\n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n%s",
                        p->lines));
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

/* The state U in the backend's memory, in the operator's precision */
static inline PetscErrorCode BenchState(PlexDG dg, Vec U, size_t n, void **at)
{
  const size_t       real = BenchReal(dg->precision);
  const PetscScalar *u;
  char              *numbers;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n * real, &numbers));
  PetscCall(VecGetArrayRead(U, &u));
  for (size_t k = 0; k < n; ++k) {
    if (dg->precision == PLEX_PRECISION_SINGLE) ((float *)numbers)[k] = (float)PetscRealPart(u[k]);
    else ((double *)numbers)[k] = PetscRealPart(u[k]);
  }
  PetscCall(VecRestoreArrayRead(U, &u));
  PetscCall(PlexBackendMalloc(dg->backend, n * real, at));
  PetscCall(PlexBackendCopyIn(dg->backend, *at, numbers, n * real));
  PetscCall(PetscFree(numbers));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Seconds of a stage of a low-storage scheme in the operator's precision; 0 where the type, or the way to compute it,
   has none. U: its state, or NULL where times do not depend on it */
static inline PetscErrorCode BenchStageMeasure(PlexDG dg, Vec U, PetscInt reps, PetscLogDouble *seconds)
{
  const size_t   n         = (size_t)dg->mesh->Ne * dg->system->Nf * dg->reference->Np;
  void          *memory[3] = {NULL, NULL, NULL};
  BenchStageCall call      = {.dg = dg};

  PetscFunctionBegin;
  *seconds = 0.;
  if (!dg->ops->stage) PetscFunctionReturn(PETSC_SUCCESS);
  for (int k = U ? 1 : 0; k < 3; ++k) PetscCall(BenchNumbers(dg->backend, dg->precision, n, &memory[k]));
  if (U) {
    PetscCall(BenchState(dg, U, n, &memory[0]));
    PetscCall(PlexBackendZero(dg->backend, memory[1], n * BenchReal(dg->precision)));
  }
  call.stage = (PlexDGStage){.u = memory[0], .residual = memory[1], .next = memory[2], .a = -0.5, .b = 0.3, .dt = 1e-6};
  PetscCall(BenchStageEvaluate(&call)); /* compiles */
  PetscCall(BenchMedian(dg->backend, BenchStageEvaluate, &call, reps, seconds));
  for (int k = 0; k < 3; ++k) PetscCall(PlexBackendFree(dg->backend, &memory[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif
