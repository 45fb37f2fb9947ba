/* What cuda/dg/fused_points.cuh reads of an element whose coefficients vary: numbers at points, of those that are read
   there, and the lower triangle of M^-1 */
#include "quadratureimpl.h"

/* Coefficients before number i in a set */
static PetscInt PlexDGMembers(unsigned set, PetscInt i)
{
  PetscInt n = 0;

  while (i-- > 0) n += set >> i & 1u;
  return n;
}

/* PLEX_DG_POINT_ROWS of cuda/dg/fused_numbers.cuh */
static PetscInt PlexDGPointRows(PlexDG dg)
{
  const PlexDGHost *host = dg->system->host[dg->precision];

  return host->NK + dg->reference->dim * PlexDGMembers(host->slopes, host->NK);
}

PetscInt PlexDGFaceNumbers_Private(PlexDG dg)
{
  const PlexDGHost *host = dg->system->host[dg->precision];
  const PetscInt    rows = 2 * PlexDGMembers(host->onfaces, host->NK) + (dg->quadrature->flatC ? 1 : 0);

  return (rows * dg->reference->faces * dg->quadrature->MG + 1) / 2 * 2;
}

/* PLEX_DG_EACH, of an element */
static PetscInt PlexDGNumbers(PlexDG dg)
{
  return PlexDGPointRows(dg) * ((dg->quadrature->NG + 1) / 2 * 2) + PlexDGFaceNumbers_Private(dg);
}

/* Of coefficient c: row[faces][MG] of element e, from K[Ne][faces][NK][MG] */
static void PlexDGFaceRow(PlexDG dg, PetscInt e, PetscInt c, const PetscReal K[], PetscReal row[])
{
  const PetscInt NK = dg->system->ncoefficients, faces = dg->reference->faces, MG = dg->quadrature->MG;

  for (PetscInt f = 0; f < faces; ++f)
    for (PetscInt g = 0; g < MG; ++g) row[f * MG + g] = K[(((size_t)e * faces + f) * NK + c) * MG + g];
}

PetscErrorCode PlexDGUploadNumbers_Private(PlexDG dg, const void **at)
{
  const PlexDGHost *host = dg->system->host[dg->precision];
  PlexDGQuadrature  Q    = dg->quadrature;
  const PetscInt    NK = dg->system->ncoefficients, dim = dg->reference->dim, NG = Q->NG, NGP = (NG + 1) / 2 * 2,
                    faces = dg->reference->faces * Q->MG, each = PlexDGNumbers(dg);
  const size_t      Ne = (size_t)dg->mesh->Ne, n = Ne * faces * NK;
  PetscReal        *all, *K, *KM, *KP;

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(NK * (1 + dim) * NG, &K, n, &KM, n, &KP));
  PetscCall(PetscCalloc1(Ne * each, &all));
  PetscCall(PlexDGFaceVariables_Private(dg, KM, KP));
  for (PetscInt e = 0; e < (PetscInt)Ne; ++e) {
    PetscReal *row = &all[(size_t)e * each];

    PlexDGElementVariables_Private(dg, e, K);
    for (PetscInt c = 0; c < NK; ++c)
      for (PetscInt d = 0; d <= (host->slopes >> c & 1u ? dim : 0); ++d, row += NGP)
        PetscCall(PetscArraycpy(row, &K[(c * (1 + dim) + d) * NG], NG));
    for (PetscInt side = 0; side < 2; ++side)
      for (PetscInt c = 0; c < NK; ++c) {
        if (!(host->onfaces >> c & 1u)) continue;
        PlexDGFaceRow(dg, e, c, side ? KP : KM, row);
        row += faces;
      }
    if (Q->flatC) PlexDGFaceRow(dg, e, dg->system->scale, KM, row);
  }
  PetscCall(PlexDGUploadReals(dg, Ne * each, all, at));
  PetscCall(PetscFree(all));
  PetscCall(PetscFree3(K, KM, KP));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGUploadHalfMass_Private(PlexDG dg, const void **at)
{
  PlexDGQuadrature Q  = dg->quadrature;
  const PetscInt   Np = dg->reference->Np;
  const size_t     n = Q->affine ? 1 : (size_t)dg->mesh->Ne, half = (size_t)Np * (Np + 1) / 2;
  PetscReal       *all;

  PetscFunctionBegin;
  PetscCall(PetscMalloc1(n * half, &all));
  for (size_t e = 0; e < n; ++e)
    for (PetscInt i = 0; i < Np; ++i)
      PetscCall(PetscArraycpy(&all[e * half + i * (i + 1) / 2], &Q->Minv[(e * Np + i) * Np], i + 1));
  PetscCall(PlexDGUploadReals(dg, n * half, all, at));
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}
