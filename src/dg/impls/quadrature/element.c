/*
  DG with quadrature by a thread an element, cuda/dg/quadrature_element.cu: where elements are affine and have few
  values
*/
#include "quadratureimpl.h"

/* Values of an element at most, by default: measured, docs/notes/2026-rounds.md. Of coefficients that are the same in
   all of it; of those of points; and where rates are corrected by energy */
#define PLEX_DG_ELEMENT_VALUES           27
#define PLEX_DG_ELEMENT_VALUES_POINTS    18
#define PLEX_DG_ELEMENT_VALUES_CORRECTED 12
#define PLEX_DG_ELEMENT_BYTES            3600 /* of the matrices, which are arguments: a kernel has 4 KB of them */

static size_t PlexDGRealBytes(PlexDG dg)
{
  return dg->precision == PLEX_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
}

/* Numbers of PlexDGElementTables */
static size_t PlexDGElementNumbers(PlexDG dg)
{
  PlexDGReference  R = dg->reference;
  PlexDGQuadrature Q = dg->quadrature;

  return (size_t)((1 + R->dim + (dg->system->host[0]->addsource ? 1 : 0)) * Q->NG * R->Np +
                  Q->MG * (R->Nfp + R->faces * R->Np));
}

PetscBool PlexDGElementFits_Private(PlexDG dg)
{
  return (PetscBool)(dg->quadrature->affine && PlexDGElementNumbers(dg) * PlexDGRealBytes(dg) <= PLEX_DG_ELEMENT_BYTES);
}

PetscBool PlexDGElementIsFaster_Private(PlexDG dg)
{
  const PetscInt most = dg->entropy   ? PLEX_DG_ELEMENT_VALUES_CORRECTED
                      : dg->variables ? PLEX_DG_ELEMENT_VALUES_POINTS
                                      : PLEX_DG_ELEMENT_VALUES;

  return (PetscBool)(PlexDGElementFits_Private(dg) && dg->system->Nf * dg->reference->Np <= most);
}

size_t PlexDGElementShared_Private(PlexDG dg, PetscInt elements)
{
  const PetscInt values = dg->system->Nf * dg->reference->Np,
                 traces = dg->system->Nf * dg->reference->faces * dg->reference->Nfp / 2 * 2 + 1;

  return (size_t)elements * (size_t)(values + PetscMax(traces, values)) * PlexDGRealBytes(dg);
}

/* The numbers one behind the other, as PlexDGElementTables has them: phi, psi, W3, W5, W2, the last three with M^-1 */
PetscErrorCode PlexDGElementTables_Private(PlexDG dg, void **numbers)
{
  PlexDGReference  R  = dg->reference;
  PlexDGQuadrature Q  = dg->quadrature;
  const PetscInt   Np = R->Np, counts[] = {Q->NG * Np, Q->MG * R->Nfp, R->dim * Q->NG * Np, R->faces * Q->MG * Np,
                                           dg->system->host[0]->addsource ? Q->NG * Np : 0};
  PlexDGTables     tables;
  size_t           n = 0;

  PetscFunctionBegin;
  PetscCall(PlexDGTablesCreate_Private(Q, R, PETSC_TRUE, &tables));
  PetscCall(PetscMalloc(PlexDGElementNumbers(dg) * PlexDGRealBytes(dg), numbers));
  for (size_t t = 0; t < PETSC_STATIC_ARRAY_LENGTH(counts); ++t) {
    const PetscReal *table = t == 0 ? Q->phi : t == 1 ? Q->psi : t == 2 ? tables.W3 : t == 3 ? tables.W5 : tables.W2;

    for (PetscInt i = 0; i < counts[t]; ++i, ++n) {
      if (dg->precision == PLEX_PRECISION_SINGLE) ((float *)*numbers)[n] = (float)table[i];
      else ((double *)*numbers)[n] = table[i];
    }
  }
  PetscCall(PlexDGTablesDestroy_Private(&tables));
  PetscFunctionReturn(PETSC_SUCCESS);
}
