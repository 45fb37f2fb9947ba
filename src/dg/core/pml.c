/*
  A perfectly matched layer: its memory variables, and the rates of fields and of these, in the elements of the layer alone.
  The work at a node is in cuda/dg/pml.h, with the method; ../interface/pmlcells.c finds the layer in the mesh.

  With a stage of a low-storage scheme,

    R = a R + dt F(u),   u+ = u + b R

  what the layer adds to F is dt/a of it in R before the stage, so that the kernels of the stage take it to the next state;
  after the first stage, whose a is 0, it is added to both.
*/
#include "coreimpl.h"

#define PLEX_PML_FUNCTION static inline
#include <dg/pml.h>

#define PLEX_PML_THREADS 128
#define PLEX_PML_GRID    65536 /* blocks, at most */
#define PLEX_PML_LEAST   1024  /* nodes a thread of the host */

PetscErrorCode PlexDGPMLDestroy_Private(PlexBackend backend, PlexDGPML *pml)
{
  PlexDGPML p = *pml;

  PetscFunctionBegin;
  if (!p) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexModuleDestroy(&p->module));
  PetscCall(PlexBackendFree(backend, &p->values));
  PetscCall(PlexBackendFree(backend, &p->residual));
  PetscCall(PlexArrayReset(backend, &p->arrayU));
  PetscCall(PetscFree2(p->elements, p->first));
  PetscCall(PetscFree(p->damping));
  PetscCall(PetscFree(*pml));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sections of a factor that is a product of these powers of axes' factors */
static PetscInt PlexDGPMLCountSections(PetscInt n, const int powers[])
{
  PetscInt up = 0, down = 0;

  for (PetscInt k = 0; k < n; ++k) {
    if (powers[k] > 0) ++up;
    if (powers[k] < 0) ++down;
  }
  return PetscMax(up, down);
}

PetscInt PlexDGPMLCountVariables_Private(PlexDG dg, int kind)
{
  const PlexDGHost *host = dg->system->host[0];
  const PetscInt    dim  = dg->mesh->dim;
  PetscInt          n    = 0;

  for (PetscInt f = 0; f < host->Nf; ++f) {
    int powers[3] = {0, 0, 0};

    for (PetscInt d = 0; d < dim; ++d) powers[d] = kind == PLEX_PML_RADIAL || kind & 1 << d ? host->stretch[f][d] : 0;
    if (kind == PLEX_PML_RADIAL && dim == 3)
      for (PetscInt v = 0; v < host->nvectors; ++v)
        if (f == host->vectors[v]) {
          n += 4;
          f += 3;
        }
    if (f < host->Nf) n += PlexDGPMLCountSections(dim, powers);
  }
  return n;
}

PetscErrorCode PlexDGPMLSetUp_Private(PlexDG dg, PetscInt n, const int kinds[], const int at[],
                                      const PetscReal numbers[])
{
  const PlexDGHost *host = dg->system->host[0];
  PlexDGPML         p    = dg->pml;
  PlexDGPMLArgs    *a    = &p->args;
  const PetscInt    Np   = dg->reference->Np;

  PetscFunctionBegin;
  a->n        = (int)n;
  a->NP       = (int)Np;
  a->NF       = (int)host->Nf;
  a->dim      = (int)dg->mesh->dim;
  a->alpha    = p->alpha;
  a->nvectors = (int)host->nvectors;
  for (PetscInt v = 0; v < host->nvectors; ++v) a->vectors[v] = host->vectors[v];
  for (PetscInt f = 0; f < host->Nf; ++f)
    for (PetscInt d = 0; d < a->dim; ++d) a->stretch[f][d] = (signed char)host->stretch[f][d];
  p->first[0] = 0;
  p->most     = 0;
  for (PetscInt k = 0; k < n; ++k) {
    const PetscInt variables = PlexDGPMLCountVariables_Private(dg, kinds[k]);

    PetscCall(PlexDGSizeCheck_Private(p->first[k] + variables, 1, "variables of the layer"));
    p->first[k + 1] = p->first[k] + (int)variables;
    p->most         = PetscMax(p->most, variables);
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, &p->most, 1, MPIU_INT, MPI_MAX, PetscObjectComm((PetscObject)dg)));
  PetscCall(PlexDGUpload(dg, p->elements, sizeof(int) * (size_t)n, (const void **)&a->elements));
  PetscCall(PlexDGUpload(dg, kinds, sizeof(int) * (size_t)n, (const void **)&a->kinds));
  PetscCall(PlexDGUpload(dg, p->first, sizeof(int) * (size_t)(n + 1), (const void **)&a->first));
  PetscCall(PlexDGUpload(dg, at, sizeof(int) * (size_t)n, (const void **)&a->at));
  PetscCall(PlexDGUpload(dg, numbers, sizeof(double) * (size_t)at[n] * (size_t)Np, (const void **)&a->numbers));
  p->narrow = (PetscBool)(dg->ops->stage && dg->precision == PLEX_PRECISION_SINGLE);
  p->bytes  = (p->narrow ? sizeof(float) : sizeof(double)) * (size_t)p->first[n] * (size_t)Np;
  PetscCall(PlexBackendMalloc(dg->backend, p->bytes, &p->values));
  PetscCall(PlexBackendMalloc(dg->backend, p->bytes, &p->residual));
  PetscCall(PlexDGPMLZero_Private(dg));
  if (!dg->backend->kernels) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendCompileFile(dg->backend, "dg/pml.cu", &p->module));
  PetscCall(PlexModuleGetKernel(p->module, "plex_dg_pml", &p->kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGPMLZero_Private(PlexDG dg)
{
  PlexDGPML p = dg->pml;

  PetscFunctionBegin;
  if (!p || !p->bytes) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexBackendZero(dg->backend, p->values, p->bytes));
  PetscCall(PlexBackendZero(dg->backend, p->residual, p->bytes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscReal PlexDGPMLDamping_Private(PlexDG dg, PetscInt e)
{
  return dg->pml ? dg->pml->damping[e] : 0.;
}

/* ---- Rates and stages */

typedef struct {
  const PlexDGPMLArgs  *args;
  const PlexDGPMLStage *stage;
} PlexDGPMLLoop;

static void PlexDGPMLRun(void *ctx, PetscInt begin, PetscInt end)
{
  const PlexDGPMLLoop *l = (const PlexDGPMLLoop *)ctx;

  for (long long k = (long long)begin * l->args->NP; k < (long long)end * l->args->NP; ++k)
    plex_pml_node(l->args, l->stage, k);
}

static PetscErrorCode PlexDGPMLLaunch(PlexDG dg, PlexDGPMLStage *stage)
{
  PlexDGPML        p           = dg->pml;
  const PetscInt64 n           = (PetscInt64)p->args.n * p->args.NP;
  PlexDGPMLLoop    loop        = {.args = &p->args, .stage = stage};
  void            *arguments[] = {&p->args, stage};

  PetscFunctionBegin;
  stage->values   = p->values;
  stage->residual = p->residual;
  stage->narrow   = p->narrow;
  if (!n) PetscFunctionReturn(PETSC_SUCCESS);
  if (p->kernel)
    PetscCall(PlexKernelLaunch(p->kernel,
                               (PetscInt)PetscMin((n + PLEX_PML_THREADS - 1) / PLEX_PML_THREADS, PLEX_PML_GRID),
                               PLEX_PML_THREADS, 0, arguments));
  else PetscCall(PlexThreadsRun(p->args.n, PLEX_PML_LEAST / p->args.NP + 1, PlexDGPMLRun, &loop));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGPMLAdd_Private(PlexDG dg, const void *u, void *r)
{
  PlexDGPMLStage s = {.u = u, .r = r, .factor = 1.};

  PetscFunctionBegin;
  PetscCall(PlexDGPMLLaunch(dg, &s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGPMLStage_Private(PlexDG dg, const PlexDGStage *stage, PetscBool before)
{
  const PetscBool first = (PetscBool)(stage->a == 0.);
  PlexDGPMLStage  s     = {.u      = stage->u,
                           .r      = stage->residual,
                           .next   = first ? stage->next : NULL,
                           .factor = first ? stage->dt : stage->dt / stage->a,
                           .weight = stage->b,
                           .a      = stage->a,
                           .b      = stage->b,
                           .dt     = stage->dt,
                           .single = dg->precision == PLEX_PRECISION_SINGLE,
                           .update = 1};

  PetscFunctionBegin;
  if (before != first) PetscCall(PlexDGPMLLaunch(dg, &s));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGPMLVec_Private(PlexDG dg, Vec U, PetscReal a, PetscReal b, PetscReal dt)
{
  PlexDGPMLStage s = {.a = a, .b = b, .dt = dt, .update = 1};

  PetscFunctionBegin;
  PetscCall(PlexBackendVecGet(dg->backend, U, PLEX_READ, &dg->pml->arrayU));
  s.u = dg->pml->arrayU.array;
  PetscCall(PlexDGPMLLaunch(dg, &s));
  PetscCall(PlexBackendVecRestore(dg->backend, &dg->pml->arrayU));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- For checkpoints: [Ne][most][Np], 0 where an element has fewer variables, or none */

/* The variables' place in those of all elements: k-th value of layer item i */
static inline size_t PlexDGPMLPlace(PlexDGPML p, PetscInt i, PetscInt k)
{
  return (size_t)p->elements[i] * (size_t)p->most * (size_t)p->args.NP + (size_t)k;
}

/* Between `all` and the backend's memory, in its precision */
static PetscErrorCode PlexDGPMLCopy(PlexDG dg, PetscBool out, PetscReal all[])
{
  PlexDGPML    p = dg->pml;
  const size_t n = (size_t)p->first[p->args.n] * (size_t)p->args.NP;
  float       *narrow;
  double      *wide;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(p->narrow ? n : 0, &narrow, p->narrow ? 0 : n, &wide));
  if (out && p->bytes)
    PetscCall(PlexBackendCopyOut(dg->backend, p->narrow ? (void *)narrow : wide, p->values, p->bytes));
  for (PetscInt i = 0; i < p->args.n; ++i)
    for (PetscInt k = 0; k < (p->first[i + 1] - p->first[i]) * p->args.NP; ++k) {
      const size_t at   = (size_t)p->first[i] * (size_t)p->args.NP + (size_t)k;
      PetscReal   *here = &all[PlexDGPMLPlace(p, i, k)];

      if (out) *here = p->narrow ? (PetscReal)narrow[at] : wide[at];
      else if (p->narrow) narrow[at] = (float)*here;
      else wide[at] = *here;
    }
  if (!out && p->bytes)
    PetscCall(PlexBackendCopyIn(dg->backend, p->values, p->narrow ? (void *)narrow : wide, p->bytes));
  PetscCall(PetscFree2(narrow, wide));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGPMLGet_Private(PlexDG dg, PetscReal all[])
{
  PetscFunctionBegin;
  PetscCall(PetscArrayzero(all, dg->mesh->Ne * dg->pml->most * dg->reference->Np));
  PetscCall(PlexDGPMLCopy(dg, PETSC_TRUE, all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGPMLSet_Private(PlexDG dg, PetscReal all[])
{
  PetscFunctionBegin;
  PetscCall(PlexDGPMLCopy(dg, PETSC_FALSE, all));
  PetscFunctionReturn(PETSC_SUCCESS);
}
