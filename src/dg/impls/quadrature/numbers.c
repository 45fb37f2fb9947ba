/* What cuda/dg/fused_points.cuh reads of elements whose coefficients vary: numbers at points, of those that are read
   there, and lower triangles of M^-1. In rows of all elements of a block, as cuda/dg/fused_numbers.cuh says */
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
  const PetscInt    dim = dg->reference->dim, faces = dg->reference->faces,
                    rows = 2 * PlexDGMembers(host->onfaces, host->NK) + (dg->quadrature->flatC ? 1 : 0);

  return rows * faces * dg->quadrature->MG +
         (dg->quadrature->affine || dg->quadrature->flatC ? dim * dim + faces * (dim + 1) : 0);
}

/* Where the elements are, in blocks of `elements`, those that wait for traces in blocks of their own */
static PetscInt PlexDGPlace(PlexDG dg, PetscInt elements, PetscInt e)
{
  const PetscInt wait = dg->mesh->Ninterior;

  return e < wait ? e : e + (elements - wait % elements) % elements;
}

/* Numbers [NG] of row r of those at points to all[rows][elements], at element e of its block: plex_dg_number_at() */
static void PlexDGSetPointRow(PlexDG dg, PetscInt elements, PetscInt e, PetscInt r, const PetscReal K[],
                              PetscReal all[])
{
  const PlexDGHost *host = dg->system->host[dg->precision];
  const PetscInt    Nf = dg->system->Nf, NG = dg->quadrature->NG, rows = PlexDGPointRows(dg),
                    places = dg->reference->dim + (host->addsource ? 1 : 0) - 1, parts = PetscMin(rows / Nf, places),
                    full = parts * Nf, rest = rows - full;
  /* behind the parts of fluxes, and in the place of the depth, columns begin at a multiple of 4 */
  const PetscInt column = r < full                                      ? (1 + r / Nf) * NG
                        : parts < places && !(dg->entropy && rest == 1) ? (1 + parts) * NG
                                                                        : 0;

  for (PetscInt g = 0; g < NG; ++g) {
    const PetscInt row = r < full ? (r / Nf * NG + g) * Nf + r % Nf : full * NG + g * rest + r - full;

    all[row * elements + (e ^ ((column + g) & 3))] = K[g]; /* plex_dg_order() */
  }
}

/* Of a straight element dr_a/dx_d, and of each face normal and length, `elements` apart */
static void PlexDGSetGeometry(PlexDG dg, PetscInt elements, PetscInt e, PetscReal to[])
{
  PlexDGQuadrature Q   = dg->quadrature;
  const PetscInt   dim = dg->reference->dim, faces = dg->reference->faces;
  const PetscReal *C = &(Q->flatC ? Q->flatC : Q->C)[e * dim * dim],
                  *n = &(Q->flatC ? Q->flatNormals : Q->normals)[e * faces * dim];

  for (PetscInt i = 0; i < dim * dim; ++i, to += elements) *to = C[i];
  for (PetscInt f = 0; f < faces; ++f, n += dim, to += elements) {
    PetscReal length = 0.;

    for (PetscInt d = 0; d < dim; ++d) length += PetscSqr(n[d]);
    length = PetscSqrtReal(length);
    for (PetscInt d = 0; d < dim; ++d, to += elements) *to = n[d] / length;
    *to = length;
  }
}

PetscErrorCode PlexDGUploadNumbers_Private(PlexDG dg, PetscInt elements, const void **at)
{
  const PlexDGHost *host = dg->system->host[dg->precision];
  PlexDGQuadrature  Q    = dg->quadrature;
  const PetscInt    NK = dg->system->ncoefficients, dim = dg->reference->dim, NG = Q->NG, faces = dg->reference->faces,
                    MG = Q->MG, points = PlexDGPointRows(dg) * NG, each = points + PlexDGFaceNumbers_Private(dg);
  const size_t      Ne = (size_t)dg->mesh->Ne, n = Ne * faces * NK * MG,
                    blocks = (size_t)((PlexDGPlace(dg, elements, dg->mesh->Ne) + elements - 1) / elements);
  PetscReal        *all, *K, *sides[2];

  PetscFunctionBegin;
  PetscCall(PetscMalloc3(NK * (1 + dim) * NG, &K, n, &sides[0], n, &sides[1]));
  PetscCall(PetscCalloc1(blocks * each * elements, &all));
  PetscCall(PlexDGFaceVariables_Private(dg, sides[0], sides[1]));
  for (PetscInt e = 0; e < (PetscInt)Ne; ++e) {
    const PetscInt place = PlexDGPlace(dg, elements, e), in = place % elements;
    PetscReal     *block = &all[(size_t)(place / elements) * each * elements], *face = &block[points * elements + in];
    PetscInt       r = 0;

    PlexDGElementVariables_Private(dg, e, K);
    for (PetscInt c = 0; c < NK; ++c)
      for (PetscInt d = 0; d <= (host->slopes >> c & 1u ? dim : 0); ++d)
        PlexDGSetPointRow(dg, elements, in, r++, &K[(c * (1 + dim) + d) * NG], block);
    for (PetscInt side = 0; side <= 2; ++side) /* 2: of the scale */
      for (PetscInt c = 0; c < NK; ++c) {
        if (side < 2 ? !(host->onfaces >> c & 1u) : !Q->flatC || c != dg->system->scale) continue;
        for (PetscInt f = 0; f < faces; ++f)
          for (PetscInt g = 0; g < MG; ++g, face += elements)
            *face = sides[side % 2][(((size_t)e * faces + f) * NK + c) * MG + g];
      }
    if (Q->affine || Q->flatC) PlexDGSetGeometry(dg, elements, e, face);
  }
  PetscCall(PlexDGUploadReals(dg, blocks * each * elements, all, at));
  PetscCall(PetscFree(all));
  PetscCall(PetscFree3(K, sides[0], sides[1]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PlexDGUploadHalfMass_Private(PlexDG dg, PetscInt elements, const void **at)
{
  PlexDGQuadrature Q  = dg->quadrature;
  const PetscInt   Np = dg->reference->Np, Ne = Q->affine ? 1 : dg->mesh->Ne;
  const size_t     half = (size_t)Np * (Np + 1) / 2, apart = Q->affine ? 1 : (size_t)elements,
                   n = Q->affine ? half : half * (size_t)(PlexDGPlace(dg, elements, Ne) + elements - 1);
  PetscReal       *all;

  PetscFunctionBegin;
  PetscCall(PetscCalloc1(n, &all));
  for (PetscInt e = 0; e < Ne; ++e) {
    const PetscInt place = Q->affine ? 0 : PlexDGPlace(dg, elements, e);
    PetscReal     *to    = &all[(size_t)(place / elements) * half * apart + (size_t)(place % elements)];

    for (PetscInt i = 0; i < Np; ++i)
      for (PetscInt j = 0; j <= i; ++j, to += apart) *to = Q->Minv[((size_t)e * Np + i) * Np + j];
  }
  PetscCall(PlexDGUploadReals(dg, n, all, at));
  PetscCall(PetscFree(all));
  PetscFunctionReturn(PETSC_SUCCESS);
}
