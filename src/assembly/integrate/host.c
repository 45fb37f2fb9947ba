/* Batches of the host's element integration: sizes, memory, tables, counts */
#include "host.h"
#include "integrate.h"

/* Memory that arrays are taken from, each at a multiple of a lane vector */
typedef struct {
  char  *memory; /* NULL: only counted */
  size_t used;   /* bytes */
} HostArena;

/* n items of `size` bytes, or NULL where they are only counted */
static void *HostTake(HostArena *arena, size_t n, size_t size)
{
  char *at = arena->memory ? arena->memory + arena->used : NULL;

  arena->used += (n * size + PLEX_HOST_BYTES - 1) / PLEX_HOST_BYTES * PLEX_HOST_BYTES;
  return at;
}

/* Most of: raw results at a point, E or D, rows, over the fields; in lane vectors */
static void HostSizes(PlexHostBatch b, size_t *raw, size_t *data, size_t *rows, size_t *out)
{
  PlexElements el = b->elements;

  *raw = *data = *rows = *out = 1;
  for (PetscInt fI = 0; fI < el->Nf; ++fI) {
    *out = PetscMax(*out, (size_t)2 * el->Nn[fI]);
    if (b->kind == PLEX_RESIDUAL) { /* of actions what both need */
      *raw  = PetscMax(*raw, (size_t)el->Nc[fI] * (1 + el->dim));
      *data = PetscMax(*data, (size_t)el->Nc[fI] * el->Nq * (1 + el->dim));
    }
    if (b->kind == PLEX_JACOBIAN || b->form->action) {
      for (PetscInt fJ = 0; fJ < el->Nf; ++fJ) {
        const size_t NcNc = (size_t)el->Nc[fI] * el->Nc[fJ];
        PlexPart     test, trial;

        PlexHostGetParts_Private(b->form, fI, fJ, &test, &trial);
        *raw  = PetscMax(*raw, NcNc * (1 + el->dim) * (1 + el->dim));
        *data = PetscMax(*data, NcNc * el->Nq * PlexHostPartSize_Private(test, el->dim) *
                                  PlexHostPartSize_Private(trial, el->dim));
        *rows = PetscMax(*rows, (size_t)2 * el->Nq * PlexHostPartSize_Private(trial, el->dim));
      }
    }
  }
}

/* tables[f][part]: [faces][Nq][parts][Nn]; of a vector space [Nc] of them */
static void HostTable(PlexElements el, PetscInt f, PlexPart part, PetscBool single, void *table)
{
  const PetscInt Nn = el->Nn[f], dim = el->dim;
  size_t         k = 0;

  for (PetscInt q = 0; q < PlexElementsTables(el, f) * el->faces * el->Nq; ++q) {
    for (PetscInt a = part & PLEX_PART_VALUE ? 0 : 1; a < (part & PLEX_PART_GRAD ? 1 + dim : 1); ++a) {
      for (PetscInt n = 0; n < Nn; ++n, ++k) {
        const PetscReal psi = a ? el->dphi[f][(q * Nn + n) * dim + a - 1] : el->phi[f][q * Nn + n];

        if (single) ((float *)table)[k] = (float)psi;
        else ((double *)table)[k] = (double)psi;
      }
    }
  }
}

/* Pairs ab of a pair of fields */
static PetscInt HostTensorSize(PlexHostBatch b, PetscInt fI, PetscInt fJ)
{
  PlexPart test, trial;

  PlexHostGetParts_Private(b->form, fI, fJ, &test, &trial);
  return b->tensor && b->tensor->symmetric
         ? b->tensor->nab
         : PlexHostPartSize_Private(test, b->elements->dim) * PlexHostPartSize_Private(trial, b->elements->dim);
}

/* The tensor has the parts that any pair of fields uses; of them those of one pair */
static void HostTensorTable(PlexHostBatch b, PetscInt fI, PetscInt fJ, PetscBool single, void *table)
{
  PlexElements   el  = b->elements;
  PlexTensor     t   = b->tensor ? b->tensor : b->constant;
  const PetscInt dim = el->dim;
  PlexPart       test, trial;
  PlexJets       jets;
  PetscInt       list[16], nab = 0, ab = 0;
  size_t         k = 0;

  PlexHostGetParts_Private(b->form, fI, fJ, &test, &trial);
  PlexFormGetJets_Private(b->form, PLEX_JACOBIAN, &jets);
  for (PetscInt a = jets.testValue ? 0 : 1; a <= (jets.testGrad ? dim : 0); ++a) {
    for (PetscInt c = t->symmetric ? a : jets.trialValue ? 0 : 1; c <= (jets.trialGrad ? dim : 0); ++c, ++ab)
      if ((a ? test & PLEX_PART_GRAD : test & PLEX_PART_VALUE) &&
          (c ? trial & PLEX_PART_GRAD : trial & PLEX_PART_VALUE))
        list[nab++] = ab;
  }
  for (PetscInt nk = 0; nk < el->Nn[fI] * t->at->Nq; ++nk) {
    for (PetscInt p = 0; p < nab; ++p) {
      for (PetscInt m = 0; m < el->Nn[fJ]; ++m, ++k) {
        const PetscReal value = t->K[t->offset[fI * el->Nf + fJ] + (nk * t->nab + list[p]) * el->Nn[fJ] + m];

        if (single) ((float *)table)[k] = (float)value;
        else ((double *)table)[k] = (double)value;
      }
    }
  }
}

/* Takes all arrays of the batch */
static void HostLayout(PlexHostBatch b, HostArena *arena)
{
  PlexElements el   = b->elements;
  const size_t real = PLEX_HOST_BYTES / b->lanes, vec = PLEX_HOST_BYTES, dim = el->dim, Nq = el->Nq,
               Ng = el->affine ? 1 : Nq, Nql = Nq * b->lanes;
  size_t       raw, data, rows, out, Nk = b->tensor ? Nq : b->constant ? 1 : 0; /* points of K */

  HostSizes(b, &raw, &data, &rows, &out);
  b->sizeRaw   = raw;
  b->sizeData  = data;
  b->constants = (PetscScalar *)HostTake(arena, b->form->numConstants + 3, sizeof(PetscScalar));
  b->X         = (PetscReal *)HostTake(arena, Nql * dim, sizeof(PetscReal));
  b->volume    = (PetscReal *)HostTake(arena, Nql, sizeof(PetscReal));
  b->u         = (PetscScalar *)HostTake(arena, Nql * b->Nct, sizeof(PetscScalar));
  b->u_t       = (PetscScalar *)HostTake(arena, Nql * b->Nct, sizeof(PetscScalar));
  b->u_x       = (PetscScalar *)HostTake(arena, Nql * b->Nct * dim, sizeof(PetscScalar));
  b->result    = (PetscScalar *)HostTake(arena, raw, sizeof(PetscScalar));
  b->invJ      = HostTake(arena, Ng * dim * dim, vec);
  b->wdetJ     = HostTake(arena, Nq, vec);
  b->local     = HostTake(arena, PetscMax((size_t)el->Nv * dim, (size_t)PetscMax(el->ef, el->ea)), vec);
  b->dofs      = b->local; /* the coordinates are done with when the dofs come */
  b->raw       = HostTake(arena, PLEX_REALS * raw, vec);
  b->data      = HostTake(arena, PLEX_REALS * data, vec);
  b->rows      = HostTake(arena, rows, vec);
  b->out       = HostTake(arena, out, vec);
  b->normal    = (PetscReal *)HostTake(arena, Nql * dim, sizeof(PetscReal));
  b->a         = el->ea ? (PetscScalar *)HostTake(arena, Nql * b->NctAux, sizeof(PetscScalar)) : NULL;
  b->a_x       = el->ea ? (PetscScalar *)HostTake(arena, Nql * b->NctAux * dim, sizeof(PetscScalar)) : NULL;
  b->testInvJ  = el->integral.facets ? HostTake(arena, Nq * dim * dim, vec) : b->invJ;
  b->first     = HostTake(arena, b->constant ? PLEX_REALS * raw : 0, vec);
  if (b->form->action) {
    b->sizeAction = raw;
    b->v          = (PetscScalar *)HostTake(arena, Nql * b->Nct, sizeof(PetscScalar));
    b->v_x        = (PetscScalar *)HostTake(arena, Nql * b->Nct * dim, sizeof(PetscScalar));
    b->jets       = HostTake(arena, PLEX_REALS * b->Nct * (1 + dim), vec);
    b->action     = HostTake(arena, PLEX_REALS * raw, vec);
  }
  for (PetscInt f = 0; f < el->Nf + el->NfAux; ++f) {
    for (int part = PLEX_PART_VALUE; part <= PLEX_PART_BOTH; ++part) {
      const size_t parts = PlexHostPartSize_Private((PlexPart)part, el->dim);

      b->tables[f][part] = HostTake(arena, (size_t)PlexElementsTables(el, f) * el->faces * Nq * el->Nn[f] * parts,
                                    real);
    }
  }
  for (PetscInt fI = 0; Nk && fI < el->Nf; ++fI) {
    for (PetscInt fJ = 0; fJ < el->Nf; ++fJ) {
      const size_t nab = HostTensorSize(b, fI, fJ);

      b->K[fI * el->Nf + fJ] = HostTake(arena, (size_t)el->Nn[fI] * Nk * nab * el->Nn[fJ], real);
    }
  }
}

/* Arrays that have an entry a field, or a pair of fields */
static PetscErrorCode HostFields(PlexHostBatch b)
{
  PlexElements el = b->elements;

  PetscFunctionBegin;
  PetscCall(PlexOffsetsCreate_Private(el, &b->offsets));
  PetscCall(PetscCalloc2(el->Nf + el->NfAux, &b->tables, el->Nf * el->Nf, &b->K));
  b->NfCalled = el->cohesive ? el->cohesive->Nf : el->Nf;
  b->NctAux   = b->offsets.aOff[el->NfAux];
  b->Nct      = b->offsets.uOff[b->NfCalled];
  b->skip     = b->Nct > el->Nf ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHostBatchCreate_Private(PlexAssembly asm_, const PlexProduct *product, PlexHostBatch *batch)
{
  PlexElements    el     = PlexProductElements_Private(asm_, (PlexProduct *)product);
  const PetscBool single = (PetscBool)(asm_->owner->precision == PLEX_PRECISION_SINGLE && !el->vectors);
  HostArena       arena  = {NULL, 0};
  PlexHostBatch   b;

  PetscFunctionBegin;
  PetscCall(PetscNew(&b));
  b->elements  = el;
  b->form      = asm_->form;
  b->tensor    = product->tensor;
  b->constant  = product->tensor ? NULL : product->constant;
  b->solution  = (PetscBool)!product->solutionUnread;
  b->kind      = product->kind;
  b->symmetric = product->symmetric;
  b->lanes     = PLEX_HOST_BYTES / (PetscInt)(single ? sizeof(float) : sizeof(double));
  if (el->vectors) b->integrate = PlexHostBatchIntegrate_Vectors;
  else b->integrate = single ? PlexHostBatchIntegrate_Single : PlexHostBatchIntegrate_Double;
  PetscCall(HostFields(b));
  HostLayout(b, &arena);
  PetscCall(PetscCalloc1(arena.used + PLEX_HOST_BYTES, &b->memory));
  arena.memory = b->memory + (PLEX_HOST_BYTES - (size_t)b->memory % PLEX_HOST_BYTES) % PLEX_HOST_BYTES;
  arena.used   = 0;
  HostLayout(b, &arena);
  for (PetscInt f = 0; f < el->Nf + el->NfAux; ++f)
    for (int part = PLEX_PART_VALUE; part <= PLEX_PART_BOTH; ++part)
      HostTable(el, f, (PlexPart)part, single, b->tables[f][part]);
  for (PetscInt fI = 0; (b->tensor || b->constant) && fI < el->Nf; ++fI)
    for (PetscInt fJ = 0; fJ < el->Nf; ++fJ) HostTensorTable(b, fI, fJ, single, b->K[fI * el->Nf + fJ]);
  *batch = b;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexHostBatchDestroy_Private(PlexHostBatch *b)
{
  PetscFunctionBegin;
  if (!*b) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PlexOffsetsDestroy_Private(&(*b)->offsets));
  PetscCall(PetscFree2((*b)->tables, (*b)->K));
  PetscCall(PetscFree((*b)->memory));
  PetscCall(PetscFree(*b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/*
  Flops of an element, the pointwise functions' own left out (they are the application's), pairs of components that turn
  out to be zero counted in:
    geometry   Ng (2 dim^2 Nv + 5 dim^2), dim^2 standing for determinant and inverse
    jets       Nq Nct (2 (1 + dim) Nn + 2 dim^2), auxiliary fields too
    residual   Nq Nc (2 dim^2 + (1 + dim) (1 + 2 Nn))
    Jacobian   NcI NcJ Nq (4 dim^3 + na nb + 2 na nb NnI + 2 nb NnI NnJ), na, nb the parts in use; of tensors 2 na nb
               NnI NnJ for the last two
  With complex scalars all but the geometry is done twice.
*/
double PlexHostBatchFlops_Private(PlexHostBatch b)
{
  PlexElements el  = b->elements;
  const double dim = (double)el->dim, Nq = (double)el->Nq, Ng = el->affine ? 1. : Nq;
  const double geometry = el->integral.facets ? 0. : Ng * dim * dim * (2. * (double)el->Nv + 5.);
  double       flops    = 0.;

  for (PetscInt f = el->Nf; f < el->Nf + el->NfAux; ++f)
    flops += Nq * (double)el->Nc[f] * (2. * (1. + dim) * (double)el->Nn[f] + 2. * dim * dim);
  for (PetscInt fI = 0; fI < el->Nf; ++fI) {
    const double NcI = (double)el->Nc[fI], NnI = (double)el->Nn[fI];

    flops += Nq * NcI * (2. * (1. + dim) * NnI + 2. * dim * dim);
    if (b->kind == PLEX_RESIDUAL) flops += Nq * NcI * (2. * dim * dim + (1. + dim) * (1. + 2. * NnI));
    if (b->form->action) { /* v at the points, and the products there */
      flops += Nq * NcI * (2. * (1. + dim) * NnI + 2. * dim * dim);
      for (PetscInt fJ = 0; fJ < el->Nf; ++fJ) {
        PlexPart test, trial;

        PlexHostGetParts_Private(b->form, fI, fJ, &test, &trial);
        flops += 2. * Nq * NcI * (double)el->Nc[fJ] *
                 (double)(PlexHostPartSize_Private(test, el->dim) * PlexHostPartSize_Private(trial, el->dim));
      }
    }
    if (b->kind == PLEX_JACOBIAN) {
      for (PetscInt fJ = 0; fJ < el->Nf; ++fJ) {
        PlexPart test, trial;
        double   na, nb;

        PlexHostGetParts_Private(b->form, fI, fJ, &test, &trial);
        na = (double)PlexHostPartSize_Private(test, el->dim);
        nb = (double)PlexHostPartSize_Private(trial, el->dim);
        if (na > 0. && nb > 0.)
          flops += (b->symmetric ? 0.5 : 1.) * NcI * (double)el->Nc[fJ] * Nq *
                   (4. * dim * dim * dim + na * nb +
                    (b->tensor
                       ? 2. * (b->tensor->symmetric ? (double)b->tensor->nab : na * nb) * NnI * (double)el->Nn[fJ]
                       : 2. * na * nb * NnI + 2. * nb * NnI * (double)el->Nn[fJ]));
      }
    }
  }
  return geometry + PLEX_REALS * flops;
}
