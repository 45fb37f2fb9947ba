/*
  Basis tables in the one order that host and device agree on (cuda/integrate/quadrature.cuh), entry 0 of 1 + dim the
  value, the others the reference gradient: for each field, auxiliary ones too, [1 + dim][Nn][Nq], for threads that each
  take a point, and [Nq][1 + dim][Nn], for threads that each take a node, of a vector space both for each component; then
  the coordinates' [1 + dim][Nv][Nq], then the weights [Nq]. Of facets, Nq counts the points of all local faces here, but for the weights. Of a product that is
  integrated by tensors the points are those of its polynomials, and K comes last.
*/
#include <plexgpu/private/assemblyimpl.h>
#include "integrate.h"

/* Tables up to this many numbers are compiled into the kernel: the limit of what a compiler folds in reasonable time */
#define PLEX_TABLES_MOST_COMPILED 4096
/* Where the compiler knows which rows are computed, and K is all but those of a few: */
#define PLEX_TABLES_MOST_TURNED 16384

static PetscInt PlexTablesSize(PlexElements elements)
{
  PetscInt n = elements->Nq * (1 + elements->Nv * (1 + elements->dim));

  for (PetscInt f = 0; f < elements->Nf + elements->NfAux; ++f)
    n += 2 * PlexElementsTables(elements, f) * elements->faces * elements->Nq * elements->Nn[f] * (1 + elements->dim);
  return n;
}

PlexElements PlexProductElements_Private(PlexAssembly asm_, PlexProduct *product)
{
  return product->tensor ? product->tensor->at : asm_->elements;
}

PetscInt PlexAssemblyPoints(PlexAssembly asm_, PlexProduct *product)
{
  return PlexProductElements_Private(asm_, product)->Nq;
}

static PetscBool PlexTablesFit(PlexAssembly asm_, PlexProduct *product, PetscBool turned)
{
  return PlexTablesSize(PlexProductElements_Private(asm_, product)) + (product->tensor ? product->tensor->n : 0) <=
             (turned && product->tensor ? PLEX_TABLES_MOST_TURNED : PLEX_TABLES_MOST_COMPILED)
         ? PETSC_TRUE
         : PETSC_FALSE;
}

PetscBool PlexTablesCompiled_Private(PlexAssembly asm_, PlexProduct *product)
{
  if (product->integrator && product->integrator->tables) return PETSC_FALSE;
  return PlexTablesFit(asm_, product, product->turned);
}

PetscBool PlexTablesCompiledTurned_Private(PlexAssembly asm_, PlexProduct *product)
{
  return PlexTablesFit(asm_, product, PETSC_TRUE);
}

/* Entry a of the jet of node n at point q: value and gradient are [Nq][N] and [Nq][N][dim] */
static PetscReal PlexJet(PetscInt N, PetscInt dim, const PetscReal value[], const PetscReal gradient[], PetscInt q,
                         PetscInt n, PetscInt a)
{
  return a ? gradient[(q * N + n) * dim + a - 1] : value[q * N + n];
}

static PetscReal *PlexTablesAppend(PetscInt Nq, PetscInt N, PetscInt dim, const PetscReal value[],
                                   const PetscReal gradient[], PetscBool nodesToo, PetscReal *t)
{
  for (PetscInt a = 0; a <= dim; ++a)
    for (PetscInt n = 0; n < N; ++n)
      for (PetscInt q = 0; q < Nq; ++q) *t++ = PlexJet(N, dim, value, gradient, q, n, a);
  for (PetscInt q = 0; q < Nq && nodesToo; ++q)
    for (PetscInt a = 0; a <= dim; ++a)
      for (PetscInt n = 0; n < N; ++n) *t++ = PlexJet(N, dim, value, gradient, q, n, a);
  return t;
}

PetscErrorCode PlexTablesCreate_Private(PlexAssembly asm_, PlexProduct *product, PetscInt *n, PetscReal **tables)
{
  PlexElements elements = PlexProductElements_Private(asm_, product);
  PetscReal   *t;

  PetscFunctionBegin;
  *n = PlexTablesSize(elements) + (product->tensor ? product->tensor->n : 0);
  PetscCall(PetscMalloc1(*n, tables));
  t = *tables;
  for (PetscInt f = 0; f < elements->Nf + elements->NfAux; ++f) {
    const PetscInt points = elements->faces * elements->Nq, size = points * elements->Nn[f];

    for (PetscInt k = 0; k < PlexElementsTables(elements, f); ++k)
      t = PlexTablesAppend(points, elements->Nn[f], elements->dim, &elements->phi[f][k * size],
                           &elements->dphi[f][k * size * elements->dim], PETSC_TRUE, t);
  }
  t = PlexTablesAppend(elements->Nq, elements->Nv, elements->dim, elements->psi, elements->dpsi, PETSC_FALSE, t);
  PetscCall(PetscArraycpy(t, elements->weights, elements->Nq));
  if (product->tensor) PetscCall(PetscArraycpy(t + elements->Nq, product->tensor->K, product->tensor->n));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexTablesUpload_Private(PlexAssembly asm_, PlexProduct *product)
{
  PetscReal *tables;
  float     *single;
  PetscInt   n;

  PetscFunctionBegin;
  PetscCall(PlexBackendFree(asm_->backend, &product->tables));
  if (PlexTablesCompiled_Private(asm_, product)) PetscFunctionReturn(PETSC_SUCCESS);
  if (product->integrator && product->integrator->tables)
    PetscCall((*product->integrator->tables)(asm_, product, &n, &tables));
  else PetscCall(PlexTablesCreate_Private(asm_, product, &n, &tables));
  if (asm_->owner->precision == PLEX_PRECISION_SINGLE) {
    PetscCall(PetscMalloc1(n, &single));
    for (PetscInt k = 0; k < n; ++k) single[k] = (float)tables[k];
    PetscCall(PlexBackendUpload(asm_->backend, single, sizeof(float) * n, &product->tables));
    PetscCall(PetscFree(single));
  } else PetscCall(PlexBackendUpload(asm_->backend, tables, sizeof(PetscReal) * n, &product->tables));
  PetscCall(PetscFree(tables));
  PetscFunctionReturn(PETSC_SUCCESS);
}
