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

#define PLEX_PML_POINTS 1000 /* of a quadrature, at most: (N + 1)^3 */
#define PLEX_PML_LEAST  64   /* points a thread of the host */
#define PLEX_PML_BLOCKS 4    /* at once on a multiprocessor, at most; two where shared memory suffices */

PetscErrorCode PlexDGPMLDestroy_Private(PlexBackend backend, PlexDGPML *pml)
{
  PlexDGPML p = *pml;

  PetscFunctionBegin;
  if (!p) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGPMLConstantDestroy_Private(&p->constant));
  PetscCall(PlexModuleDestroy(&p->module));
  PetscCall(PlexBackendFree(backend, &p->values));
  PetscCall(PlexBackendFree(backend, &p->residual));
  PetscCall(PlexArrayReset(backend, &p->arrayU));
  PetscCall(PetscFree2(p->elements, p->first));
  PetscCall(PetscFree(p->batches));
  PetscCall(PetscFree(p->levels));
  PetscCall(PetscFree(p->damping));
  PetscCall(PetscFree(*pml));
  PetscFunctionReturn(PETSC_SUCCESS);
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
    if (f < host->Nf) n += plex_pml_sections(powers[0], powers[1], powers[2]);
  }
  return n;
}

/* Columns of a tile in the order 0, 2, 4, 6, 1, 3, 5, 7: cuda/dg/unit.cuh, plex_unit_of() */
static PetscInt PlexDGPMLPlaced(PetscInt i)
{
  return i / 8 * 8 + i % 4 * 2 + i % 8 / 4;
}

PetscErrorCode PlexDGPMLUploadReals_Private(PlexDG dg, size_t n, const PetscReal values[], const void **at)
{
  float *narrow;

  PetscFunctionBegin;
  if (!dg->pml->narrow) PetscCall(PlexDGUpload(dg, values, sizeof(double) * n, at));
  else {
    PetscCall(PetscMalloc1(n, &narrow));
    for (size_t k = 0; k < n; ++k) narrow[k] = (float)values[k];
    PetscCall(PlexDGUpload(dg, narrow, sizeof(float) * n, at));
    PetscCall(PetscFree(narrow));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* matrix[rows][columns] as the host's code or as the kernel reads it */
static PetscErrorCode PlexDGPMLUploadMatrix(PlexDG dg, PetscInt rows, PetscInt columns, const PetscReal matrix[],
                                            const void **at)
{
  const PetscInt wide = (columns + 7) / 8 * 8;
  PetscReal     *placed, *fragments;
  size_t         n;

  PetscFunctionBegin;
  if (!dg->backend->kernels) {
    PetscCall(PlexDGUpload(dg, matrix, sizeof(double) * (size_t)(rows * columns), at));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(PetscCalloc1(rows * wide, &placed));
  for (PetscInt i = 0; i < rows; ++i)
    for (PetscInt j = 0; j < wide; ++j)
      if (PlexDGPMLPlaced(j) < columns) placed[i * wide + j] = matrix[i * columns + PlexDGPMLPlaced(j)];
  PetscCall(PlexFragmentsCreate(dg->pml->narrow ? PLEX_PRECISION_SINGLE : PLEX_PRECISION_DOUBLE, (rows + 7) / 8, 1,
                                placed, rows, wide, &n, &fragments));
  PetscCall(PlexDGPMLUploadReals_Private(dg, n, fragments, at));
  PetscCall(PetscFree(fragments));
  PetscCall(PetscFree(placed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGPMLPoints_Private(PlexDG dg, PetscReal *points[])
{
  PlexDGReference  R   = dg->reference;
  PlexDGPML        p   = dg->pml;
  const PetscInt   dim = R->dim, Np = R->Np;
  PetscQuadrature  quadrature;
  PetscInt         Nq;
  const PetscReal *x, *weights;
  PetscReal       *B, *from, least = 1., sum = 0., mass = 0.;

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
  PetscCall(PetscMalloc2(Nq * Np, &B, Nq * Np, &from));
  PetscCall(PlexDGReferenceInterpolate(R, Nq, x, B));
  for (PetscInt i = 0; i < Np * Np; ++i) mass += R->M[i];
  for (PetscInt q = 0; q < Nq; ++q) sum += weights[q];
  for (PetscInt q = 0; q < Nq; ++q)
    for (PetscInt i = 0; i < Np; ++i) {
      PetscReal v = 0.; /* M^-1 = V V^T */

      for (PetscInt m = 0; m < Np; ++m)
        for (PetscInt j = 0; j < Np; ++j) v += R->V[i * Np + m] * R->V[j * Np + m] * B[q * Np + j];
      from[i * Nq + q] = v * weights[q] * mass / sum;
    }
  p->args.NQ = (int)Nq;
  p->narrow  = (PetscBool)(dg->ops->stage && dg->precision == PLEX_PRECISION_SINGLE);
  PetscCall(PlexDGPMLUploadMatrix(dg, Nq, Np, B, &p->args.interpolate));
  PetscCall(PlexDGPMLUploadMatrix(dg, Np, Nq, from, &p->args.project));
  PetscCall(PetscFree2(B, from));
  PetscCall(PetscQuadratureDestroy(&quadrature));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Numbers of an element's variables */
static PetscInt PlexDGPMLSize(PlexDG dg, int kind)
{
  return PlexDGPMLCountVariables_Private(dg, kind) * (plex_pml_is_nodal(kind) ? dg->reference->Np : dg->pml->args.NQ);
}

/* Batches of elements of the same level of time steps and kind, in their order: which element is item i of batch k, in order[16 k + i], and behind
   its last one that one again; numbers of points there */
static PetscErrorCode PlexDGPMLSetBatches(PlexDG dg, PetscInt n, const int kinds[], int order[])
{
  PlexDGPML      p  = dg->pml;
  const PetscInt NQ = (p->args.NQ + 7) / 8 * 8, nlevels = PlexDGMeshLevelsN(dg->mesh);
  long long      numbers = 0, variables = 0;
  PetscInt       k = 0;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(nlevels + 1, &p->levels));
  for (PetscInt lk = 0; lk < nlevels * PLEX_PML_RADIAL; ++lk) {
    const PetscInt level = lk / PLEX_PML_RADIAL;
    const int      kind  = 1 + (int)(lk % PLEX_PML_RADIAL);
    const PetscInt each  = PlexDGPMLCountVariables_Private(dg, kind) * plex_pml_width(kind, p->args.NP, p->args.NQ),
                   rates = kind == PLEX_PML_RADIAL ? 2 + p->args.dim : (kind & 1) + (kind >> 1 & 1) + (kind >> 2 & 1);
    PetscInt       items = 0;

    for (PetscInt i = 0; i < n; ++i)
      if (kinds[i] == kind && PlexDGMeshGetLevel(dg->mesh, p->elements[i]) == level)
        order[PLEX_PML_ELEMENTS * k + items++] = (int)i;
    for (PetscInt begin = 0; begin < items; begin += PLEX_PML_ELEMENTS, ++k) {
      const PetscInt own = PetscMin(items - begin, PLEX_PML_ELEMENTS);

      for (PetscInt i = 0; i < PLEX_PML_ELEMENTS; ++i) {
        const PetscInt at = PLEX_PML_ELEMENTS * k + i;

        if (i < own) p->first[order[at]] = (int)at;
        else order[at] = order[at - 1];
      }
      p->batches[k] = (PlexDGPMLBatch){.kind = kind, .n = (int)own, .first = variables, .at = numbers};
      variables += (long long)PLEX_PML_ELEMENTS * each;
      numbers += (long long)PLEX_PML_ELEMENTS * rates * NQ;
    }
    p->levels[level + 1] = k;
  }
  p->args.nbatches = (int)k;
  p->batches[k]    = (PlexDGPMLBatch){.first = variables, .at = numbers};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* `numbers` of items, in the order of batches */
static PetscErrorCode PlexDGPMLUploadNumbers(PlexDG dg, const int order[], const int at[], const PetscReal numbers[])
{
  PlexDGPML      p  = dg->pml;
  const PetscInt NQ = p->args.NQ, wide = (NQ + 7) / 8 * 8;
  const size_t   n = (size_t)p->batches[p->args.nbatches].at;
  PetscReal     *placed;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n, &placed));
  for (PetscInt k = 0; k < PLEX_PML_ELEMENTS * p->args.nbatches; ++k) {
    const PetscInt item = order[k];

    for (PetscInt v = 0; v < at[item + 1] - at[item]; ++v)
      for (PetscInt q = 0; q < NQ; ++q)
        placed[(size_t)p->batches[k / PLEX_PML_ELEMENTS].at + (size_t)(v * wide * PLEX_PML_ELEMENTS) +
               (size_t)(q / 8 * 8 * PLEX_PML_ELEMENTS + k % PLEX_PML_ELEMENTS * 8 +
                        q % 8)] = numbers[(size_t)(at[item] + v) * (size_t)NQ + (size_t)q];
  }
  PetscCall(PlexDGPMLUploadReals_Private(dg, n, placed, &p->args.numbers));
  PetscCall(PetscFree(placed));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Registers a thread, of blocks of `warps` of which a multiprocessor has so many at once, in four parts */
static PetscInt PlexDGPMLRegisters(PetscInt warps, PetscInt blocks)
{
  return PetscMin(255, 65536 / (128 * ((warps * blocks + 3) / 4)) / 8 * 8);
}

/* The kernel, whose registers decide how many blocks are at once on a multiprocessor */
static PetscErrorCode PlexDGPMLCompile(PlexDG dg)
{
  PlexDGPML         p        = dg->pml;
  const PetscInt    tiles    = (dg->reference->Np + 7) / 8,
                    size     = p->narrow ? (PetscInt)sizeof(float) : (PetscInt)sizeof(double);
  PetscInt          resident = PLEX_PML_BLOCKS;
  PlexBackendLimits limits;
  const char *const names[] = {"DIM", "SINGLE", "PML_NP", "PML_NQ", "PML_NF", "PML_ROUND", "PML_RESIDENT"};
  char              text[PETSC_STATIC_ARRAY_LENGTH(names)][48];
  const char       *defines[PETSC_STATIC_ARRAY_LENGTH(names)];

  PetscFunctionBegin;
  PetscCheck(PlexBackendHasUnits(dg->backend) || !dg->backend->device, PetscObjectComm((PetscObject)dg), PETSC_ERR_SUP,
             "A perfectly matched layer needs tensor cores of compute capability 8.0 on, and %s is %s: use "
             "-plex_dg_backend host, or leave -plex_dg_pml out",
             dg->backend->limits.name, dg->backend->limits.arch);
  PetscCall(PlexBackendGetLimits(dg->backend, &limits));
  p->shared = (size_t)(size * p->args.NF * 32 * 4 * (tiles + (dg->pmlRadial ? 1 : 0)));
  PetscCheck(p->shared <= limits.sharedPerBlock, PetscObjectComm((PetscObject)dg), PETSC_ERR_SUP,
             "A perfectly matched layer of degree %" PetscInt_FMT
             " needs %zu bytes of shared memory, and a block has %zu: use a smaller -plex_dg_degree",
             dg->reference->N, p->shared, limits.sharedPerBlock);
  /* registers of a thread: 60, and its 4 sums of a tile with as much as they need to be computed */
  while (resident > 1 && ((resident > 2 && PlexDGPMLRegisters(p->args.NF, resident) < 60 + 16 * tiles) ||
                          (size_t)resident * (p->shared + 1024) > limits.sharedPerProcessor))
    --resident;
  {
    const PetscInt values[] = {p->args.dim,           p->narrow, p->args.NP, p->args.NQ, p->args.NF,
                               dg->pmlRadial ? 1 : 0, resident};

    for (size_t k = 0; k < PETSC_STATIC_ARRAY_LENGTH(names); ++k) {
      PetscCall(PetscSNPrintf(text[k], sizeof(text[k]), "PLEX_%s=%" PetscInt_FMT, names[k], values[k]));
      defines[k] = text[k];
    }
  }
  PetscCall(PlexBackendCompile(dg->backend, "pml.cu", (PetscInt)PETSC_STATIC_ARRAY_LENGTH(names), defines,
                               "#include \"dg/pml.cu\"\n", &p->module));
  PetscCall(PlexModuleGetKernel(p->module, "plex_dg_pml", &p->kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGPMLSetUp_Private(PlexDG dg, PetscInt n, const int kinds[], const int at[],
                                      const PetscReal numbers[], PetscInt nconstant, const PetscReal rates[])
{
  const PlexDGHost *host = dg->system->host[0];
  PlexDGPML         p    = dg->pml;
  PlexDGPMLArgs    *a    = &p->args;
  const PetscInt    Np = dg->reference->Np, parts = PLEX_PML_RADIAL * PlexDGMeshLevelsN(dg->mesh);
  PetscInt          most[2] = {0, 0}; /* variables, and their numbers */
  long long         end;
  int              *order;

  PetscFunctionBegin;
  a->NP       = (int)Np;
  a->NF       = (int)host->Nf;
  a->dim      = (int)dg->mesh->dim;
  a->alpha    = p->alpha;
  a->nvectors = (int)host->nvectors;
  for (PetscInt v = 0; v < host->nvectors; ++v) a->vectors[v] = host->vectors[v];
  for (PetscInt f = 0; f < host->Nf; ++f)
    for (PetscInt d = 0; d < a->dim; ++d) a->stretch[f][d] = (signed char)host->stretch[f][d];
  for (PetscInt k = 0; k < n; ++k) {
    most[0] = PetscMax(most[0], PlexDGPMLCountVariables_Private(dg, kinds[k]));
    most[1] = PetscMax(most[1], PlexDGPMLSize(dg, kinds[k]));
  }
  p->items    = n + nconstant;
  p->nvarying = n;
  PetscCall(PetscMalloc1(n / PLEX_PML_ELEMENTS + parts + 1, &p->batches));
  PetscCall(PetscMalloc1(n + parts * PLEX_PML_ELEMENTS, &order));
  PetscCall(PlexDGPMLSetBatches(dg, n, kinds, order));
  PetscCall(PlexDGPMLUploadNumbers(dg, order, at, numbers));
  for (PetscInt k = 0; k < PLEX_PML_ELEMENTS * a->nbatches; ++k) order[k] = p->elements[order[k]];
  PetscCall(PlexDGUpload(dg, order, sizeof(int) * (size_t)(PLEX_PML_ELEMENTS * a->nbatches),
                         (const void **)&a->elements));
  PetscCall(PlexDGUpload(dg, p->batches, sizeof(PlexDGPMLBatch) * (size_t)a->nbatches, (const void **)&a->batches));
  PetscCall(PetscFree(order));
  end = p->batches[a->nbatches].first;
  if (nconstant) {
    p->inStage = (PetscBool)(dg->ops->layer && dg->pmlFused);
    PetscCall(PlexDGPMLConstantCreate_Private(dg, nconstant, p->elements + n, rates, end, &end));
    for (PetscInt k = 0; k < nconstant; ++k) {
      most[0] = PetscMax(most[0], p->constant->items[k].variables);
      most[1] = PetscMax(most[1], p->constant->items[k].variables * Np);
    }
  }
  PetscCallMPI(MPIU_Allreduce(MPI_IN_PLACE, most, 2, MPIU_INT, MPI_MAX, PetscObjectComm((PetscObject)dg)));
  p->most  = most[0];
  p->rows  = (most[1] + Np - 1) / Np;
  p->bytes = (p->narrow ? sizeof(float) : sizeof(double)) * (size_t)end;
  PetscCall(PlexBackendMalloc(dg->backend, p->bytes, &p->values));
  PetscCall(PlexBackendMalloc(dg->backend, p->bytes, &p->residual));
  PetscCall(PlexDGPMLZero_Private(dg));
  if (dg->backend->kernels && a->nbatches) PetscCall(PlexDGPMLCompile(dg));
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

/* The place of a variable's number i in its batch, from `first` on: of item e, rows of `width` in all */
static inline long long PlexDGPMLAt(long long first, PetscInt e, PetscInt i, PetscInt width)
{
  return first + i / 8 * 8 * PLEX_PML_ELEMENTS + e * PetscMin(8, width - i / 8 * 8) + i % 8;
}

/* Rates go to node i of field f */
static inline void PlexDGPMLPut(const PlexDGPMLArgs *a, const PlexDGPMLStage *s, long long at, double rate)
{
  (void)a;
  if (!s->r) return;
  rate *= s->factor;
  plex_state_set(s->r, s->single, at, plex_state_get(s->r, s->single, at) + rate);
  if (s->next) plex_state_set(s->next, s->single, at, plex_state_get(s->next, s->single, at) + s->weight * rate);
}

static inline double PlexDGPMLDot(PetscInt n, const double *row, const double *w)
{
  double sum = 0.;

  for (PetscInt j = 0; j < n; ++j) sum += row[j] * w[j];
  return sum;
}

/* A field, at `here` of the states, of item e where one axis is stretched; its variable from `first` on, `down`: with the
   factor in the denominator */
static void PlexDGPMLNodal(const PlexDGPMLArgs *a, const PlexDGPMLStage *s, PetscInt e, PetscBool down, long long first,
                           long long numbers, long long here)
{
  const double *V = (const double *)a->interpolate, *P = (const double *)a->project,
               *sigma = (const double *)a->numbers;
  double w[PLEX_PML_POINTS], v[PLEX_PML_POINTS];

  for (PetscInt i = 0; i < a->NP; ++i)
    w[i] = plex_state_get(s->u, s->single, here + i) -
           (down ? 1. : a->alpha) * plex_pml_get(s, s->values, PlexDGPMLAt(first, e, i, a->NP));
  for (PetscInt q = 0; q < a->NQ; ++q)
    v[q] = sigma[PlexDGPMLAt(numbers, e, q, (a->NQ + 7) / 8 * 8)] * PlexDGPMLDot(a->NP, V + q * a->NP, w);
  for (PetscInt i = 0; i < a->NP; ++i) {
    const long long at = PlexDGPMLAt(first, e, i, a->NP);
    const double    p = plex_pml_get(s, s->values, at), Sw = PlexDGPMLDot(a->NQ, P + i * a->NQ, v);
    const double    rate = down ? Sw - a->alpha * p : -Sw;

    plex_pml_update(s, at, p, down ? rate : w[i]);
    PlexDGPMLPut(a, s, here + i, rate);
  }
}

/* All fields of item e elsewhere: v[NF][NQ] */
static void PlexDGPMLPointwise(const PlexDGPMLArgs *a, const PlexDGPMLStage *s, const PlexDGPMLBatch *b, PetscInt e,
                               long long here, double *v)
{
  const double *V = (const double *)a->interpolate, *P = (const double *)a->project,
               *numbers = (const double *)a->numbers;
  const int NQ = (a->NQ + 7) / 8 * 8, apart = NQ * PLEX_PML_ELEMENTS, kind = b->kind;

  for (PetscInt f = 0; f < a->NF; ++f) {
    double u[PLEX_PML_POINTS];

    for (PetscInt i = 0; i < a->NP; ++i) u[i] = plex_state_get(s->u, s->single, here + f * a->NP + i);
    for (PetscInt q = 0; q < a->NQ; ++q) v[f * a->NQ + q] = PlexDGPMLDot(a->NP, V + q * a->NP, u);
  }
  for (PetscInt q = 0; q < a->NQ; ++q) {
    const double *r  = numbers + PlexDGPMLAt(b->at, e, q, NQ);
    long long     at = PlexDGPMLAt(b->first, e, q, NQ);

    if (kind == PLEX_PML_RADIAL) plex_pml_radial(a, s, r, v + q, a->NQ, at, apart);
    else
      for (PetscInt f = 0; f < a->NF; ++f) {
        const signed char *g  = a->stretch[f];
        const int          e0 = kind & 1 ? g[0] : 0, e1 = kind & 2 ? g[1] : 0, e2 = kind & 4 ? g[2] : 0;

        v[f * a->NQ + q] = plex_pml_scalar(a, s, v[f * a->NQ + q], e0, e1, e2, kind & 1 ? r[0] : 0.,
                                           kind & 2 ? r[kind & 1 ? apart : 0] : 0.,
                                           kind & 4 ? r[((kind & 1) + (kind >> 1 & 1)) * apart] : 0., at, apart);
        at += (long long)plex_pml_sections(e0, e1, e2) * apart;
      }
  }
  for (PetscInt f = 0; f < a->NF && s->r; ++f)
    for (PetscInt i = 0; i < a->NP; ++i)
      PlexDGPMLPut(a, s, here + f * a->NP + i, PlexDGPMLDot(a->NQ, P + i * a->NQ, v + f * a->NQ));
}

static void PlexDGPMLRun(void *ctx, PetscInt begin, PetscInt end)
{
  const PlexDGPMLLoop *l = (const PlexDGPMLLoop *)ctx;
  const PlexDGPMLArgs *a = l->args;
  double               v[PLEX_PML_FIELDS * PLEX_PML_POINTS];

  for (PetscInt k = begin; k < end; ++k) {
    const PlexDGPMLBatch *b = &a->batches[k];

    for (PetscInt e = 0; e < b->n; ++e) {
      const long long here  = (long long)a->elements[PLEX_PML_ELEMENTS * k + e] * a->NF * a->NP;
      long long       first = b->first;

      if (!plex_pml_is_nodal(b->kind)) PlexDGPMLPointwise(a, l->stage, b, e, here, v);
      else
        for (PetscInt f = 0; f < a->NF; ++f) {
          const int power = a->stretch[f][b->kind / 2];

          if (!power) continue;
          PlexDGPMLNodal(a, l->stage, e, (PetscBool)(power < 0), first, b->at, here + f * a->NP);
          first += (long long)PLEX_PML_ELEMENTS * a->NP;
        }
    }
  }
}

PetscErrorCode PlexDGPMLLevels_Private(PlexDG dg, PetscInt first, PetscInt last, PlexDGPMLStage *stage)
{
  PlexDGPML     p           = dg->pml;
  PlexDGPMLArgs args        = p->args;
  PlexDGPMLLoop loop        = {.args = &args, .stage = stage};
  void         *arguments[] = {&args, stage};

  PetscFunctionBegin;
  stage->narrow = p->narrow;
  if (p->constant && !p->isStage) PetscCall(PlexDGPMLConstantRun_Private(dg, first, last, stage));
  args.nbatches = (int)(p->levels[last + 1] - p->levels[first]);
  args.batches += p->levels[first];
  args.elements += PLEX_PML_ELEMENTS * p->levels[first];
  if (!args.nbatches) PetscFunctionReturn(PETSC_SUCCESS);
  if (p->kernel) PetscCall(PlexKernelLaunch(p->kernel, args.nbatches, 32 * args.NF, p->shared, arguments));
  else PetscCall(PlexThreadsRun(args.nbatches, PLEX_PML_LEAST / args.NQ + 1, PlexDGPMLRun, &loop));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGPMLLaunch(PlexDG dg, PlexDGPMLStage *stage)
{
  PetscFunctionBegin;
  stage->values   = dg->pml->values;
  stage->residual = dg->pml->residual;
  PetscCall(PlexDGPMLLevels_Private(dg, 0, PlexDGMeshLevelsN(dg->mesh) - 1, stage));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGPMLAdd_Private(PlexDG dg, const void *u, void *r)
{
  PlexDGPMLStage s = {.u = u, .r = r, .factor = 1.};

  PetscFunctionBegin;
  dg->pml->isStage = PETSC_FALSE;
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
  dg->pml->isStage = dg->pml->inStage;
  if (before != first) PetscCall(PlexDGPMLLaunch(dg, &s));
  if (!before) dg->pml->isStage = PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGPMLVec_Private(PlexDG dg, Vec U, PetscReal a, PetscReal b, PetscReal dt)
{
  PlexDGPMLStage s = {.a = a, .b = b, .dt = dt, .update = 1};

  PetscFunctionBegin;
  dg->pml->isStage = PETSC_FALSE;
  PetscCall(PlexBackendVecGet(dg->backend, U, PLEX_READ, &dg->pml->arrayU));
  s.u = dg->pml->arrayU.array;
  PetscCall(PlexDGPMLLaunch(dg, &s));
  PetscCall(PlexBackendVecRestore(dg->backend, &dg->pml->arrayU));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* ---- For checkpoints: [Ne][rows][Np], of which an element has its variables first, [variables][NP] where one axis is
   stretched or rates are constant, else [variables][NQ], then 0 */

/* Between `all` and the backend's memory, in its precision */
static PetscErrorCode PlexDGPMLCopy(PlexDG dg, PetscBool out, PetscReal all[])
{
  PlexDGPML    p = dg->pml;
  const size_t n = p->bytes / (p->narrow ? sizeof(float) : sizeof(double));
  float       *narrow;
  double      *wide;

  PetscFunctionBegin;
  PetscCall(PetscCalloc2(p->narrow ? n : 0, &narrow, p->narrow ? 0 : n, &wide));
  if (out && p->bytes)
    PetscCall(PlexBackendCopyOut(dg->backend, p->narrow ? (void *)narrow : wide, p->values, p->bytes));
  for (PetscInt i = 0; i < p->nvarying; ++i) {
    const PlexDGPMLBatch *b     = &p->batches[p->first[i] / PLEX_PML_ELEMENTS];
    const PetscInt        each  = plex_pml_is_nodal(b->kind) ? p->args.NP : p->args.NQ,
                          width = plex_pml_width(b->kind, p->args.NP, p->args.NQ), size = PlexDGPMLSize(dg, b->kind);

    for (PetscInt k = 0; k < size; ++k) {
      const size_t at   = (size_t)PlexDGPMLAt(b->first + (long long)(k / each) * PLEX_PML_ELEMENTS * width,
                                              p->first[i] % PLEX_PML_ELEMENTS, k % each, width);
      PetscReal   *here = &all[(size_t)p->elements[i] * (size_t)p->rows * (size_t)p->args.NP + (size_t)k];

      if (out) *here = p->narrow ? (PetscReal)narrow[at] : wide[at];
      else if (p->narrow) narrow[at] = (float)*here;
      else wide[at] = *here;
    }
  }
  for (PetscInt i = 0; i < p->items - p->nvarying; ++i) {
    const PlexDGPMLItem *item = &p->constant->items[i];

    for (PetscInt k = 0; k < item->variables * p->args.NP; ++k) {
      const size_t at   = (size_t)(item->first + k);
      PetscReal   *here = &all[(size_t)item->element * (size_t)p->rows * (size_t)p->args.NP + (size_t)k];

      if (out) *here = p->narrow ? (PetscReal)narrow[at] : wide[at];
      else if (p->narrow) narrow[at] = (float)*here;
      else wide[at] = *here;
    }
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
