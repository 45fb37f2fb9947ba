/*
  Basis tables in the one order that host and device agree on (cuda/integrate/quadrature.cuh):
  for each field [Nq][Nn][1 + dim] (value, reference gradient), then the coordinates' [Nq][Nv][1 + dim], then the weights [Nq].
*/
#include <plexgpu/impl.h>
#include "../interface/assemblyimpl.h"

/* Tables up to this many numbers are compiled into the kernel: the limit of what a compiler folds in reasonable time */
#define PLEX_TABLES_MOST_COMPILED 2048

static PetscInt PlexTablesSize(PlexElements elements)
{
  PetscInt n = elements->Nq * (1 + elements->Nv * (1 + elements->dim));

  for (PetscInt f = 0; f < elements->Nf; ++f) n += elements->Nq * elements->Nn[f] * (1 + elements->dim);
  return n;
}

PetscBool PlexTablesCompiled_Private(PlexElements elements)
{
  return PlexTablesSize(elements) <= PLEX_TABLES_MOST_COMPILED ? PETSC_TRUE : PETSC_FALSE;
}

static PetscReal *PlexTablesAppend(PetscInt n, PetscInt dim, const PetscReal value[], const PetscReal gradient[], PetscReal *t)
{
  for (PetscInt k = 0; k < n; ++k) {
    *t++ = value[k];
    for (PetscInt a = 0; a < dim; ++a) *t++ = gradient[k * dim + a];
  }
  return t;
}

PetscErrorCode PlexTablesCreate_Private(PlexElements elements, PetscInt *n, PetscReal **tables)
{
  PetscReal *t;

  PetscFunctionBegin;
  *n = PlexTablesSize(elements);
  PetscCall(PetscMalloc1(*n, tables));
  t = *tables;
  for (PetscInt f = 0; f < elements->Nf; ++f) t = PlexTablesAppend(elements->Nq * elements->Nn[f], elements->dim, elements->phi[f], elements->dphi[f], t);
  t = PlexTablesAppend(elements->Nq * elements->Nv, elements->dim, elements->psi, elements->dpsi, t);
  PetscCall(PetscArraycpy(t, elements->weights, elements->Nq));
  PetscFunctionReturn(PETSC_SUCCESS);
}
