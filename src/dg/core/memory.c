/*
  Memory variables of fields: linear ordinary differential equations at the nodes of some elements, beside the fields,

    u' = F(u, t) - a u - sum_j c_j p_j,   p_i' = b_i u + sum_j A_ij p_j,   i, j = 1 .. m

  or y' = (F, 0, ..) + M y with y = (u, p_1, .., p_m), row 0 of M -a, -c_1, .. and row i b_i, A_i1, .. : dispersive media.
  The kernels of a type compute F alone; fields that have memory variables have loops or kernels of their
  own, which take M exactly, whatever its size: cuda/dg/memory.h, with the method. They are a part of the mechanism of
  decay.c, whose functions call those here: where there are memory variables PlexDGDecays_Private() is true, and of
  these fields the decay is in M.

  A client is a function of PlexDGSetUp(), before PlexDGDecayCreate_Private(), that calls, for the own elements e of each
  part in ascending order,

    PlexDGMemoryAdd_Private(part, e, f, m, M)

  once for each field f that is to have memory variables, with M[(m + 1)^2] by rows. m is at most
  PLEX_MEMORY_MOST. The rate of dg_decay(), sigma/epsilon, is taken from M_00 here. A second call for a field is an error.
  What M is has to be such that y does not grow without F. What of M decays may do so at any rate; its frequencies, the
  imaginary parts of its eigenvalues, limit the time step: PlexDGMemoryFrequency_Private().

  Values are [m][Np] for each such field, in lists for each m; they are 0 at the beginning and advance with the
  stages of a TSPLEXLOWSTORAGE. The lists are of this process, in the backend's memory.
*/
#include <petscblaslapack.h>
#include "coreimpl.h"

#define PLEX_MEMORY_FUNCTION static inline
#include <dg/memory.h>

#define PLEX_MEMORY_THREADS 256
#define PLEX_MEMORY_GRID    65536 /* blocks, at most */
#define PLEX_MEMORY_LEAST   2048  /* values a thread of the host */
#define PLEX_MEMORY_STAGES  8     /* of a scheme, at most */
#define PLEX_MEMORY_LOOK    64    /* matrices that a new one is compared with */

/* Fields with the same number of memory variables */
typedef struct {
  PetscInt           m, n, nmatrices, room, roomMatrices;
  int               *at, *matrix; /* [n] as PlexDGMemoryArgs has them, on the host */
  PetscReal         *M;           /* [nmatrices][(m + 1)^2] until it is in the backend's memory */
  PetscReal         *sums; /* [nmatrices] from then on: of the absolute values, each times a number of its place */
  PlexDGMemoryArgs   args;
  PlexDGMemoryValues values;
  double            *tables[PLEX_MEMORY_STAGES]; /* of stages, where they are known */
  double             durations[PLEX_MEMORY_STAGES];
  void              *before; /* values that a step begins with, where it may be done again */
} PlexDGMemoryList;

struct _n_PlexDGMemory {
  PlexDGMemoryList *lists;
  PetscInt          nlists;
  unsigned char    *counts;    /* [Ne Nf] memory variables of each field */
  size_t            real;      /* bytes of a value */
  PetscReal         frequency; /* the largest one of all processes */
  PlexModule        module;
  PlexKernel        stage, add, exponential;
};

/* ------------------------------------------------------------------------------------------------------------------
   Which fields have which
   ------------------------------------------------------------------------------------------------------------------ */

PetscErrorCode PlexDGMemoryDestroy_Private(PlexBackend backend, PlexDGMemory *memory)
{
  PlexDGMemory d = *memory;

  PetscFunctionBegin;
  if (!d) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexModuleDestroy(&d->module));
  for (PetscInt k = 0; k < d->nlists; ++k) {
    PlexDGMemoryList *l = &d->lists[k];

    PetscCall(PetscFree(l->at));
    PetscCall(PetscFree(l->matrix));
    PetscCall(PetscFree(l->M));
    PetscCall(PetscFree(l->sums));
    PetscCall(PlexBackendFree(backend, &l->values.values));
    PetscCall(PlexBackendFree(backend, &l->values.residual));
    PetscCall(PlexBackendFree(backend, &l->values.forcing));
    PetscCall(PlexBackendFree(backend, (void **)&l->values.error));
    PetscCall(PlexBackendFree(backend, &l->before));
    for (int s = 0; s < PLEX_MEMORY_STAGES; ++s) PetscCall(PlexBackendFree(backend, (void **)&l->tables[s]));
  }
  PetscCall(PetscFree(d->lists));
  PetscCall(PetscFree(d->counts));
  PetscCall(PetscFree(*memory));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool PlexDGMemoryHas_Private(PlexDG dg, PetscInt e, PetscInt f)
{
  return (PetscBool)(dg->remembers && dg->remembers->counts[e * dg->system->Nf + f]);
}

static PetscErrorCode PlexDGMemoryMake(PlexDG dg, PlexDGMemory *memory)
{
  PetscFunctionBegin;
  if (!dg->remembers) {
    PetscCall(PetscNew(&dg->remembers));
    PetscCall(PetscCalloc1(dg->mesh->Ne * dg->system->Nf, &dg->remembers->counts));
  }
  *memory = dg->remembers;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The list of fields with m memory variables, with room for one more and its matrix */
static PetscErrorCode PlexDGMemoryFind(PlexDGMemory d, PetscInt m, PlexDGMemoryList **found)
{
  const PetscInt    size = (m + 1) * (m + 1);
  PlexDGMemoryList *l    = NULL;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < d->nlists && !l; ++k)
    if (d->lists[k].m == m) l = &d->lists[k];
  if (!l) {
    PetscCall(PetscRealloc(sizeof(*d->lists) * (size_t)(d->nlists + 1), &d->lists));
    l = &d->lists[d->nlists++];
    PetscCall(PetscMemzero(l, sizeof(*l)));
    l->m = m;
  }
  if (l->n == l->room) {
    l->room = 2 * l->room + 64;
    PetscCall(PetscRealloc(sizeof(*l->at) * (size_t)l->room, &l->at));
    PetscCall(PetscRealloc(sizeof(*l->matrix) * (size_t)l->room, &l->matrix));
  }
  if (l->nmatrices == l->roomMatrices) {
    l->roomMatrices = 2 * l->roomMatrices + 1;
    PetscCall(PetscRealloc(sizeof(*l->M) * (size_t)l->roomMatrices * (size_t)size, &l->M));
  }
  *found = l;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Adds a matrix, or finds it where it is there already */
static PetscErrorCode PlexDGMemoryPut(PlexDGMemoryList *l, const PetscReal M[], PetscReal decay, PetscInt *which)
{
  const PetscInt size = (l->m + 1) * (l->m + 1);
  PetscReal     *now  = &l->M[(size_t)l->nmatrices * (size_t)size];
  PetscBool      same = PETSC_FALSE;

  PetscFunctionBegin;
  PetscCall(PetscArraycpy(now, M, size));
  now[0] -= decay;
  *which = l->nmatrices;
  for (PetscInt k = l->nmatrices - 1; k >= 0 && k >= l->nmatrices - PLEX_MEMORY_LOOK && !same; --k) {
    PetscCall(PetscArraycmp(now, &l->M[(size_t)k * (size_t)size], size, &same));
    if (same) *which = k;
  }
  if (!same) ++l->nmatrices;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGMemoryAdd_Private(PlexDG dg, PetscInt e, PetscInt f, PetscInt m, const PetscReal M[])
{
  const PetscInt    Nf                        = dg->system->Nf;
  PetscReal         rates[PLEX_DG_MAX_FIELDS] = {0.};
  PetscInt          which;
  PlexDGMemory      d;
  PlexDGMemoryList *l = NULL;

  PetscFunctionBegin;
  PetscCheck(m >= 1 && m <= PLEX_MEMORY_MOST, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "A field has 1 to %d memory variables, and not %" PetscInt_FMT, PLEX_MEMORY_MOST, m);
  PetscCall(PlexDGIntCheck_Private(dg->mesh->Ne, Nf, "fields with memory variables"));
  PetscCall(PlexDGMemoryMake(dg, &d));
  if (d->counts[e * Nf + f]) {
    char cell[160];

    PetscCall(PlexDGMeshCellName_Private(dg->mesh, e, sizeof(cell), cell));
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_SUP,
            "Field %s has memory variables of two media in %s: give its material one label of a dispersive medium",
            dg->system->fields[f], cell);
  }
  if (dg->system->host[0]->decay) PetscCall(PlexDGDecayGetRates_Private(dg, e, rates));
  PetscCall(PlexDGMemoryFind(d, m, &l));
  PetscCall(PlexDGMemoryPut(l, M, rates[f], &which));
  d->counts[e * Nf + f] = (unsigned char)m;

  l->at[l->n]     = (int)(e * Nf + f);
  l->matrix[l->n] = (int)which;
  ++l->n;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   In the backend's memory
   ------------------------------------------------------------------------------------------------------------------ */

/* The list's arrays; matrices by entries there */
static PetscErrorCode PlexDGMemoryUpload(PlexDG dg, PlexDGMemoryList *l, size_t real)
{
  const PetscInt Np = dg->reference->Np, size = (l->m + 1) * (l->m + 1);
  const size_t   n = (size_t)l->n * (size_t)Np, all = n * (size_t)l->m;
  PetscReal     *entries;

  PetscFunctionBegin;
  PetscCall(PlexDGIntCheck_Private(l->nmatrices, 1, "matrices of memory variables"));
  PetscCall(PetscMalloc1((size_t)l->nmatrices * (size_t)size, &entries));
  PetscCall(PetscCalloc1(l->nmatrices, &l->sums));
  for (PetscInt k = 0; k < l->nmatrices; ++k)
    for (PetscInt i = 0; i < size; ++i) {
      const PetscReal value = l->M[(size_t)k * (size_t)size + (size_t)i];

      entries[(size_t)i * (size_t)l->nmatrices + (size_t)k] = value;
      l->sums[k] += (1. + i) * PetscAbsReal(value);
    }
  l->args = (PlexDGMemoryArgs){.n = (int)l->n, .NP = (int)Np, .m = (int)l->m, .nmatrices = (int)l->nmatrices};
  PetscCall(PlexDGUpload(dg, l->at, sizeof(*l->at) * (size_t)l->n, (const void **)&l->args.at));
  PetscCall(PlexDGUpload(dg, l->matrix, sizeof(*l->matrix) * (size_t)l->n, (const void **)&l->args.matrix));
  PetscCall(PlexDGUpload(dg, entries, sizeof(*entries) * (size_t)l->nmatrices * (size_t)size,
                         (const void **)&l->args.matrices));
  PetscCall(PetscFree(entries));
  PetscCall(PetscFree(l->M));
  l->values.single = real == sizeof(float);
  PetscCall(PlexBackendMalloc(dg->backend, real * all, &l->values.values));
  PetscCall(PlexBackendZero(dg->backend, l->values.values, real * all));
  PetscCall(PlexBackendMalloc(dg->backend, real * all, &l->values.residual));
  PetscCall(PlexBackendMalloc(dg->backend, real * n, &l->values.forcing));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* The largest imaginary part of the eigenvalues of a list's matrices, or `most` */
static PetscErrorCode PlexDGMemoryGetFrequency(const PlexDGMemoryList *l, PetscReal *most)
{
  const PetscInt size = (l->m + 1) * (l->m + 1);
  PetscBLASInt   n = (PetscBLASInt)(l->m + 1), room = 8 * PLEX_MEMORY_SIZE, info;
  PetscScalar    A[PLEX_MEMORY_SIZE * PLEX_MEMORY_SIZE], work[8 * PLEX_MEMORY_SIZE];

  PetscFunctionBegin;
  for (PetscInt k = 0; k < l->nmatrices; ++k) {
    PetscReal imaginary[PLEX_MEMORY_SIZE], other[2 * PLEX_MEMORY_SIZE];

    for (PetscInt i = 0; i < size; ++i) A[i] = l->M[(size_t)k * (size_t)size + (size_t)i];
#if PetscDefined(USE_COMPLEX)
    PetscScalar values[PLEX_MEMORY_SIZE];

    PetscCallBLAS("LAPACKgeev",
                  LAPACKgeev_("N", "N", &n, A, &n, values, NULL, &n, NULL, &n, work, &room, other, &info));
    for (PetscInt i = 0; i < n; ++i) imaginary[i] = PetscImaginaryPart(values[i]);
#else
    PetscCallBLAS("LAPACKgeev",
                  LAPACKgeev_("N", "N", &n, A, &n, other, imaginary, NULL, &n, NULL, &n, work, &room, &info));
#endif
    PetscCheck(!info, PETSC_COMM_SELF, PETSC_ERR_LIB,
               "The frequencies of memory variables cannot be found: LAPACK geev gives %d, are all numbers finite?",
               (int)info);
    for (PetscInt i = 0; i < n; ++i) *most = PetscMax(*most, imaginary[i]);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscReal PlexDGMemoryFrequency_Private(PlexDG dg)
{
  PlexDG parts[2];

  (void)PlexDGGetParts(dg, parts);
  return parts[0]->remembers ? parts[0]->remembers->frequency : 0.;
}

PetscErrorCode PlexDGMemoryCreate_Private(PlexDG dg, PetscBool *any)
{
  const PetscBool single = (PetscBool)(dg->precision == PLEX_PRECISION_SINGLE && dg->ops->stage);
  PlexDG          parts[2];
  const PetscInt  n         = PlexDGGetParts(dg, parts);
  PetscReal       frequency = 0.;

  PetscFunctionBegin;
  *any = PETSC_FALSE;
  for (PetscInt k = 0; k < n; ++k) *any = (PetscBool)(*any || parts[k]->remembers);
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, any, 1, MPI_C_BOOL, MPI_LOR, PetscObjectComm((PetscObject)dg)));
  if (!*any) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt k = 0; k < n; ++k)
    for (PetscInt l = 0; l < (parts[k]->remembers ? parts[k]->remembers->nlists : 0); ++l)
      PetscCall(PlexDGMemoryGetFrequency(&parts[k]->remembers->lists[l], &frequency));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &frequency, 1, MPIU_REAL, MPIU_MAX, PetscObjectComm((PetscObject)dg)));
  for (PetscInt k = 0; k < n; ++k) {
    PlexDGMemory d;

    PetscCall(PlexDGMemoryMake(parts[k], &d));
    d->frequency = frequency;
    d->real      = single ? sizeof(float) : sizeof(double);
    for (PetscInt l = 0; l < d->nlists; ++l) PetscCall(PlexDGMemoryUpload(parts[k], &d->lists[l], d->real));
    if (!dg->backend->kernels) continue;
    PetscCall(PlexBackendCompileFile(dg->backend, "dg/memory.cu", &d->module));
    PetscCall(PlexModuleGetKernel(d->module, "plex_dg_memory_stage", &d->stage));
    PetscCall(PlexModuleGetKernel(d->module, "plex_dg_memory_add", &d->add));
    PetscCall(PlexModuleGetKernel(d->module, "plex_dg_memory_exponential", &d->exponential));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscBool PlexDGRemembers_Private(PlexDG dg)
{
  PlexDG parts[2];

  (void)PlexDGGetParts(dg, parts);
  return (PetscBool)!!parts[0]->remembers;
}

/* Blocks of a kernel */
static PetscInt PlexDGMemoryGrid(PetscInt64 n)
{
  return (PetscInt)PetscMin((n + PLEX_MEMORY_THREADS - 1) / PLEX_MEMORY_THREADS, PLEX_MEMORY_GRID);
}

/* A loop over values of the fields, or matrices */
typedef struct {
  PlexDGMemoryArgs   args;
  PlexDGMemoryValues values;
  PlexDGDecayStage   stage;
  double             duration, share, *table; /* of exponentials */
  const void        *u;                       /* of rates */
  void              *r, *next;
  double             factor, weight;
  int                single;
} PlexDGMemoryLoop;

/* ------------------------------------------------------------------------------------------------------------------
   As a rate
   ------------------------------------------------------------------------------------------------------------------ */

static void PlexDGMemoryAddLoop(void *ctx, PetscInt begin, PetscInt end)
{
  const PlexDGMemoryLoop *x = (const PlexDGMemoryLoop *)ctx;

  for (long long k = (long long)begin * x->args.NP; k < (long long)end * x->args.NP; ++k)
    plex_memory_add_node(&x->args, &x->values, x->u, x->r, x->factor, x->next, x->weight, x->single, k);
}

PetscErrorCode PlexDGMemoryAddRates_Private(PlexDG dg, const void *u, void *r, PetscReal factor, void *next,
                                            PetscReal weight, PetscBool isSingle)
{
  PlexDG         parts[2];
  const PetscInt n = PlexDGGetParts(dg, parts);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) {
    PlexDGMemory d = parts[k]->remembers;

    for (PetscInt l = 0; l < (d ? d->nlists : 0); ++l) {
      PlexDGMemoryList *list        = &d->lists[l];
      PlexDGMemoryLoop  x           = {.args   = list->args,
                                       .values = list->values,
                                       .u      = PlexDGPartsGetArray(parts, k, u, isSingle),
                                       .r      = PlexDGPartsGetArray(parts, k, r, isSingle),
                                       .next   = PlexDGPartsGetArray(parts, k, next, isSingle),
                                       .factor = factor,
                                       .weight = weight,
                                       .single = isSingle};
      void             *arguments[] = {&x.args, &x.values, &x.u, &x.r, &x.factor, &x.next, &x.weight, &x.single};
      const PetscInt64  all         = (PetscInt64)list->n * list->args.NP;

      if (d->add) PetscCall(PlexKernelLaunch(d->add, PlexDGMemoryGrid(all), PLEX_MEMORY_THREADS, 0, arguments));
      else PetscCall(PlexThreadsRun(list->n, PLEX_MEMORY_LEAST / list->args.NP + 1, PlexDGMemoryAddLoop, &x));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   With a stage
   ------------------------------------------------------------------------------------------------------------------ */

static void PlexDGMemoryExponentialLoop(void *ctx, PetscInt begin, PetscInt end)
{
  const PlexDGMemoryLoop *x = (const PlexDGMemoryLoop *)ctx;

  for (PetscInt k = begin; k < end; ++k) plex_memory_exponential(&x->args, x->duration, x->share, x->table, k);
}

static void PlexDGMemoryStageLoop(void *ctx, PetscInt begin, PetscInt end)
{
  const PlexDGMemoryLoop *x = (const PlexDGMemoryLoop *)ctx;

  plex_memory_stage(&x->args, &x->values, &x->stage, (long long)begin * x->args.NP, (long long)end * x->args.NP, 1);
}

/* The exponentials of a stage, computed where its duration is another one than before */
static PetscErrorCode PlexDGMemoryGetTable(PlexDG dg, PlexDGMemoryList *l, const PlexDGDecayStage *s)
{
  PlexDGMemory     d = dg->remembers;
  const int        i = s->index;
  PlexDGMemoryLoop x = {.args = l->args, .duration = s->duration, .share = s->share};

  PetscFunctionBegin;
  PetscCheck(i < PLEX_MEMORY_STAGES, PETSC_COMM_SELF, PETSC_ERR_SUP, "More than %d stages", PLEX_MEMORY_STAGES);
  if (!l->tables[i])
    PetscCall(PlexBackendMalloc(dg->backend, sizeof(double) * (size_t)((l->m + 1) * (l->m + 2)) * (size_t)l->nmatrices,
                                (void **)&l->tables[i]));
  else if (l->durations[i] == s->duration) PetscFunctionReturn(PETSC_SUCCESS);
  l->durations[i] = s->duration;
  x.table         = l->tables[i];
  if (d->exponential) {
    void *arguments[] = {&x.args, &x.duration, &x.share, &x.table};

    PetscCall(PlexKernelLaunch(d->exponential, PlexDGMemoryGrid(l->nmatrices), PLEX_MEMORY_THREADS, 0, arguments));
  } else PetscCall(PlexThreadsRun(l->nmatrices, 64, PlexDGMemoryExponentialLoop, &x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGMemoryStage_Private(PlexDG dg, const PlexDGDecayStage *stage)
{
  PlexDG         parts[2];
  const PetscInt n = PlexDGGetParts(dg, parts);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) {
    PlexDGMemory d = parts[k]->remembers;

    for (PetscInt l = 0; l < (d ? d->nlists : 0); ++l) {
      PlexDGMemoryList *list = &d->lists[l];
      const PetscInt64  all  = (PetscInt64)list->n * list->args.NP;
      PlexDGMemoryLoop  x    = {.args = list->args, .stage = PlexDGDecayStageOfPart_Private(parts, k, stage)};

      if (stage->error && !list->values.error)
        PetscCall(PlexBackendMalloc(dg->backend, sizeof(double) * (size_t)(all * list->m),
                                    (void **)&list->values.error));
      PetscCall(PlexDGMemoryGetTable(parts[k], list, stage));
      x.values       = list->values;
      x.values.table = list->tables[stage->index];
      if (d->stage) {
        void *arguments[] = {&x.args, &x.values, &x.stage};

        PetscCall(PlexKernelLaunch(d->stage, PlexDGMemoryGrid(all), PLEX_MEMORY_THREADS, 0, arguments));
      } else PetscCall(PlexThreadsRun(list->n, PLEX_MEMORY_LEAST / list->args.NP + 1, PlexDGMemoryStageLoop, &x));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGMemoryKeep_Private(PlexDG dg, PetscBool back)
{
  PlexDG         parts[2];
  const PetscInt n = PlexDGGetParts(dg, parts);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) {
    PlexDGMemory d = parts[k]->remembers;

    for (PetscInt l = 0; l < (d ? d->nlists : 0); ++l) {
      PlexDGMemoryList *x     = &d->lists[l];
      const size_t      bytes = d->real * (size_t)x->n * (size_t)x->m * (size_t)x->args.NP;

      if (!x->before) PetscCall(PlexBackendMalloc(dg->backend, bytes, &x->before));
      PetscCall(PlexBackendCopy(dg->backend, back ? x->values.values : x->before, back ? x->before : x->values.values,
                                bytes));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ------------------------------------------------------------------------------------------------------------------
   Values, of all parts, one behind the other
   ------------------------------------------------------------------------------------------------------------------ */

PetscErrorCode PlexDGMemoryZero_Private(PlexDG dg)
{
  PlexDG         parts[2];
  const PetscInt n = PlexDGGetParts(dg, parts);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) {
    PlexDGMemory d = parts[k]->remembers;

    for (PetscInt l = 0; l < (d ? d->nlists : 0); ++l)
      PetscCall(PlexBackendZero(dg->backend, d->lists[l].values.values,
                                d->real * (size_t)d->lists[l].n * (size_t)d->lists[l].m * (size_t)d->lists[l].args.NP));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Of an operator without parts, the most of an element */
static PetscInt PlexDGMemoryMost(PlexDG dg)
{
  const PetscInt Nf   = dg->system->Nf;
  PetscInt       most = 0;

  for (PetscInt e = 0; e < dg->mesh->Ne && dg->remembers; ++e) {
    PetscInt n = 0;

    for (PetscInt f = 0; f < Nf; ++f) n += dg->remembers->counts[e * Nf + f];
    most = PetscMax(most, n);
  }
  return most;
}

PetscErrorCode PlexDGMemoryGetMost_Private(PlexDG dg, PetscInt *most)
{
  PlexDG         parts[2];
  const PetscInt n = PlexDGGetParts(dg, parts);

  PetscFunctionBegin;
  *most = 0;
  for (PetscInt k = 0; k < n; ++k) *most = PetscMax(*most, PlexDGMemoryMost(parts[k]));
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, most, 1, MPIU_INT, MPI_MAX, PetscObjectComm((PetscObject)dg)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Copies the values of a list from or to all[Ne][most][Np] */
static PetscErrorCode PlexDGMemoryCopy(PlexDG dg, const PlexDGMemoryList *l, PetscInt most, PetscBool set,
                                       PetscReal all[])
{
  const PetscInt Nf = dg->system->Nf, Np = dg->reference->Np, size = l->m * Np;
  const size_t   bytes = dg->remembers->real * (size_t)l->n * (size_t)size;
  char          *values;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(bytes, &values));
  if (!set) PetscCall(PlexBackendCopyOut(dg->backend, values, l->values.values, bytes));
  for (PetscInt i = 0; i < l->n; ++i) {
    const PetscInt e = l->at[i] / Nf, f = l->at[i] % Nf;
    PetscInt       place = 0;

    for (PetscInt g = 0; g < f; ++g) place += dg->remembers->counts[e * Nf + g];
    for (PetscInt j = 0; j < size; ++j) {
      PetscReal      *value = &all[((size_t)e * (size_t)most + (size_t)place) * (size_t)Np + (size_t)j];
      const long long at    = (long long)i * size + j;

      if (set) plex_state_set(values, l->values.single, at, *value);
      else *value = plex_state_get(values, l->values.single, at);
    }
  }
  if (set) PetscCall(PlexBackendCopyIn(dg->backend, l->values.values, values, bytes));
  PetscCall(PetscFree(values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGMemoryCopyAll(PlexDG dg, PetscInt most, PetscBool set, PetscReal all[])
{
  PlexDG         parts[2];
  const PetscInt n = PlexDGGetParts(dg, parts);

  PetscFunctionBegin;
  for (PetscInt k = 0; k < n; ++k) {
    const size_t size = (size_t)parts[k]->mesh->Ne * (size_t)most * (size_t)parts[k]->reference->Np;
    PlexDGMemory d    = parts[k]->remembers;

    if (!set) PetscCall(PetscArrayzero(all, size));
    for (PetscInt l = 0; l < (d ? d->nlists : 0); ++l)
      PetscCall(PlexDGMemoryCopy(parts[k], &d->lists[l], most, set, all));
    all += size;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGMemoryGet_Private(PlexDG dg, PetscInt most, PetscReal values[])
{
  PetscFunctionBegin;
  PetscCall(PlexDGMemoryCopyAll(dg, most, PETSC_FALSE, values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGMemorySet_Private(PlexDG dg, PetscInt most, const PetscReal values[])
{
  PlexDG parts[2];

  PetscFunctionBegin;
  (void)PlexDGGetParts(dg, parts);
  if (values) PetscCall(PlexDGMemoryCopyAll(dg, most, PETSC_TRUE, (PetscReal *)values));
  else PetscCall(PlexDGMemoryZero_Private(dg));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGMemorySum_Private(PlexDG dg, PetscReal sums[])
{
  const PetscInt Nf = dg->system->Nf;
  PlexDGMemory   d  = dg->remembers;

  PetscFunctionBegin;
  PetscCall(PetscArrayzero(sums, dg->mesh->Ne));
  for (PetscInt l = 0; l < (d ? d->nlists : 0); ++l) {
    const PlexDGMemoryList *x = &d->lists[l];

    for (PetscInt i = 0; i < x->n; ++i) {
      const PetscReal weight = 1. + x->at[i] % Nf;

      sums[x->at[i] / Nf] += weight * x->sums[x->matrix[i]];
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
