/*
  Elements of a perfectly matched layer whose rates are constant: their variables are at the nodes, and what the layer does is
  pointwise, cuda/dg/pml_constant.h. A stage of type fused has it in its own kernel, others in a pass of their own.

  Their variables are behind those of other elements, an element's in one piece, [variables][Np], in the order of levels of
  time steps and of elements.
*/
#include "coreimpl.h"

#define PLEX_PML_FUNCTION static inline
#include <dg/pml_constant.h>

#define PLEX_PML_THREADS 128
#define PLEX_PML_NODES   256 /* a thread of the host */

PetscErrorCode PlexDGPMLConstantDestroy_Private(PlexDGPMLConstant *constant)
{
  PlexDGPMLConstant c = *constant;

  PetscFunctionBegin;
  if (!c) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexModuleDestroy(&c->module));
  PetscCall(PetscFree(c->items));
  PetscCall(PetscFree(c->levels));
  PetscCall(PetscFree(*constant));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* Sections of field f, t and l of each, [PLEX_PML_ROUNDS][Nf][2], of axes with these rates, 0: not stretched */
static PetscInt PlexDGPMLSetSections(PlexDG dg, PetscInt f, const PetscReal rates[3], PetscReal numbers[])
{
  const PlexDGHost *host  = dg->system->host[0];
  const PetscReal   alpha = dg->pml->alpha;
  PetscReal         up[3], down[3];
  PetscInt          nup = 0, ndown = 0;

  for (PetscInt d = 0; d < dg->mesh->dim; ++d) {
    if (rates[d] <= 0.) continue;
    if (host->stretch[f][d] > 0) up[nup++] = rates[d];
    if (host->stretch[f][d] < 0) down[ndown++] = rates[d];
  }
  for (PetscInt k = 0; k < PLEX_PML_ROUNDS; ++k) {
    const PetscReal P = k < nup ? up[k] : 0., Q = k < ndown ? down[k] : 0.;
    PetscReal      *to = &numbers[(k * host->Nf + f) * 2];

    to[0] = P - Q;
    to[1] = k < nup || k < ndown ? alpha + Q : -1.;
  }
  return PetscMax(nup, ndown);
}

/* The last one that is stretched; gives how many are */
static PetscInt PlexDGPMLSetAxis(PlexDG dg, const PetscReal rates[3], PlexDGPMLAxis *axis)
{
  const PlexDGHost *host = dg->system->host[0];
  PetscInt          n    = 0;

  *axis = (PlexDGPMLAxis){.rate = 0.};
  for (PetscInt d = 0; d < dg->mesh->dim; ++d) {
    if (rates[d] <= 0.) continue;
    ++n;
    axis->rate = rates[d];
    axis->down = 0;
    for (PetscInt f = 0; f < host->Nf; ++f)
      if (host->stretch[f][d] < 0) axis->down |= 1 << f;
  }
  return n;
}

static int PlexDGPMLCompareRates(const void *a, const void *b)
{
  const PetscReal *x = *(const PetscReal *const *)a, *y = *(const PetscReal *const *)b;

  for (int d = 0; d < 3; ++d)
    if (x[d] != y[d]) return x[d] < y[d] ? -1 : 1;
  return 0;
}

/* Rows: rates that are the same have one; the row of each element, and an item of each row, of no element yet */
static PetscErrorCode PlexDGPMLConstantSetRows(PlexDG dg, PetscInt n, const PetscReal rates[], PetscInt rowOf[],
                                               PetscInt *nrows, PlexDGPMLItem **items, PetscReal **numbers,
                                               PlexDGPMLAxis **axes)
{
  const PetscInt    Nf = dg->system->host[0]->Nf, size = PLEX_PML_ROUNDS * Nf * 2;
  const PetscReal **order;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n, &order));
  for (PetscInt i = 0; i < n; ++i) order[i] = &rates[3 * i];
  qsort(order, (size_t)n, sizeof(order[0]), PlexDGPMLCompareRates);
  *nrows = 0;
  for (PetscInt i = 0; i < n; ++i) {
    *nrows += i == 0 || PlexDGPMLCompareRates(&order[i - 1], &order[i]) != 0;
    rowOf[(order[i] - rates) / 3] = *nrows - 1;
  }
  PetscCheck(*nrows <= SHRT_MAX, PETSC_COMM_SELF, PETSC_ERR_PLIB, "%" PetscInt_FMT " rates of a layer", *nrows);
  PetscCall(PetscMalloc3(*nrows, items, *nrows * size, numbers, *nrows, axes));
  for (PetscInt i = 0; i < n; ++i) {
    const PetscInt row  = rowOf[(order[i] - rates) / 3];
    PlexDGPMLItem *item = *items + row;

    if (i > 0 && row == rowOf[(order[i - 1] - rates) / 3]) continue;
    *item = (PlexDGPMLItem){.row = (short)row};
    for (PetscInt f = 0; f < Nf; ++f) {
      const PetscInt rounds = PlexDGPMLSetSections(dg, f, order[i], *numbers + size * row);

      item->rounds = (signed char)PetscMax(item->rounds, rounds);
      item->variables += (signed char)rounds;
    }
    if (PlexDGPMLSetAxis(dg, order[i], *axes + row) == 1 && item->variables == Nf) item->rounds = PLEX_PML_AXIS;
  }
  PetscCall(PetscFree(order));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGPMLConstantCreate_Private(PlexDG dg, PetscInt n, const int elements[], const PetscReal rates[],
                                               long long first, long long *end)
{
  const PetscInt    nlevels = PlexDGMeshLevelsN(dg->mesh), Np = dg->reference->Np;
  PlexDGPML         p = dg->pml;
  PlexDGPMLConstant c;
  PetscInt          nrows = 0, k = 0, *rowOf;
  PetscReal        *numbers;
  PlexDGPMLAxis    *axes;
  PlexDGPMLItem    *all, *rows;

  PetscFunctionBegin;
  *end = first;
  PetscCall(PetscNew(&p->constant));
  c = p->constant;
  PetscCall(PetscMalloc1(n, &c->items));
  PetscCall(PetscMalloc1(nlevels + 1, &c->levels));
  PetscCall(PetscCalloc1(dg->mesh->Ne, &all));
  PetscCall(PetscMalloc1(n, &rowOf));
  PetscCall(PlexDGPMLConstantSetRows(dg, n, rates, rowOf, &nrows, &rows, &numbers, &axes));
  c->levels[0] = 0;
  for (PetscInt level = 0; level < nlevels; ++level) {
    for (PetscInt i = 0; i < n; ++i) {
      PlexDGPMLItem *item = &c->items[k];

      if (PlexDGMeshGetLevel(dg->mesh, elements[i]) != level) continue;
      *item         = rows[rowOf[i]];
      item->element = elements[i];
      item->first   = *end;
      *end += (long long)item->variables * Np;
      all[item->element] = *item;
      ++k;
    }
    c->levels[level + 1] = k;
  }
  c->args.n  = n;
  c->args.NP = (int)Np;
  c->args.NF = (int)dg->system->host[0]->Nf;
  PetscCall(PlexDGUpload(dg, c->items, sizeof(PlexDGPMLItem) * (size_t)n, (const void **)&c->args.items));
  PetscCall(PlexDGPMLUploadReals_Private(dg, (size_t)(nrows * PLEX_PML_ROUNDS * c->args.NF * 2), numbers,
                                         &c->args.numbers));
  PetscCall(PlexDGUpload(dg, axes, sizeof(PlexDGPMLAxis) * (size_t)nrows, (const void **)&c->args.axes));
  c->args.alpha = p->alpha;
  if (p->inStage)
    PetscCall(PlexDGUpload(dg, all, sizeof(PlexDGPMLItem) * (size_t)dg->mesh->Ne, (const void **)&c->layer.items));
  c->layer.numbers = c->args.numbers;
  c->layer.axes    = c->args.axes;
  c->layer.alpha   = c->args.alpha;
  PetscCall(PetscFree3(rows, numbers, axes));
  PetscCall(PetscFree(rowOf));
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}

static PetscErrorCode PlexDGPMLConstantCompile(PlexDG dg)
{
  PlexDGPMLConstant c = dg->pml->constant;
  char              text[3][48];
  const char       *defines[] = {text[0], text[1], text[2]};

  PetscFunctionBegin;
  PetscCall(PetscSNPrintf(text[0], sizeof(text[0]), "PLEX_SINGLE=%d", (int)dg->pml->narrow));
  PetscCall(PetscSNPrintf(text[1], sizeof(text[1]), "PLEX_PML_NP=%d", c->args.NP));
  PetscCall(PetscSNPrintf(text[2], sizeof(text[2]), "PLEX_PML_NF=%d", c->args.NF));
  PetscCall(PlexBackendCompile(dg->backend, "pml_constant.cu", 3, defines, "#include \"dg/pml_constant.cu\"\n",
                               &c->module));
  PetscCall(PlexModuleGetKernel(c->module, "plex_dg_pml_constant", &c->kernel));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGPMLConstantRange_Private(PlexDG dg, PetscInt level, long long *first, long long *end)
{
  PlexDGPMLConstant    c = dg->pml->constant;
  const PlexDGPMLItem *last;

  PetscFunctionBegin;
  *first = *end = 0;
  if (c->levels[level] == c->levels[level + 1]) PetscFunctionReturn(PETSC_SUCCESS);
  last   = &c->items[c->levels[level + 1] - 1];
  *first = c->items[c->levels[level]].first;
  *end   = last->first + (long long)last->variables * c->args.NP;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PlexDGLayer *PlexDGPMLGetLayer_Private(PlexDG dg)
{
  PlexDGPML p = dg->pml;

  if (!p || !p->constant || !p->isStage) return NULL;
  p->constant->layer.values   = p->values;
  p->constant->layer.residual = p->residual;
  return &p->constant->layer;
}

/* ---- Rates and stages */

typedef struct {
  const PlexDGPMLConstantArgs *args;
  const PlexDGPMLStage        *stage;
} PlexDGPMLConstantLoop;

static void PlexDGPMLConstantRun(void *ctx, PetscInt begin, PetscInt end)
{
  const PlexDGPMLConstantLoop *l = (const PlexDGPMLConstantLoop *)ctx;
  const PlexDGPMLConstantArgs *a = l->args;
  const PlexDGPMLStage        *s = l->stage;

  for (PetscInt k = begin; k < end; ++k) {
    const PlexDGPMLItem item = a->items[k];

    for (int i = 0; i < a->NP; ++i) {
      const long long at = (long long)item.element * a->NF * a->NP + i;
      double          u[PLEX_PML_FIELDS], rate[PLEX_PML_FIELDS] = {0.};

      for (int f = 0; f < a->NF; ++f) u[f] = plex_state_get(s->u, s->single, at + f * a->NP);
      plex_pml_constant(s, item, (const double *)a->numbers, a->axes, a->alpha, a->NF, a->NP, i, u, rate);
      for (int f = 0; f < a->NF && s->r; ++f) {
        const long long to = at + f * a->NP;

        plex_state_set(s->r, s->single, to, plex_state_get(s->r, s->single, to) + s->factor * rate[f]);
        if (s->next)
          plex_state_set(s->next, s->single, to,
                         plex_state_get(s->next, s->single, to) + s->weight * s->factor * rate[f]);
      }
    }
  }
}

PetscErrorCode PlexDGPMLConstantRun_Private(PlexDG dg, PetscInt first, PetscInt last, PlexDGPMLStage *stage)
{
  PlexDGPMLConstant     c           = dg->pml->constant;
  PlexDGPMLConstantArgs args        = c->args;
  PlexDGPMLConstantLoop loop        = {.args = &args, .stage = stage};
  void                 *arguments[] = {&args, stage};

  PetscFunctionBegin;
  args.items += c->levels[first];
  args.n = c->levels[last + 1] - c->levels[first];
  if (!args.n) PetscFunctionReturn(PETSC_SUCCESS);
  if (dg->backend->kernels) {
    const long long threads = args.n * args.NP;

    if (!c->kernel) PetscCall(PlexDGPMLConstantCompile(dg));
    PetscCall(PlexKernelLaunch(c->kernel, (PetscInt)((threads + PLEX_PML_THREADS - 1) / PLEX_PML_THREADS),
                               PLEX_PML_THREADS, 0, arguments));
  } else PetscCall(PlexThreadsRun((PetscInt)args.n, PLEX_PML_NODES / args.NP + 1, PlexDGPMLConstantRun, &loop));
  PetscFunctionReturn(PETSC_SUCCESS);
}
