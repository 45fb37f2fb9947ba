/* Arrays and sums of local time steps, where the operator is: on the host, or by the kernels of cuda/dg/multirate.cu */
#include "multiratesums.h"

#define PLEX_MULTIRATE_FUNCTION static inline
#include <dg/multirate.h>

#define PLEX_MULTIRATE_THREADS 256
#define PLEX_MULTIRATE_GRID    65536 /* blocks, at most */
#define PLEX_MULTIRATE_LEAST   8192  /* values a thread of the host */

/* Elements of a level that are beside a level, in the backend's memory. of[Ne + nghosts]: levels */
static PetscErrorCode PlexMultirateList(PlexMultirate m, const int of[], PetscInt level, PetscInt beside, int *n,
                                        const int **elements)
{
  PlexDGMesh mesh = m->dg->mesh;
  int       *list;

  PetscFunctionBegin;
  *n = 0;
  PetscCall(PetscMalloc1(mesh->Ne, &list));
  for (PetscInt e = 0; e < mesh->Ne; ++e) {
    PetscBool is = PETSC_FALSE;

    for (PetscInt f = 0; f < mesh->faces && of[e] == level; ++f) {
      const PetscInt other = PlexDGMeshAcross(mesh, e, f);

      is = (PetscBool)(is || (other >= 0 && of[other] == beside));
    }
    if (is) list[(*n)++] = (int)e;
  }
  PetscCall(PlexBackendUpload(m->backend, list, sizeof(*list) * (size_t)*n, (void **)elements));
  m->bytes += (PetscInt64)sizeof(*list) * *n;
  PetscCall(PetscFree(list));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexMultirateAllocate(PlexMultirate m, size_t n, double **array)
{
  PetscFunctionBegin;
  PetscCall(PlexBackendMalloc(m->backend, n * sizeof(**array), (void **)array));
  PetscCall(PlexBackendZero(m->backend, *array, n * sizeof(**array)));
  m->bytes += (PetscInt64)(n * sizeof(**array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What elements at the borders of levels keep */
static PetscErrorCode PlexMultirateSetUpBorders(PlexMultirate m)
{
  int *of;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(m->nlevels, &m->kept));
  PetscCall(PetscCalloc1(m->nlevels, &m->half));
  PetscCall(PlexDGLevelsGetOf_Private(m->dg, &of));
  for (PetscInt l = 0; l < m->nlevels; ++l) {
    PlexDGMultirateKept *k = &m->kept[l];
    PlexDGMultirateHalf *h = &m->half[l];

    k->size = h->size = (int)m->size;
    PetscCall(PlexMultirateList(m, of, l, l + 1, &k->n, &k->elements));
    PetscCall(PlexMultirateList(m, of, l, l - 1, &h->n, &h->elements));
    PetscCall(PlexMultirateAllocate(m, (size_t)k->n * PLEX_MULTIRATE_ORDER * (size_t)k->size, &k->kept));
    PetscCall(PlexMultirateAllocate(m, (size_t)h->n * (size_t)h->size, &h->sums));
  }
  PetscCall(PetscFree(of));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexMultirateCreate_Private(PlexDG dg, PlexMultirate *multirate)
{
  PlexMultirate m;

  PetscFunctionBegin;
  PetscCall(PetscNew(multirate));
  m          = *multirate;
  m->dg      = dg;
  m->backend = dg->backend;
  PetscCall(PetscObjectReference((PetscObject)m->backend));
  m->nlevels = PlexDGMeshLevelsN(dg->mesh);
  m->size    = dg->system->Nf * dg->reference->Np;
  m->n       = (size_t)PlexDGGetLocalSize(dg);
  for (PetscInt k = 0; k < PLEX_MULTIRATE_ORDER - 1; ++k) PetscCall(PlexMultirateAllocate(m, m->n, &m->rates[k]));
  PetscCall(PlexMultirateAllocate(m, m->n, &m->mean));
  PetscCall(PlexMultirateSetUpBorders(m));
  PetscCall(PlexMultirateSourcesCreate_Private(m));
  PetscCall(PlexMultirateLayerCreate_Private(m));
  if (!m->backend->kernels) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendCompileFile(m->backend, "dg/multirate.cu", &m->module));
  PetscCall(PlexModuleGetKernel(m->module, "plex_dg_multirate_sum", &m->sum));
  PetscCall(PlexModuleGetKernel(m->module, "plex_dg_multirate_keep", &m->keep));
  PetscCall(PlexModuleGetKernel(m->module, "plex_dg_multirate_evaluate", &m->evaluate));
  PetscCall(PlexModuleGetKernel(m->module, "plex_dg_multirate_half", &m->halve));
  PetscCall(PlexModuleGetKernel(m->module, "plex_dg_multirate_drive", &m->drive));
  PetscCall(PlexModuleGetKernel(m->module, "plex_dg_multirate_sample", &m->sample));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexMultirateDestroy_Private(PlexMultirate *multirate)
{
  PlexMultirate m = *multirate;

  PetscFunctionBegin;
  if (!m) PetscFunctionReturn(PETSC_SUCCESS);
  for (PetscInt l = 0; l < m->nlevels; ++l) {
    PetscCall(PlexBackendFree(m->backend, (void **)&m->kept[l].elements));
    PetscCall(PlexBackendFree(m->backend, (void **)&m->kept[l].kept));
    PetscCall(PlexBackendFree(m->backend, (void **)&m->half[l].elements));
    PetscCall(PlexBackendFree(m->backend, (void **)&m->half[l].sums));
  }
  PetscCall(PetscFree(m->kept));
  PetscCall(PetscFree(m->half));
  PetscCall(PlexMultirateSourcesDestroy_Private(m));
  PetscCall(PlexMultirateLayerDestroy_Private(m));
  for (PetscInt k = 0; k < PLEX_MULTIRATE_ORDER - 1; ++k) PetscCall(PlexBackendFree(m->backend, (void **)&m->rates[k]));
  PetscCall(PlexBackendFree(m->backend, (void **)&m->mean));
  PetscCall(PlexArrayReset(m->backend, &m->solution));
  PetscCall(PlexModuleDestroy(&m->module));
  PetscCall(PlexBackendDestroy(&m->backend));
  PetscCall(PetscFree(*multirate));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscInt PlexMultirateGrid(long long n)
{
  return (PetscInt)PetscMin((n + PLEX_MULTIRATE_THREADS - 1) / PLEX_MULTIRATE_THREADS, PLEX_MULTIRATE_GRID);
}

static void PlexMultirateSumLoop(void *ctx, PetscInt begin, PetscInt end)
{
  const PlexDGMultirateSum *s = (const PlexDGMultirateSum *)ctx;

  for (long long k = s->begin + begin; k < s->begin + end; ++k) plex_multirate_sum(s, k);
}

PetscErrorCode PlexMultirateSumRange_Private(PlexMultirate m, long long begin, long long end,
                                             const PlexDGMultirateSum *sum)
{
  PlexDGMultirateSum s           = *sum;
  void              *arguments[] = {&s};

  PetscFunctionBegin;
  s.begin = begin;
  s.end   = end;
  if (begin == end) PetscFunctionReturn(PETSC_SUCCESS);
  if (m->sum) PetscCall(PlexKernelLaunch(m->sum, PlexMultirateGrid(end - begin), PLEX_MULTIRATE_THREADS, 0, arguments));
  else PetscCall(PlexThreadsRun((PetscInt)(end - begin), PLEX_MULTIRATE_LEAST, PlexMultirateSumLoop, &s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexMultirateSum_Private(PlexMultirate m, PetscInt level, const PlexDGMultirateSum *sum)
{
  PetscFunctionBegin;
  for (PetscInt part = 0; part < 4; ++part) {
    const PetscInt *begins = &m->dg->mesh->begins[part * (m->nlevels + 1) + level];

    PetscCall(PlexMultirateSumRange_Private(m, (long long)begins[0] * m->size, (long long)begins[1] * m->size, sum));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* What loops of the host read and write at the borders of levels */
typedef struct {
  const PlexDGMultirateKept   *kept;
  const PlexDGMultirateHalf   *half;
  const PlexDGMultirateValues *values;
  const double                *derivatives[PLEX_MULTIRATE_ORDER];
  double                      *mean;
  int                          ends;
} PlexMultirateBorder;

static void PlexMultirateKeepLoop(void *ctx, PetscInt begin, PetscInt end)
{
  const PlexMultirateBorder *b = (const PlexMultirateBorder *)ctx;

  for (long long k = begin; k < end; ++k) plex_multirate_keep(b->kept, b->derivatives, k);
}

static void PlexMultirateEvaluateLoop(void *ctx, PetscInt begin, PetscInt end)
{
  const PlexMultirateBorder *b = (const PlexMultirateBorder *)ctx;

  for (long long k = begin; k < end; ++k) plex_multirate_evaluate(b->kept, b->values, k);
}

static void PlexMultirateHalfLoop(void *ctx, PetscInt begin, PetscInt end)
{
  const PlexMultirateBorder *b = (const PlexMultirateBorder *)ctx;

  for (long long k = begin; k < end; ++k) plex_multirate_half(b->half, b->mean, b->ends, k);
}

PetscErrorCode PlexMultirateRun_Private(PlexKernel kernel, long long n, void **arguments, PlexThreadsLoop loop,
                                        void *ctx)
{
  PetscFunctionBegin;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  if (kernel) PetscCall(PlexKernelLaunch(kernel, PlexMultirateGrid(n), PLEX_MULTIRATE_THREADS, 0, arguments));
  else PetscCall(PlexThreadsRun((PetscInt)n, PLEX_MULTIRATE_LEAST, loop, ctx));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexMultirateKeep_Private(PlexMultirate m, PetscInt level, const double *u)
{
  PlexDGMultirateKept *k      = &m->kept[level];
  PlexMultirateBorder  border = {
    .kept = k, .derivatives = {u, m->rates[0], m->rates[1], m->rates[2]}
  };
  void *arguments[] = {k, &border.derivatives[0], &border.derivatives[1], &border.derivatives[2],
                       &border.derivatives[3]};

  PetscFunctionBegin;
  PetscCall(PlexMultirateRun_Private(m->keep, (long long)k->n * k->size, arguments, PlexMultirateKeepLoop, &border));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexMultirateEvaluate_Private(PlexMultirate m, PetscInt level, const PlexDGMultirateValues *values)
{
  PlexDGMultirateKept *k           = &m->kept[level];
  PlexMultirateBorder  border      = {.kept = k, .values = values};
  void                *arguments[] = {k, (void *)values};

  PetscFunctionBegin;
  PetscCall(PlexMultirateRun_Private(m->evaluate, (long long)k->n * k->size, arguments, PlexMultirateEvaluateLoop,
                                     &border));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexMultirateHalf_Private(PlexMultirate m, PetscInt level, PetscBool ends)
{
  PlexDGMultirateHalf *h           = &m->half[level];
  PlexMultirateBorder  border      = {.half = h, .mean = m->mean, .ends = (int)ends};
  void                *arguments[] = {h, &border.mean, &border.ends};

  PetscFunctionBegin;
  PetscCall(PlexMultirateRun_Private(m->halve, (long long)h->n * h->size, arguments, PlexMultirateHalfLoop, &border));
  PetscFunctionReturn(PETSC_SUCCESS);
}
