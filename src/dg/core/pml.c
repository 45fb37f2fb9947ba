/*
  A perfectly matched layer: its memory variables, and the rates of fields and of these, in the elements of the layer alone.
  The work at a point is in cuda/dg/pml.h, with the method; ../interface/pmlcells.c finds the layer in the mesh.

  With a stage of a low-storage scheme,

    R = a R + dt F(u),   u+ = u + b R

  what the layer adds to F is dt/a of it in R before the stage, so that the kernels of the stage take it to the next state;
  after the first stage, whose a is 0, it is added to both.
*/
#include "coreimpl.h"

#define PLEX_PML_FUNCTION static inline
#include <dg/pml.h>

#define PLEX_PML_THREADS 128   /* of a block, at most */
#define PLEX_PML_POINTS  1000  /* of a quadrature, at most: (N + 1)^3 */
#define PLEX_PML_GRID    65536 /* blocks, at most */
#define PLEX_PML_LEAST   1024  /* points a thread of the host */

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

PetscErrorCode PlexDGPMLPoints_Private(PlexDG dg, PetscReal *points[])
{
  PlexDGReference  R   = dg->reference;
  PlexDGPML        p   = dg->pml;
  const PetscInt   dim = R->dim, Np = R->Np;
  PetscQuadrature  quadrature;
  PetscInt         Nq;
  const PetscReal *x, *weights;
  PetscReal       *B, *to, *from, least = 1., sum = 0., mass = 0.;

  PetscFunctionBegin;
  PetscCall(PetscDTSimplexQuadrature(dim, 2 * R->N, PETSCDTSIMPLEXQUAD_DEFAULT, &quadrature));
  PetscCall(PetscQuadratureGetData(quadrature, NULL, NULL, &Nq, NULL, &weights));
  for (PetscInt q = 0; q < Nq; ++q) least = PetscMin(least, weights[q]);
  if (least <= 0.) {
    PetscCall(PetscQuadratureDestroy(&quadrature));
    PetscCall(PetscDTStroudConicalQuadrature(dim, 1, R->N + 1, -1., 1., &quadrature));
  }
  PetscCall(PetscQuadratureGetData(quadrature, NULL, NULL, &Nq, &x, &weights));
  PetscCheck(Nq <= PLEX_PML_POINTS, PetscObjectComm((PetscObject)dg), PETSC_ERR_PLIB, "%" PetscInt_FMT " points", Nq);
  PetscCall(PetscMalloc1(Nq * dim, points));
  PetscCall(PetscArraycpy(*points, x, Nq * dim));
  PetscCall(PetscMalloc3(Nq * Np, &B, Np * Nq, &to, Nq * Np, &from));
  PetscCall(PlexDGReferenceInterpolate(R, Nq, x, B));
  for (PetscInt i = 0; i < Np * Np; ++i) mass += R->M[i];
  for (PetscInt q = 0; q < Nq; ++q) sum += weights[q];
  for (PetscInt q = 0; q < Nq; ++q)
    for (PetscInt i = 0; i < Np; ++i) {
      PetscReal v = 0.; /* M^-1 = V V^T */

      for (PetscInt m = 0; m < Np; ++m)
        for (PetscInt j = 0; j < Np; ++j) v += R->V[i * Np + m] * R->V[j * Np + m] * B[q * Np + j];
      from[q * Np + i] = v * weights[q] * mass / sum;
      to[i * Nq + q]   = B[q * Np + i];
    }
  p->args.NQ = (int)Nq;
  PetscCall(PlexDGUpload(dg, to, sizeof(double) * (size_t)(Np * Nq), (const void **)&p->args.interpolate));
  PetscCall(PlexDGUpload(dg, from, sizeof(double) * (size_t)(Np * Nq), (const void **)&p->args.project));
  PetscCall(PetscFree3(B, to, from));
  PetscCall(PetscQuadratureDestroy(&quadrature));
  PetscFunctionReturn(PETSC_SUCCESS);
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
  p->rows = (p->most * a->NQ + Np - 1) / Np;
  PetscCall(PlexDGUpload(dg, p->elements, sizeof(int) * (size_t)n, (const void **)&a->elements));
  PetscCall(PlexDGUpload(dg, kinds, sizeof(int) * (size_t)n, (const void **)&a->kinds));
  PetscCall(PlexDGUpload(dg, p->first, sizeof(int) * (size_t)(n + 1), (const void **)&a->first));
  PetscCall(PlexDGUpload(dg, at, sizeof(int) * (size_t)n, (const void **)&a->at));
  PetscCall(PlexDGUpload(dg, numbers, sizeof(double) * (size_t)at[n] * (size_t)a->NQ, (const void **)&a->numbers));
  p->narrow = (PetscBool)(dg->ops->stage && dg->precision == PLEX_PRECISION_SINGLE);
  p->bytes  = (p->narrow ? sizeof(float) : sizeof(double)) * (size_t)p->first[n] * (size_t)a->NQ;
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

  double w[PLEX_PML_FIELDS * PLEX_PML_POINTS];

  for (PetscInt k = begin; k < end; ++k) {
    for (int q = 0; q < l->args->NQ; ++q) plex_pml_point(l->args, l->stage, (int)k, q, w);
    for (int i = 0; i < l->args->NP; ++i) plex_pml_project(l->args, l->stage, (int)k, i, w);
  }
}

static PetscErrorCode PlexDGPMLLaunch(PlexDG dg, PlexDGPMLStage *stage)
{
  PlexDGPML      p           = dg->pml;
  const PetscInt threads     = PetscMin(32 * ((p->args.NQ + 31) / 32), PLEX_PML_THREADS);
  PlexDGPMLLoop  loop        = {.args = &p->args, .stage = stage};
  void          *arguments[] = {&p->args, stage};

  PetscFunctionBegin;
  stage->values   = p->values;
  stage->residual = p->residual;
  stage->narrow   = p->narrow;
  if (!p->args.n) PetscFunctionReturn(PETSC_SUCCESS);
  if (p->kernel)
    PetscCall(PlexKernelLaunch(p->kernel, PetscMin(p->args.n, PLEX_PML_GRID), threads,
                               sizeof(double) * (size_t)(p->args.NF * p->args.NQ), arguments));
  else PetscCall(PlexThreadsRun(p->args.n, PLEX_PML_LEAST / p->args.NQ + 1, PlexDGPMLRun, &loop));
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

/* ---- For checkpoints: [Ne][rows][Np], of which an element has its variables first, [variables][NQ], then 0 */

/* The variables' place in those of all elements: k-th value of layer item i */
static inline size_t PlexDGPMLPlace(PlexDGPML p, PetscInt i, PetscInt k)
{
  return (size_t)p->elements[i] * (size_t)p->rows * (size_t)p->args.NP + (size_t)k;
}

/* Between `all` and the backend's memory, in its precision */
static PetscErrorCode PlexDGPMLCopy(PlexDG dg, PetscBool out, PetscReal all[])
{
  PlexDGPML    p = dg->pml;
  const size_t n = (size_t)p->first[p->args.n] * (size_t)p->args.NQ;
  float       *narrow;
  double      *wide;

  PetscFunctionBegin;
  PetscCall(PetscMalloc2(p->narrow ? n : 0, &narrow, p->narrow ? 0 : n, &wide));
  if (out && p->bytes)
    PetscCall(PlexBackendCopyOut(dg->backend, p->narrow ? (void *)narrow : wide, p->values, p->bytes));
  for (PetscInt i = 0; i < p->args.n; ++i)
    for (PetscInt k = 0; k < (p->first[i + 1] - p->first[i]) * p->args.NQ; ++k) {
      const size_t at   = (size_t)p->first[i] * (size_t)p->args.NQ + (size_t)k;
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
  PetscCall(PetscArrayzero(all, dg->mesh->Ne * dg->pml->rows * dg->reference->Np));
  PetscCall(PlexDGPMLCopy(dg, PETSC_TRUE, all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGPMLSet_Private(PlexDG dg, PetscReal all[])
{
  PetscFunctionBegin;
  PetscCall(PlexDGPMLCopy(dg, PETSC_FALSE, all));
  PetscFunctionReturn(PETSC_SUCCESS);
}
