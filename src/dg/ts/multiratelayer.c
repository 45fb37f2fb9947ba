/*
  A perfectly matched layer with local time steps. Its variables p, cuda/dg/pml.h, are of elements alone,

    u' = R u + B u + C p,   p' = D u + A p

  so that they have the polynomials in time of their element,

    p_0 = p,   p_k = D d_(k-1) + A p_(k-1)

  B and C are in the derivatives d_k of the state, and the step ends with the means m of u and n of p over it,

    u+ = u + h (R m + B m + C n),   p+ = p + h (D m + A n)

  Neighbours need nothing of p. How much the layer damps an element counts for its level.
*/
#include "multiratesums.h"

PetscErrorCode PlexMultirateLayerCreate_Private(PlexMultirate m)
{
  PlexDGPML p = m->dg->pml;

  PetscFunctionBegin;
  for (PetscInt k = 0; p && k < PLEX_MULTIRATE_ORDER; ++k) {
    double **array = k < PLEX_MULTIRATE_ORDER - 1 ? &m->layer[k] : &m->layerMean;

    PetscCall(PlexBackendMalloc(m->backend, p->bytes, (void **)array));
    PetscCall(PlexBackendZero(m->backend, *array, p->bytes));
    m->bytes += (PetscInt64)p->bytes;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexMultirateLayerDestroy_Private(PlexMultirate m)
{
  PetscFunctionBegin;
  for (PetscInt k = 0; k < PLEX_MULTIRATE_ORDER - 1; ++k) PetscCall(PlexBackendFree(m->backend, (void **)&m->layer[k]));
  PetscCall(PlexBackendFree(m->backend, (void **)&m->layerMean));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexMultirateLayerDifferentiate_Private(PlexMultirate m, PetscInt first, PetscInt last, PetscInt k,
                                                       double *u)
{
  PlexDGPML      p = m->dg->pml;
  PlexDGPMLStage stage =
    {.u = k ? m->rates[k - 1] : u, .r = m->rates[k], .factor = 1., .residual = m->layer[k], .dt = 1., .update = 1};

  PetscFunctionBegin;
  if (!p) PetscFunctionReturn(PETSC_SUCCESS);
  stage.values = k ? m->layer[k - 1] : (double *)p->values;
  PetscCall(PlexDGPMLLevels_Private(m->dg, first, last, &stage));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/* A sum of variables of a level */
static PetscErrorCode PlexMultirateLayerSum(PlexMultirate m, PetscInt level, const PlexDGMultirateSum *sum)
{
  PlexDGPML p = m->dg->pml;
  long long first, end;

  PetscFunctionBegin;
  PetscCall(PlexMultirateSumRange_Private(m, p->batches[p->levels[level]].first, p->batches[p->levels[level + 1]].first,
                                          sum));
  if (p->constant) {
    PetscCall(PlexDGPMLConstantRange_Private(m->dg, level, &first, &end));
    PetscCall(PlexMultirateSumRange_Private(m, first, end, sum));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexMultirateLayerMean_Private(PlexMultirate m, PetscInt level, PetscReal h)
{
  PlexDGPML p = m->dg->pml;

  PetscFunctionBegin;
  if (!p) PetscFunctionReturn(PETSC_SUCCESS);
  {
    const PlexDGMultirateSum mean = {
      .in  = {(double *)p->values, m->layer[0], m->layer[1], m->layer[2]    },
      .c   = {1.,                  h / 2.,      h * h / 6.,  h * h * h / 24.},
      .out = m->layerMean
    };

    PetscCall(PlexMultirateLayerSum(m, level, &mean));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexMultirateLayerUpdate_Private(PlexMultirate m, PetscInt level, PetscReal h, double *u)
{
  PlexDGPML      p = m->dg->pml;
  PlexDGPMLStage stage =
    {.u = m->mean, .r = u, .factor = h, .values = m->layerMean, .residual = m->layer[0], .dt = h, .update = 1};

  PetscFunctionBegin;
  if (!p) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexDGPMLLevels_Private(m->dg, level, level, &stage));
  {
    const PlexDGMultirateSum sum = {
      .in = {(double *)p->values, m->layer[0]},
        .c = {1.,                  1.         },
        .out = (double *)p->values
    };

    PetscCall(PlexMultirateLayerSum(m, level, &sum));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
